//! Lowering: translates the parts of a game to instructions, using the builder.

pub mod effect;
pub mod expr;
pub mod interpreted;
pub mod moves;
pub mod play;
pub mod step;

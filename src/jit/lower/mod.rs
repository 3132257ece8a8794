//! Lowering: from the parts of a game to instructions, by way of the builder.

pub mod effect;
pub mod expr;
pub mod interpreted;
pub mod moves;
pub mod play;
pub mod step;

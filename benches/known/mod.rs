//! Results found without search: equilibria by linear programming, optimal play by value iteration.

pub mod dice;
pub mod goofspiel;
pub mod matrix;
pub mod pig;
pub mod undercut;

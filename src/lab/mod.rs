//! Studying games: many matches, and what they say.

mod simulate;

pub use simulate::{Simulation, Tally};

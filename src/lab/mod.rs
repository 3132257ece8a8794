//! Studying games: many matches, and what they say.

mod bailouts;
mod simulate;

pub use bailouts::{bailouts_json, bailouts_words, reason_words};
pub use simulate::{Played, Simulation, Tally};

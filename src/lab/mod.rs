//! Studying games: many matches, and what they say.

mod bailouts;
mod contest;
mod coverage;
mod review;
mod simulate;

pub use bailouts::{bailouts_json, bailouts_words, reason_words};
pub use contest::{Contest, seating};
pub use coverage::{Covered, Share, play_again};
pub use review::{Judged, Review, Reviewer, Stop, Worth};
pub use simulate::{Played, Simulation, Tally};

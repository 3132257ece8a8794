//! The laboratory: plays many matches of a game and analyses them.

mod arena;
mod bailouts;
mod checkpoint;
pub mod compare;
mod contest;
mod coverage;
mod elo;
pub mod picture;
mod review;
mod simulate;
mod standings;
pub mod study;

pub use arena::{Arena, Score, looks, pairings, seatings};
pub use bailouts::{all_reasons, bailouts_json, bailouts_words, reasons_with_counts};
pub use contest::{Contest, End, seating};
pub use coverage::{Covered, Share, play_again};
pub use elo::{Meeting, Rating, difference, ratings};
pub use review::{
    Luck, MoveValue, REVIEW_EFFORT, Review, ReviewProgress, ReviewedChoice, Reviewer, Stop, review_effort,
};
pub use simulate::{Played, Simulation, Tally};
pub use standings::Standings;

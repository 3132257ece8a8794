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

use crate::ir::Game;
use crate::play::and;

/// Returns the sides that win: those of which a seat (from 0) is among the winners.
fn winning<'s>(sides: &'s [Vec<usize>], winners: &[usize]) -> Vec<&'s Vec<usize>> {
    sides.iter().filter(|side| side.iter().any(|seat| winners.contains(seat))).collect()
}

/// Names those who win and lose together, given their seats (from 0): a player, a team, or all players.
pub(crate) fn side_name(game: &Game, side: &[usize], players: usize) -> String {
    match side {
        [seat] => game.seat_name(*seat),
        _ if side.len() == players => "all players".to_string(),
        _ => {
            let names: Vec<String> = side.iter().map(|seat| game.seat_name(*seat)).collect();
            format!("the team of {}", and(&names))
        }
    }
}

//! Players that are no people. A bot is handed a match and the seat it plays, and asks only what that seat may know.

mod worlds;

pub use worlds::World;

use crate::play::{Entry, Match, Refused, Rng};

/// A player that is no person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bot {
    /// Draws each choice uniformly among its legal moves.
    Random,
}

impl Bot {
    /// Every bot's name.
    pub const NAMES: &'static [&'static str] = &["random"];

    /// The bot of a name. The error is a sentence.
    pub fn named(name: &str) -> Result<Bot, String> {
        match name {
            "random" => Ok(Bot::Random),
            _ => Err(format!("no bot is called `{name}`; there is {}", Bot::NAMES.join(", "))),
        }
    }

    /// The bot's name.
    pub fn name(self) -> &'static str {
        match self {
            Bot::Random => "random",
        }
    }

    /// The bot's choice for a player (from 1) who is to choose.
    pub fn choose(self, played: &Match, player: usize, rng: &mut Rng) -> Result<Entry, Refused> {
        match self {
            Bot::Random => played.random_move(player, rng),
        }
    }
}

//! What a seat has seen, as a key by which its information set is found again.

use std::hash::{Hash, Hasher};

use serde_json::Value as Json;

use crate::engine::WrittenDown;
use crate::eval::Position;
use crate::explore::{Identity, number_of};
use crate::ir::{Game, draw_is_public};
use crate::play::{KnownEntry, Perceived};

/// A hash of what a seat has seen since a subgame began, the same on every machine; collisions are neglected.
/// Loop counters are left out, since paths into the same subgame may differ in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Trail(u64);

impl Trail {
    /// Returns the trail at the start of a subgame.
    pub fn begin(subgame: usize) -> Trail {
        Trail(number_of(&subgame))
    }

    /// Returns the trail after `happened`, as the seat knows it, when the seat sees `sees`. Of what was only written down,
    /// nothing counts.
    #[must_use]
    pub fn after(self, happened: &[KnownEntry], sees: &Perceived, written_down: &WrittenDown) -> Trail {
        struct Lasting<'p>(&'p Perceived, &'p WrittenDown);
        impl Hash for Lasting<'_> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.hash_lasting(self.1, state);
            }
        }
        Trail(number_of(&(self.0, happened, Lasting(sees, written_down))))
    }

    /// Returns the trail of a position that everybody knows.
    pub fn of(identity: &Identity, position: &Position) -> Trail {
        Trail(number_of(&identity.lasting_key(position)))
    }

    /// Returns the trail in hexadecimal, as it is written to files.
    pub fn words(self) -> String {
        format!("{:016x}", self.0)
    }

    /// Parses what [`Trail::words`] returned; `None` if it is something else.
    pub fn read(json: &Json) -> Option<Trail> {
        u64::from_str_radix(json.as_str()?, 16).ok().map(Trail)
    }
}

/// Whether everybody learns of a choice or a draw at once. Later revelations are part of what all see then.
pub(crate) fn is_public_event(game: &Game, seat: Option<usize>, name: &str) -> bool {
    match seat {
        Some(_) => !game.moves.iter().any(|mv| mv.secret && mv.name == name),
        None => draw_is_public(game, name),
    }
}

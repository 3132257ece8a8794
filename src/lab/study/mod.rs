//! Studies: what matches between players of several strengths show about a game.
//!
//! A study plays matches of several kinds ([`Strand`]), one stage of each at a time. The numbers of matches
//! after which it checks whether there are enough are fixed in advance, and how a match is played depends
//! only on the seed and its number. So the result depends neither on threads nor on interruptions.

mod best_play;
mod costs;
mod course;
mod deciders;
mod distributions;
mod ends_first;
mod figures;
mod luck;
mod offers;
#[cfg(feature = "cli")]
pub mod page;
mod plan;
mod play;
mod possible;
mod report;
mod start;
pub(super) mod sums;
mod sweep;
mod terms;
mod usage;
mod verdict;
mod weigh;
mod words;

use std::sync::Arc;

pub use plan::{Enough, Findings, Found, Stage, Strand, Task};
pub use report::{
    Bin, ConstantTerm, Curve, Decider, Distribution, DrawOutcomeUse, DrawUse, Figure, ForbiddenMove,
    Imperfect, Line, NeverPossible, ParameterUse, Point, Remark, Report, Row, Rung, SameMove, SameValues,
    Series, Side, Sweep, Unit, UnlikeStart, Usage, ValueUse,
};
pub use sweep::{Difference, differences};
pub(crate) use words::whole_number;
pub use words::{sweep_words, words};

use super::side_name;
use crate::bots::{Bot, Clock, Effort, Mind};
use crate::engine::Engine;
use crate::ir::{Interests, Op};
use crate::play::Rules;
pub(crate) use course::compared;

/// A study to be made.
pub struct Study<'a, E> {
    /// The rules.
    pub rules: &'a Arc<Rules>,
    /// The engine that plays at random, with options and number of players fixed.
    pub engine: &'a E,
    /// What the bots think with.
    pub mind: &'a Mind,
    /// The bots' clock. Once it hurries, matches are abandoned, and not counted.
    pub clock: &'a (dyn Clock + Sync),
    /// The seed of all matches.
    pub seed: u64,
    /// The number of playouts per choice of the strongest player; weaker searches have a half and a quarter
    /// of it.
    pub playouts: u64,
    /// The most positions to search for best play from the start.
    pub positions: u64,
    /// The number of choices after which a match is abandoned; all seats share the win then.
    pub max_moves: u64,
}

impl<E: Engine> Study<'_, E> {
    /// Returns the number of players.
    pub(super) fn players(&self) -> usize {
        self.engine.machine().setup.players
    }

    /// Whether all players are on one side: there is only one, or they win and lose together.
    pub(super) fn is_one_side(&self) -> bool {
        compared(self.engine.machine()) == Interests::Common
    }

    /// Returns those whose results can differ, each with its seats (from 0): a seat, a team, or the only side.
    pub(super) fn sides(&self) -> Vec<Vec<usize>> {
        compared(self.engine.machine()).sides(self.players())
    }

    /// Returns the sides with their names.
    pub(super) fn named_sides(&self) -> Vec<Side> {
        let named = |seats: Vec<usize>| Side {
            name: side_name(&self.rules.game, &seats, self.players()),
            seats: seats.iter().map(|seat| seat + 1).collect(),
        };
        self.sides().into_iter().map(named).collect()
    }

    /// Whether the game has any draws.
    pub(super) fn draws_chance(&self) -> bool {
        self.rules.game.code.iter().any(|op| matches!(op, Op::Chance(_)))
    }

    /// Returns the players by strength: random, one move ahead, and searches of which each has twice the
    /// playouts of the one before.
    pub(super) fn bots(&self) -> Vec<Bot> {
        let mut bots = vec![Bot::Random, Bot::Greedy];
        for part in [4, 2, 1] {
            let bot = Bot::Tree(Effort::Playouts((self.playouts / part).max(1)));
            if !bots.contains(&bot) {
                bots.push(bot);
            }
        }
        bots
    }

    /// Returns the strongest player.
    pub(super) fn strongest(&self) -> Bot {
        Bot::Tree(Effort::Playouts(self.playouts))
    }
}

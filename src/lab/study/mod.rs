//! Studies: what matches between players of several strengths say of a game.
//!
//! A study plays matches of several sorts ([`Strand`]), a stage of each at a time. After how many matches it is looked at
//! whether there were enough is fixed beforehand, and which match is played how hangs on the seed and its number alone: so neither
//! threads nor pauses show.

mod course;
mod distributions;
mod figures;
#[cfg(feature = "cli")]
pub mod page;
mod plan;
mod play;
mod report;
mod sums;
mod usage;
mod verdict;
mod words;

use std::sync::Arc;

pub use plan::{Enough, Findings, Found, Stage, Strand, Task};
pub use report::{
    Bin, Curve, Distribution, Figure, Line, Point, Remark, Report, Row, Rung, Series, Sweep, Unit, Usage,
};
pub use words::{sweep_words, words};

use crate::bots::{Bot, Clock, Effort, Mind};
use crate::engine::Engine;
use crate::ir::Op;
use crate::play::Rules;

/// What is to be studied, and how.
pub struct Study<'a, E> {
    /// The rules.
    pub rules: &'a Arc<Rules>,
    /// What plays at random, with options and players fixed.
    pub engine: &'a E,
    /// What bots think with.
    pub mind: &'a Mind,
    /// Their clock. Once it hurries, matches are given up where they are, and not counted.
    pub clock: &'a (dyn Clock + Sync),
    /// The seed of all matches.
    pub seed: u64,
    /// How many playouts a choice the strongest player has; the others have a half and a quarter of it.
    pub playouts: u64,
    /// After how many choices a match is given up; all seats share the win then.
    pub max_moves: u64,
}

impl<E: Engine> Study<'_, E> {
    /// How many play.
    pub(super) fn players(&self) -> usize {
        self.engine.machine().setup.players
    }

    /// Whether chance draws anything.
    pub(super) fn draws_chance(&self) -> bool {
        self.rules.game.code.iter().any(|op| matches!(op, Op::Chance(_)))
    }

    /// Players by strength: at random, one look ahead, and searches of which each has twice the playouts of the one before.
    pub(super) fn bots(&self) -> Vec<Bot> {
        let mut bots = vec![Bot::Random, Bot::Greedy];
        for part in [4, 2, 1] {
            let bot = Bot::Mcts(Effort::Playouts((self.playouts / part).max(1)));
            if !bots.contains(&bot) {
                bots.push(bot);
            }
        }
        bots
    }

    /// How many positions are looked at for exact play from the start.
    pub(super) fn searched(&self) -> u64 {
        self.playouts.saturating_mul(1000).min(500_000)
    }

    /// The strongest player.
    pub(super) fn strongest(&self) -> Bot {
        Bot::Mcts(Effort::Playouts(self.playouts))
    }
}

//! What a search believes of the root's moves before it has played: the one that brings the most at once is the best, until
//! playouts say otherwise. Else a search with few playouts, each of which says little, would choose nearly at random where
//! looking one move ahead is enough.

use std::collections::HashMap;

use super::Search;
use super::tree::Arm;
use crate::bots::worth::plays_for_score;
use crate::engine::Engine;

/// By how much what a move brings at once counts for its value, divided by how many playouts it has had
/// (progressive bias: G. Chaslot, M. Winands, J. van den Herik, J. Uiterwijk and B. Bouzy, 2008).
const BIAS: f64 = 16.0;
/// The same for points at once where a score is played for: they may be few because more are to come, and a move must not be
/// put off for longer than a search lasts.
const BIAS_OF_POINTS: f64 = 0.8;
/// How much is regretted at first, where moves are mixed, for each part by which a move brings more than the others at once. A playout
/// says so little there that it takes hundreds of them to learn as much.
const REGRET: f64 = 1000.0;

/// What the root's moves bring at once, as far as they were looked at.
#[derive(Debug, Default)]
pub(super) struct Priors {
    /// By the number of the arm and of the move: by how much it brings more, or less, than the arm's moves do on average; or,
    /// if it is mixed, than what is halfway between that and the best.
    promises: HashMap<(usize, u32), f64>,
    /// The bias of the value of each edge of the arm that chooses alone, without what is behind the last one known.
    pub biases: Vec<f32>,
}

impl Priors {
    /// Records what moves of an arm bring at once; moves that were not looked at have no finite promise.
    pub fn learn(&mut self, at: usize, arm: &Arm, promises: impl Iterator<Item = (u32, f64)> + Clone) {
        let known = promises.filter(|(_, promise)| promise.is_finite());
        let (sum, count, most) =
            known.clone().fold((0.0, 0.0, f64::NEG_INFINITY), |(sum, count, most), (_, promise)| {
                (sum + promise, count + 1.0, promise.max(most))
            });
        let mean = sum / count;
        let usual = if arm.mix.is_some() { f64::midpoint(mean, most) } else { mean };
        self.promises.extend(known.map(|(id, promise)| ((at, id), promise - usual)));
    }
}

impl<E: Engine> Search<'_, E> {
    /// Makes a new edge of the root start with what its move brings at once.
    pub(super) fn start_with_prior(&mut self, at: usize, edge: usize) {
        let id = self.tree.edge(0, at, edge).id;
        let Some(promise) = self.priors.promises.get(&(at, id)).copied() else { return };
        match self.tree.arm(0, at).mix {
            Some(mix) => self.tree.mixes[mix].start_with(edge, REGRET * promise),
            None => {
                let bias = if plays_for_score(self.engine.machine()) { BIAS_OF_POINTS } else { BIAS };
                self.priors.biases.resize(edge, 0.0);
                self.priors.biases.push((bias * promise) as f32);
            }
        }
    }
}

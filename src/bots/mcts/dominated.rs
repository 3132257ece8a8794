//! Leaves out of a mix what is worth no more than another move whatever the others choose. Between players who never err such
//! a move may cost nothing, so a search that has not settled mixes it in; but it gains less from everybody who errs.

use super::Search;
use super::joint::{JointStats, MAX_COMBINED};
use super::keys::mix_key;
use super::say::{CLOSE, OFTEN, SURE};
use super::tree::Edge;
use crate::engine::Engine;

/// How many times as much a move must gain on average over all replies as it could lose, by the errors of the estimates,
/// against a single one.
const GAIN: f64 = 4.0;

/// What a move is worth against one reply.
#[derive(Debug, Clone, Copy)]
struct Against {
    share: f64,
    error: f64,
}

impl<E: Engine> Search<'_, E> {
    /// Returns a mix of the moves of an arm at the root in which each dominated move has given its weight to the one that
    /// gains most on it; moves that were hardly tried dominate nothing.
    pub(super) fn without_dominated(&self, mut mix: Vec<f64>, arm: usize) -> Vec<f64> {
        let edges = self.tree.edges(self.tree.arm(0, arm));
        let Some(replies) = self.replies(arm) else { return mix };
        let tried = (0..edges.len()).filter(|at| edges[*at].visits >= OFTEN);
        let mut rows: Vec<(usize, Vec<Against>)> =
            tried.map(|at| (at, self.against_each(arm, at, &replies))).collect();
        let mean = |row: &[Against]| row.iter().map(|of| of.share).sum::<f64>() / row.len() as f64;
        rows.sort_by(|a, b| mean(&b.1).total_cmp(&mean(&a.1)));
        // From the worst on, so that what a move was given may move on.
        for (n, (at, row)) in rows.iter().enumerate().rev() {
            if let Some((better, _)) = rows[..n].iter().find(|(_, better)| dominates(better, row)) {
                mix[*better] += std::mem::take(&mut mix[*at]);
            }
        }
        mix
    }

    /// Returns the keys of all that those who choose together with an arm at the root may choose; `None` if it chooses alone,
    /// or there are too many replies.
    fn replies(&self, arm: usize) -> Option<Vec<u64>> {
        let mut replies = Vec::new();
        for others in self.others_of(arm)? {
            let mut here = vec![JointStats::key_of_others([])];
            for (node, arm) in others {
                let arm_of = self.tree.arm(node, arm);
                if arm_of.draws_afresh() {
                    return None;
                }
                let edges = self.tree.edges(arm_of).iter().filter(|edge| edge.visits > 0);
                let tokens: Vec<u64> = edges.map(|edge| self.move_token(node, arm, edge)).collect();
                if here.len() * tokens.len() > MAX_COMBINED {
                    return None;
                }
                here = here.iter().flat_map(|key| tokens.iter().map(|token| mix_key(*key, *token))).collect();
            }
            replies.extend(here);
        }
        replies.sort_unstable();
        replies.dedup();
        (!replies.is_empty() && replies.len() <= MAX_COMBINED).then_some(replies)
    }

    /// Returns what a move of an arm at the root is worth against each reply: its mean where it never met one.
    fn against_each(&self, arm: usize, at: usize, replies: &[u64]) -> Vec<Against> {
        let edge: &Edge = self.tree.edge(0, arm, at);
        let against = |reply: &u64| match self.tree.joint.share((0, arm), at, *reply) {
            // Later results weigh more, as if they were fewer by a quarter.
            Some((share, results)) => Against { share, error: 0.5 / (0.75 * results).sqrt() },
            None => Against { share: edge.mean(), error: 0.5 },
        };
        replies.iter().map(against).collect()
    }
}

/// Whether a move is worth more than another on average, and against no reply worth less by more than the estimates may err.
fn dominates(better: &[Against], worse: &[Against]) -> bool {
    let pairs = || better.iter().zip(worse);
    let gain = pairs().map(|(better, worse)| better.share - worse.share).sum::<f64>() / better.len() as f64;
    let allowed = |better: &Against, worse: &Against| {
        let error = (better.error.powi(2) + worse.error.powi(2)).sqrt();
        (CLOSE + SURE * error).min(gain / GAIN)
    };
    gain > 0.0 && pairs().all(|(better, worse)| worse.share - better.share <= allowed(better, worse))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(shares: &[f64], results: f64) -> Vec<Against> {
        shares.iter().map(|share| Against { share: *share, error: 0.5 / f64::sqrt(results) }).collect()
    }

    #[test]
    fn a_move_dominates_what_it_beats_or_equals_against_every_reply() {
        let often = 10_000.0;
        let draws = row(&[0.5, 0.5, 0.5, 0.5], often);
        assert!(dominates(&row(&[0.5, 0.5, 0.9, 1.0], often), &draws));
        assert!(!dominates(&draws, &row(&[0.5, 0.5, 0.9, 1.0], often)));
        // What is equal everywhere may as well be mixed.
        assert!(!dominates(&draws, &draws));
    }

    #[test]
    fn what_is_better_against_one_reply_is_kept() {
        // Matching pennies, with a reply that is a mistake against both.
        let (heads, tails) = (row(&[1.0, 0.0, 1.0], 10_000.0), row(&[0.0, 1.0, 0.9], 10_000.0));
        assert!(!dominates(&heads, &tails) && !dominates(&tails, &heads));
        // A small loss that is sure counts, one that may be an error does not, unless it would cost much.
        let worse =
            |results: f64, gain: f64| dominates(&row(&[0.45, gain], results), &row(&[0.5, 0.5], results));
        assert!(!worse(10_000.0, 1.0) && worse(300.0, 1.0) && !worse(300.0, 0.6));
    }
}

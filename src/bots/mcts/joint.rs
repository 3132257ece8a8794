//! The results of simultaneous choices, from which each move is valued against what the others choose.

use super::keys::{Keyed, mix_key};

/// The most choices of the others that a move is valued against one by one.
const MAX_COMBINED: usize = 4096;

/// The results of simultaneous choices, by node and joint choice.
#[derive(Debug, Clone, Default)]
pub struct JointStats {
    /// The number of playouts, and for each arm the sum of the rewards and of the shares of the win.
    cells: Keyed<(f64, Vec<(f64, f64)>)>,
    /// The joint choices after which the end of the match is certain.
    proven: Keyed<()>,
    /// For an edge: against how many joint choices of the others it certainly wins, and the most choices
    /// until then.
    won: Keyed<(u64, u32)>,
}

impl JointStats {
    /// Returns the key of a joint choice, given as one edge per arm.
    pub fn key(chosen: impl IntoIterator<Item = usize>) -> u64 {
        chosen.into_iter().fold(0, |all, edge| mix_key(all, edge as u64 + 1))
    }

    /// Adds the reward and the share of the win of each arm after a joint choice.
    pub fn add(&mut self, node: u32, chosen: u64, results: &[(f64, f64)]) {
        let (count, sums) = self
            .cells
            .entry(mix_key(chosen, u64::from(node)))
            .or_insert_with(|| (0.0, vec![(0.0, 0.0); results.len()]));
        *count += 1.0;
        for (sum, result) in sums.iter_mut().zip(results) {
            *sum = (sum.0 + result.0, sum.1 + result.1);
        }
    }

    /// Records that the end of the match is certain after a joint choice. Returns whether that is new.
    pub fn record_proof(&mut self, node: u32, chosen: u64) -> bool {
        self.proven.insert(mix_key(chosen, u64::from(node)), ()).is_none()
    }

    /// Records that an edge of an arm wins against one more joint choice of the others, after `choices`
    /// choices. Returns against how many it wins now, and after how many choices at most.
    pub fn record_win(&mut self, node: u32, (arm, edge): (usize, usize), choices: u32) -> (u64, u32) {
        let (count, most) =
            self.won.entry(mix_key(JointStats::key([arm, edge]), u64::from(node))).or_default();
        (*count, *most) = (*count + 1, choices.max(*most));
        (*count, *most)
    }

    /// Returns the mean reward of an arm for this joint choice; `None` if it was never made.
    pub fn mean(&self, node: u32, chosen: u64, arm: usize) -> Option<f64> {
        self.cells.get(&mix_key(chosen, u64::from(node))).map(|(count, sums)| sums[arm].0 / count)
    }

    /// Returns the mean share of the win of an arm for this joint choice; `None` if it was never made.
    fn share(&self, node: u32, chosen: u64, arm: usize) -> Option<f64> {
        self.cells.get(&mix_key(chosen, u64::from(node))).map(|(count, sums)| sums[arm].1 / count)
    }

    /// Returns what each move of an arm of a node is worth if the other arms choose by these mixes, by edge: its
    /// expected share of the win, `None` if it never met a choice of theirs. `None` for all if there are more than
    /// [`MAX_COMBINED`] choices of the others.
    pub fn values_against(&self, node: u32, arm: usize, mixes: &[Vec<f64>]) -> Option<Vec<Option<f64>>> {
        // All choices of the other arms, with their probabilities; the edge of the arm itself is set below.
        let mut combined: Vec<(Vec<usize>, f64)> = vec![(Vec::new(), 1.0)];
        for (at, mix) in mixes.iter().enumerate() {
            let own = [(0, 1.0)];
            let likely: Vec<(usize, f64)> = match at == arm {
                true => own.to_vec(),
                false => mix.iter().copied().enumerate().filter(|(_, likely)| *likely > 0.0).collect(),
            };
            if combined.len() * likely.len() > MAX_COMBINED {
                return None;
            }
            let with = |(edges, p): &(Vec<usize>, f64), (edge, likely): (usize, f64)| {
                (edges.iter().copied().chain([edge]).collect(), p * likely)
            };
            combined = combined.iter().flat_map(|of| likely.iter().map(|more| with(of, *more))).collect();
        }
        let value = |edge: usize| {
            let (mut sum, mut met) = (0.0, 0.0);
            for (edges, likely) in &combined {
                let chosen =
                    edges.iter().enumerate().map(|(at, other)| if at == arm { edge } else { *other });
                if let Some(share) = self.share(node, JointStats::key(chosen), arm) {
                    (sum, met) = (sum + likely * share, met + likely);
                }
            }
            (met > 0.0).then(|| sum / met)
        };
        Some((0..mixes[arm].len()).map(value).collect())
    }
}

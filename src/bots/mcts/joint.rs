//! The results of simultaneous choices, from which each move is valued against what the others choose.

use super::keys::{Keyed, mix_key};

/// The most choices of the others that a move is valued against one by one.
pub const MAX_COMBINED: usize = 4096;

/// The results of simultaneous choices.
#[derive(Debug, Clone, Default)]
pub struct JointStats {
    /// The results of each move of an arm together with the moves of the others.
    cells: Keyed<Cell>,
    /// The joint choices after which the end of the match is certain.
    proven: Keyed<()>,
    /// For an edge: against how many joint choices of the others it certainly wins, and the most choices
    /// until then.
    won: Keyed<(u64, u32)>,
}

/// The results of one joint choice for one of its arms. Each result weighs as much as it has a number: later ones come from
/// better play of the rest of the match.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    results: f64,
    /// The sum of the weights, and the weighted sums of the rewards and the shares of the win.
    weights: f64,
    reward: f64,
    share: f64,
}

/// How others may choose: how many times they stood where they choose so, and for each of them the numbers of its
/// moves ([`Search::move_token`](super::Search)) with their probabilities.
pub type Others = (f64, Vec<Vec<(u64, f64)>>);

impl JointStats {
    /// Returns the key of a joint choice, given as one edge per arm.
    pub fn key(chosen: impl IntoIterator<Item = usize>) -> u64 {
        chosen.into_iter().fold(0, |all, edge| mix_key(all, edge as u64 + 1))
    }

    /// Returns the key of what the others choose, given as the numbers of their moves in the order of the seats.
    pub fn key_of_others(chosen: impl IntoIterator<Item = u64>) -> u64 {
        chosen.into_iter().fold(0, mix_key)
    }

    fn cell((node, arm): (u32, usize), edge: usize, others: u64) -> u64 {
        mix_key(mix_key(others, edge as u64 + 1), u64::from(node) << 8 | arm as u64)
    }

    /// Adds the reward and the share of the win of an arm (node and arm) after an edge and the choices of the others.
    pub fn add(&mut self, arm: (u32, usize), edge: usize, others: u64, (reward, share): (f64, f64)) {
        let cell = self.cells.entry(JointStats::cell(arm, edge, others)).or_default();
        cell.results += 1.0;
        cell.weights += cell.results;
        cell.reward += cell.results * reward;
        cell.share += cell.results * share;
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

    /// Returns the mean reward of an arm for an edge and these choices of the others; `None` if they never met.
    pub fn mean(&self, arm: (u32, usize), edge: usize, others: u64) -> Option<f64> {
        self.cells.get(&JointStats::cell(arm, edge, others)).map(|cell| cell.reward / cell.weights)
    }

    /// Returns the mean share of the win of an arm, likewise, and the number of results.
    pub fn share(&self, arm: (u32, usize), edge: usize, others: u64) -> Option<(f64, f64)> {
        let cell = self.cells.get(&JointStats::cell(arm, edge, others))?;
        Some((cell.share / cell.weights, cell.results))
    }

    /// Returns what each move of an arm is worth if the others choose in these ways: its expected share of the win. Where
    /// a move never met a choice of theirs, its mean over all playouts stands for that, given for each move (`None` if
    /// it was never tried, so that its worth is `None` as well). `None` for all if there are more than [`MAX_COMBINED`]
    /// choices of the others.
    pub fn values_against(
        &self,
        arm: (u32, usize),
        means: &[Option<f64>],
        ways: &[Others],
    ) -> Option<Vec<Option<f64>>> {
        // The choices of the others together, with their weights.
        let mut combined: Vec<(u64, f64)> = Vec::new();
        for (times, others) in ways {
            let many: usize = others.iter().map(Vec::len).product();
            if combined.len() + many > MAX_COMBINED {
                return None;
            }
            let mut here = vec![(JointStats::key_of_others([]), *times)];
            for likely in others {
                let with = |(chosen, p): &(u64, f64)| {
                    let (chosen, p) = (*chosen, *p);
                    likely.iter().map(move |(token, likely)| (mix_key(chosen, *token), p * likely))
                };
                here = here.iter().flat_map(with).collect();
            }
            combined.extend(here);
        }
        let all: f64 = combined.iter().map(|(_, likely)| likely).sum();
        let value = |(edge, mean): (usize, &Option<f64>)| {
            let share =
                |others: u64| Some(self.share(arm, edge, others).map_or((*mean)?, |(share, _)| share));
            let sum: Option<f64> =
                combined.iter().map(|(others, likely)| Some(likely * share(*others)?)).sum();
            sum.filter(|_| all > 0.0).map(|sum| sum / all)
        };
        Some(means.iter().enumerate().map(value).collect())
    }
}

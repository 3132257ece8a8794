//! Simultaneous choices: each seat mixes its moves by regret matching, so that its choice is unpredictable.

use crate::num::Rng;

/// The probability of picking a move uniformly at random, whatever the regrets.
const EXPLORATION: f64 = 0.1;

/// The regrets and the cumulative mix of one seat: regret matching (S. Hart, A. Mas-Colell, 2000) as used by
/// search at simultaneous choices (V. Lisý and others, 2013), with regrets that never fall below 0 and rounds
/// weighted by their number (O. Tammelin, 2014).
#[derive(Debug, Clone, Default)]
pub struct Mix {
    regret: Vec<f64>,
    cumulative: Vec<f64>,
    rounds: f64,
    /// The probabilities of the last draw, by edge.
    last_probabilities: Vec<f64>,
}

impl Mix {
    /// Draws one of the moves in `among` (edges) according to the regrets, with some exploration.
    pub fn draw(&mut self, among: &[usize], edges: usize, rng: &mut Rng) -> usize {
        self.regret.resize(edges, 0.0);
        self.cumulative.resize(edges, 0.0);
        self.rounds += 1.0;
        let sum: f64 = among.iter().map(|at| self.regret[*at]).sum();
        let even = 1.0 / among.len() as f64;
        let want = |at: usize| if sum > 0.0 { self.regret[at] / sum } else { even };
        for at in among {
            self.cumulative[*at] += self.rounds * want(*at);
        }
        let weights: Vec<f64> =
            among.iter().map(|at| (1.0 - EXPLORATION) * want(*at) + EXPLORATION * even).collect();
        self.last_probabilities.clear();
        self.last_probabilities.resize(edges, 0.0);
        among.iter().zip(&weights).for_each(|(at, weight)| self.last_probabilities[*at] = *weight);
        among[sample_index(&weights, rng)]
    }

    /// Updates the regrets with the reward of the last drawn move when the others' choices are unknown. Each
    /// move is valued at its mean reward, and the drawn one also gets (reward - mean) / probability, so that
    /// all values are unbiased (outcome sampling with baselines: M. Schmid and others, 2019).
    pub fn update_from_own_reward(&mut self, drawn: usize, reward: f64, means: &[f64]) {
        let Some(likely) = self.last_probabilities.get(drawn).copied().filter(|likely| *likely > 0.0) else {
            return;
        };
        let by = (reward - means[drawn]) / likely;
        let estimate = |at: usize| means[at] + if at == drawn { by } else { 0.0 };
        let all: f64 =
            self.last_probabilities.iter().enumerate().map(|(at, likely)| likely * estimate(at)).sum();
        (0..means.len()).for_each(|at| self.add_regret(at, estimate(at) - all));
    }

    /// Sets the regret of a new move, unless it is negative.
    pub fn start_with(&mut self, at: usize, regret: f64) {
        self.regret.resize(self.regret.len().max(at + 1), 0.0);
        self.regret[at] = regret.max(0.0);
    }

    /// Adds to the regret of a move: what it would have brought beyond the reward that was reached.
    pub fn add_regret(&mut self, at: usize, by: f64) {
        if let Some(regret) = self.regret.get_mut(at) {
            *regret = (*regret + by).max(0.0);
        }
    }

    /// Returns the mix as if it came from a part (0 to 1) of its rounds. The cumulative mix grows with their square, since
    /// rounds are weighted by their number.
    #[must_use]
    pub fn part(&self, part: f64) -> Mix {
        let of = |sums: &[f64], part: f64| sums.iter().map(|sum| sum * part).collect();
        Mix {
            regret: of(&self.regret, part),
            cumulative: of(&self.cumulative, part * part),
            rounds: self.rounds * part,
            last_probabilities: Vec::new(),
        }
    }

    /// Adds the regrets and the cumulative mix of another search over the same moves; `own_edges` has the edge here
    /// for each edge there, since each search tries moves in an order of its own.
    pub fn join(&mut self, other: &Mix, own_edges: &[usize]) {
        let add = |own: &mut Vec<f64>, more: &[f64]| {
            let edges = own_edges.iter().map(|edge| edge + 1).max().unwrap_or(0);
            own.resize(own.len().max(edges), 0.0);
            own_edges.iter().zip(more).for_each(|(edge, more)| own[*edge] += more);
        };
        add(&mut self.regret, &other.regret);
        add(&mut self.cumulative, &other.cumulative);
        self.rounds += other.rounds;
    }

    /// Returns the average mix over all visits, which approaches an equilibrium. Moves with a small weight,
    /// which were wanted only while little was known, are left out.
    pub fn average(&self, edges: usize) -> Vec<f64> {
        let most = self.cumulative.iter().copied().fold(0.0, f64::max);
        let kept = |at: usize| self.cumulative.get(at).copied().filter(|wanted| *wanted >= most / 20.0);
        let weights: Vec<f64> = (0..edges).map(|at| kept(at).unwrap_or(0.0)).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| if sum > 0.0 { weight / sum } else { 1.0 / edges as f64 }).collect()
    }
}

/// Draws an index with probability proportional to its weight.
pub fn sample_index(weights: &[f64], rng: &mut Rng) -> usize {
    let sum: f64 = weights.iter().sum();
    // 53 bits give a number in 0..1.
    let mut at = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 * sum;
    for (n, weight) in weights.iter().enumerate() {
        at -= weight;
        if at < 0.0 {
            return n;
        }
    }
    weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays two mixes against each other in a constant-sum game, given the first one's rewards.
    fn play_mixes(table: &[&[f64]], rounds: usize) -> (Vec<f64>, Vec<f64>) {
        let (mut one, mut two) = (Mix::default(), Mix::default());
        let (rows, columns) = (table.len(), table[0].len());
        let mut rng = Rng::new(1);
        for _ in 0..rounds {
            let a = one.draw(&(0..rows).collect::<Vec<_>>(), rows, &mut rng);
            let b = two.draw(&(0..columns).collect::<Vec<_>>(), columns, &mut rng);
            (0..rows).for_each(|at| one.add_regret(at, table[at][b] - table[a][b]));
            (0..columns).for_each(|at| two.add_regret(at, table[a][b] - table[a][at]));
        }
        (one.average(rows), two.average(columns))
    }

    #[test]
    fn searches_that_tried_moves_in_another_order_are_joined_move_by_move() {
        let wants = |first: f64, second: f64| Mix {
            regret: vec![first, second],
            cumulative: vec![first, second],
            ..Mix::default()
        };
        let mut own = wants(8.0, 2.0);
        own.join(&wants(1.0, 9.0), &[1, 0]);
        assert_eq!(own.average(2), [0.85, 0.15]);
        // A move that only the other search has tried.
        own.join(&wants(10.0, 20.0), &[2, 0]);
        assert_eq!(own.cumulative, [37.0, 3.0, 10.0]);
    }

    #[test]
    fn regrets_lead_to_the_equilibrium() {
        // Rock, paper, scissors.
        let (one, two) = play_mixes(&[&[0.5, 0.0, 1.0], &[1.0, 0.5, 0.0], &[0.0, 1.0, 0.5]], 20_000);
        assert!(one.iter().chain(&two).all(|share| (share - 1.0 / 3.0).abs() < 0.05), "{one:?} {two:?}");
        // Matching pennies where one side is worth half: the first player shows the other a third of the
        // time.
        let (one, _) = play_mixes(&[&[1.0, 0.0], &[0.0, 0.5]], 40_000);
        assert!((one[0] - 1.0 / 3.0).abs() < 0.05, "{one:?}");
        // Dominated moves are not mixed in.
        let (one, two) = play_mixes(&[&[0.6, 0.7], &[0.1, 0.2]], 2000);
        assert_eq!((one[1], two[1]), (0.0, 0.0));
    }
}

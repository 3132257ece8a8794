//! Choices made together: each seat mixes its moves by regret matching, so that what it chooses cannot be read off.

use super::keys::{Keyed, key};
use crate::num::Rng;

/// How often a move is tried whatever has been regretted.
const EXPLORES: f64 = 0.1;

/// What one seat has regretted of each of its moves, and how much it wanted each: regret matching (S. Hart,
/// A. Mas-Colell, 2000) as search at simultaneous choices uses it (V. Lisý and others, 2013), with regrets that never fall
/// below 0 and later rounds counted more, each by its number (O. Tammelin, 2014).
#[derive(Debug, Clone, Default)]
pub struct Mix {
    regret: Vec<f64>,
    wanted: Vec<f64>,
    rounds: f64,
    /// How likely each move was when one was drawn last.
    likely: Vec<f64>,
}

impl Mix {
    /// Draws one of some moves (by their edges) as the regrets have it, and now and then any of them.
    pub fn draw(&mut self, among: &[usize], edges: usize, rng: &mut Rng) -> usize {
        self.regret.resize(edges, 0.0);
        self.wanted.resize(edges, 0.0);
        self.rounds += 1.0;
        let sum: f64 = among.iter().map(|at| self.regret[*at]).sum();
        let even = 1.0 / among.len() as f64;
        let want = |at: usize| if sum > 0.0 { self.regret[at] / sum } else { even };
        for at in among {
            self.wanted[*at] += self.rounds * want(*at);
        }
        let weights: Vec<f64> =
            among.iter().map(|at| (1.0 - EXPLORES) * want(*at) + EXPLORES * even).collect();
        self.likely.clear();
        self.likely.resize(edges, 0.0);
        among.iter().zip(&weights).for_each(|(at, weight)| self.likely[*at] = *weight);
        among[drawn(&weights, rng)]
    }

    /// Takes to heart what the move that was drawn last has brought, where nothing is known of what the others would have: each is worth
    /// what it has brought on average, and the one that was drawn as much more as it brought more now, divided by how likely it was,
    /// so that what all are taken for is right on average (outcome sampling with baselines: M. Schmid and others, 2019).
    pub fn regret_alone(&mut self, drawn: usize, reward: f64, means: &[f64]) {
        let Some(likely) = self.likely.get(drawn).copied().filter(|likely| *likely > 0.0) else { return };
        let by = (reward - means[drawn]) / likely;
        let worth = |at: usize| means[at] + if at == drawn { by } else { 0.0 };
        let all: f64 = self.likely.iter().enumerate().map(|(at, likely)| likely * worth(at)).sum();
        (0..means.len()).for_each(|at| self.regret(at, worth(at) - all));
    }

    /// Takes to heart what a move would have brought beyond what was reached.
    pub fn regret(&mut self, at: usize, by: f64) {
        if let Some(regret) = self.regret.get_mut(at) {
            *regret = (*regret + by).max(0.0);
        }
    }

    /// Adds what another search has regretted and wanted of the same moves.
    pub fn join(&mut self, other: &Mix) {
        let add = |own: &mut Vec<f64>, more: &[f64]| {
            own.resize(own.len().max(more.len()), 0.0);
            own.iter_mut().zip(more).for_each(|(own, more)| *own += more);
        };
        add(&mut self.regret, &other.regret);
        add(&mut self.wanted, &other.wanted);
        self.rounds += other.rounds;
    }

    /// How much each move was wanted, on average over all visits: the mix that comes near an equilibrium. What was wanted
    /// only while little was known is left out.
    pub fn average(&self, edges: usize) -> Vec<f64> {
        let most = self.wanted.iter().copied().fold(0.0, f64::max);
        let kept = |at: usize| self.wanted.get(at).copied().filter(|wanted| *wanted >= most / 20.0);
        let weights: Vec<f64> = (0..edges).map(|at| kept(at).unwrap_or(0.0)).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| if sum > 0.0 { weight / sum } else { 1.0 / edges as f64 }).collect()
    }
}

/// Draws a number with these weights.
pub fn drawn(weights: &[f64], rng: &mut Rng) -> usize {
    let sum: f64 = weights.iter().sum();
    // 53 bits make a number from 0 up to 1.
    let mut at = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64 * sum;
    for (n, weight) in weights.iter().enumerate() {
        at -= weight;
        if at < 0.0 {
            return n;
        }
    }
    weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0)
}

/// What came of choices made together, by node and all that was chosen.
#[derive(Debug, Clone, Default)]
pub struct Joint {
    /// How often, and the rewards of each arm, added up.
    cells: Keyed<(f64, Vec<f64>)>,
    /// Those behind which it is certain how the match ends.
    settled: Keyed<()>,
    /// Of moves of one arm, with how many choices of the others they certainly win, and after how many choices at most.
    won: Keyed<(u64, u32)>,
}

impl Joint {
    /// The key of edges chosen together, arm by arm.
    pub fn key(chosen: impl IntoIterator<Item = usize>) -> u64 {
        chosen.into_iter().fold(0, |all, edge| key(all, edge as u64 + 1))
    }

    /// Something came of a joint choice.
    pub fn add(&mut self, node: u32, chosen: u64, rewards: &[f64]) {
        let (count, sums) =
            self.cells.entry(key(chosen, u64::from(node))).or_insert_with(|| (0.0, vec![0.0; rewards.len()]));
        *count += 1.0;
        sums.iter_mut().zip(rewards).for_each(|(sum, reward)| *sum += reward);
    }

    /// It is certain how the match ends behind a joint choice; whether that is new.
    pub fn settle(&mut self, node: u32, chosen: u64) -> bool {
        self.settled.insert(key(chosen, u64::from(node)), ()).is_none()
    }

    /// An edge of an arm wins with one more choice of the others, after so many choices: with how many now, and after how many at
    /// most.
    pub fn won(&mut self, node: u32, (arm, edge): (usize, usize), choices: u32) -> (u64, u32) {
        let (count, most) = self.won.entry(key(Joint::key([arm, edge]), u64::from(node))).or_default();
        (*count, *most) = (*count + 1, choices.max(*most));
        (*count, *most)
    }

    /// What an arm got on average where just this was chosen; `None` where it never was.
    pub fn mean(&self, node: u32, chosen: u64, arm: usize) -> Option<f64> {
        self.cells.get(&key(chosen, u64::from(node))).map(|(count, sums)| sums[arm] / count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two mixes against each other in a game of which the first one's rewards are given.
    fn met(table: &[&[f64]], rounds: usize) -> (Vec<f64>, Vec<f64>) {
        let (mut one, mut two) = (Mix::default(), Mix::default());
        let (rows, columns) = (table.len(), table[0].len());
        let mut rng = Rng::new(1);
        for _ in 0..rounds {
            let a = one.draw(&(0..rows).collect::<Vec<_>>(), rows, &mut rng);
            let b = two.draw(&(0..columns).collect::<Vec<_>>(), columns, &mut rng);
            (0..rows).for_each(|at| one.regret(at, table[at][b] - table[a][b]));
            (0..columns).for_each(|at| two.regret(at, table[a][b] - table[a][at]));
        }
        (one.average(rows), two.average(columns))
    }

    #[test]
    fn regrets_lead_to_the_equilibrium() {
        // Rock, paper, scissors.
        let (one, two) = met(&[&[0.5, 0.0, 1.0], &[1.0, 0.5, 0.0], &[0.0, 1.0, 0.5]], 20_000);
        assert!(one.iter().chain(&two).all(|share| (share - 1.0 / 3.0).abs() < 0.05), "{one:?} {two:?}");
        // Matching pennies where one side is worth twice: the first shows it one time in three.
        let (one, _) = met(&[&[1.0, 0.0], &[0.0, 0.5]], 40_000);
        assert!((one[0] - 1.0 / 3.0).abs() < 0.05, "{one:?}");
        // What is worse whatever the other does is not mixed in.
        let (one, two) = met(&[&[0.6, 0.7], &[0.1, 0.2]], 2000);
        assert_eq!((one[1], two[1]), (0.0, 0.0));
    }
}

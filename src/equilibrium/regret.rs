//! Regret minimisation: mixes of a subgame that converge to an equilibrium.

use std::f64::consts::SQRT_2;

use super::response::Profile;
use super::solve::distance;
use super::tree::{Node, Subgame};
use crate::num::Ratio;

/// The sweep of the first exploitability check. Each next check comes `sweep / CHECK_SPACING` sweeps later.
const FIRST_CHECK: u64 = 8;
const CHECK_SPACING: u64 = 4;

/// Where seats update at once, the value of a move is rounded to this part of how often its information set is reached: less than
/// matters, but more than sums that are taken in another order differ by, which would grow from sweep to sweep, so that in the end
/// seats that are alike would play differently.
const ROUNDED: f64 = 1.0 / (1 << 24) as f64;

/// The result of regret minimisation.
pub(super) struct Minimised {
    /// The probability of each move of each information set.
    pub mixes: Vec<Vec<f64>>,
    /// The number of sweeps it took.
    pub iterations: u64,
}

/// A subgame and the state of regret minimisation, in flat arrays: one number for each move of each information set.
struct Sweeps<'s> {
    subgame: &'s Subgame,
    /// Where the moves of each information set begin, and where those of the last one end.
    first: Vec<usize>,
    /// The seat of each information set.
    seats: Vec<usize>,
    /// How often any move is made instead of the one that was meant.
    tremble: f64,
    chances: Vec<f64>,
    /// The cumulative regrets.
    regret: Vec<f64>,
    /// The regrets of the last sweep, used as a prediction of the next ones.
    prediction: Vec<f64>,
    /// The weighted sum of the mixes.
    strategy_sum: Vec<f64>,
    mixes: Vec<f64>,
    /// By node: the probability that the other seats and chance contribute to reaching it, the same of the seat itself and
    /// chance, and its value.
    others: Vec<f64>,
    own: Vec<f64>,
    values: Vec<f64>,
}

/// Normalises weights to sum 1; if all are 0, they become equal.
fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    let even = 1.0 / weights.len() as f64;
    weights.iter_mut().for_each(|weight| *weight = if sum > 0.0 { *weight / sum } else { even });
}

/// Returns the greatest power of two that is not greater than a positive number; 0 if that is next to nothing.
fn power_of_two(number: f64) -> f64 {
    const MANTISSA: u64 = (1 << (f64::MANTISSA_DIGITS - 1)) - 1;
    f64::from_bits(number.to_bits() & !MANTISSA)
}

/// Turns a mix that is meant into the one that is played by a seat that makes any of its moves instead this often.
pub(super) fn add_mistakes(mix: &mut [f64], tremble: f64) {
    let even = tremble / mix.len() as f64;
    mix.iter_mut().for_each(|likely| *likely = *likely * (1.0 - tremble) + even);
}

/// Predictive counterfactual regret minimisation⁺ (G. Farina, C. Kroer, T. Sandholm, AAAI 2021). The mixes of sweep t have
/// weight t² in the average. If two seats have `opposed` interests, they update one after another, which is faster for two;
/// otherwise at once, which keeps symmetric seats symmetric. Seats `tremble`, which regrets take as given (G. Farina, C. Kroer,
/// T. Sandholm, ICML 2017); mixes are as played, trembles included. Stops when its [`distance`] is at most `within`, after `most`
/// sweeps, or when `goes_on` returns `false`. `into` returns a seat's value of a next subgame. The average converges to an
/// equilibrium for two seats with opposed interests; otherwise it need not.
pub(super) fn minimise(
    subgame: &Subgame,
    opposed: bool,
    tremble: f64,
    into: &dyn Fn(usize, usize) -> f64,
    (within, most): (f64, u64),
    goes_on: &dyn Fn() -> bool,
) -> Minimised {
    let mut sweeps = Sweeps::new(subgame, tremble);
    let choosers = subgame.choosers();
    // Interests differ by seat, but not by sweep.
    let ends: Vec<Vec<f64>> = choosers.iter().map(|seat| sweeps.ends(*seat, into)).collect();
    let mut look = FIRST_CHECK;
    let mut sweep = 0;
    loop {
        sweep += 1;
        let mut met = sweeps.mixes.clone();
        for (seat, ends) in choosers.iter().zip(&ends) {
            sweeps.update(*seat, ends, &met, (sweep, !opposed));
            if opposed {
                met.clone_from(&sweeps.mixes);
            }
        }
        let last = sweep >= most || !goes_on();
        if sweep < look && !last {
            continue;
        }
        look = sweep + (sweep / CHECK_SPACING).max(1);
        let average = sweeps.average();
        let played = Profile { subgame, mixes: &average };
        let gain = |seat: &usize| {
            let into = |next: usize| into(next, *seat);
            let made = |best: usize, targets: &[u32], values: &[f64]| {
                let even: f64 = targets.iter().map(|to| values[*to as usize]).sum();
                values[targets[best] as usize] * (1.0 - tremble) + even * tremble / targets.len() as f64
            };
            played.best_if(*seat, &into, &made).0 - played.value(*seat, &into)
        };
        let gains: Vec<f64> = choosers.iter().map(gain).collect();
        if last || distance(&gains, opposed) <= within {
            return Minimised { mixes: average, iterations: sweep };
        }
    }
}

impl<'s> Sweeps<'s> {
    fn new(subgame: &'s Subgame, tremble: f64) -> Sweeps<'s> {
        let (mut first, mut mixes) = (vec![0], Vec::new());
        for set in &subgame.sets {
            let moves = set.moves.len();
            mixes.extend(std::iter::repeat_n(1.0 / moves as f64, moves));
            first.push(mixes.len());
        }
        let (moves, nodes) = (mixes.len(), subgame.nodes.len());
        Sweeps {
            subgame,
            first,
            seats: subgame.sets.iter().map(|set| set.seat).collect(),
            tremble,
            chances: subgame.chances.iter().map(Ratio::to_f64).collect(),
            regret: vec![0.0; moves],
            prediction: vec![0.0; moves],
            strategy_sum: vec![0.0; moves],
            mixes,
            others: vec![0.0; nodes],
            own: vec![0.0; nodes],
            values: vec![0.0; nodes],
        }
    }

    /// Returns the value of each end and each next subgame for a seat, in the order of the nodes.
    fn ends(&self, seat: usize, into: &dyn Fn(usize, usize) -> f64) -> Vec<f64> {
        let payoffs: Vec<f64> = self.subgame.payoffs.iter().map(|payoffs| payoffs[seat].to_f64()).collect();
        let value = |node: &Node| match node {
            Node::End(at) => Some(payoffs[*at as usize]),
            Node::Into(next) => Some(into(*next as usize, seat)),
            Node::Chance(..) | Node::Choice(..) => None,
        };
        self.subgame.nodes.iter().filter_map(value).collect()
    }

    /// One sweep for one seat: updates its regrets against the mixes `met`, and computes its new mixes. `rounds` says whether the
    /// values of moves are rounded.
    fn update(&mut self, seat: usize, ends: &[f64], met: &[f64], (sweep, rounds): (u64, bool)) {
        self.reach(seat, met);
        self.value(ends, met);
        let Sweeps { subgame, first, seats, tremble, regret, prediction, strategy_sum, mixes, .. } = self;
        let weight = (sweep as f64).powi(2);
        for (number, set) in subgame.sets.iter().enumerate().filter(|(number, _)| seats[*number] == seat) {
            let moves = first[number]..first[number + 1];
            let prediction = &mut prediction[moves.clone()];
            prediction.fill(0.0);
            let mut often = 0.0;
            for node in &set.nodes {
                let node = *node as usize;
                let Node::Choice(_, at) = subgame.nodes[node] else { continue };
                let others = self.others[node];
                if others == 0.0 {
                    continue;
                }
                often += others;
                let targets = &subgame.targets[at as usize..at as usize + prediction.len()];
                for (prediction, to) in prediction.iter_mut().zip(targets) {
                    *prediction += others * self.values[*to as usize];
                }
            }
            // The factor keeps away from the next power of two what is certain but for rounding.
            let unit = ROUNDED * power_of_two(often * SQRT_2);
            if rounds && unit > 0.0 {
                prediction.iter_mut().for_each(|value| *value = (*value / unit).round() * unit);
            }
            let even = *tremble / moves.len() as f64;
            let meant = |played: f64| (played - even) / (1.0 - *tremble);
            let mean: f64 = moves.clone().zip(&*prediction).map(|(at, value)| meant(met[at]) * value).sum();
            prediction.iter_mut().for_each(|value| *value -= mean);
            let reached = set.nodes.first().map_or(0.0, |node| self.own[*node as usize]);
            for (at, new) in moves.clone().zip(&*prediction) {
                regret[at] = (regret[at] + new).max(0.0);
                strategy_sum[at] += weight * reached * met[at];
                mixes[at] = (regret[at] + new).max(0.0);
            }
            let mix = &mut mixes[moves];
            normalise(mix);
            add_mistakes(mix, *tremble);
        }
    }

    /// Computes the probabilities of reaching each node. Those of the paths to a node with several parents are added up.
    fn reach(&mut self, seat: usize, met: &[f64]) {
        let Sweeps { subgame, first, seats, chances, others, own, .. } = self;
        others.fill(0.0);
        own.fill(0.0);
        (others[0], own[0]) = (1.0, 1.0);
        for (node, kind) in subgame.nodes.iter().enumerate() {
            let (by_others, by_own) = (others[node], own[node]);
            if by_others == 0.0 && by_own == 0.0 {
                continue;
            }
            match *kind {
                Node::Chance(at, count) => {
                    for (likely, to) in &subgame.draws[at as usize..(at + count) as usize] {
                        let likely = chances[*likely as usize];
                        others[*to as usize] += by_others * likely;
                        own[*to as usize] += by_own * likely;
                    }
                }
                Node::Choice(set, at) => {
                    let (set, at) = (set as usize, at as usize);
                    let met = &met[first[set]..first[set + 1]];
                    let mine = seats[set] == seat;
                    for (likely, to) in met.iter().zip(&subgame.targets[at..at + met.len()]) {
                        let (for_others, for_own) = if mine { (1.0, *likely) } else { (*likely, 1.0) };
                        others[*to as usize] += by_others * for_others;
                        own[*to as usize] += by_own * for_own;
                    }
                }
                Node::End(_) | Node::Into(_) => {}
            }
        }
    }

    /// Computes the value of each node that the others and chance reach at all; on that of the rest, no regret depends
    /// (partial pruning: M. Lanctot et al., 2009; N. Brown, T. Sandholm, 2015).
    fn value(&mut self, ends: &[f64], met: &[f64]) {
        let Sweeps { subgame, first, chances, others, values, .. } = self;
        let mut ends = ends.iter().rev();
        for (node, kind) in subgame.nodes.iter().enumerate().rev() {
            values[node] = match *kind {
                Node::End(_) | Node::Into(_) => *ends.next().unwrap_or(&0.0),
                _ if others[node] == 0.0 => 0.0,
                Node::Chance(at, count) => {
                    let draws = subgame.draws[at as usize..(at + count) as usize].iter();
                    draws.map(|(likely, to)| chances[*likely as usize] * values[*to as usize]).sum()
                }
                Node::Choice(set, at) => {
                    let (set, at) = (set as usize, at as usize);
                    let met = &met[first[set]..first[set + 1]];
                    let targets = &subgame.targets[at..at + met.len()];
                    met.iter().zip(targets).map(|(likely, to)| likely * values[*to as usize]).sum()
                }
            };
        }
    }

    /// Returns the average mix of each information set.
    fn average(&self) -> Vec<Vec<f64>> {
        let average = |moves: &[usize]| {
            let mut average = self.strategy_sum[moves[0]..moves[1]].to_vec();
            normalise(&mut average);
            average
        };
        self.first.windows(2).map(average).collect()
    }
}

//! Regret minimisation: mixes of a subgame that converge to an equilibrium.

use super::response::Profile;
use super::solve::distance;
use super::tree::{Node, Subgame};

/// The sweep of the first exploitability check. Each next check comes `sweep / CHECK_SPACING` sweeps later.
const FIRST_CHECK: u64 = 8;
const CHECK_SPACING: u64 = 4;

/// The result of regret minimisation.
pub(super) struct Minimised {
    /// The probability of each move of each information set.
    pub mixes: Vec<Vec<f64>>,
    /// The number of sweeps it took.
    pub iterations: u64,
}

/// The state of one information set: cumulative regrets, and the weighted sum of its mixes (`strategy_sum`).
struct Regrets {
    regret: Vec<f64>,
    /// The regrets of the last sweep, used as a prediction of the next ones.
    prediction: Vec<f64>,
    strategy_sum: Vec<f64>,
}

impl Regrets {
    fn new(moves: usize) -> Regrets {
        Regrets { regret: vec![0.0; moves], prediction: vec![0.0; moves], strategy_sum: vec![0.0; moves] }
    }

    /// Computes the mix from the cumulative and predicted regrets.
    fn mix(&self, into: &mut [f64]) {
        for (likely, (regret, prediction)) in into.iter_mut().zip(self.regret.iter().zip(&self.prediction)) {
            *likely = (regret + prediction).max(0.0);
        }
        normalise(into);
    }
}

/// Normalises weights to sum 1; if all are 0, they become equal.
fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    let even = 1.0 / weights.len() as f64;
    weights.iter_mut().for_each(|weight| *weight = if sum > 0.0 { *weight / sum } else { even });
}

/// Predictive counterfactual regret minimisation⁺ (G. Farina, C. Kroer, T. Sandholm, AAAI 2021). Each sweep
/// visits every node; the mixes of sweep t have weight t² in the average. If two seats have `opposed` interests, they update one
/// after another, which is faster for two; otherwise at once, which keeps symmetric seats symmetric. Stops
/// when its [`distance`] is at most `within`, after `most` sweeps, or when `goes_on` returns `false`. `into` returns a seat's value of a next subgame. The average converges to an equilibrium for two
/// seats with opposed interests; otherwise it need not.
pub(super) fn minimise(
    subgame: &Subgame,
    opposed: bool,
    into: &dyn Fn(usize, usize) -> f64,
    (within, most): (f64, u64),
    goes_on: &dyn Fn() -> bool,
) -> Minimised {
    let sizes = || subgame.sets.iter().map(|set| set.moves.len());
    let mut regrets: Vec<Regrets> = sizes().map(Regrets::new).collect();
    let mut mixes: Vec<Vec<f64>> = sizes().map(|moves| vec![1.0 / moves as f64; moves]).collect();
    let choosers = subgame.choosers();
    let mut look = FIRST_CHECK;
    let mut sweep = 0;
    loop {
        sweep += 1;
        let mut met = mixes.clone();
        for seat in &choosers {
            regret(subgame, *seat, &mut regrets, &met, &mut mixes, &|next| into(next, *seat), sweep);
            if opposed {
                met.clone_from(&mixes);
            }
        }
        let last = sweep >= most || !goes_on();
        if sweep < look && !last {
            continue;
        }
        look = sweep + (sweep / CHECK_SPACING).max(1);
        let average: Vec<Vec<f64>> = regrets.iter().map(average).collect();
        let played = Profile { subgame, mixes: &average };
        let gain = |seat: &usize| {
            let into = |next: usize| into(next, *seat);
            played.best(*seat, &into).0 - played.value(*seat, &into)
        };
        let gains: Vec<f64> = choosers.iter().map(gain).collect();
        if last || distance(&gains, opposed) <= within {
            return Minimised { mixes: average, iterations: sweep };
        }
    }
}

fn average(regrets: &Regrets) -> Vec<f64> {
    let mut strategy_sum = regrets.strategy_sum.clone();
    normalise(&mut strategy_sum);
    strategy_sum
}

/// One sweep for one seat: updates its regrets against the mixes `met`, and computes its new mixes.
fn regret(
    subgame: &Subgame,
    seat: usize,
    regrets: &mut [Regrets],
    met: &[Vec<f64>],
    mixes: &mut [Vec<f64>],
    into: &dyn Fn(usize) -> f64,
    sweep: u64,
) {
    let nodes = subgame.nodes.len();
    // The probability of reaching each node by the other seats and chance, and by the seat itself.
    let (mut others, mut own) = (vec![1.0; nodes], vec![1.0; nodes]);
    for (node, kind) in subgame.nodes.iter().enumerate() {
        match kind {
            Node::Chance(ways) => {
                for (likely, to) in ways {
                    (others[*to], own[*to]) = (others[node] * likely.to_f64(), own[node]);
                }
            }
            Node::Choice(set, ways) => {
                let mine = subgame.sets[*set].seat == seat;
                for (likely, to) in met[*set].iter().zip(ways) {
                    let (by_others, by_own) = if mine { (1.0, *likely) } else { (*likely, 1.0) };
                    (others[*to], own[*to]) = (others[node] * by_others, own[node] * by_own);
                }
            }
            Node::End(_) | Node::Into(_) => {}
        }
    }
    let mut values = vec![0.0; nodes];
    for (node, kind) in subgame.nodes.iter().enumerate().rev() {
        values[node] = match kind {
            Node::Chance(ways) => ways.iter().map(|(likely, to)| likely.to_f64() * values[*to]).sum(),
            Node::Choice(set, ways) => {
                met[*set].iter().zip(ways).map(|(likely, to)| likely * values[*to]).sum()
            }
            Node::End(payoffs) => payoffs[seat].to_f64(),
            Node::Into(next) => into(*next),
        };
    }
    let weight = (sweep as f64).powi(2);
    for (number, set) in subgame.sets.iter().enumerate().filter(|(_, set)| set.seat == seat) {
        let Regrets { regret, prediction, strategy_sum } = &mut regrets[number];
        prediction.fill(0.0);
        for node in &set.nodes {
            let Node::Choice(_, ways) = &subgame.nodes[*node] else { continue };
            for (prediction, to) in prediction.iter_mut().zip(ways) {
                *prediction += others[*node] * (values[*to] - values[*node]);
            }
        }
        regret.iter_mut().zip(&*prediction).for_each(|(regret, new)| *regret = (*regret + new).max(0.0));
        let reached = set.nodes.first().map_or(0.0, |node| own[*node]);
        strategy_sum
            .iter_mut()
            .zip(&met[number])
            .for_each(|(strategy_sum, mix)| *strategy_sum += weight * reached * mix);
        regrets[number].mix(&mut mixes[number]);
    }
}

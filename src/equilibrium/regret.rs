//! Regret minimisation: mixes of a subgame that come nearer and nearer to an equilibrium.

use super::response::Played;
use super::tree::{Node, Subgame};

/// After how many sweeps it is first looked at how near the mixes are; later looks are a part of the sweeps so far apart.
const FIRST_LOOK: u64 = 8;
const LOOKS_APART: u64 = 4;

/// What regret minimisation has come to.
pub(super) struct Minimised {
    /// How likely each move of each set is.
    pub mixes: Vec<Vec<f64>>,
    /// How many sweeps it took.
    pub iterations: u64,
}

/// What a seat has regretted at one set, and how often it wanted each move.
struct Regrets {
    regret: Vec<f64>,
    /// The regrets of the last sweep, taken for what the next will bring.
    foreseen: Vec<f64>,
    wanted: Vec<f64>,
}

impl Regrets {
    fn new(moves: usize) -> Regrets {
        Regrets { regret: vec![0.0; moves], foreseen: vec![0.0; moves], wanted: vec![0.0; moves] }
    }

    /// The mix that follows from the regrets, and from those that are foreseen.
    fn mix(&self, into: &mut [f64]) {
        for (likely, (regret, foreseen)) in into.iter_mut().zip(self.regret.iter().zip(&self.foreseen)) {
            *likely = (regret + foreseen).max(0.0);
        }
        even_out(into);
    }
}

/// Makes weights add up to 1; where all are 0, they are the same.
fn even_out(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    let even = 1.0 / weights.len() as f64;
    weights.iter_mut().for_each(|weight| *weight = if sum > 0.0 { *weight / sum } else { even });
}

/// Predictive counterfactual regret minimisation⁺ (G. Farina, C. Kroer, T. Sandholm, AAAI 2021): every node is gone through in each
/// sweep, and the mixes of sweep t count t² in the average. Seats that are `alternating` change their mixes one after the other, which
/// is faster between two; else all change at the same time, so that those who are alike stay alike. It ends once the seats could gain no more than
/// `within` each on average, after so many sweeps, or where `goes_on` says no. `into` says what a seat has of a subgame that
/// follows. Between two seats that want the opposite the average comes to an equilibrium; else it need not.
pub(super) fn minimise(
    subgame: &Subgame,
    (seats, alternating): (usize, bool),
    into: &dyn Fn(usize, usize) -> f64,
    (within, most): (f64, u64),
    goes_on: &dyn Fn() -> bool,
) -> Minimised {
    let sizes = || subgame.sets.iter().map(|set| set.moves.len());
    let mut regrets: Vec<Regrets> = sizes().map(Regrets::new).collect();
    let mut mixes: Vec<Vec<f64>> = sizes().map(|moves| vec![1.0 / moves as f64; moves]).collect();
    let choosers = subgame.choosers();
    let mut look = FIRST_LOOK;
    let mut sweep = 0;
    loop {
        sweep += 1;
        let mut met = mixes.clone();
        for seat in &choosers {
            regret(subgame, *seat, &mut regrets, &met, &mut mixes, &|next| into(next, *seat), sweep);
            if alternating {
                met.clone_from(&mixes);
            }
        }
        let last = sweep >= most || !goes_on();
        if sweep < look && !last {
            continue;
        }
        look = sweep + (sweep / LOOKS_APART).max(1);
        let average: Vec<Vec<f64>> = regrets.iter().map(average).collect();
        let played = Played { subgame, mixes: &average };
        let gain = |seat: &usize| {
            let into = |next: usize| into(next, *seat);
            played.best(*seat, &into).0 - played.value(*seat, &into)
        };
        let gains: f64 = choosers.iter().map(gain).sum();
        if last || gains / seats as f64 <= within {
            return Minimised { mixes: average, iterations: sweep };
        }
    }
}

fn average(regrets: &Regrets) -> Vec<f64> {
    let mut wanted = regrets.wanted.clone();
    even_out(&mut wanted);
    wanted
}

/// One sweep for one seat: what each of its moves would have brought beyond its mix, against the mixes that were met; its new mixes.
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
    // How likely the others and chance make each node, and how likely the seat itself does.
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
        let Regrets { regret, foreseen, wanted } = &mut regrets[number];
        foreseen.fill(0.0);
        for node in &set.nodes {
            let Node::Choice(_, ways) = &subgame.nodes[*node] else { continue };
            for (foreseen, to) in foreseen.iter_mut().zip(ways) {
                *foreseen += others[*node] * (values[*to] - values[*node]);
            }
        }
        regret.iter_mut().zip(&*foreseen).for_each(|(regret, new)| *regret = (*regret + new).max(0.0));
        let reached = set.nodes.first().map_or(0.0, |node| own[*node]);
        wanted.iter_mut().zip(&met[number]).for_each(|(wanted, mix)| *wanted += weight * reached * mix);
        regrets[number].mix(&mut mixes[number]);
    }
}

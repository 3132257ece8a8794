//! The values of mixes, and exact best responses to them.

use super::tree::{Node, Subgame};
use crate::num::Ratio;

/// The number type of probabilities and payoffs: exact fractions or floating point.
pub(super) trait Amount: Clone + PartialOrd {
    /// Converts a fraction, with rounding if necessary.
    fn of(ratio: &Ratio) -> Self;

    /// Returns the sum.
    fn plus(&self, other: &Self) -> Self;

    /// Returns the product.
    fn by(&self, other: &Self) -> Self;
}

impl Amount for Ratio {
    fn of(ratio: &Ratio) -> Ratio {
        ratio.clone()
    }

    fn plus(&self, other: &Ratio) -> Ratio {
        self.add(other)
    }

    fn by(&self, other: &Ratio) -> Ratio {
        self.mul(other)
    }
}

impl Amount for f64 {
    fn of(ratio: &Ratio) -> f64 {
        ratio.to_f64()
    }

    fn plus(&self, other: &f64) -> f64 {
        self + other
    }

    fn by(&self, other: &f64) -> f64 {
        self * other
    }
}

/// A subgame with a mix for each of its information sets.
pub(super) struct Profile<'s, A> {
    pub subgame: &'s Subgame,
    /// The probability of each move of each information set.
    pub mixes: &'s [Vec<A>],
}

impl<A: Amount> Profile<'_, A> {
    /// Returns the probability of reaching each node; the moves of seat `but` (from 0) count as certain.
    pub fn reach(&self, but: Option<usize>) -> Vec<A> {
        let mut reach = vec![A::of(&Ratio::ONE); self.subgame.nodes.len()];
        for (node, kind) in self.subgame.nodes.iter().enumerate() {
            let here = reach[node].clone();
            match kind {
                Node::Chance(ways) => {
                    ways.iter().for_each(|(likely, to)| reach[*to] = here.by(&A::of(likely)));
                }
                Node::Choice(set, ways) => {
                    let mine = but == Some(self.subgame.sets[*set].seat);
                    for (likely, to) in self.mixes[*set].iter().zip(ways) {
                        reach[*to] = if mine { here.clone() } else { here.by(likely) };
                    }
                }
                Node::End(_) | Node::Into(_) => {}
            }
        }
        reach
    }

    /// Returns the probability that a seat's own moves lead to each node; all other moves and draws count as certain.
    pub fn own_reach(&self, seat: usize) -> Vec<A> {
        let mut reach = vec![A::of(&Ratio::ONE); self.subgame.nodes.len()];
        for (node, kind) in self.subgame.nodes.iter().enumerate() {
            let here = reach[node].clone();
            match kind {
                Node::Chance(ways) => ways.iter().for_each(|(_, to)| reach[*to] = here.clone()),
                Node::Choice(set, ways) => {
                    let mine = seat == self.subgame.sets[*set].seat;
                    for (likely, to) in self.mixes[*set].iter().zip(ways) {
                        reach[*to] = if mine { here.by(likely) } else { here.clone() };
                    }
                }
                Node::End(_) | Node::Into(_) => {}
            }
        }
        reach
    }

    /// Returns a seat's value of the subgame; `into` returns its value of a subsequent one.
    pub fn value(&self, seat: usize, into: &dyn Fn(usize) -> A) -> A {
        let mut values = vec![A::of(&Ratio::ZERO); self.subgame.nodes.len()];
        for (node, kind) in self.subgame.nodes.iter().enumerate().rev() {
            values[node] = match kind {
                Node::Choice(set, ways) => {
                    let parts = self.mixes[*set].iter().zip(ways);
                    parts.fold(A::of(&Ratio::ZERO), |sum, (likely, to)| sum.plus(&likely.by(&values[*to])))
                }
                kind => non_choice_value(kind, seat, &values, into),
            };
        }
        values.swap_remove(0)
    }

    /// Returns a seat's value of a best response to the others' mixes, and its choice at each of its sets
    /// (the first of equally good moves). Sets are solved from the last level up; nodes are weighted by the
    /// others' probability of reaching them.
    pub fn best(&self, seat: usize, into: &dyn Fn(usize) -> A) -> (A, Vec<Option<usize>>) {
        let reach = self.reach(Some(seat));
        let zero = A::of(&Ratio::ZERO);
        let mut values = vec![zero.clone(); self.subgame.nodes.len()];
        let mut chosen = vec![None; self.subgame.sets.len()];
        let mine = |set: usize| self.subgame.sets[set].seat == seat;
        for level in self.subgame.levels.iter().rev() {
            for node in level.clone() {
                let Node::Choice(set, _) = &self.subgame.nodes[node] else { continue };
                if !mine(*set) || chosen[*set].is_some() {
                    continue;
                }
                let moves = self.subgame.sets[*set].moves.len();
                let mut sums = vec![zero.clone(); moves];
                for node in &self.subgame.sets[*set].nodes {
                    let Node::Choice(_, ways) = &self.subgame.nodes[*node] else { continue };
                    for (sum, to) in sums.iter_mut().zip(ways) {
                        *sum = sum.plus(&reach[*node].by(&values[*to]));
                    }
                }
                let mut best = 0;
                for nth in 1..moves {
                    if sums[nth] > sums[best] {
                        best = nth;
                    }
                }
                chosen[*set] = Some(best);
            }
            for node in level.clone() {
                values[node] = match &self.subgame.nodes[node] {
                    Node::Choice(set, ways) if mine(*set) => {
                        chosen[*set].map_or(zero.clone(), |best| values[ways[best]].clone())
                    }
                    Node::Choice(set, ways) => {
                        let parts = self.mixes[*set].iter().zip(ways);
                        parts.fold(zero.clone(), |sum, (likely, to)| sum.plus(&likely.by(&values[*to])))
                    }
                    kind => non_choice_value(kind, seat, &values, into),
                };
            }
        }
        (values.swap_remove(0), chosen)
    }
}

/// Returns a seat's value of a node that is not a choice.
fn non_choice_value<A: Amount>(kind: &Node, seat: usize, values: &[A], into: &dyn Fn(usize) -> A) -> A {
    match kind {
        Node::Chance(ways) => {
            let part = |(likely, to): &(Ratio, usize)| A::of(likely).by(&values[*to]);
            ways.iter().fold(A::of(&Ratio::ZERO), |sum, way| sum.plus(&part(way)))
        }
        Node::End(payoffs) => A::of(&payoffs[seat]),
        Node::Into(subgame) => into(*subgame),
        Node::Choice(..) => A::of(&Ratio::ZERO),
    }
}

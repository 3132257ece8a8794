//! The values of mixes, and exact best responses to them.

use super::tree::{Kind, Subgame};
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

/// Returns what a seat expects of a node from the move that it chooses there, the targets of all moves, and the values of all nodes.
pub(super) type Made<'f, A> = dyn Fn(usize, &[u32], &[A]) -> A + 'f;

/// A subgame with a mix for each of its information sets.
pub(super) struct Profile<'s, A> {
    pub subgame: &'s Subgame,
    /// The probability of each move of each information set.
    pub mixes: &'s [Vec<A>],
}

impl<A: Amount> Profile<'_, A> {
    /// Returns the probability of reaching each node; the moves of seat `but` (from 0) count as certain. The paths to a
    /// node with several parents are added up.
    pub fn reach(&self, but: Option<usize>) -> Vec<A> {
        self.reach_by(true, |seat| but != Some(seat))
    }

    /// Returns the probability that a seat's own moves lead to each node; all other moves and draws count as certain.
    pub fn own_reach(&self, seat: usize) -> Vec<A> {
        self.reach_by(false, |other| other == seat)
    }

    /// Returns the product of the probabilities of the draws, if they count, and of the moves of the seats that count.
    fn reach_by(&self, draws_count: bool, counts: impl Fn(usize) -> bool) -> Vec<A> {
        let mut reach = vec![A::of(&Ratio::ZERO); self.subgame.nodes.len()];
        reach[0] = A::of(&Ratio::ONE);
        for (node, kind) in self.subgame.kinds() {
            let here = reach[node].clone();
            let mut lead = |to: u32, by: A| reach[to as usize] = reach[to as usize].plus(&by);
            match kind {
                Kind::Chance(draws) => {
                    for (likely, to) in draws {
                        let likely = &self.subgame.chances[*likely as usize];
                        lead(*to, if draws_count { here.by(&A::of(likely)) } else { here.clone() });
                    }
                }
                Kind::Choice(set, targets) => {
                    let counts = counts(self.subgame.sets[set].seat);
                    for (likely, to) in self.mixes[set].iter().zip(targets) {
                        lead(*to, if counts { here.by(likely) } else { here.clone() });
                    }
                }
                Kind::End(_) | Kind::Into(_) => {}
            }
        }
        reach
    }

    /// Returns a seat's value of the subgame; `into` returns its value of a subsequent one.
    pub fn value(&self, seat: usize, into: &dyn Fn(usize) -> A) -> A {
        self.node_values(seat, into).swap_remove(0)
    }

    /// Returns a seat's value of each node; `into` returns its value of a subsequent subgame.
    pub fn node_values(&self, seat: usize, into: &dyn Fn(usize) -> A) -> Vec<A> {
        let mut values = vec![A::of(&Ratio::ZERO); self.subgame.nodes.len()];
        for (node, kind) in self.subgame.kinds().rev() {
            values[node] = match kind {
                Kind::Choice(set, targets) => self.mean(set, targets, &values),
                kind => self.non_choice_value(kind, seat, &values, into),
            };
        }
        values
    }

    /// Returns a seat's value of a best response to the others' mixes, and the best moves at each of its sets, all of
    /// which are equally good. Sets are solved from the last level up; nodes are weighted by the others' probability of
    /// reaching them.
    pub fn best(&self, seat: usize, into: &dyn Fn(usize) -> A) -> (A, Vec<Vec<usize>>) {
        self.best_if(seat, into, &|best, targets, values| values[targets[best] as usize].clone())
    }

    /// The same of a seat that does not always make the move that it chooses: `made` returns what it expects then.
    pub fn best_if(&self, seat: usize, into: &dyn Fn(usize) -> A, made: &Made<A>) -> (A, Vec<Vec<usize>>) {
        let reach = self.reach(Some(seat));
        let zero = A::of(&Ratio::ZERO);
        let mut values = vec![zero.clone(); self.subgame.nodes.len()];
        let mut chosen = vec![Vec::new(); self.subgame.sets.len()];
        let mine = |set: usize| self.subgame.sets[set].seat == seat;
        for level in self.subgame.levels.iter().rev() {
            for node in level.clone() {
                let Kind::Choice(set, _) = self.subgame.kind(node) else { continue };
                if !mine(set) || !chosen[set].is_empty() {
                    continue;
                }
                let moves = self.subgame.sets[set].moves.len();
                let mut sums = vec![zero.clone(); moves];
                for node in &self.subgame.sets[set].nodes {
                    let node = *node as usize;
                    let Kind::Choice(_, targets) = self.subgame.kind(node) else { continue };
                    for (sum, to) in sums.iter_mut().zip(targets) {
                        *sum = sum.plus(&reach[node].by(&values[*to as usize]));
                    }
                }
                let mut best = 0;
                for nth in 1..moves {
                    if sums[nth] > sums[best] {
                        best = nth;
                    }
                }
                chosen[set] = (0..moves).filter(|nth| sums[*nth] == sums[best]).collect();
            }
            for node in level.clone() {
                values[node] = match self.subgame.kind(node) {
                    Kind::Choice(set, targets) if mine(set) => {
                        chosen[set].first().map_or(zero.clone(), |best| made(*best, targets, &values))
                    }
                    Kind::Choice(set, targets) => self.mean(set, targets, &values),
                    kind => self.non_choice_value(kind, seat, &values, into),
                };
            }
        }
        (values.swap_remove(0), chosen)
    }

    /// Returns the mean value of the moves of a set.
    fn mean(&self, set: usize, targets: &[u32], values: &[A]) -> A {
        let parts = self.mixes[set].iter().zip(targets);
        parts.fold(A::of(&Ratio::ZERO), |sum, (likely, to)| sum.plus(&likely.by(&values[*to as usize])))
    }

    /// Returns a seat's value of a node that is not a choice.
    fn non_choice_value(&self, kind: Kind, seat: usize, values: &[A], into: &dyn Fn(usize) -> A) -> A {
        match kind {
            Kind::Chance(draws) => draws.iter().fold(A::of(&Ratio::ZERO), |sum, (likely, to)| {
                sum.plus(&A::of(&self.subgame.chances[*likely as usize]).by(&values[*to as usize]))
            }),
            Kind::End(payoffs) => A::of(&payoffs[seat]),
            Kind::Into(subgame) => into(subgame),
            Kind::Choice(..) => A::of(&Ratio::ZERO),
        }
    }
}

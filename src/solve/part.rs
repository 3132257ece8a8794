//! One strongly connected component of the graph of positions in flat arrays, for sweeps over it.

use super::graph::{Graph, Kind};
use crate::num::Int;

/// How the value of a position follows from those of its successors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The greatest: the side chooses.
    Greatest,
    /// The least: the others choose.
    Least,
    /// The mean: chance draws.
    Mean,
}

/// Lower and upper bounds on a value.
pub type Bounds = [f64; 2];

/// An edge within the component: the index of its target, and how many outcomes of a draw lead there.
#[derive(Debug, Clone, Copy)]
pub struct Edge {
    /// The index of the target.
    pub to: u32,
    /// The number of outcomes; 1 for moves.
    pub times: u32,
}

/// A position of the component.
#[derive(Debug, Clone, Copy)]
struct Place {
    rule: Rule,
    /// Whether an edge leads out of the component.
    leaves: bool,
    /// Where its edges begin.
    first: u32,
    /// What its edges out of the component make of its value: the greatest or the least of the bounds behind them, or the
    /// sum of these bounds by outcome.
    outside: Bounds,
    /// For a mean, the share of one outcome, and by how much rounding may change the mean.
    share: f64,
    error: f64,
}

/// A component, whose positions are indices from 0 in the order of [`super::components::Components::each`].
#[derive(Debug, Default)]
pub struct Part {
    places: Vec<Place>,
    edges: Vec<Edge>,
    /// The bounds on the values of the positions.
    pub bounds: Vec<Bounds>,
}

impl Part {
    /// Takes over a component, with what is known of the values of other positions. `numbers` has the index of each position
    /// of the component, and `u32::MAX` for all others. All values lie between the values behind the edges out of it and 0,
    /// which an endless match is worth.
    pub fn load(&mut self, graph: &Graph, nodes: &[u32], numbers: &[u32], side: usize, known: &[Bounds]) {
        self.places.clear();
        self.edges.clear();
        self.bounds.clear();
        let (mut least, mut most) = (0.0f64, 0.0f64);
        for node in nodes.iter().map(|node| *node as usize) {
            let rule = match graph.kinds[node] {
                Kind::Side(of) if of as usize == side => Rule::Greatest,
                Kind::Side(_) | Kind::Over(_) => Rule::Least,
                Kind::Chance => Rule::Mean,
            };
            let mut outside = match rule {
                Rule::Greatest => [f64::MIN; 2],
                Rule::Least => [f64::MAX; 2],
                Rule::Mean => [0.0; 2],
            };
            let first = self.edges.len() as u32;
            let (mut leaves, mut whole) = (false, 0u64);
            for (nth, (target, times)) in graph.weighted(node).enumerate() {
                whole += u64::from(times);
                let edge = Edge { to: numbers[target as usize], times };
                if edge.to != u32::MAX {
                    self.edges.push(edge);
                    continue;
                }
                let gain = gained(graph, node, nth, side);
                let known = known[target as usize].map(|bound| bound + gain);
                (least, most, leaves) = (least.min(known[0]), most.max(known[1]), true);
                outside = rule.with(outside, known, times);
            }
            // Until the size of the values is known, the error is a multiple of it: see `Part::sweep`.
            let many = graph.successors(node).len() + 3;
            let (share, error) = (1.0 / whole as f64, many as f64 * f64::EPSILON);
            self.places.push(Place { rule, leaves, first, outside, share, error });
        }
        let size = most.max(-least);
        self.places.iter_mut().for_each(|place| place.error *= size);
        self.bounds.resize(nodes.len(), [least, most]);
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns how the value of a position follows from those of its successors.
    pub fn rule(&self, at: usize) -> Rule {
        self.places[at].rule
    }

    /// Whether an edge leads from a position out of the component.
    pub fn leaves(&self, at: usize) -> bool {
        self.places[at].leaves
    }

    /// Returns the bounds on the best value behind the edges of a choice that lead out of the component; if there is none, they
    /// are worse than any.
    pub fn outside(&self, at: usize) -> Bounds {
        self.places[at].outside
    }

    /// Returns where the edges of a position are among all edges within the component.
    pub fn range(&self, at: usize) -> std::ops::Range<usize> {
        let end = self.places.get(at + 1).map_or(self.edges.len(), |next| next.first as usize);
        self.places[at].first as usize..end
    }

    /// Returns the edges within the component.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Narrows the bounds of all positions by those of their successors, in order, so that each uses what was found for
    /// those before it (Gauss and Seidel). Returns how far the bounds of a position are apart at most, and by how much one
    /// has moved.
    ///
    /// The sum of `n` products is wrong by at most `n` ε times the sum of their absolute values (N. Higham, Accuracy
    /// and Stability of Numerical Algorithms, 2002, section 3.1), where ε is half of [`f64::EPSILON`]. The share, the product with
    /// it and the subtraction of the error add less than 4 ε, and the sum of a value and a gain another. So bounds are moved
    /// apart by (`n` + 3) times [`f64::EPSILON`] times the size of the values.
    pub fn sweep(&mut self) -> (f64, f64) {
        let (mut apart, mut moved) = (0.0f64, 0.0f64);
        for at in 0..self.places.len() {
            let Place { rule, outside, share, error, .. } = self.places[at];
            let edges = &self.edges[self.range(at)];
            let all = edges.iter().map(|edge| (self.bounds[edge.to as usize], edge.times));
            let [lower, upper] = match rule {
                Rule::Greatest => all.fold(outside, |most, (next, _)| Rule::Greatest.with(most, next, 1)),
                Rule::Least => all.fold(outside, |least, (next, _)| Rule::Least.with(least, next, 1)),
                Rule::Mean => {
                    let [low, high] =
                        all.fold(outside, |sum, (next, times)| Rule::Mean.with(sum, next, times));
                    [low * share - error, high * share + error]
                }
            };
            let before = self.bounds[at];
            let after = [lower.max(before[0]), upper.min(before[1])];
            moved = moved.max(after[0] - before[0]).max(before[1] - after[1]);
            apart = apart.max(after[1] - after[0]);
            self.bounds[at] = after;
        }
        (apart, moved)
    }
}

/// Returns what a side gains on the way from a position to a successor, which is 0 unless points are kept apart.
pub fn gained(graph: &Graph, node: usize, nth: usize, side: usize) -> f64 {
    graph.gain(node, nth).get(side).map_or(0.0, Int::to_f64)
}

impl Rule {
    /// Takes one more successor into account, to which so many outcomes lead.
    #[inline]
    fn with(self, [low, high]: Bounds, [lower, upper]: Bounds, times: u32) -> Bounds {
        match self {
            Rule::Greatest => [low.max(lower), high.max(upper)],
            Rule::Least => [low.min(lower), high.min(upper)],
            Rule::Mean => [low + f64::from(times) * lower, high + f64::from(times) * upper],
        }
    }
}

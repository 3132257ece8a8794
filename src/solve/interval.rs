//! Values where positions can repeat and chance draws: interval iteration, after S. Haddad and B. Monmege
//! (Theoretical Computer Science 735, 2018), for two sides after J. Eisentraut, E. Kelmendi, J. Křetínský and
//! M. Weininger (Information and Computation 285, 2022). Two bounds on each value approach each other.

use std::collections::BTreeSet;

use super::components::Components;
use super::end_components::end_components;
use super::graph::{Graph, Kind, is_cyclic};
use super::payoff::share_of_rank;
use super::{Halt, PRECISION, Watch};

/// How close the bounds are brought to each other where the value is told, and where it is only compared.
pub const TOLERANCE: f64 = 1e-10;
pub const ROUGH_TOLERANCE: f64 = PRECISION / 10.0;

/// After a sweep that moves no bound by more than this, no further progress is expected.
const MIN_PROGRESS: f64 = 1e-15;

/// After this many sweeps, bounds are checked for standing still because play can continue for ever.
const SWEEPS: u32 = 16;

/// The most sweeps over the positions of one component.
const MAX_SWEEPS: u32 = 1_000_000;

/// How many updates of a position's bounds take about as long as building one edge of the graph.
const UPDATES: u64 = 32;

/// Bounds on the value of each position to one seat, with the others playing against it. They hold in spite
/// of rounding: results are rounded away from the value.
#[derive(Debug)]
pub struct Intervals {
    /// The lower bounds.
    pub lower: Vec<f64>,
    /// The upper bounds.
    pub upper: Vec<f64>,
}

/// Computes bounds on the values of all positions, less what an endless match is worth to all. So an endless match is
/// worth 0, which the initial bounds include.
pub fn intervals(
    graph: &Graph,
    components: &Components,
    seat: usize,
    tolerance: f64,
    watch: &Watch,
) -> Result<Intervals, Halt> {
    let endless = graph.endless_value();
    let worth = |payoffs: &Vec<crate::num::Int>| {
        let shared = graph.plays_for_shares().then(|| payoffs[seat].as_i64()).flatten();
        if let Some(rank) = shared {
            return Ok(share_of_rank(rank, payoffs.len()).to_f64() - endless);
        }
        // Integers that an `f64` represents exactly.
        payoffs[seat].as_i64().filter(|n| n.unsigned_abs() < 1 << 52).map(|n| n as f64).ok_or(Halt::TooLarge)
    };
    let ends = graph.payoffs.iter().map(worth).collect::<Result<Vec<f64>, Halt>>()?;
    let least = ends.iter().fold(0.0f64, |least, end| least.min(*end));
    let most = ends.iter().fold(0.0f64, |most, end| most.max(*end));
    let mut bounds = Intervals { lower: vec![least; graph.len()], upper: vec![most; graph.len()] };
    let (looked, mut updates) = (graph.edge_count() as u64, 0);
    // The index of each position in its component.
    let mut numbers = vec![u32::MAX; graph.len()];
    for nodes in components.each() {
        if let ([node], false) = (nodes, is_cyclic(graph, nodes)) {
            let node = *node as usize;
            if let Kind::Over(payoffs) = graph.kinds[node] {
                (bounds.lower[node], bounds.upper[node]) = (ends[payoffs], ends[payoffs]);
            } else {
                bounds.narrow(graph, node, seat);
            }
            continue;
        }
        nodes.iter().enumerate().for_each(|(at, node)| numbers[*node as usize] = at as u32);
        for sweep in 1..=MAX_SWEEPS {
            let (mut apart, mut moved) = (0.0f64, 0.0f64);
            for node in nodes.iter().map(|node| *node as usize) {
                moved = moved.max(bounds.narrow(graph, node, seat));
                apart = apart.max(bounds.upper[node] - bounds.lower[node]);
            }
            if apart >= tolerance && (sweep % SWEEPS == 0 || moved < MIN_PROGRESS) {
                moved = moved.max(bounds.deflate(graph, nodes, &numbers, seat));
            }
            if apart < tolerance || moved < MIN_PROGRESS {
                break;
            }
            updates += nodes.len() as u64;
            if !watch(looked + updates / UPDATES) {
                return Err(Halt::Interrupted);
            }
        }
        nodes.iter().for_each(|node| numbers[*node as usize] = u32::MAX);
    }
    Ok(bounds)
}

impl Intervals {
    /// Narrows the bounds of end components, and returns by how much. If the others stay in one, it is worth
    /// no more to the seat than its best exit or an endless match; if the seat stays, no less than the
    /// others' best exit or an endless match. Applied only where staying is a best move as far as is known.
    fn deflate(&mut self, graph: &Graph, nodes: &[u32], numbers: &[u32], seat: usize) -> f64 {
        let mut moved = 0.0f64;
        for upper in [true, false] {
            let mine = |node: u32| graph.kinds[node as usize] == Kind::Seat(seat);
            // For the side that stays, only its best ways by the other bound count.
            let best = |node: u32, to: u32| {
                let bounds = if upper { &self.lower } else { &self.upper };
                let all = graph.successors(node as usize).iter().map(|to| bounds[*to as usize]);
                match (graph.kinds[node as usize], upper) {
                    (Kind::Seat(of), true) if of != seat => {
                        bounds[to as usize] <= all.fold(f64::MAX, f64::min)
                    }
                    (Kind::Seat(of), false) if of == seat => {
                        bounds[to as usize] >= all.fold(f64::MIN, f64::max)
                    }
                    _ => true,
                }
            };
            for set in end_components(graph, nodes, numbers, best) {
                let members: BTreeSet<u32> = set.iter().copied().collect();
                let leaves = set
                    .iter()
                    .filter(|node| mine(**node) == upper && graph.kinds[**node as usize] != Kind::Chance);
                let exits = leaves
                    .flat_map(|node| graph.successors(*node as usize))
                    .filter(|to| !members.contains(to));
                // An endless match is worth 0.
                let bound = match upper {
                    true => exits.fold(0.0f64, |best, to| best.max(self.upper[*to as usize])),
                    false => exits.fold(0.0f64, |best, to| best.min(self.lower[*to as usize])),
                };
                for node in set.iter().map(|node| *node as usize) {
                    let place = if upper { &mut self.upper[node] } else { &mut self.lower[node] };
                    let narrower = if upper { place.min(bound) } else { place.max(bound) };
                    moved = moved.max((*place - narrower).abs());
                    *place = narrower;
                }
            }
        }
        moved
    }

    /// Narrows the bounds of a position by those of its successors, and returns by how much.
    fn narrow(&mut self, graph: &Graph, node: usize, seat: usize) -> f64 {
        let (lower, upper) = match graph.kinds[node] {
            Kind::Over(_) => return 0.0,
            Kind::Chance => mean_bounds(graph, node, &self.lower, &self.upper),
            Kind::Seat(own) => {
                let mine = own == seat;
                let (mut lower, mut upper) = if mine { (f64::MIN, f64::MIN) } else { (f64::MAX, f64::MAX) };
                for target in graph.successors(node) {
                    let (low, high) = (self.lower[*target as usize], self.upper[*target as usize]);
                    (lower, upper) = match mine {
                        true => (lower.max(low), upper.max(high)),
                        false => (lower.min(low), upper.min(high)),
                    };
                }
                (lower, upper)
            }
        };
        let (lower, upper) = (lower.max(self.lower[node]), upper.min(self.upper[node]));
        let moved = (lower - self.lower[node]).max(self.upper[node] - upper);
        (self.lower[node], self.upper[node]) = (lower, upper);
        moved
    }
}

/// Returns lower and upper bounds of the mean after a draw. The rounding errors of a sum of `n` products are at
/// most `n` ε times the sum of the absolute values (N. Higham, Accuracy and Stability of Numerical Algorithms, 2002,
/// section 3.1; ε here is twice the unit roundoff); the bounds are moved apart by that much.
fn mean_bounds(graph: &Graph, node: usize, lower: &[f64], upper: &[f64]) -> (f64, f64) {
    let (mut low, mut high, mut size, mut whole, mut n) = (0.0, 0.0, 0.0, 0u64, 0u32);
    let (targets, weights) = graph.draw_edges(node);
    for (target, times) in targets.iter().zip(weights) {
        let (weight, target) = (f64::from(*times), *target as usize);
        let (least, most) = (weight * lower[target], weight * upper[target]);
        low += least;
        high += most;
        size += least.abs().max(most.abs());
        whole += u64::from(*times);
        n += 1;
    }
    let (error, whole) = (f64::from(n + 1) * f64::EPSILON * size, whole as f64);
    (((low - error) / whole).next_down(), ((high + error) / whole).next_up())
}

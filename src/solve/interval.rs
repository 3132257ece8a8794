//! Values where positions can repeat and chance draws: interval iteration, after S. Haddad and B. Monmege
//! (Theoretical Computer Science 735, 2018), for two sides after J. Eisentraut, E. Kelmendi, J. Křetínský and
//! M. Weininger (Information and Computation 285, 2022). Two bounds on each value approach each other.

use super::components::Components;
use super::end_components::{Backwards, end_components};
use super::graph::{Graph, Kind, is_cyclic};
use super::part::{Bounds, Part, Rule};
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

/// After about this many updates of a position's bounds, [`Watch`] is asked whether to go on.
const WATCHED: u64 = 1 << 16;

/// Computes bounds on the values of all positions to one side, with the others playing against it, less what an endless match
/// is worth to all. So an endless match is worth 0, which the initial bounds include. They hold in spite of rounding: results
/// are rounded away from the value.
pub fn intervals(
    graph: &Graph,
    components: &Components,
    side: usize,
    tolerance: f64,
    watch: &Watch,
) -> Result<Vec<Bounds>, Halt> {
    let endless = graph.endless_value();
    let worth = |payoffs: &Vec<crate::num::Int>| {
        let shared = graph.plays_for_shares().then(|| payoffs[side].as_i64()).flatten();
        if let Some(rank) = shared {
            return Ok(share_of_rank(rank, payoffs.len()).to_f64() - endless);
        }
        // Integers that an `f64` represents exactly.
        payoffs[side].as_i64().filter(|n| n.unsigned_abs() < 1 << 52).map(|n| n as f64).ok_or(Halt::TooLarge)
    };
    let ends = graph.payoffs.iter().map(worth).collect::<Result<Vec<f64>, Halt>>()?;
    let mut bounds = vec![[0.0; 2]; graph.len()];
    let (looked, mut updates, mut watched) = (graph.edge_count(), 0, 0);
    // The index of each position in its component.
    let mut numbers = vec![u32::MAX; graph.len()];
    let mut part = Part::default();
    for nodes in components.each() {
        if let Kind::Over(payoffs) = graph.kinds[nodes[0] as usize] {
            bounds[nodes[0] as usize] = [ends[payoffs as usize]; 2];
            continue;
        }
        let cyclic = is_cyclic(graph, nodes);
        if cyclic {
            nodes.iter().enumerate().for_each(|(at, node)| numbers[*node as usize] = at as u32);
        }
        part.load(graph, nodes, &numbers, side, &bounds);
        let mut stays = cyclic.then(|| Staying::of(&part)).flatten();
        for sweep in 1..=MAX_SWEEPS {
            let (apart, mut moved) = part.sweep();
            updates += nodes.len() as u64;
            if updates - watched >= WATCHED {
                watched = updates;
                if !watch(looked + updates / UPDATES) {
                    return Err(Halt::Interrupted);
                }
            }
            if !cyclic || apart < tolerance {
                break;
            }
            if let Some(stays) = stays.as_mut().filter(|_| sweep % SWEEPS == 0 || moved < MIN_PROGRESS) {
                moved = moved.max(stays.deflate(&mut part));
            }
            if moved < MIN_PROGRESS {
                break;
            }
        }
        for (node, own) in nodes.iter().zip(&part.bounds) {
            (bounds[*node as usize], numbers[*node as usize]) = (*own, u32::MAX);
        }
    }
    Ok(bounds)
}

/// A component in which play can be kept for ever.
struct Staying {
    backwards: Backwards,
    /// For each position the set that it belongs to in [`Staying::deflate`].
    set: Vec<u32>,
}

impl Staying {
    /// Returns what is needed to narrow the bounds of end components, if there are any.
    fn of(part: &Part) -> Option<Staying> {
        let backwards = Backwards::of(part);
        let any = !end_components(part, &backwards, |_, _| true).is_empty();
        any.then(|| Staying { backwards, set: vec![u32::MAX; part.len()] })
    }

    /// Narrows the bounds of end components, and returns by how much. If the others stay in one, it is worth
    /// no more to the side than its best exit or an endless match; if the side stays, no less than the
    /// others' best exit or an endless match. Applied only where staying is a best move as far as is known.
    fn deflate(&mut self, part: &mut Part) -> f64 {
        let mut moved = 0.0f64;
        for (leaver, stayer) in [(Rule::Greatest, Rule::Least), (Rule::Least, Rule::Greatest)] {
            let upper = leaver == Rule::Greatest;
            // The bound to narrow, and the other one: for the side that stays, only its best ways by that one count.
            let (own, other) = if upper { (1, 0) } else { (0, 1) };
            let better = |a: f64, b: f64| if upper { a.max(b) } else { a.min(b) };
            let bound = |edge: usize, side: usize| part.bounds[part.edges()[edge].to as usize][side];
            let best: Vec<f64> = (0..part.len())
                .map(|at| {
                    let all = part.range(at).map(|edge| bound(edge, other));
                    let outside = part.outside(at)[other];
                    if part.rule(at) == Rule::Least {
                        all.fold(outside, f64::min)
                    } else {
                        all.fold(outside, f64::max)
                    }
                })
                .collect();
            let may = |at: usize, edge: usize| part.rule(at) != stayer || bound(edge, other) == best[at];
            for (number, members) in end_components(part, &self.backwards, may).iter().enumerate() {
                members.iter().for_each(|at| self.set[*at as usize] = number as u32);
                let leavers = members.iter().map(|at| *at as usize).filter(|at| part.rule(*at) == leaver);
                // An endless match is worth 0.
                let mut exit = 0.0f64;
                for at in leavers {
                    exit = better(exit, part.outside(at)[own]);
                    for edge in part.edges()[part.range(at)].iter().map(|edge| edge.to as usize) {
                        if self.set[edge] != number as u32 {
                            exit = better(exit, part.bounds[edge][own]);
                        }
                    }
                }
                for at in members.iter().map(|at| *at as usize) {
                    let place = &mut part.bounds[at][own];
                    let narrower = if upper { place.min(exit) } else { place.max(exit) };
                    moved = moved.max((*place - narrower).abs());
                    *place = narrower;
                    self.set[at] = u32::MAX;
                }
            }
        }
        moved
    }
}

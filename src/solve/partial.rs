//! What is proved by a part of the graph of positions, where memory or time did not last for all of it.

use super::components::Components;
use super::graph::{Graph, Kind};
use super::part::{Bounds, gained};
use super::payoff::Goal;

/// The most sweeps over the positions, where they can repeat.
const SWEEPS: usize = 32;

/// Returns bounds on the values of all positions to the first of at most two sides, with `unknown` bounds on those whose moves
/// have not been made. Values are those of the best successor, or the mean of all, so that bounds on them follow from bounds
/// on the values of successors, in whatever order these are computed.
pub fn bounds(graph: &Graph, components: &Components, unknown: Bounds) -> Vec<Bounds> {
    let mut bounds = vec![unknown; graph.len()];
    for _ in 0..SWEEPS {
        let mut changed = false;
        for node in components.each().flatten().map(|node| *node as usize) {
            let new = at(graph, node, &bounds);
            changed |= new != bounds[node];
            bounds[node] = new;
        }
        if !changed {
            break;
        }
    }
    bounds
}

/// Returns the bounds on the value of a position that follow from those of its successors.
fn at(graph: &Graph, node: usize, bounds: &[Bounds]) -> Bounds {
    let own = bounds[node];
    if let Kind::Over(payoffs) = graph.kinds[node] {
        let worth = graph.payoffs[payoffs as usize][0].to_f64();
        return [worth; 2];
    }
    let after = |(nth, (target, times)): (usize, (u32, u32))| {
        let gain = gained(graph, node, nth, 0);
        (bounds[target as usize].map(|bound| bound + gain), f64::from(times))
    };
    let mut all = graph.weighted(node).enumerate().map(after);
    let Some((first, times)) = all.next() else { return own };
    let [lower, upper] = match graph.kinds[node] {
        Kind::Side(0) => all.fold(first, |best, (next, _)| [best[0].max(next[0]), best[1].max(next[1])]),
        Kind::Side(_) | Kind::Over(_) => {
            all.fold(first, |best, (next, _)| [best[0].min(next[0]), best[1].min(next[1])])
        }
        Kind::Chance => {
            let (sum, whole) =
                all.fold((first.map(|bound| bound * times), times), |(sum, whole), (next, times)| {
                    ([sum[0] + times * next[0], sum[1] + times * next[1]], whole + times)
                });
            // Sums of so few terms are wrong by less than that.
            let mean = sum.map(|sum| sum / whole);
            [mean[0] - 1e-12 * (1.0 + mean[0].abs()), mean[1] + 1e-12 * (1.0 + mean[1].abs())]
        }
    };
    [lower.max(own[0]), upper.min(own[1])]
}

/// Returns bounds that hold for whatever can still be won.
pub fn unknown(goal: Goal) -> Bounds {
    match goal {
        Goal::Win => [-1.0, 1.0],
        Goal::Points { .. } => [f64::NEG_INFINITY, f64::INFINITY],
    }
}

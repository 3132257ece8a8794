//! End components: sets of positions that play need not leave, whatever chance draws.

use super::components::Components;
use super::graph::{Graph, Kind};

/// Returns the largest sets among the positions `nodes` of a component that play can stay in by the edges
/// that `may` allows: each position has such an edge into its set, draws lead only into it, and all its
/// positions reach each other (L. de Alfaro 1997: end components). `numbers` has the index of each position
/// in `nodes`.
pub fn end_components(
    graph: &Graph,
    nodes: &[u32],
    numbers: &[u32],
    may: impl Fn(u32, u32) -> bool,
) -> Vec<Vec<u32>> {
    // From here on, positions are indices into `nodes`; `part` is the set that each may still be in.
    const OUT: u32 = u32::MAX;
    let mut part = vec![0u32; nodes.len()];
    loop {
        let stays = |from: usize, to: u32| {
            let to = numbers[to as usize];
            to != OUT && part[to as usize] == part[from] && part[from] != OUT
        };
        let ways: Vec<Vec<u32>> = nodes
            .iter()
            .enumerate()
            .map(|(at, node)| {
                let targets = graph.successors(*node as usize).iter();
                let kept = targets.filter(|to| stays(at, **to) && may(*node, **to));
                kept.map(|to| numbers[*to as usize]).collect()
            })
            .collect();
        let components = Components::of(nodes.len(), |at| ways[at].as_slice());
        let mut next = vec![OUT; nodes.len()];
        for (number, members) in components.each().enumerate() {
            members.iter().for_each(|at| next[*at as usize] = number as u32);
        }
        for at in 0..nodes.len() {
            let within = ways[at].iter().filter(|to| next[**to as usize] == next[at]).count();
            let stays = match graph.kinds[nodes[at] as usize] {
                Kind::Chance => within == graph.successors(nodes[at] as usize).len(),
                _ => within > 0,
            };
            if part[at] == OUT || !stays {
                next[at] = OUT;
            }
        }
        // Removing positions may split a set, or leave a position without an edge.
        let same = |a: &[u32], b: &[u32]| (0..a.len()).all(|at| (a[at] == OUT) == (b[at] == OUT));
        let settled = same(&part, &next) && parts(&part) == parts(&next);
        part = next;
        if settled {
            break;
        }
    }
    let mut sets: std::collections::BTreeMap<u32, Vec<u32>> = Default::default();
    for (at, part) in part.iter().enumerate().filter(|(_, part)| **part != OUT) {
        sets.entry(*part).or_default().push(nodes[at]);
    }
    sets.into_values().collect()
}

/// Returns the number of sets.
fn parts(part: &[u32]) -> usize {
    part.iter().filter(|part| **part != u32::MAX).collect::<std::collections::BTreeSet<_>>().len()
}

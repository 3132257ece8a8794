//! Where play can be kept for ever: sets of positions that it need not leave, whatever chance draws.

use super::components::Components;
use super::graph::{Graph, Kind};

/// The largest sets of positions, among those of a component of the graph, within which play can be kept by the ways that `may` be
/// taken: each position in them has such a way to another of them, draws lead to no other, and they lead to each other (L. de Alfaro
/// 1997: end components, found by taking away what can leave until nothing does).
pub fn end_components(
    graph: &Graph,
    nodes: &[u32],
    numbers: &[u32],
    may: impl Fn(u32, u32) -> bool,
) -> Vec<Vec<u32>> {
    // Numbers of positions are those among `nodes` from here on; `part` is which of the sets each may still be in.
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
                let targets = graph.ways_from(*node as usize).iter();
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
                Kind::Chance => within == graph.ways_from(nodes[at] as usize).len(),
                _ => within > 0,
            };
            if part[at] == OUT || !stays {
                next[at] = OUT;
            }
        }
        // Taking some away may part the others, or leave some without a way.
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

/// How many sets there are.
fn parts(part: &[u32]) -> usize {
    part.iter().filter(|part| **part != u32::MAX).collect::<std::collections::BTreeSet<_>>().len()
}

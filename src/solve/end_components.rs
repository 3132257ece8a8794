//! End components: sets of positions that play need not leave, whatever chance draws.

use super::components::Components;
use super::part::{Part, Rule};

/// The edges of a component, each with the position that it comes from, by the positions that they lead to.
#[derive(Debug)]
pub struct Backwards {
    firsts: Vec<u32>,
    /// The index of the position that an edge comes from, and the index of the edge.
    edges: Vec<(u32, u32)>,
}

impl Backwards {
    /// Returns the edges of a component backwards.
    pub fn of(part: &Part) -> Backwards {
        let mut firsts = vec![0u32; part.len() + 1];
        part.edges().iter().for_each(|edge| firsts[edge.to as usize + 1] += 1);
        (0..part.len()).for_each(|at| firsts[at + 1] += firsts[at]);
        let (mut next, mut edges) = (firsts.clone(), vec![(0, 0); part.edges().len()]);
        for from in 0..part.len() {
            for edge in part.range(from) {
                let place = &mut next[part.edges()[edge].to as usize];
                edges[*place as usize] = (from as u32, edge as u32);
                *place += 1;
            }
        }
        Backwards { firsts, edges }
    }

    /// Returns the edges that lead to a position.
    fn to(&self, at: usize) -> &[(u32, u32)] {
        &self.edges[self.firsts[at] as usize..self.firsts[at + 1] as usize]
    }
}

/// The positions and edges of a component that may belong to end components.
struct Rest<'p> {
    part: &'p Part,
    /// Which positions are left, which edges, and how many edges of each position.
    stays: Vec<bool>,
    kept: Vec<bool>,
    counts: Vec<u32>,
    /// The positions taken out whose edges backwards are still to be taken out.
    out: Vec<u32>,
}

impl Rest<'_> {
    /// Takes an edge out, and its position if it is a draw or has no other edge.
    fn cut(&mut self, from: u32, edge: u32) {
        let at = from as usize;
        self.kept[edge as usize] = false;
        self.counts[at] -= 1;
        if self.stays[at] && (self.counts[at] == 0 || self.part.rule(at) == Rule::Mean) {
            self.stays[at] = false;
            self.out.push(from);
        }
    }

    /// Returns the strongly connected components of what is left.
    fn components(&self) -> Components {
        let (mut firsts, mut targets) = (vec![0], Vec::new());
        for at in 0..self.part.len() {
            if self.stays[at] {
                let kept = self.part.range(at).filter(|edge| self.kept[*edge]);
                targets.extend(kept.map(|edge| self.part.edges()[edge].to));
            }
            firsts.push(targets.len());
        }
        Components::of(self.part.len(), |at| &targets[firsts[at]..firsts[at + 1]])
    }
}

/// Returns the largest sets of positions of a component that play can stay in by the edges of choices that `may` allows, which is
/// asked with a position and the index of an edge: each position has such an edge into its set, draws lead only into it, and
/// all its positions reach each other (L. de Alfaro 1997: end components).
///
/// Edges between components are cut until there are none, and with a position all edges to it.
pub fn end_components(
    part: &Part,
    backwards: &Backwards,
    may: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<u32>> {
    let mut rest = Rest {
        part,
        stays: vec![true; part.len()],
        kept: vec![true; part.edges().len()],
        counts: (0..part.len()).map(|at| part.range(at).len() as u32).collect(),
        out: Vec::new(),
    };
    for at in 0..part.len() {
        let draws = part.rule(at) == Rule::Mean;
        if draws && part.leaves(at) || rest.counts[at] == 0 {
            rest.stays[at] = false;
            rest.out.push(at as u32);
        }
        for edge in part.range(at).filter(|edge| !draws && !may(at, *edge)) {
            rest.cut(at as u32, edge as u32);
        }
    }
    let mut set = vec![0u32; part.len()];
    loop {
        while let Some(at) = rest.out.pop() {
            for (from, edge) in backwards.to(at as usize) {
                if rest.kept[*edge as usize] {
                    rest.cut(*from, *edge);
                }
            }
        }
        if !rest.stays.contains(&true) {
            return Vec::new();
        }
        let components = rest.components();
        for (number, nodes) in components.each().enumerate() {
            nodes.iter().for_each(|at| set[*at as usize] = number as u32);
        }
        let mut settled = true;
        for at in (0..part.len()).filter(|at| rest.stays[*at]).collect::<Vec<_>>() {
            for edge in part.range(at) {
                if rest.kept[edge] && set[part.edges()[edge].to as usize] != set[at] {
                    rest.cut(at as u32, edge as u32);
                    settled = false;
                }
            }
        }
        if settled {
            let sets = components.each().filter(|nodes| rest.stays[nodes[0] as usize]);
            return sets.map(<[u32]>::to_vec).collect();
        }
    }
}

//! Strongly connected components of a graph.

/// The strongly connected components of a graph.
#[derive(Debug)]
pub struct Components {
    nodes: Vec<u32>,
    ends: Vec<usize>,
}

impl Components {
    /// Finds the components of a graph of `count` nodes, after R. Tarjan (SIAM Journal on Computing 1, 1972). The nodes
    /// of a component are in the order in which the depth-first search leaves them: an edge within the component leads to an
    /// earlier node, unless it leads back to one that the search has not left yet.
    pub fn of<'w>(count: usize, ways: impl Fn(usize) -> &'w [u32]) -> Components {
        const NEW: u32 = u32::MAX;
        let mut found = Components { nodes: Vec::with_capacity(count), ends: Vec::new() };
        let (mut number, mut low) = (vec![NEW; count], vec![0u32; count]);
        let mut waits = vec![false; count];
        let (mut left, mut path): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
        let mut next = 0;
        for root in 0..count {
            if number[root] != NEW {
                continue;
            }
            path.push((root as u32, 0));
            while let Some((node, way)) = path.last_mut() {
                let at = *node as usize;
                if *way == 0 {
                    (number[at], low[at], waits[at]) = (next, next, true);
                    next += 1;
                }
                if let Some(target) = ways(at).get(*way) {
                    *way += 1;
                    let to = *target as usize;
                    if number[to] == NEW {
                        path.push((*target, 0));
                    } else if waits[to] {
                        low[at] = low[at].min(number[to]);
                    }
                    continue;
                }
                left.push(*node);
                if low[at] == number[at] {
                    // What was met after the first node of a component, and has none yet, belongs to this one.
                    let own = left.iter().rev().take_while(|node| number[**node as usize] >= number[at]);
                    let own = left.len() - own.count();
                    left[own..].iter().for_each(|node| waits[*node as usize] = false);
                    found.nodes.extend(left.drain(own..));
                    found.ends.push(found.nodes.len());
                }
                path.pop();
                if let Some((before, _)) = path.last() {
                    let before = *before as usize;
                    low[before] = low[before].min(low[at]);
                }
            }
        }
        found
    }

    /// Returns the components, each after all others that it leads to.
    pub fn each(&self) -> impl Iterator<Item = &[u32]> {
        let firsts = [0].into_iter().chain(self.ends.iter().copied());
        firsts.zip(&self.ends).map(|(first, end)| &self.nodes[first..*end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_those_they_lead_to_and_their_nodes_in_the_order_of_leaving() {
        // 0 → 1 → 2 → 1, 2 → 3 → 4 → 3, and 1 → 5 → 2; 6 → 0.
        let ways: [&[u32]; 7] = [&[1], &[5, 2], &[1, 3], &[4], &[3], &[2], &[0]];
        let found = Components::of(ways.len(), |at| ways[at]);
        let all: Vec<&[u32]> = found.each().collect();
        assert_eq!(all, [&[4, 3][..], &[2, 5, 1], &[0], &[6]]);
    }
}

//! Strongly connected components of a graph.

/// The strongly connected components of a graph.
#[derive(Debug)]
pub struct Components {
    nodes: Vec<u32>,
    ends: Vec<usize>,
}

impl Components {
    /// Finds the components of a graph of `count` nodes, after R. Tarjan (SIAM Journal on Computing 1, 1972).
    pub fn of<'w>(count: usize, ways: impl Fn(usize) -> &'w [u32]) -> Components {
        const NEW: u32 = u32::MAX;
        let mut found = Components { nodes: Vec::with_capacity(count), ends: Vec::new() };
        let (mut number, mut low) = (vec![NEW; count], vec![0u32; count]);
        let mut waits = vec![false; count];
        let (mut stack, mut path): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
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
                    stack.push(*node);
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
                if low[at] == number[at] {
                    while let Some(member) = stack.pop() {
                        waits[member as usize] = false;
                        found.nodes.push(member);
                        if member as usize == at {
                            break;
                        }
                    }
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

//! The control-flow graph of a function: predecessors, reverse postorder and dominators.

use super::{Block, Function};

/// The control-flow graph of a function.
#[derive(Debug)]
pub struct FlowGraph {
    /// The predecessors of each block, by block.
    predecessors: Vec<Vec<Block>>,
    /// The reachable blocks in reverse postorder: except for back edges, each block comes after its
    /// predecessors.
    order: Vec<Block>,
    /// The position of each block in `order`; `None` for unreachable blocks.
    number: Vec<Option<usize>>,
    /// The immediate dominator of each block, both by position in `order`.
    dominators: Vec<usize>,
}

impl FlowGraph {
    /// Analyses a function.
    pub fn new(func: &Function) -> FlowGraph {
        let mut predecessors = vec![Vec::new(); func.num_blocks()];
        for block in func.blocks() {
            for next in func.successors(*block) {
                let known: &mut Vec<Block> = &mut predecessors[next.index()];
                if !known.contains(block) {
                    known.push(*block);
                }
            }
        }
        let order = reverse_postorder(func);
        let mut number = vec![None; func.num_blocks()];
        for (place, block) in order.iter().enumerate() {
            number[block.index()] = Some(place);
        }
        let mut flow = FlowGraph { predecessors, order, number, dominators: Vec::new() };
        flow.find_dominators();
        flow
    }

    /// Computes immediate dominators by intersecting the dominators of predecessors until a fixpoint is
    /// reached (K. Cooper, T. Harvey, K. Kennedy, "A simple, fast dominance algorithm", 2001).
    fn find_dominators(&mut self) {
        let mut above: Vec<Option<usize>> = vec![None; self.order.len()];
        if let Some(first) = above.first_mut() {
            *first = Some(0);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for place in 1..self.order.len() {
                let predecessors = self.predecessors[self.order[place].index()].iter();
                let known = predecessors
                    .filter_map(|way| self.number[way.index()])
                    .filter(|way| above[*way].is_some());
                let meet = known.reduce(|mut a, mut b| {
                    while a != b {
                        match a > b {
                            true => a = above[a].unwrap_or(0),
                            false => b = above[b].unwrap_or(0),
                        }
                    }
                    a
                });
                changed |= above[place] != meet;
                above[place] = meet;
            }
        }
        self.dominators = above.into_iter().map(|place| place.unwrap_or(0)).collect();
    }

    /// Returns the reachable blocks in reverse postorder.
    pub fn order(&self) -> &[Block] {
        &self.order
    }

    /// Returns the immediate dominator of a block; `None` for the entry and for unreachable blocks.
    pub fn dominator(&self, block: Block) -> Option<Block> {
        let place = self.number[block.index()].filter(|place| *place > 0)?;
        Some(self.order[self.dominators[place]])
    }

    /// Whether `above` dominates `block`; every block dominates itself.
    pub fn dominates(&self, above: Block, block: Block) -> bool {
        std::iter::successors(Some(block), |at| self.dominator(*at)).any(|at| at == above)
    }
}

/// Returns the reachable blocks of a function in reverse postorder: except for back edges, each block comes after its
/// predecessors.
pub fn reverse_postorder(func: &Function) -> Vec<Block> {
    let Some(first) = func.blocks().first() else { return Vec::new() };
    let mut seen = vec![false; func.num_blocks()];
    seen[first.index()] = true;
    let (mut order, mut stack) = (Vec::new(), vec![(*first, func.successors(*first).collect::<Vec<_>>())]);
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if std::mem::replace(&mut seen[next.index()], true) => {}
            Some(next) => stack.push((next, func.successors(next).collect())),
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

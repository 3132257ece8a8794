//! If-conversion: replaces unpredictable branches by straight-line code that computes the effects of all
//! paths and selects those of the path that is taken.
//!
//! A mispredicted branch costs the time of some sixty instructions, and a branch on a randomly drawn move is
//! mispredicted about every other time. So all blocks from such a branch to the join of its paths go into one
//! hyperblock, which selects the effects of each path by its predicate. Nothing is stored before the end of
//! the hyperblock: if something rare comes up (the end of the match, a number out of range), the hyperblock
//! is left for the original branch, kept in a cold block, as if nothing had happened. (J. Allen, K. Kennedy,
//! C. Porterfield, J. Warren, "Conversion of control dependence to data dependence", 1983.)

pub mod aliases;
pub mod hyperblock;
pub mod predicates;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::jit::if_conversion::aliases::Addresses;
use crate::jit::if_conversion::hyperblock::Hyperblock;
use crate::jit::mir::flow::FlowGraph;
use crate::jit::mir::{Block, Function, Inst, Op};

/// What the builder knows about the code that it generates.
#[derive(Debug, Default)]
pub struct Hints {
    /// Where hyperblocks may begin: unpredictable branches, and jumps to code about which much is known.
    pub starts: Vec<Inst>,
    /// The headers of play loops: no hyperblock extends past them.
    pub loop_headers: BTreeSet<Block>,
    /// Facts about addresses.
    pub addresses: Addresses,
}

/// The greatest number of instructions in a hyperblock; more would cost as much as a misprediction.
const MAX_INSTS: usize = 120;

/// How many blocks after a start are considered.
const MAX_BLOCKS: usize = 64;

/// Converts the code after each possible start into a hyperblock where that can be done; returns how many
/// were made.
pub fn if_convert(func: &mut Function, hints: &Hints) -> usize {
    if hints.starts.is_empty() {
        return 0;
    }
    let addresses = hints.addresses.resolved(func);
    let mut flow = FlowGraph::new(func);
    let (mut done, mut inside) = (0, BTreeSet::new());
    for start in &hints.starts {
        let Some(at) = func.block_of(*start).filter(|block| !inside.contains(block)) else { continue };
        for (blocks, meet) in regions(func, *start, &hints.loop_headers, &flow).into_iter().rev() {
            let before = func.snapshot(at);
            if Hyperblock::new(func, (*start, at), &addresses).make(&blocks, meet, &flow).is_some() {
                flow = FlowGraph::new(func);
                inside.extend(blocks);
                done += 1;
                break;
            }
            func.roll_back(before);
        }
    }
    done
}

/// Finds candidate regions for a hyperblock: the blocks from a branch to the join of its paths, in
/// topological order, and the join itself; after a jump, one region for each such join. Cold blocks do not
/// count as paths. A region contains no loops, at most `MAX_INSTS` instructions, and only instructions that a
/// hyperblock can have.
fn regions(
    func: &Function,
    start: Inst,
    loop_headers: &BTreeSet<Block>,
    flow: &FlowGraph,
) -> Vec<(Vec<Block>, Block)> {
    let Some(first) = func.block_of(start) else { return Vec::new() };
    let jump = matches!(func.op(start), Op::Jump(_));
    let order = topological_order(func, first);
    let number: BTreeMap<Block, usize> = order.iter().enumerate().map(|(i, block)| (*block, i)).collect();
    // The blocks on some path that are still to visit; a single one is on all paths. `last` stands for
    // `first`, reached again by a back edge.
    let last = order.len();
    let mut open: BTreeSet<usize> = BTreeSet::from([0]);
    let (mut blocks, mut regions, mut size) = (Vec::new(), Vec::new(), 0);
    while let Some(at) = open.pop_first() {
        let block = if at == last { first } else { order[at] };
        if open.is_empty() && at > 0 {
            // If the join is dominated by a block of the region, later code may use that block's values.
            let passes =
                !std::iter::successors(Some(block), |at| flow.dominator(*at)).any(|at| blocks.contains(&at));
            if passes && !blocks.is_empty() {
                regions.push((blocks.clone(), block));
            }
            if !jump || at == last || loop_headers.contains(&block) {
                break;
            }
        }
        if at > 0 {
            blocks.push(block);
            // Constants do not count, as they become immediate operands.
            let ops = func.insts(block).iter().map(|inst| func.op(*inst));
            size += ops.clone().filter(|op| !matches!(op, Op::Imm(..) | Op::Static(_))).count();
            if size > MAX_INSTS || !ops.clone().all(is_convertible) {
                break;
            }
        }
        let successors: Option<Vec<usize>> =
            hot_successors(func, block).iter().map(|next| number.get(next).copied()).collect();
        let Some(successors) = successors.filter(|successors| !successors.is_empty()) else { break };
        if successors.iter().any(|next| *next > 0 && *next <= at) {
            break;
        }
        open.extend(successors.into_iter().map(|next| if next == 0 { last } else { next }));
    }
    regions
}

/// Returns the nearest reachable blocks, at most about `MAX_BLOCKS`, so that each comes after its
/// predecessors except for back edges.
fn topological_order(func: &Function, start: Block) -> Vec<Block> {
    let mut near = vec![start];
    let mut at = 0;
    while at < near.len() && near.len() < MAX_BLOCKS {
        for next in hot_successors(func, near[at]) {
            if !near.contains(&next) {
                near.push(next);
            }
        }
        at += 1;
    }
    let successors = |block: Block| -> Vec<Block> {
        hot_successors(func, block).into_iter().filter(|next| near.contains(next)).collect()
    };
    let mut order = Vec::new();
    let mut seen = BTreeSet::from([start]);
    let mut stack = vec![(start, successors(start))];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if seen.insert(next) => stack.push((next, successors(next))),
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Whether a hyperblock can contain an instruction.
fn is_convertible(op: &Op) -> bool {
    op.is_pure() || matches!(op, Op::Jump(_) | Op::Branch(..) | Op::Load { .. } | Op::Store { .. })
}

/// Returns the successors of a block that are not cold.
fn hot_successors(func: &Function, block: Block) -> Vec<Block> {
    func.successors(block).filter(|block| !func.is_cold(*block)).collect()
}

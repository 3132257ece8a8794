//! Choices that nobody can foresee, without a branch: what each way would do is worked out, and what comes true is
//! selected.
//!
//! A processor that guesses a branch wrongly loses the time of some sixty instructions, and of two moves drawn at random
//! it guesses every other one wrongly. So from the branch to where the ways meet again all is put into one hyperblock; a way's
//! changes are selected by whether it was drawn. Nothing is written before the end of the hyperblock: where anything comes up
//! that is seldom (the end of the match, a number out of range), the branch itself, which is kept in cold blocks, is gone through
//! instead, as if nothing had been. (J. Allen, K. Kennedy, C. Porterfield, J. Warren, "Conversion of control dependence
//! to data dependence", 1983.)

pub mod aliases;
pub mod hyperblock;
pub mod predicates;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use cranelift::codegen::dominator_tree::DominatorTree;
use cranelift::codegen::flowgraph::ControlFlowGraph;
use cranelift::codegen::ir::{Function, Inst, InstructionData, Opcode};
use cranelift::prelude::*;

use crate::jit::if_conversion::aliases::Addresses;
use crate::jit::if_conversion::hyperblock::{Hyperblock, pure};

/// What the builder knows of the code it makes.
#[derive(Debug, Default)]
pub struct Hints {
    /// Where hyperblocks may begin: branches that nobody can foresee, and jumps behind which much is known.
    pub starts: Vec<Inst>,
    /// Where loops of play begin anew: no hyperblock goes on there.
    pub heads: BTreeSet<Block>,
    /// What is known of addresses.
    pub addresses: Addresses,
}

/// The most instructions put into one hyperblock: more cost as much as a wrong guess.
const MOST: usize = 120;

/// How many blocks behind a start are looked at.
const AHEAD: usize = 64;

/// Puts what follows where hyperblocks may begin into one hyperblock each, where that can be done. How many were.
pub fn if_convert(func: &mut Function, hints: &Hints) -> usize {
    if hints.starts.is_empty() {
        return 0;
    }
    let addresses = hints.addresses.resolved(func);
    let mut flow = ControlFlowGraph::with_function(func);
    let mut above = DominatorTree::with_function(func, &flow);
    let (mut done, mut inside) = (0, BTreeSet::new());
    for start in &hints.starts {
        if func.layout.inst_block(*start).is_none_or(|block| inside.contains(&block)) {
            continue;
        }
        for (blocks, meet) in regions(func, *start, &hints.heads, &above).into_iter().rev() {
            let mut tried = func.clone();
            if Hyperblock::new(&mut tried, *start, &addresses).make(&blocks, meet, &flow).is_some() {
                *func = tried;
                flow.compute(func);
                above.compute(func, &flow);
                inside.extend(blocks);
                done += 1;
                break;
            }
        }
    }
    done
}

/// What may be a hyperblock: the blocks behind a branch up to where all its ways meet again, each behind those before it, and
/// the block where they meet. Behind a jump, up to each such place. Blocks that are cold are no ways. There are no loops
/// within, not too much, and nothing that no hyperblock has.
fn regions(
    func: &Function,
    start: Inst,
    heads: &BTreeSet<Block>,
    above: &DominatorTree,
) -> Vec<(Vec<Block>, Block)> {
    let Some(first) = func.layout.inst_block(start) else { return Vec::new() };
    let jump = func.dfg.insts[start].opcode() == Opcode::Jump;
    let order = in_order(func, first);
    let number: BTreeMap<Block, usize> = order.iter().enumerate().map(|(i, block)| (*block, i)).collect();
    // Blocks that are on some way; one alone is on all of them. The first comes last again: it closes a circle.
    let last = order.len();
    let mut open: BTreeSet<usize> = BTreeSet::from([0]);
    let (mut blocks, mut regions, mut size) = (Vec::new(), Vec::new(), 0);
    while let Some(at) = open.pop_first() {
        let block = if at == last { first } else { order[at] };
        if open.is_empty() && at > 0 {
            // Where a block of the hyperblock cannot be passed by, what comes later may use its values.
            let passes =
                !std::iter::successors(Some(block), |at| above.idom(*at)).any(|at| blocks.contains(&at));
            if passes && !blocks.is_empty() {
                regions.push((blocks.clone(), block));
            }
            if !jump || at == last || heads.contains(&block) {
                break;
            }
        }
        if at > 0 {
            blocks.push(block);
            // Constants are parts of the instructions that use them.
            let opcodes = func.layout.block_insts(block).map(|inst| func.dfg.insts[inst].opcode());
            size += opcodes.filter(|opcode| *opcode != Opcode::Iconst).count();
            if size > MOST || !func.layout.block_insts(block).all(|inst| in_hyperblocks(func, inst)) {
                break;
            }
        }
        let ways: Option<Vec<usize>> =
            hot_ways(func, block).iter().map(|next| number.get(next).copied()).collect();
        let Some(ways) = ways.filter(|ways| !ways.is_empty()) else { break };
        if ways.iter().any(|next| *next > 0 && *next <= at) {
            break;
        }
        open.extend(ways.into_iter().map(|next| if next == 0 { last } else { next }));
    }
    regions
}

/// The nearest blocks that can be reached, in an order in which each stands behind those that lead to it, circles apart.
fn in_order(func: &Function, start: Block) -> Vec<Block> {
    let mut near = vec![start];
    let mut at = 0;
    while at < near.len() && near.len() < AHEAD {
        for next in hot_ways(func, near[at]) {
            if !near.contains(&next) {
                near.push(next);
            }
        }
        at += 1;
    }
    let ways = |block: Block| -> Vec<Block> {
        hot_ways(func, block).into_iter().filter(|next| near.contains(next)).collect()
    };
    let mut order = Vec::new();
    let mut seen = BTreeSet::from([start]);
    let mut stack = vec![(start, ways(start))];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if seen.insert(next) => stack.push((next, ways(next))),
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

/// Whether an instruction may be part of a hyperblock.
fn in_hyperblocks(func: &Function, inst: Inst) -> bool {
    let data = &func.dfg.insts[inst];
    match data.opcode() {
        Opcode::Jump | Opcode::Brif => true,
        _ => {
            matches!(data, InstructionData::Load { .. } | InstructionData::Store { .. })
                || pure(func, inst).is_some()
        }
    }
}

/// Where a block leads, what is cold apart.
fn hot_ways(func: &Function, block: Block) -> Vec<Block> {
    let dfg = &func.dfg;
    let Some(last) = func.layout.last_inst(block) else { return Vec::new() };
    let calls = dfg.insts[last].branch_destination(&dfg.jump_tables, &dfg.exception_tables);
    let ways = calls.iter().map(|call| call.block(&dfg.value_lists));
    ways.filter(|block| !func.layout.is_cold(*block)).collect()
}

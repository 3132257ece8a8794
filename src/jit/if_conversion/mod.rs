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

use crate::jit::if_conversion::aliases::Addresses;
use crate::jit::if_conversion::hyperblock::Hyperblock;
use crate::jit::mir::flow::Flow;
use crate::jit::mir::{Block, Function, Inst, Op};

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
    let mut flow = Flow::new(func);
    let (mut done, mut inside) = (0, BTreeSet::new());
    for start in &hints.starts {
        let Some(at) = func.block_of(*start).filter(|block| !inside.contains(block)) else { continue };
        for (blocks, meet) in regions(func, *start, &hints.heads, &flow).into_iter().rev() {
            let before = func.mark(at);
            if Hyperblock::new(func, (*start, at), &addresses).make(&blocks, meet, &flow).is_some() {
                flow = Flow::new(func);
                inside.extend(blocks);
                done += 1;
                break;
            }
            func.go_back(before);
        }
    }
    done
}

/// What may be a hyperblock: the blocks behind a branch up to where all its ways meet again, each behind those before it, and
/// the block where they meet. Behind a jump, up to each such place. Blocks that are cold are no ways. There are no loops
/// within, not too much, and nothing that no hyperblock has.
fn regions(func: &Function, start: Inst, heads: &BTreeSet<Block>, flow: &Flow) -> Vec<(Vec<Block>, Block)> {
    let Some(first) = func.block_of(start) else { return Vec::new() };
    let jump = matches!(func.op(start), Op::Jump(_));
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
                !std::iter::successors(Some(block), |at| flow.dominator(*at)).any(|at| blocks.contains(&at));
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
            let ops = func.insts(block).iter().map(|inst| func.op(*inst));
            size += ops.clone().filter(|op| !matches!(op, Op::Imm(..) | Op::Static(_))).count();
            if size > MOST || !ops.clone().all(in_hyperblocks) {
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
fn in_hyperblocks(op: &Op) -> bool {
    op.is_pure() || matches!(op, Op::Jump(_) | Op::Branch(..) | Op::Load { .. } | Op::Store { .. })
}

/// Where a block leads, what is cold apart.
fn hot_ways(func: &Function, block: Block) -> Vec<Block> {
    func.successors(block).filter(|block| !func.is_cold(*block)).collect()
}

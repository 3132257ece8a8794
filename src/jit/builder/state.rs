//! What the builder keeps at hand while it makes code: where local values, slots and lists are.

use std::collections::{BTreeMap, BTreeSet};

use crate::engine::Ids;
use crate::ir::{Live, Pc, Slot, StateId};
use crate::jit::builder::value::Val;
use crate::jit::layout::shape::Scalar;
use crate::jit::layout::slots::SlotShape;
use crate::jit::mir::{Block, Helper, StackSlot, Variable};

/// The helpers that code may call.
#[derive(Debug, Clone, Default)]
pub struct Helpers(pub BTreeMap<&'static str, Helper>);

/// Where the automaton keeps a slot.
#[derive(Debug, Clone)]
pub struct SlotVars {
    /// What it holds.
    pub shape: SlotShape,
    /// Its words: a value, bits, address and length, or first and last.
    pub vars: Vec<Variable>,
    /// The word that it always holds, if there is but one.
    pub always: Option<i64>,
    /// What is to be added to the variable, where it is a loop's counter from which the slot follows.
    pub counter_offset: Option<i64>,
}

/// Local values by slot. In the automaton's own frame, those not here are its variables.
#[derive(Debug, Clone, Default)]
pub struct Locals {
    /// The values.
    pub bound: BTreeMap<Slot, Val>,
    /// Whether this is the frame of the automaton.
    pub automaton: bool,
}

/// What changes at every step; read from the context when code is entered, and written back when it is left.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// How many choices a playout may still make; −1 where code stops at each, and at draws of chance.
    pub left: Variable,
    /// How many steps of the reference this step may still stand for.
    pub fuel: Variable,
    /// The first byte of scratch memory.
    pub begin: Variable,
    /// The next free one.
    pub scratch: Variable,
    /// How many draws of chance have come since the last choice.
    pub draws: Variable,
    /// The state of the random source.
    pub chance: [Variable; 4],
}

/// Code that goes step by step: from place to place, with a task at each.
#[derive(Debug)]
pub struct Stepping<'a> {
    /// The numbers of moves.
    pub ids: &'a Ids,
    /// The choices whose moves the reference must find and make.
    pub unstepped: &'a BTreeSet<usize>,
    /// The address of the present place.
    pub place: Variable,
    /// Where chance decides: the block for each draw.
    pub draws: BTreeMap<Pc, Block>,
    /// Where the moves of each choice are listed.
    pub lists: BTreeMap<usize, Block>,
    /// Where code goes that has answered a question, and has changed nothing.
    pub answered: Block,
    /// Where code goes that is to do what it cannot do, and has done nothing.
    pub refused: Block,
    /// Where the position is kept before it is changed, if that must be; and where code goes on.
    pub keep: Option<(Block, Block)>,
    /// Which slots are alive where.
    pub live: &'a Live,
}

/// The lists in registers.
#[derive(Debug, Clone, Default)]
pub struct RegisterLists(pub BTreeMap<StateId, (Scalar, Vec<Variable>)>);

/// Sets that are kept from one choice to the next, each of which was worked out before and has only grown since. They
/// lie on the stack, and are empty whenever code begins with a position.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeptSets {
    /// Where they lie, once there is one.
    pub slot: Option<StackSlot>,
    /// How many words are taken.
    pub used: i64,
}

/// How many words there are for such sets.
pub const KEPT_WORDS: i64 = 64;

/// How such needs are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preferences {
    /// They bind.
    Bind,
    /// They do not: no row meets them.
    PassOver,
}

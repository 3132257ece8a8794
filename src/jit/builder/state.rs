//! The builder's bookkeeping: where local values, slots and lists are while code is generated.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::engine::Ids;
use crate::ir::{Live, Pc, Slot, Value};
use crate::jit::builder::V;
use crate::jit::builder::value::Val;
use crate::jit::layout::slots::SlotShape;
use crate::jit::mir::{Block, Helper, StackSlot, Variable};

/// The runtime helpers that code may call, by name.
#[derive(Debug, Clone, Default)]
pub struct Helpers(pub BTreeMap<&'static str, Helper>);

/// Where the automaton keeps a slot.
#[derive(Debug, Clone)]
pub struct SlotVars {
    /// The shape of what the slot holds.
    pub shape: SlotShape,
    /// The variables of its words: a value, the words of a bit set, address and length, or first and last.
    pub vars: Vec<Variable>,
    /// The word that the slot always holds, if only one is possible.
    pub always: Option<i64>,
    /// What to add to the variable if the slot is derived from a loop counter (see `slots::counted`).
    pub counter_offset: Option<i64>,
    /// If the slot always holds one of some known lists: the variable of the counter that is one past its
    /// number, and the lists (see `slots::known_lists`).
    pub one_of: Option<(Variable, Rc<[Value]>)>,
}

/// The values bound to slots. In the automaton's own frame, slots not listed here are in `Builder::vars`.
#[derive(Debug, Clone, Default)]
pub struct Locals {
    /// The bound values.
    pub bound: BTreeMap<Slot, Val>,
    /// The slots that hold one of some known lists: its number, from 0, and the lists.
    pub one_of: BTreeMap<Slot, (V, Rc<[Value]>)>,
    /// Whether this is the automaton's own frame.
    pub automaton: bool,
}

/// Registers that change at every step; loaded from the context on entry and written back on exit.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// How many choices the playout may still make; −1 if code stops at every choice and every draw.
    pub moves_left: Variable,
    /// How many steps of the reference evaluator this step may still stand for.
    pub fuel: Variable,
    /// The start of scratch memory.
    pub begin: Variable,
    /// The next free byte of scratch memory.
    pub scratch: Variable,
    /// The number of draws since the last choice.
    pub draws: Variable,
    /// The state of the random number generator.
    pub chance: [Variable; 4],
}

/// Extra state of stepping code, which processes one place after another, performing a task at each.
#[derive(Debug)]
pub struct Stepping<'a> {
    /// The ids of moves.
    pub ids: &'a Ids,
    /// The choices whose moves only the reference can list and make.
    pub left_to_reference: &'a BTreeSet<usize>,
    /// The address of the current place.
    pub item: Variable,
    /// The block of each chance event.
    pub draws: BTreeMap<Pc, Block>,
    /// The block of each choice that lists its legal moves.
    pub lists: BTreeMap<usize, Block>,
    /// The block to go to after a query was answered without changing the position.
    pub answered: Block,
    /// The block to go to when a task cannot be done; nothing has been changed by then.
    pub refused: Block,
    /// The block that saves the position before a change, where that is needed, and the block that continues
    /// after it.
    pub save_blocks: Option<(Block, Block)>,
    /// The liveness of slots.
    pub live: &'a Live,
}

/// Sets kept from one choice to the next, each of which only grows, so that fixpoints resume from the
/// previous result. They lie on the stack and are cleared whenever code starts on a position.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeptSets {
    /// The stack slot that holds the sets, once there is one.
    pub slot: Option<StackSlot>,
    /// The number of words in use.
    pub used: i64,
}

/// The capacity for kept sets, in words.
pub const KEPT_WORDS: i64 = 64;

/// How soft needs are treated, which bind only where some row of the moves that have any meets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preferences {
    /// They bind like other needs.
    Bind,
    /// They are ignored, because no row meets them or the move has none.
    Ignore,
}

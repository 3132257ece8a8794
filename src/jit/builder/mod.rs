//! The builder with which code is generated: words, memory, range checks.

pub mod bail_out;
pub mod control;
pub mod data;
pub mod state;
pub mod unsupported;
pub mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::eval::{Machine, Position};
use crate::ir::{MoveId, Pc, Slot};
use crate::jit::analysis::evaluated::Evaluated;
use crate::jit::builder::bail_out::BailOutReason;
use crate::jit::builder::data::Data;
use crate::jit::builder::state::{Helpers, KeptSets, Locals, Preferences, Run, SlotVars, Stepping};
pub use crate::jit::builder::unsupported::{Result, Unsupported, unsupported};
use crate::jit::builder::value::{Val, Word, WordWriter};
use crate::jit::layout::kept::Kept;
use crate::jit::layout::position::Layout;
use crate::jit::layout::shape::{LIMIT, NONE, Scalar, Sort};
use crate::jit::mir::builder::FunctionBuilder;
use crate::jit::mir::{BinaryOp, Block, IntCC, Op, Variable, types};
use crate::jit::runtime::call::{CTX_BASE, CTX_SCRATCH_END};
use crate::opt::{CandidateSets, Facts};
use crate::source::Span;

/// An SSA value of the code being generated.
pub type V = crate::jit::mir::Value;

/// The code builder: a [`FunctionBuilder`] with the facts about the game and the locations of its values.
pub struct Builder<'a> {
    /// The underlying function builder.
    pub b: FunctionBuilder,
    /// The game as written.
    pub source_machine: &'a Machine,
    /// The optimised game.
    pub machine: &'a Machine,
    /// The candidate sets of its moves, by `MoveId`.
    pub candidates: &'a [CandidateSets],
    /// The facts known about its values.
    pub facts: &'a Facts<'a>,
    /// The layout of positions.
    pub layout: &'a Layout,
    /// The slots that may be read before they are bound.
    pub maybe_unset: &'a BTreeSet<Slot>,
    /// A position before the start, whose grids already have their sizes.
    pub blank: &'a Position,
    /// What has been evaluated.
    pub evaluated: &'a Evaluated,
    /// The static data of the code.
    pub data: &'a mut Data,
    /// The runtime helpers.
    pub helpers: Helpers,
    /// The address of the context.
    pub ctx: V,
    /// The address of the current position.
    pub base: Variable,
    /// The registers that change at every step.
    pub run: Run,
    /// The extra state of stepping code, if this is such code.
    pub stepping: Option<Stepping<'a>>,
    /// The variables of the automaton's slots.
    pub vars: BTreeMap<Slot, SlotVars>,
    /// The local values of the expression being compiled.
    pub locals: Locals,
    /// How soft needs are treated at the moment.
    pub preferences: Preferences,
    /// The move whose rows are being enumerated.
    pub current_move: MoveId,
    /// The span of the rules that code is being generated for.
    pub span: Span,
    /// The bail-out blocks, one for each span and reason.
    pub bail_out_blocks: BTreeMap<(Span, BailOutReason), Block>,
    /// The block that stops for the reference to continue.
    pub side_exit: Block,
    /// The block to go to when the position waits at a stop.
    pub stopped: Block,
    /// The ops on loops of play without a stop; their back edges charge steps.
    pub ops_on_cycles: BTreeSet<Pc>,
    /// The sets that only grow and are kept between choices.
    pub kept_sets: KeptSets,
    /// How values that fit no word are kept, by the number in their sort.
    pub kept_forms: Vec<Arc<Kept>>,
    /// Whether choices and draws are logged.
    pub logs: bool,
    /// Whether what the body of a loop puts into scratch memory must outlast the loop.
    pub keeps_scratch: bool,
    /// Whether the code being generated is cold and should not lengthen hot paths.
    pub cold: bool,
    /// Whether the code being generated computes a value that is kept.
    pub memoising: bool,
    /// The number of hidden slots handed out so far.
    pub hidden_slots: usize,
    /// The number of copies of the current code that unrolling the enclosing loops makes.
    pub unrolled: usize,
    /// The number of expression nodes compiled so far, used to bound the size of the code.
    pub size: u64,
    /// The cost of one pass over the code so far, loops included, in steps of the reference evaluator.
    pub cost: u64,
}

/// The first of the slots that [`Builder::hidden_slot`] hands out; the slots of games lie far below.
pub const FIRST_HIDDEN_SLOT: Slot = usize::MAX / 4;

/// The largest number of nodes for which one game's code is generated.
const MAX_SIZE: u64 = 60_000;

impl Builder<'_> {
    /// Counts a node; fails once the code becomes too large.
    pub fn node(&mut self) -> Result<()> {
        self.size += 1;
        self.cost += 1;
        if self.size > MAX_SIZE {
            return unsupported("it is too much code");
        }
        Ok(())
    }

    /// Returns a slot that no rule can read or bind, for a value that only lowering needs.
    pub fn hidden_slot(&mut self) -> Slot {
        self.hidden_slots += 1;
        FIRST_HIDDEN_SLOT + self.hidden_slots - 1
    }

    // ---- words

    /// Emits a constant.
    pub fn int(&mut self, n: i64) -> V {
        self.b.ins().iconst(types::I64, n)
    }

    /// Returns a constant as a word with a known value.
    pub fn known(&mut self, n: i64, s: Scalar) -> Word {
        let v = self.int(n);
        Word { v, s: Scalar { lo: n, hi: n, ..s }, known: Some(n) }
    }

    /// Wraps a value as an integer with a range.
    pub fn ranged(v: V, lo: i64, hi: i64) -> Word {
        Word { v, s: Scalar::int(lo, hi), known: None }
    }

    /// Widens a one-byte boolean to a word.
    pub fn bool_word(&mut self, v: V) -> Word {
        let v = self.b.ins().uextend(types::I64, v);
        Word { v, s: Scalar { sort: Sort::Bool, lo: 0, hi: 1, optional: false }, known: None }
    }

    /// Declares a variable and gives it a first value.
    pub fn var(&mut self, first: V) -> Variable {
        let ty = self.b.func.ty(first);
        let var = self.b.declare_var(ty);
        self.b.def_var(var, first);
        var
    }

    /// Compares two words, folding constants.
    pub fn cmp(&mut self, cc: IntCC, a: V, b: V) -> V {
        match self.constant_of(b) {
            Some(n) => self.cmp_imm(cc, a, n),
            None => self.b.ins().icmp(cc, a, b),
        }
    }

    /// Compares a word with a constant, folding constants.
    pub fn cmp_imm(&mut self, cc: IntCC, a: V, n: i64) -> V {
        let wide = self.b.func.ty(a) == types::I64;
        match self.constant_of(a).filter(|_| wide) {
            Some(known) => {
                let (a, b) = (known as u64, n as u64);
                let holds = match cc {
                    IntCC::Equal => a == b,
                    IntCC::NotEqual => a != b,
                    IntCC::SignedLessThan => known < n,
                    IntCC::SignedLessThanOrEqual => known <= n,
                    IntCC::SignedGreaterThan => known > n,
                    IntCC::SignedGreaterThanOrEqual => known >= n,
                    IntCC::UnsignedLessThan => a < b,
                    IntCC::UnsignedLessThanOrEqual => a <= b,
                    IntCC::UnsignedGreaterThan => a > b,
                    IntCC::UnsignedGreaterThanOrEqual => a >= b,
                };
                self.b.ins().iconst(types::I8, i64::from(holds))
            }
            None => self.b.ins().icmp_imm_s(cc, a, n),
        }
    }

    /// Returns a word in which only bit `place` is set.
    pub fn bit(&mut self, place: V) -> V {
        let one = self.int(1);
        self.b.ins().ishl(one, place)
    }

    // ---- control flow

    /// Creates a block, which is cold if the code being generated is.
    pub fn block(&mut self) -> Block {
        let block = self.b.create_block();
        if self.cold {
            self.b.set_cold_block(block);
        }
        block
    }

    /// Creates a cold block.
    pub fn cold_block(&mut self) -> Block {
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        block
    }

    /// Generates code whose new blocks are cold.
    pub fn cold<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let around = std::mem::replace(&mut self.cold, true);
        let result = body(self);
        self.cold = around;
        result
    }

    /// Jumps to a block.
    pub fn jump(&mut self, to: Block) {
        self.b.jump(to, &[]);
    }

    /// Returns the value of a constant, or of the sum of two constants.
    pub fn constant_of(&self, v: V) -> Option<i64> {
        let func = &self.b.func;
        match func.def_op(v)? {
            Op::Binary(BinaryOp::Iadd, a, b) => Some(func.constant(*a)?.wrapping_add(func.constant(*b)?)),
            _ => func.constant(v),
        }
    }

    /// Branches to one of two blocks; jumps if the condition is constant.
    pub fn branch_on(&mut self, cond: V, yes: Block, no: Block) {
        if let Some(known) = self.constant_of(cond) {
            self.jump(if known == 0 { no } else { yes });
            return;
        }
        self.b.brif(cond, (yes, &[]), (no, &[]));
    }

    /// Continues in a block all of whose predecessors are already known.
    pub fn switch_to(&mut self, block: Block) {
        self.b.seal_block(block);
        self.b.switch_to_block(block);
    }

    /// Continues in a loop header, to which a back edge follows later.
    pub fn switch_to_loop(&mut self, block: Block) {
        self.b.switch_to_block(block);
    }

    /// Jumps to a block; code emitted after this is unreachable.
    pub fn jump_away(&mut self, to: Block) {
        self.jump(to);
        let dead = self.block();
        self.switch_to(dead);
    }

    /// Leaves the code with a status.
    pub fn return_status(&mut self, status: i64) {
        let status = self.int(status);
        self.b.return_(status);
    }

    // ---- memory

    /// Returns the address of the position.
    pub fn base(&mut self) -> V {
        self.b.use_var(self.base)
    }

    /// Reloads the position's address after a call that may have moved the position.
    pub fn reload_base(&mut self) {
        let v = self.b.ins().load(types::I64, self.ctx, CTX_BASE);
        self.b.def_var(self.base, v);
    }

    /// Loads `count` words that lie one after another.
    pub fn load_words(&mut self, at: V, count: usize) -> Vec<V> {
        (0..count).map(|i| self.load64(at, i as i32 * 8)).collect()
    }

    /// Loads a word.
    pub fn load64(&mut self, at: V, offset: i32) -> V {
        self.b.ins().load(types::I64, at, offset)
    }

    /// Stores a word.
    pub fn store64(&mut self, v: V, at: V, offset: i32) {
        self.b.ins().store(v, at, offset);
    }

    /// Returns the address of entry `i` (from 0) of an array whose entries have `bytes` bytes.
    pub fn entry_at(&mut self, row: V, i: V, bytes: i64) -> V {
        let offset = match bytes.count_ones() == 1 {
            true => self.b.ins().ishl_imm_s(i, i64::from(bytes.trailing_zeros())),
            false => self.b.ins().imul_imm_s(i, bytes),
        };
        self.b.ins().iadd(row, offset)
    }

    /// Loads an unsigned number of `width` bytes.
    pub fn load_u(&mut self, width: u32, at: V, offset: i32) -> V {
        match width {
            1 => self.b.ins().load_unsigned(types::I8, at, offset),
            2 => self.b.ins().load_unsigned(types::I16, at, offset),
            4 => self.b.ins().load_unsigned(types::I32, at, offset),
            _ => self.load64(at, offset),
        }
    }

    /// Stores the lowest `width` bytes of a word.
    pub fn store_u(&mut self, width: u32, v: V, at: V, offset: i32) {
        match width {
            1 => self.b.ins().store_low(types::I8, v, at, offset),
            2 => self.b.ins().store_low(types::I16, v, at, offset),
            4 => self.b.ins().store_low(types::I32, v, at, offset),
            _ => self.b.ins().store(v, at, offset),
        };
    }

    /// Loads a stored scalar. If `unset` says that it may be unwritten, bails out where it is.
    pub fn load_scalar(&mut self, of: Scalar, unset: bool, at: V, offset: i32) -> Word {
        let width = of.width();
        let raw = match width {
            1 => self.b.ins().load_signed(types::I8, at, offset),
            2 => self.b.ins().load_signed(types::I16, at, offset),
            4 => self.b.ins().load_signed(types::I32, at, offset),
            _ => self.load64(at, offset),
        };
        let least = if width == 8 { i64::MIN } else { -(1i64 << (width * 8 - 1)) };
        if unset {
            let is_unset = self.cmp_imm(IntCC::Equal, raw, least + 1);
            self.bail_out_for(BailOutReason::Unset, is_unset);
        }
        let mut v = raw;
        if of.optional && width < 8 {
            let none = self.cmp_imm(IntCC::Equal, raw, least);
            let code = self.int(NONE);
            v = self.b.ins().select(none, code, raw);
        }
        Word { v, s: of, known: None }
    }

    /// Stores a scalar that is known to be in range.
    pub fn store_scalar(&mut self, of: Scalar, word: Word, at: V, offset: i32) {
        let width = of.width();
        let mut v = word.v;
        if width < 8 && word.s.optional {
            // The code of none is `i64::MIN` in a word, but the least value of the width where the stored
            // value is narrower.
            let none = self.cmp_imm(IntCC::Equal, v, NONE);
            let code = self.int(-(1i64 << (width * 8 - 1)));
            v = self.b.ins().select(none, code, v);
        }
        self.store_u(width, v, at, offset);
    }

    /// Allocates scratch memory for the step and returns its address; bails out if there is too little.
    pub fn scratch(&mut self, bytes: V) -> V {
        let up = self.b.ins().iadd_imm_s(bytes, 15);
        let size = self.b.ins().band_imm_s(up, !7);
        let at = self.b.use_var(self.run.scratch);
        let end = self.load64(self.ctx, CTX_SCRATCH_END);
        let next = self.b.ins().iadd(at, size);
        let full = self.cmp(IntCC::UnsignedGreaterThan, next, end);
        self.bail_out_for(BailOutReason::Memory, full);
        self.b.def_var(self.run.scratch, next);
        at
    }

    /// Begins a list of words in scratch memory, with room for so many bytes.
    pub fn words_in_scratch(&mut self, room: V) -> WordWriter {
        let at = self.scratch(room);
        self.words_at(at)
    }

    /// Begins a list of words at an address.
    pub fn words_at(&mut self, at: V) -> WordWriter {
        WordWriter { at, end: self.var(at) }
    }

    /// Appends a word to a list.
    pub fn append(&mut self, list: WordWriter, word: V) {
        let to = self.b.use_var(list.end);
        self.store64(word, to, 0);
        let next = self.b.ins().iadd_imm_s(to, 8);
        self.b.def_var(list.end, next);
    }

    /// Appends a word to a list if a number is 1 rather than 0, without a branch. There must be room for the word in either
    /// case.
    pub fn append_if(&mut self, keep: V, list: WordWriter, word: V) {
        let to = self.b.use_var(list.end);
        self.store64(word, to, 0);
        let next = self.entry_at(to, keep, 8);
        self.b.def_var(list.end, next);
    }

    /// Returns the number of words of a list so far.
    pub fn word_count(&mut self, list: WordWriter) -> V {
        let end = self.b.use_var(list.end);
        self.words_between(list.at, end)
    }

    /// Returns the number of words between two addresses.
    pub fn words_between(&mut self, from: V, to: V) -> V {
        let bytes = self.b.ins().isub(to, from);
        self.b.ins().ushr_imm_s(bytes, 3)
    }

    /// Generates code whose loops release no scratch memory, if their values are kept.
    pub fn keeping_scratch<T>(&mut self, keeps: bool, body: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.keeps_scratch;
        self.keeps_scratch |= keeps;
        let result = body(self);
        self.keeps_scratch = outer;
        result
    }

    /// Releases the scratch memory that the body of a loop has used since a mark, unless its values are kept.
    pub fn release_scratch(&mut self, mark: V) {
        if !self.keeps_scratch {
            self.b.def_var(self.run.scratch, mark);
        }
    }

    /// Reserves a fixed number of bytes on the stack and returns their address.
    pub fn stack(&mut self, bytes: u32) -> V {
        let slot = self.b.create_stack_slot(bytes);
        self.b.ins().stack_addr(slot)
    }

    /// Calls a runtime helper.
    pub fn call(&mut self, name: &'static str, args: &[V]) -> Result<V> {
        let Some(function) = self.helpers.0.get(name) else {
            return unsupported(format!("the helper {name} is missing"));
        };
        Ok(self.b.call(*function, args))
    }

    // ---- range checks

    /// Returns a word with the given range, bailing out where it exceeds the limits of compiled integers.
    pub fn within(&mut self, v: V, lo: i128, hi: i128) -> Word {
        let limit = i128::from(LIMIT);
        let out = match (lo < -limit, hi > limit) {
            (false, false) => None,
            (true, false) => Some(self.cmp_imm(IntCC::SignedLessThan, v, -LIMIT)),
            (false, true) => Some(self.cmp_imm(IntCC::SignedGreaterThan, v, LIMIT)),
            (true, true) => {
                let up = self.b.ins().iadd_imm_s(v, LIMIT);
                let most = self.int((LIMIT as u64 * 2) as i64);
                Some(self.cmp(IntCC::UnsignedGreaterThan, up, most))
            }
        };
        if let Some(out) = out {
            self.bail_out_for(BailOutReason::Large, out);
        }
        let clamp = |n: i128| n.clamp(-limit, limit) as i64;
        Self::ranged(v, clamp(lo), clamp(hi))
    }

    /// Bails out where a word lies outside `lo..=hi`, unless its own range rules that out. None and unset lie
    /// outside.
    pub fn must_fit(&mut self, word: Word, lo: i64, hi: i64) {
        if word.s.lo >= lo && word.s.hi <= hi && !word.s.optional {
            return;
        }
        if lo <= -LIMIT && hi >= LIMIT && !word.s.optional {
            return;
        }
        if lo > hi {
            let bail_out_block = self.bail_out_block_for(BailOutReason::Range);
            return self.jump_away(bail_out_block);
        }
        let off = self.b.ins().iadd_imm_s(word.v, lo.wrapping_neg());
        let span = self.int(hi.wrapping_sub(lo));
        let out = self.cmp(IntCC::UnsignedGreaterThan, off, span);
        self.bail_out_for(BailOutReason::Range, out);
    }

    /// Bails out where a value does not fit a place; returns it as the words of the place's sort.
    pub fn must_fit_place(&mut self, word: Word, of: Scalar) -> Result<Word> {
        let word = match of.sort {
            Sort::Tuple(row) => self.pack_as(row, Val::Word(word), true)?,
            sort => self.convert_to_sort(word, sort, true)?,
        };
        if word.s.sort != of.sort {
            return unsupported("a value of another sort");
        }
        let plain = word.s.lo >= of.lo && word.s.hi <= of.hi;
        if plain && (of.optional || !word.s.optional) {
            return Ok(Word { s: Scalar { optional: word.s.optional, ..word.s }, ..word });
        }
        if word.s.optional && of.optional {
            let none = self.cmp_imm(IntCC::Equal, word.v, NONE);
            let low = self.int(of.lo);
            let tested = self.b.ins().select(none, low, word.v);
            self.must_fit(
                Word { v: tested, s: Scalar { optional: false, ..word.s }, known: None },
                of.lo,
                of.hi,
            );
            return Ok(Word { s: of, ..word });
        }
        self.must_fit(word, of.lo, of.hi);
        Ok(Word { s: Scalar { lo: of.lo, hi: of.hi, ..of }, ..word })
    }

    /// Bails out where a word is none; returns it as a word that is not optional.
    pub fn require_some(&mut self, word: Word) -> Word {
        if !word.s.optional {
            return word;
        }
        let none = self.cmp_imm(IntCC::Equal, word.v, NONE);
        self.bail_out_if(none);
        Word { s: Scalar { optional: false, ..word.s }, known: None, ..word }
    }
}

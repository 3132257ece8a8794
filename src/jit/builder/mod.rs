//! The builder, by which machine code is put together: words, memory, branches, loops, ways out.

pub mod bail_out;
pub mod data;
pub mod state;
pub mod unsupported;
pub mod value;

use std::collections::{BTreeMap, BTreeSet};

use crate::eval::{Machine, Position};
use crate::ir::{MoveId, Pc, Slot};
use crate::jit::builder::bail_out::Why;
use crate::jit::builder::data::Data;
use crate::jit::builder::state::{
    Helpers, KeptSets, Locals, Preferences, RegisterLists, Run, SlotVars, Stepping,
};
pub use crate::jit::builder::unsupported::{Result, Unsupported, unsupported};
use crate::jit::builder::value::{Val, Word};
use crate::jit::if_conversion::Hints;
use crate::jit::layout::position::Layout;
use crate::jit::layout::shape::{LIMIT, NONE, Scalar, Sort};
use crate::jit::mir::builder::FunctionBuilder;
use crate::jit::mir::{BinaryOp, Block, IntCC, Op, Variable, types};
use crate::jit::runtime::call::{CTX_BASE, CTX_SCRATCH_END};
use crate::opt::{CandidateSets, Facts};
use crate::source::Span;

/// A value of the code being made.
pub type V = crate::jit::mir::Value;

/// The builder: [`FunctionBuilder`] with what is known of the game and where its values are.
pub struct Builder<'a> {
    /// Where instructions go.
    pub b: FunctionBuilder,
    /// The game as it was written.
    pub written: &'a Machine,
    /// The game, optimised.
    pub machine: &'a Machine,
    /// The candidate sets of its moves.
    pub candidates: &'a [CandidateSets],
    /// What is known of its values.
    pub facts: &'a Facts<'a>,
    /// Where things lie.
    pub layout: &'a Layout,
    /// The slots that may be read before anything is named by them.
    pub maybe_unset: &'a BTreeSet<Slot>,
    /// A position whose grids have their sizes.
    pub blank: &'a Position,
    /// Static data.
    pub data: &'a mut Data,
    /// Helpers.
    pub helpers: Helpers,
    /// The context.
    pub ctx: V,
    /// The address of the position.
    pub base: Variable,
    /// What changes at every step, in registers.
    pub run: Run,
    /// Of code that goes step by step, where it is.
    pub stepping: Option<Stepping<'a>>,
    /// The lists in registers.
    pub held: RegisterLists,
    /// The automaton's slots.
    pub vars: BTreeMap<Slot, SlotVars>,
    /// The local values of the expression being compiled.
    pub locals: Locals,
    /// How needs are taken that bind only where possible.
    pub preferences: Preferences,
    /// The move whose rows are being found.
    pub entered: MoveId,
    /// The place in the rules that code is being made of.
    pub span: Span,
    /// The blocks where code bails out, one for each place and reason.
    pub bail_out_blocks: BTreeMap<(Span, Why), Block>,
    /// Where code goes that stops for the reference to go on from there.
    pub side_exit: Block,
    /// Where the automaton goes when the position waits.
    pub stopped: Block,
    /// The ops from which play can come back to them without a stop: there the steps are charged.
    pub loop_headers: BTreeSet<Pc>,
    /// What is known of the code.
    pub hints: Hints,
    /// The sets that only grow.
    pub kept_sets: KeptSets,
    /// Whether choices and draws are written down.
    pub logs: bool,
    /// Whether the code being made is cold, where it does not lengthen the ways that are often gone.
    pub cold: bool,
    /// How many times over the code being made stands there, for loops that were unrolled around it.
    pub unrolled: usize,
    /// How many instructions' worth of expressions went in, to bound the code.
    pub size: u64,
    /// The cost of one pass over the code so far, in steps of the reference, loops included.
    pub cost: u64,
}

/// How much code one game may make.
const MAX_SIZE: u64 = 60_000;

impl Builder<'_> {
    /// Counts a node; too many are left to the reference.
    pub fn node(&mut self) -> Result<()> {
        self.size += 1;
        self.cost += 1;
        if self.size > MAX_SIZE {
            return unsupported("it is too much code");
        }
        Ok(())
    }

    // ---- words

    /// A constant.
    pub fn int(&mut self, n: i64) -> V {
        self.b.ins().iconst(types::I64, n)
    }

    /// A known word.
    pub fn known(&mut self, n: i64, s: Scalar) -> Word {
        let v = self.int(n);
        Word { v, s: Scalar { lo: n, hi: n, ..s }, known: Some(n) }
    }

    /// An integer with a range.
    pub fn ranged(v: V, lo: i64, hi: i64) -> Word {
        Word { v, s: Scalar::int(lo, hi), known: None }
    }

    /// A truth of one byte as a word.
    pub fn bool_word(&mut self, v: V) -> Word {
        let v = self.b.ins().uextend(types::I64, v);
        Word { v, s: Scalar { sort: Sort::Bool, lo: 0, hi: 1, optional: false }, known: None }
    }

    /// A new variable with a first value.
    pub fn var(&mut self, first: V) -> Variable {
        let ty = self.b.func.ty(first);
        let var = self.b.declare_var(ty);
        self.b.def_var(var, first);
        var
    }

    /// Compares two words.
    pub fn cmp(&mut self, cc: IntCC, a: V, b: V) -> V {
        match self.constant_of(b) {
            Some(n) => self.cmp_imm(cc, a, n),
            None => self.b.ins().icmp(cc, a, b),
        }
    }

    /// Compares with a constant.
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

    /// A word with one bit set, number `place`.
    pub fn bit(&mut self, place: V) -> V {
        let one = self.int(1);
        self.b.ins().ishl(one, place)
    }

    // ---- ways out

    /// A new block.
    pub fn block(&mut self) -> Block {
        let block = self.b.create_block();
        if self.cold {
            self.b.set_cold_block(block);
        }
        block
    }

    /// A new block that is cold: code seldom goes there.
    pub fn cold_block(&mut self) -> Block {
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        block
    }

    /// Code whose blocks are cold.
    pub fn cold<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let around = std::mem::replace(&mut self.cold, true);
        let result = body(self);
        self.cold = around;
        result
    }

    /// Goes on in a block.
    pub fn jump(&mut self, to: Block) {
        self.b.jump(to, &[]);
    }

    /// The value of a constant, or of a constant moved on by another.
    pub fn constant_of(&self, v: V) -> Option<i64> {
        let func = &self.b.func;
        match func.made_by(v)? {
            Op::Binary(BinaryOp::Iadd, a, b) => Some(func.constant(*a)?.wrapping_add(func.constant(*b)?)),
            _ => func.constant(v),
        }
    }

    /// Goes to one of two blocks.
    pub fn branch_on(&mut self, cond: V, yes: Block, no: Block) {
        if let Some(known) = self.constant_of(cond) {
            self.jump(if known == 0 { no } else { yes });
            return;
        }
        self.b.brif(cond, (yes, &[]), (no, &[]));
    }

    /// What follows the last branch may be put into a row; what follows a jump only if `jumps`.
    pub fn hyperblock_from_here(&mut self, jumps: bool) {
        let func = &self.b.func;
        let last = self.b.current_block().and_then(|block| func.terminator(block));
        self.hints.starts.extend(last.filter(|inst| jumps || matches!(func.op(*inst), Op::Branch(..))));
    }

    /// What follows is put into this block. Whatever goes there has been said.
    pub fn at(&mut self, block: Block) {
        self.b.seal_block(block);
        self.b.switch_to_block(block);
    }

    /// What follows is put into this block, to which code further down comes back.
    pub fn at_loop(&mut self, block: Block) {
        self.b.switch_to_block(block);
    }

    /// Goes on in a block; what follows is never reached.
    pub fn leave_for(&mut self, to: Block) {
        self.jump(to);
        let dead = self.block();
        self.at(dead);
    }

    /// Leaves the code, which says how it came to that.
    pub fn exit(&mut self, status: i64) {
        let status = self.int(status);
        self.b.return_(status);
    }

    // ---- memory

    /// The address of the position.
    pub fn base(&mut self) -> V {
        let base = self.b.use_var(self.base);
        self.hints.addresses.has_room(base, i64::from(self.layout.bytes));
        base
    }

    /// Reads the position's address anew, after something that may have moved it.
    pub fn moved(&mut self) {
        let v = self.b.ins().load(types::I64, self.ctx, CTX_BASE);
        self.b.def_var(self.base, v);
    }

    /// A word in memory.
    pub fn load64(&mut self, at: V, offset: i32) -> V {
        self.b.ins().load(types::I64, at, offset)
    }

    /// Writes a word.
    pub fn store64(&mut self, v: V, at: V, offset: i32) {
        self.b.ins().store(v, at, offset);
    }

    /// The address of entry number `i`, from 0, of a row whose entries have so many bytes.
    pub fn entry_at(&mut self, row: V, i: V, bytes: i64) -> V {
        let offset = match bytes.count_ones() == 1 {
            true => self.b.ins().ishl_imm_s(i, i64::from(bytes.trailing_zeros())),
            false => self.b.ins().imul_imm_s(i, bytes),
        };
        self.b.ins().iadd(row, offset)
    }

    /// An unsigned number of 1, 2 or 4 bytes.
    pub fn load_u(&mut self, width: u32, at: V, offset: i32) -> V {
        match width {
            1 => self.b.ins().load_unsigned(types::I8, at, offset),
            2 => self.b.ins().load_unsigned(types::I16, at, offset),
            4 => self.b.ins().load_unsigned(types::I32, at, offset),
            _ => self.load64(at, offset),
        }
    }

    /// Writes the lowest bytes of a word.
    pub fn store_u(&mut self, width: u32, v: V, at: V, offset: i32) {
        match width {
            1 => self.b.ins().store_low(types::I8, v, at, offset),
            2 => self.b.ins().store_low(types::I16, v, at, offset),
            4 => self.b.ins().store_low(types::I32, v, at, offset),
            _ => self.b.ins().store(v, at, offset),
        };
    }

    /// A stored value. `unset`: whether it may be unwritten, which is a matter for the reference.
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
            let gone = self.cmp_imm(IntCC::Equal, raw, least + 1);
            self.bail_out_for(Why::Unset, gone);
        }
        let mut v = raw;
        if of.optional && width < 8 {
            let none = self.cmp_imm(IntCC::Equal, raw, least);
            let code = self.int(NONE);
            v = self.b.ins().select(none, code, raw);
        }
        Word { v, s: of, known: None }
    }

    /// Writes a value that is in range.
    pub fn store_scalar(&mut self, of: Scalar, word: Word, at: V, offset: i32) {
        let width = of.width();
        let mut v = word.v;
        if width < 8 && word.s.optional {
            // The codes of none end in zeros at 64 bits; narrow ones are the least of their width.
            let none = self.cmp_imm(IntCC::Equal, v, NONE);
            let code = self.int(-(1i64 << (width * 8 - 1)));
            v = self.b.ins().select(none, code, v);
        }
        self.store_u(width, v, at, offset);
    }

    /// Scratch memory for the step: so many bytes.
    pub fn scratch(&mut self, bytes: V) -> V {
        let up = self.b.ins().iadd_imm_s(bytes, 15);
        let size = self.b.ins().band_imm_s(up, !7);
        let at = self.b.use_var(self.run.scratch);
        let end = self.load64(self.ctx, CTX_SCRATCH_END);
        let next = self.b.ins().iadd(at, size);
        let full = self.cmp(IntCC::UnsignedGreaterThan, next, end);
        self.bail_out_for(Why::Memory, full);
        self.b.def_var(self.run.scratch, next);
        at
    }

    /// A place on the stack, for a fixed number of bytes.
    pub fn stack(&mut self, bytes: u32) -> V {
        let slot = self.b.create_stack_slot(bytes);
        self.b.ins().stack_addr(slot)
    }

    /// Calls a helper.
    pub fn call(&mut self, name: &'static str, args: &[V]) -> Result<V> {
        let Some(function) = self.helpers.0.get(name) else {
            return unsupported(format!("the helper {name} is missing"));
        };
        Ok(self.b.call(*function, args))
    }

    // ---- loops

    /// Charges the steps that a pass of a loop costs, where the loop has no known bound.
    pub(in crate::jit) fn charge(&mut self, cost: u64) {
        let fuel = self.b.use_var(self.run.fuel);
        let left = self.b.ins().iadd_imm_s(fuel, -i64::try_from(cost.min(1 << 40)).unwrap_or(1 << 40));
        self.b.def_var(self.run.fuel, left);
        let out = self.cmp_imm(IntCC::SignedLessThan, left, 0);
        self.bail_out_for(Why::Steps, out);
    }

    /// The steps that a part costs which is gone through at most `trips` times; without a bound each pass is charged.
    pub fn times<T>(&mut self, trips: Option<i64>, body: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        const FEW: u64 = 200_000;
        let before = std::mem::take(&mut self.cost);
        let result = body(self)?;
        let inside = self.cost + 4;
        self.cost = before;
        let all = trips.map(|trips| inside.saturating_mul(trips.max(0) as u64));
        match all.filter(|all| *all <= FEW) {
            Some(all) => self.cost = self.cost.saturating_add(all),
            None => self.charge(inside),
        }
        Ok(result)
    }

    /// Goes through the integers from `lo` to `hi`. `body` gets the number and the block to break to.
    pub fn each_int(
        &mut self,
        lo: V,
        hi: V,
        trips: Option<i64>,
        body: impl FnOnce(&mut Self, V, Block) -> Result<()>,
    ) -> Result<()> {
        let i = self.var(lo);
        let (head, inside, exit) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.at_loop(head);
        let now = self.b.use_var(i);
        let more = self.cmp(IntCC::SignedLessThanOrEqual, now, hi);
        self.branch_on(more, inside, exit);
        self.at(inside);
        self.times(trips, |this| body(this, now, exit))?;
        let next = self.b.ins().iadd_imm_s(now, 1);
        self.b.def_var(i, next);
        self.jump(head);
        self.at(exit);
        Ok(())
    }

    /// Whether something holds for all integers from `lo` to `hi`; what comes after one that fails is not looked at.
    pub fn all_hold(
        &mut self,
        lo: V,
        hi: V,
        trips: Option<i64>,
        body: impl FnOnce(&mut Self, V) -> Result<V>,
    ) -> Result<V> {
        let yes = self.b.ins().iconst(types::I8, 1);
        let result = self.var(yes);
        self.each_int(lo, hi, trips, |this, i, exit| {
            let holds = body(this, i)?;
            this.b.def_var(result, holds);
            let on = this.block();
            this.branch_on(holds, on, exit);
            this.at(on);
            Ok(())
        })?;
        Ok(self.b.use_var(result))
    }

    /// Goes through the bits that are set, lowest first. `body` gets the number of the bit.
    pub fn each_bit(
        &mut self,
        words: &[V],
        trips: Option<i64>,
        mut body: impl FnMut(&mut Self, V, Block) -> Result<()>,
    ) -> Result<()> {
        let exit = self.block();
        if words.len() == 1 {
            self.bits_of(words[0], 0, trips, exit, &mut body)?;
        } else {
            // One loop over all words, so that the body is there once.
            let room = self.stack(words.len() as u32 * 8);
            for (at, word) in words.iter().enumerate() {
                self.store64(*word, room, at as i32 * 8);
            }
            let zero = self.int(0);
            let at = self.var(zero);
            let rest = self.var(words[0]);
            let (head, refill, inside) = (self.block(), self.block(), self.block());
            let load = self.block();
            self.jump(head);
            self.at_loop(head);
            let word = self.b.use_var(rest);
            self.branch_on(word, inside, refill);
            self.at(refill);
            let number = self.b.use_var(at);
            let next = self.b.ins().iadd_imm_s(number, 1);
            self.b.def_var(at, next);
            let done = self.cmp_imm(IntCC::Equal, next, words.len() as i64);
            self.branch_on(done, exit, load);
            self.at(load);
            let place = self.entry_at(room, next, 8);
            let word = self.load64(place, 0);
            self.b.def_var(rest, word);
            self.jump(head);
            self.at(inside);
            let word = self.b.use_var(rest);
            let bit = self.b.ins().ctz(word);
            let less = self.b.ins().iadd_imm_s(word, -1);
            let left = self.b.ins().band(word, less);
            self.b.def_var(rest, left);
            let number = self.b.use_var(at);
            let first = self.b.ins().ishl_imm_s(number, 6);
            let place = self.b.ins().iadd(first, bit);
            self.times(trips, |this| body(this, place, exit))?;
            self.jump(head);
        }
        self.at(exit);
        Ok(())
    }

    pub(in crate::jit) fn bits_of(
        &mut self,
        word: V,
        first: i64,
        trips: Option<i64>,
        exit: Block,
        body: &mut impl FnMut(&mut Self, V, Block) -> Result<()>,
    ) -> Result<()> {
        let rest = self.var(word);
        let (head, inside) = (self.block(), self.block());
        self.jump(head);
        self.at_loop(head);
        let word = self.b.use_var(rest);
        self.branch_on(word, inside, exit);
        self.at(inside);
        let bit = self.b.ins().ctz(word);
        let less = self.b.ins().iadd_imm_s(word, -1);
        let left = self.b.ins().band(word, less);
        self.b.def_var(rest, left);
        let place = self.b.ins().iadd_imm_s(bit, first);
        self.times(trips, |this| body(this, place, exit))?;
        self.jump(head);
        Ok(())
    }

    // ---- numbers within limits

    /// A word that must lie within the limits of compiled integers, if its range does not say so already.
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
            self.bail_out_for(Why::Large, out);
        }
        let clamp = |n: i128| n.clamp(-limit, limit) as i64;
        Self::ranged(v, clamp(lo), clamp(hi))
    }

    /// Hands over where a word is not in a range that its own range does not ensure. None and unset are not.
    pub fn must_fit(&mut self, word: Word, lo: i64, hi: i64) {
        if word.s.lo >= lo && word.s.hi <= hi && !word.s.optional {
            return;
        }
        if lo <= -LIMIT && hi >= LIMIT && !word.s.optional {
            return;
        }
        if lo > hi {
            let bail_out_block = self.bail_out_block_for(Why::Range);
            return self.leave_for(bail_out_block);
        }
        let off = self.b.ins().iadd_imm_s(word.v, lo.wrapping_neg());
        let span = self.int(hi.wrapping_sub(lo));
        let out = self.cmp(IntCC::UnsignedGreaterThan, off, span);
        self.bail_out_for(Why::Range, out);
    }

    /// Hands over where a value does not fit a place.
    pub fn must_fit_place(&mut self, word: Word, of: Scalar) -> Result<Word> {
        let word = match of.sort {
            Sort::Tuple(row) => self.word_of_row(row, Val::Word(word), true)?,
            sort => self.in_kind(word, sort, true)?,
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

    /// A word that is not none, where it may be.
    pub fn some(&mut self, word: Word) -> Word {
        if !word.s.optional {
            return word;
        }
        let none = self.cmp_imm(IntCC::Equal, word.v, NONE);
        self.bail_out_if(none);
        Word { s: Scalar { optional: false, ..word.s }, known: None, ..word }
    }
}

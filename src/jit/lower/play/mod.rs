//! Play: the automaton as one function, which runs from stop to stop or, in playouts, from the start to the
//! end.

pub mod chance;
pub mod choose;
pub mod joint;
pub mod log;
pub mod outcome;

use std::collections::{BTreeMap, BTreeSet};

use crate::eval::MAX_STEPS;
use crate::ir::{
    Builtin, Change, Domain, Effect, Expr, ExprKind, Game, Live, Op, Pc, Slot, Type, successors,
};
use crate::jit::builder::bail_out::{BailOutReason, op_span};
use crate::jit::builder::unsupported::MarkedPart;
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, Unsupported, V, unsupported};
use crate::jit::layout::kept::Kept;
use crate::jit::layout::position::{CHOICE, DRAWS, LAST, PC, SEATS, Stop, WAITING, WINNERS};
use crate::jit::layout::shape::{LIMIT, Length, Scalar, Shape, Sort, is_consecutive};
use crate::jit::layout::slots::{SlotShape, visits_all, words_of};
use crate::jit::layout::tuple::word_in;
use crate::jit::mir::{Block, IntCC};
use crate::jit::runtime::call::{
    CTX_CHANCE, CTX_COST, CTX_DRAWS, CTX_FUEL, CTX_ITEM, CTX_MAX_MOVES, CTX_TASK, ITEM_BASE, ITEM_BYTES,
    ITEM_MOVES, ITEM_STREAM,
};
use crate::source::Span;

/// The parts of a game that could not be compiled.
#[derive(Debug, Default)]
pub struct UnsupportedParts {
    /// The ops that are left to the reference, with the reasons.
    pub side_exits: Vec<(Pc, String)>,
    /// The parts that the reference can evaluate on its own, with the reasons.
    pub marked_parts: Vec<(MarkedPart, String)>,
    /// In stepping code, the choice that cannot be handled, and why.
    pub left_to_reference: Option<(usize, Unsupported)>,
}

impl Builder<'_> {
    /// Compiles the whole automaton. At the ops in `side_exits`, code takes a side exit to the reference.
    pub fn automaton(&mut self, live: &Live, side_exits: &BTreeMap<Pc, String>) -> UnsupportedParts {
        let game = &self.machine.game;
        // A match ends only once.
        let block = |op: &Op| if matches!(op, Op::End(_)) { self.cold_block() } else { self.block() };
        let ops: Vec<Block> = game.code.iter().map(block).collect();
        let mut parts = UnsupportedParts::default();
        self.locals.automaton = true;
        self.ops_on_cycles = ops_on_cycles(game, self.layout.all_in, false);
        if self.stepping.is_none() {
            self.entries(&ops, live, side_exits);
        } else if let Err(left_to_reference) = self.tasks(&ops, live, side_exits) {
            parts.left_to_reference = Some(left_to_reference);
            return parts;
        }
        for (pc, op) in game.code.iter().enumerate() {
            self.switch_to_loop(ops[pc]);
            self.locals.bound.clear();
            self.span = op_span(game, pc);
            if let Some(why) = side_exits.get(&pc) {
                self.side_exit_before(pc, why, live);
                continue;
            }
            self.cold = matches!(op, Op::End(_));
            if let Err(Unsupported(why, mark)) = self.op_or_interpreted(pc, op, &ops, live) {
                match mark {
                    Some(mark) => parts.marked_parts.push((mark, why)),
                    None => parts.side_exits.push((pc, why)),
                }
                let bail_out_block = self.bail_out_block();
                self.jump(bail_out_block);
            }
        }
        parts
    }

    /// Dispatches from the task to the op where it begins.
    pub(in crate::jit) fn entries(&mut self, ops: &[Block], live: &Live, side_exits: &BTreeMap<Pc, String>) {
        let game = &self.machine.game;
        let ctx = self.ctx;
        let task = self.load64(ctx, CTX_TASK);
        let (resume, other) = (self.block(), self.block());
        let from_place = self.cmp_imm(IntCC::SignedLessThan, task, 0);
        self.branch_on(from_place, resume, other);
        self.switch_to(resume);
        let base = self.base();
        let pc = self.load_u(4, base, PC);
        let mut places = Vec::new();
        let mut loads = Vec::new();
        for (at, op) in game.code.iter().enumerate() {
            if at == 0 || matches!(op, Op::Choose(_) | Op::Chance(_) | Op::Unseal(..)) {
                let block = self.block();
                places.push((at as u64, block));
                loads.push((at, block));
            }
        }
        let bail_out_block = self.bail_out_block();
        self.b.switch(pc, &places, bail_out_block);
        for (at, block) in loads {
            self.switch_to(block);
            self.load_slots(live.at(at));
            self.jump(ops[at]);
        }
        self.switch_to(other);
        let mut offers = Vec::new();
        let mut carries = Vec::new();
        for (id, choice) in game.choices.iter().enumerate().filter(|(_, choice)| !choice.together) {
            for (number, offer) in choice.all_offers().enumerate() {
                let block = self.block();
                offers.push((offer_task(id, number) as u64, block));
                carries.push((id, offer, block));
            }
        }
        self.b.switch(task, &offers, bail_out_block);
        for (id, offer, block) in carries {
            self.switch_to(block);
            self.span = game.choices[id].span;
            let pc = game.code.iter().position(|op| matches!(op, Op::Choose(other) if *other == id));
            let Some(pc) = pc.filter(|pc| !side_exits.contains_key(pc)) else {
                self.jump(bail_out_block);
                continue;
            };
            self.load_slots(live.at(pc));
            if self.carry_out_from_context(offer, ops, live).is_err() {
                let bail_out_block = self.bail_out_block();
                self.jump(bail_out_block);
            }
        }
    }

    pub(in crate::jit) fn player_scalar(&self) -> Scalar {
        Scalar { sort: Sort::Player, lo: 0, hi: self.layout.players as i64 - 1, optional: false }
    }

    /// Resets the step budget.
    pub(in crate::jit) fn reset_fuel(&mut self) {
        let steps = self.int(MAX_STEPS as i64);
        self.b.def_var(self.run.fuel, steps);
    }

    pub(in crate::jit) fn reset_scratch(&mut self) {
        let begin = self.b.use_var(self.run.begin);
        self.b.def_var(self.run.scratch, begin);
    }

    // ---- slots at stops

    pub(in crate::jit) fn load_slots(&mut self, live: &BTreeSet<Slot>) {
        let base = self.base();
        for (slot, (shape, at)) in self.layout.slots.clone() {
            let Some(found) = self.vars.get(&slot).cloned() else { continue };
            if !live.contains(&slot) {
                continue;
            }
            if let Ok(words) = self.load_slot(&shape, (base, at)) {
                for (var, word) in found.vars.iter().zip(words) {
                    let word = self.b.ins().iadd_imm_s(word, -found.counter_offset.unwrap_or(0));
                    self.b.def_var(*var, word);
                }
            }
        }
    }

    /// Loads the words of a slot or an argument from its place in the position: an address in it, and an offset from there.
    pub(in crate::jit) fn load_slot(&mut self, shape: &SlotShape, (from, at): (V, i32)) -> Result<Vec<V>> {
        match shape {
            SlotShape::List(of) | SlotShape::Set(of) | SlotShape::Bag(of) => {
                let handle = self.b.ins().iadd_imm_s(from, i64::from(at));
                let list = self.in_place(&Shape::List(Length::Growing, wide(*of)), false, handle)?;
                // A list that outlives a stop lies in the position; the step works on a copy.
                let list = self.immutable_list(list)?;
                Ok(vec![list.at, list.len])
            }
            SlotShape::Opaque(_) => {
                let offset = self.offset_of(from, at);
                Ok(vec![self.load_opaque(offset)?])
            }
            shape => Ok((0..shape.words() as i32).map(|i| self.load64(from, at + i * 8)).collect()),
        }
    }

    /// Saves the words of a slot or an argument to such a place. What grows may move the position.
    pub(in crate::jit) fn save_slot(
        &mut self,
        shape: &SlotShape,
        words: &[V],
        (from, at): (V, i32),
    ) -> Result<()> {
        match shape {
            SlotShape::List(of) | SlotShape::Set(of) | SlotShape::Bag(of) => {
                let handle = self.b.ins().iadd_imm_s(from, i64::from(at));
                let list = Val::List(List::immutable(words[0], words[1], *of, None));
                self.write_list(Length::Growing, wide(*of), handle, Change::Set, list)
            }
            SlotShape::Opaque(_) => {
                let offset = self.offset_of(from, at);
                self.save_opaque(words[0], offset)
            }
            _ => {
                (0..).zip(words).for_each(|(i, word)| self.store64(*word, from, at + i * 8));
                Ok(())
            }
        }
    }

    /// Returns the offset from the beginning of the position of a place in it.
    fn offset_of(&mut self, from: V, at: i32) -> V {
        let base = self.base();
        let offset = self.b.ins().isub(from, base);
        self.b.ins().iadd_imm_s(offset, i64::from(at))
    }

    pub(in crate::jit) fn save_slots(&mut self, live: &BTreeSet<Slot>) -> Result<()> {
        for (slot, (shape, at)) in self.layout.slots.clone() {
            if !live.contains(&slot) {
                continue;
            }
            let Some(found) = self.vars.get(&slot).cloned() else {
                return unsupported("a local value that has no flat shape outlives a stop");
            };
            let (words, base) = (self.slot_words(&found), self.base());
            self.save_slot(&shape, &words, (base, at))?;
        }
        for slot in live {
            if !self.layout.slots.contains_key(slot) {
                return unsupported("a local value that has no flat shape outlives a stop");
            }
        }
        Ok(())
    }

    /// Makes the position wait here, and stops.
    pub(in crate::jit) fn stop(&mut self, pc: Pc, waiting: Stop, live: &Live) -> Result<()> {
        self.save_slots(live.at(pc))?;
        self.wait(pc, waiting);
        let stopped = self.stopped;
        self.jump(stopped);
        Ok(())
    }

    /// Records in the position where play stands and what it waits for.
    ///
    /// The first word is written in one store, because a word-sized load would stall on several narrower
    /// stores.
    pub(in crate::jit) fn wait(&mut self, pc: Pc, waiting: Stop) {
        let base = self.base();
        let (code, choice) = match waiting {
            Stop::Nothing => (0, 0),
            Stop::Choice(id) => (1, id as i64),
            Stop::Chance => (2, 0),
            Stop::Over => (3, 0),
        };
        let last = self.load_u(1, base, LAST);
        let last = self.b.ins().ishl_imm_s(last, i64::from(LAST - PC) * 8);
        let rest = self.int(pc as i64 | code << ((WAITING - PC) * 8) | choice << ((CHOICE - PC) * 8));
        let word = self.b.ins().bor(last, rest);
        self.store64(word, base, PC);
        if !matches!(waiting, Stop::Choice(_)) {
            let zero = self.int(0);
            self.store64(zero, base, SEATS);
        }
        if self.counts_draws() {
            let draws = self.b.use_var(self.run.draws);
            self.store_u(4, draws, base, DRAWS);
        }
    }

    /// Writes back the registers after a stop, and goes to `begin` with the next position, if there is one.
    pub fn next_item(&mut self, begin: Block) {
        let ctx = self.ctx;
        let (item, most) = self.store_item_result();
        let item = self.b.ins().iadd_imm_s(item, ITEM_BYTES);
        self.store64(item, ctx, CTX_ITEM);
        let base = self.load64(item, ITEM_BASE);
        let (some, none) = (self.block(), self.cold_block());
        self.branch_on(base, some, none);
        self.switch_to(some);
        self.b.def_var(self.base, base);
        self.b.def_var(self.run.moves_left, most);
        for (var, at) in [(self.run.fuel, CTX_FUEL), (self.run.draws, CTX_DRAWS)] {
            let word = self.load64(ctx, at);
            self.b.def_var(var, word);
        }
        self.reset_scratch();
        // The next playout uses the same stream, or one of its own.
        let (stream, apart) = (self.load64(item, ITEM_STREAM), self.cold_block());
        self.branch_on(stream, apart, begin);
        self.switch_to(apart);
        for (i, var) in self.run.chance.into_iter().enumerate() {
            let word = self.load64(stream, i as i32 * 8);
            self.b.def_var(var, word);
        }
        self.jump(begin);
        self.switch_to(none);
    }

    /// Stores the number of choices made at the current item, and its stream. Returns the item's address,
    /// and the maximum number of choices for each item.
    pub(in crate::jit) fn store_item_result(&mut self) -> (V, V) {
        let ctx = self.ctx;
        let (item, most) = (self.load64(ctx, CTX_ITEM), self.load64(ctx, CTX_MAX_MOVES));
        let left = self.b.use_var(self.run.moves_left);
        let made = self.b.ins().isub(most, left);
        self.store64(made, item, ITEM_MOVES);
        let own = self.load64(item, ITEM_STREAM);
        let shared = self.b.ins().iadd_imm_s(ctx, i64::from(CTX_CHANCE));
        let stream = self.b.ins().select(own, own, shared);
        for (i, var) in self.run.chance.into_iter().enumerate() {
            let word = self.b.use_var(var);
            self.store64(word, stream, i as i32 * 8);
        }
        (item, most)
    }

    // ---- ops

    /// Continues at an op; on a back edge of a loop without stops, charges the steps of a whole pass.
    pub(in crate::jit) fn jump_to_op(&mut self, from: Pc, to: Pc, ops: &[Block]) {
        if to <= from && self.ops_on_cycles.contains(&from) {
            let ctx = self.ctx;
            let (fuel, cost) = (self.b.use_var(self.run.fuel), self.load64(ctx, CTX_COST));
            let left = self.b.ins().isub(fuel, cost);
            self.b.def_var(self.run.fuel, left);
            let out = self.cmp_imm(IntCC::SignedLessThan, left, 0);
            self.bail_out_for(BailOutReason::Steps, out);
        }
        self.jump(ops[to]);
    }

    /// Lowers an op, or leaves it to the reference if it is marked.
    fn op_or_interpreted(&mut self, pc: Pc, op: &Op, ops: &[Block], live: &Live) -> Result<()> {
        let mark = MarkedPart::Op(pc);
        match op {
            Op::Do(..) if self.is_marked(&mark) => {
                self.op_interpreted(pc)?;
                self.jump_to_op(pc, pc + 1, ops);
                Ok(())
            }
            // A marked `Op::End` is lowered too: only the winners come from the reference.
            Op::Do(..) | Op::Chance(_) | Op::End(_) if !self.is_marked(&mark) => {
                self.op(pc, op, ops, live).map_err(|unsupported| unsupported.blame(|| mark))
            }
            _ => self.op(pc, op, ops, live),
        }
    }

    pub(in crate::jit) fn op(&mut self, pc: Pc, op: &Op, ops: &[Block], live: &Live) -> Result<()> {
        match op {
            Op::Do(effect, _) => {
                match effect {
                    // What is never read is evaluated for its faults only.
                    Effect::Let(slots, e) if slots.iter().all(|slot| !live.at(pc + 1).contains(slot)) => {
                        self.expr(e)?;
                    }
                    effect => self.effect(effect)?,
                }
                self.jump_to_op(pc, pc + 1, ops);
            }
            Op::Jump(to) => self.jump_to_op(pc, *to, ops),
            Op::Unless(cond, to) => {
                let ends = matches!(self.machine.game.code.get(pc + 1), Some(Op::End(_)));
                let yes = if ends { self.cold_block() } else { self.block() };
                let no = self.block();
                self.branch(cond, yes, no)?;
                self.switch_to(no);
                self.jump_to_op(pc, *to, ops);
                self.switch_to(yes);
                self.jump_to_op(pc, pc + 1, ops);
            }
            Op::Collect { source, list, at } => {
                self.collect(source, *list)?;
                let zero = self.known(0, Scalar::int(0, 0));
                self.store_slots(&[*at], Val::Word(zero))?;
                self.jump_to_op(pc, pc + 1, ops);
            }
            Op::Next { list, at, slots, filter, cyclic, exit } => {
                self.next(pc, (*list, *at, slots, *cyclic), filter.as_ref(), *exit, ops)?;
            }
            Op::Choose(id) => self.choose(pc, *id, ops, live)?,
            Op::Unseal(id, exit) => self.unseal(pc, *id, *exit, ops, live)?,
            Op::Chance(chance) => self.chance(pc, chance, ops, live)?,
            Op::End(who) => {
                let winners = match who {
                    _ if self.is_marked(&MarkedPart::Op(pc)) => self.op_interpreted(pc)?[0],
                    Some(who) if who.ty == Type::Player => {
                        let who = self.player_of(who)?;
                        self.bit(who.v)
                    }
                    Some(who) => {
                        let who = self.expr(who)?;
                        self.named_seats(who)?
                    }
                    None => self.decide()?,
                };
                let base = self.base();
                self.store64(winners, base, WINNERS);
                self.reset_draws();
                self.stop(pc, Stop::Over, live)?;
            }
        }
        Ok(())
    }

    pub(in crate::jit) fn collect(&mut self, source: &Domain, list: Slot) -> Result<()> {
        let Some(found) = self.vars.get(&list).cloned() else {
            return unsupported("a list of large values gone through");
        };
        let val = match (&found.shape, source) {
            (SlotShape::Fixed(_), _) => return Ok(()),
            (SlotShape::Span, Domain::Range(low, high)) => {
                let (low, high) = (self.number_of(low)?, self.number_of(high)?);
                self.must_be_listable(low, high);
                Val::Span(low, high)
            }
            (SlotShape::Opaque(ty), _) => self.interpreted(&written_out(source, ty))?,
            (SlotShape::Kept(_), Domain::Values(e)) => self.expr(e)?,
            (_, Domain::Values(e)) => match self.expr(e)? {
                val @ (Val::BagOfList(_) | Val::Counts { .. }) => Val::List(self.list(val)?),
                Val::List(list) if !list.is_of_kept() => Val::List(list),
                val @ (Val::Bits(_) | Val::Members(_) | Val::Span(..) | Val::Const(_)) => val,
                _ => self.interpreted(&written_out(source, &Type::List(Box::new(source.element()))))?,
            },
            _ => self.interpreted(&written_out(source, &Type::List(Box::new(source.element()))))?,
        };
        self.store_slots(&[list], val)
    }

    pub(in crate::jit) fn next(
        &mut self,
        pc: Pc,
        (list, at, slots, cyclic): (Slot, Slot, &[Slot], bool),
        filter: Option<&crate::ir::Expr>,
        exit: Pc,
        ops: &[Block],
    ) -> Result<()> {
        let Some(found) = self.vars.get(&list).cloned() else {
            return unsupported("a list of large values gone through");
        };
        let words: Vec<V> = found.vars.iter().map(|var| self.b.use_var(*var)).collect();
        let count = match &found.shape {
            SlotShape::Fixed(values) => self.int(values.len() as i64),
            SlotShape::Span => {
                let any = |v| Builder::ranged(v, -LIMIT, LIMIT);
                self.span_len(any(words[0]), any(words[1]))
            }
            SlotShape::Members(of) => self.popcount(&Bits { words: words.clone(), of: *of }),
            SlotShape::List(_) => words[1],
            SlotShape::Kept(Kept::Gathered(_)) => self.load64(words[0], 0),
            SlotShape::Opaque(ty) => {
                let size = ExprKind::Builtin(Builtin::Size, vec![local(list, ty.clone())]);
                let size = self.interpreted(&Expr { kind: size, ty: Type::Int, span: Span::default() })?;
                self.word(size)?.v
            }
            _ => return unsupported("a single value gone through"),
        };
        let Some(at_vars) = self.vars.get(&at).cloned() else {
            return unsupported("a counter without a shape");
        };
        let at_var = at_vars.vars[0];
        let always = visits_all(filter, self.layout.all_in);
        let empty = self.cmp_imm(IntCC::SignedLessThanOrEqual, count, 0);
        let (some, none) = (self.block(), self.block());
        if matches!(&found.shape, SlotShape::Fixed(values) if !values.is_empty()) {
            self.jump(some);
        } else {
            self.branch_on(empty, none, some);
        }
        self.switch_to(none);
        self.jump_to_op(pc, exit, ops);
        self.switch_to(some);
        let first = self.b.use_var(at_var);
        let place = self.var(first);
        let zero = self.int(0);
        let tried = self.var(zero);
        let (head, miss, hit) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.switch_to_loop(head);
        let now = self.b.use_var(place);
        let over = self.cmp(IntCC::SignedGreaterThanOrEqual, now, count);
        let here = if cyclic {
            self.b.ins().select(over, zero, now)
        } else {
            self.leave_if(over, miss);
            now
        };
        self.bind_element(list, &found.shape, &words, here, slots)?;
        let behind = self.b.ins().iadd_imm_s(here, 1);
        self.b.def_var(place, behind);
        if always {
            self.jump(hit);
        } else if let Some(filter) = filter {
            let no = self.block();
            let lists = slots.first().and_then(|slot| Some((*slot, self.vars.get(slot)?.one_of.clone()?.1)));
            if let Some((slot, lists)) = lists.clone() {
                self.locals.one_of.insert(slot, (here, lists));
            }
            self.branch(filter, hit, no)?;
            if let Some((slot, _)) = lists {
                self.locals.one_of.remove(&slot);
            }
            self.switch_to(no);
            let tries = self.b.use_var(tried);
            let tries = self.b.ins().iadd_imm_s(tries, 1);
            self.b.def_var(tried, tries);
            self.times(None, |_| Ok(()))?;
            let all = self.cmp(IntCC::SignedGreaterThanOrEqual, tries, count);
            self.branch_on(all, miss, head);
        }
        self.switch_to(miss);
        let last = self.b.use_var(place);
        self.b.def_var(at_var, last);
        self.jump_to_op(pc, exit, ops);
        self.switch_to(hit);
        let last = self.b.use_var(place);
        self.b.def_var(at_var, last);
        self.jump_to_op(pc, pc + 1, ops);
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    pub(in crate::jit) fn bind_element(
        &mut self,
        list: Slot,
        shape: &SlotShape,
        words: &[V],
        i: V,
        slots: &[Slot],
    ) -> Result<()> {
        match shape {
            SlotShape::Fixed(values) => {
                for (part, slot) in slots.iter().enumerate() {
                    let column: Option<Vec<crate::ir::Value>> = values
                        .iter()
                        .map(|value| match (value, slots.len()) {
                            (value, 1) => Some(value.clone()),
                            (crate::ir::Value::List(parts), _) => parts.get(part).cloned(),
                            _ => None,
                        })
                        .collect();
                    let Some(column) = column else { return unsupported("values taken apart") };
                    let squares = self.layout.squares;
                    let Some((words, s)) = words_of(&column, squares) else {
                        let val = self.one_of_large(&column, *slot, i)?;
                        self.store_slots(&[*slot], val)?;
                        continue;
                    };
                    let run = is_consecutive(&words);
                    let v = match run {
                        true if words[0] == 0 => i,
                        true => self.b.ins().iadd_imm_s(i, words[0]),
                        false => {
                            let place = self.static_entry(words, i, 1);
                            self.load64(place, 0)
                        }
                    };
                    self.store_slots(&[*slot], Val::Word(Word { v, s, known: None }))?;
                }
                Ok(())
            }
            SlotShape::Span => {
                let v = self.b.ins().iadd(words[0], i);
                self.store_slots(slots, Val::Word(Builder::ranged(v, -LIMIT, LIMIT)))
            }
            SlotShape::Members(of) => {
                let at = self.nth_bit(&Bits { words: words.to_vec(), of: *of }, i);
                let v = self.b.ins().iadd_imm_s(at, of.lo);
                self.store_slots(slots, Val::Word(Word { v, s: *of, known: None }))
            }
            SlotShape::List(of) => {
                let list = List::immutable(words[0], words[1], *of, None);
                let word = self.element(list, i);
                self.store_slots(slots, Val::Word(word))
            }
            SlotShape::Kept(Kept::Gathered(of)) => {
                let s = self.kept_scalar(of);
                let list = self.kept_list(words[0], s);
                let val = self.element_value(list, i);
                self.store_slots(slots, val)
            }
            SlotShape::Opaque(ty) => {
                let Some(of) = ty.element() else { return unsupported("a single value gone through") };
                let val = self.indexed(local(list, ty.clone()), i, of)?;
                self.store_slots(slots, val)
            }
            _ => unsupported("a single value gone through"),
        }
    }

    /// Returns element `i` (0-based) of some known values that do not fit words.
    fn one_of_large(&mut self, values: &[crate::ir::Value], slot: Slot, i: V) -> Result<Val> {
        let squares = self.layout.squares;
        if let Some(SlotShape::Word(of)) = self.vars.get(&slot).map(|found| &found.shape) {
            let words: Option<Vec<i64>> =
                values.iter().map(|value| word_in(value, of.sort, squares)).collect();
            let (Some(words), s) = (words, *of) else {
                return unsupported("a loop over collections of this type");
            };
            let place = self.static_entry(words, i, 1);
            return Ok(Val::Word(Word { v: self.load64(place, 0), s, known: None }));
        }
        if let Some(SlotShape::Kept(of)) = self.vars.get(&slot).map(|found| found.shape.clone()) {
            let words: Option<Vec<i64>> = values.iter().map(|value| self.known_word(value, &of)).collect();
            let Some(words) = words else { return unsupported("a loop over collections of this type") };
            let word = self.load_entry(words, i, 1)[0];
            return Ok(self.named(word, &of));
        }
        if !matches!(self.vars.get(&slot).map(|found| &found.shape), Some(SlotShape::Opaque(_)))
            && let Some(val) = self.one_of_known_collections(i, values)?
        {
            return Ok(val);
        }
        let all = Expr {
            kind: ExprKind::Value(crate::ir::Value::list(values.to_vec())),
            ty: Type::Wrong,
            span: Span::default(),
        };
        let Some(ty) = self.vars.get(&slot).and_then(|found| found.shape.opaque_type()) else {
            return unsupported("a loop over collections of this type");
        };
        self.indexed(all, i, ty)
    }

    /// Returns element `i` (0-based) of a list, as evaluated by the reference.
    fn indexed(&mut self, list: Expr, i: V, of: Type) -> Result<Val> {
        // `Index` counts from 1. The slot is beyond those of the game.
        let place = self.machine.game.slots;
        let v = self.b.ins().iadd_imm_s(i, 1);
        self.locals.bound.insert(place, Val::Word(Builder::ranged(v, 1, 1 << 40)));
        let kind = ExprKind::Index(Box::new(list), Box::new(local(place, Type::Int)));
        let val = self.interpreted(&Expr { kind, ty: of, span: Span::default() })?;
        self.locals.bound.remove(&place);
        Ok(val)
    }

    pub(in crate::jit) fn counts_draws(&self) -> bool {
        self.machine.game.code.iter().any(|op| matches!(op, Op::Chance(_)))
    }
}

/// Builds an expression that reads a local value.
fn local(slot: Slot, ty: Type) -> Expr {
    Expr { kind: ExprKind::Local(slot), ty, span: Span::default() }
}

/// Builds an expression that lists a domain.
fn written_out(domain: &Domain, ty: &Type) -> Expr {
    Expr { kind: ExprKind::Listed(Box::new(domain.clone())), ty: ty.clone(), span: Span::default() }
}

/// Returns the task number for carrying out an offer of a choice.
pub fn offer_task(choice: usize, offer: usize) -> i64 {
    (choice as i64) << 16 | offer as i64
}

/// Widens a scalar's range to all values that fit eight bytes.
pub fn wide(of: Scalar) -> Scalar {
    Scalar { lo: -LIMIT, hi: LIMIT, ..of }
}

/// Returns the ops that play can reach again without a choice and, unless `through_chance`, without a draw of chance.
pub fn ops_on_cycles(game: &Game, all_in: bool, through_chance: bool) -> BTreeSet<Pc> {
    let next = |pc: Pc| -> Vec<Pc> {
        match &game.code[pc] {
            Op::Choose(id) => {
                let choice = &game.choices[*id];
                // If no seat ever goes out, a choice made by all players always has somebody to choose.
                let named =
                    !choice.together || choice.must.is_none() && matches!(choice.who.kind, ExprKind::Players);
                let done = (!all_in || !named).then_some(choice.done);
                choice.stuck.into_iter().chain(done).collect()
            }
            Op::Chance(_) if !through_chance => Vec::new(),
            _ => successors(game, pc),
        }
    };
    let comes_back = |from: Pc| {
        let (mut seen, mut waiting) = (BTreeSet::new(), next(from));
        while let Some(pc) = waiting.pop() {
            if pc == from {
                return true;
            }
            if seen.insert(pc) {
                waiting.extend(next(pc));
            }
        }
        false
    };
    (0..game.code.len()).filter(|pc| comes_back(*pc)).collect()
}

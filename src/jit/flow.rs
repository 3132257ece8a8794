//! Play: the automaton as one function, from stop to stop or, in playouts, from the start to the end.

use std::collections::BTreeSet;

use cranelift::frontend::Switch;
use cranelift::prelude::*;

use super::call::{
    CTX_ARGS, CTX_CHANCE, CTX_COST, CTX_MAX_MOVES, CTX_MOVES, CTX_PLAYS, CTX_SCRATCH_BEGIN, CTX_SEAT,
    CTX_TASK, MAX_ARGS,
};
use super::generate::{Gen, Nope, R, V, nope};
use super::layout::{ArgShape, CHOICE, DRAWS, LAST, PC, SEALED, SEATS, STANDING, WAITING, WINNERS};
use super::shape::{LIMIT, Scalar, Sort};
use super::slots::{SlotShape, range_of};
use super::value::{Bits, List, Val, Word};
use crate::eval::{MAX_DRAWS, MAX_STEPS};
use crate::ir::{
    Chance, ChanceKind, Choice, Domain, ExprKind, Game, Live, Move, MoveCheck, Offer, Op, Pc, Slot, Type,
    WinnerBy,
};

/// What came of compiling the parts of a game.
#[derive(Debug, Default)]
pub struct Parts {
    /// The parts left to the reference: what, and why.
    pub left: Vec<(Pc, String)>,
}

impl Gen<'_> {
    /// Compiles the whole automaton. Parts that were left out before are not tried again.
    pub fn automaton(&mut self, live: &Live, left: &BTreeSet<Pc>) -> Parts {
        let game = &self.machine.game;
        let ops: Vec<Block> = game.code.iter().map(|_| self.block()).collect();
        let mut parts = Parts::default();
        self.locals.automaton = true;
        self.circles = circles(game, self.layout.all_in);
        self.entries(&ops, live, left);
        for (pc, op) in game.code.iter().enumerate() {
            self.at(ops[pc]);
            self.locals.bound.clear();
            if left.contains(&pc) {
                let giveup = self.giveup;
                self.jump(giveup);
                continue;
            }
            if let Err(Nope(why)) = self.op(pc, op, &ops, live) {
                parts.left.push((pc, why));
                let giveup = self.giveup;
                self.jump(giveup);
            }
        }
        parts
    }

    /// Lists the legal moves of a seat at a choice: rows of the offer's number and the arguments, a list behind its
    /// length.
    pub fn listing(&mut self, id: usize, pc: Pc, live: &Live) -> R<()> {
        let choice = &self.machine.game.choices[id];
        let ctx = self.ctx;
        self.load_slots(live.at(pc));
        let seat = self.load64(ctx, CTX_SEAT);
        let seat = Word { v: seat, s: self.player_scalar(), known: None };
        self.all_rows(choice, seat, &mut |this, number, args| {
            let mark = this.b.use_var(this.run.scratch);
            let mut words = Vec::new();
            for arg in args {
                words.push(this.arg_words(arg.clone())?);
            }
            let mut size = this.int(8 + 8 * words.len() as i64);
            for list in words.iter().filter(|words| words.len() == 2) {
                let bytes = this.b.ins().ishl_imm(list[1], 3);
                size = this.b.ins().iadd(size, bytes);
            }
            let row = this.scratch(size);
            let offer = this.int(number as i64);
            this.store64(offer, row, 0);
            let first = this.b.ins().iadd_imm(row, 8);
            let place = this.var(first);
            for word in words {
                let at = this.b.use_var(place);
                let mut next = this.b.ins().iadd_imm(at, 8);
                match word.as_slice() {
                    [list, len] => {
                        this.store64(*len, at, 0);
                        let of = Scalar::any_int();
                        let list = List {
                            at: *list,
                            len: *len,
                            width: 8,
                            of,
                            most: None,
                            exact: None,
                            ring: false,
                            still: true,
                        };
                        this.copy_list(list, next, 8, of)?;
                        let bytes = this.b.ins().ishl_imm(*len, 3);
                        next = this.b.ins().iadd(next, bytes);
                    }
                    [word] => this.store64(*word, at, 0),
                    _ => return nope("an argument of many words"),
                }
                this.b.def_var(place, next);
            }
            let end = this.b.use_var(place);
            let bytes = this.b.ins().isub(end, row);
            let count = this.b.ins().ushr_imm(bytes, 3);
            this.call("push_row", &[ctx, row, count])?;
            this.b.def_var(this.run.scratch, mark);
            Ok(())
        })?;
        let done = self.int(0);
        self.b.ins().return_(&[done]);
        Ok(())
    }

    /// From the task to the place where it begins.
    fn entries(&mut self, ops: &[Block], live: &Live, left: &BTreeSet<Pc>) {
        let game = &self.machine.game;
        let ctx = self.ctx;
        let task = self.load64(ctx, CTX_TASK);
        let (resume, other) = (self.block(), self.block());
        let from_place = self.cmp_imm(IntCC::SignedLessThan, task, 0);
        self.fork(from_place, resume, other);
        self.at(resume);
        let base = self.base();
        let pc = self.load_u(4, base, PC);
        let mut places = Switch::new();
        let mut loads = Vec::new();
        for (at, op) in game.code.iter().enumerate() {
            if at == 0 || matches!(op, Op::Choose(_) | Op::Chance(_) | Op::Unseal(..)) {
                let block = self.block();
                places.set_entry(at as u128, block);
                loads.push((at, block));
            }
        }
        let giveup = self.giveup;
        places.emit(&mut self.b, pc, giveup);
        for (at, block) in loads {
            self.at(block);
            self.load_slots(live.at(at));
            self.jump(ops[at]);
        }
        self.at(other);
        let mut offers = Switch::new();
        let mut carries = Vec::new();
        for (id, choice) in game.choices.iter().enumerate().filter(|(_, choice)| !choice.together) {
            for (number, offer) in choice.offers.iter().chain(&choice.otherwise).enumerate() {
                let block = self.block();
                offers.set_entry(offer_task(id, number) as u128, block);
                carries.push((id, offer, block));
            }
        }
        offers.emit(&mut self.b, task, giveup);
        for (id, offer, block) in carries {
            self.at(block);
            let pc = game.code.iter().position(|op| matches!(op, Op::Choose(other) if *other == id));
            let Some(pc) = pc.filter(|pc| !left.contains(pc)) else {
                self.jump(giveup);
                continue;
            };
            self.load_slots(live.at(pc));
            if self.carry_from_context(offer, ops, live).is_err() {
                self.jump(giveup);
            }
        }
    }

    fn carry_from_context(&mut self, offer: &Offer, ops: &[Block], live: &Live) -> R<()> {
        let ctx = self.ctx;
        self.new_step();
        let seat = self.load64(ctx, CTX_SEAT);
        let seat = Word { v: seat, s: self.player_scalar(), known: None };
        let Some(shapes) = self.layout.args[offer.mv].clone() else {
            return nope("arguments without a shape");
        };
        let mut at = CTX_ARGS;
        let mut args = Vec::new();
        for shape in shapes {
            match shape {
                ArgShape::Word(s) => {
                    args.push(Val::Word(Word { v: self.load64(ctx, at), s, known: None }));
                    at += 8;
                }
                ArgShape::List(of) => {
                    let (list, len) = (self.load64(ctx, at), self.load64(ctx, at + 8));
                    args.push(Val::List(List {
                        at: list,
                        len,
                        width: 8,
                        of,
                        most: None,
                        exact: None,
                        ring: false,
                        still: true,
                    }));
                    at += 16;
                }
            }
        }
        if at > CTX_ARGS + MAX_ARGS as i32 * 8 {
            return nope("very many arguments");
        }
        self.carry(offer, seat, &args, ops, live, false)
    }

    fn player_scalar(&self) -> Scalar {
        Scalar { sort: Sort::Player, lo: 0, hi: self.layout.players as i64 - 1, optional: false }
    }

    /// A new allowance of steps and of scratch memory.
    fn new_step(&mut self) {
        let steps = self.int(MAX_STEPS as i64);
        self.b.def_var(self.run.fuel, steps);
    }

    fn reset_scratch(&mut self) {
        let ctx = self.ctx;
        let begin = self.load64(ctx, CTX_SCRATCH_BEGIN);
        self.b.def_var(self.run.scratch, begin);
    }

    // ---- slots at stops

    fn load_slots(&mut self, live: &BTreeSet<Slot>) {
        let base = self.base();
        for (slot, (shape, at)) in self.layout.slots.clone() {
            let Some(found) = self.vars.get(&slot).cloned() else { continue };
            if !live.contains(&slot) {
                continue;
            }
            match shape {
                SlotShape::List(of) => {
                    let handle = self.b.ins().iadd_imm(base, i64::from(at));
                    let shape = super::shape::Shape::List(super::shape::Length::Growing, wide(of));
                    // A list that outlives a stop lies in the position; the step works on a copy.
                    let copied = self.in_place(&shape, false, handle).and_then(|val| self.still_list(val));
                    if let Ok(list) = copied {
                        self.b.def_var(found.vars[0], list.at);
                        self.b.def_var(found.vars[1], list.len);
                    }
                }
                SlotShape::Fixed(_) => {}
                _ => {
                    for (i, var) in found.vars.iter().enumerate() {
                        let word = self.load64(base, at + i as i32 * 8);
                        self.b.def_var(*var, word);
                    }
                }
            }
        }
    }

    fn save_slots(&mut self, live: &BTreeSet<Slot>) -> R<()> {
        for (slot, (shape, at)) in self.layout.slots.clone() {
            if !live.contains(&slot) {
                continue;
            }
            let Some(found) = self.vars.get(&slot).cloned() else {
                return nope("a local value that has no flat shape outlives a stop");
            };
            let words: Vec<V> = found.vars.iter().map(|var| self.b.use_var(*var)).collect();
            match shape {
                SlotShape::List(of) => {
                    let list = List {
                        at: words[0],
                        len: words[1],
                        width: 8,
                        of,
                        most: None,
                        exact: None,
                        ring: false,
                        still: true,
                    };
                    self.save_list(list, at)?;
                }
                SlotShape::Fixed(_) => {}
                _ => {
                    let base = self.base();
                    for (i, word) in words.into_iter().enumerate() {
                        self.store64(word, base, at + i as i32 * 8);
                    }
                }
            }
        }
        for slot in live {
            if !self.layout.slots.contains_key(slot) {
                return nope("a local value that has no flat shape outlives a stop");
            }
        }
        Ok(())
    }

    /// Leaves the code: the position waits here.
    fn stop(&mut self, pc: Pc, waiting: i64, live: &Live) -> R<()> {
        self.save_slots(live.at(pc))?;
        let base = self.base();
        let pc = self.int(pc as i64);
        self.store_u(4, pc, base, PC);
        let waiting = self.int(waiting);
        self.store_u(1, waiting, base, WAITING);
        if self.counts_draws() {
            let draws = self.b.use_var(self.run.draws);
            self.store_u(4, draws, base, DRAWS);
        }
        self.leave_run();
        let done = self.int(0);
        self.b.ins().return_(&[done]);
        Ok(())
    }

    /// Writes back what was kept in registers.
    pub fn leave_run(&mut self) {
        let ctx = self.ctx;
        let most = self.load64(ctx, CTX_MAX_MOVES);
        let left = self.b.use_var(self.run.left);
        let made = self.b.ins().isub(most, left);
        self.store64(made, ctx, CTX_MOVES);
        for (i, var) in self.run.chance.into_iter().enumerate() {
            let word = self.b.use_var(var);
            self.store64(word, ctx, CTX_CHANCE + i as i32 * 8);
        }
    }

    // ---- ops

    /// Goes on at an op; backwards, the steps of a whole pass are charged.
    fn go(&mut self, from: Pc, to: Pc, ops: &[Block]) {
        if to <= from && self.circles.contains(&from) {
            let ctx = self.ctx;
            let (fuel, cost) = (self.b.use_var(self.run.fuel), self.load64(ctx, CTX_COST));
            let left = self.b.ins().isub(fuel, cost);
            self.b.def_var(self.run.fuel, left);
            let out = self.cmp_imm(IntCC::SignedLessThan, left, 0);
            self.give_up_if(out);
        }
        self.jump(ops[to]);
    }

    fn op(&mut self, pc: Pc, op: &Op, ops: &[Block], live: &Live) -> R<()> {
        match op {
            Op::Do(effect, _) => {
                self.effect(effect)?;
                self.go(pc, pc + 1, ops);
            }
            Op::Jump(to) => self.go(pc, *to, ops),
            Op::Unless(cond, to) => {
                let (yes, no) = (self.block(), self.block());
                self.branch(cond, yes, no)?;
                self.at(no);
                self.go(pc, *to, ops);
                self.at(yes);
                self.go(pc, pc + 1, ops);
            }
            Op::Collect { source, list, at } => {
                self.collect(source, *list)?;
                let zero = self.known(0, Scalar::int(0, 0));
                self.keep(&[*at], Val::Word(zero))?;
                self.go(pc, pc + 1, ops);
            }
            Op::Next { list, at, slots, filter, cyclic, exit } => {
                self.next(pc, (*list, *at, slots, *cyclic), filter.as_ref(), *exit, ops)?;
            }
            Op::Choose(id) => self.choose(pc, *id, ops, live)?,
            Op::Unseal(id, exit) => self.unseal(pc, *id, *exit, ops, live)?,
            Op::Chance(chance) => self.chance(pc, chance, ops, live)?,
            Op::End(who) => {
                let winners = match who {
                    Some(who) => {
                        let who = self.player_of(who)?;
                        let one = self.int(1);
                        self.b.ins().ishl(one, who.v)
                    }
                    None => self.decide()?,
                };
                let base = self.base();
                self.store64(winners, base, WINNERS);
                self.stop(pc, 3, live)?;
            }
        }
        Ok(())
    }

    fn collect(&mut self, source: &Domain, list: Slot) -> R<()> {
        let Some(found) = self.vars.get(&list).cloned() else {
            return nope("a list of large values gone through");
        };
        let val = match (&found.shape, source) {
            (SlotShape::Fixed(_), _) => return Ok(()),
            (SlotShape::Span, Domain::Range(low, high)) => {
                let (low, high) = (self.number_of(low)?, self.number_of(high)?);
                self.must_be_listable(low, high);
                Val::Span(low, high)
            }
            (_, Domain::Values(e)) => match self.expr(e)? {
                Val::Tally(list) => Val::List(self.sorted(list)?),
                val => val,
            },
            _ => return nope("a domain of rows gone through in play"),
        };
        self.keep(&[list], val)
    }

    fn next(
        &mut self,
        pc: Pc,
        (list, at, slots, cyclic): (Slot, Slot, &[Slot], bool),
        filter: Option<&crate::ir::Expr>,
        exit: Pc,
        ops: &[Block],
    ) -> R<()> {
        let Some(found) = self.vars.get(&list).cloned() else {
            return nope("a list of large values gone through");
        };
        let words: Vec<V> = found.vars.iter().map(|var| self.b.use_var(*var)).collect();
        let count = match &found.shape {
            SlotShape::Fixed(values) => self.int(values.len() as i64),
            SlotShape::Span => {
                let any = |v| Gen::ranged(v, -LIMIT, LIMIT);
                self.span_len(any(words[0]), any(words[1]))
            }
            SlotShape::Members(of) => self.popcount(&Bits { words: words.clone(), of: *of }),
            SlotShape::List(_) => words[1],
            _ => return nope("a single value gone through"),
        };
        let Some(at_vars) = self.vars.get(&at).cloned() else { return nope("a counter without a shape") };
        let at_var = at_vars.vars[0];
        let always = match filter.map(|filter| &filter.kind) {
            None => true,
            Some(ExprKind::IsIn(_)) => self.layout.all_in,
            Some(_) => false,
        };
        let empty = self.cmp_imm(IntCC::SignedLessThanOrEqual, count, 0);
        let (some, none) = (self.block(), self.block());
        if matches!(&found.shape, SlotShape::Fixed(values) if !values.is_empty()) {
            self.jump(some);
        } else {
            self.fork(empty, none, some);
        }
        self.at(none);
        self.go(pc, exit, ops);
        self.at(some);
        let first = self.b.use_var(at_var);
        let place = self.var(first);
        let zero = self.int(0);
        let tried = self.var(zero);
        let (head, miss, hit) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.at(head);
        let now = self.b.use_var(place);
        let over = self.cmp(IntCC::SignedGreaterThanOrEqual, now, count);
        let here = if cyclic {
            self.b.ins().select(over, zero, now)
        } else {
            let on = self.block();
            self.fork(over, miss, on);
            self.at(on);
            now
        };
        self.bind_element(&found.shape, &words, here, slots)?;
        let behind = self.b.ins().iadd_imm(here, 1);
        self.b.def_var(place, behind);
        if always {
            self.jump(hit);
        } else if let Some(filter) = filter {
            let no = self.block();
            self.branch(filter, hit, no)?;
            self.at(no);
            let tries = self.b.use_var(tried);
            let tries = self.b.ins().iadd_imm(tries, 1);
            self.b.def_var(tried, tries);
            self.times(None, |_| Ok(()))?;
            let all = self.cmp(IntCC::SignedGreaterThanOrEqual, tries, count);
            self.fork(all, miss, head);
        }
        self.at(miss);
        let last = self.b.use_var(place);
        self.b.def_var(at_var, last);
        self.go(pc, exit, ops);
        self.at(hit);
        let last = self.b.use_var(place);
        self.b.def_var(at_var, last);
        self.go(pc, pc + 1, ops);
        Ok(())
    }

    fn bind_element(&mut self, shape: &SlotShape, words: &[V], i: V, slots: &[Slot]) -> R<()> {
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
                    let Some(column) = column else { return nope("values taken apart") };
                    let squares = self.layout.squares;
                    let words: Option<Vec<i64>> =
                        column.iter().map(|value| super::shape::to_word(value, squares)).collect();
                    let (Some(words), Some(s)) = (words, range_of(&column, squares)) else {
                        return nope("large values gone through in play");
                    };
                    let run = words.windows(2).all(|pair| pair[1] == pair[0] + 1);
                    let v = match run {
                        true if words[0] == 0 => i,
                        true => self.b.ins().iadd_imm(i, words[0]),
                        false => {
                            let row = self.static_row(words);
                            let offset = self.b.ins().ishl_imm(i, 3);
                            let place = self.b.ins().iadd(row, offset);
                            self.load64(place, 0)
                        }
                    };
                    self.keep(&[*slot], Val::Word(Word { v, s, known: None }))?;
                }
                Ok(())
            }
            SlotShape::Span => {
                let v = self.b.ins().iadd(words[0], i);
                self.keep(slots, Val::Word(Gen::ranged(v, -LIMIT, LIMIT)))
            }
            SlotShape::Members(of) => {
                let at = self.nth_bit(&Bits { words: words.to_vec(), of: *of }, i);
                let v = self.b.ins().iadd_imm(at, of.lo);
                self.keep(slots, Val::Word(Word { v, s: *of, known: None }))
            }
            SlotShape::List(of) => {
                let list = List {
                    at: words[0],
                    len: words[1],
                    width: 8,
                    of: *of,
                    most: None,
                    exact: None,
                    ring: false,
                    still: true,
                };
                let word = self.element(list, i);
                self.keep(slots, Val::Word(word))
            }
            _ => nope("a single value gone through"),
        }
    }

    // ---- choices

    fn choose(&mut self, pc: Pc, id: usize, ops: &[Block], live: &Live) -> R<()> {
        let game = &self.machine.game;
        let choice = &game.choices[id];
        if choice.together {
            return self.choose_together(pc, id, choice, ops, live);
        }
        if choice.who.ty != Type::Player {
            return nope("a choice of several seats one by one");
        }
        let who = self.player_of(&choice.who)?;
        if !self.layout.all_in {
            let standing = self.standing();
            let there = self.has_bit(&standing, who);
            let (on, out) = (self.block(), self.block());
            self.fork(there, on, out);
            self.at(out);
            self.go(pc, choice.done, ops);
            self.at(on);
        }
        let (plays, stops) = (self.block(), self.block());
        self.b.set_cold_block(stops);
        self.fork_on_mode(plays, stops);
        // A stop: somebody else chooses.
        self.at(stops);
        let can = self.block();
        self.exists(&choice.offers, who, can)?;
        self.exists(&choice.otherwise, who, can)?;
        self.stuck(pc, choice, ops);
        self.at(can);
        let base = self.base();
        let one = self.int(1);
        let seats = self.b.ins().ishl(one, who.v);
        self.store64(seats, base, SEATS);
        let number = self.int(id as i64);
        self.store_u(2, number, base, CHOICE);
        self.stop(pc, 1, live)?;
        // A playout goes on by itself.
        self.at(plays);
        self.begin_choice(pc, live);
        // Drawing until a move is legal takes numbers from the stream: first it must be known that there is one.
        if self.may_sample(choice, who)? {
            let can = self.block();
            self.exists(&choice.offers, who, can)?;
            self.exists(&choice.otherwise, who, can)?;
            self.stuck(pc, choice, ops);
            self.at(can);
        }
        let mut carried: Vec<(usize, Block, Vec<Vec<Variable>>)> = Vec::new();
        let mut taken = |this: &mut Gen, number: usize, args: &[Val]| -> R<()> {
            this.made_moves(1);
            let block = match carried.iter().find(|(known, _, _)| *known == number) {
                Some((_, block, vars)) => {
                    let (block, vars) = (*block, vars.clone());
                    for (vars, arg) in vars.iter().zip(args) {
                        let words = this.arg_words(arg.clone())?;
                        for (var, word) in vars.iter().zip(words) {
                            this.b.def_var(*var, word);
                        }
                    }
                    block
                }
                None => {
                    let mut all = Vec::new();
                    for arg in args {
                        let words = this.arg_words(arg.clone())?;
                        all.push(words.into_iter().map(|word| this.var(word)).collect());
                    }
                    let block = this.block();
                    carried.push((number, block, all));
                    block
                }
            };
            this.jump(block);
            let dead = this.block();
            this.at(dead);
            Ok(())
        };
        // Where one argument depends on another, code of its own for each seat knows more.
        let seats = self.layout.players as i64;
        if seats <= 2 && who.known.is_none() && self.depends(choice) {
            let stuck = self.block();
            for seat in 0..seats {
                let (mine, other) = (self.block(), self.block());
                let is = self.cmp_imm(IntCC::Equal, who.v, seat);
                self.fork(is, mine, other);
                self.at(mine);
                let known = self.known(seat, who.s);
                self.draw(choice, known, &mut taken)?;
                self.jump(stuck);
                self.at(other);
            }
            self.jump(stuck);
            self.at(stuck);
        } else {
            self.draw(choice, who, &mut taken)?;
        }
        self.stuck(pc, choice, ops);
        let outer = std::mem::take(&mut self.locals.bound);
        for (number, block, vars) in carried {
            self.at(block);
            let Some(offer) = choice.offers.iter().chain(&choice.otherwise).nth(number) else { continue };
            let args = self.args_of(offer, &vars)?;
            self.carry(offer, who, &args, ops, live, false)?;
            self.locals.bound.clear();
        }
        self.locals.bound = outer;
        Ok(())
    }

    /// Playouts go to `plays` while they may make more choices; all else goes to `stops`.
    fn fork_on_mode(&mut self, plays: Block, stops: Block) {
        let left = self.b.use_var(self.run.left);
        let more = self.cmp_imm(IntCC::SignedGreaterThan, left, 0);
        self.fork(more, plays, stops);
    }

    /// What a choice in a playout begins with.
    fn begin_choice(&mut self, pc: Pc, live: &Live) {
        self.new_step();
        let lists =
            |slot: &Slot| matches!(self.vars.get(slot), Some(v) if matches!(v.shape, SlotShape::List(_)));
        if !live.at(pc).iter().any(lists) {
            self.reset_scratch();
        }
    }

    fn counts_draws(&self) -> bool {
        self.machine.game.code.iter().any(|op| matches!(op, Op::Chance(_)))
    }

    fn made_moves(&mut self, more: i64) {
        let zero = self.int(0);
        self.b.def_var(self.run.draws, zero);
        let left = self.b.use_var(self.run.left);
        let left = self.b.ins().iadd_imm(left, -more);
        self.b.def_var(self.run.left, left);
    }

    /// Nobody can choose: play goes on where the rules say, or the reference says what is wrong.
    fn stuck(&mut self, pc: Pc, choice: &Choice, ops: &[Block]) {
        match choice.stuck {
            Some(to) => self.go(pc, to, ops),
            None => {
                let giveup = self.giveup;
                self.jump(giveup);
            }
        }
    }

    fn arg_words(&mut self, arg: Val) -> R<Vec<V>> {
        Ok(match arg {
            val @ (Val::Word(_) | Val::Const(_)) => match val {
                Val::Const(value) if matches!(value, crate::ir::Value::List(_)) => {
                    let list = self.still_list(Val::Const(value))?;
                    vec![list.at, list.len]
                }
                val => vec![self.word(val)?.v],
            },
            val => {
                let list = self.still_list(val)?;
                vec![list.at, list.len]
            }
        })
    }

    fn args_of(&mut self, offer: &Offer, vars: &[Vec<Variable>]) -> R<Vec<Val>> {
        let params = self.machine.game.moves[offer.mv].params.iter().filter(|param| param.domain.is_some());
        params
            .zip(vars)
            .map(|(param, vars)| {
                let words: Vec<V> = vars.iter().map(|var| self.b.use_var(*var)).collect();
                let shape = self.vars.get(&param.slot).map(|found| found.shape.clone());
                Ok(match (shape, words.as_slice()) {
                    (Some(SlotShape::Word(s)), [v]) => Val::Word(Word { v: *v, s, known: None }),
                    (Some(SlotShape::List(of)), [at, len]) => Val::List(List {
                        at: *at,
                        len: *len,
                        width: 8,
                        of,
                        most: None,
                        exact: None,
                        ring: false,
                        still: true,
                    }),
                    _ => return nope(format!("the parameter `{}` has no flat shape", param.name)),
                })
            })
            .collect()
    }

    /// Fills a chosen move's slots and goes to its effects.
    fn carry(
        &mut self,
        offer: &Offer,
        seat: Word,
        args: &[Val],
        ops: &[Block],
        live: &Live,
        together: bool,
    ) -> R<()> {
        let mv: &Move = &self.machine.game.moves[offer.mv];
        let mut given = Vec::new();
        for e in &offer.given {
            given.push(self.expr(e)?);
        }
        let base = self.base();
        let last = self.b.ins().iadd_imm(seat.v, 1);
        self.store_u(1, last, base, LAST);
        let unchosen = mv.params.iter().filter(|param| param.domain.is_none());
        for (param, val) in unchosen.zip(given) {
            self.keep(&[param.slot], val)?;
        }
        self.keep(&[mv.me], Val::Word(seat))?;
        let chosen = mv.params.iter().filter(|param| param.domain.is_some());
        for (param, arg) in chosen.zip(args) {
            self.keep(&[param.slot], arg.clone())?;
        }
        let wanted = live.at(offer.target);
        for (i, check) in mv.checks.iter().enumerate() {
            match check {
                MoveCheck::Let(slots, e) => {
                    let later = slots.iter().any(|slot| wanted.contains(slot))
                        || mv.checks[i + 1..].iter().any(|check| match check {
                            MoveCheck::Let(_, e) => {
                                slots.iter().any(|slot| super::table::free_slots(e).contains(slot))
                            }
                            MoveCheck::Need { cond, .. } => {
                                together
                                    && slots.iter().any(|slot| super::table::free_slots(cond).contains(slot))
                            }
                            MoveCheck::Prefer { .. } => false,
                        });
                    if later {
                        let val = self.expr(e)?;
                        self.keep(slots, val.clone())?;
                        // More is known of the value than its slot tells.
                        self.bind(slots, val)?;
                    }
                }
                // What was chosen alone is legal still.
                MoveCheck::Need { cond, .. } if together => {
                    let holds = self.truth(cond)?;
                    self.give_up_unless(holds);
                }
                MoveCheck::Need { .. } => {}
                MoveCheck::Prefer { .. } => return nope("a need that binds only where possible"),
            }
        }
        self.jump(ops[offer.target]);
        Ok(())
    }

    fn choose_together(&mut self, pc: Pc, id: usize, choice: &Choice, ops: &[Block], live: &Live) -> R<()> {
        let Some(sealed) = self.layout.sealed else { return nope("choices without a seal") };
        let who = self.expr(&choice.who)?;
        let players = self.player_scalar();
        let known = match &who {
            Val::Const(seats) if self.layout.all_in => Some(crate::eval::elements(seats)),
            _ => None,
        };
        let named = match who {
            Val::Word(word) => {
                let one = self.int(1);
                self.b.ins().ishl(one, word.v)
            }
            val => self.bits(val, players)?.words[0],
        };
        let standing = self.standing().words[0];
        let seats = self.b.ins().band(named, standing);
        let (some, nobody) = (self.block(), self.block());
        self.fork(seats, some, nobody);
        self.at(nobody);
        self.go(pc, choice.done, ops);
        self.at(some);
        self.begin_choice(pc, live);
        // Everybody must have a move.
        let all = Bits { words: vec![seats], of: players };
        self.each_seat(&all, known.as_deref(), &mut |this, seat| {
            let can = this.block();
            this.exists(&choice.offers, seat, can)?;
            this.exists(&choice.otherwise, seat, can)?;
            this.stuck(pc, choice, ops);
            this.at(can);
            Ok(())
        })?;
        let (plays, stops) = (self.block(), self.block());
        self.b.set_cold_block(stops);
        self.fork_on_mode(plays, stops);
        self.at(stops);
        let base = self.base();
        self.store64(seats, base, SEATS);
        let zero = self.int(0);
        self.store64(zero, base, SEALED);
        let number = self.int(id as i64);
        self.store_u(2, number, base, CHOICE);
        self.stop(pc, 1, live)?;
        self.at(plays);
        let offers: Vec<&Offer> = choice.offers.iter().chain(&choice.otherwise).collect();
        self.each_seat(&all, known.as_deref(), &mut |this, who| {
            let sealed_one = this.block();
            this.draw(choice, who, &mut |this, number, args| {
                let seat = who.v;
                let base = this.base();
                let offset = this.b.ins().imul_imm(seat, i64::from(sealed.stride));
                let mut place = this.b.ins().iadd(base, offset);
                let offer = this.int(number as i64);
                this.store64(offer, place, sealed.at);
                let Some(shapes) = &this.layout.args[offers[number].mv] else {
                    return nope("arguments without a shape");
                };
                for (arg, at) in args.iter().zip(sealed.places(shapes)) {
                    let at = sealed.at + at;
                    match this.arg_words(arg.clone())?.as_slice() {
                        [word] => {
                            this.store64(*word, place, at);
                        }
                        [list, len] => {
                            let (list, len) = (*list, *len);
                            let base = this.base();
                            let rel = this.b.ins().isub(place, base);
                            let handle = this.b.ins().iadd_imm(rel, i64::from(at));
                            this.save_list_at(list, len, handle)?;
                            // The position may lie elsewhere now.
                            let base = this.base();
                            place = this.b.ins().iadd(base, offset);
                        }
                        _ => return nope("an argument of many words"),
                    }
                }
                this.jump(sealed_one);
                let dead = this.block();
                this.at(dead);
                Ok(())
            })?;
            // Nobody is without a move; so much was tested.
            let giveup = this.giveup;
            this.jump(giveup);
            this.at(sealed_one);
            this.made_moves(1);
            Ok(())
        })?;
        let base = self.base();
        self.store64(seats, base, SEALED);
        self.go(pc, pc + 1, ops);
        Ok(())
    }

    /// Goes through seats; where it is known who they are, with code for each.
    fn each_seat(
        &mut self,
        seats: &Bits,
        known: Option<&[crate::ir::Value]>,
        body: &mut dyn FnMut(&mut Self, Word) -> R<()>,
    ) -> R<()> {
        const FEW_SEATS: usize = 3;
        let of = seats.of;
        if let Some(known) = known.filter(|known| known.len() <= FEW_SEATS) {
            let mut known: Vec<i64> =
                known.iter().filter_map(|seat| super::shape::to_word(seat, self.layout.squares)).collect();
            known.sort_unstable();
            known.dedup();
            for seat in known {
                let seat = self.known(seat, of);
                body(self, seat)?;
            }
            return Ok(());
        }
        self.each_bit(&seats.words, Some(of.size()), |this, seat, _| {
            body(this, Word { v: seat, s: of, known: None })
        })
    }

    fn save_list_at(&mut self, list: V, len: V, handle: V) -> R<()> {
        let bytes = self.b.ins().ishl_imm(len, 3);
        let ctx = self.ctx;
        let done = self.call("grow", &[ctx, handle, bytes])?;
        self.moved();
        let failed = self.cmp_imm(IntCC::Equal, done, 0);
        self.give_up_if(failed);
        let base = self.base();
        let at = self.b.ins().iadd(base, handle);
        self.store64(len, at, 8);
        let block = self.load_u(4, at, 0);
        let offset = self.b.ins().ishl_imm(block, 3);
        let to = self.b.ins().iadd(base, offset);
        let of = Scalar::any_int();
        let from = List { at: list, len, width: 8, of, most: None, exact: None, ring: false, still: true };
        let zero = self.int(0);
        let last = self.b.ins().iadd_imm(len, -1);
        self.each_int(zero, last, None, |this, i, _| {
            let item = this.element(from, i);
            let offset = this.b.ins().ishl_imm(i, 3);
            let place = this.b.ins().iadd(to, offset);
            this.store64(item.v, place, 0);
            Ok(())
        })
    }

    fn unseal(&mut self, pc: Pc, id: usize, exit: Pc, ops: &[Block], live: &Live) -> R<()> {
        let Some(sealed) = self.layout.sealed else { return nope("choices without a seal") };
        let choice = &self.machine.game.choices[id];
        let base = self.base();
        let seats = self.load64(base, SEALED);
        let (some, none) = (self.block(), self.block());
        self.fork(seats, some, none);
        self.at(none);
        self.go(pc, exit, ops);
        self.at(some);
        let seat = self.b.ins().ctz(seats);
        let less = self.b.ins().iadd_imm(seats, -1);
        let rest = self.b.ins().band(seats, less);
        self.store64(rest, base, SEALED);
        let offset = self.b.ins().imul_imm(seat, i64::from(sealed.stride));
        let place = self.b.ins().iadd(base, offset);
        let taken = self.load64(place, sealed.at);
        let who = Word { v: seat, s: self.player_scalar(), known: None };
        let offers: Vec<&Offer> = choice.offers.iter().chain(&choice.otherwise).collect();
        for (number, offer) in offers.iter().enumerate() {
            let (mine, next) = (self.block(), self.block());
            if number + 1 == offers.len() {
                self.jump(mine);
            } else {
                let is = self.cmp_imm(IntCC::Equal, taken, number as i64);
                self.fork(is, mine, next);
            }
            self.at(mine);
            let Some(shapes) = self.layout.args[offer.mv].clone() else {
                return nope("arguments without a shape");
            };
            let mut args = Vec::new();
            let params = self.machine.game.moves[offer.mv].params.iter().filter(|p| p.domain.is_some());
            for ((shape, param), at) in shapes.iter().zip(params).zip(sealed.places(&shapes)) {
                let at = sealed.at + at;
                let known = self.vars.get(&param.slot).map(|found| found.shape.clone());
                args.push(match shape {
                    ArgShape::Word(s) => {
                        let s = if let Some(SlotShape::Word(s)) = known { s } else { *s };
                        Val::Word(Word { v: self.load64(place, at), s, known: None })
                    }
                    ArgShape::List(of) => {
                        let handle = self.b.ins().iadd_imm(place, i64::from(at));
                        let shape = super::shape::Shape::List(super::shape::Length::Growing, wide(*of));
                        let val = self.in_place(&shape, false, handle)?;
                        Val::List(self.still_list(val)?)
                    }
                });
            }
            self.carry(offer, who, &args, ops, live, true)?;
            self.locals.bound.clear();
            self.at(next);
        }
        // No other offer was taken.
        let giveup = self.giveup;
        self.jump(giveup);
        Ok(())
    }

    // ---- chance

    fn chance(&mut self, pc: Pc, chance: &Chance, ops: &[Block], live: &Live) -> R<()> {
        let ctx = self.ctx;
        let mode = self.load64(ctx, CTX_PLAYS);
        let (plays, stops) = (self.block(), self.block());
        self.b.set_cold_block(stops);
        self.fork(mode, plays, stops);
        self.at(stops);
        self.stop(pc, 2, live)?;
        self.at(plays);
        self.new_step();
        let draws = self.b.use_var(self.run.draws);
        let over = self.cmp_imm(IntCC::UnsignedGreaterThanOrEqual, draws, MAX_DRAWS as i64);
        self.give_up_if(over);
        let more = self.b.ins().iadd_imm(draws, 1);
        self.b.def_var(self.run.draws, more);
        match &chance.kind {
            ChanceKind::Value(domain, slot) => {
                let val = self.chance_value(domain)?;
                self.keep(&[*slot], Val::Word(val))?;
            }
            ChanceKind::Shuffle(place) => self.shuffle(place)?,
            ChanceKind::Draw(..) => return nope("an element drawn from a pile"),
            ChanceKind::Deal(..) => return nope("elements dealt at random"),
        }
        self.go(pc, pc + 1, ops);
        Ok(())
    }

    fn chance_value(&mut self, domain: &Domain) -> R<Word> {
        if let Some(values) = self.fixed_here(domain) {
            let squares = self.layout.squares;
            let words: Option<Vec<i64>> =
                values.iter().map(|value| super::shape::to_word(value, squares)).collect();
            let (Some(words), Some(s)) = (words, range_of(&values, squares)) else {
                return nope("a draw among large values");
            };
            let k = self.below_known(words.len() as i64);
            let run = words.windows(2).all(|pair| pair[1] == pair[0] + 1);
            let v = match run {
                true => self.b.ins().iadd_imm(k, words[0]),
                false => {
                    let row = self.static_row(words);
                    let offset = self.b.ins().ishl_imm(k, 3);
                    let place = self.b.ins().iadd(row, offset);
                    self.load64(place, 0)
                }
            };
            return Ok(Word { v, s, known: None });
        }
        let (low, high) = match domain {
            Domain::Range(low, high) => (self.number_of(low)?, self.number_of(high)?),
            Domain::Values(e) => match self.expr(e)? {
                Val::Bits(bits) | Val::Members(bits) => {
                    let any = self.any_bit(&bits);
                    self.give_up_unless(any);
                    let count = self.popcount(&bits);
                    let k = self.below(count);
                    let at = self.nth_bit(&bits, k);
                    let v = self.b.ins().iadd_imm(at, bits.of.lo);
                    return Ok(Word { v, s: bits.of, known: None });
                }
                val => {
                    let list = self.list(val)?;
                    let empty = self.cmp_imm(IntCC::Equal, list.len, 0);
                    self.give_up_if(empty);
                    let k = self.below(list.len);
                    return Ok(self.element(list, k));
                }
            },
            _ => return nope("a draw from a domain of rows"),
        };
        let count = self.span_len(low, high);
        let none = self.cmp_imm(IntCC::Equal, count, 0);
        self.give_up_if(none);
        let k = self.below(count);
        let v = self.b.ins().iadd(low.v, k);
        Ok(Gen::ranged(v, low.s.lo, high.s.hi.max(low.s.lo)))
    }

    /// A new order, as the reference draws it: from the last element down, each changes places with one up to it.
    fn shuffle(&mut self, place: &crate::ir::Place) -> R<()> {
        if !place.path.is_empty() {
            return nope("a place within a place shuffled");
        }
        let owner = match &place.owner {
            Some(owner) => Some(self.player_of(owner)?),
            None => None,
        };
        let Val::List(list) = self.state(place.state, owner)? else { return nope("a shuffle of no list") };
        let width = i64::from(list.width);
        let last = self.b.ins().iadd_imm(list.len, -1);
        let i = self.var(last);
        let (head, inside, done) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.at(head);
        let now = self.b.use_var(i);
        let more = self.cmp_imm(IntCC::SignedGreaterThan, now, 0);
        self.fork(more, inside, done);
        self.at(inside);
        self.times(list.most, |this| {
            let count = this.b.ins().iadd_imm(now, 1);
            let j = this.below(count);
            let (a, b) = (this.b.ins().imul_imm(now, width), this.b.ins().imul_imm(j, width));
            let (a, b) = (this.b.ins().iadd(list.at, a), this.b.ins().iadd(list.at, b));
            let (x, y) = (this.load_u(list.width, a, 0), this.load_u(list.width, b, 0));
            this.store_u(list.width, y, a, 0);
            this.store_u(list.width, x, b, 0);
            let next = this.b.ins().iadd_imm(now, -1);
            this.b.def_var(i, next);
            Ok(())
        })?;
        self.jump(head);
        self.at(done);
        self.unreveal(place.state, owner);
        Ok(())
    }

    // ---- the end

    /// The winners by the rule of the game, a bit each.
    fn decide(&mut self) -> R<V> {
        let machine = self.machine;
        let Some(winner) = &machine.game.winner else { return Ok(self.int(0)) };
        let players = self.player_scalar();
        let all = self.int(super::expr::mask_word(players.size(), 0) as i64);
        let base = self.base();
        let named = match &winner.by {
            WinnerBy::LastMover => {
                let last = self.load_u(1, base, LAST);
                // Seat s is kept as s + 1; nobody as 0.
                let (one, zero) = (self.int(1), self.int(0));
                let seat = self.b.ins().iadd_imm(last, -1);
                let bit = self.b.ins().ishl(one, seat);
                self.b.ins().select(last, bit, zero)
            }
            WinnerBy::LastIn => self.load64(base, STANDING),
            WinnerBy::Best(keys) => {
                let left = self.var(all);
                let row = self.stack(players.size() as u32 * 8);
                for (highest, key) in keys {
                    let worst = self.int(if *highest { i64::MIN } else { i64::MAX });
                    let best = self.var(worst);
                    let seats = self.b.use_var(left);
                    let score = |this: &mut Self, seat: Word| -> R<()> {
                        let value =
                            this.lambda(key, vec![Val::Word(seat)], |this, body| this.word_of(body))?;
                        let offset = this.b.ins().ishl_imm(seat.v, 3);
                        let place = this.b.ins().iadd(row, offset);
                        this.store64(value.v, place, 0);
                        let so_far = this.b.use_var(best);
                        let next = match highest {
                            true => this.b.ins().smax(so_far, value.v),
                            false => this.b.ins().smin(so_far, value.v),
                        };
                        this.b.def_var(best, next);
                        Ok(())
                    };
                    self.each_bit(&[seats], Some(players.size()), |this, seat, _| {
                        score(this, Word { v: seat, s: players, known: None })
                    })?;
                    let best = self.b.use_var(best);
                    let zero = self.int(0);
                    let kept = self.var(zero);
                    self.each_bit(&[seats], Some(players.size()), |this, seat, _| {
                        let offset = this.b.ins().ishl_imm(seat, 3);
                        let place = this.b.ins().iadd(row, offset);
                        let value = this.load64(place, 0);
                        let is = this.cmp(IntCC::Equal, value, best);
                        let one = this.b.ins().uextend(types::I64, is);
                        let bit = this.b.ins().ishl(one, seat);
                        let so_far = this.b.use_var(kept);
                        let next = this.b.ins().bor(so_far, bit);
                        this.b.def_var(kept, next);
                        Ok(())
                    })?;
                    let kept = self.b.use_var(kept);
                    self.b.def_var(left, kept);
                }
                self.b.use_var(left)
            }
        };
        if !winner.loser {
            return Ok(named);
        }
        let others = self.b.ins().band_not(all, named);
        let any = self.cmp_imm(IntCC::NotEqual, named, 0);
        Ok(self.b.ins().select(any, others, named))
    }
}

/// The number of a task: to carry an offer of a choice out.
pub fn offer_task(choice: usize, offer: usize) -> i64 {
    (choice as i64) << 16 | offer as i64
}

/// Any value of the sort, in eight bytes.
fn wide(of: Scalar) -> Scalar {
    Scalar { lo: -LIMIT, hi: LIMIT, ..of }
}

/// The ops from which play can come back to them without a stop.
fn circles(game: &Game, all_in: bool) -> BTreeSet<Pc> {
    let next = |pc: Pc| -> Vec<Pc> {
        match &game.code[pc] {
            Op::Do(..) | Op::Collect { .. } => vec![pc + 1],
            Op::Jump(to) => vec![*to],
            Op::Unless(_, to) => vec![pc + 1, *to],
            Op::Next { exit, .. } => vec![pc + 1, *exit],
            Op::Choose(id) => {
                let choice = &game.choices[*id];
                let done = (!all_in || choice.together).then_some(choice.done);
                choice.stuck.into_iter().chain(done).collect()
            }
            Op::Unseal(id, exit) => {
                let choice = &game.choices[*id];
                let offers = choice.offers.iter().chain(&choice.otherwise);
                offers.map(|offer| offer.target).chain([*exit]).collect()
            }
            Op::Chance(_) | Op::End(_) => Vec::new(),
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

//! Choices: drawn, sealed, unsealed and carried out.

use cranelift::prelude::*;

use super::call::{CTX_ARGS, CTX_SEAT, MAX_ARGS};
use super::generate::{Gen, R, V, nope};
use super::layout::{ArgShape, CHOICE, LAST, SEALED, SEATS};
use super::shape::Scalar;
use super::slots::SlotShape;
use super::value::{Bits, List, Val, Word};
use crate::ir::{Choice, Effect, Live, Move, MoveCheck, Offer, Op, Pc, Slot, Type};

/// Up to how many known seats get code each.
const FEW_SEATS: usize = 3;

impl<'a> Gen<'a> {
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
                        let list = List::still(*list, *len, of, None);
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
            let count = this.words_between(row, end);
            this.call("push_row", &[ctx, row, count])?;
            this.b.def_var(this.run.scratch, mark);
            Ok(())
        })?;
        self.exit(0);
        Ok(())
    }

    pub(super) fn carry_from_context(&mut self, offer: &Offer, ops: &[Block], live: &Live) -> R<()> {
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
                    args.push(Val::List(List::still(list, len, of, None)));
                    at += 16;
                }
            }
        }
        if at > CTX_ARGS + MAX_ARGS as i32 * 8 {
            return nope("very many arguments");
        }
        self.carry(offer, seat, &args, ops, live, false)
    }

    // ---- choices

    pub(super) fn choose(&mut self, pc: Pc, id: usize, ops: &[Block], live: &Live) -> R<()> {
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
        let plays = self.block();
        // A stop: somebody else chooses.
        self.unless_playing(plays, |this| {
            let can = this.block();
            this.exists(&choice.offers, who, can)?;
            this.exists(&choice.otherwise, who, can)?;
            this.stuck(pc, choice, ops);
            this.at(can);
            let base = this.base();
            let one = this.int(1);
            let seats = this.b.ins().ishl(one, who.v);
            this.store64(seats, base, SEATS);
            let number = this.int(id as i64);
            this.store_u(2, number, base, CHOICE);
            this.stop(pc, 1, live)
        })?;
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
        // Code of its own for each seat knows more.
        let seats = self.layout.players as i64;
        if seats <= 2 && who.known.is_none() && self.seat_tells(choice) {
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

    /// Playouts go to `plays` while they may make more choices; all else goes through `stop`.
    fn unless_playing(&mut self, plays: Block, stop: impl FnOnce(&mut Self) -> R<()>) -> R<()> {
        let stops = self.block_aside();
        let left = self.b.use_var(self.run.left);
        let over = self.cmp_imm(IntCC::SignedLessThanOrEqual, left, 0);
        self.fork(over, stops, plays);
        self.at(stops);
        self.aside(stop)
    }

    /// What a choice in a playout begins with.
    pub(super) fn begin_choice(&mut self, pc: Pc, live: &Live) {
        self.new_step();
        let lists =
            |slot: &Slot| matches!(self.vars.get(slot), Some(v) if matches!(v.shape, SlotShape::List(_)));
        if !live.at(pc).iter().any(lists) {
            self.reset_scratch();
        }
    }

    pub(super) fn made_moves(&mut self, more: i64) {
        let zero = self.int(0);
        self.b.def_var(self.run.draws, zero);
        let left = self.b.use_var(self.run.left);
        let left = self.b.ins().iadd_imm(left, -more);
        self.b.def_var(self.run.left, left);
    }

    /// Nobody can choose: play goes on where the rules say, or the reference says what is wrong.
    pub(super) fn stuck(&mut self, pc: Pc, choice: &Choice, ops: &[Block]) {
        match choice.stuck {
            Some(to) => self.go(pc, to, ops),
            None => {
                let giveup = self.giveup;
                self.jump(giveup);
            }
        }
    }

    pub(super) fn arg_words(&mut self, arg: Val) -> R<Vec<V>> {
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

    pub(super) fn args_of(&mut self, offer: &Offer, vars: &[Vec<Variable>]) -> R<Vec<Val>> {
        let params = self.machine.game.moves[offer.mv].params.iter().filter(|param| param.domain.is_some());
        params
            .zip(vars)
            .map(|(param, vars)| {
                let words: Vec<V> = vars.iter().map(|var| self.b.use_var(*var)).collect();
                let shape = self.vars.get(&param.slot).map(|found| found.shape.clone());
                Ok(match (shape, words.as_slice()) {
                    (Some(SlotShape::Word(s)), [v]) => Val::Word(Word { v: *v, s, known: None }),
                    (Some(SlotShape::List(of)), [at, len]) => Val::List(List::still(*at, *len, of, None)),
                    _ => return nope(format!("the parameter `{}` has no flat shape", param.name)),
                })
            })
            .collect()
    }

    /// Fills a chosen move's slots and goes to its effects.
    pub(super) fn carry(
        &mut self,
        offer: &Offer,
        seat: Word,
        args: &[Val],
        ops: &[Block],
        live: &Live,
        together: bool,
    ) -> R<()> {
        self.has_moved(seat);
        self.name(offer, seat, args, live, together)?;
        self.jump(ops[offer.target]);
        Ok(())
    }

    /// A seat has made the last choice.
    fn has_moved(&mut self, seat: Word) {
        let base = self.base();
        let last = self.b.ins().iadd_imm(seat.v, 1);
        self.store_u(1, last, base, LAST);
    }

    /// Fills a chosen move's slots.
    fn name(&mut self, offer: &Offer, seat: Word, args: &[Val], live: &Live, together: bool) -> R<()> {
        let mv: &Move = &self.machine.game.moves[offer.mv];
        let mut given = Vec::new();
        for e in &offer.given {
            given.push(self.expr(e)?);
        }
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
        Ok(())
    }

    pub(super) fn choose_together(
        &mut self,
        pc: Pc,
        id: usize,
        choice: &Choice,
        ops: &[Block],
        live: &Live,
    ) -> R<()> {
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
        let seats = match self.layout.all_in {
            true => named,
            false => {
                let standing = self.standing().words[0];
                self.b.ins().band(named, standing)
            }
        };
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
        let plays = self.block();
        self.unless_playing(plays, |this| {
            let base = this.base();
            this.store64(seats, base, SEATS);
            let zero = this.int(0);
            this.store64(zero, base, SEALED);
            let number = this.int(id as i64);
            this.store_u(2, number, base, CHOICE);
            this.stop(pc, 1, live)
        })?;
        self.at(plays);
        let offers: Vec<&Offer> = choice.offers.iter().chain(&choice.otherwise).collect();
        if let ([offer], Some(known)) = (offers.as_slice(), known.as_deref().filter(|k| k.len() <= FEW_SEATS))
            && let Some((effects, exit)) = self.straight(offer.target, pc + 1)
        {
            self.at_once(choice, offer, &all, known, &effects, live)?;
            self.go(pc, exit, ops);
            return Ok(());
        }
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

    /// The effects from a place to where choices are unsealed, and where play goes on behind those; `None` where
    /// anything else lies between.
    fn straight(&self, mut at: Pc, unseal: Pc) -> Option<(Vec<&'a Effect>, Pc)> {
        let code = &self.machine.game.code;
        let mut effects = Vec::new();
        for _ in 0..code.len() {
            match &code[at] {
                Op::Unseal(_, exit) if at == unseal => return Some((effects, *exit)),
                Op::Do(effect, _) => {
                    effects.push(effect);
                    at += 1;
                }
                Op::Jump(to) => at = *to,
                _ => return None,
            }
        }
        None
    }

    /// A joint choice of known seats with one offer in a playout: what is drawn stays in registers, and the effects
    /// stand there once for each seat.
    fn at_once(
        &mut self,
        choice: &Choice,
        offer: &Offer,
        all: &Bits,
        known: &[crate::ir::Value],
        effects: &[&Effect],
        live: &Live,
    ) -> R<()> {
        let mut drawn: Vec<(Word, Vec<Vec<Variable>>)> = Vec::new();
        self.each_seat(all, Some(known), &mut |this, who| {
            let done = this.block();
            let mut vars: Option<Vec<Vec<Variable>>> = None;
            this.draw(choice, who, &mut |this, _, args| {
                let words: R<Vec<Vec<V>>> = args.iter().map(|arg| this.arg_words(arg.clone())).collect();
                match &vars {
                    Some(vars) => {
                        for (var, word) in vars.iter().flatten().zip(words?.into_iter().flatten()) {
                            this.b.def_var(*var, word);
                        }
                    }
                    None => {
                        let own = |words: Vec<V>| words.into_iter().map(|word| this.var(word)).collect();
                        vars = Some(words?.into_iter().map(own).collect());
                    }
                }
                this.jump(done);
                let dead = this.block();
                this.at(dead);
                Ok(())
            })?;
            // Nobody is without a move; so much was tested.
            let giveup = this.giveup;
            this.jump(giveup);
            this.at(done);
            this.made_moves(1);
            drawn.push((who, vars.unwrap_or_default()));
            Ok(())
        })?;
        if let Some((who, _)) = drawn.last() {
            self.has_moved(*who);
        }
        for (who, vars) in drawn {
            let args = self.args_of(offer, &vars)?;
            self.name(offer, who, &args, live, true)?;
            self.locals.bound.insert(self.machine.game.moves[offer.mv].me, Val::Word(who));
            for effect in effects {
                self.effect(effect)?;
            }
            self.locals.bound.clear();
        }
        Ok(())
    }

    /// Goes through seats; where it is known who they are, with code for each.
    pub(super) fn each_seat(
        &mut self,
        seats: &Bits,
        known: Option<&[crate::ir::Value]>,
        body: &mut dyn FnMut(&mut Self, Word) -> R<()>,
    ) -> R<()> {
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

    pub(super) fn save_list_at(&mut self, list: V, len: V, handle: V) -> R<()> {
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
        let from = List::still(list, len, of, None);
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

    pub(super) fn unseal(&mut self, pc: Pc, id: usize, exit: Pc, ops: &[Block], live: &Live) -> R<()> {
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
                        let shape =
                            super::shape::Shape::List(super::shape::Length::Growing, super::flow::wide(*of));
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
}

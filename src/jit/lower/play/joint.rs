//! Joint choices: sealed and unsealed one by one or, if the seats are known, carried out at once.

use crate::ir::{Choice, Effect, Expr, Live, Offer, Op, Pc};
use crate::jit::builder::value::{Bits, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::position::SEALED;
use crate::jit::layout::slots::SlotShape;
use crate::jit::lower::moves::OnRow;
use crate::jit::mir::{Block, IntCC, Variable};

/// The maximum number of known seats that get code of their own.
const MAX_KNOWN_SEATS: usize = 3;

impl<'a> Builder<'a> {
    pub(in crate::jit) fn choose_together(
        &mut self,
        pc: Pc,
        id: usize,
        choice: &Choice,
        ops: &[Block],
        live: &Live,
    ) -> Result<()> {
        let who = self.expr(&choice.who)?;
        let players = self.player_scalar();
        let known = match &who {
            Val::Const(seats) if self.layout.all_in && choice.must.is_none() => {
                Some(crate::eval::elements(seats))
            }
            _ => None,
        };
        let named = self.named_seats(who)?;
        let seats = match self.layout.all_in {
            true => named,
            false => {
                let standing = self.standing().words[0];
                self.b.ins().band(named, standing)
            }
        };
        let seats = match &choice.must {
            Some(must) => self.seats_with_moves(pc, choice, must, seats, ops)?,
            None => seats,
        };
        let (some, nobody) = (self.block(), self.block());
        self.branch_on(seats, some, nobody);
        self.switch_to(nobody);
        self.jump_to_op(pc, choice.done, ops);
        self.switch_to(some);
        if self.stepping.is_none() {
            self.begin_choice(pc, live)?;
        }
        let all = Bits { words: vec![seats], of: players };
        let must_have_moves = |this: &mut Self| {
            this.each_seat(&all, known.as_deref(), &mut |this, seat| {
                this.must_have_move(pc, choice, seat, ops).map(drop)
            })
        };
        // Everybody must have a move. A playout notices when it draws one, unless the rules continue
        // elsewhere.
        let (elsewhere, all_can) = (choice.stuck.is_some(), choice.must.is_some());
        if elsewhere && !all_can {
            must_have_moves(self)?;
        }
        let stop = |this: &mut Self| {
            if !elsewhere && !all_can {
                must_have_moves(this)?;
            }
            let (base, zero) = (this.base(), this.int(0));
            this.store64(zero, base, SEALED);
            this.wait_for_seats(pc, id, seats, live)
        };
        if self.stepping.is_some() {
            return stop(self);
        }
        let plays = self.block();
        self.stop_unless_playing(plays, stop)?;
        self.switch_to(plays);
        let offers: Vec<&Offer> = choice.all_offers().collect();
        if let ([offer], Some(known)) =
            (offers.as_slice(), known.as_deref().filter(|k| k.len() <= MAX_KNOWN_SEATS))
            && let Some((effects, exit)) = self.straight_line_effects(offer.target, pc + 1)
        {
            self.inline_joint_choice(choice, offer, &all, known, &effects, live)?;
            self.jump_to_op(pc, exit, ops);
            return Ok(());
        }
        self.each_seat(&all, known.as_deref(), &mut |this, who| {
            this.draw_required(choice, who, &mut |this, number, args| {
                this.seal(who, number, offers[number], args)
            })
        })?;
        let base = self.base();
        self.store64(seats, base, SEALED);
        self.jump_to_op(pc, pc + 1, ops);
        Ok(())
    }

    /// Returns the seats that a value names, a player or several, as bits.
    pub(in crate::jit) fn named_seats(&mut self, who: Val) -> Result<V> {
        match who {
            Val::Word(word) => Ok(self.bit(word.v)),
            val => Ok(self.bits(val, self.player_scalar())?.words[0]),
        }
    }

    /// Returns those of `seats` that have a legal move; a seat in `must` that has none is stuck.
    fn seats_with_moves(
        &mut self,
        pc: Pc,
        choice: &Choice,
        must: &Expr,
        seats: V,
        ops: &[Block],
    ) -> Result<V> {
        let of = self.player_scalar();
        let must = self.expr(must)?;
        let must = self.named_seats(must)?;
        let zero = self.int(0);
        let movers = self.var(zero);
        self.each_seat(&Bits { words: vec![seats], of }, None, &mut |this, seat| {
            let (can, stuck, on) = (this.block(), this.block(), this.block());
            this.exists_or_ask(choice, seat, can)?;
            let bit = this.bit(seat.v);
            let must = this.b.ins().band(must, bit);
            this.branch_on(must, stuck, on);
            this.switch_to(stuck);
            this.stuck(pc, choice, ops);
            this.switch_to(can);
            let (bit, others) = (this.bit(seat.v), this.b.use_var(movers));
            let all = this.b.ins().bor(others, bit);
            this.b.def_var(movers, all);
            this.jump(on);
            this.switch_to(on);
            Ok(())
        })?;
        Ok(self.b.use_var(movers))
    }

    /// Seals the choice of a seat.
    pub(in crate::jit) fn seal(
        &mut self,
        who: Word,
        number: usize,
        offer: &Offer,
        args: &[Val],
    ) -> Result<()> {
        let Some(sealed) = self.layout.sealed else { return unsupported("choices without a seal") };
        let seat = who.v;
        let base = self.base();
        let offset = self.b.ins().imul_imm_s(seat, i64::from(sealed.stride));
        let mut place = self.b.ins().iadd(base, offset);
        let taken = self.int(number as i64);
        self.store64(taken, place, sealed.at);
        let words = self.args_words(offer, args)?;
        let shapes = self.layout.args[offer.mv].clone().unwrap_or_default();
        for ((words, shape), at) in words.iter().zip(&shapes).zip(sealed.places(&shapes)) {
            self.save_slot(shape, words, (place, sealed.at + at))?;
            if shape.grows() {
                // The position may have been moved.
                let base = self.base();
                place = self.b.ins().iadd(base, offset);
            }
        }
        Ok(())
    }

    /// Draws a legal move of a seat that must have one, and passes it to `on`.
    fn draw_required(&mut self, choice: &Choice, who: Word, on: OnRow) -> Result<()> {
        let done = self.block();
        let id = self.number_of_choice(choice);
        let offers: Vec<&Offer> = choice.all_offers().collect();
        self.draw_or_ask(choice, who, &None, &mut |this, number, args| {
            this.log_choice((id, number), offers[number], who.v, args)?;
            on(this, number, args)?;
            this.jump_away(done);
            Ok(())
        })?;
        let bail_out_block = self.bail_out_block();
        self.jump(bail_out_block);
        self.switch_to(done);
        self.spend_moves(1);
        Ok(())
    }

    /// Returns the effects from an op up to `unseal`, and where play continues after the joint choice; `None`
    /// if anything else lies in between.
    fn straight_line_effects(&self, mut at: Pc, unseal: Pc) -> Option<(Vec<&'a Effect>, Pc)> {
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

    /// Emits a joint choice of known seats with one offer, in a playout: drawn moves stay in registers, and
    /// the effects are emitted once for each seat.
    fn inline_joint_choice(
        &mut self,
        choice: &Choice,
        offer: &Offer,
        all: &Bits,
        known: &[crate::ir::Value],
        effects: &[&Effect],
        live: &Live,
    ) -> Result<()> {
        let mut drawn: Vec<(Word, Vec<Vec<Variable>>)> = Vec::new();
        self.each_seat(all, Some(known), &mut |this, who| {
            let mut vars = Vec::new();
            this.draw_required(choice, who, &mut |this, _, args| this.store_args(offer, args, &mut vars))?;
            drawn.push((who, vars));
            Ok(())
        })?;
        if let Some((who, _)) = drawn.last() {
            self.record_last_mover(*who);
        }
        drawn.into_iter().try_for_each(|(who, vars)| self.apply_drawn(offer, who, &vars, effects, live))
    }

    /// Carries out what a seat has drawn.
    fn apply_drawn(
        &mut self,
        offer: &Offer,
        who: Word,
        vars: &[Vec<Variable>],
        effects: &[&Effect],
        live: &Live,
    ) -> Result<()> {
        let args = self.args_of(offer, vars)?;
        self.fill_move_slots(offer, who, &args, live, true)?;
        self.locals.bound.insert(self.machine.game.moves[offer.mv].me, Val::Word(who));
        for effect in effects {
            self.effect(effect)?;
        }
        self.locals.bound.clear();
        Ok(())
    }

    /// Loops over seats; emits separate code for each if they are few and known.
    pub(in crate::jit) fn each_seat(
        &mut self,
        seats: &Bits,
        known: Option<&[crate::ir::Value]>,
        body: &mut dyn FnMut(&mut Self, Word) -> Result<()>,
    ) -> Result<()> {
        let of = seats.of;
        if let Some(known) = known.filter(|known| known.len() <= MAX_KNOWN_SEATS) {
            let mut known: Vec<i64> = known
                .iter()
                .filter_map(|seat| crate::jit::layout::shape::to_word(seat, self.layout.squares))
                .collect();
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

    pub(in crate::jit) fn unseal(
        &mut self,
        pc: Pc,
        id: usize,
        exit: Pc,
        ops: &[Block],
        live: &Live,
    ) -> Result<()> {
        let Some(sealed) = self.layout.sealed else { return unsupported("choices without a seal") };
        let choice = &self.machine.game.choices[id];
        let base = self.base();
        let seats = self.load64(base, SEALED);
        let (some, none) = (self.block(), self.block());
        self.branch_on(seats, some, none);
        self.switch_to(none);
        self.jump_to_op(pc, exit, ops);
        self.switch_to(some);
        let seat = self.b.ins().ctz(seats);
        let less = self.b.ins().iadd_imm_s(seats, -1);
        let rest = self.b.ins().band(seats, less);
        self.store64(rest, base, SEALED);
        let offset = self.b.ins().imul_imm_s(seat, i64::from(sealed.stride));
        let place = self.b.ins().iadd(base, offset);
        let taken = self.load64(place, sealed.at);
        let who = Word { v: seat, s: self.player_scalar(), known: None };
        let offers: Vec<&Offer> = choice.all_offers().collect();
        for (number, offer) in offers.iter().enumerate() {
            let (mine, next) = (self.block(), self.block());
            if number + 1 == offers.len() {
                self.jump(mine);
            } else {
                let is = self.cmp_imm(IntCC::Equal, taken, number as i64);
                self.branch_on(is, mine, next);
            }
            self.switch_to(mine);
            let Some(shapes) = self.layout.args[offer.mv].clone() else {
                return unsupported("arguments without a shape");
            };
            let mut args = Vec::new();
            let params = self.machine.game.moves[offer.mv].params.iter().filter(|p| p.domain.is_some());
            for ((shape, param), at) in shapes.iter().zip(params).zip(sealed.places(&shapes)) {
                let words = self.load_slot(shape, (place, sealed.at + at))?;
                let known = self.vars.get(&param.slot).map(|found| found.shape.clone());
                args.push(match (self.argument(shape, words, param)?, known) {
                    (Val::Word(word), Some(SlotShape::Word(known))) => {
                        Val::Word(Word { s: shape.narrowed(known), ..word })
                    }
                    (arg, _) => arg,
                });
            }
            self.carry_out(offer, who, &args, ops, live, true)?;
            self.locals.bound.clear();
            self.switch_to(next);
        }
        // No other offer can have been chosen.
        let bail_out_block = self.bail_out_block();
        self.jump(bail_out_block);
        Ok(())
    }
}

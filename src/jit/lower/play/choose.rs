//! Choices: drawing and carrying out moves.

use crate::ir::{Choice, Live, Move, MoveCheck, Offer, Param, Pc, Slot, Type};
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::position::{LAST, SEATS, Stop};
use crate::jit::layout::slots::SlotShape;
use crate::jit::lower::moves::chosen;
use crate::jit::lower::moves::row_set::KnownRows;
use crate::jit::mir::{Block, IntCC, Variable};
use crate::jit::runtime::call::{CTX_ARGS, CTX_SEAT, DONE, SCRATCH};

impl Builder<'_> {
    /// Lists the legal moves of a seat at a choice, as rows of the offer's number and the arguments. A list
    /// is preceded by its length.
    pub fn listing(&mut self, id: usize, pc: Pc, live: &Live) -> Result<()> {
        let choice = &self.machine.game.choices[id];
        self.span = choice.span;
        let ctx = self.ctx;
        self.load_slots(live.at(pc));
        let seat = self.load64(ctx, CTX_SEAT);
        let seat = Word { v: seat, s: self.player_scalar(), known: None };
        let offers: Vec<&Offer> = choice.all_offers().collect();
        // What the reference keeps is read when all moves are listed.
        let opaque = |offer: &&Offer| {
            let args = self.layout.args[offer.mv].iter().flatten();
            args.clone().any(|shape| matches!(shape, SlotShape::Opaque(_)))
        };
        let keeps = offers.iter().any(opaque);
        self.keeping_scratch(keeps, |this| {
            this.all_rows(choice, seat, &mut |this, number, args| {
                let shapes = this.layout.args[offers[number].mv].clone().unwrap_or_default();
                let words = this.args_words(offers[number], args)?;
                let offer = this.int(number as i64);
                this.push_row(&[offer], words, &shapes)
            })
        })?;
        self.return_status(DONE);
        Ok(())
    }

    pub(in crate::jit) fn carry_out_from_context(
        &mut self,
        offer: &Offer,
        ops: &[Block],
        live: &Live,
    ) -> Result<()> {
        let ctx = self.ctx;
        self.reset_fuel();
        let seat = self.load64(ctx, CTX_SEAT);
        let seat = Word { v: seat, s: self.player_scalar(), known: None };
        let Some(shapes) = self.layout.args[offer.mv].clone() else {
            return unsupported("arguments without a shape");
        };
        let mut at = CTX_ARGS;
        let mut args = Vec::new();
        let params = chosen(&self.machine.game.moves[offer.mv]);
        for (shape, param) in shapes.into_iter().zip(params) {
            let words = (0..shape.words() as i32).map(|i| self.load64(ctx, at + i * 8)).collect();
            args.push(self.argument(&shape, words, param)?);
            at += shape.words() as i32 * 8;
        }
        self.carry_out(offer, seat, &args, ops, live, false)
    }

    /// Returns an argument for a parameter, given its words.
    pub(in crate::jit) fn argument(
        &mut self,
        shape: &SlotShape,
        words: Vec<V>,
        param: &Param,
    ) -> Result<Val> {
        match self.slot_value(shape, words) {
            Val::Opaque(number) => self.argument_kept_by_reference(number, param),
            val => Ok(val),
        }
    }

    // ---- choices

    pub(in crate::jit) fn choose(&mut self, pc: Pc, id: usize, ops: &[Block], live: &Live) -> Result<()> {
        let game = &self.machine.game;
        let choice = &game.choices[id];
        if choice.together {
            return self.choose_together(pc, id, choice, ops, live);
        }
        if choice.who.ty != Type::Player {
            return unsupported("a choice of several seats one by one");
        }
        let who = self.player_of(&choice.who)?;
        if !self.layout.all_in {
            let standing = self.standing();
            let in_play = self.has_bit(&standing, who);
            let (on, out) = (self.block(), self.block());
            self.branch_on(in_play, on, out);
            self.switch_to(out);
            self.jump_to_op(pc, choice.done, ops);
            self.switch_to(on);
        }
        if self.stepping.is_some() {
            return self.stop_at_choice(pc, id, who, ops, live);
        }
        let plays = self.block();
        // Stop: somebody else chooses.
        self.stop_unless_playing(plays, |this| {
            this.must_have_move(pc, choice, who, ops)?;
            let seats = this.bit(who.v);
            this.wait_for_seats(pc, id, seats, live)
        })?;
        // A playout chooses by itself.
        self.switch_to(plays);
        self.begin_choice(pc, live)?;
        // Sampling consumes random numbers even if it fails, so first make sure that a legal move exists.
        let mut known = None;
        if self.must_check_existence(choice) {
            known = self.must_have_move(pc, choice, who, ops)?;
        }
        let mut drawn_moves: Vec<(usize, Block, Vec<Vec<Variable>>)> = Vec::new();
        let mut on_row = |this: &mut Builder, number: usize, args: &[Val]| -> Result<()> {
            this.spend_moves(1);
            let at =
                drawn_moves.iter().position(|(known, _, _)| *known == number).unwrap_or(drawn_moves.len());
            if at == drawn_moves.len() {
                drawn_moves.push((number, this.block(), Vec::new()));
            }
            let (_, block, vars) = &mut drawn_moves[at];
            if let Some(offer) = choice.all_offers().nth(number) {
                this.store_args(offer, args, vars)?;
            }
            let block = *block;
            this.jump_away(block);
            Ok(())
        };
        self.specialise_by_seat(choice, who, &mut |this, who| {
            this.draw_or_ask(choice, who, &known, &mut on_row)
        })?;
        self.stuck(pc, choice, ops);
        let outer = std::mem::take(&mut self.locals.bound);
        for (number, block, vars) in drawn_moves {
            self.switch_to(block);
            let Some(offer) = choice.all_offers().nth(number) else { continue };
            let args = self.args_of(offer, &vars)?;
            self.log_choice((id, number), offer, who.v, &args)?;
            self.carry_out(offer, who, &args, ops, live, false)?;
            self.locals.bound.clear();
        }
        self.locals.bound = outer;
        Ok(())
    }

    /// Runs `body` for a seat: once for each known seat where that allows better code, otherwise once.
    pub(in crate::jit) fn specialise_by_seat(
        &mut self,
        choice: &Choice,
        who: Word,
        body: &mut dyn FnMut(&mut Self, Word) -> Result<()>,
    ) -> Result<()> {
        let seats = self.layout.players as i64;
        if seats > 2 || who.known.is_some() || !self.seat_matters(choice) {
            return body(self, who);
        }
        let met = self.block();
        for seat in 0..seats {
            let (mine, other) = (self.block(), self.block());
            let is = self.cmp_imm(IntCC::Equal, who.v, seat);
            self.branch_on(is, mine, other);
            self.switch_to(mine);
            let known = self.known(seat, who.s);
            body(self, known)?;
            self.jump(met);
            self.switch_to(other);
        }
        self.jump(met);
        self.switch_to(met);
        Ok(())
    }

    /// Branches to `plays` while a playout may make more choices; everything else goes through `stop`.
    pub(in crate::jit) fn stop_unless_playing(
        &mut self,
        plays: Block,
        stop: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let stops = self.cold_block();
        let left = self.b.use_var(self.run.moves_left);
        let over = self.cmp_imm(IntCC::SignedLessThanOrEqual, left, 0);
        self.branch_on(over, stops, plays);
        self.switch_to(stops);
        self.cold(stop)
    }

    /// Makes the position wait for these seats to choose.
    pub(in crate::jit) fn wait_for_seats(&mut self, pc: Pc, id: usize, seats: V, live: &Live) -> Result<()> {
        let base = self.base();
        self.store64(seats, base, SEATS);
        self.reset_draws();
        match &self.stepping {
            None => self.stop(pc, Stop::Choice(id), live),
            Some(_) => self.stop_and_list(pc, id, live),
        }
    }

    /// Begins a choice in a playout.
    pub(in crate::jit) fn begin_choice(&mut self, pc: Pc, live: &Live) -> Result<()> {
        /// Half of scratch memory, in bytes.
        const HALF_SCRATCH: i64 = SCRATCH as i64 * 4;
        self.reset_fuel();
        let grows = |slot: &Slot| self.vars.get(slot).is_some_and(|found| found.shape.grows());
        if !live.at(pc).iter().any(grows) {
            self.reset_scratch();
            return Ok(());
        }
        // Before scratch memory is used up, save the live slots, reset it, and reload them.
        let (used, on) = (self.cold_block(), self.block());
        let (begin, at) = (self.b.use_var(self.run.begin), self.b.use_var(self.run.scratch));
        let bytes = self.b.ins().isub(at, begin);
        let much = self.cmp_imm(IntCC::UnsignedGreaterThan, bytes, HALF_SCRATCH);
        self.branch_on(much, used, on);
        self.switch_to(used);
        self.save_slots(live.at(pc))?;
        self.reset_scratch();
        self.load_slots(live.at(pc));
        self.jump(on);
        self.switch_to(on);
        Ok(())
    }

    /// Resets the number of draws, which counts from one choice to the next, or to the end.
    pub(in crate::jit) fn reset_draws(&mut self) {
        let zero = self.int(0);
        self.b.def_var(self.run.draws, zero);
    }

    pub(in crate::jit) fn spend_moves(&mut self, more: i64) {
        self.reset_draws();
        let left = self.b.use_var(self.run.moves_left);
        let left = self.b.ins().iadd_imm_s(left, -more);
        self.b.def_var(self.run.moves_left, left);
    }

    /// Falls through if a seat has a legal move; otherwise continues as the rules say for stuck seats. Returns the legal rows if
    /// they are known.
    pub(in crate::jit) fn must_have_move(
        &mut self,
        pc: Pc,
        choice: &Choice,
        seat: Word,
        ops: &[Block],
    ) -> Result<KnownRows> {
        let can = self.block();
        let known = self.exists_or_ask(choice, seat, can)?;
        self.stuck(pc, choice, ops);
        self.switch_to(can);
        Ok(known)
    }

    /// Handles a seat without a legal move: play continues where the rules say, or the reference reports the
    /// fault.
    pub(in crate::jit) fn stuck(&mut self, pc: Pc, choice: &Choice, ops: &[Block]) {
        match choice.stuck {
            Some(to) => self.jump_to_op(pc, to, ops),
            None => match self.stepping.as_ref().map(|stepping| stepping.live) {
                // The reference can continue from this position.
                Some(live) => self.side_exit_before(pc, "nobody has a legal move", live),
                None => {
                    let bail_out_block = self.bail_out_block();
                    self.jump(bail_out_block);
                }
            },
        }
    }

    /// Returns the words of an offer's arguments as they are in positions and in answers, by argument.
    pub(in crate::jit) fn args_words(&mut self, offer: &Offer, args: &[Val]) -> Result<Vec<Vec<V>>> {
        let Some(shapes) = self.layout.args[offer.mv].clone() else {
            return unsupported("arguments without a shape");
        };
        args.iter().zip(shapes).map(|(arg, shape)| self.words_for_slot(&shape, arg.clone())).collect()
    }

    /// Stores the words of arguments in variables, so that every place that draws the move can pass them on.
    /// Creates the variables on first use.
    pub(in crate::jit) fn store_args(
        &mut self,
        offer: &Offer,
        args: &[Val],
        vars: &mut Vec<Vec<Variable>>,
    ) -> Result<()> {
        let Some(shapes) = self.layout.args[offer.mv].clone() else {
            return unsupported("arguments without a shape");
        };
        let params = chosen(&self.machine.game.moves[offer.mv]);
        let mut words = Vec::new();
        for ((arg, shape), param) in args.iter().zip(shapes).zip(params) {
            // Positions may hold it in another form.
            let own = self.vars.get(&param.slot).map(|found| found.shape.clone());
            let shape = own.filter(|_| matches!(shape, SlotShape::Opaque(_))).unwrap_or(shape);
            words.push(self.words_for_slot(&shape, arg.clone())?);
        }
        if vars.is_empty() {
            let own = |words: Vec<V>| words.into_iter().map(|word| self.var(word)).collect();
            *vars = words.into_iter().map(own).collect();
            return Ok(());
        }
        for (var, word) in vars.iter().flatten().zip(words.into_iter().flatten()) {
            self.b.def_var(*var, word);
        }
        Ok(())
    }

    pub(in crate::jit) fn args_of(&mut self, offer: &Offer, vars: &[Vec<Variable>]) -> Result<Vec<Val>> {
        let params = chosen(&self.machine.game.moves[offer.mv]);
        let shapes = self.layout.args[offer.mv].clone().unwrap_or_default();
        params
            .into_iter()
            .zip(shapes)
            .zip(vars)
            .map(|((param, arg), vars)| {
                let words: Vec<V> = vars.iter().map(|var| self.b.use_var(*var)).collect();
                let shape = self.vars.get(&param.slot).map(|found| found.shape.clone());
                let Some(shape) = shape else {
                    return unsupported(format!("the parameter `{}` has no flat shape", param.name));
                };
                Ok(match self.slot_value(&shape, words) {
                    Val::Word(word) => Val::Word(Word { s: arg.narrowed(word.s), ..word }),
                    val => val,
                })
            })
            .collect()
    }

    /// Fills the slots of a chosen move and jumps to its effects.
    pub(in crate::jit) fn carry_out(
        &mut self,
        offer: &Offer,
        seat: Word,
        args: &[Val],
        ops: &[Block],
        live: &Live,
        together: bool,
    ) -> Result<()> {
        self.record_last_mover(seat);
        self.fill_move_slots(offer, seat, args, live, together)?;
        self.jump(ops[offer.target]);
        Ok(())
    }

    /// Records the seat that made the last choice.
    pub(in crate::jit) fn record_last_mover(&mut self, seat: Word) {
        let base = self.base();
        let last = self.b.ins().iadd_imm_s(seat.v, 1);
        self.store_u(1, last, base, LAST);
    }

    /// Fills the slots of a chosen move.
    pub(in crate::jit) fn fill_move_slots(
        &mut self,
        offer: &Offer,
        seat: Word,
        args: &[Val],
        live: &Live,
        together: bool,
    ) -> Result<()> {
        let mv: &Move = &self.machine.game.moves[offer.mv];
        let mut given = Vec::new();
        for e in &offer.given {
            given.push(self.expr(e)?);
        }
        let unchosen = mv.params.iter().filter(|param| param.domain.is_none());
        for (param, val) in unchosen.zip(given) {
            self.store_slots(&[param.slot], val)?;
        }
        self.store_slots(&[mv.me], Val::Word(seat))?;
        for (param, arg) in chosen(mv).into_iter().zip(args) {
            self.store_slots(&[param.slot], arg.clone())?;
        }
        let wanted = live.at(offer.target);
        for (i, check) in mv.checks.iter().enumerate() {
            match check {
                MoveCheck::Let(slots, e) => {
                    let later = slots.iter().any(|slot| wanted.contains(slot))
                        || mv.checks[i + 1..].iter().any(|check| match check {
                            MoveCheck::Let(_, e) => {
                                slots.iter().any(|slot| crate::ir::free_slots(e).contains(slot))
                            }
                            MoveCheck::Need { cond, .. } | MoveCheck::SoftNeed { cond, .. } => {
                                together
                                    && slots.iter().any(|slot| crate::ir::free_slots(cond).contains(slot))
                            }
                        });
                    if later {
                        let val = self.expr(e)?;
                        self.store_slots(slots, val.clone())?;
                        // The value may have a narrower range than its slot.
                        self.bind(slots, val)?;
                    }
                }
                // Joint choices are checked again; others are still legal.
                MoveCheck::Need { cond, .. } if together => {
                    let holds = self.condition(cond)?;
                    self.bail_out_unless(holds);
                }
                MoveCheck::Need { .. } => {}
                MoveCheck::SoftNeed { cond, .. } if together => drop(self.condition(cond)?),
                MoveCheck::SoftNeed { .. } => {}
            }
        }
        Ok(())
    }
}

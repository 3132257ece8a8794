//! What is not chosen: draws of chance, and the winners.

use crate::eval::MAX_DRAWS;
use crate::ir::{Chance, ChanceKind, Domain, Live, Pc, Scoring, Type, Value, WinnerBy};
use crate::jit::analysis::accesses::Accesses;
use crate::jit::builder::unsupported::MarkedPart;
use crate::jit::builder::value::{Bits, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::position::{LAST, STANDING, Stop};
use crate::jit::layout::shape::{Index, Scalar, is_consecutive};
use crate::jit::layout::slots::words_of;
use crate::jit::mir::{Block, IntCC};
use crate::jit::runtime::call::{CTX_MAX_MOVES, DONE};
use crate::jit::runtime::questions::RowSource;

impl Builder<'_> {
    // ---- chance

    pub(in crate::jit) fn chance(
        &mut self,
        pc: Pc,
        chance: &Chance,
        ops: &[Block],
        live: &Live,
    ) -> Result<()> {
        match self.stepping.as_ref().map(|stepping| stepping.draws.get(&pc).copied()) {
            Some(Some(decides)) => self.stop_or_draw(pc, decides, live)?,
            Some(None) => return unsupported("a draw that code does not begin at"),
            None => self.stop_at_chance(pc, live)?,
        }
        self.reset_fuel();
        let draws = self.b.use_var(self.run.draws);
        // Endless draws without a choice in between are cut off at a limit.
        let code = &self.machine.game.code;
        let on_cycle = crate::jit::lower::play::ops_on_cycles(&self.machine.game, self.layout.all_in, true)
            .contains(&pc);
        if on_cycle || code.len() > MAX_DRAWS {
            let over = self.cmp_imm(IntCC::UnsignedGreaterThanOrEqual, draws, MAX_DRAWS as i64);
            self.bail_out_if(over);
        }
        let more = self.b.ins().iadd_imm_s(draws, 1);
        self.b.def_var(self.run.draws, more);
        match &chance.kind {
            _ if self.is_marked(&MarkedPart::Op(pc)) => {
                self.op_interpreted(pc)?;
                self.disable_logging();
            }
            ChanceKind::Value(domain, slot) => {
                let rows = match domain.element() {
                    Type::List(_) | Type::Set(_) => true,
                    ty @ Type::Tuple(_) => {
                        let words = matches!(domain, Domain::Values(_)) && self.type_scalar(&ty).is_some();
                        !words || self.known_elements(domain).is_some()
                    }
                    _ => false,
                };
                let val = match rows {
                    true => self.chance_row(domain)?,
                    false => Val::Word(self.chance_value(domain)?),
                };
                self.log_chance(pc, val.clone())?;
                self.store_slots(&[*slot], val)?;
            }
            ChanceKind::Shuffle(place) => {
                self.shuffle(place)?;
                let owner = place.owner.as_ref().map(|owner| self.player_of(owner)).transpose()?;
                let shuffled = self.state(place.state, owner)?;
                self.log_chance(pc, shuffled)?;
            }
            ChanceKind::Draw(place, slot) => {
                let drawn = self.draw_from(place)?;
                self.log_chance(pc, drawn.clone())?;
                self.store_slots(&[*slot], drawn)?;
            }
            ChanceKind::Deal(count, from, to) => {
                self.deal_by_chance(count, from, to)?;
                self.disable_logging();
            }
        }
        if self.stepping.is_some() {
            self.store_stream();
        }
        self.jump_to_op(pc, pc + 1, ops);
        Ok(())
    }

    /// Stops before a draw when playout code runs a single step.
    fn stop_at_chance(&mut self, pc: Pc, live: &Live) -> Result<()> {
        let (plays, stops) = (self.block(), self.cold_block());
        let left = self.b.use_var(self.run.moves_left);
        let over = self.cmp_imm(IntCC::SignedLessThan, left, 0);
        self.branch_on(over, stops, plays);
        self.switch_to(stops);
        // A joint choice may exceed the limit of choices, making `left` negative; then the draw is still
        // played.
        let (ctx, stops) = (self.ctx, self.cold_block());
        let most = self.load64(ctx, CTX_MAX_MOVES);
        let steps = self.cmp_imm(IntCC::SignedLessThan, most, 0);
        self.branch_on(steps, stops, plays);
        self.switch_to(stops);
        self.stop(pc, Stop::Chance, live)?;
        self.switch_to(plays);
        Ok(())
    }

    /// Draws a row from a domain of rows, or from a list of values that fit no word.
    fn chance_row(&mut self, domain: &Domain) -> Result<Val> {
        if let Some(values) = self.known_elements(domain).filter(|values| !values.is_empty()) {
            let many = self.int(values.len() as i64);
            let k = self.below(many);
            let values: Vec<Option<Value>> = values.into_iter().map(Some).collect();
            return match self.one_of_known(k, &values, &domain.element())? {
                Some(val) => Ok(val),
                None => unsupported("a draw among known values of different kinds"),
            };
        }
        if let Domain::Values(e) = domain
            && self.lists_compounds(&e.ty)
        {
            let val = self.expr(e)?;
            let list = self.gathered_list(val, &e.ty)?;
            let none = self.cmp_imm(IntCC::Equal, list.len, 0);
            self.bail_out_if(none);
            let k = self.below(list.len);
            return Ok(self.element_value(list, k));
        }
        let described = match domain {
            Domain::Where(slot, of, condition) => {
                let accesses = Accesses::of_domain(self.machine, domain);
                let source = RowSource::Domain(Box::new(domain.clone()));
                // The reference keeps a table that never changes.
                let tried = if accesses.is_unchanging(&|slot| self.is_known(slot)) {
                    None
                } else {
                    let conditions = vec![(*slot, (**condition).clone())];
                    self.tried_rows((of, *slot), (conditions, Vec::new()), source.clone(), &accesses, None)?
                };
                match tried {
                    Some(tried) => Some(tried),
                    None => Some(self.rows_in_table(source, accesses, &domain.element())?),
                }
            }
            domain => self.described_rows(domain, None)?,
        };
        let Some((count, rows)) = described else {
            return unsupported("a draw from a domain of large rows");
        };
        let none = self.cmp_imm(IntCC::Equal, count, 0);
        self.bail_out_if(none);
        let rank = self.below(count);
        self.row_at(&rows, rank)
    }

    pub(in crate::jit) fn chance_value(&mut self, domain: &Domain) -> Result<Word> {
        if let Some(values) = self.known_elements(domain) {
            let squares = self.layout.squares;
            let Some((words, s)) = words_of(&values, squares) else {
                return unsupported("a draw among large values");
            };
            let many = self.int(words.len() as i64);
            let k = self.below(many);
            let run = is_consecutive(&words);
            let v = match run {
                true => self.b.ins().iadd_imm_s(k, words[0]),
                false => {
                    let place = self.static_entry(words, k, 1);
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
                    self.bail_out_unless(any);
                    let count = self.popcount(&bits);
                    let k = self.below(count);
                    let at = self.nth_bit(&bits, k);
                    let v = self.b.ins().iadd_imm_s(at, bits.of.lo);
                    return Ok(Word { v, s: bits.of, known: None });
                }
                val => {
                    let list = self.list(val)?;
                    let empty = self.cmp_imm(IntCC::Equal, list.len, 0);
                    self.bail_out_if(empty);
                    let k = self.below(list.len);
                    return Ok(self.element(list, k));
                }
            },
            _ => return unsupported("a draw from a domain of rows"),
        };
        let count = self.span_len(low, high);
        let none = self.cmp_imm(IntCC::Equal, count, 0);
        self.bail_out_if(none);
        let k = self.below(count);
        let v = self.b.ins().iadd(low.v, k);
        Ok(Builder::ranged(v, low.s.lo, high.s.hi.max(low.s.lo)))
    }

    /// Shuffles a list like the reference: swaps each element, from the last one down, with one up to it.
    pub(in crate::jit) fn shuffle(&mut self, place: &crate::ir::Place) -> Result<()> {
        let target = self.resolve_place(place)?;
        // The elements lie side by side, in one word each or in several.
        let (first, len, most, size, width) = match self.value_at(&target)? {
            Val::List(list) => (list.at, list.len, list.most, i64::from(list.width), list.width),
            Val::Cells { at, cells } if matches!(cells.index, Index::Places(_)) => {
                let (len, most) = self.cell_count(at, cells.index);
                (self.first_cell(at, &cells), len, most, self.cell_size(&cells), 8)
            }
            _ => return unsupported("a shuffle of no list"),
        };
        let last = self.b.ins().iadd_imm_s(len, -1);
        let more = |this: &mut Self, [now]: [V; 1]| this.cmp_imm(IntCC::SignedGreaterThan, now, 0);
        self.repeat([last], most, more, |this, [now], _| {
            let count = this.b.ins().iadd_imm_s(now, 1);
            let j = this.below(count);
            let (a, b) = (this.entry_at(first, now, size), this.entry_at(first, j, size));
            for offset in (0..size as i32).step_by(width as usize) {
                let (x, y) = (this.load_u(width, a, offset), this.load_u(width, b, offset));
                this.store_u(width, y, a, offset);
                this.store_u(width, x, b, offset);
            }
            Ok([this.b.ins().iadd_imm_s(now, -1)])
        })?;
        self.unreveal(target.state, target.owner);
        Ok(())
    }

    // ---- the end

    /// Computes a player's score; 0 if the game keeps none.
    pub fn score(&mut self, who: Word) -> Result<Word> {
        let machine = self.machine;
        match &machine.game.scoring {
            Scoring::None => Ok(self.known(0, Scalar::int(0, 0))),
            Scoring::Awards => {
                let Some(at) = self.layout.awards else { return unsupported("awards without a place") };
                let base = self.base();
                let offset = self.b.ins().ishl_imm_s(who.v, 3);
                let place = self.b.ins().iadd(base, offset);
                Ok(self.load_scalar(Scalar::any_int(), false, place, at))
            }
            Scoring::Each(lambda) => {
                self.lambda(lambda, vec![Val::Word(who)], |this, body| this.number_of(body))
            }
            Scoring::Named(lambdas) => {
                if let Some(seat) = who.known {
                    let Some(lambda) = lambdas.get(seat as usize) else {
                        return unsupported("a seat without a score");
                    };
                    return self.lambda(lambda, vec![Val::Word(who)], |this, body| this.number_of(body));
                }
                let zero = self.int(0);
                let result = self.var(zero);
                let end = self.block();
                for (seat, lambda) in lambdas.iter().enumerate().take(self.layout.players) {
                    let (mine, next) = (self.block(), self.block());
                    let is = self.cmp_imm(IntCC::Equal, who.v, seat as i64);
                    self.branch_on(is, mine, next);
                    self.switch_to(mine);
                    let player = self.known(seat as i64, who.s);
                    let word =
                        self.lambda(lambda, vec![Val::Word(player)], |this, body| this.number_of(body))?;
                    self.b.def_var(result, word.v);
                    self.jump(end);
                    self.switch_to(next);
                }
                self.jump(end);
                self.switch_to(end);
                let v = self.b.use_var(result);
                Ok(Word { v, s: Scalar::any_int(), known: None })
            }
        }
    }

    /// Returns every seat's score to the caller.
    pub fn scores(&mut self) -> Result<()> {
        let mut scores = Vec::new();
        for seat in 0..self.layout.players as i64 {
            let seat = self.known(seat, self.player_scalar());
            scores.push(self.score(seat)?.v);
        }
        self.push_row(&scores, Vec::new(), &[])?;
        self.return_status(DONE);
        Ok(())
    }

    /// Returns a bit for the seat that moved last; 0 if nobody has moved.
    fn last_mover(&mut self, base: V) -> V {
        let last = self.load_u(1, base, LAST);
        // Seat s is stored as s + 1, nobody as 0.
        let (one, zero) = (self.int(1), self.int(0));
        let seat = self.b.ins().iadd_imm_s(last, -1);
        let bit = self.b.ins().ishl(one, seat);
        self.b.ins().select(last, bit, zero)
    }

    /// Computes the winners by the rule of the game, one bit each.
    pub(in crate::jit) fn decide(&mut self) -> Result<V> {
        let machine = self.machine;
        let Some(winner) = &machine.game.winner else { return Ok(self.int(0)) };
        let players = self.player_scalar();
        let all = self.int(crate::jit::lower::expr::convert::mask_word(players.size(), 0) as i64);
        let base = self.base();
        let named = match &winner.by {
            WinnerBy::LastMover => self.last_mover(base),
            WinnerBy::LastIn => self.load64(base, STANDING),
            WinnerBy::Best(keys) => {
                let left = self.var(all);
                let row = self.stack(players.size() as u32 * 8);
                let everyone: Vec<Value> = (0..self.layout.players).map(Value::Player).collect();
                for (i, (highest, key)) in keys.iter().enumerate() {
                    // A seat that is not best by one key is not compared by the next.
                    let known = (i == 0).then_some(everyone.as_slice());
                    let worst = self.int(if *highest { i64::MIN } else { i64::MAX });
                    let best = self.var(worst);
                    let seats = Bits { words: vec![self.b.use_var(left)], of: players };
                    let score = |this: &mut Self, seat: Word| -> Result<()> {
                        let value =
                            this.lambda(key, vec![Val::Word(seat)], |this, body| this.word_of(body))?;
                        let offset = this.b.ins().ishl_imm_s(seat.v, 3);
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
                    self.each_seat(&seats, known, &mut |this, seat| score(this, seat))?;
                    let best = self.b.use_var(best);
                    let zero = self.int(0);
                    let kept = self.var(zero);
                    self.each_seat(&seats, known, &mut |this, seat| {
                        let offset = this.b.ins().ishl_imm_s(seat.v, 3);
                        let place = this.b.ins().iadd(row, offset);
                        let value = this.load64(place, 0);
                        let is = this.cmp(IntCC::Equal, value, best);
                        this.set_bit_if(is, kept, seat.v);
                        Ok(())
                    })?;
                    let kept = self.b.use_var(kept);
                    self.b.def_var(left, kept);
                }
                let left = self.b.use_var(left);
                match winner.then_last_mover {
                    true => {
                        // Evaluating keys may have moved the position.
                        let base = self.base();
                        let last = self.last_mover(base);
                        let one = self.b.ins().band(left, last);
                        self.b.ins().select(one, one, left)
                    }
                    false => left,
                }
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

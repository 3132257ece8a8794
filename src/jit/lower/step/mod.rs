//! Stepping code: makes a given move, draws one, or resolves draws of chance, and stops again; lists the
//! moves of the choice at which it stops.
//!
//! It is the automaton again, entered at a choice with a task: the id of a move, or one of
//! [`LIST`](crate::jit::runtime::call::LIST) and the like. One call handles many positions, each with its own
//! task.

pub mod draw;
pub mod list;
pub mod numbers;

use std::collections::BTreeMap;

use crate::eval::MAX_STEPS;
use crate::ir::{Choice, Live, Offer, Op, Pc};
use crate::jit::builder::bail_out::op_span;
use crate::jit::builder::unsupported::Unsupported;
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::position::{CHOICE, DRAWS, PC, SEALED, SEATS, Stop};
use crate::jit::layout::slots::SlotShape;
use crate::jit::mir::{Block, IntCC, Variable};
use crate::jit::runtime::call::{
    BAILED_OUT, CHANCE, CTX_CHANCE, CTX_ITEM, CTX_REASON, CTX_SCRATCH_BEGIN, CTX_SPARE, DONE, DRAW,
    ITEM_ANSWER, ITEM_BASE, ITEM_BYTES, ITEM_LISTS, ITEM_SEAT, ITEM_STREAM, ITEM_TASK, LIST, OUTCOME,
    REFUSED, SIDE_EXIT,
};

/// A move to be carried out: the block that does it, and the variables that pass its arguments there.
type MoveBlock = (Block, Vec<Vec<Variable>>);

impl<'a> Builder<'a> {
    // ---- from item to item

    /// Returns the address of the current item in stepping code; in other code, a value that is not used.
    pub(in crate::jit) fn step_item(&mut self) -> V {
        match &self.stepping {
            Some(stepping) => self.b.use_var(stepping.item),
            None => self.ctx,
        }
    }

    /// Starts at the first item.
    pub(in crate::jit) fn first_item(&mut self) {
        let item = self.load64(self.ctx, CTX_ITEM);
        if let Some(stepping) = &self.stepping {
            self.b.def_var(stepping.item, item);
        }
    }

    /// Starts with the current item's position; nothing is known about the position yet.
    pub(in crate::jit) fn begin_item(&mut self) {
        let (item, ctx) = (self.step_item(), self.ctx);
        let base = self.load64(item, ITEM_BASE);
        self.b.def_var(self.base, base);
        let scratch = self.load64(ctx, CTX_SCRATCH_BEGIN);
        for var in [self.run.begin, self.run.scratch] {
            self.b.def_var(var, scratch);
        }
        let zero = self.int(0);
        for var in self.run.chance.into_iter().chain([self.run.moves_left, self.run.draws]) {
            self.b.def_var(var, zero);
        }
        let steps = self.int(MAX_STEPS as i64);
        self.b.def_var(self.run.fuel, steps);
    }

    /// Emits the exits: advances to the next position at `begin` or ends with `DONE`; also the blocks for
    /// answered and refused tasks, for saving the position, and for bail-outs.
    pub(in crate::jit) fn emit_step_exits(&mut self, begin: Block) {
        let Some(stepping) = self.stepping.take() else { return };
        self.jump(stepping.answered);
        self.switch_to(stepping.answered);
        let (ctx, item) = (self.ctx, self.b.use_var(stepping.item));
        let next = self.b.ins().iadd_imm_s(item, ITEM_BYTES);
        self.store64(next, ctx, CTX_ITEM);
        self.b.def_var(stepping.item, next);
        let base = self.load64(next, ITEM_BASE);
        self.leave_if(base, begin);
        self.return_status(DONE);
        self.switch_to(stepping.refused);
        self.return_status(REFUSED);
        let bails = !self.bail_out_blocks.is_empty();
        if let Some((save, saved)) = stepping.save_blocks {
            self.switch_to(save);
            if bails {
                self.save_position(stepping.item);
            }
            self.jump(saved);
        }
        self.emit_bail_outs(BAILED_OUT);
    }

    /// Saves the position and the stream, in case code bails out.
    fn save_position(&mut self, item: Variable) {
        let (base, ctx) = (self.base(), self.ctx);
        if self.layout.saved_by_code() {
            let spare = self.load64(ctx, CTX_SPARE);
            for at in (0..self.layout.bytes).step_by(8) {
                let word = self.load64(base, at);
                self.store64(word, spare, at);
            }
        }
        let item = self.b.use_var(item);
        let stream = self.load64(item, ITEM_STREAM);
        let (some, on) = (self.block(), self.block());
        self.branch_on(stream, some, on);
        self.switch_to(some);
        for at in (0..32).step_by(8) {
            let word = self.load64(stream, at);
            self.store64(word, ctx, CTX_CHANCE + at);
        }
        self.jump(on);
        self.switch_to(on);
    }

    /// Loads the stream of the current item.
    pub(in crate::jit) fn load_stream(&mut self) {
        let item = self.step_item();
        let stream = self.load64(item, ITEM_STREAM);
        for (i, var) in self.run.chance.into_iter().enumerate() {
            let word = self.load64(stream, i as i32 * 8);
            self.b.def_var(var, word);
        }
    }

    /// Stores the stream of the current item.
    pub(in crate::jit) fn store_stream(&mut self) {
        let item = self.step_item();
        let stream = self.load64(item, ITEM_STREAM);
        for (i, var) in self.run.chance.into_iter().enumerate() {
            let word = self.b.use_var(var);
            self.store64(word, stream, i as i32 * 8);
        }
    }

    /// Continues at `decides`, the draw of chance, if there is a stream to draw from; otherwise, or after the
    /// only draw of [`OUTCOME`], stops before it.
    pub(in crate::jit) fn stop_or_draw(&mut self, pc: Pc, decides: Block, live: &Live) -> Result<()> {
        let (streams, stops, item) = (self.block(), self.block(), self.step_item());
        let stream = self.load64(item, ITEM_STREAM);
        self.branch_on(stream, streams, stops);
        self.switch_to(streams);
        let task = self.load64(item, ITEM_TASK);
        let once = self.cmp_imm(IntCC::Equal, task, OUTCOME);
        self.branch_on(once, stops, decides);
        self.switch_to(stops);
        self.stop(pc, Stop::Chance, live)?;
        self.switch_to_loop(decides);
        self.load_stream();
        Ok(())
    }

    /// Makes the position wait at a choice, and lists its moves if the task asks for it.
    pub(in crate::jit) fn stop_and_list(&mut self, pc: Pc, id: usize, live: &Live) -> Result<()> {
        self.save_slots(live.at(pc))?;
        self.wait(pc, Stop::Choice(id));
        self.list_from_stop(id);
        Ok(())
    }

    /// Continues where the choice's moves are listed, for the first seat that is to choose, if the task asks
    /// for it.
    fn list_from_stop(&mut self, id: usize) {
        let (item, minus) = (self.step_item(), self.int(-1));
        let lists = self.load64(item, ITEM_LISTS);
        let (listed, stopped) = (self.block(), self.stopped);
        self.branch_on(lists, listed, stopped);
        self.switch_to(listed);
        match self.stepping.as_ref().and_then(|stepping| stepping.lists.get(&id).copied()) {
            Some(list) => {
                self.store64(minus, item, ITEM_SEAT);
                self.jump(list);
            }
            None => {
                self.store64(minus, item, ITEM_ANSWER);
                self.jump(stopped);
            }
        }
    }

    /// Stops at a choice of one seat that has a legal move. If moves are listed, the list shows whether it
    /// has one, unless the rules continue elsewhere for stuck seats, or a window may be empty.
    pub(in crate::jit) fn stop_at_choice(
        &mut self,
        pc: Pc,
        id: usize,
        who: Word,
        ops: &[Block],
        live: &Live,
    ) -> Result<()> {
        let choice = &self.machine.game.choices[id];
        let asks = self.block();
        if self.empty_list_means_stuck(id) {
            let plain = self.block();
            let item = self.step_item();
            let lists = self.load64(item, ITEM_LISTS);
            self.branch_on(lists, asks, plain);
            self.switch_to(plain);
        }
        self.specialise_by_seat(choice, who, &mut |this, who| {
            this.exists_or_ask(choice, who, asks).map(drop)
        })?;
        self.stuck(pc, choice, ops);
        self.switch_to(asks);
        let seats = self.bit(who.v);
        self.wait_for_seats(pc, id, seats, live)
    }

    /// Whether an empty list of moves means that there is no legal move.
    fn empty_list_means_stuck(&self, id: usize) -> bool {
        let choice = &self.machine.game.choices[id];
        let listed = self.stepping.as_ref().is_some_and(|stepping| stepping.lists.contains_key(&id));
        listed && !choice.together && choice.stuck.is_none() && !self.any_infinite(&choice.offers)
    }

    // ---- tasks

    /// Dispatches from the task to the op where it begins. Returns an error with the choice that cannot be
    /// handled.
    pub fn tasks(
        &mut self,
        ops: &[Block],
        live: &Live,
        side_exits: &BTreeMap<Pc, String>,
    ) -> Result<(), (usize, Unsupported)> {
        let game = &self.machine.game;
        let Some((left_to_reference, refused)) =
            self.stepping.as_ref().map(|s| (s.left_to_reference, s.refused))
        else {
            return Ok(());
        };
        let mut choices = Vec::new();
        for (id, choice) in game.choices.iter().enumerate() {
            let here = |op: &Op| matches!(op, Op::Choose(own) if *own == id);
            if let Some(pc) = game.code.iter().position(here).filter(|pc| !side_exits.contains_key(pc))
                && !left_to_reference.contains(&id)
            {
                choices.push((id, choice, pc, self.block()));
            }
        }
        let draws = game
            .code
            .iter()
            .enumerate()
            .filter(|(pc, op)| matches!(op, Op::Chance(_)) && !side_exits.contains_key(pc));
        let draws: BTreeMap<Pc, Block> = draws.map(|(pc, _)| (pc, self.block())).collect();
        let (save, saved) = (self.block(), self.block());
        let listed: Vec<(usize, Block)> = choices
            .iter()
            .filter(|(id, ..)| self.stepping.as_ref().is_some_and(|s| s.ids.has(*id)))
            .map(|(id, ..)| (*id, self.b.create_block()))
            .collect();
        if let Some(stepping) = &mut self.stepping {
            stepping.save_blocks = Some((save, saved));
            stepping.draws.clone_from(&draws);
            stepping.lists = listed.into_iter().collect();
        }
        // Tasks that change the position first pass through `save`, where it is saved.
        let item = self.step_item();
        let task = self.load64(item, ITEM_TASK);
        let dispatch = self.block();
        let asks = self.cmp_imm(IntCC::UnsignedGreaterThanOrEqual, task, DRAW);
        self.branch_on(asks, dispatch, save);
        self.switch_to_loop(saved);
        if draws.is_empty() {
            self.jump(dispatch);
        } else {
            let chance = self.block();
            let is = self.cmp_imm(IntCC::SignedLessThanOrEqual, task, CHANCE);
            self.branch_on(is, chance, dispatch);
            self.switch_to(chance);
            self.chance_decides(&draws, live);
        }
        self.switch_to(dispatch);
        if let ([(_, _, _, only)], 1) = (choices.as_slice(), game.choices.len()) {
            self.jump(*only);
        } else {
            let base = self.base();
            let number = self.load_u(2, base, CHOICE);
            let begins: Vec<_> = choices.iter().map(|(id, _, _, block)| (*id as u64, *block)).collect();
            self.b.switch(number, &begins, refused);
        }
        let mut move_blocks = Vec::new();
        for (id, choice, pc, block) in choices {
            self.switch_to(block);
            self.span = op_span(game, pc);
            let own = self.choice_tasks(id, choice, pc, task, live).map_err(|failed| (id, failed))?;
            move_blocks.push((id, choice, pc, own));
        }
        // Nothing has been changed so far.
        self.emit_bail_outs(REFUSED);
        for (id, choice, pc, own) in move_blocks {
            for (number, offer, (begin, vars)) in own {
                self.switch_to(begin);
                self.span = op_span(game, pc);
                self.load_slots(live.at(pc));
                self.carry_out_or_seal(pc, choice, (number, offer), &vars, ops, live)
                    .map_err(|failed| (id, failed))?;
                self.locals.bound.clear();
            }
        }
        Ok(())
    }

    /// Resumes at the draw of chance where play stands.
    fn chance_decides(&mut self, draws: &BTreeMap<Pc, Block>, live: &Live) {
        let base = self.base();
        let pc = self.load_u(4, base, PC);
        let mut places = Vec::new();
        let mut loads = Vec::new();
        for (at, to) in draws {
            let block = self.block();
            places.push((*at as u64, block));
            loads.push((*at, block, *to));
        }
        let refused = self.stepping.as_ref().map_or(self.stopped, |stepping| stepping.refused);
        self.b.switch(pc, &places, refused);
        for (at, block, to) in loads {
            self.switch_to(block);
            let base = self.base();
            let draws = self.load_u(4, base, DRAWS);
            self.b.def_var(self.run.draws, draws);
            self.load_slots(live.at(at));
            self.jump(to);
        }
    }

    /// Handles the tasks at a choice: list its moves, draw one, make one. Returns the moves to be carried
    /// out.
    fn choice_tasks(
        &mut self,
        id: usize,
        choice: &'a Choice,
        pc: Pc,
        task: V,
        live: &Live,
    ) -> Result<Vec<(usize, &'a Offer, MoveBlock)>> {
        let refused = self.stepping.as_ref().map_or(self.stopped, |stepping| stepping.refused);
        let list = self.stepping.as_ref().and_then(|stepping| stepping.lists.get(&id).copied());
        let (makes, draws, others) = (self.block(), self.block(), self.block());
        let lists = self.cmp_imm(IntCC::Equal, task, LIST);
        self.branch_on(lists, list.unwrap_or(refused), others);
        if let Some(list) = list {
            let before = std::mem::take(&mut self.bail_out_blocks);
            self.switch_to_loop(list);
            self.list_moves(id, choice, pc, live)?;
            self.emit_list_bail_outs(before);
        }
        self.switch_to(others);
        self.load_slots(live.at(pc));
        let is_number = self.cmp_imm(IntCC::SignedGreaterThanOrEqual, task, 0);
        self.branch_on(is_number, makes, draws);
        let mut move_blocks: Vec<(usize, &Offer, MoveBlock)> = Vec::new();
        self.switch_to(makes);
        for (number, offer) in choice.all_offers().enumerate() {
            let own = self.arguments(id, number, offer, task)?;
            move_blocks.push((number, offer, own));
        }
        self.jump(refused);
        self.switch_to(draws);
        self.draw_tasks(id, choice, task, &mut move_blocks)?;
        Ok(move_blocks)
    }

    /// Emits the bail-outs of listing code: the rest of the task is done, so only the list is left to the
    /// reference.
    fn emit_list_bail_outs(
        &mut self,
        before: BTreeMap<(crate::source::Span, crate::jit::builder::bail_out::BailOutReason), Block>,
    ) {
        let blocks = std::mem::replace(&mut self.bail_out_blocks, before);
        let answered = self.stepping.as_ref().map_or(self.stopped, |stepping| stepping.answered);
        for block in blocks.into_values() {
            self.switch_to(block);
            let (item, minus) = (self.step_item(), self.int(-1));
            self.store64(minus, item, ITEM_ANSWER);
            self.jump(answered);
        }
    }

    /// Returns the seat of the current item's task.
    pub(in crate::jit) fn task_seat(&mut self) -> Word {
        let (item, base) = (self.step_item(), self.base());
        let seat = self.load64(item, ITEM_SEAT);
        let seats = self.load64(base, SEATS);
        let lowest = self.b.ins().ctz(seats);
        let none = self.cmp_imm(IntCC::SignedLessThan, seat, 0);
        let v = self.b.ins().select(none, lowest, seat);
        Word { v, s: self.player_scalar(), known: None }
    }

    /// Stores the answer to a task, and goes on to the next item.
    pub(in crate::jit) fn answer(&mut self, answer: V) {
        let item = self.step_item();
        self.store64(answer, item, ITEM_ANSWER);
        let answered = self.stepping.as_ref().map_or(self.stopped, |stepping| stepping.answered);
        self.jump(answered);
    }

    /// If the task is the id of a move of this offer, computes its arguments and jumps to where it is carried
    /// out.
    fn arguments(&mut self, id: usize, number: usize, offer: &Offer, task: V) -> Result<MoveBlock> {
        let begin = self.block();
        let mut vars = Vec::new();
        let ids = self.stepping.as_ref().map(|stepping| stepping.ids);
        if let Some(numbers) = ids.filter(|ids| ids.has(id)).and_then(|ids| ids.of_offer(id, number)) {
            let codecs = self.rank_codecs_of(numbers)?;
            let (mine, next) = (self.block(), self.block());
            let rank = self.b.ins().iadd_imm_s(task, -i64::from(numbers.first));
            let here = self.cmp_imm(IntCC::UnsignedLessThan, rank, i64::from(numbers.count));
            self.branch_on(here, mine, next);
            self.switch_to(mine);
            let args = self.args_at(rank, &codecs)?;
            self.store_fitting_args(offer, args, &mut vars)?;
            self.jump(begin);
            self.switch_to(next);
        }
        Ok((begin, vars))
    }

    /// Hands over arguments that fit the move's slots; bails out if one does not.
    fn store_fitting_args(
        &mut self,
        offer: &Offer,
        args: Vec<Val>,
        vars: &mut Vec<Vec<Variable>>,
    ) -> Result<()> {
        let params = self.machine.game.moves[offer.mv].params.iter().filter(|param| param.domain.is_some());
        let mut fitting = Vec::new();
        for (param, arg) in params.zip(args) {
            let shape = self.vars.get(&param.slot).map(|found| found.shape.clone());
            fitting.push(match (shape, arg) {
                (Some(SlotShape::Word(of)), Val::Word(word)) => Val::Word(self.must_fit_place(word, of)?),
                (_, arg) => arg,
            });
        }
        self.store_args(offer, &fitting, vars)
    }

    /// Carries out a move, or seals it until all seats have chosen.
    fn carry_out_or_seal(
        &mut self,
        pc: Pc,
        choice: &Choice,
        (number, offer): (usize, &Offer),
        vars: &[Vec<Variable>],
        ops: &[Block],
        live: &Live,
    ) -> Result<()> {
        let seat = self.task_seat();
        let args = self.args_of(offer, vars)?;
        if !choice.together {
            return self.carry_out(offer, seat, &args, ops, live, false);
        }
        self.seal(seat, number, offer, &args)?;
        let (base, bit) = (self.base(), self.bit(seat.v));
        let (sealed, seats) = (self.load64(base, SEALED), self.load64(base, SEATS));
        let (sealed, rest) = (self.b.ins().bor(sealed, bit), self.b.ins().band_not(seats, bit));
        self.store64(sealed, base, SEALED);
        self.store64(rest, base, SEATS);
        let (waits, last) = (self.block(), self.block());
        self.branch_on(rest, waits, last);
        self.switch_to(waits);
        let id = self.number_of_choice(choice);
        self.list_from_stop(id);
        self.switch_to(last);
        self.jump(ops[pc + 1]);
        Ok(())
    }

    /// Takes a side exit at a choice just reached where nobody has a legal move: the reference reports the
    /// fault.
    pub(in crate::jit) fn side_exit_stuck(&mut self, pc: Pc) {
        let (reason, ctx) = (self.reason(self.span, "nobody has a legal move"), self.ctx);
        self.store64(reason, ctx, CTX_REASON);
        self.wait(pc, Stop::Nothing);
        self.return_status(SIDE_EXIT);
    }
}

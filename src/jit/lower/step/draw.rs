//! Drawing and counting legal moves in stepping code.

use crate::ir::{Choice, Domain, Live, Offer, Pc};
use crate::jit::builder::value::Word;
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::lower::moves::chosen;
use crate::jit::lower::step::MoveBlock;
use crate::jit::mir::{Block, IntCC, Variable};
use crate::jit::runtime::call::{DRAW, ITEM_ANSWER};

impl<'a> Builder<'a> {
    /// Draws a legal move of a seat, stores its id, and jumps to where it is carried out, if the task says
    /// so.
    pub(super) fn draw_tasks(
        &mut self,
        id: usize,
        choice: &'a Choice,
        task: V,
        carried: &mut [(usize, &'a Offer, MoveBlock)],
    ) -> Result<()> {
        let Some((ids, answered, refused)) =
            self.stepping.as_ref().map(|stepping| (stepping.ids, stepping.answered, stepping.refused))
        else {
            return Ok(());
        };
        self.load_stream();
        let seat = self.task_seat();
        self.specialise_by_seat(choice, seat, &mut |this, seat| {
            this.draw_or_ask(choice, seat, &None, &mut |this, number, args| {
                let Some((_, offer, (begin, vars))) = carried.get_mut(number) else {
                    return unsupported("a move that is not offered");
                };
                let found = match ids.of_offer(id, number).filter(|_| ids.has(id)) {
                    Some(numbers) => {
                        let codecs = this.rank_codecs_of(numbers)?;
                        let first = this.int(i64::from(numbers.first));
                        this.number(first, &codecs, &numbers.params, args)?
                    }
                    None => this.int(-1),
                };
                let item = this.step_item();
                this.store64(found, item, ITEM_ANSWER);
                this.store_args(offer, args, vars)?;
                this.store_stream();
                let only_drawn = this.cmp_imm(IntCC::Equal, task, DRAW);
                this.branch_on(only_drawn, answered, *begin);
                let dead = this.block();
                this.switch_to(dead);
                Ok(())
            })
        })?;
        self.jump(refused);
        Ok(())
    }

    /// Counts a seat's legal moves.
    pub fn count_moves(&mut self, id: usize, pc: Pc, live: &Live) -> Result<()> {
        let choice = &self.machine.game.choices[id];
        self.span = choice.span;
        self.load_slots(live.at(pc));
        let seat = self.task_seat();
        let zero = self.int(0);
        let all = self.var(zero);
        self.specialise_by_seat(choice, seat, &mut |this, seat| {
            this.count_offers(&choice.offers, seat, all)
        })?;
        let (some, end) = (self.b.use_var(all), self.block());
        self.unless_first(choice, seat, some, end)?;
        self.specialise_by_seat(choice, seat, &mut |this, seat| {
            this.count_offers(&choice.otherwise, seat, all)
        })?;
        self.jump(end);
        self.switch_to(end);
        let all = self.b.use_var(all);
        self.answer(all);
        Ok(())
    }

    /// Falls through if none of the choice's first offers has a legal move, so that the `otherwise` offers
    /// apply; else jumps to `end`. `some` is nonzero if a legal move has been found.
    pub(super) fn unless_first(&mut self, choice: &Choice, seat: Word, some: V, end: Block) -> Result<()> {
        if choice.otherwise.is_empty() {
            self.jump_away(end);
        } else if self.any_infinite(&choice.offers) {
            // The window may contain no legal move even if the integers outside it do.
            self.exists(&choice.offers, seat, end)?;
        } else {
            self.leave_if(some, end);
        }
        Ok(())
    }

    /// Whether a move of one of these offers has a parameter with an infinite domain.
    pub(super) fn any_infinite(&self, offers: &[Offer]) -> bool {
        let moves = &self.machine.game.moves;
        let has = |offer: &Offer| {
            chosen(&moves[offer.mv])
                .into_iter()
                .any(|param| param.domain.as_ref().is_some_and(Domain::is_infinite))
        };
        offers.iter().any(has)
    }

    /// Adds the number of legal moves of these offers to `all`.
    fn count_offers(&mut self, offers: &'a [Offer], seat: Word, all: Variable) -> Result<()> {
        let own: Vec<&Offer> = offers.iter().collect();
        self.by_preference_of(&own, seat, &mut |this| {
            for (number, offer) in offers.iter().enumerate() {
                let rows = this.list_offer(number, offer, seat, &None)?;
                let so_far = this.b.use_var(all);
                let sum = this.b.ins().iadd(so_far, rows.count);
                this.b.def_var(all, sum);
            }
            Ok(())
        })
    }
}

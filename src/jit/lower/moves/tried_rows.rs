//! Rows that are tested one by one: those that the reference counts by their conditions, where there are few, and those that it
//! cannot count.

use crate::eval::{Input, ScalarConditions};
use crate::ir::{Domain, Expr, MoveCheck, MoveId, Param, Slot, reads_position};
use crate::jit::analysis::accesses::Accesses;
use crate::jit::builder::value::{List, Val, Word};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::shape::Scalar;
use crate::jit::lower::moves::row_domains::RowKind;
use crate::jit::lower::moves::row_set::RowDomain;
use crate::jit::mir::{Block, IntCC};
use crate::jit::runtime::questions::{Encoding, QuestionKind, RowSource};
use crate::opt::{Counting, MOST_TRIED, legal_conditions};

/// Up to this many rows, the ranks of those that are legal are listed in memory.
const MOST_TESTED: i64 = 1 << 16;
/// To look up which rows met conditions before takes about as long as to test so many.
const TESTS_PER_LOOKUP: i64 = 1 << 4;
/// Up to so many rows are tested without looking that up, since most often they were not tested before.
const FEW_TESTS: i64 = TESTS_PER_LOOKUP << 1;

/// Described rows, and what is tested of each.
struct Tests<'t> {
    total: V,
    /// The address of the descriptor.
    all: V,
    kind: RowKind,
    /// The slot from which the checks read a row.
    slot: Slot,
    /// Conditions, each with the slot from which it reads a row.
    conditions: Vec<(Slot, Expr)>,
    checks: Vec<&'t MoveCheck>,
}

impl Builder<'_> {
    /// Returns the legal rows of a chosen parameter, if it is certain by which conditions, and the domain can be described. With
    /// `early`, jumps there as soon as some row is seen to be legal.
    pub(in crate::jit) fn tried_legal(
        &mut self,
        (mv, at): (MoveId, usize),
        accesses: &Accesses,
        param: &Param,
        early: Option<Block>,
    ) -> Result<Option<(V, RowDomain)>> {
        let own = &self.machine.game.moves[mv];
        let domain = own.params.iter().find(|own| own.slot == param.slot).and_then(|own| own.domain.as_ref());
        let counting = legal_conditions(self.source_machine, own, (mv, at));
        let (Some(domain), Some(Counting { conditions, checks })) = (domain, counting) else {
            return Ok(None);
        };
        let of = domain.without_condition().0;
        self.tried_rows((of, param.slot), (conditions, checks), RowSource::Legal(mv, at), accesses, early)
    }

    /// Returns the rows of a domain that meet some conditions, each of which reads a row from a slot, and some checks, which read
    /// it from the slot of the domain; `None` if the domain cannot be described. If more would have to be tested than
    /// [`MOST_TRIED`], asks for a table of them. `early` as for [`Builder::tried_legal`].
    pub(in crate::jit) fn tried_rows(
        &mut self,
        (of, slot): (&Domain, Slot),
        (conditions, checks): (Vec<(Slot, Expr)>, Vec<&MoveCheck>),
        source: RowSource,
        accesses: &Accesses,
        early: Option<Block>,
    ) -> Result<Option<(V, RowDomain)>> {
        let Some((total, RowDomain::Descriptor(all, kind))) = self.described_rows(of, None)? else {
            return Ok(None);
        };
        let tests = Tests { total, all, kind, slot, conditions, checks };
        let zero = self.int(0);
        let (count, ranks, descriptor) = (self.var(zero), self.var(zero), self.var(tests.all));
        let (few, many, end) = (self.block(), self.cold_block(), self.block());
        let beyond = self.cmp_imm(IntCC::SignedGreaterThan, tests.total, MOST_TRIED);
        self.branch_on(beyond, many, few);

        self.switch_to(few);
        let met = self.rows_that_pass(&tests, accesses.clone(), early)?;
        self.b.def_var(count, met.0);
        self.b.def_var(ranks, met.1);
        self.jump(end);

        self.switch_to(many);
        let zero = self.int(0);
        self.b.def_var(ranks, zero);
        self.take_table(source, accesses.clone(), &tests.kind, (count, descriptor), end)?;

        self.switch_to(end);
        let [count, ranks, descriptor] = [count, ranks, descriptor].map(|var| self.b.use_var(var));
        Ok(Some((count, RowDomain::Tried { ranks, descriptor, kind: tests.kind })))
    }

    /// Returns the single values of the position that conditions depend on; `None` if not all of them can be evaluated
    /// beforehand, or fit a word.
    pub(in crate::jit) fn words_of_inputs(
        &mut self,
        scalars: &ScalarConditions,
    ) -> Result<Option<Vec<Word>>> {
        let Some(inputs) = &scalars.inputs else { return Ok(None) };
        let of_position = || inputs.iter().filter(|input| reads_position(&input.value));
        let known = |input: &&Input| {
            let fails = !input.always && self.may_fail(&input.value);
            !fails && self.type_scalar(&input.value.ty).is_some()
        };
        if !of_position().all(known) {
            return Ok(None);
        }
        of_position().map(|input| self.word_of(&input.value)).collect::<Result<_>>().map(Some)
    }

    /// Returns how many rows pass tests, and the address of their ranks. What is found is kept for the same situation, by what the
    /// rows and the tests depend on (`accesses`). With `early`, jumps there instead as soon as some row is seen to pass.
    fn rows_that_pass(&mut self, tests: &Tests, accesses: Accesses, early: Option<Block>) -> Result<(V, V)> {
        let many = self.cmp_imm(IntCC::SignedGreaterThan, tests.total, FEW_TESTS);
        if let Some(early) = early {
            let some = self.int(TESTS_PER_LOOKUP);
            let some = self.b.ins().select(many, some, tests.total);
            self.each_that_passes(tests, (some, FEW_TESTS), &mut |this, _| {
                this.jump_away(early);
                Ok(())
            })?;
        }
        let zero = self.int(0);
        let (count, ranks, asked) = (self.var(zero), self.var(zero), self.var(zero));
        let [more, ask, unknown, known, test, keep, end] = [(); 7].map(|()| self.block());
        self.branch_on(many, ask, more);
        self.switch_to(more);
        // Without this, none of these passes.
        self.jump(if early.is_some() { end } else { test });

        self.switch_to(ask);
        let found = self.ask_with(QuestionKind::Tested, accesses, vec![Encoding::number(); 2], &[])?;
        let number = self.data.questions.len() - 1;
        self.branch_on(found[0], known, unknown);
        self.switch_to(known);
        self.b.def_var(ranks, found[0]);
        self.b.def_var(count, found[1]);
        self.jump(end);
        self.switch_to(unknown);
        let one = self.int(1);
        self.b.def_var(asked, one);
        self.jump(test);

        self.switch_to(test);
        let room = self.b.ins().ishl_imm_s(tests.total, 3);
        let met = self.words_in_scratch(room);
        self.each_that_passes(tests, (tests.total, MOST_TESTED), &mut |this, rank| {
            this.append(met, rank);
            Ok(())
        })?;
        let found = self.word_count(met);
        self.b.def_var(ranks, met.at);
        self.b.def_var(count, found);
        let asked = self.b.use_var(asked);
        self.branch_on(asked, keep, end);

        self.switch_to(keep);
        let list = List::immutable(met.at, found, Scalar::any_int(), None);
        self.keep_tested(number, list)?;
        self.jump(end);

        self.switch_to(end);
        Ok((self.b.use_var(count), self.b.use_var(ranks)))
    }

    /// Tests the first `count` rows, which are at most `most`, and passes the rank of each that passes to `on`.
    fn each_that_passes(
        &mut self,
        tests: &Tests,
        (count, most): (V, i64),
        on: &mut dyn FnMut(&mut Self, V) -> Result<()>,
    ) -> Result<()> {
        let zero = self.int(0);
        let last = self.b.ins().iadd_imm_s(count, -1);
        let bound = self.locals.bound.clone();
        self.each_int(zero, last, Some(most), |this, rank, _| {
            let (mark, no) = (this.b.use_var(this.run.scratch), this.block());
            let row = this.ranked_row(tests.all, &tests.kind, rank)?;
            for (own, condition) in &tests.conditions {
                this.locals.bound.insert(*own, row.clone());
                this.all_hold_or(std::slice::from_ref(condition), no)?;
            }
            this.locals.bound.insert(tests.slot, row);
            for check in &tests.checks {
                match check {
                    MoveCheck::Let(slots, value) => {
                        let val = this.expr(value)?;
                        this.bind(slots, val)?;
                    }
                    MoveCheck::Need { cond, .. } | MoveCheck::SoftNeed { cond, .. } => {
                        this.all_hold_or(std::slice::from_ref(cond), no)?;
                    }
                }
            }
            on(this, rank)?;
            this.jump(no);
            this.switch_to(no);
            this.release_scratch(mark);
            Ok(())
        })?;
        self.locals.bound = bound;
        Ok(())
    }

    /// Returns row number `k` of those that were tried.
    pub(in crate::jit) fn tried_row(
        &mut self,
        (ranks, descriptor): (V, V),
        kind: &RowKind,
        k: V,
    ) -> Result<Val> {
        let rank = self.var(k);
        let (tried, on) = (self.block(), self.block());
        let from_table = self.cmp_imm(IntCC::Equal, ranks, 0);
        self.branch_on(from_table, on, tried);
        self.switch_to(tried);
        let place = self.entry_at(ranks, k, 8);
        let own = self.load64(place, 0);
        self.b.def_var(rank, own);
        self.jump(on);
        self.switch_to(on);
        let rank = self.b.use_var(rank);
        self.ranked_row(descriptor, kind, rank)
    }
}

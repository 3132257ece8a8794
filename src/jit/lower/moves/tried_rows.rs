//! Rows that the reference counts by their conditions: where there are few, code tries each of them.

use crate::eval::{Input, ScalarConditions};
use crate::ir::{Domain, Expr, MoveCheck, MoveId, Param, Slot, reads_position};
use crate::jit::analysis::accesses::Accesses;
use crate::jit::builder::value::Val;
use crate::jit::builder::{Builder, Result, V};
use crate::jit::lower::moves::row_domains::RowKind;
use crate::jit::lower::moves::row_set::RowDomain;
use crate::jit::mir::IntCC;
use crate::jit::runtime::questions::RowSource;
use crate::opt::{Counting, counting, legal_conditions, other_conditions};

/// Up to this many rows are tried one by one. A table of more is asked of the reference, which takes long to fill it but keeps
/// it for as long as nothing changes that it depends on.
const MOST_TRIED: i64 = 1 << 11;

impl Builder<'_> {
    /// Returns the rows of a chosen parameter that meet the conditions by which the reference counts them; `None` if it is not
    /// certain which these are, or the domain cannot be described.
    pub(in crate::jit) fn tried_choices(
        &mut self,
        (mv, at): (MoveId, usize),
        accesses: &Accesses,
        param: &Param,
    ) -> Result<Option<(V, RowDomain)>> {
        let counting = counting(self.source_machine, &self.machine.game.moves[mv], mv, at);
        self.tried((mv, param.slot), counting, RowSource::Chosen(mv, at), accesses)
    }

    /// Returns the legal rows of a chosen parameter, if it is certain by which conditions, and the domain can be described.
    pub(in crate::jit) fn tried_legal(
        &mut self,
        (mv, at): (MoveId, usize),
        accesses: &Accesses,
        param: &Param,
    ) -> Result<Option<(V, RowDomain)>> {
        let counting = legal_conditions(self.source_machine, &self.machine.game.moves[mv], (mv, at));
        self.tried((mv, param.slot), counting, RowSource::Legal(mv, at), accesses)
    }

    fn tried(
        &mut self,
        (mv, slot): (MoveId, Slot),
        counting: Option<Counting>,
        source: RowSource,
        accesses: &Accesses,
    ) -> Result<Option<(V, RowDomain)>> {
        let own = &self.machine.game.moves[mv];
        let domain = own.params.iter().find(|own| own.slot == slot).and_then(|own| own.domain.as_ref());
        let (Some(domain), Some(counting)) = (domain, counting) else { return Ok(None) };
        let of = domain.without_condition().0;
        self.tried_rows((of, slot), &counting.conditions, &counting.checks, source, accesses.clone())
    }

    /// Returns the legal rows of a chosen parameter: of those that the reference counts by the conditions on single values, the
    /// ones that meet the other conditions. `None` unless there are conditions of both kinds.
    pub(in crate::jit) fn choices_by_scalars(
        &mut self,
        (mv, at): (MoveId, usize),
        accesses: &Accesses,
        param: &Param,
    ) -> Result<Option<(V, RowDomain)>> {
        let (own, source) = (&self.machine.game.moves[mv], self.source_machine);
        let (Some(scalars), Some(kind)) = (source.scalar_conditions(mv, at), self.kind_of_rows(&param.ty))
        else {
            return Ok(None);
        };
        if scalars.all {
            return Ok(None);
        }
        let Some(others) = other_conditions(source, own, (mv, at), &scalars) else { return Ok(None) };
        let whole = RowSource::Legal(mv, at);
        let zero = self.int(0);
        let (count, ranks, descriptor) = (self.var(zero), self.var(zero), self.var(zero));
        let [some, few, none, end] = [(); 4].map(|()| self.block());
        let table = (count, descriptor);
        self.take_table_asked_before(whole.clone(), accesses.clone(), &kind, table, end)?;
        let by_scalars = Accesses::of_scalar_rows(source, &scalars, param);
        let table = self.ask_for_table(RowSource::ByScalars(mv, at), by_scalars, &kind)?;
        self.branch_on(table.0, some, none);
        self.switch_to(some);
        let (found, all) = self.described_table(table)?;
        let beyond = self.cmp_imm(IntCC::SignedGreaterThan, found, MOST_TRIED);
        self.branch_on(beyond, none, few);
        self.switch_to(few);
        let (met, at_ranks) =
            self.rows_that_meet((found, all, &kind), param.slot, &others.conditions, &others.checks)?;
        self.b.def_var(count, met);
        self.b.def_var(ranks, at_ranks);
        self.b.def_var(descriptor, all);
        self.jump(end);

        self.switch_to(none);
        self.take_table(whole, accesses.clone(), &kind, (count, descriptor), end)?;

        self.switch_to(end);
        let [count, ranks, descriptor] = [count, ranks, descriptor].map(|var| self.b.use_var(var));
        Ok(Some((count, RowDomain::Tried { ranks, descriptor, kind })))
    }

    /// Returns the single values of the position that conditions depend on; `None` if not all of them can be evaluated
    /// beforehand, or fit a word.
    pub(in crate::jit) fn words_of_inputs(&mut self, scalars: &ScalarConditions) -> Result<Option<Vec<V>>> {
        let Some(inputs) = &scalars.inputs else { return Ok(None) };
        let of_position = || inputs.iter().filter(|input| reads_position(&input.value));
        let known = |input: &&Input| {
            let fails = !input.always && self.may_fail(&input.value);
            !fails && self.type_scalar(&input.value.ty).is_some()
        };
        if !of_position().all(known) {
            return Ok(None);
        }
        let word = |input: &&Input| self.word_of(&input.value).map(|word| word.v);
        of_position().map(word).collect::<Result<_>>().map(Some)
    }

    /// Returns the rows of a domain that meet some conditions, each of which reads a row from a slot, and some checks, which read
    /// it from the slot of the domain; `None` if the domain cannot be described.
    pub(in crate::jit) fn tried_rows(
        &mut self,
        (of, slot): (&Domain, Slot),
        conditions: &[(Slot, Expr)],
        checks: &[&MoveCheck],
        source: RowSource,
        accesses: Accesses,
    ) -> Result<Option<(V, RowDomain)>> {
        let Some((total, RowDomain::Descriptor(all, kind))) = self.described_rows(of, None)? else {
            return Ok(None);
        };
        let zero = self.int(0);
        let (count, ranks, descriptor) = (self.var(zero), self.var(zero), self.var(all));
        let (few, many, end) = (self.block(), self.cold_block(), self.block());
        let beyond = self.cmp_imm(IntCC::SignedGreaterThan, total, MOST_TRIED);
        self.branch_on(beyond, many, few);

        self.switch_to(few);
        let table = (count, descriptor);
        self.take_table_asked_before(source.clone(), accesses.clone(), &kind, table, end)?;
        let met = self.rows_that_meet((total, all, &kind), slot, conditions, checks)?;
        self.b.def_var(count, met.0);
        self.b.def_var(ranks, met.1);
        self.jump(end);

        self.switch_to(many);
        self.take_table(source, accesses, &kind, (count, descriptor), end)?;

        self.switch_to(end);
        let [count, ranks, descriptor] = [count, ranks, descriptor].map(|var| self.b.use_var(var));
        Ok(Some((count, RowDomain::Tried { ranks, descriptor, kind })))
    }

    /// Tests each of some described rows, up to [`MOST_TRIED`]. Returns how many meet the conditions and checks, and the address
    /// of their ranks.
    fn rows_that_meet(
        &mut self,
        (total, all, kind): (V, V, &RowKind),
        slot: Slot,
        conditions: &[(Slot, Expr)],
        checks: &[&MoveCheck],
    ) -> Result<(V, V)> {
        let zero = self.int(0);
        let room = self.b.ins().ishl_imm_s(total, 3);
        let met = self.words_in_scratch(room);
        let last = self.b.ins().iadd_imm_s(total, -1);
        let bound = self.locals.bound.clone();
        self.each_int(zero, last, Some(MOST_TRIED), |this, rank, _| {
            let (mark, no) = (this.b.use_var(this.run.scratch), this.block());
            let row = this.ranked_row(all, kind, rank)?;
            for (own, condition) in conditions {
                this.locals.bound.insert(*own, row.clone());
                this.all_hold_or(std::slice::from_ref(condition), no)?;
            }
            this.locals.bound.insert(slot, row);
            for check in checks {
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
            this.append(met, rank);
            this.jump(no);
            this.switch_to(no);
            this.release_scratch(mark);
            Ok(())
        })?;
        self.locals.bound = bound;
        Ok((self.word_count(met), met.at))
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

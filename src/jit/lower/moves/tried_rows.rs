//! Rows that the reference counts by their conditions: where there are few, code tries each of them.

use crate::ir::{Domain, Expr, MoveCheck, MoveId, Param, Slot};
use crate::jit::analysis::accesses::Accesses;
use crate::jit::builder::value::Val;
use crate::jit::builder::{Builder, Result, V};
use crate::jit::lower::moves::row_domains::RowKind;
use crate::jit::lower::moves::row_set::RowDomain;
use crate::jit::mir::IntCC;
use crate::jit::runtime::questions::RowSource;
use crate::opt::counting;

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
        let own = &self.machine.game.moves[mv];
        let (Some(Param { domain: Some(domain), .. }), Some(counting)) = (
            own.params.iter().find(|own| own.slot == param.slot),
            counting(self.source_machine, own, mv, at),
        ) else {
            return Ok(None);
        };
        let of = domain.without_condition().0;
        let source = RowSource::Chosen(mv, at);
        self.tried_rows((of, param.slot), &counting.conditions, &counting.checks, source, accesses.clone())
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
        let room = self.b.ins().ishl_imm_s(total, 3);
        let met = self.words_in_scratch(room);
        let last = self.b.ins().iadd_imm_s(total, -1);
        let bound = self.locals.bound.clone();
        self.each_int(zero, last, Some(MOST_TRIED), |this, rank, _| {
            let (mark, no) = (this.b.use_var(this.run.scratch), this.block());
            let row = this.ranked_row(all, &kind, rank)?;
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
        let found = self.word_count(met);
        self.b.def_var(count, found);
        self.b.def_var(ranks, met.at);
        self.jump(end);

        self.switch_to(many);
        let (found, table) = self.rows_in_table_as(source, accesses, &kind)?;
        self.b.def_var(count, found);
        self.b.def_var(descriptor, table);
        self.jump(end);

        self.switch_to(end);
        let [count, ranks, descriptor] = [count, ranks, descriptor].map(|var| self.b.use_var(var));
        Ok(Some((count, RowDomain::Tried { ranks, descriptor, kind })))
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

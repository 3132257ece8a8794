//! Rows that the reference counts by their conditions: numbered, if they are known beforehand, and else with one parameter for
//! each element. Those that meet the conditions are counted by loops over all parameters but the last, and selected by going
//! through them again.

use std::rc::Rc;

use crate::ir::{ExprKind, MoveId, Param};
use crate::jit::analysis::accesses::Accesses;
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::lower::moves::row_domains::RowKind;
use crate::jit::lower::moves::row_set::RowDomain;
use crate::jit::mir::IntCC;
use crate::jit::runtime::questions::RowSource;
use crate::opt::Candidates;

/// Up to this many rows are gone through. A table of more is asked of the reference, which takes long to fill it but keeps
/// it for as long as nothing changes that it depends on.
const MOST_LOOPED: i64 = 1 << 14;

/// Such rows of a chosen parameter of a move.
#[derive(Clone, Copy)]
pub struct CountedRows {
    mv: MoveId,
    /// The number of the parameter, from 0.
    at: usize,
    /// The address of the descriptor of a table of the rows, or 0 if they are gone through.
    table: V,
}

impl<'a> Builder<'a> {
    /// Returns the rows of a chosen parameter that meet the conditions by which the reference counts them; `None` if they have
    /// no parameters for their elements.
    pub(in crate::jit) fn counted_choices(
        &mut self,
        (mv, at): (MoveId, usize),
        accesses: &Accesses,
        param: &Param,
    ) -> Result<Option<(V, RowDomain)>> {
        let (own, sets) = (&self.machine.game.moves[mv], &self.candidates[mv]);
        let (Some(of), Some(kind)) = (&sets.counted[at], self.kind_of_rows(&param.ty)) else {
            return Ok(None);
        };
        if of.packed.is_empty() {
            return Ok(None);
        }
        if of.are_numbered() {
            return self.numbered_choices(of);
        }
        let domain = own.params.iter().find(|own| own.slot == param.slot).and_then(|own| own.domain.as_ref());
        let Some(domain) = domain else { return Ok(None) };
        let few_for_certain = self.facts.most_values(own, domain).filter(|most| *most <= MOST_LOOPED);
        let total = match few_for_certain {
            Some(most) => self.int(most),
            None => match self.described_rows(domain.without_condition().0, None)? {
                Some((total, _)) => total,
                None => return Ok(None),
            },
        };
        let zero = self.int(0);
        let (count, table) = (self.var(zero), self.var(zero));
        let (few, end) = (self.block(), self.block());
        let source = RowSource::Chosen(mv, at);
        if few_for_certain.is_none() {
            let many = self.cold_block();
            let beyond = self.cmp_imm(IntCC::SignedGreaterThan, total, MOST_LOOPED);
            self.branch_on(beyond, many, few);
            self.switch_to(many);
            self.take_table(source.clone(), accesses.clone(), &kind, (count, table), end)?;
        } else {
            self.jump(few);
        }
        self.switch_to(few);
        self.take_table_if_worth_making((source, total), accesses.clone(), &kind, (count, table), end)?;
        let found = self.count_rows(of, &of.params)?;
        self.b.def_var(count, found);
        self.jump(end);
        self.switch_to(end);
        let [count, table] = [count, table].map(|var| self.b.use_var(var));
        Ok(Some((count, RowDomain::Counted(CountedRows { mv, at, table }, kind))))
    }

    /// Returns numbered rows that meet conditions, if these can be evaluated for all rows at once.
    fn numbered_choices(&mut self, of: &'a Candidates) -> Result<Option<(V, RowDomain)>> {
        let [(_, row)] = of.packed.as_slice() else { return Ok(None) };
        if !of.preconditions.is_empty() {
            return Ok(None);
        }
        self.bind_names(of)?;
        let found = self.row_set(&of.params, true)?;
        self.unbind_names(of);
        let Some(found) = found else { return Ok(None) };
        let count = self.row_set_count(&found);
        Ok(Some((count, RowDomain::Numbered(Rc::new(found), Rc::new(row.clone())))))
    }

    /// Returns row number `k` of those that were counted.
    pub(in crate::jit) fn counted_row(&mut self, rows: CountedRows, kind: &RowKind, k: V) -> Result<Val> {
        let Some(of) = &self.candidates[rows.mv].counted[rows.at] else {
            return unsupported("rows that were not counted");
        };
        let [(_, whole)] = of.packed.as_slice() else {
            return unsupported("rows of more than one parameter");
        };
        let longest = self.int(of.params.len() as i64);
        let bytes = self.b.ins().ishl_imm_s(longest, 3);
        let (row, len) = (self.scratch(bytes), self.var(longest));
        let (few, many, end) = (self.block(), self.cold_block(), self.block());
        self.branch_on(rows.table, many, few);
        self.switch_to(few);
        let bound = self.locals.bound.clone();
        self.nth_row(of, &of.params, k, &mut |this| {
            match (&whole.kind, kind) {
                // As many as there are parameters.
                (ExprKind::List(parts) | ExprKind::Set(parts) | ExprKind::Tuple(parts), _) => {
                    for (number, part) in parts.iter().enumerate() {
                        let Word { v, .. } = this.word_of(part)?;
                        this.store64(v, row, number as i32 * 8);
                    }
                }
                (_, RowKind::List(element) | RowKind::Set(element)) => {
                    let list = this.expr(whole)?;
                    let list = this.list(list)?;
                    this.copy_list(list, row, 8, *element)?;
                    this.b.def_var(len, list.len);
                }
                _ => return unsupported("rows of several lengths that are no lists"),
            }
            this.jump_away(end);
            Ok(())
        })?;
        self.locals.bound = bound;
        // There are more rows than `k`.
        self.jump(end);
        self.switch_to(many);
        let own = self.call("ranked_row", &[rows.table, k, row])?;
        self.b.def_var(len, own);
        self.jump(end);
        self.switch_to(end);
        let len = self.b.use_var(len);
        self.row_in_memory((row, len), kind)
    }
}

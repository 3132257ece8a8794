//! Rows with one element changed: a row's run-lengths are counted once before the loop over the changes, and those of
//! each changed row follow from them, for only the runs at the element and beside it are other ones.

use crate::ir::{Builtin, Domain, Expr, ExprKind, StateId, children};
use crate::jit::builder::state::ChangedRow;
use crate::jit::builder::value::Val;
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::shape::{Length, Scalar, Shape, Sort};
use crate::jit::mir::IntCC;
use crate::opt::Candidates;

/// The longest row that is followed: the counts of an entry are bytes, and the code that copies them is not a loop.
const LONGEST: i64 = 127;

/// The row of which `bag(runs(…))` is asked with one element changed, and what lengths its runs may have.
struct Asked {
    row: StateId,
    of: Scalar,
}

/// A row of which `bag(runs(row with [at] = value)) in set` is asked: the row, the place, the value, the set.
fn asked(e: &Expr) -> Option<(StateId, &Expr, &Expr, &Expr)> {
    let ExprKind::In(bag, domain) = &e.kind else { return None };
    let Domain::Values(set) = &**domain else { return None };
    let lengths = match &bag.kind {
        ExprKind::Builtin(Builtin::ToBag, lengths) => lengths.first()?,
        _ => return None,
    };
    let ExprKind::Builtin(Builtin::Runs, row) = &lengths.kind else { return None };
    let ExprKind::With(row, at, value) = &row.first()?.kind else { return None };
    let ExprKind::Table(row) = row.kind else { return None };
    Some((row, at, value, set))
}

/// The first such question within an expression.
fn question(e: &Expr) -> Option<(StateId, &Expr, &Expr, &Expr)> {
    let mut found = asked(e);
    children(e, &mut |child| found = found.or_else(|| question(child)));
    found
}

impl Builder<'_> {
    /// The changed row that the conditions of a move ask for, if there is one.
    fn changed_in(&self, of: &Candidates) -> Option<Asked> {
        let (row, _, value, set) = of.params.iter().flat_map(|param| &param.predicates).find_map(question)?;
        let (n, element) = self.row_shape(row)?;
        let lengths = self.lengths_in(set).filter(|of| of.lo <= 1 && of.hi >= n && of.size() <= LONGEST)?;
        let same = self.type_scalar(&value.ty).is_some_and(|s| s.sort == element.sort && !s.optional);
        (same && !element.optional).then_some(Asked { row, of: lengths })
    }

    /// How many elements a list has that never becomes longer, and which; at least one.
    fn row_shape(&self, state: StateId) -> Option<(i64, Scalar)> {
        match self.layout.states[state].shape {
            Shape::List(Length::Exactly(n) | Length::Always(n), of) if n >= 1 => Some((n, of)),
            _ => None,
        }
    }

    /// The numbers of which a large set keeps bags.
    fn lengths_in(&self, set: &Expr) -> Option<Scalar> {
        let ExprKind::Table(set) = set.kind else { return None };
        match &self.layout.states[set].shape {
            Shape::Pool(entry) => match **entry {
                Shape::Counts(of) if of.sort == Sort::Int => Some(of),
                _ => None,
            },
            _ => None,
        }
    }

    /// Before the loop over a move's arguments: counts the run-lengths of the row of which it names a change.
    pub(in crate::jit) fn prepare_change(&mut self, of: &Candidates) -> Result<()> {
        self.changed_row = None;
        let Some(Asked { row: state, of }) = self.changed_in(of) else { return Ok(()) };
        let Val::List(row) = self.state(state, None)? else { return Ok(()) };
        let Some(most) = row.most else { return Ok(()) };
        let runs = self.stack(most as u32 * 2);
        // Forwards: how many of its run come before each; backwards: how long its run is.
        let (zero, nothing) = (self.int(0), self.int(i64::MAX));
        let (last, before) = (self.var(nothing), self.var(zero));
        let end = self.b.ins().iadd_imm_s(row.len, -1);
        self.each_int(zero, end, Some(most), |this, i, _| {
            let item = this.element(row, i);
            let last_item = this.b.use_var(last);
            let same = this.cmp(IntCC::Equal, item.v, last_item);
            let before_it = this.b.use_var(before);
            let more = this.b.ins().iadd_imm_s(before_it, 1);
            let own = this.b.ins().select(same, more, zero);
            let place = this.run_of(runs, i);
            this.store_u(1, own, place, 0);
            this.b.def_var(before, own);
            this.b.def_var(last, item.v);
            Ok(())
        })?;
        let (later, length) = (self.var(zero), self.var(zero));
        self.each_int(zero, end, Some(most), |this, k, _| {
            let i = this.b.ins().isub(end, k);
            let place = this.run_of(runs, i);
            let own = this.load_u(1, place, 0);
            // The last of its run where the one behind it begins another.
            let behind = this.b.use_var(later);
            let ends = this.cmp_imm(IntCC::Equal, behind, 0);
            let whole = this.b.ins().iadd_imm_s(own, 1);
            let so_far = this.b.use_var(length);
            let whole = this.b.ins().select(ends, whole, so_far);
            this.store_u(1, whole, place, 1);
            this.b.def_var(length, whole);
            this.b.def_var(later, own);
            Ok(())
        })?;
        let list = self.runs(row)?;
        let (entry, _) = self.entry(&Shape::Counts(of), Val::Tally(list))?;
        let words = 1 + (of.size() as i32 + 7) / 8;
        self.changed_row = Some(ChangedRow { state, row, entry, words, of, runs });
        Ok(())
    }

    fn run_of(&mut self, runs: V, i: V) -> V {
        let offset = self.b.ins().ishl_imm_s(i, 1);
        self.b.ins().iadd(runs, offset)
    }

    /// Whether a set has the run-lengths of the changed row; `None` where something else is asked.
    pub(in crate::jit) fn change_is_in(&mut self, e: &Expr) -> Result<Option<V>> {
        let (Some((state, at, value, set)), Some(changed)) = (asked(e), self.changed_row.clone()) else {
            return Ok(None);
        };
        let ChangedRow { row, entry, words, of, runs, .. } = changed;
        if state != changed.state || self.lengths_in(set) != Some(of) {
            return Ok(None);
        }
        let (at, value) = (self.number_of(at)?, self.word_of(value)?);
        let i = self.b.ins().iadd_imm_s(at.v, -1);
        let out = self.cmp(IntCC::UnsignedGreaterThanOrEqual, i, row.len);
        self.bail_out_if(out);
        // The bag, the run-lengths, the change and the row it changes.
        self.cost += 5;
        let Val::Pool { handle, .. } = self.expr(set)? else { return Ok(None) };
        let other = self.stack(words as u32 * 8);
        for word in 0..words {
            let counts = self.load64(entry, word * 8);
            self.store64(counts, other, word * 8);
        }
        let (differs, look) = (self.block(), self.block());
        let old = self.element(row, i);
        let apart = self.cmp(IntCC::NotEqual, old.v, value.v);
        self.branch_on(apart, differs, look);
        self.at(differs);
        let place = self.run_of(runs, i);
        let (before, whole) = (self.load_u(1, place, 0), self.load_u(1, place, 1));
        let behind = self.b.ins().isub(whole, before);
        let behind = self.b.ins().iadd_imm_s(behind, -1);
        // The run is taken away, and its parts before and behind are there.
        self.count_run(other, of, whole, -1);
        self.count_run(other, of, before, 1);
        self.count_run(other, of, behind, 1);
        // The runs beside the element are joined with it where they are of its new value. An element inside its run has none.
        let (zero, last) = (self.int(0), self.b.ins().iadd_imm_s(row.len, -1));
        let up = self.b.ins().iadd_imm_s(i, -1);
        let up = self.b.ins().smax(up, zero);
        let down = self.b.ins().iadd_imm_s(i, 1);
        let down = self.b.ins().smin(down, last);
        let mut joined = self.int(1);
        for beside in [up, down] {
            let item = self.element(row, beside);
            let same = self.cmp(IntCC::Equal, item.v, value.v);
            let place = self.run_of(runs, beside);
            let length = self.load_u(1, place, 1);
            // At an end of the row the element itself stands in for its neighbour; its old value differs.
            let length = self.b.ins().select(same, length, zero);
            self.count_run(other, of, length, -1);
            joined = self.b.ins().iadd(joined, length);
        }
        self.count_run(other, of, joined, 1);
        self.jump(look);
        self.at(look);
        let (ctx, count) = (self.ctx, self.int(i64::from(words)));
        let found = self.call("pool_has", &[ctx, handle, other, count])?;
        Ok(Some(self.cmp_imm(IntCC::NotEqual, found, 0)))
    }

    /// Counts a run of some length in an entry, or takes it away; none where the length is 0. By whole words, for so they are
    /// read: what lies in two stores is slow to load.
    fn count_run(&mut self, entry: V, of: Scalar, length: V, by: i64) {
        let number = self.b.ins().iadd_imm_s(length, -of.lo);
        let (zero, one) = (self.int(0), self.int(by));
        let there = self.cmp_imm(IntCC::NotEqual, length, 0);
        let amount = self.b.ins().select(there, one, zero);
        let shift = self.b.ins().band_imm_s(number, 7);
        let shift = self.b.ins().ishl_imm_s(shift, 3);
        let amount = self.b.ins().ishl(amount, shift);
        let first = self.b.ins().sshr_imm_s(number, 3);
        let offset = self.b.ins().ishl_imm_s(first, 3);
        let place = self.b.ins().iadd(entry, offset);
        let old = self.load64(place, 8);
        let new = self.b.ins().iadd(old, amount);
        self.store64(new, place, 8);
    }
}

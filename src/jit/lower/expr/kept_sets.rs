//! Sets kept between choices: if squares are only ever added, whatever was reachable remains so, and a
//! fixpoint can continue from where it ended before (incremental view maintenance by semi-naive evaluation:
//! F. Bancilhon, 1986).

use crate::ir::{Expr, ExprKind, Fold, Type};
use crate::jit::analysis::growth::Growth;
use crate::jit::builder::state::{KEPT_WORDS, KeptSets};
use crate::jit::builder::value::Val;
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::shape::Scalar;

impl Builder<'_> {
    /// Clears the kept sets, when code begins with a position about which it knows nothing.
    pub fn empty_kept_sets(&mut self) {
        if let KeptSets { slot: Some(slot), used } = self.kept_sets {
            let (at, zero) = (self.b.ins().stack_addr(slot), self.int(0));
            (0..used as i32).for_each(|i| self.store64(zero, at, i * 8));
        }
    }

    /// Returns the address where a `reach` keeps its earlier result for the same local values, as bits: the
    /// reached squares, followed by their neighbours. `None` if the result is not kept.
    pub(in crate::jit) fn kept_set(&mut self, fold: &Fold, of: Scalar) -> Result<Option<V>> {
        let KeptSets { slot, used } = self.kept_sets;
        if !self.locals.automaton
            || !(Growth { machine: self.machine, candidates: self.candidates }).reach_grows(fold)
        {
            return Ok(None);
        }
        let kind = ExprKind::Fold(Box::new(fold.clone()));
        let whole = Expr { kind, ty: Type::Never, span: fold.body.span };
        // One pair of sets for each combination of the values that it depends on.
        let (mut number, mut sets) = (self.int(0), 1i64);
        for slot in crate::ir::free_slots(&whole) {
            let Val::Word(word) = self.local(slot)? else { return Ok(None) };
            let size = word.s.size();
            if word.s.optional || size > KEPT_WORDS {
                return Ok(None);
            }
            let digit = self.b.ins().iadd_imm_s(word.v, -word.s.lo);
            let higher = self.b.ins().imul_imm_s(number, size);
            number = self.b.ins().iadd(higher, digit);
            sets = sets.saturating_mul(size);
        }
        let words = sets.saturating_mul(2 * of.words() as i64);
        if words > KEPT_WORDS - used {
            return Ok(None);
        }
        let slot = slot.unwrap_or_else(|| self.b.create_stack_slot(KEPT_WORDS as u32 * 8));
        self.kept_sets = KeptSets { slot: Some(slot), used: used + words };
        let at = self.b.ins().stack_addr(slot);
        let place = self.entry_at(at, number, 16 * of.words() as i64);
        Ok(Some(self.b.ins().iadd_imm_s(place, 8 * used)))
    }
}

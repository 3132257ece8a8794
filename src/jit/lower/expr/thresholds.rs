//! Comparisons, for many elements at once, of what never changes of an element with a number that is the same for all:
//! `cost[k] <= money`, `to.row - from.row = 2`.

use crate::ir::{Arith, Compare, Expr, ExprKind, Type, Value as Known};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::bits::set_mask_bit;
use crate::jit::lower::expr::masks::Universe;

/// The greatest number of thresholds in a table.
const MAX_THRESHOLDS: i64 = 1 << 9;

impl Builder<'_> {
    /// Returns the bits of an integer comparison whose difference is a number for each element that never changes, plus
    /// a rest that does not depend on the element. They are looked up by the rest, in a table with an entry
    /// for each threshold that makes a difference.
    pub(in crate::jit) fn by_threshold(&mut self, e: &Expr, universe: &Universe) -> Result<Option<Vec<V>>> {
        let ExprKind::Compare(a, links) = &e.kind else { return Ok(None) };
        let [(op, b)] = links.as_slice() else { return Ok(None) };
        if *op == Compare::Divides || a.ty != Type::Int || b.ty != Type::Int {
            return Ok(None);
        }
        let (mut own, mut rest) = (None, None);
        self.add_terms(a, false, &mut own, &mut rest);
        self.add_terms(b, true, &mut own, &mut rest);
        let (Some(own), Some(rest)) = (own, rest) else { return Ok(None) };
        let Some(numbers) = self.values_for_all(&own, universe) else { return Ok(None) };
        let number = |(at, value): (i64, Option<Known>)| match value {
            Some(Known::Int(n)) => n.as_i64().map(|n| (at, n)),
            _ => None,
        };
        let Some(numbers) = numbers.into_iter().map(number).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let least = numbers.iter().map(|(_, n)| *n).min();
        let Some((least, most)) = least.zip(numbers.iter().map(|(_, n)| *n).max()) else { return Ok(None) };
        // The rest is on the other side: its negative is the threshold.
        let (Some(below), Some(above)) = (least.checked_sub(1), most.checked_add(1)) else { return Ok(None) };
        if above.checked_sub(below).is_none_or(|thresholds| thresholds >= MAX_THRESHOLDS) {
            return Ok(None);
        }
        let words = universe.of.words();
        let mut table = Vec::new();
        for threshold in below..=above {
            let mut bits = vec![0u64; words];
            for (at, _) in numbers.iter().filter(|(_, n)| op.holds(*n, threshold)) {
                set_mask_bit(&mut bits, *at);
            }
            table.extend(bits.into_iter().map(|word| word as i64));
        }
        let rest = self.number_of(&rest)?.v;
        // Kept within the table before it is negated.
        let (low, high) = (self.int(-above), self.int(-below));
        let rest = self.b.ins().smax(rest, low);
        let rest = self.b.ins().smin(rest, high);
        let index = self.b.ins().isub(high, rest);
        Ok(Some(self.load_entry(table, index, words)))
    }

    /// Adds the terms of a sum to those that depend on the elements and to those that do not; `negative` subtracts them.
    fn add_terms(&self, e: &Expr, negative: bool, own: &mut Option<Expr>, rest: &mut Option<Expr>) {
        match &e.kind {
            ExprKind::Arith(op @ (Arith::Add | Arith::Sub), a, b) if self.reads_every(e) => {
                self.add_terms(a, negative, own, rest);
                self.add_terms(b, negative != (*op == Arith::Sub), own, rest);
            }
            ExprKind::Negative(a) if self.reads_every(e) => self.add_terms(a, !negative, own, rest),
            _ => {
                let sum = if self.reads_every(e) { own } else { rest };
                let kind = match (sum.take(), negative) {
                    (Some(sum), false) => ExprKind::Arith(Arith::Add, Box::new(sum), Box::new(e.clone())),
                    (Some(sum), true) => ExprKind::Arith(Arith::Sub, Box::new(sum), Box::new(e.clone())),
                    (None, false) => e.kind.clone(),
                    (None, true) => ExprKind::Negative(Box::new(e.clone())),
                };
                *sum = Some(Expr { kind, ..e.clone() });
            }
        }
    }
}

//! Sums and products that a condition reads only by their remainders: `sum(row) mod 5`. Gathering the remainder
//! instead of the value keeps the states of the automaton few.

use super::Env;
use super::counted::Followers;
use super::weights::{combine, eval_i64};
use crate::ir::{
    Arith, Builtin, Compare, Expr, ExprKind, FoldKind, RowCondition, Slot, Term, Value, bound_slots,
    children, free_slots, reads,
};

/// Returns a number by which only the remainder of a term matters to the condition, if it is a sum or a product.
pub(super) fn modulus(
    env: &Env,
    condition: &RowCondition,
    term: &Term,
    followers: Option<&Followers>,
    frame: &mut Vec<Value>,
) -> Option<i128> {
    if !term.kind.sums() {
        return None;
    }
    let is_settled_later = |slot: Slot| {
        let later = followers.is_some_and(|all| all.later.iter().any(|(own, _)| *own == slot));
        later || condition.terms.iter().any(|term| term.slot == slot)
    };
    let mut modulus = 1;
    for part in condition.parts.iter().filter(|part| reads(&part.formula, term.slot)) {
        let bound = bound_slots(&part.formula);
        let known = |slot| !is_settled_later(slot) && !bound.contains(&slot);
        let reader = Remainders { env, slot: term.slot, known: &known };
        if !reader.gather(&part.formula, &mut modulus, frame) {
            return None;
        }
    }
    Some(modulus)
}

/// Finds out whether an expression reads a slot only by its remainders.
struct Remainders<'r, 'g> {
    env: &'r Env<'g>,
    slot: Slot,
    /// Whether the value of a slot is known by now.
    known: &'r dyn Fn(Slot) -> bool,
}

impl Remainders<'_, '_> {
    /// Whether an expression reads the slot only by remainders (`slot mod n`, `even(slot)`, `n divides slot`), with n known by now; makes `modulus` a multiple of
    /// each n.
    fn gather(&self, e: &Expr, modulus: &mut i128, frame: &mut Vec<Value>) -> bool {
        let is_slot = |e: &Expr| matches!(e.kind, ExprKind::Local(own) if own == self.slot);
        let by = match &e.kind {
            ExprKind::Arith(Arith::Mod, value, by) if is_slot(value) => Some(self.number(by, frame)),
            ExprKind::Builtin(Builtin::Even | Builtin::Odd, args) if is_slot(&args[0]) => Some(Some(2)),
            ExprKind::Compare(by, links) => match links.as_slice() {
                [(Compare::Divides, value)] if is_slot(value) => Some(self.number(by, frame)),
                _ => None,
            },
            _ => None,
        };
        if let Some(by) = by {
            let Some(by) = by.filter(|by| *by > 0) else { return false };
            let Some(common) = combine(FoldKind::Gcd, *modulus, by) else { return false };
            // Larger moduli keep no fewer states than the value itself.
            let multiple = (*modulus / common).checked_mul(by).filter(|multiple| *multiple < 1 << 32);
            return multiple.map(|multiple| *modulus = multiple).is_some();
        }
        let mut only = !matches!(e.kind, ExprKind::Local(own) if own == self.slot);
        children(e, &mut |child| only = only && self.gather(child, modulus, frame));
        only
    }

    /// Returns the absolute value of a number that is known by now.
    fn number(&self, e: &Expr, frame: &mut Vec<Value>) -> Option<i128> {
        let known = free_slots(e).into_iter().all(self.known);
        known.then(|| eval_i64(self.env, e, frame).map(|n| i128::from(n).abs()))?
    }
}

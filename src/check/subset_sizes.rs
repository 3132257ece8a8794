//! Subsets of some sizes: a condition on the size of a subset becomes part of its domain.

use super::domain::both;
use crate::ir::{Arith, Builtin, Compare, Domain, Expr, ExprKind, Slot, Value, conjuncts, reads};
use crate::num::Int;

/// What a condition says of a size.
enum SizeLimit {
    Exactly(Expr),
    Least(Expr),
    Most(Expr),
}

/// Makes `subsets(S) where size(s) = k and C` to `subsets(k, S) where C`, and `subsets(S) where a <= size(s) <= b and C` to
/// `subsets(a..b, S) where C`, which say the same and list only those. The condition reads the subset from the slot.
pub(super) fn of_known_sizes(of: Domain, condition: Expr, slot: Slot) -> (Domain, Option<Expr>) {
    let Domain::Subsets(whole, None) = of else { return (of, Some(condition)) };
    let mut parts = Vec::new();
    conjuncts(condition, &mut parts);
    let exact = parts
        .iter()
        .position(|part| matches!(size_limits(part, slot).as_deref(), Some([SizeLimit::Exactly(_)])));
    let (mut least, mut most, mut size) = (None, None, None);
    let mut at = 0;
    parts.retain(|part| {
        at += 1;
        let Some(limits) = size_limits(part, slot).filter(|_| exact.is_none_or(|exact| exact == at - 1))
        else {
            return true;
        };
        let new = limits.iter().all(|limit| match limit {
            SizeLimit::Exactly(_) => true,
            SizeLimit::Least(_) => least.is_none(),
            SizeLimit::Most(_) => most.is_none(),
        });
        if !new {
            return true;
        }
        for limit in limits {
            match limit {
                SizeLimit::Exactly(k) => size = Some(k),
                SizeLimit::Least(k) => least = Some(k),
                SizeLimit::Most(k) => most = Some(k),
            }
        }
        false
    });
    let of = match (least, most) {
        (None, None) => Domain::Subsets(whole, size),
        (least, most) => {
            let zero = |most: &Expr| Expr { kind: ExprKind::Value(Value::Int(Int::ZERO)), ..most.clone() };
            let least = least.or_else(|| most.as_ref().map(zero));
            Domain::SubsetsFrom(least.expect("there is a limit"), most, whole)
        }
    };
    (of, parts.into_iter().reduce(both))
}

/// Returns the limits that a condition sets to the size of the collection in a slot; `None` if it says anything else.
fn size_limits(condition: &Expr, slot: Slot) -> Option<Vec<SizeLimit>> {
    let is_size = |e: &Expr| {
        let ExprKind::Builtin(Builtin::Size, args) = &e.kind else { return false };
        matches!(args[0].kind, ExprKind::Local(own) if own == slot)
    };
    let free = |e: &Expr| !reads(e, slot);
    match &condition.kind {
        ExprKind::In(of, domain) if is_size(of) => match &**domain {
            Domain::Range(low, high) if free(low) && free(high) => {
                Some(vec![SizeLimit::Least(low.clone()), SizeLimit::Most(high.clone())])
            }
            Domain::AtLeast(low) if free(low) => Some(vec![SizeLimit::Least(low.clone())]),
            _ => None,
        },
        ExprKind::Compare(first, links) => {
            let lefts = std::iter::once(&**first).chain(links.iter().map(|(_, right)| right));
            let pairs = lefts.zip(links).map(|(left, (sign, right))| match (is_size(left), is_size(right)) {
                (true, false) if free(right) => limit(*sign, right),
                (false, true) if free(left) => limit(sign.mirrored(), left),
                _ => None,
            });
            pairs.collect()
        }
        _ => None,
    }
}

/// Returns the limit that a size has which stands to a number in this relation.
fn limit(sign: Compare, number: &Expr) -> Option<SizeLimit> {
    let moved = |op: Arith| {
        let one = Expr { kind: ExprKind::Value(Value::Int(Int::ONE)), ..number.clone() };
        Expr { kind: ExprKind::Arith(op, Box::new(number.clone()), Box::new(one)), ..number.clone() }
    };
    Some(match sign {
        Compare::Equal => SizeLimit::Exactly(number.clone()),
        Compare::AtLeast => SizeLimit::Least(number.clone()),
        Compare::Greater => SizeLimit::Least(moved(Arith::Add)),
        Compare::AtMost => SizeLimit::Most(number.clone()),
        Compare::Less => SizeLimit::Most(moved(Arith::Sub)),
        Compare::NotEqual | Compare::Divides => return None,
    })
}

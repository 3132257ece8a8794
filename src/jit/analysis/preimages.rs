//! Values by what a function that never changes makes of them: of the numbers up to 9,999, those with the digit sum 17.

use std::collections::BTreeSet;

use super::invariants::{highest_slot, is_invariant_domain};
use super::rows::{AT_ONCE, MOST_STEPS, is_settled};
use crate::eval::{Machine, Position};
use crate::ir::{Arith, Compare, Domain, Expr, ExprKind, Slot, Type, Value, reads};
use crate::opt::{Candidates, expr_like, int_literal};

/// The most values of which preimages are kept, and the most that a function may make of them.
const MOST_VALUES: i64 = 1 << 14;

/// Lets each parameter that must fulfil `f(value) = e`, where `f` never changes and `e` does not depend on the value, range over
/// the values of which `f` is `e`, if there are more values than conditions are evaluated for at once.
pub fn take_preimages(of: &mut Candidates, machine: &Machine, blank: &Position) {
    for param in &mut of.params {
        let Some((lo, hi)) = known_range(&param.domain, machine, blank) else { continue };
        if !(AT_ONCE as i64..MOST_VALUES).contains(&hi.saturating_sub(lo)) {
            continue;
        }
        let preimage = |condition: &Expr| preimage(condition, (param.slot, lo, hi), machine, blank);
        let found = param.predicates.iter().map(preimage).enumerate().find_map(|(at, of)| Some((at, of?)));
        if let Some((at, values)) = found {
            param.predicates.remove(at);
            param.domain = Domain::Values(values);
        }
    }
}

/// Returns the ends of a range that never changes.
fn known_range(domain: &Domain, machine: &Machine, blank: &Position) -> Option<(i64, i64)> {
    let Domain::Range(lo, hi) = domain else { return None };
    if !is_invariant_domain(machine, domain, &mut |_| false) {
        return None;
    }
    let end = |e: &Expr| {
        let mut frame = vec![Value::Unset; highest_slot(machine, e) + 1];
        match machine.ask(blank, |env| env.eval(e, &mut frame)) {
            Ok(Value::Int(n)) => n.as_i64(),
            _ => None,
        }
    };
    Some((end(lo)?, end(hi)?))
}

/// Returns the set of the values from `lo` to `hi` that fulfil a condition on the one in `slot`, by what the other side of the
/// equation is; `None` if it is no such equation.
fn preimage(
    condition: &Expr,
    (slot, lo, hi): (Slot, i64, i64),
    machine: &Machine,
    blank: &Position,
) -> Option<Expr> {
    let ExprKind::Compare(a, links) = &condition.kind else { return None };
    let [(Compare::Equal, b)] = links.as_slice() else { return None };
    let is_function = |e: &Expr| reads(e, slot) && is_settled(e, slot, machine);
    let (function, image) = match (is_function(a), is_function(b)) {
        (true, false) => (&**a, b),
        (false, true) => (b, &**a),
        _ => return None,
    };
    if reads(image, slot) || function.ty != Type::Int || image.ty != Type::Int {
        return None;
    }
    let mut frame = vec![Value::Unset; highest_slot(machine, function).max(slot) + 1];
    let mut left = MOST_STEPS;
    let mut images = Vec::new();
    for n in lo..=hi {
        frame[slot] = Value::Int(n.into());
        let (value, steps) = machine.ask_counted(blank, |env| env.eval(function, &mut frame));
        left = left.checked_sub(steps)?;
        let Ok(Value::Int(value)) = value else { return None };
        images.push(value.as_i64()?);
    }
    let (least, greatest) = (*images.iter().min()?, *images.iter().max()?);
    if greatest.checked_sub(least)? >= MOST_VALUES {
        return None;
    }
    // The first and the last are of all that the function makes of no value.
    let mut preimages = vec![BTreeSet::new(); (greatest - least + 3) as usize];
    for (n, image) in (lo..=hi).zip(&images) {
        preimages[(image - least + 1) as usize].insert(Value::Int(n.into()));
    }
    let last = int_literal(preimages.len() as i64, condition);
    let compared = |op: Compare, n: i64| {
        let links = vec![(op, int_literal(n, condition))];
        expr_like(ExprKind::Compare(Box::new(image.clone()), links), Type::Bool, condition)
    };
    let behind = Box::new(int_literal(least - 2, condition));
    let number = ExprKind::Arith(Arith::Sub, Box::new(image.clone()), behind);
    let cases = vec![
        (compared(Compare::Less, least), int_literal(1, condition)),
        (compared(Compare::Greater, greatest), last),
    ];
    let otherwise = Box::new(expr_like(number, Type::Int, condition));
    let number = expr_like(ExprKind::If(cases, otherwise), Type::Int, condition);
    let set = Type::Set(Box::new(Type::Int));
    let preimages = ExprKind::Value(Value::list(preimages.into_iter().map(Value::set).collect()));
    let preimages = expr_like(preimages, Type::List(Box::new(set.clone())), condition);
    Some(expr_like(ExprKind::Index(Box::new(preimages), Box::new(number)), set, condition))
}

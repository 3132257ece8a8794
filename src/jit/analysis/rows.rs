//! Rows that are known when a game is compiled.

use super::invariants::{few_elements, highest_slot, is_invariant, is_invariant_domain};
use crate::eval::{Machine, Position};
use crate::ir::{Arith, Compare, Domain, Expr, ExprKind, Type, Value, reads, rename_slots};
use crate::opt::{Candidate, Candidates, and};
use crate::source::Span;

/// Up to this many rows, conditions can be evaluated for all of them at once: as many as a set in registers may have elements.
const AT_ONCE: usize = 512;
/// The most steps that the reference takes to find the rows of a parameter.
const MOST_STEPS: u64 = 400_000;

/// Numbers the rows of each parameter that fulfil the conditions about them alone, where neither they nor the rows ever change
/// and the rows are not too many, if code `keeps` rows of their type.
pub fn number_known_rows(
    of: &mut Candidates,
    machine: &Machine,
    blank: &Position,
    keeps: &dyn Fn(&[Value], &Type) -> bool,
) {
    of.number_rows(&|param| {
        let rows = rows_of(param, machine, blank).filter(|rows| keeps(rows, &param.ty))?;
        param.predicates.retain(|predicate| !is_settled(predicate, param.slot, machine));
        Some(rows)
    });
}

/// Whether a condition depends on nothing that changes but the value in a slot.
fn is_settled(condition: &Expr, slot: usize, machine: &Machine) -> bool {
    is_invariant(machine, condition, &mut |own| own == slot)
}

/// Whether a condition is decided by what never changes of the value in a slot, and by what does not depend on it: as is
/// `sum(row) = goal`.
fn is_separable(condition: &Expr, slot: usize, machine: &Machine) -> bool {
    if !reads(condition, slot) || is_settled(condition, slot, machine) {
        return true;
    }
    let separable = |part: &Expr| is_separable(part, slot, machine);
    match &condition.kind {
        ExprKind::Not(a) => separable(a),
        ExprKind::And(a, b) | ExprKind::Or(a, b) => separable(a) && separable(b),
        ExprKind::Compare(a, links) => match links.as_slice() {
            [(op, b)] => {
                let sums = [&**a, b].into_iter().all(|e| e.ty == Type::Int && separates(e, slot, machine));
                *op != Compare::Divides && sums
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether each term of a sum is such that it depends on the value in a slot alone, or not on it.
fn separates(sum: &Expr, slot: usize, machine: &Machine) -> bool {
    match &sum.kind {
        _ if !reads(sum, slot) || is_settled(sum, slot, machine) => true,
        ExprKind::Arith(Arith::Add | Arith::Sub, a, b) => {
            separates(a, slot, machine) && separates(b, slot, machine)
        }
        ExprKind::Negative(a) => separates(a, slot, machine),
        _ => false,
    }
}

/// Returns, for each row of a domain under a condition, whether it fulfils the condition, as bits by rank; `None` if the rows or
/// the condition may change, or there are too many rows.
pub fn rows_that_fulfil(domain: &Domain, machine: &Machine, blank: &Position) -> Option<Vec<u64>> {
    const MOST_ROWS: usize = 1 << 16;
    let Domain::Where(slot, of, condition) = domain else { return None };
    let unchanging = of.is_of_rows() && is_invariant_domain(machine, of, &mut |_| false);
    if !unchanging || !is_settled(condition, *slot, machine) {
        return None;
    }
    let frame = || vec![Value::Unset; highest_slot(machine, condition).max(*slot) + 1];
    let domain_of =
        |of: &Domain| machine.ask_within(blank, MOST_STEPS, |env| env.domain(of, &mut frame(), true)).ok();
    let (all, some) = (domain_of(of)?, domain_of(domain)?);
    let count = all.count(Span::default()).ok()??.as_usize().filter(|count| *count <= MOST_ROWS)?;
    let mut bits = vec![0; count.div_ceil(64)];
    // Both are in the same order.
    let mut some = some.iter(Span::default()).ok()?.peekable();
    for (rank, row) in all.iter(Span::default()).ok()?.enumerate() {
        if some.next_if_eq(&row).is_some() {
            bits[rank / 64] |= 1u64 << (rank % 64);
        }
    }
    some.peek().is_none().then_some(bits)
}

/// Returns the rows of a parameter that fulfil the conditions about them alone; `None` if they are not known beforehand, and if
/// there are no such conditions, unless the others can be evaluated for all rows at once.
fn rows_of(param: &Candidate, machine: &Machine, blank: &Position) -> Option<Vec<Value>> {
    let predicates = || param.predicates.iter();
    let mut settled: Vec<Expr> =
        predicates().filter(|predicate| is_settled(predicate, param.slot, machine)).cloned().collect();
    let mut of = &param.domain;
    while let Domain::Where(slot, inner, condition) = of {
        if !is_settled(condition, *slot, machine) {
            return None;
        }
        let mut condition = (**condition).clone();
        rename_slots(&mut condition, &mut |own| if own == *slot { param.slot } else { own });
        settled.insert(0, condition);
        of = inner;
    }
    let at_once = settled.is_empty();
    let separable = || predicates().all(|predicate| is_separable(predicate, param.slot, machine));
    if at_once && (param.predicates.is_empty() || !separable()) || param.window.is_some() {
        return None;
    }
    if !of.is_of_rows() || !is_invariant_domain(machine, of, &mut |_| false) {
        return None;
    }
    let slots = settled.iter().map(|condition| highest_slot(machine, condition)).max().unwrap_or(0);
    let mut frame = vec![Value::Unset; slots.max(machine.game.slots).max(param.slot) + 1];
    let domain = match settled.into_iter().reduce(and) {
        Some(condition) => Domain::Where(param.slot, Box::new(of.clone()), Box::new(condition)),
        None => of.clone(),
    };
    let rows = machine.ask_within(blank, MOST_STEPS, |env| env.domain(&domain, &mut frame, true)).ok()?;
    few_elements(&rows).filter(|rows| !at_once || rows.len() <= AT_ONCE)
}

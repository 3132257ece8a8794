//! Rows that are known when a game is compiled.

use super::evaluated::Evaluated;
use super::invariants::{few_elements, highest_slot, is_invariant, is_invariant_domain};
use crate::eval::{Machine, Position};
use crate::ir::{
    Arith, Compare, Domain, Expr, ExprKind, Slot, Type, Value, domain_text, reads, rename_slots,
};
use crate::opt::{Candidate, Candidates, and};

/// Up to this many rows, conditions can be evaluated for all of them at once: as many as a set in registers may have elements.
const AT_ONCE: usize = 512;
/// The most steps that the reference takes to find the rows of a parameter, or the values.
const MOST_STEPS: u64 = 400_000;

/// Numbers the rows of each parameter that fulfil the conditions about them alone, where neither they nor the rows ever change
/// and the rows are not too many, if code `keeps` rows of their type; with `only_at_once`, only if the other conditions can be
/// evaluated for all rows at once. So it is as well where going through the elements of rows would pass over many.
pub fn number_known_rows(
    of: &mut Candidates,
    only_at_once: bool,
    (machine, blank): (&Machine, &Position),
    evaluated: &Evaluated,
    keeps: &dyn Fn(&[Value], &Type) -> bool,
) {
    of.number_rows(&|param, elements| {
        let only_at_once = only_at_once || narrow_early(elements, machine);
        let rows = rows_of(param, only_at_once, (machine, blank), evaluated);
        let rows = rows.filter(|rows| keeps(rows, &param.ty))?;
        param.predicates.retain(|predicate| !is_settled(predicate, param.slot, machine));
        Some(rows)
    });
}

/// Whether a condition depends on nothing that changes but the value in a slot.
pub fn is_settled(condition: &Expr, slot: usize, machine: &Machine) -> bool {
    is_invariant(machine, condition, &mut |own| own == slot)
}

/// Whether conditions on something that changes leave fewer values for an element of a row than for the last: then many rows are
/// passed over when the elements are gone through, one by one.
fn narrow_early(elements: &[&Candidate], machine: &Machine) -> bool {
    let own = |slot: Slot| elements.iter().any(|element| element.slot == slot);
    let Some((_, before)) = elements.split_last() else { return false };
    before.iter().any(|element| {
        let settled = element
            .predicates
            .iter()
            .all(|predicate| is_invariant(machine, predicate, &mut |slot| own(slot)));
        !settled || !is_invariant_domain(machine, &element.domain, &mut |slot| own(slot))
    })
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

/// Returns the rows of a parameter that fulfil the conditions about them alone; `None` if they are not known beforehand, and if
/// there are no such conditions, unless the others can be evaluated for all rows at once.
fn rows_of(
    param: &Candidate,
    only_at_once: bool,
    (machine, blank): (&Machine, &Position),
    evaluated: &Evaluated,
) -> Option<Vec<Value>> {
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
    let at_once = only_at_once || settled.is_empty();
    let separable = || predicates().all(|predicate| is_separable(predicate, param.slot, machine));
    if at_once && !separable() || settled.is_empty() && param.predicates.is_empty() || param.window.is_some()
    {
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
    let rows = evaluated.elements.get(domain_text(&machine.game, &domain), || {
        let rows = machine.ask_within(blank, MOST_STEPS, |env| env.domain(&domain, &mut frame, true)).ok()?;
        few_elements(&rows)
    });
    rows.filter(|rows| !at_once || rows.len() <= AT_ONCE)
}

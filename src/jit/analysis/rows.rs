//! Rows that are known when a game is compiled.

use super::invariants::{elements_of, highest_slot, is_invariant, is_invariant_domain};
use crate::eval::{Machine, Position};
use crate::ir::{Expr, Type, Value};
use crate::opt::{Candidate, Candidates};

/// Tests the conditions about the rows of a parameter alone beforehand, where neither they nor the rows ever change and the
/// rows are not too many; those that fulfil them are noted, if code `keeps` rows of their type.
pub fn lay_out_rows(
    of: &mut Candidates,
    machine: &Machine,
    blank: &Position,
    keeps: &dyn Fn(&[Value], &Type) -> bool,
) {
    for param in &mut of.params {
        param.rows = rows_of(param, machine, blank).filter(|rows| keeps(rows, &param.ty));
        if param.rows.is_some() {
            param.predicates.retain(|predicate| !is_settled(predicate, param.slot, machine));
        }
    }
}

/// Whether a condition depends on nothing that changes but the value in a slot.
fn is_settled(condition: &Expr, slot: usize, machine: &Machine) -> bool {
    is_invariant(machine, condition, &mut |own| own == slot)
}

/// Returns the rows of a parameter that fulfil the conditions about them alone; `None` if there are no such conditions, or
/// they are not known beforehand.
fn rows_of(param: &Candidate, machine: &Machine, blank: &Position) -> Option<Vec<Value>> {
    let settled: Vec<&Expr> =
        param.predicates.iter().filter(|predicate| is_settled(predicate, param.slot, machine)).collect();
    let unchanging = param.domain.is_of_rows() && is_invariant_domain(machine, &param.domain, &mut |_| false);
    if settled.is_empty() || param.window.is_some() || !unchanging {
        return None;
    }
    let slots = settled.iter().map(|predicate| highest_slot(machine, predicate)).max()?;
    let mut frame = vec![Value::Unset; slots.max(machine.game.slots).max(param.slot) + 1];
    let rows = elements_of(machine, blank, &param.domain, frame.clone(), true)?;
    let holds = |row: &Value| {
        frame[param.slot] = row.clone();
        settled.iter().try_fold(true, |all, condition| {
            let holds = machine.ask(blank, |env| env.eval(condition, &mut frame)).ok()?;
            Some(all && holds == Value::Bool(true))
        })
    };
    let kept: Option<Vec<bool>> = rows.iter().map(holds).collect();
    Some(rows.into_iter().zip(kept?).filter_map(|(row, kept)| kept.then_some(row)).collect())
}

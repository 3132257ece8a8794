//! Rows that are known when a game is compiled.

use super::accesses::Accesses;
use super::invariants::{elements_of, few_elements, highest_slot, is_invariant, is_invariant_domain};
use crate::eval::{Machine, Position};
use crate::ir::{Expr, MoveId, Type, Value};
use crate::opt::{Candidate, Candidates};

/// Tests the conditions about the rows of a parameter alone beforehand, where neither they nor the rows ever change and the
/// rows are not too many; those that fulfil them are noted, if code `keeps` rows of their type. `source` is the game as
/// written, in which the candidates belong to the move `mv`.
pub fn lay_out_rows(
    of: &mut Candidates,
    (source, mv): (&Machine, MoveId),
    machine: &Machine,
    blank: &Position,
    keeps: &dyn Fn(&[Value], &Type) -> bool,
) {
    for (at, param) in of.params.iter_mut().enumerate() {
        let counted = || counted_rows(source, mv, at, blank);
        param.rows = rows_of(param, machine, blank, counted).filter(|rows| keeps(rows, &param.ty));
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
fn rows_of(
    param: &Candidate,
    machine: &Machine,
    blank: &Position,
    counted: impl FnOnce() -> Option<Vec<Value>>,
) -> Option<Vec<Value>> {
    let settled: Vec<&Expr> =
        param.predicates.iter().filter(|predicate| is_settled(predicate, param.slot, machine)).collect();
    let unchanging = param.domain.is_of_rows() && is_invariant_domain(machine, &param.domain, &mut |_| false);
    if settled.is_empty() || param.window.is_some() || !unchanging {
        return None;
    }
    let slots = settled.iter().map(|predicate| highest_slot(machine, predicate)).max()?;
    let mut frame = vec![Value::Unset; slots.max(machine.game.slots).max(param.slot) + 1];
    let rows = elements_of(machine, blank, &param.domain, frame.clone(), true).or_else(counted)?;
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

/// Returns the rows of a chosen parameter that the reference counts for random draws; `None` if they may change, or are too
/// many.
fn counted_rows(source: &Machine, mv: MoveId, at: usize, blank: &Position) -> Option<Vec<Value>> {
    let param = source.game.moves[mv].params.iter().filter(|param| param.domain.is_some()).nth(at)?;
    let conditions = source.drawing_conditions(mv, at)?;
    if !conditions.preconditions.is_empty()
        || !Accesses::of_scalar_rows(source, &conditions, param).is_unchanging(&|_| false)
    {
        return None;
    }
    let mut frame = vec![Value::Unset; source.game.slots];
    few_elements(&source.ask(blank, |env| env.rows_to_draw_from(mv, at, &mut frame)).ok()??)
}

//! Rows that are known when a game is compiled.

use super::accesses::Accesses;
use super::invariants::{elements_of, few_elements, highest_slot, is_invariant, is_invariant_domain};
use crate::eval::{Machine, Position};
use crate::ir::{Arith, Compare, Expr, ExprKind, MoveId, Type, Value, reads};
use crate::opt::{Candidate, Candidates};

/// Up to this many rows, conditions can be evaluated for all of them at once: as many as a set in registers may have elements.
const AT_ONCE: usize = 512;

/// Numbers the rows of each parameter that fulfil the conditions about them alone, where neither they nor the rows ever change
/// and the rows are not too many, if code `keeps` rows of their type. `counted` returns the rows that the reference counts for a
/// parameter, by its index.
pub fn number_known_rows(
    of: &mut Candidates,
    machine: &Machine,
    blank: &Position,
    counted: &dyn Fn(usize) -> Option<Vec<Value>>,
    keeps: &dyn Fn(&[Value], &Type) -> bool,
) {
    of.number_rows(&|at, param| {
        let rows = rows_of(param, machine, blank, || counted(at)).filter(|rows| keeps(rows, &param.ty))?;
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

/// Returns the rows of a parameter that fulfil the conditions about them alone; `None` if they are not known beforehand, and if
/// there are no such conditions, unless the others can be evaluated for all rows at once.
fn rows_of(
    param: &Candidate,
    machine: &Machine,
    blank: &Position,
    counted: impl FnOnce() -> Option<Vec<Value>>,
) -> Option<Vec<Value>> {
    let settled: Vec<&Expr> =
        param.predicates.iter().filter(|predicate| is_settled(predicate, param.slot, machine)).collect();
    let unchanging = param.domain.is_of_rows() && is_invariant_domain(machine, &param.domain, &mut |_| false);
    let others = || param.predicates.iter().all(|predicate| is_separable(predicate, param.slot, machine));
    let at_once = settled.is_empty() && !param.predicates.is_empty() && others();
    if settled.is_empty() && !at_once || param.window.is_some() || !unchanging {
        return None;
    }
    let slots = settled.iter().map(|predicate| highest_slot(machine, predicate)).max().unwrap_or(0);
    let mut frame = vec![Value::Unset; slots.max(machine.game.slots).max(param.slot) + 1];
    let rows = elements_of(machine, blank, &param.domain, frame.clone(), true).or_else(counted)?;
    if at_once && rows.len() > AT_ONCE {
        return None;
    }
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

/// Returns the rows of a chosen parameter, by its index, of a move of the game as written that the reference counts for random
/// draws; `None` if they may change, or are too many.
pub fn counted_rows(source: &Machine, mv: MoveId, at: usize, blank: &Position) -> Option<Vec<Value>> {
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

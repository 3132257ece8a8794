//! Goals: the bounds that a condition puts on something gathered from a row.

use super::Env;
use super::weights::small;
use crate::ir::{Compare, Domain, Expr, ExprKind, Slot, Term, Type, Value, reads};

/// The lower and the upper bound, both inclusive, where known.
pub(super) type Goal = (Option<i128>, Option<i128>);
/// A slot that is settled later, with its possible values; `None` if they are too many or unknown.
pub(super) type Later = (Slot, Option<Vec<Value>>);

/// The most combinations of later values for which goals are computed.
const MAX_COMBINATIONS: usize = 1_024;

/// Returns the bounds that a formula puts on a term, whatever values the slots settled later take.
pub(super) fn goal_over_later(
    env: &Env,
    formula: &Expr,
    slot: Slot,
    terms: &[Term],
    later: &[Later],
    frame: &mut Vec<Value>,
) -> Goal {
    let mut rows: Vec<Vec<(Slot, &Value)>> = vec![Vec::new()];
    for (slot, values) in later.iter().filter(|(slot, _)| reads(formula, *slot)) {
        let Some(values) = values.as_ref().filter(|values| values.len() * rows.len() <= MAX_COMBINATIONS)
        else {
            return (None, None);
        };
        let longer = |row: &Vec<_>, value| row.iter().copied().chain([(*slot, value)]).collect();
        rows = rows.iter().flat_map(|row| values.iter().map(|value| longer(row, value))).collect();
    }
    let goals = rows.into_iter().map(|row| {
        row.into_iter().for_each(|(slot, value)| frame[slot] = value.clone());
        goal(env, formula, slot, terms, frame)
    });
    goals
        .reduce(|a, b| (a.0.zip(b.0).map(|(a, b)| a.min(b)), a.1.zip(b.1).map(|(a, b)| a.max(b))))
        .unwrap_or_default()
}

/// Returns the bounds that a formula puts on a term.
fn goal(env: &Env, formula: &Expr, slot: Slot, terms: &[Term], frame: &mut Vec<Value>) -> Goal {
    let mut goal: Goal = (None, None);
    let is_term = |e: &Expr| matches!(&e.kind, ExprKind::Local(own) if *own == slot);
    let mut known = |e: &Expr| -> Option<i128> {
        let outside = e.ty == Type::Int && !terms.iter().any(|term| reads(e, term.slot));
        small(&env.int(e, frame).ok().filter(|_| outside)?)
    };
    let mut at_least = |n: Option<i128>| goal.0 = goal.0.max(n);
    let mut most: Vec<i128> = Vec::new();
    match &formula.kind {
        ExprKind::Compare(first, links) => {
            let mut left: &Expr = first;
            for (op, right) in links {
                let (op, bound) = match (is_term(left), is_term(right)) {
                    (true, false) => (*op, known(right)),
                    (false, true) => (swap_sides(*op), known(left)),
                    _ => (Compare::NotEqual, None),
                };
                if let Some(bound) = bound {
                    match op {
                        Compare::Equal => {
                            at_least(Some(bound));
                            most.push(bound);
                        }
                        Compare::Less => most.push(bound - 1),
                        Compare::AtMost => most.push(bound),
                        Compare::Greater => at_least(Some(bound + 1)),
                        Compare::AtLeast => at_least(Some(bound)),
                        Compare::NotEqual | Compare::Divides => {}
                    }
                }
                left = right;
            }
        }
        ExprKind::In(what, domain) if is_term(what) => {
            if let Domain::Range(low, high) = &**domain {
                at_least(known(low));
                most.extend(known(high));
            }
        }
        _ => {}
    }
    goal.1 = most.into_iter().min();
    goal
}

/// Swaps the sides of a comparison. `Divides` becomes `NotEqual`, which yields no bound.
fn swap_sides(op: Compare) -> Compare {
    match op {
        Compare::Less => Compare::Greater,
        Compare::AtMost => Compare::AtLeast,
        Compare::Greater => Compare::Less,
        Compare::AtLeast => Compare::AtMost,
        Compare::Divides => Compare::NotEqual,
        op => op,
    }
}

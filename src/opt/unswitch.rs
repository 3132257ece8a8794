//! Loop unswitching: conditions that are the same for every element of a binder are tested once, before the loop.

use super::conditions::negate;
use super::fact::Scope;
use super::rewrite::{Rule, RuleContext, and, bool_literal, expr_like, is_bool, or, reads_any, take};
use crate::ir::{Domain, Expr, ExprKind, Fold, FoldKind, Slot, Value};
use crate::num::Int;

/// The rule of this pass.
pub struct Unswitch;

impl Rule for Unswitch {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        conditional_source(e) || invariant_condition(e, at)
    }
}

/// Returns the value of a fold over nothing; `None` if it has none.
fn of_nothing(kind: FoldKind) -> Option<Value> {
    Some(match kind {
        FoldKind::Sum | FoldKind::Count | FoldKind::Xor | FoldKind::Gcd => Value::Int(Int::ZERO),
        FoldKind::Product => Value::Int(Int::ONE),
        FoldKind::All => Value::Bool(true),
        FoldKind::Some => Value::Bool(false),
        FoldKind::First => Value::None,
        FoldKind::List => Value::List(Vec::new().into()),
        FoldKind::Set => Value::set([]),
        FoldKind::Bag | FoldKind::Largest | FoldKind::Smallest | FoldKind::Reach => return None,
    })
}

/// Whether a collection is known to be empty.
fn is_nothing(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::List(parts) | ExprKind::Set(parts) => parts.is_empty(),
        ExprKind::Value(value @ (Value::List(_) | Value::Set(_))) => crate::eval::elements(value).is_empty(),
        _ => false,
    }
}

/// Rewrites `sum(x in if C then S else []: B)` as `if C then sum(x in S: B) else 0`.
fn conditional_source(e: &mut Expr) -> bool {
    let like = bool_literal(true, e);
    let ty = e.ty.clone();
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    let Some(nothing) = of_nothing(fold.kind) else { return false };
    let [source] = fold.sources.as_mut_slice() else { return false };
    let Domain::Values(Expr { kind: ExprKind::If(arms, otherwise), .. }) = &mut source.domain else {
        return false;
    };
    // The binder must not be copied.
    let values = || arms.iter().map(|(_, value)| value).chain([&**otherwise]);
    if values().filter(|value| !is_nothing(value)).count() != 1 {
        return false;
    }
    let (mut arms, mut otherwise) =
        (std::mem::take(arms), std::mem::replace(otherwise, Box::new(like.clone())));
    let rest = Fold { body: take(&mut fold.body), ..(**fold).clone() };
    let over = |value: &mut Expr| {
        let kind = match is_nothing(value) {
            true => ExprKind::Value(nothing.clone()),
            false => {
                let mut fold = rest.clone();
                fold.sources[0].domain = Domain::Values(take(value));
                ExprKind::Fold(Box::new(fold))
            }
        };
        *value = expr_like(kind, ty.clone(), &like);
    };
    arms.iter_mut().for_each(|(_, value)| over(value));
    over(&mut otherwise);
    e.kind = ExprKind::If(arms, otherwise);
    true
}

/// Rewrites `sum(x in S where A and C: B)` as `if A then sum(x in S where C: B) else 0` where A does not depend on
/// x, and the same for the operands in the bodies of `some`, `all` and `count`. What is tested earlier than before,
/// or not at all, must not be able to fail.
fn invariant_condition(e: &mut Expr, at: &RuleContext) -> bool {
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    let Some(nothing) = of_nothing(fold.kind) else { return false };
    let own: Vec<Slot> = fold.sources.iter().flat_map(|source| source.slots.iter().copied()).collect();
    let mut inside = at.scope.clone();
    if at.facts.enter_total(fold, &mut inside).is_none() {
        return false;
    }
    let split = |e: &mut Expr, is_and| split(e, is_and, &own, at, &inside);
    let condition = match &mut fold.filter {
        Some(filter) => split(filter, true),
        None if fold.stop.is_some() => None,
        None => match fold.kind {
            FoldKind::Some | FoldKind::Count => split(&mut fold.body, true),
            FoldKind::All => split(&mut fold.body, false).map(negate),
            _ => None,
        },
    };
    let Some(condition) = condition else { return false };
    fold.filter = fold.filter.take().filter(|filter| !is_bool(filter, true));
    let like = bool_literal(true, e);
    let ty = e.ty.clone();
    let whole = take(e);
    let nothing = expr_like(ExprKind::Value(nothing), ty.clone(), &like);
    *e = expr_like(ExprKind::If(vec![(condition, whole)], Box::new(nothing)), ty, &like);
    true
}

/// Takes the operands that depend on none of `own` out of a conjunction, or a disjunction unless `is_and`; returns
/// them joined. An operand that follows one that can fail stays with it. `inside` is the scope of the condition.
fn split(e: &mut Expr, is_and: bool, own: &[Slot], at: &RuleContext, inside: &Scope) -> Option<Expr> {
    let join: fn(Expr, Expr) -> Expr = if is_and { and } else { or };
    let joined = |all: Vec<Expr>| all.into_iter().rev().reduce(|after, before| join(before, after));
    let mut operands = Vec::new();
    flatten(e, is_and, &mut operands);
    let mut inside = inside.clone();
    let (mut lifted, mut rest) = (Vec::new(), Vec::new());
    let mut movable = true;
    for operand in operands {
        let ahead = joined(lifted.iter().chain([&operand]).cloned().collect());
        if movable && !reads_any(&operand, own) && ahead.is_some_and(|ahead| at.total(&ahead)) {
            lifted.push(operand);
            continue;
        }
        movable &= at.facts.total(&operand, &inside);
        at.facts.assume(&operand, is_and, &mut inside);
        rest.push(operand);
    }
    let lifted = joined(lifted)?;
    *e = joined(rest).unwrap_or_else(|| bool_literal(is_and, e));
    Some(lifted)
}

/// Lists the operands of nested conjunctions, or of disjunctions unless `is_and`, in order.
fn flatten(e: &Expr, is_and: bool, out: &mut Vec<Expr>) {
    match &e.kind {
        ExprKind::And(a, b) if is_and => [a, b].into_iter().for_each(|part| flatten(part, is_and, out)),
        ExprKind::Or(a, b) if !is_and => [a, b].into_iter().for_each(|part| flatten(part, is_and, out)),
        _ => out.push(e.clone()),
    }
}

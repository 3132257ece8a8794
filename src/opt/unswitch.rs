//! Loop unswitching: conditions that are the same for every element of a binder are tested once, before the loop.

use super::conditions::negate;
use super::fact::Scope;
use super::rewrite::{
    Rule, RuleContext, and, bool_literal, expr_like, is_bool, operands, or, reads_any, take,
};
use crate::ir::{
    Builtin, Domain, Expr, ExprKind, FoldKind, Slot, Source, Type, Value, arm_values, arm_values_mut,
    is_nothing,
};
use crate::num::Int;

/// The rule of this pass.
pub struct Unswitch;

impl Rule for Unswitch {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        name_in_front(e) || conditional_source(e) || conditional_argument(e) || invariant_condition(e, at)
    }
}

/// Returns the value of a fold over nothing; `None` if it has none.
fn of_nothing(kind: FoldKind) -> Option<Value> {
    Some(match kind {
        FoldKind::Sum | FoldKind::Count | FoldKind::Xor | FoldKind::Gcd => Value::Int(Int::ZERO),
        FoldKind::Product | FoldKind::Lcm => Value::Int(Int::ONE),
        FoldKind::All => Value::Bool(true),
        FoldKind::Some => Value::Bool(false),
        FoldKind::List => Value::List(Vec::new().into()),
        FoldKind::Set => Value::set([]),
        FoldKind::First | FoldKind::Bag | FoldKind::Largest | FoldKind::Smallest | FoldKind::Reach => {
            return None;
        }
    })
}

/// Returns what a function gives of an empty collection, if it is one of those that are looked into here.
fn of_empty(builtin: Builtin) -> Option<Value> {
    match builtin {
        Builtin::Size | Builtin::Sum => Some(Value::Int(Int::ZERO)),
        Builtin::Empty => Some(Value::Bool(true)),
        _ => None,
    }
}

/// Rewrites `sum(x in let n = V in S: B)` as `let n = V in sum(x in S: B)`, and the same for functions of collections.
fn name_in_front(e: &mut Expr) -> bool {
    let like = bool_literal(true, e);
    let ty = e.ty.clone();
    let of = match &mut e.kind {
        ExprKind::Fold(fold) => match fold.sources.first_mut().map(|source| &mut source.domain) {
            Some(Domain::Values(of)) => of,
            _ => return false,
        },
        ExprKind::Builtin(builtin, args) if of_empty(*builtin).is_some() => &mut args[0],
        _ => return false,
    };
    let ExprKind::Let(slots, value, body) = &mut of.kind else { return false };
    let (slots, value, body) = (std::mem::take(slots), take(value), take(body));
    *of = body;
    let whole = take(e);
    *e = expr_like(ExprKind::Let(slots, Box::new(value), Box::new(whole)), ty, &like);
    true
}

/// Rewrites `size(if C then S else [])` as `if C then size(S) else 0`.
fn conditional_argument(e: &mut Expr) -> bool {
    let ty = e.ty.clone();
    let ExprKind::Builtin(builtin, args) = &mut e.kind else { return false };
    let (Some(nothing), [of]) = (of_empty(*builtin), args.as_mut_slice()) else { return false };
    if !is_one_or_nothing(of) {
        return false;
    }
    let (builtin, cases) = (*builtin, take(of));
    e.kind = of_each_case(cases, &ty, &nothing, |value| ExprKind::Builtin(builtin, vec![value]));
    true
}

/// Whether an expression is an `if` between one collection and nothing. What is made of it can move into the `if`
/// without being copied.
fn is_one_or_nothing(e: &Expr) -> bool {
    let ExprKind::If(arms, otherwise) = &e.kind else { return false };
    arm_values(arms, otherwise).filter(|value| !is_nothing(value)).count() == 1
}

/// Makes something of each case of such an `if`: `nothing` of those that are empty.
fn of_each_case(mut cases: Expr, ty: &Type, nothing: &Value, of_some: impl Fn(Expr) -> ExprKind) -> ExprKind {
    if let ExprKind::If(arms, otherwise) = &mut cases.kind {
        for value in arm_values_mut(arms, otherwise) {
            let kind = match is_nothing(value) {
                true => ExprKind::Value(nothing.clone()),
                false => of_some(take(value)),
            };
            *value = expr_like(kind, ty.clone(), value);
        }
    }
    cases.kind
}

/// Rewrites `sum(x in if C then S else []: B)` as `if C then sum(x in S: B) else 0`.
fn conditional_source(e: &mut Expr) -> bool {
    let ty = e.ty.clone();
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    let Some(nothing) = of_nothing(fold.kind) else { return false };
    let [Source { domain: Domain::Values(of), .. }] = fold.sources.as_mut_slice() else { return false };
    if !is_one_or_nothing(of) {
        return false;
    }
    let cases = take(of);
    let of_some = |value| {
        let mut fold = fold.clone();
        fold.sources[0].domain = Domain::Values(value);
        ExprKind::Fold(fold)
    };
    e.kind = of_each_case(cases, &ty, &nothing, of_some);
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
    let joined =
        |all: &[&Expr]| all.iter().copied().cloned().rev().reduce(|after, before| join(before, after));
    let mut parts = Vec::new();
    operands(e, is_and, &mut parts);
    let mut inside = inside.clone();
    let (mut lifted, mut rest) = (Vec::new(), Vec::new());
    let mut movable = true;
    for operand in parts {
        let ahead = joined(&[lifted.as_slice(), &[operand]].concat());
        let known = matches!(operand.kind, ExprKind::Value(_));
        if movable && !known && !reads_any(operand, own) && ahead.is_some_and(|ahead| at.total(&ahead)) {
            lifted.push(operand);
            continue;
        }
        movable &= at.facts.total(operand, &inside);
        at.facts.assume(operand, is_and, &mut inside);
        rest.push(operand);
    }
    let lifted = joined(&lifted)?;
    *e = joined(&rest).unwrap_or_else(|| bool_literal(is_and, e));
    Some(lifted)
}

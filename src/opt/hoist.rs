//! Loop-invariant code motion: parts of a binder that are the same for every element are evaluated once,
//! before the loop.

use super::rewrite::{Rule, RuleContext, expr_like, reads_any, reads_state, take};
use crate::ir::{Builtin, Expr, ExprKind, Slot, Type, children_mut};

/// The rule of this pass.
pub struct Hoist;

impl Rule for Hoist {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        let ExprKind::Fold(fold) = &mut e.kind else { return false };
        let own: Vec<Slot> = fold.sources.iter().flat_map(|source| source.slots.iter().copied()).collect();
        let mut found = Vec::new();
        for part in fold.filter.iter_mut().chain(&mut fold.stop).chain([&mut fold.body]) {
            lift(part, &own, &mut Vec::new(), at, &mut found);
        }
        if found.is_empty() {
            return false;
        }
        let mut whole = take(e);
        for (slot, value) in found.into_iter().rev() {
            let ty = whole.ty.clone();
            whole = expr_like(ExprKind::Let(vec![slot], Box::new(value), Box::new(whole)), ty, e);
        }
        *e = whole;
        true
    }
}

/// Extracts the largest subexpressions that read nothing bound by the binder (`own`) or by binders within it
/// (`inner`).
fn lift(
    e: &mut Expr,
    own: &[Slot],
    inner: &mut Vec<Slot>,
    at: &mut RuleContext,
    found: &mut Vec<(Slot, Expr)>,
) {
    if is_work(e) && !reads_any(e, own) && !reads_any(e, inner) && at.total(e) {
        let slot = at.new_slot();
        let name = expr_like(ExprKind::Local(slot), e.ty.clone(), e);
        found.push((slot, std::mem::replace(e, name)));
        return;
    }
    let bound = inner.len();
    match &e.kind {
        ExprKind::Fold(fold) => {
            inner.extend(fold.sources.iter().flat_map(|source| source.slots.iter().copied()))
        }
        ExprKind::Let(slots, ..) => inner.extend(slots.iter().copied()),
        _ => {}
    }
    children_mut(e, &mut |part| lift(part, own, inner, at, found));
    inner.truncate(bound);
}

/// Whether an expression is worth evaluating only once. Values that never change during a match are not: they
/// are precomputed.
fn is_work(e: &Expr) -> bool {
    is_loop(e) && reads_state(e)
}

/// Whether evaluating an expression takes a loop, so that its cost is substantial.
pub fn is_loop(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Fold(_) => true,
        ExprKind::Builtin(builtin, args) => {
            *builtin != Builtin::Size
                && args.iter().any(|arg| matches!(arg.ty, Type::List(_) | Type::Set(_) | Type::Bag(_)))
        }
        _ => false,
    }
}

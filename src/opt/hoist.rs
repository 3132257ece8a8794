//! What is the same for every element is worked out once, before a binder goes through them (loop-invariant code motion).

use super::rewrite::{At, Rule, looks, made, reads, take};
use crate::ir::{Builtin, Expr, ExprKind, Slot, Type, children_mut};

/// The rule.
pub struct Hoist;

impl Rule for Hoist {
    fn expr(&self, e: &mut Expr, at: &mut At) -> bool {
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
            whole = made(ExprKind::Let(vec![slot], Box::new(value), Box::new(whole)), ty, e);
        }
        *e = whole;
        true
    }
}

/// Takes the largest parts out that read nothing a binder names; `own` are the names of the binder, `inner` those that
/// binders within it give.
fn lift(e: &mut Expr, own: &[Slot], inner: &mut Vec<Slot>, at: &mut At, found: &mut Vec<(Slot, Expr)>) {
    if is_work(e) && !reads(e, own) && !reads(e, inner) && at.total(e) {
        let slot = at.slot();
        let name = made(ExprKind::Local(slot), e.ty.clone(), e);
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

/// Whether it pays to work a value out once. Values that never change during a match are no work: they are worked out
/// before it.
fn is_work(e: &Expr) -> bool {
    is_loop(e) && looks(e)
}

/// Whether working a value out goes through something, so that once is much less than many times.
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

//! Fusion: what goes through a computed list goes through what the list is computed from, and the list is not built.

use super::binders::merge_filter_into_body;
use super::lets::is_cheap;
use super::rewrite::{Rule, RuleContext, and, bool_literal, condition, expr_like, substitute, take};
use crate::ir::{Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Slot, Source, Type};

/// The rule of this pass.
pub struct Fusion;

impl Rule for Fusion {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        match &mut e.kind {
            ExprKind::Fold(_) => fuse_selection(e, at) || fuse_values(e, at),
            ExprKind::Builtin(..) => fuse_builtin(e, at) || fuse_copies(e, at),
            _ => false,
        }
    }
}

/// Whether a domain yields each value once, in ascending order, so that a set of its values is iterated in
/// the same order.
fn is_ascending(domain: &Domain) -> bool {
    match domain {
        Domain::Range(..) => true,
        Domain::Values(e) => match &e.ty {
            Type::Set(_) | Type::Grid(_) | Type::Map(..) => true,
            _ => matches!(e.kind, ExprKind::Players | ExprKind::Standing),
        },
        _ => false,
    }
}

/// Returns the fold and its slot, if an expression only selects the elements of one source that satisfy a
/// filter.
pub fn selection(e: &Expr) -> Option<(&Fold, Slot)> {
    selection_while(e).filter(|(fold, _)| fold.stop.is_none())
}

/// Does the same, also if a `while` condition ends the selection.
fn selection_while(e: &Expr) -> Option<(&Fold, Slot)> {
    let ExprKind::Fold(fold) = &e.kind else { return None };
    let [source] = fold.sources.as_slice() else { return None };
    let ([slot], ExprKind::Local(body)) = (source.slots.as_slice(), &fold.body.kind) else { return None };
    let kept = match fold.kind {
        FoldKind::List => true,
        FoldKind::Set => is_ascending(&source.domain),
        _ => false,
    };
    (kept && body == slot).then_some((fold, *slot))
}

/// Rewrites `all(x in [y in S where C]: B)` as `all(x in S where C: B)`. The list evaluates C for every
/// element, whereas the result may stop early, so C must not be able to fail unless all elements are visited
/// anyway.
fn fuse_selection(e: &mut Expr, at: &mut RuleContext) -> bool {
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    if fold.kind == FoldKind::Reach {
        return false;
    }
    let single = fold.sources.len() == 1;
    for i in 0..fold.sources.len() {
        let Domain::Values(inner) = &fold.sources[i].domain else { continue };
        let [own] = fold.sources[i].slots.as_slice() else { continue };
        let own = *own;
        let Some((picked, slot)) = selection_while(inner) else { continue };
        let exhaustive = !matches!(fold.kind, FoldKind::All | FoldKind::Some | FoldKind::First);
        let plain = picked.filter.is_none() && picked.stop.is_none();
        let all_visited = single && exhaustive && fold.stop.is_none();
        if !(plain || all_visited || at.total(inner)) {
            continue;
        }
        // Only what else selects among the elements would be tested before the list ends.
        if picked.stop.is_some() && !(single && fold.filter.is_none() && fold.stop.is_none()) {
            continue;
        }
        // A `while` condition is evaluated after the filter, as it was after the list's own filter.
        let domain = picked.sources[0].domain.clone();
        let (mut filter, mut stop) = (picked.filter.clone(), picked.stop.clone());
        let name = expr_like(ExprKind::Local(own), picked.body.ty.clone(), &picked.body);
        filter.iter_mut().chain(&mut stop).for_each(|part| substitute(part, slot, &name));
        fold.sources[i].domain = domain;
        fold.stop = fold.stop.take().or(stop);
        if let Some(filter) = filter {
            fold.filter = Some(match fold.filter.take() {
                Some(own) => and(filter, own),
                None => filter,
            });
        }
        return true;
    }
    false
}

/// Returns a list, set or bag as a binder: itself, or `[t in S: L[t]]` for `L[S]`. `None` for other values.
pub(super) fn as_binder(e: &Expr, at: &mut RuleContext) -> Option<Fold> {
    match &e.kind {
        ExprKind::Fold(fold) if matches!(fold.kind, FoldKind::List | FoldKind::Set | FoldKind::Bag) => {
            Some((**fold).clone())
        }
        ExprKind::Pick(base, places) => {
            let in_place = match &base.kind {
                ExprKind::Own(_, owner) => is_cheap(owner),
                ExprKind::Table(_) | ExprKind::Local(_) | ExprKind::Value(_) => true,
                _ => false,
            };
            if !in_place {
                return None;
            }
            let (element, place) = (e.ty.element()?, places.ty.element()?);
            let slot = at.new_slot();
            let place = Box::new(expr_like(ExprKind::Local(slot), place, places));
            let body = expr_like(ExprKind::Index(base.clone(), place), element, e);
            let sources = vec![Source { slots: vec![slot], domain: Domain::Values((**places).clone()) }];
            Some(Fold { kind: FoldKind::List, sources, filter: None, stop: None, body })
        }
        _ => None,
    }
}

/// Rewrites `sum(x in [t in S where C: B]: P)` as `sum(t in S where C: P of B)`, and the same for `all`, `some` and so on.
fn fuse_values(e: &mut Expr, at: &mut RuleContext) -> bool {
    merge_filter_into_body(e);
    let ExprKind::Fold(fold) = &e.kind else { return false };
    let ([Source { domain: Domain::Values(list), .. }], None) = (fold.sources.as_slice(), &fold.stop) else {
        return false;
    };
    let keeps_order = matches!(fold.kind, FoldKind::List | FoldKind::First);
    // The list evaluates all of its elements, whereas these may stop early.
    let stops_early = matches!(fold.kind, FoldKind::All | FoldKind::Some | FoldKind::First);
    if fold.kind == FoldKind::Reach || stops_early && !at.total(list) {
        return false;
    }
    let Some(inner) = as_binder(list, at) else { return false };
    let keeps = match inner.kind {
        FoldKind::Set => fold.kind.counts_once(),
        FoldKind::Bag => !keeps_order,
        _ => true,
    };
    // The filter and the body each evaluate the value.
    if !keeps || inner.stop.is_some() || fold.filter.is_some() && !is_cheap(&inner.body) {
        return false;
    }
    let ExprKind::Fold(mut fold) = take(e).kind else { return false };
    let Some(Source { slots, .. }) = fold.sources.pop() else { return false };
    let of_value = |part: Expr| {
        let (ty, like) = (part.ty.clone(), part.clone());
        let value = Box::new(inner.body.clone());
        expr_like(ExprKind::Let(slots.clone(), value, Box::new(part)), ty, &like)
    };
    let filters = inner.filter.clone().into_iter().chain(fold.filter.take().map(of_value));
    fold.filter = filters.reduce(and);
    fold.body = of_value(fold.body);
    fold.sources = inner.sources;
    e.kind = ExprKind::Fold(fold);
    true
}

/// Fuses a function with the list it is applied to: `sum([x in S: B])` becomes `sum(x in S: B)`.
fn fuse_builtin(e: &mut Expr, at: &mut RuleContext) -> bool {
    let ExprKind::Builtin(builtin, args) = &mut e.kind else { return false };
    let kind = match builtin {
        Builtin::Sum => FoldKind::Sum,
        Builtin::Product => FoldKind::Product,
        Builtin::Largest => FoldKind::Largest,
        Builtin::Smallest => FoldKind::Smallest,
        Builtin::First => FoldKind::First,
        Builtin::Size => FoldKind::Count,
        Builtin::ToSet => FoldKind::Set,
        Builtin::ToBag => FoldKind::Bag,
        _ => return false,
    };
    let Some(fold) = args.first().and_then(|of| as_binder(of, at)) else { return false };
    let list = matches!(fold.kind, FoldKind::List | FoldKind::Bag);
    let fits = match kind {
        FoldKind::Largest | FoldKind::Smallest => fold.body.ty == Type::Int,
        // These skip evaluating parts of the list, so it must not be able to fail.
        FoldKind::First => fold.kind == FoldKind::List && at.total(&args[0]),
        FoldKind::Count => list && at.total(&args[0]),
        FoldKind::Set | FoldKind::Bag => fold.kind == FoldKind::List,
        _ => list,
    };
    if !fits {
        return false;
    }
    let mut fold = Fold { kind, ..fold };
    if kind == FoldKind::Count {
        fold.body = bool_literal(true, &fold.body);
    }
    e.kind = ExprKind::Fold(Box::new(fold));
    merge_filter_into_body(e);
    true
}

/// Rewrites `copies(v, [t in S: B])`, also of a bag of these, as `count(t in S: B = v)`.
fn fuse_copies(e: &mut Expr, at: &mut RuleContext) -> bool {
    let ExprKind::Builtin(Builtin::Copies, args) = &mut e.kind else { return false };
    let [value, list] = args.as_mut_slice() else { return false };
    if let ExprKind::Builtin(Builtin::ToBag, of) = &mut list.kind
        && matches!(of[0].ty, Type::List(_))
    {
        *list = take(&mut of[0]);
    }
    let Some(fold) = as_binder(list, at).filter(|fold| fold.kind != FoldKind::Set && fold.stop.is_none())
    else {
        return false;
    };
    if !is_cheap(value) || !at.total(value) {
        return false;
    }
    let same = ExprKind::Compare(Box::new(fold.body.clone()), vec![(Compare::Equal, take(value))]);
    let body = condition(same, &fold.body);
    e.kind = ExprKind::Fold(Box::new(Fold { kind: FoldKind::Count, body, ..fold }));
    merge_filter_into_body(e);
    true
}

//! Loop-invariant code motion: parts of a binder that are the same for every element are evaluated once,
//! before the loop.

use super::fact::Fact;
use super::membership::membership_as_condition;
use super::rewrite::{Rule, RuleContext, expr_like, let_in, reads_any, reads_state, take};
use crate::ir::{Builtin, Domain, Expr, ExprKind, FoldKind, Slot, Type, children, children_mut, free_slots};

/// The rule of this pass.
pub struct Hoist;

impl Rule for Hoist {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        let ExprKind::Fold(fold) = &mut e.kind else { return false };
        let own: Vec<Slot> = fold.sources.iter().flat_map(|source| source.slots.iter().copied()).collect();
        let mut found = Vec::new();
        // What is moved reads nothing that is bound here, so that it cannot fail outside either.
        let mut inside = at.scope.clone();
        (0..fold.sources.len()).for_each(|number| at.facts.enter(fold, number, &mut inside));
        let outside = std::mem::replace(&mut at.scope, inside);
        for part in fold.filter.iter_mut().chain(&mut fold.stop).chain([&mut fold.body]) {
            lift(part, &own, at, Movable::Total, &mut found);
        }
        let mut changed = false;
        for part in fold.filter.iter_mut().chain(&mut fold.stop).chain([&mut fold.body]) {
            changed |= membership_as_condition(part, &|list| reads_any(list, &own), at);
        }
        at.scope = outside;
        if found.is_empty() {
            return changed;
        }
        let mut whole = take(e);
        for (slot, value) in found.into_iter().rev() {
            whole = let_in(slot, value, whole, e.span);
        }
        *e = whole;
        true
    }
}

/// Which values may be evaluated before the loop whose body reads them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Movable {
    /// Those that cannot fail.
    Total,
    /// All of them.
    Any,
}

impl Movable {
    fn holds(self, e: &Expr, at: &RuleContext) -> bool {
        self == Movable::Any || at.total(e)
    }
}

/// Extracts the largest subexpressions that read nothing bound by the binder (`own`) or by binders within them, and
/// that are movable.
pub(super) fn lift(
    e: &mut Expr,
    own: &[Slot],
    at: &mut RuleContext,
    movable: Movable,
    found: &mut Vec<(Slot, Expr)>,
) {
    lift_within(e, &mut own.to_vec(), at, movable, found);
}

/// Does the same for the values of a domain, of which neither the order matters nor how often they occur.
pub(super) fn lift_set(
    domain: &mut Domain,
    own: &[Slot],
    at: &mut RuleContext,
    movable: Movable,
    found: &mut Vec<(Slot, Expr)>,
) {
    let Domain::Values(values) = domain else { return };
    let work = is_work(values) || is_searched(values, at) && may_change(values);
    if work && !reads_any(values, own) && movable.holds(values, at) {
        as_set(values);
        lift(values, own, at, movable, found);
    }
}

/// Whether finding an element of a collection takes a loop, while a set of its elements would be a row of bits.
fn is_searched(values: &Expr, at: &RuleContext) -> bool {
    /// The most values that such a set may distinguish: those of a few words, which are made faster than lists are
    /// searched.
    const MOST: i128 = 1 << 10;
    matches!(values.ty, Type::List(_) | Type::Bag(_)) && possible_elements(values, at) <= MOST
}

/// Returns how many values the elements of a collection may have at most.
fn possible_elements(values: &Expr, at: &RuleContext) -> i128 {
    let fact = at.facts.of(values, &at.scope).element_fact();
    values.ty.element().map_or(i128::MAX, |of| possible_values(&of, &fact))
}

/// Returns how many values of a type there are at most, given what is known of one; a great number if they are
/// not single values or tuples of them.
fn possible_values(ty: &Type, fact: &Fact) -> i128 {
    /// What a board has at most, and much more than there are seats or symbols.
    const FEW: i128 = 1 << 8;
    match ty {
        Type::Int => fact.values(),
        Type::Bool | Type::Player | Type::Square | Type::Symbol(_) => fact.values().min(FEW),
        Type::Tuple(types) => {
            let parts = types.iter().enumerate().map(|(at, ty)| possible_values(ty, &fact.part_fact(at)));
            parts.fold(1, i128::saturating_mul)
        }
        _ => i128::MAX,
    }
}

/// Extracts subexpressions that read nothing bound.
fn lift_within(
    e: &mut Expr,
    bound: &mut Vec<Slot>,
    at: &mut RuleContext,
    movable: Movable,
    found: &mut Vec<(Slot, Expr)>,
) {
    if let ExprKind::In(_, domain) = &mut e.kind {
        lift_set(domain, bound, at, movable, found);
    }
    if is_work(e) && !reads_any(e, bound) && movable.holds(e, at) {
        let slot = at.new_slot();
        at.facts.bind(&[slot], e, &mut at.scope);
        let name = expr_like(ExprKind::Local(slot), e.ty.clone(), e);
        found.push((slot, std::mem::replace(e, name)));
        return;
    }
    // What reads such a name can be moved too.
    if let ExprKind::Let(slots, value, body) = &mut e.kind
        && let ([slot], true) = (slots.as_slice(), value.ty.is_collection())
        && !reads_any(value, bound)
        && at.total(value)
    {
        at.facts.bind(&[*slot], value, &mut at.scope);
        found.push((*slot, take(value)));
        *e = take(body);
        return lift_within(e, bound, at, movable, found);
    }
    lift_sources(e, bound, at, movable, found);
    let outer = bound.len();
    match &e.kind {
        ExprKind::Fold(fold) => {
            bound.extend(fold.sources.iter().flat_map(|source| source.slots.iter().copied()))
        }
        ExprKind::Let(slots, ..) => bound.extend(slots.iter().copied()),
        _ => {}
    }
    children_mut(e, &mut |part| lift_within(part, bound, at, movable, found));
    bound.truncate(outer);
}

/// Extracts the lists that `all`, `some` and so on go through, as sets of which every element is gone through once.
fn lift_sources(
    e: &mut Expr,
    bound: &[Slot],
    at: &mut RuleContext,
    movable: Movable,
    found: &mut Vec<(Slot, Expr)>,
) {
    let total = at.total(e);
    let ExprKind::Fold(fold) = &mut e.kind else { return };
    if !total || !fold.kind.counts_once() || fold.stop.is_some() {
        return;
    }
    let own = fold.sources.iter().flat_map(|source| source.slots.iter());
    let bound: Vec<Slot> = bound.iter().chain(own).copied().collect();
    for source in &mut fold.sources {
        if let Domain::Values(values) = &source.domain
            && matches!(values.ty, Type::List(_) | Type::Bag(_))
            && is_few(values, at)
        {
            lift_set(&mut source.domain, &bound, at, movable, found);
        }
    }
}

/// Whether a set of the elements of a collection would be a row of a few words of bits, gone through in no more time than a list.
fn is_few(values: &Expr, at: &RuleContext) -> bool {
    const MOST: i128 = 1 << 8;
    possible_elements(values, at) <= MOST
}

/// Turns a list or a bag into the set of its elements.
fn as_set(e: &mut Expr) {
    let (Type::List(of) | Type::Bag(of)) = e.ty.clone() else { return };
    let ty = Type::Set(of);
    match &mut e.kind {
        ExprKind::Fold(fold) if fold.kind == FoldKind::List && fold.stop.is_none() => {
            fold.kind = FoldKind::Set;
            e.ty = ty;
        }
        _ => {
            let list = take(e);
            *e = expr_like(ExprKind::Builtin(Builtin::ToSet, vec![list.clone()]), ty, &list);
        }
    }
}

/// Whether an expression is worth evaluating only once. Values that never change during a match are not: they
/// are precomputed.
fn is_work(e: &Expr) -> bool {
    is_loop(e) && may_change(e)
}

/// Whether an expression reads the state, or a collection that is named elsewhere.
fn may_change(e: &Expr) -> bool {
    fn reads_collection(e: &Expr, free: &[Slot]) -> bool {
        let mut any = matches!(&e.kind, ExprKind::Local(slot) if e.ty.is_collection() && free.contains(slot));
        children(e, &mut |part| any = any || reads_collection(part, free));
        any
    }
    reads_state(e) || reads_collection(e, &free_slots(e))
}

/// Whether evaluating an expression takes a loop, so that its cost is substantial.
pub fn is_loop(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Fold(_) => true,
        ExprKind::Builtin(builtin, args) => {
            *builtin != Builtin::Size
                && (args.iter().any(|arg| arg.ty.is_collection())
                    || e.ty.is_collection() && args.iter().all(|arg| arg.ty == Type::Int))
        }
        _ => false,
    }
}

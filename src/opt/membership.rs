//! Membership: what is asked of a collection is asked of what it is computed from, and where elements are sought that
//! are in a collection, only its elements are visited.

use super::conditions::negate;
use super::fusion::{as_binder, selection};
use super::lets::is_cheap;
use super::rewrite::{
    Rule, RuleContext, and, arithmetic, bool_literal, condition, expr_like, is_bool, let_in, operands, or,
    reads_any, substitute,
};
use crate::ir::{Arith, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Slot, Source, Type, children_mut};

/// The rule of this pass.
pub struct Membership;

impl Rule for Membership {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        match &e.kind {
            ExprKind::Fold(_) => sought_element(e, at) || tested_elements(e, at),
            ExprKind::In(..) => membership_in_selection(e, at) || leave_out_none(e) || as_set(e, at),
            _ => false,
        }
    }
}

/// Rewrites `x in [y in S where C]` as `x in S`, and C of x. The list is kept if C could fail for another
/// element.
fn membership_in_selection(e: &mut Expr, at: &mut RuleContext) -> bool {
    let like = bool_literal(true, e);
    let ExprKind::In(value, domain) = &mut e.kind else { return false };
    let Domain::Values(list) = &**domain else { return false };
    // The keys of a map and the squares of a grid are tested as they are.
    let Some((fold, slot)) = selection(list) else { return false };
    if !is_cheap(value) || reads_any(value, &[slot]) || !at.total(list) {
        return false;
    }
    let of = fold.sources[0].domain.clone();
    let mut cond = fold.filter.clone().unwrap_or_else(|| bool_literal(true, &like));
    substitute(&mut cond, slot, value);
    if is_bool(&cond, true) {
        **domain = of;
        return true;
    }
    let inside = expr_like(ExprKind::In(value.clone(), Box::new(of)), Type::Bool, &like);
    *e = and(inside, cond);
    true
}

/// Rewrites `v in [x in S: E]` as `v in {x in S: E}`, where E has few possible values, so that the set is one of bits.
fn as_set(e: &mut Expr, at: &RuleContext) -> bool {
    const FEW: i128 = 512;
    let ExprKind::In(_, domain) = &mut e.kind else { return false };
    let Domain::Values(list) = &mut **domain else { return false };
    let few = match list.ty.element() {
        Some(Type::Square | Type::Symbol(_) | Type::Player | Type::Bool) => true,
        Some(Type::Int) => {
            let (low, high) = at.facts.of(list, &at.scope).element_fact().range;
            high - low < FEW
        }
        _ => false,
    };
    let ExprKind::Fold(fold) = &mut list.kind else { return false };
    if !few || fold.kind != FoldKind::List {
        return false;
    }
    fold.kind = FoldKind::Set;
    list.ty = Type::Set(Box::new(fold.body.ty.clone()));
    true
}

/// Rewrites `v in {x in S: E}`, where v is never none and E may be, as `v in {x in S where E is not none: E}`.
fn leave_out_none(e: &mut Expr) -> bool {
    let ExprKind::In(value, domain) = &mut e.kind else { return false };
    let Domain::Values(list) = &mut **domain else { return false };
    let ExprKind::Fold(fold) = &mut list.kind else { return false };
    let gathers = matches!(fold.kind, FoldKind::List | FoldKind::Set | FoldKind::Bag) && fold.stop.is_none();
    let Type::Optional(of) = fold.body.ty.clone() else { return false };
    if !gathers || matches!(value.ty, Type::Optional(_) | Type::Never) || !is_cheap(&fold.body) {
        return false;
    }
    let is_none = condition(ExprKind::IsNone(Box::new(fold.body.clone())), &fold.body);
    let there = negate(is_none);
    fold.filter = Some(match fold.filter.take() {
        Some(filter) => and(filter, there),
        None => there,
    });
    list.ty = match fold.kind {
        FoldKind::List => Type::List(of.clone()),
        FoldKind::Set => Type::Set(of.clone()),
        _ => Type::Bag(of.clone()),
    };
    fold.body.ty = *of;
    true
}

/// Rewrites `some(x in S: x = v and C)` as `v in S`, and C of v, and `all(x in S: x != v or C)` as the reverse; likewise where
/// x is a term of a sum, as in `x + d = v`. C must not be able to fail for the other elements.
fn sought_element(e: &mut Expr, at: &mut RuleContext) -> bool {
    let ExprKind::Fold(fold) = &e.kind else { return false };
    let (some, None) = (fold.kind == FoldKind::Some, &fold.filter) else { return false };
    let [Source { slots, domain: of @ (Domain::Values(_) | Domain::Range(..)) }] = fold.sources.as_slice()
    else {
        return false;
    };
    let ([slot], FoldKind::Some | FoldKind::All) = (slots.as_slice(), fold.kind) else { return false };
    let mut parts = Vec::new();
    operands(&fold.body, some, &mut parts);
    let found = parts.iter().enumerate().find_map(|(i, part)| Some((i, sought(part, *slot, some, at)?)));
    let Some((i, value)) = found.filter(|_| at.total(e)) else { return false };
    parts.remove(i);
    let mut of = of.clone();
    // What comes before the end that `while` makes.
    if let Some(mut stop) = fold.stop.clone() {
        let own = at.new_slot();
        let body = expr_like(ExprKind::Local(own), value.ty.clone(), &value);
        substitute(&mut stop, *slot, &body);
        let sources = vec![Source { slots: vec![own], domain: of }];
        let before = Fold { kind: FoldKind::Set, sources, filter: None, stop: Some(stop), body };
        let ty = Type::Set(Box::new(value.ty.clone()));
        of = Domain::Values(expr_like(ExprKind::Fold(Box::new(before)), ty, e));
    }
    let name = expr_like(ExprKind::Local(*slot), value.ty.clone(), &value);
    let inside = expr_like(ExprKind::In(Box::new(name), Box::new(of)), Type::Bool, e);
    let (first, join): (Expr, fn(Expr, Expr) -> Expr) =
        if some { (inside, and) } else { (negate(inside), or) };
    let body = parts.into_iter().cloned().fold(first, join);
    *e = let_in(*slot, value, body, e.span);
    true
}

/// Returns the value that a part of a condition demands of an element, or with `some` false, forbids.
fn sought(part: &Expr, slot: Slot, some: bool, at: &RuleContext) -> Option<Expr> {
    let ExprKind::Compare(a, links) = &part.kind else { return None };
    let [(op, b)] = links.as_slice() else { return None };
    let fits = *op == if some { Compare::Equal } else { Compare::NotEqual } && a.ty == b.ty;
    let value = match (reads_any(a, &[slot]), reads_any(b, &[slot])) {
        (true, false) => solved(a, slot, b)?,
        (false, true) => solved(b, slot, a)?,
        _ => return None,
    };
    (fits && at.total(&value)).then_some(value)
}

/// Returns the value of an element at which a sum or a difference that it is a term of has a certain value.
fn solved(e: &Expr, slot: Slot, value: &Expr) -> Option<Expr> {
    match &e.kind {
        ExprKind::Local(own) => (*own == slot).then(|| value.clone()),
        ExprKind::Negative(of) => {
            let value = expr_like(ExprKind::Negative(Box::new(value.clone())), Type::Int, value);
            solved(of, slot, &value)
        }
        ExprKind::Arith(op @ (Arith::Add | Arith::Sub), a, b) => {
            let (first, plus) = (reads_any(a, &[slot]), *op == Arith::Add);
            let (term, other) = if first { (a, b) } else { (b, a) };
            if reads_any(other, &[slot]) {
                return None;
            }
            let value = match (first, plus) {
                (true, false) => arithmetic(Arith::Add, value.clone(), (**other).clone()),
                (false, false) => arithmetic(Arith::Sub, (**other).clone(), value.clone()),
                (_, true) => arithmetic(Arith::Sub, value.clone(), (**other).clone()),
            };
            solved(term, slot, &value)
        }
        _ => None,
    }
}

/// Rewrites `some(x in D: x in S and C)` as `some(x in S: C)`, if all elements of S are certainly in D, and the same for
/// other binders and for `where x in S`. C must not be able to fail for the other elements.
fn tested_elements(e: &mut Expr, at: &RuleContext) -> bool {
    let ExprKind::Fold(fold) = &e.kind else { return false };
    let ([source], None) = (fold.sources.as_slice(), &fold.stop) else { return false };
    let [slot] = source.slots.as_slice() else { return false };
    let (tested, both) = match fold.kind {
        FoldKind::Some | FoldKind::Count => (Some(&fold.body), true),
        FoldKind::All => (Some(&fold.body), false),
        FoldKind::Reach => return false,
        _ => (fold.filter.as_ref(), true),
    };
    let Some(tested) = tested else { return false };
    let inside = |part: &Expr| -> Option<Expr> {
        let test = match &part.kind {
            ExprKind::Not(test) if !both => test,
            _ if both => part,
            _ => return None,
        };
        let ExprKind::In(value, of) = &test.kind else { return None };
        let Domain::Values(of) = &**of else { return None };
        let fits = match of.ty {
            Type::Set(_) => true,
            Type::List(_) => fold.kind.counts_once(),
            _ => false,
        };
        let own = matches!(&value.kind, ExprKind::Local(own) if own == slot) && !reads_any(of, &[*slot]);
        (own && fits && at.contains(&source.domain, of)).then(|| of.clone())
    };
    let mut parts = Vec::new();
    operands(tested, both, &mut parts);
    let found = parts.iter().enumerate().find_map(|(i, part)| Some((i, inside(part)?)));
    let Some((i, of)) = found.filter(|_| at.total(e)) else { return false };
    parts.remove(i);
    let rest = parts.into_iter().cloned().reduce(if both { and } else { or });
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    match fold.kind {
        FoldKind::Some | FoldKind::Count | FoldKind::All => {
            fold.body = rest.unwrap_or_else(|| bool_literal(both, &of));
        }
        _ => fold.filter = rest,
    }
    fold.sources[0].domain = Domain::Values(of);
    true
}

/// Rewrites `v in [t in S where C: B]` as `some(t in S where C: B = v)`, outside of binders, where the list would be built
/// anew for each element or argument. Returns whether anything changed.
pub(super) fn membership_as_condition(
    e: &mut Expr,
    is_built_anew: &dyn Fn(&Expr) -> bool,
    at: &mut RuleContext,
) -> bool {
    if matches!(e.kind, ExprKind::Fold(_)) {
        return false;
    }
    let mut changed = false;
    children_mut(e, &mut |part| changed |= membership_as_condition(part, is_built_anew, at));
    let ExprKind::In(value, domain) = &e.kind else { return changed };
    let Domain::Values(list) = &**domain else { return changed };
    if !is_built_anew(list) || !is_cheap(value) || !at.total(value) || !at.total(list) {
        return changed;
    }
    let Some(fold) = as_binder(list, at).filter(|fold| fold.stop.is_none()) else { return changed };
    let same = ExprKind::Compare(Box::new(fold.body.clone()), vec![(Compare::Equal, (**value).clone())]);
    let body = condition(same, &fold.body);
    e.kind = ExprKind::Fold(Box::new(Fold { kind: FoldKind::Some, body, ..fold }));
    true
}

//! Rewrites builtins in terms of simpler ones, so that later passes and code generation need not handle each
//! separately.

use super::fusion::selection;
use super::lets::is_cheap;
use super::rewrite::{
    Rule, RuleContext, and, arithmetic, bool_literal, compare, condition, expr_like, int_literal, let_in,
    negated, or, reads_state, substitute, take,
};
use crate::ir::{
    Arith, Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, ResultFact, Slot, Source, Type, Value,
    free_slots,
};
use crate::num::Int;

/// The rule of this pass.
pub struct Words;

impl Rule for Words {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        match &mut e.kind {
            ExprKind::Builtin(Builtin::ToList | Builtin::ToSet | Builtin::ToBag, args)
                if args.first().is_some_and(|of| of.ty == e.ty) =>
            {
                *e = take(&mut args[0]);
            }
            ExprKind::Builtin(Builtin::Mex, args) if matches!(args[0].ty, Type::Bag(_)) => {
                let of = take(&mut args[0]);
                let Some(element) = of.ty.element() else { return false };
                let (ty, like) = (Type::Set(Box::new(element)), of.clone());
                args[0] = expr_like(ExprKind::Builtin(Builtin::ToSet, vec![of]), ty, &like);
            }
            ExprKind::Builtin(Builtin::Mex, args) if is_row(&args[0]) => {
                let of = take(&mut args[0]);
                *e = named(of, at, missing);
            }
            ExprKind::Builtin(Builtin::Size, args) => {
                if let ExprKind::Fold(fold) = &args[0].kind {
                    let Some(count) = counted(fold, at) else { return false };
                    *e = expr_like(ExprKind::Fold(Box::new(count)), Type::Int, e);
                    return true;
                }
                match &mut args[0].kind {
                    ExprKind::Builtin(Builtin::Positions, sought) => {
                        e.kind = ExprKind::Builtin(Builtin::Copies, std::mem::take(sought));
                    }
                    _ => return false,
                }
            }
            ExprKind::Builtin(Builtin::Without | Builtin::Common, args)
                if matches!(args[0].ty, Type::List(_)) && values_once(&args[0]) =>
            {
                selected(e, at);
            }
            ExprKind::Builtin(Builtin::Empty, _) => return nothing_in_common(e, at),
            ExprKind::In(..) => return in_combined(e) || bags_as_lists(e),
            ExprKind::Builtin(Builtin::Subset, args) if matches!(args[0].ty, Type::Bag(_)) => {
                let (part, whole) = (take(&mut args[0]), take(&mut args[1]));
                *e =
                    named(whole, at, |whole, at| named(part, at, |part, at| no_more_copies(part, whole, at)));
            }
            ExprKind::Builtin(Builtin::Subset, args)
                if matches!(&args[0].kind, ExprKind::Builtin(Builtin::ToSet, of)
                    if matches!(of.as_slice(), [list] if matches!(list.ty, Type::List(_)))) =>
            {
                let ExprKind::Builtin(_, of) = &mut args[0].kind else { return false };
                let (part, whole) = (take(&mut of[0]), take(&mut args[1]));
                *e = named(whole, at, |whole, at| all_in(part, whole, at));
            }
            ExprKind::Builtin(Builtin::Subset, args)
                if is_row(&args[0]) && (is_row(&args[1]) || matches!(args[1].ty, Type::Bag(_))) =>
            {
                let (part, whole) = (take(&mut args[0]), take(&mut args[1]));
                *e = named(whole, at, |whole, at| all_in(part, whole, at));
            }
            // Sorting makes the previous order irrelevant.
            ExprKind::Builtin(Builtin::Sorted, args) => {
                let ExprKind::Builtin(Builtin::ToBag | Builtin::ToList, inner) = &mut args[0].kind else {
                    return false;
                };
                let [of] = inner.as_mut_slice() else { return false };
                if !matches!(of.ty, Type::List(_) | Type::Bag(_)) {
                    return false;
                }
                args[0] = take(of);
            }
            ExprKind::Index(..) | ExprKind::Builtin(Builtin::First | Builtin::Last, _) => {
                return end_of_sorted(e, at);
            }
            ExprKind::Compare(..) => return in_order(e, at),
            ExprKind::Part(of, part) => {
                let ExprKind::Tuple(parts) = &mut of.kind else { return false };
                if !parts.iter().enumerate().all(|(n, other)| n == *part || at.total(other)) {
                    return false;
                }
                *e = take(&mut parts[*part]);
            }
            ExprKind::Fold(fold) if fold.kind != FoldKind::Reach && fold.stop.is_none() => {
                return paired(e, at) || whole(e, at);
            }
            _ => return false,
        }
        true
    }
}

/// Rewrites `size([x in D where C: E])` as `count(x in D where C: yes)`, also of a set if no value comes up twice.
fn counted(fold: &Fold, at: &RuleContext) -> Option<Fold> {
    let once = match fold.sources.as_slice() {
        [Source { slots, domain }] => {
            matches!(&fold.body.kind, ExprKind::Local(own) if slots.as_slice() == [*own]) && goes_once(domain)
        }
        _ => false,
    };
    let counts = matches!(fold.kind, FoldKind::List | FoldKind::Bag) || fold.kind == FoldKind::Set && once;
    (counts && at.total(&fold.body)).then(|| Fold {
        kind: FoldKind::Count,
        body: bool_literal(true, &fold.body),
        ..fold.clone()
    })
}

/// Whether no value comes up twice in a domain.
fn goes_once(domain: &Domain) -> bool {
    match domain {
        Domain::Ints | Domain::AtLeast(_) | Domain::Range(..) => true,
        Domain::Values(e)
        | Domain::Permutations(e)
        | Domain::Subsets(e, _)
        | Domain::SubsetsFrom(_, _, e) => values_once(e),
        Domain::Arrangements(_, of) | Domain::Lists(_, of) | Domain::ListsFrom(_, _, of) => goes_once(of),
        Domain::Where(_, of, _) => goes_once(of),
        Domain::Tuples(parts) => parts.iter().all(goes_once),
    }
}

/// Whether no value comes up twice in a collection.
fn values_once(e: &Expr) -> bool {
    match &e.kind {
        _ if matches!(e.ty, Type::Set(_) | Type::Map(..) | Type::Grid(_)) => true,
        ExprKind::Listed(domain) => goes_once(domain),
        ExprKind::Fold(_) => selection(e).is_some_and(|(fold, _)| goes_once(&fold.sources[0].domain)),
        ExprKind::Builtin(builtin, _) => {
            matches!(builtin.traits().known, ResultFact::Squares | ResultFact::Near(_))
        }
        _ => false,
    }
}

/// Rewrites `without(A, B)` as `[x in A where x not in B]`, and `common(A, B)` as `[x in A where x in B]`, of a list A in which
/// no value comes up twice.
fn selected(e: &mut Expr, at: &mut RuleContext) {
    let ty = e.ty.clone();
    let ExprKind::Builtin(builtin, args) = &mut e.kind else { return };
    let shared = *builtin == Builtin::Common;
    let (of, other) = (take(&mut args[0]), take(&mut args[1]));
    let slot = at.new_slot();
    let own = local(slot, &of.ty.element().unwrap_or(Type::Never), &of);
    let inside = condition(ExprKind::In(Box::new(own.clone()), Box::new(Domain::Values(other))), &of);
    let filter = if shared { inside } else { negated(inside) };
    let sources = vec![Source { slots: vec![slot], domain: Domain::Values(of) }];
    *e = fold(FoldKind::List, sources, Some(filter), own, ty);
}

/// Rewrites `sorted(S)[1]` and `first(sorted(S))` as `smallest(S)`, and `sorted(S)[size(S)]` and `last(sorted(S))` as
/// `largest(S)`, of integers. All of them fail if there are none.
fn end_of_sorted(e: &mut Expr, at: &RuleContext) -> bool {
    let (of, place) = match &e.kind {
        ExprKind::Index(of, place) => (&**of, Some(&place.kind)),
        ExprKind::Builtin(_, args) => (&args[0], None),
        _ => return false,
    };
    let ExprKind::Builtin(Builtin::Sorted, args) = &of.kind else { return false };
    let end = match (place, &e.kind) {
        (Some(ExprKind::Value(Value::Int(n))), _) if *n == Int::ONE => Builtin::Smallest,
        (Some(ExprKind::Builtin(Builtin::Size, whole)), _)
            if [of, &args[0]].iter().any(|of| at.text(of) == at.text(&whole[0])) =>
        {
            Builtin::Largest
        }
        (None, ExprKind::Builtin(Builtin::First, _)) => Builtin::Smallest,
        (None, ExprKind::Builtin(Builtin::Last, _)) => Builtin::Largest,
        _ => return false,
    };
    if e.ty == Type::Int {
        e.kind = ExprKind::Builtin(end, args.clone());
    }
    e.ty == Type::Int
}

/// Rewrites `L = sorted(L)`, of integers, as `all(k in 1..size(L) - 1: L[k] <= L[k + 1])`.
fn in_order(e: &mut Expr, at: &mut RuleContext) -> bool {
    let ExprKind::Compare(a, links) = &e.kind else { return false };
    let [(op @ (Compare::Equal | Compare::NotEqual), b)] = links.as_slice() else { return false };
    let sorts = |sorted: &Expr, list: &Expr| match &sorted.kind {
        ExprKind::Builtin(Builtin::Sorted, args) => {
            list.ty == Type::List(Box::new(Type::Int)) && at.text(&args[0]) == at.text(list)
        }
        _ => false,
    };
    let list = match () {
        () if sorts(b, a) => (**a).clone(),
        () if sorts(a, b) => b.clone(),
        () => return false,
    };
    let holds = *op == Compare::Equal;
    let all = named(list, at, |list, at| {
        let slot = at.new_slot();
        let place = local(slot, &Type::Int, &list);
        let next = arithmetic(Arith::Add, place.clone(), int_literal(1, &list));
        let element = |place: Expr| {
            expr_like(ExprKind::Index(Box::new(list.clone()), Box::new(place)), Type::Int, &list)
        };
        let upto = arithmetic(Arith::Add, size(&list), int_literal(-1, &list));
        let sources = vec![Source { slots: vec![slot], domain: Domain::Range(int_literal(1, &list), upto) }];
        let body = compare(&element(place), Compare::AtMost, &element(next), &list);
        fold(FoldKind::All, sources, None, body, Type::Bool)
    });
    *e = if holds { all } else { negated(all) };
    true
}

/// Whether a value is a list or a set.
fn is_row(e: &Expr) -> bool {
    matches!(e.ty, Type::List(_) | Type::Set(_))
}

/// Builds an expression that reads a value several times; binds the value to a name unless it is only a
/// variable.
fn named(value: Expr, at: &mut RuleContext, make: impl FnOnce(Expr, &mut RuleContext) -> Expr) -> Expr {
    if matches!(value.kind, ExprKind::Local(_) | ExprKind::Table(_)) {
        return make(value, at);
    }
    let slot = at.new_slot();
    let body = make(expr_like(ExprKind::Local(slot), value.ty.clone(), &value), at);
    let span = value.span;
    let_in(slot, value, body, span)
}

fn local(slot: Slot, ty: &Type, like: &Expr) -> Expr {
    expr_like(ExprKind::Local(slot), ty.clone(), like)
}

fn size(of: &Expr) -> Expr {
    expr_like(ExprKind::Builtin(Builtin::Size, vec![of.clone()]), Type::Int, of)
}

fn fold(kind: FoldKind, sources: Vec<Source>, filter: Option<Expr>, body: Expr, ty: Type) -> Expr {
    let like = body.clone();
    expr_like(ExprKind::Fold(Box::new(Fold { kind, sources, filter, stop: None, body })), ty, &like)
}

/// Rewrites `mex(S)` as the first integer from 0 to the size of S that is not in S.
fn missing(of: Expr, at: &mut RuleContext) -> Expr {
    let slot = at.new_slot();
    let own = local(slot, &Type::Int, &of);
    let domain = Domain::Range(int_literal(0, &of), size(&of));
    let within = condition(ExprKind::In(Box::new(own.clone()), Box::new(Domain::Values(of.clone()))), &of);
    let without = condition(ExprKind::Not(Box::new(within)), &of);
    fold(FoldKind::First, vec![Source { slots: vec![slot], domain }], Some(without), own, Type::Int)
}

/// Rewrites `subset(A, B)` as: each element of A is in B.
fn all_in(part: Expr, whole: Expr, at: &mut RuleContext) -> Expr {
    let slot = at.new_slot();
    let element = part.ty.element().unwrap_or(Type::Never);
    let own = local(slot, &element, &part);
    let like = bool_literal(true, &part);
    let within = condition(ExprKind::In(Box::new(own), Box::new(Domain::Values(whole))), &like);
    fold(
        FoldKind::All,
        vec![Source { slots: vec![slot], domain: Domain::Values(part) }],
        None,
        within,
        Type::Bool,
    )
}

/// Rewrites `common(A, B) is empty` as: no element of A is in B; and `without(A, B) is empty`, of sets, as: each is.
fn nothing_in_common(e: &mut Expr, at: &mut RuleContext) -> bool {
    let ExprKind::Builtin(_, args) = &mut e.kind else { return false };
    let ExprKind::Builtin(builtin, both) = &mut args[0].kind else { return false };
    let shared = match (*builtin, &both[0].ty) {
        (Builtin::Common, _) => true,
        (Builtin::Without, Type::Set(_)) => false,
        _ => return false,
    };
    let (part, whole) = (take(&mut both[0]), take(&mut both[1]));
    *e = named(whole, at, |whole, at| {
        let mut each = all_in(part, whole, at);
        if let ExprKind::Fold(fold) = &mut each.kind
            && shared
        {
            fold.body = negated(take(&mut fold.body));
        }
        each
    });
    true
}

/// Rewrites `x in common(A, B)` as `x in A and x in B`, and the same for `union` and `without`.
fn in_combined(e: &mut Expr) -> bool {
    let like = bool_literal(true, e);
    let ExprKind::In(value, domain) = &mut e.kind else { return false };
    let Domain::Values(of) = &mut **domain else { return false };
    let ExprKind::Builtin(builtin, parts) = &mut of.kind else { return false };
    let combines = match (*builtin, &parts[0].ty) {
        (Builtin::Without, ty) => matches!(ty, Type::Set(_)),
        (builtin, _) => matches!(builtin, Builtin::Common | Builtin::Union),
    };
    let builtin = *builtin;
    let [a, b] = parts.as_mut_slice() else { return false };
    if !combines || !is_cheap(value) {
        return false;
    }
    let inside =
        |of: &mut Expr| condition(ExprKind::In(value.clone(), Box::new(Domain::Values(take(of)))), &like);
    let (a, b) = (inside(a), inside(b));
    *e = match builtin {
        Builtin::Common => and(a, b),
        Builtin::Without => and(a, negated(b)),
        _ => or(a, b),
    };
    true
}

/// Rewrites `bag(L) in {M in S: bag(M)}` as `sorted(L) in [M in S: sorted(M)]`, since lists are simpler to compare.
fn bags_as_lists(e: &mut Expr) -> bool {
    fn list_of(bag: &Expr) -> Option<&Expr> {
        match &bag.kind {
            ExprKind::Builtin(Builtin::ToBag, args) => {
                args.first().filter(|of| matches!(of.ty, Type::List(_)))
            }
            _ => None,
        }
    }
    let sorted = |list: &Expr| {
        expr_like(ExprKind::Builtin(Builtin::Sorted, vec![list.clone()]), list.ty.clone(), list)
    };
    let ExprKind::In(value, domain) = &mut e.kind else { return false };
    let Domain::Values(Expr { kind: ExprKind::Fold(bags), ty, .. }) = &mut **domain else { return false };
    let (Some(list), Some(other)) = (list_of(value), list_of(&bags.body)) else { return false };
    if !matches!(bags.kind, FoldKind::List | FoldKind::Set) || list.ty != other.ty {
        return false;
    }
    *ty = Type::List(Box::new(other.ty.clone()));
    (bags.kind, bags.body, **value) = (FoldKind::List, sorted(other), sorted(list));
    true
}

/// Rewrites `subset(A, B)` of bags as: B has no fewer copies of each element of A.
fn no_more_copies(part: Expr, whole: Expr, at: &mut RuleContext) -> Expr {
    let slot = at.new_slot();
    let own = local(slot, &part.ty.element().unwrap_or(Type::Never), &part);
    let copies = |of: Expr| {
        let like = own.clone();
        expr_like(ExprKind::Builtin(Builtin::Copies, vec![own.clone(), of]), Type::Int, &like)
    };
    let links = vec![(Compare::AtMost, copies(whole))];
    let enough = condition(ExprKind::Compare(Box::new(copies(part.clone())), links), &part);
    fold(
        FoldKind::All,
        vec![Source { slots: vec![slot], domain: Domain::Values(part) }],
        None,
        enough,
        Type::Bool,
    )
}

fn sorted(of: Expr) -> Expr {
    let element = of.ty.element().unwrap_or(Type::Never);
    let like = of.clone();
    expr_like(ExprKind::Builtin(Builtin::Sorted, vec![of]), Type::List(Box::new(element)), &like)
}

/// Rewrites `all((a, b) in S: …)`, where S is part of the position, with one name for the tuple and its parts in place of the
/// other names, so that a condition on all tuples is one on a set.
fn whole(e: &mut Expr, at: &mut RuleContext) -> bool {
    let ExprKind::Fold(fold) = &e.kind else { return false };
    let names_parts = |source: &Source| match &source.domain {
        Domain::Values(of) => source.slots.len() > 1 && reads_state(of),
        _ => false,
    };
    let Some(number) = fold.sources.iter().position(names_parts) else { return false };
    let element = fold.sources[number].domain.element();
    let Type::Tuple(types) = &element else { return false };
    let tuple = at.new_slot();
    let mut whole = take(e);
    let ExprKind::Fold(fold) = &mut whole.kind else { return false };
    let like = fold.body.clone();
    let slots = std::mem::replace(&mut fold.sources[number].slots, vec![tuple]);
    for (part, (slot, ty)) in slots.into_iter().zip(types).enumerate() {
        let of = Box::new(local(tuple, &element, &like));
        substitute(&mut whole, slot, &expr_like(ExprKind::Part(of, part), ty.clone(), &like));
    }
    *e = whole;
    true
}

/// Rewrites `sum((a, b) in pairs(L): …)` with two loops, over each index and the indices after it. Pairs of a
/// constant list are precomputed.
fn paired(e: &mut Expr, at: &mut RuleContext) -> bool {
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    let Some(source) = fold.sources.first() else { return false };
    let Domain::Values(Expr { kind: ExprKind::Builtin(Builtin::Pairs, args), .. }) = &source.domain else {
        return false;
    };
    let of = args[0].clone();
    if !is_row(&of) || !reads_state(&of) && free_slots(&of).is_empty() {
        return false;
    }
    let Some(element) = of.ty.element() else { return false };
    let slots = source.slots.clone();
    let mut whole = take(e);
    if of.ty == Type::Set(Box::new(Type::Int)) {
        *e = named(of, at, |of, at| ascending_pairs(whole, &slots, &of, at));
        return true;
    }
    let of = if matches!(of.ty, Type::Set(_)) { sorted(of) } else { of };
    *e = named(of, at, |of, at| {
        if let ExprKind::Fold(fold) = &mut whole.kind {
            let (first, second) = (at.new_slot(), at.new_slot());
            let place = |slot: Slot| local(slot, &Type::Int, &of);
            let behind = expr_like(
                ExprKind::Arith(Arith::Add, Box::new(place(first)), Box::new(int_literal(1, &of))),
                Type::Int,
                &of,
            );
            let elements = [first, second].map(|slot| {
                expr_like(ExprKind::Index(Box::new(of.clone()), Box::new(place(slot))), element.clone(), &of)
            });
            let ranges = [
                Source { slots: vec![first], domain: Domain::Range(int_literal(1, &of), size(&of)) },
                Source { slots: vec![second], domain: Domain::Range(behind, size(&of)) },
            ];
            fold.sources.splice(..1, ranges);
            name_pair(&mut whole, &slots, elements);
        }
        whole
    });
    true
}

/// Gives a pair, or each of its parts, the name by which a binder reads it.
fn name_pair(binder: &mut Expr, slots: &[Slot], elements: [Expr; 2]) {
    match slots {
        [pair] => {
            let ty = Type::Tuple(elements.iter().map(|element| element.ty.clone()).collect());
            let like = elements[0].clone();
            substitute(binder, *pair, &expr_like(ExprKind::Tuple(elements.to_vec()), ty, &like));
        }
        slots => {
            slots.iter().zip(&elements).for_each(|(slot, value)| substitute(binder, *slot, value));
        }
    }
}

/// Rewrites `sum((a, b) in pairs(S): …)`, where S is a set of integers, as `sum(a in S, b in S where a < b: …)`.
fn ascending_pairs(mut binder: Expr, slots: &[Slot], of: &Expr, at: &mut RuleContext) -> Expr {
    let own = [at.new_slot(), at.new_slot()];
    let elements = own.map(|slot| local(slot, &Type::Int, of));
    if let ExprKind::Fold(fold) = &mut binder.kind {
        let source = |slot| Source { slots: vec![slot], domain: Domain::Values(of.clone()) };
        fold.sources.splice(..1, own.map(source));
        let [a, b] = elements.clone();
        let ascending = condition(ExprKind::Compare(Box::new(a), vec![(Compare::Less, b)]), of);
        fold.filter = Some(match fold.filter.take() {
            Some(filter) => and(ascending, filter),
            None => ascending,
        });
    }
    name_pair(&mut binder, slots, elements);
    binder
}

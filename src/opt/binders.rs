//! Canonicalises binders: combines conditions, and gives each binder a single source.

use super::conditions::negate;
use super::rewrite::{Rule, RuleContext, and, bool_literal, expr_like, or, reads_any, substitute, take};
use crate::ir::{
    Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Slot, Source, Type, Value, bound_slots,
    children, children_mut, free_slots,
};

/// The rule of this pass.
pub struct Binders;

impl Rule for Binders {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        match &mut e.kind {
            ExprKind::Fold(_) => {
                unwrap_single_element(e)
                    || merge_filter_into_body(e)
                    || if_to_filter(e)
                    || sum_to_count(e)
                    || count_to_copies(e)
                    || elements_for_indices(e, at)
                    || squares_for_numbers(e, at)
                    || identity_fold(e)
                    || pull_out_negation(e)
                    || different_elements(e)
                    || split_sources(e)
            }
            ExprKind::Builtin(builtin, args) => {
                let of_shape = builtin.traits().of_shape;
                let grid = args.first_mut().filter(|_| of_shape);
                grid.is_some_and(|grid| first_owner(grid, at))
            }
            _ => false,
        }
    }

    fn domain(&self, domain: &mut Domain, distinct: bool, at: &mut RuleContext) -> bool {
        if !distinct && list_tuples(domain, at) {
            return true;
        }
        let Domain::Values(e) = domain else { return false };
        if first_owner(e, at) {
            return true;
        }
        match &mut e.kind {
            // Keeps the elements and their order; distinct elements of other domains are in a different
            // order.
            ExprKind::Listed(inner)
                if !distinct || matches!(**inner, Domain::Range(..) | Domain::Values(_)) =>
            {
                *domain = std::mem::replace(&mut **inner, Domain::Ints);
            }
            ExprKind::Builtin(Builtin::ToList | Builtin::Sorted, args)
                if args.first().is_some_and(|of| matches!(of.ty, Type::Set(_) | Type::Bag(_))) =>
            {
                *e = take(&mut args[0]);
            }
            ExprKind::Builtin(
                Builtin::ToList | Builtin::ToSet | Builtin::Sorted | Builtin::Reversed,
                args,
            ) if distinct
                && args.first().is_some_and(|of| of.ty.element() == e.ty.element() && !is_grid(of)) =>
            {
                *e = take(&mut args[0]);
            }
            ExprKind::Builtin(Builtin::Squares, args) if is_state(&args[0]) => *e = take(&mut args[0]),
            ExprKind::Fold(fold) if distinct && fold.kind == FoldKind::List && fold.stop.is_none() => {
                return fold.sources.iter_mut().any(|source| bag_to_set(&mut source.domain));
            }
            _ => return false,
        }
        true
    }
}

/// Goes through `tuples(D, E) where C` as through the list `[x in D, y in E where C: (x, y)]`, in the same order.
fn list_tuples(domain: &mut Domain, at: &mut RuleContext) -> bool {
    let Domain::Where(slot, of, condition) = domain else { return false };
    let Domain::Tuples(parts) = &mut **of else { return false };
    let each_once = |part: &Domain| match part {
        Domain::Range(..) => true,
        Domain::Values(e) => matches!(e.ty, Type::Set(_)),
        _ => false,
    };
    if !parts.iter().all(each_once) {
        return false;
    }
    let types = parts.iter().map(Domain::element).collect();
    let sources: Vec<Source> = std::mem::take(parts)
        .into_iter()
        .map(|domain| Source { slots: vec![at.new_slot()], domain })
        .collect();
    let local =
        |(source, ty): (&Source, &Type)| expr_like(ExprKind::Local(source.slots[0]), ty.clone(), condition);
    let ty = Type::Tuple(types);
    let Type::Tuple(types) = &ty else { return false };
    let body =
        expr_like(ExprKind::Tuple(sources.iter().zip(types).map(local).collect()), ty.clone(), condition);
    let mut filter = take(condition);
    substitute(&mut filter, *slot, &body);
    let like = body.clone();
    let fold = Fold { kind: FoldKind::List, sources, filter: Some(filter), stop: None, body };
    *domain = Domain::Values(expr_like(ExprKind::Fold(Box::new(fold)), Type::List(Box::new(ty)), &like));
    true
}

fn is_grid(e: &Expr) -> bool {
    matches!(e.ty, Type::Grid(_) | Type::Map(..))
}

/// Replaces the grid of a player by that of the first player, where only its shape matters: all players' grids
/// have the same, so it is known beforehand.
fn first_owner(grid: &mut Expr, at: &RuleContext) -> bool {
    if !matches!(grid.ty, Type::Grid(_)) || !at.total(grid) {
        return false;
    }
    let ExprKind::Own(_, owner) = &mut grid.kind else { return false };
    if matches!(owner.kind, ExprKind::Value(_)) {
        return false;
    }
    owner.kind = ExprKind::Value(Value::Player(0));
    true
}

fn is_state(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Table(_) | ExprKind::Own(..))
}

/// Merges the filter of `all`, `some` and `count` into the body. Returns whether anything changed.
pub fn merge_filter_into_body(e: &mut Expr) -> bool {
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    if fold.stop.is_some() {
        return false;
    }
    let join: fn(Expr, Expr) -> Expr = match fold.kind {
        FoldKind::All => |filter, body| or(negate(filter), body),
        FoldKind::Some | FoldKind::Count => and,
        _ => return false,
    };
    let Some(filter) = fold.filter.take() else { return false };
    let body = take(&mut fold.body);
    fold.body = join(filter, body);
    true
}

/// Rewrites `sum(x in S: if C then B else 0)` as `sum(x in S where C: B)`.
fn if_to_filter(e: &mut Expr) -> bool {
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    let neutral = match fold.kind {
        FoldKind::Sum | FoldKind::Xor => 0,
        FoldKind::Product | FoldKind::Lcm => 1,
        _ => return false,
    };
    let is_neutral =
        |e: &Expr| matches!(&e.kind, ExprKind::Value(Value::Int(n)) if n.as_i64() == Some(neutral));
    if fold.stop.is_some() {
        return false;
    }
    let ExprKind::If(arms, otherwise) = &mut fold.body.kind else { return false };
    let [(cond, value)] = arms.as_mut_slice() else { return false };
    let (cond, value) = match () {
        () if is_neutral(otherwise) => (take(cond), take(value)),
        () if is_neutral(value) => (negate(take(cond)), take(otherwise)),
        () => return false,
    };
    fold.filter = Some(match fold.filter.take() {
        Some(filter) => and(filter, cond),
        None => cond,
    });
    fold.body = value;
    true
}

/// Rewrites `sum(x in S where C: 1)` as `count(x in S: C)`.
fn sum_to_count(e: &mut Expr) -> bool {
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    let one = matches!(&fold.body.kind, ExprKind::Value(Value::Int(n)) if n.as_i64() == Some(1));
    if fold.kind != FoldKind::Sum || !one || fold.stop.is_some() {
        return false;
    }
    fold.kind = FoldKind::Count;
    fold.body = fold.filter.take().unwrap_or_else(|| bool_literal(true, &fold.body));
    true
}

/// Splits a binder with several sources into nested binders.
fn split_sources(e: &mut Expr) -> bool {
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    let outer = match fold.kind {
        FoldKind::All | FoldKind::Some | FoldKind::Sum | FoldKind::Product => fold.kind,
        FoldKind::Count => FoldKind::Sum,
        _ => return false,
    };
    if fold.sources.len() < 2 || fold.stop.is_some() {
        return false;
    }
    let rest: Vec<Source> = fold.sources.drain(1..).collect();
    let (filter, body) = (fold.filter.take(), take(&mut fold.body));
    let like = body.clone();
    let mut inner = expr_like(
        ExprKind::Fold(Box::new(Fold { kind: fold.kind, sources: rest, filter, stop: None, body })),
        e.ty.clone(),
        &like,
    );
    split_sources(&mut inner);
    fold.kind = outer;
    fold.body = inner;
    true
}

/// Rewrites a binder over a single value as a `let`.
fn unwrap_single_element(e: &mut Expr) -> bool {
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    let named = matches!(
        fold.kind,
        FoldKind::First
            | FoldKind::Sum
            | FoldKind::Product
            | FoldKind::Largest
            | FoldKind::Smallest
            | FoldKind::All
            | FoldKind::Some
    );
    let [source] = fold.sources.as_mut_slice() else { return false };
    if !named || fold.filter.is_some() || fold.stop.is_some() {
        return false;
    }
    let Domain::Values(list) = &mut source.domain else { return false };
    let value = match &mut list.kind {
        ExprKind::List(parts) if parts.len() == 1 => take(&mut parts[0]),
        ExprKind::Value(Value::List(items)) if items.len() == 1 => {
            let ty = list.ty.element().unwrap_or(Type::Wrong);
            expr_like(ExprKind::Value(items[0].clone()), ty, list)
        }
        _ => return false,
    };
    let slots = std::mem::take(&mut source.slots);
    e.kind = ExprKind::Let(slots, Box::new(value), Box::new(take(&mut fold.body)));
    true
}

/// Rewrites `count(x in L: x = v)` as the number of copies of v.
fn count_to_copies(e: &mut Expr) -> bool {
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    let (FoldKind::Count, None, None) = (fold.kind, &fold.filter, &fold.stop) else { return false };
    let [Source { slots, domain: Domain::Values(of) }] = fold.sources.as_mut_slice() else { return false };
    let ([slot], false) = (slots.as_slice(), is_grid(of)) else { return false };
    let ExprKind::Compare(a, links) = &mut fold.body.kind else { return false };
    let [(Compare::Equal, b)] = links.as_mut_slice() else { return false };
    let own = |e: &Expr| matches!(e.kind, ExprKind::Local(own) if own == *slot);
    let value = match (own(a), own(b)) {
        (true, false) if !reads_any(b, slots) => take(b),
        (false, true) if !reads_any(a, slots) => take(a),
        _ => return false,
    };
    e.kind = ExprKind::Builtin(Builtin::Copies, vec![value, take(of)]);
    true
}

/// Returns the slot of a binder's only variable and the end of its range, if that begins at 1.
fn counted_from_one<'f>(fold: &'f Fold, at: &RuleContext) -> Option<(Slot, &'f Expr)> {
    let [Source { slots, domain: Domain::Range(low, high) }] = fold.sources.as_slice() else { return None };
    match slots.as_slice() {
        [slot] if at.facts.of(low, &at.scope).exact() == Some(1) => Some((*slot, high)),
        _ => None,
    }
}

/// Rewrites `all(i in 1..size(L): P of L[i])` as `all(x in L: P of x)`, if i only tells of elements.
fn elements_for_indices(e: &mut Expr, at: &mut RuleContext) -> bool {
    let ExprKind::Fold(fold) = &e.kind else { return false };
    let Some((slot, high)) = counted_from_one(fold, at) else { return false };
    let mut lists = Vec::new();
    let only =
        fold.filter.iter().chain(&fold.stop).chain([&fold.body]).all(|part| indexed(part, slot, &mut lists));
    let Some(list) = lists.first().filter(|_| only).cloned() else { return false };
    let size = at.facts.of(&list, &at.scope).size;
    let whole = match &high.kind {
        ExprKind::Builtin(Builtin::Size, args) => at.text(&args[0]) == at.text(&list),
        _ => size.0 == size.1 && at.facts.of(high, &at.scope).exact() == Some(size.0),
    };
    let text = at.text(&list);
    let bound = bound_slots(e);
    let apart = free_slots(&list).iter().all(|slot| !bound.contains(slot)) && at.total(&list);
    if !whole || !apart || fold.kind == FoldKind::Reach || lists.iter().any(|other| at.text(other) != text) {
        return false;
    }
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    let element = at.new_slot();
    for part in fold.filter.iter_mut().chain(&mut fold.stop).chain([&mut fold.body]) {
        name_elements(part, slot, element);
    }
    fold.sources = vec![Source { slots: vec![element], domain: Domain::Values(list) }];
    true
}

/// Whether an expression reads a local value only as the index of lists; collects these lists.
fn indexed(e: &Expr, slot: Slot, lists: &mut Vec<Expr>) -> bool {
    match &e.kind {
        ExprKind::Local(own) => *own != slot,
        ExprKind::Index(list, index)
            if matches!(index.kind, ExprKind::Local(own) if own == slot)
                && matches!(list.ty, Type::List(_))
                && (is_state(list) || matches!(list.kind, ExprKind::Value(_) | ExprKind::Constant(_)))
                && !reads_any(list, &[slot]) =>
        {
            lists.push((**list).clone());
            true
        }
        _ => {
            let mut all = true;
            children(e, &mut |part| all = all && indexed(part, slot, lists));
            all
        }
    }
}

/// Rewrites `all(r in 1..9: P of board[r, c])` as `all(s in column(board, c): P of board[s])` on nine rows, and likewise of
/// the columns of a row.
fn squares_for_numbers(e: &mut Expr, at: &mut RuleContext) -> bool {
    let ExprKind::Fold(fold) = &e.kind else { return false };
    let Some((slot, high)) = counted_from_one(fold, at) else { return false };
    let parts = || fold.filter.iter().chain(&fold.stop).chain([&fold.body]);
    let mut squares = Vec::new();
    parts().for_each(|part| squares_at(part, slot, &mut squares));
    let Some((Some(grid), square)) = squares.iter().find(|(grid, _)| grid.is_some()).cloned() else {
        return false;
    };
    let ExprKind::Square(row, column) = &square.kind else { return false };
    let down = matches!(row.kind, ExprKind::Local(own) if own == slot);
    let (lines, own, fixed) = match down {
        true => (Builtin::Columns, Builtin::Row, column),
        false => (Builtin::Rows, Builtin::Column, row),
    };
    let Some(keys) = at.facts.keys(grid) else { return false };
    let place = |key: &Value| match key {
        Value::Square(square) if down => i128::from(square.row),
        Value::Square(square) => i128::from(square.column),
        _ => 0,
    };
    let whole = at.facts.of(high, &at.scope).exact() == keys.iter().map(place).max();
    let bound = bound_slots(e);
    let apart = free_slots(fixed).iter().all(|slot| !bound.contains(slot));
    let (text, like) = (at.text(square), &square);
    if !whole || !apart || fold.kind == FoldKind::Reach || squares.iter().any(|(_, own)| at.text(own) != text)
    {
        return false;
    }
    let line_of = Type::List(Box::new(Type::Square));
    let all = ExprKind::Builtin(lines, vec![grid.clone()]);
    let all = expr_like(all, Type::List(Box::new(line_of.clone())), like);
    let line = expr_like(ExprKind::Index(Box::new(all), fixed.clone()), line_of, like);
    if !at.total(&line) {
        return false;
    }
    let element = at.new_slot();
    let name = expr_like(ExprKind::Local(element), Type::Square, like);
    let number = expr_like(ExprKind::Builtin(own, vec![name.clone()]), Type::Int, like);
    let mut fold = fold.clone();
    for part in fold.filter.iter_mut().chain(&mut fold.stop).chain([&mut fold.body]) {
        replace_squares(part, slot, &name);
        substitute(part, slot, &number);
    }
    fold.sources = vec![Source { slots: vec![element], domain: Domain::Values(line) }];
    e.kind = ExprKind::Fold(fold);
    true
}

/// Collects the squares whose row or column is a local value, each with the grid of the state that is read there, if one is.
fn squares_at<'e>(e: &'e Expr, slot: Slot, squares: &mut Vec<(Option<&'e Expr>, &'e Expr)>) {
    match &e.kind {
        ExprKind::Square(..) if reads_any(e, &[slot]) => squares.push((None, e)),
        ExprKind::Index(grid, square)
            if is_state(grid)
                && matches!(square.kind, ExprKind::Square(..))
                && reads_any(square, &[slot]) =>
        {
            squares.push((Some(grid), square));
            children(grid, &mut |part| squares_at(part, slot, squares));
        }
        _ => children(e, &mut |part| squares_at(part, slot, squares)),
    }
}

/// Replaces the squares that read a local value.
fn replace_squares(e: &mut Expr, slot: Slot, by: &Expr) {
    match e.kind {
        ExprKind::Square(..) if reads_any(e, &[slot]) => *e = by.clone(),
        _ => children_mut(e, &mut |part| replace_squares(part, slot, by)),
    }
}

/// Replaces the elements of lists at a place by a name.
fn name_elements(e: &mut Expr, place: Slot, name: Slot) {
    match &e.kind {
        ExprKind::Index(_, index) if matches!(index.kind, ExprKind::Local(own) if own == place) => {
            e.kind = ExprKind::Local(name);
        }
        _ => children_mut(e, &mut |part| name_elements(part, place, name)),
    }
}

/// Rewrites `bag(x in L: x)`, and other folds over unchanged elements, as a builtin call on L.
fn identity_fold(e: &mut Expr) -> bool {
    let like = e.clone();
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    if fold.filter.is_some() || fold.stop.is_some() {
        return false;
    }
    let [Source { slots, domain }] = fold.sources.as_mut_slice() else { return false };
    if !matches!((&fold.body.kind, slots.as_slice()), (ExprKind::Local(body), [slot]) if body == slot) {
        return false;
    }
    if !matches!(
        fold.kind,
        FoldKind::List | FoldKind::Set | FoldKind::Bag | FoldKind::Sum | FoldKind::Product
    ) {
        return false;
    }
    let of = match domain {
        Domain::Values(of) if !is_grid(of) => take(of),
        Domain::Range(..) => {
            let ty = Type::List(Box::new(Type::Int));
            expr_like(ExprKind::Listed(Box::new(std::mem::replace(domain, Domain::Ints))), ty, &like)
        }
        _ => return false,
    };
    let builtin = match fold.kind {
        FoldKind::List if matches!(of.ty, Type::List(_)) => {
            e.kind = of.kind;
            return true;
        }
        FoldKind::List => Builtin::ToList,
        FoldKind::Set => Builtin::ToSet,
        FoldKind::Bag => Builtin::ToBag,
        FoldKind::Sum => Builtin::Sum,
        _ => Builtin::Product,
    };
    e.kind = ExprKind::Builtin(builtin, vec![of]);
    true
}

/// Goes through the different elements of a bag where it makes no difference how often each is there.
fn different_elements(e: &mut Expr) -> bool {
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    fold.kind.counts_once()
        && fold.stop.is_none()
        && fold.sources.iter_mut().any(|source| bag_to_set(&mut source.domain))
}

/// Turns a bag that is gone through into the set of its elements. Returns whether it was one.
fn bag_to_set(domain: &mut Domain) -> bool {
    let Domain::Values(of) = domain else { return false };
    let Type::Bag(element) = of.ty.clone() else { return false };
    let bag = take(of);
    *of = expr_like(ExprKind::Builtin(Builtin::ToSet, vec![bag.clone()]), Type::Set(element), &bag);
    true
}

/// Rewrites `smallest(x in S: -B)` as `-largest(x in S: B)`.
fn pull_out_negation(e: &mut Expr) -> bool {
    let like = e.clone();
    let ExprKind::Fold(fold) = &mut e.kind else { return false };
    let kind = match fold.kind {
        FoldKind::Smallest => FoldKind::Largest,
        FoldKind::Largest => FoldKind::Smallest,
        _ => return false,
    };
    let ExprKind::Negative(inner) = &mut fold.body.kind else { return false };
    fold.kind = kind;
    fold.body = take(inner);
    let positive = take(e);
    *e = expr_like(ExprKind::Negative(Box::new(positive)), Type::Int, &like);
    true
}

//! Works out what is asked of a list that is written element by element: its sum, whether all its elements fulfil a
//! condition, its second element. Nothing is built or gone through then.

use super::conditions::negate;
use super::lets::is_trivial;
use super::rewrite::{
    Rule, RuleContext, and, bool_literal, condition, expr_like, int_literal, or, size, substitute,
    with_fresh_slots,
};
use crate::ir::{Arith, Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Type, Value};

/// The rule of this pass.
pub struct Unroll;

/// The most nodes that the copies of what is asked of each element may have in all.
const MOST_NODES: usize = 400;

impl Rule for Unroll {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        let unrolled = match &e.kind {
            ExprKind::Index(of, place) => element(of, place, at),
            ExprKind::Builtin(Builtin::Determinant, args) => determinant(&args[0], e, at),
            ExprKind::Builtin(builtin, args) => match args.as_slice() {
                [of] => elements(of, at).and_then(|parts| of_builtin(*builtin, parts, e, at)),
                _ => None,
            },
            ExprKind::In(value, domain) => match &**domain {
                Domain::Values(of) if is_trivial(value) => elements(of, at).and_then(|parts| {
                    let same = parts.iter().all(|part| part.ty == value.ty);
                    let is = |part: &Expr| compare(value, Compare::Equal, part, e);
                    let none = bool_literal(false, e);
                    same.then(|| parts.iter().map(is).rev().reduce(|rest, own| or(own, rest)).unwrap_or(none))
                }),
                _ => None,
            },
            ExprKind::Fold(fold) => of_fold(fold, e, at),
            _ => None,
        };
        match unrolled {
            Some(unrolled) => {
                *e = unrolled;
                true
            }
            None => false,
        }
    }
}

/// Returns the elements of a list that is written out, if evaluating them cannot fail and takes no work, so that it does not
/// matter which are evaluated, and how often.
fn elements<'e>(of: &'e Expr, at: &RuleContext) -> Option<&'e [Expr]> {
    let ExprKind::List(parts) = &of.kind else { return None };
    parts.iter().all(|part| is_trivial(part) && at.total(part)).then_some(parts)
}

fn compare(a: &Expr, op: Compare, b: &Expr, like: &Expr) -> Expr {
    condition(ExprKind::Compare(Box::new(a.clone()), vec![(op, b.clone())]), like)
}

fn arithmetic(op: Arith, a: Expr, b: Expr) -> Expr {
    let like = a.clone();
    expr_like(ExprKind::Arith(op, Box::new(a), Box::new(b)), Type::Int, &like)
}

/// Returns the element at a known place.
fn element(of: &Expr, place: &Expr, at: &RuleContext) -> Option<Expr> {
    let ExprKind::List(parts) = &of.kind else { return None };
    let ExprKind::Value(Value::Int(place)) = &place.kind else { return None };
    let own = parts.get(place.as_usize()?.checked_sub(1)?)?;
    parts.iter().all(|part| at.total(part)).then(|| own.clone())
}

fn of_builtin(builtin: Builtin, parts: &[Expr], e: &Expr, at: &RuleContext) -> Option<Expr> {
    let joined = |op: Arith, none: i64| {
        let all = parts.iter().cloned().reduce(|sum, part| arithmetic(op, sum, part));
        all.unwrap_or(int_literal(none, e))
    };
    let whole = parts.iter().all(|part| part.ty == Type::Int);
    let extreme = |builtin: Builtin| match parts {
        [one] => Some(one.clone()),
        [] => None,
        parts => whole.then(|| expr_like(ExprKind::Builtin(builtin, parts.to_vec()), Type::Int, e)),
    };
    Some(match builtin {
        Builtin::Size => int_literal(parts.len() as i64, e),
        Builtin::Empty => bool_literal(parts.is_empty(), e),
        Builtin::Sum if whole => joined(Arith::Add, 0),
        Builtin::Product if whole => joined(Arith::Mul, 1),
        Builtin::Largest => extreme(Builtin::Max)?,
        Builtin::Smallest => extreme(Builtin::Min)?,
        Builtin::First => parts.first()?.clone(),
        Builtin::Last => parts.last()?.clone(),
        Builtin::Distinct => {
            let pairs = (0..parts.len()).flat_map(|a| (a + 1..parts.len()).map(move |b| (a, b)));
            let differ = pairs.map(|(a, b)| compare(&parts[a], Compare::NotEqual, &parts[b], e));
            let differ: Vec<Expr> = differ.filter(|condition| at.total(condition)).collect();
            (differ.len() * 2 == parts.len() * parts.len().saturating_sub(1)).then_some(())?;
            differ.into_iter().rev().reduce(|rest, own| and(own, rest)).unwrap_or(bool_literal(true, e))
        }
        _ => return None,
    })
}

/// Returns the determinant of up to three rows that are written out, by expansion along the first row. What takes work is
/// named, and so evaluated once.
fn determinant(of: &Expr, e: &Expr, at: &mut RuleContext) -> Option<Expr> {
    let ExprKind::List(rows) = &of.kind else { return None };
    let mut names = Vec::new();
    let mut cells: Vec<Vec<Expr>> = Vec::new();
    for row in rows {
        let ExprKind::List(parts) = &row.kind else { return None };
        if parts.len() != rows.len() || rows.len() > 3 || parts.iter().any(|part| part.ty != Type::Int) {
            return None;
        }
        let cell = |part: &Expr| {
            if is_trivial(part) {
                return part.clone();
            }
            let slot = at.new_slot();
            names.push((slot, part.clone()));
            expr_like(ExprKind::Local(slot), Type::Int, part)
        };
        cells.push(parts.iter().map(cell).collect());
    }
    let times = |a: &Expr, b: Expr| arithmetic(Arith::Mul, a.clone(), b);
    // Of two rows, the part of these columns.
    let two = |above: usize, left: usize, right: usize| {
        let (upper, lower) = (&cells[above], &cells[above + 1]);
        let (falls, rises) =
            (times(&upper[left], lower[right].clone()), times(&upper[right], lower[left].clone()));
        arithmetic(Arith::Sub, falls, rises)
    };
    let whole = match cells.as_slice() {
        [] => int_literal(1, e),
        [row] => row[0].clone(),
        [_, _] => two(0, 0, 1),
        [top, ..] => {
            let first = arithmetic(Arith::Sub, times(&top[0], two(1, 1, 2)), times(&top[1], two(1, 0, 2)));
            arithmetic(Arith::Add, first, times(&top[2], two(1, 0, 1)))
        }
    };
    let named = |whole: Expr, (slot, part): (usize, Expr)| {
        expr_like(ExprKind::Let(vec![slot], Box::new(part), Box::new(whole)), Type::Int, e)
    };
    Some(names.into_iter().rev().fold(whole, named))
}

/// Unrolls a binder whose first source is such a list.
fn of_fold(fold: &Fold, e: &Expr, at: &mut RuleContext) -> Option<Expr> {
    let (source, rest) = fold.sources.split_first()?;
    let ([slot], Domain::Values(of), None) = (source.slots.as_slice(), &source.domain, &fold.stop) else {
        return None;
    };
    let parts = elements(of, at)?.to_vec();
    if parts.len() * size(e) > MOST_NODES {
        return None;
    }
    let mut each = |part: &Expr| {
        let inner = match rest {
            [] => {
                let (filter, body) = (fold.filter.clone(), fold.body.clone());
                selected(fold.kind, filter, body, e)?
            }
            rest => {
                let inner = Fold { sources: rest.to_vec(), ..fold.clone() };
                expr_like(ExprKind::Fold(Box::new(inner)), e.ty.clone(), e)
            }
        };
        let mut own = with_fresh_slots(&inner, at);
        substitute(&mut own, *slot, part);
        Some(own)
    };
    let all: Vec<Expr> = parts.iter().map(&mut each).collect::<Option<_>>()?;
    let mut all = all.into_iter();
    Some(match fold.kind {
        FoldKind::All => all.rev().reduce(|rest, own| and(own, rest)).unwrap_or(bool_literal(true, e)),
        FoldKind::Some => all.rev().reduce(|rest, own| or(own, rest)).unwrap_or(bool_literal(false, e)),
        FoldKind::Sum | FoldKind::Count => {
            let first = all.next().unwrap_or(int_literal(0, e));
            all.fold(first, |sum, own| arithmetic(Arith::Add, sum, own))
        }
        _ => return None,
    })
}

/// Returns what one element brings to a binder of these kinds, if it is selected by the condition.
fn selected(kind: FoldKind, filter: Option<Expr>, body: Expr, e: &Expr) -> Option<Expr> {
    let number = |filter: Option<Expr>, body: Expr| match filter {
        Some(filter) => {
            let arms = vec![(filter, body)];
            expr_like(ExprKind::If(arms, Box::new(int_literal(0, e))), Type::Int, e)
        }
        None => body,
    };
    Some(match (kind, filter) {
        (FoldKind::All | FoldKind::Some, None) => body,
        (FoldKind::All, Some(filter)) => or(negate(filter), body),
        (FoldKind::Some, Some(filter)) => and(filter, body),
        (FoldKind::Sum, filter) => number(filter, body),
        (FoldKind::Count, filter) => {
            let counts = match filter {
                Some(filter) => and(filter, body),
                None => body,
            };
            number(Some(counts), int_literal(1, e))
        }
        _ => return None,
    })
}

//! Works out what is asked of a list that is written element by element: its sum, whether all its elements fulfil a
//! condition, its second element. Nothing is built or gone through then.

use super::common::canonical_text;
use super::conditions::negate;
use super::lets::is_trivial;
use super::rewrite::{
    Rule, RuleContext, and, arithmetic, bool_literal, compare, expr_like, int_literal, let_in, or, size,
    substitute, with_fresh_slots,
};
use crate::ir::{Arith, Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Type, Value, children};

/// The rule of this pass.
pub struct Unroll;

/// The most nodes that the copies of what is asked of each element may have in all.
const MOST_NODES: usize = 400;
/// The most numbers for each of which an element of such a list is looked up.
const MOST_PLACES: i64 = 8;

impl Rule for Unroll {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        let unrolled = match &e.kind {
            ExprKind::Index(of, place) => element(of, place, at),
            ExprKind::Builtin(Builtin::Determinant, args) => determinant(&args[0], e, at),
            ExprKind::Builtin(builtin, args) => match args.as_slice() {
                [of] => elements(of, at).and_then(|parts| of_builtin(*builtin, parts, e, at)),
                [value, of] if *builtin == Builtin::Copies && is_trivial(value) => {
                    elements(of, at).and_then(|parts| copies(value, parts, e))
                }
                _ => None,
            },
            ExprKind::In(value, domain) => match &**domain {
                Domain::Values(of) if is_trivial(value) => prefixes(of, at).and_then(|parts| {
                    let same = parts.iter().all(|part| part.own.ty == value.ty);
                    let is = |part: &Part| part.if_there(compare(value, Compare::Equal, part.own, e));
                    let none = bool_literal(false, e);
                    same.then(|| parts.iter().map(is).rev().reduce(|rest, own| or(own, rest)).unwrap_or(none))
                }),
                _ => None,
            },
            ExprKind::Fold(fold) => of_fold(fold, e, at),
            ExprKind::Compare(a, links) => match links.as_slice() {
                [(op @ (Compare::Equal | Compare::NotEqual), b)] => {
                    equal(a, b, e, at).map(|same| if *op == Compare::Equal { same } else { negate(same) })
                }
                _ => None,
            },
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

/// An element of a list that is written out, and the condition under which the list has so many elements.
struct Part<'e> {
    own: &'e Expr,
    there: Option<Expr>,
}

impl Part<'_> {
    /// Returns a condition on the element, which is false where there is no such element.
    fn if_there(&self, condition: Expr) -> Expr {
        match &self.there {
            Some(there) => and(there.clone(), condition),
            None => condition,
        }
    }
}

/// Returns the elements of a list that is written out, or of one of several lists, each of which is the beginning of the
/// next: see `elements`.
fn prefixes<'e>(of: &'e Expr, at: &RuleContext) -> Option<Vec<Part<'e>>> {
    if let Some(parts) = elements(of, at) {
        return Some(parts.iter().map(|own| Part { own, there: None }).collect());
    }
    let (arms, longest) = cases(of, at)?;
    let longest = elements(longest, at)?;
    let mut parts: Vec<Part> = longest.iter().map(|own| Part { own, there: None }).collect();
    let mut before = 0;
    for (here, list) in arms {
        let own = elements(list, at)?;
        let alike = longest.iter().zip(own).all(|(a, b)| is_same(a, b, at));
        if own.len() < before || !alike || own.len() > longest.len() {
            return None;
        }
        before = own.len();
        for part in &mut parts[own.len()..] {
            let longer = negate(here.clone());
            part.there = Some(match part.there.take() {
                Some(there) => and(there, longer),
                None => longer,
            });
        }
    }
    Some(parts)
}

/// The conditions and the lists of a choice between lists, and the list that is left if no condition holds.
type Cases<'e> = (&'e [(Expr, Expr)], &'e Expr);

/// Returns the cases of a choice between lists that are all written out.
fn cases<'e>(of: &'e Expr, at: &RuleContext) -> Option<Cases<'e>> {
    let ExprKind::If(arms, other) = &of.kind else { return None };
    let simple = |(condition, list): &(Expr, Expr)| at.total(condition) && elements(list, at).is_some();
    (arms.iter().all(simple) && elements(other, at).is_some()).then_some((arms.as_slice(), &**other))
}

/// Whether two expressions are written alike.
fn is_same(a: &Expr, b: &Expr, at: &RuleContext) -> bool {
    canonical_text(at.facts.game(), a) == canonical_text(at.facts.game(), b)
}

/// Returns the condition that all of some conditions hold.
fn all_of(conditions: impl DoubleEndedIterator<Item = Expr>, like: &Expr) -> Expr {
    conditions.rev().reduce(|rest, own| and(own, rest)).unwrap_or(bool_literal(true, like))
}

/// Returns the condition that two lists are equal of which one is written out, and the other one too, or is the same list
/// reversed or sorted.
fn equal(a: &Expr, b: &Expr, e: &Expr, at: &RuleContext) -> Option<Expr> {
    let (Some(first), Some(second)) = (elements(a, at), elements(b, at)) else {
        let (list, ordered) = if elements(a, at).is_some() { (a, b) } else { (b, a) };
        let (parts, ExprKind::Builtin(builtin, args)) = (elements(list, at)?, &ordered.kind) else {
            return None;
        };
        let [of] = args.as_slice() else { return None };
        let same = is_same(of, list, at);
        return match builtin {
            Builtin::Sorted if same && parts.iter().all(|part| part.ty == Type::Int) => {
                let pairs = parts.windows(2);
                Some(all_of(pairs.map(|pair| compare(&pair[0], Compare::AtMost, &pair[1], e)), e))
            }
            Builtin::Reversed => {
                let (other, number) = (elements(of, at)?, parts.len());
                let pairs = parts.iter().zip(other.iter().rev());
                let half = if same { number / 2 } else { number };
                let conditions = pairs.take(half).map(|(a, b)| compare(a, Compare::Equal, b, e));
                Some(if other.len() == number { all_of(conditions, e) } else { bool_literal(false, e) })
            }
            _ => None,
        };
    };
    if first.len() != second.len() {
        return Some(bool_literal(false, e));
    }
    let pairs = first.iter().zip(second);
    Some(all_of(pairs.map(|(a, b)| compare(a, Compare::Equal, b, e)), e))
}

/// Returns the element at a known place.
fn element(of: &Expr, place: &Expr, at: &RuleContext) -> Option<Expr> {
    let ExprKind::List(parts) = &of.kind else { return None };
    let ExprKind::Value(Value::Int(place)) = &place.kind else { return None };
    let own = parts.get(place.as_usize()?.checked_sub(1)?)?;
    parts.iter().all(|part| at.total(part)).then(|| own.clone())
}

/// Returns how many elements of a list that is written out are equal to a value.
fn copies(value: &Expr, parts: &[Expr], e: &Expr) -> Option<Expr> {
    let one = |part: &Expr| {
        let arms = vec![(compare(value, Compare::Equal, part, e), int_literal(1, e))];
        expr_like(ExprKind::If(arms, Box::new(int_literal(0, e))), Type::Int, e)
    };
    let alike = parts.iter().all(|part| part.ty == value.ty);
    alike.then(|| parts.iter().map(one).reduce(|sum, part| arithmetic(Arith::Add, sum, part)))?
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
        Builtin::Palindrome => {
            let pairs = parts.iter().zip(parts.iter().rev()).take(parts.len() / 2);
            all_of(pairs.map(|(a, b)| compare(a, Compare::Equal, b, e)), e)
        }
        Builtin::Distinct => {
            let pairs = (0..parts.len()).flat_map(|a| (a + 1..parts.len()).map(move |b| (a, b)));
            let differ = pairs.map(|(a, b)| compare(&parts[a], Compare::NotEqual, &parts[b], e));
            let differ: Vec<Expr> = differ.filter(|condition| at.total(condition)).collect();
            (differ.len() * 2 == parts.len() * parts.len().saturating_sub(1)).then_some(())?;
            all_of(differ.into_iter(), e)
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
    Some(names.into_iter().rev().fold(whole, |whole, (slot, part)| let_in(slot, part, whole, e.span)))
}

/// Returns the numbers of a range that is written out, if a part of a fold looks up elements of a list that is written out at each.
fn places(fold: &Fold, slot: usize, range: &Domain) -> Option<Vec<Expr>> {
    fn looks_up(e: &Expr, slot: usize) -> bool {
        let own = match &e.kind {
            ExprKind::Index(of, place) => {
                matches!(of.kind, ExprKind::List(_))
                    && matches!(place.kind, ExprKind::Local(own) if own == slot)
            }
            _ => false,
        };
        let mut any = own;
        children(e, &mut |part| any = any || looks_up(part, slot));
        any
    }
    let Domain::Range(low, high) = range else { return None };
    let known = |end: &Expr| match &end.kind {
        ExprKind::Value(Value::Int(end)) => end.as_i64(),
        _ => None,
    };
    let (from, upto) = (known(low)?, known(high)?);
    let few = (0..MOST_PLACES).contains(&upto.saturating_sub(from));
    let read = fold.filter.iter().chain([&fold.body]).any(|part| looks_up(part, slot));
    (few && read).then(|| (from..=upto).map(|n| int_literal(n, low)).collect())
}

/// Unrolls a binder whose first source is such a list, or numbers by which elements of one are looked up.
fn of_fold(fold: &Fold, e: &Expr, at: &mut RuleContext) -> Option<Expr> {
    let (source, rest) = fold.sources.split_first()?;
    let ([slot], None) = (source.slots.as_slice(), &fold.stop) else { return None };
    let numbers = places(fold, *slot, &source.domain);
    let parts = match (&source.domain, &numbers) {
        (_, Some(numbers)) => numbers.iter().map(|own| Part { own, there: None }).collect(),
        (Domain::Values(of), None) => prefixes(of, at)?,
        _ => return None,
    };
    if parts.len() * size(e) > MOST_NODES {
        return None;
    }
    let mut each = |Part { own: part, there }: &Part| {
        let inner = match rest {
            [] => {
                let (filter, body) = (fold.filter.clone(), fold.body.clone());
                let filter = there.iter().cloned().chain(filter).reduce(and);
                selected(fold.kind, filter, body, e)?
            }
            _ if there.is_some() => return None,
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
        FoldKind::All => all_of(all, e),
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

//! Joined lists: what is asked of `A ++ B` is asked of A and of B, and the list is not built.

use super::lets::{is_cheap, is_trivial};
use super::rewrite::{
    Rule, RuleContext, and, arithmetic, compare, condition, expr_like, int_literal, is_within, known_int,
    let_in, negated, or, reads_any, size, substitute, with_fresh_slots,
};
use crate::ir::{
    Arith, Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Slot, Source, Type, children,
    children_mut,
};

/// The rule of this pass.
pub struct Joins;

/// Larger expressions are not copied for the two parts.
const MOST_NODES: usize = 200;

impl Rule for Joins {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        if let ExprKind::Let(slots, value, body) = &e.kind
            && let ([slot], Some((first, second))) = (slots.as_slice(), joined(value))
        {
            let asked = of_parts(body, *slot, first, second, at);
            return replace(e, asked);
        }
        let mut found = false;
        children(e, &mut |part| found = found || joined(part).is_some());
        if !found {
            return false;
        }
        let (slot, mut list, mut asked) = (at.new_slot(), None, e.clone());
        children_mut(&mut asked, &mut |part| {
            if list.is_none() && joined(part).is_some() {
                let name = expr_like(ExprKind::Local(slot), part.ty.clone(), part);
                list = Some(std::mem::replace(part, name));
            }
        });
        let parts = list.as_ref().and_then(joined);
        let asked = parts.and_then(|(first, second)| of_parts(&asked, slot, first, second, at));
        replace(e, asked)
    }
}

/// Replaces an expression by another one, if there is one. Returns whether there is.
fn replace(e: &mut Expr, by: Option<Expr>) -> bool {
    let changed = by.is_some();
    by.into_iter().for_each(|by| *e = by);
    changed
}

/// Returns the two lists that an expression joins.
fn joined(e: &Expr) -> Option<(&Expr, &Expr)> {
    match &e.kind {
        ExprKind::Builtin(Builtin::JoinLists, parts) => match parts.as_slice() {
            [first, second] if [first, second].iter().all(|part| matches!(part.ty, Type::List(_))) => {
                Some((first, second))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The two parts of a joined list, which take no work to evaluate, and the slot of the list.
struct Parts {
    slot: Slot,
    first: Expr,
    second: Expr,
}

/// Returns an expression in which everything that is asked of a joined list is asked of its parts; `None` if something cannot be.
fn of_parts(e: &Expr, slot: Slot, first: &Expr, second: &Expr, at: &mut RuleContext) -> Option<Expr> {
    // What takes work is named, and so evaluated once, as before.
    let mut names = Vec::new();
    let mut name = |part: &Expr| match &part.kind {
        _ if is_trivial(part) || matches!(part.kind, ExprKind::Table(_)) => part.clone(),
        _ => {
            let slot = at.new_slot();
            names.push((slot, part.clone()));
            expr_like(ExprKind::Local(slot), part.ty.clone(), part)
        }
    };
    let mut part = |part: &Expr| match &part.kind {
        ExprKind::List(elements) => {
            let elements = elements.iter().map(&mut name).collect();
            expr_like(ExprKind::List(elements), part.ty.clone(), part)
        }
        _ => name(part),
    };
    let parts = Parts { slot, first: part(first), second: part(second) };
    let mut asked = e.clone();
    parts.ask(&mut asked, at)?;
    Some(names.into_iter().rev().fold(asked, |body, (slot, value)| let_in(slot, value, body, e.span)))
}

impl Parts {
    fn is_list(&self, e: &Expr) -> bool {
        matches!(e.kind, ExprKind::Local(own) if own == self.slot)
    }

    /// Asks of the parts what an expression asks of the list; `None` if that is impossible.
    fn ask(&self, e: &mut Expr, at: &mut RuleContext) -> Option<()> {
        while reads_any(e, &[self.slot]) {
            let Some(asked) = self.asked(e, at) else {
                let mut done = !self.is_list(e);
                children_mut(e, &mut |part| done = done && self.ask(part, at).is_some());
                return done.then_some(());
            };
            *e = asked;
        }
        Some(())
    }

    /// Returns an expression that asks the same of the parts as another one of the list itself; `None` if it does not ask anything
    /// of it, or nothing that can be asked of the parts.
    fn asked(&self, e: &Expr, at: &mut RuleContext) -> Option<Expr> {
        let Parts { first, second, .. } = self;
        let both = |builtin: Builtin| {
            let own = |part: &Expr| call(builtin, vec![part.clone()], e);
            (own(first), own(second))
        };
        match &e.kind {
            ExprKind::Builtin(builtin, args) => match (*builtin, args.as_slice()) {
                (Builtin::Copies, [value, of]) if self.is_list(of) && is_trivial(value) => {
                    let own = |part: &Expr| call(Builtin::Copies, vec![value.clone(), part.clone()], e);
                    Some(arithmetic(Arith::Add, own(first), own(second)))
                }
                (builtin, [of]) if self.is_list(of) => match builtin {
                    Builtin::Size | Builtin::Sum => {
                        let (a, b) = both(builtin);
                        Some(arithmetic(Arith::Add, a, b))
                    }
                    Builtin::Product => {
                        let (a, b) = both(builtin);
                        Some(arithmetic(Arith::Mul, a, b))
                    }
                    Builtin::Empty => {
                        let (a, b) = both(builtin);
                        Some(and(a, b))
                    }
                    Builtin::Distinct => {
                        let (a, b) = both(builtin);
                        Some(and(a, and(b, self.all_new(e, at))))
                    }
                    Builtin::ToSet => {
                        let own = |part: &Expr| match elements(part) {
                            Some(elements) => expr_like(ExprKind::Set(elements.to_vec()), e.ty.clone(), e),
                            None => call(Builtin::ToSet, vec![part.clone()], e),
                        };
                        Some(call(Builtin::Union, vec![own(first), own(second)], e))
                    }
                    Builtin::Last => last(second),
                    Builtin::First => first_of(first),
                    Builtin::Largest => self.extreme(builtin, Builtin::Max, e, at),
                    Builtin::Smallest => self.extreme(builtin, Builtin::Min, e, at),
                    _ => None,
                },
                _ => None,
            },
            ExprKind::Index(of, place) if self.is_list(of) => match &place.kind {
                ExprKind::Builtin(Builtin::Size, args) if self.is_list(args.first()?) => last(second),
                _ => None,
            },
            ExprKind::In(value, domain) if is_cheap(value) => match &**domain {
                Domain::Values(of) if self.is_list(of) => {
                    Some(or(is_within(value, first), is_within(value, second)))
                }
                _ => None,
            },
            ExprKind::Fold(fold) if size(e) <= MOST_NODES && fold.filter.is_none() && fold.stop.is_none() => {
                match fold.sources.as_slice() {
                    [Source { domain: Domain::Values(of), .. }] if self.is_list(of) => {
                        let own = |part: &Expr| {
                            let mut own = (**fold).clone();
                            own.sources[0].domain = Domain::Values(part.clone());
                            expr_like(ExprKind::Fold(Box::new(own)), e.ty.clone(), e)
                        };
                        let (a, b) = (own(first), with_fresh_slots(&own(second), at));
                        combined(fold.kind, a, b)
                    }
                    [Source { slots, domain: Domain::Range(low, high) }] => match slots.as_slice() {
                        [slot] => self.neighbours(fold, *slot, (low, high), e, at),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns whether no element of the second part is in the first.
    fn all_new(&self, like: &Expr, at: &mut RuleContext) -> Expr {
        let slot = at.new_slot();
        let own = expr_like(ExprKind::Local(slot), self.second.ty.element().unwrap_or(Type::Never), like);
        let body = negated(is_within(&own, &self.first));
        let sources = vec![Source { slots: vec![slot], domain: Domain::Values(self.second.clone()) }];
        let all = Fold { kind: FoldKind::All, sources, filter: None, stop: None, body };
        condition(ExprKind::Fold(Box::new(all)), like)
    }

    /// Returns the largest or the smallest of all elements, if both parts have some.
    fn extreme(&self, builtin: Builtin, of_two: Builtin, e: &Expr, at: &RuleContext) -> Option<Expr> {
        let there = |part: &Expr| at.facts.of(part, &at.scope).size.0 >= 1;
        let own = |part: &Expr| call(builtin, vec![part.clone()], e);
        let Parts { first, second, .. } = self;
        match () {
            () if e.ty != Type::Int || !there(second) => None,
            () if there(first) => Some(call(of_two, vec![own(first), own(second)], e)),
            () => {
                let none = call_as(Builtin::Empty, vec![first.clone()], Type::Bool, e);
                let either = call(of_two, vec![own(first), own(second)], e);
                Some(expr_like(ExprKind::If(vec![(none, own(second))], Box::new(either)), Type::Int, e))
            }
        }
    }

    /// Rewrites `all(k in 1..size(J) - 1: P of J[k] and J[k + 1])`, of a list J = A ++ [x], as the same of A, and P of A's last
    /// element and x, if A has any; and the same of more neighbours, and of `some`, `count` and `sum`.
    fn neighbours(
        &self,
        fold: &Fold,
        slot: Slot,
        (low, high): (&Expr, &Expr),
        e: &Expr,
        at: &mut RuleContext,
    ) -> Option<Expr> {
        let (last, before) = elements(&self.second)?.split_last()?;
        let from_one = at.facts.of(low, &at.scope).exact() == Some(1);
        let (base, by) = shifted(high);
        let less = match &base.kind {
            ExprKind::Builtin(Builtin::Size, of) if self.is_list(&of[0]) => by,
            ExprKind::Builtin(Builtin::Size, of) if at.text(&of[0]) == at.text(&self.first) => {
                by - 1 - before.len() as i64
            }
            _ => return None,
        };
        let mut furthest = -1;
        if !from_one || !self.places_from(&fold.body, slot, &mut furthest) || -less != furthest {
            return None;
        }
        // What is before the last element may itself be a joined list.
        let (name, first) = match before {
            [] => (None, self.first.clone()),
            before => {
                let (slot, ty) = (at.new_slot(), self.first.ty.clone());
                let before = ExprKind::List(before.to_vec());
                let before = expr_like(before, self.second.ty.clone(), &self.second);
                let whole = call_as(Builtin::JoinLists, vec![self.first.clone(), before], ty.clone(), e);
                (Some((slot, whole)), expr_like(ExprKind::Local(slot), ty, e))
            }
        };
        let length = call_as(Builtin::Size, vec![first.clone()], Type::Int, e);
        let plus = |base: Expr, by: i64| match by {
            0 => base,
            by => arithmetic(Arith::Add, base, int_literal(by, e)),
        };
        let mut rest = fold.clone();
        self.put_first(&mut rest.body, &first);
        rest.sources[0].domain = Domain::Range(low.clone(), plus(length.clone(), less));
        let rest = expr_like(ExprKind::Fold(Box::new(rest)), e.ty.clone(), e);
        // The place from which the last element is the furthest that is read.
        let place = plus(length.clone(), less + 1);
        let mut own = fold.body.clone();
        self.put_last(&mut own, (slot, furthest), &first, last);
        substitute(&mut own, slot, &place);
        let own = with_fresh_slots(&own, at);
        let long = compare(&length, Compare::AtLeast, &int_literal(-less, e), e);
        let number = |there: Expr, own: Expr| {
            let none = Box::new(int_literal(0, e));
            expr_like(ExprKind::If(vec![(there, own)], none), Type::Int, e)
        };
        let own = match fold.kind {
            FoldKind::All => or(negated(long), own),
            FoldKind::Some => and(long, own),
            FoldKind::Sum => number(long, own),
            FoldKind::Count => number(and(long, own), int_literal(1, e)),
            _ => return None,
        };
        let both = combined(fold.kind, rest, own)?;
        Some(name.into_iter().fold(both, |both, (slot, whole)| let_in(slot, whole, both, e.span)))
    }

    /// Whether an expression reads of the list only elements at a place, or so much further, which is not less than 0; finds the
    /// furthest.
    fn places_from(&self, e: &Expr, slot: Slot, furthest: &mut i64) -> bool {
        if let Some(further) = self.read_further(e, slot) {
            *furthest = further.max(*furthest);
            return further >= 0;
        }
        let mut all = !self.is_list(e);
        children(e, &mut |part| all = all && self.places_from(part, slot, furthest));
        all
    }

    /// Returns how far from a place an expression reads an element of the list, if it does.
    fn read_further(&self, e: &Expr, slot: Slot) -> Option<i64> {
        let ExprKind::Index(of, place) = &e.kind else { return None };
        let (base, further) = shifted(place);
        (self.is_list(of) && matches!(base.kind, ExprKind::Local(own) if own == slot)).then_some(further)
    }

    fn put_first(&self, e: &mut Expr, first: &Expr) {
        match self.is_list(e) {
            true => *e = first.clone(),
            false => children_mut(e, &mut |part| self.put_first(part, first)),
        }
    }

    /// Replaces the element that is so much further than a place by the last one, and the list by the first part elsewhere.
    fn put_last(&self, e: &mut Expr, place: (Slot, i64), first: &Expr, last: &Expr) {
        match self.read_further(e, place.0) {
            Some(further) if further == place.1 => *e = last.clone(),
            Some(_) => self.put_first(e, first),
            None => children_mut(e, &mut |part| self.put_last(part, place, first, last)),
        }
    }
}

/// Returns the elements of a list that is written out.
fn elements(e: &Expr) -> Option<&[Expr]> {
    match &e.kind {
        ExprKind::List(elements) => Some(elements),
        _ => None,
    }
}

fn last(e: &Expr) -> Option<Expr> {
    elements(e)?.last().cloned()
}

fn first_of(e: &Expr) -> Option<Expr> {
    elements(e)?.first().cloned()
}

/// Splits an expression into another one and a known number that is added to it.
fn shifted(e: &Expr) -> (&Expr, i64) {
    let known = |e: &Expr| known_int(e)?.as_i64().filter(|n| n.unsigned_abs() < 1 << 32);
    match &e.kind {
        ExprKind::Arith(Arith::Add, a, b) => match (known(a), known(b)) {
            (_, Some(by)) => (a, by),
            (Some(by), _) => (b, by),
            _ => (e, 0),
        },
        ExprKind::Arith(Arith::Sub, a, b) => known(b).map_or((e, 0), |by| (a, -by)),
        _ => (e, 0),
    }
}

/// Returns what a fold over both parts is of what it is over each.
fn combined(kind: FoldKind, a: Expr, b: Expr) -> Option<Expr> {
    Some(match kind {
        FoldKind::All => and(a, b),
        FoldKind::Some => or(a, b),
        FoldKind::Sum | FoldKind::Count => arithmetic(Arith::Add, a, b),
        FoldKind::Product => arithmetic(Arith::Mul, a, b),
        _ => return None,
    })
}

fn call(builtin: Builtin, args: Vec<Expr>, like: &Expr) -> Expr {
    call_as(builtin, args, like.ty.clone(), like)
}

fn call_as(builtin: Builtin, args: Vec<Expr>, ty: Type, like: &Expr) -> Expr {
    expr_like(ExprKind::Builtin(builtin, args), ty, like)
}

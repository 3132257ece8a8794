//! Joined lists: what is asked of `A ++ B` is asked of A and of B, and the list is not built.

use super::lets::{is_cheap, is_trivial};
use super::rewrite::{
    Rule, RuleContext, and, arithmetic, condition, expr_like, is_within, let_in, negated, or, reads_any,
    size, with_fresh_slots,
};
use crate::ir::{
    Arith, Builtin, Domain, Expr, ExprKind, Fold, FoldKind, Slot, Source, Type, children, children_mut,
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
    expr_like(ExprKind::Builtin(builtin, args), like.ty.clone(), like)
}

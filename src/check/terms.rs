//! Expressions as terms in facts: equality, substitution, and what they read.

use std::collections::BTreeSet;

use super::Checker;
use crate::ir::{
    Domain, Expr, ExprKind, Fold, Slot, StateId, Type, children, children_mut, domain_parts_mut,
};
use crate::ir::{Game, domain_parts};

/// What a value depends on that may change during play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Read {
    /// A piece of state.
    State(StateId),
    /// Which seats are still in.
    Seats,
    /// The points of the seats.
    Scores,
}

/// A substitution: slots, and the expressions that replace them.
pub(super) type Substitution = Vec<(Slot, Expr)>;

/// Returns an expression that reads `slot`, with the span of `like`.
pub(super) fn local_expr(slot: Slot, like: &Expr, ty: Type) -> Expr {
    Expr { kind: ExprKind::Local(slot), ty, span: like.span }
}

/// Whether two expressions are structurally equal, up to renaming of their binders.
pub(super) fn same(game: &Game, a: &Expr, b: &Expr) -> bool {
    same_under(game, a, b, &mut Vec::new())
}

fn same_under(game: &Game, a: &Expr, b: &Expr, bound: &mut Vec<(Slot, Slot)>) -> bool {
    use ExprKind as K;
    let heads = match (&a.kind, &b.kind) {
        (K::Local(x), K::Local(y)) => {
            let pair = bound.iter().rev().find(|(p, q)| p == x || q == y);
            return pair.map_or(x == y, |(p, q)| p == x && q == y);
        }
        (K::Fold(x), K::Fold(y)) => return same_folds(game, x, y, bound),
        (K::Text(_) | K::Let(..), _) => false,
        (K::Value(x), K::Value(y)) => x == y,
        (K::Option(x), K::Option(y)) | (K::Constant(x), K::Constant(y)) => x == y,
        (K::Table(x), K::Table(y)) | (K::Own(x, _), K::Own(y, _)) => x == y,
        (K::Arith(x, ..), K::Arith(y, ..)) => x == y,
        (K::Compare(_, x), K::Compare(_, y)) => {
            x.iter().map(|(sign, _)| sign).eq(y.iter().map(|(sign, _)| sign))
        }
        (K::In(_, x), K::In(_, y)) | (K::Listed(x), K::Listed(y)) => same_shape(x, y),
        // All instances of a function count as the same function, whatever types they were checked for.
        (K::Call(x, _), K::Call(y, _)) => game.functions[*x].name == game.functions[*y].name,
        (K::Builtin(x, _), K::Builtin(y, _)) => x == y,
        (K::Part(_, x), K::Part(_, y)) => x == y,
        (x, y) => std::mem::discriminant(x) == std::mem::discriminant(y),
    };
    heads && {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        children(a, &mut |part| x.push(part));
        children(b, &mut |part| y.push(part));
        x.len() == y.len() && x.into_iter().zip(y).all(|(a, b)| same_under(game, a, b, bound))
    }
}

fn same_folds(game: &Game, a: &Fold, b: &Fold, bound: &mut Vec<(Slot, Slot)>) -> bool {
    let mark = bound.len();
    let mut all = a.kind == b.kind && a.sources.len() == b.sources.len();
    for (x, y) in a.sources.iter().zip(&b.sources) {
        all = all && x.slots.len() == y.slots.len() && same_domains(game, &x.domain, &y.domain, bound);
        bound.extend(x.slots.iter().copied().zip(y.slots.iter().copied()));
    }
    for (x, y) in [(&a.filter, &b.filter), (&a.stop, &b.stop)] {
        all = all
            && match (x, y) {
                (Some(x), Some(y)) => same_under(game, x, y, bound),
                (x, y) => x.is_none() && y.is_none(),
            };
    }
    all = all && same_under(game, &a.body, &b.body, bound);
    bound.truncate(mark);
    all
}

fn same_domains(game: &Game, a: &Domain, b: &Domain, bound: &mut Vec<(Slot, Slot)>) -> bool {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    domain_parts(a, &mut x);
    domain_parts(b, &mut y);
    same_shape(a, b) && x.len() == y.len() && x.into_iter().zip(y).all(|(a, b)| same_under(game, a, b, bound))
}

fn same_shape(a: &Domain, b: &Domain) -> bool {
    match (a, b) {
        (Domain::Arrangements(_, a), Domain::Arrangements(_, b))
        | (Domain::Lists(_, a), Domain::Lists(_, b))
        | (Domain::ListsFrom(_, _, a), Domain::ListsFrom(_, _, b)) => same_shape(a, b),
        // The condition of each reads its value from a slot of its own.
        (Domain::Where(..), _) | (_, Domain::Where(..)) => false,
        (Domain::Tuples(a), Domain::Tuples(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_shape(a, b))
        }
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// Whether an expression mentions a name.
pub(super) fn mentions(e: &Expr, slot: Slot) -> bool {
    let mut found = matches!(e.kind, ExprKind::Local(here) if here == slot);
    children(e, &mut |part| found = found || mentions(part, slot));
    found
}

/// Collects the free names of an expression.
pub(super) fn free_names(e: &Expr, bound: &mut Vec<Slot>, found: &mut BTreeSet<Slot>) {
    match &e.kind {
        ExprKind::Local(slot) => {
            if !bound.contains(slot) {
                found.insert(*slot);
            }
        }
        ExprKind::Fold(fold) => {
            let mark = bound.len();
            bound.extend(fold.sources.iter().flat_map(|source| &source.slots));
            children(e, &mut |part| free_names(part, bound, found));
            bound.truncate(mark);
        }
        _ => children(e, &mut |part| free_names(part, bound, found)),
    }
}

impl Checker<'_> {
    /// Returns a slot that is in no frame, for a name in a fact.
    pub(super) fn fresh_slot(&mut self) -> Slot {
        /// Far above any slot of a frame.
        const FIRST: Slot = 1 << 30;
        self.fresh_slots += 1;
        FIRST + self.fresh_slots
    }

    /// Substitutes expressions for names. Binders get fresh slots, so that nothing substituted is captured.
    pub(super) fn substitute(&mut self, e: &Expr, names: &Substitution) -> Expr {
        let mut e = e.clone();
        self.substitute_in(&mut e, &mut names.clone());
        e
    }

    fn substitute_in(&mut self, e: &mut Expr, names: &mut Substitution) {
        match &mut e.kind {
            ExprKind::Local(slot) => {
                let Some((_, put)) = names.iter().rev().find(|(name, _)| name == slot) else { return };
                // The fresh slot of a binder keeps the type of the old one.
                let ty = if put.ty == Type::Wrong { e.ty.clone() } else { put.ty.clone() };
                *e = Expr { ty, ..put.clone() };
            }
            ExprKind::Fold(fold) => {
                let mark = names.len();
                let at = fold.body.clone();
                for source in &mut fold.sources {
                    let mut parts = Vec::new();
                    domain_parts_mut(&mut source.domain, &mut parts);
                    parts.into_iter().for_each(|part| self.substitute_in(part, names));
                    for slot in &mut source.slots {
                        let fresh = self.fresh_slot();
                        names.push((*slot, local_expr(fresh, &at, Type::Wrong)));
                        *slot = fresh;
                    }
                }
                for part in fold.filter.iter_mut().chain(&mut fold.stop).chain([&mut fold.body]) {
                    self.substitute_in(part, names);
                }
                names.truncate(mark);
            }
            _ => {
                children_mut(e, &mut |part| self.substitute_in(part, names));
                if let ExprKind::Part(of, at) = &e.kind
                    && let ExprKind::Tuple(parts) = &of.kind
                    && let Some(part) = parts.get(*at)
                {
                    *e = part.clone();
                }
            }
        }
    }

    /// Returns the body of the called function with the arguments substituted.
    pub(super) fn unfolded(&mut self, function: usize, args: &[Expr]) -> Expr {
        let body = self.game.functions[function].lambda.body.clone();
        self.substitute(&body, &args.iter().cloned().enumerate().collect())
    }

    /// Collects what an expression reads.
    pub(super) fn reads(&self, e: &Expr, found: &mut BTreeSet<Read>) {
        match &e.kind {
            ExprKind::Table(id) | ExprKind::Own(id, _) => found.extend([Read::State(*id)]),
            ExprKind::Score(_) => found.extend([Read::Scores]),
            ExprKind::IsIn(_) | ExprKind::Standing => found.extend([Read::Seats]),
            ExprKind::Call(function, _) => {
                found.extend(self.function_reads.get(*function).into_iter().flatten());
            }
            _ => {}
        }
        let iterated_parts = iterated_parts(e);
        children(e, &mut |part| match iterated_parts.iter().any(|of| std::ptr::eq(*of, part)) {
            true => self.reads_elements(part, found),
            false => self.reads(part, found),
        });
    }

    /// Collects what is read when only the elements of a collection matter.
    pub(super) fn reads_elements(&self, e: &Expr, found: &mut BTreeSet<Read>) {
        let state = matches!(e.kind, ExprKind::Table(_) | ExprKind::Own(..));
        match state && matches!(e.ty, Type::Grid(_) | Type::Map(..)) {
            // The squares of a grid and the keys of a map never change.
            true => children(e, &mut |owner| self.reads(owner, found)),
            false => self.reads(e, found),
        }
    }
}

/// Returns the parts of an expression that are only iterated over, tested for membership, or asked for the shape of a board.
fn iterated_parts(e: &Expr) -> Vec<&Expr> {
    fn values(domain: &Domain) -> Option<&Expr> {
        if let Domain::Values(of) = domain { Some(of) } else { None }
    }
    match &e.kind {
        ExprKind::In(_, domain) | ExprKind::Listed(domain) => values(domain).into_iter().collect(),
        ExprKind::Fold(fold) => fold.sources.iter().filter_map(|source| values(&source.domain)).collect(),
        ExprKind::Builtin(builtin, args) if builtin.traits().of_shape => args.first().into_iter().collect(),
        _ => Vec::new(),
    }
}

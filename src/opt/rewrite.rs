//! What all passes stand on: going through every expression of a game, rules applied from the inside out with the facts
//! that hold there, local values renamed, counted and replaced.

use std::collections::BTreeMap;

use super::facts::{Facts, Scope};
use crate::ir::{
    Domain, Expr, ExprKind, Game, MoveCheck, Op, Scoring, Slot, Source, Type, Value, WinnerBy, bound_slots,
    children, children_mut, op_domain_mut, op_exprs_mut,
};
use crate::num::Int;

/// A rule: changes an expression whose parts it has been applied to already, or leaves it as it is.
pub trait Rule {
    /// Changes an expression; whether it did.
    fn expr(&self, e: &mut Expr, at: &mut At) -> bool;

    /// Changes a domain that is gone through or tested; whether it did. `distinct`: equal values count once and come in
    /// order, as they do for choices.
    fn domain(&self, _domain: &mut Domain, _distinct: bool, _at: &mut At) -> bool {
        false
    }
}

/// Where a rule is applied.
pub struct At<'a> {
    /// What is known of the game.
    pub facts: &'a Facts<'a>,
    /// What is known of the local values here.
    pub scope: Scope,
    /// How many slots the frame has; a pass may take more.
    pub frame: &'a mut usize,
}

impl At<'_> {
    /// A slot that nothing uses yet.
    pub fn slot(&mut self) -> Slot {
        *self.frame += 1;
        *self.frame - 1
    }

    /// Does something where a condition holds, or where it fails.
    fn assuming<T>(&mut self, cond: &Expr, holds: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.scope.clone();
        self.facts.assume(cond, holds, &mut self.scope);
        let result = work(self);
        self.scope = outside;
        result
    }

    /// Whether an expression can never fail here.
    pub fn total(&self, e: &Expr) -> bool {
        self.facts.total(e, &self.scope)
    }
}

/// Applies a rule to every expression of a game that is evaluated in play; whether anything changed. Reasons, examples
/// and what is shown are left alone: nobody needs them fast.
pub fn apply(rule: &dyn Rule, facts: &Facts, game: &mut Game) -> bool {
    let mut frame = game.slots;
    let mut changed = false;
    let mut root = |e: &mut Expr, scope: &Scope, frame: &mut usize| {
        let mut at = At { facts, scope: scope.clone(), frame };
        changed |= expr(rule, e, &mut at);
    };
    let none = Scope::default();
    for mv in &mut game.moves {
        let scope = facts.of_move(mv);
        for check in &mut mv.checks {
            match check {
                MoveCheck::Let(_, e) => root(e, &scope, &mut frame),
                MoveCheck::Need { cond, .. } | MoveCheck::Prefer { cond, .. } => {
                    root(cond, &scope, &mut frame)
                }
            }
        }
        for param in &mut mv.params {
            if let Some((low, high)) = &mut param.window {
                root(low, &scope, &mut frame);
                root(high, &scope, &mut frame);
            }
        }
    }
    for choice in &mut game.choices {
        root(&mut choice.who, &none, &mut frame);
        choice.must.iter_mut().for_each(|must| root(must, &none, &mut frame));
        for offer in choice.offers.iter_mut().chain(&mut choice.otherwise) {
            offer.given.iter_mut().for_each(|e| root(e, &none, &mut frame));
        }
    }
    for op in &mut game.code {
        for e in op_exprs_mut(op) {
            root(e, &none, &mut frame);
        }
    }
    let mut domains = |domain: &mut Domain, scope: &Scope, distinct: bool, frame: &mut usize| {
        let mut at = At { facts, scope: scope.clone(), frame };
        changed |= self::domain(rule, domain, distinct, &mut at);
    };
    for mv in &mut game.moves {
        let scope = facts.of_move(mv);
        for param in &mut mv.params {
            let both = param.domain.iter_mut().chain(&mut param.tried);
            both.for_each(|d| domains(d, &scope, true, &mut frame));
        }
    }
    for op in &mut game.code {
        let distinct = matches!(op, Op::Chance(_));
        op_domain_mut(op).into_iter().for_each(|domain| domains(domain, &none, distinct, &mut frame));
    }
    game.slots = frame;
    let mut lambdas: Vec<&mut crate::ir::Lambda> = Vec::new();
    lambdas.extend(game.state.iter_mut().filter_map(|state| state.init.as_mut()));
    match &mut game.scoring {
        Scoring::Each(lambda) => lambdas.push(lambda),
        Scoring::Named(all) => lambdas.extend(all),
        Scoring::None | Scoring::Awards => {}
    }
    if let Some(WinnerBy::Best(keys)) = game.winner.as_mut().map(|winner| &mut winner.by) {
        lambdas.extend(keys.iter_mut().map(|(_, lambda)| lambda));
    }
    for lambda in lambdas {
        let mut scope = Scope::default();
        // Scores, keys and first values of what is a player's are of a player.
        (0..lambda.params).for_each(|slot| scope.insert(slot, facts.of_type(&Type::Player)));
        let mut at = At { facts, scope, frame: &mut lambda.frame };
        changed |= expr(rule, &mut lambda.body, &mut at);
    }
    changed
}

/// Applies a rule to an expression, from the inside out; whether anything changed.
pub fn expr(rule: &dyn Rule, e: &mut Expr, at: &mut At) -> bool {
    let mut changed = false;
    match &mut e.kind {
        ExprKind::Fold(fold) => {
            let outside = at.scope.clone();
            for source in &mut fold.sources {
                changed |= domain(rule, &mut source.domain, false, at);
                at.facts.enter(source, &mut at.scope);
            }
            for part in fold.filter.iter_mut().chain(&mut fold.stop).chain([&mut fold.body]) {
                changed |= expr(rule, part, at);
                at.facts.assume(part, true, &mut at.scope);
            }
            at.scope = outside;
        }
        // The second part is asked only where the first leaves it open.
        ExprKind::And(a, b) => {
            changed |= expr(rule, a, at);
            changed |= at.assuming(a, true, |at| expr(rule, b, at));
        }
        ExprKind::Or(a, b) => {
            changed |= expr(rule, a, at);
            changed |= at.assuming(a, false, |at| expr(rule, b, at));
        }
        ExprKind::If(arms, otherwise) => {
            let outside = at.scope.clone();
            for (cond, value) in arms {
                changed |= expr(rule, cond, at);
                changed |= at.assuming(cond, true, |at| expr(rule, value, at));
                at.facts.assume(cond, false, &mut at.scope);
            }
            changed |= expr(rule, otherwise, at);
            at.scope = outside;
        }
        ExprKind::Let(slots, value, body) => {
            changed |= expr(rule, value, at);
            let outside = at.scope.clone();
            at.facts.bind(slots, value, &mut at.scope);
            changed |= expr(rule, body, at);
            at.scope = outside;
        }
        ExprKind::In(value, of) => {
            changed |= expr(rule, value, at);
            changed |= domain(rule, of, false, at);
        }
        ExprKind::Listed(of) => changed |= domain(rule, of, false, at),
        _ => children_mut(e, &mut |part| changed |= expr(rule, part, at)),
    }
    changed | rule.expr(e, at)
}

/// Applies a rule to a domain and its parts, from the inside out; whether anything changed.
pub fn domain(rule: &dyn Rule, of: &mut Domain, distinct: bool, at: &mut At) -> bool {
    let mut changed = match of {
        Domain::Ints => false,
        Domain::Range(a, b) => expr(rule, a, at) | expr(rule, b, at),
        Domain::Values(e) | Domain::Permutations(e) | Domain::AtLeast(e) => expr(rule, e, at),
        Domain::Arrangements(count, of) | Domain::Lists(count, of) => {
            expr(rule, count, at) | domain(rule, of, true, at)
        }
        Domain::ListsFrom(low, high, of) => {
            let mut changed = expr(rule, low, at);
            high.iter_mut().for_each(|high| changed |= expr(rule, high, at));
            changed | domain(rule, of, true, at)
        }
        Domain::Where(_, of, condition) => domain(rule, of, distinct, at) | expr(rule, condition, at),
        Domain::Subsets(of, size) => {
            let mut changed = expr(rule, of, at);
            size.iter_mut().for_each(|size| changed |= expr(rule, size, at));
            changed
        }
        Domain::Tuples(parts) => {
            let mut changed = false;
            parts.iter_mut().for_each(|part| changed |= domain(rule, part, distinct, at));
            changed
        }
    };
    changed |= rule.domain(of, distinct, at);
    changed
}

// ---- expressions put together

/// An expression of another kind at the same place.
pub fn made(kind: ExprKind, ty: Type, like: &Expr) -> Expr {
    Expr { kind, ty, span: like.span }
}

/// A condition at the place of another expression.
pub fn condition(kind: ExprKind, like: &Expr) -> Expr {
    made(kind, Type::Bool, like)
}

/// A number that is known.
pub fn number(n: impl Into<Int>, like: &Expr) -> Expr {
    made(ExprKind::Value(Value::Int(n.into())), Type::Int, like)
}

/// A truth that is known.
pub fn truth(holds: bool, like: &Expr) -> Expr {
    condition(ExprKind::Value(Value::Bool(holds)), like)
}

/// Takes an expression out of its place; something of no meaning is left there.
pub fn take(e: &mut Expr) -> Expr {
    let empty = made(ExprKind::Value(Value::Unset), Type::Never, e);
    std::mem::replace(e, empty)
}

/// The condition that another one fails.
pub fn negated(e: Expr) -> Expr {
    match e.kind {
        ExprKind::Not(inner) => *inner,
        ExprKind::Value(Value::Bool(holds)) => truth(!holds, &e),
        _ => {
            let like = truth(true, &e);
            condition(ExprKind::Not(Box::new(e)), &like)
        }
    }
}

/// Whether an expression is this truth.
pub fn is_truth(e: &Expr, holds: bool) -> bool {
    matches!(&e.kind, ExprKind::Value(Value::Bool(known)) if *known == holds)
}

/// Both conditions; the second is asked where the first holds.
pub fn both(a: Expr, b: Expr) -> Expr {
    if is_truth(&a, true) {
        return b;
    }
    if is_truth(&b, true) {
        return a;
    }
    let like = truth(true, &a);
    condition(ExprKind::And(Box::new(a), Box::new(b)), &like)
}

/// Either condition; the second is asked where the first fails.
pub fn either(a: Expr, b: Expr) -> Expr {
    if is_truth(&a, false) {
        return b;
    }
    if is_truth(&b, false) {
        return a;
    }
    let like = truth(true, &a);
    condition(ExprKind::Or(Box::new(a), Box::new(b)), &like)
}

// ---- local values

/// How often an expression reads a local value.
pub fn uses(e: &Expr, slot: Slot) -> usize {
    if let ExprKind::Local(own) = &e.kind {
        return usize::from(*own == slot);
    }
    let mut count = 0;
    children(e, &mut |part| count += uses(part, slot));
    count
}

/// Whether an expression reads one of these local values.
pub fn reads(e: &Expr, slots: &[Slot]) -> bool {
    if let ExprKind::Local(own) = &e.kind {
        return slots.contains(own);
    }
    let mut found = false;
    children(e, &mut |part| found = found || reads(part, slots));
    found
}

/// Whether an expression looks at the present state, so that its value may change during a match.
pub fn looks(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Table(_)
        | ExprKind::Own(..)
        | ExprKind::Standing
        | ExprKind::IsIn(_)
        | ExprKind::Score(_) => true,
        _ => {
            let mut found = false;
            children(e, &mut |part| found = found || looks(part));
            found
        }
    }
}

/// Puts an expression into the place of a local value. No binder may come between that takes a name of it again: slots
/// are bound once in a frame.
pub fn replace(e: &mut Expr, slot: Slot, by: &Expr) {
    if matches!(&e.kind, ExprKind::Local(own) if *own == slot) {
        let span = e.span;
        *e = Expr { span, ..by.clone() };
        return;
    }
    children_mut(e, &mut |part| replace(part, slot, by));
}

/// Gives every slot that an expression reads or binds another name.
pub fn rename(e: &mut Expr, names: &mut dyn FnMut(Slot) -> Slot) {
    match &mut e.kind {
        ExprKind::Local(slot) => *slot = names(*slot),
        ExprKind::Let(slots, ..) => slots.iter_mut().for_each(|slot| *slot = names(*slot)),
        ExprKind::Fold(fold) => {
            let slots = fold.sources.iter_mut().flat_map(|Source { slots, .. }| slots);
            slots.for_each(|slot| *slot = names(*slot));
        }
        _ => {}
    }
    children_mut(e, &mut |part| rename(part, names));
}

/// A copy of an expression whose own binders have slots that nothing uses yet.
pub fn fresh(e: &Expr, at: &mut At) -> Expr {
    let mut copy = e.clone();
    let names: BTreeMap<Slot, Slot> = bound_slots(e).into_iter().map(|slot| (slot, at.slot())).collect();
    rename(&mut copy, &mut |slot| names.get(&slot).copied().unwrap_or(slot));
    copy
}

/// How much an expression is, in nodes.
pub fn nodes(e: &Expr) -> usize {
    let mut count = 1usize;
    children(e, &mut |part| count = count.saturating_add(nodes(part)));
    count
}

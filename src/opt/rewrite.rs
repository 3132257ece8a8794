//! The infrastructure for all passes: applying rules bottom-up to every expression of a game, with the facts
//! that hold there; building expressions; and renaming, counting and substituting local variables.

use std::collections::BTreeMap;

use super::fact::Scope;
use super::facts::Facts;
use crate::ir::{
    Arith, Compare, Domain, Expr, ExprKind, Game, MoveCheck, Scoring, Slot, Type, Value, WinnerBy,
    bound_slots, children, children_mut, expr_text, is_state_read, op_domain_mut, op_exprs_mut, rename_slots,
};
use crate::num::Int;
use crate::source::Span;

/// A rewrite rule. It is applied to an expression after it has been applied to all subexpressions.
pub trait Rule {
    /// Rewrites an expression, or leaves it as it is; returns whether it changed.
    fn expr(&self, _e: &mut Expr, _at: &mut RuleContext) -> bool {
        false
    }

    /// Rewrites a domain that is iterated or tested; returns whether it changed. If `distinct`, equal values
    /// count only once and are in ascending order, as in the domains of choices.
    fn domain(&self, _domain: &mut Domain, _distinct: bool, _at: &mut RuleContext) -> bool {
        false
    }
}

/// The context in which a rule is applied.
pub struct RuleContext<'a> {
    /// The facts about the game.
    pub facts: &'a Facts<'a>,
    /// The facts about local variables and expressions at this point.
    pub scope: Scope,
    /// The number of slots in the frame; a pass may add more.
    pub frame: &'a mut usize,
}

impl RuleContext<'_> {
    /// Allocates a new slot.
    pub fn new_slot(&mut self) -> Slot {
        *self.frame += 1;
        *self.frame - 1
    }

    /// Calls `work` in a scope that assumes that a condition holds, or that it fails.
    fn assuming<T>(&mut self, cond: &Expr, holds: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.scope.clone();
        self.facts.assume(cond, holds, &mut self.scope);
        let result = work(self);
        self.scope = outside;
        result
    }

    /// Returns the text of an expression; equal texts mean equal expressions.
    pub fn text(&self, e: &Expr) -> String {
        expr_text(self.facts.game(), e)
    }

    /// Whether every element of a collection is certainly in a domain.
    pub fn contains(&self, domain: &Domain, elements: &Expr) -> bool {
        self.facts.contains(domain, elements, &self.scope)
    }

    /// Whether evaluating an expression here can never fail.
    pub fn total(&self, e: &Expr) -> bool {
        self.facts.total(e, &self.scope)
    }
}

/// Applies a rule to every expression of a game that is evaluated during play; returns whether anything
/// changed. Reasons, examples and the shown table are left alone, since they need not be fast.
pub fn apply(rule: &dyn Rule, facts: &Facts, game: &mut Game) -> bool {
    let mut frame = game.slots;
    let mut changed = false;
    let mut root = |e: &mut Expr, scope: &Scope, frame: &mut usize| {
        let mut at = RuleContext { facts, scope: scope.clone(), frame };
        changed |= expr(rule, e, &mut at);
    };
    let none = Scope::default();
    for mv in &mut game.moves {
        let scope = facts.of_move(mv);
        for check in &mut mv.checks {
            match check {
                MoveCheck::Let(_, e) => root(e, &scope, &mut frame),
                MoveCheck::Need { cond, .. } | MoveCheck::SoftNeed { cond, .. } => {
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
        for offer in choice.all_offers_mut() {
            offer.given.iter_mut().for_each(|e| root(e, &none, &mut frame));
        }
    }
    for op in &mut game.code {
        for e in op_exprs_mut(op) {
            root(e, &none, &mut frame);
        }
    }
    let mut domains = |domain: &mut Domain, scope: &Scope, distinct: bool, frame: &mut usize| {
        let mut at = RuleContext { facts, scope: scope.clone(), frame };
        changed |= self::domain(rule, domain, distinct, &mut at);
    };
    for mv in &mut game.moves {
        let scope = facts.of_move(mv);
        for param in &mut mv.params {
            let both = param.domain.iter_mut().chain(&mut param.sampling_domain);
            both.for_each(|d| domains(d, &scope, true, &mut frame));
        }
    }
    for op in &mut game.code {
        // Equal values of what is drawn from, or gone through, count one by one.
        op_domain_mut(op).into_iter().for_each(|domain| domains(domain, &none, false, &mut frame));
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
        // Any parameter of a score, a ranking key or an initial value is a player.
        (0..lambda.params).for_each(|slot| scope.insert(slot, facts.of_type(&Type::Player)));
        let mut at = RuleContext { facts, scope, frame: &mut lambda.frame };
        changed |= expr(rule, &mut lambda.body, &mut at);
    }
    changed
}

/// Applies a rule to an expression, bottom-up; returns whether anything changed.
pub fn expr(rule: &dyn Rule, e: &mut Expr, at: &mut RuleContext) -> bool {
    let mut changed = false;
    match &mut e.kind {
        ExprKind::Fold(fold) => {
            let outside = at.scope.clone();
            for number in 0..fold.sources.len() {
                changed |= domain(rule, &mut fold.sources[number].domain, false, at);
                at.facts.enter(fold, number, &mut at.scope);
            }
            for part in fold.filter.iter_mut().chain(&mut fold.stop).chain([&mut fold.body]) {
                changed |= expr(rule, part, at);
                at.facts.assume(part, true, &mut at.scope);
            }
            at.scope = outside;
        }
        // The second operand is evaluated only if the first does not decide the result.
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

/// Applies a rule to a domain and its expressions, bottom-up; returns whether anything changed.
pub fn domain(rule: &dyn Rule, of: &mut Domain, distinct: bool, at: &mut RuleContext) -> bool {
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
        Domain::SubsetsFrom(low, high, of) => {
            let mut changed = expr(rule, low, at);
            high.iter_mut().for_each(|high| changed |= expr(rule, high, at));
            changed | expr(rule, of, at)
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

// ---- building expressions

/// Creates an expression with the span of another.
pub fn expr_like(kind: ExprKind, ty: Type, like: &Expr) -> Expr {
    Expr { kind, ty, span: like.span }
}

/// Creates a condition with the span of another expression.
pub fn condition(kind: ExprKind, like: &Expr) -> Expr {
    expr_like(kind, Type::Bool, like)
}

/// Creates an integer literal.
pub fn int_literal(n: impl Into<Int>, like: &Expr) -> Expr {
    expr_like(ExprKind::Value(Value::Int(n.into())), Type::Int, like)
}

/// Creates a truth value literal.
pub fn bool_literal(holds: bool, like: &Expr) -> Expr {
    condition(ExprKind::Value(Value::Bool(holds)), like)
}

/// Creates a comparison of two expressions.
pub fn compare(a: &Expr, op: Compare, b: &Expr, like: &Expr) -> Expr {
    condition(ExprKind::Compare(Box::new(a.clone()), vec![(op, b.clone())]), like)
}

/// Creates an arithmetic expression of two integers.
pub fn arithmetic(op: Arith, a: Expr, b: Expr) -> Expr {
    let like = a.clone();
    expr_like(ExprKind::Arith(op, Box::new(a), Box::new(b)), Type::Int, &like)
}

/// Names a value within an expression.
pub fn let_in(slot: Slot, value: Expr, body: Expr, span: Span) -> Expr {
    let ty = body.ty.clone();
    Expr { kind: ExprKind::Let(vec![slot], Box::new(value), Box::new(body)), ty, span }
}

/// Creates the condition that a value is one of a collection.
pub fn is_within(value: &Expr, of: &Expr) -> Expr {
    condition(ExprKind::In(Box::new(value.clone()), Box::new(Domain::Values(of.clone()))), value)
}

/// Returns the number that an expression is, if it is a literal.
pub fn known_int(e: &Expr) -> Option<&Int> {
    if let ExprKind::Value(Value::Int(n)) = &e.kind { Some(n) } else { None }
}

/// Moves an expression out, leaving a placeholder behind.
pub fn take(e: &mut Expr) -> Expr {
    let empty = expr_like(ExprKind::Value(Value::Unset), Type::Never, e);
    std::mem::replace(e, empty)
}

/// Negates a condition, without pushing the negation inwards.
pub fn negated(e: Expr) -> Expr {
    match e.kind {
        ExprKind::Not(inner) => *inner,
        ExprKind::Value(Value::Bool(holds)) => bool_literal(!holds, &e),
        _ => {
            let like = bool_literal(true, &e);
            condition(ExprKind::Not(Box::new(e)), &like)
        }
    }
}

/// Whether an expression is this truth value literal.
pub fn is_bool(e: &Expr, holds: bool) -> bool {
    matches!(&e.kind, ExprKind::Value(Value::Bool(known)) if *known == holds)
}

/// Returns the conjunction of two conditions; the second is evaluated only if the first holds.
pub fn and(a: Expr, b: Expr) -> Expr {
    if is_bool(&a, true) {
        return b;
    }
    if is_bool(&b, true) {
        return a;
    }
    let like = bool_literal(true, &a);
    condition(ExprKind::And(Box::new(a), Box::new(b)), &like)
}

/// Returns the disjunction of two conditions; the second is evaluated only if the first fails.
pub fn or(a: Expr, b: Expr) -> Expr {
    if is_bool(&a, false) {
        return b;
    }
    if is_bool(&b, false) {
        return a;
    }
    let like = bool_literal(true, &a);
    condition(ExprKind::Or(Box::new(a), Box::new(b)), &like)
}

/// Lists the operands of nested conjunctions, or of disjunctions unless `is_and`, in order.
pub fn operands<'e>(e: &'e Expr, is_and: bool, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::And(a, b) if is_and => [a, b].into_iter().for_each(|part| operands(part, is_and, out)),
        ExprKind::Or(a, b) if !is_and => [a, b].into_iter().for_each(|part| operands(part, is_and, out)),
        _ => out.push(e),
    }
}

// ---- local variables

/// Counts how often an expression reads a local variable.
pub fn count_uses(e: &Expr, slot: Slot) -> usize {
    if let ExprKind::Local(own) = &e.kind {
        return usize::from(*own == slot);
    }
    let mut count = 0;
    children(e, &mut |part| count += count_uses(part, slot));
    count
}

/// Whether an expression reads any of these local variables.
pub fn reads_any(e: &Expr, slots: &[Slot]) -> bool {
    if let ExprKind::Local(own) = &e.kind {
        return slots.contains(own);
    }
    let mut found = false;
    children(e, &mut |part| found = found || reads_any(part, slots));
    found
}

/// Whether an expression reads the state, so that its value may change during a match.
pub fn reads_state(e: &Expr) -> bool {
    let mut found = is_state_read(e);
    children(e, &mut |part| found = found || reads_state(part));
    found
}

/// Substitutes an expression for a local variable. No capture can occur, since each slot of a frame is bound
/// only once.
pub fn substitute(e: &mut Expr, slot: Slot, by: &Expr) {
    if matches!(&e.kind, ExprKind::Local(own) if *own == slot) {
        let span = e.span;
        *e = Expr { span, ..by.clone() };
        return;
    }
    children_mut(e, &mut |part| substitute(part, slot, by));
}

/// Copies an expression, giving new slots to its own binders.
pub fn with_fresh_slots(e: &Expr, at: &mut RuleContext) -> Expr {
    let mut copy = e.clone();
    let names: BTreeMap<Slot, Slot> = bound_slots(e).into_iter().map(|slot| (slot, at.new_slot())).collect();
    rename_slots(&mut copy, &mut |slot| names.get(&slot).copied().unwrap_or(slot));
    copy
}

/// Returns the size of an expression, in nodes.
pub fn size(e: &Expr) -> usize {
    let mut count = 1usize;
    children(e, &mut |part| count = count.saturating_add(size(part)));
    count
}

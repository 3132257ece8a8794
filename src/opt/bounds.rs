//! Narrows ranges by conditions: a condition that only bounds a value is moved into the ends of its range.

use super::binders::Binders;
use super::candidates::{Candidate, Candidates};
use super::conditions::{Conditions, negate};
use super::constants::Constants;
use super::fact::{Scope, UNBOUNDED};
use super::facts::Facts;
use super::fusion::{Fusion, selection};
use super::membership::Membership;
use super::rewrite::{Rule, RuleContext, and, condition, domain, expr, expr_like, or};
use crate::ir::{
    Arith, Bounds, Builtin, Compare, Domain, Expr, ExprKind, FailsWhen, Fold, FoldKind, Move, Param, Slot,
    Source, Type, Value, bounds_by_needs, bounds_of, children, conjuncts, domain_parts, implied_for_range,
    independent_domains, reads,
};
use crate::num::Int;

/// Up to this many values, a filter is evaluated for all values at once, as the bits of a word. If some
/// conditions must remain in the filter anyway, moving the others into the range saves nothing.
const AT_ONCE: i128 = 64;

/// The rule of this pass: `[k in 1..n where k <= m]` becomes the range from 1 to the smaller of `n` and `m`.
pub struct Ranges;

impl Rule for Ranges {
    fn domain(&self, domain: &mut Domain, _distinct: bool, at: &mut RuleContext) -> bool {
        let Domain::Values(list) = domain else { return false };
        let Some((fold, slot)) = selection(list) else { return false };
        let (Domain::Range(low, high), Some(filter)) = (&fold.sources[0].domain, &fold.filter) else {
            return false;
        };
        let (mut conditions, mut bounds, mut others) = (Vec::new(), Vec::new(), Vec::new());
        conjuncts(filter.clone(), &mut conditions);
        let (least, most) = at.facts.count(&fold.sources[0].domain, &at.scope);
        // If the range is not empty, the first condition is always evaluated, so its bounds may fail if it
        // does.
        let asked = least > 0 && at.total(low) && at.total(high);
        for (nth, condition) in conditions.into_iter().enumerate() {
            let fails = |bounds: &Bounds| {
                let mut ends = bounds.least.iter().chain(&bounds.most);
                !(nth == 0 && asked) && ends.any(|end| !at.total(end))
            };
            match bounds_of(&condition, slot, &|e| at.facts.is_positive(e, &at.scope)) {
                Some(found) if fails(&found) => return false,
                Some(found) => bounds.push(found),
                None => others.push(condition),
            }
        }
        if bounds.is_empty() || !others.is_empty() && (most <= AT_ONCE || !at.total(list)) {
            return false;
        }
        let (mut low, mut high) = (low.clone(), high.clone());
        narrow(&mut low, &mut high, bounds, at);
        let range = Domain::Range(low, high);
        let Some(filter) = others.into_iter().reduce(and) else {
            *domain = range;
            return true;
        };
        if let ExprKind::Fold(fold) = &mut list.kind {
            fold.sources[0].domain = range;
            fold.filter = Some(filter);
        }
        true
    }
}

/// Returns, for each chosen parameter of a move, the domain it is sampled from if the needs of the move as
/// written narrow it, or if it depends on other arguments; and, for the latter, the condition that a value is in its own
/// domain. The reference narrows and widens the same domains ([`bounds_by_needs`], [`independent_domains`]).
pub(super) fn drawn(
    facts: &Facts,
    mv: &Move,
    written: &Move,
    slots: &mut usize,
) -> (Vec<Option<Domain>>, Vec<Option<Expr>>) {
    let bounds = bounds_by_needs(facts.game(), written);
    let chosen = mv.params.iter().filter(|param| param.domain.is_some());
    let scope = facts.of_move(mv);
    let mut at = RuleContext { facts, scope, frame: slots };
    let widened = independent_domains(facts.game(), written).unwrap_or_default();
    let mut in_own_domain = Vec::new();
    for (param, widened) in chosen.clone().zip(&widened) {
        let Some(domain) = widened.as_ref().or(param.domain.as_ref()) else { continue };
        at.scope.insert(param.slot, facts.of_domain(domain, &at.scope));
        in_own_domain.push(widened.as_ref().and_then(|_| in_domain(param, &mut at)));
    }
    let widened = widened.into_iter().chain(std::iter::repeat(None));
    let mut narrower = |((param, widened), Bounds { least, most }): ((&Param, Option<Domain>), Bounds)| {
        let whole = widened.clone().or_else(|| param.domain.clone())?;
        let (low, high) = match &whole {
            Domain::Range(low, high) => (Some(low.clone()), Some(high.clone())),
            _ => (None, None),
        };
        let ends = least
            .into_iter()
            .map(|end| (Compare::AtLeast, end, &low))
            .chain(most.into_iter().map(|end| (Compare::AtMost, end, &high)));
        let own = |like: &Expr| expr_like(ExprKind::Local(param.slot), Type::Int, like);
        let bounded = |op: Compare, end: Expr| {
            let like = end.clone();
            condition(ExprKind::Compare(Box::new(own(&like)), vec![(op, end)]), &like)
        };
        // A bound that has no value does not count.
        let conditions = ends.map(|(op, end, instead)| match (has_value(&end, &at), instead) {
            (None, _) => bounded(op, end),
            (Some(there), Some(instead)) => {
                let (instead, like) = (Box::new(instead.clone()), end.clone());
                bounded(op, expr_like(ExprKind::If(vec![(there, end)], instead), Type::Int, &like))
            }
            (Some(there), None) => or(negate(there), bounded(op, end)),
        });
        let Some(filter) = conditions.reduce(and) else { return widened };
        let (body, like) = (own(&filter), filter.clone());
        let sources = vec![Source { slots: vec![param.slot], domain: whole }];
        let fold = Fold { kind: FoldKind::List, sources, filter: Some(filter), stop: None, body };
        let list = expr_like(ExprKind::Fold(Box::new(fold)), Type::List(Box::new(Type::Int)), &like);
        let mut narrowed = Domain::Values(list);
        for rule in [&Constants::of(facts.game()) as &dyn Rule, &Binders, &Fusion, &Ranges] {
            domain(rule, &mut narrowed, true, &mut at);
        }
        Some(narrowed)
    };
    (chosen.zip(widened).zip(bounds).map(&mut narrower).collect(), in_own_domain)
}

/// Returns the condition that the value of a parameter is in its domain; that of a [`Domain::Where`] is tested elsewhere.
fn in_domain(param: &Param, at: &mut RuleContext) -> Option<Expr> {
    let whole = param.domain.as_ref()?.without_condition().0;
    let own = Expr { kind: ExprKind::Local(param.slot), ty: param.ty.clone(), span: param.span };
    let mut inside = condition(ExprKind::In(Box::new(own.clone()), Box::new(whole.clone())), &own);
    while expr(&Membership, &mut inside, at) || expr(&Conditions, &mut inside, at) {}
    Some(inside)
}

/// Returns the condition under which an expression that may fail has a value; `None` if it never fails, or if that is
/// not known.
fn has_value(e: &Expr, at: &RuleContext) -> Option<Expr> {
    if at.total(e) {
        return None;
    }
    let mut all = Vec::new();
    requirements(e, at.facts, &mut all);
    let mut scope = at.scope.clone();
    all.iter().for_each(|condition| at.facts.assume(condition, true, &mut scope));
    all.into_iter().reduce(and).filter(|_| at.facts.total(e, &scope))
}

/// Collects conditions without which evaluating an expression fails, in the order in which they can be tested.
fn requirements(e: &Expr, facts: &Facts, out: &mut Vec<Expr>) {
    if matches!(e.kind, ExprKind::If(..) | ExprKind::And(..) | ExprKind::Or(..)) {
        return;
    }
    children(e, &mut |part| requirements(part, facts, out));
    match &e.kind {
        _ if facts.needs_presence(e) => {
            let optional = expr_like(e.kind.clone(), Type::Optional(Box::new(e.ty.clone())), e);
            out.push(negate(condition(ExprKind::IsNone(Box::new(optional)), e)));
        }
        ExprKind::Builtin(builtin, args) if builtin.traits().fails == FailsWhen::Empty => {
            let empty = ExprKind::Builtin(Builtin::Empty, vec![args[0].clone()]);
            out.push(negate(condition(empty, e)));
        }
        _ => {}
    }
}

impl Candidates {
    /// Returns, for each parameter, what the conditions on later ones imply for it: of `a + b = n`, with `b` from 1 on,
    /// that `a` is less than `n`. Eliminates one parameter after the other, from the last on (Fourier–Motzkin
    /// elimination, with the ends of the ranges only). Nothing is implied before a condition that may fail, which
    /// must be evaluated for the same rows as before.
    fn implied(&self, at: &RuleContext) -> Vec<Vec<Expr>> {
        const MOST: usize = 32;
        let mut implied = vec![Vec::new(); self.params.len()];
        // Whether nothing can fail at a parameter, given the conditions before.
        let mut scope = at.scope.clone();
        let total: Vec<bool> =
            self.params.iter().map(|param| total_in_order(param, at, &mut scope)).collect();
        for (last, param) in self.params.iter().enumerate().skip(1).rev() {
            if !total[last] {
                implied[..last].iter_mut().for_each(Vec::clear);
                break;
            }
            let range = match &param.domain {
                Domain::Range(low, high) if param.window.is_none() => Some((low, high)),
                _ => None,
            };
            let known: Vec<Expr> = param.predicates.iter().chain(&implied[last]).cloned().collect();
            let weaker = |known: &Expr| {
                let positive = |e: &Expr| at.facts.is_positive(e, &scope);
                let linear =
                    range.map_or(Vec::new(), |range| implied_for_range(known, param.slot, range, &positive));
                // Where a value is not linear in the parameter, its range is what is known of it.
                if linear.is_empty() { weakened(known, param.slot, at.facts, &scope) } else { linear }
            };
            for condition in known.iter().flat_map(weaker) {
                let settled = self.params[..last].iter().rposition(|param| reads(&condition, param.slot));
                if let Some(implied) =
                    settled.and_then(|at| implied.get_mut(at)).filter(|all| all.len() < MOST)
                {
                    implied.push(condition);
                }
            }
        }
        implied
    }

    /// Moves conditions that are bounds into the ends of ranges, and records the maximum number of integers
    /// left.
    pub(super) fn narrow(&mut self, at: &mut RuleContext) {
        let outside = at.scope.clone();
        self.preconditions.iter().for_each(|known| at.facts.assume(known, true, &mut at.scope));
        let implied = self.implied(at);
        for (param, implied) in self.params.iter_mut().zip(implied) {
            param.narrow(implied, at);
            if let Domain::Range(..) = param.domain {
                let (_, most) = at.facts.count(&param.domain, &at.scope);
                param.most = i64::try_from(most).ok().filter(|most| *most < i64::MAX / 4);
            }
            let fact = at.facts.of_domain(&param.domain, &at.scope);
            at.scope.insert(param.slot, fact);
            param.predicates.iter().for_each(|known| at.facts.assume(known, true, &mut at.scope));
        }
        at.scope = outside;
    }
}

/// Returns what a comparison implies whatever the value in a slot is: its parts that read the slot are replaced by the ends
/// of their ranges.
fn weakened(comparison: &Expr, slot: Slot, facts: &Facts, scope: &Scope) -> Vec<Expr> {
    let ExprKind::Compare(a, links) = &comparison.kind else { return Vec::new() };
    let ([(op, b)], true) = (links.as_slice(), a.ty == Type::Int) else { return Vec::new() };
    if b.ty != Type::Int || !reads(comparison, slot) {
        return Vec::new();
    }
    let at_most = |a: &Expr, op: Compare, b: &Expr| {
        let (a, b) = (end_of(a, slot, false, facts, scope)?, end_of(b, slot, true, facts, scope)?);
        Some(condition(ExprKind::Compare(Box::new(a), vec![(op, b)]), comparison))
    };
    let found = match op {
        Compare::AtMost | Compare::Less => [at_most(a, *op, b), None],
        Compare::AtLeast | Compare::Greater => [at_most(b, op.mirrored(), a), None],
        Compare::Equal => [at_most(a, Compare::AtMost, b), at_most(b, Compare::AtMost, a)],
        Compare::NotEqual | Compare::Divides => [None, None],
    };
    found.into_iter().flatten().collect()
}

/// Returns the greatest value of a sum, or the least, as far as its parts that read a slot are bounded.
fn end_of(e: &Expr, slot: Slot, greatest: bool, facts: &Facts, scope: &Scope) -> Option<Expr> {
    if !reads(e, slot) {
        return Some(e.clone());
    }
    let part = |e: &Expr, greatest: bool| end_of(e, slot, greatest, facts, scope).map(Box::new);
    let kind = match &e.kind {
        ExprKind::Arith(Arith::Add, a, b) => {
            ExprKind::Arith(Arith::Add, part(a, greatest)?, part(b, greatest)?)
        }
        ExprKind::Arith(Arith::Sub, a, b) => {
            ExprKind::Arith(Arith::Sub, part(a, greatest)?, part(b, !greatest)?)
        }
        _ => {
            let (low, high) = facts.of(e, scope).range;
            let end = i64::try_from(if greatest { high } else { low }).ok()?;
            let bounded = i128::from(end).abs() < UNBOUNDED;
            return bounded.then(|| expr_like(ExprKind::Value(Value::Int(Int::from(end))), Type::Int, e));
        }
    };
    Some(expr_like(kind, Type::Int, e))
}

/// Whether the domain of a parameter and its conditions, in their order, cannot fail; `scope` learns the conditions.
fn total_in_order(param: &Candidate, at: &RuleContext, scope: &mut Scope) -> bool {
    let mut parts = Vec::new();
    domain_parts(&param.domain, &mut parts);
    let domain = parts.into_iter().all(|part| at.facts.total(part, scope));
    param.predicates.iter().fold(domain, |all, condition| {
        let total = at.facts.total(condition, scope);
        at.facts.assume(condition, true, scope);
        all && total
    })
}

impl Candidate {
    /// Moves bounds into the ends of the range; `implied` are conditions that hold for every legal row.
    fn narrow(&mut self, implied: Vec<Expr>, at: &mut RuleContext) {
        if !matches!(self.domain, Domain::Range(..)) {
            return;
        }
        let (mut bounds, mut others) = (Vec::new(), Vec::new());
        let (mut scope, mut free) = (at.scope.clone(), true);
        for condition in &self.predicates {
            // A condition that may fail must be evaluated for the same values as before.
            let positive = |e: &Expr| at.facts.is_positive(e, &scope);
            match bounds_of(condition, self.slot, &positive).filter(|_| free) {
                Some(found) => bounds.push(found),
                None => {
                    free = free && at.facts.total(condition, &scope);
                    others.push(condition.clone());
                }
            }
            at.facts.assume(condition, true, &mut scope);
        }
        if total_in_order(self, at, &mut at.scope.clone()) {
            let total = |found: &Bounds| found.least.iter().chain(&found.most).all(|end| at.total(end));
            let positive = |e: &Expr| at.facts.is_positive(e, &at.scope);
            let found = implied.iter().filter_map(|condition| bounds_of(condition, self.slot, &positive));
            bounds.extend(found.filter(total));
        }
        let Domain::Range(low, high) = &mut self.domain else { return };
        if bounds.is_empty() {
            return;
        }
        narrow(low, high, bounds, at);
        self.predicates = others;
    }
}

/// Narrows a range by several bounds.
fn narrow(low: &mut Expr, high: &mut Expr, bounds: Vec<Bounds>, at: &mut RuleContext) {
    for Bounds { least, most } in bounds {
        least.into_iter().for_each(|bound| put(low, Builtin::Max, bound, at));
        most.into_iter().for_each(|bound| put(high, Builtin::Min, bound, at));
    }
}

/// Narrows one end of a range by a bound; `way` is `max` for the low end and `min` for the high end.
fn put(end: &mut Expr, way: Builtin, mut bound: Expr, at: &mut RuleContext) {
    while expr(&Conditions, &mut bound, at) {}
    let (ends, bounds) = (at.facts.of(end, &at.scope).range, at.facts.of(&bound, &at.scope).range);
    let (already, instead) = match way {
        Builtin::Max => (ends.0 >= bounds.1, bounds.0 >= ends.1),
        _ => (ends.1 <= bounds.0, bounds.1 <= ends.0),
    };
    if already {
        return;
    }
    let old = end.clone();
    *end = match instead {
        true => bound,
        false => expr_like(ExprKind::Builtin(way, vec![old.clone(), bound]), Type::Int, &old),
    };
}

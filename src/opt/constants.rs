//! Constant folding: evaluates what depends only on options, constants and players, and removes conditions
//! that always or never hold.

use super::rewrite::{Rule, RuleContext, bool_literal, int_literal, is_bool, take};
use crate::ir::{Arith, Compare, Domain, Expr, ExprKind, Game, Op, Type, Value};

/// The rule of this pass.
pub struct Constants {
    /// Whether no seat ever drops out.
    pub all_in: bool,
}

impl Constants {
    /// Creates the rule for a game.
    pub fn of(game: &Game) -> Constants {
        Constants { all_in: game.keeps_all_in() }
    }
}

/// Removes the filters of loops of play if they always hold. Returns whether anything changed.
pub fn drop_filters(game: &mut Game) -> bool {
    let mut changed = false;
    for op in &mut game.code {
        if let Op::Next { filter, .. } = op
            && filter.as_ref().is_some_and(|filter| is_bool(filter, true))
        {
            *filter = None;
            changed = true;
        }
    }
    changed
}

/// Returns the only number that a piece of state can hold.
fn only_number(e: &Expr, at: &RuleContext) -> Option<i64> {
    let is_state = matches!(e.kind, ExprKind::Table(_) | ExprKind::Own(..)) && e.ty == Type::Int;
    let n = is_state.then(|| at.facts.of(e, &at.scope).exact())??;
    i64::try_from(n).ok().filter(|_| at.total(e))
}

impl Rule for Constants {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        if !matches!(e.kind, ExprKind::Value(_))
            && is_single(&e.ty)
            && let Some(value) = at.facts.value(e)
        {
            e.kind = ExprKind::Value(value);
            return true;
        }
        if let Some(n) = only_number(e, at) {
            *e = int_literal(n, e);
            return true;
        }
        match &mut e.kind {
            ExprKind::List(parts) | ExprKind::Set(parts) => {
                let known = parts.iter().all(|part| matches!(part.kind, ExprKind::Value(_)));
                match at.facts.value(e).filter(|_| known) {
                    Some(value) => e.kind = ExprKind::Value(value),
                    None => return false,
                }
            }
            ExprKind::Standing if self.all_in => e.kind = ExprKind::Players,
            ExprKind::IsIn(who) if self.all_in && at.total(who) => *e = bool_literal(true, e),
            ExprKind::Not(a) if is_bool(a, true) => *e = bool_literal(false, e),
            ExprKind::Not(a) if is_bool(a, false) => *e = bool_literal(true, e),
            ExprKind::And(a, b) => match () {
                () if is_bool(a, true) => *e = take(b),
                () if is_bool(b, true) => *e = take(a),
                () if is_bool(a, false) || is_bool(b, false) && at.total(a) => *e = bool_literal(false, e),
                () => return false,
            },
            ExprKind::Or(a, b) => match () {
                () if is_bool(a, false) => *e = take(b),
                () if is_bool(b, false) => *e = take(a),
                () if is_bool(a, true) || is_bool(b, true) && at.total(a) => *e = bool_literal(true, e),
                () => return false,
            },
            ExprKind::If(..) => return branches(e),
            ExprKind::Compare(a, links) => {
                let [(op, b)] = links.as_slice() else { return false };
                let (x, y) = (at.facts.of(a, &at.scope), at.facts.of(b, &at.scope));
                if a.ty != Type::Int || b.ty != Type::Int {
                    return false;
                }
                let Some(holds) = decided(*op, x.range, y.range) else { return false };
                if !at.total(a) || !at.total(b) {
                    return false;
                }
                *e = bool_literal(holds, e);
            }
            ExprKind::IsNone(a) => {
                if at.facts.of(a, &at.scope).optional || !at.total(a) {
                    return false;
                }
                *e = bool_literal(false, e);
            }
            ExprKind::Arith(op, a, b) => {
                let known = |e: &Expr| match &e.kind {
                    ExprKind::Value(Value::Int(n)) => n.as_i64(),
                    _ => None,
                };
                match (op, known(a), known(b)) {
                    (Arith::Add | Arith::Sub, _, Some(0)) | (Arith::Mul, _, Some(1)) => *e = take(a),
                    (Arith::Add, Some(0), _) | (Arith::Mul, Some(1), _) => *e = take(b),
                    _ => return false,
                }
            }
            _ => return false,
        }
        true
    }

    fn domain(&self, domain: &mut Domain, _distinct: bool, at: &mut RuleContext) -> bool {
        let e = match domain {
            Domain::Values(e) => e,
            // Rows of squares or keys are composed of the squares of a grid, or the keys of a map.
            Domain::Permutations(e) | Domain::Subsets(e, _) | Domain::SubsetsFrom(_, _, e) => {
                return list_keys(e, at);
            }
            Domain::Arrangements(_, of) | Domain::Lists(_, of) | Domain::ListsFrom(_, _, of) => {
                return list_chosen(of, at);
            }
            Domain::Tuples(parts) => {
                return parts.iter_mut().any(|part| list_chosen(part, at));
            }
            _ => return false,
        };
        // The squares of a grid by themselves stay as they are: conditions on all of them are computed at once.
        if matches!(e.ty, Type::Map(..)) && list_keys(e, at) {
            return true;
        }
        // Consecutive integers are rewritten as a range.
        let Some(value @ (Value::List(_) | Value::Set(_))) = at.facts.value(e) else { return false };
        let items = crate::eval::elements(&value);
        let ints: Option<Vec<i64>> =
            items.iter().map(|item| if let Value::Int(n) = item { n.as_i64() } else { None }).collect();
        let Some((first, last)) = ints.as_ref().and_then(|ints| ints.first().zip(ints.last())) else {
            return false;
        };
        let steps = ints.iter().flat_map(|ints| ints.windows(2));
        if !steps.into_iter().all(|pair| pair[0].checked_add(1) == Some(pair[1])) {
            return false;
        }
        let end = |n: i64| Expr { kind: ExprKind::Value(Value::int(n)), ty: Type::Int, span: e.span };
        *domain = Domain::Range(end(*first), end(*last));
        true
    }
}

/// Replaces a map of the state by the list of its keys, and a grid by the list of its squares, where only those are
/// read.
fn list_keys(e: &mut Expr, at: &mut RuleContext) -> bool {
    let (Type::Map(..) | Type::Grid(_), Some(of), Some(keys)) = (&e.ty, e.ty.element(), at.facts.keys(e))
    else {
        return false;
    };
    if !at.total(e) {
        return false;
    }
    *e = Expr { kind: ExprKind::Value(Value::list(keys)), ty: Type::List(Box::new(of)), span: e.span };
    true
}

/// Replaces a map or a grid that elements of rows are chosen from by the list of what is chosen.
fn list_chosen(domain: &mut Domain, at: &mut RuleContext) -> bool {
    let Domain::Values(e) = domain else { return false };
    list_keys(e, at)
}

/// Whether the values of a type are single values, not collections.
fn is_single(ty: &Type) -> bool {
    match ty {
        Type::Int | Type::Bool | Type::Symbol(_) | Type::Player | Type::Square => true,
        Type::Optional(of) => is_single(of),
        _ => false,
    }
}

/// Drops arms that are never taken, and those after an arm that is always taken.
fn branches(e: &mut Expr) -> bool {
    let ExprKind::If(arms, otherwise) = &mut e.kind else { return false };
    let before = arms.len();
    arms.retain(|(cond, _)| !is_bool(cond, false));
    if let Some(always) = arms.iter().position(|(cond, _)| is_bool(cond, true)) {
        arms.truncate(always + 1);
        if let Some((_, value)) = arms.pop() {
            **otherwise = value;
        }
    }
    if arms.is_empty() {
        *e = take(otherwise);
        return true;
    }
    arms.len() < before
}

/// Returns whether a comparison of integers in these ranges holds; `None` if the ranges do not decide it.
fn decided(op: Compare, (al, ah): (i128, i128), (bl, bh): (i128, i128)) -> Option<bool> {
    let less = |strict: bool| match strict {
        true if ah < bl => Some(true),
        true if al >= bh => Some(false),
        false if ah <= bl => Some(true),
        false if al > bh => Some(false),
        _ => None,
    };
    match op {
        Compare::Less => less(true),
        Compare::AtMost => less(false),
        Compare::Greater => less(false).map(|holds| !holds),
        Compare::AtLeast => less(true).map(|holds| !holds),
        Compare::Equal if ah < bl || bh < al => Some(false),
        Compare::NotEqual if ah < bl || bh < al => Some(true),
        _ => None,
    }
}

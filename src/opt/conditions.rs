//! Canonicalises conditions: pushes negations inwards, orients comparisons, splits chains, and uses `some`
//! and `all` instead of counts, sizes and lists that are only tested for emptiness.

use super::lets::is_cheap;
use super::rewrite::{
    self, Rule, RuleContext, and, bool_literal, condition, expr_like, int_literal, is_bool, is_within,
    known_int, negated, operands, or, reads_state, take,
};
use crate::ir::{
    Arith, Builtin, Compare, Domain, Expr, ExprKind, Fold, FoldKind, Type, Value, arm_values, is_nothing,
};
use crate::num::Int;

/// The rule of this pass.
pub struct Conditions;

impl Rule for Conditions {
    fn expr(&self, e: &mut Expr, at: &mut RuleContext) -> bool {
        match &mut e.kind {
            ExprKind::Not(_) => push_negation(e),
            ExprKind::Compare(_, links) if links.len() > 1 => {
                split_chain(e, at);
                true
            }
            ExprKind::Compare(..) => compare(e, at),
            ExprKind::In(..) => membership_to_comparisons(e, at),
            ExprKind::Or(..) => {
                merge_alternatives(e, at) || either_way(e, at) || whole_tuple(e, at) || sort_operands(e, at)
            }
            ExprKind::And(..) => whole_tuple(e, at) || sort_operands(e, at),
            ExprKind::If(..) if e.ty == Type::Bool => bool_if_to_logic(e),
            ExprKind::If(..) => {
                flatten_else_if(e) || merge_arms(e, at) || swap_negated_if(e) || either_value(e, at)
            }
            ExprKind::Builtin(Builtin::Empty, args) => match is_empty_condition(&mut args[0], at) {
                Some(nothing) => {
                    *e = nothing;
                    true
                }
                None => false,
            },
            ExprKind::Arith(..) | ExprKind::Negative(_) => arithmetic(e),
            _ => false,
        }
    }
}

/// Negates a condition and pushes the negation inwards as far as possible.
pub fn negate(e: Expr) -> Expr {
    let Expr { kind, ty, span } = e;
    let of = |kind| Expr { kind, ty: Type::Bool, span };
    match kind {
        ExprKind::Not(inner) => *inner,
        ExprKind::And(a, b) => of(ExprKind::Or(Box::new(negate(*a)), Box::new(negate(*b)))),
        ExprKind::Or(a, b) => of(ExprKind::And(Box::new(negate(*a)), Box::new(negate(*b)))),
        ExprKind::Compare(a, links) => match links.as_slice() {
            [(op, _)] if *op != Compare::Divides => {
                let op = op.opposite();
                let links = links.into_iter().map(|(_, b)| (op, b)).collect();
                of(ExprKind::Compare(a, links))
            }
            _ => negated(of(ExprKind::Compare(a, links))),
        },
        ExprKind::Fold(fold) if matches!(fold.kind, FoldKind::All | FoldKind::Some) => {
            let Fold { kind, sources, filter, stop, body } = *fold;
            let kind = if kind == FoldKind::All { FoldKind::Some } else { FoldKind::All };
            of(ExprKind::Fold(Box::new(Fold { kind, sources, filter, stop, body: negate(body) })))
        }
        ExprKind::Let(slots, value, body) => of(ExprKind::Let(slots, value, Box::new(negate(*body)))),
        kind => negated(Expr { kind, ty, span }),
    }
}

fn push_negation(e: &mut Expr) -> bool {
    let ExprKind::Not(inner) = &mut e.kind else { return false };
    let stays = match &inner.kind {
        ExprKind::Compare(_, links) => links.len() != 1 || links[0].0 == Compare::Divides,
        ExprKind::Fold(fold) => !matches!(fold.kind, FoldKind::All | FoldKind::Some),
        kind => !matches!(
            kind,
            ExprKind::Not(_)
                | ExprKind::And(..)
                | ExprKind::Or(..)
                | ExprKind::Let(..)
                | ExprKind::Value(Value::Bool(_))
        ),
    };
    if !stays {
        *e = negate(take(inner));
    }
    !stays
}

/// Splits `a < b < c` into two comparisons, of which the second is evaluated only if the first holds. A
/// middle operand is bound to a name if it takes more than a few instructions.
fn split_chain(e: &mut Expr, at: &mut RuleContext) {
    let like = bool_literal(true, e);
    let ExprKind::Compare(first, links) = &mut e.kind else { return };
    let mut left = take(first);
    let mut names = Vec::new();
    let mut parts = Vec::new();
    let last = links.len() - 1;
    for (i, (op, right)) in std::mem::take(links).into_iter().enumerate() {
        let right = if i == last || is_cheap(&right) {
            right
        } else {
            let slot = at.new_slot();
            let name = expr_like(ExprKind::Local(slot), right.ty.clone(), &right);
            names.push((parts.len(), slot, right));
            name
        };
        parts.push(condition(ExprKind::Compare(Box::new(left), vec![(op, right.clone())]), &like));
        left = right;
    }
    let mut all: Option<Expr> = None;
    for (i, part) in parts.into_iter().enumerate().rev() {
        let mut joined = match all {
            Some(rest) => and(part, rest),
            None => part,
        };
        if let Some((_, slot, value)) = names.iter().find(|(own, ..)| *own == i) {
            let kind = ExprKind::Let(vec![*slot], Box::new(value.clone()), Box::new(joined));
            joined = condition(kind, &like);
        }
        all = Some(joined);
    }
    *e = all.unwrap_or(like);
}

/// Decides which operand of a comparison is on the left: computed values (highest rank) before variables,
/// before constants.
fn operand_rank(e: &Expr) -> usize {
    match &e.kind {
        ExprKind::Value(_) => 0,
        ExprKind::Option(_) | ExprKind::Constant(_) => 1,
        ExprKind::Local(_) => 2,
        ExprKind::Table(_) | ExprKind::Own(..) | ExprKind::Index(..) => 4,
        _ => 3,
    }
}

fn compare(e: &mut Expr, at: &mut RuleContext) -> bool {
    let like = bool_literal(true, e);
    let ExprKind::Compare(a, links) = &mut e.kind else { return false };
    let [(op, b)] = links.as_mut_slice() else { return false };
    if *op == Compare::Divides {
        return false;
    }
    let symmetric = matches!(op, Compare::Equal | Compare::NotEqual);
    let turn = match operand_rank(a).cmp(&operand_rank(b)) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal if symmetric => at.text(a) > at.text(b),
        std::cmp::Ordering::Equal => matches!(op, Compare::Greater | Compare::AtLeast),
    };
    if turn {
        std::mem::swap(&mut **a, b);
        *op = op.mirrored();
        compare(e, at);
        return true;
    }
    let equal = *op == Compare::Equal;
    match (&a.kind, &b.kind) {
        // A comparison with a truth value.
        (_, ExprKind::Value(Value::Bool(holds))) if symmetric && a.ty == Type::Bool => {
            let same = *holds == equal;
            let inner = take(a);
            *e = if same { inner } else { negate(inner) };
            true
        }
        (_, ExprKind::Value(Value::None)) if symmetric => {
            let none = condition(ExprKind::IsNone(Box::new(take(a))), &like);
            *e = if equal { none } else { negated(none) };
            true
        }
        _ if symmetric && is_nothing(b) && a.ty.is_collection() => {
            let empty = condition(ExprKind::Builtin(Builtin::Empty, vec![take(a)]), &like);
            *e = if equal { empty } else { negated(empty) };
            true
        }
        // Each arm is compared separately; all but one are decided at once.
        (ExprKind::If(arms, otherwise), ExprKind::Value(_))
            if arm_values(arms, otherwise).filter(|e| operand_rank(e) > 0).count() <= 1 =>
        {
            let (op, b) = (*op, b.clone());
            let ExprKind::If(mut arms, mut otherwise) = take(a).kind else { return false };
            let compared = |value: &mut Expr| {
                condition(ExprKind::Compare(Box::new(take(value)), vec![(op, b.clone())]), &like)
            };
            arms.iter_mut().for_each(|(_, value)| *value = compared(value));
            *otherwise = compared(&mut otherwise);
            let outcome = |e: &mut Expr| {
                if let Some(value) = at.facts.value(e) {
                    e.kind = ExprKind::Value(value);
                }
            };
            arms.iter_mut().for_each(|(_, value)| outcome(value));
            outcome(&mut otherwise);
            *e = condition(ExprKind::If(arms, otherwise), &like);
            bool_if_to_logic(e);
            true
        }
        _ if a.ty == Type::Int && b.ty == Type::Int => compare_with_constant(e, at),
        _ => false,
    }
}

/// Simplifies the comparison of an integer with a constant.
fn compare_with_constant(e: &mut Expr, at: &mut RuleContext) -> bool {
    let like = bool_literal(true, e);
    let ExprKind::Compare(a, links) = &mut e.kind else { return false };
    let [(op, b)] = links.as_mut_slice() else { return false };
    let Some(n) = known_int(b).cloned() else { return false };
    // x + 1 < 5: x < 4
    if let ExprKind::Arith(Arith::Add, x, by) = &mut a.kind
        && let Some(by) = known_int(by).cloned()
    {
        (**a, *b) = (take(x), int_literal(n.sub(&by), &like));
        compare_with_constant(e, at);
        return true;
    }
    // x - y < 3: x < y + 3
    if let ExprKind::Arith(Arith::Sub, x, y) = &mut a.kind {
        let more = if n == Int::ZERO { take(y) } else { rewrite::arithmetic(Arith::Add, take(y), b.clone()) };
        (**a, *b) = (take(x), more);
        compare(e, at);
        return true;
    }
    if let ExprKind::Builtin(Builtin::Abs, args) = &a.kind
        && is_cheap(&args[0])
    {
        *e = compared_absolute(&args[0], *op, &n, at);
        return true;
    }
    let changed = match op {
        Compare::Less => {
            (*op, *b) = (Compare::AtMost, int_literal(n.sub(&Int::ONE), &like));
            true
        }
        Compare::Greater => {
            (*op, *b) = (Compare::AtLeast, int_literal(n.add(&Int::ONE), &like));
            true
        }
        _ => false,
    };
    let Some(n) = known_int(b).and_then(Int::as_i64).map(i128::from) else { return changed };
    let (low, high) = at.facts.of(a, &at.scope).range;
    // At the ends of the possible range.
    let end = match op {
        Compare::AtMost if n == low => Some((Compare::Equal, low)),
        Compare::AtLeast if n == high => Some((Compare::Equal, high)),
        Compare::NotEqual if n == low => Some((Compare::AtLeast, low + 1)),
        Compare::NotEqual if n == high => Some((Compare::AtMost, high - 1)),
        _ => None,
    };
    if let Some((other, n)) = end.filter(|(_, n)| i64::try_from(*n).is_ok()) {
        (*op, *b) = (other, int_literal(Int::from(n as i64), &like));
        return true;
    }
    let none = *op == Compare::Equal && n == 0;
    let any = *op == Compare::AtLeast && n == 1;
    if !none && !any {
        return changed;
    }
    let total = at.total(a);
    let asked = match &mut a.kind {
        ExprKind::Builtin(Builtin::Size, args) => is_empty_condition(&mut args[0], at).or_else(|| {
            // What two collections have in common, or not, need not be gathered.
            let combined = matches!(args[0].kind, ExprKind::Builtin(Builtin::Common | Builtin::Without, _));
            combined.then(|| condition(ExprKind::Builtin(Builtin::Empty, vec![args[0].clone()]), &like))
        }),
        // A map is tested for its keys.
        ExprKind::Builtin(Builtin::Copies, args) if !matches!(args[1].ty, Type::Grid(_) | Type::Map(..)) => {
            Some(negated(is_within(&args[0], &args[1])))
        }
        // `some` stops early, so later elements must not be able to fail.
        // Neither of two terms that are never negative is more than 0.
        ExprKind::Arith(Arith::Add, x, y)
            if total && [&x, &y].iter().all(|term| at.facts.of(term, &at.scope).range.0 >= 0) =>
        {
            let mut zero = |term: &Expr| {
                let zero =
                    ExprKind::Compare(Box::new(term.clone()), vec![(Compare::Equal, int_literal(0, &like))]);
                let mut zero = condition(zero, &like);
                compare(&mut zero, at);
                zero
            };
            Some(and(zero(x), zero(y)))
        }
        ExprKind::Fold(fold) if fold.kind == FoldKind::Count && total => {
            Some(negate(some((**fold).clone(), &like)))
        }
        ExprKind::Fold(fold) if fold.kind == FoldKind::Sum && total && is_sum_of_naturals(fold, at) => {
            let mut fold = (**fold).clone();
            fold.body = condition(
                ExprKind::Compare(Box::new(fold.body), vec![(Compare::AtLeast, int_literal(1, &like))]),
                &like,
            );
            Some(negate(some(fold, &like)))
        }
        _ => None,
    };
    match asked {
        Some(nothing) => *e = if none { nothing } else { negate(nothing) },
        None => return changed,
    }
    true
}

/// Returns `-3 <= x and x <= 3` for `abs(x) <= 3`, `x = -3 or x = 3` for `abs(x) = 3`, and so on.
fn compared_absolute(x: &Expr, op: Compare, n: &Int, at: &mut RuleContext) -> Expr {
    let like = &bool_literal(true, x);
    let mut against = |op: Compare, n: Int| {
        let mut against = rewrite::compare(x, op, &int_literal(n, like), like);
        compare(&mut against, at);
        against
    };
    let (above, below) = (against(op, n.clone()), against(op.mirrored(), -n));
    match op {
        Compare::Equal | Compare::NotEqual if *n < Int::ZERO => bool_literal(op == Compare::NotEqual, like),
        Compare::AtMost | Compare::Less | Compare::NotEqual => and(above, below),
        // If it is 0, it is at least a number that is not positive.
        _ => or(above, below),
    }
}

/// Returns the condition that the body of a binder holds for some element.
fn some(fold: Fold, like: &Expr) -> Expr {
    let fold = Fold { kind: FoldKind::Some, ..fold };
    let mut some = condition(ExprKind::Fold(Box::new(fold)), like);
    super::binders::merge_filter_into_body(&mut some);
    some
}

/// Whether no element of a sum is negative.
fn is_sum_of_naturals(fold: &Fold, at: &RuleContext) -> bool {
    let mut inside = at.scope.clone();
    at.facts.enter_total(fold, &mut inside).is_some() && at.facts.of(&fold.body, &inside).range.0 >= 0
}

/// Returns the condition that a collection is empty; `None` if there is no better form.
fn is_empty_condition(of: &mut Expr, at: &mut RuleContext) -> Option<Expr> {
    let like = bool_literal(true, of);
    match &of.kind {
        ExprKind::Fold(fold) if matches!(fold.kind, FoldKind::List | FoldKind::Set | FoldKind::Bag) => {
            let fold = Fold { body: bool_literal(true, of), ..(**fold).clone() };
            at.total(of).then(|| negate(some(fold, &like)))
        }
        ExprKind::Builtin(Builtin::Positions, args) => Some(negated(is_within(&args[0], &args[1]))),
        ExprKind::Listed(domain) => match &**domain {
            Domain::Range(low, high) => Some(condition(
                ExprKind::Compare(Box::new(low.clone()), vec![(Compare::Greater, high.clone())]),
                &like,
            )),
            _ => None,
        },
        _ => None,
    }
}

/// Rewrites `x in {a, b}` and `x in 1..5` as comparisons, except for membership in a constant set of several
/// values.
fn membership_to_comparisons(e: &mut Expr, at: &mut RuleContext) -> bool {
    let like = bool_literal(true, e);
    let ExprKind::In(value, domain) = &mut e.kind else { return false };
    // Bounds on a sum are bounds on its terms.
    let is_sum = matches!(value.kind, ExprKind::Arith(Arith::Add | Arith::Sub, ..));
    let bounds = is_sum && matches!(**domain, Domain::Range(..));
    if !is_cheap(value) && !matches!(value.kind, ExprKind::Local(_)) && !bounds {
        return false;
    }
    let compared = |op, other: Expr| condition(ExprKind::Compare(value.clone(), vec![(op, other)]), &like);
    match &**domain {
        Domain::Range(low, high) if value.ty == Type::Int && at.total(high) => {
            *e = and(compared(Compare::AtLeast, low.clone()), compared(Compare::AtMost, high.clone()));
            true
        }
        Domain::Values(of) => match &of.kind {
            ExprKind::List(parts) | ExprKind::Set(parts) if parts.iter().all(|part| at.total(part)) => {
                let any = parts.iter().map(|part| compared(Compare::Equal, part.clone()));
                *e = any.reduce(or).unwrap_or_else(|| bool_literal(false, &like));
                true
            }
            ExprKind::Value(known @ (Value::Set(_) | Value::List(_))) => {
                match crate::eval::elements(known).as_slice() {
                    [] if at.total(value) => *e = bool_literal(false, &like),
                    [one] => {
                        let one = expr_like(ExprKind::Value(one.clone()), value.ty.clone(), &like);
                        *e = compared(Compare::Equal, one);
                    }
                    _ => return false,
                }
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns the value that a condition compares for equality, and the constants it may equal.
fn equality_set(e: &Expr) -> Option<(&Expr, Vec<Value>)> {
    match &e.kind {
        ExprKind::Compare(a, links) => match links.as_slice() {
            [(Compare::Equal, Expr { kind: ExprKind::Value(value), .. })] => Some((a, vec![value.clone()])),
            _ => None,
        },
        ExprKind::In(a, domain) => match &**domain {
            Domain::Values(Expr {
                kind: ExprKind::Value(known @ (Value::Set(_) | Value::List(_))), ..
            }) => Some((a, crate::eval::elements(known))),
            _ => None,
        },
        _ => None,
    }
}

/// Rewrites `x = 1 or x = 3` as a single membership test.
fn merge_alternatives(e: &mut Expr, at: &mut RuleContext) -> bool {
    let like = bool_literal(true, e);
    let ExprKind::Or(a, b) = &mut e.kind else { return false };
    let (Some((x, mut values)), Some((y, more))) = (equality_set(a), equality_set(b)) else { return false };
    if at.text(x) != at.text(y) {
        return false;
    }
    values.extend(more);
    let set = expr_like(ExprKind::Value(Value::set(values)), Type::Set(Box::new(x.ty.clone())), &like);
    *e = condition(ExprKind::In(Box::new(x.clone()), Box::new(Domain::Values(set))), &like);
    true
}

/// Rewrites `e.1 = a and e.2 = b` as `e = (a, b)`, if e has no other parts, and `e.1 != a or e.2 != b` as the reverse.
fn whole_tuple(e: &mut Expr, at: &RuleContext) -> bool {
    let both = matches!(e.kind, ExprKind::And(..));
    let wanted = if both { Compare::Equal } else { Compare::NotEqual };
    let part_of = |e: &Expr| match &e.kind {
        ExprKind::Part(of, number) => Some(((**of).clone(), *number)),
        _ => None,
    };
    // The tuple, its text, which of its parts is compared, and with what.
    let compared = |part: &Expr| -> Option<(Expr, String, usize, Expr)> {
        let ExprKind::Compare(a, links) = &part.kind else { return None };
        let [(op, b)] = links.as_slice() else { return None };
        let ((of, number), value) = match (part_of(a), part_of(b)) {
            (Some(part), _) => (part, b),
            (None, Some(part)) => (part, &**a),
            _ => return None,
        };
        let single =
            matches!(value.ty, Type::Int | Type::Bool | Type::Player | Type::Square | Type::Symbol(_));
        let fits = *op == wanted && single && a.ty == b.ty && is_cheap(value) && at.total(value);
        fits.then(|| (of.clone(), at.text(&of), number, value.clone()))
    };
    let mut conditions = Vec::new();
    operands(e, both, &mut conditions);
    let parts: Vec<_> = conditions.iter().map(|part| compared(part)).collect();
    for (of, text, ..) in parts.iter().flatten() {
        let Type::Tuple(types) = &of.ty else { continue };
        let compared_with = |number: usize| {
            parts.iter().enumerate().find_map(|(place, part)| {
                let (_, base, part, value) = part.as_ref()?;
                (*part == number && base == text).then(|| (place, value.clone()))
            })
        };
        let each: Option<Vec<(usize, Expr)>> = (0..types.len()).map(compared_with).collect();
        let Some((places, values)): Option<(Vec<usize>, Vec<Expr>)> =
            each.map(|each| each.into_iter().unzip())
        else {
            continue;
        };
        let tuple = expr_like(ExprKind::Tuple(values), of.ty.clone(), e);
        let whole = condition(ExprKind::Compare(Box::new(of.clone()), vec![(wanted, tuple)]), e);
        let others = conditions.iter().enumerate().filter(|(place, _)| !places.contains(place));
        *e = others.map(|(_, part)| (*part).clone()).fold(whole, if both { and } else { or });
        return true;
    }
    false
}

/// Rewrites `x < y or y < x` as `x != y`.
fn either_way(e: &mut Expr, at: &RuleContext) -> bool {
    let ExprKind::Or(a, b) = &mut e.kind else { return false };
    let (ExprKind::Compare(x, less), ExprKind::Compare(y, more)) = (&mut a.kind, &mut b.kind) else {
        return false;
    };
    let ([(Compare::Less, z)], [(Compare::Less, w)]) = (less.as_mut_slice(), more.as_slice()) else {
        return false;
    };
    if at.text(x) != at.text(w) || at.text(z) != at.text(y) {
        return false;
    }
    e.kind = ExprKind::Compare(Box::new(take(x)), vec![(Compare::NotEqual, take(z))]);
    true
}

/// Sorts the operands of a conjunction or disjunction, cheapest first, as far as none of them can fail.
fn sort_operands(e: &mut Expr, at: &mut RuleContext) -> bool {
    let is_and = matches!(e.kind, ExprKind::And(..));
    let mut all = Vec::new();
    operands(e, is_and, &mut all);
    // An operand that can fail stays in place, as do all after it.
    let free = all.iter().position(|part| !at.total(part)).unwrap_or(all.len());
    // Operands that never change during a match come first, since they are precomputed.
    let effort = |e: &Expr| super::rewrite::size(e) + if reads_state(e) { 1 << 20 } else { 0 };
    let mut keyed: Vec<(usize, String, &Expr)> =
        all[..free].iter().map(|part| (effort(part), at.text(part), *part)).collect();
    let sorted = keyed.windows(2).all(|pair| (pair[0].0, &pair[0].1) < (pair[1].0, &pair[1].1));
    let nested = matches!(&e.kind, ExprKind::And(a, _) if is_and && matches!(a.kind, ExprKind::And(..)))
        || matches!(&e.kind, ExprKind::Or(a, _) if !is_and && matches!(a.kind, ExprKind::Or(..)));
    if sorted && !nested {
        return false;
    }
    keyed.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    keyed.dedup_by(|a, b| a.1 == b.1);
    let mut rest =
        keyed.into_iter().map(|(_, _, part)| part).chain(all[free..].iter().copied()).rev().cloned();
    let join = |after: Expr, before: Expr| if is_and { and(before, after) } else { or(before, after) };
    let last = rest.next();
    let Some(joined) = last.map(|last| rest.fold(last, join)) else { return false };
    *e = joined;
    true
}

/// Rewrites an `if` between conditions as `and` and `or`.
fn bool_if_to_logic(e: &mut Expr) -> bool {
    let ExprKind::If(arms, otherwise) = &mut e.kind else { return false };
    let known = |e: &Expr| is_bool(e, true) || is_bool(e, false);
    // A condition is copied unless its own value, or what follows, is known.
    let single = |(i, (cond, value)): (usize, &(Expr, Expr))| {
        known(value) || is_cheap(cond) || i + 1 == arms.len() && known(otherwise)
    };
    if !arms.iter().enumerate().all(single) {
        return false;
    }
    let mut all = take(otherwise);
    for (cond, value) in std::mem::take(arms).into_iter().rev() {
        all = match () {
            () if is_bool(&value, true) => or(cond, all),
            () if is_bool(&value, false) => and(negate(cond), all),
            () if is_bool(&all, true) => or(negate(cond), value),
            () if is_bool(&all, false) => and(cond, value),
            () => or(and(cond.clone(), value), and(negate(cond), all)),
        };
    }
    *e = all;
    true
}

/// Rewrites `if a then x else (if b then y else z)` with its arms in one list.
fn flatten_else_if(e: &mut Expr) -> bool {
    let ExprKind::If(arms, otherwise) = &mut e.kind else { return false };
    let ExprKind::If(more, last) = &mut otherwise.kind else { return false };
    arms.append(more);
    let last = take(last);
    **otherwise = last;
    true
}

/// Rewrites `if a then x else if b then x else y` as `if a or b then x else y`.
fn merge_arms(e: &mut Expr, at: &RuleContext) -> bool {
    let ExprKind::If(arms, _) = &mut e.kind else { return false };
    let same = arms.windows(2).position(|pair| at.text(&pair[0].1) == at.text(&pair[1].1));
    let Some(first) = same else { return false };
    let (second, _) = arms.remove(first + 1);
    let cond = &mut arms[first].0;
    *cond = or(take(cond), second);
    true
}

/// Rewrites `if a != b then x else y` as `if a = b then y else x`.
fn swap_negated_if(e: &mut Expr) -> bool {
    let ExprKind::If(arms, otherwise) = &mut e.kind else { return false };
    let [(cond, value)] = arms.as_mut_slice() else { return false };
    let negative = match &cond.kind {
        ExprKind::Not(_) => true,
        ExprKind::Compare(_, links) => matches!(links.as_slice(), [(Compare::NotEqual, _)]),
        _ => false,
    };
    if negative {
        *cond = negate(take(cond));
        std::mem::swap(value, otherwise);
    }
    negative
}

/// Rewrites `if x > 0 then x else 0` as `x`, where that is never negative: in the other case it is the number that is written.
fn either_value(e: &mut Expr, at: &RuleContext) -> bool {
    let ExprKind::If(arms, otherwise) = &mut e.kind else { return false };
    let [(cond, value)] = arms.as_mut_slice() else { return false };
    let is_same = |other: &Expr, n: &Expr, holds: bool| {
        let Some(n) = known_int(n).and_then(Int::as_i64).map(i128::from) else { return false };
        let mut scope = at.scope.clone();
        at.facts.assume(cond, holds, &mut scope);
        at.total(other) && at.facts.of(other, &scope).range == (n, n)
    };
    if !at.total(cond) {
        return false;
    }
    *e = match () {
        () if is_same(value, otherwise, false) => take(value),
        () if is_same(otherwise, value, true) => take(otherwise),
        () => return false,
    };
    true
}

/// Canonicalises sums with a constant: the constant is on the right, and is added rather than subtracted.
fn arithmetic(e: &mut Expr) -> bool {
    let like = bool_literal(true, e);
    match &mut e.kind {
        ExprKind::Negative(a) => match &mut a.kind {
            ExprKind::Negative(inner) => *e = take(inner),
            _ => return false,
        },
        ExprKind::Arith(Arith::Add | Arith::Mul, a, b) if operand_rank(a) == 0 && operand_rank(b) > 0 => {
            std::mem::swap(a, b);
            arithmetic(e);
        }
        ExprKind::Arith(op @ Arith::Sub, _, b) if known_int(b).is_some() => {
            let n = known_int(b).cloned().unwrap_or(Int::ZERO);
            (*op, **b) = (Arith::Add, int_literal(-&n, &like));
            arithmetic(e);
        }
        ExprKind::Arith(op @ (Arith::Add | Arith::Sub), _, b) if matches!(b.kind, ExprKind::Negative(_)) => {
            let ExprKind::Negative(inner) = &mut b.kind else { return false };
            let inner = take(inner);
            *op = if *op == Arith::Add { Arith::Sub } else { Arith::Add };
            **b = inner;
        }
        ExprKind::Arith(Arith::Add, a, b) => {
            let ExprKind::Arith(Arith::Add, x, first) = &mut a.kind else { return false };
            let (Some(first), Some(second)) = (known_int(first).cloned(), known_int(b).cloned()) else {
                return false;
            };
            (**a, **b) = (take(x), int_literal(first.add(&second), &like));
        }
        _ => return false,
    }
    true
}

//! Derives bounds on an integer from conditions. A comparison that is linear in the value, with a factor of known sign,
//! yields a lower or an upper bound.

use super::inwards::inwards;
use super::{
    Arith, Builtin, Compare, Domain, Expr, ExprKind, Form, Game, Move, MoveCheck, Param, Slot, Type, Value,
    bound_slots, children, children_mut, reads,
};
use crate::num::Int;

/// The lower and upper bounds that conditions place on an integer.
#[derive(Debug, Clone, Default)]
pub struct Bounds {
    /// The integer is not less than any of these.
    pub least: Vec<Expr>,
    /// The integer is not greater than any of these.
    pub most: Vec<Expr>,
}

/// Returns bounds for each chosen parameter of a move, in order. Only integers chosen from a range or a
/// collection get bounds, and only from needs whose limits depend neither on another parameter nor on a name.
pub fn bounds_by_needs(game: &Game, mv: &Move) -> Vec<Bounds> {
    let chosen: Vec<_> = mv.params.iter().filter(|param| param.domain.is_some()).collect();
    let mut bounds = vec![Bounds::default(); chosen.len()];
    let bounded = |param: &Param| {
        let some = matches!(param.domain, Some(Domain::Range(..) | Domain::Values(_)));
        some && param.ty == Type::Int && param.window.is_none() && param.sampling_domain.is_none()
    };
    if !chosen.iter().any(|param| bounded(param)) {
        return bounds;
    }
    let (conditions, named) = needed(game, mv);
    let positive = |e: &Expr| is_positive(game, mv, e);
    for (param, bounds) in chosen.iter().zip(&mut bounds) {
        if !bounded(param) {
            continue;
        }
        for condition in &conditions {
            let Some(found) = bounds_of(condition, param.slot, &positive) else { continue };
            // When moves are drawn, names and other parameters have no values yet.
            let unknown = chosen.iter().map(|other| other.slot).chain(named.iter().copied());
            let known = |e: &Expr| is_plain(e) && !unknown.clone().any(|slot| reads(e, slot));
            bounds.least.extend(found.least.into_iter().filter(known));
            bounds.most.extend(found.most.into_iter().filter(known));
        }
    }
    bounds
}

/// What the needs of a move say of its last chosen parameter once the others are known.
#[derive(Debug, Clone)]
pub struct BoundsOnLast {
    /// The bounds, which read other chosen parameters.
    pub bounds: Bounds,
    /// Whether they leave one value at most.
    pub leaves_one: bool,
}

/// Returns the bounds that the needs put on the last chosen parameter of a move, if that is an integer from a range whose
/// legal values need not be looked for once the others are known: an equation leaves one, or bounds are all that
/// the needs say of it. `None` if it is not, or nothing ties it to another parameter.
pub fn bounds_on_last(game: &Game, mv: &Move) -> Option<BoundsOnLast> {
    let mut chosen = mv.params.iter().filter(|param| param.domain.is_some());
    let last = chosen.next_back()?;
    let plain = matches!(last.domain, Some(Domain::Range(..))) && last.ty == Type::Int;
    if !plain || last.window.is_some() || last.sampling_domain.is_some() {
        return None;
    }
    let (conditions, named) = needed(game, mv);
    let positive = |e: &Expr| is_positive(game, mv, e);
    let mut all = BoundsOnLast { bounds: Bounds::default(), leaves_one: false };
    let (mut tied, mut only_bounds) = (false, true);
    if let Some(Domain::Range(low, high)) = &last.domain {
        // A range that begins or ends at another parameter is one with a need.
        let tie = |end: &&Expr| is_plain(end) && chosen.clone().any(|other| reads(end, other.slot));
        all.bounds.least.extend(Some(low).filter(tie).cloned());
        all.bounds.most.extend(Some(high).filter(tie).cloned());
        tied = !all.bounds.least.is_empty() || !all.bounds.most.is_empty();
    }
    for condition in conditions.iter().filter(|condition| reads(condition, last.slot)) {
        let known = |e: &Expr| is_plain(e) && !named.iter().any(|slot| reads(e, *slot));
        let found = bounds_of(condition, last.slot, &positive);
        let found = found.filter(|found| found.least.iter().chain(&found.most).all(known));
        let Some(Bounds { least, most }) = found else {
            only_bounds = false;
            continue;
        };
        let ties = least.iter().chain(&most).any(|end| chosen.clone().any(|other| reads(end, other.slot)));
        tied |= ties;
        let equation = matches!(&condition.kind, ExprKind::Compare(_, links) if links[0].0 == Compare::Equal);
        all.leaves_one |= ties && equation;
        all.bounds.least.extend(least);
        all.bounds.most.extend(most);
    }
    (tied && (only_bounds || all.leaves_one)).then_some(all)
}

/// Whether an integer is positive for certain, judging by what is declared.
fn is_positive(game: &Game, mv: &Move, e: &Expr) -> bool {
    let positive = |e: &Expr| is_positive(game, mv, e);
    let declared = |form: &Form| match form {
        Form::Range(low, _) | Form::AtLeast(low) => positive(low),
        _ => false,
    };
    match &e.kind {
        ExprKind::Value(Value::Int(n)) => *n > Int::ZERO,
        ExprKind::Local(slot) => mv.params.iter().any(|param| {
            let low = match &param.domain {
                Some(Domain::Range(low, _) | Domain::AtLeast(low)) => Some(low),
                _ => None,
            };
            param.slot == *slot && low.is_some_and(positive)
        }),
        ExprKind::Table(state) | ExprKind::Own(state, _) => declared(&game.state[*state].form),
        ExprKind::Arith(Arith::Add | Arith::Mul, a, b) => positive(a) && positive(b),
        _ => false,
    }
}

/// Returns the conditions that the needs of a move demand, with functions and names put in where they are
/// simple, and the slots that are named.
fn needed(game: &Game, mv: &Move) -> (Vec<Expr>, Vec<Slot>) {
    // The values of the names that stand for one.
    let (mut named, mut names): (Vec<Slot>, Vec<(Slot, &Expr)>) = Default::default();
    let mut conditions = Vec::new();
    for check in &mv.checks {
        match check {
            MoveCheck::Let(slots, value) => {
                named.extend(slots);
                if let [slot] = slots.as_slice() {
                    names.push((*slot, value));
                }
            }
            MoveCheck::Need { cond, .. } => {
                let mut cond = cond.clone();
                names
                    .iter()
                    .rev()
                    .for_each(|(slot, value)| put(&mut cond, &|own| (own == *slot).then_some(*value)));
                expand(game, &mut cond);
                conjuncts(inwards(cond, true), &mut conditions);
            }
            MoveCheck::SoftNeed { .. } => {}
        }
    }
    (conditions, named)
}

/// Inlines calls of functions whose bodies bind no names and call no other functions.
pub(super) fn expand(game: &Game, e: &mut Expr) {
    children_mut(e, &mut |part| expand(game, part));
    let ExprKind::Call(id, args) = &mut e.kind else { return };
    let body = &game.functions[*id].lambda.body;
    if !is_plain(body) {
        return;
    }
    let (args, mut body) = (std::mem::take(args), body.clone());
    put(&mut body, &|slot| args.get(slot));
    expand(game, &mut body);
    *e = body;
}

/// Whether an expression has no binders and no calls.
pub(super) fn is_plain(e: &Expr) -> bool {
    let mut plain = bound_slots(e).is_empty() && !matches!(e.kind, ExprKind::Call(..));
    children(e, &mut |part| plain = plain && is_plain(part));
    plain
}

/// Substitutes expressions for slots.
fn put<'e>(e: &mut Expr, by: &dyn Fn(Slot) -> Option<&'e Expr>) {
    if let ExprKind::Local(slot) = &e.kind {
        if let Some(other) = by(*slot) {
            *e = other.clone();
        }
        return;
    }
    children_mut(e, &mut |part| put(part, by));
}

/// Splits a condition into its conjuncts; a chain of comparisons is split into its links, and a limit on an absolute
/// value into one above and one below.
pub fn conjuncts(e: Expr, out: &mut Vec<Expr>) {
    match e.kind {
        ExprKind::And(a, b) => {
            conjuncts(*a, out);
            conjuncts(*b, out);
        }
        ExprKind::Compare(first, links) if links.len() > 1 => {
            let mut left = first;
            for (op, right) in links {
                let kind = ExprKind::Compare(left, vec![(op, right.clone())]);
                out.push(Expr { kind, ty: e.ty.clone(), span: e.span });
                left = Box::new(right);
            }
        }
        _ => match ends_of_absolute(&e) {
            Some(ends) => out.extend(ends),
            None => out.push(e),
        },
    }
}

/// Returns the two limits that one on an absolute value stands for: `-b <= a` and `a <= b` for `abs(a) <= b`.
fn ends_of_absolute(e: &Expr) -> Option<[Expr; 2]> {
    let ExprKind::Compare(a, links) = &e.kind else { return None };
    let [(op, b)] = links.as_slice() else { return None };
    let (absolute, op, limit) = match op {
        Compare::AtMost | Compare::Less => (&**a, *op, b),
        Compare::AtLeast | Compare::Greater => (b, op.mirrored(), &**a),
        Compare::Equal | Compare::NotEqual | Compare::Divides => return None,
    };
    let ExprKind::Builtin(Builtin::Abs, args) = &absolute.kind else { return None };
    let compare = |op: Compare, limit: Expr| {
        let kind = ExprKind::Compare(Box::new(args[0].clone()), vec![(op, limit)]);
        Expr { kind, ..e.clone() }
    };
    Some([compare(op, limit.clone()), compare(op.mirrored(), negative(limit.clone()))])
}

/// Returns the bounds that a condition places on the integer in a slot, if the condition is equivalent to
/// those bounds. `positive` tells whether a factor is positive for certain.
pub fn bounds_of(condition: &Expr, slot: Slot, positive: &dyn Fn(&Expr) -> bool) -> Option<Bounds> {
    match &condition.kind {
        ExprKind::Compare(a, links) => {
            let [(op, b)] = links.as_slice() else { return None };
            if a.ty != Type::Int || b.ty != Type::Int {
                return None;
            }
            let (left, right) = (Linear::of(a, slot, positive)?, Linear::of(b, slot, positive)?);
            left.minus(right)?.bounds(*op, condition)
        }
        ExprKind::In(value, domain) => match (&value.kind, &**domain) {
            (ExprKind::Local(own), Domain::Range(low, high))
                if *own == slot && ![low, high].iter().any(|end| reads(end, slot)) =>
            {
                Some(Bounds { least: vec![low.clone()], most: vec![high.clone()] })
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns what a condition implies whatever the integer in a slot is, if that lies in a range: linear comparisons
/// without the slot. `positive` tells whether a factor is positive for certain.
pub fn implied_for_range(
    condition: &Expr,
    slot: Slot,
    (low, high): (&Expr, &Expr),
    positive: &dyn Fn(&Expr) -> bool,
) -> Vec<Expr> {
    let ExprKind::Compare(a, links) = &condition.kind else { return Vec::new() };
    let [(op, b)] = links.as_slice() else { return Vec::new() };
    if a.ty != Type::Int || b.ty != Type::Int {
        return Vec::new();
    }
    let both = Linear::of(a, slot, positive).zip(Linear::of(b, slot, positive));
    let difference = both.and_then(|(a, b)| a.minus(b));
    let Some(Linear { factor, unit, rest }) = difference.filter(|all| all.factor != 0) else {
        return Vec::new();
    };
    let with = |end: &Expr, op: Compare| {
        let term = arithmetic(Arith::Mul, whole(Int::from(factor), end), end.clone());
        let term = match &unit {
            Some(unit) => arithmetic(Arith::Mul, term, unit.clone()),
            None => term,
        };
        let sum = match &rest {
            Some(rest) => arithmetic(Arith::Add, rest.clone(), term),
            None => term,
        };
        let links = vec![(op, whole(Int::ZERO, condition))];
        Expr { kind: ExprKind::Compare(Box::new(sum), links), ..condition.clone() }
    };
    // Where the difference is least and where it is greatest.
    let (least, greatest) = if factor > 0 { (low, high) } else { (high, low) };
    match op {
        Compare::AtMost | Compare::Less => vec![with(least, *op)],
        Compare::AtLeast | Compare::Greater => vec![with(greatest, *op)],
        Compare::Equal => vec![with(least, Compare::AtMost), with(greatest, Compare::AtLeast)],
        Compare::NotEqual | Compare::Divides => Vec::new(),
    }
}

/// A linear expression `factor · unit · n + rest`, where `n` is the integer in a slot and `unit` is positive; no unit means 1, and no
/// `rest` means 0.
#[derive(Default)]
struct Linear {
    factor: i64,
    unit: Option<Expr>,
    rest: Option<Expr>,
}

impl Linear {
    /// Reads an integer expression as linear in the slot; `None` if it is not.
    fn of(e: &Expr, slot: Slot, positive: &dyn Fn(&Expr) -> bool) -> Option<Linear> {
        let of = |e: &Expr| Linear::of(e, slot, positive);
        if !reads(e, slot) {
            return Some(Linear { rest: Some(e.clone()), ..Linear::default() });
        }
        match &e.kind {
            ExprKind::Local(_) => Some(Linear { factor: 1, ..Linear::default() }),
            ExprKind::Negative(a) => Linear::default().minus(of(a)?),
            ExprKind::Arith(Arith::Add, a, b) => of(a)?.minus(Linear::default().minus(of(b)?)?),
            ExprKind::Arith(Arith::Sub, a, b) => of(a)?.minus(of(b)?),
            ExprKind::Arith(Arith::Mul, a, b) => {
                let (by, other) = if reads(a, slot) { (b, a) } else { (a, b) };
                let Linear { factor, unit, rest } = of(other)?;
                let rest = rest.map(|rest| arithmetic(Arith::Mul, rest, (**by).clone()));
                match &by.kind {
                    ExprKind::Value(Value::Int(n)) => {
                        Some(Linear { factor: factor.checked_mul(n.as_i64()?)?, unit, rest })
                    }
                    _ if !reads(by, slot) && positive(by) => {
                        let unit = match unit {
                            Some(unit) => arithmetic(Arith::Mul, unit, (**by).clone()),
                            None => (**by).clone(),
                        };
                        Some(Linear { factor, unit: Some(unit), rest })
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Subtracts a linear expression; `None` if that has another unit.
    fn minus(self, other: Linear) -> Option<Linear> {
        let unit = match (self.unit, other.unit) {
            (unit, None) if other.factor == 0 => unit,
            (None, unit) if self.factor == 0 => unit,
            (None, None) => None,
            _ => return None,
        };
        let rest = match (self.rest, other.rest) {
            (rest, None) => rest,
            (None, Some(rest)) => Some(negative(rest)),
            (Some(a), Some(b)) => Some(arithmetic(Arith::Sub, a, b)),
        };
        Some(Linear { factor: self.factor.checked_sub(other.factor)?, unit, rest })
    }

    /// Returns the bounds on the slot's integer under which `self op 0` holds.
    fn bounds(self, op: Compare, like: &Expr) -> Option<Bounds> {
        if self.factor == 0 {
            return None;
        }
        // factor · unit · n ≤ limit, and so on.
        let (factor, op) =
            if self.factor < 0 { (self.factor.checked_neg()?, op.mirrored()) } else { (self.factor, op) };
        let limit = match self.rest {
            None => whole(Int::ZERO, like),
            Some(rest) if self.factor > 0 => negative(rest),
            Some(rest) => rest,
        };
        let one = |e: Expr, by: Arith| {
            let one = whole(Int::ONE, &e);
            arithmetic(by, e, one)
        };
        let by = match self.unit {
            None => (factor != 1).then(|| whole(Int::from(factor), like)),
            Some(unit) if factor == 1 => Some(unit),
            Some(unit) => Some(arithmetic(Arith::Mul, whole(Int::from(factor), like), unit)),
        };
        let floor = |e: Expr| match &by {
            None => e,
            Some(by) => arithmetic(Arith::Div, e, by.clone()),
        };
        let ceiling = |e: Expr| if by.is_none() { e } else { negative(floor(negative(e))) };
        Some(match op {
            Compare::AtMost => Bounds { least: Vec::new(), most: vec![floor(limit)] },
            Compare::Less => Bounds { least: Vec::new(), most: vec![floor(one(limit, Arith::Sub))] },
            Compare::AtLeast => Bounds { least: vec![ceiling(limit)], most: Vec::new() },
            Compare::Greater => Bounds { least: vec![one(floor(limit), Arith::Add)], most: Vec::new() },
            Compare::Equal => Bounds { least: vec![ceiling(limit.clone())], most: vec![floor(limit)] },
            Compare::NotEqual | Compare::Divides => return None,
        })
    }
}

fn whole(n: Int, like: &Expr) -> Expr {
    integer(ExprKind::Value(Value::Int(n)), like)
}

fn integer(kind: ExprKind, like: &Expr) -> Expr {
    Expr { kind, ty: Type::Int, span: like.span }
}

/// Returns a sum, difference, product or quotient; those of constants are worked out.
fn arithmetic(op: Arith, a: Expr, b: Expr) -> Expr {
    let like = a.clone();
    let known = |e: &Expr| match &e.kind {
        ExprKind::Value(Value::Int(n)) => Some(n.clone()),
        _ => None,
    };
    match (op, known(&a), known(&b)) {
        (Arith::Add, Some(a), Some(b)) => whole(a.add(&b), &like),
        (Arith::Sub, Some(a), Some(b)) => whole(a.sub(&b), &like),
        (Arith::Add | Arith::Sub, _, Some(n)) if n.is_zero() => a,
        (Arith::Sub, _, Some(n)) if n < Int::ZERO => {
            arithmetic(Arith::Add, a, whole(Int::ZERO.sub(&n), &like))
        }
        (Arith::Mul, Some(a), Some(b)) if let Ok(product) = a.mul(&b) => whole(product, &like),
        _ => integer(ExprKind::Arith(op, Box::new(a), Box::new(b)), &like),
    }
}

fn negative(e: Expr) -> Expr {
    match &e.kind {
        ExprKind::Negative(inner) => (**inner).clone(),
        ExprKind::Value(Value::Int(n)) => whole(Int::ZERO.sub(n), &e),
        ExprKind::Arith(Arith::Sub, a, b) => arithmetic(Arith::Sub, (**b).clone(), (**a).clone()),
        ExprKind::Arith(Arith::Add, a, b) => arithmetic(Arith::Sub, negative((**a).clone()), (**b).clone()),
        _ => {
            let like = e.clone();
            integer(ExprKind::Negative(Box::new(e)), &like)
        }
    }
}

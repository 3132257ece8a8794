//! Bounds: what conditions leave of a range of integers. A comparison in which a parameter stands with a known factor says from where, or
//! up to where, the parameter goes; it need not be asked of each value then.

use super::candidates::{Candidate, Candidates};
use super::conditions::{Conditions, mirrored};
use super::rewrite::{At, expr, made, reads};
use crate::ir::{Arith, Builtin, Compare, Domain, Expr, ExprKind, Slot, Type, Value};
use crate::num::Int;

/// Up to so many values conditions are asked of all at once, as bits of a word: where some of them are no bounds, those that are
/// save nothing.
const AT_ONCE: i128 = 64;

/// From where and up to where a condition lets an integer go.
#[derive(Debug, Default)]
struct Bounds {
    least: Option<Expr>,
    most: Option<Expr>,
}

impl Candidates {
    /// Puts conditions that are bounds of a range into its ends, and says how many integers that leaves at most.
    pub(super) fn narrow(&mut self, at: &mut At) {
        let outside = at.scope.clone();
        for param in &mut self.params {
            param.narrow(at);
            if let Domain::Range(..) = param.domain {
                let (_, most) = at.facts.count(&param.domain, &at.scope);
                param.most = i64::try_from(most).ok().filter(|most| *most < i64::MAX / 4);
            }
            let fact = at.facts.of_domain(&param.domain, &at.scope);
            at.scope.insert(param.slot, fact);
        }
        at.scope = outside;
    }
}

impl Candidate {
    fn narrow(&mut self, at: &mut At) {
        if !matches!(self.domain, Domain::Range(..)) {
            return;
        }
        let (mut bounds, mut others) = (Vec::new(), Vec::new());
        for condition in &self.predicates {
            // What may fail is asked of all values that it was asked of before.
            let free = others.iter().all(|other| at.total(other));
            match bounds_of(condition, self.slot).filter(|_| free) {
                Some(found) => bounds.push(found),
                None => others.push(condition.clone()),
            }
        }
        let many = at.facts.count(&self.domain, &at.scope).1 > AT_ONCE;
        let Domain::Range(low, high) = &mut self.domain else { return };
        if bounds.is_empty() || !others.is_empty() && !many {
            return;
        }
        for Bounds { least, most } in bounds {
            put(low, Builtin::Max, least, at);
            put(high, Builtin::Min, most, at);
        }
        self.predicates = others;
    }
}

/// Moves an end inwards.
fn put(end: &mut Expr, way: Builtin, bound: Option<Expr>, at: &mut At) {
    let Some(mut bound) = bound else { return };
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
        false => made(ExprKind::Builtin(way, vec![old.clone(), bound]), Type::Int, &old),
    };
}

/// What a condition says of the integers that a slot may be, if it says no more than that.
fn bounds_of(condition: &Expr, slot: Slot) -> Option<Bounds> {
    match &condition.kind {
        ExprKind::Compare(a, links) => {
            let [(op, b)] = links.as_slice() else { return None };
            if a.ty != Type::Int || b.ty != Type::Int {
                return None;
            }
            let (left, right) = (Linear::of(a, slot)?, Linear::of(b, slot)?);
            left.minus(right)?.bounds(*op, condition)
        }
        ExprKind::In(value, domain) => match (&value.kind, &**domain) {
            (ExprKind::Local(own), Domain::Range(low, high))
                if *own == slot && ![low, high].iter().any(|end| reads(end, &[slot])) =>
            {
                Some(Bounds { least: Some(low.clone()), most: Some(high.clone()) })
            }
            _ => None,
        },
        _ => None,
    }
}

/// A slot's integer times a factor, and what is added to it.
struct Linear {
    factor: i64,
    rest: Option<Expr>,
}

impl Linear {
    /// An expression of integers as such a sum.
    fn of(e: &Expr, slot: Slot) -> Option<Linear> {
        if !reads(e, &[slot]) {
            return Some(Linear { factor: 0, rest: Some(e.clone()) });
        }
        match &e.kind {
            ExprKind::Local(_) => Some(Linear { factor: 1, rest: None }),
            ExprKind::Negative(a) => Linear { factor: 0, rest: None }.minus(Linear::of(a, slot)?),
            ExprKind::Arith(Arith::Add, a, b) => {
                let negative = Linear { factor: 0, rest: None }.minus(Linear::of(b, slot)?)?;
                Linear::of(a, slot)?.minus(negative)
            }
            ExprKind::Arith(Arith::Sub, a, b) => Linear::of(a, slot)?.minus(Linear::of(b, slot)?),
            ExprKind::Arith(Arith::Mul, a, b) => {
                let (number, other) = match (&a.kind, &b.kind) {
                    (ExprKind::Value(Value::Int(n)), _) => (n, b),
                    (_, ExprKind::Value(Value::Int(n))) => (n, a),
                    _ => return None,
                };
                let Linear { factor, rest } = Linear::of(other, slot)?;
                let rest = rest.map(|rest| arithmetic(Arith::Mul, rest, whole(number.clone(), e)));
                Some(Linear { factor: factor.checked_mul(number.as_i64()?)?, rest })
            }
            _ => None,
        }
    }

    fn minus(self, other: Linear) -> Option<Linear> {
        let rest = match (self.rest, other.rest) {
            (rest, None) => rest,
            (None, Some(rest)) => Some(negative(rest)),
            (Some(a), Some(b)) => Some(arithmetic(Arith::Sub, a, b)),
        };
        Some(Linear { factor: self.factor.checked_sub(other.factor)?, rest })
    }

    /// What it means for the slot's integer that this compares so with nothing.
    fn bounds(self, op: Compare, like: &Expr) -> Option<Bounds> {
        if self.factor == 0 {
            return None;
        }
        // factor · n ≤ limit, and so on.
        let (factor, op) =
            if self.factor < 0 { (self.factor.checked_neg()?, mirrored(op)) } else { (self.factor, op) };
        let limit = match self.rest {
            None => whole(Int::ZERO, like),
            Some(rest) if self.factor > 0 => negative(rest),
            Some(rest) => rest,
        };
        let one = |e: Expr, by: Arith| {
            let one = whole(Int::ONE, &e);
            arithmetic(by, e, one)
        };
        let floor = |e: Expr| match factor {
            1 => e,
            _ => {
                let by = whole(Int::from(factor), &e);
                arithmetic(Arith::Div, e, by)
            }
        };
        let ceiling = |e: Expr| if factor == 1 { e } else { negative(floor(negative(e))) };
        Some(match op {
            Compare::AtMost => Bounds { least: None, most: Some(floor(limit)) },
            Compare::Less => Bounds { least: None, most: Some(floor(one(limit, Arith::Sub))) },
            Compare::AtLeast => Bounds { least: Some(ceiling(limit)), most: None },
            Compare::Greater => Bounds { least: Some(one(floor(limit), Arith::Add)), most: None },
            Compare::Equal => Bounds { least: Some(ceiling(limit.clone())), most: Some(floor(limit)) },
            Compare::NotEqual | Compare::Divides => return None,
        })
    }
}

fn whole(n: Int, like: &Expr) -> Expr {
    made(ExprKind::Value(Value::Int(n)), Type::Int, like)
}

fn arithmetic(op: Arith, a: Expr, b: Expr) -> Expr {
    let like = a.clone();
    made(ExprKind::Arith(op, Box::new(a), Box::new(b)), Type::Int, &like)
}

fn negative(e: Expr) -> Expr {
    match e.kind {
        ExprKind::Negative(inner) => *inner,
        _ => {
            let like = e.clone();
            made(ExprKind::Negative(Box::new(e)), Type::Int, &like)
        }
    }
}

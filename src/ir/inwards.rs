//! Normalises conditions: pushes negations inwards, and rewrites `if` between conditions as `and` and `or`.

use super::{Compare, Expr, ExprKind, Type, Value};
use crate::num::Int;

impl Compare {
    /// Whether the comparison of two integers holds.
    #[inline]
    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Compare::Equal => a == b,
            Compare::NotEqual => a != b,
            Compare::Less => a < b,
            Compare::AtMost => a <= b,
            Compare::Greater => a > b,
            Compare::AtLeast => a >= b,
            Compare::Divides => Int::Small(a).divides(&Int::Small(b)),
        }
    }

    /// Returns the comparison that holds where this one fails; `divides` has none and is returned as is.
    pub fn opposite(self) -> Compare {
        match self {
            Compare::Equal => Compare::NotEqual,
            Compare::NotEqual => Compare::Equal,
            Compare::Less => Compare::AtLeast,
            Compare::AtMost => Compare::Greater,
            Compare::Greater => Compare::AtMost,
            Compare::AtLeast => Compare::Less,
            Compare::Divides => Compare::Divides,
        }
    }

    /// Returns the comparison with both operands swapped, or both negated; `divides` has none and is returned
    /// as is.
    pub fn mirrored(self) -> Compare {
        match self {
            Compare::Less => Compare::Greater,
            Compare::AtMost => Compare::AtLeast,
            Compare::Greater => Compare::Less,
            Compare::AtLeast => Compare::AtMost,
            op => op,
        }
    }
}

/// Pushes negations as far inwards as possible and rewrites `if` between conditions as `and` and `or`. The
/// result is equivalent to `e` if `holds`, otherwise to its negation.
pub(super) fn inwards(e: Expr, holds: bool) -> Expr {
    let Expr { kind, ty, span } = e;
    let made = |kind| Expr { kind, ty: Type::Bool, span };
    let both = |a: Expr, b: Expr| made(ExprKind::And(Box::new(a), Box::new(b)));
    let one = |a: Expr, b: Expr| made(ExprKind::Or(Box::new(a), Box::new(b)));
    let is = |e: &Expr, value: bool| matches!(e.kind, ExprKind::Value(Value::Bool(b)) if b == value);
    match kind {
        ExprKind::Not(inner) => inwards(*inner, !holds),
        ExprKind::And(a, b) if holds => both(inwards(*a, true), inwards(*b, true)),
        ExprKind::And(a, b) => one(inwards(*a, false), inwards(*b, false)),
        ExprKind::Or(a, b) if holds => one(inwards(*a, true), inwards(*b, true)),
        ExprKind::Or(a, b) => both(inwards(*a, false), inwards(*b, false)),
        ExprKind::If(mut arms, otherwise) if arms.len() == 1 => {
            let Some((cond, then)) = arms.pop() else { return made(ExprKind::If(arms, otherwise)) };
            let (then, otherwise) = (inwards(then, holds), inwards(*otherwise, holds));
            match () {
                () if is(&otherwise, false) => both(inwards(cond, true), then),
                () if is(&then, false) => both(inwards(cond, false), otherwise),
                () if is(&then, true) => one(inwards(cond, true), otherwise),
                () if is(&otherwise, true) => one(inwards(cond, false), then),
                () => made(ExprKind::If(vec![(cond, then)], Box::new(otherwise))),
            }
        }
        ExprKind::Value(Value::Bool(value)) => made(ExprKind::Value(Value::Bool(value == holds))),
        ExprKind::Compare(first, mut links)
            if !holds && links.len() == 1 && links[0].0 != Compare::Divides =>
        {
            let Some((sign, right)) = links.pop() else { return made(ExprKind::Compare(first, links)) };
            made(ExprKind::Compare(first, vec![(sign.opposite(), right)]))
        }
        kind if holds => Expr { kind, ty, span },
        kind => made(ExprKind::Not(Box::new(Expr { kind, ty, span }))),
    }
}

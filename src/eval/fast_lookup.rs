//! A fast path for lookups: reads places, and computes and compares small numbers, without creating values.
//!
//! The only side effect is counting steps, and only if the lookup succeeds. If there is more to do, or
//! anything is wrong, the result is `None`: the evaluator then starts over in the general way and reports any
//! fault.

use super::Env;
use super::elements::{element, has};
use super::expr::compare;
use crate::ir::{Arith, Builtin, Compare, Domain, Expr, ExprKind, SquareAt, Type, Value};
use crate::num::Int;

impl Env<'_> {
    /// Returns the value of an expression that names a place.
    #[inline]
    pub(super) fn fast_lookup<'v>(&'v self, e: &'v Expr, frame: &'v [Value]) -> Option<&'v Value> {
        self.charge_steps(|left| self.at(e, frame, left))
    }

    /// Returns the value of an expression that is a small number.
    #[inline]
    pub(super) fn fast_int(&self, e: &Expr, frame: &[Value]) -> Option<i64> {
        self.charge_steps(|left| self.small(e, frame, left))
    }

    /// Returns the seat, from 0, that an expression names.
    #[inline]
    pub(super) fn fast_seat(&self, e: &Expr, frame: &[Value]) -> Option<usize> {
        self.charge_steps(|left| self.seat(e, frame, left))
    }

    /// Whether a comparison holds.
    #[inline]
    pub(super) fn fast_compare(&self, a: &Expr, op: Compare, b: &Expr, frame: &[Value]) -> Option<bool> {
        self.charge_steps(|left| match a.ty {
            Type::Int => {
                let (a, b) = (self.small(a, frame, left)?, self.small(b, frame, left)?);
                Some(op.holds(a, b))
            }
            _ => Some(compare(op, self.at(a, frame, left)?, self.at(b, frame, left)?)),
        })
    }

    /// Whether a value is in a collection.
    #[inline]
    pub(super) fn fast_contains(&self, value: &Expr, domain: &Domain, frame: &[Value]) -> Option<bool> {
        let Domain::Values(source) = domain else { return None };
        self.charge_steps(|left| {
            let value = self.at(value, frame, left)?;
            Some(has(self.at(source, frame, left)?, value))
        })
    }

    /// Charges the steps of a lookup if it succeeds, and none otherwise.
    #[inline]
    fn charge_steps<T>(&self, find: impl FnOnce(&mut u64) -> Option<T>) -> Option<T> {
        let mut left = self.steps.get();
        let found = find(&mut left)?;
        self.steps.set(left);
        Some(found)
    }

    fn at<'v>(&'v self, e: &'v Expr, frame: &'v [Value], left: &mut u64) -> Option<&'v Value> {
        *left = left.checked_sub(1)?;
        let (cells, setup) = (&self.position.cells, &self.machine.setup);
        let value = match &e.kind {
            ExprKind::Local(slot) => return frame.get(self.base + slot),
            ExprKind::Value(value) => return Some(value),
            ExprKind::Option(id) => return setup.options.get(*id),
            ExprKind::Constant(id) => return setup.constants.get(*id),
            ExprKind::Table(state) => cells.get(setup.bases[*state])?,
            ExprKind::Own(state, owner) => cells.get(setup.bases[*state] + self.seat(owner, frame, left)?)?,
            ExprKind::Index(base, at) => {
                let base = self.at(base, frame, left)?;
                match (&at.kind, base) {
                    (ExprKind::Square(row, column), Value::Grid(grid)) => {
                        *left = left.checked_sub(1)?;
                        let row = u32::try_from(self.small(row, frame, left)?).ok()?;
                        let column = u32::try_from(self.small(column, frame, left)?).ok()?;
                        &grid.cells[grid.at(SquareAt { row, column })?]
                    }
                    (ExprKind::Arith(..), Value::List(items)) => {
                        let at = usize::try_from(self.small(at, frame, left)?).ok()?;
                        items.get(at.checked_sub(1)?)?
                    }
                    _ => element(base, self.at(at, frame, left)?)?,
                }
            }
            ExprKind::Part(tuple, at) => match self.at(tuple, frame, left)? {
                Value::List(parts) => return parts.get(*at),
                _ => return None,
            },
            _ => return None,
        };
        if let Value::Unset = value { None } else { Some(value) }
    }

    /// Returns the seat of a player that is named, or sits next to one that is.
    fn seat(&self, e: &Expr, frame: &[Value], left: &mut u64) -> Option<usize> {
        let players = self.machine.setup.players;
        if let ExprKind::Builtin(word @ (Builtin::After | Builtin::Before), of) = &e.kind {
            *left = left.checked_sub(1)?;
            let seat = self.seat(of.first()?, frame, left)?;
            return Some((seat + if let Builtin::After = word { 1 } else { players - 1 }) % players);
        }
        match self.at(e, frame, left)? {
            Value::Player(seat) if *seat < players => Some(*seat),
            _ => None,
        }
    }

    fn small(&self, e: &Expr, frame: &[Value], left: &mut u64) -> Option<i64> {
        let ExprKind::Arith(op, a, b) = &e.kind else {
            return match self.at(e, frame, left)? {
                Value::Int(Int::Small(n)) => Some(*n),
                _ => None,
            };
        };
        *left = left.checked_sub(1)?;
        let (a, b) = (self.small(a, frame, left)?, self.small(b, frame, left)?);
        match op {
            Arith::Add => a.checked_add(b),
            Arith::Sub => a.checked_sub(b),
            Arith::Mul => a.checked_mul(b),
            Arith::Div => (b > 0).then(|| a.div_euclid(b)),
            Arith::Mod => (b > 0).then(|| a.rem_euclid(b)),
            Arith::Pow => None,
        }
    }
}

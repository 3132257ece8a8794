//! Which part of a condition is not met, and why, in words.

use super::{Env, Fault, text};
use crate::ir::{Builtin, Compare, Domain, Expr, ExprKind, FoldKind, Param, Sight, Slot, Type, Value};
use crate::source::Span;

impl Env<'_> {
    /// Returns the span of the first part of a condition on a parameter that is not met, and what is wrong; `None` if it is
    /// met. `params` are all parameters of the move.
    pub(super) fn unmet(
        &self,
        condition: &Expr,
        (param, params): (&Param, &[Param]),
        frame: &mut Vec<Value>,
    ) -> Result<Option<(Span, String)>, Fault> {
        let Some(part) = self.unmet_part(condition, frame)? else { return Ok(None) };
        if let Some(why) = must_differ(part, param.slot, params) {
            return Ok(Some((part.span, why)));
        }
        let why = self.wrong_with(part, frame)?;
        Ok(Some((part.span, why.unwrap_or_else(|| "it does not meet its condition".to_string()))))
    }

    /// Says what is wrong with a value that is in S but not in `[x in S where C]`; `None` for other domains and values, and
    /// where nothing more is known than that it does not meet its condition.
    pub(super) fn unmet_in_selection(
        &self,
        domain: &Domain,
        value: &Value,
        params: &[Param],
        frame: &mut Vec<Value>,
    ) -> Result<Option<String>, Fault> {
        let Domain::Values(Expr { kind: ExprKind::Fold(fold), .. }) = domain else { return Ok(None) };
        let ([source], Some(filter)) = (fold.sources.as_slice(), &fold.filter) else { return Ok(None) };
        let [slot] = source.slots.as_slice() else { return Ok(None) };
        let selects = matches!(fold.kind, FoldKind::List | FoldKind::Set)
            && matches!(fold.body.kind, ExprKind::Local(own) if own == *slot);
        if !selects || !self.domain(&source.domain, frame, true)?.contains(value) {
            return Ok(None);
        }
        frame[*slot] = value.clone();
        match self.unmet_part(filter, frame)? {
            Some(part) => match must_differ(part, *slot, params) {
                Some(why) => Ok(Some(why)),
                None => self.wrong_with(part, frame),
            },
            None => Ok(None),
        }
    }

    /// Returns the first part of a condition that is not met.
    fn unmet_part<'e>(&self, condition: &'e Expr, frame: &mut Vec<Value>) -> Result<Option<&'e Expr>, Fault> {
        if let ExprKind::And(a, b) = &condition.kind {
            return match self.unmet_part(a, frame)? {
                None => self.unmet_part(b, frame),
                part => Ok(part),
            };
        }
        Ok((!self.truth(condition, frame)?).then_some(condition))
    }

    /// Says what is wrong where a condition is not met, if there are words for it.
    fn wrong_with(&self, condition: &Expr, frame: &mut Vec<Value>) -> Result<Option<String>, Fault> {
        match self.compared(condition, frame)? {
            Some(why) => Ok(Some(why)),
            None => match self.twice(condition, frame)? {
                Some(why) => Ok(Some(why)),
                None => self.what_stands_there(condition, frame),
            },
        }
    }

    /// Says what occurs twice in a chosen row, if a condition asks for different elements.
    fn twice(&self, condition: &Expr, frame: &mut Vec<Value>) -> Result<Option<String>, Fault> {
        let ExprKind::Builtin(Builtin::Distinct, of) = &condition.kind else { return Ok(None) };
        let [row @ Expr { kind: ExprKind::Local(_), .. }] = of.as_slice() else { return Ok(None) };
        let Value::List(row) = self.eval(row, frame)? else { return Ok(None) };
        let twice = row.iter().enumerate().find(|(at, item)| row[..*at].contains(item));
        Ok(twice.map(|(_, item)| format!("{} occurs twice", text::spoken(&self.machine.game, item))))
    }

    /// Says how two integers compare, if a condition asks for something else.
    fn compared(&self, condition: &Expr, frame: &mut Vec<Value>) -> Result<Option<String>, Fault> {
        let ExprKind::Compare(a, links) = &condition.kind else { return Ok(None) };
        let ([(op, b)], true) = (links.as_slice(), a.ty == Type::Int) else { return Ok(None) };
        if b.ty != Type::Int {
            return Ok(None);
        }
        let is_size = matches!(&a.kind, ExprKind::Builtin(Builtin::Size, of) if matches!(of[0].kind, ExprKind::Local(_)));
        let (a, b) = (self.int(a, frame)?, self.int(b, frame)?);
        let a = if is_size { format!("its size {a}") } else { a.to_string() };
        Ok(Some(match op {
            Compare::Equal => format!("{a} is not {b}"),
            Compare::NotEqual => format!("{a} is {b}"),
            Compare::Less => format!("{a} is not less than {b}"),
            Compare::AtMost => format!("{a} is more than {b}"),
            Compare::Greater => format!("{a} is not more than {b}"),
            Compare::AtLeast => format!("{a} is less than {b}"),
            Compare::Divides => format!("{a} does not divide {b}"),
        }))
    }

    /// Says what stands on a square that everybody sees, if a condition asks for something else there.
    fn what_stands_there(&self, condition: &Expr, frame: &mut Vec<Value>) -> Result<Option<String>, Fault> {
        let looked = match &condition.kind {
            ExprKind::Not(inner) => inner,
            _ => condition,
        };
        let sides: Vec<&Expr> = match &looked.kind {
            ExprKind::IsNone(of) => vec![of],
            ExprKind::Compare(a, links) => match links.as_slice() {
                [(Compare::Equal | Compare::NotEqual, b)] => vec![a, b],
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        for side in sides {
            let ExprKind::Index(board, at) = &side.kind else { continue };
            let ExprKind::Table(id) = &board.kind else { continue };
            let seen = self.machine.game.state[*id].sight == Sight::Public;
            if !seen || !matches!(board.ty, Type::Grid(_)) {
                continue;
            }
            let game = &self.machine.game;
            let square = text::spoken(game, &self.eval(at, frame)?);
            return Ok(match self.eval(side, frame) {
                Ok(Value::None) | Err(_) => Some(format!("{square} is empty")),
                Ok(Value::Unset) => None,
                Ok(Value::Bool(_)) => None,
                Ok(value) => Some(format!("{square} holds {}", text::words(game, &value))),
            });
        }
        Ok(None)
    }
}

/// Says from which parameter a condition asks the value in a slot to differ: `b != a`.
fn must_differ(condition: &Expr, own: Slot, params: &[Param]) -> Option<String> {
    let ExprKind::Compare(a, links) = &condition.kind else { return None };
    let [(Compare::NotEqual, b)] = links.as_slice() else { return None };
    let (ExprKind::Local(a), ExprKind::Local(b)) = (&a.kind, &b.kind) else { return None };
    let other = match (*a == own, *b == own) {
        (true, false) => *b,
        (false, true) => *a,
        _ => return None,
    };
    let other = params.iter().find(|param| param.slot == other)?;
    Some(format!("it must differ from `{}`", other.name))
}

//! Forms with their bounds evaluated: whether a value fits, and the values of a small form.

use std::borrow::Cow;
use std::sync::Arc;

use super::elements::element;
use super::{Env, Fault, text};
use crate::ast::Bound;
use crate::diag::{Code, Diagnostic};
use crate::ir::{Change, Expr, ExprKind, Form, Grid, Lambda, Value};
use crate::source::Span;

impl<'a> Env<'a> {
    /// Returns `None` if the value fits, and otherwise a description for people of what the place may hold.
    pub fn misfit(&self, form: &Form, value: &Value) -> Result<Option<String>, Fault> {
        let all = |of: &Form, items: &mut dyn Iterator<Item = &Value>| -> Result<Option<String>, Fault> {
            if holds_any(of) {
                return Ok(None);
            }
            for item in items {
                if let Some(words) = self.misfit(of, item)? {
                    return Ok(Some(self.naming(words, item)));
                }
            }
            Ok(None)
        };
        match (form, value) {
            (_, Value::Unset) => Ok(None),
            (Form::Range(low, high), Value::Int(n)) => {
                let (low, high) = (self.constant(low)?, self.constant(high)?);
                let (Value::Int(a), Value::Int(b)) = (&*low, &*high) else { return Ok(None) };
                Ok((n < a || n > b).then(|| format!("{a}..{b}")))
            }
            (Form::AtLeast(low), Value::Int(n)) => {
                let low = self.constant(low)?;
                let Value::Int(low) = &*low else { return Ok(None) };
                Ok((n < low).then(|| format!("{low} or more")))
            }
            (Form::Symbols(ids), Value::Symbol(id)) if !ids.contains(id) => {
                let names: Vec<&str> = ids.iter().map(|id| self.machine.game.symbols[*id].as_str()).collect();
                Ok(Some(names.join(", ")))
            }
            (Form::Either(ids, _), Value::Symbol(id)) if ids.contains(id) => Ok(None),
            (Form::Either(ids, of), value) => {
                let other = match value {
                    Value::Symbol(_) => self.misfit(of, &Value::None)?,
                    value => self.misfit(of, value)?,
                };
                let names: Vec<&str> = ids.iter().map(|id| self.machine.game.symbols[*id].as_str()).collect();
                Ok(other.map(|words| format!("{}, or {words}", names.join(", "))))
            }
            (Form::Optional(_), Value::None) => Ok(None),
            (Form::Optional(of), value) => self.misfit(of, value),
            (_, Value::None) => Ok(Some("a value".to_string())),
            (Form::List(bound, of), Value::List(items)) => {
                if let Some(words) = self.misfit_length(bound.as_ref(), items.len())? {
                    return Ok(Some(words));
                }
                all(of, &mut items.iter())
            }
            (Form::Set(of), Value::Set(items)) => all(of, &mut items.iter()),
            (Form::Bag(of), Value::Bag(items)) => all(of, &mut items.keys()),
            (Form::Tuple(parts), Value::List(items)) => {
                for (part, item) in parts.iter().zip(items.iter()) {
                    if let Some(words) = self.misfit(part, item)? {
                        return Ok(Some(words));
                    }
                }
                Ok(None)
            }
            (Form::Grid(rows, columns, of), Value::Grid(grid)) => {
                let (rows, columns) = (self.constant(rows)?, self.constant(columns)?);
                if Value::int(i64::from(grid.rows)) != *rows
                    || Value::int(i64::from(grid.columns)) != *columns
                {
                    let (rows, columns) =
                        (text::words(&self.machine.game, &rows), text::words(&self.machine.game, &columns));
                    return Ok(Some(format!("{rows} rows and {columns} columns")));
                }
                all(of, &mut grid.cells.iter())
            }
            (Form::Map(value_form, _), Value::Map(map)) => all(value_form, &mut map.values()),
            _ => Ok(None),
        }
    }

    /// Checks the length of a list against its bound; the result is as for [`Env::misfit`].
    fn misfit_length(
        &self,
        bound: Option<&(Bound, Box<Expr>)>,
        length: usize,
    ) -> Result<Option<String>, Fault> {
        let Some((kind, size)) = bound else { return Ok(None) };
        let size = self.constant(size)?;
        let length = Value::int(length);
        let (fits, words) = match kind {
            Bound::AtMost => (length <= *size, "at most"),
            Bound::Exactly => (length == *size, "exactly"),
        };
        Ok((!fits).then(|| format!("{words} {} elements", text::words(&self.machine.game, &size))))
    }

    /// Adds to the words for what fits the element that does not, if it is a single value.
    fn naming(&self, words: String, element: &Value) -> String {
        match element {
            Value::List(_) | Value::Set(_) | Value::Bag(_) | Value::Grid(_) | Value::Map(_) => words,
            element => format!("{words}, not {}", text::words(&self.machine.game, element)),
        }
    }

    /// Like [`Env::misfit`], for a value that fitted before the change at `path`; checks only what changed.
    pub(super) fn misfit_after(
        &self,
        form: &Form,
        value: &Value,
        path: &[Value],
        change: Change,
    ) -> Result<Option<String>, Fault> {
        let (of, changed, rest) = match (form, value, path) {
            (Form::Optional(of), value, [_, ..]) => return self.misfit_after(of, value, path, change),
            (Form::List(_, of) | Form::Grid(_, _, of) | Form::Map(of, _), _, [at, rest @ ..]) => {
                (of, element(value, at), rest)
            }
            (Form::List(_, of), Value::List(items), []) if change == Change::Insert => {
                (of, items.last(), path)
            }
            _ => return self.misfit(form, value),
        };
        if let (Form::List(bound, _), Value::List(items)) = (form, value)
            && let Some(words) = self.misfit_length(bound.as_ref(), items.len())?
        {
            return Ok(Some(words));
        }
        match changed {
            Some(changed) if !holds_any(of) => {
                let misfit = self.misfit_after(of, changed, rest, change)?;
                Ok(misfit.map(|words| self.naming(words, changed)))
            }
            _ => Ok(None),
        }
    }

    /// Evaluates a bound of a form, which reads only options and constants.
    fn constant<'v>(&self, e: &'v Expr) -> Result<Cow<'v, Value>, Fault>
    where
        'a: 'v,
    {
        let settled = match &e.kind {
            ExprKind::Value(value) => value,
            ExprKind::Option(id) => &self.machine.setup.options[*id],
            ExprKind::Constant(id) => &self.machine.setup.constants[*id],
            _ => {
                let mut frame = vec![Value::Unset; self.machine.game.slots];
                return Ok(self.operand(e, &mut frame)?.into_cow(&frame));
            }
        };
        self.tick(e.span)?;
        Ok(Cow::Borrowed(settled))
    }

    /// Returns the initial value of a place: `init`, copied to all squares of a grid or all keys of a map.
    pub fn initial(
        &self,
        form: &Form,
        init: Option<&Lambda>,
        owner: Option<usize>,
        span: Span,
    ) -> Result<Value, Fault> {
        let value = match init {
            Some(lambda) => self.call(lambda, owner.map(Value::Player).into_iter().collect())?,
            None => Value::Unset,
        };
        match (form, value) {
            (Form::Grid(rows, columns, of), value) if !matches!(value, Value::Grid(_)) => {
                let size = |e: &Expr| -> Result<u32, Fault> {
                    match &*self.constant(e)? {
                        Value::Int(n) if n.as_i64().is_some_and(|n| (1..=1000).contains(&n)) => {
                            Ok(n.as_i64().and_then(|n| u32::try_from(n).ok()).unwrap_or(1))
                        }
                        other => Err(Box::new(
                            Diagnostic::new(
                                Code::OutOfRange,
                                e.span,
                                format!(
                                    "a grid cannot have {} rows or columns",
                                    text::words(&self.machine.game, other)
                                ),
                                "",
                            )
                            .help("1 to 1000 are possible"),
                        )),
                    }
                };
                let (rows, columns) = (size(rows)?, size(columns)?);
                let fill = match (&**of, value) {
                    (Form::Optional(_), Value::Unset) => Value::None,
                    (_, value) => value,
                };
                let cells = vec![fill; (rows * columns) as usize];
                Ok(Value::Grid(Arc::new(Grid { rows, columns, cells })))
            }
            (Form::Map(value_form, key), value) => {
                let fill = match (&**value_form, value) {
                    (Form::Optional(_), Value::Unset) => Value::None,
                    (_, value) => value,
                };
                let keys = values_of(self, key)?
                    .ok_or_else(|| super::fault(Code::TooLarge, span, "too many keys"))?;
                Ok(Value::Map(Arc::new(keys.into_iter().map(|key| (key, fill.clone())).collect())))
            }
            (_, value) => Ok(value),
        }
    }
}

/// Whether every value of the right type fits the form.
fn holds_any(form: &Form) -> bool {
    matches!(form, Form::Int | Form::Bool | Form::Player | Form::Square)
}

/// Returns all values of a range, of symbols, of `yes or no` or of the players, ascending; `None` if they are
/// too many or the form is another.
pub fn values_of(env: &Env, form: &Form) -> Result<Option<Vec<Value>>, Fault> {
    Ok(match form {
        Form::Range(low, high) => {
            let (low, high) = (env.constant(low)?, env.constant(high)?);
            let (Value::Int(low), Value::Int(high)) = (&*low, &*high) else { return Ok(None) };
            let (Some(low), Some(high)) = (low.as_i64(), high.as_i64()) else { return Ok(None) };
            if high.checked_sub(low).is_none_or(|span| span >= super::MAX_ELEMENTS as i64) {
                return Ok(None);
            }
            Some((low..=high).map(Value::int).collect())
        }
        Form::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Form::Symbols(ids) => Some(ids.iter().map(|id| Value::Symbol(*id)).collect()),
        Form::Player => Some((0..env.machine.setup.players).map(Value::Player).collect()),
        _ => None,
    })
}

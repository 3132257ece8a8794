//! Forms with their bounds filled in: whether a value fits, and the values of a small form.

use std::sync::Arc;

use super::{Env, Fault, text};
use crate::ast::Bound;
use crate::diag::{Code, Diagnostic};
use crate::ir::{Expr, Form, Grid, Lambda, Value};
use crate::source::Span;

impl Env<'_> {
    /// `None` where the value fits; else what the place may hold, in people's words.
    pub fn misfit(&self, form: &Form, value: &Value) -> Result<Option<String>, Fault> {
        let all = |of: &Form, items: &mut dyn Iterator<Item = &Value>| -> Result<Option<String>, Fault> {
            // Numbers of any size and whole kinds need no look at each element.
            if let Form::Int | Form::Bool | Form::Player | Form::Square = of {
                return Ok(None);
            }
            for item in items {
                if let Some(words) = self.misfit(of, item)? {
                    return Ok(Some(words));
                }
            }
            Ok(None)
        };
        match (form, value) {
            (_, Value::Unset) => Ok(None),
            (Form::Range(low, high), Value::Int(n)) => {
                let (low, high) = (self.constant(low)?, self.constant(high)?);
                let (Value::Int(a), Value::Int(b)) = (&low, &high) else { return Ok(None) };
                Ok((n < a || n > b).then(|| format!("{a}..{b}")))
            }
            (Form::Symbols(ids), Value::Symbol(id)) if !ids.contains(id) => {
                let names: Vec<&str> = ids.iter().map(|id| self.game.symbols[*id].as_str()).collect();
                Ok(Some(names.join(", ")))
            }
            (Form::Optional(_), Value::None) => Ok(None),
            (Form::Optional(of), value) => self.misfit(of, value),
            (_, Value::None) => Ok(Some("a value".to_string())),
            (Form::List(bound, of), Value::List(items)) => {
                if let Some((kind, size)) = bound {
                    let size = self.constant(size)?;
                    let length = Value::int(items.len());
                    let (fits, words) = match kind {
                        Bound::AtMost => (length <= size, "at most"),
                        Bound::Exactly => (length == size, "exactly"),
                    };
                    if !fits {
                        return Ok(Some(format!("{words} {} elements", text::words(self.game, &size))));
                    }
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
                if Value::int(i64::from(grid.rows)) != rows || Value::int(i64::from(grid.columns)) != columns
                {
                    let (rows, columns) = (text::words(self.game, &rows), text::words(self.game, &columns));
                    return Ok(Some(format!("{rows} rows and {columns} columns")));
                }
                all(of, &mut grid.cells.iter())
            }
            (Form::Map(value_form, _), Value::Map(map)) => all(value_form, &mut map.values()),
            _ => Ok(None),
        }
    }

    /// A form's bound: it reads options and constants only.
    fn constant(&self, e: &Expr) -> Result<Value, Fault> {
        let mut frame = vec![Value::Unset; self.game.slots];
        self.eval(e, &mut frame)
    }

    /// What a place holds at first: its own first value spread over a grid's squares or a map's keys.
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
                    match self.constant(e)? {
                        Value::Int(n) if n.as_i64().is_some_and(|n| (1..=1000).contains(&n)) => {
                            Ok(n.as_i64().and_then(|n| u32::try_from(n).ok()).unwrap_or(1))
                        }
                        other => Err(Box::new(
                            Diagnostic::new(
                                Code::OutOfRange,
                                e.span,
                                format!(
                                    "a grid cannot have {} rows or columns",
                                    text::words(self.game, &other)
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

/// All values of a form, ascending, where they are few: a range, symbols, `yes or no`, the players.
pub fn values_of(env: &Env, form: &Form) -> Result<Option<Vec<Value>>, Fault> {
    Ok(match form {
        Form::Range(low, high) => {
            let (low, high) = (env.constant(low)?, env.constant(high)?);
            let (Value::Int(low), Value::Int(high)) = (low, high) else { return Ok(None) };
            let (Some(low), Some(high)) = (low.as_i64(), high.as_i64()) else { return Ok(None) };
            if high - low >= super::MAX_ELEMENTS as i64 {
                return Ok(None);
            }
            Some((low..=high).map(Value::int).collect())
        }
        Form::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Form::Symbols(ids) => Some(ids.iter().map(|id| Value::Symbol(*id)).collect()),
        Form::Player => Some((0..env.setup.players).map(Value::Player).collect()),
        _ => None,
    })
}

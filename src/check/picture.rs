//! Reads drawn boards, whose squares are written as the program prints them.

use std::sync::Arc;

use super::certain::{misfit, number};
use super::{Checker, wrong};
use crate::ast;
use crate::diag::{Code, Diagnostic};
use crate::ir::{Expr, ExprKind, Form, Grid, SquareAt, StateId, Type, Value};
use crate::num::Int;
use crate::source::Span;

impl Checker<'_> {
    /// Checks a drawn board as the value of a grid: the first one, or one that is assigned.
    pub(super) fn board_value(&mut self, rows: &[ast::Name], id: StateId, span: Span) -> Expr {
        let Some(value) = self.drawn_grid(rows, id, Code::TypeMismatch) else { return wrong(span) };
        let state = &self.game.state[id];
        let (Form::Grid(high, wide, of), Value::Grid(grid)) = (&state.form, &value) else {
            return wrong(span);
        };
        let differs = |known: &Expr, drawn: u32| {
            number(known).is_some_and(|known| known != Int::from(i64::from(drawn)))
        };
        if differs(high, grid.rows) || differs(wide, grid.columns) {
            let message = format!("`{}` has another number of squares than this board", state.name);
            let label = format!("{} by {}", grid.rows, grid.columns);
            let report = Diagnostic::new(Code::TypeMismatch, span, message, label);
            self.report(report.also(state.span, "declared here"));
            return wrong(span);
        }
        for (row, cells) in rows.iter().zip(grid.cells.chunks(grid.columns as usize)) {
            let number = |cell: &Value| if let Value::Int(n) = cell { Some(n.clone()) } else { None };
            let unfit = cells.iter().filter_map(number).find_map(|n| Some((misfit(&n, of)?, n)));
            if let Some((words, n)) = unfit {
                let message = format!("`{}` cannot hold {n}", state.name);
                let report =
                    Diagnostic::new(Code::OutOfRange, row.span, message, format!("it can hold {words}"));
                self.report(report.also(state.span, "declared here"));
                return wrong(span);
            }
        }
        let ty = state.form.ty();
        Expr { kind: ExprKind::Value(value), ty, span }
    }

    /// Reports a drawn board where no grid gets its value.
    pub(super) fn misplaced_board(&mut self, span: Span) -> Expr {
        let report =
            Diagnostic::new(Code::TypeMismatch, span, "only a grid can be drawn", "this is a drawn board");
        self.report(report.help("a grid is declared as `board: grid 2 by 3 of 1..9`"));
        wrong(span)
    }

    /// Reads a drawn board as the value of a grid: one line for each row, squares separated by spaces; `.`, `_` and `-` are
    /// empty squares. Reports with `code` what cannot be read.
    pub(super) fn drawn_grid(&mut self, rows: &[ast::Name], id: StateId, code: Code) -> Option<Value> {
        let Type::Grid(element) = self.game.state[id].form.ty() else { return None };
        let mut cells = Vec::new();
        let mut columns = None;
        for row in rows {
            let words = squares_of(drawn_line(&row.text));
            if *columns.get_or_insert(words.len()) != words.len() {
                let message = "this row does not have as many squares as the first";
                self.error(code, row.span, message, format!("{}, not {}", words.len(), columns.unwrap_or(0)));
                return None;
            }
            for word in words {
                let Some(value) = self.drawn(word, &element) else {
                    let element = self.words(&element);
                    self.error(code, row.span, format!("`{word}` is not {element}"), "in this row");
                    return None;
                };
                cells.push(value);
            }
        }
        let (rows, columns) = (u32::try_from(rows.len()).ok()?, u32::try_from(columns?).ok()?);
        Some(Value::Grid(Arc::new(Grid { rows, columns, cells })))
    }

    /// Parses the value drawn in a square; `.`, `_` and `-` are empty squares.
    pub(super) fn drawn(&self, word: &str, ty: &Type) -> Option<Value> {
        let all = |open: char, close: char, of: &Type| -> Option<Vec<Value>> {
            let inside = word.strip_prefix(open)?.strip_suffix(close)?;
            parts(inside, ',').into_iter().map(|part| self.drawn(part, of)).collect()
        };
        match ty {
            Type::Optional(_) if matches!(word, "." | "_" | "-") => Some(Value::None),
            Type::Optional(of) => self.drawn(word, of),
            Type::Int => word.parse::<Int>().ok().map(Value::Int),
            Type::Symbol(ids) => {
                self.symbols.get(word).copied().filter(|id| ids.contains(id)).map(Value::Symbol)
            }
            Type::Either(ids, of) => {
                let symbol = self.drawn(word, &Type::Symbol(ids.clone()));
                symbol.or_else(|| self.drawn(word, of))
            }
            Type::Player => self.drawn_seat(word).map(Value::Player),
            Type::Square => SquareAt::read(word).map(Value::Square),
            Type::Bool => match word {
                "yes" => Some(Value::Bool(true)),
                "no" => Some(Value::Bool(false)),
                _ => None,
            },
            Type::Set(of) => all('{', '}', of).map(Value::set),
            Type::Bag(of) => all('{', '}', of).map(Value::bag),
            Type::List(of) => all('(', ')', of).map(Value::list),
            Type::Tuple(types) => {
                let inside = word.strip_prefix('(')?.strip_suffix(')')?;
                let parts = parts(inside, ',');
                let values = parts.iter().zip(types).map(|(part, ty)| self.drawn(part, ty));
                values.collect::<Option<_>>().filter(|_| parts.len() == types.len()).map(Value::list)
            }
            _ => None,
        }
    }

    fn drawn_seat(&self, word: &str) -> Option<usize> {
        let named = self.game.seats.roles.iter().position(|called| called == word);
        named.or_else(|| word.parse::<usize>().ok().and_then(|n| n.checked_sub(1)))
    }
}

/// Returns the content of a line of a picture, without its leading bar.
pub fn drawn_line(line: &str) -> &str {
    line.strip_prefix('|').unwrap_or(line)
}

/// Splits a drawn row into its squares, separated by spaces outside brackets.
pub fn squares_of(row: &str) -> Vec<&str> {
    parts(row, ' ')
}

/// Splits a text at separators outside brackets, and trims the parts.
fn parts(text: &str, separator: char) -> Vec<&str> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '(' => depth += 1,
            '}' | ')' => depth = depth.saturating_sub(1),
            c if depth == 0 && (c == separator || separator == ' ' && c.is_whitespace()) => {
                found.push(text[from..at].trim());
                from = at + c.len_utf8();
            }
            _ => {}
        }
    }
    found.push(text[from..].trim());
    found.retain(|part| !part.is_empty());
    found
}

//! Reads boards drawn in examples, whose squares are written as the program prints them.

use super::Checker;
use crate::ir::{SquareAt, Type, Value};
use crate::num::Int;

impl Checker<'_> {
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

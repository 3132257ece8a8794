//! Values of the language: exact, immutable, cheap to clone and totally ordered.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::SymbolId;
use crate::num::Int;

/// A square of a grid. Row 1 is the first line of a drawn board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SquareAt {
    /// The row, from 1.
    pub row: u32,
    /// The column, from 1.
    pub column: u32,
}

/// A grid of values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grid {
    /// The number of rows.
    pub rows: u32,
    /// The number of columns.
    pub columns: u32,
    /// The values in row-major order.
    pub cells: Vec<Value>,
}

/// A value.
///
/// Equality is structural. Symbols are ordered by declaration, squares by rows, and lists and tuples
/// lexicographically; this order determines how sets and bags are iterated.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// The content of a place that was never written.
    Unset,
    /// `none`.
    None,
    /// An integer.
    Int(Int),
    /// `yes` or `no`.
    Bool(bool),
    /// A symbol.
    Symbol(SymbolId),
    /// A player, by seat, from 0.
    Player(usize),
    /// A square.
    Square(SquareAt),
    /// A text.
    Text(Arc<String>),
    /// A list, or a tuple.
    List(Arc<Vec<Value>>),
    /// A set.
    Set(Arc<BTreeSet<Value>>),
    /// A bag: values with their multiplicities.
    Bag(Arc<BTreeMap<Value, usize>>),
    /// A grid.
    Grid(Arc<Grid>),
    /// A map.
    Map(Arc<BTreeMap<Value, Value>>),
}

impl Ord for Value {
    /// Compares the most frequent cases, small integers and squares, without a call.
    #[inline]
    fn cmp(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Int(Int::Small(a)), Value::Int(Int::Small(b))) => a.cmp(b),
            (Value::Square(a), Value::Square(b)) => a.cmp(b),
            (a, b) => a.compare(b),
        }
    }
}

impl PartialOrd for Value {
    #[inline]
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Value {
    /// Compares two values; values of different kinds are ordered by kind.
    fn compare(&self, other: &Value) -> Ordering {
        let sort = |value: &Value| match value {
            Value::Unset => 0,
            Value::None => 1,
            Value::Int(_) => 2,
            Value::Bool(_) => 3,
            Value::Symbol(_) => 4,
            Value::Player(_) => 5,
            Value::Square(_) => 6,
            Value::Text(_) => 7,
            Value::List(_) => 8,
            Value::Set(_) => 9,
            Value::Bag(_) => 10,
            Value::Grid(_) => 11,
            Value::Map(_) => 12,
        };
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Symbol(a), Value::Symbol(b)) => a.cmp(b),
            (Value::Player(a), Value::Player(b)) => a.cmp(b),
            (Value::Square(a), Value::Square(b)) => a.cmp(b),
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (Value::List(a), Value::List(b)) => a.cmp(b),
            (Value::Set(a), Value::Set(b)) => a.cmp(b),
            (Value::Bag(a), Value::Bag(b)) => a.cmp(b),
            (Value::Grid(a), Value::Grid(b)) => a.cmp(b),
            (Value::Map(a), Value::Map(b)) => a.cmp(b),
            (a, b) => sort(a).cmp(&sort(b)),
        }
    }

    /// An integer.
    pub fn int(n: impl Into<Int>) -> Value {
        Value::Int(n.into())
    }

    /// A list.
    pub fn list(values: Vec<Value>) -> Value {
        Value::List(Arc::new(values))
    }

    /// A set.
    pub fn set(values: impl IntoIterator<Item = Value>) -> Value {
        Value::Set(Arc::new(values.into_iter().collect()))
    }

    /// A bag.
    pub fn bag(values: impl IntoIterator<Item = Value>) -> Value {
        let mut bag = BTreeMap::new();
        for value in values {
            *bag.entry(value).or_insert(0) += 1;
        }
        Value::Bag(Arc::new(bag))
    }
}

impl SquareAt {
    /// Returns the square's notation: `b3` is column 2, row 3. From column 27 on, it is written as `27-3`.
    pub fn words(self) -> String {
        match u8::try_from(self.column) {
            Ok(column @ 1..=26) => format!("{}{}", char::from(b'a' + column - 1), self.row),
            _ => format!("{}-{}", self.column, self.row),
        }
    }

    /// Parses the output of [`SquareAt::words`].
    pub fn read(text: &str) -> Option<SquareAt> {
        let (column, row) = match text.split_once('-') {
            Some((column, row)) => (column.parse().ok()?, row),
            None => {
                let letter = text.bytes().next().filter(u8::is_ascii_lowercase)?;
                (u32::from(letter - b'a') + 1, &text[1..])
            }
        };
        let row: u32 = row.parse().ok()?;
        (row > 0 && column > 0).then_some(SquareAt { row, column })
    }
}

impl Grid {
    /// Returns the index of a square in `cells`, if it is on the grid.
    #[inline]
    pub fn at(&self, square: SquareAt) -> Option<usize> {
        let on = (1..=self.rows).contains(&square.row) && (1..=self.columns).contains(&square.column);
        on.then(|| ((square.row - 1) * self.columns + square.column - 1) as usize)
    }

    /// Iterates over the squares, row by row.
    pub fn squares(&self) -> Squares {
        Squares { next: SquareAt { row: 1, column: 1 }, rows: self.rows, columns: self.columns }
    }
}

/// An iterator over the squares of a grid, row by row.
#[derive(Debug, Clone)]
pub struct Squares {
    next: SquareAt,
    rows: u32,
    columns: u32,
}

impl Iterator for Squares {
    type Item = SquareAt;

    #[inline]
    fn next(&mut self) -> Option<SquareAt> {
        let square = self.next;
        if square.row > self.rows || self.columns == 0 {
            return None;
        }
        self.next = match square.column < self.columns {
            true => SquareAt { column: square.column + 1, ..square },
            false => SquareAt { row: square.row + 1, column: 1 },
        };
        Some(square)
    }
}

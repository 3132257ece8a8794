//! Motions of a board: its reflections and rotations, and positions under them.

use std::sync::Arc;

use super::symmetry::Act;
use crate::eval::{Machine, Position};
use crate::ir::{Grid, SquareAt, Value};
use crate::num::Int;

/// A motion of a board: if it `transposes`, rows and columns are swapped first; then flipped rows and columns
/// are counted from the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Motion {
    /// The number of rows of the board.
    pub rows: u32,
    /// The number of columns.
    pub columns: u32,
    /// Whether rows and columns are swapped.
    pub transposes: bool,
    /// Whether the last row becomes the first.
    pub flips_rows: bool,
    /// Whether the last column becomes the first.
    pub flips_columns: bool,
}

impl Motion {
    /// Returns all motions of a game's board except the identity; none if it has no board or several sizes.
    pub fn of_board(machine: &Machine) -> Vec<Motion> {
        let Ok(start) = machine.start() else { return Vec::new() };
        let mut sizes = start.cells.iter().filter_map(|cell| match cell {
            Value::Grid(grid) => Some((grid.rows, grid.columns)),
            _ => None,
        });
        let Some((rows, columns)) = sizes.next() else { return Vec::new() };
        if sizes.any(|size| size != (rows, columns)) {
            return Vec::new();
        }
        let bits = (1..8u8).map(|bits| [bits & 1 == 1, bits & 2 == 2, bits & 4 == 4]);
        bits.map(|[flips_columns, flips_rows, transposes]| Motion {
            rows,
            columns,
            transposes,
            flips_rows,
            flips_columns,
        })
        .filter(|motion| !motion.transposes || rows == columns)
        .collect()
    }

    /// Returns its name for people.
    pub fn words(&self) -> &'static str {
        match (self.transposes, self.flips_rows, self.flips_columns) {
            (false, false, false) => "no motion",
            (false, false, true) => "left and right",
            (false, true, false) => "top and bottom",
            (false, true, true) => "a half turn",
            (true, false, false) => "rows and columns",
            (true, true, true) => "rows and columns, backwards",
            (true, true, false) | (true, false, true) => "a quarter turn",
        }
    }

    /// Returns where a square moves.
    pub fn square(&self, at: SquareAt) -> SquareAt {
        let SquareAt { row, column } = at;
        let (row, column) = if self.transposes { (column, row) } else { (row, column) };
        let flip = |flips: bool, n: u32, of: u32| if flips { (of + 1).saturating_sub(n) } else { n };
        SquareAt {
            row: flip(self.flips_rows, row, self.rows),
            column: flip(self.flips_columns, column, self.columns),
        }
    }

    /// Returns a value with its squares moved.
    pub fn value(&self, value: &Value) -> Value {
        let all = |values: &[Value]| values.iter().map(|value| self.value(value)).collect::<Vec<_>>();
        match value {
            Value::Square(at) => Value::Square(self.square(*at)),
            Value::List(values) => Value::list(all(values)),
            Value::Set(values) => Value::set(values.iter().map(|value| self.value(value))),
            Value::Bag(values) => Value::Bag(Arc::new(
                values.iter().map(|(value, times)| (self.value(value), *times)).collect(),
            )),
            Value::Map(values) => Value::Map(Arc::new(
                values.iter().map(|(key, value)| (self.value(key), self.value(value))).collect(),
            )),
            Value::Grid(grid) => Value::Grid(Arc::new(self.grid(grid))),
            Value::Unset
            | Value::None
            | Value::Int(_)
            | Value::Bool(_)
            | Value::Symbol(_)
            | Value::Player(_)
            | Value::Text(_) => value.clone(),
        }
    }

    fn grid(&self, grid: &Grid) -> Grid {
        let mut moved = grid.clone();
        for (at, value) in grid.squares().zip(&grid.cells) {
            if let Some(place) = moved.at(self.square(at)) {
                moved.cells[place] = self.value(value);
            }
        }
        moved
    }

    /// Returns a position with its squares moved; `acts` says how the slots of its frame change.
    pub fn position(&self, position: &Position, acts: &[Act]) -> Position {
        let mut moved = position.clone();
        moved.cells.iter_mut().for_each(|cell| *cell = self.value(cell));
        for (value, act) in moved.frame.iter_mut().zip(acts) {
            let other_side = |n: &Int, of: u32| Value::Int(Int::from(i64::from(of) + 1).sub(n));
            *value = match (act, &*value) {
                (Act::Row, Value::Int(n)) => other_side(n, self.rows),
                (Act::Column, Value::Int(n)) => other_side(n, self.columns),
                (_, value) => self.value(value),
            };
        }
        moved
    }
}

//! Grid functions: lines, neighbours, rays and so on, as lists of squares in a fixed order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::append_only_cache::AppendOnlyCache;
use super::elements::each;
use crate::ir::{Builtin, DIRECTIONS, Grid, SquareAt, Value};

/// The most lists of squares that are kept.
const MAX_LISTS: usize = 16;

/// A cache of lists of squares that depend only on the size of a grid and a number.
#[derive(Debug, Clone, Default)]
pub(super) struct SquareListCache(AppendOnlyCache<Key, Value, MAX_LISTS>);

/// A builtin, the rows and columns of a grid, and a number.
type Key = (Builtin, u32, u32, Option<Value>);

impl SquareListCache {
    /// Returns the value of a builtin for a size of grid and a number; calls `made` if it is not cached.
    pub fn get_or_compute(
        &self,
        builtin: Builtin,
        grid: &Grid,
        number: Option<&Value>,
        made: impl FnOnce(&Grid) -> Value,
    ) -> Value {
        let wanted = |(word, rows, columns, other): &Key| {
            *word == builtin && (*rows, *columns) == (grid.rows, grid.columns) && other.as_ref() == number
        };
        if let Some(value) = self.0.find(wanted) {
            return value.clone();
        }
        let value = made(grid);
        self.0.insert((builtin, grid.rows, grid.columns, number.cloned()), value.clone());
        value
    }

    /// Returns the squares of a grid, row by row.
    pub fn squares(&self, grid: &Grid) -> Arc<Vec<Value>> {
        match self.get_or_compute(Builtin::Squares, grid, None, squares) {
            Value::List(squares) => squares,
            _ => Arc::default(),
        }
    }
}

/// Returns the squares of a grid, row by row.
pub(super) fn squares(grid: &Grid) -> Value {
    list(grid.squares())
}

/// Returns the longest lines in some directions.
pub(super) fn lines_in(grid: &Grid, directions: &[(i64, i64)]) -> Value {
    lists(directions.iter().flat_map(|direction| straight_lines(grid, *direction)).collect())
}

/// Returns every straight line of `size` neighbouring squares.
pub(super) fn lines_of(grid: &Grid, size: i64) -> Value {
    let size = usize::try_from(size).unwrap_or(0).max(1);
    let all = [(0, 1), (1, 0), (1, 1), (1, -1)].map(|direction| straight_lines(grid, direction)).concat();
    let windows = all.iter().flat_map(|line| line.windows(size).map(<[SquareAt]>::to_vec));
    // A line of one square is the same in every direction.
    let windows = windows.take(if size == 1 { grid.cells.len() } else { usize::MAX });
    lists(windows.collect())
}

/// Returns the squares on the edge, row by row.
pub(super) fn edge(grid: &Grid) -> Value {
    list(
        grid.squares()
            .filter(|s| s.row == 1 || s.column == 1 || s.row == grid.rows || s.column == grid.columns),
    )
}

/// Returns the squares at the corners, row by row.
pub(super) fn corners(grid: &Grid) -> Value {
    let end = |at: u32, size: u32| at == 1 || at == size;
    list(grid.squares().filter(|s| end(s.row, grid.rows) && end(s.column, grid.columns)))
}

/// Returns the neighbours of a square whose row and column offsets are wanted, row by row.
pub(super) fn near(grid: &Grid, from: SquareAt, wanted: impl Fn(i64, i64) -> bool) -> Value {
    let all = (-1..=1).flat_map(|rows| (-1..=1).map(move |columns| (rows, columns)));
    let all = all.filter(|(rows, columns)| wanted(*rows, *columns));
    list(all.filter_map(|(rows, columns)| moved(grid, from, rows, columns)))
}

/// Returns the squares exactly `far` steps away in the eight directions.
pub(super) fn straight(grid: &Grid, from: SquareAt, far: i64) -> Value {
    let ways = DIRECTIONS.iter().filter(|_| far > 0);
    list(ways.filter_map(|way| moved(grid, from, way.rows * far, way.columns * far)))
}

/// Returns the squares reached from one, itself excluded, by repeated steps of `rows` and `columns`.
pub(super) fn ray(grid: &Grid, from: SquareAt, rows: i64, columns: i64) -> Value {
    let on = |from: &SquareAt| moved(grid, *from, rows, columns).filter(|_| (rows, columns) != (0, 0));
    list(std::iter::successors(on(&from), on))
}

/// Returns the square at an offset in rows and columns, on a grid whose opposite edges are joined.
pub(super) fn wrapped(grid: &Grid, from: SquareAt, rows: i64, columns: i64) -> Value {
    let round = |at: u32, by: i64, size: u32| {
        let place = (i64::from(at) - 1 + by).rem_euclid(i64::from(size.max(1))) + 1;
        u32::try_from(place).unwrap_or(1)
    };
    Value::Square(SquareAt {
        row: round(from.row, rows, grid.rows),
        column: round(from.column, columns, grid.columns),
    })
}

/// Returns the squares of the rectangle with two given corners, row by row.
pub(super) fn rectangle(grid: &Grid, a: SquareAt, b: SquareAt) -> Value {
    let between = |n: u32, a: u32, b: u32| a.min(b) <= n && n <= a.max(b);
    list(grid.squares().filter(|s| between(s.row, a.row, b.row) && between(s.column, a.column, b.column)))
}

/// Returns the regions of squares connected by their sides, each row by row, ordered by first squares. In a
/// grid, a region consists of filled squares with equal values; otherwise, of the squares in a collection.
pub(super) fn regions(of: &Value) -> Value {
    let mut left: BTreeMap<SquareAt, Option<&Value>> = match of {
        Value::Grid(grid) => grid
            .squares()
            .zip(&grid.cells)
            .filter(|(_, value)| !matches!(value, Value::None | Value::Unset))
            .map(|(square, value)| (square, Some(value)))
            .collect(),
        other => each(other)
            .filter_map(|value| match value {
                Value::Square(square) => Some((square, None)),
                _ => None,
            })
            .collect(),
    };
    let mut regions = Vec::new();
    while let Some((first, holds)) = left.pop_first() {
        let mut region = BTreeSet::from([first]);
        let mut open = vec![first];
        while let Some(SquareAt { row, column }) = open.pop() {
            let beside = [
                SquareAt { row: row.wrapping_sub(1), column },
                SquareAt { row: row.saturating_add(1), column },
                SquareAt { row, column: column.wrapping_sub(1) },
                SquareAt { row, column: column.saturating_add(1) },
            ];
            for square in beside {
                if left.get(&square) == Some(&holds) {
                    left.remove(&square);
                    region.insert(square);
                    open.push(square);
                }
            }
        }
        regions.push(region.into_iter().collect());
    }
    lists(regions)
}

/// Returns the square at an offset in rows and columns, if it is on the grid.
pub(super) fn moved(grid: &Grid, from: SquareAt, rows: i64, columns: i64) -> Option<SquareAt> {
    let row = u32::try_from(i64::from(from.row) + rows).ok()?;
    let column = u32::try_from(i64::from(from.column) + columns).ok()?;
    let to = SquareAt { row, column };
    grid.at(to).map(|_| to)
}

/// Returns every longest line in a direction, ordered by their first squares.
fn straight_lines(grid: &Grid, (rows, columns): (i64, i64)) -> Vec<Vec<SquareAt>> {
    let begins = grid.squares().filter(|s| moved(grid, *s, -rows, -columns).is_none());
    begins.map(|s| std::iter::successors(Some(s), |s| moved(grid, *s, rows, columns)).collect()).collect()
}

fn list(squares: impl Iterator<Item = SquareAt>) -> Value {
    Value::list(squares.map(Value::Square).collect())
}

fn lists(lines: Vec<Vec<SquareAt>>) -> Value {
    Value::list(lines.into_iter().map(|line| list(line.into_iter())).collect())
}

//! The words about grids: lines, neighbours, rays, all as lists of squares in a fixed order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::elements::each;
use super::few::Few;
use crate::ir::{Builtin, DIRECTIONS, Grid, SquareAt, Value};

/// How many lists of squares are kept.
const KEPT: usize = 16;

/// The lists of squares that depend on no more than the size of a grid and a number: made once, then kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept(Few<Key, Value, KEPT>);

/// A word, the rows and columns of a grid, and a number.
type Key = (Builtin, u32, u32, Option<Value>);

impl Kept {
    /// The value of a word about a grid; `args` are those behind the grid.
    pub fn geometry(&self, builtin: Builtin, grid: &Grid, args: &[&Value]) -> Value {
        let lasting = match builtin {
            Builtin::Rows
            | Builtin::Columns
            | Builtin::Diagonals
            | Builtin::Squares
            | Builtin::Edge
            | Builtin::Corners => true,
            Builtin::Lines => matches!(args, [Value::Int(_)]),
            _ => false,
        };
        if !lasting {
            return geometry(builtin, grid, args);
        }
        let wanted = |(word, rows, columns, number): &Key| {
            *word == builtin
                && (*rows, *columns) == (grid.rows, grid.columns)
                && number.as_ref() == args.first().copied()
        };
        if let Some(value) = self.0.find(wanted) {
            return value.clone();
        }
        let value = geometry(builtin, grid, args);
        let number = args.first().map(|number| (*number).clone());
        self.0.keep((builtin, grid.rows, grid.columns, number), value.clone());
        value
    }

    /// The squares of a grid, row by row.
    pub fn squares(&self, grid: &Grid) -> Arc<Vec<Value>> {
        match self.geometry(Builtin::Squares, grid, &[]) {
            Value::List(squares) => squares,
            _ => Arc::default(),
        }
    }
}

/// The value of a word about a grid; `args` are those behind the grid.
fn geometry(builtin: Builtin, grid: &Grid, args: &[&Value]) -> Value {
    let number = |i: usize| match args.get(i) {
        // A step larger than any grid leaves every grid.
        Some(Value::Int(n)) => n.as_i64().filter(|n| n.unsigned_abs() < 1 << 32).unwrap_or(1 << 32),
        _ => 0,
    };
    let square = |i: usize| match args.get(i) {
        Some(Value::Square(square)) => *square,
        _ => SquareAt { row: 0, column: 0 },
    };
    // Neighbours in the order of the squares.
    let near = |wanted: &dyn Fn(i64, i64) -> bool| {
        let all = (-1..=1).flat_map(|rows| (-1..=1).map(move |columns| (rows, columns)));
        let all = all.filter(|(rows, columns)| wanted(*rows, *columns));
        list(all.filter_map(|(rows, columns)| moved(grid, square(0), rows, columns)))
    };
    match builtin {
        Builtin::Rows => lists(straight_lines(grid, (0, 1))),
        Builtin::Columns => lists(straight_lines(grid, (1, 0))),
        Builtin::Diagonals => lists([straight_lines(grid, (1, 1)), straight_lines(grid, (1, -1))].concat()),
        Builtin::Lines => {
            let size = usize::try_from(number(0)).unwrap_or(0).max(1);
            let all =
                [(0, 1), (1, 0), (1, 1), (1, -1)].map(|direction| straight_lines(grid, direction)).concat();
            let windows = all.iter().flat_map(|line| line.windows(size).map(<[SquareAt]>::to_vec));
            // A line of one square is the same in every direction.
            let windows = windows.take(if size == 1 { grid.cells.len() } else { usize::MAX });
            lists(windows.collect())
        }
        Builtin::Edge => list(
            grid.squares()
                .filter(|s| s.row == 1 || s.column == 1 || s.row == grid.rows || s.column == grid.columns),
        ),
        Builtin::Corners => {
            let end = |at: u32, size: u32| at == 1 || at == size;
            list(grid.squares().filter(|s| end(s.row, grid.rows) && end(s.column, grid.columns)))
        }
        Builtin::Beside => near(&|rows, columns| rows.abs() + columns.abs() == 1),
        Builtin::Around => near(&|rows, columns| rows.abs().max(columns.abs()) == 1),
        Builtin::Hexes => near(&|rows, columns| {
            rows.abs().max(columns.abs()) == 1 && (rows == 0 || columns == 0 || rows == -columns)
        }),
        Builtin::Straight => {
            let k = number(1);
            list(
                DIRECTIONS
                    .iter()
                    .filter(|_| k > 0)
                    .filter_map(|way| moved(grid, square(0), way.rows * k, way.columns * k)),
            )
        }
        Builtin::Ray => {
            let step = (number(1), number(2));
            let on = |from: &SquareAt| moved(grid, *from, step.0, step.1).filter(|_| step != (0, 0));
            list(std::iter::successors(on(&square(0)), on))
        }
        Builtin::Step => moved(grid, square(0), number(1), number(2)).map_or(Value::None, Value::Square),
        Builtin::Wrapped => {
            let round = |at: u32, by: i64, size: u32| {
                let place = (i64::from(at) - 1 + by).rem_euclid(i64::from(size.max(1))) + 1;
                u32::try_from(place).unwrap_or(1)
            };
            let from = square(0);
            Value::Square(SquareAt {
                row: round(from.row, number(1), grid.rows),
                column: round(from.column, number(2), grid.columns),
            })
        }
        Builtin::Rectangle => {
            let (a, b) = (square(0), square(1));
            let between = |n: u32, a: u32, b: u32| a.min(b) <= n && n <= a.max(b);
            list(
                grid.squares()
                    .filter(|s| between(s.row, a.row, b.row) && between(s.column, a.column, b.column)),
            )
        }
        _ => list(grid.squares()),
    }
}

/// Squares parted into lists that hang together by their sides, each row by row, in the order of their first squares:
/// of a grid those that are filled, where neighbours hold the same; else the squares that a collection holds.
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

/// The square so many rows and columns on, if it is on the grid.
fn moved(grid: &Grid, from: SquareAt, rows: i64, columns: i64) -> Option<SquareAt> {
    let row = u32::try_from(i64::from(from.row) + rows).ok()?;
    let column = u32::try_from(i64::from(from.column) + columns).ok()?;
    let to = SquareAt { row, column };
    grid.at(to).map(|_| to)
}

/// Every longest line in a direction, in the order of the squares it begins at.
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

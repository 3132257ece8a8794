//! Boards of squares or slanted hexes, with letters or numbers above the columns and numbers before the rows.

use std::fmt::Display;

use super::look::{Line, Look, folded, to_the_right, wide};
use super::signs::{Cell, Signs};
use super::standing::MarkedSquare;
use crate::ir::{Grid, SquareAt, Type};

/// The maximum number of rows and of columns drawn; a note says if the board is larger.
pub const MOST: usize = 99;

/// The maximum width of the combined signs on one square.
const ROOM: usize = 3;

/// The sign of a square with more on it than can be drawn.
const CROWD: &str = "*";

/// A board to be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// Its name; empty if it is the only one.
    pub name: String,
    heads: Vec<String>,
    rows: Vec<(String, Vec<Cell>)>,
    shape: Shape,
    /// What the signs stand for.
    legend: Vec<Cell>,
    /// The contents of squares that have no room to show them.
    overfull: Vec<String>,
    /// Whether rows or columns are left out.
    truncated: bool,
    /// The squares that decided the match, put in parentheses; then changed squares are not marked.
    decisive: Vec<SquareAt>,
}

/// How the fields of a board are arranged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// Squares.
    Squares,
    /// Hexes, with the seats (if any) that own the first and last row, and the first and last column.
    Hexes(Option<(Cell, Cell)>),
}

/// Returns the head of a column (from 1): its letter if `letters` is set and it has one, else its number.
pub fn column_head(column: usize, letters: bool) -> String {
    match (letters, u8::try_from(column)) {
        (true, Ok(n @ 1..=26)) => char::from(b'a' + n - 1).to_string(),
        _ => column.to_string(),
    }
}

/// Names a square by its column's head: `d3`, or `column 4 row 3` if columns have numbers.
fn square_name(head: &str, row: impl Display) -> String {
    match head.parse::<usize>() {
        Ok(_) => format!("column {head} row {row}"),
        Err(_) => format!("{head}{row}"),
    }
}

/// Names squares; a long list is abbreviated.
pub fn square_names(squares: &[SquareAt], letters: bool) -> String {
    const MANY: usize = 8;
    let same = |of: fn(&SquareAt) -> u32| squares.iter().all(|at| of(at) == of(&squares[0]));
    let span = |of: fn(&SquareAt) -> u32| {
        let (first, last) = (squares.iter().map(of).min(), squares.iter().map(of).max());
        // Only if there are no gaps.
        (first.zip(last)).filter(|(first, last)| (last - first + 1) as usize == squares.len())
    };
    let name = |at: &SquareAt| match letters {
        true => at.words(),
        false => format!("column {} row {}", at.column, at.row),
    };
    if !letters && squares.len() > 1 {
        let to = if squares.len() == 2 { "and" } else { "to" };
        if let Some((first, last)) = span(|at| at.column).filter(|_| same(|at| at.row)) {
            return format!("row {}, columns {first} {to} {last}", squares[0].row);
        }
        if let Some((first, last)) = span(|at| at.row).filter(|_| same(|at| at.column)) {
            return format!("column {}, rows {first} {to} {last}", squares[0].column);
        }
    }
    let names: Vec<String> = squares.iter().map(name).collect();
    match names.as_slice() {
        [first, second, .., last] if names.len() > MANY => {
            format!("{first}, {second} and so on to {last}: {} squares", names.len())
        }
        names => names.join(", "),
    }
}

/// Returns the cells of a grid, row by row, and marks those that changed. If most of them changed, as in a
/// new round, none is marked unless `all` is set.
pub fn cells(signs: &Signs, ty: &Type, grid: &Grid, before: Option<&Grid>, all: bool) -> Vec<Vec<Cell>> {
    let before = before.filter(|old| (old.rows, old.columns) == (grid.rows, grid.columns));
    let changed = |k: usize| before.is_some_and(|old| old.cells[k] != grid.cells[k]);
    let many = (0..grid.cells.len()).filter(|k| changed(*k)).count() * 2 > grid.cells.len().max(4);
    let cell = |k: usize| Cell { changed: changed(k) && (all || !many), ..signs.cell(ty, &grid.cells[k]) };
    let columns = grid.columns as usize;
    (0..grid.rows as usize).map(|row| (0..columns).map(|k| cell(row * columns + k)).collect()).collect()
}

impl Board {
    /// Creates a board from its cells. Columns have letters if `letters` is set, else numbers.
    pub fn new(
        name: String,
        mut cells: Vec<Vec<Cell>>,
        shape: Shape,
        letters: bool,
        mut legend: Vec<Cell>,
        most: usize,
    ) -> Board {
        let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
        let cut = cells.len() > most || columns > most;
        cells.truncate(most);
        cells.iter_mut().for_each(|row| row.truncate(most));
        let heads = (1..=columns.min(most)).map(|column| column_head(column, letters)).collect();
        // The legend also explains the small letters around the board.
        if let Shape::Hexes(Some((one, other))) = &shape {
            legend.extend([one, other].map(|side| Cell {
                sign: side.sign.to_lowercase(),
                words: format!("side of {}", side.words),
                ..side.clone()
            }));
        }
        let rows = cells.into_iter().enumerate().map(|(k, row)| ((k + 1).to_string(), row)).collect();
        Board { name, heads, rows, shape, legend, overfull: Vec::new(), truncated: cut, decisive: Vec::new() }
    }

    /// Adds what stands on the board besides the contents of its grid.
    pub fn with_markers(mut self, stands: &[MarkedSquare]) -> Board {
        for MarkedSquare { at, name, markers: men, changed } in stands {
            let row = self.rows.get_mut((at.row - 1) as usize);
            let Some(cell) = row.and_then(|(_, cells)| cells.get_mut((at.column - 1) as usize)) else {
                continue;
            };
            cell.changed |= *changed;
            if men.is_empty() {
                continue;
            }
            let all: Vec<&Cell> = (!cell.is_empty()).then_some(&*cell).into_iter().chain(men).collect();
            let told = |of: fn(&Cell) -> &str, between: &str| {
                all.iter().map(|cell| of(cell)).collect::<Vec<_>>().join(between)
            };
            let sign = told(|cell| &cell.sign, "");
            let words = told(|cell| &cell.words, " and ");
            // A single sign always fits; several that are too wide are listed below the board.
            let sign = if all.len() == 1 || wide(&sign) <= ROOM {
                sign
            } else {
                self.overfull.push(format!("{name}: {}", told(|cell| &cell.sign, " ")));
                CROWD.to_string()
            };
            let hue = all.last().and_then(|cell| cell.hue);
            *cell = Cell { sign, words, hue, changed: cell.changed };
        }
        self
    }

    /// Marks the squares that decided the match, unless they are more than half of the board.
    pub fn decided_by(&mut self, squares: &[SquareAt]) {
        if squares.len() * 2 <= self.rows.len() * self.heads.len() {
            self.decisive = squares.to_vec();
        }
    }

    /// Whether a cell is marked; row and column count from 0.
    fn is_marked(&self, row: usize, column: usize, cell: &Cell) -> bool {
        let at = |at: &SquareAt| (at.row as usize, at.column as usize) == (row + 1, column + 1);
        if self.decisive.is_empty() { cell.changed } else { self.decisive.iter().any(at) }
    }

    /// Returns the heads of the columns.
    pub fn heads(&self) -> &[String] {
        &self.heads
    }

    /// Returns the rows, each with its number and cells.
    pub fn rows(&self) -> &[(String, Vec<Cell>)] {
        &self.rows
    }

    /// Returns the cells of the legend: sign and words.
    pub fn legend(&self) -> &[Cell] {
        &self.legend
    }

    /// Lists the contents of squares that have no room to show them, in one line.
    pub fn overfull(&self) -> Option<String> {
        (!self.overfull.is_empty()).then(|| format!("{CROWD} {}", self.overfull.join(", ")))
    }

    /// Whether its rows are slanted.
    pub fn is_slanted(&self) -> bool {
        matches!(self.shape, Shape::Hexes(_))
    }

    /// Whether two boards have the same layout, so that they can be placed side by side.
    pub fn lies_like(&self, other: &Board) -> bool {
        let squares = |board: &Board| board.shape == Shape::Squares;
        squares(self) && squares(other) && self.rows.len() == other.rows.len()
    }

    /// Returns the width if it is not split.
    pub fn width(&self) -> usize {
        self.drawn(0, self.heads.len()).iter().map(Line::width).max().unwrap_or(0).max(wide(&self.name))
    }

    /// Draws the board as lines. If it is too wide, it is split between columns; each part has its heads.
    pub fn lines(&self, look: &Look) -> Vec<Line> {
        let (head, pitch) = (self.head(), self.pitch());
        let slant = match self.shape {
            Shape::Squares => 0,
            Shape::Hexes(_) => pitch / 2 * (self.rows.len() + 2) + 2 * pitch,
        };
        let fit = (look.width.saturating_sub(head + 2 + slant) / pitch).max(1);
        let mut out = Vec::new();
        let mut from = 0;
        while from < self.heads.len() {
            let to = (from + fit).min(self.heads.len());
            if from > 0 {
                out.push(Line::default());
            }
            out.extend(self.drawn(from, to));
            from = to;
        }
        if self.truncated {
            out.push(Line::of("(part of the board)"));
        }
        out.extend(self.overfull().into_iter().flat_map(|text| folded(&text, look.width, 2)).map(Line::of));
        out
    }

    fn head(&self) -> usize {
        self.rows.iter().map(|(number, _)| wide(number)).max().unwrap_or(0)
    }

    /// Returns the number of screen columns per board column, including the separator.
    fn pitch(&self) -> usize {
        let signs = self.rows.iter().flat_map(|(_, cells)| cells).map(|cell| wide(&cell.sign));
        let widest = signs.chain(self.heads.iter().map(|head| wide(head))).max().unwrap_or(1);
        match self.shape {
            Shape::Squares => widest + 1,
            // Half a field must be a whole number of screen columns.
            Shape::Hexes(_) => (widest + 1).next_multiple_of(2),
        }
    }

    /// Draws the columns `from..to`, counted from 0.
    fn drawn(&self, from: usize, to: usize) -> Vec<Line> {
        let (head, pitch) = (self.head(), self.pitch());
        let (half, sides) = match &self.shape {
            Shape::Squares => (0, None),
            Shape::Hexes(sides) => (pitch / 2, sides.as_ref()),
        };
        // Sides are small letters around the board: one more line above, one more column at the left.
        let (first, gap) = if sides.is_some() { (2, pitch) } else { (1, 0) };
        let heads: String = self.heads[from..to].iter().map(|text| to_the_right(text, pitch)).collect();
        let mut out = vec![Line::of(format!("{:width$}{heads}", "", width = head + 1 + gap))];
        let border = |at: usize| {
            let mut line = Line::of(" ".repeat(head + 1 + gap + half * at));
            for _ in from..to {
                let Some((rows, _)) = sides else { break };
                line.put(" ".repeat(pitch - 1));
                line.paint(rows.sign.to_lowercase(), rows.hue, false);
            }
            line
        };
        out.extend(sides.map(|_| border(1)));
        for (k, (number, cells)) in self.rows.iter().enumerate() {
            let mut line = Line::of(format!("{:slant$}{number:>head$} ", "", slant = half * (first + k)));
            let cells: Vec<(&Cell, bool)> = cells
                .iter()
                .enumerate()
                .take(to)
                .skip(from)
                .map(|(column, cell)| (cell, self.is_marked(k, column, cell)))
                .collect();
            // Where the board is split or cut, there is no side.
            let edge = |line: &mut Line, pad: usize, is_side: bool| match sides {
                Some((_, columns)) if is_side => {
                    line.put(" ".repeat(pad));
                    line.paint(columns.sign.to_lowercase(), columns.hue, false);
                }
                Some(_) => line.put(" ".repeat(pad + 1)),
                None => {}
            };
            edge(&mut line, pitch - 1, from == 0);
            line.join(row(&cells, pitch - 1, if self.decisive.is_empty() { ("[", "]") } else { ("(", ")") }));
            // A marked last cell has already written its closing bracket.
            let marked = cells.last().is_some_and(|(_, marked)| *marked);
            let is_last = to == self.heads.len() && !self.truncated;
            edge(&mut line, pitch - 1 - usize::from(marked), is_last);
            out.push(line);
        }
        out.extend(sides.filter(|_| !self.truncated).map(|_| border(first + self.rows.len())));
        out
    }

    /// Describes the board in words, row by row.
    pub fn spoken(&self) -> Vec<String> {
        let name = if self.name.is_empty() { "board" } else { &self.name };
        let count = |n: usize, of: &str| format!("{n} {of}{}", if n == 1 { "" } else { "s" });
        let size = format!("{}, {}", count(self.rows.len(), "row"), count(self.heads.len(), "column"));
        let mut out = vec![format!("{name}, {size}:")];
        let mut changed = Vec::new();
        for (number, cells) in &self.rows {
            let mut told = Vec::new();
            for (head, cell) in self.heads.iter().zip(cells) {
                if !cell.is_empty() {
                    told.push(match head.parse::<usize>() {
                        Ok(_) => format!("column {head} is {}", cell.words),
                        Err(_) => format!("{head} {}", cell.words),
                    });
                }
                if cell.changed {
                    let words = if cell.is_empty() { "empty" } else { &cell.words };
                    changed.push(format!("{} is {words}", square_name(head, number)));
                }
            }
            if !told.is_empty() {
                out.push(format!("row {number}: {}", told.join(", ")));
            }
        }
        if out.len() == 1 {
            out[0] = format!("{name}, {size}, is empty");
        }
        if !changed.is_empty() {
            out.push(format!("changed: {}", changed.join(", ")));
        }
        if !self.decisive.is_empty() {
            let name = |at: &SquareAt| square_name(&self.heads[at.column as usize - 1], at.row);
            let names: Vec<String> = self.decisive.iter().map(name).collect();
            out.push(format!("decided by: {}", names.join(", ")));
        }
        if let Shape::Hexes(Some((rows, columns))) = &self.shape {
            out.push(format!(
                "the first and last rows are the sides of {}, the first and last columns those of {}",
                rows.words, columns.words
            ));
        }
        out
    }
}

/// Draws a row of cells, with the marked ones in brackets; cells are separated by at least one screen column.
fn row(cells: &[(&Cell, bool)], width: usize, (opening, closing): (&str, &str)) -> Line {
    let mut line = Line::default();
    let mut open = false;
    for (cell, marked) in cells {
        let pad = " ".repeat(width.saturating_sub(wide(&cell.sign)));
        let between = match (open, marked) {
            (true, false) => format!("{closing}{pad}"),
            // The bracket is adjacent to the marked cell.
            (false, true) => format!("{pad}{opening}"),
            _ => format!(" {pad}"),
        };
        line.paint(between, None, open || *marked);
        line.paint(cell.sign.clone(), cell.hue, *marked);
        open = *marked;
    }
    if open {
        line.paint(closing, None, true);
    }
    line
}

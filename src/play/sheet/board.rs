//! Drawn boards: letters above the columns, numbers before the rows, as squares are named.

use crate::ir::{Game, Grid, SquareAt, Value};

/// How many rows and columns are drawn; what is beyond is hinted at.
const MOST: usize = 19;

/// A board to be drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Board {
    letters: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
    /// What the signs stand for.
    legend: Vec<(String, String)>,
}

impl Board {
    /// A grid as it stands, `.` for an empty square.
    pub fn new(game: &Game, grid: &Grid) -> Board {
        let text = |value: &Value| match value {
            Value::None | Value::Unset => ".".to_string(),
            Value::Bool(yes) => if *yes { "yes" } else { "." }.to_string(),
            Value::Player(seat) => game.seats.called.get(*seat).cloned().unwrap_or((seat + 1).to_string()),
            value => crate::eval::text::words(game, value),
        };
        let cells: Vec<Vec<String>> = grid
            .cells
            .chunks(grid.columns.max(1) as usize)
            .map(|row| row.iter().map(text).collect())
            .collect();
        Board::of(cells)
    }

    /// A board of these signs, row by row.
    pub fn of(mut cells: Vec<Vec<String>>) -> Board {
        let legend = shorten(&mut cells);
        let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
        let column =
            |k: usize| SquareAt { row: 1, column: k as u32 + 1 }.words().trim_end_matches('1').to_string();
        let mut letters: Vec<String> = (0..columns.min(MOST)).map(column).collect();
        let more = columns > MOST;
        letters.extend(more.then(|| "…".to_string()));
        let total = cells.len();
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        for (i, mut row) in cells.into_iter().take(MOST).enumerate() {
            row.truncate(MOST);
            row.extend(more.then(|| "…".to_string()));
            rows.push(((i + 1).to_string(), row));
        }
        if total > MOST {
            rows.push(("…".to_string(), Vec::new()));
        }
        Board { letters, rows, legend }
    }

    pub fn letters(&self) -> &[String] {
        &self.letters
    }

    pub fn rows(&self) -> &[(String, Vec<String>)] {
        &self.rows
    }

    /// What the signs stand for, in a sentence.
    pub fn legend(&self) -> Option<String> {
        let each: Vec<String> =
            self.legend.iter().map(|(sign, name)| format!("{sign} stands for {name}")).collect();
        (!each.is_empty()).then(|| format!("Here {}.", super::page::either(&each, "and")))
    }

    /// The drawing in lines of at most so many columns.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let count = |text: &String| text.chars().count();
        let cells = self.rows.iter().flat_map(|(_, cells)| cells).chain(&self.letters);
        let wide = cells.map(count).max().unwrap_or(1);
        let head = self.rows.iter().map(|(number, _)| count(number)).max().unwrap_or(1);
        let fit = (width.saturating_sub(head + 1) / (wide + 1)).max(1);
        let row = |number: &str, cells: &[String]| {
            let mut cells: Vec<&str> = cells.iter().map(String::as_str).collect();
            if cells.len() > fit {
                cells.truncate(fit.saturating_sub(1));
                cells.push("…");
            }
            let cells: String = cells.iter().map(|cell| format!(" {cell:>wide$}")).collect();
            format!("{number:>head$} {cells}").trim_end().to_string()
        };
        let mut out = vec![row("", &self.letters)];
        out.extend(self.rows.iter().map(|(number, cells)| row(number, cells)));
        out
    }
}

/// Writes names as their first letters, where these tell them apart; what each letter stands for.
fn shorten(cells: &mut [Vec<String>]) -> Vec<(String, String)> {
    let mut names: Vec<String> = Vec::new();
    for cell in cells.iter().flatten() {
        if cell.chars().count() > 1
            && cell.chars().all(|c| c.is_alphabetic() || c == '_')
            && !names.contains(cell)
        {
            names.push(cell.clone());
        }
    }
    let letter = |name: &str| name.chars().take(1).collect::<String>();
    let taken = |sign: &str| cells.iter().flatten().any(|cell| cell == sign);
    let apart = names.iter().enumerate().all(|(i, name)| {
        !taken(&letter(name)) && names[..i].iter().all(|other| letter(other) != letter(name))
    });
    if !apart {
        return Vec::new();
    }
    for cell in cells.iter_mut().flatten() {
        if names.contains(cell) {
            *cell = letter(cell);
        }
    }
    names.into_iter().map(|name| (letter(&name), name.replace('_', " "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<Vec<String>> {
        text.lines().map(|line| line.split_whitespace().map(str::to_string).collect()).collect()
    }

    #[test]
    fn letters_stand_above_and_numbers_before() {
        let board = Board::of(cells("white . black\n. . ."));
        assert_eq!(board.lines(40), ["   a b c", "1  w . b", "2  . . ."]);
        assert_eq!(board.legend().unwrap(), "Here w stands for white and b stands for black.");
    }

    #[test]
    fn what_is_too_wide_is_hinted_at() {
        let board = Board::of(vec![vec![".".to_string(); 30]; 2]);
        for width in [10, 20, 80] {
            assert!(board.lines(width).iter().all(|line| line.chars().count() <= width));
        }
        assert!(board.lines(10)[1].ends_with('…'));
    }
}

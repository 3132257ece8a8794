//! Tables with named rows and columns, split between columns where they do not fit.

use super::look::{Hue, Line, Look, folded, to_the_left, to_the_right, wide};

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// The heads of the columns.
    pub heads: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The colour of its seat.
    pub hue: Option<Hue>,
    /// The text of each cell, and whether it is new.
    pub cells: Vec<(String, bool)>,
}

impl Table {
    /// Draws the table as lines: numbers are right-aligned, words are left-aligned.
    pub fn lines(&self, look: &Look) -> Vec<Line> {
        let margin = self.rows.iter().map(|row| wide(&row.name)).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.heads.len()).map(|column| self.width(column)).collect();
        let mut out = Vec::new();
        let mut from = 0;
        while from < widths.len() {
            let mut room = look.width.saturating_sub(margin + 1);
            let fits = widths[from..].iter().take_while(|width| {
                let fits = **width <= room;
                room = room.saturating_sub(**width + 1);
                fits
            });
            let to = from + fits.count().max(1);
            if from > 0 {
                out.push(Line::default());
            }
            self.part(from, to, margin, look.width, &mut out);
            from = to;
        }
        out
    }

    /// Draws a single column of short values on one line if it fits: `money  player 1: 12  player 2: 7`.
    pub fn brief(&self, look: &Look) -> Option<Line> {
        let [head] = self.heads.as_slice() else { return None };
        let mut line = Line::of(head.clone());
        for Row { name, hue, cells } in &self.rows {
            let (cell, changed) =
                cells.first().filter(|(cell, _)| wide(cell) <= 12 && !cell.contains(' '))?;
            line.put(if line.width() == 0 { "" } else { "  " });
            line.paint(name.clone(), *hue, false);
            line.put(": ");
            line.paint(cell.clone(), None, *changed);
            line.put(if *changed { "*" } else { "" });
        }
        (line.width() <= look.width).then_some(line)
    }

    /// Returns the width of a column, including the mark of a changed cell.
    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.cells.get(column));
        cells.map(|(cell, _)| wide(cell)).chain([wide(&self.heads[column])]).max().unwrap_or(0) + 1
    }

    fn part(&self, from: usize, to: usize, margin: usize, width: usize, out: &mut Vec<Line>) {
        let numbers = |column: usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.cells.get(column));
            cells.all(|(cell, _)| cell.parse::<i128>().is_ok() || cell == "_")
        };
        // A trailing star marks a new value.
        let set = |text: &str, column: usize, new: bool| {
            let width = self.width(column);
            let text = format!("{text}{}", if new { "*" } else { " " });
            if numbers(column) { to_the_right(&text, width) } else { to_the_left(&text, width) }
        };
        if self.heads[from..to].iter().any(|head| !head.is_empty()) {
            let mut heads = Line::of(format!("{:margin$} ", ""));
            (from..to).for_each(|column| heads.put(format!(" {}", set(&self.heads[column], column, false))));
            out.push(heads);
        }
        for Row { name, hue, cells } in &self.rows {
            let mut line = Line::default();
            line.paint(to_the_left(name, margin), *hue, false);
            line.put(" ");
            // The rest of a cell that is too wide by itself continues below.
            let mut more = Vec::new();
            for (column, (cell, new)) in cells.iter().enumerate().take(to).skip(from) {
                line.put(" ");
                let room = width.saturating_sub(margin + 2).max(8);
                if wide(cell) > room {
                    let mut parts = folded(cell, room, 0);
                    more = parts.split_off(1);
                    line.paint(parts.remove(0), None, *new);
                } else {
                    line.paint(set(cell, column, *new), None, *new);
                }
            }
            out.push(line);
            out.extend(more.into_iter().map(|text| Line::of(format!("{:margin$}  {text}", ""))));
        }
    }

    /// Describes a table whose first column alone has a head in words, with that before the name of each row.
    pub fn told_by_column(&self) -> Vec<String> {
        let head = self.heads.first().map_or("", String::as_str);
        let row = |Row { name, cells, .. }: &Row| {
            let cells: Vec<&str> = cells.iter().map(|(cell, _)| cell.as_str()).collect();
            let cell = cells.join("; ");
            let cell = if cell.is_empty() { "nothing" } else { &cell };
            format!("{head} {name}: {cell}").trim_start().to_string()
        };
        self.rows.iter().map(row).collect()
    }

    /// Describes the table in words, a line for each row.
    pub fn spoken(&self) -> Vec<String> {
        let row = |Row { name, cells, .. }: &Row| {
            let each = self.heads.iter().zip(cells).map(|(head, (cell, _))| {
                let cell = if cell.is_empty() { "nothing" } else { cell };
                if head.is_empty() { cell.to_string() } else { format!("{head} {cell}") }
            });
            let each: Vec<String> = each.collect();
            let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
            format!("{name}{}", each.join(", "))
        };
        self.rows.iter().map(row).collect()
    }
}

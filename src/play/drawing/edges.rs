//! Sides of boxes, drawn as lines between dots: one grid of the sides above and below the boxes, one of those
//! left and right, and optionally a third with the contents of the boxes.

use super::board::column_head;
use super::look::{Line, Look, to_the_left, wide};
use super::signs::Cell;

/// The width of a side in screen columns.
const SIDE: usize = 3;

/// Boxes and their sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edges {
    /// The name and cells of the horizontal sides; the first row is above the first row of boxes.
    pub across: (String, Vec<Vec<Cell>>),
    /// The name and cells of the vertical sides; the first cell of a row is left of its first box.
    pub down: (String, Vec<Vec<Cell>>),
    /// The name and cells of the boxes.
    pub boxes: Option<(String, Vec<Vec<Cell>>)>,
    /// What the signs stand for.
    pub legend: Vec<Cell>,
}

impl Edges {
    /// Draws the boxes; horizontal sides have their heads above and left, vertical ones below and right.
    pub fn lines(&self, look: &Look) -> Vec<Line> {
        let columns = self.across.1.first().map_or(0, Vec::len);
        let head = self.across.1.len().to_string().len();
        let fit = (look.width.saturating_sub(2 * head + 4) / (SIDE + 1)).max(1);
        let mut out = Vec::new();
        let mut from = 0;
        while from < columns {
            let to = (from + fit).min(columns);
            if from > 0 {
                out.push(Line::default());
            }
            out.extend(self.drawn(from, to, head));
            from = to;
        }
        out
    }

    /// Draws the boxes of the columns `from..to`, counted from 0; `head` is the width of row numbers.
    fn drawn(&self, from: usize, to: usize, head: usize) -> Vec<Line> {
        let (across, down) = (&self.across.1, &self.down.1);
        let margin = " ".repeat(head + 1);
        let heads = |from: usize, to: usize| {
            (from..to).map(|k| format!("{:^width$}", column_head(k + 1, true), width = SIDE + 1))
        };
        let named = |mut line: Line, name: &str, at: usize| {
            line.put(" ".repeat(at.saturating_sub(line.width()) + 2));
            line.put(name);
            line
        };
        let right = head + 1 + (to - from) * (SIDE + 1) + 1;
        let mut out = vec![named(
            Line::of(format!("{margin} {}", heads(from, to).collect::<String>().trim_end())),
            &self.across.0,
            right,
        )];
        for row in 0..across.len() {
            let mut line = Line::of(format!("{:>head$} •", row + 1));
            for cell in &across[row][from..to] {
                let (text, strong) = match (cell.is_empty(), cell.changed) {
                    (true, _) => (" ".repeat(SIDE), false),
                    (false, changed) => {
                        let stroke = if changed { "━" } else { "─" };
                        let sign = if cell.hue.is_some() { &cell.sign } else { stroke };
                        let dashes = SIDE - wide(sign).min(SIDE);
                        let (left, right) = (dashes / 2, dashes - dashes / 2);
                        (format!("{}{sign}{}", stroke.repeat(left), stroke.repeat(right)), changed)
                    }
                };
                line.paint(text, cell.hue, strong);
                line.put("•");
            }
            out.push(line);
            if let Some(sides) = down.get(row) {
                let mut line = Line::of(margin.clone());
                for k in from..=to {
                    let cell = &sides[k];
                    let stroke = match (cell.is_empty(), cell.changed) {
                        (true, _) => " ",
                        (false, true) => "┃",
                        (false, false) => "│",
                    };
                    let sign = if cell.hue.is_some() { cell.sign.as_str() } else { stroke };
                    line.paint(sign, cell.hue, cell.changed);
                    if k < to {
                        let owner = self.boxes.as_ref().map(|(_, boxes)| &boxes[row][k]);
                        match owner.filter(|owner| !owner.is_empty()) {
                            Some(owner) => {
                                let left = SIDE.saturating_sub(wide(&owner.sign)) / 2;
                                let text = format!("{}{}", " ".repeat(left), owner.sign);
                                let text = to_the_left(&text, SIDE);
                                line.paint(text, owner.hue, owner.changed);
                            }
                            None => line.put(" ".repeat(SIDE)),
                        }
                    }
                }
                line.put(format!("  {}", row + 1));
                out.push(line);
            }
        }
        let below: String = heads(from, to + 1).collect();
        let below = format!("{}{}", " ".repeat((head + 1).saturating_sub(SIDE / 2)), below);
        out.push(named(Line::of(below.trim_end()), &self.down.0, right));
        out
    }

    /// Describes the sides and boxes in words: which sides are drawn, and who owns the boxes.
    pub fn spoken(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut tell = |name: &str, cells: &[Vec<Cell>], owned: bool| {
            let mut told = Vec::new();
            let mut changed = Vec::new();
            for (row, cells) in cells.iter().enumerate() {
                for (column, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                    let at = format!("{}{}", column_head(column + 1, true), row + 1);
                    if cell.changed {
                        changed.push(at.clone());
                    }
                    told.push(if owned || cell.hue.is_some() { format!("{at} {}", cell.words) } else { at });
                }
            }
            let told = if told.is_empty() { "none".to_string() } else { told.join(", ") };
            out.push(format!("{name}: {told}"));
            if !changed.is_empty() {
                out.push(format!("new in {name}: {}", changed.join(", ")));
            }
        };
        tell(&self.across.0, &self.across.1, false);
        tell(&self.down.0, &self.down.1, false);
        if let Some((name, cells)) = &self.boxes {
            tell(name, cells, true);
        }
        out
    }
}

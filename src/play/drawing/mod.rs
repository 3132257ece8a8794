//! Drawings of the table for people. What is drawn (boards, sides of boxes, pits, cards, tables of seats,
//! lines) follows from the types that the `show` lines show and from the rules, never from the name of a
//! game. A drawing is data; a `Look` turns it into text for a screen, or into words for screen readers.

mod board;
mod compared;
mod edges;
mod look;
mod maker;
mod pieces;
mod pits;
mod points;
mod signs;
mod standing;
mod table;

pub use board::Board;
pub use look::Look;
pub use signs::{Cell, SUITS, Suit};

use std::sync::Arc;

use board::{MOST, square_names};
use edges::Edges;
use look::{Line, folded};
use maker::Maker;
use pieces::{DrawHints, Shown, face_down, grids, grids_on_table, shown, unwritten};
use pits::Pits;
use points::shows_points;
use signs::card;
use standing::Markers;
use table::Table;

use super::telling::decisive_squares;
use super::{Match, Viewer};
use crate::eval::{Fault, elements, text};
use crate::ir::{Game, Sight, SquareAt, StateId, Type, Value};

/// A drawing of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    parts: Vec<Part>,
}

/// A part of a drawing; parts are placed below one another.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Boards(Vec<Board>),
    Edges(Edges),
    Pits(Pits),
    /// One or several values for each seat.
    Seats(Table),
    /// Lists with numbered elements.
    Rows(Table),
}

impl Match {
    /// Draws the table as people see it. What the last choice changed is marked.
    pub fn drawing(&self) -> Result<Drawing, Fault> {
        let hints = DrawHints::of(&self.machine().game);
        let mut maker = Maker::new(self, &hints, MOST);
        shown(self, &hints)?.into_iter().for_each(|line| maker.line(line));
        let mut parts = maker.finish();
        if self.over() {
            mark_decisive(&mut parts, &decisive_squares(self));
        }
        Ok(Drawing { parts })
    }

    /// Like [`Match::drawing`], but marks everything that differs from an earlier moment of the match.
    pub fn drawing_since(&self, earlier: &Match) -> Result<Drawing, Fault> {
        let mut marked = self.clone();
        marked.before = Some(Arc::new(earlier.position().clone()));
        marked.drawing()
    }

    /// Whether the table shows how many points each player has.
    pub fn table_has_points(&self) -> bool {
        shows_points(self)
    }

    /// Returns everything a viewer sees: owner (from 1; 0 is the table), name, and the value drawn.
    pub fn seen_drawn(&self, viewer: Viewer, look: &Look) -> Vec<(usize, String, String)> {
        let game = &self.machine().game;
        let hints = DrawHints::of(game);
        let drawn = |(owner, id, value): (usize, usize, &Value)| {
            let state = &game.state[id];
            let text = match value {
                Value::Grid(_) => {
                    let mut maker = Maker::new(self, &hints, MOST);
                    maker.line(Shown::of(&state.form.ty(), value));
                    Drawing { parts: maker.finish() }.text(look)
                }
                value if hints.is_hand(game, id) => look.signs(&cards(game, &state.form.ty(), value)),
                value => look.signs(&text::words(game, value)),
            };
            (owner, state.name.clone(), text)
        };
        let seen = self.pieces(viewer);
        let mut out: Vec<_> = seen.iter().copied().map(drawn).collect();
        for (owner, id, value) in self.pieces(Viewer::Everything) {
            if hints.is_counted(id) && !seen.iter().any(|(other, known, _)| (*other, *known) == (owner, id)) {
                out.push(drawn((owner, id, &face_down(value))));
            }
        }
        out
    }

    /// Draws the grids that everybody sees, of at most `most` rows and columns each. Returns the names of the
    /// grids that a figure combines, and the figure.
    pub(super) fn figures(&self, most: usize) -> Vec<(Vec<String>, Figure)> {
        let hints = DrawHints::of(&self.machine().game);
        let mut maker = Maker::new(self, &hints, most);
        let mut names = Vec::new();
        for (name, line) in grids(self, &hints) {
            maker.line(line);
            names.push(name);
        }
        let mut out = Vec::new();
        for part in maker.finish() {
            match part {
                Part::Boards(boards) if boards.len() == names.len() => {
                    let each = names.iter().map(|name| vec![name.clone()]);
                    out.extend(each.zip(boards.into_iter().map(|board| Figure::Board(Box::new(board)))));
                }
                Part::Boards(boards) => {
                    out.extend(
                        boards.into_iter().map(|board| (names.clone(), Figure::Board(Box::new(board)))),
                    );
                }
                part => {
                    let look = Look::default();
                    let lines = part.lines(&look).iter().map(|line| line.text(&look)).collect();
                    out.push((names.clone(), Figure::Lines(lines, part.spoken())));
                }
            }
        }
        out
    }
}

/// Marks the squares that decided a match, if there is only one board.
fn mark_decisive(parts: &mut [Part], squares: &[SquareAt]) {
    let boards = parts.iter_mut().flat_map(|part| match part {
        Part::Boards(boards) => boards.as_mut_slice(),
        _ => &mut [],
    });
    let mut boards: Vec<&mut Board> = boards.collect();
    if let [board] = boards.as_mut_slice() {
        board.decided_by(squares);
    }
}

/// Names squares as the board on the table does.
pub(super) fn squares_in_words(played: &Match, squares: &[SquareAt]) -> String {
    square_names(squares, DrawHints::of(&played.machine().game).letters)
}

/// Names squares by the numbers of their rows and columns, if the board on the table has numbers only.
pub(super) fn numbered_squares(played: &Match, squares: &[SquareAt]) -> Option<String> {
    let letters = DrawHints::of(&played.machine().game).letters;
    (!letters).then(|| square_names(squares, letters))
}

/// Returns the state that everybody sees drawn although no `show` line reads it: hands, and men on boards.
pub(super) fn drawn_unwritten(played: &Match) -> Vec<StateId> {
    let game = &played.machine().game;
    let public = |id: &StateId| game.state[*id].sight == Sight::Public;
    let men = grids_on_table(played).flat_map(|grid| Markers::of(played, grid).states());
    unwritten(game, &DrawHints::of(game)).into_iter().chain(men.filter(public)).collect()
}

/// A part of a table, drawn on a rules sheet.
#[derive(Debug)]
pub(super) enum Figure {
    /// A board.
    Board(Box<Board>),
    /// A drawing as lines of text, and the same in words.
    Lines(Vec<String>, Vec<String>),
}

/// Returns the type of the values in a grid's squares.
fn element(ty: &Type) -> &Type {
    match ty {
        Type::Grid(of) => of,
        ty => ty,
    }
}

/// Formats the elements of a collection as cards; for face-down cards, just their number.
fn cards(game: &Game, ty: &Type, value: &Value) -> String {
    // A tuple is one card, such as the seven of clubs.
    let one = match ty {
        Type::Optional(of) => matches!(**of, Type::Tuple(_)),
        ty => matches!(ty, Type::Tuple(_)),
    };
    match value {
        Value::List(_) | Value::Set(_) | Value::Bag(_) if !one => {
            let items = elements(value);
            if !items.is_empty() && items.iter().all(|item| *item == Value::Unset) {
                return format!("{}×{}", card(game, &Value::Unset), items.len());
            }
            let cards: Vec<String> = items.iter().map(|item| card(game, item)).collect();
            if cards.is_empty() { "none".to_string() } else { cards.join(" ") }
        }
        value => card(game, value),
    }
}

impl Drawing {
    /// Returns the drawing as text for a screen.
    pub fn text(&self, look: &Look) -> String {
        let mut out: Vec<String> = Vec::new();
        for part in &self.parts {
            let lines = match look.plain {
                true => {
                    let told = part.spoken().into_iter().map(|text| look.signs(&text));
                    told.flat_map(|text| folded(&text, look.width, 2)).collect()
                }
                false => part.lines(look).iter().map(|line| line.text(look)).collect::<Vec<_>>(),
            };
            out.extend(lines);
        }
        out.join("\n").trim_matches('\n').to_string()
    }
}

impl Part {
    fn lines(&self, look: &Look) -> Vec<Line> {
        match self {
            Part::Text(text) => folded(text, look.width, 2).into_iter().map(Line::of).collect(),
            Part::Boards(boards) => {
                let mut out = beside(boards, look);
                out.extend(spoken_legend(boards.iter().flat_map(Board::legend), look));
                out
            }
            Part::Edges(edges) => {
                let mut out = edges.lines(look);
                out.extend(spoken_legend(&edges.legend, look));
                out
            }
            Part::Pits(pits) => pits.lines(look),
            Part::Seats(table) => table.brief(look).map_or_else(|| table.lines(look), |line| vec![line]),
            Part::Rows(table) => table.lines(look),
        }
    }

    /// Returns the same in words.
    fn spoken(&self) -> Vec<String> {
        match self {
            Part::Text(text) => vec![text.clone()],
            Part::Boards(boards) => boards.iter().flat_map(Board::spoken).collect(),
            Part::Edges(edges) => edges.spoken(),
            Part::Pits(pits) => pits.spoken(),
            Part::Seats(table) => table.spoken(),
            Part::Rows(table) => table.told_by_column(),
        }
    }
}

/// Explains the signs in a legend, in as few lines as possible.
fn spoken_legend<'l>(legend: impl IntoIterator<Item = &'l Cell>, look: &Look) -> Vec<Line> {
    let mut lines = vec![Line::default()];
    let mut told: Vec<&String> = Vec::new();
    for Cell { sign, words, hue, .. } in legend {
        if told.contains(&sign) {
            continue;
        }
        told.push(sign);
        let mut entry = Line::default();
        entry.paint(sign, *hue, false);
        entry.put(format!(" {words}"));
        match lines.last_mut() {
            Some(line) if line.width() == 0 => line.join(entry),
            Some(line) if line.width() + 2 + entry.width() <= look.width => {
                line.put("  ");
                line.join(entry);
            }
            _ => lines.push(entry),
        }
    }
    lines.retain(|line| line.width() > 0);
    lines
}

/// Places boards side by side while they fit, else one below another, with their names above them.
fn beside(boards: &[Board], look: &Look) -> Vec<Line> {
    const GAP: usize = 4;
    let mut out: Vec<Line> = Vec::new();
    let mut rest = boards;
    while let Some(first) = rest.first() {
        let mut room = look.width.saturating_sub(first.width());
        let next_ones = rest[1..].iter().take_while(|board| {
            let fits = board.lies_like(first) && board.width() + GAP <= room;
            room = room.saturating_sub(board.width() + GAP);
            fits
        });
        let together = 1 + next_ones.count();
        let mut lines: Vec<Line> = Vec::new();
        for board in &rest[..together] {
            let at = lines.iter().map(Line::width).max().map_or(0, |width| width + GAP);
            let name = (!board.name.is_empty()).then(|| Line::of(board.name.clone()));
            for (k, line) in name.into_iter().chain(board.lines(look)).enumerate() {
                if k == lines.len() {
                    lines.push(Line::default());
                }
                let pad = at.saturating_sub(lines[k].width());
                lines[k].put(" ".repeat(pad));
                lines[k].join(line);
            }
        }
        if !out.is_empty() {
            out.push(Line::default());
        }
        out.extend(lines);
        rest = &rest[together..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use board::Shape;

    fn board(columns: usize) -> Board {
        let cell = |k: usize| Cell { sign: "x".into(), words: "x".into(), hue: None, changed: k == columns };
        Board::new(
            String::new(),
            vec![(1..=columns).map(cell).collect()],
            Shape::Squares,
            true,
            Vec::new(),
            99,
        )
    }

    #[test]
    fn wide_boards_are_cut_between_columns_and_each_part_has_its_heads() {
        let look = Look { width: 20, ..Look::default() };
        let text = |board: Board| board.lines(&look).iter().map(|line| line.text(&look)).collect::<Vec<_>>();
        assert_eq!(text(board(3)), ["   a b c", "1  x x[x]"]);
        assert_eq!(
            text(board(12)),
            ["   a b c d e f g h", "1  x x x x x x x x", "", "   i j k l", "1  x x x[x]"]
        );
    }

    #[test]
    fn wide_letters_take_two_columns() {
        let cell = |sign: &str| Cell { sign: sign.into(), words: sign.into(), hue: None, changed: false };
        let rows =
            vec![vec![cell("甲"), cell("x")], vec![cell("x"), cell("é")], vec![cell("."), cell("e\u{301}")]];
        let board = Board::new(String::new(), rows, Shape::Squares, true, Vec::new(), 99);
        let look = Look { unicode: true, ..Look::default() };
        let lines: Vec<String> = board.lines(&look).iter().map(|line| line.text(&look)).collect();
        assert_eq!(lines, ["    a  b", "1  甲  x", "2   x  é", "3   .  e\u{301}"]);
        let row = |name: &str, cell: &str| table::Row {
            name: name.into(),
            hue: None,
            cells: vec![(cell.into(), false), ("7".into(), false)],
        };
        let table = Table {
            heads: vec!["字".into(), "n".into()],
            rows: vec![row("甲乙", "数字"), row("b", "ab")],
        };
        let lines: Vec<String> = table.lines(&look).iter().map(|line| line.text(&look)).collect();
        assert_eq!(lines, ["      字    n", "甲乙  数字  7", "b     ab    7"]);
    }

    #[test]
    fn columns_past_z_are_called_as_they_are_typed() {
        assert_eq!(board(28).heads()[25..], ["z", "27", "28"]);
    }
}

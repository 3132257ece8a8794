//! The table drawn for people. What it is made of follows from the types of what a `show` line shows and from the rules, never
//! from the name of a game: boards, sides of boxes, pits, cards, tables of seats, lines. A drawing is data; it becomes text for
//! a screen (`Look`), or words for readers that listen.

mod backs;
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
pub use signs::Cell;

use board::{MOST, square_names};
use edges::Edges;
use look::{Line, folded};
use maker::Maker;
use pieces::{Rulings, Shown, face_down, grids, grids_on_table, shown, unwritten};
use pits::Pits;
use points::shows_points;
use signs::card;
use standing::Men;
use table::Table;

use super::telling::decisive_squares;
use super::{Match, Viewer};
use crate::eval::{Fault, elements, text};
use crate::ir::{Game, Sight, SquareAt, StateId, Type, Value};

/// A table as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    parts: Vec<Part>,
}

/// A part of a drawn table, one below another.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Boards(Vec<Board>),
    Edges(Edges),
    Pits(Pits),
    /// A value, or several, for each seat.
    Seats(Table),
    /// Lists with their numbers.
    Rows(Table),
}

impl Match {
    /// The table as people see it. What the last choice changed is marked.
    pub fn drawing(&self) -> Result<Drawing, Fault> {
        let rulings = Rulings::of(&self.machine().game);
        let mut maker = Maker::new(self, &rulings, MOST);
        shown(self, &rulings)?.into_iter().for_each(|line| maker.line(line));
        let mut parts = maker.finish();
        if self.over() {
            mark_decisive(&mut parts, &decisive_squares(self));
        }
        Ok(Drawing { parts })
    }

    /// The same, with all marked that is otherwise than at an earlier moment of the match.
    pub fn drawing_since(&self, earlier: &Match) -> Result<Drawing, Fault> {
        let mut marked = self.clone();
        marked.before = Some(earlier.position().clone());
        marked.drawing()
    }

    /// Whether the table says how many points each player has.
    pub fn table_has_points(&self) -> bool {
        shows_points(self)
    }

    /// What a viewer sees, piece by piece: owner (from 1; 0 is the table), name, and the value drawn.
    pub fn seen_drawn(&self, viewer: Viewer, look: &Look) -> Vec<(usize, String, String)> {
        let game = &self.machine().game;
        let rulings = Rulings::of(game);
        let drawn = |(owner, id, value): (usize, usize, &Value)| {
            let state = &game.state[id];
            let text = match value {
                Value::Grid(_) => {
                    let mut maker = Maker::new(self, &rulings, MOST);
                    maker.line(Shown::of(&state.form.ty(), value));
                    Drawing { parts: maker.finish() }.text(look)
                }
                value if rulings.is_hand(game, id) => look.signs(&cards(game, value)),
                value => look.signs(&text::words(game, value)),
            };
            (owner, state.name.clone(), text)
        };
        let seen = self.pieces(viewer);
        let mut out: Vec<_> = seen.iter().copied().map(drawn).collect();
        for (owner, id, value) in self.pieces(Viewer::Everything) {
            if rulings.is_counted(id) && !seen.iter().any(|(other, known, _)| (*other, *known) == (owner, id))
            {
                out.push(drawn((owner, id, &face_down(value))));
            }
        }
        out
    }

    /// The grids that everybody sees, drawn, of at most so many rows and columns: the names of those that are drawn together,
    /// and the figure.
    pub(super) fn figures(&self, most: usize) -> Vec<(Vec<String>, Figure)> {
        let rulings = Rulings::of(&self.machine().game);
        let mut maker = Maker::new(self, &rulings, most);
        let mut names = Vec::new();
        for (name, line) in grids(self, &rulings) {
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
                    out.push((names.clone(), Figure::Lines(lines, part.told())));
                }
            }
        }
        out
    }
}

/// Marks the squares that decided a match, where one board alone can be meant.
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

/// Squares as the board on the table calls them.
pub(super) fn squares_in_words(played: &Match, squares: &[SquareAt]) -> String {
    square_names(squares, Rulings::of(&played.machine().game).letters)
}

/// The state that everybody sees drawn though no `show` line reads it: hands, what stands on a board beside its grid.
pub(super) fn drawn_unwritten(played: &Match) -> Vec<StateId> {
    let game = &played.machine().game;
    let public = |id: &StateId| game.state[*id].sight == Sight::Public;
    let men = grids_on_table(played).flat_map(|grid| Men::of(played, grid).states());
    unwritten(game, &Rulings::of(game)).into_iter().chain(men.filter(public)).collect()
}

/// A part of a table that is drawn on a sheet of rules.
#[derive(Debug)]
pub(super) enum Figure {
    /// A board.
    Board(Box<Board>),
    /// A drawing in lines of text, and the same in words.
    Lines(Vec<String>, Vec<String>),
}

/// The type of what stands in the squares of a grid.
fn element(ty: &Type) -> &Type {
    match ty {
        Type::Grid(of) => of,
        ty => ty,
    }
}

/// The elements of a collection as cards; of those that lie face down the number.
fn cards(game: &Game, value: &Value) -> String {
    match value {
        Value::List(_) | Value::Set(_) | Value::Bag(_) => {
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
    /// The drawing as text for a screen.
    pub fn text(&self, look: &Look) -> String {
        let mut out: Vec<String> = Vec::new();
        for part in &self.parts {
            let lines = match look.plain {
                true => {
                    let told = part.told().into_iter().map(|text| look.signs(&text));
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
                out.extend(told_legend(boards.iter().flat_map(Board::legend), look));
                out
            }
            Part::Edges(edges) => {
                let mut out = edges.lines(look);
                out.extend(told_legend(&edges.legend, look));
                out
            }
            Part::Pits(pits) => pits.lines(look),
            Part::Seats(table) => table.brief(look).map_or_else(|| table.lines(look), |line| vec![line]),
            Part::Rows(table) => table.lines(look),
        }
    }

    /// The same in words.
    fn told(&self) -> Vec<String> {
        match self {
            Part::Text(text) => vec![text.clone()],
            Part::Boards(boards) => boards.iter().flat_map(Board::told).collect(),
            Part::Edges(edges) => edges.told(),
            Part::Pits(pits) => pits.told(),
            Part::Seats(table) => table.told(),
            Part::Rows(table) => table.told_by_column(),
        }
    }
}

/// What the signs stand for that were made up, in as few lines as it takes.
fn told_legend<'l>(legend: impl IntoIterator<Item = &'l Cell>, look: &Look) -> Vec<Line> {
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

/// Boards side by side where they fit, else one below another; their names above them.
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
    fn columns_past_z_are_called_as_they_are_typed() {
        assert_eq!(board(28).heads()[25..], ["z", "27", "28"]);
    }
}

//! Makes a drawing from the lines that are shown: sorts their values by type and combines related ones.

use super::board::{Board, Shape, cells};
use super::edges::Edges;
use super::look::Hue;
use super::pieces::{Bit, DrawHints, Piece, Shown};
use super::pits::{Pits, Side};
use super::signs::{Cell, EMPTY, Signs, side_by_side};
use super::standing::Markers;
use super::table::{Row, Table};
use super::{MOST, Part, cards, element};
use crate::eval::{elements, text};
use crate::ir::{DrawnAs, Game, Grid, Type, Value};
use crate::play::Match;
use crate::play::args::in_words;

/// A grid waiting for others that it may be combined with.
struct PendingGrid {
    name: String,
    ty: Type,
    grid: Grid,
    before: Option<Grid>,
    /// How the author wants it drawn.
    drawn: Option<DrawnAs>,
}

/// Makes a drawing line by line.
pub struct Maker<'m> {
    played: &'m Match,
    game: &'m Game,
    hints: &'m DrawHints,
    parts: Vec<Part>,
    grids: Vec<PendingGrid>,
    /// The maximum number of rows and of columns of a board.
    most: usize,
    /// Whether two boards are compared: then every difference is marked.
    compares: bool,
}

impl<'m> Maker<'m> {
    /// Starts a drawing whose boards have at most `most` rows and columns.
    pub fn new(played: &'m Match, hints: &'m DrawHints, most: usize) -> Maker<'m> {
        let game = &played.machine().game;
        Maker { played, game, hints, parts: Vec::new(), grids: Vec::new(), most, compares: false }
    }

    /// Starts a drawing that compares values; `before` of each piece holds the value to compare with.
    pub fn comparing(played: &'m Match, hints: &'m DrawHints) -> Maker<'m> {
        Maker { compares: true, ..Maker::new(played, hints, MOST) }
    }

    /// Returns the parts of the drawing.
    pub fn finish(mut self) -> Vec<Part> {
        self.put_grids();
        self.parts
    }

    /// Draws a line: text stays text, interrupted by values that have drawings of their own.
    pub fn line(&mut self, line: Shown) {
        match line.drawn {
            Some(DrawnAs::Pits) => {
                if let Some(pits) = self.pits(&line.bits) {
                    return self.push_part(Part::Pits(pits));
                }
            }
            Some(DrawnAs::Text) => {
                let words = line.bits.iter().map(|bit| match bit {
                    Bit::Chars(chars) => chars.clone(),
                    Bit::Piece(piece) => text::words(self.game, &piece.value),
                });
                let written: String = words.collect();
                written.lines().for_each(|line| self.push_part(Part::Text(line.to_string())));
                return;
            }
            _ => {}
        }
        let as_cards = line.drawn == Some(DrawnAs::Cards);
        // A value that is the whole line is shown with its name.
        let alone = matches!(line.bits.as_slice(), [Bit::Piece(_)]);
        let parted = line.bits.iter().any(|bit| matches!(bit, Bit::Piece(piece) if self.stands_alone(piece)));
        // Brackets that the text as a whole closes may be parted by a drawing, and are left out then.
        let paired = parted && unpaired(&chars_of(&line.bits)).is_empty();
        // The current line of text so far, and the characters since the last value.
        let (mut written, mut letters) = (String::new(), String::new());
        let named_behind = named_behind(&line.bits);
        for (bit, named_behind) in line.bits.into_iter().zip(named_behind) {
            match bit {
                Bit::Chars(chars) => {
                    let mut lines = chars.split('\n');
                    letters.push_str(lines.next().unwrap_or(""));
                    for next in lines {
                        written.push_str(&std::mem::take(&mut letters));
                        self.text(&mut written, parted, paired);
                        letters.push_str(next);
                    }
                }
                Bit::Piece(piece) if self.stands_alone(&piece) => {
                    let between = std::mem::take(&mut letters);
                    let (rest, before) =
                        if written.is_empty() { ("", between.as_str()) } else { split_label(&between) };
                    written.push_str(rest);
                    self.text(&mut written, parted, paired);
                    let before = if paired { without_unpaired(before) } else { before.to_string() };
                    let label = label(&before, &piece.name);
                    self.alone(piece, label, line.drawn.clone());
                }
                Bit::Piece(piece) => {
                    let label = std::mem::take(&mut letters);
                    let named = named_behind || label.contains(char::is_alphabetic);
                    let bare = (alone || parted) && !named;
                    match bare && !piece.name.is_empty() {
                        true => {
                            let (closing, opening) = brackets_around(&label);
                            written.push_str(closing);
                            let gap = written.len().min(2);
                            written.push_str(&format!("{:gap$}{}: {opening}", "", piece.name));
                        }
                        false => written.push_str(&label),
                    }
                    let empty = matches!(&piece.value, Value::List(items) if items.is_empty());
                    match empty && (named || bare) {
                        true => written.push_str("none"),
                        false => written.push_str(&self.value(&piece, as_cards)),
                    }
                }
            }
        }
        written.push_str(&letters);
        self.text(&mut written, parted, paired);
    }

    /// Whether a value is drawn on its own instead of within a line of text.
    fn stands_alone(&self, piece: &Piece) -> bool {
        match (&piece.value, &piece.ty) {
            (Value::Grid(_), _) => true,
            _ if piece.by_seat => true,
            (Value::List(_), ty) => is_of_rows(ty) && !piece.hand,
            _ => false,
        }
    }

    /// Formats a value within a line of text.
    fn value(&self, piece: &Piece, as_cards: bool) -> String {
        let seats =
            matches!(&piece.ty, Type::List(of) | Type::Set(of) | Type::Bag(of) if **of == Type::Player);
        let items = if seats && !self.game.seats.player_names.is_empty() {
            elements(&piece.value)
        } else {
            Vec::new()
        };
        match as_cards || piece.hand {
            // Players with names are called by them instead of by numbers.
            _ if !items.is_empty() => {
                let names = items.iter().map(|item| words(self.game, item));
                names.collect::<Vec<_>>().join(", ")
            }
            true => cards(self.game, &piece.ty, &piece.value),
            false => match &piece.value {
                Value::Unset | Value::None => "none".to_string(),
                value => words(self.game, value),
            },
        }
    }

    /// Ends a line of text. Next to drawings, drops the separators around it, and brackets whose other half is
    /// elsewhere if the whole is `paired`.
    fn text(&mut self, written: &mut String, parted: bool, paired: bool) {
        let line = std::mem::take(written);
        let line = if paired { without_unpaired(&line) } else { line };
        let line = match parted {
            true => line.trim().trim_matches([',', ';']).trim(),
            false => line.trim_end(),
        };
        // Keep the author's empty lines, except next to drawings, which are separated anyway.
        if !(line.is_empty() && parted) {
            self.push_part(Part::Text(line.to_string()));
        }
    }

    /// Adds a part below the others.
    pub fn push_part(&mut self, part: Part) {
        self.put_grids();
        self.parts.push(part);
    }

    /// Adds a value that is drawn on its own.
    fn alone(&mut self, piece: Piece, label: String, drawn: Option<DrawnAs>) {
        let as_cards = drawn == Some(DrawnAs::Cards) || piece.hand;
        if let Value::Grid(grid) = &piece.value {
            let before = match &piece.before {
                Some(Value::Grid(before)) => Some((**before).clone()),
                _ => None,
            };
            self.grids.push(PendingGrid { name: label, ty: piece.ty, grid: (**grid).clone(), before, drawn });
            return;
        }
        let items = elements(&piece.value);
        let old = piece.before.as_ref().map(elements);
        if piece.by_seat && matches!(piece.ty, Type::Grid(_)) {
            for (seat, item) in items.iter().enumerate() {
                let Value::Grid(grid) = item else { continue };
                let before = match old.as_ref().and_then(|old| old.get(seat)) {
                    Some(Value::Grid(before)) => Some((**before).clone()),
                    _ => None,
                };
                let name = owned_by(&label, &self.seat(seat));
                let (ty, grid, drawn) = (piece.ty.clone(), (**grid).clone(), drawn.clone());
                self.grids.push(PendingGrid { name, ty, grid, before, drawn });
            }
            return;
        }
        // A list of rows for each seat, such as everybody's guesses with their answers.
        if piece.by_seat && is_of_rows(&piece.ty) && !as_cards {
            for (seat, item) in items.iter().enumerate() {
                let before = old.as_ref().and_then(|old| old.get(seat)).map(elements);
                self.rows(owned_by(&label, &self.seat(seat)), &piece.ty, &elements(item), before);
            }
            return;
        }
        if !piece.by_seat {
            return match as_cards {
                true => self.push_part(Part::Rows(self.rows_of_cards(label, &piece.ty, &items))),
                false => self.rows(label, &piece.ty, &items, old),
            };
        }
        let cells = items.iter().enumerate().map(|(k, item)| {
            let text = match as_cards {
                true => cards(self.game, &piece.ty, item),
                false => words(self.game, item),
            };
            // For cards, the choice itself says which are gone.
            (text, !as_cards && old.as_ref().is_some_and(|old| old.get(k) != Some(item)))
        });
        let cells: Vec<(String, bool)> = cells.collect();
        self.put_grids();
        // All values that are per seat share one table.
        if !matches!(self.parts.last(), Some(Part::Seats(_))) {
            let rows = (0..self.played.players()).map(|seat| Row {
                name: self.seat(seat),
                hue: Some(self.hue(seat)),
                cells: Vec::new(),
            });
            let table = Table { heads: Vec::new(), rows: rows.collect() };
            self.parts.push(Part::Seats(table));
        }
        if let Some(Part::Seats(table)) = self.parts.last_mut() {
            table.heads.push(label);
            table.rows.iter_mut().zip(cells).for_each(|(row, cell)| row.cells.push(cell));
        }
    }

    /// Adds a list as numbered lines, with a column for each part of a tuple, under its name if it has one. The lines
    /// that are not those of before are marked.
    fn rows(&mut self, label: String, ty: &Type, items: &[Value], before: Option<Vec<Value>>) {
        let of = ty.element().unwrap_or(Type::Wrong);
        let tuple = if let Type::Tuple(parts) = &of { Some(parts) } else { None };
        let parts = tuple.map_or(1, |parts| parts.len());
        let row = |(k, item): (usize, &Value)| {
            let new = before.as_ref().is_some_and(|before| before.get(k) != Some(item));
            let words: Vec<String> = match item {
                Value::List(values) if parts > 1 => {
                    values.iter().map(|value| words(self.game, value)).collect()
                }
                item => vec![words(self.game, item)],
            };
            // One mark is enough for a line.
            let last = words.len();
            let cells = words.into_iter().enumerate().map(|(at, word)| (word, new && at + 1 == last));
            Row { name: (k + 1).to_string(), hue: None, cells: cells.collect() }
        };
        let rows: Vec<Row> = items.iter().enumerate().map(row).collect();
        match (rows.is_empty(), tuple) {
            (true, _) => self.push_part(Part::Text(format!("{label}: none"))),
            (false, None) => self.push_part(Part::Rows(Table { heads: vec![label], rows })),
            // The label of several columns stands above all of them.
            (false, Some(tuple)) => {
                self.push_part(Part::Text(format!("{label}:")));
                let name = |at| tuple.name(at).unwrap_or_default().replace('_', " ");
                let heads = (0..parts).map(name).collect();
                self.push_part(Part::Rows(Table { heads, rows }));
            }
        }
    }

    /// Draws lists of cards as numbered lines.
    fn rows_of_cards(&self, label: String, ty: &Type, items: &[Value]) -> Table {
        let of = ty.element().unwrap_or(Type::Wrong);
        let row = |(k, item): (usize, &Value)| Row {
            name: (k + 1).to_string(),
            hue: None,
            cells: vec![(cards(self.game, &of, item), false)],
        };
        Table { heads: vec![label], rows: items.iter().enumerate().map(row).collect() }
    }

    fn seat(&self, seat: usize) -> String {
        self.game.seat_name(seat)
    }

    fn hue(&self, seat: usize) -> Hue {
        Hue::of_seat(seat, self.game.seats.roles.get(seat))
    }

    // ---- pits

    /// Draws the lists of a line as rows of pits and its numbers as stores; `None` if they do not match.
    fn pits(&self, bits: &[Bit]) -> Option<Pits> {
        let (mut rows, mut stores, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let words = |value: &Value| words(self.game, value);
        // The texts of values, and whether each is new.
        let marked = |values: &[Value], old: Option<Vec<Value>>| -> Vec<(String, bool)> {
            let new = |k: usize| old.as_ref().is_some_and(|old| old.get(k) != values.get(k));
            values.iter().enumerate().map(|(k, value)| (words(value), new(k))).collect()
        };
        for bit in bits {
            let Bit::Piece(piece) = bit else { continue };
            let row = |value: &Value, old: Option<&Value>, places: &[String]| {
                let cells = marked(&held(value), old.map(held));
                let cells =
                    cells.into_iter().zip(places).map(|((count, new), place)| (place.clone(), count, new));
                cells.collect::<Vec<_>>()
            };
            match (&piece.value, piece.by_seat) {
                (Value::List(items), true) => {
                    let old = piece.before.as_ref().map(held);
                    for (k, item) in items.iter().enumerate() {
                        let old = old.as_ref().and_then(|old| old.get(k));
                        match item {
                            Value::List(of) => {
                                let places: Vec<String> = (1..=of.len()).map(|k| k.to_string()).collect();
                                rows.push(row(item, old, &places));
                            }
                            item => stores.push((words(item), old.is_some_and(|old| old != item))),
                        }
                    }
                }
                (Value::List(_) | Value::Map(_), _) => {
                    rows.push(row(&piece.value, piece.before.as_ref(), &piece.places));
                    names.push(piece.name.clone());
                }
                (value, _) => {
                    stores.push((words(value), piece.before.as_ref().is_some_and(|old| old != value)));
                }
            }
        }
        let seated = rows.len() == self.played.players();
        if rows.is_empty() || !(stores.is_empty() || stores.len() == rows.len()) {
            return None;
        }
        let mut stores = stores.into_iter();
        let side = |(seat, pits)| Side {
            name: if seated { self.seat(seat) } else { names.get(seat).cloned().unwrap_or_default() },
            hue: seated.then(|| self.hue(seat)),
            pits,
            store: stores.next(),
        };
        Some(Pits(rows.into_iter().enumerate().map(side).collect()))
    }

    // ---- grids

    /// Draws the waiting grids: as sides of boxes, as values with their owners, or as boards.
    fn put_grids(&mut self) {
        let grids = std::mem::take(&mut self.grids);
        if grids.is_empty() {
            return;
        }
        if let Some(edges) = self.edges(&grids) {
            return self.parts.push(Part::Edges(edges));
        }
        if let Some(board) = self.owned(&grids) {
            return self.parts.push(Part::Boards(vec![board]));
        }
        let alone = grids.len() == 1;
        let men = if alone { Markers::of(self.played, &grids[0].grid) } else { Markers::default() };
        let types = |waiting| [Some(waiting), men.types(self.game)].into_iter().flatten();
        let mut signs = Signs::new(self.game, grids.iter().flat_map(|waiting| types(&waiting.ty)));
        let stands = men.marked_squares(self.played, &mut signs);
        let boards = grids.iter().map(|waiting| {
            let name = if alone { String::new() } else { waiting.name.clone() };
            let shape = match &waiting.drawn {
                Some(DrawnAs::Hexes(sides)) => {
                    let signs = Signs::new(self.game, [&Type::Player]);
                    Shape::Hexes(
                        sides.as_ref().map(|(rows, columns)| (signs.seat(*rows), signs.seat(*columns))),
                    )
                }
                _ if self.hints.hexes => Shape::Hexes(None),
                _ => Shape::Squares,
            };
            let cells = self.cells(&signs, waiting);
            let legend = signs.legend(types(&waiting.ty));
            Board::new(name, cells, shape, self.hints.letters, legend, self.most)
        });
        let boards = boards.map(|board| board.with_markers(&stands)).collect();
        self.parts.push(Part::Boards(boards));
    }

    /// Returns the cells of a grid.
    fn cells(&self, signs: &Signs, waiting: &PendingGrid) -> Vec<Vec<Cell>> {
        cells(signs, element(&waiting.ty), &waiting.grid, waiting.before.as_ref(), self.compares)
    }

    /// Combines two grids that are the sides of boxes, each larger than the boxes by one in one direction,
    /// and optionally a grid of the boxes' size.
    fn edges(&self, grids: &[PendingGrid]) -> Option<Edges> {
        let size = |waiting: &PendingGrid| (waiting.grid.rows, waiting.grid.columns);
        let marks = |waiting: &&PendingGrid| {
            !matches!(element(&waiting.ty), Type::Int | Type::List(_) | Type::Set(_) | Type::Bag(_))
        };
        let found = grids.iter().filter(marks).find_map(|across| {
            let (rows, columns) = size(across);
            let boxes = (rows.checked_sub(1)?, columns);
            let down = grids.iter().filter(marks).find(|down| size(down) == (boxes.0, columns + 1))?;
            Some((across, down, boxes))
        });
        let (across, down, boxes) = found?;
        let within = grids.iter().find(|waiting| size(waiting) == boxes);
        if grids.len() != 2 + usize::from(within.is_some()) {
            return None;
        }
        let signs = Signs::new(self.game, grids.iter().map(|waiting| &waiting.ty));
        let drawn = |waiting: &PendingGrid| (waiting.name.clone(), self.cells(&signs, waiting));
        let (across, down, boxes) = (drawn(across), drawn(down), within.map(drawn));
        let legend = signs.legend(grids.iter().map(|waiting| &waiting.ty));
        Some(Edges { across, down, boxes, legend })
    }

    /// Combines a grid of values and a grid of their owners into one board.
    fn owned(&self, grids: &[PendingGrid]) -> Option<Board> {
        let [one, other] = grids else { return None };
        let owners = |waiting: &PendingGrid| match element(&waiting.ty) {
            Type::Optional(of) | Type::Either(_, of) => **of == Type::Player,
            ty => *ty == Type::Player,
        };
        let (values, owner) = match (owners(one), owners(other)) {
            (false, true) => (one, other),
            (true, false) => (other, one),
            _ => return None,
        };
        if (values.grid.rows, values.grid.columns) != (owner.grid.rows, owner.grid.columns) {
            return None;
        }
        let mut signs = Signs::new(self.game, [&values.ty, &owner.ty]);
        let stands = Markers::of(self.played, &values.grid).marked_squares(self.played, &mut signs);
        let drawn = |waiting: &PendingGrid| self.cells(&signs, waiting);
        let both = |(value, owner): (Cell, Cell)| Cell {
            sign: match (value.is_empty(), owner.is_empty()) {
                (true, true) => EMPTY.to_string(),
                (true, false) => owner.sign,
                (false, true) => value.sign,
                (false, false) => side_by_side(value.sign, &owner.sign),
            },
            words: [value.words, owner.words].join(" ").trim().to_string(),
            hue: owner.hue.or(value.hue),
            changed: value.changed || owner.changed,
        };
        let rows = drawn(values).into_iter().zip(drawn(owner));
        let cells = rows.map(|(values, owners)| values.into_iter().zip(owners).map(both).collect()).collect();
        let legend = signs.legend([&values.ty, &owner.ty]);
        let board = Board::new(String::new(), cells, Shape::Squares, self.hints.letters, legend, self.most);
        Some(board.with_markers(&stands))
    }
}

/// The brackets that a text may have around values.
const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];

fn opens(c: char) -> bool {
    BRACKETS.iter().any(|(open, _)| *open == c)
}

fn closes(c: char) -> bool {
    BRACKETS.iter().any(|(_, close)| *close == c)
}

/// Returns the characters of a line, without its values.
fn chars_of(bits: &[Bit]) -> String {
    let chars = bits.iter().map(|bit| match bit {
        Bit::Chars(chars) => chars.as_str(),
        Bit::Piece(_) => "",
    });
    chars.collect()
}

/// Returns the places of brackets that have no partner in a text.
fn unpaired(text: &str) -> Vec<usize> {
    let (mut open, mut alone) = (Vec::new(), Vec::new());
    for (at, c) in text.char_indices() {
        match open.last() {
            Some((_, before)) if BRACKETS.contains(&(*before, c)) => drop(open.pop()),
            _ if opens(c) => open.push((at, c)),
            _ if closes(c) => alone.push(at),
            _ => {}
        }
    }
    alone.extend(open.into_iter().map(|(at, _)| at));
    alone
}

/// Leaves out brackets that have no partner.
fn without_unpaired(text: &str) -> String {
    let alone = unpaired(text);
    text.char_indices().filter(|(at, _)| !alone.contains(at)).map(|(_, c)| c).collect()
}

/// Returns the brackets that a text without words closes after the value before it, and those that it opens
/// before the next value.
fn brackets_around(text: &str) -> (&str, &str) {
    let closing = text.find(|c| !closes(c)).unwrap_or(text.len());
    let opening =
        text.rfind(|c| !opens(c)).map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    (&text[..closing], &text[opening.max(closing)..])
}

/// Divides the text between a value and a drawing: what belongs to the value, and the label of the drawing. A
/// separator divides them, or else the brackets that are closed after the value.
fn split_label(text: &str) -> (&str, &str) {
    let separates = |(at, c): &(usize, char)| {
        let after = &text[at + c.len_utf8()..];
        matches!(c, ',' | ';' | '.' | '|') && (after.is_empty() || after.starts_with(char::is_whitespace))
    };
    match text.char_indices().rfind(separates) {
        Some((at, c)) => (&text[..at], &text[at + c.len_utf8()..]),
        None => text.split_at(brackets_around(text).0.len()),
    }
}

/// Whether a list of this type is drawn as numbered lines: its elements are collections or tuples.
fn is_of_rows(ty: &Type) -> bool {
    let Type::List(of) = ty else { return false };
    matches!(**of, Type::List(_) | Type::Set(_) | Type::Bag(_) | Type::Tuple(_))
}

/// Names what belongs to a seat: `sheet of player 1`.
pub fn owned_by(what: &str, seat: &str) -> String {
    if what.is_empty() { seat.to_string() } else { format!("{what} of {seat}") }
}

/// Returns the values in a list or map.
fn held(value: &Value) -> Vec<Value> {
    match value {
        Value::Map(map) => map.values().cloned().collect(),
        value => elements(value),
    }
}

/// Words that only join a value to what follows, as in `{left} of 9`.
const JOINING: &[&str] =
    &["and", "at", "by", "for", "from", "in", "is", "are", "of", "on", "or", "out", "to", "with"];

/// Returns, for each bit, whether it is a value that the author's words behind it name, as in `{lives} lives, …`.
fn named_behind(bits: &[Bit]) -> Vec<bool> {
    let named = |at: usize| match (&bits[at], bits.get(at + 1)) {
        (Bit::Piece(piece), Some(Bit::Chars(behind))) => {
            let (own, ends) = match behind.split_once([',', ';', '\n']) {
                Some((own, _)) => (own, true),
                None => (behind.as_str(), at + 2 == bits.len()),
            };
            let words = || own.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            let first = words().next().filter(|word| word.starts_with(char::is_alphabetic));
            ends && first.is_some_and(|word| !JOINING.contains(&word))
                || words().any(|word| word.eq_ignore_ascii_case(&piece.name))
        }
        _ => false,
    };
    (0..bits.len()).map(named).collect()
}

/// Returns a value as it is drawn, with symbols in the words that people read.
fn words(game: &Game, value: &Value) -> String {
    in_words(game, &text::words(game, value))
}

/// Returns the label of a drawing: the words before it, else the value's own name.
fn label(letters: &str, name: &str) -> String {
    let words = letters.trim_matches(|c: char| !c.is_alphanumeric());
    if words.contains(char::is_alphabetic) { words.to_string() } else { name.to_string() }
}

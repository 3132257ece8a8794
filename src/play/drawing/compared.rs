//! Draws what an example claims about the table next to what it shows, and marks the differences.

use super::maker::Maker;
use super::pieces::{Bit, DrawHints, Piece, Shown, drawn_as, shown_lines};
use super::{Drawing, Part, element};
use crate::check::picture::squares_of;
use crate::eval::Fault;
use crate::ir::{DrawnAs, Game, Grid, StateId, Type, Value};
use crate::play::Match;

/// The names of the two.
const SAID: &str = "the example says";
const SO: &str = "it is";

impl Match {
    /// Draws the table at the point where an example fails.
    pub(in crate::play) fn table_there(&self) -> Option<Drawing> {
        let mut drawing = self.drawing().ok().filter(|drawing| !drawing.parts.is_empty())?;
        drawing.parts.insert(0, Part::Text("the table at this point:".to_string()));
        Some(drawing)
    }

    /// Draws a grid on the table next to its claimed value.
    pub(in crate::play) fn board_compared(&self, id: StateId, wanted: &Value, held: &Value) -> Drawing {
        let game = &self.machine().game;
        let hints = DrawHints::of(game);
        let mut maker = Maker::comparing(self, &hints);
        both(&mut maker, &game.state[id].form.ty(), drawn_as(game, id), wanted, held);
        Drawing { parts: maker.finish() }
    }

    /// Draws what the table shows next to the lines that it is claimed to show: boards as boards, anything
    /// else as text. Differences in spacing are ignored.
    pub(in crate::play) fn shows_compared(&self, wanted: &[&str]) -> Result<Drawing, Fault> {
        let game = &self.machine().game;
        let hints = DrawHints::of(game);
        let lines = shown_lines(self, &hints)?;
        let written: Vec<Vec<String>> = lines.iter().map(|line| line.written(game)).collect();
        let mut maker = Maker::comparing(self, &hints);
        if written.iter().map(Vec::len).sum::<usize>() != wanted.len() {
            let so = self.show()?;
            let so: Vec<&str> = so.trim_end().lines().collect();
            [(SAID, wanted), (SO, &so)].into_iter().for_each(|(name, lines)| {
                maker.push_part(Part::Text(format!("{name}:")));
                lines.iter().for_each(|line| maker.push_part(Part::Text(format!("  {line}"))));
            });
            return Ok(Drawing { parts: maker.finish() });
        }
        let mut rest = wanted;
        for (line, written) in lines.into_iter().zip(written) {
            let (said, after) = rest.split_at(written.len());
            rest = after;
            if said.iter().zip(&written).all(|(said, so)| said.split_whitespace().eq(so.split_whitespace())) {
                continue;
            }
            if let [Bit::Piece(piece)] = line.bits.as_slice()
                && let Value::Grid(grid) = &piece.value
                && let Some(wanted) = board(game, element(&piece.ty), said, grid)
            {
                let wanted = Value::Grid(wanted.into());
                both(&mut maker, &piece.ty, line.drawn.clone(), &wanted, &piece.value);
                continue;
            }
            for (said, so) in said.iter().zip(&written).filter(|(said, so)| *said != so) {
                maker.push_part(Part::Text(format!("{SAID}: {}", marked(said, so))));
                maker.push_part(Part::Text(format!(
                    "{SO:>width$}: {}",
                    marked(so, said),
                    width = SAID.len()
                )));
            }
        }
        Ok(Drawing { parts: maker.finish() })
    }
}

/// Draws the claimed and the actual value, each with its differences from the other marked.
fn both(maker: &mut Maker, ty: &Type, drawn: Option<DrawnAs>, said: &Value, so: &Value) {
    for (name, value, other) in [(SAID, said, so), (SO, so, said)] {
        let piece = Piece { name: name.to_string(), before: Some(other.clone()), ..Piece::of(ty, value) };
        maker.line(Shown { bits: vec![Bit::Piece(piece)], drawn: drawn.clone() });
    }
}

/// Parses a board from lines; `None` if they are not a board of the size of `like`.
fn board(game: &Game, ty: &Type, lines: &[&str], like: &Grid) -> Option<Grid> {
    let mut cells = Vec::new();
    for line in lines {
        let row = squares_of(line);
        if row.len() != like.columns as usize {
            return None;
        }
        for word in row {
            cells.push(read(game, ty, word)?);
        }
    }
    (cells.len() == like.cells.len()).then(|| Grid { cells, ..like.clone() })
}

/// Parses the value of a square.
fn read(game: &Game, ty: &Type, word: &str) -> Option<Value> {
    match ty {
        Type::Optional(_) if word == "." => Some(Value::None),
        Type::Optional(of) => read(game, of, word),
        Type::Either(ids, of) => {
            read(game, &Type::Symbol(ids.clone()), word).or_else(|| read(game, of, word))
        }
        Type::Symbol(ids) => game.called(word, ids.iter().copied()).map(Value::Symbol),
        Type::Int => word.parse().ok().map(Value::Int),
        Type::Bool if word == "yes" || word == "no" => Some(Value::Bool(word == "yes")),
        Type::Player => {
            let numbered = || word.parse::<usize>().ok().and_then(|seat| seat.checked_sub(1));
            game.seats.find(word).or_else(numbered).map(Value::Player)
        }
        _ => None,
    }
}

/// Puts the words of a line that differ from another line in brackets, if both have the same number of words
/// and no brackets of their own.
fn marked(line: &str, other: &str) -> String {
    if [line, other].iter().any(|line| line.contains(['[', ']', '(', ')'])) {
        return line.to_string();
    }
    let words = |line: &'_ str| line.split_inclusive([' ', ',']).map(str::to_string).collect::<Vec<_>>();
    let (words, others) = (words(line), words(other));
    if words.len() != others.len() {
        return line.to_string();
    }
    let mark = |(word, other): (&String, &String)| {
        let (bare, other) = [word, other].map(|word| word.trim_end_matches([' ', ','])).into();
        if bare == other { word.clone() } else { format!("[{bare}]{}", &word[bare.len()..]) }
    };
    words.iter().zip(&others).map(mark).collect()
}

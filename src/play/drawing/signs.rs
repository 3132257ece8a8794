//! What stands in a square: short signs for players, symbols and numbers, and a legend where letters are made up.

use std::collections::BTreeSet;

use super::look::{Hue, wide};
use crate::eval::text::words;
use crate::ir::{DIRECTIONS, Game, SymbolId, Type, Value};

/// The sign of an empty square.
pub const EMPTY: &str = "·";

/// The signs of the eight directions; letters where ASCII has no arrow.
const ARROWS: [&str; 8] = ["↑", "NE", "→", "SE", "↓", "SW", "←", "NW"];

/// What stands in a square, or on a line between squares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Its sign.
    pub sign: String,
    /// The same in words; nothing for an empty square.
    pub words: String,
    /// The colour of its owner.
    pub hue: Option<Hue>,
    /// Whether it is otherwise than before the last choice.
    pub changed: bool,
}

impl Cell {
    /// Whether nothing stands there.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// Signs for the values of a type.
pub struct Signs<'g> {
    game: &'g Game,
    seats: Vec<String>,
    symbols: Vec<(SymbolId, String)>,
    legend: Vec<(String, String)>,
}

impl<'g> Signs<'g> {
    /// Signs for what values of these types name, whether or not it stands anywhere yet.
    pub fn new<'t>(game: &'g Game, types: impl IntoIterator<Item = &'t Type>) -> Signs<'g> {
        let (mut players, mut ids) = (false, BTreeSet::new());
        types.into_iter().for_each(|ty| named(ty, &mut players, &mut ids));
        let mut signs = Signs { game, seats: Vec::new(), symbols: Vec::new(), legend: Vec::new() };
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let seats: Vec<String> = if players { game.seats.called.clone() } else { Vec::new() };
        let symbols: Vec<(SymbolId, &String)> = ids.iter().map(|id| (*id, &game.symbols[*id])).collect();
        // Short names are signs already; letters that are made up keep clear of them.
        let names = seats.iter().chain(symbols.iter().map(|(_, name)| *name));
        taken.extend(names.filter(|name| is_sign(name)).cloned());
        signs.seats = seats.iter().map(|name| signs.sign(name, &mut taken)).collect();
        for (id, name) in symbols {
            let way = DIRECTIONS.iter().position(|way| way.is_called(name));
            let sign = match way {
                Some(way) => ARROWS[way].to_string(),
                None => signs.sign(name, &mut taken),
            };
            signs.symbols.push((id, sign));
        }
        signs
    }

    /// The sign of a name: itself where it is short, else a letter of it, told in the legend.
    fn sign(&mut self, name: &str, taken: &mut BTreeSet<String>) -> String {
        if is_sign(name) {
            return name.to_string();
        }
        let letters = name.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_uppercase);
        let free = letters.map(|c| c.to_string()).find(|letter| !taken.contains(letter));
        // Where all its letters are taken, the name itself is written.
        let Some(sign) = free else { return name.to_string() };
        taken.insert(sign.clone());
        self.legend.push((sign.clone(), name.replace('_', " ")));
        sign
    }

    /// What the letters stand for that were made up.
    pub fn legend(self) -> Vec<(String, String)> {
        self.legend
    }

    /// The sign of a seat, from 0.
    pub fn seat(&self, seat: usize) -> Cell {
        let called = self.game.seats.called.get(seat);
        Cell {
            sign: self.seats.get(seat).cloned().unwrap_or_else(|| (seat + 1).to_string()),
            words: self.game.seat_name(seat),
            hue: Some(Hue::of_seat(seat, called)),
            changed: false,
        }
    }

    /// The sign of a value.
    pub fn cell(&self, ty: &Type, value: &Value) -> Cell {
        let cell = |sign: String, hue| Cell { words: words(self.game, value), sign, hue, changed: false };
        match (value, inner(ty)) {
            (Value::None | Value::Unset | Value::Bool(false), _) => {
                Cell { sign: EMPTY.to_string(), words: String::new(), hue: None, changed: false }
            }
            (Value::Bool(true), _) => cell("x".to_string(), None),
            (Value::Player(seat), _) => self.seat(*seat),
            (Value::Symbol(id), _) => {
                let sign = self.symbols.iter().find(|(known, _)| known == id).map(|(_, sign)| sign.clone());
                let name = &self.game.symbols[*id];
                let called = self.game.seats.called.iter().position(|seat| seat == name);
                let hue = called.map(|seat| Hue::of_seat(seat, Some(name))).or(Hue::named(name));
                cell(sign.unwrap_or_else(|| name.clone()), hue)
            }
            (Value::List(parts), Type::Tuple(types)) => {
                let cells: Vec<Cell> =
                    types.iter().zip(parts.iter()).map(|(ty, part)| self.cell(ty, part)).collect();
                let words = cells.iter().map(|cell| cell.words.clone()).collect::<Vec<_>>().join(" ");
                let hue = cells.iter().find_map(|cell| cell.hue);
                let sign = cells.into_iter().fold(String::new(), |all, cell| side_by_side(all, &cell.sign));
                Cell { sign, words, hue, changed: false }
            }
            (Value::List(_), _) => cell(format!("({})", words(self.game, value)), None),
            _ => cell(words(self.game, value).replace(", ", ","), None),
        }
    }
}

/// A value as a card, between signs that become brackets: suits have their own, and what is not known lies face down.
pub fn card(game: &Game, value: &Value) -> String {
    fn face(game: &Game, value: &Value) -> String {
        match value {
            Value::Unset => "?".to_string(),
            Value::None => " ".to_string(),
            Value::Symbol(id) => match game.symbols[*id].as_str() {
                "clubs" => "♣".to_string(),
                "hearts" => "♥".to_string(),
                "spades" => "♠".to_string(),
                "diamonds" => "♦".to_string(),
                name => name.replace('_', " "),
            },
            Value::List(parts) => {
                parts.iter().fold(String::new(), |all, part| side_by_side(all, &face(game, part)))
            }
            value => words(game, value),
        }
    }
    format!("⟦{}⟧", face(game, value))
}

/// Two signs as one, with a colon where one would run into the other.
pub fn side_by_side(one: String, other: &str) -> String {
    let sort = |c: char| (c.is_ascii_digit(), c.is_alphabetic());
    let runs = match (one.chars().last(), other.chars().next()) {
        (Some(a), Some(b)) => sort(a) == sort(b) && a.is_alphanumeric(),
        _ => false,
    };
    // Whole words read better with a blank between them and what follows.
    let between = match (runs, wide(&one) > 2) {
        (true, _) => ":",
        (false, true) => " ",
        (false, false) => "",
    };
    format!("{one}{between}{other}")
}

/// Whether a name is short enough to be its own sign.
fn is_sign(name: &str) -> bool {
    wide(name) <= 2
}

/// The type of what is there.
fn inner(ty: &Type) -> &Type {
    match ty {
        Type::Optional(of) => inner(of),
        ty => ty,
    }
}

/// Finds what values of a type name: players, symbols.
fn named(ty: &Type, players: &mut bool, ids: &mut BTreeSet<SymbolId>) {
    match ty {
        Type::Player => *players = true,
        Type::Symbol(symbols) => ids.extend(symbols),
        Type::Optional(of) | Type::List(of) | Type::Set(of) | Type::Bag(of) | Type::Grid(of) => {
            named(of, players, ids);
        }
        Type::Either(symbols, of) => {
            ids.extend(symbols);
            named(of, players, ids);
        }
        Type::Tuple(parts) => parts.iter().for_each(|part| named(part, players, ids)),
        Type::Map(key, value) => [key, value].into_iter().for_each(|part| named(part, players, ids)),
        Type::Wrong | Type::Never | Type::Int | Type::Bool | Type::Square | Type::Text => {}
    }
}

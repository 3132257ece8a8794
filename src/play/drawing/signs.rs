//! The contents of squares: short signs for players, symbols and numbers, and a legend for made-up letters.

use std::collections::BTreeSet;

use super::look::{Hue, wide};
use crate::eval::{elements, text::words};
use crate::ir::{DIRECTIONS, Game, SymbolId, Type, Value};

/// The sign of an empty square.
pub const EMPTY: &str = "·";

/// The signs of the eight directions; letters where ASCII has no arrow.
const ARROWS: [&str; 8] = ["↑", "NE", "→", "SE", "↓", "SW", "←", "NW"];

/// The contents of a square, or of a line between squares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Its sign.
    pub sign: String,
    /// The same in words; empty for an empty square.
    pub words: String,
    /// The colour of its owner.
    pub hue: Option<Hue>,
    /// Whether it changed with the last choice.
    pub changed: bool,
}

impl Cell {
    /// Whether the square is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// The signs for the values of some types.
pub struct Signs<'g> {
    game: &'g Game,
    seats: Vec<String>,
    symbols: Vec<(SymbolId, String)>,
    /// Names and letters already used as signs; made-up letters avoid them.
    taken: BTreeSet<String>,
    legend: Vec<(Named, Cell)>,
}

/// What a sign in the legend stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Seat,
    Symbol(SymbolId),
    /// Something that stands on a board but is not in its grid.
    Mark,
}

impl<'g> Signs<'g> {
    /// Chooses signs for everything that values of these types can contain, whether it occurs yet or not.
    pub fn new<'t>(game: &'g Game, types: impl IntoIterator<Item = &'t Type>) -> Signs<'g> {
        let mut names = Names::default();
        types.into_iter().for_each(|ty| names.add(ty));
        let called: Vec<String> = if names.players { game.seats.roles.clone() } else { Vec::new() };
        let symbols: Vec<(SymbolId, &String)> =
            names.symbols.iter().map(|id| (*id, &game.symbols[*id])).collect();
        // Short names serve as their own signs.
        let all = called.iter().chain(symbols.iter().map(|(_, name)| *name));
        let mut taken: BTreeSet<String> = all.filter(|name| is_sign(name)).cloned().collect();
        if names.numbers {
            // The letter O looks like zero.
            taken.insert("O".to_string());
        }
        let mut signs = Signs { game, seats: Vec::new(), symbols: Vec::new(), taken, legend: Vec::new() };
        if names.players {
            signs.sign_seats(&called);
        }
        for (id, name) in symbols {
            let way = DIRECTIONS.iter().position(|way| game.name_of(way) == Some(name));
            let sign = way.map(|way| ARROWS[way].to_string()).unwrap_or_else(|| {
                let words = name.replace('_', " ");
                let hue = signs.hue_of(name);
                signs.sign(Named::Symbol(id), name, &words, hue)
            });
            signs.symbols.push((id, sign));
        }
        signs
    }

    /// Chooses signs for the seats; unnamed seats are numbered. The legend says which person sits there.
    fn sign_seats(&mut self, called: &[String]) {
        let named = &self.game.seats.player_names;
        for seat in 0..called.len().max(named.len()) {
            let person = named.get(seat).is_some_and(Option::is_some);
            let hue = Some(Hue::of_seat(seat, called.get(seat)));
            let words = self.game.seat_name(seat);
            let sign = match called.get(seat) {
                Some(name) if !is_sign(name) => self.sign(Named::Seat, name, &words.replace('_', " "), hue),
                name => {
                    let sign = name.cloned().unwrap_or_else(|| (seat + 1).to_string());
                    if person {
                        self.tell(Named::Seat, &sign, &words, hue);
                    }
                    sign
                }
            };
            // Small letters mark the sides of boards.
            self.taken.insert(sign.to_lowercase());
            self.seats.push(sign);
        }
    }

    /// Returns the sign of a name: the name itself if it is short, else one of its letters (see the legend).
    fn sign(&mut self, named: Named, name: &str, words: &str, hue: Option<Hue>) -> String {
        if is_sign(name) {
            return name.to_string();
        }
        // If all its letters are taken, use the name itself.
        let Some(sign) = self.free(name, |c| c.to_uppercase().collect()) else { return name.to_string() };
        self.tell(named, &sign, words, hue);
        sign
    }

    /// Chooses a small letter for a thing on a board that is not in its grid, and adds it to the legend.
    pub fn mark(&mut self, name: &str) -> String {
        let sign = self.free(name, |c| c.to_lowercase().collect()).unwrap_or_else(|| name.to_string());
        self.tell(Named::Mark, &sign, &name.replace('_', " "), None);
        sign
    }

    /// Takes the first letter of a name that is not a sign yet.
    fn free(&mut self, name: &str, letter: impl Fn(char) -> String) -> Option<String> {
        let free =
            name.chars().filter(|c| c.is_alphabetic()).map(letter).find(|sign| !self.taken.contains(sign))?;
        self.taken.insert(free.clone());
        Some(free)
    }

    fn tell(&mut self, named: Named, sign: &str, words: &str, hue: Option<Hue>) {
        let cell = Cell { sign: sign.to_string(), words: words.to_string(), hue, changed: false };
        self.legend.push((named, cell));
    }

    /// Returns the legend entries that values of these types need, and those of marks.
    pub fn legend<'t>(&self, types: impl IntoIterator<Item = &'t Type>) -> Vec<Cell> {
        let mut names = Names::default();
        types.into_iter().for_each(|ty| names.add(ty));
        let needed = |named: &Named| match named {
            Named::Seat => names.players,
            Named::Symbol(id) => names.symbols.contains(id),
            Named::Mark => true,
        };
        let needed = self.legend.iter().filter(|(named, _)| needed(named));
        needed.map(|(_, cell)| cell.clone()).collect()
    }

    /// Returns the sign of a seat, from 0.
    pub fn seat(&self, seat: usize) -> Cell {
        let called = self.game.seats.roles.get(seat);
        Cell {
            sign: self.seats.get(seat).cloned().unwrap_or_else(|| (seat + 1).to_string()),
            words: self.game.seat_name(seat),
            hue: Some(Hue::of_seat(seat, called)),
            changed: false,
        }
    }

    /// Returns the colour of a symbol: that of the seat with this name, else the colour it names.
    fn hue_of(&self, name: &String) -> Option<Hue> {
        let called = self.game.seats.roles.iter().position(|seat| seat == name);
        called.map(|seat| Hue::of_seat(seat, Some(name))).or(Hue::named(name))
    }

    /// Returns the sign of a value.
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
                let (words, hue) = (name.replace('_', " "), self.hue_of(name));
                Cell { sign: sign.unwrap_or_else(|| name.clone()), words, hue, changed: false }
            }
            (Value::List(parts), Type::Tuple(types)) => {
                let cells: Vec<Cell> =
                    types.iter().zip(parts.iter()).map(|(ty, part)| self.cell(ty, part)).collect();
                let words = cells.iter().map(|cell| cell.words.clone()).collect::<Vec<_>>().join(" ");
                let hue = cells.iter().find_map(|cell| cell.hue);
                let sign = cells.into_iter().fold(String::new(), |all, cell| side_by_side(all, &cell.sign));
                Cell { sign, words, hue, changed: false }
            }
            (Value::List(_), Type::List(of)) => self.pile(of, &elements(value)),
            (Value::Set(_) | Value::Bag(_), Type::Set(of) | Type::Bag(of)) => {
                let pile = self.pile(of, &elements(value));
                let sign = if pile.is_empty() { pile.sign } else { format!("{{{}}}", pile.sign) };
                Cell { sign, ..pile }
            }
            _ => cell(words(self.game, value).replace(", ", ","), None),
        }
    }

    /// Returns the sign of a collection: letters are concatenated, other signs are separated by commas.
    fn pile(&self, ty: &Type, items: &[Value]) -> Cell {
        let cells: Vec<Cell> = items.iter().map(|item| self.cell(ty, item)).collect();
        let letters = cells
            .iter()
            .all(|cell| wide(&cell.sign) == 1 && !cell.sign.starts_with(|c: char| c.is_ascii_digit()));
        let signs: Vec<&str> = cells.iter().map(|cell| cell.sign.as_str()).collect();
        let words: Vec<&str> = cells.iter().map(|cell| cell.words.as_str()).collect();
        Cell {
            sign: if cells.is_empty() {
                EMPTY.to_string()
            } else {
                signs.join(if letters { "" } else { "," })
            },
            words: words.join(" and "),
            hue: cells.last().and_then(|cell| cell.hue),
            changed: false,
        }
    }
}

/// A suit of cards: its name, its sign, and the letter that stands for it on a screen without signs.
pub struct Suit {
    /// The name of the symbol.
    pub name: &'static str,
    /// The sign.
    pub sign: char,
    /// The letter.
    pub letter: char,
}

/// The suits that have signs.
pub const SUITS: [Suit; 4] = [
    Suit { name: "clubs", sign: '♣', letter: 'C' },
    Suit { name: "hearts", sign: '♥', letter: 'H' },
    Suit { name: "spades", sign: '♠', letter: 'S' },
    Suit { name: "diamonds", sign: '♦', letter: 'D' },
];

/// Formats a value as a card between `⟦` and `⟧`; suits get their symbols, and an unset value is face down.
pub fn card(game: &Game, value: &Value) -> String {
    fn face(game: &Game, value: &Value) -> String {
        match value {
            Value::Unset => "?".to_string(),
            Value::None => " ".to_string(),
            Value::Symbol(id) => {
                let name = game.symbols[*id].as_str();
                let suit = SUITS.iter().find(|suit| suit.name == name);
                suit.map_or_else(|| name.replace('_', " "), |suit| suit.sign.to_string())
            }
            Value::List(parts) => {
                parts.iter().fold(String::new(), |all, part| side_by_side(all, &face(game, part)))
            }
            value => words(game, value),
        }
    }
    format!("⟦{}⟧", face(game, value))
}

/// Joins two signs, with a colon if they would otherwise run together.
pub fn side_by_side(one: String, other: &str) -> String {
    let sort = |c: char| (c.is_ascii_digit(), c.is_alphabetic());
    let runs = match (one.chars().last(), other.chars().next()) {
        (Some(a), Some(b)) => sort(a) == sort(b) && a.is_alphanumeric(),
        _ => false,
    };
    // Separate a whole word from what follows by a space.
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

/// Strips `Optional` and `Either` from a type.
fn inner(ty: &Type) -> &Type {
    match ty {
        Type::Optional(of) | Type::Either(_, of) => inner(of),
        ty => ty,
    }
}

/// What values of some types can contain.
#[derive(Default)]
struct Names {
    players: bool,
    numbers: bool,
    symbols: BTreeSet<SymbolId>,
}

impl Names {
    fn add(&mut self, ty: &Type) {
        match ty {
            Type::Player => self.players = true,
            Type::Int => self.numbers = true,
            Type::Symbol(symbols) => self.symbols.extend(symbols),
            Type::Optional(of) | Type::List(of) | Type::Set(of) | Type::Bag(of) | Type::Grid(of) => {
                self.add(of)
            }
            Type::Either(symbols, of) => {
                self.symbols.extend(symbols);
                self.add(of);
            }
            Type::Tuple(parts) => parts.iter().for_each(|part| self.add(part)),
            Type::Map(key, value) => [key, value].into_iter().for_each(|part| self.add(part)),
            Type::Wrong | Type::Never | Type::Bool | Type::Square | Type::Text => {}
        }
    }
}

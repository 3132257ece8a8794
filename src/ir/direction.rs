//! The eight directions on a grid: their names and steps. In play they are ordinary symbols.

use super::{Game, SymbolId};

/// A direction.
#[derive(Debug)]
pub struct Direction {
    /// Its name.
    pub name: &'static str,
    /// Its alternative name.
    pub also: Option<&'static str>,
    /// Its initials, which people may type.
    pub short: &'static str,
    /// The row offset of one step; row 1 is drawn at the top.
    pub rows: i64,
    /// The column offset of one step.
    pub columns: i64,
}

const fn direction(
    (name, short): (&'static str, &'static str),
    also: Option<&'static str>,
    rows: i64,
    columns: i64,
) -> Direction {
    Direction { name, also, short, rows, columns }
}

/// All directions, clockwise from north.
pub const DIRECTIONS: [Direction; 8] = [
    direction(("north", "n"), Some("up"), -1, 0),
    direction(("northeast", "ne"), None, -1, 1),
    direction(("east", "e"), Some("right"), 0, 1),
    direction(("southeast", "se"), None, 1, 1),
    direction(("south", "s"), Some("down"), 1, 0),
    direction(("southwest", "sw"), None, 1, -1),
    direction(("west", "w"), Some("left"), 0, -1),
    direction(("northwest", "nw"), None, -1, -1),
];

impl Direction {
    /// Whether this is one of its names.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.also == Some(name)
    }
}

impl Game {
    /// Returns the symbol among these with a name. If the game has all eight directions, their alternative
    /// names and initials work too, such as `up` and `n` for north.
    pub fn called(&self, name: &str, among: impl IntoIterator<Item = SymbolId> + Clone) -> Option<SymbolId> {
        let text = |id: SymbolId| self.symbols[id].as_str();
        let named = |name: &str| among.clone().into_iter().find(|id| text(*id) == name);
        named(name).or_else(|| {
            let way = DIRECTIONS.iter().find(|way| way.is_called(name) || way.short == name)?;
            let all = DIRECTIONS.iter().all(|way| self.name_of(way).is_some());
            let symbol = self.name_of(way).filter(|_| all)?;
            named(symbol)
        })
    }

    /// Returns the game's symbol for a direction, if it has one. If it has symbols for both names, only the
    /// primary name is the direction.
    pub fn name_of(&self, way: &Direction) -> Option<&str> {
        let symbol = |name: &str| self.symbols.iter().find(|symbol| *symbol == name).map(String::as_str);
        symbol(way.name).or_else(|| symbol(way.also?))
    }
}

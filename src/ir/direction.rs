//! The eight directions on a grid: their names, and how far a step goes. In play they are symbols like others.

use super::{Game, SymbolId};

/// A direction.
#[derive(Debug)]
pub struct Direction {
    /// Its name.
    pub name: &'static str,
    /// Its other name.
    pub also: Option<&'static str>,
    /// How many rows a step goes on; row 1 is drawn on top.
    pub rows: i64,
    /// How many columns a step goes on.
    pub columns: i64,
}

const fn direction(name: &'static str, also: Option<&'static str>, rows: i64, columns: i64) -> Direction {
    Direction { name, also, rows, columns }
}

/// All directions, clockwise from north.
pub const DIRECTIONS: [Direction; 8] = [
    direction("north", Some("up"), -1, 0),
    direction("northeast", None, -1, 1),
    direction("east", Some("right"), 0, 1),
    direction("southeast", None, 1, 1),
    direction("south", Some("down"), 1, 0),
    direction("southwest", None, 1, -1),
    direction("west", Some("left"), 0, -1),
    direction("northwest", None, -1, -1),
];

impl Direction {
    /// Whether it is called so.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.also == Some(name)
    }
}

impl Game {
    /// The symbol among these that people call so. Where the game knows directions, `up` is north, and so on.
    pub fn called(&self, name: &str, among: impl IntoIterator<Item = SymbolId> + Clone) -> Option<SymbolId> {
        let text = |id: SymbolId| self.symbols[id].as_str();
        let named = |name: &str| among.clone().into_iter().find(|id| text(*id) == name);
        named(name).or_else(|| {
            let way = DIRECTIONS.iter().find(|way| way.is_called(name))?;
            let all = DIRECTIONS.iter().all(|way| self.name_of(way).is_some());
            let symbol = self.name_of(way).filter(|_| all)?;
            named(symbol)
        })
    }

    /// What the game calls a direction, where one of its symbols is called so. Of two symbols under its two names only the one
    /// under the first is the direction.
    pub fn name_of(&self, way: &Direction) -> Option<&str> {
        let symbol = |name: &str| self.symbols.iter().find(|symbol| *symbol == name).map(String::as_str);
        symbol(way.name).or_else(|| symbol(way.also?))
    }
}

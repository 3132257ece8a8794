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
        let known = |way: &Direction| self.symbols.iter().any(|symbol| way.is_called(symbol));
        named(name).or_else(|| {
            let way = DIRECTIONS.iter().find(|way| way.is_called(name))?;
            let all = DIRECTIONS.iter().all(known);
            [Some(way.name), way.also].into_iter().flatten().filter(|_| all).find_map(named)
        })
    }
}

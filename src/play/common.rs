//! Short descriptions of moves and domains: sets of squares by their common property, domains in words.

use std::collections::BTreeSet;

use super::args::chosen;
use super::{Match, Viewer, offered};
use crate::eval::{Dom, elements, text};
use crate::ir::{Domain, Game, Grid, Move, Param, SquareAt, Value};

/// The maximum number of values that are listed one by one.
const FEW: usize = 12;

impl Match {
    /// Returns the moves offered now to any player, one per name.
    pub(crate) fn offered(&self) -> Vec<&Move> {
        let moves = offered(self.machine(), self.position());
        moves.into_iter().map(|id| &self.rules.game.moves[id]).collect()
    }

    /// Returns the moves offered to a player (from 1), legal or not; none if the player is not to move.
    pub fn offered_to(&self, player: usize) -> Vec<&Move> {
        let choice = self.machine().choice(self.position()).filter(|_| self.to_move().contains(&player));
        let Some(choice) = choice else { return Vec::new() };
        let moves = self.machine().ask(self.position(), |env| env.offered_to(choice, player - 1));
        moves.unwrap_or_default().into_iter().map(|id| &self.rules.game.moves[id]).collect()
    }

    /// Returns the moves that are offered only to players who cannot move otherwise.
    #[cfg(feature = "cli")]
    pub(crate) fn offered_if_stuck(&self) -> Vec<&Move> {
        let choice = self.machine().choice(self.position());
        let offers = choice.into_iter().flat_map(|choice| &choice.otherwise);
        offers.map(|offer| &self.rules.game.moves[offer.mv]).collect()
    }

    /// Describes the squares by a property that they share and no other square of the grid has, such as "any
    /// empty square". Only grids that the player (from 1) sees are tried. `None` if no property fits.
    pub fn common(&self, player: usize, squares: &BTreeSet<SquareAt>) -> Option<String> {
        let grids = self.grids(player);
        let one = grids.len() == 1;
        grids.iter().find_map(|(name, grid)| {
            let what = common_on(&self.rules.game, grid, player, squares)?;
            Some(if one { what } else { format!("{what} on `{name}`") })
        })
    }

    /// Returns the name and value of each grid on the table that the player sees.
    fn grids(&self, player: usize) -> Vec<(&str, &Grid)> {
        let mut grids = Vec::new();
        for (id, state) in self.rules.game.state.iter().enumerate().filter(|(_, state)| !state.per_player) {
            let cell = self.machine().setup.bases[id];
            if let Value::Grid(grid) = &self.position().cells[cell]
                && self.sees(Viewer::Player(player), state.sight, cell, 0)
            {
                grids.push((state.name.as_str(), &**grid));
            }
        }
        grids
    }

    /// Describes the domain of a move's parameter; `None` if it depends on earlier arguments.
    pub fn domain_words(&self, player: usize, mv: &Move, param: &Param) -> Option<String> {
        let game = &self.rules.game;
        let choice = self.machine().choice(self.position())?;
        let offer = choice
            .offers
            .iter()
            .chain(&choice.otherwise)
            .find(|offer| game.moves[offer.mv].name == mv.name)?;
        let domain = match param.domain.as_ref()? {
            Domain::Where(_, of, _) => of,
            domain => domain,
        };
        let asked = self.machine().ask(self.position(), |env| {
            let mut frame = self.position().frame.clone();
            // Earlier arguments are not known.
            chosen(mv).for_each(|param| frame[param.slot] = Value::Unset);
            for (given, value) in mv.params.iter().filter(|param| param.domain.is_none()).zip(&offer.given) {
                frame[given.slot] = env.eval(value, &mut frame)?;
            }
            frame[mv.me] = Value::Player(player - 1);
            env.domain(domain, &mut frame, true)
        });
        let dom = asked.ok()?;
        let from = match domain {
            Domain::Values(e) => Some(self.rules.source.slice(e.span).trim()),
            _ => None,
        };
        let name = from.filter(|from| from.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.')));
        Some(dom_words(game, &dom, name))
    }
}

/// Describes a property that exactly these squares of the grid have.
fn common_on(game: &Game, grid: &Grid, player: usize, squares: &BTreeSet<SquareAt>) -> Option<String> {
    let all: Vec<(SquareAt, &Value)> = grid.squares().zip(&grid.cells).collect();
    let on = |keep: &dyn Fn(&Value) -> bool| {
        let mut kept = all.iter().filter(|(_, value)| keep(value)).map(|(square, _)| square);
        all.iter().filter(|(_, value)| keep(value)).count() == squares.len()
            && kept.all(|at| squares.contains(at))
    };
    if on(&|_| true) {
        return Some("any square".to_string());
    }
    if on(&|value| *value == Value::None) {
        return Some("any empty square".to_string());
    }
    if on(&|value| *value != Value::None) {
        return Some("any square that is not empty".to_string());
    }
    let first = squares.first().and_then(|square| grid.at(*square)).map(|at| &grid.cells[at])?;
    on(&|value| value == first).then(|| match first {
        Value::Player(seat) if seat + 1 == player => "any of your squares".to_string(),
        Value::Player(seat) => format!("any square that belongs to {}", game.seat_name(*seat)),
        value => format!("any square with {}", text::words(game, value)),
    })
}

/// Describes a domain in words; `from` is its name in the rule file.
fn dom_words(game: &Game, dom: &Dom, from: Option<&str>) -> String {
    let values = |items: &[Value]| {
        let words: Vec<String> = items.iter().map(|item| text::words(game, item)).collect();
        match (items.len(), words.as_slice(), from) {
            (0, ..) => "nothing".to_string(),
            (many, [first, .., last], Some(from)) if many > FEW => {
                format!("any of the {many} in `{from}`, from {first} to {last}")
            }
            (many, [first, .., last], None) if many > FEW => format!("any of {many}, from {first} to {last}"),
            _ => words.join(", "),
        }
    };
    let each = |of: &Dom| dom_words(game, of, None);
    match dom {
        Dom::Ints => "any whole number".to_string(),
        Dom::AtLeast(low) => format!("{low} or more"),
        Dom::Range(low, high) if low == high => low.to_string(),
        Dom::Range(low, high) if low > high => "nothing".to_string(),
        Dom::Range(low, high) => format!("{low} to {high}"),
        Dom::Items(items) => values(items),
        Dom::Elements(of) => values(&elements(of)),
        Dom::Permutations(items) => {
            let all = items.iter().flat_map(|(item, times)| std::iter::repeat_n(item.clone(), *times));
            format!("any order of {}", values(&all.collect::<Vec<_>>()))
        }
        Dom::Arrangements(size, of) => format!("{size} different values, each {}", each(of)),
        Dom::Lists(size, of) => format!("{size} values, each {}", each(of)),
        Dom::ListsFrom(low, Some(high), of) => format!("{low} to {high} values, each {}", each(of)),
        Dom::ListsFrom(low, None, of) => format!("{low} or more values, each {}", each(of)),
        Dom::Counted(rows) => format!("any of {}", rows.count()),
        Dom::Subsets(items, None) => format!("some of {}", values(items)),
        Dom::Subsets(items, Some(size)) => format!("any {size} of {}", values(items)),
        Dom::SubsetsFrom(low, high, items) if *high < items.len() => {
            format!("any {low} to {high} of {}", values(items))
        }
        Dom::SubsetsFrom(low, _, items) => format!("any {low} or more of {}", values(items)),
        Dom::Tuples(parts) => parts.iter().map(each).collect::<Vec<_>>().join("; "),
    }
}

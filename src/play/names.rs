//! Names of the people at the table: validation, and rules that use them wherever a seat is named.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::Rules;

/// The maximum length of a name, in characters.
const LONGEST: usize = 20;

impl Rules {
    /// Returns the rules with these seats (from 1) renamed. The error is a sentence: a name is not allowed.
    pub fn named(&self, names: &BTreeMap<usize, String>) -> Result<Rules, String> {
        let mut game = (*self.game).clone();
        game.seats.player_names.clear();
        // Collapse runs of whitespace to one space.
        let spaced = |name: &String| name.split_whitespace().collect::<Vec<_>>().join(" ");
        let names: BTreeMap<usize, String> = names.iter().map(|(seat, name)| (*seat, spaced(name))).collect();
        for (seat, name) in &names {
            self.fit(&names, *seat, name)?;
            let seats = game.seats.player_names.len().max(*seat);
            game.seats.player_names.resize(seats, None);
            game.seats.player_names[seat - 1] = Some(name.clone());
        }
        Ok(Rules { game: Arc::new(game), ..self.clone() })
    }

    /// Returns the rules with the seats renamed by the `names` of a record, skipping invalid ones.
    pub fn named_by_record(&self, names: &Json, players: usize) -> Rules {
        let mut known = BTreeMap::new();
        let mut rules = self.named(&known).unwrap_or_else(|_| self.clone());
        for (seat, name) in names.as_object().into_iter().flatten() {
            let (Ok(seat), Some(name)) = (seat.parse::<usize>(), name.as_str()) else { continue };
            let mut more = known.clone();
            more.insert(seat, name.to_string());
            if seat <= players
                && let Ok(named) = self.named(&more)
            {
                (known, rules) = (more, named);
            }
        }
        rules
    }

    /// Returns the people's names by seat (from 1).
    pub fn names(&self) -> BTreeMap<usize, String> {
        let named = self.game.seats.player_names.iter().enumerate();
        named.filter_map(|(seat, name)| Some((seat + 1, name.clone()?))).collect()
    }

    /// Checks that a name can be typed and denotes exactly one seat and nothing else.
    fn fit(&self, names: &BTreeMap<usize, String>, seat: usize, name: &str) -> Result<(), String> {
        let game = &self.game;
        if seat == 0 || seat > game.seats.max.unwrap_or(crate::ir::MAX_PLAYERS) {
            return Err(format!("there is no seat {seat} for {name}"));
        }
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '\'' | ' ');
        if !name.starts_with(char::is_alphabetic)
            || !name.chars().all(plain)
            || name.chars().count() > LONGEST
        {
            return Err(format!(
                "`{name}` cannot be a name; begin with a letter and use at most {LONGEST} letters, digits and spaces, as in `Ann` or `Ann Lee`"
            ));
        }
        let same = |other: &str| other.to_lowercase() == name.to_lowercase();
        if let Some((other, _)) = names.iter().find(|(other, called)| **other != seat && same(called)) {
            return Err(format!(
                "seats {} and {} cannot both be called {name}",
                seat.min(*other),
                seat.max(*other)
            ));
        }
        let taken = game.seats.roles.iter().chain(&game.symbols).any(|word| same(word));
        let ours = ["player", "chance", "me"].into_iter().any(same);
        let seat_like = name.to_lowercase().starts_with("player ");
        match taken || ours || seat_like {
            true => Err(format!("`{name}` already means something in this game; choose another name")),
            false => Ok(()),
        }
    }
}

/// Joins items as in "1", "1 and 2", "1, 2 and 3".
pub fn and<T: ToString>(items: &[T]) -> String {
    joined(items, "and")
}

/// Lists alternatives: `7`, `7 or 8`, `6, 7 or 8`.
pub fn or<T: ToString>(items: &[T]) -> String {
    joined(items, "or")
}

fn joined<T: ToString>(items: &[T], last_word: &str) -> String {
    let words: Vec<String> = items.iter().map(ToString::to_string).collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} {last_word} {last}", rest.join(", ")),
    }
}

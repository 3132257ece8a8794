//! The seats of a game: how many there are, and their names.

use std::fmt;

use super::MAX_PLAYERS;

/// The number of players, and the names of the seats.
#[derive(Debug, Clone, Default)]
pub struct Seats {
    /// The minimum number of players.
    pub min: usize,
    /// The maximum number of players; `None` if unlimited.
    pub max: Option<usize>,
    /// The seats' names in the rules; empty if they have none.
    pub roles: Vec<String>,
    /// The names of the people playing, by seat, set by a match and never by the rules.
    pub player_names: Vec<Option<String>>,
}

impl Seats {
    /// Whether a match can have this many players.
    pub fn allow(&self, players: usize) -> bool {
        (self.min..=self.max.unwrap_or(MAX_PLAYERS).min(MAX_PLAYERS)).contains(&players)
    }

    /// Returns the seat (from 0) with a name, given by the rules or by the match.
    pub fn find(&self, name: &str) -> Option<usize> {
        let called = self.roles.iter().position(|called| called == name);
        let same = |named: &Option<String>| {
            named.as_ref().is_some_and(|it| it.to_lowercase() == name.to_lowercase())
        };
        called.or_else(|| self.player_names.iter().position(same))
    }

    /// Returns the seat (from 0) of the only person whose first name is this word.
    pub fn find_first(&self, word: &str) -> Option<usize> {
        let first = |named: &Option<String>| Some(named.as_ref()?.split(' ').next()?.to_lowercase());
        let mut so = (0..self.player_names.len())
            .filter(|seat| first(&self.player_names[*seat]) == Some(word.to_lowercase()));
        so.next().filter(|_| so.next().is_none())
    }
}

impl fmt::Display for Seats {
    /// Writes the number of players in words: `2 to 4 players`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (1, Some(1)) => f.write_str("1 player"),
            (min, Some(max)) if min == max => write!(f, "{min} players"),
            (min, Some(max)) => write!(f, "{min} to {max} players"),
            (min, None) => write!(f, "{min} or more players"),
        }
    }
}

//! Who plays: how many seats there are, and what they are called.

use std::fmt;

/// How many play, and what the seats are called.
#[derive(Debug, Clone, Default)]
pub struct Seats {
    /// The fewest players.
    pub min: usize,
    /// The most; `None` where there is no end.
    pub max: Option<usize>,
    /// The seats' names, or nothing.
    pub called: Vec<String>,
    /// What the people who play are called, by their seats, where a match says so; the rules never do.
    pub named: Vec<Option<String>>,
}

impl Seats {
    /// The seat (from 0) that is called so, by the rules or at the table.
    pub fn find(&self, name: &str) -> Option<usize> {
        let called = self.called.iter().position(|called| called == name);
        let same = |named: &Option<String>| {
            named.as_ref().is_some_and(|it| it.to_lowercase() == name.to_lowercase())
        };
        called.or_else(|| self.named.iter().position(same))
    }

    /// The only seat (from 0) of a person whose name begins with this word.
    pub fn find_first(&self, word: &str) -> Option<usize> {
        let first = |named: &Option<String>| Some(named.as_ref()?.split(' ').next()?.to_lowercase());
        let mut so =
            (0..self.named.len()).filter(|seat| first(&self.named[*seat]) == Some(word.to_lowercase()));
        so.next().filter(|_| so.next().is_none())
    }
}

impl fmt::Display for Seats {
    /// How many play, in words: `2 to 4 players`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (1, Some(1)) => f.write_str("1 player"),
            (min, Some(max)) if min == max => write!(f, "{min} players"),
            (min, Some(max)) => write!(f, "{min} to {max} players"),
            (min, None) => write!(f, "{min} or more players"),
        }
    }
}

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

//! What a bot says of a choice: the move it would make, what it is worth, and the others.

use super::worth::Proof;
use crate::eval::Chosen;

/// How a bot has come to what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A draw.
    Random,
    /// A look one move ahead.
    Ahead,
    /// A search of all that can follow.
    Exact,
    /// Tree search from the position.
    Tree,
    /// Tree search from positions that the seat thinks possible.
    Worlds,
    /// A mix that was worked out before.
    Kept,
}

impl Method {
    /// What people and programs call it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Random => "random moves",
            Method::Ahead => "a look one move ahead",
            Method::Exact => "exact play",
            Method::Tree => "tree search",
            Method::Worlds => "tree search over what may be hidden",
            Method::Kept => "a mix worked out before",
        }
    }
}

/// What a bot has found out of a choice of one seat. Values are expected shares of the win, from 0 to 1: whoever wins alone
/// has 1, winners share it, and where nobody wins all do.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The move it would make.
    pub best: Chosen,
    /// What it is worth; where moves are mixed, what the mix is.
    pub value: f64,
    /// Between what the value lies, with 19 chances in 20, as far as chance alone decides.
    pub interval: (f64, f64),
    /// How many playouts it comes from.
    pub playouts: u64,
    /// How it was found out.
    pub method: Method,
    /// Whether the end is certain, if all play their best.
    pub exact: bool,
    /// The moves that were tried, the best first.
    pub moves: Vec<Weighed>,
    /// How likely each of these was to be drawn, where they are mixed, since others choose at the same time or must not foresee it;
    /// empty elsewhere.
    pub mix: Vec<f64>,
    /// The moves that are expected, the best first: seats (from 0), and what they choose.
    pub line: Vec<(usize, Chosen)>,
}

/// A move, and what was found out of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    /// The move.
    pub chosen: Chosen,
    /// What it is worth.
    pub value: f64,
    /// The score it brings on average, to who plays alone for it; what it is worth says nothing then.
    pub score: Option<f64>,
    /// How often it was tried.
    pub visits: u64,
    /// How the match ends behind it, once that is certain.
    pub end: Option<Proof>,
}

impl Advice {
    /// Of moves that were weighed one by one, the best of them first. `None` of none.
    pub fn of(moves: Vec<Weighed>, method: Method) -> Option<Advice> {
        let exact = method == Method::Exact;
        let first = moves.first()?;
        let (best, value, visits) = (first.chosen.clone(), first.value, first.visits);
        let playouts = moves.iter().map(|weighed| weighed.visits).sum();
        let interval = if exact { (value, value) } else { interval(value, visits) };
        Some(Advice {
            best,
            value,
            interval,
            playouts,
            method,
            exact,
            moves,
            mix: Vec::new(),
            line: Vec::new(),
        })
    }

    /// Whether the move was drawn from a mix.
    pub fn is_mixed(&self) -> bool {
        !self.mix.is_empty()
    }

    /// What is known of the move that is advised.
    pub fn weighed(&self) -> Option<&Weighed> {
        self.moves.iter().find(|weighed| weighed.chosen == self.best)
    }
}

/// Where a mean of numbers from 0 to 1 lies with 19 chances in 20: E. B. Wilson's interval (1927).
pub fn interval(mean: f64, count: u64) -> (f64, f64) {
    if count == 0 {
        return (0.0, 1.0);
    }
    let (n, z) = (count as f64, 1.96_f64);
    let middle = mean + z * z / (2.0 * n);
    let half = z * (mean * (1.0 - mean) / n + z * z / (4.0 * n * n)).max(0.0).sqrt();
    let whole = 1.0 + z * z / n;
    (((middle - half) / whole).max(0.0), ((middle + half) / whole).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_wilson() {
        // Worked by hand from the formula: 81 of 263, as in R. Newcombe, Statistics in Medicine 17 (1998), table I.
        let (low, high) = interval(81.0 / 263.0, 263);
        assert!((low - 0.2553).abs() < 2e-4 && (high - 0.3662).abs() < 2e-4, "{low} {high}");
        assert_eq!(interval(0.5, 0), (0.0, 1.0));
        let (low, high) = interval(1.0, 10);
        assert!(low > 0.7 && high == 1.0);
    }
}

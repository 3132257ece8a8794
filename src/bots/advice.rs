//! A bot's advice on a choice: its move, what the move is worth, and the other moves.

use super::worth::Proof;
use crate::eval::Chosen;

/// How a bot has arrived at its advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A random move.
    Random,
    /// A look one move ahead.
    Ahead,
    /// A search of everything that can follow.
    Exact,
    /// Tree search from the position.
    Tree,
    /// Tree search from positions that are possible as far as the seat knows.
    Worlds,
    /// A mixed strategy from a file.
    Precomputed,
    /// An equilibrium of the game.
    Equilibrium,
}

impl Method {
    /// Returns the name that is shown to people and programs.
    pub fn name(self) -> &'static str {
        match self {
            Method::Random => "random moves",
            Method::Ahead => "a look one move ahead",
            Method::Exact => "exact play",
            Method::Tree => "tree search",
            Method::Worlds => "tree search over what might be hidden",
            Method::Precomputed => "a mix worked out in advance",
            Method::Equilibrium => "an equilibrium of the game",
        }
    }
}

/// What a bot has found out about a choice of one seat. Values are expected shares of the win, from 0 to 1: a
/// single winner gets 1, several winners share it, and if nobody wins, all seats share it. Where all seats win or none does,
/// a win is worth 1 to each and its loss 0; and each seat of a team has what its team gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The advised move.
    pub best: Chosen,
    /// The value of the move, or of the whole mix if moves are mixed.
    pub value: f64,
    /// The interval that the value lies in, 19 times in 20: it allows for the luck in the playouts, and for how far the value
    /// may yet move if the search goes on.
    pub interval: (f64, f64),
    /// The number of playouts it is based on.
    pub playouts: u64,
    /// The number of rollouts that values were corrected by; 0 if they come from playouts alone.
    pub rollouts: u64,
    /// How it was found.
    pub method: Method,
    /// Whether the value is exact, because everything that can follow was worked out.
    pub exact: bool,
    /// The moves that were tried, best first.
    pub moves: Vec<MoveStats>,
    /// The probability of each of `moves` if they are mixed, because others choose simultaneously or must not
    /// be able to predict the choice; empty otherwise.
    pub mix: Vec<f64>,
    /// The expected line of play: seats (from 0) and their moves, in order.
    pub line: Vec<(usize, Chosen)>,
}

/// What is known of the rest of a match under best play: a seat's share of the win, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KnownValue {
    /// The share at the end, which is certain.
    End(f64),
    /// The exact expectation, where chance still draws.
    Expected(f64),
}

/// How sure the value of a move is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sure {
    /// It was estimated.
    Estimated,
    /// It was estimated, since among more than two seats it depends on one that gains nothing by it what this one gets.
    Kingmaker,
    /// It is the exact expectation, where chance still draws.
    Expected,
    /// It is what the seat gets at the end, which is certain; among more than two seats, it may depend on somebody who gains
    /// nothing by it who of the others wins.
    Certain,
}

impl Sure {
    /// Returns how sure the value of a move is that was estimated unless the end is certain.
    pub fn by_end(end: Option<Proof>) -> Sure {
        if end.is_some() { Sure::Certain } else { Sure::Estimated }
    }
}

/// A move, and what was found out about it.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveStats {
    /// The move.
    pub chosen: Chosen,
    /// Its expected share of the win, from 0 to 1.
    pub value: f64,
    /// The expected share of each seat, if it is known although `value` does not tell it.
    pub shares: Option<Vec<f64>>,
    /// The mean score it brings where a common score is played for; `value` tells nothing then.
    pub score: Option<f64>,
    /// How many times it was tried.
    pub visits: u64,
    /// How far its value has moved in the later part of a search.
    pub moved: f64,
    /// How sure its value is.
    pub sure: Sure,
    /// How the match ends after it, if that is certain.
    pub end: Option<Proof>,
}

impl MoveStats {
    /// Describes a move of which nothing is known but an estimate of its value.
    pub fn new(chosen: Chosen, value: f64) -> MoveStats {
        MoveStats {
            chosen,
            value,
            shares: None,
            score: None,
            visits: 0,
            moved: 0.0,
            sure: Sure::Estimated,
            end: None,
        }
    }

    /// Whether its value is exact.
    pub fn is_exact(&self) -> bool {
        matches!(self.sure, Sure::Expected | Sure::Certain)
    }

    /// Returns the interval that its value lies in, 19 times in 20, if it is not exact.
    pub fn interval(&self) -> (f64, f64) {
        interval_of_search(self.value, self.visits, self.moved)
    }
}

impl Advice {
    /// Builds advice from moves that were valued one by one, best first. `None` if there are none.
    pub fn of(moves: Vec<MoveStats>, method: Method) -> Option<Advice> {
        let exact = method == Method::Exact;
        let first = moves.first()?;
        let (best, value) = (first.chosen.clone(), first.value);
        let playouts = moves.iter().map(|weighed| weighed.visits).sum();
        let interval = if exact { (value, value) } else { first.interval() };
        Some(Advice {
            best,
            value,
            interval,
            playouts,
            rollouts: 0,
            method,
            exact,
            moves,
            mix: Vec::new(),
            line: Vec::new(),
        })
    }

    /// Returns what is known of the rest of the match under best play, if the value is exact.
    pub fn known(&self) -> Option<KnownValue> {
        let weighed = self.best_stats().filter(|_| self.exact)?;
        match weighed.sure {
            _ if weighed.score.is_some() && weighed.end.is_none() => None,
            Sure::Expected => Some(KnownValue::Expected(self.value)),
            Sure::Certain | Sure::Estimated | Sure::Kingmaker => Some(KnownValue::End(self.value)),
        }
    }

    /// Whether the move was drawn from a mix.
    pub fn is_mixed(&self) -> bool {
        !self.mix.is_empty()
    }

    /// Whether a move belongs to the mix, if moves are mixed. What is far rarer than the most frequent move is left over from
    /// a search that had not settled.
    pub fn is_in_mix(&self, chosen: &Chosen) -> bool {
        const LEAST: f64 = 0.1;
        let most = self.mix.iter().copied().fold(0.0, f64::max);
        let of_mix =
            |(weighed, share): (&MoveStats, &f64)| weighed.chosen == *chosen && *share >= LEAST * most;
        self.is_mixed() && self.moves.iter().zip(&self.mix).any(of_mix)
    }

    /// Returns what is known about the advised move.
    pub fn best_stats(&self) -> Option<&MoveStats> {
        self.moves.iter().find(|weighed| weighed.chosen == self.best)
    }
}

/// Returns the 95% confidence interval of a mean of numbers from 0 to 1: E. B. Wilson's interval (1927).
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

/// Returns the interval that a value found by search lies in, 19 times in 20: wider than that of a mean of so many numbers, since
/// the value may yet move as far as it has moved. The two errors are independent. `benches/README.md` says how often that is right.
pub fn interval_of_search(value: f64, visits: u64, moved: f64) -> (f64, f64) {
    let (low, high) = interval(value, visits);
    let wider = |half: f64| half.hypot(moved);
    ((value - wider(value - low)).max(0.0), (value + wider(high - value)).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_wilson() {
        // From the formula by hand: 81 of 263, as in R. Newcombe, Statistics in Medicine 17 (1998), table I.
        let (low, high) = interval(81.0 / 263.0, 263);
        assert!((low - 0.2553).abs() < 2e-4 && (high - 0.3662).abs() < 2e-4, "{low} {high}");
        assert_eq!(interval(0.5, 0), (0.0, 1.0));
        let (low, high) = interval(1.0, 10);
        assert!(low > 0.7 && high == 1.0);
    }

    #[test]
    fn a_value_that_has_moved_may_move_on() {
        assert_eq!(interval_of_search(0.5, 400, 0.0), interval(0.5, 400));
        // The half-widths are the sides of a right triangle.
        let (low, high) = interval(0.5, 400);
        let (moved_low, moved_high) = interval_of_search(0.5, 400, 0.1);
        assert!((0.5 - moved_low).powi(2) - (0.5 - low).powi(2) - 0.01 < 1e-12);
        assert!((moved_high - 0.5).powi(2) - (high - 0.5).powi(2) - 0.01 < 1e-12);
        assert!(moved_low < low && moved_high > high);
        assert_eq!(interval_of_search(0.98, 50, 0.5).1, 1.0);
    }
}

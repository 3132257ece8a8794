//! Contests between several bots: who meets whom in which seats, how the win is shared, and when enough
//! matches were played.

use std::ops::AddAssign;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::contest::{Contest, End};
use super::winning;
use crate::bots::{Bot, Clock, Mind, interval};
use crate::eval::Setup;
use crate::play::{Refused, Rng, Rules};

/// The number of matches after which the width of a pairing's interval is first checked.
const FIRST_LOOK: u64 = 32;

/// Bots that play each other.
pub struct Arena<'a> {
    /// The rules.
    pub rules: &'a Arc<Rules>,
    /// The options and the number of players.
    pub setup: &'a Setup,
    /// Those who win and lose together, each with its seats (from 0).
    pub sides: &'a [Vec<usize>],
    /// The participants.
    pub bots: &'a [Bot],
    /// What the bots think with.
    pub mind: &'a Mind,
    /// The bots' clock. Once it hurries, matches are abandoned, and not counted.
    pub clock: &'a (dyn Clock + Sync),
    /// The seed of all matches.
    pub seed: u64,
    /// The number of choices after which a match is abandoned; all seats share the win then.
    pub max_moves: u64,
}

/// The results of the first and the second bot of a pairing against each other.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The number of encounters played; each has every seating once.
    pub encounters: u64,
    /// The number of matches in these encounters.
    pub matches: u64,
    /// How many matches each won, with no side of the other among the winners.
    pub wins: [u64; 2],
    /// The number of all other matches.
    pub draws: u64,
    /// The number of abandoned matches.
    pub unfinished: u64,
    /// The total number of choices in all matches.
    pub moves: u64,
    /// The sum of the first bot's shares of the win: the sides that win share it, and if nobody wins, all sides do.
    pub share: f64,
    /// The sum of each seat's shares of the win; partners have equal parts of what their team gets.
    pub seats: Vec<f64>,
}

/// Returns who meets whom, by the index (from 0) of the bots. Adding a bot at the end leaves the earlier
/// pairings unchanged.
pub fn pairings(bots: usize) -> Vec<[usize; 2]> {
    (1..bots).flat_map(|second| (0..second).map(move |first| [first, second])).collect()
}

/// Returns the seatings of an encounter: for each, which of two bots (0 or 1) has each seat. A bot has all seats of a side, as
/// partners get the same. The bots alternate from side to side, in all possible ways, so that each has every seat equally
/// often. With an even number of sides there are two ways. With an odd number, one bot has an extra side, and there are twice
/// as many ways as sides.
pub fn seatings(sides: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let count = sides.len();
    let shifts = if count.is_multiple_of(2) { 1 } else { count };
    let way = |(shift, swap): (usize, usize)| {
        let mut seating = vec![0; sides.iter().map(Vec::len).sum()];
        for (at, side) in sides.iter().enumerate() {
            side.iter().for_each(|seat| seating[*seat] = ((at + count - shift) % count + swap) % 2);
        }
        seating
    };
    (0..shifts).flat_map(|shift| [(shift, 0), (shift, 1)]).map(way).collect()
}

/// Returns how many sides each of two bots has in a seating.
pub fn parts_of(sides: &[Vec<usize>]) -> [usize; 2] {
    [sides.len().div_ceil(2), sides.len() / 2]
}

impl Arena<'_> {
    /// Plays encounter number `n` (from 0) of a pairing; its matches are determined by the seed, the pairing
    /// and the number. `None`: it was abandoned because the clock hurries.
    pub fn encounter(&self, pairing: [usize; 2], n: u64) -> Result<Option<Score>, Refused> {
        let [first, second] = pairing;
        let number = second * (second - 1) / 2 + first;
        let seed = Rng::sub_seed(Rng::sub_seed(self.seed, number as u64), n);
        let mut score = Score { encounters: 1, ..Score::default() };
        for (number, seating) in seatings(self.sides).iter().enumerate() {
            let bots: Vec<Bot> = seating.iter().map(|side| self.bots[pairing[*side]]).collect();
            let Arena { rules, setup, mind, clock, max_moves, .. } = *self;
            let contest = Contest { rules, setup, bots: &bots, mind, clock, seed, max_moves };
            let Some(end) = contest.end(number as u64)? else { return Ok(None) };
            score.count(self.sides, seating, &end);
        }
        Ok(Some(score))
    }
}

impl Score {
    /// Counts a match of these sides with this seating of the two bots.
    pub(super) fn count(&mut self, sides: &[Vec<usize>], seating: &[usize], end: &End) {
        let outcome = end.outcome();
        self.matches += 1;
        self.moves += end.moves;
        self.unfinished += u64::from(outcome.is_none());
        let named = outcome.map_or(Vec::new(), |outcome| outcome.winners);
        let winners = if named.is_empty() { sides.iter().collect() } else { winning(sides, &named) };
        let part = 1.0 / winners.len() as f64;
        self.seats.resize(seating.len(), 0.0);
        for side in &winners {
            side.iter().for_each(|seat| self.seats[*seat] += part / side.len() as f64);
        }
        let of_first = winners.iter().filter(|side| seating[side[0]] == 0).count();
        self.share += of_first as f64 * part;
        match of_first {
            0 => self.wins[1] += 1,
            all if all == winners.len() => self.wins[0] += 1,
            _ => self.draws += 1,
        }
    }

    /// Returns the first bot's mean share of the win, from 0 to 1; a half if there are no matches yet.
    pub fn mean(&self) -> f64 {
        if self.matches == 0 { 0.5 } else { self.share / self.matches as f64 }
    }

    /// Returns the 95 % confidence interval of that share, by E. B. Wilson's method. That method is made for
    /// wins and losses in independent identical matches, and is conservative here: shares between win and
    /// loss vary less, and so do matches whose seatings are balanced, because the differences between
    /// seatings are not random.
    pub fn interval(&self) -> (f64, f64) {
        let mean = self.mean();
        let (low, high) = interval(mean, self.matches);
        // Rounding must not exclude 0 or 1.
        (if mean == 0.0 { 0.0 } else { low }, if mean == 1.0 { 1.0 } else { high })
    }

    /// Returns half the width of the interval.
    pub fn half_width(&self) -> f64 {
        let (low, high) = self.interval();
        (high - low) / 2.0
    }

    /// Estimates how many matches are needed for a half width of `within`, given the share so far.
    pub fn needed(&self, within: f64) -> u64 {
        let share = (self.share + 0.5) / (self.matches as f64 + 1.0);
        (1.96_f64.powi(2) * share * (1.0 - share) / within.powi(2)).ceil() as u64
    }

    /// Whether enough was played for the half width of the interval to be at most `within`. The width is
    /// checked only after numbers of encounters that are fixed in advance, and regardless of who is ahead. So
    /// an interval that is narrowed in this way contains the share as often as one of a fixed number of
    /// matches (Y. S. Chow and H. Robbins, Annals of Mathematical Statistics 36, 1965; for proportions J.
    /// Frey, The American Statistician 64, 2010), and the bias of the mean is less than a sixth of `within`.
    /// A test computes both exactly.
    pub fn is_enough(&self, within: f64, seatings: usize) -> bool {
        let look = looks(seatings).find(|look| *look >= self.encounters);
        look == Some(self.encounters) && self.half_width() <= within
    }
}

/// Returns the numbers of encounters after which the width of an interval is checked; each is a quarter
/// larger than the one before.
pub fn looks(seatings: usize) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(FIRST_LOOK.div_ceil(seatings as u64)), |look| {
        look.checked_add(look.div_ceil(4))
    })
}

impl AddAssign<&Score> for Score {
    /// Adds the matches played after these. Shares are always added in the order of encounters, so that the
    /// sums are reproducible.
    fn add_assign(&mut self, other: &Score) {
        self.encounters += other.encounters;
        self.matches += other.matches;
        self.draws += other.draws;
        self.unfinished += other.unfinished;
        self.moves += other.moves;
        self.share += other.share;
        self.seats.resize(self.seats.len().max(other.seats.len()), 0.0);
        self.seats.iter_mut().zip(&other.seats).for_each(|(sum, more)| *sum += more);
        self.wins.iter_mut().zip(other.wins).for_each(|(sum, more)| *sum += more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each player is a side.
    fn alone(players: usize) -> Vec<Vec<usize>> {
        (0..players).map(|seat| vec![seat]).collect()
    }

    #[test]
    fn each_bot_has_every_seat_equally_often() {
        for players in 2..=9 {
            let all = seatings(&alone(players));
            for seat in 0..players {
                let seconds = all.iter().filter(|seating| seating[seat] == 1).count();
                assert_eq!(2 * seconds, all.len(), "{players} players, seat {seat}");
            }
            let mut apart = all.clone();
            apart.sort();
            apart.dedup();
            assert_eq!(apart.len(), all.len(), "{players} players");
        }
        assert_eq!(seatings(&alone(2)), [[0, 1], [1, 0]]);
        assert_eq!(seatings(&alone(3)).len(), 6);
        // Partners have the same bot, wherever they sit.
        assert_eq!(seatings(&[vec![0, 1], vec![2, 3]]), [[0, 0, 1, 1], [1, 1, 0, 0]]);
        assert_eq!(seatings(&[vec![0], vec![1, 2]]), [[0, 1, 1], [1, 0, 0]]);
        assert_eq!(seatings(&[vec![0, 3], vec![1, 4], vec![2, 5]]).len(), 6);
        assert_eq!(pairings(3), [[0, 1], [0, 2], [1, 2]]);
    }

    /// Returns the probability that the interval contains a true share `p`, and the expected value of the
    /// share found, when wins and losses are played until the interval is narrow enough: computed from all
    /// numbers of wins that are possible at each check.
    fn coverage(p: f64, within: f64) -> (f64, f64) {
        let mut chances = vec![1.0];
        let (mut held, mut mean, mut played) = (0.0, 0.0, 0);
        for look in looks(2) {
            for _ in played..2 * look {
                let mut next = vec![0.0; chances.len() + 1];
                for (wins, chance) in chances.iter().enumerate() {
                    next[wins] += chance * (1.0 - p);
                    next[wins + 1] += chance * p;
                }
                chances = next;
            }
            played = 2 * look;
            for (wins, chance) in chances.iter_mut().enumerate() {
                let score =
                    Score { encounters: look, matches: played, share: wins as f64, ..Score::default() };
                if score.is_enough(within, 2) {
                    let (low, high) = score.interval();
                    held += if (low..=high).contains(&p) { *chance } else { 0.0 };
                    mean += *chance * score.mean();
                    *chance = 0.0;
                }
            }
            if chances.iter().sum::<f64>() < 1e-12 {
                break;
            }
        }
        (held, mean)
    }

    #[test]
    fn an_interval_holds_as_often_when_play_stops_at_its_width() {
        let (mut least, mut sum) = (1.0_f64, 0.0);
        for step in 1..=19 {
            let (p, within) = (f64::from(step) / 20.0, 0.05);
            let (held, mean) = coverage(p, within);
            least = least.min(held);
            sum += held;
            assert!((mean - p).abs() < within / 6.0, "share {p}: {mean} on average");
        }
        assert!(least > 0.93 && sum / 19.0 > 0.945, "held {least} at least, {} on average", sum / 19.0);
    }
}

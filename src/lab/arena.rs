//! Contests of several bots: who meets whom in which seats, how the win was shared, and when enough was played.

use std::ops::AddAssign;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::contest::{Contest, End};
use crate::bots::{Bot, Clock, Mind, interval};
use crate::eval::Setup;
use crate::play::{Refused, Rng, Rules};

/// After how many matches a pairing's interval is looked at for the first time.
const FIRST_LOOK: u64 = 32;

/// Bots that are to play each other.
pub struct Arena<'a> {
    /// The rules.
    pub rules: &'a Arc<Rules>,
    /// The options, and how many play.
    pub setup: &'a Setup,
    /// Those who take part.
    pub bots: &'a [Bot],
    /// What they think with.
    pub mind: &'a Mind,
    /// Their clock. Once it hurries, matches are given up where they are, and not counted.
    pub clock: &'a (dyn Clock + Sync),
    /// The seed of all matches.
    pub seed: u64,
    /// After how many choices a match is given up; all seats share the win then.
    pub max_moves: u64,
}

/// What two bots have won against each other, the first and the second of a pairing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// How many encounters were played: in each, every seating once.
    pub encounters: u64,
    /// How many matches these were.
    pub matches: u64,
    /// How many matches each won, with nobody of the other among the winners.
    pub wins: [u64; 2],
    /// How many matches neither won so.
    pub draws: u64,
    /// How many of these were given up.
    pub unfinished: u64,
    /// The choices of all matches together.
    pub moves: u64,
    /// The first one's shares of the win, added up: winners share it, and where nobody wins all seats do.
    pub share: f64,
    /// Each seat's shares of the win, added up.
    pub seats: Vec<f64>,
}

/// Who meets whom, by the numbers (from 0) of those who take part. One that joins as the last changes nothing before.
pub fn pairings(bots: usize) -> Vec<[usize; 2]> {
    (1..bots).flat_map(|second| (0..second).map(move |first| [first, second])).collect()
}

/// Which of two bots, 0 or 1, has which seat in the matches of an encounter. They sit alternately, in each way round that there is: each
/// of them has every seat equally often. With an even number of seats there are two ways; with an odd one, one of the two has a seat
/// more, and there are twice as many ways as seats.
pub fn seatings(players: usize) -> Vec<Vec<usize>> {
    let shifts = if players.is_multiple_of(2) { 1 } else { players };
    let seat = |shift: usize, swap: usize, at: usize| ((at + players - shift) % players + swap) % 2;
    let ways = (0..shifts).flat_map(|shift| [(shift, 0), (shift, 1)]);
    ways.map(|(shift, swap)| (0..players).map(|at| seat(shift, swap, at)).collect()).collect()
}

impl Arena<'_> {
    /// Plays encounter number `n` (from 0) of a pairing: its seed, the pairing and the number fix its matches. `None`: it was given
    /// up, since the clock hurries.
    pub fn encounter(&self, pairing: [usize; 2], n: u64) -> Result<Option<Score>, Refused> {
        let [first, second] = pairing;
        let number = second * (second - 1) / 2 + first;
        let seed = Rng::sub_seed(Rng::sub_seed(self.seed, number as u64), n);
        let mut score = Score { encounters: 1, ..Score::default() };
        for (number, seating) in seatings(self.setup.players).iter().enumerate() {
            let bots: Vec<Bot> = seating.iter().map(|side| self.bots[pairing[*side]]).collect();
            let Arena { rules, setup, mind, clock, max_moves, .. } = *self;
            let contest = Contest { rules, setup, bots: &bots, mind, clock, seed, max_moves };
            let Some(end) = contest.end(number as u64)? else { return Ok(None) };
            score.count(seating, &end);
        }
        Ok(Some(score))
    }
}

impl Score {
    /// Counts a match in which the two sides sat so.
    pub(super) fn count(&mut self, seating: &[usize], end: &End) {
        let outcome = end.outcome();
        self.matches += 1;
        self.moves += end.moves;
        self.unfinished += u64::from(outcome.is_none());
        let mut winners = outcome.map_or(Vec::new(), |outcome| outcome.winners);
        if winners.is_empty() {
            winners = (0..seating.len()).collect();
        }
        let part = 1.0 / winners.len() as f64;
        self.seats.resize(seating.len(), 0.0);
        winners.iter().for_each(|seat| self.seats[*seat] += part);
        let of_first = winners.iter().filter(|seat| seating[**seat] == 0).count();
        self.share += of_first as f64 * part;
        match of_first {
            0 => self.wins[1] += 1,
            all if all == winners.len() => self.wins[0] += 1,
            _ => self.draws += 1,
        }
    }

    /// The first one's share of the win, from 0 to 1; a half before the first match.
    pub fn mean(&self) -> f64 {
        if self.matches == 0 { 0.5 } else { self.share / self.matches as f64 }
    }

    /// Where that share lies with 19 chances in 20, by E. B. Wilson's interval. It is made for wins and losses in matches that are
    /// alike, and wide enough for these: shares between win and loss vary less, and so do matches of seatings that are
    /// played equally often, whose differences are none of chance.
    pub fn interval(&self) -> (f64, f64) {
        let mean = self.mean();
        let (low, high) = interval(mean, self.matches);
        // All and nothing are not to be missed by the last digit.
        (if mean == 0.0 { 0.0 } else { low }, if mean == 1.0 { 1.0 } else { high })
    }

    /// Half the width of the interval.
    pub fn half_width(&self) -> f64 {
        let (low, high) = self.interval();
        (high - low) / 2.0
    }

    /// About how many matches are needed for such a half width, by the share so far.
    pub fn needed(&self, within: f64) -> u64 {
        let share = (self.share + 0.5) / (self.matches as f64 + 1.0);
        (1.96_f64.powi(2) * share * (1.0 - share) / within.powi(2)).ceil() as u64
    }

    /// Whether enough was played for the interval to be no wider to each side than asked. The width is looked at only after
    /// numbers of encounters that are fixed beforehand, and who is ahead never: so an interval that is played for until it is
    /// narrow holds the share as often as one of a fixed number of matches (Y. S. Chow and H. Robbins, Annals of Mathematical
    /// Statistics 36, 1965; for proportions J. Frey, The American Statistician 64, 2010), and the mean of what is found is off
    /// by less than a sixth of the width that was asked for. A test works both out exactly.
    pub fn is_enough(&self, within: f64, seatings: usize) -> bool {
        let look = looks(seatings).find(|look| *look >= self.encounters);
        look == Some(self.encounters) && self.half_width() <= within
    }
}

/// After how many encounters the width of an interval is looked at: after each look a quarter as many again.
pub fn looks(seatings: usize) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(FIRST_LOOK.div_ceil(seatings as u64)), |look| {
        look.checked_add(look.div_ceil(4))
    })
}

impl AddAssign<&Score> for Score {
    /// Adds matches that were played behind these. Shares are added in the order of encounters, always the same.
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

    #[test]
    fn each_bot_has_every_seat_equally_often() {
        for players in 2..=9 {
            let all = seatings(players);
            for seat in 0..players {
                let seconds = all.iter().filter(|seating| seating[seat] == 1).count();
                assert_eq!(2 * seconds, all.len(), "{players} players, seat {seat}");
            }
            let mut apart = all.clone();
            apart.sort();
            apart.dedup();
            assert_eq!(apart.len(), all.len(), "{players} players");
        }
        assert_eq!(seatings(2), [[0, 1], [1, 0]]);
        assert_eq!(seatings(3).len(), 6);
        assert_eq!(pairings(3), [[0, 1], [0, 2], [1, 2]]);
    }

    /// The chance that the interval holds a true share `p`, and the mean of the shares found, when wins and losses are played until
    /// the interval is narrow enough: worked out from all numbers of wins that there can be at each look.
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

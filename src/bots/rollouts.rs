//! Rollouts: bots that think little play a match on to its end (G. Tesauro, G. Galperin, 1996; nested Monte Carlo search: T.
//! Cazenave, 2009).
//!
//! What a search says of a choice is only as good as the random playouts that begin where its tree ends. Where something is
//! hidden, they miss the value of information: a random player guesses a number in one of hundreds of matches, while one that
//! uses what it has been told is never far from it. The tree is too shallow to tell, but later choices are made by new searches,
//! which know more. So rollouts, whose every choice is made by a search of what is known there, test what a search says: where
//! they refute it, what they say takes its place.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::advice::interval;
use super::mind::Fast;
use super::worth::Proof;
use super::{Bot, Clock, Effort, Memory, Mind, StoppedClock, Worlds};
use crate::eval::Chosen;
use crate::num::Rng;
use crate::play::{Match, Refused, Seen};

/// The bots that play on.
const BOT: Bot = Bot::Tree(Effort::Playouts(50));
/// How many rollouts are played at once, and the most in all.
const BATCH: usize = 4;
const MOST: usize = 16;
/// For how many playouts of the search that is tested there is one choice in rollouts, which takes about as long; there is always one
/// batch.
const PLAYOUTS_A_CHOICE: u64 = 25;
/// The most choices of a rollout; a longer match is given up.
const MOST_CHOICES: u64 = 200;
/// Results that are more probable than this are as expected: no more are needed.
const EXPECTED: f64 = 1.0;
/// A few results say little of an estimate as close to none or all of the win as this: those get all rollouts.
const EXTREME: f64 = 0.1;
/// From this likelihood ratio statistic on, results refute an estimate: once in a hundred times by chance (S. S. Wilks, 1938).
const REFUTED: f64 = 6.63;

/// What rollouts from a choice have brought the seat that is to choose.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Rollouts {
    /// Its shares of the win.
    shares: Vec<f64>,
}

impl Rollouts {
    /// Returns the number of rollouts.
    pub fn count(&self) -> u64 {
        self.shares.len() as u64
    }

    /// Returns the mean share, with one more rollout that was drawn: all or nothing of a few is not certain.
    pub fn mean(&self) -> f64 {
        (self.shares.iter().sum::<f64>() + 0.5) / (self.shares.len() + 1) as f64
    }

    /// Returns the interval that the mean of any number of rollouts lies in, 19 times in 20.
    pub fn interval(&self) -> (f64, f64) {
        interval(self.shares.iter().sum::<f64>() / self.shares.len().max(1) as f64, self.count())
    }

    /// Returns how improbable the results are if the share is in an interval: the likelihood ratio statistic.
    fn surprise(&self, (low, high): (f64, f64)) -> f64 {
        let count = self.shares.len() as f64;
        let mean = self.shares.iter().sum::<f64>() / count.max(1.0);
        let expected = mean.clamp(low, high);
        let part =
            |found: f64, expected: f64| if found > 0.0 { found * (found / expected).ln() } else { 0.0 };
        2.0 * count * (part(mean, expected) + part(1.0 - mean, 1.0 - expected))
    }

    /// Whether they refute that the share is in an interval.
    fn refute(&self, estimate: (f64, f64)) -> bool {
        self.surprise(estimate) >= REFUTED
    }

    /// Whether more of them may refute it.
    fn may_refute(&self, estimate: (f64, f64)) -> bool {
        let (low, high) = estimate;
        high < EXTREME || low > 1.0 - EXTREME || self.surprise(estimate) >= EXPECTED
    }
}

/// What rollouts say of an estimate.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// Nothing against it.
    Plausible,
    /// That it is wrong.
    Refuted(Rollouts),
    /// Nothing, since there was no time for them.
    Untested,
}

/// How one rollout went.
enum Rolled {
    /// It ended after so many choices.
    Ended {
        choices: u64,
        /// What the seat got.
        share: f64,
    },
    /// It has had too many choices.
    TooLong,
    /// Time was up.
    Late,
}

impl Mind {
    /// Tests by rollouts whether the share of a player that is to choose is in the interval `estimate`, which comes from a search of so
    /// many playouts. They begin in matches that `seen` does not tell from `played`; the player chooses `chosen`, or else what the
    /// bot does. They end when `clock` stands at `until`.
    pub(super) fn test(
        &self,
        (played, seen, chosen): (&Match, &Seen, Option<&Chosen>),
        (estimate, playouts): ((f64, f64), u64),
        (clock, until): (&dyn Clock, u64),
        rng: &mut Rng,
    ) -> Verdict {
        let mut left = playouts / PLAYOUTS_A_CHOICE;
        let late = || clock.must_stop() || clock.millis() >= until;
        let mut found = Rollouts::default();
        let listing = self.listing_of(seen);
        let mut worlds = Worlds::of(&self.engine, seen, &listing);
        'batches: while found.shares.len() < MOST {
            let before = found.shares.len();
            let begun: Vec<Match> =
                (0..BATCH).filter_map(|_| imagined(played, seen, &mut worlds, rng)).collect();
            for rolled in self.roll_out(&begun, (seen.player(), chosen), clock, &late) {
                match rolled {
                    Rolled::Ended { share, choices } => {
                        found.shares.push(share);
                        left = left.saturating_sub(choices);
                    }
                    Rolled::TooLong => return Verdict::Plausible,
                    // Those that ended in time are not like the others.
                    Rolled::Late if before == 0 => return Verdict::Untested,
                    Rolled::Late => {
                        found.shares.truncate(before);
                        break 'batches;
                    }
                }
            }
            if found.shares.len() == before || left == 0 || !found.may_refute(estimate) {
                break;
            }
        }
        match found.refute(estimate) {
            true => Verdict::Refuted(found),
            false => Verdict::Plausible,
        }
    }

    /// Plays matches on to their ends, on all threads of the clock, until `late`. Returns how they went for a player, in order;
    /// those that a fault ended are left out.
    fn roll_out(
        &self,
        begun: &[Match],
        (player, chosen): (usize, Option<&Chosen>),
        clock: &dyn Clock,
        late: &dyn Fn() -> bool,
    ) -> Vec<Rolled> {
        let (next, done, over) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        let ended = Mutex::new(Vec::new());
        let play_next = |late: &dyn Fn() -> bool| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(at) = begun.get(number) else { return false };
            if let Ok(rolled) = self.rolled_out(at.clone(), (player, chosen), late) {
                ended.lock().unwrap_or_else(PoisonError::into_inner).push((number, rolled));
            }
            done.fetch_add(1, Ordering::Relaxed);
            true
        };
        let stopped = || over.load(Ordering::Relaxed);
        clock.run_parallel(begun.len().saturating_sub(1), &|_| while play_next(&stopped) {}, &mut || {
            while play_next(late) {}
            while done.load(Ordering::Relaxed) < begun.len() && !late() {
                clock.pause();
            }
            over.store(true, Ordering::Relaxed);
        });
        let mut ended = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        ended.sort_by_key(|(number, _)| *number);
        ended.into_iter().map(|(_, rolled)| rolled).collect()
    }

    /// Plays one match on to its end, until `late`.
    fn rolled_out(
        &self,
        mut at: Match,
        (player, mut chosen): (usize, Option<&Chosen>),
        late: &dyn Fn() -> bool,
    ) -> Result<Rolled, Refused> {
        let mut memory = Memory::default();
        for choices in 0..MOST_CHOICES {
            let Some(choosing) = at.to_move().first().copied() else {
                let winners: Vec<usize> = at.winners().iter().map(|winner| winner - 1).collect();
                let end = Proof::of(&winners, at.machine().interests);
                return Ok(Rolled::Ended { share: end.share(player - 1, at.players()), choices });
            };
            if late() {
                return Ok(Rolled::Late);
            }
            let entry = match chosen.take_if(|_| choosing == player) {
                Some(chosen) => at.rules.entry(player - 1, chosen),
                None => self.answer(&mut memory, &at, choosing, BOT, &StoppedClock)?.entry,
            };
            at.make(&entry)?;
        }
        Ok(Rolled::TooLong)
    }
}

/// Returns a match that a seat does not tell from `played`, with luck of its own from there on; `None` if none was found.
pub(super) fn imagined(
    played: &Match,
    seen: &Seen,
    worlds: &mut Worlds<Fast>,
    rng: &mut Rng,
) -> Option<Match> {
    let seed = rng.next_u64();
    if seen.knows_all() && played.sealed().is_empty() {
        let mut at = played.clone();
        at.reseed(seed);
        return Some(at);
    }
    worlds.draw(rng).and_then(|world| played.with_entries(&world.entries, seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_hardly_comes_by_chance_refutes_an_estimate() {
        let won = |wins: usize, of: usize| Rollouts {
            shares: (0..of).map(|n| if n < wins { 1.0 } else { 0.0 }).collect(),
        };
        // Four of four: hardly ever if the share is a tenth, once in six times if it is two thirds.
        assert!(won(4, 4).refute((0.0, 0.1)) && !won(4, 4).refute((0.5, 0.66)));
        assert!(won(4, 4).may_refute((0.5, 0.66)) && !won(3, 4).may_refute((0.4, 0.7)));
        assert!(won(0, 4).may_refute((0.0, 0.05)));
        assert!(won(16, 16).refute((0.4, 0.6)) && !won(14, 16).refute((0.6, 0.7)));
        assert_eq!(won(8, 16).surprise((0.4, 0.6)), 0.0);
        assert_eq!((won(16, 16).mean(), won(0, 16).mean()), (16.5 / 17.0, 0.5 / 17.0));
    }
}

//! What a choice is worth as all seats judge it. Where chance draws, something is hidden or several choose together, a
//! search is informed of the choice at hand, but hardly of the replies; so it overestimates the seat that is to choose. The
//! others, asked at their next choices, err as much in their own favour, and the mean of all is about right: programs that
//! play backgammon take the mean of two successive depths of search for the same reason.
//!
//! Where something is hidden, this is right at the first choices, but later the seat that is to choose is still overestimated,
//! by up to a tenth of the win: worlds are drawn as if the others had chosen at random, although they have given away what
//! they could spare. More continuations and longer searches change nothing about that.

use super::standing::Standing;
use super::worth::{Measure, Proof};
use super::{Advice, Bot, Clock, Effort, Method, Mind, NoAdvice, Worlds};
use crate::eval::Chosen;
use crate::ir::Interests;
use crate::num::Rng;
use crate::play::{Match, Refused, Seen};

/// In how many continuations the others are asked.
const CONTINUATIONS: u64 = 3;
/// The share of the playouts of the first search that each later one gets: much less, and the others would not err as much as
/// the first seat does. Where people wait, it is less, so that all take no longer than half of the first search.
const SHARE: u64 = 2;
const SHARE_IN_TIME: u64 = 6;
/// The least and the most playouts of each later search.
const LEAST_PLAYOUTS: u64 = 60;
const MOST_PLAYOUTS: u64 = 10_000;
/// How many choices of each seat a continuation has at most before it is given up.
const CHOICES_EACH: usize = 3;

/// By how much the odds of the seat that is to choose are overestimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balance {
    /// The seat, from 0.
    seat: usize,
    /// What its odds, p / (1 − p), are multiplied by.
    factor: f64,
    /// The least share that so many playouts can tell from none: all or nothing that is not proved is one that some more
    /// playouts would not confirm.
    least: f64,
}

fn odds(share: f64) -> f64 {
    share / (1.0 - share)
}

impl Balance {
    /// Returns the share of the win that is left of one that was overestimated.
    fn of(self, share: f64) -> f64 {
        if self.factor == 1.0 {
            return share;
        }
        let odds = odds(share.clamp(self.least, 1.0 - self.least)) * self.factor;
        odds / (1.0 + odds)
    }

    /// Corrects what an estimate says of all seats; what is exact is left as it is.
    pub fn correct(self, standing: &mut Standing) {
        if !standing.is_estimate_of_share() {
            return;
        }
        let (own, corrected) = (standing.values[self.seat], self.of(standing.values[self.seat]));
        let others = (standing.values.len() - 1) as f64;
        for (seat, value) in standing.values.iter_mut().enumerate() {
            *value = match seat == self.seat {
                true => corrected,
                false if own < 1.0 => *value * (1.0 - corrected) / (1.0 - own),
                false => (1.0 - corrected) / others,
            };
        }
    }

    /// Corrects what advice says of each move that was not worked out.
    pub fn correct_advice(self, advice: &mut Advice) {
        for weighed in advice.moves.iter_mut().filter(|weighed| weighed.end.is_none()) {
            weighed.value = self.of(weighed.value);
        }
        if advice.best_stats().is_none_or(|best| best.end.is_none()) {
            advice.value = self.of(advice.value);
            advice.interval = (self.of(advice.interval.0), self.of(advice.interval.1));
        }
    }
}

/// An estimate of what a choice is worth to the seat that is to choose.
struct Estimate<'e> {
    /// The move that the seat is to make; `None` if it draws one from a mix.
    chosen: Option<&'e Chosen>,
    /// Its share of the win.
    own: f64,
    /// The playouts of the search, and the share of them that later searches get.
    playouts: u64,
    share: u64,
    /// Whether the share is that of its best move, instead of a mean over all moves as often as the search made them.
    by_best: bool,
}

impl Mind {
    /// Returns by how much an estimate, by a seat that is to choose, of what the choice is worth, or only its move
    /// `chosen`, overestimates the seat. Without `chosen`, it draws its move from a mix.
    pub fn balance(
        &self,
        played: &Match,
        seen: &Seen,
        chosen: Option<&Chosen>,
        estimate: &Standing,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Balance, Refused> {
        let seat = seen.player() - 1;
        match estimate.is_estimate_of_share() {
            // Half of the playouts were spent on learning.
            true => {
                let (own, playouts) = (estimate.values[seat], 2 * estimate.playouts);
                let asked = Estimate { chosen, own, playouts, share: SHARE, by_best: false };
                self.balance_of(played, seen, asked, clock, rng)
            }
            false => Ok(Balance { seat, factor: 1.0, least: 0.0 }),
        }
    }

    fn balance_of(
        &self,
        played: &Match,
        seen: &Seen,
        Estimate { chosen, own, playouts, share, by_best }: Estimate,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Balance, Refused> {
        let (player, machine) = (seen.player(), played.machine());
        let seat = player - 1;
        let none = Balance { seat, factor: 1.0, least: 0.0 };
        let opposed = played.players() > 1 && machine.interests == Interests::Opposed;
        if !opposed || playouts == 0 || Measure::of(machine) != Measure::Share {
            return Ok(none);
        }
        // Where every playout ends alike, nothing is overestimated; the others only do not know it yet.
        let least = 0.5 / playouts as f64;
        if !(least..=1.0 - least).contains(&own) {
            return Ok(none);
        }
        let effort = Effort::Playouts((playouts / share).clamp(LEAST_PLAYOUTS, MOST_PLAYOUTS));
        let mut worlds = Worlds::new(seen);
        let mut means = Vec::new();
        for _ in 0..CONTINUATIONS {
            let seed = rng.next_u64();
            let known = seen.knows_all() && played.sealed().is_empty();
            let at = match known {
                true => {
                    let mut at = played.clone();
                    at.reseed(seed);
                    Some(at)
                }
                false => worlds.draw(rng).and_then(|world| played.with_entries(&world.entries, seed)),
            };
            let Some(at) = at else { continue };
            let asked = (player, chosen, by_best);
            let others = match self.as_others_judge(at, asked, effort, clock, rng) {
                Ok(others) => others,
                Err(NoAdvice::Broken(fault)) => return Err(played.broken(&fault)),
                Err(_) => continue,
            };
            if clock.must_stop() {
                break;
            }
            means.push((own + others.iter().sum::<f64>()) / (1 + others.len()) as f64);
        }
        if means.is_empty() {
            return Ok(none);
        }
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        let [mean, own] = [mean, own].map(|share| odds(share.clamp(least, 1.0 - least)));
        Ok(Balance { seat, factor: mean / own, least })
    }

    /// Plays on from a match until each other seat has chosen, and returns what `player` can expect as each of them judges
    /// it where it chooses.
    fn as_others_judge(
        &self,
        mut at: Match,
        (player, chosen, by_best): (usize, Option<&Chosen>, bool),
        effort: Effort,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Vec<f64>, NoAdvice> {
        let seats = at.players();
        let mut judged: Vec<Option<f64>> = vec![None; seats];
        let mut first = chosen;
        let is_left = |judged: &[Option<f64>]| {
            judged.iter().enumerate().any(|(seat, share)| seat + 1 != player && share.is_none())
        };
        for _ in 0..CHOICES_EACH * seats {
            let mut entries = Vec::new();
            for choosing in at.to_move() {
                let own = choosing == player;
                if let Some(chosen) = first.take_if(|_| own) {
                    entries.push(at.rules.entry(choosing - 1, chosen));
                    continue;
                }
                let forced = at.is_forced(choosing).unwrap_or(false);
                if forced {
                    let entry = at.random_move(choosing, rng).map_err(|_| NoAdvice::NoWorld)?;
                    entries.push(entry);
                    continue;
                }
                let seen = Seen::of(&at, choosing)?;
                let weighed =
                    self.ask(&seen, None, clock, rng, |question, rng| question.weigh(None, effort, rng))?;
                let (values, own) = (&weighed.standing.values, weighed.standing.values[choosing - 1]);
                // What is left for the others once the seat makes its best move.
                let left = if by_best && own < 1.0 { (1.0 - weighed.value) / (1.0 - own) } else { 1.0 };
                judged[choosing - 1].get_or_insert(values[player - 1] * left);
                entries.push(at.rules.entry(choosing - 1, &weighed.best));
            }
            if entries.is_empty() || !is_left(&judged) || clock.must_stop() {
                break;
            }
            for entry in entries {
                at.make(&entry).map_err(|_| NoAdvice::NoWorld)?;
            }
        }
        if at.over() {
            let winners: Vec<usize> = at.winners().iter().map(|winner| winner - 1).collect();
            let share = Proof::of(&winners, at.machine().interests).share(player - 1, seats);
            judged.iter_mut().for_each(|judged| *judged = judged.or(Some(share)));
        }
        let others = judged.into_iter().enumerate().filter(|(seat, _)| seat + 1 != player);
        Ok(others.filter_map(|(_, share)| share).collect())
    }

    /// Returns advice for `player` (from 1), who is to choose, like [`Mind::advise_player`], with values as all seats judge
    /// them.
    pub fn advise_person(
        &self,
        played: &Match,
        player: usize,
        bot: Bot,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Advice, Refused> {
        let mut advice = self.advise_player(played, player, bot, clock, rng)?;
        if !matches!(advice.method, Method::Tree | Method::Worlds) || advice.exact {
            return Ok(advice);
        }
        let seen = Seen::of(played, player).map_err(|fault| played.broken(&fault))?;
        let chosen = Some(advice.best.clone()).filter(|_| !advice.is_mixed());
        let (own, playouts) = (advice.value, advice.playouts);
        let in_time = matches!(bot, Bot::Auto(Effort::Millis(_)) | Bot::Mcts(Effort::Millis(_)));
        let share = if in_time { SHARE_IN_TIME } else { SHARE };
        let asked = Estimate { chosen: chosen.as_ref(), own, playouts, share, by_best: true };
        self.balance_of(played, &seen, asked, clock, rng)?.correct_advice(&mut advice);
        Ok(advice)
    }
}

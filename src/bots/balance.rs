//! What a choice is worth as all seats judge it. Where something is hidden or several choose together, a search is informed of
//! the choice at hand, but hardly of the replies; so it overestimates the seat that is to choose. The others, asked at their
//! next choices, err as much in their own favour, and the mean of all is about right: programs that play backgammon take the
//! mean of two successive depths of search for the same reason. Where nothing is hidden, chance draws and one chooses at a time, a
//! search takes replies for what they are worth at their best (`mcts/expect.rs`) and favours nobody, so that others, who could be
//! asked only after a few draws, would make it worse.
//!
//! Where something is hidden, the others do not know what makes the seat's choice worth more or less than they expect. So they
//! say what it is worth in the course that the match has really taken, by what they have learned from all that they may be in.
//! The seat does so, too, and by how much that course is better for it than the average one is left out, since there are
//! few of them (a control variate).
//!
//! This is right at the first choices, but later the seat that is to choose is still overestimated,
//! by up to a tenth of the win: worlds are drawn as if the others had chosen at random, although they have given away what
//! they could spare. More continuations and longer searches change nothing about that.

use super::mind::Fast;
use super::rollouts::{Rollouts, Verdict, imagined};
use super::standing::{Judged, Standing};
use super::worth::{Measure, Proof};
use super::{Advice, Bot, Clock, Course, Effort, Method, Mind, NoAdvice, Wanted, Worlds, is_open};
use crate::engine::Engine;
use crate::eval::{Chosen, Machine};
use crate::ir::Interests;
use crate::num::Rng;
use crate::play::{Match, Refused, Seen};
use crate::solve::has_chance;

/// The seat that is to choose is favoured by up to about so much, which the balance sees to: rollouts must find more to refute it.
const FAVOURED: f64 = 0.1;
/// An interval wider than this says hardly anything, so that rollouts test the estimate itself.
const VAGUE: f64 = 0.5;
/// In how many continuations the others are asked, and the square of how many standard errors the mean of so many differs from
/// the true one by at most, 19 times in 20 (W. S. Gosset, 1908).
const CONTINUATIONS: u64 = 6;
const STUDENT: f64 = 6.6;
/// The share of the playouts of the first search that each later one gets: much less, and the others would not err as much as
/// the first seat does. Where people wait, it is less, so that all take no longer than half of the first search.
const SHARE: u64 = 4;
const SHARE_IN_TIME: u64 = 16;
/// The least and the most playouts of each later search.
const LEAST_PLAYOUTS: u64 = 60;
const MOST_PLAYOUTS: u64 = 10_000;
/// How many choices of each seat a continuation has at most before it is given up.
const CHOICES_EACH: usize = 3;

/// By how much the odds of the seat that is to choose are overestimated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Balance {
    /// Whether the seats win and lose together.
    interests: Interests,
    /// The seat, from 0.
    seat: usize,
    /// What its odds, p / (1 − p), are multiplied by.
    factor: f64,
    /// The least share that so many playouts can tell from none: all or nothing that is not proved is one that some more
    /// playouts would not confirm.
    least: f64,
    /// How far a corrected share may be off, 19 times in 20, since it comes from rollouts, or since there was no time for them.
    off: f64,
    /// How many rollouts the factor comes from; 0 if it does not come from rollouts.
    rollouts: u64,
}

fn odds(share: f64) -> f64 {
    share / (1.0 - share)
}

/// Whether a search values the replies to a move by the best of them, since chance draws, all is known and one seat chooses at a
/// time.
fn takes_best_replies(machine: &Machine) -> bool {
    let game = &machine.game;
    is_open(game) && has_chance(game) && !game.choices.iter().any(|choice| choice.together)
}

impl Balance {
    /// Returns how many rollouts it comes from; 0 if none have refuted the estimate.
    pub fn rollouts(self) -> u64 {
        self.rollouts
    }

    /// Describes an estimate that favours nobody.
    fn even(interests: Interests, seat: usize) -> Balance {
        Balance { interests, seat, factor: 1.0, least: 0.0, off: 0.0, rollouts: 0 }
    }

    /// Describes by how much the estimate `own`, of so many playouts, is off from the share that takes its place.
    fn toward(self, own: f64, share: f64, playouts: u64) -> Balance {
        let least = 0.5 / playouts as f64;
        let [share, own] = [share, own].map(|share| odds(share.clamp(least, 1.0 - least)));
        Balance { factor: share / own, least, ..self }
    }

    /// Describes by how much the estimate `own`, of so many playouts, is off from what rollouts have brought.
    fn by_rollouts(self, own: f64, rollouts: &Rollouts, playouts: u64) -> Balance {
        let (low, high) = rollouts.interval();
        let (off, rollouts_played) = ((high - low) / 2.0, rollouts.count());
        Balance { off, rollouts: rollouts_played, ..self.toward(own, rollouts.mean(), playouts) }
    }

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
        standing.off = self.off;
        let (own, corrected) = (standing.values[self.seat], self.of(standing.values[self.seat]));
        let seats = standing.values.len();
        let others = (self.interests.sides(seats).len() - 1) as f64;
        let partners = self.interests.partners(self.seat, seats);
        for (seat, value) in standing.values.iter_mut().enumerate() {
            *value = match partners >> seat & 1 == 1 {
                true => corrected,
                false if own < 1.0 => *value * (1.0 - corrected) / (1.0 - own),
                false => (1.0 - corrected) / others,
            };
        }
    }

    /// Corrects what advice says of each move that was not worked out.
    pub fn correct_advice(self, advice: &mut Advice) {
        advice.rollouts = self.rollouts;
        let tested = Some(&advice.best).filter(|_| !advice.is_mixed());
        for weighed in advice.moves.iter_mut().filter(|weighed| !weighed.is_exact()) {
            let (low, high) = weighed.interval();
            weighed.value = self.of(weighed.value);
            if self.off > 0.0 {
                // What rollouts say of the move that they began with holds for others as far as the search tells them apart.
                let half = (weighed.value - self.of(low)).max(self.of(high) - weighed.value);
                let half = if tested == Some(&weighed.chosen) { 0.0 } else { half };
                weighed.moved = half.hypot(self.off);
            }
        }
        if advice.best_stats().is_none_or(|best| !best.is_exact()) {
            advice.value = self.of(advice.value);
            advice.interval = match self.off {
                0.0 => (self.of(advice.interval.0), self.of(advice.interval.1)),
                _ => ((advice.value - self.off).max(0.0), (advice.value + self.off).min(1.0)),
            };
        }
    }
}

/// Returns the mean of some values, drawn towards `prior` by as much of their distance as luck may explain, 19 times in 20 (in the
/// way of the positive part of C. Stein's estimator): a few continuations that are worth little or much by chance correct nothing.
/// `None` of fewer than two, which do not tell how far they differ by chance.
fn shrunk(prior: f64, values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    if values.len() < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let (luck, distance) = (STUDENT * squares / (count - 1.0) / count, (mean - prior).powi(2));
    let kept = if distance > luck { 1.0 - luck / distance } else { 0.0 };
    Some(prior + kept * (mean - prior))
}

type State = <Fast as Engine>::State;

/// What a seat can expect where another one is to choose, as that one judges it, and the course that the match has taken to there.
type Judgement = (Course<State>, f64);

/// An estimate of what a choice is worth to the seat that is to choose.
struct Estimate<'e> {
    /// The move that the seat is to make; `None` if it draws one from a mix.
    chosen: Option<&'e Chosen>,
    /// Its share of the win, and the interval that it lies in.
    own: f64,
    interval: (f64, f64),
    /// The playouts of the search, and the share of them that later searches get.
    playouts: u64,
    share: u64,
    /// Whether the share is that of its best move, instead of a mean over all moves as often as the search made them.
    by_best: bool,
    /// When rollouts must be over, by the clock; `None` if there are none.
    until: Option<u64>,
}

impl Mind {
    /// Returns by how much an estimate, by a seat that is to choose, of what the choice is worth, or only its move
    /// `chosen`, overestimates the seat. Without `chosen`, it draws its move from a mix. `tested` says whether to test the estimate
    /// by rollouts where something is hidden.
    pub fn balance(
        &self,
        (played, seen): (&Match, &Seen),
        chosen: Option<&Chosen>,
        (estimate, tested): (&Standing, bool),
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Balance, Refused> {
        let seat = seen.player() - 1;
        match estimate.is_estimate_of_share() {
            // Half of the playouts were spent on learning.
            true => {
                let (own, playouts) = (estimate.values[seat], 2 * estimate.playouts);
                let interval = estimate.interval(seat);
                let (share, by_best, until) = (SHARE, false, tested.then_some(u64::MAX));
                let asked = Estimate { chosen, own, interval, playouts, share, by_best, until };
                self.balance_of(played, seen, asked, clock, rng)
            }
            false => Ok(Balance::even(played.machine().interests, seat)),
        }
    }

    fn balance_of(
        &self,
        played: &Match,
        seen: &Seen,
        Estimate { chosen, own, interval, playouts, share, by_best, until }: Estimate,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Balance, Refused> {
        let (player, machine) = (seen.player(), played.machine());
        let seat = player - 1;
        let none = Balance::even(machine.interests, seat);
        if playouts == 0 || Measure::of(machine) != Measure::Share || takes_best_replies(machine) {
            return Ok(none);
        }
        // Bots that think little mix worse than a search has learned to, so that they do not test what it says of a joint choice.
        if let Some(until) = until.filter(|_| !is_open(&machine.game) && !played.together()) {
            let (low, high) = if interval.1 - interval.0 > VAGUE { (own, own) } else { interval };
            let estimate = ((own - FAVOURED).min(low).max(0.0), (own + FAVOURED).max(high).min(1.0));
            match self.test((played, seen, chosen), (estimate, playouts), (clock, until), rng) {
                Verdict::Refuted(rollouts) => return Ok(none.by_rollouts(own, &rollouts, playouts)),
                Verdict::Untested => return Ok(Balance { off: 1.0, ..none }),
                Verdict::Plausible => {}
            }
        }
        // Where every playout ends alike, nothing is overestimated; the others only do not know it yet.
        let least = 0.5 / playouts as f64;
        let opposed = played.players() > 1 && machine.interests.are_opposed();
        if !opposed || !(least..=1.0 - least).contains(&own) {
            return Ok(none);
        }
        let all_playouts = playouts;
        let playouts = (playouts / share).clamp(LEAST_PLAYOUTS, MOST_PLAYOUTS);
        let listing = self.listing_of(seen);
        let mut worlds = Worlds::of(&self.engine, seen, &listing);
        let mut judged = Vec::new();
        for _ in 0..CONTINUATIONS {
            let Some(at) = imagined(played, seen, &mut worlds, rng) else { continue };
            match self.as_others_judge(at, (player, chosen, by_best), playouts, clock, rng) {
                _ if clock.must_stop() => break,
                Ok(others) => judged.push(others),
                Err(NoAdvice::Broken(fault)) => return Err(played.broken(&fault)),
                Err(_) => {}
            }
        }
        // Where something is hidden, a course is worth more or less to the seat, which must not count: see above.
        let luck = match is_open(&machine.game) {
            true => vec![0.0; judged.iter().map(Vec::len).sum()],
            false if clock.must_stop() => return Ok(none),
            false => {
                let courses: Vec<_> = judged.iter().flatten().map(|(course, _)| course.clone()).collect();
                match self.judge(seen, (chosen, true), &courses, playouts, clock, rng) {
                    Ok(own) => own.shares.iter().map(|shares| shares[seat] - own.on_average).collect(),
                    Err(NoAdvice::Broken(fault)) => return Err(played.broken(&fault)),
                    Err(_) => return Ok(none),
                }
            }
        };
        let mut luck = luck.into_iter();
        let mean = |others: &Vec<Judgement>| {
            let others: Vec<f64> =
                others.iter().zip(&mut luck).map(|((_, share), luck)| share - luck).collect();
            (own + others.iter().sum::<f64>()) / (1 + others.len()) as f64
        };
        let means: Vec<f64> = judged.iter().map(mean).collect();
        Ok(match shrunk(own, &means) {
            Some(mean) => none.toward(own, mean, all_playouts),
            None => none,
        })
    }

    /// Plays on from a match until each other seat has chosen, and returns what `player` can expect as each of them judges
    /// it where it chooses, and the course up to there.
    fn as_others_judge(
        &self,
        mut at: Match,
        (player, chosen, by_best): (usize, Option<&Chosen>, bool),
        playouts: u64,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Vec<Judgement>, NoAdvice> {
        let seats = at.players();
        let mut course = Course { stops: Vec::new(), end: self.state_of(&at) };
        let mut judged: Vec<Option<Judgement>> = vec![None; seats];
        let mut first = chosen;
        let is_left = |judged: &[Option<Judgement>]| {
            judged.iter().enumerate().any(|(seat, judgement)| seat + 1 != player && judgement.is_none())
        };
        for _ in 0..CHOICES_EACH * seats {
            let mut choices = Vec::new();
            for choosing in at.to_move() {
                let own = choosing == player;
                let choice = if let Some(chosen) = first.take_if(|_| own) {
                    chosen.clone()
                } else if at.is_forced(choosing).unwrap_or(false) {
                    at.random_choice(choosing, rng).map_err(|_| NoAdvice::NoWorld)?
                } else {
                    let seen = Seen::of(&at, choosing)?;
                    let (best, shares) = self.best_and_shares(&at, &seen, by_best, playouts, clock, rng)?;
                    judged[choosing - 1].get_or_insert((course.clone(), shares[player - 1]));
                    best
                };
                choices.push((choosing - 1, choice));
            }
            if choices.is_empty() || !is_left(&judged) || clock.must_stop() {
                break;
            }
            for (seat, choice) in &choices {
                at.make(&at.rules.entry(*seat, choice)).map_err(|_| NoAdvice::NoWorld)?;
            }
            let next = self.state_of(&at);
            course.stops.push((std::mem::replace(&mut course.end, next), choices));
        }
        if at.over() {
            let winners: Vec<usize> = at.winners().iter().map(|winner| winner - 1).collect();
            let share = Proof::of(&winners, at.machine().interests).share(player - 1, seats);
            judged.iter_mut().for_each(|judged| _ = judged.get_or_insert((course.clone(), share)));
        }
        let others = judged.into_iter().enumerate().filter(|(seat, _)| seat + 1 != player);
        Ok(others.filter_map(|(_, judgement)| judgement).collect())
    }

    /// Returns the move that a seat makes, or draws from its mix, and what everybody can then expect, as that seat judges it: in
    /// this very match, although the seat does not know all of it.
    fn best_and_shares(
        &self,
        at: &Match,
        seen: &Seen,
        by_best: bool,
        playouts: u64,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<(Chosen, Vec<f64>), NoAdvice> {
        if !is_open(&at.machine().game) {
            let here = Course { stops: Vec::new(), end: self.state_of(at) };
            let judged = self.judge(seen, (None, false), &[here], playouts, clock, rng)?;
            return Ok((judged.best, judged.shares.into_iter().next().unwrap_or_default()));
        }
        let effort = Effort::Playouts(playouts);
        let weighed = self.ask(seen, None, clock, rng, |question, rng| question.weigh(None, effort, rng))?;
        let mut values = weighed.standing.values;
        let own = values[seen.player() - 1];
        // What is left for the others once the seat makes its best move.
        if by_best && own < 1.0 {
            let partners = at.machine().interests.partners(seen.player() - 1, values.len());
            for (seat, value) in values.iter_mut().enumerate() {
                *value = match seat + 1 != seen.player() && partners >> seat & 1 == 1 {
                    true => weighed.value,
                    false => *value * (1.0 - weighed.value) / (1.0 - own),
                };
            }
        }
        Ok((weighed.best, values))
    }

    /// Searches for a seat that is to choose, by what it has seen, and returns what everybody can expect at the end of some
    /// courses: see [`Question::judge`].
    fn judge(
        &self,
        seen: &Seen,
        asked: (Option<&Chosen>, bool),
        courses: &[Course<State>],
        playouts: u64,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Judged, NoAdvice> {
        self.ask(seen, None, clock, rng, |question, rng| question.judge(asked, courses, playouts, rng))
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
        let mut advice = self.advise_player_about(Wanted::All, played, player, bot, clock, rng)?;
        if !matches!(advice.method, Method::Tree | Method::Worlds) || advice.exact {
            return Ok(advice);
        }
        let seen = Seen::of(played, player).map_err(|fault| played.broken(&fault))?;
        let chosen = Some(advice.best.clone()).filter(|_| !advice.is_mixed());
        let (own, playouts) = (advice.value, advice.playouts);
        let (share, until) = match bot {
            Bot::Auto(Effort::Millis(ms)) | Bot::Mcts(Effort::Millis(ms)) => {
                (SHARE_IN_TIME, clock.millis().saturating_add(ms))
            }
            _ => (SHARE, u64::MAX),
        };
        let (chosen, interval, by_best) = (chosen.as_ref(), advice.interval, true);
        let asked = Estimate { chosen, own, interval, playouts, share, by_best, until: Some(until) };
        self.balance_of(played, &seen, asked, clock, rng)?.correct_advice(&mut advice);
        Ok(advice)
    }
}

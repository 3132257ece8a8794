//! Reviews a finished or running match: for each choice, what it was worth to each seat, what was played, and
//! what would have been better.
//!
//! Each choice is judged only by what the seat that made it knew at the time. Of a match that is not over,
//! only the steps that everybody knows by now are reviewed, so that the review reveals nothing that still
//! matters for play.

mod back;
mod json;
mod luck;
mod progress;

pub use luck::Luck;
pub use progress::{ReviewProgress, review_effort};

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::bots::{
    Advice, Bot, Clock, Effort, ExactWay, Measure, Method, Mind, MoveStats, NoAdvice, Proof, Standing,
    is_open,
};
use crate::eval::{Chosen, Fault};
use crate::ir::Value;
use crate::num::Int;
use crate::play::{Entry, Match, Refused, Rng, Seen, is_known, offered};

/// The least cost of a turning point: a twentieth of the win, or half a point of a score.
const LEAST_SHARE: f64 = 0.05;
const LEAST_SCORE: f64 = 0.5;

/// The effort per evaluation unless another is asked for: in playouts, so that every review of a match says
/// the same.
pub const REVIEW_EFFORT: Effort = Effort::Playouts(2000);
/// How many other moves are weighed at most to find one that is better than the one that was made.
const MOST_WEIGHED: usize = 4;

/// Exact values that differ by less than this are equal.
const ROUNDING: f64 = 1e-9;

/// How many choices at most are judged again since the seat stood far worse after them, and with how many times the effort.
const MOST_AGAIN: usize = 6;
const AGAIN: u64 = 8;

/// The clock of one step of a review. It offers no further threads, since these review other steps.
struct StepClock<'c>(&'c (dyn Clock + Sync));

impl Clock for StepClock<'_> {
    fn millis(&self) -> u64 {
        self.0.millis()
    }

    fn must_stop(&self) -> bool {
        self.0.must_stop()
    }
}

/// A match to be reviewed.
#[derive(Debug)]
pub struct Reviewer<'a> {
    /// The match, as far as it went.
    pub whole: &'a Match,
    /// What the moves are evaluated with.
    pub mind: &'a Mind,
    /// The effort per evaluation; a choice takes several.
    pub effort: Effort,
    /// The seed of the playouts.
    pub seed: u64,
}

/// How much a move is worth to the seat that chose.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveValue {
    /// What the seat can expect: its share of the win, from 0 to 1, or a common score if that is played for.
    pub value: f64,
    /// The interval that the value lies in, 19 times in 20.
    pub interval: (f64, f64),
    /// The part of it that comes from sampling.
    pub sampled: (f64, f64),
    /// The result of the match under best play, if it is proved.
    pub end: Option<Proof>,
    /// Whether the value is exact.
    pub exact: bool,
}

impl MoveValue {
    /// Returns what a standing is worth to a seat (from 0).
    fn of(standing: &Standing, seat: usize) -> MoveValue {
        MoveValue {
            value: standing.values[seat],
            interval: standing.interval(seat),
            sampled: standing.sampling_interval(seat),
            end: standing.end,
            exact: standing.exact,
        }
    }
}

/// A choice that was made, and the best alternative.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewedChoice {
    /// The choice that was made.
    pub entry: Entry,
    /// What it was worth; `None` if that could not be determined.
    pub played: Option<MoveValue>,
    /// A better choice, if there is one.
    pub better: Option<Entry>,
    /// What the best choice was worth.
    pub best: Option<MoveValue>,
    /// What every seat could expect after it, before any draw that followed; `None` if moves are mixed.
    pub left: Option<Standing>,
    /// Whether others chose at the same time, so that the best strategy is a mix of moves; `better` is its
    /// most frequent one.
    pub mixed: bool,
    /// How often the mix makes `better`.
    pub often: f64,
    /// Whether the values are those of an equilibrium of the game.
    pub by_equilibrium: bool,
    /// How many rollouts the values come from, since they have refuted those of playouts; 0 if they have not.
    pub rollouts: u64,
    /// What the values are measured in.
    pub measure: Measure,
}

impl ReviewedChoice {
    /// Describes a choice of which nothing is known.
    fn unjudged(at: &Match, entry: &Entry) -> ReviewedChoice {
        ReviewedChoice {
            entry: entry.clone(),
            played: None,
            better: None,
            best: None,
            left: None,
            mixed: false,
            often: 0.0,
            by_equilibrium: false,
            rollouts: 0,
            measure: Measure::of(at.machine()),
        }
    }

    /// Returns what the choice cost, as a share of the win or in points.
    pub fn cost(&self) -> f64 {
        match (&self.best, &self.played) {
            (Some(best), Some(played)) => self.measure.gain(best.value, played.value).max(0.0),
            _ => 0.0,
        }
    }

    /// Returns what the choice cost beyond what sampling error can explain.
    pub fn sure_cost(&self) -> f64 {
        if self.is_apart() && self.better.is_some() { self.cost() } else { 0.0 }
    }

    /// Whether the best choice was worth more, however far off both estimates may be.
    pub fn is_surely_apart(&self) -> bool {
        self.is_apart_by(|worth, _| worth.interval)
    }

    /// Whether the best choice was worth more beyond what sampling error can explain.
    fn is_apart(&self) -> bool {
        // Two estimates move alike as more becomes known of the replies; beside what is certain, one moves alone.
        self.is_apart_by(|worth, alike| if alike { worth.sampled } else { worth.interval })
    }

    /// Whether the best choice was worth more by ranges of both values; `range` is told whether both are exact, or both estimates.
    fn is_apart_by(&self, range: impl Fn(&MoveValue, bool) -> (f64, f64)) -> bool {
        let (Some(best), Some(played)) = (&self.best, &self.played) else { return false };
        let alike = best.exact == played.exact;
        let (best, played) = (range(best, alike), range(played, alike));
        match self.measure {
            Measure::Score { highest: false } => best.1 < played.0,
            _ => played.1 < best.0,
        }
    }

    /// Whether the values of the best choice and of the one made are both exact.
    pub fn is_certain(&self) -> bool {
        let certain = |worth: &Option<MoveValue>| worth.as_ref().is_some_and(|worth| worth.exact);
        certain(&self.best) && certain(&self.played)
    }

    /// Whether it cost more than chance can explain, and enough to be reported: of a score, all that is certain is.
    pub fn is_turning(&self) -> bool {
        let least = match self.measure {
            Measure::Share => LEAST_SHARE,
            Measure::Score { .. } if self.is_certain() => 1e-9,
            Measure::Score { .. } => LEAST_SCORE,
        };
        self.is_apart() && self.better.is_some() && self.cost() >= least
    }
}

/// A step of a match: the standing before it, and what was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Stop {
    /// The number of the step, from 1.
    pub step: usize,
    /// What each seat could expect before the step under good play, by the review's measure; `None` if it could
    /// not be determined.
    pub values: Option<Vec<f64>>,
    /// The standard errors of the values.
    pub errors: Vec<f64>,
    /// The choice, or those made together.
    pub choices: Vec<ReviewedChoice>,
}

impl Stop {
    /// Replaces the judgement of its only choice, and the standing before it.
    fn set(&mut self, judged: ReviewedChoice, standing: Option<Standing>) {
        if let Some(standing) = standing {
            self.errors = (0..standing.values.len()).map(|seat| standing.error(seat)).collect();
            self.values = Some(standing.values);
        }
        self.choices = vec![judged];
    }
}

/// The result of a review.
#[derive(Debug, Clone)]
pub struct Review {
    /// The reviewed steps, in order.
    pub stops: Vec<Stop>,
    /// What each seat had at the end; `None` if the match is not over, or if the review did not get that far.
    pub end: Option<Vec<f64>>,
    /// What all values are measured in: each seat's share of the win, or a common score that is played for.
    pub measure: Measure,
    /// Whether something is hidden, so that players may see a position differently.
    pub hidden: bool,
    /// Whether something was drawn in the last reviewed step, so that what its choice left is no longer what there is.
    drawn_last: bool,
}

impl<'a> Reviewer<'a> {
    /// Returns how many steps can be reviewed: all of them if the match is over; otherwise those before the
    /// first that not everybody knows completely. None if nobody can win.
    pub fn steps(&self) -> usize {
        if self.whole.rules.game.nobody_can_win() {
            return 0;
        }
        if self.whole.over() {
            return self.whole.depth();
        }
        let mut entry = 0;
        let known = |entries: &&[Entry]| {
            let known = (entry..entry + entries.len()).all(|at| is_known(self.whole, at));
            entry += entries.len();
            known
        };
        // The first entry of `steps` has the draws before the first choice.
        self.whole.steps().take_while(known).count().saturating_sub(1)
    }

    /// Returns the match before a step, from 1.
    pub fn before(&self, step: usize) -> Match {
        let mut at = self.whole.clone();
        // A half-made joint choice is not a step, but takes one more undo. Every step can be undone.
        let half = usize::from(!at.sealed().is_empty());
        let _ = at.undo(self.whole.depth() + half + 1 - step);
        at
    }

    /// Reviews all steps, on all threads of the clock, and tells how many are done. Returns those before the
    /// first that was cut short, if the clock said that it must stop. The result does not depend on the number of
    /// threads.
    pub fn stops(
        &self,
        clock: &(dyn Clock + Sync),
        tell: &mut dyn FnMut(ReviewProgress),
    ) -> Result<Vec<Stop>, Refused> {
        let all = self.steps();
        if all > 0 {
            let mut solving =
                |looked| tell(ReviewProgress { steps: 0, all, again: None, solving: Some(looked) });
            self.mind.solve_whole_game(clock, &mut solving);
            tell(ReviewProgress { steps: 0, all, again: None, solving: None });
        }
        // Where something is hidden, estimates are tested by rollouts at one choice of each player, and then at all others of those
        // players whose estimates were refuted.
        let samples = self.samples();
        let found: Vec<OnceLock<Result<Stop, Refused>>> = (0..all).map(|_| OnceLock::new()).collect();
        let (sampled, others) = (1..=all).partition(|step| samples.contains(step));
        self.review_steps((sampled, &|_| true), &found, clock, tell);
        let known = found.iter().filter_map(|stop| stop.get()?.as_ref().ok());
        let refuted = known.flat_map(|stop| &stop.choices).filter(|judged| judged.rollouts > 0);
        let refuted: Vec<usize> = refuted.map(|judged| judged.entry.player).collect();
        self.review_steps((others, &|player| refuted.contains(&player)), &found, clock, tell);
        let mut stops: Vec<Stop> =
            found.into_iter().map_while(OnceLock::into_inner).collect::<Result<_, _>>()?;
        self.search_back(&mut stops, clock)?;
        self.look_again(&mut stops, clock, tell)?;
        Ok(stops)
    }

    /// Returns the steps at which rollouts test estimates first where something is hidden: of each player, the first choice.
    fn samples(&self) -> Vec<usize> {
        if is_open(&self.whole.machine().game) {
            return Vec::new();
        }
        let of_player = |player: usize| {
            let mut steps = (1..=self.steps()).zip(self.whole.steps().skip(1));
            let first = steps.find(|(_, entries)| entries.iter().any(|entry| entry.player == player));
            first.map(|(step, _)| step)
        };
        (1..=self.whole.players()).filter_map(of_player).collect()
    }

    /// Reviews some of the steps, on all threads of the clock, and tells how many of all are done. `tested` says of which players
    /// estimates are tested by rollouts.
    fn review_steps(
        &self,
        (steps, tested): (Vec<usize>, &(dyn Fn(usize) -> bool + Sync)),
        found: &[OnceLock<Result<Stop, Refused>>],
        clock: &(dyn Clock + Sync),
        tell: &mut dyn FnMut(ReviewProgress),
    ) {
        let (begun, all) = (AtomicUsize::new(0), found.len());
        let done = AtomicUsize::new(found.iter().filter(|stop| stop.get().is_some()).count());
        // Reviews the next step; returns whether there was one.
        let next = || {
            let number = begun.fetch_add(1, Ordering::SeqCst);
            let Some(&step) = steps.get(number).filter(|_| !clock.must_stop()) else { return false };
            let stop = self.tested_stop(step, tested, &StepClock(clock));
            // A step that was cut short has had less effort than the others.
            if clock.must_stop() {
                return false;
            }
            if stop.is_err() {
                begun.store(steps.len(), Ordering::SeqCst);
            }
            let _ = found[step - 1].set(stop);
            done.fetch_add(1, Ordering::SeqCst);
            true
        };
        clock.run_parallel(steps.len().saturating_sub(1), &|_| while next() {}, &mut || {
            while next() {
                tell(ReviewProgress { steps: done.load(Ordering::SeqCst), all, again: None, solving: None });
            }
        });
    }

    /// Judges those choices again, with more effort, at which the seat comes to stand far worse than what was found to be
    /// wrong with them explains: the largest of these drops first, and only some of them.
    fn look_again(
        &self,
        stops: &mut [Stop],
        clock: &(dyn Clock + Sync),
        tell: &mut dyn FnMut(ReviewProgress),
    ) -> Result<(), Refused> {
        let drawn = drawn_steps(self.whole);
        let drop_at = |number: usize| {
            let [judged] = stops[number].choices.as_slice() else { return None };
            let seat = judged.entry.player - 1;
            let best = judged.best.as_ref()?.value;
            let undrawn = |stop: &Stop| !drawn.get(stop.step).unwrap_or(&true);
            let standing = |stop: &Stop| stop.values.as_ref().map(|values| values[seat]);
            // After the choice, beyond what it is known to have cost; or since the choice of another before, who cannot have won
            // by it what the seat did not lose.
            let after = stops.get(number + 1).filter(|_| undrawn(&stops[number])).and_then(standing);
            let before = number.checked_sub(1).map(|before| &stops[before]).filter(|stop| {
                undrawn(stop) && stop.choices.iter().all(|choice| choice.entry.player != judged.entry.player)
            });
            let gain = |from: f64, to: f64| judged.measure.gain(from, to);
            let lost_after = after.map(|after| gain(best, after) - judged.cost());
            let lost_before = before.and_then(standing).map(|before| gain(before, best));
            let drop = lost_after.into_iter().chain(lost_before).reduce(f64::max)?;
            let least = match judged.measure {
                Measure::Share => LEAST_SHARE,
                Measure::Score { .. } => LEAST_SCORE,
            };
            let open = !judged.mixed && !judged.is_certain();
            (open && drop >= 2.0 * least).then_some((number, drop))
        };
        let mut drops: Vec<(usize, f64)> = (0..stops.len()).filter_map(drop_at).collect();
        drops.sort_by(|a, b| b.1.total_cmp(&a.1));
        drops.truncate(MOST_AGAIN);
        let (steps, many) = (stops.len(), drops.len());
        for (done, (number, _)) in drops.into_iter().enumerate() {
            if clock.must_stop() {
                break;
            }
            tell(ReviewProgress { steps, all: self.steps(), again: Some((done, many)), solving: None });
            let at = self.before(stops[number].step);
            let entry = stops[number].choices[0].entry.clone();
            let seen = Seen::of(&at, entry.player).map_err(|fault| at.broken(&fault))?;
            let mut rng = self.rng(&at, &entry);
            let (effort, tested) = (self.effort.times(AGAIN), stops[number].choices[0].rollouts > 0);
            let (judged, standing) =
                self.looked_at((&at, &entry, &seen), effort, (clock, tested), &mut rng)?;
            stops[number].set(judged, standing);
        }
        Ok(())
    }

    /// Judges a choice that can be made where the match stands, as if it had been made, by advice on it.
    pub fn choice(
        &self,
        entry: &Entry,
        advice: Advice,
        clock: &dyn Clock,
    ) -> Result<ReviewedChoice, Refused> {
        let by_player = |made: &[Entry]| made.iter().any(|made| made.player == entry.player);
        let tested = !is_open(&self.whole.machine().game) && !self.whole.steps().any(by_player);
        let (at, mut rng) = (self.whole, self.rng(self.whole, entry));
        let seen = Seen::of(at, entry.player).map_err(|fault| at.broken(&fault))?;
        let first = self.judged_by((at, entry, &seen), advice, self.effort, (clock, tested), &mut rng)?;
        Ok(self.confirmed(first, (at, entry, &seen), (clock, tested), &mut rng)?.0)
    }

    /// Reviews one step, from 1. The result depends on the match up to there, the effort and the seed; on the
    /// clock only if the effort is measured in time.
    pub fn stop(&self, step: usize, clock: &dyn Clock) -> Result<Stop, Refused> {
        self.tested_stop(step, &|_| self.samples().contains(&step), clock)
    }

    /// Reviews one step. `tested` says of which players estimates are tested by rollouts.
    fn tested_stop(
        &self,
        step: usize,
        tested: &dyn Fn(usize) -> bool,
        clock: &dyn Clock,
    ) -> Result<Stop, Refused> {
        let at = self.before(step);
        let made = self.whole.steps().nth(step).unwrap_or_default();
        let mut choices = Vec::new();
        let mut views: Vec<Standing> = Vec::new();
        for entry in made.iter().filter(|entry| entry.player != 0) {
            let (judged, standing) = self.judged(&at, entry, (clock, tested(entry.player)))?;
            choices.push(judged);
            views.extend(standing);
        }
        // Seats that choose together may evaluate the position differently.
        let mean = |of: &dyn Fn(&Standing) -> f64| views.iter().map(of).sum::<f64>() / views.len() as f64;
        let seats = || 0..at.players();
        let values =
            (!views.is_empty()).then(|| seats().map(|seat| mean(&|view| view.values[seat])).collect());
        let errors = seats().map(|seat| mean(&|view| view.error(seat))).collect();
        Ok(Stop { step, values, errors, choices })
    }

    /// Returns the judgement of a choice, and the standing before it, by what the seat that made it knew.
    fn judged(
        &self,
        at: &Match,
        entry: &Entry,
        asked: (&dyn Clock, bool),
    ) -> Result<(ReviewedChoice, Option<Standing>), Refused> {
        let seen = Seen::of(at, entry.player).map_err(|fault| at.broken(&fault))?;
        let mut rng = self.rng(at, entry);
        let first = self.looked_at((at, entry, &seen), self.effort, asked, &mut rng)?;
        self.confirmed(first, (at, entry, &seen), asked, &mut rng)
    }

    /// Returns the stream of random numbers for a choice.
    fn rng(&self, at: &Match, entry: &Entry) -> Rng {
        Rng::nth(Rng::sub_seed(self.seed, entry.player as u64), at.depth() as u64)
    }

    /// Judges a choice that seems to be a turning point again, with twice the effort and different playouts, because some of many
    /// choices seem so by chance. Returns the judgement of any other as it is.
    fn confirmed(
        &self,
        first: (ReviewedChoice, Option<Standing>),
        choice: (&Match, &Entry, &Seen),
        asked: (&dyn Clock, bool),
        rng: &mut Rng,
    ) -> Result<(ReviewedChoice, Option<Standing>), Refused> {
        match !first.0.is_turning() || first.0.is_certain() {
            true => Ok(first),
            false => self.looked_at(choice, self.effort.times(2), asked, rng),
        }
    }

    /// Judges a choice once.
    fn looked_at(
        &self,
        (at, entry, seen): (&Match, &Entry, &Seen),
        effort: Effort,
        (clock, tested): (&dyn Clock, bool),
        rng: &mut Rng,
    ) -> Result<(ReviewedChoice, Option<Standing>), Refused> {
        let advice = match self.mind.advise_exactly(seen, ExactWay::BySolution, clock, rng) {
            Ok(Some(advice)) => Ok(advice),
            Ok(None) => self.mind.advise(seen, Bot::Auto(effort), clock, rng),
            Err(silent) => Err(silent),
        };
        match advice {
            Ok(advice) => self.judged_by((at, entry, seen), advice, effort, (clock, tested), rng),
            Err(NoAdvice::Broken(fault)) => Err(at.broken(&fault)),
            Err(_) => Ok((ReviewedChoice::unjudged(at, entry), None)),
        }
    }

    /// Judges a choice by advice on it, with an effort for what the advice does not tell.
    fn judged_by(
        &self,
        (at, entry, seen): (&Match, &Entry, &Seen),
        advice: Advice,
        effort: Effort,
        (clock, tested): (&dyn Clock, bool),
        rng: &mut Rng,
    ) -> Result<(ReviewedChoice, Option<Standing>), Refused> {
        let mut unjudged = ReviewedChoice::unjudged(at, entry);
        let broken = |fault: Fault| at.broken(&fault);
        let Some(chosen) = chosen_of(at, entry).map_err(broken)? else { return Ok((unjudged, None)) };
        let mut look = |only: Option<&Chosen>| match self.mind.weigh(seen, only, effort, clock, rng) {
            Ok(standing) => Ok(Some(standing)),
            Err(NoAdvice::Broken(fault)) => Err(broken(fault)),
            Err(_) => Ok(None),
        };
        let (seat, measure) = (entry.player - 1, unjudged.measure);
        unjudged.by_equilibrium = advice.method == Method::Equilibrium;
        let known = |chosen: &Chosen| {
            let weighed = advice.moves.iter().find(|weighed| weighed.chosen == *chosen)?;
            let exact = weighed.is_exact();
            if exact { Standing::of(weighed, seat, at.machine()) } else { None }
        };
        if advice.is_mixed() || unjudged.by_equilibrium {
            let exact = Some(&advice).filter(|advice| advice.exact);
            let of_mix = exact.and_then(|advice| Standing::of_exact(advice, seat, at.machine()));
            let of_move = known(&chosen).filter(|_| of_mix.is_some());
            let mut played = if of_move.is_some() { of_move } else { look(Some(&chosen))? };
            let mut standing = if of_mix.is_some() { of_mix } else { look(None)? };
            if let Some(mix) = &standing {
                let balance = self.mind.balance((at, seen), None, (mix, tested), clock, rng)?;
                unjudged.rollouts = balance.rollouts();
                played.iter_mut().chain(&mut standing).for_each(|standing| balance.correct(standing));
            }
            let value = |standing: &Standing| MoveValue::of(standing, seat);
            // A move of the mix costs nothing, nor does one that gets more than the mix.
            let first = advice.moves.first().filter(|_| !advice.is_in_mix(&chosen));
            let first = first.filter(|_| match (&standing, &played) {
                (Some(mix), Some(played)) => measure.gain(mix.values[seat], played.values[seat]) > ROUNDING,
                _ => true,
            });
            let better = first.map(|first| at.rules.entry(seat, &first.chosen));
            let often = advice.mix.first().copied().unwrap_or_default();
            let mixed = advice.is_mixed();
            let left = played.clone().filter(|_| !mixed);
            let (played, best) = (played.as_ref().map(value), standing.as_ref().map(value));
            let judged = ReviewedChoice { played, better, best, left, mixed, often, ..unjudged };
            return Ok((judged, standing));
        }
        let mut weigh = |chosen: &Chosen| match known(chosen) {
            Some(standing) => Ok(Some(standing)),
            None => look(Some(chosen)),
        };
        let Some(mut played) = weigh(&chosen)? else { return Ok((unjudged, None)) };
        // Nothing is worth more than a move that is proved as good as any.
        let proved = if advice.exact { known(&advice.best) } else { None };
        if let Some(proved) = proved.filter(|_| !played.exact)
            && measure.gain(played.values[seat], proved.values[seat]) > 0.0
        {
            played.values.clone_from(&proved.values);
        }
        let worked_out = advice.exact
            || advice.method == Method::Exact
            || advice.moves.iter().all(MoveStats::is_exact)
                && at.some_legal(entry.player, advice.moves.len() + 1)?.0.len() == advice.moves.len();
        let mut better = None;
        let others =
            advice.moves.iter().map(|weighed| &weighed.chosen).filter(|other| **other != advice.best);
        for other in
            [&advice.best].into_iter().chain(others).filter(|other| **other != chosen).take(MOST_WEIGHED)
        {
            let Some(standing) = weigh(other)? else { continue };
            let exact = standing.exact;
            if measure.gain(standing.values[seat], played.values[seat]) > 0.0 {
                better = Some((other, standing));
            }
            // Where the advice was for a move that turned out to lose, another one may be better all the same.
            if better.is_some() || worked_out || !(exact && played.exact) {
                break;
            }
        }
        let (better, mut standing) = match better {
            Some((better, standing)) => (Some(better), standing),
            None => (None, played.clone()),
        };
        let best = better.unwrap_or(&chosen);
        let balance = self.mind.balance((at, seen), Some(best), (&standing, tested), clock, rng)?;
        [&mut standing, &mut played].into_iter().for_each(|standing| balance.correct(standing));
        let better = better.map(|better| at.rules.entry(seat, better));
        // What one move leads to for certain says all of a choice only if nothing can be better.
        standing.exact &= worked_out || measure == Measure::Share && standing.values[seat] == 1.0;
        let judged = ReviewedChoice {
            played: Some(MoveValue::of(&played, seat)),
            better,
            best: Some(MoveValue::of(&standing, seat)),
            left: Some(played),
            rollouts: balance.rollouts(),
            ..unjudged
        };
        Ok((judged, Some(standing)))
    }
}

/// Whether something was drawn in each step of a match, the first of which has the draws before the first choice.
fn drawn_steps(whole: &Match) -> Vec<bool> {
    whole.steps().map(|entries| entries.iter().any(|entry| entry.player == 0)).collect()
}

/// Returns a recorded choice as a [`Chosen`]; `None` if it is not legal in the match.
fn chosen_of(at: &Match, entry: &Entry) -> Result<Option<Chosen>, Fault> {
    let (machine, position) = (at.machine(), at.position());
    let values: Vec<Value> = entry.args.iter().map(|(_, value)| value.clone()).collect();
    for mv in offered(machine, position) {
        if machine.game.moves[mv].name == entry.name
            && let Ok(chosen) = machine.judge(position, entry.player - 1, mv, &values)?
        {
            return Ok(Some(chosen));
        }
    }
    Ok(None)
}

impl Review {
    /// Combines reviewed steps into a review.
    pub fn of(reviewer: &Reviewer, stops: Vec<Stop>) -> Review {
        let whole = reviewer.whole;
        let (measure, interests) = (Measure::of(whole.machine()), whole.machine().interests);
        let reached = whole.over() && stops.len() == whole.depth();
        let end = match measure {
            Measure::Share => {
                let winners: Vec<usize> = whole.winners().iter().map(|player| player - 1).collect();
                Some(Standing::certain(Proof::of(&winners, interests), whole.players()).values)
            }
            Measure::Score { .. } => {
                let scores = whole.scores().ok().flatten();
                scores.map(|scores| scores.iter().map(Int::to_f64).collect())
            }
        };
        let hidden = !is_open(&whole.machine().game);
        let drawn_last = stops.last().is_some_and(|stop| drawn_steps(whole).get(stop.step) == Some(&true));
        let mut review = Review { stops, end: end.filter(|_| reached), measure, hidden, drawn_last };
        if !hidden {
            review.carry_back(whole);
        }
        review
    }

    /// Whether it is certain of each choice what it was worth.
    pub fn is_certain(&self) -> bool {
        self.stops.iter().flat_map(|stop| &stop.choices).all(ReviewedChoice::is_certain)
    }

    /// Returns the choices that turned the match, with their step numbers, most costly first.
    pub fn turning_points(&self) -> Vec<(usize, &ReviewedChoice)> {
        let each = self.stops.iter().flat_map(|stop| stop.choices.iter().map(|judged| (stop.step, judged)));
        let mut turning: Vec<(usize, &ReviewedChoice)> =
            each.filter(|(_, judged)| judged.is_turning()).collect();
        turning.sort_by(|(_, a), (_, b)| b.cost().total_cmp(&a.cost()));
        turning
    }

    /// Returns the standings before each step, and after the last one: the step number and each seat's value. Steps
    /// without values are skipped. Where something is hidden, each seat's value is what it thought itself when it last chose;
    /// `None` before it has.
    pub fn curve(&self) -> Vec<(usize, Vec<Option<f64>>)> {
        let known = |values: &[f64]| values.iter().copied().map(Some).collect::<Vec<_>>();
        let mut own: Vec<Option<f64>> = Vec::new();
        let stops = self.stops.iter().filter_map(|stop| {
            let values = stop.values.as_ref()?;
            if !self.hidden {
                return Some((stop.step, known(values)));
            }
            own.resize(values.len(), None);
            for judged in &stop.choices {
                if let Some(best) = &judged.best {
                    own[judged.entry.player - 1] = Some(best.value);
                }
            }
            Some((stop.step, own.clone()))
        });
        let left = match self.stops.last().map(|stop| stop.choices.as_slice()) {
            Some([judged]) if !self.drawn_last => judged.left.as_ref().map(|left| &left.values),
            _ => None,
        };
        let last = self.end.as_ref().or(left).map(|values| (self.stops.len() + 1, known(values)));
        stops.chain(last).collect()
    }

    /// Returns what each seat's mistakes cost it in all, as shares of the win or in points, beyond sampling error.
    pub fn costs(&self, seats: usize) -> Vec<f64> {
        let mut costs = vec![0.0; seats];
        for judged in self.stops.iter().flat_map(|stop| &stop.choices) {
            costs[judged.entry.player - 1] += judged.sure_cost();
        }
        costs
    }
}

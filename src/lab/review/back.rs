//! What is known of later steps, carried back to the choices that led there.

use super::{LEAST_SHARE, MOST_WEIGHED, MoveValue, Review, ReviewedChoice, Reviewer, Stop, drawn_steps};
use crate::bots::{Bot, Clock, ExactWay, Measure, NoAdvice, Proof, Standing, is_open};
use crate::play::{Match, Refused, Rng, Seen};
use crate::solve::Knowledge;

/// How many positions are looked at to work out what a choice threw away after which a worse end was certain.
const SEARCHED_BACK: u64 = 200_000;

/// The same by a search that finds only who wins, which looks at fewer of them, and knows what it found of later positions.
const SEARCHED_FOR_WINNER: u64 = 1 << 21;

/// How many choices may take too many positions before no earlier ones are judged again: they hardly take fewer.
const MOST_IN_VAIN: usize = 2;

/// How many positions are looked at to work out what a single other move leads to, and who wins where nothing seems to be thrown
/// away.
const SEARCHED_ONE: u64 = 1 << 20;

impl Reviewer<'_> {
    /// Judges choices again, from the last on, with more effort: those that led from an estimate to something worse that is certain, to
    /// work out what they threw away, and, where searches can prove who wins, all of which that is not known: what is proved
    /// of later positions helps to prove earlier ones. Stops when some have taken too many positions.
    pub(super) fn search_back(&self, stops: &mut [Stop], clock: &(dyn Clock + Sync)) -> Result<(), Refused> {
        if !is_open(&self.whole.machine().game) || stops.len() < self.whole.depth() {
            return Ok(());
        }
        let (mut in_vain, mut knowledge) = (0, Knowledge::default());
        for number in (1..=stops.len()).rev() {
            let [judged] = stops[number - 1].choices.as_slice() else { continue };
            let Some(best) = &judged.best else { continue };
            let next = stops.get(number);
            let certain = next.is_some_and(|next| match next.choices.as_slice() {
                [next] => next.best.as_ref().is_some_and(|next| next.exact),
                _ => false,
            });
            let seat = judged.entry.player - 1;
            let after = next.and_then(|next| Some(next.values.as_ref()?[seat]));
            let threw_away =
                certain && after.is_some_and(|after| judged.measure.gain(best.value, after) >= LEAST_SHARE);
            if best.exact || judged.mixed || clock.must_stop() || !threw_away && !self.mind.can_prove() {
                continue;
            }
            let (at, entry) = (self.before(number), judged.entry.clone());
            let seen = Seen::of(&at, entry.player).map_err(|fault| at.broken(&fault))?;
            let mut rng = Rng::nth(Rng::sub_seed(self.seed, entry.player as u64), at.depth() as u64);
            let to_the_end = ExactWay::ToTheEnd { positions: SEARCHED_BACK };
            let mut found = Ok(None);
            if threw_away {
                found = self.mind.advise_exactly(&seen, to_the_end, clock, &mut rng);
            }
            if let Ok(None) = found {
                let most = if threw_away { SEARCHED_FOR_WINNER } else { SEARCHED_ONE };
                found = self.mind.advise_by_proof(&seen, (&mut knowledge, most), clock, &mut rng);
            }
            let exact = match found {
                Ok(exact) => exact,
                Err(NoAdvice::Broken(fault)) => return Err(at.broken(&fault)),
                Err(_) => None,
            };
            let Some(exact) = exact else {
                if threw_away {
                    let after = stops[number].standing();
                    self.try_others((&at, &seen), after, &mut stops[number - 1], clock, &mut rng)?;
                }
                in_vain += 1;
                if in_vain == MOST_IN_VAIN {
                    break;
                }
                continue;
            };
            let (judged, standing) =
                self.judged_by((&at, &entry, &seen), exact, self.effort, (clock, false), &mut rng)?;
            stops[number - 1].set(judged, standing);
        }
        Ok(())
    }

    /// Works out what the moves lead to that seem best in place of one after which `after` was certain: a search that took that one
    /// for better than it was may be as wrong about the others. If the first few are no better, none is called better.
    fn try_others(
        &self,
        (at, seen): (&Match, &Seen),
        after: Option<Standing>,
        stop: &mut Stop,
        clock: &(dyn Clock + Sync),
        rng: &mut Rng,
    ) -> Result<(), Refused> {
        let ([judged], Some(after)) = (stop.choices.as_slice(), after) else { return Ok(()) };
        let (seat, measure) = (judged.entry.player - 1, judged.measure);
        let Ok(advice) = self.mind.advise(seen, Bot::Auto(self.effort), clock, rng) else { return Ok(()) };
        let others = advice.moves.iter().map(|weighed| at.rules.entry(seat, &weighed.chosen));
        let better = judged.better.clone();
        let others: Vec<_> = better.iter().cloned().chain(others).collect();
        let mut tried = vec![judged.entry.clone()];
        for other in others {
            if tried.contains(&other) {
                continue;
            }
            if tried.len() > MOST_WEIGHED {
                break;
            }
            let mut then = at.clone();
            if clock.must_stop() || then.make(&other).is_err() {
                return Ok(());
            }
            let &[next] = then.to_move().as_slice() else { return Ok(()) };
            let known = Seen::of(&then, next).map_err(|fault| then.broken(&fault))?;
            let to_the_end = ExactWay::ToTheEnd { positions: SEARCHED_ONE };
            let exact = match self.mind.advise_exactly(&known, to_the_end, clock, rng) {
                Ok(exact) => exact,
                Err(NoAdvice::Broken(fault)) => return Err(then.broken(&fault)),
                Err(_) => None,
            };
            let best = exact.as_ref().and_then(|exact| exact.moves.iter().find(|of| of.chosen == exact.best));
            let Some(left) = best.and_then(|best| Standing::of(best, next - 1, then.machine())) else {
                return Ok(());
            };
            if measure.gain(left.values[seat], after.values[seat]) > 0.0 {
                return Ok(());
            }
            tried.push(other);
        }
        let mut judged = judged.clone();
        let played = MoveValue { end: after.end.map(Proof::before), ..MoveValue::of(&after, seat) };
        (judged.better, judged.left) = (None, Some(after.clone()));
        (judged.best, judged.played) = (Some(MoveValue { exact: false, ..played.clone() }), Some(played));
        stop.set(judged, Some(after));
        Ok(())
    }
}

impl Stop {
    /// Returns what is certain of the position before its only choice.
    fn standing(&self) -> Option<Standing> {
        let [judged] = self.choices.as_slice() else { return None };
        let best = judged.best.as_ref().filter(|best| best.exact)?;
        let standing = Standing::exactly(self.values.clone()?, judged.measure);
        Some(Standing { end: best.end, ..standing })
    }
}

impl ReviewedChoice {
    /// Whether the estimate of the choice that was made was further from what it is known to be worth than from the estimate of
    /// the best one, which may be as wrong.
    fn is_refuted_by(&self, value: f64) -> bool {
        let (Some(best), Some(played)) = (&self.best, &self.played) else { return false };
        self.measure.gain(played.value, value) >= self.measure.gain(best.value, played.value)
    }
}

impl Review {
    /// Carries what is certain of a position back to the choice that led to it. A search that knew less may have taken the choice
    /// for better or worse than it was.
    pub(super) fn carry_back(&mut self, whole: &Match) {
        let drawn = drawn_steps(whole);
        let winners: Vec<usize> = whole.winners().iter().map(|player| player - 1).collect();
        let proof = (self.measure == Measure::Share).then(|| Proof::of(&winners, whole.machine().interests));
        let mut after = self.end.clone().map(|values| (values, proof));
        for stop in self.stops.iter_mut().rev() {
            let known = after.take().filter(|_| !drawn.get(stop.step).copied().unwrap_or(true));
            if let ([judged], Some((values, end))) = (stop.choices.as_mut_slice(), known)
                && !judged.mixed
            {
                let seat = judged.entry.player - 1;
                let value = values[seat];
                let played = MoveValue {
                    value,
                    interval: (value, value),
                    sampled: (value, value),
                    end: end.map(Proof::before),
                    exact: true,
                };
                // Nothing is better than to win for certain, and an estimate is not better than what is known to be more. But
                // the estimate of another move may be too high in the same way as that of this one was, so that a cost is
                // only certain if both values are.
                let best = judged.best.as_ref();
                let wins = self.measure == Measure::Share && value == 1.0;
                if wins || best.is_none_or(|best| self.measure.gain(best.value, value) <= 0.0) {
                    // Other moves than this one are known to be no better only if that was worked out before.
                    let exact = wins || judged.best.as_ref().is_some_and(|best| best.exact);
                    let best = MoveValue { exact, ..played.clone() };
                    (judged.better, judged.best, judged.played) = (None, Some(best), Some(played));
                    stop.errors = vec![0.0; values.len()];
                    stop.values = Some(values);
                } else if best.is_some_and(|best| best.exact) {
                    judged.played = Some(played);
                } else if judged.is_refuted_by(value) {
                    judged.played = Some(played);
                    judged.better = None;
                }
            }
            after = match stop.choices.as_slice() {
                [judged] if judged.best.as_ref().is_some_and(|best| best.exact) => {
                    stop.values.clone().map(|values| (values, judged.best.as_ref().and_then(|best| best.end)))
                }
                _ => None,
            };
        }
    }
}

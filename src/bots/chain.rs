//! Derives worlds from one another by small random changes (N. Metropolis and others, 1953), in the engine that bots think
//! with: a change is played through from where it is made, and given up at the first stop that looks different from what the
//! seat saw.

use std::sync::Arc;

use super::repair::{SampledMatch, hidden_entries, parts, pick, put_for, random_unit, undealt};
use super::steps::{EntryRule, Made, Steps, Stop, Wanted};
use crate::engine::Engine;
use crate::eval::{Fault, Position};
use crate::ir::Value;
use crate::num::Rng;
use crate::play::Seen;

/// A world that changes.
pub(super) struct Chain<'s, E: Engine + 's> {
    engine: &'s E,
    /// How many choices and draws the seat knows without a gap.
    known: usize,
    steps: Steps<'s, E>,
    /// The indices in the history of choices and draws that the seat does not know.
    hidden: Vec<usize>,
    /// The stops before each of the choices and draws after the known ones, and the last stop.
    stops: Vec<Stop<E::State>>,
    /// What was chosen or drawn there.
    made: Vec<Made>,
}

/// Changes by index in the history; `None` to draw something else at random.
type Changes = Vec<(usize, Option<Vec<Value>>)>;

impl<'s, E: Engine> Chain<'s, E> {
    /// Begins with a world that was found.
    pub fn new(
        engine: &'s E,
        seen: &'s Seen,
        rules: Arc<Vec<EntryRule>>,
        first: &SampledMatch<E::State>,
    ) -> Chain<'s, E> {
        let SampledMatch { known, stops, made } = first.clone();
        let steps = Steps::new(engine, seen, rules);
        Chain { engine, known, steps, hidden: hidden_entries(seen), stops, made }
    }

    /// Returns the last position in the form of the engine.
    pub fn state(&self) -> &E::State {
        self.stops[self.stops.len() - 1].state(self.engine)
    }

    /// Returns the last position.
    pub fn position(&self) -> &Position {
        self.stops[self.stops.len() - 1].position(self.engine)
    }

    /// Returns what was chosen and drawn after the known beginning.
    pub fn values(&self) -> Vec<Vec<Value>> {
        self.made.iter().map(|made| made.values.clone()).collect()
    }

    /// Tries a small change, which is made only if the world still looks the way the seat saw it, and with the probability that
    /// makes each world as likely as the rules do.
    pub fn change(&mut self, rng: &mut Rng) {
        // A change after which the rules fault leads to no possible world.
        let _ = self.try_change(rng);
    }

    fn try_change(&mut self, rng: &mut Rng) -> Result<(), Fault> {
        let Some((changes, anew)) = self.propose(rng) else { return Ok(()) };
        let known = self.known;
        let differs =
            |at: usize, values: &Option<Vec<Value>>| values.as_ref() != Some(&self.made[at - known].values);
        let changed = changes.iter().filter(|(at, values)| differs(*at, values));
        let Some(from) = changed.map(|(at, _)| at - known).min() else { return Ok(()) };
        let (mut stops, mut made): (Vec<Stop<E::State>>, Vec<Made>) = (Vec::new(), Vec::new());
        for at in from..self.made.len() {
            let wanted = match changes.iter().find(|(changed, _)| *changed == at + known) {
                None => Wanted::Same(&self.made[at]),
                Some((_, Some(values))) => Wanted::Values(values),
                Some((_, None)) => Wanted::Random,
            };
            let before = stops.last().unwrap_or(&self.stops[from]);
            let Some((stop, this)) = self.steps.play(before, at + known, &wanted, rng)? else {
                return Ok(());
            };
            stops.push(stop);
            made.push(this);
        }
        // The probability of the value drawn again cancels out; the other choices give the acceptance ratio.
        let skipped = usize::from(anew);
        let pairs = self.made[from + skipped..].iter().zip(&made[skipped..]);
        let odds: f64 = pairs.map(|(now, then)| now.ways / then.ways).product();
        if random_unit(rng) < odds {
            self.stops.truncate(from + 1);
            self.made.truncate(from);
            self.stops.append(&mut stops);
            self.made.append(&mut made);
        }
        Ok(())
    }

    /// Returns changes to try, and whether something is drawn at random.
    fn propose(&self, rng: &mut Rng) -> Option<(Changes, bool)> {
        let known = self.known;
        let deals = |at: &usize| self.steps.rules.get(*at - known).is_some_and(|rule| rule.deals);
        let at = self.hidden[pick(self.hidden.len(), rng)];
        let values = &self.made[at - known].values;
        match values.first() {
            // Usually exchanges one of the things that were dealt for another, dealt elsewhere or not at all. All are told apart, so
            // this leads back as often as it leads there.
            Some(value) if deals(&at) && pick(4, rng) > 0 => {
                let dealt = parts(value);
                let elsewhere = self.hidden.iter().filter(|other| **other != at && deals(other));
                let dealt_elsewhere = elsewhere.flat_map(|other| {
                    let values = &self.made[*other - known].values;
                    values.iter().flat_map(parts).map(|thing| (Some(*other), thing))
                });
                let left = undealt(self.engine.machine(), self.position());
                let others: Vec<(Option<usize>, Value)> =
                    dealt_elsewhere.chain(left.into_iter().map(|thing| (None, thing))).collect();
                if others.is_empty() || dealt.is_empty() {
                    return None;
                }
                let (own, (there, other)) =
                    (&dealt[pick(dealt.len(), rng)], &others[pick(others.len(), rng)]);
                let put = |at: usize, thing: &Value, other: &Value| {
                    let mut values = self.made[at - known].values.clone();
                    put_for(&mut values, thing, other);
                    (at, Some(values))
                };
                let there = there.map(|there| put(there, other, own));
                Some((std::iter::once(put(at, own, other)).chain(there).collect(), false))
            }
            // Usually swaps two elements of the list (such as a shuffled deck) instead of drawing it again.
            Some(Value::List(row)) if row.len() > 1 && pick(4, rng) > 0 => {
                let mut row = row.to_vec();
                let (one, other) = (pick(row.len(), rng), pick(row.len(), rng));
                row.swap(one, other);
                let mut values = values.clone();
                values[0] = Value::list(row);
                Some((vec![(at, Some(values))], false))
            }
            _ => Some((vec![(at, None)], true)),
        }
    }
}

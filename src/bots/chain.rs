//! Derives worlds from one another by small random changes (N. Metropolis and others, 1953; W. K. Hastings, 1970), in the engine that bots think
//! with: a change is played through from where it is made, and given up at the first stop that looks different from what the
//! seat saw.

use std::sync::Arc;

use super::repair::{SampledMatch, hidden_entries, pick, random_unit, undealt};
use super::steps::{EntryRule, Made, Steps, Stop, Takes, Wanted};
use crate::engine::Engine;
use crate::eval::{Fault, Position, elements};
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

/// A small change, by index in the history.
enum Change {
    /// To choose or draw something else at random.
    Anew(usize),
    /// To let two elements of a list change places.
    Swap(usize, usize, usize),
    /// To let chance take another thing out of a pile: where it was taken and its place there, and the other thing.
    Exchange { own: (usize, usize), other: Other },
}

/// What a thing that was taken out of a pile is exchanged for.
enum Other {
    /// Another one that was taken, by the index in the history and its place there.
    Taken((usize, usize)),
    /// One that was left.
    Left(Value),
}

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
        let Some(change) = self.propose(rng) else { return Ok(()) };
        let mut changes = self.values_after(&change);
        changes.extend(self.another(&changes, rng).map(|at| (at, None)));
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
        // The probability of what is drawn again cancels out; that of the rest gives the acceptance ratio, with how much more often
        // the change back would be proposed.
        let anew =
            |at: usize| changes.iter().any(|(changed, values)| *changed == at + known && values.is_none());
        let pairs = (from..).zip(self.made[from..].iter().zip(&made)).filter(|(at, _)| !anew(*at));
        let odds: f64 = pairs.map(|(_, (now, then))| now.ways / then.ways).product();
        if random_unit(rng) < odds * self.back_and_forth(&change, stops.last()) {
            self.stops.truncate(from + 1);
            self.made.truncate(from);
            self.stops.append(&mut stops);
            self.made.append(&mut made);
        }
        Ok(())
    }

    /// Returns a change to try.
    fn propose(&self, rng: &mut Rng) -> Option<Change> {
        let at = self.hidden[pick(self.hidden.len(), rng)];
        let takes = self.takes(at);
        if takes != Takes::Nothing && pick(4, rng) > 0 {
            // Usually exchanges one of the things that were taken out of a pile for another, taken elsewhere or left there.
            let (own, left) = (self.things(at), self.left());
            let others = self.taken_elsewhere(at).count() + left.len();
            if own.is_empty() || others == 0 {
                return None;
            }
            let (own, other) = (pick(own.len(), rng), pick(others, rng));
            let other = match self.taken_elsewhere(at).nth(other) {
                Some(place) => Other::Taken(place),
                None => Other::Left(left[other - self.taken_elsewhere(at).count()].clone()),
            };
            return Some(Change::Exchange { own: (at, own), other });
        }
        match self.made[at - self.known].values.first() {
            // Usually swaps two elements of the list (such as a shuffled deck) instead of drawing it again.
            Some(Value::List(row)) if takes != Takes::One && row.len() > 1 && pick(4, rng) > 0 => {
                Some(Change::Swap(at, pick(row.len(), rng), pick(row.len(), rng)))
            }
            _ => Some(Change::Anew(at)),
        }
    }

    /// Returns, now and then, another choice or draw that is made anew together with a change: what was chosen may have been
    /// possible only because of what is changed.
    fn another(&self, changes: &[(usize, Option<Vec<Value>>)], rng: &mut Rng) -> Option<usize> {
        if self.hidden.len() < 2 || pick(2, rng) > 0 {
            return None;
        }
        let at = self.hidden[pick(self.hidden.len(), rng)];
        let is_other = changes.iter().all(|(changed, _)| *changed != at);
        (is_other && self.steps.is_one_move(at)).then_some(at)
    }

    /// Returns what is to be chosen or drawn, by index in the history; `None` for something at random.
    fn values_after(&self, change: &Change) -> Vec<(usize, Option<Vec<Value>>)> {
        let put = |(at, place): (usize, usize), thing: Value| {
            let mut values = self.made[at - self.known].values.clone();
            match (self.takes(at), &values[0]) {
                (Takes::Several, Value::List(row)) => {
                    let mut row = row.to_vec();
                    row[place] = thing;
                    values[0] = Value::list(row);
                }
                _ => values[0] = thing,
            }
            (at, Some(values))
        };
        match change {
            Change::Anew(at) => vec![(*at, None)],
            Change::Swap(at, one, other) => {
                let mut values = self.made[at - self.known].values.clone();
                let mut row = elements(&values[0]);
                row.swap(*one, *other);
                values[0] = Value::list(row);
                vec![(*at, Some(values))]
            }
            Change::Exchange { own, other: Other::Left(thing) } => vec![put(*own, thing.clone())],
            Change::Exchange { own, other: Other::Taken(other) } => {
                vec![put(*own, self.thing(*other)), put(*other, self.thing(*own))]
            }
        }
    }

    /// Returns how much more often the opposite of a change is proposed in the world that it leads to than the change in this one.
    fn back_and_forth(&self, change: &Change, after: Option<&Stop<E::State>>) -> f64 {
        let Change::Exchange { own, other } = change else { return 1.0 };
        let left = |position: &Position| undealt(self.engine.machine(), position);
        let (left, left_then) =
            (self.left(), after.map_or(Vec::new(), |stop| left(stop.position(self.engine))));
        let often = |at: usize, left: &[Value]| {
            1.0 / (self.things(at).len() * (self.taken_elsewhere(at).count() + left.len())) as f64
        };
        let copies = |thing: &Value, left: &[Value]| left.iter().filter(|one| *one == thing).count() as f64;
        match other {
            // Two things that were taken are exchanged from either side.
            Other::Taken(other) => {
                let both = |left: &[Value]| often(own.0, left) + often(other.0, left);
                both(&left_then) / both(&left)
            }
            Other::Left(thing) => {
                let back = copies(&self.thing(*own), &left_then) * often(own.0, &left_then);
                back / (copies(thing, &left) * often(own.0, &left))
            }
        }
    }

    /// Returns what chance takes out of a pile at an index of the history.
    fn takes(&self, at: usize) -> Takes {
        self.steps.rules.get(at - self.known).map_or(Takes::Nothing, |rule| rule.takes)
    }

    /// Returns the things that were taken out of a pile at an index of the history.
    fn things(&self, at: usize) -> Vec<Value> {
        let values = &self.made[at - self.known].values;
        match (self.takes(at), values.first()) {
            (Takes::Several, Some(list)) => elements(list),
            (Takes::One, Some(thing)) => vec![thing.clone()],
            _ => Vec::new(),
        }
    }

    /// Returns a thing by the index in the history at which it was taken, and its place there.
    fn thing(&self, (at, place): (usize, usize)) -> Value {
        self.things(at).swap_remove(place)
    }

    /// Returns the things taken elsewhere that the seat does not know, by the index in the history and their place there.
    fn taken_elsewhere(&self, at: usize) -> impl Iterator<Item = (usize, usize)> {
        let others = self.hidden.iter().filter(move |other| **other != at);
        others.flat_map(|other| (0..self.things(*other).len()).map(|place| (*other, place)))
    }

    /// Returns what nobody has taken.
    fn left(&self) -> Vec<Value> {
        undealt(self.engine.machine(), self.position())
    }
}

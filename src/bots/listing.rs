//! Lists all worlds that a seat may be in, if they are few: hidden choices and draws are enumerated one after
//! the other, and branches that do not look the way the seat saw the match are dropped at once. A listing is kept from
//! one choice of a match to the next.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::repair::{WorldSearch, random_unit};
use super::steps::{EntryRule, Followed, Steps, Stop};
use crate::engine::Engine;
use crate::eval::{Fault, Position};
use crate::ir::Value;
use crate::num::{Int, Rng};
use crate::play::{KnownEntry, Perceived, Seen, apply_choice, matches_perception, try_apply};

/// The most worlds that are kept at a time, and the most steps that are played for them.
const MOST: usize = 8_000;
const MOST_STEPS: usize = 60_000;

/// How many worlds are looked for if they are too many.
pub(super) const FOUND: usize = 3;

/// How many branches must be followed to tell from them how many worlds there will be.
const SURE_AFTER: usize = 16;

/// A world, or the beginning of one.
#[derive(Debug, Clone)]
pub(super) struct Branch<S> {
    /// The current stop.
    pub stop: Stop<S>,
    /// What was chosen and drawn after the known beginning of the match.
    pub values: Vec<Vec<Value>>,
    /// Its probability, relative to the other branches.
    pub weight: f64,
}

/// All worlds that a seat may be in, as far as it has followed the match.
#[derive(Debug, Clone)]
pub(super) struct Listing<S> {
    /// The worlds; `None` if there are too many.
    branches: Option<Vec<Branch<S>>>,
    /// Some of them, if there are too many.
    pub found: Vec<WorldSearch<S>>,
    /// How choices and draws are made in the engine.
    pub rules: Arc<Vec<EntryRule>>,
    /// The total weight of the branches.
    weight: f64,
    /// The steps that were played for them.
    steps: usize,
    /// What the seat knew of the match as far as it was followed: see [`Seen`].
    known: usize,
    history: Vec<KnownEntry>,
    perceived: Vec<Option<Perceived>>,
}

impl<S: Clone> Listing<S> {
    /// Lists the worlds of a seat that knows this.
    pub fn of<E: Engine<State = S>>(engine: &E, seen: &Seen) -> Listing<S> {
        let mut listing = Listing::at_trunk(seen);
        listing.follow(engine, seen);
        listing
    }

    /// The same, as if there were too many.
    #[cfg(test)]
    pub fn unlisted<E: Engine<State = S>>(engine: &E, seen: &Seen) -> Listing<S> {
        let mut listing = Listing { branches: None, ..Listing::at_trunk(seen) };
        listing.follow(engine, seen);
        listing
    }

    /// Starts where the seat still knows everything.
    fn at_trunk(seen: &Seen) -> Listing<S> {
        let first = Branch { stop: Stop::at(seen.trunk.clone()), values: Vec::new(), weight: 1.0 };
        Listing {
            branches: Some(vec![first]),
            found: Vec::new(),
            rules: Arc::default(),
            weight: 1.0,
            steps: 0,
            known: seen.known,
            history: seen.history[..seen.known].to_vec(),
            perceived: seen.perceived[..=seen.known].to_vec(),
        }
    }

    /// Follows the match to what the seat knows now. Starts over if that is not how the match followed so far goes on, or
    /// if the seat has learned since what led to it. The result is the same either way.
    pub fn follow<E: Engine<State = S>>(&mut self, engine: &E, seen: &Seen) {
        let goes_on = self.known == seen.known
            && seen.history.starts_with(&self.history)
            && seen.perceived.starts_with(&self.perceived);
        if !goes_on {
            *self = Listing::at_trunk(seen);
        }
        let mut steps = Steps::new(engine, seen, std::mem::take(&mut self.rules));
        for at in self.history.len()..seen.history.len() {
            let Some(branches) = self.branches.take() else { break };
            self.branches = self.next(engine, seen, &mut steps, at, &branches);
        }
        if self.branches.is_none() {
            if self.found.is_empty() {
                self.found = (0..FOUND as u64).map(|number| WorldSearch::new(seen, number)).collect();
            }
            for search in &mut self.found {
                search.follow(engine, seen, &mut steps);
                // What one does not find in many tries, others hardly find either.
                if search.world(seen).is_none() {
                    break;
                }
            }
        }
        self.rules = steps.rules;
        self.history.extend_from_slice(&seen.history[self.history.len()..]);
        self.perceived.extend_from_slice(&seen.perceived[self.perceived.len()..]);
        self.weight = self.branches.iter().flatten().map(|branch| branch.weight).sum();
    }

    /// Returns the worlds after entry `at` of the history; `None` if there are too many.
    fn next<E: Engine<State = S>>(
        &mut self,
        engine: &E,
        seen: &Seen,
        steps: &mut Steps<E>,
        at: usize,
        branches: &[Branch<S>],
    ) -> Option<Vec<Branch<S>>> {
        let mut next = Vec::new();
        for (followed_so_far, branch) in branches.iter().enumerate() {
            // The branches followed so far tell whether there will be too many.
            let expected = next.len() * branches.len() / followed_so_far.max(1);
            if followed_so_far >= SURE_AFTER && expected > MOST {
                return None;
            }
            let room = MOST - next.len();
            let mut add = |stop: Stop<S>, values: Vec<Value>, likely: f64| {
                let values = branch.values.iter().cloned().chain([values]).collect();
                next.push(Branch { stop, values, weight: branch.weight * likely });
            };
            // A branch in which the rules fault is not a possible world.
            let followed = match steps.each(&branch.stop, at, room, &mut add).unwrap_or(Followed::Tried(1)) {
                Followed::Tried(tried) => tried,
                Followed::TooMany => return None,
                Followed::ByReference => {
                    let position = branch.stop.position(engine);
                    let tried =
                        each_by_reference(position, seen, at, room, &mut |position, values, likely| {
                            add(Stop::at(position), values, likely);
                        });
                    tried.unwrap_or(Some(1))?
                }
            };
            if let Some(first) = next.first() {
                steps.learn(&branch.stop, &first.stop, at);
            }
            self.steps += followed;
            if self.steps > MOST_STEPS {
                return None;
            }
        }
        Some(next)
    }

    /// Returns all worlds; `None` if there are too many.
    pub fn worlds(&self) -> Option<&[Branch<S>]> {
        self.branches.as_deref()
    }

    /// Draws a branch with probability proportional to its weight.
    pub fn draw(&self, rng: &mut Rng) -> Option<&Branch<S>> {
        let branches = self.worlds()?;
        if let [only] = branches {
            return Some(only);
        }
        let mut left = random_unit(rng) * self.weight;
        let mut taken = None;
        for branch in branches {
            taken = Some(branch);
            left -= branch.weight;
            if left < 0.0 {
                break;
            }
        }
        taken
    }
}

/// Calls `add` with each way in which entry `at` of the history may have been made so that it looks right, with the position after
/// it and its probability. Returns how many were tried; `None` if there are more than `room`.
fn each_by_reference(
    before: &Position,
    seen: &Seen,
    at: usize,
    room: usize,
    add: &mut dyn FnMut(Position, Vec<Value>, f64),
) -> Result<Option<usize>, Fault> {
    let KnownEntry { seat, name, values } = &seen.history[at];
    let machine = &seen.machine;
    let mut add = |position: Position, values: Vec<Value>, ways: usize| -> Result<(), Fault> {
        if matches_perception(machine, seen.seat, &position, &seen.perceived[at + 1])? {
            add(position, values, 1.0 / ways as f64);
        }
        Ok(())
    };
    if let Some(values) = values {
        let mut position = before.clone();
        if room == 0 {
            return Ok(None);
        }
        if matches!(try_apply(machine, &mut position, *seat, name, values), Ok(true)) {
            add(position, values.clone(), 1)?;
        }
        return Ok(Some(1));
    }
    let fits = |count: Option<Int>| count.and_then(|count| count.as_usize()).filter(|n| *n <= room);
    let Some(seat) = *seat else {
        let Some(chance) = machine.chance(before) else { return Ok(Some(1)) };
        let dom = machine.outcomes(before)?;
        let Some(ways) = fits(dom.count(chance.span)?) else { return Ok(None) };
        for n in 0..ways {
            let (value, mut position) = (dom.at(&Int::from(n)), before.clone());
            if matches!(try_apply(machine, &mut position, None, name, std::slice::from_ref(&value)), Ok(true))
            {
                add(position, vec![value], ways)?;
            }
        }
        return Ok(Some(ways));
    };
    let Some(choice) = machine.choice(before) else { return Ok(Some(1)) };
    let Some(ways) = fits(machine.ask(before, |env| env.count_legal(choice, seat))?) else {
        return Ok(None);
    };
    let mut rows = Vec::with_capacity(ways);
    machine.ask(before, |env| {
        env.each_legal(choice, seat, false, &mut |chosen| {
            rows.push(chosen);
            ControlFlow::Continue(())
        })
    })?;
    rows.retain(|chosen| machine.game.moves[chosen.mv].name == *name);
    for chosen in rows {
        let (values, mut position) = (chosen.args.clone(), before.clone());
        if apply_choice(machine, &mut position, seat, chosen).is_ok() {
            add(position, values, ways)?;
        }
    }
    Ok(Some(ways))
}

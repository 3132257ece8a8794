//! Lists all worlds that a seat may be in, if they are few: hidden choices and draws are enumerated one after
//! the other, and branches that do not look the way the seat saw the match are dropped at once. A listing is kept for other
//! questions about the same choice, and from one choice of a match to the next: see [`Listings`](super::listings::Listings).

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::repair::{WorldSearch, random_unit, ways_to_happen};
use super::steps::{EntryRule, FirstDraw, Followed, Steps, Stop};
use crate::engine::Engine;
use crate::eval::{Fault, Position, tally};
use crate::ir::Value;
use crate::num::{Int, Rng};
use crate::play::{KnownEntry, Perceived, Seen, apply_choice, matches_perception, try_apply};

/// The most worlds that are kept at a time, and the most steps that are played for them.
const MOST: usize = 8_000;
const MOST_STEPS: usize = 60_000;

/// How many worlds are looked for if they are too many.
pub(super) const FOUND: usize = 3;

/// If all branches are less likely than this, all weights are multiplied by so much that sums of them stay exact.
const UNLIKELY: f64 = 1e-150;

/// How many branches must be followed to tell from them how many worlds there will be.
const SURE_AFTER: usize = 16;

/// A world, or the beginning of one.
#[derive(Debug, Clone)]
pub(super) struct Branch<S> {
    /// The current stop.
    pub stop: Stop<S>,
    /// What was chosen and drawn without the seat's knowledge.
    hidden: Option<Arc<Hidden>>,
    /// Its probability, relative to the other branches.
    pub weight: f64,
}

/// What was chosen or drawn last without the seat's knowledge, and before that; branches with the same beginning share it.
#[derive(Debug)]
struct Hidden {
    values: Vec<Value>,
    before: Option<Arc<Hidden>>,
}

impl<S> Branch<S> {
    /// Returns what was chosen and drawn after the known beginning of the match.
    pub fn values(&self, seen: &Seen) -> Vec<Vec<Value>> {
        let mut hidden = self.hidden.as_ref();
        let backwards = seen.history[seen.known..].iter().rev().map(|happened| match &happened.values {
            Some(values) => values.clone(),
            None => {
                let last = hidden.expect("a branch has all that the seat does not know");
                hidden = last.before.as_ref();
                last.values.clone()
            }
        });
        let mut values: Vec<Vec<Value>> = backwards.collect();
        values.reverse();
        values
    }
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
    /// The seat, and what it knew of the match as far as it was followed: see [`Seen`].
    seat: Option<usize>,
    known: usize,
    history: Vec<KnownEntry>,
    perceived: Vec<Option<Perceived>>,
}

impl<S: Clone> Listing<S> {
    /// Lists the worlds of a seat that knows this.
    pub fn of<E: Engine<State = S>>(engine: &E, seen: &Seen) -> Listing<S> {
        Listing::from_first(engine, seen, &FirstDraw::default())
    }

    /// The same, given what may be kept of the first draw.
    pub fn from_first<E: Engine<State = S>>(engine: &E, seen: &Seen, first: &FirstDraw<S>) -> Listing<S> {
        Listing::at_trunk(seen).continued_from(engine, seen, first)
    }

    /// The same, as if there were too many.
    #[cfg(test)]
    pub fn unlisted<E: Engine<State = S>>(engine: &E, seen: &Seen) -> Listing<S> {
        Listing { branches: None, ..Listing::at_trunk(seen) }.continued(engine, seen)
    }

    /// Starts where the seat still knows everything.
    fn at_trunk(seen: &Seen) -> Listing<S> {
        let first = Branch { stop: Stop::at(seen.trunk.clone()), hidden: None, weight: 1.0 };
        Listing {
            branches: Some(vec![first]),
            found: Vec::new(),
            rules: Arc::default(),
            weight: 1.0,
            steps: 0,
            seat: seen.seat,
            known: seen.known,
            history: seen.history[..seen.known].to_vec(),
            perceived: seen.perceived[..=seen.known].to_vec(),
        }
    }

    /// Returns how many entries of the history the seat had seen when the worlds were listed, if what it has seen since goes on
    /// from there, and it has learned nothing since of what led there.
    pub fn followed(&self, seen: &Seen) -> Option<usize> {
        let goes_on = self.seat == seen.seat
            && self.known == seen.known
            && seen.history.starts_with(&self.history)
            && seen.perceived.starts_with(&self.perceived);
        goes_on.then_some(self.history.len())
    }

    /// Returns the worlds of the seat when it knows this, which must go on from what it knew: see [`Listing::followed`]. They are
    /// the same as if they were listed from the start.
    pub fn continued<E: Engine<State = S>>(&self, engine: &E, seen: &Seen) -> Listing<S> {
        self.continued_from(engine, seen, &FirstDraw::default())
    }

    fn continued_from<E: Engine<State = S>>(
        &self,
        engine: &E,
        seen: &Seen,
        first: &FirstDraw<S>,
    ) -> Listing<S> {
        let mut next = Listing {
            branches: None,
            found: self.found.clone(),
            rules: self.rules.clone(),
            history: seen.history.clone(),
            perceived: seen.perceived.clone(),
            ..*self
        };
        let mut steps = Steps::new(engine, seen, std::mem::take(&mut next.rules));
        let mut branches = self.branches.as_deref().map(Cow::Borrowed);
        for at in self.history.len()..seen.history.len() {
            let Some(before) = branches.take() else { break };
            branches = next.next(engine, seen, (&mut steps, first), at, &before).map(Cow::Owned);
        }
        next.branches = branches.map(Cow::into_owned);
        if next.branches.is_none() {
            if next.found.is_empty() {
                next.found = (0..FOUND as u64).map(|number| WorldSearch::new(seen, number)).collect();
            }
            for search in &mut next.found {
                search.follow(engine, seen, &mut steps);
                // What one does not find in many tries, others hardly find either.
                if search.world(seen).is_none() {
                    break;
                }
            }
        }
        next.rules = steps.rules;
        next.weight = next.branches.iter().flatten().map(|branch| branch.weight).sum();
        next
    }

    /// Returns the worlds after entry `at` of the history; `None` if there are too many.
    fn next<E: Engine<State = S>>(
        &mut self,
        engine: &E,
        seen: &Seen,
        (steps, first): (&mut Steps<E>, &FirstDraw<S>),
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
                let hidden = match seen.history[at].values {
                    Some(_) => branch.hidden.clone(),
                    None => Some(Arc::new(Hidden { values, before: branch.hidden.clone() })),
                };
                next.push(Branch { stop, hidden, weight: branch.weight * likely });
            };
            let mut each = |steps: &mut Steps<E>| {
                steps.each(&branch.stop, at, (room, first), &mut add).unwrap_or(Followed::Tried(1))
            };
            let mut followed = each(steps);
            if followed == Followed::ByReference && !steps.knows_rule(at) {
                // The first way that looks right tells the engine what to look for in all others.
                let mut learn = |position: Position, _: Vec<Value>, _: f64| {
                    steps.learn(&branch.stop, &Stop::at(position), at);
                    ControlFlow::Break(())
                };
                let _ = each_by_reference(branch.stop.position(engine), seen, at, (room, false), &mut learn);
                followed = each(steps);
            }
            let followed = match followed {
                Followed::Tried(tried) => tried,
                Followed::TooMany => return None,
                Followed::ByReference => {
                    let position = branch.stop.position(engine);
                    let tried = each_by_reference(
                        position,
                        seen,
                        at,
                        (room, true),
                        &mut |position, values, likely| {
                            add(Stop::at(position), values, likely);
                            ControlFlow::Continue(())
                        },
                    );
                    tried.unwrap_or(Some(1))?
                }
            };
            self.steps += followed;
            if self.steps > MOST_STEPS {
                return None;
            }
        }
        if next.iter().all(|branch| branch.weight < UNLIKELY) {
            next.iter_mut().for_each(|branch| branch.weight /= UNLIKELY);
        }
        Some(next)
    }

    /// Returns how many worlds it has in memory.
    pub fn size(&self) -> usize {
        self.branches.as_ref().map_or(self.found.len() * self.history.len(), Vec::len)
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
/// it and its probability, until it breaks. Returns how many were tried; `None` if there are more than `room`. Outcomes of a draw
/// that are equal count as one if that is asked for; then all are listed first.
fn each_by_reference(
    before: &Position,
    seen: &Seen,
    at: usize,
    (room, as_one): (usize, bool),
    add: &mut dyn FnMut(Position, Vec<Value>, f64) -> ControlFlow<()>,
) -> Result<Option<usize>, Fault> {
    let KnownEntry { seat, name, values } = &seen.history[at];
    let machine = &seen.machine;
    let mut add = |position: Position, values: Vec<Value>, likely: f64| -> Result<ControlFlow<()>, Fault> {
        let fits = matches_perception(machine, seen.seat, &position, &seen.perceived[at + 1])?;
        Ok(if fits { add(position, values, likely) } else { ControlFlow::Continue(()) })
    };
    if let Some(values) = values {
        let mut position = before.clone();
        if room == 0 {
            return Ok(None);
        }
        if matches!(try_apply(machine, &mut position, *seat, name, values), Ok(true)) {
            let ways = ways_to_happen(seen, before, &seen.history[at], values)?;
            let _ = add(position, values.clone(), 1.0 / ways)?;
        }
        return Ok(Some(1));
    }
    let fits = |count: Option<Int>| count.and_then(|count| count.as_usize()).filter(|n| *n <= room);
    let Some(seat) = *seat else {
        let Some(chance) = machine.chance(before) else { return Ok(Some(1)) };
        let dom = machine.outcomes(before)?;
        let Some(ways) = fits(dom.count(chance.span)?) else { return Ok(None) };
        let mut each = |value: &Value, times: usize| -> Result<ControlFlow<()>, Fault> {
            let mut position = before.clone();
            let drawn = try_apply(machine, &mut position, None, name, std::slice::from_ref(value));
            match drawn {
                Ok(true) => add(position, vec![value.clone()], times as f64 / ways as f64),
                _ => Ok(ControlFlow::Continue(())),
            }
        };
        let outcomes = (0..ways).map(|n| dom.at(&Int::from(n)));
        if as_one {
            let outcomes: Vec<Value> = outcomes.collect();
            for (value, times) in tally(&outcomes) {
                if each(value, times)?.is_break() {
                    break;
                }
            }
        } else {
            for value in outcomes {
                if each(&value, 1)?.is_break() {
                    break;
                }
            }
        }
        return Ok(Some(ways));
    };
    let Some(choice) = machine.choice(before) else { return Ok(Some(1)) };
    let Some(ways) = fits(machine.ask(before, |env| env.count_legal(choice, seat, false))?) else {
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
        let can = apply_choice(machine, &mut position, seat, chosen).is_ok();
        if can && add(position, values, 1.0 / ways as f64)?.is_break() {
            break;
        }
    }
    Ok(Some(ways))
}

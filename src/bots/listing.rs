//! Lists all worlds that a seat may be in, if they are few: hidden choices and draws are enumerated one after
//! the other, and branches that do not look the way the seat saw the match are dropped at once. A listing is kept from
//! one choice of a match to the next.

use std::ops::ControlFlow;

use super::repair::random_unit;
use crate::eval::{Fault, Position};
use crate::ir::Value;
use crate::num::{Int, Rng};
use crate::play::{KnownEntry, Perceived, Seen, apply_choice, matches_perception, try_apply};

/// The most worlds that are kept at a time, and the most steps that are played for them.
const MOST: usize = 8_000;
const MOST_STEPS: usize = 60_000;

/// How many branches must be followed to tell from them how many worlds there will be.
const SURE_AFTER: usize = 16;

/// A world, or the beginning of one.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    pub position: Position,
    /// What was chosen and drawn after the known beginning of the match.
    pub values: Vec<Vec<Value>>,
    /// Its probability, relative to the other branches.
    pub weight: f64,
}

/// All worlds that a seat may be in, as far as it has followed the match.
#[derive(Debug, Clone)]
pub(super) struct Listing {
    /// The worlds; `None` if there are too many.
    branches: Option<Vec<Branch>>,
    /// The total weight of the branches.
    weight: f64,
    /// The steps that were played for them.
    steps: usize,
    /// What the seat knew of the match as far as it was followed: see [`Seen`].
    known: usize,
    history: Vec<KnownEntry>,
    perceived: Vec<Option<Perceived>>,
}

impl Listing {
    /// Lists the worlds of a seat that knows this.
    pub fn of(seen: &Seen) -> Listing {
        let mut listing = Listing::at_trunk(seen);
        listing.follow(seen);
        listing
    }

    /// Starts where the seat still knows everything.
    fn at_trunk(seen: &Seen) -> Listing {
        let first = Branch { position: seen.trunk.clone(), values: Vec::new(), weight: 1.0 };
        Listing {
            branches: Some(vec![first]),
            weight: 1.0,
            steps: 0,
            known: seen.known,
            history: seen.history[..seen.known].to_vec(),
            perceived: seen.perceived[..=seen.known].to_vec(),
        }
    }

    /// Follows the match to what the seat knows now. Starts over if that is not how the match followed so far goes on, or
    /// if the seat has learned since what led to it. The result is the same either way.
    pub fn follow(&mut self, seen: &Seen) {
        let goes_on = self.known == seen.known
            && seen.history.starts_with(&self.history)
            && seen.perceived.starts_with(&self.perceived);
        if !goes_on {
            *self = Listing::at_trunk(seen);
        }
        for at in self.history.len()..seen.history.len() {
            self.branches = self.branches.take().and_then(|branches| self.next(seen, at, &branches));
        }
        self.history.extend_from_slice(&seen.history[self.history.len()..]);
        self.perceived.extend_from_slice(&seen.perceived[self.perceived.len()..]);
        self.weight = self.branches.iter().flatten().map(|branch| branch.weight).sum();
    }

    /// Returns the worlds after entry `at` of the history; `None` if there are too many.
    fn next(&mut self, seen: &Seen, at: usize, branches: &[Branch]) -> Option<Vec<Branch>> {
        let mut next = Vec::new();
        for (followed_so_far, branch) in branches.iter().enumerate() {
            // The branches followed so far tell whether there will be too many.
            let expected = next.len() * branches.len() / followed_so_far.max(1);
            if followed_so_far >= SURE_AFTER && expected > MOST {
                return None;
            }
            // A branch in which the rules fault is not a possible world.
            let followed = branch.follow(seen, at, MOST - next.len(), &mut next).unwrap_or(Some(1))?;
            self.steps += followed;
            if self.steps > MOST_STEPS {
                return None;
            }
        }
        Some(next)
    }

    /// Returns all worlds; `None` if there are too many.
    pub fn worlds(&self) -> Option<&[Branch]> {
        self.branches.as_deref()
    }

    /// Draws a branch with probability proportional to its weight.
    pub fn draw(&self, rng: &mut Rng) -> Option<&Branch> {
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

impl Branch {
    /// Adds the continuations by history entry `at` to `next`. Returns how many were tried; `None` if more
    /// than `room`.
    fn follow(
        &self,
        seen: &Seen,
        at: usize,
        room: usize,
        next: &mut Vec<Branch>,
    ) -> Result<Option<usize>, Fault> {
        let KnownEntry { seat, name, values } = &seen.history[at];
        let machine = &seen.machine;
        let mut add = |position: Position, values: Vec<Value>, ways: usize| -> Result<(), Fault> {
            if matches_perception(machine, seen.seat, &position, &seen.perceived[at + 1])? {
                let values = self.values.iter().cloned().chain([values]).collect();
                next.push(Branch { position, values, weight: self.weight / ways as f64 });
            }
            Ok(())
        };
        if let Some(values) = values {
            let mut position = self.position.clone();
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
            let Some(chance) = machine.chance(&self.position) else { return Ok(Some(1)) };
            let dom = machine.outcomes(&self.position)?;
            let Some(ways) = fits(dom.count(chance.span)?) else { return Ok(None) };
            for n in 0..ways {
                let (value, mut position) = (dom.at(&Int::from(n)), self.position.clone());
                if matches!(
                    try_apply(machine, &mut position, None, name, std::slice::from_ref(&value)),
                    Ok(true)
                ) {
                    add(position, vec![value], ways)?;
                }
            }
            return Ok(Some(ways));
        };
        let Some(choice) = machine.choice(&self.position) else { return Ok(Some(1)) };
        let Some(ways) = fits(machine.ask(&self.position, |env| env.count_legal(choice, seat))?) else {
            return Ok(None);
        };
        let mut rows = Vec::with_capacity(ways);
        machine.ask(&self.position, |env| {
            env.each_legal(choice, seat, false, &mut |chosen| {
                rows.push(chosen);
                ControlFlow::Continue(())
            })
        })?;
        rows.retain(|chosen| machine.game.moves[chosen.mv].name == *name);
        for chosen in rows {
            let (values, mut position) = (chosen.args.clone(), self.position.clone());
            if apply_choice(machine, &mut position, seat, chosen).is_ok() {
                add(position, values, ways)?;
            }
        }
        Ok(Some(ways))
    }
}

//! Lists all worlds that a seat may be in, if they are few: hidden choices and draws are enumerated one after
//! the other, and branches that do not look the way the seat saw the match are dropped at once.

use std::ops::ControlFlow;

use super::repair::random_unit;
use crate::eval::{Fault, Position};
use crate::ir::Value;
use crate::num::{Int, Rng};
use crate::play::{KnownEntry, Seen, apply_choice, matches_perception, try_apply};

/// The most worlds that are kept at a time, and the most steps that are played for them.
const MOST: usize = 8_000;
const MOST_STEPS: usize = 60_000;

/// How many branches must be followed to tell from them how many worlds there will be.
const SURE_AFTER: usize = 16;

/// A world, or the beginning of one.
pub(super) struct Branch {
    pub position: Position,
    /// What was chosen and drawn after the known beginning of the match.
    pub values: Vec<Vec<Value>>,
    /// Its probability, relative to the other branches.
    pub weight: f64,
}

/// All worlds that a seat may be in.
pub(super) struct Listing {
    pub branches: Vec<Branch>,
    /// The total weight of the branches.
    pub weight: f64,
}

impl Listing {
    /// Lists the worlds; `None` if there are too many.
    pub fn of(seen: &Seen) -> Option<Listing> {
        let first = Branch { position: seen.trunk.clone(), values: Vec::new(), weight: 1.0 };
        let (mut branches, mut steps) = (vec![first], 0);
        for at in seen.known..seen.history.len() {
            let mut next = Vec::new();
            for (followed_so_far, branch) in branches.iter().enumerate() {
                // The branches followed so far tell whether there will be too many.
                let expected = next.len() * branches.len() / followed_so_far.max(1);
                if followed_so_far >= SURE_AFTER && expected > MOST {
                    return None;
                }
                // A branch in which the rules fault is not a possible world.
                let followed = branch.follow(seen, at, MOST - next.len(), &mut next).unwrap_or(Some(1))?;
                steps += followed;
                if steps > MOST_STEPS {
                    return None;
                }
            }
            branches = next;
        }
        let weight = branches.iter().map(|branch| branch.weight).sum();
        Some(Listing { branches, weight })
    }

    /// Draws a branch with probability proportional to its weight.
    pub fn draw(&self, rng: &mut Rng) -> Option<&Branch> {
        if let [only] = self.branches.as_slice() {
            return Some(only);
        }
        let mut left = random_unit(rng) * self.weight;
        let mut taken = None;
        for branch in &self.branches {
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

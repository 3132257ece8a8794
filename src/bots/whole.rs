//! The whole game solved once, where the values of positions need the graph of all positions that can follow.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, TryLockError};

use super::worth::plays_for_score;
use super::{Clock, NotExact};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::Fault;
use crate::num::Rng;
use crate::solve::{Goal, Halt, Solution, Task, has_chance};

/// The most bytes that the positions of a game that is solved as a whole may take, and how many there are at most then.
const MEMORY: u64 = 320 << 20;
const MAX_POSITIONS: u64 = MEMORY / 80;
/// How many moves and outcomes are looked at, where a few updates of a value count as one: at most, and by who is to choose
/// soon.
pub const MAX_LOOKED: u64 = 40_000_000;
pub const SOON_LOOKED: u64 = 10_000_000;

/// How many positions random matches go through to estimate how many there are.
const SAMPLED: usize = 50_000;

/// The solution of a game, which is looked for and kept.
#[derive(Debug, Default)]
pub struct WholeGame {
    /// The solution, and how much was looked at to find it; `None` inside if the game has none, or too many positions.
    found: OnceLock<Option<(Solution, u64)>>,
    /// How much was looked at in vain. Held by who looks for the solution.
    tried: Mutex<u64>,
}

impl WholeGame {
    /// Returns the solution if it has been found, and no more than this need be looked at to find it.
    pub fn known(&self, within: u64) -> Option<&Solution> {
        let (solution, looked) = self.found.get()?.as_ref()?;
        (*looked <= within).then_some(solution)
    }

    /// Looks for the solution, unless that was done before: of games in which chance draws or a score is played for, and
    /// whose positions can be solved exactly. Others are searched position by position. Whoever asks while another looks
    /// waits; the clock ends both, if it must stop. `tell` is told how much has been looked at.
    pub fn solve<E: Engine>(&self, engine: &E, within: u64, clock: &dyn Clock, tell: &mut dyn FnMut(u64)) {
        let mut tried = loop {
            match self.tried.try_lock() {
                Ok(tried) => break tried,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                Err(TryLockError::WouldBlock) if clock.must_stop() => return,
                Err(TryLockError::WouldBlock) => {
                    tell(0);
                    clock.pause();
                }
            }
        };
        if self.found.get().is_some() || *tried >= within {
            return;
        }
        let machine = engine.machine();
        let applies = has_chance(&machine.game) || plays_for_score(machine);
        if NotExact::of_game(machine).is_some() || !applies || machine.game.nobody_can_win() {
            let _ = self.found.set(None);
            return;
        }
        let task = Task {
            value_all_moves: true,
            fractions: false,
            symmetries: false,
            ..Task::new(Goal::usual(machine), MEMORY)
        };
        let (most, tell) = (Cell::new(0), RefCell::new(tell));
        let goes_on = |looked: u64| {
            most.set(looked.max(most.get()));
            (tell.borrow_mut())(most.get());
            looked <= within && !clock.must_stop()
        };
        let found =
            engine.start().map_err(Halt::from).and_then(|start| match least_positions(engine, &start)? {
                least if least > MAX_POSITIONS => Err(Halt::OutOfMemory(least)),
                _ => Solution::of(engine, &start, &task, None, &goes_on),
            });
        match found {
            Err(Halt::Interrupted) if most.get() > within => *tried = within,
            Err(Halt::Interrupted) => {}
            found => {
                let _ = self.found.set(found.ok().map(|solution| (solution, most.get())));
            }
        }
    }
}

/// Estimates how many positions there are at least from how many random matches come to once, and how many twice (A. Chao,
/// Scandinavian Journal of Statistics 11, 1984). So that a game with far too many is not begun.
fn least_positions<E: Engine>(engine: &E, start: &E::State) -> Result<u64, Fault> {
    let (mut stepper, mut rng) = (engine.stepper(), Rng::new(0));
    let (mut times, mut key, mut passed) = (HashMap::new(), Vec::new(), 0);
    while passed < SAMPLED {
        let mut state = start.clone();
        loop {
            passed += 1;
            match stepper.turn(&state) {
                Turn::Over => break,
                _ if passed > SAMPLED => break,
                Turn::Chance => _ = stepper.chance(&mut state, &mut rng)?,
                Turn::Choice { seats, .. } => {
                    stepper.lasting_key(&state, &mut key);
                    *times.entry(key.clone()).or_insert(0u32) += 1;
                    let seat = seats.trailing_zeros() as usize;
                    let Some(chosen) = stepper.draw_legal(&state, seat, &mut rng)? else { break };
                    stepper.choose(&mut state, seat, chosen)?;
                }
            }
        }
    }
    let met = |n: u32| times.values().filter(|times| **times == n).count() as u64;
    let (once, twice) = (met(1), met(2));
    Ok(times.len() as u64 + once * once / (2 * twice + 2))
}

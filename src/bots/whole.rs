//! The whole game solved once: where the values of positions need the graph of all positions that can follow, and where moves are
//! mixed.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use super::worth::plays_for_score;
use super::{Clock, Deadline, NotExact};
use crate::engine::{Engine, Stepper, Turn};
use crate::equilibrium::{
    self, Aim, Equilibrium, Mixes, SearchProgress, WeightedPositions, log10_of_ways_from,
};
use crate::eval::{Fault, Machine, Position};
use crate::ir::Interests;
use crate::num::Rng;
use crate::play::Seen;
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

/// How many moves and outcomes could be looked at in the time that a node of a tree with information sets takes.
const LOOKED_A_NODE: u64 = 400;
/// When regret minimisation stops: the distance from an equilibrium, and the most sweeps.
const WITHIN: f64 = 0.0002;
const MOST_SWEEPS: u64 = 2000;
/// How often seats are taken to make a mistake.
const TREMBLE: f64 = 0.01;

/// The solution of a game.
#[derive(Debug)]
pub enum Whole {
    /// The values of all positions, where everybody knows them.
    Values(Solution),
    /// Mixes, where something is hidden or seats choose together.
    Mixes(Mixes),
}

impl Whole {
    /// Returns the values of all positions, if that is what is known.
    pub fn values(&self) -> Option<&Solution> {
        match self {
            Whole::Values(solution) => Some(solution),
            Whole::Mixes(_) => None,
        }
    }

    /// Returns the mixes, if that is what is known.
    pub fn mixes(&self) -> Option<&Mixes> {
        match self {
            Whole::Mixes(mixes) => Some(mixes),
            Whole::Values(_) => None,
        }
    }
}

/// The solution of a game, which is looked for and kept.
#[derive(Debug, Default)]
pub struct WholeGame {
    /// The solution, and how much was looked at to find it; `None` inside if the game has none, or is too large.
    found: OnceLock<Option<(Whole, u64)>>,
    /// How much was looked at in vain. Held by who looks for the solution.
    tried: Mutex<u64>,
    /// How many milliseconds were not enough.
    in_vain: AtomicU64,
    /// Mixes for the rest of a match that is too large as a whole, and how much was looked at to find them.
    rest: Mutex<Option<(Arc<Mixes>, u64)>>,
}

impl WholeGame {
    /// Returns the solution if it has been found, and no more than this need be looked at to find it.
    pub fn known(&self, within: u64) -> Option<&Whole> {
        let (solution, looked) = self.found.get()?.as_ref()?;
        (*looked <= within).then_some(solution)
    }

    /// Looks for the solution for some milliseconds, unless so many were not enough before, or waits for who is looking for it.
    pub fn solve_in<E: Engine>(&self, engine: &E, ms: u64, clock: &dyn Clock) {
        if self.found.get().is_some() {
            return;
        }
        let soon = Deadline::after(clock, ms);
        if self.in_vain.load(Ordering::Relaxed) >= ms {
            drop(self.wait(&soon, &mut |_| ()));
            return;
        }
        self.solve(engine, MAX_LOOKED, &soon, &mut |_| ());
        if self.found.get().is_none() {
            self.in_vain.fetch_max(ms, Ordering::Relaxed);
        }
    }

    /// Looks for the solution, unless that was done before: of games in which chance draws or a score is played for, and
    /// whose positions can be solved exactly, and of games in which something is hidden or seats choose together. Others
    /// are searched position by position. Whoever asks while another looks waits; the clock ends both, if it must stop. `tell`
    /// is told how much has been looked at.
    pub fn solve<E: Engine>(&self, engine: &E, within: u64, clock: &dyn Clock, tell: &mut dyn FnMut(u64)) {
        let Some(mut tried) = self.wait(clock, tell) else { return };
        if self.found.get().is_some() || *tried >= within {
            return;
        }
        let (most, tell) = (Cell::new(0), RefCell::new(tell));
        let goes_on = |looked: u64| {
            most.set(looked.max(most.get()));
            (tell.borrow_mut())(most.get());
            looked <= within && !clock.must_stop()
        };
        let machine = engine.machine();
        let applies = has_chance(&machine.game) || plays_for_score(machine);
        let found = match NotExact::of_game(machine) {
            _ if machine.game.nobody_can_win() => Err(Halt::NoSuchValue),
            Some(_) if has_mixes(machine) => mixes(engine, &[], within, &goes_on).map(Whole::Mixes),
            None if applies => values(engine, &goes_on).map(Whole::Values),
            _ => Err(Halt::NoSuchValue),
        };
        match found {
            Err(Halt::Interrupted) if most.get() > within => *tried = within,
            Err(Halt::Interrupted) => {}
            found => {
                let _ = self.found.set(found.ok().map(|solution| (solution, most.get())));
            }
        }
    }

    /// Returns mixes for the rest of a match of a game that is too large as a whole, from where all seats know the same, if no more than
    /// this need be looked at to find them. They are kept for what follows. `positions` returns those that the match may have come to,
    /// with their probabilities, if all seats know the same.
    pub fn rest<E: Engine>(
        &self,
        engine: &E,
        (seen, positions): (&Seen, &dyn Fn() -> Option<WeightedPositions>),
        within: u64,
        clock: &dyn Clock,
    ) -> Option<Arc<Mixes>> {
        let machine = engine.machine();
        if !has_mixes(machine) || machine.game.nobody_can_win() {
            return None;
        }
        let mut kept = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.as_ref().filter(|(mixes, looked)| *looked <= within && mixes.at(seen).is_some());
        if known.is_none() {
            let most = Cell::new(0);
            let goes_on = |looked: u64| {
                most.set(looked.max(most.get()));
                looked <= within && !clock.must_stop()
            };
            let positions = positions()?;
            if !may_fit(engine, &positions, within) {
                return None;
            }
            let found = mixes(engine, &positions, within, &goes_on).ok()?;
            *kept = Some((Arc::new(found.after(seen)), most.get()));
        }
        kept.as_ref().map(|(mixes, _)| mixes.clone())
    }

    /// Waits until nobody looks for the solution; `None` if the clock says that it must stop before.
    fn wait(&self, clock: &dyn Clock, tell: &mut dyn FnMut(u64)) -> Option<MutexGuard<'_, u64>> {
        loop {
            match self.tried.try_lock() {
                Ok(tried) => return Some(tried),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if clock.must_stop() => return None,
                Err(TryLockError::WouldBlock) => {
                    tell(0);
                    clock.pause();
                }
            }
        }
    }
}

/// Whether a game is one in which moves may be mixed, several seats play for themselves, and all moves are tried.
fn has_mixes(machine: &Machine) -> bool {
    let game = &machine.game;
    let sampled = game.choices.iter().any(|choice| game.samples_moves(choice));
    let mixed = matches!(NotExact::of_game(machine), Some(NotExact::Hidden | NotExact::Together));
    mixed && machine.setup.players > 1 && machine.interests == Interests::Opposed && !sampled
}

/// Solves a game whose positions everybody knows.
fn values<E: Engine>(engine: &E, goes_on: &dyn Fn(u64) -> bool) -> Result<Solution, Halt> {
    let task = Task {
        value_all_moves: true,
        fractions: false,
        symmetries: false,
        ..Task::new(Goal::usual(engine.machine()), MEMORY)
    };
    let start = engine.start()?;
    match least_positions(engine, &start)? {
        least if least > MAX_POSITIONS => Err(Halt::OutOfMemory(least)),
        _ => Solution::of(engine, &start, &task, None, goes_on),
    }
}

/// Whether the rest of a match from these positions may be small enough to be solved, as a few random matches show.
fn may_fit<E: Engine>(engine: &E, positions: &[(Position, f64)], within: u64) -> bool {
    const MATCHES: u64 = 8;
    /// A tree hardly ever has more ways to be played than this many times its nodes, since situations that are alike are laid out once.
    const MERGED: f64 = 1000.0;
    let Some((first, _)) = positions.first() else { return false };
    let start = engine.state_of(&Position { events: None, ..first.clone() });
    let ways = log10_of_ways_from(engine, &start, MATCHES).ok().flatten();
    let nodes = (within / LOOKED_A_NODE) as f64;
    ways.is_some_and(|ways| ways + (positions.len() as f64).log10() <= (MERGED * nodes).log10())
}

/// Finds mixes for a game in which something is hidden or both seats choose together, or for the rest of a match from positions that
/// it may have come to.
fn mixes<E: Engine>(
    engine: &E,
    from: &[(Position, f64)],
    within: u64,
    goes_on: &dyn Fn(u64) -> bool,
) -> Result<Mixes, Halt> {
    let search = equilibrium::Search {
        aim: Aim::Win,
        nodes: usize::try_from(within / LOOKED_A_NODE).unwrap_or(usize::MAX),
        within: WITHIN,
        iterations: MOST_SWEEPS,
        tremble: TREMBLE,
    };
    let looked = Cell::new(0);
    let on = |progress: SearchProgress| {
        if let SearchProgress::Laid(nodes) = progress {
            looked.set(LOOKED_A_NODE * nodes as u64);
        }
        goes_on(looked.get())
    };
    match Equilibrium::find_from(engine, from, search, &on) {
        // If it was stopped, mixes may be far from an equilibrium.
        Ok(_) if !goes_on(looked.get()) => Err(Halt::Interrupted),
        Ok(found) => {
            let (nodes, _, _) = found.sizes();
            goes_on(LOOKED_A_NODE * nodes as u64);
            found.mixes(engine.machine()).ok_or(Halt::NoSuchValue)
        }
        Err(equilibrium::Stop::TooLarge { .. }) => {
            goes_on(within + 1);
            Err(Halt::Interrupted)
        }
        Err(equilibrium::Stop::Interrupted) => Err(Halt::Interrupted),
        Err(equilibrium::Stop::Fault(fault)) => Err(fault.into()),
        Err(equilibrium::Stop::Refused(_)) => Err(Halt::NoSuchValue),
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

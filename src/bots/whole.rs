//! The whole game solved once, where the values of positions need the graph of all positions that can follow.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::worth::plays_for_score;
use super::{Clock, NotExact};
use crate::engine::Engine;
use crate::solve::{Concept, Goal, Halt, Solution, Task, has_chance};

/// The most positions of a game that is solved as a whole, and the most bytes that they may take.
const MAX_POSITIONS: u64 = 3_000_000;
const MEMORY: u64 = 1 << 29;

/// The solution of a game, which is looked for once and kept.
#[derive(Debug, Default)]
pub struct WholeGame {
    /// `None` inside if the game has none, or too many positions.
    solution: OnceLock<Option<Solution>>,
    /// Held by who looks for it.
    search: Mutex<()>,
}

impl WholeGame {
    /// Returns the solution if it has been found.
    pub fn known(&self) -> Option<&Solution> {
        self.solution.get()?.as_ref()
    }

    /// Looks for the solution, unless that was done before: of games in which chance draws or a score is played for, and
    /// whose positions can be solved exactly. Others are searched position by position. Only the clock, if it must stop,
    /// ends this without a result.
    pub fn solve<E: Engine>(&self, engine: &E, clock: &dyn Clock) {
        let _held = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        if self.solution.get().is_some() {
            return;
        }
        let machine = engine.machine();
        let applies = has_chance(&machine.game) || plays_for_score(machine);
        if NotExact::of_game(machine).is_some() || !applies || machine.game.nobody_can_win() {
            let _ = self.solution.set(None);
            return;
        }
        let task = Task {
            goal: Goal::usual(machine),
            concept: Concept::MaxN,
            value_all_moves: true,
            memory: MEMORY,
            fractions: false,
            symmetries: false,
        };
        let goes_on = |looked: u64| looked < MAX_POSITIONS && !clock.must_stop();
        let found = engine.start().map_err(Halt::from);
        let found = found.and_then(|start| Solution::of(engine, &start, &task, None, &goes_on));
        match found {
            Err(Halt::Interrupted) if clock.must_stop() => {}
            found => {
                let _ = self.solution.set(found.ok());
            }
        }
    }
}

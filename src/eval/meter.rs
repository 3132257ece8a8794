//! Steps of evaluation: the limit for each question, and the total over all questions.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{MAX_STEPS, Machine};

/// A run between two stops is long if it takes more steps than this.
const LONG_RUN: u64 = 5_000;

/// Adds up the steps of all questions to a machine, on any thread.
#[derive(Debug, Default)]
pub struct Meter {
    steps: AtomicU64,
    of_long_runs: AtomicU64,
}

impl Meter {
    /// Returns the steps of evaluation so far, and the steps of the automaton in long runs.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Returns how many of these steps were taken in long runs between two stops.
    pub fn of_long_runs(&self) -> u64 {
        self.of_long_runs.load(Ordering::Relaxed)
    }
}

/// The steps left for one question. When dropped, it adds the steps taken to the machine's meter.
pub(super) struct Allowance<'a> {
    /// How many there were at first.
    all: u64,
    left: Cell<u64>,
    meter: Option<&'a Meter>,
}

impl Deref for Allowance<'_> {
    type Target = Cell<u64>;

    fn deref(&self) -> &Cell<u64> {
        &self.left
    }
}

impl Allowance<'_> {
    /// Counts the end of a run between two stops in which the automaton took `taken` steps.
    pub fn count_run(&self, taken: u64) {
        let all = taken + (self.all - self.left.get());
        if let Some(meter) = self.meter.filter(|_| all > LONG_RUN) {
            meter.steps.fetch_add(taken, Ordering::Relaxed);
            meter.of_long_runs.fetch_add(all, Ordering::Relaxed);
        }
    }
}

impl Drop for Allowance<'_> {
    fn drop(&mut self) {
        if let Some(meter) = self.meter {
            meter.steps.fetch_add(self.all - self.left.get(), Ordering::Relaxed);
        }
    }
}

impl Machine {
    /// Returns the full allowance for one question.
    pub(super) fn allowance(&self) -> Allowance<'_> {
        self.allowance_of(MAX_STEPS)
    }

    /// Returns an allowance of so many steps.
    pub(super) fn allowance_of(&self, steps: u64) -> Allowance<'_> {
        Allowance { all: steps, left: Cell::new(steps), meter: self.meter.as_deref() }
    }
}

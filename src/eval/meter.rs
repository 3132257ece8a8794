//! Steps of evaluation: the limit for each question, and the total over all questions.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{MAX_STEPS, Machine};

/// Adds up the steps of all questions to a machine, on any thread.
#[derive(Debug, Default)]
pub struct Meter(AtomicU64);

impl Meter {
    /// Returns the steps so far.
    pub fn steps(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The steps left for one question. When dropped, it adds the steps taken to the machine's meter.
pub(super) struct Allowance<'a> {
    left: Cell<u64>,
    meter: Option<&'a Meter>,
}

impl Deref for Allowance<'_> {
    type Target = Cell<u64>;

    fn deref(&self) -> &Cell<u64> {
        &self.left
    }
}

impl Drop for Allowance<'_> {
    fn drop(&mut self) {
        if let Some(meter) = self.meter {
            meter.0.fetch_add(MAX_STEPS - self.left.get(), Ordering::Relaxed);
        }
    }
}

impl Machine {
    /// Returns the full allowance for one question.
    pub(super) fn allowance(&self) -> Allowance<'_> {
        Allowance { left: Cell::new(MAX_STEPS), meter: self.meter.as_deref() }
    }
}

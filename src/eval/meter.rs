//! Steps of evaluation: how many one question may take, and how many all of them have taken together.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{MAX_STEPS, Machine};

/// Adds up the steps that all questions to a machine take, on whatever threads.
#[derive(Debug, Default)]
pub struct Meter(AtomicU64);

impl Meter {
    /// The steps so far.
    pub fn steps(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The steps that one question may still take. What it took goes to the machine's meter.
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
    /// What one question may take.
    pub(super) fn allowance(&self) -> Allowance<'_> {
        Allowance { left: Cell::new(MAX_STEPS), meter: self.meter.as_deref() }
    }
}

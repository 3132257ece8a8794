//! Contenders that take turns in short time slices, so that a busy machine slows all of them alike.

use std::hint::black_box;
use std::time::{Duration, Instant};

use parlour::engine::Engine;
use parlour::num::Rng;

/// The number of time slices per contender.
pub const ROUNDS: usize = 5;
/// The least time that playouts run between two looks at the clock.
const BATCH: Duration = Duration::from_millis(1);
/// The most standard errors by which two mean lengths may differ.
pub const MAX_ERRORS: f64 = 4.0;
/// The number of choices after which a playout is given up; no measured game lasts that long.
const MAX_MOVES: u64 = 3_000_000;

/// Speeds and lengths of one contender's playouts.
#[derive(Default)]
pub struct Contender {
    /// Playouts per second, one entry per slice.
    pub speeds: Vec<f64>,
    playouts: u64,
    choices: u64,
    squares: u128,
}

impl Contender {
    /// Plays for a slice of time. `play` makes the given number of playouts and reports the length of each.
    pub fn run(&mut self, slice: Duration, mut play: impl FnMut(u64, &mut dyn FnMut(u64))) {
        let begun = Instant::now();
        let (mut batch, mut playouts) = (1, 0);
        let mut elapsed = Duration::ZERO;
        while elapsed < slice {
            play(batch, &mut |choices| {
                self.choices += choices;
                self.squares += u128::from(choices * choices);
            });
            playouts += batch;
            let before = std::mem::replace(&mut elapsed, begun.elapsed());
            if elapsed - before < BATCH {
                batch *= 2;
            }
        }
        self.playouts += playouts;
        self.speeds.push(playouts as f64 / elapsed.as_secs_f64());
    }

    /// Returns the median of playouts per second.
    pub fn speed(&self) -> f64 {
        median(self.speeds.clone())
    }

    /// Returns the mean length of a playout, in choices.
    pub fn length(&self) -> f64 {
        self.choices as f64 / self.playouts as f64
    }

    /// Returns the variance of the lengths.
    fn spread(&self) -> f64 {
        self.squares as f64 / self.playouts as f64 - self.length().powi(2)
    }

    /// Whether the mean lengths differ by no more than chance explains. Uses the larger variance for both,
    /// since the lengths of a few playouts may happen to be alike.
    pub fn agrees(&self, other: &Contender) -> bool {
        let spread = self.spread().max(other.spread()).max(0.0);
        let variance = spread / self.playouts as f64 + spread / other.playouts as f64;
        (self.length() - other.length()).abs() <= MAX_ERRORS * variance.sqrt() + 1e-9
    }
}

/// Returns the median; for an even number of values, the higher of the two in the middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Makes `count` playouts on an engine, one after the other, and reports the length of each to `on`.
pub fn play<E: Engine>(engine: &E, rng: &mut Rng, count: u64, on: &mut dyn FnMut(u64)) {
    let told = engine.playouts(rng, MAX_MOVES, count, &mut |end, choices| {
        black_box(end);
        on(choices);
    });
    told.expect("playouts without a fault");
}

/// Formats a whole number with spaces between groups of three digits.
pub fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

//! Contenders that take turns at playing, so that a busy machine slows all of them alike.

use std::hint::black_box;
use std::time::{Duration, Instant};

use parlour::engine::Engine;
use parlour::num::Rng;

/// How many slices of time each contender gets; they take turns.
pub const ROUNDS: usize = 5;
/// How long playouts go on between two looks at the clock.
const BATCH: Duration = Duration::from_millis(1);
/// How many standard errors two mean lengths may be apart.
pub const MAX_ERRORS: f64 = 4.0;
/// After how many choices a playout is given up; no game that is measured lasts so long.
const MAX_MOVES: u64 = 3_000_000;

/// Playouts of one contender.
#[derive(Default)]
pub struct Contender {
    /// The playouts a second of each slice.
    pub speeds: Vec<f64>,
    playouts: u64,
    choices: u64,
    squares: u128,
}

impl Contender {
    /// Plays for a slice of time. `play` makes so many playouts, and tells of each how many choices were made.
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

    /// The median playouts a second.
    pub fn speed(&self) -> f64 {
        median(self.speeds.clone())
    }

    /// The mean length, in choices.
    pub fn length(&self) -> f64 {
        self.choices as f64 / self.playouts as f64
    }

    /// The variance of the lengths.
    fn spread(&self) -> f64 {
        self.squares as f64 / self.playouts as f64 - self.length().powi(2)
    }

    /// Whether the mean lengths are as near as chance explains. The larger spread is taken for both: a few playouts
    /// may happen to be alike.
    pub fn agrees(&self, other: &Contender) -> bool {
        let spread = self.spread().max(other.spread()).max(0.0);
        let variance = spread / self.playouts as f64 + spread / other.playouts as f64;
        (self.length() - other.length()).abs() <= MAX_ERRORS * variance.sqrt() + 1e-9
    }
}

/// The middle one; of an even number, the higher of the two in the middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Playouts of an engine, one after the other.
pub fn play<E: Engine>(engine: &E, rng: &mut Rng, count: u64, on: &mut dyn FnMut(u64)) {
    let told = engine.playouts(rng, MAX_MOVES, count, &mut |end, choices| {
        black_box(end);
        on(choices);
    });
    told.expect("playouts without a fault");
}

/// A whole number with its thousands apart.
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

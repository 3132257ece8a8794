//! Random playouts a second: plain Rust, the compiled engine and the reference evaluator, side by side on one thread.

mod baselines;
mod common;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use baselines::{Plain, Played};
use common::{Args, ready};
use parlour::engine::Engine;
use parlour::num::Rng;

/// How many slices of time each contender gets; they take turns.
const ROUNDS: usize = 5;
/// How often a game is made ready, to time it.
const READIES: usize = 7;
/// How long playouts go on between two looks at the clock.
const BATCH: Duration = Duration::from_millis(1);
/// How many standard errors two mean lengths may be apart.
const MAX_ERRORS: f64 = 4.0;
/// After how many choices a playout is given up; none of these games lasts so long.
const MAX_MOVES: u64 = 3_000_000;

/// The playouts a second the compiled engine is to reach, in those of plain Rust.
fn goal(game: &str) -> f64 {
    match game {
        "breakthrough" => 2.0,
        "hex" | "procession" | "sum-of-products" => 0.5,
        _ => 1.0,
    }
}

/// Playouts of one contender.
#[derive(Default)]
struct Contender {
    /// The playouts a second of each slice.
    speeds: Vec<f64>,
    playouts: u64,
    choices: u64,
    squares: u128,
}

impl Contender {
    /// Plays for a slice of time. `play` makes so many playouts, and tells of each how many choices were made.
    fn run(&mut self, slice: Duration, mut play: impl FnMut(u64, &mut dyn FnMut(u64))) {
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
    fn speed(&self) -> f64 {
        median(self.speeds.clone())
    }

    /// The mean length, in choices.
    fn length(&self) -> f64 {
        self.choices as f64 / self.playouts as f64
    }

    /// The variance of the lengths.
    fn spread(&self) -> f64 {
        self.squares as f64 / self.playouts as f64 - self.length().powi(2)
    }

    /// Whether the mean lengths are as near as chance explains. The larger spread is taken for both: a few playouts
    /// may happen to be alike.
    fn agrees(&self, other: &Contender) -> bool {
        let spread = self.spread().max(other.spread()).max(0.0);
        let variance = spread / self.playouts as f64 + spread / other.playouts as f64;
        (self.length() - other.length()).abs() <= MAX_ERRORS * variance.sqrt() + 1e-9
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Playouts of an engine, one after the other.
fn play<E: Engine>(engine: &E, rng: &mut Rng, count: u64, on: &mut dyn FnMut(u64)) {
    let told = engine.playouts(rng, MAX_MOVES, count, &mut |end, choices| {
        black_box(end);
        on(choices);
    });
    told.expect("playouts without a fault");
}

/// Measures a game, prints its row, and gives whether the goal is met and whether the lengths agree.
fn measure(plain: Plain, slice: Duration) -> (bool, bool) {
    let Plain { name, game, mut baseline } = plain;
    let readies = (0..READIES).map(|_| {
        let begun = Instant::now();
        black_box(ready(game, &[]));
        begun.elapsed().as_secs_f64() * 1000.0
    });
    let ready_ms = median(readies.collect());
    let engine = ready(game, &[]);

    let [mut plain, mut compiled, mut reference] = [(); 3].map(|()| Contender::default());
    let mut rngs = [0, 1, 2].map(|n| Rng::nth(0, n));
    for _ in 0..ROUNDS {
        plain.run(slice, |count, on| {
            for _ in 0..count {
                let Played { choices, won } = baseline.playout(&mut rngs[0]);
                black_box(won);
                on(choices);
            }
        });
        compiled.run(slice, |count, on| play(&engine, &mut rngs[1], count, on));
        reference.run(slice / 5, |count, on| play(engine.machine(), &mut rngs[2], count, on));
    }

    let ratio = compiled.speed() / plain.speed();
    let met = ratio >= goal(game);
    let agree = plain.agrees(&compiled) && plain.agrees(&reference) && compiled.agrees(&reference);
    println!(
        "| {name} | {} | {} | {ratio:.3} | {:.1} | {} | {} | {:.1} | {:.2} | {:.2} | {:.2} | {} | {ready_ms:.1} | {} |",
        grouped(plain.speed()),
        grouped(compiled.speed()),
        goal(game),
        if met { "yes" } else { "no" },
        grouped(reference.speed()),
        compiled.speed() / reference.speed(),
        plain.length(),
        compiled.length(),
        reference.length(),
        if agree { "agree" } else { "DISAGREE" },
        engine.bytes().map_or("–".to_string(), |bytes| bytes.to_string()),
    );
    (met, agree)
}

/// A whole number with its thousands apart.
fn grouped(value: f64) -> String {
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

fn main() -> ExitCode {
    let all = baselines::all();
    let names: Vec<&str> = all.iter().map(|plain| plain.name).collect();
    let args = match Args::read(&names) {
        Ok(args) => args,
        Err(code) => return code,
    };
    args.announce("playouts");
    println!(
        "| game | plain Rust/s | compiled/s | compiled : plain | goal | met | reference/s | compiled : reference \
         | length, plain | compiled | reference | lengths | ready, ms | bytes |"
    );
    println!("| --- |{}", " ---: |".repeat(13));
    let (mut measured, mut goals, mut disagreed) = (0, 0, 0);
    for plain in all.into_iter().filter(|plain| args.wants(plain.name)) {
        let (met, agree) = measure(plain, args.slice);
        measured += 1;
        goals += usize::from(met);
        disagreed += usize::from(!agree);
    }
    println!("\n{goals} of {measured} goals met.");
    if disagreed > 0 {
        println!("DISAGREE: mean lengths are more than {MAX_ERRORS} standard errors apart.");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

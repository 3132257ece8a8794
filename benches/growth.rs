//! How the time per choice grows with the size of the game, in the compiled engine and in the reference.

mod common;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use common::{Args, ready};
use parlour::engine::Engine;
use parlour::eval::Waiting;
use parlour::num::Rng;

/// The games, and the sizes to measure.
const GAMES: [(&str, &[u32]); 3] = [
    ("procession", &[5, 10, 20, 30, 40, 50, 60]),
    ("sum-of-products", &[3, 5, 8, 12, 16, 20]),
    ("hex", &[5, 7, 9, 11, 13, 15, 19]),
];

/// The first limit on the choices of a playout, and the factor by which it grows until a playout ends.
const FIRST_LIMIT: u64 = 16;
const LIMIT_GROWTH: u64 = 4;

/// Timings of one engine at one size.
struct Timing {
    playouts: u64,
    choices: u64,
    time: Duration,
    /// Whether all playouts ended; if that would take too long, only their beginnings are timed.
    ended: bool,
}

impl Timing {
    /// Returns nanoseconds per choice.
    fn nanos(&self) -> f64 {
        self.time.as_nanos() as f64 / self.choices as f64
    }

    /// Returns the mean number of choices per playout, as text.
    fn length(&self) -> String {
        let mean = self.choices as f64 / self.playouts as f64;
        if self.ended { format!("{mean:.0}") } else { format!("first {mean:.0}") }
    }
}

/// Times playouts for about `cap`.
fn time<E: Engine>(engine: &E, cap: Duration) -> Timing {
    let mut rng = Rng::new(0);
    let mut limit = FIRST_LIMIT;
    let mut playout = |limit: u64| {
        let begun = Instant::now();
        let (state, choices) = engine.playout(&mut rng, limit).expect("a playout without a fault");
        let time = begun.elapsed();
        let ended = engine.waiting(black_box(&state)) == Waiting::Over;
        Timing { playouts: 1, choices, time, ended }
    };
    loop {
        let tried = playout(limit);
        if tried.ended || tried.time > cap / 8 {
            break;
        }
        limit *= LIMIT_GROWTH;
    }
    // Playouts differ in length, so this leaves room for longer ones than the one tried.
    limit = limit.saturating_mul(LIMIT_GROWTH);
    let mut all = playout(limit);
    while all.time < cap {
        let one = playout(limit);
        all.playouts += one.playouts;
        all.choices += one.choices;
        all.time += one.time;
        all.ended &= one.ended;
    }
    all
}

fn main() -> ExitCode {
    let args = match Args::read(&GAMES.map(|(game, _)| game)) {
        Ok(args) => args,
        Err(code) => return code,
    };
    args.announce("growth");
    println!(
        "| game | n | compiled, ns a choice | choices a playout | reference, ns a choice | choices a playout |"
    );
    println!("| --- |{}", " ---: |".repeat(5));
    for (game, sizes) in GAMES.into_iter().filter(|(game, _)| args.wants(game)) {
        for &n in sizes {
            let engine = ready(game, &[("n", &n.to_string())]);
            let compiled = time(&engine, args.slice);
            let reference = time(engine.machine(), args.slice);
            println!(
                "| {game} | {n} | {:.0} | {} | {:.0} | {} |",
                compiled.nanos(),
                compiled.length(),
                reference.nanos(),
                reference.length(),
            );
        }
    }
    ExitCode::SUCCESS
}

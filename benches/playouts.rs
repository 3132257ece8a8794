//! Random playouts per second on one thread: plain Rust, the compiled engine and the reference evaluator.

mod baselines;
mod common;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use baselines::{Plain, Played};
use common::contender::{Contender, MAX_ERRORS, ROUNDS, grouped, median, play};
use common::{Args, compiled};
use parlour::engine::Engine;
use parlour::num::Rng;

/// How many times a game is loaded and compiled, to time it.
const READIES: usize = 7;

/// Returns the goal for the compiled engine's playouts per second, as a fraction of plain Rust's.
fn goal(game: &str) -> f64 {
    match game {
        "breakthrough" => 2.0,
        "hex" | "procession" | "sum-of-products" => 0.5,
        // No part of the compiler was written with these games in mind.
        "by-your-leave" | "heirs" | "inn" | "last-word" | "oracle" | "oracle-small" | "snails" => 0.5,
        _ => 1.0,
    }
}

/// Measures a game and prints its row. Returns whether the goal is met and whether the lengths agree.
fn measure(plain: Plain, slice: Duration) -> (bool, bool) {
    let source = plain.source();
    let Plain { name, game, options, mut baseline } = plain;
    let readies = (0..READIES).map(|_| {
        let begun = Instant::now();
        black_box(compiled(source.clone(), options));
        begun.elapsed().as_secs_f64() * 1000.0
    });
    let ready_ms = median(readies.collect());
    let engine = compiled(source, options);

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

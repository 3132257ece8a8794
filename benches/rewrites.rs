//! Rules that mean the same ought to play equally fast, however they are written: games against themselves, written
//! otherwise.

mod common;
#[allow(dead_code)]
#[path = "../tests/files/mod.rs"]
mod files;
#[allow(dead_code)]
#[path = "../tests/rewrites/mod.rs"]
mod rewrites;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use common::contender::{Contender, ROUNDS, grouped, median, play};
use common::{Args, compiled};
use parlour::jit::Compiled;
use parlour::num::Rng;
use parlour::play::{bundled, bundled_source};
use parlour::source::Source;

/// How long a contender plays at a time, unless told.
const SLICE: Duration = Duration::from_millis(50);
/// What is listed by itself: a game so much slower than as it was written.
const SLOW: f64 = 0.7;

/// One rewrite of a game: what it does, and how fast it is by the game itself.
struct Measured {
    kind: &'static str,
    ratio: f64,
    /// What of it runs in the reference, and does not in the game as it was written.
    left_out: Vec<String>,
    /// Whether code hands playouts over to the reference.
    hands_over: bool,
}

/// Plays rules as written and otherwise, a slice of time each in turn.
fn measure(kind: &'static str, original: &Compiled, source: Source, slice: Duration) -> Measured {
    let rewritten = compiled(source, &[]);
    let [mut before, mut after] = [(); 2].map(|()| Contender::default());
    let mut rngs = [0, 1].map(|n| Rng::nth(0, n));
    for _ in 0..ROUNDS {
        before.run(slice, |count, on| play(original, &mut rngs[0], count, on));
        after.run(slice, |count, on| play(&rewritten, &mut rngs[1], count, on));
    }
    let ratios = before.speeds.iter().zip(&after.speeds).map(|(before, after)| after / before).collect();
    let new = rewritten.left_out().iter().filter(|line| !original.left_out().contains(line));
    let hands_over = rewritten.handed_over() > 0 && original.handed_over() == 0;
    Measured { kind, ratio: median(ratios), left_out: new.cloned().collect(), hands_over }
}

/// The games: those that are shipped, and those that readers of the manual have invented.
fn games() -> Vec<(String, Source)> {
    let shipped = bundled().into_iter().map(|(name, _)| {
        let source = bundled_source(&name).expect("a bundled game");
        (name, source)
    });
    let invented = files::invented().into_iter().map(|source| {
        let name = source.name.trim_end_matches(".game").to_string();
        (name, source)
    });
    shipped.chain(invented).collect()
}

fn main() -> ExitCode {
    let games = games();
    let kinds = rewrites::kinds();
    let names: Vec<&str> = games.iter().map(|(name, _)| name.as_str()).collect();
    let kind_names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
    let args = match Args::read_with(&names, &kind_names, SLICE) {
        Ok(args) => args,
        Err(code) => return code,
    };
    if args.print {
        for (name, source) in games.iter().filter(|(name, _)| args.wants(name)) {
            for kind in kinds.iter().filter(|kind| args.wants_kind(kind.name)) {
                if let Some(source) = kind.rewrite(source) {
                    println!("// {name}, {}\n\n{}", kind.name, source.text);
                }
            }
        }
        return ExitCode::SUCCESS;
    }
    args.announce("rewrites");
    println!("| game | playouts/s | as it was | kinds | geometric mean | worst | its kind | below {SLOW} |");
    println!("| --- |{} --- | ---: |", " ---: |".repeat(5));
    let mut slow = Vec::new();
    let (mut count, mut logs) = (0, 0.0);
    for (name, source) in games.iter().filter(|(name, _)| args.wants(name)) {
        let original = compiled(source.clone(), &[]);
        let same = measure("as it was", &original, rewrites::printed(source), args.slice);
        let mut speed = Contender::default();
        speed.run(args.slice, |count, on| play(&original, &mut Rng::new(0), count, on));
        let all: Vec<Measured> = kinds
            .iter()
            .filter(|kind| args.wants_kind(kind.name))
            .filter_map(|kind| {
                let source = kind.rewrite(source)?;
                Some(measure(kind.name, &original, source, args.slice))
            })
            .collect();
        let sum: f64 = all.iter().map(|one| one.ratio.ln()).sum();
        let Some(worst) = all.iter().min_by(|a, b| a.ratio.total_cmp(&b.ratio)) else { continue };
        println!(
            "| {name} | {} | {:.2} | {} | {:.2} | {:.3} | {} | {} |",
            grouped(speed.speed()),
            same.ratio,
            all.len(),
            (sum / all.len() as f64).exp(),
            worst.ratio,
            worst.kind,
            all.iter().filter(|one| one.ratio < SLOW).count(),
        );
        std::io::stdout().flush().expect("a place to print to");
        count += all.len();
        logs += sum;
        slow.extend(all.into_iter().filter(|one| one.ratio < SLOW).map(|one| (name, one)));
    }
    println!(
        "\n{count} rewrites, geometric mean {:.2}, {} below {SLOW}.",
        (logs / count as f64).exp(),
        slow.len()
    );
    if slow.is_empty() {
        return ExitCode::SUCCESS;
    }
    slow.sort_by(|(_, a), (_, b)| a.ratio.total_cmp(&b.ratio));
    println!("\n| game | kind | ratio | runs in the reference |\n| --- | --- | ---: | --- |");
    for (name, one) in slow {
        let mut why = one.left_out;
        if one.hands_over {
            why.push("hands playouts over".to_string());
        }
        println!("| {name} | {} | {:.3} | {} |", one.kind, one.ratio, why.join("; "));
    }
    ExitCode::SUCCESS
}

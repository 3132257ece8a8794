//! Equivalent rules should play equally fast, however they are written: measures games against rewritten
//! versions of themselves.

mod common;
#[allow(dead_code)] // the suites use the rest
#[path = "../tests/files/mod.rs"]
mod files;
#[allow(dead_code)]
#[path = "../tests/rewrites/mod.rs"]
mod rewrites;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use common::contender::{Contender, MAX_ERRORS, ROUNDS, grouped, median, play};
use common::{Args, compiled};
use parlour::engine::Engine;
use parlour::jit::Compiled;
use parlour::num::Rng;
use parlour::play::{bundled, bundled_source};
use parlour::source::Source;
use rewrites::Kind;

/// The default time slice of a contender.
const SLICE: Duration = Duration::from_millis(50);
/// The speed ratio below which a rewrite is listed individually.
const SLOW: f64 = 0.7;

/// Reported if mean lengths are too far apart; then the rewrite plays a different game.
const DISAGREE: &str = "DISAGREE";

/// One rewrite of a game: the kind of rewrite, and its speed relative to the original.
struct Measured {
    kind: &'static str,
    ratio: f64,
    /// The parts that need the reference evaluator though the original does not, and other problems.
    why: Vec<String>,
}

/// Plays the original and rewritten rules in alternating time slices.
fn measure(kind: &'static str, original: &Compiled, source: Source, slice: Duration) -> Measured {
    let rewritten = compiled(source, &[]);
    let [mut before, mut after] = [(); 2].map(|()| Contender::default());
    let mut rngs = [0, 1].map(|n| Rng::nth(0, n));
    for _ in 0..ROUNDS {
        before.run(slice, |count, on| play(original, &mut rngs[0], count, on));
        after.run(slice, |count, on| play(&rewritten, &mut rngs[1], count, on));
    }
    let ratios = before.speeds.iter().zip(&after.speeds).map(|(before, after)| after / before).collect();
    let known = reasons(original);
    let mut why: Vec<String> =
        reasons(&rewritten).into_iter().filter(|reason| !known.contains(reason)).collect();
    if rewritten.bailouts().choices > 0 && original.bailouts().choices == 0 {
        why.push("the reference plays choices".to_string());
    }
    if !before.agrees(&after) {
        why.push(DISAGREE.to_string());
    }
    Measured { kind, ratio: median(ratios), why }
}

/// Returns the reasons why compiled code leaves parts to the reference evaluator or calls it.
fn reasons(engine: &Compiled) -> Vec<String> {
    let left = engine.left_out().iter().map(|part| part.text.clone());
    let mut all: Vec<String> =
        left.chain(engine.interpreted().into_iter().map(|reason| reason.text)).collect();
    all.dedup();
    all
}

/// Returns the bundled games, and those invented by readers of the manual.
fn games() -> Vec<(String, Source)> {
    let shipped = bundled().into_iter().map(|(name, _)| {
        let source = bundled_source(&name).expect("a bundled game");
        (name, source)
    });
    let invented = files::in_folders(&["tests/language/invented"]).into_iter().map(|source| {
        let name = source.name.trim_end_matches(".game").to_string();
        (name, source)
    });
    shipped.chain(invented).collect()
}

/// Measures a game under all wanted rewrites and prints its row.
fn row(name: &str, source: &Source, kinds: &[Kind], args: &Args) -> Vec<Measured> {
    let original = compiled(source.clone(), &[]);
    let rules = rewrites::Original::of(source);
    let sources = kinds.iter().filter_map(|kind| Some((kind.name, kind.rewrite(&rules)?)));
    let all: Vec<Measured> =
        sources.map(|(kind, source)| measure(kind, &original, source, args.slice)).collect();
    let Some(worst) = all.iter().min_by(|a, b| a.ratio.total_cmp(&b.ratio)) else { return all };
    // The noise of the measurement itself: the same rules, printed.
    let same = measure("as it was", &original, rules.printed(), args.slice);
    let mut speed = Contender::default();
    speed.run(args.slice, |count, on| play(&original, &mut Rng::new(0), count, on));
    println!(
        "| {name} | {} | {:.2} | {} | {:.2} | {:.3} | {} | {} |",
        grouped(speed.speed()),
        same.ratio,
        all.len(),
        mean(&all),
        worst.ratio,
        worst.kind,
        all.iter().filter(|one| one.ratio < SLOW).count(),
    );
    std::io::stdout().flush().expect("a place to print to");
    all
}

/// Returns the geometric mean of the ratios.
fn mean<'m>(all: impl IntoIterator<Item = &'m Measured>) -> f64 {
    let logs: Vec<f64> = all.into_iter().map(|one| one.ratio.ln()).collect();
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}

/// Prints the texts that would be measured.
fn print(games: &[(String, Source)], kinds: &[Kind]) {
    for (name, source) in games {
        let rules = rewrites::Original::of(source);
        for kind in kinds {
            if let Some(source) = kind.rewrite(&rules) {
                println!("// {name}, {}\n\n{}", kind.name, source.text);
            }
        }
    }
}

fn main() -> ExitCode {
    let (mut games, mut kinds) = (games(), rewrites::kinds());
    let names: Vec<&str> = games.iter().map(|(name, _)| name.as_str()).collect();
    let kind_names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
    let args = match Args::read_with(&names, &kind_names, SLICE) {
        Ok(args) => args,
        Err(code) => return code,
    };
    games.retain(|(name, _)| args.wants(name));
    kinds.retain(|kind| args.wants_kind(kind.name));
    if args.print {
        print(&games, &kinds);
        return ExitCode::SUCCESS;
    }
    args.announce("rewrites");
    println!("| game | playouts/s | as it was | kinds | geometric mean | worst | its kind | below {SLOW} |");
    println!("| --- |{} --- | ---: |", " ---: |".repeat(5));
    let all: Vec<(&str, Measured)> = games
        .iter()
        .flat_map(|(name, source)| {
            row(name, source, &kinds, &args).into_iter().map(|one| (name.as_str(), one))
        })
        .collect();
    let (count, mean) = (all.len(), mean(all.iter().map(|(_, one)| one)));
    let disagree = |one: &Measured| one.why.iter().any(|why| why == DISAGREE);
    let disagreed = all.iter().filter(|(_, one)| disagree(one)).count();
    let mut listed: Vec<_> = all.into_iter().filter(|(_, one)| one.ratio < SLOW || disagree(one)).collect();
    listed.sort_by(|(_, a), (_, b)| a.ratio.total_cmp(&b.ratio));
    let slow = listed.iter().filter(|(_, one)| one.ratio < SLOW).count();
    println!("\n{count} rewrites, geometric mean {mean:.2}, {slow} below {SLOW}.");
    if !listed.is_empty() {
        println!("\n| game | kind | ratio | what runs in the reference |\n| --- | --- | ---: | --- |");
    }
    for (name, Measured { kind, ratio, why }) in listed {
        println!("| {name} | {kind} | {ratio:.3} | {} |", why.join("; "));
    }
    if disagreed > 0 {
        println!("{DISAGREE}: mean lengths are more than {MAX_ERRORS} standard errors apart.");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

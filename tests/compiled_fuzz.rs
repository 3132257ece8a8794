//! Rule files that nobody wrote, played by both engines: generated ones, and mutated bundled games.
//!
//! A test runs for ten seconds, or for `PARLOUR_FUZZ_SECONDS`; `PARLOUR_FUZZ_SEED` is the number of the first
//! file. The file under test is in `target/tmp/NAME.game`, with its number in the first line.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::engines::maker::Maker;
use crate::engines::mutate::Mutator;
use crate::engines::{Pair, Same, Seen};
use parlour::num::Rng;
use parlour::play::Rules;
use parlour::source::Source;

/// The most time per file, the most matches that are compared, their length, and the longest list of moves.
const TIME: Duration = Duration::from_millis(60);
const MATCHES: u64 = 3;
const MAX_MOVES: u64 = 40;
const LISTED: usize = 300;
/// The time limit for shrinking a failing file.
const SHRINK: Duration = Duration::from_secs(20);

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Compares both engines on a file with some number of players. `None` if the file does not check.
fn attempt(number: u64, text: &str) -> Option<Same<Seen>> {
    let rules = Rules::load(Source::new("fuzz.game", text)).ok()?;
    let most = rules.game.seats.max.unwrap_or(4).min(4).max(rules.game.seats.min);
    let spread = (most - rules.game.seats.min + 1) as u64;
    let players = rules.game.seats.min + Rng::nth(3, number).below_u64(spread) as usize;
    let mut pair = Pair::new(&rules, &Default::default(), players).ok()?;
    pair.listed = LISTED;
    Some(pair.matches(MATCHES, MAX_MOVES, TIME))
}

/// Returns how a file fails, if it does.
fn failure(number: u64, text: &str) -> Option<String> {
    match catch_unwind(AssertUnwindSafe(|| attempt(number, text))) {
        Ok(Some(Err(what))) => Some(what),
        Ok(_) => None,
        Err(panic) => {
            let why = panic.downcast_ref::<String>().map(String::as_str);
            let why = why.or_else(|| panic.downcast_ref::<&str>().copied());
            Some(format!("a panic: {}", why.unwrap_or("without a word")))
        }
    }
}

/// Returns the file without the lines that the failure does not depend on.
fn shrunk(number: u64, text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let (began, mut size) = (Instant::now(), lines.len() / 2);
    while size > 0 && began.elapsed() < SHRINK {
        let mut at = 0;
        let before = lines.len();
        while at + size <= lines.len() && began.elapsed() < SHRINK {
            let fewer: Vec<&str> = [&lines[..at], &lines[at + size..]].concat();
            match failure(number, &fewer.join("\n")) {
                Some(_) => lines = fewer,
                None => at += 1,
            }
        }
        // An empty block is removed together with its closing brace.
        size = if size == 1 && lines.len() < before { 2 } else { size - 1 };
    }
    lines.join("\n") + "\n"
}

/// Tries one file after the other; reports a failing file, shrunk as far as possible.
fn run(name: &str, make: impl Fn(u64) -> String) {
    let limit = Duration::from_secs(number("PARLOUR_FUZZ_SECONDS").unwrap_or(10));
    let from = number("PARLOUR_FUZZ_SEED").unwrap_or(0);
    let trace = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.game"));
    let (began, mut sound, mut seen) = (Instant::now(), 0u64, Seen::default());
    let mut at = from;
    while began.elapsed() < limit {
        let text = make(at);
        // Machine code that crashes cannot report anything, so the file is written first.
        std::fs::write(&trace, format!("// PARLOUR_FUZZ_SEED={at}\n{text}"))
            .expect("the trace can be written");
        match catch_unwind(AssertUnwindSafe(|| attempt(at, &text))) {
            Ok(None) => {}
            Ok(Some(Ok(more))) => {
                sound += 1;
                seen.add(more);
            }
            _ => {
                // The panics while shrinking are not of interest.
                let hook = std::panic::take_hook();
                std::panic::set_hook(Box::new(|_| {}));
                let short = shrunk(at, &text);
                std::panic::set_hook(hook);
                let what = failure(at, &short).unwrap_or_default();
                panic!("{name}, PARLOUR_FUZZ_SEED={at}: {what}\n\n{short}");
            }
        }
        at += 1;
    }
    eprintln!("{name}: {} files, {sound} of them sound: {seen:?}", at - from);
    assert!(sound > 0 || limit.is_zero(), "{name}: no file was sound");
}

#[test]
fn files_made_from_nothing() {
    run("compiled_fuzz", Maker::file);
}

#[test]
fn shipped_games_changed() {
    let mutator = Mutator::new();
    run("compiled_mutants", |number| mutator.file(number));
}

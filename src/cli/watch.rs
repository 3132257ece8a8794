//! `parlour watch`: at every save of a rule file, checks it, runs its examples and plays a few hundred
//! matches.
//!
//! The file, and the games that it varies, are read several times a second and compared with the previous
//! contents. This is simpler than notifications by the operating system: it works the same on every system
//! and over networks, needs no further crate, and handles editors that replace the file. A rule file has a
//! few kilobytes, so reading it takes less than a thousandth of the interval.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, SendError, Sender};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use clap::Args;

use super::cores::cores;
use super::files::{bundled_game, game_source, io_failure};
use super::progress::Progress;
use super::simulate::round;
use super::test::{Outcome, examples};
use super::{EngineKind, Exit, Failure, GameArgs, MAX_MOVES, note, out, reports, style, unwritten, width};
use crate::diag::render;
use crate::engine::Engine;
use crate::eval::{Fault, Machine};
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::lab::{Simulation, Tally};
use crate::play::{Rules, and};
use crate::repl::terminal::wrapped;
use crate::source::Source;

/// The interval between looks at the file.
const PAUSE: Duration = Duration::from_millis(200);
/// How long a file must stay unchanged, so that a half-written one is not used.
const SETTLED: Duration = Duration::from_millis(40);
/// The number of looks after which a file that stays unreadable, or play without a finished match, is
/// reported. Editors remove files for a moment.
const PATIENCE: u32 = 10;
/// The stack size of the thread that compiles and plays, in bytes; the same as that of a main thread.
const STACK: usize = 8 << 20;

#[derive(Args)]
pub struct WatchArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How many matches to play
    #[arg(long, value_name = "N", default_value_t = 300)]
    games: u64,
    /// The random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Look once and stop, with exit status 1 if something is wrong
    #[arg(long)]
    once: bool,
}

pub fn run(args: &WatchArgs) -> Exit {
    let game = args.game.setting.game.as_str();
    let refuse = |why: &str| Err(Failure::Usage(format!("`{game}` {why}")));
    if game == "-" {
        return refuse("cannot be watched: standard input is read once");
    }
    let bundled = bundled_game(game).is_some();
    if bundled && !args.once {
        return refuse(&format!(
            "is bundled and cannot be edited; `parlour new NAME --from {game}` makes a variant that can"
        ));
    }
    if !bundled && Path::new(game).is_dir() {
        return refuse("is a folder; name one file in it");
    }
    let mut source = game_source(game)?;
    if args.once {
        return Ok(u8::from(look(args, &source, &|| false)? == Found::Wrong));
    }
    // Ctrl-C is the normal way to end; there is nothing to save.
    let _ = ctrlc::set_handler(|| {
        if io::stderr().is_terminal() {
            // A report may be half printed in colour.
            let _ = io::stderr().write_all(b"\x1b[0m\n");
        }
        std::process::exit(0);
    });
    let mut first = true;
    loop {
        if io::stdout().is_terminal() {
            // Clear the screen; terminals with a scrollback keep what was there.
            write!(io::stdout(), "\x1b[2J\x1b[H").map_err(|error| unwritten(&error))?;
        } else if !first {
            out("")?;
        }
        match look(args, &source, &|| game_source(game).is_ok_and(|now| now != source)) {
            // An option that was set may be missing from the file only for now.
            Err(Failure::Usage(text)) if !first => note(&format!("error: {text}")),
            Err(other) => return Err(other),
            Ok(_) => {}
        }
        first = false;
        note(&format!("watching {}; Ctrl-C stops", names(&source)));
        source = next_save(game, source);
    }
}

/// Lists the files on disk of which a source consists.
fn names(source: &Source) -> String {
    let names: Vec<&str> =
        source.files().map(|(name, _)| name).filter(|name| Path::new(name).exists()).collect();
    and(&names)
}

/// Waits until the file, or a game that it varies, has changed.
fn next_save(game: &str, known: Source) -> Source {
    let mut failures = 0;
    loop {
        sleep(PAUSE);
        match game_source(game) {
            Ok(now) => {
                if failures >= PATIENCE {
                    note(&format!("{game}: it is back"));
                }
                failures = 0;
                if now != known {
                    sleep(SETTLED);
                    if game_source(game).is_ok_and(|again| again == now) {
                        return now;
                    }
                }
            }
            Err(failure) => {
                failures += 1;
                if failures == PATIENCE
                    && let Failure::Wrong(text) | Failure::Usage(text) = failure
                {
                    note(&format!("{text}; waiting for it"));
                }
            }
        }
    }
}

/// The result of looking at a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// Nothing is wrong.
    Right,
    /// There is an error, a failing example, or a match that breaks the rules.
    Wrong,
    /// The file changed before all matches were played.
    Changed,
}

/// Checks, tests and plays a rule file and reports on it. `changed` says whether there is a newer version.
fn look(args: &WatchArgs, source: &Source, changed: &dyn Fn() -> bool) -> Result<Found, Failure> {
    let style = style(io::stdout().is_terminal());
    let values = &args.game.setting.values;
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let name = &source.name;
    let rules = match Rules::load(source.clone()) {
        Ok(rules) => rules,
        Err(found) => {
            out(&reports(source, &found, style))?;
            out(&format!("{name}: {}", count(found.len(), "error")))?;
            return Ok(Found::Wrong);
        }
    };
    values.are_known(&[&rules])?;
    if rules.warnings.is_empty() {
        out(&format!("{name}: no mistakes"))?;
    } else {
        out(&reports(source, &rules.warnings, style))?;
        out(&format!("{name}: {}", count(rules.warnings.len(), "warning")))?;
    }
    let mut found = Found::Right;
    let mut tested = Vec::new();
    examples(rules.clone(), values, &mut |one| {
        tested.push(one);
        Ok(true)
    })?;
    let passed = tested.iter().filter(|tested| matches!(tested.outcome, Outcome::Passed)).count();
    for tested in tested.iter().filter(|tested| !matches!(tested.outcome, Outcome::Passed)) {
        out(&tested.words(source, Some((style, super::look(io::stdout().is_terminal(), false)))))?;
        if let Outcome::Failed(..) = tested.outcome {
            found = Found::Wrong;
        }
    }
    out(&match tested.len() {
        0 => "there are no examples".to_string(),
        all => format!("examples: {passed} of {all} pass"),
    })?;
    let machine = match values.machine(&rules) {
        Ok(machine) => machine,
        Err(Failure::Wrong(text)) => {
            out(&text)?;
            return Ok(Found::Wrong);
        }
        Err(other) => return Err(other),
    };
    let played = play(args, rules, machine, changed)?;
    Ok(if played == Found::Right { found } else { played })
}

/// A message from the thread that plays the matches.
enum WatchEvent {
    /// This many matches are over.
    Played(u64),
    /// The match of this number, from 0, broke the rules.
    Broken(u64, Fault),
    /// All matches are over: their lengths and winners in words.
    Over(String),
}

/// Plays random matches and reports their lengths and winners.
///
/// They are played in a separate thread, because a match with slow rules can take minutes, in which the file
/// may be saved again: then the receiver is dropped, and the thread ends after its current matches.
fn play(
    args: &WatchArgs,
    rules: Rules,
    machine: Machine,
    changed: &dyn Fn() -> bool,
) -> Result<Found, Failure> {
    let (games, seed, kind) = (args.games, args.seed, args.game.engine.engine);
    let source = rules.source.clone();
    let (tell, told) = mpsc::channel();
    let spawned = thread::Builder::new().stack_size(STACK).spawn(move || match kind {
        #[cfg(feature = "jit")]
        EngineKind::Compiled => matches(&rules, &Compiled::new(machine), (games, seed), &tell),
        EngineKind::Reference => matches(&rules, &machine, (games, seed), &tell),
    });
    let player = spawned.map_err(|error| io_failure("the matches", &error))?;
    let progress = Progress::new("no match is over yet");
    let (mut over, mut looks, mut looked) = (0, 0, Instant::now());
    loop {
        if looked.elapsed() >= PAUSE {
            if changed() {
                return Ok(Found::Changed);
            }
            looked = Instant::now();
            looks += 1;
            if looks == PATIENCE && over == 0 && !io::stderr().is_terminal() {
                note("no match is over yet");
            }
        }
        match told.recv_timeout(PAUSE) {
            Ok(WatchEvent::Played(played)) => {
                over = played;
                progress.tell(played as f64 / games as f64, || format!("{played} of {games} matches"));
            }
            Ok(WatchEvent::Broken(n, fault)) => {
                out(&render::human(&source, &fault, style(io::stdout().is_terminal())))?;
                let again = format!("parlour simulate {} --games {}", args.game.setting.game, n + 1);
                let sentence = format!("match {n} breaks off here; `{again} --seed {seed}` shows it");
                out(&wrapped(&sentence, width()))?;
                return Ok(Found::Wrong);
            }
            Ok(WatchEvent::Over(words)) => {
                out(&words.lines().map(|line| wrapped(line, width())).collect::<Vec<_>>().join("\n"))?;
                return Ok(Found::Right);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                if let Err(panic) = player.join() {
                    std::panic::resume_unwind(panic);
                }
                return Ok(Found::Changed);
            }
        }
    }
}

/// Plays the matches while there is a receiver.
fn matches<E: Engine + Sync>(
    rules: &Rules,
    engine: &E,
    (games, seed): (u64, u64),
    tell: &Sender<WatchEvent>,
) -> Result<(), SendError<WatchEvent>> {
    let simulation = Simulation { rules, engine, seed, max_moves: MAX_MOVES };
    let mut tally = Tally::default();
    let cores = cores();
    while tally.games < games {
        for played in round(&|numbers| simulation.play(numbers, false), (tally.games, games), (cores, 1)) {
            tally.join(&played.tally);
            if let Some((n, fault)) = played.broken {
                return tell.send(WatchEvent::Broken(n, fault));
            }
        }
        tell.send(WatchEvent::Played(tally.games))?;
    }
    tell.send(WatchEvent::Over(tally.words(&simulation, "at random")))
}

//! `parlour watch`: at every save of a rule file its mistakes, its examples, and a few hundred matches.
//!
//! The file, and the games it varies, are read again a few times a second and compared with what was read before.
//! That is plainer than to be told by the system: it is the same on every system and over a network, needs no
//! further package, and an editor that puts another file in the place of this one looks like any other. A rule
//! file is a few kilobytes, so that reading it takes less than a thousandth of the time between.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, SendError, Sender};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use clap::Args;

use super::cores::cores;
use super::files::{bundled_game, game_source, trouble};
use super::progress::Progress;
use super::simulate::round;
use super::test::{Outcome, examples};
use super::{EngineKind, Exit, Failure, GameArgs, note, out, reports, style, unwritten, width};
use crate::diag::render;
use crate::engine::Engine;
use crate::eval::{Fault, Machine};
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::lab::{Simulation, Tally};
use crate::play::{Rules, and};
use crate::repl::terminal::wrapped;
use crate::source::Source;

/// How long it is until the file is looked at again.
const PAUSE: Duration = Duration::from_millis(200);
/// For how long a file must stay as it is, so that none is taken that is half written.
const SETTLED: Duration = Duration::from_millis(40);
/// After how many looks a file that cannot be read is told of: editors take it away for a moment.
const PATIENCE: u32 = 10;
/// After how many choices a match is given up.
const MAX_MOVES: u64 = 10_000;
/// The stack of the thread that compiles and plays, in bytes: what a main thread has.
const STACK: usize = 8 << 20;

#[derive(Args)]
pub struct WatchArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How many matches are played
    #[arg(long, value_name = "N", default_value_t = 300)]
    games: u64,
    /// The random source
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Look once and end: with exit status 1 where something is wrong
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
            "is bundled and stays as it is; `parlour new NAME --from {game}` makes a file"
        ));
    }
    if !bundled && Path::new(game).is_dir() {
        return refuse("is a folder; name one file in it");
    }
    let mut source = game_source(game)?;
    if args.once {
        return Ok(u8::from(look(args, &source, &|| false)? == Found::Wrong));
    }
    // To stop is how this ends: nothing is lost, so that nothing is waited for.
    let _ = ctrlc::set_handler(|| {
        if io::stderr().is_terminal() {
            // A report may be half drawn, in colour.
            let _ = io::stderr().write_all(b"\x1b[0m\n");
        }
        std::process::exit(0);
    });
    let mut first = true;
    loop {
        if io::stdout().is_terminal() {
            // The screen is cleared, and what stood on it before stays in reach where the terminal keeps it.
            write!(io::stdout(), "\x1b[2J\x1b[H").map_err(|error| unwritten(&error))?;
        } else if !first {
            out("")?;
        }
        match look(args, &source, &|| game_source(game).is_ok_and(|now| now != source)) {
            // What the command line sets may be gone from the file only for now.
            Err(Failure::Usage(text)) if !first => note(&format!("error: {text}")),
            Err(other) => return Err(other),
            Ok(_) => {}
        }
        first = false;
        note(&format!("watching {}; Ctrl-C ends", names(&source)));
        source = next_save(game, source);
    }
}

/// The files a source is made of, as far as they lie on the disk.
fn names(source: &Source) -> String {
    let names: Vec<&str> =
        source.files().map(|(name, _)| name).filter(|name| Path::new(name).exists()).collect();
    and(&names)
}

/// Waits until the file, or a game it varies, says something else.
fn next_save(game: &str, known: Source) -> Source {
    let mut failures = 0;
    loop {
        sleep(PAUSE);
        match game_source(game) {
            Ok(now) => {
                if failures >= PATIENCE {
                    note(&format!("{game}: it is there again"));
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

/// What a look at a file says of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// Nothing is wrong with it.
    Right,
    /// It has a mistake, an example fails, or a match breaks.
    Wrong,
    /// It was changed before all matches were played.
    Changed,
}

/// Checks, tests and plays a rule file, and tells of it. `changed` says whether there is a newer one.
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
        0 => "there is no example".to_string(),
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

/// What is told of matches while they are played.
enum Told {
    /// So many are over.
    Played(u64),
    /// The match with this number, from 0, breaks off.
    Broken(u64, Fault),
    /// All are over: how long they were and who won.
    Over(String),
}

/// Plays matches at random, and tells how long they were and who won.
///
/// They are played in a thread of their own, for a match of slow rules can take minutes, and the file may be saved
/// again meanwhile: then nobody listens any longer, and the thread ends with the matches it is at.
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
    let player = spawned.map_err(|error| trouble("the matches", &error))?;
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
            Ok(Told::Played(played)) => {
                over = played;
                progress.tell(played as f64 / games as f64, || format!("{played} of {games} matches"));
            }
            Ok(Told::Broken(n, fault)) => {
                out(&render::human(&source, &fault, style(io::stdout().is_terminal())))?;
                let again = format!("parlour simulate {} --games {}", args.game.setting.game, n + 1);
                let sentence = format!("match {n} breaks off here; `{again} --seed {seed}` shows it");
                out(&wrapped(&sentence, width()))?;
                return Ok(Found::Wrong);
            }
            Ok(Told::Over(words)) => {
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

/// Plays the matches, for as long as somebody listens.
fn matches<E: Engine + Sync>(
    rules: &Rules,
    engine: &E,
    (games, seed): (u64, u64),
    tell: &Sender<Told>,
) -> Result<(), SendError<Told>> {
    let simulation = Simulation { rules, engine, seed, max_moves: MAX_MOVES };
    let mut tally = Tally::default();
    let cores = cores();
    while tally.games < games {
        for played in round(&|numbers| simulation.play(numbers, false), (tally.games, games), (cores, 1)) {
            tally.join(&played.tally);
            if let Some((n, fault)) = played.broken {
                return tell.send(Told::Broken(n, fault));
            }
        }
        tell.send(Told::Played(tally.games))?;
    }
    tell.send(Told::Over(tally.words(&simulation, "at random")))
}

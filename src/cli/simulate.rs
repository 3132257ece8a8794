//! `parlour simulate`: plays many matches, at random or by bots.

use std::collections::BTreeSet;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;

use super::cores::{cores, share_out};
use super::coverage::{CoverageArgs, json as coverage_json};
use super::files::{self, io_failure};
use super::progress::{Progress, Stopping, interruption};
use super::{EngineKind, Exit, Failure, FormatArgs, GameArgs, MAX_PLAYOUT, fault, folded, note, out};
use crate::bots::{Bot, Mind, MixFile, MixFileRef};
use crate::diag::{Code, nearest};
use crate::engine::Engine;
use crate::equilibrium::Mixes;
use crate::eval::Machine;
use crate::explore::{counted, thousands};
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::lab::{Contest, Covered, Played, Simulation, Tally, play_again, seating};
use crate::play::Rules;

/// The approximate duration of a round of matches, in milliseconds.
const ROUND_MS: u128 = 50;
/// The approximate number of batches that each core plays in a round; with several, a long match delays the
/// others less.
const ROWS: usize = 4;

#[derive(Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How many matches to play
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// The random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The bot that plays every seat
    #[arg(long, default_value = "random")]
    bot: String,
    /// The bot of one seat, as in 2=mcts:500 (500 playouts a choice) or 2=tree:500 (without proofs, as in studies)
    #[arg(long, value_name = "SEAT=BOT")]
    seat: Vec<String>,
    #[command(flatten)]
    format: FormatArgs,
    /// Write the records of the matches to a file, one a line
    #[arg(long, value_name = "FILE")]
    records: Option<String>,
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u64).range(1..), help = format!("Give a match up as unfinished after this many choices [default: {MAX_PLAYOUT}]"))]
    max_moves: Option<u64>,
    #[command(flatten)]
    coverage: CoverageArgs,
}

/// Parses a seat, from 1, and its bot, as in `2=random`.
pub fn read_seat(text: &str, rules: &Rules, machine: &Machine) -> Result<(usize, Bot), Failure> {
    let usage = |what: String| Failure::Usage(format!("`--seat {text}`: {what}"));
    let players = machine.setup.players;
    let (seat, bot) = text.split_once('=').ok_or_else(|| {
        let bot = if text.parse::<usize>().is_ok() || text.is_empty() { "random" } else { text };
        usage(format!("write it with a seat, as in 2={bot}"))
    })?;
    let named = || rules.game.seats.find(seat).map(|seat| seat + 1);
    let number = seat.parse::<usize>().ok().or_else(named).filter(|seat| (1..=players).contains(seat));
    let seat = number.ok_or_else(|| usage(no_seat(seat, rules, players)))?;
    let bot = read_bot(bot, rules, machine).map_err(|failure| match failure {
        Failure::Usage(what) => usage(what),
        failure => failure,
    })?;
    Ok((seat, bot))
}

/// Says which seats there are, and how there would be the one that is wanted.
pub fn no_seat(wanted: &str, rules: &Rules, players: usize) -> String {
    let seats = format!("there are seats 1 to {players}");
    let roles = rules.game.seats.roles.iter().map(String::as_str);
    if let Some(near) = nearest(wanted, roles) {
        return format!("{seats}; did you mean `{near}`?");
    }
    match wanted.parse().is_ok_and(|seat| rules.seat_needs_more(seat, players)) {
        true => format!("{seats}; `--players {wanted}` adds more"),
        false => seats,
    }
}

/// Parses the name of a bot, or `mix:FILE` for mixed strategies written by `parlour equilibrium --keep`.
pub fn read_bot(text: &str, rules: &Rules, machine: &Machine) -> Result<Bot, Failure> {
    let Some(path) = text.strip_prefix("mix:") else { return Bot::parse(text).map_err(Failure::Usage) };
    let kept = std::fs::read_to_string(path).map_err(|error| io_failure(path, &error))?;
    let mixes = Mixes::read(&kept, rules, machine)
        .map_err(|sentence| Failure::Wrong(format!("error: {path}: {sentence}")))?;
    let file = MixFile { name: path.to_string(), mixes };
    // Bots are `Copy` and passed around freely, so the mixed strategies are leaked to live as long as the
    // program.
    Ok(Bot::Mix(MixFileRef(Box::leak(Box::new(file)))))
}

pub fn run(args: &SimulateArgs) -> Exit {
    let (rules, machine) = args.game.machine()?;
    let mut bots = vec![read_bot(&args.bot, &rules, &machine)?; machine.setup.players];
    let mut seated = BTreeSet::new();
    for seat in &args.seat {
        let (seat, bot) = read_seat(seat, &rules, &machine)?;
        if !seated.insert(seat) {
            return Err(Failure::Usage(format!("`--seat {seat}={bot}`: seat {seat} already has a bot")));
        }
        bots[seat - 1] = bot;
    }
    if args.format.is_json() && args.coverage.is_lcov() && !args.coverage.apart() {
        let sentence = "JSON output is one object; write the tracefile to a file: `--coverage-file FILE`";
        return Err(Failure::Usage(sentence.to_string()));
    }
    if bots.iter().any(|bot| *bot != Bot::Random) {
        return simulate(args, &rules, &machine, &bots);
    }
    match args.game.engine.engine {
        #[cfg(feature = "jit")]
        EngineKind::Compiled if args.records.is_some() || args.coverage.wanted() => {
            simulate(args, &rules, &Compiled::recording(machine), &[])
        }
        #[cfg(feature = "jit")]
        EngineKind::Compiled => simulate(args, &rules, &Compiled::new(machine), &[]),
        EngineKind::Reference => simulate(args, &rules, &machine, &[]),
    }
}

/// Plays the matches and prints the results. If `bots` is empty, play is random.
fn simulate<E: Engine + Sync>(args: &SimulateArgs, rules: &Arc<Rules>, engine: &E, bots: &[Bot]) -> Exit {
    args.coverage.can_be_written()?;
    files::can_be_written(args.records.as_ref(), files::Output::Records)?;
    let mut records = match &args.records {
        Some(path) => {
            let file = std::fs::File::create(path).map_err(|error| unwritten(path, &error))?;
            Some((path, file))
        }
        None => None,
    };
    let stop = interruption();
    let max_moves = args.max_moves.unwrap_or(MAX_PLAYOUT);
    let simulation = Simulation { rules, engine, seed: args.seed, max_moves };
    let watched = args.coverage.wanted().then(|| rules.watched());
    let watched = watched.map(|(rules, coverage)| (Arc::new(rules), coverage));
    let wants_records = records.is_some() || watched.is_some();
    let mut tally = Tally::default();
    let progress = Progress::new("no match has finished yet");
    let clock = Stopping(Arc::clone(&stop));
    let mind = match bots.is_empty() {
        true => None,
        false => Some(Mind::new(engine.machine())),
    };
    let setup = &engine.machine().setup;
    let contest = mind.as_ref().map(|mind| Contest {
        rules,
        setup,
        bots,
        mind,
        clock: &clock,
        seed: args.seed,
        max_moves,
    });
    let how = if bots.is_empty() { "at random".to_string() } else { format!("by {}", seating(bots)) };
    let play = |numbers: Range<u64>| match &contest {
        Some(contest) => contest.play(numbers, wants_records),
        None => simulation.play(numbers, wants_records),
    };
    // Matches are played in rounds, several batches on each core, and added up in order, so that the results
    // do not depend on the number of cores.
    let cores = cores();
    let (mut size, mut warned) = (1, false);
    while tally.games < args.games && !stop.load(Ordering::SeqCst) {
        let begun = Instant::now();
        let played = round(&play, (tally.games, args.games), (cores, size));
        if let Some((rules, _)) = &watched {
            play_all_again(rules, &played)?;
        }
        for played in played {
            tally.join(&played.tally);
            if let Some((path, file)) = &mut records {
                file.write_all(played.records.as_bytes()).map_err(|error| unwritten(path, &error))?;
            }
            if let Some((n, sentence)) = played.refused {
                progress.clear();
                return Err(Failure::Wrong(format!("error: match {n}: {sentence}")));
            }
            if let Some((n, found)) = played.broken {
                progress.clear();
                // Earlier results are kept, and the match that fails can be inspected.
                let what = match found.code {
                    Code::TooMuchWork | Code::TooLarge => "needs too much work",
                    _ if contest.is_some() => "runs into a fault in the rules, in play or in a bot's search",
                    _ => "runs into a fault in the rules",
                };
                // If it fails before the first choice, there is nothing to show but the report.
                let lines = match &contest {
                    Some(contest) => contest.example_lines(n),
                    None => simulation.example_lines(n),
                };
                if lines.is_empty() {
                    note(&format!("match {n} {what}, before the first choice"));
                } else {
                    note(&format!("match {n} {what}; you can add this example of it to the file:\n"));
                    note(&simulation.example(n, &lines));
                }
                return Err(fault(rules, &found));
            }
        }
        if let Some(n) = tally.unfinished.filter(|_| args.max_moves.is_none() && !warned) {
            warned = true;
            progress.clear();
            note(&format!(
                "match {n} did not end within {}; `--max-moves` sets another limit",
                counted(max_moves, "choice", "choices")
            ));
        }
        size = match begun.elapsed().as_millis() {
            0..ROUND_MS => size * 2,
            _ => (size / 2).max(1),
        };
        let share = tally.games as f64 / args.games as f64;
        progress.tell(share, || format!("{} of {} matches", thousands(tally.games), thousands(args.games)));
    }
    drop(progress);
    let covered = watched.iter().flat_map(|(_, coverage)| Covered::files(rules, coverage, &rules.source));
    let covered: Vec<Covered> = covered.collect();
    match args.format.is_json() {
        true => {
            let mut object = tally.json(&simulation);
            if !bots.is_empty() {
                object["bots"] = bots.iter().map(Bot::to_string).collect();
            }
            if args.coverage.wanted() && !args.coverage.apart() {
                object["coverage"] = coverage_json(&covered);
            }
            out(&object.to_string())?;
        }
        // If standard output is reserved for coverage, results go to standard error.
        false if args.coverage.alone() => note(&folded(&tally.words(&simulation, &how))),
        false => out(&folded(&tally.words(&simulation, &how)))?,
    }
    if !args.format.is_json() || args.coverage.apart() {
        args.coverage.write(&covered)?;
    }
    if stop.load(Ordering::SeqCst) {
        note(&format!(
            "interrupted after {} of {} matches; the figures cover only these",
            thousands(tally.games),
            thousands(args.games)
        ));
        return Ok(130);
    }
    Ok(0)
}

/// Replays matches in the reference evaluator to count what runs in the rules, with one thread for each
/// batch.
fn play_all_again(rules: &Arc<Rules>, played: &[Played]) -> Result<(), Failure> {
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            played.iter().map(|played| scope.spawn(|| play_again(rules, &played.records))).collect();
        threads.into_iter().try_for_each(|thread| {
            let result = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            result.map_err(|sentence| Failure::Wrong(format!("error: {sentence}")))
        })
    })
}

/// Converts an error in writing records, which may go to a pipe whose reader has gone.
fn unwritten(path: &str, error: &std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Failure::Gone,
        _ => files::unwritten(path, error),
    }
}

/// Plays the matches from number `next` up to `games` at most: several batches of up to `size` matches on
/// each core. Returns the results in order.
pub fn round(
    play: &(dyn Fn(Range<u64>) -> Played + Sync),
    (next, games): (u64, u64),
    (cores, size): (usize, u64),
) -> Vec<Played> {
    let rows = (games - next).div_ceil(size).min((cores * ROWS) as u64) as usize;
    let numbers = |row: u64| next + row * size..(next + (row + 1) * size).min(games);
    let mut all: Vec<Option<Played>> = (0..rows).map(|_| None).collect();
    share_out(cores, rows, &|row| play(numbers(row as u64)), &mut |row, played| {
        all[row] = Some(played);
        true
    });
    all.into_iter().flatten().collect()
}

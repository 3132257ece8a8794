//! `parlour simulate`: many matches at random.

use std::io::{BufWriter, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;

use super::{EngineKind, Exit, Failure, GameArgs, fault, note, out};
use crate::bots::Bot;
use crate::engine::Engine;
use crate::jit::Compiled;
use crate::lab::{Simulation, Tally};
use crate::play::Rules;

/// After how many choices a match is given up, unless told otherwise.
const MAX_MOVES: u64 = 3_000_000;

#[derive(Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How many matches
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// The random source
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The bot that plays every seat
    #[arg(long, default_value = "random")]
    bot: String,
    /// The bot of one seat, as in 2=random
    #[arg(long, value_name = "SEAT=BOT")]
    seat: Vec<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Write each match's record, one a line
    #[arg(long, value_name = "FILE")]
    records: Option<String>,
    #[arg(long, value_name = "M", help = format!("After how many choices a match is given up as unfinished [default: {MAX_MOVES}]"))]
    max_moves: Option<u64>,
}

/// Reads `2=random`: a seat from 1, and its bot.
pub fn read_seat(text: &str, players: usize) -> Result<(usize, Bot), Failure> {
    let usage = |what: String| Failure::Usage(format!("`--seat {text}`: {what}"));
    let (seat, bot) = text.split_once('=').ok_or_else(|| usage("write it as 2=random".into()))?;
    let seat = seat.parse::<usize>().ok().filter(|seat| (1..=players).contains(seat));
    let seat = seat.ok_or_else(|| usage(format!("there are seats 1 to {players}")))?;
    Ok((seat, Bot::named(bot).map_err(usage)?))
}

pub fn run(args: &SimulateArgs) -> Exit {
    let (rules, machine) = args.game.machine()?;
    // Every bot there is plays at random, so the seats are only read and checked.
    Bot::named(&args.bot).map_err(Failure::Usage)?;
    for seat in &args.seat {
        read_seat(seat, machine.setup.players)?;
    }
    match args.game.engine.engine {
        EngineKind::Compiled => simulate(args, &rules, &Compiled::new(machine)),
        EngineKind::Reference => simulate(args, &rules, &machine),
    }
}

fn simulate<E: Engine>(args: &SimulateArgs, rules: &Rules, engine: &E) -> Exit {
    let mut records = match &args.records {
        Some(path) => {
            let file = std::fs::File::create(path)
                .map_err(|error| Failure::Wrong(format!("error: {path}: {error}")))?;
            Some(BufWriter::new(file))
        }
        None => None,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let _ = ctrlc::set_handler(move || {
        // A second Ctrl-C does not wait for the match in play.
        if flag.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    let max_moves = args.max_moves.unwrap_or(MAX_MOVES);
    let simulation = Simulation { rules, engine, seed: args.seed, max_moves };
    let mut tally = Tally::default();
    let begun = Instant::now();
    let (mut told, mut told_unfinished) = (begun, false);
    let watched = std::io::stderr().is_terminal();
    for n in 0..args.games {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let record = match simulation.run(n, &mut tally, records.is_some()) {
            Ok(record) => record,
            Err(found) => {
                // What was played is kept, and the match that breaks can be looked at.
                if let Some(mut file) = records {
                    file.flush()?;
                }
                note(&format!("match {n} breaks the rules; this example of it can be put into the file:\n"));
                note(&simulation.example(n));
                return Err(fault(rules, &found));
            }
        };
        if args.max_moves.is_none() && tally.games == tally.finished + 1 && !told_unfinished {
            told_unfinished = true;
            note(&format!(
                "match {n} did not end within {max_moves} choices; `--max-moves` sets another limit"
            ));
        }
        if let (Some(file), Some(record)) = (&mut records, record) {
            writeln!(file, "{record}")?;
        }
        if watched && told.elapsed() > Duration::from_secs(1) {
            told = Instant::now();
            let left = begun.elapsed().mul_f64((args.games - n - 1) as f64 / (n + 1) as f64);
            note(&format!("{} of {} matches; about {} s left", n + 1, args.games, left.as_secs() + 1));
        }
    }
    if let Some(mut file) = records {
        file.flush()?;
    }
    match args.json {
        true => out(&tally.json(&simulation).to_string())?,
        false => out(&tally.words(&simulation))?,
    }
    if stop.load(Ordering::SeqCst) {
        note(&format!(
            "interrupted after {} of {} matches; the figures are of these alone",
            tally.games, args.games
        ));
        return Ok(130);
    }
    Ok(0)
}

//! `parlour solve`: proves the value of a position under best play; runs can be interrupted and resumed.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::files::{self, io_failure, unwritten};
use super::progress::{Progress, interruption};
use super::replay::read_record;
use super::solve_words::SolveReport;
use super::{EngineKind, Exit, Failure, FormatArgs, GameArgs, fault, folded, note, out, time_limit};
use crate::engine::{Engine, Stepper};
use crate::explore::{counted, thousands};
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::play::{Match, Record, Rules, and, replay};
use crate::solve::{
    Concept, Difference, Goal, Growth, Halt, Knowledge, LineEnd, Method, Solved, Task, Worth, differences,
    growing, refused, shortest, solve,
};

/// The default memory limit for positions, in MB.
const MEMORY: u64 = 1024;

/// How much state is named at most where there are too many positions.
const MOST_NAMED: usize = 3;

/// The format name in the first line of a `--resume` file.
const KEPT: &str = "parlour-solve-8";

#[derive(Args)]
pub struct SolveArgs {
    #[command(flatten)]
    game: GameArgs,
    /// Play for points: for the lead with two players or teams, else for one's own points
    #[arg(long)]
    scores: bool,
    /// Start where a record ends, with its options and players
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["set", "players"])]
    position: Option<String>,
    /// Show the value of every legal move, not only the best
    #[arg(long)]
    all: bool,
    /// With more than two players or teams: each plays for itself, or all the others play against it
    #[arg(long = "as", value_name = "CONCEPT", value_enum, default_value_t = As::MaxN)]
    concept: As,
    /// How many seconds to search at most
    #[arg(long, value_name = "T")]
    seconds: Option<f64>,
    /// Stop after looking at about this many positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// How much memory positions may take, in MB
    #[arg(long, value_name = "MB", default_value_t = MEMORY, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
    /// Keep what is known of positions in a file; the same command then continues from it
    #[arg(long, value_name = "FILE")]
    resume: Option<String>,
    #[command(flatten)]
    format: FormatArgs,
}

/// The solution concept for more than two sides.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum As {
    MaxN,
    Paranoid,
}

impl As {
    /// Returns the name of the concept.
    pub fn name(self) -> &'static str {
        match self {
            As::MaxN => "max-n",
            As::Paranoid => "paranoid",
        }
    }
}

pub fn run(args: &SolveArgs) -> Exit {
    time_limit(args.seconds)?;
    let stop = interruption();
    let begun = Instant::now();
    let (rules, position) = beginning(args)?;
    let machine = position.machine().clone();
    if let Some(sentence) = refused(&machine) {
        return Err(Failure::Wrong(format!("error: {}: {sentence}", rules.game.title)));
    }
    let goal = match args.scores {
        false => Goal::usual(&machine),
        true => Goal::points(&machine).ok_or_else(|| {
            Failure::Wrong(format!(
                "error: {}: this game has no points; leave out `--scores`",
                rules.game.title
            ))
        })?,
    };
    let concept = match args.concept {
        As::MaxN => Concept::MaxN,
        As::Paranoid => Concept::Paranoid,
    };
    let task = Task { concept, value_all_moves: args.all, ..Task::new(goal, args.memory << 20) };
    let course = Course { args, rules: &rules, before: &position, task, stop: &stop, begun };
    match args.game.engine.engine {
        #[cfg(feature = "jit")]
        EngineKind::Compiled => course.run(&Compiled::new(machine)),
        EngineKind::Reference => course.run(&machine),
    }
}

/// Returns the match to solve: a new one, or a record's. Chance events before the first choice are not drawn
/// yet.
fn beginning(args: &SolveArgs) -> Result<(Arc<Rules>, Match), Failure> {
    let Some(path) = &args.position else {
        let (rules, machine) = args.game.machine()?;
        let options = machine.setup.options.iter().cloned().enumerate().collect();
        let begun = Match::undrawn(Arc::clone(&rules), &options, machine.setup.players, 0);
        let begun = begun.map_err(|not| super::not_started(&rules, not))?;
        return Ok((rules, begun));
    };
    let (rules, record, _) = read_record(path, Some(&args.game.setting.game))?;
    let wrong = |what: String| Failure::Wrong(format!("error: {path}: {what}"));
    let replayed = replay(Arc::clone(&rules), &record).map_err(wrong)?;
    match replayed.broken {
        Some((at, refused)) => Err(wrong(format!("entry {} breaks: {}", at + 1, refused.message))),
        None => Ok((rules, replayed.played)),
    }
}

/// Returns why there are so many positions, as far as that is found.
fn why_many<E: Engine>(engine: &E, start: &E::State) -> String {
    let growth = growing(engine, start).unwrap_or_default();
    if !growth.is_empty() {
        return grown(&growth);
    }
    match differences(engine, start) {
        Ok((compared, differences)) => differing(compared, &differences),
        Err(_) => String::new(),
    }
}

/// Names state that grows for as long as a match goes on.
fn grown(growth: &[Growth]) -> String {
    let one = |growth: &Growth| {
        let name = growth.name.as_ref().map_or("the points awarded".to_string(), |name| format!("`{name}`"));
        let elements = if growth.is_collection { " elements" } else { "" };
        format!(
            "{name} ({}{elements} after {} choices and draws)",
            growth.reached,
            thousands(growth.steps as u64)
        )
    };
    match growth {
        [] => String::new(),
        growth => {
            let all: Vec<String> = growth.iter().map(one).collect();
            format!(
                "; in random play, {} kept growing, so there may be no end of positions: a range or a greatest size in its \
                 declaration, or a rule that ends the match sooner, makes them fewer",
                and(&all)
            )
        }
    }
}

/// Names the state in which so many positions differ most.
fn differing(compared: usize, differences: &[Difference]) -> String {
    let much = |difference: &&Difference| 4 * difference.without <= 3 * compared;
    let one = |difference: &Difference| {
        let name =
            difference.name.as_ref().map_or("the points awarded".to_string(), |name| format!("`{name}`"));
        format!("{name} ({} without it)", thousands(difference.without as u64))
    };
    let all: Vec<String> = differences.iter().filter(much).take(MOST_NAMED).map(one).collect();
    match all.is_empty() {
        true => String::new(),
        false => format!(
            "; the first {} differ most in {}: the fewer values that can have, the fewer positions there are",
            thousands(compared as u64),
            and(&all)
        ),
    }
}

struct Course<'a> {
    args: &'a SolveArgs,
    rules: &'a Arc<Rules>,
    before: &'a Match,
    task: Task,
    stop: &'a AtomicBool,
    begun: Instant,
}

/// The effort of earlier runs.
#[derive(Default, Clone, Copy)]
struct Spent {
    positions: u64,
    seconds: f64,
}

impl Course<'_> {
    fn run<E: Engine>(&self, engine: &E) -> Exit {
        let (mut knowledge, spent) = self.kept(engine)?;
        let progress = Progress::new("looking ahead");
        let most = self.args.positions.unwrap_or(u64::MAX);
        let watch = |looked: u64| {
            let seconds = self.begun.elapsed().as_secs_f64();
            let share = self.args.seconds.map_or(0.0, |limit| seconds / limit);
            progress.tell(share, || format!("{} positions searched", thousands(looked)));
            let in_time = self.args.seconds.is_none_or(|limit| seconds < limit);
            in_time && looked < most && !self.stop.load(Ordering::SeqCst)
        };
        let mut position = self.before.position().clone();
        position.events = None;
        let start = engine.state_of(&position);
        let mut solved = solve(engine, &start, &self.task, &mut knowledge, &watch);
        if let Ok(solved) = &mut solved {
            self.shorten(engine, &start, solved, &watch);
        }
        drop(progress);
        let solved = solved.map_err(|found| {
            note("the search runs into a fault in the rules:");
            fault(self.rules, &found)
        })?;
        let spent = Spent {
            positions: spent.positions + solved.positions,
            seconds: spent.seconds + self.begun.elapsed().as_secs_f64(),
        };
        if let Some(path) = &self.args.resume {
            self.keep(engine, path, &knowledge, spent)?;
        }
        // More memory or time does not help where positions have no end.
        let stuck = matches!(solved.halted, Some(Halt::OutOfMemory(_) | Halt::TooDeep))
            || (solved.halted.is_some() && knowledge.is_full());
        let many = if stuck { why_many(engine, &start) } else { String::new() };
        self.say(&solved, spent, &knowledge, &many)
    }

    /// Replaces the line of best play of a single side by the shortest there is, if that is found.
    fn shorten<E: Engine>(
        &self,
        engine: &E,
        start: &E::State,
        solved: &mut Solved,
        watch: &dyn Fn(u64) -> bool,
    ) {
        let (Some(Worth::Exact(worth)), None, LineEnd::Over, 1) =
            (solved.worth.first(), &solved.halted, solved.line_end, engine.machine().sides().len())
        else {
            return;
        };
        // A fault on the way would have been met before.
        if let Ok(Some(line)) = shortest(engine, start, self.task.goal, worth, watch) {
            solved.line = line;
            solved.is_shortest = true;
        }
    }

    /// Prints the results.
    fn say(&self, solved: &Solved, spent: Spent, knowledge: &Knowledge, many: &str) -> Exit {
        let record = self.line(solved)?;
        let sides = self.before.machine().sides();
        let told = SolveReport {
            rules: self.rules,
            sides: &sides,
            solved,
            goal: self.task.goal,
            concept: self.args.concept,
            every: self.args.all,
            record: &record,
            positions: spent.positions,
            seconds: spent.seconds,
        };
        match self.args.format.is_json() {
            true => out(&told.json().to_string())?,
            false => out(&folded(&told.words()))?,
        }
        let Some(halt) = &solved.halted else { return Ok(0) };
        let (sentence, limit) = self.why(halt, solved.positions);
        if !limit {
            return Err(Failure::Wrong(format!("error: {}: {sentence}{many}", self.rules.game.title)));
        }
        let full = match knowledge.is_full() {
            true => format!(
                "; `--memory {}` (MB) is full, so positions are forgotten and searched again: give it more",
                self.args.memory
            ),
            false => String::new(),
        };
        let way = match (&self.args.resume, knowledge.is_empty()) {
            (Some(path), false) => format!("; the same command continues from {path}"),
            (None, false) => "; with `--resume FILE` it can be continued later".to_string(),
            (_, true) if matches!(solved.method, Method::AlphaBeta | Method::ProofNumbers) => String::new(),
            (_, true) => "; this search lists all positions, of which nothing is kept".to_string(),
        };
        let narrowed = |worth: &Worth| worth.is_narrowed(self.task.goal, sides.len());
        let proved =
            solved.worth.iter().chain(solved.first.iter().flat_map(|first| &first.worth)).any(narrowed);
        let told = match knowledge.is_empty() && !proved {
            true => "nothing has been proved yet",
            false => "this is what has been proved so far",
        };
        note(&format!("{sentence}: {told}{full}{way}{many}"));
        Ok(if self.stop.load(Ordering::SeqCst) { 130 } else { 1 })
    }

    /// Returns why the search halted after this many positions, and whether more time would help.
    fn why(&self, halt: &Halt, searched: u64) -> (String, bool) {
        match halt {
            Halt::Interrupted if self.stop.load(Ordering::SeqCst) => ("interrupted".to_string(), true),
            Halt::Interrupted => {
                let seconds = self.args.seconds.filter(|limit| self.begun.elapsed().as_secs_f64() >= *limit);
                let limit = match (seconds, self.args.positions) {
                    (Some(seconds), _) => format!("`--seconds {seconds}`"),
                    (None, Some(positions)) => format!("`--positions {positions}`"),
                    (None, None) => "the limit".to_string(),
                };
                let over = self.args.positions.filter(|most| seconds.is_none() && searched > *most);
                let checked = match over {
                    Some(_) => " (checked only every few thousand positions)",
                    None => "",
                };
                (format!("{limit} is used up{checked}"), true)
            }
            Halt::GoesRound | Halt::TooDeep => {
                ("matches go on for too long to be searched to the end".to_string(), false)
            }
            Halt::NoSuchValue => {
                let sentence = "positions repeat and more than two each play for themselves, so \
                                there is no defined value; `--as paranoid` says what each can be sure of";
                (sentence.to_string(), false)
            }
            Halt::OutOfMemory(positions) => {
                let sentence = format!(
                    "{} fill `--memory {}` (MB), and there are more; give it more \
                     memory or a smaller game",
                    counted(*positions, "position", "positions"),
                    self.args.memory
                );
                (sentence, false)
            }
            Halt::TooManyOutcomes(count) => {
                let count = count.as_ref().map_or("unlimited".to_string(), ToString::to_string);
                (
                    format!(
                        "a chance draw has too many outcomes ({count}); at most a million can be searched"
                    ),
                    false,
                )
            }
            Halt::TooLarge => (
                "a position has too many moves, or the points have too many digits, to be searched"
                    .to_string(),
                false,
            ),
            Halt::NotOpen => (
                "several players choose at the same time; `parlour equilibrium` is for such games"
                    .to_string(),
                false,
            ),
            Halt::Fault(found) => (found.message.clone(), false),
        }
    }

    /// Returns the record of the match up to the position, followed by best play.
    fn line(&self, solved: &Solved) -> Result<Record, Failure> {
        let mut played = self.before.clone();
        for (seat, chosen) in &solved.line {
            let entry = self.rules.entry(*seat, chosen);
            played.make(&entry).map_err(|refused| {
                Failure::Wrong(format!("error: the line of best play cannot be played: {}", refused.message))
            })?;
        }
        // Where a draw comes next, the record goes on with some outcome of it.
        debug_assert!(solved.line_end != LineEnd::Over || played.over());
        let record = played.record().map_err(|found| fault(self.rules, &found))?;
        Ok(Record { seed: None, ..record })
    }

    /// Returns the header fields that must be equal for saved knowledge to be usable.
    fn head<E: Engine>(&self, engine: &E) -> Vec<(&'static str, Json)> {
        let machine = engine.machine();
        let options = self.before.record().map(|record| record.options).unwrap_or_default();
        let mut words = Vec::new();
        if let Ok(start) = engine.start() {
            engine.stepper().lasting_key(&start, &mut words);
        }
        let words = words.iter().fold(0u64, |all, word| all.rotate_left(7) ^ word);
        let goal = if self.task.goal == Goal::Win { "win" } else { "points" };
        vec![
            ("rules", json!(self.rules.hash)),
            ("options", json!(options)),
            ("players", json!(machine.setup.players)),
            ("goal", json!(goal)),
            ("as", json!(self.args.concept.name())),
            ("engine", json!(engine.name())),
            ("program", json!(format!("{} {words:x}", env!("CARGO_PKG_VERSION")))),
        ]
    }

    /// Reads the saved knowledge, if there is any.
    fn kept<E: Engine>(&self, engine: &E) -> Result<(Knowledge, Spent), Failure> {
        let nothing = (Knowledge::default(), Spent::default());
        let Some(path) = &self.args.resume else { return Ok(nothing) };
        let wrong = |what: &str| Failure::Wrong(format!("error: {path}: {what}"));
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // Writing the file now reveals problems before the search starts.
                self.keep(engine, path, &nothing.0, nothing.1)?;
                return Ok(nothing);
            }
            Err(error) => return Err(io_failure(path, &error)),
        };
        let strange = || wrong("this file was not written by `parlour solve --resume`");
        let damaged = || wrong("this file is damaged; delete it to start the search again");
        let end = bytes.iter().position(|byte| *byte == b'\n').ok_or_else(strange)?;
        let head: Json = serde_json::from_slice(&bytes[..end]).map_err(|_| strange())?;
        if head["format"] != KEPT {
            return Err(strange());
        }
        for (name, value) in self.head(engine) {
            if head[name] != value {
                let other = match name {
                    "rules" => "this file was made for other rules".to_string(),
                    "program" => "another version of parlour wrote this file".to_string(),
                    _ => format!(
                        "this file was made with other settings: `{name}` is {}, not {value}",
                        head[name]
                    ),
                };
                return Err(wrong(&format!("{other}; use another file, or none, to start again")));
            }
        }
        // Saved knowledge counts as proved, so the file must be intact to the last bit.
        let (whole, digest) = bytes.split_last_chunk::<32>().ok_or_else(damaged)?;
        let sound = whole.len() > end && Sha256::digest(whole)[..] == digest[..];
        let pieces = whole.get(end + 1..).filter(|_| sound).ok_or_else(damaged)?;
        let knowledge = Knowledge::read(engine, &self.task, pieces).ok_or_else(damaged)?;
        let spent = Spent {
            positions: head["positions"].as_u64().unwrap_or(0),
            seconds: head["seconds"].as_f64().unwrap_or(0.0),
        };
        Ok((knowledge, spent))
    }

    fn keep<E: Engine>(
        &self,
        engine: &E,
        path: &str,
        knowledge: &Knowledge,
        spent: Spent,
    ) -> Result<(), Failure> {
        let mut head = json!({ "format": KEPT, "game": self.rules.name });
        self.head(engine).into_iter().for_each(|(name, value)| head[name] = value);
        head["positions"] = json!(spent.positions);
        head["seconds"] = json!(spent.seconds);
        let written = files::write_by(Path::new(path), |file| {
            let (mut file, mut digest) = (BufWriter::new(file), Sha256::new());
            let mut put = |piece: &[u8]| {
                digest.update(piece);
                file.write_all(piece)
            };
            let mut all = put(format!("{head}\n").as_bytes());
            knowledge.each_piece(&mut |piece| {
                if all.is_ok() {
                    all = put(piece);
                }
            });
            all.and_then(|()| file.write_all(&digest.finalize())).and_then(|()| file.flush())
        });
        written.map_err(|error| unwritten(path, &error))
    }
}

//! `parlour study`: measures the quality of a game from matches between players of several strengths, on all
//! cores.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use super::cores::{cores, share_out};
use super::files::{self, io_failure};
use super::progress::{Progress, interruption, millis};
use super::{
    EngineKind, Exit, Failure, FormatArgs, GameArgs, fault, load_rules, look, note, out, time_limit,
};
use crate::bots::{Clock, Mind};
use crate::engine::Engine;
use crate::eval::Machine;
use crate::explore::thousands;
#[cfg(feature = "jit")]
use crate::jit::Compiled;
use crate::lab::study::page::{page, page_of_sweep};
use crate::lab::study::{
    Enough, Findings, Found, Report, Row, Stage, Study, Sweep, differences, sweep_words, words,
};
use crate::play::{Look, Refused, Rules};

/// The default number of choices after which a match is abandoned.
const MAX_MOVES: u64 = 1000;
/// The default number of playouts per choice of the strongest player.
const PLAYOUTS: u64 = 200;
/// The default limit on the number of matches in a series.
const GAMES: u64 = 1000;
/// The default half-width of intervals, and the half-widths that can be requested.
const WITHIN: f64 = 0.05;
const WITHINS: std::ops::RangeInclusive<f64> = 0.001..=0.5;
/// The greatest number of settings in a sweep.
const SETTINGS: usize = 100;
/// The greatest number of threads.
const MOST_THREADS: usize = 256;
/// The choices in a random match from which a study takes so long that this is told.
const LONG: u64 = 200;
/// How often results are saved during play.
const KEEP: Duration = Duration::from_secs(5);

#[derive(Args)]
pub struct StudyArgs {
    #[command(flatten)]
    game: GameArgs,
    /// How many playouts a choice the strongest player gets; others get half and a quarter of that
    #[arg(long, value_name = "N", default_value_t = PLAYOUTS)]
    playouts: u64,
    /// Play until shares of the win are known to within this margin, and lengths to within this fraction
    #[arg(long, value_name = "SHARE", default_value_t = WITHIN)]
    within: f64,
    /// The most matches in each series; random series have up to eight times as many
    #[arg(long, value_name = "N", default_value_t = GAMES)]
    games: u64,
    /// Stop after this many seconds; the figures cover the matches played by then
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// Study several settings, as in n=4..10, players=2..4 or order=random,descending; given more than once, in all combinations
    #[arg(long, value_name = "NAME=VALUES", conflicts_with = "keep")]
    sweep: Vec<String>,
    /// The random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Keep what was played in a file; the same command then continues from it
    #[arg(long, value_name = "FILE")]
    keep: Option<String>,
    /// Also write the study as one HTML page: figures, pictures, a match to step through, the rules
    #[arg(long, value_name = "FILE")]
    html: Option<String>,
    /// Words instead of pictures, for screen readers
    #[arg(long)]
    plain: bool,
    /// How many matches to play at a time; this changes only the speed [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// How many positions to search for best play from the start [default: 1000 for each playout, at most 500000]
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    #[arg(long, value_name = "M", default_value_t = MAX_MOVES, value_parser = clap::value_parser!(u64).range(1..), help = "Give a match up after this many choices, and let all seats share the win")]
    max_moves: u64,
    #[command(flatten)]
    format: FormatArgs,
}

impl StudyArgs {
    /// Checks that the numbers on the command line are in range.
    fn validate(&self) -> Result<(), Failure> {
        let usage = |sentence: String| Err(Failure::Usage(sentence));
        if !WITHINS.contains(&self.within) {
            let (least, most) = WITHINS.into_inner();
            return usage(format!(
                "`--within {}`: the margin must be from {least} to {most}, as in 0.05",
                self.within
            ));
        }
        if !(1..=1_000_000).contains(&self.playouts) {
            return usage(format!("`--playouts {}`: use from 1 to 1000000 a choice", self.playouts));
        }
        if self.games == 0 {
            return usage("`--games 0`: a study needs at least one match".into());
        }
        if !(1..=MOST_THREADS).contains(&self.threads()) {
            return usage(format!("`--threads {}`: use from 1 to {MOST_THREADS} threads", self.threads()));
        }
        Ok(())
    }

    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(cores)
    }

    /// Returns what the screen can show.
    fn look(&self) -> Look {
        look(std::io::stdout().is_terminal(), self.plain)
    }

    fn enough(&self) -> Enough {
        Enough { matches: self.games, within: self.within }
    }
}

pub fn run(args: &StudyArgs) -> Exit {
    files::can_be_written(args.html.as_ref(), files::Output::Page)?;
    args.validate()?;
    let begin = Instant::now();
    let end = time_limit(args.seconds)?.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let end = end.and_then(|time| begin.checked_add(time));
    let until = Deadline { stop: interruption(), begin, end };
    if !args.sweep.is_empty() {
        return sweep(args, &until);
    }
    let (rules, machine) = args.game.machine()?;
    let Some(report) = study(args, &rules, machine, (&until, ""))? else {
        let sentence = format!("error: {NO_MATCH}; nothing is known yet");
        return Err(Failure::Wrong(sentence));
    };
    match args.format.is_json() {
        true => out(&json!(report).to_string())?,
        false => out(&words(&report, &args.look()))?,
    }
    write_page(args, || page(&rules, &report))?;
    interrupted(args, &until.stop)
}

/// Writes the HTML page, if requested.
fn write_page(args: &StudyArgs, page: impl FnOnce() -> String) -> Result<(), Failure> {
    match &args.html {
        Some(path) => files::keep(path, &page()),
        None => Ok(()),
    }
}

/// Reports that a study was interrupted, if it was.
fn interrupted(args: &StudyArgs, stop: &AtomicBool) -> Exit {
    if !stop.load(Ordering::SeqCst) {
        return Ok(0);
    }
    let way = match &args.keep {
        Some(path) => format!("the same command continues from {path}"),
        None if !args.sweep.is_empty() => "a sweep begins anew each time".to_string(),
        None => "with `--keep FILE` a study can be continued".to_string(),
    };
    note(&format!("interrupted; the figures cover the matches played so far; {way}"));
    Ok(130)
}

/// When to stop: on Ctrl-C or at a point in time. Also the clock of the bots, whose matches are abandoned
/// then.
#[derive(Clone)]
struct Deadline {
    stop: Arc<AtomicBool>,
    begin: Instant,
    end: Option<Instant>,
}

impl Deadline {
    /// Returns the share of the time that has passed; 0 if there is no limit.
    fn passed(&self) -> f64 {
        let whole = self.end.map(|end| end.duration_since(self.begin));
        whole.map_or(0.0, |whole| self.begin.elapsed().as_secs_f64() / whole.as_secs_f64().max(1e-3))
    }
}

impl Clock for Deadline {
    fn millis(&self) -> u64 {
        millis()
    }

    fn must_stop(&self) -> bool {
        self.stop.load(Ordering::SeqCst) || self.end.is_some_and(|end| Instant::now() >= end)
    }
}

/// When to stop, and a prefix for the progress line.
type Course<'c> = (&'c Deadline, &'c str);

/// Why there is no report on a game or a setting.
const NO_MATCH: &str = "no match ended in the given time";

/// Studies a game in one setting with the requested engine; `None` if no match ended in time.
fn study(
    args: &StudyArgs,
    rules: &Arc<Rules>,
    machine: Machine,
    course: Course,
) -> Result<Option<Report>, Failure> {
    match args.game.engine.engine {
        #[cfg(feature = "jit")]
        EngineKind::Compiled => study_by(args, rules, &Compiled::new(machine), course),
        EngineKind::Reference => study_by(args, rules, &machine, course),
    }
}

/// Plays until the results suffice or time is up, and reports them.
fn study_by<E: Engine + Sync>(
    args: &StudyArgs,
    rules: &Arc<Rules>,
    engine: &E,
    (until, what): Course,
) -> Result<Option<Report>, Failure> {
    let mind = Mind::new(engine.machine());
    let study = Study {
        rules,
        engine,
        mind: &mind,
        clock: until,
        seed: args.seed,
        playouts: args.playouts,
        positions: args.positions.unwrap_or_else(|| args.playouts.saturating_mul(1000).min(500_000)),
        max_moves: args.max_moves,
    };
    let mut findings = load_checkpoint(args, &study)?;
    let played = play(args, &study, &mut findings, (until, what));
    // Results are saved even if play failed.
    if let Some(path) = &args.keep {
        keep(path, &study, &findings)?;
    }
    let enough = played?;
    if findings.matches() == 0 {
        return Ok(None);
    }
    if !enough && !until.stop.load(Ordering::SeqCst) {
        let (played, whole) = (findings.matches(), study.expected(&findings, args.enough()));
        note(&format!(
            "note: {what}stopped after {} of about {} matches, because the time was up",
            thousands(played),
            thousands(whole)
        ));
    }
    if enough && args.within < WITHIN && !study.is_narrow(&findings, args.within) {
        note(&format!(
            "note: {what}some intervals are wider than `--within {}`, because `--games {}` is the most; give it more",
            args.within, args.games
        ));
    }
    Ok(Some(study.report(&findings)))
}

/// Plays stage after stage; returns whether the results suffice in the end.
fn play<E: Engine + Sync>(
    args: &StudyArgs,
    study: &Study<E>,
    findings: &mut Findings,
    (until, what): Course,
) -> Result<bool, Failure> {
    let progress = Progress::new("no match has finished yet");
    let mut kept = Instant::now();
    while let Some(stage) = study.stage(findings, args.enough()) {
        if until.must_stop() {
            return Ok(false);
        }
        let (before, whole) = (findings.matches(), study.expected(findings, args.enough()));
        let mut done = 0;
        let on = &mut |matches: u64| {
            done += matches;
            let now = before + done;
            let share = (now as f64 / whole.max(now) as f64).max(until.passed()).min(1.0);
            progress.tell(share, || {
                format!("{what}{} of about {} matches", thousands(now), thousands(whole.max(now)))
            });
        };
        let found = carry_out(args, study, &stage, on)?;
        let whole_stage = found.iter().all(Option::is_some);
        study.add(findings, &stage, found);
        let length = findings.random_length();
        if before == 0 && length > LONG && until.end.is_none() && what.is_empty() {
            progress.clear();
            note(&format!(
                "note: random matches have about {} choices, so this takes long; `--seconds 60` limits the time",
                thousands(length)
            ));
        }
        if !whole_stage {
            return Ok(false);
        }
        if let Some(path) = args.keep.as_ref().filter(|_| kept.elapsed() > KEEP) {
            keep(path, study, findings)?;
            kept = Instant::now();
        }
    }
    Ok(true)
}

/// Runs the tasks of a stage on all threads; `None` for those that were abandoned.
fn carry_out<E: Engine + Sync>(
    args: &StudyArgs,
    study: &Study<E>,
    stage: &Stage,
    on: &mut dyn FnMut(u64),
) -> Result<Vec<Option<Found>>, Failure> {
    let mut all: Vec<Option<Found>> = stage.tasks.iter().map(|_| None).collect();
    let mut first: Option<(usize, Refused)> = None;
    let work = |at: usize| study.carry_out(stage, &stage.tasks[at]);
    share_out(args.threads(), stage.tasks.len(), &work, &mut |at, done| match done {
        Ok(Some(found)) => {
            on(found.matches());
            all[at] = Some(found);
            true
        }
        Ok(None) => false,
        Err(refused) => {
            if first.as_ref().is_none_or(|(before, _)| at < *before) {
                first = Some((at, refused));
            }
            false
        }
    });
    match first {
        Some((_, Refused { fault: Some(found), .. })) => {
            note(
                "a match runs into a fault in the rules, in play or in a bot's search (`parlour check \
                 --play` finds the shortest such match):",
            );
            Err(fault(study.rules, &found))
        }
        Some((_, refused)) => Err(Failure::Wrong(format!("error: {}", refused.message))),
        None => Ok(all),
    }
}

/// Reads the saved findings, if there are any.
fn load_checkpoint<E: Engine>(args: &StudyArgs, study: &Study<E>) -> Result<Findings, Failure> {
    let Some(path) = &args.keep else { return Ok(study.begin()) };
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let found = study.read_checkpoint(&text);
            found.map_err(|sentence| Failure::Wrong(format!("error: {path}: {sentence}")))
        }
        // Writing the file now reveals problems before anything is played.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let findings = study.begin();
            keep(path, study, &findings)?;
            Ok(findings)
        }
        Err(error) => Err(io_failure(path, &error)),
    }
}

fn keep<E: Engine>(path: &str, study: &Study<E>, findings: &Findings) -> Result<(), Failure> {
    files::keep(path, &format!("{}\n", study.checkpoint_json(findings)))
}

// ---- sweeps

/// Studies each setting of a sweep in turn.
fn sweep(args: &StudyArgs, until: &Deadline) -> Exit {
    let rules = load_rules(&args.game.setting.game)?;
    args.game.setting.values.are_known(&[&rules])?;
    let varied = args.sweep.iter().map(|text| varied(&rules, text)).collect::<Result<Vec<_>, _>>()?;
    for (at, (name, _)) in varied.iter().enumerate() {
        if varied[..at].iter().any(|(before, _)| before == name) {
            return Err(Failure::Usage(format!(
                "`--sweep` names {name} twice; write its values together: {name}=4,6"
            )));
        }
    }
    let count = varied.iter().fold(1usize, |count, (_, values)| count.saturating_mul(values.len()));
    if count > SETTINGS {
        return Err(Failure::Usage(format!(
            "a sweep can have at most {SETTINGS} settings, and these are {count}; leave some values out, \
             as in n=4,7,10"
        )));
    }
    let mut sweep = Sweep { varied: varied.iter().map(|(name, _)| name.clone()).collect(), rows: Vec::new() };
    for number in 0..count {
        let values = nth(&varied, number);
        let mut given = super::ValueArgs {
            set: args.game.setting.values.set.clone(),
            players: args.game.setting.values.players,
        };
        for ((name, _), value) in varied.iter().zip(&values) {
            match name.as_str() {
                "players" => given.players = value.parse().ok(),
                _ => given.set.push(format!("{name}={value}")),
            }
        }
        let options = given.options(&rules)?;
        let players = given.players.unwrap_or_else(|| rules.default_players());
        let begun_so = rules.machine(&options, players);
        let (report, refused) = match begun_so {
            Ok(machine) => {
                let what = format!("setting {} of {count}: ", number + 1);
                // Each setting gets an equal part of the time that is left.
                let left =
                    |end: Instant| end.saturating_duration_since(Instant::now()) / (count - number) as u32;
                let until =
                    Deadline { end: until.end.map(|end| Instant::now() + left(end)), ..until.clone() };
                let report = study(args, &rules, machine, (&until, &what))?;
                let refused = report.is_none().then(|| NO_MATCH.to_string());
                (report, refused)
            }
            Err(crate::eval::NotStarted::Refused(sentence)) => (None, Some(sentence)),
            Err(crate::eval::NotStarted::Fault(found)) => return Err(fault(&rules, &found)),
        };
        sweep.rows.push(Row { values, report, refused });
        if until.stop.load(Ordering::SeqCst) {
            let missed = (number + 1..count).map(|number| nth(&varied, number));
            let refused = || Some("the sweep was interrupted before".to_string());
            sweep.rows.extend(missed.map(|values| Row { values, report: None, refused: refused() }));
            break;
        }
    }
    if sweep.rows.iter().all(|row| row.report.is_none()) {
        // What is told of a setting names its values, unless it is that the time was too short.
        let told = |row: &Row| {
            let named = sweep.varied.iter().zip(&row.values).map(|(name, value)| format!("{name}={value}"));
            let why = row.refused.as_ref().filter(|why| *why != NO_MATCH)?;
            Some(format!("{}: {why}", named.collect::<Vec<_>>().join(" ")))
        };
        return Err(Failure::Wrong(match sweep.rows.iter().find_map(told) {
            Some(first) => format!("error: no setting can be studied; {first}"),
            None => format!("error: {NO_MATCH} in any setting; nothing is known yet"),
        }));
    }
    match args.format.is_json() {
        true => {
            let mut told = json!(sweep);
            told["differences"] = json!(differences(&sweep));
            out(&told.to_string())?;
        }
        false => out(&sweep_words(&rules.game.title, &sweep, &args.look()))?,
    }
    write_page(args, || page_of_sweep(&rules, &sweep))?;
    interrupted(args, &until.stop)
}

/// Returns the values of setting `n`, from 0; the last varied option changes fastest.
fn nth(varied: &[(String, Vec<String>)], mut n: usize) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for (_, all) in varied.iter().rev() {
        values.push(all[n % all.len()].clone());
        n /= all.len();
    }
    values.reverse();
    values
}

/// Parses a name and its values, as in `n=4..10` or `order=random,descending`.
fn varied(rules: &Rules, text: &str) -> Result<(String, Vec<String>), Failure> {
    let usage = |sentence: &str| Failure::Usage(format!("`--sweep {text}`: {sentence}"));
    let (name, values) = text
        .split_once('=')
        .ok_or_else(|| usage("write a name and its values, as in n=4..10 or players=2,4"))?;
    let (name, values) = (name.trim(), values.trim());
    if name != "players" {
        rules.option_id(name).map_err(Failure::Usage)?;
    }
    let all: Vec<String> = match values.split_once("..") {
        Some((low, high)) => {
            let (Ok(low), Ok(high)) = (low.trim().parse::<i64>(), high.trim().parse::<i64>()) else {
                return Err(usage("a range goes from one whole number to another, as in 4..10"));
            };
            if low > high {
                return Err(usage("a range goes from the lower number to the higher"));
            }
            if high.saturating_sub(low) >= SETTINGS as i64 {
                return Err(usage(&format!(
                    "a sweep can have at most {SETTINGS} settings; leave some out, as in 4,7,10"
                )));
            }
            (low..=high).map(|value| value.to_string()).collect()
        }
        None => values.split(',').map(|value| value.trim().to_string()).collect(),
    };
    for value in &all {
        let fits = match name {
            "players" => {
                value.parse::<usize>().map(drop).map_err(|_| format!("`{value}` is not a number of players"))
            }
            _ => rules.read_options([(name, value.as_str())]).map(drop),
        };
        fits.map_err(|sentence| usage(&sentence))?;
    }
    Ok((name.to_string(), all))
}

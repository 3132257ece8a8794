//! `parlour check`: prints all diagnostics of rule files.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};

use super::explore::{ExploreArgs, FindingDetails, Records};
use super::files::{Named, NamedFile, named, read_text, sentence, write};
use super::progress::interruption;
use super::{Exit, Failure, ValueArgs, fix, look, note, out, style, width};
use crate::check::check;
use crate::diag::{Code, Diagnostic, Severity, render, sarif};
use crate::eval::{Fault, Machine, NotStarted, Position, Waiting};
use crate::explore::{READ_EARLY, why_stuck};
use crate::num::Rng;
use crate::play::Rules;
use crate::repl::terminal::wrapped;
use crate::source::{Source, Span};

/// Wraps a message at spaces if it goes to a terminal.
fn fitted(told: &str) -> String {
    if !io::stderr().is_terminal() {
        return told.to_string();
    }
    told.lines().map(|line| wrapped(line, width())).collect::<Vec<_>>().join("\n")
}

#[derive(Args)]
pub struct CheckArgs {
    /// Rule files, folders of them, or bundled games; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Print JSON; the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// How to print diagnostics
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    format: Format,
    /// Fail on warnings too
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Apply the sure fixes to the files, checking again after each
    #[arg(long)]
    fix: bool,
    /// Show what `--fix` would change, and change nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
    #[command(flatten)]
    values: ValueArgs,
    #[command(flatten)]
    explore: ExploreArgs,
}

/// The greatest number of tried settings that are listed for people.
const MOST_SETTINGS: usize = 12;

/// So many settings are listed one by one even if nothing was found.
const FEW_SETTINGS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// With the lines they are about
    Human,
    /// One line each
    Plain,
    /// One array
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Deny {
    Warnings,
}

/// Whether a match of some rules can start in the given setting.
type Start = Result<(), NotStarted>;

/// A diagnostic of a file, with its details if it was found by play.
struct Found<'f> {
    source: &'f Source,
    diagnostic: Diagnostic,
    shown: Option<FindingDetails>,
}

/// Everything that a run of the command has found and must report.
#[derive(Default)]
struct Tally<'f> {
    found: Vec<Found<'f>>,
    /// The number of findings that their files declare as meant.
    meant: usize,
    /// What was tried in play, by file name.
    tried: BTreeMap<&'f str, Vec<String>>,
    /// A summary of the same for each file.
    told: Vec<String>,
    /// Sentences about records that could not be written.
    unwritten: Vec<String>,
    interrupted: bool,
}

pub fn run(args: &CheckArgs) -> Exit {
    if args.fix && args.files.iter().any(|file| file == "-") {
        return Err(Failure::Usage("`--fix` changes files, and standard input is not a file".to_string()));
    }
    args.explore.effort()?;
    let mut named = named(&args.files);
    let fixed = if args.fix { fix_all(&mut named, args.dry_run)? } else { 0 };
    let Named { files, mut trouble } = named;
    let mut tally = Tally::default();
    for NamedFile { source, .. } in &files {
        let checked = check(source);
        tally.meant += checked.meant.len();
        tally.add(source, checked.diagnostics.into_iter().map(|diagnostic| (diagnostic, None)));
    }
    // Exploration with the usual settings finds out itself whether a match can begin.
    let starts = match args.values.given() || !args.explore.play {
        true => starts(&args.values, &files)?,
        false => Vec::new(),
    };
    for (source, start) in starts {
        match start {
            Ok(()) => {}
            Err(NotStarted::Refused(why)) => trouble.push(format!("error: {}: {why}", source.name)),
            // It also finds the fault itself, and reports it in detail.
            Err(NotStarted::Fault(_)) if args.explore.play => {}
            Err(NotStarted::Fault(fault)) => tally.add(source, [(*fault, None)]),
        }
    }
    if args.explore.play {
        tally.play(args, &files, &mut trouble)?;
    }
    trouble.iter().for_each(|text| note(text));
    if !args.dry_run {
        print(args, &tally, &trouble)?;
    }
    let severe = |found: &&Found| found.diagnostic.severity() == Severity::Error;
    let errors = tally.found.iter().filter(severe).count();
    let warnings = tally.found.len() - errors;
    tally.told.iter().chain(&tally.unwritten).for_each(|told| note(&fitted(told)));
    if matches!(args.format(), Format::Human | Format::Plain) {
        note(&summary(args, (errors, warnings, tally.meant), trouble.len(), fixed));
    }
    if tally.interrupted {
        note("interrupted; this is what was found so far");
        return Ok(130);
    }
    let denied = args.deny == Some(Deny::Warnings) && warnings > 0;
    Ok(u8::from(errors > 0 || denied || !trouble.is_empty() || !tally.unwritten.is_empty()))
}

impl CheckArgs {
    fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

impl<'f> Tally<'f> {
    fn add(
        &mut self,
        source: &'f Source,
        found: impl IntoIterator<Item = (Diagnostic, Option<FindingDetails>)>,
    ) {
        self.found.extend(found.into_iter().map(|(diagnostic, shown)| Found { source, diagnostic, shown }));
    }

    /// Whether a condition that never came out otherwise has been reported as one that cannot, or reads state of which it
    /// has been reported that nothing changes it.
    fn foresees(&self, source: &Source, finding: &Diagnostic) -> bool {
        let (never, place) = (finding.code == Code::NeverHappens, finding.span());
        let within = |span: Span| place.start <= span.start && span.end <= place.end;
        let settled = |found: &Found| {
            let report = &found.diagnostic;
            let here = std::ptr::eq(found.source, source);
            let declared = || source.slice(report.span()).split([':', ' ']).next().unwrap_or("");
            here && match report.code {
                Code::NeverEqual => within(report.span()),
                Code::HalfUsed if report.message.starts_with("nothing changes") => {
                    let words = source.slice(place).split(|c: char| !c.is_alphanumeric() && c != '_');
                    words.into_iter().any(|word| word == declared())
                }
                _ => false,
            }
        };
        never && self.found.iter().any(settled)
    }

    /// Explores the files that have no errors, one after another, and adds the findings.
    fn play(
        &mut self,
        args: &CheckArgs,
        files: &'f [NamedFile],
        trouble: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let stop = interruption();
        let records = args.explore.records.as_deref().map(Records::into_folder).transpose();
        let mut records = records.map_err(Failure::Wrong)?;
        for file in files {
            let source = &file.source;
            let Ok(rules) = Rules::load(source.clone()).map(Arc::new) else {
                self.told.push(format!("{}: not played, because it has errors", source.name));
                continue;
            };
            if self.interrupted {
                self.told.push(format!("{}: not played", source.name));
                continue;
            }
            let mut explored = args.explore.explore(&args.values, file, &rules, &stop)?;
            explored.found.retain(|(finding, _)| !self.foresees(source, finding));
            let usual = || rules.machine(&BTreeMap::new(), rules.default_players()).err();
            match usual().filter(|_| !args.values.given()) {
                Some(NotStarted::Refused(why)) if explored.tried.is_empty() => trouble
                    .push(format!("error: {}: no match can begin with these settings: {why}", source.name)),
                Some(NotStarted::Fault(fault)) => self.add(source, [(*fault, None)]),
                _ => {}
            }
            if let Some(records) = &mut records {
                for (diagnostic, shown) in &explored.found {
                    let written = shown.as_ref().map(|shown| records.write(&rules, diagnostic, shown));
                    self.unwritten.extend(written.and_then(Result::err));
                }
            }
            let found = explored.found.iter().filter(|(_, shown)| shown.is_some()).count();
            let count = if found == 0 { "nothing found".into() } else { format!("{found} found") };
            let mut told = format!("{}: {count} by play; tried {}", source.name, explored.summary);
            let many = explored.tried.len() > FEW_SETTINGS;
            if files.len() == 1 && found == 0 && many {
                // Where there is nothing to look for, which values were tried is enough.
                told.push_str(&format!("\n  {}", explored.settings));
            } else if files.len() == 1 {
                for line in explored.tried.iter().take(MOST_SETTINGS) {
                    told.push_str(&format!("\n  {line}"));
                }
                if let Some(more) = explored.tried.len().checked_sub(MOST_SETTINGS).filter(|more| *more > 0) {
                    told.push_str(&format!("\n  and {more} more, which `--json` lists"));
                }
            }
            self.told.push(told);
            self.tried.insert(&source.name, explored.tried);
            self.meant += explored.meant;
            self.interrupted |= explored.broken_off;
            self.add(source, explored.found);
        }
        self.told.extend(records.map(|records| records.summary()));
        Ok(())
    }
}

/// Prints the findings in the requested format.
fn print(args: &CheckArgs, tally: &Tally, trouble: &[String]) -> Result<(), Failure> {
    let terminal = io::stdout().is_terminal();
    let (style, look) = (style(terminal), look(terminal, false));
    let all = tally.found.iter();
    let object = |found: &Found| {
        let mut object = render::json(found.source, &found.diagnostic);
        let tried = tally.tried.get(found.source.name.as_str());
        if let (Some(shown), Some(tried)) = (&found.shown, tried) {
            shown.add_to(&mut object, tried);
        }
        object
    };
    match args.format() {
        Format::Human => all.clone().try_for_each(|found| {
            out(&render::human(found.source, &found.diagnostic, style))?;
            found.shown.as_ref().map_or(Ok(()), |shown| out(&shown.words(look)))
        }),
        Format::Plain => all.clone().try_for_each(|found| {
            let line = render::plain(found.source, &found.diagnostic);
            let shown = found.shown.as_ref().map_or(String::new(), |shown| format!("; {}", shown.plain()));
            out(&format!("{}{shown}", line.trim_end()))
        }),
        Format::Json => out(&all.map(object).collect::<Json>().to_string()),
        Format::Sarif => {
            let pairs = all.clone().map(|found| (found.source, &found.diagnostic));
            let mut log = sarif::log(pairs, env!("CARGO_PKG_VERSION"), trouble);
            for (at, found) in all.enumerate() {
                if let Some(shown) = &found.shown {
                    let mut properties = json!({});
                    shown.add_to(&mut properties, &[]);
                    log["runs"][0]["results"][at]["properties"] = properties;
                }
            }
            out(&format!("{log:#}"))
        }
    }
}

/// Summarises the numbers of findings in words.
fn summary(
    args: &CheckArgs,
    (errors, warnings, meant): (usize, usize, usize),
    trouble: usize,
    fixed: usize,
) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut words = format!("{}, {}", count(errors, "error"), count(warnings, "warning"));
    match meant {
        0 => {}
        1 => words.push_str(", 1 finding is intended"),
        n => words.push_str(&format!(", {n} findings are intended")),
    }
    if trouble > 0 {
        words.push_str(&format!(", {} not checked", count(trouble, "file")));
    }
    if args.dry_run {
        words.push_str(&format!(", {} would be fixed; nothing is changed", count(fixed, "mistake")));
    } else if args.fix {
        words.push_str(&format!(", {fixed} fixed"));
    }
    words
}

/// Applies the sure fixes to files, or prints them as diffs; returns their number.
fn fix_all(named: &mut Named, dry_run: bool) -> Result<usize, Failure> {
    let mut fixed = 0;
    for NamedFile { source, path } in &mut named.files {
        let Some(path) = path else { continue };
        let mended = match read_text(path).map(|text| (fix::apply_fixes(path, &text), text)) {
            Ok((mended, text)) if dry_run => {
                fixed += mended.done.len();
                if !mended.done.is_empty() {
                    out(&fix::diff(path, &text, &mended.text))?;
                }
                continue;
            }
            Ok((mended, _)) if mended.done.is_empty() => mended,
            Ok((mended, _)) => match write(Path::new(path), &mended.text) {
                Ok(()) => mended,
                Err(error) => {
                    named.trouble.push(format!("error: {path}: {}", sentence(&error)));
                    continue;
                }
            },
            Err(Failure::Wrong(text)) => {
                named.trouble.push(text);
                continue;
            }
            Err(other) => return Err(other),
        };
        mended.done.iter().chain(&mended.left).for_each(|line| note(line));
        fixed += mended.done.len();
        *source = mended.source;
    }
    Ok(fixed)
}

/// Plays to the first choice of a match; what is drawn before it is the same at every call.
fn first_choice(machine: &Machine) -> Result<Position, Fault> {
    const MOST_DRAWS: usize = 1_000;
    let mut rng = Rng::new(0);
    let mut position = machine.start()?;
    for _ in 0..MOST_DRAWS {
        if position.waiting != Waiting::Chance {
            break;
        }
        let value = machine.draw_chance(&position, &mut |n| rng.below(n))?;
        let _ = machine.draw(&mut position, value)?;
    }
    Ok(position)
}

/// Starts a match of each file that has no errors with the given options and players: tests needs on options,
/// evaluates constants, sets up the table, runs to the first choice, shows the table and counts the points.
fn starts<'f>(values: &ValueArgs, files: &'f [NamedFile]) -> Result<Vec<(&'f Source, Start)>, Failure> {
    let rules: Vec<(&Source, Rules)> = files
        .iter()
        .filter_map(|file| Some((&file.source, Rules::load(file.source.clone()).ok()?)))
        .collect();
    values.are_known(&rules.iter().map(|(_, rules)| rules).collect::<Vec<_>>())?;
    let start = |rules: &Rules| {
        let players = values.players.unwrap_or_else(|| rules.default_players());
        let machine = values.options(rules).map(|options| rules.machine(&options, players))?;
        Ok(machine.and_then(|machine| {
            let opening = first_choice(&machine).map_err(|fault| why_stuck(rules, &machine, fault))?;
            match machine.show(&opening) {
                // A value that is not set yet is shown as such.
                Err(fault) if fault.code == Code::Unset => {}
                shown => drop(shown?),
            }
            let scores = machine.scores(&opening).map(drop);
            Ok(scores.map_err(|fault| Box::new(fault.help(READ_EARLY)))?)
        }))
    };
    rules.iter().map(|(source, rules)| Ok((*source, start(rules)?))).collect()
}

//! `parlour check`: all diagnostics of rule files.

use std::io::{self, IsTerminal};
use std::path::Path;

use clap::{Args, ValueEnum};
use serde_json::Value as Json;

use super::files::{Named, NamedFile, named, read_text, sentence, write};
use super::{Exit, Failure, ValueArgs, fix, note, out, style};
use crate::check::check;
use crate::diag::{Diagnostic, Severity, render, sarif};
use crate::eval::NotStarted;
use crate::play::Rules;
use crate::source::Source;

#[derive(Args)]
pub struct CheckArgs {
    /// Rule files, folders of them, bundled games; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// As JSON; the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// How diagnostics are printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    format: Format,
    /// Fail on warnings too
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Carry out the sure fixes in the files, each tested by checking again
    #[arg(long)]
    fix: bool,
    /// Show what `--fix` would change, and change nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
    #[command(flatten)]
    values: ValueArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Drawn, with the lines they are about
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

/// Whether rules start as they are set.
type Start = Result<(), NotStarted>;

pub fn run(args: &CheckArgs) -> Exit {
    if args.fix && args.files.iter().any(|file| file == "-") {
        return Err(Failure::Usage("`--fix` changes files, and standard input is none".to_string()));
    }
    let mut named = named(&args.files);
    let fixed = if args.fix { fix_all(&mut named, args.dry_run)? } else { 0 };
    let mut found = Vec::new();
    for file in &named.files {
        found
            .extend(check(&file.source).diagnostics.into_iter().map(|diagnostic| (&file.source, diagnostic)));
    }
    if args.values.given() {
        for (source, start) in starts(&args.values, &named.files)? {
            match start {
                Ok(()) => {}
                Err(NotStarted::Refused(why)) => named.trouble.push(format!("error: {}: {why}", source.name)),
                Err(NotStarted::Fault(fault)) => found.push((source, *fault)),
            }
        }
    }
    named.trouble.iter().for_each(|text| note(text));
    if !args.dry_run {
        print(args, &found, &named.trouble)?;
    }
    let errors = found.iter().filter(|(_, diagnostic)| diagnostic.severity() == Severity::Error).count();
    let warnings = found.len() - errors;
    if matches!(args.format(), Format::Human | Format::Plain) {
        note(&summary(args, (errors, warnings), named.trouble.len(), fixed));
    }
    let denied = args.deny == Some(Deny::Warnings) && warnings > 0;
    Ok(u8::from(errors > 0 || denied || !named.trouble.is_empty()))
}

impl CheckArgs {
    fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// Prints what was found.
fn print(args: &CheckArgs, found: &[(&Source, Diagnostic)], trouble: &[String]) -> Result<(), Failure> {
    let style = style(io::stdout().is_terminal());
    let mut all = found.iter().map(|(source, diagnostic)| (*source, diagnostic));
    match args.format() {
        Format::Human => {
            all.try_for_each(|(source, diagnostic)| out(&render::human(source, diagnostic, style)))
        }
        Format::Plain => all.try_for_each(|(source, diagnostic)| out(&render::plain(source, diagnostic))),
        Format::Json => out(&all
            .map(|(source, diagnostic)| render::json(source, diagnostic))
            .collect::<Json>()
            .to_string()),
        Format::Sarif => out(&format!("{:#}", sarif::log(all, env!("CARGO_PKG_VERSION"), trouble))),
    }
}

/// How much was found, in words.
fn summary(args: &CheckArgs, (errors, warnings): (usize, usize), trouble: usize, fixed: usize) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut words = format!("{}, {}", count(errors, "error"), count(warnings, "warning"));
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

/// Carries out the sure fixes in files, or shows them; how many there were.
fn fix_all(named: &mut Named, dry_run: bool) -> Result<usize, Failure> {
    let mut fixed = 0;
    for NamedFile { source, path } in &mut named.files {
        let Some(path) = path else { continue };
        let mended = match read_text(path).map(|text| (fix::mend(path, &text), text)) {
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

/// How those of the files that check start with options and players set: needs on options tested, constants worked
/// out, the table laid out, and play carried to its first choice or draw.
fn starts<'f>(values: &ValueArgs, files: &'f [NamedFile]) -> Result<Vec<(&'f Source, Start)>, Failure> {
    let rules: Vec<(&Source, Rules)> = files
        .iter()
        .filter_map(|file| Some((&file.source, Rules::load(file.source.clone()).ok()?)))
        .collect();
    values.are_known(&rules.iter().map(|(_, rules)| rules).collect::<Vec<_>>())?;
    let start = |rules: &Rules| {
        let players = values.players.unwrap_or_else(|| rules.default_players());
        let machine = values.options(rules).map(|options| rules.machine(&options, players))?;
        Ok(machine.and_then(|machine| Ok(machine.start().map(drop)?)))
    };
    rules.iter().map(|(source, rules)| Ok((*source, start(rules)?))).collect()
}

//! `--coverage`: how often each line of the rules ran, for people or for programs.

use std::fmt::Write;
use std::io::{self, IsTerminal};

use clap::{Args, ValueEnum};
use serde_json::Value as Json;

use super::files::{Output, can_be_written, keep};
use super::{Failure, note, out, style};
use crate::eval::PartKind;
use crate::lab::Covered;

#[derive(Args)]
pub struct CoverageArgs {
    /// Show which parts of the rules ran: each line, which needs refused, which branches were taken
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "human"
    )]
    coverage: Option<Format>,
    /// Write the coverage to a file
    #[arg(long, value_name = "FILE", requires = "coverage")]
    coverage_file: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The rule file with counts beside its lines
    Human,
    /// One array, an object for each file
    Json,
    /// A tracefile for genhtml and similar tools
    Lcov,
}

impl CoverageArgs {
    /// Whether coverage was requested.
    pub fn wanted(&self) -> bool {
        self.coverage.is_some()
    }

    /// Whether standard output is reserved for coverage in a format for programs.
    pub fn alone(&self) -> bool {
        self.coverage.is_some_and(|format| format != Format::Human) && self.coverage_file.is_none()
    }

    /// Whether coverage goes to a file of its own.
    pub fn apart(&self) -> bool {
        self.coverage_file.is_some()
    }

    /// Whether coverage is written as an LCOV tracefile.
    pub fn is_lcov(&self) -> bool {
        self.coverage == Some(Format::Lcov)
    }

    /// Checks, as far as possible beforehand, that the coverage file can be written.
    pub fn can_be_written(&self) -> Result<(), Failure> {
        can_be_written(self.coverage_file.as_ref(), Output::Coverage)
    }

    /// Writes the coverage to its file or to standard output.
    pub fn write(&self, all: &[Covered]) -> Result<(), Failure> {
        let Some(format) = self.coverage else { return Ok(()) };
        let colour = self.coverage_file.is_none() && style(io::stdout().is_terminal()).colour;
        let text = match format {
            Format::Human => all.iter().map(|file| listing(file, colour)).collect::<Vec<_>>().join("\n"),
            Format::Json => format!("{}\n", json(all)),
            Format::Lcov => all.iter().map(Covered::lcov).collect(),
        };
        match &self.coverage_file {
            Some(path) => {
                keep(path, &text)?;
                note(&format!("wrote the coverage to {path}"));
                Ok(())
            }
            None => out(&text),
        }
    }
}

/// Returns the coverage of several files as a JSON array.
pub fn json(all: &[Covered]) -> Json {
    all.iter().map(Covered::json).collect()
}

/// Formats a file with a margin: how often each line ran, a sign if something on it never happened, and the
/// line number. Notes on needs and branches follow each line.
fn listing(file: &Covered, colour: bool) -> String {
    let counts = file.lines();
    let mut text = format!("{}\n", file.name);
    for (number, line) in (1..).zip(file.text.lines()) {
        let count = counts.get(&number);
        let (sign, paint) = match count {
            Some(0) => ('!', "31"),
            Some(_) if lacks(file, number) => ('~', "33"),
            _ => (' ', ""),
        };
        let shown = count.map_or("·".to_string(), |count| count.to_string());
        let notes = notes(file, number);
        let notes = if notes.is_empty() { notes } else { format!("  <- {notes}") };
        let row = format!("{shown:>8} {sign} {number:>4} | {line}{notes}");
        let row = row.trim_end();
        let _ = match colour && !paint.is_empty() {
            true => writeln!(text, "\x1b[{paint}m{row}\x1b[0m"),
            false => writeln!(text, "{row}"),
        };
    }
    let totals: Vec<String> = file
        .totals()
        .into_iter()
        .filter(|(_, share)| share.found > 0)
        .map(|(name, share)| {
            let did = match name {
                "lines" | "statements" => "ran",
                "needs" => "refused something",
                "branches" => "were taken",
                _ => "were chosen",
            };
            format!("{} of {} {name} {did}", share.hit, share.found)
        })
        .collect();
    let totals = if totals.is_empty() { "nothing in it can run".to_string() } else { totals.join(", ") };
    let _ = writeln!(text, "{totals}  (! never ran, ~ ran, but not every way)");
    text
}

/// Whether something on a line never happened.
fn lacks(file: &Covered, line: usize) -> bool {
    let never = file.parts.iter().any(|(at, _, part)| at.line == line && part.ran == 0);
    never || file.ways().iter().any(|(at, _, count)| *at == line && count.is_none_or(|count| count == 0))
}

/// Describes what the needs and branches of a line did.
fn notes(file: &Covered, line: usize) -> String {
    let here = || file.parts.iter().filter(|(at, ..)| at.line == line).map(|(.., part)| part);
    let mut notes = Vec::new();
    for part in here() {
        let (ran, of) = (part.ran, part.of);
        match part.kind {
            PartKind::Need => notes.push(format!("asked {of}, refused {ran}")),
            PartKind::Preference => notes.push(format!("asked {of}, left out {ran}")),
            PartKind::Branch | PartKind::Until | PartKind::EndWhen | PartKind::WinWhen => {
                notes.push(format!("yes {ran} no {}", of.saturating_sub(ran)));
            }
            PartKind::Filter => notes.push(format!("passed {ran}")),
            PartKind::Stuck => notes.push(format!("stuck {ran} of {of}")),
            PartKind::TieBreak => notes.push(format!("ties {ran}")),
            _ => {}
        }
    }
    let offers: Vec<_> =
        here().filter(|part| matches!(part.kind, PartKind::Offer | PartKind::ElseOffer)).collect();
    if offers.len() > 1 {
        notes.extend(offers.iter().map(|part| format!("{} {}", part.label, part.ran)));
    }
    let arms: Vec<String> =
        here().filter(|part| part.kind == PartKind::Arm).map(|part| part.ran.to_string()).collect();
    if arms.len() > 1 {
        notes.push(format!("arms {}", arms.join(" ")));
    }
    notes.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::Rules;
    use crate::source::Source;

    #[test]
    fn a_terminal_shows_in_colour_what_never_ran() {
        let text = "game \"A\" { players 2 }\ntable { n: int = 0 }\nmove up { n += 1 }\n\
            play { turns until n = 3 { up } }\n";
        let (rules, coverage) = Rules::load(Source::new("a.game", text)).unwrap().watched();
        let files = Covered::files(&rules, &coverage, &rules.source);
        let plain = listing(&files[0], false);
        let painted = listing(&files[0], true);
        assert!(plain.contains("       0 !    3 | move up { n += 1 }\n"), "{plain}");
        assert!(painted.contains("\x1b[31m       0 !    3 | move up { n += 1 }\x1b[0m\n"), "{painted}");
        assert_eq!(painted.replace("\x1b[31m", "").replace("\x1b[0m", ""), plain);
    }
}

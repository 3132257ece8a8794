//! Coverage by the lines of rule files: counts, JSON, and LCOV tracefiles.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::eval::{Coverage, Fault, Part, PartKind};
use crate::play::{Record, Rng, Rules, replay_told};
use crate::source::{Position, Source};

/// How many rows of arguments of each offered move are probed at a choice.
const PROBED_ROWS: u64 = 32;

/// Replays matches, one record per line, under rules that are [watched](Rules::watched). At each choice, also
/// probes the needs of other rows than the chosen one, drawn at random by the record's seed. The error is a
/// sentence.
pub fn play_again(rules: &Arc<Rules>, records: &str) -> Result<(), String> {
    let sentence = |fault: Fault| fault.message.clone();
    for line in records.lines() {
        let record = Record::read(line)?;
        let mut rng = Rng::nth(record.seed.unwrap_or(0), 1);
        let replayed = replay_told(rules.clone(), &record, &mut |played| {
            // A fault here is in a row that nobody chose: ignore it, and keep what was counted before it.
            let _ = played.probe(&mut rng, PROBED_ROWS);
        })?;
        if let Some((_, refused)) = replayed.broken {
            return Err(refused.message);
        }
        replayed.played.scores().map_err(sentence)?;
    }
    Ok(())
}

/// A rule file with its coverage.
#[derive(Debug)]
pub struct Covered<'s> {
    /// The file's name; a variant and its base are two files.
    pub name: &'s str,
    /// Its text.
    pub text: &'s str,
    /// The parts that can run, in the order of the text, with the start and end of each.
    pub parts: Vec<(Position, Position, Part)>,
}

/// How many parts of a kind there are, and how many of them ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// How many ran.
    pub hit: usize,
    /// How many there are.
    pub found: usize,
}

impl Share {
    fn of(counts: impl IntoIterator<Item = u64>) -> Share {
        let mut share = Share::default();
        for count in counts {
            share.found += 1;
            share.hit += usize::from(count > 0);
        }
        share
    }

    fn json(self) -> Json {
        json!({ "found": self.found, "hit": self.hit })
    }
}

impl<'s> Covered<'s> {
    /// Returns the coverage of each file of the rules: first that of a variant, then those of the games that
    /// it is based on.
    pub fn files(rules: &Rules, coverage: &Coverage, source: &'s Source) -> Vec<Covered<'s>> {
        let all = coverage.parts(&rules.game, source);
        let inside = |part: &&Part, start: usize, end: usize| (start..end).contains(&part.span.start);
        let files = source.files().map(|(name, file)| {
            let own = all.iter().filter(|part| inside(part, file.start, file.end));
            let placed = |part: &Part| {
                (source.position(part.span.start), source.end_position(part.span), part.clone())
            };
            Covered { name, text: source.slice(file), parts: own.map(placed).collect() }
        });
        files.collect()
    }

    /// Returns how often each line with code ran, by its number from 1. If a line has several parts, the
    /// highest count is taken.
    pub fn lines(&self) -> BTreeMap<usize, u64> {
        let mut lines = BTreeMap::new();
        for (at, _, part) in &self.parts {
            let count: &mut u64 = lines.entry(at.line).or_default();
            *count = (*count).max(reached(part));
        }
        lines
    }

    /// Returns the branches of each line: the line, the branch's name, and how often it was taken; `None` if
    /// it was never reached.
    pub fn ways(&self) -> Vec<(usize, &str, Option<u64>)> {
        let mut ways = Vec::new();
        for (at, _, part) in &self.parts {
            let mut way = |name, count| ways.push((at.line, name, (part.of > 0).then_some(count)));
            let (ran, not) = (part.ran, part.of.saturating_sub(part.ran));
            match part.kind {
                PartKind::Branch => way("yes", ran),
                PartKind::Else => way("else", ran),
                PartKind::PassedOver => way("no", ran),
                PartKind::Filter => way("passed", ran),
                PartKind::Arm => way("taken", ran),
                PartKind::Offer | PartKind::ElseOffer => {
                    ways.push((at.line, part.label.as_str(), (part.of > 0).then_some(ran)));
                }
                PartKind::Until | PartKind::EndWhen | PartKind::WinWhen => {
                    way("yes", ran);
                    way("no", not);
                }
                PartKind::Stuck => {
                    way("stuck", ran);
                    way("not stuck", not);
                }
                PartKind::Need | PartKind::Preference => {
                    way("refused", ran);
                    way("held", not);
                }
                _ => {}
            }
        }
        ways
    }

    /// Returns how many parts of the kinds that satisfy `is` ran.
    fn share(&self, is: impl Fn(PartKind) -> bool) -> Share {
        Share::of(self.parts.iter().filter(|(.., part)| is(part.kind)).map(|(.., part)| part.ran))
    }

    /// Returns the totals for lines, statements, needs (those that refused something), branches and moves.
    pub fn totals(&self) -> [(&'static str, Share); 5] {
        use PartKind::*;
        let statement = |kind| matches!(kind, Statement | Award | Win | End | Phase);
        // Needs are counted separately.
        let branch = |kind| {
            matches!(
                kind,
                Branch
                    | Else
                    | PassedOver
                    | Filter
                    | Until
                    | EndWhen
                    | WinWhen
                    | Stuck
                    | Arm
                    | Offer
                    | ElseOffer
            )
        };
        [
            ("lines", Share::of(self.lines().into_values())),
            ("statements", self.share(statement)),
            ("needs", self.share(|kind| matches!(kind, Need | Preference))),
            ("branches", self.share(branch)),
            ("moves", self.share(|kind| kind == Move)),
        ]
    }

    /// Returns JSON with `file`, `lines` (`line`, `ran`), `parts` (`kind`, `label`, `line`, `column`,
    /// `end_line`, `end_column`, `ran`, `of`) and `totals` (`found` and `hit` of each kind). Lines and
    /// columns are 1-based.
    pub fn json(&self) -> Json {
        let lines: Vec<Json> =
            self.lines().iter().map(|(line, ran)| json!({ "line": line, "ran": ran })).collect();
        let part = |(at, end, part): &(Position, Position, Part)| {
            json!({
                "kind": part.kind.slug(),
                "label": (!part.label.is_empty()).then_some(&part.label),
                "line": at.line, "column": at.column, "end_line": end.line, "end_column": end.column,
                "ran": part.ran, "of": part.of,
            })
        };
        let parts: Vec<Json> = self.parts.iter().map(part).collect();
        let totals: serde_json::Map<String, Json> =
            self.totals().into_iter().map(|(name, share)| (name.to_string(), share.json())).collect();
        json!({ "file": self.name, "lines": lines, "parts": parts, "totals": totals })
    }

    /// Returns a section of an LCOV tracefile, as described in geninfo(1): functions are moves and functions
    /// of the rules, branches are those of [`Covered::ways`].
    pub fn lcov(&self) -> String {
        let mut out = format!("TN:\nSF:{}\n", self.name);
        let functions = || {
            let named = |kind| matches!(kind, PartKind::Move | PartKind::Function);
            self.parts.iter().filter(move |(.., part)| named(part.kind))
        };
        // Writing to a `String` cannot fail.
        for (at, _, part) in functions() {
            let _ = writeln!(out, "FN:{},{}", at.line, part.label);
        }
        for (_, _, part) in functions() {
            let _ = writeln!(out, "FNDA:{},{}", part.ran, part.label);
        }
        let hit = functions().filter(|(.., part)| part.ran > 0).count();
        let _ = writeln!(out, "FNF:{}\nFNH:{hit}", functions().count());
        let ways = self.ways();
        for (at, (line, _, count)) in ways.iter().enumerate() {
            let number = ways[..at].iter().rev().take_while(|(before, ..)| before == line).count();
            let count = count.map_or("-".to_string(), |count| count.to_string());
            let _ = writeln!(out, "BRDA:{line},0,{number},{count}");
        }
        let hit = ways.iter().filter(|(.., count)| count.is_some_and(|count| count > 0)).count();
        let _ = writeln!(out, "BRF:{}\nBRH:{hit}", ways.len());
        let lines = self.lines();
        for (line, ran) in &lines {
            let _ = writeln!(out, "DA:{line},{ran}");
        }
        let hit = lines.values().filter(|ran| **ran > 0).count();
        let _ = writeln!(out, "LH:{hit}\nLF:{}\nend_of_record", lines.len());
        out
    }
}

/// Returns how often a part was reached: a condition tested, a need evaluated, a statement executed.
fn reached(part: &Part) -> u64 {
    match part.kind {
        PartKind::Need
        | PartKind::Preference
        | PartKind::Branch
        | PartKind::PassedOver
        | PartKind::Filter
        | PartKind::Until
        | PartKind::EndWhen
        | PartKind::WinWhen
        | PartKind::Stuck
        | PartKind::Offer
        | PartKind::ElseOffer => part.of,
        _ => part.ran,
    }
}

//! `parlour check --play`: explores rule files and reports what only play reveals.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use serde_json::{Map, Value as Json, json};

use super::cores::crew;
use super::files::{NamedFile, sentence, write};
use super::progress::Progress;
use super::{EngineKind, Failure, ValueArgs, engine_kind, not_seconds};
use crate::diag::Diagnostic;
use crate::eval::text;
use crate::explore::{
    BulkMaker, EFFORT_PER_SECOND, Finding, Plan, Report, Setting, SettingResult, Sort, Step, Trace,
    all_positions, counted, explore, played, thousands, without_intended, words_of_all,
};
use crate::play::{Drawing, Look, Record, Rules, replay};
use crate::repl::terminal::wrapped;
#[cfg(feature = "jit")]
use crate::{engine::Engine, explore::BulkPlayer, jit::Compiled};

/// The greatest number of lines of a match that are printed; the record has all of them.
const MOST_LINES: usize = 40;

#[derive(Args)]
pub struct ExploreArgs {
    /// Play as well, and report what only play shows
    #[arg(long, conflicts_with = "fix")]
    pub play: bool,
    /// How much to play each file: about this many seconds of work on one core
    #[arg(long, value_name = "T", default_value_t = 10.0, requires = "play")]
    pub seconds: f64,
    /// The random seed for play
    #[arg(long, value_name = "N", default_value_t = 0, requires = "play")]
    pub seed: u64,
    /// Which engine plays matches in bulk; the reference engine plays none
    #[arg(long, value_parser = engine_kind(), default_value = EngineKind::DEFAULT, requires = "play")]
    engine: EngineKind,
    /// Write a record of each finding into this folder
    #[arg(long, value_name = "FOLDER", requires = "play")]
    pub records: Option<String>,
}

/// The results of exploring a rule file.
pub struct Explored {
    /// The findings to report with their details, except for those that the file declares as meant.
    pub found: Vec<(Diagnostic, Option<FindingDetails>)>,
    /// The number of findings that the file declares as meant.
    pub meant: usize,
    /// What was tried, one line for each setting.
    pub tried: Vec<String>,
    /// The settings that were tried, all in one line.
    pub settings: String,
    /// A one-line summary of everything that was tried.
    pub summary: String,
    /// Whether exploration was interrupted.
    pub broken_off: bool,
}

/// The details of a finding.
pub struct FindingDetails {
    /// The setting in which it was found: in words, and as JSON.
    setting: Option<(String, Json)>,
    /// How it was found.
    how: String,
    proved: bool,
    /// The lines of the match.
    lines: Vec<String>,
    /// For a leak, the lines of the other world: the same match except for a secret.
    beside: Vec<String>,
    /// The step that causes the finding, from 1, and the table before it.
    table: Option<(usize, Drawing)>,
    /// The match as an example that can be added to the file.
    example: Option<String>,
    /// The record of the match up to the step before the finding.
    record: Option<Json>,
}

impl ExploreArgs {
    /// Returns the effort for each file, in the units of [`Plan`].
    pub fn effort(&self) -> Result<u64, Failure> {
        let effort = self.seconds * EFFORT_PER_SECOND as f64;
        match effort.is_finite() && effort > 0.0 {
            true => Ok(effort as u64),
            false => Err(not_seconds(self.seconds)),
        }
    }

    /// Explores a rule file that has no errors.
    pub fn explore(
        &self,
        values: &ValueArgs,
        file: &NamedFile,
        rules: &Arc<Rules>,
        stop: &AtomicBool,
    ) -> Result<Explored, Failure> {
        let name = &rules.source.name;
        let progress = Progress::new(&format!("{name}: getting ready"));
        let watch = |setting: &Setting, share: f64| {
            progress.tell(share, || format!("{name}, {}", setting.words(rules)));
            !stop.load(Ordering::SeqCst)
        };
        let plan = Plan {
            options: values.options(rules)?,
            players: values.players,
            effort: self.effort()?,
            seed: self.seed,
            crew: &crew,
            bulk: self.engine.maker(),
            watch: &watch,
        };
        let report = explore(rules, &plan);
        drop(progress);
        Ok(explored(rules, file, values, report))
    }
}

impl EngineKind {
    /// Returns the function that creates the bulk player of matches; `None` if that would not be faster.
    fn maker(self) -> Option<BulkMaker<'static>> {
        match self {
            #[cfg(feature = "jit")]
            EngineKind::Compiled => Some(&|machine| {
                let compiled = Compiled::new(machine);
                let whole = compiled.left_out().is_empty() && compiled.interpreted().is_empty();
                whole.then(|| Box::new(compiled) as Box<dyn BulkPlayer>)
            }),
            EngineKind::Reference => None,
        }
    }
}

/// Returns a title that is not among these, if need be with a number at its end.
fn unused_title(titles: &BTreeSet<String>, title: &str) -> String {
    let numbered = (2..).map(|number| format!("{title} {number}"));
    let mut all = std::iter::once(title.to_string()).chain(numbered);
    all.find(|title| !titles.contains(title)).unwrap_or_default()
}

/// Reports what was found, leaving out what the file declares as meant.
fn explored(rules: &Arc<Rules>, file: &NamedFile, values: &ValueArgs, report: Report) -> Explored {
    let told = without_intended(rules, &report, !values.given());
    // The titles of a file's examples must differ.
    let mut titles: BTreeSet<String> =
        rules.game.examples.iter().map(|example| example.title.clone()).collect();
    let mut found: Vec<(Diagnostic, Option<FindingDetails>)> = Vec::new();
    for finding in &told.findings {
        let title = unused_title(&titles, &format!("found by play: {}", finding.diagnostic.code.page().slug));
        let details = FindingDetails::of(finding, rules, file, &title);
        if details.example.is_some() {
            titles.insert(title);
        }
        found.push((finding.diagnostic.clone(), Some(details)));
    }
    found.extend(told.idle.into_iter().map(|diagnostic| (diagnostic, None)));
    let tried = report.tried.iter().map(|tried| tried.words(rules)).collect();
    let all: Vec<&Setting> = report.tried.iter().map(|tried| &tried.setting).collect();
    let settings = words_of_all(rules, &all);
    let summary = summary(&report);
    Explored { found, meant: told.meant, tried, settings, summary, broken_off: report.broken_off }
}

/// Summarises everything that was tried in one line.
fn summary(report: &Report) -> String {
    // Of a single setting, its number says nothing.
    let settings = |n: usize| match report.tried.len() {
        1 => String::new(),
        _ => format!(" of {}", counted(n as u64, "setting", "settings")),
    };
    let (complete, others): (Vec<&SettingResult>, Vec<&SettingResult>) =
        report.tried.iter().partition(|tried| tried.complete);
    // After an early interruption, some settings have no matches.
    let (sampled, begun): (Vec<&SettingResult>, Vec<&SettingResult>) =
        others.into_iter().partition(|tried| tried.matches > 0);
    let sum =
        |of: fn(&SettingResult) -> u64, tried: &[&SettingResult]| tried.iter().map(|tried| of(tried)).sum();
    let mut parts = Vec::new();
    if !complete.is_empty() {
        let positions = all_positions(sum(|tried| tried.positions, &complete));
        parts.push(format!("{positions}{}", settings(complete.len())));
    }
    if !sampled.is_empty() {
        let matches = played(sum(|tried| tried.matches, &sampled), sum(|tried| tried.in_bulk, &sampled));
        let choices = counted(sum(|tried| tried.choices, &sampled), "choice", "choices");
        let longest = thousands(sampled.iter().map(|tried| tried.longest).max().unwrap_or(0));
        let ended = match sampled.iter().all(|tried| tried.finished == 0) {
            true => ", none of which ended; what happens later in a match was not seen",
            false => "",
        };
        let settings = settings(sampled.len());
        parts.push(format!("{matches}{settings}, {choices}, the longest {longest}{ended}"));
    }
    if !begun.is_empty() {
        let positions = counted(sum(|tried| tried.positions, &begun), "position", "positions");
        parts.push(format!("the nearest {positions}{}", settings(begun.len())));
    }
    let tried = match parts.is_empty() {
        true => "no setting, because none can begin".to_string(),
        false => parts.join(", and "),
    };
    let uncompared: Vec<String> = report.uncompared.iter().map(|name| format!("`{name}`")).collect();
    match uncompared.as_slice() {
        [] => tried,
        [one] => format!("{tried}; give it more `--seconds` to find out whether {one} changes anything"),
        _ => format!(
            "{tried}; give it more `--seconds` to find out whether {} change anything",
            uncompared.join(", ")
        ),
    }
}

impl FindingDetails {
    /// Returns the details of a finding; `title` is that of the example.
    fn of(finding: &Finding, rules: &Arc<Rules>, file: &NamedFile, title: &str) -> FindingDetails {
        let trace = finding.trace.as_ref();
        let lines = trace.map_or(Vec::new(), |trace| trace.lines(rules));
        FindingDetails {
            setting: trace.map(|trace| (trace.setting.words(rules), setting_json(&trace.setting, rules))),
            how: finding.how.clone(),
            proved: finding.proved,
            example: trace
                .filter(|_| lines.len() <= MOST_LINES && finding.beside.is_none())
                .and_then(|trace| trace.example(rules, title)),
            lines,
            beside: finding.beside.as_ref().map_or(Vec::new(), |trace| trace.lines(rules)),
            table: trace.and_then(|trace| table(trace, rules)),
            record: trace.map(|trace| record(trace, finding, rules, file)),
        }
    }

    /// Formats the details below the report for people.
    pub fn words(&self, look: Look) -> String {
        let with = self.setting.as_ref().map(|(words, _)| format!("with {words}"));
        let how = Some(self.how.clone()).filter(|how| !how.is_empty());
        let head = with.into_iter().chain(how).collect::<Vec<_>>().join(": ");
        let mut out = format!("{}\n", wrapped(&format!("  {head}"), super::width()));
        out.push_str(&as_lines(&self.lines));
        if let Some((step, table)) = &self.table {
            let table = table.text(&Look { width: look.width.saturating_sub(4), ..look });
            let lines: Vec<String> = table.trim_end().lines().map(|line| format!("    {line}\n")).collect();
            if !lines.is_empty() {
                out.push_str(&format!("  the table before step {step}:\n{}", lines.concat()));
            }
        }
        if !self.beside.is_empty() {
            out.push_str("  another match, the same except for a secret:\n");
            out.push_str(&as_lines(&self.beside));
        }
        if let Some(example) = &self.example {
            out.push_str("  you can add this example of it to the file:\n\n");
            out.push_str(&format!("{example}\n"));
        }
        out.push('\n');
        out
    }

    /// Formats the details as the end of a one-line report.
    pub fn plain(&self) -> String {
        let with = self.setting.as_ref().map(|(words, _)| format!("with {words}"));
        let how = Some(self.how.clone()).filter(|how| !how.is_empty());
        let lines: Vec<&str> = self.lines.iter().map(|line| line.trim()).collect();
        let lines = Some(lines.join(", ")).filter(|lines| !lines.is_empty());
        with.into_iter().chain(how).chain(lines).collect::<Vec<_>>().join("; ")
    }

    /// Adds the details to the finding's JSON object.
    pub fn add_to(&self, object: &mut Json, tried: &[String]) {
        object["setting"] = self.setting.as_ref().map_or(Json::Null, |(_, json)| json.clone());
        object["how"] = json!(self.how);
        object["proved"] = json!(self.proved);
        object["tried"] = json!(tried);
        object["trace"] = json!(self.lines);
        if !self.beside.is_empty() {
            object["beside"] = json!(self.beside);
        }
        object["example"] = json!(self.example);
        object["record"] = json!(self.record);
    }
}

/// Indents the lines of a match; of a long one, only its beginning and end.
fn as_lines(lines: &[String]) -> String {
    let line = |line: &String| format!("    {line}\n");
    if lines.len() <= MOST_LINES {
        return lines.iter().map(line).collect();
    }
    let (first, last) = (&lines[..MOST_LINES / 2], &lines[lines.len() - MOST_LINES / 2..]);
    let left = counted((lines.len() - MOST_LINES) as u64, "line", "lines");
    let (first, last): (String, String) = (first.iter().map(line).collect(), last.iter().map(line).collect());
    format!("{first}    … {left} left out …\n{last}")
}

fn setting_json(setting: &Setting, rules: &Rules) -> Json {
    let game = &rules.game;
    let options = setting.options.iter();
    let options: Map<String, Json> =
        options.map(|(id, value)| (game.options[*id].name.clone(), text::json(game, value))).collect();
    json!({ "options": options, "players": setting.players })
}

/// Splits a match at the last choice, which causes the finding: the steps before it, and the rest.
fn parted(trace: &Trace) -> (Trace, &[Step]) {
    let choice = trace.steps.iter().rposition(|step| matches!(step, Step::Choice(_)));
    let (before, next) = trace.steps.split_at(choice.unwrap_or(trace.steps.len()));
    (Trace { setting: trace.setting.clone(), steps: before.to_vec() }, next)
}

/// Returns the step that causes a finding, from 1, and the table before it.
fn table(trace: &Trace, rules: &Arc<Rules>) -> Option<(usize, Drawing)> {
    let (before, next) = parted(trace);
    let choices = before.steps.iter().filter(|step| matches!(step, Step::Choice(_))).count();
    let record = Record { seed: Some(0), ..before.record(rules) };
    let replayed = replay(rules.clone(), &record).ok().filter(|replayed| replayed.broken.is_none());
    let drawing = replayed?.played.drawing().ok()?;
    (!next.is_empty()).then_some((choices + 1, drawing))
}

/// Returns the record of a match up to the choice that causes the finding, together with the following steps.
fn record(trace: &Trace, finding: &Finding, rules: &Rules, file: &NamedFile) -> Json {
    let (before, next) = parted(trace);
    let mut record = Record { seed: Some(0), ..before.record(rules) }.json();
    let entries: Vec<Json> = next.iter().flat_map(|step| step.entries(rules)).collect();
    // The session names the game so that its rules are found again, and has the next step, with its chance
    // events, as if it had been undone.
    let game = file.path.as_ref().unwrap_or(&rules.name);
    record["session"] = json!({ "game": game, "undone": entries });
    let page = finding.diagnostic.code.page();
    let next_steps = Trace { setting: trace.setting.clone(), steps: next.to_vec() };
    let made: Vec<String> = next_steps.lines(rules).iter().map(|line| made_by(line)).collect();
    let message = &finding.diagnostic.message;
    let told = match (finding.sort, made.join(", then ")) {
        (_, made) if made.is_empty() => format!("{message} ({} {})", page.code, page.slug),
        (Sort::Fault, made) => {
            format!("the next step, {made}, breaks the rules: {message} (`:redo` plays it)")
        }
        (_, made) => format!(
            "the next step, {made}, shows it: {message} ({} {}; `:redo` plays it)",
            page.code, page.slug
        ),
    };
    record["finding"] = json!({
        "code": page.code,
        "slug": page.slug,
        "message": finding.diagnostic.message,
        "next": entries,
        "told": told,
    });
    record
}

/// Turns a line of a match into part of a sentence: `1  player 1: take 3` becomes `take 3` by player 1.
fn made_by(line: &str) -> String {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    match line.split_once(": ") {
        Some((who, what)) => format!("`{what}` by {who}"),
        None => line.to_string(),
    }
}

/// Writes the records of findings into a folder, under names such as `kalah-endless-1.json`.
pub struct Records<'a> {
    folder: &'a Path,
    /// The names used in this run.
    taken: BTreeSet<String>,
    written: usize,
    replaced: usize,
}

impl Records<'_> {
    /// Creates the folder if it does not exist. The error is a sentence.
    pub fn into_folder(folder: &str) -> Result<Records<'_>, String> {
        let path = Path::new(folder);
        std::fs::create_dir_all(path).map_err(|error| format!("error: {folder}: {}", sentence(&error)))?;
        Ok(Records { folder: path, taken: BTreeSet::new(), written: 0, replaced: 0 })
    }

    /// Writes the record of a finding, if it has one. Replaces a file of an earlier run only if it is the
    /// record of a finding, too. The error is a sentence.
    pub fn write(
        &mut self,
        rules: &Rules,
        diagnostic: &Diagnostic,
        shown: &FindingDetails,
    ) -> Result<(), String> {
        let Some(record) = &shown.record else { return Ok(()) };
        let slug = diagnostic.code.page().slug;
        let name = |number: &usize| format!("{}-{slug}-{number}.json", rules.name);
        let number = (1..).find(|number| !self.taken.contains(&name(number))).unwrap_or(1);
        let name = name(&number);
        self.taken.insert(name.clone());
        let path = self.folder.join(name);
        let text = format!("{record}\n");
        match std::fs::read_to_string(&path) {
            Ok(there) if there == text => {}
            Ok(there) if serde_json::from_str(&there).is_ok_and(|json: Json| json["finding"].is_object()) => {
                self.replaced += 1;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            _ => {
                return Err(format!(
                    "error: {}: this already exists and is not a record of a finding; name another folder",
                    path.display()
                ));
            }
        }
        write(&path, &text).map_err(|error| format!("error: {}: {}", path.display(), sentence(&error)))?;
        self.written += 1;
        Ok(())
    }

    /// Summarises what was written.
    pub fn summary(&self) -> String {
        let records = counted(self.written as u64, "record", "records");
        let replaced = match self.replaced {
            0 => String::new(),
            n => format!(", {n} of them replacing another run's"),
        };
        format!("{records} in {}{replaced}", self.folder.display())
    }
}

//! `parlour test`: runs the examples inside rule files.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};

use super::coverage::CoverageArgs;
use super::files::named;
use super::progress::{Progress, interruption};
use super::{Exit, Failure, ValueArgs, look, note, out, style};
use crate::diag::render::{self, Style};
use crate::diag::{Diagnostic, Severity};
use crate::eval::{Coverage, text};
use crate::lab::Covered;
use crate::play::{Drawing, ExampleReport, Look, Rules, run_example};
use crate::source::Source;

#[derive(Args)]
pub struct TestArgs {
    /// Rule files, folders of them, or bundled games; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Print JSON; the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// How to print the results
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    format: Format,
    #[command(flatten)]
    values: ValueArgs,
    #[command(flatten)]
    coverage: CoverageArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line each; failures with the lines they are about
    Human,
    /// A line each, and one more for each failure
    Plain,
    /// One array
    Json,
}

/// The result of an example, or of a file whose examples cannot be run.
pub struct Tested {
    /// The title of the example; `None` for the whole file.
    pub title: Option<String>,
    /// The outcome.
    pub outcome: Outcome,
}

/// The outcome of an example.
pub enum Outcome {
    /// Everything that it states holds.
    Passed,
    /// It states something that does not hold, or breaks the rules; with the table at that point.
    Failed(Box<Diagnostic>, Option<Drawing>),
    /// It uses other options or players than requested; the text says which.
    Skipped(String),
    /// The file has errors; all its diagnostics.
    Unchecked(Vec<Diagnostic>),
}

pub fn run(args: &TestArgs) -> Exit {
    let terminal = io::stdout().is_terminal();
    let drawn = (style(terminal), look(terminal, false));
    let format = if args.json { Format::Json } else { args.format };
    if format == Format::Json && args.coverage.wanted() && !args.coverage.apart() {
        let sentence =
            "JSON output is one array of examples; write the coverage to a file: `--coverage-file FILE`";
        return Err(Failure::Usage(sentence.to_string()));
    }
    // Where standard output is reserved for coverage, results go to standard error.
    let stop = interruption();
    let progress = Progress::new("reading the rules");
    let tell = |text: &str| {
        progress.clear();
        match args.coverage.alone() {
            true => {
                note(text);
                Ok(())
            }
            false => out(text),
        }
    };
    let named = named(&args.files);
    named.trouble.iter().for_each(|text| note(text));
    let loaded: Vec<(&Source, Result<Rules, Vec<Diagnostic>>)> = named
        .files
        .iter()
        .take_while(|_| !stop.load(Ordering::SeqCst))
        .map(|file| (&file.source, Rules::load(file.source.clone())))
        .collect();
    args.values.are_known(&loaded.iter().filter_map(|(_, rules)| rules.as_ref().ok()).collect::<Vec<_>>())?;
    let readable = loaded.iter().filter_map(|(_, rules)| rules.as_ref().ok());
    let whole: usize = readable.map(|rules| rules.game.examples.len()).sum();
    let (mut passed, mut failed, mut done, mut json) = (0, 0, 0, Vec::new());
    let mut watched: Vec<(Rules, Arc<Coverage>, &Source)> = Vec::new();
    for (source, rules) in loaded {
        let mut of_file = 0;
        let mut each = |tested: Tested| {
            of_file += 1;
            match tested.outcome {
                Outcome::Passed => passed += 1,
                Outcome::Failed(..) | Outcome::Unchecked(_) => failed += 1,
                Outcome::Skipped(_) => {}
            }
            done += usize::from(tested.title.is_some());
            match format {
                Format::Human => tell(&tested.words(source, Some(drawn)))?,
                Format::Plain => tell(&tested.words(source, None))?,
                Format::Json => json.push(tested.json(source)),
            }
            progress.tell(done as f64 / whole.max(1) as f64, || format!("{done} of {whole} examples"));
            Ok(!stop.load(Ordering::SeqCst))
        };
        match rules {
            Ok(rules) if args.coverage.wanted() => {
                let (rules, coverage) = rules.watched();
                watched.push((rules.clone(), coverage, source));
                examples(rules, &args.values, &mut each)?;
            }
            Ok(rules) => examples(rules, &args.values, &mut each)?,
            Err(found) => drop(each(Tested { title: None, outcome: Outcome::Unchecked(found) })?),
        }
        if stop.load(Ordering::SeqCst) {
            break;
        }
        if of_file == 0 {
            note(&format!("{}: it has no examples", source.name));
        }
    }
    let covered: Vec<Covered> = watched
        .iter()
        .flat_map(|(rules, coverage, source)| Covered::files(rules, coverage, source))
        .collect();
    args.coverage.write(&covered)?;
    match format {
        Format::Json => out(&Json::Array(json).to_string())?,
        Format::Human | Format::Plain => tell(&format!("{passed} passed, {failed} failed"))?,
    }
    if stop.load(Ordering::SeqCst) {
        progress.clear();
        note(&format!("interrupted after {done} of {whole} examples; the others were not run"));
        return Ok(130);
    }
    Ok(u8::from(failed > 0 || !named.trouble.is_empty()))
}

/// Runs the examples of rules in file order, applying `values` to the examples that do not set them; examples
/// that set other values are skipped. Passes each result to `each` until that returns false.
pub fn examples(
    mut rules: Rules,
    values: &ValueArgs,
    each: &mut dyn FnMut(Tested) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let options = values.options(&rules)?;
    let game = Arc::make_mut(&mut rules.game);
    let mut plan = Vec::new();
    for mut example in std::mem::take(&mut game.examples) {
        let other =
            example.options.iter().find(|(id, value)| options.get(id).is_some_and(|set| set != value));
        let other_players = example.players.filter(|n| values.players.is_some_and(|set| set != *n));
        let skipped = match (other, other_players) {
            (Some((id, value)), _) => {
                let name = &game.options[*id].name;
                Some(format!("it sets `{name}` to {}", text::words(game, value)))
            }
            (None, Some(n)) => Some(format!("it is for {n} players")),
            (None, None) => None,
        };
        let skips = skipped.is_some();
        plan.push((example.title.clone(), skipped));
        if skips {
            continue;
        }
        let unset = |(id, _): &(&usize, &_)| example.options.iter().all(|(known, _)| known != *id);
        let more: Vec<_> = options.iter().filter(unset).map(|(id, value)| (*id, value.clone())).collect();
        example.options.extend(more);
        example.players = example.players.or(values.players);
        game.examples.push(example);
    }
    let rules = Arc::new(rules);
    let mut to_run = rules.game.examples.iter();
    for (title, skipped) in plan {
        let outcome = match skipped {
            Some(why) => Outcome::Skipped(why),
            None => match to_run.next().map(|example| run_example(&rules, example)) {
                Some(ExampleReport { failure: Some(failure), table, .. }) => {
                    Outcome::Failed(Box::new(failure), table)
                }
                _ => Outcome::Passed,
            },
        };
        if !each(Tested { title: Some(title), outcome })? {
            break;
        }
    }
    Ok(())
}

impl Tested {
    /// Formats the result as a line, followed by a report of a failure: drawn with the table, or as one line
    /// if `drawn` is `None`.
    pub fn words(&self, source: &Source, drawn: Option<(Style, Look)>) -> String {
        let file = &source.name;
        let title = self.title.as_deref().unwrap_or_default();
        let report = |failure: &Diagnostic, table: &Option<Drawing>| match drawn {
            Some((style, look)) => {
                let table = table.as_ref().map_or(String::new(), |table| table.text(&look));
                let table: String = table.lines().map(|line| format!("{line}\n")).collect();
                format!("{}{table}", render::human(source, failure, style))
            }
            None => render::plain(source, failure),
        };
        match &self.outcome {
            Outcome::Passed => format!("ok   {file}: {title}"),
            Outcome::Failed(failure, table) => format!("FAIL {file}: {title}\n{}", report(failure, table)),
            Outcome::Skipped(why) => format!("skip {file}: {title}: {why}"),
            Outcome::Unchecked(found) => {
                let errors = found.iter().filter(|found| found.severity() == Severity::Error).count();
                let errors = format!("{errors} error{}", if errors == 1 { "" } else { "s" });
                format!("FAIL {file}: it has {errors}; `parlour check {file}` shows what is wrong")
            }
        }
    }

    fn json(&self, source: &Source) -> Json {
        let (outcome, why, found) = match &self.outcome {
            Outcome::Passed => ("passed", None, &[][..]),
            Outcome::Failed(failure, _) => {
                ("failed", Some(&failure.message), std::slice::from_ref(&**failure))
            }
            Outcome::Skipped(why) => ("skipped", Some(why), &[][..]),
            Outcome::Unchecked(found) => ("unchecked", None, &found[..]),
        };
        let found: Vec<Json> = found.iter().map(|failure| render::json(source, failure)).collect();
        json!({
            "file": source.name, "example": self.title, "outcome": outcome, "reason": why, "diagnostics": found,
        })
    }
}

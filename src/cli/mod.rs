//! The command-line interface: one module per command, and here what they share.

mod arena;
mod bench;
mod check;
mod compare;
#[cfg(feature = "jit")]
mod compiler;
mod cores;
mod coverage;
mod dump;
mod engine;
mod equilibrium;
mod explain;
mod explore;
mod files;
mod fix;
mod fmt;
mod list;
mod manual;
mod new;
mod perft;
mod play;
mod progress;
mod replay;
mod review;
mod review_page;
mod rules;
mod simulate;
mod solve;
mod solve_words;
mod study;
mod test;
mod watch;

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::process::ExitCode;
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::diag::Diagnostic;
use crate::diag::render::{self, Style};
use crate::eval::{Fault, Machine, NotStarted};
use crate::ir::Value;
use crate::play::{Look, Rules};
use crate::repl::terminal::wrapped;
use crate::source::Source;
use files::game_source;

/// The result of a command: its exit status.
type Exit = Result<u8, Failure>;

/// Why a command failed.
enum Failure {
    /// The input is wrong: an error sentence or a whole report, with exit status 1.
    Wrong(String),
    /// The command line is wrong, with exit status 2.
    Usage(String),
    /// The reader of standard output has gone away, so nothing is left to do.
    Gone,
}

/// The number of choices after which a match between bots, or one of many that are compared, is given up.
const MAX_MOVES: u64 = 10_000;

/// The number of choices after which a match is given up where there are only random choices.
const MAX_PLAYOUT: u64 = 3_000_000;

/// Write the rules of a number game as a page of prose; play, check, test and simulate it from that page.
#[derive(Parser)]
#[command(name = "parlour", version, max_term_width = 100)]
#[command(after_help = "Examples:\n  parlour play procession\n  parlour new mine\n  parlour watch mine.game")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Play and explore in a session
    #[command(after_help = "Example:\n  parlour repl procession")]
    Repl {
        /// A bundled game's name, or a path to a .game file
        game: Option<String>,
        /// Use words instead of symbols and boxes, for screen readers
        #[arg(long)]
        plain: bool,
    },
    /// Play a match at the table
    #[command(after_help = "Example:\n  parlour play procession --set n=5 --seat 2=random")]
    Play(play::PlayArgs),
    /// List the bundled games
    #[command(alias = "games", after_help = "Example:\n  parlour list")]
    List {
        #[command(flatten)]
        format: FormatArgs,
    },
    /// Show the rules as a sheet to read
    #[command(after_help = "Example:\n  parlour rules procession --players 3 --format html")]
    Rules(rules::RulesArgs),
    /// Check rule files and report everything that is wrong
    #[command(
        after_help = "Examples:\n  parlour check mine.game\n  parlour check games --format sarif\n  parlour check mine.game --fix\n  parlour check mine.game --play --records found"
    )]
    Check(check::CheckArgs),
    /// Explain a diagnostic, or a word of the language
    #[command(after_help = "Example:\n  parlour explain E0201")]
    Explain {
        /// A code, as in E0201; a function; or `words` for all functions
        code: String,
    },
    /// Show the manual of the language, or a part of it
    #[command(
        after_help = "Examples:\n  parlour manual\n  parlour manual tutorial\n  parlour manual secrets"
    )]
    Manual {
        /// A page, or some words of a section's title; without any, all titles are listed
        part: Vec<String>,
    },
    /// Run the examples in rule files
    #[command(
        after_help = "Examples:\n  parlour test mine.game games\n  parlour test procession --set n=5\n  parlour test procession --coverage"
    )]
    Test(test::TestArgs),
    /// Check, test and play a rule file each time it is saved
    #[command(after_help = "Example:\n  parlour watch mine.game")]
    Watch(watch::WatchArgs),
    /// Format rule files
    #[command(after_help = "Example:\n  parlour fmt mine.game")]
    Fmt(fmt::FmtArgs),
    /// Start a new rule file, or a variant
    #[command(after_help = "Examples:\n  parlour new mine\n  parlour new wider --from procession")]
    New(new::NewArgs),
    /// Play many matches, at random or between bots
    #[command(after_help = "Example:\n  parlour simulate procession --games 100 --records matches.jsonl")]
    Simulate(simulate::SimulateArgs),
    /// Let bots play each other, and measure how strong each is
    #[command(
        after_help = "Examples:\n  parlour arena nim --bot exact --bot random --games 20\n  parlour arena tic-tac-toe --bot mcts:50 --bot easy --within 0.2 --keep found.json"
    )]
    Arena(arena::ArenaArgs),
    /// Measure a game over many matches: how long, how fair, how deep, how much luck
    #[command(
        after_help = "Examples:\n  parlour study tic-tac-toe --playouts 8 --games 8\n  parlour study nim --playouts 8 --games 8 --keep studied.json\n  parlour study procession --playouts 4 --games 4 --sweep n=3..4"
    )]
    Study(study::StudyArgs),
    /// Compare two rule files or settings: whether they are the same game, where they first differ, how their matches differ
    #[command(
        after_help = "Examples:\n  parlour compare tic-tac-toe number-scrabble --games 100\n  parlour compare nim --against misere=no --games 100"
    )]
    Compare(compare::CompareArgs),
    /// Find the best mix of moves where choices are secret or simultaneous, and what the match is worth then
    #[command(
        after_help = "Examples:\n  parlour equilibrium goofspiel --set n=3\n  parlour equilibrium goofspiel --set n=3 --set order=descending --scores --json\n  parlour equilibrium goofspiel --set n=3 --keep mixes.json"
    )]
    Equilibrium(equilibrium::EquilibriumArgs),
    /// Replay a record under the rules; at a terminal, step by step with variations and comments
    #[command(after_help = "Example:\n  parlour replay match.json")]
    Replay(replay::ReplayArgs),
    /// Solve a game: prove who wins under best play, and find the best moves
    #[command(
        after_help = "Examples:\n  parlour solve tic-tac-toe\n  parlour solve nim --set piles=3,4,5 --set misere=no --all\n  parlour solve pig --set goal=10 --json"
    )]
    Solve(solve::SolveArgs),
    /// Review a match: its turning points, what would have been better, and who stood how
    #[command(after_help = "Example:\n  parlour review match.json --playouts 100 --html review.html")]
    Review(review::ReviewArgs),
    /// Count move sequences
    #[command(after_help = "Example:\n  parlour perft procession --depth 3")]
    Perft(perft::PerftArgs),
    /// Time random playouts
    #[command(after_help = "Example:\n  parlour bench procession --seconds 1")]
    Bench(bench::BenchArgs),
    /// Show a rule file at one stage on its way from text to play
    #[command(after_help = "Example:\n  parlour dump procession --stage ast")]
    Dump(dump::DumpArgs),
    /// Serve other programs: JSON-RPC over standard input and output
    #[command(
        after_help = "Example:\n  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\"}' | parlour engine"
    )]
    Engine,
}

/// Which game, with which options and how many players.
#[derive(Args)]
struct SettingArgs {
    /// A bundled game's name, or a path to a .game file
    game: String,
    #[command(flatten)]
    values: ValueArgs,
}

/// Options and the number of players.
#[derive(Args)]
struct ValueArgs {
    /// Set an option
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// How many players
    #[arg(long, value_name = "N")]
    players: Option<usize>,
}

/// Whether results are for people or for programs.
#[derive(Args)]
struct FormatArgs {
    /// Print JSON; the same as `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// How to print the results
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Human,
    Json,
}

impl FormatArgs {
    fn is_json(&self) -> bool {
        self.json || self.format == Format::Json
    }
}

/// Which game in which setting, and which engine plays it.
#[derive(Args)]
struct GameArgs {
    #[command(flatten)]
    setting: SettingArgs,
    #[command(flatten)]
    engine: EngineArg,
}

/// Which engine plays. Where a match is kept move by move, to be told of, undone and judged (`play`, `replay`),
/// it is the reference evaluator that plays, whatever was asked for.
#[derive(Args)]
struct EngineArg {
    /// Which engine plays; they differ only in speed
    #[arg(long, value_parser = engine_kind(), default_value = EngineKind::DEFAULT)]
    engine: EngineKind,
}

#[derive(Clone, Copy)]
enum EngineKind {
    #[cfg(feature = "jit")]
    Compiled,
    Reference,
}

impl EngineKind {
    /// The name of the fastest engine in this build.
    const DEFAULT: &str = if cfg!(feature = "jit") { "compiled" } else { "reference" };
}

/// The error for requests that need the compiler in a build without it.
#[cfg(not(feature = "jit"))]
const NO_COMPILER: &str = "this build has no compiler; build it with the feature `jit`";

/// Parses the name of an engine.
fn engine_kind() -> impl TypedValueParser<Value = EngineKind> {
    PossibleValuesParser::new(["compiled", "reference"]).try_map(|name| -> Result<EngineKind, String> {
        match name.as_str() {
            "reference" => Ok(EngineKind::Reference),
            #[cfg(feature = "jit")]
            _ => Ok(EngineKind::Compiled),
            #[cfg(not(feature = "jit"))]
            _ => Err(format!("{NO_COMPILER}, or use `--engine reference`")),
        }
    })
}

impl GameArgs {
    fn machine(&self) -> Result<(Arc<Rules>, Machine), Failure> {
        self.setting.machine()
    }
}

impl SettingArgs {
    /// Loads the rules and creates a machine for them.
    fn machine(&self) -> Result<(Arc<Rules>, Machine), Failure> {
        let rules = load_rules(&self.game)?;
        let machine = self.values.machine(&rules)?;
        Ok((rules, machine))
    }
}

impl ValueArgs {
    /// Creates a machine for the rules with the given options and number of players.
    fn machine(&self, rules: &Rules) -> Result<Machine, Failure> {
        self.are_known(&[rules])?;
        self.machine_ignoring_unknown(rules)
    }

    /// Like [`Self::machine`], but ignores options that these rules do not have.
    fn machine_ignoring_unknown(&self, rules: &Rules) -> Result<Machine, Failure> {
        let players = self.players.unwrap_or_else(|| rules.default_players());
        rules.machine(&self.options(rules)?, players).map_err(|not| not_started(rules, not))
    }

    /// Whether any option or the number of players is given.
    fn given(&self) -> bool {
        !self.set.is_empty() || self.players.is_some()
    }

    /// Checks that each given option exists in at least one of these rules; otherwise returns a usage error.
    fn are_known(&self, all: &[&Rules]) -> Result<(), Failure> {
        for (name, _) in pairs(&self.set)? {
            let found: Vec<Result<usize, String>> = all.iter().map(|rules| rules.option_id(name)).collect();
            if let Some(Err(sentence)) = found.first()
                && found.iter().all(Result::is_err)
            {
                return Err(Failure::Usage(sentence.clone()));
            }
        }
        Ok(())
    }

    /// Returns the given values of the options that these rules have, by option id.
    fn options(&self, rules: &Rules) -> Result<BTreeMap<usize, Value>, Failure> {
        let given = pairs(&self.set)?.into_iter().filter(|(name, _)| rules.option_id(name).is_ok());
        rules.read_options(given).map_err(Failure::Usage)
    }
}

/// Splits each `NAME=VALUE` argument.
fn pairs(set: &[String]) -> Result<Vec<(&str, &str)>, Failure> {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for set in set {
        let usage = |what: &str| Err(Failure::Usage(format!("`--set {set}` {what}")));
        match set.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
            None => return usage("has no value; write `--set NAME=VALUE`"),
            Some(("", _)) => return usage("names no option; write `--set NAME=VALUE`"),
            Some((name, _)) if pairs.iter().any(|(known, _)| *known == name) => {
                return usage("sets an option that was already set");
            }
            Some(pair) => pairs.push(pair),
        }
    }
    Ok(pairs)
}

/// Builds the clap command. A negative number after an option is read as its value, so that errors say what
/// the option takes.
fn command_line() -> clap::Command {
    let takes = |arg: clap::Arg| match arg.get_long().is_some() && arg.get_action().takes_values() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    };
    Cli::command().mut_subcommands(|command| command.mut_args(takes))
}

/// Runs the program.
pub fn main() -> ExitCode {
    let parsed = command_line().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return unparsed(&error),
    };
    let exit = match cli.command {
        None => play::repl(None, false),
        Some(Command::Repl { game, plain }) => play::repl(game.as_deref(), plain),
        Some(Command::Play(args)) => play::run(&args),
        Some(Command::List { format }) => list::run(format.is_json()),
        Some(Command::Rules(args)) => rules::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Explain { code }) => explain::run(&code),
        Some(Command::Manual { part }) => manual::run(&part),
        Some(Command::Test(args)) => test::run(&args),
        Some(Command::Watch(args)) => watch::run(&args),
        Some(Command::Fmt(args)) => fmt::run(&args),
        Some(Command::New(args)) => new::run(&args),
        Some(Command::Simulate(args)) => simulate::run(&args),
        Some(Command::Solve(args)) => solve::run(&args),
        Some(Command::Arena(args)) => arena::run(&args),
        Some(Command::Study(args)) => study::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::Equilibrium(args)) => equilibrium::run(&args),
        Some(Command::Replay(args)) => replay::run(&args),
        Some(Command::Review(args)) => review::run(&args),
        Some(Command::Perft(args)) => perft::run(&args),
        Some(Command::Bench(args)) => bench::run(&args),
        Some(Command::Dump(args)) => dump::run(&args),
        Some(Command::Engine) => engine::run(),
    };
    match exit {
        Ok(status) => ExitCode::from(status),
        Err(Failure::Gone) => ExitCode::SUCCESS,
        Err(Failure::Wrong(text)) => {
            note(text.trim_end());
            ExitCode::from(1)
        }
        Err(Failure::Usage(text)) => {
            note(&format!("error: {text}"));
            ExitCode::from(2)
        }
    }
}

/// Prints the text of `--help` or `--version`, or the usage error, and returns the exit status.
fn unparsed(error: &clap::Error) -> ExitCode {
    if let Some(text) = not_a_number(error) {
        note(text.trim_end());
        return ExitCode::from(2);
    }
    match error.print() {
        Err(failed) if !error.use_stderr() && failed.kind() != io::ErrorKind::BrokenPipe => {
            note(&format!("error: standard output: {}", files::sentence(&failed)));
            ExitCode::from(1)
        }
        _ => ExitCode::from(if error.use_stderr() { 2 } else { 0 }),
    }
}

/// Returns the usage error about something that is not a number, with the standard library's words for that replaced by plain
/// ones.
fn not_a_number(error: &clap::Error) -> Option<String> {
    let source = error.source()?;
    let why = match (source.downcast_ref::<ParseIntError>(), source.is::<ParseFloatError>()) {
        (Some(error), _) => match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "this number is too large",
            _ => "this is not a whole number",
        },
        (None, true) => "this is not a number",
        (None, false) => return None,
    };
    Some(error.render().to_string().replace(&source.to_string(), why))
}

/// Prints text to standard output, with a final newline.
fn out(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.write_all(end.as_bytes()));
    written.and_then(|()| stdout.flush()).map_err(|error| unwritten(&error))
}

/// Refuses a number of seconds.
fn not_seconds(seconds: f64) -> Failure {
    Failure::Usage(format!("`--seconds {seconds}` is not a valid number of seconds"))
}

/// Returns a time limit, which must be a positive number of seconds.
fn time_limit(seconds: Option<f64>) -> Result<Option<f64>, Failure> {
    match seconds {
        Some(seconds) if seconds.is_nan() || seconds <= 0.0 => Err(not_seconds(seconds)),
        limit => Ok(limit),
    }
}

/// Converts an error of standard output: [`Failure::Gone`] if its reader closed the pipe, else a sentence.
fn unwritten(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Gone,
        _ => files::io_failure("standard output", error),
    }
}

/// Whether someone at a terminal can be asked questions and shown a screen.
fn at_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Prints a message to standard error.
fn note(text: &str) {
    let text = if io::stderr().is_terminal() { folded_messages(text, width()) } else { text.to_string() };
    let _ = writeln!(io::stderr(), "{text}");
}

/// Wraps those lines of a text that are errors and notes in one sentence. Reports are laid out already.
fn folded_messages(text: &str, columns: usize) -> String {
    let is_sentence =
        |line: &str| ["error: ", "note: ", "warning: "].iter().any(|head| line.starts_with(head));
    let line = |line| if is_sentence(line) { wrapped(line, columns) } else { line.to_string() };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Returns how reports are drawn on a stream: in colour only on a terminal, and never under `NO_COLOR`.
fn style(terminal: bool) -> Style {
    let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    Style { colour, width: width() }
}

/// Returns how tables are drawn: in colour and with characters beyond ASCII only on a terminal that supports
/// them.
fn look(terminal: bool, plain: bool) -> Look {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default();
    let utf8 = cfg!(windows) || locale.to_lowercase().replace('-', "").ends_with("utf8");
    Look { width: width(), colour: style(terminal).colour, unicode: terminal && utf8, plain }
}

/// Returns the width of the terminal in columns, limited to 20 to 120.
fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns
        .or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)))
        .unwrap_or(80)
        .clamp(20, 120)
}

/// Wraps the lines of a text at the width of the terminal.
fn folded(text: &str) -> String {
    let columns = width();
    text.split('\n').map(|line| wrapped(line, columns)).collect::<Vec<_>>().join("\n")
}

/// Loads a game; the error is a rendered report. Warnings are left to `parlour check`.
fn load_rules(game: &str) -> Result<Arc<Rules>, Failure> {
    let source = game_source(game)?;
    let style = style(io::stderr().is_terminal());
    match Rules::load(source.clone()) {
        Ok(rules) => Ok(Arc::new(rules)),
        Err(diagnostics) => Err(Failure::Wrong(reports(&source, &diagnostics, style))),
    }
}

fn reports(source: &Source, diagnostics: &[Diagnostic], style: Style) -> String {
    diagnostics
        .iter()
        .map(|diagnostic| render::human(source, diagnostic, style))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Renders a fault in the rules as a report.
fn fault(rules: &Rules, fault: &Fault) -> Failure {
    Failure::Wrong(render::human(&rules.source, fault, style(io::stderr().is_terminal())))
}

fn not_started(rules: &Rules, not: NotStarted) -> Failure {
    match not {
        NotStarted::Refused(sentence) => Failure::Wrong(format!("error: {sentence}")),
        NotStarted::Fault(found) => fault(rules, &found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_wrapped_and_reports_are_not() {
        let text = "error: one two three four\n  1 | a line of a rule file that is long\nnote: a b";
        let told = "error: one two\n  three four\n  1 | a line of a rule file that is long\nnote: a b";
        assert_eq!(folded_messages(text, 16), told);
    }
}

//! The command line: one file per command, and here what they share.

mod bench;
mod check;
#[cfg(feature = "jit")]
mod compiler;
mod dump;
mod engine;
mod explain;
mod fmt;
mod list;
mod new;
mod perft;
mod play;
mod replay;
mod rules;
mod simulate;
mod test;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

use crate::diag::render::{self, Style};
use crate::diag::{Diagnostic, nearest};
use crate::eval::{Fault, Machine, NotStarted};
use crate::ir::Value;
use crate::play::{Rules, bundled, bundled_source, with_bases};
use crate::source::{MAX_BYTES, Source};

/// How a command ends: its exit status.
type Exit = Result<u8, Failure>;

/// A command that cannot be carried out.
enum Failure {
    /// The input was understood and is wrong: a sentence or a whole report, and exit status 1.
    Wrong(String),
    /// The command line is wrong: exit status 2.
    Usage(String),
    /// The reader of our output has gone; nothing is left to do.
    Gone,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Gone,
            _ => Failure::Wrong(error.to_string()),
        }
    }
}

/// Write the rules of a number game as a page of prose; play, check, test and simulate it from that page.
#[derive(Parser)]
#[command(name = "parlour", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Play and look around in a session
    Repl {
        /// A bundled game's name, or a path to a .game file
        game: Option<String>,
    },
    /// Play a match at the table
    Play(play::PlayArgs),
    /// List the bundled games
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the rules as a sheet for people
    Rules(rules::RulesArgs),
    /// Check rule files and say everything that is wrong
    Check(check::CheckArgs),
    /// Explain a diagnostic, or a word of the language
    Explain {
        /// A code, as in E0201; a function; or `words` for all functions
        code: String,
    },
    /// Run the examples inside rule files
    Test {
        /// Rule files, or folders of them
        #[arg(required = true)]
        paths: Vec<String>,
    },
    /// Format rule files
    Fmt(fmt::FmtArgs),
    /// Start a new rule file, or a variant
    New(new::NewArgs),
    /// Play many matches at random
    Simulate(simulate::SimulateArgs),
    /// Play a record again under the rules
    Replay(replay::ReplayArgs),
    /// Count move sequences
    Perft(perft::PerftArgs),
    /// Time random playouts
    Bench(bench::BenchArgs),
    /// Show a rule file at one stage on its way from text to play
    Dump(dump::DumpArgs),
    /// Serve programs: JSON-RPC over standard input and output
    Engine,
}

/// Rules with the options given and the number of players.
type Loaded = (Arc<Rules>, BTreeMap<usize, Value>, usize);

/// Which game, with which options and how many players.
#[derive(Args)]
struct SettingArgs {
    /// A bundled game's name, or a path to a .game file
    game: String,
    /// Set an option
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// How many play
    #[arg(long, value_name = "N")]
    players: Option<usize>,
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
    /// Which engine plays; only time can tell them apart
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
    /// The faster one of those there are.
    const DEFAULT: &str = if cfg!(feature = "jit") { "compiled" } else { "reference" };
}

/// Why a build without the compiler cannot do what is asked.
#[cfg(not(feature = "jit"))]
const NO_COMPILER: &str = "this build has no compiler; build it with the feature `jit`";

/// An engine by its name.
fn engine_kind() -> impl TypedValueParser<Value = EngineKind> {
    PossibleValuesParser::new(["compiled", "reference"]).try_map(|name| -> Result<EngineKind, String> {
        match name.as_str() {
            "reference" => Ok(EngineKind::Reference),
            #[cfg(feature = "jit")]
            _ => Ok(EngineKind::Compiled),
            #[cfg(not(feature = "jit"))]
            _ => Err(format!("{NO_COMPILER}, or leave it to `--engine reference`")),
        }
    })
}

impl GameArgs {
    fn machine(&self) -> Result<(Arc<Rules>, Machine), Failure> {
        self.setting.machine()
    }
}

impl SettingArgs {
    /// Loads the rules and fixes the options.
    fn load(&self) -> Result<Loaded, Failure> {
        let rules = load_rules(&self.game)?;
        let mut given = Vec::new();
        for set in &self.set {
            let Some(pair) = set.split_once('=') else {
                return Err(Failure::Usage(format!("`--set {set}` has no value; write `--set NAME=VALUE`")));
            };
            given.push((pair.0.trim(), pair.1.trim()));
        }
        let options = rules.read_options(given).map_err(Failure::Usage)?;
        let players = self.players.unwrap_or_else(|| rules.default_players());
        Ok((rules, options, players))
    }

    /// Loads the rules and makes a machine of them.
    fn machine(&self) -> Result<(Arc<Rules>, Machine), Failure> {
        let (rules, options, players) = self.load()?;
        let machine = rules.machine(&options, players).map_err(|not| not_started(&rules, not))?;
        Ok((rules, machine))
    }
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let exit = match cli.command {
        None => play::repl(None),
        Some(Command::Repl { game }) => play::repl(game.as_deref()),
        Some(Command::Play(args)) => play::run(&args),
        Some(Command::List { json }) => list::run(json),
        Some(Command::Rules(args)) => rules::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Explain { code }) => explain::run(&code),
        Some(Command::Test { paths }) => test::run(&paths),
        Some(Command::Fmt(args)) => fmt::run(&args),
        Some(Command::New(args)) => new::run(&args),
        Some(Command::Simulate(args)) => simulate::run(&args),
        Some(Command::Replay(args)) => replay::run(&args),
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

/// Prints data to standard output.
fn out(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        stdout.write_all(b"\n")?;
    }
    stdout.flush()?;
    Ok(())
}

/// Prints chatter to standard error.
fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// How reports are drawn on a stream: colour only on a terminal, and never under `NO_COLOR`.
fn style(terminal: bool) -> Style {
    let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    Style { colour, width: width() }
}

/// The width of the terminal, in columns.
fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns
        .or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)))
        .unwrap_or(80)
        .clamp(40, 120)
}

/// Reads a rule file, refusing what no rule file is. `-` is standard input.
fn read_source(path: &str) -> Result<Source, Failure> {
    let wrong = |what: String| Failure::Wrong(format!("error: {path}: {what}"));
    let mut bytes = Vec::new();
    let read = match path {
        "-" => io::stdin().lock().take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes),
        _ => {
            std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
        }
    };
    read.map_err(|error| wrong(error.to_string()))?;
    if bytes.len() > MAX_BYTES {
        return Err(wrong(format!(
            "this file has more than {MAX_BYTES} bytes; a rule file has at most that many"
        )));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        wrong(format!("this is not a text: byte {} is no UTF-8", error.utf8_error().valid_up_to()))
    })?;
    Ok(Source::new(if path == "-" { "standard input" } else { path }, &text))
}

/// Reads a rule file and the games it is a variant of.
fn read_with_bases(path: &str) -> Result<Source, Failure> {
    Ok(with_bases(read_source(path)?, &|base, from| {
        if !base.ends_with(".game")
            && let Some(source) = bundled_source(base)
        {
            return Some(source);
        }
        let folder = std::path::Path::new(from).parent().unwrap_or(std::path::Path::new(""));
        read_source(&folder.join(base).to_string_lossy()).ok()
    }))
}

/// The source of a game: a bundled game's name, or a path.
fn game_source(game: &str) -> Result<Source, Failure> {
    let path = game.ends_with(".game") || game.contains(['/', '\\']);
    if !path && let Some(source) = bundled_source(game) {
        return Ok(source);
    }
    if path || std::path::Path::new(game).is_file() {
        return read_with_bases(game);
    }
    let names: Vec<String> = bundled().into_iter().map(|(name, _)| name).collect();
    let hint = match nearest(game, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`parlour list` shows the bundled games; a path ends in `.game`".to_string(),
    };
    Err(Failure::Wrong(format!("error: no game is called `{game}`; {hint}")))
}

/// Loads a game; its errors are reports. Warnings are `parlour check`'s to tell.
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

/// A fault in the rules as a report.
fn fault(rules: &Rules, fault: &Fault) -> Failure {
    Failure::Wrong(render::human(&rules.source, fault, style(io::stderr().is_terminal())))
}

fn not_started(rules: &Rules, not: NotStarted) -> Failure {
    match not {
        NotStarted::Refused(sentence) => Failure::Wrong(format!("error: {sentence}")),
        NotStarted::Fault(found) => fault(rules, &found),
    }
}

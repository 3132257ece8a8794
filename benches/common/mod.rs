//! What the benchmarks share: command-line arguments, compiled games, and a description of the machine.

#[allow(dead_code)]
pub mod contender;

use std::process::{Command, ExitCode};
use std::time::Duration;

use parlour::jit::Compiled;
use parlour::play::{Rules, bundled_source};
use parlour::source::Source;

/// The arguments of a benchmark.
pub struct Args {
    /// The length of a contender's time slice.
    pub slice: Duration,
    /// The games to measure; all if empty.
    pub games: Vec<String>,
    /// The kinds to measure for each game; all if empty.
    pub kinds: Vec<String>,
    /// Whether to print the rule files instead of measuring.
    pub print: bool,
}

impl Args {
    /// Reads the arguments. `known` lists the games that may be named.
    #[allow(dead_code)]
    pub fn read(known: &[&str]) -> Result<Args, ExitCode> {
        Args::read_with(known, &[], Duration::from_secs(1))
    }

    /// Reads the arguments. `kinds` lists the kinds that may be named, and `slice` is the default time slice.
    pub fn read_with(known: &[&str], kinds: &[&str], slice: Duration) -> Result<Args, ExitCode> {
        let usage = |what: &str| {
            eprintln!("{what}");
            ExitCode::from(2)
        };
        let mut args = Args { slice, games: Vec::new(), kinds: Vec::new(), print: false };
        let mut given = std::env::args().skip(1);
        while let Some(arg) = given.next() {
            match arg.as_str() {
                "--bench" => {} // passed by cargo bench
                "--seconds" => match given.next().and_then(|text| text.parse().ok()) {
                    Some(seconds) if (0.01..=3600.0).contains(&seconds) => {
                        args.slice = Duration::from_secs_f64(seconds);
                    }
                    _ => return Err(usage("`--seconds` takes a number of seconds from 0.01 to 3600")),
                },
                "--kind" if !kinds.is_empty() => match given.next() {
                    Some(name) if kinds.contains(&name.as_str()) => args.kinds.push(name),
                    _ => return Err(usage(&format!("`--kind` takes one of {}", kinds.join(", ")))),
                },
                "--print" if !kinds.is_empty() => args.print = true,
                name if known.contains(&name) => args.games.push(arg),
                name => {
                    return Err(usage(&format!("there is no `{name}` here; there is {}", known.join(", "))));
                }
            }
        }
        Ok(args)
    }

    /// Whether a game is to be measured.
    pub fn wants(&self, game: &str) -> bool {
        self.games.is_empty() || self.games.iter().any(|name| name == game)
    }

    /// Whether a kind is to be measured.
    #[allow(dead_code)]
    pub fn wants_kind(&self, kind: &str) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|name| name == kind)
    }

    /// Prints the command line and the machine.
    pub fn announce(&self, bench: &str) {
        let names: String = self.games.iter().map(|name| format!("{name} ")).collect();
        let kinds: String = self.kinds.iter().map(|name| format!("--kind {name} ")).collect();
        println!("`cargo bench --bench {bench} -- {names}{kinds}--seconds {}`", self.slice.as_secs_f64());
        println!("on {}; one thread.\n", here());
    }
}

/// Loads and compiles a bundled game.
#[allow(dead_code)]
pub fn ready(game: &str, options: &[(&str, &str)]) -> Compiled {
    compiled(bundled_source(game).expect("a bundled game"), options)
}

/// Loads and compiles rules.
pub fn compiled(source: Source, options: &[(&str, &str)]) -> Compiled {
    let rules = Rules::load(source).expect("rules that check");
    let options = rules.read_options(options.iter().copied()).expect("options of the game");
    let machine = rules.machine(&options, rules.default_players()).expect("options that fit");
    Compiled::new(machine)
}

/// Describes the machine: processor, system and compiler.
fn here() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    let cpu = cpu.unwrap_or_else(|| "an unknown processor".to_string());
    let rustc = Command::new("rustc").arg("-V").output().ok();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    let rustc = rustc.unwrap_or_else(|| "an unknown rustc".to_string());
    format!("{cpu}, {} {}, {rustc}", std::env::consts::OS, std::env::consts::ARCH)
}

//! What the measurements share: their arguments, games made ready to play, and what they run on.

use std::process::{Command, ExitCode};
use std::time::Duration;

use parlour::jit::Compiled;
use parlour::play::{Rules, bundled_source};

/// The arguments of a measurement.
pub struct Args {
    /// How long each contender plays at a time.
    pub slice: Duration,
    /// The games wanted; none for all.
    pub games: Vec<String>,
}

impl Args {
    /// Reads the arguments. `known` are the games there are.
    pub fn read(known: &[&str]) -> Result<Args, ExitCode> {
        let usage = |what: &str| {
            eprintln!("{what}");
            ExitCode::from(2)
        };
        let mut args = Args { slice: Duration::from_secs(1), games: Vec::new() };
        let mut given = std::env::args().skip(1);
        while let Some(arg) = given.next() {
            match arg.as_str() {
                "--bench" => {} // cargo bench says so
                "--seconds" => match given.next().and_then(|text| text.parse().ok()) {
                    Some(seconds) if (0.01..=3600.0).contains(&seconds) => {
                        args.slice = Duration::from_secs_f64(seconds);
                    }
                    _ => return Err(usage("`--seconds` takes a number of seconds from 0.01 to 3600")),
                },
                name if known.contains(&name) => args.games.push(arg),
                name => {
                    return Err(usage(&format!("there is no `{name}` here; there is {}", known.join(", "))));
                }
            }
        }
        Ok(args)
    }

    /// Whether a game is wanted.
    pub fn wants(&self, game: &str) -> bool {
        self.games.is_empty() || self.games.iter().any(|name| name == game)
    }

    /// Says what is measured, and on what.
    pub fn announce(&self, bench: &str) {
        let names: String = self.games.iter().map(|name| format!("{name} ")).collect();
        println!("`cargo bench --bench {bench} -- {names}--seconds {}`", self.slice.as_secs_f64());
        println!("on {}; one thread.\n", here());
    }
}

/// A bundled game from its text to where it can be played.
pub fn ready(game: &str, options: &[(&str, &str)]) -> Compiled {
    let rules = Rules::load(bundled_source(game).expect("a bundled game")).expect("rules that check");
    let options = rules.read_options(options.iter().copied()).expect("options of the game");
    let machine = rules.machine(&options, rules.default_players()).expect("options that fit");
    Compiled::new(machine)
}

/// What this runs on: the processor, the system, the compiler.
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

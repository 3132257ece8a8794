//! Random playouts in plain Rust, a file a game: what the engines are measured against.
//!
//! Each is written for its one game, with the board, the counters and the win test a programmer would give it, and
//! without bit tricks. They draw from the same source of chance as the engines, and share no code with them.

mod breakthrough;
mod breakthrough_scan;
mod by_your_leave;
mod connect_four;
mod goofspiel;
mod heirs;
mod hex;
mod inn;
mod kalah;
mod last_word;
mod nim;
mod oracle;
mod pig;
mod procession;
mod snails;
mod sum_of_products;
mod tic_tac_toe;

use std::path::Path;

use parlour::num::Rng;
use parlour::play::bundled_source;
use parlour::source::Source;

/// A game of two players in plain Rust.
pub trait Baseline {
    /// Plays from the start to the end, each choice uniform among the legal moves.
    fn playout(&mut self, rng: &mut Rng) -> Played;
}

/// How a playout went.
#[derive(Debug, Clone, Copy)]
pub struct Played {
    /// How many choices were made; of those made together each counts.
    pub choices: u64,
    /// Who won, of both.
    pub won: [bool; 2],
}

impl Played {
    /// A playout with one winner, from 0.
    fn won_by(seat: usize, choices: u64) -> Played {
        Played { choices, won: [seat == 0, seat == 1] }
    }

    /// A playout that nobody won.
    fn drawn(choices: u64) -> Played {
        Played { choices, won: [false; 2] }
    }

    /// A playout that the higher score won; both, where they are equal.
    fn scored(scores: [u32; 2], choices: u64) -> Played {
        Played::ranked(scores, choices)
    }

    /// A playout that the higher rank won: a score, say, and what decides between equal ones.
    fn ranked<R: Ord>(ranks: [R; 2], choices: u64) -> Played {
        Played { choices, won: [ranks[0] >= ranks[1], ranks[1] >= ranks[0]] }
    }
}

/// A number below `n`, to index with.
fn pick(rng: &mut Rng, n: usize) -> usize {
    rng.below_u64(n as u64) as usize
}

/// A baseline and what it plays.
pub struct Plain {
    /// What it is called.
    pub name: &'static str,
    /// The game it plays: a bundled one, or a file of `tests/language/invented`.
    pub game: &'static str,
    /// The options it plays with, where they are not the game's defaults.
    pub options: &'static [(&'static str, &'static str)],
    /// How it is played.
    pub baseline: Box<dyn Baseline>,
}

impl Plain {
    /// The rules of the game it plays.
    pub fn source(&self) -> Source {
        bundled_source(self.game).unwrap_or_else(|| {
            let name = format!("{}.game", self.game);
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language/invented").join(&name);
            Source::new(name, &std::fs::read_to_string(path).expect("a rule file"))
        })
    }
}

/// Every baseline.
pub fn all() -> Vec<Plain> {
    fn plain(name: &'static str, baseline: impl Baseline + 'static) -> Plain {
        Plain { name, game: name, options: &[], baseline: Box::new(baseline) }
    }
    vec![
        plain("tic-tac-toe", tic_tac_toe::TicTacToe),
        plain("connect-four", connect_four::ConnectFour),
        plain("breakthrough", breakthrough::Breakthrough),
        Plain {
            game: "breakthrough",
            ..plain("breakthrough-scan", breakthrough_scan::BreakthroughScan::new())
        },
        plain("nim", nim::Nim),
        plain("pig", pig::Pig),
        plain("goofspiel", goofspiel::Goofspiel),
        plain("kalah", kalah::Kalah),
        plain("hex", hex::Hex::new(11)),
        plain("procession", procession::Procession::<7>::new()),
        plain("sum-of-products", sum_of_products::SumOfProducts::<4>),
        plain("by-your-leave", by_your_leave::ByYourLeave),
        plain("heirs", heirs::Heirs),
        plain("inn", inn::Inn),
        plain("last-word", last_word::LastWord),
        plain("oracle", oracle::Oracle::large()),
        Plain {
            game: "oracle",
            options: &[("start", "small")],
            ..plain("oracle-small", oracle::Oracle::small())
        },
        plain("snails", snails::Snails::new()),
    ]
}

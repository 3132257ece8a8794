//! Random playouts in plain Rust, one file per game: the baselines that the engines are measured against.
//!
//! Each is written for one game only, with the board, counters and win test that a programmer would choose,
//! and without bit tricks. They use the engines' random number generator, but share no other code with them.

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

/// A game for two players in plain Rust.
pub trait Baseline {
    /// Plays from the start to the end, choosing uniformly among the legal moves.
    fn playout(&mut self, rng: &mut Rng) -> Played;
}

/// The result of a playout.
#[derive(Debug, Clone, Copy)]
pub struct Played {
    /// The number of choices made; simultaneous choices count separately.
    pub choices: u64,
    /// Whether each of the two players won.
    pub won: [bool; 2],
}

impl Played {
    /// A playout with one winner, a seat from 0.
    fn won_by(seat: usize, choices: u64) -> Played {
        Played { choices, won: [seat == 0, seat == 1] }
    }

    /// A playout that nobody won.
    fn drawn(choices: u64) -> Played {
        Played { choices, won: [false; 2] }
    }

    /// A playout won by the higher score, or by both players if the scores are equal.
    fn scored(scores: [u32; 2], choices: u64) -> Played {
        Played::ranked(scores, choices)
    }

    /// A playout won by the higher rank, such as a score with its tie-breakers, or by both if they are equal.
    fn ranked<R: Ord>(ranks: [R; 2], choices: u64) -> Played {
        Played { choices, won: [ranks[0] >= ranks[1], ranks[1] >= ranks[0]] }
    }
}

/// Returns a random index below `n`.
fn pick(rng: &mut Rng, n: usize) -> usize {
    rng.below_u64(n as u64) as usize
}

/// A baseline and the game it plays.
pub struct Plain {
    /// The name of the baseline.
    pub name: &'static str,
    /// The game it plays: a bundled one, or a file of `tests/language/invented`.
    pub game: &'static str,
    /// The options it plays with, other than the game's defaults.
    pub options: &'static [(&'static str, &'static str)],
    /// The baseline itself.
    pub baseline: Box<dyn Baseline>,
}

impl Plain {
    /// Returns the rules of the game it plays.
    pub fn source(&self) -> Source {
        bundled_source(self.game).unwrap_or_else(|| {
            let name = format!("{}.game", self.game);
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language/invented").join(&name);
            Source::new(name, &std::fs::read_to_string(path).expect("a rule file"))
        })
    }
}

/// Returns every baseline.
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

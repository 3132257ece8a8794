//! Random playouts of ten games in plain Rust, a file each: what the engines are measured against.
//!
//! Each is written for its one game, with the board, the counters and the win test a programmer would give it, and
//! without bit tricks. They draw from the same source of chance as the engines, and share no code with them.

mod breakthrough;
mod breakthrough_scan;
mod connect_four;
mod goofspiel;
mod hex;
mod kalah;
mod nim;
mod pig;
mod procession;
mod sum_of_products;
mod tic_tac_toe;

use parlour::num::Rng;

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
        Played { choices, won: [scores[0] >= scores[1], scores[1] >= scores[0]] }
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
    /// The bundled game it plays, with that game's default options.
    pub game: &'static str,
    /// How it is played.
    pub baseline: Box<dyn Baseline>,
}

/// Every baseline.
pub fn all() -> Vec<Plain> {
    fn plain(name: &'static str, baseline: impl Baseline + 'static) -> Plain {
        Plain { name, game: name, baseline: Box::new(baseline) }
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
    ]
}

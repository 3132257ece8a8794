//! Solves larger games than the tests do: checks each answer against an independently known one, and times it
//! beside a plain program written for that one game.

#[path = "known/goofspiel.rs"]
mod goofspiel;
#[path = "known/matrix.rs"]
mod matrix;
#[path = "known/pig.rs"]
#[allow(dead_code)]
mod pig;
#[path = "known/searched.rs"]
mod searched;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use goofspiel::{Bidding, Goofspiel};
use parlour::engine::Engine;
use parlour::equilibrium::{Aim, Equilibrium, Search, Setting};
use parlour::eval::text;
use parlour::play::{Rules, bundled_source};
use parlour::solve::{Goal, Knowledge, Solved, Task, solve};
use pig::Pig;

#[cfg(feature = "jit")]
type Fast = parlour::jit::Compiled;
#[cfg(not(feature = "jit"))]
type Fast = parlour::eval::Machine;

/// The most bytes that stored positions may take.
const MEMORY: u64 = 8 << 30;

/// A game with options, and the source of its known value to the first player.
struct Case {
    game: &'static str,
    options: &'static [(&'static str, &'static str)],
    points: bool,
    /// Whether it takes more than some minutes, so that it is solved only with `--large`.
    large: bool,
    known: Known,
}

/// Where a known answer comes from.
enum Known {
    /// It was published.
    Published(f64, &'static str),
    /// A plain program computes it.
    Program(fn() -> f64),
}

use Known::{Program, Published};

fn won(wins: bool) -> f64 {
    if wins { 1.0 } else { -1.0 }
}

const KALAH: &str = "Irving, Donkers and Uiterwijk 2000";

const CASES: &[Case] = &[
    case(
        "connect-four",
        &[("columns", "4"), ("rows", "4")],
        Program(|| f64::from(searched::connect_four(4, 4))),
    ),
    case(
        "connect-four",
        &[("columns", "5"), ("rows", "4")],
        Program(|| f64::from(searched::connect_four(5, 4))),
    ),
    case(
        "connect-four",
        &[("columns", "5"), ("rows", "5")],
        Program(|| f64::from(searched::connect_four(5, 5))),
    ),
    case("hex", &[("n", "4")], Published(1.0, "Nash 1949")),
    Case { large: true, ..case("hex", &[("n", "5")], Published(1.0, "Nash 1949")) },
    case("juniper-green", &[("n", "30")], Program(|| won(searched::juniper_green(30)))),
    case("juniper-green", &[("n", "40")], Program(|| won(searched::juniper_green(40)))),
    case("procession", &[("n", "8")], Program(|| won(searched::procession(8)))),
    case("procession", &[("n", "9")], Program(|| won(searched::procession(9)))),
    Case {
        points: true,
        ..case(
            "dots-and-boxes",
            &[("rows", "2"), ("columns", "3")],
            Program(|| f64::from(searched::dots_and_boxes(2, 3))),
        )
    },
    Case {
        points: true,
        ..case("sum-of-products", &[("n", "3")], Program(|| f64::from(searched::sum_of_products(3))))
    },
    case("kalah", &[("holes", "3"), ("seeds", "3")], Published(1.0, KALAH)),
    case("kalah", &[("holes", "3"), ("seeds", "6")], Published(-1.0, KALAH)),
    case("kalah", &[("holes", "4"), ("seeds", "3")], Published(1.0, KALAH)),
    case("pig", &[("goal", "40")], Program(|| 2.0 * Pig::new(40).roll(0, 0, 0) - 1.0)),
    // The first player wins 0.5306 of the matches: T. Neller and C. Presser, The UMAP Journal 25, 2004.
    case("pig", &[("goal", "100")], Published(2.0 * 0.5306 - 1.0, "Neller and Presser 2004")),
];

const fn case(game: &'static str, options: &'static [(&'static str, &'static str)], known: Known) -> Case {
    Case { game, options, points: false, large: false, known }
}

/// The openings that win Hex with five rows: the nine that are not at the edge, and two at each of two opposite corners, which a
/// half turn exchanges. J. van Rijswijck publishes diagrams of all openings up to six rows, solved by Queenbee
/// (www.cs.ualberta.ca/~queenbee/openings.html); this list was computed here by proof-number search alone.
const HEX_5: [&str; 13] = ["a4", "a5", "b2", "b3", "b4", "c2", "c3", "c4", "d2", "d3", "d4", "e1", "e2"];

/// Whether the first moves that were found to be best are those that are known, if they are.
fn has_known_openings(case: &Case, best: &BTreeSet<String>) -> bool {
    let is_known = case.game == "hex" && case.options == [("n", "5")];
    !is_known || best.iter().map(String::as_str).eq(HEX_5)
}

/// Solves Goofspiel with five cards and prizes in random order. Both players are alike, so neither wins more often (S. Ross,
/// Goofspiel — the game of pure strategy, Journal of Applied Probability 8, 1971); and the mix for each first prize must
/// guarantee that, as backward induction by a plain program shows. Returns whether all that is so.
fn goofspiel_is_level() -> bool {
    const CARDS: u32 = 5;
    let rules = Arc::new(Rules::load(bundled_source("goofspiel").unwrap()).unwrap());
    let options = rules.read_options([("n", "5")]).unwrap();
    let machine = rules.machine(&options, 2).unwrap();
    let setup = machine.setup.clone();
    #[cfg(feature = "jit")]
    let engine = Fast::new(machine);
    #[cfg(not(feature = "jit"))]
    let engine: Fast = machine;
    let search = Search { aim: Aim::Win, nodes: 2_000_000, within: 0.001, iterations: 10_000, tremble: 0.0 };
    let begun = Instant::now();
    let found = Equilibrium::find(&engine, search, &|_| true).unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    let (nodes, subgames, _) = found.sizes();
    println!(
        "goofspiel n=5: value {:.6}, {nodes} nodes in {subgames} subgames, {seconds:.2} s",
        found.values[0]
    );
    let told = found.json(&Setting { rules: &rules, setup: &setup }, true);
    let mut plain = Goofspiel::default();
    let guarantees = (1..=CARDS).all(|prize| {
        let seen = format!("prize {prize}");
        let own = |set: &&serde_json::Value| {
            set["player"] == 1 && set["seen"].as_str().is_some_and(|words| words.starts_with(&seen))
        };
        let set = told["first"].as_array().unwrap().iter().find(own).unwrap();
        let mix = set["mix"].as_array().unwrap().iter().map(|one| one["probability"].as_f64().unwrap());
        let matrix = plain.matrix(Bidding::first(CARDS, prize));
        matrix::guaranteed(&matrix, &mix.collect::<Vec<f64>>()) > 0.5 - 1e-9
    });
    guarantees && told["exact"] == true && found.values == [0.0, 0.0]
}

/// The tolerance of a value: published shares have four digits, and a value is twice a share.
const NEAR: f64 = 2e-4;

/// Solves a game; also returns the seconds that it took, and the first arguments of the best first moves.
fn answer(case: &Case) -> (Solved, f64, BTreeSet<String>) {
    let rules = Rules::load(bundled_source(case.game).unwrap()).unwrap();
    let options = rules.read_options(case.options.iter().copied()).unwrap();
    let machine = rules.machine(&options, 2).unwrap();
    let goal = if case.points { Goal::Points { highest: true } } else { Goal::Win };
    let task = Task::new(goal, MEMORY);
    #[cfg(feature = "jit")]
    let engine = Fast::new(machine);
    #[cfg(not(feature = "jit"))]
    let engine: Fast = machine;
    let begun = Instant::now();
    let start = Engine::start(&engine).unwrap();
    let solved = solve(&engine, &start, &task, &mut Knowledge::default(), &|_| true).unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    let best = solved.first.iter().filter(|first| first.best);
    let words = best.filter_map(|first| Some(text::words(&rules.game, first.chosen.args.first()?))).collect();
    (solved, seconds, words)
}

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let large = std::env::args().any(|arg| arg == "--large");
    let wanted = |case: &&Case| {
        large >= case.large && (names.is_empty() || names.iter().any(|name| name == case.game))
    };
    let mut agree = true;
    println!(
        "{:<34} {:>9} {:>9}  {:>13} {:>8} {:>12} {:>9}  first moves that are best",
        "game", "value", "known", "positions", "seconds", "positions/s", "plain: s"
    );
    for case in CASES.iter().filter(wanted) {
        let (solved, seconds, openings) = answer(case);
        let (lower, upper) = solved.worth[0].bounds();
        let found = f64::midpoint(lower, upper);
        let (known, plain) = match &case.known {
            Published(known, source) => (*known, (*source).to_string()),
            Program(of) => {
                let begun = Instant::now();
                (of(), format!("{:.2}", begun.elapsed().as_secs_f64()))
            }
        };
        let best = solved.first.iter().filter(|first| first.best).count();
        let options: Vec<String> =
            case.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        println!(
            "{:<34} {found:>9.6} {known:>9.6}  {:>13} {seconds:>8.2} {:>12.0} {plain:>9}  {best} of {}",
            format!("{} {}", case.game, options.join(" ")),
            solved.positions,
            solved.positions as f64 / seconds,
            solved.first.len()
        );
        if solved.halted.is_some() || (found - known).abs() > NEAR || !has_known_openings(case, &openings) {
            println!("DISAGREE: {:?}", solved.worth);
            agree = false;
        }
    }
    let openings = |n: usize| searched::hex_openings(n).iter().filter(|wins| **wins).count();
    if names.is_empty() || names.iter().any(|name| name == "hex") {
        println!("hex 4 by 4: a plain program finds {} of 16 openings that win", openings(4));
    }
    if names.is_empty() || names.iter().any(|name| name == "goofspiel") {
        agree &= goofspiel_is_level();
    }
    if agree { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

//! The plain Rust programs that the engines are measured against must play the same games as the rule files.

#[path = "../benches/baselines/mod.rs"]
mod plain_rust;

use parlour::engine::Engine;
use parlour::num::Rng;
use parlour::play::Rules;
use plain_rust::{Plain, Played};

/// The most standard errors by which the means of two samples may differ.
const MAX_ERRORS: f64 = 5.0;
const MAX_MOVES: u64 = 100_000;
const PLAYOUTS: u64 = 20_000;

/// Returns how many playouts the reference evaluator makes of a game, so that they take about a second.
fn reference_playouts(game: &str) -> u64 {
    match game {
        "breakthrough" | "breakthrough-scan" | "hex" | "oracle" => 60,
        "connect-four" | "heirs" | "kalah" | "snails" => 300,
        _ => 2_000,
    }
}

/// A mean and its squared standard error.
struct Mean {
    mean: f64,
    variance: f64,
}

fn mean(played: &[Played], of: impl Fn(&Played) -> f64) -> Mean {
    let count = played.len() as f64;
    let mean = played.iter().map(&of).sum::<f64>() / count;
    let spread = played.iter().map(|one| (of(one) - mean).powi(2)).sum::<f64>() / count;
    Mean { mean, variance: spread / count }
}

fn reference(plain: &Plain) -> Vec<Played> {
    let rules = Rules::load(plain.source()).unwrap();
    let options = rules.read_options(plain.options.iter().copied()).unwrap();
    let machine = rules.machine(&options, 2).unwrap();
    let mut rng = Rng::new(1);
    let playout = |_| {
        let (position, choices) = machine.playout(&mut rng, MAX_MOVES).unwrap();
        let winners = position.outcome.expect("a match that has ended").winners;
        Played { choices, won: [0, 1].map(|seat| winners.contains(&seat)) }
    };
    (0..reference_playouts(plain.name)).map(playout).collect()
}

/// Asserts that plain Rust and the reference have the same mean length and the same shares of wins per
/// player, up to sampling error.
fn agrees_with_the_reference(name: &str) {
    let mut plain = plain_rust::all().into_iter().find(|plain| plain.name == name).unwrap();
    let mut rng = Rng::new(2);
    let reference = reference(&plain);
    let plain: Vec<Played> = (0..PLAYOUTS).map(|_| plain.baseline.playout(&mut rng)).collect();
    let check = |what: &str, of: &dyn Fn(&Played) -> f64| {
        let (one, other) = (mean(&plain, of), mean(&reference, of));
        let apart = (one.mean - other.mean).abs();
        assert!(
            apart <= MAX_ERRORS * (one.variance + other.variance).sqrt(),
            "{name}, {what}: {} in plain Rust, {} by the reference",
            one.mean,
            other.mean
        );
    };
    check("mean length", &|played| played.choices as f64);
    check("wins of the first player", &|played| f64::from(u8::from(played.won[0])));
    check("wins of the second player", &|played| f64::from(u8::from(played.won[1])));
}

macro_rules! baselines {
    ($($test:ident: $name:literal;)*) => {
        $(#[test]
        fn $test() {
            agrees_with_the_reference($name);
        })*

        #[test]
        fn none_is_left_out() {
            assert!(plain_rust::all().iter().map(|plain| plain.name).eq([$($name),*]));
        }
    };
}

baselines! {
    tic_tac_toe: "tic-tac-toe";
    connect_four: "connect-four";
    breakthrough: "breakthrough";
    breakthrough_by_scan: "breakthrough-scan";
    nim: "nim";
    pig: "pig";
    goofspiel: "goofspiel";
    kalah: "kalah";
    hex: "hex";
    procession: "procession";
    sum_of_products: "sum-of-products";
    by_your_leave: "by-your-leave";
    heirs: "heirs";
    inn: "inn";
    last_word: "last-word";
    oracle: "oracle";
    oracle_with_small_numbers: "oracle-small";
    snails: "snails";
}

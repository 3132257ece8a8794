//! Simulations: what one engine plays and writes down is what the other does, and parts add up to the whole.

mod files;

use parlour::engine::Engine;
use parlour::jit::Compiled;
use parlour::lab::{Played, Simulation, Tally};
use parlour::play::{Rules, bundled, bundled_source};
use serde_json::Value as Json;

const MATCHES: u64 = 4;
const MAX_MOVES: u64 = 60;

/// Games of which code does not write down what happens, for they deal several cards by chance: they are recorded step by
/// step.
const NOT_LOGGED: &[&str] = &["inn"];

/// The bundled games and those of the tests.
fn games() -> Vec<Rules> {
    let bundled = bundled().into_iter().map(|(name, _)| bundled_source(&name).unwrap());
    bundled.chain(files::language()).map(|source| Rules::load(source).unwrap()).collect()
}

fn simulation<'a, E: Engine>(rules: &'a Rules, engine: &'a E) -> Simulation<'a, E> {
    Simulation { rules, engine, seed: 7, max_moves: MAX_MOVES }
}

/// What a tally says of the game: not of the engine.
fn said<E: Engine>(tally: &Tally, simulation: &Simulation<E>) -> Json {
    let mut json = tally.json(simulation);
    json.as_object_mut().unwrap().remove("bailouts");
    json
}

fn broken(played: &Played) -> Option<(u64, &str)> {
    played.broken.as_ref().map(|(n, fault)| (*n, fault.message.as_str()))
}

/// Where a range ends is said in many ways, and each of them draws the same moves from a seed: in the domain, as a filter, as a need,
/// by a helper, turned round, with what is left on the other side.
#[test]
fn a_bound_is_a_bound_however_it_is_written() {
    let written = |takes: &str| {
        let text = format!(
            r#"
game "Takes" {{ players 2 }}
table {{ left: 0..1000 = 1000 }}
define affordable(k) = k <= left
move take(k in {takes} else "no"
  left -= k
}}
play {{ turns until left = 0 {{ take }} }}
winner last mover
"#
        );
        Rules::load(parlour::source::Source::new("takes.game", &text))
            .unwrap_or_else(|found| panic!("{found:#?}"))
    };
    let mut all = Vec::new();
    for takes in [
        "1..left) { need k > 0",
        "1..1000) { need k <= left",
        "1..1000) { need left >= k",
        "1..1000) { need affordable(k)",
        "1..1000) { need not (k > left)",
        "1..1000) { need left - k >= 0",
        "1..1000) { let rest = left - k\n  need rest >= 0",
        "1..1000) { need 3 * k < 3 * left + 1",
        "1..1000) { need 1 <= k <= left",
        "1..1000 where k <= left) { need k > 0",
        "1..1000 where affordable(k)) { need k > 0",
    ] {
        let rules = written(takes);
        let machine = rules.machine(&Default::default(), 2).unwrap();
        let compiled = Compiled::new(machine.clone());
        let (slow, fast) = (simulation(&rules, &machine), simulation(&rules, &compiled));
        let records = |played: &Played| -> Vec<Json> {
            let all = played.records.lines().map(|line| serde_json::from_str(line).unwrap());
            all.map(|record: Json| record["moves"].clone()).collect()
        };
        let (a, b) = (slow.play(0..40, true), fast.play(0..40, true));
        assert_eq!(records(&a), records(&b), "{takes}");
        assert_eq!(compiled.bailouts().choices, 0, "{takes}");
        all.push((takes, records(&a)));
    }
    for (takes, records) in &all[1..] {
        assert_eq!(*records, all[0].1, "{takes}");
    }
}

#[test]
fn what_code_writes_down_is_what_the_reference_plays() {
    let mut not_logged = Vec::new();
    for rules in games() {
        let machine = || rules.machine(&Default::default(), rules.default_players()).unwrap();
        let (reference, compiled) = (machine(), Compiled::recording(machine()));
        if !compiled.logs() {
            not_logged.push(rules.name.clone());
        }
        let (slow, fast) = (simulation(&rules, &reference), simulation(&rules, &compiled));
        let (a, b) = (slow.play(3..3 + MATCHES, true), fast.play(3..3 + MATCHES, true));
        assert_eq!(a.records, b.records, "{}", rules.name);
        assert_eq!(said(&a.tally, &slow), said(&b.tally, &fast), "{}", rules.name);
        assert_eq!(broken(&a), broken(&b), "{}", rules.name);
        // Without records, many matches at a time.
        let counted = fast.play(3..3 + MATCHES, false);
        assert_eq!(said(&a.tally, &slow), said(&counted.tally, &fast), "{}", rules.name);
        assert_eq!(broken(&a), broken(&counted), "{}", rules.name);
    }
    assert_eq!(not_logged, NOT_LOGGED);
}

#[test]
fn parts_add_up_to_the_whole() {
    for name in ["kalah", "pig", "procession"] {
        let rules = Rules::load(bundled_source(name).unwrap()).unwrap();
        let machine = rules.machine(&Default::default(), rules.default_players()).unwrap();
        let compiled = Compiled::recording(machine);
        let simulation = Simulation { max_moves: 30, ..simulation(&rules, &compiled) };
        let whole = simulation.play(0..150, true);
        let (mut tally, mut records) = (Tally::default(), String::new());
        for numbers in [0..1, 1..70, 70..70, 70..150] {
            let part = simulation.play(numbers, true);
            tally.join(&part.tally);
            records += &part.records;
        }
        assert_eq!(said(&whole.tally, &simulation), said(&tally, &simulation), "{name}");
        assert_eq!((whole.tally.unfinished, &whole.records), (tally.unfinished, &records), "{name}");
    }
}

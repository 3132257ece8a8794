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

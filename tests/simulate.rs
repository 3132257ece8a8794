//! Simulations: both engines must play and record the same, and parts must add up to the whole.

use crate::files;
use parlour::engine::Engine;
use parlour::jit::Compiled;
use parlour::lab::{Played, Simulation, Tally};
use parlour::play::{Rules, bundled, bundled_source};
use parlour::source::Source;
use serde_json::Value as Json;

const MATCHES: u64 = 4;
const MAX_MOVES: u64 = 60;

/// Games that compiled code cannot log, as they deal several cards by chance, or draw values that fit no word; recorded step by
/// step.
const NOT_LOGGED: &[&str] = &["countable-hands", "inn", "larder", "ledger"];

/// Returns the bundled games and those of the tests.
fn games() -> Vec<Rules> {
    let bundled = bundled().into_iter().map(|(name, _)| bundled_source(&name).unwrap());
    bundled.chain(files::language()).map(|source| Rules::load(source).unwrap()).collect()
}

fn simulation<'a, E: Engine>(rules: &'a Rules, engine: &'a E) -> Simulation<'a, E> {
    Simulation { rules, engine, seed: 7, max_moves: MAX_MOVES }
}

/// Returns what a tally says about the game, without what it says about the engine.
fn said<E: Engine>(tally: &Tally, simulation: &Simulation<E>) -> Json {
    let mut json = tally.json(simulation);
    let fields = json.as_object_mut().unwrap();
    // What the reference evaluator played for the engine.
    ["bailouts", "interpreted"].iter().for_each(|of_engine| drop(fields.remove(*of_engine)));
    json
}

fn broken(played: &Played) -> Option<(u64, &str)> {
    played.broken.as_ref().map(|(n, fault)| (*n, fault.message.as_str()))
}

/// Asserts that whatever replaces `HERE` in a game, both engines draw the same moves from a seed, and code
/// plays all of them.
fn draws_alike(game: &str, ways: &[&str]) {
    let mut all: Vec<Vec<Json>> = Vec::new();
    for way in ways {
        let source = parlour::source::Source::new("drawn.game", &game.replace("HERE", way));
        let rules = Rules::load(source).unwrap_or_else(|found| panic!("{way}: {found:#?}"));
        let machine = rules.machine(&Default::default(), 2).unwrap();
        let compiled = Compiled::new(machine.clone());
        let (slow, fast) = (simulation(&rules, &machine), simulation(&rules, &compiled));
        let records = |played: &Played| -> Vec<Json> {
            let all = played.records.lines().map(|line| serde_json::from_str(line).unwrap());
            all.map(|record: Json| record["moves"].clone()).collect()
        };
        let (a, b) = (slow.play(0..40, true), fast.play(0..40, true));
        assert_eq!(records(&a), records(&b), "{way}");
        assert_eq!(compiled.bailouts().choices, 0, "{way}");
        all.push(records(&a));
    }
    for (way, records) in ways.iter().zip(&all) {
        assert_eq!(*records, all[0], "{way}");
    }
}

/// A bound must be recognised however it is written: in the domain, as a filter, as a need, by a function,
/// reversed, or with its terms rearranged.
#[test]
fn a_bound_is_a_bound_however_it_is_written() {
    let game = r#"
game "Takes" { players 2 }
table { left: 0..1000 = 1000 }
define affordable(k) = k <= left
move take(k in HERE else "no"
  left -= k
}
play { turns until left = 0 { take } }
winner last mover
"#;
    draws_alike(
        game,
        &[
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
        ],
    );
}

/// The sum of a list may be required by a filter or by a need about the list alone, of few lists or many.
#[test]
fn rows_are_drawn_alike_by_a_filter_and_by_a_need() {
    let game = r#"
game "Posts" { players 2 }
each player {
  men: 0..12 = 12
  post: list of 0..12 = []
}
define all_posted(parts, who) = sum(parts) = who.men
move posts(parts in HERE
  me.post := parts
  me.men -= largest(parts)
}
play { turns as t until t = 6 { posts } }
winner highest me.men
"#;
    for lists in ["lists(4, 0..12)", "lists(3, 0..12)", "lists(5, 0..9)"] {
        let ways = [
            "LISTS where sum(parts) = me.men) {",
            "LISTS where all_posted(parts, me)) {",
            "LISTS) {\n  need sum(parts) = me.men else \"all must be posted\"",
            "LISTS) {\n  let men = me.men\n  need men = sum(parts) else \"all must be posted\"",
            "LISTS) {\n  need all_posted(parts, me) else \"all must be posted\"",
        ];
        let ways = ways.map(|way| way.replace("LISTS", lists));
        draws_alike(game, &ways.each_ref().map(String::as_str));
    }
}

/// A range that begins or ends at an earlier argument is one with a need.
#[test]
fn arguments_are_tied_by_a_domain_as_by_a_need() {
    let game = r#"
game "Spans" { players 2 }
table { left: 0..1000 = 1000 }
each player { taken: set of 1..60 = {} }
define more(n) = n + 2
move span(HERE
  left -= b - a
  me.taken += b
}
play { turns as t until t = 12 { span } }
winner highest size(me.taken)
"#;
    let all: [&[&str]; 4] = [
        &[
            "a in 1..40, b in a..60) {\n  need (a + b + left) mod 3 != 0 else \"\"",
            "a in 1..40, b in 1..60) {\n  need b >= a else \"\"\n  need (a + b + left) mod 3 != 0 else \"\"",
        ],
        &[
            "a in 1..40, b in more(a)..60 - a) {",
            "a in 1..40, b in 3..59) {\n  need a + 2 <= b and b <= 60 - a else \"\"",
        ],
        &[
            "a in 1..40, b in [k in 1..60 where k > a + me.number]) {",
            "a in 1..40, b in 1..60) {\n  need not b <= a + me.number else \"\"",
        ],
        // Many more rows than the widened domains have legal ones.
        &["a in 1..50, b in a..a + 1) {", "a in 1..50, b in 1..51) {\n  need b in a..a + 1 else \"\""],
    ];
    for ways in all {
        draws_alike(game, ways);
    }
}

/// Pairs may be chosen by their indices, or directly.
#[test]
fn pairs_are_chosen_from_in_code() {
    let game = r#"
game "Lines" { players 2 }
table { drawn: empty grid 6 by 6 of player }
move join(HERE
}
play { turns until stuck { join } }
winner last mover
"#;
    draws_alike(
        game,
        &[
            "e in [p in pairs(1..6) where drawn[p.1, p.2] is none: p]) {\n  drawn[e.1, e.2] := me",
            "e in [p in pairs(1..6) where not (drawn[p.1, p.2] is not none): p]) {\n  drawn[e.1, e.2] := me",
        ],
    );
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
        // Without records, many matches are played at a time.
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

/// What the partners of a team win is theirs alone: nothing is shared with other teams, as a tie is broken.
#[test]
fn what_a_team_wins_is_not_shared() {
    let source = Source::new("benches.game", include_str!("study/benches.game"));
    let rules = Rules::load(source).unwrap();
    let machine = rules.machine(&Default::default(), 4).unwrap();
    let simulation = simulation(&rules, &machine);
    let tally = simulation.play(0..200, false).tally;
    assert_eq!(said(&tally, &simulation)["shared"], 200, "several seats win each match");
    let told = tally.words(&simulation, "at random");
    let lines: Vec<&str> =
        told.lines().filter(|line| line.contains("player") || line.contains("shared")).collect();
    assert!(lines[0].starts_with("  the team of player 1 and player 2  wins 1"), "{told}");
    assert!(lines[1].starts_with("  the team of player 3 and player 4  wins "), "{told}");
    assert!(!lines[0].contains("shares") && lines[2].starts_with("  shared              0: 0.0 %"), "{told}");
}

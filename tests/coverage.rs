//! What of the rules has run: counted, and told by the lines of the file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use parlour::engine::Engine;
use parlour::eval::{Coverage, Machine, Part, PartKind, Waiting};
use parlour::num::Rng;
use parlour::play::{Rules, bundled, bundled_source};
use parlour::source::Source;

fn rules(name: &str, text: &str) -> Arc<Rules> {
    Arc::new(Rules::load(Source::new(name, text)).unwrap_or_else(|found| panic!("{name}: {found:?}")))
}

fn cairn() -> Arc<Rules> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/coverage/cairn.game");
    rules("cairn.game", &fs::read_to_string(path).unwrap())
}

fn machine(rules: &Rules) -> Machine {
    rules.machine(&BTreeMap::new(), rules.default_players()).unwrap()
}

/// Plays matches at random and asks needs at each choice.
fn played(rules: &Rules, matches: u64) -> Arc<Coverage> {
    let coverage = Arc::new(Coverage::new(&rules.game));
    let machine = machine(rules).watched(coverage.clone()).unwrap();
    for n in 0..matches {
        let mut rng = Rng::nth(1, n);
        let mut position = machine.start().unwrap();
        while !matches!(machine.waiting(&position), Waiting::Over) {
            if let Waiting::Choice { seats, .. } = machine.waiting(&position) {
                for seat in seats {
                    machine.probe_needs(&position, seat, &coverage, &mut Rng::nth(2, n), 50).0.unwrap();
                }
            }
            machine.play_on(&mut position, &mut rng, 1).unwrap();
        }
        machine.scores(&position).unwrap();
    }
    coverage
}

/// The parts that begin on a line that contains a text: kind, how often it ran, of how often.
fn on_line(rules: &Rules, parts: &[Part], line: &str) -> Vec<(PartKind, u64, u64)> {
    let at =
        rules.source.text.lines().position(|text| text.contains(line)).unwrap_or_else(|| panic!("{line}"))
            + 1;
    let here = parts.iter().filter(|part| rules.source.position(part.span.start).line == at);
    here.map(|part| (part.kind, part.ran, part.of)).collect()
}

#[test]
fn each_part_is_counted_where_it_is_written() {
    let rules = cairn();
    let parts = played(&rules, 40).parts(&rules.game, &rules.source);
    let on = |line| on_line(&rules, &parts, line);
    // How often it ran is greater than 0, or is not.
    let ran = |line| on(line).into_iter().map(|(kind, ran, of)| (kind, ran > 0, of > 0)).collect::<Vec<_>>();
    use PartKind::*;
    assert_eq!(ran("let high"), [(Statement, true, true)]);
    assert_eq!(ran("need count >= 1"), [(Need, false, true)]);
    assert_eq!(ran("need count <= me.stones"), [(Need, true, true)]);
    assert_eq!(ran("need high <= height"), [(Need, true, true)]);
    assert_eq!(ran("if cairn = height"), [(Statement, true, true), (Branch, true, true)]);
    assert_eq!(ran("win me"), [(Win, true, true)]);
    assert_eq!(ran("} else if cairn > height"), [(Branch, false, true)]);
    assert_eq!(ran("cairn := height"), [(Statement, false, false)]);
    assert_eq!(ran("4: 9"), [(Arm, false, true)]);
    assert_eq!(ran("2: 3"), [(Arm, true, true)]);
    // Nobody calls it but the table's picture, or nobody at all: no part of the rules.
    assert_eq!(ran("define sky"), []);
    assert_eq!(ran("define unused"), []);
    assert_eq!(
        ran("if cairn = 5"),
        [(Statement, true, true), (Branch, true, true), (PassedOver, true, true), (Statement, true, true)]
    );
    // `storm` ends the turns at once, so that it is never there when somebody rests.
    assert_eq!(
        ran("if not storm"),
        [(Statement, true, true), (Branch, true, true), (PassedOver, false, true), (Statement, true, true)]
    );
    assert_eq!(ran("phase morning"), [(Phase, true, true)]);
    assert_eq!(ran("turns as turn until storm"), [(Statement, true, true), (Until, true, true)]);
    assert_eq!(ran("heap or rest"), [(Statement, true, true), (Offer, true, true), (Offer, true, true)]);
    assert_eq!(ran("  dusk()"), [(Statement, true, true)]);
    assert_eq!(ran("turns until stuck"), [(Statement, true, true), (Stuck, false, true)]);
    assert_eq!(
        ran("heap else leave"),
        [(Statement, true, true), (Offer, true, true), (ElseOffer, false, true)]
    );
    assert_eq!(ran("until cairn > 9"), [(Until, true, true)]);
    assert_eq!(ran("end when"), [(EndWhen, false, true)]);
    assert_eq!(ran("winner highest"), [(Winner, true, true), (TieBreak, true, true)]);
}

#[test]
fn what_ran_is_counted_exactly() {
    let rules = rules(
        "count.game",
        "game \"Count\" { players 2 }\ntable { n: int = 0 }\n\
         move up(by in 1..4) {\n  need by != 3 else \"not three\"\n  n += by\n}\n\
         rule twice() {\n  n += 1\n  n += 1\n}\n\
         play {\n  repeat 2 {\n    ask seat(1) to up\n    twice()\n  }\n  twice()\n  turns as t until t > 3 { up }\n}\n",
    );
    let parts = played(&rules, 1).parts(&rules.game, &rules.source);
    let on = |line| on_line(&rules, &parts, line);
    use PartKind::*;
    // Two choices asked, three in turn, one more turn that ends them.
    assert_eq!(on("move up"), [(Move, 5, 5)]);
    assert_eq!(on("need by"), [(Need, 5, 20)]);
    assert_eq!(on("n += by"), [(Statement, 5, 5)]);
    assert_eq!(on("repeat 2"), [(Statement, 1, 1)]);
    assert_eq!(on("ask seat(1)"), [(Statement, 2, 2), (Offer, 2, 2)]);
    assert_eq!(on("  n += 1"), [(Statement, 3, 3)]);
    assert_eq!(on("turns as t"), [(Statement, 1, 1), (Until, 1, 4), (Statement, 3, 3), (Offer, 3, 3)]);
}

#[test]
fn matches_add_up_in_any_order() {
    let rules = cairn();
    let whole = played(&rules, 12);
    let (one, other) = (Coverage::new(&rules.game), played(&rules, 12));
    assert!(other.news(&one) > 20);
    one.add(&other);
    assert_eq!(other.news(&one), 0);
    let told = |coverage: &Coverage| coverage.parts(&rules.game, &rules.source);
    assert_eq!(told(&one), told(&whole));
    one.add(&whole);
    let sum = |parts: &[Part]| parts.iter().map(|part| part.ran).sum::<u64>();
    assert_eq!(sum(&told(&one)), 2 * sum(&told(&whole)));
}

/// Who is watched plays the same, with the same steps, as who is not.
#[test]
fn watching_changes_nothing() {
    for (name, _) in bundled() {
        let rules = Arc::new(Rules::load(bundled_source(&name).unwrap()).unwrap());
        let plain = machine(&rules);
        let coverage = Arc::new(Coverage::new(&rules.game));
        let watched = machine(&rules).watched(coverage.clone()).unwrap();
        let mut positions = (plain.start().unwrap(), watched.start().unwrap());
        let mut rngs = (Rng::new(3), Rng::new(3));
        for _ in 0..6 {
            assert_eq!(positions.0.cells, positions.1.cells, "{name}");
            let seats = match plain.waiting(&positions.0) {
                Waiting::Choice { seats, .. } => seats,
                Waiting::Over => break,
                _ => Vec::new(),
            };
            for seat in seats {
                let steps = |machine: &Machine, position| {
                    let choice = machine.choice(position).unwrap();
                    let (drawn, steps) = machine.ask_counted(position, |env| {
                        env.draw_legal(choice, seat, &mut |n| Rng::new(4).below(n))
                    });
                    (drawn.unwrap(), steps)
                };
                assert_eq!(steps(&plain, &positions.0), steps(&watched, &positions.1), "{name}");
                let (found, _) = watched.probe_needs(&positions.1, seat, &coverage, &mut Rng::new(5), 8);
                found.unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
            }
            plain.play_on(&mut positions.0, &mut rngs.0, 1).unwrap();
            watched.play_on(&mut positions.1, &mut rngs.1, 1).unwrap();
        }
        let parts = coverage.parts(&rules.game, &rules.source);
        assert!(parts.iter().any(|part| part.ran > 0), "{name}");
        for part in parts {
            assert!(part.ran <= part.of || part.kind == PartKind::Statement, "{name}: {part:?}");
        }
    }
}

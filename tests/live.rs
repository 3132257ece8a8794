//! What `ir::Live` calls dead makes no difference: matches go on the same when the dead slots are wiped at each stop.

use std::collections::BTreeMap;
use std::path::Path;

use parlour::engine::Engine;
use parlour::eval::{Machine, Position, Waiting};
use parlour::ir::{Live, Value};
use parlour::num::{Int, Rng};
use parlour::play::{Rules, bundled, bundled_source};
use parlour::source::Source;

/// The bundled games, and those that show the language construct by construct.
fn games() -> Vec<Rules> {
    let load = |source: Source| Rules::load(source).unwrap_or_else(|found| panic!("{found:#?}"));
    let mut all: Vec<Rules> = bundled().iter().map(|(name, _)| load(bundled_source(name).unwrap())).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    for folder in [folder.clone(), folder.join("invented")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let text = std::fs::read_to_string(&path).unwrap();
                all.push(load(Source::new(path.to_string_lossy(), &text)));
            }
        }
    }
    all
}

fn wiped(live: &Live, mut position: Position) -> Position {
    for (slot, value) in position.frame.iter_mut().enumerate() {
        if !live.at(position.pc).contains(&slot) {
            *value = Value::Unset;
        }
    }
    position
}

/// Plays a match at random twice in step, once wiping what is dead; how many slots were wiped.
fn play_twice(name: &str, machine: &Machine, live: &Live, seed: u64) -> usize {
    let (mut rng, mut wipes) = (Rng::new(seed), 0);
    let Ok(mut whole) = machine.start() else { return 0 };
    let mut bare = whole.clone();
    for _ in 0..60 {
        bare = wiped(live, bare);
        wipes += bare.frame.iter().zip(&whole.frame).filter(|(bare, whole)| bare != whole).count();
        assert_eq!(bare, wiped(live, whole.clone()), "{name}");
        match whole.waiting.clone() {
            Waiting::Choice { choice, seats } => {
                for slot in machine.game.choices[choice].loops.iter().map(|id| machine.game.loops[*id].1) {
                    assert_eq!(bare.frame[slot], whole.frame[slot], "{name}");
                }
                for seat in seats {
                    let mut again = rng.clone();
                    let drawn = machine.draw_legal(&whole, seat, &mut rng);
                    assert_eq!(
                        format!("{drawn:?}"),
                        format!("{:?}", machine.draw_legal(&bare, seat, &mut again))
                    );
                    let Ok(Some(chosen)) = drawn else { return wipes };
                    let chosen_of = |mv: usize| {
                        let params = &machine.game.moves[mv].params;
                        params.iter().filter(|param| param.domain.is_some()).count()
                    };
                    // Of the moves that take as many arguments: most are refused, with reasons.
                    for mv in (0..machine.game.moves.len()).filter(|mv| chosen_of(*mv) == chosen.args.len()) {
                        let told = |position: &Position| {
                            let choice = machine.choice(position).unwrap();
                            machine.ask(position, |env| env.why(choice, seat, mv, &chosen.args))
                        };
                        assert_eq!(format!("{:?}", told(&whole)), format!("{:?}", told(&bare)), "{name}");
                    }
                    let fault = machine.choose(&mut whole, seat, chosen.clone());
                    assert_eq!(
                        format!("{fault:?}"),
                        format!("{:?}", machine.choose(&mut bare, seat, chosen))
                    );
                    if fault.is_err() {
                        return wipes;
                    }
                    bare = wiped(live, bare);
                }
            }
            Waiting::Chance => {
                let Ok(dom) = machine.outcomes(&whole) else { return wipes };
                assert_eq!(
                    machine.outcomes(&bare).unwrap().count(Default::default()).unwrap(),
                    dom.count(Default::default()).unwrap(),
                    "{name}"
                );
                let value = dom.at(&rng.below(&dom.count(Default::default()).unwrap().unwrap_or(Int::ONE)));
                let drawn = machine.draw(&mut whole, value.clone());
                assert_eq!(format!("{drawn:?}"), format!("{:?}", machine.draw(&mut bare, value)), "{name}");
            }
            Waiting::Over | Waiting::Nothing => break,
        }
    }
    wipes
}

#[test]
fn dead_slots_make_no_difference() {
    let mut wipes = 0;
    for rules in games() {
        let live = Live::of(&rules.game);
        for players in rules.game.seats.min..=rules.game.seats.max.unwrap_or(3).min(3) {
            let Ok(machine) = rules.machine(&BTreeMap::new(), players) else { continue };
            for seed in 0..3 {
                wipes += play_twice(&rules.name, &machine, &live, seed);
            }
        }
    }
    assert!(wipes > 1000, "only {wipes} slots were wiped");
}

//! Slots that `ir::Live` calls dead must not matter: wiping them at each stop must not change a match.

use std::collections::BTreeMap;
use std::path::Path;

use parlour::engine::Engine;
use parlour::eval::{Machine, Position, Waiting};
use parlour::ir::{Live, Value};
use parlour::num::{Int, Rng};
use parlour::play::{Rules, bundled, bundled_source};
use parlour::source::Source;

/// Rules with names that are each read by one kind of construct only, all of them after a stop.
const NAMES: &str = r#"
game "Names" {
  players 2
}

table {
  sum: int = 0
  deck: list of 1..9 = [4, 5, 6, 7, 8, 9]
  pile: list of 1..9 = []
}

each player {
  mark: int for each 1..9 = 0
  bid: int = 0
  hand: list of 1..9 = []
}

show "{sum}"

move take(given least, given most, x in least..most) {
  need x > least else "take more than {least}"
  let twice = 2 * x
  me.bid := twice
}

move pass {
  me.bid += 1
}

move offer(given extra, n in 1..3) {
  let before = sum(p in players: p.bid) mod 4
  need n != before else "offer another number"
  let after = before + n + extra
  me.bid := after
}

play {
  chance c1 in 1..2
  chance c2 in 3..4
  chance c3 in 1..6
  chance c4 in 1..9
  chance c5 in 1..9
  chance c6 in 1..9
  chance c7 in 1..2
  chance c8 in 1..9
  chance c9 in 1..2
  chance c10 in 1..2
  chance c11 in 1..9
  chance c12 in 1..9
  let (p1, p2) = (seat(c1), seat(c1))
  let p3 = seat(c1)
  let p4 = seat(c1)
  let p5 = seat(c1)
  let p6 = seat(c1)
  let c15 = c1
  let seats = [p in players where p != p5]
  ask p1 to take(c1, c2 + 1)
  together seats { offer(c3) }
  repeat 5 {
    together players { pass or offer(c3) }
  }
  p2.mark[c4] := c5
  if p3.bid > 3 {
    sum += c6
  }
  award c8 to p6 for "the draw of {c11}"
  repeat c7 as round {
    chance c13 in c12..c12 + 2
    let inner = c13 + sum([c13, c13, 1])
    each k in [1, 2, 3] where k != c9 and inner > 0 {
      ask seat(1 + k mod 2) to take(1, 3)
      sum += k
    }
  }
  chance c14 in 1..3
  deal c10 from deck to p4.hand
  send c14 + 5 from deck to pile
  deck := [x in deck where x != sum(y in [x, c15]: y mod 2)]
}

winner highest score
"#;

/// Returns the bundled games, `NAMES`, and the games of `tests/language`, which cover every construct.
fn games() -> Vec<Rules> {
    let load = |source: Source| Rules::load(source).unwrap_or_else(|found| panic!("{found:#?}"));
    let mut all: Vec<Rules> = bundled().iter().map(|(name, _)| load(bundled_source(name).unwrap())).collect();
    all.push(load(Source::new("names.game", NAMES)));
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

/// Plays a random match twice in lockstep, once with dead slots wiped. Returns how many slots were wiped.
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
                    // Tries all moves with as many arguments: most are refused, for the same reasons.
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
            for seed in 0..10 {
                wipes += play_twice(&rules.name, &machine, &live, seed);
            }
        }
    }
    assert!(wipes > 1000, "only {wipes} slots were wiped");
}

//! Exact play: what bots say of positions that can be worked out to the end is what a plain search says.

use std::collections::BTreeMap;

use crate::table::{Table, shipped, written};
use parlour::bots::KnownValue;
use parlour::engine::{Engine, Position, Stepper, Turn, Value};
use parlour::eval::Machine;
use parlour::num::Rng;
use parlour::source::Span;

/// Returns a seat's share of the win, by plain exhaustive search.
fn minimax(machine: &Machine, state: &Position, seat: usize) -> f64 {
    let mut stepper = machine.stepper();
    match stepper.turn(state) {
        Turn::Over => match Engine::outcome(machine, state).unwrap().winners.as_slice() {
            [sole] => f64::from(u8::from(*sole == seat)),
            _ => 0.5,
        },
        Turn::Chance => {
            let outcomes = Engine::outcomes(machine, state).unwrap();
            let worth = outcomes.iter(Span::default()).unwrap().map(|value| {
                let mut next = state.clone();
                machine.draw(&mut next, value).unwrap().unwrap();
                minimax(machine, &next, seat)
            });
            let all: Vec<f64> = worth.collect();
            all.iter().sum::<f64>() / all.len() as f64
        }
        Turn::Choice { seats, .. } => {
            let mover = seats.trailing_zeros() as usize;
            let worth = stepper.legal(state, mover).unwrap().into_iter().map(|chosen| {
                let mut next = state.clone();
                stepper.choose(&mut next, mover, chosen).unwrap();
                minimax(machine, &next, seat)
            });
            if mover == seat { worth.fold(0.0, f64::max) } else { worth.fold(1.0, f64::min) }
        }
    }
}

/// Returns who wins and after how many choices, if everybody plays for a win soon or a loss late, by plain exhaustive
/// search of a game for two without chance.
fn soonest(machine: &Machine, state: &Position) -> (Option<usize>, u32) {
    let mut stepper = machine.stepper();
    let Turn::Choice { seats, .. } = stepper.turn(state) else {
        let winners = Engine::outcome(machine, state).unwrap().winners;
        return (Some(winners).filter(|winners| winners.len() == 1).map(|winners| winners[0]), 0);
    };
    let mover = seats.trailing_zeros() as usize;
    let rank = |(winner, choices): &(Option<usize>, u32)| match winner {
        Some(winner) if *winner == mover => (2, -i64::from(*choices)),
        None => (1, 0),
        Some(_) => (0, i64::from(*choices)),
    };
    let ends = stepper.legal(state, mover).unwrap().into_iter().map(|chosen| {
        let mut next = state.clone();
        machine.stepper().choose(&mut next, mover, chosen).unwrap();
        let (winner, choices) = soonest(machine, &next);
        (winner, choices + 1)
    });
    ends.max_by_key(rank).unwrap()
}

#[test]
fn exact_play_is_plain_minimax() {
    type Case<'c> = (&'c str, &'c [(&'c str, &'c str)], &'c [&'c str]);
    let games: [Case; 3] = [
        ("tic-tac-toe", &[], &["mark a1", "mark b1", "mark a3"]),
        ("nim", &[("piles", "2,3,1")], &[]),
        ("dots-and-boxes", &[("rows", "1"), ("columns", "2")], &[]),
    ];
    for (name, options, moves) in games {
        let mut table = Table::new(&shipped(name), options, 2, 0).after(moves);
        let mut rng = Rng::new(3);
        while !table.played.over() {
            let rules = &table.played.rules;
            let given =
                table.played.options().enumerate().map(|(id, (_, value))| (id, value.clone())).collect();
            let machine = rules.machine(&given, 2).unwrap();
            let mut state = Engine::start(&machine).unwrap();
            let entries: Vec<_> = table.played.entries().cloned().collect();
            for entry in &entries {
                let mut stepper = machine.stepper();
                let legal = stepper.legal(&state, entry.player - 1).unwrap();
                let same = |chosen: &&parlour::eval::Chosen| rules.entry(entry.player - 1, chosen) == *entry;
                let chosen = legal.iter().find(same).unwrap().clone();
                stepper.choose(&mut state, entry.player - 1, chosen).unwrap();
            }
            let advice = table.ask("exact", 0).unwrap();
            assert!(advice.exact);
            let player = table.played.to_move()[0];
            assert_eq!(advice.value, minimax(&machine, &state, player - 1), "{name} after {entries:?}");
            for weighed in &advice.moves {
                let mut next = state.clone();
                machine.stepper().choose(&mut next, player - 1, weighed.chosen.clone()).unwrap();
                let (end, known) = (weighed.end.unwrap(), soonest(&machine, &next));
                if let Some(winner) = known.0 {
                    let told = (end.winners, end.choices);
                    assert_eq!(told, (1 << winner, known.1 + 1), "{name} after {entries:?}: {weighed:?}");
                }
            }
            let drawn = table.played.random_move(player, &mut rng).unwrap();
            table.played.make(&drawn).unwrap();
        }
    }
}

/// Throws are kept or passed on; whoever has more points wins. The plain search goes through all of it.
#[test]
fn exact_play_reckons_with_chance() {
    let rules = written(
        r#"
game "Throws" { players 2 }
table {
  die: 1..3 = 2
  made: 0..4 = 0
}
each player { points: 0..12 = 0 }
move keep { me.points += die }
move pass { }
play {
  turns until made = 4 {
    keep or pass
    made += 1
    chance throw in 1..3
    die := throw
  }
}
winner highest me.points
"#,
    );
    let machine = rules.machine(&BTreeMap::new(), 2).unwrap();
    let table = Table::new(&rules, &[], 2, 4);
    let state = Engine::start(&machine).unwrap();
    let advice = table.ask("exact", 0).unwrap();
    assert!(advice.exact && advice.known() == Some(KnownValue::Expected(advice.value)), "{advice:?}");
    assert!((advice.value - minimax(&machine, &state, 0)).abs() < 1e-9, "{advice:?}");
}

/// Where positions come again, exact play gets on: a way of four steps, with steps back and aside.
#[test]
fn exact_play_makes_progress() {
    let rules = written(
        "game \"Way\" { players 2 }\n\
         table { at: 0..9 = 3 }\n\
         move go(by in {-1, 1, 2}) { need at + by in 0..9 else \"off\"\n at += by }\n\
         move rest { }\n\
         play { turns { if me = seat(1) { go } else { rest } } }\n\
         win seat(1) when at = 9\n",
    );
    let mut table = Table::new(&rules, &[], 2, 0);
    let advice = table.ask("exact", 0).unwrap();
    assert!(advice.exact && advice.value == 1.0, "{advice:?}");
    table.play_on(&["exact"], 12);
    assert!(table.played.over());
}

/// Partners play as one: what teams, and players on one side, can reach, by searches in another language: see `solve/sides.rs`.
#[test]
fn exact_play_is_that_of_sides() {
    let ask = |text: &str, option: &str, value: &str, players: usize| {
        let options: &[(&str, &str)] = if option.is_empty() { &[] } else { &[(option, value)] };
        Table::new(&written(text), options, players, 0).ask("exact", 0).unwrap()
    };
    for (stones, value) in [("7", 0.0), ("8", 0.0), ("10", 1.0), ("13", 1.0)] {
        let advice = ask(include_str!("solve/bench-nim.game"), "stones", stones, 4);
        assert_eq!((advice.exact, advice.value), (true, value), "{stones}");
        let ends = advice.moves.iter().map(|weighed| weighed.end.unwrap().winners);
        assert!(ends.clone().all(|winners| [0b0011, 0b1100].contains(&winners)), "{stones}");
    }
    for (strength, value) in [("2", 1.0), ("1", 0.5)] {
        let advice = ask(include_str!("solve/tug.game"), "strength", strength, 4);
        assert_eq!((advice.exact, advice.value), (true, value), "{strength}");
    }
    // Where chance draws, too: taking points is worth half of the win, throwing -5/48 less in wins over losses.
    let advice = ask(include_str!("solve/team-dice.game"), "", "", 4);
    let values: Vec<f64> = advice.moves.iter().map(|weighed| weighed.value).collect();
    assert!(advice.exact && values[0] == 0.5 && (values[1] - 43.0 / 96.0).abs() < 1e-6, "{advice:?}");
    for (carries, value) in [("5", 2401.0 / 7776.0), ("10", 594_181.0 / 1_679_616.0)] {
        let advice = ask(include_str!("solve/load.game"), "carries", carries, 2);
        assert!(advice.exact && (advice.value - value).abs() < 1e-6, "{carries}: {advice:?}");
    }
    for (river, value) in [("21", 1.0), ("20", 0.0)] {
        let advice = ask(include_str!("solve/span.game"), "river", river, 3);
        assert_eq!((advice.exact, advice.value), (true, value), "{river}");
    }
    // The longest chain of numbers up to seven has six, whoever writes them.
    let advice = ask(include_str!("solve/chain.game"), "n", "7", 3);
    assert_eq!((advice.exact, advice.moves[0].score), (true, Some(6.0)), "{advice:?}");
    assert_eq!(advice.line.len(), 6);
    // Of three teams, one may decide which of the others wins; but not here, with five stones.
    let advice = ask(include_str!("solve/three-benches.game"), "stones", "5", 6);
    assert_eq!((advice.exact, advice.value), (true, 0.5), "{advice:?}");
}

#[test]
fn what_goes_round_for_ever_is_worth_a_draw() {
    let rules = written(
        "game \"Round\" { players 2 }\n\
         table { at: 0..2 = 0 }\n\
         move step(by in 1..2) { at := (at + by) mod 3 }\n\
         move stop { need at > 0 else \"not here\" }\n\
         play { turns { step or stop\n win me when at = 5 } }\n",
    );
    let table = Table::new(&rules, &[], 2, 0);
    let advice = table.ask("exact", 0).unwrap();
    assert!(advice.exact && advice.value == 0.5, "{advice:?}");
    assert!(!table.ask("mcts:2", 0).unwrap().exact);
}

/// A heap without an upper bound: its moves have no ids, but must be searched like others. Whoever leaves a
/// multiple of four wins, starting from nine (C. Bouton, 1902).
#[test]
fn moves_without_numbers_are_searched_to_the_end() {
    let rules = written(
        r#"
game "Heap" { players 2 }
table { heap: int = 9 }
move take(k in 1..heap) {
  need k <= 3 else "three at most"
  heap -= k
}
play { turns until heap = 0 { take } }
winner last mover
"#,
    );
    let table = Table::new(&rules, &[], 2, 0);
    for bot in ["exact", "hard", "mcts:500"] {
        let advice = table.ask(bot, 1).unwrap();
        assert_eq!((table.best(bot, 1).as_str(), advice.value, advice.exact), ("take 1", 1.0, true), "{bot}");
    }
}

/// Whatever is asked, the answer wins if it is right: a lost player asks what has more wrong answers.
#[test]
fn a_lost_player_hopes_for_mistakes() {
    let rules = written(
        r#"
game "Riddles" { players 2 }
option wrong: 1..9 = 7
table { asked: 1..3 = 1 }
each player { points: 0..1 = 0 }
move ask(riddle in 1..3) { asked := riddle }
move answer(word in 1..10) {
  if asked != 2 or word > wrong { me.points += 1 } else { seat(1).points += 1 }
}
move nod { }
play {
  turns as t until t > 3 {
    if t = 1 { ask } else if t = 2 { answer } else { nod }
  }
}
winner highest me.points
"#,
    );
    for bot in ["exact", "auto", "mcts:2000"] {
        let advice = Table::new(&rules, &[], 2, 1).ask(bot, 0).unwrap();
        assert!(advice.exact && advice.value == 0.0, "{bot}: {advice:?}");
        assert_eq!(advice.best.args, [Value::int(2)], "{bot}: {advice:?}");
    }
}

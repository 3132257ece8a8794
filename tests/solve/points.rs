//! Points that only add up are left out of what a solver knows of a position; values are those of a plain search.

use super::{plain, solved, task, whole};
use parlour::engine::{Engine, Stepper};
use parlour::eval::{Machine, Waiting};
use parlour::play::Rules;
use parlour::solve::{Goal, Task, Worth};
#[cfg(feature = "jit")]
use parlour::solve::{Knowledge, solve};
use parlour::source::Source;

/// Small games with points: their names, players and texts, and whether nothing but the final score reads the points.
const WITH_POINTS: &[(&str, usize, &str, bool)] = &[
    (
        "pops",
        1,
        "game \"Pops\" { players 1 }\ntable { row: list of 1..20 = [3, 1, 5, 8, 2] }\n\
         move pop(at in 1..size(row)) {\n  let before = if at > 1 then row[at - 1] else 1\n  \
         let after = if at < size(row) then row[at + 1] else 1\n  award before * row[at] * after to me\n  \
         row[at..at] := []\n}\nplay { turns until size(row) = 0 { pop } }\nwinner highest score\n",
        true,
    ),
    (
        "fewest",
        1,
        "game \"Fewest\" { players 1 }\ntable { row: list of 1..20 = [3, 1, 5, 8, 2] }\n\
         move pop(at in 1..size(row)) {\n  award at * row[at] - 9 to me\n  row[at..at] := []\n}\n\
         play { turns until size(row) = 0 { pop } }\nwinner lowest score\n",
        true,
    ),
    (
        "ends",
        2,
        "game \"Ends\" { players 2 }\ntable { row: list of 1..20 = [4, 7, 2, 9, 5, 6] }\n\
         each player { won: int = 0 }\nscore = me.won\n\
         move left {\n  me.won += row[1]\n  row[1..1] := []\n}\n\
         move right {\n  me.won -= row[size(row)]\n  row[size(row)..size(row)] := []\n}\n\
         move pass { row[1..1] := [] }\n\
         play { turns until size(row) = 0 { left or right or pass } }\nwinner highest score\n",
        true,
    ),
    (
        "enough",
        2,
        "game \"Enough\" { players 2 }\ntable { row: list of 1..20 = [4, 7, 2, 9, 5, 6] }\n\
         each player { won: int = 0 }\nscore = me.won\n\
         move left {\n  need me.won < 10 else \"enough\"\n  me.won += row[1]\n  row[1..1] := []\n}\n\
         move pass { row[1..1] := [] }\n\
         play { turns until size(row) = 0 { left or pass } }\nwinner highest score\n",
        false,
    ),
    (
        "doubled",
        1,
        "game \"Doubled\" { players 1 }\ntable {\n  left: 0..6 = 6\n  won: int = 1\n}\nscore = won\n\
         move double {\n  won += won\n  left -= 1\n}\nmove add(k in 1..2) {\n  won += k\n  left -= 1\n}\n\
         play { turns until left = 0 { double or add } }\nwinner highest score\n",
        false,
    ),
    (
        "leader",
        2,
        "game \"Leader\" { players 2 }\ntable { left: 0..6 = 6 }\n\
         move take(k in 1..2) {\n  award k * left to me\n  left -= 1\n}\n\
         play { repeat 6 { ask (if seat(1).score > seat(2).score then seat(2) else seat(1)) to take } }\n\
         winner highest score\n",
        false,
    ),
];

#[test]
fn points_that_only_add_up_are_left_out_of_what_is_known() {
    for (name, players, text, apart) in WITH_POINTS {
        let told = |found: Vec<parlour::diag::Diagnostic>| {
            found.iter().map(|d| format!("{}: {}\n", d.code, d.message)).collect::<String>()
        };
        let rules = Rules::load(Source::new(*name, text)).map_err(told).unwrap();
        let machine = rules.machine(&Default::default(), *players).unwrap();
        assert_eq!(machine.stepper().leave_out_points(), *apart, "{name}");
        let goal = Goal::points(&machine).unwrap();
        let sign = if goal == (Goal::Points { highest: true }) { 1 } else { -1 };
        let start = machine.start().unwrap();
        let task = Task { goal, ..task(&machine) };
        let found = solved(&machine, &task);
        for first in &found.first {
            let mut next = start.clone();
            machine.choose(&mut next, found.seat.unwrap(), first.chosen.clone()).unwrap();
            assert_eq!(whole(&first.worth[0]), best_points(&machine, &next, sign), "{name}: {first:?}");
        }
        assert_eq!(whole(&found.worth[0]), best_points(&machine, &start, sign), "{name}");
        #[cfg(feature = "jit")]
        {
            let compiled = parlour::jit::Compiled::new(machine.clone());
            let begun = compiled.state_of(&start);
            let again = solve(&compiled, &begun, &task, &mut Knowledge::default(), &|_| true).unwrap();
            assert_eq!((&again.worth, again.positions), (&found.worth, found.positions), "{name}");
        }
        // The line of best play ends with this value.
        let mut position = start;
        for (seat, chosen) in &found.line {
            machine.choose(&mut position, *seat, chosen.clone()).unwrap();
        }
        assert_eq!(best_points(&machine, &position, sign), whole(&found.worth[0]), "{name}");
        if *name == "pops" {
            // One position for each set of numbers left, each looked at from at most every other.
            assert!(found.positions < 2 * 5 * 32, "{}", found.positions);
        }
    }
}

/// Games with draws or more than two seats, in which all positions are listed: their names, players and texts, and what to put
/// in the place of what, so that the rules read the points and they are no longer left out.
const LISTED: &[(&str, usize, &str, (&str, &str))] = &[
    (
        "beads",
        1,
        "game \"Beads\" { players 1 }\ntable {\n  left: 0..4 = 4\n  jar: bag of 1..6 = bag([1, 2, 3, 5])\n}\n\
         each player { won: int = 0 }\nscore = me.won\n\
         move pick {\n  chance bead in jar\n  jar -= bead\n  me.won += 3 * bead\n  left -= 1\n}\n\
         move trade(k in 1..3) {\n  chance die in 1..3\n  me.won += (if die > k then 7 * k else -5)\n  left -= 1\n}\n\
         play { turns until left = 0 or size(jar) = 0 { pick or trade } }\nwinner highest score\n",
        ("until left = 0", "until seat(1).won > 99 or left = 0"),
    ),
    (
        "lead",
        2,
        "game \"Lead\" { players 2 }\ntable { left: 0..5 = 5 }\n\
         move roll {\n  chance die in 1..3\n  award die to me\n  left -= 1\n}\n\
         move take(k in 1..2) {\n  award k * left - 1 to me\n  left -= k\n}\n\
         play { turns until left < 2 { roll or take } }\nwinner lowest score\n",
        ("until left < 2", "until seat(1).score > 99 or left < 2"),
    ),
    (
        "three",
        3,
        "game \"Three\" { players 3 }\ntable { left: 0..6 = 6 }\n\
         move take(k in 1..2) {\n  award k * k * left to me\n  award left to me.next\n  left -= k\n}\n\
         play { turns until left < 2 { take } }\nwinner highest score\n",
        ("until left < 2", "until seat(1).score > 999 or left < 2"),
    ),
];

/// Where all positions are listed, values are those of a plain search and of rules that read the points, and there are fewer
/// positions.
#[test]
fn points_are_left_out_where_all_positions_are_listed() {
    for (name, players, text, (from, to)) in LISTED {
        let machine = |text: &str| {
            let told = |found: Vec<parlour::diag::Diagnostic>| format!("{name}: {found:?}");
            let rules = Rules::load(Source::new(*name, text)).map_err(told).unwrap();
            rules.machine(&Default::default(), *players).unwrap()
        };
        let (machine, reading) = (machine(text), machine(&text.replace(from, to)));
        let goal = Goal::points(&machine).unwrap();
        let task = |machine: &Machine| Task { goal, ..task(machine) };
        let (found, again) = (solved(&machine, &task(&machine)), solved(&reading, &task(&reading)));
        assert_eq!(found.worth, again.worth, "{name}");
        assert!(found.positions < again.positions, "{name}: {} {}", found.positions, again.positions);
        let sign = if goal == (Goal::Points { highest: true }) { 1 } else { -1 };
        if sign > 0 {
            let by_hand = plain(&machine, &machine.start().unwrap(), goal);
            assert_eq!(found.worth, by_hand.into_iter().map(Worth::Exact).collect::<Vec<_>>(), "{name}");
        }
        for (one, other) in found.first.iter().zip(&again.first) {
            assert_eq!(
                (&one.chosen, &one.worth, one.best),
                (&other.chosen, &other.worth, other.best),
                "{name}"
            );
        }
        #[cfg(feature = "jit")]
        {
            let compiled = parlour::jit::Compiled::new(machine.clone());
            let begun = compiled.start().unwrap();
            let task = task(&machine);
            let again = solve(&compiled, &begun, &task, &mut Knowledge::default(), &|_| true).unwrap();
            assert_eq!((&again.worth, again.positions), (&found.worth, found.positions), "{name}");
        }
    }
}

/// Points that can be won again and again on the way round are no longer left out.
#[test]
fn points_that_are_won_on_the_way_round_count() {
    let text = "game \"Round\" { players 1 }\ntable {\n  at: 0..2 = 0\n  left: 0..9 = 0\n}\n\
        each player { won: int = 0 }\nscore = me.won\n\
        move go {\n  chance step in 0..1\n  at := (at + step) mod 3\n}\n\
        move stop {\n  me.won += at\n  left := 9\n}\n\
        play { turns until left = 9 { go or stop } }\nwinner highest score\n";
    let rules = Rules::load(Source::new("round.game", text)).unwrap();
    let machine = rules.machine(&Default::default(), 1).unwrap();
    let found = solved(&machine, &task(&machine));
    assert!((found.worth[0].settled().unwrap() - 2.0).abs() < 1e-6, "{:?}", found.worth);
}

/// Returns what the first seat gets by exhaustive search: its points, or its lead over the second; with `sign` −1,
/// fewer points are better.
fn best_points(machine: &Machine, position: &parlour::eval::Position, sign: i64) -> i64 {
    let Waiting::Choice { seats, .. } = &position.waiting else {
        let points: Vec<i64> =
            machine.scores(position).unwrap().unwrap().iter().map(|n| n.as_i64().unwrap()).collect();
        return sign * (points[0] - points.get(1).unwrap_or(&0));
    };
    let after = Engine::legal(machine, position, seats[0], false).unwrap().into_iter().map(|chosen| {
        let mut next = position.clone();
        machine.choose(&mut next, seats[0], chosen).unwrap();
        best_points(machine, &next, sign)
    });
    if seats[0] == 0 { after.max() } else { after.min() }.unwrap()
}

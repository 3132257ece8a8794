//! The classics compared to published numbers.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use parlour::eval::{Machine, Position, Waiting};
use parlour::ir::Value;
use parlour::play::{Rules, bundled_source, perft};

fn machine(name: &str, options: &[(&str, &str)]) -> Machine {
    let rules = Rules::load(bundled_source(name).unwrap()).unwrap();
    let options = rules.read_options(options.iter().copied()).unwrap();
    rules.machine(&options, rules.default_players()).unwrap()
}

fn sequences(machine: &Machine, depth: usize) -> Vec<u64> {
    perft(machine, depth).unwrap().iter().map(|line| line.sequences).collect()
}

/// Returns the seat to move and the position after each of its moves; `None` at the end.
fn branches(machine: &Machine, position: &Position) -> Option<(usize, Vec<Position>)> {
    let Waiting::Choice { seats, .. } = &position.waiting else { return None };
    let (seat, choice) = (seats[0], machine.choice(position).unwrap());
    let mut all = Vec::new();
    let listed = machine.ask(position, |env| {
        env.each_legal(choice, seat, false, &mut |chosen| {
            let mut next = position.clone();
            machine.choose(&mut next, seat, chosen).unwrap();
            all.push(next);
            ControlFlow::Continue(())
        })
    });
    listed.unwrap();
    Some((seat, all))
}

/// Visits every match from a position: calls `met` for each position, including ends.
fn every_match(machine: &Machine, position: &Position, met: &mut dyn FnMut(&Position)) {
    met(position);
    for next in branches(machine, position).into_iter().flat_map(|(_, all)| all) {
        every_match(machine, &next, met);
    }
}

/// Whether the player to move wins under best play.
fn wins(machine: &Machine, position: &Position) -> bool {
    let (seat, all) = branches(machine, position).expect("asked before the end");
    all.iter().any(|next| match &next.outcome {
        Some(outcome) => outcome.winners == [seat],
        None => !wins(machine, next),
    })
}

/// H. Bottomley, "How many Tic-Tac-Toe games are possible?" (2001): 255,168 matches, of which 131,184 are won
/// by the first player, 77,904 by the second and 46,080 by nobody; 5,478 positions.
#[test]
fn tic_tac_toe_has_255168_matches() {
    let machine = machine("tic-tac-toe", &[]);
    let (mut ends, mut boards) = ([0u32; 3], BTreeSet::<Vec<Value>>::new());
    every_match(&machine, &machine.start().unwrap(), &mut |position| {
        boards.insert(position.cells.clone());
        if let Some(outcome) = &position.outcome {
            ends[outcome.winners.first().copied().unwrap_or(2)] += 1;
        }
    });
    assert_eq!(ends, [131_184, 77_904, 46_080]);
    assert_eq!(boards.len(), 5_478);
}

/// The Chess Programming Wiki's table of Connect Four: 7, 49, 343, 2401, 16807, 117649, 823536, 5673234.
#[test]
fn connect_four_counts_as_published() {
    assert_eq!(sequences(&machine("connect-four", &[]), 6), [7, 49, 343, 2_401, 16_807, 117_649]);
}

/// Breakthrough on 8 by 8 as counted by OpenSpiel and Regular Games: 22, 484, 11132, 256036.
#[test]
fn breakthrough_counts_as_published() {
    assert_eq!(sequences(&machine("breakthrough", &[]), 3), [22, 484, 11_132]);
}

/// Every empty cell of Hex is a legal move until somebody wins, so the first counts are 121, 121 · 120, …
#[test]
fn hex_begins_with_every_square() {
    assert_eq!(sequences(&machine("hex", &[]), 2), [121, 121 * 120]);
    let small = machine("hex", &[("n", "3")]);
    // Nobody can join three rows in fewer than five moves.
    let lines = perft(&small, 5).unwrap();
    assert_eq!(
        lines.iter().map(|line| line.finished > 0).collect::<Vec<_>>(),
        [false, false, false, false, true]
    );
}

/// C. L. Bouton (1901): a position of Nim is lost for the player to move if and only if the exclusive or of
/// the piles is 0; in misère play the same holds unless every pile has at most one.
#[test]
fn nim_is_won_as_bouton_proved() {
    for misere in ["no", "yes"] {
        for a in 0..4u32 {
            for b in 0..4 {
                for c in 1..4 {
                    let piles = format!("{a},{b},{c}");
                    let machine = machine("nim", &[("piles", &piles), ("misere", misere)]);
                    let small = a.max(b).max(c) <= 1;
                    let nonzero = a ^ b ^ c != 0;
                    let expected = if misere == "yes" && small { !nonzero } else { nonzero };
                    assert_eq!(
                        wins(&machine, &machine.start().unwrap()),
                        expected,
                        "{piles}, misere {misere}"
                    );
                }
            }
        }
    }
}

/// Two secret hands of n cards make n! · n! matches if the order of the prizes is fixed.
#[test]
fn goofspiel_has_as_many_matches_as_orders_of_two_hands() {
    let machine = machine("goofspiel", &[("n", "4"), ("order", "descending")]);
    let lines = perft(&machine, 4).unwrap();
    let expected = [16, 16 * 9, 16 * 9 * 4, 24 * 24];
    assert_eq!(lines.iter().map(|line| line.sequences).collect::<Vec<_>>(), expected);
    assert_eq!(lines[3].finished, 24 * 24);
}

/// Number Scrabble is tic-tac-toe on a magic square (H. Simon), so it has just as many matches.
#[test]
fn number_scrabble_is_tic_tac_toe() {
    let lines = perft(&machine("number-scrabble", &[]), 6).unwrap();
    let same = perft(&machine("tic-tac-toe", &[]), 6).unwrap();
    assert_eq!(lines, same);
}

/// Every match of Dots and Boxes draws every side once, in some order: s! matches for s sides.
#[test]
fn dots_and_boxes_draws_every_side_once() {
    let lines = perft(&machine("dots-and-boxes", &[("rows", "1"), ("columns", "2")]), 7).unwrap();
    assert_eq!(
        lines.iter().map(|line| line.sequences).collect::<Vec<_>>(),
        [7, 42, 210, 840, 2520, 5040, 5040]
    );
    assert_eq!(lines[6].finished, 5040);
}

/// The answers to one guess over the 5,040 codes, as in published tables (for instance A. Slovesnov's "Search
/// of optimal algorithms for Bulls and Cows", 2013), by answer: bulls then cows.
#[test]
fn bulls_and_cows_answers_as_published() {
    let machine = machine("bulls-and-cows", &[]);
    let start = machine.start().unwrap();
    let digits = |code: [i64; 4]| vec![Value::list(code.into_iter().map(Value::int).collect())];
    let make = |position: &mut Position, name: &str, seat: usize, code: [i64; 4]| {
        let mv = machine.game.moves.iter().position(|mv| mv.name == name).unwrap();
        let chosen = machine.judge(position, seat, mv, &digits(code)).unwrap().unwrap();
        machine.choose(position, seat, chosen).unwrap();
    };
    let answer = |position: &Position, name: &str| {
        let state = machine.game.state.iter().position(|state| state.name == name).unwrap();
        match &position.cells[machine.setup.bases[state]] {
            Value::Int(n) => n.as_usize().unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let mut classes = std::collections::BTreeMap::new();
    for n in 0..10_000i64 {
        let code = [n / 1000, n / 100 % 10, n / 10 % 10, n % 10];
        if code.iter().collect::<BTreeSet<_>>().len() < 4 {
            continue;
        }
        let mut position = start.clone();
        make(&mut position, "hide", 0, [1, 2, 3, 4]);
        make(&mut position, "hide", 1, code);
        make(&mut position, "ask_for", 0, [1, 2, 3, 4]);
        make(&mut position, "ask_for", 1, [5, 6, 7, 8]);
        *classes.entry((answer(&position, "bulls"), answer(&position, "cows"))).or_insert(0) += 1;
    }
    let published = [
        ((0, 0), 360),
        ((0, 1), 1440),
        ((0, 2), 1260),
        ((0, 3), 264),
        ((0, 4), 9),
        ((1, 0), 480),
        ((1, 1), 720),
        ((1, 2), 216),
        ((1, 3), 8),
        ((2, 0), 180),
        ((2, 1), 72),
        ((2, 2), 6),
        ((3, 0), 24),
        ((4, 0), 1),
    ];
    assert_eq!(classes.into_iter().collect::<Vec<_>>(), published);
}

/// T. Neller and C. Presser, "Optimal Play of the Dice Game Pig" (UMAP Journal 25, 2004), table 2: the
/// distribution of turn totals for a player who holds at 20.
#[test]
fn pig_held_at_twenty_ends_as_published() {
    fn turn(
        machine: &Machine,
        position: &Position,
        chance: f64,
        ends: &mut std::collections::BTreeMap<i64, f64>,
    ) {
        let game = &machine.game;
        let state = game.state.iter().position(|state| state.name == "turn_total").unwrap();
        let Value::Int(total) = &position.cells[machine.setup.bases[state]] else { panic!("no total") };
        let total = total.as_i64().unwrap();
        if total >= 20 {
            *ends.entry(total).or_insert(0.0) += chance;
            return;
        }
        let roll = game.moves.iter().position(|mv| mv.name == "roll").unwrap();
        let mut rolled = position.clone();
        let chosen = machine.judge(&rolled, 0, roll, &[]).unwrap().unwrap();
        machine.choose(&mut rolled, 0, chosen).unwrap();
        for die in 1..=6 {
            let mut next = rolled.clone();
            machine.draw(&mut next, Value::int(die)).unwrap().unwrap();
            match &next.waiting {
                Waiting::Choice { seats, .. } if *seats == [0] => turn(machine, &next, chance / 6.0, ends),
                _ => *ends.entry(0).or_insert(0.0) += chance / 6.0,
            }
        }
    }
    let machine = machine("pig", &[]);
    let mut ends = std::collections::BTreeMap::new();
    turn(&machine, &machine.start().unwrap(), 1.0, &mut ends);
    let rounded: Vec<(i64, i64)> =
        ends.into_iter().map(|(total, p)| (total, (p * 10_000.0).round() as i64)).collect();
    assert_eq!(rounded, [(0, 6245), (20, 997), (21, 950), (22, 742), (23, 542), (24, 352), (25, 172)]);
}

/// G. Irving, J. Donkers and J. Uiterwijk, "Solving Kalah" (ICGA Journal 23, 2000), table 1: who wins for
/// each number of holes and seeds.
#[test]
fn kalah_is_won_as_solved() {
    type Seen = std::collections::HashMap<(Vec<Value>, Vec<usize>), i64>;
    /// Returns the first player's seeds minus the second's at the end of best play.
    fn best(machine: &Machine, position: &Position, seen: &mut Seen) -> i64 {
        let to_move = match &position.waiting {
            Waiting::Choice { seats, .. } => seats.clone(),
            _ => Vec::new(),
        };
        let key = (position.cells.clone(), to_move);
        if let Some(known) = seen.get(&key) {
            return *known;
        }
        let Some((seat, all)) = branches(machine, position) else {
            let scores = machine.scores(position).unwrap().unwrap();
            return scores[0].sub(&scores[1]).as_i64().unwrap();
        };
        let values = all.iter().map(|next| best(machine, next, seen));
        let value = if seat == 0 { values.max() } else { values.min() }.unwrap();
        seen.insert(key, value);
        value
    }
    for (holes, results) in [("1", "DLWLWD"), ("2", "WLLLWW")] {
        let mut found = String::new();
        for seeds in 1..=6 {
            let machine = machine("kalah", &[("holes", holes), ("seeds", &seeds.to_string())]);
            let value = best(&machine, &machine.start().unwrap(), &mut Seen::new());
            found.push(match value.signum() {
                1 => 'W',
                0 => 'D',
                _ => 'L',
            });
        }
        assert_eq!(found, results, "{holes} holes");
    }
}

/// J. Nash's argument (1949): the first player wins Hex on every board, since an extra stone never harms.
#[test]
fn hex_is_won_by_the_first_player() {
    for n in ["2", "3"] {
        let machine = machine("hex", &[("n", n)]);
        assert!(wins(&machine, &machine.start().unwrap()), "{n} by {n}");
    }
}

/// Juniper Green with the numbers 1 to n, compared to a plain solver over lists of numbers (rules: I.
/// Stewart, Scientific American, March 1997).
#[test]
fn juniper_green_is_won_as_solved_by_itself() {
    fn mover_wins(n: u64, said: &[u64]) -> bool {
        let fits = |k: u64| match said.last() {
            None => k.is_multiple_of(2),
            Some(last) => !said.contains(&k) && (k.is_multiple_of(*last) || last.is_multiple_of(k)),
        };
        (1..=n).filter(|k| fits(*k)).any(|k| !mover_wins(n, &[said, &[k]].concat()))
    }
    for n in 2..=11 {
        let machine = machine("juniper-green", &[("n", &n.to_string())]);
        assert_eq!(wins(&machine, &machine.start().unwrap()), mover_wins(n, &[]), "1 to {n}");
    }
}

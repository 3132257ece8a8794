//! The classics against published numbers.

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

/// Goes through every match: each position met, and each end.
fn every_match(machine: &Machine, position: &Position, met: &mut dyn FnMut(&Position)) {
    met(position);
    let Waiting::Choice { seats, .. } = &position.waiting else { return };
    let seat = seats[0];
    let choice = machine.choice(position).unwrap();
    let mut all = Vec::new();
    machine
        .ask(position, |env| {
            env.each_legal(choice, seat, false, &mut |chosen| {
                all.push(chosen);
                ControlFlow::Continue(())
            })
        })
        .unwrap();
    for chosen in all {
        let mut next = position.clone();
        machine.choose(&mut next, seat, chosen).unwrap();
        every_match(machine, &next, met);
    }
}

/// H. Bottomley, "How many Tic-Tac-Toe games are possible?" (2001): 255,168 matches, 131,184 won by the first
/// player, 77,904 by the second, 46,080 by nobody; 5,478 positions.
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

/// Breakthrough on 8 by 8, as OpenSpiel's and Regular Games' implementations count: 22, 484, 11132, 256036.
#[test]
fn breakthrough_counts_as_published() {
    assert_eq!(sequences(&machine("breakthrough", &[]), 3), [22, 484, 11_132]);
}

/// Every move of Hex is open until somebody wins, so the first counts are 121, 121 · 120, …
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

/// C. L. Bouton (1901): a position of Nim is lost for who is to move if and only if the exclusive or of the piles
/// is 0; in misère play the same holds unless every pile has at most one.
#[test]
fn nim_is_won_as_bouton_proved() {
    fn wins(machine: &Machine, position: &Position) -> bool {
        let Waiting::Choice { seats, .. } = &position.waiting else { unreachable!("asked at the end") };
        let seat = seats[0];
        let choice = machine.choice(position).unwrap();
        let mut any = false;
        machine
            .ask(position, |env| {
                env.each_legal(choice, seat, false, &mut |chosen| {
                    let mut next = position.clone();
                    machine.choose(&mut next, seat, chosen).unwrap();
                    any |= match &next.outcome {
                        Some(outcome) => outcome.winners == [seat],
                        None => !wins(machine, &next),
                    };
                    if any { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                })
            })
            .unwrap();
        any
    }
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

/// Two secret hands of n cards are n! · n! matches once the prizes lie in order.
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

//! The values that theorems, published tables and independent programs give.

use super::{best, machine, result, searched, solved, task, whole};
use crate::folder::Folder;
use parlour::play::Rules;
use parlour::solve::{Goal, Knowledge, LineEnd, Task, solve};
use parlour::source::Source;
use serde_json::Value as Json;

#[test]
fn tic_tac_toe_and_number_scrabble_are_drawn() {
    // J. Michon, Journal of Recreational Mathematics 1, 1968: they are the same game.
    assert_eq!((result("tic-tac-toe", &[]), result("number-scrabble", &[])), (0, 0));
}

#[test]
fn nim_is_won_by_boutons_theorem() {
    // C. L. Bouton, Annals of Mathematics 3, 1901: whoever leaves a xor of 0 wins. If the last one loses,
    // this holds while a heap of two or more is left, and then whoever leaves an odd number of ones wins.
    for a in 0..4u32 {
        for b in a..4 {
            for c in b.max(1)..4 {
                let piles = format!("{a},{b},{c}");
                let lost = a ^ b ^ c == 0;
                let lost_last = if c > 1 { lost } else { (a + b + c) % 2 == 1 };
                for (misere, lost) in [("no", lost), ("yes", lost_last)] {
                    let found = result("nim", &[("piles", &piles), ("misere", misere)]);
                    assert_eq!(found, if lost { -1 } else { 1 }, "{piles} {misere}");
                }
            }
        }
    }
}

#[test]
fn wythoffs_game_is_lost_at_his_pairs() {
    // W. A. Wythoff, 1907: the pairs are floor(k φ) and floor(k φ) + k.
    let golden = f64::midpoint(1.0, 5.0f64.sqrt());
    let pairs: Vec<(u32, u32)> =
        (0..9).map(|k| ((f64::from(k) * golden) as u32, (f64::from(k) * golden) as u32 + k)).collect();
    for a in 0..7 {
        for b in a.max(1)..8 {
            let found = result("wythoff", &[("first", &a.to_string()), ("second", &b.to_string())]);
            assert_eq!(found, if pairs.contains(&(a, b)) { -1 } else { 1 }, "{a} {b}");
        }
    }
}

#[test]
fn small_kalah_has_its_published_values() {
    // G. Irving, J. Donkers and J. Uiterwijk, Solving Kalah, ICGA Journal 23, 2000: one and two holes, one to
    // six seeds.
    let published = [[0, -1, 1, -1, 1, 0], [1, -1, -1, -1, 1, 1]];
    for (holes, row) in (1..).zip(published) {
        let of =
            |seeds: usize| result("kalah", &[("holes", &holes.to_string()), ("seeds", &seeds.to_string())]);
        assert_eq!((1..=6).map(of).collect::<Vec<_>>(), row, "{holes} holes");
    }
}

#[test]
fn juniper_green_is_what_a_plain_program_says() {
    for n in 2..=40 {
        let wins = searched::juniper_green(n);
        assert_eq!(result("juniper-green", &[("n", &n.to_string())]), if wins { 1 } else { -1 }, "{n}");
    }
}

#[test]
fn procession_is_what_a_plain_program_says() {
    for n in 2..=8 {
        let wins = searched::procession(n);
        assert_eq!(result("procession", &[("n", &n.to_string())]), if wins { 1 } else { -1 }, "{n}");
    }
}

/// Where the last mover wins, moves that leave few replies are searched first. With the history of moves alone,
/// Procession with eight digits would take 88,044 positions.
#[test]
fn where_the_last_mover_wins_few_positions_are_searched() {
    let machine = machine("procession", &[("n", "8")], 2);
    let found = solved(&machine, &task(&machine));
    assert!(found.positions < 20_000, "{}", found.positions);
}

#[test]
fn hex_is_won_by_its_first_player_with_the_openings_that_a_plain_program_finds() {
    for n in 2..=3 {
        let hex = machine("hex", &[("n", &n.to_string())], 2);
        let found = solved(&hex, &task(&hex));
        // J. Nash: the first player wins.
        assert_eq!(whole(&found.worth[0]), 1);
        let mut openings = best(&hex, &found);
        openings.sort();
        let known = searched::hex_openings(n).into_iter().enumerate().filter(|(_, wins)| *wins);
        let square = |at: usize| format!("\"{}{}\"", char::from(b'a' + (at % n) as u8), at / n + 1);
        let mut known: Vec<String> = known.map(|(at, _)| square(at)).collect();
        known.sort();
        assert_eq!(openings, known);
    }
}

#[test]
fn dots_and_boxes_is_what_a_plain_program_says() {
    for (rows, columns) in [(1, 1), (1, 2), (2, 2)] {
        let sides = [("rows", rows.to_string()), ("columns", columns.to_string())];
        let machine = machine("dots-and-boxes", &sides.each_ref().map(|(name, n)| (*name, n.as_str())), 2);
        let task = Task { goal: Goal::Points { highest: true }, value_all_moves: false, ..task(&machine) };
        let ahead = i64::from(searched::dots_and_boxes(rows, columns));
        assert_eq!(whole(&solved(&machine, &task).worth[0]), ahead, "{rows} by {columns}");
    }
}

#[test]
fn sum_of_products_is_what_a_plain_program_says() {
    for n in [2, 3] {
        let machine = machine("sum-of-products", &[("n", &n.to_string())], 2);
        let task = Task { goal: Goal::Points { highest: true }, value_all_moves: false, ..task(&machine) };
        let lead = searched::sum_of_products(n);
        assert_eq!(whole(&solved(&machine, &task).worth[0]), i64::from(lead), "{n}");
        assert_eq!(result("sum-of-products", &[("n", &n.to_string())]), i64::from(lead.signum()), "{n}");
    }
}

#[test]
fn connect_four_is_drawn_on_a_small_board() {
    // J. Tromp's table of sizes: 4 by 4 is a draw, which a plain program confirms.
    assert_eq!(result("connect-four", &[("columns", "4"), ("rows", "4")]), 0);
    assert_eq!(searched::connect_four(4, 4), 0);
}

#[test]
fn a_line_of_best_play_ends_as_the_value_says() {
    for (game, options) in [("tic-tac-toe", &[][..]), ("kalah", &[("holes", "2"), ("seeds", "3")])] {
        let machine = machine(game, options, 2);
        let found = solved(&machine, &task(&machine));
        let mut position = machine.start().unwrap();
        for (seat, chosen) in &found.line {
            machine.choose(&mut position, *seat, chosen.clone()).unwrap();
        }
        let winners = position.outcome.unwrap().winners;
        let worth = if winners == [0] {
            1
        } else if winners == [1] {
            -1
        } else {
            0
        };
        assert_eq!((found.line_end, worth), (LineEnd::Over, whole(&found.worth[0])), "{game}");
    }
}

/// Compiled code packs an integer into few bits if it is small. Larger ones are told apart all the same.
#[test]
fn positions_with_large_numbers_are_told_apart() {
    let folder = Folder::new("thousands");
    folder.write("thousands.game", include_str!("thousands.game"));
    let found = ["compiled", "reference"].map(|engine| {
        let (_, printed, errors) =
            folder.type_in(&format!("solve thousands.game --all --json --engine {engine}"));
        let mut json: Json = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{errors}"));
        json["seconds"] = Json::Null;
        json
    });
    assert_eq!(found[0], found[1]);
}

/// Nothing reads `n` but its own next value, which cannot be computed from 3.
#[test]
fn positions_that_differ_only_in_a_fault_to_come_are_told_apart() {
    let text = "game \"Own\" { players 2 }\ntable { n: int = 5\n t: 0..2 = 0 }\n\
                move keep { t += 1 }\nmove three { n := 3\n t += 1 }\nmove halve { n := 12 div (n - 3)\n t += 1 }\n\
                play { turns until t = 2 { keep or three or halve } }\nwinner last mover\n";
    let rules = Rules::load(Source::new("own.game", text)).unwrap();
    let machine = rules.machine(&Default::default(), 2).unwrap();
    let start = machine.start().unwrap();
    let found = solve(&machine, &start, &task(&machine), &mut Knowledge::default(), &|_| true);
    assert!(found.unwrap_err().message.contains("0"));
}

//! Lines that people type, and what they are read as.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::play::{Rules, bundled_source};
use crate::source::Source;

fn begin(rules: Rules) -> Match {
    let players = rules.default_players();
    Match::new(Arc::new(rules), &BTreeMap::new(), players, 1).unwrap()
}

fn shipped(game: &str) -> Match {
    begin(Rules::load(bundled_source(game).unwrap()).unwrap())
}

fn written(text: &str) -> Match {
    begin(Rules::load(Source::new("test.game", text)).unwrap())
}

/// What a line is understood as, in a line.
fn told(played: &Match, line: &str) -> String {
    let seat = played.to_move()[0];
    let words = |reading: &Reading| crate::repl::typed::typed(played, &reading.name, &reading.args);
    match understand(played, seat, line) {
        Understood::Move(reading) => words(&reading),
        Understood::Which(readings) => {
            format!("{}?", readings.iter().map(words).collect::<Vec<_>>().join(" or "))
        }
        Understood::Refused(readings) => {
            format!("not {}", readings.iter().map(words).collect::<Vec<_>>().join(" nor "))
        }
        Understood::Incomplete(name, _) => format!("{name} ..."),
        Understood::Nothing => "-".to_string(),
    }
}

fn hold(played: &Match, table: &[(&str, &str)]) {
    for (line, meant) in table {
        assert_eq!(told(played, line), *meant, "{line}");
    }
}

/// A game with a move of each sort.
const SORTS: &str = r#"
game "Sorts" { players 2 called Ann, Bert }

kind colour: red, green, reddish_brown

table {
  board: empty grid 5 by 5 of colour
  open: yes or no = no
}

move mark(at in [s in board where board[s] is none], with in {red, green}) { board[at] := with }
move jump(from in board, to in board) { need from != to else "this is no way" }
move add(left in 1..9, right in -9..9) { need left != right else "they are equal" }
move line(terms in permutations([1, 2, 3])) { open := yes }
move paint(colour in every colour) { open := yes }
move greet(who in players) { open := yes }
move pass_on { open := yes }

play { turns until open { mark or jump or add or line or paint or greet or pass_on } }
winner last mover
"#;

#[test]
fn one_move_with_one_argument() {
    hold(
        &shipped("procession"),
        &[
            ("4", "flip 4"),
            ("flip4", "flip 4"),
            ("flip(3)", "flip 3"),
            ("flip( 3 )", "flip 3"),
            ("Flip 3", "flip 3"),
            ("FLIP 3", "flip 3"),
            ("f 3", "flip 3"),
            ("flp 3", "flip 3"),
            ("flip 3.", "flip 3"),
            ("flip +3", "flip 3"),
            ("flip at 3", "flip 3"),
            ("at = 4", "flip 4"),
            ("at: 4", "flip 4"),
            ("flip AT=4", "flip 4"),
            ("move 4", "flip 4"),
            ("`flip 4`", "flip 4"),
            ("9", "not flip 9"),
            ("−4", "not flip -4"),
            ("flip", "flip 1 or flip 2 or flip 3 or flip 4 or flip 5 or flip 6 or flip 7?"),
            ("flip 4 5", "-"),
            ("turn 4", "-"),
            ("flip \u{1f600}", "-"),
            ("four", "-"),
        ],
    );
}

#[test]
fn squares() {
    hold(
        &shipped("hex"),
        &[("b3", "put b3"), ("B3", "put b3"), ("b 3", "put b3"), ("put B3", "put b3"), ("z9", "not put z9")],
    );
    hold(
        &shipped("breakthrough"),
        &[
            ("a2 a3", "go a2 a3"),
            ("a2-a3", "go a2 a3"),
            ("a2xa3", "go a2 a3"),
            ("a2 to a3", "go a2 a3"),
            ("a2→a3", "go a2 a3"),
            ("a2a3", "go a2 a3"),
            ("move A2 A3", "go a2 a3"),
            ("go to a3 from a2", "go a2 a3"),
            ("go a2", "go a2 a3 or go a2 b3?"),
            ("a3", "go a2 a3 or go b2 a3?"),
            ("a2 a4", "not go a2 a4"),
        ],
    );
}

#[test]
fn rows_of_values() {
    hold(
        &shipped("transform"),
        &[
            ("list 1, 2, 3, 4", "list 1 2 3 4"),
            ("list(1,2,3,4)", "list 1 2 3 4"),
            ("{1,2,3,4}", "list 1 2 3 4"),
            ("[1 2 3 4]", "list 1 2 3 4"),
            ("1 -2 3 4", "list 1 -2 3 4"),
            ("1; 2; 3; 4", "list 1 2 3 4"),
            ("list 1 2 3 −4", "list 1 2 3 -4"),
            (
                "1-2-3-4",
                "list 1 2 3 4 or list 1 2 3 -4 or list 1 2 -3 4 or list 1 2 -3 -4 or list 1 -2 3 4 or list 1 -2 3 -4 or list 1 -2 -3 4 or list 1 -2 -3 -4?",
            ),
            ("1 2 3", "not list 1 2 3"),
        ],
    );
}

#[test]
fn many_sorts_of_moves() {
    hold(
        &written(SORTS),
        &[
            ("mark B1 RED", "mark b1 red"),
            ("mark b1 r", "mark b1 red"),
            ("b1 green", "mark b1 green"),
            ("mark green b1", "mark b1 green"),
            ("mark b1 gren", "mark b1 green"),
            ("mark b1", "mark b1 red or mark b1 green?"),
            ("b1 b2", "jump b1 b2"),
            ("b1 b1", "not jump b1 b1"),
            ("3 4", "add 3 4"),
            ("3-4", "add 3 -4 or add 3 4?"),
            ("add(3, -4)", "add 3 -4"),
            ("right 3 left 4", "add 4 3"),
            ("add right=3 4", "add 4 3"),
            ("132", "line 1 3 2"),
            ("line 1,3,2", "line 1 3 2"),
            ("reddish brown", "paint reddish_brown"),
            ("red", "paint red"),
            ("p green", "paint green"),
            ("ann", "greet 1"),
            ("greet player 2", "greet 2"),
            ("2", "greet 2"),
            ("pass", "pass_on"),
            ("pass on", "pass_on"),
            ("Pass-on", "pass_on"),
        ],
    );
}

//! Lines that people type, and how they are understood.

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

/// Describes in one line how a line is understood.
fn told(played: &Match, line: &str) -> String {
    let seat = played.to_move()[0];
    let words = |reading: &Reading| crate::repl::typed::move_text(played, &reading.name, &reading.args);
    match understand(played, seat, line) {
        Understood::Move(reading) if reading.changes.tears_groups() => format!("{}?", words(&reading)),
        Understood::Move(reading) => words(&reading),
        Understood::Which(readings, refused) => {
            let refused = refused.iter().map(|reading| format!("not {}; ", words(reading)));
            let readings: Vec<String> = readings.iter().map(words).collect();
            format!("{}{}?", refused.collect::<String>(), readings.join(" or "))
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

/// A card is a suit and a number; either finds it, in any order, as far as it is one of those in the hand.
#[test]
fn cards_are_found_by_their_parts() {
    let played = written(
        r#"
game "Cards" { players 2 }

kind suit: clubs, hearts, spades

each player { hand: set of (suit, 1..7) = {(clubs, 7), (spades, 7), (hearts, 3), (hearts, 12 - 6)} }

move lay(card in me.hand) { me.hand -= card }

play { turns until stuck { lay } }

winner last mover
"#,
    );
    hold(
        &played,
        &[
            ("lay clubs 7", "lay clubs 7"),
            ("lay clubs", "lay clubs 7"),
            ("clubs", "lay clubs 7"),
            ("c", "lay clubs 7"),
            ("7 clubs", "lay clubs 7"),
            ("the 3 of hearts", "lay hearts 3"),
            ("three of hearts", "lay hearts 3"),
            ("3♥", "lay hearts 3"),
            ("3h", "lay hearts 3"),
            ("lay 3", "lay hearts 3"),
            ("7", "lay clubs 7 or lay spades 7?"),
            ("lay h", "lay hearts 3 or lay hearts 6?"),
            ("lay", "lay clubs 7 or lay hearts 3 or lay hearts 6 or lay spades 7?"),
            ("lay clubs 6", "not lay clubs 6"),
        ],
    );
}

/// A game with a move of each kind.
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
            ("4th", "flip 4"),
            ("flip the 4TH digit", "flip 4"),
            ("flip the 2nd", "flip 2"),
            ("4tha", "-"),
            ("4 please", "flip 4"),
            ("flip 4 again!", "flip 4"),
            ("please", "-"),
            ("flip", "flip 1 or flip 2 or flip 3 or flip 4 or flip 5 or flip 6 or flip 7?"),
            ("flip 4 5", "-"),
            ("turn 4", "flip 4"),
            ("turn 4 over", "flip 4"),
            ("turn it", "-"),
            ("flip \u{1f600}", "-"),
            ("four", "flip 4"),
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
fn from_says_no_order() {
    hold(
        &shipped("nim"),
        &[
            ("take 3 from pile 4", "take 4 3"),
            ("3 from 4", "take 3 4 or take 4 3?"),
            ("take 2 of 2", "take 2 2"),
            ("6 from 4", "take 4 6?"),
            ("3 4", "take 3 4"),
        ],
    );
}

/// Where several moves are equally near, a refused one is not replaced by another without a question.
#[test]
fn a_refused_move_may_be_the_one_that_was_meant() {
    let rules = |taken: &str, poured: &str| {
        written(&format!(
            r#"
game "Halves" {{ players 2 }}
table {{
  heaps: list of 0..40 = [20, 15, 9]
  taken: 0..20 = {taken}
  poured: yes or no = {poured}
}}
move take(heap in 1..size(heaps), count in 1..20) {{
  need count <= floor(heaps[heap] / 2) else "that is more than half"
  need count != taken else "{{count}} were taken just now"
  heaps[heap] -= count
}}
move pour(from in 1..size(heaps), onto in 1..size(heaps)) {{
  need not poured else "somebody has poured already"
  need from != onto else "these must be two heaps"
  heaps[onto] += heaps[from]
  heaps[from] := 0
}}
play {{ turns until stuck {{ take or pour }} }}
winner last mover
"#
        ))
    };
    hold(
        &rules("0", "no"),
        &[("3 from 1", "take 3 1 or take 1 3 or pour 1 3?"), ("take 3 from 1", "take 3 1 or take 1 3?")],
    );
    hold(
        &rules("3", "yes"),
        &[
            ("3 from 1", "not take 1 3; take 3 1?"),
            ("take 3 from 1", "not take 1 3; take 3 1?"),
            ("5 from 2", "take 2 5?"),
            ("take 3 1", "take 3 1"),
            ("take 1 3", "not take 1 3"),
            ("count 3 heap 1", "not take 1 3"),
            ("pour 3 from 1", "not pour 1 3"),
        ],
    );
}

/// A beginning that two moves share is no choice between them, though only one of them is a whole move.
#[test]
fn a_beginning_of_two_names() {
    let rules = |many: &str, room: &str| {
        written(&format!(
            r#"
game "Stones" {{ players 2 }}
table {{
  stones: int = 0
  passes: 0..2 = 0
}}
move put(many in 1..{many}) {{
  need stones < {room} else "there is no room"
  stones += many
}}
move pass {{ passes += 1 }}
play {{ turns until passes = 2 {{ put or pass }} }}
winner last mover
"#
        ))
    };
    hold(
        &rules("2", "9"),
        &[
            ("p", "pass or put 1 or put 2?"),
            ("P", "pass or put 1 or put 2?"),
            ("pa", "pass"),
            ("p 1", "put 1"),
        ],
    );
    hold(&rules("5000", "9"), &[("p", "pass?"), ("pass", "pass")]);
    // Where nothing can be put, nothing else is meant.
    hold(&rules("2", "0"), &[("p", "pass")]);
}

/// Brackets, commas and colons say which numbers are one square.
#[test]
fn groups_of_numbers() {
    let written_here = |parts: &str, body: &str| {
        written(&format!(
            "game \"Groups\" {{ players 2 }}\ndefine free(r, c) = board[r, c] is none\n\
             table {{ board: empty grid 5 by 5 of 1..9 }}\nmove set({parts}) {{\n  {body}\n}}\n\
             play {{ turns until board is full {{ set }} }}\nwinner last mover\n"
        ))
    };
    let turned = [
        ("1,2 3", "set 3 1 2"),
        ("1,2: 3", "set 3 1 2"),
        ("1 2: 3", "set 3 1 2"),
        ("1 2 = 3", "set 3 1 2"),
        ("(1,2) 3", "set 3 1 2"),
        ("(1 2) 3", "set 3 1 2"),
        ("[1,2]=3", "set 3 1 2"),
        ("put 1,2 3", "set 3 1 2"),
        ("set (1, 2), 3", "set 3 1 2"),
        ("set 1,2, 3", "set 3 1 2"),
        ("1x2 3", "set 3 1 2"),
        ("1/2 3", "set 3 1 2"),
        ("3 at 1,2", "set 3 1 2"),
        ("at 1,2: 3", "set 3 1 2"),
        ("3: 1 2", "set 3 1 2"),
        ("3 (1,2)", "set 3 1 2"),
        ("1 2 3", "set 1 2 3"),
        ("1,2,3", "set 1 2 3"),
        ("1, 2, 3", "set 1 2 3"),
        ("set(1,2,3)", "set 1 2 3"),
        ("set: 1 2 3", "set 1 2 3"),
        ("row 1 column 2: 3", "set 3 1 2"),
        ("row=1 column=2 3", "set 3 1 2"),
        ("1, 2 3", "set 1 2 3 or set 3 1 2?"),
        ("3, 1 2", "set 3 1 2 or set 2 3 1?"),
        ("(1,2) 3 4", "-"),
    ];
    let ways = [
        "need board[row, column] is none else \"taken\"\n  board[row, column] := value",
        "need free(row, column) else \"taken\"\n  board[row, column] := value",
    ];
    for body in ways {
        hold(&written_here("value in 1..9, row in 1..5, column in 1..5", body), &turned);
    }
    // A refused square is not read as another.
    hold(
        &written_here(
            "value in 1..9, row in 1..5, column in 1..5",
            "need free(row, column) else \"taken\"\n  need row != 1 else \"no\"\n  board[row, column] := value",
        ),
        &[("(1,2) 3", "not set 3 1 2"), ("(2,1) 3", "set 3 2 1")],
    );
    // Nothing in the rules says what belongs together.
    let loose = written_here("a in 1..5, b in 1..5, c in 1..5", "board[a, 1] := b + c");
    hold(
        &loose,
        &[
            ("(1,2) 3", "set 1 2 3?"),
            ("1,2 3", "set 1 2 3?"),
            ("1, 2, 3", "set 1 2 3"),
            ("c 3: 1,2", "set 1 2 3"),
        ],
    );
    let four = written_here(
        "r in 1..5, c in 1..5, row in 1..5, column in 1..5",
        "need (r, c) != (row, column) else \"no\"\n  board[r, c] := 1",
    );
    hold(&four, &[("1,2 3,4", "set 1 2 3 4"), ("(1,2)-(3,4)", "set 1 2 3 4"), ("1 2 to 3 4", "set 1 2 3 4")]);
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
            ("b1=green", "mark b1 green"),
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

/// What is called by several words may be typed as these words; where they could mean something else, the list of moves keeps
/// the name in one piece.
#[test]
fn names_of_several_words() {
    let played = written(
        r#"
game "Bets" { players 2 }

table { pot: int = 0 }

move check_or_call { pot += 1 }

move bet_or_raise(how_much in 1..3) { pot += how_much }

move name_it(what in {check_mate_soon, fold_now}) { if what = fold_now { pot += 1 } }

move turn(way in {up, down}) { if way = up { pot += 1 } }

move turn_up { pot += 2 }

play { turns until pot > 9 { check_or_call or bet_or_raise or name_it or turn or turn_up } }
winner last mover
"#,
    );
    hold(
        &played,
        &[
            ("check or call", "check_or_call"),
            ("Check-or-call", "check_or_call"),
            ("bet or raise 3", "bet_or_raise 3"),
            ("or raise 3", "bet_or_raise 3"),
            ("bet 3", "bet_or_raise 3"),
            ("name it check mate soon", "name_it check_mate_soon"),
            ("turn up", "turn up"),
            ("turn_up", "turn_up"),
        ],
    );
    let spoken = |name: &str| crate::play::spoken(&played.rules.game, name);
    assert_eq!(spoken("check_or_call"), "check or call");
    assert_eq!(spoken("check_mate_soon"), "check mate soon");
    assert_eq!(spoken("turn_up"), "turn_up");
    assert_eq!(spoken("fold_now"), "fold_now");
}

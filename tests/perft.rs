//! Counts of move sequences: the six games compared to the oracles, and games of chance to counts by hand.

use crate::oracles;
use parlour::play::{PerftLine, Rules, bundled_source, perft, read_json};
use parlour::source::Source;
use serde_json::{Map, Value as Json, json};

/// The sequences and the finished ones among them, from depth 1 on.
type Counts = Vec<(u64, u64)>;

fn count(rules: Rules, options: &Map<String, Json>, players: usize, depth: usize) -> Counts {
    let set = options.iter().map(|(name, json)| {
        let id = rules.option_id(name).unwrap();
        (id, read_json(&rules.game, &rules.game.options[id].form.ty(), json).unwrap())
    });
    let machine = rules.machine(&set.collect(), players).unwrap();
    let lines = perft(&machine, depth).unwrap();
    assert!(lines.iter().map(|line| line.depth).eq(1..=depth));
    lines.into_iter().map(|PerftLine { sequences, finished, .. }| (sequences, finished)).collect()
}

/// Asserts that the rules and the oracle have the same counts, and returns them.
fn both(game: &str, options: Json, players: usize, depth: usize) -> Counts {
    let options = options.as_object().unwrap().clone();
    let expected = oracles::perft(&*oracles::new(game, &options, players), depth);
    let rules = Rules::load(bundled_source(game).unwrap()).unwrap();
    let found = count(rules, &options, players, depth);
    assert_eq!(found, expected, "{game} {options:?} {players} players");
    found
}

/// Returns the counts of rules in a text, for two players.
fn of_rules(text: &str, depth: usize) -> Counts {
    let source = Source::new("test.game", text);
    let rules = Rules::load(source).unwrap_or_else(|found| panic!("{found:#?}"));
    count(rules, &Map::new(), 2, depth)
}

#[test]
fn procession() {
    // n = 3, after the row 000 with run-lengths {3}: flipping an end gives {1,2}, the middle {1,1,1}. From
    // 100 or 001 only {1,1,1} is new: 101 by one flip. From 010, either end gives {1,2} (110, 011), and the
    // middle gives {3}, which has occurred. So 2 * 1 + 1 * 2 = 4 sequences of two, and no third move.
    assert_eq!(both("procession", json!({ "n": 3 }), 2, 3), [(3, 0), (4, 4), (0, 0)]);
    // n = 2: either flip gives {1,1}, and then {2} and {1,1} have both occurred. n = 1: {1} has at the start.
    assert_eq!(both("procession", json!({ "n": 2 }), 2, 2), [(2, 2), (0, 0)]);
    assert_eq!(both("procession", json!({ "n": 1 }), 2, 2), [(0, 0), (0, 0)]);
    // From n = 4 on, the oracle counts all sequences up to the longest.
    let four = [(4, 0), (10, 2), (16, 0), (16, 16), (0, 0)];
    let five = [(5, 0), (18, 0), (46, 2), (98, 18), (116, 56), (66, 66), (0, 0)];
    for players in [2, 3] {
        // Whose turn it is does not affect the moves.
        assert_eq!(both("procession", json!({ "n": 4 }), players, 5), four);
        assert_eq!(both("procession", json!({ "n": 5 }), players, 7), five);
        let six = both("procession", json!({ "n": 6 }), players, 11);
        assert_eq!(six[..4], [(6, 0), (28, 0), (104, 0), (316, 8)]);
        assert_eq!(six[4..8], [(920, 84), (1846, 330), (3260, 1322), (2828, 1308)]);
        // There are eleven partitions of six, and the first row takes one, which leaves at most ten moves.
        assert_eq!(six[8..], [(2144, 2072), (88, 88), (0, 0)]);
    }
}

#[test]
fn sum_of_products() {
    // 2 numbers into 4 squares, then 3, 2, 1: 8, 8 * 6, 8 * 6 * 4, 8 * 6 * 4 * 2, and the last ones end it.
    let two = both("sum-of-products", json!({ "n": 2 }), 2, 5);
    assert_eq!(two, [(8, 0), (48, 0), (192, 0), (384, 384), (0, 0)]);
    // 3 numbers into 9 squares, then 8, 7: 27, 27 * 24, 27 * 24 * 21.
    let three = both("sum-of-products", json!({ "n": 3 }), 2, 3);
    assert_eq!(three, [(27, 0), (648, 0), (13608, 0)]);
    // One number into the only square.
    assert_eq!(both("sum-of-products", json!({ "n": 1 }), 2, 2), [(1, 1), (0, 0)]);
}

#[test]
fn binary_scramble() {
    // Appending two digits makes 4 lists. The lists of two digits are the corners of a square whose sides are
    // flips, and a walk without repeats goes round it either way: 4 * 2 sequences of one, two and three
    // flips.
    let one = both("binary-scramble", json!({ "turns_each": 1 }), 2, 6);
    assert_eq!(one, [(2, 0), (4, 0), (8, 0), (8, 0), (8, 8), (0, 0)]);
    // With target 1 a match ends when run-lengths recur: 00 10 11 has {2} again at the second flip. All
    // others end at the second flip, too, since only {2} and {1,1} exist and each flip changes between them.
    let to_one = both("binary-scramble", json!({ "turns_each": 1, "target": 1 }), 2, 5);
    assert_eq!(to_one, [(2, 0), (4, 0), (8, 0), (8, 8), (0, 0)]);
    // Four digits make 16 lists, the corners of a four-dimensional cube. A walk without repeats has 4 first
    // steps, then 3 (not back), then 3 again (at distance 2 only the previous corner has occurred).
    let two = both("binary-scramble", json!({ "turns_each": 2 }), 2, 7);
    assert_eq!(two, [(2, 0), (4, 0), (8, 0), (16, 0), (64, 0), (192, 0), (576, 0)]);
    // With target 1 the first flip ends the match if it keeps the run-lengths: 0010 - 0110 - 0100 and 1101 -
    // 1001 - 1011, all with {1,1,2}, are 4 pairs, each taken in either direction; no other pair has equal
    // run-lengths. So 8 of 64 sequences end there, and the 56 others go on in 3 ways each: 168.
    let to_one = both("binary-scramble", json!({ "turns_each": 2, "target": 1 }), 2, 8);
    assert_eq!(to_one[3..6], [(16, 0), (64, 8), (168, 48)]);
    both("binary-scramble", json!({ "turns_each": 1 }), 3, 8);
    both("binary-scramble", json!({ "turns_each": 2, "target": 2 }), 2, 8);
}

#[test]
fn numbers_to_number() {
    // m = 2: numbers 1 to 3, one round of two choices: 3 * 3 pairs, then 2 * 2.
    assert_eq!(both("numbers-to-number", json!({ "m": 2 }), 2, 3), [(9, 0), (36, 36), (0, 0)]);
    // m = 3: numbers 1 to 7: 7 * 7 pairs, then 6 * 6, then 5 * 5.
    assert_eq!(both("numbers-to-number", json!({ "m": 3 }), 2, 3), [(49, 0), (1764, 0), (44100, 0)]);
}

#[test]
fn numerical_card_game() {
    let game = "numerical-card-game";
    // m = 2, two players: each plays 1, plays 2 or drops, 9 pairs in all; the 5 pairs with a drop end the
    // match. 1 and 2 (in either order) or 1 and 1 are exchanged; 2 and 2 are discarded, leaving each a 1.
    assert_eq!(both(game, json!({ "m": 2 }), 2, 4), [(9, 5), (21, 14), (43, 27), (89, 58)]);
    // m = 3: 4 * 4 pairs, 7 of them with a drop.
    assert_eq!(both(game, json!({ "m": 3 }), 2, 3), [(16, 7), (88, 47), (368, 199)]);
    // Three players: the match ends at once only if both players of the first pair drop.
    assert_eq!(both(game, json!({ "m": 2 }), 3, 3), [(9, 1), (63, 24), (223, 119)]);
    assert_eq!(both(game, json!({ "m": 3 }), 3, 2)[0], (16, 1));
    // m = 1: 1 and 1 are exchanged for ever; at each step three pairs with a drop end it, and one goes on.
    assert_eq!(both(game, json!({ "m": 1 }), 2, 3), [(4, 3), (4, 3), (4, 3)]);
}

#[test]
fn transform() {
    // There are infinitely many lists, so the sequences cannot be counted, and the error says so.
    let rules = Rules::load(bundled_source("transform").unwrap()).unwrap();
    let machine = rules.machine(&Default::default(), 2).unwrap();
    assert!(perft(&machine, 1).unwrap_err().message.contains("infinitely many"));
    // The proposals before the lists are countable: four criteria, each accepted or vetoed, by one player or
    // by either of two.
    let options = json!({ "criterion": "permutator" });
    both("transform", options.clone(), 2, 1);
    assert_eq!(count(rules, options.as_object().unwrap(), 3, 2), [(4, 0), (16, 0)]);
}

#[test]
fn a_die() {
    // A three-sided die is rolled before each of two choices among two moves. The chance events after a
    // choice belong to its step: 3 * 2 * 3, then * 2, and the match ends with the second choice.
    let found = of_rules(
        r#"game "Die" {
  players 2
}

table {
  total: 0..99 = 0
}

move keep { }

move add(times in 1..1) {
  total += times
}

play {
  repeat 2 {
    chance die in 1..3
    total += die
    ask seat(1) to keep or add
  }
}

winner last mover
"#,
        3,
    );
    assert_eq!(found, [(18, 0), (36, 36), (0, 0)]);
}

#[test]
fn a_draw_from_a_pile() {
    // The pile {1, 1, 2}: the first draw is 1 or 2 (equal cards are one outcome), then 1 or 2 after a 1, but
    // only 1 after a 2. A choice of one move is in between: 3 sequences; the third draw is certain: 3.
    let found = of_rules(
        r#"game "Pile" {
  players 2
}

table {
  pile: bag of 1..2 = bag([1, 1, 2])
  drawn: list of 1..2 = []
}

move go { }

play {
  repeat 3 {
    draw card from pile
    drawn += card
    ask seat(2) to go
  }
}

winner last mover
"#,
        4,
    );
    assert_eq!(found, [(3, 0), (3, 0), (3, 3), (0, 0)]);
}

#[test]
fn a_shuffle() {
    // 1, 1, 2 have 3!/2! = 3 orders; then a player takes the first or the last: two moves.
    let found = of_rules(
        r#"game "Shuffle" {
  players 2
}

table {
  row: list of 1..2 = [1, 1, 2]
}

move take(at in {1, 3}) { }

play {
  shuffle row
  ask seat(1) to take
}

winner last mover
"#,
        2,
    );
    assert_eq!(found, [(6, 6), (0, 0)]);
}

#[test]
fn a_deal() {
    // Two cards of {1, 2, 3} are dealt to the first hand, one after the other: 3 * 2. The other hand gets the
    // last card, in one way. Then both players keep one card simultaneously: 2 * 1.
    let found = of_rules(
        r#"game "Deal" {
  players 2
}

table {
  pile: set of 1..3 = {1, 2, 3}
}

each player {
  hand: set of 1..3 = {} secret
}

move keep(card in me.hand) {
  me.hand := {card}
}

play {
  deal 2 from pile to seat(1).hand
  deal 1 from pile to seat(2).hand
  together players { keep }
}

winner last mover
"#,
        2,
    );
    assert_eq!(found, [(12, 12), (0, 0)]);
}

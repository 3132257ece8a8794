//! Counts of move sequences: the six games against the oracles, and games of chance against counts by hand.

#[allow(dead_code)]
mod oracles;

use parlour::play::{PerftLine, Rules, bundled_source, perft, read_json};
use parlour::source::Source;
use serde_json::{Map, Value as Json, json};

/// Sequences and finished ones, from depth 1 on.
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

/// What the rules and the oracle count alike.
fn both(game: &str, options: Json, players: usize, depth: usize) -> Counts {
    let options = options.as_object().unwrap().clone();
    let expected = oracles::perft(&*oracles::new(game, &options, players), depth);
    let rules = Rules::load(bundled_source(game).unwrap()).unwrap();
    let found = count(rules, &options, players, depth);
    assert_eq!(found, expected, "{game} {options:?} {players} players");
    found
}

/// The counts of rules written here, for two players.
fn of_rules(text: &str, depth: usize) -> Counts {
    let source = Source::new("test.game", text);
    let rules = Rules::load(source).unwrap_or_else(|found| panic!("{found:#?}"));
    count(rules, &Map::new(), 2, depth)
}

#[test]
fn procession() {
    // n = 3, after the row 000 with run-lengths {3}: flipping an end gives {1,2}, the middle {1,1,1}.
    // From 100 or 001 only {1,1,1} is new: 101 by one flip. From 010, {1,2} by either end (110, 011), and the
    // middle gives {3}, which has occurred. So 2 * 1 + 1 * 2 = 4 sequences of two, and nothing is left then.
    assert_eq!(both("procession", json!({ "n": 3 }), 2, 3), [(3, 0), (4, 4), (0, 0)]);
    // n = 2: either flip gives {1,1}, and then {2} and {1,1} have both occurred. n = 1: {1} has from the start.
    assert_eq!(both("procession", json!({ "n": 2 }), 2, 2), [(2, 2), (0, 0)]);
    assert_eq!(both("procession", json!({ "n": 1 }), 2, 2), [(0, 0), (0, 0)]);
    // From n = 4 on: counted by the oracle, all sequences to the end of the longest.
    let four = [(4, 0), (10, 2), (16, 0), (16, 16), (0, 0)];
    let five = [(5, 0), (18, 0), (46, 2), (98, 18), (116, 56), (66, 66), (0, 0)];
    for players in [2, 3] {
        // Whose turn it is bears on no move.
        assert_eq!(both("procession", json!({ "n": 4 }), players, 5), four);
        assert_eq!(both("procession", json!({ "n": 5 }), players, 7), five);
        let six = both("procession", json!({ "n": 6 }), players, 11);
        assert_eq!(six[..4], [(6, 0), (28, 0), (104, 0), (316, 8)]);
        assert_eq!(six[4..8], [(920, 84), (1846, 330), (3260, 1322), (2828, 1308)]);
        // Eleven partitions of six leave at most ten for the moves.
        assert_eq!(six[8..], [(2144, 2072), (88, 88), (0, 0)]);
    }
}

#[test]
fn sum_of_products() {
    // 2 numbers into 4 squares, 3, 2, 1: 8, 8 * 6, 8 * 6 * 4, 8 * 6 * 4 * 2, each of these the end.
    let two = both("sum-of-products", json!({ "n": 2 }), 2, 5);
    assert_eq!(two, [(8, 0), (48, 0), (192, 0), (384, 384), (0, 0)]);
    // 3 numbers into 9 squares, 8, 7: 27, 27 * 24, 27 * 24 * 21.
    let three = both("sum-of-products", json!({ "n": 3 }), 2, 3);
    assert_eq!(three, [(27, 0), (648, 0), (13608, 0)]);
    // 1 into the only square.
    assert_eq!(both("sum-of-products", json!({ "n": 1 }), 2, 2), [(1, 1), (0, 0)]);
}

#[test]
fn binary_scramble() {
    // Two digits appended, 4 lists; the lists of two digits are a square whose sides are flips, and a walk on
    // it that comes nowhere twice goes round either way: 4 * 2 sequences of one, two and three flips.
    let one = both("binary-scramble", json!({ "turns_each": 1 }), 2, 6);
    assert_eq!(one, [(2, 0), (4, 0), (8, 0), (8, 0), (8, 8), (0, 0)]);
    // With target 1 it ends when run-lengths come again: 00 10 11 has {2} again at the second flip, and so have
    // all others, {1,1} at the latest, since only {2} and {1,1} exist and a flip changes between them.
    let to_one = both("binary-scramble", json!({ "turns_each": 1, "target": 1 }), 2, 5);
    assert_eq!(to_one, [(2, 0), (4, 0), (8, 0), (8, 8), (0, 0)]);
    // Four digits: 16 lists, the corners of a cube of four dimensions; a walk without repeats has 4 first steps,
    // then 3 (not back), then 3 again (from distance 2 none but the corner before is known).
    let two = both("binary-scramble", json!({ "turns_each": 2 }), 2, 7);
    assert_eq!(two, [(2, 0), (4, 0), (8, 0), (16, 0), (64, 0), (192, 0), (576, 0)]);
    // With target 1 the first flip ends it where it keeps the run-lengths: 0010 - 0110 - 0100 and 1101 - 1001 -
    // 1011, {1,1,2} all of them, are 4 pairs, each taken either way; no other pair has equal run-lengths. So 8
    // of 64 sequences end there, and the 56 others go on in 3 ways each: 168.
    let to_one = both("binary-scramble", json!({ "turns_each": 2, "target": 1 }), 2, 8);
    assert_eq!(to_one[3..6], [(16, 0), (64, 8), (168, 48)]);
    both("binary-scramble", json!({ "turns_each": 1 }), 3, 8);
    both("binary-scramble", json!({ "turns_each": 2, "target": 2 }), 2, 8);
}

#[test]
fn numbers_to_number() {
    // m = 2: numbers 1 to 3, one round of two choices; 3 * 3 pairs, then 2 * 2.
    assert_eq!(both("numbers-to-number", json!({ "m": 2 }), 2, 3), [(9, 0), (36, 36), (0, 0)]);
    // m = 3: numbers 1 to 7; 7 * 7 pairs, then 6 * 6, then 5 * 5.
    assert_eq!(both("numbers-to-number", json!({ "m": 3 }), 2, 3), [(49, 0), (1764, 0), (44100, 0)]);
}

#[test]
fn numerical_card_game() {
    let game = "numerical-card-game";
    // m = 2, two players: each lays 1, 2 or drops, 9 in all; whatever holds a drop ends it, 5. Laying 1 and 2
    // (either way) or 1 and 1 exchanges the cards; 2 and 2 throws them away and leaves each a 1.
    assert_eq!(both(game, json!({ "m": 2 }), 2, 4), [(9, 5), (21, 14), (43, 27), (89, 58)]);
    // m = 3: 4 * 4 pairs, 7 of them with a drop.
    assert_eq!(both(game, json!({ "m": 3 }), 2, 3), [(16, 7), (88, 47), (368, 199)]);
    // Three players: only where both drop is one left at once.
    assert_eq!(both(game, json!({ "m": 2 }), 3, 3), [(9, 1), (63, 24), (223, 119)]);
    assert_eq!(both(game, json!({ "m": 3 }), 3, 2)[0], (16, 1));
    // m = 1: 1 and 1 change hands for ever; each step either one of three drops ends it, or it goes on.
    assert_eq!(both(game, json!({ "m": 1 }), 2, 3), [(4, 3), (4, 3), (4, 3)]);
}

#[test]
fn transform() {
    // No list of integers has an end, so the sequences have no count; the error says so.
    let rules = Rules::load(bundled_source("transform").unwrap()).unwrap();
    let machine = rules.machine(&Default::default(), 2).unwrap();
    assert!(perft(&machine, 1).unwrap_err().message.contains("no end"));
    // The proposals before are countable: four criteria, each accepted or vetoed by one or by either of two.
    let options = json!({ "criterion": "permutator" });
    both("transform", options.clone(), 2, 1);
    assert_eq!(count(rules, options.as_object().unwrap(), 3, 2), [(4, 0), (16, 0)]);
}

#[test]
fn a_die() {
    // A die of three sides is rolled before each of two choices of two moves. The draws behind a choice belong
    // to its step: 3 * 2 * 3, then * 2, and the match ends with the second choice.
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
    // The pile {1, 1, 2}: first draw 1 or 2 (equal cards are one outcome); after a 1, 1 or 2 again; after a 2,
    // only 1. A choice of one move stands between the draws: 3 sequences, and a third draw is certain: 3.
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
    // 1, 1, 2 stand in 3!/2! = 3 orders; then a player takes the first or the last: two moves.
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
    // Two cards of {1, 2, 3} to each player's hand, one after the other: 3 * 2 to the first; the other hand gets
    // the last card, one way. Then each keeps one card, together: 2 * 1.
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

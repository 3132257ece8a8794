//! Comparisons of two games: equivalent rules must be found equal, and planted differences found where they
//! were planted. What is reported about such a place must match what the other game says when the match is
//! replayed there.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::folder::{Folder, ended};
use crate::rewrites;
use parlour::eval::Machine;
use parlour::explore::alone;
use parlour::lab::compare::{Comparison, Difference, Limits, Side, compare};
use parlour::play::{Record, Rules, bundled_source, replay};
use parlour::source::Source;
use serde_json::{Value as Json, json};

/// A die decides how far a player goes; whoever has gone further wins.
const RACE: &str = r#"// Throw or stay.

game "Race" {
  players 2
}

kind pace: slow, fast

each player {
  total: int = 0
}

show "{[p in players: p.total]}"

move throw(how in every pace) {
  need how = slow or me.total < 3 else "{me.total} is too far to run"
  if how = fast { me.total += 1 }
}

move stay {}

play {
  turns as t until t > 4 {
    throw or stay
    chance die in [1, 2, 3]
    me.total += die
  }
}

winner highest me.total
"#;

/// Of the sums of two random pairs of 1 to 3, the first is larger by more than 4 in no case and smaller in 31 of 81 cases.
#[test]
fn teams_are_compared_and_not_their_players() {
    let folder = Folder::new("teams");
    folder.write("benches.game", include_str!("study/benches.game"));
    let (_, out, _) = folder.type_in("compare benches.game --against ahead=5 --json");
    let found: Json = serde_json::from_str(&out).unwrap();
    let figures = found["figures"].as_array().unwrap();
    let of = |key: &str| figures.iter().find(|figure| figure["key"] == key);
    let share = of("seat.3.share").unwrap_or_else(|| panic!("{found}"));
    assert_eq!(share["title"], "share of the team of player 3 and player 4");
    assert_eq!((share["differs"].as_bool(), share["values"][1].as_f64()), (Some(true), Some(0.0)), "{share}");
    assert!((share["values"][0].as_f64().unwrap() - 31.0 / 81.0).abs() < 0.06, "{share}");
    // Nothing is shared in either, so that there is nothing to compare.
    assert!(of("seat.2.share").is_none() && of("draws.shared").is_none(), "{found}");
    // Two random numbers from 1 to 3 are 4 on average, and partners have the same points.
    let points = of("seat.1.score").unwrap_or_else(|| panic!("{found}"));
    assert_eq!(points["title"], "points of the team of player 1 and player 2");
    for (value, mean) in [(0, 4.0), (1, 9.0)] {
        assert!((points["values"][value].as_f64().unwrap() - mean).abs() < 0.2, "{points}");
    }
    assert!(of("seat.2.score").is_none() && of("seat.4.score").is_none(), "{found}");
    // If all take three, the first team is level or ahead, and wins.
    let best = of("best.1").unwrap_or_else(|| panic!("{found}"));
    assert_eq!(best["title"], "the team of player 1 and player 2 under best play");
    assert_eq!((&best["values"], of("best.2")), (&serde_json::json!([1.0, 1.0]), None));
}

/// Two put nothing to three each on a ferry: six come together in one case of 16, five in two.
#[test]
fn players_on_one_side_win_together() {
    let folder = Folder::new("one-side");
    let ferry = include_str!("study/ferry.game");
    folder.write("ferry.game", ferry);
    folder.write("less.game", &changed(ferry, "if load = 6", "if load = 5"));
    let (_, out, _) = folder.type_in("compare ferry.game less.game --json");
    let found: Json = serde_json::from_str(&out).unwrap();
    let figures = found["figures"].as_array().unwrap();
    let of = |key: &str| figures.iter().find(|figure| figure["key"] == key);
    let share = of("seat.1.share").unwrap_or_else(|| panic!("{found}"));
    assert_eq!(share["title"], "all players win");
    for (value, mean) in [(0, 1.0 / 16.0), (1, 2.0 / 16.0)] {
        assert!((share["values"][value].as_f64().unwrap() - mean).abs() < 0.03, "{share}");
    }
    assert!(of("seat.2.share").is_none() && of("draws.shared").is_none(), "{found}");
    let best = of("best.1").unwrap_or_else(|| panic!("{found}"));
    assert_eq!(
        (&best["title"], &best["values"]),
        (&"all players under best play".into(), &serde_json::json!([1.0, 1.0]))
    );
}

/// Cards are bid in secret for prizes that grow.
const AUCTION: &str = r#"// Bid a card each.

game "Auction" {
  players 2 or more
}

option n: 2..9 = 4

each player {
  hand: set of 1..n = {c in 1..n}
  bid: 0..n = 0
  won: int = 0
}

show "{[p in players: p.won]}"

move lay(card in me.hand) {
  me.bid := card
  me.hand -= card
}

play {
  each prize in 1..n as round {
    together players { lay }
    let most = largest(p in players: p.bid)
    if count(p in players: p.bid = most) = 1 {
      each p in players where p.bid = most { p.won += prize }
    }
  }
}

score = me.won
winner highest score
"#;

fn rules(name: &str, text: &str) -> Arc<Rules> {
    let source = Source::new(format!("{name}.game"), text);
    Arc::new(Rules::load(source).unwrap_or_else(|found| panic!("{name}: {found:?}")))
}

fn bundled(name: &str) -> Arc<Rules> {
    Arc::new(Rules::load(bundled_source(name).unwrap()).unwrap())
}

fn machine(rules: &Rules, set: &[(&str, &str)]) -> Machine {
    let options = rules.read_options(set.iter().copied()).unwrap();
    rules.machine(&options, rules.default_players()).unwrap()
}

/// Rules, and the options to set.
type Game<'a> = (&'a Arc<Rules>, &'a [(&'a str, &'a str)]);

/// Compares games named `first` and `second`, with at most the given numbers of positions and matches.
fn compared<T>(
    games: [Game; 2],
    (positions, matches): (u64, u64),
    tell: impl FnOnce(&Comparison, &[Side<Machine>; 2]) -> T,
) -> T {
    let machines = games.map(|(rules, set)| machine(rules, set));
    let side = |at: usize, name: &str| Side { name: name.into(), rules: games[at].0, engine: &machines[at] };
    let sides = [side(0, "first"), side(1, "second")];
    let limits = Limits { positions, matches, seed: 1, max_steps: 1000, watch: &|_, _| true };
    let found = compare(&sides, &limits, &alone);
    // The order in which tasks are done must not matter.
    let backwards = |tasks: usize, task: &(dyn Fn(usize) + Sync)| (0..tasks).rev().for_each(task);
    let again = compare(&sides, &limits, &backwards);
    assert_eq!(found.json(&sides), again.json(&sides));
    tell(&found, &sides)
}

/// Returns where two games part: after how many choices, and the message. Also checks that the records of
/// both games replay, except where one faults.
fn parts(games: [Game; 2], limits: (u64, u64)) -> (usize, String) {
    compared(games, limits, |found, sides| {
        let parting = found.parting.as_ref().expect("they part");
        for (record, side) in parting.records(sides).iter().zip(sides) {
            let record = Record::read(&record.json().to_string()).unwrap();
            let replayed = replay(Arc::clone(side.rules), &record).unwrap();
            let breaks = matches!(&parting.difference, Difference::Broken { game, .. } if side.name == sides[*game].name);
            assert_eq!(replayed.broken.is_some(), breaks, "{:?}", replayed.broken);
        }
        (parting.choices(), parting.words(sides))
    })
}

/// The same for two rule texts that must part.
fn texts_part(first: &str, second: &str) -> (usize, String) {
    parts([(&rules("one", first), &[]), (&rules("other", second), &[])], (20_000, 20))
}

fn changed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replace(from, to)
}

#[test]
fn all_positions_of_a_small_game_are_gone_through() {
    let game = bundled("tic-tac-toe");
    compared([(&game, &[]), (&game, &[])], (10_000, 0), |found, _| {
        // The number of reachable positions is known, and a match has at most nine choices.
        assert!(found.parting.is_none() && found.trees.complete);
        assert_eq!((found.trees.positions, found.trees.depth), (5478, 9));
    });
}

#[test]
fn rules_that_are_written_otherwise_are_the_same_game() {
    let pig = bundled_source("pig").unwrap();
    let goofspiel = bundled_source("goofspiel").unwrap();
    let auction = Source::new("auction.game", AUCTION);
    let mut tried = 0;
    for source in [pig, goofspiel, auction] {
        let rules = rewrites::Original::of(&source);
        let original = Arc::new(Rules::load(source.clone()).unwrap());
        // Every fifth kind is enough here: `metamorphic.rs` plays them all.
        for kind in rewrites::kinds().iter().step_by(5) {
            let Some(text) = kind.rewrite(&rules) else { continue };
            let Ok(other) = Rules::load(text) else { continue };
            tried += 1;
            compared([(&original, &[]), (&Arc::new(other), &[])], (30, 1), |found, sides| {
                let parts = found.parting.as_ref().map(|parting| parting.words(sides));
                assert_eq!(parts, None, "{} by {}", source.name, kind.name);
            });
        }
    }
    assert!(tried > 15, "{tried}");
}

#[test]
fn other_names_are_told_where_all_else_is_the_same() {
    let race = rules("race", RACE);
    let other = changed(&changed(&changed(RACE, "throw", "roll"), "slow", "walking"), "die in", "cast in");
    let other = rules("other", &changed(&other, "me.total += die", "me.total += cast"));
    compared([(&race, &[]), (&other, &[])], (5000, 0), |found, _| {
        assert!(found.parting.is_none() && found.trees.complete);
        let renamed: Vec<_> = found.renamed.iter().map(|one| (one.kind, one.names.clone())).collect();
        let pair = |a: &str, b: &str| [a.to_string(), b.to_string()];
        assert_eq!(renamed, [("move", pair("throw", "roll")), ("symbol", pair("slow", "walking"))]);
    });
    // Arguments in another order must be matched by name, renamed ones by position.
    let game = "game \"Two\" { players 2 }\ntable { sum: int = 0 }\nmove add(a in 1..3, b in 1..2) {\n  need a != b else \"equal\"\n  sum += a * 10 + b\n}\n\
        play { turns as t until t > 2 { add } }\nscore = sum\nwinner highest score\n";
    let (one, turned) =
        (rules("one", game), rules("turned", &changed(game, "a in 1..3, b in 1..2", "b in 1..2, a in 1..3")));
    let named = changed(
        &changed(&changed(game, "(a in 1..3, b in", "(tens in 1..3, b in"), "a * 10", "tens * 10"),
        "need a",
        "need tens",
    );
    for (other, name) in [(turned, "add b a"), (rules("named", &named), "add tens b")] {
        compared([(&one, &[]), (&other, &[])], (500, 0), |found, sides| {
            let parts = found.parting.as_ref().map(|parting| parting.words(sides));
            assert!(parts.is_none() && found.trees.complete, "{name}: {parts:?}");
            assert_eq!(found.renamed[0].names, ["add a b", name]);
        });
    }
    let alone = changed(&changed(&changed(game, ", b in 1..2", ""), "a != b", "a > 0"), "a * 10 + b", "a");
    let (_, words) = texts_part(game, &alone);
    assert_eq!(words, "first allows player 1 `add 1 2`; second has it with other arguments");
    // The same squares numbered differently are not the same moves.
    let (choices, words) =
        parts([(&bundled("tic-tac-toe"), &[]), (&bundled("number-scrabble"), &[])], (1000, 0));
    assert_eq!((choices, words.as_str()), (0, "first allows x `mark a1`; second has no such move"));
}

#[test]
fn a_need_that_is_not_the_same_is_found_at_once_and_told_in_the_words_of_who_refuses() {
    let second = changed(RACE, "me.total < 3", "me.total < 2");
    let (choices, words) = texts_part(RACE, &second);
    // Some player needs two points at a choice: player 1 can, after one choice and a 2.
    assert_eq!(choices, 2);
    assert_eq!(
        words,
        "first allows player 1 `throw fast`; second refuses it: 2 is too far to run (other.game line 16)"
    );
    let (choices, words) = texts_part(&second, RACE);
    assert_eq!(choices, 2);
    assert!(words.starts_with("second allows player 1 `throw fast`; first refuses it"), "{words}");
}

#[test]
fn chance_ends_and_turns_are_compared() {
    // The same odds in other words, then other odds, then another outcome.
    let same = rules("same", &changed(RACE, "[1, 2, 3]", "[3, 2, 1, 1, 2, 3]"));
    compared([(&rules("race", RACE), &[]), (&same, &[])], (5000, 0), |found, _| {
        assert!(found.parting.is_none() && found.trees.complete);
    });
    let (choices, words) = texts_part(RACE, &changed(RACE, "[1, 2, 3]", "[1, 1, 2, 3]"));
    assert_eq!(
        (choices, words.as_str()),
        (1, "the outcomes of this chance event have different odds in first and second")
    );
    let (choices, words) = texts_part(RACE, &changed(RACE, "[1, 2, 3]", "1..4"));
    assert_eq!((choices, words.as_str()), (1, "chance can produce `die 4` in second but not in first"));
    // The shortest match has four choices.
    let (choices, words) = texts_part(RACE, &changed(RACE, "winner highest", "winner lowest"));
    assert_eq!(choices, 4);
    assert!(words.starts_with("the match is over: in first, player "), "{words}");
    let (choices, words) = texts_part(RACE, &changed(RACE, "t > 4", "t > 3"));
    assert_eq!(
        (choices, words.as_str()),
        (3, "in first, player 2 chooses next; in second, the match is over")
    );
    let (choices, words) = texts_part(RACE, &changed(RACE, "turns as t", "turns from seat(2) as t"));
    assert_eq!(
        (choices, words.as_str()),
        (0, "in first, player 1 chooses next; in second, player 2 chooses next")
    );
    let (choices, words) =
        texts_part(AUCTION, &changed(AUCTION, "score = me.won", "score = me.won + me.bid"));
    assert_eq!(choices, 4);
    assert!(words.starts_with("the match is over: in first, the scores are "), "{words}");
    // One of a thousand outcomes.
    let draw = |first: usize| {
        format!(
            "game \"Draw\" {{ players 2 }}\ntable {{ won: int = 0 }}\nmove go {{\n  chance d in 1..1000\n  won := if d = {first} then \
             1 else 0\n}}\nplay {{\n  ask seat(1) to go\n  if won = 1 {{ win seat(1) }} else {{ win seat(2) }}\n}}\n"
        )
    };
    let (choices, words) = texts_part(&draw(777), &draw(778));
    assert_eq!(choices, 1);
    assert!(words.starts_with("the match is over: in first, player 1 wins; in second, player 2"), "{words}");
    // One of the games faults.
    let broken = changed(RACE, "total: int = 0", "total: 0..6 = 0");
    let (choices, words) = texts_part(RACE, &broken);
    assert_eq!(choices, 3);
    assert!(words.starts_with("the rules of second break here: "), "{words}");
}

#[test]
fn what_is_beyond_the_positions_is_found_in_matches() {
    let second =
        rules("other", &changed(AUCTION, "p.won += prize", "p.won += (if prize = 6 then 7 else prize)"));
    let set: &[(&str, &str)] = &[("n", "6")];
    let (choices, words) = parts([(&rules("one", AUCTION), set), (&second, set)], (100, 30));
    assert_eq!(choices, 6);
    assert!(words.starts_with("the match is over: "), "{words}");
    // Moves that are too many to list must be tried by sampling: orders of twelve, and unbounded integers.
    let order = "game \"Order\" { players 2 }\neach player { points: int = 0 }\n\
        move arrange(order in permutations(1..12)) {\n  need order[1] != 1 else \"no\"\n  me.points += count(i in 1..12: order[i] = i)\n}\n\
        play { turns as t until t > 2 { arrange } }\nscore = me.points\nwinner highest score\n";
    let (choices, _) = texts_part(order, &changed(order, "order[1] != 1", "order[12] != 12"));
    assert_eq!(choices, 0);
    let any = "game \"Any\" { players 2 }\neach player { n: int = 0 }\nmove name_it(value in int try -9..9) {\n  need value != 4 \
        else \"not four\"\n  me.n := value\n}\nplay { turns as t until t > 2 { name_it } }\nwinner lowest me.n\n";
    let (choices, words) = texts_part(any, &changed(any, "value != 4", "value < 9"));
    assert_eq!(choices, 0);
    assert!(words.starts_with("first allows player 1 `name_it 9`; second refuses it: not four"), "{words}");
    let same = rules("same", &changed(any, "value != 4", "not value = 4"));
    compared([(&rules("any", any), &[]), (&same, &[])], (50, 10), |found, _| {
        assert!(found.parting.is_none() && found.trees.sampled && !found.trees.complete);
    });
}

/// Tricks of two cards, with a bonus that is rare.
const TRICKS: &str = r#"// Follow suit; the higher card of the suit led takes the trick.

game "Tricks" {
  players 2
}

kind suit: clubs, hearts, spades

table {
  deck: list of (suit, 1..5) = [s in every suit, r in 1..5: (s, r)] hidden
  led: optional (suit, 1..5) = none
  leader: player = seat(1)
}

each player {
  hand: set of (suit, 1..5) = {} secret
}

show "{led}"

move lead(card in me.hand) {
  me.hand -= card
  led := card
}

move follow(card in me.hand) {
  need led is not none else "nothing was led"
  need card.1 = led.1 or not some(c in me.hand: c.1 = led.1) else "follow suit"
  me.hand -= card
  let taker = if card.1 = led.1 and card.2 > led.2 then me else me.next
  award 1 to taker for "the trick"
  if card.2 = 1 and led.2 = 1 { award 3 to taker for "two ones" }
  leader := taker
  led := none
}

play {
  shuffle deck
  each p in players { deal 6 from deck to p.hand }
  repeat 6 {
    ask leader to lead
    ask leader.next to follow
  }
}

winner highest score
"#;

/// There are more orders of a deck than can be compared.
#[test]
fn card_games_are_told_apart_by_matches() {
    let tricks = rules("tricks", TRICKS);
    let other = |from: &str, to: &str| rules("other", &changed(TRICKS, from, to));
    let same = changed(
        TRICKS,
        "card.1 = led.1 or not some(c in me.hand: c.1 = led.1)",
        "all(c in me.hand: c.1 != led.1) or led.1 = card.1",
    );
    let same = changed(
        &same,
        "let taker = if card.1 = led.1 and card.2 > led.2 then me else me.next",
        "let taker = if led.1 != card.1 or led.2 > card.2 then me.next else me",
    );
    compared([(&tricks, &[]), (&rules("same", &same), &[])], (300, 50), |found, sides| {
        let parts = found.parting.as_ref().map(|parting| parting.words(sides));
        assert_eq!(parts, None);
        // Of the orders only some were tried, so that the comparison gets further than to the first choices.
        assert!(found.trees.sampled && found.trees.depth > 1 && found.matches == 50, "{:?}", found.trees);
    });
    let (choices, words) = parts(
        [
            (&tricks, &[]),
            (&other("card.1 = led.1 or not some(c in me.hand: c.1 = led.1)", "led is not none"), &[]),
        ],
        (300, 50),
    );
    assert!(
        choices % 2 == 1 && words.ends_with("; first refuses it: follow suit (tricks.game line 28)"),
        "{words}"
    );
    let (choices, words) = parts([(&tricks, &[]), (&other("repeat 6", "repeat 5"), &[])], (300, 50));
    assert_eq!(choices, 10);
    assert!(words.ends_with("chooses next; in second, the match is over"), "{words}");
    // A deck with another card, and one with a card twice.
    let (choices, words) = parts(
        [
            (&tricks, &[]),
            (
                &other(
                    "[s in every suit, r in 1..5: (s, r)] hidden",
                    "[s in every suit, r in 1..5: (s, max(r, 2))] hidden",
                ),
                &[],
            ),
        ],
        (300, 50),
    );
    assert!(choices == 0 && words.starts_with("chance can produce `deck "), "{words}");
    // Two ones meet in 9 of 100 random matches, and those of hearts and spades, in this order, in 1.5 (in 100,000 matches of
    // another program). The scores differ from there on.
    let rare = "  if card = (spades, 1) and led = (hearts, 1) { award 1 to taker for \"both\" }\n  leader := taker\n";
    for (found, from, to) in [(50, "award 3", "award 2"), (1000, "  leader := taker\n", rare)] {
        let second = other(from, to);
        compared([(&tricks, &[]), (&second, &[])], (300, found), |found, sides| {
            let parting = found.parting.as_ref().expect("they part");
            let words = parting.words(sides);
            // Nothing more is said where they differ at the end.
            let after = words.split_once("; the scores differ after ").map(|(_, after)| after);
            let differ: usize = after.map_or(12, |after| after.split(' ').next().unwrap().parse().unwrap());
            let record = parting.records(sides)[0].json();
            let cards: Vec<&Json> =
                record["moves"].as_array().unwrap()[1..].iter().map(|entry| &entry["args"]["card"]).collect();
            let met = |cards: &[&Json]| {
                let suits = cards[0][0] == "hearts" && cards[1][0] == "spades";
                cards.iter().all(|card| card[1] == 1) && (suits || to != rare)
            };
            let first = cards.chunks(2).position(met).unwrap();
            assert_eq!((parting.choices(), differ), (12, 2 * (first + 1)), "{words}");
        });
    }
}

// ---- the command

/// Creates a folder with these files.
fn with_files(name: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(name);
    files.iter().for_each(|(name, text)| folder.write(name, text));
    folder
}

/// Runs `parlour compare` with space-separated words: exit status, standard output, standard error.
fn run(folder: &Folder, words: &str, columns: &str) -> (i32, String, String) {
    let mut command = folder.command(&["compare"]);
    ended(command.args(words.split_whitespace()).env("COLUMNS", columns).output().unwrap())
}

#[test]
fn figures_that_were_made_to_differ_do_and_the_others_do_not() {
    // Player 1 begins four points ahead, which is the only difference: lengths and chance are the same.
    let ahead = changed(RACE, "play {\n", "play {\n  seat(1).total := 4\n");
    let folder = with_files("figures", &[("race.game", RACE), ("ahead.game", &ahead)]);
    let (status, out, err) =
        run(&folder, "race.game ahead.game --games 300 --record parted.json --json", "80");
    assert_eq!(status, 0, "{err}");
    let object: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(object["equal"], false);
    let figure = |key: &str| {
        let all = object["figures"].as_array().unwrap();
        all.iter().find(|figure| figure["key"] == key).unwrap_or_else(|| panic!("{key}: {out}")).clone()
    };
    for (key, differs) in [("seat.1.share", true), ("seat.2.share", true), ("length.choices", false)] {
        assert_eq!(figure(key)["differs"], differs, "{out}");
    }
    // Winning chances of random players by an independent enumeration: see `shares`.
    let (level, led) = (shares(0), shares(4));
    for (at, known) in [level, led].iter().enumerate() {
        let interval = &figure("seat.1.share")["intervals"][at];
        let (low, high) = (interval[0].as_f64().unwrap(), interval[1].as_f64().unwrap());
        assert!(low <= *known && *known <= high, "{known}: {interval}");
    }
    let interval = &figure("seat.1.share")["interval"];
    assert!((interval[0].as_f64().unwrap()..=interval[1].as_f64().unwrap()).contains(&(led - level)));
    let record = folder.read("parted.json");
    assert_eq!(Record::read(&record).unwrap().game, "race");
    // Running it again must print the same bytes.
    assert_eq!(run(&folder, "race.game ahead.game --games 300 --json", "80").1, out);
}

/// Returns player 1's share of the win in a race between random players, with a lead for player 1, by
/// enumerating all lines of play with their probabilities. The legal moves are `throw slow`, `throw fast`
/// below three points, and `stay`.
fn shares(lead: i64) -> f64 {
    let mut ways: BTreeMap<[i64; 2], f64> = BTreeMap::from([([lead, 0], 1.0)]);
    for turn in 0..4 {
        let mut next = BTreeMap::new();
        for (totals, chance) in ways {
            let own = totals[turn % 2];
            let extras: &[i64] = if own < 3 { &[0, 1, 0] } else { &[0, 0] };
            for extra in extras {
                for die in 1..=3 {
                    let mut after = totals;
                    after[turn % 2] += extra + die;
                    *next.entry(after).or_insert(0.0) += chance / extras.len() as f64 / 3.0;
                }
            }
        }
        ways = next;
    }
    let won = |[one, other]: [i64; 2]| match one.cmp(&other) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    ways.into_iter().map(|(totals, chance)| won(totals) * chance).sum()
}

#[test]
fn scores_that_differ_from_the_start_are_told_of() {
    let scored = changed(RACE, "winner highest me.total", "score = me.total\nwinner highest score");
    let ahead = changed(&scored, "score = me.total", "score = me.total + (if me = seat(1) then 2 else 0)");
    let double = changed(&scored, "score = me.total", "score = 2 * me.total");
    let files = [("race.game", scored.as_str()), ("ahead.game", &ahead), ("double.game", &double)];
    let folder = with_files("scores", &files);
    let flat = |words: &str| run(&folder, words, "200").1.split_whitespace().collect::<Vec<_>>().join(" ");
    let out = flat("race.game ahead.game --games 20");
    assert!(out.contains("; the scores differ from the start: 0, 0 in race and 2, 0 in ahead"), "{out}");
    let out = flat("race.game double.game --games 20");
    assert!(out.contains("the scores are") && !out.contains("from the start"), "{out}");
}

/// Twenty matches are too few to be sure of a lead of eight points in a long race, though they suggest it.
#[test]
fn intervals_that_may_exclude_zero_by_chance_are_told_of() {
    let long = changed(RACE, "t > 4", "t > 60");
    let ahead = changed(&long, "total: int = 0", "total: int = if me = seat(1) then 8 else 0");
    let folder = with_files("doubtful", &[("race.game", &long), ("ahead.game", &ahead)]);
    let (_, out, _) = run(&folder, "race.game ahead.game --games 20 --seed 2", "200");
    let out = out.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = "no figure differs beyond chance, in 20 random matches of each; 2 intervals exclude 0, which among 3 figures \
                may be chance (more matches would tell):";
    assert!(out.contains(told), "{out}");
    let (_, out, _) = run(&folder, "race.game ahead.game --games 20 --seed 4", "200");
    assert!(out.contains("no figure differs beyond chance, in 20 random matches of each:"), "{out}");
    let (_, out, _) = run(&folder, "race.game ahead.game --games 40 --seed 2", "200");
    assert!(out.contains("these figures differ beyond chance, in 40 random matches of each:"), "{out}");
    assert!(out.contains("\ndifferences that chance may explain among so many figures:\n"), "{out}");
}

#[test]
fn studies_are_compared_where_they_are_of_these_games() {
    let folder =
        with_files("studies", &[("race.game", RACE), ("long.game", &changed(RACE, "t > 4", "t > 6"))]);
    for game in ["race", "long"] {
        let (_, out, _) = folder.type_in(&format!("study {game}.game --playouts 1 --games 12 --json"));
        folder.write(&format!("{game}.json"), &out);
    }
    let (status, out, err) = run(
        &folder,
        "race.game long.game --studies race.json long.json --positions 100 --games 0 --json",
        "80",
    );
    assert_eq!(status, 0, "{err}");
    let object: Json = serde_json::from_str(&out).unwrap();
    // Two more choices in every match, whoever plays.
    let all = object["figures"].as_array().unwrap();
    let length = all.iter().find(|figure| figure["key"] == "length.choices").unwrap();
    assert_eq!((&length["differs"], &length["difference"]), (&true.into(), &2.0.into()), "{out}");
    assert!(length["chance"].as_f64().unwrap() < 1e-4, "{out}");
    let keys: Vec<&str> =
        object["figures"].as_array().unwrap().iter().map(|figure| figure["key"].as_str().unwrap()).collect();
    assert!(keys.contains(&"length.choices") && keys.contains(&"skill.random"), "{keys:?}");
    let (status, _, err) = run(&folder, "race.game long.game --studies long.json long.json --games 0", "80");
    assert_eq!(status, 1);
    assert!(
        err.contains("long.json: this is a study of long with 2 players, not of race (2 players)"),
        "{err}"
    );
    // Also where the games are equal, so that there is no figure to compare.
    let (status, out, err) =
        run(&folder, "race.game race.game --studies race.json long.json --games 0", "80");
    assert!(
        status == 1 && err.contains("long.json: this is a study of long with 2 players, not of"),
        "{out} {err}"
    );
    // Without games, those of the files are told; the figures are the same.
    let (status, out, err) = run(&folder, "--studies race.json long.json --json", "80");
    assert_eq!(status, 0, "{err}");
    let alone: Json = serde_json::from_str(&out).unwrap();
    assert_eq!((&alone["figures"], &alone["games"][1]["game"]), (&object["figures"], &"long".into()));
    let (_, out, _) = run(&folder, "--studies race.json long.json", "80");
    assert!(out.starts_with("race (2 players) and long (2 players)\n\nthese figures differ"), "{out}");
    let (status, _, err) = run(&folder, "--studies race.json long.json --set n=3", "80");
    assert!(status == 2 && err.contains("name their games"), "{err}");
    // Studies of equal games are compared, too.
    let (_, out, _) = run(&folder, "race.game race.game --studies race.json race.json --games 0", "80");
    assert!(
        out.contains("they are the same game") && out.contains("no figure differs beyond chance"),
        "{out}"
    );
    let (status, _, err) = run(&folder, "race.game long.game --studies race.game long.json --games 0", "80");
    assert!(
        status == 1 && err.contains("race.game: this was not written by `parlour study --json`"),
        "{err}"
    );
}

/// Some things need not be played: there are more positions than could be compared.
#[test]
fn an_option_that_nothing_reads_makes_no_difference() {
    let ink = changed(AUCTION, "option n", "option ink: {black, blue} = black\noption n");
    let folder = with_files("unread", &[("auction.game", &ink)]);
    let (status, out, _) = run(&folder, "auction.game --against ink=blue --positions 1 --games 4", "200");
    assert_eq!(status, 0);
    let same = "they are the same game: they differ only in `ink`, which the rules never read\n";
    assert!(out.ends_with(same), "{out}");
    let (_, out, _) = run(&folder, "auction.game --against ink=blue --positions 1 --games 4 --json", "80");
    let object: Json = serde_json::from_str(&out).unwrap();
    assert_eq!((&object["equal"], &object["unread"]), (&true.into(), &serde_json::json!(["ink"])));
    let words = "auction.game --against ink=blue --against n=3 --positions 1 --games 4";
    assert!(!run(&folder, words, "80").1.contains("never read"));
}

/// Of numbers without bounds, only some are tried.
#[test]
fn what_was_only_sampled_is_not_called_equal() {
    let any = "game \"Any\" { players 2 }\neach player { n: int = 0 }\nmove name_it(value in int try -9..9) {\n  \
        me.n := value\n}\nplay { turns as t until t > 2 { name_it } }\nwinner lowest me.n\n";
    let folder = with_files(
        "any",
        &[("any.game", any), ("same.game", &changed(any, "me.n := value", "me.n := value + 0"))],
    );
    let (_, out, err) = run(&folder, "any.game same.game --positions 50 --games 4", "200");
    let flat = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("no difference was found: equal in the choices and outcomes tried, "),
        "{out}{err}"
    );
}

#[test]
fn settings_are_compared_in_words_that_fit() {
    let folder = with_files("settings", &[("auction.game", AUCTION)]);
    for columns in [60, 80] {
        let words = "auction.game --set n=3 --against n=4 --against players=3 --games 40";
        let (status, out, err) = run(&folder, words, &columns.to_string());
        assert_eq!(status, 0, "{err}");
        assert!(
            out.starts_with(
                "auction (n=3, 2 players) and auction (n=4, 3 players)\n\nthey differ before the"
            ),
            "{out}"
        );
        assert!(out.lines().all(|line| line.chars().count() <= columns), "{out}");
        assert!(out.contains("choices in a match"), "{out}");
    }
    let (_, _, err) = run(&folder, "auction.game auction.game --against n=3 --games 2", "80");
    assert_eq!(err, "note: n is 4 in the first and 3 in the second; `--set n=4` sets both\n");
    let (status, out, _) = run(&folder, "auction.game auction.game --games 40", "80");
    assert_eq!(status, 0);
    assert!(
        out.ends_with("they are the same game: equal in all 839 positions, to the end of every match\n"),
        "{out}"
    );
}

#[test]
fn wrong_command_lines_say_the_way_out() {
    let folder = with_files("wrong", &[("auction.game", AUCTION)]);
    for (words, status, said) in [
        ("auction.game", 2, "say what should differ: `--against n=6`"),
        ("auction.game --against n", 2, "`--against n` has no value"),
        ("auction.game --against m=3", 2, "this game has no option `m`"),
        ("auction.game --against players=two", 2, "`two` is not a number of players"),
        ("auction.game --against n=77", 1, "77"),
        ("auction.game gone.game", 1, "gone.game"),
        ("auction.game --against n=3 --games 2 --record no/where.json", 1, "there is no such folder"),
    ] {
        let (code, out, err) = run(&folder, words, "80");
        assert!(err.contains(said), "{words}: {err}");
        assert_eq!((code, out.as_str()), (status, ""), "{words}: {err}");
    }
}

#[test]
fn best_play_of_both_is_compared_where_a_short_search_finds_it() {
    // C. Bouton, 1902: equal piles are lost for the player who begins, others are not.
    let folder = Folder::new("best-of-both");
    let words = "compare nim --set misere=no --set piles=2,2 --against piles=2,3 --games 40";
    let json: Json = serde_json::from_str(&folder.type_in(&format!("{words} --json")).1).unwrap();
    let figures = json["figures"].as_array().unwrap();
    let best = figures.iter().find(|figure| figure["key"] == "best.1").unwrap();
    assert_eq!((&best["values"], &best["differs"]), (&json!([0.0, 1.0]), &json!(true)));
    assert!(json["basis"].as_str().unwrap().ends_with("and complete searches for best play"));
    // What is certain has no interval.
    let words = folder.type_in(words).1;
    let line = words.lines().find(|line| line.contains("player 1 under best play")).unwrap();
    assert!(line.ends_with("  +100.0"), "{line}");
    // Where one of them is too large, nothing is said of either.
    let (_, words, _) = folder.type_in("compare procession --set n=5 --against n=12 --games 40");
    assert!(words.contains("choices in a match") && !words.contains("best play"), "{words}");
}

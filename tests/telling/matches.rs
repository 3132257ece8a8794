//! Reports of whole matches, which must depend only on what their viewer sees and hears.

use std::collections::HashMap;

use parlour::play::{
    Event, Glimpse, Match, Rng, Telling, Told, Viewer, entry_told, is_known, tell, whereabouts,
};
use serde_json::json;

use super::{begun, names, rules, step, written};

/// Returns a report as lines, with the table after what happened.
fn lines(told: &Telling, played: &Match) -> Vec<String> {
    let mut out = told.lines(true, &|cells| played.with_cells(cells).show().unwrap());
    if told.table {
        out.push(played.show().unwrap());
    }
    if let Some(points) = &told.points {
        out.push(format!(
            "points: {}",
            points.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        ));
    }
    out.extend(told.end.clone());
    out
}

/// Returns what is told of a step but the choices and the changes.
fn happened(told: &Telling) -> Vec<&str> {
    let without = |told: &&Told| !matches!(told, Told::Choice(..) | Told::Change(_));
    told.course.iter().filter(without).filter_map(Told::words).collect()
}

/// Returns the choices that are told of a step.
fn choices(told: &Telling) -> Vec<&str> {
    told.course.iter().filter(|told| matches!(told, Told::Choice(..))).filter_map(Told::words).collect()
}

/// Returns the changes that are told of a step.
fn changes(told: &Telling) -> Vec<&str> {
    told.course.iter().filter(|told| matches!(told, Told::Change(_))).filter_map(Told::words).collect()
}

/// Plays a random match, and returns all reports to one viewer.
fn whole(game: &str, set: &[(&str, &str)], players: usize, seed: u64, viewer: Viewer) -> String {
    let mut played = begun(&rules(game), set, players, seed);
    let mut rng = Rng::nth(seed, 0);
    let mut before = Glimpse::of(&played, viewer);
    let mut out = lines(&tell(&before.clone().blank(), &played), &played);
    while !played.over() && played.depth() < 60 {
        step(&mut played, &mut rng);
        out.extend(lines(&tell(&before, &played), &played));
        before = Glimpse::of(&played, viewer);
    }
    out.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn whole_matches() {
    let (all, one, two) = (Viewer::Spectator, Viewer::Player(1), Viewer::Player(2));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../telling");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (game, set, players, seed, viewers) in [
        ("numerical-card-game", &[("m", "3")][..], 3, 5, &[all, one][..]),
        ("transform", &[("n", "2"), ("criterion", "permutator")], 2, 3, &[all, one]),
        ("binary-scramble", &[("turns_each", "2"), ("target", "2")], 2, 4, &[all]),
        ("pig", &[("goal", "20")], 2, 1, &[all]),
        ("connect-four", &[], 2, 2, &[all]),
        ("tests/authors/plank.game", &[], 3, 1, &[all, two]),
        ("tests/authors/mole.game", &[], 2, 3, &[one, two]),
        ("tests/authors/ruin.game", &[], 3, 3, &[all]),
        ("tests/language/invented/inn.game", &[("seasons", "1")], 2, 3, &[all, two]),
        ("tests/language/invented/heirs.game", &[], 2, 1, &[all]),
    ] {
        let told = viewers
            .iter()
            .map(|viewer| format!("== {viewer:?} ==\n{}", whole(game, set, players, seed, *viewer)));
        let name = game.rsplit('/').next().unwrap().trim_end_matches(".game");
        settings.bind(|| insta::assert_snapshot!(name, told.collect::<String>()));
    }
}

/// Returns everything that a viewer is given about a match so far: the view, choices and chance events as
/// reported, messages heard.
fn given(played: &Match, viewer: Viewer) -> String {
    let made: Vec<String> = played
        .entries()
        .enumerate()
        .map(|(at, entry)| match Viewer::Player(entry.player) == viewer || is_known(played, at) {
            true => played.entry_words(entry),
            false => entry_told(played, entry).words,
        })
        .collect();
    let heard = |event: &Event| match event {
        Event::Said(Some(seat), _) => Viewer::Player(seat + 1) == viewer,
        _ => true,
    };
    let heard: Vec<&Event> = played.events().map(|(_, event)| event).filter(|event| heard(event)).collect();
    format!("{}\n{made:?}\n{heard:?}\n{:?}", played.view(viewer).unwrap(), played.to_move())
}

/// Two matches that look the same to a viewer must be reported alike, whatever hidden state differs.
#[test]
fn a_telling_says_no_more_than_its_viewer_sees() {
    let closed = written(
        "game \"Closed\" {\n  players 2\n}\n\
         table {\n  pile: bag of 1..3 = bag(c in 1..3, _k in 1..4: c) hidden\n  top: 0..3 = 0\n}\n\
         each player {\n  hand: bag of 1..3 = bag() secret\n  kept: 0..3 = 0 secret\n}\n\
         show top\n\
         secret move keep(card in me.hand) {\n  me.kept := card\n}\n\
         move lay(card in me.hand) {\n  me.hand -= card\n  top := card\n}\n\
         play {\n  each p in players { deal 2 from pile to p.hand }\n\
         repeat 2 as lap {\n    each p in players {\n      ask p to keep or lay\n      draw card from pile\n\
         say \"you get a {card}\" to p\n      p.hand += card\n    }\n  }\n\
         end when count(q in players: q.hand is empty) = 2\n}\nwinner highest me.number\n",
    );
    let cards = rules("numerical-card-game");
    let luck = rules("tests/language/cards.game");
    let mut alike = 0;
    for (rules, set) in [(&closed, &[][..]), (&cards, &[("m", "2")][..]), (&luck, &[][..])] {
        for viewer in [Viewer::Spectator, Viewer::Player(1), Viewer::Player(2)] {
            let mut known: HashMap<String, (String, Vec<String>)> = HashMap::new();
            for seed in 0..24 {
                let players = rules.default_players().max(2);
                let mut played = begun(rules, set, players, seed);
                let mut rng = Rng::nth(seed, 0);
                let mut so_far = given(&played, viewer);
                while !played.over() && played.depth() < 4 {
                    let before = Glimpse::of(&played, viewer);
                    step(&mut played, &mut rng);
                    so_far.push_str(&given(&played, viewer));
                    let told = lines(&tell(&before, &played), &played);
                    let behind = played.view(Viewer::Everything).unwrap().to_string();
                    match known.get(&so_far) {
                        None => {
                            known.insert(so_far.clone(), (behind, told));
                        }
                        Some((other, same)) => {
                            assert_eq!(&told, same, "{viewer:?} of {} is told of what is hidden", rules.name);
                            alike += usize::from(behind != *other);
                        }
                    }
                }
            }
        }
    }
    assert!(alike > 30, "only {alike} pairs differ behind the view");
}

// ---- messages of the rules

const SAYING: &str = "game \"Saying\" {\n  players 2\n}\n\
    table {\n  left: 0..4 = 4\n}\n\
    each player {\n  luck: 1..9 = 5 secret\n}\n\
    show left\n\
    // Take one.\n\
    move take {\n  left -= 1\n  say \"{me} leaves {left}\"\n  say \"your luck is {me.luck}\" to me\n}\n\
    play {\n  say \"there are {left}\"\n  turns until left = 2 {\n    take\n    if left = 3 { say \"a fault: {1 div (left - 3)}\" }\n    chance die in 1..6\n    say \"thrown\"\n  }\n}\n\
    winner last mover\n";

#[test]
fn the_rules_say_something_to_all_or_to_one() {
    let saying = written(SAYING);
    for (viewer, own) in
        [(Viewer::Spectator, ""), (Viewer::Player(1), "your luck is 5"), (Viewer::Player(2), "")]
    {
        let mut played = begun(&saying, &[], 2, 1);
        assert_eq!(happened(&tell(&Glimpse::of(&played, viewer).blank(), &played)), ["there are 4"]);
        let before = Glimpse::of(&played, viewer);
        played.play(1, "take", &Default::default()).unwrap();
        let told = tell(&before, &played);
        let die = played.entries().nth(1).map(|entry| entry_told(&played, entry).words).unwrap();
        let fault = "(this message cannot be shown: 1 is divided by 0)";
        let all = ["player 1 leaves 3", own, fault, die.as_str(), "thrown"];
        let heard: Vec<&str> = all.into_iter().filter(|words| !words.is_empty()).collect();
        assert_eq!(happened(&told), heard);
        assert!(told.table && changes(&told).is_empty(), "{told:?}");
    }
}

/// Messages must not change play: the same match without them has the same record.
#[test]
fn play_is_the_same_without_what_is_said() {
    let silent: String = SAYING
        .lines()
        .filter(|line| !line.trim().starts_with("say") && !line.contains("{ say"))
        .map(|line| format!("{line}\n"))
        .collect();
    let records = [SAYING, &silent].map(|text| {
        let mut played = begun(&written(text), &[], 2, 7);
        let mut rng = Rng::nth(7, 0);
        while !played.over() {
            step(&mut played, &mut rng);
        }
        played.record().unwrap().moves
    });
    assert_eq!(records[0], records[1]);
}

/// What happens is told in its order, whatever kind it is of: what a round ends with, that another begins, and what
/// that one begins with. What the choice changed comes before the other round.
#[test]
fn what_happens_is_told_in_its_order() {
    let rules = written(
        "game \"Order\" {\n  players 2\n}\n\
         table {\n  heap: int = 9\n  card: 0..6 = 0 each round\n}\n\
         show card\n\
         move take {\n  heap -= 1\n  say \"taken\"\n  award 1 to me\n  say \"paid\"\n}\n\
         play {\n  repeat 2 as round {\n    chance die in 4..4\n    card := die\n    say \"a {card} is up\"\n    \
         ask seat(1) to take\n    award 1 to seat(2)\n    say \"so much for the {card}\"\n  }\n  chance end_die in 1..1\n  \
         phase last { ask seat(1) to take }\n}\nwinner highest score\n",
    );
    let mut played = begun(&rules, &[], 2, 1);
    assert_eq!(
        happened(&tell(&Glimpse::of(&played, Viewer::Spectator).blank(), &played)),
        ["die is 4", "a 4 is up"]
    );
    let first = ["player 1: take", "taken", "player 1 scores 1 point", "paid", "player 2 scores 1 point"];
    let second = ["so much for the 4", "heap is now 8 (it was 9)", "round 2 begins", "die is 4", "a 4 is up"];
    let third = ["so much for the 4", "end die is 1", "heap is now 7 (it was 8)", "last begins"];
    for wanted in [[&first[..], &second].concat(), [&first[..], &third].concat()] {
        let before = Glimpse::of(&played, Viewer::Spectator);
        played.play(1, "take", &Default::default()).unwrap();
        assert_eq!(tell(&before, &played).lines(true, &|_| String::new()), wanted);
    }
}

// ---- history

#[test]
fn what_changes_in_a_new_pass_is_told_after_it_begins() {
    let rules = written(
        "game \"Nights\" { players 2 }\ntable { moon: 0..9 = 0\n wind: 0..9 = 0 }\n\
         each player { lit: 0..9 each night }\nshow \"sea\"\n\
         move light(many in 1..3) { me.lit := many }\n\
         play { repeat 3 as night { moon += 2\n together players { light }\n wind += 2 } }\nwinner last mover\n",
    );
    let mut played = begun(&rules, &[], 2, 0);
    let before = Glimpse::of(&played, Viewer::Spectator);
    step(&mut played, &mut Rng::new(0));
    let told = tell(&before, &played).lines(false, &|_| String::new());
    let at = |words: &str| {
        let found = told.iter().position(|line| line.contains(words));
        found.unwrap_or_else(|| panic!("{words}: {told:?}"))
    };
    assert!(at("wind is now 2") < at("night 2 begins"), "{told:?}");
    assert!(at("night 2 begins") < at("moon is now 4"), "{told:?}");
}

#[test]
fn a_secret_choice_is_known_once_it_is_shown_or_all_is_over() {
    let text = |noise: &str| {
        format!(
            "game \"Known\" {{\n  players 2\n}}\n\
             each player {{\n  card: 1..3 = 1 secret\n}}\n\
             secret move put(c in 1..3) {{\n  me.card := c\n{noise}}}\n\
             play {{\n  repeat 3 {{\n    together players {{ put }}\n  }}\n  reveal card\n  repeat 1 {{ together players {{ put }} }}\n}}\n\
             winner last in\n"
        )
    };
    for (noise, opens) in [("", true), ("  me.card := 4 - me.card\n  me.card := 4 - me.card\n", false)] {
        let mut played = begun(&written(&text(noise)), &[], 2, 1);
        let mut rng = Rng::nth(1, 0);
        let mut known = Vec::new();
        while !played.over() {
            step(&mut played, &mut rng);
            known.push((0..played.entries().count()).filter(|at| is_known(&played, *at)).collect::<Vec<_>>());
        }
        // Only the third card is still there when the cards are revealed.
        let shown = if opens { vec![4, 5] } else { Vec::new() };
        assert_eq!(known, [vec![], vec![], shown, (0..8).collect()], "{noise}");
    }
}

/// A choice that is revealed in the same step must be reported as the choice, and once; for a revealed list,
/// the last choice.
#[test]
fn a_secret_choice_is_told_in_the_step_that_reveals_it() {
    let text = |kept: &str, put: &str| {
        format!(
            "game \"Opened\" {{\n  players 2\n}}\n\
             each player {{\n  {kept} secret\n}}\n\
             secret move bid(c in 1..9) {{\n  {put}\n}}\n\
             play {{\n  together players {{ bid }}\n  together players {{ bid }}\n  reveal card\n  conceal card\n  \
             together players {{ bid }}\n  ask seat(1) to bid\n}}\nwinner last mover\n"
        )
    };
    for (kept, put, shown) in [
        ("card: 0..9 = 0", "me.card := c", &[][..]),
        ("card: list of 1..9 = []", "me.card += c", &["player 1's card is 1,1", "player 2's card is 2,2"]),
        // A set does not show which of its elements was bid last.
        ("card: set of 1..9 = {}", "me.card += c", &["player 1's card is {1}", "player 2's card is {2}"]),
    ] {
        let mut played = begun(&written(&text(kept, put)), &[], 2, 1);
        let bids = |played: &mut Match| {
            let before = Glimpse::of(played, Viewer::Spectator);
            for seat in played.to_move() {
                played.play(seat, "bid", json!({"c": seat}).as_object().unwrap()).unwrap();
            }
            tell(&before, played)
        };
        let closed = ["player 1: bid (secret)", "player 2: bid (secret)"];
        let open = ["player 1: bid 1", "player 2: bid 2"];
        assert_eq!(choices(&bids(&mut played)), closed);
        let told = bids(&mut played);
        assert_eq!(
            choices(&told),
            if put == "me.card += c" && kept.contains("set") { closed } else { open },
            "{kept}"
        );
        assert_eq!(happened(&told), shown, "{kept}");
        assert_eq!(choices(&bids(&mut played)), closed, "what comes after it is closed again");
        // When the match is over, nothing is secret.
        assert_eq!(choices(&bids(&mut played)), ["player 1: bid 1"]);
    }
}

/// Hands that all see are on the table, which is shown again: dealt cards must not be reported as well.
#[test]
fn what_the_table_draws_is_told_once() {
    let text = |show: &str| {
        format!(
            "game \"Hands\" {{\n  players 2\n}}\n\
             table {{\n  pile: list of 1..3 = [1, 2, 3, 3] hidden\n  left: 0..4 = 4\n  lowest: 0..3 = 0\n}}\n\
             each player {{\n  hand: list of 1..3 = []\n}}\n{show}\
             move take {{\n  lowest := 1\n}}\n\
             play {{\n  turns as t until t > 2 {{\n    take\n    deal 2 from pile to me.hand\n  }}\n}}\n\
             winner last mover\n"
        )
    };
    for (show, wanted) in [("show left\n", &["lowest is now 1 (it was 0)"][..]), ("", &[])] {
        let mut played = begun(&written(&text(show)), &[], 2, 1);
        let before = Glimpse::of(&played, Viewer::Spectator);
        played.play(1, "take", &Default::default()).unwrap();
        let told = tell(&before, &played);
        assert!(told.table, "{show}");
        assert_eq!(changes(&told), wanted, "{show}");
    }
}

#[test]
fn what_holds_another_begins_first() {
    let rules = written(
        "game \"Years\" {\n  players 2\n}\n\
         table {\n  left: 0..99 = 99\n}\n\
         move take {\n  left -= 1\n}\n\
         play {\n  repeat 2 as year {\n    phase spring { ask seat(1) to take }\n\
         phase autumn { repeat 2 as day { ask seat(2) to take } }\n  }\n}\nwinner last mover\n",
    );
    let mut played = begun(&rules, &[], 2, 1);
    let mut places = vec![whereabouts(&played).join(", ")];
    let mut begun = Vec::new();
    while !played.over() {
        let before = Glimpse::of(&played, Viewer::Spectator);
        let seat = played.to_move()[0];
        played.play(seat, "take", &Default::default()).unwrap();
        places.push(whereabouts(&played).join(", "));
        begun.push(happened(&tell(&before, &played)).join(", "));
    }
    let first = ["year 1, spring", "year 1, autumn, day 1", "year 1, autumn, day 2"];
    let second = ["year 2, spring", "year 2, autumn, day 1", "year 2, autumn, day 2", ""];
    assert_eq!(places, [&first[..], &second[..]].concat());
    assert_eq!(
        begun,
        [
            "autumn begins, day 1 begins",
            "day 2 begins",
            "year 2 begins, spring begins",
            "autumn begins, day 1 begins",
            "day 2 begins",
            ""
        ]
    );
}

// ---- matches that cannot begin

#[test]
fn what_leaves_nothing_to_begin_with_is_told_with_its_values() {
    let text = "game \"Nothing\" {\n  players 2\n}\n\
        option n: 0..9 = 3\noption most: 0..9 = 3\n\
        table {\n  left: 0..9 = n\n}\n\
        move take(count in 1..min(most, left)) {\n  need count * 2 < left + most - 3 else \"too many\"\n  left -= count\n}\n\
        move pass {\n  need left = most + n + 1 else \"not now\"\n}\n\
        play {\n  chance die in 1..6\n  turns as t until t > 2 { take or pass }\n}\nwinner last mover\n";
    let rules = written(text);
    let pass = ("`need left = most + n + 1` refuses `pass`", "left is {n}, most + n + 1 is {sum}");
    for (n, most, take) in [
        (
            "0",
            "3",
            (
                "`count in 1..min(most, left)` leaves `take` with nothing to choose from",
                "min(most, left) is 0",
            ),
        ),
        (
            "2",
            "1",
            ("`need count * 2 < left + most - 3` refuses `take`", "count * 2 is 2, left + most - 3 is 0"),
        ),
        (
            "2",
            "2",
            ("`need count * 2 < left + most - 3` refuses all 2 choices of `take`", "left + most - 3 is 1"),
        ),
    ] {
        let options = rules.read_options([("n", n), ("most", most)]).unwrap();
        assert!(Match::new(rules.clone(), &options, 2, 1).is_err(), "{n}, {most}");
        let told = Match::nothing_to_begin(&rules, &options, 2, 1);
        let told: Vec<(String, String)> = told
            .into_iter()
            .map(|nothing| {
                let values = nothing.values.iter().map(|(name, value)| format!("{name} is {value}"));
                (nothing.told, values.collect::<Vec<_>>().join(", "))
            })
            .collect();
        let sum = n.parse::<u32>().unwrap() + most.parse::<u32>().unwrap() + 1;
        let values = pass.1.replace("{n}", n).replace("{sum}", &sum.to_string());
        let wanted = [(take.0.to_string(), take.1.to_string()), (pass.0.to_string(), values)];
        assert_eq!(told, wanted, "{n}, {most}");
    }
    let options = rules.read_options([("n", "9")]).unwrap();
    assert_eq!(Match::nothing_to_begin(&rules, &options, 2, 1), []);
}

// ---- names

#[test]
fn people_have_names_that_mean_one_seat_and_nothing_else() {
    let rules = rules("sum-of-products");
    for (given, wrong) in [
        (&[(1, "Ann"), (2, "ann")][..], "cannot both be called"),
        (&[(1, "Ann Lee"), (2, "ann  lee")], "cannot both be called"),
        (&[(1, "Ann Lee of the old town")], "cannot be a name"),
        (&[(1, "7")], "cannot be a name"),
        (&[(1, "")], "cannot be a name"),
        (&[(1, "a: b")], "cannot be a name"),
        (&[(2, "across")], "already means something"),
        (&[(2, "Chance")], "already means something"),
        (&[(2, "Player 1")], "already means something"),
        (&[(3, "Bob")], "no seat 3"),
    ] {
        let refused = rules.named(&names(given)).map(|_| ()).unwrap_err();
        assert!(refused.contains(wrong), "{given:?}: {refused}");
    }
    let named = rules.named(&names(&[(2, " Zoë  Day ")])).unwrap();
    assert_eq!(
        (named.game.seat_name(0), named.game.seat_name(1)),
        ("across".to_string(), "Zoë Day (down)".to_string())
    );
    assert_eq!((&named.hash, named.names()), (&rules.hash, names(&[(2, "Zoë Day")])));
}

/// State that only breaks ties, makes points or counts turns must not be reported; state that affects play,
/// or is there for people alone, must be.
#[test]
fn book_keeping_is_not_told() {
    let rules = written(
        "game \"Books\" {\n  players 2\n}\n\
         table {\n  turns_made: int = 0\n  heap: int = 9\n  stage: int = 0\n  note_of_last: int = 0\n  fuel: int = 5\n}\n\
         each player {\n  points: int = 0\n  latest: int = 0\n  strikes: int = 0\n  bid: 0..9 each pass secret\n}\n\
         show \"the books\"\nmove take {\n  need heap > 0 else \"none is left\"\n  heap -= 1\n  turns_made += 1\n  me.latest := turns_made\n  \
         me.points += 2\n  me.strikes += 1\n  note_of_last := 7\n  fuel -= 1\n}\n\
         play {\n  repeat 3 as pass {\n    each p in players { ask p to take }\n    reveal bid\n    stage += 1\n    \
         if fuel < 2 { each p in players where p.strikes = 2 { out p } }\n  } until turns_made = 6 or stage = 9\n}\n\
         score = me.points\nwinner highest score, then highest me.latest\n",
    );
    let mut played = begun(&rules, &[], 2, 1);
    let mut rng = Rng::nth(1, 0);
    let mut told = Vec::new();
    for _ in 0..2 {
        let before = Glimpse::of(&played, Viewer::Spectator);
        step(&mut played, &mut rng);
        let telling = tell(&before, &played);
        let said = [happened(&telling), changes(&telling)].concat();
        told.extend(said.into_iter().map(String::from));
    }
    assert_eq!(
        told,
        [
            "heap is now 8 (it was 9)",
            "note of last is now 7 (it was 0)",
            "fuel is now 4 (it was 5)",
            "player 1's strikes are now 1 (they were 0)",
            "pass 2 begins",
            "heap is now 7 (it was 8)",
            "fuel is now 3 (it was 4)",
            "player 2's strikes are now 1 (they were 0)",
        ]
    );
}

//! Bots and secrets: what a seat cannot know changes nothing, and what it can work out is used.

use std::collections::BTreeSet;

use crate::memory::Memory as Shelves;
use crate::table::{Table, shipped, written};
use parlour::bots::{Bot, Effort, Memory, StoppedClock, Worlds, is_open};
use parlour::diag::render::Style;
use parlour::num::Rng;
use parlour::play::{Match, Record, Seen, bundled, replay};
use parlour::repl::Session;

/// The bundled games with secrets or simultaneous choices, small enough for every bot to play to the end.
const SECRETIVE: &[(&str, &[(&str, &str)])] = &[
    ("bulls-and-cows", &[("size", "2"), ("rounds", "3")]),
    ("dividing-cards", &[("m", "5")]),
    ("goofspiel", &[("n", "4")]),
    ("numbers-to-number", &[("m", "3")]),
    ("numerical-card-game", &[("m", "4")]),
    ("transform", &[("n", "2"), ("limit", "2")]),
];

/// At every choice of a match, a change to something that the seat cannot know must change neither any bot's
/// choice nor the hint or the analysis. The match is compared with another one that is consistent with what
/// the seat knows.
#[test]
fn what_a_seat_cannot_know_changes_nothing() {
    let secretive = bundled().into_iter().map(|(name, _)| name);
    let secretive = secretive.filter(|name| {
        let game = &shipped(name).game;
        !is_open(game) || game.choices.iter().any(|choice| choice.together)
    });
    let mut known: Vec<&str> = SECRETIVE.iter().map(|(name, _)| *name).collect();
    known.sort_unstable();
    let mut all: Vec<String> = secretive.collect();
    all.sort_unstable();
    assert_eq!(all, known);
    let (mut compared, mut differ) = (0, 0);
    for (name, options) in SECRETIVE {
        let rules = shipped(name);
        let mut table = Table::new(&rules, options, rules.default_players(), 3);
        let mut memory = Memory::default();
        let mut rng = Rng::new(5);
        while let Some(player) = table.played.to_move().first().copied() {
            let seen = Seen::of(&table.played, player).unwrap();
            let mut record = table.played.record().unwrap();
            record.result = None;
            let was = record.moves.clone();
            // Draws a world other than the true one, if there is any.
            let mut worlds = Worlds::new(&seen);
            for _ in 0..5 {
                let world = worlds.draw(&mut rng).unwrap_or_else(|| panic!("{name}: no world"));
                record.moves = world.entries.iter().map(|entry| table.played.entry_json(entry)).collect();
                if record.moves != was {
                    differ += 1;
                    break;
                }
            }
            let other = replay(rules.clone(), &record).unwrap();
            assert!(other.broken.is_none(), "{name}: {:?}", other.broken);
            let other = other.played;
            let place = format!("{name}, player {player} after {}", table.played.depth());
            for bot in ["random", "easy", "greedy", "mcts:9", "auto:9", "exact"] {
                let bot = Bot::parse(bot).unwrap();
                let choose = |played: &Match| table.mind.choose(played, player, bot, &StoppedClock);
                assert_eq!(choose(&table.played), choose(&other), "{bot}: {place}");
            }
            // What a bot keeps between choices must not change them.
            let mcts = Bot::Mcts(Effort::Playouts(9));
            let kept = table.mind.answer(&mut memory, &table.played, player, mcts, &StoppedClock);
            let kept = kept.map(|answer| answer.entry);
            assert_eq!(kept, table.mind.choose(&table.played, player, mcts, &StoppedClock), "{place}");
            let said = [table.played.record().unwrap(), record].map(|record| told(&record, player));
            assert_eq!(said[0], said[1], "{place}");
            compared += 1;
            let drawn = table.played.random_move(player, &mut rng).unwrap();
            table.played.make(&drawn).unwrap();
        }
    }
    assert!(compared > 30 && differ > 15, "{compared} choices, {differ} with another world");
}

/// Returns the hint and the analysis shown to a player in a match.
fn told(record: &Record, player: usize) -> [String; 2] {
    let disk = Shelves::default();
    disk.0.borrow_mut().files.insert("match.json".to_string(), record.json().to_string());
    let mut session = Session::new(Box::new(disk), 1, Style { colour: false, width: 80 });
    session.load_record("match.json", None).unwrap();
    // If several players choose simultaneously, those before this player have already chosen.
    (1..player).for_each(|seat| drop(session.line(&format!(":seat {seat} random"))));
    [":hint", ":analyse"].map(|command| session.line(command).text)
}

/// A card hidden by the opponent is unknown: bots must not play as if they knew it.
#[test]
fn hidden_cards_are_imagined() {
    let rules = written(
        "game \"Guess\" { players 2 called hider, seeker }\n\
         table { where_it_is: 1..3 hidden }\n\
         each player { guess: 0..3 = 0 }\n\
         secret move hide(at in 1..3) { where_it_is := at }\n\
         move seek(at in 1..3) { me.guess := at }\n\
         play {\n\
           ask hider to hide\n\
           ask seeker to seek\n\
           win seeker when seeker.guess = where_it_is\n\
           win hider\n\
         }\n",
    );
    let table = Table::new(&rules, &[], 2, 0);
    let mut right = 0;
    for n in 0..9 {
        let mut table = table.again(n);
        let (_, legal) = table.played.legal(1, 3).unwrap();
        table.played.make(&legal[n as usize % 3]).unwrap();
        let advice = table.ask("mcts:400", n).unwrap();
        assert!((0.1..0.7).contains(&advice.value) && !advice.exact, "{advice:?}");
        right += u64::from(
            table.played.entry_words(&rules.entry(1, &advice.best)) == format!("seek {}", n % 3 + 1),
        );
    }
    assert!(right < 9);
}

/// Two players hide a number from 1 to 4 each and guess in turns, never the same twice.
const TWO_CODES: &str = "game \"Two Codes\" { players 2 }\n\
    each player { code: 1..4 secret\n tried: set of 1..4 = {} }\n\
    secret move hide(number in 1..4) { me.code := number }\n\
    move guess(number in 1..4) {\n\
      need number not in me.tried else \"tried\"\n me.tried += number\n if me.next.code = number { win me }\n\
    }\n\
    play { together players { hide }\n turns { guess } }\n";

/// Who guesses among `own` numbers, against an opponent who then guesses among `theirs`, wins with this probability.
fn first_right(own: u32, theirs: u32) -> f64 {
    let hit = 1.0 / f64::from(own);
    if own == 1 { 1.0 } else { hit + (1.0 - hit) * (1.0 - first_right(theirs, own - 1)) }
}

/// In all worlds that a seat imagines its own secret is the real one. The other seat must not learn it from them.
#[test]
fn others_do_not_know_what_a_seat_has_hidden_from_them() {
    let rules = written(TWO_CODES);
    let start = Table::new(&rules, &[], 2, 0);
    for (guesses, left) in [
        (&[][..], (4, 4)),
        (&["guess 2", "guess 1"][..], (3, 3)),
        (&["guess 2", "guess 1", "guess 3"][..], (3, 2)),
    ] {
        let table = start.again(0).after(&["hide 3", "hide 1"]).after(guesses);
        let truth = first_right(left.0, left.1);
        let values: f64 = (0..4).map(|seed| table.ask("mcts:3000", seed).unwrap().value).sum();
        assert!((values / 4.0 - truth).abs() < 0.12, "{values} / 4, not {truth}, after {guesses:?}");
    }
    // Who stands alike has even chances, however the secrets differ.
    let rules = shipped("bulls-and-cows");
    let options = [("size", "2"), ("rounds", "5")];
    let mut table = Table::new(&rules, &options, 2, 0).after(&["hide 1 2", "hide 5 6"]);
    for guess in ["ask_for 5 7", "ask_for 1 3"] {
        let value = table.ask("mcts:2000", 1).unwrap().value;
        assert!((value - 0.5).abs() < 0.12, "{value} before {guess}");
        table = table.after(&[guess]);
    }
    let value = table.ask("mcts:2000", 1).unwrap().value;
    assert!((value - 0.5).abs() < 0.12, "{value} after a guess each");
}

/// Of two red and two blue cards, the other seat holds one, and a red one was drawn since, openly or to the seat's own hand. So one
/// of the three that are left is red.
#[test]
fn what_was_drawn_tells_what_others_hold() {
    for (to, size) in [("deal 1 from pile to seat(2).hand", 2), ("draw card from pile\n seen += card", 2)] {
        let rules = written(&format!(
            "game \"Cards\" {{ players 2 }}\nkind colour: red, blue\n\
             table {{ pile: bag of colour = bag([red, red, blue, blue]) hidden\n seen: list of colour = [] }}\n\
             each player {{ hand: list of colour = [] secret\n bid: 0..3 = 0 }}\n\
             move bid(number in 0..3) {{ me.bid := number }}\n\
             play {{ deal 1 from pile to seat(1).hand\n {to}\n ask seat(2) to bid }}\n\
             winner highest me.bid\n"
        ));
        for seed in 0..4 {
            let table = Table::new(&rules, &[], 2, seed);
            let seen = Seen::of(&table.played, 2).unwrap();
            let (mut rng, mut worlds) = (Rng::new(1), Worlds::new(&seen));
            let mut same = 0;
            for _ in 0..3000 {
                let entries = worlds.draw(&mut rng).unwrap().entries;
                assert_eq!(entries.len(), size);
                let [other, own] =
                    [0, 1].map(|at| format!("{:?}", entries[at].args[0].1).replace("List([", ""));
                same += i32::from(other.trim_end_matches("])") == own.trim_end_matches("])"));
            }
            assert!((900..1100).contains(&same), "{same} of 3000: {to}");
        }
    }
}

/// What a seat has worked out must be used, also where both seats choose at the same time: the only code that is left
/// among 720 is asked for.
#[test]
fn the_only_code_that_is_left_is_asked_for() {
    let rules = shipped("bulls-and-cows");
    let options = [("size", "3"), ("rounds", "9")];
    let mut table = Table::new(&rules, &options, 2, 0).after(&["hide 0 1 2", "hide 7 3 9"]);
    // The answers are (0, 0), (1, 0), (0, 1), (1, 0) and (1, 1).
    for guess in ["4 5 6", "7 0 1", "3 2 0", "0 3 1", "8 3 7"] {
        table = table.after(&[&format!("ask_for {guess}"), "ask_for 4 5 6"]);
    }
    for seed in 0..4 {
        assert_eq!(table.best("mcts:2000", seed), "ask_for 7 3 9");
    }
}

/// A hand that everybody can work out hides nothing, so that all playouts count for everybody.
#[test]
fn secrets_that_can_be_counted_are_none() {
    let table = Table::new(&shipped("numerical-card-game"), &[("m", "4")], 2, 0);
    let advice = table.ask("mcts:400", 1).unwrap();
    let visits: u64 = advice.moves.iter().map(|weighed| weighed.visits).sum();
    assert_eq!(visits, 400, "{advice:?}");
}

/// What is drawn at random from a shuffled pile does not depend on the order of the pile, so nothing is hidden here
/// but for who can ask for the order itself.
#[test]
fn an_order_that_nothing_reads_is_no_secret() {
    let lots = |first: &str| {
        format!(
            "game \"Lots\" {{ players 2 }}\n\
             table {{ lots: list of 1..9 = 1..9 hidden\n bids: list of 0..9 = []\n last: 0..9 = 0 }}\n\
             move bid(n in 1..9) {{ bids += n }}\n\
             play {{ shuffle lots\n repeat 3 {{ draw lot from lots\n last := lot\n ask seat(1) to bid }}\n\
             last := {first} }}\n\
             winner highest me.number\n"
        )
    };
    for (first, is_open) in [("0", true), ("lots[1]", false), ("sum(lots) mod 10", true)] {
        let rules = written(&lots(first));
        let table = Table::new(&rules, &[], 2, 3);
        let seen = Seen::of(&table.played, 1).unwrap();
        assert_eq!(seen.knows_all(), is_open, "{first}");
    }
}

/// Where something is hidden is as secret as what is hidden there, and which squares there are is not.
#[test]
fn a_draw_of_where_something_is_hidden_is_made_face_down() {
    let rules = written(
        "game \"Treasure\" { players 1 }\n\
         table { field: grid 3 by 3 of 0..1 = 0 hidden\n dug: grid 3 by 3 of -1..1 = -1 }\n\
         move dig(at in field) { need dug[at] = -1 else \"dug\"\n dug[at] := field[at] }\n\
         play { chance place in squares(field)\n field[place] := 1\n\
         repeat { ask seat(1) to dig } until some(s in dug: dug[s] = 1) }\n\
         winner last mover\n",
    );
    let table = Table::new(&rules, &[], 1, 3);
    let seen = Seen::of(&table.played, 1).unwrap();
    assert!(!seen.knows_all());
    let mut rng = Rng::new(1);
    let mut worlds = Worlds::new(&seen);
    let places: BTreeSet<String> =
        (0..100).map(|_| format!("{:?}", worlds.draw(&mut rng).unwrap().entries)).collect();
    assert_eq!(places.len(), 9);
}

//! Small games in which moves are mixed: bots and advice play by an equilibrium of the whole game.

use std::path::Path;
use std::sync::Arc;

use crate::known::goofspiel::{Bidding, Goofspiel};
use crate::known::matrix::{equilibrium, guaranteed};
use crate::table::{Table, shipped};
use parlour::bots::{Advice, Bot, Effort, Method, Mind, StoppedClock};
use parlour::ir::Value;
use parlour::lab::{REVIEW_EFFORT, Review, Reviewer};
use parlour::num::Rng;
use parlour::play::{Match, Rules};
use parlour::source::Source;
use serde_json::json;

/// How far shares may be off: mixes take into account that the other makes mistakes now and then.
const OFF: f64 = 0.003;

fn rules(name: &str) -> Arc<Rules> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/equilibrium/{name}.game"));
    let text = std::fs::read_to_string(path).unwrap();
    Arc::new(Rules::load(Source::new(format!("{name}.game"), &text)).unwrap())
}

/// Plays nights of Three Passes: the pass that the smuggler takes, and the one that the guard watches.
fn nights(table: &mut Table, nights: &[(i64, i64)]) {
    for (go, watch) in nights {
        for (player, name, pass) in [(1, "go", go), (2, "watch", watch)] {
            let args = json!({ "pass_no": pass });
            table.played.play(player, name, args.as_object().unwrap()).unwrap();
        }
    }
}

/// The smuggler's share of the win, by the passes taken and watched, in Three Passes with this loot and so many nights left.
fn passes(loot: i64, left: u32) -> Vec<Vec<f64>> {
    let value = |loot: i64| match left {
        1 => f64::from(u8::from(loot >= 5)),
        _ => equilibrium(&passes(loot, left - 1)).0,
    };
    let after = |go: i64, watch: i64| value(if go == watch { loot } else { loot + go });
    (1..=3).map(|go| (1..=3).map(|watch| after(go, watch)).collect()).collect()
}

/// Returns the probabilities of the moves with the arguments 1, 2 and 3, and what each gets.
fn by_pass(advice: &Advice) -> [(f64, f64); 3] {
    let mut passes = [(0.0, 0.0); 3];
    for (at, weighed) in advice.moves.iter().enumerate() {
        let pass = match &weighed.chosen.args[0] {
            Value::Int(pass) => pass.as_usize().unwrap(),
            other => panic!("{other:?}"),
        };
        let likely = match advice.mix.get(at) {
            Some(likely) => *likely,
            None => f64::from(u8::from(weighed.chosen == advice.best)),
        };
        passes[pass - 1] = (likely, weighed.value);
    }
    passes
}

#[test]
fn a_mix_gets_the_value_of_the_game_whatever_the_other_does() {
    // One pass is taken unwatched at 0 and at 2, and one that was watched at 0.
    for (played, loot) in [(vec![], 0), (vec![(2, 1)], 2), (vec![(1, 3)], 1), (vec![(2, 1), (1, 2)], 3)] {
        let mut table = Table::new(&rules("passes"), &[], 2, 0);
        nights(&mut table, &played);
        let matrix = passes(loot, 3 - played.len() as u32);
        let (value, _) = equilibrium(&matrix);
        let told = |player: usize| {
            let bot = Bot::parse("hard").unwrap();
            let advice =
                table.mind.advise_player(&table.played, player, bot, &StoppedClock, &mut Rng::new(1));
            advice.unwrap()
        };
        let (smuggler, guard) = (told(1), told(2));
        assert!(smuggler.exact && smuggler.method == Method::Equilibrium, "{smuggler:?}");
        assert!((smuggler.value - value).abs() < OFF, "{played:?}: {} is not {value}", smuggler.value);
        assert!((guard.value - (1.0 - value)).abs() < OFF, "{played:?}: {guard:?}");
        let own = by_pass(&smuggler).map(|(likely, _)| likely);
        let theirs = by_pass(&guard).map(|(likely, _)| likely);
        assert!((guaranteed(&matrix, &own) - value).abs() < OFF, "{played:?}: {own:?}");
        // What a move gets is what it gets against the other's mix.
        for ((_, gets), row) in by_pass(&smuggler).iter().zip(&matrix) {
            let expected: f64 = row.iter().zip(theirs).map(|(share, likely)| share * likely).sum();
            assert!((gets - expected).abs() < OFF, "{played:?}: {smuggler:?}");
        }
    }
    // 24/85, and 49, 32 and 19 %, by hand.
    let table = Table::new(&rules("passes"), &[], 2, 0);
    assert!((table.ask("hard", 1).unwrap().value - 24.0 / 85.0).abs() < OFF);
}

/// What others tell is no news where an honest player and a liar would tell the same. The shares are those of a linear program that
/// was written for this game alone.
#[test]
fn a_claim_is_believed_as_far_as_best_play_makes_it_true() {
    let rules = rules("customs");
    let told = |wares: i64| {
        let mut played = Match::undrawn(rules.clone(), &Default::default(), 2, 0).unwrap();
        played.draw(Value::int(wares)).unwrap().unwrap();
        let mind = Mind::of(&played);
        let bot = Bot::parse("hard").unwrap();
        mind.advise_player(&played, 1, bot, &StoppedClock, &mut Rng::new(1)).unwrap()
    };
    for (wares, share) in [(0, 0.758), (1, 0.758), (2, 0.645), (3, 0.645)] {
        let advice = told(wares);
        assert!((advice.value - share).abs() < OFF, "{wares}: {advice:?}");
        assert!(advice.exact && advice.moves.len() == wares as usize + 1);
    }
    let whole: f64 = (0..4).map(|wares| told(wares).value).sum::<f64>() / 4.0;
    assert!((whole - 0.7015).abs() < OFF, "{whole}");
}

/// A word is never spoken, since a card that is laid open is worth as much; the king would answer it so that no card gains by it.
#[test]
fn what_is_never_answered_is_told_by_what_would_be_answered() {
    let rules = rules("envoy");
    for card in 1..=4 {
        let mut played = Match::undrawn(rules.clone(), &Default::default(), 2, 0).unwrap();
        played.draw(Value::int(card)).unwrap().unwrap();
        let mind = Mind::of(&played);
        let bot = Bot::parse("hard").unwrap();
        let advice = mind.advise_player(&played, 1, bot, &StoppedClock, &mut Rng::new(1)).unwrap();
        // The first card is laid open for a point, and the king guesses the second, of four that are as likely, once in four times.
        assert!((advice.value - 0.75).abs() < OFF, "{card}: {advice:?}");
        for weighed in &advice.moves {
            assert!(weighed.is_exact() && weighed.value < 0.75 + OFF, "{card}: {advice:?}");
            // A king who does not know the card names each of those that it may be as often: all four after one word, and three
            // after the other, since a 4 is high.
            let told = [2.0 / 3.0, 0.75].iter().any(|share| (weighed.value - share).abs() < 0.02);
            assert!(told || weighed.chosen.args.is_empty(), "{card}: {advice:?}");
        }
    }
}

/// Every pass belongs to the mix of the first night, so that none of them is a mistake.
#[test]
fn a_move_of_the_mix_costs_nothing() {
    for go in 1..=3 {
        let mut table = Table::new(&rules("passes"), &[], 2, 0);
        nights(&mut table, &[(go, go), (3, 1), (3, 2)]);
        let Table { played, mind } = &table;
        let reviewer = Reviewer { whole: played, mind, effort: REVIEW_EFFORT, seed: 0 };
        let review = Review::of(&reviewer, reviewer.stops(&StoppedClock, &mut |_| {}).unwrap());
        let first = &review.stops[0];
        assert!(first.choices.iter().all(|judged| judged.by_equilibrium && judged.cost() < OFF), "{first:?}");
        let values = first.values.as_ref().unwrap();
        assert!((values[0] - 24.0 / 85.0).abs() < OFF, "{values:?}");
    }
}

/// What a bot expects by its secrets would tell of them.
#[test]
fn a_bot_keeps_what_it_expects_to_itself_where_something_is_hidden() {
    let bot = Bot::parse("hard").unwrap();
    for (name, tells) in [("passes", true), ("kuhn", false)] {
        let table = Table::new(&rules(name), &[], 2, 3);
        let player = table.played.to_move()[0];
        let answer = table.mind.answer(&mut Default::default(), &table.played, player, bot, &StoppedClock);
        assert_eq!(answer.unwrap().known.is_some(), tells, "{name}");
    }
}

/// With an effort in playouts that is no level, bots search, so that what they choose does not depend on what was solved before.
#[test]
fn a_search_does_not_depend_on_what_was_solved() {
    let table = Table::new(&rules("passes"), &[], 2, 0);
    let before = table.ask("auto:500", 1).unwrap();
    table.mind.solve_whole_game(&StoppedClock, &mut |_| {});
    assert_eq!(before, table.ask("auto:500", 1).unwrap());
    let standing = |mind: &Mind| {
        mind.standing(&table.played, 1, Effort::Playouts(500), &StoppedClock, &mut Rng::new(1)).unwrap()
    };
    assert_eq!(standing(&table.mind), standing(&Mind::of(&table.played)));
}

/// Goofspiel with six cards is too large as a whole, but not what is left of it after some prizes. The values are those of
/// backward induction by a program for this game alone.
#[test]
fn the_rest_of_a_match_is_solved_where_all_know_the_same() {
    let goofspiel = shipped("goofspiel");
    for seed in 0..3 {
        let mut table = Table::new(&goofspiel, &[("n", "6")], 2, seed);
        let prize =
            |played: &Match| played.show().unwrap().trim_start_matches("prize ").parse::<u32>().unwrap();
        let mut turned = 0;
        for _ in 0..2 {
            turned |= 1 << (prize(&table.played) - 1);
            for player in [1, 2] {
                let drawn = table.played.random_move(player, &mut Rng::new(seed)).unwrap();
                table.played.make(&drawn).unwrap();
            }
        }
        let hand = |player: usize| {
            let (_, bids) = table.played.legal(player, 6).unwrap();
            bids.iter().fold(0, |cards, bid| match &bid.args[0].1 {
                Value::Int(card) => cards | 1 << (card.as_usize().unwrap() - 1),
                other => panic!("{other:?}"),
            })
        };
        let scores = table.played.scores().unwrap().unwrap();
        let prize = prize(&table.played);
        let at = Bidding {
            prize,
            prizes: 0b11_1111 & !turned & !(1 << (prize - 1)),
            hands: [hand(1), hand(2)],
            lead: (scores[0].to_f64() - scores[1].to_f64()) as i32,
        };
        let value = Goofspiel::default().value(at);
        let advice = table.ask("hard", 1).unwrap();
        assert!(advice.method == Method::Equilibrium && advice.exact, "{advice:?}");
        assert!((advice.value - value).abs() < OFF, "{at:?}: {} is not {value}", advice.value);
    }
}

//! Estimates of bots are compared with exact values: worked out to the end where chance draws, and by hand where cards are
//! hidden.

use parlour::bots::{Advice, Bot, Effort, StoppedClock, interval};
use parlour::eval::Chosen;
use parlour::num::Rng;
use parlour::play::Viewer;

use crate::known::dice::{BOXES, GAMES, HEAP, PRODUCTS, RACE, TAKE, TEN};
use crate::table::{Table, written};

fn worth(advice: &Advice, chosen: &Chosen) -> f64 {
    advice.moves.iter().find(|weighed| weighed.chosen == *chosen).unwrap().value
}

/// By how much the estimate of a search at most differs from the exact value, and how much its moves lose at most, in the first
/// positions of some matches.
fn errors(text: &str, bot: &str, matches: u64) -> (f64, f64) {
    let table = Table::new(&written(text), &[], 2, 0);
    let (mut error, mut loss) = (0.0_f64, 0.0_f64);
    for seed in 1..=matches {
        let table = table.again(seed);
        let exact = table.ask("exact", 0).unwrap();
        let bot = Bot::parse(bot).unwrap();
        let found =
            table.mind.advise_person(&table.played, 1, bot, &StoppedClock, &mut Rng::new(seed)).unwrap();
        assert!(exact.exact);
        error = error.max((found.value - worth(&exact, &found.best)).abs());
        loss = loss.max(exact.value - worth(&exact, &found.best));
    }
    (error, loss)
}

#[test]
fn estimates_come_close_to_exact_values_where_chance_draws() {
    let games = [(TEN, 0.01), (HEAP, 0.01), (RACE, 0.02), (TAKE, 0.03), (PRODUCTS, 0.03), (BOXES, 0.05)];
    let found = games.map(|(text, within)| (errors(text, "mcts:10000", 3), within, text));
    for ((error, loss), within, text) in found {
        println!("{error:.3} {loss:.3} {}", text.lines().next().unwrap_or_default());
        assert!(error <= within && loss <= 0.03, "{error}, {loss}: {text}");
    }
}

/// A throw of four dice, of which one is to be beaten: 1296 ways, and the choice of a die after each.
const FOUR: &str = "game \"Four\" { players 2 }\n\
    table { dice: list of 1..6 = []\n best: 1..6 = 4\n thrown: yes or no = no }\n\
    each player { won: 0..1 = 0 }\n\
    move throw { thrown := yes }\n move settle { }\n move take(k in 1..4) { best := dice[k] }\n\
    play {\n ask seat(1) to throw or settle\n\
      if thrown {\n chance roll in lists(4, 1..6)\n dice := roll\n ask seat(1) to take\n }\n\
      chance die in 1..6\n if die < best { seat(1).won := 1 } else { seat(2).won := 1 }\n }\n\
    score = me.won\n winner highest score\n";

/// Dice are thrown again until nothing scores or the player stops. The order of a throw makes no difference, also where a function
/// counts it.
const AGAIN: &str = "game \"Again\" { players 2 }\n\
    table { dice: list of 1..6 = []\n pot: 0..200 = 0\n stopped: yes or no = no }\n\
    each player { won: 0..1 = 0 }\n\
    define hits(of) = count(d in of: d >= 5)\n\
    move stop { stopped := yes }\n move go_on { }\n\
    play {\n repeat {\n chance roll in lists(5, 1..6)\n dice := roll\n\
      if hits(dice) = 0 {\n pot := 0\n stopped := yes\n } else {\n pot += hits(dice)\n ask seat(1) to stop or go_on\n }\n\
      } until stopped or pot >= 12\n\
      chance mark in 0..11\n if mark < pot { seat(1).won := 1 } else { seat(2).won := 1 }\n }\n\
    score = me.won\n winner highest score\n";

/// Where more can be drawn than is gone through, later and better estimates of what was drawn count as well.
#[test]
fn estimates_come_close_to_exact_values_where_very_much_can_be_drawn() {
    // The largest of four dice is at most k in k⁴ of 1296 throws.
    let largest = |k: i32| f64::from(k.pow(4) - (k - 1).pow(4)) / 1296.0;
    let four: f64 = (1..=6).map(|k| largest(k) * f64::from(k - 1) / 6.0).sum();
    // With a third, each of five dice hits.
    let choose = [1.0, 5.0, 10.0, 10.0, 5.0, 1.0];
    let hits = |n: usize| choose[n] * 2.0_f64.powi(5 - n as i32) / 243.0;
    // What going on is worth with so many points; twelve are enough.
    let mut go_on = [1.0; 17];
    let stop = |pot: usize| pot.min(12) as f64 / 12.0;
    for pot in (0..12).rev() {
        go_on[pot] = (1..=5).map(|n| hits(n) * stop(pot + n).max(go_on[pot + n])).sum();
    }
    let table = Table::new(&written(FOUR), &[], 2, 0);
    let found = table.ask("mcts:30000", 1).unwrap();
    assert!((found.value - four).abs() < 0.02, "{} for {four}", found.value);
    for seed in 1..=3 {
        let table = Table::new(&written(AGAIN), &[], 2, seed);
        let view = table.played.view(Viewer::Spectator).unwrap();
        let pot = view["table"]["pot"].as_u64().unwrap() as usize;
        let found = table.ask("mcts:10000", seed).unwrap();
        for (weighed, known) in found.moves.iter().filter(|weighed| weighed.visits >= 1000).map(|weighed| {
            let stops = table.played.rules.entry(0, &weighed.chosen).name == "stop";
            (weighed, if stops { stop(pot) } else { go_on[pot] })
        }) {
            assert!((weighed.value - known).abs() < 0.03, "{} for {known} with {pot}", weighed.value);
        }
    }
}

/// A guess at a hidden number. Nobody can do better or worse than chance, and that a few matches went one way says nothing.
#[test]
fn luck_with_what_is_hidden_is_not_taken_for_skill() {
    let guess = |most: usize, guesses: &str| {
        format!(
            "game \"Guess\" {{ players 2 }}\n\
             table {{ number: 1..{most} = 1 hidden\n low: 1..{} = 1\n high: 0..{most} = {most} }}\n\
             move guess(n in low..high) {{\n if n = number {{ win me }}\n\
               if n < number {{ low := n + 1 }} else {{ high := n - 1 }}\n }}\n\
             play {{\n chance drawn in 1..{most}\n number := drawn\n {guesses}\n win seat(1)\n }}\n",
            most + 1
        )
    };
    // Of two numbers the first guess is right half of the time. Of three, an outer one is right in one of three, and then
    // the other player is wrong half of the time.
    let two = guess(2, "ask seat(2) to guess");
    let three = guess(3, "ask seat(1) to guess\n ask seat(2) to guess");
    for (text, known) in [(two, 0.5), (three, 2.0 / 3.0)] {
        let table = Table::new(&written(&text), &[], 2, 0);
        for seed in 1..=8 {
            let (player, bot) = (table.played.to_move()[0], Bot::parse("mcts:4000").unwrap());
            let advice = table
                .mind
                .advise_person(&table.played, player, bot, &StoppedClock, &mut Rng::new(seed))
                .unwrap();
            assert!((advice.value - known).abs() < 0.12, "{} for {known} with seed {seed}", advice.value);
        }
    }
}

/// What a search says of a move lies as often in its interval as it should, which it does not in that of a mean of so many numbers:
/// replies that are not known yet are worth more than playouts tell.
#[test]
fn intervals_contain_exact_values_as_often_as_they_should() {
    let contains = |(low, high): (f64, f64), value: f64| (low..=high).contains(&value);
    let (mut all, mut inside, mut by_mean) = (0, 0, 0);
    for (name, text) in GAMES {
        let table = Table::new(&written(text), &[], 2, 0);
        let (mut here, mut inside_here, mut widths) = (0, 0, 0.0);
        for seed in 1..=10 {
            let table = table.again(seed);
            let exact = table.ask("exact", 0).unwrap();
            let found = table.ask("mcts:1000", seed).unwrap();
            assert!(exact.exact && !found.exact, "{name}");
            for weighed in found.moves.iter().filter(|weighed| weighed.end.is_none() && weighed.visits >= 10)
            {
                let value = worth(&exact, &weighed.chosen);
                here += 1;
                inside_here += usize::from(contains(weighed.interval(), value));
                by_mean += usize::from(contains(interval(weighed.value, weighed.visits), value));
                widths += weighed.interval().1 - weighed.interval().0;
            }
        }
        let width = widths / here as f64;
        assert!(width < 0.6, "{name}: intervals {width:.2} wide say nothing");
        assert!(10 * inside_here >= 8 * here, "{name}: {inside_here} of {here}");
        (all, inside) = (all + here, inside + inside_here);
    }
    assert!(10 * inside >= 9 * all, "{inside} of {all}");
    assert!(10 * by_mean < 9 * all, "{by_mean} of {all}: no wider interval is needed");
}

/// Who rolls a die again that is worth nothing can still write what it could write before.
#[test]
fn a_roll_that_risks_nothing_is_preferred() {
    let table = Table::new(&written(BOXES), &[], 2, 0);
    for seed in 0..3 {
        assert_eq!(table.best("mcts:2000", seed), "reroll 1");
    }
}

/// A card each of six; the higher one wins. All worlds are listed, so that the only error is that of the playouts.
const OWN_CARD: &str = "game \"Own Card\" { players 2 }\n\
    table { deck: set of 1..6 = set(1..6) hidden }\n\
    each player {\n card: list of 1..6 = [] secret\n folded: yes or no = no\n }\n\
    move stay { }\n move fold { me.folded := yes }\n\
    play {\n each p in players { deal 1 from deck to p.card }\n ask seat(1) to stay or fold\n reveal card\n }\n\
    winner highest if me.folded then -1 else sum(me.card)\n";

/// The same, after choices of both that change nothing.
const LATER: &str = "game \"Later\" { players 2 }\n\
    table { deck: set of 1..6 = set(1..6) hidden\n gave_up: yes or no = no }\n\
    each player { card: list of 1..6 = [] secret }\n\
    move left { }\n move right { }\n move stay { }\n move give_up { gave_up := yes }\n move look(k in 1..3) { }\n\
    play {\n each p in players { deal 1 from deck to p.card }\n\
      ask seat(1) to left or right\n ask seat(2) to look\n ask seat(1) to stay or give_up\n reveal card\n }\n\
    winner highest if me.number = 1 and gave_up then -1 else sum(me.card)\n";

/// Player 1 may take another card; player 2 may only give up.
const SWAP: &str = "game \"Swap\" { players 2 }\n\
    table { deck: set of 1..7 = set(1..7) hidden }\n\
    each player {\n card: list of 1..7 = [] secret\n folded: yes or no = no\n }\n\
    move keep { }\n move swap {\n me.card := []\n deal 1 from deck to me.card\n }\n move stay { }\n move fold { me.folded := yes }\n\
    play {\n each p in players { deal 1 from deck to p.card }\n\
      ask seat(1) to keep or swap\n ask seat(2) to stay or fold\n reveal card\n }\n\
    winner highest if me.folded then -1 else sum(me.card)\n";

/// One round of betting for points. The highest card cannot lose; with others it depends on how often both bluff.
const BET: &str = "game \"Bet\" { players 2 }\n\
    table { deck: set of 1..6 = set(1..6) hidden\n bet: 1..3 = 1 }\n\
    each player {\n card: list of 1..6 = [] secret\n folded: yes or no = no\n won: -3..3 = 0\n }\n\
    move check { }\n move raise(by in 1..2) { bet += by }\n move call { }\n move fold { me.folded := yes }\n\
    play {\n each p in players { deal 1 from deck to p.card }\n\
      ask seat(1) to check or raise\n ask seat(2) to call or fold\n reveal card\n\
      each p in players { p.won := if p.folded or not seat(3 - p.number).folded and sum(p.card) < sum(seat(3 - p.number).card) then -bet else bet }\n }\n\
    score = me.won\n winner highest score\n";

/// The share of the win of who keeps a card of seven, or takes another one where that is better.
fn with_a_swap(card: usize) -> f64 {
    let others = || (1..=7).filter(move |other| *other != card);
    let keep = others().filter(|other| *other < card).count() as f64 / 6.0;
    let pairs = || {
        others().flat_map(|mine| others().filter(move |other| *other != mine).map(move |other| mine > other))
    };
    let swap = pairs().filter(|wins| *wins).count() as f64 / pairs().count() as f64;
    keep.max(swap)
}

/// What a card is worth, where that is known.
type Worth<'w> = &'w dyn Fn(usize) -> Option<f64>;

/// The card that player 1 was dealt; 0 for none.
fn own_card(table: &Table) -> usize {
    let view = table.played.view(Viewer::Player(1)).unwrap();
    view["players"][0]["card"][0].as_u64().unwrap_or(0) as usize
}

/// Eight guesses at a number up to sixty, each of which is answered by less or greater, are enough; a random player finds it in one of
/// seven matches.
const SOUGHT: &str = "game \"Sought\" { players 2 }\n\
    table { number: 1..60 = 1 hidden\n told: list of (1..60, -1..1) = [] }\n\
    secret move think(n in 1..60) { number := n }\n\
    move guess(n in 1..60) { told += (n, if n < number then -1 else if n > number then 1 else 0) }\n\
    play {\n ask seat(1) to think\n repeat 8 { ask seat(2) to guess\n win seat(2) when last(told).2 = 0 }\n win seat(1)\n }\n";

/// What will be found out counts, although random playouts make nothing of it.
#[test]
fn what_can_be_found_out_is_worth_something() {
    let table = Table::new(&written(SOUGHT), &[], 2, 0);
    for seed in 1..=4 {
        let Table { mut played, mind } = table.again(seed);
        let entry = played.random_move(1, &mut Rng::new(seed)).unwrap();
        played.make(&entry).unwrap();
        let bot = Bot::parse("mcts:1000").unwrap();
        let advice = mind.advise_person(&played, 2, bot, &StoppedClock, &mut Rng::new(seed)).unwrap();
        assert!(advice.value > 0.6 && advice.interval.1 == 1.0, "{advice:?}");
        assert!(advice.rollouts > 0, "{advice:?}");
        let standing = mind.standing(&played, 2, Effort::Playouts(1000), &StoppedClock, &mut Rng::new(seed));
        let standing = standing.unwrap();
        assert!(standing.values[1] > 0.6 && standing.interval(1).1 == 1.0, "{standing:?}");
    }
}

/// A search finds what a card is worth by its playouts alone.
#[test]
fn what_is_hidden_counts_as_often_as_it_is_likely() {
    let table = Table::new(&written(OWN_CARD), &[], 2, 0);
    for seed in 0..6 {
        let table = table.again(seed);
        let (card, advice) = (own_card(&table), table.ask("mcts:10000", seed).unwrap());
        assert!((advice.value - (card as f64 - 1.0) / 5.0).abs() < 0.02, "{card}: {advice:?}");
    }
}

/// What the others would say, who do not know the card, does not draw its value toward the mean.
#[test]
fn what_the_others_do_not_know_does_not_change_what_a_card_is_worth() {
    let of_six = |card: usize| Some((card as f64 - 1.0) / 5.0);
    let games: [(&str, Worth, f64); 4] = [
        (OWN_CARD, &of_six, 0.02),
        (LATER, &of_six, 0.06),
        (SWAP, &|card| Some(with_a_swap(card)), 0.06),
        (BET, &|card| (card == 6).then_some(1.0), 0.04),
    ];
    for (text, exact, within) in games {
        let table = Table::new(&written(text), &[], 2, 0);
        let bot = Bot::parse("mcts:10000").unwrap();
        for seed in 0..8 {
            let Table { played, mind } = &table.again(seed);
            let advice = mind.advise_person(played, 1, bot, &StoppedClock, &mut Rng::new(seed)).unwrap();
            let (card, title) = (own_card(&table.again(seed)), text.lines().next().unwrap());
            let Some(exact) = exact(card) else { continue };
            let error = advice.value - exact;
            println!("{error:.3} {card} {title}");
            assert!(error.abs() <= within, "{error}, card {card}: {title}");
        }
    }
}

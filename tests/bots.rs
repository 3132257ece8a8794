//! Bots: choices must be legal, good by what is known about small games, and the same for the same seed.

use std::collections::BTreeMap;

use crate::known::pig::Pig;
use crate::table::{Table, shipped, written};
use parlour::bots::{Advice, Bot, Search, StoppedClock};
use parlour::eval::Machine;
use parlour::ir::Value;
use parlour::lab::Contest;
use parlour::num::Rng;
use parlour::play::{Record, Rules, Viewer, bundled, bundled_source, replay};

#[test]
fn names_are_read_and_written() {
    for text in [
        "random",
        "easy",
        "casual",
        "medium",
        "hard",
        "greedy",
        "exact",
        "mcts",
        "mcts:20",
        "auto",
        "auto:20ms",
    ] {
        assert_eq!(Bot::parse(text).unwrap().to_string(), text);
    }
    let wrong = |text: &str| Bot::parse(text).unwrap_err();
    assert_eq!(wrong("mtcs"), "no bot is called `mtcs`; did you mean `mcts`?");
    assert!(wrong("anna").contains("there are easy, casual, medium"), "{}", wrong("anna"));
    for text in [
        "mcts:0",
        "mcts:x",
        "mcts:",
        "mcts:-5",
        "mcts:1.5",
        "auto:0ms",
        "mcts:5s",
        "mcts:99999999999999999999",
    ] {
        assert!(wrong(text).contains(":500` or `"), "{}", wrong(text));
    }
    assert!(wrong("greedy:5").contains("takes no effort"), "{}", wrong("greedy:5"));
}

#[test]
fn tic_tac_toe_is_never_lost() {
    let table = Table::new(&shipped("tic-tac-toe"), &[], 2, 0);
    for seed in 0..2 {
        for (bots, me) in
            [(["mcts:300", "random"], 1), (["random", "mcts:300"], 2), (["auto:300", "mcts:300"], 0)]
        {
            let mut table = table.again(seed);
            table.play_on(&bots, 9);
            assert!(table.played.over());
            match me {
                0 => assert_eq!(table.played.winners(), [0; 0], "{bots:?}, seed {seed}"),
                me => assert!(!table.played.winners().contains(&(3 - me)), "{bots:?}, seed {seed}"),
            }
        }
    }
}

/// Where all win or nobody does, a win is worth everything to each, and every bot that looks ahead helps.
#[test]
fn players_who_win_together_help_each_other() {
    const BRIDGE: &str = r#"
game "Bridge" { players 2 to 3 }
table { left: 0..5 = 5
  water: 0..6 = 0 }
move carry(count in 1..2) { need count <= left else "too many"
  left -= count
  water += count }
move throw { need left >= 3 else "too few"
  left -= 3
  water += 1 }
move rest { water += 1 }
play { turns until water >= 5 or left = 0 { carry or throw or rest }
  if left = 0 and water < 5 { win players } }
"#;
    for players in [2, 3] {
        let table = Table::new(&written(BRIDGE), &[], players, 0);
        for bot in ["exact", "mcts:400", "auto:400"] {
            let mut table = table.again(1);
            let advice = table.ask(bot, 1).unwrap();
            assert_eq!((advice.exact, advice.value), (true, 1.0), "{bot}: {advice:?}");
            table.play_on(&vec![bot; players], 9);
            assert_eq!(table.played.winners(), (1..=players).collect::<Vec<_>>(), "{bot}");
        }
        // Two rests lose: then no move is worth anything, not even a share of a draw.
        let lost = table.again(1).after(&["rest", "rest"]);
        assert_eq!(lost.ask("mcts:400", 1).unwrap().value, 0.0);
    }
}

/// A score that is the same for everybody is played for by all of them, as by a single player.
#[test]
fn a_common_score_is_played_for_together() {
    const CLIMB: &str = r#"
game "Climb" { players 2 }
table { height: 0..40 = 0 }
move step { height += 1 }
move leap { height += 3 }
play { turns as turn until turn = 6 { step or leap } }
score = height
winner highest score
"#;
    let table = Table::new(&written(CLIMB), &[], 2, 0);
    assert_eq!(table.best("mcts:600", 1), "leap");
    let mut table = table.again(1);
    table.play_on(&["mcts:200", "greedy"], 9);
    // The fifth turn is the last.
    assert_eq!(table.played.scores().unwrap().unwrap()[0].to_string(), "15");
}

/// Who wins together wants to be foreseen, so a joint choice is not mixed.
#[test]
fn players_who_win_together_do_not_mix() {
    const MEET: &str = r#"
game "Meet" { players 2 }
each player { place: 1..3 = 1 }
table { met: 0..20 = 0 }
move go(to in 1..3) { me.place := to }
play { repeat 3 { together players { go }
  if seat(1).place = seat(2).place { met += seat(1).place } } }
score = met
winner highest score
"#;
    let table = Table::new(&written(MEET), &[], 2, 0);
    let advice = table.ask("mcts:1000", 1).unwrap();
    assert!(!advice.is_mixed() && advice.best_stats().unwrap().score.is_some(), "{advice:?}");
}

/// Bouton's theory: the player to move wins unless the nim-sum is 0; in misère play, if all piles are 0 or 1,
/// the player to move wins if the number of ones is even.
#[test]
fn nim_is_played_perfectly() {
    let rules = shipped("nim");
    for misere in [true, false] {
        for piles in [[1, 2, 3], [2, 2, 1], [0, 3, 2], [1, 1, 1], [3, 2, 1]] {
            let words = format!("{},{},{}", piles[0], piles[1], piles[2]);
            let options = [("piles", words.as_str()), ("misere", if misere { "yes" } else { "no" })];
            let table = Table::new(&rules, &options, 2, 0);
            let lost = |piles: &[u64]| match misere && piles.iter().all(|n| *n <= 1) {
                true => piles.iter().sum::<u64>() % 2 == 1,
                false => piles.iter().fold(0, |sum, n| sum ^ n) == 0,
            };
            for bot in ["exact", "mcts:2000"] {
                let advice = table.ask(bot, 1).unwrap();
                assert!(advice.exact, "{bot} {options:?}");
                assert_eq!(advice.value == 1.0, !lost(&piles), "{bot} {options:?} {advice:?}");
                let mut after = piles;
                let args: Vec<u64> =
                    advice.best.args.iter().map(|arg| format!("{arg:?}")).map(|n| number(&n)).collect();
                after[args[0] as usize - 1] -= args[1];
                assert!(lost(&piles) || lost(&after), "{bot} {options:?} {args:?}");
            }
        }
    }
}

/// Returns the number formed by the digits of a text.
fn number(text: &str) -> u64 {
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

/// Whoever is nearest to 40 wins. Bots try 0 to 30 only, of which 30 is best, but 40 beats it.
#[test]
fn nothing_is_certain_where_only_some_numbers_are_tried() {
    let rules = written(
        "game \"Near\" { players 2 }\neach player { said: int = 0 }\n\
         move say_it(n in int try 0..30) { me.said := n }\n\
         play { each p in players { ask p to say_it } }\nwinner lowest abs(me.said - 40)\n",
    );
    let table = Table::new(&rules, &[], 2, 0);
    let refused = table.ask("exact", 0).unwrap_err();
    assert!(refused.message.contains("only some are tried"), "{refused:?}");
    let first = table.ask("auto:2000", 0).unwrap();
    assert!(!first.exact && first.best_stats().is_some_and(|best| best.end.is_none()), "{first:?}");
    let second = table.after(&["say_it 30"]).ask("auto:2000", 0).unwrap();
    assert!(!second.exact, "{second:?}");
}

#[test]
fn a_win_is_taken_and_a_loss_is_prevented() {
    let table = Table::new(&shipped("connect-four"), &[], 2, 0);
    let positions: [(&[&str], &str); 4] = [
        // An own line, up a column or along the floor, must be completed.
        (&["drop 1", "drop 2", "drop 1", "drop 2", "drop 1", "drop 2"], "drop 1"),
        (&["drop 1", "drop 7", "drop 2", "drop 7", "drop 3", "drop 6"], "drop 4"),
        // The opponent's line must be blocked.
        (&["drop 1", "drop 2", "drop 1", "drop 2", "drop 1"], "drop 1"),
        (&["drop 7", "drop 1", "drop 7", "drop 2", "drop 5", "drop 3"], "drop 4"),
    ];
    for (moves, best) in positions {
        let table = table.again(0).after(moves);
        for seed in 0..2 {
            assert_eq!(table.best("mcts:400", seed), best, "after {moves:?}");
        }
    }
    // A win in one move must be known to be certain.
    let advice = table.again(0).after(positions[0].0).ask("mcts:400", 0).unwrap();
    assert!(advice.exact && advice.value == 1.0);
    assert_eq!(advice.best_stats().unwrap().end.unwrap().choices, 1);
}

#[test]
fn the_same_seed_brings_the_same_advice() {
    for (name, options) in [("connect-four", [].as_slice()), ("pig", &[("goal", "20")]), ("kalah", &[])] {
        let table = Table::new(&shipped(name), options, 2, 5);
        for bot in ["random", "easy", "casual", "medium", "greedy", "mcts:60", "auto:60"] {
            assert_eq!(table.ask(bot, 7).unwrap(), table.ask(bot, 7).unwrap(), "{name} {bot}");
        }
    }
}

#[test]
fn choices_made_together_are_mixed() {
    let rules = written(
        "game \"Hands\" { players 2 called first, second }\n\
         each player { shown: 0..2 }\n\
         move show_hand(hand in 0..2) { me.shown := hand }\n\
         play {\n\
           together players { show_hand }\n\
           if (first.shown - second.shown) mod 3 = 1 { win first }\n\
           if (first.shown - second.shown) mod 3 = 2 { win second }\n\
         }\n",
    );
    let table = Table::new(&rules, &[], 2, 0);
    let mut counts = BTreeMap::new();
    for seed in 0..120 {
        *counts.entry(table.best("mcts:300", seed)).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 3);
    assert!(counts.values().all(|n| (20..=60).contains(n)), "{counts:?}");
    let advice = table.ask("mcts:3000", 1).unwrap();
    assert!(advice.is_mixed() && (advice.value - 0.5).abs() < 0.05, "{advice:?}");
}

/// Between two who never err, dropping out of the numerical card game is as good as laying the 1, which wins against every
/// other card.
#[test]
fn what_gains_nothing_from_mistakes_is_not_mixed_in() {
    let table = Table::new(&shipped("numerical-card-game"), &[], 2, 0);
    let drops = |seed: u64| {
        let advice = table.ask("mcts:1500", seed).unwrap();
        let likely = advice.moves.iter().zip(&advice.mix);
        likely.filter(|(weighed, _)| weighed.chosen.args.is_empty()).map(|(_, likely)| likely).sum::<f64>()
    };
    let all: f64 = (0..20).map(drops).sum();
    assert!(all < 2.0, "{all}");
}

/// Who holds in Pig before anything was gathered looks like somebody who has not understood the game.
#[test]
fn few_playouts_are_no_reason_to_do_nothing() {
    let table = Table::new(&shipped("pig"), &[], 2, 0);
    // A learner overlooks a move now and then. By playouts alone, `easy` would hold half of the time, `casual` a third.
    for (bot, most) in [("easy", 13), ("casual", 10), ("medium", 5)] {
        let holds = (0..40).filter(|seed| table.best(bot, *seed) == "hold").count();
        assert!(holds <= most, "{bot}: {holds} of 40");
    }
    // Passing is right where whatever else is played loses.
    let rules = written(
        "game \"Quiet\" { players 2 }\n\
         each player { lives: 0..3 = 3 }\n\
         move jump { me.lives -= 1 }\n\
         move pass { }\n\
         play {\n turns as turn until turn = 40 or some(p in players: p.lives = 0) { jump or pass }\n }\n\
         winner highest me.lives\n",
    );
    let table = Table::new(&rules, &[], 2, 0);
    let passes = (0..20).filter(|seed| table.best("medium", *seed) == "pass").count();
    assert!(passes >= 12, "{passes} of 20");
}

/// A player who wins whatever the others choose must not mix, and the value must not be diluted by moves that
/// were only tried.
#[test]
fn what_wins_whatever_others_choose_is_certain() {
    let rules = written(
        "game \"Bids\" { players 2 to 3 }\n\
         each player { coins: 0..5 = 5 bid: 0..5 = 0 }\n\
         move pay(amount in 0..me.coins) { me.bid := amount }\n\
         play {\n\
           each p in players where p != seat(1) { p.coins := 3 }\n\
           together players { pay }\n\
         }\n\
         winner highest me.bid\n"
            .replace(" bid:", "\n bid:")
            .as_str(),
    );
    let wins = |advice: &Advice| advice.best.args == [Value::int(4)] || advice.best.args == [Value::int(5)];
    let advice = Table::new(&rules, &[], 2, 0).ask("mcts:4000", 1).unwrap();
    assert!(!advice.is_mixed() && advice.exact && advice.value == 1.0 && wins(&advice), "{advice:?}");
    // With two opponents not all of their joint choices are met; moves that were only tried must not count.
    let advice = Table::new(&rules, &[], 3, 0).ask("mcts:4000", 1).unwrap();
    assert!(advice.value == 1.0 && wins(&advice), "{advice:?}");
    // If the result depends on the others, it must not be exact.
    let even = written(&rules.source.text.replace("3 }\n", "5 }\n"));
    let advice = Table::new(&even, &[], 2, 0).ask("mcts:4000", 1).unwrap();
    assert!(!advice.exact, "{advice:?}");
}

#[test]
fn chance_is_reckoned_with() {
    let rules = shipped("pig");
    // Rolling at 0 risks nothing, and a winning total must be held.
    let table = Table::new(&rules, &[("goal", "15")], 2, 1);
    assert_eq!(table.best("mcts:400", 1), "roll");
    let mut table = Table::new(&rules, &[("goal", "15")], 2, 1);
    let mut asked = 0;
    for _ in 0..40 {
        let Some(player) = table.played.to_move().first().copied() else { break };
        let (_, legal) = table.played.legal(player, 10).unwrap();
        let words: Vec<String> = legal.iter().map(|entry| table.played.entry_words(entry)).collect();
        let shows = table.played.show().unwrap();
        let (totals, turn) = shows.split_once(" + ").unwrap();
        let total: u64 = totals.split(',').nth(player - 1).unwrap().trim().parse().unwrap();
        if total + turn.parse::<u64>().unwrap() >= 15 && words.contains(&"hold".to_string()) {
            assert_eq!(table.best("mcts:200", 3), "hold", "{shows}");
            asked += 1;
        }
        let at = usize::from(words.len() > 1 && turn == "0");
        let roll = legal.iter().find(|entry| entry.name == "roll").unwrap_or(&legal[at.min(legal.len() - 1)]);
        table.played.make(roll).unwrap();
    }
    assert!(asked > 0);
}

/// Where chance draws, whole games that are small enough are solved once, and then played as well as can be.
#[test]
fn hard_and_exact_play_pig_perfectly() {
    let (goal, pig) = (30, Pig::new(30));
    let mut choices = 0;
    for (bot, seed) in [("hard", 1), ("hard", 2), ("exact", 3)] {
        let mut table = Table::new(&shipped("pig"), &[("goal", "30")], 2, seed);
        while let Some(player) = table.played.to_move().first().copied() {
            let shows = table.played.show().unwrap();
            let numbers: Vec<usize> =
                shows.split([',', '+']).filter_map(|part| part.trim().parse().ok()).collect();
            let (mine, yours, turn) = (numbers[player - 1], numbers[2 - player], numbers[2]);
            let advice = table.ask(bot, choices).unwrap();
            assert!(advice.exact, "{bot} at {shows}");
            let best = if mine + turn >= goal { 1.0 } else { pig.value(mine, yours, turn) };
            let entry = table.played.rules.entry(player - 1, &advice.best);
            let chosen = match entry.name.as_str() {
                "roll" => pig.roll(mine, yours, turn),
                _ => pig.hold(mine, yours, turn),
            };
            assert!((advice.value - best).abs() < 1e-6, "{bot} at {shows}: {} is {best}", advice.value);
            assert!((chosen - best).abs() < 1e-6, "{bot} at {shows}: {chosen} of {best}");
            table.played.make(&entry).unwrap();
            choices += 1;
        }
        assert!(table.played.over());
    }
    assert!(choices > 15, "{choices}");
}

#[test]
fn three_play_each_for_himself() {
    // Whoever takes the last one wins: with 3 left player 1 can take them all; with 4 player 1 cannot, but
    // player 2 can win.
    let rules = written(
        "game \"Last\" { players 2 or more }\n\
         option n: 1..20 = 3\n\
         table { left: 0..20 = n }\n\
         move take(k in 1..3) { need k <= left else \"too many\"\n left -= k }\n\
         play { turns { take\n win me when left = 0 } }\n",
    );
    for (n, value) in [("3", 1.0), ("4", 0.0), ("5", 0.0)] {
        let table = Table::new(&rules, &[("n", n)], 3, 0);
        for bot in ["mcts:2000", "exact"] {
            let advice = match table.ask(bot, 0) {
                Ok(advice) => advice,
                // A player who loses anyway decides between the others, so the value is undetermined.
                Err(refused) if bot == "exact" => {
                    assert!(refused.message.contains("cannot be searched"), "{}", refused.message);
                    continue;
                }
                Err(refused) => panic!("{refused:?}"),
            };
            assert!((advice.value - value).abs() < 0.2 || n == "5", "{n} {bot} {advice:?}");
        }
    }
}

#[test]
fn every_bot_plays_every_shipped_game() {
    for (name, _) in bundled() {
        let rules = shipped(&name);
        let players = rules.default_players();
        let table = Table::new(&rules, &[], players, 1);
        for bot in ["random", "easy", "mcts:3", "auto:3", "greedy"] {
            let most = if matches!(bot, "easy" | "greedy") { 3 } else { 25 };
            table.again(1).play_on(&[bot], most);
        }
    }
}

#[test]
fn hidden_moves_without_numbers_do_not_stop_a_search() {
    // Money has no upper bound, so bids have no ids; the higher bid wins.
    let rules = written(
        "game \"Bids\" { players 2 }\n\
         each player {\n\
           money: 0 or more = 9\n\
           offer: 0 or more secret\n\
         }\n\
         move bid(amount in 0..me.money) { me.offer := amount }\n\
         play {\n\
           together players { bid }\n\
           reveal offer\n\
           each p in players { award p.offer to p }\n\
         }\n\
         winner highest score\n",
    );
    let table = Table::new(&rules, &[], 2, 1);
    let advice = table.ask("mcts:400", 1).unwrap();
    assert!(advice.value > 0.5, "{advice:?}");
    assert_eq!(advice.playouts, 400);
}

/// Where both choose unseen among thousands of codes, no code is worth more than another: nobody has guessed yet.
#[test]
fn no_hidden_code_promises_the_win() {
    let table = Table::new(&shipped("bulls-and-cows"), &[], 2, 0);
    for seed in 1..4 {
        let advice = table.ask("mcts:5000", seed).unwrap();
        assert!((0.45..=0.55).contains(&advice.value), "seed {seed}: {}", advice.value);
    }
}

/// Whoever claims more dice than there can be beside their own loses one at once, since the other calls the claim. That
/// takes opponents who learn, also where moves have no ids since nothing bounds what is left.
#[test]
fn nobody_claims_what_their_own_dice_refute() {
    for left in ["0..2", "0 or more"] {
        let rules = written(&format!(
            "game \"Cups\" {{ players 2 }}\n\
             table {{ count: 0..4 = 0\n face: 0..6 = 0\n called: yes or no = no\n bidder: player = seat(1)\n\
               pool: bag of 1..6 = bag() hidden }}\n\
             each player {{ left: {left} = 2\n cup: bag of 1..6 = bag() secret }}\n\
             move claim(many in 1..sum(p in players: p.left), of in 1..6) {{\n\
               need many > count or many = count and of > face else \"not higher\"\n\
               count := many\n face := of\n bidder := me\n}}\n\
             move liar {{ need count > 0 else \"nothing is claimed\"\n called := yes }}\n\
             play {{\n repeat {{\n count := 0\n face := 0\n called := no\n\
               pool := bag()\n each f in 1..6 {{ repeat 4 {{ pool += f }} }}\n\
               each p in players {{ p.cup := bag()\n deal p.left from pool to p.cup }}\n\
               turns from bidder until called {{ claim or liar }}\n\
               reveal cup\n\
               let there = sum(p in players: copies(face, p.cup))\n\
               if there < count {{ bidder.left -= 1 }} else {{ bidder.next.left -= 1 }}\n\
             }} until some(p in players: p.left = 0)\n}}\n\
             winner highest me.left\n"
        ));
        for seed in 0..4 {
            let table = Table::new(&rules, &[], 2, seed);
            let view = table.played.view(Viewer::Player(1)).unwrap();
            let cup = view["players"][0]["cup"].as_array().unwrap();
            let best = table.best("mcts:25000", 1);
            let [many, face] =
                best.strip_prefix("claim ").unwrap().split(' ').map(number).collect::<Vec<_>>()[..]
            else {
                panic!("{best}")
            };
            let own = cup.iter().filter(|die| die.as_u64() == Some(face)).count() as u64;
            assert!(many <= own + 2, "{best} with {cup:?}");
        }
    }
}

/// One of five boxes hides a coin, so a seeker who does not know finds it one time in five. Tossing for the
/// match instead of hiding it gives away thirty matches in a hundred.
#[test]
fn nobody_sees_what_another_has_chosen_in_secret() {
    let rules = written(
        r#"
game "Boxes Or Toss" { players 2 }
each player { spot: optional 1..5 = none secret }
secret move hide(x in 1..5) { me.spot := x }
move toss {
  chance side in 1..2
  if side = 1 { win seat(1) }
  win seat(2)
}
move open(x in 1..5) { if seat(1).spot = x { win me } }
play {
  ask seat(1) to hide or toss
  ask seat(2) to open
  win seat(1)
}
"#,
    );
    let table = Table::new(&rules, &[], 2, 0);
    for seed in 0..5 {
        let advice = table.ask("mcts:3000", seed).unwrap();
        assert!(table.best("mcts:3000", seed).starts_with("hide"), "{advice:?}");
        assert!((0.75..0.9).contains(&advice.value), "{}", advice.value);
    }
    let mut hidden = Table::new(&rules, &[], 2, 0);
    let (_, legal) = hidden.played.legal(1, 10).unwrap();
    let hide = legal.into_iter().find(|entry| hidden.played.entry_words(entry) == "hide 3");
    hidden.played.make(&hide.unwrap()).unwrap();
    let value = hidden.ask("mcts:3000", 1).unwrap().value;
    assert!((0.1..0.35).contains(&value), "{value}");
}

/// Six different digits are appended to a number, which is the score; the best is 987654 (by hand).
/// After `open 1` the second player, who cannot win, decides between the others: each of its moves is as likely, so
/// the first player is sure of nothing.
#[test]
fn who_has_lost_may_decide_between_the_others() {
    let rules = written(
        "game \"Favour\" { players 3 }\n\
         table { opened: 0..2 = 0\n given: 0..2 = 0 }\n\
         move open(n in 1..2) { opened := n }\n\
         move give(to in 1..2) { given := to }\n\
         play { ask seat(1) to open\n ask seat(2) to give }\n\
         score = if me.number = 1 then (if opened = 1 and given = 1 then 1 else 0)\n\
           else if me.number = 3 then (if opened = 1 and given = 1 then 0 else 1) else 0\n\
         winner highest score\n",
    );
    let table = Table::new(&rules, &[], 3, 0);
    let advice = table.ask("mcts:2000", 0).unwrap();
    assert!(!advice.exact && (advice.value - 0.5).abs() < 0.05, "{advice:?}");
}

/// The number of guesses that halving needs is known: at most 5 for 31 numbers, 4.16 in the mean.
#[test]
fn questions_are_chosen_for_what_their_answers_tell() {
    let rules = written(
        "game \"Higher\" { players 1 }\n\
         table { pool: list of 1..31 = list(1..31) hidden\n goal: 1..31 = 1 hidden\n\
           answer: {none_yet, higher, lower, right} = none_yet\n guesses: 0 or more = 0 }\n\
         move guess(number in 1..31) {\n guesses += 1\n\
           answer := if goal > number then higher else if goal < number then lower else right\n }\n\
         play { draw x from pool\n goal := x\n turns until answer = right { guess } }\n\
         score = 0 - guesses\nwinner highest score\n",
    );
    let mut guesses = 0;
    for seed in 0..12 {
        let mut table = Table::new(&rules, &[], 1, seed);
        table.play_on(&["mcts:500"], 40);
        assert!(table.played.over(), "seed {seed}");
        guesses += table.played.depth() - 1;
    }
    assert!(guesses <= 12 * 6, "{guesses} guesses in 12 matches");
}

/// What is thrown may bring back a position of the same match: such play is judged as exactly as any other.
#[test]
fn positions_that_chance_brings_back_are_searched_on() {
    let rules = written(
        "game \"Dare\" { players 2 }\n\
         table { pot: 0..100 = 0 }\n each player { bank: 0..100 = 0 }\n\
         move throw {\n need me.bank + pot < 12 else \"enough\"\n chance die in 1..6\n if die > 2 { pot += die\n again } else { pot := 0 }\n }\n\
         move keep {\n need pot > 0 else \"nothing\"\n me.bank += pot\n pot := 0\n }\n\
         play { turns { throw or keep\n win me when me.bank >= 12 } }\n",
    );
    let table = Table::new(&rules, &[], 2, 0);
    let exact = table.ask("exact", 0).unwrap().value;
    let searched = table.ask("mcts:30000", 0).unwrap().value;
    assert!((searched - exact).abs() < 0.03, "{searched} instead of {exact}");
}

/// Playouts from deep in the tree are made several at a time; an outcome that leads there counts no more for that.
/// Here a throw wins unless the sum is 7, which has a probability of 1/6, and even then not all is lost.
#[test]
fn outcomes_count_as_often_as_they_come_up() {
    let rules = written(
        "game \"Dare\" { players 2 }\n\
         table { pot: 0..200 = 99 }\n\
         each player { bank: 0..200 = if me.number = 1 then 0 else 72 }\n\
         move throw {\n need me.bank + pot < 100 else \"enough\"\n chance a in 1..6\n chance b in 1..6\n\
           if a + b != 7 { pot += a + b\n again } else { pot := 0 }\n }\n\
         move keep {\n need pot > 0 else \"nothing\"\n me.bank += pot\n pot := 0\n }\n\
         play { turns { throw or keep\n win me when me.bank >= 100 } }\n",
    );
    let table = Table::new(&rules, &[], 2, 0);
    let advice = table.ask("mcts:20000", 0).unwrap();
    assert_eq!(table.best("mcts:20000", 0), "throw");
    assert!(advice.value > 5.0 / 6.0 - 0.02, "{advice:?}");
}

/// The higher bid wins, so that both bid 5 and share the win; what the other only tries does not count.
#[test]
fn values_of_joint_choices_are_those_against_the_others_mix() {
    let rules = written(
        "game \"Lot\" { players 2 }\n each player { offer: 0..5 = 0 }\n\
         move bid(amount in 0..5) { me.offer := amount }\n\
         play { together players { bid } }\n winner highest me.offer\n",
    );
    let table = Table::new(&rules, &[], 2, 0);
    let advice = table.ask("mcts:3000", 0).unwrap();
    assert!((advice.value - 0.5).abs() < 0.01, "{advice:?}");
    assert!(advice.moves[1..].iter().all(|weighed| weighed.value < 0.05), "{advice:?}");
}

#[test]
fn who_plays_alone_plays_for_the_score() {
    let rules = written(
        r#"
game "Six Digits" { players 1 }
table {
  number: int = 0
  left: set of 1..9 = set(1..9)
  put: 0..6 = 0
}
move put(digit in left) {
  left -= digit
  number := 10 * number + digit
  put += 1
}
play { turns until put = 6 { put } }
score = number
winner highest score
"#,
    );
    for (bot, exact) in [("mcts:3000", false), ("exact", true)] {
        let mut table = Table::new(&rules, &[], 1, 3);
        let advice = table.ask(bot, 1).unwrap();
        assert_eq!((table.best(bot, 1).as_str(), advice.exact), ("put 9", exact));
        let score = advice.best_stats().unwrap().score.unwrap();
        assert!(score > 900_000.0 && (!exact || score == 987_654.0), "{advice:?}");
        table.play_on(&[bot], 10);
        assert_eq!(table.played.scores().unwrap().unwrap()[0].to_string(), "987654", "{bot}");
    }
}

#[test]
fn contests_are_counted_and_are_the_same_in_parts() {
    let rules = shipped("nim");
    let table = Table::new(&rules, &[("piles", "3,4,5")], 2, 0);
    let machine = rules.machine(&rules.read_options([("piles", "3,4,5")]).unwrap(), 2).unwrap();
    let bots = [Bot::parse("auto:100").unwrap(), Bot::Random];
    let (mind, setup) = (&table.mind, &machine.setup);
    let contest =
        Contest { rules: &rules, setup, bots: &bots, mind, clock: &StoppedClock, seed: 3, max_moves: 100 };
    let whole = contest.play(0..6, true);
    // The first player can win 3, 4, 5, and exact play does.
    assert_eq!((whole.tally.games, whole.tally.wins.as_slice()), (6, [6, 0].as_slice()));
    let (one, two) = (contest.play(0..2, true), contest.play(2..6, true));
    assert_eq!(whole.records, one.records + &two.records);
    for line in whole.records.lines() {
        let replayed = replay(rules.clone(), &Record::read(line).unwrap()).unwrap();
        assert!(replayed.broken.is_none() && replayed.played.over());
    }
    // A bot that cannot choose must say why.
    let bots = [Bot::Exact, Bot::Exact];
    let table = Table::new(&shipped("goofspiel"), &[], 2, 0);
    let machine = table.played.rules.machine(&BTreeMap::new(), 2).unwrap();
    let contest = Contest {
        rules: &table.played.rules,
        setup: &machine.setup,
        bots: &bots,
        mind: &table.mind,
        clock: &StoppedClock,
        seed: 0,
        max_moves: 9,
    };
    let (n, sentence) = contest.play(0..3, false).refused.unwrap();
    assert!(n == 0 && sentence.contains("cannot be searched to its end"), "{sentence}");
}

#[test]
fn what_several_trees_know_is_added_up() {
    let rules = Rules::load(bundled_source("tic-tac-toe").unwrap()).unwrap();
    let machine = rules.machine(&Default::default(), 2).unwrap();
    let start = machine.start().unwrap();
    let grown = |seed: u64, playouts: u64| {
        let mut search = Search::new(&machine, 0, true, false);
        search.run(&mut |_, _| Some(start.clone()), &mut Rng::new(seed), &|done| done < playouts);
        search
    };
    let visits = |search: &Search<Machine>| {
        let advice = search.advice(&mut Rng::new(0)).unwrap().unwrap();
        let mut visits: Vec<_> =
            advice.moves.iter().map(|weighed| (weighed.chosen.args.clone(), weighed.visits)).collect();
        visits.sort();
        visits
    };
    let (mut one, other) = (grown(1, 300), grown(2, 200));
    let (first, second) = (visits(&one), visits(&other));
    one.join(&other.into_result());
    assert_eq!(one.playouts(), 500);
    let sums = first.iter().zip(&second).map(|((args, a), (same, b))| {
        assert_eq!(args, same);
        (args.clone(), a + b)
    });
    assert_eq!(visits(&one), sums.collect::<Vec<_>>());
    // A tree with hardly any playouts must take over the visits of the other.
    let mut late = grown(3, 1);
    late.join(&grown(2, 200).into_result());
    assert!(
        visits(&late).iter().all(|(args, n)| second.iter().any(|(same, all)| same == args && *n <= all + 1))
    );
}

#[test]
fn a_learner_does_not_leave_before_there_is_anything_to_take() {
    // A die is rolled as often as one likes; a 1 loses all; points come only from leaving.
    let text = "game \"Push\" { players 1 }\ntable { pot: int = 0\n banked: int = 0\n gone: yes or no = no }\n\
                move roll { chance die in 1..6\n if die = 1 { pot := 0 } else { pot += die } }\n\
                move leave { banked := pot\n gone := yes }\nscore = banked\n\
                play { repeat { ask seat(1) to roll or leave } until gone }\nwinner highest score\n";
    let table = Table::new(&written(text), &[], 1, 0);
    let leaves = (0..40).filter(|seed| table.best("easy", *seed) == "leave");
    // One in six looks overlooks the better move.
    assert!(leaves.count() < 15);
}

/// Where chance draws, estimates do not favour whoever is to choose: what two players can expect at two successive choices adds
/// up to 1 on average.
#[test]
fn estimates_do_not_favour_who_is_to_choose() {
    let rules = written(
        "game \"Runners\" { players 2 }\n\
         table { a: 1..6 = 1\n b: 1..6 = 1 }\n\
         each player { at: list of exactly 4 of 0..24 = 4 copies of 0 }\n\
         define spot(p, x) = if p = seat(1) then x else (x + 11) mod 24 + 1\n\
         define meets(p, x, q, y) = x in 1..23 and y in 1..23 and spot(p, x) = spot(q, y)\n\
         move run(j in 1..4, k in 1..4) {\n\
           me.at[j] := min(24, me.at[j] + a)\n\
           me.at[k] := min(24, me.at[k] + b)\n\
           each i in 1..4 { if some(h in [j, k]: meets(me, me.at[h], me.next, me.next.at[i])) { me.next.at[i] := 0 } }\n\
         }\n\
         play { turns { chance x in 1..6\n chance y in 1..6\n a := x\n b := y\n run\n\
           win me when all(k in 1..4: me.at[k] = 24) } }\n",
    );
    let first = Table::new(&rules, &[], 2, 0);
    let (mut favoured, mut count) = (0.0, 0);
    let bot = Bot::parse("mcts:500").unwrap();
    for seed in 0..10 {
        let mut table = first.again(seed);
        table.play_on(&["random"], 2 * seed);
        for _ in 0..2 {
            let player = table.played.to_move()[0];
            let mut rng = Rng::nth(seed, count);
            let advice =
                table.mind.advise_person(&table.played, player, bot, &StoppedClock, &mut rng).unwrap();
            favoured += advice.value - 0.5;
            count += 1;
            let best = table.played.rules.entry(player - 1, &advice.best);
            table.played.make(&best).unwrap();
        }
    }
    let favoured = favoured / count as f64;
    assert!(favoured.abs() < 0.03, "{favoured}");
}

//! Bots: choices must be legal, good by what is known about small games, and the same for the same seed.

mod chance;
mod equilibrium;
mod hidden;
mod joint;

use std::collections::BTreeMap;

use crate::table::{Table, shipped, written};
use parlour::bots::{Bot, Search, StoppedClock};
use parlour::eval::Machine;
use parlour::lab::Contest;
use parlour::num::Rng;
use parlour::play::{Record, Rules, bundled, bundled_source, replay};

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
        "tree",
        "tree:20",
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

/// Who wins together, as the rules are written, is in one team.
#[test]
fn seats_whose_results_are_the_same_are_in_one_team() {
    let pairs = vec![vec![0, 2], vec![1, 3]];
    let each = vec![vec![0], vec![1], vec![2], vec![3]];
    let base = "each player { purse: 0..99 = 0\n side: 0..3 = 0 }\nmove take(k in 1..3) { me.purse += k }\n";
    let play = "play { each p in players { ask p to take } }\n";
    let cases = [
        (
            format!(
                "define team(p) = p.number mod 2\nscore = sum(p in players where team(p) = team(me): p.purse)\n\
                 {play}winner highest score\n"
            ),
            pairs.clone(),
        ),
        (format!("{play}winner highest me.purse + me.next.next.purse\n"), pairs.clone()),
        (
            format!("{play}winner highest if me.number in {{1, 3}} then seat(1).purse else seat(2).purse\n"),
            pairs.clone(),
        ),
        (
            "play { each p in players { ask p to take }\n\
             if seat(1).purse > seat(2).purse { win [seat(1), seat(3)] }\n\
             win [p in players where p.number mod 2 = 0: p] }\n"
                .to_string(),
            pairs.clone(),
        ),
        (
            "define team(p) = p.number mod 2\nplay { turns { take\n\
             if me.purse > 9 { win [p in players where team(p) = team(me)] } } }\n"
                .to_string(),
            pairs,
        ),
        (
            "play { turns { take\nif me.purse > 9 { win [p in players where p.purse > 5] } } }\n".to_string(),
            each.clone(),
        ),
        (
            "play { turns { take\nif me.purse > 9 { if me = seat(2) { win seat(2) }\n\
             win [p in players where p != seat(2)] } } }\n"
                .to_string(),
            vec![vec![0, 2, 3], vec![1]],
        ),
        (
            "play { turns { take\nif me.purse > 9 { if me.number > 2 { win seat(2) }\nwin {seat(1), seat(3)} } } }\n".to_string(),
            vec![vec![0, 2], vec![1], vec![3]],
        ),
        (format!("{play}winner highest me.purse\n"), each.clone()),
        (format!("{play}winner highest me.purse + me.next.next.purse, then last mover\n"), each.clone()),
        (format!("{play}winner highest me.purse + me.next.purse\n"), each),
    ];
    for (rest, sides) in cases {
        let text = format!("game \"Teams\" {{ players 4 }}\n{base}{rest}");
        let machine = written(&text).machine(&Default::default(), 4).unwrap();
        assert_eq!(machine.interests.sides(4), sides, "{text}");
    }
}

/// Where a search to the end takes about as long as the playouts, what it proves decides, wherever descents have gone.
#[test]
fn what_can_be_proved_decides() {
    for misere in ["yes", "no"] {
        let table = Table::new(&shipped("nim"), &[("piles", "3,4,5"), ("misere", misere)], 2, 0);
        for seed in 0..3 {
            assert_eq!(table.best("mcts:1000", seed), "take 1 2", "misere={misere}");
            let advice = table.ask("mcts:1000", seed).unwrap();
            assert!(advice.exact && advice.value == 1.0 && advice.playouts <= 1000, "{advice:?}");
        }
    }
    // By a solution of all positions: the moves that are as good as any after these.
    let four = Table::new(&shipped("connect-four"), &[("columns", "4"), ("rows", "4")], 2, 0);
    for (made, good) in [
        (&[2, 1, 3][..], &[4][..]),
        (&[4, 3, 3], &[3]),
        (&[1, 2], &[1, 3, 4]),
        (&[2, 1, 4, 3, 2, 2], &[2]),
        (&[2, 3, 4, 1, 2, 2], &[2]),
    ] {
        let made: Vec<String> = made.iter().map(|column| format!("drop {column}")).collect();
        let made: Vec<&str> = made.iter().map(String::as_str).collect();
        let table = four.again(0).after(&made);
        let best = table.best("mcts:1000", 7);
        assert!(good.iter().any(|column| best == format!("drop {column}")), "{best} after {made:?}");
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

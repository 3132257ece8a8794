//! Where chance draws: what is likely counts, no more and no less.

use crate::known::pig::Pig;
use crate::table::{Table, shipped, written};
use parlour::bots::{Bot, StoppedClock};
use parlour::num::Rng;

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

/// Who overlooks a move does not make one that loses at once in its place.
#[test]
fn a_learner_does_not_lose_at_once_while_there_is_another_move() {
    let text = "game \"Few\" { players 2 }\ntable { last: 1..3 = 1 }\n\
                move resign { last := 1 }\nmove go_on { last := 3 }\nmove wait { last := 2 }\n\
                play { ask seat(1) to resign or wait or go_on\n win seat(2) when last = 1\n\
                chance die in 1..6\n if die <= 3 { win seat(1) }\n win seat(2) }\n";
    let table = Table::new(&written(text), &[], 2, 0);
    assert!((0..200).all(|seed| table.best("easy", seed) != "resign"));
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

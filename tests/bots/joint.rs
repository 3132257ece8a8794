//! Choices that are made together: moves are mixed where that helps, and only there.

use std::collections::BTreeMap;

use crate::table::{Table, shipped, written};
use parlour::bots::{Advice, Bot, Effort, StoppedClock};
use parlour::ir::Value;
use parlour::num::Rng;

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

/// Of three who choose alike, none stands better, although two of them may be in each other's way for the good of the third.
#[test]
fn of_three_who_choose_together_none_is_favoured() {
    let rules = written(
        "game \"Alone\" { players 3 }\n\
         each player { mine: 0..9 = 0 }\n\
         move write(number in 1..4) { me.mine := number }\n\
         play { repeat 3 {\n\
           together players { write }\n\
           let alone = once([p in players: p.mine])\n\
           if alone is not empty { each p in players where p.mine = smallest(alone) { win p } }\n\
         } }\n",
    );
    let Table { played, mind } = Table::new(&rules, &[], 3, 0);
    for seed in 1..=4 {
        let effort = Effort::Playouts(4000);
        let standing = mind.standing(&played, 1, effort, &StoppedClock, &mut Rng::new(seed)).unwrap();
        let most = standing.values.iter().copied().fold(0.0, f64::max);
        assert!(most < 0.7, "seed {seed}: {standing:?}");
        // What is said is not surer than it is.
        let third = 1.0 / 3.0;
        let holds = (0..3).all(|seat| {
            let (low, high) = standing.interval(seat);
            (low - 0.05..=high + 0.05).contains(&third)
        });
        assert!(holds, "seed {seed}: {standing:?}");
    }
}

/// Of three, the lowest number that nobody else has named wins. A mix of 50, 25 and 25 % gets every number a third of the win if
/// the others mix so, by the rules: 1 gets (1/2)² + (1/2)²/3, and 2 and 3 get (1/2)² + (1/4)² + (1/4)²/3.
#[test]
fn three_who_choose_together_mix_by_an_equilibrium() {
    let table = Table::new(&written(include_str!("../equilibrium/lowest-alone.game")), &[], 3, 0);
    let (third, near) = (1.0 / 3.0, |a: f64, b: f64| (a - b).abs() < 0.005);
    for seat in 1..=3 {
        let ask = |bot: &str| {
            let (played, mind) = (&table.played, &table.mind);
            mind.advise_player(played, seat, Bot::parse(bot).unwrap(), &StoppedClock, &mut Rng::new(1))
                .unwrap()
        };
        let advice = ask("hard");
        assert!(advice.exact && near(advice.value, third), "{advice:?}");
        for (weighed, likely) in advice.moves.iter().zip(&advice.mix) {
            let named = if weighed.chosen.args == [Value::Int(1.into())] { 0.5 } else { 0.25 };
            assert!(near(*likely, named) && near(weighed.value, third), "{advice:?}");
        }
        let standing = table
            .mind
            .proved_standing(&table.played, seat, &StoppedClock, &mut Rng::new(1))
            .unwrap()
            .unwrap();
        assert!(standing.values.iter().all(|value| near(*value, third)), "{standing:?}");
    }
}

/// The third seat wins nothing whatever it does, and says which of the first two wins, who are alike.
#[test]
fn nobody_is_favoured_by_who_gains_nothing() {
    let rules = written(
        "game \"Crown\" { players 3 }\n\
         each player { mine: 0..9 = 0 }\n\
         move write(number in 1..2) { me.mine := number }\n\
         move crown(p in players where p != seat(3)) { win p }\n\
         play {\n\
           together { ask seat(1) to write\n ask seat(2) to write }\n\
           ask seat(3) to crown\n\
         }\n",
    );
    let table = Table::new(&rules, &[], 3, 0);
    table.mind.solve_whole_game(&StoppedClock, &mut |_| {});
    let proved = table.mind.proved_standing(&table.played, 1, &StoppedClock, &mut Rng::new(1));
    assert_eq!(proved.unwrap().unwrap().values, [0.5, 0.5, 0.0]);
    // In mid-match, too, who plays exactly has a move.
    let table = table.after(&["write 1", "write 2"]);
    assert!(table.ask("exact", 1).is_ok());
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

/// With few playouts, of which each says little, a seat chooses what brings the most at once, even though others choose at the
/// same time, in the open or in secret.
#[test]
fn what_brings_the_most_at_once_is_chosen_until_playouts_say_otherwise() {
    for secret in ["", "secret "] {
        let rules = written(&format!(
            "game \"Parts\" {{ players 2 }}\n\
             each player {{ number: 1..30 {secret}}}\n\
             {secret}move choose(number in 1..30) {{ me.number := number }}\n\
             play {{\n\
               repeat 8 {{\n\
                 together players {{ choose }}\n\
                 let a = seat(1).number\n\
                 let b = seat(2).number\n\
                 if a divides b {{ award 2 to seat(1) }}\n\
                 if b divides a {{ award 2 to seat(2) }}\n\
               }}\n\
             }}\n\
             winner highest score\n"
        ));
        let table = Table::new(&rules, &[], 2, 0);
        let best = (0..20).filter(|seed| table.best("mcts:50", *seed) == "choose 1").count();
        assert!(best >= 15, "{secret}{best} of 20");
    }
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

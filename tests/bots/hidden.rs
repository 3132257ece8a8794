//! Where something is hidden: bots use what they know, and nothing else.

use super::number;
use crate::table::{Table, shipped, written};
use parlour::play::Viewer;

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

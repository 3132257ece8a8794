//! One seat hides something, and the other asks and learns: situations that are played alike are laid out once, and that
//! changes no value.

use super::{file, find, flat, parlour, run, written};
use crate::folder::Folder;
use parlour::equilibrium::{Aim, Equilibrium, Search, Stop};
use serde_json::Value as Json;

const SEARCH: Search = Search { nodes: 500_000, ..super::SEARCH };

/// Whoever guesses within the tries wins; what has been asked is written down.
const WITHIN: &str = "game \"Within\" { players 2 }\noption top: 2..100 = 20\noption tries: 1..10 = 6\n\
    table {\n  number: 1..top = 1 hidden\n  reply: {nothing, higher, lower, right} = nothing\n  log: list of 1..top = []\n}\n\
    show \"{reply} {log}\"\nsecret move think(n in 1..top) { number := n }\n\
    move guess(n in 1..top) {\n  log += n\n\
      reply := if n = number then right else if n < number then higher else lower\n}\n\
    play {\n  ask seat(1) to think\n  repeat tries {\n    ask seat(2) to guess\n    win seat(2) when reply = right\n  }\n\
      win seat(1)\n}\n";

/// Each guess that is wrong costs a point, and only what is left can be guessed.
const COUNTED: &str = "game \"Counted\" { players 2 }\noption top: 2..100 = 20\n\
    table {\n  low: 0..top = 0\n  high: 1..top + 1 = top + 1\n  log: list of 1..top = []\n  found: yes or no = no\n}\n\
    each player { number: 0..top = 0 secret }\nshow \"{low} to {high}: {log}\"\n\
    secret move think(n in 1..top) { me.number := n }\n\
    move guess(n in low + 1..high - 1) {\n  log += n\n  if n = me.next.number { found := yes }\n\
      else if n < me.next.number { low := n } else { high := n }\n}\n\
    play {\n  ask seat(1) to think\n  repeat top {\n    ask seat(2) to guess\n    end when found\n    award 1 to seat(1)\n  }\n}\n";

/// The other one answers, and may lie once.
const LIES: &str = "game \"Lies\" { players 2 }\noption tries: 1..6 = 4\n\
    table {\n  asked: 0..5 = 0\n  log: list of {nay, aye} = []\n}\n\
    each player {\n  number: 1..5 = 1 secret\n  lies: 0..1 = 0 secret\n}\n\
    secret move think(n in 1..5) { me.number := n }\nmove ask_for(n in 1..5) { asked := n }\n\
    move answer(what in {nay, aye}) {\n\
      let truth = if me.number >= asked then aye else nay\n\
      need me.lies = 0 or what = truth else \"no more lies\"\n  if what != truth { me.lies += 1 }\n  log += what\n}\n\
    move name(n in 1..5) { asked := n }\n\
    play {\n  ask seat(1) to think\n  repeat tries {\n    ask seat(2) to ask_for\n    ask seat(1) to answer\n  }\n\
      ask seat(2) to name\n  if asked = seat(1).number { win seat(2) }\n  win seat(1)\n}\n";

fn value(found: &Equilibrium) -> f64 {
    found.values[0]
}

/// With k tries, 2ᵏ − 1 numbers can be told apart, and each of them can be any: so the seeker finds one of n with probability
/// (2ᵏ − 1) / n, and thinking of all equally often keeps it at that.
#[test]
fn numbers_are_found_as_often_as_bisection_says() {
    for (top, tries, share) in [(20, 3, 7.0 / 20.0), (20, 4, 15.0 / 20.0), (12, 6, 1.0)] {
        let set = [("top", top.to_string()), ("tries", tries.to_string())];
        let set: Vec<(&str, &str)> = set.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let found = find(&written(WITHIN), &set, SEARCH).unwrap();
        let lost = 1.0 - 2.0 * share;
        assert!(found.exploitability() <= 0.001, "{}", found.exploitability());
        assert!((value(&found) - lost).abs() <= 0.002, "{top} in {tries}: {}, not {lost}", value(&found));
    }
}

/// From an independent Python program, in which the thinker's mix is found by the simplex method (HiGHS) against the search
/// trees that are best against the mixes so far: so many wrong guesses.
#[test]
fn numbers_are_found_as_soon_as_another_program_says() {
    for (top, guesses) in [("7", 14.0 / 9.0), ("10", 23.0 / 12.0), ("20", 30.0 / 11.0)] {
        let found = find(&written(COUNTED), &[("top", top)], Search { aim: Aim::Lead, ..SEARCH }).unwrap();
        assert!((value(&found) - guesses).abs() <= 0.002, "{top}: {}, not {guesses}", value(&found));
    }
}

/// In which order has been asked makes no difference, nor what is only written down.
#[test]
fn situations_that_are_played_alike_are_laid_out_once() {
    let within = find(&written(WITHIN), &[("tries", "4")], SEARCH).unwrap();
    let unwritten = WITHIN.replace("  log += n\n", "");
    let again = find(&written(&unwritten), &[("tries", "4")], SEARCH).unwrap();
    assert_eq!(within.sizes(), again.sizes());
    let (nodes, ..) = within.sizes();
    // For each of at most 210 spans after each guess, 20 guesses at each number of it.
    assert!(nodes < 20 * 20 + 3 * 20 * 1_540 * 2, "{nodes}");
    // Where the words read it, it counts.
    let told = WITHIN.replace("  log += n\n", "  log += n\n  say \"{log}\"\n");
    let search = Search { nodes: 60_000, ..SEARCH };
    assert!(matches!(find(&written(&told), &[("tries", "4")], search), Err(Stop::TooLarge { .. })));
}

/// Bots find their way through merged situations, and win as often as the value says.
#[test]
fn bots_play_what_was_merged() {
    let folder = Folder::new("guessing");
    let game = folder.join("within.game").display().to_string();
    std::fs::write(&game, WITHIN).unwrap();
    let kept = folder.join("mixes.json").display().to_string();
    let set = "--set top=20 --set tries=4";
    let (status, out, err) = run(&format!("{game} {set} --keep {kept} --json"));
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let (status, out, err) = parlour(&format!("simulate {game} {set} --bot mix:{kept} --games 400 --json"));
    assert_eq!((status, err.as_str()), (0, ""));
    let played: Json = serde_json::from_str(&out).unwrap();
    let found = played["wins"][1].as_f64().unwrap() / 400.0;
    // Three standard deviations.
    assert!((found - 0.75).abs() < 3.0 * (0.75f64 * 0.25 / 400.0).sqrt(), "{found}");
}

/// Who answers makes choices of their own, by which situations differ. After q questions, of which one may be answered with a
/// lie, each number has q + 1 ways to be answered, and each of 2ᵠ answers leads to one name: so of n numbers that are thought
/// of equally often and answered in each way equally often, one is found with probability 2ᵠ / n (q + 1) at most (E.
/// Berlekamp, Block coding with noiseless feedback, 1964).
#[test]
fn whose_answers_are_chosen_is_not_merged_by_them() {
    let search = Search { within: 0.005, ..SEARCH };
    let found = find(&written(LIES), &[("tries", "3")], search).unwrap();
    assert!(found.exploitability() <= 0.005);
    let least = 1.0 - 2.0 * 8.0 / 20.0;
    assert!(value(&found) >= least - 0.01, "{}, not {least}", value(&found));
    let silent = LIES.replace("  log: list of {nay, aye} = []\n", "").replace("  log += what\n", "");
    let again = find(&written(&silent), &[("tries", "3")], search).unwrap();
    assert!((value(&found) - value(&again)).abs() <= 0.02, "{} {}", value(&found), value(&again));
}

/// How many moves follow is known before they are made.
#[test]
fn what_is_too_large_is_refused_before_it_is_laid_out() {
    let search = Search { nodes: 100_000, ..SEARCH };
    match find(&written(WITHIN), &[("top", "100")], search) {
        Err(Stop::TooLarge { foreseen: Some(least), .. }) => assert!(least > 100_000.0, "{least}"),
        other => panic!("{other:?}"),
    }
}

/// F. Southey et al., Bayes' Bluff, 2005, define the game; OpenSpiel gives its value to the first player as −0.0856.
#[test]
fn six_cards_have_their_published_value() {
    let found = find(&file("leduc"), &[], Search { aim: Aim::Own, ..SEARCH }).unwrap();
    assert!(found.exploitability() <= 0.001 && (value(&found) + 0.0856).abs() <= 0.002, "{}", value(&found));
    let (_, out, _) = run("leduc.game --own");
    assert!(flat(&out).contains("player 1 scores -0.085"), "{out}");
}

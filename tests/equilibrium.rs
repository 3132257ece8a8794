//! Equilibria: values and mixes must be those that were published or that other programs find; what a seat
//! knows decides what it can do; limits are named; the output shows what was found.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

mod guessing;

use crate::folder::Folder;
use crate::known::goofspiel::{Bidding, Goofspiel};
use crate::known::matrix::guaranteed;
use crate::known::undercut::{NUMBERS, RULES, Undercut};
use parlour::equilibrium::{Aim, Equilibrium, Search, SearchProgress, Setting, Stop};
use parlour::play::{Rules, bundled_source};
use parlour::source::Source;
use serde_json::{Value as Json, json};

const SEARCH: Search =
    Search { aim: Aim::Win, nodes: 100_000, within: 0.001, iterations: 5_000, tremble: 0.0 };

fn file(name: &str) -> Arc<Rules> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/equilibrium/{name}.game"));
    let text = std::fs::read_to_string(path).unwrap();
    Arc::new(Rules::load(Source::new(format!("{name}.game"), &text)).unwrap())
}

fn written(text: &str) -> Arc<Rules> {
    Arc::new(Rules::load(Source::new("mine.game", text)).unwrap())
}

fn find(rules: &Arc<Rules>, set: &[(&str, &str)], search: Search) -> Result<Equilibrium, Stop> {
    let options = rules.read_options(set.iter().copied()).unwrap();
    let machine = rules.machine(&options, rules.default_players()).unwrap();
    Equilibrium::find(&machine, search, &|_| true)
}

/// Returns the equilibrium that `find` finds, as JSON.
fn told(rules: &Arc<Rules>, set: &[(&str, &str)], aim: Aim) -> Json {
    let options = rules.read_options(set.iter().copied()).unwrap();
    let machine = rules.machine(&options, rules.default_players()).unwrap();
    let found = find(rules, set, Search { aim, ..SEARCH }).unwrap();
    found.json(&Setting { rules, setup: &machine.setup }, true)
}

/// Returns the mix at the first choice of a player who has seen something, by the argument of each move.
fn mix(found: &Json, player: usize, seen: &str) -> BTreeMap<String, f64> {
    let sets = found["first"].as_array().unwrap();
    let set =
        sets.iter().find(|set| set["player"] == player && set["seen"].as_str().unwrap().starts_with(seen));
    let mix = set.unwrap_or_else(|| panic!("{seen}: {sets:?}"))["mix"].as_array().unwrap();
    let name = |one: &Json| {
        one["args"].as_object().unwrap().values().next().map_or(one["move"].to_string(), Json::to_string)
    };
    mix.iter().map(|one| (name(one), one["probability"].as_f64().unwrap())).collect()
}

fn fractions(set: &Json) -> Vec<&str> {
    set["mix"].as_array().unwrap().iter().map(|one| one["fraction"].as_str().unwrap()).collect()
}

#[test]
fn matrix_rounds_have_their_published_values_and_mixes() {
    // D. Hofstadter, Metamagical Themas, Scientific American, August 1982: 10, 26, 13, 16 and 1 of 66, which
    // is the only equilibrium.
    let found = told(&written(RULES), &[("goal", "1")], Aim::Lead);
    assert_eq!(fractions(&found["first"][0]), ["5/33", "13/33", "13/66", "8/33", "1/66"]);
    assert_eq!(found["first"][0]["mix"], found["first"][1]["mix"]);
    assert_eq!(
        (&found["value"], &found["exact"], &found["exploitability"]),
        (&json!([0.0, 0.0]), &json!(true), &json!(0.0))
    );
    // T. Ferguson, Game Theory, part II: 7 and 5 of 12 for both, worth 1/12 to the first player.
    let found = told(&file("odd-or-even"), &[], Aim::Lead);
    assert_eq!(found["fractions"], json!(["1/12", "-1/12"]));
    assert_eq!(fractions(&found["first"][0]), ["7/12", "5/12"]);
    assert_eq!(fractions(&found["first"][1]), ["7/12", "5/12"]);
    // In the same book, Colonel Blotto: 14/9. The colonel sends all four to one post with probability 8/9,
    // and two to each otherwise.
    let found = told(&file("blotto"), &[], Aim::Lead);
    assert_eq!(found["fractions"], json!(["14/9", "-14/9"]));
    assert_eq!(fractions(&found["first"][0]), ["4/9", "0", "1/9", "0", "4/9"]);
    assert_eq!(found["method"], "linear programs");
}

#[test]
fn cards_have_their_published_values() {
    // H. Kuhn, 1950: worth −1/18 to the first player, who mixes optimally when betting with the king three
    // times as often as with the jack, and never with the queen. The second player, with the jack, bets a
    // third of the time after a pass.
    let found = told(&file("kuhn"), &[], Aim::Own);
    assert_eq!(found["fractions"], json!(["-1/18", "1/18"]));
    assert_eq!(
        (&found["zero_sum"], &found["exact"], &found["information_sets"]),
        (&json!(true), &json!(true), &json!(12))
    );
    let bets = |card: &str| mix(&found, 1, card)["\"bet\""];
    assert!((bets("card {3}") - 3.0 * bets("card {1}")).abs() < 1e-12 && bets("card {2}") == 0.0);
    let jack = mix(&found, 2, "card {1}; player 1: pass");
    assert!((jack["\"bet\""] - 1.0 / 3.0).abs() < 1e-12, "{jack:?}");
    // The difference of scores is twice that.
    assert_eq!(told(&file("kuhn"), &[], Aim::Lead)["fractions"], json!(["-1/9", "1/9"]));
}

#[test]
fn dice_have_the_values_that_another_program_finds() {
    // From an independent Python program that solves the sequence-form linear program with HiGHS.
    for (sides, value) in [("2", "1/2"), ("3", "1/9")] {
        let found = told(&file("liars-dice"), &[("sides", sides)], Aim::Win);
        assert_eq!(found["fractions"][0], value, "{sides} sides");
    }
}

#[test]
fn regret_minimisation_comes_as_near_as_is_asked() {
    // With four sides the linear program is too large for the search; HiGHS finds 1/16.
    let search = Search { within: 0.01, ..SEARCH };
    let found = find(&file("liars-dice"), &[("sides", "4")], search).unwrap();
    assert!(found.fractions.is_none() && found.methods.regret == 1, "{:?}", found.methods);
    assert!(found.exploitability() <= 0.01, "{}", found.exploitability());
    assert!((found.values[0] - 0.0625).abs() <= 0.02, "{:?}", found.values);
    // The exploitability bounds the error of the value, also in this hasty search.
    let hasty = find(&file("liars-dice"), &[("sides", "4")], Search { iterations: 2, ..SEARCH }).unwrap();
    assert!(hasty.exploitability() > 0.01, "{}", hasty.exploitability());
    assert!((hasty.values[0] - 0.0625).abs() <= 2.0 * hasty.exploitability());
}

#[test]
fn rounds_are_solved_from_the_last_to_the_first() {
    // Compared to an independent backward induction of Goofspiel: the mixes for each first prize must
    // guarantee the value, ½ of the win.
    let rules = Arc::new(Rules::load(bundled_source("goofspiel").unwrap()).unwrap());
    for n in [3, 4] {
        let found = told(&rules, &[("n", &n.to_string())], Aim::Win);
        assert_eq!((&found["value"], &found["exact"]), (&json!([0.0, 0.0]), &json!(true)), "{n} cards");
        let mut by_hand = Goofspiel::default();
        for prize in 1..=n {
            let matrix = by_hand.matrix(Bidding::first(n, prize));
            let mix: Vec<f64> = mix(&found, 1, &format!("prize {prize}")).into_values().collect();
            assert!(guaranteed(&matrix, &mix) > 0.5 - 1e-9, "{n} cards, prize {prize}: {mix:?}");
        }
    }
    // Undercut to more points than a round brings.
    let found = told(&written(RULES), &[("goal", "7")], Aim::Win);
    let mix: Vec<f64> = mix(&found, 1, "").into_values().collect();
    assert_eq!(mix.len(), NUMBERS.count());
    assert!(guaranteed(&Undercut::new(7).matrix([0, 0]), &mix) > 0.5 - 1e-9, "{mix:?}");
}

#[test]
fn rounds_that_come_again_have_the_value_of_ever_longer_matches() {
    // v is the value of the matrix ((v + 1) / 2, −1; −1, 1): v² + 6v + 1 = 0.
    let found = find(&file("duel"), &[], SEARCH).unwrap();
    assert!(found.cyclic && found.fractions.is_none());
    assert!((found.values[0] - (8.0_f64.sqrt() - 3.0)).abs() < 1e-6, "{:?}", found.values);
    assert!(found.exploitability() < 1e-6, "{}", found.exploitability());
}

/// Who acts alone wins. So both act, and the match never ends: what comes up without end has no number.
#[test]
fn what_comes_up_endlessly_is_not_counted() {
    let text = "game \"Both\" { players 2 }\neach player { does: {wait, act} = wait }\n\
        secret move decide(what in {wait, act}) { me.does := what }\nplay { repeat { together players { decide }\n\
        win seat(1) when seat(1).does = act and seat(2).does = wait\n\
        win seat(2) when seat(2).does = act and seat(1).does = wait } }\n";
    let found = find(&written(text), &[], SEARCH).unwrap();
    let again = found.sets().into_iter().filter(|set| !set.is_first).collect::<Vec<_>>();
    assert!(!again.is_empty() && again.iter().all(|set| set.reach.at_least && set.reach.times > 100.0));
    // In the duel, a shot ends the match sooner or later.
    let duel = find(&file("duel"), &[], SEARCH).unwrap();
    assert!(duel.sets().iter().all(|set| !set.reach.at_least));
}

/// Who has chosen what loses never gets to call: how would not matter.
#[test]
fn mixes_on_which_nothing_depends_are_marked() {
    let (_, out, _) = run("dead-end.game --all --json");
    let found: Json = serde_json::from_str(&out).unwrap();
    let arbitrary: Vec<&Json> =
        found["sets"].as_array().unwrap().iter().filter(|set| set["arbitrary"] == true).collect();
    assert!(arbitrary.len() == 1 && arbitrary[0]["player"] == 1 && arbitrary[0]["reach"] == 0.0, "{found}");
    assert!(arbitrary[0]["seen"].as_str().unwrap().contains("lost"), "{found}");
    let (_, all, _) = run("dead-end.game --all");
    let marked = flat(&all).matches("(never, since the player avoids it; this mix is arbitrary)").count();
    assert_eq!(marked, 1, "{all}");
    let (_, short, _) = run("dead-end.game");
    assert!(!short.contains("arbitrary"), "{short}");
    assert!(short.contains("1 more information set, which never comes up; `--all` lists them"), "{short}");
}

#[test]
fn what_a_seat_is_told_it_makes_use_of() {
    let fair = told(&file("pennies"), &[], Aim::Win);
    assert_eq!((&fair["fractions"], &fair["information_sets"]), (&json!(["0", "0"]), &json!(2)));
    // With the whisper, one seat knows what was hidden.
    let unfair = told(&file("pennies"), &[("whisper", "yes")], Aim::Win);
    assert_eq!(unfair["fractions"], json!(["-1", "1"]));
    assert_eq!(mix(&unfair, 2, "coin heads; player 1: hide (secret); heads")["\"heads\""], 1.0);
}

#[test]
fn who_has_no_choice_does_not_give_that_away() {
    // The walker is set down in house 1 or 2, and can only walk from 2 to 1. A search of house 1 succeeds at
    // least half of the time and wins three points; in house 2 it wins one. If q is the probability of
    // staying in 2, both searches are worth the same where 3 (1 − q/2) − q/2 = q/2 − (1 − q/2), so q = 4/3 >
    // 1. So the walker stays, and the searcher searches house 1.
    let found = told(&file("walker"), &[], Aim::Lead);
    assert_eq!(found["fractions"], json!(["-1", "1"]));
    assert_eq!((&found["regret"], &found["information_sets"]), (&json!([0.0, 0.0]), &json!(2)));
    assert_eq!(fractions(&found["first"][0]), ["0", "1"]);
    assert_eq!(fractions(&found["first"][1]), ["1", "0"]);
}

#[test]
fn others_are_told_of_by_their_regret() {
    // Telling is better whatever the other player does.
    let found = told(&file("prisoners"), &[], Aim::Own);
    assert_eq!((&found["zero_sum"], &found["exact"]), (&json!(false), &json!(true)));
    assert_eq!((&found["fractions"], &found["regret"]), (&json!(["1", "1"]), &json!([0.0, 0.0])));
    assert_eq!(
        (fractions(&found["first"][0]), fractions(&found["first"][1])),
        (vec!["0", "1"], vec!["0", "1"])
    );
    // Three identical players: each mixes as the others do.
    let three = find(&file("lowest-alone"), &[], SEARCH).unwrap();
    assert!(!three.is_zero_sum() && three.fractions.is_none());
    // Each seat comes as near as is asked, not only all of them on average.
    assert!(three.distance() <= SEARCH.within && three.exploitability() <= three.distance());
    for (value, regret) in three.values.iter().zip(&three.regrets) {
        assert!((value - three.values[0]).abs() < 1e-9 && *regret <= 0.001, "{:?}", three.regrets);
    }
    for set in three.sets() {
        assert!(set.mix.iter().all(|(_, likely)| *likely > 0.1), "nobody can be counted out: {:?}", set.mix);
    }
    let (_, out, _) = run("lowest-alone.game");
    assert!(out.contains("not guaranteed to be an equilibrium") && out.contains("regret 0.000"), "{out}");
}

/// There are equilibria in which one of three has nearly all of the win, but nothing tells which one it should be, however long the
/// search goes on.
#[test]
fn players_who_are_alike_stay_alike() {
    for (n, mix) in [("4", &[0.5, 0.25, 0.125, 0.125][..]), ("3", &[0.5, 0.25, 0.25])] {
        let search = Search { within: 1e-5, ..SEARCH };
        let found = find(&file("lowest-alone"), &[("n", n)], search).unwrap();
        assert!(found.distance() <= search.within);
        assert!(found.values.iter().all(|value| (value - 1.0 / 3.0).abs() < 1e-6), "{:?}", found.values);
        for set in found.sets() {
            let near =
                set.mix.iter().zip(mix).all(|((_, likely), expected)| (likely - expected).abs() < 0.005);
            assert!(near, "{:?}", set.mix);
        }
    }
}

#[test]
fn several_play_for_their_shares_of_the_win() {
    // Whoever can raise does, and so two share the win. Where nobody can, all three share it.
    let hands = |able: &str| {
        written(&format!(
            "game \"Hands\" {{ players 3 }}\neach player {{ up: 0..1 = 0 }}\n\
             move raise {{ need me in {able} else \"no\"\n me.up := 1 }}\nmove rest {{ me.up := 0 }}\nscore = me.up\n\
             play {{ together players {{ raise or rest }} }}\nwinner highest score\n"
        ))
    };
    for (able, shares) in [
        ("{seat(1), seat(2)}", json!([0.5, 0.5, 0.0])),
        ("{seat(3)}", json!([0.0, 0.0, 1.0])),
        ("players", json!([1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0])),
    ] {
        assert_eq!(told(&hands(able), &[], Aim::Win)["value"], shares, "{able}");
    }
}

#[test]
fn limits_are_named() {
    match find(&file("kuhn"), &[], Search { nodes: 20, ..SEARCH }) {
        Err(Stop::TooLarge { limit: 20, .. }) => {}
        other => panic!("{other:?}"),
    }
    match find(&file("duel"), &[], Search { aim: Aim::Lead, ..SEARCH }) {
        Err(Stop::Refused(sentence)) => assert!(sentence.contains("has no scores"), "{sentence}"),
        other => panic!("{other:?}"),
    }
    let machine = file("liars-dice").machine(&BTreeMap::new(), 2).unwrap();
    let early = |way: SearchProgress| !matches!(way, SearchProgress::Laid(nodes) if nodes > 300);
    assert!(matches!(Equilibrium::find(&machine, SEARCH, &early), Err(Stop::Interrupted)));
}

/// Of three guesses at one of ninety numbers there are 90⁴ ways, and no two lead to the same position.
#[test]
fn what_is_far_too_large_is_refused_soon() {
    let rules = written(
        "game \"Guesses\" { players 2 }\ntable { code: 0..89 = 0 hidden\n log: list of (int, int) = [] }\n\
         secret move hide(n in 0..89) { code := n }\n\
         move guess(n in 0..89) { log += (n, abs(n - code) div 30) }\n\
         play { ask seat(1) to hide\n repeat 3 { ask seat(2) to guess }\n\
         win seat(2) when some(l in log: l.1 = code)\n win seat(1) }\n",
    );
    let machine = rules.machine(&BTreeMap::new(), 2).unwrap();
    let most = std::cell::Cell::new(0);
    let on = |progress: SearchProgress| {
        if let SearchProgress::Laid(nodes) = progress {
            most.set(most.get().max(nodes));
        }
        true
    };
    match Equilibrium::find(&machine, Search { nodes: 2_000_000, ..SEARCH }, &on) {
        Err(Stop::TooLarge { foreseen: Some(least), .. }) => {
            assert!((4e6..90.0f64.powi(4)).contains(&least), "{least}");
        }
        other => panic!("{other:?}"),
    }
    assert!(most.get() < 30_000, "{}", most.get());
}

fn run(words: &str) -> (i32, String, String) {
    parlour(&format!("equilibrium {words}"))
}

fn parlour(words: &str) -> (i32, String, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/equilibrium");
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlour"));
    let output = command.args(words.split_whitespace()).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Returns a text with all its white space as single spaces.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_command_tells_people_and_programs() {
    let (status, out, err) = run("kuhn.game --scores");
    assert_eq!((status, err.as_str()), (0, ""));
    for words in [
        "game tree: 55 nodes, 12 information sets",
        "player 2 comes out 0.1111 points ahead on average (exactly 1/9)",
        "  player 2, card {1}; player 1: pass\n    pass: 67 %, bet: 33 % (2 : 1 of 3)",
        "3 more information sets, which never come up; `--all` lists them",
    ] {
        assert!(out.contains(words), "{words}: {out}");
    }
    // Situations behind a hidden draw are shown as they are if the draw leads the seat there.
    let (_, out, _) = run("goofspiel --set n=3");
    for place in ["prize 2, hand {2, 3} and {2, 3}", "prize 3, hand {2, 3} and {2, 3}"] {
        assert!(out.contains(&format!("  player 1, {place}, points 0 to 0 (17 %)")), "{place}: {out}");
    }
    // If two situations look alike, the line of play tells them apart. A dive to the same side stops every
    // shot, but in the middle only three in four: both mix so that 1 − left = 1 − ¾ middle.
    let (_, out, _) = run("shoot-out.game --set shots=1");
    for words in [
        "player 1 (shoot), at the start\n    left: 30 %, middle: 40 %, right: 30 % (3 : 4 : 3 of 10)",
        "player 2 (shoot), 1:0, shot 1 (for example after player 1: shoot left; player 2: dive middle; 1:0)",
    ] {
        // Long lines are wrapped.
        assert!(flat(&out).contains(&flat(words)), "{words}: {out}");
    }
    let (_, out, _) = run("duel.game");
    assert!(out.contains("positions can repeat"), "{out}");
    let (status, out, _) = run("pennies.game --json");
    let found: Json = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &found["value"], &found["exploitability"]), (0, &json!([0.0, 0.0]), &json!(0.0)));
    assert_eq!(found["first"][0]["player"], 1);
    assert_eq!(
        found["first"][0]["mix"][0],
        json!({ "move": "hide", "args": { "way": "heads" }, "probability": 0.5, "fraction": "1/2" })
    );
    let (status, _, err) = run("kuhn.game --nodes 10");
    assert_eq!(status, 1, "{err}");
    for words in [
        "its tree has more than 10 nodes and moves, which is what `--nodes` allows",
        " ways to play it",
        "allow more with `--nodes N`",
        "`parlour simulate` and `parlour study` measure games of any size",
    ] {
        assert!(err.contains(words), "{words}: {err}");
    }
    // Nothing about this game can be smaller.
    assert!(!err.contains("lower") && !err.contains("--players"), "{err}");
    let (_, _, err) = run("goofspiel --nodes 1000");
    // Three cards have six orders of prizes, and each hand has six as well: 216 ways.
    let smaller = "lower `n` by `--set` so that there is less to choose or draw (`--set n=3` should fit), or";
    assert!(err.contains(smaller), "{err}");
    // Seven rounds of eight gone leave 25 ways to name two of five numbers. Fewer numbers leave fewer ways, of which there are 256 at
    // least, each with some nodes. What a round is worth does not matter.
    let (_, _, err) = run("rounds.game --nodes 1000");
    let smaller = "lower `top` or raise `gone` by `--set` so that there is less to choose or draw (`--set gone=7` should fit), or allow";
    assert!(err.contains(smaller) && !err.contains("prize"), "{err}");
    // Where all have been lowered or raised, nothing is left to advise.
    let (_, _, err) = run("rounds.game --set gone=7 --set top=2 --nodes 5");
    assert!(err.contains("allow more") && !err.contains("lower") && !err.contains("raise"), "{err}");
    let (status, _, err) = run("kuhn.game --within 0");
    assert!(status == 2 && err.contains("`--within 0` must be above 0"), "{err}");
    let (_, _, err) = run("tic-tac-toe --nodes 10");
    assert!(err.contains("`parlour solve` is made for such games"), "{err}");
}

#[test]
fn bots_play_what_was_kept() {
    let folder = Folder::new("mixes");
    let kept = folder.join("mixes.json").display().to_string();
    // Hidden cards, open rounds that recur, and rounds with prizes in an unknown order.
    let games = [("kuhn.game", "--scores", ""), ("duel.game", "", ""), ("goofspiel", "", "--set n=3")];
    for (game, aim, set) in games {
        let (status, out, err) = run(&format!("{game} {aim} {set} --keep {kept} --json"));
        assert_eq!((status, err.as_str()), (0, ""), "{game}");
        let value = serde_json::from_str::<Json>(&out).unwrap()["value"][0].as_f64().unwrap();
        let (status, out, err) =
            parlour(&format!("simulate {game} {set} --bot mix:{kept} --games 300 --json"));
        assert_eq!((status, err.as_str()), (0, ""), "{game}");
        let played: Json = serde_json::from_str(&out).unwrap();
        let mean = |what: &Json| what[0].as_f64().unwrap() - what[1].as_f64().unwrap();
        let found =
            if aim.is_empty() { mean(&played["wins"]) / 300.0 } else { mean(&played["scores"]["mean"]) };
        // Payoffs are at most four apart, so this allows three standard deviations for 300 matches.
        assert!((found - value).abs() < 3.0 * 2.0 / 300.0_f64.sqrt(), "{game}: {found}, not {value}");
    }
    let refused = |words: &str, sentence: &str| {
        let (status, _, err) = parlour(&format!("simulate {words} --bot mix:{kept}"));
        assert!(status == 1 && err.contains(sentence), "{words}: {err}");
    };
    refused("goofspiel --set n=4", "`options` in the file is {\"n\":3,\"order\":\"random\"}, not {\"n\":4");
    refused("kuhn.game", "`game` in the file is \"goofspiel\"");
    std::fs::write(&kept, std::fs::read_to_string(&kept).unwrap().replace("sha256:", "sha256:0")).unwrap();
    refused("goofspiel --set n=3", "these mixes are for other rules");
    std::fs::write(&kept, "{}").unwrap();
    refused("goofspiel --set n=3", "not written by `parlour equilibrium --keep`");
    let (status, _, err) = parlour("simulate goofspiel --bot mix:nowhere.json");
    assert!(status == 1 && err.contains("nowhere.json"), "{err}");
}

#[test]
fn a_situation_that_the_file_lacks_is_named() {
    let folder = Folder::new("lacks");
    let kept = folder.join("mixes.json").display().to_string();
    assert_eq!(run(&format!("pennies.game --keep {kept}")).0, 0);
    let mut mixes: Json = serde_json::from_str(&std::fs::read_to_string(&kept).unwrap()).unwrap();
    mixes["sets"].as_array_mut().unwrap().retain(|set| set["player"] == 1);
    std::fs::write(&kept, mixes.to_string()).unwrap();
    let (status, _, err) = parlour(&format!("simulate pennies.game --bot mix:{kept} --games 1"));
    assert!(status == 1 && err.contains("has no mix for what player 2 has seen here (situation "), "{err}");
}

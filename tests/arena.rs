//! The arena: the bot that is better by construction wins, figures match hand calculations, the number of
//! threads and pauses make no difference, wrong input is refused with a way out. `benches/strength.rs`
//! compares bots to published results.

use std::fs;
use std::process::Command;
use std::sync::Arc;

use crate::folder::Folder;
use crate::known::goofspiel::{Bidding, Goofspiel, cards};
use crate::known::matrix::{equilibrium, guaranteed};
use crate::known::pig::Pig;
use crate::known::undercut::{NUMBERS, RULES, Undercut, points};
use parlour::play::{Match, Rules};
use parlour::source::Source;
use serde_json::{Value as Json, json};

/// Players take 1 to 3 counters at a time from a small heap; the last counter wins. Whoever begins with 4, 8,
/// … counters has lost.
const HEAP: &str = r#"// Take from a heap.

game "Heap" {
  players 2 to 3
}

option n: 1..30 = 9

table {
  left: 0..n = n
}

// Take some.
move take(many in 1..3) {
  need many <= left else "there are only {left}"
  left -= many
}

play {
  turns until stuck { take }
}

winner last mover
"#;

/// Runs `parlour arena` with space-separated words, in a folder that has the heap game. Returns exit status,
/// standard output and standard error.
fn run(folder: &Folder, words: &str) -> (i32, String, String) {
    folder.write("heap.game", HEAP);
    folder.type_in(&format!("arena {words}"))
}

fn json(folder: &Folder, words: &str) -> Json {
    let (status, out, err) = run(folder, &format!("{words} --json"));
    assert_eq!(status, 0, "{words}: {err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn who_knows_the_way_out_wins() {
    let folder = Folder::new("planted");
    let found = json(&folder, "heap.game --set n=13 --bot random --bot exact --games 40");
    assert!(found["score"]["exact"].as_f64().unwrap() > 0.8, "{found}");
    assert!(found["interval"][1].as_f64().unwrap() < 0.5, "that of the first bot: {found}");
    assert!(found["elo"]["exact"]["interval"][0].as_f64().unwrap() > 0.0, "{found}");
    assert_eq!((&found["games"], &found["draws"]), (&json!(40), &json!(0)));
}

/// Partners add up what they take, side by side or across the table. Whoever takes three each time has six, which wins in eight
/// of nine cases and is level in the ninth.
#[test]
fn partners_have_the_same_bot_wherever_they_sit() {
    let folder = Folder::new("partners");
    for team in ["(p.number + 1) div 2", "p.number mod 2"] {
        let text = format!(
            "game \"Benches\" {{ players 4 }}\neach player {{ purse: 0..3 = 0 }}\ndefine team(p) = {team}\n\
             move take(coins in 1..3) {{ me.purse += coins }}\nplay {{ each p in players {{ ask p to take }} }}\n\
             score = sum(p in players where team(p) = team(me): p.purse)\nwinner highest score\n"
        );
        folder.write("benches.game", &text);
        let words = "benches.game --bot greedy --bot random --games 400";
        let found = json(&folder, words);
        let [low, high] = [0, 1].map(|end| found["interval"][end].as_f64().unwrap());
        let share = 8.0 / 9.0 + 1.0 / 18.0;
        assert!(low <= share && share <= high, "{team}: {found}");
        let (_, out, _) = run(&folder, words);
        assert!(out.contains("share by side: the team of player 1 and player "), "{out}");
    }
}

#[test]
fn each_level_has_the_next_one_as_an_opponent() {
    // Whoever holds three numbers in arithmetic progression loses.
    let text = "game \"No Progress\" { players 2 }\ntable { free: set of 1..16 = set(1..16) }\n\
                each player { mine: set of 1..16 = {} }\n\
                move take(number in free) { free -= number\n me.mine += number }\n\
                play { turns until free is empty { take\n\
                win me.next when some(a in me.mine, b in me.mine: a < b and 2 * b - a in me.mine) } }\n";
    let folder = Folder::new("levels");
    folder.write("progress.game", text);
    let levels = ["random", "easy", "casual", "medium", "hard"];
    for pair in levels.windows(2) {
        let games = if pair[1] == "hard" { 20 } else { 60 };
        let words = format!("progress.game --bot {} --bot {} --games {games}", pair[0], pair[1]);
        let share = json(&folder, &words)["score"][pair[1]].as_f64().unwrap();
        // Stronger, but not so much that the weaker one never wins.
        assert!((0.55..0.97).contains(&share), "{words}: {share}");
    }
}

#[test]
fn figures_are_those_of_matches_that_cannot_go_otherwise() {
    let folder = Folder::new("forced");
    // With one counter, whoever begins takes it. Wilson's interval of 6 in 12 by hand: the centre (12 · ½ +
    // 1.96² / 2) / (12 + 1.96²) is ½, and the half width 1.96 · √(12 · ¼ + 1.96² / 4) / (12 + 1.96²) is
    // 0.24628.
    let words = "heap.game --set n=1 --seat 2=greedy --seat 1=random --games 13";
    let found = json(&folder, words);
    let (_, _, note) = run(&folder, words);
    assert!(note.contains("note: 12 matches are played, not 13: for every pair to meet as often"), "{note}");
    assert_eq!(found["games"], 12);
    assert_eq!(found["score"], json!({ "random": 0.5, "greedy": 0.5 }));
    assert_eq!(found["wins"], json!({ "random": 6, "greedy": 6 }));
    assert_eq!(found["seats"], json!([1.0, 0.0]));
    for (end, by_hand) in [(0, 0.25372), (1, 0.74628)] {
        assert!((found["interval"][end].as_f64().unwrap() - by_hand).abs() < 1e-4, "{found}");
    }
    assert_eq!(
        (&found["options"], &found["players"], &found["moves"]["mean"]),
        (&json!({ "n": 1 }), &json!(2), &json!(1.0))
    );
    // With three seats, each of the two bots begins in three of the six seatings.
    let found = json(&folder, "heap.game --set n=1 --players 3 --bot random --bot greedy --games 6");
    assert_eq!(
        (&found["wins"], &found["seats"]),
        (&json!({ "random": 3, "greedy": 3 }), &json!([1.0, 0.0, 0.0]))
    );
    // An unfinished match counts as a draw.
    let (_, text, _) = run(&folder, "heap.game --max-moves 1 --bot random --bot greedy --games 4");
    assert!(text.contains("random against greedy    0      4     0  0.500"), "{text}");
    assert!(text.contains("unfinished: 4, given up after 1 choice and counted as drawn"), "{text}");
}

#[test]
fn ratings_of_known_shares_are_those_worked_out_by_hand() {
    let folder = Folder::new("elo");
    json(&folder, "heap.game --bot random --bot easy --bot greedy --games 6 --keep kept");
    let path = folder.join("kept");
    let mut kept: Json = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    // Three to one, nine to one, three to one: strengths of 9, 3 and 1, 400 · log10(3) = 190.8 apart.
    let shares = [75_000, 90_000, 75_000];
    for (score, won) in kept["scores"].as_array_mut().unwrap().iter_mut().zip(shares) {
        *score = json!({
            "encounters": 50_000, "matches": 100_000, "wins": [won, 100_000 - won], "draws": 0, "unfinished": 0, "moves": 500_000,
            "share": won, "seats": [50_000, 50_000],
        });
    }
    fs::write(&path, kept.to_string()).unwrap();
    let found = json(&folder, "heap.game --bot random --bot easy --bot greedy --games 6 --keep kept");
    let elo = |bot: &str| found["elo"][bot]["elo"].as_f64().unwrap();
    assert_eq!([elo("random"), elo("easy"), elo("greedy")], [190.8, 0.0, -190.8]);
    assert_eq!(found["pairings"][1]["elo"], 381.7);
    assert_eq!(found["score"]["random"], 0.825);
    let (_, text, _) = run(&folder, "heap.game --bot random --bot easy --bot greedy --games 6 --keep kept");
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(text.contains("\nrandom  0.825  +191  "), "{text}");
}

#[test]
fn threads_do_not_show() {
    let folder = Folder::new("threads");
    let told = |threads: usize| {
        run(
            &folder,
            &format!(
                "heap.game --bot mcts:20 --bot greedy --bot random --within 0.17 --seed 5 --threads {threads}"
            ),
        )
    };
    let one = told(1);
    assert_eq!(one.0, 0);
    assert!(one == told(2) && one == told(3), "{one:?}");
    assert_ne!(one, run(&folder, "heap.game --bot mcts:20 --bot greedy --bot random --within 0.17 --seed 6"));
}

#[test]
fn to_stop_and_go_on_is_to_play_in_one_go() {
    let folder = Folder::new("resumed");
    let read = |name: &str| folder.read(name);
    json(&folder, "heap.game --bot easy --bot greedy --games 10 --keep a");
    let parts = run(&folder, "heap.game --bot easy --bot greedy --games 40 --keep a");
    let whole = run(&folder, "heap.game --bot easy --bot greedy --games 40 --keep b");
    assert_eq!((parts, read("a")), (whole, read("b")));
    // A bot that joins later leaves the earlier results as they are.
    let joined = json(&folder, "heap.game --bot easy --bot greedy --bot random --games 120 --keep a");
    assert_eq!(joined["games"], 120);
    let kept = |name: &str| -> Json { serde_json::from_str(&read(name)).unwrap() };
    assert_eq!(kept("a")["scores"][0], kept("b")["scores"][0]);
    assert_eq!(joined, json(&folder, "heap.game --bot easy --bot greedy --bot random --games 120"));
}

#[cfg(unix)]
#[test]
fn what_is_interrupted_is_told_and_kept() {
    let folder = Folder::new("interrupted");
    let path = folder.join("kept");
    folder.write("heap.game", HEAP);
    let args = "arena heap.game --bot easy --bot greedy --games 1000000000 --keep kept";
    let mut command = folder.command(&args.split(' ').collect::<Vec<_>>());
    let running = command.spawn().unwrap();
    // The kept file exists once Ctrl-C is handled.
    let begun = std::time::Instant::now();
    while !path.exists() && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert!(Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap().success());
    let output = running.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let kept: Json = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let matches = kept["scores"][0]["matches"].as_u64().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let plain = told.replace(',', "");
    assert!(plain.contains(&format!("interrupted after {matches} matches; ")), "{told}");
    let games = matches + 10;
    let parts = json(&folder, &format!("heap.game --bot easy --bot greedy --games {games} --keep kept"));
    assert_eq!(parts, json(&folder, &format!("heap.game --bot easy --bot greedy --games {games}")));
}

/// A match in which a bot meets a fault is shown as an example that reproduces it. The random bot does not
/// look ahead, so it takes the last counter and divides by 0.
#[test]
fn a_match_of_bots_that_breaks_is_shown_as_it_went() {
    let folder = Folder::new("broken");
    let rules = HEAP.replace("left -= many", "left := left - many + 0 * (1 div (left - many))");
    folder.write("broken.game", &rules);
    let (status, _, err) = run(&folder, "broken.game --set n=1 --bot easy --bot random --games 8");
    assert!(
        status == 1 && err.contains("runs into a fault in the rules, in play or in a bot's search:"),
        "{err}"
    );
    let run = |words: &str| {
        let (status, out, err) = folder.type_in(words);
        (status, out + &err)
    };
    // The printed example faults where the match did.
    let (status, told) = run("simulate broken.game --set n=1 --seat 1=random --seat 2=easy --games 8");
    assert!(
        status == 1
            && told.contains("runs into a fault in the rules, in play or in a bot's search; you can add"),
        "{told}"
    );
    let example = &told[told.find("example \"match").unwrap()..=told.find("\n}\n").unwrap() + 1];
    folder.write("broken.game", &format!("{rules}\n{example}\n"));
    let (status, told) = run("test broken.game");
    assert!(status == 1 && told.contains("is divided by 0"), "{example}\n{told}");
}

/// Bids for a prize of two points and one of one; a tie gives nothing to anybody.
const BIDS: &str = "// Bids.\n\ngame \"Bids\" { players 2 }\n\neach player {\n  bid: 0..2 = 0\n  won: int = 0\n}\n\n\
    show \"{[p in players: p.won]}\"\n\nmove name_it(many in 1..2) {\n  me.bid := many\n}\n\nplay {\n  \
    together players { name_it }\n  each p in players where p.bid = 2 { p.won += 2 - count(q in players: q.bid = 2) }\n}\n\n\
    score = me.won\nwinner highest score\n";

#[test]
fn a_mix_for_points_is_said_to_be_no_mix_for_wins() {
    let folder = Folder::new("points");
    folder.write("bids.game", BIDS);
    let (status, _, err) = folder.type_in("equilibrium bids.game --scores --keep points.json");
    assert_eq!(status, 0, "{err}");
    folder.type_in("equilibrium bids.game --keep wins.json");
    let against = |mix: &str| run(&folder, &format!("bids.game --bot mix:{mix}.json --bot random --games 4"));
    let (status, _, err) = against("points");
    assert!(
        status == 0 && err.contains("points.json was made for points, and an arena counts wins"),
        "{err}"
    );
    let (status, _, err) = against("wins");
    assert_eq!((status, err.as_str()), (0, ""));
}

#[test]
fn results_fit_a_narrow_terminal() {
    let folder = Folder::new("narrow");
    folder.write("heap.game", HEAP);
    for columns in [30, 50, 80] {
        let words =
            ["arena", "heap.game", "--bot", "mcts:2", "--bot", "greedy", "--bot", "random", "--games", "30"];
        let mut command = folder.command(&words);
        command.env("COLUMNS", columns.to_string());
        let out = String::from_utf8(command.output().unwrap().stdout).unwrap();
        assert!(out.lines().all(|line| line.chars().count() <= columns), "{columns}: {out}");
        assert!(out.contains("mcts:2 against greedy") && out.contains("share"), "{out}");
    }
}

#[test]
fn wrong_input_is_refused_with_the_way_out() {
    let folder = Folder::new("wrong");
    folder.write("alone.game", &HEAP.replace("players 2 to 3", "players 1 to 3"));
    folder.write("other.game", &HEAP.replace("1..3", "1..2"));
    json(&folder, "heap.game --bot easy --bot greedy --games 2 --keep kept");
    let kept = folder.read("kept");
    folder.write("edited", &kept.replace("\"encounters\":1", "\"encounters\":2"));
    folder.write("later", &kept.replace("\"version\":2", "\"version\":3"));
    folder.write("text", "{}");
    for (words, status, sentence) in [
        ("heap.game", 2, "an arena needs two bots or more: `--bot mcts:500 --bot greedy`"),
        ("heap.game --bot easy", 2, "two bots or more"),
        ("heap.game --bot easy --bot gredy", 2, "did you mean `greedy`?"),
        (
            "heap.game --bot mcts --bot mcts:1000",
            2,
            "`mcts` is named twice; `simulate --bot mcts` lets a bot play itself",
        ),
        ("heap.game --seat 3=easy --bot greedy", 2, "there are seats 1 to 2"),
        ("heap.game --seat 1=easy --seat 1=greedy", 2, "seat 1 already has a bot; name others with `--bot`"),
        ("heap.game --bot easy --bot greedy --within 0", 2, "from 0.001 to 0.5, as in 0.02"),
        ("heap.game --bot easy --bot greedy --threads 0", 2, "from 1 to 256 threads"),
        ("heap.game --bot easy --bot greedy --games 1", 2, "at least 2 are needed, for 1 pair"),
        (
            "heap.game --bot easy --bot greedy --bot random --players 3 --games 17",
            2,
            "at least 18 are needed, for 3 pairs",
        ),
        ("alone.game --players 1 --bot easy --bot greedy", 1, "use `parlour simulate`"),
        (
            "goofspiel --bot exact --bot random --games 2",
            1,
            "exact against random: something is hidden in this game, so that a match cannot be searched to its end",
        ),
        ("heap.game --bot easy --bot greedy --keep no/kept", 1, "no/kept: there is no such folder"),
        ("heap.game --bot easy --bot greedy --keep .", 1, "this is a folder"),
        (
            "heap.game --bot easy --bot greedy --keep text",
            1,
            "text: this was not written by `parlour arena --keep`",
        ),
        ("heap.game --bot easy --bot greedy --keep edited", 1, "figures are inconsistent"),
        ("heap.game --bot easy --bot greedy --keep later", 1, "its format has version 3, here it is 2"),
        (
            "heap.game --bot greedy --bot easy --keep kept",
            1,
            "this holds matches of easy, greedy; name these bots first",
        ),
        (
            "heap.game --bot easy --bot greedy --keep kept --seed 1",
            1,
            "this was kept with `--seed 0`, not 1; use the same value, or another file",
        ),
        (
            "heap.game --bot easy --bot greedy --keep kept --set n=5",
            1,
            "the options there: {\"n\":9}; here: {\"n\":5}",
        ),
        ("other.game --bot easy --bot greedy --keep kept", 1, "another file"),
    ] {
        let (found, out, err) = run(&folder, words);
        assert!(found == status && err.contains(sentence) && out.is_empty(), "{words}: {found}\n{out}{err}");
    }
}

#[test]
fn equilibria_are_those_that_are_known() {
    // Rock, paper, scissors where winning with rock counts double. By hand: the mix makes all columns equal.
    let hands = vec![vec![0.0, -1.0, 2.0], vec![1.0, 0.0, -1.0], vec![-2.0, 1.0, 0.0]];
    let (value, mix) = equilibrium(&hands);
    assert!(value.abs() < 1e-9);
    for (found, by_hand) in mix.iter().zip([0.25, 0.5, 0.25]) {
        assert!((found - by_hand).abs() < 1e-9, "{mix:?}");
    }
    // A saddle point: the second row and the first column.
    assert_eq!(equilibrium(&[vec![1.0, 9.0], vec![3.0, 4.0]]).0, 3.0);
    // One round of Undercut for the difference in points: D. Hofstadter gives 10, 26, 13, 16 and 1 of 66.
    let difference = |one, two| f64::from(points([one, two])[0]) - f64::from(points([one, two])[1]);
    let matrix: Vec<Vec<f64>> =
        NUMBERS.map(|one| NUMBERS.map(|two| difference(one, two)).collect()).collect();
    let (value, mix) = equilibrium(&matrix);
    assert!(value.abs() < 1e-9);
    for (found, published) in mix.iter().zip([10.0, 26.0, 13.0, 16.0, 1.0]) {
        assert!((found - published / 66.0).abs() < 1e-9, "{mix:?}");
    }
}

#[test]
fn what_is_worked_out_backwards_is_fair_and_cannot_be_beaten() {
    let (mut goofspiel, mut undercut) = (Goofspiel::default(), Undercut::new(9));
    for matrix in [goofspiel.matrix(Bidding::first(4, 3)), undercut.matrix([4, 4])] {
        let (value, mix) = equilibrium(&matrix);
        assert!((value - 0.5).abs() < 1e-9, "both have the same: {value}");
        assert!((guaranteed(&matrix, &mix) - value).abs() < 1e-9);
    }
    let after = Bidding::first(4, 3).next([1, 2], 4);
    assert_eq!((after.lead, cards(after.hands[0]).collect::<Vec<_>>()), (-3, vec![2, 3, 4]));
    // Two points behind with a prize of 1 to come and one card each, the match is lost.
    assert_eq!(goofspiel.value(Bidding { prize: 1, prizes: 0, hands: [0b10, 0b01], lead: -2 }), 0.0);
    assert_eq!(goofspiel.value(Bidding { prize: 2, prizes: 0, hands: [0b10, 0b01], lead: -2 }), 0.5);
}

#[test]
fn the_rules_of_undercut_bring_its_points() {
    let rules = Arc::new(Rules::load(Source::new("undercut.game", RULES)).unwrap());
    for (one, two) in NUMBERS.flat_map(|one| NUMBERS.map(move |two| (one, two))) {
        let mut played = Match::new(rules.clone(), &Default::default(), 2, 0).unwrap();
        for (player, number) in [(1, one), (2, two)] {
            let args = json!({ "number": number });
            played.play(player, "call", args.as_object().unwrap()).unwrap();
        }
        let [first, second] = points([one, two]);
        assert_eq!(played.show().unwrap(), format!("{first},{second}"), "{one} and {two}");
    }
}

#[test]
fn pig_is_won_as_often_as_by_hand() {
    // With a goal of 2 every roll but a 1 wins, and after a 1 the other player is in the same position: p =
    // 5/6 + (1 - p)/6, so p = 6/7.
    let pig = Pig::new(2);
    assert!((pig.value(0, 0, 0) - 6.0 / 7.0).abs() < 1e-9, "{}", pig.value(0, 0, 0));
    // With a goal of 20, a player who can hold at 20 or more has won; nobody holds with nothing.
    let pig = Pig::new(20);
    assert!(pig.roll(0, 0, 0) > pig.hold(0, 0, 0) && pig.value(19, 0, 1) == 1.0);
    assert!(pig.value(0, 0, 0) > 0.5 && pig.value(10, 0, 0) > pig.value(0, 0, 0));
}

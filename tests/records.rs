//! Records in and out: which replay, where others fail, and the JSON that programs read.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::folder::Folder;
use serde_json::{Map, Value as Json, json};

/// Runs the program with a text as standard input.
fn parlour_with(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_parlour"))
        .args(args)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may end without reading its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn parlour(args: &[&str]) -> Output {
    parlour_with(args, "")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Returns the line of JSON on standard output; the exit status must be 0, and standard error empty.
fn data(args: &[&str]) -> Json {
    let output = parlour(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "{args:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Replays a record from standard input. Returns exit status, the output of `--json`, and the notes.
fn replayed(record: &Json) -> (i32, Json, String) {
    let output = parlour_with(&["replay", "-", "--json"], &record.to_string());
    let json = serde_json::from_slice(&output.stdout).unwrap_or(Json::Null);
    (output.status.code().unwrap(), json, text(&output.stderr).to_string())
}

/// Returns the error for a record that cannot be played at all: exit status 1, no data, one sentence on
/// standard error.
fn refused(record: &str) -> String {
    let output = parlour_with(&["replay", "-", "--json"], record);
    let told = text(&output.stderr).to_string();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert_eq!(text(&output.stdout), "");
    assert!(told.starts_with("error: -: ") && told.trim_end().lines().count() == 1, "{told}");
    assert!(!told.contains("panicked"), "{told}");
    told
}

fn keys(json: &Json) -> Vec<&str> {
    json.as_object().unwrap().keys().map(String::as_str).collect()
}

fn record(game: &str, options: Json, players: usize, moves: Vec<Json>) -> Json {
    json!({
        "format": "parlour-record", "version": 1, "game": game, "options": options, "players": players,
        "moves": moves,
    })
}

/// Returns an entry such as `1: flip at=4`, as JSON.
fn entry(player: usize, name: &str, args: Json) -> Json {
    json!({ "player": player, "move": name, "args": args })
}

fn flips(moves: &[(usize, u64)]) -> Vec<Json> {
    moves.iter().map(|(player, at)| entry(*player, "flip", json!({ "at": at }))).collect()
}

/// The game of Procession in the document.
fn procession() -> Json {
    let moves = flips(&[(1, 4), (2, 1), (1, 5), (2, 1), (1, 4)]);
    record("procession", json!({ "n": 5 }), 2, moves)
}

/// Asserts that a record fails at an entry (from 0), and returns the error.
fn breaks_at(record: &Json, at: usize) -> Json {
    let (status, json, _) = replayed(record);
    assert_eq!((status, &json["ok"]), (1, &json!(false)), "{json}");
    assert_eq!(json["at"], at, "{json}");
    assert_eq!(json["move"], record["moves"].get(at).cloned().unwrap_or(Json::Null));
    assert_eq!(keys(&json), ["ok", "at", "move", "error", "result"]);
    assert_eq!(keys(&json["error"]), ["code", "message", "reasons"]);
    assert_eq!(json["result"]["over"], false);
    json["error"].clone()
}

#[test]
fn the_documents_examples_replay() {
    let (status, json, notes) = replayed(&procession());
    assert_eq!((status, notes.as_str()), (0, ""));
    assert_eq!(keys(&json), ["ok", "moves", "result", "state"]);
    assert_eq!((&json["ok"], &json["moves"]), (&json!(true), &json!(5)));
    assert_eq!(json["result"], json!({ "over": true, "winners": [1], "scores": null }));
    assert_eq!(json["state"]["table"]["row"], json!([0, 0, 0, 0, 1]));

    let board = [
        [1, 1, 2, 1, 2, 5],
        [1, 3, 2, 1, 3, 5],
        [5, 1, 1, 1, 3, 1],
        [1, 2, 1, 2, 1, 2],
        [2, 1, 1, 2, 1, 1],
        [2, 3, 5, 3, 4, 1],
    ];
    let squares = (0..36).map(|i| {
        let args = json!({ "value": board[i / 6][i % 6], "row": i / 6 + 1, "column": i % 6 + 1 });
        entry(i % 2 + 1, "write", args)
    });
    let (_, json, _) = replayed(&record("sum-of-products", json!({ "n": 6 }), 2, squares.collect()));
    assert_eq!(json["result"], json!({ "over": true, "winners": [1], "scores": [33, 31] }));
    assert_eq!(json["state"]["table"]["board"], json!(board));

    let digits = "001110101".bytes().enumerate();
    let mut moves: Vec<Json> =
        digits.map(|(i, digit)| entry(i % 3 + 1, "append", json!({ "digit": digit - b'0' }))).collect();
    moves.extend(flips(&[(1, 3), (2, 6), (3, 4), (1, 1), (2, 3), (3, 2), (1, 6), (2, 8)]));
    let (_, json, _) = replayed(&record("binary-scramble", json!({ "turns_each": 3 }), 3, moves));
    assert_eq!(json["result"], json!({ "over": false, "winners": [], "scores": [2, 1, 2] }));

    let pairs = [(1, 103), (69, 3), (5, 5), (6, 101), (7, 99), (71, 68), (11, 11), (200, 100)];
    let choose = |player, number: i32| entry(player, "choose", json!({ "number": number }));
    let moves = pairs.iter().flat_map(|(first, second)| [choose(1, *first), choose(2, *second)]);
    let (_, json, _) = replayed(&record("numbers-to-number", json!({ "m": 8 }), 2, moves.collect()));
    assert_eq!(json["result"], json!({ "over": false, "winners": [], "scores": [2, 2] }));
}

#[test]
fn fields_may_be_missing_or_unknown_but_not_contradict_the_moves() {
    let mut full = procession();
    full["comment"] = json!({ "by": "somebody" });
    full["seed"] = json!(u64::MAX);
    full.as_object_mut().unwrap().remove("result");
    full["moves"][0]["thought"] = json!("easy");
    let (status, json, notes) = replayed(&full);
    assert_eq!((status, &json["ok"], notes.as_str()), (0, &json!(true), ""));
    let mut wrong = full.clone();
    wrong["result"] = json!({ "over": true, "winners": [2], "scores": null });
    let (status, json, _) = replayed(&wrong);
    assert_eq!((status, &json["ok"], &json["result"]["winners"]), (1, &json!(false), &json!([1])));
    full.as_object_mut().unwrap().remove("options");
    // Seven digits, the default.
    let (_, json, _) = replayed(&full);
    assert_eq!(json["state"]["table"]["row"], json!([0, 0, 0, 0, 1, 0, 0]));
    assert_eq!(json["result"]["over"], false);
}

#[test]
fn other_rules_are_noted() {
    let mut other = procession();
    other["rules"] = json!("sha256:0");
    let (status, json, notes) = replayed(&other);
    assert_eq!((status, &json["ok"]), (0, &json!(true)));
    assert_eq!(notes, "note: this record was made under other rules\n");
}

#[test]
fn a_record_of_another_game() {
    let mut other = procession();
    // That game has the same option, but another move.
    other["game"] = json!("sum-of-products");
    assert!(breaks_at(&other, 0)["message"].as_str().unwrap().contains("`flip`"));
    // These have other options, or are for fewer players.
    other["game"] = json!("binary-scramble");
    assert!(refused(&other.to_string()).contains("no option `n`"));
    other = procession();
    (other["game"], other["players"]) = (json!("sum-of-products"), json!(3));
    assert!(refused(&other.to_string()).contains("2 players"));
}

#[test]
fn an_unfinished_record_is_an_unfinished_match() {
    for length in 0..5 {
        let mut part = procession();
        part["moves"].as_array_mut().unwrap().truncate(length);
        let (status, json, _) = replayed(&part);
        assert_eq!((status, &json["moves"]), (0, &json!(length)));
        assert_eq!(json["result"], json!({ "over": false, "winners": [], "scores": null }));
    }
}

#[test]
fn it_says_where_a_record_breaks() {
    // The run-lengths 3,1,1 have occurred.
    let mut wrong = procession();
    wrong["moves"][3]["args"]["at"] = json!(3);
    let error = breaks_at(&wrong, 3);
    assert_eq!(error["code"], "refused");
    assert!(error["message"].as_str().unwrap().contains("have already occurred"));
    let reason = &error["reasons"][0];
    assert_eq!(keys(reason), ["text", "line", "column"]);
    assert!(reason["line"].as_u64().unwrap() > 1 && reason["column"].as_u64().unwrap() > 1);

    let change = |at: usize, path: &[&str], value: Json| {
        let mut wrong = procession();
        let mut place = &mut wrong["moves"][at];
        for step in path {
            place = &mut place[*step];
        }
        *place = value;
        wrong
    };
    assert_eq!(breaks_at(&change(0, &["player"], json!(2)), 0)["code"], "not_your_turn");
    for (path, value) in [
        (vec!["player"], json!(0)),
        (vec!["player"], json!(3)),
        (vec!["player"], json!(-1)),
        (vec!["player"], json!("1")),
        (vec!["move"], json!("flop")),
        (vec!["move"], json!(4)),
        (vec!["args"], json!([4])),
        (vec!["args"], json!({})),
        (vec!["args"], json!({ "at": 4, "to": 1 })),
        (vec!["args", "at"], json!(0)),
        (vec!["args", "at"], json!(6)),
        (vec!["args", "at"], json!("4")),
        (vec!["args", "at"], json!(4.5)),
        (vec!["args", "at"], json!(null)),
        (vec!["args", "at"], json!([4])),
        (vec!["args", "at"], serde_json::from_str(&"9".repeat(1000)).unwrap()),
        (vec!["args", "at"], serde_json::from_str("1e400").unwrap()),
        (vec![], json!("flip 4")),
        (vec![], json!(null)),
    ] {
        let error = breaks_at(&change(2, &path, value), 2);
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
    // One choice too many, after the end.
    let mut late = procession();
    late["moves"].as_array_mut().unwrap().extend(flips(&[(2, 1)]));
    let (status, json, _) = replayed(&late);
    assert_eq!((status, &json["at"], &json["result"]["over"]), (1, &json!(5), &json!(true)));
    assert_eq!(json["error"]["message"], "the match is over");
}

#[test]
fn joint_choices_are_whole() {
    let choose = |player, number: i32| entry(player, "choose", json!({ "number": number }));
    let of = |moves| record("numbers-to-number", json!({ "m": 3 }), 2, moves);
    let whole = of(vec![choose(1, 4), choose(2, 4)]);
    assert_eq!(replayed(&whole).0, 0);
    // Half of a simultaneous choice.
    let half = of(vec![choose(1, 4), choose(2, 4), choose(1, 5)]);
    assert!(breaks_at(&half, 3)["message"].as_str().unwrap().contains("player 2 is missing"));
    // Twice by the same player, and a number that was written before.
    breaks_at(&of(vec![choose(1, 4), choose(1, 5), choose(2, 4)]), 1);
    breaks_at(&of(vec![choose(1, 4), choose(2, 4), choose(1, 4), choose(2, 5)]), 2);
    // A duplicated choice.
    breaks_at(&of(vec![choose(1, 4), choose(2, 4), choose(1, 5), choose(2, 5), choose(2, 5)]), 4);
}

#[test]
fn damaged_records_are_refused_in_a_sentence() {
    let whole = procession().to_string();
    for length in (0..whole.len()).step_by(7) {
        refused(&whole[..length]);
    }
    let with = |name: &str, value: Json| {
        let mut record = procession();
        record[name] = value;
        refused(&record.to_string())
    };
    assert!(with("format", json!("parlor-record")).contains("parlour-record"));
    assert!(with("format", json!(1)).contains("parlour-record"));
    assert!(with("version", json!(2)).contains("version 2"));
    assert!(with("version", json!("1")).contains("version"));
    for (name, value) in [
        ("game", json!(7)),
        ("rules", json!(7)),
        ("options", json!([])),
        ("options", json!({ "n": "5" })),
        ("options", json!({ "n": 0 })),
        ("options", json!({ "n": -5 })),
        ("options", json!({ "n": 5.0 })),
        ("options", serde_json::from_str(&format!("{{\"n\":{}}}", "9".repeat(400))).unwrap()),
        ("options", json!({ "m": 5 })),
        ("players", json!("2")),
        ("players", json!(-2)),
        ("players", json!(0)),
        ("players", json!(1)),
        ("players", json!(1_000_000_000_000_u64)),
        ("seed", json!(-1)),
        ("seed", json!("7")),
        ("moves", json!({})),
        ("moves", json!("flip 4")),
    ] {
        with(name, value);
    }
    for text in ["", "{}", "[]", "7", "null", "\"record\"", "\u{0}", "{\"format\":\"parlour-record\"}"] {
        refused(text);
    }
    refused(&"[".repeat(100_000));
    let two = format!("{whole}\n{whole}\n");
    assert!(refused(&two).contains("holds 2 records"));
    // An unknown game has no rules.
    let mut unknown = procession();
    unknown["game"] = json!("precession");
    let output = parlour_with(&["replay", "-"], &unknown.to_string());
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("`procession`"));
    // A file that does not exist cannot be replayed, either.
    assert_eq!(parlour(&["replay", "/nowhere/at/all.json"]).status.code(), Some(1));
    // A byte-order mark and blanks are harmless.
    let output = parlour_with(&["replay", "-", "--json"], &format!("\u{feff} {whole} \r\n"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// When a match is over, hidden state must be shown to whoever looks at it later.
#[test]
fn hands_are_laid_open_behind_a_match() {
    let rules = "game \"Hands\" { players 2 }\neach player { hand: list of 1..9 = [4, 7] secret }\n\
                 secret move keep(card in 1..9) {\n  need card in me.hand else \"not there\"\n  me.hand := [card]\n}\n\
                 play { each p in players { ask p to keep } }\nwinner last mover\n";
    let folder = Folder::new("hands");
    folder.write("hands.game", rules);
    folder.type_in("simulate hands.game --games 1 --records match.json");
    let (status, out, told) = folder.type_in("replay match.json --game hands.game");
    assert!(
        status == 0 && out.contains("player 1's hand: ") && out.contains("player 2's hand: "),
        "{out}{told}"
    );
    assert!(out.contains("player 1: keep "), "{out}");
    // While a match goes on, no hand may be shown, and of a secret move only which one it was.
    folder.type_in("simulate hands.game --games 1 --max-moves 1 --records match.json");
    let (_, out, told) = folder.type_in("replay match.json --game hands.game");
    assert!(!out.contains("hand: ") && out.contains("player 1: keep (secret)"), "{out}");
    assert!(told.contains("what is hidden in it is not shown"), "{told}");
}

/// Long round numbers must be read exactly, not as floating-point numbers.
#[test]
fn long_round_numbers_are_read_as_they_are_written() {
    let rules = "game \"Say\" { players 1 }\ntable { x: int = 0 }\nmove say(v in int try 0..3) { x := v }\n\
                 play { turns as t until t = 2 { say } }\nwinner last mover\n";
    let folder = Folder::new("round");
    folder.write("say.game", rules);
    for number in
        [format!("1{}", "0".repeat(39)), format!("-123{}", "0".repeat(40)), format!("1{}", "0".repeat(400))]
    {
        let record = format!(
            r#"{{"format":"parlour-record","version":1,"game":"say","players":1,"moves":[{{"player":1,"move":"say","args":{{"v":{number}}}}}]}}"#
        );
        folder.write("match.json", &record);
        let (status, out, told) = folder.run(&["replay", "match.json", "--game", "say.game"]);
        assert!(status == 0 && out.contains(&format!("say {number}")), "{out}{told}");
    }
}

#[test]
fn terms_of_a_thousand_digits() {
    // With a = (1, 0) and the convolution, c(p, 1) = b(p, 1) and c(p, 2) = b(p, 2).
    let number = |text: &str| -> Json { serde_json::from_str(text).unwrap() };
    let zeros = "0".repeat(998);
    // 10^999 + 7 is the smallest prime of a thousand digits; 10^999 + 9 is composite.
    let prime = number(&format!("1{zeros}7"));
    let composite = number(&format!("1{zeros}9"));
    let negative = number(&format!("-1{zeros}7"));
    let list = |player, terms: Json| entry(player, "list", json!({ "terms": terms }));
    let term = |value: Json| entry(2, "term", json!({ "value": value }));
    let options = json!({ "n": 2, "formula": "convolution" });
    let lists = [list(1, json!([prime, composite])), list(2, json!([negative, 2]))];
    let mut moves = lists.to_vec();
    moves.extend([term(json!(1)), term(json!(0)), entry(1, "permute", json!({ "order": [1, 0] }))]);
    let made = record("transform", options.clone(), 2, moves);
    let (status, json, _) = replayed(&made);
    assert_eq!((status, &json["result"]["scores"]), (0, &json!([1, 1])), "{json}");

    // The terms themselves may be that long. They must be exact to the last digit, and none may occur twice.
    let mut moves = lists.to_vec();
    moves.extend([term(prime.clone()), term(prime.clone())]);
    let error = breaks_at(&record("transform", options.clone(), 2, moves), 3);
    assert!(error["message"].as_str().unwrap().contains("is in the list already"));
    let mut moves = lists.to_vec();
    moves.extend([term(prime.clone()), term(composite.clone())]);
    moves.push(entry(1, "permute", json!({ "order": [composite, prime] })));
    let (status, json, _) = replayed(&record("transform", options, 2, moves));
    assert_eq!((status, &json["result"]["scores"]), (0, &json!([0, 0])), "{json}");
}

#[test]
fn simulate_has_its_shape() {
    let args = ["simulate", "procession", "--games", "20", "--seed", "5", "--set", "n=6", "--players", "3"];
    let json = data(&[args.as_slice(), &["--json"]].concat());
    let fields =
        ["games", "finished", "seed", "players", "options", "moves", "wins", "shared", "none", "scores"];
    assert!(fields.iter().all(|field| json.get(field).is_some()), "{json}");
    assert_eq!((&json["games"], &json["finished"], &json["seed"]), (&json!(20), &json!(20), &json!(5)));
    assert_eq!((&json["players"], &json["options"]), (&json!(3), &json!({ "n": 6 })));
    assert_eq!(keys(&json["moves"]), ["min", "mean", "max"]);
    let wins: u64 = json["wins"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(wins + json["shared"].as_u64().unwrap() + json["none"].as_u64().unwrap(), 20);
    assert_eq!(json["scores"], Json::Null);

    let json = data(&["simulate", "sum-of-products", "--games", "5", "--json"]);
    assert_eq!(json["scores"]["mean"].as_array().unwrap().len(), 2);
    assert_eq!(json["moves"], json!({ "min": 16, "mean": 16.0, "max": 16 }));
    let json = data(&["simulate", "procession", "--games", "4", "--set", "n=1", "--json"]);
    assert_eq!((&json["none"], &json["moves"]["max"]), (&json!(4), &json!(0)));
    let json = data(&["simulate", "procession", "--games", "0", "--json"]);
    assert_eq!((&json["games"], &json["finished"]), (&json!(0), &json!(0)));
}

/// Of no matches, nothing is told but that there were none.
#[test]
fn no_matches_have_no_figures() {
    let (status, out, err) = Folder::new("none").run(&["simulate", "procession", "--games", "0"]);
    let text =
        "Procession: 0 matches at random, seed 0\n  no match was played, so there is nothing to tell\n";
    assert_eq!((status, out.as_str(), err.as_str()), (0, text, ""));
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for game in ["procession", "transform", "numerical-card-game"] {
        let run = |seed: &str| {
            let folder = Folder::new(&format!("bytes-{game}-{seed}"));
            let args = ["simulate", game, "--games", "5", "--seed", seed, "--json", "--records", "all"];
            (folder.run(&args).1, folder.read("all"))
        };
        let (first, again, other) = (run("11"), run("11"), run("12"));
        assert_eq!(first, again);
        assert_ne!(first.1, other.1);
    }
}

#[test]
fn simulated_records_replay_one_by_one() {
    for (game, players) in [("binary-scramble", "3"), ("numbers-to-number", "2"), ("transform", "2")] {
        let folder = Folder::new(&format!("records-{game}"));
        folder.run(&["simulate", game, "--games", "4", "--players", players, "--records", "all"]);
        let text = folder.read("all");
        assert_eq!(text.lines().count(), 4);
        for line in text.lines() {
            let made: Json = serde_json::from_str(line).unwrap();
            let fields =
                ["format", "version", "game", "rules", "options", "players", "seed", "moves", "result"];
            assert_eq!(keys(&made), fields);
            assert!(made["rules"].as_str().unwrap().starts_with("sha256:"));
            assert!(made["moves"][0].as_object().is_some_and(|entry: &Map<String, Json>| {
                entry.keys().eq(["player", "move", "args"].iter())
            }));
            let (status, json, notes) = replayed(&made);
            assert_eq!((status, notes.as_str()), (0, ""));
            assert_eq!(json["result"], made["result"]);
        }
    }
}

#[test]
fn matches_cut_short_are_counted_as_unfinished() {
    let folder = Folder::new("cut");
    let args = "simulate sum-of-products --games 6 --max-moves 5 --records all --json";
    let json: Json = serde_json::from_str(&folder.type_in(args).1).unwrap();
    assert_eq!((&json["games"], &json["finished"]), (&json!(6), &json!(0)));
    assert_eq!((&json["wins"], &json["shared"], &json["none"]), (&json!([0, 0]), &json!(0), &json!(0)));
    assert_eq!(json["moves"]["max"], 5);
    for line in folder.read("all").lines() {
        let made: Json = serde_json::from_str(line).unwrap();
        assert_eq!(made["result"]["over"], false);
        assert_eq!(made["moves"].as_array().unwrap().len(), 5);
        assert_eq!(replayed(&made).1["result"], made["result"]);
    }
    // A simultaneous choice is never cut in two.
    let args = ["simulate", "numbers-to-number", "--games", "2", "--max-moves", "3", "--json"];
    assert_eq!(data(&args)["moves"]["max"], 4);
}

#[test]
fn perft_and_list_have_their_shapes() {
    let json = data(&["perft", "sum-of-products", "--set", "n=2", "--depth", "2", "--json"]);
    let expected = json!([
        { "depth": 1, "sequences": 8, "finished": 0 }, { "depth": 2, "sequences": 48, "finished": 0 },
    ]);
    assert_eq!(json, expected);
    assert_eq!(data(&["perft", "procession", "--depth", "0", "--json"]), json!([]));
    let folder = Folder::new("drawn");
    for (words, drawn) in [("perft pig --depth 1", true), ("perft nim --depth 1", false)] {
        let (status, _, err) = folder.type_in(words);
        assert_eq!((status, err.contains("different outcomes of a draw")), (0, drawn), "{err}");
    }

    let json = data(&["list", "--json"]);
    let find = |name: &str| {
        let games = json.as_array().unwrap();
        games.iter().find(|game| game["name"] == name).unwrap_or_else(|| panic!("{name} is not listed"))
    };
    let named = [
        ("nim", json!({ "min": 2, "max": 2 }), vec![("piles", json!([1, 3, 5, 7])), ("misere", json!(true))]),
        ("procession", json!({ "min": 2, "max": null }), vec![("n", json!(7))]),
        ("sum-of-products", json!({ "min": 2, "max": 2 }), vec![("n", json!(4))]),
        (
            "binary-scramble",
            json!({ "min": 2, "max": null }),
            vec![("turns_each", json!(4)), ("target", json!(10))],
        ),
        ("numbers-to-number", json!({ "min": 2, "max": 2 }), vec![("m", json!(6))]),
        (
            "transform",
            json!({ "min": 2, "max": null }),
            vec![
                ("n", json!(4)),
                ("rounds_each", json!(1)),
                ("formula", json!("written")),
                ("criterion", json!("primes")),
                ("limit", json!(9)),
            ],
        ),
        ("numerical-card-game", json!({ "min": 2, "max": null }), vec![("m", json!(12))]),
    ];
    for (name, players, options) in named {
        let game = find(name);
        assert!(game["title"].is_string() && game["summary"].is_string());
        assert_eq!(game["players"], players, "{name}");
        let found = game["options"].as_array().unwrap().iter();
        let found: Vec<(&str, Json)> =
            found.map(|option| (option["name"].as_str().unwrap(), option["default"].clone())).collect();
        assert_eq!(found, options, "{name}");
    }
}

#[test]
fn exit_statuses_and_streams() {
    for (args, status) in [
        (vec!["perft", "procession"], 2),
        (vec!["perft", "procession", "--depth", "x"], 2),
        (vec!["perft", "procession", "--depth", "2", "--set", "n"], 2),
        (vec!["perft", "transform", "--depth", "1"], 1),
        (vec!["perft", "nothing-of-the-kind", "--depth", "1"], 1),
        (vec!["simulate", "procession", "--games", "-1"], 2),
        (vec!["simulate", "procession", "--games", "1", "--players", "1"], 1),
        (vec!["simulate", "procession", "--games", "1", "--set", "n=1000"], 1),
        (vec!["simulate", "procession", "--games", "1", "--seat", "3=random"], 2),
        (vec!["simulate", "procession", "--games", "1", "--bot", "nobody"], 2),
        (vec!["replay", "-"], 1),
        (vec!["play", "procession", "--seat", "1=easy", "--seat", "1=hard"], 2),
        (vec!["no-such-command"], 2),
        (vec!["list", "--no-such-flag"], 2),
    ] {
        let output = parlour(&args);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stdout), "", "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
        assert!(!text(&output.stderr).contains('\u{1b}'), "colour where no terminal is: {args:?}");
    }
    assert_eq!(parlour(&["--help"]).status.code(), Some(0));
    assert_eq!(parlour(&["--version"]).status.code(), Some(0));
}

#[test]
fn bench_prints_every_figure() {
    let json = data(&["bench", "sum-of-products", "--set", "n=2", "--seconds", "0.05", "--json"]);
    for figure in ["playouts", "moves", "seconds", "playouts_per_second", "moves_per_second", "load_seconds"]
    {
        assert!(json[figure].as_f64().is_some_and(|n| n > 0.0), "{figure}: {json}");
    }
    assert_eq!(json["mean_length"].as_f64(), Some(4.0));
    assert_eq!(json["engine"], "compiled");
    assert_eq!(json["bailouts"], json!({ "share": 0.0, "reasons": {} }));
    let reference = ["bench", "procession", "--engine", "reference", "--seconds", "0.01", "--json"];
    assert_eq!(data(&reference)["engine"], "reference");
}

#[test]
fn only_time_tells_the_engines_apart() {
    for args in [
        vec!["simulate", "sum-of-products", "--set", "n=3", "--games", "20", "--json"],
        vec!["simulate", "numerical-card-game", "--players", "3", "--games", "20", "--seed", "4"],
        vec!["simulate", "pig", "--games", "5", "--records", "all"],
        vec!["perft", "procession", "--set", "n=4", "--depth", "4"],
        vec!["perft", "transform", "--depth", "1"],
    ] {
        let folder = Folder::new("engines");
        let play = |engine: &str| {
            let (status, out, told) = folder.run(&[&args[..], &["--engine", engine]].concat());
            let records = std::fs::read(folder.join("all")).unwrap_or_default();
            (status, out, told, records)
        };
        let compiled = play("compiled");
        assert!(!compiled.1.is_empty() || compiled.0 == 1, "{args:?}: {}", compiled.2);
        assert_eq!(compiled, play("reference"), "{args:?}");
    }
}

#[test]
fn the_compiler_tells_what_it_leaves_to_the_reference() {
    let told = |args: &[&str]| {
        let output = parlour(args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout).to_string()
    };
    assert_eq!(told(&["dump", "procession", "--stage", "jit"]), "everything is compiled\n");
    let vectors = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/language/vectors.game");
    let asked = "worked out by the reference evaluator while code runs:\nvectors.game line 55: \
        `determinant` of values that change\n";
    assert!(told(&["dump", vectors, "--stage", "jit"]).starts_with(asked));
    // Its numbers become too large for code in the course of a match.
    let folder = Folder::new("growing");
    let text = "game \"Growing\" { players 2 }\ntable { x: int = 1 }\nmove m(k in 2..3) { x := x * (2 ^ 20 + k) }\n\
        play { turns as t { m } until t = 8 }\nwinner last mover\n";
    folder.write("growing.game", text);
    let (_, out, _) = folder.type_in("dump growing.game --stage jit");
    let given_up = "every part is compiled\nsteps left to the reference evaluator in 20 random matches:\n\
        growing.game line 3: a number beyond 64 bits\n";
    assert!(out.starts_with(given_up), "{out}");
    // Its numbers are too large for code from the start.
    let oracle = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/language/invented/oracle.game");
    let why = "oracle.game line 53: the position holds a value that compiled code does not, such as a number beyond 64 bits";
    let bench = told(&["bench", oracle, "--seconds", "0.01"]);
    let sentence = format!("  the reference engine played 100 % of the choices: {why}\n");
    assert!(bench.ends_with(&sentence), "{bench}");
    for json in [
        data(&["bench", oracle, "--seconds", "0.01", "--json"]),
        data(&["simulate", oracle, "--games", "3", "--json"]),
    ] {
        assert_eq!(json["bailouts"]["share"], json!(1.0));
        assert!(json["bailouts"]["reasons"][why].as_u64().is_some_and(|n| n > 0), "{json}");
    }
}

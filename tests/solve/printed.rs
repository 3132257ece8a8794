//! What the command prints: its record, its limits, and what it refuses.

use std::fs;

use crate::folder::Folder;
use serde_json::Value as Json;

#[test]
fn what_it_prints_is_what_the_contract_says_and_its_line_replays() {
    let folder = Folder::new("line");
    let (status, printed, _) =
        folder.type_in("solve nim --set piles=2,3 --set misere=no --json --engine reference");
    assert_eq!(status, 0);
    let json: Json = serde_json::from_str(&printed).unwrap();
    assert_eq!(json["solved"], true);
    assert_eq!(json["value"], serde_json::json!([1, -1]));
    assert_eq!(json["winners"], serde_json::json!([1]));
    let moves = serde_json::json!([{ "move": "take", "args": { "pile": 2, "count": 1 }, "value": [1, -1] }]);
    assert_eq!(json["moves"], moves);
    assert!(json["positions"].is_u64() && json["seconds"].is_number());
    folder.write("line.json", &json["line"].to_string());
    let (status, printed, _) = folder.type_in("replay line.json --json");
    let replayed: Json = serde_json::from_str(&printed).unwrap();
    assert_eq!((status, &replayed["result"]["winners"]), (0, &serde_json::json!([1])));
    // From a position on that line: player 2 is to move and has lost.
    let mut short = json["line"].clone();
    short["moves"].as_array_mut().unwrap().truncate(1);
    short["result"] = Json::Null;
    folder.write("short.json", &short.to_string());
    let (status, printed, errors) =
        folder.type_in("solve nim --position short.json --json --all --engine reference");
    let json: Json = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{errors}"));
    assert_eq!((status, &json["value"]), (0, &serde_json::json!([1, -1])));
    assert_eq!(json["moves"].as_array().unwrap().len(), 4);
    assert_eq!(json["line"]["moves"][0], short["moves"][0]);
}

#[test]
fn it_stops_at_its_limits_and_goes_on_where_it_was() {
    let folder = Folder::new("limits");
    let game = "solve tic-tac-toe --json --engine reference";
    let (status, printed, errors) = folder.type_in(&format!("{game} --positions 1024 --resume kept"));
    let json: Json = serde_json::from_str(&printed).unwrap();
    assert_eq!((status, &json["solved"], &json["value"]), (1, &Json::Bool(false), &Json::Null));
    assert!(errors.contains("`--positions 1024` is used up") && errors.contains("continues"), "{errors}");
    let (_, whole, _) = folder.type_in(game);
    let (status, printed, _) = folder.type_in(&format!("{game} --resume kept"));
    let (whole, rest): (Json, Json) =
        (serde_json::from_str(&whole).unwrap(), serde_json::from_str(&printed).unwrap());
    assert_eq!((status, &rest["value"], &rest["moves"]), (0, &whole["value"], &whole["moves"]));
    // What is kept is not searched again.
    let (_, printed, _) = folder.type_in(&format!("{game} --resume kept"));
    let third: Json = serde_json::from_str(&printed).unwrap();
    assert!(third["positions"].as_u64().unwrap() - rest["positions"].as_u64().unwrap() < 500);
    // Nothing may be lost, however often it is resumed and however soon it is stopped.
    let size = || fs::metadata(folder.join("kept")).unwrap().len();
    let before = size();
    for _ in 0..3 {
        let (status, printed, _) = folder.type_in(&format!("{game} --positions 1 --resume kept"));
        let json: Json = serde_json::from_str(&printed).unwrap();
        assert_eq!((status, &json["value"]), (0, &whole["value"]));
        // Positions may be replaced by others that take fewer words.
        assert!(100 * size() >= 95 * before, "{before} {}", size());
    }
    // A file that was changed, if only by one bit, must not be trusted.
    let whole = fs::read(folder.join("kept")).unwrap();
    for at in [whole.len() / 2, whole.len() - 40, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 4;
        fs::write(folder.join("changed"), changed).unwrap();
        let (status, _, errors) = folder.type_in(&format!("{game} --resume changed"));
        assert!(status == 1 && errors.contains("this file is damaged"), "{errors}");
    }
    // A file for other rules must be refused.
    let (status, _, errors) = folder.type_in("solve number-scrabble --resume kept --engine reference");
    assert!(status == 1 && errors.contains("this file was made for other rules"), "{errors}");
    folder.write("kept", "nonsense");
    let (status, _, errors) = folder.type_in(&format!("{game} --resume kept"));
    assert!(status == 1 && errors.contains("not written by `parlour solve --resume`"), "{errors}");
    let (status, _, errors) = folder.type_in("solve pig --memory 1 --engine reference");
    assert!(status == 1 && errors.contains("`--memory 1` (MB)"), "{errors}");
    assert!(!errors.contains("kept growing"), "every match of Pig ends: {errors}");
}

#[test]
fn what_grows_without_end_is_named_where_memory_is_full() {
    let folder = Folder::new("grows");
    folder.write("sum.game", include_str!("endless-sum.game"));
    let (status, _, errors) = folder.type_in("solve sum.game --memory 1");
    assert!(status == 1 && errors.contains("in random play, `sum` ("), "{errors}");
    assert!(errors.contains("kept growing") && !errors.contains("`turn`"), "{errors}");
}

#[test]
fn state_in_which_most_positions_differ_is_named_where_memory_is_full() {
    let folder = Folder::new("ledger");
    folder.write("ledger.game", include_str!("ledger.game"));
    let (status, _, errors) = folder.type_in("solve ledger.game --memory 8");
    let named = "the first 10,000 differ most in `account` (";
    let (_, rest) = errors.split_once(named).unwrap_or_else(|| panic!("{errors}"));
    assert!(status == 1 && rest.contains(" without it) and the points awarded ("), "{errors}");
}

#[test]
fn what_cannot_be_solved_is_refused_in_a_sentence() {
    let folder = Folder::new("refused");
    for (words, sentence) in [
        ("solve goofspiel", "`parlour equilibrium`"),
        ("solve bulls-and-cows", "not everybody sees"),
        ("solve nim --scores", "leave out `--scores`"),
        ("solve pig --players 3 --set goal=10", "`--as paranoid`"),
    ] {
        let (status, printed, errors) = folder.type_in(&format!("{words} --engine reference"));
        assert!(status == 1 && errors.contains(sentence), "{words}: {printed} {errors}");
    }
    let (status, _, errors) = folder.type_in("solve nim --seconds -1");
    assert!(status == 2, "{errors}");
}

//! `parlour check --play` as people and scripts use it: findings with their matches, records that can be
//! opened, and findings marked as meant.

use std::io::Write;
use std::process::Stdio;

use crate::folder::Folder;
use serde_json::{Value as Json, json};

/// Checks files by a moment of play. Returns exit status, standard output and standard error.
fn play(folder: &Folder, args: &[&str]) -> (i32, String, String) {
    let moment = if args.contains(&"--seconds") { &[][..] } else { &["--seconds", "0.02"] };
    folder.run(&[&["check", "--play"], moment, args].concat())
}

fn play_json(folder: &Folder, args: &[&str]) -> Vec<Json> {
    let (_, out, told) = play(folder, &[args, &["--json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{told}"))
}

fn slugs(found: &[Json]) -> Vec<&str> {
    found.iter().map(|found| found["slug"].as_str().unwrap()).collect()
}

/// A heap from which players take one or two, without the need that keeps it from running out.
const HEAP: &str = r#"// Take one or two; whoever takes the last one wins.

game "Heap" {
  players 2
}

table {
  left: 0..3 = 3
}

show "{left} left"

// Take some.
move take(k in 1..2) {
  left -= k
}

play {
  turns until left = 0 { take }
}

winner last mover
"#;

/// Returns the same rules with the need.
fn sound() -> String {
    HEAP.replace("  left -= k", "  need k <= left else \"too many\"\n  left -= k")
}

#[test]
fn a_finding_is_drawn_with_its_match() {
    let folder = Folder::new("drawn");
    folder.write("heap.game", HEAP);
    let (status, out, told) = play(&folder, &["heap.game"]);
    assert_eq!(status, 1, "{out}{told}");
    for line in [
        "E0801 fault",
        "15 │   left -= k",
        "  with 2 players: searched all ",
        "    1  player 1: take 2",
        "    2  player 2: take 2",
        "  the table before step 2:\n    1 left\n",
        "example \"found by play: fault\" with players = 2 {",
        "  2: take 2",
    ] {
        assert!(out.contains(line), "{line} is not in\n{out}");
    }
    assert!(told.starts_with("heap.game: 1 found by play; tried all "), "{told}");
    assert!(told.ends_with("1 error, 0 warnings\n"), "{told}");
    let (_, plain, _) = play(&folder, &["heap.game", "--format", "plain"]);
    assert_eq!(plain.lines().count(), 1, "{plain}");
    assert!(plain.contains("error[E0801 fault]") && plain.contains("player 2: take 2"), "{plain}");
}

#[test]
fn the_example_that_is_printed_shows_the_fault() {
    let folder = Folder::new("pasted");
    folder.write("heap.game", HEAP);
    let found = play_json(&folder, &["heap.game"]);
    folder.write("heap.game", &format!("{HEAP}\n{}\n", found[0]["example"].as_str().unwrap()));
    let (status, out, _) = folder.run(&["test", "heap.game"]);
    assert!(status == 1 && out.contains("E0702"), "{out}");
}

#[test]
fn programs_get_what_was_found_with_its_record() {
    let folder = Folder::new("json");
    folder.write("heap.game", HEAP);
    let found = play_json(&folder, &["heap.game"]);
    assert_eq!(slugs(&found), ["fault"]);
    let finding = &found[0];
    assert_eq!((&finding["line"], &finding["column"]), (&json!(15), &json!(3)));
    assert_eq!(finding["setting"], json!({ "options": {}, "players": 2 }));
    assert_eq!(finding["trace"], json!(["1  player 1: take 2", "2  player 2: take 2"]));
    assert!(finding["proved"].is_boolean() && finding["how"].is_string());
    assert_eq!(finding["tried"].as_array().map(Vec::len), Some(1));
    let take = |player: usize| json!({ "player": player, "move": "take", "args": { "k": 2 } });
    assert_eq!(finding["record"]["moves"], json!([take(1)]));
    assert_eq!(finding["record"]["finding"]["next"], json!([take(2)]));
    let (_, out, _) = play(&folder, &["heap.game", "--format", "sarif"]);
    let log: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "E0801");
    assert_eq!(log["runs"][0]["results"][0]["properties"]["trace"], finding["trace"]);
}

#[test]
fn records_are_opened_one_step_before() {
    let folder = Folder::new("records");
    folder.write("heap.game", HEAP);
    let (_, _, told) = play(&folder, &["heap.game", "--records", "found"]);
    assert!(told.contains("1 record in found\n"), "{told}");
    let record = "found/heap-fault-1.json";
    let (status, out, told) = folder.run(&["play", "--load", record]);
    assert_eq!((status, told.as_str()), (0, ""), "{out}");
    let end = "1 left\nit is player 2's turn\nthe next step, `take 2` by player 2, breaks the rules: ";
    assert!(out.contains(end), "{out}");
    assert_eq!(folder.run(&["replay", record, "--game", "heap.game"]).0, 0);
    // The record must also open under rules fixed meanwhile, and fail helpfully if its rules are gone.
    folder.write("mended.game", &sound());
    let (status, out, _) = folder.run(&["play", "mended.game", "--load", record]);
    assert!(status == 0 && out.contains("note: this record was made under other rules"), "{out}");
    let nowhere = folder.read(record).replace("heap.game", "gone.game");
    folder.write("nowhere.json", &nowhere);
    std::fs::remove_file(folder.join("heap.game")).unwrap();
    let (status, _, told) = folder.run(&["play", "--load", "nowhere.json"]);
    let way_out = "name its rules: `parlour play gone.game --load nowhere.json`\n";
    assert!(status == 1 && told.ends_with(way_out), "{told}");
}

#[test]
fn a_step_that_chance_has_a_part_in_is_made_as_it_was_found() {
    let folder = Folder::new("redone");
    let die = "turns as turn {\n    take\n    chance die in 1..9\n    left := die\n  } until turn = 9";
    folder.write(
        "die.game",
        &HEAP.replace("left -= k", "left := k").replace("turns until left = 0 { take }", die),
    );
    play(&folder, &["die.game", "--records", "found"]);
    let mut command = folder.command(&["play", "--load", "found/die-fault-1.json"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b":redo\n").unwrap();
    let out = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    let (before, made) = out.split_once("`:redo` plays it)").unwrap_or_else(|| panic!("{out}"));
    assert!(before.contains("3 left\nit is player 1's turn\nthe next step, `take 1` by player 1"), "{out}");
    assert!(made.contains("this cannot be redone: `left` cannot hold "), "{out}");
}

#[test]
fn what_lies_in_the_folder_of_records_is_not_lost() {
    let folder = Folder::new("kept");
    folder.write("heap.game", HEAP);
    let told = |folder: &Folder| play(folder, &["heap.game", "--records", "found"]);
    told(&folder);
    let first = folder.read("found/heap-fault-1.json");
    // A second run with the same findings must leave the same record.
    assert!(told(&folder).2.contains("1 record in found\n"));
    assert_eq!(folder.read("found/heap-fault-1.json"), first);
    folder.write("heap.game", &format!("// A heap.\n{HEAP}"));
    assert!(told(&folder).2.contains("1 record in found, 1 of them replacing another run's\n"));
    assert_ne!(folder.read("found/heap-fault-1.json"), first);
    folder.write("found/heap-fault-1.json", "a letter");
    let (status, out, told) = told(&folder);
    assert!(status == 1 && out.contains("E0801"), "{out}");
    assert!(
        told.contains("heap-fault-1.json: this already exists and is not a record of a finding"),
        "{told}"
    );
    assert_eq!(folder.read("found/heap-fault-1.json"), "a letter");
    let (status, _, told) = play(&folder, &["heap.game", "--records", "heap.game"]);
    assert!(status == 1 && told.starts_with("error: heap.game: "), "{told}");
}

#[test]
fn nothing_found_is_told_with_what_was_tried() {
    let folder = Folder::new("sound");
    folder.write("sound.game", &sound());
    folder.write("wrong.game", "game \"Wrong\"");
    let (status, out, told) = play(&folder, &["sound.game", "--deny", "warnings"]);
    assert_eq!((status, out.as_str()), (0, ""), "{told}");
    assert!(told.starts_with("sound.game: nothing found by play; tried all "), "{told}");
    assert!(told.contains("\n  2 players: "), "{told}");
    let (status, _, told) = play(&folder, &["wrong.game", "sound.game"]);
    assert_eq!(status, 1);
    assert!(told.contains("wrong.game: not played, because it has errors\n"), "{told}");
    assert!(told.contains("sound.game: nothing found by play"), "{told}");
    // People must be told what was tried even if the findings are printed for programs.
    let (_, out, told) = play(&folder, &["sound.game", "--json"]);
    assert_eq!(out, "[]\n");
    assert!(told.starts_with("sound.game: nothing found by play; tried all "), "{told}");
}

/// Where nothing was found, many settings must be told in one line; otherwise each has its own.
#[test]
fn many_settings_without_a_finding_are_told_in_a_line() {
    let folder = Folder::new("settings");
    folder.write(
        "sound.game",
        "game \"Count\" { players 2 to 6 }\ntable { n: int = 0 }\nshow \"{n}\"\nmove add(k in 1..3) { n += k }\n\
         play { turns until n >= 20 { add } }\nwinner last mover\n",
    );
    folder.write("heap.game", &HEAP.replace("players 2", "players 2 to 6"));
    let settings = |name: &str| {
        let (_, _, told) = play(&folder, &[name]);
        let lines: Vec<String> =
            told.lines().filter(|line| line.starts_with("  ")).map(String::from).collect();
        lines
    };
    let [line] = &settings("sound.game")[..] else { panic!("not one line") };
    assert!(line.starts_with("  2, 3, ") && line.ends_with(" players"), "{line}");
    assert!(settings("heap.game").len() > 3);
}

#[test]
fn a_command_line_that_makes_no_sense_is_refused() {
    let folder = Folder::new("usage");
    folder.write("heap.game", HEAP);
    for args in [
        &["check", "heap.game", "--records", "found"][..],
        &["check", "heap.game", "--seed", "1"],
        &["check", "heap.game", "--play", "--seconds", "0"],
        &["check", "heap.game", "--play", "--seconds", "-1"],
        &["check", "heap.game", "--play", "--fix"],
        &["check", "heap.game", "--play", "--set", "n=1"],
        &["play", "heap.game", "--load", "a.json", "--set", "n=1"],
        &["play", "--load", "a.json", "--resume"],
    ] {
        let (status, out, told) = folder.run(args);
        assert!(status == 2 && out.is_empty() && !told.is_empty(), "{args:?}: {out}{told}");
    }
}

#[test]
fn what_is_meant_is_not_told() {
    let folder = Folder::new("meant");
    let meant = HEAP.replace("  left -= k", "  left -= k // means it: the heap is what it is");
    folder.write("heap.game", &meant);
    let (status, out, told) = play(&folder, &["heap.game", "--deny", "warnings"]);
    assert_eq!((status, out.as_str()), (0, ""), "{told}");
    assert!(told.ends_with("0 errors, 0 warnings, 1 finding is intended\n"), "{told}");
    // A comment on what no longer occurs must be reported, but only once play has covered everything.
    folder.write("heap.game", &sound().replace("  left -= k", "  // means it\n  left -= k"));
    assert_eq!(slugs(&play_json(&folder, &["heap.game"])), ["not-found-again"]);
    assert_eq!(play_json(&folder, &["heap.game", "--players", "2"]), [] as [Json; 0]);
    assert_eq!(folder.run(&["check", "heap.game"]).2, "0 errors, 0 warnings\n");
    // It must not be reported if the rules fault before everything could be covered.
    folder.write("heap.game", &HEAP.replace("  turns", "  // means it\n  turns"));
    assert_eq!(slugs(&play_json(&folder, &["heap.game"])), ["fault"]);
}

#[test]
fn warnings_can_be_meant_and_marks_stay_off_the_sheet() {
    let folder = Folder::new("marks");
    let text =
        HEAP.replace("table {", "let spare = 3 // for later // means it\n\n// means it: why not\ntable {");
    folder.write("heap.game", &text);
    assert_eq!(folder.run(&["check", "heap.game"]).2, "0 errors, 0 warnings, 1 finding is intended\n");
    let (_, sheet, _) = folder.run(&["rules", "heap.game"]);
    assert!(!sheet.contains("means it") && !sheet.contains("why not"), "{sheet}");
    assert_eq!(folder.run(&["fmt", "heap.game", "--check"]).0, 0);
}

#[test]
fn seats_that_never_win_and_options_that_change_nothing_are_told() {
    let folder = Folder::new("unfair");
    let text = sound()
        .replace("table {", "option bonus: 0..9 = 3\n\ntable {")
        .replace("players 2", "players 2 to 3")
        .replace(
            "winner last mover",
            "each player {\n  got: int = 0\n}\n\nwinner highest if me = seat(2) then 0 else me.got",
        )
        .replace("  left -= k", "  left -= k\n  me.got += k")
        .replace("k <= left", "k <= left and bonus >= 0");
    folder.write("unfair.game", &text);
    let found = play_json(&folder, &["unfair.game", "--seconds", "0.5"]);
    let mut both = slugs(&found);
    both.retain(|slug| ["never-wins", "idle-option"].contains(slug));
    both.sort_unstable();
    assert_eq!(both, ["idle-option", "never-wins"], "{found:?}");
    let message = |slug: &str| found.iter().find(|found| found["slug"] == slug).unwrap()["message"].clone();
    assert_eq!(message("never-wins"), "player 2 never wins");
    let idle =
        "the option `bonus` changes nothing: with 0, 1, 3 and 9, the same choices lead to the same match";
    assert_eq!(message("idle-option"), idle);
}

/// An option that is written down and never read changes nothing either; one that is shown does.
#[test]
fn options_that_are_only_stored_are_told() {
    let folder = Folder::new("stored");
    let text = sound()
        .replace("table {", "option ink: 1..3 = 1\n\ntable {\n  page: 1..3 = ink")
        .replace("  left -= k", "  left -= k\n  page := ink");
    for (shown, idle) in [("{left} left", true), ("{left} left, page {page}", false)] {
        folder.write("stored.game", &text.replace("{left} left", shown));
        let found = play_json(&folder, &["stored.game", "--seconds", "0.5"]);
        assert_eq!(slugs(&found).contains(&"idle-option"), idle, "{shown}: {found:?}");
    }
}

/// Returns the text of the first code block after a mark.
fn block<'t>(text: &'t str, mark: &str) -> &'t str {
    let rest = &text[text.find(mark).expect("the manual has the block") + mark.len()..];
    let rest = &rest[rest.find('\n').unwrap() + 1..];
    &rest[..rest.find("\n```").expect("the block ends") + 1]
}

#[test]
fn what_the_manual_shows_is_what_is_found() {
    let manual = include_str!("../grammar/README.md");
    let manual = &manual[manual.find("## Checks that play").unwrap()..];
    let (file, shown) = (block(manual, "```game file"), block(manual, "```text"));
    let folder = Folder::new("manual");
    folder.write("stairs.game", file);
    let (status, out, told) = play(&folder, &["stairs.game"]);
    assert_eq!(status, 1, "{out}{told}");
    // In the manual, an ellipsis replaces the number of occurrences.
    let found: Vec<&str> = out.trim_end().lines().collect();
    let shown: Vec<&str> = shown.lines().skip(1).collect();
    assert_eq!(shown.len(), found.len(), "{out}");
    for (shown, found) in shown.iter().zip(found) {
        let alike = shown.strip_suffix('…').map_or(*shown == found, |head| found.starts_with(head));
        assert!(alike, "the manual shows `{shown}`, and it is `{found}`");
    }
    folder.write("stairs.game", &file.replace("at > top", "at = top"));
    assert_eq!(play(&folder, &["stairs.game", "--deny", "warnings"]).0, 0);
    folder
        .write("stairs.game", &file.replace("at > top", "at = top").replace(" // means it", " // so be it"));
    assert_eq!(slugs(&play_json(&folder, &["stairs.game"])), ["never-equal"]);
}

/// Only the values of an option that were tried are known about; a game without options is known whole.
#[test]
fn what_holds_in_the_settings_tried_is_not_called_proved() {
    let folder = Folder::new("settings");
    // Player 1 always takes an odd number from an even one and never takes the last, except with 17.
    let parity = "// Parity.\n\ngame \"Parity\" { players 2 }\n\noption n: 1..30 = 8\n\n\
        table { left: 0..60 = 2 * n + (if n = 17 then 1 else 0) }\n\nshow \"{left}\"\n\n\
        move take(k in {1, 3}) {\n  need k <= left else \"too few\"\n  left -= k\n}\n\n\
        play { turns until left = 0 { take } }\n\nwinner last mover\n";
    folder.write("parity.game", parity);
    let found = play_json(&folder, &["parity.game"]);
    let never = found.iter().find(|found| found["slug"] == "never-wins").unwrap();
    assert_eq!(never["proved"], false, "{never}");
    assert!(never["how"].as_str().unwrap().contains("in the settings tried: n = 1, 2, "), "{never}");
    folder.write("parity.game", &parity.replace("1..30 = 8", "1..4 = 2"));
    let found = play_json(&folder, &["parity.game"]);
    let never = found.iter().find(|found| found["slug"] == "never-wins").unwrap();
    assert_eq!(never["proved"], false, "n = 3 is not tried: {never}");
    folder.write("parity.game", &parity.replace("1..30 = 8", "1..2 = 2"));
    let found = play_json(&folder, &["parity.game"]);
    let never = found.iter().find(|found| found["slug"] == "never-wins").unwrap();
    assert_eq!(never["proved"], true, "{never}");
}

/// Both take the same from a heap of four.
#[test]
fn that_nobody_ever_wins_alone_is_told() {
    let folder = Folder::new("shared");
    let heap = "// Two each.\n\ngame \"Heap\" { players 2 }\n\ntable { left: 0..4 = 4 }\n\neach player { got: int = 0 }\n\n\
        show \"{left}\"\n\nmove take { left -= 1\n  me.got += 1 }\n\nmove pass { left -= 1\n  me.got += 1 }\n\n\
        play { turns until left = 0 { take or pass } }\n\nwinner highest me.got\n";
    folder.write("heap.game", heap);
    let found = play_json(&folder, &["heap.game"]);
    let never = found.iter().find(|found| found["slug"] == "never-wins").unwrap();
    assert_eq!(never["message"], "nobody ever wins alone: all players share every match");
    assert_eq!(never["proved"], true);
    // Players who win or lose together share what they win.
    folder.write("heap.game", &heap.replace("winner highest me.got", "winner highest left"));
    assert!(!slugs(&play_json(&folder, &["heap.game"])).contains(&"never-wins"));
    folder.write("heap.game", &heap.replace("highest me.got", "highest me.got, then last mover"));
    assert!(play_json(&folder, &["heap.game"]).iter().all(|found| found["message"] != never["message"]));
}

/// On a line of seven places, player 1 moves from even places to odd ones, and the last place is even.
#[test]
fn a_cycle_does_not_hide_who_never_wins() {
    let folder = Folder::new("cycle");
    let line = "// A line.\n\ngame \"Line\" { players 2 }\n\ntable { at: 0..6 = 0 }\n\nshow \"{at}\"\n\n\
        move walk(d in {-1, 1}) {\n  need at + d >= 0 and at + d <= 6 else \"the edge\"\n  \
        need at * at < 99 else \"never\"\n  at += d\n}\n\nplay { turns { walk\n  win me when at = 6 } }\n";
    folder.write("line.game", line);
    let found = play_json(&folder, &["line.game"]);
    assert_eq!(slugs(&found), ["never-happens", "endless", "never-wins"], "{found:?}");
    assert!(found.iter().all(|found| found["proved"] == true), "{found:?}");
    assert!(found[2]["message"].as_str().unwrap().contains("player 1 never wins"), "{}", found[2]);
}

/// One choice in one of a hundred thousand positions is refused.
#[test]
fn what_a_sample_did_not_see_is_not_told_as_a_fact() {
    let folder = Folder::new("rare");
    let rare = "// Rare.\n\ngame \"Rare\" { players 2 }\n\ntable { total: 0..100002 = 0 }\n\nshow \"{total}\"\n\n\
        move add(a in 1..30) {\n  need total != 77777 or a != 3 else \"unlucky\"\n  \
        total := (31 * total + a) mod 100003\n}\n\nplay { turns as t { add } until t = 20 }\n\nwinner last mover\n";
    folder.write("rare.game", rare);
    let found = play_json(&folder, &["rare.game", "--seconds", "0.2"]);
    let never = found.iter().find(|found| found["slug"] == "never-happens").unwrap();
    assert_eq!(never["proved"], false, "{never}");
    assert_eq!(never["message"], "this need never refuses anything in what was tried");
    let help = never["help"].as_str().unwrap();
    assert!(
        help.starts_with("not every choice was tried") && !help.contains("every possible choice"),
        "{help}"
    );
    // With four totals, all positions are searched.
    let small = rare.replace("100002", "3").replace("100003", "4").replace("t = 20", "t = 3");
    let small = small.replace("total != 77777 or a != 3", "total * total < 99").replace("1..30", "1..3");
    folder.write("rare.game", &small);
    let found = play_json(&folder, &["rare.game"]);
    let never = found.iter().find(|found| found["slug"] == "never-happens").unwrap();
    assert_eq!(never["proved"], true, "{never}");
    assert_eq!(never["message"], "this need never refuses anything");
    assert!(never["help"].as_str().unwrap().starts_with("every possible choice meets it"), "{never}");
}

//! The commands as people and scripts use them: arguments, output and where it goes, exit status.

mod fixes;

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::folder::{Folder, ended};
use serde_json::{Value as Json, json};

/// A game that checks, with two worked examples: the first sets `n`, the second does not.
const HEAP: &str = r#"// Take from a heap.

game "Heap" {
  players 2 or more
}

option n: 1..20 = 4 // how many there are
need n != 13 else "{n} brings bad luck"

table {
  left: 0..n = n
}

show "{left} left"

move take(count in 1..3) {
  need count <= left else "there are only {left}"
  left -= count
}

play {
  turns until left = 0 { take }
}

winner last mover

example "four" with n = 4 {
  start shows "4 left"
  1: take 3
}

example "whatever there is" {
  1: take 1
  2: take 1
}
"#;

/// Returns the same rules with four mistakes that have fixes.
fn broken() -> String {
    HEAP.replace("= n\n}", ":= n\n}")
        .replace("left -= count", "left = left - count")
        .replace("count <= left", "count <= left && n >= countt")
}

const FIXED: [&str; 4] =
    ["11:14: `:=` to `=`", "17:22: `&&` to `and`", "17:30: `countt` to `count`", "18:8: `=` to `:=`"];

#[test]
fn files_folders_and_bundled_games_are_tested_alike() {
    let folder = Folder::new("named");
    for name in ["games/b.game", "games/a.game", "games/deep/c.game", "one.game"] {
        folder.write(name, HEAP);
    }
    for name in ["games/.hidden/d.game", "games/.e.game", "games/notes.txt"] {
        folder.write(name, "this is no rule file");
    }
    let (status, out, told) = folder.run(&["test", "games", "procession", "one.game"]);
    let files = ["games/a.game", "games/b.game", "games/deep/c.game"];
    let two = |file: &str| format!("ok   {file}: four\nok   {file}: whatever there is\n");
    let expected = files.map(two).concat()
        + "ok   procession.game: the author's game\n"
        + &two("one.game")
        + "9 passed, 0 failed\n";
    assert_eq!((status, out.as_str(), told.as_str()), (0, expected.as_str(), ""));
    assert_eq!(
        folder.run(&["check", "games", "procession"]),
        (0, String::new(), "0 errors, 0 warnings\n".into())
    );
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_goes_on() {
    let folder = Folder::new("unread");
    folder.write("heap.game", HEAP);
    folder.write("empty/notes.txt", "");
    folder.write("bytes.game", "");
    fs::write(folder.join("bytes.game"), b"game \xff").unwrap();
    let args = ["empty", "heep.game", "prosession", "nowhere/x.game", "bytes.game", "heap.game"];
    let expected = [
        "error: empty: there is no .game file in this folder or below it",
        "error: heep.game: there is no such file; did you mean `heap.game`?",
        "error: no game is called `prosession`; did you mean `procession`?",
        "error: nowhere/x.game: there is no such folder",
        "error: bytes.game: this is not text: byte 5 is not valid UTF-8",
    ];
    let (status, out, told) = folder.run(&[&["test"], &args[..]].concat());
    assert_eq!((status, told.lines().collect::<Vec<_>>()), (1, expected.to_vec()));
    assert!(out.ends_with("2 passed, 0 failed\n"), "{out}");
    let (status, out, told) = folder.run(&[&["check"], &args[..]].concat());
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(told.starts_with(&expected.join("\n")), "{told}");
    assert!(told.ends_with("0 errors, 0 warnings, 5 files not checked\n"), "{told}");
    let (_, _, told) = folder.run(&["rules", "heap"]);
    assert_eq!(told, "error: no game is called `heap`; did you mean `heap.game`?\n");
}

#[test]
fn a_file_that_does_not_check_is_a_line_of_the_tests() {
    let folder = Folder::new("unchecked");
    folder.write("bad.game", &broken());
    let (status, out, told) = folder.run(&["test", "bad.game"]);
    let line = "FAIL bad.game: it has 4 errors; `parlour check bad.game` shows what is wrong";
    assert_eq!((status, out, told.as_str()), (1, format!("{line}\n0 passed, 1 failed\n"), ""));
    let (status, out, _) = folder.run(&["test", "bad.game", "--json"]);
    let json: Json = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &json[0]["outcome"], &json[0]["example"]), (1, &json!("unchecked"), &Json::Null));
    assert_eq!(json[0]["diagnostics"].as_array().unwrap().len(), 4);
}

#[test]
fn examples_take_what_is_set_unless_they_set_it() {
    let folder = Folder::new("test-values");
    folder.write("heap.game", HEAP);
    let (status, out, _) = folder.run(&["test", "heap.game", "--set", "n=1"]);
    assert_eq!(status, 1);
    let mut lines = out.lines();
    assert_eq!(lines.next(), Some("skip heap.game: four: it sets `n` to 4"));
    assert_eq!(lines.next(), Some("FAIL heap.game: whatever there is"));
    assert!(out.contains("the match is over") && out.ends_with("\n0 passed, 1 failed\n"), "{out}");
    // Settings equal to those of an example must not cause it to be skipped.
    let (status, out, _) = folder.run(&["test", "heap.game", "--set", "n=4", "--players", "3"]);
    assert_eq!((status, out.lines().last()), (0, Some("2 passed, 0 failed")));
    folder.write("pair.game", &HEAP.replace("with n = 4", "with n = 4, players = 2"));
    let (status, out, _) = folder.run(&["test", "pair.game", "--players", "3"]);
    assert_eq!((status, out.lines().next()), (0, Some("skip pair.game: four: it is for 2 players")));
    let (_, out, _) = folder.run(&["test", "pair.game", "--players", "3", "--format", "json"]);
    let json: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(
        json[0],
        json!({
            "file": "pair.game", "example": "four", "outcome": "skipped", "reason": "it is for 2 players",
            "diagnostics": [],
        })
    );
    assert_eq!((&json[1]["outcome"], &json[1]["reason"]), (&json!("passed"), &Json::Null));
}

#[test]
fn check_starts_a_game_as_it_is_set() {
    let folder = Folder::new("check-values");
    folder.write("heap.game", HEAP);
    folder.write(
        "other.game",
        &HEAP
            .replace("option n", "option heap")
            .replace("= n", "= heap")
            .replace("n = 4", "heap = 4")
            .replace("..n", "..heap")
            .replace("need n", "need heap")
            .replace("{n}", "{heap}"),
    );
    let sentence = |args: &[&str]| {
        let (status, out, told) = folder.run(&[&["check", "heap.game"], args].concat());
        assert_eq!(out, "", "{args:?}");
        (status, told.lines().next().unwrap_or_default().to_string())
    };
    let right = (0, "0 errors, 0 warnings".to_string());
    assert_eq!(sentence(&["--set", "n=20", "--players", "5"]), right);
    for (set, why) in [
        ("n=21", "error: heap.game: the option `n` cannot be 21: it is 1..20"),
        ("n=13", "error: heap.game: 13 brings bad luck"),
    ] {
        assert_eq!(sentence(&["--set", set]), (1, why.to_string()));
    }
    assert_eq!(sentence(&["--players", "1"]).0, 1);
    let usage = |set: &str| {
        let (status, told) = sentence(&["--set", set]);
        assert_eq!(status, 2, "{told}");
        told
    };
    assert_eq!(usage("m=3"), "error: this game has no option `m`; its only option is `n`");
    assert_eq!(usage("n=many"), "error: the option `n` cannot be `many`; possible: 1..20");
    assert_eq!(usage("n"), "error: `--set n` has no value; write `--set NAME=VALUE`");
    // An option that only some of the files have must be set in those.
    assert_eq!(sentence(&["other.game", "--set", "n=5"]), right);
    assert_eq!(sentence(&["other.game", "--set", "heap=26"]).0, 1);

    // A fault while the table is set up must be a diagnostic.
    folder.write("heap.game", &HEAP.replace("= n\n}", "= 4 div (7 - n)\n}"));
    let (status, out, _) = folder.run(&["check", "heap.game", "--set", "n=7", "--json"]);
    let json: Json = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &json[0]["severity"], &json[0]["line"]), (1, &json!("error"), &json!(11)), "{json}");
    assert_eq!(folder.run(&["check", "heap.game", "--json"]), (0, "[]\n".into(), String::new()));

    // Points that cannot be counted at the first choice are a mistake, whatever is drawn before it.
    let scored = HEAP
        .replace("play {", "play {\n  chance die in 1..6\n  left := min(n, die)")
        .replace("winner last mover", "score = largest(k in 1..9 where k > 9: k)\n\nwinner highest score");
    folder.write("scored.game", &scored[..scored.find("example").unwrap()]);
    let (status, out, told) = folder.run(&["check", "scored.game"]);
    assert!(out.contains("E0704") && out.contains("scores are read during the match as well"), "{out}");
    assert_eq!((status, told.as_str()), (1, "1 error, 0 warnings\n"));
}

#[test]
fn a_score_that_has_no_value_yet_does_not_end_a_check_by_play() {
    let folder = Folder::new("early-scores");
    let rules = r#"game "Early" { players 2 }
table { left: 0..9 = 0 }
move add(k in 1..2) {
  need left < 9 else "full"
  left := min(9, left + k)
}
play { repeat 2 { each p in players { ask p to add } } }
score = largest(k in 1..left: k)
winner highest score
"#;
    folder.write("early.game", rules);
    let (_, out, told) = folder.run(&["check", "early.game", "--play", "--seconds", "1"]);
    assert!(out.contains("E0801") && out.contains("this need never refuses anything"), "{out}");
    assert!(told.contains("all 15 positions"), "{told}");
}

#[test]
fn json_and_format_json_are_one() {
    let folder = Folder::new("json");
    folder.write("bad.game", &broken());
    folder.write("heap.game", HEAP);
    folder.run(&["simulate", "procession", "--games", "1", "--records", "match.json"]);
    for args in [
        vec!["list"],
        vec!["check", "bad.game"],
        vec!["test", "heap.game", "bad.game"],
        vec!["simulate", "procession", "--games", "3"],
        vec!["replay", "match.json"],
        vec!["perft", "procession", "--depth", "2"],
    ] {
        let (status, out, told) = folder.run(&[&args[..], &["--json"]].concat());
        serde_json::from_str::<Json>(&out).unwrap_or_else(|error| panic!("{args:?}: {error}: {out}{told}"));
        assert_eq!(told, "", "{args:?}");
        assert_eq!(folder.run(&[&args[..], &["--format", "json"]].concat()), (status, out.clone(), told));
        assert_ne!(folder.run(&[&args[..], &["--format", "human"]].concat()).1, out, "{args:?}");
        assert_eq!(folder.run(&[&args[..], &["--json", "--format", "human"]].concat()).0, 2, "{args:?}");
    }
    let bench = ["bench", "procession", "--seconds", "0.01", "--format", "json"];
    assert!(serde_json::from_str::<Json>(&folder.run(&bench).1).unwrap()["playouts"].is_u64());
}

#[test]
fn the_json_of_check_is_that_of_the_contract() {
    let folder = Folder::new("contract");
    folder.write("bad.game", &broken());
    folder.write("heap.game", HEAP);
    let (status, out, told) = folder.run(&["check", "heap.game", "bad.game", "--format", "json"]);
    assert_eq!((status, told.as_str()), (1, ""));
    let first = concat!(
        r#"[{"code":"E0101","slug":"unexpected","severity":"error","message":"`:=` changes state; nothing changes here","#,
        r#""file":"bad.game","line":11,"column":14,"end_line":11,"end_column":16,"#,
        r#""help":"write it like this: `name: type = first value`","labels":[{"text":"expected `=`","line":11,"column":14,"#,
        r#""end_line":11,"end_column":16}],"fix":{"replacement":"=","line":11,"column":14,"end_line":11,"#,
        r#""end_column":16}},{"#
    );
    assert!(out.starts_with(first), "{out}");
    assert_eq!(out.lines().count(), 1);
}

/// Returns the text of a region whose lines and columns are numbered from 1.
fn region<'t>(text: &'t str, region: &Json) -> &'t str {
    let number = |key: &str| region[key].as_u64().unwrap() as usize;
    let offset = |line: usize, column: usize| {
        let before: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        before + text[before..].chars().take(column - 1).map(char::len_utf8).sum::<usize>()
    };
    &text[offset(number("startLine"), number("startColumn"))..offset(number("endLine"), number("endColumn"))]
}

#[test]
fn code_hosts_get_sarif() {
    let folder = Folder::new("sarif");
    let text =
        broken().replace("brings", "brings “é”").replace("n >= countt", "\"é\" = \"é\" && n >= countt");
    folder.write("my games/bad.game", &text);
    let (status, out, told) = folder.run(&["check", "my games", "gone.game", "--format", "sarif"]);
    assert_eq!((status, told.as_str()), (1, "error: gone.game: there is no such file\n"));
    let log: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().unwrap().ends_with("sarif-schema-2.1.0.json"));
    let run = &log["runs"][0];
    assert_eq!(
        (&run["tool"]["driver"]["name"], &run["columnKind"]),
        (&json!("parlour"), &json!("unicodeCodePoints"))
    );
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 5, "{out}");
    let mut replaced = Vec::new();
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["fullDescription"]["text"].as_str().is_some_and(|text| !text.is_empty()));
        assert_eq!(result["level"], "error");
        assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "my%20games/bad.game");
        if let Some(fix) = result.get("fixes").map(|fixes| &fixes[0]) {
            assert!(fix["description"]["text"].is_string());
            let change = &fix["artifactChanges"][0];
            assert_eq!(change["artifactLocation"], place["artifactLocation"]);
            let replacement = &change["replacements"][0];
            let meant = replacement["insertedContent"]["text"].as_str().unwrap();
            replaced.push((region(&text, &replacement["deletedRegion"]), meant));
        }
    }
    assert_eq!(
        replaced,
        [(":=", "="), ("&&", "and"), ("&&", "and"), ("countt", "count"), ("=", ":=")],
        "{out}"
    );
    // A file without mistakes must produce a log as well.
    folder.write("heap.game", HEAP);
    let (status, out, _) = folder.run(&["check", "heap.game", "--format", "sarif"]);
    let log: Json = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &log["runs"][0]["results"]), (0, &json!([])));
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn one_look_of_watch_says_whether_all_is_right() {
    let folder = Folder::new("once");
    folder.write("heap.game", HEAP);
    let once = |name: &str, more: &[&str]| folder.run(&[&["watch", name, "--once"], more].concat());
    let (status, out, told) = once("heap.game", &["--games", "20"]);
    assert_eq!((status, told.as_str()), (0, ""));
    let opening = "heap.game: no mistakes\nexamples: 2 of 2 pass\nHeap: 20 matches at random, seed 0\n  choices in a match  2 to 3,";
    assert!(out.starts_with(opening) && out.contains("\n  player 2            wins "), "{out}");
    assert_eq!(once("heap.game", &["--games", "20"]).1, out);
    assert!(
        once("heap.game", &["--set", "n=1", "--players", "3"])
            .1
            .contains("player 1            wins 300: 100.0 % (98.7..100.0)")
    );

    folder.write("bad.game", &broken());
    let (status, out, _) = once("bad.game", &[]);
    assert!(status == 1 && out.ends_with("bad.game: 4 errors\n"), "{out}");
    folder.write("wrong.game", &HEAP.replace("4 left", "5 left"));
    let (status, out, _) = once("wrong.game", &[]);
    assert!(status == 1 && out.contains("the table shows `4 left`") && out.contains("1 of 2 pass"), "{out}");
    assert!(out.contains("300 matches at random"), "{out}");
    // Play faults, and the match that does must be shown.
    folder.write("fault.game", &HEAP.replace("left -= count", "left -= 4 div (left - 2)"));
    let (status, out, _) = once("fault.game", &[]);
    assert!(status == 1 && out.contains("`parlour simulate fault.game --games"), "{out}");
    for (name, status) in [("gone.game", 1), ("-", 2), (".", 2)] {
        assert_eq!(once(name, &[]).0, status, "{name}");
    }
    assert_eq!(folder.run(&["watch", "procession"]).0, 2);
    let (status, out, told) = once("heap.game", &["--set", "m=1"]);
    assert_eq!(
        (status, out.as_str(), told.as_str()),
        (2, "", "error: this game has no option `m`; its only option is `n`\n")
    );
}

/// Waits until a log file contains a text at least `times` times, and returns its contents.
fn told(path: &Path, text: &str, times: usize) -> String {
    let begun = Instant::now();
    loop {
        let told = fs::read_to_string(path).unwrap_or_default();
        if told.matches(text).count() >= times {
            return told;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "`{text}` is not told {times} times:\n{told}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A process that is killed when the test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(unix)]
#[test]
fn watch_follows_every_way_of_saving_until_it_is_interrupted() {
    let folder = Folder::new("watch");
    folder.write("base.game", HEAP);
    folder.write("wide.game", "// More.\n\nvariant \"Wide\" of \"base.game\" { }\n\noption n = 6\n");
    let log = folder.join("log");
    let file = fs::File::create(&log).unwrap();
    let mut command = folder.command(&["watch", "wide.game", "--games", "8", "--engine", "reference"]);
    command.stdout(file.try_clone().unwrap()).stderr(file);
    let mut running = Running(command.spawn().unwrap());
    let ready = "watching wide.game and base.game; Ctrl-C stops\n";
    told(&log, ready, 1);
    // Another file is moved into its place.
    folder.write("new", "// More.\n\nvariant \"Wider\" of \"base.game\" { }\n\noption n = 8\n");
    fs::rename(folder.join("new"), folder.join("wide.game")).unwrap();
    told(&log, "Wider: 8 matches", 1);
    told(&log, ready, 2);
    // The file is removed, and written again.
    fs::remove_file(folder.join("wide.game")).unwrap();
    told(&log, "error: wide.game: there is no such file; waiting for it\n", 1);
    folder.write("wide.game", "// More.\n\nvariant \"Widest\" of \"base.game\" { }\n\noption n = 9\n");
    told(&log, "Widest: 8 matches", 1);
    told(&log, ready, 3);
    // The base game is broken, and fixed.
    folder.write("base.game", &broken());
    told(&log, "wide.game: 4 errors", 1);
    told(&log, ready, 4);
    folder.write("base.game", HEAP);
    let all = told(&log, "Widest: 8 matches", 2);
    assert!(!all.contains('\u{1b}'), "a pipe gets no commands for a terminal: {all}");
    told(&log, ready, 5);
    // The file is saved again before the matches are over.
    let slow = HEAP.replace("left -= count", "left -= 0 * sum(i in 1..40000: i mod 3)");
    folder.write("base.game", &slow);
    told(&log, "no match is over yet\n", 1);
    folder.write("base.game", HEAP);
    told(&log, "Widest: 8 matches", 3);
    told(&log, ready, 7);
    let pid = running.0.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(running.0.wait().unwrap().code(), Some(0));
}

/// Whoever ends a search from outside is told what was proved so far, as with Ctrl-C.
#[cfg(unix)]
#[test]
fn a_search_that_is_terminated_says_what_is_proved() {
    let folder = Folder::new("terminated");
    for signal in ["-INT", "-TERM"] {
        let log = folder.join("log");
        let file = fs::File::create(&log).unwrap();
        let mut command = folder.command(&["solve", "hex", "--set", "n=7", "--resume", "kept"]);
        command.stdout(file.try_clone().unwrap()).stderr(file);
        let mut running = Running(command.spawn().unwrap());
        // The file is written when the search begins.
        let begun = std::time::Instant::now();
        while !folder.join("kept").exists() {
            assert!(begun.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(300));
        let pid = running.0.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        assert_eq!(running.0.wait().unwrap().code(), Some(130), "{signal}");
        let told = fs::read_to_string(&log).unwrap();
        assert!(told.contains("interrupted") && told.contains("Hex"), "{signal}: {told}");
        fs::remove_file(folder.join("kept")).unwrap();
    }
}

#[test]
fn every_command_shows_itself_in_use_and_that_works() {
    let folder = Folder::new("help");
    let help = folder.run(&["--help"]).1;
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let commands: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"watch") && commands.contains(&"check"), "{help}");
    folder.write("games/heap.game", HEAP);
    folder.write("mine.game", HEAP);
    folder.run(&["simulate", "procession", "--games", "1", "--records", "match.json"]);
    for command in commands.into_iter().filter(|command| *command != "help") {
        let help = folder.run(&[command, "--help"]).1;
        let examples = help.split_once("\nExample").unwrap_or_else(|| panic!("{command} has no example")).1;
        for line in examples.lines().skip(1) {
            let (input, line) = match line.trim().strip_prefix("echo '") {
                Some(echo) => echo.split_once("' | ").unwrap(),
                None => ("", line.trim()),
            };
            let mut args: Vec<&str> = line.split(' ').collect();
            assert_eq!(args[..2], ["parlour", command], "{line}");
            if command == "watch" {
                args.push("--once");
            }
            if line == "parlour new mine" {
                fs::remove_file(folder.join("mine.game")).unwrap();
            }
            folder.write("input", &format!("{input}\n"));
            let input = fs::File::open(folder.join("input")).unwrap();
            let (status, _, told) = ended(folder.command(&args[1..]).stdin(input).output().unwrap());
            assert_eq!(status, 0, "{line}: {told}");
        }
    }
}

#[test]
fn a_misspelt_seat_is_recognised() {
    let folder = Folder::new("seats");
    let rules = "game \"Seats\" { players 2 called keeper, seeker }\nmove go { }\n\
                 play { turns as t until t = 2 { go } }\nwinner last mover\n";
    folder.write("seats.game", rules);
    for command in ["play", "simulate"] {
        let (status, _, told) = folder.run(&[command, "seats.game", "--seat", "kepper=easy"]);
        assert!(status != 0 && told.contains("did you mean `keeper`?"), "{told}");
    }
}

#[test]
fn the_manual_is_part_of_the_program() {
    let folder = Folder::new("manual");
    let (status, contents, _) = folder.type_in("manual");
    assert_eq!(status, 0);
    for part in
        ["  tutorial  Ten minutes: from an idea to a tested variant", "  Secrets", "  When things are tested"]
    {
        assert!(contents.contains(part), "{part}: {contents}");
    }
    let (_, secrets, _) = folder.type_in("manual secrets");
    assert!(secrets.starts_with("## Secrets\n") && !secrets.contains("\n## "), "{secrets}");
    let (_, tested, _) = folder.type_in("manual when things");
    assert!(
        tested.starts_with("### When things are tested\n") && !tested.contains("### Who is out"),
        "{tested}"
    );
    let (_, play, _) = folder.type_in("manual play");
    assert_eq!(play.matches("### When things are tested").count(), 1, "it is in the section on play");
    let (_, whole, _) = folder.type_in("manual language");
    assert_eq!(whole.trim_end(), include_str!("../grammar/README.md").trim_end());
    // What is no title is looked for in the lines.
    let (status, dice, _) = folder.type_in("manual dice");
    assert!(status == 0 && dice.contains("How do I …:\n  a die or several dice"), "{dice}");
    let (status, tuples, _) = folder.type_in("explain tuple");
    assert!(status == 0 && tuples.contains("tuples"), "{tuples}");
    let (status, _, error) = folder.type_in("manual secrts");
    assert!(status == 1 && error.contains("did you mean `secrets`?"), "{error}");
}

#[cfg(target_os = "linux")]
/// The rules of a record are found beside it, in the file that is called like the game.
#[test]
fn a_record_finds_its_rules_beside_it() {
    let folder = Folder::new("beside");
    folder.write("games/heap.game", HEAP);
    folder.run(&["simulate", "games/heap.game", "--games", "1", "--records", "games/match.json"]);
    let (status, out, told) = folder.run(&["review", "games/match.json"]);
    assert!(status == 0 && out.contains("Heap") && told.is_empty(), "{out}{told}");
    folder.write("games/other.json", &folder.read("games/match.json").replace("\"heap\"", "\"hoop\""));
    let (status, _, told) = folder.run(&["replay", "games/other.json"]);
    let wanted = "this is a record of `hoop`, which is not bundled, and there is no `hoop.game` here; give its rules with `--game FILE`";
    assert!(status == 1 && told.contains(wanted), "{told}");
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let folder = Folder::new("full");
    folder.write("bad.game", &broken());
    folder.write("match", "flip 1\n");
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for args in [
        vec!["list"],
        vec!["list", "--json"],
        vec!["check", "bad.game"],
        vec!["check", "bad.game", "--format", "sarif"],
        vec!["test", "procession"],
        vec!["watch", "procession", "--once"],
        vec!["explain", "E0101"],
        vec!["rules", "procession"],
        vec!["play", "procession"],
        vec!["--help"],
    ] {
        let input = fs::File::open(folder.join("match")).unwrap();
        let (status, _, told) = ended(folder.command(&args).stdin(input).stdout(full()).output().unwrap());
        assert_eq!(status, 1, "{args:?}: {told}");
        assert!(told.lines().any(|line| line.starts_with("error: standard ")), "{args:?}: {told}");
    }
    let (status, _, told) = folder.run(&["simulate", "procession", "--games", "9", "--records", "/dev/full"]);
    assert_eq!((status, told.as_str()), (1, "error: /dev/full: the disk is full\n"));
    let (status, _, told) = folder.run(&["simulate", "procession", "--games", "9", "--records", "no/such"]);
    assert_eq!((status, told.as_str()), (1, "error: no/such: there is no such folder\n"));
}

#[test]
fn a_reader_that_has_gone_ends_a_command_quietly() {
    let folder = Folder::new("pipe");
    folder.write("bad.game", &broken());
    for args in [
        vec!["list"],
        vec!["check", "bad.game"],
        vec!["test", "procession", "bad.game"],
        vec!["watch", "procession", "--once"],
        vec!["watch", "bad.game"],
        vec!["rules", "procession"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (status, _, told) = ended(folder.command(&args).stdout(writer).output().unwrap());
        assert_eq!((status, told.as_str()), (0, ""), "{args:?}");
    }
}

/// Numbers out of range must be answered with what the option takes, and unwritable files reported before
/// there is anything to write.
#[test]
fn what_cannot_be_is_said_before_the_work() {
    let folder = Folder::new("beforehand");
    for (words, sentence) in [
        ("simulate nim --seed -1", "'--seed <SEED>'"),
        ("simulate nim --max-moves 0", "'--max-moves <M>'"),
        ("simulate nim --seed x", "invalid value 'x' for '--seed <SEED>': this is not a whole number"),
        ("perft nim --depth 99999999999999999999", "this number is too large"),
        ("study nim --within x", "invalid value 'x' for '--within <SHARE>': this is not a number"),
        ("study nim --within -1", "`--within -1`"),
        ("bench nim --seconds -1", "`--seconds -1`"),
        ("compare nim --against misere=no --seconds 0", "`--seconds 0`"),
        (
            "simulate nim --set misere=yes --set misere=no",
            "`--set misere=no` sets an option that was already set",
        ),
        ("simulate nim --set =3", "names no option"),
        ("simulate nim --seat 1=greedy --seat 1=random", "seat 1 already has a bot"),
    ] {
        let (status, out, err) = folder.type_in(words);
        assert!((status, out.as_str()) == (2, "") && err.contains(sentence), "{words}: {err}");
    }
    for (words, sentence) in [
        (
            "equilibrium goofspiel --set n=3 --keep nowhere/mixes.json",
            "nowhere/mixes.json: there is no such folder",
        ),
        ("equilibrium goofspiel --set n=3 --keep .", "this is a folder"),
        ("simulate nim --coverage=lcov --coverage-file nowhere/x", "there is no such folder"),
        ("study nim --html nowhere/page.html", "there is no such folder"),
    ] {
        let (status, out, err) = folder.type_in(words);
        assert!((status, out.as_str()) == (1, "") && err.contains(sentence), "{words}: {out}{err}");
    }
}

/// A file that is named by mistake must not be lost; an earlier output is replaced.
#[test]
fn only_earlier_outputs_are_replaced() {
    let folder = Folder::new("replaced");
    let record = folder.run(&["simulate", "nim", "--games", "1", "--records", "match.json"]);
    assert_eq!(record.0, 0, "{record:?}");
    let precious = "// Half a page of rules.\n";
    for (words, output) in [
        ("simulate nim --games 1 --records", "a file of records"),
        ("simulate nim --games 1 --coverage=json --coverage-file", "a report of coverage"),
        ("simulate nim --games 1 --coverage=lcov --coverage-file", "a report of coverage"),
        ("simulate nim --games 1 --coverage=human --coverage-file", "a report of coverage"),
        ("compare nim --against misere=no --games 2 --record", "a file of records"),
        ("equilibrium goofspiel --set n=2 --keep", "an equilibrium that was kept"),
        ("review match.json --playouts 4 --html", "a page that Parlour wrote"),
        ("study nim --playouts 4 --games 2 --html", "a page that Parlour wrote"),
    ] {
        folder.write("mine.game", precious);
        let (status, _, told) = folder.type_in(&format!("{words} mine.game"));
        let why = format!("error: mine.game: this file is not {output}, and would be lost");
        assert!(status == 1 && told.starts_with(&why), "{words}: {told}");
        assert_eq!(fs::read_to_string(folder.join("mine.game")).unwrap(), precious, "{words}");
        for _ in 0..2 {
            let (status, _, told) = folder.type_in(&format!("{words} output"));
            assert!(status == 0, "{words}: {told}");
        }
        fs::remove_file(folder.join("output")).unwrap();
    }
}

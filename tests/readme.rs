//! What the README says must be true: its board, its rule file, its match, its commands.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use parlour::play::{Look, Match, Rules, bundled_source};

const README: &str = include_str!("../README.md");

/// Returns the text of the first code block after a mark.
fn block(mark: &str) -> &'static str {
    let from = README.find(mark).expect("the README has the block") + mark.len() + 1;
    let rest = &README[from..];
    &rest[..rest.find("\n```").expect("the block ends") + 1]
}

fn parlour(args: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlour"));
    let state = std::env::temp_dir().join(format!("parlour-readme-{}", std::process::id()));
    command.args(args).env("PARLOUR_STATE", state).env_remove("COLUMNS");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn the_rule_file_is_the_one_in_games() {
    let shown = block("```game");
    let file = include_str!("../games/procession.game");
    assert!(file.starts_with(shown.trim_end()), "the README shows another procession.game");
}

#[test]
fn the_match_goes_as_it_says() {
    let transcript = block("```text");
    let mut lines = transcript.lines();
    let command: Vec<&str> = lines.next().unwrap().strip_prefix("$ parlour ").unwrap().split(' ').collect();
    let (mut input, mut expected) = (String::new(), String::new());
    for line in lines {
        match line.split_once("> ").filter(|(prompt, _)| prompt.starts_with("player ")) {
            Some((_, typed)) => input.push_str(&format!("{typed}\n")),
            None => expected.push_str(&format!("{line}\n")),
        }
    }
    let output = String::from_utf8(parlour(&command, &input).stdout).unwrap();
    // Where no prompts are shown, lines of their own say who moves, and how.
    let told = |line: &&str| !line.starts_with("it is player ") && !line.starts_with("player 1: flip");
    let told = |line: &&str| told(line) && !line.starts_with("player 2: flip");
    let shown: String = output.lines().filter(told).map(|line| format!("{line}\n")).collect();
    assert_eq!(shown, expected);
    assert_eq!(output.matches("it is player 2's turn").count(), output.matches("player 1: flip").count() - 1);
}

#[test]
fn the_board_stands_as_it_shows() {
    let told = README.lines().find(|line| line.starts_with("A terminal shows Kalah")).unwrap();
    let rules = Arc::new(Rules::load(bundled_source("kalah").unwrap()).unwrap());
    let mut played = Match::new(rules, &BTreeMap::new(), 2, 1).unwrap();
    for typed in told.split('`').filter(|part| part.starts_with("sow ")) {
        let from: u64 = typed["sow ".len()..].parse().unwrap();
        let args = serde_json::json!({ "hole": from });
        let player = played.to_move()[0];
        played.play(player, "sow", args.as_object().unwrap()).unwrap();
    }
    let look = Look { unicode: true, ..Look::default() };
    assert_eq!(block("```console").trim_end(), played.drawing().unwrap().text(&look));
}

#[test]
fn every_command_it_names_is_there() {
    let help = String::from_utf8(parlour(&["--help"], "").stdout).unwrap();
    for line in README.lines().filter(|line| line.starts_with("| `parlour ")) {
        for command in line.split('`').filter_map(|part| part.strip_prefix("parlour ")) {
            let word = command.split(' ').next().unwrap();
            assert!(help.contains(&format!("  {word}")), "`parlour {word}` is not in --help");
        }
    }
}

#[test]
fn its_first_command_plays_a_bundled_game() {
    let first = README.lines().find(|line| line.starts_with("    cargo run")).unwrap();
    let args: Vec<&str> = first.split(" -- ").nth(1).unwrap().split(' ').collect();
    let output = parlour(&args, "flip 1\n");
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("1000000  1,6"));
}

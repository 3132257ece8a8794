//! The program itself, without a terminal: exit status, and matches that outlive the process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use crate::folder::{Folder, ended};

struct Program(Folder);

impl Program {
    fn new(name: &str) -> Program {
        Program(Folder::new(name))
    }

    fn start(&self, args: &[&str]) -> Child {
        self.0.command(args).env_remove("COLUMNS").stdin(Stdio::piped()).spawn().unwrap()
    }

    /// Runs the program to its end. Returns exit status, standard output and standard error.
    fn run(&self, args: &[&str], input: &str) -> (i32, String, String) {
        let mut child = self.start(args);
        // A program that ends early does not read all of its input.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        ended(child.wait_with_output().unwrap())
    }
}

#[test]
fn a_pipe_is_never_prompted() {
    let program = Program::new("pipe");
    let (status, out, _) =
        program.run(&["play", "numbers-to-number", "--set", "m=2", "--seed", "3"], "choose 1\nchoose 2\n");
    assert_eq!(
        (status, out.as_str()),
        (
            0,
            "Numbers To Number: 2 players, m=2\nwaiting for players 1 and 2\nplayer 1 has chosen\n\
             waiting for player 2\nplayer 1: choose 1\nplayer 2: choose 2\n0\nwaiting for players 1 and 2\n"
        )
    );
    let (status, out, _) =
        program.run(&["repl"], ":game procession\r\nflip 9\r\nflip 1\r\n:quit\r\nflip 2\r\n");
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("1000000  1,6") && !out.contains("> "), "{out}");
    assert_eq!(program.run(&[], ""), (0, String::new(), String::new()));
}

#[test]
fn a_wrong_command_line_is_refused() {
    let program = Program::new("usage");
    for (args, status, words) in [
        (&["play", "procession", "--seat", "2=gredy"][..], 2, "did you mean `greedy`?"),
        (
            &["play", "procession", "--seat", "3=random"][..],
            2,
            "there are seats 1 to 2; `--players 3` adds more",
        ),
        (&["play", "tic-tac-toe", "--name", "3=Ann"][..], 2, "there are seats 1 to 2\n"),
        (&["play", "procession", "--set", "m=3"][..], 2, "no option `m`"),
        (&["play", "procession", "--set", "n"][..], 2, "has no value"),
        (&["play", "procession", "--set", "n=99"][..], 1, "it is 1..60"),
        (&["play", "processoin"][..], 1, "did you mean `procession`?"),
        (&["play"][..], 2, "<GAME>"),
        (&["play", "--resume", "--seed", "3"][..], 2, "--seed"),
        (&["play", "--resume"][..], 1, "there is no match to continue"),
    ] {
        let (code, out, error) = program.run(args, "");
        assert_eq!(code, status, "{args:?}: {out}{error}");
        assert!(error.contains(words), "{args:?}: {error}");
    }
}

/// Each accepted move must be on disk before the next is asked for, so a killed program loses nothing.
#[test]
fn a_killed_program_goes_on() {
    let program = Program::new("kill");
    let mut child =
        program.start(&["play", "transform", "--set", "n=2", "--seat", "2=random", "--seed", "11"]);
    child.stdin.as_mut().unwrap().write_all(b"list 5 6\n").unwrap();
    // Once the reply is there, the move is accepted.
    let mut said = String::new();
    let mut replies = BufReader::new(child.stdout.take().unwrap());
    while !said.contains("player 1: list") {
        assert!(replies.read_line(&mut said).unwrap() > 0, "{said}");
    }
    while said.matches("player 2: term").count() < 2 {
        assert!(replies.read_line(&mut said).unwrap() > 0, "{said}");
    }
    // What only this person sees comes before the next choice, at the end of the reply.
    while !said.ends_with("your b: 5,6\n") {
        assert!(replies.read_line(&mut said).unwrap() > 0, "{said}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (status, out, error) = program.run(&["play", "transform", "--resume"], ":history\n:look 1\n");
    assert_eq!(status, 0, "{out}{error}");
    for words in
        ["it is player 1's turn", "player 2 is played by random", "   3  player 2: term", "your b: 5,6"]
    {
        assert!(out.contains(words), "{words}: {out}");
    }
}

/// Finished matches must be kept, even if several are played within one second.
#[test]
fn every_match_that_is_over_is_kept() {
    let program = Program::new("over");
    let args = ["play", "nim", "--set", "piles=1", "--seed", "1", "--seat", "1=random", "--seat", "2=random"];
    let (status, out, error) = program.run(&args, ":new\n:new\n:new\n");
    assert_eq!((status, out.matches("the end:").count()), (0, 4), "{out}{error}");
    assert_eq!(std::fs::read_dir(program.0.join("matches/over")).unwrap().count(), 4);
}

/// Two sessions do not play the same match: the later one plays on with a copy.
#[test]
fn a_match_that_is_being_played_is_continued_as_a_copy() {
    let program = Program::new("twice");
    assert_eq!(program.run(&["play", "procession"], "flip 1\n").0, 0);
    let matches = || std::fs::read_dir(program.0.join("matches")).unwrap().flatten();
    let stored = || matches().map(|entry| entry.path()).filter(|path| path.extension().is_some());
    let name = stored().next().unwrap().file_stem().unwrap().to_str().unwrap().to_string();
    let locks = program.0.join("matches/played");
    std::fs::create_dir_all(&locks).unwrap();
    let lock = std::fs::File::create(locks.join(&name)).unwrap();
    lock.lock().unwrap();
    let (_, out, _) = program.run(&["repl"], &format!(":resume\n:resume {name}\n"));
    let told = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("is played in another session") && told.contains("this is a copy"), "{out}");
    assert_eq!(stored().count(), 2);
    drop(lock);
    let (_, out, _) = program.run(&["repl"], &format!(":resume {name}\n"));
    assert!(!out.contains("copy"), "{out}");
    assert_eq!(stored().count(), 2);
}

/// A match is found again by its name, whether it is over or not.
#[test]
fn kept_matches_are_replayed_and_reviewed_by_name() {
    let program = Program::new("by-name");
    let (status, _, error) = program.run(&["replay", "mine"], "");
    assert_eq!((status, error.as_str()), (1, "error: mine: there is no such file, and no match is saved\n"));
    let (status, _, error) = program.run(&["review"], "");
    assert!(status == 1 && error.contains("no match is over yet"), "{error}");
    assert_eq!(program.run(&["play", "procession"], "flip 1\nflip 3\n").0, 0);
    assert_eq!(program.run(&["play", "nim", "--set", "piles=2"], "take 1 1\ntake 1 1\n").0, 0);
    let (status, out, _) = program.run(&["repl"], ":matches\n");
    assert_eq!(status, 0);
    let over = out.split_once("over: ").and_then(|(_, rest)| rest.split_once(';')).unwrap().0.to_string();
    let unfinished = out.split_once(": procession").unwrap().0.trim_start_matches("1. ").to_string();
    let (status, out, error) = program.run(&["replay", &unfinished], "");
    assert!(status == 0 && out.contains("player 2: flip 3"), "{out}{error}");
    let (status, out, error) = program.run(&["replay", &over], "");
    assert!(status == 0 && out.contains(" wins"), "{out}{error}");
    let (status, out, error) = program.run(&["review", &over, "--playouts", "20"], "");
    assert!(status == 0 && out.contains("Nim"), "{out}{error}");
    // Without a name it is the latest that is over, with a game's name the latest of that game.
    let (status, out, error) = program.run(&["replay"], "");
    assert!(status == 0 && out.contains(" wins"), "{out}{error}");
    let (status, out, error) = program.run(&["replay", "procession"], "");
    assert!(status == 0 && out.contains("   2  player 2: flip 3"), "{out}{error}");
    let (status, out, error) = program.run(&["review", "nim", "--playouts", "20"], "");
    assert!(status == 0 && out.contains("Nim"), "{out}{error}");
    let (status, _, error) = program.run(&["review", "mine"], "");
    let known =
        format!("error: mine: there is no such file or saved match; saved are {unfinished}, {over}\n");
    assert_eq!((status, error), (1, known));
    let (_, out, _) = program.run(&["repl"], &format!(":matches {over}\n:delete {over}\n"));
    assert!(out.contains(&format!("it is over; `:replay {over}` steps through it")), "{out}");
    assert!(out.contains(&format!("`{over}` is deleted")), "{out}");
}

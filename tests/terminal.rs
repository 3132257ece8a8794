//! The program as it is used: in a terminal, with what stands on its screen.

#![cfg(unix)]

#[path = "terminal/seat.rs"]
mod seat;

use seat::Room;

const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";

#[test]
fn secret_choices_are_handed_over() {
    let room = Room::new("secrets");
    let mut seat = room.seat(80, &["play", "numbers-to-number", "--set", "m=3", "--seed", "3"]);
    seat.asked("pass to player 1, press Enter");
    seat.types_unseen("choose 2");
    seat.sees("press Enter alone first");
    seat.asked("pass to player 1, press Enter");
    seat.types("");
    seat.until("a screen of its own", |seat| seat.screen.screen().alternate_screen());
    seat.asked("player 1");
    seat.types_unseen("choose 1");
    seat.asked("pass to player 2, press Enter");
    assert!(!seat.screen.screen().alternate_screen());
    seat.types("");
    seat.until("a screen of its own", |seat| seat.screen.screen().alternate_screen());
    seat.asked("player 2");
    // Neither what the first player typed nor a line of its history comes back.
    seat.press("\x1b[A");
    seat.press("\x19");
    assert!(!seat.contents().contains("choose 1"), "{}", seat.contents());
    seat.types_unseen("choose 3");
    seat.sees("player 2: choose 3");
    // Until both had chosen, nothing that went to the terminal told it.
    let raw = seat.raw();
    let open = raw.find("player 1: choose 1").unwrap();
    assert!(!raw[..open].contains("choose 1") && !raw[..open].contains("choose 3"), "{raw}");
    seat.press(CTRL_C);
    seat.sees("the line is dropped");
    seat.press(CTRL_C);
    assert_eq!(seat.ends(), 130);
}

#[test]
fn a_killed_match_goes_on() {
    let room = Room::new("kill");
    let mut seat = room.seat(80, &["play", "procession", "--set", "n=5"]);
    seat.asked("player 1");
    seat.types("flip 4");
    seat.asked("player 2");
    seat.types("flip 1");
    seat.asked("player 1");
    seat.kill();
    let mut seat = room.seat(80, &["play", "--resume"]);
    seat.sees("10010");
    seat.asked("player 1");
    seat.asks(":history", "player 1");
    assert!(seat.contents().contains("player 2: flip 1"), "{}", seat.contents());
    seat.press(CTRL_D);
    seat.sees("--resume");
    assert_eq!(seat.ends(), 0);
}

#[test]
fn windows_change_their_size_and_may_be_narrow() {
    let room = Room::new("resize");
    let mut seat = room.seat(100, &["play", "transform", "--set", "n=2", "--seat", "2=random"]);
    seat.asked("player 1");
    seat.resize(40);
    for line in ["list 5 6", "", ":moves", ":help", ":rules", ":points"] {
        seat.asks(line, "player 1");
    }
    assert!(!seat.overflows(), "{}", seat.contents());
    for game in ["sum-of-products", "hex", "goofspiel"] {
        let mut seat = room.seat(40, &["play", game, "--seat", "2=random"]);
        seat.asked("");
        for line in ["", ":rules", ":set"] {
            seat.asks(line, "");
        }
        seat.types(":quit");
        assert_eq!(seat.ends(), 0);
        assert!(!seat.overflows(), "{}", seat.contents());
    }
}

#[test]
fn colour_is_for_those_who_want_it() {
    let room = Room::new("colour");
    let coloured = |raw: &str| raw.contains("\x1b[2m") || raw.contains("\x1b[1m") || raw.contains("\x1b[3");
    for (environment, wanted) in [(&[][..], true), (&[("NO_COLOR", "1")][..], false)] {
        let mut seat = room.seat_with(80, environment, &["play", "procession"]);
        seat.asked("player 1");
        seat.press("flip ");
        // A hint of what the move takes stands behind what is typed.
        seat.until("a hint", |seat| seat.line().contains("flip ") && seat.line().contains("AT"));
        assert_eq!(coloured(&seat.raw()), wanted, "{:?}", seat.raw());
    }
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_gets_plain_lines() {
    let room = Room::new("dumb");
    let mut seat = room.seat_with(80, &[("TERM", "dumb")], &["play", "numbers-to-number", "--set", "m=2"]);
    seat.asked("pass to player 1");
    seat.types("");
    seat.asked("player 1");
    seat.types_unseen("choose 1");
    seat.asked("pass to player 2");
    // What was chosen has gone from the screen, and was never shown.
    assert!(!seat.raw().contains("choose 1"), "{}", seat.raw());
    seat.types("");
    seat.asked("player 2");
    seat.types_unseen("choose 2");
    seat.sees("player 1: choose 1");
    assert!(!seat.raw().contains('\x1b'), "{:?}", seat.raw());
    seat.press(CTRL_D);
    assert_eq!(seat.ends(), 0);
}

// ---- nothing given away

#[test]
fn chance_at_the_table_is_nobody_s_to_foresee() {
    let room = Room::new("chance");
    for seed in [&[][..], &["--seed", "123456789"][..]] {
        let args = [&["play", "goofspiel", "--seat", "2=random"][..], seed].concat();
        let mut seat = room.seat(80, &args);
        seat.asked("player 1");
        for line in [":seed", ":show", ":game", ":moves"] {
            seat.asks(line, "player 1");
        }
        seat.types(":quit");
        assert_eq!(seat.ends(), 0);
        assert!(!seat.raw().contains("123456789"), "{}", seat.contents());
        assert!(!seat.raw().contains("seed 1"), "{}", seat.contents());
    }
    // A match that no seed was asked for has none in what is kept of it; one that has can be told when it is over.
    let mut seat = room.seat(80, &["play", "procession", "--set", "n=1"]);
    seat.asked("over");
    seat.types(":seed");
    seat.sees("chance comes from the operating system");
    let mut seat = room.seat(80, &["play", "procession", "--set", "n=3", "--seed", "123456789"]);
    seat.asked("player 1");
    seat.types("flip 2");
    seat.asked("player 2");
    assert!(room.kept().iter().any(|kept| kept.contains("\"seed\":123456789")));
    seat.types(":quit");
    seat.ends();
    let mut seat = room.seat(80, &["play", "procession", "--set", "n=3"]);
    seat.asked("player 1");
    seat.types("flip 2");
    seat.asked("player 2");
    assert!(room.kept().iter().any(|kept| !kept.contains("\"seed\"")));
}

// ---- beginning

#[test]
fn the_games_are_offered_and_their_settings_asked_for() {
    let room = Room::new("beginning");
    room.write("mine.game", include_str!("../games/procession.game"));
    let mut seat = room.seat(80, &["play"]);
    seat.asked("which one");
    let shown = seat.contents();
    for words in ["Games", "Classics", "Variants", "In this folder", "procession", "kalah", "mine.game"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    seat.asks("kala", "[");
    assert!(seat.contents().contains("Kalah"), "{}", seat.contents());
    seat.asks("go", "player 1");
    seat.types(":quit");
    assert_eq!(seat.ends(), 0);
    let mut seat = room.seat(80, &["play"]);
    seat.asked("which one");
    seat.asks("mine.game", "how many play [2]");
    seat.asks("1", "how many play [2]");
    assert!(seat.contents().contains("this game is for 2 or more players"), "{}", seat.contents());
    seat.asks("3", "n [7]");
    seat.asks("99", "n [7]");
    assert!(seat.contents().contains("it is 1..60"), "{}", seat.contents());
    seat.asks("5", "who plays player 1");
    seat.asks("", "who plays player 2");
    seat.asks("random", "who plays player 3");
    seat.asks("random", "player 1>");
    seat.types("flip 4");
    seat.until("the bots", |seat| {
        seat.contents().contains("player 3: flip") || seat.contents().contains("wins")
    });
    seat.kill();
    // What was begun is offered the next time, in a session too.
    let mut seat = room.seat(80, &[]);
    seat.sees("Matches to go on with");
    seat.asked("which one");
    let shown = seat.contents();
    assert!(shown.contains("mine, 3 players, n=5") && shown.contains("just now"), "{shown}");
    seat.types("1");
    seat.sees("player 2 is played by random");
    seat.asked("");
    seat.types(":quit");
    assert_eq!(seat.ends(), 0);
}

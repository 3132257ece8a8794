//! The program as it is used in a terminal, and what it shows on the screen.

#![cfg(unix)]

mod folder;
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
    seat.sees("press Enter first, with nothing typed");
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
    // Neither what the first player typed nor a line of its history may come back.
    seat.press("\x1b[A");
    seat.press("\x19");
    assert!(!seat.contents().contains("choose 1"), "{}", seat.contents());
    seat.types_unseen("choose 3");
    seat.sees("player 2: choose 3");
    // Nothing sent to the terminal may show the choice until both have chosen.
    let raw = seat.raw();
    let open = raw.find("player 1: choose 1").unwrap();
    assert!(!raw[..open].contains("choose 1") && !raw[..open].contains("choose 3"), "{raw}");
    // Ctrl-C drops what was typed; only twice in a row with nothing typed does it leave.
    seat.asked("pass to player 1");
    let mut told = |keys: &str, answer: &str, times: usize| {
        seat.press(keys);
        seat.until(answer, |seat| {
            let raw = seat.raw();
            let after = raw.rsplit(answer).next().unwrap_or_default();
            raw.matches(answer).count() == times && after.contains("press Enter>")
        });
    };
    told(CTRL_C, "press Ctrl-C again", 1);
    told(&format!("1{CTRL_C}"), "line dropped", 1);
    told(CTRL_C, "press Ctrl-C again", 2);
    seat.press(CTRL_C);
    assert_eq!(seat.ends(), 130);
}

#[test]
fn only_secret_choices_are_typed_unseen() {
    let room = Room::new("hands");
    room.0.write(
        "hands.game",
        "game \"Hands\" { players 2 }\neach player { hand: set of 1..9 = {} secret }\ntable { top: 0..9 = 0 }\n\
         show \"top {top}\"\nmove lay(card in me.hand) { me.hand -= card\n top := card }\n\
         play {\n seat(1).hand := {1, 2}\n seat(2).hand := {3, 4}\n repeat 2 { each p in players { ask p to lay } }\n}\n\
         winner last mover\n",
    );
    let mut seat = room.seat(80, &["play", "hands.game"]);
    seat.asked("pass to player 1, press Enter");
    seat.types("");
    seat.asked("player 1 lays");
    seat.types("2: lay 3");
    seat.sees("it is player 1's turn to choose; player 2 will be asked in turn");
    seat.asked("player 1 lays");
    // Everybody will see this choice, so it is typed as usual.
    seat.types("lay 1");
    seat.asked("pass to player 2, press Enter");
    assert!(!seat.raw().contains("not shown while you type"), "{}", seat.raw());
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
fn closing_the_terminal_ends_a_match_in_which_a_bot_thinks() {
    let room = Room::new("closed");
    let bots = ["play", "connect-four", "--seat", "1=hard", "--seat", "2=hard"];
    assert!(room.ends_when_closed(&bots, "thinks"), "the program goes on without a terminal");
}

#[test]
fn lines_that_are_typed_ahead_or_pasted_are_played_one_by_one() {
    let room = Room::new("ahead");
    let mut seat = room.seat(80, &["play", "procession", "--set", "n=8"]);
    seat.asked("player 1");
    seat.press("flip 1\rflip 2\rflip 4\r");
    seat.sees("11010000  2,1,1,4");
    // Pasted text, in the brackets that a terminal sends around it.
    seat.press("\x1b[200~flip 8\nflip 6\x1b[201~\r");
    seat.sees("11010101  2,1,1,1,1,1,1");
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
        // A hint about the arguments of the move is shown after what is typed.
        seat.until("a hint", |seat| seat.line().contains("flip ") && seat.line().contains("AT"));
        assert_eq!(coloured(&seat.raw()), wanted, "{:?}", seat.raw());
    }
}

#[test]
fn a_terminal_that_cannot_or_is_not_to_move_its_cursor_gets_plain_lines() {
    let room = Room::new("dumb");
    let game = ["play", "numbers-to-number", "--set", "m=2"];
    for (environment, plain) in [(&[("TERM", "dumb")][..], &[][..]), (&[], &["--plain"])] {
        let mut seat = room.seat_with(80, environment, &[&game, plain].concat());
        seat.asked("pass to player 1");
        seat.types("");
        seat.asked("player 1");
        seat.types_unseen("choose 1");
        seat.asked("pass to player 2");
        // The choice is gone from the screen, and was never shown.
        assert!(!seat.raw().contains("choose 1"), "{}", seat.raw());
        seat.types("");
        seat.asked("player 2");
        seat.types_unseen("choose 2");
        seat.sees("player 1: choose 1");
        assert!(!seat.raw().contains('\x1b'), "{:?}", seat.raw());
        seat.press(CTRL_D);
        assert_eq!(seat.ends(), 0);
    }
}

// ---- bots

#[test]
fn a_bot_that_thinks_keeps_nobody_waiting() {
    let room = Room::new("thinks");
    let mut seat = room.seat(80, &["play", "connect-four", "--seat", "1=mcts:600000ms"]);
    seat.asked("red thinks");
    // Questions are answered meanwhile, and the bot goes on thinking.
    seat.asks(":history", "red thinks");
    assert!(seat.contents().contains("nothing has been played yet"), "{}", seat.contents());
    seat.asks("drop 4", "red thinks");
    assert!(seat.contents().contains("red is still thinking"), "{}", seat.contents());
    seat.asks("drop 5", "red thinks");
    seat.asks(":go", "red thinks");
    assert!(!seat.contents().contains("not a bot's turn"), "{}", seat.contents());
    seat.asks("", "red thinks");
    // Ctrl-C makes it move at once, even if a line has been begun.
    seat.press(":he");
    seat.until("begun", |seat| seat.line().contains("thinks> :he"));
    seat.press(CTRL_C);
    // The moves that came too early stand there, one after the other, to be made or changed.
    seat.until("the early move", |seat| seat.line().contains("yellow drops> drop 4"));
    seat.asks("", "red thinks");
    seat.press(CTRL_C);
    seat.until("the next early move", |seat| seat.line().contains("yellow drops> drop 5"));
    seat.asks("", "red thinks");
    seat.asks(":undo", "yellow drops");
    assert!(seat.line().trim_end().ends_with("yellow drops>"), "{}", seat.line());
    seat.press(CTRL_D);
    seat.sees("--resume");
    assert_eq!(seat.ends(), 0);
}

/// Where several people share the table, what one of them types while a bot thinks is not offered to the next.
#[test]
fn a_move_that_comes_too_early_is_nobody_elses() {
    let room = Room::new("early");
    let args = ["play", "procession", "--players", "3", "--set", "n=20", "--seat", "2=mcts:600000ms"];
    let mut seat = room.seat(80, &args);
    seat.asked("player 1 flips");
    seat.asks("flip 1", "player 2 thinks");
    seat.asks("flip 2", "player 2 thinks");
    assert!(seat.contents().contains("player 2 is still thinking"), "{}", seat.contents());
    // Nor is what was begun.
    seat.press("flip 3");
    seat.until("begun", |seat| seat.line().contains("thinks> flip 3"));
    seat.press(CTRL_C);
    seat.asked("player 3 flips");
    assert!(seat.line().trim_end().ends_with("player 3 flips>"), "{}", seat.line());
    seat.press(CTRL_D);
    seat.sees("--resume");
    assert_eq!(seat.ends(), 0);
}

#[test]
fn what_is_thought_about_beforehand_changes_no_choice() {
    let room = Room::new("beforehand");
    let args = ["play", "nim", "--set", "piles=3,4,5", "--seat", "2=mcts:40", "--seed", "6"];
    let moves = ["take 1 1", "take 3 1", "take 2 1"];
    let mut piped = room.0.command(&args).stdin(std::process::Stdio::piped()).spawn().unwrap();
    use std::io::Write;
    let lines = format!("{}\n:save piped.json\n", moves.join("\n"));
    let path = room.0.join("piped.json");
    let lines = lines.replace("piped.json", &path.to_string_lossy());
    piped.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    piped.wait_with_output().unwrap();
    let mut seat = room.seat(100, &args);
    seat.asked("player 1");
    for line in moves {
        seat.asks(line, "");
        seat.until("the answer", |seat| {
            seat.line().trim_end().ends_with('>') && !seat.line().contains("thinks")
        });
    }
    seat.types(":save terminal.json");
    seat.sees("saved");
    let read = |name: &str| room.0.read(name);
    assert_eq!(read("piped.json"), read("terminal.json"));
}

// ---- secrecy

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
    // A match without a requested seed keeps none; a requested seed can be shown when the match is over.
    let mut seat = room.seat(80, &["play", "procession", "--set", "n=1"]);
    seat.asked("over");
    // What can be done next is said once, and only to people: a pipe is not told (`tests/readme.rs`).
    seat.asks(":show", "over");
    assert_eq!(seat.raw().matches("starts another match").count(), 1, "{}", seat.contents());
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

// ---- start of a session

#[test]
fn the_games_are_offered_and_their_settings_asked_for() {
    let room = Room::new("beginning");
    room.0.write("mine.game", include_str!("../games/procession.game"));
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
    seat.asks("mine.game", "how many players [2]");
    seat.asks("1", "how many players [2]");
    assert!(seat.contents().contains("this game is for 2 or more players"), "{}", seat.contents());
    seat.asks("3", "n [7]");
    seat.asks("99", "n [7]");
    assert!(seat.contents().contains("it is 1..60"), "{}", seat.contents());
    seat.asks("30", "who plays player 1");
    seat.asks("Ann", "who plays player 2");
    seat.asks("random", "who plays player 3");
    seat.asks("random", "Ann flips");
    seat.asks("flip 4", "Ann flips");
    seat.kill();
    // Matches that were begun are offered the next time, also in a session.
    let mut seat = room.seat(80, &[]);
    seat.sees("Matches to continue");
    seat.asked("which one");
    let shown = seat.contents();
    assert!(shown.contains("mine, Ann, random and random, n=30") && shown.contains("just now"), "{shown}");
    seat.types("1");
    seat.sees("player 2 is played by random");
    seat.asked("");
    seat.types(":quit");
    assert_eq!(seat.ends(), 0);
}

// ---- the rule file beside the match

/// Returns the command of an editor that changes the number of digits, as a separate program.
fn editor(room: &Room) -> String {
    room.0.write("editor.sh", "#!/bin/sh\nsed -i 's/= 7 /= 5 /' \"$1\"\n");
    format!("sh {}", room.0.join("editor.sh").display())
}

#[test]
fn a_rule_file_is_edited_and_watched_beside_the_match() {
    let room = Room::new("edit");
    room.0.write("mine.game", include_str!("../games/procession.game"));
    let mut seat = room.seat_with(80, &[("EDITOR", &editor(&room))], &["repl", "mine.game"]);
    seat.asked("player 1");
    seat.asks("flip 2", "player 2");
    seat.asks(":edit", "player 2");
    assert!(seat.contents().contains("the rules have changed"), "{}", seat.contents());
    seat.asks(":new", "player 1");
    assert!(seat.contents().contains("Procession: 2 players, n=5"), "{}", seat.contents());
    // Two saves while the file is watched: one with a mistake, one without.
    seat.types(":watch");
    seat.sees("watching");
    let text = include_str!("../games/procession.game");
    room.0.write("mine.game", &text.replace("need bag", "need bga"));
    seat.sees("did you mean `bag`");
    room.0.write("mine.game", &text.replace("{runs(row)}\"", "{sum(row)}\""));
    seat.sees("00000  0");
    seat.press("x");
    seat.asked("player 1");
    seat.asks("flip 1", "player 2");
    seat.asks(":edit", "player 2");
    seat.press(CTRL_D);
    assert_eq!(seat.ends(), 0);
    let mut seat = room.seat_with(80, &[("EDITOR", "/nowhere/ed")], &["repl", "mine.game"]);
    seat.asked("player 1");
    seat.asks(":edit", "player 1");
    assert!(seat.contents().contains("`/nowhere/ed` cannot be started"), "{}", seat.contents());
    seat.asks(":game nim", "player 1");
    seat.asks(":edit", "player 1");
    assert!(seat.contents().contains("`nim` is bundled"), "{}", seat.contents());
}

// ---- looking back

const RECORD: &str = r#"{"format":"parlour-record","version":1,"game":"procession","options":{"n":5},"players":2,"moves":[{"player":1,"move":"flip","args":{"at":4}},{"player":2,"move":"flip","args":{"at":1}},{"player":1,"move":"flip","args":{"at":5}}],"from":"a letter"}"#;

const RIGHT: &str = "\x1b[C";
const LEFT: &str = "\x1b[D";
const DOWN: &str = "\x1b[B";
const END: &str = "\x1b[F";

#[test]
fn one_looks_back_on_a_screen() {
    let room = Room::new("lookback");
    room.0.write("match.json", RECORD);
    let mut seat = room.seat(80, &["replay", "match.json"]);
    seat.sees("step 0 of 3");
    assert!(seat.screen.screen().alternate_screen());
    seat.press(RIGHT);
    seat.sees("step 1 of 3");
    seat.sees("00010  3,1,1");
    seat.press("cA quiet start.\r");
    seat.sees("comment:");
    // A variation from here, and back to the record's main line.
    seat.press("mflip 3\r");
    seat.sees("step 2 of 2 of a variation");
    seat.press(DOWN);
    seat.sees("step 2 of 3");
    seat.press(END);
    seat.sees("step 3 of 3");
    seat.press(LEFT);
    seat.sees("step 2 of 3");
    seat.press("0\r");
    seat.sees("step 0 of 3");
    // What a move is worth there, from a search that any key ends, and is read until another key is pressed.
    seat.press("a");
    seat.sees("for player 1:");
    seat.sees("any key: back");
    assert!(seat.contents().contains("move "), "{}", seat.contents());
    seat.press(" ");
    seat.sees("q: leave");
    seat.press("mflip 9\r");
    seat.sees("9 cannot be chosen: 1 to 5 are possible");
    seat.redraws(40);
    seat.press(RIGHT);
    seat.sees("step 1 of 3");
    assert!(!seat.overflows(), "{}", seat.contents());
    seat.press("q");
    assert_eq!(seat.ends(), 0);
    let kept = room.0.read("match.json");
    for words in [
        r#"{"player":1,"move":"flip","args":{"at":4},"comment":"A quiet start."}"#,
        r#""variations":[[{"player":2,"move":"flip","args":{"at":3}}]]"#,
        r#""from":"a letter""#,
    ] {
        assert!(kept.contains(words), "{words}: {kept}");
    }
    // Through a pipe there is only the plain listing, with or without comments.
    let (_, piped, _) = room.0.run(&["replay", "match.json"]);
    assert!(piped.starts_with("   1  player 1: flip 4  "), "{piped}");
    // Line by line, as for a screen reader.
    let mut seat = room.seat(80, &["replay", "match.json", "--plain"]);
    seat.asked("step 0 of 3");
    seat.asks("", "step 1 of 3");
    seat.sees("comment: A quiet start.");
    seat.asks("", "step 2 of 3");
    seat.asks("other", "step 2 of 2 of a variation");
    seat.asks("remove", "step 1 of 3");
    seat.asks("hint", "step 1 of 3");
    seat.sees("for player 2:");
    seat.asks("analyse 1", "step 1 of 3");
    seat.sees("here, the choice is that of player 2");
    seat.asks("flip 5", "step 2 of 2 of a variation");
    seat.asks("help", "step 2 of 2 of a variation");
    assert!(!seat.raw().contains("\x1b["), "{:?}", seat.raw());
    seat.types("quit");
    assert_eq!(seat.ends(), 0);
    // The current match can be looked back on, too.
    let mut seat = room.seat(80, &["play", "--load", "match.json"]);
    seat.asked("player 2");
    seat.types(":replay");
    seat.sees("step 0 of 3");
    seat.press(RIGHT);
    seat.sees("step 1 of 3");
    seat.press("cMine.\r");
    seat.sees("comment:");
    seat.press("q");
    // Additions are kept with the match: while it goes on, when it is resumed, and when it is over.
    seat.sees("what you added is saved with the match");
    seat.asks("flip 1", "player 1");
    seat.types(":quit");
    assert_eq!(seat.ends(), 0);
    let mut seat = room.seat(80, &["play", "--resume"]);
    seat.asked("player 1");
    seat.asks("flip 4", "over");
    seat.asks(":save other.json", "over");
    seat.types(":replay");
    seat.sees("step 0 of");
    seat.press("cTheirs.\r");
    seat.sees("Theirs.");
    seat.press("q");
    seat.asked("over");
    let contents = seat.contents();
    let name = contents.split("`:replay ").last().unwrap().split('`').next().unwrap();
    assert!(room.0.read("other.json").contains("\"comment\":\"Mine.\""));
    seat.types(":new");
    seat.asked("player 1");
    seat.types(&format!(":replay {name}"));
    seat.sees("step 0 of");
    seat.press(RIGHT);
    seat.sees("Mine.");
    // From there, another match can be played on.
    seat.press("p");
    seat.sees("a new match goes on from here");
    seat.asked("player 2");
    seat.asks("flip 1", "player 1");
    seat.types(&format!(":replay {name}"));
    seat.sees("step 0 of");
    seat.press(RIGHT);
    seat.sees("Mine.");
    seat.press("cYours.\r");
    seat.sees("Yours.");
    seat.press("q");
    seat.asked("player 1");
    seat.types(&format!(":replay {name}"));
    seat.sees("step 0 of");
    seat.press(RIGHT);
    seat.sees("Yours.");
}

#[test]
fn a_look_back_tells_nothing_that_is_hidden() {
    let room = Room::new("hidden");
    let mut seat =
        room.seat(80, &["play", "goofspiel", "--set", "n=4", "--players", "3", "--seat", "3=random"]);
    seat.asked("pass to player 1");
    seat.types("");
    seat.until("a screen of its own", |seat| seat.screen.screen().alternate_screen());
    seat.asked("player 1");
    seat.types_unseen("bid 3");
    seat.asked("pass to player 2");
    seat.types(":replay");
    seat.sees("step 0 of 0");
    seat.press("a");
    seat.sees("advice would reveal what is hidden");
    seat.press("mbid 2\r");
    seat.sees("variations would reveal what is hidden");
    assert!(
        !seat.contents().contains("bid 3") && !seat.contents().contains("prizes: "),
        "{}",
        seat.contents()
    );
    assert!(seat.contents().contains("face down"), "{}", seat.contents());
    seat.press("q");
    seat.asked("pass to player 2");
    seat.press(CTRL_D);
    assert_eq!(seat.ends(), 0);
}

// ---- long-running commands

#[test]
fn long_work_tells_how_far_it_is_and_stops_with_what_it_has() {
    let room = Room::new("long");
    for (args, told) in [
        (&["perft", "hex", "--depth", "60"][..], "the counts are at least these"),
        (&["bench", "nim", "--seconds", "3000"][..], "the figures cover only these"),
        (&["simulate", "nim", "--games", "1000000000"][..], "the figures cover only these"),
    ] {
        let args = [args, &["--engine", "reference"]].concat();
        let mut seat = room.seat(100, &args);
        seat.sees("left (Ctrl-C");
        seat.press(CTRL_C);
        seat.sees(told);
        assert_eq!(seat.ends(), 130, "{}", seat.contents());
        assert!(!seat.contents().contains("Ctrl-C stops"), "{}", seat.contents());
    }
    // The same for commands that say more when they are stopped.
    let slow = "game \"Slow\" {\n  players 2\n}\ntable {\n  left: int = 9\n}\n\
        move take {\n  left := sum(k in 1..300000: k mod 2)\n}\n\
        play {\n  turns as t until t > 2 { take }\n}\nwinner last mover\n";
    let examples: String = (0..500).map(|i| format!("example \"{i}\" {{\n  1: take\n}}\n")).collect();
    room.0.write("slow.game", &format!("{slow}{examples}"));
    for (args, progress, told) in [
        (&["test", "slow.game"][..], "left (Ctrl-C", "of 500 examples; the others were not run"),
        (
            &["check", "--play", "hex", "--seconds", "3000", "--engine", "reference"],
            "left (Ctrl-C",
            "this is what was found so far",
        ),
    ] {
        let mut seat = room.seat(120, args);
        seat.sees(progress);
        seat.press(CTRL_C);
        seat.sees(told);
        assert_eq!(seat.ends(), 130, "{}", seat.contents());
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    let room = Room::new("full");
    for args in
        [&["list"][..], &["play", "nim"], &["repl", "nim"], &["perft", "nim", "--depth", "2"], &["engine"]]
    {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut child =
            room.0.command(args).stdin(std::process::Stdio::piped()).stdout(full).spawn().unwrap();
        use std::io::Write;
        let request = br#"{"jsonrpc":"2.0","id":1,"method":"hello"}"#;
        let _ = child.stdin.take().unwrap().write_all(request);
        let done = child.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(
            (done.status.code(), error.as_str()),
            (Some(1), "error: standard output: the disk is full\n"),
            "{args:?}"
        );
    }
}

//! Whole sessions: `tests/repl/*.txt` are the typed lines, with the transcripts beside them.
//!
//! Lines that begin with `#` are for this harness: `#kill` starts a new session on the same disk, `#copy A B`
//! copies a file of the repository to the disk, `#edit FILE OLD => NEW` changes one there, `#gone FILE`
//! removes one, `#file FILE` writes one with the lines up to `#end`, `#full` makes the disk refuse to write,
//! `#pace 5` lets 5 ms pass at each look at the clock, `#ask` asks what to play. `INSTA_UPDATE=always cargo
//! test --test all repl::` rewrites the transcripts.

mod advice;
mod secret_choices;

use std::path::Path;

use crate::memory::Memory;
use parlour::diag::render::Style;
use parlour::repl::{Disk, Session};

fn session(disk: &Memory, width: usize) -> Session {
    Session::new(Box::new(disk.clone()), 7, Style { colour: false, width })
}

// ---- transcripts

/// Plays a script and records what the screens show; lines on a player's own screen begin with `1|`.
fn transcript(script: &str) -> String {
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    let mut out = String::new();
    let mut lines = script.lines();
    let aside = |out: &mut String, player: usize, text: &str| {
        text.lines().for_each(|line| out.push_str(&format!("{player}| {line}\n")));
    };
    let mut eyes = None;
    while let Some(line) = lines.next() {
        if let Some(order) = line.strip_prefix('#') {
            out.push_str(&format!("#{order}\n"));
            let words: Vec<&str> = order.split_whitespace().collect();
            match words.as_slice() {
                ["kill"] => {
                    here = session(&disk, 80);
                    eyes = None;
                }
                ["ask"] => out.push_str(&format!("{}\n", here.ask())),
                ["gone", file] => {
                    disk.0.borrow_mut().files.remove(*file).expect("a file to take away");
                }
                ["narrow"] => here.set_width(40),
                ["pace", ms] => disk.0.borrow_mut().pace = Some(ms.parse().unwrap()),
                ["full"] => disk.0.borrow_mut().full = true,
                ["copy", from, to] => {
                    let text =
                        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(from)).unwrap();
                    disk.0.borrow_mut().files.insert(to.to_string(), text);
                }
                ["edit", file, ..] => {
                    let change =
                        order.trim().strip_prefix("edit").unwrap().trim().strip_prefix(file).unwrap();
                    let (old, new) = change.split_once("=>").expect("`#edit FILE OLD => NEW`");
                    let mut shelf = disk.0.borrow_mut();
                    let text = shelf.files.get_mut(*file).expect("a file to edit");
                    assert!(text.contains(old.trim()), "{file} has no `{}`", old.trim());
                    *text = text.replace(old.trim(), &new.trim().replace("\\n", "\n"));
                }
                ["file", file] => {
                    let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "#end").collect();
                    disk.0.borrow_mut().files.insert(file.to_string(), body.join("\n"));
                }
                _ => panic!("the harness does not know `#{order}`"),
            }
            continue;
        }
        let asked = here.asked();
        if let Some(player) = asked.private.filter(|player| eyes != Some(*player)) {
            out.push_str(&format!("{} {}, press Enter\n", here.hand_over(), asked.name));
            aside(&mut out, player, &here.private_screen(player));
        }
        eyes = asked.private;
        let shown = format!("{}{line}", asked.prompt);
        let changes = here.changes();
        let reply = here.line(line);
        match asked.private {
            Some(player) => aside(&mut out, player, shown.trim_end()),
            None => out.push_str(&format!("{}\n", shown.trim_end())),
        }
        let mark = if reply.refused { "! " } else { "" };
        match reply.private.or(asked.private.filter(|_| here.changes() == changes)) {
            Some(player) => aside(&mut out, player, &format!("{mark}{}", reply.text)),
            None if reply.text.is_empty() => {}
            None => out.push_str(&format!("{mark}{}\n", reply.text)),
        }
        if here.changes() != changes {
            eyes = None;
        }
        if reply.quit {
            out.push_str(&format!("(left; {})\n", here.farewell().unwrap_or_default()));
        }
    }
    out
}

#[test]
fn a_long_sheet_names_the_game_as_it_was_given() {
    let disk = Memory::default();
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("games/transform.game")).unwrap();
    disk.0.borrow_mut().files.insert("my games/heaps.game".to_string(), text);
    let mut here = session(&disk, 80);
    for (game, named) in [
        ("nim", "`parlour rules nim | less`"),
        ("my games/heaps.game", "`parlour rules 'my games/heaps.game' | less`"),
    ] {
        here.line(&format!(":game {game}"));
        let told = here.line(":rules").too_long.unwrap();
        assert!(told.contains(named), "{told}");
    }
}

#[test]
fn scripts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/repl");
    let mut scripts: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    scripts.sort();
    assert!(scripts.len() >= 6, "{scripts:?}");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for path in scripts {
            let script = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            insta::assert_snapshot!(name, transcript(&script));
        }
    });
}

/// Who looks back at a match that goes on sees what was in the own hand, but nothing of the others'.
#[test]
fn the_only_person_looks_back_at_the_own_hand() {
    let game = r#"game "Hands" { players 2 }
table { deck: list of 1..9 = [1, 2, 3, 4, 5, 6, 7, 8, 9] hidden }
each player { hand: set of 1..9 = {} secret }
move lay(card in me.hand) { me.hand -= card }
play {
  shuffle deck
  each p in players { deal 3 from deck to p.hand }
  turns until size(seat(2).hand) = 0 { lay }
}
winner last mover
"#;
    let disk = Memory::default();
    disk.0.borrow_mut().files.insert("hands.game".to_string(), game.to_string());
    let mut here = session(&disk, 80);
    here.line(":game hands.game");
    let hands = |told: &str| told.lines().filter(|line| line.starts_with("your hand: ")).count();
    assert_eq!(hands(&here.look_back(None).unwrap().told()), 0, "of two people");
    here.line(":seat 2 random");
    let told = here.look_back(None).unwrap().told();
    assert_eq!(hands(&told), 1, "{told}");
}

// ---- no loss of data

/// After every accepted line, a new session on the same disk must be where the old one was.
#[test]
fn a_killed_session_goes_on() {
    let games = [
        (":game procession", vec!["flip 4", "flip 1", "flip 5"]),
        (":game numbers-to-number", vec!["choose 5", "choose 9", "choose 7", "choose 3", "choose 1"]),
        (":game transform", vec!["list 4 5 6 7", "list 1 2 3 4", "term 9", "term -1"]),
        (":game numerical-card-game", vec![":seat 2 random", "play 5", "play 6", ":undo"]),
    ];
    for (game, lines) in games {
        let disk = Memory::default();
        let mut here = session(&disk, 80);
        assert!(!here.line(game).refused);
        for line in lines {
            assert!(!here.line(line).refused, "{line}");
            if !here.table().unwrap().begun() {
                continue;
            }
            let mut next = session(&disk, 80);
            next.resume_latest(None).unwrap();
            let (old, new) = (here.table().unwrap(), next.table().unwrap());
            assert_eq!(old.entries(), new.entries(), "{game} {line}");
            assert_eq!(old.played.sealed(), new.played.sealed(), "{game} {line}");
            assert_eq!(old.bots, new.bots, "{game} {line}");
            assert_eq!(old.redo, new.redo, "{game} {line}");
            assert_eq!(here.asked(), next.asked(), "{game} {line}");
            here = next;
        }
        assert_eq!(disk.stored().len(), 1, "{game}: a match is kept once");
    }
}

/// Steps are counted alike when they are taken back and when they are redone; bots choose what they had chosen,
/// also where all choose at the same time.
#[test]
fn what_was_taken_back_is_redone_with_the_bots_choices() {
    let connect_four = [":game connect-four", ":seat 2 random", "drop 1", "drop 2", "drop 3"];
    let goofspiel = [":game goofspiel", ":seat 2 random", "bid 1", "bid 2", "bid 3"];
    for lines in [connect_four, goofspiel] {
        let disk = Memory::default();
        let mut here = session(&disk, 80);
        lines.iter().for_each(|line| assert!(!here.line(line).refused, "{line}"));
        let whole = here.table().unwrap().entries();
        let mut left = Vec::new();
        for _ in 0..3 {
            left.push(here.table().unwrap().entries());
            assert!(!here.line(":undo").refused);
        }
        let start = here.table().unwrap().entries();
        for entries in left.iter().rev() {
            assert!(!here.line(":redo").refused);
            assert_eq!(here.table().unwrap().entries(), *entries, "{lines:?}");
        }
        for (back, again) in [(":undo 3", ":redo 3"), (":undo all", ":redo all"), ("undo all", "redo all")] {
            assert!(!here.line(back).refused);
            assert_eq!(here.table().unwrap().entries(), start, "{lines:?} {back}");
            assert!(!here.line(again).refused);
            assert_eq!(here.table().unwrap().entries(), whole, "{lines:?} {again}");
        }
    }
}

/// Without a seed, a step that is taken back and made again brings the same; other matches bring something else.
#[test]
fn chance_brings_the_same_again() {
    let disk = Memory::default();
    let mut here = Session::by_chance(Box::new(disk), Style { colour: false, width: 80 });
    assert!(!here.line(":game pig").refused);
    let mut roll = |line: &str| {
        assert!(!here.line(line).refused);
        here.line("roll");
        here.table().unwrap().entries()
    };
    let first = roll(":show");
    for _ in 0..3 {
        assert_eq!(roll(":undo"), first);
    }
    let others: Vec<_> = (0..8).map(|_| roll(":new")).collect();
    assert!(others.iter().any(|other| *other != first));
}

/// A match that goes on from a step before its end is stored beside the match that is over.
#[test]
fn a_match_that_is_over_stays_as_it_is() {
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    for line in [":game nim", "4 7", "3 5", "2 3", "1 1"] {
        assert!(!here.line(line).refused, "{line}");
    }
    let over = disk.finished();
    assert_eq!((over.len(), disk.stored().len()), (1, 0));
    let record = disk.read_stored(&over[0]).unwrap();
    assert!(!here.line(":undo").refused);
    assert_eq!(disk.read_stored(&over[0]).unwrap(), record);
    assert!(disk.stored().len() == 1 && disk.stored() != over);
    // All of it again is the same match, another end is another match.
    assert!(!here.line("1 1").refused);
    assert_eq!((disk.finished(), disk.stored().len()), (over, 0));
    for line in [":undo 2", "2 2", "2 1", "1 1"] {
        assert!(!here.line(line).refused, "{line}");
    }
    assert_eq!((disk.finished().len(), disk.stored().len()), (2, 0));
}

/// The name of a game alone does not end a match that is being played.
#[test]
fn a_match_is_not_left_by_the_name_of_a_game() {
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    for line in [":game connect-four", "nim", "take 1 1"] {
        assert!(!here.line(line).refused, "{line}");
    }
    let reply = here.line("hex");
    assert!(reply.refused);
    assert_eq!(reply.text, "type `:game hex` to leave this match and start Hex");
    assert!(!here.line("take 2 1").refused && !here.line(":game hex").refused);
}

/// A rule file that no longer checks, or with which the match cannot begin, must leave the match as it is.
#[test]
fn a_broken_rule_file_changes_nothing() {
    let good = parlour::play::bundled_text("procession").unwrap();
    let disk = Memory::default();
    let put = |text: String| disk.0.borrow_mut().files.insert("mine.game".to_string(), text);
    put(good.to_string());
    let mut here = session(&disk, 80);
    for line in [":game mine.game", ":set n=5", "flip 4", "flip 1"] {
        assert!(!here.line(line).refused, "{line}");
    }
    let before = here.table().unwrap().entries();
    let examples = good.find("example").unwrap();
    for (text, words) in [
        (good.replace("not in seen", "not inn seen"), "under the old rules"),
        (good.replace("runs(changed)", "rums(changed)"), "under the old rules"),
        (good[..examples].replace("option n: 1..60", "option n: 6..60"), "cannot begin"),
        (good[..examples].replace("players 2 or more", "players 3 or more"), "cannot begin"),
    ] {
        put(text);
        let reply = here.line(":reload");
        assert!(reply.refused && reply.text.contains(words), "{}", reply.text);
        assert!(!here.line(":state").refused);
        assert_eq!(here.table().unwrap().entries(), before);
    }
    put("game".to_string());
    assert!(here.line(":game mine.game").refused && here.line(":game none.game").refused);
    assert_eq!(here.table().unwrap().entries(), before);
}

/// Numbers of any length can be chosen, saved and loaded again.
#[test]
fn numbers_of_a_thousand_digits() {
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    let long = "9".repeat(1000);
    here.line(":game transform");
    here.line(":set n=2");
    assert_eq!(here.line(&format!("list {long} -{long}")).text, "player 1 has chosen");
    assert!(!here.line("list 1 2").refused);
    assert!(here.line(&format!("term {long}")).text.contains(&long));
    assert!(here.line(&format!(":why term {long}")).text.lines().all(|line| line.chars().count() < 500));
    assert!(!here.line(":save long.json").refused);
    here.line(":new");
    assert!(here.line(":load long.json").text.contains(&long));
}

/// No line may make a session stop working.
#[test]
fn nonsense_is_answered() {
    let disk = Memory::default();
    let words = [
        "",
        ":",
        "::",
        ":undo 0",
        ":undo -1",
        ":undo 99999999999999999999",
        ":redo",
        ":set",
        ":set n",
        ":set n=",
        ":set =3",
        ":set n=\u{1f600}",
        ":players x",
        ":players 0",
        ":players 65",
        ":seed -1",
        ":seed 99999999999999999999",
        ":seat 9 random",
        ":seat 1",
        ":seat 1 mcts:0",
        ":seat 0 random",
        ":why",
        ":why flip",
        ":why flip x",
        ":rule",
        ":rule x",
        ":save",
        ":load",
        ":load nothing",
        ":save /",
        ":replay nothing",
        ":resume nothing",
        ":look 9",
        ":look x",
        "flip",
        "flip 1 2 3",
        "flip at=1 at=2",
        "flip x=1",
        "flip 1,2",
        "((((((((1",
        "[[[[[[[[1]",
        "1-2-3-4-5-6-7-8-9-10-11-12-13-14-15-16",
        "1.2.3 - - 4 + + 5 = = 6",
        "xxxxx1x2x3",
        "b-3 27-3 a0 b00 b99999999999",
        "flip [",
        "flip [[[[[[[[",
        "7: flip 1",
        "0: flip 1",
        ": flip 1",
        "x: flip 1",
        "flip \u{1f600}",
        "\u{0}",
        "flip 99999999999999999999999999",
        "flip -1",
        "flip yes",
        "flip b3",
        "flip [1]",
        ":go",
        ":reload",
        ":games x",
        "//",
        "2:",
    ];
    for game in
        ["", ":game procession", ":game transform", ":game numbers-to-number", ":game sum-of-products"]
    {
        let mut here = session(&disk, 80);
        here.line(game);
        for word in words {
            let reply = here.line(word);
            assert!(!reply.quit, "{word}");
            let guide = here.guide();
            let _ = (guide.complete(word), guide.hint(word));
        }
        let games = here.line(":games");
        assert!(!games.refused && games.text.contains("sum-of-products: 2 players"), "{}", games.text);
        assert!(here.table().is_none() || !here.line(":rules").text.is_empty());
    }
}

#[test]
fn completion_and_hints() {
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    let complete = |here: &Session, line: &str| here.guide().complete(line).1.join(" ");
    assert_eq!(complete(&here, ":un"), ":undo");
    assert_eq!(complete(&here, ":game proc"), "procession procession-ring");
    here.line(":game procession");
    assert_eq!(complete(&here, "f"), "flip");
    assert_eq!(complete(&here, "flip "), "1 2 3 4 5 6 7");
    assert_eq!(complete(&here, "flip a"), "at=");
    assert_eq!(complete(&here, "flip at=3"), "at=3");
    assert_eq!(complete(&here, ":why fl"), "flip");
    assert_eq!(complete(&here, ":set "), "n=");
    assert_eq!(complete(&here, ":seat 2 r"), "random");
    assert_eq!(here.guide().hint("flip"), Some(" AT".to_string()));
    assert_eq!(here.guide().hint("flip 3"), None);
    assert_eq!(here.guide().hint(":undo "), Some("N".to_string()));
    here.line("flip 4");
    assert_eq!(complete(&here, "flip "), "1 2 3 5 6 7");
    here.line(":game sum-of-products");
    assert_eq!(here.guide().hint("write 2 "), Some("ROW COLUMN".to_string()));
    assert_eq!(here.guide().hint("write row=2 "), Some("VALUE COLUMN".to_string()));
    assert_eq!(complete(&here, "write 4 4 "), "1 2 3 4");

    // Without the colon, in any case, bare values, values of options, and kept matches.
    assert_eq!(complete(&here, "hel"), "help");
    assert_eq!(complete(&here, "WRI"), "write");
    assert_eq!(complete(&here, "Write 4 4 "), "1 2 3 4");
    here.line("write 1 1 1");
    here.line(":game hex");
    assert_eq!(complete(&here, "c1"), "c1 c10 c11");
    assert_eq!(complete(&here, "p"), "put", "not `play` and `players`, which are commands");
    assert_eq!(complete(&here, "resume sum"), "sum-of-products-2");
    assert_eq!(here.guide().hint("undo "), Some("N".to_string()));
    assert!(here.guide().wants_file("load ma") && here.guide().wants_file(":sa ma"));
    assert!(here.guide().may_want_file("play my/ga") && !here.guide().wants_file("put a1"));
    here.line(":game transform");
    assert_eq!(complete(&here, "set formula="), "formula=convolution formula=written");
    here.line(":game numerical-card-game");
    assert!(!here.guide().may_want_file("play 3"));
}

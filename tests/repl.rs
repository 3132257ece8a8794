//! Whole sessions: `tests/repl/*.txt` are the typed lines, with the transcripts beside them.
//!
//! Lines that begin with `#` are for this harness: `#kill` starts a new session on the same disk, `#copy A B`
//! copies a file of the repository to the disk, `#edit FILE OLD => NEW` changes one there, `#gone FILE`
//! removes one, `#file FILE` writes one with the lines up to `#end`, `#full` makes the disk refuse to write,
//! `#pace 5` lets 5 ms pass at each look at the clock, `#ask` asks what to play. `INSTA_UPDATE=always cargo
//! test --test all repl::` rewrites the transcripts.

use std::path::Path;

use crate::memory::Memory;
use parlour::diag::render::Style;
use parlour::repl::{Act, Disk, Session};

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
            out.push_str(&format!("pass to {}, press Enter\n", asked.name));
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

// ---- secrets

/// Returns what one player can read in a session, line by line: public screens and the player's own.
fn read_by(lines: &[String], player: usize) -> Vec<String> {
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    let mut seen = Vec::new();
    for line in lines {
        let asked = here.asked();
        if asked.private == Some(player) {
            seen.push(here.private_screen(player));
        }
        let changes = here.changes();
        let reply = here.line(line);
        // A reply on a player's own screen is for that player only, whatever it says.
        let eyes = reply.private.or(asked.private.filter(|_| here.changes() == changes));
        if eyes.is_none_or(|eyes| eyes == player) {
            seen.push(reply.text);
        }
        seen.push(here.asked().prompt);
    }
    seen
}

/// Whatever one player chooses in secret, the others must read the same until it is revealed.
#[test]
fn a_secret_choice_shows_nowhere() {
    let probes = [
        "",
        ":moves",
        ":state",
        ":show",
        ":points",
        ":history",
        ":look 2",
        ":why score",
        ":replay",
        ":why 1: MOVE",
        "1: MOVE",
        ":games",
        ":seat",
        ":set",
    ];
    // Commands that take thought; they are only tried in a game with short playouts.
    let thought = [":hint", ":analyse", ":verdict on", ":review"];
    let games: [(&str, &[&str], [&str; 2], &str); 4] = [
        ("numbers-to-number", &[], ["choose 5", "choose 41"], "choose 41"),
        ("numerical-card-game", &[], ["play 3", "drop"], "play 3"),
        ("numerical-card-game", &["play 5", "play 10"], ["play 9", "play 2"], "play 9"),
        ("transform", &[], ["list 1 2 3 4", "list -90 17 5 123456789123456789123456789"], "list 1 2 3 4"),
    ];
    for (game, before, choices, other) in games {
        let run = |choice: &str| {
            let mut lines = vec![format!(":game {game}")];
            lines.extend(before.iter().map(ToString::to_string));
            // A question about the choice, and then the choice itself.
            lines.extend([format!(":why {choice}"), choice.to_string()]);
            lines.extend(probes.iter().map(|probe| probe.replace("MOVE", other)));
            lines.extend(thought.iter().filter(|_| game == "numerical-card-game").map(ToString::to_string));
            read_by(&lines, 2)
        };
        let (one, two) = (run(choices[0]), run(choices[1]));
        assert_eq!(one, two, "{game}");
        assert!(one.iter().any(|text| text.contains("player 1 has chosen")), "{one:#?}");
        assert!(one.iter().any(|text| text.contains("player 2 can play")), "{one:#?}");
    }
}

/// Hints and verdicts must say how sure they are. Only words are compared, since a search gives the figures.
#[test]
fn hints_and_verdicts_say_how_sure_they_are() {
    let told = |lines: &[&str], asked: &str| {
        let disk = Memory::default();
        disk.0.borrow_mut().pace = Some(5);
        let mut here = session(&disk, 80);
        lines.iter().for_each(|line| assert!(!here.line(line).refused, "{line}"));
        here.line(asked).text
    };
    let goofspiel = [":game goofspiel", ":set n=3"];
    let numbers = [":game numbers-to-number", ":set m=3"];
    let cases: [(&[&str], &str, &[&str]); 7] = [
        (
            &numbers,
            ":hint",
            &[
                "player 2 chooses at the same time, so vary your move: ",
                "that gets you about ",
                "for this time: `choose ",
            ],
        ),
        (&numbers, ":analyse", &["player 2 chooses at the same time, so vary your move: "]),
        (
            &goofspiel,
            ":analyse",
            &["player 2 chooses at the same time, but to vary your move is no better than `bid "],
        ),
        (&[":game pig"], ":hint", &["`roll`", " of the win", " playouts)"]),
        (&[":game pig"], ":verdict", &["player", " %"]),
        (&[":game connect-four", "drop 1", "drop 2", "drop 1", "drop 2"], ":hint", &["`drop ", "yellow "]),
        (
            &[":game bulls-and-cows", ":set size=1", ":seat 2 random"],
            ":verdict",
            &["from what you can know, "],
        ),
    ];
    for (lines, asked, wanted) in cases {
        let text = told(lines, asked);
        assert!(wanted.iter().all(|words| text.contains(words)), "{lines:?} {asked}: {text}");
    }
}

/// A hint, an analysis and a verdict on one position come from the same advice, and no range has two equal ends.
#[test]
fn a_hint_and_an_analysis_agree() {
    let disk = Memory::default();
    disk.0.borrow_mut().pace = Some(5);
    let mut here = session(&disk, 80);
    for line in [":game kalah", "sow 3"] {
        assert!(!here.line(line).refused, "{line}");
    }
    let (hint, analysis) = (here.line(":hint").text, here.line(":analyse").text);
    let best = hint.split('`').nth(1).unwrap();
    assert_eq!(analysis.lines().nth(1).unwrap().split("  ").next(), Some(best), "{hint}\n{analysis}");
    let playouts = hint.lines().next().unwrap().rsplit_once('(').unwrap().1.trim_end_matches(')');
    assert!(analysis.contains(&format!("from {playouts} of ")), "{hint}\n{analysis}");
    assert!(analysis.contains("of the win  how sure"), "{analysis}");
    let verdict = here.line(":verdict").text;
    let share: i64 =
        analysis.lines().nth(1).unwrap().split("  ").nth(1).unwrap().trim_end_matches(" %").parse().unwrap();
    let agrees = [share, 100 - share].iter().any(|share| verdict.contains(&format!("({share} %)")));
    assert!(agrees || (46..=54).contains(&share) && verdict.contains("level"), "{verdict}\n{analysis}");
    for row in analysis.lines().filter(|line| line.contains(" to ") && line.contains(" %")) {
        let words: Vec<&str> = row.split_whitespace().collect();
        let to = words.iter().position(|word| *word == "to").unwrap();
        assert_ne!(words[to - 1], words[to + 1], "{analysis}");
    }
}

/// What can be worked out of all moves in the time is worked out, also where a search would have proved a single one.
#[test]
fn an_analysis_works_out_all_moves_where_it_can() {
    let analysis = |lines: &[&str]| {
        let disk = Memory::default();
        disk.0.borrow_mut().pace = Some(5);
        let mut here = session(&disk, 80);
        lines.iter().for_each(|line| assert!(!here.line(line).refused, "{line}"));
        here.line(":analyse").text
    };
    let level = analysis(&[":game tic-tac-toe"]);
    assert_eq!(level.matches("  50 %        draws").count(), 9, "{level}");
    let won = analysis(&[":game tic-tac-toe", "mark a1", "mark b1"]);
    let ends = |words: &str| won.matches(words).count();
    // By hand: the corners on the left and the centre win.
    assert!(ends("  100 %       wins") >= 2 && ends(" wins") + ends(" draws") + ends(" loses") == 7, "{won}");
    assert!(won.ends_with("the end is certain if all play their best"), "{won}");
    assert!(!won.contains("tried"), "{won}");
}

/// An analysis that lists the best moves says how to see all, and what is said of tries adds up.
#[test]
fn an_analysis_can_list_all_moves() {
    let disk = Memory::default();
    disk.0.borrow_mut().pace = Some(5);
    let mut here = session(&disk, 80);
    for line in [":game hex", ":set n=5"] {
        assert!(!here.line(line).refused, "{line}");
    }
    let tries = |text: &str| -> Vec<u64> {
        let rows = text.lines().filter(|line| line.starts_with("put "));
        rows.map(|row| row.split_whitespace().last().unwrap().parse().unwrap()).collect()
    };
    let (best, all) = (here.line(":analyse").text, here.line(":analyse all").text);
    let (few, every) = (tries(&best), tries(&all));
    assert!(few.len() == 12 && every.len() > 12, "{best}\n{all}");
    let (some, in_all): (u64, u64) = (few.iter().sum(), every.iter().sum());
    let more = format!(
        "and {} more, tried {} times; `:analyse all` lists them",
        every.len() - few.len(),
        in_all - some
    );
    assert!(best.contains(&more), "{more}: {best}");
    assert!(!all.contains(" more"), "{all}");
    let told = all.contains(&format!("from {in_all} playouts of "))
        || all.contains(&format!("tried {in_all} times in all"));
    assert!(told, "{in_all}: {all}");
    assert_eq!(here.line(":analyse 3").text, "`:analyse` takes `all`, to list every move, but got `3`");
}

/// A single move needs no thought.
#[test]
fn a_forced_move_is_told_at_once() {
    let disk = Memory::default();
    disk.0.borrow_mut().pace = Some(10);
    let mut here = session(&disk, 80);
    for line in [
        ":game tic-tac-toe",
        "mark a1",
        "mark b1",
        "mark c1",
        "mark a2",
        "mark c2",
        "mark b2",
        "mark b3",
        "mark c3",
    ] {
        assert!(!here.line(line).refused, "{line}");
    }
    assert_eq!(here.line(":hint").text, "`mark a3` is all that is possible");
}

/// In a game of two, nobody winning is a draw.
#[test]
fn a_draw_is_called_a_draw() {
    let disk = Memory::default();
    disk.0.borrow_mut().pace = Some(1);
    let mut here = session(&disk, 80);
    for line in [":game tic-tac-toe", "mark b2", "mark a1", "mark c3"] {
        assert!(!here.line(line).refused, "{line}");
    }
    let hint = here.line(":hint").text;
    assert!(hint.contains(" draws for certain") && !hint.contains("50 %"), "{hint}");
    assert_eq!(here.line(":verdict").text, "it is a draw if both play their best");
}

/// People cannot look at a bot's cards, either.
#[test]
fn a_bot_is_not_asked() {
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    for line in [":game numerical-card-game", ":set m=4", ":seat 2 random"] {
        assert!(!here.line(line).refused, "{line}");
    }
    for line in [":why 2: play 3", "2: play 3", ":look 2", ":why 0: play 1", "0: play 1", "9: play 1"] {
        let reply = here.line(line);
        assert!(reply.refused && !reply.text.contains("possible"), "{line}: {}", reply.text);
        assert_eq!(reply.private, None, "{line}");
    }
}

/// A secret move must stay secret after the choice, until the rules reveal it.
#[test]
fn a_secret_move_stays_secret() {
    let run = |list: &str| {
        let lines = [
            ":game transform",
            list,
            "list 7 8 9 10",
            "term 1",
            "",
            ":history",
            ":replay",
            ":state",
            ":undo",
            ":redo",
            "term 2",
            "term 3",
            ":hint",
            ":verdict on",
            ":review",
            ":why term 3",
            "term 4",
            ":look 2",
            ":state",
            "",
            ":history",
        ];
        read_by(&lines.map(String::from), 2)
    };
    let (one, two) = (run("list 1 2 3 4"), run("list 5 -6 77 888"));
    assert_eq!(one, two);
    assert!(one.iter().any(|text| text.contains("player 1: list (secret)")), "{one:#?}");
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    let lines = [":game transform", "list 0 1 2 4", "list 5 6 7 8", "term 1", "term 2", "term 3", "term 4"];
    lines.iter().for_each(|line| assert!(!here.line(line).refused, "{line}"));
    let opened = here.line("permute 1 2 3 4").text;
    assert!(opened.contains("0,1,2,4 gives 11,11,11,11"), "{opened}");
}

/// Where hardly anything that was tried has won, a hint does not pretend to know better.
#[test]
fn a_hint_admits_that_it_is_a_guess() {
    let disk = Memory::default();
    disk.0.borrow_mut().pace = Some(1);
    let dials = "// Only one row of twelve opens the door.\n\n\
        game \"Dials\" {\n  players 2\n}\n\n\
        table {\n  turned: list of 1..9 = []\n}\n\n\
        // Turn the dial.\nmove turn(to in 1..9) {\n  turned += to\n}\n\n\
        play {\n  turns as round until round > 12 { turn }\n\
        win players when turned = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]\n}\n";
    disk.0.borrow_mut().files.insert("dials.game".to_string(), dials.to_string());
    let mut here = session(&disk, 80);
    assert!(!here.line(":game dials.game").refused);
    let reply = here.line(":hint");
    assert!(reply.text.contains("little more than a guess"), "{}", reply.text);
}

/// With a bot in the only other seat nobody has to look away any more, and the person sees its own things at once.
#[test]
fn who_is_left_alone_with_a_bot_sees_its_own_things() {
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    assert!(!here.line(":game numerical-card-game").refused);
    assert_eq!(here.asked().private, Some(1));
    let reply = here.line(":seat 2 random");
    assert!(reply.text.contains("your fresh: ") && reply.private.is_none(), "{}", reply.text);
    assert_eq!(here.asked().private, None);
    let reply = here.line(":seat 2 person");
    assert!(!reply.text.contains("your fresh"), "{}", reply.text);
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

/// What a review has found is told at the steps that it is about, as long as the match is the same.
#[test]
fn looking_back_shows_the_turning_points_of_the_review() {
    let disk = Memory::default();
    let mut here = session(&disk, 80);
    for line in [":game nim", "take 4 7", "take 1 1"] {
        assert!(!here.line(line).refused, "{line}");
    }
    assert!(here.look_back(None).unwrap().act(&Act::Turn).is_err());
    let told = here.line(":review").text;
    let step = told.split("step ").nth(1).and_then(|rest| rest.split(':').next()).expect("a turning point");
    let mut look = here.look_back(None).unwrap();
    look.act(&Act::Turn).unwrap();
    assert!(look.place().starts_with(&format!("step {step} ")), "{told}\n{}", look.place());
    assert!(look.told().contains("\nturning point: "), "{}", look.told());
    assert!(!here.line(":undo").refused);
    assert!(here.look_back(None).unwrap().act(&Act::Turn).is_err());
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

/// A bot says that it knows the end, but who wins only to those who have turned the verdict on.
#[test]
fn the_end_is_not_told_unasked() {
    let told = |verdict: &str| {
        let disk = Memory::default();
        let mut here = session(&disk, 80);
        let lines = [":game nim", ":seat 2 medium", verdict, "take 4 7", "take 3 5"];
        lines.map(|line| here.line(line).text).join("\n")
    };
    let quiet = told(":verdict off");
    assert!(quiet.contains("player 2 (medium) has worked out the rest of the match\n"), "{quiet}");
    assert!(!quiet.contains("it wins") && !quiet.contains("it loses"), "{quiet}");
    let asked = told(":verdict on");
    assert!(asked.contains("player 2 (medium) has worked out the rest of the match: it "), "{asked}");
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

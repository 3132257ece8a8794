//! Hints, analyses and verdicts: what they say, to whom, and how sure they are.

use super::session;
use crate::memory::Memory;
use parlour::repl::Act;

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
    assert!(agrees || (45..=55).contains(&share) && verdict.contains("level"), "{verdict}\n{analysis}");
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

/// A team that surely wins has all of the win, not each of its players a part of it.
#[test]
fn a_team_has_its_win_together() {
    let disk = Memory::default();
    disk.0.borrow_mut().pace = Some(5);
    disk.0.borrow_mut().files.insert("pairs.game".to_string(), PAIRS.to_string());
    let mut here = session(&disk, 80);
    for line in [":game pairs.game", ":seat 2 person", ":seat 3 person", ":seat 4 person", "take 3", "take 1"]
    {
        assert!(!here.line(line).refused, "{line}");
    }
    assert_eq!(here.line(":verdict").text, "players 1 and 3 win together if all play their best");
    let hint = here.line(":hint").text;
    assert!(hint.contains(" wins for certain if you and your team go on well"), "{hint}");
    let analysis = here.line(":analyse").text;
    assert!(analysis.contains("for your team") && analysis.contains("100 %"), "{analysis}");
    for line in ["take 3", "take 3"] {
        here.line(line);
    }
    let review = here.line(":review").text;
    assert!(review.contains("players 1 and 3 win together") && review.contains("100 %"), "{review}");
    assert!(!review.contains("50 %  ") && !review.contains("25 %"), "{review}");
}

/// Partners sit opposite each other and have their takings in common.
const PAIRS: &str = "game \"Pairs\" { players 4 }\n\
    each player { purse: 0..9 = 0 }\n\
    move take(k in 1..3) { me.purse += k }\n\
    play { each p in players { ask p to take } }\n\
    define team(p) = p.number mod 2\n\
    score = sum(p in players where team(p) = team(me): p.purse)\n\
    winner highest score\n";

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

/// A bot says that it knows the end, but who wins only to those who have turned the verdict on.
#[test]
fn the_end_is_not_told_unasked() {
    let told = |verdict: &str| {
        let disk = Memory::default();
        let mut here = session(&disk, 80);
        let lines = [":game nim", ":seat 2 medium", verdict, "take 4 7", "take 3 2", "take 3 3"];
        lines.map(|line| here.line(line).text).join("\n")
    };
    let quiet = told(":verdict off");
    assert!(quiet.contains("player 2 (medium) has worked out the rest of the match\n"), "{quiet}");
    assert!(!quiet.contains("it wins") && !quiet.contains("it loses"), "{quiet}");
    let asked = told(":verdict on");
    assert!(asked.contains("player 2 (medium) has worked out the rest of the match: it "), "{asked}");
}

/// Among three, a value is exact if it does not depend on what somebody does who gains nothing by it: who of the others wins may.
#[test]
fn an_analysis_says_of_every_exact_value_that_it_is() {
    let disk = Memory::default();
    disk.0.borrow_mut().pace = Some(5);
    let row = "game \"Row\" { players 3 }\ntable { taken: set of 1..7 = {} }\neach player { sum_taken: 0..30 = 0 }\n\
               move take(k in 1..7) {\n  need k not in taken and k - 1 not in taken and k + 1 not in taken else \"beside\"\n\
               taken += k\n me.sum_taken += k }\nplay { turns until stuck { take } }\nwinner highest me.sum_taken\n";
    disk.0.borrow_mut().files.insert("row.game".to_string(), row.to_string());
    let mut here = session(&disk, 80);
    assert!(!here.line(":game row.game").refused);
    let analysis = here.line(":analyse").text;
    // By hand: 6 and 7 win, since what is left then lets nobody reach more; of the others, only 5 leaves it open.
    for (mv, sure) in [(7, "wins"), (6, "wins"), (4, "loses"), (3, "loses"), (2, "loses"), (1, "loses")] {
        let row = analysis.lines().find(|line| line.starts_with(&format!("take {mv} "))).unwrap_or(&analysis);
        assert!(row.contains(sure), "{mv}: {analysis}");
    }
    assert!(here.line(":hint").text.contains(" wins for certain"), "{analysis}");
}

/// Returns what a session says to the last of these lines, with the rules of a file on the table.
fn said(rules: &str, lines: &[&str]) -> String {
    said_at(Some(5), rules, lines)
}

/// The same, with so many milliseconds between two looks at the clock.
fn said_at(pace: Option<u64>, rules: &str, lines: &[&str]) -> String {
    let disk = Memory::default();
    disk.0.borrow_mut().pace = pace;
    disk.0.borrow_mut().files.insert("written.game".to_string(), rules.to_string());
    let mut here = session(&disk, 200);
    assert!(!here.line(":game written.game").refused);
    let mut last = String::new();
    lines.iter().for_each(|line| last = here.line(line).text);
    last
}

/// Where chance draws, a hint says how likely a move wins at once, and how likely the next player does after it.
#[test]
fn a_hint_counts_the_throws_that_win() {
    let dare = "game \"Dare\" { players 2 }\n\
        // Four or more wins.\nmove dare { chance die in 1..6\n if die > 3 { win me } }\n\
        // Wait, for a point.\nmove rest { award 1 to me for \"patience\" }\n\
        play { turns as turn until turn > 6 { dare or rest } }\nwinner highest score\n";
    let hint = said(dare, &[":hint"]);
    // By hand: half of the throws win; of the other half, the next player wins half.
    assert!(hint.contains("\n`dare` wins at once with a chance of 50 %\n"), "{hint}");
    let next =
        "after `dare`, player 2 can win at once with a chance of 25 %; after `rest`, with a chance of 50 %";
    assert!(hint.contains(next), "{hint}");
    assert!(hint.contains("\n`rest` would bring 1 point at once"), "{hint}");
}

/// Where something is hidden, the same is said as far as the player knows: of what may be hidden.
#[test]
fn a_hint_weighs_what_may_be_hidden() {
    let higher = "game \"Higher\" { players 2 }\n\
        table { deck: bag of 1..9 = bag(1..9) hidden }\neach player { card: 1..9 secret }\n\
        // Compare the cards.\nmove call { if me.card > me.next.card { win me } else { win me.next } }\n\
        // Draw again.\nmove change { draw c from deck\n me.card := c }\n\
        play { each p in players { draw c from deck\n p.card := c }\n\
        turns as turn until turn > 3 { call or change } }\nwinner highest me.card\n";
    let hint = said(higher, &[":seat 2 random", ":hint"]);
    assert!(
        hint.contains(" wins at once with a chance of about ") || hint.contains("`call` wins at once"),
        "{hint}"
    );
    let called = said(higher, &[":seat 2 random", ":hint", "call"]);
    assert!(called.contains(" wins"), "{called}");
}

/// What the rules say when a move is made is said of it in a hint.
#[test]
fn a_hint_says_what_the_rules_say() {
    let doors = "game \"Doors\" { players 2 }\ntable { opened: 0..9 = 0 }\n\
        move push { opened += 1\n award 2 to me\n say \"door {opened} opens\" }\nmove rest { }\n\
        play { turns as turn until turn > 4 { push or rest } }\nwinner highest score\n";
    let hint = said(doors, &["push", ":hint"]);
    assert!(hint.contains("\n`push` brings 2 points (door 2 opens)"), "{hint}");
    let well = "game \"Well\" { players 2 }\n\
        move haul { chance die in 1..4\n award die to me\n if die = 1 { say \"it is dry\" } else { say \"water\" } }\n\
        move rest { }\nplay { turns as turn until turn > 4 { haul or rest } }\nwinner highest score\n";
    let hint = said(well, &[":hint"]);
    assert!(hint.contains("\n`haul` brings 2.5 points on average"), "{hint}");
    assert!(hint.contains("\nperhaps at once after `haul`: water (75 %); it is dry (25 %)"), "{hint}");
}

/// Among more than two, a verdict says what each can expect.
#[test]
fn a_verdict_tells_of_everybody() {
    let race = "game \"Race\" { players 3 }\neach player { at: 0..99 = 0 }\n\
        move roll { chance die in 1..6\n me.at += die }\nmove rest { me.at += 1 }\n\
        play { seat(2).at := 3\n repeat 6 { each p in players { ask p to roll or rest } } }\nwinner highest me.at\n";
    let verdict = said(race, &[":verdict"]);
    let shares: Vec<u32> = verdict
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|figure| figure.parse().ok())
        .filter(|figure| *figure > 3)
        .collect();
    assert!(verdict.starts_with("player 2 stands best (") && verdict.contains(" %); player "), "{verdict}");
    assert!(shares.len() == 3 && (99..=101).contains(&shares.iter().sum::<u32>()), "{verdict}");
}

/// The tutor asks before a costly move, without naming a better one, and not before others.
#[test]
fn the_tutor_asks_before_a_costly_move() {
    let disk = Memory::default();
    let mut here = session(&disk, 200);
    for line in [":game tic-tac-toe", "mark a1", "mark b2", "mark a2"] {
        assert!(!here.line(line).refused, "{line}");
    }
    assert_eq!(here.line(":tutor on").text, "you are warned before you make a move that costs much");
    let asked = here.line("mark c1");
    assert_eq!(
        asked.text,
        "`mark c1` would lose for certain, and another move would not; play it all the same?"
    );
    assert_eq!(here.asked().prompt, "y, or another move> ");
    assert!(!here.line("mark a3").refused && !here.line(":undo").refused);
    assert!(here.line("mark c1").refused);
    assert!(!here.line("y").refused, "it is made all the same");
    assert!(!here.line(":undo").refused && !here.line(":tutor off").refused);
    assert!(!here.line("mark c1").refused, "nobody asks any more");
}

/// The tutor says nothing that others at the table could learn from.
#[test]
fn the_tutor_keeps_secrets() {
    let disk = Memory::default();
    let mut here = session(&disk, 200);
    assert!(!here.line(":game goofspiel").refused && !here.line(":set n=4").refused);
    let told = here.line(":tutor on").text;
    let higher = "game \"Higher\" { players 2 }\neach player { card: 1..9 secret }\n\
        move pick(c in 1..9) { me.card := c }\n\
        play { turns as turn until turn > 3 { pick } }\nwinner highest me.card\n";
    disk.0.borrow_mut().files.insert("higher.game".to_string(), higher.to_string());
    assert!(!here.line(":game higher.game").refused);
    assert!(here.line(":tutor on").text.contains("but not in this match"), "{told}");
    assert!(!here.line(":seat 2 random").refused);
    assert!(!here.line(":tutor on").text.contains("but not in this match"));
}

/// An urn with two black chips and three white ones, shuffled where nobody sees it.
const URN: &str = "game \"Urn\" { players 2 }\n\
    table { urn: list of {black, white} = 2 copies of black ++ 3 copies of white hidden\n out_of_it: list of {black, white} = [] }\n\
    show \"{out_of_it}\"\n\
    move pull {\n deal 1 from urn to out_of_it\n if last(out_of_it) = black { win me.next }\n }\n\
    move give_up { win me.next }\n\
    play {\n shuffle urn\n turns { pull or give_up }\n }\n";

/// Where what may be hidden can be counted, the chances of a move are exact. Nobody has a secret, so that two people may be told
/// who stands better.
#[test]
fn chances_of_what_is_hidden_are_counted() {
    let disk = Memory::default();
    disk.0.borrow_mut().pace = Some(5);
    disk.0.borrow_mut().files.insert("urn.game".to_string(), URN.to_string());
    let mut here = session(&disk, 80);
    assert!(!here.line(":game urn.game").refused);
    let hint = here.line(":hint").text;
    assert!(hint.contains("`pull` loses at once with a chance of 40 %"), "{hint}");
    assert!(!here.line(":verdict").refused);
    assert!(here.line(":tutor on").text.contains("you are warned before you make a move that costs much"));
    assert!(!here.line(":tutor on").text.contains("not in this match"));
}

/// Where an equilibrium of the whole game can be found, advice is by it, and exact.
#[test]
fn a_hint_tells_the_mix_of_an_equilibrium() {
    let passes = include_str!("../equilibrium/passes.game");
    let hint = said_at(Some(0), passes, &[":hint"]);
    let mix = "guard chooses at the same time, so vary your move: `go 1` most often (49 %), `go 2` (32 %), `go 3` (19 %); \
               that gets you 28 % of the win; drawn by lot for this time: `go ";
    assert!(hint.starts_with(mix), "{hint}");
    let analysis = said_at(Some(0), passes, &[":analyse"]);
    assert!(analysis.contains("go 3  19 %       28 %        exact\n"), "{analysis}");
    assert_eq!(said_at(Some(0), passes, &[":verdict"]), "guard stands better (72 %)");
    // Five can no longer be reached in one night.
    let lost = said_at(Some(0), passes, &["go 1", "watch 1", "go 1", "watch 1", ":hint"]);
    assert!(lost.starts_with("everything loses if guard plays their best"), "{lost}");
}

/// The running verdict and the tutor know of an equilibrium, too, and the tutor warns of joint choices.
#[test]
fn the_running_verdict_and_the_tutor_know_the_equilibrium() {
    let passes = include_str!("../equilibrium/passes.game");
    let verdict = said_at(Some(0), passes, &[":verdict on"]);
    assert!(verdict.ends_with("guard stands better (72 %)"), "{verdict}");
    // Every pass belongs to the mix of the first night, and is no mistake.
    for go in ["go 1", "go 2", "go 3"] {
        let told = said_at(Some(0), passes, &[":tutor on", go]);
        assert!(!told.contains("all the same"), "{go}: {told}");
    }
    // On the last night, three are missing, which only the third pass brings.
    let begun = ["go 2", "watch 1", "go 1", "watch 1", ":tutor on", "go 3"];
    let told = |watch| said_at(Some(0), passes, &[&begun[..], &[watch]].concat());
    assert!(
        told("watch 1")
            .contains("would cost about 100 % of the win: 0 % instead of 100 %; play it all the same?"),
        "{}",
        told("watch 1")
    );
    assert!(!told("watch 3").contains("all the same"), "{}", told("watch 3"));
}

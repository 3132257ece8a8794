//! Studies: figures must match calculations by hand or other counts, planted effects must show and absent
//! ones must not, threads and pauses must not matter, wrong input is refused with a way out. Each rule file
//! of `study/` has one special property.

mod best_play;
mod costs;
mod luck;
mod offers;
mod pauses;
mod sides;
mod verdicts;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use crate::folder::Folder;
use parlour::bots::{Mind, StoppedClock};
use parlour::check::check;
use parlour::diag::Code;
use parlour::lab::study::{Enough, Report, Study};
use parlour::play::Rules;
use parlour::source::Source;
use serde_json::{Value as Json, json};

/// Runs `parlour study` with space-separated words; rule files are named as in `study/`. Returns exit status,
/// standard output and standard error.
fn run_at(width: &str, words: &str) -> (i32, String, String) {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/study");
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlour"));
    command.arg("study").args(words.split_whitespace()).current_dir(rules).env("COLUMNS", width);
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn run(words: &str) -> (i32, String, String) {
    run_at("80", words)
}

fn study(words: &str) -> Json {
    let (status, out, err) = run(&format!("{words} --json"));
    assert_eq!(status, 0, "{words}: {err}");
    serde_json::from_str(&out).unwrap()
}

fn figure<'r>(report: &'r Json, key: &str) -> &'r Json {
    let all = report["figures"].as_array().unwrap();
    all.iter().find(|figure| figure["key"] == key).unwrap_or_else(|| panic!("no figure {key}"))
}

fn value(report: &Json, key: &str) -> f64 {
    figure(report, key)["value"].as_f64().unwrap_or_else(|| panic!("{key}: {}", figure(report, key)))
}

fn interval(report: &Json, key: &str) -> [f64; 2] {
    let ends = &figure(report, key)["interval"];
    [0, 1].map(|end| ends[end].as_f64().unwrap_or_else(|| panic!("{key}: {ends}")))
}

/// Asserts that the interval of a figure contains the true value.
fn holds(report: &Json, key: &str, truth: f64) {
    let [low, high] = interval(report, key);
    assert!(low <= truth && truth <= high, "{key} is {truth}, not {low}..{high}");
}

fn missing<'r>(report: &'r Json, key: &str) -> &'r str {
    assert_eq!(figure(report, key)["value"], Json::Null);
    figure(report, key)["missing"].as_str().unwrap()
}

/// Returns the sentences of the verdict; warnings begin with `!`.
fn verdict(report: &Json) -> Vec<String> {
    let all = report["verdict"].as_array().unwrap().iter();
    let sign = |remark: &Json| if remark["warning"] == true { "! " } else { "" };
    all.map(|remark| format!("{}{}", sign(remark), remark["text"].as_str().unwrap())).collect()
}

fn says(report: &Json, words: &str) -> bool {
    verdict(report).iter().any(|sentence| sentence.contains(words))
}

fn distribution<'r>(report: &'r Json, key: &str) -> &'r [Json] {
    let all = report["distributions"].as_array().unwrap();
    all.iter().find(|found| found["key"] == key).unwrap()["bins"].as_array().unwrap()
}

fn curve(report: &Json, key: &str) -> Vec<f64> {
    let all = report["curves"].as_array().unwrap();
    let found = all.iter().find(|curve| curve["key"] == key).unwrap();
    found["lines"][0]["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["value"].as_f64().unwrap())
        .collect()
}

// ---- known results

#[test]
fn a_game_made_unfair_shows_it() {
    let report = study("coin.game --playouts 2 --games 200 --within 0.04");
    holds(&report, "seat.1.share", 0.75);
    holds(&report, "random.seat.1.share", 0.75);
    holds(&report, "random.seat.2.share", 0.25);
    let unfair = "! the game is unfair: if everybody plays perfectly, player 1 gets 75 %";
    assert!(says(&report, unfair), "{:?}", verdict(&report));
    // Only chance decides, and no player is better than another.
    assert_eq!((value(&report, "chance.share"), interval(&report, "chance.share")[1]), (1.0, 1.0));
    assert!(says(&report, "! chance decides everything"));
    assert!(says(&report, "! there is nothing to choose"));
    holds(&report, "skill.random", 0.5);
    holds(&report, "skill.doubling", 0.0);
    assert_eq!((value(&report, "width.mean"), value(&report, "width.forced")), (1.0, 1.0));
    assert_eq!(value(&report, "length.choices"), 1.0);
    assert!(missing(&report, "lead.changes").contains("not decided by score"));
    assert!(missing(&report, "without").contains("only one kind of move"));
}

#[test]
fn draws_explain_the_part_of_the_variance_that_is_theirs() {
    // Given the draws, the result is certain in half of the matches and 50:50 in the other half. So the
    // variance of the result expected from the draws is 1/8, and that of results 1/4.
    let report = study("half.game --playouts 2 --games 400 --within 0.001");
    holds(&report, "chance.share", 0.5);
    let [low, high] = interval(&report, "chance.share");
    assert!(high - low < 0.25, "{low}..{high}");
    // Given the hands, the result is certain in half of the matches, too, but whether it depends on them is drawn:
    // the variance of the result expected from the choices is 1/16.
    holds(&report, "chance.total", 0.75);
    holds(&report, "seat.1.share", 0.5);
    assert!(!says(&report, "unfair") && !says(&report, "has an advantage"), "{:?}", verdict(&report));
    assert!(missing(&report, "weight.second").contains("compared one by one"));
}

/// What no choice can change is known from the rules, and no match is needed to measure it.
#[test]
fn a_winner_whom_only_throws_decide_is_told() {
    let report = study("thrown.game --playouts 2 --games 2");
    assert_eq!([value(&report, "chance.share"), value(&report, "chance.total")], [1.0, 1.0]);
    assert!(says(&report, "! chance alone decides who wins: by the rules"), "{:?}", verdict(&report));
    let report = study("cards.game --playouts 2 --games 2");
    assert_eq!([value(&report, "chance.share"), value(&report, "chance.total")], [0.0, 0.0]);
}

/// A warning of chance that decides alone comes if and only if no choice can change who wins.
#[test]
fn chance_decides_alone_only_where_no_choice_counts() {
    let throw = "each p in players {\nchance d in 1..6\np.lot := d\n}";
    let parts = |moves: &str, play: &str, winner: &str| {
        format!(
            "game \"T\" {{ players 2 }}\neach player {{\nsaid: 0..9 = 0\nlot: int = 0\n}}\n{moves}\nplay {{\n{play}\n}}\n{winner}\n"
        )
    };
    let say = "move say(n in 0..9) { me.said := n }";
    let ask = "each p in players { ask p to say }";
    let lot = "winner highest me.lot";
    let cases = [
        (true, say, format!("{ask}\n{throw}"), lot),
        // When the match ends makes no difference to throws made before.
        (true, say, format!("{throw}\nturns as t {{ say }} until t = 9 or seat(1).said = 3"), lot),
        (false, say, format!("{ask}\n{throw}"), "winner highest me.lot + me.said"),
        (false, say, format!("{ask}\n{throw}"), "define both(p) = p.lot + p.said\nwinner highest both(me)"),
        (false, say, format!("{ask}\nif seat(1).said > 3 {{\n{throw}\n}}"), lot),
        (false, say, format!("{ask}\nrepeat seat(1).said {{\nchance d in 1..6\nseat(1).lot += d\n}}"), lot),
        (false, say, format!("{ask}\n{throw}\nif seat(2).said = 1 {{ win seat(2) }}"), lot),
        (
            false,
            "move throw() {\nchance d in 1..6\nme.lot += d\n}\nmove pass() { }",
            "each p in players { ask p to throw or pass }".to_string(),
            lot,
        ),
        (
            false,
            "move rise(n in 1..9) {\nneed n > me.said else \"more\"\nme.said := n\n}",
            format!("{throw}\nturns until stuck {{ rise }}"),
            "winner last mover",
        ),
    ];
    for (alone, moves, play, winner) in cases {
        let text = parts(moves, &play, winner);
        let found = check(&Source::new("t.game".to_string(), &text));
        assert!(found.game.is_some(), "{text}{:?}", found.diagnostics);
        let warned = found.diagnostics.iter().any(|found| found.code == Code::ChanceDecides);
        assert_eq!(warned, alone, "{text}");
    }
}

/// A coin that nothing depends on decides nothing, even if it is written down.
#[test]
fn draws_without_effect_are_told() {
    let report = study("duds.game --playouts 2 --games 40");
    assert_eq!((value(&report, "chance.draws"), interval(&report, "chance.draws")[0]), (0.0, 0.0));
    assert!(says(&report, "! chance decides nothing: in 40 matches"), "{:?}", verdict(&report));
    assert!(says(&report, "player 1 wins if everybody plays perfectly, whatever is drawn"));
    // Two coins are thrown in every match, and the second one does nothing in the half in which the hands decide.
    let report = study("half.game --playouts 2 --games 100 --within 0.001");
    assert!(says(&report, "chance alone explains"), "{:?}", verdict(&report));
    holds(&report, "chance.draws", 0.75);
    let keys = study("cards.game --playouts 2 --games 4")["figures"].to_string();
    assert!(!keys.contains("chance.draws"), "nothing is drawn");
}

#[test]
fn lengths_widths_and_scores_are_those_of_the_rules() {
    // Two hands of five cards, laid alternately: 10 choices, among 5, 5, 4, 4, … cards, 3 on average. The odd
    // cards of both hands add up to 18 points, the even ones to 12.
    let report = study("cards.game --playouts 2 --games 16");
    for (key, same) in [("length.choices", 10.0), ("length.turns", 10.0), ("width.mean", 3.0)] {
        assert_eq!(value(&report, key), same);
        assert_eq!(
            (&figure(&report, key)["interval"], &figure(&report, key)["matches"]),
            (&Json::Null, &json!(16))
        );
    }
    // All matches are equally long, so that even sixteen show it.
    assert_eq!(value(&report, "length.long"), 10.0);
    assert!(says(&report, "each of 16 matches was 10 choices long"), "{:?}", verdict(&report));
    assert_eq!(value(&report, "width.forced"), 0.2);
    // The first of ten choices, the one reached after each tenth of the way, and the last.
    let widths = [5.0, 5.0, 5.0, 4.0, 4.0, 3.0, 3.0, 2.0, 2.0, 1.0, 1.0];
    assert_eq!((curve(&report, "width"), curve(&report, "random.width")), (widths.to_vec(), widths.to_vec()));
    assert_eq!([value(&report, "seat.1.score"), value(&report, "seat.2.score")], [18.0, 12.0]);
    assert_eq!((value(&report, "seat.1.share"), value(&report, "draws.share")), (1.0, 0.0));
    assert_eq!(
        distribution(&report, "length.choices"),
        [json!({ "label": "10", "range": [10, 10], "count": 16 })]
    );
    assert_eq!(
        distribution(&report, "ends"),
        [json!({ "label": "everything has been played", "range": null, "count": 16 })]
    );
    // Whatever is laid, the end is the same, and searches know it from the start.
    assert_eq!((value(&report, "best.1"), value(&report, "decided.at")), (1.0, 0.0));
    assert_eq!((value(&report, "weight.second"), value(&report, "weight.blind")), (0.0, 0.0));
    // Each of the five cards of each hand is laid once, and each scores its points.
    let usage = report["usage"].as_array().unwrap();
    let ran: Vec<(&str, u64, u64)> = usage
        .iter()
        .map(|usage| {
            (usage["kind"].as_str().unwrap(), usage["line"].as_u64().unwrap(), usage["ran"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(ran, [("move", 12, 160), ("award", 14, 96), ("award", 14, 64)]);
    assert_eq!(
        missing(&study("heap.game --playouts 2 --games 4"), "lead.half"),
        "this game is not decided by score"
    );
}

/// Of four choices, two are among all integers, and two among three stones.
#[test]
fn choices_without_limit_are_told_of_and_are_not_forced() {
    let report = study("spoken.game --playouts 2 --games 16");
    assert_eq!(value(&report, "width.mean"), 3.0);
    assert_eq!((value(&report, "width.unlimited"), value(&report, "width.forced")), (0.5, 0.0));
    // Random play draws from the eleven numbers that the rules try.
    assert_eq!(value(&report, "random.width"), 7.0);
    let told =
        "a player chooses from 3 legal moves on average in each of 16 matches, not counting the 50 % (";
    assert!(says(&report, told), "{:?}", verdict(&report));
    assert!(says(&report, "of the choices at which there is no limit to them"), "{:?}", verdict(&report));
    let report = study("cards.game --playouts 2 --games 4");
    assert!(!report["figures"].to_string().contains("width.unlimited"), "all can be counted");
}

/// The players of a study can be had by name, and play as in the study.
#[test]
fn who_played_can_play_again() {
    // A search for a proof would find what fifteen counters are worth at once.
    let report = study("heap.game --playouts 2 --games 400 --set n=15 --within 0.01 --positions 10");
    let strong =
        report["series"].as_array().unwrap().iter().find(|series| series["key"] == "strong").unwrap();
    let bot = strong["players"].as_str().unwrap().strip_suffix(" in every seat").unwrap();
    assert_eq!(bot, "tree:2");
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/study/heap.game");
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlour"));
    command.args(["simulate", "--json", "--set", "n=15", "--games", "1000", "--bot", bot]).arg(rules);
    let found: Json = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    assert_eq!(found["bots"], json!([bot, bot]));
    let share = found["wins"][0].as_f64().unwrap() / 1000.0;
    // Both are samples: four standard errors of their difference.
    let matches = figure(&report, "seat.1.share")["matches"].as_f64().unwrap();
    let apart = (share - value(&report, "seat.1.share")).abs();
    assert!(
        apart < 4.0 * (0.25 / matches + 0.25 / 1000.0).sqrt(),
        "{share}: {}",
        figure(&report, "seat.1.share")
    );
    for rung in report["ladder"].as_array().unwrap() {
        let name = rung["bot"].as_str().unwrap();
        assert_eq!(parlour::bots::Bot::parse(name).unwrap().to_string(), name);
    }
}

#[test]
fn the_lead_changes_as_often_as_it_does() {
    // The first move scores 1 and every other 2, so the player who has just moved is ahead, and every move
    // but the first takes the lead.
    for rounds in [1, 3, 5] {
        let report = study(&format!("seesaw.game --playouts 2 --games 8 --set rounds={rounds}"));
        assert_eq!(value(&report, "lead.changes"), f64::from(2 * rounds - 1), "{rounds} rounds");
        assert_eq!(value(&report, "length.choices"), f64::from(2 * rounds));
        assert_eq!(value(&report, "seat.2.share"), 1.0);
    }
    // In the middle of three rounds, after three choices, the first player is ahead, and loses. Whoever wins by something
    // other than the score leads by that.
    for (game, by) in [("seesaw", "in score"), ("rungs", "by `me.rung` (which decides who wins)")] {
        let report = study(&format!("{game}.game --playouts 2 --games 8"));
        assert_eq!((value(&report, "lead.half"), value(&report, "lead.changes")), (0.0, 5.0), "{game}");
        let burden = "whoever leads at half-time gets only 0 %";
        assert!(says(&report, burden), "{:?}", verdict(&report));
        let meaning = figure(&report, "lead.changes")["meaning"].as_str().unwrap();
        assert!(meaning.ends_with(&format!("takes the lead {by}")), "{meaning}");
    }
}

#[test]
fn positions_that_come_again_are_counted() {
    // The lamp is on or off, and shows whose turn it is, so there are only two positions.
    let report = study("round.game --playouts 2 --games 40");
    let lengths = distribution(&report, "length.choices").iter();
    let (mut sum, mut count) = (0.0, 0.0);
    for bin in lengths {
        let [from, to] = [0, 1].map(|end| bin["range"][end].as_f64().unwrap());
        assert_eq!(from, to, "bins of one number");
        let matches = bin["count"].as_f64().unwrap();
        sum += matches * (from - 2.0).max(0.0) / from;
        count += matches;
    }
    assert!((value(&report, "repeats.share") - sum / count).abs() < 1e-6);
}

/// An `else` and a statement under no condition are ends of their own.
#[test]
fn ends_in_an_else_are_counted_by_their_rule() {
    let report = study("half.game --playouts 1 --games 200 --within 0.01");
    let labels: Vec<&str> =
        distribution(&report, "ends").iter().map(|bin| bin["label"].as_str().unwrap()).collect();
    assert_eq!(labels.len(), 4, "{labels:?}");
    for end in ["line 21: `b = 0` does not hold", "line 21: b = 0", "line 23: seat(1).hand = seat(2).hand"] {
        assert!(labels.contains(&format!("half.game {end}").as_str()), "{labels:?}");
    }
    let report = study("shell.game --playouts 1 --games 50 --within 0.01");
    let end = distribution(&report, "ends")[0]["label"].as_str().unwrap().to_string();
    assert_eq!(end, "shell.game line 18: win if under = seat(1).shell then me else seat(1)");
}

#[test]
fn each_end_is_counted_by_its_rule() {
    let report = study("ends.game --playouts 1 --games 120 --within 0.01");
    let ends = distribution(&report, "ends");
    let of = |line: &str| {
        let found = ends.iter().find(|bin| bin["label"].as_str().unwrap().starts_with(line));
        found.map_or(0, |bin| bin["count"].as_u64().unwrap())
    };
    let (won, over) = (of("ends.game line 20: "), of("ends.game line 21: "));
    assert_eq!(won + over, 120, "{ends:?}");
    // Both ends are equally likely: the bounds are four standard deviations.
    assert!((38..=82).contains(&won), "{won} won");
    assert!((value(&report, "draws.share") - over as f64 / 120.0).abs() < 1e-6);
    // Each draw ends the match with probability 1/3, so the seats make the last draw with probabilities 9/19,
    // 6/19 and 4/19. Half of the ends are wins of that seat; in the other half all three share the win.
    for (seat, share) in [(1, 9.0 / 19.0), (2, 6.0 / 19.0), (3, 4.0 / 19.0)] {
        holds(&report, &format!("random.seat.{seat}.share"), share / 2.0 + 1.0 / 6.0);
    }
    assert!(!says(&report, "solved"));
}

#[test]
fn a_limit_is_not_told_as_a_length() {
    let report = study("heap.game --playouts 1 --games 8 --max-moves 2");
    assert_eq!(missing(&report, "length.choices"), "no match ended within 2 choices");
    assert!(says(&report, "! no match ended within 2 choices"), "{:?}", verdict(&report));
    assert!(!says(&report, "choices long"), "{:?}", verdict(&report));
    // Where none ends, few matches show it.
    let report = study("heap.game --playouts 1 --games 400 --max-moves 2 --within 0.001");
    let matches: Vec<u64> = report["series"]
        .as_array()
        .unwrap()
        .iter()
        .map(|series| series["matches"].as_u64().unwrap())
        .collect();
    assert_eq!(matches, [16, 8, 24], "random, strong and three pairs of players");
    // Where some matches end, their mean is a lower bound.
    let report = study("round.game --playouts 1 --games 30 --max-moves 2");
    assert!(says(&report, "a match is at least "), "{:?}", verdict(&report));
}

#[test]
fn who_plays_alone_is_studied_too() {
    let report = study("alone.game --playouts 2 --games 100 --within 0.05");
    holds(&report, "seat.1.share", 0.25);
    holds(&report, "random.seat.1.share", 0.25);
    assert_eq!(value(&report, "best.1"), 0.25);
    holds(&report, "skill.wins", 0.0);
    assert_eq!(missing(&report, "length.turns"), "a single player has only one turn");
    assert_eq!(missing(&report, "favourite.changes"), "there is only one player");
    assert_eq!(report["ladder"], json!([]));
}

#[test]
fn matches_that_do_not_end_are_told_of() {
    let report = study("round.game --playouts 1 --games 200 --max-moves 2");
    // A match goes on after two choices with probability 4/9.
    holds(&report, "length.unfinished", 4.0 / 9.0);
    assert!(says(&report, "were given up unfinished"), "{:?}", verdict(&report));
    assert_eq!(value(&report, "length.long"), 2.0);
}

#[test]
fn intervals_hold_what_is_so_as_often_as_they_say() {
    // With 95% intervals, at most three of 20 studies miss with probability 98%. The player who begins sees a
    // one first with probability 3/5; matches have 3 choices on average.
    let truths = [("random.seat.1.share", 0.6), ("random.length", 3.0)];
    let mut missed = [0; 2];
    for seed in 0..20 {
        let report = study(&format!("round.game --playouts 1 --games 2 --seed {seed}"));
        for ((key, truth), missed) in truths.iter().zip(&mut missed) {
            let [low, high] = interval(&report, key);
            *missed += usize::from(*truth < low || high < *truth);
        }
    }
    assert!(missed.iter().all(|missed| *missed <= 3), "{missed:?} of 20 miss");
}

#[test]
fn a_study_says_what_it_knows_at_any_time() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/study/cards.game")).unwrap();
    let rules = Arc::new(Rules::load(Source::new("cards.game", &text)).unwrap());
    let machine = rules.machine(&BTreeMap::new(), 2).unwrap();
    let mind = Mind::new(&machine);
    let study = Study {
        rules: &rules,
        engine: &machine,
        mind: &mind,
        clock: &StoppedClock,
        seed: 0,
        playouts: 2,
        positions: 0,
        max_moves: 100,
    };
    let enough = Enough { matches: 8, within: 0.05 };
    let mut findings = study.begin();
    let nothing = study.report(&findings);
    let said: Vec<&str> = nothing.verdict.iter().map(|remark| remark.text.as_str()).collect();
    assert_eq!(said, ["nothing is left to chance"], "the rules say so");
    let mut stages = 0;
    while let Some(stage) = study.stage(&findings, enough) {
        let found = stage.tasks.iter().map(|task| study.carry_out(&stage, task).unwrap()).collect();
        study.add(&mut findings, &stage, found);
        stages += 1;
        let report = study.report(&findings);
        // The first stage consists of random matches only.
        let said = report.verdict.iter().any(|remark| remark.text.contains("in random play"));
        assert_eq!(said, stages == 1, "{stages}: {:?}", report.verdict);
        for figure in &report.figures {
            let Some((value, [low, high])) = figure.value.zip(figure.interval) else { continue };
            assert!(low <= value && value <= high, "{figure:?}");
        }
        // A report must be the same after being written and read.
        let written = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&written).unwrap(), report);
    }
    assert!(stages > 2, "{stages}");
}

// ---- the command

#[test]
fn threads_and_pauses_do_not_show() {
    let folder = Folder::new("kept");
    let kept = folder.join("kept.json");
    let kept = kept.to_str().unwrap();
    let whole = run("heap.game --playouts 4 --games 20 --threads 1");
    assert_eq!(whole.0, 0, "{}", whole.2);
    assert_eq!(whole, run("heap.game --playouts 4 --games 20 --threads 3"));
    let first = run(&format!("heap.game --playouts 4 --games 8 --keep {kept}"));
    assert_ne!(first.1, whole.1);
    let then = run(&format!("heap.game --playouts 4 --games 20 --keep {kept}"));
    assert_eq!(then.1, whole.1, "{}", then.2);
    // Another seed plays other matches.
    assert_ne!(run("heap.game --playouts 4 --games 20 --seed 1").1, whole.1);
    for (words, sentence) in [
        ("heap.game --playouts 4 --set n=8", "the options there"),
        ("heap.game --playouts 8", "this was kept with `--playouts 4`, not 8"),
        ("heap.game --playouts 4 --seed 3", "this was kept with `--seed 0`, not 3"),
        ("heap.game --playouts 4 --players 3", "the players there"),
        ("coin.game --playouts 4", "the game there"),
    ] {
        let (status, out, err) = run(&format!("{words} --games 8 --keep {kept}"));
        assert_eq!((status, out.as_str()), (1, ""), "{words}");
        assert!(err.contains(sentence) && err.contains("or another file"), "{words}: {err}");
    }
}

#[test]
fn the_sample_match_is_a_record_that_replays() {
    let folder = Folder::new("sample");
    let path = folder.join("sample.json");
    let report = study("moves.game --playouts 2 --games 5");
    fs::write(&path, report["sample"].to_string()).unwrap();
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/study/moves.game");
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlour"));
    command.args(["replay", "--json", "--game"]).arg(rules).arg(&path);
    let output = command.output().unwrap();
    let told =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("\"ok\":true"), "{told}");
}

#[test]
fn a_sweep_is_a_table_of_studies() {
    let report = study("heap.game --playouts 2 --games 4 --sweep n=7..8 --sweep players=2,3,4");
    assert_eq!(report["varied"], json!(["n", "players"]));
    let rows = report["rows"].as_array().unwrap();
    let values: Vec<&Json> = rows.iter().map(|row| &row["values"]).collect();
    let all = [["7", "2"], ["7", "3"], ["7", "4"], ["8", "2"], ["8", "3"], ["8", "4"]];
    assert_eq!(values, all.map(|pair| json!(pair)).iter().collect::<Vec<_>>());
    // A setting that cannot be played has a reason and no study; the others equal a study of their own.
    assert!(rows[2]["refused"].as_str().unwrap().contains("2 to 3"), "{}", rows[2]);
    assert_eq!(rows[3]["report"], study("heap.game --playouts 2 --games 4 --set n=8"));
    let (_, out, _) = run("heap.game --playouts 2 --games 4 --sweep n=7..8");
    assert!(out.starts_with("Heap: a study of 2 settings\n"), "{out}");
    assert!(out.contains("! n=8: the game is solved: player 2 wins"), "{out}");
    // Whoever begins with a multiple of four counters loses; each winner is named once.
    let (_, out, _) = run("heap.game --playouts 2 --games 4 --sweep n=5..12");
    assert!(out.contains("! n=5..7, 9..11: the game is solved: player 1 wins"), "{out}");
    assert!(out.contains("! n=8, 12: the game is solved: player 2 wins"), "{out}");
    // Where there is no room for the intervals, which the pictures have, the table has the values alone.
    let (_, out, _) = run_at("50", "heap.game --playouts 2 --games 4 --sweep n=7..8");
    assert!(out.contains("choices  moves  seat 1 %  drawn %  Elo  chance %\nn=7\n"), "{out}");
}

#[test]
fn words_are_as_wide_as_the_screen_and_say_what_each_figure_means() {
    for (width, name) in
        [("44", "cards.game"), ("60", "moves.game"), ("80", "ends.game"), ("80", "alone.game")]
    {
        let (_, out, _) = run_at(width, &format!("{name} --playouts 4 --games 8"));
        let width: usize = width.parse().unwrap();
        for line in out.lines() {
            assert!(line.chars().count() <= width, "{name} at {width}: {line}");
        }
        let report = study(&format!("{name} --playouts 4 --games 8"));
        let flat = out.split_whitespace().collect::<Vec<_>>().join(" ");
        for figure in report["figures"].as_array().unwrap() {
            assert_eq!(figure["value"].is_null(), figure["missing"].is_string(), "{figure}");
            // What follows from other figures is left out, and what is said of one seat is not said again of the others.
            let follows = ["length.short", "length.long", "length.turns", "length.unfinished", "without"];
            let follows = follows.iter().any(|key| figure["key"] == *key)
                || figure["key"].as_str().unwrap().starts_with("chance.");
            if follows && !flat.contains(&format!("{}: ", figure["title"].as_str().unwrap())) {
                continue;
            }
            let meaning = figure["missing"].as_str().or(figure["meaning"].as_str()).unwrap();
            let of_the_first = (2..=4)
                .fold(meaning.to_string(), |text, seat| text.replace(&format!("player {seat}"), "player 1"));
            assert!(flat.contains(meaning) || flat.contains(&of_the_first), "{name}: {meaning}");
            assert!(flat.contains(figure["title"].as_str().unwrap()), "{name}: {figure}");
        }
        for sentence in report["verdict"].as_array().unwrap() {
            assert!(flat.contains(sentence["text"].as_str().unwrap()), "{sentence}");
        }
    }
}

#[test]
fn wrong_input_is_refused_with_the_way_out() {
    for (words, sentence) in [
        ("heap.game --within 0", "the margin must be from 0.001 to 0.5"),
        ("heap.game --playouts 0", "from 1 to 1000000"),
        ("heap.game --games 0", "at least one match"),
        ("heap.game --threads 0", "from 1 to 256"),
        ("heap.game --sweep n", "write a name and its values"),
        ("heap.game --sweep n=9..4", "from the lower number to the higher"),
        ("heap.game --sweep n=1..400", "at most 100 settings"),
        ("heap.game --sweep n=1..30 --sweep players=2,3,4,5", "these are 120"),
        ("heap.game --sweep m=1..3", "no option `m`"),
        ("heap.game --sweep n=x", "cannot be `x`"),
        ("heap.game --sweep n=1,2 --sweep n=3", "names n twice"),
        ("heap.game --sweep players=two", "is not a number of players"),
        ("heap.game --sweep n=1,2 --keep x.json", "cannot be used with"),
        ("heap.game --seconds 0", "not a valid number of seconds"),
    ] {
        let (status, out, err) = run(words);
        assert_eq!((status, out.as_str()), (2, ""), "{words}: {err}");
        assert!(err.contains(sentence), "{words}: {err}");
    }
    let (status, _, err) = run("heap.game --games 4 --playouts 2 --keep nowhere/x.json");
    assert!(status == 1 && err.contains("nowhere/x.json"), "{err}");
    let (status, _, err) = run("heap.game --seconds 0.000001");
    assert!(status == 1 && err.contains("no match ended"), "{err}");
}

//! Coverage: how often each part of the rules has run, by the lines of the file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::folder::Folder;
use parlour::engine::Engine;
use parlour::eval::{Coverage, Machine, Part, PartKind, Waiting};
use parlour::lab::Covered;
use parlour::num::Rng;
use parlour::play::{Rules, bundled, bundled_source};
use parlour::source::Source;
use serde_json::Value as Json;

fn rules(name: &str, text: &str) -> Arc<Rules> {
    Arc::new(Rules::load(Source::new(name, text)).unwrap_or_else(|found| panic!("{name}: {found:?}")))
}

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/coverage")
}

fn file(name: &str) -> Arc<Rules> {
    rules(name, &fs::read_to_string(home().join(name)).unwrap())
}

fn cairn() -> Arc<Rules> {
    file("cairn.game")
}

fn machine(rules: &Rules) -> Machine {
    rules.machine(&BTreeMap::new(), rules.default_players()).unwrap()
}

/// Plays random matches, and probes the needs at each choice.
fn played(rules: &Rules, matches: u64) -> Arc<Coverage> {
    let coverage = Arc::new(Coverage::new(&rules.game));
    let machine = machine(rules).with_full_coverage(coverage.clone()).unwrap();
    for n in 0..matches {
        let mut rng = Rng::nth(1, n);
        let mut position = machine.start().unwrap();
        while !matches!(machine.waiting(&position), Waiting::Over) {
            if let Waiting::Choice { seats, .. } = machine.waiting(&position) {
                for seat in seats {
                    machine.probe_needs(&position, seat, &coverage, &mut Rng::nth(2, n), 50).0.unwrap();
                }
            }
            machine.play_on(&mut position, &mut rng, 1).unwrap();
        }
        machine.scores(&position).unwrap();
    }
    coverage
}

/// Returns the parts that begin on the line with a text: kind, how often it ran, out of how many times.
fn on_line(rules: &Rules, parts: &[Part], line: &str) -> Vec<(PartKind, u64, u64)> {
    let at =
        rules.source.text.lines().position(|text| text.contains(line)).unwrap_or_else(|| panic!("{line}"))
            + 1;
    let here = parts.iter().filter(|part| rules.source.position(part.span.start).line == at);
    here.map(|part| (part.kind, part.ran, part.of)).collect()
}

#[test]
fn each_part_is_counted_where_it_is_written() {
    let rules = cairn();
    let parts = played(&rules, 40).parts(&rules.game, &rules.source);
    let on = |line| on_line(&rules, &parts, line);
    // Reduces the counts to whether they are positive.
    let ran = |line| on(line).into_iter().map(|(kind, ran, of)| (kind, ran > 0, of > 0)).collect::<Vec<_>>();
    use PartKind::*;
    assert_eq!(ran("let high"), [(Statement, true, true)]);
    assert_eq!(ran("need count >= 1"), [(Need, false, true)]);
    assert_eq!(ran("need count <= me.stones"), [(Need, true, true)]);
    assert_eq!(ran("need high <= height"), [(Need, true, true)]);
    assert_eq!(ran("if cairn = height"), [(Statement, true, true), (Branch, true, true)]);
    assert_eq!(ran("win me"), [(Win, true, true)]);
    assert_eq!(ran("} else if cairn > height"), [(Branch, false, true)]);
    assert_eq!(ran("cairn := height"), [(Statement, false, false)]);
    assert_eq!(ran("4: 9"), [(Arm, false, true)]);
    assert_eq!(ran("2: 3"), [(Arm, true, true)]);
    // A function that only `show` calls, or that nobody calls, is not a part of the rules.
    assert_eq!(ran("define sky"), []);
    assert_eq!(ran("define unused"), []);
    assert_eq!(
        ran("if cairn = 5"),
        [(Statement, true, true), (Branch, true, true), (PassedOver, true, true), (Statement, true, true)]
    );
    // `storm` ends the turns at once, so it never holds when somebody rests.
    assert_eq!(
        ran("if not storm"),
        [(Statement, true, true), (Branch, true, true), (PassedOver, false, true), (Statement, true, true)]
    );
    assert_eq!(ran("phase morning"), [(Phase, true, true)]);
    assert_eq!(ran("turns as turn until storm"), [(Statement, true, true), (Until, true, true)]);
    assert_eq!(ran("heap or rest"), [(Statement, true, true), (Offer, true, true), (Offer, true, true)]);
    assert_eq!(ran("  dusk()"), [(Statement, true, true)]);
    assert_eq!(ran("turns until stuck"), [(Statement, true, true), (Stuck, false, true)]);
    assert_eq!(
        ran("heap else leave"),
        [(Statement, true, true), (Offer, true, true), (ElseOffer, false, true)]
    );
    assert_eq!(ran("until cairn > 9"), [(Until, true, true)]);
    assert_eq!(ran("end when"), [(EndWhen, false, true)]);
    assert_eq!(ran("winner highest"), [(Winner, true, true), (TieBreak, true, true)]);
}

#[test]
fn what_ran_is_counted_exactly() {
    let rules = rules(
        "count.game",
        "game \"Count\" { players 2 }\ntable { n: int = 0 }\n\
         move up(by in 1..4) {\n  need by != 3 else \"not three\"\n  n += by\n}\n\
         rule twice() {\n  n += 1\n  n += 1\n}\n\
         play {\n  repeat 2 {\n    ask seat(1) to up\n    twice()\n  }\n  twice()\n  turns as t until t > 3 { up }\n}\n",
    );
    let parts = played(&rules, 1).parts(&rules.game, &rules.source);
    let on = |line| on_line(&rules, &parts, line);
    use PartKind::*;
    // Two choices by `ask`, three by turns, and a fourth test of `until`, which ends the turns.
    assert_eq!(on("move up"), [(Move, 5, 5)]);
    assert_eq!(on("need by"), [(Need, 5, 20)]);
    assert_eq!(on("n += by"), [(Statement, 5, 5)]);
    assert_eq!(on("repeat 2"), [(Statement, 1, 1)]);
    assert_eq!(on("ask seat(1)"), [(Statement, 2, 2), (Offer, 2, 2)]);
    assert_eq!(on("  n += 1"), [(Statement, 3, 3)]);
    assert_eq!(on("turns as t"), [(Statement, 1, 1), (Until, 1, 4), (Statement, 3, 3), (Offer, 3, 3)]);
}

/// With unbounded integers, needs must be probed with more values than bots draw.
#[test]
fn needs_against_what_only_people_choose_refuse() {
    let rules = rules(
        "people.game",
        "game \"People\" { players 2 }\ntable { n: int = 0 }\n\
         move add(by in int try 1..40) {\n  need by > 0 else \"up\"\n  need by <= 40 else \"40 at most\"\n  n += by\n}\n\
         move raise(by in 5 or more try 5..6) {\n  need by < 7 else \"little by little\"\n  n += by\n}\n\
         play { turns until n > 200 { add or raise } }\n",
    );
    let parts = played(&rules, 3).parts(&rules.game, &rules.source);
    for need in ["need by > 0", "need by <= 40", "need by < 7"] {
        let [(PartKind::Need, refused, asked)] = on_line(&rules, &parts, need)[..] else { panic!("{need}") };
        assert!(0 < refused && refused < asked, "{need}: {refused} of {asked}");
    }
}

/// Seats skipped in a simultaneous choice must be counted, and the need that leaves them without a move.
#[test]
fn seats_that_are_passed_over_together_are_counted() {
    let rules = rules(
        "bids.game",
        "game \"Bids\" { players 3 }\neach player { chips: 0 or more = me.number - 1 }\n\
         move bid {\n  need me.chips > 0 else \"broke\"\n  me.chips -= 1\n}\n\
         play {\n  together players { bid if possible }\n  together {\n    ask seat(1) to bid if possible\n    \
         ask seat(3) to bid if possible\n  }\n}\n",
    );
    let parts = played(&rules, 1).parts(&rules.game, &rules.source);
    let on = |line| on_line(&rules, &parts, line);
    use PartKind::*;
    assert_eq!(on("together players"), [(Statement, 1, 1), (Offer, 2, 2), (Stuck, 1, 3)]);
    // Player 1 is stuck twice. The needs of the others are checked before they bid and when they do.
    let [(Need, refused, asked)] = on("need me.chips")[..] else { panic!("{parts:?}") };
    assert_eq!((refused, asked > 2), (2, true));
    assert_eq!(on("ask seat(3)"), [(Offer, 1, 1)]);
}

#[test]
fn choices_made_together_and_seats_that_are_stuck_are_counted() {
    let rules = file("smugglers.game");
    let parts = played(&rules, 40).parts(&rules.game, &rules.source);
    let on = |line| on_line(&rules, &parts, line);
    let ran = |line| on(line).into_iter().map(|(kind, ran, of)| (kind, ran > 0, of > 0)).collect::<Vec<_>>();
    use PartKind::*;
    assert_eq!(on("ask smuggler to hide"), [(Offer, 40, 40)]);
    assert_eq!(on("ask guard to search"), [(Offer, 40, 40)]);
    assert_eq!(ran("need if possible"), [(Preference, false, true)]);
    // If the need refuses, only the move after `else` is left; a seat without any legal move is skipped.
    assert_eq!(ran("need weather = calm"), [(Need, true, true)]);
    assert_eq!(
        ran("row_on else wait"),
        [(Statement, true, true), (Offer, true, true), (ElseOffer, true, true)]
    );
    assert_eq!(ran("need crate mod 2 = 0"), [(Need, true, true)]);
    assert_eq!(ran("need price < 9"), [(Need, true, true)]);
    assert_eq!(
        ran("bribe(9) if possible"),
        [(Statement, true, true), (Offer, false, false), (Stuck, true, true)]
    );
    assert_eq!(
        ran("else { end when"),
        [
            (Statement, true, true),
            (Branch, true, true),
            (Statement, true, true),
            (Else, false, true),
            (EndWhen, false, false)
        ]
    );
    assert_eq!(
        ran("winner highest"),
        [(Winner, true, true), (TieBreak, false, true), (TieBreak, false, false)]
    );
}

#[test]
fn matches_add_up_in_any_order() {
    let rules = cairn();
    let whole = played(&rules, 12);
    let (one, other) = (Coverage::new(&rules.game), played(&rules, 12));
    let counted = |coverage: &Coverage| coverage.counts().filter(|count| *count > 0).count();
    assert!(counted(&one) == 0 && counted(&other) > 20);
    one.add(&other);
    assert!(one.counts().eq(other.counts()));
    let told = |coverage: &Coverage| coverage.parts(&rules.game, &rules.source);
    assert_eq!(told(&one), told(&whole));
    one.add(&whole);
    let sum = |parts: &[Part]| parts.iter().map(|part| part.ran).sum::<u64>();
    assert_eq!(sum(&told(&one)), 2 * sum(&told(&whole)));
}

/// A watched machine must play the same, in the same number of steps, as one that is not watched.
#[test]
fn watching_changes_nothing() {
    for (name, _) in bundled() {
        let rules = Arc::new(Rules::load(bundled_source(&name).unwrap()).unwrap());
        let plain = machine(&rules);
        let coverage = Arc::new(Coverage::new(&rules.game));
        let watched = machine(&rules).with_full_coverage(coverage.clone()).unwrap();
        let mut positions = (plain.start().unwrap(), watched.start().unwrap());
        let mut rngs = (Rng::new(3), Rng::new(3));
        for _ in 0..6 {
            assert_eq!(positions.0.cells, positions.1.cells, "{name}");
            let seats = match plain.waiting(&positions.0) {
                Waiting::Choice { seats, .. } => seats,
                Waiting::Over => break,
                _ => Vec::new(),
            };
            for seat in seats {
                let steps = |machine: &Machine, position| {
                    let choice = machine.choice(position).unwrap();
                    let (drawn, steps) = machine.ask_counted(position, |env| {
                        env.draw_legal(choice, seat, &mut |n| Rng::new(4).below(n))
                    });
                    (drawn.unwrap(), steps)
                };
                assert_eq!(steps(&plain, &positions.0), steps(&watched, &positions.1), "{name}");
                let (found, _) = watched.probe_needs(&positions.1, seat, &coverage, &mut Rng::new(5), 8);
                found.unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
            }
            plain.play_on(&mut positions.0, &mut rngs.0, 1).unwrap();
            watched.play_on(&mut positions.1, &mut rngs.1, 1).unwrap();
        }
        let parts = coverage.parts(&rules.game, &rules.source);
        assert!(parts.iter().any(|part| part.ran > 0), "{name}");
        for part in parts {
            assert!(part.ran <= part.of || part.kind == PartKind::Statement, "{name}: {part:?}");
        }
    }
}

// ---- output

/// Runs the program in the folder of the games. Returns exit status, standard output and standard error.
fn parlour(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parlour"));
    let done = command.args(args).current_dir(home()).env("COLUMNS", "80").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
}

fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ snapshot_path => home(), prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn in_the_terminal_counts_stand_beside_the_lines() {
    let (status, shown, chatter) = parlour(&["test", "cairn.game", "--coverage"]);
    assert_eq!((status, chatter.as_str()), (0, ""));
    snapshot("cairn", &shown);
    // Coverage follows the usual output of `simulate`, and does not depend on the engine.
    let simulate = ["simulate", "cairn.game", "--games", "20"];
    let (_, tally, _) = parlour(&simulate);
    let with = [&simulate[..], &["--coverage"]].concat();
    let (status, shown, _) = parlour(&with);
    assert_eq!(status, 0);
    assert!(shown.starts_with(&tally), "{shown}");
    assert!(shown.contains("  end when cairn > 100  <- yes 0 no "), "{shown}");
    assert_eq!(parlour(&[&with[..], &["--engine", "reference"]].concat()).1, shown);
}

#[test]
fn as_json_each_part_has_its_place_and_its_counts() {
    let (status, shown, chatter) = parlour(&["test", "cairn.game", "smugglers.game", "--coverage=json"]);
    assert_eq!(status, 0);
    assert!(chatter.ends_with("1 passed, 0 failed\n"), "{chatter}");
    let files: Vec<Json> = serde_json::from_str(&shown).unwrap();
    assert_eq!(files[1]["file"], "smugglers.game");
    assert_eq!(files[1]["totals"]["statements"]["hit"], 0);
    let lines =
        |rows: &Json| rows.as_array().unwrap().iter().map(|row| format!("{row}\n")).collect::<String>();
    let file = &files[0];
    let text = format!("{}{}{}\n", lines(&file["lines"]), lines(&file["parts"]), file["totals"]);
    snapshot("cairn-json", &text);
    // In the JSON of `simulate`, coverage is a field.
    let (_, shown, _) = parlour(&["simulate", "cairn.game", "--games", "3", "--json", "--coverage"]);
    let simulated: Json = serde_json::from_str(&shown).unwrap();
    assert_eq!(simulated["games"], 3);
    assert_eq!(simulated["coverage"][0]["file"], "cairn.game");
}

#[test]
fn as_lcov_it_is_a_tracefile() {
    let (status, shown, chatter) = parlour(&["test", "cairn.game", "--coverage=lcov"]);
    assert_eq!(status, 0);
    assert_eq!(chatter, "ok   cairn.game: a morning\n1 passed, 0 failed\n");
    let text = fs::read_to_string(home().join("cairn.game")).unwrap();
    assert_tracefile(&shown, &[("cairn.game", &text)]);
    snapshot("cairn-lcov", &shown);
}

#[test]
fn a_variant_is_counted_in_its_own_lines_and_in_those_of_its_base() {
    let base = "game \"Heap\" { players 2 }\ntable { left: int = 9 }\n\
        move take(n in 1..3) {\n  need n <= left else \"few\"\n  left -= n\n}\n\
        move wait { }\nplay { turns until stuck { take } }\nwinner last mover\n";
    let own = "variant \"More\" of \"heap.game\" { }\ndrop move wait\n\
        move take(n in 1..4) {\n  need n <= left else \"few\"\n  need n != 2 else \"two\"\n  left -= n\n}\n";
    let source = Source::new("more.game", own).with_base(&Source::new("heap.game", base));
    let rules = Arc::new(Rules::load(source).unwrap());
    let coverage = played(&rules, 5);
    let files = Covered::files(&rules, &coverage, &rules.source);
    let counts: Vec<_> = files.iter().map(|file| (file.name, file.lines().into_keys().collect())).collect();
    // Of the base, only what the variant keeps is played: its turns and its winner.
    assert_eq!(counts, [("more.game", vec![3, 4, 5, 6]), ("heap.game", vec![8, 9])]);
    assert!(files.iter().all(|file| file.lines().values().all(|count| *count > 0)));
    let trace: String = files.iter().map(Covered::lcov).collect();
    assert_tracefile(&trace, &[("more.game", own), ("heap.game", base)]);
}

#[test]
fn coverage_goes_where_it_is_asked_for() {
    let own = Folder::new("coverage");
    let file = own.join("lines.info");
    let path = file.to_str().unwrap();
    let to_file = ["--coverage=lcov", "--coverage-file", path];
    let simulate = ["simulate", "cairn.game", "--games", "3", "--json"];
    let (status, shown, chatter) = parlour(&[&simulate[..], &to_file].concat());
    assert_eq!((status, chatter), (0, format!("wrote the coverage to {path}\n")));
    assert_eq!(shown, parlour(&simulate).1);
    let text = fs::read_to_string(home().join("cairn.game")).unwrap();
    assert_tracefile(&fs::read_to_string(&file).unwrap(), &[("cairn.game", &text)]);
    // Two outputs for programs cannot share standard output.
    for args in [
        &["test", "cairn.game", "--json", "--coverage"][..],
        &["simulate", "cairn.game", "--json", "--coverage=lcov"],
        &["simulate", "cairn.game", "--coverage-file", path],
    ] {
        let (status, shown, chatter) = parlour(args);
        assert_eq!((status, shown.as_str()), (2, ""), "{args:?}");
        assert!(chatter.contains("--coverage"), "{chatter}");
    }
}

/// Asserts what genhtml requires: the records of geninfo(1) in their order, existing lines, correct sums.
fn assert_tracefile(trace: &str, files: &[(&str, &str)]) {
    let sections: Vec<&str> = trace.split_terminator("end_of_record\n").collect();
    assert_eq!(sections.len(), files.len());
    for (section, (name, text)) in sections.into_iter().zip(files) {
        let rows: Vec<(&str, &str)> = section.lines().map(|row| row.split_once(':').expect(row)).collect();
        assert_eq!(rows[..2], [("TN", ""), ("SF", *name)]);
        const ORDER: [&str; 12] =
            ["TN", "SF", "FN", "FNDA", "FNF", "FNH", "BRDA", "BRF", "BRH", "DA", "LH", "LF"];
        let place = |key: &str| ORDER.iter().position(|known| *known == key).expect(key);
        assert!(rows.is_sorted_by_key(|(key, _)| place(key)), "{section}");
        let of = |key: &str| -> Vec<Vec<&str>> {
            let rows = rows.iter().filter(|(known, _)| *known == key);
            rows.map(|(_, row)| row.split(',').collect()).collect()
        };
        let number = |text: &str| text.parse::<usize>().expect(text);
        let sum = |key: &str| {
            let [row] = &of(key)[..] else { panic!("{key} stands there once: {section}") };
            number(row[0])
        };
        let lines: Vec<usize> = of("DA").iter().map(|row| number(row[0])).collect();
        assert!(lines.is_sorted_by(|a, b| a < b));
        assert!(lines.iter().all(|line| (1..=text.lines().count()).contains(line)));
        let hit = |key: &str, at: usize| of(key).iter().filter(|row| !matches!(row[at], "0" | "-")).count();
        assert_eq!((sum("LF"), sum("LH")), (lines.len(), hit("DA", 1)));
        assert_eq!((sum("BRF"), sum("BRH")), (of("BRDA").len(), hit("BRDA", 3)));
        assert_eq!((sum("FNF"), sum("FNH")), (of("FN").len(), hit("FNDA", 0)));
        let names = |key: &str| of(key).iter().map(|row| row[1].to_string()).collect::<Vec<_>>();
        assert_eq!(names("FN"), names("FNDA"));
        for row in of("FN") {
            let line = text.lines().nth(number(row[0]) - 1).unwrap();
            assert!(line.contains(row[1]) && row.len() == 2, "{row:?}: {line}");
        }
        let mut branches = BTreeMap::new();
        for row in of("BRDA") {
            assert!(lines.contains(&number(row[0])) && row.len() == 4, "{row:?}");
            let next: &mut usize = branches.entry((row[0], row[1])).or_default();
            assert_eq!(number(row[2]), *next, "{row:?}");
            *next += 1;
            assert!(row[3] == "-" || row[3].parse::<u64>().is_ok());
        }
    }
}

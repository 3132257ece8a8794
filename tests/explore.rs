//! Checks by play: findings are shown by matches that replay, and do not depend on the number of threads.

mod bulk;
mod endless;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parlour::diag::{Code, render};
use parlour::explore::{Finding, Plan, Report, Sort, explore, without_intended as told_of};
use parlour::play::{Rules, bundled_source, replay, run_examples};
use parlour::source::Source;

/// Loads rules from a text.
fn rules(text: &str) -> Arc<Rules> {
    let source = Source::new("game.game", text);
    let told = |found: Vec<parlour::diag::Diagnostic>| {
        found.iter().map(|d| format!("{}: {}\n", d.code, d.message)).collect::<String>()
    };
    Arc::new(Rules::load(source).map_err(told).unwrap())
}

/// A plan that takes almost no time.
fn small() -> Plan<'static> {
    Plan { effort: 400_000, ..Plan::default() }
}

/// Returns everything that a report says.
fn told(rules: &Rules, report: &Report) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let _ = writeln!(out, "{}", render::plain(&rules.source, &finding.diagnostic));
        let _ = writeln!(out, "{} ({})", finding.how, if finding.proved { "proved" } else { "sampled" });
        for line in finding.trace.iter().flat_map(|trace| trace.lines(rules)) {
            let _ = writeln!(out, "  {line}");
        }
    }
    report.tried.iter().for_each(|tried| out.push_str(&format!("{}\n", tried.words(rules))));
    out
}

const OVERDRAWN: &str = r#"
game "Overdrawn" { players 2 }
option n: 1..9 = 5
table { heap: 0..9 = n }
move take(k in 1..3) {
  heap -= k
}
play {
  turns until heap = 0 { take }
}
winner last mover
"#;

/// With one side, the die always ends the match at once; with more, play goes on.
#[test]
fn matches_that_end_before_anybody_chooses_are_found() {
    let rules = rules(include_str!("study/early.game"));
    let faces = |sides: i64| {
        let options = rules.read_options([("faces", sides.to_string().as_str())]).unwrap();
        let report = explore(&rules, &Plan { options, ..small() });
        told(&rules, &report).contains("every match ends before anybody chooses")
    };
    assert!(faces(1) && !faces(3));
    // Nothing is said of a setting that nobody asks for.
    let report = explore(&rules, &small());
    assert!(!told(&rules, &report).contains("before anybody chooses"), "{}", told(&rules, &report));
}

#[test]
fn a_fault_is_found_and_its_record_replays_up_to_it() {
    let rules = rules(OVERDRAWN);
    let report = explore(&rules, &small());
    let finding = only(&rules, &report);
    assert_eq!(finding.sort, Sort::Fault);
    assert_eq!(rules.source.position(finding.diagnostic.span().start).line, 6);
    let trace = finding.trace.as_ref().unwrap();
    let whole = replay(rules.clone(), &trace.record(&rules)).unwrap();
    let (at, refused) = whole.broken.expect("it breaks");
    assert_eq!((at + 1, refused.code), (trace.choices(), "invalid_rules"));
    assert!(replay(rules.clone(), &trace.before_last().record(&rules)).unwrap().broken.is_none());
}

/// Returns the findings that a single match can show.
fn shown(report: &Report) -> Vec<&Finding> {
    let shown = |finding: &&Finding| matches!(finding.sort, Sort::Stuck | Sort::Fault | Sort::Endless);
    report.findings.iter().filter(shown).collect()
}

/// Returns the only such finding.
fn only<'r>(rules: &Rules, report: &'r Report) -> &'r Finding {
    match shown(report).as_slice() {
        [finding] => finding,
        _ => panic!("{}", told(rules, report)),
    }
}

/// Returns the match of a finding, line by line.
fn lines(rules: &Rules, finding: &Finding) -> Vec<String> {
    finding.trace.as_ref().expect("it has a match").lines(rules)
}

#[test]
fn who_is_asked_and_stuck_is_found() {
    let rules = rules(&OVERDRAWN.replace("  heap -= k", "  need k < heap else \"leave one\"\n  heap -= k"));
    let report = explore(&rules, &small());
    let finding = only(&rules, &report);
    assert_eq!((finding.sort, finding.proved), (Sort::Stuck, true));
    // With one on the heap, the first player is stuck at once.
    assert!(lines(&rules, finding).is_empty());
}

#[test]
fn positions_are_those_of_published_counts() {
    let rules = Arc::new(Rules::load(bundled_source("tic-tac-toe").unwrap()).unwrap());
    let report = explore(&rules, &Plan { effort: 60_000_000, ..Plan::default() });
    assert_eq!(told(&rules, &report), "2 players: all 5,478 positions\n");
}

#[test]
fn positions_and_faults_are_those_of_a_plain_search() {
    // Players take one to three of n. A position consists of what is left and whose turn it is.
    let rules = rules(
        r#"
game "Take" { players 2 }
option n: 3..40 = 11
table { left: int = n }
move take(k in 1..3) {
  need k <= left else "there are only {left}"
  left -= k
}
play { turns until stuck { take } }
winner last mover
"#,
    );
    for n in [3, 4, 11, 40] {
        let options = rules.read_options([("n", n.to_string().as_str())]).unwrap();
        let report = explore(&rules, &Plan { options, players: Some(2), ..small() });
        let (mut known, mut open) = (BTreeSet::new(), vec![(n, 0)]);
        while let Some((left, turn)) = open.pop() {
            if known.insert((left, turn)) {
                open.extend((1..=3).filter(|k| *k <= left).map(|k| (left - k, 1 - turn)));
            }
        }
        // When nothing is left, the player to move is stuck, which ends the match.
        let [tried] = report.tried.as_slice() else { panic!("{}", told(&rules, &report)) };
        assert_eq!((tried.complete, tried.positions), (true, known.len() as u64), "n = {n}");
        assert_eq!(tried.wins, [1, 1], "n = {n}");
        assert!(shown(&report).is_empty(), "{}", told(&rules, &report));
    }
}

/// A leak must be reported for the square that differs, however large the board is.
#[test]
fn the_square_that_tells_is_named() {
    let text = "game \"Mole\" { players 2 called mole, dog }\n\
                table { lawn: grid 5 by 5 of {grass, heap} = grass }\neach player { hole: square = c5 secret }\n\
                show lawn\nsecret move dig(way in {east, west}) { me.hole := value(step(lawn, me.hole, way)) }\n\
                move wait { }\nplay {\n  ask mole to dig\n  lawn[mole.hole] := heap\n  ask dog to wait\n  win mole\n}\n";
    let report = explore(&rules(text), &small());
    let leak = report.findings.iter().find(|finding| finding.sort == Sort::Leak).unwrap();
    let label = &leak.diagnostic.labels[0].text;
    let told = |square: &str| label.contains(&format!("`lawn[{square}]` is"));
    assert!(told("b5") || told("d5"), "{label}");
}

#[test]
fn a_game_in_which_nobody_can_ever_move_is_told() {
    let text = "game \"Never\" { players 2 }\ntable { left: 0..9 = 9 }\n\
                move take(k in 1..2) {\n  need k <= left and k > left + 1 else \"never\"\n  left -= k\n}\n\
                play { turns until stuck { take } }\nwinner last mover\n";
    let never = rules(text);
    let report = explore(&never, &small());
    let finding = report.findings.iter().find(|finding| finding.sort == Sort::NeverHappens).unwrap();
    assert!(finding.proved);
    assert_eq!(finding.diagnostic.labels[0].text, "nobody can ever move");
}

/// The highest value of an option is tried however high it is; that matches are long there is no fault.
#[test]
fn the_highest_value_of_an_option_is_tried() {
    let text = "game \"Heap\" { players 2 }\noption n: 1..90000 = 5\ntable { left: int = n }\n\
                let slow = SLOW\nmove take(k in 1..2) {\n  need k <= left else \"only {left} are left\"\n  left -= k * (1 div slow)\n}\n\
                play { turns until left = 0 { take } }\nwinner last mover\n";
    let sound = rules(&text.replace("SLOW", "1"));
    let report = explore(&sound, &small());
    assert!(shown(&report).is_empty(), "{}", told(&sound, &report));
    let broken = rules(&text.replace("SLOW", "if n = 90000 then 0 else 1"));
    let report = explore(&broken, &small());
    assert_eq!(only(&broken, &report).sort, Sort::Fault, "{}", told(&broken, &report));
}

/// Too many positions to enumerate. The fifth even number faults, and nothing else does.
const EVENS: &str = r#"
game "Evens" { players 2 or more }
option most: 600 or more = 900
table {
  evens: 0..4 = 0
  said: list of int = []
}
move say(k in 1..most) {
  need k not in said else "it was said"
  said += k
  if k is even { evens += 1 }
}
play { turns as t { say } until t = 60 }
winner last mover
"#;

#[test]
fn a_sampled_match_is_made_as_short_as_it_can_be() {
    let rules = rules(EVENS);
    let report = explore(&rules, &Plan { effort: 2_000_000, ..Plan::default() });
    let finding = only(&rules, &report);
    assert_eq!((finding.sort, finding.cause, finding.proved), (Sort::Fault, Code::OutOfRange, false));
    assert_eq!(lines(&rules, finding).len(), 5, "{}", told(&rules, &report));
    assert!(finding.how.contains(" matches"), "{}", finding.how);
    let setting = finding.trace.as_ref().unwrap().setting.words(&rules);
    assert_eq!(setting, "most = 600, 2 players");
}

/// Runs tasks on several threads; each thread takes the next task that nobody has taken.
fn crew_of(threads: usize, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(at) = Some(next.fetch_add(1, Ordering::SeqCst)).filter(|at| *at < tasks) {
                    task(at);
                }
            });
        }
    });
}

#[test]
fn the_number_of_threads_does_not_show() {
    let rules = rules(EVENS);
    let plan = Plan { effort: 1_000_000, ..Plan::default() };
    let once = told(&rules, &explore(&rules, &plan));
    for threads in [2, 3] {
        let crew = |tasks: usize, task: &(dyn Fn(usize) + Sync)| crew_of(threads, tasks, task);
        assert_eq!(told(&rules, &explore(&rules, &Plan { crew: &crew, ..plan.clone() })), once);
    }
}

#[test]
fn draws_of_chance_are_branched_and_stand_in_the_match() {
    let rules = rules(
        r#"
game "Dice" { players 1 }
table {
  bag: list of 1..3 = [1, 2, 3]
  sum: 0..5 = 0
}
move roll { }
play {
  repeat 2 {
    ask seat(1) to roll
    draw ball from bag
    sum += ball
  }
  sum += 1
}
winner highest sum
"#,
    );
    let report = explore(&rules, &small());
    let finding = only(&rules, &report);
    assert_eq!(finding.sort, Sort::Fault);
    assert_eq!(
        lines(&rules, finding),
        ["1  player 1: roll", "   chance: ball 2", "2  player 1: roll", "   chance: ball 3"]
    );
    // The match can be written as an example, which fails with the same fault.
    let example = finding.trace.as_ref().unwrap().example(&rules, "five").unwrap();
    let source = Source::new("game.game", &format!("{}\n{example}\n", rules.source.text));
    let with_it = Arc::new(Rules::load(source).unwrap());
    let reports = run_examples(&with_it);
    assert_eq!(reports[0].failure.as_ref().map(|failure| failure.code), Some(Code::OutOfRange));
}

#[test]
fn what_is_asked_of_a_position_breaks_too() {
    let rules = rules(
        r#"
game "Mean" { players 2 }
table { row: list of 1..9 = [] }
show "mean {sum(row) div size(row)}"
move add(k in 1..2) { row += k }
play { each p in players { ask p to add } }
winner last mover
"#,
    );
    let report = explore(&rules, &small());
    let finding = only(&rules, &report);
    assert_eq!((finding.sort, finding.cause), (Sort::Fault, Code::DivisionByZero));
    assert!(lines(&rules, finding).is_empty());
}

#[test]
fn choices_to_break_off_are_heard() {
    let rules = rules(EVENS);
    let report = explore(&rules, &Plan { watch: &|_, _| false, ..Plan::default() });
    assert!(report.broken_off && report.tried.iter().all(|tried| tried.matches == 0));
}

// ---- wording of findings

/// Returns the labels and the help of the only finding that a match shows.
fn help(text: &str) -> String {
    let rules = rules(text);
    let report = explore(&rules, &small());
    let finding = only(&rules, &report);
    let help = finding.diagnostic.help.clone().unwrap_or_else(|| panic!("{}", told(&rules, &report)));
    let labels = finding.diagnostic.labels.iter().map(|label| {
        let line = rules.source.position(label.span.start).line;
        format!("{line}: {}\n", label.text)
    });
    format!("{}{help}", labels.collect::<String>())
}

#[test]
fn who_is_stuck_is_told_which_needs_refused_and_the_way_out_there_is() {
    const PICK: &str = r#"game "Pick" { players 2 }
table { left: set of 1..9 = {2, 3, 4, 6, 9} }
move pick(n in 1..9) {
  need n in left else "{n} is gone"
  need even(n) else "odd"
  left -= n
}
move pass { need false else "nobody passes" }
play { HERE }
winner last mover
"#;
    let of = |here: &str| help(&PICK.replace("false", "size(left) > 9").replace("HERE", here));
    let refused = "9: chosen here\n4: this refuses 7\n5: this refuses 2\n\
                   all 9 choices of `pick` are refused: 7 by \"{n} is gone\" (line 4), 2 by \"odd\" (line 5); ";
    let ask = of("repeat 2 { each p in players { ask p to pick } }");
    let way_out = "to skip players who can make none, write `… pick if possible`; or offer a move after `else`: `pick else …`";
    assert_eq!(ask, format!("{refused}{way_out}"));
    let turns = of("turns { pick }");
    assert!(turns.starts_with(refused) && turns.contains("`until stuck` ends them"), "{turns}");
    let both = of("turns { pick else pass }");
    let pass = "line 5), and `pass` is refused by \"nobody passes\" (line 8); with `turns`";
    assert!(both.contains(pass) && both.ends_with("the move after `else` is always legal"), "{both}");
    let none = help(
        r#"
game "Own" { players 2 }
each player { own: set of 1..9 = {2} }
move pick(n in me.own) { me.own -= n }
play { repeat 2 { together players { pick } } }
winner last mover
"#,
    );
    assert!(
        none.contains("`pick` has nothing to choose from; to leave out players who can make none"),
        "{none}"
    );
}

#[test]
fn what_breaks_is_told_with_what_was_where_before_it() {
    let text = OVERDRAWN.replace("heap -= k", "heap -= k + 2 * me.drawn\n  me.drawn := 3");
    let rules = rules(&text.replace("move take", "each player {\n  drawn: 0..3 = 0\n}\nmove take"));
    let report = explore(&rules, &Plan { options: rules.read_options([("n", "9")]).unwrap(), ..small() });
    let label = &only(&rules, &report).diagnostic.labels[0].text;
    assert!(label.starts_with("it can hold 0..9; here `heap` is ") && !label.contains('-'), "{label}");
    assert!(label.contains(", `k` is ") && label.contains("'s `drawn` is "), "{label}");
}

#[test]
fn of_a_condition_that_never_holds_the_part_is_told_that_does_not() {
    let text = OVERDRAWN.replace("  heap -= k", "  need k <= heap else \"no\"\n  heap -= k");
    for (condition, never) in [
        ("heap < 9 and k > 3", vec!["k > 3"]),
        ("heap > 9 and (k = 1 and heap > 10)", vec!["heap > 9", "heap > 10"]),
        ("k = 1 and k != 1", vec![]),
    ] {
        let rules =
            rules(&text.replace("  heap -= k", &format!("  if {condition} {{ heap := 0 }}\n  heap -= k")));
        let report = explore(&rules, &small());
        let found = report.findings.iter().find(|found| found.sort == Sort::NeverHappens).unwrap();
        let labels = &found.diagnostic.labels[1..];
        let parts: Vec<&str> = labels.iter().map(|label| rules.source.slice(label.span)).collect();
        assert_eq!(parts, never, "{condition}: {}", told(&rules, &report));
        let help = found.diagnostic.help.as_deref().unwrap_or("");
        assert_eq!(help.starts_with("each of its parts held at some point"), never.is_empty(), "{help}");
    }
}

#[test]
fn one_reason_is_one_report_but_for_the_places_that_are_meant() {
    let text = r#"
game "Unset" { players 2 }
table {
  goal: 1..9
  at: int = 0
}
move up { at += goal }
move down { at -= goal }
move aim(n in 1..9) { goal := n }
play { turns as turn { up or down or aim } until turn = 4 }
winner last mover
"#;
    let lines = |text: &str| {
        let rules = rules(text);
        let told = told_of(&rules, &explore(&rules, &small()), true);
        let line = |label: &parlour::diag::Label| rules.source.position(label.span.start).line;
        let of = told.findings.iter().filter(|finding| finding.cause == Code::Unset);
        of.map(|finding| finding.diagnostic.labels.iter().map(line).collect()).collect::<Vec<Vec<usize>>>()
    };
    let one = lines(text);
    assert!(one.len() == 1 && one[0].contains(&7) && one[0].contains(&8), "{one:?}");
    let meant = lines(&text.replace("at += goal }", "at += goal } // means it"));
    assert!(meant.len() == 1 && !meant[0].contains(&7) && meant[0].contains(&8), "{meant:?}");
}

#[test]
fn a_mark_is_idle_where_that_is_sure() {
    // Too many positions to enumerate: rare events may be missed, and those marked as impossible may happen.
    let text = r#"
game "Rare" { players 2 }
table { seen: list of 0..9 = [] }
move say(n in 0..9) {
  need size(seen) < 12 else "no" // means it
  if sum(seen) > 900 { seen := [] } // means it
  if seen = [1, 2, 3] { seen += 17 + n } // means it
  if n > 3 or n < 2 { seen += if size(seen) > 40 then 7 else 8 } // means it
  // means it
  seen += n
}
play { turns as turn { say } until turn = 9 }
winner last mover
"#;
    let idle = |text: &str, plan: &Plan| {
        let rules = rules(text);
        let told = told_of(&rules, &explore(&rules, plan), true);
        let line = |found: &parlour::diag::Diagnostic| rules.source.position(found.span().start).line;
        told.idle.iter().map(line).collect::<Vec<usize>>()
    };
    let plan = Plan { effort: 4_000_000, ..Plan::default() };
    assert_eq!(idle(text, &plan), [] as [usize; 0]);
    // An event that is met rarely may be missed by the next run, so its mark is not idle; the mark of a
    // frequent one is.
    assert_eq!(
        idle(&text.replace("[1, 2, 3] { seen += 17 + n }", "[1, 2] { seen += 1 }"), &plan),
        [] as [usize; 0]
    );
    assert_eq!(idle(&text.replace("> 900", "> 9").replace("seen := []", "seen := [1]"), &plan), [6]);
    // Here all positions are visited.
    assert_eq!(idle(&text.replace("turn = 9", "turn = 2"), &plan), [9]);
}

/// A flag that nobody can get, and everything that asks for it, are one finding with two labels more; what asks for
/// something else besides is no consequence.
#[test]
fn what_follows_from_something_that_never_happens_is_told_there() {
    let rules = rules(
        r#"
game "Chips" { players 2 }
table { heap: 0..12 = 12 }
each player {
  total: int = 0
  big: yes or no = no
}
move take(many in 1..3) {
  need many <= heap else "only {heap} are left"
  heap -= many
  me.total += many
  if many = 5 { me.big := yes }
  if me.big and many > 1 { me.total += 10 }
  if me.total > 90 { me.total += 1 }
}
score = me.total + (if me.big then 5 else 0)
play {
  turns until heap = 0 { take }
}
winner highest score
"#,
    );
    let report = explore(&rules, &small());
    let found: Vec<Vec<(usize, &str)>> = report
        .findings
        .iter()
        .map(|found| {
            let labels = found.diagnostic.labels.iter();
            labels.map(|label| (rules.source.position(label.span.start).line, label.text.as_str())).collect()
        })
        .collect();
    let nor = "nor does this ever happen, since nothing else changes `big`";
    let lines: Vec<Vec<usize>> =
        found.iter().map(|labels| labels.iter().map(|(line, _)| *line).collect()).collect();
    assert_eq!(lines, [vec![12, 13, 16], vec![14]], "{}", told(&rules, &report));
    assert_eq!(found[0][1..], [(13, nor), (16, nor)]);
}

//! Checks by play: what is found, shown by a match that replays, and the same however many threads there are.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parlour::diag::{Code, render};
use parlour::explore::{Finding, Plan, Report, Sort, explore};
use parlour::play::{Rules, bundled_source, replay, run_examples};
use parlour::source::Source;

/// Rules from a text.
fn rules(text: &str) -> Arc<Rules> {
    let source = Source::new("game.game", text);
    let told = |found: Vec<parlour::diag::Diagnostic>| {
        found.iter().map(|d| format!("{}: {}\n", d.code, d.message)).collect::<String>()
    };
    Arc::new(Rules::load(source).map_err(told).unwrap())
}

/// A plan that is done in no time.
fn small() -> Plan<'static> {
    Plan { effort: 400_000, ..Plan::default() }
}

/// All that a report says.
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

/// The findings that a single match shows.
fn shown(report: &Report) -> Vec<&Finding> {
    let shown = |finding: &&Finding| matches!(finding.sort, Sort::Stuck | Sort::Fault | Sort::Endless);
    report.findings.iter().filter(shown).collect()
}

/// The one of them that there is.
fn only<'r>(rules: &Rules, report: &'r Report) -> &'r Finding {
    match shown(report).as_slice() {
        [finding] => finding,
        _ => panic!("{}", told(rules, report)),
    }
}

/// The match of a finding, line by line.
fn lines(rules: &Rules, finding: &Finding) -> Vec<String> {
    finding.trace.as_ref().expect("it has a match").lines(rules)
}

#[test]
fn who_is_asked_and_stuck_is_found() {
    let rules = rules(&OVERDRAWN.replace("  heap -= k", "  need k < heap else \"leave one\"\n  heap -= k"));
    let report = explore(&rules, &small());
    let finding = only(&rules, &report);
    assert_eq!((finding.sort, finding.proved), (Sort::Stuck, true));
    // With one on the heap it is so at once.
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
    // Take one to three of n: what is left, and whose turn it is; nobody moved last at the start.
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
        // Where nothing is left, somebody is stuck, and the match is over.
        let [tried] = report.tried.as_slice() else { panic!("{}", told(&rules, &report)) };
        assert_eq!((tried.complete, tried.positions), (true, known.len() as u64), "n = {n}");
        assert_eq!(tried.wins, [1, 1], "n = {n}");
        assert!(shown(&report).is_empty(), "{}", told(&rules, &report));
    }
}

const LINE: &str = r#"
game "Line" { players 2 }
table {
  at: 0..3 = 1
  steps: int = 0
}
show "{at} after {steps}"
move step(by in {-1, 1}) {
  need 0 <= at + by <= 3 else "there is no such place"
  at += by
  steps += 1
}
play { turns until at = 3 { step } }
winner last mover
"#;

#[test]
fn a_cycle_is_found_though_steps_are_counted_for_all_to_see() {
    let rules = rules(LINE);
    let report = explore(&rules, &small());
    let finding = only(&rules, &report);
    assert_eq!((finding.sort, finding.proved), (Sort::Endless, false));
    assert_eq!(
        finding.diagnostic.message,
        "a match need not end: after 2 steps the position is the same again, and nothing stops that"
    );
    assert_eq!(lines(&rules, finding).len(), 2);
}

#[test]
fn it_is_told_who_can_keep_a_match_going() {
    let uncounted = LINE.replace("  steps += 1\n", "");
    let message = |text: &str| {
        let rules = rules(text);
        let report = explore(&rules, &small());
        assert!(only(&rules, &report).proved);
        (only(&rules, &report).diagnostic.message.clone(), lines(&rules, only(&rules, &report)))
    };
    let (told, lines) = message(&uncounted);
    assert_eq!(
        told,
        "player 1 alone can keep the match going for ever: after 2 steps the position is the same again"
    );
    assert_eq!(lines, ["1  player 1: step -1", "2  player 2: step 1"]);
    // Whoever is at 0 or 1 may stay there; it takes both.
    let (told, _) = message(&uncounted.replace("by in {-1, 1}", "by in {-1, 1, 2}"));
    assert_eq!(
        told,
        "a match need not end: after 2 steps the position is the same again, and nothing stops that"
    );
    // There is no way back from 0 to the end.
    let trap = "need 0 <= at + by <= 3 and (at > 0 or by < 1) and at + by != -1";
    let (told, lines) = message(
        &uncounted.replace("need 0 <= at + by <= 3", trap).replace("by in {-1, 1}", "by in {-1, 0, 1}"),
    );
    assert_eq!(
        told,
        "the match cannot end any more, whatever is chosen: after 2 steps the position is the same again"
    );
    assert_eq!(lines, ["1  player 1: step -1", "2  player 2: step 0", "3  player 1: step 0"]);
}

#[test]
fn a_count_of_turns_that_ends_them_is_no_cycle() {
    let rules = rules(&LINE.replace("until at = 3 { step }", "as t until at = 3 { step } until t = 30"));
    let report = explore(&rules, &small());
    assert!(shown(&report).is_empty(), "{}", told(&rules, &report));
}

/// Too many ways to go through them all; the fifth even number breaks the rules, and so does nothing else.
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

#[test]
fn the_number_of_threads_does_not_show() {
    let rules = rules(EVENS);
    let plan = Plan { effort: 1_000_000, ..Plan::default() };
    let once = told(&rules, &explore(&rules, &plan));
    for threads in [2, 3] {
        let crew = |tasks: usize, task: &(dyn Fn(usize) + Sync)| {
            let next = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        while let Some(at) =
                            Some(next.fetch_add(1, Ordering::SeqCst)).filter(|at| *at < tasks)
                        {
                            task(at);
                        }
                    });
                }
            });
        };
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
    // What is shown is what an example can tell.
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
    let report = explore(&rules, &Plan { watch: &|_| false, ..Plan::default() });
    assert!(report.broken_off && report.tried.iter().all(|tried| tried.matches == 0));
}

#[test]
fn a_match_that_goes_on_and_on_is_told_as_such_and_not_called_a_circle() {
    let text = LINE.replace("  steps += 1\n", "  steps += me.number + at\n");
    let rules =
        rules(&text.replace("until at = 3", "until steps < 0").replace("steps: int = 0", "steps: int = 1"));
    let report = explore(&rules, &Plan { effort: 14_000_000, ..Plan::default() });
    let finding = only(&rules, &report);
    assert_eq!(finding.sort, Sort::Endless);
    assert_eq!(
        finding.diagnostic.message,
        "no match came to its end: 3,000 choices were made, and it still went on"
    );
}

/// The same plan with and without matches in bulk.
#[cfg(feature = "jit")]
fn with_and_without_bulk(text: &str) -> (Arc<Rules>, Report, Report) {
    use parlour::explore::Bulk;
    use parlour::jit::Compiled;
    let rules = rules(text);
    let plan = Plan { effort: 10_000_000, ..Plan::default() };
    let bulk = Plan {
        bulk: Some(&|machine| Some(Box::new(Compiled::new(machine)) as Box<dyn Bulk>)),
        ..plan.clone()
    };
    let (with, without) = (explore(&rules, &bulk), explore(&rules, &plan));
    assert!(with.tried[0].in_bulk > with.tried[0].matches && without.tried[0].in_bulk == 0);
    (rules, with, without)
}

#[cfg(feature = "jit")]
#[test]
fn matches_that_go_on_and_on_beside_others_that_end_are_told_in_bulk() {
    // Whoever passes three is past the end.
    let (rules, with, without) = with_and_without_bulk(
        r#"
game "Past" { players 2 }
table { sum: int = 0 }
move add(k in 1..2) { sum += k }
play { turns { add } until sum = 3 }
winner last mover
"#,
    );
    assert!(shown(&without).is_empty(), "{}", told(&rules, &without));
    let finding = only(&rules, &with);
    assert_eq!(finding.sort, Sort::Endless);
    assert!(finding.diagnostic.message.starts_with("many matches at random do not come to their end: 3,000"));
}

//! Checks by play: what is found, shown by a match that replays, and the same however many threads there are.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parlour::diag::render;
use parlour::explore::{Plan, Report, Sort, explore};
use parlour::play::{Rules, replay};
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
    let [finding] = report.findings.as_slice() else { panic!("{}", told(&rules, &report)) };
    assert_eq!(finding.sort, Sort::Fault);
    assert_eq!(rules.source.position(finding.diagnostic.span().start).line, 6);
    let trace = finding.trace.as_ref().unwrap();
    let whole = replay(rules.clone(), &trace.record(&rules)).unwrap();
    let (at, refused) = whole.broken.expect("it breaks");
    assert_eq!((at + 1, refused.code), (trace.choices(), "invalid_rules"));
    assert!(replay(rules.clone(), &trace.before_last().record(&rules)).unwrap().broken.is_none());
}

#[test]
fn who_is_asked_and_stuck_is_found() {
    let rules = rules(&OVERDRAWN.replace("  heap -= k", "  need k < heap else \"leave one\"\n  heap -= k"));
    let report = explore(&rules, &small());
    let [finding] = report.findings.as_slice() else { panic!("{}", told(&rules, &report)) };
    assert_eq!(finding.sort, Sort::Stuck);
}

#[test]
fn the_number_of_threads_does_not_show() {
    let rules = rules(OVERDRAWN);
    let once = told(&rules, &explore(&rules, &small()));
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
        assert_eq!(told(&rules, &explore(&rules, &Plan { crew: &crew, ..small() })), once);
    }
}

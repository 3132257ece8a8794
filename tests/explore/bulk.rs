//! Matches in bulk: they find what is rare, and what they find is told like anything else.

use std::sync::Arc;

use super::{crew_of, lines, only, rules, shown, small, told};
use parlour::diag::Code;
use parlour::explore::{Finding, Plan, Report, Sort, explore};
use parlour::play::{Rules, replay};

/// The fault needs two numbers out of a hundred to be seven both, too rare for the reference to meet.
#[cfg(feature = "jit")]
const SEVENS: &str = r#"
game "Sevens" { players 2 }
table {
  seen: int = 0
  luck: 0..9 = 0
}
move roll(k in 1..2) {
  chance a in 1..100
  chance b in 1..100
  seen := 10000 * seen + 100 * a + b + k
  if seen > 10000000000 and a = 7 and b = 7 {
    luck += 1
  }
}
play { turns as t { roll } until t = 4 }
winner highest if me = seat(1) then seen mod 2 else 1 - seen mod 2
"#;

/// Makes the engine that plays in bulk.
#[cfg(feature = "jit")]
fn compiled(machine: parlour::eval::Machine) -> Option<Box<dyn parlour::explore::BulkPlayer>> {
    Some(Box::new(parlour::jit::Compiled::new(machine)))
}

/// Explores with one plan, with and without matches in bulk.
#[cfg(feature = "jit")]
fn with_and_without_bulk(text: &str) -> (Arc<Rules>, Report, Report) {
    let rules = rules(text);
    let plan = Plan { effort: 10_000_000, ..Plan::default() };
    let bulk = Plan { bulk: Some(&compiled), ..plan.clone() };
    let (with, without) = (explore(&rules, &bulk), explore(&rules, &plan));
    assert!(with.tried[0].in_bulk > with.tried[0].matches && without.tried[0].in_bulk == 0);
    (rules, with, without)
}

#[cfg(feature = "jit")]
#[test]
fn a_part_that_runs_but_seldom_is_found_to_run_in_bulk() {
    let (_, with, without) = with_and_without_bulk(SEVENS);
    let sorts = |report: &Report| report.findings.iter().map(|finding| finding.sort).collect::<Vec<_>>();
    assert_eq!((sorts(&with), sorts(&without)), (vec![], vec![Sort::NeverHappens]));
}

#[cfg(feature = "jit")]
#[test]
fn what_breaks_but_seldom_is_found_in_bulk_and_its_record_replays() {
    let (rules, with, without) = with_and_without_bulk(&SEVENS.replace("luck += 1", "luck -= 1"));
    assert!(shown(&without).is_empty(), "{}", told(&rules, &without));
    let finding = only(&rules, &with);
    assert_eq!((finding.sort, finding.cause, finding.proved), (Sort::Fault, Code::OutOfRange, false));
    assert!(finding.how.ends_with(" random matches"), "{}", finding.how);
    let trace = finding.trace.as_ref().unwrap();
    assert!(replay(rules.clone(), &trace.record(&rules)).unwrap().broken.is_some());
    assert!(replay(rules.clone(), &trace.before_last().record(&rules)).unwrap().broken.is_none());
}

#[cfg(feature = "jit")]
#[test]
fn the_number_of_threads_does_not_show_in_bulk() {
    use parlour::explore::BulkPlayer;
    use parlour::jit::Compiled;
    let rules = rules(&SEVENS.replace("luck += 1", "luck -= 1"));
    let plan = Plan {
        effort: 10_000_000,
        bulk: Some(&|machine| Some(Box::new(Compiled::new(machine)) as Box<dyn BulkPlayer>)),
        ..Plan::default()
    };
    let once = explore(&rules, &plan);
    assert!(once.tried[0].in_bulk > 0 && !once.findings.is_empty());
    for threads in [2, 3] {
        let again =
            explore(&rules, &Plan { crew: &|tasks, task| crew_of(threads, tasks, task), ..plan.clone() });
        assert_eq!(told(&rules, &again), told(&rules, &once));
        assert_eq!(again.tried[0].in_bulk, once.tried[0].in_bulk);
    }
}

#[cfg(feature = "jit")]
#[test]
fn matches_that_go_on_and_on_beside_others_that_end_are_told_in_bulk() {
    // A sum that skips three never reaches the end.
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
    assert!(finding.diagnostic.message.starts_with("many random matches do not end: after 3,000"));
}

#[cfg(feature = "jit")]
#[test]
fn matches_that_all_break_use_up_the_effort_too() {
    use parlour::explore::BulkPlayer;
    use parlour::jit::Compiled;
    let rules = rules(
        r#"
game "Dry" { players 2 }
table {
  left: 0..40 = 40
  taken: list of 1..3 = []
}
move take(n in 1..3) {
  need n <= left else "so many are not left"
  left -= n
  taken += n
}
play { turns { take } }
winner last mover
"#,
    );
    let report = explore(
        &rules,
        &Plan {
            effort: 10_000_000,
            bulk: Some(&|machine| Some(Box::new(Compiled::new(machine)) as Box<dyn BulkPlayer>)),
            ..Plan::default()
        },
    );
    assert_eq!(only(&rules, &report).sort, Sort::Stuck);
    assert!(report.tried[0].in_bulk > 0 && report.tried[0].finished == 0);
}

/// Once both have passed, turns go round without a choice; numbers without bound keep positions from being all
/// searched.
const GOES_ROUND: &str = r#"
game "Goes round" { players 2 }
each player { passed: yes or no = no }
table { n: int = 0 }
move pass { me.passed := yes }
move stay(k in 1..9) { n += k }
play {
  repeat 2 {
    turns {
      if not me.passed { pass or stay }
    } until n < 0
  }
}
winner last mover
"#;

#[test]
fn play_that_goes_round_without_choices_is_found_at_its_loop() {
    let rules = rules(GOES_ROUND);
    let report = explore(&rules, &small());
    let found: Vec<&Finding> =
        report.findings.iter().filter(|found| found.cause == Code::TooMuchWork).collect();
    let [found] = found[..] else { panic!("{}", told(&rules, &report)) };
    assert!(found.diagnostic.message.contains("play goes round here for ever"));
    let span = found.diagnostic.span();
    assert_eq!(&rules.source.text[span.start..span.end], "turns");
    assert_eq!(lines(&rules, found), ["1  player 1: pass", "2  player 2: pass"]);
}

/// A pile that must be met exactly, and may fall below it; with a need that keeps it from that, all matches end.
#[cfg(feature = "jit")]
#[test]
fn what_goes_past_a_number_is_named() {
    let with_need = |need: &str| {
        let rules = rules(&format!(
            "game \"Past\" {{ players 2 }}\ntable {{ pile: int = 10 }}\nmove take(k in 1..3) {{\n  {need}\n  pile -= k\n}}\n\
             play {{ turns until pile = 0 {{ take }} }}\nwinner last mover\n"
        ));
        let report = explore(&rules, &Plan { bulk: Some(&compiled), ..Plan::default() });
        (rules, report.findings.into_iter().find(|finding| finding.sort == Sort::Endless))
    };
    let (rules, found) = with_need("");
    let finding = found.expect("matches that do not end");
    let help = finding.diagnostic.help.as_deref();
    assert_eq!(help, Some("let a `need` keep `pile` from going past it, or write `pile <= 0`"));
    let label = finding.diagnostic.labels.last().expect("a label");
    assert_eq!(rules.source.slice(label.span), "pile = 0");
    assert!(label.text.starts_with("`pile` went past this, from "), "{}", label.text);
    let (_, kept) = with_need("need k <= pile else \"too many\"");
    assert!(kept.is_none());
}

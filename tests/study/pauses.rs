//! Studies that are interrupted within a stage: what was played is kept, and the study continues to the same end.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parlour::bots::{Clock, Mind, StoppedClock};
use parlour::eval::Machine;
use parlour::lab::study::{Enough, Findings, Report, Study};
use parlour::play::Rules;
use parlour::source::Source;

const ENOUGH: Enough = Enough { matches: 16, within: 0.05 };

/// A clock that asks to stop once it has been asked so many times.
struct StopsAfter(AtomicU64);

impl Clock for StopsAfter {
    fn millis(&self) -> u64 {
        0
    }

    fn must_stop(&self) -> bool {
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err()
    }
}

/// A game with several moves, so that all kinds of matches are played.
fn rules() -> Arc<Rules> {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/study/moves.game")).unwrap();
    Arc::new(Rules::load(Source::new("moves.game", &text)).unwrap())
}

fn study<'a>(
    rules: &'a Arc<Rules>,
    engine: &'a Machine,
    mind: &'a Mind,
    clock: &'a (dyn Clock + Sync),
) -> Study<'a, Machine> {
    Study { rules, engine, mind, clock, seed: 0, playouts: 4, positions: 0, max_moves: 100 }
}

/// Plays to the end of the study, which may have been begun before.
fn finished(study: &Study<Machine>, mut findings: Findings) -> Report {
    while let Some(stage) = study.stage(&findings, ENOUGH) {
        let found = stage.tasks.iter().map(|task| study.carry_out(&stage, task).unwrap()).collect();
        study.add(&mut findings, &stage, found);
    }
    study.report(&findings)
}

#[test]
fn an_interruption_within_a_stage_loses_no_more_than_the_match_being_played() {
    let rules = rules();
    let machine = rules.machine(&BTreeMap::new(), 2).unwrap();
    let mind = Mind::new(&machine);
    let calm = study(&rules, &machine, &mind, &StoppedClock);
    let whole = finished(&calm, calm.begin());
    // The stage that is interrupted, in the middle of the task that comes halfway.
    for planted in 1..6 {
        let clock = StopsAfter(AtomicU64::new(u64::MAX));
        let hurried = study(&rules, &machine, &mind, &clock);
        let mut findings = hurried.begin();
        for number in 0..=planted {
            let stage = hurried.stage(&findings, ENOUGH).unwrap();
            let before = findings.matches();
            let carried_out = |(at, task)| {
                if number == planted && at == stage.tasks.len() / 2 {
                    clock.0.store(2, Ordering::SeqCst);
                }
                hurried.carry_out(&stage, task).unwrap()
            };
            let found: Vec<_> = stage.tasks.iter().enumerate().map(carried_out).collect();
            let played: u64 = found.iter().flatten().map(|found| found.matches()).sum();
            let given_up = found.iter().filter(|found| found.is_none()).count();
            assert_eq!(number == planted, given_up > 0, "{planted}");
            hurried.add(&mut findings, &stage, found);
            // Of tasks carried out one after another, those before the interruption are whole.
            assert!(played > 0 && findings.matches() == before + played, "{planted}: {played}");
        }
        let kept = hurried.checkpoint_json(&findings).to_string();
        let again = calm.read_checkpoint(&kept).unwrap();
        assert_eq!(again.matches(), findings.matches(), "{planted}");
        assert_eq!(finished(&calm, again), whole, "{planted}");
    }
}

/// With several threads, a match may be abandoned while a later one of the same kind is finished. That one may be among the
/// shorter ones, so it does not count until those before it are played.
#[test]
fn matches_after_an_abandoned_one_are_played_again() {
    let rules = rules();
    let machine = rules.machine(&BTreeMap::new(), 2).unwrap();
    let mind = Mind::new(&machine);
    let calm = study(&rules, &machine, &mind, &StoppedClock);
    let whole = finished(&calm, calm.begin());
    let mut findings = calm.begin();
    let mut stages = 0;
    while let Some(stage) = calm.stage(&findings, ENOUGH) {
        let before = findings.matches();
        let found: Vec<_> = stage.tasks.iter().map(|task| calm.carry_out(&stage, task).unwrap()).collect();
        let all: u64 = found.iter().flatten().map(|found| found.matches()).sum();
        // In the first passes over a stage, every other task is abandoned, and then every third.
        let every = [2, 3, usize::MAX][stages % 3];
        let some = found.into_iter().enumerate().map(|(at, found)| found.filter(|_| at % every != every - 1));
        calm.add(&mut findings, &stage, some.collect());
        assert!(findings.matches() <= before + all);
        let kept = calm.checkpoint_json(&findings).to_string();
        findings = calm.read_checkpoint(&kept).unwrap();
        stages += 1;
    }
    assert!(stages > 6, "{stages}");
    assert_eq!(calm.report(&findings), whole);
}

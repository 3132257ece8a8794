//! The language, construct by construct: small games whose worked examples state what must happen, played at random too.

mod files;

use std::sync::Arc;

use parlour::play::{Rng, Rules, playout, run_examples};
use parlour::source::Source;

fn games() -> Vec<(String, Arc<Rules>)> {
    let load = |source: Source| {
        let name = source.name.clone();
        let rules = Rules::load(source).unwrap_or_else(|found| panic!("{name}: {found:#?}"));
        assert!(rules.warnings.is_empty(), "{name}: {:#?}", rules.warnings);
        (name, Arc::new(rules))
    };
    files::language().into_iter().map(load).collect()
}

#[test]
fn worked_examples_hold() {
    for (name, rules) in games() {
        let reports = run_examples(&rules);
        assert!(!reports.is_empty(), "{name} has no example");
        for report in reports {
            assert!(report.failure.is_none(), "{name}, {}: {:#?}", report.title, report.failure);
        }
    }
}

#[test]
fn random_matches_come_to_their_end() {
    for (name, rules) in games() {
        for players in rules.game.seats.min..=rules.game.seats.max.unwrap_or(4) {
            let machine = rules.machine(&Default::default(), players).unwrap();
            for n in 0..40 {
                let played = playout(&machine, &mut Rng::nth(1, n), 10_000, &mut |_| {});
                let (position, _) = played.unwrap_or_else(|fault| panic!("{name} with {players}: {fault:?}"));
                assert!(position.outcome.is_some(), "{name} with {players} does not end");
            }
        }
    }
}

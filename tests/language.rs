//! The language, construct by construct: small games whose worked examples state what must happen, played at random too.

use std::path::Path;
use std::sync::Arc;

use parlour::play::{Rng, Rules, playout, run_examples};
use parlour::source::Source;

fn games() -> Vec<(String, Arc<Rules>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/language");
    // `invented/` holds games by people who had read nothing but the manual.
    let folders = [folder.clone(), folder.join("invented")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut paths: Vec<_> = files.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    paths.sort();
    let load = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let rules = Rules::load(Source::new(&name, &std::fs::read_to_string(path).unwrap()));
        let rules = rules.unwrap_or_else(|found| panic!("{name}: {found:#?}"));
        assert!(rules.warnings.is_empty(), "{name}: {:#?}", rules.warnings);
        (name, Arc::new(rules))
    };
    paths.iter().map(load).collect()
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

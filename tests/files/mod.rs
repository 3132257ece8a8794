//! The rule files of `tests/language` and `tests/authors`, for the tests that use all of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parlour::play::{Rules, run_examples};
use parlour::source::Source;

/// Returns all files of `tests/language`, by path.
pub fn language() -> Vec<Source> {
    in_folders(&["tests/language", "tests/language/invented"])
}

/// Returns games for tests of engines: how their moves are drawn at random depends on how their needs are written, so
/// rewritten rules draw others.
pub fn engines() -> Vec<Source> {
    in_folders(&["tests/engines/drawn"])
}

/// Returns games by new authors, which were written from prose.
pub fn authors() -> Vec<Source> {
    in_folders(&["tests/authors"])
}

/// Loads the rules of each file, with their names; no file may have errors or warnings.
pub fn checked(sources: Vec<Source>) -> Vec<(String, Arc<Rules>)> {
    let load = |source: Source| {
        let name = source.name.clone();
        let rules = Rules::load(source).unwrap_or_else(|found| panic!("{name}: {found:#?}"));
        assert!(rules.warnings.is_empty(), "{name}: {:#?}", rules.warnings);
        (name, Arc::new(rules))
    };
    sources.into_iter().map(load).collect()
}

/// Asserts that every file has worked examples, and that they pass.
pub fn examples_hold(games: Vec<(String, Arc<Rules>)>) {
    for (name, rules) in games {
        let reports = run_examples(&rules);
        assert!(!reports.is_empty(), "{name} has no example");
        for report in reports {
            assert!(report.failure.is_none(), "{name}, {}: {:#?}", report.title, report.failure);
        }
    }
}

pub fn in_folders(folders: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let mut paths: Vec<_> = files
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "game"))
        .collect();
    paths.sort();
    let source = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        Source::new(name, &std::fs::read_to_string(path).unwrap())
    };
    paths.iter().map(source).collect()
}

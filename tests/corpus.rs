//! The corpus of wrong files: every diagnostic must be where the file promises it, and read as in the
//! snapshot beside it.
//!
//! `//~ E0201` on a line promises a diagnostic that begins on it, `//~^ E0201` one on the line above (`^^`:
//! two above). A diagnostic that is not promised fails, and so does a promise that is not kept. Files without
//! errors have their examples run, so faults that only occur in play belong here, too. To bless new
//! renderings: `INSTA_UPDATE=always cargo test --test all corpus::`, then read every one that changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use parlour::check::check;
use parlour::diag::{Code, Diagnostic, render};
use parlour::explore::{Plan, explore, without_intended};
use parlour::play::{NotStarted, Rules, run_examples};
use parlour::source::Source;

struct File {
    name: String,
    source: Source,
    found: Vec<Diagnostic>,
}

/// The corpus, each file with everything that is wrong with it.
static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|ending| ending == "game") {
            let file = path.file_name().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("a text");
            let (name, source) = (file.trim_end_matches(".game").to_string(), Source::new(file, &text));
            files.push(File { name, found: findings(&source), source });
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
});

/// Returns everything that is wrong with a file: diagnostics of the checker, failures of its examples if it
/// loads, why no match can begin, and findings by play if there is nothing else.
fn findings(source: &Source) -> Vec<Diagnostic> {
    let mut found = check(source).diagnostics;
    if let Ok(rules) = Rules::load(source.clone()) {
        let rules = Arc::new(rules);
        if let Err(NotStarted::Fault(fault)) = rules.machine(&BTreeMap::new(), rules.default_players()) {
            found.push(*fault);
        }
        found.extend(run_examples(&rules).into_iter().filter_map(|report| report.failure));
        if found.is_empty() {
            let plan = Plan { effort: 500_000, ..Plan::default() };
            let told = without_intended(&rules, &explore(&rules, &plan), true);
            found.extend(told.findings.into_iter().map(|finding| finding.diagnostic).chain(told.idle));
        }
    }
    found
}

/// Returns the promises in the comments of a file: a line and a code each.
fn promises(source: &Source) -> Vec<(usize, String)> {
    let mut promises = Vec::new();
    for (i, line) in source.text.lines().enumerate() {
        let Some((_, promise)) = line.split_once("//~") else { continue };
        let above = promise.chars().take_while(|c| *c == '^').count();
        promises.extend(promise[above..].split_whitespace().map(|code| (i + 1 - above, code.to_string())));
    }
    promises.sort();
    promises
}

#[test]
fn every_diagnostic_is_promised_and_every_promise_kept() {
    let mut wrong = String::new();
    for File { name, source, found } in &*FILES {
        let mut found: Vec<(usize, String)> =
            found.iter().map(|d| (source.position(d.span().start).line, d.code.to_string())).collect();
        found.sort();
        let promised = promises(source);
        if found != promised {
            let _ = writeln!(wrong, "{name}: found {found:?}, promised {promised:?}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_rendering_reads_as_it_should() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("corpus");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for File { name, source, found } in &*FILES {
            let mut text = String::new();
            for diagnostic in found {
                let _ = writeln!(text, "{}", render::human(source, diagnostic, render::Style::default()));
            }
            insta::assert_snapshot!(name.as_str(), text);
        }
    });
}

#[test]
fn every_code_has_its_file() {
    let found: BTreeSet<Code> = FILES.iter().flat_map(|file| &file.found).map(|d| d.code).collect();
    // A file that is too large is not worth keeping; tests/codes.rs makes one.
    let missing: Vec<String> = Code::ALL
        .iter()
        .filter(|code| {
            !found.contains(code)
                && !NOT_YET.contains(code)
                && **code != Code::FileTooLarge
                && **code != Code::TooManyMistakes
        })
        .map(ToString::to_string)
        .collect();
    assert!(missing.is_empty(), "no file brings about {}", missing.join(", "));
}

/// Codes of findings by play that no file causes yet.
const NOT_YET: &[Code] =
    &[Code::NeverHappens, Code::NeverWins, Code::ExampleOnly, Code::IdleOption, Code::NotFoundAgain];

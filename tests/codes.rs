//! The pages of the diagnostics: each wrong snippet must cause its code, each right one be formatted and
//! sound.

use std::collections::BTreeMap;
use std::sync::Arc;

use parlour::check::check;
use parlour::diag::{Code, Diagnostic, Severity, any_error};
use parlour::explore::{Plan, alone, explore, without_intended as told_of};
use parlour::play::{Rules, run_examples};
use parlour::source::{MAX_BYTES, Source};
use parlour::syntax::format::format;

/// Completes a page's snippet to a whole file, unless a missing part is the point.
fn page_file(code: Code, snippet: &str) -> Source {
    match code {
        Code::MissingPart | Code::NobodyWins => Source::new("page.game", snippet),
        _ => whole(snippet),
    }
}

fn whole(snippet: &str) -> Source {
    let has = |part: &str| snippet.lines().any(|line| line.starts_with(part));
    let mut text = String::new();
    if !has("game ") && !has("variant ") {
        text.push_str("game \"Page\" { players 2 }\n");
    }
    text.push_str(snippet);
    if !has("play {") {
        text.push_str("\nmove any_move { }\nplay { each p in players { ask p to any_move } }");
    }
    if !has("winner ") && !has("loser ") {
        text.push_str("\nwinner last mover");
    }
    Source::new("page.game", &text)
}

/// Returns everything that is wrong with a file: diagnostics of the checker, failures of its examples if it
/// loads, and findings by play if there is nothing else.
fn findings(source: &Source) -> Vec<Diagnostic> {
    let mut found = check(source).diagnostics;
    if let Ok(rules) = Rules::load(source.clone()) {
        let rules = Arc::new(rules);
        found.extend(run_examples(&rules).into_iter().filter_map(|report| report.failure));
        if found.is_empty() {
            let told = told_of(&rules, &explore(&rules, &PLAN), true);
            found.extend(told.findings.into_iter().map(|finding| finding.diagnostic).chain(told.idle));
        }
    }
    found
}

/// A plan with little effort, since pages are short.
const PLAN: Plan = Plan {
    options: BTreeMap::new(),
    players: None,
    effort: 500_000,
    seed: 0,
    crew: &alone,
    bulk: None,
    watch: &|_, _| true,
};

fn told(found: &[Diagnostic]) -> String {
    found.iter().map(|d| format!("{}: {}\n", d.code, d.message)).collect()
}

#[test]
fn a_wrong_snippet_brings_about_its_code() {
    for code in Code::ALL {
        let page = code.page();
        if page.wrong.is_empty() {
            continue;
        }
        let found = findings(&page_file(*code, page.wrong));
        assert!(found.iter().any(|d| d.code == *code), "{code} from\n{}\n{}", page.wrong, told(&found));
        let others: Vec<Diagnostic> = found
            .into_iter()
            .filter(|d| {
                d.code != *code && (d.severity(), page.severity) == (Severity::Error, Severity::Error)
            })
            .collect();
        assert!(others.is_empty(), "{code}: more than one mistake in\n{}\n{}", page.wrong, told(&others));
    }
}

#[test]
fn a_right_snippet_is_sound() {
    for code in Code::ALL {
        let page = code.page();
        // A variant needs its base game, which only the loader finds.
        if page.right.is_empty() || page.right.starts_with("variant") {
            continue;
        }
        let found = findings(&page_file(*code, page.right));
        let sound = !any_error(&found) && found.iter().all(|d| d.code != *code);
        assert!(sound, "{code}: wrong in\n{}\n{}", page.right, told(&found));
    }
}

#[test]
fn a_right_snippet_is_formatted() {
    for code in Code::ALL {
        let right = code.page().right;
        if !right.is_empty() {
            let formatted = format(&Source::new("page.game", right)).expect("it can be read");
            assert_eq!(formatted.trim_end(), right, "{code}");
        }
    }
}

#[test]
fn every_page_says_what_it_means_and_shows_it() {
    let unshown = [Code::FileTooLarge, Code::TooManyMistakes];
    for code in Code::ALL {
        let page = code.page();
        assert!(page.text.ends_with('.') && !page.text.contains("  "), "{code}: {}", page.text);
        assert_eq!(page.wrong.is_empty(), unshown.contains(code), "{code} has no wrong snippet");
        assert_eq!(page.right.is_empty(), unshown.contains(code), "{code} has no right snippet");
    }
}

#[test]
fn codes_and_slugs_are_unique_and_found() {
    for (i, code) in Code::ALL.iter().enumerate() {
        let page = code.page();
        assert_eq!(Code::find(page.code), Some(*code));
        assert_eq!(Code::find(&page.code.to_lowercase()), Some(*code));
        assert_eq!(Code::find(page.slug), Some(*code));
        assert!(
            Code::ALL[i + 1..].iter().all(|other| page.code[1..] < other.page().code[1..]),
            "{code} is out of order"
        );
        assert!(page.code.starts_with(if page.severity == Severity::Error { 'E' } else { 'W' }), "{code}");
    }
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let source = Source::new("large.game", &"// again and again\n".repeat(MAX_BYTES / 18));
    assert_eq!(check(&source).diagnostics.iter().map(|d| d.code).collect::<Vec<_>>(), [Code::FileTooLarge]);
}

#[test]
fn a_file_with_too_many_mistakes_stops_telling() {
    let mistakes: String = (0..300).map(|i| format!("let a{i} = unknown_{i}\n")).collect();
    let found = check(&whole(&mistakes)).diagnostics;
    assert_eq!(found.len(), 201);
    assert_eq!(found.last().map(|d| d.code), Some(Code::TooManyMistakes));
}

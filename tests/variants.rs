//! Variants: what they inherit, replace, add and drop, and where their mistakes are reported.

use std::sync::Arc;

use parlour::check::check;
use parlour::diag::render;
use parlour::play::{Rules, bundled_source, bundled_text, run_examples, with_bases};
use parlour::source::Source;

/// Returns a variant of a bundled game.
fn variant(text: &str) -> Source {
    with_bases(Source::new("variant.game", text), &|base, _| {
        bundled_text(base).map(|text| Source::new(format!("{base}.game"), text))
    })
}

/// Returns the diagnostics, one line each: file:line code.
fn told(source: &Source) -> Vec<String> {
    let found = check(source).diagnostics;
    let line = |d: &parlour::diag::Diagnostic| {
        let (file, _) = source.file_at(d.span().start);
        format!("{file}:{} {}", source.position(d.span().start).line, d.code)
    };
    found.iter().map(line).collect()
}

#[test]
fn an_empty_variant_is_its_base() {
    let source = variant("variant \"Same\" of \"procession\" { }\n");
    assert_eq!(told(&source), Vec::<String>::new());
    let rules = Arc::new(Rules::load(source).unwrap());
    assert_eq!(rules.game.title, "Same");
    assert_eq!(rules.game.by.as_deref(), Some("Leroy Quet"));
    assert!(
        run_examples(&rules).iter().all(|report| report.failure.is_none()),
        "inherited examples run again"
    );
    let base = Rules::load(bundled_source("procession").unwrap()).unwrap();
    assert_eq!(rules.game.code.len(), base.game.code.len());
    assert_ne!(rules.hash, base.hash);
}

#[test]
fn defaults_change_and_inherited_examples_tell_on_a_broken_rule() {
    let source =
        variant("variant \"Last loses\" of \"procession\" { players 3 }\noption n = 5\nloser last mover\n");
    assert_eq!(told(&source), Vec::<String>::new());
    let rules = Arc::new(Rules::load(source).unwrap());
    assert_eq!((rules.game.seats.min, rules.game.seats.max), (3, Some(3)));
    let machine = rules.machine(&Default::default(), 3).unwrap();
    assert_eq!(machine.setup.options, [parlour::ir::Value::int(5)]);
    // The inherited example is for two players, of whom the last mover wins.
    assert!(run_examples(&rules)[0].failure.is_some());
}

#[test]
fn mistakes_are_told_in_the_file_that_made_them() {
    let wrong = "variant \"Wrong\" of \"procession\" { }\noption m = 5\ndrop move flop\ndefine f(x) = y\nscore = f(1)\n";
    assert_eq!(
        told(&variant(wrong)),
        ["variant.game:2 E0201", "variant.game:3 E0201", "variant.game:4 E0201"]
    );
    // If a dropped part was needed by the base, the error is reported where the base uses it.
    let found = told(&variant("variant \"Hole\" of \"procession\" { }\ndrop move flip\n"));
    assert!(!found.is_empty() && found.iter().all(|line| line.starts_with("procession.game:")), "{found:?}");
    let source = variant("variant \"Wrong\" of \"procession\" { }\noption m = 5\n");
    let report = render::human(&source, &check(&source).diagnostics[0], render::Style::default());
    assert!(report.contains("variant.game:2:8") && report.contains("it has n"), "{report}");
}

#[test]
fn a_base_that_is_missing_or_the_variant_itself_is_told() {
    assert_eq!(told(&variant("variant \"Lost\" of \"nowhere\" { }\n")), ["variant.game:1 E0209"]);
    let own = with_bases(Source::new("me.game", "variant \"Me\" of \"me.game\" { }\n"), &|_, _| {
        Some(Source::new("me.game", "variant \"Me\" of \"me.game\" { }\n"))
    });
    assert_eq!(told(&own), ["me.game:1 E0209"]);
}

#[test]
fn a_variant_of_a_variant_has_both_below_it() {
    let source = variant("variant \"Further\" of \"procession-ring\" { }\noption n = 4\n");
    assert_eq!(source.files().count(), 3);
    assert_eq!(told(&source), Vec::<String>::new());
    let rules = Rules::load(source).unwrap();
    assert_eq!(rules.game.title, "Further");
    assert!(parlour::play::sheet(&rules, 80).contains("variant of Procession Round"));
}

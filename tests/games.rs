//! Every bundled game must check without diagnostics, be formatted, and pass its examples.

use std::sync::Arc;

use parlour::check::check;
use parlour::play::{Rules, bundled, bundled_source, run_examples};
use parlour::source::Source;
use parlour::syntax::format::format;

#[test]
fn bundled_games_check_without_a_word() {
    for (name, _) in bundled() {
        let found = check(&bundled_source(&name).unwrap()).diagnostics;
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

#[test]
fn bundled_games_are_formatted() {
    for (name, text) in bundled() {
        assert_eq!(format(&Source::new(&name, text)).unwrap(), text, "{name}");
    }
}

/// Where braces match, none is forgotten, although a line inside a block begins as a part of the file does.
#[test]
fn bundled_games_need_no_indentation() {
    for (name, text) in bundled() {
        let flat: String = text.lines().map(|line| format!("{}\n", line.trim_start())).collect();
        let source = bundled_source(&name).unwrap();
        // A variant is read after its base.
        if source.text.len() == text.len() {
            let found = check(&Source::new(&name, &flat)).diagnostics;
            assert!(found.is_empty(), "{name}: {found:?}");
        }
    }
}

#[test]
fn every_worked_example_holds() {
    for (name, _) in bundled() {
        let rules = Arc::new(Rules::load(bundled_source(&name).unwrap()).unwrap());
        let reports = run_examples(&rules);
        assert!(!reports.is_empty(), "{name} has no example");
        for report in reports {
            assert!(report.failure.is_none(), "{name}, {}: {:?}", report.title, report.failure);
        }
    }
}

#[test]
fn the_documented_games_are_bundled_under_the_names_others_rely_on() {
    let expected = [
        ("binary-scramble", vec![("turns_each", "4"), ("target", "10")], vec!["append digit", "flip at"]),
        ("numbers-to-number", vec![("m", "6")], vec!["choose number"]),
        ("numerical-card-game", vec![("m", "12")], vec!["play card", "drop"]),
        ("procession", vec![("n", "7")], vec!["flip at"]),
        ("sum-of-products", vec![("n", "4")], vec!["write value row column"]),
        (
            "transform",
            vec![
                ("n", "4"),
                ("rounds_each", "1"),
                ("formula", "written"),
                ("criterion", "primes"),
                ("limit", "9"),
            ],
            vec!["propose criterion", "accept", "veto", "list terms", "term value", "permute order"],
        ),
    ];
    for (name, options, moves) in expected {
        let rules = Rules::load(bundled_source(name).unwrap()).unwrap();
        let machine = rules.machine(&Default::default(), rules.default_players()).unwrap();
        let values = machine.setup.options.iter().map(|value| parlour::eval::text::words(&rules.game, value));
        let found: Vec<(String, String)> =
            rules.game.options.iter().map(|o| o.name.clone()).zip(values).collect();
        let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(found, options, "{name}");
        let found: Vec<String> = rules
            .game
            .moves
            .iter()
            .map(|mv| {
                [&mv.name]
                    .into_iter()
                    .chain(mv.params.iter().map(|p| &p.name))
                    .cloned()
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        assert_eq!(found, moves, "{name}");
        assert_eq!(rules.game.seats.min, 2, "{name}");
        let pair = matches!(name, "sum-of-products" | "numbers-to-number");
        assert_eq!(rules.game.seats.max, pair.then_some(2), "{name}");
    }
}

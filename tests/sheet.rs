//! The sheets of rules: those of the games, word by word, and what holds of every sheet.

use std::path::Path;

use parlour::play::{Rules, bundled, bundled_source, sheet};
use parlour::source::Source;

fn bundled_rules(name: &str) -> Rules {
    Rules::load(bundled_source(name).unwrap()).unwrap()
}

/// A game that uses every kind of declaration and statement.
fn every_word() -> Rules {
    let text = include_str!("sheet/every-word.game");
    Rules::load(Source::new("every-word.game", text)).unwrap_or_else(|found| panic!("{found:#?}"))
}

fn snapshot(name: &str, rules: &Rules) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sheet");
    insta::with_settings!({ snapshot_path => folder, prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, sheet(rules, 80));
    });
}

#[test]
fn the_six_games_read_well() {
    let six = [
        "binary-scramble",
        "numbers-to-number",
        "numerical-card-game",
        "procession",
        "sum-of-products",
        "transform",
    ];
    for name in six {
        snapshot(name, &bundled_rules(name));
    }
}

#[test]
fn every_statement_has_its_words() {
    snapshot("every-word", &every_word());
}

#[test]
fn a_sheet_says_what_a_player_needs() {
    for (name, _) in bundled() {
        let rules = bundled_rules(&name);
        // Words may be parted by line ends.
        let text = sheet(&rules, 80).split_whitespace().collect::<Vec<_>>().join(" ");
        let game = &rules.game;
        assert!(text.starts_with(&game.title), "{name}");
        for heading in ["MOVES", "HOW PLAY GOES", "WHO WINS"] {
            assert!(text.contains(heading), "{name} has no {heading}");
        }
        for mv in &game.moves {
            assert!(text.contains(&format!("“{}”", mv.name)), "{name}: nobody plays {}", mv.name);
        }
        for option in &game.options {
            assert!(text.contains(&format!("{}: ", option.name)), "{name}: {}", option.name);
        }
        for state in &game.state {
            assert!(text.contains(&format!("{}: ", state.name)), "{name}: {}", state.name);
        }
        for sign in [":=", "+=", "!=", "<=", ">=", "//"] {
            assert!(!text.contains(sign), "{name} speaks in code: {sign}");
        }
    }
}

#[test]
fn lines_keep_the_width() {
    let mut all: Vec<Rules> = bundled().iter().map(|(name, _)| bundled_rules(name)).collect();
    all.push(every_word());
    for rules in &all {
        for width in [40, 60, 80, 120] {
            for line in sheet(rules, width).lines() {
                assert!(line.chars().count() <= width, "{} at {width}: {line}", rules.name);
                assert_eq!(line, line.trim_end());
            }
        }
        // Too narrow for anything: a sheet comes out all the same.
        assert!(!sheet(rules, 0).is_empty());
    }
}

#[test]
fn a_game_with_next_to_nothing_has_a_sheet() {
    let text = "game \"Nothing\" {\n  players 1\n}\n\nmove go { }\n\nplay {\n  ask seat(1) to go\n}\n";
    let rules = Rules::load(Source::new("nothing.game", text)).unwrap_or_else(|found| panic!("{found:#?}"));
    let expected = "Nothing\n=======\n\nFor 1 player.\n\nMOVES\n  go\n\nHOW PLAY GOES\n  - player 1 plays “go”\n\nWHO WINS\nNobody wins.\n";
    assert_eq!(sheet(&rules, 80), expected);
}

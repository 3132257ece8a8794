//! Symmetries are used where the rules have them, and nowhere else.

use super::{Options, best, plain, solved, task};
use parlour::engine::{Engine, Stepper};
use parlour::eval::Machine;
use parlour::play::{Rules, bundled_source};
use parlour::solve::{Goal, Task, Worth};
use parlour::source::Source;

/// Returns a bundled game for two, with some of its text changed.
fn changed(game: &str, changes: &[(&str, &str)], options: Options) -> Machine {
    let text = bundled_source(game).unwrap().text.to_string();
    let changed = changes.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    });
    let rules = Rules::load(Source::new("changed.game", &changed)).unwrap();
    let options = rules.read_options(options.iter().copied()).unwrap();
    rules.machine(&options, 2).unwrap()
}

#[test]
fn lists_are_told_apart_by_their_order_where_it_matters() {
    let need = "need number not in said";
    for (more, matters) in [
        ("", false),
        (" and (size(said) < 3 or number != sum(said) - 1)", false),
        (" and (size(said) < 2 or number != said[2] + 1)", true),
        (" and (size(said) < 2 or number != first(said) - 1)", true),
        (" and (size(said) < 3 or first(x in said where x > 2: x) != number - 2)", true),
        (" and not occurs([1, number - 1], said)", true),
    ] {
        let game = changed("juniper-green", &[(need, &format!("{need}{more}"))], &[("n", "9")]);
        let found = solved(&game, &task(&game));
        let start = game.start().unwrap();
        let known = plain(&game, &start, Goal::Win)[0].clone();
        assert_eq!(found.worth[0], Worth::Exact(known), "{more}");
        // Two orders of the same numbers with the same last one are the same position, unless order matters.
        let said = |numbers: [i64; 3]| {
            let mut position = start.clone();
            position.cells[0] = parlour::play::Value::list(numbers.map(parlour::play::Value::int).to_vec());
            let mut words = Vec::new();
            game.stepper().lasting_key(&position, &mut words);
            words
        };
        assert_eq!(said([2, 4, 1]) != said([4, 2, 1]), matters, "{more}");
        assert_ne!(said([2, 4, 1]), said([2, 1, 4]), "{more}");
    }
}

/// Returns the symmetries of a bundled game with some text changed; solving without them must agree.
fn symmetries(game: &str, changes: &[(&str, &str)], options: Options) -> Vec<&'static str> {
    let machine = changed(game, changes, options);
    let with = solved(&machine, &task(&machine));
    let without = solved(&machine, &Task { symmetries: false, ..task(&machine) });
    assert_eq!(
        (&with.worth, best(&machine, &with)),
        (&without.worth, best(&machine, &without)),
        "{changes:?}"
    );
    assert!(without.symmetries.is_empty());
    assert!(with.symmetries.is_empty() || with.positions < without.positions, "{changes:?}");
    with.symmetries
}

#[test]
fn symmetries_are_used_where_the_rules_have_them_and_nowhere_else() {
    let all = [
        "left and right",
        "top and bottom",
        "a half turn",
        "rows and columns",
        "a quarter turn",
        "a quarter turn",
        "rows and columns, backwards",
    ];
    let board = |changes: &[(&str, &str)]| symmetries("tic-tac-toe", changes, &[]);
    assert_eq!(board(&[]), all);
    let need = "need board[at] is none";
    // A condition on the centre breaks no symmetry; one on a corner keeps only its diagonal; one on the
    // middle of an edge keeps only its axis.
    assert_eq!(
        board(&[(
            need,
            "need board[at] is none and (at != b2 or count(s in board where board[s] is none: yes) < 9)"
        )]),
        all
    );
    assert_eq!(
        board(&[(need, "need board[at] is none and (at != a1 or board[b2] is not none)")]),
        ["rows and columns"]
    );
    assert_eq!(
        board(&[(need, "need board[at] is none and (at != b1 or board[b2] is not none)")]),
        ["left and right"]
    );
    // Conditions on rows only do not hold for columns, whatever the rows contain; a condition on row numbers
    // is not the same upside down.
    let lines = "some(line in lines(board, 3): all(s in line: board[s] = me))";
    assert_eq!(board(&[(lines, "some(line in rows(board): all(s in line: board[s] = me))")]), all[..3]);
    assert_eq!(
        board(&[(lines, "some(line in rows(board): all(s in line: board[s] = me and s.row > 1))")]),
        ["left and right"]
    );
    let four =
        |changes: &[(&str, &str)]| symmetries("connect-four", changes, &[("columns", "4"), ("rows", "4")]);
    assert_eq!(four(&[]), ["left and right"]);
    let need = "need board[1, column] is none";
    assert!(
        four(&[(need, "need board[1, column] is none and (column > 1 or board[4, 2] is not none)")])
            .is_empty()
    );
}

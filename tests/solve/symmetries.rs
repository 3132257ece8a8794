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

/// Whether the order of all but the last of the numbers that were said in Juniper Green can matter, with some more text in the
/// need of its move, and functions.
fn order_matters(more: &str, functions: &str) -> bool {
    let need = "need number not in said";
    let changes = [(need, format!("{need}{more}")), ("play {", format!("{functions}\nplay {{"))];
    let game =
        changed("juniper-green", &changes.each_ref().map(|(from, to)| (*from, to.as_str())), &[("n", "9")]);
    let found = solved(&game, &task(&game));
    let start = game.start().unwrap();
    let known = plain(&game, &start, Goal::Win)[0].clone();
    assert_eq!(found.worth[0], Worth::Exact(known), "{more}");
    let said = |numbers: [i64; 3]| {
        let mut position = start.clone();
        position.cells[0] = parlour::play::Value::list(numbers.map(parlour::play::Value::int).to_vec());
        let mut words = Vec::new();
        game.stepper().lasting_key(&position, &mut words);
        words
    };
    assert_ne!(said([2, 4, 1]), said([2, 1, 4]), "{more}");
    said([2, 4, 1]) != said([4, 2, 1])
}

#[test]
fn lists_are_told_apart_by_their_order_where_it_matters() {
    for (more, matters) in [
        ("", false),
        (" and (size(said) < 3 or number != sum(said) - 1)", false),
        (" and (size(said) < 3 or number != sorted(said)[2] + 1)", false),
        (" and (size(said) < 3 or number != sum([x in said where x > 2: x]))", false),
        (" and (size(said) < 3 or number != largest(x in said: x mod 5))", false),
        (" and (size(said) < 2 or number != said[2] + 1)", true),
        (" and (size(said) < 2 or number != first(said) - 1)", true),
        (" and (size(said) < 2 or number != last(said, 2)[1] - 1)", true),
        (" and (size(said) < 3 or first(x in said where x > 2: x) != number - 2)", true),
        (" and not occurs([1, number - 1], said)", true),
        (" and copies(said, [[1, 2, number - 1]]) = 0", true),
        (" and (size(said) < 3 or number != [x in said where x > 2: x][1])", true),
    ] {
        assert_eq!(order_matters(more, ""), matters, "{more}");
    }
}

/// What is said of a list in a function counts where the function is used.
#[test]
fn lists_are_told_apart_by_their_order_where_it_matters_to_functions() {
    let functions = "define total(l) = sum(l)\n\
        define second(l) = if size(l) < 2 then 0 else l[2]\n\
        define of_either(l, m) = total(l) + second(m)\n\
        define through(l) = total_of_all(l)\n\
        define total_of_all(m) = sum(m)\n\
        define indexed(l) = element(l, 2)\n\
        define element(m, k) = if size(m) < k then 0 else m[k]\n";
    for (more, matters) in [
        (" and number != total(said) - 1", false),
        (" and number != through(said) - 1", false),
        (" and number != of_either(said, [1, 2]) - 1", false),
        (" and number != total(if size(said) > 4 then said else [1, 2]) - 1", false),
        (" and number != second(said) + 1", true),
        (" and number != indexed(said) + 1", true),
        (" and number != of_either([1, 2], said) - 1", true),
        (" and number != second(if size(said) > 2 then said else [1, 2]) - 1", true),
    ] {
        assert_eq!(order_matters(more, functions), matters, "{more}");
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

//! Solving must reproduce known results: theorems, published values and those of independent programs. Every
//! method must agree with a plain search of all matches; lines must replay; interrupting and resuming must
//! not change the result.

mod lines;
mod points;
#[path = "../benches/known/searched.rs"]
mod searched;

use std::fs;
use std::path::Path;

use crate::folder::Folder;
use crate::known::pig::Pig;
use parlour::engine::{Engine, Stepper};
use parlour::eval::{Machine, Waiting};
use parlour::num::{Int, Ratio};
use parlour::play::{Rules, bundled_source};
use parlour::solve::{Concept, Goal, Knowledge, LineEnd, Method, Solved, Task, Worth, refused, solve};
use parlour::source::Source;
use serde_json::Value as Json;

/// Options as on the command line.
type Options<'o> = &'o [(&'o str, &'o str)];

/// Returns a game with options and players.
fn machine(game: &str, options: Options, players: usize) -> Machine {
    let file = format!("{game}.game");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let written = || {
        let paths = ["solve", "language"].map(|folder| tests.join(folder).join(&file));
        let text = paths.iter().find_map(|path| fs::read_to_string(path).ok());
        Source::new(&file, &text.unwrap_or_else(|| panic!("there is no {file}")))
    };
    let source = bundled_source(game).unwrap_or_else(written);
    let rules = Rules::load(source).unwrap();
    let options = rules.read_options(options.iter().copied()).unwrap();
    rules.machine(&options, players).unwrap()
}

fn task(machine: &Machine) -> Task {
    Task { value_all_moves: true, ..Task::new(Goal::usual(machine), 1 << 24) }
}

fn solved(machine: &Machine, task: &Task) -> Solved {
    assert_eq!(refused(machine), None);
    let start = machine.start().unwrap();
    solve(machine, &start, task, &mut Knowledge::default(), &|_| true).unwrap()
}

/// Returns a seat's worth, which must be a whole number.
fn whole(worth: &Worth) -> i64 {
    match worth {
        Worth::Exact(worth) if *worth.denominator() == Int::ONE => worth.numerator().as_i64().unwrap(),
        other => panic!("{other:?} is no whole number"),
    }
}

/// Returns whether player 1 wins (1), loses (−1) or neither (0).
fn result(game: &str, options: Options) -> i64 {
    let machine = machine(game, options, 2);
    whole(&solved(&machine, &task(&machine)).worth[0])
}

/// Returns the arguments of the best first moves, as in records.
fn best(machine: &Machine, solved: &Solved) -> Vec<String> {
    let json = |value: &parlour::play::Value| parlour::eval::text::json(&machine.game, value).to_string();
    let words = |args: &[parlour::play::Value]| args.iter().map(json).collect::<Vec<_>>().join(" ");
    solved.first.iter().filter(|first| first.best).map(|first| words(&first.chosen.args)).collect()
}

// ---- comparison with a plain search of all matches

/// Returns the worth of a position to each seat by exhaustive search; each seat plays for itself, and takes
/// the first of equal moves.
fn plain(machine: &Machine, position: &parlour::eval::Position, goal: Goal) -> Vec<Ratio> {
    let seats = machine.setup.players;
    match &position.waiting {
        Waiting::Choice { seats: who, .. } => {
            let seat = who[0];
            let mut best: Option<Vec<Ratio>> = None;
            for chosen in Engine::legal(machine, position, seat, false).unwrap() {
                let mut next = position.clone();
                machine.choose(&mut next, seat, chosen).unwrap();
                let worth = plain(machine, &next, goal);
                if best.as_ref().is_none_or(|best| worth[seat] > best[seat]) {
                    best = Some(worth);
                }
            }
            best.unwrap()
        }
        Waiting::Chance => {
            let outcomes = machine.outcomes(position).unwrap();
            let all: Vec<_> = outcomes.iter(Default::default()).unwrap().collect();
            let share = Ratio::new(&Int::ONE, &Int::from(all.len()));
            let mut sum = vec![Ratio::ZERO; seats];
            for value in all {
                let mut next = position.clone();
                machine.draw(&mut next, value).unwrap().unwrap();
                let worth = plain(machine, &next, goal);
                sum = sum.iter().zip(&worth).map(|(a, b)| a.add(&b.mul(&share))).collect();
            }
            sum
        }
        _ => {
            let winners = position.outcome.clone().unwrap().winners;
            let scores = machine.scores(position).unwrap();
            let sharers = if winners.is_empty() { seats } else { winners.len() };
            if goal == Goal::Win && seats > 2 {
                let shares = |seat: usize| winners.is_empty() || winners.contains(&seat);
                let share = |seat: usize| match shares(seat) {
                    true => Ratio::new(&Int::ONE, &Int::from(sharers)),
                    false => Ratio::ZERO,
                };
                return (0..seats).map(share).collect();
            }
            let value = |seat: usize| match (goal, &scores) {
                (Goal::Points { .. }, Some(scores)) if seats == 2 => scores[seat].sub(&scores[1 - seat]),
                (Goal::Points { .. }, Some(scores)) => scores[seat].clone(),
                _ if winners == [seat] => Int::ONE,
                _ if winners.is_empty() || winners.contains(&seat) => Int::ZERO,
                _ => Int::from(-1),
            };
            (0..seats).map(|seat| Ratio::from(value(seat))).collect()
        }
    }
}

#[test]
fn every_way_of_solving_says_what_a_plain_search_says() {
    let points = Goal::Points { highest: true };
    let games: &[(&str, Options, usize, Goal)] = &[
        ("nim", &[("piles", "1,2,2")], 2, Goal::Win),
        ("dots-and-boxes", &[("rows", "1"), ("columns", "1")], 2, points),
        ("sum-of-products", &[("n", "2")], 2, Goal::Win),
        ("procession", &[("n", "4")], 2, Goal::Win),
        ("procession", &[("n", "4")], 3, Goal::Win),
        ("kalah", &[("holes", "2"), ("seeds", "2")], 2, points),
        ("juniper-green", &[("n", "8")], 2, Goal::Win),
        ("juniper-green", &[("n", "6")], 3, Goal::Win),
        ("wythoff", &[("first", "2"), ("second", "3")], 2, Goal::Win),
        ("treasure", &[], 1, points),
        ("cups", &[("stones", "6")], 3, Goal::Win),
        ("cups", &[("stones", "6")], 3, points),
        ("gamble", &[("rounds", "1")], 2, Goal::Win),
        ("gamble", &[("rounds", "2")], 2, points),
        ("refills", &[], 2, Goal::Win),
        ("refills", &[], 2, points),
        ("thousands", &[], 2, Goal::Win),
    ];
    for (game, options, players, goal) in games {
        let machine = machine(game, options, *players);
        let task = Task { goal: *goal, ..task(&machine) };
        let found = solved(&machine, &task);
        let start = machine.start().unwrap();
        let exact = |worth: &[Worth]| -> Vec<Ratio> {
            worth
                .iter()
                .map(|worth| if let Worth::Exact(worth) = worth { worth.clone() } else { panic!("{game}") })
                .collect()
        };
        assert_eq!(exact(&found.worth), plain(&machine, &start, *goal), "{game} {options:?} {players}");
        for first in &found.first {
            let mut next = start.clone();
            machine.choose(&mut next, found.seat.unwrap(), first.chosen.clone()).unwrap();
            assert_eq!(exact(&first.worth), plain(&machine, &next, *goal), "{game}: {first:?}");
        }
        // With only the best moves asked for, the same moves are best.
        let short = solved(&machine, &Task { value_all_moves: false, ..task });
        assert_eq!(best(&machine, &short), best(&machine, &found), "{game}");
    }
}

// ---- known results

#[test]
fn tic_tac_toe_and_number_scrabble_are_drawn() {
    // J. Michon, Journal of Recreational Mathematics 1, 1968: they are the same game.
    assert_eq!((result("tic-tac-toe", &[]), result("number-scrabble", &[])), (0, 0));
}

/// Wherever a search over all positions is stopped, the value lies between the bounds that are proved by then; the more
/// positions, the more is proved.
#[test]
fn what_is_proved_of_a_part_of_all_positions_holds() {
    let points = Goal::Points { highest: true };
    let games: &[(&str, Options, usize, Goal)] = &[
        ("treasure", &[], 1, points),
        ("gamble", &[("rounds", "2")], 2, points),
        ("gamble", &[("rounds", "1")], 2, Goal::Win),
        ("refills", &[], 2, Goal::Win),
        ("pig", &[("goal", "10")], 2, Goal::Win),
    ];
    let mut narrowed = 0;
    for (game, options, players, goal) in games {
        let machine = machine(game, options, *players);
        let task = Task { goal: *goal, ..task(&machine) };
        let start = machine.start().unwrap();
        let value = solved(&machine, &task).worth[0].bounds();
        for limit in [1, 2, 5, 10, 20, 50, 100, 200, 400, 800] {
            let found = solve(&machine, &start, &task, &mut Knowledge::default(), &|looked| looked < limit);
            let found = found.unwrap();
            let (lower, upper) = found.worth[0].bounds();
            assert!(
                lower <= value.1 + 1e-9 && value.0 - 1e-9 <= upper,
                "{game} {limit}: {lower}..{upper} {value:?}"
            );
            if found.halted.is_some() {
                narrowed += u32::from(found.worth[0].is_narrowed(*goal, *players));
            }
        }
    }
    assert!(narrowed > 0, "something is proved before the end");
}

#[test]
fn nim_is_won_by_boutons_theorem() {
    // C. L. Bouton, Annals of Mathematics 3, 1901: whoever leaves a xor of 0 wins. If the last one loses,
    // this holds while a heap of two or more is left, and then whoever leaves an odd number of ones wins.
    for a in 0..4u32 {
        for b in a..4 {
            for c in b.max(1)..4 {
                let piles = format!("{a},{b},{c}");
                let lost = a ^ b ^ c == 0;
                let lost_last = if c > 1 { lost } else { (a + b + c) % 2 == 1 };
                for (misere, lost) in [("no", lost), ("yes", lost_last)] {
                    let found = result("nim", &[("piles", &piles), ("misere", misere)]);
                    assert_eq!(found, if lost { -1 } else { 1 }, "{piles} {misere}");
                }
            }
        }
    }
}

#[test]
fn wythoffs_game_is_lost_at_his_pairs() {
    // W. A. Wythoff, 1907: the pairs are floor(k φ) and floor(k φ) + k.
    let golden = f64::midpoint(1.0, 5.0f64.sqrt());
    let pairs: Vec<(u32, u32)> =
        (0..9).map(|k| ((f64::from(k) * golden) as u32, (f64::from(k) * golden) as u32 + k)).collect();
    for a in 0..7 {
        for b in a.max(1)..8 {
            let found = result("wythoff", &[("first", &a.to_string()), ("second", &b.to_string())]);
            assert_eq!(found, if pairs.contains(&(a, b)) { -1 } else { 1 }, "{a} {b}");
        }
    }
}

#[test]
fn small_kalah_has_its_published_values() {
    // G. Irving, J. Donkers and J. Uiterwijk, Solving Kalah, ICGA Journal 23, 2000: one and two holes, one to
    // six seeds.
    let published = [[0, -1, 1, -1, 1, 0], [1, -1, -1, -1, 1, 1]];
    for (holes, row) in (1..).zip(published) {
        let of =
            |seeds: usize| result("kalah", &[("holes", &holes.to_string()), ("seeds", &seeds.to_string())]);
        assert_eq!((1..=6).map(of).collect::<Vec<_>>(), row, "{holes} holes");
    }
}

#[test]
fn juniper_green_is_what_a_plain_program_says() {
    for n in 2..=40 {
        let wins = searched::juniper_green(n);
        assert_eq!(result("juniper-green", &[("n", &n.to_string())]), if wins { 1 } else { -1 }, "{n}");
    }
}

#[test]
fn procession_is_what_a_plain_program_says() {
    for n in 2..=8 {
        let wins = searched::procession(n);
        assert_eq!(result("procession", &[("n", &n.to_string())]), if wins { 1 } else { -1 }, "{n}");
    }
}

/// Where the last mover wins, moves that leave few replies are searched first. With the history of moves alone,
/// Procession with eight digits would take 88,044 positions.
#[test]
fn where_the_last_mover_wins_few_positions_are_searched() {
    let machine = machine("procession", &[("n", "8")], 2);
    let found = solved(&machine, &task(&machine));
    assert!(found.positions < 20_000, "{}", found.positions);
}

#[test]
fn hex_is_won_by_its_first_player_with_the_openings_that_a_plain_program_finds() {
    for n in 2..=3 {
        let hex = machine("hex", &[("n", &n.to_string())], 2);
        let found = solved(&hex, &task(&hex));
        // J. Nash: the first player wins.
        assert_eq!(whole(&found.worth[0]), 1);
        let mut openings = best(&hex, &found);
        openings.sort();
        let known = searched::hex_openings(n).into_iter().enumerate().filter(|(_, wins)| *wins);
        let square = |at: usize| format!("\"{}{}\"", char::from(b'a' + (at % n) as u8), at / n + 1);
        let mut known: Vec<String> = known.map(|(at, _)| square(at)).collect();
        known.sort();
        assert_eq!(openings, known);
    }
}

#[test]
fn dots_and_boxes_is_what_a_plain_program_says() {
    for (rows, columns) in [(1, 1), (1, 2), (2, 2)] {
        let sides = [("rows", rows.to_string()), ("columns", columns.to_string())];
        let machine = machine("dots-and-boxes", &sides.each_ref().map(|(name, n)| (*name, n.as_str())), 2);
        let task = Task { goal: Goal::Points { highest: true }, value_all_moves: false, ..task(&machine) };
        let ahead = i64::from(searched::dots_and_boxes(rows, columns));
        assert_eq!(whole(&solved(&machine, &task).worth[0]), ahead, "{rows} by {columns}");
    }
}

#[test]
fn sum_of_products_is_what_a_plain_program_says() {
    for n in [2, 3] {
        let machine = machine("sum-of-products", &[("n", &n.to_string())], 2);
        let task = Task { goal: Goal::Points { highest: true }, value_all_moves: false, ..task(&machine) };
        let lead = searched::sum_of_products(n);
        assert_eq!(whole(&solved(&machine, &task).worth[0]), i64::from(lead), "{n}");
        assert_eq!(result("sum-of-products", &[("n", &n.to_string())]), i64::from(lead.signum()), "{n}");
    }
}

#[test]
fn pig_is_between_its_bounds() {
    for goal in [10, 14] {
        let machine = machine("pig", &[("goal", &goal.to_string())], 2);
        let found = solved(&machine, &task(&machine));
        assert_eq!(found.method, Method::Intervals);
        let (lower, upper) = found.worth[0].bounds();
        let known = 2.0 * Pig::new(goal).roll(0, 0, 0) - 1.0;
        assert!(
            lower - 1e-9 <= known && known <= upper + 1e-9 && upper - lower < 1e-6,
            "{lower} {known} {upper}"
        );
    }
}

/// Every turn multiplies the denominators of exact values, and a match has up to forty-seven.
#[test]
fn where_fractions_get_too_long_bounds_are_found() {
    // How likely each total of so many dice is, with 1 for those with a 1 among them.
    let throws = |dice: u32| {
        let mut sums = vec![1.0f64];
        for _ in 0..dice {
            let mut more = vec![0.0; sums.len() + 6];
            sums.iter()
                .enumerate()
                .for_each(|(sum, often)| (2..=6).for_each(|die| more[sum + die] += often / 6.0));
            sums = more;
        }
        sums[1] = 1.0 - sums.iter().sum::<f64>();
        sums
    };
    let known = |goal: usize| {
        let throws = [throws(1), throws(2)];
        // By the total of who is to throw and the total of the other, from the highest sum on.
        let mut wins = vec![vec![0.0f64; goal]; goal];
        for both in (0..=2 * (goal - 1)).rev() {
            for mine in both.saturating_sub(goal - 1)..=both.min(goal - 1) {
                let other = both - mine;
                let worth = |throw: &Vec<f64>| {
                    let each = throw.iter().enumerate().filter(|(_, often)| **often > 0.0);
                    let worth =
                        |sum: usize| if mine + sum >= goal { 1.0 } else { 1.0 - wins[other][mine + sum] };
                    each.map(|(sum, often)| often * worth(sum)).sum::<f64>()
                };
                wins[mine][other] = throws.iter().map(worth).fold(0.0, f64::max);
            }
        }
        2.0 * wins[0][0] - 1.0
    };
    for (goal, method) in [(5, Method::Backward), (24, Method::Intervals)] {
        let machine = machine("hog", &[("goal", &goal.to_string())], 2);
        let found = solved(&machine, &Task { memory: 1 << 26, ..task(&machine) });
        let (lower, upper) = found.worth[0].bounds();
        assert_eq!(found.method, method);
        assert!(
            upper - lower < 1e-9 && (lower - known(goal)).abs() < 1e-9,
            "{lower} {upper} {}",
            known(goal)
        );
    }
}

#[test]
fn where_both_can_wait_the_bounds_still_meet() {
    let found = solved(&machine("drift", &[], 2), &task(&machine("drift", &[], 2)));
    // The same by plain iteration, in which later results count a little less. Indices: the place of the
    // player to move, then the other's place.
    let later = 0.9999;
    let mut known = [[0.0f64; 7]; 7];
    for _ in 0..50_000 {
        let before = known;
        for (mine, row) in known.iter_mut().enumerate().take(6).skip(1) {
            for (yours, value) in row.iter_mut().enumerate().take(6).skip(1) {
                let to = |place: usize| match place {
                    0 => -1.0,
                    6 => 1.0,
                    place => -later * before[yours][place],
                };
                *value = to(mine).max(f64::midpoint(to(mine - 1), to(mine + 1)));
            }
        }
    }
    let (lower, upper) = found.worth[0].bounds();
    assert!(upper - lower < 1e-6 && (lower - known[3][3]).abs() < 1e-2, "{lower} {upper} {}", known[3][3]);
    assert_eq!(found.first.iter().filter(|first| first.best).count(), 1);
}

#[test]
fn what_goes_round_is_won_only_where_it_can_be_forced() {
    // Player 1 can walk two and win at once. After one step forward the other catches up; after one step
    // back, neither can be caught by force.
    let ring = machine("ring", &[], 2);
    let found = solved(&ring, &task(&ring));
    assert_eq!((found.method, whole(&found.worth[0]), found.line.len()), (Method::Retrograde, 1, 1));
    let worth: Vec<i64> = found.first.iter().map(|first| whole(&first.worth[0])).collect();
    assert_eq!(worth, [1, 0, -1]);
    // For several sizes, the same by sweeping over all pairs of places until nothing changes.
    for n in 4..9i64 {
        let ring = machine("ring", &[("n", &n.to_string())], 2);
        let found = solved(&ring, &task(&ring));
        // What the player to move can force, by that player's place, then the other's.
        let mut known = vec![vec![0i64; n as usize]; n as usize];
        for _ in 0..n * n {
            let before = known.clone();
            for (mine, row) in known.iter_mut().enumerate() {
                for (yours, value) in row.iter_mut().enumerate().filter(|(yours, _)| *yours != mine) {
                    let behind = [-1, 1, 2].map(|step| {
                        let to = (mine as i64 + step).rem_euclid(n) as usize;
                        if to == yours { 1 } else { -before[yours][to] }
                    });
                    *value = behind.into_iter().max().unwrap();
                }
            }
        }
        assert_eq!(whole(&found.worth[0]), known[0][2], "{n}");
        assert_eq!(found.endless, known[0][2] == 0, "{n}");
    }
}

// ---- symmetries

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

#[test]
fn connect_four_is_drawn_on_a_small_board() {
    // J. Tromp's table of sizes: 4 by 4 is a draw, which a plain program confirms.
    assert_eq!(result("connect-four", &[("columns", "4"), ("rows", "4")]), 0);
    assert_eq!(searched::connect_four(4, 4), 0);
}

// ---- three, all against one

#[test]
fn paranoid_values_are_what_each_is_sure_of() {
    fn sure(machine: &Machine, position: &parlour::eval::Position, hero: usize) -> Ratio {
        let Waiting::Choice { seats, .. } = &position.waiting else {
            let winners = position.outcome.clone().unwrap().winners;
            return match winners.contains(&hero) {
                true => Ratio::new(&Int::ONE, &Int::from(winners.len())),
                false => Ratio::ZERO,
            };
        };
        let behind = Engine::legal(machine, position, seats[0], false).unwrap().into_iter().map(|chosen| {
            let mut next = position.clone();
            machine.choose(&mut next, seats[0], chosen).unwrap();
            sure(machine, &next, hero)
        });
        if seats[0] == hero { behind.max().unwrap() } else { behind.min().unwrap() }
    }
    let cups = machine("cups", &[("stones", "7")], 3);
    let found = solved(&cups, &Task { concept: Concept::Paranoid, ..task(&cups) });
    let start = cups.start().unwrap();
    let known: Vec<Worth> = (0..3).map(|hero| Worth::Exact(sure(&cups, &start, hero))).collect();
    assert_eq!(found.worth, known);
}

#[test]
fn several_play_for_their_shares_of_the_win() {
    let parts = |of: &[(i64, i64)]| -> Vec<Worth> {
        of.iter().map(|(n, of)| Worth::Exact(Ratio::new(&Int::from(*n), &Int::from(*of)))).collect()
    };
    // Half of the win is more than a third, and more than two matches of five; who shares it is at 0 in the contract.
    let split = machine("split", &[], 3);
    let found = solved(&split, &task(&split));
    assert_eq!(found.worth, parts(&[(1, 2), (1, 2), (0, 1)]));
    assert_eq!(found.balance, parts(&[(0, 1), (0, 1), (-1, 1)]));
    let names = |first: &parlour::solve::RootMove| split.game.moves[first.chosen.mv].name.clone();
    let known: Vec<(String, Vec<Worth>)> =
        found.first.iter().map(|first| (names(first), first.worth.clone())).collect();
    let other = |name: &str, of: &[(i64, i64)]| (name.to_string(), parts(of));
    assert_eq!(
        known,
        [
            other("pair", &[(1, 2), (1, 2), (0, 1)]),
            other("gamble", &[(2, 5), (3, 5), (0, 1)]),
            other("trio", &[(1, 3), (1, 3), (1, 3)])
        ]
    );
    assert_eq!(found.first[1].balance, parts(&[(-1, 5), (1, 5), (-1, 1)]));
    let folder = Folder::new("split");
    folder.write("split.game", include_str!("solve/split.game"));
    let (_, printed, _) = folder.type_in("solve split.game --json --all --engine reference");
    let json: Json = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        (&json["value"], &json["share"]),
        (&serde_json::json!([0, 0, -1]), &serde_json::json!([0.5, 0.5, 0]))
    );
    let (_, printed, _) = folder.type_in("solve split.game --all --engine reference");
    assert!(printed.contains("player 1: half of the win, player 2: half of the win, player 3:"), "{printed}");
    assert!(printed.contains("40.00 % of the win"), "{printed}");
    // Against two who wait for ever, a third of the win that nobody gets is the most; also where stopping is a lottery
    // that is won in one of four matches and gives others three eighths.
    for luck in ["0", "1"] {
        let patience = machine("patience", &[("luck", luck)], 3);
        let found = solved(&patience, &Task { concept: Concept::Paranoid, ..task(&patience) });
        assert!(
            found.worth.iter().all(|worth| (worth.settled().unwrap() - 1.0 / 3.0).abs() < 1e-9),
            "{found:?}"
        );
    }
}

// ---- the command

#[test]
fn what_it_prints_is_what_the_contract_says_and_its_line_replays() {
    let folder = Folder::new("line");
    let (status, printed, _) =
        folder.type_in("solve nim --set piles=2,3 --set misere=no --json --engine reference");
    assert_eq!(status, 0);
    let json: Json = serde_json::from_str(&printed).unwrap();
    assert_eq!(json["solved"], true);
    assert_eq!(json["value"], serde_json::json!([1, -1]));
    assert_eq!(json["winners"], serde_json::json!([1]));
    let moves = serde_json::json!([{ "move": "take", "args": { "pile": 2, "count": 1 }, "value": [1, -1] }]);
    assert_eq!(json["moves"], moves);
    assert!(json["positions"].is_u64() && json["seconds"].is_number());
    folder.write("line.json", &json["line"].to_string());
    let (status, printed, _) = folder.type_in("replay line.json --json");
    let replayed: Json = serde_json::from_str(&printed).unwrap();
    assert_eq!((status, &replayed["result"]["winners"]), (0, &serde_json::json!([1])));
    // From a position on that line: player 2 is to move and has lost.
    let mut short = json["line"].clone();
    short["moves"].as_array_mut().unwrap().truncate(1);
    short["result"] = Json::Null;
    folder.write("short.json", &short.to_string());
    let (status, printed, errors) =
        folder.type_in("solve nim --position short.json --json --all --engine reference");
    let json: Json = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{errors}"));
    assert_eq!((status, &json["value"]), (0, &serde_json::json!([1, -1])));
    assert_eq!(json["moves"].as_array().unwrap().len(), 4);
    assert_eq!(json["line"]["moves"][0], short["moves"][0]);
}

#[test]
fn it_stops_at_its_limits_and_goes_on_where_it_was() {
    let folder = Folder::new("limits");
    let game = "solve tic-tac-toe --json --engine reference";
    let (status, printed, errors) = folder.type_in(&format!("{game} --positions 1024 --resume kept"));
    let json: Json = serde_json::from_str(&printed).unwrap();
    assert_eq!((status, &json["solved"], &json["value"]), (1, &Json::Bool(false), &Json::Null));
    assert!(errors.contains("`--positions 1024` is used up") && errors.contains("continues"), "{errors}");
    let (_, whole, _) = folder.type_in(game);
    let (status, printed, _) = folder.type_in(&format!("{game} --resume kept"));
    let (whole, rest): (Json, Json) =
        (serde_json::from_str(&whole).unwrap(), serde_json::from_str(&printed).unwrap());
    assert_eq!((status, &rest["value"], &rest["moves"]), (0, &whole["value"], &whole["moves"]));
    // What is kept is not searched again.
    let (_, printed, _) = folder.type_in(&format!("{game} --resume kept"));
    let third: Json = serde_json::from_str(&printed).unwrap();
    assert!(third["positions"].as_u64().unwrap() - rest["positions"].as_u64().unwrap() < 500);
    // Nothing may be lost, however often it is resumed and however soon it is stopped.
    let size = || fs::metadata(folder.join("kept")).unwrap().len();
    let before = size();
    for _ in 0..3 {
        let (status, printed, _) = folder.type_in(&format!("{game} --positions 1 --resume kept"));
        let json: Json = serde_json::from_str(&printed).unwrap();
        assert_eq!((status, &json["value"]), (0, &whole["value"]));
        // Positions may be replaced by others that take fewer words.
        assert!(100 * size() >= 95 * before, "{before} {}", size());
    }
    // A file that was changed, if only by one bit, must not be trusted.
    let whole = fs::read(folder.join("kept")).unwrap();
    for at in [whole.len() / 2, whole.len() - 40, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 4;
        fs::write(folder.join("changed"), changed).unwrap();
        let (status, _, errors) = folder.type_in(&format!("{game} --resume changed"));
        assert!(status == 1 && errors.contains("this file is damaged"), "{errors}");
    }
    // A file for other rules must be refused.
    let (status, _, errors) = folder.type_in("solve number-scrabble --resume kept --engine reference");
    assert!(status == 1 && errors.contains("this file was made for other rules"), "{errors}");
    folder.write("kept", "nonsense");
    let (status, _, errors) = folder.type_in(&format!("{game} --resume kept"));
    assert!(status == 1 && errors.contains("not written by `parlour solve --resume`"), "{errors}");
    let (status, _, errors) = folder.type_in("solve pig --memory 1 --engine reference");
    assert!(status == 1 && errors.contains("`--memory 1` (MB)"), "{errors}");
    assert!(!errors.contains("kept growing"), "every match of Pig ends: {errors}");
}

#[test]
fn what_grows_without_end_is_named_where_memory_is_full() {
    let folder = Folder::new("grows");
    folder.write("sum.game", include_str!("solve/endless-sum.game"));
    let (status, _, errors) = folder.type_in("solve sum.game --memory 1");
    assert!(status == 1 && errors.contains("in random play, `sum` ("), "{errors}");
    assert!(errors.contains("kept growing") && !errors.contains("`turn`"), "{errors}");
}

#[test]
fn state_in_which_most_positions_differ_is_named_where_memory_is_full() {
    let folder = Folder::new("ledger");
    folder.write("ledger.game", include_str!("solve/ledger.game"));
    let (status, _, errors) = folder.type_in("solve ledger.game --memory 8");
    let named = "the first 10,000 differ most in `account` (";
    let (_, rest) = errors.split_once(named).unwrap_or_else(|| panic!("{errors}"));
    assert!(status == 1 && rest.contains(" without it) and the points awarded ("), "{errors}");
}

/// Compiled code packs an integer into few bits if it is small. Larger ones are told apart all the same.
#[test]
fn positions_with_large_numbers_are_told_apart() {
    let folder = Folder::new("thousands");
    folder.write("thousands.game", include_str!("solve/thousands.game"));
    let found = ["compiled", "reference"].map(|engine| {
        let (_, printed, errors) =
            folder.type_in(&format!("solve thousands.game --all --json --engine {engine}"));
        let mut json: Json = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{errors}"));
        json["seconds"] = Json::Null;
        json
    });
    assert_eq!(found[0], found[1]);
}

#[test]
fn what_cannot_be_solved_is_refused_in_a_sentence() {
    let folder = Folder::new("refused");
    for (words, sentence) in [
        ("solve goofspiel", "`parlour equilibrium`"),
        ("solve bulls-and-cows", "not everybody sees"),
        ("solve nim --scores", "leave out `--scores`"),
        ("solve pig --players 3 --set goal=10", "`--as paranoid`"),
    ] {
        let (status, printed, errors) = folder.type_in(&format!("{words} --engine reference"));
        assert!(status == 1 && errors.contains(sentence), "{words}: {printed} {errors}");
    }
    let (status, _, errors) = folder.type_in("solve nim --seconds -1");
    assert!(status == 2, "{errors}");
}

/// Nothing reads `n` but its own next value, which cannot be computed from 3.
#[test]
fn positions_that_differ_only_in_a_fault_to_come_are_told_apart() {
    let text = "game \"Own\" { players 2 }\ntable { n: int = 5\n t: 0..2 = 0 }\n\
                move keep { t += 1 }\nmove three { n := 3\n t += 1 }\nmove halve { n := 12 div (n - 3)\n t += 1 }\n\
                play { turns until t = 2 { keep or three or halve } }\nwinner last mover\n";
    let rules = Rules::load(Source::new("own.game", text)).unwrap();
    let machine = rules.machine(&Default::default(), 2).unwrap();
    let start = machine.start().unwrap();
    let found = solve(&machine, &start, &task(&machine), &mut Knowledge::default(), &|_| true);
    assert!(found.unwrap_err().message.contains("0"));
}

#[test]
fn a_line_of_best_play_ends_as_the_value_says() {
    for (game, options) in [("tic-tac-toe", &[][..]), ("kalah", &[("holes", "2"), ("seeds", "3")])] {
        let machine = machine(game, options, 2);
        let found = solved(&machine, &task(&machine));
        let mut position = machine.start().unwrap();
        for (seat, chosen) in &found.line {
            machine.choose(&mut position, *seat, chosen.clone()).unwrap();
        }
        let winners = position.outcome.unwrap().winners;
        let worth = if winners == [0] {
            1
        } else if winners == [1] {
            -1
        } else {
            0
        };
        assert_eq!((found.line_end, worth), (LineEnd::Over, whole(&found.worth[0])), "{game}");
    }
}

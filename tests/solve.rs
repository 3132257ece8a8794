//! Solving must reproduce known results: theorems, published values and those of independent programs. Every
//! method must agree with a plain search of all matches; lines must replay; interrupting and resuming must
//! not change the result.

mod bounds;
mod lines;
mod points;
mod printed;
mod results;
#[path = "../benches/known/searched.rs"]
mod searched;
mod seats;
mod sides;
mod symmetries;

use std::fs;
use std::path::Path;

use parlour::engine::Engine;
use parlour::eval::{Machine, Waiting};
use parlour::num::{Int, Ratio};
use parlour::play::{Rules, bundled_source};
use parlour::solve::{Goal, Knowledge, Solved, Task, Worth, refused, solve};
use parlour::source::Source;

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

//! Bounds: what is proved where a search stops, where positions repeat, and where values get too long.

use super::{Options, machine, solved, task, whole};
use crate::known::pig::Pig;
use parlour::solve::{Goal, Knowledge, Method, Task, solve};

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

//! What it costs to do without a move, and what other moves than the best one cost.

use std::collections::BTreeMap;

use super::{figure, holds, interval, missing, says, study, value, verdict};
use serde_json::json;

#[test]
fn moves_that_matter_cost_who_does_without_them() {
    // Three points at a time are better than one, and burning two is never good.
    let report = study("moves.game --playouts 32 --games 32 --within 0.01");
    assert!(interval(&report, "without.grab")[0] > 0.3, "{}", figure(&report, "without.grab"));
    holds(&report, "without.burn", 0.0);
    assert!(interval(&report, "skill.random")[0] > 0.7);
    assert!(value(&report, "weight.blind") > 0.05);
    let mean = |label: &str| {
        let all = report["usage"].as_array().unwrap();
        all.iter().find(|usage| usage["label"] == label).unwrap()["mean"].as_f64().unwrap()
    };
    // Searches mostly grab. There are six choices per match.
    assert!(mean("grab") > mean("take") + mean("burn"));
    assert!((mean("grab") + mean("take") + mean("burn") - 6.0).abs() < 1e-5);
    // The ratings of the ladder rise.
    let elo: Vec<f64> =
        report["ladder"].as_array().unwrap().iter().map(|rung| rung["elo"].as_f64().unwrap()).collect();
    assert_eq!(elo.len(), 5);
    assert!(elo[0] < elo[4] - 100.0, "{elo:?}");
    assert_eq!(report["ladder"][4]["playouts"], 32);
}

/// Returns what the player to move gets with `left` counters, if only these moves are made while others are possible.
fn counters_won(left: usize, moves: [&[usize]; 2], seat: usize) -> f64 {
    let possible = |all: &[usize]| all.iter().copied().filter(|many| *many <= left).collect::<Vec<_>>();
    let own = Some(possible(moves[seat])).filter(|own| !own.is_empty());
    let own = own.unwrap_or_else(|| possible(&[1, 3, 4]));
    let won = |many: usize| if many == left { 1.0 } else { 1.0 - counters_won(left - many, moves, 1 - seat) };
    own.into_iter().map(won).fold(0.0, f64::max)
}

/// Returns what the player to move gets in a race to `goal` from these places; the players may `[throw, walk]`.
fn dash_won(
    goal: usize,
    at: [usize; 2],
    may: [[bool; 2]; 2],
    seat: usize,
    known: &mut BTreeMap<([usize; 2], usize), f64>,
) -> f64 {
    if let Some(known) = known.get(&(at, seat)) {
        return *known;
    }
    let mut after = |steps: usize| {
        let mut next = at;
        next[seat] += steps;
        if next[seat] >= goal { 1.0 } else { 1.0 - dash_won(goal, next, may, 1 - seat, known) }
    };
    let thrown = (1..=6).map(&mut after).sum::<f64>() / 6.0;
    let walked = after(3);
    let ways = [thrown, walked].into_iter().zip(may[seat]).filter(|(_, may)| *may).map(|(worth, _)| worth);
    let worth = ways.fold(0.0, f64::max);
    known.insert((at, seat), worth);
    worth
}

/// The cost of a forbidden move in a solved game is that of best play, which a search need not find.
#[test]
fn what_a_forbidden_move_costs_is_exact_where_the_game_is_solved() {
    for n in [14, 20] {
        let report = study(&format!("counters.game --playouts 8 --games 8 --set n={n}"));
        let all: [&[usize]; 3] = [&[3, 4], &[1, 4], &[1, 3]];
        for (name, without) in ["one", "three", "four"].iter().zip(all) {
            // The first player's share without the move, and the second's.
            let free: &[usize] = &[1, 3, 4];
            let first = counters_won(n, [without, free], 0);
            let second = 1.0 - counters_won(n, [free, without], 0);
            let cost = 0.5 - (first + second) / 2.0;
            let key = format!("without.{name}");
            assert_eq!(interval(&report, &key), [cost, cost], "{n}: {name}");
            let needless = format!("`{name}` is not needed: a perfect player who makes it only where");
            assert_eq!(says(&report, &needless), cost == 0.0);
        }
        assert!(report["series"].as_array().unwrap().iter().all(|series| series["key"] != "forbidden"));
    }
    let report = study("dash.game --playouts 8 --games 8 --set goal=8");
    let won = |may| dash_won(8, [0, 0], may, 0, &mut BTreeMap::new());
    let both = [true, true];
    assert!((value(&report, "best.1") - won([both, both])).abs() < 1e-6);
    for (name, without) in [("roll", [false, true]), ("walk", [true, false])] {
        let cost = 0.5 - (won([without, both]) + 1.0 - won([both, without])) / 2.0;
        assert!((value(&report, &format!("without.{name}")) - cost).abs() < 1e-6, "{name}: {cost}");
    }
}

/// Only the hare can run, nibble and rest, and only the tortoise can walk and block. The costs are those of a plain search of
/// the same rules by a program of its own, with fractions.
#[test]
fn a_move_that_only_one_player_has_costs_what_that_one_loses() {
    let best = 0.617_155;
    let costs = [
        ("run", "hare", best),
        ("nibble", "hare", best),
        ("rest", "hare", 0.014_135),
        ("walk", "tortoise", 0.382_845),
        ("block", "tortoise", 0.162_301),
    ];
    let report = study("hare.game --playouts 8 --games 8 --positions 100000");
    assert!((value(&report, "best.1") - best).abs() < 1e-6);
    for (at, (name, who, cost)) in costs.into_iter().enumerate() {
        let key = format!("without.{name}");
        assert!((value(&report, &key) - cost).abs() < 1e-6, "{name}: {}", figure(&report, &key));
        let meaning = figure(&report, &key)["meaning"].as_str().unwrap();
        assert!(meaning.contains(&format!("of the win that {who} loses under best play")), "{meaning}");
        assert_eq!(report["forbidden"][at], json!({ "move": name, "sides": [who] }));
    }
    let told = "`run` is worth 61.7 % of the win: a perfect player who makes it only where there is no other move loses that \
                much; only hare can choose between it and another move";
    assert!(says(&report, told), "{:#?}", verdict(&report));
    // Between searches: without its runs, the hare loses nearly all that it wins otherwise.
    let report = study("hare.game --playouts 40 --games 100 --positions 10");
    assert_eq!(figure(&report, "without.run")["series"], "forbidden");
    let [low, high] = interval(&report, "without.run");
    assert!(low < value(&report, "seat.1.share") && low > 0.4 && high <= 1.0, "{low}..{high}");
    // Where all have the move, all count.
    let report = study("counters.game --playouts 8 --games 8");
    assert_eq!(report["forbidden"][0]["sides"], json!(["player 1", "player 2"]));
    assert!(!says(&report, "can choose between it and another move"), "{:#?}", verdict(&report));
}

/// A single player scores three points a time with `grab`, one with `pick` and none with `rest`.
#[test]
fn a_single_player_does_without_moves_too() {
    let report = study("harvest.game --playouts 4 --games 8");
    assert_eq!(value(&report, "best.1"), 12.0);
    for (name, cost) in [("grab", 8.0), ("pick", 0.0), ("rest", 0.0)] {
        let key = format!("without.{name}");
        assert_eq!(
            (interval(&report, &key), &figure(&report, &key)["unit"]),
            ([cost, cost], &json!("points"))
        );
    }
    let loss = "`grab` is worth 8 points: a perfect player who makes it only where there is no other move loses that much";
    assert!(says(&report, loss), "{:?}", verdict(&report));
    // A move drawn from the three scores 4/3 on average, which is 5/3 less than the best, at every choice.
    assert_eq!(figure(&report, "weight.blind")["unit"], "points");
    assert_eq!(value(&report, "weight.blind"), 1.666_667);
    // No score is above the best one, so the mean is not, either.
    assert!(
        figure(&report, "seat.1.score")["interval"].is_null() || interval(&report, "seat.1.score")[1] <= 12.0
    );
    // In matches: there are too many positions for so little thought.
    let report = study("harvest.game --playouts 1 --games 40 --set n=60");
    assert!(missing(&report, "best.1").contains("more than 1,000 positions"));
    assert!(interval(&report, "without.grab")[0] > 20.0, "{}", figure(&report, "without.grab"));
    let forbidden = report["series"].as_array().unwrap().iter().find(|series| series["key"] == "forbidden");
    assert_eq!(forbidden.unwrap()["players"], "tree:1 with one move forbidden");
}

/// Forbidding a move changes nothing where there is never another.
#[test]
fn a_move_without_alternative_is_not_measured() {
    let report = study("lanes.game --playouts 4 --games 8");
    for name in ["near", "far"] {
        let why = missing(&report, &format!("without.{name}"));
        assert_eq!(why, "there is never a choice between it and another move");
        assert!(!says(&report, &format!("the move {name}")), "{:?}", verdict(&report));
    }
}

/// There are more legal moves than are listed one by one, which says nothing of those that are not among them.
#[test]
fn what_is_never_offered_or_possible_costs_nothing_and_is_not_played_for() {
    let report = study("parcel.game --playouts 4 --games 16 --within 0.4 --positions 10");
    for (name, why) in [("argue", "it is never offered"), ("grow", "it is never possible")] {
        assert_eq!(missing(&report, &format!("without.{name}")), why);
        assert!(!says(&report, &format!("`{name}` seems not to be needed")), "{:#?}", verdict(&report));
    }
    for words in [
        "! the move `argue` is never offered with these options when searches play",
        "! the move `grow` is on offer but never possible when searches play",
    ] {
        assert!(says(&report, words), "{words}: {:#?}", verdict(&report));
    }
    let series = |key: &str| report["series"].as_array().unwrap().iter().find(|of| of["key"] == key).unwrap();
    let matches = |key: &str| figure(&report, key)["matches"].as_u64().unwrap();
    let forbidden = series("forbidden")["matches"].as_u64().unwrap();
    assert_eq!(forbidden, matches("without.wrap") + matches("without.pass"), "the other two need no matches");
    // Where it is offered, it has an alternative.
    let report = study("parcel.game --set haggle=yes --playouts 4 --games 16 --within 0.4 --positions 10");
    assert!(figure(&report, "without.argue")["matches"].as_u64().unwrap() > 0);
    assert!(!says(&report, "never offered"), "{:#?}", verdict(&report));
}

#[test]
fn what_other_moves_cost_is_what_they_do() {
    // One of four moves wins, the others lose: any other move costs the whole win, so a blind one costs it
    // with probability 3/4.
    let report = study("door.game --playouts 16 --games 60 --within 0.001");
    // Thirty choices without an exception leave room for one in eight (C. Clopper and E. Pearson, 1934).
    assert_eq!((value(&report, "weight.second"), interval(&report, "weight.second")[1]), (1.0, 1.0));
    assert!((interval(&report, "weight.second")[0] - (1.0 - 0.1157)).abs() < 1e-3);
    holds(&report, "weight.blind", 0.75);
    assert_eq!(figure(&report, "weight.second")["matches"], 30, "every other match is looked at");
    assert_eq!((value(&report, "seat.1.share"), value(&report, "best.1")), (1.0, 1.0));
    holds(&report, "random.seat.1.share", 0.25);
}

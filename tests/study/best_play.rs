//! What a game is worth if all play perfectly: found in passing where that is possible, and named where it is not.

use super::{interval, missing, says, study, value, verdict};
use serde_json::Value as Json;

/// Who wins with five counters and three players is up to the first player, who loses in any case.
#[test]
fn where_a_loser_decides_who_wins_no_winner_is_named() {
    let report = study("heap.game --set n=5 --players 3 --playouts 2 --games 20");
    assert!(missing(&report, "best.2").contains("equally good"), "{}", missing(&report, "best.2"));
    assert!(!says(&report, "the game is solved"), "{:?}", verdict(&report));
    assert!(says(&study("heap.game --set n=4 --players 3 --playouts 2 --games 20"), "solved: player 2 wins"));
}

/// Where something is hidden or chosen together, searches need not find the best play: the shares they win
/// must not be told as what the game is worth.
#[test]
fn results_of_searches_that_must_guess_are_not_called_the_value() {
    for (game, imperfect, why) in [
        ("shell.game", "hidden", "something is hidden in this game"),
        ("odds.game", "together", "several choose at the same time in this game"),
    ] {
        let report = study(&format!("{game} --playouts 4 --games 200 --within 0.01 --positions 2"));
        assert_eq!(report["imperfect"], imperfect, "{game}");
        assert!(missing(&report, "best.1").contains("more than 1 node or move;"), "{game}");
        let sentence = verdict(&report).into_iter().find(|says| says.contains("has an advantage"));
        let sentence = sentence.unwrap_or_else(|| panic!("{game}: {:?}", verdict(&report)));
        assert!(!sentence.contains("the game is unfair: "), "{game}: {sentence}");
        for words in ["when searches play", "`parlour equilibrium`", why] {
            assert!(sentence.contains(words), "{game}: {sentence}");
        }
    }
    assert_eq!(study("coin.game --playouts 4 --games 8")["imperfect"], Json::Null);
}

/// There best play is a mix of moves: one shell of four is guessed, and one finger of three.
#[test]
fn best_play_is_a_mix_where_players_must_guess() {
    for (game, worth) in [("shell.game", 0.75), ("odds.game", 2.0 / 3.0)] {
        let report = study(&format!("{game} --playouts 4 --games 8"));
        assert!((value(&report, "best.1") - worth).abs() < 1e-6, "{game}");
        assert!((value(&report, "best.2") - (1.0 - worth)).abs() < 1e-6, "{game}");
        let unfair = "the game is unfair: if everybody plays perfectly";
        assert!(says(&report, unfair), "{game}: {:?}", verdict(&report));
    }
}

/// Either player can undo what the other did, so nobody gets the rope to the own end.
#[test]
fn best_play_may_never_end() {
    let report = study("tug.game --playouts 2 --games 8 --max-moves 50");
    assert_eq!(report["endless"], true);
    assert!(says(&report, "the match never ends if everybody plays perfectly"), "{:?}", verdict(&report));
    assert_eq!(study("coin.game --playouts 2 --games 8")["endless"], false);
}

#[test]
fn small_games_are_solved_by_the_way() {
    // Whoever begins with a multiple of four counters loses.
    for (n, first) in [(8, 0.0), (9, 1.0), (12, 0.0)] {
        let report = study(&format!("heap.game --playouts 2 --games 4 --set n={n}"));
        assert_eq!(interval(&report, "best.1"), [first, first], "{n} counters");
        assert_eq!(value(&report, "best.2"), 1.0 - first);
        let winner = if first == 1.0 { "player 1" } else { "player 2" };
        assert!(says(&report, &format!("! the game is solved: {winner} wins")), "{:?}", verdict(&report));
    }
    // Whoever begins sees a one first with probability 3/5, however they play.
    let report = study("round.game --playouts 2 --games 4");
    assert!((value(&report, "best.1") - 0.6).abs() < 1e-6 && (value(&report, "best.2") - 0.4).abs() < 1e-6);
    assert!(says(&report, "if everybody plays perfectly, player 1 gets 60 %"));
}

/// Fifteen counters are won for whoever begins; searches with two playouts do not know how.
#[test]
fn fairness_is_that_of_best_play_where_it_is_known() {
    let report = study("heap.game --playouts 2 --games 400 --set n=15 --within 0.01");
    assert!(says(&report, "! the game is solved: player 1 wins"), "{:?}", verdict(&report));
    assert!(interval(&report, "seat.2.share")[0] > 0.0);
    let sentence = verdict(&report).into_iter().find(|says| says.starts_with("between searches (tree:2) "));
    let sentence = sentence.unwrap_or_else(|| panic!("{:?}", verdict(&report)));
    assert!(
        sentence.contains("although player 1 can force the win: searches of this strength do not"),
        "{sentence}"
    );
    assert!(!says(&report, "unfair") && !says(&report, "advantage"), "{:?}", verdict(&report));
    // With chance, best play has shares, and these say what is fair.
    let report = study("round.game --playouts 2 --games 4");
    assert!(says(
        &report,
        "! the game is unfair: if everybody plays perfectly, player 1 gets 60 % and player 2 gets 40 % of the win"
    ));
    assert!(!says(&report, "solved"), "{:?}", verdict(&report));
}

/// Whoever sees cards one after the other lets the first `skip` go by and takes the next that is higher than all before: the
/// chance that it is the highest of all is `skip / n` times the sum of 1 / k for k from `skip` to `n - 1` (D. Lindley, 1961).
#[test]
fn the_best_plan_of_a_single_player_who_does_not_see_everything_is_found() {
    let report = study("record.game --playouts 50 --games 100");
    let chance = |skip: u32| f64::from(skip) / 5.0 * (skip..5).map(|k| 1.0 / f64::from(k)).sum::<f64>();
    let best = (1..5).map(chance).fold(0.0, f64::max);
    assert!((value(&report, "best.1") - best).abs() < 1e-4 && (best - 13.0 / 30.0).abs() < 1e-9, "{best}");
    assert!(says(&report, "perfect play wins 43 % of the matches"), "{:?}", verdict(&report));
    assert!(interval(&report, "seat.1.share")[0] < best, "{:?}", interval(&report, "seat.1.share"));
    // The cards are seen before they are chosen from, so that a guess at random is right one time in five.
    let [low, high] = interval(&report, "random.seat.1.share");
    assert!(low < 0.2 && 0.2 < high, "{low} {high}");
}

/// Returns what a purse with this sum is worth before so many throws, at best.
fn purse(sum: u32, throws: u32) -> f64 {
    let thrown = |die: u32| purse(if die == 6 { 0 } else { sum + die }, throws - 1);
    match throws {
        0 => f64::from(sum),
        _ => f64::from(sum).max((1..=6).map(thrown).sum::<f64>() / 6.0),
    }
}

/// A search must not take what it gets at once for what there is to get.
#[test]
fn what_is_paid_at_the_end_is_played_for() {
    let report = study("purse.game --playouts 100 --games 200");
    let best = purse(0, 5);
    assert!((value(&report, "best.1") - best).abs() < 1e-3, "{best}");
    assert!(interval(&report, "seat.1.score")[1] > 0.95 * best, "{:?}", interval(&report, "seat.1.score"));
    // At random, it is over before each of the throws half of the time.
    let random = |throws: u32| (0.5_f64).powi(throws as i32 + i32::from(throws < 5));
    let thrown = |throws: u32| {
        let mut sums = std::collections::BTreeMap::from([(0, 1.0)]);
        for _ in 0..throws {
            let mut next = std::collections::BTreeMap::new();
            for (sum, likely) in sums {
                for die in 1..=6 {
                    *next.entry(if die == 6 { 0 } else { sum + die }).or_insert(0.0) += likely / 6.0;
                }
            }
            sums = next;
        }
        sums.into_iter().map(|(sum, likely)| f64::from(sum) * likely).sum::<f64>()
    };
    let mean: f64 = (0..=5).map(|throws| random(throws) * thrown(throws)).sum();
    let [low, high] = interval(&report, "random.seat.1.score");
    assert!(low < mean && mean < high, "{mean}");
    assert!(interval(&report, "skill.score")[1] > 0.95 * best - mean);
}

/// Without a score, a single player wins whatever is compared; what leads is named by what decides.
#[test]
fn a_single_player_without_a_score_is_told_how_to_keep_one() {
    let folder = crate::folder::Folder::new("unscored");
    let purse = include_str!("purse.game");
    folder.write(
        "purse.game",
        &purse.replace("score = me.paid\nwinner highest score", "winner highest me.paid"),
    );
    let (_, out, _) = folder.type_in("study purse.game --playouts 2 --games 20 --json");
    let report: Json = serde_json::from_str(&out).unwrap();
    for words in
        ["! the game can hardly be lost: none of ", " was lost, and there is no score that could count"]
    {
        assert!(says(&report, words), "{words}: {:?}", verdict(&report));
    }
    let why = missing(&report, "skill.score");
    assert!(why.starts_with("the game keeps no score: ") && why.contains("`score = …`"), "{why}");
    let report = study("rungs.game --playouts 2 --games 20");
    let leads = report["curves"].as_array().unwrap().iter().find(|curve| curve["key"] == "lead").unwrap();
    let meaning = leads["meaning"].as_str().unwrap();
    assert!(
        meaning.contains("whoever leads by `me.rung` (which decides who wins) at that point"),
        "{meaning}"
    );
}

//! Players who win and lose together: their game is won or lost, and partners share no win with each other.

use super::{figure, holds, says, study, value, verdict};

/// Of the ways to play at random, one in sixteen loads the ferry with six, and a search finds it.
#[test]
fn a_game_that_all_win_together_is_won_or_lost() {
    let report = study("ferry.game --playouts 20 --games 200 --within 0.05");
    holds(&report, "random.seat.1.share", 1.0 / 16.0);
    assert_eq!((value(&report, "best.1"), value(&report, "seat.1.share")), (1.0, 1.0));
    assert_eq!(figure(&report, "seat.1.share")["title"], "all players win");
    holds(&report, "skill.wins", 15.0 / 16.0);
    for words in ["the game can be won", "searches win every match, random moves "] {
        assert!(says(&report, words), "{words}: {:?}", verdict(&report));
    }
    // There is no other side to be better than.
    for words in ["seat", "sole winner", "Elo"] {
        assert!(!says(&report, words), "{words}: {:?}", verdict(&report));
    }
    let keys = report["figures"].as_array().unwrap().iter().map(|figure| figure["key"].as_str().unwrap());
    let of_seats: Vec<&str> = keys.filter(|key| key.starts_with("seat.") || *key == "draws.share").collect();
    assert_eq!(of_seats, ["seat.1.share"]);
}

/// What partners win is no shared win, and nobody is ahead of a partner.
#[test]
fn a_team_that_wins_is_the_sole_winner() {
    let report = study("partners.game --playouts 4 --games 100 --within 0.05");
    // The sums of two teams are equal in 1 + 4 + 9 + 4 + 1 of 81 cases.
    let about = |key: &str, truth: f64| {
        assert!((value(&report, key) - truth).abs() < 0.2, "{}", figure(&report, key))
    };
    about("random.draws.share", 19.0 / 81.0);
    // Sums of 2 to 6 come up in 1, 2, 3, 2 and 1 of nine cases.
    let cases: Vec<i32> = vec![2, 3, 3, 4, 4, 4, 5, 5, 6];
    let leads = cases.iter().flat_map(|one| cases.iter().map(move |other| f64::from((one - other).abs())));
    about("random.margin.winner", leads.sum::<f64>() / 81.0);
}

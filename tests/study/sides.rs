//! Players who win and lose together: their game is won or lost, and partners share no win with each other.

use super::{figure, holds, run, says, study, value, verdict};

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

/// Whoever takes three each time has six with a partner, and wins against the sums of random partners: but for the case of nine
/// in which they have six, too, and the first team wins. If partners had different players, all would get the same.
#[test]
fn players_of_a_strength_are_partners() {
    let report = study("benches.game --playouts 40 --games 200 --within 0.04");
    holds(&report, "skill.random", (1.0 + 8.0 / 9.0) / 2.0);
    assert!(
        says(&report, "a search gets ") && !says(&report, "whether skill matters"),
        "{:?}",
        verdict(&report)
    );
    let sides = [[1, 2], [3, 4]].map(|seats| {
        let name = format!("the team of player {} and player {}", seats[0], seats[1]);
        serde_json::json!({ "name": name, "seats": seats })
    });
    assert_eq!(report["sides"], serde_json::json!(sides));
}

/// What a sweep shows of teams is the share of the first one.
#[test]
fn a_sweep_names_sides() {
    let (_, out, _) = run("benches.game --playouts 4 --games 4 --sweep ahead=0..1");
    assert!(out.contains("side 1 %") && out.contains("the first side's share of the win"), "{out}");
    assert!(!out.contains("seat"), "{out}");
}

/// The first team wins 31 + 19 of 81 cases, as it wins those that are level, too.
#[test]
fn teams_have_the_shares_and_not_their_players() {
    let report = study("benches.game --playouts 4 --games 200 --within 0.04");
    holds(&report, "random.seat.1.share", 50.0 / 81.0);
    holds(&report, "random.seat.3.share", 31.0 / 81.0);
    let of_teams = "the team of player 1 and player 2 wins";
    assert_eq!(figure(&report, "seat.1.share")["title"], of_teams);
    let keys = report["figures"].as_array().unwrap().iter().map(|figure| figure["key"].as_str().unwrap());
    let shares: Vec<&str> = keys.filter(|key| key.ends_with(".share") && key.contains("seat.")).collect();
    assert_eq!(shares, ["seat.1.share", "seat.3.share", "random.seat.1.share", "random.seat.3.share"]);
    // All take three, and the tie goes to the first team.
    assert_eq!([value(&report, "best.1"), value(&report, "best.3")], [1.0, 0.0]);
    let solved = "! the game is solved: the team of player 1 and player 2 wins if everybody plays perfectly";
    assert!(says(&report, solved), "{:?}", verdict(&report));
    for words in ["kingmak", "who cannot win may decide", "leader", "player 1 gets"] {
        assert!(!says(&report, words), "{words}: {:?}", verdict(&report));
    }
    // The searches expect what teams get, so that favourites are known.
    value(&report, "favourite.changes");
    value(&report, "lead.changes");
    let deciders = report["deciders"].as_array().unwrap();
    assert_eq!(deciders[1]["decided"], deciders[1]["seats"][0], "{deciders:?}");
    assert_eq!(
        report["distributions"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["key"].as_str().unwrap().ends_with(".scores"))
            .count(),
        2
    );
}

#[test]
fn a_head_start_of_a_team_is_named() {
    let report = study("benches.game --playouts 4 --games 60 --set ahead=6 --positions 10");
    let start = "! the team of player 1 and player 2 has a head start: it begins with 6 points, the team of player 3 and \
                 player 4 with 0";
    assert!(says(&report, start), "{:?}", verdict(&report));
}

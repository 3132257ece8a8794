//! What the headline says of head starts.

use super::{says, study, verdict};

#[test]
fn a_head_start_is_named_where_it_decides() {
    let report = study("ahead.game --playouts 4 --games 60 --within 0.1 --positions 10");
    assert!(says(&report, "! the game is unfair: player 1 has an advantage: "), "{:?}", verdict(&report));
    let start = "! player 1 has a head start: it begins with 10 points, player 2 with 0";
    assert!(says(&report, start), "{:?}", verdict(&report));
    // Solved, it is the same game.
    let report = study("ahead.game --playouts 4 --games 8 --set ahead=20");
    assert!(says(&report, "! player 1 has a head start: it begins with 20 points"), "{:?}", verdict(&report));
    // What is not a score is told as it is.
    let report = study("apart.game --playouts 4 --games 30 --within 0.1");
    assert!(says(&report, "the game is unfair"), "{:?}", verdict(&report));
    let unlike = "the players do not begin alike: `at` is 10 for player 1 and 0 for player 2";
    assert!(says(&report, unlike), "{:?}", verdict(&report));
}

#[test]
fn fair_games_have_no_head_start() {
    for words in ["fingers.game --positions 10", "ahead.game --set ahead=0 --positions 10"] {
        let report = study(&format!("{words} --playouts 4 --games 60 --within 0.1"));
        for word in ["head start", "begin alike", "unfair", "large advantage"] {
            assert!(!says(&report, word), "{words}: {:?}", verdict(&report));
        }
    }
    // Whoever has the head start must also win more.
    let report = study("ahead.game --playouts 4 --games 16 --set ahead=1 --positions 10");
    assert_eq!(report["unlike_starts"][0]["ahead"], 0);
    assert!(!says(&report, "head start"), "{:?}", verdict(&report));
}

/// Searches are too few to tell, but random moves are not.
#[test]
fn an_advantage_at_random_is_told_where_searches_are_few() {
    let report = study("apart.game --playouts 4 --games 2 --positions 10");
    let told = "! with random moves player 1 has a large advantage: ";
    assert!(says(&report, told), "{:?}", verdict(&report));
    assert!(says(&report, "too few matches to say whether player 1 keeps it when searches play"));
    let report = study("fingers.game --playouts 4 --games 2 --positions 10");
    assert!(!says(&report, "large advantage"), "{:?}", verdict(&report));
}

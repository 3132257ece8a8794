//! What is offered and never taken, what does the same, and what other moves cost where the game is solved.

use super::{figure, interval, run, run_at, says, study, value, verdict};
use serde_json::{Value as Json, json};

#[test]
fn values_and_moves_that_nobody_wants_are_told() {
    let report = study("spoiled.game --playouts 60 --games 40 --within 0.3");
    let matches =
        report["series"].as_array().unwrap().iter().find(|series| series["key"] == "strong").unwrap();
    let matches = matches["matches"].as_u64().unwrap();
    let values = report["values"].as_array().unwrap();
    let of = |name: &str| {
        let used = values.iter().find(|used| used["move"] == name).unwrap();
        assert_eq!(used["parameter"], "apple");
        used["values"].as_array().unwrap()
    };
    let number = |value: &Json, what: &str| value[what].as_u64().unwrap();
    for name in ["eat", "swallow"] {
        let names: Vec<&str> = of(name).iter().map(|value| value["value"].as_str().unwrap()).collect();
        assert_eq!(names, ["0", "1", "2", "3", "4", "5", "6"]);
        // The bad apple is there at all four choices of a match, and never eaten.
        assert_eq!((number(&of(name)[0], "possible"), number(&of(name)[0], "chosen")), (4 * matches, 0));
        // At random: among 7 to 4 apples, each for two moves, and one move more.
        let expected = [15.0, 13.0, 11.0, 9.0].iter().map(|rows| 1.0 / rows).sum::<f64>();
        assert!((of(name)[0]["expected"].as_f64().unwrap() - expected * matches as f64).abs() < 1e-3);
    }
    let eaten = |name: &str| of(name).iter().map(|value| number(value, "chosen")).sum::<u64>();
    assert_eq!(eaten("eat") + eaten("swallow"), 4 * matches);
    for words in [
        "! `eat` is never made with apple 0",
        "! `swallow` is never made with apple 0",
        "! the move `hoard` is on offer but never possible when searches play",
        &format!(
            "! the move `spit` is never made when searches play, though it is possible at {} choices: nobody wants it",
            4 * matches
        ),
        "! `eat` and `swallow` do the same: at each of",
    ] {
        assert!(says(&report, words), "{words}: {:#?}", verdict(&report));
    }
    assert_eq!(report["same"].as_array().unwrap().len(), 1, "{}", report["same"]);
}

/// What a need of a move refuses cannot be said where the move is never offered.
#[test]
fn a_move_that_others_always_come_before_is_told_with_the_reason() {
    let report = study("spare.game --playouts 20 --games 40 --within 0.3");
    let words = "! the move `pass_on` is never possible when searches play: it is offered only where no other move is possible";
    assert!(says(&report, words), "{:#?}", verdict(&report));
    assert!(!says(&report, "never refuses"), "{:#?}", verdict(&report));
}

#[test]
fn what_other_moves_cost_is_exact_where_the_game_is_solved() {
    // One match in two is examined at both of its choices. Whichever way the needle is hidden, it is found: that costs
    // nothing. Of six guesses, one wins: the next costs everything, and one at random five sixths.
    let report = study("needle.game --playouts 1 --games 60 --within 0.3");
    assert_eq!(report["exact_costs"], true);
    assert_eq!((value(&report, "weight.second"), value(&report, "weight.blind")), (0.5, 0.416_667));
    assert!(figure(&report, "weight.second")["meaning"].as_str().unwrap().contains("if play is perfect"));
    // No move is better than the best.
    let few = study("needle.game --playouts 1 --games 4 --within 0.3");
    for key in ["weight.second", "weight.blind"] {
        assert!(interval(&few, key)[0] >= 0.0, "{}", figure(&few, key));
    }
    // Where too few positions are searched to solve it, searches say what it costs.
    let report = study("tic-tac-toe --playouts 1 --games 16 --within 0.5 --positions 100");
    assert_eq!(report["exact_costs"], false);
    assert!(figure(&report, "weight.second")["meaning"].as_str().unwrap().contains("a search ranks second"));
}

#[test]
fn values_are_listed_in_words_and_on_the_page() {
    let (status, text, _) = run_at("70", "spoiled.game --playouts 20 --games 16");
    assert_eq!(status, 0);
    let (_, listed) = text
        .split_once("How often each value is chosen\n  of the choices at which it is possible\n")
        .unwrap();
    assert!(listed.starts_with("  eat, apple: 0: "), "{listed}");
    assert!(text.lines().all(|line| line.chars().count() <= 70));
    let folder = crate::folder::Folder::new("values");
    let page = folder.join("page.html");
    run(&format!("spoiled.game --playouts 5 --games 8 --html {}", page.display()));
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("Which values were chosen") && page.contains("choices where it was possible"));
}

#[test]
fn a_sweep_of_which_nothing_can_be_played_says_why() {
    let (status, _, errors) = run("coin.game --sweep players=3,4");
    assert_eq!(status, 1);
    assert!(
        errors.contains("error: no setting can be studied; players=3: this game is for 2 players"),
        "{errors}"
    );
}

#[test]
fn a_toss_that_decides_is_not_told_as_an_early_decision_by_play() {
    // Nine stones, of which one to three are taken: whoever the coin lets begin can win.
    let report = study("toss.game --playouts 200 --games 160 --within 0.02");
    assert!(
        says(&report, "! what is drawn before the first choice decides a match"),
        "{:?}",
        verdict(&report)
    );
    assert!(!says(&report, "a match is decided early"));
}

#[test]
fn values_that_are_never_possible_and_values_that_do_the_same_are_told() {
    let report = study("palette.game --playouts 20 --games 40 --within 0.3");
    let [never] = report["never"].as_array().unwrap().as_slice() else { panic!("{}", report["never"]) };
    assert_eq!(
        (&never["move"], &never["parameter"], &never["which"]),
        (&json!("take"), &json!("count"), &json!("above 3"))
    );
    assert_eq!(never["values"], json!(["4", "5", "6", "7", "8", "9", "10"]));
    let [same] = report["same_values"].as_array().unwrap().as_slice() else {
        panic!("{}", report["same_values"])
    };
    assert_eq!(
        (&same["parameter"], &same["values"], &same["all"]),
        (&json!("colour"), &json!(["green", "red"]), &json!(false))
    );
    for words in [
        "- `take` was never possible with `count` above 3 in ",
        "! `take` does the same with colour green and red: at each of ",
    ] {
        let lines: Vec<String> = verdict(&report)
            .into_iter()
            .map(|line| if line.starts_with('!') { line } else { format!("- {line}") })
            .collect();
        assert!(lines.iter().any(|line| line.starts_with(words)), "{words}: {lines:#?}");
    }
    // What every number does differs, and each is possible somewhere.
    let report = study("heap.game --playouts 5 --games 40 --within 0.3");
    assert_eq!((&report["never"], &report["same_values"]), (&json!([]), &json!([])));
}

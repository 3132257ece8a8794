//! What the headline says of head starts, of what decides a match, and of rules that never do anything.

use super::{figure, holds, interval, run, says, study, value, verdict};
use serde_json::{Value as Json, json};

#[test]
fn a_head_start_is_named_where_it_decides() {
    let report = study("ahead.game --playouts 4 --games 60 --within 0.1 --positions 10");
    // One effort alone does not show that thinking helps, without which searches say nothing of the game itself.
    assert!(says(&report, "! player 1 has an advantage when searches play: "), "{:?}", verdict(&report));
    let start = "! player 1 has a head start: it begins with 10 points, player 2 with 0";
    assert!(says(&report, start), "{:?}", verdict(&report));
    // A larger one shows in few matches.
    let report = study("ahead.game --playouts 4 --games 8 --set ahead=20");
    assert!(says(&report, "! player 1 has a head start: it begins with 20 points"), "{:?}", verdict(&report));
    // What is not a score is told as it is.
    let report = study("apart.game --playouts 4 --games 30 --within 0.1");
    assert!(says(&report, "! player 1 has an advantage"), "{:?}", verdict(&report));
    let unlike = "the players do not begin alike: `at` is 10 for player 1 and 0 for player 2";
    assert!(says(&report, unlike), "{:?}", verdict(&report));
}

#[test]
fn matches_that_are_too_long_are_told_with_the_reason() {
    let study = |set: &str| study(&format!("stroll.game --playouts 2 --games 8 --positions 10 {set}"));
    let long = "! a match is too long for pencil and paper: ";
    let report = study("");
    for words in [long, " for each player", "`--sweep goal=…` shows whether another setting makes it shorter"]
    {
        assert!(says(&report, words), "{words}: {:?}", verdict(&report));
    }
    assert!(!says(&report, "only one legal move"), "{:?}", verdict(&report));
    let report = study("--set back=yes");
    assert!(says(&report, long), "{:?}", verdict(&report));
    assert!(says(&report, " of the choices have only one legal move; "), "{:?}", verdict(&report));
    let report = study("--set goal=20");
    assert!(says(&report, "a match is ") && !says(&report, "too long"), "{:?}", verdict(&report));
}

#[test]
fn fair_games_have_no_head_start() {
    for words in ["fingers.game --positions 10", "twice.game --positions 10"] {
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

/// The largest number is always the best to take, which a few playouts do not show.
#[test]
fn a_search_that_looking_one_move_ahead_beats_is_named() {
    let claim = "! looking one move ahead is stronger than every search here: greedy has ";
    let report = study("ahead.game --playouts 4 --games 30 --set ahead=0 --positions 10");
    assert!(says(&report, claim), "{:?}", verdict(&report));
    let report = study("ahead.game --playouts 400 --games 30 --set ahead=0 --positions 10");
    assert!(!says(&report, claim), "{:?}", verdict(&report));
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

#[test]
fn each_part_of_the_winner_rule_decides_as_often_as_it_does() {
    // Two sums of three throws of 1 or 2 are equal in 20 of 64 cases. Nobody throws less often, and player 2 is last.
    let report = study("ties.game --playouts 1 --games 400 --within 0.001");
    let level = 20.0 / 64.0;
    for (key, truth) in
        [("winner.1", 1.0 - level), ("winner.2", 0.0), ("winner.3", level), ("winner.level", 0.0)]
    {
        holds(&report, key, truth);
    }
    assert_eq!(figure(&report, "winner.3")["title"], "decided by last mover");
    let [first, second, third] = [0, 1, 2].map(|part| &report["deciders"][part]);
    assert_eq!((&first["reached"], &second["reached"]), (&json!(400), &third["reached"]));
    assert_eq!(third["seats"], json!([0, third["reached"]]));
    assert_eq!(value(&report, "winner.3"), third["reached"].as_f64().unwrap() / 400.0);
    for words in [
        "who wins is decided by `highest score` in ",
        "; `last mover` decides for player 2 each time",
        "! the tie-break `lowest me.throws` never breaks a tie: players were still level after it in each of ",
    ] {
        assert!(says(&report, words), "{words}: {:?}", verdict(&report));
    }
    // All throws are alike.
    let report = study("ties.game --playouts 1 --games 20 --set faces=1");
    let always = "! the tie-break `last mover` decides every match: 20 matches without exception";
    assert!(says(&report, always), "{:?}", verdict(&report));
    // What has no tie-break has nothing to say of one.
    for words in ["ahead.game --positions 10", "apart.game"] {
        let report = study(&format!("{words} --playouts 1 --games 8"));
        assert_eq!(report["deciders"], json!([]));
        assert!(!says(&report, "who wins is decided by"), "{words}: {:?}", verdict(&report));
    }
}

#[test]
fn a_tie_break_without_ties_is_told() {
    // Odd cards add up to 18 points, even ones to 12.
    let report = study("settled.game --playouts 1 --games 16");
    let idle = "the tie-break `lowest size(me.hand)` never had a tie to break in 16 matches";
    assert!(says(&report, idle), "{:?}", verdict(&report));
    assert!(!says(&report, &format!("! {idle}")), "a tie may be rare");
    assert!(!says(&report, "who wins is decided by"), "{:?}", verdict(&report));
    assert_eq!((value(&report, "winner.1"), value(&report, "winner.level")), (1.0, 0.0));
}

#[test]
fn rules_that_never_do_anything_are_told() {
    let report = study("rusty.game --playouts 2 --games 20 --positions 10");
    for words in [
        "`where p.taken > 10` (rusty.game line 27) never lets anything through",
        "! `3 * p.rare` (rusty.game line 19) never makes a difference: it was 0 for every player at the end of each of 20 \
         matches",
    ] {
        assert!(says(&report, words), "{words}: {:?}", verdict(&report));
    }
    // What differs, what an option says, and loops that do something are not told.
    for words in ["where p != me", "`p.taken`", "`extra`", "`me.waited`"] {
        assert!(!says(&report, words), "{words}: {:?}", verdict(&report));
    }
    let filters: Vec<(u64, u64)> = report["usage"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|usage| usage["kind"] == "filter")
        .map(|usage| (usage["ran"].as_u64().unwrap(), usage["of"].as_u64().unwrap()))
        .collect();
    // Every move begins both loops, and of two players, one is another.
    let [(0, begun), (others, _)] = filters[..] else { panic!("{filters:?}") };
    assert!(begun > 0 && begun == others, "{filters:?}");
}

/// `until stuck` is told as what happens, not by its keyword.
#[test]
fn who_is_stuck_is_told_in_words() {
    let (_, out, _) = run("ahead.game --playouts 1 --games 8");
    assert!(out.contains("    1.00  a player has no legal move (line 24)\n"), "{out}");
}

/// What it costs to do without a move is told as what the move is worth.
#[test]
fn moves_are_told_by_what_they_are_worth() {
    let report = study("counters.game --playouts 8 --games 8 --set n=14");
    let worth = |name: &str| value(&report, &format!("without.{name}"));
    let costly = ["one", "three", "four"].into_iter().filter(|name| worth(name) > 0.06);
    for name in costly.clone() {
        let told = format!(
            "`{name}` is worth {} % of the win: a perfect player who makes it only where there is no other move loses \
             that much, on average over the seats",
            100.0 * worth(name)
        );
        assert!(says(&report, &told), "{told}: {:?}", verdict(&report));
    }
    assert!(costly.count() > 0);
    // Between searches, what surely costs little is told of, and nothing else.
    let report = study("moves.game --playouts 32 --games 200 --within 0.01 --positions 10");
    let mut needless = 0;
    for name in ["grab", "take", "burn"] {
        let told = [
            format!(
                "searches do better without `{name}`: a search that makes it only where there is no other move gains "
            ),
            format!(
                "`{name}` seems not to be needed: a search that makes it only where there is no other move does as well"
            ),
            format!(
                "`{name}` is hardly needed: a search that makes it only where there is no other move loses "
            ),
        ];
        let told = told.iter().filter(|words| says(&report, words)).count();
        let little = usize::from(interval(&report, &format!("without.{name}"))[1] < 0.06);
        assert_eq!(told, little, "{name}: {:?}", verdict(&report));
        needless += little;
    }
    assert!((1..3).contains(&needless), "{needless}: grabbing is worth a lot, and taking is not");
}

/// Two pairs of partners have equal scores, which leave out the other pair, and one of the partners moves last.
#[test]
fn what_leaves_out_some_players_decides_too() {
    let report = study("pairs.game --playouts 1 --games 40 --within 0.001");
    let [score, last] = [0, 1].map(|part| &report["deciders"][part]);
    let number = |part: &Json, what: &str| part[what].as_u64().unwrap();
    assert_eq!((number(score, "reached"), number(last, "reached")), (40, 40));
    // Two sums of two throws of 1 to 3 differ in 62 of 81 cases, and only then does the score leave somebody out.
    let apart = number(score, "narrowed");
    assert!((20..=39).contains(&apart), "{score}");
    // Player 4 throws last, and wins alone if the own pair is ahead or level; else the other pair wins by the score.
    assert_eq!(number(score, "decided") + number(last, "decided"), 40, "{score} {last}");
    assert!(!says(&report, "`highest me.pair` never decides who wins"), "{:?}", verdict(&report));
}

/// A need that only a longer match would meet is told with what ends the match before; one that refuses something is not, and
/// nor is one without such a cause.
#[test]
fn what_ends_a_match_before_a_need_refuses_is_named() {
    let report = study("sprint.game --playouts 4 --games 30 --within 0.1 --positions 10");
    let told = "`need at < 15` (sprint.game line 15) never refuses anything when searches play: `win seat(1) when at >= 10 and \
                at mod 2 = 0` (sprint.game line 24) and `win seat(2) when at >= 10` (sprint.game line 25) come first";
    assert!(says(&report, told), "{:#?}", verdict(&report));
    assert!(!says(&report, "k != last"), "{:#?}", verdict(&report));
    // With one of them, it is that one.
    let folder = crate::folder::Folder::new("sprint");
    let text = std::fs::read_to_string("tests/study/sprint.game").unwrap();
    let one = text.replace("    win seat(1) when at >= 10 and at mod 2 = 0\n", "");
    folder.write("sprint.game", &one);
    let path = folder.join("sprint.game").display().to_string();
    let report = study(&format!("{path} --playouts 4 --games 30 --within 0.1 --positions 10"));
    let told = "searches play: `win seat(2) when at >= 10` (sprint.game line 24) comes first";
    assert!(says(&report, told), "{:#?}", verdict(&report));
    // A loop that ends comes first as well.
    let loops = one
        .replace("  turns {\n", "  turns until at >= 10 {\n")
        .replace("    win seat(2) when at >= 10\n", "");
    folder.write("sprint.game", &loops);
    let report = study(&format!("{path} --playouts 4 --games 30 --within 0.1 --positions 10"));
    assert!(says(&report, "`until at >= 10` (sprint.game line 22) comes first"), "{:#?}", verdict(&report));
    // Nothing would change without the end.
    folder.write("sprint.game", &one.replace("need at < 15", "need at < 16 or k < 4"));
    let report = study(&format!("{path} --playouts 4 --games 30 --within 0.1 --positions 10"));
    assert!(says(&report, "never refuses") && !says(&report, "comes first"), "{:#?}", verdict(&report));
}

/// One side of three ends the match at once.
#[test]
fn matches_that_end_before_anybody_chooses_are_told() {
    let report = study("early.game --playouts 2 --games 60");
    holds(&report, "length.none", 1.0 / 3.0);
    assert!(says(&report, " of the matches end before anybody chooses"), "{:?}", verdict(&report));
    let report = study("early.game --playouts 2 --games 20 --set faces=1");
    assert!(says(&report, "! there is nothing to choose: each of "), "{:?}", verdict(&report));
    for words in ["skill", "choices long", "never offered", "twice as long"] {
        assert!(!says(&report, words), "{words}: {:?}", verdict(&report));
    }
    let report = study("toss.game --playouts 2 --games 20");
    assert!(!says(&report, "before anybody chooses"), "{:?}", verdict(&report));
}

/// Three dice have 10.5 on average, whoever throws them; leaving one out loses 3.5.
#[test]
fn a_single_player_whose_choices_do_nothing_for_the_score_is_told_so() {
    let report = study("raffle.game --playouts 4 --games 300 --within 0.005");
    holds(&report, "random.seat.1.score", 10.5);
    holds(&report, "skill.score", 0.0);
    for words in ["! skill does not seem to matter: a search scores ", "! chance "] {
        assert!(says(&report, words), "{words}: {:?}", verdict(&report));
    }
    let report = study("raffle.game --playouts 100 --games 60 --set skip=yes");
    // Of three moves at random, one leaves it out.
    holds(&report, "skill.score", 3.5);
    assert!(says(&report, "a search scores ") && !says(&report, "skill does not"), "{:?}", verdict(&report));
}

/// The chance that four of the worst throws fall in a row, with `left` throws left and so many of them in a row now.
fn four_in_a_row(left: u32, row: u32, chance: f64) -> f64 {
    match (left, row) {
        (_, 4) => 1.0,
        (0, _) => 0.0,
        _ => {
            let worst = chance * four_in_a_row(left - 1, row + 1, chance);
            worst + (1.0 - chance) * four_in_a_row(left - 1, 0, chance)
        }
    }
}

/// What is won nearly always is not called certain, and is a weakness of the game.
#[test]
fn a_game_that_can_hardly_be_lost_is_told_so() {
    let report = study("sixes.game --playouts 8 --games 40");
    let best = 1.0 - four_in_a_row(6, 0, 1.0 / 8.0);
    assert!((value(&report, "best.1") - best).abs() < 1e-6 && best < 0.9995, "{best}");
    assert!(says(&report, "perfect play wins 99.9 % of the matches"), "{:?}", verdict(&report));
    assert!(says(&report, "! the game can hardly be lost: "), "{:?}", verdict(&report));
    // Four ones have a chance of 1 in 2401 to 4096: few matches see none, and do not show that there is no way to lose.
    let report = study("lucky.game --playouts 4 --games 20 --positions 10");
    assert_eq!(value(&report, "random.seat.1.share"), 1.0);
    let told = "! the game can hardly be lost: none of ";
    assert!(says(&report, told) && !says(&report, "no way to lose"), "{:?}", verdict(&report));
    // Where a score counts, to win is no question.
    let report = study("harvest.game --playouts 4 --games 8");
    assert!(!says(&report, "hardly be lost"), "{:?}", verdict(&report));
}

/// Three heaps of at most five cannot take 39 moves, and none is higher; what an option says, and what holds, is not told.
#[test]
fn conditions_that_never_hold_are_told() {
    let report = study("medals.game --playouts 4 --games 20");
    let told = "these conditions never held when searches played: `if made = 39` (medals.game line 24) and `if heap[1] > 5 and \
                count = 2` (medals.game line 26); `parlour check --play` looks for matches in which they do";
    assert!(says(&report, told), "{:#?}", verdict(&report));
    let branches = report["usage"].as_array().unwrap().iter().filter(|usage| usage["kind"] == "branch");
    assert_eq!(branches.count(), 2, "{}", report["usage"]);
    let (_, out, _) = run("medals.game --playouts 4 --games 20");
    assert!(out.contains("    0.00  held: if made = 39 (line 24)\n"), "{out}");
}

/// Whether a seat is better for all, or only for those who know how to play.
#[test]
fn an_advantage_is_told_with_that_of_random_moves() {
    let report = study("ahead.game --playouts 4 --games 60 --within 0.1 --positions 10");
    let told = verdict(&report)
        .into_iter()
        .find(|text| text.starts_with("! player 1 has an advantage when searches play: "));
    let told = told.unwrap_or_else(|| panic!("{:?}", verdict(&report)));
    assert!(told.contains("; with random moves player 1 gets "), "{told}");
}

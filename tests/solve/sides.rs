//! Those who win and lose together play as one: two teams against each other, more than two each for itself, and all players
//! together as a single one.

use crate::folder::Folder;
use parlour::engine::Engine;
use parlour::eval::{Machine, Waiting};
use parlour::num::{Int, Ratio};
use parlour::solve::{Goal, LineEnd, Method, Solved, Task, Worth};
use serde_json::{Value as Json, json};

use super::{best, machine, solved, task, whole};

/// Returns the number of an option as on the command line.
fn set(name: &'static str, value: usize) -> [(&'static str, String); 1] {
    [(name, value.to_string())]
}

fn with(game: &str, options: &[(&str, String)], players: usize) -> (Machine, Solved) {
    let options: Vec<(&str, &str)> = options.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let machine = machine(game, &options, players);
    let found = solved(&machine, &task(&machine));
    (machine, found)
}

/// Returns what a position is worth to the first of two sides, or to the only one, by a plain search of all matches. `first` says
/// whether a seat is on it, `end` what an end is worth to it.
fn plain(
    machine: &Machine,
    position: &parlour::eval::Position,
    first: &dyn Fn(usize) -> bool,
    end: &dyn Fn(&parlour::eval::Position) -> Ratio,
) -> Ratio {
    match &position.waiting {
        Waiting::Choice { seats, .. } => {
            let seat = seats[0];
            let worth = Engine::legal(machine, position, seat, false).unwrap().into_iter().map(|chosen| {
                let mut next = position.clone();
                machine.choose(&mut next, seat, chosen).unwrap();
                plain(machine, &next, first, end)
            });
            if first(seat) { worth.max().unwrap() } else { worth.min().unwrap() }
        }
        Waiting::Chance => {
            let outcomes = machine.outcomes(position).unwrap();
            let all: Vec<_> = outcomes.iter(Default::default()).unwrap().collect();
            let share = Ratio::new(&Int::ONE, &Int::from(all.len()));
            all.into_iter().fold(Ratio::ZERO, |sum, value| {
                let mut next = position.clone();
                machine.draw(&mut next, value).unwrap().unwrap();
                sum.add(&plain(machine, &next, first, end).mul(&share))
            })
        }
        _ => end(position),
    }
}

/// Checks the value of the start and of each move to each seat; with two sides, the second one loses what the first wins.
fn holds_everywhere(
    machine: &Machine,
    found: &Solved,
    first: &dyn Fn(usize) -> bool,
    end: &dyn Fn(&parlour::eval::Position) -> Ratio,
) {
    let by_seat = |worth: Ratio| -> Vec<Worth> {
        let seats = 0..machine.setup.players;
        seats.map(|seat| Worth::Exact(if first(seat) { worth.clone() } else { -&worth })).collect()
    };
    let start = machine.start().unwrap();
    assert_eq!(found.worth, by_seat(plain(machine, &start, first, end)), "{}", machine.game.title);
    for root in &found.first {
        let mut next = start.clone();
        machine.choose(&mut next, found.seat.unwrap(), root.chosen.clone()).unwrap();
        assert_eq!(root.worth, by_seat(plain(machine, &next, first, end)), "{root:?}");
    }
}

/// Of two teams whose members move one after the other, whoever faces a multiple of eight loses: a team takes four to six or so
/// with two moves. By a search in another language.
#[test]
fn a_team_leaves_its_partner_what_wins() {
    let ends_at = |position: &parlour::eval::Position| {
        let winners = &position.outcome.as_ref().unwrap().winners;
        Ratio::from(Int::from(if winners.contains(&0) { 1 } else { -1 }))
    };
    for stones in 1..=20 {
        let (machine, found) = with("bench-nim", &set("stones", stones), 4);
        let known = if [7, 8, 15, 16].contains(&stones) { -1 } else { 1 };
        assert_eq!(found.worth.iter().map(whole).collect::<Vec<_>>(), [known, known, -known, -known]);
        if stones <= 9 {
            holds_everywhere(&machine, &found, &|seat| seat < 2, &ends_at);
        }
        // Alpha-beta search is enough, as for two players.
        assert_eq!((found.method, found.line_end), (Method::AlphaBeta, LineEnd::Over));
        let misere = [("stones", stones.to_string()), ("misere", "yes".to_string())];
        let (_, found) = with("bench-nim", &misere, 4);
        let known = if [1, 2, 9, 10, 17, 18].contains(&stones) { -1 } else { 1 };
        assert_eq!(found.worth.iter().map(whole).collect::<Vec<_>>(), [known, known, -known, -known]);
    }
    for (stones, moves) in [(10, ["1", "2"]), (13, ["2", "3"])] {
        let (machine, found) = with("bench-nim", &set("stones", stones), 4);
        let mut good = best(&machine, &found);
        good.sort();
        assert_eq!(good, moves);
    }
}

/// What partners have on their own is added up, whether they play to win or for points.
#[test]
fn the_points_of_a_team_are_those_of_its_members() {
    for (gold, lead) in [("4,7,2,9,5,1,8,3", 1), ("1,9,1", -7), ("3,9,1,2", 7), ("5,8,2,6,1", -6)] {
        let options = [("gold", gold.to_string())];
        let (machine, found) = with("chests", &options, 4);
        let sign = i64::signum(lead);
        assert_eq!(found.worth.iter().map(whole).collect::<Vec<_>>(), [sign, -sign, sign, -sign], "{gold}");
        let points = Task { goal: Goal::points(&machine).unwrap(), ..task(&machine) };
        let found = solved(&machine, &points);
        assert_eq!(found.worth.iter().map(whole).collect::<Vec<_>>(), [lead, -lead, lead, -lead], "{gold}");
        let ahead = |position: &parlour::eval::Position| {
            let scores = machine.scores(position).unwrap().unwrap();
            Ratio::from(scores[0].add(&scores[2]).sub(&scores[1]).sub(&scores[3]))
        };
        holds_everywhere(&machine, &found, &|seat| seat % 2 == 0, &ahead);
    }
    // A score that partners have in common counts once: 2 + 2 against 2 + 2, or a die for which the lead is -5/48 on average.
    let (machine, _) = with("team-dice", &[], 4);
    let points = Task { goal: Goal::points(&machine).unwrap(), ..task(&machine) };
    let ahead = |position: &parlour::eval::Position| {
        let scores = machine.scores(position).unwrap().unwrap();
        Ratio::from(scores[0].sub(&scores[1]))
    };
    holds_everywhere(&machine, &solved(&machine, &points), &|seat| seat % 2 == 0, &ahead);
}

#[test]
fn teams_reckon_with_chance() {
    let (machine, found) = with("team-dice", &[], 4);
    let won = |position: &parlour::eval::Position| match position.outcome.as_ref().unwrap().winners.as_slice()
    {
        [0, 2] => Ratio::ONE,
        [1, 3] => -&Ratio::ONE,
        _ => Ratio::ZERO,
    };
    holds_everywhere(&machine, &found, &|seat| seat % 2 == 0, &won);
    let throw = found.first.iter().find(|first| !first.best).unwrap();
    assert_eq!(throw.worth[2], Worth::Exact(Ratio::new(&Int::from(-5), &Int::from(48))));
}

/// A rope goes back and forth, but the stronger team pulls it over: one more in each round. Equals can hold it for ever.
#[test]
fn teams_can_go_round_for_ever() {
    let (_, found) = with("tug", &set("strength", 2), 4);
    assert_eq!(found.worth.iter().map(whole).collect::<Vec<_>>(), [1, -1, 1, -1]);
    assert_eq!((found.method, found.endless), (Method::Retrograde, false));
    let (_, found) = with("tug", &set("strength", 1), 4);
    assert_eq!(found.worth.iter().map(whole).collect::<Vec<_>>(), [0; 4]);
    assert!(found.endless);
}

/// Three teams each play for themselves, as three players would: values by a search in another language, with the first and with
/// the last of equally good moves.
#[test]
fn each_of_more_than_two_teams_plays_for_itself() {
    type Shares = [(i64, i64); 3];
    let known: [(usize, Shares, bool); 7] = [
        (5, [(1, 2), (1, 2), (0, 1)], false),
        (7, [(1, 1), (0, 1), (0, 1)], true),
        (8, [(1, 1), (0, 1), (0, 1)], true),
        (9, [(1, 3), (1, 3), (1, 3)], false),
        (10, [(1, 1), (0, 1), (0, 1)], false),
        (11, [(0, 1), (1, 1), (0, 1)], true),
        (15, [(1, 2), (0, 1), (1, 2)], true),
    ];
    for (stones, shares, ties) in known {
        let (_, found) = with("three-benches", &set("stones", stones), 6);
        let worth: Vec<Worth> = (0..6)
            .map(|seat| shares[seat % 3])
            .map(|(n, of)| Worth::Exact(Ratio::new(&Int::from(n), &Int::from(of))))
            .collect();
        assert_eq!((found.worth, found.ties_decide), (worth, ties), "{stones}");
    }
}

/// The longest chains in which each number divides the next or is divided by it, as known for one player (OEIS A034298), whoever
/// writes which number; and a bridge of planks, of which each is added or subtracted.
#[test]
fn players_on_one_side_are_solved_like_one() {
    for (n, longest) in [1, 2, 3, 4, 4, 6, 6, 7, 8].into_iter().enumerate() {
        for players in 1..=4 {
            let (machine, found) = with("chain", &set("n", n + 1), players);
            assert_eq!(Goal::usual(&machine), Goal::Points { highest: true });
            assert_eq!(found.worth.iter().map(whole).collect::<Vec<_>>(), vec![longest; players]);
            assert_eq!((found.line.len() as i64, found.line_end), (longest, LineEnd::Over));
        }
    }
    for river in 1..30 {
        let (_, found) = with("span", &set("river", river), 3);
        let can = i64::from(river % 2 == 1 && river <= 27);
        assert_eq!(found.worth.iter().map(whole).collect::<Vec<_>>(), [can; 3], "{river}");
    }
    for (carries, n, of) in [(1, 1, 6), (5, 2401, 7776), (10, 594_181, 1_679_616)] {
        let (_, found) = with("load", &set("carries", carries), 2);
        assert_eq!(found.worth, vec![Worth::Exact(Ratio::new(&Int::from(n), &Int::from(of))); 2]);
    }
}

#[test]
fn sides_are_named_and_numbers_are_those_of_seats() {
    let folder = Folder::new("sides");
    for (file, text) in [
        ("bench-nim.game", include_str!("bench-nim.game")),
        ("chests.game", include_str!("chests.game")),
        ("chain.game", include_str!("chain.game")),
        ("span.game", include_str!("span.game")),
        ("load.game", include_str!("load.game")),
        ("three-benches.game", include_str!("three-benches.game")),
    ] {
        folder.write(file, text);
    }
    let words = |line: &str| {
        let (status, printed, errors) = folder.type_in(&format!("solve {line} --engine reference"));
        assert_eq!(status, 0, "{line}: {errors}");
        printed.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let json = |line: &str| -> Json { serde_json::from_str(&words(&format!("{line} --json"))).unwrap() };
    for (line, said) in [
        ("bench-nim.game", "value the team of player 1 and player 2 wins best"),
        ("bench-nim.game --all", "moves for the team of player 1 and player 2: take"),
        ("chests.game --scores", "value the team of player 1 and player 3 has 1 more point best"),
        ("chain.game --players 3", "value 9 points at most, and that can be reached best"),
        ("span.game --set river=21", "value the players together can win best"),
        ("span.game --set river=20", "value the players together cannot win best"),
        ("load.game --set carries=5", "value the players together win 30.9 % of the matches best"),
        ("three-benches.game --set stones=10", "value the team of player 1 and player 4: wins, the team of"),
        ("three-benches.game", "each plays for itself, and takes the first of equally good moves"),
    ] {
        let printed = words(line);
        assert!(printed.contains(said), "{line}: {printed}");
        assert!(
            said.contains("each plays") || line.contains("three") || !printed.contains("meaning"),
            "{printed}"
        );
    }
    let found = json("bench-nim.game");
    assert_eq!(found["value"], json!([1, 1, -1, -1]));
    assert_eq!((&found["winners"], &found["sides"]), (&json!([1, 2]), &json!([[1, 2], [3, 4]])));
    assert_eq!(found["moves"].as_array().unwrap().len(), 2);
    let found = json("chests.game --scores");
    assert_eq!((&found["value"], &found["difference"]), (&json!([1, -1, 1, -1]), &json!([1, -1, 1, -1])));
    let scores: Vec<i64> =
        found["scores"].as_array().unwrap().iter().map(|score| score.as_i64().unwrap()).collect();
    assert_eq!(scores[0] + scores[2] - scores[1] - scores[3], 1);
    let found = json("three-benches.game --set stones=15");
    assert_eq!(
        (&found["share"], &found["value"]),
        (&json!([0.5, 0, 0.5, 0.5, 0, 0.5]), &json!([0, -1, 0, 0, -1, 0]))
    );
    let found = json("span.game --set river=21");
    assert_eq!((&found["value"], &found["winners"]), (&json!([1, 1, 1]), &json!([1, 2, 3])));
    assert_eq!(json("span.game --set river=20")["value"], json!([0, 0, 0]));
    assert_eq!(json("nim").get("sides"), None);
    // From a position, and in parts: the team is the same, and nothing is lost.
    let mut record = json("bench-nim.game")["line"].clone();
    record["moves"].as_array_mut().unwrap().truncate(3);
    record["result"] = Json::Null;
    folder.write("three.json", &record.to_string());
    let printed = words("bench-nim.game --position three.json --all");
    assert!(printed.contains("value the team of player 1 and player 2 wins"), "{printed}");
    assert!(printed.contains("moves for the team of player 3 and player 4:"), "{printed}");
    let large = "solve bench-nim.game --set stones=50 --json --engine reference";
    folder.type_in(&format!("{large} --positions 50 --resume kept"));
    let (_, printed, errors) = folder.type_in(&format!("{large} --resume kept"));
    let resumed: Json = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{errors}"));
    // 50 is no multiple of eight, nor one less.
    assert_eq!(resumed["value"], json!([1, 1, -1, -1]));
}

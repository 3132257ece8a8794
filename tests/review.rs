//! Reviews: known mistakes must be named with the better move, good moves not; secrets must not be told.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::folder::Folder;
use parlour::bots::{Bot, Clock, Effort, Mind, StoppedClock};
use parlour::lab::{REVIEW_EFFORT, Review, ReviewedChoice, Reviewer};
use parlour::num::Rng;
use parlour::play::{Look, Match, Record, Rules, bundled_source, replay};
use parlour::repl::review;
use parlour::source::Source;
use serde_json::Value as Json;

fn shipped(name: &str) -> Arc<Rules> {
    Arc::new(Rules::load(bundled_source(name).unwrap()).unwrap())
}

fn written(text: &str) -> Arc<Rules> {
    Arc::new(Rules::load(Source::new("written.game", text)).unwrap_or_else(|found| panic!("{found:#?}")))
}

/// Returns a match in which these moves were made, each by the first player to move.
fn played(rules: &Arc<Rules>, options: &[(&str, &str)], players: usize, moves: &[&str]) -> Match {
    let options = rules.read_options(options.iter().copied()).unwrap();
    let mut played = Match::new(rules.clone(), &options, players, 1).unwrap();
    for line in moves {
        let player = played.to_move()[0];
        let (_, legal) = played.legal(player, 1000).unwrap();
        let entry = legal.into_iter().find(|entry| played.entry_words(entry) == *line);
        played.make(&entry.unwrap_or_else(|| panic!("{line} is not legal"))).unwrap();
    }
    played
}

/// Returns a review of a match, with this many playouts per position, and its text for 80 columns.
fn reviewed(whole: &Match, playouts: u64) -> (Review, String) {
    let mind = Mind::of(whole);
    let reviewer = Reviewer { whole, mind: &mind, effort: Effort::Playouts(playouts), seed: 1 };
    let stops = (1..=reviewer.steps()).map(|step| reviewer.stop(step, &StoppedClock).unwrap());
    let review = Review::of(&reviewer, stops.collect());
    let text = review::text(&reviewer, &review, &Default::default(), Look { width: 80, ..Look::default() });
    (review, text)
}

/// Returns the turning points by step: what was played, and what would have been better.
fn turns(whole: &Match, review: &Review) -> Vec<(usize, String, String)> {
    let words = |judged: &ReviewedChoice| {
        (whole.entry_words(&judged.entry), whole.entry_words(judged.better.as_ref().expect("a better move")))
    };
    let mut turns: Vec<_> =
        review.turning_points().into_iter().map(|(step, judged)| (step, words(judged))).collect();
    turns.sort();
    turns.into_iter().map(|(step, (made, better))| (step, made, better)).collect()
}

fn turn(step: usize, made: &str, better: &str) -> (usize, String, String) {
    (step, made.to_string(), better.to_string())
}

/// A turning point says what speaks for the better move: what it brings at once, and what it does not let the next player do.
#[test]
fn a_review_says_why_a_move_was_better() {
    let rules = written(
        "game \"Five\" { players 2 }\ntable { left: 0..9 = 5 }\n\
         move take(k in 1..3) { need k <= left else \"too many\"\n left -= k\n award k to me for \"taken\" }\n\
         play { turns until left = 0 { take } }\nwinner highest score\n",
    );
    // By hand: after `take 1`, the other takes three of four.
    let whole = played(&rules, &[], 2, &["take 1", "take 3", "take 1"]);
    let (review, text) = reviewed(&whole, 400);
    assert_eq!(turns(&whole, &review), [turn(1, "take 1", "take 3")]);
    let why = "\n`take 3` brings 3 points (taken)\n`take 1` brings 1 point (taken)\n\
               after `take 3`, player 2 can get 2 points at once; after `take 1`, 3\n";
    assert!(text.contains(why), "{text}");
}

#[test]
fn a_win_that_is_given_away_is_named() {
    // o must mark c2 but does not, so x takes it.
    let moves = ["mark b2", "mark a1", "mark c1", "mark a3", "mark a2", "mark b1", "mark c2"];
    let whole = played(&shipped("tic-tac-toe"), &[], 2, &moves);
    let (review, text) = reviewed(&whole, 400);
    assert_eq!(turns(&whole, &review), [turn(6, "mark b1", "mark c2")]);
    assert_eq!(review.end, Some(vec![1.0, 0.0]));
    insta::with_settings!({ snapshot_path => "review", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("given-away", text);
    });
}

#[test]
fn what_a_choice_makes_certain_was_certain_before_it() {
    // o lets x make two threats at once. So few playouts do not find that, but what follows can be worked out.
    let moves = ["mark a1", "mark b1", "mark c3", "mark b2", "mark a3", "mark a2", "mark b3"];
    let whole = played(&shipped("tic-tac-toe"), &[], 2, &moves);
    let (review, _) = reviewed(&whole, 3);
    let values = |step: usize| review.stops[step - 1].values.as_deref().unwrap();
    let x_wins = (1..=moves.len()).filter(|step| values(*step) == [1.0, 0.0]);
    let certain: Vec<usize> = x_wins.filter(|step| review.stops[step - 1].errors == [0.0, 0.0]).collect();
    assert!(certain.contains(&7), "{:?}", review.stops);
    for step in (1..moves.len()).step_by(2).filter(|step| certain.contains(&(step + 1))) {
        assert!(certain.contains(&step), "what x chose in step {step} won for certain: {:?}", review.stops);
    }
}

#[test]
fn what_is_not_blocked_and_what_is_not_seen_are_named() {
    // Yellow does not block column 1, red misses the win there, and yellow finally blocks. The match goes on.
    let moves = ["drop 1", "drop 2", "drop 1", "drop 2", "drop 1", "drop 4", "drop 4", "drop 1"];
    let whole = played(&shipped("connect-four"), &[("columns", "4"), ("rows", "4")], 2, &moves);
    let (review, text) = reviewed(&whole, 100);
    let turns = turns(&whole, &review);
    assert!(turns.contains(&turn(6, "drop 4", "drop 1")), "{turns:?}");
    assert!(turns.contains(&turn(7, "drop 4", "drop 1")), "{turns:?}");
    assert!(text.contains("red missed a win: `drop 1` wins at once"), "{text}");
    assert_eq!(review.end, None);
}

#[test]
fn in_nim_the_turning_points_are_those_of_the_theory() {
    // C. Bouton, 1901: whoever leaves a nim-sum of 0 wins, if taking the last one wins.
    let rules = shipped("nim");
    let options = rules.read_options([("piles", "[2, 3, 4]"), ("misere", "no")]).unwrap();
    for seed in 0..6 {
        let mut whole = Match::new(rules.clone(), &options, 2, seed).unwrap();
        let mut rng = Rng::new(seed);
        let mut wanted = Vec::new();
        let sum = |at: &Match| {
            let view = at.view(parlour::play::Viewer::Spectator).unwrap();
            view["table"]["left"].as_array().unwrap().iter().fold(0, |sum, pile| sum ^ pile.as_u64().unwrap())
        };
        while !whole.over() {
            let before = sum(&whole);
            let entry = whole.random_move(whole.to_move()[0], &mut rng).unwrap();
            whole.make(&entry).unwrap();
            if before != 0 && sum(&whole) != 0 {
                wanted.push(whole.depth());
            }
        }
        let (review, _) = reviewed(&whole, 400);
        let found: Vec<usize> = turns(&whole, &review).into_iter().map(|(step, ..)| step).collect();
        assert_eq!(found, wanted, "seed {seed}");
        // The better move leaves a nim-sum of 0.
        for (step, judged) in review.turning_points() {
            let mind = Mind::of(&whole);
            let reviewer = Reviewer { whole: &whole, mind: &mind, effort: Effort::Playouts(1), seed: 1 };
            let mut at = reviewer.before(step);
            at.make(judged.better.as_ref().unwrap()).unwrap();
            assert_eq!(sum(&at), 0, "seed {seed}, step {step}");
        }
    }
}

#[test]
fn a_perfect_match_turns_nowhere() {
    let rules = shipped("nim");
    let options = rules.read_options([("piles", "[1, 2, 4]")]).unwrap();
    let mut whole = Match::new(rules, &options, 2, 1).unwrap();
    let mind = Mind::of(&whole);
    while let Some(player) = whole.to_move().first().copied() {
        let entry = mind.choose(&whole, player, Bot::Exact, &StoppedClock).unwrap();
        whole.make(&entry).unwrap();
    }
    let (review, text) = reviewed(&whole, 300);
    assert!(turns(&whole, &review).is_empty(), "{text}");
    assert!(text.contains("there was no turning point"), "{text}");
    let moves =
        "b2 a1 c1 a3 a2 c2 b1 b3 c3".split(' ').map(|square| format!("mark {square}")).collect::<Vec<_>>();
    let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
    let whole = played(&shipped("tic-tac-toe"), &[], 2, &moves);
    let (review, text) = reviewed(&whole, 400);
    assert!(turns(&whole, &review).is_empty(), "{text}");
    assert_eq!(review.end, Some(vec![0.5, 0.5]), "{text}");
}

/// A coin lies face down, and a player guesses.
const COIN: &str = r#"
game "Coin" { players 2 }
table {
  coin: 1..2 = 1 hidden
  right: yes or no = no
}
move guess(side in 1..2) { right := side = coin }
play {
  chance thrown in 1..2
  coin := thrown
  ask seat(1) to guess
  reveal coin
  if right { win seat(1) }
  win seat(2)
}
"#;

/// What player 1 could expect at first, plus luck, less its own mistakes, plus those of the other, is what it got. In Pig to
/// 15 everything that can follow is worked out, so this holds to the last digit.
#[test]
fn luck_and_mistakes_add_up_to_the_result() {
    let rules = shipped("pig");
    let options = rules.read_options([("goal", "15")]).unwrap();
    for seed in 1..6 {
        let mut whole = Match::new(rules.clone(), &options, 2, seed).unwrap();
        let mut rng = Rng::new(seed);
        while !whole.over() {
            let entry = whole.random_move(whole.to_move()[0], &mut rng).unwrap();
            whole.make(&entry).unwrap();
        }
        let (review, text) = reviewed(&whole, 50_000);
        let (costs, luck) = (review.costs(2), review.luck(&whole).unwrap());
        let (first, end) = (review.stops[0].values.clone().unwrap(), review.end.clone().unwrap());
        assert!(luck.iter().all(|luck| luck.error == 0.0));
        assert!((luck[0].gain + luck[1].gain).abs() < 1e-6);
        let got = first[0] + luck[0].gain - costs[0] + costs[1];
        assert!((got - end[0]).abs() < 1e-6, "seed {seed}: {first:?} {luck:?} {costs:?} {end:?}");
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains("luck with the draws was worth "), "{text}");
    }
    // Where nothing is drawn there is no luck.
    let nim = played(&shipped("nim"), &[("piles", "1,2")], 2, &["take 1 1", "take 2 1", "take 2 1"]);
    assert_eq!(reviewed(&nim, 500).0.luck(&nim), None);
}

#[test]
fn nobody_is_blamed_for_what_it_could_not_know() {
    let rules = written(COIN);
    for side in ["guess 1", "guess 2"] {
        let whole = played(&rules, &[], 2, &[side]);
        let (review, _) = reviewed(&whole, 400);
        assert!(review.turning_points().is_empty(), "{side}: {review:?}");
        let shares = review.stops[0].values.as_ref().unwrap();
        assert!((shares[0] - 0.5).abs() < 0.15, "{side}: {shares:?}");
    }
}

/// A simultaneous choice: the larger number wins, and equal numbers are a draw.
const MORE: &str = r#"
game "More" { players 2 or more }
each player { taken: 1..3 = 1 }
move take(n in 1..3) { me.taken := n }
play { together players { take } }
score = me.taken
winner highest score
"#;

#[test]
fn a_choice_made_together_is_judged_against_what_others_would_choose() {
    let rules = written(MORE);
    for players in [2, 3] {
        let moves = vec!["take 1"; players - 1];
        let whole = played(&rules, &[], players, &[moves, vec!["take 3"]].concat());
        let (review, text) = reviewed(&whole, 1000);
        let turning = review.turning_points();
        assert_eq!(turning.len(), players - 1, "{text}");
        // What is best is worked out, and is not mixed.
        let judged_so = |judged: &ReviewedChoice| judged.by_equilibrium && !judged.mixed;
        assert!(turning.iter().all(|(_, judged)| judged_so(judged) && judged.entry.player < players));
        assert!(turns(&whole, &review).contains(&turn(1, "take 1", "take 3")), "{text}");
        let shares = review.stops[0].values.as_ref().unwrap();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{shares:?}");
        assert!(shares.iter().all(|share| (share - 1.0 / players as f64).abs() < 0.1), "{shares:?}");
    }
}

/// The opening is too deep for the playouts of a review, but what answers it is worked out: it lost a certain win.
#[test]
fn what_an_answer_proves_lost_was_thrown_away_before() {
    let rules = shipped("procession");
    let whole = played(&rules, &[], 2, &["flip 4", "flip 3"]);
    let mind = Mind::of(&whole);
    let reviewer = Reviewer { whole: &whole, mind: &mind, effort: REVIEW_EFFORT, seed: 0 };
    let review = Review::of(&reviewer, reviewer.stops(&StoppedClock, &mut |_| {}).unwrap());
    assert_eq!(turns(&whole, &review), [turn(1, "flip 4", "flip 3")]);
}

/// Whoever completes three crosses in a row loses. Estimates see no difference between the first moves, but what can be proved from
/// the end shows the one mistake of the match, which a search written for this game alone names as well.
#[test]
fn a_win_given_away_is_found_although_no_estimate_saw_it() {
    let rules = written(
        "game \"No Three\" { players 2 }\ntable { board: empty grid 4 by 6 of {x} }\n\
         move cross(at in board) { need board[at] is none else \"taken\"\n board[at] := x }\n\
         play { turns until board is full {\n cross\n\
           end when some(line in lines(board, 3): all(s in line: board[s] = x)) } }\n\
         loser last mover\n",
    );
    let squares = "f3 e1 a4 b3 a1 f1 b4 a2 e4 d2 e3 b1 d4 c3";
    let moves: Vec<String> = squares.split(' ').map(|square| format!("cross {square}")).collect();
    let whole = played(&rules, &[], 2, &moves.iter().map(String::as_str).collect::<Vec<_>>());
    let mind = Mind::of(&whole);
    let reviewer = Reviewer { whole: &whole, mind: &mind, effort: Effort::Playouts(100), seed: 0 };
    let review = Review::of(&reviewer, reviewer.stops(&StoppedClock, &mut |_| {}).unwrap());
    let turning: Vec<usize> = review.turning_points().iter().map(|(step, _)| *step).collect();
    assert_eq!(turning, [2]);
    // Player 2 wins from the start, and gives it away.
    let shares: Vec<f64> = review.stops.iter().map(|stop| stop.values.as_ref().unwrap()[1]).collect();
    assert_eq!(shares[..3], [1.0, 1.0, 0.0]);
    assert!(shares[2..].iter().all(|share| *share == 0.0), "{shares:?}");
}

/// Among sixty moves a search tries each one a few times only, so that what was played needs playouts of its own. There are too many
/// ways to play for an equilibrium.
#[test]
fn a_bad_move_among_many_is_named_with_every_seed() {
    let rules = written(
        "game \"Bids\" { players 2 }\neach player { made: 0..60 = 0 secret\n sum: 0..120 = 0 }\n\
         secret move bid(n in 1..60) { me.made := n }\n\
         play { repeat 2 { together players { bid }\n reveal made\n each p in players { p.sum += p.made } } }\n\
         winner highest me.sum\n",
    );
    let whole = played(&rules, &[], 2, &["bid 60", "bid 60", "bid 30", "bid 60"]);
    let mind = Mind::of(&whole);
    for seed in 0..4 {
        let reviewer = Reviewer { whole: &whole, mind: &mind, effort: Effort::Playouts(600), seed };
        let review = Review::of(&reviewer, reviewer.stops(&StoppedClock, &mut |_| {}).unwrap());
        let [(2, judged)] = review.turning_points()[..] else { panic!("{:?}", review.turning_points()) };
        assert!(judged.mixed && judged.entry.player == 1 && judged.cost() > 0.1, "{judged:?}");
    }
}

/// A game that nobody can win has nothing to review.
#[test]
fn where_nobody_can_win_nothing_is_reviewed() {
    let rules = written(
        "game \"Pot\" { players 2 }\neach player { total: int = 0 }\nmove take(n in 1..2) { me.total += n }\n\
         play { each p in players { ask p to take } }\nscore = me.total\n",
    );
    let (review, text) = reviewed(&played(&rules, &[], 2, &["take 1", "take 2"]), 100);
    assert!(review.stops.is_empty() && text.contains("by these rules nobody can win"), "{text}");
    // Bots play it all the same.
    let at = Match::new(rules, &Default::default(), 2, 1).unwrap();
    assert!(Mind::of(&at).choose(&at, 1, Bot::Hard, &StoppedClock).is_ok());
}

/// An open choice, a secret one, two open ones, and only then everything is revealed.
const SEALED: &str = r#"
game "Sealed" { players 2 }
table { heap: 0..20 = 5 }
each player { kept: 0..3 = 0 secret }
move take(n in 1..3) { heap -= n }
secret move keep(n in 0..3) { me.kept := n }
play {
  ask seat(1) to take
  ask seat(2) to keep
  ask seat(1) to take
  ask seat(2) to take
  reveal kept
  if heap + seat(2).kept > 1 { win seat(2) }
  win seat(1)
}
"#;

#[test]
fn of_a_match_that_is_not_over_nothing_secret_is_told() {
    let rules = written(SEALED);
    let match_with =
        |kept: &str, last: &[&str]| played(&rules, &[], 2, &[&["take 1", kept, "take 1"], last].concat());
    let told = |kept: &str| {
        let whole = match_with(kept, &[]);
        let (review, text) = reviewed(&whole, 100);
        assert_eq!(review.stops.len(), 1, "only the choice before the secret one");
        assert!(text.contains("from step 2 on, something is hidden"), "{text}");
        (review.json(&whole).to_string(), text)
    };
    let first = told("keep 0");
    for kept in ["keep 1", "keep 2", "keep 3"] {
        assert_eq!(told(kept), first);
    }
    // After the end nothing is hidden any more.
    let whole = match_with("keep 0", &["take 1"]);
    assert!(whole.over());
    let (review, text) = reviewed(&whole, 100);
    assert_eq!(review.stops.len(), 4);
    // What player 2 saw is told from where they first chose.
    let known: Vec<Vec<bool>> =
        review.curve().iter().map(|(_, of)| of.iter().map(Option::is_some).collect()).collect();
    assert_eq!((known[0].as_slice(), known[1].as_slice()), (&[true, false][..], &[true, true][..]), "{text}");
    let blamed: Vec<String> = turns(&whole, &review).into_iter().map(|(_, made, _)| made).collect();
    assert!(blamed.contains(&"keep 0".to_string()), "{blamed:?}");
}

#[test]
fn what_was_drawn_face_down_does_not_show_before_the_end() {
    // The prizes lie shuffled, face down; nobody may know which comes next.
    let rules = shipped("goofspiel");
    let options = rules.read_options([("n", "4")]).unwrap();
    let mut whole = Match::new(rules.clone(), &options, 2, 1).unwrap();
    for card in ["bid 1", "bid 2"] {
        let player = whole.to_move()[0];
        let (_, legal) = whole.legal(player, 10).unwrap();
        whole.make(legal.iter().find(|entry| whole.entry_words(entry) == card).unwrap()).unwrap();
    }
    let told = |record: &str| {
        let whole = replay(rules.clone(), &Record::read(record).unwrap()).unwrap().played;
        assert!(!whole.over());
        let (review, text) = reviewed(&whole, 50);
        (review.json(&whole).to_string(), text)
    };
    let mut other: Json = serde_json::from_str(&record(&whole)).unwrap();
    let row = other["moves"][0]["args"]["value"].as_array_mut().unwrap();
    row.swap(2, 3);
    assert_ne!(other.to_string(), record(&whole));
    assert_eq!(told(&other.to_string()), told(&record(&whole)));
}

/// Runs the program. Returns exit status, standard output and standard error.
fn parlour(args: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_parlour"))
        .args(args)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "60")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let done = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    (done.status.code().unwrap(), text(&done.stdout), text(&done.stderr))
}

fn record(whole: &Match) -> String {
    whole.record().unwrap().json().to_string()
}

#[test]
fn the_command_tells_what_the_library_does() {
    let whole = played(&shipped("nim"), &[("piles", "[1, 2, 3]")], 2, &["take 3 1", "take 2 1"]);
    let args = ["review", "-", "--playouts", "200", "--seed", "1"];
    let (status, out, told) = parlour(&[&args[..], &["--json"]].concat(), &record(&whole));
    assert_eq!((status, told.as_str()), (0, ""));
    let json: Json = serde_json::from_str(&out).unwrap();
    let (review, _) = reviewed(&whole, 200);
    let own = review.json(&whole);
    for key in ["end", "turning_points", "steps"] {
        assert_eq!(json[key], own[key], "{key}");
    }
    assert_eq!((json["reviewed"].as_u64(), json["playouts"].as_u64()), (Some(2), Some(200)));
    let (status, text, _) = parlour(&args, &record(&whole));
    assert_eq!(status, 0);
    assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 60), "{text}");
    let (_, plain, _) = parlour(&[&args[..], &["--plain"]].concat(), &record(&whole));
    assert!(plain.contains("before step 1: player 1 "), "{plain}");
}

#[test]
fn what_cannot_be_reviewed_is_refused_in_a_sentence() {
    let whole = played(&shipped("nim"), &[], 2, &["take 1 1"]);
    let mut broken: Json = serde_json::from_str(&record(&whole)).unwrap();
    broken["moves"][0]["args"]["count"] = 9.into();
    let (status, out, told) = parlour(&["review", "-"], &broken.to_string());
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(told.starts_with("error: -: entry 1 cannot be played: "), "{told}");
    let (status, _, told) = parlour(&["review", "nowhere.json"], "");
    assert_eq!((status, told.lines().count()), (1, 1), "{told}");
    let unbegun = played(&shipped("nim"), &[], 2, &[]);
    let (status, out, _) = parlour(&["review", "-"], &record(&unbegun));
    assert_eq!(status, 0);
    assert!(out.contains("nothing has been chosen yet"), "{out}");
}

#[test]
fn the_page_stands_alone_and_can_be_heard() {
    let whole = played(&shipped("nim"), &[("piles", "[1, 2, 3]")], 2, &["take 3 1", "take 2 1"]);
    let folder = Folder::new("page");
    let path = folder.join("review.html");
    let args = ["review", "-", "--playouts", "200", "--seed", "1", "--html", path.to_str().unwrap()];
    let (status, _, told) = parlour(&args, &record(&whole));
    assert_eq!((status, told.as_str()), (0, ""));
    let page = std::fs::read_to_string(&path).unwrap();
    let count = |what: &str| page.matches(what).count();
    for word in ["http", "<script", "<link", "src="] {
        assert!(!page.contains(word), "{word}: {page}");
    }
    // The picture has a description, the table has headings, every element is closed.
    assert!(page.contains("role=\"img\" aria-labelledby=\"curve-title curve-desc\""), "{page}");
    assert!(page.contains("<desc id=\"curve-desc\">Before step 1: player 1 "), "{page}");
    assert_eq!((count("<th scope=\"col\""), count("<th scope=\"row\"")), (7, 2), "{page}");
    for element in ["svg", "section", "table", "tr", "ol", "li", "pre", "figure", "figcaption", "html"] {
        let opened = count(&format!("<{element} ")) + count(&format!("<{element}>"));
        assert_eq!(opened, count(&format!("</{element}>")), "{element}: {page}");
    }
    let (review, _) = reviewed(&whole, 200);
    assert_eq!(count("<tr class=\"turning\">"), review.turning_points().len());
}

/// A clock with four threads.
struct Threads;

impl Clock for Threads {
    fn millis(&self) -> u64 {
        0
    }

    fn run_parallel(&self, most: usize, other: &(dyn Fn(usize) + Sync), own: &mut dyn FnMut()) {
        std::thread::scope(|scope| {
            (0..most.min(3)).for_each(|number| drop(scope.spawn(move || other(number))));
            own();
        });
    }
}

#[test]
fn threads_do_not_change_a_review() {
    let moves = ["drop 1", "drop 2", "drop 1", "drop 2", "drop 1", "drop 4"];
    let whole = played(&shipped("connect-four"), &[("columns", "4"), ("rows", "4")], 2, &moves);
    let mind = Mind::of(&whole);
    let reviewer = Reviewer { whole: &whole, mind: &mind, effort: Effort::Playouts(50), seed: 1 };
    let mut told = 0;
    let stops = reviewer.stops(&Threads, &mut |done| told = done.steps).unwrap();
    assert_eq!(stops, reviewer.stops(&StoppedClock, &mut |_| ()).unwrap());
    assert!(told <= 6, "{told}");
}

#[test]
fn what_was_lost_more_than_once_is_counted_in_wins() {
    // The nim-sum is not 0 before or after any of the first three choices.
    let moves = ["take 3 1", "take 1 1", "take 1 3", "take 2 2"];
    let whole = played(&shipped("nim"), &[("piles", "[4, 2, 1]"), ("misere", "no")], 2, &moves);
    let (review, text) = reviewed(&whole, 400);
    assert_eq!(review.costs(2), [2.0, 1.0], "{text}");
    assert!(text.contains("by mistakes, player 1 lost 2 wins and player 2 lost 1 win, "), "{text}");
}

#[test]
fn people_are_called_by_the_names_in_the_record() {
    let moves = ["take 3 1", "take 1 1", "take 1 3"];
    let whole = played(&shipped("nim"), &[("piles", "[4, 2, 1]"), ("misere", "no")], 2, &moves);
    let mut json: Json = serde_json::from_str(&record(&whole)).unwrap();
    json["names"] = serde_json::json!({ "1": "Zoe", "3": "Nobody", "2": "a wrong name!" });
    json["session"] = serde_json::json!({ "seats": { "2": "hard" } });
    let folder = Folder::new("names");
    let page = folder.join("review.html");
    let args = ["review", "-", "--playouts", "50", "--html", page.to_str().unwrap()];
    let (status, text, _) = parlour(&args, &json.to_string());
    assert_eq!(status, 0);
    assert!(
        text.starts_with("Nim, 3 steps, unfinished: it is player 2's turn\nplayer 2 is played by hard\n"),
        "{text}"
    );
    let page = std::fs::read_to_string(&page).unwrap();
    let turns = "The match turns at steps 1, 2 and 3.";
    for told in [turns, "Before step 1: Zoe ", "it is player 2&#39;s turn; player 2 is played by hard"] {
        assert!(page.contains(told) || page.contains(&told.replace("&#39;", "'")), "{told}: {page}");
    }
    assert!(!page.contains("player 1") && !text.contains("player 1"), "{text}");
    let (status, text, _) = parlour(&["replay", "-"], &json.to_string());
    assert_eq!(status, 0);
    assert!(text.contains("player 2 is played by hard\n   1  Zoe: take 3 1\n"), "{text}");
}

/// Three throws of a die at most; the score is the last one. The first has come up when the player first chooses, who
/// then can expect the better of it and 4.25, by hand: a second throw is kept if it beats 3.5.
fn three_throws(best: &str) -> String {
    format!(
        r#"game "Three Throws" {{
  players 1
}}

table {{
  die: 0..6 = 0
  left: 0..2 = 2
}}

move throw {{
  need left > 0 else "no throw is left"
  left -= 1
  die := 0
}}

move keep {{
  left := 0
}}

play {{
  repeat {{
    chance face in 1..6
    die := face
    ask seat(1) to throw or keep
  }} until die > 0
}}

score = die

winner {best} score
"#
    )
}

/// A player alone who plays for a score is judged by it.
#[test]
fn alone_mistakes_and_luck_are_points() {
    for (best, again, better) in
        [("highest", 4.25, f64::max as fn(f64, f64) -> f64), ("lowest", 2.75, f64::min)]
    {
        let rules = written(&three_throws(best));
        for seed in 1..6 {
            let mut whole = Match::new(rules.clone(), &rules.read_options([]).unwrap(), 1, seed).unwrap();
            let mut rng = Rng::new(seed);
            while !whole.over() {
                let entry = whole.random_move(1, &mut rng).unwrap();
                whole.make(&entry).unwrap();
            }
            let (review, text) = reviewed(&whole, 500);
            let (first, end) = (review.stops[0].values.clone().unwrap()[0], review.end.clone().unwrap()[0]);
            let face = whole.entry_json(whole.entries().next().unwrap())["args"]["value"].as_f64().unwrap();
            assert_eq!(first, better(face, again), "seed {seed}: {text}");
            let score = whole.scores().unwrap().unwrap()[0].to_f64();
            assert_eq!(end, score);
            let gained = review.luck(&whole).map_or(0.0, |luck| luck[0].gain) - review.costs(1)[0];
            let turned = if best == "highest" { end - first } else { first - end };
            assert!((turned - gained).abs() < 1e-9, "seed {seed}: {text}");
            let json = review.json(&whole);
            assert_eq!((&json["measure"], &json["end"][0]), (&"score".into(), &end.into()));
        }
    }
}

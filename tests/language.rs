//! The language, construct by construct: small games whose worked examples state what must happen; they are
//! also played at random.

use std::sync::Arc;

use crate::files;
use parlour::play::{Rng, Rules, playout, run_examples};
use parlour::source::Source;

fn games() -> Vec<(String, Arc<Rules>)> {
    files::checked(files::language().into_iter().chain(files::engines()).collect())
}

#[test]
fn worked_examples_hold() {
    files::examples_hold(games());
}

#[test]
fn random_matches_come_to_their_end() {
    for (name, rules) in games() {
        for players in rules.game.seats.min..=rules.game.seats.max.unwrap_or(4) {
            let machine = rules.machine(&Default::default(), players).unwrap();
            for n in 0..40 {
                let played = playout(&machine, &mut Rng::nth(1, n), 10_000, &mut |_| {});
                let (position, _) = played.unwrap_or_else(|fault| panic!("{name} with {players}: {fault:?}"));
                assert!(position.outcome.is_some(), "{name} with {players} does not end");
            }
        }
    }
}

#[test]
fn a_given_pass_of_a_loop_holds_though_chance_draws_before_it() {
    for before in ["", "chance x in 1..2\n", "chance x in 1..2\n  chance y in 1..3\n"] {
        let text = format!(
            "game \"Draws first\" {{ players 2 }}\ntable {{ at: int = 0\n  drawn: int = 0 }}\nshow \"{{at}} {{drawn}}\"\n\
             move put {{ drawn += 1 }}\n\
             play {{\n  {before}  repeat 5 as round {{\n    at := round\n    drawn := 7\n    chance z in 1..2\n    \
             ask seat(2) to put\n  }}\n}}\nwinner last mover\n\
             example \"fourth\" {{\n  given round = 4\n  given drawn = 3\n  2: put\n  shows \"5 7\"\n}}\n"
        );
        let rules = Arc::new(Rules::load(Source::new("draws.game", &text)).unwrap());
        for report in run_examples(&rules) {
            assert!(report.failure.is_none(), "{before}: {:?}", report.failure);
        }
    }
}

/// Runs the examples of a rule file and returns what those that fail say.
fn failures(text: &str) -> Vec<String> {
    let rules = Arc::new(Rules::load(Source::new("small.game", text)).unwrap());
    let failed = run_examples(&rules).into_iter().filter_map(|report| report.failure);
    failed.map(|failure| failure.message + " / " + &failure.help.unwrap_or_default()).collect()
}

#[test]
fn score_in_a_key_of_the_winner_is_that_of_the_player_judged() {
    for (key, winner) in [("score", "1"), ("score + me.coins", "2"), ("me.coins - 2 * score", "2")] {
        let text = format!(
            "game \"Key\" {{ players 2 }}\neach player {{ coins: int = 0 }}\n\
             move take(k in 1..9) {{\n  me.coins += 3 * k\n  award 10 - k to me\n}}\n\
             play {{ each p in players {{ ask p to take }} }}\nwinner highest {key}\n\
             example \"two and four\" {{\n  1: take 2\n  2: take 4\n  over, winner {winner}\n}}\n"
        );
        assert_eq!(failures(&text), Vec::<String>::new(), "{key}");
    }
}

#[test]
fn empty_lines_at_the_end_of_the_table_may_be_drawn_or_left_out() {
    let text = "game \"Top\" { players 2 }\ntable { a: list of int = [] }\nshow \"top\"\nshow \"{a}\"\n\
                move b(k in 1..3) { a += k }\nplay { turns as t until t > 2 { b } }\n\
                example \"left out\" {\n  start shows\n    | top\n}\n\
                example \"drawn\" {\n  start shows\n    | top\n    |\n  1: b 2 shows\n    | top\n    | 2\n}\n\
                example \"wrong\" {\n  start shows\n    |\n    | top\n}\n";
    assert_eq!(failures(text).len(), 1);
}

#[test]
fn the_words_of_a_refusal_are_whole_ones() {
    let text = |words: &str| {
        format!(
            "game \"Fours\" {{ players 2 }}\nmove take(k in 1..5) {{\n  need k != 4 else \"no fours: {{k}} is one\"\n}}\n\
             play {{ turns as t until t > 2 {{ take }} }}\n\
             example \"refused\" {{\n  1: take 4 refused \"{words}\"\n}}\n"
        )
    };
    for words in ["no fours", "no", "fours: 4", "4", "is one", "no fours: 4 is one"] {
        assert_eq!(failures(&text(words)), Vec::<String>::new(), "{words}");
    }
    for words in ["four", "o fours", "s: 4", "on", "fives"] {
        assert_eq!(failures(&text(words)).len(), 1, "{words}");
    }
}

/// A board that is drawn for other options than these fails when the match begins, and says what fits.
#[test]
fn a_drawn_board_has_as_many_squares_as_the_options_say() {
    let text = "game \"Board\" { players 2 }\noption n: 2..3 = 2\n\
                table {\n  board: grid n by n of 1..3 =\n    | 1 2\n    | 3 1\n}\n\
                move take(at in board) { award board[at] to me }\n\
                play { turns as t until t > 2 { take } }\nwinner highest score\n";
    let rules = Rules::load(Source::new("small.game", text)).unwrap();
    let machine = |n: &str| rules.machine(&rules.read_options([("n", n)]).unwrap(), 2).unwrap();
    assert!(machine("2").start().is_ok());
    let fault = machine("3").start().unwrap_err();
    assert!(fault.labels.iter().any(|label| label.text.contains("3 rows and 3 columns")), "{fault:?}");
}

#[test]
fn a_draw_that_does_not_fit_says_which_draw_was_due() {
    let text = "game \"Dice\" { players 2 }\ntable {\n  total: int = 0\n  deck: list of 1..9 = [1, 2, 3]\n}\n\
                move keep { }\nplay {\n  shuffle deck\n  chance die in 1..6\n  total += die\n  \
                ask seat(1) to keep\n}\nwinner last mover\n\
                example \"order\" {\n  chance deck [3, 1, 2]\n  chance deck [3, 1, 2]\n}\n\
                example \"part\" {\n  chance deck [3, 1]\n}\n\
                example \"value\" {\n  chance deck [3, 1, 2]\n  chance die 7\n}\n\
                example \"none\" {\n  chance deck [3, 1, 2]\n  chance die 6\n  chance die 6\n}\n\
                example \"right\" {\n  chance deck [3, 1, 2]\n  chance die 6\n  1: keep\n}\n";
    let failed = failures(text);
    let said = [
        "draw 2 of the match is that of `die`, not of `deck`",
        "draw 1 of the match, of `deck`, cannot be [3, 1] / all 3 elements are stated, in order, and here are 2",
        "draw 2 of the match, of `die`, cannot be 7 / it could be, for example, `chance die 1`",
        "nothing is drawn here: player 1 is to choose",
    ];
    assert_eq!(failed.len(), said.len(), "{failed:#?}");
    failed.iter().zip(said).for_each(|(found, wanted)| assert!(found.starts_with(wanted), "{found}"));
}

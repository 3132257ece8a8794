//! The compiled engine must match the reference: playouts, matches step by step, counts, positions taken
//! over, and faults, game by game.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::engines::{Pair, Same, faults};
use crate::files;
use parlour::diag::Code;
use parlour::engine::{Engine, Reason};
use parlour::ir::{Op, Value};
use parlour::jit::Compiled;
use parlour::num::{Int, Rng};
use parlour::play::{PerftLine, Rules, bundled, bundled_source, perft};
use parlour::source::Source;

/// A game, options, players, and the depth to which move sequences are counted.
type Case = (&'static str, &'static [(&'static str, &'static str)], usize, usize);

/// The bundled games with other options than the defaults.
const CASES: &[Case] = &[
    ("procession", &[("n", "1")], 2, 3),
    ("procession", &[("n", "5")], 3, 4),
    ("procession", &[("n", "12")], 5, 2),
    ("procession", &[("n", "40")], 2, 1),
    ("sum-of-products", &[("n", "1")], 2, 2),
    ("sum-of-products", &[("n", "2")], 2, 4),
    ("sum-of-products", &[("n", "3")], 2, 2),
    ("sum-of-products", &[("n", "6")], 2, 1),
    ("binary-scramble", &[("turns_each", "1")], 2, 6),
    ("binary-scramble", &[("turns_each", "2"), ("target", "2")], 2, 6),
    ("binary-scramble", &[("turns_each", "2"), ("target", "1000")], 3, 4),
    ("numbers-to-number", &[("m", "2")], 2, 3),
    ("numbers-to-number", &[("m", "3")], 2, 2),
    ("numbers-to-number", &[("m", "9")], 2, 0),
    ("numerical-card-game", &[("m", "1")], 2, 3),
    ("numerical-card-game", &[("m", "3")], 3, 3),
    ("numerical-card-game", &[("m", "30")], 4, 1),
    ("transform", &[("n", "1")], 2, 0),
    ("transform", &[("n", "3"), ("formula", "convolution"), ("criterion", "fibonacci")], 2, 0),
    ("transform", &[("n", "4"), ("criterion", "squares"), ("rounds_each", "2")], 3, 0),
    ("transform", &[("n", "3"), ("formula", "convolution"), ("criterion", "coprime")], 4, 0),
    ("transform", &[("n", "3"), ("criterion", "permutator"), ("rounds_each", "2")], 3, 0),
    ("transform", &[("n", "6"), ("formula", "convolution"), ("limit", "1000000")], 2, 0),
    ("tic-tac-toe", &[], 2, 4),
    ("connect-four", &[], 2, 4),
    ("connect-four", &[("columns", "4"), ("rows", "4")], 2, 4),
    ("breakthrough", &[], 2, 2),
    ("breakthrough", &[("n", "4")], 2, 3),
    ("hex", &[], 2, 1),
    ("hex", &[("n", "3")], 2, 4),
    ("nim", &[], 2, 3),
    ("nim", &[("piles", "2,0,3"), ("misere", "no")], 2, 4),
    ("nim", &[("piles", "0,1")], 2, 2),
    ("goofspiel", &[("n", "4"), ("order", "descending")], 2, 3),
    ("goofspiel", &[("n", "3")], 2, 2),
    ("goofspiel", &[("n", "5"), ("order", "ascending")], 4, 1),
    ("pig", &[("goal", "10")], 2, 2),
    ("pig", &[("goal", "30")], 4, 1),
    ("kalah", &[], 2, 4),
    ("kalah", &[("holes", "1"), ("seeds", "3")], 2, 4),
    ("kalah", &[("holes", "3"), ("seeds", "12")], 2, 3),
    ("juniper-green", &[("n", "11")], 2, 4),
    ("juniper-green", &[("n", "60")], 3, 2),
    ("number-scrabble", &[], 2, 4),
    ("bulls-and-cows", &[("size", "1"), ("rounds", "2")], 2, 1),
    ("bulls-and-cows", &[("size", "3"), ("rounds", "20")], 2, 0),
    ("dots-and-boxes", &[("rows", "1"), ("columns", "2")], 2, 4),
    ("dots-and-boxes", &[("rows", "3"), ("columns", "2")], 3, 2),
    ("procession-ring", &[], 2, 2),
    ("sum-of-pairs", &[("n", "3")], 2, 2),
    ("dividing-cards", &[("m", "4")], 3, 2),
];

/// The most matches per game, the most choices per match, and the most time per game.
const MATCHES: u64 = 12;
const MAX_MOVES: u64 = 400;
const TIME: Duration = Duration::from_millis(350);
/// The most sequences of moves that the reference counts.
const MAX_SEQUENCES: u64 = 100_000;

fn rules(source: Source) -> Rules {
    let name = source.name.clone();
    Rules::load(source).unwrap_or_else(|found| panic!("{name}: {found:#?}"))
}

fn pair(rules: &Rules, set: &[(&str, &str)], players: usize) -> Pair {
    let options = rules.read_options(set.iter().copied()).unwrap();
    Pair::new(rules, &options, players).unwrap_or_else(|sentence| panic!("{}: {sentence}", rules.name))
}

/// Loads the games of `tests/language`.
fn language() -> Vec<Rules> {
    files::language().into_iter().chain(files::engines()).map(rules).collect()
}

/// Runs a test on every case, and reports all that fail.
fn each<C>(cases: impl IntoIterator<Item = C>, name: impl Fn(&C) -> String, test: impl Fn(&C) -> Same) {
    let mut failed = Vec::new();
    for case in cases {
        match catch_unwind(AssertUnwindSafe(|| test(&case))) {
            Ok(Ok(())) => {}
            Ok(Err(what)) => failed.push(format!("{}: {what}", name(&case))),
            Err(_) => failed.push(format!("{}: panics, as told above", name(&case))),
        }
    }
    assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
}

/// Compares matches of a game; something must have been compared, without any fault.
fn compare(pair: &Pair) -> Same {
    let seen = pair.matches(MATCHES, MAX_MOVES, TIME)?;
    assert!(seen.choices + seen.draws + seen.ended > 0, "nothing was compared");
    assert_eq!(seen.faults, 0, "a shipped game goes wrong");
    Ok(())
}

/// Compares the counts of move sequences, or the errors that say why they cannot be counted. Where there are too many for the
/// reference, shorter ones are compared.
fn count(pair: &Pair, depth: usize) -> Same {
    let mut compiled = perft(&pair.compiled, depth);
    if let Ok(lines) = &mut compiled {
        let few = lines.iter().take_while(|line| line.sequences <= MAX_SEQUENCES).count();
        lines.truncate(few.max(1));
    }
    let depth = compiled.as_ref().map_or(depth, Vec::len);
    let reference = perft(&pair.reference, depth);
    match reference == compiled {
        true => Ok(()),
        false => Err(format!("perft {depth}:\n  reference {reference:?}\n  compiled  {compiled:?}")),
    }
}

#[test]
fn bundled_games() {
    let mut cases = Vec::new();
    for (name, _) in bundled() {
        let rules = rules(bundled_source(&name).unwrap());
        let players = rules.default_players();
        let more = rules.game.seats.max.is_none_or(|most| most > players);
        cases.extend((players..=players + usize::from(more)).map(|players| (rules.clone(), players)));
    }
    each(
        cases,
        |(rules, players)| format!("{}, {players} players", rules.name),
        |(rules, players)| compare(&pair(rules, &[], *players)),
    );
}

#[test]
fn other_options() {
    each(
        CASES,
        |(game, set, players, _)| format!("{game} {set:?}, {players} players"),
        |(game, set, players, depth)| {
            let pair = pair(&rules(bundled_source(game).unwrap()), set, *players);
            compare(&pair)?;
            count(&pair, *depth)
        },
    );
}

/// Wrong code might look right if it bails out and the reference plays instead, so code must play alone.
#[test]
fn code_plays_by_itself() {
    let bundled = bundled().into_iter().map(|(name, _)| rules(bundled_source(&name).unwrap()));
    each(
        bundled.chain(language()),
        |rules| rules.name.clone(),
        |rules| {
            let pair = pair(rules, &[], rules.default_players());
            for seed in 0..20 {
                let played = pair.compiled.playout(&mut Rng::new(seed), MAX_MOVES);
                played.map_err(|fault| fault.message.clone())?;
            }
            let mut bailouts = pair.compiled.bailouts();
            // Integers of arbitrary size are left to the reference.
            bailouts.reasons.retain(|reason, _| reason.text != "the position holds a value that compiled code does not, such as a number beyond 64 bits");
            match bailouts.reasons.values().sum::<u64>() {
                n if n > 0 && pair.compiled.left_out().is_empty() => {
                    Err(format!("{n} choices were the reference's: {bailouts:?}"))
                }
                _ => Ok(()),
            }
        },
    );
}

/// Machine code and the MIR interpreter execute the same code, so they must play the same matches and bail
/// out at the same places.
#[test]
fn interpreted_code_plays_as_machine_code() {
    let bundled = bundled().into_iter().map(|(name, _)| rules(bundled_source(&name).unwrap()));
    each(
        bundled.chain(language()),
        |rules| rules.name.clone(),
        |rules| {
            let machine = || {
                let players = rules.default_players();
                rules.machine(&rules.read_options([]).unwrap(), players).unwrap()
            };
            let played = |compiled: Compiled| {
                let mut rng = Rng::new(1);
                let mut told = Vec::new();
                let on = &mut |state: &_, moves| told.push((compiled.to_position(state), moves));
                let ended = compiled.playouts(&mut rng, 60, 3, on).map_err(|fault| fault.message.clone());
                (told, ended, rng, compiled.bailouts().choices)
            };
            match played(Compiled::new(machine())) == played(Compiled::interpreting(machine())) {
                true => Ok(()),
                false => Err("they differ".to_string()),
            }
        },
    );
}

/// Bail-outs to the reference must be counted, choice by choice, with reason and place, and not change play.
#[test]
fn bailouts_are_counted() {
    let told = |rules: &Rules, text: &str| {
        let pair = pair(rules, &[], rules.default_players());
        let (mut choices, mut expected) = (0, 0);
        for seed in 0..20 {
            choices += pair.compiled.playout(&mut Rng::new(seed), MAX_MOVES).unwrap().1;
            let (position, moves) = pair.reference.playout(&mut Rng::new(seed), MAX_MOVES).unwrap();
            expected += moves;
            assert_eq!(position.outcome.is_some(), moves < MAX_MOVES);
        }
        assert_eq!(choices, expected);
        let bailouts = pair.compiled.bailouts();
        let line = |reason: &Reason| rules.source.position(reason.span.start).line;
        let mut lines: Vec<usize> =
            bailouts.reasons.keys().filter(|reason| reason.text.contains(text)).map(line).collect();
        lines.dedup();
        assert!(bailouts.reasons.values().all(|times| *times > 0));
        (bailouts.choices, choices, lines)
    };
    let game =
        |text: &str| rules(Source::new("small.game", &format!("game \"Small\" {{ players 2 }}\n{text}")));
    // A `need if possible`, in turns that alternate with others whose move has no need.
    let part = game(
        "table { x: 0..9 = 0 }
move odd(k in 1..9) { x := k }
move even(k in 1..9) {
  need if possible k > x
  x := k
}
play { repeat 3 { turns as t { odd } until t = 2
  turns as s { even } until s = 1 } }",
    );
    assert_eq!(told(&part, ""), (0, 180, vec![]));
    // An effect without code, after choices that have code: the reference computes it while code runs.
    let part = game(
        "table { x: list of int = [] }
move m(k in 1..9) { x += k }
play { repeat 4 { turns as t { m } until t = 2
  x := digits(sum(x)) } }",
    );
    assert_eq!(told(&part, ""), (0, 160, vec![]));
    assert!(interpreted(&part).iter().all(|line| *line == 5));
    // A number that grows too large for code, and stays too large.
    let part = game(
        "table { x: int = 1 }
move m(k in 2..3) { x *= 2 ^ 20 + k }
play { turns as t { m } until t = 8 }"
            .replace("x *=", "x := x *")
            .as_str(),
    );
    let (by_reference, all, lines) = told(&part, "beyond 64 bits");
    assert_eq!((by_reference, all, lines), (100, 160, vec![3, 4]));
}

/// Returns the lines of what the reference computes while code runs.
fn interpreted(rules: &Rules) -> Vec<usize> {
    let pair = pair(rules, &[], rules.default_players());
    assert!(pair.compiled.left_out().is_empty());
    let line = |part: Reason| rules.source.position(part.span.start).line;
    let mut lines: Vec<usize> = pair.compiled.interpreted().into_iter().map(line).collect();
    lines.sort();
    lines.dedup();
    lines
}

/// Holds that two players play a file as in the reference, all of it in code.
fn compiled_as_the_reference(source: Source) {
    let rules = rules(source);
    let pair = pair(&rules, &[], 2);
    assert_eq!((compare(&pair), count(&pair, 2)), (Ok(()), Ok(())));
    assert!(interpreted(&rules).is_empty());
    assert_eq!(pair.compiled.bailouts().reasons, BTreeMap::new());
}

/// Games by authors who did not know the compiler must be compiled completely.
#[test]
fn what_authors_write_is_compiled() {
    each(
        files::authors().into_iter().map(rules),
        |rules| rules.name.clone(),
        |rules| {
            let pair = pair(rules, &[], rules.default_players());
            compare(&pair)?;
            assert!(interpreted(rules).is_empty());
            pair.compiled.playout(&mut Rng::new(1), MAX_MOVES).unwrap();
            assert_eq!(pair.compiled.bailouts().reasons, BTreeMap::new());
            Ok(())
        },
    );
}

/// What code asks the reference must be answered for the local values and the state of the moment.
#[test]
fn parts_that_the_reference_answers_follow_the_state() {
    let rules = rules(Source::new("asked.game", include_str!("engines/asked.game")));
    let pair = pair(&rules, &[], 2);
    assert_eq!((compare(&pair), count(&pair, 3)), (Ok(()), Ok(())));
    assert_eq!(interpreted(&rules), [16, 22, 24, 30]);
}

/// A list in registers must be up to date when the reference reads it, and changes on one way through a move must
/// not be lost on another.
#[test]
fn lists_in_registers_survive_what_the_reference_does() {
    let rules = rules(Source::new("registers.game", include_str!("engines/registers.game")));
    let pair = pair(&rules, &[], 2);
    assert_eq!((compare(&pair), count(&pair, 3)), (Ok(()), Ok(())));
    assert_eq!(interpreted(&rules), [15]);
}

/// What is drawn from a part of a value must be taken for an element of the part, not of the value.
#[test]
fn draws_from_parts_are_of_their_elements() {
    compiled_as_the_reference(Source::new("parts.game", include_str!("engines/parts.game")));
}

/// Binders over large sets must visit every element once, whatever the elements are.
#[test]
fn large_sets_are_gone_through() {
    compiled_as_the_reference(Source::new("named-sets.game", include_str!("engines/named-sets.game")));
}

/// The ends of what is selected, also where there is nothing, or where a condition fails behind the first element.
#[test]
fn ends_of_selections_are_found_in_bits() {
    compiled_as_the_reference(Source::new("ends.game", include_str!("engines/ends.game")));
}

/// Rows that are counted for a few single values are kept by these.
#[test]
fn rows_are_kept_by_single_values() {
    compiled_as_the_reference(Source::new("kept-rows.game", include_str!("engines/kept-rows.game")));
}

/// A set is still one after a draw of chance, also where code keeps it as a list.
#[test]
fn sets_of_large_numbers_outlive_draws() {
    let rules = rules(Source::new("large-sets.game", include_str!("engines/large-sets.game")));
    let pair = pair(&rules, &[], 2);
    assert_eq!((compare(&pair), count(&pair, 2)), (Ok(()), Ok(())));
}

/// One of two sets of any numbers is chosen by the reference.
#[test]
fn one_of_two_sets_of_any_numbers_is_chosen() {
    let rules = rules(Source::new("any-sets.game", include_str!("engines/any-sets.game")));
    let pair = pair(&rules, &[], 2);
    assert_eq!((compare(&pair), count(&pair, 3)), (Ok(()), Ok(())));
}

/// An argument must take the same form wherever code holds it, also if only the optimiser sees what it can be.
#[test]
fn arguments_take_one_form() {
    let rules = rules(Source::new("subsets.game", include_str!("engines/subsets.game")));
    let pair = pair(&rules, &[], 2);
    assert_eq!((compare(&pair), count(&pair, 3)), (Ok(()), Ok(())));
    assert!(interpreted(&rules).is_empty());
}

/// Symbols or something else, on squares, in collections, bound to names and as arguments, must be compiled,
/// and must play as in the reference.
#[test]
fn values_of_two_kinds_are_code() {
    let rules = rules(Source::new("kinds.game", include_str!("engines/kinds.game")));
    let same = [2, 3].map(|players| -> Same {
        let pair = pair(&rules, &[], players);
        compare(&pair)?;
        count(&pair, 2)?;
        assert_eq!(pair.compiled.bailouts().reasons, BTreeMap::new());
        Ok(())
    });
    assert_eq!(same, [Ok(()), Ok(())]);
    assert_eq!(interpreted(&rules), Vec::<usize>::new());
}

/// What a condition keeps from failing must not fail in code that evaluates more at once, and squares beyond all grids
/// must be values like any others.
#[test]
fn guarded_values_and_squares_off_the_grids_are_code() {
    compiled_as_the_reference(Source::new("guards.game", include_str!("engines/guards.game")));
}

/// Collections that may be none must be code wherever they are held.
#[test]
fn collections_that_may_be_none_are_code() {
    compiled_as_the_reference(Source::new("optional.game", include_str!("engines/optional.game")));
}

/// Whole grids and maps must be code: written over one another, copied with another value, and compared.
#[test]
fn copies_of_grids_and_maps_are_code() {
    compiled_as_the_reference(Source::new("copies.game", include_str!("engines/copies.game")));
}

/// Lists and sets of values that fit no word must be code where they are compared, combined and counted.
#[test]
fn collections_of_collections_are_compared_in_code() {
    compiled_as_the_reference(Source::new("equals.game", include_str!("engines/equals.game")));
}

/// Rows of a known length must be drawn element by element, in every kind of domain and under conditions on their elements.
#[test]
fn rows_are_drawn_by_their_elements() {
    compiled_as_the_reference(Source::new("elements.game", include_str!("engines/elements.game")));
}

/// Arguments may be tied by domains or needs, and rows counted by their conditions.
#[test]
fn arguments_that_are_tied_are_code() {
    compiled_as_the_reference(Source::new("tied.game", include_str!("engines/tied.game")));
}

/// Rows are counted by the conditions on single values, and the others tested on each.
#[test]
fn conditions_of_two_kinds_are_code() {
    compiled_as_the_reference(Source::new("scalars.game", include_str!("engines/scalars.game")));
}

/// Rows are tested one by one, and what was found is kept for the same situation.
#[test]
fn rows_that_are_tested_are_code() {
    compiled_as_the_reference(Source::new("tested.game", include_str!("engines/tested.game")));
}

/// Rows that are known beforehand are numbered.
#[test]
fn rows_that_are_known_are_code() {
    compiled_as_the_reference(Source::new("numbered.game", include_str!("engines/numbered.game")));
}

/// What takes long to compute is kept.
#[test]
fn values_that_are_kept_are_code() {
    compiled_as_the_reference(Source::new("memoised.game", include_str!("engines/memoised.game")));
}

/// The same holds for numbers that have no bounds.
#[test]
fn values_of_large_numbers_are_kept() {
    compiled_as_the_reference(Source::new("large-numbers.game", include_str!("engines/large-numbers.game")));
}

/// Two arguments may be chosen under conditions on both.
#[test]
fn conditions_on_two_arguments_are_code() {
    compiled_as_the_reference(Source::new("two-arguments.game", include_str!("engines/two-arguments.game")));
}

/// Nothing may meet the conditions on two arguments.
#[test]
fn impossible_pairs_are_code() {
    compiled_as_the_reference(Source::new("impossible.game", include_str!("engines/impossible.game")));
}

/// The second of two arguments may be at one of a few distances from the first.
#[test]
fn steps_from_one_argument_to_another_are_code() {
    compiled_as_the_reference(Source::new("steps.game", include_str!("engines/steps.game")));
}

/// Pairs of which one part is chosen are looked up in a set for all values of that part at once.
#[test]
fn pairs_with_a_chosen_part_are_looked_up_together() {
    compiled_as_the_reference(Source::new("pairs.game", include_str!("engines/pairs.game")));
}

/// Values are tried at random before the legal ones are listed, with what is legal known beforehand.
#[test]
fn values_that_are_tried_are_code() {
    compiled_as_the_reference(Source::new("tried.game", include_str!("engines/tried.game")));
}

/// Rows may depend on who chooses.
#[test]
fn rows_that_depend_on_the_seat_are_code() {
    compiled_as_the_reference(Source::new("by-seat.game", include_str!("engines/by-seat.game")));
}

/// What has no value when nothing is left is not asked for then.
#[test]
fn choices_that_run_out_do_not_bail_out() {
    compiled_as_the_reference(Source::new("emptied.game", include_str!("engines/emptied.game")));
}

#[test]
fn conditions_on_lines_that_never_change_are_compiled() {
    compiled_as_the_reference(Source::new("lines.game", include_str!("engines/lines.game")));
}

#[test]
fn sets_of_large_elements_are_compiled() {
    compiled_as_the_reference(Source::new(
        "large-elements.game",
        include_str!("engines/large-elements.game"),
    ));
}

#[test]
fn lookups_at_many_elements_are_compiled() {
    compiled_as_the_reference(Source::new("lookups.game", include_str!("engines/lookups.game")));
}

#[test]
fn bags_over_wide_ranges_are_compiled() {
    compiled_as_the_reference(Source::new("wide-bags.game", include_str!("engines/wide-bags.game")));
}

#[test]
fn rows_of_several_lengths_are_compiled() {
    compiled_as_the_reference(Source::new("lengths.game", include_str!("engines/lengths.game")));
}

#[test]
fn what_was_said_before_is_compiled() {
    compiled_as_the_reference(Source::new("said.game", include_str!("engines/said.game")));
}

#[test]
fn conditions_that_few_values_decide_are_compiled() {
    compiled_as_the_reference(Source::new("decided.game", include_str!("engines/decided.game")));
}

/// Boards of lists must be walked on, lists of lists and sets shuffled and dealt, and neighbours counted for all squares at once.
#[test]
fn boards_and_piles_of_collections_are_code() {
    let rules = rules(Source::new("stacks.game", include_str!("engines/stacks.game")));
    let pair = pair(&rules, &[], 2);
    // Shuffles have too many outcomes to count.
    assert_eq!(compare(&pair), Ok(()));
    assert!(interpreted(&rules).is_empty());
    assert_eq!(pair.compiled.bailouts().reasons, BTreeMap::new());
}

/// Rows under conditions must be compiled: drawn by players, in a simultaneous choice that skips seats
/// without any, and by chance.
#[test]
fn rows_under_conditions_are_code() {
    let rules = rules(Source::new("rows.game", include_str!("engines/rows.game")));
    let same = [2, 4].map(|players| -> Same {
        let pair = pair(&rules, &[], players);
        compare(&pair)?;
        pair.compiled.playout(&mut Rng::new(1), MAX_MOVES).unwrap();
        assert_eq!(pair.compiled.bailouts().reasons, BTreeMap::new());
        Ok(())
    });
    assert_eq!(same, [Ok(()), Ok(())]);
    assert_eq!(interpreted(&rules), Vec::<usize>::new());
}

/// Games in which conditions compare values of different ranges, or values that need not be there.
const RANGES: &[&str] = &[
    // Candidates beside the elements of the set, below them, above them, and spread over several words.
    "table { marked: set of 1..10 = {} }
move cross(k in 1..10) { need k not in marked else \"marked\"
  marked += k }
move jump(j in 1..6) { need j not in marked else \"marked\"
  marked += j }
move hop(k in 7..9 where k not in marked) { marked += k }
play { turns until stuck { cross or jump or hop } }",
    "table { marked: set of 3..40 = {} }
move low(k in 1..12) { need k not in marked and k >= 3 else \"marked\"
  marked += k }
move high(k in 20..90) { need k not in marked and k <= 40 else \"marked\"
  marked += k }
play { turns until stuck { low or high } }",
    "table { marked: set of 1..200 = {}
  few: set of 60..75 = {} }
move low(k in 60..130) { need k not in marked and (k in few or k > 70) else \"marked\"
  marked += k }
move high(k in 120..140) { need k not in marked else \"marked\"
  marked += k
  few += 60 + k mod 16 }
play { turns as t { low or high } until t = 30 }",
    // Sets of different ranges together.
    "table { pool: set of 1..8 = set(1..8)
  gone: set of 0..5 = {} }
move take(s in subsets(pool)) { need size(s) = 2 and s != gone else \"no\"
  need size(common(s, gone)) = 0 or size(gone) > 3 else \"gone\"
  pool := without(pool, s)
  if smallest(s) <= 5 { gone += smallest(s) } }
move put(k in 1..8) { need k in without(pool, gone) or k in without({2, 7, 30}, gone) else \"no\"
  need size(pool) > 0 else \"none\"
  pool -= smallest(pool) }
play { turns until size(gone) > 4 dropping stuck { take or put } }",
    // Values that need not be there bound a parameter, and many rows are drawn from.
    "table { pool: set of 1..7 = set(1..7)
  latest: optional 1..7 = none }
move take(s in subsets(pool) where 2 <= size(s) <= 3) { need sum(s) mod 3 = 0 else \"no\"
  pool := without(pool, s)
  latest := largest(s) }
move turn_to(d in 2..5) { need latest is not none and latest > d else \"later\"
  pool -= smallest(pool) }
play { turns until size(pool) < 2 dropping stuck { take or turn_to } }",
    "table { pool: set of 1..7 = set(1..7) }
each player { latest: optional 1..7 = none }
move take(a in 1..9, b in 1..9) { need a in pool and b in pool and a < b else \"no\"
  pool -= a
  me.latest := b }
move turn_to(d in {2, 3, 5}) { need me.latest is not none and d < me.latest else \"later\"
  if size(pool) > 0 { pool -= smallest(pool) } }
move top(d in 1..9) { need size(pool) > 0 and d <= largest(pool) else \"later\"
  pool -= largest(pool) }
play { turns until size(pool) < 2 dropping stuck { take or turn_to or top } }",
    "table { board: grid 3 by 3 of optional 1..9 = none
  latest: optional 1..7 = none }
move set_up(a in 1..9, b in squares(board)) { need board[b] is none or board[b] < a else \"no\"
  need latest is none or a != latest else \"same\"
  board[b] := a
  latest := a mod 7 + 1 }
move up(b in squares(board), d in {3, 4, 8}) { need board[b] is not none and board[b] > d else \"no\"
  need latest is not none and 2 * d >= latest + 1 else \"no\"
  board[b] := none
  latest := none }
play { turns as t { set_up or up } until t = 30 }",
    // The range of a candidate is that of what it is taken from.
    "table { crossed: set of 1..30 = {}
  points: int = 0 }
move a(k in 2..12 where k not in crossed) { crossed += k
  points += sum(divisors(k)) + factorial(k mod 7) }
move b(k in without(set(2..12), crossed)) { crossed += k
  each j in [x in 2..9 where x not in crossed] { points += size(factors(j)) } }
move c(k in [x in 2..12 where x not in crossed: x + 18]) { crossed += k
  let half = k div 2
  points += product(factors(half)) + factorial(half - 9) }
play { turns until stuck { a or b or c } }",
];

/// Conditions must run as code whatever ranges they compare, and wherever they stand: as a need, in a `where`, in a list.
/// Parts of rows, conditions on pairs of squares, regions and steps, each in two wordings, run in code alone.
#[test]
fn parts_pairs_regions_and_steps_are_code() {
    let games = [
        ("fold", include_str!("engines/fold.game")),
        ("fold-names", include_str!("engines/fold-names.game")),
        ("apart", include_str!("engines/apart.game")),
        ("apart-lists", include_str!("engines/apart-lists.game")),
        ("patches", include_str!("engines/patches.game")),
        ("patch-sizes", include_str!("engines/patch-sizes.game")),
        ("beetles", include_str!("engines/beetles.game")),
        ("beetles-inline", include_str!("engines/beetles-inline.game")),
    ];
    for (name, text) in games {
        let rules = rules(Source::new(format!("{name}.game"), text));
        // A board of nine by nine takes two words of bits.
        let sizes: &[&[(&str, &str)]] = if text.contains("4..9") { &[&[], &[("n", "9")]] } else { &[&[]] };
        for set in sizes {
            let pair = pair(&rules, set, 2);
            assert_eq!(compare(&pair), Ok(()), "{name} {set:?}");
            for seed in 0..20 {
                pair.compiled.playout(&mut Rng::new(seed), MAX_MOVES).unwrap();
            }
            assert_eq!(pair.compiled.bailouts().reasons, BTreeMap::new(), "{name} {set:?}");
        }
        assert_eq!(interpreted(&rules), Vec::<usize>::new(), "{name}");
    }
}

#[test]
fn conditions_on_any_range_are_code() {
    each(
        RANGES.iter().map(|text| {
            let header = "game \"Ranges\" { players 2 }";
            rules(Source::new("ranges.game", &format!("{header}\n{text}\nwinner last mover\n")))
        }),
        |rules| rules.source.text.to_string(),
        |rules| {
            let pair = pair(rules, &[], 2);
            compare(&pair)?;
            for seed in 0..20 {
                pair.compiled.playout(&mut Rng::new(seed), MAX_MOVES).unwrap();
            }
            assert_eq!(pair.compiled.bailouts().reasons, BTreeMap::new());
            assert_eq!(interpreted(rules), Vec::<usize>::new());
            Ok(())
        },
    );
}

/// Threads share a compiled game: each must play what it would play alone.
#[test]
fn threads_share_the_code() {
    fn shared<T: Send + Sync>(_: &T) {}
    let rules = rules(bundled_source("numbers-to-number").unwrap());
    let pair = pair(&rules, &[], 2);
    shared(&pair.compiled);
    let play = |seed: u64| -> Vec<_> {
        let mut rng = Rng::new(seed);
        let mut told = Vec::new();
        let on = &mut |state: &_, moves| told.push((pair.compiled.to_position(state), moves));
        pair.compiled.playouts(&mut rng, MAX_MOVES, 40, on).unwrap();
        told
    };
    let alone = [play(1), play(2)];
    let together = std::thread::scope(|scope| {
        [1, 2].map(|seed| scope.spawn(move || play(seed))).map(|thread| thread.join().unwrap())
    });
    assert_eq!(alone, together);
}

/// The games of `tests/language`, which cover the language construct by construct.
#[test]
fn the_language() {
    let cases = language().into_iter().flat_map(|rules| {
        let seats = rules.game.seats.min..=rules.game.seats.max.unwrap_or(4).min(4);
        seats.map(move |players| (rules.clone(), players))
    });
    each(
        cases,
        |(rules, players)| format!("{}, {players} players", rules.name),
        |(rules, players)| {
            let pair = pair(rules, &[], *players);
            compare(&pair)?;
            // Chance has too many outcomes to enumerate.
            let chance = rules.game.code.iter().any(|op| matches!(op, Op::Chance(_)));
            if chance { Ok(()) } else { count(&pair, 1) }
        },
    );
}

/// Counted by hand: first nothing is led, so all three cards and the knock are legal. After card c, the second
/// player follows or knocks, and after a knock they have all four: 3 * 2 + 4. Then after c and c, the first
/// player cannot follow and has two cards and the knock: 3 * 3; after c and a knock the same: 3 * 3; after a
/// knock and c they follow or knock: 3 * 2; after two knocks they have all four.
#[test]
fn needs_that_bind_where_possible_leave_other_moves_legal() {
    let following = language().into_iter().find(|rules| rules.name == "following").unwrap();
    let pair = pair(&following, &[], 2);
    let counts = |lines: Vec<PerftLine>| lines.iter().map(|line| line.sequences).collect::<Vec<u64>>();
    assert_eq!(counts(perft(&pair.reference, 3).unwrap()), [4, 10, 9 + 9 + 6 + 4]);
    assert_eq!(counts(perft(&pair.compiled, 3).unwrap()), [4, 10, 9 + 9 + 6 + 4]);
    compare(&pair).unwrap();
}

/// Faults must be identical in both engines: each occurs in some match, with this code and one message.
#[test]
fn faults_are_the_same() {
    each(
        faults::FAULTS,
        |(what, ..)| what.to_string(),
        |(what, code, text)| {
            let pair = pair(&rules(faults::file(what, text)), &[], 2);
            let seen = pair.matches(30, 60, Duration::from_secs(5))?;
            assert!(seen.faults > 0, "nothing goes wrong");
            let found = (0..30).find_map(|seed| pair.compiled.playout(&mut Rng::new(seed), 60).err());
            assert_eq!(found.map(|fault| fault.code), Some(*code));
            Ok(())
        },
    );
}

/// Numbers that outgrow a machine word must stay exact, and may shrink again.
#[test]
fn numbers_of_any_size_are_the_same() {
    each(
        faults::LARGE,
        |(what, _)| what.to_string(),
        |(what, text)| {
            let pair = pair(&rules(faults::file(what, text)), &[], 2);
            let seen = pair.matches(10, 100, Duration::from_secs(5))?;
            assert_eq!(seen.faults, 0);
            let large = |value: &Value| matches!(value, Value::Int(n) if n.as_i64().is_none());
            let grows = (0..10).any(|seed| {
                let (position, _) = pair.reference.playout(&mut Rng::new(seed), 100).unwrap();
                let scores = pair.reference.scores(&position).unwrap().unwrap_or_default();
                position.cells.iter().any(large)
                    || scores.iter().chain(&position.awards).any(|n: &Int| n.as_i64().is_none())
            });
            assert!(grows, "no number is large");
            Ok(())
        },
    );
}

/// Every fault code of play must be covered by some game in the lists.
#[test]
fn every_code_of_play_is_tried() {
    for code in [
        Code::DivisionByZero,
        Code::OutOfRange,
        Code::Unset,
        Code::NoSuchElement,
        Code::TooMuchWork,
        Code::TooLarge,
        Code::Stuck,
        Code::BadArgument,
    ] {
        assert!(faults::FAULTS.iter().any(|(_, tried, _)| *tried == code), "{code}");
    }
}

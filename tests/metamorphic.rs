//! Equivalent rules must play the same and compile equally well, however they are written: each game is
//! rewritten in many ways, and compared to the original in the reference evaluator.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::files;
use crate::rewrites;
use parlour::diag::Diagnostic;
use parlour::engine::Engine;
use parlour::eval::{Chosen, Machine, Position, Waiting};
use parlour::ir::{Game, Value};
use parlour::jit::Compiled;
use parlour::num::{Int, Rng};
use parlour::opt::optimise;
use parlour::play::{Rules, bundled, bundled_source, chosen};
use parlour::source::Source;

use crate::rewrites::Kind;

/// The number of choices and chance events that are recorded per match.
const MAX_STEPS: usize = 150;
/// Matches are recorded until this many legal moves were listed, up to a number of matches.
const MAX_LISTED: usize = 2_500;
const MAX_MATCHES: u64 = 4;
/// The longest list of legal moves that is compared completely; of longer ones, only the count is.
const LONG: usize = 300;
/// Whole playouts: how many run in code, how many of them are compared, and the most choices in each.
const PLAYOUTS: u64 = 8;
const COMPARED: u64 = 2;
const MAX_MOVES: u64 = 200;

/// How many chains of rewrites are tried per game, and the most kinds of rewrites in a chain.
const CHAINS: u64 = 1;
const LINKS: usize = 5;

/// A result if a rewrite plays the same; otherwise a description of what goes wrong.
type Same<T = ()> = Result<T, String>;

// ---- the original game

/// What happened at a stop of a match.
enum Step {
    /// A seat chose one of the moves in `legal`, which is `None` if they are too many.
    Choice { seat: usize, legal: Option<Vec<String>>, count: Option<Int>, chosen: Chosen },
    /// A chance event.
    Chance(Value),
}

/// A match, or the beginning of one.
struct Match {
    seed: u64,
    steps: Vec<Step>,
    end: End,
}

/// The result of a match so far.
#[derive(Debug, PartialEq)]
struct End {
    winners: Option<Vec<usize>>,
    scores: Option<Vec<Int>>,
}

/// A game as it was written, with its matches and playouts in the reference.
struct Original {
    rules: rewrites::Original,
    machine: Machine,
    matches: Vec<Match>,
    /// Whole playouts by number: the choices, the end, and the next random number after it.
    playouts: Vec<(u64, End, u64)>,
    /// Whether all of it runs in compiled code.
    compiles: bool,
    /// The optimised forms of it that were judged.
    judged: RefCell<HashSet<String>>,
}

/// These files show what the checker learns from a test at its place, or which numbers there can be. In a rewrite the test may
/// be where nothing is learnt, or a range be gone; then the file does not check, and is not played.
const KNOWN_BY_TESTS: &[&str] = &["known", "quarry", "cases"];

/// Words of the diagnostics in that case.
const UNTESTED: &[&str] = &[
    "may be none",
    "only numbers can be compared this way",
    "can never equal",
    "have no case",
    "does not cover all numbers",
];

/// A game whose symbols are directions, which the language orders itself: renaming changes their order.
const OF_DIRECTIONS: (&str, &str) = ("lift", "symbols stand in another order");

fn is_untested(name: &str, what: &str) -> bool {
    (name == OF_DIRECTIONS.0 && what.contains(OF_DIRECTIONS.1))
        || KNOWN_BY_TESTS.contains(&name) && UNTESTED.iter().any(|said| what.contains(said))
}

fn load(source: &Source) -> Same<Machine> {
    let rules = Rules::load(source.clone()).map_err(|found| {
        let first = &found[0];
        let at = source.position(first.span().start);
        let line = source.text.lines().nth(at.line - 1).unwrap_or_default();
        format!("does not check: {} in `{}`", first.message, line.trim())
    })?;
    let machine = rules.machine(&Default::default(), rules.default_players());
    machine.map_err(|not| format!("does not start: {not:?}"))
}

fn told(fault: impl Borrow<Diagnostic>) -> String {
    format!("a fault: {}", fault.borrow().message)
}

/// Returns a move in words that do not depend on the order of parameters; squares are rows and columns.
fn words(game: &Game, choice: &Chosen) -> String {
    let mv = &game.moves[choice.mv];
    let mut args = Vec::new();
    for (param, value) in chosen(mv).zip(&choice.args) {
        match value {
            Value::Square(at) => {
                args.push(format!("{}_row={}", param.name, at.row));
                args.push(format!("{}_column={}", param.name, at.column));
            }
            value => args.push(format!("{}={}", param.name, parlour::eval::text::json(game, value))),
        }
    }
    args.sort();
    format!("{} {}", mv.name, args.join(" "))
}

/// Returns a seat's legal moves in the reference, in order, or `None` if they are too many; and their number.
fn legal(machine: &Machine, position: &Position, seat: usize) -> Same<(Option<Vec<Chosen>>, Option<Int>)> {
    let choice = machine.choice(position).ok_or("nobody is to choose")?;
    let mut all = Vec::new();
    let listed = machine.ask(position, |env| {
        env.each_legal(choice, seat, true, &mut |chosen| {
            all.push(chosen);
            if all.len() > LONG { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    listed.map_err(told)?;
    if all.len() <= LONG {
        let count = Int::from(all.len());
        return Ok((Some(all), Some(count)));
    }
    let count = machine.ask(position, |env| env.count_legal(choice, seat, false)).map_err(told)?;
    Ok((None, count))
}

fn in_words(game: &Game, moves: &[Chosen]) -> Vec<String> {
    let mut all: Vec<String> = moves.iter().map(|choice| words(game, choice)).collect();
    all.sort();
    all
}

/// Returns the result of a position, in any engine.
fn end<E: Engine>(engine: &E, state: &E::State) -> Same<End> {
    let winners = engine.outcome(state).map(|outcome| outcome.winners);
    Ok(End { winners, scores: engine.scores(state).map_err(told)? })
}

/// Plays a match in the reference and records it.
fn record(machine: &Machine, seed: u64, listed: &mut usize) -> Same<Match> {
    let mut rng = Rng::new(seed);
    let mut position = machine.start().map_err(told)?;
    let mut steps = Vec::new();
    while steps.len() < MAX_STEPS || !Engine::nobody_has_chosen(machine, &position) {
        match &position.waiting {
            Waiting::Over | Waiting::Nothing => break,
            Waiting::Choice { seats, .. } => {
                let seat = seats[0];
                let (all, count) = legal(machine, &position, seat)?;
                *listed += all.as_ref().map_or(LONG, Vec::len);
                let drawn = match &all {
                    Some(all) if all.is_empty() => None,
                    Some(all) => Some(all[rng.below_u64(all.len() as u64) as usize].clone()),
                    None => machine.draw_legal(&position, seat, &mut rng).map_err(told)?,
                };
                let Some(choice) = drawn else { break };
                machine.choose(&mut position, seat, choice.clone()).map_err(told)?;
                let legal = all.map(|all| in_words(&machine.game, &all));
                steps.push(Step::Choice { seat, legal, count, chosen: choice });
            }
            Waiting::Chance => {
                let value = machine.draw_chance(&position, &mut |n| rng.below(n)).map_err(told)?;
                machine.draw(&mut position, value.clone()).map_err(told)??;
                steps.push(Step::Chance(value));
            }
        }
    }
    let end = end(machine, &position)?;
    Ok(Match { seed, steps, end })
}

/// Makes a whole playout in any engine. Returns the choices, the end, and the next random number after it.
fn playout<E: Engine>(engine: &E, number: u64) -> Same<(u64, End, u64)> {
    let mut rng = Rng::nth(7, number);
    let (state, moves) = engine.playout(&mut rng, MAX_MOVES).map_err(told)?;
    Ok((moves, end(engine, &state)?, rng.below_u64(u64::MAX)))
}

/// The reason if everything was compiled, but playouts bail out to the reference.
const HANDED_OVER: &str = "playouts are handed over";

/// Checks that a game is played by compiled code alone; the error says why not.
fn compiles(engine: &Compiled) -> Same {
    if let Some(part) = engine.left_out().first() {
        return Err(part.text.clone());
    }
    if let Some(part) = engine.interpreted().first() {
        return Err(part.text.clone());
    }
    engine.playouts(&mut Rng::new(1), MAX_MOVES, PLAYOUTS, &mut |_, _| {}).map_err(told)?;
    if engine.bailouts().choices > 0 { Err(HANDED_OVER.to_string()) } else { Ok(()) }
}

impl Original {
    fn new(source: &Source) -> Same<Original> {
        let machine = load(source)?;
        let (mut matches, mut listed) = (Vec::new(), 0);
        while listed < MAX_LISTED && (matches.len() as u64) < MAX_MATCHES {
            matches.push(record(&machine, matches.len() as u64, &mut listed)?);
        }
        let playouts = (0..COMPARED).map(|number| playout(&machine, number)).collect::<Same<_>>()?;
        let compiles = compiles(&Compiled::new(machine.clone())).is_ok();
        let (rules, judged) = (rewrites::Original::of(source), RefCell::default());
        Ok(Original { rules, machine, matches, playouts, compiles, judged })
    }
}

// ---- the rewritten game

/// Returns the text form of the optimised game, without functions that nothing calls any more; `None` if the game cannot begin.
fn optimised_form(machine: &Machine) -> Option<String> {
    let optimised = optimise(machine, &[]).ok()?;
    let text = parlour::opt::dump(&optimised);
    let mut lines: Vec<&str> = text.lines().collect();
    for id in (0..machine.game.functions.len()).rev() {
        let (head, call) = (format!("function {id} "), format!("#{id}("));
        let is_called = |line: &&str| line.contains(&call) && !line.starts_with(&head);
        if !lines.iter().any(is_called) {
            lines.retain(|line| !line.starts_with(&head));
        }
    }
    Some(lines.join("\n"))
}

/// Checks that a rewrite plays as the original does. The inner result says whether it runs in code alone, if
/// the original does.
///
/// What is the same as another rewrite when it is optimised is the same code, and is not played once more.
fn judge(original: &Original, source: &Source, in_order: bool) -> Same<Same> {
    let machine = load(source)?;
    if machine.game.symbols != original.machine.game.symbols {
        return Err("symbols stand in another order".to_string());
    }
    if optimised_form(&machine).is_some_and(|form| !original.judged.borrow_mut().insert(form)) {
        return Ok(Ok(()));
    }
    let engine = Compiled::new(machine);
    for one in &original.matches {
        replay(original, &engine, one).map_err(|what| format!("match {}, {what}", one.seed))?;
    }
    for (number, expected) in (0..).zip(&original.playouts) {
        let found = playout(&engine, number)?;
        // If the moves are in another order, the same random numbers draw other moves.
        let other = if in_order { None } else { Some(playout(engine.machine(), number)?) };
        let expected = other.as_ref().unwrap_or(expected);
        if found != *expected {
            return Err(format!("playout {number}: expected {expected:?}, found {found:?}"));
        }
    }
    Ok(if original.compiles { compiles(&engine) } else { Ok(()) })
}

/// Replays a recorded match in a rewrite, and compares its stops and its end.
fn replay(original: &Original, engine: &Compiled, one: &Match) -> Same {
    let (before, after) = (&original.machine.game, &engine.machine().game);
    let mut state = engine.start().map_err(told)?;
    for (at, step) in one.steps.iter().enumerate() {
        let what = |what: String| format!("step {at}: {what}");
        match (step, engine.waiting(&state)) {
            (Step::Choice { seat, legal: known, count, chosen }, Waiting::Choice { seats, .. }) => {
                if seats.first() != Some(seat) {
                    return Err(what(format!("expected seat {seat} to choose, found {seats:?}")));
                }
                let name = words(before, chosen);
                let choice = match known {
                    Some(known) => {
                        let all = engine.legal(&state, *seat, true).map_err(told)?;
                        let found = in_words(after, &all);
                        if found != *known {
                            let lost: Vec<_> =
                                known.iter().filter(|name| !found.contains(name)).take(5).collect();
                            let new: Vec<_> =
                                found.iter().filter(|name| !known.contains(name)).take(5).collect();
                            let counts = format!("expected {} moves, found {}", known.len(), found.len());
                            return Err(what(format!("{counts}; not {lost:?}, but {new:?}")));
                        }
                        all.into_iter().find(|choice| words(after, choice) == name)
                    }
                    None => {
                        let (_, found) = self::legal(engine.machine(), &engine.to_position(&state), *seat)?;
                        if found != *count {
                            return Err(what(format!("expected {count:?} moves, found {found:?}")));
                        }
                        translated(original, engine, &state, chosen)
                    }
                };
                let choice = choice.ok_or_else(|| what(format!("`{name}` is not legal")))?;
                engine.choose(&mut state, *seat, choice).map_err(|fault| what(told(fault)))?;
            }
            (Step::Chance(value), Waiting::Chance) => {
                engine.draw(&mut state, value.clone()).map_err(told)??;
            }
            (_, waiting) => return Err(what(format!("found {waiting:?}"))),
        }
    }
    let found = end(engine, &state)?;
    if found != one.end {
        return Err(format!("expected the end {:?}, found {found:?}", one.end));
    }
    Ok(())
}

/// Translates a choice of the original to the rewrite, by names; `None` if it is not legal there.
fn translated(
    original: &Original,
    engine: &Compiled,
    state: &<Compiled as Engine>::State,
    choice: &Chosen,
) -> Option<Chosen> {
    let before = &original.machine.game.moves[choice.mv];
    let machine = engine.machine();
    let mv = machine.game.moves.iter().position(|mv| mv.name == before.name)?;
    let named: Vec<(&str, &Value)> =
        chosen(before).map(|param| param.name.as_str()).zip(&choice.args).collect();
    let args = chosen(&machine.game.moves[mv])
        .map(|param| named.iter().find(|(name, _)| *name == param.name).map(|(_, value)| (*value).clone()))
        .collect::<Option<Vec<_>>>()?;
    let position = engine.to_position(state);
    let Waiting::Choice { seats, .. } = &position.waiting else { return None };
    let asked = machine.choice(&position)?;
    machine.ask(&position, |env| env.refusal(asked, seats[0], mv, &args)).ok()?.ok()
}

// ---- all games and all rewrites

/// Runs something that may panic; a panic becomes an error.
fn tried<T>(what: impl FnOnce() -> Same<T>) -> Same<T> {
    catch_unwind(AssertUnwindSafe(what)).unwrap_or_else(|_| Err("panics, as told above".to_string()))
}

/// Judges each rewrite of a game. Returns the failures.
fn each_kind(name: &str, original: &Original, kinds: &[Kind]) -> Vec<String> {
    let mut failed = Vec::new();
    let mut judge = |kind: &str, source: &Source, in_order: bool| {
        let what = match tried(|| judge(original, source, in_order)) {
            Ok(Ok(())) => return,
            Ok(Err(why)) => format!("does not run in code alone: {why}"),
            Err(what) if is_untested(name, &what) => return,
            Err(what) => what,
        };
        failed.push(format!("{name}, {kind}: {what}"));
    };
    judge("as it was", &original.rules.printed(), true);
    for kind in kinds {
        if let Some(source) = kind.rewrite(&original.rules) {
            judge(kind.name, &source, kind.in_order);
        }
    }
    failed
}

/// Judges a game under chains of several rewrites. Returns the failures.
fn chains(name: &str, original: &Original, kinds: &[Kind]) -> Vec<String> {
    let mut failed = Vec::new();
    for number in 0..CHAINS {
        let mut kinds: Vec<&Kind> = kinds.iter().collect();
        let mut rng = Rng::nth(11, number);
        let (mut source, mut in_order, mut done) = (original.rules.printed(), true, Vec::new());
        while done.len() < LINKS && !kinds.is_empty() {
            let kind = kinds.swap_remove(rng.below_u64(kinds.len() as u64) as usize);
            if let Some(new) = kind.rewrite(&rewrites::Original::of(&source)) {
                (source, in_order) = (new, in_order && kind.in_order);
                done.push(kind.name);
            }
        }
        if let Err(what) = tried(|| judge(original, &source, in_order).map(|_| ()))
            && !is_untested(name, &what)
        {
            failed.push(format!("{name}, {}: {what}", done.join(", then ")));
        }
    }
    failed
}

/// Judges games under all rewrites.
fn all(sources: impl IntoIterator<Item = Source>) {
    let mut failed = Vec::new();
    let kinds = rewrites::kinds();
    for source in sources {
        let name = source.name.trim_end_matches(".game").to_string();
        let original = Original::new(&source).unwrap_or_else(|what| panic!("{name}: {what}"));
        failed.extend(each_kind(&name, &original, &kinds));
        failed.extend(chains(&name, &original, &kinds));
    }
    assert!(failed.is_empty(), "{} fail:\n{}", failed.len(), failed.join("\n"));
}

/// Returns the bundled games; variants include what they inherit.
fn shipped() -> impl Iterator<Item = Source> {
    bundled().into_iter().map(|(name, _)| bundled_source(&name).unwrap())
}

#[test]
fn shipped_games() {
    all(shipped());
}

#[test]
fn the_language() {
    all(files::language());
}

#[test]
fn the_examples_of_the_kinds_come_out_as_they_say() {
    let failed: Vec<String> = rewrites::kinds().iter().filter_map(|kind| kind.shown().err()).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Every kind must apply to some game.
#[test]
fn every_kind_applies_somewhere() {
    let all = shipped().chain(files::language());
    let all: Vec<rewrites::Original> = all.map(|source| rewrites::Original::of(&source)).collect();
    let kinds = rewrites::kinds();
    let names: BTreeSet<&str> = kinds.iter().map(|kind| kind.name).collect();
    assert_eq!(names.len(), kinds.len(), "a name stands twice");
    let applies = |kind: &Kind| all.iter().any(|original| kind.rewrite(original).is_some());
    let never: Vec<&str> = kinds.iter().filter(|kind| !applies(kind)).map(|kind| kind.name).collect();
    assert!(never.is_empty(), "{never:?}");
}

//! Exact solving: the value of a position when every side plays its best, proved by everything that can
//! follow. Seats that win and lose together are one side.
//!
//! The method depends on the rules: alpha–beta search with a transposition table for two sides without chance, and
//! proof-number search in turn with it where that takes long; backward induction over all positions if chance draws or each of
//! several sides plays for itself; retrograde analysis if positions can repeat; interval iteration if they can repeat and chance
//! draws as well.

mod alpha_beta;
mod backward;
mod by_graph;
mod by_search;
mod components;
mod end_components;
mod graph;
mod growth;
mod interval;
mod knowledge;
mod motion;
mod numbering;
mod part;
mod partial;
mod payoff;
mod proof_number;
mod retrograde;
mod search;
mod shortest;
mod symmetry;
mod table;

pub use by_graph::{Solution, worth_without};
pub use components::Components;
pub use graph::Restriction;
pub use growth::{Difference, Growth, differences, growing};
pub use knowledge::Knowledge;
pub use payoff::Goal;
use payoff::Payoffs;
pub use shortest::shortest;

use std::cell::Cell;

use crate::engine::{DrawOutcome, Engine, OutcomesError, Stepper, Turn};
use crate::eval::{Chosen, Fault, Machine};
use crate::ir::{Game, Op, Sight};
use crate::num::{Int, Ratio};

/// The most choices of best play that are followed.
const MAX_LINE: usize = 10_000;

/// Called now and then with the number of positions visited so far; returns whether to continue.
pub type Watch<'w> = dyn Fn(u64) -> bool + 'w;

/// How sides are assumed to play if there are more than two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concept {
    /// Each plays for itself and takes the first of equal moves (C. Luckhardt and K. Irani, AAAI 1986).
    MaxN,
    /// Each gets what it can secure if all others join against it.
    Paranoid,
}

/// For which side moves are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hero {
    /// Each for itself, with this one of equally good moves.
    Each(Tie),
    /// One for itself, and all others against it.
    Against(usize),
}

/// Which of equally good moves is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tie {
    First,
    Last,
}

/// What to solve.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// What sides play for.
    pub goal: Goal,
    /// How they are assumed to play if there are more than two.
    pub concept: Concept,
    /// Whether each first move needs its own value; otherwise only the best ones are found.
    pub value_all_moves: bool,
    /// The most bytes that tables and graphs of positions may take.
    pub memory: u64,
    /// Whether the values of draws are exact fractions where positions cannot repeat, unless they get too long: they grow with
    /// the length of a match. Otherwise they are bounds, as where positions can repeat, and not brought closer to each other
    /// than it takes to compare moves.
    pub fractions: bool,
    /// Whether to look for symmetries of the board. This affects only the time needed.
    pub symmetries: bool,
}

impl Task {
    /// Returns the task to find the value of a position and its best moves, with each side playing for itself, in at most so many
    /// bytes.
    pub fn new(goal: Goal, memory: u64) -> Task {
        Task {
            goal,
            concept: Concept::MaxN,
            value_all_moves: false,
            memory,
            fractions: true,
            symmetries: true,
        }
    }

    /// The most bytes that the numbers of proof-number search may take, of [`Task::memory`].
    fn memory_of_numbers(&self) -> u64 {
        self.memory / 4
    }
}

/// The method by which something was solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Alpha–beta search.
    AlphaBeta,
    /// Alpha–beta search and proof-number search in turn.
    ProofNumbers,
    /// Backward induction over all positions.
    Backward,
    /// Retrograde analysis over all positions, which can repeat.
    Retrograde,
    /// Interval iteration over all positions: bounds that are brought together.
    Intervals,
}

/// Bounds at most this far apart count as a value: interval iteration is exact to about 1e-10.
const PRECISION: f64 = 1e-6;

/// The value of something to a seat.
#[derive(Debug, Clone, PartialEq)]
pub enum Worth {
    /// Exactly this much.
    Exact(Ratio),
    /// Between these bounds; a bound is infinite if nothing is known.
    Between(f64, f64),
}

impl Worth {
    fn whole(n: i64) -> Worth {
        Worth::Exact(Ratio::from(Int::from(n)))
    }

    /// Returns [`Solved::balance`] for a share of the win. Of one that is an average, nothing can be said.
    fn balance(&self, certain: bool) -> Worth {
        match self {
            Worth::Exact(share) if certain => Worth::Exact(payoff::balance_of_share(share)),
            _ => Worth::Between(-1.0, 1.0),
        }
    }

    /// Returns the value to a seat whose gain is this seat's loss.
    #[must_use]
    pub fn negative(&self) -> Worth {
        match self {
            Worth::Exact(worth) => Worth::Exact(-worth),
            Worth::Between(lower, upper) => Worth::Between(-upper, -lower),
        }
    }

    /// Returns the value if it is known. Of one seat that can go round for ever, some moves have none.
    pub fn settled(&self) -> Option<f64> {
        let (lower, upper) = self.bounds();
        (upper - lower <= PRECISION && lower > i64::MIN as f64).then(|| lower.midpoint(upper))
    }

    /// Whether it says more than that anything is possible for one of so many sides under a goal.
    pub fn is_narrowed(&self, goal: Goal, sides: usize) -> bool {
        self.bounds() != unknown(goal, sides).bounds()
    }

    /// Returns the lower and the upper bound.
    pub fn bounds(&self) -> (f64, f64) {
        match self {
            Worth::Exact(worth) => (worth.to_f64(), worth.to_f64()),
            Worth::Between(lower, upper) => (*lower, *upper),
        }
    }
}

/// A legal move in the position that was solved.
#[derive(Debug, Clone)]
pub struct RootMove {
    /// The move.
    pub chosen: Chosen,
    /// Its value to each seat.
    pub worth: Vec<Worth>,
    /// The same as [`Solved::balance`].
    pub balance: Vec<Worth>,
    /// Whether it is known to be a best move; with [`Method::Intervals`], whether it may be one.
    pub best: bool,
}

/// An outcome of the draw that the position waits for.
#[derive(Debug, Clone)]
pub struct RootDraw {
    /// What is drawn.
    pub outcome: DrawOutcome,
    /// The value of the position after it, to each seat.
    pub worth: Vec<Worth>,
    /// The same as [`Solved::balance`].
    pub balance: Vec<Worth>,
}

/// How the line of best play ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// The match is over.
    Over,
    /// A chance draw is due.
    Chance,
    /// It reaches a position for the second time.
    Repetition,
    /// It was not followed any further.
    Unfinished,
}

/// The result of solving a position.
#[derive(Debug, Clone)]
pub struct Solved {
    /// The method.
    pub method: Method,
    /// The value of the position to each seat.
    pub worth: Vec<Worth>,
    /// By how much wins outnumber losses, for each seat where more than two sides play to win, whose values are shares;
    /// otherwise empty. Nobody plays for it.
    pub balance: Vec<Worth>,
    /// The seat (from 0) that is to choose, if there is one.
    pub seat: Option<usize>,
    /// The legal moves, the best ones first, then by their value to the seat that is to choose.
    pub first: Vec<RootMove>,
    /// The outcomes of the draw that comes first, if one does.
    pub draws: Vec<RootDraw>,
    /// Best play from the position up to the end or a chance draw: seats (from 0) and their choices.
    pub line: Vec<(usize, Chosen)>,
    /// How the line ends.
    pub line_end: LineEnd,
    /// Whether no line to such an end has fewer choices, as far as is known.
    pub is_shortest: bool,
    /// How many positions were visited.
    pub positions: u64,
    /// Whether no seat can force an end that is worth more to it than an endless match.
    pub endless: bool,
    /// Whether the values of more than two sides that each play for themselves would be others if they took the last of
    /// equally good moves, not the first.
    pub ties_decide: bool,
    /// The names of the symmetries that were used.
    pub symmetries: Vec<&'static str>,
    /// Why the position is not fully solved, if it is not.
    pub halted: Option<Halt>,
}

/// Why solving stops early.
#[derive(Debug, Clone)]
pub enum Halt {
    /// The [`Watch`] said so.
    Interrupted,
    /// Positions can repeat.
    GoesRound,
    /// Positions can repeat while each of several sides plays for itself, for which no value is defined.
    NoSuchValue,
    /// A match is deeper than the search can follow.
    TooDeep,
    /// This many positions fill the memory.
    OutOfMemory(u64),
    /// A draw has too many outcomes: how many, if the number is finite.
    TooManyOutcomes(Option<Int>),
    /// A position has too many moves, or payoffs are too large.
    TooLarge,
    /// Some information is hidden, or several seats choose at the same time.
    NotOpen,
    /// The rules fail.
    Fault(Box<Fault>),
}

impl From<OutcomesError> for Halt {
    fn from(unlisted: OutcomesError) -> Halt {
        match unlisted {
            OutcomesError::TooMany(count) => Halt::TooManyOutcomes(count),
            OutcomesError::Fault(fault) => fault.into(),
        }
    }
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Halt {
        Halt::Fault(Box::new(fault))
    }
}

/// Returns what to do with a game in which something is hidden or several players choose at the same time, behind the reason why it
/// cannot be solved.
pub fn elsewhere(machine: &Machine) -> &'static str {
    match machine.is_allied() {
        true => {
            "; `parlour simulate GAME --seat 1=hard --seat 2=hard` (and so on) says how often computer players win together"
        }
        false => "; `parlour equilibrium` is for such games",
    }
}

/// Returns why a game cannot be solved, as a sentence: hidden information, simultaneous or infinite choices.
pub fn refused(machine: &Machine) -> Option<String> {
    let game = &machine.game;
    let elsewhere = elsewhere(machine);
    if let Some(state) = game.state.iter().find(|state| state.sight != Sight::Public) {
        return Some(format!("not everybody sees `{}`{elsewhere}", state.name));
    }
    let offered = || game.choices.iter().flat_map(|choice| game.offered(choice));
    if let Some(mv) = offered().find(|mv| mv.secret) {
        return Some(format!("what is chosen in `{}` stays secret{elsewhere}", mv.name));
    }
    if machine.setup.players > 1 && game.choices.iter().any(|choice| choice.together) {
        return Some(format!("several players choose at the same time{elsewhere}"));
    }
    for mv in offered() {
        if let Some(param) = mv.sampled_param() {
            return Some(format!(
                "`{}` of `{}` has too many values to search; give it a range, as in `{} in -9..9`",
                param.name, mv.name, param.name
            ));
        }
    }
    None
}

/// Whether a game has chance draws.
pub fn has_chance(game: &Game) -> bool {
    game.code.iter().any(|op| matches!(op, Op::Chance(_)))
}

/// Solves a position of a game that is not [`refused`]. Uses what `knowledge` holds, and adds what is found.
pub fn solve<E: Engine>(
    engine: &E,
    start: &E::State,
    task: &Task,
    knowledge: &mut Knowledge,
    watch: &Watch,
) -> Result<Solved, Box<Fault>> {
    let looked = Cell::new(0);
    let watch = &|count: u64| {
        looked.set(count);
        watch(count)
    };
    let solved = if knowledge.searches(engine, task) {
        match by_search::solve(engine, start, task, knowledge, watch) {
            // If positions repeat or matches are too deep, build the graph of all positions instead.
            Err(Halt::GoesRound | Halt::TooDeep) => {
                knowledge.clear();
                by_graph::solve(engine, start, task, watch)
            }
            other => other,
        }
    } else {
        by_graph::solve(engine, start, task, watch)
    };
    match solved {
        Ok(solved) => Ok(solved),
        Err(Halt::Fault(fault)) => Err(fault),
        Err(halt) => nothing_known(engine, start, task, (looked.get(), halt)).map_err(Box::new),
    }
}

/// Returns a result that says nothing but which moves are legal, after a search that has visited some positions.
fn nothing_known<E: Engine>(
    engine: &E,
    start: &E::State,
    task: &Task,
    (positions, halt): (u64, Halt),
) -> Result<Solved, Fault> {
    let mut stepper = engine.stepper();
    let payoffs = Payoffs::of(engine.machine(), task.goal);
    let worth = vec![unknown(task.goal, payoffs.sides); payoffs.seats()];
    let balance = balances(&worth, &payoffs);
    let moves = moves(&mut stepper, start)?;
    Ok(Solved {
        method: Method::Backward,
        seat: stepper.turn(start).seat(),
        first: moves
            .into_iter()
            .map(|chosen| RootMove { chosen, worth: worth.clone(), balance: balance.clone(), best: false })
            .collect(),
        worth,
        balance,
        draws: Vec::new(),
        line: Vec::new(),
        line_end: LineEnd::Unfinished,
        is_shortest: false,
        positions,
        endless: false,
        ties_decide: false,
        symmetries: Vec::new(),
        halted: Some(halt),
    })
}

/// Returns [`Solved::balance`] for shares that are those of one end, not averages.
fn balances(shares: &[Worth], payoffs: &Payoffs) -> Vec<Worth> {
    let all = shares.iter().filter(|_| payoffs.goal.plays_for_shares(payoffs.sides));
    all.map(|share| share.balance(true)).collect()
}

/// Returns bounds that hold for every position.
fn unknown(goal: Goal, sides: usize) -> Worth {
    match goal {
        Goal::Win if goal.plays_for_shares(sides) => Worth::Between(0.0, 1.0),
        Goal::Win => Worth::Between(-1.0, 1.0),
        Goal::Points { .. } => Worth::Between(f64::NEG_INFINITY, f64::INFINITY),
    }
}

/// Returns a stepper for searching, and whether its keys leave out the points won so far: where the rules only
/// add points up, the value of a position is these points and the best that can still be won.
fn stepper_for<E: Engine>(engine: &E, goal: Goal) -> (E::Stepper<'_>, bool) {
    let mut stepper = engine.stepper();
    let apart = goal != Goal::Win && stepper.leave_out_points();
    (stepper, apart)
}

/// Returns the legal moves of the seat that is to choose, in the order of the reference evaluator.
fn moves<S: Stepper>(stepper: &mut S, state: &S::State) -> Result<Vec<Chosen>, Fault> {
    let Turn::Choice { choice, seats } = stepper.turn(state) else { return Ok(Vec::new()) };
    let seat = seats.trailing_zeros() as usize;
    let ids = stepper.list(state, seat)?.map(<[u32]>::to_vec);
    match ids {
        Some(ids) => Ok(ids.into_iter().filter_map(|id| stepper.ids().chosen(choice, id)).collect()),
        None => stepper.legal(state, seat),
    }
}

/// Returns the position after a move of the seat that is to choose.
fn position_after<S: Stepper>(stepper: &mut S, state: &S::State, chosen: &Chosen) -> Result<S::State, Fault> {
    let mut next = state.clone();
    let seat = stepper.turn(state).seat().unwrap_or(0);
    stepper.choose(&mut next, seat, chosen.clone())?;
    Ok(next)
}

/// Sorts first moves: the best ones, then the others by what they are worth to a seat.
fn best_first(first: &mut [RootMove], seat: usize) {
    let least = |of: &RootMove| of.worth[seat].bounds().0;
    first.sort_by(|a, b| b.best.cmp(&a.best).then(least(b).total_cmp(&least(a))));
}

//! Exact play: what a position is worth when every seat plays its best, proved by all that can follow.
//!
//! Which way a game is solved follows from its rules: alpha–beta search with a table of positions where two sides play and
//! nothing is drawn; from the ends backward, over all positions laid out, where chance draws or each seat plays for itself;
//! retrograde where positions come again; between two bounds where they do and chance draws as well.

mod alpha_beta;
mod backward;
mod components;
mod end_components;
mod graph;
mod interval;
mod knowledge;
mod laid_out;
mod motion;
mod payoff;
mod prove;
mod retrograde;
mod symmetry;
mod table;

pub use components::Components;
pub use knowledge::Knowledge;
pub use payoff::Goal;

use crate::engine::{Engine, Stepper, Turn};
use crate::eval::{Chosen, Fault, Machine};
use crate::ir::{Game, Op, Sight};
use crate::num::{Int, Ratio};

/// Asked now and then, with how many positions have been looked at, whether to go on.
pub type Watch<'w> = dyn Fn(u64) -> bool + 'w;

/// What seats are taken to do, where there are more than two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concept {
    /// Each plays for itself; of equal moves it takes the first (C. Luckhardt and K. Irani, AAAI 1986).
    MaxN,
    /// What each can be sure of though all others join against it.
    Paranoid,
}

/// For whom moves are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Each seat for itself.
    Each,
    /// One seat for itself, and all others against it.
    Against(usize),
}

/// What is to be solved.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    /// What seats play for.
    pub goal: Goal,
    /// What they are taken to do where there are more than two.
    pub concept: Concept,
    /// Whether each first move is to have its own value; else it is only told which are best.
    pub every: bool,
    /// How many bytes what is known of positions may take.
    pub memory: u64,
    /// Whether symmetries of the board are looked for; only time can tell.
    pub symmetries: bool,
}

/// The way something was solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Alpha–beta search.
    AlphaBeta,
    /// All positions, from the ends backward.
    Backward,
    /// The same where positions come again.
    Retrograde,
    /// All positions, between bounds that are brought together.
    Intervals,
}

/// What something is worth to a seat.
#[derive(Debug, Clone, PartialEq)]
pub enum Worth {
    /// Exactly so much.
    Exact(Ratio),
    /// Between these; without end where nothing is known.
    Between(f64, f64),
}

impl Worth {
    fn whole(n: i64) -> Worth {
        Worth::Exact(Ratio::from(Int::from(n)))
    }

    /// The same for whoever has what this one lacks.
    #[must_use]
    pub fn negative(&self) -> Worth {
        match self {
            Worth::Exact(worth) => Worth::Exact(-worth),
            Worth::Between(lower, upper) => Worth::Between(-upper, -lower),
        }
    }

    /// The least and the most that it can be.
    pub fn bounds(&self) -> (f64, f64) {
        match self {
            Worth::Exact(worth) => (worth.to_f64(), worth.to_f64()),
            Worth::Between(lower, upper) => (*lower, *upper),
        }
    }
}

/// A first move.
#[derive(Debug, Clone)]
pub struct First {
    /// The move.
    pub chosen: Chosen,
    /// What it is worth to each seat.
    pub worth: Vec<Worth>,
    /// Whether it is known that no other is better.
    pub best: bool,
}

/// How the line of best play ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// The match is over.
    Over,
    /// A draw of chance is due.
    Chance,
    /// It comes to a position that was there before.
    Round,
    /// It was not followed further.
    Unfinished,
}

/// What was found out.
#[derive(Debug, Clone)]
pub struct Solved {
    /// How.
    pub method: Method,
    /// What the position is worth to each seat.
    pub worth: Vec<Worth>,
    /// The seat (from 0) that is to choose, if one is.
    pub seat: Option<usize>,
    /// The legal moves, the best before the others.
    pub first: Vec<First>,
    /// Best play from there, up to its end or a draw of chance: seats (from 0) and their choices.
    pub line: Vec<(usize, Chosen)>,
    /// How it ends.
    pub line_end: LineEnd,
    /// How many positions were looked at.
    pub positions: u64,
    /// Whether nobody can force an end that is worth more to them than that the match goes on for ever.
    pub endless: bool,
    /// The symmetries that were used, by name.
    pub symmetries: Vec<&'static str>,
    /// Why it is not solved, if it is not.
    pub halted: Option<Halt>,
}

/// Why solving comes to a halt.
#[derive(Debug, Clone)]
pub enum Halt {
    /// It was told to.
    Asked,
    /// Positions come again.
    GoesRound,
    /// Positions come again, and each of several seats plays for itself: what that is worth is nowhere defined.
    NoSuchValue,
    /// A match goes deeper than can be kept.
    TooDeep,
    /// So many positions fill the memory.
    OutOfMemory(u64),
    /// A draw has too many outcomes: how many, where that is known.
    TooManyOutcomes(Option<Int>),
    /// A position has too many moves, or points go beyond what can be told apart.
    Beyond,
    /// Somebody does not see all, or several choose together.
    NotOpen,
    /// The rules do something wrong.
    Fault(Box<Fault>),
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Halt {
        Halt::Fault(Box::new(fault))
    }
}

/// Why a game cannot be solved, in a sentence: somebody does not see all, several choose together, or choices have no end.
pub fn refused(machine: &Machine) -> Option<String> {
    let game = &machine.game;
    let elsewhere = "; `parlour equilibrium` is for such games";
    if let Some(state) = game.state.iter().find(|state| state.sight != Sight::Public) {
        return Some(format!("not everybody sees `{}`{elsewhere}", state.name));
    }
    let offered = || game.choices.iter().flat_map(|choice| choice.offers.iter().chain(&choice.otherwise));
    if let Some(offer) = offered().find(|offer| game.moves[offer.mv].secret) {
        return Some(format!("what is chosen in `{}` stays secret{elsewhere}", game.moves[offer.mv].name));
    }
    if machine.setup.players > 1 && game.choices.iter().any(|choice| choice.together) {
        return Some(format!("several players choose at the same time{elsewhere}"));
    }
    for mv in offered().map(|offer| &game.moves[offer.mv]) {
        if let Some(param) = mv.params.iter().find(|param| param.window.is_some() || param.tried.is_some()) {
            return Some(format!(
                "`{}` of `{}` is chosen from more than can be gone through; give it a range, as in `{} in -9..9`",
                param.name, mv.name, param.name
            ));
        }
    }
    None
}

/// Whether chance draws anything in a game.
pub fn has_chance(game: &Game) -> bool {
    game.code.iter().any(|op| matches!(op, Op::Chance(_)))
}

/// Solves a position of a game that is not [`refused`]. What `knowledge` holds is used, and what is found out is added to it.
pub fn solve<E: Engine>(
    engine: &E,
    start: &E::State,
    task: &Task,
    knowledge: &mut Knowledge,
    watch: &Watch,
) -> Result<Solved, Box<Fault>> {
    let solved = if knowledge.searches(engine, task) {
        match prove::solve(engine, start, task, knowledge, watch) {
            // Where positions come again, or matches are too long to be followed, all have to be laid out.
            Err(Halt::GoesRound | Halt::TooDeep) => {
                knowledge.clear();
                laid_out::solve(engine, start, task, watch)
            }
            other => other,
        }
    } else {
        laid_out::solve(engine, start, task, watch)
    };
    match solved {
        Ok(solved) => Ok(solved),
        Err(Halt::Fault(fault)) => Err(fault),
        Err(halt) => nothing_known(engine, start, task, halt).map_err(Box::new),
    }
}

/// What there is to say where nothing was found out.
fn nothing_known<E: Engine>(engine: &E, start: &E::State, task: &Task, halt: Halt) -> Result<Solved, Fault> {
    let mut stepper = engine.stepper();
    let worth = vec![unknown(task.goal); engine.machine().setup.players];
    let moves = moves(&mut stepper, start)?;
    Ok(Solved {
        method: Method::Backward,
        seat: stepper.turn(start).seat(),
        first: moves.into_iter().map(|chosen| First { chosen, worth: worth.clone(), best: false }).collect(),
        worth,
        line: Vec::new(),
        line_end: LineEnd::Unfinished,
        positions: 0,
        endless: false,
        symmetries: Vec::new(),
        halted: Some(halt),
    })
}

/// What is known of anything.
fn unknown(goal: Goal) -> Worth {
    match goal {
        Goal::Win => Worth::Between(-1.0, 1.0),
        Goal::Points { .. } => Worth::Between(f64::NEG_INFINITY, f64::INFINITY),
    }
}

/// The legal moves of whoever is to choose, in the order of the reference.
fn moves<S: Stepper>(stepper: &mut S, state: &S::State) -> Result<Vec<Chosen>, Fault> {
    let Turn::Choice { choice, seats } = stepper.turn(state) else { return Ok(Vec::new()) };
    let seat = seats.trailing_zeros() as usize;
    let ids = stepper.list(state, seat)?.map(<[u32]>::to_vec);
    match ids {
        Some(ids) => Ok(ids.into_iter().filter_map(|id| stepper.ids().chosen(choice, id)).collect()),
        None => stepper.legal(state, seat),
    }
}

/// The position behind the move of whoever is to choose.
fn behind<S: Stepper>(stepper: &mut S, state: &S::State, chosen: &Chosen) -> Result<S::State, Fault> {
    let mut next = state.clone();
    let seat = stepper.turn(state).seat().unwrap_or(0);
    stepper.choose(&mut next, seat, chosen.clone())?;
    Ok(next)
}

/// Puts the best first moves before the others.
fn best_first(first: &mut [First]) {
    first.sort_by_key(|first| !first.best);
}

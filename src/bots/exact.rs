//! Exact play: the rest of a match searched to its end, where it is small enough.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::advice::{Advice, Method, MoveStats};
use super::is_open;
use super::worth::{Proof, plays_for_score};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::{Chosen, Fault, Machine, Outcome};
use crate::ir::Interests;
use crate::solve::{Goal, Halt, Knowledge, Solution, Solved, Task, Worth, has_chance, shortest, solve};

/// How many choices ahead it looks at most: each takes a frame of the stack.
const MAX_DEPTH: usize = 200;

/// Of more moves than this none are listed.
const MAX_MOVES: u64 = 4000;

/// How many bytes the positions may take that [`solve`] keeps.
pub(super) const MEMORY: u64 = 1 << 28;

/// Why there is no exact play of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotExact {
    /// Something is hidden.
    Hidden,
    /// Several seats choose at the same time.
    Together,
    /// Of some moves there are so many that only some are tried.
    Sampled,
    /// Chance draws, and more than two seats play.
    ChanceAmongMany,
    /// Several seats win and lose together, and chance draws or a common score is played for.
    Allied,
    /// Chance draws, and the graph of all positions was not to be built.
    Chance,
    /// One of more than two seats decides, among moves equally good for itself, who of the others wins.
    Kingmaker,
    /// Positions come again.
    GoesRound,
    /// A match has too many choices to be followed.
    TooLong,
    /// A seat has too many moves to choose from, or a draw too many outcomes.
    TooWide,
    /// There are more positions than were to be looked at.
    TooManyPositions,
}

impl NotExact {
    /// Returns why exact play is not defined for a game at all, whatever its size; `None` if it is: nothing is hidden, seats
    /// choose one at a time, all moves are tried, and where chance draws there are at most two seats, whose interests are opposed.
    pub fn of_game(machine: &Machine) -> Option<NotExact> {
        match () {
            () if !is_open(&machine.game) => Some(NotExact::Hidden),
            () if machine.game.choices.iter().any(|choice| choice.together) => Some(NotExact::Together),
            () if machine.game.choices.iter().any(|choice| machine.game.samples_moves(choice)) => {
                Some(NotExact::Sampled)
            }
            () if machine.is_allied() && (has_chance(&machine.game) || plays_for_score(machine)) => {
                Some(NotExact::Allied)
            }
            () if machine.setup.players > 2 && has_chance(&machine.game) => Some(NotExact::ChanceAmongMany),
            () => None,
        }
    }

    /// Whether the search was too small, rather than exact play not defined.
    pub fn is_of_size(self) -> bool {
        use NotExact::{Chance, GoesRound, TooLong, TooManyPositions, TooWide};
        matches!(self, Chance | GoesRound | TooLong | TooWide | TooManyPositions)
    }

    /// Returns the reason why the solver stopped.
    pub fn of_halt(halt: &Halt) -> NotExact {
        match halt {
            Halt::GoesRound | Halt::NoSuchValue => NotExact::GoesRound,
            Halt::TooDeep => NotExact::TooLong,
            Halt::TooManyOutcomes(_) | Halt::TooLarge => NotExact::TooWide,
            Halt::NotOpen => NotExact::Hidden,
            Halt::Interrupted | Halt::OutOfMemory(_) | Halt::Fault(_) => NotExact::TooManyPositions,
        }
    }
}

/// Writes the reason as a sentence without a full stop.
impl fmt::Display for NotExact {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            NotExact::Hidden => write!(f, "something is hidden in this game"),
            NotExact::Together => write!(f, "several choose at the same time in this game"),
            NotExact::Sampled => write!(f, "some moves take any number, of which only some are tried"),
            NotExact::ChanceAmongMany => {
                write!(
                    f,
                    "chance draws in this game and more than two play, so that exact play is not defined"
                )
            }
            NotExact::Allied => write!(
                f,
                "the players win and lose together here, which is worked out only where nothing is drawn and no score counts"
            ),
            NotExact::Chance => write!(f, "chance draws in this game"),
            NotExact::Kingmaker => write!(
                f,
                "more than two play, and the choice between moves that are equally good for one player can decide which of the \
                 others wins, so that exact play is not defined"
            ),
            NotExact::GoesRound => write!(f, "positions come again in this game"),
            NotExact::TooLong => write!(f, "a match can have more than {MAX_DEPTH} choices"),
            NotExact::TooWide => write!(f, "there are too many moves or outcomes to be listed"),
            NotExact::TooManyPositions => write!(f, "there are too many positions"),
        }
    }
}

/// The best move of the seat to choose in a position, by all that can follow; or the reason why it cannot be known, such as that
/// `goes_on`, asked with the number of positions looked at so far, says no.
///
/// A search with a table of positions prefers quick wins and late losses. Where chance draws, positions come again or one seat
/// plays alone for its score, [`solve`] builds the graph of all positions instead, if `builds_graph` allows it: that takes much
/// longer before it turns out to be too much.
pub fn exact<E: Engine>(
    engine: &E,
    state: &E::State,
    goes_on: &dyn Fn(u64) -> bool,
    builds_graph: bool,
) -> Result<Result<Advice, NotExact>, Fault> {
    if let Some(why) = NotExact::of_game(engine.machine()) {
        return Ok(Err(why));
    }
    let chance = has_chance(&engine.machine().game);
    let mut stepper = engine.stepper();
    let Turn::Choice { seats, .. } = stepper.turn(state) else {
        return Ok(Err(if chance { NotExact::Chance } else { NotExact::TooManyPositions }));
    };
    let seat = seats.trailing_zeros() as usize;
    if stepper.count(state, seat)? > MAX_MOVES {
        return Ok(Err(NotExact::TooWide));
    }
    if chance || plays_for_score(engine.machine()) {
        return match builds_graph {
            true => by_solving(engine, state, seat, goes_on),
            false => Ok(Err(if chance { NotExact::Chance } else { NotExact::TooManyPositions })),
        };
    }
    let mut solver = Solver {
        engine,
        stepper,
        seats: engine.machine().setup.players,
        looked: 0,
        goes_on,
        exact_lengths: false,
        known: HashMap::new(),
        why: None,
    };
    let legal = solver.stepper.legal(state, seat)?;
    let Some(mut ends) = solver.ends(state, seat, &legal)? else {
        let why = solver.why.unwrap_or(NotExact::TooManyPositions);
        // The payoffs of `solve` are those of opponents.
        let solves = solver.seats <= 2 && !engine.machine().is_allied();
        return match builds_graph && why == NotExact::GoesRound && solves {
            true => by_solving(engine, state, seat, goes_on),
            false => Ok(Err(why)),
        };
    };
    // Who wins is known now; how soon takes a search of its own, for which the effort may not suffice.
    (solver.exact_lengths, solver.known) = (true, HashMap::new());
    if let Some(better) = solver.ends(state, seat, &legal)? {
        ends = better;
    }
    let weighed = |(chosen, end): (Chosen, Proof)| {
        let value = end.share(seat, solver.seats);
        MoveStats { chosen, value, score: None, visits: 1, moved: 0.0, end: Some(end) }
    };
    let mut moves: Vec<MoveStats> = legal.into_iter().zip(ends).map(weighed).collect();
    let rank = |weighed: &MoveStats| weighed.end.map(|end| end.rank(seat, solver.seats));
    moves.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(Ordering::Equal));
    let line = match moves.first() {
        Some(first) => solver.line(state, seat, first)?,
        None => Vec::new(),
    };
    let advice = Advice::of(moves, Method::Exact);
    let advice = advice.map(|advice| Advice { playouts: solver.looked, line, ..advice });
    Ok(advice.ok_or(NotExact::TooManyPositions))
}

/// The best move of a seat (from 0) among at most two, with the expected value of each move.
fn by_solving<E: Engine>(
    engine: &E,
    state: &E::State,
    seat: usize,
    goes_on: &dyn Fn(u64) -> bool,
) -> Result<Result<Advice, NotExact>, Fault> {
    let machine = engine.machine();
    let goal = Goal::usual(machine);
    let task = Task { value_all_moves: true, fractions: false, symmetries: false, ..Task::new(goal, MEMORY) };
    let solved = solve(engine, state, &task, &mut Knowledge::default(), goes_on).map_err(|fault| *fault)?;
    match &solved.halted {
        Some(halt) => Ok(Err(NotExact::of_halt(halt))),
        None => Ok(by_solution(machine, with_shortest_line(engine, state, solved, goes_on), seat)),
    }
}

/// Replaces the line of best play of a single player by the shortest one, so that who follows it makes progress.
fn with_shortest_line<E: Engine>(
    engine: &E,
    state: &E::State,
    solved: Solved,
    goes_on: &dyn Fn(u64) -> bool,
) -> Solved {
    let (machine, Some(Worth::Exact(worth))) = (engine.machine(), solved.worth.first()) else {
        return solved;
    };
    if machine.setup.players > 1 {
        return solved;
    }
    match shortest(engine, state, Goal::usual(machine), worth, goes_on) {
        Ok(Some(line)) => Solved { line: line.into_iter().map(|chosen| (0, chosen)).collect(), ..solved },
        _ => solved,
    }
}

/// The best move of the seat that is to choose (from 0), among at most two, in a position of a game that was solved as a whole;
/// `None` if it is no position of that game.
pub fn exact_by<E: Engine>(
    solution: &Solution,
    engine: &E,
    state: &E::State,
) -> Result<Option<Advice>, Fault> {
    let Some(seat) = engine.stepper().turn(state).seat() else { return Ok(None) };
    match solution.at(engine, state) {
        Ok(Some(solved)) => {
            let solved = with_shortest_line(engine, state, solved, &|_| true);
            Ok(by_solution(engine.machine(), solved, seat).ok())
        }
        Err(Halt::Fault(fault)) => Err(*fault),
        Ok(None) | Err(_) => Ok(None),
    }
}

/// The best move of a seat (from 0) in a solved position.
pub(super) fn by_solution(machine: &Machine, solved: Solved, seat: usize) -> Result<Advice, NotExact> {
    let goal = Goal::usual(machine);
    let mut moves = Vec::new();
    for first in &solved.first {
        let worth = first.worth[seat].settled().ok_or(NotExact::GoesRound)?;
        let figure = goal.score_or_share(worth, machine.setup.players);
        let (value, score) = match goal {
            Goal::Points { .. } => (1.0, Some(figure)),
            Goal::Win => (figure, None),
        };
        moves.push((
            worth,
            MoveStats { chosen: first.chosen.clone(), value, score, visits: 1, moved: 0.0, end: None },
        ));
    }
    // Where positions come again, not every move that keeps the value makes progress: the first of the line does.
    let best = solved.line.first().map(|(_, chosen)| chosen.clone());
    let rank = |(worth, weighed): &(f64, MoveStats)| (Some(&weighed.chosen) == best.as_ref(), *worth);
    moves.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(Ordering::Equal));
    let moves = moves.into_iter().map(|(_, weighed)| weighed).collect();
    let (playouts, line) = (solved.positions, solved.line);
    let advice = Advice::of(moves, Method::Exact).map(|advice| Advice { playouts, line, ..advice });
    advice.ok_or(NotExact::TooManyPositions)
}

/// Who wins from each position, as far as it was looked at: every seat plays for the greatest share of the win, and among
/// equals for a win soon or a loss late. Unless lengths are to be exact, the first win that is found is taken: the match
/// then ends after no more choices than are said.
struct Solver<'e, E: Engine + 'e> {
    engine: &'e E,
    stepper: E::Stepper<'e>,
    seats: usize,
    /// How many positions have been looked at, and whether to go on with so many.
    looked: u64,
    goes_on: &'e dyn Fn(u64) -> bool,
    /// Whether to look for the soonest win.
    exact_lengths: bool,
    /// By key of position; `None` for one that is being looked at, or that could not be solved.
    known: HashMap<Vec<u64>, Option<Proof>>,
    /// Why the search has stopped.
    why: Option<NotExact>,
}

impl<E: Engine> Solver<'_, E> {
    fn interests(&self) -> Interests {
        self.engine.machine().interests
    }

    /// Stops the search for a reason.
    fn stop(&mut self, why: NotExact) -> Result<Option<Proof>, Fault> {
        self.why = Some(why);
        Ok(None)
    }

    /// How a match ends after each of the legal moves of a seat; `None` where that cannot be known.
    fn ends(&mut self, state: &E::State, seat: usize, legal: &[Chosen]) -> Result<Option<Vec<Proof>>, Fault> {
        let mut ends = Vec::with_capacity(legal.len());
        for chosen in legal {
            let mut next = state.clone();
            self.stepper.choose(&mut next, seat, chosen.clone())?;
            let Some(end) = self.solve(&next, 0)? else { return Ok(None) };
            ends.push(end.before());
        }
        Ok(Some(ends))
    }

    /// Returns a line of best play that begins with a move: seats (from 0) and their moves.
    fn line(
        &mut self,
        state: &E::State,
        seat: usize,
        first: &MoveStats,
    ) -> Result<Vec<(usize, Chosen)>, Fault> {
        let (mut line, mut next) = (vec![(seat, first.chosen.clone())], state.clone());
        self.stepper.choose(&mut next, seat, first.chosen.clone())?;
        while let (Some(end), Turn::Choice { seats, .. }) = (self.solve(&next, 0)?, self.stepper.turn(&next))
        {
            let seat = seats.trailing_zeros() as usize;
            let mut found = None;
            for chosen in self.stepper.legal(&next, seat)? {
                let mut after = next.clone();
                self.stepper.choose(&mut after, seat, chosen.clone())?;
                if self.solve(&after, 0)?.map(Proof::before) == Some(end) {
                    found = Some((chosen, after));
                    break;
                }
            }
            let Some((chosen, after)) = found else { break };
            line.push((seat, chosen));
            next = after;
        }
        Ok(line)
    }

    /// How a match ends from a position; `None` where that cannot be known.
    fn solve(&mut self, state: &E::State, depth: usize) -> Result<Option<Proof>, Fault> {
        let seat = match self.stepper.turn(state) {
            Turn::Over => {
                let end = |outcome: Outcome| Proof::of(&outcome.winners, self.interests());
                return Ok(self.engine.outcome(state).map(end));
            }
            Turn::Choice { seats, .. } if seats.count_ones() == 1 => seats.trailing_zeros() as usize,
            _ => return self.stop(NotExact::Together),
        };
        if depth == MAX_DEPTH {
            return self.stop(NotExact::TooLong);
        }
        let mut key = Vec::new();
        self.stepper.lasting_key(state, &mut key);
        match self.known.get(&key) {
            Some(Some(known)) => return Ok(Some(*known)),
            // The search ends at the first position that cannot be solved, so this one is still being looked at.
            Some(None) => return self.stop(NotExact::GoesRound),
            None => {}
        }
        if !(self.goes_on)(self.looked) {
            return self.stop(NotExact::TooManyPositions);
        }
        self.looked += 1;
        self.known.insert(key.clone(), None);
        // Moves that have no numbers are listed with their arguments.
        let (ids, chosen) = match self.stepper.list(state, seat)?.map(<[u32]>::to_vec) {
            Some(ids) => (ids, Vec::new()),
            None if self.stepper.count(state, seat)? > MAX_MOVES => return self.stop(NotExact::TooWide),
            None => (Vec::new(), self.stepper.legal(state, seat)?),
        };
        let mut successors = Vec::with_capacity(ids.len() + chosen.len());
        for id in ids {
            let mut next = state.clone();
            self.stepper.make(&mut next, seat, id)?;
            successors.push(next);
        }
        for chosen in chosen {
            let mut next = state.clone();
            self.stepper.choose(&mut next, seat, chosen)?;
            successors.push(next);
        }
        let wins =
            |next: &E::State| self.engine.outcome(next).is_some_and(|outcome| outcome.winners == [seat]);
        if successors.iter().any(wins) {
            let end = Proof::of(&[seat], self.interests()).before();
            self.known.insert(key, Some(end));
            return Ok(Some(end));
        }
        let mut best: Option<Proof> = None;
        for next in successors {
            let Some(end) = self.solve(&next, depth + 1)? else { return Ok(None) };
            let end = end.before();
            if end.wins(seat) && !self.exact_lengths {
                // Whatever the other moves lead to, this is as good.
                best = Some(end);
                break;
            }
            let Some(so_far) = best else {
                best = Some(end);
                continue;
            };
            let level = end.share(seat, self.seats) == so_far.share(seat, self.seats);
            if self.seats > 2 && level && end.winners != so_far.winners {
                return self.stop(NotExact::Kingmaker);
            }
            if end.rank(seat, self.seats) > so_far.rank(seat, self.seats) {
                best = Some(end);
            }
        }
        self.known.insert(key, best);
        Ok(best)
    }
}

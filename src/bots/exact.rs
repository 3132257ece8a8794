//! Exact play: the rest of a match searched to its end, where it is small enough.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::advice::{Advice, Method, MoveStats};
use super::worth::{Proof, plays_for_score};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::Fault;
use crate::solve::{Concept, Goal, Knowledge, Task, has_chance, solve};

/// How many choices ahead it looks at most: each takes a frame of the stack.
const MAX_DEPTH: usize = 200;

/// Of more moves than this none are listed.
const MAX_MOVES: u64 = 4000;

/// Moves whose values differ by less than this are equally good: interval iteration is exact to about 1e-10.
const PRECISION: f64 = 1e-6;

/// How many bytes the positions of [`by_solving`] may take.
const MEMORY: u64 = 1 << 28;

/// Whether exact play is defined for a game that hides nothing: seats choose one at a time, and where chance draws there are at
/// most two seats, whose interests are opposed.
pub fn can_be_searched<E: Engine>(engine: &E) -> bool {
    let machine = engine.machine();
    let apart = machine.setup.players > 2 && has_chance(&machine.game);
    !apart && machine.game.choices.iter().all(|choice| !choice.together)
}

/// The best move of the seat to choose in an open position, by all that can follow; `None` where it cannot be known (see
/// [`can_be_searched`]), or where `goes_on`, asked with the number of positions looked at so far, says no.
///
/// A search with a table of positions prefers quick wins and late losses. Where chance draws, positions come again or one seat
/// plays alone for its score, [`solve`] builds the graph of all positions instead, if `builds_graph` allows it: that takes much
/// longer before it turns out to be too much.
pub fn exact<E: Engine>(
    engine: &E,
    state: &E::State,
    goes_on: &dyn Fn(u64) -> bool,
    builds_graph: bool,
) -> Result<Option<Advice>, Fault> {
    if !can_be_searched(engine) {
        return Ok(None);
    }
    let mut stepper = engine.stepper();
    let Turn::Choice { seats, .. } = stepper.turn(state) else { return Ok(None) };
    let seat = seats.trailing_zeros() as usize;
    if stepper.count(state, seat)? > MAX_MOVES {
        return Ok(None);
    }
    if has_chance(&engine.machine().game) || plays_for_score(engine.machine()) {
        return if builds_graph { by_solving(engine, state, seat, goes_on) } else { Ok(None) };
    }
    let mut solver = Solver {
        engine,
        stepper,
        seats: engine.machine().setup.players,
        looked: 0,
        goes_on,
        known: HashMap::new(),
        goes_round: false,
    };
    let mut moves = Vec::new();
    for chosen in solver.stepper.legal(state, seat)? {
        let mut next = state.clone();
        solver.stepper.choose(&mut next, seat, chosen.clone())?;
        let Some(end) = solver.solve(&next, 0)? else {
            return match builds_graph && solver.goes_round && solver.seats <= 2 {
                true => by_solving(engine, state, seat, goes_on),
                false => Ok(None),
            };
        };
        let value = end.share(seat, solver.seats);
        moves.push(MoveStats { chosen, value, score: None, visits: 1, end: Some(end.before()) });
    }
    let rank = |weighed: &MoveStats| weighed.end.map(|end| end.rank(seat, solver.seats));
    moves.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(Ordering::Equal));
    Ok(Advice::of(moves, Method::Exact).map(|advice| Advice { playouts: solver.looked, ..advice }))
}

/// The best move of a seat (from 0) among at most two, with the expected value of each move.
fn by_solving<E: Engine>(
    engine: &E,
    state: &E::State,
    seat: usize,
    goes_on: &dyn Fn(u64) -> bool,
) -> Result<Option<Advice>, Fault> {
    let machine = engine.machine();
    let goal = Goal::usual(machine);
    let task =
        Task { goal, concept: Concept::MaxN, value_all_moves: true, memory: MEMORY, symmetries: false };
    let solved = solve(engine, state, &task, &mut Knowledge::default(), goes_on).map_err(|fault| *fault)?;
    if solved.halted.is_some() {
        return Ok(None);
    }
    let mut moves = Vec::new();
    for first in &solved.first {
        let (lower, upper) = first.worth[seat].bounds();
        // Of one seat that can go round for ever, some moves have no score.
        if upper - lower > PRECISION || lower == i64::MIN as f64 {
            return Ok(None);
        }
        let worth = (lower + upper) / 2.0;
        let (value, score) = match goal {
            Goal::Points { highest } => (1.0, Some(if highest { worth } else { -worth })),
            // A win counts 1 and a loss −1; a seat that plays alone cannot lose.
            Goal::Win if machine.setup.players == 1 => (worth, None),
            Goal::Win => ((worth + 1.0) / 2.0, None),
        };
        moves.push((worth, MoveStats { chosen: first.chosen.clone(), value, score, visits: 1, end: None }));
    }
    // Where positions come again, not every move that keeps the value makes progress: the first of the line does.
    let best = solved.line.first().map(|(_, chosen)| chosen.clone());
    let rank = |(worth, weighed): &(f64, MoveStats)| (Some(&weighed.chosen) == best.as_ref(), *worth);
    moves.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(Ordering::Equal));
    let moves = moves.into_iter().map(|(_, weighed)| weighed).collect();
    let (playouts, line) = (solved.positions, solved.line);
    Ok(Advice::of(moves, Method::Exact).map(|advice| Advice { playouts, line, ..advice }))
}

/// Who wins from each position, as far as it was looked at: every seat plays for the greatest share of the win, and among
/// equals for a win soon or a loss late.
struct Solver<'e, E: Engine + 'e> {
    engine: &'e E,
    stepper: E::Stepper<'e>,
    seats: usize,
    /// How many positions have been looked at, and whether to go on with so many.
    looked: u64,
    goes_on: &'e dyn Fn(u64) -> bool,
    /// By key of position; `None` for one that is being looked at, or that could not be solved.
    known: HashMap<Vec<u64>, Option<Proof>>,
    /// Whether a position was met again behind itself.
    goes_round: bool,
}

impl<E: Engine> Solver<'_, E> {
    /// How a match ends from a position; `None` where that cannot be known.
    fn solve(&mut self, state: &E::State, depth: usize) -> Result<Option<Proof>, Fault> {
        let seat = match self.stepper.turn(state) {
            Turn::Over => return Ok(self.engine.outcome(state).map(|outcome| Proof::of(&outcome.winners))),
            Turn::Choice { seats, .. } if seats.count_ones() == 1 => seats.trailing_zeros() as usize,
            _ => return Ok(None),
        };
        if depth == MAX_DEPTH {
            return Ok(None);
        }
        let mut key = Vec::new();
        self.stepper.lasting_key(state, &mut key);
        if let Some(known) = self.known.get(&key) {
            // The search ends at the first position that cannot be solved, so this one is still being looked at.
            self.goes_round |= known.is_none();
            return Ok(*known);
        }
        if !(self.goes_on)(self.looked) {
            return Ok(None);
        }
        self.looked += 1;
        self.known.insert(key.clone(), None);
        // Moves that have no numbers are listed with their arguments.
        let (ids, chosen) = match self.stepper.list(state, seat)?.map(<[u32]>::to_vec) {
            Some(ids) => (ids, Vec::new()),
            None if self.stepper.count(state, seat)? > MAX_MOVES => return Ok(None),
            None => (Vec::new(), self.stepper.legal(state, seat)?),
        };
        let mut best: Option<Proof> = None;
        let numbered = ids.iter().map(|id| (Some(*id), None));
        for (id, chosen) in numbered.chain(chosen.into_iter().map(|chosen| (None, Some(chosen)))) {
            let mut next = state.clone();
            match (id, chosen) {
                (Some(id), _) => drop(self.stepper.make(&mut next, seat, id)?),
                (_, Some(chosen)) => self.stepper.choose(&mut next, seat, chosen)?,
                (None, None) => {}
            }
            let Some(end) = self.solve(&next, depth + 1)? else { return Ok(None) };
            let end = end.before();
            if end.wins(seat) {
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
                return Ok(None);
            }
            if end.rank(seat, self.seats) > so_far.rank(seat, self.seats) {
                best = Some(end);
            }
        }
        self.known.insert(key, best);
        Ok(best)
    }
}

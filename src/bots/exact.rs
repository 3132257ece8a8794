//! Exact play: the rest of a match searched to its end, where it is small enough.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::advice::{Advice, Method, Weighed};
use super::worth::{Proof, plays_for_score};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::Fault;
use crate::ir::Op;

/// How many choices ahead it looks at most: each takes a frame of the stack.
const MAX_DEPTH: usize = 200;

/// Of more moves than this none are listed.
const MAX_MOVES: u64 = 4000;

/// Whether nothing in a game is left to chance and nobody chooses at the same time as others, so that who knows all there is
/// to know can search it to its end.
pub fn can_be_searched<E: Engine>(engine: &E) -> bool {
    let game = &engine.machine().game;
    let draws = game.code.iter().any(|op| matches!(op, Op::Chance(_)));
    !draws && game.choices.iter().all(|choice| !choice.together)
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
    /// By key of position; `None` for one that is being looked at, which is met again where rules go round.
    known: HashMap<Vec<u8>, Option<Proof>>,
}

/// The best move of whoever is to choose in an open position, by all that can follow; `None` where `goes_on`,
/// asked with the number of positions looked at so far, has said no, or where it is not to be known: rules that go round, draws
/// of chance, more than two seats one of which decides between others, or one that plays for its score. See [`can_be_searched`].
pub fn exact<E: Engine>(
    engine: &E,
    state: &E::State,
    goes_on: &dyn Fn(u64) -> bool,
) -> Result<Option<Advice>, Fault> {
    let mut solver = Solver {
        engine,
        stepper: engine.stepper(),
        seats: engine.machine().setup.players,
        looked: 0,
        goes_on,
        known: HashMap::new(),
    };
    let Turn::Choice { seats, .. } = solver.stepper.turn(state) else { return Ok(None) };
    // Who plays alone for the score wins by whatever move.
    if !can_be_searched(engine) || plays_for_score(engine.machine()) {
        return Ok(None);
    }
    let seat = seats.trailing_zeros() as usize;
    if solver.stepper.count(state, seat)? > MAX_MOVES {
        return Ok(None);
    }
    let mut moves = Vec::new();
    for chosen in solver.stepper.legal(state, seat)? {
        let mut next = state.clone();
        solver.stepper.choose(&mut next, seat, chosen.clone())?;
        let Some(end) = solver.solve(&next, 0)? else { return Ok(None) };
        let value = end.share(seat, solver.seats);
        moves.push(Weighed { chosen, value, score: None, visits: 1, end: Some(end.before()) });
    }
    let rank = |weighed: &Weighed| weighed.end.map(|end| end.rank(seat, solver.seats));
    moves.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(Ordering::Equal));
    Ok(Advice::of(moves, Method::Exact).map(|advice| Advice { playouts: solver.looked, ..advice }))
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
        self.stepper.key(state, &mut key);
        if let Some(known) = self.known.get(&key) {
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

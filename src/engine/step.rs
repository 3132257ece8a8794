//! Plays a game one step at a time, for bots, solvers and reinforcement learning.

use std::fmt::Debug;
use std::ops::ControlFlow;

use super::identity::Identity;
use super::{DrawOutcome, Engine, Ids, no_move, seen_cells, view_words};
use crate::diag::Code;
use crate::eval::{Chosen, Fault, Machine, Position, Waiting, fault};
use crate::num::Rng;

/// What a position waits for, in a compact form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// One or more seats are to choose.
    Choice {
        /// The index of the choice in the game.
        choice: usize,
        /// The seats that have yet to choose, as a bit set.
        seats: u64,
    },
    /// A chance event.
    Chance,
    /// Nothing: the match is over, or was never begun.
    Over,
}

impl Turn {
    /// Converts from the reference representation.
    pub fn of(waiting: &Waiting) -> Turn {
        match waiting {
            Waiting::Choice { choice, seats } => {
                Turn::Choice { choice: *choice, seats: seats.iter().fold(0, |all, seat| all | 1 << seat) }
            }
            Waiting::Chance => Turn::Chance,
            Waiting::Over | Waiting::Nothing => Turn::Over,
        }
    }

    /// Returns the seat (from 0) that is to choose; in a joint choice, the first that has not yet chosen.
    pub fn seat(self) -> Option<usize> {
        match self {
            Turn::Choice { seats, .. } if seats != 0 => Some(seats.trailing_zeros() as usize),
            _ => None,
        }
    }
}

/// The ids of the legal moves at several positions.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'l> {
    ids: &'l [u32],
    ends: &'l [usize],
}

impl<'l> Listed<'l> {
    /// Creates the list from the concatenated ids and the end offset of each position.
    pub fn new(ids: &'l [u32], ends: &'l [usize]) -> Listed<'l> {
        Listed { ids, ends }
    }

    /// Returns the ids at the position with index `n`.
    pub fn at(&self, n: usize) -> &'l [u32] {
        let from = if n == 0 { 0 } else { self.ends[n - 1] };
        &self.ids[from..self.ends[n]]
    }

    /// Iterates over the ids at each position.
    pub fn iter(&self) -> impl Iterator<Item = &'l [u32]> + use<'l> {
        let all = *self;
        (0..all.ends.len()).map(move |n| all.at(n))
    }
}

/// Plays a game one step at a time. A stepper has its own working memory, so each thread needs its own.
///
/// Moves are identified by ids (see [`Ids`]). Where a choice offers a move without ids, methods such as
/// `list` and `draw` return `None`; [`Stepper::legal`], [`Stepper::draw_legal`], [`Stepper::choose`] and
/// [`Stepper::make_nth`] work there too, with arguments, but slower. Unbounded integers are chosen from the
/// window that bots draw from. As with an [`Engine`], an error in the rules is a fault; it leaves the
/// position as the rules left it.
///
/// To go from choice to choice, prefer [`Stepper::step`], which makes a move and lists the legal moves of the
/// next choice in one call, or [`Stepper::step_all`], which does so for many positions at once:
///
/// ```
/// use parlour::engine::{Engine, Stepper, Turn};
/// use parlour::jit::Compiled;
/// use parlour::num::Rng;
/// use parlour::play::{Rules, bundled_source};
///
/// let rules = Rules::load(bundled_source("tic-tac-toe").unwrap()).unwrap();
/// let game = Compiled::new(rules.machine(&Default::default(), 2).unwrap());
/// let mut stepper = game.stepper();
/// assert_eq!(stepper.ids().count(), 9); // one number a square
///
/// let mut rng = Rng::new(1);
/// let mut state = game.start().unwrap();
/// let mut legal = stepper.list(&state, 0).unwrap().unwrap().to_vec();
/// while stepper.turn(&state) != Turn::Over {
///     let id = legal[rng.below_u64(legal.len() as u64) as usize]; // your bot's choice
///     legal = stepper.step(&mut state, id, &mut rng).unwrap().unwrap().to_vec();
/// }
/// assert!(game.outcome(&state).is_some());
/// ```
pub trait Stepper {
    /// A position.
    type State: Clone + Debug;

    /// Returns the ids of the game's moves.
    fn ids(&self) -> &Ids;

    /// Returns what a position waits for.
    fn turn(&self, state: &Self::State) -> Turn;

    /// Returns the number of legal moves of a seat (from 0); 0 for a seat that is not to choose.
    fn count(&mut self, state: &Self::State, seat: usize) -> Result<u64, Fault>;

    /// Returns the ids of a seat's legal moves, in the order of the reference; empty for a seat that is not
    /// to choose. `None` if the moves have no ids.
    fn list(&mut self, state: &Self::State, seat: usize) -> Result<Option<&[u32]>, Fault>;

    /// Sets one bit for each legal move of a seat, by id, in words of 64 bits, and clears all others. Returns
    /// `false`, with no bit set, if the moves have no ids.
    fn mask(&mut self, state: &Self::State, seat: usize, mask: &mut Vec<u64>) -> Result<bool, Fault> {
        mask.clear();
        mask.resize(self.ids().count().div_ceil(64) as usize, 0);
        let Some(ids) = self.list(state, seat)? else { return Ok(false) };
        for id in ids {
            mask[(id / 64) as usize] |= 1 << (id % 64);
        }
        Ok(true)
    }

    /// Whether the move of a seat with an id is legal.
    fn is_legal(&mut self, state: &Self::State, seat: usize, id: u32) -> Result<bool, Fault> {
        Ok(self.list(state, seat)?.is_some_and(|ids| ids.contains(&id)))
    }

    /// Draws a legal move of a seat uniformly, from the same stream as playouts, and returns its id. `None`
    /// if the moves have no ids, or the seat is not to choose.
    fn draw(&mut self, state: &Self::State, seat: usize, rng: &mut Rng) -> Result<Option<u32>, Fault>;

    /// Makes a legal move of a seat that is to choose; play continues to the next choice or chance event.
    /// Returns `false` if the seat is not to choose, or no move offered here has this id. The caller must
    /// ensure that the move is legal: an illegal move leads to an unspecified position.
    fn make(&mut self, state: &mut Self::State, seat: usize, id: u32) -> Result<bool, Fault>;

    /// Plays chance events until a seat is to choose or the match is over. Returns `false` if none was due.
    fn chance(&mut self, state: &mut Self::State, rng: &mut Rng) -> Result<bool, Fault>;

    /// Resolves the draw of chance that a position waits for: the given one of its [`Outcomes`](super::Outcomes)
    /// is drawn, and play continues to the next choice or draw.
    fn resolve_draw(&mut self, state: &mut Self::State, drawn: &DrawOutcome) -> Result<(), Fault>;

    // ---- a step in one call, for the seat whose turn it is

    /// Makes a legal move, plays chance events, and lists the ids of the next seat's legal moves; empty if
    /// the match is over. Returns `None` if the next moves have no ids, or if no move was made because no
    /// seat is to choose or no move offered here has this id.
    fn step(&mut self, state: &mut Self::State, id: u32, rng: &mut Rng) -> Result<Option<&[u32]>, Fault> {
        let Some(seat) = self.turn(state).seat() else { return Ok(None) };
        if !self.make(state, seat, id)? {
            return Ok(None);
        }
        self.chance(state, rng)?;
        let seat = self.turn(state).seat().unwrap_or(0);
        self.list(state, seat)
    }

    /// Draws a legal move, makes it, plays chance events, and returns the id of the move. `None` if the move
    /// has no id, or if no move was made because no seat is to choose.
    fn sample(&mut self, state: &mut Self::State, rng: &mut Rng) -> Result<Option<u32>, Fault> {
        let Some(seat) = self.turn(state).seat() else { return Ok(None) };
        let id = self.draw(state, seat, rng)?;
        match id {
            Some(id) => drop(self.make(state, seat, id)?),
            None => {
                if let Some(chosen) = self.draw_legal(state, seat, rng)? {
                    self.choose(state, seat, chosen)?;
                }
            }
        }
        self.chance(state, rng)?;
        Ok(id)
    }

    // ---- moves with arguments

    /// Returns the legal moves of a seat, with their arguments.
    fn legal(&mut self, state: &Self::State, seat: usize) -> Result<Vec<Chosen>, Fault>;

    /// Draws a legal move of a seat, with its arguments; `None` if it has none.
    fn draw_legal(
        &mut self,
        state: &Self::State,
        seat: usize,
        rng: &mut Rng,
    ) -> Result<Option<Chosen>, Fault>;

    /// Makes a legal move of a seat.
    fn choose(&mut self, state: &mut Self::State, seat: usize, chosen: Chosen) -> Result<(), Fault>;

    /// Makes the legal move of a seat with index `n` (from 0), whether or not moves have ids. Returns `false`
    /// if the seat has no more than `n` moves.
    fn make_nth(&mut self, state: &mut Self::State, seat: usize, n: usize) -> Result<bool, Fault> {
        if let Some(ids) = self.list(state, seat)? {
            let Some(id) = ids.get(n).copied() else { return Ok(false) };
            return self.make(state, seat, id);
        }
        let mut all = self.legal(state, seat)?;
        if n >= all.len() {
            return Ok(false);
        }
        self.choose(state, seat, all.swap_remove(n))?;
        Ok(true)
    }

    // ---- positions

    /// Writes the words by which a search identifies positions, without allocating if possible. Two positions
    /// have the same words only if play continues identically from both. State kept only for display and pure
    /// loop counters are ignored, so rules that cycle return to the same words.
    fn lasting_key(&mut self, state: &Self::State, key: &mut Vec<u64>);

    /// From now on, leaves the points won so far out of [`Stepper::lasting_key`] if the rules only add them up,
    /// so that the points still to be won do not depend on them. Returns whether that is so.
    fn leave_out_points(&mut self) -> bool;

    /// Returns the number of words [`Stepper::lasting_key`] writes, if it is the same for all positions but
    /// those that only the reference can hold and those with large integers.
    fn lasting_key_words(&mut self) -> Option<usize> {
        None
    }

    /// Writes words that are equal for positions in which a seat (from 0; `None` for a spectator) sees the same state:
    /// all that is public, its own secrets, and what has been revealed. Whose turn it is, and what was chosen before,
    /// is no part of it.
    fn view_key(&mut self, state: &Self::State, seat: Option<usize>, key: &mut Vec<u64>);

    // ---- many positions in one call, each for the seat whose turn it is

    /// Lists the ids of the legal moves at each position; empty where no seat is to choose, or moves have no
    /// ids.
    fn list_all(&mut self, states: &[Self::State]) -> Result<Listed<'_>, Fault>;

    /// Makes a move at each position, plays chance events, each from its own random stream, and lists the ids
    /// of the next legal moves, as [`Stepper::step`] does.
    fn step_all(
        &mut self,
        states: &mut [Self::State],
        ids: &[u32],
        rngs: &mut [Rng],
    ) -> Result<Listed<'_>, Fault> {
        for ((state, id), rng) in states.iter_mut().zip(ids).zip(rngs) {
            self.step(state, *id, rng)?;
        }
        self.list_all(states)
    }

    /// Draws and makes a move at each position, as [`Stepper::sample`] does; `u32::MAX` stands for no id.
    fn sample_all(
        &mut self,
        states: &mut [Self::State],
        rngs: &mut [Rng],
        ids: &mut Vec<u32>,
    ) -> Result<(), Fault> {
        ids.clear();
        for (state, rng) in states.iter_mut().zip(rngs) {
            ids.push(self.sample(state, rng)?.unwrap_or(u32::MAX));
        }
        Ok(())
    }
}

/// The stepper of the reference evaluator.
#[derive(Debug)]
pub struct ReferenceStepper<'m> {
    machine: &'m Machine,
    ids: Ids,
    /// The key function for `lasting_key`; created on first use.
    identity: Option<Identity>,
    listed: Vec<u32>,
    ends: Vec<usize>,
}

impl<'m> ReferenceStepper<'m> {
    /// Creates a stepper for a game whose options and number of players are fixed.
    pub fn new(machine: &'m Machine) -> ReferenceStepper<'m> {
        let ids = Ids::of(machine);
        ReferenceStepper { machine, ids, identity: None, listed: Vec::new(), ends: Vec::new() }
    }

    /// Appends the ids of a seat's legal moves to `listed`. Returns `false` if they have none.
    fn list_more(&mut self, position: &Position, seat: usize) -> Result<bool, Fault> {
        list_by_reference(self.machine, &self.ids, position, seat, &mut self.listed)
    }
}

/// Appends the ids of a seat's legal moves to `listed`, as the reference lists them; appends none for a seat
/// that is not to choose. Returns `false` if the moves have no ids.
pub fn list_by_reference(
    machine: &Machine,
    ids: &Ids,
    position: &Position,
    seat: usize,
    listed: &mut Vec<u32>,
) -> Result<bool, Fault> {
    let Some(choice) = waits_for(position, seat) else { return Ok(true) };
    if !ids.has(choice) {
        return Ok(false);
    }
    let most = crate::eval::MAX_ELEMENTS;
    let rule = &machine.game.choices[choice];
    let before = listed.len();
    machine.ask(position, |env| {
        env.each_legal(rule, seat, true, &mut |chosen| {
            listed.extend(ids.id(choice, &chosen));
            if listed.len() - before > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    })?;
    if listed.len() - before > most {
        let message = format!("there are more than {most} legal moves to list");
        return Err(fault(Code::TooLarge, rule.span, message));
    }
    Ok(true)
}

/// Counts the legal moves of a seat with the reference evaluator; 0 for a seat that is not to choose.
pub fn count_by_reference(machine: &Machine, position: &Position, seat: usize) -> Result<u64, Fault> {
    let Some(choice) = waits_for(position, seat) else { return Ok(0) };
    let choice = &machine.game.choices[choice];
    let count = machine.ask(position, |env| env.count_legal(choice, seat, true))?;
    count.and_then(|count| count.as_i64()).and_then(|count| u64::try_from(count).ok()).ok_or_else(|| {
        fault(Code::TooLarge, choice.span, "there are more legal moves than can be counted in 63 bits")
    })
}

/// Returns the index of the choice that a seat is to make, if any.
pub fn waits_for(position: &Position, seat: usize) -> Option<usize> {
    match &position.waiting {
        Waiting::Choice { choice, seats } if seats.contains(&seat) => Some(*choice),
        _ => None,
    }
}

impl Stepper for ReferenceStepper<'_> {
    type State = Position;

    fn ids(&self) -> &Ids {
        &self.ids
    }

    fn turn(&self, state: &Position) -> Turn {
        Turn::of(&state.waiting)
    }

    fn count(&mut self, state: &Position, seat: usize) -> Result<u64, Fault> {
        count_by_reference(self.machine, state, seat)
    }

    fn list(&mut self, state: &Position, seat: usize) -> Result<Option<&[u32]>, Fault> {
        self.listed.clear();
        let numbered = self.list_more(state, seat)?;
        Ok(numbered.then_some(&self.listed))
    }

    fn is_legal(&mut self, state: &Position, seat: usize, id: u32) -> Result<bool, Fault> {
        let chosen = waits_for(state, seat).and_then(|choice| self.ids.chosen(choice, id));
        let Some(Chosen { offer, mv, args }) = chosen else { return Ok(false) };
        match self.machine.find_legal(state, seat, mv, &args)? {
            None => Ok(false),
            Some(legal) if legal.offer == offer => Ok(true),
            // An offer before this one has the same move.
            Some(_) => Ok(self.list(state, seat)?.is_some_and(|ids| ids.contains(&id))),
        }
    }

    fn draw(&mut self, state: &Position, seat: usize, rng: &mut Rng) -> Result<Option<u32>, Fault> {
        let Some(choice) = waits_for(state, seat).filter(|choice| self.ids.has(*choice)) else {
            return Ok(None);
        };
        let Some(chosen) = Engine::draw_legal(self.machine, state, seat, rng)? else {
            return Err(no_move(self.machine, choice));
        };
        Ok(self.ids.id(choice, &chosen))
    }

    fn make(&mut self, state: &mut Position, seat: usize, id: u32) -> Result<bool, Fault> {
        let chosen = waits_for(state, seat).and_then(|choice| self.ids.chosen(choice, id));
        let Some(chosen) = chosen else { return Ok(false) };
        Machine::choose(self.machine, state, seat, chosen)?;
        Ok(true)
    }

    fn resolve_draw(&mut self, state: &mut Position, drawn: &DrawOutcome) -> Result<(), Fault> {
        self.machine.draw(state, drawn.value.clone()).map(drop)
    }

    fn chance(&mut self, state: &mut Position, rng: &mut Rng) -> Result<bool, Fault> {
        let due = state.waiting == Waiting::Chance;
        while state.waiting == Waiting::Chance {
            super::play_stop(self.machine, state, rng, &mut |_| {})?;
        }
        Ok(due)
    }

    fn legal(&mut self, state: &Position, seat: usize) -> Result<Vec<Chosen>, Fault> {
        match waits_for(state, seat) {
            Some(_) => Engine::legal(self.machine, state, seat, true),
            None => Ok(Vec::new()),
        }
    }

    fn draw_legal(&mut self, state: &Position, seat: usize, rng: &mut Rng) -> Result<Option<Chosen>, Fault> {
        match waits_for(state, seat) {
            Some(_) => Engine::draw_legal(self.machine, state, seat, rng),
            None => Ok(None),
        }
    }

    fn choose(&mut self, state: &mut Position, seat: usize, chosen: Chosen) -> Result<(), Fault> {
        Machine::choose(self.machine, state, seat, chosen)
    }

    fn leave_out_points(&mut self) -> bool {
        let without = Identity::without_points(self.machine);
        let can = without.is_some();
        self.identity = without.or(self.identity.take());
        can
    }

    fn lasting_key(&mut self, state: &Position, key: &mut Vec<u64>) {
        let identity = self.identity.get_or_insert_with(|| Identity::of(self.machine));
        key.clear();
        key.extend(identity.lasting_words(state));
    }

    fn view_key(&mut self, state: &Position, seat: Option<usize>, key: &mut Vec<u64>) {
        view_words(&seen_cells(self.machine, seat), state, key);
    }

    fn list_all(&mut self, states: &[Position]) -> Result<Listed<'_>, Fault> {
        self.listed.clear();
        self.ends.clear();
        for state in states {
            if let Some(seat) = Turn::of(&state.waiting).seat() {
                self.list_more(state, seat)?;
            }
            self.ends.push(self.listed.len());
        }
        Ok(Listed::new(&self.listed, &self.ends))
    }
}

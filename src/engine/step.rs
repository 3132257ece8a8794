//! Play one step at a time: for bots, solvers and whoever learns a game by playing it.

use std::fmt::Debug;
use std::ops::ControlFlow;

use super::identity::Identity;
use super::{Engine, Ids, no_move};
use crate::diag::Code;
use crate::eval::{Chosen, Fault, Machine, Position, Waiting, fault};
use crate::ir::{Live, Value};
use crate::num::Rng;

/// The words of [`Stepper::lasting_key`] of a position as the reference keeps it: how many bytes there are, and the bytes.
pub fn lasting_words(identity: &Identity, position: &Position, key: &mut Vec<u64>) {
    let bytes = identity.lasting_bytes(position);
    key.clear();
    key.push(bytes.len() as u64);
    key.extend(bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    }));
}

/// What a position waits for, in two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Choices.
    Choice {
        /// The choice, by its number in the game.
        choice: usize,
        /// The seats still to choose, a bit each.
        seats: u64,
    },
    /// A draw of chance.
    Chance,
    /// Nothing more: the match is over, or was never begun.
    Over,
}

impl Turn {
    /// Of one that the reference names.
    pub fn of(waiting: &Waiting) -> Turn {
        match waiting {
            Waiting::Choice { choice, seats } => {
                Turn::Choice { choice: *choice, seats: seats.iter().fold(0, |all, seat| all | 1 << seat) }
            }
            Waiting::Chance => Turn::Chance,
            Waiting::Over | Waiting::Nothing => Turn::Over,
        }
    }

    /// Who is to choose (from 0); of several who choose together, the first who has not.
    pub fn seat(self) -> Option<usize> {
        match self {
            Turn::Choice { seats, .. } if seats != 0 => Some(seats.trailing_zeros() as usize),
            _ => None,
        }
    }
}

/// The numbers of the legal moves at several positions.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'l> {
    ids: &'l [u32],
    ends: &'l [usize],
}

impl<'l> Listed<'l> {
    /// From all numbers in a row, and where those of each position end.
    pub fn new(ids: &'l [u32], ends: &'l [usize]) -> Listed<'l> {
        Listed { ids, ends }
    }

    /// Those at position number `n`, from 0.
    pub fn at(&self, n: usize) -> &'l [u32] {
        let from = if n == 0 { 0 } else { self.ends[n - 1] };
        &self.ids[from..self.ends[n]]
    }

    /// Those at each position.
    pub fn iter(&self) -> impl Iterator<Item = &'l [u32]> + use<'l> {
        let all = *self;
        (0..all.ends.len()).map(move |n| all.at(n))
    }
}

/// Plays a game one step at a time. It has memory of its own to work in: each thread needs one.
///
/// Moves go by their numbers (see [`Ids`]). Where a choice offers a move that has none, `list`, `draw` and so on give
/// `None`; there [`Stepper::legal`], [`Stepper::draw_legal`], [`Stepper::choose`] and [`Stepper::make_nth`] do the same
/// with arguments, slower. Integers that have no end are chosen from the window that bots draw from. What goes wrong in
/// the rules is a fault, as it is of an [`Engine`]; the position is then as the rules left it.
///
/// Whoever goes from choice to choice does best with [`Stepper::step`], which makes a move and lists those of the next
/// choice in one call, and with [`Stepper::step_all`], which does so for many positions at once:
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

    /// The numbers of the game's moves.
    fn ids(&self) -> &Ids;

    /// What a position waits for.
    fn turn(&self, state: &Self::State) -> Turn;

    /// How many legal moves a seat (from 0) has that is to choose; 0 for any other.
    fn count(&mut self, state: &Self::State, seat: usize) -> Result<u64, Fault>;

    /// The numbers of the legal moves of a seat that is to choose, in the order of the reference; none for any other.
    fn list(&mut self, state: &Self::State, seat: usize) -> Result<Option<&[u32]>, Fault>;

    /// Sets a bit for the number of each legal move of a seat, in words of 64, and no other. `false`: the moves have no
    /// numbers, and no bit is set.
    fn mask(&mut self, state: &Self::State, seat: usize, mask: &mut Vec<u64>) -> Result<bool, Fault> {
        mask.clear();
        mask.resize(self.ids().count().div_ceil(64) as usize, 0);
        let Some(ids) = self.list(state, seat)? else { return Ok(false) };
        for id in ids {
            mask[(id / 64) as usize] |= 1 << (id % 64);
        }
        Ok(true)
    }

    /// Draws the number of a legal move of a seat that is to choose, each equally likely, from the stream that playouts
    /// draw from.
    fn draw(&mut self, state: &Self::State, seat: usize, rng: &mut Rng) -> Result<Option<u32>, Fault>;

    /// Makes a legal move of a seat that is to choose; play goes on to the next choice or draw of chance. `false`: the
    /// seat is not to choose, or no move here has this number. Whether the move is legal is for the caller to know:
    /// after one that is not, the position is some position.
    fn make(&mut self, state: &mut Self::State, seat: usize, id: u32) -> Result<bool, Fault>;

    /// Lets chance decide until somebody is to choose, or the match is over. `false`: no draw of chance is due.
    fn chance(&mut self, state: &mut Self::State, rng: &mut Rng) -> Result<bool, Fault>;

    // ---- a step in one call; of the seat whose turn it is

    /// Makes a legal move, lets chance decide, and lists the numbers of the legal moves of the seat whose turn it is
    /// then; none where the match is over. `None`: the next moves have no numbers; or nothing was made, for nobody is to
    /// choose, or no move here has the number.
    fn step(&mut self, state: &mut Self::State, id: u32, rng: &mut Rng) -> Result<Option<&[u32]>, Fault> {
        let Some(seat) = self.turn(state).seat() else { return Ok(None) };
        if !self.make(state, seat, id)? {
            return Ok(None);
        }
        self.chance(state, rng)?;
        let seat = self.turn(state).seat().unwrap_or(0);
        self.list(state, seat)
    }

    /// Draws a legal move, makes it, and lets chance decide: the number of the move. `None`: the move has no number; or
    /// nothing was made, for nobody is to choose.
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

    // ---- moves with their arguments

    /// The legal moves of a seat, with their arguments.
    fn legal(&mut self, state: &Self::State, seat: usize) -> Result<Vec<Chosen>, Fault>;

    /// Draws a legal move of a seat, with its arguments; `None` where it has none.
    fn draw_legal(
        &mut self,
        state: &Self::State,
        seat: usize,
        rng: &mut Rng,
    ) -> Result<Option<Chosen>, Fault>;

    /// Makes a legal move of a seat.
    fn choose(&mut self, state: &mut Self::State, seat: usize, chosen: Chosen) -> Result<(), Fault>;

    /// Makes legal move number `n` (from 0) of a seat, whether moves have numbers of their own or not. `false`: the seat
    /// has not so many.
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

    /// The bytes by which positions of this engine are compared and hashed: the same for equal positions, and for no
    /// others. Of values that nothing reads any more none counts.
    fn key(&self, state: &Self::State, key: &mut Vec<u8>);

    /// The words by which a search tells positions apart, made without asking for memory where that can be: the same for
    /// positions from which play goes on in the same way, and for no others that it does not. What is kept for people alone
    /// and passes that only count on do not count, so rules that go round come back to the same words.
    fn lasting_key(&mut self, state: &Self::State, key: &mut Vec<u64>);

    /// How many words [`Stepper::lasting_key`] makes, where it is the same of nearly all positions.
    fn lasting_key_words(&mut self) -> Option<usize> {
        None
    }

    // ---- many positions in one call; of each, the seat whose turn it is

    /// The numbers of the legal moves at each of some positions: none where nobody is to choose, or moves have none.
    fn list_all(&mut self, states: &[Self::State]) -> Result<Listed<'_>, Fault>;

    /// Makes a move at each of some positions, lets chance decide, each from a stream of its own, and lists the numbers
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

    /// Draws and makes a move at each of some positions, as [`Stepper::sample`] does; `u32::MAX` for none.
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

/// The reference, one step at a time.
#[derive(Debug)]
pub struct ReferenceStepper<'m> {
    machine: &'m Machine,
    ids: Ids,
    live: Live,
    /// What tells positions apart that differ for play; made when it is first asked for.
    identity: Option<Identity>,
    listed: Vec<u32>,
    ends: Vec<usize>,
}

impl<'m> ReferenceStepper<'m> {
    /// Of a game whose options and players are fixed.
    pub fn new(machine: &'m Machine) -> ReferenceStepper<'m> {
        let (ids, live) = (Ids::of(machine), Live::of(&machine.game));
        ReferenceStepper { machine, ids, live, identity: None, listed: Vec::new(), ends: Vec::new() }
    }

    /// Puts the numbers of a seat's legal moves behind those listed. `false`: they have none.
    fn list_more(&mut self, position: &Position, seat: usize) -> Result<bool, Fault> {
        list_by_reference(self.machine, &self.ids, position, seat, &mut self.listed)
    }
}

/// Puts the numbers of the legal moves of a seat that is to choose behind others, as the reference lists them. `false`:
/// they have none.
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

/// How many legal moves a seat has that is to choose, as the reference finds them.
pub fn count_by_reference(machine: &Machine, position: &Position, seat: usize) -> Result<u64, Fault> {
    let Some(choice) = waits_for(position, seat) else { return Ok(0) };
    let mut count = 0;
    machine.ask(position, |env| {
        env.each_legal(&machine.game.choices[choice], seat, true, &mut |_| {
            count += 1;
            ControlFlow::Continue(())
        })
    })?;
    Ok(count)
}

/// The choice that a seat is to make.
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

    fn key(&self, state: &Position, key: &mut Vec<u8>) {
        let mut position = state.clone();
        position.events = None;
        let live = self.live.at(position.pc);
        for (slot, value) in position.frame.iter_mut().enumerate() {
            if position.waiting == Waiting::Over || !live.contains(&slot) {
                *value = Value::Unset;
            }
        }
        key.clear();
        key.extend_from_slice(format!("{position:?}").as_bytes());
    }

    fn lasting_key(&mut self, state: &Position, key: &mut Vec<u64>) {
        let identity = self.identity.get_or_insert_with(|| Identity::of(self.machine));
        lasting_words(identity, state, key);
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

//! The trait implemented by both engines: the reference evaluator, and the compiler in `jit`. An engine plays
//! whole matches ([`Engine`]) or one step at a time ([`Stepper`]).

pub(crate) mod identity;
mod ids;
mod outcomes;
mod points;
mod step;
mod universe;
pub(crate) mod unordered;
mod view_key;
mod written_down;

pub use ids::{Block, Ids, rank_of};
pub use outcomes::{DrawOutcome, Outcomes, OutcomesError};
pub use step::{Listed, ReferenceStepper, Stepper, Turn, count_by_reference, list_by_reference, waits_for};
#[cfg(feature = "jit")]
pub(crate) use universe::Universes;
pub use view_key::{seen_cells, view_words};
pub(crate) use written_down::WrittenDown;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::ControlFlow;

use crate::diag::Code;
use crate::eval::fault;
pub use crate::eval::{Chosen, Dom, Fault, Machine, Outcome, Position, Waiting};
pub use crate::ir::Value;
use crate::ir::{Chance, Pc};
use crate::num::{Int, Rng};
use crate::source::Span;

/// The work that a compiled engine left to the reference evaluator so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bailouts {
    /// The number of choices that the reference drew or made, or after which it drew or changed something.
    pub choices: u64,
    /// The reasons, with the number of times each occurred.
    pub reasons: BTreeMap<Reason, u64>,
}

/// Why an engine fell back on the reference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// The span in the rule file.
    pub span: Span,
    /// A short description.
    pub text: String,
}

/// Plays a game whose options and number of players are fixed.
///
/// Every engine agrees with the reference evaluator: it has the same legal moves in the same order, the same
/// positions, outcomes and faults and, with the same random stream, the same playouts.
pub trait Engine {
    /// A position, in the engine's own representation.
    type State: Clone + Debug;

    /// The stepper type, which plays the game one step at a time.
    type Stepper<'e>: Stepper<State = Self::State>
    where
        Self: 'e;

    /// Creates a stepper, for use on one thread.
    fn stepper(&self) -> Self::Stepper<'_>;

    /// Returns the name shown to users.
    fn name(&self) -> &'static str;

    /// Returns the reference evaluator of the same game.
    fn machine(&self) -> &Machine;

    /// Returns the position at the first stop.
    fn start(&self) -> Result<Self::State, Fault>;

    /// Returns the place in the automaton where a position stands.
    fn pc(&self, state: &Self::State) -> Pc;

    /// Returns what a position waits for.
    fn waiting(&self, state: &Self::State) -> Waiting;

    /// Whether no seat has chosen yet in the joint choice that a position waits for.
    fn nobody_has_chosen(&self, state: &Self::State) -> bool;

    /// Converts a position to the reference representation.
    fn to_position(&self, state: &Self::State) -> Position;

    /// Converts a position from the reference representation.
    fn state_of(&self, position: &Position) -> Self::State;

    /// Returns the legal moves of a seat (from 0) that is to choose, in order. If `windowed`, integers come
    /// from the windows that bots draw from; otherwise, an infinite parameter counts as a single legal move
    /// with no arguments chosen.
    fn legal(&self, state: &Self::State, seat: usize, windowed: bool) -> Result<Vec<Chosen>, Fault>;

    /// Draws a legal move of a seat, uniformly; `None` if the window contains none.
    fn draw_legal(&self, state: &Self::State, seat: usize, rng: &mut Rng) -> Result<Option<Chosen>, Fault>;

    /// Applies a legal choice of a seat. After the last seat of a joint choice, play continues to the next
    /// stop.
    fn choose(&self, state: &mut Self::State, seat: usize, chosen: Chosen) -> Result<(), Fault>;

    /// Returns the equally likely outcomes of the chance event that a position waits for.
    fn outcomes(&self, state: &Self::State) -> Result<Dom, Fault>;

    /// Draws the outcome of the chance event that a position waits for, and continues play. `on` is called
    /// first.
    fn play_chance(
        &self,
        state: &mut Self::State,
        rng: &mut Rng,
        on: &mut dyn FnMut(&Chance, &Value),
    ) -> Result<(), Fault> {
        let (machine, position) = (self.machine(), self.to_position(state));
        let Some(chance) = machine.chance(&position) else { return Ok(()) };
        let value = machine.draw_chance(&position, &mut |n| rng.below(n))?;
        on(chance, &value);
        let _ = self.draw(state, value)?;
        Ok(())
    }

    /// Applies a given outcome of a chance event, and continues play. The inner error is a sentence that says
    /// why this outcome is impossible.
    fn draw(&self, state: &mut Self::State, value: Value) -> Result<Result<(), String>, Fault>;

    /// Returns the outcome of a match; `None` until it is over.
    fn outcome(&self, state: &Self::State) -> Option<Outcome>;

    /// Returns the score of every player; `None` if the game keeps no score.
    fn scores(&self, state: &Self::State) -> Result<Option<Vec<Int>>, Fault>;

    /// Returns the choices left to the reference so far, on any thread.
    fn bailouts(&self) -> Bailouts {
        Bailouts::default()
    }

    /// Returns the parts of the rules that code asks the reference to evaluate, with the reasons.
    fn interpreted(&self) -> Vec<Reason> {
        Vec::new()
    }

    /// Returns the rows of arguments that the reference counted for code in playouts, which takes longer than to draw them,
    /// and how often it had to: what they depend on had changed.
    fn counted_anew(&self) -> BTreeMap<Reason, u64> {
        BTreeMap::new()
    }

    /// Plays on until the match ends or `max_moves` choices were made, each chosen uniformly from the legal
    /// moves. Returns the number of choices; a joint choice counts one for each seat.
    fn play_on(&self, state: &mut Self::State, rng: &mut Rng, max_moves: u64) -> Result<u64, Fault>
    where
        Self: Sized,
    {
        play_on(self, state, rng, max_moves, &mut |_| {})
    }

    /// Plays on like [`Engine::play_on`], and reports every step in the same form as [`Engine::record`].
    fn play_on_reporting(
        &self,
        state: &mut Self::State,
        rng: &mut Rng,
        max_moves: u64,
        on: &mut dyn FnMut(RecordEvent<Self::State>),
    ) -> Result<u64, Fault>
    where
        Self: Sized,
    {
        play_on(self, state, rng, max_moves, &mut |step| on(RecordEvent::Step(step)))
    }

    /// Plays from the start like [`Engine::play_on`]; returns the final position and the number of choices.
    fn playout(&self, rng: &mut Rng, max_moves: u64) -> Result<(Self::State, u64), Fault>
    where
        Self: Sized,
    {
        let mut state = self.start()?;
        let moves = self.play_on(&mut state, rng, max_moves)?;
        Ok((state, moves))
    }

    /// Plays `count` playouts in a row, all from the same random stream. `on` is called with each final
    /// position and its number of choices.
    fn playouts(
        &self,
        rng: &mut Rng,
        max_moves: u64,
        count: u64,
        on: &mut dyn FnMut(&Self::State, u64),
    ) -> Result<(), Fault>
    where
        Self: Sized,
    {
        for _ in 0..count {
            let (state, moves) = self.playout(rng, max_moves)?;
            on(&state, moves);
        }
        Ok(())
    }

    /// Plays one playout for each random stream, in order, and reports every step. If one of them faults, the
    /// earlier ones have been reported completely.
    fn record(
        &self,
        streams: &mut [Rng],
        max_moves: u64,
        on: &mut dyn FnMut(RecordEvent<Self::State>),
    ) -> Result<(), Fault>
    where
        Self: Sized,
    {
        streams.iter_mut().try_for_each(|rng| record_one(self, rng, max_moves, on))
    }

    /// Decodes words reported by [`Engine::record`].
    fn decode(&self, _words: &[i64], _on: &mut dyn FnMut(Playout)) {}

    /// Plays one playout for each random stream, in order, and reports each like [`Engine::playouts`]. If one
    /// of them faults, the earlier ones have been reported.
    fn playouts_per_stream(
        &self,
        streams: &mut [Rng],
        max_moves: u64,
        on: &mut dyn FnMut(&Self::State, u64),
    ) -> Result<(), Fault>
    where
        Self: Sized,
    {
        for rng in streams {
            let (state, moves) = self.playout(rng, max_moves)?;
            on(&state, moves);
        }
        Ok(())
    }
}

impl Engine for Machine {
    type State = Position;
    type Stepper<'e> = ReferenceStepper<'e>;

    fn stepper(&self) -> ReferenceStepper<'_> {
        ReferenceStepper::new(self)
    }

    fn name(&self) -> &'static str {
        "reference"
    }

    fn machine(&self) -> &Machine {
        self
    }

    fn start(&self) -> Result<Position, Fault> {
        Machine::start(self)
    }

    fn pc(&self, state: &Position) -> Pc {
        state.pc
    }

    fn waiting(&self, state: &Position) -> Waiting {
        state.waiting.clone()
    }

    fn nobody_has_chosen(&self, state: &Position) -> bool {
        state.sealed.is_empty()
    }

    fn to_position(&self, state: &Position) -> Position {
        state.clone()
    }

    fn state_of(&self, position: &Position) -> Position {
        position.clone()
    }

    fn legal(&self, state: &Position, seat: usize, windowed: bool) -> Result<Vec<Chosen>, Fault> {
        let Some(choice) = self.choice(state) else { return Ok(Vec::new()) };
        self.ask(state, |env| {
            let mut all = Vec::new();
            env.each_legal(choice, seat, windowed, &mut |chosen| {
                all.push(chosen);
                ControlFlow::Continue(())
            })?;
            Ok(all)
        })
    }

    fn draw_legal(&self, state: &Position, seat: usize, rng: &mut Rng) -> Result<Option<Chosen>, Fault> {
        let Some(choice) = self.choice(state) else { return Ok(None) };
        self.ask(state, |env| env.draw_legal(choice, seat, &mut |n| rng.below(n)))
    }

    fn choose(&self, state: &mut Position, seat: usize, chosen: Chosen) -> Result<(), Fault> {
        Machine::choose(self, state, seat, chosen)
    }

    fn outcomes(&self, state: &Position) -> Result<Dom, Fault> {
        Machine::outcomes(self, state)
    }

    fn play_chance(
        &self,
        state: &mut Position,
        rng: &mut Rng,
        on: &mut dyn FnMut(&Chance, &Value),
    ) -> Result<(), Fault> {
        Machine::play_chance(self, state, &mut |n| rng.below(n), on)
    }

    fn draw(&self, state: &mut Position, value: Value) -> Result<Result<(), String>, Fault> {
        Machine::draw(self, state, value)
    }

    fn outcome(&self, state: &Position) -> Option<Outcome> {
        state.outcome.clone()
    }

    fn scores(&self, state: &Position) -> Result<Option<Vec<Int>>, Fault> {
        Machine::scores(self, state)
    }
}

/// An event reported during a playout.
#[derive(Debug)]
pub enum Playout<'p> {
    /// The move that a seat (from 0) chose.
    Choice(usize, &'p Chosen),
    /// The name and outcome of a chance event.
    Chance(&'p str, &'p Value),
}

/// An event reported by [`Engine::record`].
#[derive(Debug)]
pub enum RecordEvent<'t, S> {
    /// A choice or chance event in encoded form, which [`Engine::decode`] decodes. Equal words mean equal
    /// events.
    Words(&'t [i64]),
    /// A choice or chance event, not encoded.
    Step(Playout<'t>),
    /// The match ended or was cut off, in this position after this many choices.
    Over(&'t S, u64),
}

/// Plays one match for [`Engine::record`], step by step.
pub fn record_one<E: Engine>(
    engine: &E,
    rng: &mut Rng,
    max_moves: u64,
    on: &mut dyn FnMut(RecordEvent<E::State>),
) -> Result<(), Fault> {
    let (state, moves) = playout(engine, rng, max_moves, &mut |step| on(RecordEvent::Step(step)))?;
    on(RecordEvent::Over(&state, moves));
    Ok(())
}

/// Returns the fault raised when a seat that is to choose has no move to draw.
pub fn no_move(machine: &Machine, choice: usize) -> Fault {
    let message = "there is no legal move in the window that bots draw from";
    fault(Code::Stuck, machine.game.choices[choice].span, message)
}

/// Implements [`Engine::playout`] step by step, and reports every step.
pub fn playout<E: Engine>(
    engine: &E,
    rng: &mut Rng,
    max_moves: u64,
    on: &mut dyn FnMut(Playout),
) -> Result<(E::State, u64), Fault> {
    let mut state = engine.start()?;
    let moves = play_on(engine, &mut state, rng, max_moves, on)?;
    Ok((state, moves))
}

/// Implements [`Engine::play_on`] step by step, and reports every step. The moves of a joint choice are drawn
/// seat by seat.
pub fn play_on<E: Engine>(
    engine: &E,
    state: &mut E::State,
    rng: &mut Rng,
    max_moves: u64,
    on: &mut dyn FnMut(Playout),
) -> Result<u64, Fault> {
    let mut moves = 0;
    loop {
        match engine.waiting(state) {
            Waiting::Choice { .. } if moves >= max_moves && engine.nobody_has_chosen(state) => {
                return Ok(moves);
            }
            stop @ (Waiting::Choice { .. } | Waiting::Chance) => moves += play(engine, state, stop, rng, on)?,
            Waiting::Over | Waiting::Nothing => return Ok(moves),
        }
    }
}

/// Plays the stop that a position waits for, and reports every step: the choices of all seats that are to
/// choose, or one chance event. Returns the number of choices.
pub fn play_stop<E: Engine>(
    engine: &E,
    state: &mut E::State,
    rng: &mut Rng,
    on: &mut dyn FnMut(Playout),
) -> Result<u64, Fault> {
    play(engine, state, engine.waiting(state), rng, on)
}

fn play<E: Engine>(
    engine: &E,
    state: &mut E::State,
    stop: Waiting,
    rng: &mut Rng,
    on: &mut dyn FnMut(Playout),
) -> Result<u64, Fault> {
    let machine = engine.machine();
    let mut moves = 0;
    match stop {
        Waiting::Choice { choice, seats } => {
            for seat in seats {
                let Some(chosen) = engine.draw_legal(state, seat, rng)? else {
                    return Err(no_move(machine, choice));
                };
                on(Playout::Choice(seat, &chosen));
                moves += 1;
                engine.choose(state, seat, chosen)?;
            }
        }
        Waiting::Chance => {
            engine.play_chance(state, rng, &mut |chance, value| on(Playout::Chance(&chance.name, value)))?;
        }
        Waiting::Over | Waiting::Nothing => {}
    }
    Ok(moves)
}

//! What plays: one trait, two engines. The reference evaluator is one; the compiler, `jit`, makes the other.
//! Both play whole matches ([`Engine`]) and one step at a time ([`Stepper`]).

pub(crate) mod identity;
mod ids;
mod step;
mod universe;
pub(crate) mod unordered;

pub use ids::{Block, Ids, rank_of};
pub use step::{
    Listed, ReferenceStepper, Stepper, Turn, count_by_reference, lasting_words, list_by_reference, waits_for,
};

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::ControlFlow;

use crate::diag::Code;
use crate::eval::fault;
pub use crate::eval::{Chosen, Dom, Fault, Machine, Outcome, Position, Waiting};
use crate::ir::Chance;
pub use crate::ir::Value;
use crate::num::{Int, Rng};
use crate::source::Span;

/// The choices that an engine had the reference play, until now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bailouts {
    /// How many choices: those that the reference drew or made, and those behind which it drew or changed something.
    pub choices: u64,
    /// Why it had to, and how often.
    pub reasons: BTreeMap<Reason, u64>,
}

/// Why the reference had to play.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// The place in the rule file.
    pub span: Span,
    /// A few words.
    pub text: String,
}

/// Plays a game whose options and players are fixed.
///
/// Whatever an engine says, the reference says too: the same legal moves in the same order, the same positions,
/// outcomes and faults and, with the same stream of chance, the same playouts.
pub trait Engine {
    /// A position, as the engine keeps it.
    type State: Clone + Debug;

    /// What plays the game one step at a time.
    type Stepper<'e>: Stepper<State = Self::State>
    where
        Self: 'e;

    /// Something to play the game one step at a time, for one thread.
    fn stepper(&self) -> Self::Stepper<'_>;

    /// What people call it.
    fn name(&self) -> &'static str;

    /// The reference evaluator of the same game.
    fn machine(&self) -> &Machine;

    /// The position at the first stop.
    fn start(&self) -> Result<Self::State, Fault>;

    /// What a position waits for.
    fn waiting(&self, state: &Self::State) -> Waiting;

    /// Whether nobody has chosen yet of those who are to choose together.
    fn fresh(&self, state: &Self::State) -> bool;

    /// A position as the reference keeps it.
    fn position(&self, state: &Self::State) -> Position;

    /// A position of the reference, taken over.
    fn enter(&self, position: &Position) -> Self::State;

    /// The legal moves of a seat (from 0) that is to choose, in order. With `windowed`, integers come from the
    /// windows that bots draw from; without, a parameter that has no end is one move with nothing chosen.
    fn legal(&self, state: &Self::State, seat: usize, windowed: bool) -> Result<Vec<Chosen>, Fault>;

    /// Draws a legal move of a seat, each equally likely; `None` where the window holds none.
    fn draw_legal(&self, state: &Self::State, seat: usize, rng: &mut Rng) -> Result<Option<Chosen>, Fault>;

    /// Makes a legal choice of a seat. When all who choose together have chosen, play goes on to the next stop.
    fn choose(&self, state: &mut Self::State, seat: usize, chosen: Chosen) -> Result<(), Fault>;

    /// The outcomes of the draw of chance a position waits for, each as likely as the others.
    fn outcomes(&self, state: &Self::State) -> Result<Dom, Fault>;

    /// Lets the draw of chance a position waits for come out at random, and play goes on. `on` is told of it before.
    fn play_chance(
        &self,
        state: &mut Self::State,
        rng: &mut Rng,
        on: &mut dyn FnMut(&Chance, &Value),
    ) -> Result<(), Fault> {
        let (machine, position) = (self.machine(), self.position(state));
        let Some(chance) = machine.chance(&position) else { return Ok(()) };
        let value = machine.draw_chance(&position, &mut |n| rng.below(n))?;
        on(chance, &value);
        let _ = self.draw(state, value)?;
        Ok(())
    }

    /// Lets a draw come out so, and play goes on. The error is a sentence: this cannot come out.
    fn draw(&self, state: &mut Self::State, value: Value) -> Result<Result<(), String>, Fault>;

    /// Who has won, once a match is over.
    fn outcome(&self, state: &Self::State) -> Option<Outcome>;

    /// Every player's score; `None` where the game keeps none.
    fn scores(&self, state: &Self::State) -> Result<Option<Vec<Int>>, Fault>;

    /// The choices that had to be left to the reference so far, by whichever thread.
    fn bailouts(&self) -> Bailouts {
        Bailouts::default()
    }

    /// Plays on to the end, each choice uniform among the legal moves; at most `max_moves` choices. How many were
    /// made; a joint choice counts one for each seat.
    fn play_on(&self, state: &mut Self::State, rng: &mut Rng, max_moves: u64) -> Result<u64, Fault>
    where
        Self: Sized,
    {
        play_on(self, state, rng, max_moves, &mut |_| {})
    }

    /// Plays on as [`Engine::play_on`] does, told of choice by choice as [`Engine::record`] tells.
    fn play_on_told(
        &self,
        state: &mut Self::State,
        rng: &mut Rng,
        max_moves: u64,
        on: &mut dyn FnMut(Told<Self::State>),
    ) -> Result<u64, Fault>
    where
        Self: Sized,
    {
        play_on(self, state, rng, max_moves, &mut |step| on(Told::Step(step)))
    }

    /// Plays from the start as [`Engine::play_on`] does: the last position, and how many choices were made.
    fn playout(&self, rng: &mut Rng, max_moves: u64) -> Result<(Self::State, u64), Fault>
    where
        Self: Sized,
    {
        let mut state = self.start()?;
        let moves = self.play_on(&mut state, rng, max_moves)?;
        Ok((state, moves))
    }

    /// So many playouts one after the other, each going on in the stream where the one before it left off. `on` is
    /// told of every last position, and of how many choices led to it.
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

    /// A playout in each of the streams, one after the other, told of choice by choice. Where one breaks the rules, those
    /// before it have been told of to their ends.
    fn record(
        &self,
        streams: &mut [Rng],
        max_moves: u64,
        on: &mut dyn FnMut(Told<Self::State>),
    ) -> Result<(), Fault>
    where
        Self: Sized,
    {
        streams.iter_mut().try_for_each(|rng| record_one(self, rng, max_moves, on))
    }

    /// Says what words mean that [`Engine::record`] told.
    fn meaning(&self, _words: &[i64], _on: &mut dyn FnMut(Playout)) {}

    /// A playout in each of the streams, one after the other, told of as in [`Engine::playouts`]. Where one breaks the
    /// rules, those before it have been told of.
    fn playouts_apart(
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

    fn waiting(&self, state: &Position) -> Waiting {
        state.waiting.clone()
    }

    fn fresh(&self, state: &Position) -> bool {
        state.sealed.is_empty()
    }

    fn position(&self, state: &Position) -> Position {
        state.clone()
    }

    fn enter(&self, position: &Position) -> Position {
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

/// What a playout tells of as it goes.
#[derive(Debug)]
pub enum Playout<'p> {
    /// A seat (from 0) has chosen.
    Choice(usize, &'p Chosen),
    /// Chance has decided: the name, and what came out.
    Chance(&'p str, &'p Value),
}

/// What [`Engine::record`] tells of.
#[derive(Debug)]
pub enum Told<'t, S> {
    /// Somebody has chosen, or chance decided: [`Engine::meaning`] says what. Equal words mean the same.
    Words(&'t [i64]),
    /// The same, said at once.
    Step(Playout<'t>),
    /// The match is over, in this position after so many choices.
    Over(&'t S, u64),
}

/// Plays one match of [`Engine::record`], step by step.
pub fn record_one<E: Engine>(
    engine: &E,
    rng: &mut Rng,
    max_moves: u64,
    on: &mut dyn FnMut(Told<E::State>),
) -> Result<(), Fault> {
    let (state, moves) = playout(engine, rng, max_moves, &mut |step| on(Told::Step(step)))?;
    on(Told::Over(&state, moves));
    Ok(())
}

/// No move can be drawn for one who is to choose.
pub fn no_move(machine: &Machine, choice: usize) -> Fault {
    let message = "there is no legal move in the window that bots draw from";
    fault(Code::Stuck, machine.game.choices[choice].span, message)
}

/// [`Engine::playout`], step by step, told of as it goes.
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

/// [`Engine::play_on`], step by step, told of as it goes. A joint choice is drawn seat by seat.
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
            Waiting::Choice { .. } if moves >= max_moves && engine.fresh(state) => return Ok(moves),
            stop @ (Waiting::Choice { .. } | Waiting::Chance) => moves += play(engine, state, stop, rng, on)?,
            Waiting::Over | Waiting::Nothing => return Ok(moves),
        }
    }
}

/// Plays what a position waits for, told of as it goes: the choices of all seats that are to choose, or one draw of
/// chance. How many choices were made.
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

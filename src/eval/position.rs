//! A position: everything the rules know about a match in play, and nothing else.

use std::sync::Arc;

use crate::ir::{MoveId, Pc, Value};
use crate::num::Int;
use crate::source::Span;

/// What is fixed when a match starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The value of each option.
    pub options: Vec<Value>,
    /// The value of each constant.
    pub constants: Vec<Value>,
    /// The number of players.
    pub players: usize,
    /// The index of the first cell of each piece of state.
    pub bases: Vec<usize>,
}

/// What a match waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waiting {
    /// Nothing: the automaton can continue.
    Nothing,
    /// Choices by these seats; seats that have chosen are removed.
    Choice {
        /// The choice, by its number in the game.
        choice: usize,
        /// The seats still to choose, from 0, ascending.
        seats: Vec<usize>,
    },
    /// A draw of chance.
    Chance,
    /// Nothing: the match is over.
    Over,
}

/// How a match ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The winning seats, from 0, ascending.
    pub winners: Vec<usize>,
}

/// Something to tell people about a step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Event {
    /// Points were given: to which seat (from 0), how many, why.
    Award(usize, Int, Option<String>),
    /// The rules say something: to which seat (from 0; `None`: to all), what.
    Said(Option<usize>, String),
    /// A seat (from 0) was to choose at this span and had no legal move.
    Stuck(usize, Span),
    /// A seat (from 0) went out of the match.
    Out(usize),
    /// Something hidden was shown to everybody: its owner (from 0; `None` on the table), its name, its value.
    Revealed(Option<usize>, String, String),
    /// A phase or another pass of a named loop began; the [`Position::cells`] before that, if it set state back.
    Began(Begun, Option<Arc<[Value]>>),
}

/// What can begin.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Begun {
    /// The phase of this name.
    Phase(String),
    /// A pass of the loop of this name.
    Pass(String),
}

/// A choice that has been made but not yet carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The seat, from 0.
    pub seat: usize,
    /// The number of the offer taken, counting the first offers and then the `otherwise` offers.
    pub offer: usize,
    /// The move.
    pub mv: MoveId,
    /// The chosen arguments.
    pub args: Vec<Value>,
}

/// A position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The state: one cell for each piece on the table, one per player for each piece that players own.
    pub cells: Vec<Value>,
    /// Which cells were revealed and not written since.
    pub revealed: Vec<bool>,
    /// Which seats are still in.
    pub is_in: Vec<bool>,
    /// The points awarded so far, by seat.
    pub awards: Vec<Int>,
    /// The frame of the automaton.
    pub frame: Vec<Value>,
    /// The address of the automaton's next op.
    pub pc: Pc,
    /// What it waits for.
    pub waiting: Waiting,
    /// Choices that have been made but not yet carried out, ordered by seat.
    pub sealed: Vec<Sealed>,
    /// The names of the current phases, outermost first.
    pub phases: Vec<String>,
    /// The seat that made the last choice, from 0.
    pub last_mover: Option<usize>,
    /// How many chance draws were made since a seat was last to choose; 0 while one is, and at the end.
    pub draws: usize,
    /// How the match ended, if it has.
    pub outcome: Option<Outcome>,
    /// What has happened since this was last emptied; `None` if nobody listens.
    pub events: Option<Vec<Event>>,
}

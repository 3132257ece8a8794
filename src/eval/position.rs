//! A position: all that the rules know of a match in play, and nothing else.

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
    /// How many play.
    pub players: usize,
    /// Where each piece of state has its first cell.
    pub bases: Vec<usize>,
}

/// What a match waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waiting {
    /// Nothing: the automaton is to go on.
    Nothing,
    /// Choices of these seats (from 0, ascending when together); those that have chosen are gone from it.
    Choice {
        /// The choice, by its number in the game.
        choice: usize,
        /// The seats still to choose.
        seats: Vec<usize>,
    },
    /// A draw of chance.
    Chance,
    /// Nothing more: the match is over.
    Over,
}

/// How a match ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The winners, from 0, ascending.
    pub winners: Vec<usize>,
}

/// Something to tell people about a step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Event {
    /// Points were given: to whom (from 0), how many, why.
    Award(usize, Int, Option<String>),
    /// The rules say something: to whom (from 0; all where nobody is named), what.
    Said(Option<usize>, String),
    /// A seat (from 0) was to choose, at this place of the rules, and had no legal move.
    Stuck(usize, Span),
    /// A seat went out.
    Out(usize),
    /// Something secret or hidden was shown to everybody: whose (from 0; nobody's on the table), its name, its value.
    Revealed(Option<usize>, String, String),
}

/// A choice that is made and not yet carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// The seat, from 0.
    pub seat: usize,
    /// The offer taken: its number among the first offers, then the others.
    pub offer: usize,
    /// The move.
    pub mv: MoveId,
    /// The chosen arguments.
    pub args: Vec<Value>,
}

/// A position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The state: a cell for each piece on the table, one for each player for each piece of theirs.
    pub cells: Vec<Value>,
    /// Which cells were revealed and not written since.
    pub revealed: Vec<bool>,
    /// Which seats are in.
    pub is_in: Vec<bool>,
    /// The points awarded so far.
    pub awards: Vec<Int>,
    /// The frame of the automaton.
    pub frame: Vec<Value>,
    /// Where the automaton stands.
    pub pc: Pc,
    /// What it waits for.
    pub waiting: Waiting,
    /// Choices made and not yet carried out, by seat.
    pub sealed: Vec<Sealed>,
    /// The names of the phases we are in.
    pub phases: Vec<String>,
    /// Who made the last choice, from 0.
    pub last_mover: Option<usize>,
    /// How many draws of chance have come since somebody was to choose; 0 where somebody is, and at the end.
    pub draws: usize,
    /// How the match ended, when it has.
    pub outcome: Option<Outcome>,
    /// What happened since this was last emptied; kept only where somebody listens.
    pub events: Option<Vec<Event>>,
}

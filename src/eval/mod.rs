//! The reference evaluator: small, plain, exact, never optimised; the judge of every other engine.
//!
//! It knows expressions, domains, positions and the automaton. Records, views and seeds are `play`'s.

mod builtin;
mod domain;
mod effect;
mod expr;
mod form;
mod geometry;
mod legal;
mod machine;
mod position;
pub mod text;

pub use domain::Dom;
pub use form::values_of;
pub use legal::{Chosen, Refusal, Told};
pub use machine::{Machine, NotStarted};
pub use position::{Event, Outcome, Position, Sealed, Setup, Waiting};

use std::cell::Cell;

use crate::diag::{Code, Diagnostic};
use crate::ir::{Game, Value};
use crate::source::Span;

/// How many steps of evaluation one transition, one question of legality or one score may take.
pub const MAX_STEPS: u64 = 100_000_000;
/// How many draws of chance may follow one another without a choice.
pub const MAX_DRAWS: usize = 1_000;
/// How many elements a collection may have.
pub const MAX_ELEMENTS: usize = 4_000_000;

/// What goes wrong while rules are carried out: a diagnostic at the place in the rule file.
pub type Fault = Box<Diagnostic>;

/// A fault.
pub fn fault(code: Code, span: Span, message: impl Into<String>) -> Fault {
    Box::new(Diagnostic::new(code, span, message, ""))
}

/// What expressions are evaluated in: a game, its setup, a position.
#[derive(Debug, Clone, Copy)]
pub struct Env<'a> {
    /// The game.
    pub game: &'a Game,
    /// Options, constants, players.
    pub setup: &'a Setup,
    /// State, seats, awards.
    pub position: &'a Position,
    /// Steps left; shared by all that is evaluated for one transition.
    pub steps: &'a Cell<u64>,
}

impl Env<'_> {
    fn tick(&self, span: Span) -> Result<(), Fault> {
        match self.steps.get() {
            0 => Err(Box::new(
                Diagnostic::new(Code::TooMuchWork, span, "this takes too long to work out", "").help(
                    format!("one step of a match may take at most {MAX_STEPS} small steps of computation"),
                ),
            )),
            left => {
                self.steps.set(left - 1);
                Ok(())
            }
        }
    }

    fn room(&self, elements: usize, span: Span) -> Result<(), Fault> {
        if elements <= MAX_ELEMENTS {
            return Ok(());
        }
        Err(fault(
            Code::TooLarge,
            span,
            format!("this would have {elements} elements; at most {MAX_ELEMENTS} are possible"),
        ))
    }
}

/// The elements of a value, in their fixed order; copies in bags come one by one.
pub fn elements(value: &Value) -> Vec<Value> {
    match value {
        Value::List(items) => items.to_vec(),
        Value::Set(items) => items.iter().cloned().collect(),
        Value::Bag(items) => {
            items.iter().flat_map(|(item, times)| std::iter::repeat_n(item.clone(), *times)).collect()
        }
        Value::Grid(grid) => grid.squares().map(Value::Square).collect(),
        Value::Map(map) => map.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

//! Worked examples: the steps played and the checks made.

use super::{Expr, Lambda, LoopId, Place, StateId, Value};
use crate::ast::Word;
use crate::num::Int;
use crate::source::Span;

/// A worked example.
#[derive(Debug, Clone)]
pub struct Example {
    /// Its title.
    pub title: String,
    /// The options it sets, by index.
    pub options: Vec<(usize, Value)>,
    /// The number of players, if given.
    pub players: Option<usize>,
    /// Its lines.
    pub lines: Vec<ExampleLine>,
    /// The source span.
    pub span: Span,
}

/// A line of an example.
#[derive(Debug, Clone)]
pub struct ExampleLine {
    /// The step played, if any.
    pub step: Option<ExampleStep>,
    /// What must hold after the step.
    pub checks: Vec<(ExampleCheck, Span)>,
    /// The source span.
    pub span: Span,
}

/// A step of an example.
#[derive(Debug, Clone)]
pub enum ExampleStep {
    /// Sets a place to a value before play begins.
    Scene(Place, Expr),
    /// A seat (from 1; `None`: the next to move) makes a move.
    Move(Option<usize>, String, Vec<Word>),
    /// A named loop begins the iteration with this number, from 1.
    Pass(LoopId, Expr),
    /// The match begins; nothing has happened yet.
    Start,
    /// A chance event has this outcome.
    Chance(String, Vec<Word>),
}

/// What must hold after a line of an example.
#[derive(Debug, Clone)]
pub enum ExampleCheck {
    /// The table is shown as this text.
    Shows(String),
    /// The table is shown as these lines, ignoring blanks.
    ShowsDrawn(Vec<String>),
    /// A grid on the table has this value.
    Board(StateId, Value),
    /// The move is refused; the reason contains this text, if one is given.
    Refused(Option<String>),
    /// The scores, by seat.
    Scores(Vec<Int>),
    /// A condition holds.
    Expect(Lambda),
    /// The match is over.
    Over,
    /// The winning seats, from 1.
    Winners(Vec<usize>),
}

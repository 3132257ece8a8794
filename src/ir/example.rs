//! Worked examples: what happens in them and what must hold.

use super::{Expr, Lambda, LoopId, Place, StateId, Value};
use crate::ast::Word;
use crate::num::Int;
use crate::source::Span;

/// A worked example.
#[derive(Debug, Clone)]
pub struct Example {
    /// Its title.
    pub title: String,
    /// The options it sets, by number.
    pub options: Vec<(usize, Value)>,
    /// The number of players, where it says so.
    pub players: Option<usize>,
    /// Its lines.
    pub lines: Vec<ExampleLine>,
    /// Its place.
    pub span: Span,
}

/// A line of an example.
#[derive(Debug, Clone)]
pub struct ExampleLine {
    /// What happens.
    pub step: Option<ExampleStep>,
    /// What must hold then.
    pub checks: Vec<(ExampleCheck, Span)>,
    /// Its place.
    pub span: Span,
}

/// Something that happens in an example.
#[derive(Debug, Clone)]
pub enum ExampleStep {
    /// The scene is set.
    Scene(Place, Expr),
    /// A seat (from 1; `None`: whoever is next) moves.
    Move(Option<usize>, String, Vec<Word>),
    /// A named loop begins with this pass, from 1.
    Pass(LoopId, Expr),
    /// Nothing has happened yet.
    Start,
    /// Chance decides so.
    Chance(String, Vec<Word>),
}

/// What must hold after a line of an example.
#[derive(Debug, Clone)]
pub enum ExampleCheck {
    /// The table is written so.
    Shows(String),
    /// The table is written so, line by line, blanks aside.
    ShowsDrawn(Vec<String>),
    /// A grid on the table holds this.
    Board(StateId, Value),
    /// The move is refused, with these words in the reason.
    Refused(Option<String>),
    /// The scores.
    Scores(Vec<Int>),
    /// A condition.
    Expect(Lambda),
    /// The match is over.
    Over,
    /// The winners, from 1.
    Winners(Vec<usize>),
}

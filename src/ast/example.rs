//! Worked examples, as written.

use super::{Expr, Name};
use crate::num::Int;
use crate::source::Span;

/// A worked example.
#[derive(Debug, Clone)]
pub struct Example {
    /// Its title.
    pub title: String,
    /// The values of options, and of `players`.
    pub settings: Vec<(Name, Expr)>,
    /// What happens, in order.
    pub lines: Vec<ExampleLine>,
    /// Its source span.
    pub span: Span,
}

/// A line of an example: an optional step, and checks after it.
#[derive(Debug, Clone)]
pub struct ExampleLine {
    /// What happens.
    pub step: Option<Step>,
    /// What must hold afterwards.
    pub checks: Vec<Check>,
    /// Its source span.
    pub span: Span,
}

/// A step of an example.
#[derive(Debug, Clone)]
pub enum Step {
    /// `given board` and a picture, row by row
    Board(Name, Vec<Name>),
    /// `given A = E`
    Scene(Expr, Expr),
    /// `1: flip 4`
    Move(SeatRef, Name, Vec<Word>),
    /// `start`
    Start,
    /// `chance die 4`
    Chance(Name, Vec<Word>),
}

/// The seat that moves in an example.
#[derive(Debug, Clone)]
pub enum SeatRef {
    /// `2`
    Number(Int, Span),
    /// `next`
    Next,
    /// `across`
    Name(Name),
}

impl SeatRef {
    /// Returns its source form: `seat(2)`, `next` or the name.
    pub fn words(&self) -> String {
        match self {
            SeatRef::Number(n, _) => format!("seat({n})"),
            SeatRef::Next => "next".to_string(),
            SeatRef::Name(name) => name.text.clone(),
        }
    }
}

/// An argument of a move, as people type it.
#[derive(Debug, Clone)]
pub struct Word {
    /// The parameter it is for, if named.
    pub name: Option<Name>,
    /// The value.
    pub value: WordValue,
    /// Its source span.
    pub span: Span,
}

/// A value as people type it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordValue {
    /// `-3`
    Number(Int),
    /// `yes`, `no`
    Bool(bool),
    /// `red`, `b3`
    Text(String),
    /// `[3, -1]`
    List(Vec<WordValue>),
}

/// What must hold after a line of an example.
#[derive(Debug, Clone)]
pub struct Check {
    /// What is checked.
    pub kind: CheckKind,
    /// Its source span.
    pub span: Span,
}

/// The checks of an example.
#[derive(Debug, Clone)]
pub enum CheckKind {
    /// `shows "…"`
    Shows(String),
    /// `shows` and a picture, line by line
    ShowsDrawn(Vec<Name>),
    /// `expect board` and a picture, row by row
    Board(Name, Vec<Name>),
    /// `refused "…"`
    Refused(Option<String>),
    /// `scores 3, 1`
    Scores(Vec<Int>),
    /// `expect C`
    Expect(Expr),
    /// `over`
    Over,
    /// `winner 1`, `winners 1, 2`, `no winner`
    Winners(Vec<SeatRef>),
}

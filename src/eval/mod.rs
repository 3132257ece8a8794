//! The reference evaluator: small, plain and exact; it decides what every other engine must produce. Its
//! shortcuts never change a result or the number of steps counted.
//!
//! It knows expressions, domains, positions and the automaton. Records, views and seeds belong to `play`.

mod append_only_cache;
mod builtin;
mod call_cache;
mod chance;
mod counted;
mod coverage;
mod defaults;
mod domain;
mod effect;
mod elements;
mod endless;
mod exchange;
mod expr;
mod fast_lookup;
mod fold;
mod form;
mod geometry;
mod goals;
mod legal;
mod machine;
mod meter;
mod not_in;
mod offers;
mod operand;
mod parts;
mod position;
mod probe;
mod ranks;
mod refusal;
mod remainders;
mod row_filter;
mod row_inputs;
mod rows;
mod scalar_parts;
pub mod table;
mod teams;
pub mod text;
mod unmet;
mod weights;

pub use counted::Counted;
pub use coverage::Coverage;
pub(crate) use domain::tally;
pub use domain::{Dom, Values};
pub use elements::{Elements, elements};
pub use exchange::{exchanged, pairs_within, with_one_for_another};
pub use form::values_of;
pub use legal::Chosen;
pub use machine::{Machine, NotStarted};
pub use meter::Meter;
pub use parts::{Part, PartKind};
pub use position::{Begun, Event, Outcome, Position, Sealed, Setup, Waiting};
pub use probe::{Refused, Stuck};
pub use refusal::{NeedReport, Outside, Refusal};
pub use row_inputs::Input;
pub use scalar_parts::ScalarConditions;

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

use crate::diag::{Code, Diagnostic, Label};
use crate::ir::{Expr, Move, MoveCheck, Value};
use crate::source::Span;

/// The most evaluation steps that one transition, one legality question or one score may take.
pub const MAX_STEPS: u64 = 100_000_000;
/// The most chance draws that may follow one another without a choice.
pub const MAX_DRAWS: usize = 1_000;
/// The most elements that a collection may have.
pub const MAX_ELEMENTS: usize = 4_000_000;

/// An error while rules are carried out: a diagnostic that points into the rule file.
pub type Fault = Box<Diagnostic>;

/// Creates a [`Fault`] whose label has no text.
#[cold]
pub fn fault(code: Code, span: Span, message: impl Into<String>) -> Fault {
    Box::new(Diagnostic::new(code, span, message, ""))
}

/// The context in which expressions are evaluated.
#[derive(Debug, Clone, Copy)]
pub struct Env<'a> {
    /// The game with its options and players fixed.
    pub machine: &'a Machine,
    /// The position that is read: state, seats, awards.
    pub position: &'a Position,
    /// The steps left, shared by everything that is evaluated for one transition.
    pub steps: &'a Cell<u64>,
    /// The index in the frame vector at which the frame of the current function begins.
    base: usize,
}

impl Env<'_> {
    #[inline]
    fn tick(&self, span: Span) -> Result<(), Fault> {
        match self.steps.get() {
            0 => Err(too_much_work(span)),
            left => {
                self.steps.set(left - 1);
                Ok(())
            }
        }
    }

    /// Returns a copy of the automaton's frame.
    fn frame(&self) -> ScratchFrame {
        let mut frame = SPARE_FRAME.take();
        frame.extend_from_slice(&self.position.frame);
        ScratchFrame(frame)
    }

    #[inline]
    fn check_size(&self, elements: usize, span: Span) -> Result<(), Fault> {
        if elements <= MAX_ELEMENTS { Ok(()) } else { Err(too_many(elements, span)) }
    }
}

thread_local! {
    /// The buffer of the last dropped [`ScratchFrame`], kept for reuse because every choice needs a frame.
    static SPARE_FRAME: Cell<Vec<Value>> = const { Cell::new(Vec::new()) };
}

/// A frame that can be changed freely. Dropping it returns its buffer to [`SPARE_FRAME`].
struct ScratchFrame(Vec<Value>);

impl Deref for ScratchFrame {
    type Target = Vec<Value>;

    fn deref(&self) -> &Vec<Value> {
        &self.0
    }
}

impl DerefMut for ScratchFrame {
    fn deref_mut(&mut self) -> &mut Vec<Value> {
        &mut self.0
    }
}

impl Drop for ScratchFrame {
    fn drop(&mut self) {
        self.0.clear();
        SPARE_FRAME.set(std::mem::take(&mut self.0));
    }
}

#[cold]
fn too_many(elements: usize, span: Span) -> Fault {
    let message = format!("this would have {elements} elements; at most {MAX_ELEMENTS} are allowed");
    fault(Code::TooLarge, span, message)
}

#[cold]
fn too_much_work(span: Span) -> Fault {
    Box::new(
        Diagnostic::new(Code::TooMuchWork, span, TOO_LONG, "")
            .help(format!(
                "the limit between two choices is {} million small steps. Go through fewer values: let a name depend on \
                 the ones before it (`b in a + 1..n`, `b in divisors(a)`), choose from values that meet the need, or \
                 keep in state what is used again and again",
                MAX_STEPS / 1_000_000
            )),
    )
}

const TOO_LONG: &str = "this takes too long to work out";

impl Env<'_> {
    /// Labels a too-much-work fault with the innermost binder that used at least half of [`MAX_STEPS`].
    /// `begun` is the number of steps that were left when the binder at `span` started.
    #[cold]
    fn label_slow_binder(&self, mut fault: Fault, begun: u64, span: Span) -> Fault {
        if fault.message == TOO_LONG && fault.labels[0].text.is_empty() && begun >= MAX_STEPS / 2 {
            fault.labels[0] = Label { span, text: "still going through this".to_string() };
        }
        fault
    }
}

/// Notes on a too-much-work fault that legal moves of `mv` were being sought, and labels the need at fault.
#[cold]
fn note_search(mut fault: Fault, mv: &Move) -> Fault {
    if fault.message != TOO_LONG {
        return fault;
    }
    if fault.labels[0].text.is_empty() {
        let at = fault.labels[0].span;
        let within = |e: &Expr| e.span.start <= at.start && at.end <= e.span.end;
        let need = mv.checks.iter().map(MoveCheck::expr).find(|e| within(e));
        let span = need.map_or(at, |e| e.span);
        fault.labels[0] = Label { span, text: "tested for very many arguments".to_string() };
    }
    Box::new(fault.also(mv.span, format!("while looking for the legal choices of `{}`", mv.name)))
}

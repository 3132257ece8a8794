//! Rules that have no code: the reason, and the smallest part that the reference evaluator can take over
//! instead.

use std::mem::Discriminant;

use crate::ir::{Expr, ExprKind, Pc};
use crate::source::Span;

/// Why a part has no code, and the smallest part that the reference evaluator can take over instead.
#[derive(Debug, Clone)]
pub struct Unsupported(pub String, pub Option<MarkedPart>);

/// Generated code, or why there is none.
pub type Result<T, E = Unsupported> = std::result::Result<T, E>;

/// Fails with a reason, leaving the part to the reference evaluator.
pub fn unsupported<T>(why: impl Into<String>) -> Result<T> {
    Err(Unsupported(why.into(), None))
}

/// A part of the rules that the reference evaluator takes over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkedPart {
    /// An expression, identified by its span and kind.
    Expr(Span, Discriminant<ExprKind>),
    /// The legality and the listing of the moves at a choice.
    Choice(usize),
    /// The effect of an op.
    Op(Pc),
}

impl MarkedPart {
    /// Returns the mark of an expression.
    pub fn of(e: &Expr) -> MarkedPart {
        MarkedPart::Expr(e.span, std::mem::discriminant(&e.kind))
    }
}

impl Unsupported {
    /// Marks this part as the one to leave to the reference, unless a smaller part is already marked.
    pub(in crate::jit) fn blame(mut self, mark: impl FnOnce() -> MarkedPart) -> Unsupported {
        self.1.get_or_insert_with(mark);
        self
    }
}

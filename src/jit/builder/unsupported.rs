//! What has no code: why, and the smallest part that the reference evaluator can work out instead.

use std::mem::Discriminant;

use crate::ir::{Expr, ExprKind, Pc};
use crate::source::Span;

/// Why a part has no code, and the smallest part that the reference can work out instead.
#[derive(Debug, Clone)]
pub struct Unsupported(pub String, pub Option<Mark>);

/// Code, or why there is none.
pub type Result<T, E = Unsupported> = std::result::Result<T, E>;

/// Leaves a part to the reference.
pub fn unsupported<T>(why: impl Into<String>) -> Result<T> {
    Err(Unsupported(why.into(), None))
}

/// A part that the reference works out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// An expression, by its place in the text and its sort.
    Expr(Span, Discriminant<ExprKind>),
    /// Whether and which moves are legal at a choice.
    Choice(usize),
    /// What is done at a place of the code.
    Op(Pc),
}

impl Mark {
    /// The mark of an expression.
    pub fn of(e: &Expr) -> Mark {
        Mark::Expr(e.span, std::mem::discriminant(&e.kind))
    }
}

impl Unsupported {
    /// It is this part that cannot be made, unless a smaller one is to blame.
    pub(in crate::jit) fn blame(mut self, mark: impl FnOnce() -> Mark) -> Unsupported {
        self.1.get_or_insert_with(mark);
        self
    }
}

//! Why a request is refused, as it is told to people and programs.

use crate::eval::{Fault, Outside};

/// Why a request is refused: a protocol error code, a sentence, and reasons with their places in the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// `refused`, `not_your_turn`, `invalid_rules` or `limit`.
    pub code: &'static str,
    /// A sentence that explains the refusal.
    pub message: String,
    /// The reasons: the need that fails, or the fault.
    pub reasons: Vec<Reason>,
    /// The fault, if the rules broke (as opposed to the move being illegal).
    pub fault: Option<Fault>,
    /// The argument that is not among the values of its domain, if the message lists these.
    pub outside: Option<Outside>,
}

/// A reason and its place in the rule file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The text of the reason, with values filled in.
    pub text: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The name of the rule file that contains it.
    pub file: String,
}

impl Reason {
    /// Returns the place as text, such as `procession.game line 21`.
    pub fn place(&self) -> String {
        format!("{} line {}", self.file, self.line)
    }
}

impl Refused {
    /// Creates a refusal without reasons.
    pub fn new(code: &'static str, message: impl Into<String>) -> Refused {
        Refused { code, message: message.into(), reasons: Vec::new(), fault: None, outside: None }
    }
}

//! Playing: a pure session (text in, reply out), and one file that owns the terminal.

use crate::eval::Fault;
use crate::play::Match;

/// The result of a match in a sentence.
pub fn result_words(_played: &Match) -> Result<String, Fault> {
    Ok(String::new())
}

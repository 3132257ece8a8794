//! The parser that pest generates from `grammar/*.pest`.

use pest::error::{Error, InputLocation};

/// The grammar of rule files.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/lexical.pest"]
#[grammar = "../grammar/language.pest"]
#[grammar = "../grammar/entry.pest"]
pub struct Grammar;

/// Returns how far a text could be read, in bytes.
pub fn error_at(error: &Error<Rule>) -> usize {
    match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    }
}

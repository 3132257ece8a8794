//! The parser that pest generates from `grammar/*.pest`.

use pest::Parser;
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

/// Whether a text can be read as a whole, with nothing in it that cannot.
pub fn reads(rule: Rule, text: &str) -> bool {
    Grammar::parse(rule, text).is_ok_and(|pairs| pairs.flatten().all(|pair| pair.as_rule() != Rule::junk))
}

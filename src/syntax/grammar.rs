//! The parser that pest generates from `grammar/*.pest`.

/// The grammar of rule files.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/lexical.pest"]
#[grammar = "../grammar/language.pest"]
#[grammar = "../grammar/entry.pest"]
pub struct Grammar;

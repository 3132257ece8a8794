//! The parser that pest makes of `grammar/*.pest`.

/// The grammar of rule files.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/lexical.pest"]
#[grammar = "../grammar/language.pest"]
#[grammar = "../grammar/entry.pest"]
pub struct Grammar;

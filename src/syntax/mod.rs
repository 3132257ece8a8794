//! Text to tree: layout, the pest grammar, the builder with its recovery, the formatter.
//!
//! Parsing never fails: it returns a tree and diagnostics.

mod asked;
mod braces;
mod brackets;
mod build;
mod choices;
mod conditions;
mod draws;
pub mod foreign;
pub mod format;
mod fractions;
mod grammar;
mod habits;
mod headings;
mod idioms;
mod kinds;
pub mod layout;
mod mend;
mod methods;
mod params;
mod phrases;
mod pieces;
mod players;
mod possession;
mod predicates;
mod prose;
mod report;
mod sentences;
mod signs;
mod slips;
mod spoken_types;
mod unopened;
mod variant;
mod wanted;
mod winners;

pub use build::{base_of, parse, parse_move};
pub use idioms::{LAST_MOVER, function_idiom};
pub use phrases::{operand, operand_before, value_before};
pub use report::statement_form;
pub use sentences::by_key_help;
pub use spoken_types::PAIRS;

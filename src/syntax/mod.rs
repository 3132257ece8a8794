//! Text to tree: layout, the pest grammar, the builder with its recovery, the formatter.
//!
//! Parsing never fails: it returns a tree and diagnostics.

mod build;
pub mod format;
mod grammar;
pub mod layout;
mod report;
mod variant;

pub use build::{base_of, parse, parse_move};

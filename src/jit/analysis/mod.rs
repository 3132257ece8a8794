//! Analyses of a game's rules that run before any code is generated.

pub mod accesses;
pub mod evaluated;
pub mod growth;
pub mod invariants;
pub mod rows;
pub mod symbols;

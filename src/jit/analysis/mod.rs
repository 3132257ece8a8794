//! What is found by reading a game before any code is made of it.

pub mod accesses;
pub mod expansion;
pub mod growth;
pub mod invariants;
pub mod symbols;

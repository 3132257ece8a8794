//! The runtime: entering compiled code, and what code calls while it runs.

pub mod call;
pub mod helpers;
pub mod interpreter;
pub mod memory;
pub mod questions;
pub mod ranks;
pub mod tables;

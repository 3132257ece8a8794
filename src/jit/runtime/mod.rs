//! What machine code is entered by, and what it calls while it runs.

pub mod call;
pub mod helpers;
pub mod memory;
pub mod questions;
pub mod ranks;
pub mod tables;

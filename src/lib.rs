#![doc = include_str!("README.md")]
#![warn(missing_docs)]

pub mod ast;
pub mod bots;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod diag;
pub mod engine;
pub mod eval;
pub mod ir;
#[cfg(feature = "jit")]
pub mod jit;
pub mod lab;
pub mod num;
#[cfg(feature = "jit")]
pub mod opt;
pub mod play;
pub mod protocol;
#[cfg(feature = "cli")]
pub mod repl;
pub mod source;
pub mod syntax;

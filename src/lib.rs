#![doc = include_str!("README.md")]
#![warn(missing_docs)]

pub mod ast;
pub mod bots;
pub mod check;
pub mod cli;
pub mod diag;
pub mod engine;
pub mod eval;
pub mod ir;
pub mod jit;
pub mod lab;
pub mod num;
pub mod opt;
pub mod play;
pub mod protocol;
pub mod repl;
pub mod source;
pub mod syntax;

//! x
pub mod num;
pub mod ast; pub mod source; pub mod diag; pub mod syntax;
pub mod ir;
pub mod check;
pub mod eval;

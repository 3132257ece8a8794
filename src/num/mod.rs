//! Exact integers and the number theory the language speaks of. Leaves everything about games to others.

mod int;
pub mod theory;

pub use int::{Int, TooLarge};

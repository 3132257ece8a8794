//! Exact integers and the number theory the language speaks of. Leaves everything about games to others.

mod int;
mod primes;
mod rng;
pub mod theory;

pub use int::{Int, TooLarge};
pub use rng::Rng;

//! Exact integers and the number theory the language speaks of. Leaves everything about games to others.

mod int;
mod primes;
mod ratio;
mod rng;
pub(crate) mod theory;

pub use int::{Int, MAX_BITS, TooLarge};
pub use ratio::{Ratio, times};
pub use rng::Rng;

//! Exact integers and fractions, the language's number theory, and the random number generator. Independent
//! of games.

mod int;
pub(crate) mod primes;
mod ratio;
mod rng;
pub(crate) mod theory;

pub use int::{Int, MAX_BITS, TooLarge};
pub use ratio::{Ratio, times};
pub use rng::Rng;

//! The random number generator: xoshiro256++ seeded by SplitMix64. Its output never changes, on any machine.

use num_bigint::{BigInt, BigUint};

use super::Int;

/// A stream of random numbers determined by a seed: xoshiro256++ (D. Blackman, S. Vigna, 2019), seeded by
/// SplitMix64.
///
/// The state is public because compiled code draws from the same stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rng {
    /// The state: four words, not all zero.
    pub state: [u64; 4],
}

impl Rng {
    /// Creates the stream of a seed.
    pub fn new(seed: u64) -> Rng {
        let mut at = seed;
        let state = std::array::from_fn(|_| {
            at = at.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (at ^ at >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ z >> 31
        });
        Rng { state }
    }

    /// Creates the `n`th stream of a seed, for example the one for match `n` of a simulation.
    pub fn nth(seed: u64, n: u64) -> Rng {
        Rng::new(Rng::sub_seed(seed, n))
    }

    /// Returns the `n`th seed derived from a seed: the first output of a stream seeded by both.
    pub fn sub_seed(seed: u64, n: u64) -> u64 {
        Rng::new(seed ^ n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17)).next_u64()
    }

    /// Returns a stream from which [`Rng::below_u64`]`(of)` draws `rank` first, for `rank < of` and `of` below
    /// 2^62. Engines that draw from a stream can thus be made to draw a given outcome.
    pub fn giving(rank: u64, of: u64) -> Rng {
        // The middle of the first numbers that give the rank. A first number is s0 + s3, rotated by 23, + s0.
        let first = (u128::from(2 * rank + 1) << 63) / u128::from(of);
        Rng { state: [0, 1, 1, (first as u64).rotate_right(23)] }
    }

    /// Returns the next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Returns a uniform number from 0 to n − 1, for n ≥ 1, by D. Lemire's multiplication method (ACM TOMACS
    /// 29, 2019).
    pub fn below_u64(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let threshold = n.wrapping_neg() % n;
            while (product as u64) < threshold {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// Returns a uniform number from 0 to n − 1, for n ≥ 1 of any size.
    pub fn below(&mut self, n: &Int) -> Int {
        if let Some(small) = n.as_i64().and_then(|n| u64::try_from(n).ok()) {
            return Int::from(self.below_u64(small.max(1)));
        }
        let bits = n.bits();
        let words = bits.div_ceil(64);
        loop {
            let mut bytes: Vec<u8> = (0..words).flat_map(|_| self.next_u64().to_le_bytes()).collect();
            let spare = (words * 64 - bits) as u32;
            if let Some(last) = bytes.last_mut() {
                // Fewer than 64 bits are spare; whole bytes of them are removed by the shift below.
                *last >>= spare.min(7);
            }
            let drawn = Int::from(BigInt::from(BigUint::from_bytes_le(&bytes) >> spare.saturating_sub(7)));
            if drawn < *n {
                return drawn;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_fixed_for_ever() {
        // xoshiro256++ seeded by SplitMix64(0), as the authors' C code gives it (prng.di.unimi.it).
        let mut rng = Rng::new(0);
        assert_eq!(rng.next_u64(), 0x53175d61490b23df);
    }

    #[test]
    fn a_stream_gives_the_rank_it_was_made_for() {
        for of in [1, 2, 3, 6, 52, 1000, (1 << 62) - 1] {
            for rank in [0, of / 3, of / 2, of - 1] {
                assert_eq!(Rng::giving(rank, of).below_u64(of), rank, "{rank} of {of}");
            }
        }
    }

    #[test]
    fn numbers_below_a_bound_reach_all_of_it() {
        let mut rng = Rng::new(7);
        let mut seen = [0u32; 5];
        for _ in 0..5000 {
            seen[rng.below_u64(5) as usize] += 1;
        }
        assert!(seen.iter().all(|n| (850..1150).contains(n)), "{seen:?}");
        let big: Int = "1000000000000000000000000".parse().unwrap();
        let half: Int = "500000000000000000000000".parse().unwrap();
        let draws: Vec<Int> = (0..2000).map(|_| rng.below(&big)).collect();
        assert!(draws.iter().all(|n| !n.is_negative() && *n < big));
        let low = draws.iter().filter(|n| **n < half).count();
        assert!((900..1100).contains(&low), "{low}");
    }
}

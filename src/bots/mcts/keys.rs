//! 64-bit keys that are as good as random, and hash maps that use them without further hashing.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map from such keys.
pub type Keyed<T> = HashMap<u64, T, BuildHasherDefault<IdentityHasher>>;

/// Mixes another number into a 64-bit key. Collisions are neglected, since there are few keys.
pub fn mix_key(key: u64, more: u64) -> u64 {
    let mixed = (key.rotate_left(23) ^ more).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

/// A hasher that returns a `u64` key unchanged.
#[derive(Debug, Clone, Copy, Default)]
pub struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = mix_key(self.0, u64::from(*byte)));
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

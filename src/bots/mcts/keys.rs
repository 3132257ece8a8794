//! Keys that are as good as drawn by chance, and maps that take them as they are.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by such keys.
pub type Keyed<T> = HashMap<u64, T, BuildHasherDefault<AsItIs>>;

/// Mixes one more number into a key of 64 bits; so few are met that two never share one.
pub fn key(key: u64, more: u64) -> u64 {
    let mixed = (key.rotate_left(23) ^ more).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

/// Hashes a number that is as good as drawn by chance: as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = key(self.0, u64::from(*byte)));
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

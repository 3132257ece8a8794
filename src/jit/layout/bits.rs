//! Sets as bits, one for each value that an element may have.

use crate::ir::Value;
use crate::jit::layout::shape::{Scalar, Squares, from_word};
use crate::jit::layout::tuple::word_in;

/// Returns the indices of the set bits.
pub fn members(words: &[u64]) -> impl Iterator<Item = i64> + '_ {
    let bits = |(i, word): (usize, &u64)| {
        let word = *word;
        (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| i as i64 * 64 + bit)
    };
    words.iter().enumerate().flat_map(bits)
}

/// Sets the bit with the given index.
pub fn set_mask_bit(words: &mut [u64], at: i64) {
    words[at as usize / 64] |= 1 << (at % 64);
}

/// Returns values as bits of a universe; `None` if one is outside it.
pub fn bits_among(values: &[Value], of: Scalar, squares: Squares) -> Option<Vec<u64>> {
    let mut words = vec![0u64; of.words()];
    for value in values {
        let word = word_in(value, of.sort, squares).filter(|word| (of.lo..=of.hi).contains(word))?;
        set_mask_bit(&mut words, word - of.lo);
    }
    Some(words)
}

/// Returns the values whose bits are set.
pub fn values_of_bits(words: &[u64], of: Scalar, squares: Squares) -> Vec<Value> {
    members(words).map(|at| from_word(of.sort, of.lo + at, squares)).collect()
}

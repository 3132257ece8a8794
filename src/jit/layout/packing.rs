//! Packs words of which only some low bits can be set into fewer words.

use crate::ir::Game;
use crate::jit::layout::codec::place;
use crate::jit::layout::position::{CHOICE, LAST, Layout, PC, SEALED, SEATS, STANDING, WAITING};
use crate::jit::layout::shape::{Scalar, Shape};
use crate::jit::layout::slots::SlotShape;

/// What a word contributes to a packed word.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The index of the word, and the bits of it that count.
    word: usize,
    mask: u64,
    /// The index of the packed word, how far the bits are shifted to the left, and how many can be set.
    to: usize,
    shift: u32,
    width: u32,
}

/// Where the bits of some words go.
#[derive(Debug)]
pub struct Packing {
    /// For each word, the index of the packed word, how far its bits are shifted to the left, and how many they are.
    places: Vec<(usize, u32, u32)>,
    /// How many bits of each packed word are taken.
    taken: Vec<u32>,
}

impl Packing {
    /// Finds a place for each of some words, given which of its bits can be set: in the first packed word with room.
    pub fn of(bits: impl Iterator<Item = u64>) -> Packing {
        let mut packing = Packing { places: Vec::new(), taken: Vec::new() };
        for bits in bits {
            let width = u64::BITS - bits.leading_zeros();
            let to = packing.taken.iter().position(|taken| taken + width <= u64::BITS);
            let to = to.unwrap_or_else(|| {
                packing.taken.push(0);
                packing.taken.len() - 1
            });
            packing.places.push((to, packing.taken[to], width));
            packing.taken[to] += width;
        }
        packing
    }

    /// Returns the number of packed words.
    pub fn words(&self) -> usize {
        self.taken.len()
    }

    /// Returns the parts of packed words that are not always 0, given the index of each word and the bits of it that count.
    pub fn parts(&self, words: impl Iterator<Item = (usize, u64)>) -> Vec<Part> {
        let parts = self.places.iter().zip(words).filter(|(_, (_, mask))| *mask != 0);
        let part = |(&(to, shift, width), (word, mask)): (&(usize, u32, u32), (usize, u64))| Part {
            word,
            mask,
            to,
            shift,
            width,
        };
        parts.map(part).collect()
    }

    /// Appends the packed words.
    #[inline]
    pub fn pack(&self, parts: &[Part], words: &[u64], key: &mut Vec<u64>) {
        let from = key.len();
        key.resize(from + self.taken.len(), 0);
        let packed = &mut key[from..];
        for part in parts {
            let word = words[part.word] & part.mask;
            debug_assert_eq!(word.checked_shr(part.width).unwrap_or(0), 0, "a bit that cannot be set");
            packed[part.to] |= word << part.shift;
        }
    }
}

/// Returns for each word of a position that waits for a choice or a draw which of its bits can be set; all, unless it is
/// known better. What the position waits for follows from its place in the automaton and does not count.
pub fn possible_bits(layout: &Layout, game: &Game) -> Vec<u64> {
    let mut bits = vec![u64::MAX; layout.bytes as usize / 8];
    let mut limit = |at: i32, to: u64| bits[place(at).0] = to;
    // No place in the automaton has all these bits, so no key begins with 64 of them.
    let places = below((game.code.len() as u64 + 2).next_power_of_two());
    limit(PC, places | 0xff << (8 * LAST));
    const { assert!(PC == 0 && LAST < 8 && WAITING < 8 && CHOICE < 8) };
    for seats in [SEATS, STANDING, SEALED] {
        limit(seats, below(1 << layout.players.min(63)));
    }
    for state in &layout.states {
        for at in (0..state.owners as i32).map(|owner| state.at + owner * state.stride) {
            match &state.shape {
                Shape::Bits(of) => limit_set(&mut limit, at, *of),
                Shape::Grid(grid) => {
                    let of = layout.squares.scalar();
                    let plane = |nth: usize| at + (8 * nth * of.words()) as i32;
                    (0..grid.plane_count()).for_each(|nth| limit_set(&mut limit, plane(nth), of));
                }
                _ => {}
            }
        }
    }
    for (shape, at) in layout.slots.values() {
        match shape {
            SlotShape::Bits(of) | SlotShape::Members(of) => limit_set(&mut limit, *at, *of),
            SlotShape::Word(of) if of.lo >= 0 && !of.optional => {
                limit(*at, below((of.hi as u64 + 1).next_power_of_two()));
            }
            _ => {}
        }
    }
    bits
}

/// Limits the words of a set of small values.
fn limit_set(limit: &mut impl FnMut(i32, u64), at: i32, of: Scalar) {
    for nth in 0..of.words() as i64 {
        let rest = of.size() - 64 * nth;
        limit(at + 8 * nth as i32, if rest >= 64 { u64::MAX } else { below(1 << rest.max(0)) });
    }
}

/// Returns the bits below a power of two.
fn below(power: u64) -> u64 {
    power - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_words_differ_where_the_words_differ() {
        let bits = [0xff, u64::MAX, 0x7, 0, 1 << 40, 0xffff];
        let packing = Packing::of(bits.into_iter());
        assert_eq!(packing.words(), 3);
        let parts = packing.parts(bits.into_iter().enumerate());
        let all = |word: u64| bits.map(|bits| bits & word.rotate_left(bits.count_ones()));
        let mut found = std::collections::BTreeMap::new();
        for n in 0..1000u64 {
            let words = all(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let mut key = vec![n];
            packing.pack(&parts, &words, &mut key);
            assert_eq!(key[0], n);
            assert_eq!(*found.entry(key[1..].to_vec()).or_insert(words), words);
        }
        assert!(found.len() > 900);
    }
}

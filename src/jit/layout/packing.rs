//! Packs the words of a position into fewer: of each, only the bits that can be set, and of an integer without a narrow
//! range, 16 bits that hold it if it is small, which it nearly always is.

use std::cmp::Reverse;

use crate::ir::Game;
use crate::jit::layout::codec::{load, place};
use crate::jit::layout::position::{
    self, CHOICE, LAST, Layout, PC, SEALED, SEATS, STANDING, StatePlace, WAITING,
};
use crate::jit::layout::shape::{NONE, Scalar, Shape, UNSET};
use crate::jit::layout::slots::SlotShape;

/// An integer whose range takes more bits than this is packed by its usual size instead.
const NARROW: u32 = 24;

/// The bits that such an integer takes, and the codes that stand for none, for unset, and for an integer that is too large:
/// it follows behind the packed words.
const USUAL: u32 = 16;
const NONE_CODE: u64 = 0;
const UNSET_CODE: u64 = 1;
const LARGE_CODE: u64 = 2;
/// The first code of an integer.
const FIRST_CODE: u64 = 3;

/// Which bits of the words of a position can be set, and where integers lie that may be large.
#[derive(Debug)]
pub struct Possible {
    /// For each word its bits; those of the integers are among them.
    pub bits: Vec<u64>,
    /// The integers, each within one word.
    integers: Vec<Integer>,
}

/// An integer that may be large.
#[derive(Debug, Clone, Copy)]
struct Integer {
    /// Its byte offset and width in bytes.
    at: i32,
    width: u32,
    /// The integer of the first code.
    base: i64,
}

impl Integer {
    /// Returns its bits in its word.
    fn bits(self) -> u64 {
        u64::MAX >> (64 - 8 * self.width) << place(self.at).1
    }

    /// Returns the code of this integer in the words of a position, and the integer if the code does not tell it.
    #[inline]
    fn code(self, words: &[u64]) -> (u64, Option<u64>) {
        let integer = load(words, self.at, self.width);
        let code = (integer.wrapping_sub(self.base) as u64).saturating_add(FIRST_CODE);
        match integer {
            _ if code < 1 << USUAL => (code, None),
            NONE => (NONE_CODE, None),
            UNSET => (UNSET_CODE, None),
            _ => (LARGE_CODE, Some(integer as u64)),
        }
    }
}

/// What has a place in a packed word: some bits of a word, or an integer.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// These bits of the word with this index.
    Bits(usize, u64),
    /// An integer.
    Integer(Integer),
}

impl Source {
    /// Returns how many bits it takes.
    fn width(self) -> u32 {
        match self {
            Source::Bits(_, bits) => u64::BITS - bits.leading_zeros() - bits.trailing_zeros(),
            Source::Integer(_) => USUAL,
        }
    }
}

/// Bits of a word that count, the index of the packed word that they go to, and how far they are rotated to the left.
#[derive(Debug, Clone, Copy)]
struct BitsPart {
    word: usize,
    mask: u64,
    to: usize,
    turn: u32,
}

/// What counts of the words at a stop.
#[derive(Debug, Clone)]
pub struct Parts {
    bits: Vec<BitsPart>,
    /// Integers, each with the index of the packed word and how far its code is shifted to the left.
    integers: Vec<(Integer, usize, u32)>,
}

/// Where the parts of some words go.
#[derive(Debug)]
pub struct Packing {
    /// Each with the index of the packed word and how far it is shifted to the left.
    places: Vec<(Source, usize, u32)>,
    /// How many bits of each packed word are taken.
    taken: Vec<u32>,
}

impl Packing {
    /// Finds places for all that can be set. Words are taken apart into runs of such bits only if that saves packed words.
    pub fn of(possible: &Possible) -> Packing {
        let whole = Packing::of_sources(possible.sources(|bits| vec![bits]));
        let apart = Packing::of_sources(possible.sources(runs));
        if apart.words() < whole.words() { apart } else { whole }
    }

    /// Finds a place for each source, wide ones first: in the first packed word with room. The first source, with the place in
    /// the automaton, stays in the first packed word.
    fn of_sources(mut sources: Vec<Source>) -> Packing {
        if let Some(others) = sources.get_mut(1..) {
            others.sort_by_key(|source| Reverse(source.width()));
        }
        let mut packing = Packing { places: Vec::new(), taken: Vec::new() };
        for source in sources {
            let width = source.width();
            let to = packing.taken.iter().position(|taken| taken + width <= u64::BITS);
            let to = to.unwrap_or_else(|| {
                packing.taken.push(0);
                packing.taken.len() - 1
            });
            packing.places.push((source, to, packing.taken[to]));
            packing.taken[to] += width;
        }
        packing
    }

    /// Returns the number of packed words.
    pub fn words(&self) -> usize {
        self.taken.len()
    }

    /// Returns what counts at a stop, given the bits of each word that count there.
    pub fn parts(&self, count: &[u64]) -> Parts {
        let mut parts = Parts { bits: Vec::new(), integers: Vec::new() };
        for (source, to, shift) in &self.places {
            match source {
                Source::Bits(word, bits) if bits & count[*word] != 0 => {
                    let turn = shift.wrapping_sub(bits.trailing_zeros()) % u64::BITS;
                    parts.bits.push(BitsPart { word: *word, mask: bits & count[*word], to: *to, turn });
                }
                Source::Integer(integer) if integer.bits() & count[place(integer.at).0] != 0 => {
                    parts.integers.push((*integer, *to, *shift));
                }
                _ => {}
            }
        }
        parts
    }

    /// Appends the packed words, and behind them the integers that are too large for their codes.
    #[inline]
    pub fn pack(&self, parts: &Parts, words: &[u64], key: &mut Vec<u64>) {
        let from = key.len();
        key.resize(from + self.taken.len(), 0);
        let packed = &mut key[from..];
        for part in &parts.bits {
            packed[part.to] |= (words[part.word] & part.mask).rotate_left(part.turn);
        }
        for (integer, to, shift) in &parts.integers {
            let (code, large) = integer.code(words);
            key[from + to] |= code << shift;
            key.extend(large);
        }
    }
}

/// Returns the runs of adjacent bits among these.
fn runs(bits: u64) -> Vec<u64> {
    let (mut left, mut runs) = (bits, Vec::new());
    while left != 0 {
        let first = left & left.wrapping_neg();
        let rest = left & left.wrapping_add(first);
        runs.push(left ^ rest);
        left = rest;
    }
    runs
}

impl Possible {
    /// Returns what can be set in the words of a position that waits for a choice or a draw. What the position waits for follows
    /// from its place in the automaton and does not count.
    pub fn of(layout: &Layout, game: &Game) -> Possible {
        let bits = vec![u64::MAX; layout.bytes as usize / 8];
        let mut possible = Possible { bits, integers: Vec::new() };
        let mut limit = |at: i32, to: u64| possible.bits[place(at).0] = to;
        // No place in the automaton has all these bits, so no key begins with 64 of them.
        let places = below(width_of(game.code.len() as u64 + 1));
        limit(PC, places | 0xff << (8 * LAST));
        const { assert!(PC == 0 && LAST < 8 && WAITING < 8 && CHOICE < 8) };
        for seats in [SEATS, STANDING, SEALED] {
            limit(seats, below(layout.players.min(63) as u32));
        }
        if let Some(at) = layout.awards {
            (0..layout.players as i32)
                .for_each(|seat| possible.scalar(at + 8 * seat, 8, Scalar::any_int(), false));
        }
        for state in &layout.states {
            for at in (0..state.owners as i32).map(|owner| state.at + owner * state.stride) {
                possible.state(layout, state, at);
            }
        }
        for (shape, at) in layout.slots.values() {
            match shape {
                SlotShape::Bits(of) | SlotShape::Members(of) => possible.set(*at, *of),
                SlotShape::Word(of) => possible.scalar(*at, 8, *of, false),
                _ => {}
            }
        }
        possible
    }

    /// Leaves out a range of bytes.
    pub fn leave_out(&mut self, from: i32, upto: i32) {
        (from..upto).for_each(|at| self.bits[place(at).0] &= !(0xff << place(at).1));
    }

    /// Returns what needs a place, of the word with the place in the automaton first; other bits than those of integers are taken
    /// apart by `apart`.
    fn sources(&self, apart: impl Fn(u64) -> Vec<u64>) -> Vec<Source> {
        let mut others = self.bits.clone();
        let mut integers = Vec::new();
        for integer in &self.integers {
            let word = place(integer.at).0;
            if self.bits[word] & integer.bits() != 0 {
                integers.push(Source::Integer(*integer));
            }
            others[word] &= !integer.bits();
        }
        let parts = others.iter().enumerate().filter(|(_, bits)| **bits != 0);
        let parts =
            parts.flat_map(|(word, bits)| apart(*bits).into_iter().map(move |bits| Source::Bits(word, bits)));
        parts.chain(integers).collect()
    }

    /// Notes what is possible in a piece of state at a byte offset.
    fn state(&mut self, layout: &Layout, state: &StatePlace, at: i32) {
        let squares = layout.squares;
        match &state.shape {
            Shape::Scalar(of) => self.scalar(at, of.width(), *of, state.unset),
            Shape::Bits(of) => self.set(at, *of),
            Shape::Counts(of) => {
                (0..of.size() as i32).for_each(|nth| self.integer(at + 4 * nth, 4, 0));
            }
            Shape::List(length, of) => {
                let Some(most) = length.most() else { return };
                self.narrow(at, 4, most as u64);
                let first = at + position::list_head(*of);
                let place = |nth: i32| first + nth * of.width() as i32;
                (0..most as i32).for_each(|nth| self.scalar(place(nth), of.width(), *of, false));
            }
            Shape::Keyed(shape) => {
                let (of, width) = (squares.scalar(), shape.of.width());
                let plane = |nth: usize| at + (8 * nth * of.words()) as i32;
                (0..shape.plane_count()).for_each(|nth| self.set(plane(nth), of));
                let place = |nth: i64| at + shape.head(squares) + (nth * i64::from(width)) as i32;
                let places = 0..shape.keys.places(squares);
                places.for_each(|nth| self.scalar(place(nth), width, shape.of, state.unset));
            }
            _ => {}
        }
        if let Some(flag) = state.flag {
            self.narrow(at + flag, 1, 1);
        }
    }

    /// Notes what is possible in a stored scalar.
    fn scalar(&mut self, at: i32, width: u32, of: Scalar, unset: bool) {
        let range = if of.lo < 0 || of.optional || unset { 8 * width } else { width_of(of.hi as u64) };
        if range > NARROW {
            self.integer(at, width, of.lo);
        } else if range < 8 * width {
            self.narrow(at, width, of.hi as u64);
        }
    }

    /// Notes an integer from `least` on. It is 0 where it has been cleared.
    fn integer(&mut self, at: i32, width: u32, least: i64) {
        self.integers.push(Integer { at, width, base: least.clamp(-1 << (USUAL - 1), 0) });
    }

    /// Notes that an unsigned number is at most `most`.
    fn narrow(&mut self, at: i32, width: u32, most: u64) {
        let (word, shift) = place(at);
        let all = u64::MAX >> (64 - 8 * width);
        self.bits[word] &= !((all & !below(width_of(most))) << shift);
    }

    /// Notes what is possible in a set of small values.
    fn set(&mut self, at: i32, of: Scalar) {
        for nth in 0..of.words() {
            let rest = (of.size() - 64 * nth as i64).clamp(0, 64);
            self.bits[place(at).0 + nth] = below(rest as u32);
        }
    }
}

/// Returns the number of bits of the numbers up to `most`.
fn width_of(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

/// Returns the lowest bits.
fn below(count: u32) -> u64 {
    u64::MAX.checked_shr(u64::BITS - count).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_words_differ_where_the_words_differ() {
        let bits = vec![0xff, u64::MAX, 0x0707, 0, 1 << 40, 0xffff, u64::MAX];
        let integers = vec![
            Integer { at: 8, width: 8, base: -1 << 15 },
            Integer { at: 48, width: 4, base: 0 },
            Integer { at: 52, width: 4, base: 0 },
        ];
        let possible = Possible { bits, integers };
        let packing = Packing::of(&possible);
        assert_eq!(packing.words(), 2, "8 + 16 + 3 + 3 + 1 + 16 + 32 bits");
        let parts = packing.parts(&vec![u64::MAX; possible.bits.len()]);
        let numbers = [0, 1, -1, 5, 32_764, 32_765, -32_768, -32_769, 65_532, 65_533, 1 << 40, NONE, UNSET];
        let mut found = std::collections::BTreeMap::new();
        for n in 0..4000u64 {
            let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut words: Vec<u64> =
                possible.bits.iter().map(|bits| bits & mixed.rotate_left(bits.count_ones())).collect();
            words[1] = numbers[n as usize % numbers.len()] as u64;
            words[6] = (n % 3) << 15 | (n % 5) << 47;
            let mut key = vec![n];
            packing.pack(&parts, &words, &mut key);
            assert_eq!(key[0], n);
            assert_eq!(*found.entry(key[1..].to_vec()).or_insert(words.clone()), words);
        }
        assert!(found.len() > 3900, "{}", found.len());
    }

    #[test]
    fn runs_are_all_bits_once() {
        assert_eq!(runs(0xf0f3), [0x3, 0xf0, 0xf000]);
        assert_eq!(runs(u64::MAX), [u64::MAX]);
        assert_eq!(runs(1 << 63 | 1), [1, 1 << 63]);
        assert!(runs(0).is_empty());
    }
}

//! The random stream in compiled code: the same numbers as [`crate::num::Rng`], and selecting one of many by
//! them.

use crate::jit::builder::bail_out::BailOutReason;
use crate::jit::builder::control::UNCHARGED;
use crate::jit::builder::value::Bits;
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::shape::Scalar;
use crate::jit::mir::IntCC;

/// The lower half of every byte.
const LOW_NIBBLES: i64 = 0x0f0f_0f0f_0f0f_0f0f;

impl Builder<'_> {
    /// Returns the next 64 random bits: xoshiro256++.
    pub(in crate::jit) fn next_bits(&mut self) -> V {
        let state = self.run.chance;
        let s = state.map(|var| self.b.use_var(var));
        let sum = self.b.ins().iadd(s[0], s[3]);
        let turned = self.b.ins().rotl_imm_s(sum, 23);
        let result = self.b.ins().iadd(turned, s[0]);
        let t = self.b.ins().ishl_imm_s(s[1], 17);
        let s2 = self.b.ins().bxor(s[2], s[0]);
        let s3 = self.b.ins().bxor(s[3], s[1]);
        let s1 = self.b.ins().bxor(s[1], s2);
        let s0 = self.b.ins().bxor(s[0], s3);
        let s2 = self.b.ins().bxor(s2, t);
        let s3 = self.b.ins().rotl_imm_s(s3, 45);
        for (var, word) in state.into_iter().zip([s0, s1, s2, s3]) {
            self.b.def_var(var, word);
        }
        result
    }

    /// Returns a uniform number from 0 to n − 1, for n ≥ 1, like [`crate::num::Rng::below_u64`]: the high
    /// half of n times 64 random bits. A product whose low half is less than 2^64 mod n must be redrawn; that
    /// is so rare that it is left to the reference. Since 2^64 mod n < n, it is computed only if the low half
    /// is less than n.
    pub fn below(&mut self, n: V) -> V {
        let bits = self.next_bits();
        let (low, high) = (self.b.ins().imul(bits, n), self.b.ins().umulhi(bits, n));
        let (rare, done) = (self.cold_block(), self.block());
        let short = self.cmp(IntCC::UnsignedLessThan, low, n);
        self.branch_on(short, rare, done);
        self.switch_to(rare);
        let minus = self.b.ins().ineg(n);
        let rejected = self.b.ins().urem(minus, n);
        let again = self.cmp(IntCC::UnsignedLessThan, low, rejected);
        let bail_out_block = self.bail_out_block_for(BailOutReason::Redraw);
        self.branch_on(again, bail_out_block, done);
        self.switch_to(done);
        high
    }

    /// Returns the index of the k-th set bit, counting from 0; there must be more than k.
    pub fn nth_bit(&mut self, bits: &Bits, k: V) -> V {
        match (bits.words.as_slice(), bits.of.size()) {
            ([word], ..=16) => return self.nth_in_two_bytes(*word, k),
            ([word], _) => return self.nth_in_word(*word, k),
            _ => {}
        }
        // First select the word, then the bit in it.
        let zero = self.int(0);
        let (mut word, mut rest, mut first) = (bits.words[0], k, zero);
        let mut before = zero;
        for (i, next) in bits.words.iter().enumerate().skip(1) {
            let count = self.b.ins().popcnt(bits.words[i - 1]);
            before = self.b.ins().iadd(before, count);
            let beyond = self.cmp(IntCC::UnsignedGreaterThanOrEqual, k, before);
            word = self.b.ins().select(beyond, *next, word);
            let left = self.b.ins().isub(k, before);
            rest = self.b.ins().select(beyond, left, rest);
            let offset = self.int(i as i64 * 64);
            first = self.b.ins().select(beyond, offset, first);
        }
        let at = self.nth_in_word(word, rest);
        self.b.ins().iadd(first, at)
    }

    /// Selects the k-th set bit of two bytes: a table gives the bit indices of each byte, and those of the
    /// second are appended to those of the first.
    fn nth_in_two_bytes(&mut self, word: V, k: V) -> V {
        let row = self.static_row([places_of(8, 0), places_of(8, 8)].concat());
        let (low, high) = (self.b.ins().band_imm_s(word, 0xff), self.b.ins().ushr_imm_s(word, 8));
        let places = |this: &mut Self, byte: V, offset: i32| {
            let at = this.entry_at(row, byte, 8);
            this.load64(at, offset)
        };
        let (first, second) = (places(self, low, 0), places(self, high, 256 * 8));
        let count = self.b.ins().popcnt(low);
        let behind = self.b.ins().ishl_imm_s(count, 2);
        let second = self.b.ins().ishl(second, behind);
        let all = self.b.ins().bor(first, second);
        self.nth_place(all, k)
    }

    /// Returns item k of a word of four-bit items.
    fn nth_place(&mut self, places: V, k: V) -> V {
        let at = self.b.ins().ishl_imm_s(k, 2);
        let bits = self.b.ins().ushr(places, at);
        self.b.ins().band_imm_s(bits, 15)
    }

    /// Selects the k-th set bit by counting in bytes (S. Vigna, "Broadword implementation of rank/select
    /// queries", 2008): prefix sums of the bytes' bit counts by one multiplication, the byte by a comparison
    /// of all eight at once, the bit from a table.
    pub(in crate::jit) fn nth_in_word(&mut self, x: V, k: V) -> V {
        let nibbles = self.counts_in_nibbles(x);
        let more = self.b.ins().ushr_imm_s(nibbles, 4);
        let counts = self.b.ins().iadd(nibbles, more);
        let counts = self.b.ins().band_imm_s(counts, LOW_NIBBLES);
        let (bytes, rank) = self.nth_in_bytes(counts, k, false);
        let place = self.b.ins().ishl_imm_s(bytes, 3);
        let byte = self.b.ins().ushr(x, place);
        let byte = self.b.ins().band_imm_s(byte, 0xff);
        let bit = self.nth_in_byte(byte, rank);
        self.b.ins().iadd(place, bit)
    }

    /// Selects element k of up to three one-word sets, whose elements are counted together bit by bit.
    /// Returns the index of the bit, and which of the elements at that bit it is, from 0. Uses the same
    /// method, first on bytes, then on the bits of one byte, which a table spreads to bytes.
    pub(in crate::jit) fn nth_in_sets(&mut self, sets: &[V], k: V) -> (V, V) {
        let mut nibbles = self.int(0);
        for set in sets {
            let counts = self.counts_in_nibbles(*set);
            nibbles = self.b.ins().iadd(nibbles, counts);
        }
        let low = self.b.ins().band_imm_s(nibbles, LOW_NIBBLES);
        let high = self.b.ins().ushr_imm_s(nibbles, 4);
        let high = self.b.ins().band_imm_s(high, LOW_NIBBLES);
        let counts = self.b.ins().iadd(low, high);
        let (bytes, rank) = self.nth_in_bytes(counts, k, true);
        let place = self.b.ins().ishl_imm_s(bytes, 3);
        let row = self.static_row(spread_bytes());
        let mut counts = self.int(0);
        for set in sets {
            let byte = self.b.ins().ushr(*set, place);
            let byte = self.b.ins().band_imm_s(byte, 0xff);
            let at = self.entry_at(row, byte, 8);
            let bits = self.load64(at, 0);
            counts = self.b.ins().iadd(counts, bits);
        }
        let (bit, rank) = self.nth_in_bytes(counts, rank, false);
        (self.b.ins().iadd(place, bit), rank)
    }

    /// Returns the number of set bits in each four bits.
    fn counts_in_nibbles(&mut self, x: V) -> V {
        let half = self.b.ins().ushr_imm_s(x, 1);
        let half = self.b.ins().band_imm_s(half, 0x5555_5555_5555_5555);
        let s = self.b.ins().isub(x, half);
        let low = self.b.ins().band_imm_s(s, 0x3333_3333_3333_3333);
        let high = self.b.ins().ushr_imm_s(s, 2);
        let high = self.b.ins().band_imm_s(high, 0x3333_3333_3333_3333);
        self.b.ins().iadd(low, high)
    }

    /// Returns the index of the byte that has element k, given bytes that count elements, and the element's
    /// number within that byte. There are fewer than 128 elements, or with `many`, fewer than 256.
    fn nth_in_bytes(&mut self, counts: V, k: V, many: bool) -> (V, V) {
        const ONES: i64 = 0x0101_0101_0101_0101;
        const HIGHS: i64 = 0x8080_8080_8080_8080_u64 as i64;
        let sums = self.b.ins().imul_imm_s(counts, ONES);
        let spread = self.b.ins().imul_imm_s(k, ONES);
        // The highest bit of each byte becomes 1 if k is at least the prefix sum.
        let over = self.b.ins().bor_imm_s(spread, HIGHS);
        let full = if many {
            let low = self.b.ins().band_imm_s(sums, !HIGHS);
            let over = self.b.ins().isub(over, low);
            let other = self.b.ins().bxor(spread, sums);
            let more = self.b.ins().band_not(spread, sums);
            let over = self.b.ins().band_not(over, other);
            self.b.ins().bor(more, over)
        } else {
            self.b.ins().isub(over, sums)
        };
        let full = self.b.ins().band_imm_s(full, HIGHS);
        let bytes = self.b.ins().popcnt(full);
        let place = self.b.ins().ishl_imm_s(bytes, 3);
        let shifted = self.b.ins().ishl_imm_s(sums, 8);
        let before = self.b.ins().ushr(shifted, place);
        let before = self.b.ins().band_imm_s(before, 0xff);
        (bytes, self.b.ins().isub(k, before))
    }

    /// Returns element number `k`, from 0, of a large set; there must be so many.
    pub(in crate::jit) fn nth_of_large_set(&mut self, (at, of): (V, Scalar), k: V) -> Result<V> {
        let size = |this: &mut Self, place: V| {
            let word = this.load64(place, 0);
            this.b.ins().popcnt(word)
        };
        let beyond = |this: &mut Self, [place, k]: [V; 2]| {
            let own = size(this, place);
            this.cmp(IntCC::UnsignedGreaterThanOrEqual, k, own)
        };
        let [place, k] = self.repeat([at, k], UNCHARGED, beyond, |this, [place, k], _| {
            let own = size(this, place);
            Ok([this.b.ins().iadd_imm_s(place, 8), this.b.ins().isub(k, own)])
        })?;
        let word = self.load64(place, 0);
        let bit = self.nth_in_word(word, k);
        let before = self.b.ins().isub(place, at);
        let first = self.b.ins().ishl_imm_s(before, 3);
        let v = self.b.ins().iadd(first, bit);
        Ok(self.b.ins().iadd_imm_s(v, of.lo))
    }

    pub(in crate::jit) fn nth_in_byte(&mut self, byte: V, rank: V) -> V {
        let row = self.static_row(select_in_byte());
        let index = self.b.ins().ishl_imm_s(byte, 3);
        let index = self.b.ins().iadd(index, rank);
        let at = self.b.ins().iadd(row, index);
        self.load_u(1, at, 0)
    }
}

/// For each byte, its bits as bytes.
fn spread_bytes() -> Vec<i64> {
    (0..256).map(|byte| (0..8).map(|bit| (byte >> bit & 1) << (8 * bit)).sum()).collect()
}

/// For each set of `size` bits, the indices of its bits plus `more`, lowest first, in four bits each.
fn places_of(size: i64, more: i64) -> Vec<i64> {
    let mut all = vec![0];
    for bit in 0..size {
        // Each set so far, with this bit appended.
        for set in 0..all.len() {
            all.push(all[set] | (bit + more) << (4 * set.count_ones()));
        }
    }
    all
}

/// For each byte and each k from 0 to 7, the index of its k-th set bit, as one byte.
fn select_in_byte() -> Vec<i64> {
    (0..256u32)
        .map(|byte| {
            let places: Vec<u8> = (0..8u8).filter(|bit| byte >> bit & 1 == 1).collect();
            let mut row = [0u8; 8];
            row[..places.len()].copy_from_slice(&places);
            i64::from_le_bytes(row)
        })
        .collect()
}

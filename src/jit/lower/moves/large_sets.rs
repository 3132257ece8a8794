//! Domains of more values than registers hold as bits: what is known beforehand as a list, and the bits of large sets in
//! memory.

use crate::ir::Domain;
use crate::jit::builder::value::List;
use crate::jit::builder::{Builder, V};
use crate::jit::layout::shape::Scalar;
use crate::jit::layout::slots::words_of;
use crate::jit::mir::IntCC;

impl Builder<'_> {
    /// Returns the values of a domain, ascending, as a static list; `None` if they are not known or are not single values.
    pub(in crate::jit) fn static_list(&mut self, domain: &Domain) -> Option<List> {
        let mut values = self.known_elements(domain)?;
        values.sort();
        values.dedup();
        let (words, of) = words_of(&values, self.layout.squares)?;
        let ascends = words.windows(2).all(|pair| pair[0] < pair[1]);
        if of.optional || !ascends {
            return None;
        }
        let count = words.len() as i64;
        let (at, len) = (self.static_row(words), self.int(count));
        Some(List::immutable(at, len, of, Some(count)))
    }

    /// Returns element number `k`, from 0, of a large set; there must be so many.
    pub(in crate::jit) fn nth_of_large_set(&mut self, (at, of): (V, Scalar), k: V) -> V {
        let (here, rest) = (self.var(at), self.var(k));
        let (head, on, found) = (self.block(), self.block(), self.block());
        self.jump(head);
        self.switch_to_loop(head);
        let (place, k) = (self.b.use_var(here), self.b.use_var(rest));
        let word = self.load64(place, 0);
        let own = self.b.ins().popcnt(word);
        let inside = self.cmp(IntCC::UnsignedLessThan, k, own);
        self.branch_on(inside, found, on);
        self.switch_to(on);
        let next = [self.b.ins().iadd_imm_s(place, 8), self.b.ins().isub(k, own)];
        self.b.def_var(here, next[0]);
        self.b.def_var(rest, next[1]);
        self.jump(head);
        self.switch_to(found);
        let (place, k) = (self.b.use_var(here), self.b.use_var(rest));
        let word = self.load64(place, 0);
        let bit = self.nth_in_word(word, k);
        let before = self.b.ins().isub(place, at);
        let first = self.b.ins().ishl_imm_s(before, 3);
        let v = self.b.ins().iadd(first, bit);
        self.b.ins().iadd_imm_s(v, of.lo)
    }
}

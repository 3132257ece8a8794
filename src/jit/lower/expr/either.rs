//! Values of two kinds in code: converting their words to those of a single kind, and back.

use crate::jit::builder::bail_out::BailOutReason;
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::either::Either;
use crate::jit::layout::shape::{LIMIT, NONE, Scalar, Sort, UNSET};
use crate::jit::layout::tuple::SimpleSort;
use crate::jit::mir::IntCC;

impl Builder<'_> {
    /// Converts a word to another sort, where either sort may have two kinds. If the target sort has no such
    /// value, bails out if `strict`; otherwise returns a word that no value has.
    pub fn convert_to_sort(&mut self, word: Word, sort: Sort, strict: bool) -> Result<Word> {
        let two = |sort: Sort| matches!(sort, Sort::Either(_));
        if word.s.sort == sort || !two(word.s.sort) && !two(sort) {
            return Ok(word);
        }
        if let Some(known) = word.known {
            return Ok(self.convert_known_to_sort(known, word.s, sort, strict));
        }
        match (word.s.sort, sort) {
            (Sort::Either(own), Sort::Either(either)) => {
                self.convert_between_eithers(word, own, either, strict)
            }
            (own, Sort::Either(either)) if SimpleSort::of(own) == Some(either.first) => {
                let out = (word.s.hi >= either.split)
                    .then(|| self.cmp_imm(IntCC::SignedGreaterThanOrEqual, word.v, either.split));
                let s = Scalar { sort, hi: word.s.hi.min(either.split - 1), ..word.s };
                Ok(self.unless(out, Word { s, ..word }, strict))
            }
            (own, Sort::Either(either)) if SimpleSort::of(own) == Some(either.second) => {
                let v = self.b.ins().iadd_imm_s(word.v, either.shift);
                let out = (word.s.lo < either.split - either.shift)
                    .then(|| self.cmp_imm(IntCC::SignedLessThan, v, either.split));
                let moved = |word: i64| (word + either.shift).max(either.split);
                let s = Scalar { sort, lo: moved(word.s.lo), hi: moved(word.s.hi), ..word.s };
                let (v, out) = self.or_none(word, v, out);
                Ok(self.unless(out, Word { v, s, known: None }, strict))
            }
            (Sort::Either(own), _) => {
                let kind = SimpleSort::of(sort).filter(|kind| [own.first, own.second].contains(kind));
                let Some(kind) = kind else { return unsupported("a value of another kind") };
                let other = if kind == own.first { own.second } else { own.first };
                let mixed = own.part(word.s, other).is_some();
                let cc = match kind == own.first {
                    true => IntCC::SignedGreaterThanOrEqual,
                    false => IntCC::SignedLessThan,
                };
                let out = mixed.then(|| self.cmp_imm(cc, word.v, own.split));
                let nothing = Scalar { sort, lo: 0, hi: 0, optional: word.s.optional };
                let s = own.part(word.s, kind).unwrap_or(nothing);
                if kind == own.first {
                    return Ok(self.unless(out, Word { s, ..word }, strict));
                }
                let v = self.b.ins().iadd_imm_s(word.v, -own.shift);
                let (v, out) = self.or_none(word, v, out);
                Ok(self.unless(out, Word { v, s, known: None }, strict))
            }
            _ => unsupported("a value of another kind"),
        }
    }

    /// Converts a value to a number for comparisons: symbols compare greater than all numbers.
    pub fn comparable_number(&mut self, val: Val) -> Result<Word> {
        let word = self.word(val)?;
        match word.s.sort {
            Sort::Int => Ok(word),
            Sort::Either(own) if own.first == SimpleSort::Int => {
                let number = self.cmp_imm(IntCC::SignedLessThan, word.v, own.split);
                let beyond = self.int(LIMIT + 1);
                let v = self.b.ins().select(number, word.v, beyond);
                Ok(Word { v, s: Scalar { sort: Sort::Int, hi: LIMIT + 1, ..word.s }, known: None })
            }
            _ => unsupported("an order of what are no numbers"),
        }
    }

    fn convert_known_to_sort(&mut self, known: i64, own: Scalar, sort: Sort, strict: bool) -> Word {
        let (kind, alone) = match own.sort {
            Sort::Either(own) if known != NONE => own.alone(known),
            kind => (kind, known),
        };
        let word = match sort {
            _ if known == NONE => Some(NONE),
            Sort::Either(either) => either.word(kind, alone),
            sort => (kind == sort).then_some(alone),
        };
        let there = word.filter(|word| *word != NONE);
        let s = Scalar { sort, lo: there.unwrap_or(0), hi: there.unwrap_or(0), optional: known == NONE };
        if word.is_none() && strict {
            let bail_out_block = self.bail_out_block_for(BailOutReason::Range);
            self.jump_away(bail_out_block);
        }
        let s = if word.is_none() { Scalar { lo: UNSET, ..s } } else { s };
        self.known(word.unwrap_or(UNSET), s)
    }

    /// Converts a word to another sort with the same two kinds.
    fn convert_between_eithers(
        &mut self,
        word: Word,
        own: Either,
        either: Either,
        strict: bool,
    ) -> Result<Word> {
        if (own.first, own.second) != (either.first, either.second) {
            return unsupported("values of other kinds");
        }
        let above = self.cmp_imm(IntCC::SignedGreaterThanOrEqual, word.v, own.split);
        let moved = self.b.ins().iadd_imm_s(word.v, either.shift - own.shift);
        let mut out = None;
        let (mut lo, mut hi) = (i64::MAX, i64::MIN);
        if let Some(low) = own.part(word.s, own.first) {
            if low.hi >= either.split {
                let beyond = self.cmp_imm(IntCC::SignedGreaterThanOrEqual, word.v, either.split);
                out = Some(self.b.ins().band_not(beyond, above));
            }
            (lo, hi) = (low.lo, low.hi.min(either.split - 1));
        }
        if let Some(high) = own.part(word.s, own.second) {
            if high.lo + either.shift < either.split {
                let below = self.cmp_imm(IntCC::SignedLessThan, moved, either.split);
                let below = self.b.ins().band(below, above);
                out = Some(out.map_or(below, |beyond| self.b.ins().bor(beyond, below)));
            }
            let least = (high.lo + either.shift).max(either.split);
            (lo, hi) = (lo.min(least), hi.max((high.hi + either.shift).max(least)));
        }
        let v = self.b.ins().select(above, moved, word.v);
        let s = Scalar { sort: Sort::Either(either), lo, hi, optional: word.s.optional };
        Ok(self.unless(out, Word { v, s, known: None }, strict))
    }

    /// Keeps none as it is when a word is shifted, and does not treat it as a misfit.
    fn or_none(&mut self, word: Word, moved: V, out: Option<V>) -> (V, Option<V>) {
        if !word.s.optional {
            return (moved, out);
        }
        let none = self.cmp_imm(IntCC::Equal, word.v, NONE);
        let v = self.b.ins().select(none, word.v, moved);
        (v, out.map(|out| self.b.ins().band_not(out, none)))
    }

    /// Marks a word as a misfit where `out` holds: bails out if `strict`.
    fn unless(&mut self, out: Option<V>, word: Word, strict: bool) -> Word {
        match out {
            None => word,
            Some(out) if strict => {
                self.bail_out_for(BailOutReason::Range, out);
                word
            }
            Some(out) => {
                let nothing = self.int(UNSET);
                let v = self.b.ins().select(out, nothing, word.v);
                Word { v, s: Scalar { lo: UNSET, ..word.s }, known: None }
            }
        }
    }
}

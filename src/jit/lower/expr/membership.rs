//! Whether values that depend on the element are in a set that does not, for many elements at once: those that the element
//! determines are looked up by what elements give them.

use crate::ir::{Expr, ExprKind, Value as Known};
use crate::jit::builder::value::{Bits, Val};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::bits::set_mask_bit;
use crate::jit::layout::shape::{Scalar, Sort};
use crate::jit::layout::slots::REGISTERS;
use crate::jit::layout::tuple::base;
use crate::jit::lower::expr::convert::mask_word;
use crate::jit::lower::expr::masks::Universe;
use crate::jit::mir::{IntCC, types};

/// The most different single values that are looked up.
const MOST_VALUES: usize = 64;

impl Builder<'_> {
    /// Returns the bits of `f(x) in S`, where S is a set that is the same for all elements; `None` of other conditions.
    pub(in crate::jit) fn membership_for_all(
        &mut self,
        value: &Expr,
        among: &Expr,
        universe: &Universe,
    ) -> Result<Option<Vec<V>>> {
        if self.reads_every(among) || value.ty.is_collection() {
            return Ok(None);
        }
        let Some(values) = self.determined(value, universe) else {
            return match &value.kind {
                ExprKind::Tuple(parts) => self.among_tuples(parts, among, universe),
                _ => Ok(None),
            };
        };
        let mut by_value: Vec<(Known, Vec<u64>)> = Vec::new();
        for (at, value) in values {
            let number = by_value.iter().position(|(other, _)| *other == value).unwrap_or_else(|| {
                by_value.push((value, vec![0; universe.of.words()]));
                by_value.len() - 1
            });
            set_mask_bit(&mut by_value[number].1, at);
        }
        let among = self.distinct(among)?;
        if by_value.len() > MOST_VALUES || !matches!(among, Val::Bits(_) | Val::Members(_)) {
            return Ok(None);
        }
        let mut all = vec![self.int(0); universe.of.words()];
        for (value, mask) in by_value {
            let has = self.has(among.clone(), Val::Const(value))?;
            let wide = self.b.ins().uextend(types::I64, has);
            let wide = self.b.ins().ineg(wide);
            for (word, mask) in all.iter_mut().zip(mask) {
                let own = self.b.ins().band_imm_s(wide, mask as i64);
                *word = self.b.ins().bor(*word, own);
            }
        }
        Ok(Some(all))
    }

    /// Does so for tuples of which one part is the element and the others are the same for all. As bits, such tuples are evenly
    /// spaced, and next to one another if the element is the last part.
    fn among_tuples(&mut self, parts: &[Expr], among: &Expr, universe: &Universe) -> Result<Option<Vec<V>>> {
        let Some(place) = parts.iter().position(|part| self.is_every(part)) else { return Ok(None) };
        let mut others = parts.iter().enumerate().filter(|(at, _)| *at != place);
        if others.any(|(_, part)| self.reads_every(part)) {
            return Ok(None);
        }
        let (at, of) = match self.distinct(among)? {
            Val::Bits(bits) | Val::Members(bits) => {
                let at = self.stack(bits.words.len() as u32 * 8);
                bits.words.iter().enumerate().for_each(|(i, word)| self.store64(*word, at, i as i32 * 8));
                (at, bits.of)
            }
            Val::MemoryBits { at, of } => (at, of),
            _ => return Ok(None),
        };
        let Sort::Tuple(layout) = of.sort else { return Ok(None) };
        let own = layout.parts();
        let element = own[place];
        let stride: i64 = own[place + 1..].iter().map(|part| base(*part)).product();
        let whole = layout.scalar().is_some_and(|whole| (whole.lo, whole.hi) == (of.lo, of.hi));
        if !whole || element.sort != universe.of.sort || element.optional || element.words() > REGISTERS {
            return Ok(None);
        }
        let mut first = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            first.push(match at == place {
                true => Val::Word(self.known(element.lo, element)),
                false => self.expr(part)?,
            });
        }
        // A tuple that cannot be among them has a negative number.
        let first = self.pack_as(layout, Val::Tuple(first), false)?;
        let fits = self.cmp_imm(IntCC::SignedGreaterThanOrEqual, first.v, 0);
        let fits = self.b.ins().uextend(types::I64, fits);
        let mask = self.b.ins().ineg(fits);
        let first = self.b.ins().band(first.v, mask);
        let words = match stride {
            1 => self.slice(at, of, first, element.words()),
            _ => self.spaced_bits(at, first, stride, element.size())?,
        };
        let own = words.into_iter().enumerate().map(|(i, word)| {
            let own = self.b.ins().band_imm_s(mask, mask_word(element.size(), i) as i64);
            self.b.ins().band(word, own)
        });
        let words = own.collect();
        Ok(Some(self.restricted(Bits { words, of: element }, universe.of).words))
    }

    /// Returns words of bits in memory from bit `first` on; bits behind the last of `of` are 0.
    fn slice(&mut self, at: V, of: Scalar, first: V, words: usize) -> Vec<V> {
        let (number, last) = (self.b.ins().ushr_imm_s(first, 6), self.int(of.words() as i64 - 1));
        let zero = self.int(0);
        let by = self.b.ins().band_imm_s(first, 63);
        let rest = self.b.ins().bnot(by);
        let mut all: Vec<V> = Vec::new();
        for i in 0..=words as i64 {
            let number = self.b.ins().iadd_imm_s(number, i);
            let inside = self.cmp(IntCC::SignedLessThanOrEqual, number, last);
            let number = self.b.ins().smin(number, last);
            let entry = self.entry_at(at, number, 8);
            let word = self.load64(entry, 0);
            all.push(self.b.ins().select(inside, word, zero));
        }
        let pairs: Vec<(V, V)> = all.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let joined = pairs.into_iter().map(|(low, high)| {
            let low = self.b.ins().ushr(low, by);
            // By 64 bits less those that are left out, also if these are none.
            let high = self.b.ins().ishl_imm_s(high, 1);
            let high = self.b.ins().ishl(high, rest);
            self.b.ins().bor(low, high)
        });
        joined.collect()
    }

    /// Returns every so many bits in memory, from bit `first` on, as bits.
    fn spaced_bits(&mut self, at: V, first: V, stride: i64, count: i64) -> Result<Vec<V>> {
        let words = (count + 63) / 64;
        let zero = self.int(0);
        let mut all = Vec::new();
        for word in 0..words {
            let (from, upto) = (self.int(word * 64), self.int((word * 64 + 64).min(count) - 1));
            let bits = self.var(zero);
            self.each_int(from, upto, Some(64), |this, i, _| {
                let apart = this.b.ins().imul_imm_s(i, stride);
                let place = this.b.ins().iadd(first, apart);
                let number = this.b.ins().ushr_imm_s(place, 6);
                let entry = this.entry_at(at, number, 8);
                let word = this.load64(entry, 0);
                let bit = this.b.ins().ushr(word, place);
                let bit = this.b.ins().band_imm_s(bit, 1);
                let bit = this.b.ins().ishl(bit, i);
                let before = this.b.use_var(bits);
                let all = this.b.ins().bor(before, bit);
                this.b.def_var(bits, all);
                Ok(())
            })?;
            all.push(self.b.use_var(bits));
        }
        Ok(all)
    }

    /// Returns the value for each element of an expression that depends on nothing else and never changes; `None` of other
    /// expressions, and if it fails for some.
    fn determined(&mut self, e: &Expr, universe: &Universe) -> Option<Vec<(i64, Known)>> {
        let values = self.values_for_all(e, universe)?;
        values.into_iter().map(|(at, value)| Some((at, value?))).collect()
    }
}

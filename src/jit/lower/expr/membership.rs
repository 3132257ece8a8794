//! Whether values that depend on the element are in a collection that does not, for many elements at once.
//!
//! Single values are looked up by what elements give them. Lists are looked up the other way round: the collection is gone
//! through once, and each of its lists tells for which elements it is the one sought.

use crate::eval::elements;
use crate::ir::{Expr, ExprKind, Type, Value as Known};
use crate::jit::builder::value::{Bits, Val, Word};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::bits::set_mask_bit;
use crate::jit::layout::row_index;
use crate::jit::layout::shape::{Scalar, Sort, to_word};
use crate::jit::layout::slots::REGISTERS;
use crate::jit::layout::tuple::base;
use crate::jit::lower::expr::convert::mask_word;
use crate::jit::lower::expr::masks::Universe;
use crate::jit::mir::{IntCC, types};

/// The most different single values that are looked up.
const MOST_VALUES: usize = 64;

impl Builder<'_> {
    /// Returns the bits of `f(x) in S`, where S is the same for all elements; `None` of other conditions.
    pub(in crate::jit) fn membership_for_all(
        &mut self,
        value: &Expr,
        among: &Expr,
        universe: &Universe,
    ) -> Result<Option<Vec<V>>> {
        match self.reads_every(among) {
            true => Ok(None),
            false if value.ty.is_collection() => self.among_lists(value, among, universe),
            false => self.among_single(value, among, universe),
        }
    }

    /// Does so for single values that the element determines, in a small set.
    fn among_single(&mut self, value: &Expr, among: &Expr, universe: &Universe) -> Result<Option<Vec<V>>> {
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

    /// Returns the bits of `L in S`, where S is the same for all elements; `None` if L is neither written out, with the element as
    /// one of its parts, nor determined by the element alone.
    fn among_lists(&mut self, list: &Expr, among: &Expr, universe: &Universe) -> Result<Option<Vec<V>>> {
        let of = list.ty.element().filter(|_| matches!(list.ty, Type::List(_)));
        let of = of.and_then(|of| self.type_scalar(&of)).filter(|of| !of.optional);
        let Some(of) = of.filter(|_| among.ty.element() == Some(list.ty.clone())) else { return Ok(None) };
        match &list.kind {
            ExprKind::List(parts) => self.among_with_every(parts, of, among, universe),
            _ => self.known_among(list, of, among, universe),
        }
    }

    /// Does so for a list that is written out: another list is the one sought for its own element in the place of the element.
    fn among_with_every(
        &mut self,
        parts: &[Expr],
        of: Scalar,
        among: &Expr,
        universe: &Universe,
    ) -> Result<Option<Vec<V>>> {
        let place = parts.iter().position(|part| self.is_every(part));
        let Some(place) = place.filter(|_| universe.of.sort == of.sort) else { return Ok(None) };
        let mut others: Vec<(usize, Word)> = Vec::new();
        for (i, part) in parts.iter().enumerate().filter(|(i, _)| *i != place) {
            if self.reads_every(part) {
                return Ok(None);
            }
            let word = self.word_of(part)?;
            if word.s.sort != of.sort || word.s.optional {
                return Ok(None);
            }
            others.push((i, word));
        }
        let others_are = self.distinct(among)?;
        let size = self.int(parts.len() as i64);
        self.marked(others_are, universe, |this, bits, val| {
            let list = this.list(val)?;
            let next = this.block();
            let require = |this: &mut Self, a: V, b: V| {
                let (same, on) = (this.cmp(IntCC::Equal, a, b), this.block());
                this.branch_on(same, on, next);
                this.switch_to(on);
            };
            require(this, list.len, size);
            for (i, word) in &others {
                let i = this.int(*i as i64);
                let own = this.element(list, i);
                require(this, own.v, word.v);
            }
            let i = this.int(place as i64);
            let own = this.element(list, i);
            let own = this.bits_of_word(universe.of, own);
            for (i, word) in own.into_iter().enumerate() {
                let at = i as i32 * 8;
                let before = this.load64(bits, at);
                let now = this.b.ins().bor(before, word);
                this.store64(now, bits, at);
            }
            this.jump(next);
            this.switch_to(next);
            Ok(())
        })
    }

    /// Does so for a list that the element determines: which elements give a list is looked up.
    fn known_among(
        &mut self,
        list: &Expr,
        of: Scalar,
        among: &Expr,
        universe: &Universe,
    ) -> Result<Option<Vec<V>>> {
        let Some(values) = self.determined(list, universe) else { return Ok(None) };
        let mut rows: Vec<(Vec<u64>, Vec<u64>)> = Vec::new();
        for (at, value) in values {
            let word = |value| to_word(value, self.layout.squares).map(|word| word as u64);
            let Some(row) = elements(&value).iter().map(word).collect::<Option<Vec<u64>>>() else {
                return Ok(None);
            };
            let number = rows.iter().position(|(other, _)| *other == row).unwrap_or_else(|| {
                rows.push((row, vec![0; universe.of.words()]));
                rows.len() - 1
            });
            set_mask_bit(&mut rows[number].1, at);
        }
        let table = row_index::table(&rows).into_iter().map(|word| word as i64).collect();
        let (table, others) = (self.static_row(table), self.distinct(among)?);
        self.marked(others, universe, |this, bits, val| {
            let list = this.list(val)?;
            let bytes = this.b.ins().ishl_imm_s(list.len, 3);
            let row = this.scratch(bytes);
            this.copy_list(list, row, 8, of)?;
            this.call("mark_row", &[table, row, list.len, bits])?;
            Ok(())
        })
    }

    /// Goes through some lists, each of which sets bits in memory; returns the bits.
    fn marked(
        &mut self,
        lists: Val,
        universe: &Universe,
        mut mark: impl FnMut(&mut Self, V, Val) -> Result<()>,
    ) -> Result<Option<Vec<V>>> {
        let words = universe.of.words();
        let (bits, none) = (self.stack(words as u32 * 8), self.int(0));
        (0..words).for_each(|i| self.store64(none, bits, i as i32 * 8));
        let mut each = |this: &mut Self, val: Val| {
            let scratch = this.b.use_var(this.run.scratch);
            mark(this, bits, val)?;
            this.b.def_var(this.run.scratch, scratch);
            Ok(())
        };
        match lists {
            Val::Pool { handle, of } => self.each_entry_value(handle, &of, &mut each)?,
            lists => self.each_value_in(lists, each)?,
        }
        Ok(Some((0..words).map(|i| self.load64(bits, i as i32 * 8)).collect()))
    }
}

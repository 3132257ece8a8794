//! Writes places: each shape in its own way, including planes and lengths.

use crate::ir::Change;
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, Unsupported, V, unsupported};
use crate::jit::layout::position::{self};
use crate::jit::layout::shape::{KeyedShape, LIMIT, Length, NONE, Planes, Scalar, Shape, Sort, UNSET};
use crate::jit::layout::slots::REGISTERS;
use crate::jit::layout::small_set::SmallSet;
use crate::jit::layout::tuple::common;
use crate::jit::lower::effect::ResolvedPlace;
use crate::jit::mir::{Block, IntCC, Variable, types};

/// Up to this many planes, a change writes all of them.
const MAX_REWRITTEN_PLANES: usize = 5;

impl Builder<'_> {
    /// Changes a place.
    pub(in crate::jit) fn write(&mut self, target: &ResolvedPlace, change: Change, val: Val) -> Result<()> {
        let place = self.layout.states[target.state].clone();
        self.unreveal(target.state, target.owner);
        let at = self.state_at(target.state, target.owner);
        if let Some(flag) = place.flag {
            if change == Change::Set && target.path.is_empty() {
                let one = self.int(1);
                self.store_u(1, one, at, flag);
            } else {
                let written = self.load_u(1, at, flag);
                let is_unset = self.cmp_imm(IntCC::Equal, written, 0);
                self.bail_out_if(is_unset);
            }
        }
        self.write_at(&place.shape, place.unset, at, &target.path, change, val).map_err(|error| {
            match place.shape {
                Shape::Opaque => Unsupported(self.only_interpreted(target.state), None),
                _ => error,
            }
        })
    }

    /// Changes what lies at a path into a value of a shape at an address.
    pub(in crate::jit) fn write_at(
        &mut self,
        shape: &Shape,
        unset: bool,
        at: V,
        path: &[Word],
        change: Change,
        val: Val,
    ) -> Result<()> {
        match (path, shape) {
            ([], _) => self.write_whole(shape, unset, at, change, val),
            ([first, rest @ ..], Shape::Cells(cells)) => {
                let place = self.cell_at(at, cells, *first)?;
                self.write_at(&cells.of, false, place, rest, change, val)
            }
            ([only], _) => self.write_inside(shape, unset, at, *only, change, val),
            _ => unsupported("a change of a part of a part"),
        }
    }

    /// Changes a value of a shape at an address.
    fn write_whole(&mut self, shape: &Shape, unset: bool, at: V, change: Change, val: Val) -> Result<()> {
        match shape {
            Shape::Scalar(of) => {
                let old = match change {
                    Change::Set => None,
                    _ => Some(self.load_scalar(*of, unset, at, 0)),
                };
                let word = self.updated_scalar(old, change, val, of.sort)?;
                let word = self.must_fit_place(word, *of)?;
                self.store_scalar(*of, word, at, 0);
                Ok(())
            }
            Shape::Bits(of) if of.words() <= REGISTERS => self.write_bits(*of, at, change, val),
            Shape::Bits(of) => self.write_memory_bits(*of, at, change, val),
            Shape::Counts(of) => self.write_counts(*of, at, change, val),
            Shape::List(length, of) => self.write_list(*length, *of, at, change, val),
            Shape::Keyed(shape) if change == Change::Set => self.write_keyed(*shape, at, val),
            Shape::Keyed(_) => unsupported("a grid or a map added to"),
            Shape::Pool(of) => self.write_pool(of, at, change, val),
            Shape::Cells(cells) => self.write_cells(cells, at, change, val),
            Shape::Parts(parts) => self.write_parts(parts, at, change, val),
            Shape::Sorted(of) => self.write_sorted(*of, at, change, val),
            Shape::Opaque => unsupported("a change of a value of a type that compiled code does not hold"),
        }
    }

    /// Returns the new value of a scalar.
    pub(in crate::jit) fn updated_scalar(
        &mut self,
        old: Option<Word>,
        change: Change,
        val: Val,
        sort: Sort,
    ) -> Result<Word> {
        use crate::ir::Arith;
        let word = self.word_as(val, sort)?;
        match (old, change) {
            (None, _) => Ok(word),
            (Some(old), Change::Plus | Change::Minus) => {
                let (old, word) = (self.require_some(old), self.require_some(word));
                self.arith(if change == Change::Plus { Arith::Add } else { Arith::Sub }, old, word)
            }
            _ => unsupported("a single value changed like a collection"),
        }
    }

    pub(in crate::jit) fn write_inside(
        &mut self,
        shape: &Shape,
        unset: bool,
        at: V,
        path: Word,
        change: Change,
        val: Val,
    ) -> Result<()> {
        let reads = change != Change::Set;
        match shape {
            Shape::Keyed(grid) => {
                let number = self.key_number(grid.keys, path);
                let head = grid.head(self.layout.squares);
                let place = self.entry_at(at, number, i64::from(grid.of.width()));
                if let Sort::Set(set) = grid.of.sort {
                    let place = self.b.ins().iadd_imm_s(place, i64::from(head));
                    return self.write_held_set(set, unset, place, change, val);
                }
                let old = (reads || grid.planes == Planes::All && grid.plane_count() > MAX_REWRITTEN_PLANES)
                    .then(|| self.load_scalar(grid.of, unset && !grid.of.optional, place, head));
                let word = self.updated_scalar(old.filter(|_| reads), change, val, grid.of.sort)?;
                let word = self.must_fit_place(word, grid.of)?;
                self.store_scalar(grid.of, word, place, head);
                if grid.planes != Planes::Off {
                    self.move_planes(*grid, at, path, old, word);
                }
                Ok(())
            }
            Shape::List(_, of) => {
                let Val::List(list) = self.in_place(shape, false, at)? else { return unsupported("a list") };
                let i = self.b.ins().iadd_imm_s(path.v, -1);
                let out = self.cmp(IntCC::UnsignedGreaterThanOrEqual, i, list.len);
                self.bail_out_if(out);
                if let Shape::List(Length::Exactly(n), _) = shape {
                    // A list that has lost elements no longer fits, whatever is written.
                    let short = self.cmp_imm(IntCC::NotEqual, list.len, *n);
                    self.bail_out_if(short);
                }
                let old = reads.then(|| self.element(list, i));
                let word = self.updated_scalar(old, change, val, of.sort)?;
                let word = self.must_fit_place(word, *of)?;
                let place = self.entry_at(list.at, i, i64::from(of.width()));
                self.store_scalar(*of, word, place, 0);
                Ok(())
            }
            _ => unsupported("a change of a part of a set or a bag"),
        }
    }

    /// Changes a set that is a value of a map or a grid.
    fn write_held_set(
        &mut self,
        set: SmallSet,
        unset: bool,
        place: V,
        change: Change,
        val: Val,
    ) -> Result<()> {
        if unset && change != Change::Set {
            let old = self.load64(place, 0);
            let is_unset = self.cmp_imm(IntCC::Equal, old, UNSET);
            self.bail_out_if(is_unset);
        }
        self.write_bits(set.elements(), place, change, val)
    }

    /// Moves a square's bit from the plane of its old value to that of the new one.
    pub(in crate::jit) fn move_planes(
        &mut self,
        grid: KeyedShape,
        at: V,
        square: Word,
        old: Option<Word>,
        new: Word,
    ) {
        let words = self.layout.squares.scalar().words();
        let bit = self.bit(square.v);
        let at = match words {
            1 => at,
            _ => {
                let number = self.b.ins().ushr_imm_s(square.v, 6);
                let offset = self.b.ins().ishl_imm_s(number, 3);
                self.b.ins().iadd(at, offset)
            }
        };
        if grid.planes == Planes::Empty {
            // There is one plane: set the bit if the new value is none.
            let plane = self.load64(at, 0);
            let none = self.cmp_imm(IntCC::Equal, new.v, NONE);
            let (with, without) = (self.b.ins().bor(plane, bit), self.b.ins().band_not(plane, bit));
            let next = self.b.ins().select(none, with, without);
            self.store64(next, at, 0);
            return;
        }
        let size = words as i64 * 8;
        let Some(old) = old.filter(|_| grid.plane_count() > MAX_REWRITTEN_PLANES) else {
            // There are few planes: write all of them, to avoid waiting for the old value.
            for plane in 0..grid.plane_count() {
                let optional = i64::from(grid.of.optional);
                let value = match plane {
                    0 if grid.of.optional => NONE,
                    _ => grid.of.lo + plane as i64 - optional,
                };
                let offset = plane as i32 * size as i32;
                let before = self.load64(at, offset);
                let without = self.b.ins().band_not(before, bit);
                let after = match new.known {
                    Some(known) if known == value => self.b.ins().bor(before, bit),
                    Some(_) => without,
                    None if value == NONE && !new.s.optional => without,
                    None => {
                        let is = self.cmp_imm(IntCC::Equal, new.v, value);
                        let zero = self.int(0);
                        let set = self.b.ins().select(is, bit, zero);
                        self.b.ins().bor(without, set)
                    }
                };
                self.store64(after, at, offset);
            }
            return;
        };
        let plane_at = |this: &mut Self, word: Word| -> V {
            let first = i64::from(grid.of.optional) - grid.of.lo;
            let number = this.b.ins().iadd_imm_s(word.v, first);
            let number = match word.s.optional {
                false => number,
                true => {
                    let none = this.cmp_imm(IntCC::Equal, word.v, NONE);
                    let zero = this.int(0);
                    this.b.ins().select(none, zero, number)
                }
            };
            let offset = this.b.ins().imul_imm_s(number, size);
            this.b.ins().iadd(at, offset)
        };
        let from = plane_at(self, old);
        let plane = self.load64(from, 0);
        let without = self.b.ins().band_not(plane, bit);
        self.store64(without, from, 0);
        let to = plane_at(self, new);
        let plane = self.load64(to, 0);
        let with = self.b.ins().bor(plane, bit);
        self.store64(with, to, 0);
    }

    pub(in crate::jit) fn write_bits(&mut self, of: Scalar, at: V, change: Change, val: Val) -> Result<()> {
        let words = of.words();
        let old: Vec<V> = self.load_words(at, words);
        let new = match change {
            Change::Set => self.bits(val, of)?.words,
            Change::Join => {
                let more = self.bits(val, of)?.words;
                old.iter().zip(more).map(|(a, b)| self.b.ins().bor(*a, b)).collect()
            }
            Change::Insert => {
                let word = self.word_as(val, of.sort)?;
                let word = self.require_some(word);
                self.must_fit(word, of.lo, of.hi);
                let vars: Vec<Variable> = old.iter().map(|word| self.var(*word)).collect();
                self.set_bit(&vars, of, word.v);
                vars.iter().map(|var| self.b.use_var(*var)).collect()
            }
            Change::Remove => {
                let word = self.word_as(val, of.sort)?;
                let zero = self.int(0);
                if let ([old], false) = (old.as_slice(), word.s.optional)
                    && word.s.lo >= of.lo
                    && word.s.hi <= of.hi
                {
                    let at_bit = self.b.ins().iadd_imm_s(word.v, -of.lo);
                    let bit = self.bit(at_bit);
                    let new = self.b.ins().band_not(*old, bit);
                    self.store64(new, at, 0);
                    return Ok(());
                }
                let vars: Vec<Variable> = old.iter().map(|_| self.var(zero)).collect();
                let had = self.has_bit(&Bits { words: old.clone(), of }, word);
                let first = self.int(of.lo);
                let safe = self.b.ins().select(had, word.v, first);
                self.set_bit(&vars, of, safe);
                let had = self.b.ins().uextend(types::I64, had);
                let all = self.b.ins().ineg(had);
                let mut new = Vec::new();
                for (old, var) in old.iter().zip(&vars) {
                    let bit = self.b.use_var(*var);
                    let bit = self.b.ins().band(bit, all);
                    new.push(self.b.ins().band_not(*old, bit));
                }
                new
            }
            Change::Plus | Change::Minus => return unsupported("a set changed like a number"),
        };
        for (i, word) in new.into_iter().enumerate() {
            self.store64(word, at, i as i32 * 8);
        }
        Ok(())
    }

    pub(in crate::jit) fn write_memory_bits(
        &mut self,
        of: Scalar,
        at: V,
        change: Change,
        val: Val,
    ) -> Result<()> {
        match (change, val) {
            (Change::Set, Val::Const(value)) if crate::eval::elements(&value).is_empty() => {
                let zero = self.known(0, Scalar::int(-LIMIT, LIMIT));
                self.fill(at, of.words() as i64, Scalar::any_int(), zero)
            }
            (Change::Set | Change::Join, val) => {
                // The set may be part of its own new value.
                let val = match val {
                    Val::Opaque(_) | Val::Pool { .. } => {
                        return unsupported(format!("{} put into a large set", val.kind()));
                    }
                    val @ Val::MemoryBits { .. } => Val::List(self.elements_in_memory(val)?),
                    val => val,
                };
                if change == Change::Set {
                    let zero = self.known(0, Scalar::int(-LIMIT, LIMIT));
                    self.fill(at, of.words() as i64, Scalar::any_int(), zero)?;
                }
                self.each_value_in(val, |this, element| {
                    this.write_memory_bits(of, at, Change::Insert, element)
                })
            }
            (Change::Insert | Change::Remove, val) => {
                let word = self.word_as(val, of.sort)?;
                let word = self.require_some(word);
                self.must_fit(word, of.lo, of.hi);
                let from = self.b.ins().iadd_imm_s(word.v, -of.lo);
                let number = self.b.ins().ushr_imm_s(from, 6);
                let place = self.entry_at(at, number, 8);
                let bit = self.bit(from);
                let old = self.load64(place, 0);
                let new = match change {
                    Change::Insert => self.b.ins().bor(old, bit),
                    _ => self.b.ins().band_not(old, bit),
                };
                self.store64(new, place, 0);
                Ok(())
            }
            (_, other) => unsupported(format!("{} put into a large set", other.kind())),
        }
    }

    /// Fills memory with zeros; `bytes` is a multiple of four.
    pub fn zero(&mut self, at: V, bytes: i64) -> Result<()> {
        // Rows end at a multiple of four bytes, so half a word may be left.
        let zero = self.int(0);
        if bytes >= 8 {
            let words = bytes / 8;
            let (first, last) = (self.int(0), self.int(words - 1));
            self.each_int(first, last, Some(words), |this, i, _| {
                let place = this.entry_at(at, i, 8);
                this.store64(zero, place, 0);
                Ok(())
            })?;
        }
        if bytes % 8 != 0 {
            self.store_u(4, zero, at, i32::try_from(bytes / 8 * 8).unwrap_or(0));
        }
        Ok(())
    }

    /// Writes one value to `count` consecutive places.
    pub(in crate::jit) fn fill(&mut self, at: V, count: i64, of: Scalar, word: Word) -> Result<()> {
        let (first, last) = (self.int(0), self.int(count - 1));
        self.each_int(first, last, Some(count), |this, i, _| {
            let place = this.entry_at(at, i, i64::from(of.width()));
            this.store_scalar(of, word, place, 0);
            Ok(())
        })
    }

    /// Makes room for `bytes` bytes in the growing list at an address; returns its address, which may have
    /// changed.
    pub(in crate::jit) fn reserve(&mut self, at: V, bytes: V) -> Result<V> {
        let base = self.base();
        let handle = self.b.ins().isub(at, base);
        let capacity = self.load_u(4, at, 4);
        let room = self.b.ins().ishl_imm_s(capacity, 3);
        let short = self.cmp(IntCC::UnsignedLessThan, room, bytes);
        self.when(short, |this| {
            let ctx = this.ctx;
            let done = this.call("grow", &[ctx, handle, bytes])?;
            this.reload_base();
            let failed = this.cmp_imm(IntCC::Equal, done, 0);
            this.bail_out_if(failed);
            Ok(())
        })?;
        let base = self.base();
        Ok(self.b.ins().iadd(base, handle))
    }

    /// Returns the address of a growing list's elements.
    pub(in crate::jit) fn elements_at(&mut self, at: V) -> V {
        let block = self.load_u(4, at, 0);
        let offset = self.b.ins().ishl_imm_s(block, 3);
        let base = self.base();
        self.b.ins().iadd(base, offset)
    }

    /// Makes room for `len` elements in the list at an address. Returns the addresses of the list and of its
    /// first element.
    fn room_for(&mut self, length: Length, of: Scalar, at: V, len: V) -> Result<(V, V)> {
        if length != Length::Growing {
            return Ok((at, self.b.ins().iadd_imm_s(at, i64::from(position::list_head(of)))));
        }
        let bytes = self.b.ins().imul_imm_s(len, i64::from(of.width()));
        let bytes = self.b.ins().iadd_imm_s(bytes, 8);
        let at = self.reserve(at, bytes)?;
        Ok((at, self.elements_at(at)))
    }

    pub(in crate::jit) fn write_list(
        &mut self,
        length: Length,
        of: Scalar,
        at: V,
        change: Change,
        val: Val,
    ) -> Result<()> {
        let width = i64::from(of.width());
        let growing = length == Length::Growing;
        let set_len = |this: &mut Self, at: V, len: V| match growing {
            true => this.store64(len, at, 8),
            false if matches!(length, Length::Always(_)) => {}
            false => this.store_u(4, len, at, 0),
        };
        let fits = |this: &mut Self, len: V| match length {
            Length::Growing => {
                let out = this.cmp_imm(IntCC::UnsignedGreaterThan, len, crate::eval::MAX_ELEMENTS as i64);
                this.bail_out_if(out);
            }
            Length::AtMost(n) => {
                let out = this.cmp_imm(IntCC::UnsignedGreaterThan, len, n);
                this.bail_out_if(out);
            }
            Length::Exactly(n) | Length::Always(n) => {
                let out = this.cmp_imm(IntCC::NotEqual, len, n);
                this.bail_out_if(out);
            }
        };
        match change {
            Change::Set | Change::Join => {
                let mut list = self.list(val)?;
                // It may lie in the place that is written.
                if !list.immutable {
                    list = self.immutable_list(Val::List(list))?;
                }
                if common(list.of, of).is_none() && list.most != Some(0) {
                    return unsupported("a list of another sort");
                }
                let old = match change {
                    Change::Set => self.int(0),
                    _ if growing => self.load64(at, 8),
                    _ => self.load_u(4, at, 0),
                };
                let len = self.b.ins().iadd(old, list.len);
                fits(self, len);
                let (at, first) = self.room_for(length, of, at, len)?;
                let to = self.entry_at(first, old, width);
                if list.most != Some(0) {
                    self.copy_list(list, to, of.width(), of)?;
                }
                set_len(self, at, len);
                Ok(())
            }
            Change::Insert => {
                let word = self.word_as(val, of.sort)?;
                let word = self.must_fit_place(word, of)?;
                let old = if growing { self.load64(at, 8) } else { self.load_u(4, at, 0) };
                let len = self.b.ins().iadd_imm_s(old, 1);
                fits(self, len);
                let (at, first) = self.room_for(length, of, at, len)?;
                let to = self.entry_at(first, old, width);
                self.store_scalar(of, word, to, 0);
                set_len(self, at, len);
                Ok(())
            }
            Change::Remove => {
                let shape = Shape::List(length, of);
                let Val::List(list) = self.in_place(&shape, false, at)? else { return unsupported("a list") };
                let last = self.b.ins().iadd_imm_s(list.len, -1);
                let done = self.block();
                let word = self.word_as(val, of.sort)?;
                let found = self.find(list, last, word, done)?;
                self.close_gap(list, last, found)?;
                set_len(self, at, last);
                self.jump(done);
                self.switch_to(done);
                Ok(())
            }
            Change::Plus | Change::Minus => unsupported("a list changed like a number"),
        }
    }

    /// Returns the index (0-based) of the first element equal to a word, up to `last`; branches to `none` if
    /// there is none.
    fn find(&mut self, list: List, last: V, word: Word, none: Block) -> Result<V> {
        let (zero, hit) = (self.int(0), self.block());
        let mut found = zero;
        self.each_int(zero, last, list.most, |this, i, _| {
            let item = this.element(list, i);
            let same = this.cmp(IntCC::Equal, item.v, word.v);
            found = i;
            this.leave_if(same, hit);
            Ok(())
        })?;
        self.jump(none);
        self.switch_to(hit);
        Ok(found)
    }

    /// Removes an element (index 0-based) by moving those after it down. Moves whole words, because there is a spare
    /// word.
    fn close_gap(&mut self, list: List, last: V, found: V) -> Result<()> {
        let width = i64::from(list.width);
        let (from, end) = (self.b.ins().imul_imm_s(found, width), self.b.ins().imul_imm_s(last, width));
        let more = |this: &mut Self, [here]: [V; 1]| this.cmp(IntCC::SignedLessThan, here, end);
        self.repeat([from], list.most, more, |this, [here], _| {
            let spot = this.b.ins().iadd(list.at, here);
            let word = this.load64(spot, width as i32);
            this.store64(word, spot, 0);
            Ok([this.b.ins().iadd_imm_s(here, 8)])
        })?;
        Ok(())
    }
}

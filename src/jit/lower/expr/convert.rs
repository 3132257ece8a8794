//! Converts values to the forms in which they are used: words, lists in memory, small sets.

use crate::ir::{Expr, ExprKind, Slot, Type, Value as Known};
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::bits::bits_among;
use crate::jit::layout::kept::Kept;
use crate::jit::layout::position::occurring_at;
use crate::jit::layout::shape::{LIMIT, NONE, Scalar, Shape, Sort, scalar_of_type, to_word};
use crate::jit::layout::slots::{REGISTERS, SlotShape, range_of, within};
use crate::jit::layout::tuple::{TupleLayout, word_in};
use crate::jit::lower::expr::precomputed::elements_range;
use crate::jit::mir::{IntCC, Variable, types};
use crate::opt::{Fact, Scope};

impl Builder<'_> {
    // ---- conversions

    /// Converts a scalar to a sort. None takes the given sort.
    pub fn word_as(&mut self, val: Val, sort: Sort) -> Result<Word> {
        match (val, sort) {
            (val @ (Val::Word(_) | Val::Const(_) | Val::Tuple(_)), Sort::Tuple(row)) => {
                self.pack_as(row, val, true)
            }
            (Val::Const(Known::None), sort) => {
                let v = self.int(NONE);
                Ok(Word { v, s: Scalar { sort, lo: 0, hi: 0, optional: true }, known: Some(NONE) })
            }
            (Val::Word(word), Sort::Set(_)) => Ok(word),
            (val, sort @ Sort::Set(set)) => {
                let bits = self.bits(val, set.elements())?;
                let s = Scalar { sort, lo: 0, hi: set.most(), optional: false };
                Ok(Word { v: bits.words[0], s, known: None })
            }
            (val, sort) => {
                let word = self.word(val)?;
                self.convert_to_sort(word, sort, true)
            }
        }
    }

    /// Converts a value to a scalar of any sort.
    pub fn word(&mut self, val: Val) -> Result<Word> {
        match val {
            Val::Word(word) => Ok(word),
            Val::Tuple(parts) => self.word_of_tuple(parts),
            Val::Const(Known::None) => self.word_as(val, Sort::Int),
            Val::Const(Known::List(parts)) => {
                self.word_of_tuple(parts.iter().cloned().map(Val::Const).collect())
            }
            Val::Const(value) => {
                let Some(word) = to_word(&value, self.layout.squares) else {
                    return unsupported("a value that fits no word");
                };
                let Some(s) = range_of(&[value], self.layout.squares) else {
                    return unsupported("a value without a sort");
                };
                Ok(self.known(word, s))
            }
            other => unsupported(format!("{} where a single value belongs", other.kind())),
        }
    }

    /// Lowers an expression to a scalar.
    pub fn word_of(&mut self, e: &Expr) -> Result<Word> {
        if e.ty == Type::Bool
            && !matches!(e.kind, ExprKind::Local(_) | ExprKind::Table(_) | ExprKind::Own(..))
        {
            if let Some(Known::Bool(known)) = self.constant(e) {
                let s = Scalar { sort: Sort::Bool, lo: 0, hi: 1, optional: false };
                return Ok(self.known(i64::from(known), s));
            }
            let v = self.condition(e)?;
            return Ok(self.bool_word(v));
        }
        let sort = self.type_scalar(&e.ty).map_or(Sort::Int, |s| s.sort);
        let val = self.expr(e)?;
        self.word_as(val, sort)
    }

    /// Lowers an expression to a number; bails out if it is none.
    pub fn number_of(&mut self, e: &Expr) -> Result<Word> {
        let word = self.word_of(e)?;
        Ok(self.require_some(word))
    }

    /// Lowers an expression to a player.
    pub fn player_of(&mut self, e: &Expr) -> Result<Word> {
        let val = self.expr(e)?;
        let word = self.word_as(val, Sort::Player)?;
        let word = self.require_some(word);
        let all = self.layout.players as i64 - 1;
        self.must_fit(word, 0, all);
        Ok(Word { s: Scalar { lo: word.s.lo.max(0), hi: word.s.hi.min(all), ..word.s }, ..word })
    }

    /// Returns the scalar that holds the values of a type; `None` if they do not fit a word.
    pub fn type_scalar(&self, ty: &Type) -> Option<Scalar> {
        scalar_of_type(ty, self.layout.players, self.layout.squares)
    }

    /// Returns the values that the elements of a collection may have: those of their type, within the range that is
    /// known of numbers, and without none where that is known; `None` if they do not fit a word.
    pub fn element_universe(&self, e: &Expr) -> Option<Scalar> {
        let of = self.type_scalar(&e.ty.element()?)?;
        if !matches!(of.sort, Sort::Int | Sort::Tuple(_)) && !of.optional {
            return Some(of);
        }
        let mut scope = Scope::default();
        for slot in crate::ir::free_slots(e) {
            if let Some(fact) = self.fact_of_slot(slot) {
                scope.insert(slot, fact);
            }
        }
        let known = self.facts.of(e, &scope).element_fact();
        Some(narrowed(Scalar { optional: of.optional && known.optional, ..of }, &known))
    }

    /// Returns what is known of a local value.
    pub fn fact_of_slot(&self, slot: Slot) -> Option<Fact> {
        let of_elements = |of: Scalar| Some(Fact::collection(0, i128::from(i64::MAX), fact_of_word(of)?));
        match self.locals.bound.get(&slot) {
            Some(Val::Const(value)) => Some(self.facts.of_value(value)),
            Some(Val::Word(word)) => fact_of_word(word.s),
            Some(Val::List(list)) => {
                let of = fact_of_kept(&self.kept_form(list.of))?;
                Some(Fact::collection(0, i128::from(i64::MAX), of))
            }
            Some(val) => of_elements(self.element_scalar(val)?),
            None => match self.vars.get(&slot)?.shape {
                SlotShape::Word(of) => fact_of_word(of),
                SlotShape::Bits(of) | SlotShape::Members(of) => of_elements(of),
                SlotShape::List(of) | SlotShape::Set(of) | SlotShape::Bag(of) => of_elements(of),
                _ => None,
            },
        }
    }

    /// Converts a value to a list in memory, with the elements of a bag in any order.
    pub fn unordered_list(&mut self, val: Val) -> Result<List> {
        match val {
            Val::BagOfList(list) => Ok(list),
            val => self.list(val),
        }
    }

    /// Converts a value to a list in memory.
    pub fn list(&mut self, val: Val) -> Result<List> {
        match val {
            Val::BagOfList(list) => self.sorted(list),
            val @ (Val::MemoryBits { .. } | Val::Counts { .. } | Val::Keyed { .. }) => {
                self.elements_in_memory(val)
            }
            Val::List(list) if list.is_of_kept() => {
                unsupported("large values where a list of single ones belongs")
            }
            Val::List(list) => Ok(list),
            Val::Const(value) => {
                let items = crate::eval::elements(&value);
                let squares = self.layout.squares;
                let of = match elements_range(&items, squares) {
                    Some(of) => of,
                    None if items.is_empty() => Scalar::int(0, 0),
                    None => return unsupported("a list whose elements fit no word"),
                };
                let words: Option<Vec<i64>> =
                    items.iter().map(|item| word_in(item, of.sort, squares)).collect();
                let Some(words) = words else { return unsupported("a list whose elements fit no word") };
                let len = words.len() as i64;
                let at = self.static_row(words);
                let len_v = self.int(len);
                Ok(List { at, len: len_v, width: 8, of, most: Some(len), exact: Some(len), immutable: true })
            }
            Val::Members(bits) | Val::Bits(bits) => self.listed_bits(&bits),
            Val::Picked { at, shape, places, .. } => {
                let places = self.list(Val::Const(places))?;
                self.picked(&Val::Keyed { at, shape, unset: false }, places)
            }
            Val::Span(lo, hi) => {
                let len = self.span_len(lo, hi);
                self.must_be_short(len);
                let bytes = self.b.ins().ishl_imm_s(len, 3);
                let words = self.words_in_scratch(bytes);
                let most = hi.s.hi.saturating_sub(lo.s.lo).saturating_add(1).clamp(0, LIMIT);
                self.each_int(lo.v, hi.v, Some(most), |this, i, _| {
                    this.append(words, i);
                    Ok(())
                })?;
                let of = Scalar::int(lo.s.lo, hi.s.hi.max(lo.s.lo));
                Ok(List::immutable(words.at, len, of, Some(most)))
            }
            Val::Pool { handle, of: of @ Shape::Scalar(_) } => {
                let all = self.pool_elements(handle, &of)?;
                self.list(all)
            }
            other => unsupported(format!("{} where a list belongs", other.kind())),
        }
    }

    /// Converts a value to a list in memory, of whatever values.
    pub fn any_list(&mut self, val: Val) -> Result<List> {
        if let Val::List(list) = val { Ok(list) } else { self.list(val) }
    }

    /// Bails out if a length is too large for scratch memory, before it is converted to bytes.
    pub fn must_be_short(&mut self, len: V) {
        let long = self.cmp_imm(IntCC::UnsignedGreaterThan, len, 1 << 32);
        self.bail_out_if(long);
    }

    /// Bails out if a span has more integers than the reference lists.
    pub fn must_be_listable(&mut self, low: Word, high: Word) {
        let most = crate::eval::MAX_ELEMENTS as i64;
        if high.s.hi.saturating_sub(low.s.lo) >= most {
            let len = self.span_len(low, high);
            let long = self.cmp_imm(IntCC::SignedGreaterThan, len, most);
            self.bail_out_if(long);
        }
    }

    /// Returns the number of integers in a span.
    pub fn span_len(&mut self, lo: Word, hi: Word) -> V {
        if hi.s.hi.saturating_sub(lo.s.lo) == i64::MAX {
            let (_, over) = self.b.ins().ssub_overflow(hi.v, lo.v);
            self.bail_out_if(over);
        }
        let n = match lo.known {
            Some(1) => hi.v,
            Some(lo) => self.b.ins().iadd_imm_s(hi.v, 1 - lo),
            None => {
                let gap = self.b.ins().isub(hi.v, lo.v);
                self.b.ins().iadd_imm_s(gap, 1)
            }
        };
        if hi.s.lo >= lo.s.hi - 1 {
            return n;
        }
        let zero = self.int(0);
        self.b.ins().smax(n, zero)
    }

    pub(in crate::jit) fn listed_bits(&mut self, bits: &Bits) -> Result<List> {
        let len = self.popcount(bits);
        let most = bits.of.size();
        let room = self.int(most * 8);
        let words = self.words_in_scratch(room);
        let lo = bits.of.lo;
        self.each_bit(&bits.words, Some(most), |this, bit, _| {
            let word = this.b.ins().iadd_imm_s(bit, lo);
            this.append(words, word);
            Ok(())
        })?;
        Ok(List::immutable(words.at, len, bits.of, Some(most)))
    }

    /// Converts a value to a list of eight-byte elements that nothing changes.
    pub fn immutable_list(&mut self, val: Val) -> Result<List> {
        let list = self.any_list(val)?;
        if list.immutable && list.width == 8 {
            return Ok(list);
        }
        let bytes = self.b.ins().ishl_imm_s(list.len, 3);
        let at = self.scratch(bytes);
        self.copy_list(list, at, 8, list.of)?;
        Ok(List { at, width: 8, immutable: true, ..list })
    }

    /// Copies a list's elements to an address, possibly with another width. Bails out if an element does not
    /// fit `of`.
    pub fn copy_list(&mut self, list: List, to: V, width: u32, of: Scalar) -> Result<()> {
        self.each_index(list, |this, i, _| {
            let word = this.element(list, i);
            let word = this.must_fit_place(word, of)?;
            let place = this.entry_at(to, i, i64::from(width));
            this.store_scalar(Scalar { lo: width_lo(width), hi: width_hi(width), ..of }, word, place, 0);
            Ok(())
        })
    }

    /// Returns element `i` (0-based) of a list, which must exist.
    pub fn element(&mut self, list: List, i: V) -> Word {
        let shift = i64::from(list.width.trailing_zeros());
        let offset = if shift == 0 { i } else { self.b.ins().ishl_imm_s(i, shift) };
        let place = self.b.ins().iadd(list.at, offset);
        self.load_as(list.of, list.width, place)
    }

    /// Loads a value stored with a width other than that of its range.
    pub fn load_as(&mut self, of: Scalar, width: u32, place: V) -> Word {
        let stored = Scalar { lo: width_lo(width).max(of.lo), hi: width_hi(width).min(of.hi), ..of };
        if stored.width() == width {
            let word = self.load_scalar(stored, false, place, 0);
            return Word { s: of, ..word };
        }
        let wide = Scalar { lo: width_lo(width), hi: width_hi(width), ..of };
        let word = self.load_scalar(wide, false, place, 0);
        Word { s: of, ..word }
    }

    /// Returns a word of which so many of the lowest bits are set: none if the number is negative, all from 64 on.
    fn lowest_bits(&mut self, count: V) -> V {
        let zero = self.int(0);
        let some = self.b.ins().smax(count, zero);
        let one = self.int(1);
        let bit = self.b.ins().ishl(one, some);
        let below = self.b.ins().iadd_imm_s(bit, -1);
        let all = self.cmp_imm(IntCC::SignedGreaterThanOrEqual, some, 64);
        let ones = self.int(-1);
        self.b.ins().select(all, ones, below)
    }

    /// Converts a value to a small set over the universe `of`.
    pub fn bits(&mut self, val: Val, of: Scalar) -> Result<Bits> {
        if of.words() > REGISTERS {
            return unsupported("a set with too many possible elements for this");
        }
        if of.optional {
            return unsupported("a set in which none may be, for this");
        }
        match val {
            Val::Bits(bits) | Val::Members(bits) if bits.of.sort != of.sort => {
                let list = self.listed_bits(&bits)?;
                self.bits(Val::List(list), of)
            }
            Val::Bits(bits) | Val::Members(bits) => Ok(self.rebased(bits, of)),
            Val::Const(value) => {
                let items = crate::eval::elements(&value);
                let Some(words) = bits_among(&items, of, self.layout.squares) else {
                    return unsupported("a set with elements outside the universe");
                };
                let words = self.static_bits(&words);
                Ok(Bits { words, of })
            }
            Val::MemoryBits { at, of: universe } if universe == of => {
                let words = self.load_words(at, of.words());
                Ok(Bits { words, of })
            }
            Val::Span(lo, hi) => {
                self.must_fit_span(lo, hi, of);
                let words = (0..of.words() as i64).map(|i| {
                    let from = self.b.ins().iadd_imm_s(lo.v, -of.lo - 64 * i);
                    let to = self.b.ins().iadd_imm_s(hi.v, 1 - of.lo - 64 * i);
                    let (before, until) = (self.lowest_bits(from), self.lowest_bits(to));
                    self.b.ins().band_not(until, before)
                });
                Ok(Bits { words: words.collect(), of })
            }
            Val::List(list) => {
                let zero = self.int(0);
                let vars: Vec<Variable> = (0..of.words()).map(|_| self.var(zero)).collect();
                self.each_below(list.len, list.most, |this, i, _| {
                    let word = this.element(list, i);
                    let word = this.must_fit_place(word, of)?;
                    this.set_bit(&vars, of, word.v);
                    Ok(())
                })?;
                Ok(Bits { words: vars.iter().map(|var| self.b.use_var(*var)).collect(), of })
            }
            other => unsupported(format!("{} where a small set belongs", other.kind())),
        }
    }

    /// Converts a set to bits, and also returns whether it contains none, if it may.
    pub(in crate::jit) fn bits_and_none(&mut self, val: Val, of: Scalar) -> Result<(Bits, Option<V>)> {
        let list = match val {
            Val::List(list) if list.of.optional => list,
            val => return Ok((self.bits(val, of)?, None)),
        };
        let zero = self.int(0);
        let vars: Vec<Variable> = (0..of.words()).map(|_| self.var(zero)).collect();
        let no = self.b.ins().iconst(types::I8, 0);
        let any_none = self.var(no);
        self.each_item(list, |this, item, _| {
            let is_none = this.cmp_imm(IntCC::Equal, item.v, NONE);
            let (none, some, next) = (this.block(), this.block(), this.block());
            this.branch_on(is_none, none, some);
            this.switch_to(none);
            let yes = this.b.ins().iconst(types::I8, 1);
            this.b.def_var(any_none, yes);
            this.jump(next);
            this.switch_to(some);
            let item = Word { s: Scalar { optional: false, ..item.s }, ..item };
            let item = this.must_fit_place(item, of)?;
            this.set_bit(&vars, of, item.v);
            this.jump(next);
            this.switch_to(next);
            Ok(())
        })?;
        let words = vars.iter().map(|var| self.b.use_var(*var)).collect();
        Ok((Bits { words, of }, Some(self.b.use_var(any_none))))
    }

    pub(in crate::jit) fn must_fit_span(&mut self, lo: Word, hi: Word, of: Scalar) {
        // An empty span fits everywhere.
        let empty = self.cmp(IntCC::SignedGreaterThan, lo.v, hi.v);
        let low = self.int(of.lo);
        let (a, b) = (self.b.ins().select(empty, low, lo.v), self.b.ins().select(empty, low, hi.v));
        self.must_fit(Word { v: a, ..lo }, of.lo, of.hi);
        self.must_fit(Word { v: b, ..hi }, of.lo, of.hi);
    }

    /// Sets bit `place` of a word in a variable, if a one-byte condition holds.
    pub fn set_bit_if(&mut self, holds: V, var: Variable, place: V) {
        let one = self.b.ins().uextend(types::I64, holds);
        let bit = self.b.ins().ishl(one, place);
        let old = self.b.use_var(var);
        let new = self.b.ins().bor(old, bit);
        self.b.def_var(var, new);
    }

    /// Inserts an element, which must be in the universe, into a set kept in variables.
    pub fn set_bit(&mut self, vars: &[Variable], of: Scalar, word: V) {
        let bits = self.singleton_bits(of, word);
        for (var, bit) in vars.iter().zip(bits) {
            let old = self.b.use_var(*var);
            let new = self.b.ins().bor(old, bit);
            self.b.def_var(*var, new);
        }
    }

    /// Returns the elements that occur in a bag that is kept as counts.
    pub(in crate::jit) fn counted_bits(&mut self, at: V, of: Scalar) -> Bits {
        let first = occurring_at(of);
        Bits { words: (0..of.words()).map(|i| self.load64(at, first + 8 * i as i32)).collect(), of }
    }

    /// Returns the words of the set of one element if that is in the universe, and otherwise of the empty set.
    pub(in crate::jit) fn bits_of_word(&mut self, of: Scalar, word: Word) -> Vec<V> {
        if !word.s.optional && of.lo <= word.s.lo && word.s.hi <= of.hi {
            return self.singleton_bits(of, word.v);
        }
        let zero = self.int(0);
        let at = self.b.ins().iadd_imm_s(word.v, -of.lo);
        let inside = self.cmp_imm(IntCC::UnsignedLessThanOrEqual, at, of.hi - of.lo);
        let lo = self.int(of.lo);
        let element = self.b.ins().select(inside, word.v, lo);
        let bits = self.singleton_bits(of, element);
        bits.into_iter().map(|bits| self.b.ins().select(inside, bits, zero)).collect()
    }

    /// Returns the words of the set of one element, which must be in the universe.
    pub(in crate::jit) fn singleton_bits(&mut self, of: Scalar, word: V) -> Vec<V> {
        let at = if of.lo == 0 { word } else { self.b.ins().iadd_imm_s(word, -of.lo) };
        let bit = self.bit(at);
        if of.words() == 1 {
            return vec![bit];
        }
        let number = self.b.ins().ushr_imm_s(at, 6);
        let zero = self.int(0);
        let words = (0..of.words()).map(|i| {
            let here = self.cmp_imm(IntCC::Equal, number, i as i64);
            self.b.ins().select(here, bit, zero)
        });
        words.collect()
    }

    /// Converts a set to another universe of the same sort; bails out if an element is not in it.
    pub(in crate::jit) fn rebased(&mut self, bits: Bits, of: Scalar) -> Bits {
        if bits.of.lo < of.lo || bits.of.hi > of.hi {
            let mut beyond = self.int(0);
            for (word, inside) in bits.words.iter().zip(inside_mask(bits.of, of)) {
                let over = self.b.ins().band_imm_s(*word, !inside as i64);
                beyond = self.b.ins().bor(beyond, over);
            }
            let out = self.cmp_imm(IntCC::NotEqual, beyond, 0);
            self.bail_out_if(out);
        }
        self.renumbered(bits, of)
    }

    /// Returns the elements of a set that belong to another universe of the same sort, as a set over that universe.
    pub(in crate::jit) fn restricted(&mut self, mut bits: Bits, of: Scalar) -> Bits {
        if bits.of.lo < of.lo || bits.of.hi > of.hi {
            for (word, inside) in bits.words.iter_mut().zip(inside_mask(bits.of, of)) {
                *word = self.b.ins().band_imm_s(*word, inside as i64);
            }
        }
        self.renumbered(bits, of)
    }

    /// Moves the bits of a set to their places in another universe of the same sort, which has all its elements.
    fn renumbered(&mut self, bits: Bits, of: Scalar) -> Bits {
        let (mut words, zero) = (bits.words, self.int(0));
        words.resize(words.len().max(of.words()), zero);
        words = match bits.of.lo.saturating_sub(of.lo) {
            0 => words,
            by @ 1.. => self.shift_up(&words, by),
            by => self.shift_down(&words, by.saturating_neg()),
        };
        words.truncate(of.words());
        Bits { words, of }
    }

    /// Returns the elements of a collection known at compile time that belong to a universe, as a set over it.
    pub(in crate::jit) fn known_restricted(&mut self, collection: &Known, of: Scalar) -> Bits {
        let squares = self.layout.squares;
        let mut items = crate::eval::elements(collection);
        items.retain(|item| {
            word_in(item, of.sort, squares).is_some_and(|word| (of.lo..=of.hi).contains(&word))
        });
        let words = bits_among(&items, of, squares).unwrap_or_else(|| vec![0; of.words()]);
        Bits { words: self.static_bits(&words), of }
    }

    /// Returns the number of elements of a set.
    pub fn popcount(&mut self, bits: &Bits) -> V {
        let counts: Vec<V> = bits.words.iter().map(|word| self.b.ins().popcnt(*word)).collect();
        counts.into_iter().reduce(|a, b| self.b.ins().iadd(a, b)).unwrap_or_else(|| self.int(0))
    }

    /// Returns whether two sets over one universe are equal.
    pub fn same_bits(&mut self, a: &[V], b: &[V]) -> V {
        let mut apart = self.int(0);
        for (a, b) in a.iter().zip(b) {
            let differ = self.b.ins().bxor(*a, *b);
            apart = self.b.ins().bor(apart, differ);
        }
        self.cmp_imm(IntCC::Equal, apart, 0)
    }

    /// Returns whether any bit is set.
    pub fn any_bit(&mut self, bits: &Bits) -> V {
        let all = bits.words.clone().into_iter().reduce(|a, b| self.b.ins().bor(a, b));
        let all = all.unwrap_or_else(|| self.int(0));
        self.cmp_imm(IntCC::NotEqual, all, 0)
    }

    /// Returns whether a word is in a small set.
    pub fn has_bit(&mut self, bits: &Bits, word: Word) -> V {
        let at = if bits.of.lo == 0 { word.v } else { self.b.ins().iadd_imm_s(word.v, -bits.of.lo) };
        let inside = word.s.lo >= bits.of.lo && word.s.hi <= bits.of.hi && !word.s.optional;
        let mut chosen = bits.words[0];
        if bits.words.len() > 1 {
            let number = self.b.ins().ushr_imm_s(at, 6);
            for (i, other) in bits.words.iter().enumerate().skip(1) {
                let here = self.cmp_imm(IntCC::Equal, number, i as i64);
                chosen = self.b.ins().select(here, *other, chosen);
            }
        }
        let moved = self.b.ins().ushr(chosen, at);
        let bit = self.b.ins().band_imm_s(moved, 1);
        let set = self.cmp_imm(IntCC::NotEqual, bit, 0);
        if inside {
            return set;
        }
        let there = self.cmp_imm(IntCC::UnsignedLessThan, at, bits.of.size());
        self.b.ins().band(set, there)
    }
}

/// Returns the mask of those bits of a set over the universe `from` whose elements belong to the universe `of`.
fn inside_mask(from: Scalar, of: Scalar) -> impl Iterator<Item = u64> {
    // The bits before the first element inside, and up to the last.
    let before = of.lo.saturating_sub(from.lo).clamp(0, from.size());
    let up_to = of.hi.saturating_sub(from.lo).saturating_add(1).clamp(before, from.size().max(before));
    (0..from.words()).map(move |i| mask_word(up_to, i) & !mask_word(before, i))
}

/// Returns word `i` of the mask of the first `size` bits.
pub fn mask_word(size: i64, i: usize) -> u64 {
    let left = size - i as i64 * 64;
    match left {
        64.. => u64::MAX,
        1..64 => (1u64 << left) - 1,
        _ => 0,
    }
}

pub fn width_lo(width: u32) -> i64 {
    if width == 8 { -LIMIT } else { -(1i64 << (width * 8 - 1)) + 2 }
}

pub fn width_hi(width: u32) -> i64 {
    if width == 8 { LIMIT } else { (1i64 << (width * 8 - 1)) - 1 }
}

/// Returns what is known of the values that a scalar stands for: the range of integers, and of those in tuples.
pub(in crate::jit) fn fact_of_word(of: Scalar) -> Option<Fact> {
    match of.sort {
        _ if of.optional => None,
        Sort::Int => Some(Fact::int(of.lo.into(), of.hi.into())),
        Sort::Tuple(layout) => {
            let parts = layout.parts().into_iter();
            Some(Fact::tuple(parts.map(|part| fact_of_word(part).unwrap_or_default())))
        }
        _ => None,
    }
}

/// Returns the part of a domain of values that what is known of them leaves.
fn narrowed(of: Scalar, known: &Fact) -> Scalar {
    let Sort::Tuple(layout) = of.sort else { return within(of, known) };
    let parts: Vec<Scalar> = layout
        .parts()
        .into_iter()
        .enumerate()
        .map(|(at, part)| narrowed(part, &known.part_fact(at)))
        .collect();
    let narrow = TupleLayout::of(&parts);
    narrow.map_or(of, |narrow| Scalar { optional: of.optional, ..narrow })
}

/// Returns what is known of kept values.
fn fact_of_kept(of: &Kept) -> Option<Fact> {
    match of {
        Kept::Word(of) => fact_of_word(*of),
        Kept::Tuple(parts) => {
            Some(Fact::tuple(parts.iter().map(|part| fact_of_kept(part).unwrap_or_default())))
        }
        _ => None,
    }
}

//! Expressions: from the tree to words, bits and lists.

use cranelift::prelude::*;

use super::generate::{Gen, Locals, Nope, R, V, nope};
use super::layout;
use super::shape::{LIMIT, Length, NONE, Scalar, Shape, Sort, scalar_of_type, to_word};
use super::slots::{REGISTERS, SlotShape, range_of};
use super::table;
use super::value::{Bits, List, Val, Word};
use crate::ir::{
    Arith, Compare, Domain, Expr, ExprKind, Lambda, Scoring, Slot, StateId, Type, Value as Known,
};

impl Gen<'_> {
    // ---- known values

    /// The value of an expression that can be worked out now.
    pub fn constant(&mut self, e: &Expr) -> Option<Known> {
        match &e.kind {
            ExprKind::Value(value) => return Some(value.clone()),
            ExprKind::Option(id) => return Some(self.machine.setup.options[*id].clone()),
            ExprKind::Constant(id) => return Some(self.machine.setup.constants[*id].clone()),
            ExprKind::Local(slot) => return self.known_local(*slot),
            ExprKind::Standing if self.layout.all_in => {
                return Some(Known::list((0..self.layout.players).map(Known::Player).collect()));
            }
            ExprKind::Text(_) => return None,
            _ => {}
        }
        let unchanging = table::unchanging(self.machine, e, &mut |slot| self.is_known(slot));
        if !unchanging {
            return None;
        }
        let mut frame = self.known_frame(e);
        let machine = self.machine;
        let value = machine.ask(self.blank, |env| env.eval(e, &mut frame)).ok()?;
        Some(value)
    }

    fn known_local(&self, slot: Slot) -> Option<Known> {
        match self.locals.bound.get(&slot) {
            Some(Val::Const(value)) => Some(value.clone()),
            Some(Val::Word(Word { known: Some(n), s, .. })) => {
                Some(super::shape::from_word(s.sort, *n, self.layout.squares))
            }
            _ => None,
        }
    }

    /// Whether a local value is known.
    pub fn is_known(&self, slot: Slot) -> bool {
        self.known_local(slot).is_some()
    }

    /// A frame for the reference with the local values that are known.
    pub fn known_frame(&self, e: &Expr) -> Vec<Known> {
        self.known_frame_up_to(table::highest_slot(self.machine, e))
    }

    /// The same, with so many slots.
    pub fn known_frame_up_to(&self, highest: Slot) -> Vec<Known> {
        let known = |slot: Slot| self.known_local(slot).unwrap_or(Known::Unset);
        (0..=highest).map(known).collect()
    }

    /// An unchanging expression of few small local values, from a table that the reference fills.
    pub fn tabulated(&mut self, e: &Expr) -> R<Option<Val>> {
        let Some((slots, index, results)) = self.table_of(e)? else { return Ok(None) };
        let _ = slots;
        // Words: one row. Lists: addresses and lengths.
        let scalars: Option<Vec<i64>> = results
            .iter()
            .map(|value| {
                value.as_ref().map_or(Some(super::shape::UNSET), |value| to_word(value, self.layout.squares))
            })
            .collect();
        let failing = results.iter().any(Option::is_none);
        let there: Vec<Known> = results.iter().flatten().cloned().collect();
        if let Some(row) = scalars {
            let s = match range_of(&there, self.layout.squares) {
                Some(s) => s,
                None => return Ok(None),
            };
            let at = self.static_row(row);
            let offset = self.b.ins().ishl_imm(index, 3);
            let place = self.b.ins().iadd(at, offset);
            let v = self.load64(place, 0);
            if failing {
                let fails = self.cmp_imm(IntCC::Equal, v, super::shape::UNSET);
                self.give_up_if(fails);
            }
            return Ok(Some(Val::Word(Word { v, s, known: None })));
        }
        if !matches!(e.ty, Type::List(_)) || failing {
            return Ok(None);
        }
        let elements: Vec<Known> = there.iter().flat_map(crate::eval::elements).collect();
        if let Some(ends) = spans(&there) {
            let row = ends.iter().flat_map(|(lo, hi)| [*lo, *hi]).collect();
            let at = self.static_row(row);
            let offset = self.b.ins().ishl_imm(index, 4);
            let place = self.b.ins().iadd(at, offset);
            let least = ends.iter().map(|(lo, _)| *lo).min().unwrap_or(1);
            let most = ends.iter().map(|(_, hi)| *hi).max().unwrap_or(0);
            let (lo, hi) = (self.load64(place, 0), self.load64(place, 8));
            return Ok(Some(Val::Span(Gen::ranged(lo, least, most), Gen::ranged(hi, least - 1, most))));
        }
        let Some(of) = range_of(&elements, self.layout.squares) else { return Ok(None) };
        let most = there.iter().map(|list| crate::eval::elements(list).len() as i64).max();
        let mut row = Vec::new();
        for list in &there {
            let words: Option<Vec<i64>> =
                crate::eval::elements(list).iter().map(|item| to_word(item, self.layout.squares)).collect();
            let Some(words) = words else { return Ok(None) };
            row.push(self.data.row(words.iter().copied().cycle().take(ringed(words.len())).collect()));
            row.push(words.len() as i64);
        }
        let at = self.static_row(row);
        let offset = self.b.ins().ishl_imm(index, 4);
        let place = self.b.ins().iadd(at, offset);
        let (at, len) = (self.load64(place, 0), self.load64(place, 8));
        Ok(Some(Val::List(List { at, len, width: 8, of, most, exact: None, ring: true, still: true })))
    }

    /// The table of an expression's values: its slots, the index for their present values, the values by index.
    #[allow(clippy::type_complexity)]
    pub fn table_of(&mut self, e: &Expr) -> R<Option<(Vec<Slot>, V, Vec<Option<Known>>)>> {
        const MOST: i64 = 1 << 12;
        if matches!(e.kind, ExprKind::Local(_)) || table::weight(self.machine, e) < 7 {
            return Ok(None);
        }
        let free = table::free_slots(e);
        let mut words: Vec<(Slot, Word)> = Vec::new();
        let mut size = 1i64;
        for slot in &free {
            if self.is_known(*slot) {
                continue;
            }
            let Ok(Val::Word(word)) = self.local(*slot) else { return Ok(None) };
            if word.s.optional {
                return Ok(None);
            }
            size = size.saturating_mul(word.s.size());
            words.push((*slot, word));
        }
        if words.is_empty() || size > MOST {
            return Ok(None);
        }
        if !table::unchanging(self.machine, e, &mut |slot| free.contains(&slot)) {
            return Ok(None);
        }
        let mut frame = self.known_frame(e);
        let mut results = Vec::new();
        for n in 0..size {
            let mut rest = n;
            for (slot, word) in words.iter().rev() {
                let value = word.s.lo + rest % word.s.size();
                rest /= word.s.size();
                frame[*slot] = super::shape::from_word(word.s.sort, value, self.layout.squares);
            }
            let mut frame = frame.clone();
            results.push(self.machine.ask(self.blank, |env| env.eval(e, &mut frame)).ok());
        }
        let mut index = self.int(0);
        for (at, (_, word)) in words.iter().enumerate() {
            let digit = match word.s.lo {
                0 => word.v,
                lo => self.b.ins().iadd_imm(word.v, -lo),
            };
            index = match at {
                0 => digit,
                _ => {
                    let up = self.b.ins().imul_imm(index, word.s.size());
                    self.b.ins().iadd(up, digit)
                }
            };
        }
        Ok(Some((words.into_iter().map(|(slot, _)| slot).collect(), index, results)))
    }

    /// A static row of words: its address.
    pub fn static_row(&mut self, words: Vec<i64>) -> V {
        let at = self.data.row(words);
        self.int(at)
    }

    // ---- the shapes that values are wanted in

    /// A scalar. None takes the sort that is wanted.
    pub fn word_as(&mut self, val: Val, sort: Sort) -> R<Word> {
        match val {
            Val::Word(word) => Ok(word),
            Val::Const(Known::None) => {
                let v = self.int(NONE);
                Ok(Word { v, s: Scalar { sort, lo: 0, hi: 0, optional: true }, known: Some(NONE) })
            }
            Val::Const(value) => {
                let Some(word) = to_word(&value, self.layout.squares) else {
                    return nope("a value that fits no word");
                };
                let Some(s) = range_of(&[value], self.layout.squares) else {
                    return nope("a value without a sort");
                };
                Ok(self.known(word, s))
            }
            other => nope(format!("{} where a single value belongs", other.kind())),
        }
    }

    /// A scalar.
    pub fn word(&mut self, val: Val) -> R<Word> {
        self.word_as(val, Sort::Int)
    }

    /// The scalar of an expression.
    pub fn word_of(&mut self, e: &Expr) -> R<Word> {
        if e.ty == Type::Bool
            && !matches!(e.kind, ExprKind::Local(_) | ExprKind::Table(_) | ExprKind::Own(..))
        {
            if let Some(Known::Bool(known)) = self.constant(e) {
                let s = Scalar { sort: Sort::Bool, lo: 0, hi: 1, optional: false };
                return Ok(self.known(i64::from(known), s));
            }
            let v = self.truth(e)?;
            return Ok(self.truth_word(v));
        }
        let sort = self.type_scalar(&e.ty).map_or(Sort::Int, |s| s.sort);
        let val = self.expr(e)?;
        self.word_as(val, sort)
    }

    /// The number of an expression: never none.
    pub fn number_of(&mut self, e: &Expr) -> R<Word> {
        let word = self.word_of(e)?;
        Ok(self.some(word))
    }

    /// The player of an expression.
    pub fn player_of(&mut self, e: &Expr) -> R<Word> {
        let val = self.expr(e)?;
        let word = self.word_as(val, Sort::Player)?;
        let word = self.some(word);
        let all = self.layout.players as i64 - 1;
        self.must_fit(word, 0, all);
        Ok(Word { s: Scalar { lo: word.s.lo.max(0), hi: word.s.hi.min(all), ..word.s }, ..word })
    }

    /// The scalars of a type.
    pub fn type_scalar(&self, ty: &Type) -> Option<Scalar> {
        scalar_of_type(ty, self.layout.players, self.layout.squares)
    }

    /// A list in memory.
    pub fn list(&mut self, val: Val) -> R<List> {
        match val {
            Val::List(list) => Ok(list),
            Val::Const(value) => {
                let items = crate::eval::elements(&value);
                let words: Option<Vec<i64>> =
                    items.iter().map(|item| to_word(item, self.layout.squares)).collect();
                let Some(words) = words else { return nope("a list whose elements fit no word") };
                let of = match range_of(&items, self.layout.squares) {
                    Some(of) => of,
                    None if items.is_empty() => Scalar::int(0, 0),
                    None => return nope("a list of nothing but none"),
                };
                let len = words.len() as i64;
                let at = self.static_row(words);
                let len_v = self.int(len);
                Ok(List {
                    at,
                    len: len_v,
                    width: 8,
                    of,
                    most: Some(len),
                    exact: Some(len),
                    ring: false,
                    still: true,
                })
            }
            Val::Members(bits) | Val::Bits(bits) => self.listed_bits(&bits),
            Val::Picked { at, shape, places, .. } => {
                let places = self.list(Val::Const(places))?;
                self.picked(&Val::Grid { at, shape, unset: false }, places)
            }
            Val::Span(lo, hi) => {
                let len = self.span_len(lo, hi);
                self.must_be_short(len);
                let bytes = self.b.ins().ishl_imm(len, 3);
                let at = self.scratch(bytes);
                let most = hi.s.hi.saturating_sub(lo.s.lo).saturating_add(1).clamp(0, LIMIT);
                let place = self.var(at);
                self.each_int(lo.v, hi.v, Some(most), |this, i, _| {
                    let to = this.b.use_var(place);
                    this.store64(i, to, 0);
                    let next = this.b.ins().iadd_imm(to, 8);
                    this.b.def_var(place, next);
                    Ok(())
                })?;
                let of = Scalar::int(lo.s.lo, hi.s.hi.max(lo.s.lo));
                Ok(List { at, len, width: 8, of, most: Some(most), exact: None, ring: false, still: true })
            }
            other => nope(format!("{} where a list belongs", other.kind())),
        }
    }

    /// Hands over where a length is too large for scratch memory, before its bytes are reckoned.
    pub fn must_be_short(&mut self, len: V) {
        let long = self.cmp_imm(IntCC::UnsignedGreaterThan, len, 1 << 32);
        self.give_up_if(long);
    }

    /// Hands over where integers are more than the reference lists.
    pub fn must_be_listable(&mut self, low: Word, high: Word) {
        let most = crate::eval::MAX_ELEMENTS as i64;
        if high.s.hi.saturating_sub(low.s.lo) >= most {
            let len = self.span_len(low, high);
            let long = self.cmp_imm(IntCC::SignedGreaterThan, len, most);
            self.give_up_if(long);
        }
    }

    /// How many integers a span has.
    pub fn span_len(&mut self, lo: Word, hi: Word) -> V {
        if hi.s.hi.saturating_sub(lo.s.lo) == i64::MAX {
            let (_, over) = self.b.ins().ssub_overflow(hi.v, lo.v);
            self.give_up_if(over);
        }
        let n = match lo.known {
            Some(1) => hi.v,
            Some(lo) => self.b.ins().iadd_imm(hi.v, 1 - lo),
            None => {
                let gap = self.b.ins().isub(hi.v, lo.v);
                self.b.ins().iadd_imm(gap, 1)
            }
        };
        if hi.s.lo >= lo.s.hi - 1 {
            return n;
        }
        let zero = self.int(0);
        self.b.ins().smax(n, zero)
    }

    fn listed_bits(&mut self, bits: &Bits) -> R<List> {
        let len = self.popcount(bits);
        let most = bits.of.size();
        let room = self.int(most * 8);
        let at = self.scratch(room);
        let place = self.var(at);
        let lo = bits.of.lo;
        self.each_bit(&bits.words, Some(most), |this, bit, _| {
            let to = this.b.use_var(place);
            let word = this.b.ins().iadd_imm(bit, lo);
            this.store64(word, to, 0);
            let next = this.b.ins().iadd_imm(to, 8);
            this.b.def_var(place, next);
            Ok(())
        })?;
        Ok(List { at, len, width: 8, of: bits.of, most: Some(most), exact: None, ring: false, still: true })
    }

    /// A list that nothing will change, of eight-byte elements.
    pub fn still_list(&mut self, val: Val) -> R<List> {
        let list = self.list(val)?;
        if list.still && list.width == 8 {
            return Ok(list);
        }
        let bytes = self.b.ins().ishl_imm(list.len, 3);
        let at = self.scratch(bytes);
        self.copy_list(list, at, 8, list.of)?;
        Ok(List { at, width: 8, ring: false, still: true, ..list })
    }

    /// Copies a list's elements to an address, with another width perhaps. The elements must be in range.
    pub fn copy_list(&mut self, list: List, to: V, width: u32, of: Scalar) -> R<()> {
        self.each_place(list, |this, i, _| {
            let word = this.element(list, i);
            let word = this.must_fit_place(word, of)?;
            let at = this.b.ins().imul_imm(i, i64::from(width));
            let place = this.b.ins().iadd(to, at);
            this.store_scalar(Scalar { lo: width_lo(width), hi: width_hi(width), ..of }, word, place, 0);
            Ok(())
        })
    }

    /// An element of a list, by its number from 0, which must be there.
    pub fn element(&mut self, list: List, i: V) -> Word {
        let shift = i64::from(list.width.trailing_zeros());
        let offset = if shift == 0 { i } else { self.b.ins().ishl_imm(i, shift) };
        let place = self.b.ins().iadd(list.at, offset);
        self.load_as(list.of, list.width, place)
    }

    /// A stored value of a width that its range need not have.
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

    /// A small set over a universe.
    pub fn bits(&mut self, val: Val, of: Scalar) -> R<Bits> {
        if of.words() > REGISTERS {
            return nope("a set with too many possible elements for this");
        }
        match val {
            Val::Bits(bits) | Val::Members(bits) => self.rebased(bits, of),
            Val::Const(value) => {
                let mut words = vec![0u64; of.words()];
                for item in crate::eval::elements(&value) {
                    let word = to_word(&item, self.layout.squares);
                    let at = word.filter(|word| (of.lo..=of.hi).contains(word)).map(|word| word - of.lo);
                    let Some(at) = at else { return nope("a set with elements outside the universe") };
                    words[at as usize / 64] |= 1 << (at % 64);
                }
                let words = words.into_iter().map(|word| self.int(word as i64)).collect();
                Ok(Bits { words, of })
            }
            Val::Field { at, of: universe } if universe == of => {
                let words = (0..of.words()).map(|i| self.load64(at, i as i32 * 8)).collect();
                Ok(Bits { words, of })
            }
            Val::Span(lo, hi) => {
                let zero = self.int(0);
                let vars: Vec<Variable> = (0..of.words()).map(|_| self.var(zero)).collect();
                self.must_fit_span(lo, hi, of);
                let most = of.size();
                self.each_int(lo.v, hi.v, Some(most), |this, i, _| {
                    this.set_bit(&vars, of, i);
                    Ok(())
                })?;
                Ok(Bits { words: vars.iter().map(|var| self.b.use_var(*var)).collect(), of })
            }
            Val::List(list) => {
                let zero = self.int(0);
                let vars: Vec<Variable> = (0..of.words()).map(|_| self.var(zero)).collect();
                let last = self.b.ins().iadd_imm(list.len, -1);
                self.each_int(zero, last, list.most, |this, i, _| {
                    let word = this.element(list, i);
                    this.must_fit(word, of.lo, of.hi);
                    this.set_bit(&vars, of, word.v);
                    Ok(())
                })?;
                Ok(Bits { words: vars.iter().map(|var| self.b.use_var(*var)).collect(), of })
            }
            other => nope(format!("{} where a small set belongs", other.kind())),
        }
    }

    fn must_fit_span(&mut self, lo: Word, hi: Word, of: Scalar) {
        // An empty span fits everywhere.
        let empty = self.cmp(IntCC::SignedGreaterThan, lo.v, hi.v);
        let low = self.int(of.lo);
        let (a, b) = (self.b.ins().select(empty, low, lo.v), self.b.ins().select(empty, low, hi.v));
        self.must_fit(Word { v: a, ..lo }, of.lo, of.hi);
        self.must_fit(Word { v: b, ..hi }, of.lo, of.hi);
    }

    /// Puts an element, which must be of the universe, among bits kept in variables.
    pub fn set_bit(&mut self, vars: &[Variable], of: Scalar, word: V) {
        let at = if of.lo == 0 { word } else { self.b.ins().iadd_imm(word, -of.lo) };
        let one = self.int(1);
        let bit = self.b.ins().ishl(one, at);
        if let [var] = vars {
            let old = self.b.use_var(*var);
            let new = self.b.ins().bor(old, bit);
            self.b.def_var(*var, new);
            return;
        }
        let number = self.b.ins().ushr_imm(at, 6);
        for (i, var) in vars.iter().enumerate() {
            let here = self.cmp_imm(IntCC::Equal, number, i as i64);
            let zero = self.int(0);
            let bit = self.b.ins().select(here, bit, zero);
            let old = self.b.use_var(*var);
            let new = self.b.ins().bor(old, bit);
            self.b.def_var(*var, new);
        }
    }

    /// The same set over another universe that holds all its elements.
    fn rebased(&mut self, bits: Bits, of: Scalar) -> R<Bits> {
        if bits.of.lo == of.lo && bits.of.sort == of.sort {
            let mut words = bits.words;
            let zero = self.int(0);
            if words.len() > of.words() || bits.of.hi > of.hi {
                // Elements beyond the universe are for the reference.
                let (mut beyond, full) = (zero, of.words());
                for (i, word) in words.iter().enumerate() {
                    let allowed = mask_word(of.size(), i);
                    let over = self.b.ins().band_imm(*word, !allowed as i64);
                    beyond = self.b.ins().bor(beyond, over);
                }
                let out = self.cmp_imm(IntCC::NotEqual, beyond, 0);
                self.give_up_if(out);
                words.truncate(full);
            }
            words.resize(of.words(), zero);
            return Ok(Bits { words, of });
        }
        if bits.of.sort != of.sort || bits.words.len() > 1 || of.words() > 1 {
            return nope("sets of different ranges");
        }
        let shift = bits.of.lo - of.lo;
        let word = bits.words[0];
        let (moved, back) = if (0..64).contains(&shift) {
            let moved = self.b.ins().ishl_imm(word, shift);
            (moved, self.b.ins().ushr_imm(moved, shift))
        } else if (-63..0).contains(&shift) {
            let moved = self.b.ins().ushr_imm(word, -shift);
            (moved, self.b.ins().ishl_imm(moved, -shift))
        } else {
            return nope("sets of different ranges");
        };
        let lost = self.cmp(IntCC::NotEqual, back, word);
        self.give_up_if(lost);
        let over = self.b.ins().band_imm(moved, !mask_word(of.size(), 0) as i64);
        let out = self.cmp_imm(IntCC::NotEqual, over, 0);
        self.give_up_if(out);
        Ok(Bits { words: vec![moved], of })
    }

    /// How many elements.
    pub fn popcount(&mut self, bits: &Bits) -> V {
        let counts: Vec<V> = bits.words.iter().map(|word| self.b.ins().popcnt(*word)).collect();
        counts.into_iter().reduce(|a, b| self.b.ins().iadd(a, b)).unwrap_or_else(|| self.int(0))
    }

    /// Whether any bit is set.
    pub fn any_bit(&mut self, bits: &Bits) -> V {
        let all = bits.words.clone().into_iter().reduce(|a, b| self.b.ins().bor(a, b));
        let all = all.unwrap_or_else(|| self.int(0));
        self.cmp_imm(IntCC::NotEqual, all, 0)
    }

    /// Whether a word is in a small set.
    pub fn has_bit(&mut self, bits: &Bits, word: Word) -> V {
        let at = if bits.of.lo == 0 { word.v } else { self.b.ins().iadd_imm(word.v, -bits.of.lo) };
        let inside = word.s.lo >= bits.of.lo && word.s.hi <= bits.of.hi && !word.s.optional;
        let mut chosen = bits.words[0];
        if bits.words.len() > 1 {
            let number = self.b.ins().ushr_imm(at, 6);
            for (i, other) in bits.words.iter().enumerate().skip(1) {
                let here = self.cmp_imm(IntCC::Equal, number, i as i64);
                chosen = self.b.ins().select(here, *other, chosen);
            }
        }
        let moved = self.b.ins().ushr(chosen, at);
        let bit = self.b.ins().band_imm(moved, 1);
        let set = self.cmp_imm(IntCC::NotEqual, bit, 0);
        if inside {
            return set;
        }
        let there = self.cmp_imm(IntCC::UnsignedLessThan, at, bits.of.size());
        self.b.ins().band(set, there)
    }

    // ---- locals and state

    /// A local value.
    pub fn local(&mut self, slot: Slot) -> R<Val> {
        if let Some(val) = self.locals.bound.get(&slot) {
            return Ok(val.clone());
        }
        let found = if self.locals.automaton { self.vars.get(&slot).cloned() } else { None };
        let Some(slot_vars) = found else { return nope("a local value of a sort that has no flat shape") };
        let vars: Vec<V> = slot_vars.vars.iter().map(|var| self.b.use_var(*var)).collect();
        if self.unsure.contains(&slot) && !vars.is_empty() {
            let gone = self.cmp_imm(IntCC::Equal, vars[0], super::shape::UNSET);
            self.give_up_if(gone);
        }
        Ok(match &slot_vars.shape {
            SlotShape::Word(s) => Val::Word(Word { v: vars[0], s: *s, known: None }),
            SlotShape::Bits(of) => Val::Bits(Bits { words: vars, of: *of }),
            SlotShape::Members(of) => Val::Members(Bits { words: vars, of: *of }),
            SlotShape::List(of) => Val::List(List {
                at: vars[0],
                len: vars[1],
                width: 8,
                of: *of,
                most: None,
                exact: None,
                ring: false,
                still: true,
            }),
            SlotShape::Span => {
                Val::Span(Gen::ranged(vars[0], -LIMIT, LIMIT), Gen::ranged(vars[1], -LIMIT, LIMIT))
            }
            SlotShape::Fixed(values) => Val::Const(Known::list(values.clone())),
        })
    }

    /// The address of a piece of state.
    pub fn state_at(&mut self, state: StateId, owner: Option<Word>) -> V {
        let place = &self.layout.states[state];
        let (at, stride) = (i64::from(place.at), i64::from(place.stride));
        let base = self.base();
        match owner {
            None => self.b.ins().iadd_imm(base, at),
            Some(Word { known: Some(seat), .. }) => self.b.ins().iadd_imm(base, at + seat * stride),
            Some(owner) => {
                let offset = self.b.ins().imul_imm(owner.v, stride);
                let from = self.b.ins().iadd(base, offset);
                self.b.ins().iadd_imm(from, at)
            }
        }
    }

    /// The value of a piece of state. What may be unwritten is tested.
    pub fn state(&mut self, state: StateId, owner: Option<Word>) -> R<Val> {
        let place = self.layout.states[state].clone();
        let at = self.state_at(state, owner);
        if let Some(flag) = place.flag {
            let written = self.load_u(1, at, flag);
            let gone = self.cmp_imm(IntCC::Equal, written, 0);
            self.give_up_if(gone);
        }
        self.in_place(&place.shape, place.unset, at)
    }

    /// The value of a shape at an address.
    pub fn in_place(&mut self, shape: &Shape, unset: bool, at: V) -> R<Val> {
        Ok(match shape {
            Shape::Scalar(of) => Val::Word(self.load_scalar(*of, unset, at, 0)),
            Shape::Bits(of) if of.words() <= REGISTERS => {
                let words = (0..of.words()).map(|i| self.load64(at, i as i32 * 8)).collect();
                Val::Bits(Bits { words, of: *of })
            }
            Shape::Bits(of) => Val::Field { at, of: *of },
            Shape::Counts(of) => Val::Counts { at, of: *of },
            Shape::List(Length::Growing, of) => {
                let block = self.load_u(4, at, 0);
                let offset = self.b.ins().ishl_imm(block, 3);
                let base = self.base();
                let first = self.b.ins().iadd(base, offset);
                let len = self.load64(at, 8);
                Val::List(List {
                    at: first,
                    len,
                    width: of.width(),
                    of: *of,
                    most: None,
                    exact: None,
                    ring: false,
                    still: false,
                })
            }
            Shape::List(length, of) => {
                let first = self.b.ins().iadd_imm(at, i64::from(layout::list_head(*of)));
                let (len, most, exact) = match length {
                    Length::Always(n) => (self.int(*n), Some(*n), Some(*n)),
                    Length::Exactly(n) | Length::AtMost(n) => (self.load_u(4, at, 0), Some(*n), None),
                    Length::Growing => (self.load64(at, 8), None, None),
                };
                Val::List(List {
                    at: first,
                    len,
                    width: of.width(),
                    of: *of,
                    most,
                    exact,
                    ring: false,
                    still: false,
                })
            }
            Shape::Map(key, of) => Val::Map { at, key: *key, of: *of, unset },
            Shape::Grid(grid) => Val::Grid { at, shape: *grid, unset: unset && !grid.of.optional },
            Shape::Pool(of) => {
                let base = self.base();
                let handle = self.b.ins().isub(at, base);
                Val::Pool { handle, of: (**of).clone() }
            }
            Shape::Sorted(_) => return nope("a bag without bounds"),
        })
    }

    // ---- expressions

    /// The value of an expression.
    pub fn expr(&mut self, e: &Expr) -> R<Val> {
        self.node()?;
        if let Some(value) = self.constant(e) {
            return Ok(Val::Const(value));
        }
        if let Some(val) = self.tabulated(e)? {
            return Ok(val);
        }
        let located = |nope: Nope| nope;
        self.expr_kind(e).map_err(located)
    }

    fn expr_kind(&mut self, e: &Expr) -> R<Val> {
        Ok(match &e.kind {
            ExprKind::Value(value) => Val::Const(value.clone()),
            ExprKind::Option(id) => Val::Const(self.machine.setup.options[*id].clone()),
            ExprKind::Constant(id) => Val::Const(self.machine.setup.constants[*id].clone()),
            ExprKind::Local(slot) => self.local(*slot)?,
            ExprKind::Table(state) => self.state(*state, None)?,
            ExprKind::Own(state, owner) => {
                let owner = self.player_of(owner)?;
                self.state(*state, Some(owner))?
            }
            ExprKind::Players => {
                Val::Const(Known::list((0..self.layout.players).map(Known::Player).collect()))
            }
            ExprKind::Standing => Val::Members(self.standing()),
            ExprKind::Score(who) => {
                let who = self.player_of(who)?;
                Val::Word(self.score(who)?)
            }
            ExprKind::Negative(a) => {
                let a = self.number_of(a)?;
                let v = self.b.ins().ineg(a.v);
                Val::Word(self.within(v, -i128::from(a.s.hi), -i128::from(a.s.lo)))
            }
            ExprKind::Arith(op, a, b) => {
                let (a, b) = (self.number_of(a)?, self.number_of(b)?);
                Val::Word(self.arith(*op, a, b)?)
            }
            ExprKind::IsIn(_)
            | ExprKind::Not(_)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Compare(..)
            | ExprKind::In(..)
            | ExprKind::IsNone(_) => {
                let v = self.truth(e)?;
                Val::Word(self.truth_word(v))
            }
            ExprKind::If(arms, otherwise) => self.if_else(arms, otherwise, &e.ty)?,
            ExprKind::Text(_) => return nope("a text"),
            ExprKind::Call(id, args) => {
                let lambda = &self.machine.game.functions[*id].lambda;
                let args: R<Vec<Val>> = args.iter().map(|arg| self.expr(arg)).collect();
                self.lambda(lambda, args?, |this, body| this.expr(body))?
            }
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, e)?,
            ExprKind::Tuple(parts) => {
                let parts: R<Vec<Val>> = parts.iter().map(|part| self.expr(part)).collect();
                Val::Tuple(parts?)
            }
            ExprKind::List(parts) => Val::List(self.list_of(parts, &e.ty)?),
            ExprKind::Set(parts) => self.set_of(parts)?,
            ExprKind::Part(tuple, at) => match self.expr(tuple)? {
                Val::Tuple(parts) => parts[*at].clone(),
                Val::Const(Known::List(parts)) => Val::Const(parts[*at].clone()),
                other => return nope(format!("a part of {}", other.kind())),
            },
            ExprKind::Index(base, at) => {
                let base = self.expr(base)?;
                let at = self.word_of(at)?;
                Val::Word(self.look_up(&base, at)?)
            }
            ExprKind::Square(row, column) => {
                let (row, column) = (self.number_of(row)?, self.number_of(column)?);
                Val::Word(self.square(row, column))
            }
            ExprKind::Pick(base, at) => {
                let base = self.expr(base)?;
                let at = self.expr(at)?;
                if let Some(val) = self.picked_bits(&base, &at)? {
                    return Ok(val);
                }
                let places = self.list(at)?;
                Val::List(self.picked(&base, places)?)
            }
            ExprKind::With(base, at, value) => {
                let base = self.expr(base)?;
                let at = self.word_of(at)?;
                let value = self.word_of(value)?;
                self.with(base, at, value)?
            }
            ExprKind::Listed(domain) => self.listed(domain)?,
            ExprKind::Fold(fold) => self.fold(fold, &e.ty)?,
        })
    }

    /// Evaluates a lambda's body with its parameters in a frame of its own.
    pub fn lambda<T>(
        &mut self,
        lambda: &Lambda,
        args: Vec<Val>,
        work: impl FnOnce(&mut Self, &Expr) -> R<T>,
    ) -> R<T> {
        let bound = args.into_iter().enumerate().collect();
        let outer = std::mem::replace(&mut self.locals, Locals { bound, automaton: false });
        let result = work(self, &lambda.body);
        self.locals = outer;
        result
    }

    /// The seats that are in.
    pub fn standing(&mut self) -> Bits {
        let of = Scalar { sort: Sort::Player, lo: 0, hi: self.layout.players as i64 - 1, optional: false };
        let word = match self.layout.all_in {
            true => self.int(mask_word(of.size(), 0) as i64),
            false => {
                let base = self.base();
                self.load64(base, layout::STANDING)
            }
        };
        Bits { words: vec![word], of }
    }

    /// A player's score; 0 where the game keeps none.
    pub fn score(&mut self, who: Word) -> R<Word> {
        let machine = self.machine;
        match &machine.game.scoring {
            Scoring::None => Ok(self.known(0, Scalar::int(0, 0))),
            Scoring::Awards => {
                let Some(at) = self.layout.awards else { return nope("awards without a place") };
                let base = self.base();
                let offset = self.b.ins().ishl_imm(who.v, 3);
                let place = self.b.ins().iadd(base, offset);
                Ok(self.load_scalar(Scalar::any_int(), false, place, at))
            }
            Scoring::Each(lambda) => {
                self.lambda(lambda, vec![Val::Word(who)], |this, body| this.number_of(body))
            }
            Scoring::Named(lambdas) => {
                if let Some(seat) = who.known {
                    let Some(lambda) = lambdas.get(seat as usize) else {
                        return nope("a seat without a score");
                    };
                    return self.lambda(lambda, vec![Val::Word(who)], |this, body| this.number_of(body));
                }
                let zero = self.int(0);
                let result = self.var(zero);
                let end = self.block();
                for (seat, lambda) in lambdas.iter().enumerate().take(self.layout.players) {
                    let (mine, next) = (self.block(), self.block());
                    let is = self.cmp_imm(IntCC::Equal, who.v, seat as i64);
                    self.fork(is, mine, next);
                    self.at(mine);
                    let player = self.known(seat as i64, who.s);
                    let word =
                        self.lambda(lambda, vec![Val::Word(player)], |this, body| this.number_of(body))?;
                    self.b.def_var(result, word.v);
                    self.jump(end);
                    self.at(next);
                }
                self.jump(end);
                self.at(end);
                let v = self.b.use_var(result);
                Ok(Word { v, s: Scalar::any_int(), known: None })
            }
        }
    }

    /// Arithmetic, exact or handed over.
    pub fn arith(&mut self, op: Arith, a: Word, b: Word) -> R<Word> {
        let (al, ah, bl, bh) =
            (i128::from(a.s.lo), i128::from(a.s.hi), i128::from(b.s.lo), i128::from(b.s.hi));
        Ok(match op {
            Arith::Add => {
                let v = self.b.ins().iadd(a.v, b.v);
                self.within(v, al + bl, ah + bh)
            }
            Arith::Sub => {
                let v = self.b.ins().isub(a.v, b.v);
                self.within(v, al - bh, ah - bl)
            }
            Arith::Mul => {
                let ends = [al * bl, al * bh, ah * bl, ah * bh];
                let (lo, hi) =
                    (ends.iter().min().copied().unwrap_or(0), ends.iter().max().copied().unwrap_or(0));
                let limit = i128::from(LIMIT);
                if lo < -limit || hi > limit {
                    let (v, over) = self.b.ins().smul_overflow(a.v, b.v);
                    self.give_up_if(over);
                    self.within(v, lo, hi)
                } else {
                    let v = self.b.ins().imul(a.v, b.v);
                    Gen::ranged(v, lo as i64, hi as i64)
                }
            }
            Arith::Div | Arith::Mod => {
                if bl <= 0 && bh >= 0 {
                    let zero = self.cmp_imm(IntCC::Equal, b.v, 0);
                    self.give_up_if(zero);
                }
                let plain = al >= 0 && bl >= 0;
                let (quotient, rest) = match plain {
                    true => (self.b.ins().udiv(a.v, b.v), self.b.ins().urem(a.v, b.v)),
                    false => {
                        let (q, r) = (self.b.ins().sdiv(a.v, b.v), self.b.ins().srem(a.v, b.v));
                        let signs = self.b.ins().bxor(r, b.v);
                        let apart = self.cmp_imm(IntCC::SignedLessThan, signs, 0);
                        let left = self.cmp_imm(IntCC::NotEqual, r, 0);
                        let floor = self.b.ins().band(apart, left);
                        let less = self.b.ins().iadd_imm(q, -1);
                        // The remainder is Euclid's: never negative.
                        let size = self.b.ins().iabs(b.v);
                        let more = self.b.ins().iadd(r, size);
                        let negative = self.cmp_imm(IntCC::SignedLessThan, r, 0);
                        (self.b.ins().select(floor, less, q), self.b.ins().select(negative, more, r))
                    }
                };
                if op == Arith::Div {
                    let most = a.s.lo.unsigned_abs().max(a.s.hi.unsigned_abs()).min(LIMIT as u64) as i64;
                    let (lo, hi) = if plain { (0, a.s.hi) } else { (-most, most) };
                    Gen::ranged(quotient, lo, hi)
                } else {
                    let most = b.s.lo.unsigned_abs().max(b.s.hi.unsigned_abs()).min(LIMIT as u64) as i64;
                    let hi = (most - 1).max(0);
                    Gen::ranged(rest, 0, if plain { hi.min(a.s.hi) } else { hi })
                }
            }
            Arith::Pow => {
                let negative = self.cmp_imm(IntCC::SignedLessThan, b.v, 0);
                self.give_up_if(negative);
                let v = self.call("power", &[a.v, b.v])?;
                let over = self.cmp_imm(IntCC::Equal, v, NONE);
                self.give_up_if(over);
                Gen::ranged(v, if al >= 0 { 0 } else { -LIMIT }, LIMIT)
            }
        })
    }

    /// The square at a row and column, from 1; those on no grid are for the reference.
    pub fn square(&mut self, row: Word, column: Word) -> Word {
        let squares = self.layout.squares;
        self.must_fit(row, 1, squares.rows);
        self.must_fit(column, 1, squares.stride);
        let up = self.b.ins().imul_imm(row.v, squares.stride);
        let sum = self.b.ins().iadd(up, column.v);
        let v = self.b.ins().iadd_imm(sum, -squares.stride - 1);
        Word { v, s: squares.scalar(), known: None }
    }

    /// Whether a square is on a grid.
    pub fn on_grid(&mut self, shape: super::shape::GridShape, square: Word) -> Option<V> {
        let squares = self.layout.squares;
        let whole = shape.columns == squares.stride && shape.rows == squares.rows;
        if whole && !square.s.optional {
            return None;
        }
        if shape.columns == squares.stride {
            return Some(self.cmp_imm(IntCC::UnsignedLessThan, square.v, shape.rows * shape.columns));
        }
        let column = self.b.ins().urem_imm(square.v, squares.stride);
        let inside = self.cmp_imm(IntCC::UnsignedLessThan, column, shape.columns);
        let above = self.cmp_imm(IntCC::UnsignedLessThan, square.v, shape.rows * squares.stride);
        Some(self.b.ins().band(inside, above))
    }

    /// The value at a place of a collection.
    pub fn look_up(&mut self, base: &Val, at: Word) -> R<Word> {
        match base {
            Val::Grid { at: grid, shape, unset } => {
                if let Some(on) = self.on_grid(*shape, at) {
                    self.give_up_unless(on);
                }
                let head = layout::grid_head(shape, self.layout.squares);
                let width = shape.of.width();
                let offset = self.b.ins().imul_imm(at.v, i64::from(width));
                let place = self.b.ins().iadd(*grid, offset);
                Ok(self.load_scalar(shape.of, *unset, place, head))
            }
            Val::Map { at: map, key, of, unset } => {
                let at = self.some(at);
                self.must_fit(at, key.lo, key.hi);
                let from = self.b.ins().iadd_imm(at.v, -key.lo);
                let offset = self.b.ins().imul_imm(from, i64::from(of.width()));
                let place = self.b.ins().iadd(*map, offset);
                Ok(self.load_scalar(*of, *unset, place, 0))
            }
            Val::Span(lo, hi) => {
                let from = self.b.ins().iadd_imm(at.v, -1);
                let len = self.span_len(*lo, *hi);
                let out = self.cmp(IntCC::UnsignedGreaterThanOrEqual, from, len);
                self.give_up_if(out);
                let v = self.b.ins().iadd(lo.v, from);
                Ok(Gen::ranged(v, lo.s.lo, hi.s.hi))
            }
            other => {
                let list = self.list(other.clone())?;
                let i = self.b.ins().iadd_imm(at.v, -1);
                let out = self.cmp(IntCC::UnsignedGreaterThanOrEqual, i, list.len);
                self.give_up_if(out);
                Ok(self.element(list, i))
            }
        }
    }

    /// Known squares of a grid that keeps a plane for each value: no value need be read to count them.
    fn picked_bits(&mut self, base: &Val, at: &Val) -> R<Option<Val>> {
        let (Val::Grid { at: grid, shape, unset: false }, Val::Const(places @ Known::List(items))) =
            (base, at)
        else {
            return Ok(None);
        };
        let of = self.layout.squares.scalar();
        if shape.planes != super::shape::Planes::All || of.words() > REGISTERS {
            return Ok(None);
        }
        let on = self.grid_mask(*shape);
        let mut words = vec![0u64; of.words()];
        for item in items.iter() {
            let Some(word) = to_word(item, self.layout.squares) else { return Ok(None) };
            let (at, bit) = (word as usize / 64, 1u64 << (word % 64));
            if on[at] & bit == 0 || words[at] & bit != 0 {
                return Ok(None);
            }
            words[at] |= bit;
        }
        let words = words.into_iter().map(|word| self.int(word as i64)).collect();
        let squares = Bits { words, of };
        Ok(Some(Val::Picked { at: *grid, shape: *shape, squares, places: places.clone() }))
    }

    /// Those of picked squares that hold a word; `None` where no plane says so.
    pub fn picked_with(&mut self, val: &Val, word: Word) -> Option<Bits> {
        let Val::Picked { at, shape, squares, .. } = val else { return None };
        let plane = self.plane_of_word(*at, *shape, word)?;
        let words = squares.words.iter().zip(plane).map(|(a, b)| self.b.ins().band(*a, b)).collect();
        Some(Bits { words, of: squares.of })
    }

    pub fn picked(&mut self, base: &Val, places: List) -> R<List> {
        let base = match base {
            Val::Grid { .. } | Val::Map { .. } | Val::Span(..) => base.clone(),
            other => Val::List(self.list(other.clone())?),
        };
        let of = match &base {
            Val::Grid { shape, .. } => shape.of,
            Val::Map { of, .. } => *of,
            Val::Span(lo, hi) => Scalar::int(lo.s.lo, hi.s.hi.max(lo.s.lo)),
            Val::List(list) => list.of,
            _ => return nope("values picked from something else"),
        };
        let bytes = self.b.ins().ishl_imm(places.len, 3);
        let to = self.scratch(bytes);
        let zero = self.int(0);
        let last = self.b.ins().iadd_imm(places.len, -1);
        self.each_int(zero, last, places.most, |this, i, _| {
            let at = this.element(places, i);
            let word = this.look_up(&base, at)?;
            let offset = this.b.ins().ishl_imm(i, 3);
            let place = this.b.ins().iadd(to, offset);
            this.store64(word.v, place, 0);
            Ok(())
        })?;
        Ok(List {
            at: to,
            len: places.len,
            width: 8,
            of,
            most: places.most,
            exact: None,
            ring: false,
            still: true,
        })
    }

    fn with(&mut self, base: Val, at: Word, value: Word) -> R<Val> {
        if matches!(base, Val::Grid { .. } | Val::Map { .. }) {
            return nope("a copy of a grid or map with another value");
        }
        let list = self.list(base)?;
        let i = self.b.ins().iadd_imm(at.v, -1);
        let out = self.cmp(IntCC::UnsignedGreaterThanOrEqual, i, list.len);
        self.give_up_if(out);
        let Some(of) = list.of.join(value.s) else { return nope("a list of mixed sorts") };
        let bytes = self.b.ins().ishl_imm(list.len, 3);
        let to = self.scratch(bytes);
        self.copy_list(list, to, 8, list.of)?;
        let offset = self.b.ins().ishl_imm(i, 3);
        let place = self.b.ins().iadd(to, offset);
        self.store64(value.v, place, 0);
        Ok(Val::List(List { at: to, width: 8, of, ring: false, still: true, ..list }))
    }

    fn list_of(&mut self, parts: &[Expr], ty: &Type) -> R<List> {
        let sort = ty.element().and_then(|of| self.type_scalar(&of));
        let Some(of) = sort else { return nope("a list whose elements are no single values") };
        let room = self.int(parts.len() as i64 * 8);
        let at = self.scratch(room);
        let mut joined: Option<Scalar> = None;
        for (i, part) in parts.iter().enumerate() {
            let val = self.expr(part)?;
            let word = self.word_as(val, of.sort)?;
            joined = Some(joined.map_or(Some(word.s), |all| all.join(word.s)).unwrap_or(of));
            self.store64(word.v, at, i as i32 * 8);
        }
        let len = self.int(parts.len() as i64);
        let of = joined.unwrap_or(of);
        Ok(List {
            at,
            len,
            width: 8,
            of,
            most: Some(parts.len() as i64),
            exact: Some(parts.len() as i64),
            ring: false,
            still: true,
        })
    }

    fn set_of(&mut self, parts: &[Expr]) -> R<Val> {
        let words: R<Vec<Word>> = parts.iter().map(|part| self.word_of(part)).collect();
        let words = words?;
        let of = words.iter().map(|word| Some(word.s)).reduce(|a, b| a?.join(b?)).flatten();
        let Some(of) = of.filter(|of| !of.optional && of.words() <= REGISTERS) else {
            return nope("a set with too many possible elements for this");
        };
        let zero = self.int(0);
        let vars: Vec<Variable> = (0..of.words()).map(|_| self.var(zero)).collect();
        for word in words {
            self.set_bit(&vars, of, word.v);
        }
        Ok(Val::Bits(Bits { words: vars.iter().map(|var| self.b.use_var(*var)).collect(), of }))
    }

    fn if_else(&mut self, arms: &[(Expr, Expr)], otherwise: &Expr, ty: &Type) -> R<Val> {
        let end = self.block();
        let mut vars: Vec<Variable> = Vec::new();
        let mut joined: Option<Scalar> = None;
        let mut most = Some(0i64);
        let scalar = self.type_scalar(ty);
        let set = match ty {
            Type::Set(of) => self.type_scalar(of),
            _ => None,
        };
        let mut branch = |this: &mut Self, value: &Expr| -> R<()> {
            let words = match (scalar, set, ty) {
                (Some(of), _, _) => {
                    let val = this.expr(value)?;
                    let word = this.word_as(val, of.sort)?;
                    joined = Some(match joined {
                        None => word.s,
                        Some(all) => all.join(word.s).unwrap_or(of),
                    });
                    vec![word.v]
                }
                (_, Some(of), _) => {
                    let val = this.expr(value)?;
                    this.bits(val, of)?.words
                }
                (_, _, Type::List(_)) => {
                    let val = this.expr(value)?;
                    let list = this.still_list(val)?;
                    joined = Some(match joined {
                        None => list.of,
                        Some(all) => all.join(list.of).ok_or(Nope("lists of mixed sorts".to_string()))?,
                    });
                    most = most.zip(list.most).map(|(a, b)| a.max(b));
                    vec![list.at, list.len]
                }
                _ => return nope("a choice between large values"),
            };
            if vars.is_empty() {
                let zero = this.int(0);
                vars = words.iter().map(|_| this.var(zero)).collect();
            }
            for (var, word) in vars.iter().zip(words) {
                this.b.def_var(*var, word);
            }
            Ok(())
        };
        for (cond, value) in arms {
            let (yes, no) = (self.block(), self.block());
            self.branch(cond, yes, no)?;
            self.at(yes);
            branch(self, value)?;
            self.jump(end);
            self.at(no);
        }
        branch(self, otherwise)?;
        self.jump(end);
        self.at(end);
        let words: Vec<V> = vars.iter().map(|var| self.b.use_var(*var)).collect();
        Ok(match (scalar, set) {
            (Some(of), _) => Val::Word(Word { v: words[0], s: joined.unwrap_or(of), known: None }),
            (_, Some(of)) => Val::Bits(Bits { words, of }),
            _ => Val::List(List {
                at: words[0],
                len: words[1],
                width: 8,
                of: joined.unwrap_or(Scalar::any_int()),
                most,
                exact: None,
                ring: false,
                still: true,
            }),
        })
    }

    fn listed(&mut self, domain: &Domain) -> R<Val> {
        match domain {
            Domain::Range(low, high) => {
                let (low, high) = (self.number_of(low)?, self.number_of(high)?);
                self.must_be_listable(low, high);
                Ok(Val::Span(low, high))
            }
            Domain::Values(e) => match self.expr(e)? {
                Val::Bits(bits) => Ok(Val::Members(bits)),
                val @ (Val::Members(_) | Val::List(_) | Val::Span(..) | Val::Const(_)) => Ok(val),
                other => nope(format!("the elements of {} as a list", other.kind())),
            },
            _ => nope("a domain written out as a list"),
        }
    }

    // ---- truths

    /// A condition, as a truth of one byte.
    pub fn truth(&mut self, e: &Expr) -> R<V> {
        self.node()?;
        if let Some(Known::Bool(known)) = self.constant(e) {
            return Ok(self.b.ins().iconst(types::I8, i64::from(known)));
        }
        match &e.kind {
            ExprKind::Not(a) => {
                let v = self.truth(a)?;
                Ok(self.b.ins().bxor_imm(v, 1))
            }
            ExprKind::And(..) | ExprKind::Or(..) => {
                let (yes, no, end) = (self.block(), self.block(), self.block());
                let zero = self.b.ins().iconst(types::I8, 0);
                let result = self.var(zero);
                self.branch(e, yes, no)?;
                self.at(yes);
                let one = self.b.ins().iconst(types::I8, 1);
                self.b.def_var(result, one);
                self.jump(end);
                self.at(no);
                let zero = self.b.ins().iconst(types::I8, 0);
                self.b.def_var(result, zero);
                self.jump(end);
                self.at(end);
                Ok(self.b.use_var(result))
            }
            ExprKind::Compare(first, links) => self.compared(first, links),
            ExprKind::In(value, domain) => {
                if let Some(val) = self.tabulated(e)? {
                    let word = self.word(val)?;
                    return Ok(self.cmp_imm(IntCC::NotEqual, word.v, 0));
                }
                self.is_in(value, domain)
            }
            ExprKind::IsNone(a) => {
                let val = self.expr(a)?;
                let word = self.word(val)?;
                if !word.s.optional {
                    return Ok(self.b.ins().iconst(types::I8, 0));
                }
                Ok(self.cmp_imm(IntCC::Equal, word.v, NONE))
            }
            ExprKind::IsIn(who) => {
                let who = self.player_of(who)?;
                let standing = self.standing();
                Ok(self.has_bit(&standing, who))
            }
            ExprKind::Call(id, args) if e.ty == Type::Bool => {
                if let Some(val) = self.tabulated(e)? {
                    let word = self.word(val)?;
                    return Ok(self.cmp_imm(IntCC::NotEqual, word.v, 0));
                }
                let lambda = &self.machine.game.functions[*id].lambda;
                let args: R<Vec<Val>> = args.iter().map(|arg| self.expr(arg)).collect();
                self.lambda(lambda, args?, |this, body| this.truth(body))
            }
            ExprKind::Builtin(builtin, args) => {
                if let Some(val) = self.tabulated(e)? {
                    let word = self.word(val)?;
                    return Ok(self.cmp_imm(IntCC::NotEqual, word.v, 0));
                }
                match self.builtin_truth(*builtin, args)? {
                    Some(v) => Ok(v),
                    None => nope(format!("the word {builtin:?}")),
                }
            }
            ExprKind::Fold(fold) => self.fold_truth(fold),
            _ => {
                let val = self.expr(e)?;
                let word = self.word_as(val, Sort::Bool)?;
                let word = self.some(word);
                Ok(self.cmp_imm(IntCC::NotEqual, word.v, 0))
            }
        }
    }

    /// Goes one way where a condition holds and the other where not; ends the block.
    pub fn branch(&mut self, e: &Expr, yes: Block, no: Block) -> R<()> {
        if let Some(Known::Bool(known)) = self.constant(e) {
            self.jump(if known { yes } else { no });
            return Ok(());
        }
        match &e.kind {
            ExprKind::And(a, b) => {
                let on = self.block();
                self.branch(a, on, no)?;
                self.at(on);
                self.branch(b, yes, no)
            }
            ExprKind::Or(a, b) => {
                let on = self.block();
                self.branch(a, yes, on)?;
                self.at(on);
                self.branch(b, yes, no)
            }
            ExprKind::Not(a) => self.branch(a, no, yes),
            _ => {
                let cond = self.truth(e)?;
                self.fork(cond, yes, no);
                Ok(())
            }
        }
    }

    fn compared(&mut self, first: &Expr, links: &[(Compare, Expr)]) -> R<V> {
        let mut left = self.expr(first)?;
        if let [(op, right)] = links {
            let right = self.expr(right)?;
            return self.compare(*op, left, right, &first.ty);
        }
        let end = self.block();
        let zero = self.b.ins().iconst(types::I8, 0);
        let result = self.var(zero);
        for (op, e) in links {
            let right = self.expr(e)?;
            let holds = self.compare(*op, left, right.clone(), &first.ty)?;
            self.b.def_var(result, holds);
            let on = self.block();
            self.fork(holds, on, end);
            self.at(on);
            left = right;
        }
        self.jump(end);
        self.at(end);
        Ok(self.b.use_var(result))
    }

    /// Compares two values.
    pub fn compare(&mut self, op: Compare, a: Val, b: Val, ty: &Type) -> R<V> {
        let scalar = |val: &Val| match val {
            Val::Word(_) => true,
            Val::Const(value) => !matches!(
                value,
                Known::List(_)
                    | Known::Set(_)
                    | Known::Bag(_)
                    | Known::Grid(_)
                    | Known::Map(_)
                    | Known::Text(_)
            ),
            _ => false,
        };
        if scalar(&a) && scalar(&b) {
            let sort = match (&a, &b) {
                (Val::Word(word), _) | (_, Val::Word(word)) => word.s.sort,
                _ => Sort::Int,
            };
            let (a, b) = (self.word_as(a, sort)?, self.word_as(b, sort)?);
            let cc = match op {
                Compare::Equal => IntCC::Equal,
                Compare::NotEqual => IntCC::NotEqual,
                Compare::Less => IntCC::SignedLessThan,
                Compare::AtMost => IntCC::SignedLessThanOrEqual,
                Compare::Greater => IntCC::SignedGreaterThan,
                Compare::AtLeast => IntCC::SignedGreaterThanOrEqual,
                Compare::Divides => return self.divides(a, b),
            };
            if a.s.sort != b.s.sort {
                return nope("a comparison of different sorts");
            }
            return Ok(self.cmp(cc, a.v, b.v));
        }
        let equal = match op {
            Compare::Equal | Compare::NotEqual => self.same(a, b, ty)?,
            _ => return nope("an order of large values"),
        };
        Ok(if op == Compare::Equal { equal } else { self.b.ins().bxor_imm(equal, 1) })
    }

    fn divides(&mut self, a: Word, b: Word) -> R<V> {
        let (a, b) = (self.some(a), self.some(b));
        // Nothing but 0 is divided by 0.
        let zero = self.cmp_imm(IntCC::Equal, a.v, 0);
        let huge = self.int(i64::MAX);
        let by = self.b.ins().select(zero, huge, a.v);
        let rest = self.b.ins().srem(b.v, by);
        Ok(self.cmp_imm(IntCC::Equal, rest, 0))
    }

    /// Whether two collections of one type are equal.
    fn same(&mut self, a: Val, b: Val, ty: &Type) -> R<V> {
        match ty {
            Type::Set(of) => {
                let Some(of) = self.type_scalar(of) else { return nope("sets of large values compared") };
                let universe = match (&a, &b) {
                    (Val::Bits(bits), _) | (_, Val::Bits(bits)) => bits.of,
                    _ => of,
                };
                let (a, b) = (self.bits(a, universe)?, self.bits(b, universe)?);
                let mut apart = self.int(0);
                for (a, b) in a.words.iter().zip(&b.words) {
                    let differ = self.b.ins().bxor(*a, *b);
                    apart = self.b.ins().bor(apart, differ);
                }
                Ok(self.cmp_imm(IntCC::Equal, apart, 0))
            }
            Type::List(_) => {
                let (a, b) = (self.list(a)?, self.list(b)?);
                if a.of.sort != b.of.sort && a.most != Some(0) && b.most != Some(0) {
                    return nope("lists of different sorts compared");
                }
                let same_len = self.cmp(IntCC::Equal, a.len, b.len);
                let result = self.var(same_len);
                let (inside, end) = (self.block(), self.block());
                self.fork(same_len, inside, end);
                self.at(inside);
                let zero = self.int(0);
                let last = self.b.ins().iadd_imm(a.len, -1);
                let most = a.most.or(b.most);
                self.each_int(zero, last, most, |this, i, exit| {
                    let (x, y) = (this.element(a, i), this.element(b, i));
                    let same = this.cmp(IntCC::Equal, x.v, y.v);
                    this.b.def_var(result, same);
                    let on = this.block();
                    this.fork(same, on, exit);
                    this.at(on);
                    Ok(())
                })?;
                self.jump(end);
                self.at(end);
                Ok(self.b.use_var(result))
            }
            Type::Tuple(types) => {
                let parts = |val: Val| match val {
                    Val::Tuple(parts) => Some(parts),
                    Val::Const(Known::List(parts)) => Some(parts.iter().cloned().map(Val::Const).collect()),
                    _ => None,
                };
                let (Some(a), Some(b)) = (parts(a), parts(b)) else { return nope("tuples compared") };
                let mut all = self.b.ins().iconst(types::I8, 1);
                for ((a, b), ty) in a.into_iter().zip(b).zip(types) {
                    let same = self.compare(Compare::Equal, a, b, ty)?;
                    all = self.b.ins().band(all, same);
                }
                Ok(all)
            }
            _ => nope("a comparison of bags, grids or maps"),
        }
    }

    fn is_in(&mut self, value: &Expr, domain: &Domain) -> R<V> {
        match domain {
            Domain::Range(low, high) => {
                let value = self.word_of(value)?;
                let (low, high) = (self.number_of(low)?, self.number_of(high)?);
                let above = self.cmp(IntCC::SignedGreaterThanOrEqual, value.v, low.v);
                let below = self.cmp(IntCC::SignedLessThanOrEqual, value.v, high.v);
                let both = self.b.ins().band(above, below);
                if !value.s.optional {
                    return Ok(both);
                }
                let there = self.cmp_imm(IntCC::NotEqual, value.v, NONE);
                Ok(self.b.ins().band(both, there))
            }
            Domain::Ints => {
                let value = self.word_of(value)?;
                Ok(self.cmp_imm(IntCC::NotEqual, value.v, NONE))
            }
            Domain::Values(source) => {
                let value = self.expr(value)?;
                let source = self.expr(source)?;
                self.has(source, value)
            }
            _ => nope("a test against a domain of rows"),
        }
    }

    /// Whether a collection has an element.
    pub fn has(&mut self, collection: Val, value: Val) -> R<V> {
        if let Val::Pool { handle, of } = &collection {
            let (at, words) = self.entry(of, value)?;
            let ctx = self.ctx;
            let found = self.call("pool_has", &[ctx, *handle, at, words])?;
            return Ok(self.cmp_imm(IntCC::NotEqual, found, 0));
        }
        let word = self.word(value)?;
        if let Some(bits) = self.picked_with(&collection, word) {
            return Ok(self.any_bit(&bits));
        }
        match collection {
            Val::Bits(bits) | Val::Members(bits) => Ok(self.has_bit(&bits, word)),
            Val::Field { at, of } => {
                let from = self.b.ins().iadd_imm(word.v, -of.lo);
                let there = self.cmp_imm(IntCC::UnsignedLessThan, from, of.size());
                let zero = self.int(0);
                let from = self.b.ins().select(there, from, zero);
                let bit = self.field_bit(at, from);
                Ok(self.b.ins().band(bit, there))
            }
            Val::Counts { at, of } => {
                let count = self.count_of(at, of, word);
                Ok(self.cmp_imm(IntCC::NotEqual, count, 0))
            }
            Val::Span(lo, hi) => {
                let above = self.cmp(IntCC::SignedGreaterThanOrEqual, word.v, lo.v);
                let below = self.cmp(IntCC::SignedLessThanOrEqual, word.v, hi.v);
                Ok(self.b.ins().band(above, below))
            }
            Val::Map { key, .. } => {
                let from = self.b.ins().iadd_imm(word.v, -key.lo);
                Ok(self.cmp_imm(IntCC::UnsignedLessThan, from, key.size()))
            }
            Val::Grid { shape, .. } => match self.on_grid(shape, word) {
                Some(on) => Ok(on),
                None => Ok(self.b.ins().iconst(types::I8, 1)),
            },
            Val::Const(value) => {
                let items = crate::eval::elements(&value);
                if let Some(of) = range_of(&items, self.layout.squares)
                    && !of.optional
                    && of.words() <= REGISTERS
                {
                    let bits = self.bits(Val::Const(value), of)?;
                    return Ok(self.has_bit(&bits, word));
                }
                let list = self.list(Val::Const(value))?;
                self.list_has(list, word)
            }
            other => {
                let list = self.list(other)?;
                self.list_has(list, word)
            }
        }
    }

    /// The truth of a bit of a large set; the number must be in range.
    pub fn field_bit(&mut self, at: V, number: V) -> V {
        let word = self.b.ins().ushr_imm(number, 6);
        let offset = self.b.ins().ishl_imm(word, 3);
        let place = self.b.ins().iadd(at, offset);
        let word = self.load64(place, 0);
        let moved = self.b.ins().ushr(word, number);
        let bit = self.b.ins().band_imm(moved, 1);
        self.cmp_imm(IntCC::NotEqual, bit, 0)
    }

    /// How often a bag has an element; 0 outside of its universe.
    pub fn count_of(&mut self, at: V, of: Scalar, word: Word) -> V {
        let from = self.b.ins().iadd_imm(word.v, -of.lo);
        let there = self.cmp_imm(IntCC::UnsignedLessThan, from, of.size());
        let zero = self.int(0);
        let safe = self.b.ins().select(there, from, zero);
        let offset = self.b.ins().ishl_imm(safe, 2);
        let place = self.b.ins().iadd(at, offset);
        let count = self.load_u(4, place, 0);
        self.b.ins().select(there, count, zero)
    }

    fn list_has(&mut self, list: List, word: Word) -> R<V> {
        let no = self.b.ins().iconst(types::I8, 0);
        let result = self.var(no);
        let zero = self.int(0);
        let last = self.b.ins().iadd_imm(list.len, -1);
        self.each_int(zero, last, list.most, |this, i, exit| {
            let item = this.element(list, i);
            let same = this.cmp(IntCC::Equal, item.v, word.v);
            this.b.def_var(result, same);
            let on = this.block();
            this.fork(same, exit, on);
            this.at(on);
            Ok(())
        })?;
        Ok(self.b.use_var(result))
    }
}

/// The bits of word number `i` of a set of the first `size` bits.
pub fn mask_word(size: i64, i: usize) -> u64 {
    let left = size - i as i64 * 64;
    match left {
        64.. => u64::MAX,
        1..64 => (1u64 << left) - 1,
        _ => 0,
    }
}

fn width_lo(width: u32) -> i64 {
    if width == 8 { -LIMIT } else { -(1i64 << (width * 8 - 1)) + 2 }
}

fn width_hi(width: u32) -> i64 {
    if width == 8 { LIMIT } else { (1i64 << (width * 8 - 1)) - 1 }
}

/// The ends of lists that each are integers in a row.
fn spans(lists: &[Known]) -> Option<Vec<(i64, i64)>> {
    lists
        .iter()
        .map(|list| {
            let words: Option<Vec<i64>> = crate::eval::elements(list)
                .iter()
                .map(|item| if let Known::Int(n) = item { n.as_i64() } else { None })
                .collect();
            let words = words?;
            match (words.first(), words.last()) {
                (Some(first), Some(last)) => {
                    words.windows(2).all(|pair| pair[1] == pair[0] + 1).then_some((*first, *last))
                }
                _ => Some((1, 0)),
            }
        })
        .collect()
}

/// How many elements are kept of a static list, those behind its end with them.
fn ringed(len: usize) -> usize {
    if len == 0 { 0 } else { len + super::value::RING as usize }
}

//! Builtins on lists and small sets.

use crate::ir::{Arith, Builtin};
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::shape::{LIMIT, Scalar, Sort};
use crate::jit::layout::slots::REGISTERS;
use crate::jit::mir::{Block, IntCC, Variable, types};

impl Builder<'_> {
    /// Loops over a list's indices, from 0.
    pub fn each_index(
        &mut self,
        list: List,
        mut body: impl FnMut(&mut Self, V, Block) -> Result<()>,
    ) -> Result<()> {
        const UNROLLED: i64 = 8;
        if let Some(n) = list.exact.filter(|n| *n <= UNROLLED) {
            let exit = self.block();
            for i in 0..n {
                let i = self.int(i);
                body(self, i, exit)?;
            }
            self.jump(exit);
            self.switch_to(exit);
            return Ok(());
        }
        self.each_below(list.len, list.most, body)
    }

    /// Loops over a list's elements.
    pub fn each_item(
        &mut self,
        list: List,
        mut body: impl FnMut(&mut Self, Word, Block) -> Result<()>,
    ) -> Result<()> {
        self.each_index(list, |this, i, exit| {
            let item = this.element(list, i);
            body(this, item, exit)
        })
    }

    /// Returns a sorted copy.
    pub fn sorted(&mut self, list: List) -> Result<List> {
        if list.is_of_kept() {
            return self.sorted_gathered(list, false);
        }
        let bytes = self.b.ins().ishl_imm_s(list.len, 3);
        let at = self.scratch(bytes);
        self.copy_list(list, at, 8, list.of)?;
        self.call("sort", &[at, list.len])?;
        Ok(List { at, width: 8, immutable: true, ..list })
    }

    /// Returns the distinct elements in ascending order. This represents sets that are too large for bits.
    pub(in crate::jit) fn set_of_list(&mut self, list: List) -> Result<List> {
        if list.is_of_kept() {
            return self.sorted_gathered(list, true);
        }
        self.among_equals(list, |_, first, _| Ok(first))
    }

    /// Returns the elements that occur exactly once.
    pub(in crate::jit) fn unique_elements(&mut self, list: List) -> Result<Val> {
        let of = list.of;
        if of.optional || of.words() > REGISTERS {
            let list = self.among_equals(list, |this, first, last| Ok(this.b.ins().band(first, last)))?;
            return Ok(Val::List(list));
        }
        let zero = self.int(0);
        let vars: Vec<(Variable, Variable)> =
            (0..of.words()).map(|_| (self.var(zero), self.var(zero))).collect();
        self.each_item(list, |this, item, _| {
            for ((seen, again), bit) in vars.iter().zip(this.singleton_bits(of, item.v)) {
                let (before, twice) = (this.b.use_var(*seen), this.b.use_var(*again));
                let repeated = this.b.ins().band(before, bit);
                let twice = this.b.ins().bor(twice, repeated);
                let now = this.b.ins().bor(before, bit);
                this.b.def_var(*again, twice);
                this.b.def_var(*seen, now);
            }
            Ok(())
        })?;
        let words = vars.into_iter().map(|(seen, again)| {
            let (seen, again) = (self.b.use_var(seen), self.b.use_var(again));
            self.b.ins().band_not(seen, again)
        });
        Ok(Val::Bits(Bits { words: words.collect(), of }))
    }

    /// Returns the sorted elements for which `keep` holds, given whether the element is the first, and whether
    /// it is the last, among equal ones.
    fn among_equals(&mut self, list: List, keep: impl Fn(&mut Self, V, V) -> Result<V>) -> Result<List> {
        let sorted = self.sorted(list)?;
        // Kept elements are stored where elements have already been read.
        let words = self.words_at(sorted.at);
        // No element is this large.
        let nothing = self.int(i64::MAX);
        let before = self.var(nothing);
        let end = self.b.ins().iadd_imm_s(sorted.len, -1);
        self.each_index(sorted, |this, i, _| {
            let item = this.element(sorted, i);
            let old = this.b.use_var(before);
            let first = this.cmp(IntCC::NotEqual, old, item.v);
            let next = this.b.ins().iadd_imm_s(i, 1);
            let next = this.b.ins().smin(next, end);
            let after = this.element(sorted, next);
            let differs = this.cmp(IntCC::NotEqual, after.v, item.v);
            let at_end = this.cmp(IntCC::Equal, i, end);
            let last = this.b.ins().bor(differs, at_end);
            let kept = keep(this, first, last)?;
            let kept = this.b.ins().uextend(types::I64, kept);
            this.append_if(kept, words, item.v);
            this.b.def_var(before, item.v);
            Ok(())
        })?;
        let len = self.word_count(words);
        Ok(List { len, exact: None, ..sorted })
    }

    /// Returns the inverse of a list, which must be a permutation of 1, 2, …
    pub(in crate::jit) fn inverse(&mut self, list: List) -> Result<List> {
        if list.of.sort != Sort::Int || list.of.optional {
            return unsupported("the inverse of what may be no numbers");
        }
        let bytes = self.b.ins().ishl_imm_s(list.len, 3);
        let at = self.scratch(bytes);
        let of = Scalar::int(1, list.most.unwrap_or(1 << 40).max(1));
        let inverse = List { exact: list.exact, ..List::immutable(at, list.len, of, list.most) };
        self.each_index(list, |this, i, _| {
            let place = this.entry_at(at, i, 8);
            let zero = this.int(0);
            this.store64(zero, place, 0);
            Ok(())
        })?;
        self.each_index(list, |this, i, _| {
            let item = this.element(list, i);
            let from = this.b.ins().iadd_imm_s(item.v, -1);
            let beyond = this.cmp(IntCC::UnsignedGreaterThanOrEqual, from, list.len);
            this.bail_out_if(beyond);
            let place = this.entry_at(at, from, 8);
            let number = this.b.ins().iadd_imm_s(i, 1);
            this.store64(number, place, 0);
            Ok(())
        })?;
        // If a number occurs twice, another is missing.
        self.each_item(inverse, |this, place, _| {
            let missing = this.cmp_imm(IntCC::Equal, place.v, 0);
            this.bail_out_if(missing);
            Ok(())
        })?;
        Ok(inverse)
    }

    /// Returns whether a list occurs in another one contiguously.
    pub(in crate::jit) fn occurs(&mut self, part: List, whole: List) -> Result<V> {
        let (part, whole) = self.with_common_sort(part, whole)?;
        let zero = self.int(0);
        let last = self.b.ins().isub(whole.len, part.len);
        let starts = whole.most.map(|most| most.saturating_add(1));
        let missing = self.all_hold(zero, last, starts, |this, from| {
            let first = this.int(0);
            let end = this.b.ins().iadd_imm_s(part.len, -1);
            let here = this.all_hold(first, end, part.most, |this, i| {
                let at = this.b.ins().iadd(from, i);
                let (a, b) = (this.element(part, i), this.element(whole, at));
                Ok(this.cmp(IntCC::Equal, a.v, b.v))
            })?;
            Ok(this.b.ins().bxor_imm_s(here, 1))
        })?;
        Ok(self.b.ins().bxor_imm_s(missing, 1))
    }

    pub(in crate::jit) fn reversed_or_rotated(&mut self, list: List, by: Option<Word>) -> Result<List> {
        let bytes = self.b.ins().ishl_imm_s(list.len, 3);
        let at = self.scratch(bytes);
        let one = self.int(1);
        let size = self.b.ins().smax(list.len, one);
        let start = match by {
            Some(by) => {
                let all = Builder::ranged(size, 1, 1 << 40);
                self.arith(Arith::Mod, by, all)?.v
            }
            None => self.int(0),
        };
        let last = self.b.ins().iadd_imm_s(list.len, -1);
        self.each_below(list.len, list.most, |this, i, _| {
            let from = match by {
                None => this.b.ins().isub(last, i),
                Some(_) => {
                    let sum = this.b.ins().iadd(start, i);
                    this.b.ins().urem(sum, size)
                }
            };
            let item = this.element(list, from);
            let place = this.entry_at(at, i, 8);
            this.store64(item.v, place, 0);
            Ok(())
        })?;
        Ok(List { at, width: 8, immutable: true, ..list })
    }

    /// Returns the lengths of the runs of equal elements.
    pub(in crate::jit) fn run_lengths(&mut self, list: List) -> Result<List> {
        let bytes = self.b.ins().ishl_imm_s(list.len, 3);
        let at = self.scratch(bytes);
        // `place` points to the current run's length; a change of element begins a new run.
        let below = self.b.ins().iadd_imm_s(at, -8);
        let place = self.var(below);
        let nothing = self.int(i64::MAX);
        let before = self.var(nothing);
        let zero = self.int(0);
        let length = self.var(zero);
        self.each_item(list, |this, item, _| {
            let last = this.b.use_var(before);
            let apart = this.cmp(IntCC::NotEqual, last, item.v);
            let step = this.b.ins().uextend(types::I64, apart);
            let step = this.b.ins().ishl_imm_s(step, 3);
            let old = this.b.use_var(place);
            let to = this.b.ins().iadd(old, step);
            let run = this.b.use_var(length);
            let none = this.int(0);
            let so_far = this.b.ins().select(apart, none, run);
            let now = this.b.ins().iadd_imm_s(so_far, 1);
            this.store64(now, to, 0);
            this.b.def_var(place, to);
            this.b.def_var(length, now);
            this.b.def_var(before, item.v);
            Ok(())
        })?;
        let end = self.b.use_var(place);
        let len = self.words_between(below, end);
        let of = Scalar::int(1, list.most.unwrap_or(1 << 31).max(1));
        Ok(List::immutable(at, len, of, list.most))
    }

    pub(in crate::jit) fn joined(&mut self, a: List, b: List) -> Result<List> {
        let of = match (a.most, b.most) {
            (Some(0), _) => b.of,
            (_, Some(0)) => a.of,
            _ => match self.common_elements(a.of, b.of) {
                Some(of) => of,
                None => return unsupported("lists of different sorts joined"),
            },
        };
        let len = self.b.ins().iadd(a.len, b.len);
        let bytes = self.b.ins().ishl_imm_s(len, 3);
        let at = self.scratch(bytes);
        // What names a value is the same word in either list.
        let own = |list: List| if list.most == Some(0) || list.is_of_kept() { list.of } else { of };
        self.copy_list(a, at, 8, own(a))?;
        let behind = self.entry_at(at, a.len, 8);
        self.copy_list(b, behind, 8, own(b))?;
        let most = a.most.zip(b.most).map(|(a, b)| a.saturating_add(b));
        Ok(List::immutable(at, len, of, most))
    }

    pub(in crate::jit) fn picked_one(&mut self, builtin: Builtin, val: Val) -> Result<Word> {
        use Builtin as B;
        match val {
            Val::Bits(bits) | Val::Members(bits) => {
                let any = self.any_bit(&bits);
                self.bail_out_unless(any);
                let least = matches!(builtin, B::First | B::Smallest);
                let at = self.lowest_or_highest_bit(&bits, least);
                let v = self.b.ins().iadd_imm_s(at, bits.of.lo);
                Ok(Word { v, s: bits.of, known: None })
            }
            Val::Span(lo, hi) => {
                let empty = self.cmp(IntCC::SignedGreaterThan, lo.v, hi.v);
                self.bail_out_if(empty);
                Ok(if matches!(builtin, B::First | B::Smallest) { lo } else { hi })
            }
            val => {
                let bag = matches!(val, Val::BagOfList(_));
                let by_place = !bag && matches!(builtin, B::First | B::Last);
                let list = if by_place { self.any_list(val)? } else { self.unordered_list(val)? };
                let empty = self.cmp_imm(IntCC::Equal, list.len, 0);
                self.bail_out_if(empty);
                if by_place {
                    let i = match builtin {
                        B::First => self.int(0),
                        _ => self.b.ins().iadd_imm_s(list.len, -1),
                    };
                    return Ok(self.element(list, i));
                }
                let zero = self.int(0);
                let first = self.element(list, zero);
                let best = self.var(first.v);
                let least = matches!(builtin, B::First | B::Smallest);
                self.each_item(list, |this, item, _| {
                    let so_far = this.b.use_var(best);
                    let next = match least {
                        true => this.b.ins().smin(so_far, item.v),
                        false => this.b.ins().smax(so_far, item.v),
                    };
                    this.b.def_var(best, next);
                    Ok(())
                })?;
                Ok(Word { v: self.b.use_var(best), s: list.of, known: None })
            }
        }
    }

    /// Returns the elements of a collection at some places. Consecutive elements of a list are not copied.
    pub(in crate::jit) fn picked_list(&mut self, base: &Val, at: Val) -> Result<List> {
        if let (Val::List(list), Val::Span(low, high)) = (base, &at) {
            return Ok(self.part_of_list(*list, *low, *high));
        }
        let places = self.list(at)?;
        self.picked(base, places)
    }

    /// Returns the elements of a list from one place to another, inclusive, where they are. Bails out if a
    /// place is not in the list.
    fn part_of_list(&mut self, list: List, low: Word, high: Word) -> List {
        let len = self.span_len(low, high);
        let before = self.cmp_imm(IntCC::SignedLessThan, low.v, 1);
        let beyond = self.cmp(IntCC::SignedGreaterThan, high.v, list.len);
        let any = self.cmp_imm(IntCC::NotEqual, len, 0);
        let off = self.b.ins().bor(before, beyond);
        let off = self.b.ins().band(off, any);
        self.bail_out_if(off);
        let from = self.b.ins().iadd_imm_s(low.v, -1);
        let at = self.entry_at(list.at, from, i64::from(list.width));
        let most = high.s.hi.saturating_sub(low.s.lo).saturating_add(1).clamp(0, LIMIT);
        let most = Some(list.most.map_or(most, |whole| whole.min(most)));
        List { at, len, most, exact: None, ..list }
    }

    /// Returns the index of the lowest or highest set bit; there must be one.
    pub fn lowest_or_highest_bit(&mut self, bits: &Bits, lowest: bool) -> V {
        let mut result: Option<V> = None;
        let order: Vec<usize> = match lowest {
            true => (0..bits.words.len()).rev().collect(),
            false => (0..bits.words.len()).collect(),
        };
        for i in order {
            let word = bits.words[i];
            let at = match lowest {
                true => self.b.ins().ctz(word),
                false => {
                    let gap = self.b.ins().clz(word);
                    let top = self.int(63);
                    self.b.ins().isub(top, gap)
                }
            };
            let at = self.b.ins().iadd_imm_s(at, i as i64 * 64);
            result = Some(match result {
                None => at,
                Some(other) => {
                    let any = self.cmp_imm(IntCC::NotEqual, word, 0);
                    self.b.ins().select(any, at, other)
                }
            });
        }
        result.unwrap_or_else(|| self.int(0))
    }

    /// Returns the `count` elements that follow the element at index `found`, wrapping around.
    pub(in crate::jit) fn elements_after(&mut self, found: V, list: List, count: Word) -> Result<List> {
        self.must_fit(count, 0, 1 << 20);
        let bytes = self.b.ins().ishl_imm_s(count.v, 3);
        let at = self.scratch(bytes);
        let index = self.var(found);
        let one = self.int(1);
        self.each_int(one, count.v, Some(count.s.hi), |this, k, _| {
            let i = this.b.use_var(index);
            let next = this.b.ins().iadd_imm_s(i, 1);
            let over = this.cmp(IntCC::Equal, next, list.len);
            let zero = this.int(0);
            let next = this.b.ins().select(over, zero, next);
            this.b.def_var(index, next);
            let item = this.element(list, next);
            let place = this.entry_at(at, k, 8);
            this.store64(item.v, place, -8);
            Ok(())
        })?;
        Ok(List::immutable(at, count.v, list.of, None))
    }

    /// Returns the 0-based index of an element in a list; bails out if it is missing.
    pub fn index_of(&mut self, list: List, word: Word) -> Result<V> {
        let word = self.lookup_word(Val::Word(word), list.of)?;
        let missing = self.int(-1);
        let found = self.var(missing);
        self.each_below(list.len, list.most, |this, i, exit| {
            let item = this.element(list, i);
            let (hit, on) = (this.block(), this.block());
            let same = this.cmp(IntCC::Equal, item.v, word.v);
            this.branch_on(same, hit, on);
            this.switch_to(hit);
            this.b.def_var(found, i);
            this.jump(exit);
            this.switch_to(on);
            Ok(())
        })?;
        let at = self.b.use_var(found);
        let missing = self.cmp_imm(IntCC::Equal, at, -1);
        self.bail_out_if(missing);
        Ok(at)
    }

    /// Returns the elements of a collection in memory as a list.
    pub(in crate::jit) fn elements_in_memory(&mut self, val: Val) -> Result<List> {
        let of = match &val {
            Val::Keyed { shape, .. } => shape.keys.scalar(self.layout.squares),
            Val::MemoryBits { of, .. } | Val::Counts { of, .. } => *of,
            other => return unsupported(format!("the elements of {}", other.kind())),
        };
        let (count, most) = self.size(val.clone())?;
        self.must_be_short(count);
        if let Val::Counts { at, of } = val {
            return self.elements_of_bag(at, of, count);
        }
        let bytes = self.b.ins().ishl_imm_s(count, 3);
        let words = self.words_in_scratch(bytes);
        self.each_value_in(val, |this, val| {
            let word = this.word(val)?;
            this.append(words, word.v);
            Ok(())
        })?;
        Ok(List::immutable(words.at, count, of, most))
    }

    /// Returns the elements of a bag with `count` elements as a list. The number of copies is unpredictable,
    /// so several are written without a test, and superfluous ones are overwritten by the next element.
    fn elements_of_bag(&mut self, bag: V, of: Scalar, count: V) -> Result<List> {
        const UNROLLED: i64 = 4;
        let bytes = self.b.ins().ishl_imm_s(count, 3);
        let bytes = self.b.ins().iadd_imm_s(bytes, UNROLLED * 8);
        let at = self.scratch(bytes);
        let place = self.var(at);
        let (first, last) = (self.int(of.lo), self.int(of.hi));
        self.each_int(first, last, Some(of.size()), |this, v, _| {
            let copies = this.count_of(bag, of, Word { v, s: of, known: None });
            let to = this.b.use_var(place);
            for k in 0..UNROLLED {
                this.store64(v, to, k as i32 * 8);
            }
            let (more, on) = (this.cold_block(), this.block());
            let many = this.cmp_imm(IntCC::SignedGreaterThan, copies, UNROLLED);
            this.branch_on(many, more, on);
            this.switch_to(more);
            let (next, end) = (this.int(UNROLLED), this.b.ins().iadd_imm_s(copies, -1));
            this.each_int(next, end, None, |this, k, _| {
                let offset = this.b.ins().ishl_imm_s(k, 3);
                let to = this.b.ins().iadd(to, offset);
                this.store64(v, to, 0);
                Ok(())
            })?;
            this.jump(on);
            this.switch_to(on);
            let offset = this.b.ins().ishl_imm_s(copies, 3);
            let next = this.b.ins().iadd(to, offset);
            this.b.def_var(place, next);
            Ok(())
        })?;
        Ok(List::immutable(at, count, of, None))
    }
}

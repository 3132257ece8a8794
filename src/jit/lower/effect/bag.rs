//! Writes bags: a count for each possible element, or, where too many are possible, the elements in ascending order.

use crate::ir::Change;
use crate::jit::builder::value::{List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::position::{occurring_at, size_and_align, total_at};
use crate::jit::layout::shape::{Length, Scalar, Shape};
use crate::jit::mir::{IntCC, types};

impl Builder<'_> {
    pub(in crate::jit) fn write_counts(&mut self, of: Scalar, at: V, change: Change, val: Val) -> Result<()> {
        match (change, val) {
            (Change::Set, Val::Const(value)) if crate::eval::elements(&value).is_empty() => {
                self.zero(at, size_and_align(&Shape::Counts(of), self.layout.squares).0)
            }
            (Change::Set, val) => {
                let list = self.unordered_list(val)?;
                self.zero(at, size_and_align(&Shape::Counts(of), self.layout.squares).0)?;
                self.count_each(of, at, list)
            }
            (Change::Insert, val) => {
                let word = self.word_as(val, of.sort)?;
                self.count_one(of, at, word)
            }
            (Change::Join, val) => {
                let list = self.unordered_list(val)?;
                self.count_each(of, at, list)
            }
            (Change::Remove, val) => {
                let word = self.word_as(val, of.sort)?;
                let times = self.count_of(at, of, word);
                self.when(times, |this| {
                    let from = this.b.ins().iadd_imm_s(word.v, -of.lo);
                    let place = this.entry_at(at, from, 4);
                    let less = this.b.ins().iadd_imm_s(times, -1);
                    this.store_u(4, less, place, 0);
                    let total = this.load64(at, total_at(of));
                    let total = this.b.ins().iadd_imm_s(total, -1);
                    this.store64(total, at, total_at(of));
                    let occurs = this.cmp_imm(IntCC::NotEqual, less, 0);
                    this.note_occurring(of, at, from, occurs);
                    Ok(())
                })?;
                Ok(())
            }
            (_, other) => unsupported(format!("{} put into a bag", other.kind())),
        }
    }

    /// Adds the elements of a list to a bag.
    fn count_each(&mut self, of: Scalar, at: V, list: List) -> Result<()> {
        self.each_item(list, |this, item, _| {
            let word = this.word_as(Val::Word(item), of.sort)?;
            this.count_one(of, at, word)
        })
    }

    pub(in crate::jit) fn count_one(&mut self, of: Scalar, at: V, word: Word) -> Result<()> {
        let word = self.require_some(word);
        self.must_fit(word, of.lo, of.hi);
        let from = self.b.ins().iadd_imm_s(word.v, -of.lo);
        let place = self.entry_at(at, from, 4);
        let times = self.load_u(4, place, 0);
        let more = self.b.ins().iadd_imm_s(times, 1);
        self.store_u(4, more, place, 0);
        let total = self.load64(at, total_at(of));
        let total = self.b.ins().iadd_imm_s(total, 1);
        self.store64(total, at, total_at(of));
        let occurs = self.b.ins().iconst(types::I8, 1);
        self.note_occurring(of, at, from, occurs);
        Ok(())
    }

    /// Notes whether the element of a number from 0 occurs in a bag that is kept as counts.
    pub(in crate::jit) fn note_occurring(&mut self, of: Scalar, at: V, number: V, occurs: V) {
        let (nth, bit) = (self.b.ins().ushr_imm_s(number, 6), self.b.ins().band_imm_s(number, 63));
        let place = self.entry_at(at, nth, 8);
        let (one, occurs) = (self.int(1), self.b.ins().uextend(types::I64, occurs));
        let (own, bit) = (self.b.ins().ishl(one, bit), self.b.ins().ishl(occurs, bit));
        let word = self.load64(place, occurring_at(of));
        let others = self.b.ins().band_not(word, own);
        let word = self.b.ins().bor(others, bit);
        self.store64(word, place, occurring_at(of));
    }

    /// Changes a bag whose elements lie in ascending order.
    pub(in crate::jit) fn write_sorted(&mut self, of: Scalar, at: V, change: Change, val: Val) -> Result<()> {
        match change {
            Change::Set => {
                let list = self.unordered_list(val)?;
                let list = self.sorted(list)?;
                self.write_list(Length::Growing, of, at, Change::Set, Val::List(list))
            }
            Change::Insert => {
                let base = self.base();
                let offset = self.b.ins().isub(at, base);
                self.write_list(Length::Growing, of, at, Change::Insert, val)?;
                // Growing may have moved the position, but not the bag within it.
                let base = self.base();
                let at = self.b.ins().iadd(base, offset);
                self.sink_last(of, at)
            }
            Change::Join => {
                let list = self.unordered_list(val)?;
                let list = self.immutable_list(Val::List(list))?;
                let base = self.base();
                let offset = self.b.ins().isub(at, base);
                self.each_item(list, |this, item, _| {
                    let base = this.base();
                    let at = this.b.ins().iadd(base, offset);
                    this.write_sorted(of, at, Change::Insert, Val::Word(item))
                })
            }
            Change::Remove => self.write_list(Length::Growing, of, at, Change::Remove, val),
            Change::Plus | Change::Minus => unsupported("a bag changed like a number"),
        }
    }

    /// Moves the last element of a list before those that are greater.
    fn sink_last(&mut self, of: Scalar, at: V) -> Result<()> {
        let shape = Shape::List(Length::Growing, of);
        let Val::List(list) = self.in_place(&shape, false, at)? else { return unsupported("a list") };
        let (zero, last) = (self.int(0), self.b.ins().iadd_imm_s(list.len, -1));
        let (word, place) = (self.element(list, last), self.var(last));
        let before = self.b.ins().iadd_imm_s(last, -1);
        self.each_int(zero, before, None, |this, back, exit| {
            let i = this.b.ins().isub(before, back);
            let other = this.element(list, i);
            let greater = this.cmp(IntCC::SignedGreaterThan, other.v, word.v);
            this.leave_unless(greater, exit);
            let to = this.entry_at(list.at, i, i64::from(of.width()));
            let next = this.b.ins().iadd_imm_s(to, i64::from(of.width()));
            this.store_scalar(of, other, next, 0);
            this.b.def_var(place, i);
            Ok(())
        })?;
        let place = self.b.use_var(place);
        let to = self.entry_at(list.at, place, i64::from(of.width()));
        self.store_scalar(of, word, to, 0);
        Ok(())
    }
}

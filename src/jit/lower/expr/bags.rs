//! Bags that are kept as counts: compared, and what two of them have in common or not.

use crate::ir::{Builtin, Type};
use crate::jit::builder::value::Val;
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::position::{occurring_at, size_and_align, total_at};
use crate::jit::layout::shape::{Scalar, Shape};
use crate::jit::mir::{IntCC, types};

impl Builder<'_> {
    /// Returns whether two bags of a type are equal.
    pub(in crate::jit) fn same_bags(&mut self, a: Val, b: Val, of: &Type) -> Result<V> {
        match (a, b) {
            (Val::Counts { at: x, of }, Val::Counts { at: y, of: other }) if of == other => {
                let (first, last) = (self.int(0), self.int(of.size() - 1));
                self.all_hold(first, last, Some(of.size()), |this, i| {
                    let (x, y) = (this.count_at(x, i), this.count_at(y, i));
                    Ok(this.cmp(IntCC::Equal, x, y))
                })
            }
            (Val::Counts { at, of }, other) | (other, Val::Counts { at, of }) => {
                self.counts_are(at, of, other)
            }
            (a, b) => {
                // The lists of their elements are sorted.
                let (a, b) = (self.list(a)?, self.list(b)?);
                self.same(Val::List(a), Val::List(b), &Type::List(Box::new(of.clone())))
            }
        }
    }

    /// Returns whether a bag that is kept as counts equals another one: it has as many elements, and each of them can be taken
    /// out.
    fn counts_are(&mut self, at: V, of: Scalar, other: Val) -> Result<V> {
        let list = self.unordered_list(other)?;
        let (total, _) = self.size(Val::Counts { at, of })?;
        let as_many = self.cmp(IntCC::Equal, total, list.len);
        let same = self.var(as_many);
        let (inside, end) = (self.block(), self.block());
        self.branch_on(as_many, inside, end);
        self.switch_to(inside);
        let left = self.copied_counts(at, of)?;
        self.each_item(list, |this, item, _| {
            let (known, missing, on) = (this.block(), this.block(), this.block());
            let item = this.lookup_word(Val::Word(item), of)?;
            let number = this.b.ins().iadd_imm_s(item.v, -of.lo);
            let within = this.cmp_imm(IntCC::UnsignedLessThan, number, of.size());
            this.branch_on(within, known, missing);
            this.switch_to(known);
            let count = this.count_at(left, number);
            let place = this.entry_at(left, number, 4);
            let less = this.b.ins().iadd_imm_s(count, -1);
            this.store_u(4, less, place, 0);
            let none = this.cmp_imm(IntCC::Equal, count, 0);
            this.branch_on(none, missing, on);
            this.switch_to(missing);
            let no = this.b.ins().iconst(types::I8, 0);
            this.b.def_var(same, no);
            this.jump(end);
            this.switch_to(on);
            Ok(())
        })?;
        self.jump(end);
        self.switch_to(end);
        Ok(self.b.use_var(same))
    }

    /// Returns the union, the intersection or the difference of two bags that are kept as counts of the same elements.
    pub(in crate::jit) fn counts_op(&mut self, builtin: Builtin, a: V, b: V, of: Scalar) -> Result<Val> {
        let to = self.copied_counts(a, of)?;
        let (zero, last) = (self.int(0), self.int(of.size() - 1));
        let total = self.var(zero);
        (0..of.words() as i32).for_each(|i| self.store64(zero, to, occurring_at(of) + 8 * i));
        self.each_int(zero, last, Some(of.size()), |this, i, _| {
            let (x, y) = (this.count_at(a, i), this.count_at(b, i));
            let count = match builtin {
                Builtin::Union => this.b.ins().smax(x, y),
                Builtin::Common => this.b.ins().smin(x, y),
                _ => {
                    let less = this.b.ins().isub(x, y);
                    this.b.ins().smax(less, zero)
                }
            };
            let place = this.entry_at(to, i, 4);
            this.store_u(4, count, place, 0);
            let so_far = this.b.use_var(total);
            let sum = this.b.ins().iadd(so_far, count);
            this.b.def_var(total, sum);
            let occurs = this.cmp_imm(IntCC::NotEqual, count, 0);
            this.note_occurring(of, to, i, occurs);
            Ok(())
        })?;
        let total = self.b.use_var(total);
        self.store64(total, to, total_at(of));
        Ok(Val::Counts { at: to, of })
    }

    /// Copies the counts of a bag to scratch memory, with room for what follows them.
    fn copied_counts(&mut self, at: V, of: Scalar) -> Result<V> {
        let room = self.int(size_and_align(&Shape::Counts(of), self.layout.squares).0);
        let to = self.scratch(room);
        let (first, last) = (self.int(0), self.int(of.size() - 1));
        self.each_int(first, last, Some(of.size()), |this, i, _| {
            let count = this.count_at(at, i);
            let place = this.entry_at(to, i, 4);
            this.store_u(4, count, place, 0);
            Ok(())
        })?;
        Ok(to)
    }

    /// Returns how often the element of a number from 0 occurs.
    fn count_at(&mut self, at: V, number: V) -> V {
        let place = self.entry_at(at, number, 4);
        self.load_u(4, place, 0)
    }
}

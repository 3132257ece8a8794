//! Sets: written out, and what two of them, or two lists, have in common or not.

use crate::ir::{Builtin, Expr, Type};
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, unsupported};
use crate::jit::layout::kept::is_compound;
use crate::jit::layout::shape::Scalar;
use crate::jit::layout::slots::REGISTERS;
use crate::jit::layout::tuple::common;
use crate::jit::mir::{IntCC, Variable};

impl Builder<'_> {
    /// Returns the set of some values, given its type.
    pub(in crate::jit) fn set_of(&mut self, parts: &[Expr], ty: &Type) -> Result<Val> {
        if let Some(of) = ty.element().filter(is_compound) {
            let vals = parts.iter().map(|part| self.expr(part)).collect::<Result<Vec<Val>>>()?;
            let all = self.gathered_from(vals, &of)?;
            return Ok(Val::List(self.set_of_list(all)?));
        }
        let words: Result<Vec<Word>> = parts.iter().map(|part| self.word_of(part)).collect();
        let words = words?;
        let of = words.iter().map(|word| Some(word.s)).reduce(|a, b| common(a?, b?)).flatten();
        let Some(of) = of else { return unsupported("a set of values of different sorts") };
        if of.optional || of.words() > REGISTERS {
            let room = self.int(words.len() as i64 * 8);
            let (at, len) = (self.scratch(room), self.int(words.len() as i64));
            for (i, word) in words.into_iter().enumerate() {
                let word = self.must_fit_place(word, of)?;
                self.store64(word.v, at, i as i32 * 8);
            }
            return Ok(Val::List(self.set_of_list(List::immutable(at, len, of, None))?));
        }
        let zero = self.int(0);
        let vars: Vec<Variable> = (0..of.words()).map(|_| self.var(zero)).collect();
        for word in words {
            let word = self.must_fit_place(word, of)?;
            self.set_bit(&vars, of, word.v);
        }
        Ok(Val::Bits(Bits { words: vars.iter().map(|var| self.b.use_var(*var)).collect(), of }))
    }

    /// Lowers the union, the intersection or the difference of sets, of bags, or of lists as bags.
    pub(in crate::jit) fn set_operation(
        &mut self,
        builtin: Builtin,
        a: Val,
        b: Val,
        ty: &Type,
    ) -> Result<Val> {
        use Builtin as B;
        match (&a, &b) {
            // What the first set cannot contain makes no difference.
            (Val::Bits(x), Val::Bits(y)) if builtin != B::Union && x.of.sort == y.of.sort => {
                let (of, other) = (x.of, self.restricted(y.clone(), x.of));
                self.set_op(builtin, a, Val::Bits(other), of)
            }
            (Val::Bits(x), Val::Const(y)) if builtin != B::Union => {
                let (of, other) = (x.of, self.known_restricted(y, x.of));
                self.set_op(builtin, a, Val::Bits(other), of)
            }
            (Val::Counts { at: x, of }, Val::Counts { at: y, of: other }) if of == other => {
                self.counts_op(builtin, *x, *y, *of)
            }
            (Val::Bits(x), Val::Bits(y)) => {
                let Some(of) = common(x.of, y.of) else {
                    return unsupported("sets of different sorts");
                };
                self.set_op(builtin, a, b, of)
            }
            (Val::Bits(x), other @ Val::Const(_)) | (other @ Val::Const(_), Val::Bits(x)) => {
                let both = self.element_scalar(other).and_then(|other| common(x.of, other));
                let of = both.filter(|of| of.words() <= REGISTERS && !of.optional).unwrap_or(x.of);
                self.set_op(builtin, a, b, of)
            }
            (Val::List(list), _) | (_, Val::List(list)) if builtin == B::Union && list.is_of_kept() => {
                let (a, b) = (self.gathered_list(a, ty)?, self.gathered_list(b, ty)?);
                let all = self.joined(a, b)?;
                Ok(Val::List(self.set_of_list(all)?))
            }
            _ => {
                let (x, y) = (self.list(a)?, self.list(b)?);
                let elements = match (builtin, ty) {
                    (B::Union, Type::Set(_)) => {
                        let both = self.joined(x, y)?;
                        self.set_of_list(both)?
                    }
                    (B::Union, _) => {
                        let more = self.multiset_op(B::Without, y, x)?;
                        let more = if matches!(ty, Type::Bag(_)) { more } else { self.sorted(more)? };
                        self.joined(x, more)?
                    }
                    _ => self.multiset_op(builtin, x, y)?,
                };
                Ok(if matches!(ty, Type::Bag(_)) { Val::BagOfList(elements) } else { Val::List(elements) })
            }
        }
    }

    /// Returns the union, the intersection or the difference of two sets of a universe.
    pub(in crate::jit) fn set_op(&mut self, builtin: Builtin, a: Val, b: Val, of: Scalar) -> Result<Val> {
        let (a, b) = (self.bits(a, of)?, self.bits(b, of)?);
        let words = a.words.iter().zip(&b.words);
        let words = words.map(|(a, b)| match builtin {
            Builtin::Union => self.b.ins().bor(*a, *b),
            Builtin::Common => self.b.ins().band(*a, *b),
            _ => self.b.ins().band_not(*a, *b),
        });
        Ok(Val::Bits(Bits { words: words.collect(), of }))
    }

    /// Returns the intersection or difference of lists as multisets, in the order of the first.
    pub(in crate::jit) fn multiset_op(&mut self, builtin: Builtin, a: List, b: List) -> Result<List> {
        let (a, b) = self.with_common_sort(a, b)?;
        let bytes = self.b.ins().ishl_imm_s(b.len, 3);
        let rest = self.scratch(bytes);
        self.copy_list(b, rest, 8, b.of)?;
        let bytes = self.b.ins().ishl_imm_s(a.len, 3);
        let words = self.words_in_scratch(bytes);
        let left = List { at: rest, width: 8, ..b };
        self.each_item(a, |this, item, _| {
            let no = this.int(0);
            let shared = this.var(no);
            this.each_below(left.len, left.most, |this, i, exit| {
                let other = this.element(left, i);
                let same = this.cmp(IntCC::Equal, other.v, item.v);
                let (hit, on) = (this.block(), this.block());
                this.branch_on(same, hit, on);
                this.switch_to(hit);
                let one = this.int(1);
                this.b.def_var(shared, one);
                // Each copy is matched only once.
                let spot = this.entry_at(rest, i, 8);
                let removed = this.int(i64::MAX);
                this.store64(removed, spot, 0);
                this.jump(exit);
                this.switch_to(on);
                Ok(())
            })?;
            let shared = this.b.use_var(shared);
            let keep = match builtin {
                Builtin::Common => shared,
                _ => this.b.ins().bxor_imm_s(shared, 1),
            };
            this.append_if(keep, words, item.v);
            Ok(())
        })?;
        let len = self.word_count(words);
        Ok(List { at: words.at, len, width: 8, exact: None, immutable: true, ..a })
    }
}

//! Collections that may be none.

use crate::ir::{Change, Compare, Type, Value as Known};
use crate::jit::builder::value::{List, Val};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::kept::Kept;
use crate::jit::layout::position::cells_head;
use crate::jit::layout::shape::{Index, Shape};
use crate::jit::lower::expr::gathered::Elements;
use crate::jit::mir::{IntCC, types};

impl Builder<'_> {
    /// Returns whether there is a collection where there may be none.
    pub(in crate::jit) fn is_present(&mut self, val: &Val) -> V {
        let count = match val {
            Val::Optional(list) => list.len,
            Val::Cells { at, cells } if cells.index == Index::Optional => self.load64(*at, 0),
            val => return self.b.ins().iconst(types::I8, i64::from(!matches!(val, Val::Const(Known::None)))),
        };
        self.cmp_imm(IntCC::NotEqual, count, 0)
    }

    /// Returns the collection that a value is if it may be none; bails out if it is none.
    pub(in crate::jit) fn present(&mut self, val: Val) -> Result<Val> {
        match val {
            Val::Optional(list) => {
                let none = self.cmp_imm(IntCC::Equal, list.len, 0);
                self.bail_out_if(none);
                let zero = self.int(0);
                Ok(self.element_value(list, zero))
            }
            Val::Cells { at, cells } if cells.index == Index::Optional => {
                let at = self.require_present(at);
                self.in_place(&cells.of, false, at)
            }
            val => Ok(val),
        }
    }

    /// Returns the address of the collection behind the word at an address that counts it; bails out if it is none.
    fn require_present(&mut self, at: V) -> V {
        let count = self.load64(at, 0);
        let none = self.cmp_imm(IntCC::Equal, count, 0);
        self.bail_out_if(none);
        self.b.ins().iadd_imm_s(at, i64::from(cells_head(Index::Optional)))
    }

    /// Returns a value as a computed collection that may be none; if it is not, it is of a type.
    pub(in crate::jit) fn optional(&mut self, val: Val, of: &Type) -> Result<Val> {
        if let Val::Optional(_) = val {
            return Ok(val);
        }
        let zero = self.int(0);
        if let Val::Const(Known::None) = val {
            let of = self.kept_scalar(&Kept::None);
            return Ok(Val::Optional(List::immutable(zero, zero, of, Some(0))));
        }
        let (at, some, end) = (self.var(zero), self.block(), self.block());
        let present = self.is_present(&val);
        self.branch_on(present, some, end);
        self.switch_to(some);
        let val = self.present(val)?;
        let mut elements = Elements::of(None);
        let word = self.element_word(val, of, &mut elements)?;
        let own = self.keep_words(&[word]);
        self.b.def_var(at, own);
        self.jump(end);
        self.switch_to(end);
        let (at, len) = (self.b.use_var(at), self.b.ins().uextend(types::I64, present));
        Ok(Val::Optional(self.list_of_elements(at, len, Some(1), elements)))
    }

    /// Returns whether two collections are equal of which either may be none.
    pub(in crate::jit) fn same_optional(&mut self, a: Val, b: Val, of: &Type) -> Result<V> {
        let (first, second) = (self.is_present(&a), self.is_present(&b));
        let alike = self.cmp(IntCC::Equal, first, second);
        let (same, both, end) = (self.var(alike), self.block(), self.block());
        let present = self.b.ins().band(first, second);
        self.branch_on(present, both, end);
        self.switch_to(both);
        let (a, b) = (self.present(a)?, self.present(b)?);
        let equal = self.compare(Compare::Equal, a, b, of)?;
        self.b.def_var(same, equal);
        self.jump(end);
        self.switch_to(end);
        Ok(self.b.use_var(same))
    }

    /// Changes a collection that may be none, at the address of the word that counts it.
    pub(in crate::jit) fn write_optional(
        &mut self,
        of: &Shape,
        at: V,
        change: Change,
        val: Val,
    ) -> Result<()> {
        if change != Change::Set {
            let at = self.require_present(at);
            return self.write_at(of, false, at, &[], change, val);
        }
        let present = self.is_present(&val);
        let count = self.b.ins().uextend(types::I64, present);
        self.store64(count, at, 0);
        if let Val::Const(Known::None) = val {
            return Ok(());
        }
        self.when(present, |this| {
            let val = this.present(val)?;
            let at = this.b.ins().iadd_imm_s(at, i64::from(cells_head(Index::Optional)));
            this.write_at(of, false, at, &[], change, val)?;
            Ok(())
        })?;
        Ok(())
    }
}

//! Changes of large sets, which are pools of entries.

use crate::ir::{Change, Type, Value as Known};
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::shape::{LIMIT, Length, Scalar, Shape};
use crate::jit::mir::IntCC;

impl Builder<'_> {
    /// Changes the large set whose handle is at an address.
    pub(in crate::jit) fn write_pool(&mut self, of: &Shape, at: V, change: Change, val: Val) -> Result<()> {
        let base = self.base();
        let handle = self.b.ins().isub(at, base);
        match (change, val) {
            (Change::Insert, val) => self.add_entry(of, handle, val),
            (Change::Set, Val::Const(value @ Known::Set(_))) => {
                let ctx = self.ctx;
                self.call("pool_clear", &[ctx, handle])?;
                crate::eval::elements(&value)
                    .into_iter()
                    .try_for_each(|item| self.add_entry(of, handle, Val::Const(item)))
            }
            (Change::Set | Change::Join, other @ Val::Opaque(_)) => {
                unsupported(format!("{} put into a large set", other.kind()))
            }
            (Change::Set | Change::Join, Val::Pool { handle: from, of: own }) => {
                // It may be the set itself.
                let all = self.pool_elements(from, &own)?;
                let base = self.base();
                let at = self.b.ins().iadd(base, handle);
                self.write_pool(of, at, change, all)
            }
            (Change::Set | Change::Join, val) => {
                if change == Change::Set {
                    let ctx = self.ctx;
                    self.call("pool_clear", &[ctx, handle])?;
                }
                self.each_value_in(val, |this, element| this.add_entry(of, handle, element))
            }
            (Change::Remove, val) => self.remove_entry(of, handle, val),
            (_, other) => unsupported(format!("{} put into a large set", other.kind())),
        }
    }

    /// Removes an entry from a pool: the others are inserted again.
    fn remove_entry(&mut self, of: &Shape, handle: V, val: Val) -> Result<()> {
        let val = match of {
            Shape::Scalar(of) => Val::Word(self.lookup_word(val, *of)?),
            _ => self.realised(val, &Type::Never)?,
        };
        let all = self.pool_elements(handle, of)?;
        let ctx = self.ctx;
        self.call("pool_clear", &[ctx, handle])?;
        self.each_value_in(all, |this, element| {
            let order = this.order(element.clone(), val.clone())?;
            this.when(order, |this| {
                this.add_entry(of, handle, element)?;
                Ok(())
            })?;
            Ok(())
        })
    }

    /// Inserts an entry into a pool; bails out if a list has the wrong length or a number is out of range.
    fn add_entry(&mut self, of: &Shape, handle: V, val: Val) -> Result<()> {
        let (entry, words) = self.entry(of, val)?;
        match of {
            // An entry begins with its length.
            Shape::List(Length::AtMost(n), _) => {
                let len = self.load64(entry, 0);
                let out = self.cmp_imm(IntCC::UnsignedGreaterThan, len, *n);
                self.bail_out_if(out);
            }
            Shape::List(Length::Exactly(n) | Length::Always(n), _) => {
                let len = self.load64(entry, 0);
                let out = self.cmp_imm(IntCC::NotEqual, len, *n);
                self.bail_out_if(out);
            }
            Shape::Scalar(of) => {
                let v = self.load64(entry, 8);
                let word =
                    Word { v, s: Scalar { lo: -LIMIT, hi: LIMIT, optional: true, ..*of }, known: None };
                self.must_fit_place(word, *of)?;
            }
            _ => {}
        }
        let ctx = self.ctx;
        let done = self.call("pool_add", &[ctx, handle, entry, words])?;
        self.reload_base();
        let failed = self.cmp_imm(IntCC::Equal, done, 0);
        self.bail_out_if(failed);
        Ok(())
    }
}

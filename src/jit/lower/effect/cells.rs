//! Changes of maps, grids and lists of collections, and of tuples with collections.

use crate::ir::{Change, Type, Value as Known};
use crate::jit::builder::value::Val;
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::position;
use crate::jit::layout::shape::{Cells, Index, Length, Shape};
use crate::jit::mir::{IntCC, types};

impl Builder<'_> {
    /// Changes a map, a grid or a list of collections at an address.
    pub(in crate::jit) fn write_cells(
        &mut self,
        cells: &Cells,
        at: V,
        change: Change,
        val: Val,
    ) -> Result<()> {
        const MAX_WRITTEN: usize = 32;
        if cells.index == Index::Optional {
            return self.write_optional(&cells.of, at, change, val);
        }
        // One value for all keys or squares is written to each; a whole map would be taken for the set of its keys.
        let keyed = |index: &Index| matches!(index, Index::Keyed(_));
        let whole = match &val {
            Val::Cells { cells, .. } => keyed(&cells.index),
            Val::Keyed { .. } | Val::Const(Known::Map(_) | Known::Grid(_)) => true,
            _ => false,
        };
        if whole && keyed(&cells.index) {
            return unsupported("a whole grid or map changed at once");
        }
        let val = match val {
            val @ Val::Cells { .. } => self.realised(val, &Type::Never)?,
            val => self.snapshot(val)?,
        };
        match (cells.index, change, val) {
            (Index::Places(length), Change::Set | Change::Join, Val::List(list)) if list.is_of_kept() => {
                if change == Change::Set {
                    if let Length::Exactly(n) | Length::Always(n) = length {
                        let other = self.cmp_imm(IntCC::NotEqual, list.len, n);
                        self.bail_out_if(other);
                    }
                    let zero = self.int(0);
                    self.store64(zero, at, 8);
                }
                // Growing may move the position, but not the handle within it.
                let base = self.base();
                let handle = self.b.ins().isub(at, base);
                self.each_item(list, |this, item, _| {
                    let val = this.opened(item);
                    let base = this.base();
                    let at = this.b.ins().iadd(base, handle);
                    this.push_cell(cells, length, at, val)
                })
            }
            (Index::Places(length), Change::Insert, val) => self.push_cell(cells, length, at, val),
            (Index::Places(length), Change::Set | Change::Join, Val::Const(Known::List(items)))
                if items.len() <= MAX_WRITTEN =>
            {
                if change == Change::Set {
                    let count = items.len() as i64;
                    let fits = match length {
                        Length::Exactly(n) => count == n,
                        length => length.allows(count),
                    };
                    if !fits {
                        return unsupported("a list of another length");
                    }
                    let zero = self.int(0);
                    self.store64(zero, at, 8);
                }
                // Growing may move the position, but not the handle within it.
                let base = self.base();
                let handle = self.b.ins().isub(at, base);
                items.iter().try_for_each(|item| {
                    let base = self.base();
                    let at = self.b.ins().iadd(base, handle);
                    self.push_cell(cells, length, at, Val::Const(item.clone()))
                })
            }
            (Index::Places(_), Change::Remove, val) => self.remove_cell(cells, at, val),
            (Index::Keyed(_), Change::Set, val) => {
                let count = position::cell_count(cells.index, self.layout.squares);
                let base = self.base();
                let offset = self.b.ins().isub(at, base);
                let (first, last) = (self.int(0), self.int(count - 1));
                self.each_int(first, last, Some(count), |this, i, _| {
                    let base = this.base();
                    let at = this.b.ins().iadd(base, offset);
                    let place = this.entry_at(at, i, this.cell_size(cells));
                    this.write_at(&cells.of, false, place, &[], Change::Set, val.clone())
                })
            }
            (_, _, other) => unsupported(format!("{} put into a collection of collections", other.kind())),
        }
    }

    /// Appends a collection to a list whose handle is at an address.
    fn push_cell(&mut self, cells: &Cells, length: Length, at: V, val: Val) -> Result<()> {
        let old = self.load64(at, 8);
        let count = self.b.ins().iadd_imm_s(old, 1);
        let most = length.most().unwrap_or(crate::eval::MAX_ELEMENTS as i64);
        let full = self.cmp_imm(IntCC::UnsignedGreaterThan, count, most);
        self.bail_out_if(full);
        let size = self.cell_size(cells);
        let bytes = self.b.ins().imul_imm_s(count, size);
        let at = self.reserve(at, bytes)?;
        self.store64(count, at, 8);
        let first = self.elements_at(at);
        let place = self.entry_at(first, old, size);
        self.write_at(&cells.of, false, place, &[], Change::Set, val)
    }

    /// Removes the first element equal to a value from a list whose handle is at an address. Its place goes behind
    /// the others, with the blocks that it owns.
    fn remove_cell(&mut self, cells: &Cells, at: V, val: Val) -> Result<()> {
        let words = self.cell_size(cells) / 8;
        let count = self.load64(at, 8);
        let first = self.elements_at(at);
        let (zero, last) = (self.int(0), self.b.ins().iadd_imm_s(count, -1));
        let gap = self.var(zero);
        let missing = self.b.ins().iconst(types::I8, 0);
        let found = self.var(missing);
        // Once it has been found, every later element changes places with the one before it.
        self.each_int(zero, last, None, |this, i, _| {
            let here = this.entry_at(first, i, words * 8);
            let (search, shift, on) = (this.block(), this.block(), this.block());
            let have = this.b.use_var(found);
            this.branch_on(have, shift, search);
            this.switch_to(search);
            let own = this.in_place(&cells.of, false, here)?;
            let same = this.same_as_cell(&cells.of, own, val.clone())?;
            this.b.def_var(found, same);
            this.b.def_var(gap, here);
            this.jump(on);
            this.switch_to(shift);
            let before = this.b.use_var(gap);
            for word in 0..words as i32 {
                let (a, b) = (this.load64(before, word * 8), this.load64(here, word * 8));
                this.store64(b, before, word * 8);
                this.store64(a, here, word * 8);
            }
            this.b.def_var(gap, here);
            this.jump(on);
            this.switch_to(on);
            Ok(())
        })?;
        let have = self.b.use_var(found);
        let less = self.b.ins().uextend(types::I64, have);
        let count = self.b.ins().isub(count, less);
        self.store64(count, at, 8);
        Ok(())
    }

    /// Writes a tuple, part by part.
    pub(in crate::jit) fn write_parts(
        &mut self,
        shapes: &[Shape],
        at: V,
        change: Change,
        val: Val,
    ) -> Result<()> {
        if change != Change::Set {
            return unsupported("a tuple changed like a collection");
        }
        let val = self.snapshot(val)?;
        let Some(parts) = self.tuple_parts(&val, shapes.len()) else {
            return unsupported(format!("{} where a tuple belongs", val.kind()));
        };
        let base = self.base();
        let offset = self.b.ins().isub(at, base);
        let places = position::part_offsets(shapes, self.layout.squares);
        for ((shape, place), part) in shapes.iter().zip(places).zip(parts) {
            let base = self.base();
            let at = self.b.ins().iadd(base, offset);
            let at = self.b.ins().iadd_imm_s(at, i64::from(place));
            self.write_at(shape, false, at, &[], Change::Set, part)?;
        }
        Ok(())
    }
}

//! Maps, grids and lists of collections: reading them where they lie in the position.

use crate::ir::{Slot, Type};
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::position;
use crate::jit::layout::shape::{Cells, Index, Shape};
use crate::jit::mir::{IntCC, types};

impl Builder<'_> {
    /// Returns the number of collections, and the greatest possible number if it is known; `at` is the address of
    /// the map, the grid or the handle of the list.
    pub(in crate::jit) fn cell_count(&mut self, at: V, index: Index) -> (V, Option<i64>) {
        let always = match index {
            Index::Keyed(keys) => keys.count(),
            Index::Places(length) => return (self.load64(at, 8), length.most()),
            Index::Optional => return (self.load64(at, 0), Some(1)),
        };
        (self.int(always), Some(always))
    }

    /// Returns the address of the first collection.
    pub(in crate::jit) fn first_cell(&mut self, at: V, cells: &Cells) -> V {
        match cells.index {
            Index::Places(_) => self.elements_at(at),
            index => self.b.ins().iadd_imm_s(at, i64::from(position::cells_head(index))),
        }
    }

    /// Returns the distance between collections, in bytes.
    pub(in crate::jit) fn cell_size(&self, cells: &Cells) -> i64 {
        position::cell_size(&cells.of, self.layout.squares)
    }

    /// Returns the address of the collection at a key, a square or a 1-based place; bails out if there is none.
    pub(in crate::jit) fn cell_at(&mut self, at: V, cells: &Cells, index: Word) -> Result<V> {
        let number = match cells.index {
            Index::Keyed(keys) => self.key_number(keys, index),
            Index::Places(_) => {
                let number = self.b.ins().iadd_imm_s(index.v, -1);
                let count = self.load64(at, 8);
                let out = self.cmp(IntCC::UnsignedGreaterThanOrEqual, number, count);
                self.bail_out_if(out);
                number
            }
            Index::Optional => return unsupported("a place in a collection that may be none"),
        };
        let first = self.first_cell(at, cells);
        Ok(self.entry_at(first, number, self.cell_size(cells)))
    }

    /// Returns the first or the last collection of a list; bails out if it is empty.
    pub(in crate::jit) fn end_cell(&mut self, at: V, cells: &Cells, first: bool) -> Result<Val> {
        let Index::Places(_) = cells.index else {
            return unsupported("the first or last value of a map or grid");
        };
        let end = if first { self.int(1) } else { self.load64(at, 8) };
        let place = self.cell_at(at, cells, Builder::ranged(end, 0, 1 << 31))?;
        self.in_place(&cells.of, false, place)
    }

    /// Loops over the keys of a map, the squares of a grid or the elements of a list.
    pub(in crate::jit) fn each_cell(
        &mut self,
        at: V,
        cells: &Cells,
        slots: &[Slot],
        body: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        match cells.index {
            Index::Keyed(keys) => self.each_key(keys, |this, key| {
                this.bind(slots, Val::Word(key))?;
                body(this)
            }),
            Index::Optional => unsupported("the elements of a collection that may be none"),
            Index::Places(_) => self.each_place(at, cells, |this, val| {
                this.bind(slots, val)?;
                body(this)
            }),
        }
    }

    /// Loops over the elements of a list of collections.
    pub(in crate::jit) fn each_place(
        &mut self,
        at: V,
        cells: &Cells,
        mut body: impl FnMut(&mut Self, Val) -> Result<()>,
    ) -> Result<()> {
        let (count, most) = self.cell_count(at, cells.index);
        let (zero, last) = (self.int(0), self.b.ins().iadd_imm_s(count, -1));
        let (first, size) = (self.first_cell(at, cells), self.cell_size(cells));
        self.each_int(zero, last, most, |this, i, _| {
            let place = this.entry_at(first, i, size);
            let val = this.in_place(&cells.of, false, place)?;
            body(this, val)
        })
    }

    /// Returns whether a value is a key, a square or an element.
    pub(in crate::jit) fn is_among_cells(&mut self, at: V, cells: &Cells, value: Val) -> Result<V> {
        match cells.index {
            Index::Keyed(keys) => {
                let word = self.lookup_word(value, keys.scalar(self.layout.squares))?;
                Ok(self.is_key(keys, word))
            }
            Index::Optional => unsupported("the elements of a collection that may be none"),
            Index::Places(_) => {
                let missing = self.b.ins().iconst(types::I8, 0);
                let found = self.var(missing);
                self.each_place(at, cells, |this, val| {
                    let same = this.same_as_cell(&cells.of, val, value.clone())?;
                    let before = this.b.use_var(found);
                    let now = this.b.ins().bor(before, same);
                    this.b.def_var(found, now);
                    Ok(())
                })?;
                Ok(self.b.use_var(found))
            }
        }
    }

    /// Returns whether a collection of a shape equals a value.
    pub(in crate::jit) fn same_as_cell(&mut self, shape: &Shape, cell: Val, value: Val) -> Result<V> {
        match shape {
            Shape::Scalar(one) => {
                let word = self.lookup_word(value, *one)?;
                let own = self.word(cell)?;
                Ok(self.cmp(IntCC::Equal, own.v, word.v))
            }
            Shape::Bits(of) => self.same_sets(cell, value, *of),
            // How the elements are compared is in the values.
            Shape::List(_, _) => self.same(cell, value, &Type::List(Box::new(Type::Int))),
            Shape::Parts(shapes) => {
                let (own, other) =
                    (self.tuple_parts(&cell, shapes.len()), self.tuple_parts(&value, shapes.len()));
                let (Some(own), Some(other)) = (own, other) else { return unsupported("tuples compared") };
                let mut all = self.b.ins().iconst(types::I8, 1);
                for ((shape, cell), value) in shapes.iter().zip(own).zip(other) {
                    let same = self.same_as_cell(shape, cell, value)?;
                    all = self.b.ins().band(all, same);
                }
                Ok(all)
            }
            _ => unsupported("a comparison of bags or of collections of collections"),
        }
    }
}

//! Maps and grids of single values as values: copied, compared, and with another value at a place.

use crate::ir::{Change, Value as Known};
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::kept::Keyed;
use crate::jit::layout::position::size_and_align;
use crate::jit::layout::shape::{Cells, Index, NONE, Planes, Shape};
use crate::jit::mir::{IntCC, types};

impl Builder<'_> {
    /// Loops over the squares of a grid.
    pub(in crate::jit) fn each_square(
        &mut self,
        (rows, columns): (i64, i64),
        mut body: impl FnMut(&mut Self, Word) -> Result<()>,
    ) -> Result<()> {
        let squares = self.layout.squares;
        let (zero, last) = (self.int(0), self.int(rows - 1));
        self.each_int(zero, last, Some(rows), |this, row, _| {
            let first = this.b.ins().imul_imm_s(row, squares.stride);
            let end = this.b.ins().iadd_imm_s(first, columns - 1);
            this.each_int(first, end, Some(columns), |this, square, _| {
                body(this, Word { v: square, s: squares.scalar(), known: None })
            })
        })
    }

    /// Copies the bytes of a value of a shape that owns no blocks. In the position, those of another value may follow them at
    /// once.
    pub(in crate::jit) fn copy_value(&mut self, shape: &Shape, from: V, to: V) -> Result<()> {
        let (bytes, _) = size_and_align(shape, self.layout.squares);
        let words = bytes / 8;
        let (first, last) = (self.int(0), self.int(words - 1));
        self.each_int(first, last, Some(words), |this, i, _| {
            let place = this.entry_at(from, i, 8);
            let word = this.load64(place, 0);
            let place = this.entry_at(to, i, 8);
            this.store64(word, place, 0);
            Ok(())
        })?;
        let mut at = words * 8;
        for width in [4, 2, 1] {
            if bytes - at >= width {
                let part = self.load_u(width as u32, from, at as i32);
                self.store_u(width as u32, part, to, at as i32);
                at += width;
            }
        }
        Ok(())
    }

    /// Returns where a map or a grid lies, and how it is kept; `None` of other values.
    pub(in crate::jit) fn keyed(&self, val: &Val) -> Option<(V, Keyed)> {
        let (at, shape, unset) = match val {
            Val::Grid { at, shape, unset } => (*at, Shape::Grid(*shape), *unset),
            Val::Map { at, key, of, unset } => (*at, Shape::Map(*key, *of), *unset),
            _ => return None,
        };
        Some((at, Keyed::new(shape, unset, self.layout.squares)))
    }

    /// Copies a map or a grid to scratch memory, and returns where it lies and how it is kept; `None` of other values.
    pub(in crate::jit) fn copied(&mut self, val: &Val) -> Result<Option<(V, Keyed)>> {
        let Some((from, of)) = self.keyed(val) else { return Ok(None) };
        let room = self.int(of.words as i64 * 8);
        let to = self.scratch(room);
        // The last word may be filled only partly.
        let zero = self.int(0);
        self.store64(zero, to, (of.words.max(1) as i32 - 1) * 8);
        self.copy_value(&of.shape, from, to)?;
        Ok(Some((to, of)))
    }

    /// Returns a map or a grid in the form of another; bails out if a value does not fit it.
    pub(in crate::jit) fn reshaped(&mut self, val: Val, to: &Keyed) -> Result<Val> {
        // Planes are changed by what was on a square before.
        let plain = !matches!(&to.shape, Shape::Grid(grid) if grid.planes != Planes::Off);
        match self.keyed(&val) {
            Some((_, own)) if own.shape != to.shape && plain => {
                let room = self.int(to.words as i64 * 8);
                let at = self.scratch(room);
                self.write_keyed(&to.shape, at, val)?;
                Ok(keyed_at(at, to))
            }
            _ => Ok(val),
        }
    }

    /// Returns a map or a grid that later changes do not affect; other values as they are.
    pub(in crate::jit) fn keyed_snapshot(&mut self, val: Val) -> Result<Val> {
        Ok(self.copied(&val)?.map_or(val, |(at, of)| keyed_at(at, &of)))
    }

    /// Returns a copy of a map or a grid with another value at a key or a square; `None` of other values.
    pub(in crate::jit) fn keyed_with(&mut self, base: &Val, key: Word, value: Word) -> Result<Option<Val>> {
        let Some((at, of)) = self.copied(base)? else { return Ok(None) };
        self.write_inside(&of.shape, of.unset, at, key, Change::Set, Val::Word(value))?;
        Ok(Some(keyed_at(at, &of)))
    }

    /// Returns whether two maps with the same keys or two grids of the same size are equal; bails out where a value is unset.
    pub(in crate::jit) fn same_keyed(&mut self, a: &Val, b: &Val) -> Result<V> {
        let squares = self.layout.squares;
        let (count, key, sorts) = match (a, b) {
            (Val::Grid { shape: a, .. }, Val::Grid { shape: b, .. })
                if (a.rows, a.columns) == (b.rows, b.columns) =>
            {
                (a.rows * a.columns, squares.scalar(), (a.of.sort, b.of.sort))
            }
            (Val::Map { key, of: a, .. }, Val::Map { key: other, of: b, .. }) if key == other => {
                (key.size(), *key, (a.sort, b.sort))
            }
            _ => return unsupported("a comparison of grids of different sizes or maps with different keys"),
        };
        if sorts.0 != sorts.1 {
            return unsupported("a comparison of different sorts");
        }
        let same = |this: &mut Self, at: Word| {
            let (x, y) = (this.look_up(a, at)?, this.look_up(b, at)?);
            Ok(this.cmp(IntCC::Equal, x.v, y.v))
        };
        if let Val::Grid { shape, .. } = a {
            return self.all_squares(shape.rows, shape.columns, same);
        }
        let (first, last) = (self.int(key.lo), self.int(key.hi));
        self.all_hold(first, last, Some(count), |this, v| same(this, Word { v, s: key, known: None }))
    }

    /// Returns whether something holds on all squares of a grid.
    fn all_squares(
        &mut self,
        rows: i64,
        columns: i64,
        holds: impl FnOnce(&mut Self, Word) -> Result<V>,
    ) -> Result<V> {
        let squares = self.layout.squares;
        let count = rows * columns;
        let (first, last) = (self.int(0), self.int(count - 1));
        self.all_hold(first, last, Some(count), |this, i| {
            let v = if columns == squares.stride {
                i
            } else {
                let (row, column) =
                    (this.b.ins().udiv_imm_s(i, columns), this.b.ins().urem_imm_s(i, columns));
                let start = this.b.ins().imul_imm_s(row, squares.stride);
                this.b.ins().iadd(start, column)
            };
            holds(this, Word { v, s: squares.scalar(), known: None })
        })
    }

    /// Returns whether all squares of a grid hold something, or none does, where no plane tells; `None` otherwise.
    pub(in crate::jit) fn filled_throughout(&mut self, grid: &Val, full: bool) -> Result<Option<V>> {
        let (rows, columns) = match grid {
            Val::Grid { shape, .. } if !shape.of.optional => {
                return Ok(Some(self.b.ins().iconst(types::I8, i64::from(full))));
            }
            Val::Grid { shape, .. } if shape.planes == Planes::Off => (shape.rows, shape.columns),
            Val::Cells { cells: Cells { index: Index::Squares { rows, columns }, of }, .. } => {
                if !of.is_optional() {
                    return Ok(Some(self.b.ins().iconst(types::I8, i64::from(full))));
                }
                (*rows, *columns)
            }
            _ => return Ok(None),
        };
        let wanted = self.b.ins().iconst(types::I8, i64::from(full));
        let all = self.all_squares(rows, columns, |this, square| {
            let filled = match this.held_at(grid, square)? {
                Val::Word(word) => this.cmp_imm(IntCC::NotEqual, word.v, NONE),
                val => this.is_present(&val),
            };
            Ok(this.cmp(IntCC::Equal, filled, wanted))
        })?;
        Ok(Some(all))
    }
}

/// Returns the map or grid at an address.
pub(in crate::jit) fn keyed_at(at: V, of: &Keyed) -> Val {
    match &of.shape {
        Shape::Map(key, values) => Val::Map { at, key: *key, of: *values, unset: of.unset },
        Shape::Grid(shape) => Val::Grid { at, shape: *shape, unset: of.unset },
        _ => Val::Const(Known::Unset),
    }
}

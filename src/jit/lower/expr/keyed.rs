//! Maps and grids of single values as values: copied, compared, and with another value at a place.

use crate::ir::Change;
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::kept::Keyed;
use crate::jit::layout::position::size_and_align;
use crate::jit::layout::shape::{Cells, Index, KeyedShape, Keys, NONE, Planes, Shape};
use crate::jit::mir::{IntCC, types};

impl Builder<'_> {
    /// Loops over keys.
    pub(in crate::jit) fn each_key(
        &mut self,
        keys: Keys,
        mut body: impl FnMut(&mut Self, Word) -> Result<()>,
    ) -> Result<()> {
        let squares = self.layout.squares;
        let (rows, columns) = match keys {
            Keys::Of(key) => {
                let (lo, hi) = (self.int(key.lo), self.int(key.hi));
                let word = |v: V| Word { v, s: key, known: None };
                return self.each_int(lo, hi, Some(key.size()), |this, v, _| body(this, word(v)));
            }
            Keys::Squares { rows, columns } => (rows, columns),
        };
        let (zero, last) = (self.int(0), self.int(rows - 1));
        self.each_int(zero, last, Some(rows), |this, row, _| {
            let first = this.b.ins().imul_imm_s(row, squares.stride);
            let end = this.b.ins().iadd_imm_s(first, columns - 1);
            this.each_int(first, end, Some(columns), |this, square, _| {
                body(this, Word { v: square, s: squares.scalar(), known: None })
            })
        })
    }

    /// Returns the number of the place of a key; bails out if it is none.
    pub(in crate::jit) fn key_number(&mut self, keys: Keys, key: Word) -> V {
        match keys {
            Keys::Of(of) => {
                let key = self.require_some(key);
                self.must_fit(key, of.lo, of.hi);
                self.b.ins().iadd_imm_s(key.v, -of.lo)
            }
            Keys::Squares { rows, columns } => {
                if let Some(on) = self.on_grid((rows, columns), key) {
                    self.bail_out_unless(on);
                }
                key.v
            }
        }
    }

    /// Returns whether a word is a key.
    pub(in crate::jit) fn is_key(&mut self, keys: Keys, word: Word) -> V {
        match keys {
            Keys::Of(of) => {
                let from = self.b.ins().iadd_imm_s(word.v, -of.lo);
                self.cmp_imm(IntCC::UnsignedLessThan, from, of.size())
            }
            Keys::Squares { rows, columns } => {
                let on = self.on_grid((rows, columns), word);
                on.unwrap_or_else(|| self.b.ins().iconst(types::I8, 1))
            }
        }
    }

    /// Copies the bytes of a map or a grid. In the position, those of another value may follow them at once.
    pub(in crate::jit) fn copy_value(&mut self, shape: KeyedShape, from: V, to: V) -> Result<()> {
        let (bytes, _) = size_and_align(&Shape::Keyed(shape), self.layout.squares);
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
        let Val::Keyed { at, shape, unset } = val else { return None };
        Some((*at, Keyed::new(*shape, *unset, self.layout.squares)))
    }

    /// Copies a map or a grid to scratch memory, and returns where it lies and how it is kept; `None` of other values.
    pub(in crate::jit) fn copied(&mut self, val: &Val) -> Result<Option<(V, Keyed)>> {
        let Some((from, of)) = self.keyed(val) else { return Ok(None) };
        let room = self.int(of.words as i64 * 8);
        let to = self.scratch(room);
        // The last word may be filled only partly.
        let zero = self.int(0);
        self.store64(zero, to, (of.words.max(1) as i32 - 1) * 8);
        self.copy_value(of.shape, from, to)?;
        Ok(Some((to, of)))
    }

    /// Returns a map or a grid in the form of another; bails out if a value does not fit it.
    pub(in crate::jit) fn reshaped(&mut self, val: Val, to: &Keyed) -> Result<Val> {
        // Planes are changed by what was on a square before.
        let plain = to.shape.planes == Planes::Off;
        match self.keyed(&val) {
            Some((_, own)) if own.shape != to.shape && plain => {
                let room = self.int(to.words as i64 * 8);
                let at = self.scratch(room);
                self.write_keyed(to.shape, at, val)?;
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
        self.write_inside(&Shape::Keyed(of.shape), of.unset, at, key, Change::Set, Val::Word(value))?;
        Ok(Some(keyed_at(at, &of)))
    }

    /// Returns whether two maps with the same keys or two grids of the same size are equal; bails out where a value is unset.
    pub(in crate::jit) fn same_keyed(&mut self, a: &Val, b: &Val) -> Result<V> {
        let (Val::Keyed { shape: own, .. }, Val::Keyed { shape: other, .. }) = (a, b) else {
            return unsupported("a comparison of a map or a grid with something else");
        };
        if own.keys != other.keys {
            return unsupported("a comparison of grids of different sizes or maps with different keys");
        }
        if own.of.sort != other.of.sort {
            return unsupported("a comparison of different sorts");
        }
        self.all_keys(own.keys, |this, at| {
            let (x, y) = (this.look_up(a, at)?, this.look_up(b, at)?);
            Ok(this.cmp(IntCC::Equal, x.v, y.v))
        })
    }

    /// Returns whether something holds of all keys.
    fn all_keys(&mut self, keys: Keys, holds: impl FnOnce(&mut Self, Word) -> Result<V>) -> Result<V> {
        let squares = self.layout.squares;
        let s = keys.scalar(squares);
        let (first, last) = match keys {
            Keys::Of(key) => (key.lo, key.hi),
            Keys::Squares { rows, columns } => (0, rows * columns - 1),
        };
        let (first, last) = (self.int(first), self.int(last));
        self.all_hold(first, last, Some(keys.count()), |this, i| {
            let v = match keys {
                Keys::Squares { columns, .. } if columns != squares.stride => {
                    let (row, column) =
                        (this.b.ins().udiv_imm_s(i, columns), this.b.ins().urem_imm_s(i, columns));
                    let start = this.b.ins().imul_imm_s(row, squares.stride);
                    this.b.ins().iadd(start, column)
                }
                _ => i,
            };
            holds(this, Word { v, s, known: None })
        })
    }

    /// Returns whether all squares of a grid hold something, or none does, where no plane tells; `None` otherwise.
    pub(in crate::jit) fn filled_throughout(&mut self, grid: &Val, full: bool) -> Result<Option<V>> {
        let (keys, always) = match grid {
            Val::Keyed { shape, .. } if shape.planes == Planes::Off || !shape.of.optional => {
                (shape.keys, !shape.of.optional)
            }
            Val::Cells { cells: Cells { index: Index::Keyed(keys), of }, .. } => (*keys, !of.is_optional()),
            _ => return Ok(None),
        };
        if let Keys::Of(_) = keys {
            return Ok(None);
        }
        if always {
            return Ok(Some(self.b.ins().iconst(types::I8, i64::from(full))));
        }
        let wanted = self.b.ins().iconst(types::I8, i64::from(full));
        let all = self.all_keys(keys, |this, square| {
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
    Val::Keyed { at, shape: of.shape, unset: of.unset }
}

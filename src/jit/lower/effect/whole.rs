//! Whole maps and grids of single values, written at once.

use crate::ir::{Change, Value as Known};
use crate::jit::builder::value::{Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::keyed::keyed_words;
use crate::jit::layout::shape::{GridShape, Shape};

impl Builder<'_> {
    /// Writes a map or a grid over one of a shape at an address; any other value is written to every key or square.
    pub(in crate::jit) fn write_keyed(&mut self, shape: &Shape, at: V, val: Val) -> Result<()> {
        let val = match val {
            Val::Const(known @ (Known::Map(_) | Known::Grid(_))) => self.stored(&known, shape)?,
            val => val,
        };
        match (shape, val) {
            (Shape::Grid(to), Val::Grid { at: from, shape: own, unset: false }) if own == *to => {
                self.copy_value(shape, from, at)
            }
            (Shape::Map(key, of), Val::Map { at: from, key: own, of: values, unset: false })
                if own == *key && values == *of =>
            {
                self.copy_value(shape, from, at)
            }
            (Shape::Grid(to), val @ Val::Grid { shape: own, .. }) => {
                if (own.rows, own.columns) != (to.rows, to.columns) {
                    return unsupported("a grid of another size");
                }
                self.each_square((to.rows, to.columns), |this, square| {
                    let word = this.look_up(&val, square)?;
                    this.write_inside(shape, false, at, square, Change::Set, Val::Word(word))
                })
            }
            (Shape::Map(key, _), val @ Val::Map { key: own, .. }) => {
                if own != *key {
                    return unsupported("a map with other keys");
                }
                let (first, last) = (self.int(key.lo), self.int(key.hi));
                self.each_int(first, last, Some(key.size()), |this, v, _| {
                    let at_key = Word { v, s: *key, known: None };
                    let word = this.look_up(&val, at_key)?;
                    this.write_inside(shape, false, at, at_key, Change::Set, Val::Word(word))
                })
            }
            (_, Val::Grid { .. } | Val::Map { .. } | Val::Cells { .. }) => {
                unsupported("a map or a grid put into one of another kind")
            }
            (Shape::Grid(to), val) => {
                let word = self.word_as(val, to.of.sort)?;
                self.fill_grid(*to, at, word)
            }
            (Shape::Map(key, of), val) => {
                let word = self.word_as(val, of.sort)?;
                let word = self.must_fit_place(word, *of)?;
                self.fill(at, key.size(), *of, word)
            }
            (_, val) => unsupported(format!("{} where a map or a grid belongs", val.kind())),
        }
    }

    /// Writes one value to all squares of a grid.
    pub(in crate::jit) fn fill_grid(&mut self, grid: GridShape, at: V, word: Word) -> Result<()> {
        self.each_square((grid.rows, grid.columns), |this, square| {
            this.write_inside(&Shape::Grid(grid), false, at, square, Change::Set, Val::Word(word))
        })
    }

    /// Stores a known map or grid in static data, in the form of a shape.
    fn stored(&mut self, known: &Known, shape: &Shape) -> Result<Val> {
        let values: Vec<&Known> = match known {
            Known::Map(map) => map.values().collect(),
            Known::Grid(grid) => grid.cells.iter().collect(),
            _ => Vec::new(),
        };
        let unset = values.contains(&&Known::Unset);
        let Some(words) = keyed_words(self.layout.squares, shape, known) else {
            return unsupported("a known map or grid that does not fit its place");
        };
        let at = self.static_row(words.into_iter().map(|word| word as i64).collect());
        match shape {
            Shape::Grid(shape) => Ok(Val::Grid { at, shape: *shape, unset }),
            Shape::Map(key, of) => Ok(Val::Map { at, key: *key, of: *of, unset }),
            _ => unsupported("a known map or grid that does not fit its place"),
        }
    }
}

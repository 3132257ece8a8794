//! Whole maps and grids of single values, written at once.

use crate::ir::{Change, Value as Known};
use crate::jit::builder::value::Val;
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::keyed::keyed_words;
use crate::jit::layout::shape::{KeyedShape, Shape};

impl Builder<'_> {
    /// Writes a map or a grid over one of a shape at an address; any other value is written to every key or square.
    pub(in crate::jit) fn write_keyed(&mut self, shape: KeyedShape, at: V, val: Val) -> Result<()> {
        let val = match val {
            Val::Const(known @ (Known::Map(_) | Known::Grid(_))) => self.stored(&known, shape)?,
            val => val,
        };
        match val {
            Val::Keyed { at: from, shape: own, unset: false } if own == shape => {
                self.copy_value(shape, from, at)
            }
            Val::Keyed { shape: own, .. } if own.keys != shape.keys => {
                unsupported("a map or a grid put into one with other keys")
            }
            Val::Cells { .. } => unsupported("a map or a grid put into one of another kind"),
            val => {
                let whole = match &val {
                    Val::Keyed { .. } => None,
                    val => {
                        let word = self.word_as(val.clone(), shape.of.sort)?;
                        Some(self.must_fit_place(word, shape.of)?)
                    }
                };
                self.each_key(shape.keys, |this, key| {
                    let word = match whole {
                        Some(word) => word,
                        None => this.look_up(&val, key)?,
                    };
                    this.write_inside(&Shape::Keyed(shape), false, at, key, Change::Set, Val::Word(word))
                })
            }
        }
    }

    /// Stores a known map or grid in static data, in the form of a shape.
    fn stored(&mut self, known: &Known, shape: KeyedShape) -> Result<Val> {
        let unset = match known {
            Known::Map(map) => map.values().any(|value| *value == Known::Unset),
            Known::Grid(grid) => grid.cells.contains(&Known::Unset),
            _ => false,
        };
        let Some(words) = keyed_words(self.layout.squares, shape, known) else {
            return unsupported("a known map or grid that does not fit its place");
        };
        let at = self.static_row(words.into_iter().map(|word| word as i64).collect());
        Ok(Val::Keyed { at, shape, unset })
    }
}

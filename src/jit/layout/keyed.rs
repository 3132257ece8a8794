//! Maps and grids of single values to flat memory and back.

use std::sync::Arc;

use crate::ir::{Grid, Value};
use crate::jit::layout::codec::{Memory, load, place, set_bit, store};
use crate::jit::layout::position::{self, Layout};
use crate::jit::layout::shape::{Scalar, Shape, Squares, UNSET, from_word};
use crate::jit::layout::tuple::word_in;

/// Returns the words of a map or a grid of single values; `None` if it does not fit the shape.
pub fn keyed_words(squares: Squares, shape: &Shape, value: &Value) -> Option<Vec<u64>> {
    let size = usize::try_from(position::cell_size(shape, squares) / 8).ok()?;
    let mut words: Memory = vec![0; size];
    encode_keyed(squares, &mut words, shape, 0, value)?;
    Some(words)
}

/// Encodes a map or a grid of single values at a byte offset.
pub fn encode_keyed(squares: Squares, mem: &mut Memory, shape: &Shape, at: i32, value: &Value) -> Option<()> {
    let word = |value: &Value, of: &Scalar| {
        let word = word_in(value, of.sort, squares);
        word.filter(|word| *word <= UNSET || (of.lo..=of.hi).contains(word))
    };
    match (shape, value) {
        (Shape::Map(key, of), Value::Map(map)) => {
            if map.len() as i64 != key.size() {
                return None;
            }
            for (k, item) in map.iter() {
                let i = (word(k, key)? - key.lo) as i32;
                store(mem, at + i * of.width() as i32, of.width(), word(item, of)?);
            }
        }
        (Shape::Grid(grid), Value::Grid(value)) => {
            let head = position::grid_head(grid, squares);
            let width = grid.of.width();
            if i64::from(value.rows) != grid.rows || i64::from(value.columns) != grid.columns {
                return None;
            }
            mem[place(at).0..][..head as usize / 8].fill(0);
            for (square, item) in grid.squares(squares).zip(&value.cells) {
                let word = word(item, &grid.of)?;
                store(mem, at + head + square as i32 * width as i32, width, word);
                if let Some(plane) = Layout::plane_of(grid, word) {
                    set_bit(mem, at + plane as i32 * 8 * squares.scalar().words() as i32, square);
                }
            }
        }
        _ => return None,
    }
    Some(())
}

/// Decodes a map or a grid of single values at a byte offset.
pub fn decode_keyed(squares: Squares, mem: &[u64], shape: &Shape, at: i32) -> Value {
    let words = |at: i32, n: i64, of: &Scalar| -> Vec<Value> {
        let width = of.width();
        let word = |i: i32| load(mem, at + i * width as i32, width);
        (0..n as i32).map(|i| from_word(of.sort, word(i), squares)).collect()
    };
    match shape {
        Shape::Map(key, of) => {
            let values = words(at, key.size(), of);
            let keys = (key.lo..=key.hi).map(|word| from_word(key.sort, word, squares));
            Value::Map(Arc::new(keys.zip(values).collect()))
        }
        Shape::Grid(grid) => {
            let head = position::grid_head(grid, squares);
            let all = words(at + head, position::cells(grid, squares), &grid.of);
            let cells = grid.squares(squares).map(|square| all[square as usize].clone()).collect();
            let size = |n: i64| u32::try_from(n).unwrap_or(1);
            Value::Grid(Arc::new(Grid { rows: size(grid.rows), columns: size(grid.columns), cells }))
        }
        _ => Value::Unset,
    }
}

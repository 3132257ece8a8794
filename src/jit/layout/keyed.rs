//! Maps and grids of single values to flat memory and back.

use crate::ir::Value;
use crate::jit::layout::codec::{Memory, load, place, set_bit, store};
use crate::jit::layout::position::cell_size;
use crate::jit::layout::shape::{KeyedShape, Shape, Squares, UNSET, from_word};
use crate::jit::layout::tuple::word_in;

/// Returns the words of a map or a grid of single values; `None` if it does not fit the shape.
pub fn keyed_words(squares: Squares, shape: KeyedShape, value: &Value) -> Option<Vec<u64>> {
    let size = usize::try_from(cell_size(&Shape::Keyed(shape), squares) / 8).ok()?;
    let mut words: Memory = vec![0; size];
    encode_keyed(squares, &mut words, shape, 0, value)?;
    Some(words)
}

/// Encodes a map or a grid of single values at a byte offset.
pub fn encode_keyed(
    squares: Squares,
    mem: &mut Memory,
    shape: KeyedShape,
    at: i32,
    value: &Value,
) -> Option<()> {
    let (of, head) = (shape.of, shape.head(squares));
    let values = shape.keys.values_of(value, squares)?;
    mem[place(at).0..][..head as usize / 8].fill(0);
    for (number, item) in values {
        let word = word_in(item, of.sort, squares);
        let word = word.filter(|word| *word <= UNSET || (of.lo..=of.hi).contains(word))?;
        store(mem, at + head + number as i32 * of.width() as i32, of.width(), word);
        if let Some(plane) = shape.plane_of(word) {
            set_bit(mem, at + plane as i32 * 8 * squares.scalar().words() as i32, number);
        }
    }
    Some(())
}

/// Decodes a map or a grid of single values at a byte offset.
pub fn decode_keyed(squares: Squares, mem: &[u64], shape: KeyedShape, at: i32) -> Value {
    let (of, head) = (shape.of, shape.head(squares));
    shape.keys.value_with(squares, |number| {
        let word = load(mem, at + head + number as i32 * of.width() as i32, of.width());
        from_word(of.sort, word, squares)
    })
}

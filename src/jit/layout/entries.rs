//! Converts the entries of pools, which are the elements of large sets, to rows of words and back.

use std::sync::Arc;

use crate::eval::elements;
use crate::ir::Value;
use crate::jit::layout::codec::{bits_value, load, load_u, set_bit, store, store_u};
use crate::jit::layout::position::Layout;
use crate::jit::layout::shape::{Scalar, Shape, UNSET, from_word};
use crate::jit::layout::tuple::word_in;

/// Returns the words of a pool entry: its length, then its contents packed into words.
pub fn entry_of(layout: &Layout, shape: &Shape, value: &Value) -> Option<Vec<u64>> {
    let word = |value: &Value, of: &Scalar| {
        let word = word_in(value, of.sort, layout.squares);
        word.filter(|word| *word <= UNSET || (of.lo..=of.hi).contains(word))
    };
    let packed = |words: Vec<i64>, width: u32| {
        let mut bytes: Vec<u64> = vec![0; (words.len() * width as usize).div_ceil(8)];
        for (at, word) in words.iter().enumerate() {
            store(&mut bytes, (at * width as usize) as i32, width, *word);
        }
        bytes.insert(0, words.len() as u64);
        bytes
    };
    Some(match (shape, value) {
        (Shape::Scalar(of), value) => vec![1, word(value, of)? as u64],
        (Shape::List(_, of), Value::List(items)) => {
            packed(items.iter().map(|item| word(item, of)).collect::<Option<_>>()?, of.width())
        }
        (Shape::Sorted(of), Value::Bag(_)) => {
            packed(elements(value).iter().map(|item| word(item, of)).collect::<Option<_>>()?, of.width())
        }
        (Shape::Counts(of), Value::Bag(bag)) => {
            let mut counts = vec![0u64; (of.size() as usize).div_ceil(8)];
            for (item, times) in bag.iter() {
                let at = word(item, of)? - of.lo;
                store_u(&mut counts, at as i32, 1, u64::try_from(*times).ok().filter(|n| *n <= 255)?);
            }
            counts.insert(0, of.size() as u64);
            counts
        }
        (Shape::Bits(of), Value::Set(set)) => {
            let mut bits = vec![0u64; of.words()];
            for item in set.iter() {
                set_bit(&mut bits, 0, word(item, of)? - of.lo);
            }
            bits.insert(0, of.words() as u64);
            bits
        }
        _ => return None,
    })
}

/// Returns the value of a pool entry.
pub fn entry_value(layout: &Layout, shape: &Shape, entry: &[u64]) -> Value {
    let (n, words) = (entry[0] as usize, &entry[1..]);
    let list = |of: &Scalar| -> Vec<Value> {
        let width = of.width();
        let at = |i: usize| load(words, (i * width as usize) as i32, width);
        (0..n).map(|i| from_word(of.sort, at(i), layout.squares)).collect()
    };
    match shape {
        Shape::Scalar(of) => from_word(of.sort, words[0] as i64, layout.squares),
        Shape::List(_, of) => Value::list(list(of)),
        Shape::Sorted(of) => Value::bag(list(of)),
        Shape::Counts(of) => {
            let count = |at: i64| load_u(words, at as i32, 1) as usize;
            let all = (0..of.size()).filter(|at| count(*at) > 0);
            Value::Bag(Arc::new(
                all.map(|at| (from_word(of.sort, of.lo + at, layout.squares), count(at))).collect(),
            ))
        }
        Shape::Bits(of) => Value::set(bits_value(layout, words, 0, of)),
        _ => Value::Unset,
    }
}

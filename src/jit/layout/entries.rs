//! Converts the entries of pools, which are the elements of large sets, to rows of words and back. Lists, bags and sets of single
//! values are packed; of all others, an entry is the number of the plain words of the value ([`Kept`]), and these words.

use std::sync::Arc;

use crate::eval::elements;
use crate::ir::{Type, Value};
use crate::jit::layout::codec::{bits_value, load, load_u, set_bit, store, store_u};
use crate::jit::layout::kept::Kept;
use crate::jit::layout::position::Layout;
use crate::jit::layout::shape::{Cells, Index, Length, Scalar, Shape, Squares, UNSET, from_word};
use crate::jit::layout::tuple::word_in;

/// A shape whose entries are plain words.
#[derive(Debug)]
pub struct PlainEntries {
    /// The shape.
    pub shape: Shape,
    /// How its values are kept.
    pub kept: Kept,
    /// Whether some list has a length that must be checked.
    pub bounded: bool,
}

impl PlainEntries {
    /// Describes the entries of a shape; `None` if code does not keep such values.
    pub fn new(shape: &Shape, squares: Squares) -> Option<PlainEntries> {
        fn is_bounded(shape: &Shape) -> bool {
            match shape {
                Shape::List(length, _) => *length != Length::Growing,
                Shape::Cells(Cells { index, of }) => {
                    matches!(index, Index::Places(length) if *length != Length::Growing) || is_bounded(of)
                }
                Shape::Parts(parts) => parts.iter().any(is_bounded),
                _ => false,
            }
        }
        let kept = Kept::of_shape(shape, squares)?;
        Some(PlainEntries { shape: shape.clone(), kept, bounded: is_bounded(shape) })
    }
}

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
        (shape, value) => {
            let mut words = Vec::new();
            Kept::of_shape(shape, layout.squares)?.write(value, layout.squares, &mut words)?;
            fits(shape, layout.squares, &mut words.iter().copied()).then_some(())?;
            std::iter::once(words.len() as i64).chain(words).map(|word| word as u64).collect()
        }
    })
}

/// Whether plain words are those of a value of a shape as far as the lengths of its lists go.
pub fn fits(shape: &Shape, squares: Squares, words: &mut dyn Iterator<Item = i64>) -> bool {
    let is_long_enough = |length: &Length, n: i64| match length {
        Length::AtMost(most) => n <= *most,
        Length::Exactly(exact) | Length::Always(exact) => n == *exact,
        Length::Growing => true,
    };
    // The words of a part that has no lists, or lists that may have any length.
    let skip = |count: usize, words: &mut dyn Iterator<Item = i64>| words.take(count).count() == count;
    match shape {
        Shape::List(length, _) => {
            words.next().is_some_and(|n| is_long_enough(length, n) && skip(n as usize, words))
        }
        Shape::Cells(Cells { index: Index::Places(length), of }) => words
            .next()
            .is_some_and(|n| is_long_enough(length, n) && (0..n).all(|_| fits(of, squares, words))),
        Shape::Cells(Cells { of, .. }) => words.next().is_some_and(|n| n == 0 || fits(of, squares, words)),
        Shape::Parts(parts) => parts.iter().all(|part| fits(part, squares, words)),
        shape => match Kept::of_shape(shape, squares) {
            Some(Kept::Word(_)) => skip(1, words),
            Some(Kept::Bits(of)) => skip(of.words(), words),
            Some(Kept::Keyed(of)) => skip(of.words, words),
            Some(_) => words.next().is_some_and(|n| skip(n as usize, words)),
            None => false,
        },
    }
}

/// Returns the type of the values of a shape, as far as collections go.
fn type_of(shape: &Shape) -> Type {
    let never = || Box::new(Type::Never);
    match shape {
        Shape::List(..) => Type::List(never()),
        Shape::Bits(_) | Shape::Pool(_) => Type::Set(never()),
        Shape::Counts(_) | Shape::Sorted(_) => Type::Bag(never()),
        Shape::Cells(Cells { index: Index::Optional, of }) => Type::Optional(Box::new(type_of(of))),
        Shape::Cells(Cells { of, .. }) => Type::List(Box::new(type_of(of))),
        Shape::Parts(parts) => Type::Tuple(parts.iter().map(type_of).collect()),
        Shape::Scalar(_) | Shape::Keyed(_) | Shape::Opaque => Type::Never,
    }
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
        shape => {
            let mut words = words[..n].iter().map(|word| *word as i64);
            let of = Kept::of_shape(shape, layout.squares);
            of.and_then(|of| of.read(&type_of(shape), layout.squares, &mut words)).unwrap_or(Value::Unset)
        }
    }
}

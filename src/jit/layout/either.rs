//! Values of two kinds in one word: the words of one kind, followed by those of the other.

use crate::ir::Value;
use crate::jit::layout::shape::{NONE, Scalar, Sort, Squares, to_word};
use crate::jit::layout::tuple::SimpleSort;

/// The encoding of two kinds in one range of words, in the order of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Either {
    /// The kind whose words are unchanged.
    pub first: SimpleSort,
    /// The least word of the second kind.
    pub split: i64,
    /// The second kind.
    pub second: SimpleSort,
    /// What is added to the words of the second kind.
    pub shift: i64,
}

impl Either {
    /// Returns a scalar that holds the values of two ranges of different kinds.
    fn of(a: Scalar, b: Scalar) -> Option<Scalar> {
        let (first, second) = (SimpleSort::of(a.sort)?, SimpleSort::of(b.sort)?);
        if first > second {
            return Either::of(b, a);
        }
        let split = a.hi + 1;
        let shift = split.checked_sub(b.lo)?;
        let sort = Sort::Either(Either { first, split, second, shift });
        Some(Scalar { sort, lo: a.lo, hi: b.hi.checked_add(shift)?, optional: a.optional || b.optional })
    }

    /// Converts the word of a scalar of one of the kinds; `None` if it is out of range.
    pub fn word(self, sort: Sort, word: i64) -> Option<i64> {
        match SimpleSort::of(sort)? {
            _ if word == NONE => Some(NONE),
            kind if kind == self.first => (word < self.split).then_some(word),
            kind if kind == self.second => word.checked_add(self.shift).filter(|word| *word >= self.split),
            _ => None,
        }
    }

    /// Returns the kind of a word that is not none, and its word in the encoding of that kind.
    pub fn alone(self, word: i64) -> (Sort, i64) {
        match word < self.split {
            true => (self.first.sort(), word),
            false => (self.second.sort(), word - self.shift),
        }
    }

    /// Returns the part of a range that belongs to one of the kinds; `None` if it is empty.
    pub fn part(self, of: Scalar, kind: SimpleSort) -> Option<Scalar> {
        let (lo, hi) = match kind == self.first {
            true => (of.lo, of.hi.min(self.split - 1)),
            false => (of.lo.max(self.split) - self.shift, of.hi - self.shift),
        };
        (lo <= hi).then_some(Scalar { sort: kind.sort(), lo, hi, optional: of.optional })
    }
}

/// Returns the sort of a scalar value; `None` for none and for values that fit no word.
pub fn sort_of(value: &Value) -> Option<Sort> {
    Some(match value {
        Value::Int(_) => Sort::Int,
        Value::Bool(_) => Sort::Bool,
        Value::Symbol(_) => Sort::Symbol,
        Value::Player(_) => Sort::Player,
        Value::Square(_) => Sort::Square,
        _ => return None,
    })
}

/// Returns the word of a value in the encoding of two kinds.
pub fn word_among(value: &Value, either: Either, squares: Squares) -> Option<i64> {
    match value {
        Value::None => Some(NONE),
        value => either.word(sort_of(value)?, to_word(value, squares)?),
    }
}

/// Returns a range that holds the values of both, which together have two kinds at most; `None` if they have
/// more.
pub fn join_kinds(a: Scalar, b: Scalar) -> Option<Scalar> {
    let mut kinds: Vec<Scalar> = Vec::new();
    for of in [a, b] {
        let parts = match of.sort {
            Sort::Either(either) => [either.part(of, either.first), either.part(of, either.second)],
            _ => [Some(of), None],
        };
        for part in parts.into_iter().flatten() {
            match kinds.iter_mut().find(|kind| kind.sort == part.sort) {
                Some(kind) => *kind = kind.join(part)?,
                None => kinds.push(part),
            }
        }
    }
    match kinds.as_slice() {
        [one] => Some(*one),
        [one, other] => Either::of(*one, *other),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jit::layout::shape::{LIMIT, from_word};
    use crate::jit::layout::tuple::word_in;

    const SQUARES: Squares = Squares { stride: 3, rows: 2 };

    fn symbols(lo: i64, hi: i64) -> Scalar {
        Scalar { sort: Sort::Symbol, lo, hi, optional: false }
    }

    #[test]
    fn words_are_ordered_as_the_values_are_and_come_back() {
        let others = [Scalar::int(-2, 9), Scalar { sort: Sort::Player, ..symbols(0, 3) }, SQUARES.scalar()];
        for other in others {
            let all = join_kinds(symbols(4, 6), other).unwrap();
            assert_eq!(join_kinds(other, symbols(4, 6)), Some(all));
            assert_eq!(all.size(), 3 + other.size());
            let values: Vec<Value> =
                (all.lo..=all.hi).map(|word| from_word(all.sort, word, SQUARES)).collect();
            assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
            for (word, value) in (all.lo..).zip(&values) {
                assert_eq!(word_in(value, all.sort, SQUARES), Some(word));
            }
        }
    }

    #[test]
    fn what_has_no_place_has_no_word() {
        let all = join_kinds(symbols(4, 6), Scalar::int(1, 9)).unwrap();
        let word = |value: Value| word_in(&value, all.sort, SQUARES);
        assert_eq!(word(Value::int(10)), None);
        assert_eq!(word(Value::Symbol(3)), None);
        assert_eq!(word(Value::Player(0)), None);
        assert_eq!(word(Value::None), Some(NONE));
    }

    #[test]
    fn ranges_are_put_together_kind_by_kind() {
        let small = join_kinds(symbols(4, 6), Scalar::int(1, 9)).unwrap();
        let large = join_kinds(small, Scalar::any_int()).unwrap();
        assert_eq!((large.lo, large.hi), (-LIMIT, LIMIT + 3));
        let more = join_kinds(small, join_kinds(symbols(2, 2), Scalar::int(-5, 3)).unwrap()).unwrap();
        assert_eq!(more, join_kinds(symbols(2, 6), Scalar::int(-5, 9)).unwrap());
        assert_eq!(join_kinds(more, SQUARES.scalar()), None);
    }
}

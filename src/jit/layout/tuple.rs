//! Tuples of scalars packed into one word: the parts are its digits in mixed radix, the first part the most
//! significant, so that words are ordered like the tuples.

use crate::ir::Value as Known;
use crate::jit::layout::either::{join_kinds, word_among};
use crate::jit::layout::shape::{NONE, Scalar, Sort, Squares, from_word, to_word};

/// The greatest number of parts in a word.
const MAX_PARTS: usize = 4;
/// A part with more values than this counts as unbounded.
const MAX_BOUNDED: i64 = 1 << 20;
/// The greatest number of values of a packed tuple.
const MAX_SIZE: i64 = 1 << 61;

/// The sort and range of one part: `size` values from `lo` on. If the part is optional, none is the first
/// digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digit {
    pub sort: SimpleSort,
    pub lo: i64,
    pub size: i64,
    pub optional: bool,
}

/// The sorts that parts can have, in the order of their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SimpleSort {
    Int,
    Bool,
    Symbol,
    Player,
    Square,
}

/// The layout of a tuple packed into a word; only the first `count` digits are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TupleLayout {
    pub count: usize,
    pub digits: [Digit; MAX_PARTS],
}

impl SimpleSort {
    pub fn of(sort: Sort) -> Option<SimpleSort> {
        Some(match sort {
            Sort::Int => SimpleSort::Int,
            Sort::Bool => SimpleSort::Bool,
            Sort::Symbol => SimpleSort::Symbol,
            Sort::Player => SimpleSort::Player,
            Sort::Square => SimpleSort::Square,
            Sort::Tuple(_) | Sort::Either(_) | Sort::Set(_) => return None,
        })
    }

    pub fn sort(self) -> Sort {
        match self {
            SimpleSort::Int => Sort::Int,
            SimpleSort::Bool => Sort::Bool,
            SimpleSort::Symbol => Sort::Symbol,
            SimpleSort::Player => Sort::Player,
            SimpleSort::Square => Sort::Square,
        }
    }
}

impl Digit {
    pub fn new(of: Scalar) -> Option<Digit> {
        Some(Digit { sort: SimpleSort::of(of.sort)?, lo: of.lo, size: of.size(), optional: of.optional })
    }

    pub fn scalar(self) -> Scalar {
        Scalar { sort: self.sort.sort(), lo: self.lo, hi: self.lo + self.size - 1, optional: self.optional }
    }

    /// The number of digits, including the one for none.
    pub fn base(self) -> i64 {
        self.size + i64::from(self.optional)
    }

    pub fn digit(self, word: i64) -> Option<i64> {
        match word {
            NONE => self.optional.then_some(0),
            word if (0..self.size).contains(&(word.checked_sub(self.lo)?)) => {
                Some(word - self.lo + i64::from(self.optional))
            }
            _ => None,
        }
    }

    pub fn word(self, digit: i64) -> i64 {
        match digit - i64::from(self.optional) {
            -1 => NONE,
            place => self.lo + place,
        }
    }
}

impl TupleLayout {
    /// Packs parts into one scalar; `None` if they cannot be packed. Unbounded integers share the remaining
    /// bits; a tuple that does not fit is left to the reference evaluator.
    pub fn of(parts: &[Scalar]) -> Option<Scalar> {
        let mut digits: Vec<Digit> = parts.iter().map(|part| Digit::new(*part)).collect::<Option<_>>()?;
        if !(2..=MAX_PARTS).contains(&digits.len()) {
            return None;
        }
        let wide = |digit: &Digit| digit.size > MAX_BOUNDED;
        let small: i64 =
            digits.iter().filter(|d| !wide(d)).try_fold(1i64, |all, d| all.checked_mul(d.base()))?;
        let many = digits.iter().filter(|digit| wide(digit)).count() as u32;
        if many > 0 {
            let bits = (MAX_SIZE / small.max(1)).checked_ilog2()?.checked_div(many)?;
            for digit in digits.iter_mut().filter(|digit| wide(digit)) {
                let half = 1i64 << bits.checked_sub(2)?;
                if digit.sort != SimpleSort::Int || half < 1 << 6 {
                    return None;
                }
                // A range that fits is kept as it is.
                if digit.size > 2 * half {
                    (digit.lo, digit.size) = (digit.lo.max(-half), 2 * half);
                }
            }
        }
        TupleLayout::scalar(&digits)
    }

    pub fn scalar(digits: &[Digit]) -> Option<Scalar> {
        let all = digits.iter().try_fold(1i64, |all, digit| all.checked_mul(digit.base()))?;
        let first = *digits.first()?;
        let mut row = TupleLayout {
            count: digits.len(),
            digits: [Digit { lo: 0, size: 1, optional: false, ..first }; MAX_PARTS],
        };
        row.digits[..digits.len()].copy_from_slice(digits);
        (all <= MAX_SIZE).then_some(Scalar { sort: Sort::Tuple(row), lo: 0, hi: all - 1, optional: false })
    }

    /// Returns the scalars of the parts.
    pub fn parts(&self) -> Vec<Scalar> {
        self.digits[..self.count].iter().map(|digit| digit.scalar()).collect()
    }

    /// Returns a scalar that holds the tuples of both rows; `None` if there is none.
    pub fn join(self, other: TupleLayout) -> Option<Scalar> {
        let pairs = self.parts().into_iter().zip(other.parts());
        let parts: Option<Vec<Scalar>> = pairs.map(|(a, b)| a.join(b)).collect();
        if self.count == other.count { TupleLayout::of(&parts?) } else { None }
    }

    /// Packs the words of the parts into one word; `None` if a part is out of range.
    pub fn pack(self, words: &[i64]) -> Option<i64> {
        let digits = &self.digits[..self.count];
        if words.len() != self.count {
            return None;
        }
        digits
            .iter()
            .zip(words)
            .try_fold(0, |all, (digit, word)| Some(all * digit.base() + digit.digit(*word)?))
    }

    /// Unpacks a word into the words of its parts.
    pub fn unpack(self, mut word: i64) -> Vec<i64> {
        let mut words: Vec<i64> = Vec::new();
        for digit in self.digits[..self.count].iter().rev() {
            words.push(digit.word(word % digit.base()));
            word /= digit.base();
        }
        words.reverse();
        words
    }
}

/// Returns the word of a value in the encoding of `sort`; `None` if it has none.
pub fn word_in(value: &Known, sort: Sort, squares: Squares) -> Option<i64> {
    match (sort, value) {
        (Sort::Tuple(row), Known::List(parts)) => {
            let words: Option<Vec<i64>> = parts.iter().map(|part| to_word(part, squares)).collect();
            row.pack(&words?)
        }
        (Sort::Either(either), value) => word_among(value, either, squares),
        (Sort::Set(set), value) => set.word(value, squares),
        (_, value) => to_word(value, squares),
    }
}

/// Returns the tuple packed into a word.
pub fn tuple_of(row: TupleLayout, word: i64, squares: Squares) -> Known {
    let parts = row.unpack(word).into_iter().zip(row.parts());
    Known::list(parts.map(|(word, of)| from_word(of.sort, word, squares)).collect())
}

/// Returns the range of some tuples of scalars; `None` if they are anything else.
pub fn range_of_tuples(values: &[Known], squares: Squares) -> Option<Scalar> {
    let rows: Option<Vec<&[Known]>> = values
        .iter()
        .map(|value| if let Known::List(parts) = value { Some(parts.as_slice()) } else { None })
        .collect();
    let rows = rows?;
    let count = rows.first()?.len();
    if rows.iter().any(|row| row.len() != count) {
        return None;
    }
    let column = |at: usize| rows.iter().map(|row| row[at].clone()).collect::<Vec<Known>>();
    let parts: Option<Vec<Scalar>> =
        (0..count).map(|at| crate::jit::layout::slots::range_of(&column(at), squares)).collect();
    TupleLayout::of(&parts?)
}

/// Returns a range that holds the values of both; packed tuples and `Either` values may have different words
/// in it.
pub fn common(a: Scalar, b: Scalar) -> Option<Scalar> {
    match (a.sort, b.sort) {
        (Sort::Tuple(x), Sort::Tuple(y)) if x != y => {
            x.join(y).map(|all| Scalar { optional: a.optional || b.optional, ..all })
        }
        (x, y) if x != y => join_kinds(a, b),
        _ => a.join(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_ordered_as_the_tuples_are_and_come_back() {
        let squares = Squares { stride: 3, rows: 2 };
        let player = Scalar { sort: Sort::Player, lo: 0, hi: 2, optional: true };
        let small = Scalar::int(-2, 3);
        let all = TupleLayout::of(&[player, small, squares.scalar()]).unwrap();
        let Sort::Tuple(row) = all.sort else { panic!("no tuple") };
        assert_eq!(all.size(), 4 * 6 * 6);
        let tuples: Vec<Known> = (all.lo..=all.hi).map(|word| tuple_of(row, word, squares)).collect();
        assert!(tuples.windows(2).all(|pair| pair[0] < pair[1]));
        for (word, tuple) in (all.lo..).zip(&tuples) {
            assert_eq!(word_in(tuple, all.sort, squares), Some(word));
        }
        assert_eq!(range_of_tuples(&tuples, squares), Some(all));
        let large = Known::list(vec![Known::None, Known::int(4), Known::Bool(true)]);
        assert_eq!(word_in(&large, all.sort, squares), None);
    }

    #[test]
    fn integers_without_bounds_share_what_room_there_is() {
        let squares = Squares { stride: 1, rows: 1 };
        let all = TupleLayout::of(&[Scalar::any_int(), Scalar::int(0, 9), Scalar::any_int()]).unwrap();
        assert!(all.hi < MAX_SIZE);
        for (a, c) in [(0, 0), (-70_000, (1 << 26) - 1), (-(1 << 26), -1)] {
            let tuple = Known::list(vec![Known::int(a), Known::int(3), Known::int(c)]);
            let Sort::Tuple(row) = all.sort else { panic!("no tuple") };
            let word = word_in(&tuple, all.sort, squares).unwrap();
            assert_eq!(tuple_of(row, word, squares), tuple);
        }
        let huge = Known::list(vec![Known::int(1i64 << 40), Known::int(3), Known::int(0)]);
        assert_eq!(word_in(&huge, all.sort, squares), None);
    }
}

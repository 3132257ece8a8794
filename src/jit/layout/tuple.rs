//! Tuples of scalars and of tuples packed into one word: the single values in them are its digits in mixed radix, the
//! first the most significant, so that words are ordered like the tuples.

use crate::ir::Value as Known;
use crate::jit::layout::either::{join_kinds, word_among};
use crate::jit::layout::shape::{NONE, Scalar, Sort, Squares, from_word, to_word};
use crate::jit::layout::slots::range_of;

/// The greatest number of single values in a word.
const MAX_DIGITS: usize = 6;
/// The greatest number of tuples within the tuple.
const MAX_GROUPS: usize = 2;
/// A single value with more values than this counts as unbounded.
const MAX_BOUNDED: i64 = 1 << 20;
/// The greatest number of values of a packed tuple.
const MAX_SIZE: i64 = 1 << 61;

/// The sort and range of one single value: `size` values from `lo` on. If it is optional, none is the first digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Digit {
    sort: SimpleSort,
    lo: i64,
    size: i64,
    optional: bool,
}

/// A tuple within the tuple: its digits, and whether it may be none, which comes before all its tuples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Group {
    from: u8,
    upto: u8,
    optional: bool,
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

/// The layout of a tuple packed into a word. Only the first `count` digits and `nested` groups are used; a group
/// comes before those within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TupleLayout {
    digits: [Digit; MAX_DIGITS],
    count: u8,
    nested: u8,
    groups: [Group; MAX_GROUPS],
}

impl SimpleSort {
    pub fn of(sort: Sort) -> Option<SimpleSort> {
        Some(match sort {
            Sort::Int => SimpleSort::Int,
            Sort::Bool => SimpleSort::Bool,
            Sort::Symbol => SimpleSort::Symbol,
            Sort::Player => SimpleSort::Player,
            Sort::Square => SimpleSort::Square,
            Sort::Tuple(_) | Sort::Either(_) | Sort::Set(_) | Sort::Kept(_) => return None,
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
    const UNUSED: Digit = Digit { sort: SimpleSort::Int, lo: 0, size: 1, optional: false };

    fn scalar(self) -> Scalar {
        Scalar { sort: self.sort.sort(), lo: self.lo, hi: self.lo + self.size - 1, optional: self.optional }
    }

    /// The number of digits, including the one for none.
    fn base(self) -> i64 {
        self.size + i64::from(self.optional)
    }
}

/// Returns the number of values of a part, including none.
pub fn base(part: Scalar) -> i64 {
    part.size() + i64::from(part.optional)
}

/// Returns the digit of a part's word; `None` if it is out of range.
fn digit(part: Scalar, word: i64) -> Option<i64> {
    match word {
        NONE => part.optional.then_some(0),
        word => (part.lo..=part.hi).contains(&word).then(|| word - part.lo + i64::from(part.optional)),
    }
}

impl TupleLayout {
    /// Packs parts into one scalar; `None` if they cannot be packed. Unbounded integers share the remaining
    /// bits; a tuple that does not fit is left to the reference evaluator.
    pub fn of(parts: &[Scalar]) -> Option<Scalar> {
        if parts.len() < 2 {
            return None;
        }
        let (mut digits, mut groups): (Vec<Digit>, Vec<Group>) = (Vec::new(), Vec::new());
        for part in parts {
            match part.sort {
                Sort::Tuple(own) => {
                    let from = u8::try_from(digits.len()).ok()?;
                    digits.extend_from_slice(own.digits());
                    groups.push(Group { from, upto: from + own.count, optional: part.optional });
                    let inner = own.groups().iter();
                    groups.extend(inner.map(|group| Group {
                        from: group.from + from,
                        upto: group.upto + from,
                        ..*group
                    }));
                }
                sort => digits.push(Digit {
                    sort: SimpleSort::of(sort)?,
                    lo: part.lo,
                    size: part.size(),
                    optional: part.optional,
                }),
            }
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
        TupleLayout::packed(&digits, &groups)?.scalar()
    }

    /// Returns the layout of these digits and groups; `None` if there are too many.
    fn packed(digits: &[Digit], groups: &[Group]) -> Option<TupleLayout> {
        if digits.len() > MAX_DIGITS || groups.len() > MAX_GROUPS {
            return None;
        }
        let mut row = TupleLayout {
            digits: [Digit::UNUSED; MAX_DIGITS],
            count: digits.len() as u8,
            nested: groups.len() as u8,
            groups: [Group::default(); MAX_GROUPS],
        };
        row.digits[..digits.len()].copy_from_slice(digits);
        row.groups[..groups.len()].copy_from_slice(groups);
        Some(row)
    }

    fn digits(&self) -> &[Digit] {
        &self.digits[..usize::from(self.count)]
    }

    fn groups(&self) -> &[Group] {
        &self.groups[..usize::from(self.nested)]
    }

    /// Returns the scalar of all tuples of this layout; `None` if there are too many.
    pub fn scalar(self) -> Option<Scalar> {
        let all = self.parts().into_iter().try_fold(1i64, |all, part| all.checked_mul(base(part)))?;
        let scalar = Scalar { sort: Sort::Tuple(self), lo: 0, hi: all - 1, optional: false };
        (all <= MAX_SIZE).then_some(scalar)
    }

    /// Returns the scalars of the parts.
    pub fn parts(self) -> Vec<Scalar> {
        let (mut parts, mut at) = (Vec::new(), 0);
        let mut groups = self.groups();
        while at < self.count {
            // A group comes before those within it, so the first one left is not within another.
            let (group, rest) = match groups {
                [group, rest @ ..] if group.from == at => (group, rest),
                _ => {
                    parts.push(self.digits[usize::from(at)].scalar());
                    at += 1;
                    continue;
                }
            };
            let inside = rest.iter().take_while(|inner| inner.from < group.upto).count();
            let (inner, behind) = rest.split_at(inside);
            let inner: Vec<Group> = inner
                .iter()
                .map(|inner| Group { from: inner.from - at, upto: inner.upto - at, ..*inner })
                .collect();
            let digits = &self.digits[usize::from(group.from)..usize::from(group.upto)];
            let part = TupleLayout::packed(digits, &inner).and_then(TupleLayout::scalar);
            parts.extend(part.map(|part| Scalar { optional: group.optional, ..part }));
            (at, groups) = (group.upto, behind);
        }
        parts
    }

    /// Returns a scalar that holds the tuples of both rows; `None` if there is none.
    pub fn join(self, other: TupleLayout) -> Option<Scalar> {
        let (own, other) = (self.parts(), other.parts());
        let parts: Option<Vec<Scalar>> = own.iter().zip(&other).map(|(a, b)| common(*a, *b)).collect();
        if own.len() == other.len() { TupleLayout::of(&parts?) } else { None }
    }

    /// Packs the words of the parts into one word; `None` if a part is out of range.
    pub fn pack(self, words: &[i64]) -> Option<i64> {
        let parts = self.parts();
        if words.len() != parts.len() {
            return None;
        }
        parts
            .into_iter()
            .zip(words)
            .try_fold(0, |all, (part, word)| Some(all * base(part) + digit(part, *word)?))
    }

    /// Unpacks a word into the words of its parts.
    pub fn unpack(self, mut word: i64) -> Vec<i64> {
        let mut words: Vec<i64> = Vec::new();
        for part in self.parts().into_iter().rev() {
            let digit = word % base(part);
            words.push(if part.optional && digit == 0 {
                NONE
            } else {
                part.lo + digit - i64::from(part.optional)
            });
            word /= base(part);
        }
        words.reverse();
        words
    }
}

/// Returns the word of a value in the encoding of `sort`; `None` if it has none.
pub fn word_in(value: &Known, sort: Sort, squares: Squares) -> Option<i64> {
    match (sort, value) {
        (Sort::Tuple(row), Known::List(parts)) => {
            let places = parts.iter().zip(row.parts());
            let words: Option<Vec<i64>> = places.map(|(part, of)| word_in(part, of.sort, squares)).collect();
            if words.as_ref()?.len() == parts.len() { row.pack(&words?) } else { None }
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
    let range = |values: &[Known]| {
        let optional = values.contains(&Known::None);
        let tuples: Vec<Known> = values.iter().filter(|value| **value != Known::None).cloned().collect();
        range_of(values, squares).or_else(|| Some(Scalar { optional, ..range_of_tuples(&tuples, squares)? }))
    };
    let parts: Option<Vec<Scalar>> = (0..count).map(|at| range(&column(at))).collect();
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
    fn tuples_within_tuples_come_back() {
        let squares = Squares { stride: 2, rows: 2 };
        let optional = |of: Scalar| Scalar { optional: true, ..of };
        let pair = TupleLayout::of(&[Scalar::int(1, 2), optional(squares.scalar())]).unwrap();
        let deep = TupleLayout::of(&[Scalar::int(0, 1), pair]).unwrap();
        for parts in [
            vec![Scalar::int(4, 6), pair],
            vec![optional(pair), pair],
            vec![optional(deep), Scalar::int(7, 8)],
        ] {
            let all = TupleLayout::of(&parts).unwrap();
            let Sort::Tuple(row) = all.sort else { panic!("no tuple") };
            assert_eq!(row.parts(), parts);
            assert_eq!(all.size(), parts.iter().map(|part| base(*part)).product::<i64>());
            let tuples: Vec<Known> = (all.lo..=all.hi).map(|word| tuple_of(row, word, squares)).collect();
            assert!(tuples.windows(2).all(|pair| pair[0] < pair[1]));
            for (word, tuple) in (all.lo..).zip(&tuples) {
                assert_eq!(word_in(tuple, all.sort, squares), Some(word));
            }
            assert_eq!(range_of_tuples(&tuples, squares), Some(all));
        }
        assert_eq!(TupleLayout::of(&[deep, deep]), None);
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

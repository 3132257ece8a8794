//! Tuples of single values as single values: the parts stand side by side as the digits of one word, the first the
//! highest, so that words are ordered as the tuples are.

use cranelift::prelude::*;

use super::generate::{Gen, R, V, nope};
use super::shape::{NONE, Scalar, Sort, Squares, from_word, to_word};
use super::value::{List, Val, Word};
use crate::ir::{Type, Value as Known};

/// The most parts that stand in a word.
const MOST: usize = 4;
/// What may be more than this is as good as without bounds.
const SMALL: i64 = 1 << 20;
/// How large the words of a tuple may be.
const LARGEST: i64 = 1 << 61;

/// The sort of a part, and its range: from `lo` on, so many. Where it may be none, that comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Digit {
    sort: Single,
    lo: i64,
    size: i64,
    optional: bool,
}

/// The sorts of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Single {
    Int,
    Bool,
    Symbol,
    Player,
    Square,
}

/// The parts of a tuple in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    count: usize,
    digits: [Digit; MOST],
}

impl Single {
    fn of(sort: Sort) -> Option<Single> {
        Some(match sort {
            Sort::Int => Single::Int,
            Sort::Bool => Single::Bool,
            Sort::Symbol => Single::Symbol,
            Sort::Player => Single::Player,
            Sort::Square => Single::Square,
            Sort::Tuple(_) => return None,
        })
    }

    fn sort(self) -> Sort {
        match self {
            Single::Int => Sort::Int,
            Single::Bool => Sort::Bool,
            Single::Symbol => Sort::Symbol,
            Single::Player => Sort::Player,
            Single::Square => Sort::Square,
        }
    }
}

impl Digit {
    fn new(of: Scalar) -> Option<Digit> {
        Some(Digit { sort: Single::of(of.sort)?, lo: of.lo, size: of.size(), optional: of.optional })
    }

    fn scalar(self) -> Scalar {
        Scalar { sort: self.sort.sort(), lo: self.lo, hi: self.lo + self.size - 1, optional: self.optional }
    }

    /// How many digits there are, none with them.
    fn base(self) -> i64 {
        self.size + i64::from(self.optional)
    }

    fn digit(self, word: i64) -> Option<i64> {
        match word {
            NONE => self.optional.then_some(0),
            word if (0..self.size).contains(&(word.checked_sub(self.lo)?)) => {
                Some(word - self.lo + i64::from(self.optional))
            }
            _ => None,
        }
    }

    fn word(self, digit: i64) -> i64 {
        match digit - i64::from(self.optional) {
            -1 => NONE,
            place => self.lo + place,
        }
    }
}

impl Row {
    /// Parts side by side, as a scalar. Integers without bounds share what room there is; a word that does not fit is
    /// for the reference.
    pub fn of(parts: &[Scalar]) -> Option<Scalar> {
        let mut digits: Vec<Digit> = parts.iter().map(|part| Digit::new(*part)).collect::<Option<_>>()?;
        if !(2..=MOST).contains(&digits.len()) {
            return None;
        }
        let wide = |digit: &Digit| digit.size > SMALL;
        let small: i64 =
            digits.iter().filter(|d| !wide(d)).try_fold(1i64, |all, d| all.checked_mul(d.base()))?;
        let many = digits.iter().filter(|digit| wide(digit)).count() as u32;
        if many > 0 {
            let bits = (LARGEST / small.max(1)).checked_ilog2()?.checked_div(many)?;
            for digit in digits.iter_mut().filter(|digit| wide(digit)) {
                let half = 1i64 << bits.checked_sub(2)?;
                if digit.sort != Single::Int || half < 1 << 6 {
                    return None;
                }
                // A range that fits is kept.
                if digit.size > 2 * half {
                    (digit.lo, digit.size) = (digit.lo.max(-half), 2 * half);
                }
            }
        }
        Row::scalar(&digits)
    }

    fn scalar(digits: &[Digit]) -> Option<Scalar> {
        let all = digits.iter().try_fold(1i64, |all, digit| all.checked_mul(digit.base()))?;
        let first = *digits.first()?;
        let mut row =
            Row { count: digits.len(), digits: [Digit { lo: 0, size: 1, optional: false, ..first }; MOST] };
        row.digits[..digits.len()].copy_from_slice(digits);
        (all <= LARGEST).then_some(Scalar { sort: Sort::Tuple(row), lo: 0, hi: all - 1, optional: false })
    }

    /// The parts.
    pub fn parts(&self) -> Vec<Scalar> {
        self.digits[..self.count].iter().map(|digit| digit.scalar()).collect()
    }

    /// The tuples of two rows, together.
    fn join(self, other: Row) -> Option<Scalar> {
        let pairs = self.parts().into_iter().zip(other.parts());
        let parts: Option<Vec<Scalar>> = pairs.map(|(a, b)| a.join(b)).collect();
        if self.count == other.count { Row::of(&parts?) } else { None }
    }

    /// The word of words.
    fn pack(self, words: &[i64]) -> Option<i64> {
        let digits = &self.digits[..self.count];
        if words.len() != self.count {
            return None;
        }
        digits
            .iter()
            .zip(words)
            .try_fold(0, |all, (digit, word)| Some(all * digit.base() + digit.digit(*word)?))
    }

    /// The words of a word.
    fn unpack(self, mut word: i64) -> Vec<i64> {
        let mut words: Vec<i64> = Vec::new();
        for digit in self.digits[..self.count].iter().rev() {
            words.push(digit.word(word % digit.base()));
            word /= digit.base();
        }
        words.reverse();
        words
    }
}

/// The word of a value, as the words of a sort are.
pub fn word_in(value: &Known, sort: Sort, squares: Squares) -> Option<i64> {
    match (sort, value) {
        (Sort::Tuple(row), Known::List(parts)) => {
            let words: Option<Vec<i64>> = parts.iter().map(|part| to_word(part, squares)).collect();
            row.pack(&words?)
        }
        (_, value) => to_word(value, squares),
    }
}

/// The tuple of a word.
pub fn tuple_of(row: Row, word: i64, squares: Squares) -> Known {
    let parts = row.unpack(word).into_iter().zip(row.parts());
    Known::list(parts.map(|(word, of)| from_word(of.sort, word, squares)).collect())
}

/// The range of some tuples of single values; `None` where they are something else.
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
        (0..count).map(|at| super::slots::range_of(&column(at), squares)).collect();
    Row::of(&parts?)
}

/// The range that holds the values of both; tuples may change their words for it.
pub fn common(a: Scalar, b: Scalar) -> Option<Scalar> {
    match (a.sort, b.sort) {
        (Sort::Tuple(x), Sort::Tuple(y)) if x != y => {
            x.join(y).map(|all| Scalar { optional: a.optional || b.optional, ..all })
        }
        _ => a.join(b),
    }
}

impl Gen<'_> {
    /// The parts of a tuple; `None` where a value is something else.
    pub fn tuple_parts(&mut self, val: &Val, count: usize) -> Option<Vec<Val>> {
        Some(match val {
            Val::Tuple(parts) => parts.clone(),
            Val::Const(Known::List(parts)) => parts.iter().cloned().map(Val::Const).collect(),
            Val::Word(word) => match word.s.sort {
                Sort::Tuple(row) => {
                    let word = self.some(*word);
                    self.unpacked(row, word.v).into_iter().map(Val::Word).collect()
                }
                _ => return None,
            },
            // A row of words that stands for a tuple.
            Val::List(list) => {
                let places: Vec<V> = (0..count as i64).map(|i| self.int(i)).collect();
                places.into_iter().map(|i| Val::Word(self.element(*list, i))).collect()
            }
            _ => return None,
        })
    }

    fn unpacked(&mut self, row: Row, word: V) -> Vec<Word> {
        let mut rest = word;
        let mut words = Vec::new();
        for (i, digit) in row.digits[..row.count].iter().enumerate().rev() {
            let base = digit.base();
            let place = match i {
                0 => rest,
                _ => {
                    let place = self.b.ins().urem_imm_s(rest, base);
                    rest = self.b.ins().udiv_imm_s(rest, base);
                    place
                }
            };
            let mut v = self.b.ins().iadd_imm_s(place, digit.lo - i64::from(digit.optional));
            if digit.optional {
                let none = self.cmp_imm(IntCC::Equal, place, 0);
                let code = self.int(NONE);
                v = self.b.ins().select(none, code, v);
            }
            words.push(Word { v, s: digit.scalar(), known: None });
        }
        words.reverse();
        words
    }

    /// The word of a tuple in a row; without `strict`, one that does not fit is −1, and else for the reference.
    fn packed_in(&mut self, row: Row, parts: Vec<Val>, strict: bool) -> R<Word> {
        if parts.len() != row.count {
            return nope("a tuple of another length");
        }
        let zero = self.int(0);
        let mut all = zero;
        let mut misfit: Option<V> = None;
        for (digit, part) in row.digits[..row.count].iter().zip(parts) {
            let of = digit.scalar();
            let word = self.word_as(part, of.sort)?;
            if Single::of(word.s.sort) != Some(digit.sort) {
                return nope("a part of another sort");
            }
            let from = self.b.ins().iadd_imm_s(word.v, of.lo.wrapping_neg());
            let mut place = self.b.ins().iadd_imm_s(from, i64::from(digit.optional));
            let inside = word.s.lo >= of.lo && word.s.hi <= of.hi;
            let none = (word.s.optional && digit.optional).then(|| self.cmp_imm(IntCC::Equal, word.v, NONE));
            if let Some(none) = none {
                place = self.b.ins().select(none, zero, place);
            }
            if !inside || word.s.optional && !digit.optional {
                let mut out = self.cmp_imm(IntCC::UnsignedGreaterThanOrEqual, from, digit.size);
                if let Some(none) = none {
                    out = self.b.ins().band_not(out, none);
                }
                match strict {
                    true => self.give_up_if(out),
                    false => misfit = Some(misfit.map_or(out, |before| self.b.ins().bor(before, out))),
                }
            }
            let up = self.b.ins().imul_imm_s(all, digit.base());
            all = self.b.ins().iadd(up, place);
        }
        let Some(s) = Row::scalar(&row.digits[..row.count]) else { return nope("a very large tuple") };
        Ok(match misfit {
            None => Word { v: all, s, known: None },
            Some(out) => {
                let none = self.int(-1);
                let v = self.b.ins().select(out, none, all);
                Word { v, s: Scalar { lo: -1, ..s }, known: None }
            }
        })
    }

    /// A tuple, or a word of another row, as the word of a row.
    pub fn word_of_row(&mut self, row: Row, val: Val, strict: bool) -> R<Word> {
        match val {
            Val::Word(word) if word.s.sort == Sort::Tuple(row) => Ok(word),
            Val::Word(word) if word.s.optional => {
                let Sort::Tuple(own) = word.s.sort else { return nope("no tuple") };
                let none = self.cmp_imm(IntCC::Equal, word.v, NONE);
                let zero = self.int(0);
                let safe = self.b.ins().select(none, zero, word.v);
                let parts = self.unpacked(own, safe).into_iter().map(Val::Word).collect();
                let packed = self.packed_in(row, parts, strict)?;
                let code = self.int(NONE);
                let v = self.b.ins().select(none, code, packed.v);
                Ok(Word { v, s: Scalar { optional: true, ..packed.s }, known: None })
            }
            Val::Const(Known::None) => {
                let v = self.int(NONE);
                let s = Scalar { sort: Sort::Tuple(row), lo: 0, hi: 0, optional: true };
                Ok(Word { v, s, known: Some(NONE) })
            }
            val => match self.tuple_parts(&val, row.count) {
                Some(parts) => self.packed_in(row, parts, strict),
                None => nope(format!("{} where a tuple belongs", val.kind())),
            },
        }
    }

    /// A tuple in a row of its own.
    pub fn word_of_tuple(&mut self, parts: Vec<Val>) -> R<Word> {
        let mut scalars = Vec::new();
        for part in &parts {
            scalars.push(self.word(part.clone())?.s);
        }
        match Row::of(&scalars).map(|all| all.sort) {
            Some(Sort::Tuple(row)) => self.packed_in(row, parts, true),
            _ => nope("a tuple of large values"),
        }
    }

    /// What is looked for among values of a scalar: as their words are, and no word of theirs where it is none of them.
    pub fn sought(&mut self, val: Val, among: Scalar) -> R<Word> {
        match among.sort {
            Sort::Tuple(row) => self.word_of_row(row, val, false),
            sort => {
                let word = self.word_as(val, sort)?;
                match word.s.sort {
                    Sort::Tuple(_) => nope("a tuple among single values"),
                    _ => Ok(word),
                }
            }
        }
    }

    /// Two lists whose elements have words of one sort.
    pub fn alike(&mut self, a: List, b: List) -> R<(List, List)> {
        if a.of.sort == b.of.sort || a.most == Some(0) || b.most == Some(0) {
            return Ok((a, b));
        }
        match common(a.of, b.of) {
            Some(of) => Ok((self.recoded(a, of)?, self.recoded(b, of)?)),
            None => nope("lists of different sorts"),
        }
    }

    /// A list with the words of a scalar, if its elements have others.
    fn recoded(&mut self, list: List, of: Scalar) -> R<List> {
        if list.of.sort == of.sort || list.most == Some(0) {
            return Ok(list);
        }
        let bytes = self.b.ins().ishl_imm_s(list.len, 3);
        let at = self.scratch(bytes);
        self.copy_list(list, at, 8, of)?;
        Ok(List { at, width: 8, of, ring: false, still: true, ..list })
    }

    /// The parts of a type's tuples.
    pub fn tuple_types(ty: &Type) -> Option<&[Type]> {
        match ty {
            Type::Tuple(parts) => Some(parts),
            Type::Optional(of) => Gen::tuple_types(of),
            _ => None,
        }
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
        let all = Row::of(&[player, small, squares.scalar()]).unwrap();
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
        let all = Row::of(&[Scalar::any_int(), Scalar::int(0, 9), Scalar::any_int()]).unwrap();
        assert!(all.hi < LARGEST);
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

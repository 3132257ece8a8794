//! Sets of few possible elements in one word, a bit for each: so that maps and grids can hold sets.
//!
//! These words are not ordered like the sets, so they occur only as values of maps and grids, where nothing orders them.

use crate::ir::Value;
use crate::jit::layout::shape::{Scalar, Sort, Squares, from_word, to_word};
use crate::jit::layout::tuple::SimpleSort;

/// The greatest number of possible elements.
const MAX_ELEMENTS: i64 = 61;

/// The possible elements: `size` of them from `lo` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallSet {
    sort: SimpleSort,
    lo: i64,
    size: i64,
}

impl SmallSet {
    /// Returns the scalar of the sets of these elements; `None` if there are too many, or none is among them.
    pub fn scalar_of(elements: Scalar) -> Option<Scalar> {
        let size = elements.size();
        if elements.optional || !(1..=MAX_ELEMENTS).contains(&size) {
            return None;
        }
        let set = SmallSet { sort: SimpleSort::of(elements.sort)?, lo: elements.lo, size };
        Some(Scalar { sort: Sort::Set(set), lo: 0, hi: set.most(), optional: false })
    }

    /// Returns the word of the set of all possible elements.
    pub fn most(self) -> i64 {
        (1 << self.size) - 1
    }

    /// Returns the domain of the elements.
    pub fn elements(self) -> Scalar {
        Scalar { sort: self.sort.sort(), lo: self.lo, hi: self.lo + self.size - 1, optional: false }
    }

    /// Returns the word of a set; `None` if it has other elements.
    pub fn word(self, set: &Value, squares: Squares) -> Option<i64> {
        let Value::Set(elements) = set else { return None };
        let bit = |element: &Value| {
            let place = to_word(element, squares)?.checked_sub(self.lo)?;
            (0..self.size).contains(&place).then(|| 1 << place)
        };
        elements.iter().try_fold(0, |all, element| Some(all | bit(element)?))
    }

    /// Returns the set of a word.
    pub fn value(self, word: i64, squares: Squares) -> Value {
        let present = (0..self.size).filter(|place| word >> place & 1 == 1);
        Value::set(present.map(|place| from_word(self.sort.sort(), self.lo + place, squares)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jit::layout::tuple::word_in;

    #[test]
    fn sets_come_back_from_their_words() {
        let squares = Squares { stride: 3, rows: 2 };
        for elements in [Scalar::int(-2, 3), squares.scalar()] {
            let all = SmallSet::scalar_of(elements).unwrap();
            for word in all.lo..=all.hi {
                assert_eq!(word_in(&from_word(all.sort, word, squares), all.sort, squares), Some(word));
            }
        }
        assert_eq!(SmallSet::scalar_of(Scalar::int(1, 62)), None);
        let few = SmallSet::scalar_of(Scalar::int(1, 3)).unwrap();
        for outside in [0, 4] {
            assert_eq!(word_in(&Value::set([Value::int(outside)]), few.sort, squares), None);
        }
        assert_eq!(word_in(&Value::int(1), few.sort, squares), None);
    }
}

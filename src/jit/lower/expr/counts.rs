//! In how many of several sets each element is: numbers are kept in binary, one word of bits for each digit.

use crate::ir::Compare;
use crate::jit::builder::{Builder, V};

impl Builder<'_> {
    /// Returns, for each bit, whether the number of sets that have it compares with a number; `None` for other comparisons. The
    /// numbers are kept in binary, one word of bits for each digit.
    pub(in crate::jit) fn count_per_bit(
        &mut self,
        sets: Vec<Vec<V>>,
        op: Compare,
        to: i64,
    ) -> Option<Vec<V>> {
        let (negated, at_least) = match op {
            Compare::Equal | Compare::AtLeast => (false, to),
            Compare::NotEqual | Compare::Less => (true, to),
            Compare::Greater => (false, to.saturating_add(1)),
            Compare::AtMost => (true, to.saturating_add(1)),
            Compare::Divides => return None,
        };
        let equal = matches!(op, Compare::Equal | Compare::NotEqual);
        let (most, words) = (sets.len() as i64, sets.first().map_or(0, Vec::len));
        let found = if at_least > most || equal && to < 0 {
            vec![self.int(0); words]
        } else if !equal && at_least <= 0 {
            vec![self.int(-1); words]
        } else {
            let digits = self.sum_of(sets);
            // From the lowest digit: whether the digits so far are at least, or exactly, those of the number.
            let mut found = vec![self.int(-1); words];
            for (place, digit) in digits.iter().enumerate() {
                let set = at_least >> place & 1 == 1;
                found = found
                    .iter()
                    .zip(digit)
                    .map(|(so_far, digit)| match (set, equal) {
                        (true, _) => self.b.ins().band(*digit, *so_far),
                        (false, true) => {
                            let unset = self.b.ins().bnot(*digit);
                            self.b.ins().band(unset, *so_far)
                        }
                        (false, false) => self.b.ins().bor(*digit, *so_far),
                    })
                    .collect();
            }
            found
        };
        Some(if negated { self.inverted(found) } else { found })
    }

    /// Returns the binary digits, from the lowest, of the number of sets that have each bit.
    fn sum_of(&mut self, sets: Vec<Vec<V>>) -> Vec<Vec<V>> {
        let mut digits: Vec<Vec<V>> = Vec::new();
        for (count, mut carry) in (1..).zip(sets) {
            for digit in &mut digits {
                let next = digit.iter().zip(&carry).map(|(a, b)| self.b.ins().band(*a, *b)).collect();
                *digit = digit.iter().zip(&carry).map(|(a, b)| self.b.ins().bxor(*a, *b)).collect();
                carry = next;
            }
            // So many sets are counted with so many digits.
            if digits.len() <= usize::ilog2(count) as usize {
                digits.push(carry);
            }
        }
        digits
    }
}

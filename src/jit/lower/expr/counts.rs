//! In how many of several sets each element is: numbers are kept in binary, one word of bits for each digit.

use crate::ir::{Compare, Domain, Expr, Fold, Value as Known, domain_parts};
use crate::jit::builder::value::Bits;
use crate::jit::builder::{Builder, Result, V};
use crate::jit::lower::expr::lines::selecting;
use crate::jit::lower::expr::masks::Universe;
use crate::jit::mir::Variable;

/// The greatest number of sets.
const MOST_SETS: usize = 16;

impl Builder<'_> {
    /// Returns the elements of a universe for which the number of elements of another domain that fulfil conditions compares
    /// with a known number, as in `count(t in around(board, s): C) < 3` for all s: one set for each distance to something
    /// that they are related to, or for each element of a known domain.
    pub(in crate::jit) fn bits_of_count(
        &mut self,
        fold: &Fold,
        (op, to): (Compare, &Expr),
        universe: &Universe,
    ) -> Result<Option<Vec<V>>> {
        let ([source], None) = (fold.sources.as_slice(), &fold.stop) else { return Ok(None) };
        let [slot] = source.slots.as_slice() else { return Ok(None) };
        let Some(Known::Int(to)) = self.constant(to) else { return Ok(None) };
        let conditions = selecting(fold);
        let mut parts = Vec::new();
        domain_parts(&source.domain, &mut parts);
        let sets = match parts.into_iter().any(|part| self.reads_every(part)) {
            true => {
                let Domain::Values(related) = &source.domain else { return Ok(None) };
                let selected = self.selected_by_relation(*slot, related, &conditions, universe)?;
                let Some((relation, bits)) =
                    selected.filter(|(of, _)| of.once && of.distances.len() <= MOST_SETS)
                else {
                    return Ok(None);
                };
                self.steps_to(&relation, bits, universe).into_iter().map(|(_, bits)| bits).collect()
            }
            false => {
                let known = self.known_elements(&source.domain);
                let Some(values) = known.filter(|values| values.len() * self.unrolled <= MOST_SETS) else {
                    return Ok(None);
                };
                let mut sets: Vec<Vec<Variable>> = Vec::new();
                self.for_each_constant(&values, &[*slot], &mut |this| {
                    let everything = Bits { words: this.static_bits(&universe.within), of: universe.of };
                    let set = this.predicate_bits(&conditions, everything, universe)?;
                    sets.extend(set.map(|set| set.words.iter().map(|word| this.var(*word)).collect()));
                    Ok(())
                })?;
                self.locals.bound.remove(slot);
                if sets.len() < values.len() {
                    return Ok(None);
                }
                let words = |set: Vec<Variable>| set.iter().map(|var| self.b.use_var(*var)).collect();
                sets.into_iter().map(words).collect::<Vec<Vec<V>>>()
            }
        };
        if sets.is_empty() {
            return Ok(None);
        }
        Ok(self.count_per_bit(sets, op, to.as_i64().unwrap_or(i64::MAX)))
    }

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

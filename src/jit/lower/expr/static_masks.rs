//! Conditions, for many elements at once, that are decided by the element and a few other values alone: static sets of elements,
//! one for each combination of these values.

use std::rc::Rc;

use crate::ir::{Expr, Slot, Value as Known, bound_slots};
use crate::jit::analysis::invariants;
use crate::jit::builder::value::Word;
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::bits::set_mask_bit;
use crate::jit::lower::expr::masks::Universe;
use crate::jit::lower::expr::precomputed::Digits;
use crate::opt::always_reads;

/// The greatest number of sets.
const MAX_SETS: i64 = 1 << 9;
/// The most times that a condition on something that changes is evaluated for all sets.
pub const MAX_EVALUATIONS: i64 = 1 << 14;

impl Builder<'_> {
    /// Returns the bits of a condition that is decided by the element and by a few single values, which may change during the
    /// match: `abs(at.row - last.row) * abs(at.column - last.column) = 2`.
    pub(in crate::jit) fn by_inputs(
        &mut self,
        e: &Expr,
        universe: &Universe,
        most_evaluations: i64,
    ) -> Result<Option<Vec<V>>> {
        let free_slots = crate::ir::free_slots(e);
        let mut every = free_slots.iter().filter(|slot| self.is_slot_of_every(**slot));
        let (Some(every), None) = (every.next(), every.next()) else { return Ok(None) };
        let free = self.free_slot(e);
        let (mut own, mut inputs, mut bound) = (e.clone(), Vec::new(), bound_slots(e));
        bound.insert(*every);
        self.take_inputs(&mut own, &bound, free, &mut inputs);
        let is_input = |slot: Slot| slot >= free && slot - free < inputs.len();
        // An input that may fail fails for each element.
        let fails = |(at, input): (usize, &Expr)| self.may_fail(input) && !always_reads(&own, free + at);
        if inputs.iter().enumerate().any(fails)
            || !invariants::is_invariant(self.machine, &own, &mut |slot| {
                slot == *every || is_input(slot) || self.is_known(slot)
            })
        {
            return Ok(None);
        }
        let words = inputs.iter().map(|input| self.word_of(input)).collect::<Result<Vec<Word>>>()?;
        let sets = |this: &mut Self, words: &[Word]| {
            let mut others = Digits::default();
            words.iter().enumerate().for_each(|(at, word)| others.push(free + at, *word));
            if others.rows() > MAX_SETS || others.rows() * universe.of.size() > most_evaluations {
                return None;
            }
            this.one_of_static_sets(&own, *every, &others, universe)
        };
        let found = sets(self, &words);
        if found.is_some() || !words.iter().any(|word| word.s.optional) {
            return Ok(found);
        }
        // What fails for none is evaluated only where there is something.
        let there: Vec<Word> = words.into_iter().map(|word| self.require_some(word)).collect();
        Ok(sets(self, &there))
    }

    /// Returns the elements, bound to slot `every`, for which a condition holds with the current values of others; `None` if it
    /// fails for some.
    fn one_of_static_sets(
        &mut self,
        e: &Expr,
        every: Slot,
        others: &Digits,
        universe: &Universe,
    ) -> Option<Vec<V>> {
        let key = self.evaluation(e, others, &(every, universe));
        let evaluated = self.evaluated.sets.get(key, || self.static_sets(e, every, others, universe));
        let (row, most) = evaluated?;
        self.cost = self.cost.saturating_add(most);
        if others.is_empty() {
            return Some(row.iter().map(|word| self.int(*word)).collect());
        }
        let index = self.row_number(others);
        Some(self.load_entry(row.to_vec(), index, universe.of.words()))
    }

    /// Evaluates a condition for each element and each combination of others. Returns the elements for which it holds as bits,
    /// by combination, and the most steps for one; `None` if it fails for some.
    fn static_sets(
        &self,
        e: &Expr,
        every: Slot,
        others: &Digits,
        universe: &Universe,
    ) -> Option<(Rc<[i64]>, u64)> {
        let elements = self.elements(universe);
        let mut frame = self.known_frame(e);
        let (mut row, mut most) = (Vec::new(), 0);
        for number in 0..others.rows() {
            others.fill_frame(number, &mut frame, self.layout.squares);
            let mut bits = vec![0u64; universe.of.words()];
            let (values, steps) = self.value_at_each(e, every, &elements, &mut frame);
            for (at, value) in values {
                if let Known::Bool(true) = value? {
                    set_mask_bit(&mut bits, at);
                }
            }
            row.extend(bits.into_iter().map(|word| word as i64));
            most = most.max(steps);
        }
        Some((row.into(), most))
    }
}

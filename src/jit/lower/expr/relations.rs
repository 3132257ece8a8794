//! Relations that never change between elements, such as from squares to those beside them: conditions on all elements
//! that some are related to, by shifts.

use std::collections::BTreeMap;

use crate::eval::elements;
use crate::ir::{Expr, ExprKind, Slot, Type, Value as Known, free_slots};
use crate::jit::analysis::invariants;
use crate::jit::builder::value::Bits;
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::bits::{members, set_mask_bit};
use crate::jit::layout::shape::{Scalar, Sort};
use crate::jit::layout::slots::REGISTERS;
use crate::jit::layout::tuple::word_in;
use crate::jit::lower::expr::masks::Universe;

/// What the elements of a universe are related to.
pub struct Relation {
    /// The universe of what they are related to, and what occurs in it.
    pub to: Universe,
    /// For each distance from an element to one that it is related to, the elements that have one there.
    pub distances: BTreeMap<i64, Vec<u64>>,
    /// Whether no element is related to another one more than once.
    pub once: bool,
}

impl Relation {
    /// Creates a relation from pairs of elements by their numbers. `None` if there are as many distances as elements.
    fn of_pairs(pairs: &[(i64, i64)], from: &Universe, of: Scalar) -> Option<Relation> {
        if of.words() > REGISTERS || from.of.words() > REGISTERS {
            return None;
        }
        let mut distances = BTreeMap::new();
        let mut within = vec![0u64; of.words()];
        for (at, to) in pairs {
            set_mask_bit(&mut within, *to);
            let elements = distances.entry(to - at).or_insert_with(|| vec![0u64; from.of.words()]);
            set_mask_bit(elements, *at);
        }
        let fewer = distances.len() < members(&from.within).count();
        let different: usize = distances.values().map(|elements| members(elements).count()).sum();
        let once = different == pairs.len();
        fewer.then_some(Relation { to: Universe { of, within }, distances, once })
    }

    /// Whether what an element is related to is always related to it as well.
    pub fn is_mutual(&self) -> bool {
        self.distances.iter().all(|(distance, elements)| {
            let back = self.distances.get(&-distance);
            back.is_some_and(|back| members(elements).map(|at| at + distance).eq(members(back)))
        })
    }
}

impl Builder<'_> {
    /// Returns what the elements of a universe are related to, and which of it fulfils conditions that do not depend on them,
    /// as in `some(t in beside(board, s): C)` for all s. The conditions are evaluated for all t at once.
    pub(in crate::jit) fn selected_by_relation(
        &mut self,
        slot: Slot,
        related: &Expr,
        conditions: &[Expr],
        universe: &Universe,
    ) -> Result<Option<(Relation, Vec<V>)>> {
        if conditions.iter().any(|condition| self.reads_every(condition)) {
            return Ok(None);
        }
        let Some(relation) = self.relation(related, universe) else { return Ok(None) };
        let to = relation.to.clone();
        let everything = Bits { words: self.static_bits(&to.within), of: to.of };
        let selected = self.with_every(slot, |this| this.predicate_bits(conditions, everything, &to))?;
        Ok(selected.map(|selected| (relation, selected.words)))
    }

    /// Returns what the elements of a universe are related to by a collection that depends on nothing else. `None` if
    /// it does, or if there are as many distances as elements.
    pub(in crate::jit) fn relation(&mut self, related: &Expr, universe: &Universe) -> Option<Relation> {
        let squares = self.layout.squares;
        let sort = match related.ty.element()? {
            Type::Square => Sort::Square,
            Type::Int => Sort::Int,
            _ => return None,
        };
        let mut pairs = Vec::new();
        for (at, values) in self.values_for_all(related, universe)? {
            for value in elements(&values?) {
                pairs.push((at, word_in(&value, sort, squares)?));
            }
        }
        let words = || pairs.iter().map(|(_, word)| *word);
        let of = match sort {
            Sort::Square => squares.scalar(),
            _ => Scalar::int(words().min()?, words().max()?),
        };
        let pairs: Vec<_> = pairs.iter().map(|(at, word)| (*at, word - of.lo)).collect();
        Relation::of_pairs(&pairs, universe, of)
    }

    /// Returns for which elements of another universe conditions hold that depend on nothing else, for each element of a
    /// universe. `None` if they do, or if there are as many distances as elements.
    pub(in crate::jit) fn relation_by_conditions(
        &mut self,
        conditions: &[Expr],
        universe: &Universe,
        (slot, others): (Slot, &Universe),
    ) -> Option<Relation> {
        let condition = conditions.iter().cloned().reduce(|a, b| Expr {
            span: a.span,
            ty: Type::Bool,
            kind: ExprKind::And(Box::new(a), Box::new(b)),
        })?;
        let free = free_slots(&condition);
        let unknown: Vec<Slot> =
            free.iter().copied().filter(|own| *own != slot && !self.is_known(*own)).collect();
        let [every] = unknown.as_slice() else { return None };
        if !self.is_slot_of_every(*every)
            || !invariants::is_invariant(self.machine, &condition, &mut |slot| free.contains(&slot))
        {
            return None;
        }
        let mut frame = self.known_frame(&condition);
        let mut pairs = Vec::new();
        let elements = self.elements(universe);
        for (to, value) in self.elements(others) {
            frame[slot] = value;
            let (values, steps) = self.value_at_each(&condition, *every, &elements, &mut frame);
            self.cost = self.cost.saturating_add(steps);
            for (at, holds) in values {
                if holds? == Known::Bool(true) {
                    pairs.push((at, to));
                }
            }
        }
        Relation::of_pairs(&pairs, universe, others.of)
    }

    /// Returns the elements that some of these are related to: for each distance, those that have one there are shifted
    /// by that distance.
    pub(in crate::jit) fn image(&mut self, relation: &Relation, bits: &[V]) -> Vec<V> {
        let zero = self.int(0);
        let words = relation.to.of.words();
        let mut image = vec![zero; words];
        for (distance, elements) in &relation.distances {
            let mut here = self.restricted_to(bits, elements);
            here.resize(words.max(here.len()), zero);
            let there = self.shifted(&here, *distance);
            image = image.iter().zip(there).map(|(a, b)| self.b.ins().bor(*a, b)).collect();
        }
        image
    }

    /// Returns the elements of a universe that are related to some of these.
    pub(in crate::jit) fn preimage(&mut self, relation: &Relation, bits: &[V], of: &Universe) -> Vec<V> {
        let mut found = vec![self.int(0); of.of.words()];
        for (_, here) in self.steps_to(relation, bits.to_vec(), of) {
            found = found.iter().zip(here).map(|(a, b)| self.b.ins().bor(*a, b)).collect();
        }
        found
    }

    /// Returns, for each distance, the elements of a universe that are related to one of these there.
    pub(in crate::jit) fn steps_to(
        &mut self,
        relation: &Relation,
        bits: Vec<V>,
        of: &Universe,
    ) -> Vec<(i64, Vec<V>)> {
        let zero = self.int(0);
        let (words, mut bits) = (of.of.words(), bits);
        bits.resize(words.max(bits.len()), zero);
        let mut steps = Vec::new();
        for (distance, elements) in &relation.distances {
            let here = self.shifted(&bits, -distance);
            steps.push((*distance, self.restricted_to(&here, elements)));
        }
        steps
    }

    fn restricted_to(&mut self, bits: &[V], mask: &[u64]) -> Vec<V> {
        bits.iter().zip(mask).map(|(word, mask)| self.b.ins().band_imm_s(*word, *mask as i64)).collect()
    }

    /// Shifts bits towards the highest, or by a negative distance towards the lowest.
    fn shifted(&mut self, words: &[V], by: i64) -> Vec<V> {
        match by {
            0.. => self.shift_up(words, by),
            _ => self.shift_down(words, -by),
        }
    }
}

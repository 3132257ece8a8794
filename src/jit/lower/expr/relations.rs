//! Conditions on what elements are related to in a way that never changes, such as the squares beside a square.

use std::collections::BTreeMap;

use crate::ir::{Domain, Expr, Fold, FoldKind, Type};
use crate::jit::analysis::invariants;
use crate::jit::builder::value::{Bits, Val};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::bits::{members, set_mask_bit};
use crate::jit::layout::shape::{Scalar, from_word};
use crate::jit::layout::slots::REGISTERS;
use crate::jit::layout::tuple::word_in;
use crate::jit::lower::expr::lines::selecting;
use crate::jit::lower::expr::masks::Universe;

/// What elements of a universe are related to.
struct Relation {
    /// The universe of what they are related to, and what occurs in it.
    to: Universe,
    /// For each distance from an element to one that it is related to, the elements that have one there.
    distances: BTreeMap<i64, Vec<u64>>,
}

impl Builder<'_> {
    /// Returns the elements for which a condition holds of some, or of all, that they are related to, as in
    /// `some(t in beside(board, s): C)` for all s, where C does not depend on s. C is evaluated for all t at once; for each
    /// distance, its bits are shifted by that distance and restricted to the elements with something there. `None` if
    /// there are as many distances as elements.
    pub(in crate::jit) fn bits_of_related(
        &mut self,
        fold: &Fold,
        universe: &Universe,
    ) -> Result<Option<Vec<V>>> {
        let ([source], None) = (fold.sources.as_slice(), &fold.stop) else { return Ok(None) };
        let ([slot], Domain::Values(related)) = (source.slots.as_slice(), &source.domain) else {
            return Ok(None);
        };
        let conditions = selecting(fold);
        if conditions.iter().any(|condition| self.reads_every(condition)) {
            return Ok(None);
        }
        let Some(Relation { to, distances }) = self.relation(related, universe)? else { return Ok(None) };
        let everything = Bits { words: self.static_bits(&to.within), of: to.of };
        let selected = self.with_every(*slot, |this| this.predicate_bits(&conditions, everything, &to))?;
        let Some(Bits { words: mut selected, .. }) = selected else { return Ok(None) };
        let zero = self.int(0);
        let words = universe.of.words();
        selected.resize(words.max(selected.len()), zero);
        let mut found = vec![zero; words];
        for (distance, elements) in distances {
            let shifted = match distance {
                0.. => self.shift_down(&selected, distance),
                _ => self.shift_up(&selected, -distance),
            };
            for ((found, bits), elements) in found.iter_mut().zip(shifted).zip(elements) {
                let bits = self.b.ins().band_imm_s(bits, elements as i64);
                *found = self.b.ins().bor(*found, bits);
            }
        }
        Ok(Some(match fold.kind {
            // All go with it unless there is some that does not.
            FoldKind::All => found.into_iter().map(|word| self.b.ins().bnot(word)).collect(),
            _ => found,
        }))
    }

    /// Returns what the elements of a universe are related to by a collection that depends on nothing else.
    fn relation(&mut self, related: &Expr, universe: &Universe) -> Result<Option<Relation>> {
        let squares = self.layout.squares;
        let free: Vec<_> = crate::ir::free_slots(related).into_iter().collect();
        let [every] = free.as_slice() else { return Ok(None) };
        let alone = matches!(self.locals.bound.get(every), Some(Val::Every));
        let sort = match related.ty.element() {
            Some(Type::Square) => squares.scalar().sort,
            Some(Type::Int) => Scalar::int(0, 0).sort,
            _ => return Ok(None),
        };
        if !alone || !invariants::is_invariant(self.machine, related, &mut |slot| slot == *every) {
            return Ok(None);
        }
        let mut pairs = Vec::new();
        let frame = self.known_frame(related);
        for at in members(&universe.within) {
            let mut frame = frame.clone();
            frame[*every] = from_word(universe.of.sort, universe.of.lo + at, squares);
            let (answer, steps) = self.machine.ask_counted(self.blank, |env| env.eval(related, &mut frame));
            self.cost = self.cost.saturating_add(steps);
            let Ok(values) = answer else { return Ok(None) };
            for value in crate::eval::elements(&values) {
                let Some(word) = word_in(&value, sort, squares) else { return Ok(None) };
                pairs.push((at, word));
            }
        }
        let words = || pairs.iter().map(|(_, word)| *word);
        let of = match sort == squares.scalar().sort {
            true => squares.scalar(),
            false => Scalar::int(words().min().unwrap_or(0), words().max().unwrap_or(0)),
        };
        if of.size() <= 0 || of.words() > REGISTERS || universe.of.words() > REGISTERS {
            return Ok(None);
        }
        let mut distances = BTreeMap::new();
        let mut within = vec![0u64; of.words()];
        for (at, word) in &pairs {
            let to = word - of.lo;
            set_mask_bit(&mut within, to);
            let elements = distances.entry(to - at).or_insert_with(|| vec![0u64; universe.of.words()]);
            set_mask_bit(elements, *at);
        }
        let fewer = distances.len() < members(&universe.within).count();
        Ok(fewer.then_some(Relation { to: Universe { of, within }, distances }))
    }
}

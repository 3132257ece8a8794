//! Pairs: rows of two arguments with few values, such as a row and a column, as bits of one set. Under conditions they are one
//! element, a square or a tuple, so that conditions are evaluated for all pairs at once.

use crate::ir::{
    Builtin, Compare, Domain, Expr, ExprKind, Slot, Type, Value as Known, children, children_mut, reads,
};
use crate::jit::analysis::invariants;
use crate::jit::builder::value::{Bits, Val, Word};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::bits::set_mask_bit;
use crate::jit::layout::shape::{Scalar, Sort};
use crate::jit::layout::slots::{REGISTERS, words_of};
use crate::jit::layout::tuple::TupleLayout;
use crate::jit::lower::expr::convert::fact_of_word;
use crate::jit::lower::expr::masks::Universe;
use crate::jit::lower::moves::row_set::RowSet;
use crate::jit::mir::IntCC;
use crate::opt::{Candidate, Scope};

/// The slots of two arguments that together are one element, and their ranges there; the minor one varies fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    pub major: (Slot, Scalar),
    pub minor: (Slot, Scalar),
    /// Whether the major argument is chosen first.
    pub in_order: bool,
}

impl Builder<'_> {
    /// Returns the row set of two parameters with few values, under conditions on both that can be evaluated for all pairs at
    /// once; `None` of others.
    pub(in crate::jit) fn pairs(&mut self, first: &Candidate, second: &Candidate) -> Result<Option<RowSet>> {
        let (mut conditions, mut scope, mut all) = (Vec::new(), Scope::default(), Vec::new());
        for param in [first, second] {
            let values = self.possible_values(param, &scope, &mut conditions);
            let words = values.and_then(|values| words_of(&values, self.layout.squares));
            let Some((words, of)) = words.filter(|(_, of)| !of.optional) else { return Ok(None) };
            if let Some(fact) = fact_of_word(of) {
                scope.insert(param.slot, fact);
            }
            conditions.extend(param.predicates.iter().cloned());
            all.push((param, words, of));
        }
        if !conditions.iter().any(|e| reads(e, first.slot) && reads(e, second.slot)) {
            return Ok(None);
        }
        for in_order in [true, false] {
            let [(major, outer, of_major), (minor, inner, of_minor)] = all.as_slice() else { break };
            let pair = Pair { major: (major.slot, *of_major), minor: (minor.slot, *of_minor), in_order };
            let named = |a, b| conditions.iter().find_map(|e| type_of_pair(e, a, b));
            let ty = match (named(major.slot, minor.slot), named(minor.slot, major.slot)) {
                (None, Some(_)) => None,
                (Some(ty), _) => Some(ty),
                (None, None) => Some(Type::Tuple(vec![major.ty.clone(), minor.ty.clone()].into())),
            };
            let found = ty.and_then(|ty| Some((self.universe_of(pair, outer, inner, &ty)?, ty)));
            if let Some(((pair, universe), ty)) = found {
                let free = conditions.iter().map(|e| self.free_slot(e)).max().unwrap_or(0);
                let mut joined = conditions.clone();
                joined.iter_mut().for_each(|e| join(e, &pair, free, &ty));
                let bits = Bits { words: self.static_bits(&universe.within), of: universe.of };
                let chosen = self.with_every(free, |this| this.predicate_bits(&joined, bits, &universe));
                if let Some(bits) = chosen? {
                    return Ok(Some(RowSet::Pair(Box::new(pair), bits)));
                }
            }
            all.reverse();
        }
        Ok(None)
    }

    /// Returns few values among which all are that a parameter may have, the same ones in each round of a loop that is unrolled,
    /// and adds the conditions that select them.
    fn possible_values(
        &mut self,
        param: &Candidate,
        scope: &Scope,
        conditions: &mut Vec<Expr>,
    ) -> Option<Vec<Known>> {
        if param.legal_rows || invariants::is_invariant_domain(self.machine, &param.domain, &mut |_| false) {
            return self.known_elements(&param.domain).filter(|_| !param.legal_rows);
        }
        let Domain::Range(low, high) = &param.domain else { return None };
        let (least, most) = (self.facts.of(low, scope).range.0, self.facts.of(high, scope).range.1);
        if most - least >= REGISTERS as i128 * 64 {
            return None;
        }
        let value = Expr { kind: ExprKind::Local(param.slot), ty: param.ty.clone(), span: low.span };
        for (a, b) in [(low, &value), (&value, high)] {
            let kind = ExprKind::Compare(Box::new(a.clone()), vec![(Compare::AtMost, b.clone())]);
            conditions.push(Expr { kind, ty: Type::Bool, span: low.span });
        }
        (least..=most).map(|n| Some(Known::int(i64::try_from(n).ok()?))).collect()
    }

    /// Returns all pairs of some words as elements of a type, and the pair with its ranges there; `None` if they are too many.
    fn universe_of(
        &self,
        mut pair: Pair,
        outer: &[i64],
        inner: &[i64],
        ty: &Type,
    ) -> Option<(Pair, Universe)> {
        let squares = self.layout.squares;
        let of = match ty {
            Type::Square => {
                let own = [(&mut pair.major.1, squares.rows), (&mut pair.minor.1, squares.stride)];
                for (of, most) in own {
                    if of.sort != Sort::Int || of.lo < 1 || of.hi > most {
                        return None;
                    }
                    *of = Scalar::int(1, most);
                }
                squares.scalar()
            }
            _ => TupleLayout::of(&[pair.major.1, pair.minor.1])?,
        };
        if of.words() > REGISTERS {
            return None;
        }
        let mut within = vec![0u64; of.words()];
        for a in outer {
            for b in inner {
                set_mask_bit(&mut within, (a - pair.major.1.lo) * pair.minor.1.size() + b - pair.minor.1.lo);
            }
        }
        Some((pair, Universe { of, within }))
    }

    /// Returns the index of the pair that is bound.
    pub(in crate::jit) fn index_of_pair(&mut self, pair: &Pair) -> Result<V> {
        let (major, minor) = (self.local(pair.major.0)?, self.local(pair.minor.0)?);
        let (major, minor) = (self.word(major)?, self.word(minor)?);
        let (of_major, of_minor) = (pair.major.1, pair.minor.1);
        let before = self.b.ins().imul_imm_s(major.v, of_minor.size());
        let index = self.b.ins().iadd(before, minor.v);
        Ok(self.b.ins().iadd_imm_s(index, -of_major.lo * of_minor.size() - of_minor.lo))
    }

    /// Binds the arguments of the pair with an index.
    pub(in crate::jit) fn bind_pair(&mut self, pair: &Pair, index: V) {
        let size = pair.minor.1.size();
        let (major, minor) = (self.b.ins().udiv_imm_s(index, size), self.b.ins().urem_imm_s(index, size));
        for (digit, (slot, s)) in [(major, pair.major), (minor, pair.minor)] {
            let v = self.b.ins().iadd_imm_s(digit, s.lo);
            self.locals.bound.insert(slot, Val::Word(Word { v, s, known: None }));
        }
    }

    /// Returns the index of pair number `k` of a set, in the order in which the arguments are chosen.
    pub(in crate::jit) fn nth_pair(&mut self, pair: &Pair, bits: &Bits, k: V) -> V {
        if pair.in_order {
            return self.nth_bit(bits, k);
        }
        let (majors, minors) = (pair.major.1.size(), pair.minor.1.size());
        let sets: Vec<Vec<V>> = (0..minors)
            .map(|minor| {
                let mut mask = vec![0u64; bits.of.words()];
                (0..majors).for_each(|major| set_mask_bit(&mut mask, major * minors + minor));
                let parts = bits.words.iter().zip(&mask);
                parts.map(|(word, mask)| self.b.ins().band_imm_s(*word, *mask as i64)).collect()
            })
            .collect();
        // The set is the last one that begins at or before the k-th pair.
        let (mut rest, mut words, mut before) = (k, bits.words.clone(), self.int(0));
        for set in sets {
            let count = self.popcount(&Bits { words: set.clone(), of: bits.of });
            let reached = self.cmp(IntCC::UnsignedGreaterThanOrEqual, k, before);
            let own = self.b.ins().isub(k, before);
            rest = self.b.ins().select(reached, own, rest);
            let pairs = set.into_iter().zip(words);
            words = pairs.map(|(own, other)| self.b.ins().select(reached, own, other)).collect();
            before = self.b.ins().iadd(before, count);
        }
        self.nth_bit(&Bits { words, of: bits.of }, rest)
    }
}

/// Replaces both arguments of a pair by what they are of one element of type `ty`, in a slot: a square, or a tuple.
fn join(e: &mut Expr, pair: &Pair, slot: Slot, ty: &Type) {
    let own = [pair.major.0, pair.minor.0];
    let is = |e: &Expr, slot: Slot| matches!(e.kind, ExprKind::Local(own) if own == slot);
    if is_pair(e, own[0], own[1]) && e.ty == *ty {
        e.kind = ExprKind::Local(slot);
        return;
    }
    children_mut(e, &mut |part| join(part, pair, slot, ty));
    let Some(number) = own.iter().position(|slot| is(e, *slot)) else { return };
    let element = Expr { kind: ExprKind::Local(slot), ty: ty.clone(), span: e.span };
    e.kind = match (ty, number) {
        (Type::Square, 0) => ExprKind::Builtin(Builtin::Row, vec![element]),
        (Type::Square, _) => ExprKind::Builtin(Builtin::Column, vec![element]),
        _ => ExprKind::Part(Box::new(element), number),
    };
}

/// Whether an expression is the square or the tuple of two local values.
fn is_pair(e: &Expr, major: Slot, minor: Slot) -> bool {
    let is = |e: &Expr, slot: Slot| matches!(e.kind, ExprKind::Local(own) if own == slot);
    match &e.kind {
        ExprKind::Square(a, b) => is(a, major) && is(b, minor),
        ExprKind::Tuple(parts) => matches!(parts.as_slice(), [a, b] if is(a, major) && is(b, minor)),
        _ => false,
    }
}

/// Returns the type of the square or the tuple of two local values in an expression, if there is one.
fn type_of_pair(e: &Expr, major: Slot, minor: Slot) -> Option<Type> {
    let mut found = is_pair(e, major, minor).then(|| e.ty.clone());
    children(e, &mut |part| found = found.take().or_else(|| type_of_pair(part, major, minor)));
    found
}

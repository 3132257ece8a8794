//! Row sets: rows of arguments that are counted and drawn from as a whole.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::ir::{Domain, Expr, ExprKind, FoldKind, MoveId, Slot, Type, Value as Known};
use crate::jit::analysis::invariants;
use crate::jit::builder::value::{Bits, List, Val, Word};
use crate::jit::builder::{Builder, Result, V, unsupported};
use crate::jit::layout::kept::is_compound;
use crate::jit::layout::shape::Scalar;
use crate::jit::layout::slots::{REGISTERS, words_of};
use crate::jit::lower::expr::masks::Universe;
use crate::jit::lower::moves::counted_rows::CountedRows;
use crate::jit::lower::moves::decoded_rows::DecodedRows;
use crate::jit::lower::moves::pairs::Pair;
use crate::jit::lower::moves::row_domains::RowKind;
use crate::jit::lower::moves::steps::Steps;
use crate::jit::mir::types;
use crate::opt::{Candidate, and};

/// Rows that are counted and drawn from as a whole.
#[derive(Clone)]
pub enum RowSet {
    /// One row, if a condition holds.
    One(Option<V>),
    /// The elements of a set.
    Bits(Slot, Bits),
    /// Pairs of values of two arguments, as bits.
    Pair(Box<Pair>, Bits),
    /// Pairs of an element and one at one of a few distances from it.
    Steps(Steps),
    /// A span of integers.
    Span(Slot, Word, Word),
    /// Values of a domain by rank: their number, and the domain.
    Rows(Slot, V, RowDomain),
}

/// Domains whose values are found by their ranks.
#[derive(Clone)]
pub enum RowDomain {
    /// Listed values, in their order.
    Listed(List),
    /// The elements of a large set, whose bits lie at an address.
    Large(V, Scalar),
    /// Values kept by the reference: the index of the domain, and their type.
    Interpreted(V, Type),
    /// A domain described by words at an address, and what its rows are.
    Descriptor(V, RowKind),
    /// Rows of a few elements, whose ranks are decoded.
    Decoded(DecodedRows),
    /// Rows that are counted by their conditions, element by element, and what they are.
    Counted(CountedRows, RowKind),
    /// Rows by their numbers, and what a row is of its number.
    Numbered(Rc<RowSet>, Rc<Expr>),
    /// Some rows of such a domain.
    Tried {
        /// The address of their ranks, or 0 if they are all rows of the domain.
        ranks: V,
        /// The address of the descriptor.
        descriptor: V,
        /// What the rows are.
        kind: RowKind,
    },
}

impl RowSet {
    /// Whether these are rows of all of some parameters, in registers.
    pub fn covers(&self, params: &[Candidate]) -> bool {
        let is_param = |at: usize, slot: Slot| params.get(at).is_some_and(|param| param.slot == slot);
        match self {
            RowSet::Bits(slot, _) => params.len() == 1 && is_param(0, *slot),
            RowSet::Pair(pair, _) => {
                let (first, second) = (usize::from(!pair.in_order), usize::from(pair.in_order));
                params.len() == 2 && is_param(first, pair.major.0) && is_param(second, pair.minor.0)
            }
            RowSet::Steps(steps) => params.len() == 2 && is_param(0, steps.from) && is_param(1, steps.to),
            _ => false,
        }
    }
}

/// All legal rows of a move, where they are known.
pub type KnownRows = Option<(MoveId, RowSet)>;

impl Builder<'_> {
    // ---- row sets

    /// Evaluates the ends of a window.
    fn window(&mut self, window: Option<&(Expr, Expr)>) -> Result<Option<(Word, Word)>> {
        match window {
            Some((low, high)) => Ok(Some((self.number_of(low)?, self.number_of(high)?))),
            None => Ok(None),
        }
    }

    /// Returns the part of a window that is not less than `low`.
    pub(in crate::jit) fn window_from(&mut self, low: Word, window: (Word, Word)) -> (Word, Word) {
        let v = self.b.ins().smax(low.v, window.0.v);
        let s = Scalar { lo: low.s.lo.max(window.0.s.lo), hi: low.s.hi.max(window.0.s.hi), ..low.s };
        (Word { v, s, known: None }, window.1)
    }

    /// Returns the ends of a domain of integers, taken from its window if it is infinite; `None` for other
    /// domains.
    pub(in crate::jit) fn ends(
        &mut self,
        domain: &Domain,
        window: Option<&(Expr, Expr)>,
    ) -> Result<Option<(Word, Word)>> {
        match domain {
            Domain::Ints => self.window(window),
            Domain::AtLeast(low) => {
                let low = self.number_of(low)?;
                Ok(self.window(window)?.map(|window| self.window_from(low, window)))
            }
            Domain::Range(low, high) => Ok(Some((self.number_of(low)?, self.number_of(high)?))),
            Domain::Values(e) => match &crate::jit::layout::slots::strip_lets(e).kind {
                ExprKind::Listed(inner) if matches!(**inner, Domain::Range(..)) => match self.expr(e)? {
                    Val::Span(low, high) => Ok(Some((low, high))),
                    _ => Ok(None),
                },
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Returns the distinct elements of a domain as bits; `None` if that is impossible.
    pub(in crate::jit) fn choice_bits(&mut self, domain: &Domain) -> Result<Option<(Bits, Universe)>> {
        if let Some(mut values) = self.known_elements(domain) {
            values.sort();
            values.dedup();
            return Ok(self.known_bits(&values));
        }
        match domain {
            Domain::Values(e) => self.distinct_bits(e),
            Domain::Range(low, high) => {
                let (low, high) = (self.number_of(low)?, self.number_of(high)?);
                let of = Scalar::int(low.s.lo, high.s.hi.max(low.s.lo));
                if of.words() > REGISTERS {
                    return Ok(None);
                }
                let bits = self.bits(Val::Span(low, high), of)?;
                Ok(Some((bits, self.full_universe(of))))
            }
            _ => Ok(None),
        }
    }

    pub(in crate::jit) fn distinct_bits(&mut self, e: &Expr) -> Result<Option<(Bits, Universe)>> {
        let whole = |bits: Bits| {
            let of = bits.of;
            let within =
                (0..of.words()).map(|i| crate::jit::lower::expr::convert::mask_word(of.size(), i)).collect();
            Some((bits, Universe { of, within }))
        };
        if let Some(found) = self.expr_bits(e)? {
            return Ok(Some(found));
        }
        match (&e.kind, &e.ty) {
            (ExprKind::Let(slots, value, body), Type::List(_) | Type::Set(_)) => {
                self.with_let(slots, value, |this| this.distinct_bits(body))
            }
            (ExprKind::Fold(fold), ty) if matches!(fold.kind, FoldKind::List | FoldKind::Set) => {
                match self.fold_universe(fold, ty) {
                    Some(_) => Ok(self.fold_bits(fold, ty)?.and_then(whole)),
                    None => Ok(None),
                }
            }
            (_, Type::Bag(_)) => match self.expr(e)? {
                Val::Counts { at, of } => Ok(whole(self.counted_bits(at, of))),
                _ => Ok(None),
            },
            (_, Type::List(of)) => {
                let Some(of) = self.type_scalar(of) else { return Ok(None) };
                let val = self.expr(e)?;
                let of = match &val {
                    Val::List(list) if of.small_size().is_none() => list.of,
                    _ => of,
                };
                if of.optional || of.words() > REGISTERS {
                    return Ok(None);
                }
                Ok(whole(self.bits(val, of)?))
            }
            _ => Ok(None),
        }
    }

    /// Returns the row set of these last parameters; `None` if they do not form one. `alone`: they are not
    /// inside a loop.
    pub(in crate::jit) fn row_set(&mut self, params: &[Candidate], alone: bool) -> Result<Option<RowSet>> {
        match params {
            [] => Ok(None),
            [first, second] => match self.pairs(first, second)? {
                Some(found) => Ok(Some(found)),
                None => self.steps_between(first, second),
            },
            [param] => {
                let domain = &param.domain;
                if param.legal_rows {
                    return Ok(Some(self.candidate_rows(param)?.1));
                }
                if param.predicates.is_empty()
                    && let Some((low, high)) = self.ends(domain, param.window.as_ref())?
                {
                    return Ok(Some(RowSet::Span(param.slot, low, high)));
                }
                if matches!(domain, Domain::Ints | Domain::AtLeast(_)) {
                    return Ok(None);
                }
                if let Some((bits, universe)) = self.choice_bits(domain)? {
                    let slot = param.slot;
                    let chosen = self
                        .with_every(slot, |this| this.predicate_bits(&param.predicates, bits, &universe))?;
                    if let Some(bits) = chosen {
                        return Ok(Some(RowSet::Bits(slot, bits)));
                    }
                    return self.tested_one_by_one(param);
                }
                // Inside loops, single values are enumerated one by one; rows that fit no word are counted by rank or,
                // by their condition, by the reference.
                let apart = domain.is_of_rows() && self.type_scalar(&param.ty).is_none();
                let alone = alone || apart || matches!(domain, Domain::Where(..));
                match param.predicates.is_empty() && alone {
                    true => Ok(Some(self.domain_count(domain, param.slot, param.window.as_ref())?.1)),
                    false => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// Tests each of a few known values by itself, if their conditions cannot be evaluated for all at once.
    fn tested_one_by_one(&mut self, param: &Candidate) -> Result<Option<RowSet>> {
        const MAX_VALUES: usize = 8;
        const MAX_WORK: u64 = 512;
        /// The work that takes no longer than to find out whether it is needed.
        const LITTLE_WORK: u64 = 24;
        if param.predicates.is_empty() || param.ty == Type::Square {
            return Ok(None);
        }
        let Some(mut values) = self.known_elements(&param.domain) else { return Ok(None) };
        values.sort();
        values.dedup();
        let Some((words, of)) = words_of(&values, self.layout.squares) else { return Ok(None) };
        let is_known = |slot: Slot| slot == param.slot || self.is_known(slot);
        let work = |predicate: &Expr| invariants::weight_given(self.machine, predicate, &is_known);
        let work: u64 = param.predicates.iter().map(work).sum();
        if of.optional || of.words() > 1 || values.len() > MAX_VALUES || work * values.len() as u64 > MAX_WORK
        {
            return Ok(None);
        }
        let mut all = self.int(0);
        for (word, value) in words.into_iter().zip(values) {
            self.locals.bound.insert(param.slot, Val::Const(value));
            // What may fail, or takes long, is evaluated only where those before hold.
            let mut predicates = param.predicates.clone();
            let behind = || predicates.iter().skip(1);
            let more: u64 = behind().map(invariants::weight).sum();
            if more > LITTLE_WORK || behind().any(|predicate| self.may_fail(predicate)) {
                predicates = predicates.into_iter().reduce(and).into_iter().collect();
            }
            let mut bit = None;
            for predicate in &predicates {
                let holds = self.condition(predicate)?;
                bit = Some(match bit {
                    None => holds,
                    Some(others) => self.b.ins().band(others, holds),
                });
            }
            let Some(holds) = bit else { continue };
            let bit = self.b.ins().uextend(types::I64, holds);
            let bit = self.b.ins().ishl_imm_s(bit, word - of.lo);
            all = self.b.ins().bor(all, bit);
        }
        self.locals.bound.remove(&param.slot);
        Ok(Some(RowSet::Bits(param.slot, Bits { words: vec![all], of })))
    }

    /// Returns the number of rows of a domain of rows for a parameter, and the domain; `None` for other domains.
    pub(in crate::jit) fn rows_of(
        &mut self,
        domain: &Domain,
        slot: Slot,
        window: Option<&(Expr, Expr)>,
    ) -> Result<Option<(V, RowDomain)>> {
        match domain {
            Domain::Permutations(_)
            | Domain::Arrangements(..)
            | Domain::Lists(..)
            | Domain::ListsFrom(..)
            | Domain::Subsets(..)
            | Domain::SubsetsFrom(..)
            | Domain::Tuples(_) => {
                if let Some(values) = self.known_choices(domain) {
                    return Ok(self.known_rows(&values, &domain.element()));
                }
                if let Some(decoded) = self.decoded_rows(domain, slot, window)? {
                    return Ok(Some(decoded));
                }
                let window = self.window(window)?;
                self.described_rows(domain, window)
            }
            Domain::Values(e) if e.ty.element().is_some_and(|of| is_compound(&of)) => self.compound_rows(e),
            Domain::Ints | Domain::AtLeast(_) | Domain::Range(..) | Domain::Values(_) | Domain::Where(..) => {
                Ok(None)
            }
        }
    }

    /// Returns known values of a type as rows, in this order; `None` if code does not keep such values.
    pub(in crate::jit) fn known_rows(&mut self, values: &[Known], ty: &Type) -> Option<(V, RowDomain)> {
        let (words, of) = self.keep_known(values, ty)?;
        let (at, count) = (self.static_row(words), self.int(values.len() as i64));
        let list = List::immutable(at, count, self.kept_scalar(&of), Some(values.len() as i64));
        Some((count, RowDomain::Listed(list)))
    }

    /// Returns the distinct elements of a collection, which fit no word; `None` if code does not hold the collection.
    fn compound_rows(&mut self, e: &Expr) -> Result<Option<(V, RowDomain)>> {
        if let Some(known) = self.constant(e) {
            let values: BTreeSet<Known> = crate::eval::elements(&known).into_iter().collect();
            let values: Vec<Known> = values.into_iter().collect();
            return Ok(self.known_rows(&values, &e.ty.element().unwrap_or(Type::Never)));
        }
        if !matches!(e.ty, Type::List(_) | Type::Set(_)) {
            return Ok(None);
        }
        let val = self.expr(e)?;
        if let Val::Opaque(_) = val {
            return Ok(None);
        }
        let list = self.gathered_list(val, &e.ty)?;
        // A set is sorted.
        let list = match e.ty {
            Type::Set(_) => list,
            _ => self.set_of_list(list)?,
        };
        Ok(Some((list.len, RowDomain::Listed(list))))
    }

    pub(in crate::jit) fn row_set_count(&mut self, row_set: &RowSet) -> V {
        match row_set {
            RowSet::One(None) => self.int(1),
            RowSet::One(Some(cond)) => self.b.ins().uextend(types::I64, *cond),
            RowSet::Bits(_, bits) | RowSet::Pair(_, bits) => self.popcount(&bits.clone()),
            RowSet::Steps(steps) => self.count_steps(steps),
            RowSet::Span(_, low, high) => self.span_len(*low, *high),
            RowSet::Rows(_, count, _) => *count,
        }
    }

    /// Returns whether the row of the arguments that are bound is in a row set in registers.
    pub(in crate::jit) fn row_set_has(&mut self, row_set: &RowSet) -> Result<V> {
        match row_set {
            RowSet::Bits(slot, bits) => {
                let value = self.local(*slot)?;
                self.has(Val::Bits(bits.clone()), value)
            }
            RowSet::Pair(pair, bits) => {
                let index = self.index_of_pair(pair)?;
                let v = self.b.ins().iadd_imm_s(index, bits.of.lo);
                Ok(self.has_bit(bits, Word { v, s: bits.of, known: None }))
            }
            RowSet::Steps(steps) => self.is_step(steps),
            _ => unsupported("rows that are not in registers"),
        }
    }

    /// Binds the arguments of row number `k` of a row set.
    pub(in crate::jit) fn bind_row(&mut self, row_set: &RowSet, k: V) -> Result<()> {
        match row_set {
            RowSet::One(_) => {}
            RowSet::Bits(slot, bits) => {
                let at = self.nth_bit(bits, k);
                let v = self.b.ins().iadd_imm_s(at, bits.of.lo);
                self.locals.bound.insert(*slot, Val::Word(Word { v, s: bits.of, known: None }));
            }
            RowSet::Pair(pair, bits) => {
                let at = self.nth_pair(pair, bits, k);
                self.bind_pair(pair, at);
            }
            RowSet::Steps(steps) => self.bind_nth_step(steps, k)?,
            RowSet::Span(slot, low, high) => {
                let v = self.b.ins().iadd(low.v, k);
                let s = Scalar { hi: high.s.hi.max(low.s.lo), ..low.s };
                self.locals.bound.insert(*slot, Val::Word(Word { v, s, known: None }));
            }
            RowSet::Rows(slot, _, rows) => {
                let val = self.row_at(rows, k)?;
                self.locals.bound.insert(*slot, val);
            }
        }
        Ok(())
    }

    pub(in crate::jit) fn row_at(&mut self, rows: &RowDomain, rank: V) -> Result<Val> {
        match rows {
            RowDomain::Descriptor(at, kind) => self.ranked_row(*at, kind, rank),
            RowDomain::Listed(list) => Ok(self.element_value(*list, rank)),
            RowDomain::Large(at, of) => {
                let v = self.nth_of_large_set((*at, *of), rank)?;
                Ok(Val::Word(Word { v, s: *of, known: None }))
            }
            RowDomain::Interpreted(number, ty) => self.interpreted_element(*number, rank, ty),
            RowDomain::Decoded(rows) => self.decoded_row(rows, rank),
            RowDomain::Counted(rows, kind) => self.counted_row(*rows, kind, rank),
            RowDomain::Numbered(numbers, row) => {
                self.bind_row(numbers, rank)?;
                self.expr(row)
            }
            RowDomain::Tried { ranks, descriptor, kind } => self.tried_row((*ranks, *descriptor), kind, rank),
        }
    }
}

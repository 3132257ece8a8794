//! Rows of two or three elements by rank, without a call: the rank is decoded into the ranks of the elements.

use std::rc::Rc;

use crate::ir::{Domain, Expr, ExprKind, Slot, Value as Known};
use crate::jit::builder::control::UNCHARGED;
use crate::jit::builder::value::{List, Val, Word};
use crate::jit::builder::{Builder, Result, V};
use crate::jit::layout::position::small;
use crate::jit::layout::shape::Scalar;
use crate::jit::lower::moves::row_set::{RowDomain, RowSet};
use crate::jit::mir::IntCC;

/// The most elements of a row whose rank is decoded.
const MOST_ELEMENTS: i64 = 3;

/// Which rows there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Lists,
    Arrangements,
    /// Of two elements.
    Subsets,
    Tuples,
}

/// Rows of a known number of elements.
#[derive(Clone)]
pub struct DecodedRows {
    sort: Sort,
    /// For each place, the elements it is filled from and their number.
    places: Vec<(Rc<RowSet>, V)>,
    /// The slot to which an element is bound.
    slot: Slot,
}

impl Builder<'_> {
    /// Returns the number of rows of a domain, and the rows; `None` of domains whose ranks are not decoded.
    pub(in crate::jit) fn decoded_rows(
        &mut self,
        domain: &Domain,
        slot: Slot,
        window: Option<&(Expr, Expr)>,
    ) -> Result<Option<(V, RowDomain)>> {
        let listed;
        let (sort, size, of) = match domain {
            Domain::Lists(size, of) => (Sort::Lists, size, &**of),
            Domain::Arrangements(size, of) => (Sort::Arrangements, size, &**of),
            Domain::Subsets(of, Some(size)) => {
                listed = Domain::Values(of.clone());
                (Sort::Subsets, size, &listed)
            }
            Domain::Tuples(parts) => return self.decoded_tuples(parts, slot, window),
            _ => return Ok(None),
        };
        let ExprKind::Value(Known::Int(size)) = &size.kind else { return Ok(None) };
        let most = if sort == Sort::Subsets { 2 } else { MOST_ELEMENTS };
        let Some(size) = size.as_i64().filter(|size| (2..=most).contains(size)) else { return Ok(None) };
        let Some((count, elements)) = self.elements_of_rows(of, slot, window)? else { return Ok(None) };
        // With fewer elements than a row has, one of the factors is 0.
        let mut rows = count;
        for used in 1..size {
            let by = match sort {
                Sort::Lists => count,
                _ => self.b.ins().iadd_imm_s(count, -used),
            };
            let (product, over) = self.b.ins().smul_overflow(rows, by);
            self.bail_out_if(over);
            rows = product;
        }
        if sort == Sort::Subsets {
            rows = self.b.ins().ushr_imm_s(rows, 1);
        }
        let places = vec![(Rc::new(elements), count); size as usize];
        Ok(Some((rows, RowDomain::Decoded(DecodedRows { sort, places, slot }))))
    }

    fn decoded_tuples(
        &mut self,
        parts: &[Domain],
        slot: Slot,
        window: Option<&(Expr, Expr)>,
    ) -> Result<Option<(V, RowDomain)>> {
        if parts.len() > MOST_ELEMENTS as usize {
            return Ok(None);
        }
        let (mut rows, mut places) = (self.int(1), Vec::new());
        for part in parts {
            let Some((count, elements)) = self.elements_of_rows(part, slot, window)? else { return Ok(None) };
            let (product, over) = self.b.ins().smul_overflow(rows, count);
            self.bail_out_if(over);
            rows = product;
            places.push((Rc::new(elements), count));
        }
        Ok(Some((rows, RowDomain::Decoded(DecodedRows { sort: Sort::Tuples, places, slot }))))
    }

    /// Returns the number of elements that a place of a row is filled from, and the elements; `None` unless they are single values.
    fn elements_of_rows(
        &mut self,
        of: &Domain,
        slot: Slot,
        window: Option<&(Expr, Expr)>,
    ) -> Result<Option<(V, RowSet)>> {
        if self.type_scalar(&of.element()).is_none() || of.is_of_rows() || matches!(of, Domain::Where(..)) {
            return Ok(None);
        }
        let (count, elements) = self.values_count(of, slot, window)?;
        let interpreted = matches!(elements, RowSet::Rows(_, _, RowDomain::Interpreted(..)));
        Ok((!interpreted).then_some((count, elements)))
    }

    /// Returns the row of a rank.
    pub(in crate::jit) fn decoded_row(&mut self, rows: &DecodedRows, rank: V) -> Result<Val> {
        let counts: Vec<V> = rows.places.iter().map(|(_, count)| *count).collect();
        let places = match rows.sort {
            Sort::Lists | Sort::Tuples => self.parts_of_rank(rank, &counts),
            Sort::Arrangements => {
                let less = |(used, count): (i64, &V)| self.b.ins().iadd_imm_s(*count, -used);
                let bases: Vec<V> = (0..).zip(&counts).map(less).collect();
                let mut places = self.parts_of_rank(rank, &bases);
                // Among those that are left: each of the earlier ones moves it on, from the least of them up.
                for at in 1..places.len() {
                    let mut before = places[..at].to_vec();
                    if let [a, b] = before[..] {
                        before = vec![self.b.ins().smin(a, b), self.b.ins().smax(a, b)];
                    }
                    for earlier in before {
                        let beyond = self.cmp(IntCC::SignedGreaterThanOrEqual, places[at], earlier);
                        let next = self.b.ins().iadd_imm_s(places[at], 1);
                        places[at] = self.b.ins().select(beyond, next, places[at]);
                    }
                }
                places
            }
            Sort::Subsets => self.place_of_pair(rank, counts[0])?,
        };
        let mut words = Vec::new();
        for ((elements, _), place) in rows.places.iter().zip(places) {
            self.bind_row(elements, place)?;
            let element = self.local(rows.slot)?;
            words.push(self.word(element)?);
        }
        if rows.sort == Sort::Tuples {
            return Ok(Val::Tuple(words.into_iter().map(Val::Word).collect()));
        }
        let size = words.len() as i64;
        let room = self.int(size * 8);
        let at = self.scratch(room);
        let mut of: Option<Scalar> = None;
        for (number, Word { v, s, .. }) in words.into_iter().enumerate() {
            self.store64(v, at, number as i32 * 8);
            of = Some(of.and_then(|of| of.join(s)).unwrap_or(s));
        }
        let (of, len) = (of.unwrap_or(Scalar::any_int()), self.int(size));
        let list = List::immutable(at, len, of, Some(size));
        match rows.sort {
            Sort::Subsets if small(of) => self.bits(Val::List(list), of).map(Val::Bits),
            _ => Ok(Val::List(list)),
        }
    }

    /// Returns the digits of a number to these bases, the last of which varies fastest. The number is less than the product of
    /// all bases.
    pub(in crate::jit) fn parts_of_rank(&mut self, number: V, bases: &[V]) -> Vec<V> {
        let (mut rest, mut digits) = (number, Vec::new());
        for (at, base) in bases.iter().enumerate().rev() {
            if at == 0 {
                digits.push(rest);
                break;
            }
            digits.push(self.b.ins().urem(rest, *base));
            rest = self.b.ins().udiv(rest, *base);
        }
        digits.reverse();
        digits
    }

    /// Returns the places of pair number `rank` of so many elements, in lexicographic order.
    fn place_of_pair(&mut self, rank: V, count: V) -> Result<Vec<V>> {
        let zero = self.int(0);
        let behind = self.b.ins().iadd_imm_s(count, -1);
        let beyond =
            |this: &mut Self, [_, k, pairs]: [V; 3]| this.cmp(IntCC::UnsignedGreaterThanOrEqual, k, pairs);
        let [at, k, _] =
            self.repeat([zero, rank, behind], UNCHARGED, beyond, |this, [at, k, pairs], _| {
                Ok([
                    this.b.ins().iadd_imm_s(at, 1),
                    this.b.ins().isub(k, pairs),
                    this.b.ins().iadd_imm_s(pairs, -1),
                ])
            })?;
        let second = self.b.ins().iadd(at, k);
        Ok(vec![at, self.b.ins().iadd_imm_s(second, 1)])
    }
}

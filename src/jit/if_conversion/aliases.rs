//! Alias analysis: represents addresses as linear sums of values, to decide whether two accesses may overlap
//! and whether an access may be executed speculatively.

use std::collections::BTreeMap;

use crate::jit::mir::{BinaryOp, ConvertOp, Function, Op, UnaryOp, Value as V};

/// A linear combination of values plus a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    terms: BTreeMap<V, i64>,
    constant: i64,
}

/// A range of bytes in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    address: Sum,
    count: i64,
}

/// Facts about the values that occur in addresses.
#[derive(Debug, Default)]
pub struct Addresses {
    /// The least and the greatest value of each.
    ranges: BTreeMap<V, (i64, i64)>,
    /// The number of bytes that may be accessed at any time, starting at each value.
    accessible_bytes: BTreeMap<V, i64>,
}

/// How deep expressions are traversed.
const MAX_DEPTH: u32 = 8;

impl Sum {
    /// Returns a value as a sum.
    pub fn of(func: &Function, v: V) -> Sum {
        let mut sum = Sum { terms: BTreeMap::new(), constant: 0 };
        sum.add(func, v, 1, MAX_DEPTH);
        sum.terms.retain(|_, times| *times != 0);
        sum
    }

    fn add(&mut self, func: &Function, v: V, times: i64, deep: u32) {
        let plus = |a: i64, b: i64| a.wrapping_add(b.wrapping_mul(times));
        if let Some(n) = func.constant(v) {
            self.constant = plus(self.constant, n);
            return;
        }
        if let Some(Op::Binary(op, a, b)) = func.def_op(v).filter(|_| deep > 0) {
            let (a, b) = (*a, *b);
            match (op, func.constant(b)) {
                (BinaryOp::Iadd, _) => {
                    self.add(func, a, times, deep - 1);
                    self.add(func, b, times, deep - 1);
                    return;
                }
                (BinaryOp::Imul, Some(n)) => return self.add(func, a, times.wrapping_mul(n), deep - 1),
                (BinaryOp::Ishl, Some(n @ 0..64)) => {
                    return self.add(func, a, times.wrapping_mul(1 << n), deep - 1);
                }
                _ => {}
            }
        }
        let term = self.terms.entry(v).or_default();
        *term = term.wrapping_add(times);
    }

    /// Returns the difference from `other` if it is constant.
    pub fn constant_difference(&self, other: &Sum) -> Option<i64> {
        (self.terms == other.terms).then(|| self.constant.wrapping_sub(other.constant))
    }

    /// Returns the value of a constant sum.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// If the sum is a single value plus a constant, returns both.
    pub fn as_offset(&self) -> Option<(V, i64)> {
        match self.terms.iter().next() {
            Some((v, 1)) if self.terms.len() == 1 => Some((*v, self.constant)),
            _ => None,
        }
    }
}

impl Access {
    /// Returns the bytes that an instruction loads or stores; `None` for other instructions.
    pub fn of(func: &Function, op: &Op) -> Option<Access> {
        let (Op::Load { memory, at, offset, .. } | Op::Store { memory, at, offset, .. }) = op else {
            return None;
        };
        let mut address = Sum::of(func, *at);
        address.constant = address.constant.wrapping_add(i64::from(*offset));
        Some(Access { address, count: i64::from(memory.bytes()) })
    }

    /// Whether it certainly does not overlap another access while all terms are in their ranges. On a path
    /// that is not taken, terms may exceed their ranges up to `bound`.
    pub fn is_disjoint(&self, other: &Access, known: &Addresses, bound: &dyn Fn(V) -> Option<u64>) -> bool {
        let mut terms: BTreeMap<V, i128> = BTreeMap::new();
        for (sum, sign) in [(&other.address, 1), (&self.address, -1)] {
            for (v, times) in &sum.terms {
                *terms.entry(*v).or_default() += sign * i128::from(*times);
            }
        }
        let first = i128::from(other.address.constant) - i128::from(self.address.constant);
        let (mut low, mut high) = (first, first);
        for (v, times) in terms.into_iter().filter(|(_, times)| *times != 0) {
            let Some((low_end, high_end)) = known.ranges.get(&v) else { return false };
            let high_end = i128::from(*high_end).max(bound(v).map_or(0, i128::from));
            let ends = [times * i128::from(*low_end), times * high_end];
            low += ends[0].min(ends[1]);
            high += ends[0].max(ends[1]);
        }
        low >= i128::from(self.count) || high <= -i128::from(other.count)
    }

    /// Whether it may be executed speculatively: for all values of its terms up to `bound`, it stays within
    /// bytes known to be accessible.
    pub fn is_speculatable(&self, known: &Addresses, bound: &dyn Fn(V) -> Option<u64>) -> bool {
        let mut end = i128::from(self.address.constant) + i128::from(self.count);
        let mut accessible = None;
        for (v, times) in &self.address.terms {
            match known.accessible_bytes.get(v).filter(|_| *times == 1 && accessible.is_none()) {
                Some(bytes) => accessible = Some(i128::from(*bytes)),
                None => match bound(*v).filter(|_| *times > 0) {
                    Some(most) => end += i128::from(most) * i128::from(*times),
                    None => return false,
                },
            }
        }
        self.address.constant >= 0 && accessible.is_some_and(|bytes| end <= bytes)
    }
}

/// Returns an upper bound on a value as an unsigned number, derived from the instructions that compute it.
/// `nonzero` says whether a value is known not to be 0.
pub fn upper_bound(func: &Function, v: V, nonzero: &dyn Fn(V) -> bool) -> Option<u64> {
    upper_bound_within(func, v, nonzero, MAX_DEPTH)
}

fn upper_bound_within(func: &Function, v: V, nonzero: &dyn Fn(V) -> bool, deep: u32) -> Option<u64> {
    let deep = deep.checked_sub(1)?;
    let bound = |v: V| upper_bound_within(func, v, nonzero, deep);
    let shifted = |v: V, by: u32| bound(v)?.checked_mul(1_u64.checked_shl(by)?);
    let number = |v: V| Sum::of(func, v).as_constant()?.try_into().ok();
    // All bits up to the highest set bit.
    let filled = |n: u64| u64::MAX.checked_shr(n.leading_zeros()).unwrap_or(0);
    match *func.def_op(v)? {
        Op::Imm(..) | Op::Static(_) => number(v),
        Op::Compare(..) => Some(1),
        Op::Convert(ConvertOp::Uextend, _, a) => bound(a),
        Op::Unary(UnaryOp::Ctz, a) if nonzero(a) => bound(a)?.checked_ilog2().map(u64::from),
        Op::Unary(UnaryOp::Ctz | UnaryOp::Popcnt, _) => Some(64),
        Op::Binary(BinaryOp::Bor, a, b) => Some(filled(bound(a)? | bound(b)?)),
        Op::Binary(BinaryOp::Band, a, b) => bound(a).into_iter().chain(bound(b)).min(),
        Op::Binary(BinaryOp::Iadd, a, b) => bound(a)?.checked_add(bound(b)?),
        Op::Binary(BinaryOp::Ishl, a, by) => shifted(a, u32::try_from(number(by)?).ok()?),
        Op::Binary(BinaryOp::Umulhi, _, below) => number(below)?.checked_sub(1),
        _ => None,
    }
}

impl Addresses {
    /// Records that a value lies between `least` and `most` wherever it is part of an address.
    pub fn record_range(&mut self, v: V, least: i64, most: i64) {
        let known = self.ranges.entry(v).or_insert((least, most));
        *known = (known.0.min(least), known.1.max(most));
    }

    /// Records that `bytes` bytes starting at a value may be accessed wherever the value is defined.
    pub fn record_accessible(&mut self, v: V, bytes: i64) {
        let known = self.accessible_bytes.entry(v).or_insert(bytes);
        *known = bytes.min(*known);
    }

    /// Translates the facts for a finished function: to the values that aliases stand for, and for ranges
    /// also to the single variable term of a sum.
    pub fn resolved(&self, func: &Function) -> Addresses {
        let mut resolved = Addresses::default();
        for (v, (least, most)) in &self.ranges {
            if let Some((v, more)) = Sum::of(func, func.resolve(*v)).as_offset() {
                resolved.record_range(v, least.saturating_sub(more), most.saturating_sub(more));
            }
        }
        for (v, bytes) in &self.accessible_bytes {
            resolved.record_accessible(func.resolve(*v), *bytes);
        }
        resolved
    }
}

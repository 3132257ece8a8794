//! Where machine code reads and writes, as sums of values: whether two accesses may meet, and whether one may be made
//! though nobody asked for it.

use std::collections::BTreeMap;

use cranelift::codegen::ir::{Function, Inst, InstructionData, Opcode, ValueDef};
use cranelift::prelude::{Value as V, *};

/// A value as a sum of others, each so many times, and a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    terms: BTreeMap<V, i64>,
    constant: i64,
}

/// Bytes in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bytes {
    address: Sum,
    count: i64,
}

/// What is known of the values that addresses are made of.
#[derive(Debug, Default)]
pub struct Addresses {
    /// The least and the greatest that a value can be.
    ranges: BTreeMap<V, (i64, i64)>,
    /// How many bytes may be accessed from a value on, at any time.
    rooms: BTreeMap<V, i64>,
}

/// How deep it is looked into what values are made of.
const DEEP: u32 = 8;

impl Sum {
    /// What a value is the sum of.
    pub fn of(func: &Function, v: V) -> Sum {
        let mut sum = Sum { terms: BTreeMap::new(), constant: 0 };
        sum.add(func, v, 1, DEEP);
        sum.terms.retain(|_, times| *times != 0);
        sum
    }

    fn add(&mut self, func: &Function, v: V, times: i64, deep: u32) {
        let plus = |a: i64, b: i64| a.wrapping_add(b.wrapping_mul(times));
        if let Some(n) = constant(func, v) {
            self.constant = plus(self.constant, n);
            return;
        }
        if let Some(InstructionData::Binary { opcode, args: [a, b] }) = made_by(func, v).filter(|_| deep > 0)
        {
            match (opcode, constant(func, b)) {
                (Opcode::Iadd, _) => {
                    self.add(func, a, times, deep - 1);
                    self.add(func, b, times, deep - 1);
                    return;
                }
                (Opcode::Imul, Some(n)) => return self.add(func, a, times.wrapping_mul(n), deep - 1),
                (Opcode::Ishl, Some(n @ 0..64)) => {
                    return self.add(func, a, times.wrapping_mul(1 << n), deep - 1);
                }
                _ => {}
            }
        }
        let term = self.terms.entry(v).or_default();
        *term = term.wrapping_add(times);
    }

    /// By how much it is more than another, where that does not depend on any value.
    pub fn beyond(&self, other: &Sum) -> Option<i64> {
        (self.terms == other.terms).then(|| self.constant.wrapping_sub(other.constant))
    }

    /// What it is, where that does not depend on any value.
    pub fn number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The only term, and what is added to it.
    pub fn moved(&self) -> Option<(V, i64)> {
        match self.terms.iter().next() {
            Some((v, 1)) if self.terms.len() == 1 => Some((*v, self.constant)),
            _ => None,
        }
    }
}

impl Bytes {
    /// What an instruction reads or writes, if it is a plain load or store.
    pub fn of(func: &Function, inst: Inst) -> Option<Bytes> {
        let (opcode, address, offset, ty) = match func.dfg.insts[inst] {
            InstructionData::Load { opcode, arg, offset, .. } => {
                (opcode, arg, offset, func.dfg.value_type(func.dfg.first_result(inst)))
            }
            InstructionData::Store { opcode, args: [value, address], offset, .. } => {
                (opcode, address, offset, func.dfg.value_type(value))
            }
            _ => return None,
        };
        let count = match narrow(opcode) {
            Some((part, _)) => part.bytes(),
            None => ty.bytes(),
        };
        let mut address = Sum::of(func, address);
        address.constant = address.constant.wrapping_add(i64::from(i32::from(offset)));
        Some(Bytes { address, count: i64::from(count) })
    }

    /// Whether it surely does not meet another access, whatever its terms are within their ranges; on a way that is not
    /// gone they may be more, up to their greatest.
    pub fn apart(&self, other: &Bytes, known: &Addresses, most: &dyn Fn(V) -> Option<u64>) -> bool {
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
            let high_end = i128::from(*high_end).max(most(v).map_or(0, i128::from));
            let ends = [times * i128::from(*low_end), times * high_end];
            low += ends[0].min(ends[1]);
            high += ends[0].max(ends[1]);
        }
        low >= i128::from(self.count) || high <= -i128::from(other.count)
    }

    /// Whether it may be made at any time: it stays within some room, whatever its terms are up to their greatest.
    pub fn sound(&self, known: &Addresses, most: &dyn Fn(V) -> Option<u64>) -> bool {
        let mut end = i128::from(self.address.constant) + i128::from(self.count);
        let mut room = None;
        for (v, times) in &self.address.terms {
            match known.rooms.get(v).filter(|_| *times == 1 && room.is_none()) {
                Some(bytes) => room = Some(i128::from(*bytes)),
                None => match most(*v).filter(|_| *times > 0) {
                    Some(most) => end += i128::from(most) * i128::from(*times),
                    None => return false,
                },
            }
        }
        self.address.constant >= 0 && room.is_some_and(|room| end <= room)
    }
}

/// The greatest that a value can be as a number without sign, as far as instructions tell. `some`: whether a value is
/// known not to be 0.
pub fn most(func: &Function, v: V, some: &dyn Fn(V) -> bool) -> Option<u64> {
    most_within(func, v, some, DEEP)
}

fn most_within(func: &Function, v: V, some: &dyn Fn(V) -> bool, deep: u32) -> Option<u64> {
    let deep = deep.checked_sub(1)?;
    let most = |v: V| most_within(func, v, some, deep);
    let shifted = |v: V, by: u32| most(v)?.checked_mul(1_u64.checked_shl(by)?);
    let number = |v: V| Sum::of(func, v).number()?.try_into().ok();
    // All bits up to the highest.
    let filled = |n: u64| u64::MAX.checked_shr(n.leading_zeros()).unwrap_or(0);
    match made_by(func, v)? {
        InstructionData::UnaryImm { opcode: Opcode::Iconst, .. } => number(v),
        InstructionData::IntCompare { .. } => Some(1),
        InstructionData::Unary { opcode: Opcode::Uextend, arg } => most(arg),
        InstructionData::Unary { opcode: Opcode::Ctz, arg } if some(arg) => {
            most(arg)?.checked_ilog2().map(u64::from)
        }
        InstructionData::Unary { opcode: Opcode::Ctz | Opcode::Popcnt, .. } => Some(64),
        InstructionData::Binary { opcode: Opcode::Bor, args: [a, b] } => Some(filled(most(a)? | most(b)?)),
        InstructionData::Binary { opcode: Opcode::Band, args: [a, b] } => {
            most(a).into_iter().chain(most(b)).min()
        }
        InstructionData::Binary { opcode: Opcode::Iadd, args: [a, b] } => most(a)?.checked_add(most(b)?),
        InstructionData::Binary { opcode: Opcode::Ishl, args: [a, by] } => {
            shifted(a, u32::try_from(number(by)?).ok()?)
        }
        InstructionData::Binary { opcode: Opcode::Umulhi, args: [_, below] } => number(below)?.checked_sub(1),
        _ => None,
    }
}

impl Addresses {
    /// A value is from `least` to `most` wherever it is part of an address.
    pub fn ranges_over(&mut self, v: V, least: i64, most: i64) {
        let known = self.ranges.entry(v).or_insert((least, most));
        *known = (known.0.min(least), known.1.max(most));
    }

    /// From a value on, so many bytes may be accessed wherever it is known.
    pub fn has_room(&mut self, v: V, bytes: i64) {
        let known = self.rooms.entry(v).or_insert(bytes);
        *known = bytes.min(*known);
    }

    /// The same of the values that stand for those it was told of, once a function is whole, and of those that they are
    /// sums of. The function has no aliases any more.
    pub fn resolved(&self, func: &mut Function) -> Addresses {
        let now = |func: &Function, v: &V| func.dfg.resolve_aliases(*v);
        let ranges: Vec<(V, (i64, i64))> =
            self.ranges.iter().map(|(v, range)| (now(func, v), *range)).collect();
        let rooms: Vec<(V, i64)> = self.rooms.iter().map(|(v, bytes)| (now(func, v), *bytes)).collect();
        func.dfg.resolve_all_aliases();
        let mut resolved = Addresses::default();
        for (v, (least, most)) in ranges {
            if let Some((v, more)) = Sum::of(func, v).moved() {
                resolved.ranges_over(v, least.saturating_sub(more), most.saturating_sub(more));
            }
        }
        for (v, bytes) in rooms {
            resolved.has_room(v, bytes);
        }
        resolved
    }
}

/// The instruction that a value comes from; `None` where it comes from several.
pub fn made_by(func: &Function, v: V) -> Option<InstructionData> {
    match func.dfg.value_def(v) {
        ValueDef::Result(inst, _) => Some(func.dfg.insts[inst]),
        _ => None,
    }
}

/// The number that a value always is.
pub fn constant(func: &Function, v: V) -> Option<i64> {
    match made_by(func, v)? {
        InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits()),
        _ => None,
    }
}

/// The part of a word that an access is about, and whether reading it keeps the sign; `None` for all of it.
pub fn narrow(opcode: Opcode) -> Option<(Type, bool)> {
    Some(match opcode {
        Opcode::Istore8 | Opcode::Uload8 => (types::I8, false),
        Opcode::Istore16 | Opcode::Uload16 => (types::I16, false),
        Opcode::Istore32 | Opcode::Uload32 => (types::I32, false),
        Opcode::Sload8 => (types::I8, true),
        Opcode::Sload16 => (types::I16, true),
        Opcode::Sload32 => (types::I32, true),
        _ => return None,
    })
}

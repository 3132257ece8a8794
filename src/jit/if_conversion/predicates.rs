//! Predicates in a hyperblock (see [`crate::jit::if_conversion::hyperblock`]): truth tables over its
//! conditions. Values computed only from conditions and constants are known for every outcome of the
//! conditions, and conditions that compare the same two numbers are recognised as related, in whatever form
//! they are asked.

use crate::jit::mir::{BinaryOp, ConvertOp, Function, IntCC, Op, Type, UnaryOp, Value as V};

/// A predicate: a truth table with one bit for each combination of at most six conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Predicate(u64);

pub const ALWAYS: Predicate = Predicate(!0);
pub const NEVER: Predicate = Predicate(0);

/// The truth table of each single condition.
const HOLDS: [Predicate; 6] = [
    Predicate(0xaaaa_aaaa_aaaa_aaaa),
    Predicate(0xcccc_cccc_cccc_cccc),
    Predicate(0xf0f0_f0f0_f0f0_f0f0),
    Predicate(0xff00_ff00_ff00_ff00),
    Predicate(0xffff_0000_ffff_0000),
    Predicate(0xffff_ffff_0000_0000),
];

impl Predicate {
    pub fn and(self, other: Predicate) -> Predicate {
        Predicate(self.0 & other.0)
    }

    pub fn or(self, other: Predicate) -> Predicate {
        Predicate(self.0 | other.0)
    }

    pub fn not(self) -> Predicate {
        Predicate(!self.0)
    }

    pub fn within(self, other: Predicate) -> bool {
        self.0 & !other.0 == 0
    }

    /// Returns the predicate given that a condition holds, and given that it does not.
    pub fn split(self, condition: usize) -> (Predicate, Predicate) {
        let (holds, shift) = (HOLDS[condition], 1 << condition);
        let (yes, no) = (self.and(holds), self.and(holds.not()));
        (Predicate(yes.0 | yes.0 >> shift), Predicate(no.0 | no.0 << shift))
    }
}

/// The possible values of something by predicate; the predicates are disjoint.
pub type Cases<T> = Vec<(Predicate, T)>;

/// How deep the expressions behind predicates are traversed.
const MAX_DEPTH: u32 = 12;

/// The greatest number of different values that are distinguished.
const MAX_CASES: usize = 8;

/// The right-hand side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    Value(V),
    Number(i64),
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Test {
    pub cc: IntCC,
    pub a: V,
    pub b: Operand,
}

/// A set of possible orderings of two numbers, one bit each: less, equal, greater.
type Outcomes = u8;

const OUTCOMES: [Outcomes; 3] = [1, 2, 4];

fn outcomes(cc: IntCC) -> Outcomes {
    match cc {
        IntCC::Equal => 2,
        IntCC::NotEqual => 5,
        IntCC::SignedLessThan | IntCC::UnsignedLessThan => 1,
        IntCC::SignedLessThanOrEqual | IntCC::UnsignedLessThanOrEqual => 3,
        IntCC::SignedGreaterThan | IntCC::UnsignedGreaterThan => 4,
        IntCC::SignedGreaterThanOrEqual | IntCC::UnsignedGreaterThanOrEqual => 6,
    }
}

impl Test {
    /// Returns the comparison that tells whether a value is not 0.
    pub fn of(func: &Function, v: V) -> Test {
        match func.def_op(v) {
            Some(Op::Compare(cc, a, b)) => match func.constant(*b) {
                Some(n) => Test { cc: *cc, a: *a, b: Operand::Number(n) },
                None => simplify_max_min_test(func, *cc, *a, *b),
            },
            _ => Test { cc: IntCC::NotEqual, a: v, b: Operand::Number(0) },
        }
    }

    /// Returns the complement of the comparison.
    pub fn not(self) -> Test {
        Test { cc: self.cc.complement(), ..self }
    }

    /// Returns the comparison with the operands in the order of `other`, if both compare the same two
    /// numbers.
    fn like(&self, other: &Test) -> Option<Test> {
        let turned = Test { cc: self.cc.swap_args(), ..*other };
        match (self.b, other.b) {
            _ if self.cc.is_unsigned() != other.cc.is_unsigned() => None,
            (b, c) if self.a == other.a && b == c => Some(*self),
            (Operand::Value(b), Operand::Value(c)) if self.a == c && b == other.a => Some(turned),
            _ => None,
        }
    }
}

/// Creates a comparison of two values. `a == max(a, b)` becomes `a >= b`, and likewise for `min`.
fn simplify_max_min_test(func: &Function, cc: IntCC, a: V, b: V) -> Test {
    for (one, end) in [(a, b), (b, a)] {
        let Some(Op::Binary(op, c, d)) = func.def_op(end) else { continue };
        let (c, d) = (*c, *d);
        let other = if c == one { d } else { c };
        let implied = match (op, cc) {
            _ if c != one && d != one => continue,
            (BinaryOp::Smax, IntCC::Equal) => IntCC::SignedGreaterThanOrEqual,
            (BinaryOp::Smax, IntCC::NotEqual) => IntCC::SignedLessThan,
            (BinaryOp::Smin, IntCC::Equal) => IntCC::SignedLessThanOrEqual,
            (BinaryOp::Smin, IntCC::NotEqual) => IntCC::SignedGreaterThan,
            _ => continue,
        };
        return Test { cc: implied, a: one, b: Operand::Value(other) };
    }
    Test { cc, a, b: Operand::Value(b) }
}

/// The conditions of a hyperblock.
#[derive(Debug, Clone)]
pub struct Conditions {
    tests: Vec<Test>,
    /// The combinations of conditions that can occur.
    possible: Predicate,
}

impl Conditions {
    pub fn new() -> Conditions {
        Conditions { tests: Vec::new(), possible: ALWAYS }
    }

    pub fn never(&self, predicate: Predicate) -> bool {
        predicate.and(self.possible) == NEVER
    }

    pub fn within(&self, a: Predicate, b: Predicate) -> bool {
        a.and(self.possible).within(b)
    }

    /// Returns whether `holds` is known to be true or false given `predicate`; `None` if neither is known.
    pub fn decided(&self, predicate: Predicate, holds: Predicate) -> Option<bool> {
        match (self.within(predicate, holds), self.never(predicate.and(holds))) {
            (false, false) => None,
            (holds, _) => Some(holds),
        }
    }

    /// Returns a condition on which a predicate depends, with its index.
    pub fn deciding_condition(&self, predicate: Predicate) -> Option<(usize, Test)> {
        let parts = |number: &usize| predicate.split(*number).0 != predicate.split(*number).1;
        (0..self.tests.len()).find(parts).map(|number| (number, self.tests[number]))
    }

    /// Returns the predicate under which a value is not 0, if only conditions determine it. `new` allows
    /// adding conditions.
    pub fn predicate_of(&mut self, func: &Function, v: V, new: bool) -> Option<Predicate> {
        let before = self.clone();
        if let Some(numbers) = self.numbers(func, v, new, MAX_DEPTH) {
            let some = numbers.iter().filter(|(_, n)| *n != 0);
            return Some(some.fold(NEVER, |all, (predicate, _)| all.or(*predicate)));
        }
        *self = before;
        self.holds(Test::of(func, v), new)
    }

    /// Returns the predicate of a comparison that is a condition or follows from some; adds it as a condition
    /// if `new`.
    fn holds(&mut self, test: Test, new: bool) -> Option<Predicate> {
        if let Some((yes, no)) = self.sides(&test)
            && self.never(yes.and(no))
        {
            return Some(yes);
        }
        let holds = *HOLDS.get(self.tests.len()).filter(|_| new)?;
        self.tests.push(test);
        self.possible = ALWAYS;
        for test in &self.tests {
            let all = OUTCOMES.iter().map(|one| self.outcome(test, *one));
            self.possible = self.possible.and(all.fold(NEVER, Predicate::or));
        }
        Some(holds)
    }

    /// Returns when a comparison may hold and when it may fail; `None` if no condition compares the same two
    /// numbers.
    fn sides(&self, test: &Test) -> Option<(Predicate, Predicate)> {
        self.tests.iter().find(|known| known.like(test).is_some())?;
        let (mut yes, mut no) = (NEVER, NEVER);
        for one in OUTCOMES {
            let side = if outcomes(test.cc) & one != 0 { &mut yes } else { &mut no };
            *side = side.or(self.outcome(test, one));
        }
        Some((yes, no))
    }

    /// Returns when the two numbers of a comparison may have the ordering `one`.
    fn outcome(&self, test: &Test, one: Outcomes) -> Predicate {
        let mut predicate = ALWAYS;
        for (known, holds) in self.tests.iter().zip(HOLDS) {
            if let Some(known) = known.like(test) {
                predicate = predicate.and(if outcomes(known.cc) & one != 0 { holds } else { holds.not() });
            }
        }
        predicate
    }

    /// Finds a condition that tells `predicate` from `otherwise`: it holds under `predicate` (`true`) or
    /// under `otherwise` (`false`).
    pub fn test(&self, predicate: Predicate, otherwise: Predicate) -> Option<(Test, bool)> {
        self.tests.iter().copied().find_map(|test| {
            let (yes, no) = self.sides(&test)?;
            let decode = |yes, no| self.within(predicate, yes) && self.within(otherwise, no);
            let holds = decode(yes, no);
            (self.never(yes.and(no)) && (holds || decode(no, yes))).then_some((test, holds))
        })
    }

    // ---- known numbers

    /// Returns the possible numbers of a value that is computed only from conditions and constants.
    fn numbers(&mut self, func: &Function, v: V, new: bool, deep: u32) -> Option<Cases<i64>> {
        let deep = deep.checked_sub(1)?;
        let word = func.ty(v) == Type::I64;
        match *func.def_op(v)? {
            // Bytes other than 0 and 1 may be meant as signed or unsigned.
            Op::Imm(_, n) => (word || (0..2).contains(&n)).then(|| vec![(ALWAYS, n)]),
            Op::Convert(ConvertOp::Uextend, _, a) => self.numbers(func, a, new, deep),
            Op::Unary(op @ (UnaryOp::Popcnt | UnaryOp::Ctz), a) if word => {
                let cases = self.numbers(func, a, new, deep)?;
                merge_known(
                    cases
                        .into_iter()
                        .map(|(predicate, n)| (predicate, Some(op.of(Type::I64, n as u64) as i64))),
                )
            }
            Op::Binary(op, a, b) => self.combined(func, [a, b], new, deep, |a, b| binary(op, word, a, b)),
            Op::Compare(cc, a, b) => {
                let before = self.clone();
                let cases = match a == b {
                    true => merge_known([(ALWAYS, compared(cc, 0, 0))]),
                    false => self.combined(func, [a, b], new, deep, |a, b| compared(cc, a, b)),
                };
                cases.or_else(|| {
                    *self = before;
                    let predicate = self.holds(Test::of(func, v), new)?;
                    Some(vec![(predicate, 1), (predicate.not(), 0)])
                })
            }
            _ => None,
        }
    }

    /// Combines the possible numbers of two values.
    fn combined(
        &mut self,
        func: &Function,
        [a, b]: [V; 2],
        new: bool,
        deep: u32,
        of: impl Fn(i64, i64) -> Option<i64>,
    ) -> Option<Cases<i64>> {
        let (a, b) = (self.numbers(func, a, new, deep)?, self.numbers(func, b, new, deep)?);
        let pairs = a.iter().flat_map(|(x, a)| b.iter().map(|(y, b)| (x.and(*y), of(*a, *b))));
        merge_known(pairs.filter(|(predicate, _)| !self.never(*predicate)))
    }
}

/// Merges cases with equal values.
pub fn merged<T: PartialEq>(cases: impl IntoIterator<Item = (Predicate, T)>) -> Cases<T> {
    let mut merged: Cases<T> = Vec::new();
    for (predicate, is) in cases {
        match merged.iter_mut().find(|(_, known)| *known == is) {
            Some((known, _)) => *known = known.or(predicate),
            None => merged.push((predicate, is)),
        }
    }
    merged
}

/// Merges cases with equal numbers; `None` if one is unknown or there are too many.
fn merge_known(cases: impl IntoIterator<Item = (Predicate, Option<i64>)>) -> Option<Cases<i64>> {
    let known: Option<Cases<i64>> = cases.into_iter().map(|(predicate, n)| Some((predicate, n?))).collect();
    Some(merged(known?)).filter(|merged| merged.len() <= MAX_CASES)
}

/// Evaluates a binary operator on known numbers; on bytes, only if the result stays 0 or 1.
fn binary(op: BinaryOp, word: bool, a: i64, b: i64) -> Option<i64> {
    match op {
        BinaryOp::Band | BinaryOp::Bor | BinaryOp::Bxor => {}
        BinaryOp::Iadd | BinaryOp::Isub | BinaryOp::Ishl if word => {}
        _ => return None,
    }
    op.of(Type::I64, a as u64, b as u64).map(|n| n as i64)
}

/// Evaluates a comparison of known numbers to 1 or 0.
fn compared(cc: IntCC, a: i64, b: i64) -> Option<i64> {
    Some(i64::from(cc.holds(Type::I64, a as u64, b as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jit::mir::builder::FunctionBuilder;
    use crate::jit::mir::text::write;
    use crate::jit::mir::types;
    use crate::num::Rng;

    /// Generates random code on three given numbers; returns the given values and the comparisons made.
    fn code(rng: &mut Rng) -> (Function, [V; 3], Vec<V>) {
        let (mut c, given) = FunctionBuilder::new();
        let given = [0, 8, 16].map(|offset| c.ins().load(types::I64, given, offset));
        let mut numbers = given.to_vec();
        let mut predicates = Vec::new();
        for _ in 0..14 {
            let mut any = |from: &[V]| from[rng.below_u64(from.len() as u64) as usize];
            let (a, b) = (any(&numbers), any(&numbers));
            let bit = predicates.last().copied();
            let cc = IntCC::ALL[rng.below_u64(10) as usize];
            let few = rng.below_u64(4) as i64 - 1;
            let made = match rng.below_u64(11) {
                0 | 1 => Err(c.ins().icmp(cc, a, b)),
                2 => Err(c.ins().icmp_imm_s(cc, a, few)),
                3 | 4 if bit.is_some() => Ok(c.ins().uextend(types::I64, bit.unwrap())),
                5 => Ok(c.ins().bor(a, b)),
                6 => Ok(c.ins().ishl_imm_s(a, few.max(0))),
                7 => Ok(c.ins().popcnt(a)),
                8 => Ok(c.ins().ctz(a)),
                9 => Ok(c.ins().smax(a, b)),
                _ => Ok(c.ins().iadd_imm_s(a, few)),
            };
            made.map_or_else(|condition| predicates.push(condition), |number| numbers.push(number));
        }
        (c.func, given, predicates)
    }

    /// Evaluates a value for given numbers.
    fn worked_out(func: &Function, v: V, given: &[(V, i64)]) -> i64 {
        if let Some((_, n)) = given.iter().find(|(known, _)| *known == v) {
            return *n;
        }
        let of = |v: V| worked_out(func, v, given) as u64;
        let made = match *func.def_op(v).unwrap() {
            Op::Imm(_, n) => n as u64,
            Op::Unary(op, a) => op.of(Type::I64, of(a)),
            Op::Convert(_, _, a) => of(a),
            Op::Binary(op, a, b) => op.of(Type::I64, of(a), of(b)).unwrap(),
            Op::Compare(cc, a, b) => u64::from(cc.holds(Type::I64, of(a), of(b))),
            ref other => panic!("{other:?}"),
        };
        made as i64
    }

    /// For all numbers, the predicates and the comparisons that stand for them agree with evaluation.
    #[test]
    fn predicates_are_what_conditions_tell() {
        let mut rng = Rng::new(1);
        let (mut followed, mut compared) = (0, 0);
        for _ in 0..3000 {
            let (func, given, values) = code(&mut rng);
            let mut predicates = Conditions::new();
            let told: Vec<(V, Predicate)> =
                values.iter().filter_map(|v| Some((*v, predicates.predicate_of(&func, *v, true)?))).collect();
            for numbers in 0..64 {
                let n = |place: u32| (numbers >> (2 * place) & 3) - 1;
                let known = [0, 1, 2].map(|i| (given[i], n(i as u32)));
                let holds = |test: &Test| {
                    let b = match test.b {
                        Operand::Value(b) => worked_out(&func, b, &known),
                        Operand::Number(b) => b,
                    };
                    i64::from(test.cc.holds(Type::I64, worked_out(&func, test.a, &known) as u64, b as u64))
                };
                let tests = predicates.tests.iter().enumerate();
                let combination: i64 = tests.map(|(i, test)| holds(test) << i).sum();
                assert!(predicates.possible.0 >> combination & 1 == 1, "{}: {known:?}", write(&func));
                for (v, predicate) in &told {
                    let is = worked_out(&func, *v, &known);
                    assert_eq!(
                        (predicate.0 >> combination & 1) as i64,
                        is,
                        "{}: {v:?} of {known:?}",
                        write(&func)
                    );
                    if let Some((test, yes)) = predicates.test(*predicate, predicate.not()) {
                        assert_eq!(
                            holds(&test) == i64::from(yes),
                            is == 1,
                            "{}: {v:?} of {known:?}",
                            write(&func)
                        );
                        compared += 1;
                    }
                }
            }
            followed += told.len().saturating_sub(predicates.tests.len());
        }
        assert!(followed > 300 && compared > 10_000, "{followed} {compared}");
    }
}

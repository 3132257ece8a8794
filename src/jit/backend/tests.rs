//! Random programs give the same result evaluated by hand, interpreted, and as machine code. This tests that
//! variables become the right values, and that all three agree on the operators.

use super::{Module, Target};
use crate::jit::mir::builder::FunctionBuilder;
use crate::jit::mir::text::write;
use crate::jit::mir::verify::verify;
use crate::jit::mir::{
    BinaryOp, ConvertOp, Function, IntCC, Op, OverflowOp, Type, UnaryOp, Value, Variable, types,
};
use crate::num::Rng;

/// The number of variables of a program, and of its words of memory.
const VARS: usize = 5;
const WORDS: usize = 8;

/// The types of narrow operations.
const NARROW: [Type; 4] = [Type::I8, Type::I16, Type::I32, Type::I64];

/// A statement of a program; variables and words of memory are given by index.
#[derive(Debug)]
enum Statement {
    Number(usize, i64),
    Unary(usize, UnaryOp, Type, usize),
    Binary(usize, BinaryOp, Type, usize, usize),
    Compare(usize, IntCC, Type, usize, usize),
    Overflow(usize, usize, OverflowOp, usize, usize),
    Select(usize, usize, usize, usize),
    /// Truncates a variable and extends it again.
    Cut(usize, Type, usize),
    Load(usize, Type, bool, usize),
    Store(usize, Type, usize),
    /// Adds a variable to the four lanes of the two words from this one on.
    Lanes(usize, usize),
    /// Adds the bytes of a word, widened to lanes, to the four words from another one on.
    Spread(usize, usize),
    If(usize, Vec<Statement>, Vec<Statement>),
    /// Repeats the body this many times, or until a variable is 0 at the beginning of an iteration.
    Repeat(i64, usize, Vec<Statement>),
    Switch(usize, Vec<Vec<Statement>>),
}

use Statement::*;

fn program(rng: &mut Rng, length: usize, deep: usize) -> Vec<Statement> {
    let mut statements = Vec::new();
    for _ in 0..length {
        let mut below = |n: usize| rng.below_u64(n as u64) as usize;
        let (to, a, b, c) = (below(VARS), below(VARS), below(VARS), below(VARS));
        let (ty, signed, word) = (NARROW[below(4)], below(2) == 0, below(WORDS - 4));
        statements.push(match below(if deep > 0 { 18 } else { 14 }) {
            0 => Number(to, [0, 1, -1, 63, 255, i64::MAX, 1 << 40][below(7)]),
            1 => Unary(to, UnaryOp::ALL[below(UnaryOp::ALL.len())], ty, a),
            2..=5 => Binary(to, BinaryOp::ALL[below(BinaryOp::ALL.len())], ty, a, b),
            6 => Compare(to, IntCC::ALL[below(IntCC::ALL.len())], ty, a, b),
            7 => Overflow(to, (to + 1) % VARS, OverflowOp::ALL[below(3)], a, b),
            8 => Select(to, a, b, c),
            9 => Cut(to, NARROW[below(3)], a),
            10 => Load(to, ty, signed, word),
            11 => Store(word, ty, a),
            12 => Lanes(word, a),
            13 => Spread(word, word),
            14 | 15 => If(a, program(rng, 3, deep - 1), program(rng, 2, deep - 1)),
            16 => Repeat(below(4) as i64, a, program(rng, 3, deep - 1)),
            _ => Switch(a, (0..3).map(|_| program(rng, 2, deep - 1)).collect()),
        });
    }
    statements
}

/// Executes a program directly.
fn carry_out(statements: &[Statement], vars: &mut [u64; VARS], memory: &mut [u64]) {
    for statement in statements {
        match statement {
            Number(to, n) => vars[*to] = *n as u64,
            Unary(to, op, ty, a) => vars[*to] = op.of(*ty, ty.truncate(vars[*a])),
            Binary(to, op, ty, a, b) => {
                let b = if op.may_trap() { ty.truncate(vars[*b]) | 1 } else { ty.truncate(vars[*b]) };
                let a = if op.may_trap() { ty.truncate(vars[*a]) >> 1 } else { ty.truncate(vars[*a]) };
                vars[*to] = op.of(*ty, a, b).unwrap();
            }
            Compare(to, cc, ty, a, b) => {
                vars[*to] = u64::from(cc.holds(*ty, ty.truncate(vars[*a]), ty.truncate(vars[*b])));
            }
            Overflow(to, over, op, a, b) => {
                let (n, is) = op.of(vars[*a] as i64, vars[*b] as i64);
                (vars[*to], vars[*over]) = (n as u64, u64::from(is));
            }
            Select(to, cond, a, b) => vars[*to] = if vars[*cond] != 0 { vars[*a] } else { vars[*b] },
            Cut(to, ty, a) => vars[*to] = ty.truncate(vars[*a]),
            Load(to, ty, signed, word) => {
                let n = ty.truncate(memory[*word]);
                vars[*to] = if *signed { ty.signed(n) as u64 } else { n };
            }
            Store(word, ty, a) => memory[*word] ^= ty.truncate(memory[*word] ^ vars[*a]),
            Lanes(word, a) => add_to_lanes(&mut memory[*word..], |_| vars[*a] as u32),
            Spread(word, of) => {
                let bytes = memory[*of].to_le_bytes();
                add_to_lanes(&mut memory[*word..], |i| u32::from(bytes[i]));
                add_to_lanes(&mut memory[*word + 2..], |i| u32::from(bytes[i + 4]));
            }
            If(cond, yes, no) => carry_out(if vars[*cond] != 0 { yes } else { no }, vars, memory),
            Repeat(times, unless, body) => {
                for _ in 0..*times {
                    if vars[*unless] == 0 {
                        break;
                    }
                    carry_out(body, vars, memory);
                }
            }
            Switch(on, cases) => {
                let case = usize::try_from(vars[*on]).unwrap_or(usize::MAX).min(cases.len() - 1);
                carry_out(&cases[case], vars, memory);
            }
        }
    }
}

/// Adds to each of the four lanes of two words.
fn add_to_lanes(words: &mut [u64], more: impl Fn(usize) -> u32) {
    for (i, word) in words[..2].iter_mut().enumerate() {
        let (low, high) = (*word as u32, (*word >> 32) as u32);
        let (low, high) = (low.wrapping_add(more(2 * i)), high.wrapping_add(more(2 * i + 1)));
        *word = u64::from(low) | u64::from(high) << 32;
    }
}

/// Translates a program to MIR.
struct Generator {
    b: FunctionBuilder,
    memory: Value,
    vars: Vec<Variable>,
}

impl Generator {
    fn get(&mut self, var: usize) -> Value {
        self.b.use_var(self.vars[var])
    }

    fn set(&mut self, var: usize, v: Value) {
        self.b.def_var(self.vars[var], v);
    }

    fn narrow(&mut self, ty: Type, var: usize) -> Value {
        let v = self.get(var);
        if ty == Type::I64 { v } else { self.b.ins().ireduce(ty, v) }
    }

    /// Sets a variable to the result of an operation, extended to 64 bits.
    fn set_wide(&mut self, var: usize, op: Op) {
        let v = {
            let ins = self.b.ins();
            ins.func.push_value(ins.at, op)
        };
        let v = if self.b.func.ty(v) == Type::I64 { v } else { self.b.ins().uextend(types::I64, v) };
        self.set(var, v);
    }

    fn jump_to(&mut self, block: crate::jit::mir::Block) {
        self.b.jump(block, &[]);
        self.b.seal_block(block);
        self.b.switch_to_block(block);
    }

    fn make(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let memory = self.memory;
        match statement {
            Number(to, n) => {
                let v = self.b.ins().iconst(types::I64, *n);
                self.set(*to, v);
            }
            Unary(to, op, ty, a) => {
                let a = self.narrow(*ty, *a);
                self.set_wide(*to, Op::Unary(*op, a));
            }
            Binary(to, op, ty, a, b) => {
                let (mut a, mut b) = (self.narrow(*ty, *a), self.narrow(*ty, *b));
                if op.may_trap() {
                    (a, b) = (self.b.ins().ushr_imm_s(a, 1), self.b.ins().bor_imm_s(b, 1));
                }
                self.set_wide(*to, Op::Binary(*op, a, b));
            }
            Compare(to, cc, ty, a, b) => {
                let (a, b) = (self.narrow(*ty, *a), self.narrow(*ty, *b));
                self.set_wide(*to, Op::Compare(*cc, a, b));
            }
            Overflow(to, over, op, a, b) => {
                let (a, b) = (self.get(*a), self.get(*b));
                let (n, is) = match op {
                    OverflowOp::Sadd => self.b.ins().sadd_overflow(a, b),
                    OverflowOp::Ssub => self.b.ins().ssub_overflow(a, b),
                    OverflowOp::Smul => self.b.ins().smul_overflow(a, b),
                };
                self.set(*to, n);
                self.set_wide(*over, Op::Convert(ConvertOp::Uextend, Type::I64, is));
            }
            Select(to, cond, a, b) => {
                let (cond, a, b) = (self.get(*cond), self.get(*a), self.get(*b));
                self.set_wide(*to, Op::Select(cond, a, b));
            }
            Cut(to, ty, a) => {
                let a = self.narrow(*ty, *a);
                self.set_wide(*to, Op::Convert(ConvertOp::Uextend, Type::I64, a));
            }
            Load(to, ty, signed, word) => {
                let (offset, signed) = (*word as i32 * 8, *signed && *ty != Type::I64);
                self.set_wide(*to, Op::Load { ty: Type::I64, memory: *ty, signed, at: memory, offset });
            }
            Store(word, ty, a) => {
                let a = self.get(*a);
                self.b.ins().store_low(*ty, a, memory, *word as i32 * 8);
            }
            Lanes(word, a) => {
                let (lane, offset) = (self.narrow(Type::I32, *a), *word as i32 * 8);
                let lanes = self.b.ins().splat(types::I32X4, lane);
                self.add_lanes(lanes, offset);
            }
            Spread(word, of) => {
                let bytes = self.b.ins().uload8x8(memory, *of as i32 * 8);
                let (low, high) = (self.b.ins().uwiden_low(bytes), self.b.ins().uwiden_high(bytes));
                self.add_lanes(low, *word as i32 * 8);
                self.add_lanes(high, *word as i32 * 8 + 16);
            }
            If(cond, yes, no) => {
                let cond = self.get(*cond);
                let [then, other, on] = [(); 3].map(|()| self.b.create_block());
                self.b.brif(cond, (then, &[]), (other, &[]));
                for (block, body) in [(then, yes), (other, no)] {
                    self.b.seal_block(block);
                    self.b.switch_to_block(block);
                    self.make(body);
                    self.b.jump(on, &[]);
                }
                self.b.seal_block(on);
                self.b.switch_to_block(on);
            }
            Repeat(times, unless, body) => {
                let [head, inside, on] = [(); 3].map(|()| self.b.create_block());
                let (left, first) = (self.b.declare_var(types::I64), self.b.ins().iconst(types::I64, *times));
                self.b.def_var(left, first);
                self.b.jump(head, &[]);
                self.b.switch_to_block(head);
                let now = self.b.use_var(left);
                let more = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThan, now, 0);
                let (unless, zero) = (self.get(*unless), self.b.ins().iconst(types::I64, 0));
                let goes = self.b.ins().icmp(IntCC::NotEqual, unless, zero);
                let goes = self.b.ins().band(more, goes);
                self.b.brif(goes, (inside, &[]), (on, &[]));
                self.b.seal_block(inside);
                self.b.switch_to_block(inside);
                self.make(body);
                let now = self.b.use_var(left);
                let next = self.b.ins().iadd_imm_s(now, -1);
                self.b.def_var(left, next);
                self.b.jump(head, &[]);
                self.b.seal_block(head);
                self.b.seal_block(on);
                self.b.switch_to_block(on);
            }
            Switch(on, cases) => {
                let on = self.get(*on);
                let blocks: Vec<_> = cases.iter().map(|_| self.b.create_block()).collect();
                let next = self.b.create_block();
                let (last, numbered) = blocks.split_last().unwrap();
                let numbered: Vec<_> = (0u64..).zip(numbered.iter().copied()).collect();
                self.b.switch(on, &numbered, *last);
                for (block, body) in blocks.iter().zip(cases) {
                    self.b.seal_block(*block);
                    self.b.switch_to_block(*block);
                    self.make(body);
                    self.b.jump(next, &[]);
                }
                self.b.seal_block(next);
                self.b.switch_to_block(next);
            }
        }
    }

    fn add_lanes(&mut self, lanes: Value, offset: i32) {
        let before = self.b.ins().load(types::I32X4, self.memory, offset);
        let sum = self.b.ins().iadd(before, lanes);
        self.b.ins().store(sum, self.memory, offset);
    }
}

/// Returns a function that executes a program, given the address of its variables followed by its memory.
fn function(statements: &[Statement]) -> Function {
    let (mut b, given) = FunctionBuilder::new();
    let memory = b.ins().iadd_imm_s(given, VARS as i64 * 8);
    let vars: Vec<Variable> = (0..VARS).map(|_| b.declare_var(types::I64)).collect();
    for (i, var) in vars.iter().enumerate() {
        let v = b.ins().load(types::I64, given, i as i32 * 8);
        b.def_var(*var, v);
    }
    let mut generator = Generator { b, memory, vars };
    let next = generator.b.create_block();
    generator.jump_to(next);
    generator.make(statements);
    for i in 0..VARS {
        let v = generator.get(i);
        generator.b.ins().store(v, given, i as i32 * 8);
    }
    let last = generator.get(0);
    generator.b.return_(last);
    generator.b.finish()
}

#[test]
fn programs_do_the_same_by_hand_interpreted_and_as_machine_code() {
    let mut rng = Rng::new(5);
    for _ in 0..120 {
        let statements = program(&mut rng, 8, 3);
        let func = function(&statements);
        assert_eq!(verify(&func), Ok(()), "{}", write(&func));
        let entries = [Target::Machine, Target::Interpreter].map(|target| {
            let mut module = Module::new(target);
            let number = module.define("program", func.clone()).unwrap();
            (module.entry(number).unwrap(), module)
        });
        for _ in 0..6 {
            let mut words = [0; VARS + WORDS];
            let mut word = || match rng.below_u64(4) {
                0 => rng.next_u64(),
                few => few - 1,
            };
            words.iter_mut().for_each(|n| *n = word());
            let mut by_hand = words;
            let (vars, memory) = by_hand.split_at_mut(VARS);
            carry_out(&statements, vars.try_into().unwrap(), memory);
            for (entry, _module) in &entries {
                let mut done = words;
                let told = entry.run_in(&mut done);
                assert_eq!(
                    (told, done),
                    (by_hand[0], by_hand),
                    "{words:x?}\n{statements:?}\n{}",
                    write(&func)
                );
            }
        }
    }
}

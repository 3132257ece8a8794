//! Converted code does what the code did, and looks at no memory that the code might not: code made at random, with ways
//! that part and meet again, is carried out before and after, step by step.

use std::collections::BTreeMap;

use cranelift::codegen::ir::{BlockArg, BlockCall, Function, InstructionData, MemFlagsData, Opcode};
use cranelift::codegen::isa::TargetFrontendConfig;
use cranelift::prelude::{Value as V, *};

use super::{Hints, if_convert};
use crate::jit::if_conversion::aliases::narrow;
use crate::num::Rng;

/// Where the memory begins that code may access, and how many bytes it has.
const BASE: i64 = 4096;
const ROOM: i64 = 96;

/// How many numbers the code is given.
const NUMBERS: usize = 3;
/// What each of them may be.
const VALUES: [i64; 5] = [-1, 0, 1, 5, 10];

/// Makes code: what goes into it, and what of it can be used.
struct Maker<'r> {
    rng: &'r mut Rng,
    builder: FunctionBuilder<'r>,
    base: V,
    /// The numbers so far.
    numbers: Vec<V>,
    hints: Hints,
}

impl Maker<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.rng.below_u64(n as u64) as usize
    }

    fn number(&mut self) -> V {
        let at = self.below(self.numbers.len());
        self.numbers[at]
    }

    fn condition(&mut self) -> V {
        let codes =
            [IntCC::Equal, IntCC::SignedLessThan, IntCC::UnsignedLessThan, IntCC::SignedGreaterThanOrEqual];
        let (cc, a) = (codes[self.below(codes.len())], self.number());
        match self.below(2) {
            0 => {
                let few = self.below(4) as i64;
                self.builder.ins().icmp_imm_s(cc, a, few)
            }
            _ => {
                let b = self.number();
                self.builder.ins().icmp(cc, a, b)
            }
        }
    }

    /// An address, and an offset: fixed places, some of which meet, and places in a row of words by a number that is cut
    /// to the row. With `within`, also by a number that is within the row on this way.
    fn place(&mut self, within: Option<V>) -> (V, i32) {
        let offset = [0, 0, 0, 3, 24, 40][self.below(6)];
        let index = match (self.below(4), within) {
            (0 | 1, _) => return (self.base, offset),
            (2, Some(index)) => index,
            _ => {
                let any = self.number();
                self.builder.ins().band_imm_u(any, 3)
            }
        };
        let far = self.builder.ins().ishl_imm_s(index, 3);
        (self.builder.ins().iadd(self.base, far), offset)
    }

    /// A few steps: numbers worked out, memory read and written.
    fn steps(&mut self, most: usize, within: Option<V>) {
        for _ in 0..self.below(most + 1) {
            let (a, b) = (self.number(), self.number());
            let flags = MemFlagsData::trusted();
            let made = match self.below(9) {
                0 => self.builder.ins().iadd(a, b),
                1 => self.builder.ins().iadd_imm_s(a, 1),
                2 => self.builder.ins().bor(a, b),
                3 => {
                    let cond = self.condition();
                    self.builder.ins().select(cond, a, b)
                }
                4 | 5 => {
                    let (at, offset) = self.place(within);
                    match self.below(3) {
                        0 => self.builder.ins().uload8(types::I64, flags, at, offset),
                        1 => self.builder.ins().sload32(flags, at, offset),
                        _ => self.builder.ins().load(types::I64, flags, at, offset),
                    }
                }
                _ => {
                    let (at, offset) = self.place(within);
                    match self.below(3) {
                        0 => self.builder.ins().istore8(flags, a, at, offset),
                        1 => self.builder.ins().istore32(flags, a, at, offset),
                        _ => self.builder.ins().store(flags, a, at, offset),
                    };
                    continue;
                }
            };
            self.numbers.push(made);
        }
    }

    /// Ways that part and meet again; behind them the block where they meet, with a number of either way.
    fn part(&mut self, deep: usize) {
        let (yes, no, meet) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        self.builder.append_block_param(meet, types::I64);
        // Where this condition holds, and only there, the number is within the row; elsewhere it may be past its end, and
        // past the room.
        let (any, cut) = (self.number(), [7, 15][self.below(2)]);
        let guard = self.builder.ins().band_imm_u(any, cut);
        let guarded = self.below(2) == 0;
        let cond = match guarded {
            true => self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, guard, 4),
            false => self.condition(),
        };
        let start = self.builder.ins().brif(cond, yes, &[], no, &[]);
        self.hints.starts.push(start);
        let outside = self.numbers.len();
        for (block, within) in [(yes, guarded.then_some(guard)), (no, None)] {
            self.builder.switch_to_block(block);
            if let Some(guard) = within {
                self.hints.addresses.ranges_over(guard, 0, 3);
            }
            self.steps(5, within);
            match self.below(6) {
                0 if deep > 0 => self.part(deep - 1),
                1 => self.leave(),
                _ => {}
            }
            let told = BlockArg::Value(self.number());
            self.builder.ins().jump(meet, &[told]);
            self.numbers.truncate(outside);
        }
        self.builder.switch_to_block(meet);
        let met = self.builder.block_params(meet)[0];
        self.numbers.push(met);
        self.steps(3, None);
    }

    /// A way that is seldom gone, and does not come back.
    fn leave(&mut self) {
        let (seldom, on) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(seldom);
        let cond = self.condition();
        self.builder.ins().brif(cond, seldom, &[], on, &[]);
        self.builder.switch_to_block(seldom);
        let told = self.number();
        self.builder.ins().store(MemFlagsData::trusted(), told, self.base, 0);
        self.builder.ins().return_(&[told]);
        self.builder.switch_to_block(on);
    }
}

fn target() -> TargetFrontendConfig {
    let flags = settings::Flags::new(settings::builder());
    cranelift::native::builder().unwrap().finish(flags).unwrap().frontend_config()
}

/// Code made at random, and what is known of it.
fn code(rng: &mut Rng) -> (Function, Hints) {
    let mut func = Function::new();
    let mut context = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(&mut func, &mut context);
    let entry = builder.create_block();
    let params: Vec<V> = (0..=NUMBERS).map(|_| builder.append_block_param(entry, types::I64)).collect();
    builder.func.signature.params = vec![AbiParam::new(types::I64); NUMBERS + 1];
    builder.func.signature.returns = vec![AbiParam::new(types::I64)];
    builder.switch_to_block(entry);
    let mut hints = Hints::default();
    hints.addresses.has_room(params[0], ROOM);
    let mut maker = Maker { rng, builder, base: params[0], numbers: params[1..].to_vec(), hints };
    maker.steps(3, None);
    for _ in 0..=maker.below(2) {
        maker.part(2);
    }
    let told = maker.number();
    maker.builder.ins().return_(&[told]);
    let Maker { mut builder, hints, .. } = maker;
    builder.seal_all_blocks();
    builder.finalize(target());
    (func, hints)
}

/// Code that is carried out step by step.
struct Run<'f> {
    func: &'f Function,
    values: BTreeMap<V, i64>,
    memory: Vec<u8>,
}

impl Run<'_> {
    fn of(&self, v: V) -> i64 {
        self.values[&self.func.dfg.resolve_aliases(v)]
    }

    /// The bytes from an address on. Every access must be within the room.
    fn bytes(&mut self, address: V, offset: i32, count: u32) -> &mut [u8] {
        let from = self.of(address) + i64::from(offset) - BASE;
        assert!(from >= 0 && from + i64::from(count) <= ROOM, "{} accesses byte {from}", self.func);
        &mut self.memory[from as usize..from as usize + count as usize]
    }

    /// What it returns, and what is in memory then.
    fn result(mut self, given: &[i64]) -> (i64, Vec<u8>) {
        let mut block = self.func.layout.entry_block().unwrap();
        let mut args = given.to_vec();
        loop {
            let params = self.func.dfg.block_params(block).iter().copied();
            self.values.extend(params.zip(args));
            let mut next = None;
            for inst in self.func.layout.block_insts(block) {
                let data = self.func.dfg.insts[inst];
                let result = self.func.dfg.inst_results(inst).first().copied();
                let made = match data {
                    InstructionData::Jump { destination, .. } => {
                        next = Some(destination);
                        continue;
                    }
                    InstructionData::Brif { arg, blocks: [yes, no], .. } => {
                        next = Some(if self.of(arg) != 0 { yes } else { no });
                        continue;
                    }
                    InstructionData::MultiAry { opcode: Opcode::Return, args } => {
                        let told = self.of(args.as_slice(&self.func.dfg.value_lists)[0]);
                        return (told, self.memory);
                    }
                    InstructionData::Store { opcode, args: [value, address], offset, .. } => {
                        let word = self.of(value).to_le_bytes();
                        let ty = narrow(opcode).map_or(self.func.dfg.value_type(value), |(part, _)| part);
                        let bytes = self.bytes(address, offset.into(), ty.bytes());
                        bytes.copy_from_slice(&word[..bytes.len()]);
                        continue;
                    }
                    InstructionData::Load { opcode, arg, offset, .. } => {
                        let whole = self.func.dfg.value_type(result.unwrap());
                        let (ty, signed) = narrow(opcode).unwrap_or((whole, false));
                        let mut word = [0; 8];
                        let bytes = self.bytes(arg, offset.into(), ty.bytes());
                        word[..bytes.len()].copy_from_slice(bytes);
                        cut(i64::from_le_bytes(word), ty, signed)
                    }
                    InstructionData::UnaryImm { imm, .. } => imm.bits(),
                    InstructionData::Unary { opcode, arg } => match opcode {
                        Opcode::Uextend => cut(self.of(arg), self.func.dfg.value_type(arg), false),
                        Opcode::Sextend => cut(self.of(arg), self.func.dfg.value_type(arg), true),
                        Opcode::Ireduce => self.of(arg),
                        other => panic!("{other}"),
                    },
                    InstructionData::Ternary { args: [cond, a, b], .. } => {
                        self.of(if self.of(cond) & 0xff != 0 { a } else { b })
                    }
                    InstructionData::IntCompare { cond, args: [a, b], .. } => {
                        let (a, b) = (self.of(a), self.of(b));
                        let order = match cond.unsigned() == cond && cond != IntCC::Equal {
                            true => (a as u64).cmp(&(b as u64)),
                            false => a.cmp(&b),
                        };
                        i64::from(stands(cond, order))
                    }
                    InstructionData::Binary { opcode, args: [a, b] } => {
                        let (a, b) = (self.of(a), self.of(b));
                        match opcode {
                            Opcode::Iadd => a.wrapping_add(b),
                            Opcode::Band => a & b,
                            Opcode::Bor => a | b,
                            Opcode::Bxor => a ^ b,
                            Opcode::Ishl => a.wrapping_shl(b as u32),
                            other => panic!("{other}"),
                        }
                    }
                    other => panic!("{other:?}"),
                };
                self.values.insert(result.unwrap(), made);
            }
            (block, args) = self.follow(next.unwrap());
        }
    }

    fn follow(&self, call: BlockCall) -> (Block, Vec<i64>) {
        let pool = &self.func.dfg.value_lists;
        let args = call.args(pool).filter_map(|arg| arg.as_value()).map(|v| self.of(v)).collect();
        (call.block(pool), args)
    }
}

/// The low bits of a word, as a number with or without sign.
fn cut(word: i64, ty: Type, signed: bool) -> i64 {
    let high = 64 - ty.bits();
    if signed { word << high >> high } else { ((word as u64) << high >> high) as i64 }
}

fn stands(cc: IntCC, order: std::cmp::Ordering) -> bool {
    match cc {
        IntCC::Equal => order.is_eq(),
        IntCC::NotEqual => order.is_ne(),
        IntCC::SignedLessThan | IntCC::UnsignedLessThan => order.is_lt(),
        IntCC::SignedLessThanOrEqual | IntCC::UnsignedLessThanOrEqual => order.is_le(),
        IntCC::SignedGreaterThan | IntCC::UnsignedGreaterThan => order.is_gt(),
        IntCC::SignedGreaterThanOrEqual | IntCC::UnsignedGreaterThanOrEqual => order.is_ge(),
    }
}

#[test]
fn converted_code_does_what_the_code_did() {
    let mut rng = Rng::new(3);
    let memory: Vec<u8> = (0..ROOM).map(|at| (at * 37 % 251) as u8).collect();
    let (mut converted, mut whole) = (0, 0);
    for _ in 0..8_000 {
        let (func, hints) = code(&mut rng);
        let mut without = func.clone();
        let done = if_convert(&mut without, &hints);
        converted += done;
        whole += usize::from(done == hints.starts.len());
        for _ in 0..24 {
            let mut number = || VALUES[rng.below_u64(VALUES.len() as u64) as usize];
            let given = [BASE, number(), number(), number()];
            let run = |func| Run { func, values: BTreeMap::new(), memory: memory.clone() }.result(&given);
            assert!(run(&func) == run(&without), "of {given:?}:\n{func}\n{without}");
        }
    }
    assert!(converted > 4_000 && whole > 1_000, "{converted} conversions, {whole} without a branch left");
}

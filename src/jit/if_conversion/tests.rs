//! Converted code behaves like the original and accesses no memory that it must not: random code with
//! branches and joins is interpreted before and after conversion, and the results are compared.

use super::{Hints, if_convert};
use crate::jit::mir::builder::FunctionBuilder;
use crate::jit::mir::interpret::{Memory, run};
use crate::jit::mir::text::write;
use crate::jit::mir::verify::verify;
use crate::jit::mir::{Function, Helper, IntCC, Value as V, types};
use crate::num::Rng;

/// The address of the code's inputs, and the size in bytes of the memory behind them.
const BASE: u64 = 4096;
const ROOM: i64 = 96;

/// The number of inputs to the code.
const NUMBERS: usize = 3;
/// The possible values of each input.
const VALUES: [i64; 5] = [-1, 0, 1, 5, 10];

/// Generates random code.
struct Generator<'r> {
    rng: &'r mut Rng,
    builder: FunctionBuilder,
    base: V,
    /// The values available so far.
    numbers: Vec<V>,
    hints: Hints,
}

impl Generator<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.rng.below_u64(n as u64) as usize
    }

    fn as_constant(&mut self) -> V {
        let at = self.below(self.numbers.len());
        self.numbers[at]
    }

    fn condition(&mut self) -> V {
        let codes =
            [IntCC::Equal, IntCC::SignedLessThan, IntCC::UnsignedLessThan, IntCC::SignedGreaterThanOrEqual];
        let (cc, a) = (codes[self.below(codes.len())], self.as_constant());
        match self.below(2) {
            0 => {
                let few = self.below(4) as i64;
                self.builder.ins().icmp_imm_s(cc, a, few)
            }
            _ => {
                let b = self.as_constant();
                self.builder.ins().icmp(cc, a, b)
            }
        }
    }

    /// Returns an address and an offset: fixed places, some of which overlap, and array elements at an index
    /// masked to the array. `within` is another possible index that is in bounds on this path.
    fn place(&mut self, within: Option<V>) -> (V, i32) {
        let offset = [0, 0, 0, 3, 24, 40][self.below(6)];
        let index = match (self.below(4), within) {
            (0 | 1, _) => return (self.base, offset),
            (2, Some(index)) => index,
            _ => {
                let any = self.as_constant();
                self.builder.ins().band_imm_s(any, 3)
            }
        };
        let far = self.builder.ins().ishl_imm_s(index, 3);
        (self.builder.ins().iadd(self.base, far), offset)
    }

    /// Emits a few operations: arithmetic, loads and stores.
    fn steps(&mut self, most: usize, within: Option<V>) {
        for _ in 0..self.below(most + 1) {
            let (a, b) = (self.as_constant(), self.as_constant());
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
                        0 => self.builder.ins().load_unsigned(types::I8, at, offset),
                        1 => self.builder.ins().load_signed(types::I32, at, offset),
                        _ => self.builder.ins().load(types::I64, at, offset),
                    }
                }
                _ => {
                    let (at, offset) = self.place(within);
                    match self.below(3) {
                        0 => self.builder.ins().store_low(types::I8, a, at, offset),
                        1 => self.builder.ins().store_low(types::I32, a, at, offset),
                        _ => self.builder.ins().store(a, at, offset),
                    };
                    continue;
                }
            };
            self.numbers.push(made);
        }
    }

    /// Emits branches and their join, whose parameter receives a value from either path.
    fn part(&mut self, deep: usize) {
        let (yes, no, meet) =
            (self.builder.create_block(), self.builder.create_block(), self.builder.create_block());
        let met = self.builder.func.append_param(meet, types::I64);
        // Only where this condition holds is the number within bounds of the array; elsewhere it may lie past
        // the end of the array and of the memory.
        let (any, cut) = (self.as_constant(), [7, 15][self.below(2)]);
        let guard = self.builder.ins().band_imm_s(any, cut);
        let guarded = self.below(2) == 0;
        let cond = match guarded {
            true => self.builder.ins().icmp_imm_s(IntCC::UnsignedLessThan, guard, 4),
            false => self.condition(),
        };
        let start = self.builder.brif(cond, (yes, &[]), (no, &[]));
        self.hints.starts.push(start);
        let outside = self.numbers.len();
        for (block, within) in [(yes, guarded.then_some(guard)), (no, None)] {
            self.builder.switch_to_block(block);
            if let Some(guard) = within {
                self.hints.addresses.record_range(guard, 0, 3);
            }
            self.steps(5, within);
            match self.below(6) {
                0 if deep > 0 => self.part(deep - 1),
                1 => self.leave(),
                _ => {}
            }
            let told = self.as_constant();
            self.builder.jump(meet, &[told]);
            self.numbers.truncate(outside);
        }
        self.builder.switch_to_block(meet);
        self.numbers.push(met);
        self.steps(3, None);
    }

    /// Emits a branch to a cold exit, which is rarely taken.
    fn leave(&mut self) {
        let (seldom, on) = (self.builder.create_block(), self.builder.create_block());
        self.builder.set_cold_block(seldom);
        let cond = self.condition();
        self.builder.brif(cond, (seldom, &[]), (on, &[]));
        self.builder.switch_to_block(seldom);
        let told = self.as_constant();
        self.builder.ins().store(told, self.base, 0);
        self.builder.return_(told);
        self.builder.switch_to_block(on);
    }
}

/// Generates random code with hints. It is given the address of its inputs, which are followed by the memory.
fn code(rng: &mut Rng) -> (Function, Hints) {
    let (mut builder, given) = FunctionBuilder::new();
    let numbers = (0..NUMBERS as i32).map(|i| builder.ins().load(types::I64, given, i * 8)).collect();
    let base = builder.ins().iadd_imm_s(given, NUMBERS as i64 * 8);
    let mut hints = Hints::default();
    hints.addresses.record_accessible(given, NUMBERS as i64 * 8 + ROOM);
    let mut generator = Generator { rng, builder, base, numbers, hints };
    generator.steps(3, None);
    for _ in 0..=generator.below(2) {
        generator.part(2);
    }
    let told = generator.as_constant();
    generator.builder.return_(told);
    (generator.builder.finish(), generator.hints)
}

/// The inputs of the code and the memory after them.
#[derive(PartialEq)]
struct Room(Vec<u8>);

impl Room {
    /// Returns the bytes of an access, which must be within bounds.
    fn bytes(&mut self, address: u64, count: u32) -> &mut [u8] {
        let from = address.wrapping_sub(BASE) as usize;
        &mut self.0[from..][..count as usize]
    }
}

impl Memory for Room {
    fn load(&mut self, address: u64, bytes: u32) -> u128 {
        self.bytes(address, bytes).iter().rev().fold(0, |n, byte| n << 8 | u128::from(*byte))
    }

    fn store(&mut self, address: u64, bytes: u32, n: u128) {
        self.bytes(address, bytes).copy_from_slice(&n.to_le_bytes()[..bytes as usize]);
    }

    fn stack(&mut self, bytes: u64) -> u64 {
        assert_eq!(bytes, 0);
        0
    }

    fn call(&mut self, helper: Helper, _: &[u64]) -> u64 {
        panic!("{} is called", helper.name)
    }
}

#[test]
fn converted_code_does_what_the_code_did() {
    let mut rng = Rng::new(3);
    let room: Vec<u8> = (0..ROOM).map(|at| (at * 37 % 251) as u8).collect();
    let (mut converted, mut whole) = (0, 0);
    for _ in 0..8_000 {
        let (func, hints) = code(&mut rng);
        let mut without = func.clone();
        let done = if_convert(&mut without, &hints);
        converted += done;
        whole += usize::from(done == hints.starts.len());
        assert_eq!(
            (verify(&func), verify(&without)),
            (Ok(()), Ok(())),
            "{}\n{}",
            write(&func),
            write(&without)
        );
        for _ in 0..24 {
            let given = [(); NUMBERS].map(|()| VALUES[rng.below_u64(VALUES.len() as u64) as usize]);
            let result = |func| {
                let numbers = given.iter().flat_map(|n| n.to_le_bytes());
                let mut memory = Room(numbers.chain(room.iter().copied()).collect());
                (run(func, &[BASE], &mut memory), memory)
            };
            assert!(
                result(&func) == result(&without),
                "of {given:?}:\n{}\n{}",
                write(&func),
                write(&without)
            );
        }
    }
    assert!(converted > 4_000 && whole > 1_000, "{converted} conversions, {whole} without a branch left");
}

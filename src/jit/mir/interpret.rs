//! A simple interpreter of the mid-level IR that works on any [`Memory`].

use super::{Block, ConvertOp, Function, Helper, Op, Target, Type, Value};

/// The memory and helpers that code uses.
pub trait Memory {
    /// Returns `bytes` bytes at an address, as a little-endian number.
    fn load(&mut self, address: u64, bytes: u32) -> u128;

    /// Stores the lowest `bytes` bytes of a number.
    fn store(&mut self, address: u64, bytes: u32, n: u128);

    /// Returns the address of `bytes` bytes for the stack of the function that is about to run.
    fn stack(&mut self, bytes: u64) -> u64;

    /// Calls a runtime helper.
    fn call(&mut self, helper: Helper, args: &[u64]) -> u64;
}

/// Runs a function with a value for each parameter of its first block; returns its result.
pub fn run(func: &Function, given: &[u64], memory: &mut impl Memory) -> u64 {
    let stack = memory.stack(func.stack_bytes());
    let mut frame = Frame { func, values: vec![0; func.num_values()], stack, memory, passed: Vec::new() };
    let Some(first) = func.blocks().first() else { return 0 };
    for (param, word) in func.params(*first).iter().zip(given) {
        frame.values[param.index()] = u128::from(*word);
    }
    let mut block = *first;
    loop {
        match frame.block(block) {
            Next::Block(next) => block = next,
            Next::Leave(word) => return word,
        }
    }
}

/// What to execute next.
enum Next {
    Block(Block),
    Leave(u64),
}

/// The state of a running function.
struct Frame<'r, M> {
    func: &'r Function,
    /// The bits of each value computed so far.
    values: Vec<u128>,
    stack: u64,
    memory: &'r mut M,
    /// Scratch space for block arguments.
    passed: Vec<u128>,
}

impl<M: Memory> Frame<'_, M> {
    fn word(&self, v: Value) -> u64 {
        self.values[v.index()] as u64
    }

    fn block(&mut self, block: Block) -> Next {
        let func = self.func;
        for inst in func.insts(block) {
            let op = func.op(*inst);
            let made = match op {
                Op::Imm(_, n) | Op::Static(n) => u128::from(*n as u64),
                Op::Unary(op, a) => u128::from(op.of(func.ty(*a), self.word(*a))),
                Op::Convert(op, to, a) => self.convert(*op, *to, *a),
                Op::Binary(op, a, b) => {
                    let lane = func.ty(*a).lane().0;
                    // Code never divides by zero.
                    self.lanes(func.ty(*a), [*a, *b], |[a, b]| op.of(lane, a, b).unwrap_or(0))
                }
                Op::Overflow(op, a, b) => {
                    let (n, over) = op.of(self.word(*a) as i64, self.word(*b) as i64);
                    for (v, n) in func.results(*inst).zip([n as u64, u64::from(over)]) {
                        self.values[v.index()] = u128::from(n);
                    }
                    continue;
                }
                Op::Compare(cc, a, b) => u128::from(cc.holds(func.ty(*a), self.word(*a), self.word(*b))),
                Op::Select(cond, a, b) => self.values[if self.word(*cond) != 0 { a } else { b }.index()],
                Op::Load { ty, memory, signed, at, offset } => {
                    let address = self.word(*at).wrapping_add_signed(i64::from(*offset));
                    let bits = self.memory.load(address, memory.bytes());
                    extend(bits, *memory, *ty, *signed)
                }
                Op::Store { memory, value, at, offset } => {
                    let address = self.word(*at).wrapping_add_signed(i64::from(*offset));
                    self.memory.store(address, memory.bytes(), self.values[value.index()]);
                    continue;
                }
                Op::StackAddr(slot) => {
                    let below: u64 = func.slots()[..slot.index()].iter().map(|bytes| u64::from(*bytes)).sum();
                    u128::from(self.stack + below)
                }
                Op::Call(helper, args) => {
                    let args: Vec<u64> = args.iter().map(|v| self.word(*v)).collect();
                    u128::from(self.memory.call(*helper, &args))
                }
                Op::Jump(to) => return self.go(to),
                Op::Branch(cond, yes, no) => return self.go(if self.word(*cond) != 0 { yes } else { no }),
                Op::Switch(on, cases, otherwise) => {
                    let on = self.word(*on);
                    let case = cases.iter().find(|(number, _)| *number == on);
                    return self.go(case.map_or(otherwise, |(_, to)| to));
                }
                Op::Return(v) => return Next::Leave(self.word(*v)),
            };
            for v in func.results(*inst) {
                self.values[v.index()] = made;
            }
        }
        // A block without a terminator leaves the function; the verifier rejects such blocks.
        Next::Leave(0)
    }

    /// Reads all arguments before writing any parameter, since some may be parameters of the same block.
    fn go(&mut self, to: &Target) -> Next {
        self.passed.clear();
        self.passed.extend(to.args.iter().map(|v| self.values[v.index()]));
        for (param, n) in self.func.params(to.block).iter().zip(&self.passed) {
            self.values[param.index()] = *n;
        }
        Next::Block(to.block)
    }

    /// Applies a function lane by lane.
    fn lanes<const N: usize>(&self, ty: Type, of: [Value; N], make: impl Fn([u64; N]) -> u64) -> u128 {
        let (lane, count) = ty.lane();
        let numbers = of.map(|v| self.values[v.index()]);
        let one = |i: u32| make(numbers.map(|n| lane.truncate((n >> (i * lane.bits())) as u64)));
        (0..count).map(|i| u128::from(one(i)) << (i * lane.bits())).sum()
    }

    fn convert(&self, op: ConvertOp, to: Type, a: Value) -> u128 {
        let (from, (lane, count)) = (self.func.ty(a), to.lane());
        let bits = self.values[a.index()];
        match op {
            ConvertOp::Splat => (0..count).map(|i| bits << (i * lane.bits())).sum(),
            ConvertOp::UwidenLow => extend(bits, from, to, false),
            ConvertOp::UwidenHigh => extend(bits >> 64, from, to, false),
            ConvertOp::Uextend | ConvertOp::Ireduce => u128::from(to.truncate(bits as u64)),
        }
    }
}

/// Extends each lane of a vector to a wider type.
fn extend(bits: u128, from: Type, to: Type, signed: bool) -> u128 {
    let (narrow, (wide, count)) = (from.lane().0, to.lane());
    let one = |i: u32| {
        let n = narrow.truncate((bits >> (i * narrow.bits())) as u64);
        wide.truncate(if signed { narrow.signed(n) as u64 } else { n })
    };
    (0..count).map(|i| u128::from(one(i)) << (i * wide.bits())).sum()
}

//! The mid-level IR: SSA functions of basic blocks with parameters, between lowering and the back ends.
//!
//! It has words, memory and calls, and is independent of games. A function takes one word and returns one.
//! Execution starts at its first block. Each block ends with a terminator, which passes arguments to the
//! parameters of its successors. Loads and stores access valid memory only, with every address a multiple of
//! the access size.

pub mod builder;
pub mod flow;
pub mod ins;
pub mod interpret;
pub mod ops;
#[cfg(test)]
mod tests;
pub mod text;
pub mod verify;

pub use ops::{BinaryOp, ConvertOp, IntCC, OverflowOp, Type, UnaryOp, types};

/// Defines index types for the parts of a function.
macro_rules! entity_indices {
    ($($(#[$doc:meta])* $name:ident $text:literal)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// Returns the index among all parts of this kind.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            fn at(index: usize) -> $name {
                $name(index as u32)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}{}", $text, self.0)
            }
        }
    )*};
}

entity_indices! {
    /// A value.
    Value "v"
    /// An instruction.
    Inst "inst"
    /// A basic block.
    Block "block"
    /// A stack slot.
    StackSlot "stack"
    /// A variable, which exists only while a function is being built.
    Variable "var"
}

/// A runtime helper that code calls: it takes words and returns one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Helper {
    /// The name of the helper.
    pub name: &'static str,
    /// Its index among all helpers.
    pub number: usize,
}

/// A successor of a block, with an argument for each of its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The successor.
    pub block: Block,
    /// The arguments.
    pub args: Vec<Value>,
}

/// The operation of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// A constant.
    Imm(Type, i64),
    /// The address of static data: constant within a run of the program, but different from run to run.
    Static(i64),
    /// See [`UnaryOp`].
    Unary(UnaryOp, Value),
    /// See [`ConvertOp`]; the type is that of the result.
    Convert(ConvertOp, Type, Value),
    /// See [`BinaryOp`].
    Binary(BinaryOp, Value, Value),
    /// See [`OverflowOp`]; the only instruction with two results.
    Overflow(OverflowOp, Value, Value),
    /// Compares two values; the result is a byte, 1 or 0.
    Compare(IntCC, Value, Value),
    /// The second operand if the first is not 0, else the third.
    Select(Value, Value, Value),
    /// Loads from memory; a type narrower than the result is extended, lane by lane.
    Load {
        /// The type of the result.
        ty: Type,
        /// The type in memory.
        memory: Type,
        /// Whether narrow values are sign-extended.
        signed: bool,
        /// The base address.
        at: Value,
        /// The offset from the base address, in bytes.
        offset: i32,
    },
    /// Stores to memory.
    Store {
        /// The type in memory: the lowest bytes of the value are stored.
        memory: Type,
        /// The value to store.
        value: Value,
        /// The base address.
        at: Value,
        /// The offset from the base address, in bytes.
        offset: i32,
    },
    /// The address of a stack slot.
    StackAddr(StackSlot),
    /// Calls a runtime helper.
    Call(Helper, Vec<Value>),
    /// Jumps to a block.
    Jump(Target),
    /// Jumps to the first block if the value is not 0, else to the second.
    Branch(Value, Target, Target),
    /// Jumps to the block of the case that equals the value, or to the last block if there is none.
    Switch(Value, Vec<(u64, Target)>, Target),
    /// Returns a word from the function.
    Return(Value),
}

impl Op {
    /// Whether it ends a block.
    pub fn is_terminator(&self) -> bool {
        matches!(self, Op::Jump(_) | Op::Branch(..) | Op::Switch(..) | Op::Return(_))
    }

    /// Returns the successors.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        let (some, cases, last): (&[(u64, Target)], Option<&Target>, Option<&Target>) = match self {
            Op::Jump(to) => (&[], None, Some(to)),
            Op::Branch(_, yes, no) => (&[], Some(yes), Some(no)),
            Op::Switch(_, cases, last) => (cases, None, Some(last)),
            _ => (&[], None, None),
        };
        some.iter().map(|(_, to)| to).chain(cases).chain(last)
    }

    /// Returns the successors mutably.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut Target> {
        let (cases, yes, last): (&mut [(u64, Target)], _, _) = match self {
            Op::Jump(to) => (&mut [], None, Some(to)),
            Op::Branch(_, yes, no) => (&mut [], Some(yes), Some(no)),
            Op::Switch(_, cases, last) => (cases, None, Some(last)),
            _ => (&mut [], None, None),
        };
        cases.iter_mut().map(|(_, to)| to).chain(yes).chain(last)
    }

    /// Replaces each operand, including block arguments.
    pub fn map_values(&mut self, mut to: impl FnMut(Value) -> Value) {
        match self {
            Op::Imm(..) | Op::Static(_) | Op::StackAddr(_) | Op::Jump(_) => {}
            Op::Unary(_, a) | Op::Convert(_, _, a) | Op::Load { at: a, .. } | Op::Return(a) => *a = to(*a),
            Op::Branch(a, ..) | Op::Switch(a, ..) => *a = to(*a),
            Op::Binary(_, a, b) | Op::Overflow(_, a, b) | Op::Compare(_, a, b) => (*a, *b) = (to(*a), to(*b)),
            Op::Store { value: a, at: b, .. } => (*a, *b) = (to(*a), to(*b)),
            Op::Select(a, b, c) => (*a, *b, *c) = (to(*a), to(*b), to(*c)),
            Op::Call(_, args) => args.iter_mut().for_each(|v| *v = to(*v)),
        }
        self.targets_mut().flat_map(|to| &mut to.args).for_each(|v| *v = to(*v));
    }

    /// Returns the operands, including block arguments.
    pub fn values(&self) -> Vec<Value> {
        let mut values = match self {
            Op::Imm(..) | Op::Static(_) | Op::StackAddr(_) | Op::Jump(_) => Vec::new(),
            Op::Unary(_, a) | Op::Convert(_, _, a) | Op::Load { at: a, .. } | Op::Return(a) => vec![*a],
            Op::Branch(a, ..) | Op::Switch(a, ..) => vec![*a],
            Op::Binary(_, a, b) | Op::Overflow(_, a, b) | Op::Compare(_, a, b) => vec![*a, *b],
            Op::Store { value: a, at: b, .. } => vec![*a, *b],
            Op::Select(a, b, c) => vec![*a, *b, *c],
            Op::Call(_, args) => args.clone(),
        };
        values.extend(self.targets().flat_map(|to| &to.args));
        values
    }
}

/// The definition of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Def {
    /// A block parameter.
    Param,
    /// A result of an instruction.
    Result(Inst),
    /// An alias of another value.
    Alias(Value),
}

#[derive(Debug, Clone)]
struct InstData {
    op: Op,
    /// The first result, if any; a second one has the next index.
    result: Option<Value>,
    /// The block that contains it.
    block: Option<Block>,
}

#[derive(Debug, Clone, Default)]
struct BlockData {
    params: Vec<Value>,
    insts: Vec<Inst>,
    cold: bool,
}

/// A function.
#[derive(Debug, Clone, Default)]
pub struct Function {
    values: Vec<(Type, Def)>,
    insts: Vec<InstData>,
    blocks: Vec<BlockData>,
    /// The blocks that are part of the function, in order.
    layout: Vec<Block>,
    /// The sizes of the stack slots, in bytes.
    slots: Vec<u32>,
}

impl Function {
    // ---- values

    /// Returns the type of a value.
    pub fn ty(&self, v: Value) -> Type {
        self.values[v.index()].0
    }

    /// Returns the number of values created so far.
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// Returns the value that this one is an alias of, or itself.
    pub fn resolve(&self, v: Value) -> Value {
        let mut at = v;
        while let Def::Alias(other) = self.values[at.index()].1 {
            at = other;
        }
        at
    }

    /// Makes a value an alias of another.
    fn alias(&mut self, v: Value, to: Value) {
        self.values[v.index()].1 = Def::Alias(to);
    }

    /// Replaces aliases by the values that they stand for in all instructions.
    fn resolve_all(&mut self) {
        for i in 0..self.insts.len() {
            let mut op = std::mem::replace(&mut self.insts[i].op, Op::Imm(Type::I8, 0));
            op.map_values(|v| self.resolve(v));
            self.insts[i].op = op;
        }
    }

    /// Returns the operation that defines a value; `None` for parameters.
    pub fn def_op(&self, v: Value) -> Option<&Op> {
        match self.values[self.resolve(v).index()].1 {
            Def::Result(inst) => Some(&self.insts[inst.index()].op),
            _ => None,
        }
    }

    /// Returns the constant that defines a value, if any.
    pub fn constant(&self, v: Value) -> Option<i64> {
        match self.def_op(v)? {
            Op::Imm(_, n) | Op::Static(n) => Some(*n),
            _ => None,
        }
    }

    fn new_value(&mut self, ty: Type, def: Def) -> Value {
        self.values.push((ty, def));
        Value::at(self.values.len() - 1)
    }

    // ---- instructions

    /// Returns the number of instructions created so far.
    pub fn num_insts(&self) -> usize {
        self.insts.len()
    }

    /// Returns the operation of an instruction.
    pub fn op(&self, inst: Inst) -> &Op {
        &self.insts[inst.index()].op
    }

    /// Returns the block that contains an instruction.
    pub fn block_of(&self, inst: Inst) -> Option<Block> {
        self.insts[inst.index()].block
    }

    /// Returns the results of an instruction.
    pub fn results(&self, inst: Inst) -> impl Iterator<Item = Value> + use<> {
        let InstData { op, result, .. } = &self.insts[inst.index()];
        let count = 1 + u32::from(matches!(op, Op::Overflow(..)));
        let result = *result;
        result.into_iter().flat_map(move |first| (first.0..first.0 + count).map(Value))
    }

    /// Returns the type of the first result of an operation, if it has one.
    pub fn type_of(&self, op: &Op) -> Option<Type> {
        match op {
            Op::Imm(ty, _) | Op::Convert(_, ty, _) | Op::Load { ty, .. } => Some(*ty),
            Op::Unary(_, a) | Op::Binary(_, a, _) | Op::Overflow(_, a, _) => Some(self.ty(*a)),
            Op::Compare(..) => Some(Type::I8),
            Op::Select(_, a, _) => Some(self.ty(*a)),
            Op::Static(_) | Op::StackAddr(_) | Op::Call(..) => Some(Type::I64),
            Op::Store { .. } | Op::Jump(_) | Op::Branch(..) | Op::Switch(..) | Op::Return(_) => None,
        }
    }

    /// Appends an instruction to a block.
    pub fn push(&mut self, block: Block, op: Op) -> Inst {
        let inst = self.new_inst(block, op);
        self.blocks[block.index()].insts.push(inst);
        inst
    }

    /// Appends an instruction with one result to a block and returns the result.
    pub fn push_value(&mut self, block: Block, op: Op) -> Value {
        let inst = self.push(block, op);
        // Callers never use the result of an instruction that has none.
        self.insts[inst.index()].result.unwrap_or(Value(0))
    }

    fn new_inst(&mut self, block: Block, op: Op) -> Inst {
        let inst = Inst::at(self.insts.len());
        let result = self.type_of(&op).map(|ty| self.new_value(ty, Def::Result(inst)));
        if let Op::Overflow(..) = op {
            self.new_value(Type::I8, Def::Result(inst));
        }
        self.insts.push(InstData { op, result, block: Some(block) });
        inst
    }

    // ---- blocks

    /// Returns the blocks in order; the first is the entry.
    pub fn blocks(&self) -> &[Block] {
        &self.layout
    }

    /// Returns the number of blocks created so far.
    pub fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Creates a block that is not yet part of the function.
    pub fn new_block(&mut self) -> Block {
        self.blocks.push(BlockData::default());
        Block::at(self.blocks.len() - 1)
    }

    /// Appends a block to the function.
    pub fn append_block(&mut self, block: Block) {
        self.layout.push(block);
    }

    /// Marks a block as cold, that is, rarely executed.
    pub fn set_cold(&mut self, block: Block) {
        self.blocks[block.index()].cold = true;
    }

    /// Whether a block is cold.
    pub fn is_cold(&self, block: Block) -> bool {
        self.blocks[block.index()].cold
    }

    /// Adds a parameter to a block.
    pub fn append_param(&mut self, block: Block, ty: Type) -> Value {
        let v = self.new_value(ty, Def::Param);
        self.blocks[block.index()].params.push(v);
        v
    }

    /// Returns the parameters of a block.
    pub fn params(&self, block: Block) -> &[Value] {
        &self.blocks[block.index()].params
    }

    /// Returns the instructions of a block.
    pub fn insts(&self, block: Block) -> &[Inst] {
        &self.blocks[block.index()].insts
    }

    /// Returns the terminator of a block, if it has one yet.
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        self.insts(block).last().copied().filter(|inst| self.op(*inst).is_terminator())
    }

    /// Returns the successors of a block, once per target.
    pub fn successors(&self, block: Block) -> impl Iterator<Item = Block> {
        self.terminator(block).into_iter().flat_map(|inst| self.op(inst).targets()).map(|to| to.block)
    }

    // ---- stack slots

    /// Creates a stack slot of at least `bytes` bytes.
    pub fn new_slot(&mut self, bytes: u32) -> StackSlot {
        self.slots.push(bytes.next_multiple_of(8));
        StackSlot::at(self.slots.len() - 1)
    }

    /// Returns the sizes of the stack slots, in bytes.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Returns the total size of the stack slots, in bytes.
    pub fn stack_bytes(&self) -> u64 {
        self.slots.iter().map(|bytes| u64::from(*bytes)).sum()
    }
}

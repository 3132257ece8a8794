//! The middle language: functions of blocks with parameters, in SSA form, between lowering and the back ends.
//!
//! It knows words, memory and calls, and nothing of games. A function takes one word and gives one. Its first block is
//! where it begins; each block ends with the one instruction that says where code goes on, and hands arguments to the
//! parameters of the blocks it goes to. Reads and writes are of memory that is there, words at addresses that divide by
//! their size.

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

/// Numbers by which parts of a function are named.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident $text:literal)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The place in a row of all.
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

numbers! {
    /// A value.
    Value "v"
    /// An instruction.
    Inst "inst"
    /// A block.
    Block "block"
    /// A place on the stack.
    StackSlot "stack"
    /// A variable, while a function is being built.
    Variable "var"
}

/// A helper that code calls: it takes words and gives one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Helper {
    /// Its name.
    pub name: &'static str,
    /// Its number among all helpers, from 0.
    pub number: usize,
}

/// Where code goes on, with a value for each parameter of the block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The block.
    pub block: Block,
    /// The values.
    pub args: Vec<Value>,
}

/// What an instruction does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// A number.
    Imm(Type, i64),
    /// The address of static data: a word that is always the same, but in each run of the program another.
    Static(i64),
    /// See [`UnaryOp`].
    Unary(UnaryOp, Value),
    /// See [`ConvertOp`]; the type is that of the result.
    Convert(ConvertOp, Type, Value),
    /// See [`BinaryOp`].
    Binary(BinaryOp, Value, Value),
    /// See [`OverflowOp`]; the one instruction with two results.
    Overflow(OverflowOp, Value, Value),
    /// Whether two numbers compare so: 1 or 0, a byte.
    Compare(IntCC, Value, Value),
    /// The second where the first is not 0, else the third.
    Select(Value, Value, Value),
    /// Reads memory; what is narrower than the result is extended, each lane for itself.
    Load {
        /// The type of the result.
        ty: Type,
        /// The type of what lies in memory.
        memory: Type,
        /// Whether it is extended with its sign.
        signed: bool,
        /// Where it lies.
        at: Value,
        /// Bytes from there.
        offset: i32,
    },
    /// Writes memory.
    Store {
        /// The type of what is written: the lowest bytes of the value.
        memory: Type,
        /// What is written.
        value: Value,
        /// Where.
        at: Value,
        /// Bytes from there.
        offset: i32,
    },
    /// The address of a place on the stack.
    StackAddr(StackSlot),
    /// Calls a helper.
    Call(Helper, Vec<Value>),
    /// Goes on in a block.
    Jump(Target),
    /// Goes on in the first block where the value is not 0, else in the second.
    Branch(Value, Target, Target),
    /// Goes on in the block with the number that the value is, in the last one where there is none.
    Switch(Value, Vec<(u64, Target)>, Target),
    /// Leaves the function, with a word.
    Return(Value),
}

impl Op {
    /// Whether a block ends with it.
    pub fn is_terminator(&self) -> bool {
        matches!(self, Op::Jump(_) | Op::Branch(..) | Op::Switch(..) | Op::Return(_))
    }

    /// Whether it does nothing but give a single value, and may be carried out where nobody asked for it.
    pub fn is_pure(&self) -> bool {
        match self {
            Op::Imm(..) | Op::Unary(..) | Op::Convert(..) | Op::Compare(..) | Op::Select(..) => true,
            Op::Static(_) | Op::StackAddr(_) => true,
            Op::Binary(op, ..) => !op.may_trap(),
            _ => false,
        }
    }

    /// Where code may go on behind it.
    pub fn targets(&self) -> impl Iterator<Item = &Target> {
        let (some, cases, last): (&[(u64, Target)], Option<&Target>, Option<&Target>) = match self {
            Op::Jump(to) => (&[], None, Some(to)),
            Op::Branch(_, yes, no) => (&[], Some(yes), Some(no)),
            Op::Switch(_, cases, last) => (cases, None, Some(last)),
            _ => (&[], None, None),
        };
        some.iter().map(|(_, to)| to).chain(cases).chain(last)
    }

    /// The same, to change it.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut Target> {
        let (cases, yes, last): (&mut [(u64, Target)], _, _) = match self {
            Op::Jump(to) => (&mut [], None, Some(to)),
            Op::Branch(_, yes, no) => (&mut [], Some(yes), Some(no)),
            Op::Switch(_, cases, last) => (cases, None, Some(last)),
            _ => (&mut [], None, None),
        };
        cases.iter_mut().map(|(_, to)| to).chain(yes).chain(last)
    }

    /// Puts another value in the place of each that it takes, arguments of blocks included.
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

    /// The values that it takes, arguments of blocks included.
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

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Def {
    /// It is a parameter of a block.
    Param,
    /// It is a result of an instruction.
    Result(Inst),
    /// It is another value.
    Same(Value),
}

#[derive(Debug, Clone)]
struct InstData {
    op: Op,
    /// The first result, if there is any; a second comes right behind it.
    result: Option<Value>,
    /// The block in which it stands.
    block: Option<Block>,
}

#[derive(Debug, Clone, Default)]
struct BlockData {
    params: Vec<Value>,
    insts: Vec<Inst>,
    cold: bool,
}

/// How a function was, to go back to.
#[derive(Debug)]
pub struct Mark {
    values: usize,
    insts: usize,
    blocks: usize,
    /// The block that may be changed, and its instructions.
    changed: Block,
    own: Vec<Inst>,
}

/// A function.
#[derive(Debug, Clone, Default)]
pub struct Function {
    values: Vec<(Type, Def)>,
    insts: Vec<InstData>,
    blocks: Vec<BlockData>,
    /// The blocks that are part of it, in order.
    layout: Vec<Block>,
    /// How many bytes the places on the stack have.
    slots: Vec<u32>,
}

impl Function {
    // ---- values

    /// The type of a value.
    pub fn ty(&self, v: Value) -> Type {
        self.values[v.index()].0
    }

    /// How many values were made so far.
    pub fn num_values(&self) -> usize {
        self.values.len()
    }

    /// The value that stands for this one.
    pub fn resolve(&self, v: Value) -> Value {
        let mut at = v;
        while let Def::Same(other) = self.values[at.index()].1 {
            at = other;
        }
        at
    }

    /// A value is another one wherever it is used.
    fn alias(&mut self, v: Value, to: Value) {
        self.values[v.index()].1 = Def::Same(to);
    }

    /// Puts the values that stand for others in their places.
    fn resolve_all(&mut self) {
        for i in 0..self.insts.len() {
            let mut op = std::mem::replace(&mut self.insts[i].op, Op::Imm(Type::I8, 0));
            op.map_values(|v| self.resolve(v));
            self.insts[i].op = op;
        }
    }

    /// What the instruction does that a value comes from; `None` of parameters.
    pub fn made_by(&self, v: Value) -> Option<&Op> {
        match self.values[self.resolve(v).index()].1 {
            Def::Result(inst) => Some(&self.insts[inst.index()].op),
            _ => None,
        }
    }

    /// The number that a value always is.
    pub fn constant(&self, v: Value) -> Option<i64> {
        match self.made_by(v)? {
            Op::Imm(_, n) | Op::Static(n) => Some(*n),
            _ => None,
        }
    }

    fn new_value(&mut self, ty: Type, def: Def) -> Value {
        self.values.push((ty, def));
        Value::at(self.values.len() - 1)
    }

    // ---- instructions

    /// How many instructions were made so far.
    pub fn num_insts(&self) -> usize {
        self.insts.len()
    }

    /// What an instruction does.
    pub fn op(&self, inst: Inst) -> &Op {
        &self.insts[inst.index()].op
    }

    /// The block in which an instruction stands.
    pub fn block_of(&self, inst: Inst) -> Option<Block> {
        self.insts[inst.index()].block
    }

    /// The results of an instruction.
    pub fn results(&self, inst: Inst) -> impl Iterator<Item = Value> + use<> {
        let InstData { op, result, .. } = &self.insts[inst.index()];
        let count = 1 + u32::from(matches!(op, Op::Overflow(..)));
        let result = *result;
        result.into_iter().flat_map(move |first| (first.0..first.0 + count).map(Value))
    }

    /// The type of the first result of an instruction, if it has one.
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

    /// Adds an instruction to the end of a block.
    pub fn push(&mut self, block: Block, op: Op) -> Inst {
        let inst = self.new_inst(block, op);
        self.blocks[block.index()].insts.push(inst);
        inst
    }

    /// Adds an instruction with one result to the end of a block.
    pub fn push_value(&mut self, block: Block, op: Op) -> Value {
        let inst = self.push(block, op);
        // What has no result is not asked for one.
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

    /// Takes the last instruction of a block to the end of another.
    pub fn move_last(&mut self, from: Block, to: Block) {
        if let Some(inst) = self.blocks[from.index()].insts.pop() {
            self.blocks[to.index()].insts.push(inst);
            self.insts[inst.index()].block = Some(to);
        }
    }

    // ---- blocks

    /// The blocks, in order; the first is where the function begins.
    pub fn blocks(&self) -> &[Block] {
        &self.layout
    }

    /// How many blocks were made so far.
    pub fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// A new block, which is not yet part of the function.
    pub fn new_block(&mut self) -> Block {
        self.blocks.push(BlockData::default());
        Block::at(self.blocks.len() - 1)
    }

    /// Puts a block behind all others.
    pub fn append_block(&mut self, block: Block) {
        self.layout.push(block);
    }

    /// Puts a block behind another.
    pub fn insert_block_after(&mut self, block: Block, after: Block) {
        let place = self.layout.iter().position(|known| *known == after);
        self.layout.insert(place.map_or(self.layout.len(), |place| place + 1), block);
    }

    /// Code seldom goes to a block.
    pub fn set_cold(&mut self, block: Block) {
        self.blocks[block.index()].cold = true;
    }

    /// Whether code seldom goes to a block.
    pub fn is_cold(&self, block: Block) -> bool {
        self.blocks[block.index()].cold
    }

    /// Adds a parameter to a block.
    pub fn append_param(&mut self, block: Block, ty: Type) -> Value {
        let v = self.new_value(ty, Def::Param);
        self.blocks[block.index()].params.push(v);
        v
    }

    /// The parameters of a block.
    pub fn params(&self, block: Block) -> &[Value] {
        &self.blocks[block.index()].params
    }

    /// The instructions of a block.
    pub fn insts(&self, block: Block) -> &[Inst] {
        &self.blocks[block.index()].insts
    }

    /// The instruction with which a block ends.
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        self.insts(block).last().copied().filter(|inst| self.op(*inst).is_terminator())
    }

    /// Where a block leads, each target once.
    pub fn successors(&self, block: Block) -> impl Iterator<Item = Block> {
        self.terminator(block).into_iter().flat_map(|inst| self.op(inst).targets()).map(|to| to.block)
    }

    // ---- trials

    /// How a function is, before something is tried that may only make instructions and blocks, put blocks into it, and
    /// add to one block or take from it.
    pub fn mark(&self, changed: Block) -> Mark {
        Mark {
            values: self.values.len(),
            insts: self.insts.len(),
            blocks: self.blocks.len(),
            changed,
            own: self.insts(changed).to_vec(),
        }
    }

    /// Makes a function what it was.
    pub fn go_back(&mut self, to: Mark) {
        self.values.truncate(to.values);
        self.insts.truncate(to.insts);
        self.blocks.truncate(to.blocks);
        self.layout.retain(|block| block.index() < to.blocks);
        to.own.iter().for_each(|inst| self.insts[inst.index()].block = Some(to.changed));
        self.blocks[to.changed.index()].insts = to.own;
    }

    // ---- the stack

    /// A new place on the stack, of so many bytes.
    pub fn new_slot(&mut self, bytes: u32) -> StackSlot {
        self.slots.push(bytes.next_multiple_of(8));
        StackSlot::at(self.slots.len() - 1)
    }

    /// How many bytes each place on the stack has.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// How many bytes all of them have.
    pub fn stack_bytes(&self) -> u64 {
        self.slots.iter().map(|bytes| u64::from(*bytes)).sum()
    }
}

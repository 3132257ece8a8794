//! Functions built block by block, with variables that become values: SSA form made while code is made, without a
//! dominator tree (M. Braun and others, "Simple and efficient construction of static single assignment form", 2013).

use super::ins::Ins;
use super::{Block, Def, Function, Helper, Inst, Op, StackSlot, Target, Type, Value, Variable};

/// What is known of a block while code is made.
#[derive(Debug, Default)]
struct State {
    /// The blocks that lead to it so far, each once.
    before: Vec<Block>,
    /// Whether no more will.
    sealed: bool,
    /// Whether code was put into it.
    placed: bool,
    /// The variables that are to be settled once that is so, with the parameters that stand for them.
    waiting: Vec<(Variable, Value)>,
}

/// A parameter of a block that stands for a variable, until it is settled.
struct Join {
    block: Block,
    var: Variable,
    param: Value,
}

/// Builds a function.
#[derive(Debug, Default)]
pub struct FunctionBuilder {
    /// What there is of it so far.
    pub func: Function,
    at: Option<Block>,
    vars: Vec<Type>,
    /// What each variable is at the end of each block, as far as that is known: by variable, then block.
    known: Vec<Vec<Option<Value>>>,
    states: Vec<State>,
}

impl FunctionBuilder {
    /// The beginning of a function that takes one word: its first block, with it, which is sealed.
    pub fn new() -> (FunctionBuilder, Value) {
        let mut builder = FunctionBuilder::default();
        let entry = builder.create_block();
        builder.switch_to_block(entry);
        builder.seal_block(entry);
        let given = builder.func.append_param(entry, Type::I64);
        (builder, given)
    }

    /// Puts instructions where code is being made. Without a block they go to a new one, which nothing leads to.
    pub fn ins(&mut self) -> Ins<'_> {
        let at = self.here();
        Ins { func: &mut self.func, at }
    }

    fn here(&mut self) -> Block {
        match self.at {
            Some(block) => block,
            None => {
                let block = self.create_block();
                self.seal_block(block);
                self.switch_to_block(block);
                block
            }
        }
    }

    /// A new block.
    pub fn create_block(&mut self) -> Block {
        self.states.push(State::default());
        self.func.new_block()
    }

    /// What follows is put into this block.
    pub fn switch_to_block(&mut self, block: Block) {
        if !std::mem::replace(&mut self.states[block.index()].placed, true) {
            self.func.append_block(block);
        }
        self.at = Some(block);
    }

    /// The block that code is put into.
    pub fn current_block(&self) -> Option<Block> {
        self.at
    }

    /// Code seldom goes to a block.
    pub fn set_cold_block(&mut self, block: Block) {
        self.func.set_cold(block);
    }

    /// A new place on the stack, of so many bytes.
    pub fn create_stack_slot(&mut self, bytes: u32) -> StackSlot {
        self.func.new_slot(bytes)
    }

    // ---- ways

    /// Ends the block with an instruction that says where code goes on.
    fn end(&mut self, op: Op) -> Inst {
        let block = self.here();
        let inst = self.func.push(block, op);
        for to in self.func.op(inst).targets() {
            let before = &mut self.states[to.block.index()].before;
            if !before.contains(&block) {
                before.push(block);
            }
        }
        inst
    }

    /// Goes on in a block.
    pub fn jump(&mut self, to: Block, args: &[Value]) -> Inst {
        self.end(Op::Jump(Target { block: to, args: args.to_vec() }))
    }

    /// Goes on in the first block where a value is not 0, else in the second.
    pub fn brif(&mut self, cond: Value, yes: (Block, &[Value]), no: (Block, &[Value])) -> Inst {
        let [yes, no] = [yes, no].map(|(block, args)| Target { block, args: args.to_vec() });
        self.end(Op::Branch(cond, yes, no))
    }

    /// Goes on in the block with the number that a value is, in the last one where there is none.
    pub fn switch(&mut self, on: Value, cases: &[(u64, Block)], otherwise: Block) -> Inst {
        let to = |block| Target { block, args: Vec::new() };
        let cases = cases.iter().map(|(number, block)| (*number, to(*block))).collect();
        self.end(Op::Switch(on, cases, to(otherwise)))
    }

    /// Leaves the function.
    pub fn return_(&mut self, v: Value) -> Inst {
        self.end(Op::Return(v))
    }

    /// Calls a helper.
    pub fn call(&mut self, helper: Helper, args: &[Value]) -> Value {
        let block = self.here();
        self.func.push_value(block, Op::Call(helper, args.to_vec()))
    }

    // ---- variables

    /// A new variable.
    pub fn declare_var(&mut self, ty: Type) -> Variable {
        self.vars.push(ty);
        self.known.push(Vec::new());
        Variable::at(self.vars.len() - 1)
    }

    /// From here on, a variable is this value.
    pub fn def_var(&mut self, var: Variable, v: Value) {
        let block = self.here();
        self.note(var, block, v);
    }

    /// What a variable is here; 0 where it was never said.
    pub fn use_var(&mut self, var: Variable) -> Value {
        let (block, mut joins) = (self.here(), Vec::new());
        let v = self.at_end(var, block, &mut joins);
        self.settle(joins);
        self.func.resolve(v)
    }

    fn note(&mut self, var: Variable, block: Block, v: Value) {
        let row = &mut self.known[var.index()];
        if row.len() <= block.index() {
            row.resize(block.index() + 1, None);
        }
        row[block.index()] = Some(v);
    }

    /// What a variable is at the end of a block. Where several ways meet it becomes a parameter, to be settled.
    fn at_end(&mut self, var: Variable, block: Block, joins: &mut Vec<Join>) -> Value {
        let (mut at, mut path) = (block, Vec::new());
        let v = loop {
            if let Some(Some(v)) = self.known[var.index()].get(at.index()) {
                break *v;
            }
            path.push(at);
            let ty = self.vars[var.index()];
            let state = &mut self.states[at.index()];
            match state.before.as_slice() {
                // In a circle that nothing leads to, a variable is nothing.
                [only] if state.sealed && path.len() <= self.func.num_blocks() => at = *only,
                [_] | [] if state.sealed => break self.nothing(at, ty),
                _ => {
                    let param = self.func.new_value(ty, Def::Param);
                    match state.sealed {
                        true => joins.push(Join { block: at, var, param }),
                        false => state.waiting.push((var, param)),
                    }
                    break param;
                }
            }
        };
        path.into_iter().for_each(|block| self.note(var, block, v));
        v
    }

    /// A 0 at the beginning of a block.
    fn nothing(&mut self, block: Block, ty: Type) -> Value {
        let inst = self.func.push(block, Op::Imm(ty, 0));
        let insts = &mut self.func.blocks[block.index()].insts;
        insts.rotate_right(1);
        self.func.insts[inst.index()].result.unwrap_or(Value(0))
    }

    /// Gives parameters their arguments. One that is the same on all ways is that value, and no parameter.
    fn settle(&mut self, mut joins: Vec<Join>) {
        let (mut args, mut next): (Vec<Vec<Value>>, usize) = (Vec::new(), 0);
        while let Some(Join { block, var, .. }) = joins.get(next) {
            let (block, var) = (*block, *var);
            let before = self.states[block.index()].before.clone();
            args.push(before.into_iter().map(|block| self.at_end(var, block, &mut joins)).collect());
            next += 1;
        }
        let mut open: Vec<usize> = (0..joins.len()).rev().collect();
        loop {
            let left = open.len();
            open.retain(|i| {
                let Join { block, param, var } = joins[*i];
                let mut others = args[*i].iter().map(|v| self.func.resolve(*v)).filter(|v| *v != param);
                let same = match others.next() {
                    Some(first) => others.all(|v| v == first).then_some(first),
                    None => Some(self.nothing(block, self.vars[var.index()])),
                };
                if let Some(same) = same {
                    self.func.alias(param, same);
                }
                same.is_none()
            });
            if open.len() == left {
                break;
            }
        }
        for i in open.into_iter().rev() {
            let Join { block, param, .. } = joins[i];
            self.func.blocks[block.index()].params.push(param);
            for (before, v) in self.states[block.index()].before.iter().zip(&args[i]) {
                let last = self.func.blocks[before.index()].insts.last();
                let Some(last) = last else { continue };
                let targets = self.func.insts[last.index()].op.targets_mut();
                targets.filter(|to| to.block == block).for_each(|to| to.args.push(*v));
            }
        }
    }

    /// Nothing more leads to a block.
    pub fn seal_block(&mut self, block: Block) {
        let state = &mut self.states[block.index()];
        state.sealed = true;
        let waiting = std::mem::take(&mut state.waiting);
        self.settle(waiting.into_iter().map(|(var, param)| Join { block, var, param }).collect());
    }

    /// The function, without what nothing leads to.
    pub fn finish(mut self) -> Function {
        for block in 0..self.states.len() {
            if !self.states[block].sealed {
                self.seal_block(Block::at(block));
            }
        }
        self.func.resolve_all();
        let mut reached = vec![false; self.func.num_blocks()];
        let mut open: Vec<Block> = self.func.blocks().first().copied().into_iter().collect();
        while let Some(block) = open.pop() {
            if !std::mem::replace(&mut reached[block.index()], true) {
                open.extend(self.func.successors(block));
            }
        }
        let dropped = |block: &Block| !reached[block.index()];
        for block in self.func.layout.iter().copied().filter(dropped) {
            for inst in &self.func.blocks[block.index()].insts {
                self.func.insts[inst.index()].block = None;
            }
        }
        self.func.layout.retain(|block| reached[block.index()]);
        self.func
    }
}

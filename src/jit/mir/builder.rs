//! Builds functions block by block, converting variables to SSA values on the fly, without a dominator tree
//! (M. Braun and others, "Simple and efficient construction of static single assignment form", 2013).

use rustc_hash::FxHashMap as HashMap;

use super::ins::Ins;
use super::{Block, Def, Function, Helper, Inst, Op, StackSlot, Target, Type, Value, Variable};

/// The state of a block while a function is being built.
#[derive(Debug, Default)]
struct State {
    /// The predecessors so far, each once.
    predecessors: Vec<Block>,
    /// Whether all predecessors are known.
    sealed: bool,
    /// Whether the block is part of the function.
    placed: bool,
    /// The variables to resolve once the block is sealed, with the parameters that stand for them.
    unresolved: Vec<(Variable, Value)>,
}

/// A block parameter that stands for a variable until its arguments are known.
struct Join {
    block: Block,
    var: Variable,
    param: Value,
}

/// Builds a function.
#[derive(Debug, Default)]
pub struct FunctionBuilder {
    /// The function built so far.
    pub func: Function,
    at: Option<Block>,
    vars: Vec<Type>,
    /// The value of each variable at the end of each block, where known.
    known: HashMap<(Variable, Block), Value>,
    states: Vec<State>,
}

impl FunctionBuilder {
    /// Starts a function that takes one word; returns the word as well. The entry block is already sealed.
    pub fn new() -> (FunctionBuilder, Value) {
        let mut builder = FunctionBuilder::default();
        let entry = builder.create_block();
        builder.switch_to_block(entry);
        builder.seal_block(entry);
        let given = builder.func.append_param(entry, Type::I64);
        (builder, given)
    }

    /// Returns an inserter at the current block. Without one, instructions go to a new, unreachable block.
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

    /// Creates a block.
    pub fn create_block(&mut self) -> Block {
        self.states.push(State::default());
        self.func.new_block()
    }

    /// Continues in this block.
    pub fn switch_to_block(&mut self, block: Block) {
        if !std::mem::replace(&mut self.states[block.index()].placed, true) {
            self.func.append_block(block);
        }
        self.at = Some(block);
    }

    /// Marks a block as cold.
    pub fn set_cold_block(&mut self, block: Block) {
        self.func.set_cold(block);
    }

    /// Creates a stack slot of at least `bytes` bytes.
    pub fn create_stack_slot(&mut self, bytes: u32) -> StackSlot {
        self.func.new_slot(bytes)
    }

    // ---- control flow

    /// Ends the current block with a terminator.
    fn end(&mut self, op: Op) -> Inst {
        let block = self.here();
        let inst = self.func.push(block, op);
        for to in self.func.op(inst).targets() {
            let predecessors = &mut self.states[to.block.index()].predecessors;
            if !predecessors.contains(&block) {
                predecessors.push(block);
            }
        }
        inst
    }

    /// Jumps to a block.
    pub fn jump(&mut self, to: Block, args: &[Value]) -> Inst {
        self.end(Op::Jump(Target { block: to, args: args.to_vec() }))
    }

    /// Branches to the first block if a value is not 0, else to the second.
    pub fn brif(&mut self, cond: Value, yes: (Block, &[Value]), no: (Block, &[Value])) -> Inst {
        let [yes, no] = [yes, no].map(|(block, args)| Target { block, args: args.to_vec() });
        self.end(Op::Branch(cond, yes, no))
    }

    /// Jumps to the block of the case that equals a value, or to `otherwise` if there is none.
    pub fn switch(&mut self, on: Value, cases: &[(u64, Block)], otherwise: Block) -> Inst {
        let to = |block| Target { block, args: Vec::new() };
        let cases = cases.iter().map(|(number, block)| (*number, to(*block))).collect();
        self.end(Op::Switch(on, cases, to(otherwise)))
    }

    /// Returns from the function.
    pub fn return_(&mut self, v: Value) -> Inst {
        self.end(Op::Return(v))
    }

    /// Calls a runtime helper.
    pub fn call(&mut self, helper: Helper, args: &[Value]) -> Value {
        let block = self.here();
        self.func.push_value(block, Op::Call(helper, args.to_vec()))
    }

    // ---- variables

    /// Declares a variable.
    pub fn declare_var(&mut self, ty: Type) -> Variable {
        self.vars.push(ty);
        Variable::at(self.vars.len() - 1)
    }

    /// Defines the value of a variable from here on.
    pub fn def_var(&mut self, var: Variable, v: Value) {
        let block = self.here();
        self.record_def(var, block, v);
    }

    /// Returns the value of a variable here; 0 if it was never defined.
    pub fn use_var(&mut self, var: Variable) -> Value {
        let (block, mut joins) = (self.here(), Vec::new());
        let v = self.at_end(var, block, &mut joins);
        self.resolve_joins(joins);
        self.func.resolve(v)
    }

    fn record_def(&mut self, var: Variable, block: Block, v: Value) {
        self.known.insert((var, block), v);
    }

    /// Returns the value of a variable at the end of a block. Where several predecessors meet, creates a
    /// parameter, to be resolved later.
    fn at_end(&mut self, var: Variable, block: Block, joins: &mut Vec<Join>) -> Value {
        let (mut at, mut path) = (block, Vec::new());
        let v = loop {
            if let Some(v) = self.known.get(&(var, at)) {
                break *v;
            }
            path.push(at);
            let ty = self.vars[var.index()];
            let state = &mut self.states[at.index()];
            match state.predecessors.as_slice() {
                // In a cycle that is not reachable, a variable is undefined and reads as 0.
                [only] if state.sealed && path.len() <= self.func.num_blocks() => at = *only,
                [_] | [] if state.sealed => break self.insert_zero(at, ty),
                _ => {
                    let param = self.func.new_value(ty, Def::Param);
                    match state.sealed {
                        true => joins.push(Join { block: at, var, param }),
                        false => state.unresolved.push((var, param)),
                    }
                    break param;
                }
            }
        };
        path.into_iter().for_each(|block| self.record_def(var, block, v));
        v
    }

    /// Inserts a 0 at the beginning of a block.
    fn insert_zero(&mut self, block: Block, ty: Type) -> Value {
        let inst = self.func.push(block, Op::Imm(ty, 0));
        let insts = &mut self.func.blocks[block.index()].insts;
        insts.rotate_right(1);
        self.func.insts[inst.index()].result.unwrap_or(Value(0))
    }

    /// Gives parameters their arguments. A parameter whose arguments are all the same value becomes an alias
    /// of it.
    fn resolve_joins(&mut self, mut joins: Vec<Join>) {
        let (mut args, mut next): (Vec<Vec<Value>>, usize) = (Vec::new(), 0);
        while let Some(Join { block, var, .. }) = joins.get(next) {
            let (block, var) = (*block, *var);
            let predecessors = self.states[block.index()].predecessors.clone();
            args.push(predecessors.into_iter().map(|block| self.at_end(var, block, &mut joins)).collect());
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
                    None => Some(self.insert_zero(block, self.vars[var.index()])),
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
            for (predecessor, v) in self.states[block.index()].predecessors.iter().zip(&args[i]) {
                let last = self.func.blocks[predecessor.index()].insts.last();
                let Some(last) = last else { continue };
                let targets = self.func.insts[last.index()].op.targets_mut();
                targets.filter(|to| to.block == block).for_each(|to| to.args.push(*v));
            }
        }
    }

    /// Declares that a block gets no more predecessors.
    pub fn seal_block(&mut self, block: Block) {
        let state = &mut self.states[block.index()];
        state.sealed = true;
        let waiting = std::mem::take(&mut state.unresolved);
        self.resolve_joins(waiting.into_iter().map(|(var, param)| Join { block, var, param }).collect());
    }

    /// Returns the finished function without unreachable blocks.
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

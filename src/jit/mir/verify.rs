//! Verifies functions: blocks end in terminators, arguments match parameters, types match, definitions
//! dominate uses.

use super::flow::FlowGraph;
use super::text::name;
use super::{Block, Function, Op, Type, Value};

/// Checks a function; the error describes the first defect found.
pub fn verify(func: &Function) -> Result<(), String> {
    let flow = FlowGraph::new(func);
    let mut made_in: Vec<Option<(Block, usize)>> = vec![None; func.num_values()];
    for block in func.blocks() {
        let params = func.params(*block).iter().map(|v| (*v, 0));
        let results = func.insts(*block).iter().zip(1..);
        let results = results.flat_map(|(inst, place)| func.results(*inst).map(move |v| (v, place)));
        for (v, place) in params.chain(results) {
            if made_in[v.index()].replace((*block, place)).is_some() {
                return Err(format!("{} is made twice", name(v)));
            }
        }
    }
    for block in flow.order() {
        let insts = func.insts(*block);
        for (inst, place) in insts.iter().zip(1..) {
            let op = func.op(*inst);
            let wrong = |what: &str| Err(format!("in {block:?}: {what}: {op:?}"));
            if op.is_terminator() != (place == insts.len()) {
                return wrong("a block ends where it says where code goes on, and there alone");
            }
            if func.block_of(*inst) != Some(*block) {
                return wrong("an instruction stands where it does not know of");
            }
            for v in op.values() {
                let before = match made_in[v.index()] {
                    Some((own, at)) if own == *block => at < place,
                    Some((own, _)) => flow.dominates(own, *block),
                    None => false,
                };
                if !before {
                    return wrong(&format!("{} is used before it is made", name(v)));
                }
            }
            if !types_fit(func, op) {
                return wrong("the types do not fit");
            }
            for to in op.targets() {
                let params = func.params(to.block).iter();
                if !params.map(|v| func.ty(*v)).eq(to.args.iter().map(|v| func.ty(*v))) {
                    return wrong(&format!("the arguments do not fit the parameters of {:?}", to.block));
                }
            }
        }
        if insts.is_empty() {
            return Err(format!("{block:?} is empty"));
        }
    }
    Ok(())
}

/// Whether the operands of an instruction have types that it accepts.
fn types_fit(func: &Function, op: &Op) -> bool {
    let ty = |v: &Value| func.ty(*v);
    let word = |v: &Value| ty(v) == Type::I64;
    match op {
        Op::Imm(ty, n) => ty.lane().1 == 1 && ty.truncate(*n as u64) == *n as u64,
        Op::Unary(_, a) => ty(a).lane().1 == 1,
        Op::Binary(_, a, b) | Op::Compare(_, a, b) => ty(a) == ty(b),
        Op::Overflow(_, a, b) => word(a) && word(b),
        Op::Select(_, a, b) => ty(a) == ty(b),
        Op::Convert(op, to, a) => {
            use super::ConvertOp::*;
            let (from, to) = (ty(a), *to);
            match op {
                Uextend => from.lane().1 == 1 && to.lane().1 == 1 && from.bits() < to.bits(),
                Ireduce => from.lane().1 == 1 && to.lane().1 == 1 && from.bits() > to.bits(),
                Splat => to.lane().0 == from,
                UwidenLow | UwidenHigh => from == Type::I16X8 && to == Type::I32X4,
            }
        }
        Op::Load { ty, memory, at, .. } => {
            word(at) && ty.lane().1 == memory.lane().1 && ty.bits() >= memory.bits()
        }
        Op::Store { memory, value, at, .. } => {
            let value = ty(value);
            word(at) && value.lane().1 == memory.lane().1 && value.bits() >= memory.bits()
        }
        Op::Static(_) | Op::StackAddr(_) | Op::Jump(_) | Op::Branch(..) | Op::Switch(..) => true,
        Op::Call(_, args) => args.iter().all(word),
        Op::Return(v) => word(v),
    }
}

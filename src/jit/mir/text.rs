//! A stable text format for functions, in which values and blocks are numbered in order of appearance.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Block, Function, Op, Target, Value};

/// Returns a value's internal name, for use without a function.
pub fn name(v: Value) -> String {
    format!("{v:?}")
}

/// Formats a function.
pub fn write(func: &Function) -> String {
    let mut text = Text { func, values: BTreeMap::new(), blocks: BTreeMap::new(), statics: BTreeMap::new() };
    for block in func.blocks() {
        text.blocks.insert(*block, text.blocks.len());
        for inst in func.insts(*block) {
            if let Op::Static(address) = func.op(*inst) {
                let next = text.statics.len();
                text.statics.entry(*address).or_insert(next);
            }
        }
        let results = func.insts(*block).iter().flat_map(|inst| func.results(*inst));
        for v in func.params(*block).iter().copied().chain(results) {
            text.values.insert(v, text.values.len());
        }
    }
    let mut out = String::new();
    for (number, bytes) in func.slots().iter().enumerate() {
        _ = writeln!(out, "stack{number}: {bytes} bytes");
    }
    for block in func.blocks() {
        let params: Vec<String> = func
            .params(*block)
            .iter()
            .map(|v| format!("{}: {}", text.value(*v), func.ty(*v).name()))
            .collect();
        let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
        let cold = if func.is_cold(*block) { " cold" } else { "" };
        _ = writeln!(out, "{}{params}{cold}:", text.block(*block));
        for inst in func.insts(*block) {
            let results: Vec<String> = func.results(*inst).map(|v| text.value(v)).collect();
            let results =
                if results.is_empty() { String::new() } else { format!("{} = ", results.join(", ")) };
            _ = writeln!(out, "    {results}{}", text.op(func.op(*inst)));
        }
    }
    out
}

struct Text<'f> {
    func: &'f Function,
    values: BTreeMap<Value, usize>,
    blocks: BTreeMap<Block, usize>,
    /// Numbers static data by address, because addresses differ from run to run.
    statics: BTreeMap<i64, usize>,
}

impl Text<'_> {
    fn value(&self, v: Value) -> String {
        match self.values.get(&v) {
            Some(number) => format!("v{number}"),
            None => format!("unmade {}", name(v)),
        }
    }

    fn all(&self, values: &[Value]) -> String {
        values.iter().map(|v| self.value(*v)).collect::<Vec<_>>().join(", ")
    }

    fn block(&self, block: Block) -> String {
        match self.blocks.get(&block) {
            Some(number) => format!("block{number}"),
            None => format!("missing {block:?}"),
        }
    }

    fn target(&self, to: &Target) -> String {
        match to.args.is_empty() {
            true => self.block(to.block),
            false => format!("{}({})", self.block(to.block), self.all(&to.args)),
        }
    }

    fn op(&self, op: &Op) -> String {
        let place = |at: &Value, offset: i32| match offset {
            0 => self.value(*at),
            _ => format!("{}{offset:+}", self.value(*at)),
        };
        match op {
            Op::Imm(ty, n) => format!("{} {n}", ty.name()),
            Op::Static(address) => format!("address static{}", self.statics.get(address).unwrap_or(&0)),
            Op::Unary(op, a) => format!("{} {}", op.name(), self.value(*a)),
            Op::Convert(op, ty, a) => format!("{}.{} {}", op.name(), ty.name(), self.value(*a)),
            Op::Binary(op, a, b) => format!("{} {}", op.name(), self.all(&[*a, *b])),
            Op::Overflow(op, a, b) => format!("{} {}", op.name(), self.all(&[*a, *b])),
            Op::Compare(cc, a, b) => format!("icmp {} {}", cc.name(), self.all(&[*a, *b])),
            Op::Select(cond, a, b) => format!("select {}", self.all(&[*cond, *a, *b])),
            Op::Load { ty, memory, signed, at, offset } => {
                let how = match (ty == memory, signed) {
                    (true, _) => "load",
                    (_, false) => "uload",
                    (_, true) => "sload",
                };
                let from = if ty == memory { String::new() } else { format!(".{}", memory.name()) };
                format!("{how}{from}.{} {}", ty.name(), place(at, *offset))
            }
            Op::Store { memory, value, at, offset } => {
                let narrow = self.func.ty(*value) != *memory;
                let how = if narrow { format!("store.{}", memory.name()) } else { "store".to_string() };
                format!("{how} {}, {}", self.value(*value), place(at, *offset))
            }
            Op::StackAddr(slot) => format!("address {slot:?}"),
            Op::Call(helper, args) => format!("call {}({})", helper.name, self.all(args)),
            Op::Jump(to) => format!("jump {}", self.target(to)),
            Op::Branch(cond, yes, no) => {
                format!("branch {}, {}, {}", self.value(*cond), self.target(yes), self.target(no))
            }
            Op::Switch(on, cases, otherwise) => {
                let cases: Vec<String> =
                    cases.iter().map(|(number, to)| format!("{number}: {}", self.target(to))).collect();
                format!("switch {}, [{}], {}", self.value(*on), cases.join(", "), self.target(otherwise))
            }
            Op::Return(v) => format!("return {}", self.value(*v)),
        }
    }
}

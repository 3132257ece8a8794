//! Translates MIR to machine code with Cranelift, instruction by instruction. The only file that generates
//! code with that library.

use std::collections::BTreeMap;

use cranelift::codegen::ir::{BlockArg, FuncRef, MemFlagsData, StackSlotData, StackSlotKind, UserFuncName};
use cranelift::codegen::{Context, ir, settings};
use cranelift::frontend::Switch;
use cranelift::jit::{JITBuilder, JITModule};
use cranelift::module::{FuncId, Linkage, Module as _, default_libcall_names};
use cranelift::prelude::{AbiParam, Configurable, FunctionBuilder, FunctionBuilderContext, InstBuilder};

use crate::jit::mir::flow::reverse_postorder;
use crate::jit::mir::{
    BinaryOp, Block, ConvertOp, Function, Helper, Inst, IntCC, Op, OverflowOp, Target, Type, UnaryOp, Value,
};
use crate::jit::runtime::call::{CodeMemory, Entry};
use crate::jit::runtime::helpers::helpers;

/// Functions that become machine code together.
#[derive(Debug)]
pub struct Module {
    memory: CodeMemory,
    /// The helpers that code may call, by number.
    helpers: Vec<FuncId>,
}

impl Module {
    /// Creates a module for the host machine; `Err` if Cranelift does not support it.
    pub fn new() -> Result<Module, String> {
        let mut flags = settings::builder();
        let mut set = |name: &str, value: &str| flags.set(name, value).map_err(|e| e.to_string());
        set("opt_level", "speed")?;
        set("use_colocated_libcalls", "false")?;
        set("is_pic", "false")?;
        set("enable_verifier", "false")?;
        let isa = cranelift::native::builder().map_err(ToString::to_string)?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())?;
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        for (name, address, _) in helpers() {
            builder.symbol(name, address);
        }
        let mut module = JITModule::new(builder);
        let mut ids = Vec::new();
        for (name, _, params) in helpers() {
            let mut signature = module.make_signature();
            signature.params.extend((0..params).map(|_| AbiParam::new(ir::types::I64)));
            signature.returns.push(AbiParam::new(ir::types::I64));
            ids.push(module.declare_function(name, Linkage::Import, &signature).map_err(|e| e.to_string())?);
        }
        Ok(Module { memory: CodeMemory::new(module), helpers: ids })
    }

    /// Generates the code of a function.
    pub fn compile(&mut self, name: &str, func: &Function) -> Result<Entry, String> {
        let mut context = self.memory.module().make_context();
        context.func.signature.params.push(AbiParam::new(ir::types::I64));
        context.func.signature.returns.push(AbiParam::new(ir::types::I64));
        let signature = &context.func.signature;
        let declared = self.memory.module().declare_function(name, Linkage::Export, signature);
        let id = declared.map_err(|e| e.to_string())?;
        context.func.name = UserFuncName::user(0, id.as_u32());
        self.translate(func, &mut context);
        let module = self.memory.module();
        // By itself, Cranelift would verify the function again after each of its own passes.
        if cfg!(debug_assertions) {
            context.verify(module.isa()).map_err(|e| format!("{e:?}"))?;
        }
        module.define_function(id, &mut context).map_err(|e| format!("{e:?}"))?;
        module.finalize_definitions().map_err(|e| e.to_string())?;
        Ok(Entry::Machine(module.get_finalized_function(id)))
    }

    fn translate(&mut self, func: &Function, context: &mut Context) {
        let mut builder_context = FunctionBuilderContext::new();
        let mut b = FunctionBuilder::new(&mut context.func, &mut builder_context);
        let order = reverse_postorder(func);
        let slots = func.slots().iter().map(|bytes| {
            b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, *bytes, 3))
        });
        let slots = slots.collect();
        let nothing = ir::Value::from_u32(0);
        let mut blocks = vec![None; func.num_blocks()];
        let mut values = vec![nothing; func.num_values()];
        for block in &order {
            let own = b.create_block();
            blocks[block.index()] = Some(own);
            for param in func.params(*block) {
                values[param.index()] = b.append_block_param(own, of_type(func.ty(*param)));
            }
            if func.is_cold(*block) {
                b.set_cold_block(own);
            }
        }
        let mut translation = Translation { func, blocks, values, slots, b, helpers: BTreeMap::new() };
        // In reverse postorder, values are defined before the blocks that use them.
        for block in &order {
            let own = translation.block(*block);
            translation.b.switch_to_block(own);
            for inst in func.insts(*block) {
                self.translate_inst(&mut translation, *inst);
            }
        }
        translation.b.seal_all_blocks();
        translation.b.finalize(self.memory.module().target_config());
    }

    fn translate_inst(&mut self, t: &mut Translation, inst: Inst) {
        let func = t.func;
        let result = match func.op(inst) {
            Op::Imm(ty, n) => t.b.ins().iconst(of_type(*ty), *n),
            Op::Static(address) => t.b.ins().iconst(ir::types::I64, *address),
            Op::Unary(op, a) => {
                let a = t.value(*a);
                match op {
                    UnaryOp::Ineg => t.b.ins().ineg(a),
                    UnaryOp::Bnot => t.b.ins().bnot(a),
                    UnaryOp::Popcnt => t.b.ins().popcnt(a),
                    UnaryOp::Ctz => t.b.ins().ctz(a),
                    UnaryOp::Clz => t.b.ins().clz(a),
                    UnaryOp::Iabs => t.b.ins().iabs(a),
                }
            }
            Op::Convert(op, ty, a) => {
                let (ty, a) = (of_type(*ty), t.value(*a));
                match op {
                    ConvertOp::Uextend => t.b.ins().uextend(ty, a),
                    ConvertOp::Ireduce => t.b.ins().ireduce(ty, a),
                    ConvertOp::Splat => t.b.ins().splat(ty, a),
                    ConvertOp::UwidenLow => t.b.ins().uwiden_low(a),
                    ConvertOp::UwidenHigh => t.b.ins().uwiden_high(a),
                }
            }
            Op::Binary(op, a, b) => t.binary(*op, *a, *b),
            Op::Overflow(op, a, b) => {
                let (a, b) = (t.value(*a), t.value(*b));
                let (result, overflowed) = match op {
                    OverflowOp::Sadd => t.b.ins().sadd_overflow(a, b),
                    OverflowOp::Ssub => t.b.ins().ssub_overflow(a, b),
                    OverflowOp::Smul => t.b.ins().smul_overflow(a, b),
                };
                for (v, is) in func.results(inst).zip([result, overflowed]) {
                    t.values[v.index()] = is;
                }
                return;
            }
            Op::Compare(cc, a, b) => {
                let (a, b) = (t.value(*a), t.value(*b));
                t.b.ins().icmp(of_cc(*cc), a, b)
            }
            Op::Select(cond, a, b) => {
                let [cond, a, b] = [*cond, *a, *b].map(|v| t.value(v));
                t.b.ins().select(cond, a, b)
            }
            Op::Load { ty, memory, signed, at, offset } => t.load((*ty, *memory, *signed), *at, *offset),
            Op::Store { memory, value, at, offset } => return t.store(*memory, *value, *at, *offset),
            Op::StackAddr(slot) => {
                let slot = t.slots[slot.index()];
                t.b.ins().stack_addr(ir::types::I64, slot, 0)
            }
            Op::Call(helper, args) => {
                let args: Vec<ir::Value> = args.iter().map(|v| t.value(*v)).collect();
                let function = self.helper(t, *helper);
                let call = t.b.ins().call(function, &args);
                t.b.inst_results(call)[0]
            }
            Op::Jump(to) => {
                let args = t.args(to);
                let to = t.block(to.block);
                t.b.ins().jump(to, &args);
                return;
            }
            Op::Branch(cond, yes, no) => {
                let cond = t.value(*cond);
                let (yes_args, no_args) = (t.args(yes), t.args(no));
                let (yes, no) = (t.block(yes.block), t.block(no.block));
                t.b.ins().brif(cond, yes, &yes_args, no, &no_args);
                return;
            }
            Op::Switch(on, cases, otherwise) => return t.switch(*on, cases, otherwise),
            Op::Return(v) => {
                let v = t.value(*v);
                t.b.ins().return_(&[v]);
                return;
            }
        };
        for v in func.results(inst) {
            t.values[v.index()] = result;
        }
    }

    fn helper(&mut self, t: &mut Translation, helper: Helper) -> FuncRef {
        let id = self.helpers[helper.number];
        let module = self.memory.module();
        *t.helpers.entry(helper).or_insert_with(|| module.declare_func_in_func(id, t.b.func))
    }
}

/// The state of translating one function.
struct Translation<'t> {
    func: &'t Function,
    blocks: Vec<Option<ir::Block>>,
    values: Vec<ir::Value>,
    slots: Vec<ir::StackSlot>,
    helpers: BTreeMap<Helper, FuncRef>,
    b: FunctionBuilder<'t>,
}

impl Translation<'_> {
    fn value(&self, v: Value) -> ir::Value {
        self.values[v.index()]
    }

    fn block(&mut self, block: Block) -> ir::Block {
        // Every block that is reached has been created already.
        *self.blocks[block.index()].get_or_insert_with(|| self.b.create_block())
    }

    fn args(&self, to: &Target) -> Vec<BlockArg> {
        to.args.iter().map(|v| BlockArg::Value(self.value(*v))).collect()
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> ir::Value {
        let (a, b) = (self.value(a), self.value(b));
        let ins = self.b.ins();
        match op {
            BinaryOp::Iadd => ins.iadd(a, b),
            BinaryOp::Isub => ins.isub(a, b),
            BinaryOp::Imul => ins.imul(a, b),
            BinaryOp::Umulhi => ins.umulhi(a, b),
            BinaryOp::Udiv => ins.udiv(a, b),
            BinaryOp::Sdiv => ins.sdiv(a, b),
            BinaryOp::Urem => ins.urem(a, b),
            BinaryOp::Srem => ins.srem(a, b),
            BinaryOp::Band => ins.band(a, b),
            BinaryOp::Bor => ins.bor(a, b),
            BinaryOp::Bxor => ins.bxor(a, b),
            BinaryOp::Ishl => ins.ishl(a, b),
            BinaryOp::Ushr => ins.ushr(a, b),
            BinaryOp::Rotl => ins.rotl(a, b),
            BinaryOp::Smax => ins.smax(a, b),
            BinaryOp::Smin => ins.smin(a, b),
            BinaryOp::Umax => ins.umax(a, b),
            BinaryOp::Umin => ins.umin(a, b),
        }
    }

    fn load(&mut self, (ty, memory, signed): (Type, Type, bool), at: Value, offset: i32) -> ir::Value {
        let (at, flags, to) = (self.value(at), flags(ty), of_type(ty));
        let ins = self.b.ins();
        match (memory, signed) {
            _ if ty == memory => ins.load(to, flags, at, offset),
            (Type::I8, false) => ins.uload8(to, flags, at, offset),
            (Type::I8, true) => ins.sload8(to, flags, at, offset),
            (Type::I16, false) => ins.uload16(to, flags, at, offset),
            (Type::I16, true) => ins.sload16(to, flags, at, offset),
            (Type::I32, true) => ins.sload32(flags, at, offset),
            (Type::I8X8, _) => ins.uload8x8(flags, at, offset),
            _ => ins.uload32(flags, at, offset),
        }
    }

    fn store(&mut self, memory: Type, value: Value, at: Value, offset: i32) {
        let (flags, whole) = (flags(memory), self.func.ty(value) == memory);
        let (value, at) = (self.value(value), self.value(at));
        let ins = self.b.ins();
        match memory {
            Type::I8 if !whole => ins.istore8(flags, value, at, offset),
            Type::I16 if !whole => ins.istore16(flags, value, at, offset),
            Type::I32 if !whole => ins.istore32(flags, value, at, offset),
            _ => ins.store(flags, value, at, offset),
        };
    }

    /// Emits a jump table or a search. A case with arguments jumps through a block of its own.
    fn switch(&mut self, on: Value, cases: &[(u64, Target)], otherwise: &Target) {
        let (mut switch, mut passing) = (Switch::new(), Vec::new());
        let mut target_block = |this: &mut Self, to: &Target| match to.args.is_empty() {
            true => this.block(to.block),
            false => {
                let block = this.b.create_block();
                passing.push((block, to.clone()));
                block
            }
        };
        for (number, to) in cases {
            let block = target_block(self, to);
            switch.set_entry(u128::from(*number), block);
        }
        let last = target_block(self, otherwise);
        let on = self.value(on);
        switch.emit(&mut self.b, on, last);
        for (block, to) in passing {
            self.b.switch_to_block(block);
            let args = self.args(&to);
            let to = self.block(to.block);
            self.b.ins().jump(to, &args);
        }
    }
}

/// Returns the flags of a memory access: it never traps, but only scalars are known to be aligned.
fn flags(ty: Type) -> MemFlagsData {
    match ty.lane().1 {
        1 => MemFlagsData::trusted(),
        _ => MemFlagsData::new().with_notrap(),
    }
}

fn of_type(ty: Type) -> ir::Type {
    match ty {
        Type::I8 => ir::types::I8,
        Type::I16 => ir::types::I16,
        Type::I32 => ir::types::I32,
        Type::I64 => ir::types::I64,
        Type::I8X8 => ir::types::I8X8,
        Type::I16X8 => ir::types::I16X8,
        Type::I32X4 => ir::types::I32X4,
    }
}

fn of_cc(cc: IntCC) -> ir::condcodes::IntCC {
    use ir::condcodes::IntCC as Of;
    match cc {
        IntCC::Equal => Of::Equal,
        IntCC::NotEqual => Of::NotEqual,
        IntCC::SignedLessThan => Of::SignedLessThan,
        IntCC::SignedLessThanOrEqual => Of::SignedLessThanOrEqual,
        IntCC::SignedGreaterThan => Of::SignedGreaterThan,
        IntCC::SignedGreaterThanOrEqual => Of::SignedGreaterThanOrEqual,
        IntCC::UnsignedLessThan => Of::UnsignedLessThan,
        IntCC::UnsignedLessThanOrEqual => Of::UnsignedLessThanOrEqual,
        IntCC::UnsignedGreaterThan => Of::UnsignedGreaterThan,
        IntCC::UnsignedGreaterThanOrEqual => Of::UnsignedGreaterThanOrEqual,
    }
}

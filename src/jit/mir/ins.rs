//! Instruction constructors: each method appends one instruction, or two if a number stands for an operand.

use super::{BinaryOp, Block, ConvertOp, Function, IntCC, Op, OverflowOp, StackSlot, Type, UnaryOp, Value};

/// Appends instructions to a block.
pub struct Ins<'f> {
    /// The function.
    pub func: &'f mut Function,
    /// The block.
    pub at: Block,
}

/// Defines methods for unary and binary operators, and for binary ones whose second operand is a
/// sign-extended number.
macro_rules! methods {
    (
        unary: $($unary:ident $un:ident),*;
        binary: $($binary:ident $bin:ident),*;
        number: $($number:ident $num:ident),*;
    ) => {
        $(
            #[doc = concat!("See [`UnaryOp::", stringify!($un), "`].")]
            pub fn $unary(self, a: Value) -> Value {
                self.value(Op::Unary(UnaryOp::$un, a))
            }
        )*
        $(
            #[doc = concat!("See [`BinaryOp::", stringify!($bin), "`].")]
            pub fn $binary(self, a: Value, b: Value) -> Value {
                self.value(Op::Binary(BinaryOp::$bin, a, b))
            }
        )*
        $(
            #[doc = concat!("See [`BinaryOp::", stringify!($num), "`].")]
            pub fn $number(mut self, a: Value, n: i64) -> Value {
                let b = self.like(a, n);
                self.value(Op::Binary(BinaryOp::$num, a, b))
            }
        )*
    };
}

impl Ins<'_> {
    methods! {
        unary: ineg Ineg, bnot Bnot, popcnt Popcnt, ctz Ctz, clz Clz, iabs Iabs;
        binary: iadd Iadd, isub Isub, imul Imul, umulhi Umulhi, udiv Udiv, sdiv Sdiv, urem Urem, srem Srem,
            band Band, bor Bor, bxor Bxor, ishl Ishl, ushr Ushr, smax Smax, smin Smin, umax Umax, umin Umin;
        number: iadd_imm_s Iadd, imul_imm_s Imul, udiv_imm_s Udiv, urem_imm_s Urem, band_imm_s Band,
            bor_imm_s Bor, bxor_imm_s Bxor, ishl_imm_s Ishl, ushr_imm_s Ushr, rotl_imm_s Rotl;
    }

    fn value(self, op: Op) -> Value {
        self.func.push_value(self.at, op)
    }

    /// Appends a constant of the same type as a value.
    fn like(&mut self, a: Value, n: i64) -> Value {
        let ty = self.func.ty(a);
        self.func.push_value(self.at, Op::Imm(ty, ty.truncate(n as u64) as i64))
    }

    /// Appends a constant.
    pub fn iconst(self, ty: Type, n: i64) -> Value {
        self.value(Op::Imm(ty, ty.truncate(n as u64) as i64))
    }

    /// Appends the address of static data.
    pub fn static_addr(self, address: i64) -> Value {
        self.value(Op::Static(address))
    }

    /// Appends `a & !b`.
    pub fn band_not(self, a: Value, b: Value) -> Value {
        let b = self.func.push_value(self.at, Op::Unary(UnaryOp::Bnot, b));
        self.value(Op::Binary(BinaryOp::Band, a, b))
    }

    /// Compares two values.
    pub fn icmp(self, cc: IntCC, a: Value, b: Value) -> Value {
        self.value(Op::Compare(cc, a, b))
    }

    /// Compares a value with a constant.
    pub fn icmp_imm_s(mut self, cc: IntCC, a: Value, n: i64) -> Value {
        let b = self.like(a, n);
        self.icmp(cc, a, b)
    }

    /// Selects the first value if a condition is not 0, else the second.
    pub fn select(self, cond: Value, a: Value, b: Value) -> Value {
        self.value(Op::Select(cond, a, b))
    }

    // ---- conversions

    /// See [`ConvertOp::Uextend`].
    pub fn uextend(self, ty: Type, a: Value) -> Value {
        self.value(Op::Convert(ConvertOp::Uextend, ty, a))
    }

    /// See [`ConvertOp::Ireduce`].
    pub fn ireduce(self, ty: Type, a: Value) -> Value {
        self.value(Op::Convert(ConvertOp::Ireduce, ty, a))
    }

    /// See [`ConvertOp::Splat`].
    pub fn splat(self, ty: Type, a: Value) -> Value {
        self.value(Op::Convert(ConvertOp::Splat, ty, a))
    }

    /// See [`ConvertOp::UwidenLow`].
    pub fn uwiden_low(self, a: Value) -> Value {
        self.value(Op::Convert(ConvertOp::UwidenLow, Type::I32X4, a))
    }

    /// See [`ConvertOp::UwidenHigh`].
    pub fn uwiden_high(self, a: Value) -> Value {
        self.value(Op::Convert(ConvertOp::UwidenHigh, Type::I32X4, a))
    }

    // ---- overflow checks

    /// See [`OverflowOp::Sadd`].
    pub fn sadd_overflow(self, a: Value, b: Value) -> (Value, Value) {
        self.overflow(OverflowOp::Sadd, a, b)
    }

    /// See [`OverflowOp::Ssub`].
    pub fn ssub_overflow(self, a: Value, b: Value) -> (Value, Value) {
        self.overflow(OverflowOp::Ssub, a, b)
    }

    /// See [`OverflowOp::Smul`].
    pub fn smul_overflow(self, a: Value, b: Value) -> (Value, Value) {
        self.overflow(OverflowOp::Smul, a, b)
    }

    fn overflow(self, op: OverflowOp, a: Value, b: Value) -> (Value, Value) {
        let made = self.value(Op::Overflow(op, a, b));
        (made, Value(made.0 + 1))
    }

    // ---- memory

    /// Loads a value of this type.
    pub fn load(self, ty: Type, at: Value, offset: i32) -> Value {
        self.value(Op::Load { ty, memory: ty, signed: false, at, offset })
    }

    /// Loads a value narrower than a word and zero-extends it.
    pub fn load_unsigned(self, memory: Type, at: Value, offset: i32) -> Value {
        self.value(Op::Load { ty: Type::I64, memory, signed: false, at, offset })
    }

    /// Loads a value narrower than a word and sign-extends it.
    pub fn load_signed(self, memory: Type, at: Value, offset: i32) -> Value {
        self.value(Op::Load { ty: Type::I64, memory, signed: true, at, offset })
    }

    /// Loads eight bytes and zero-extends each to a lane.
    pub fn uload8x8(self, at: Value, offset: i32) -> Value {
        self.value(Op::Load { ty: Type::I16X8, memory: Type::I8X8, signed: false, at, offset })
    }

    /// Stores a value.
    pub fn store(self, value: Value, at: Value, offset: i32) {
        let memory = self.func.ty(value);
        self.store_low(memory, value, at, offset);
    }

    /// Stores the lowest bytes of a word.
    pub fn store_low(self, memory: Type, value: Value, at: Value, offset: i32) {
        self.func.push(self.at, Op::Store { memory, value, at, offset });
    }

    /// Appends the address of a stack slot.
    pub fn stack_addr(self, slot: StackSlot) -> Value {
        self.value(Op::StackAddr(slot))
    }
}

//! The types of the mid-level IR and the semantics of its operators.
//!
//! A value of a type is represented by its bits, zero-extended to a word. The semantics of operators are
//! defined only here; the interpreter and constant folding use them.

/// The type of a value, in registers or in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// A byte.
    I8,
    /// Two bytes.
    I16,
    /// Four bytes.
    I32,
    /// A word, of eight bytes.
    I64,
    /// A vector of eight bytes; in memory only.
    I8X8,
    /// A vector of eight two-byte numbers.
    I16X8,
    /// A vector of four four-byte numbers.
    I32X4,
}

/// Short names for the types.
pub mod types {
    pub use super::Type::*;
}

impl Type {
    /// Returns the size in bytes.
    pub fn bytes(self) -> u32 {
        self.lane().1 * self.bits() / 8
    }

    /// Returns the number of bits; for vectors, of one lane.
    pub fn bits(self) -> u32 {
        match self.lane().0 {
            Type::I8 => 8,
            Type::I16 => 16,
            Type::I32 => 32,
            _ => 64,
        }
    }

    /// Returns the type of a lane and the number of lanes.
    pub fn lane(self) -> (Type, u32) {
        match self {
            Type::I8X8 => (Type::I8, 8),
            Type::I16X8 => (Type::I16, 8),
            Type::I32X4 => (Type::I32, 4),
            single => (single, 1),
        }
    }

    /// Truncates a number to the bits of this type.
    pub fn truncate(self, n: u64) -> u64 {
        n & u64::MAX >> (64 - self.bits())
    }

    /// Sign-extends a number of this type.
    pub fn signed(self, n: u64) -> i64 {
        let high = 64 - self.bits();
        ((n << high) as i64) >> high
    }

    /// Returns the name of the type in the text format.
    pub fn name(self) -> &'static str {
        match self {
            Type::I8 => "i8",
            Type::I16 => "i16",
            Type::I32 => "i32",
            Type::I64 => "i64",
            Type::I8X8 => "i8x8",
            Type::I16X8 => "i16x8",
            Type::I32X4 => "i32x4",
        }
    }
}

/// Defines an enumeration of operators, each with its name in the text format.
macro_rules! operators {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $op:ident = $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $op,)* }

        impl $name {
            /// All operators.
            #[cfg(test)]
            pub const ALL: &[$name] = &[$($name::$op,)*];

            /// Returns the name in the text format.
            pub fn name(self) -> &'static str {
                match self { $($name::$op => $text,)* }
            }
        }
    };
}

operators! {
    /// Operators on one number, with a result of the same type.
    UnaryOp {
        /// Negation.
        Ineg = "ineg",
        /// Bitwise complement.
        Bnot = "bnot",
        /// The number of set bits.
        Popcnt = "popcnt",
        /// The number of trailing zeros; the width of the type for 0.
        Ctz = "ctz",
        /// The number of leading zeros; the width of the type for 0.
        Clz = "clz",
        /// The absolute value.
        Iabs = "iabs",
    }
}

operators! {
    /// Conversions from one type to another.
    ConvertOp {
        /// Zero-extension to a wider type.
        Uextend = "uextend",
        /// Truncation to a narrower type.
        Ireduce = "ireduce",
        /// A vector with the number in every lane.
        Splat = "splat",
        /// The lower half of the lanes, each zero-extended to twice its width.
        UwidenLow = "uwiden_low",
        /// The upper half of the lanes, each zero-extended to twice its width.
        UwidenHigh = "uwiden_high",
    }
}

operators! {
    /// Operators on two numbers of one type, with a wrapping result of that type. Shift counts are taken
    /// modulo the width.
    BinaryOp {
        /// Sum.
        Iadd = "iadd",
        /// Difference.
        Isub = "isub",
        /// Product.
        Imul = "imul",
        /// The upper half of the unsigned product.
        Umulhi = "umulhi",
        /// The unsigned quotient; the divisor must not be 0.
        Udiv = "udiv",
        /// The signed quotient, rounded towards 0; the divisor must not be 0.
        Sdiv = "sdiv",
        /// The unsigned remainder; the divisor must not be 0.
        Urem = "urem",
        /// The signed remainder, with the sign of the dividend; the divisor must not be 0.
        Srem = "srem",
        /// Bitwise and.
        Band = "band",
        /// Bitwise or.
        Bor = "bor",
        /// Bitwise exclusive or.
        Bxor = "bxor",
        /// Left shift.
        Ishl = "ishl",
        /// Logical right shift.
        Ushr = "ushr",
        /// Left rotation.
        Rotl = "rotl",
        /// The signed maximum.
        Smax = "smax",
        /// The signed minimum.
        Smin = "smin",
        /// The unsigned maximum.
        Umax = "umax",
        /// The unsigned minimum.
        Umin = "umin",
    }
}

operators! {
    /// Operators on two signed words that return the wrapped result and whether it overflowed (a byte).
    OverflowOp {
        /// Sum.
        Sadd = "sadd_overflow",
        /// Difference.
        Ssub = "ssub_overflow",
        /// Product.
        Smul = "smul_overflow",
    }
}

operators! {
    /// Comparisons of two numbers.
    IntCC {
        /// Equal.
        Equal = "eq",
        /// Not equal.
        NotEqual = "ne",
        /// Signed less than.
        SignedLessThan = "slt",
        /// Signed less than or equal.
        SignedLessThanOrEqual = "sle",
        /// Signed greater than.
        SignedGreaterThan = "sgt",
        /// Signed greater than or equal.
        SignedGreaterThanOrEqual = "sge",
        /// Unsigned less than.
        UnsignedLessThan = "ult",
        /// Unsigned less than or equal.
        UnsignedLessThanOrEqual = "ule",
        /// Unsigned greater than.
        UnsignedGreaterThan = "ugt",
        /// Unsigned greater than or equal.
        UnsignedGreaterThanOrEqual = "uge",
    }
}

impl UnaryOp {
    /// Evaluates the operator.
    pub fn of(self, ty: Type, n: u64) -> u64 {
        let spare = 64 - ty.bits();
        ty.truncate(match self {
            UnaryOp::Ineg => n.wrapping_neg(),
            UnaryOp::Bnot => !n,
            UnaryOp::Popcnt => u64::from(n.count_ones()),
            UnaryOp::Ctz => u64::from(n.trailing_zeros().min(ty.bits())),
            UnaryOp::Clz => u64::from(n.leading_zeros() - spare),
            UnaryOp::Iabs => ty.signed(n).unsigned_abs(),
        })
    }
}

impl BinaryOp {
    /// Evaluates the operator; `None` where a quotient or remainder is undefined.
    pub fn of(self, ty: Type, a: u64, b: u64) -> Option<u64> {
        let (x, y) = (ty.signed(a), ty.signed(b));
        let by = (b % u64::from(ty.bits())) as u32;
        Some(ty.truncate(match self {
            BinaryOp::Iadd => a.wrapping_add(b),
            BinaryOp::Isub => a.wrapping_sub(b),
            BinaryOp::Imul => a.wrapping_mul(b),
            BinaryOp::Umulhi => ((u128::from(a) * u128::from(b)) >> ty.bits()) as u64,
            BinaryOp::Udiv => a.checked_div(b)?,
            BinaryOp::Sdiv => x.checked_div(y)? as u64,
            BinaryOp::Urem => a.checked_rem(b)?,
            BinaryOp::Srem if y == 0 => return None,
            BinaryOp::Srem => x.wrapping_rem(y) as u64,
            BinaryOp::Band => a & b,
            BinaryOp::Bor => a | b,
            BinaryOp::Bxor => a ^ b,
            BinaryOp::Ishl => a << by,
            BinaryOp::Ushr => a >> by,
            BinaryOp::Rotl if by == 0 => a,
            BinaryOp::Rotl => a << by | a >> (ty.bits() - by),
            BinaryOp::Smax => x.max(y) as u64,
            BinaryOp::Smin => x.min(y) as u64,
            BinaryOp::Umax => a.max(b),
            BinaryOp::Umin => a.min(b),
        }))
    }

    /// Whether it can trap.
    #[cfg(test)]
    pub fn may_trap(self) -> bool {
        matches!(self, BinaryOp::Udiv | BinaryOp::Sdiv | BinaryOp::Urem | BinaryOp::Srem)
    }
}

impl OverflowOp {
    /// Evaluates the operator and returns whether the result wrapped around.
    pub fn of(self, a: i64, b: i64) -> (i64, bool) {
        match self {
            OverflowOp::Sadd => a.overflowing_add(b),
            OverflowOp::Ssub => a.overflowing_sub(b),
            OverflowOp::Smul => a.overflowing_mul(b),
        }
    }
}

impl IntCC {
    /// Evaluates the comparison.
    pub fn holds(self, ty: Type, a: u64, b: u64) -> bool {
        let (x, y) = (ty.signed(a), ty.signed(b));
        match self {
            IntCC::Equal => a == b,
            IntCC::NotEqual => a != b,
            IntCC::SignedLessThan => x < y,
            IntCC::SignedLessThanOrEqual => x <= y,
            IntCC::SignedGreaterThan => x > y,
            IntCC::SignedGreaterThanOrEqual => x >= y,
            IntCC::UnsignedLessThan => a < b,
            IntCC::UnsignedLessThanOrEqual => a <= b,
            IntCC::UnsignedGreaterThan => a > b,
            IntCC::UnsignedGreaterThanOrEqual => a >= b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The extreme values of each type and some in between.
    const NUMBERS: [u64; 9] = [0, 1, 2, 63, 127, 128, 255, i64::MAX as u64, u64::MAX];

    #[test]
    fn names_tell_operators_apart() {
        let mut names: Vec<&str> = BinaryOp::ALL.iter().map(|op| op.name()).collect();
        names.extend(UnaryOp::ALL.iter().map(|op| op.name()));
        names.extend(ConvertOp::ALL.iter().map(|op| op.name()));
        names.extend(OverflowOp::ALL.iter().map(|op| op.name()));
        names.extend(IntCC::ALL.iter().map(|cc| cc.name()));
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn numbers_stay_within_their_type() {
        for ty in [Type::I8, Type::I16, Type::I32, Type::I64] {
            for (a, b) in NUMBERS.iter().flat_map(|a| NUMBERS.map(|b| (ty.truncate(*a), ty.truncate(b)))) {
                for op in BinaryOp::ALL {
                    let made = op.of(ty, a, b);
                    assert!(made.is_none_or(|n| ty.truncate(n) == n), "{op:?} {a} {b}");
                    assert!(made.is_some() || op.may_trap(), "{op:?} {a} {b}");
                }
                for op in UnaryOp::ALL {
                    let made = op.of(ty, a);
                    assert_eq!(ty.truncate(made), made, "{op:?} {a}");
                }
            }
        }
        assert_eq!(UnaryOp::Clz.of(Type::I8, 1), 7);
        assert_eq!(UnaryOp::Ctz.of(Type::I16, 0), 16);
        assert_eq!(BinaryOp::Rotl.of(Type::I8, 0x81, 9), Some(3));
        assert_eq!(BinaryOp::Umulhi.of(Type::I64, u64::MAX, 4), Some(3));
        assert_eq!(BinaryOp::Srem.of(Type::I64, i64::MIN as u64, u64::MAX), Some(0));
    }
}

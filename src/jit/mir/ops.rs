//! The types of the middle language, and what its operators make of numbers.
//!
//! A number of a type is its bits, without sign, in the low bits of a word. What operators make of numbers is said here
//! once; the interpreter, constant folding and if-conversion all ask here.

/// The type of a value, or of what lies in memory.
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
    /// Eight bytes side by side; in memory only.
    I8X8,
    /// Eight numbers of two bytes side by side.
    I16X8,
    /// Four numbers of four bytes side by side.
    I32X4,
}

/// The types by short names.
pub mod types {
    pub use super::Type::*;
}

impl Type {
    /// How many bytes it has.
    pub fn bytes(self) -> u32 {
        self.lane().1 * self.bits() / 8
    }

    /// How many bits it has; of numbers side by side, one of them.
    pub fn bits(self) -> u32 {
        match self.lane().0 {
            Type::I8 => 8,
            Type::I16 => 16,
            Type::I32 => 32,
            _ => 64,
        }
    }

    /// The type of one number, and how many stand side by side.
    pub fn lane(self) -> (Type, u32) {
        match self {
            Type::I8X8 => (Type::I8, 8),
            Type::I16X8 => (Type::I16, 8),
            Type::I32X4 => (Type::I32, 4),
            single => (single, 1),
        }
    }

    /// The bits of a number of this type; the others are cut off.
    pub fn cut(self, n: u64) -> u64 {
        n & u64::MAX >> (64 - self.bits())
    }

    /// The number with its sign.
    pub fn signed(self, n: u64) -> i64 {
        let high = 64 - self.bits();
        ((n << high) as i64) >> high
    }

    /// The type's name in text.
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

/// An enumeration of operators, each with its name in text.
macro_rules! operators {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $op:ident = $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $op,)* }

        impl $name {
            /// All of them.
            #[cfg(test)]
            pub const ALL: &[$name] = &[$($name::$op,)*];

            /// Its name in text.
            pub fn name(self) -> &'static str {
                match self { $($name::$op => $text,)* }
            }
        }
    };
}

operators! {
    /// What is made of one number, of the same type.
    UnaryOp {
        /// Its negative.
        Ineg = "ineg",
        /// Each bit turned over.
        Bnot = "bnot",
        /// How many bits are set.
        Popcnt = "popcnt",
        /// How many bits lie below the lowest that is set; all of none.
        Ctz = "ctz",
        /// How many bits lie above the highest that is set; all of none.
        Clz = "clz",
        /// Its distance from 0.
        Iabs = "iabs",
    }
}

operators! {
    /// From one type to another.
    ConvertOp {
        /// To a wider type, without sign.
        Uextend = "uextend",
        /// To a wider type, with its sign.
        Sextend = "sextend",
        /// To a narrower type.
        Ireduce = "ireduce",
        /// A number in every lane.
        Splat = "splat",
        /// The lower half of the lanes, each twice as wide, without sign.
        UwidenLow = "uwiden_low",
        /// The upper half of them.
        UwidenHigh = "uwiden_high",
    }
}

operators! {
    /// What is made of two numbers of one type, of that type; numbers wrap around. A shift takes its count modulo the bits.
    BinaryOp {
        /// Sum.
        Iadd = "iadd",
        /// Difference.
        Isub = "isub",
        /// Product.
        Imul = "imul",
        /// The upper half of the product, without sign.
        Umulhi = "umulhi",
        /// Quotient without sign; not of 0.
        Udiv = "udiv",
        /// Quotient with sign, towards 0; not of 0.
        Sdiv = "sdiv",
        /// What is left of that without sign.
        Urem = "urem",
        /// What is left of that with the sign of the first.
        Srem = "srem",
        /// The bits of both.
        Band = "band",
        /// The bits of either.
        Bor = "bor",
        /// The bits of one of them alone.
        Bxor = "bxor",
        /// Bits moved up.
        Ishl = "ishl",
        /// Bits moved down, without sign.
        Ushr = "ushr",
        /// Bits moved up and around.
        Rotl = "rotl",
        /// The greater, with sign.
        Smax = "smax",
        /// The lesser, with sign.
        Smin = "smin",
        /// The greater, without sign.
        Umax = "umax",
        /// The lesser, without sign.
        Umin = "umin",
    }
}

operators! {
    /// Of two words with sign: what wraps around, and whether it does (a byte).
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
    /// How two numbers compare.
    IntCC {
        /// Equal.
        Equal = "eq",
        /// Not equal.
        NotEqual = "ne",
        /// Less, with sign.
        SignedLessThan = "slt",
        /// At most, with sign.
        SignedLessThanOrEqual = "sle",
        /// Greater, with sign.
        SignedGreaterThan = "sgt",
        /// At least, with sign.
        SignedGreaterThanOrEqual = "sge",
        /// Less, without sign.
        UnsignedLessThan = "ult",
        /// At most, without sign.
        UnsignedLessThanOrEqual = "ule",
        /// Greater, without sign.
        UnsignedGreaterThan = "ugt",
        /// At least, without sign.
        UnsignedGreaterThanOrEqual = "uge",
    }
}

impl UnaryOp {
    /// What it makes of a number.
    pub fn of(self, ty: Type, n: u64) -> u64 {
        let spare = 64 - ty.bits();
        ty.cut(match self {
            UnaryOp::Ineg => n.wrapping_neg(),
            UnaryOp::Bnot => !n,
            UnaryOp::Popcnt => u64::from(n.count_ones()),
            UnaryOp::Ctz => u64::from(n.trailing_zeros().min(ty.bits())),
            UnaryOp::Clz => u64::from(n.leading_zeros() - spare),
            UnaryOp::Iabs => ty.signed(n).unsigned_abs(),
        })
    }
}

impl ConvertOp {
    /// What it makes of a number; of numbers side by side, of the one that it is about.
    pub fn of(self, from: Type, to: Type, n: u64) -> u64 {
        to.cut(match self {
            ConvertOp::Sextend => from.signed(n) as u64,
            _ => n,
        })
    }
}

impl BinaryOp {
    /// What it makes of two numbers; `None` of a quotient that there is not.
    pub fn of(self, ty: Type, a: u64, b: u64) -> Option<u64> {
        let (x, y) = (ty.signed(a), ty.signed(b));
        let by = (b % u64::from(ty.bits())) as u32;
        Some(ty.cut(match self {
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

    /// Whether it must not be carried out where nobody asked for it.
    pub fn may_trap(self) -> bool {
        matches!(self, BinaryOp::Udiv | BinaryOp::Sdiv | BinaryOp::Urem | BinaryOp::Srem)
    }
}

impl OverflowOp {
    /// What it makes of two words, and whether that wrapped around.
    pub fn of(self, a: i64, b: i64) -> (i64, bool) {
        match self {
            OverflowOp::Sadd => a.overflowing_add(b),
            OverflowOp::Ssub => a.overflowing_sub(b),
            OverflowOp::Smul => a.overflowing_mul(b),
        }
    }
}

impl IntCC {
    /// Whether two numbers compare so.
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

    /// What holds where this does not.
    pub fn complement(self) -> IntCC {
        match self {
            IntCC::Equal => IntCC::NotEqual,
            IntCC::NotEqual => IntCC::Equal,
            IntCC::SignedLessThan => IntCC::SignedGreaterThanOrEqual,
            IntCC::SignedLessThanOrEqual => IntCC::SignedGreaterThan,
            IntCC::SignedGreaterThan => IntCC::SignedLessThanOrEqual,
            IntCC::SignedGreaterThanOrEqual => IntCC::SignedLessThan,
            IntCC::UnsignedLessThan => IntCC::UnsignedGreaterThanOrEqual,
            IntCC::UnsignedLessThanOrEqual => IntCC::UnsignedGreaterThan,
            IntCC::UnsignedGreaterThan => IntCC::UnsignedLessThanOrEqual,
            IntCC::UnsignedGreaterThanOrEqual => IntCC::UnsignedLessThan,
        }
    }

    /// The same of the two numbers in the other order.
    pub fn swap_args(self) -> IntCC {
        match self {
            IntCC::Equal | IntCC::NotEqual => self,
            IntCC::SignedLessThan => IntCC::SignedGreaterThan,
            IntCC::SignedLessThanOrEqual => IntCC::SignedGreaterThanOrEqual,
            IntCC::SignedGreaterThan => IntCC::SignedLessThan,
            IntCC::SignedGreaterThanOrEqual => IntCC::SignedLessThanOrEqual,
            IntCC::UnsignedLessThan => IntCC::UnsignedGreaterThan,
            IntCC::UnsignedLessThanOrEqual => IntCC::UnsignedGreaterThanOrEqual,
            IntCC::UnsignedGreaterThan => IntCC::UnsignedLessThan,
            IntCC::UnsignedGreaterThanOrEqual => IntCC::UnsignedLessThanOrEqual,
        }
    }

    /// Whether less and greater are those of numbers without sign.
    pub fn is_unsigned(self) -> bool {
        matches!(
            self,
            IntCC::UnsignedLessThan
                | IntCC::UnsignedLessThanOrEqual
                | IntCC::UnsignedGreaterThan
                | IntCC::UnsignedGreaterThanOrEqual
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers at the ends of each type, and some between.
    const NUMBERS: [u64; 9] = [0, 1, 2, 63, 127, 128, 255, i64::MAX as u64, u64::MAX];

    #[test]
    fn comparisons_are_told_from_their_complements_and_turned_round() {
        for ty in [Type::I8, Type::I16, Type::I32, Type::I64] {
            for (a, b) in NUMBERS.iter().flat_map(|a| NUMBERS.map(|b| (ty.cut(*a), ty.cut(b)))) {
                for cc in IntCC::ALL {
                    assert_ne!(cc.holds(ty, a, b), cc.complement().holds(ty, a, b), "{cc:?} {a} {b}");
                    assert_eq!(cc.holds(ty, a, b), cc.swap_args().holds(ty, b, a), "{cc:?} {a} {b}");
                }
            }
        }
    }

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
            for (a, b) in NUMBERS.iter().flat_map(|a| NUMBERS.map(|b| (ty.cut(*a), ty.cut(b)))) {
                for op in BinaryOp::ALL {
                    let made = op.of(ty, a, b);
                    assert!(made.is_none_or(|n| ty.cut(n) == n), "{op:?} {a} {b}");
                    assert!(made.is_some() || op.may_trap(), "{op:?} {a} {b}");
                }
                for op in UnaryOp::ALL {
                    let made = op.of(ty, a);
                    assert_eq!(ty.cut(made), made, "{op:?} {a}");
                }
            }
        }
        assert_eq!(UnaryOp::Clz.of(Type::I8, 1), 7);
        assert_eq!(UnaryOp::Ctz.of(Type::I16, 0), 16);
        assert_eq!(BinaryOp::Rotl.of(Type::I8, 0x81, 9), Some(3));
        assert_eq!(BinaryOp::Umulhi.of(Type::I64, u64::MAX, 4), Some(3));
        assert_eq!(BinaryOp::Srem.of(Type::I64, i64::MIN as u64, u64::MAX), Some(0));
        assert_eq!(ConvertOp::Sextend.of(Type::I8, Type::I32, 0xff), 0xffff_ffff);
    }
}

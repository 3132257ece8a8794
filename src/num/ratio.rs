//! Exact fractions of integers of any size.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::Int;

/// How many leading bits of a numerator and denominator are converted to `f64`: more than an `f64` can hold.
const TELLING_BITS: u64 = 200;

/// An exact fraction in lowest terms, with a positive denominator.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ratio {
    num: Int,
    den: Int,
}

impl Ratio {
    /// Zero.
    pub const ZERO: Ratio = Ratio { num: Int::ZERO, den: Int::ONE };
    /// One.
    pub const ONE: Ratio = Ratio { num: Int::ONE, den: Int::ONE };

    /// Creates a fraction; a fraction with denominator 0 becomes 0.
    pub fn new(num: &Int, den: &Int) -> Ratio {
        let by = num.gcd(den);
        let (Some(num), Some(below)) = (num.div_floor(&by), den.div_floor(&by)) else { return Ratio::ZERO };
        match (below.is_zero(), below.is_negative()) {
            (true, _) => Ratio::ZERO,
            (_, true) => Ratio { num: -&num, den: -&below },
            _ => Ratio { num, den: below },
        }
    }

    /// Returns the multiple of 2^−`bits` that is nearest to a number.
    pub fn near(number: f64, bits: u32) -> Ratio {
        // Saturates beyond 128 bits, which no game value reaches.
        let scaled = (number * f64::from(2).powi(bits as i32)).round() as i128;
        Ratio::new(&Int::from(BigInt::from(scaled)), &Int::from(BigInt::from(1) << bits))
    }

    /// Returns the numerator.
    pub fn numerator(&self) -> &Int {
        &self.num
    }

    /// Returns the denominator, which is positive.
    pub fn denominator(&self) -> &Int {
        &self.den
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.num.is_zero()
    }

    /// Returns the sum.
    #[must_use]
    pub fn add(&self, other: &Ratio) -> Ratio {
        if self.den == other.den {
            return Ratio::new(&self.num.add(&other.num), &self.den);
        }
        let num = times(&self.num, &other.den).add(&times(&other.num, &self.den));
        Ratio::new(&num, &times(&self.den, &other.den))
    }

    /// Returns the difference.
    #[must_use]
    pub fn sub(&self, other: &Ratio) -> Ratio {
        self.add(&-other)
    }

    /// Returns the product.
    #[must_use]
    pub fn mul(&self, other: &Ratio) -> Ratio {
        Ratio::new(&times(&self.num, &other.num), &times(&self.den, &other.den))
    }

    /// Returns the quotient; dividing by 0 gives 0.
    #[must_use]
    pub fn div(&self, other: &Ratio) -> Ratio {
        Ratio::new(&times(&self.num, &other.den), &times(&self.den, &other.num))
    }

    /// Returns the nearest `f64`, or one adjacent to it.
    pub fn to_f64(&self) -> f64 {
        if let (Some(num), Some(den)) = (self.num.as_i64(), self.den.as_i64()) {
            return num as f64 / den as f64;
        }
        // The first bits of each, rounded towards 0, and how many are left out.
        let part = |whole: &Int| {
            let spare = whole.bits().saturating_sub(TELLING_BITS);
            let big = whole.to_big();
            let cut = if big.is_negative() { -(-big >> spare) } else { big >> spare };
            (cut.to_f64().unwrap_or(0.0), spare as i64)
        };
        let ((num, more), (den, less)) = (part(&self.num), part(&self.den));
        let scale = i32::try_from(more - less).unwrap_or(if more > less { i32::MAX } else { i32::MIN });
        (num / den * 2f64.powi(scale)).clamp(f64::MIN, f64::MAX)
    }
}

/// Returns the product of two integers, not limited to [`super::MAX_BITS`] bits.
pub fn times(a: &Int, b: &Int) -> Int {
    a.mul(b).unwrap_or_else(|_| Int::from(a.to_big() * b.to_big()))
}

impl From<Int> for Ratio {
    fn from(num: Int) -> Ratio {
        Ratio { num, den: Int::ONE }
    }
}

impl std::ops::Neg for &Ratio {
    type Output = Ratio;

    fn neg(self) -> Ratio {
        Ratio { num: -&self.num, den: self.den.clone() }
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Ratio) -> Ordering {
        times(&self.num, &other.den).cmp(&times(&other.num, &self.den))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Ratio) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.den == Int::ONE {
            true => write!(f, "{}", self.num),
            false => write!(f, "{}/{}", self.num, self.den),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(num: i64, den: i64) -> Ratio {
        Ratio::new(&Int::from(num), &Int::from(den))
    }

    #[test]
    fn fractions_are_in_lowest_terms() {
        assert_eq!(ratio(6, -4), ratio(-3, 2));
        assert_eq!(ratio(0, 7), Ratio::ZERO);
        assert_eq!(ratio(1, 3).add(&ratio(1, 6)).to_string(), "1/2");
        assert_eq!(ratio(1, 3).sub(&ratio(1, 3)), Ratio::ZERO);
        assert_eq!(ratio(2, 3).mul(&ratio(3, 4)).div(&ratio(-1, 4)).to_string(), "-2");
        assert!(ratio(-1, 2) < ratio(-1, 3) && ratio(7, 8) < Ratio::ONE);
    }

    #[test]
    fn numbers_are_near() {
        assert_eq!(ratio(-1, 18).to_f64(), -1.0 / 18.0);
        let third = (0..40).fold(ratio(1, 3), |at, _| at.mul(&ratio(1_000_000_007, 998_244_353)));
        let by = (0..40).fold(third.clone(), |at, _| at.div(&ratio(1_000_000_007, 998_244_353)));
        assert_eq!(by, ratio(1, 3));
        assert!(third.denominator().bits() > 1000 && (third.to_f64() - 0.3576).abs() < 1e-3, "{third}");
        assert_eq!(Ratio::near(0.25, 40), ratio(1, 4));
        assert!((Ratio::near(-1.0 / 3.0, 40).to_f64() + 1.0 / 3.0).abs() < 1e-12);
    }
}

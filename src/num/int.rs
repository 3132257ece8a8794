//! Exact integers: a machine word if the value fits, otherwise a big integer.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

/// The limit on the size of products and powers, in bits (about 300,000 decimal digits).
pub const MAX_BITS: u64 = 1_000_000;

/// The error of an operation whose result would exceed [`MAX_BITS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

/// An exact integer. Products and powers are limited to about [`MAX_BITS`] bits.
///
/// Values that fit an `i64` are always held as `Small`, so equality and hashing may be structural.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Int {
    /// A value that fits an `i64`.
    Small(i64),
    /// A value that does not fit an `i64`.
    Big(Arc<BigInt>),
}

use Int::{Big, Small};

impl Int {
    /// Zero.
    pub const ZERO: Int = Small(0);
    /// One.
    pub const ONE: Int = Small(1);

    /// Converts the value to a big integer.
    pub fn to_big(&self) -> BigInt {
        match self {
            Small(a) => BigInt::from(*a),
            Big(a) => (**a).clone(),
        }
    }

    /// Returns the nearest float; the largest finite one, with its sign, if the number is beyond.
    pub fn to_f64(&self) -> f64 {
        let near = self.as_i64().map_or_else(|| self.to_big().to_f64().unwrap_or(0.0), |n| n as f64);
        near.clamp(f64::MIN, f64::MAX)
    }

    /// Returns the value as an `i64`, if it fits.
    #[inline]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Small(a) => Some(*a),
            Big(_) => None,
        }
    }

    /// Returns the value as a `usize`, if it fits.
    #[inline]
    pub fn as_usize(&self) -> Option<usize> {
        self.as_i64().and_then(|a| usize::try_from(a).ok())
    }

    /// Whether the value is negative.
    #[inline]
    pub fn is_negative(&self) -> bool {
        match self {
            Small(a) => *a < 0,
            Big(a) => a.is_negative(),
        }
    }

    /// Whether the value is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self, Small(0))
    }

    /// Returns the number of bits of the absolute value.
    pub fn bits(&self) -> u64 {
        match self {
            Small(a) => u64::from(64 - a.unsigned_abs().leading_zeros()),
            Big(a) => a.bits(),
        }
    }

    /// Returns the absolute value.
    pub fn abs(&self) -> Int {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// Returns the sum.
    #[inline]
    pub fn add(&self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (self, other)
            && let Some(c) = a.checked_add(*b)
        {
            return Small(c);
        }
        self.beyond(other, |a, b| a + b)
    }

    /// Returns the difference.
    #[inline]
    pub fn sub(&self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (self, other)
            && let Some(c) = a.checked_sub(*b)
        {
            return Small(c);
        }
        self.beyond(other, |a, b| a - b)
    }

    /// Returns the product, or [`TooLarge`].
    #[inline]
    pub fn mul(&self, other: &Int) -> Result<Int, TooLarge> {
        if let (Small(a), Small(b)) = (self, other)
            && let Some(c) = a.checked_mul(*b)
        {
            return Ok(Small(c));
        }
        match self.bits() + other.bits() > MAX_BITS {
            true => Err(TooLarge),
            false => Ok(self.beyond(other, |a, b| a * b)),
        }
    }

    /// Compares two integers of which at least one is big.
    #[cold]
    #[inline(never)]
    fn compare_beyond(&self, other: &Int) -> Ordering {
        match (self, other) {
            (Small(a), Small(b)) => a.cmp(b),
            (Big(a), Big(b)) => a.cmp(b),
            // A big value lies outside the range of `i64`, so its sign decides.
            (Small(_), Big(b)) => BigInt::zero().cmp(b),
            (Big(a), Small(_)) => (**a).cmp(&BigInt::zero()),
        }
    }

    /// Applies an operation to big integers. A separate function, so that the path for words stays short.
    #[cold]
    #[inline(never)]
    fn beyond(&self, other: &Int, op: fn(BigInt, BigInt) -> BigInt) -> Int {
        Int::from(op(self.to_big(), other.to_big()))
    }

    /// Returns the quotient rounded down; `None` if `other` is zero.
    pub fn div_floor(&self, other: &Int) -> Option<Int> {
        if other.is_zero() {
            return None;
        }
        if let (Small(a), Small(b)) = (self, other)
            && !(*a == i64::MIN && *b == -1)
        {
            return Some(Small(Integer::div_floor(a, b)));
        }
        Some(self.beyond(other, |a, b| a.div_floor(&b)))
    }

    /// Returns the Euclidean remainder, which is never negative; `None` if `other` is zero.
    pub fn modulo(&self, other: &Int) -> Option<Int> {
        if other.is_zero() {
            return None;
        }
        if let (Small(a), Small(b)) = (self, other) {
            return match a.checked_rem_euclid(*b) {
                Some(c) => Some(Small(c)),
                None => Some(Int::ZERO), // i64::MIN mod -1
            };
        }
        Some(self.beyond(other, |a, b| a.mod_floor(&b.abs())))
    }

    /// Returns the power, or [`TooLarge`]. The caller must rule out negative exponents.
    pub fn pow(&self, exponent: &Int) -> Result<Int, TooLarge> {
        match self {
            Small(0) if exponent.is_zero() => return Ok(Int::ONE),
            Small(0 | 1) => return Ok(self.clone()),
            Small(-1) => {
                let odd = exponent.modulo(&Small(2)) == Some(Int::ONE);
                return Ok(Small(if odd { -1 } else { 1 }));
            }
            _ => {}
        }
        let exponent = exponent.as_i64().and_then(|e| u32::try_from(e).ok()).ok_or(TooLarge)?;
        if (self.bits() - 1) * u64::from(exponent) > MAX_BITS {
            return Err(TooLarge);
        }
        if let Small(a) = self
            && let Some(c) = a.checked_pow(exponent)
        {
            return Ok(Small(c));
        }
        Ok(Int::from(self.to_big().pow(exponent)))
    }

    /// Whether `self` divides `other`; zero divides only zero.
    pub fn divides(&self, other: &Int) -> bool {
        match other.modulo(self) {
            Some(rest) => rest.is_zero(),
            None => other.is_zero(),
        }
    }

    /// Returns the greatest common divisor, which is never negative; `gcd(0, 0)` is 0.
    pub fn gcd(&self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (self, other)
            && *a != i64::MIN
            && *b != i64::MIN
        {
            return Small(a.gcd(b));
        }
        self.beyond(other, |a, b| a.gcd(&b))
    }
}

impl From<i64> for Int {
    fn from(a: i64) -> Int {
        Small(a)
    }
}

impl From<i32> for Int {
    fn from(a: i32) -> Int {
        Small(i64::from(a))
    }
}

impl From<usize> for Int {
    fn from(a: usize) -> Int {
        i64::try_from(a).map_or_else(|_| Int::from(BigInt::from(a)), Small)
    }
}

impl From<u64> for Int {
    fn from(a: u64) -> Int {
        Int::from(BigInt::from(a))
    }
}

impl From<BigInt> for Int {
    fn from(a: BigInt) -> Int {
        match a.to_i64() {
            Some(small) => Small(small),
            None => Big(Arc::new(a)),
        }
    }
}

impl FromStr for Int {
    type Err = ();

    /// Parses decimal digits with an optional sign; `_` may group digits.
    fn from_str(text: &str) -> Result<Int, ()> {
        if let Ok(small) = text.parse::<i64>() {
            return Ok(Small(small));
        }
        let digits: String = text.chars().filter(|c| *c != '_').collect();
        digits.parse::<BigInt>().map(Int::from).map_err(|_| ())
    }
}

impl std::ops::Neg for &Int {
    type Output = Int;

    fn neg(self) -> Int {
        match self {
            Small(a) => a.checked_neg().map_or_else(|| Int::from(-BigInt::from(*a)), Small),
            Big(a) => Int::from(-&**a),
        }
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Int) -> Ordering {
        match (self, other) {
            (Small(a), Small(b)) => a.cmp(b),
            _ => self.compare_beyond(other),
        }
    }
}

impl PartialOrd for Int {
    #[inline]
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Small(a) => write!(f, "{a}"),
            Big(a) => write!(f, "{a}"),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> Int {
        text.parse().unwrap()
    }

    #[test]
    fn words_give_way_to_big_integers_and_back() {
        let top = Int::from(i64::MAX);
        let over = top.add(&Int::ONE);
        assert_eq!(over.to_string(), "9223372036854775808");
        assert_eq!(over.sub(&Int::ONE), top);
        assert_eq!(top.mul(&top).unwrap().to_string(), "85070591730234615847396907784232501249");
        assert_eq!((-&Int::from(i64::MIN)).to_string(), "9223372036854775808");
        assert_eq!(-&over, Int::from(i64::MIN));
        assert!(over > top && -&over < top);
    }

    #[test]
    fn division_rounds_down_and_mod_is_never_negative() {
        assert_eq!(int("-7").div_floor(&int("2")), Some(int("-4")));
        assert_eq!(int("-7").modulo(&int("2")), Some(int("1")));
        assert_eq!(int("-7").modulo(&int("-2")), Some(int("1")));
        assert_eq!(int("7").modulo(&Int::ZERO), None);
        assert_eq!(Int::from(i64::MIN).div_floor(&int("-1")).unwrap().to_string(), "9223372036854775808");
        assert_eq!(Int::from(i64::MIN).modulo(&int("-1")), Some(Int::ZERO));
        assert_eq!(int("-100000000000000000007").modulo(&int("10")), Some(int("3")));
    }

    #[test]
    fn powers_are_exact_or_refused() {
        assert_eq!(int("2").pow(&int("64")).unwrap().to_string(), "18446744073709551616");
        assert_eq!(int("2").pow(&int("100000000000")), Err(TooLarge));
        assert_eq!(int("-1").pow(&int("100000000000")), Ok(int("1")));
        assert_eq!(Int::ZERO.pow(&Int::ZERO), Ok(Int::ONE));
    }

    #[test]
    fn divides_knows_zero() {
        assert!(Int::ZERO.divides(&Int::ZERO));
        assert!(!Int::ZERO.divides(&Int::ONE));
        assert!(int("3").divides(&int("-9")));
        assert_eq!(int("0").gcd(&int("-4")), int("4"));
    }
}

//! Number theory on exact integers, behind functions of the language such as `prime`, `divisors` and
//! `digits`.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Roots;
use num_traits::ToPrimitive;

use super::int::MAX_BITS;
use super::{Int, TooLarge, primes};

/// Whether `n` is a prime number (negative numbers, 0 and 1 are not).
///
/// Below 2⁶⁴, the test is a proof. Above, it is the Baillie–PSW test with seven additional bases of the
/// strong test (R. Baillie, S. Wagstaff, "Lucas pseudoprimes", Math. Comp. 35, 1980): no composite number is
/// known to pass.
pub fn prime(n: &Int) -> bool {
    if n.is_negative() {
        return false;
    }
    match word(n) {
        Some(n) => primes::prime_word(n),
        None => primes::prime_big(n.to_big().magnitude()),
    }
}

/// Returns the largest integer whose square is at most `n`, for `n` ≥ 0.
pub fn root(n: &Int) -> Int {
    match n {
        Int::Small(n) => Int::Small(n.sqrt()),
        Int::Big(n) => Int::from((**n).sqrt()),
    }
}

/// Whether `n` is the square of an integer: 0, 1, 4, 9, …
pub fn square(n: &Int) -> bool {
    !n.is_negative() && {
        let root = root(n);
        root.mul(&root).is_ok_and(|square| square == *n)
    }
}

/// Whether `n` is a Fibonacci number: 0, 1, 2, 3, 5, 8, …
///
/// Uses I. Gessel's test (Fibonacci Quarterly 10, 1972): 5n² + 4 or 5n² − 4 is a square.
pub fn fibonacci(n: &Int) -> bool {
    if n.is_negative() {
        return false;
    }
    let n = n.to_big();
    let fives: BigInt = &n * &n * 5;
    square(&Int::from(&fives + 4)) || square(&Int::from(fives - 4))
}

/// Returns the positive divisors of `n` ≠ 0, in ascending order; `None` if |n| ≥ 2⁶⁴.
pub fn divisors(n: &Int) -> Option<Vec<Int>> {
    let n = word(&n.abs())?;
    Some(primes::divisors(n).into_iter().map(Int::from).collect())
}

/// Returns the prime factors of |n|, n ≠ 0, in ascending order with their exponents; `None` if |n| ≥ 2⁶⁴.
pub fn factorisation(n: &Int) -> Option<BTreeMap<Int, usize>> {
    let n = word(&n.abs())?;
    Some(primes::factors(n).into_iter().map(|(prime, times)| (Int::from(prime), times)).collect())
}

/// Returns n! for n ≥ 0.
pub fn factorial(n: &Int) -> Result<Int, TooLarge> {
    let n = n.as_i64().filter(|n| *n <= MAX_BITS as i64).ok_or(TooLarge)?;
    (2..=n).try_fold(Int::ONE, |product, k| product.mul(&Int::from(k)))
}

/// Returns the number of ways to choose k of n things, for n, k ≥ 0.
pub fn choose(n: &Int, k: &Int) -> Result<Int, TooLarge> {
    if k > n {
        return Ok(Int::ZERO);
    }
    let rest = n.sub(k);
    let k = k.min(&rest).as_i64().filter(|k| *k <= MAX_BITS as i64).ok_or(TooLarge)?;
    (1..=k).try_fold(Int::ONE, |product, i| {
        let i = Int::from(i);
        let next = product.mul(&n.sub(&i).add(&Int::ONE))?;
        Ok(next.div_floor(&i).expect("i is at least 1"))
    })
}

/// Returns the number of choices of at least `low` and at most `high` of n things.
pub fn choose_from(n: usize, low: usize, high: usize) -> Result<Int, TooLarge> {
    let sized = |size: usize| choose(&Int::from(n), &Int::from(size));
    (low..=high.min(n)).try_fold(Int::ZERO, |sum, size| Ok(sum.add(&sized(size)?)))
}

/// Returns the digits of n ≥ 0 in base ≥ 2, most significant first; the digits of 0 are `[0]`.
pub fn digits(n: &Int, base: &Int) -> Vec<Int> {
    let mut out = Vec::new();
    let mut rest = n.clone();
    while !rest.is_zero() || out.is_empty() {
        out.push(rest.modulo(base).expect("the base is not zero"));
        rest = rest.div_floor(base).expect("the base is not zero");
    }
    out.reverse();
    out
}

/// Returns bit k of n ≥ 0, where bit 0 is the least significant.
pub fn bit(n: &Int, k: &Int) -> bool {
    k.as_i64().is_some_and(|k| match n {
        Int::Small(n) => k < 64 && (n >> k) & 1 == 1,
        Int::Big(n) => n.bit(k as u64),
    })
}

/// Returns the number of bits of n ≥ 0 that are 1.
pub fn popcount(n: &Int) -> Int {
    match n {
        Int::Small(n) => Int::from(i64::from(n.count_ones())),
        Int::Big(n) => Int::from(n.magnitude().count_ones()),
    }
}

/// Returns the least common multiple, never negative; 0 if one of the numbers is 0.
pub fn lcm(a: &Int, b: &Int) -> Result<Int, TooLarge> {
    let quotient = a.div_floor(&a.gcd(b)).unwrap_or(Int::ZERO);
    quotient.mul(b).map(|all| all.abs())
}

/// Returns the bitwise exclusive or of two non-negative numbers.
pub fn xor(a: &Int, b: &Int) -> Int {
    match (a, b) {
        (Int::Small(a), Int::Small(b)) => Int::Small(a ^ b),
        _ => Int::from(a.to_big() ^ b.to_big()),
    }
}

/// Returns the determinant of a square matrix, given by its rows; 1 for the empty matrix.
///
/// Uses E. Bareiss' fraction-free elimination (Math. Comp. 22, 1968): every division is exact.
pub fn determinant(mut rows: Vec<Vec<Int>>) -> Result<Int, TooLarge> {
    let n = rows.len();
    let (mut previous, mut swapped) = (Int::ONE, false);
    for k in 0..n {
        let Some(pivot) = (k..n).find(|r| !rows[*r][k].is_zero()) else { return Ok(Int::ZERO) };
        if pivot != k {
            rows.swap(pivot, k);
            swapped = !swapped;
        }
        for i in k + 1..n {
            for j in k + 1..n {
                let minor = rows[i][j].mul(&rows[k][k])?.sub(&rows[i][k].mul(&rows[k][j])?);
                rows[i][j] = minor.div_floor(&previous).unwrap_or(Int::ZERO);
            }
        }
        previous = rows[k][k].clone();
    }
    Ok(if swapped { -&previous } else { previous })
}

fn word(n: &Int) -> Option<u64> {
    match n {
        Int::Small(n) => u64::try_from(*n).ok(),
        Int::Big(n) => n.to_u64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> Int {
        text.parse().unwrap()
    }

    #[test]
    fn primes_small_and_large() {
        let small: Vec<i64> = (-5..30).filter(|n| prime(&Int::from(*n))).collect();
        assert_eq!(small, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
        assert!(prime(&int("18446744073709551557"))); // the largest prime below 2^64
        assert!(prime(&Int::from(2).pow(&Int::from(521)).unwrap().sub(&Int::ONE))); // a Mersenne prime
        assert!(!prime(&Int::from(2).pow(&Int::from(523)).unwrap().sub(&Int::ONE)));
        // F. Arnault's composite, a strong pseudoprime to every prime base below 307 (Math. Comp. 64, 1995,
        // p. 360).
        let p = int(
            "29674495668685510550154174642905332730771991799853043350995075531276838753171770199594238596428121188033664754218345562493168782883",
        );
        let q = p.sub(&Int::ONE).mul(&Int::from(313)).unwrap().add(&Int::ONE);
        assert!(!prime(&p.mul(&q).unwrap()));
    }

    #[test]
    fn a_thousand_digits() {
        // 10^999 + 7 is the smallest prime of a thousand digits.
        let big = Int::from(10).pow(&Int::from(999)).unwrap();
        assert!(prime(&big.add(&Int::from(7))));
        assert!(!prime(&big.add(&Int::from(9))));
    }

    #[test]
    fn squares_and_fibonacci_numbers() {
        let squares: Vec<i64> = (-4..30).filter(|n| square(&Int::from(*n))).collect();
        assert_eq!(squares, [0, 1, 4, 9, 16, 25]);
        let fib: Vec<i64> = (-4..60).filter(|n| fibonacci(&Int::from(*n))).collect();
        assert_eq!(fib, [0, 1, 2, 3, 5, 8, 13, 21, 34, 55]);
        assert!(fibonacci(&int("354224848179261915075"))); // F(100), OEIS A000045
        assert!(!fibonacci(&int("354224848179261915074")));
    }

    #[test]
    fn divisors_and_factors() {
        let show = |n: &str| format!("{:?}", divisors(&int(n)).unwrap());
        assert_eq!(show("12"), "[1, 2, 3, 4, 6, 12]");
        assert_eq!(show("-7"), "[1, 7]");
        assert_eq!(show("1"), "[1]");
        assert_eq!(divisors(&int("18446744073709551616")), None);
        assert_eq!(format!("{:?}", factorisation(&int("360")).unwrap()), "{2: 3, 3: 2, 5: 1}");
    }

    #[test]
    fn determinants() {
        let of = |rows: &[&[i64]]| {
            determinant(rows.iter().map(|row| row.iter().map(|n| Int::from(*n)).collect()).collect())
        };
        assert_eq!(of(&[]), Ok(Int::ONE));
        assert_eq!(of(&[&[1, 2], &[3, 4]]), Ok(Int::from(-2)));
        assert_eq!(of(&[&[0, 1, 2], &[1, 0, 3], &[4, -3, 8]]), Ok(Int::from(-2)));
        assert_eq!(of(&[&[1, 2], &[2, 4]]), Ok(Int::ZERO));
        // Hilbert's matrix of order 3 times 60 has determinant 60^3 / 2160.
        assert_eq!(of(&[&[60, 30, 20], &[30, 20, 15], &[20, 15, 12]]), Ok(Int::from(100)));
    }

    #[test]
    fn digits_and_bits() {
        assert_eq!(format!("{:?}", digits(&int("10"), &int("2"))), "[1, 0, 1, 0]");
        assert_eq!(format!("{:?}", digits(&Int::ZERO, &int("7"))), "[0]");
        assert!(bit(&int("4"), &int("2")) && !bit(&int("4"), &int("1")) && !bit(&int("4"), &int("99")));
        assert_eq!(popcount(&int("255")), int("8"));
        assert_eq!(xor(&int("5"), &int("3")), int("6"));
        assert_eq!(choose(&int("52"), &int("5")), Ok(int("2598960")));
        assert_eq!(factorial(&int("20")).unwrap().to_string(), "2432902008176640000");
    }
}

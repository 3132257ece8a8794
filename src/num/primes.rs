//! Primality tests and factorisation, deterministic and the same on every machine.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Zero};

/// The prime bases of the strong pseudoprime test.
const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// Below this, the first four bases detect all composites (C. Pomerance, J. Selfridge, S. Wagstaff, Math.
/// Comp. 35, 1980).
const FOUR_BASES: u64 = 3_215_031_751;

/// The number of bases tested for numbers that do not fit a word.
const BIG_BASES: usize = 8;

/// The number of steps of Pollard's walk that share one gcd computation.
const BATCH: usize = 64;

/// Whether `n` is prime. This is a proof, since the twelve bases detect all composites below 3 · 10²³ (J.
/// Sorenson, J. Webster, "Strong pseudoprimes to twelve prime bases", Math. Comp. 86, 2017).
pub fn prime_word(n: u64) -> bool {
    if let Some(p) = BASES.into_iter().find(|p| n.is_multiple_of(*p)) {
        return n == p;
    }
    if n < 41 * 41 {
        return n > 1;
    }
    let bases = if n < FOUR_BASES { &BASES[..4] } else { &BASES[..] };
    let twos = (n - 1).trailing_zeros();
    let passes = |base: u64| {
        let mut power = power(base, (n - 1) >> twos, n);
        let mut squared = 1;
        while power != 1 && power != n - 1 && squared < twos {
            power = times(power, power, n);
            squared += 1;
        }
        power == n - 1 || (power == 1 && squared == 1)
    };
    bases.iter().all(|base| passes(*base))
}

/// Whether `n` ≥ 2⁶⁴ is prime, by the Baillie–PSW test with additional bases of the strong test: no composite
/// is known to pass.
pub fn prime_big(n: &BigUint) -> bool {
    if BASES.iter().any(|p| (n % p).is_zero()) {
        return false;
    }
    let less = n - 1_u32;
    let twos = less.trailing_zeros().unwrap_or(0);
    let odd = &less >> twos;
    let passes = |base: u64| {
        let mut power = BigUint::from(base).modpow(&odd, n);
        if power.is_one() || power == less {
            return true;
        }
        (1..twos).any(|_| {
            power = &power * &power % n;
            power == less
        })
    };
    BASES[..BIG_BASES].iter().all(|base| passes(*base)) && lucas(n)
}

/// The strong Lucas test of an odd `n` with J. Selfridge's parameters (R. Baillie, S. Wagstaff, "Lucas
/// pseudoprimes", Math. Comp. 35, 1980): P = 1, Q = (1 − D) / 4, where D is the first of 5, −7, 9, −11, …
/// that is a non-residue modulo n.
fn lucas(n: &BigUint) -> bool {
    let root = n.sqrt();
    if &root * &root == *n {
        return false; // squares have no suitable D
    }
    let candidates = (5_i64..).step_by(2).zip([1, -1].into_iter().cycle());
    let jacobis = candidates.map(|(d, sign)| (d * sign, jacobi(d * sign, n)));
    let Some((d, -1)) = jacobis.into_iter().find(|(_, jacobi)| *jacobi < 1) else { return false };
    let n = &BigInt::from(n.clone());
    let q = BigInt::from((1 - d) / 4).mod_floor(n);
    let within = |x: BigInt| x.mod_floor(n);
    let half = |x: BigInt| if x.is_even() { x / 2 } else { (x + n) / 2 };
    let more: BigInt = n + 1;
    let twos = more.trailing_zeros().unwrap_or(0);
    let odd: BigInt = &more >> twos;
    // U and V of the leading bits of (n + 1) / 2^twos, and Q to that power.
    let (mut u, mut v, mut qs) = (BigInt::one(), BigInt::one(), q.clone());
    for bit in (0..odd.bits() - 1).rev() {
        u = within(u * &v);
        v = within(&v * &v - &qs * 2);
        qs = within(&qs * &qs);
        if odd.bit(bit) {
            (u, v) = (half(within(&u + &v)), half(within(&u * d + &v)));
            qs = within(qs * &q);
        }
    }
    if u.is_zero() || v.is_zero() {
        return true;
    }
    (1..twos).any(|_| {
        v = within(&v * &v - &qs * 2);
        qs = within(&qs * &qs);
        v.is_zero()
    })
}

/// Returns the Jacobi symbol (d / n) for odd d and odd n > 0.
fn jacobi(d: i64, n: &BigUint) -> i32 {
    let low = |n: &BigUint| n.iter_u64_digits().next().unwrap_or(0);
    let a = d.unsigned_abs();
    let mut sign = if d < 0 && low(n) % 4 == 3 { -1 } else { 1 };
    if a % 4 == 3 && low(n) % 4 == 3 {
        sign = -sign;
    }
    // By reciprocity, the rest computes (n / a).
    let (mut top, mut bottom) = (low(&(n % a)), a);
    while top != 0 {
        let twos = top.trailing_zeros();
        top >>= twos;
        if twos % 2 == 1 && matches!(bottom % 8, 3 | 5) {
            sign = -sign;
        }
        if top % 4 == 3 && bottom % 4 == 3 {
            sign = -sign;
        }
        (top, bottom) = (bottom % top, top);
    }
    if bottom == 1 { sign } else { 0 }
}

/// Returns the prime factors of `n` ≥ 1 in ascending order, with their exponents.
pub fn factors(mut n: u64) -> Vec<(u64, usize)> {
    let mut found: Vec<(u64, usize)> = Vec::new();
    for p in (2..3).chain((3..1000).step_by(2)) {
        if p * p > n {
            break;
        }
        let mut times = 0;
        while n.is_multiple_of(p) {
            n /= p;
            times += 1;
        }
        if times > 0 {
            found.push((p, times));
        }
    }
    let mut rest = vec![n];
    while let Some(n) = rest.pop().filter(|n| *n > 1) {
        if !prime_word(n) {
            let part = divisor(n);
            rest.extend([part, n / part]);
            continue;
        }
        match found.iter_mut().find(|(prime, _)| *prime == n) {
            Some((_, times)) => *times += 1,
            None => found.push((n, 1)),
        }
    }
    found.sort_unstable();
    found
}

/// Returns the divisors of `n` ≥ 1 in ascending order.
pub fn divisors(n: u64) -> Vec<u64> {
    let mut all = vec![1];
    for (prime, times) in factors(n) {
        let smaller = all.len();
        let mut power = 1;
        for _ in 0..times {
            power *= prime;
            for at in 0..smaller {
                all.push(all[at] * power);
            }
        }
    }
    all.sort_unstable();
    all
}

/// Returns a divisor of a composite `n` without small factors, other than 1 and n.
///
/// Uses J. Pollard's rho method (BIT 15, 1975) on x² + c, and tries one c after another until one succeeds.
fn divisor(n: u64) -> u64 {
    let walk = |c: u64| {
        let step = |x: u64| ((u128::from(times(x, x, n)) + u128::from(c)) % u128::from(n)) as u64;
        let (mut slow, mut fast) = (2, 2);
        loop {
            let from = (slow, fast);
            let mut product = 1;
            for _ in 0..BATCH {
                (slow, fast) = (step(slow), step(step(fast)));
                product = times(product, slow.abs_diff(fast), n);
            }
            if product.gcd(&n) > 1 {
                (slow, fast) = from;
                loop {
                    (slow, fast) = (step(slow), step(step(fast)));
                    let part = slow.abs_diff(fast).gcd(&n);
                    if part > 1 {
                        return (part < n).then_some(part);
                    }
                }
            }
        }
    };
    (1..n).find_map(walk).unwrap_or(n)
}

/// Returns a · b modulo n.
fn times(a: u64, b: u64, n: u64) -> u64 {
    match u32::try_from(n) {
        Ok(_) => a * b % n,
        Err(_) => (u128::from(a) * u128::from(b) % u128::from(n)) as u64,
    }
}

/// Returns base^exponent modulo n.
fn power(base: u64, mut exponent: u64, n: u64) -> u64 {
    let (mut square, mut result) = (base % n, 1);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = times(result, square, n);
        }
        square = times(square, square, n);
        exponent /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::num::Rng;

    #[test]
    fn small_primes_are_those_of_the_sieve() {
        const END: usize = 200_000;
        let mut prime = vec![true; END];
        prime[..2].fill(false);
        for p in 2..END {
            if prime[p] {
                (p * p..END).step_by(p).for_each(|n| prime[n] = false);
            }
        }
        assert!((0..END).all(|n| prime_word(n as u64) == prime[n]));
    }

    #[test]
    fn composites_that_fool_some_bases_are_found() {
        // The smallest composites that pass the strong test for the first 1, 2, … 11 prime bases: OEIS
        // A014233.
        for n in [
            2047,
            1_373_653,
            25_326_001,
            3_215_031_751,
            2_152_302_898_747,
            3_474_749_660_383,
            341_550_071_728_321,
            3_825_123_056_546_413_051,
        ] {
            assert!(!prime_word(n), "{n}");
        }
        // Composites that pass the strong Lucas test (OEIS A217255). Below the first, the test makes no
        // mistake.
        for n in [5459_u32, 5777, 10877, 16109, 18971] {
            assert!(lucas(&n.into()) && !prime_word(n.into()), "{n}");
        }
        let others = (1001_u32..5459).step_by(2);
        assert!(others.into_iter().all(|n| lucas(&n.into()) == prime_word(n.into())));
    }

    #[test]
    fn numbers_are_the_products_of_their_factors() {
        let mut rng = Rng::new(1);
        let p = 4_294_967_291; // the largest prime below 2^32
        let random = (0..400).map(|i| (rng.next_u64() >> (i % 60)).max(1));
        for n in random.chain([1, p * p, p * 4_294_967_279, 1_000_003 * 1_000_003 * 1_000_003, u64::MAX]) {
            let factors = factors(n);
            assert!(factors.iter().all(|(p, _)| prime_word(*p)), "{n}");
            assert_eq!(factors.iter().map(|(p, times)| p.pow(*times as u32)).product::<u64>(), n);
        }
    }
}

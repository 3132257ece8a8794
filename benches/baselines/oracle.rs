//! The Oracle's Numbers, six rounds: a row of 128-bit numbers, and legal moves listed anew each turn.

use std::cmp::Reverse;

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const ROUNDS: usize = 6;
/// The largest divisor that is tried, and the largest square root of -1.
const DIVISORS: u128 = 100;
const ROOTS: i32 = 50;

const LARGE: [u128; 4] = [(1 << 67) - 1, 10_u128.pow(30) + 57, (1 << 64) + 1, (1 << 127) - 1];
const SMALL: [u128; 3] = [91, 65, 221];

/// A move; places are indices from 0.
#[derive(Clone, Copy)]
enum Move {
    Split(usize, u128),
    /// Strikes out a number modulo which -1 is a square.
    Strike(usize),
    Cancel(usize, usize),
    Pass,
}

pub struct Oracle {
    start: &'static [u128],
    row: Vec<u128>,
    moves: Vec<Move>,
}

impl Oracle {
    /// The game with large numbers, the default.
    pub fn large() -> Oracle {
        Oracle::new(&LARGE)
    }

    /// The game with small numbers.
    pub fn small() -> Oracle {
        Oracle::new(&SMALL)
    }

    fn new(start: &'static [u128]) -> Oracle {
        Oracle { start, row: Vec::new(), moves: Vec::new() }
    }
}

impl Baseline for Oracle {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        self.row.clear();
        self.row.extend_from_slice(self.start);
        let mut scores = [0; 2];
        let mut passes = [0; 2];
        let mut choices = 0;
        while choices < 2 * ROUNDS && !self.row.is_empty() {
            let me = choices % 2;
            self.list_moves();
            choices += 1;
            match self.moves[pick(rng, self.moves.len())] {
                Move::Split(at, divisor) => {
                    scores[me] += digits(divisor) + if is_prime(divisor) { 5 } else { 0 };
                    self.row[at] /= divisor;
                    self.row.insert(at, divisor);
                }
                Move::Strike(at) => {
                    scores[me] += 3;
                    self.row.remove(at);
                }
                Move::Cancel(one, other) => {
                    let shared = gcd(self.row[one], self.row[other]);
                    self.row[one] /= shared;
                    self.row[other] /= shared;
                    scores[me] += 1;
                }
                Move::Pass => passes[me] += 1,
            }
        }
        let rank = |seat: usize| (scores[seat], Reverse(passes[seat]));
        Played::ranked([rank(0), rank(1)], choices as u64)
    }
}

impl Oracle {
    fn list_moves(&mut self) {
        let Oracle { row, moves, .. } = self;
        moves.clear();
        for (at, &number) in row.iter().enumerate() {
            for divisor in 2..=DIVISORS.min(number - 1) {
                if number.is_multiple_of(divisor) {
                    moves.push(Move::Split(at, divisor));
                }
            }
            for root in -ROOTS..=ROOTS {
                let next = (root * root + 1) as u128;
                // A `number` greater than `next` cannot divide it.
                if number > 2 && number <= next && next.is_multiple_of(number) {
                    moves.push(Move::Strike(at));
                }
            }
            for (other, &second) in row.iter().enumerate().skip(at + 1) {
                if gcd(number, second) > 1 {
                    moves.push(Move::Cancel(at, other));
                }
            }
        }
        moves.push(Move::Pass);
    }
}

fn gcd(mut one: u128, mut other: u128) -> u128 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// Returns the number of decimal digits.
fn digits(number: u128) -> u32 {
    number.ilog10() + 1
}

fn is_prime(number: u128) -> bool {
    number > 1
        && (2..)
            .take_while(|divisor| divisor * divisor <= number)
            .all(|divisor| !number.is_multiple_of(divisor))
}

//! Last word from 987654 in base 4: a short row of digits, and legal moves listed anew each turn.

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const BASE: usize = 4;
/// 987654 in base 4.
const START: [u8; DIGITS] = [3, 3, 0, 1, 0, 2, 0, 0, 1, 2];
const DIGITS: usize = 10;
/// The most legal moves there can be: palindromes to cut out, digits that occur once, digits to lower.
const MOVES: usize = DIGITS * (DIGITS - 1) / 2 + BASE + DIGITS;

/// A move; places are indices from 0.
#[derive(Clone, Copy)]
enum Move {
    /// Cuts out the digits from the first place to the second, inclusive.
    Cut(usize, usize),
    Lower(usize),
}

pub struct LastWord;

struct Row {
    digits: [u8; DIGITS],
    size: usize,
}

impl Baseline for LastWord {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut row = Row { digits: START, size: DIGITS };
        let mut moves = [Move::Lower(0); MOVES];
        let mut choices = 0;
        loop {
            let count = row.list_moves(&mut moves);
            if count == 0 {
                // Whoever made the last move loses.
                return Played::won_by(choices % 2, choices as u64);
            }
            match moves[pick(rng, count)] {
                Move::Cut(from, to) => row.cut(from, to),
                Move::Lower(at) => row.digits[at] -= 1,
            }
            row.cascade();
            choices += 1;
        }
    }
}

impl Row {
    /// Lists the legal moves and returns their number.
    fn list_moves(&mut self, moves: &mut [Move; MOVES]) -> usize {
        let row = &mut self.digits[..self.size];
        let mut count = 0;
        let mut add = |one| {
            moves[count] = one;
            count += 1;
        };
        for from in 0..row.len() {
            for to in from + 1..row.len() {
                if is_palindrome(&row[from..=to]) {
                    add(Move::Cut(from, to));
                }
            }
        }
        // The number of copies of each digit, and the place of the last copy.
        let mut copies = [(0, 0); BASE];
        for (at, &digit) in row.iter().enumerate() {
            let (times, place) = &mut copies[usize::from(digit)];
            *times += 1;
            *place = at;
        }
        for (times, place) in copies {
            if times == 1 {
                add(Move::Cut(place, place));
            }
        }
        for at in 0..row.len() {
            if row[at] > 0 {
                row[at] -= 1;
                if !row.windows(2).any(|pair| pair == [1, 0]) {
                    add(Move::Lower(at));
                }
                row[at] += 1;
            }
        }
        count
    }

    /// Removes the digits from one place to another, inclusive.
    fn cut(&mut self, from: usize, to: usize) {
        self.digits.copy_within(to + 1..self.size, from);
        self.size -= to + 1 - from;
    }

    /// Removes runs of three or more equal digits until there are none.
    fn cascade(&mut self) {
        loop {
            let (mut from, mut kept) = (0, 0);
            while from < self.size {
                let mut to = from + 1;
                while to < self.size && self.digits[to] == self.digits[from] {
                    to += 1;
                }
                if to - from < 3 {
                    self.digits.copy_within(from..to, kept);
                    kept += to - from;
                }
                from = to;
            }
            if kept == self.size {
                return;
            }
            self.size = kept;
        }
    }
}

fn is_palindrome(row: &[u8]) -> bool {
    (0..row.len() / 2).all(|at| row[at] == row[row.len() - 1 - at])
}

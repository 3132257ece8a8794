//! Tic-Tac-Toe: nine squares, a list of the empty ones, and a check of the lines through the last mark.

use parlour::num::Rng;

use super::{Baseline, Played, pick};

/// For each square, the other two squares of every line through it.
const LINES: [&[[usize; 2]]; 9] = [
    &[[1, 2], [3, 6], [4, 8]],
    &[[0, 2], [4, 7]],
    &[[0, 1], [5, 8], [4, 6]],
    &[[4, 5], [0, 6]],
    &[[3, 5], [1, 7], [0, 8], [2, 6]],
    &[[3, 4], [2, 8]],
    &[[7, 8], [0, 3], [2, 4]],
    &[[6, 8], [1, 4]],
    &[[6, 7], [2, 5], [0, 4]],
];

const EMPTY: u8 = 2;

pub struct TicTacToe;

impl Baseline for TicTacToe {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut board = [EMPTY; 9];
        let mut empty: [u8; 9] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
        for made in 0..9 {
            let left = 9 - made;
            let chosen = pick(rng, left);
            let square = usize::from(empty[chosen]);
            empty[chosen] = empty[left - 1];
            let me = (made % 2) as u8;
            board[square] = me;
            if LINES[square].iter().any(|&[a, b]| board[a] == me && board[b] == me) {
                return Played::won_by(made % 2, made as u64 + 1);
            }
        }
        Played::drawn(9)
    }
}

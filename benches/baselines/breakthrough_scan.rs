//! Breakthrough with nothing but a board, which is scanned each turn for the legal moves.

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const N: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Square {
    Empty,
    White,
    Black,
}

/// A row and a column, both from 0.
type At = (usize, usize);

pub struct BreakthroughScan {
    moves: Vec<(At, At)>,
}

impl BreakthroughScan {
    pub fn new() -> BreakthroughScan {
        BreakthroughScan { moves: Vec::new() }
    }
}

impl Baseline for BreakthroughScan {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut board = [[Square::Empty; N]; N];
        board[..2].fill([Square::White; N]);
        board[N - 2..].fill([Square::Black; N]);
        let mut choices = 0;
        let mut me = 0;
        loop {
            let (mine, goal) = if me == 0 { (Square::White, N - 1) } else { (Square::Black, 0) };
            self.moves.clear();
            for row in 0..N {
                for column in 0..N {
                    if board[row][column] != mine {
                        continue;
                    }
                    // No piece is on its goal row, or the match would be over; so `ahead` is valid.
                    let ahead = if me == 0 { row + 1 } else { row - 1 };
                    for to in [column.wrapping_sub(1), column, column + 1] {
                        let Some(&there) = board[ahead].get(to) else { continue };
                        if there == Square::Empty || (there != mine && to != column) {
                            self.moves.push(((row, column), (ahead, to)));
                        }
                    }
                }
            }
            if self.moves.is_empty() {
                // The player is stuck, so the last mover has won.
                return Played::won_by(1 - me, choices);
            }
            let (from, to) = self.moves[pick(rng, self.moves.len())];
            board[to.0][to.1] = mine;
            board[from.0][from.1] = Square::Empty;
            choices += 1;
            if to.0 == goal {
                return Played::won_by(me, choices);
            }
            me = 1 - me;
        }
    }
}

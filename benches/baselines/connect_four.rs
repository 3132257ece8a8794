//! Connect Four: a board with a rim, column heights, and a check of the lines through the last disc.

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const COLUMNS: usize = 7;
const ROWS: usize = 6;
/// The distance from a square to the one above it: the columns, and one square of rim between rows.
const UP: usize = COLUMNS + 1;
/// A row of rim below, the rows, a row of rim above, and one more square, so that a step in any direction
/// stays within the array.
const SQUARES: usize = UP * (ROWS + 2) + 1;
/// The steps sideways, upwards, and along both diagonals.
const DIRECTIONS: [usize; 4] = [1, UP, UP + 1, UP - 1];

const EMPTY: u8 = 2;

pub struct ConnectFour;

impl Baseline for ConnectFour {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut board = [EMPTY; SQUARES];
        let mut heights = [0; COLUMNS];
        let mut open: [usize; COLUMNS] = std::array::from_fn(|column| column);
        let mut count = COLUMNS;
        let mut choices = 0;
        while count > 0 {
            let chosen = pick(rng, count);
            let column = open[chosen];
            let square = UP * (heights[column] + 1) + 1 + column;
            heights[column] += 1;
            if heights[column] == ROWS {
                count -= 1;
                open[chosen] = open[count];
            }
            let me = choices % 2;
            choices += 1;
            board[square] = me as u8;
            if four(&board, square) {
                return Played::won_by(me, choices as u64);
            }
        }
        Played::drawn(choices as u64)
    }
}

/// Whether the disc on `square` is part of a line of four.
fn four(board: &[u8; SQUARES], square: usize) -> bool {
    let me = board[square];
    DIRECTIONS.iter().any(|&step| {
        let mut forward = 0;
        let mut at = square + step;
        while board[at] == me {
            forward += 1;
            at += step;
        }
        let mut back = 0;
        let mut at = square - step;
        while board[at] == me {
            back += 1;
            at -= step;
        }
        forward + back >= 3
    })
}

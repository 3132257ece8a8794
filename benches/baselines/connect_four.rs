//! Connect Four: a board with a rim, the heights of its columns, and the lines through the last disc.

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const COLUMNS: usize = 7;
const ROWS: usize = 6;
/// From a square to the one above it: columns and a rim between the rows.
const UP: usize = COLUMNS + 1;
/// A row of rim below, the rows, a row of rim above, and one square so that every step from the board is on it.
const SQUARES: usize = UP * (ROWS + 2) + 1;
/// Sideways, upwards, and the two slants.
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

/// Whether the disc on a square stands in a line of four.
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

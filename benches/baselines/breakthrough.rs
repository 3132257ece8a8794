//! Breakthrough: a board with a rim, a list of each player's pieces, and legal moves listed anew each turn.

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const N: usize = 8;
/// The distance from a square to the one in the next row: the columns and a column of rim on either side.
const ROW: usize = N + 2;
const SQUARES: usize = ROW * N;
const PIECES: usize = 2 * N;

const EMPTY: u8 = 2;
const RIM: u8 = 3;

/// A player's pieces, by square.
#[derive(Clone, Copy)]
struct Pieces {
    squares: [u8; PIECES],
    count: usize,
}

pub struct Breakthrough;

impl Baseline for Breakthrough {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut board = [RIM; SQUARES];
        // The index, in its owner's list, of the piece on each square.
        let mut listed = [0; SQUARES];
        let mut pieces = [Pieces { squares: [0; PIECES], count: 0 }; 2];
        for row in 0..N {
            for column in 1..=N {
                let square = row * ROW + column;
                let owner = match row {
                    0 | 1 => 0,
                    _ if row >= N - 2 => 1,
                    _ => {
                        board[square] = EMPTY;
                        continue;
                    }
                };
                let own = &mut pieces[owner];
                board[square] = owner as u8;
                listed[square] = own.count as u8;
                own.squares[own.count] = square as u8;
                own.count += 1;
            }
        }
        let mut moves = [(0, 0); 3 * PIECES];
        let mut choices = 0;
        let mut me = 0;
        loop {
            let mut count = 0;
            for &from in &pieces[me].squares[..pieces[me].count] {
                let ahead = if me == 0 { usize::from(from) + ROW } else { usize::from(from) - ROW };
                for (to, legal) in [
                    (ahead - 1, board[ahead - 1] != me as u8 && board[ahead - 1] != RIM),
                    (ahead, board[ahead] == EMPTY),
                    (ahead + 1, board[ahead + 1] != me as u8 && board[ahead + 1] != RIM),
                ] {
                    moves[count] = (from, to as u8);
                    count += usize::from(legal);
                }
            }
            if count == 0 {
                // The player is stuck, so the last mover has won.
                return Played::won_by(1 - me, choices);
            }
            let (from, to) = moves[pick(rng, count)];
            let (from, to) = (usize::from(from), usize::from(to));
            choices += 1;
            if board[to] != EMPTY {
                let other = &mut pieces[1 - me];
                other.count -= 1;
                let last = other.squares[other.count];
                other.squares[usize::from(listed[to])] = last;
                listed[usize::from(last)] = listed[to];
            }
            board[to] = me as u8;
            board[from] = EMPTY;
            listed[to] = listed[from];
            pieces[me].squares[usize::from(listed[to])] = to as u8;
            if to / ROW == (if me == 0 { N - 1 } else { 0 }) {
                return Played::won_by(me, choices);
            }
            me = 1 - me;
        }
    }
}

//! Hex: a board within a rim in the sides' colours, a list of empty cells, and groups joined by union-find.

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const EMPTY: u8 = 2;

pub struct Hex {
    /// The distance from a cell to the one below it: the columns, and a column of rim on either side.
    row: usize,
    /// The board, the groups and the empty cells at the start of a match.
    start: Board,
    board: Board,
}

#[derive(Clone)]
struct Board {
    /// The owner of each cell, row by row, including the rim.
    owner: Vec<u8>,
    /// The parent of each cell in union-find; a root is its own parent.
    parent: Vec<u16>,
    empty: Vec<u16>,
}

impl Hex {
    /// A board of `n` by `n`. The first player joins first and last row, the second first and last column.
    pub fn new(n: usize) -> Hex {
        let row = n + 2;
        let mut start = Board { owner: Vec::new(), parent: Vec::new(), empty: Vec::new() };
        for cell in 0..row * row {
            let (owner, parent) = match (cell / row, cell % row) {
                (0, _) => (0, 0),
                (r, _) if r == n + 1 => (0, row * row - 1),
                (_, 0) => (1, row),
                (_, c) if c == n + 1 => (1, 2 * row - 1),
                _ => {
                    start.empty.push(cell as u16);
                    (EMPTY, cell)
                }
            };
            start.owner.push(owner);
            start.parent.push(parent as u16);
        }
        Hex { row, board: start.clone(), start }
    }
}

impl Baseline for Hex {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let Hex { row, start, board } = self;
        board.owner.copy_from_slice(&start.owner);
        board.parent.copy_from_slice(&start.parent);
        board.empty.clone_from(&start.empty);
        // For each player, one rim cell of either side to be joined: above and below, left and right.
        let sides = [(0, board.owner.len() - 1), (*row, 2 * *row - 1)];
        let mut choices = 0;
        loop {
            let me = choices % 2;
            let chosen = pick(rng, board.empty.len());
            let cell = usize::from(board.empty.swap_remove(chosen));
            choices += 1;
            board.owner[cell] = me as u8;
            for next in [cell - *row, cell - *row + 1, cell - 1, cell + 1, cell + *row - 1, cell + *row] {
                if board.owner[next] == me as u8 {
                    board.join(cell, next);
                }
            }
            let (one, other) = sides[me];
            if board.group(one) == board.group(other) {
                return Played::won_by(me, choices as u64);
            }
        }
    }
}

impl Board {
    /// Returns the root of a cell's group, halving the path on the way.
    fn group(&mut self, mut cell: usize) -> usize {
        loop {
            let parent = usize::from(self.parent[cell]);
            if parent == cell {
                return cell;
            }
            self.parent[cell] = self.parent[parent];
            cell = parent;
        }
    }

    /// Merges the groups of two cells.
    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.group(one), self.group(other));
        self.parent[one] = other as u16;
    }
}

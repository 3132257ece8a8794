//! Heirs on six rows: the row and the owner of the tree in each column, and lists of the rows and columns
//! that have no tree yet.

use std::cmp::Reverse;

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const N: usize = 6;
const DIAGONALS: usize = 2 * N - 1;

pub struct Heirs;

/// A tree; rows are numbered from 0, and its column is its index in the list of trees.
#[derive(Clone, Copy)]
struct Tree {
    row: usize,
    owner: usize,
}

/// The trees of one player on a diagonal.
#[derive(Clone, Copy, Default)]
struct Share {
    count: u32,
    /// The sum of their rows, numbered from 1.
    rows: u32,
}

impl Baseline for Heirs {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut rows: [usize; N] = std::array::from_fn(|row| row);
        let mut columns = rows;
        let mut trees: [Option<Tree>; N] = [None; N];
        let mut scores = [0; 2];
        for turn in 0..N {
            let left = N - turn;
            let chosen = pick(rng, left * left);
            let row = take(&mut rows, left, chosen / left);
            let column = take(&mut columns, left, chosen % left);
            let tree = Tree { row, owner: turn % 2 };
            trees[column] = Some(tree);
            scores[tree.owner] += rectangles(&trees, column, tree);
        }
        let trees = trees.map(|tree| tree.expect("a tree in each column"));
        for (column, tree) in trees.iter().enumerate() {
            if trees[tree.row].row == column {
                scores[tree.owner] += N as u32;
            }
        }
        for (score, points) in scores.iter_mut().zip(diagonals(&trees)) {
            *score += points;
        }
        let columns = |seat: usize| (0..N).filter(|&column| trees[column].owner == seat).sum::<usize>();
        let rank = |seat: usize| (scores[seat], Reverse(columns(seat)));
        Played::ranked([rank(0), rank(1)], N as u64)
    }
}

/// Removes and returns the entry at index `at` of a list with `left` entries.
fn take(list: &mut [usize; N], left: usize, at: usize) -> usize {
    let taken = list[at];
    list[at] = list[left - 1];
    taken
}

/// Returns the total area of the rectangles that a tree spans with other trees of its owner, counting only
/// those with no third tree inside.
fn rectangles(trees: &[Option<Tree>; N], column: usize, tree: Tree) -> u32 {
    let mut points = 0;
    for (at, other) in trees.iter().enumerate() {
        let Some(other) = other else { continue };
        if at == column || other.owner != tree.owner {
            continue;
        }
        let (top, bottom) = (tree.row.min(other.row), tree.row.max(other.row));
        let (left, right) = (column.min(at), column.max(at));
        // Each row and column holds one tree, so only the interior needs a check.
        let third =
            trees[left + 1..right].iter().flatten().any(|third| top < third.row && third.row < bottom);
        if !third {
            points += (bottom - top + 1) * (right - left + 1);
        }
    }
    points as u32
}

/// Returns each player's points for diagonals: whoever has more trees on one gets the sum of their rows.
fn diagonals(trees: &[Tree; N]) -> [u32; 2] {
    let mut falling = [[Share::default(); 2]; DIAGONALS];
    let mut rising = falling;
    for (column, tree) in trees.iter().enumerate() {
        for share in
            [&mut falling[tree.row + N - 1 - column][tree.owner], &mut rising[tree.row + column][tree.owner]]
        {
            share.count += 1;
            share.rows += tree.row as u32 + 1;
        }
    }
    let mut points = [0; 2];
    for [one, other] in falling.into_iter().chain(rising) {
        if one.count > other.count {
            points[0] += one.rows;
        } else if other.count > one.count {
            points[1] += other.rows;
        }
    }
    points
}

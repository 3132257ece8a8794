//! Sum Of Products, Number Of Numbers: a square of numbers, a list of empty squares, and scoring at the end.

use parlour::num::Rng;

use super::{Baseline, Played, pick};

/// The game on a square of `N` by `N`.
pub struct SumOfProducts<const N: usize>;

impl<const N: usize> Baseline for SumOfProducts<N> {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut board = [[0; N]; N];
        let mut empty: [[(u8, u8); N]; N] =
            std::array::from_fn(|row| std::array::from_fn(|column| (row as u8, column as u8)));
        let empty = empty.as_flattened_mut();
        for left in (1..=N * N).rev() {
            let chosen = pick(rng, left * N);
            let (value, place) = (chosen % N + 1, chosen / N);
            let (row, column) = empty[place];
            empty[place] = empty[left - 1];
            board[usize::from(row)][usize::from(column)] = value;
        }
        let across = board.iter().map(|row| worth::<N>(row.iter().copied())).sum();
        let down = (0..N).map(|column| worth::<N>(board.iter().map(|row| row[column]))).sum();
        Played::scored([across, down], (N * N) as u64)
    }
}

/// Scores a line: the number of 1s, times the number of 2s, and so on up to the first number that is missing.
fn worth<const N: usize>(line: impl Iterator<Item = usize>) -> u32 {
    let mut copies = [0; N];
    for value in line {
        copies[value - 1] += 1;
    }
    copies.iter().take_while(|&&copies| copies > 0).product()
}

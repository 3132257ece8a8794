//! Sum Of Products, Number Of Numbers: fill a square; player 1 scores its rows, player 2 its columns.

use super::{Entry, Oracle, Outcome, after, check_seats, highest_score, number_option};
use serde_json::{Map, Value};

#[derive(Clone)]
pub struct SumOfProducts {
    n: usize,
    board: Vec<Vec<Option<usize>>>,
    turn: usize,
}

impl SumOfProducts {
    pub fn new(options: &Map<String, Value>) -> Self {
        let n = number_option(options, "n", 4);
        SumOfProducts { n, board: vec![vec![None; n]; n], turn: 1 }
    }

    fn is_full(&self) -> bool {
        self.board.iter().flatten().all(Option::is_some)
    }
}

/// Returns the number of 1s times the number of 2s, and so on, up to the first number that is missing.
fn worth(line: &[Option<usize>]) -> i64 {
    (1..)
        .map(|number| line.iter().filter(|&&square| square == Some(number)).count() as i64)
        .take_while(|&copies| copies > 0)
        .product()
}

impl Oracle for SumOfProducts {
    fn to_move(&self) -> Vec<usize> {
        if self.is_full() { Vec::new() } else { vec![self.turn] }
    }

    fn legal(&self, player: usize) -> Option<Vec<Entry>> {
        let mut moves = Vec::new();
        for row in (1..=self.n).filter(|_| player == self.turn) {
            for column in (1..=self.n).filter(|column| self.board[row - 1][column - 1].is_none()) {
                for value in 1..=self.n {
                    moves.push(Entry::new(
                        player,
                        "write",
                        &[("value", value.into()), ("row", row.into()), ("column", column.into())],
                    ));
                }
            }
        }
        Some(moves)
    }

    fn step(&mut self, entries: &[Entry]) -> Result<(), String> {
        check_seats(&self.to_move(), entries)?;
        let arguments = entries[0].numbers("write", ["value", "row", "column"])?;
        if arguments.iter().any(|number| !(1..=self.n).contains(number)) {
            return Err(format!("value, row and column go from 1 to {}", self.n));
        }
        let [value, row, column] = arguments;
        let square = &mut self.board[row - 1][column - 1];
        if square.is_some() {
            return Err("that square is taken".to_string());
        }
        *square = Some(value);
        self.turn = after(self.turn, 2);
        Ok(())
    }

    fn outcome(&self) -> Outcome {
        let across = self.board.iter().map(|row| worth(row)).sum();
        let down = (0..self.n)
            .map(|column| worth(&self.board.iter().map(|row| row[column]).collect::<Vec<_>>()))
            .sum();
        highest_score(self.is_full(), &[across, down])
    }

    fn boxed_clone(&self) -> Box<dyn Oracle> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{options, show_perft};
    use super::*;

    fn write(player: usize, value: usize, row: usize, column: usize) -> [Entry; 1] {
        [Entry::new(
            player,
            "write",
            &[("value", value.into()), ("row", row.into()), ("column", column.into())],
        )]
    }

    #[test]
    fn the_example_board() {
        let board = [
            [1, 1, 2, 1, 2, 5],
            [1, 3, 2, 1, 3, 5],
            [5, 1, 1, 1, 3, 1],
            [1, 2, 1, 2, 1, 2],
            [2, 1, 1, 2, 1, 1],
            [2, 3, 5, 3, 4, 1],
        ];
        let mut game = SumOfProducts::new(&options(r#"{"n":6}"#));
        for square in 0..36 {
            assert!(!game.outcome().over);
            let (row, column) = (square / 6, square % 6);
            game.step(&write(square % 2 + 1, board[row][column], row + 1, column + 1)).unwrap();
        }
        let outcome = game.outcome();
        assert!(outcome.over);
        assert_eq!(outcome.scores, Some(vec![33, 31]));
        assert_eq!(outcome.winners, [1]);
    }

    #[test]
    fn a_line_without_a_one_is_worth_one() {
        assert_eq!(worth(&[Some(2), Some(3), Some(2)]), 1);
    }

    #[test]
    fn what_is_refused() {
        let mut game = SumOfProducts::new(&options("{}"));
        assert!(game.step(&write(2, 1, 1, 1)).is_err());
        assert!(game.step(&write(1, 5, 1, 1)).is_err());
        assert!(game.step(&write(1, 0, 1, 1)).is_err());
        game.step(&write(1, 4, 1, 1)).unwrap();
        assert!(game.step(&write(2, 1, 1, 1)).is_err());
    }

    #[test]
    fn perft_numbers() {
        let counts = show_perft("sum-of-products", r#"{"n":2}"#, 2, 4);
        assert_eq!(counts, [(8, 0), (48, 0), (192, 0), (384, 384)]);
        let counts = show_perft("sum-of-products", r#"{"n":3}"#, 2, 3);
        assert_eq!(counts, [(27, 0), (27 * 24, 0), (27 * 24 * 21, 0)]);
    }
}

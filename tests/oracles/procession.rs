//! Procession: flip one digit of the row, never repeating a multiset of run-lengths; the last mover wins.

use super::{Entry, Oracle, Outcome, after, check_seats, number_option, run_multiset};
use serde_json::{Map, Value};
use std::collections::HashSet;

#[derive(Clone)]
pub struct Procession {
    row: Vec<u8>,
    seen: HashSet<Vec<usize>>,
    players: usize,
    turn: usize,
    last_mover: Option<usize>,
}

impl Procession {
    pub fn new(options: &Map<String, Value>, players: usize) -> Self {
        let row = vec![0; number_option(options, "n", 7)];
        Procession { seen: HashSet::from([run_multiset(&row)]), row, players, turn: 1, last_mover: None }
    }

    fn flipped(&self, at: usize) -> Vec<u8> {
        let mut row = self.row.clone();
        row[at - 1] = 1 - row[at - 1];
        row
    }

    fn allowed(&self) -> Vec<usize> {
        (1..=self.row.len()).filter(|&at| !self.seen.contains(&run_multiset(&self.flipped(at)))).collect()
    }
}

impl Oracle for Procession {
    fn to_move(&self) -> Vec<usize> {
        if self.allowed().is_empty() { Vec::new() } else { vec![self.turn] }
    }

    fn legal(&self, player: usize) -> Option<Vec<Entry>> {
        if player != self.turn {
            return Some(Vec::new());
        }
        let flip = |at: usize| Entry::new(player, "flip", &[("at", at.into())]);
        Some(self.allowed().into_iter().map(flip).collect())
    }

    fn step(&mut self, entries: &[Entry]) -> Result<(), String> {
        check_seats(&self.to_move(), entries)?;
        let [at] = entries[0].numbers("flip", ["at"])?;
        if !(1..=self.row.len()).contains(&at) {
            return Err(format!("the row has no digit {at}"));
        }
        let row = self.flipped(at);
        if !self.seen.insert(run_multiset(&row)) {
            return Err("that multiset of run-lengths has already occurred".to_string());
        }
        self.row = row;
        self.last_mover = Some(self.turn);
        self.turn = after(self.turn, self.players);
        Ok(())
    }

    fn outcome(&self) -> Outcome {
        let over = self.to_move().is_empty();
        Outcome { over, winners: self.last_mover.filter(|_| over).into_iter().collect(), scores: None }
    }

    fn boxed_clone(&self) -> Box<dyn Oracle> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{options, show_perft};
    use super::*;

    fn flip(player: usize, at: usize) -> [Entry; 1] {
        [Entry::new(player, "flip", &[("at", at.into())])]
    }

    #[test]
    fn the_sample_game() {
        let mut game = Procession::new(&options(r#"{"n":5}"#), 2);
        game.step(&flip(1, 4)).unwrap();
        game.step(&flip(2, 1)).unwrap();
        game.step(&flip(1, 5)).unwrap();
        assert_eq!(game.row, [1, 0, 0, 1, 1]);
        assert!(game.step(&flip(2, 3)).unwrap_err().contains("already occurred"));
        game.step(&flip(2, 1)).unwrap();
        assert!(!game.outcome().over);
        game.step(&flip(1, 4)).unwrap();
        assert_eq!(game.row, [0, 0, 0, 0, 1]);
        let outcome = game.outcome();
        assert!(outcome.over);
        assert_eq!((outcome.winners, outcome.scores), (vec![1], None));
        assert!(game.step(&flip(2, 1)).is_err());
    }

    #[test]
    fn no_first_move_no_winner() {
        let outcome = Procession::new(&options(r#"{"n":1}"#), 2).outcome();
        assert!(outcome.over);
        assert!(outcome.winners.is_empty());
    }

    #[test]
    fn perft_numbers() {
        let expected: [&[(u64, u64)]; 5] = [
            &[],
            &[(2, 2)],
            &[(3, 0), (4, 4)],
            &[(4, 0), (10, 2), (16, 0), (16, 16)],
            &[(5, 0), (18, 0), (46, 2), (98, 18), (116, 56), (66, 66)],
        ];
        for (n, expected) in (1..).zip(expected) {
            let counts = show_perft("procession", &format!(r#"{{"n":{n}}}"#), 2, expected.len());
            assert_eq!(counts, expected);
        }
    }
}

//! Binary Scramble: players build a list of digits in turn, then flip one digit at a time, and score when
//! run-lengths recur.

use super::run_multiset;
use super::{Entry, Oracle, Outcome, after, check_seats, highest_score, number_option};
use serde_json::{Map, Value};
use std::collections::HashSet;

#[derive(Clone)]
pub struct BinaryScramble {
    length: usize,
    target: i64,
    list: Vec<u8>,
    /// All lists that have occurred, including those of the first part.
    lists: HashSet<Vec<u8>>,
    /// The run-lengths of every list that has occurred.
    multisets: HashSet<Vec<usize>>,
    scores: Vec<i64>,
    turn: usize,
}

impl BinaryScramble {
    pub fn new(options: &Map<String, Value>, players: usize) -> Self {
        BinaryScramble {
            length: players * number_option(options, "turns_each", 4),
            target: number_option(options, "target", 10) as i64,
            list: Vec::new(),
            lists: HashSet::new(),
            multisets: HashSet::new(),
            scores: vec![0; players],
            turn: 1,
        }
    }

    fn in_first_part(&self) -> bool {
        self.list.len() < self.length
    }

    fn appended(&self, digit: u8) -> Vec<u8> {
        [self.list.as_slice(), &[digit]].concat()
    }

    fn flipped(&self, at: usize) -> Vec<u8> {
        let mut list = self.list.clone();
        list[at - 1] = 1 - list[at - 1];
        list
    }

    fn flips(&self) -> Vec<usize> {
        (1..=self.length).filter(|&at| !self.lists.contains(&self.flipped(at))).collect()
    }

    fn is_over(&self) -> bool {
        !self.in_first_part()
            && (self.scores.iter().any(|&score| score >= self.target) || self.flips().is_empty())
    }
}

impl Oracle for BinaryScramble {
    fn to_move(&self) -> Vec<usize> {
        if self.is_over() { Vec::new() } else { vec![self.turn] }
    }

    fn legal(&self, player: usize) -> Option<Vec<Entry>> {
        if !self.to_move().contains(&player) {
            return Some(Vec::new());
        }
        let append = |digit: usize| Entry::new(player, "append", &[("digit", digit.into())]);
        let flip = |at: usize| Entry::new(player, "flip", &[("at", at.into())]);
        Some(if self.in_first_part() {
            (0..=1).map(append).collect()
        } else {
            self.flips().into_iter().map(flip).collect()
        })
    }

    fn step(&mut self, entries: &[Entry]) -> Result<(), String> {
        check_seats(&self.to_move(), entries)?;
        if self.in_first_part() {
            let [digit] = entries[0].numbers("append", ["digit"])?;
            if digit > 1 {
                return Err("the digit is 0 or 1".to_string());
            }
            self.list = self.appended(digit as u8);
            self.multisets.insert(run_multiset(&self.list));
        } else {
            let [at] = entries[0].numbers("flip", ["at"])?;
            if !(1..=self.length).contains(&at) {
                return Err(format!("the list has no digit {at}"));
            }
            let list = self.flipped(at);
            if self.lists.contains(&list) {
                return Err("that list was arrived at before".to_string());
            }
            self.list = list;
            if !self.multisets.insert(run_multiset(&self.list)) {
                self.scores[self.turn - 1] += 1;
            }
        }
        self.lists.insert(self.list.clone());
        self.turn = after(self.turn, self.scores.len());
        Ok(())
    }

    fn outcome(&self) -> Outcome {
        highest_score(self.is_over(), &self.scores)
    }

    fn boxed_clone(&self) -> Box<dyn Oracle> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{options, show_perft};
    use super::*;

    fn play(game: &mut BinaryScramble, name: &str, arg: &str, value: usize) -> Result<(), String> {
        game.step(&[Entry::new(game.turn, name, &[(arg, value.into())])])
    }

    /// The nine digits of the document's example, and its lists with whether each scored a point.
    const EXAMPLE: [(&str, bool); 9] = [
        ("001110101", false),
        ("000110101", true),
        ("000111101", false),
        ("000011101", true),
        ("100011101", false),
        ("101011101", false),
        ("111011101", true),
        ("111010101", true),
        ("111010111", true),
    ];

    fn after_the_example(target: usize) -> BinaryScramble {
        let rules = options(&format!(r#"{{"turns_each":3,"target":{target}}}"#));
        let mut game = BinaryScramble::new(&rules, 3);
        for digit in EXAMPLE[0].0.bytes() {
            play(&mut game, "append", "digit", usize::from(digit - b'0')).unwrap();
        }
        for step in EXAMPLE.windows(2) {
            let (old, (new, point)) = (step[0].0, step[1]);
            let at = old.bytes().zip(new.bytes()).position(|(a, b)| a != b);
            let before = game.scores.clone();
            let mover = game.turn - 1;
            play(&mut game, "flip", "at", at.unwrap() + 1).unwrap();
            assert!(new.bytes().map(|digit| digit - b'0').eq(game.list.clone()));
            assert_eq!(game.scores[mover] - before[mover], i64::from(point));
        }
        game
    }

    #[test]
    fn the_example_game() {
        let mut game = after_the_example(10);
        assert_eq!(game.outcome().scores, Some(vec![2, 1, 2]));
        assert!(!game.outcome().over);
        assert!(play(&mut game, "flip", "at", 8).is_err());
    }

    #[test]
    fn the_opening_list_counts_as_arrived_at() {
        let mut game = BinaryScramble::new(&options(r#"{"turns_each":1}"#), 2);
        assert!(play(&mut game, "append", "digit", 2).is_err());
        play(&mut game, "append", "digit", 0).unwrap();
        play(&mut game, "append", "digit", 0).unwrap();
        play(&mut game, "flip", "at", 1).unwrap();
        assert!(play(&mut game, "flip", "at", 1).is_err());
    }

    #[test]
    fn the_target_ends_it() {
        let mut game = BinaryScramble::new(&options(r#"{"turns_each":1,"target":1}"#), 2);
        for digit in [0, 0] {
            play(&mut game, "append", "digit", digit).unwrap();
        }
        play(&mut game, "flip", "at", 1).unwrap();
        play(&mut game, "flip", "at", 2).unwrap();
        let outcome = game.outcome();
        assert!(outcome.over);
        assert_eq!((outcome.winners, outcome.scores), (vec![2], Some(vec![0, 1])));
    }

    #[test]
    fn perft_numbers() {
        let counts = show_perft("binary-scramble", r#"{"turns_each":1}"#, 2, 6);
        assert_eq!(counts, [(2, 0), (4, 0), (8, 0), (8, 0), (8, 8), (0, 0)]);
        let counts = show_perft("binary-scramble", r#"{"turns_each":2}"#, 2, 6);
        assert_eq!(counts[3..], [(16, 0), (64, 0), (192, 0)]);
        let counts = show_perft("binary-scramble", r#"{"turns_each":2,"target":1}"#, 2, 6);
        assert_eq!(counts[3..], [(16, 0), (64, 8), (168, 48)]);
    }
}

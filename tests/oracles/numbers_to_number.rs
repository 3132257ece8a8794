//! Numbers To Number: two secret numbers at a time write a binary list; score your numbers that it
//! represents.

use super::{Entry, LIST_LIMIT, Oracle, Outcome, check_seats, highest_score, number_option};
use serde_json::{Map, Value};
use std::collections::HashSet;

#[derive(Clone)]
pub struct NumbersToNumber {
    m: usize,
    rounds_left: usize,
    /// The binary list of this round; `None` is an underscore.
    digits: Vec<Option<usize>>,
    /// Each player's numbers in this round, in order.
    here: [Vec<usize>; 2],
    /// Each player's numbers in the whole game.
    used: [HashSet<usize>; 2],
    scores: [i64; 2],
}

impl NumbersToNumber {
    pub fn new(options: &Map<String, Value>) -> Self {
        let m = number_option(options, "m", 6);
        NumbersToNumber {
            m,
            rounds_left: top(m) / m,
            digits: Vec::new(),
            here: Default::default(),
            used: Default::default(),
            scores: [0; 2],
        }
    }

    fn end_round(&mut self) {
        for (score, numbers) in self.scores.iter_mut().zip(&self.here) {
            *score += numbers.iter().filter(|&&number| stands_for(&self.digits, number)).count() as i64;
        }
        self.digits.clear();
        self.here = Default::default();
        self.rounds_left -= 1;
    }
}

/// The largest number that may be written.
fn top(m: usize) -> usize {
    2_usize.pow(m as u32) - 1
}

/// Whether the list represents the number (the set D of the document): its leftmost digit is the highest, and
/// an underscore is either digit.
fn stands_for(digits: &[Option<usize>], number: usize) -> bool {
    digits
        .iter()
        .rev()
        .enumerate()
        .all(|(place, digit)| digit.is_none_or(|digit| digit == number >> place & 1))
}

impl Oracle for NumbersToNumber {
    fn to_move(&self) -> Vec<usize> {
        if self.rounds_left == 0 { Vec::new() } else { vec![1, 2] }
    }

    fn legal(&self, player: usize) -> Option<Vec<Entry>> {
        if !self.to_move().contains(&player) {
            return Some(Vec::new());
        }
        if top(self.m) > LIST_LIMIT {
            return None;
        }
        let free = (1..=top(self.m)).filter(|number| !self.used[player - 1].contains(number));
        Some(free.map(|number| Entry::new(player, "choose", &[("number", number.into())])).collect())
    }

    fn step(&mut self, entries: &[Entry]) -> Result<(), String> {
        check_seats(&self.to_move(), entries)?;
        let mut numbers = [0; 2];
        for (seat, entry) in entries.iter().enumerate() {
            let [number] = entry.numbers("choose", ["number"])?;
            if !(1..=top(self.m)).contains(&number) {
                return Err(format!("the numbers go from 1 to {}", top(self.m)));
            }
            if self.used[seat].contains(&number) {
                return Err(format!("player {} wrote {number} before", seat + 1));
            }
            numbers[seat] = number;
        }
        for (seat, number) in numbers.into_iter().enumerate() {
            self.used[seat].insert(number);
            self.here[seat].push(number);
        }
        let [first, second] = numbers;
        self.digits.push(if first == second { None } else { Some(usize::from(first > second)) });
        if self.digits.len() == self.m {
            self.end_round();
        }
        Ok(())
    }

    fn outcome(&self) -> Outcome {
        highest_score(self.rounds_left == 0, &self.scores)
    }

    fn boxed_clone(&self) -> Box<dyn Oracle> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{options, show_perft};
    use super::*;

    fn choose(game: &mut NumbersToNumber, first: usize, second: usize) -> Result<(), String> {
        game.step(&[
            Entry::new(1, "choose", &[("number", first.into())]),
            Entry::new(2, "choose", &[("number", second.into())]),
        ])
    }

    #[test]
    fn the_example_list() {
        let mut game = NumbersToNumber::new(&options(r#"{"m":8}"#));
        let numbers = [(69, 70), (103, 71), (101, 101), (1, 2), (3, 4), (200, 5), (6, 6)];
        for (first, second) in numbers {
            choose(&mut game, first, second).unwrap();
        }
        let (one, zero) = (Some(1), Some(0));
        let digits = [zero, one, None, zero, zero, one, None, one];
        assert_eq!(game.digits, digits[..7]);
        let d: Vec<usize> = (0..256).filter(|&x| stands_for(&digits, x)).collect();
        assert_eq!(d, [69, 71, 101, 103]);

        assert!(choose(&mut game, 69, 7).unwrap_err().contains("before"));
        choose(&mut game, 255, 68).unwrap();
        assert_eq!(game.outcome().scores, Some(vec![3, 2]));
        assert!(choose(&mut game, 69, 7).is_err(), "used in an earlier round");
        assert!(choose(&mut game, 0, 7).is_err());
        assert!(choose(&mut game, 256, 7).is_err());
    }

    #[test]
    fn as_many_rounds_as_the_document_says() {
        let mut game = NumbersToNumber::new(&options(r#"{"m":3}"#));
        for number in 1..=6 {
            assert!(!game.outcome().over);
            choose(&mut game, number, number).unwrap();
        }
        let outcome = game.outcome();
        assert!(outcome.over);
        assert_eq!((outcome.winners, outcome.scores), (vec![1, 2], Some(vec![6, 6])));
    }

    #[test]
    fn perft_numbers() {
        let counts = show_perft("numbers-to-number", r#"{"m":2}"#, 2, 2);
        assert_eq!(counts, [(9, 0), (36, 36)]);
        let counts = show_perft("numbers-to-number", r#"{"m":3}"#, 2, 3);
        assert_eq!(counts, [(49, 0), (49 * 36, 0), (49 * 36 * 25, 0)]);
    }
}

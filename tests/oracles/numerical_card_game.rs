//! Numerical Card Game: pairs of players play a card each; they score if one divides the other or they share
//! a factor, or exchange the cards.

use super::{Entry, Oracle, Outcome, check_seats, highest_score, number_option};
use num_integer::Integer;
use serde_json::{Map, Value};

#[derive(Clone)]
pub struct NumericalCardGame {
    /// Each player's fresh pile, in order; exchanges can put the same number in it twice. Moldy piles do not
    /// affect play, so they are not kept.
    fresh: Vec<Vec<usize>>,
    is_in: Vec<bool>,
    scores: Vec<i64>,
    pairs: Vec<[usize; 2]>,
    /// The index in `pairs` of the pair to play.
    at: usize,
}

impl NumericalCardGame {
    pub fn new(options: &Map<String, Value>, players: usize) -> Self {
        let m = number_option(options, "m", 12);
        NumericalCardGame {
            fresh: vec![(1..=m).collect(); players],
            is_in: vec![true; players],
            scores: vec![0; players],
            pairs: (1..=players)
                .flat_map(|first| (first + 1..=players).map(move |second| [first, second]))
                .collect(),
            at: 0,
        }
    }

    fn is_over(&self) -> bool {
        self.is_in.iter().filter(|&&is_in| is_in).count() <= 1
    }

    /// Scores the two cards, then discards or exchanges them.
    fn settle(&mut self, pair: [usize; 2], cards: [usize; 2]) {
        let (p, q) = (pair[0] - 1, pair[1] - 1);
        let [a, b] = cards;
        let (a_divides, b_divides) = (b.is_multiple_of(a), a.is_multiple_of(b));
        let coprime = a.gcd(&b) == 1;
        if a_divides {
            self.scores[p] += 2;
        }
        if b_divides {
            self.scores[q] += 2;
        }
        if !coprime && !a_divides && !b_divides {
            self.scores[p] += 1;
            self.scores[q] += 1;
        }
        for (player, gone, new) in [(p, a, b), (q, b, a)] {
            let pile = &mut self.fresh[player];
            let index = pile.iter().position(|&card| card == gone);
            pile.remove(index.expect("the card was in the pile"));
            if coprime {
                pile.push(new);
                pile.sort_unstable();
            }
            self.is_in[player] = !pile.is_empty();
        }
    }
}

impl Oracle for NumericalCardGame {
    fn to_move(&self) -> Vec<usize> {
        if self.is_over() { Vec::new() } else { self.pairs[self.at].to_vec() }
    }

    fn legal(&self, player: usize) -> Option<Vec<Entry>> {
        if !self.to_move().contains(&player) {
            return Some(Vec::new());
        }
        let mut cards = self.fresh[player - 1].clone();
        cards.dedup();
        let play = |card: usize| Entry::new(player, "play", &[("card", card.into())]);
        let drop = Entry::new(player, "drop", &[]);
        Some(cards.into_iter().map(play).chain([drop]).collect())
    }

    fn step(&mut self, entries: &[Entry]) -> Result<(), String> {
        check_seats(&self.to_move(), entries)?;
        let pair = self.pairs[self.at];
        let mut laid = [None; 2];
        for (card, entry) in laid.iter_mut().zip(entries) {
            if entry.name == "drop" {
                entry.arguments("drop", [])?;
            } else {
                let [number] = entry.numbers("play", ["card"])?;
                if !self.fresh[entry.player - 1].contains(&number) {
                    return Err(format!("no fresh {number} for player {}", entry.player));
                }
                *card = Some(number);
            }
        }
        if let [Some(a), Some(b)] = laid {
            self.settle(pair, [a, b]);
        } else {
            for (player, card) in pair.into_iter().zip(laid) {
                self.is_in[player - 1] = card.is_some();
            }
        }
        while !self.is_over() {
            self.at = (self.at + 1) % self.pairs.len();
            if self.pairs[self.at].iter().all(|p| self.is_in[p - 1]) {
                break;
            }
        }
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

    /// Plays these cards for the pair to move; 0 means to drop out.
    fn lay(game: &mut NumericalCardGame, cards: [usize; 2]) -> Result<(), String> {
        let entries: Vec<Entry> = game
            .to_move()
            .into_iter()
            .zip(cards)
            .map(|(player, card)| match card {
                0 => Entry::new(player, "drop", &[]),
                _ => Entry::new(player, "play", &[("card", card.into())]),
            })
            .collect();
        game.step(&entries)
    }

    fn without(gone: usize) -> Vec<usize> {
        (1..=12).filter(|&card| card != gone).collect()
    }

    #[test]
    fn each_possibility() {
        let cases = [
            ([3, 6], [2, 0], without(3), without(6)),
            ([6, 3], [0, 2], without(6), without(3)),
            ([4, 6], [1, 1], without(4), without(6)),
            ([7, 7], [2, 2], without(7), without(7)),
            ([1, 1], [2, 2], without(0), without(0)),
        ];
        for (cards, scores, first, second) in cases {
            let mut game = NumericalCardGame::new(&options("{}"), 2);
            lay(&mut game, cards).unwrap();
            assert_eq!(game.scores, scores, "{cards:?}");
            assert_eq!(game.fresh, [first, second], "{cards:?}");
        }
    }

    #[test]
    fn coprime_cards_change_hands() {
        let mut game = NumericalCardGame::new(&options(r#"{"m":3}"#), 2);
        lay(&mut game, [2, 3]).unwrap();
        assert_eq!(game.fresh, [[1, 3, 3], [1, 2, 2]]);
        assert_eq!(game.scores, [0, 0]);
        assert_eq!(game.legal(1).unwrap().len(), 3);
        lay(&mut game, [1, 2]).unwrap();
        assert_eq!(game.fresh, [[2, 3, 3], [1, 1, 2]]);
        assert_eq!(game.scores, [2, 0]);
        assert!(lay(&mut game, [1, 1]).is_err());
    }

    #[test]
    fn when_one_drops_the_other_keeps_the_card() {
        let mut game = NumericalCardGame::new(&options("{}"), 3);
        lay(&mut game, [0, 5]).unwrap();
        assert_eq!(game.fresh[1], without(0));
        assert_eq!(game.scores, [0, 0, 0]);
        assert_eq!(game.to_move(), [2, 3]);
    }

    #[test]
    fn pairs_go_round_without_the_absent() {
        let mut game = NumericalCardGame::new(&options("{}"), 4);
        let mut seen = Vec::new();
        for cards in [[0, 5], [5, 5], [6, 6], [7, 0], [8, 8], [9, 9]] {
            seen.push(game.to_move());
            lay(&mut game, cards).unwrap();
        }
        assert_eq!(seen, [[1, 2], [2, 3], [2, 4], [3, 4], [2, 3], [2, 3]]);
        lay(&mut game, [0, 0]).unwrap();
        let outcome = game.outcome();
        assert!(outcome.over);
        assert_eq!(outcome.scores, Some(vec![0, 8, 6, 2]));
        assert_eq!(outcome.winners, [2]);
    }

    #[test]
    fn both_may_run_out() {
        let mut game = NumericalCardGame::new(&options(r#"{"m":2}"#), 2);
        game.fresh = vec![vec![2], vec![2]];
        lay(&mut game, [2, 2]).unwrap();
        let outcome = game.outcome();
        assert!(outcome.over);
        assert_eq!(outcome.winners, [1, 2]);
    }

    #[test]
    fn perft_numbers() {
        let name = "numerical-card-game";
        let counts = show_perft(name, r#"{"m":2}"#, 2, 4);
        assert_eq!(counts, [(9, 5), (21, 14), (43, 27), (89, 58)]);
        let counts = show_perft(name, r#"{"m":3}"#, 2, 3);
        assert_eq!(counts, [(16, 7), (88, 47), (368, 199)]);
        let counts = show_perft(name, r#"{"m":2}"#, 3, 3);
        assert_eq!(counts, [(9, 1), (63, 24), (223, 119)]);
    }
}

//! Goofspiel for two with thirteen cards: a shuffled row of prizes, and a list of the cards in each hand.

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const CARDS: usize = 13;

pub struct Goofspiel;

impl Baseline for Goofspiel {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let cards: [u8; CARDS] = std::array::from_fn(|card| card as u8 + 1);
        let mut prizes = cards;
        for at in (1..CARDS).rev() {
            prizes.swap(at, pick(rng, at + 1));
        }
        let mut hands = [cards; 2];
        let mut scores = [0; 2];
        for (round, prize) in prizes.into_iter().enumerate() {
            let left = CARDS - round;
            let bids = hands.each_mut().map(|hand| {
                let chosen = pick(rng, left);
                let card = hand[chosen];
                hand[chosen] = hand[left - 1];
                card
            });
            if bids[0] != bids[1] {
                scores[usize::from(bids[1] > bids[0])] += u32::from(prize);
            }
        }
        Played::scored(scores, 2 * CARDS as u64)
    }
}

//! The Smugglers' Inn for two, with two seasons of four nights: a deck to deal from, and a list per hand.

use std::cmp::Reverse;

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const SEASONS: usize = 2;
const NIGHTS: usize = 4;
const CARDS: usize = 8;
const COPIES: usize = 3;

pub struct Inn;

/// A player's cards, and their number.
struct Hand {
    cards: [u8; NIGHTS],
    size: usize,
}

impl Baseline for Inn {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut scores = [0; 2];
        let mut won = [0; 2];
        let mut choices = 0;
        for _ in 0..SEASONS {
            let mut hands = deal(rng);
            let guesses = [(); 2].map(|()| pick(rng, NIGHTS + 1));
            choices += 2;
            won = [0; 2];
            for _ in 0..NIGHTS {
                let cards = hands.each_mut().map(|hand| hand.put(rng));
                let watch = 1 + rng.below_u64(6) as u8;
                let best = cards[0].max(cards[1]);
                choices += 2;
                let mut both_inside = true;
                for (seat, card) in cards.into_iter().enumerate() {
                    if card == best {
                        won[seat] += 1;
                    }
                    // A player who is not caught may stay or leave.
                    let stays = card != watch && {
                        choices += 1;
                        rng.below_u64(2) == 0
                    };
                    both_inside &= stays;
                }
                if !both_inside {
                    break;
                }
            }
            for seat in 0..2 {
                if guesses[seat] == won[seat] {
                    scores[seat] += 5 + won[seat];
                }
            }
        }
        // Ties in score go to the player who won fewer nights of the last season.
        let rank = |seat: usize| (scores[seat], Reverse(won[seat]));
        Played::ranked([rank(0), rank(1)], choices)
    }
}

/// Deals both players' cards from a full deck.
fn deal(rng: &mut Rng) -> [Hand; 2] {
    let mut deck: [u8; CARDS * COPIES] = std::array::from_fn(|at| (at / COPIES) as u8 + 1);
    let mut left = deck.len();
    [(); 2].map(|()| {
        let cards = [(); NIGHTS].map(|()| {
            let at = pick(rng, left);
            left -= 1;
            deck.swap(at, left);
            deck[left]
        });
        Hand { cards, size: NIGHTS }
    })
}

impl Hand {
    /// Plays a random card; equal cards count as one choice.
    fn put(&mut self, rng: &mut Rng) -> u8 {
        let cards = &mut self.cards[..self.size];
        let mut places = [0; NIGHTS];
        let mut count = 0;
        for at in 0..cards.len() {
            if !cards[..at].contains(&cards[at]) {
                places[count] = at;
                count += 1;
            }
        }
        let at = places[pick(rng, count)];
        self.size -= 1;
        let card = cards[at];
        cards[at] = cards[self.size];
        card
    }
}

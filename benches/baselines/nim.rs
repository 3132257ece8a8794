//! Misère Nim with four piles. Each object left is one move: taking it and those below it in its pile.

use parlour::num::Rng;

use super::{Baseline, Played, pick};

pub struct Nim;

impl Baseline for Nim {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut piles = [1, 3, 5, 7];
        let mut left = 16;
        let mut choices = 0;
        while left > 0 {
            let mut chosen = pick(rng, left);
            let mut pile = 0;
            while chosen >= piles[pile] {
                chosen -= piles[pile];
                pile += 1;
            }
            piles[pile] -= chosen + 1;
            left -= chosen + 1;
            choices += 1;
        }
        // The player who took the last object loses, so the player who would be next wins.
        Played::won_by(choices % 2, choices as u64)
    }
}

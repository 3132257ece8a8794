//! Goofspiel for two by backward induction: each position is a matrix game over shares of the win.

use std::collections::HashMap;

use super::matrix::equilibrium;

/// A position in which both players are to bid. Sets of cards are bit masks; card 1 is the lowest bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bidding {
    /// The prize that is bid for.
    pub prize: u32,
    /// The prizes still to come, in unknown order.
    pub prizes: u32,
    /// The cards of each player.
    pub hands: [u32; 2],
    /// How many points player 1 is ahead.
    pub lead: i32,
}

/// Memoized values of positions.
#[derive(Debug, Default)]
pub struct Goofspiel {
    values: HashMap<Bidding, f64>,
}

/// Returns the cards of a set, in ascending order.
pub fn cards(set: u32) -> impl Iterator<Item = u32> {
    (0..u32::BITS).filter(move |card| set >> card & 1 == 1).map(|card| card + 1)
}

impl Bidding {
    /// The first position of a match with cards and prizes 1 to `n`.
    pub fn first(n: u32, prize: u32) -> Bidding {
        let all = (1 << n) - 1;
        Bidding { prize, prizes: all & !(1 << (prize - 1)), hands: [all, all], lead: 0 }
    }

    /// The position after both have bid, with the given next prize.
    pub fn next(self, bids: [u32; 2], prize: u32) -> Bidding {
        let hands = [0, 1].map(|seat| self.hands[seat] & !(1 << (bids[seat] - 1)));
        Bidding { prize, prizes: self.prizes & !(1 << (prize - 1)), hands, lead: self.lead_after(bids) }
    }

    fn lead_after(self, [one, two]: [u32; 2]) -> i32 {
        self.lead + (one.cmp(&two) as i32) * self.prize as i32
    }
}

impl Goofspiel {
    /// Returns player 1's shares of the win: a row per card of player 1, a column per card of player 2.
    pub fn matrix(&mut self, at: Bidding) -> Vec<Vec<f64>> {
        let mut entry = |one: u32, two: u32| {
            if at.prizes == 0 {
                return 0.5 + 0.5 * f64::from(at.lead_after([one, two]).signum());
            }
            let values = cards(at.prizes).map(|prize| self.value(at.next([one, two], prize)));
            values.sum::<f64>() / f64::from(at.prizes.count_ones())
        };
        let [ones, twos] = at.hands;
        cards(ones).map(|one| cards(twos).map(|two| entry(one, two)).collect()).collect()
    }

    /// Returns player 1's share of the win in equilibrium.
    pub fn value(&mut self, at: Bidding) -> f64 {
        if let Some(value) = self.values.get(&at) {
            return *value;
        }
        let (value, _) = equilibrium(&self.matrix(at));
        self.values.insert(at, value);
        value
    }
}

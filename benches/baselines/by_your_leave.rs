//! By your leave for two, with three pits of three seeds each: a ring of pits, and a count of the seeds in
//! them.

use std::cmp::Reverse;

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const ROUNDS: usize = 3;
const PITS: usize = 3;
const RING: usize = 2 * PITS;
const SEEDS: u8 = 3;
/// The number of moves after which a round ends, once the current turn is over.
const CAP: usize = 100;

pub struct ByYourLeave;

struct Table {
    /// The seeds in each pit, the first player's pits before the second's.
    piles: [u8; RING],
    stores: [u8; 2],
    /// The number of seeds in pits.
    left: u8,
}

impl Baseline for ByYourLeave {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut choices = 0;
        let mut round = 0;
        loop {
            let table = play_round(round % 2, rng, &mut choices);
            round += 1;
            // A tied round is replayed, up to `ROUNDS` rounds in all.
            if table.stores[0] != table.stores[1] || round == ROUNDS {
                let rank = |seat: usize| (table.stores[seat], Reverse(table.own(seat).iter().sum::<u8>()));
                return Played::ranked([rank(0), rank(1)], choices);
            }
        }
    }
}

/// Plays a round that the seat `first` begins.
fn play_round(first: usize, rng: &mut Rng, choices: &mut u64) -> Table {
    let mut table = Table { piles: [SEEDS; RING], stores: [0; 2], left: RING as u8 * SEEDS };
    let mut me = first;
    let mut moves = 0;
    while !table.is_decided() && moves < CAP {
        loop {
            let extra = table.play_move(me, rng, choices);
            moves += 1;
            if !extra || table.is_decided() {
                break;
            }
        }
        me = 1 - me;
    }
    table
}

impl Table {
    /// Returns a player's pits.
    fn own(&self, seat: usize) -> &[u8] {
        &self.piles[seat * PITS..(seat + 1) * PITS]
    }

    /// Whether nobody can catch up with the leader, or no seeds are left in pits.
    fn is_decided(&self) -> bool {
        self.left == 0 || self.stores[0].abs_diff(self.stores[1]) > self.left
    }

    /// Draws one of a player's non-empty pits; `None` if there is none.
    fn draw_pit(&self, seat: usize, rng: &mut Rng) -> Option<usize> {
        let mut pits = [0; PITS];
        let mut count = 0;
        for (at, &seeds) in self.own(seat).iter().enumerate() {
            if seeds > 0 {
                pits[count] = seat * PITS + at;
                count += 1;
            }
        }
        (count > 0).then(|| pits[pick(rng, count)])
    }

    /// Plays a move together with the neighbour's answer. Returns whether the mover moves again.
    fn play_move(&mut self, me: usize, rng: &mut Rng, choices: &mut u64) -> bool {
        *choices += 1;
        let other = 1 - me;
        let Some(pit) = self.draw_pit(me, rng) else {
            // The player is stuck: a seed is taken from the other's pits, as all own pits are empty.
            let pit = self.draw_pit(other, rng).expect("a pit that is not empty, as something is left");
            self.piles[pit] -= 1;
            self.left -= 1;
            self.stores[me] += 1;
            return false;
        };
        *choices += 1;
        let may_refuse = self.stores[other] > 0;
        match rng.below_u64(2 + u64::from(may_refuse)) {
            0 => self.sow(me, pit, 1),
            1 => self.sow(me, pit, RING - 1),
            _ => {
                self.stores[other] -= 1;
                false
            }
        }
    }

    /// Sows a pit, advancing by `step` places per seed. If the last seed falls in one of the mover's own
    /// pits, takes the contents of that pit. Returns whether it did.
    fn sow(&mut self, me: usize, pit: usize, step: usize) -> bool {
        let mut at = pit;
        for _ in 0..std::mem::take(&mut self.piles[pit]) {
            at = (at + step) % RING;
            self.piles[at] += 1;
        }
        let extra = at / PITS == me;
        if extra {
            let taken = std::mem::take(&mut self.piles[at]);
            self.stores[me] += taken;
            self.left -= taken;
        }
        extra
    }
}

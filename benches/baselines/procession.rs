//! Procession: a row of digits, and a hash set of the multisets of run-lengths that have occurred.

use std::collections::HashSet;

use parlour::num::Rng;

use super::{Baseline, Played, pick};

/// A multiset of run-lengths: the number of runs of each length, from length 1 up.
type Lengths<const N: usize> = [u8; N];

/// The game with `N` digits.
pub struct Procession<const N: usize> {
    seen: HashSet<Lengths<N>>,
}

impl<const N: usize> Procession<N> {
    pub fn new() -> Self {
        Procession { seen: HashSet::new() }
    }
}

impl<const N: usize> Baseline for Procession<N> {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut row = [0; N];
        self.seen.clear();
        self.seen.insert(lengths(&row));
        let mut choices = 0;
        loop {
            let mut moves = [(0, [0; N]); N];
            let mut count = 0;
            for at in 0..N {
                row[at] = 1 - row[at];
                let lengths = lengths(&row);
                row[at] = 1 - row[at];
                if !self.seen.contains(&lengths) {
                    moves[count] = (at, lengths);
                    count += 1;
                }
            }
            if count == 0 {
                // The last mover wins, if anybody has moved.
                return match choices {
                    0 => Played::drawn(0),
                    _ => Played::won_by((choices - 1) % 2, choices as u64),
                };
            }
            let (at, lengths) = moves[pick(rng, count)];
            row[at] = 1 - row[at];
            self.seen.insert(lengths);
            choices += 1;
        }
    }
}

/// Returns the run-lengths of a row.
fn lengths<const N: usize>(row: &[u8; N]) -> Lengths<N> {
    let mut lengths = [0; N];
    let mut begun = 0;
    for at in 1..N {
        if row[at] != row[at - 1] {
            lengths[at - begun - 1] += 1;
            begun = at;
        }
    }
    lengths[N - begun - 1] += 1;
    lengths
}

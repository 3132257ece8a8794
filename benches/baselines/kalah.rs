//! Kalah with six holes of four seeds: a ring of fourteen places, including the stores.

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const HOLES: usize = 6;
const SEEDS: u8 = 4;
const PLACES: usize = 2 * HOLES + 2;
/// Each player's store; the player's holes are the places before it.
const STORES: [usize; 2] = [HOLES, PLACES - 1];

pub struct Kalah;

impl Baseline for Kalah {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut pits = [SEEDS; PLACES];
        pits[STORES[0]] = 0;
        pits[STORES[1]] = 0;
        let mut choices = 0;
        let mut me = 0;
        while !is_empty(&pits, 0) && !is_empty(&pits, 1) {
            loop {
                let hole = draw_hole(&pits, me, rng);
                choices += 1;
                // Extra turns continue while the mover has seeds to sow, even if the other side is empty.
                if sow(&mut pits, me, hole) != STORES[me] || is_empty(&pits, me) {
                    break;
                }
            }
            me = 1 - me;
        }
        let score =
            |seat: usize| pits[STORES[seat] - HOLES..=STORES[seat]].iter().map(|&n| u32::from(n)).sum();
        Played::scored([score(0), score(1)], choices)
    }
}

/// Whether a player's holes are all empty.
fn is_empty(pits: &[u8; PLACES], seat: usize) -> bool {
    pits[STORES[seat] - HOLES..STORES[seat]].iter().all(|&seeds| seeds == 0)
}

/// Draws a hole that has seeds in it.
fn draw_hole(pits: &[u8; PLACES], me: usize, rng: &mut Rng) -> usize {
    let mut holes = [0; HOLES];
    let mut count = 0;
    let first = STORES[me] - HOLES;
    for (at, &seeds) in pits[first..STORES[me]].iter().enumerate() {
        if seeds > 0 {
            holes[count] = first + at;
            count += 1;
        }
    }
    holes[pick(rng, count)]
}

/// Sows a hole, captures if that is due, and returns the place of the last seed.
fn sow(pits: &mut [u8; PLACES], me: usize, hole: usize) -> usize {
    let mut at = hole;
    for _ in 0..std::mem::take(&mut pits[hole]) {
        at = if at == PLACES - 1 { 0 } else { at + 1 };
        if at == STORES[1 - me] {
            at = if at == PLACES - 1 { 0 } else { at + 1 };
        }
        pits[at] += 1;
    }
    let mine = (STORES[me] - HOLES..STORES[me]).contains(&at);
    if mine && pits[at] == 1 {
        let opposite = PLACES - 2 - at;
        if pits[opposite] > 0 {
            pits[STORES[me]] += 1 + pits[opposite];
            pits[at] = 0;
            pits[opposite] = 0;
        }
    }
    at
}

//! Snails on a Cabbage with five rows: the owner and number of each square's slime, and a table of steps.

use parlour::num::Rng;

use super::{Baseline, Played, pick};

const N: usize = 5;
const SQUARES: usize = N * N;
const STEPS: usize = 3;
const WAYS: [(usize, usize); 4] = [(N - 1, 0), (0, 1), (1, 0), (0, N - 1)];
const MOVES: usize = WAYS.len() * STEPS;
const NOBODY: u8 = 2;

pub struct Snails {
    /// Where each move leads from each square: all directions with one step, then with two, and so on.
    ahead: [[u8; MOVES]; SQUARES],
}

/// Who left slime on each square, and the number in it.
struct Slime {
    owner: [u8; SQUARES],
    number: [u8; SQUARES],
}

impl Snails {
    pub fn new() -> Snails {
        let ahead = |square: usize| {
            std::array::from_fn(|mv| {
                let (steps, (rows, columns)) = (mv / WAYS.len() + 1, WAYS[mv % WAYS.len()]);
                let row = (square / N + steps * rows) % N;
                let column = (square % N + steps * columns) % N;
                (row * N + column) as u8
            })
        };
        Snails { ahead: std::array::from_fn(ahead) }
    }
}

impl Baseline for Snails {
    fn playout(&mut self, rng: &mut Rng) -> Played {
        let mut slime = Slime { owner: [NOBODY; SQUARES], number: [0; SQUARES] };
        // The squares where snails are or have been.
        let mut taken = [false; SQUARES];
        let mut at = [0, 2 * N + 2];
        taken[at[0]] = true;
        taken[at[1]] = true;
        let mut out = [false; 2];
        let mut choices = 0;
        let mut me = 0;
        while !(out[0] && out[1]) {
            if !out[me] {
                let mut moves = [0; MOVES];
                let mut count = 0;
                for (mv, &goal) in self.ahead[at[me]].iter().enumerate() {
                    if !taken[usize::from(goal)] {
                        moves[count] = mv;
                        count += 1;
                    }
                }
                if count == 0 {
                    out[me] = true;
                } else {
                    let mv = moves[pick(rng, count)];
                    slime.owner[at[me]] = me as u8;
                    slime.number[at[me]] = (mv / WAYS.len() + 1) as u8;
                    at[me] = usize::from(self.ahead[at[me]][mv]);
                    taken[at[me]] = true;
                    choices += 1;
                }
            }
            me = 1 - me;
        }
        Played::scored(self.scores(slime), choices)
    }
}

impl Snails {
    /// Returns each player's best connected region: the sum of its numbers times its number of squares.
    fn scores(&self, mut slime: Slime) -> [u32; 2] {
        let mut best = [0; 2];
        let mut stack = [0; SQUARES];
        for square in 0..SQUARES {
            let owner = slime.owner[square];
            if owner == NOBODY {
                continue;
            }
            // A flood fill that marks the squares it finds as nobody's.
            let (mut found, mut done, mut sum) = (1, 0, 0);
            stack[0] = square;
            slime.owner[square] = NOBODY;
            while done < found {
                let here = stack[done];
                done += 1;
                sum += u32::from(slime.number[here]);
                for &next in &self.ahead[here][..WAYS.len()] {
                    let next = usize::from(next);
                    if slime.owner[next] == owner {
                        slime.owner[next] = NOBODY;
                        stack[found] = next;
                        found += 1;
                    }
                }
            }
            let best = &mut best[usize::from(owner)];
            *best = (*best).max(sum * found as u32);
        }
        best
    }
}

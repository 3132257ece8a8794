//! Bots that play by mixed strategies: a move is drawn from the mix of their seat's information set.

use std::cmp::Ordering;

use super::NoAdvice;
use super::advice::{Advice, Method, MoveStats, Sure, interval};
use super::mcts::sample_index;
use crate::equilibrium::{Mix, MixedMove, Mixes};
use crate::num::Rng;
use crate::play::Seen;

/// Mixes that were read from a file.
#[derive(Debug)]
pub struct MixFile {
    /// The name of the file.
    pub name: String,
    /// The mixes.
    pub mixes: Mixes,
}

/// Mixes that a bot plays; they live until the program ends.
#[derive(Debug, Clone, Copy)]
pub struct MixFileRef(pub &'static MixFile);

impl PartialEq for MixFileRef {
    fn eq(&self, other: &MixFileRef) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for MixFileRef {}

impl MixFile {
    /// Draws a move from the mix of the information set that a seat is in.
    pub(super) fn advise(&self, seen: &Seen, rng: &mut Rng) -> Result<Advice, NoAdvice> {
        match self.mixes.at(seen) {
            Some(mix) => Ok(advice_by(mix, seen, rng)),
            // A seat with a single legal move needs no mix.
            None if seen.has_one_move() => Err(NoAdvice::NoWorld),
            None => Err(NoAdvice::Cannot(format!(
                "{} has no mix for what {} has seen here (situation {}); run `parlour equilibrium \
                 --keep` again",
                self.name,
                seen.machine().game.seat_name(seen.player() - 1),
                self.mixes.trail(seen).words()
            ))),
        }
    }
}

/// Returns advice by the mix of the information set that a seat is in: a move that is drawn from it, and what each move gets if
/// that is known.
pub(super) fn advice_by(mix: &Mix, seen: &Seen, rng: &mut Rng) -> Advice {
    let Mix { moves: mix, off } = mix;
    let weights: Vec<f64> = mix.iter().map(|of_mix| of_mix.likely).collect();
    let best = mix[sample_index(&weights, rng)].chosen.clone();
    let seat = seen.player() - 1;
    let known = mix.iter().all(|of_mix| of_mix.shares.is_some());
    let even = 1.0 / seen.machine().setup.players as f64;
    let own = |of_mix: &MixedMove| of_mix.shares.as_ref().map_or(even, |shares| shares[seat]);
    let value = settled(mix.iter().map(|of_mix| own(of_mix) * of_mix.likely).sum());
    let weighed = |of_mix: &MixedMove| MoveStats {
        shares: of_mix.shares.clone(),
        sure: if known { Sure::Expected } else { Sure::Estimated },
        ..MoveStats::new(of_mix.chosen.clone(), settled(own(of_mix)))
    };
    let moves: Vec<MoveStats> = mix.iter().map(weighed).collect();
    // Where one move is always made, nothing is mixed.
    let pure = known && weights.contains(&1.0);
    let mut order: Vec<usize> = (0..moves.len()).collect();
    if known {
        let rank = |at: usize| (weights[at], moves[at].value);
        order.sort_by(|a, b| rank(*b).partial_cmp(&rank(*a)).unwrap_or(Ordering::Equal));
    }
    Advice {
        best,
        value,
        interval: if known { ((value - off).max(0.0), (value + off).min(1.0)) } else { interval(value, 0) },
        playouts: 0,
        rollouts: 0,
        method: if known { Method::Equilibrium } else { Method::Precomputed },
        exact: known,
        moves: order.iter().map(|at| moves[*at].clone()).collect(),
        mix: if pure { Vec::new() } else { order.iter().map(|at| weights[*at]).collect() },
        line: Vec::new(),
    }
}

/// Returns all or nothing for a share that is so but for rounding.
fn settled(share: f64) -> f64 {
    /// Sums of floating-point numbers differ by less than this.
    const ROUNDING: f64 = 1e-9;
    match share {
        ..ROUNDING => 0.0,
        share if share > 1.0 - ROUNDING => 1.0,
        share => share,
    }
}

//! Mixes that take into account that seats make mistakes.

use super::Search;
use super::regret::{Minimised, add_mistakes, minimise};
use super::tree::{Subgame, Tree};
use crate::num::Ratio;

/// A move that is meant less often than this part of how often the most frequent one is does not belong to the mix.
const LEFT_OVER: f64 = 0.005;

/// Mixes of a subgame.
#[derive(Debug, Clone, Default)]
pub(super) struct Refined {
    /// As they are played, mistakes included: no move is never made.
    pub played: Vec<Vec<f64>>,
    /// As they are meant.
    pub meant: Vec<Vec<f64>>,
}

impl Refined {
    /// Returns mixes of a subgame of a tree near those that are best if seats make mistakes. `into` returns a seat's value of a next
    /// subgame.
    pub fn of(
        tree: &Tree,
        subgame: &Subgame,
        search: &Search,
        into: &dyn Fn(usize, usize) -> f64,
        goes_on: &dyn Fn() -> bool,
    ) -> (Refined, u64) {
        let limits = (search.within, search.iterations);
        let Minimised { mixes: played, iterations } =
            minimise(subgame, tree.sum.is_some(), search.tremble, into, limits, goes_on);
        let meant = played.iter().map(|mix| meant(mix, search.tremble)).collect();
        (Refined { played, meant }, iterations)
    }

    /// Returns mixes as they are meant and played if seats make mistakes.
    pub fn with_mistakes(mixes: &[Vec<Ratio>], search: &Search) -> Refined {
        let meant: Vec<Vec<f64>> = mixes.iter().map(|mix| mix.iter().map(Ratio::to_f64).collect()).collect();
        let mut played = meant.clone();
        played.iter_mut().for_each(|mix| add_mistakes(mix, search.tremble));
        Refined { played, meant }
    }
}

/// Returns a mix without the moves that are only made by mistake, or are left over because regret minimisation ended. The others keep
/// their proportions, by which the other seat is indifferent.
fn meant(played: &[f64], tremble: f64) -> Vec<f64> {
    let even = tremble / played.len() as f64;
    let least = even + LEFT_OVER * played.iter().copied().fold(0.0, f64::max);
    let kept = |likely: &f64| if *likely < least { 0.0 } else { *likely };
    let whole: f64 = played.iter().map(kept).sum();
    played.iter().map(|likely| kept(likely) / whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_that_are_not_meant_are_dropped_and_many_even_ones_are_not() {
        // A hundredth of all moves is made by mistake, a third of them each.
        let third = 0.01 / 3.0;
        assert_eq!(
            meant(&[0.75, 0.25 - third, third], 0.01),
            [0.75 / (1.0 - third), (0.25 - third) / (1.0 - third), 0.0]
        );
        let even = vec![1.0 / 1000.0; 1000];
        assert!(meant(&even, 0.01).iter().all(|likely| (likely - 0.001).abs() < 1e-12));
    }
}

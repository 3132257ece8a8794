//! What draws of chance brought each seat.

use super::{Review, ReviewedChoice};
use crate::bots::is_open;
use crate::play::Match;

/// What the draws of a match brought a seat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Luck {
    /// By how much better it stood after them; negative if it stood worse.
    pub gain: f64,
    /// The standard error of the gain.
    pub error: f64,
}

impl Luck {
    /// Returns the 95 % confidence interval of the gain.
    pub fn interval(self) -> (f64, f64) {
        (self.gain - 1.96 * self.error, self.gain + 1.96 * self.error)
    }

    /// Whether sampling error alone does not explain it.
    pub fn is_sure(self) -> bool {
        self.gain.abs() > 1.96 * self.error
    }
}

impl Review {
    /// Returns what the draws brought each seat in all: by how much better it stood after them than before, and the
    /// standard error of that. `None` if nothing was drawn after the first choice, if something
    /// is hidden, or if a step with draws has no known standing before or after them.
    ///
    /// This separates luck from skill as backgammon programs do (D. Zare, "Hedging toward skill", 2000): what the
    /// value loses at choices is skill, what it gains or loses at draws is luck.
    pub fn luck(&self, whole: &Match) -> Option<Vec<Luck>> {
        if !is_open(&whole.rules.game) {
            return None;
        }
        let mut luck = vec![(0.0, 0.0); whole.players()];
        let mut drawn = false;
        for (at, stop) in self.stops.iter().enumerate() {
            if !whole.steps().nth(stop.step)?.iter().any(|entry| entry.player == 0) {
                continue;
            }
            let [ReviewedChoice { left: Some(left), .. }] = stop.choices.as_slice() else { return None };
            let end = (self.end.clone(), vec![0.0; whole.players()]);
            let next = self.stops.get(at + 1).map(|next| (next.values.clone(), next.errors.clone()));
            let (Some(values), errors) = next.unwrap_or(end) else { return None };
            drawn = true;
            for (seat, (sum, variance)) in luck.iter_mut().enumerate() {
                *sum += self.measure.gain(values[seat], left.values[seat]);
                *variance += errors[seat].powi(2) + left.error(seat).powi(2);
            }
        }
        let luck = luck.into_iter().map(|(gain, variance)| Luck { gain, error: variance.sqrt() });
        drawn.then(|| luck.collect())
    }
}

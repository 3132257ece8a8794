//! How much effort a review takes if nothing else is asked for, and how far it has come.

use super::{AGAIN, MOST_AGAIN, REVIEW_EFFORT};
use crate::bots::{Effort, is_open};
use crate::explore::counted;
use crate::play::Match;

/// All steps of a match share so many playouts, with at least so many for each, so that a review takes a few seconds.
const SHARED_PLAYOUTS: u64 = 24_000;
const LEAST_PLAYOUTS: u64 = 100;
/// The same where something is hidden or several choose at the same time, which makes judging a choice take far longer.
const SHARED_IN_SECRET: u64 = 8_000;

/// Returns the effort per evaluation of a match unless another is asked for.
pub fn review_effort(whole: &Match) -> Effort {
    let game = &whole.machine().game;
    let slow = !is_open(game) || game.choices.iter().any(|choice| choice.together);
    match REVIEW_EFFORT {
        Effort::Playouts(most) => {
            let shared = if slow { SHARED_IN_SECRET } else { SHARED_PLAYOUTS };
            let each = shared / whole.depth().max(1) as u64;
            Effort::Playouts((each / 10 * 10).clamp(LEAST_PLAYOUTS, most))
        }
        effort => effort,
    }
}

/// How far a review has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReviewProgress {
    /// How many steps are reviewed.
    pub steps: usize,
    /// How many steps there are to review.
    pub all: usize,
    /// How many choices have been judged again with more effort, of how many, once all steps are reviewed.
    pub again: Option<(usize, usize)>,
    /// How many moves and outcomes have been looked at, while the game is being solved as a whole before the first step.
    pub solving: Option<u64>,
}

impl ReviewProgress {
    /// Returns the share of the work that is done, by an estimate of what will be judged again.
    pub fn share(self) -> f64 {
        let again = match self.again {
            Some((_, all)) => all,
            None => MOST_AGAIN.min(self.all / 4),
        };
        let (done, again) = (self.again.map_or(0, |(done, _)| done), again * AGAIN as usize);
        (self.steps + done * AGAIN as usize) as f64 / (self.all + again).max(1) as f64
    }

    /// Describes it: `3 of 26 steps reviewed`, `all 26 steps reviewed, and 2 of 6 choices again`.
    pub fn words(self) -> String {
        if let Some(looked) = self.solving {
            let so_far = match looked / 1_000_000 {
                0 => String::new(),
                1 => ": 1 million moves".to_string(),
                millions => format!(": {millions} million moves"),
            };
            return format!("solving the whole game{so_far}");
        }
        match self.again {
            Some((done, all)) if all > 0 => {
                format!(
                    "all {} steps reviewed, and {done} of {} again",
                    self.all,
                    counted(all as u64, "choice", "choices")
                )
            }
            _ => format!("{} of {} reviewed", self.steps, counted(self.all as u64, "step", "steps")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_that_is_done_counts_what_is_judged_again() {
        let of = |steps, again| ReviewProgress { steps, all: 24, again, solving: None };
        // Six choices may be judged again, each with eight times the effort.
        assert_eq!(of(24, None).share(), 24.0 / 72.0);
        assert_eq!((of(24, Some((0, 2))).share(), of(24, Some((1, 2))).share()), (24.0 / 40.0, 32.0 / 40.0));
        assert_eq!(of(24, Some((0, 0))).share(), 1.0);
        assert_eq!(of(24, Some((1, 2))).words(), "all 24 steps reviewed, and 1 of 2 choices again");
        assert_eq!(of(3, None).words(), "3 of 24 steps reviewed");
        let solving = |looked| ReviewProgress { solving: Some(looked), ..of(0, None) }.words();
        assert_eq!(solving(900_000), "solving the whole game");
        assert_eq!(solving(12_345_678), "solving the whole game: 12 million moves");
    }
}

//! Random matches of two games played side by side, with the same choices and draws in both.

use std::ops::Range;

use super::stop::{GamePair, StepLimits, StepPair};
use super::{Difference, Parting};
use crate::engine::Engine;
use crate::num::Rng;

/// How many moves or outcomes of each game are tried in the other if there are too many to list.
const TRIED: usize = 24;
/// How many combinations of joint choices are listed to draw one from.
const LISTED: usize = 4_000;

/// Plays the matches with these numbers, each for at most `most` steps. Returns the earliest parting found,
/// and of several equally early ones that of the first match.
pub(super) fn play<E: Engine>(
    two: &GamePair<E>,
    seed: u64,
    numbers: Range<u64>,
    most: u64,
) -> Option<Parting> {
    let mut found: Option<Parting> = None;
    for number in numbers {
        let most = found.as_ref().map_or(most, |found| found.steps[0].len() as u64);
        if let Err((way, difference)) = play_one(two, &mut Rng::nth(seed, number), most)
            && (way.len() as u64) < most
        {
            let steps = [0, 1].map(|game| way.iter().map(|step: &StepPair| step.0[game].clone()).collect());
            found = Some(Parting { steps, difference, in_match: Some(number) });
        }
    }
    found
}

/// Plays one match; the error is the difference found, with the steps that lead to it.
fn play_one<E: Engine>(
    two: &GamePair<E>,
    rng: &mut Rng,
    most: u64,
) -> Result<(), (Vec<StepPair>, Difference)> {
    let mut way = Vec::new();
    let mut at = match two.start() {
        Ok(Some(start)) => start,
        Ok(None) => return Ok(()),
        Err(difference) => return Err((way, difference)),
    };
    while (way.len() as u64) < most {
        match step(two, &at, rng) {
            Ok(Some(step)) => match two.go(&at, &step) {
                Ok(Some(next)) => {
                    way.push(step);
                    at = next;
                }
                Ok(None) => return Ok(()),
                Err(difference) => {
                    way.push(step);
                    return Err((way, difference));
                }
            },
            Ok(None) => return Ok(()),
            Err(difference) => return Err((way, difference)),
        }
    }
    Ok(())
}

/// Draws a random step among those that are possible; `None` at the end.
fn step<E: Engine>(
    two: &GamePair<E>,
    at: &[E::State; 2],
    rng: &mut Rng,
) -> Result<Option<StepPair>, Difference> {
    let limits = StepLimits { steps: LISTED, moves: TRIED, outcomes: TRIED, tried: 0, seed: 0 };
    let mut onward = two.next_steps(at, limits)?;
    if !onward.exhaustive {
        return two.drawn(at, rng);
    }
    if onward.steps.is_empty() {
        return Ok(None);
    }
    let nth = rng.below_u64(onward.steps.len() as u64) as usize;
    Ok(Some(onward.steps.swap_remove(nth)))
}

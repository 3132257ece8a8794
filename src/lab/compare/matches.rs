//! Random matches of two games played side by side: the same choices and the same draws in both.

use std::ops::Range;

use super::stop::{Both, Two};
use super::{Difference, Parting};
use crate::engine::Engine;
use crate::num::Rng;

/// How many moves of each game are tried in the other where they are too many to be listed.
const TRIED: usize = 24;
/// How many combinations of choices made together are listed, to draw from.
const LISTED: usize = 4_000;

/// Plays the matches with these numbers; of those in which the games part, the one that does so first, and of several the
/// first. Each is given up after so many steps.
pub(super) fn play<E: Engine>(two: &Two<E>, seed: u64, numbers: Range<u64>, most: u64) -> Option<Parting> {
    let mut found: Option<Parting> = None;
    for number in numbers {
        let most = found.as_ref().map_or(most, |found| found.steps[0].len() as u64);
        if let Err((way, difference)) = play_one(two, &mut Rng::nth(seed, number), most)
            && (way.len() as u64) < most
        {
            let steps = [0, 1].map(|game| way.iter().map(|step: &Both| step.0[game].clone()).collect());
            found = Some(Parting { steps, difference, in_match: Some(number) });
        }
    }
    found
}

/// One match; the error is the way to where the games part.
fn play_one<E: Engine>(two: &Two<E>, rng: &mut Rng, most: u64) -> Result<(), (Vec<Both>, Difference)> {
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

/// A step drawn at random among those that are possible; `None` at the end.
fn step<E: Engine>(two: &Two<E>, at: &[E::State; 2], rng: &mut Rng) -> Result<Option<Both>, Difference> {
    let mut onward = two.onward(at, LISTED, TRIED)?;
    if !onward.whole {
        return two.drawn(at, rng);
    }
    if onward.steps.is_empty() {
        return Ok(None);
    }
    let nth = rng.below_u64(onward.steps.len() as u64) as usize;
    Ok(Some(onward.steps.swap_remove(nth)))
}

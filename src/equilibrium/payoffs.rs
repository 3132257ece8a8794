//! What the end of a match is worth to each seat, by what they maximise.

use super::{Aim, Stop};
use crate::engine::Engine;
use crate::num::{Int, Ratio};
use crate::play::score_decides;

/// Returns each seat's payoff at the end of the match.
pub(super) fn payoffs<E: Engine>(engine: &E, aim: Aim, state: &E::State) -> Result<Vec<Ratio>, Stop> {
    let machine = engine.machine();
    let many = machine.setup.players;
    let seats = 0..many;
    if aim == Aim::Win {
        let winners = engine.outcome(state).map_or(Vec::new(), |outcome| outcome.winners);
        let sharers = if winners.is_empty() { many } else { winners.len() };
        let value = |seat: usize| match (winners.is_empty() || winners.contains(&seat), many) {
            (true, 3..) => Ratio::new(&Int::ONE, &Int::from(sharers)),
            (false, 3..) => Ratio::ZERO,
            (true, _) if winners == [seat] => Ratio::ONE,
            (true, _) => Ratio::ZERO,
            (false, _) => -&Ratio::ONE,
        };
        return Ok(seats.map(value).collect());
    }
    let Some(scores) = engine.scores(state)? else {
        return Err(Stop::Refused("this game has no scores to play for".to_string()));
    };
    let scores: Vec<Int> = match score_decides(&machine.game) {
        Some(false) => scores.iter().map(|score| -score).collect(),
        _ => scores,
    };
    let sum = scores.iter().fold(Int::ZERO, |sum, score| sum.add(score));
    let worth = |seat: usize| match (aim, many) {
        (Aim::Own, _) | (_, 1) => Ratio::from(scores[seat].clone()),
        (_, all) => {
            let others = Ratio::new(&sum.sub(&scores[seat]), &Int::from(all - 1));
            Ratio::from(scores[seat].clone()).sub(&others)
        }
    };
    Ok(seats.map(worth).collect())
}

/// Returns the share of the win, from 0 to 1, that a payoff for the win stands for in a match of so many seats.
pub(super) fn share_of(payoff: f64, seats: usize) -> f64 {
    let share = if seats > 2 { payoff } else { (payoff + 1.0) / 2.0 };
    share.clamp(0.0, 1.0)
}

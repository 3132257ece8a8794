//! What the end of a match is worth to each seat.

use crate::engine::Engine;
use crate::eval::{Fault, Machine, Outcome};
use crate::num::Int;
use crate::play::score_decides;

/// What seats play for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// To win: 1 for the sole winner, −1 for whoever loses, 0 where the win is shared or nobody's.
    Win,
    /// For points: with two seats the difference, else each seat's own.
    Points {
        /// Whether more are better.
        highest: bool,
    },
}

impl Goal {
    /// Playing for points in a game; `None` where it keeps none. They are to be low where the fewest win.
    pub fn points(machine: &Machine) -> Option<Goal> {
        if matches!(machine.game.scoring, crate::ir::Scoring::None) {
            return None;
        }
        Some(Goal::Points { highest: score_decides(&machine.game) != Some(false) })
    }

    /// What seats play for unless told otherwise: to win, but alone for the points that decide.
    pub fn usual(machine: &Machine) -> Goal {
        match score_decides(&machine.game).filter(|_| machine.setup.players == 1) {
            Some(highest) => Goal::Points { highest },
            None => Goal::Win,
        }
    }
}

/// What a match that is over is worth to each seat.
pub fn payoffs<E: Engine>(engine: &E, state: &E::State, goal: Goal) -> Result<Vec<Int>, Fault> {
    let seats = engine.machine().setup.players;
    let Goal::Points { highest } = goal else {
        return Ok((0..seats).map(|seat| Int::from(i64::from(of_win(engine, state, seat)))).collect());
    };
    let points = engine.scores(state)?.unwrap_or_else(|| vec![Int::ZERO; seats]);
    let points: Vec<Int> = if highest { points } else { points.iter().map(|points| -points).collect() };
    Ok(match points.as_slice() {
        [first, second] => vec![first.sub(second), second.sub(first)],
        _ => points,
    })
}

/// What it is worth to one seat, as a number of 32 bits; `None` where it is beyond.
pub fn payoff<E: Engine>(
    engine: &E,
    state: &E::State,
    goal: Goal,
    seat: usize,
) -> Result<Option<i32>, Fault> {
    if goal == Goal::Win {
        return Ok(Some(of_win(engine, state, seat)));
    }
    let all = payoffs(engine, state, goal)?;
    Ok(all[seat].as_i64().and_then(|n| i32::try_from(n).ok()).filter(|n| n.unsigned_abs() < i32::MAX as u32))
}

fn of_win<E: Engine>(engine: &E, state: &E::State, seat: usize) -> i32 {
    match engine.outcome(state).unwrap_or(Outcome { winners: Vec::new() }).winners.as_slice() {
        [] => 0,
        [sole] if *sole == seat => 1,
        several if several.len() > 1 && several.contains(&seat) => 0,
        _ => -1,
    }
}

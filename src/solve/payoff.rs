//! Payoffs: the value of a finished match to each seat.

use crate::engine::Engine;
use crate::eval::{Fault, Machine, Outcome};
use crate::num::Int;
use crate::play::score_decides;

/// What the seats play for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// To win: 1 for the sole winner, −1 for losers, 0 if several seats win or nobody does.
    Win,
    /// For points: the difference if there are two seats, otherwise each seat's own.
    Points {
        /// Whether more points are better.
        highest: bool,
    },
}

impl Goal {
    /// Returns the goal of scoring many points, or few if the fewest win; `None` if the game keeps no score.
    pub fn points(machine: &Machine) -> Option<Goal> {
        if matches!(machine.game.scoring, crate::ir::Scoring::None) {
            return None;
        }
        Some(Goal::Points { highest: score_decides(&machine.game) != Some(false) })
    }

    /// Returns the default goal: to win, or for a single player the points that decide.
    pub fn usual(machine: &Machine) -> Goal {
        match score_decides(&machine.game).filter(|_| machine.setup.players == 1) {
            Some(highest) => Goal::Points { highest },
            None => Goal::Win,
        }
    }

    /// Converts what a match is worth to a seat under the usual goal: to a single player's score, or to a share of the
    /// win, where a draw counts as half. A seat that plays alone cannot lose.
    pub fn score_or_share(self, worth: f64, players: usize) -> f64 {
        match self {
            Goal::Points { highest: true } => worth,
            Goal::Points { highest: false } => -worth,
            Goal::Win if players == 1 => worth,
            Goal::Win => worth.midpoint(1.0),
        }
    }
}

/// Returns the payoff of a finished match to each seat.
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

/// Returns the payoff to one seat as a 32-bit number; `None` if it is too large.
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

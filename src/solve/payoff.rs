//! Payoffs: the value of a finished match to each seat.

use crate::engine::Engine;
use crate::eval::{Fault, Machine, Outcome};
use crate::num::{Int, Ratio};
use crate::play::score_decides;

/// What the seats play for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// To win. With one or two seats: 1 for the sole winner, −1 for losers, 0 if several seats win or nobody does. With
    /// more, each seat's share of the win.
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
            Goal::Win if players == 2 => worth.midpoint(1.0),
            Goal::Win => worth,
        }
    }

    /// Whether payoffs are the ranks of [`share_of_rank`].
    pub(super) fn plays_for_shares(self, seats: usize) -> bool {
        self == Goal::Win && seats > 2
    }

    /// Returns the payoff of a match that never ends: nobody wins.
    pub(super) fn of_endless(self, seats: usize) -> i64 {
        match self {
            // A single player for points has none before the end, so this is the worst result.
            Goal::Points { .. } if seats == 1 => i64::MIN,
            _ => i64::from(self.plays_for_shares(seats)),
        }
    }
}

/// Returns the share of the win that a rank stands for. Among more than two seats, the payoffs of the goal to win are
/// ranks, which are whole numbers and ordered as the shares are: 0 for a loser, and one more the fewer share the win, up
/// to the number of seats for a sole winner. If nobody wins, all share.
pub fn share_of_rank(rank: i64, seats: usize) -> Ratio {
    let seats = i64::try_from(seats).unwrap_or(i64::MAX);
    match rank {
        ..=0 => Ratio::ZERO,
        rank => Ratio::new(&Int::ONE, &Int::from(seats + 1 - rank)),
    }
}

/// Returns by how much wins outnumber losses at an end of which a seat gets a share: 1 for the sole winner, −1 for a
/// loser, 0 for those who share.
pub fn balance_of_share(share: &Ratio) -> Ratio {
    match *share == Ratio::ONE {
        true => Ratio::ONE,
        false if *share == Ratio::ZERO => -&Ratio::ONE,
        false => Ratio::ZERO,
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
    let winners = engine.outcome(state).unwrap_or(Outcome { winners: Vec::new() }).winners;
    let seats = engine.machine().setup.players;
    if Goal::Win.plays_for_shares(seats) {
        return match winners.len() {
            0 => 1,
            many if winners.contains(&seat) => (seats + 1 - many) as i32,
            _ => 0,
        };
    }
    match winners.as_slice() {
        [] => 0,
        [sole] if *sole == seat => 1,
        several if several.len() > 1 && several.contains(&seat) => 0,
        _ => -1,
    }
}

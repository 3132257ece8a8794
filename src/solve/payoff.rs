//! Payoffs: the value of a finished match to each side. Those who win and lose together are one side.

use crate::engine::Engine;
use crate::eval::{Fault, Machine, Outcome};
use crate::ir::{Interests, Scoring};
use crate::num::{Int, Ratio};
use crate::play::score_decides;

use super::Worth;

/// What the sides play for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// To win. With one or two sides: 1 for the sole winner, −1 for losers, 0 if both sides win or nobody does. With
    /// more, each side's share of the win.
    Win,
    /// For points: the difference if there are two sides, otherwise each side's own.
    Points {
        /// Whether more points are better.
        highest: bool,
    },
}

impl Goal {
    /// Returns the goal of scoring many points, or few if the fewest win; `None` if the game keeps no score.
    pub fn points(machine: &Machine) -> Option<Goal> {
        if matches!(machine.game.scoring, Scoring::None) {
            return None;
        }
        Some(Goal::Points { highest: score_decides(&machine.game) != Some(false) })
    }

    /// Returns the default goal: to win, or the points that decide where nobody plays against anybody.
    pub fn usual(machine: &Machine) -> Goal {
        match score_decides(&machine.game).filter(|_| machine.interests == Interests::Common) {
            Some(highest) => Goal::Points { highest },
            None => Goal::Win,
        }
    }

    /// Converts what a match is worth to one of so many sides under the usual goal: to the score of a single side, or to
    /// a share of the win, where a draw counts as half. A side that plays alone cannot lose.
    pub fn score_or_share(self, worth: f64, sides: usize) -> f64 {
        match self {
            Goal::Points { highest: true } => worth,
            Goal::Points { highest: false } => -worth,
            Goal::Win if sides == 2 => worth.midpoint(1.0),
            Goal::Win => worth,
        }
    }

    /// Whether payoffs are the ranks of [`share_of_rank`].
    pub(super) fn plays_for_shares(self, sides: usize) -> bool {
        self == Goal::Win && sides > 2
    }

    /// Returns the payoff of a match that never ends: nobody wins.
    pub(super) fn of_endless(self, sides: usize) -> i64 {
        match self {
            // A single side that plays for points has none before the end, so this is the worst result.
            Goal::Points { .. } if sides == 1 => i64::MIN,
            _ => i64::from(self.plays_for_shares(sides)),
        }
    }
}

/// Returns the share of the win that a rank stands for. Among more than two sides, the payoffs of the goal to win are
/// ranks, which are whole numbers and ordered as the shares are: 0 for a loser, and one more the fewer share the win, up
/// to the number of sides for a sole winner. If nobody wins, all share.
pub fn share_of_rank(rank: i64, sides: usize) -> Ratio {
    let sides = i64::try_from(sides).unwrap_or(i64::MAX);
    match rank {
        ..=0 => Ratio::ZERO,
        rank => Ratio::new(&Int::ONE, &Int::from(sides + 1 - rank)),
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

/// What the end of a match is worth to each side.
#[derive(Debug, Clone)]
pub struct Payoffs {
    /// What the sides play for.
    pub goal: Goal,
    /// How many sides there are.
    pub sides: usize,
    /// The side of each seat. Sides are in the order of their first seats.
    of: Vec<usize>,
    /// Whether the points of a seat are those of its side; otherwise the side has those of all its seats together.
    in_common: bool,
}

impl Payoffs {
    /// Returns the payoffs of a game whose players are fixed.
    pub fn of(machine: &Machine, goal: Goal) -> Payoffs {
        let sides = machine.sides();
        let mut of = vec![0; machine.setup.players];
        for (number, side) in sides.iter().enumerate() {
            side.iter().for_each(|seat| of[*seat] = number);
        }
        let in_common = goal != Goal::Win && machine.sides_have_common_scores();
        Payoffs { goal, sides: sides.len(), of, in_common }
    }

    /// Returns the side of a seat, both from 0.
    pub fn side(&self, seat: usize) -> usize {
        self.of[seat]
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> usize {
        self.of.len()
    }

    /// Returns for each seat what its side gets.
    pub fn by_seat(&self, by_side: &[Worth]) -> Vec<Worth> {
        if by_side.is_empty() {
            return Vec::new();
        }
        self.of.iter().map(|side| by_side[*side].clone()).collect()
    }

    /// Returns the payoff of a finished match to each side.
    pub fn at<E: Engine>(&self, engine: &E, state: &E::State) -> Result<Vec<Int>, Fault> {
        let Goal::Points { highest } = self.goal else {
            let winners = winners(engine, state);
            return Ok((0..self.sides)
                .map(|side| Int::from(i64::from(self.of_win(&winners, side))))
                .collect());
        };
        let mut points = vec![Int::ZERO; self.sides];
        for (seat, own) in engine.scores(state)?.unwrap_or_default().iter().enumerate() {
            let points = &mut points[self.of[seat]];
            *points = if self.in_common { own.clone() } else { points.add(own) };
        }
        if !highest {
            points = points.iter().map(|points| -points).collect();
        }
        Ok(match points.as_slice() {
            [first, second] => vec![first.sub(second), second.sub(first)],
            _ => points,
        })
    }

    /// Returns the payoff to one side as a 32-bit number; `None` if it is too large.
    pub fn of_side<E: Engine>(
        &self,
        engine: &E,
        state: &E::State,
        side: usize,
    ) -> Result<Option<i32>, Fault> {
        if self.goal == Goal::Win {
            return Ok(Some(self.of_win(&winners(engine, state), side)));
        }
        let all = self.at(engine, state)?;
        Ok(all[side]
            .as_i64()
            .and_then(|n| i32::try_from(n).ok())
            .filter(|n| n.unsigned_abs() < i32::MAX as u32))
    }

    fn of_win(&self, winners: &[usize], side: usize) -> i32 {
        let wins = |side: usize| winners.iter().any(|seat| self.of[*seat] == side);
        if !self.goal.plays_for_shares(self.sides) {
            let lost = (0..self.sides).any(|other| other != side && wins(other));
            return i32::from(wins(side)) - i32::from(lost);
        }
        match (0..self.sides).filter(|side| wins(*side)).count() {
            0 => 1,
            many if wins(side) => (self.sides + 1 - many) as i32,
            _ => 0,
        }
    }
}

fn winners<E: Engine>(engine: &E, state: &E::State) -> Vec<usize> {
    engine.outcome(state).map_or_else(Vec::new, |Outcome { winners }| winners)
}

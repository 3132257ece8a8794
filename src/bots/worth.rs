//! What the end of a match is worth to each seat: its share of the win, and a little for the margin.

use crate::engine::Engine;
use crate::eval::{Fault, Machine};
use crate::num::Int;
use crate::play::score_decides;

/// How much of a reward the margin makes; the rest is the share of the win. It must not outweigh a win, and it is enough
/// to tell apart moves that all lose, or all win.
const MARGIN: f64 = 0.05;

/// What is left of a share of the win where it is shared: whoever is as likely to win as to lose plays on, rather than agree on
/// a draw.
const SHARED: f64 = 0.92;

/// The seats that win, a bit each, and after how many more choices: of a position whose end is certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Proof {
    /// The winners, a bit for each seat.
    pub winners: u64,
    /// How many choices are left until then.
    pub choices: u32,
}

impl Proof {
    /// Of a match that is over.
    pub fn of(winners: &[usize]) -> Proof {
        Proof { winners: winners.iter().fold(0, |all, seat| all | 1 << seat), choices: 0 }
    }

    /// The same, seen from one choice before.
    #[must_use]
    pub fn before(self) -> Proof {
        Proof { choices: self.choices.saturating_add(1), ..self }
    }

    /// Whether a seat (from 0) wins alone.
    pub fn wins(self, seat: usize) -> bool {
        self.winners == 1 << seat
    }

    /// A seat's share of the win, among so many seats: the winners share it; where nobody wins, all do.
    pub fn share(self, seat: usize, seats: usize) -> f64 {
        match self.winners {
            0 if seats > 1 => 1.0 / seats as f64,
            0 => 0.0,
            winners if winners >> seat & 1 == 1 => 1.0 / f64::from(winners.count_ones()),
            _ => 0.0,
        }
    }

    /// What that is worth to a seat which plays to win: a share of a win that others share is worth a little less.
    pub fn reward(self, seat: usize, seats: usize) -> f64 {
        let share = self.share(seat, seats);
        if self.winners.count_ones() == 1 { share } else { SHARED * share }
    }

    /// How good it is for a seat: a greater share first; then a win soon, and a loss late.
    pub fn rank(self, seat: usize, seats: usize) -> (f64, f64) {
        let share = self.share(seat, seats);
        let choices = f64::from(self.choices);
        (share, if share > 0.0 { -choices } else { choices })
    }
}

/// Whether one seat plays alone, for its score: whatever it does it wins, and only the score tells matches apart.
pub fn plays_for_score(machine: &Machine) -> bool {
    machine.setup.players == 1 && score_decides(&machine.game).is_some()
}

fn number(score: &Int) -> f64 {
    score.as_i64().map_or(0.0, |n| n as f64)
}

/// What ends are worth in a game.
#[derive(Debug, Clone)]
pub struct Worth {
    /// How many seats there are.
    pub seats: usize,
    /// Where the score decides: whether the highest wins.
    highest: Option<bool>,
    /// The mean of all margins so far, and of how many.
    spread: (f64, f64),
}

impl Worth {
    /// Of a game whose options and players are fixed.
    pub fn of(machine: &Machine) -> Worth {
        Worth { seats: machine.setup.players, highest: score_decides(&machine.game), spread: (0.0, 0.0) }
    }

    /// How far each seat's score is ahead of the best other one, from 0 to 1; a half is level. `None` where the score
    /// decides nothing.
    pub fn margins<E: Engine>(&mut self, engine: &E, state: &E::State) -> Result<Option<Vec<f64>>, Fault> {
        let Some(highest) = self.highest.filter(|_| self.seats > 1) else { return Ok(None) };
        let Some(scores) = engine.scores(state)? else { return Ok(None) };
        let scores: Vec<f64> = scores.iter().map(|s| if highest { number(s) } else { -number(s) }).collect();
        let others = |seat: usize| {
            let others = scores.iter().enumerate().filter(|(other, _)| *other != seat);
            others.fold(f64::NEG_INFINITY, |best, (_, score)| best.max(*score))
        };
        let ahead: Vec<f64> = (0..self.seats).map(|seat| scores[seat] - others(seat)).collect();
        let (sum, count) = &mut self.spread;
        *sum += ahead[0].abs();
        *count += 1.0;
        // What is usual in this game is half the way to the most there can be.
        let usual = 1.0 + *sum / *count;
        Ok(Some(ahead.iter().map(|by| 0.5 + 0.5 * by / (by.abs() + usual)).collect()))
    }

    /// The score that a reward stands for, where one seat plays alone for it.
    pub fn score(&self, reward: f64) -> Option<f64> {
        let highest = self.highest.filter(|_| self.seats == 1)?;
        Some(if highest { reward } else { -reward })
    }

    /// What each seat gets at a position where a playout has come to its end, or was given up: its share of the win, and
    /// its reward with the margin mixed in, from 0 to 1; of who plays alone for the score, the score, the more the better.
    /// And the end, where there is one and it tells matches apart.
    pub fn rewards<E: Engine>(
        &mut self,
        engine: &E,
        state: &E::State,
        rewards: &mut Vec<(f64, f64)>,
    ) -> Result<Option<Proof>, Fault> {
        let end = engine.outcome(state).map(|outcome| Proof::of(&outcome.winners));
        if let Some(highest) = self.highest.filter(|_| self.seats == 1) {
            let scores = engine.scores(state)?.unwrap_or_default();
            let score = scores.first().map_or(0.0, number);
            rewards.clear();
            rewards.push((end.map_or(0.0, |end| end.share(0, 1)), if highest { score } else { -score }));
            return Ok(None);
        }
        let margins = self.margins(engine, state)?;
        rewards.clear();
        for seat in 0..self.seats {
            let end = end.unwrap_or(Proof::of(&[]));
            let reward = end.reward(seat, self.seats);
            let mixed = margins.as_ref().map_or(reward, |by| (1.0 - MARGIN) * reward + MARGIN * by[seat]);
            rewards.push((end.share(seat, self.seats), mixed));
        }
        Ok(end)
    }
}

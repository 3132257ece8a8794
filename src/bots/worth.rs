//! What the end of a match is worth to each seat: its share of the win, and a small part for the margin.

use crate::engine::Engine;
use crate::eval::{Fault, Machine};
use crate::ir::{Interests, Scoring};
use crate::num::Int;
use crate::play::score_decides;
use crate::solve::Goal;

/// The part of a reward that depends on the margin; the rest is the share of the win. It is too small to
/// outweigh a win but tells apart moves that all lose or all win.
const MARGIN: f64 = 0.05;

/// The factor on a shared win, so that a seat with even chances plays on instead of settling for a draw.
const SHARED: f64 = 0.92;

/// The certain end of a match under best play: the winners, and how many choices away it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Proof {
    /// The winning seats, one bit per seat.
    pub winners: u64,
    /// How many choices are left until the end, or [`Proof::SOME`].
    pub choices: u32,
    /// Whether the seats win and lose together.
    pub interests: Interests,
}

impl Proof {
    /// The number of choices until the end where it is not known.
    pub const SOME: u32 = u32::MAX;

    /// Describes an end, after some choices, that is worth this share of the win to a seat (from 0) of one of two sides; `None` if no
    /// end is worth that.
    pub fn of_two(share: f64, seat: usize, machine: &Machine) -> Option<Proof> {
        let (interests, seats) = (machine.interests, machine.setup.players);
        let own = interests.partners(seat, seats);
        let winners = match share {
            1.0 => own,
            0.0 => (0..seats).fold(0, |all, seat| all | 1 << seat) & !own,
            0.5 => 0,
            _ => return None,
        };
        Some(Proof { winners, choices: Proof::SOME, interests })
    }

    /// Describes a match that is over.
    pub fn of(winners: &[usize], interests: Interests) -> Proof {
        Proof { winners: winners.iter().fold(0, |all, seat| all | 1 << seat), choices: 0, interests }
    }

    /// Returns the same end as seen one choice earlier.
    #[must_use]
    pub fn before(self) -> Proof {
        Proof { choices: self.choices.saturating_add(1), ..self }
    }

    /// Whether a seat (from 0) is the only winner, or wins together with all others or its team.
    pub fn wins(self, seat: usize) -> bool {
        match self.interests {
            Interests::Opposed => self.winners == 1 << seat,
            Interests::Common => self.winners != 0,
            Interests::Teams(_) => self.winners == self.interests.partners(seat, Interests::MOST_IN_TEAMS),
        }
    }

    /// Returns a seat's share of the win: winners share it equally, and if nobody wins all seats do. Seats that win
    /// and lose together have all of it or nothing; so has each seat of a team what the team gets, which teams share.
    pub fn share(self, seat: usize, seats: usize) -> f64 {
        match (self.interests, self.winners) {
            (Interests::Common, 0) => 0.0,
            (Interests::Common, _) => 1.0,
            (Interests::Opposed, 0) => 1.0 / seats as f64,
            (Interests::Opposed, winners) if winners >> seat & 1 == 1 => {
                1.0 / f64::from(winners.count_ones())
            }
            (Interests::Opposed, _) => 0.0,
            (interests @ Interests::Teams(_), winners) => {
                let wins = |side: &Vec<usize>| side.iter().any(|seat| winners >> seat & 1 == 1);
                let sides = interests.sides(seats);
                match sides.iter().filter(|side| wins(side)).count() {
                    0 => 1.0 / sides.len() as f64,
                    winning => {
                        let own = sides.iter().find(|side| side.contains(&seat));
                        if own.is_some_and(wins) { 1.0 / winning as f64 } else { 0.0 }
                    }
                }
            }
        }
    }

    /// Returns the reward for a seat that plays to win: its share, reduced unless there is a single winner.
    pub fn reward(self, seat: usize, seats: usize) -> f64 {
        let share = self.share(seat, seats);
        if share == 1.0 { share } else { SHARED * share }
    }

    /// Returns a sort key, greater for better ends: by share, then earlier for a win and later for a loss.
    pub fn rank(self, seat: usize, seats: usize) -> (f64, f64) {
        let share = self.share(seat, seats);
        let choices = f64::from(self.choices);
        (share, if share > 0.0 { -choices } else { choices })
    }
}

/// What it is measured in how much a position or a move is worth to a seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The share of the win, from 0 to 1.
    Share,
    /// The score, of a single seat or one that is the same for all seats.
    Score {
        /// Whether the highest score is best, else the lowest.
        highest: bool,
    },
}

impl Measure {
    /// Returns the measure of a game whose players are fixed.
    pub fn of(machine: &Machine) -> Measure {
        match Goal::usual(machine) {
            Goal::Points { highest } => Measure::Score { highest },
            Goal::Win => Measure::Share,
        }
    }

    /// Returns how much better `value` is than `other`; negative if it is worse.
    pub fn gain(self, value: f64, other: f64) -> f64 {
        if self == (Measure::Score { highest: false }) { other - value } else { value - other }
    }
}

/// Whether what counts is not who wins, but a score that all seats have in common.
pub fn plays_for_score(machine: &Machine) -> bool {
    Measure::of(machine) != Measure::Share
}

fn number(score: &Int) -> f64 {
    score.as_i64().map_or(0.0, |n| n as f64)
}

/// Scales a lead to 0..1, with 0.5 for none; the usual lead lies halfway between none and the maximum.
fn margin(by: f64, usual: f64) -> f64 {
    0.5 + 0.5 * by / (by.abs() + usual)
}

/// Values the ends of matches of one game.
#[derive(Debug, Clone)]
pub struct RewardModel {
    /// The number of seats.
    pub seats: usize,
    /// Whether the seats win and lose together.
    interests: Interests,
    /// Whether the highest score wins, else the lowest; `None` if the score does not decide.
    highest: Option<bool>,
    /// Whether a single seat has a score that does not decide whether it wins.
    scored_alone: bool,
    /// The sum of the margins (absolute values, of seat 0) or of a single seat's scores seen so far, and how many they were.
    spread: (f64, f64),
}

impl RewardModel {
    /// Prepares for a game whose options and players are fixed.
    pub fn of(machine: &Machine) -> RewardModel {
        RewardModel {
            seats: machine.setup.players,
            interests: machine.interests,
            highest: score_decides(&machine.game),
            scored_alone: machine.setup.players == 1
                && score_decides(&machine.game).is_none()
                && !matches!(machine.game.scoring, Scoring::None),
            spread: (0.0, 0.0),
        }
    }

    /// Returns how far each seat's score is ahead of the best other score, scaled to 0..1 with 0.5 for level.
    /// `None` if the score does not decide or all seats have the same; a single seat's is compared with its usual score.
    pub fn margins<E: Engine>(&mut self, engine: &E, state: &E::State) -> Result<Option<Vec<f64>>, Fault> {
        if self.scored_alone {
            return self.margin_alone(engine, state);
        }
        let Some(highest) = self.highest.filter(|_| self.interests.are_opposed()) else {
            return Ok(None);
        };
        let Some(scores) = engine.scores(state)? else { return Ok(None) };
        let scores: Vec<f64> = scores.iter().map(|s| if highest { number(s) } else { -number(s) }).collect();
        let others = |seat: usize| {
            let partners = self.interests.partners(seat, self.seats);
            let others = scores.iter().enumerate().filter(|(other, _)| partners >> other & 1 == 0);
            others.fold(f64::NEG_INFINITY, |best, (_, score)| best.max(*score))
        };
        let ahead: Vec<f64> = (0..self.seats).map(|seat| scores[seat] - others(seat)).collect();
        let (sum, count) = &mut self.spread;
        *sum += ahead[0].abs();
        *count += 1.0;
        let usual = 1.0 + *sum / *count;
        Ok(Some(ahead.iter().map(|by| margin(*by, usual)).collect()))
    }

    /// Returns how far the score of a single seat is above its usual one, scaled to 0..1: where the match is lost or won
    /// whatever it does, it plays for points.
    fn margin_alone<E: Engine>(&mut self, engine: &E, state: &E::State) -> Result<Option<Vec<f64>>, Fault> {
        let Some(scores) = engine.scores(state)? else { return Ok(None) };
        let score = scores.first().map_or(0.0, number);
        let (sum, count) = &mut self.spread;
        *sum += score;
        *count += 1.0;
        let usual = *sum / *count;
        Ok(Some(vec![margin(score - usual, 1.0 + usual.abs())]))
    }

    /// Returns whether the highest score is best, if a common score is what the seats play for.
    fn common_score(&self) -> Option<bool> {
        self.highest.filter(|_| self.interests == Interests::Common)
    }

    /// Converts a reward back to a score if the seats play for one.
    pub fn score(&self, reward: f64) -> Option<f64> {
        Some(if self.common_score()? { reward } else { -reward })
    }

    /// Describes a match that is over, by its winners.
    pub fn end(&self, winners: &[usize]) -> Proof {
        Proof::of(winners, self.interests)
    }

    /// Fills `rewards` for a position in which a playout has ended or was given up. Each seat gets its share
    /// of the win, and its reward with the margin mixed in, from 0 to 1; seats that play for a common score get the
    /// score as their reward, negated if the lowest wins. Returns the end of the match, unless a score is played for.
    pub fn rewards<E: Engine>(
        &mut self,
        engine: &E,
        state: &E::State,
        rewards: &mut Vec<(f64, f64)>,
    ) -> Result<Option<Proof>, Fault> {
        let end = engine.outcome(state).map(|outcome| self.end(&outcome.winners));
        if let Some(highest) = self.common_score() {
            let scores = engine.scores(state)?.unwrap_or_default();
            let score = scores.first().map_or(0.0, number);
            let share = |seat| end.map_or(0.0, |end| end.share(seat, self.seats));
            rewards.clear();
            rewards.extend((0..self.seats).map(|seat| (share(seat), if highest { score } else { -score })));
            return Ok(None);
        }
        let margins = self.margins(engine, state)?;
        rewards.clear();
        for seat in 0..self.seats {
            let end = end.unwrap_or(self.end(&[]));
            let reward = end.reward(seat, self.seats);
            let mixed = margins.as_ref().map_or(reward, |by| (1.0 - MARGIN) * reward + MARGIN * by[seat]);
            rewards.push((end.share(seat, self.seats), mixed));
        }
        Ok(end)
    }
}

//! How a sampled match is played: uniformly at random, or with a bias towards situations that random play
//! seldom reaches.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::ControlFlow;

use super::identity::number_of;
use crate::eval::{Chosen, Fault, Machine, Position, Waiting};
use crate::num::Rng;

/// How many random legal moves are compared with one another.
const CANDIDATES: usize = 5;
/// How many moves are listed to find the last, or the first in a ranking.
const LISTED: usize = 300;
/// The number of buckets into which [`Habits`] hashes choices.
const HABIT_BUCKETS: u64 = 1 << 14;
/// The effort charged for looking one step ahead, besides the evaluation steps.
const LOOKAHEAD_COST: u64 = 400;

/// The bias of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    /// No bias: every legal move is equally likely.
    Uniform,
    /// Avoids some moves, different ones in each match, while anything else is legal (swarm testing: A. Groce
    /// and others, ISSTA 2012).
    Swarm(u64),
    /// Usually takes the first legal move.
    First,
    /// Usually takes the last legal move.
    Last,
    /// Ranks all moves in a fixed order, a different one in each match, and takes the first that is legal:
    /// sticking to one course shows whether it leads in a circle.
    Ranked(u64),
    /// Takes what was seldom taken before.
    Rare,
    /// Leaves the next player as few legal moves as possible.
    MinMobility,
    /// Avoids the end of the match, and prefers positions that have not occurred yet.
    Novel,
    /// Prefers positions that have already occurred in the match.
    Revisit,
}

impl Policy {
    /// Returns the policy of the match with this number.
    pub fn of_match(number: u64) -> Policy {
        match number % 16 {
            1 | 9 => Policy::Swarm(number / 8),
            2 | 10 => Policy::MinMobility,
            3 | 11 => Policy::Rare,
            4 => Policy::Novel,
            12 => Policy::Revisit,
            5 | 13 | 15 => Policy::Ranked(number),
            6 => Policy::First,
            14 => Policy::Last,
            _ => Policy::Uniform,
        }
    }
}

/// Counts how often each choice was made. Choices are hashed into [`HABIT_BUCKETS`] buckets.
#[derive(Debug, Clone, Default)]
pub(super) struct Habits(HashMap<u64, u32>);

impl Habits {
    fn number(choice: usize, chosen: &Chosen) -> u64 {
        number_of(&(choice, chosen.offer, &chosen.args)) % HABIT_BUCKETS
    }

    /// Counts a choice.
    pub fn note(&mut self, choice: usize, chosen: &Chosen) {
        *self.0.entry(Habits::number(choice, chosen)).or_default() += 1;
    }

    /// Adds the counts of `others`.
    pub fn join(&mut self, others: Habits) {
        for (number, times) in others.0 {
            *self.0.entry(number).or_default() += times;
        }
    }

    fn times(&self, choice: usize, chosen: &Chosen) -> u32 {
        self.0.get(&Habits::number(choice, chosen)).copied().unwrap_or(0)
    }
}

/// Picks a legal move of a seat according to a policy, and returns it with the effort spent; `None` if there
/// is none in the window that bots draw from. `met` returns whether a position occurred earlier in the match,
/// and the effort of finding out. Compares no further moves once `left` is spent.
pub(super) fn pick(
    machine: &Machine,
    position: &Position,
    (choice, seat): (usize, usize),
    (policy, left): (&Policy, u64),
    (habits, own): (&Habits, &Habits),
    rng: &mut Rng,
    met: impl Fn(&Position) -> (bool, u64),
) -> Result<(Option<Chosen>, u64), Fault> {
    let effort = Cell::new(0);
    let offers = &machine.game.choices[choice];
    let draw = |rng: &mut Rng| {
        let (drawn, steps) =
            machine.ask_counted(position, |env| env.draw_legal(offers, seat, &mut |n| rng.below(n)));
        effort.set(effort.get() + steps);
        drawn
    };
    // Most policies play at random now and then; otherwise they would go the same way in every match. The
    // uniform policy draws nothing but moves, so that engines play the same match from the same stream.
    let biased = *policy != Policy::Uniform;
    let yields = biased && !matches!(policy, Policy::Ranked(_)) && rng.below_u64(8) == 0;
    if !biased || yields {
        let drawn = draw(rng)?;
        return Ok((drawn, effort.get()));
    }
    if let Policy::First | Policy::Last | Policy::Ranked(_) = policy {
        let most = if *policy == Policy::First { 1 } else { LISTED };
        let mut listed = Vec::new();
        let (walked, steps) = machine.ask_counted(position, |env| {
            env.each_legal(offers, seat, true, &mut |chosen| {
                listed.push(chosen);
                if listed.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
        });
        walked?;
        let chosen = match policy {
            // Moves of one offer are ranked together, and each seat has its own order.
            Policy::Ranked(number) => listed.into_iter().min_by_key(|chosen| {
                let kind = number_of(&(number, seat, choice, chosen.offer));
                (kind, number_of(&(number, seat, choice, &chosen.args)))
            }),
            _ => listed.pop(),
        };
        return Ok((chosen, steps));
    }
    let mut best: Option<(u64, Chosen)> = None;
    let mut ahead = 0;
    for _ in 0..CANDIDATES {
        if best.is_some() && effort.get() + ahead >= left {
            break;
        }
        let Some(chosen) = draw(rng)? else { break };
        if best.as_ref().is_some_and(|(_, known)| *known == chosen) {
            continue;
        }
        let weight = match policy {
            Policy::Swarm(number) => number_of(&(number, choice, chosen.offer)) % 2,
            Policy::Rare => u64::from(habits.times(choice, &chosen)) + u64::from(own.times(choice, &chosen)),
            _ => {
                let (weight, steps) = weight_ahead(machine, position, (seat, &chosen), *policy, &met)?;
                ahead += steps;
                weight
            }
        };
        if best.as_ref().is_none_or(|(least, _)| weight < *least) {
            best = Some((weight, chosen));
        }
    }
    Ok((best.map(|(_, chosen)| chosen), effort.get() + ahead))
}

/// Rates a move by where it leads (lower is better), and returns the effort spent. A move that breaks the
/// rules is the best of all. In a joint choice, a seat's move is rated as if the other seats did not matter.
fn weight_ahead(
    machine: &Machine,
    position: &Position,
    (seat, chosen): (usize, &Chosen),
    policy: Policy,
    met: impl Fn(&Position) -> (bool, u64),
) -> Result<(u64, u64), Fault> {
    let mut next = position.clone();
    if machine.choose(&mut next, seat, chosen.clone()).is_err() {
        return Ok((0, LOOKAHEAD_COST));
    }
    let over = next.waiting == Waiting::Over;
    let mut effort = LOOKAHEAD_COST;
    let weight = match (policy, &next.waiting) {
        (Policy::MinMobility, Waiting::Choice { choice, seats }) => {
            let offers = &machine.game.choices[*choice];
            let (count, steps) = match seats.first() {
                Some(seat) => machine.ask_counted(&next, |env| env.count_legal(offers, *seat, false)),
                None => (Ok(None), 0),
            };
            effort += steps;
            1 + count?.and_then(|count| count.as_i64()).map_or(u64::MAX / 2, i64::unsigned_abs)
        }
        (Policy::Novel | Policy::Revisit, _) if !over => {
            let (before, steps) = met(&next);
            effort += steps;
            1 + u64::from(before == (policy == Policy::Novel))
        }
        (Policy::Novel | Policy::Revisit, _) => 3,
        _ => 1 + 1_000 * u64::from(over),
    };
    Ok((weight, effort))
}

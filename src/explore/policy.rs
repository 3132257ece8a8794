//! How a sampled match is played: at random, or with a bent that brings about what chance alone seldom does.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::identity::number_of;
use crate::eval::{Chosen, Fault, Machine, Position, Waiting};
use crate::num::Rng;

/// How many moves are weighed against one another.
const WEIGHED: usize = 5;
/// How many moves are listed to find the last of them.
const LISTED: usize = 300;
/// How many choices are told apart by those who look for what is seldom chosen.
const HABITS: u64 = 1 << 14;
/// What it costs to look a step ahead, beside the steps of evaluation.
const LOOK: u64 = 400;

/// A bent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    /// None: every legal move is as likely as the others.
    Uniform,
    /// Leaves some moves aside, others in each match, as long as anything else is legal (swarm testing: A. Groce and others,
    /// ISSTA 2012).
    Shy(u64),
    /// Takes the first legal move, mostly.
    First,
    /// Takes the last legal move, mostly.
    Last,
    /// Has all moves in an order of its own, another in each match, and takes the first of them that is legal: what holds one
    /// course finds out whether it leads in a circle.
    Ranked(u64),
    /// Takes what was seldom taken before.
    Rare,
    /// Leaves whoever is next as little as possible to choose from.
    Tight,
    /// Keeps the match from its end, in positions that were not there before.
    On,
    /// Goes back to where the match was before.
    Back,
}

impl Policy {
    /// Of the match with this number.
    pub fn of_match(number: u64) -> Policy {
        match number % 16 {
            1 | 9 => Policy::Shy(number / 8),
            2 | 10 => Policy::Tight,
            3 | 11 => Policy::Rare,
            4 => Policy::On,
            12 => Policy::Back,
            5 | 13 | 15 => Policy::Ranked(number),
            6 => Policy::First,
            14 => Policy::Last,
            _ => Policy::Uniform,
        }
    }
}

/// How often what was chosen; choices that are told apart by a number of few bits.
#[derive(Debug, Clone, Default)]
pub(super) struct Habits(HashMap<u64, u32>);

impl Habits {
    fn number(choice: usize, chosen: &Chosen) -> u64 {
        number_of(&(choice, chosen.offer, &chosen.args)) % HABITS
    }

    /// Counts a choice.
    pub fn note(&mut self, choice: usize, chosen: &Chosen) {
        *self.0.entry(Habits::number(choice, chosen)).or_default() += 1;
    }

    /// Adds others.
    pub fn join(&mut self, others: Habits) {
        for (number, times) in others.0 {
            *self.0.entry(number).or_default() += times;
        }
    }

    fn times(&self, choice: usize, chosen: &Chosen) -> u32 {
        self.0.get(&Habits::number(choice, chosen)).copied().unwrap_or(0)
    }
}

/// A legal move of a seat as a policy has it, and the effort it took; `None` where the window that bots draw from holds none.
/// `met` says of positions whether the match was there before, and the effort to find out.
pub(super) fn pick(
    machine: &Machine,
    position: &Position,
    (choice, seat): (usize, usize),
    policy: &Policy,
    (habits, own): (&Habits, &Habits),
    rng: &mut Rng,
    met: impl Fn(&Position) -> (bool, u64),
) -> Result<(Option<Chosen>, u64), Fault> {
    let mut effort = 0;
    let offers = &machine.game.choices[choice];
    let mut draw = |rng: &mut Rng| {
        let (drawn, steps) =
            machine.ask_counted(position, |env| env.draw_legal(offers, seat, &mut |n| rng.below(n)));
        effort += steps;
        drawn
    };
    // A bent that never yields would go the same way in every match. Where there is none nothing but moves is drawn, so that
    // engines play the same match from the same stream.
    let bent = *policy != Policy::Uniform;
    let yields = bent && !matches!(policy, Policy::Ranked(_)) && rng.below_u64(8) == 0;
    if !bent || yields {
        let drawn = draw(rng)?;
        return Ok((drawn, effort));
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
            // Moves of one kind stand together, and each seat has an order of its own.
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
    for _ in 0..WEIGHED {
        let Some(chosen) = draw(rng)? else { break };
        if best.as_ref().is_some_and(|(_, known)| *known == chosen) {
            continue;
        }
        let weight = match policy {
            Policy::Shy(number) => number_of(&(number, choice, chosen.offer)) % 2,
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
    Ok((best.map(|(_, chosen)| chosen), effort + ahead))
}

/// How little a move is wanted, by where it leads, and the effort to find out. A move that breaks the rules is wanted most of all; of several who choose
/// together the first are weighed as if the others did not matter.
fn weight_ahead(
    machine: &Machine,
    position: &Position,
    (seat, chosen): (usize, &Chosen),
    policy: Policy,
    met: impl Fn(&Position) -> (bool, u64),
) -> Result<(u64, u64), Fault> {
    let mut next = position.clone();
    if machine.choose(&mut next, seat, chosen.clone()).is_err() {
        return Ok((0, LOOK));
    }
    let over = next.waiting == Waiting::Over;
    let mut effort = LOOK;
    let weight = match (policy, &next.waiting) {
        (Policy::Tight, Waiting::Choice { choice, seats }) => {
            let offers = &machine.game.choices[*choice];
            let (count, steps) = match seats.first() {
                Some(seat) => machine.ask_counted(&next, |env| env.count_legal(offers, *seat)),
                None => (Ok(None), 0),
            };
            effort += steps;
            1 + count?.and_then(|count| count.as_i64()).map_or(u64::MAX / 2, i64::unsigned_abs)
        }
        (Policy::On | Policy::Back, _) if !over => {
            let (before, steps) = met(&next);
            effort += steps;
            1 + u64::from(before == (policy == Policy::On))
        }
        (Policy::On | Policy::Back, _) => 3,
        _ => 1 + 1_000 * u64::from(over),
    };
    Ok((weight, effort))
}

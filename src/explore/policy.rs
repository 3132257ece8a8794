//! How a sampled match is played: at random, or with a bent that brings about what chance alone seldom does.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::identity::number_of;
use crate::eval::{Chosen, Fault, Machine, Position, Waiting};
use crate::num::{Int, Rng};

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
        match number % 8 {
            1 => Policy::Shy(number / 8),
            2 => Policy::Tight,
            3 => Policy::Rare,
            4 => Policy::On,
            5 => Policy::Back,
            6 if number % 16 < 8 => Policy::First,
            6 => Policy::Last,
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
/// `met` says of positions whether the match was there before.
pub(super) fn pick(
    machine: &Machine,
    position: &Position,
    (choice, seat): (usize, usize),
    policy: &Policy,
    (habits, own): (&Habits, &Habits),
    rng: &mut Rng,
    met: impl Fn(&Position) -> bool,
) -> Result<(Option<Chosen>, u64), Fault> {
    let mut effort = 0;
    let offers = &machine.game.choices[choice];
    let mut draw = |rng: &mut Rng| {
        let (drawn, steps) =
            machine.ask_counted(position, |env| env.draw_legal(offers, seat, &mut |n| rng.below(n)));
        effort += steps;
        drawn
    };
    // A bent that never yields would go the same way in every match.
    if *policy == Policy::Uniform || rng.below_u64(8) == 0 {
        let drawn = draw(rng)?;
        return Ok((drawn, effort));
    }
    if let Policy::First | Policy::Last = policy {
        let most = if *policy == Policy::First { 1 } else { LISTED };
        let (mut end, mut listed) = (None, 0);
        let (walked, steps) = machine.ask_counted(position, |env| {
            env.each_legal(offers, seat, true, &mut |chosen| {
                (end, listed) = (Some(chosen), listed + 1);
                if listed < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
        });
        walked?;
        return Ok((end, steps));
    }
    let mut best: Option<(u64, Chosen)> = None;
    for _ in 0..WEIGHED {
        let Some(chosen) = draw(rng)? else { break };
        if best.as_ref().is_some_and(|(_, known)| *known == chosen) {
            continue;
        }
        let weight = match policy {
            Policy::Shy(number) => number_of(&(number, choice, chosen.offer)) % 2,
            Policy::Rare => u64::from(habits.times(choice, &chosen)) + u64::from(own.times(choice, &chosen)),
            _ => weight_ahead(machine, position, (seat, &chosen), *policy, &met)?,
        };
        if best.as_ref().is_none_or(|(least, _)| weight < *least) {
            best = Some((weight, chosen));
        }
    }
    if let Policy::Tight | Policy::On | Policy::Back = policy {
        effort += WEIGHED as u64 * LOOK;
    }
    Ok((best.map(|(_, chosen)| chosen), effort))
}

/// How little a move is wanted, by where it leads. A move that breaks the rules is wanted most of all; of several who choose
/// together the first are weighed as if the others did not matter.
fn weight_ahead(
    machine: &Machine,
    position: &Position,
    (seat, chosen): (usize, &Chosen),
    policy: Policy,
    met: impl Fn(&Position) -> bool,
) -> Result<u64, Fault> {
    let mut next = position.clone();
    if machine.choose(&mut next, seat, chosen.clone()).is_err() {
        return Ok(0);
    }
    let over = next.waiting == Waiting::Over;
    Ok(match (policy, &next.waiting) {
        (Policy::Tight, Waiting::Choice { choice, seats }) => {
            let offers = &machine.game.choices[*choice];
            let count = match seats.first() {
                Some(seat) => machine.ask(&next, |env| env.count_legal(offers, *seat))?,
                None => None,
            };
            1 + count
                .unwrap_or(Int::from(u32::MAX as usize))
                .as_i64()
                .map_or(u64::MAX / 2, |n| n.unsigned_abs())
        }
        (Policy::On, _) => 1 + 2 * u64::from(over) + u64::from(!over && met(&next)),
        (Policy::Back, _) => 1 + 2 * u64::from(over) + u64::from(!over && !met(&next)),
        _ => 1 + 1_000 * u64::from(over),
    })
}

//! Perft: counts move sequences, the cheapest complete check of a rule set.

use std::ops::ControlFlow;

use crate::diag::Code;
use crate::eval::{Chosen, Fault, Machine, Position, Waiting, fault};

/// The counts of one depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerftLine {
    /// How many steps: a choice is one, and so is a joint choice of all who choose together.
    pub depth: usize,
    /// How many distinct sequences of that many steps there are.
    pub sequences: u64,
    /// How many of them end the match.
    pub finished: u64,
}

/// Counts the sequences of 1 to `depth` steps from the start. Draws of chance are gone through outcome by
/// outcome and are no steps.
pub fn perft(machine: &Machine, depth: usize) -> Result<Vec<PerftLine>, Fault> {
    let mut lines: Vec<PerftLine> =
        (1..=depth).map(|depth| PerftLine { depth, ..PerftLine::default() }).collect();
    count(machine, &machine.start()?, 0, &mut lines)?;
    Ok(lines)
}

fn count(machine: &Machine, position: &Position, at: usize, lines: &mut [PerftLine]) -> Result<(), Fault> {
    match &position.waiting {
        Waiting::Chance => {
            let span = machine.chance(position).map_or(Default::default(), |chance| chance.span);
            let mut seen = std::collections::BTreeSet::new();
            for value in machine.outcomes(position)?.iter(span)? {
                if seen.insert(value.clone()) {
                    let mut next = position.clone();
                    let _ = machine.draw(&mut next, value)?;
                    count(machine, &next, at, lines)?;
                }
            }
            Ok(())
        }
        Waiting::Choice { seats, .. } if at < lines.len() => joint(machine, position, seats, at, lines),
        _ => Ok(()),
    }
}

/// Goes through the moves of the first seat that is to choose, then of the others.
fn joint(
    machine: &Machine,
    position: &Position,
    seats: &[usize],
    at: usize,
    lines: &mut [PerftLine],
) -> Result<(), Fault> {
    let Some((seat, others)) = seats.split_first() else { return Ok(()) };
    for chosen in legal(machine, position, *seat)? {
        let mut next = position.clone();
        machine.choose(&mut next, *seat, chosen)?;
        if others.is_empty() {
            // Draws behind a choice belong to its step: only they tell whether it ends the match.
            lines[at].sequences += outcomes(machine, &next, &mut |end| {
                if end.waiting == Waiting::Over {
                    lines[at].finished += 1;
                }
            })?;
            count(machine, &next, at + 1, lines)?;
        } else {
            joint(machine, &next, others, at, lines)?;
        }
    }
    Ok(())
}

/// How many ways chance leads on from here, and where.
fn outcomes(machine: &Machine, position: &Position, on: &mut dyn FnMut(&Position)) -> Result<u64, Fault> {
    if position.waiting != Waiting::Chance {
        on(position);
        return Ok(1);
    }
    let span = machine.chance(position).map_or(Default::default(), |chance| chance.span);
    let mut total = 0;
    let mut seen = std::collections::BTreeSet::new();
    for value in machine.outcomes(position)?.iter(span)? {
        if seen.insert(value.clone()) {
            let mut next = position.clone();
            let _ = machine.draw(&mut next, value)?;
            total += outcomes(machine, &next, on)?;
        }
    }
    Ok(total)
}

fn legal(machine: &Machine, position: &Position, seat: usize) -> Result<Vec<Chosen>, Fault> {
    let Some(choice) = machine.choice(position) else { return Ok(Vec::new()) };
    machine.ask(position, |env| {
        if env.count_legal(choice, seat)?.is_none() {
            return Err(fault(
                Code::Unbounded,
                choice.span,
                "the moves here have no end, so their sequences cannot be counted",
            ));
        }
        let mut all = Vec::new();
        env.each_legal(choice, seat, false, &mut |chosen| {
            all.push(chosen);
            ControlFlow::Continue(())
        })?;
        Ok(all)
    })
}

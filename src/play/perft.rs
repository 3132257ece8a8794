//! Perft: counts move sequences, the cheapest complete check of a rule set.

use std::collections::BTreeSet;

use crate::diag::Code;
use crate::engine::Engine;
use crate::eval::{Chosen, Fault, Waiting, fault};
use crate::ir::Value;
use crate::source::Span;

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
pub fn perft<E: Engine>(engine: &E, depth: usize) -> Result<Vec<PerftLine>, Fault> {
    let mut lines: Vec<PerftLine> =
        (1..=depth).map(|depth| PerftLine { depth, ..PerftLine::default() }).collect();
    count(engine, &engine.start()?, 0, &mut lines)?;
    Ok(lines)
}

fn count<E: Engine>(engine: &E, state: &E::State, at: usize, lines: &mut [PerftLine]) -> Result<(), Fault> {
    match engine.waiting(state) {
        Waiting::Chance => each_outcome(engine, state, &mut |next| count(engine, next, at, lines)),
        Waiting::Choice { seats, .. } if at < lines.len() => joint(engine, state, &seats, at, lines),
        _ => Ok(()),
    }
}

/// Goes through the moves of the first seat that is to choose, then of the others.
fn joint<E: Engine>(
    engine: &E,
    state: &E::State,
    seats: &[usize],
    at: usize,
    lines: &mut [PerftLine],
) -> Result<(), Fault> {
    let Some((seat, others)) = seats.split_first() else { return Ok(()) };
    for chosen in legal(engine, state, *seat)? {
        let mut next = state.clone();
        engine.choose(&mut next, *seat, chosen)?;
        if others.is_empty() {
            ends(engine, &next, &mut lines[at])?;
            count(engine, &next, at + 1, lines)?;
        } else {
            joint(engine, &next, others, at, lines)?;
        }
    }
    Ok(())
}

/// Counts a step. Draws behind a choice belong to it: only they tell whether it ends the match.
fn ends<E: Engine>(engine: &E, state: &E::State, line: &mut PerftLine) -> Result<(), Fault> {
    match engine.waiting(state) {
        Waiting::Chance => return each_outcome(engine, state, &mut |next| ends(engine, next, line)),
        Waiting::Over => line.finished += 1,
        _ => {}
    }
    line.sequences += 1;
    Ok(())
}

/// Goes through the outcomes of a draw, equal ones once.
fn each_outcome<E: Engine>(
    engine: &E,
    state: &E::State,
    on: &mut dyn FnMut(&E::State) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut seen = BTreeSet::<Value>::new();
    let span = engine.machine().chance(&engine.position(state)).map_or(Span::default(), |chance| chance.span);
    for value in engine.outcomes(state)?.iter(span)? {
        if seen.insert(value.clone()) {
            let mut next = state.clone();
            let _ = engine.draw(&mut next, value)?;
            on(&next)?;
        }
    }
    Ok(())
}

fn legal<E: Engine>(engine: &E, state: &E::State, seat: usize) -> Result<Vec<Chosen>, Fault> {
    let Waiting::Choice { choice, .. } = engine.waiting(state) else { return Ok(Vec::new()) };
    let game = &engine.machine().game;
    let all = engine.legal(state, seat, false)?;
    let endless = |chosen: &Chosen| chosen.args.len() < crate::play::chosen(&game.moves[chosen.mv]).count();
    if all.iter().any(endless) {
        return Err(fault(
            Code::Unbounded,
            game.choices[choice].span,
            "the moves here have no end, so their sequences cannot be counted",
        ));
    }
    Ok(all)
}

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

/// What was counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Perft {
    /// The counts by depth, from 1.
    pub lines: Vec<PerftLine>,
    /// Which share of the tree of sequences was gone through, each branch of a choice a like part of it; 1 where all was.
    pub share: f64,
}

/// Counts the sequences of 1 to `depth` steps from the start. Draws of chance are gone through outcome by
/// outcome and are no steps.
pub fn perft<E: Engine>(engine: &E, depth: usize) -> Result<Vec<PerftLine>, Fault> {
    Ok(perft_watched(engine, depth, &mut |_| true)?.lines)
}

/// The same; `on` is told the share that was gone through, and stops the count where it says no.
pub fn perft_watched<E: Engine>(
    engine: &E,
    depth: usize,
    on: &mut dyn FnMut(f64) -> bool,
) -> Result<Perft, Fault> {
    let lines = (1..=depth).map(|depth| PerftLine { depth, ..PerftLine::default() }).collect();
    let mut count = Count { engine, lines, share: 0.0, on };
    match count.from(&engine.start()?, 0, 1.0) {
        Ok(()) => Ok(Perft { lines: count.lines, share: 1.0 }),
        Err(Stop::Asked) => Ok(Perft { lines: count.lines, share: count.share }),
        Err(Stop::Fault(fault)) => Err(fault),
    }
}

/// Why counting ends early.
enum Stop {
    Asked,
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

struct Count<'a, E: Engine> {
    engine: &'a E,
    lines: Vec<PerftLine>,
    share: f64,
    on: &'a mut dyn FnMut(f64) -> bool,
}

impl<E: Engine> Count<'_, E> {
    /// Counts what comes after `at` steps; `share` is the part of the tree that it is.
    fn from(&mut self, state: &E::State, at: usize, share: f64) -> Result<(), Stop> {
        match self.engine.waiting(state) {
            Waiting::Chance => {
                let outcomes = outcomes(self.engine, state)?;
                let part = share / outcomes.len() as f64;
                outcomes.iter().try_for_each(|next| self.from(next, at, part))
            }
            Waiting::Choice { seats, .. } if at < self.lines.len() => self.joint(state, &seats, at, share),
            _ => {
                self.share += share;
                if (self.on)(self.share) { Ok(()) } else { Err(Stop::Asked) }
            }
        }
    }

    /// Goes through the moves of the first seat that is to choose, then of the others.
    fn joint(&mut self, state: &E::State, seats: &[usize], at: usize, share: f64) -> Result<(), Stop> {
        let Some((seat, others)) = seats.split_first() else { return Ok(()) };
        let legal = legal(self.engine, state, *seat)?;
        let part = share / legal.len() as f64;
        for chosen in legal {
            let mut next = state.clone();
            self.engine.choose(&mut next, *seat, chosen)?;
            if others.is_empty() {
                ends(self.engine, &next, &mut self.lines[at])?;
                self.from(&next, at + 1, part)?;
            } else {
                self.joint(&next, others, at, part)?;
            }
        }
        Ok(())
    }
}

/// Counts a step. Draws behind a choice belong to it: only they tell whether it ends the match.
fn ends<E: Engine>(engine: &E, state: &E::State, line: &mut PerftLine) -> Result<(), Fault> {
    match engine.waiting(state) {
        Waiting::Chance => {
            return outcomes(engine, state)?.iter().try_for_each(|next| ends(engine, next, line));
        }
        Waiting::Over => line.finished += 1,
        _ => {}
    }
    line.sequences += 1;
    Ok(())
}

/// The states that a draw can lead to, equal outcomes once.
fn outcomes<E: Engine>(engine: &E, state: &E::State) -> Result<Vec<E::State>, Fault> {
    let span = engine.machine().chance(&engine.position(state)).map_or(Span::default(), |chance| chance.span);
    let mut seen = BTreeSet::<Value>::new();
    let mut states = Vec::new();
    for value in engine.outcomes(state)?.iter(span)? {
        if seen.insert(value.clone()) {
            let mut next = state.clone();
            let _ = engine.draw(&mut next, value)?;
            states.push(next);
        }
    }
    Ok(states)
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

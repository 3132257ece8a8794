//! Perft: counts move sequences, the cheapest thorough check of a rule set.

use std::collections::BTreeSet;

use crate::diag::Code;
use crate::engine::Engine;
use crate::eval::{Chosen, Fault, Waiting, fault};
use crate::ir::Value;
use crate::source::Span;

/// The counts for one depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerftLine {
    /// The number of steps; a choice is one step, and so is a joint choice of several seats.
    pub depth: usize,
    /// The number of distinct sequences of that length.
    pub sequences: u64,
    /// The number of those sequences that end the match.
    pub finished: u64,
}

/// The result of a count.
#[derive(Debug, Clone, PartialEq)]
pub struct Perft {
    /// The counts by depth, from 1.
    pub lines: Vec<PerftLine>,
    /// The share of the tree that was visited, the branches of a node having equal weight; 1 if complete.
    pub share: f64,
}

/// Counts the sequences of 1 to `depth` steps from the start. All outcomes of draws are visited, but are no
/// steps.
pub fn perft<E: Engine>(engine: &E, depth: usize) -> Result<Vec<PerftLine>, Fault> {
    Ok(perft_watched(engine, depth, &mut |_| true)?.lines)
}

/// Like [`perft`], but calls `on` with the share visited so far, and stops when it returns `false`.
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

/// Why a count stops early.
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
    /// Counts what follows `state` after `at` steps; `share` is the weight of this subtree.
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

    /// Enumerates the moves of the first seat that has to choose, then recursively those of the others.
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

/// Counts a sequence. Draws after a choice are resolved first: they decide whether the match is over.
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

/// Returns the states that a draw can lead to; equal outcomes are counted once.
fn outcomes<E: Engine>(engine: &E, state: &E::State) -> Result<Vec<E::State>, Fault> {
    let span =
        engine.machine().chance(&engine.to_position(state)).map_or(Span::default(), |chance| chance.span);
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
            "there are infinitely many moves here, so their sequences cannot be counted",
        ));
    }
    Ok(all)
}

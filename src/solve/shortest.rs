//! The shortest line of best play of a single side, where nothing is drawn: breadth-first search.

use std::collections::{HashSet, VecDeque};

use super::payoff::{Goal, Payoffs};
use super::{Halt, Watch, moves, position_after};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::Chosen;
use crate::num::Ratio;

/// The most positions that are looked at.
const MOST: usize = 200_000;

/// Returns the fewest choices that lead a single side to an end of this worth, with their seats (from 0). `None` if there are too
/// many positions, or if chance draws.
pub fn shortest<E: Engine>(
    engine: &E,
    start: &E::State,
    goal: Goal,
    worth: &Ratio,
    watch: &Watch,
) -> Result<Option<Vec<(usize, Chosen)>>, Halt> {
    let (mut stepper, payoffs) = (engine.stepper(), Payoffs::of(engine.machine(), goal));
    let mut met: HashSet<Box<[u64]>> = HashSet::new();
    // Each position with the one before it, and the choice between them.
    let mut all: Vec<(usize, Option<(usize, Chosen)>)> = vec![(0, None)];
    let mut left = VecDeque::from([(0, start.clone())]);
    let mut key = Vec::new();
    while let Some((at, state)) = left.pop_front() {
        let seat = stepper.turn(&state).seat().unwrap_or(0);
        for chosen in moves(&mut stepper, &state)? {
            let next = position_after(&mut stepper, &state, &chosen)?;
            let turn = stepper.turn(&next);
            let wanted = turn == Turn::Over
                && payoffs.at(engine, &next)?.first().is_some_and(|own| Ratio::from(own.clone()) == *worth);
            if wanted {
                let mut line = vec![(seat, chosen)];
                let mut before = at;
                while let (from, Some(chosen)) = &all[before] {
                    line.push(chosen.clone());
                    before = *from;
                }
                line.reverse();
                return Ok(Some(line));
            }
            stepper.lasting_key(&next, &mut key);
            if turn == Turn::Chance || all.len() >= MOST || !watch(all.len() as u64) {
                return Ok(None);
            }
            if turn != Turn::Over && met.insert(key.as_slice().into()) {
                all.push((at, Some((seat, chosen))));
                left.push_back((all.len() - 1, next));
            }
        }
    }
    Ok(None)
}

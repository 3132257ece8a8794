//! What tells the seats apart before anything has been chosen or drawn.

use super::report::UnlikeStart;
use crate::engine::Engine;
use crate::ir::{Interests, Value};
use crate::num::Int;
use crate::play::score_decides;

/// Returns the numbers in which the seats differ at the start: their scores, if these decide the match, and what each of
/// them owns.
pub(super) fn unlike_starts<E: Engine>(engine: &E) -> Vec<UnlikeStart> {
    let Ok(start) = engine.start() else { return Vec::new() };
    let machine = engine.machine();
    let players = machine.setup.players;
    let position = engine.to_position(&start);
    let own = machine.game.state.iter().zip(&machine.setup.bases).filter(|(state, _)| state.per_player);
    let own = own.filter_map(|(state, base)| {
        let cells = (0..players).map(|seat| match position.cells.get(base + seat)? {
            Value::Int(number) => number.as_i64(),
            _ => None,
        });
        Some(UnlikeStart {
            name: Some(state.name.clone()),
            values: cells.collect::<Option<_>>()?,
            ahead: None,
        })
    });
    let scores = score_decides(&machine.game).and_then(|highest| {
        // A score may have no value before the end.
        let scores = engine.scores(&start).ok().flatten()?;
        let values = scores.iter().map(Int::as_i64).collect::<Option<Vec<i64>>>()?;
        Some(UnlikeStart { name: None, ahead: ahead(&values, highest, machine.interests), values })
    });
    let all = scores.into_iter().chain(own);
    all.filter(|start| start.values.iter().any(|value| *value != start.values[0])).collect()
}

/// Returns the only seat with the best score, or the first of the only team.
fn ahead(scores: &[i64], highest: bool, interests: Interests) -> Option<usize> {
    let best = if highest { scores.iter().max()? } else { scores.iter().min()? };
    let mut seats = (0..scores.len()).filter(|seat| scores[*seat] == *best);
    let first = seats.next()?;
    seats.all(|other| interests.are_partners(first, other)).then_some(first)
}

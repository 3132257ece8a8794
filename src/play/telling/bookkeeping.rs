//! Finds numbers, players and flags that are only bookkeeping, so that their changes need not be reported.

use std::collections::HashSet;

use super::state_read;
use crate::ir::{
    Change, Effect, Expr, ExprKind, Game, Op, Scoring, StateId, Type, WinnerBy, changes, legality_parts,
    op_parts,
};

/// Returns the numbers and players that only affect what is reported anyway: points, tie-breaks, and
/// conditions in the flow of play for which they only count; and flags that only steer the flow of play, such
/// as whether there is a question to answer. Excludes state that affects legal moves, other
/// state, who is to move or who wins, and state that the rules never read, since that is kept for people.
pub(super) fn bookkeeping(game: &Game) -> HashSet<StateId> {
    let note = |id: &StateId| match game.state[*id].form.ty() {
        Type::Int | Type::Player => true,
        Type::Optional(of) => matches!(*of, Type::Int | Type::Player),
        Type::Bool | Type::Symbol(_) => only_flags(game, *id),
        _ => false,
    };
    let read = |e: &Expr| {
        let mut read = HashSet::new();
        state_read(game, e, &mut HashSet::new(), &mut read);
        read
    };
    // State read for these purposes need not be reported.
    let mut aside: HashSet<StateId> = match &game.scoring {
        Scoring::Each(lambda) => read(&lambda.body),
        Scoring::Named(lambdas) => lambdas.iter().flat_map(|lambda| read(&lambda.body)).collect(),
        Scoring::Awards | Scoring::None => HashSet::new(),
    };
    let mut matters: HashSet<StateId> = (0..game.state.len()).filter(|id| !note(id)).collect();
    matters.extend(game.moves.iter().flat_map(legality_parts).flat_map(read));
    for choice in &game.choices {
        let given = choice.all_offers().flat_map(|offer| &offer.given);
        matters.extend([&choice.who].into_iter().chain(&choice.must).chain(given).flat_map(read));
    }
    if let Some(WinnerBy::Best(keys)) = game.winner.as_ref().map(|winner| &winner.by) {
        for (at, (_, key)) in keys.iter().enumerate() {
            let into = if at == 0 && !matches!(key.body.kind, ExprKind::Score(_)) {
                &mut matters
            } else {
                &mut aside
            };
            into.extend(read(&key.body));
        }
    }
    // State that is read to write other state matters if that state does.
    let mut feeds: Vec<(StateId, StateId)> = Vec::new();
    for op in &game.code {
        match op {
            Op::Do(Effect::Assign(places, values), _) => {
                for ((place, _), value) in places.iter().zip(values) {
                    feeds.extend(read(value).into_iter().map(|from| (from, place.state)));
                    matters.extend(place.path.iter().chain(&place.owner).flat_map(read));
                }
            }
            Op::Do(Effect::Say(..), _) => {}
            Op::Unless(cond, _) => {
                let (counters, others): (Vec<_>, Vec<_>) =
                    read(cond).into_iter().partition(|id| only_counts(game, *id) || only_flags(game, *id));
                matters.extend(others);
                aside.extend(counters);
            }
            op => matters.extend(op_parts(op).into_iter().flat_map(read)),
        }
    }
    close_over_feeds(&mut matters, &feeds);
    close_over_feeds(&mut aside, &feeds);
    aside.difference(&matters).copied().collect()
}

/// Adds the state that feeds the given state, transitively.
fn close_over_feeds(state: &mut HashSet<StateId>, feeds: &[(StateId, StateId)]) {
    loop {
        let known = state.len();
        for (from, to) in feeds {
            if state.contains(to) {
                state.insert(*from);
            }
        }
        if state.len() == known {
            return;
        }
    }
}

/// Whether the rules set a piece of state to what has a name, such as a choice or a draw.
pub(super) fn takes_names(game: &Game, id: StateId) -> bool {
    game.code.iter().any(|op| match op {
        Op::Do(Effect::Assign(places, values), _) => {
            let named = |value: &Expr| matches!(value.kind, ExprKind::Local(_));
            let mut writes = places.iter().zip(values).filter(|((place, _), _)| place.state == id);
            writes.any(|((_, change), value)| *change == Change::Set && named(value))
        }
        _ => false,
    })
}

/// Whether a Boolean or symbol on the table is only ever set to constants.
fn only_flags(game: &Game, id: StateId) -> bool {
    let state = &game.state[id];
    let constant = |op: &Op| match op {
        Op::Do(Effect::Assign(places, values), _) => {
            places.iter().zip(values).filter(|((place, _), _)| place.state == id).all(
                |((_, change), value)| {
                    matches!(change, Change::Set) && matches!(value.kind, ExprKind::Value(_))
                },
            )
        }
        op => changes(op).iter().all(|(place, _)| place.state != id),
    };
    !state.per_player
        && matches!(state.form.ty(), Type::Bool | Type::Symbol(_))
        && game.code.iter().all(constant)
}

/// Whether a number on the table only counts: it is only incremented by constants or set to a constant.
fn only_counts(game: &Game, id: StateId) -> bool {
    let mut counts = false;
    let fixed = |e: &Expr| matches!(e.kind, ExprKind::Value(_));
    for op in &game.code {
        match op {
            Op::Do(Effect::Assign(places, values), _) => {
                for ((place, change), value) in
                    places.iter().zip(values).filter(|((place, _), _)| place.state == id)
                {
                    match change {
                        Change::Plus if fixed(value) && place.path.is_empty() => counts = true,
                        Change::Set if fixed(value) => {}
                        _ => return false,
                    }
                }
            }
            op if changes(op).iter().any(|(place, _)| place.state == id) => return false,
            _ => {}
        }
    }
    counts && !game.state[id].per_player
}

//! Which secret choices and draws are secret no more: their match is over, or what they wrote was shown.

use std::collections::HashSet;

use super::{Event, Match, is_open};
use crate::eval::text;
use crate::ir::{Change, Effect, ExprKind, Game, Op, Slot, StateId, effect_changes};

/// Whether everybody may know by now what entry number `at` (from 0) of a match was. Before the end, that is so for a secret
/// choice each part of which went into state of its player's own that nothing else writes, and that was revealed before it
/// was written again: the state then shows the choice itself.
pub fn is_known(played: &Match, at: usize) -> bool {
    let Some(entry) = played.entries().nth(at) else { return false };
    if played.over() || is_open(played, entry) {
        return true;
    }
    let game = &played.rules.game;
    let mv = game.moves.iter().find(|mv| mv.name == entry.name);
    let (Some(mv), Some(seat)) = (mv, entry.player.checked_sub(1)) else { return false };
    let numbered = || {
        played.steps().enumerate().flat_map(|(step, entries)| entries.iter().map(move |entry| (step, entry)))
    };
    let made = numbered().nth(at).map_or(0, |(step, _)| step);
    let again =
        numbered().skip(at + 1).find(|(_, other)| other.player == entry.player && !is_open(played, other));
    let until = again.map_or(usize::MAX, |(step, _)| step);
    let params = mv.params.iter().filter(|param| param.domain.is_some());
    params.zip(&entry.args).all(|(param, (_, value))| {
        let words = text::words(game, value);
        noted_in(game, param.slot).into_iter().any(|state| {
            played.events().filter(|(step, _)| (made..until).contains(step)).any(|(_, event)| {
                matches!(event, Event::Revealed(Some(who), name, shown)
                    if *who == seat && *name == game.state[state].name && *shown == words)
            })
        })
    })
}

/// The state of players that is written by this parameter alone, or by others of secret moves, and by nothing else.
fn noted_in(game: &Game, param: Slot) -> HashSet<StateId> {
    let params: HashSet<Slot> = game
        .moves
        .iter()
        .filter(|mv| mv.secret)
        .flat_map(|mv| mv.params.iter().map(|param| param.slot))
        .collect();
    let (mut noted, mut spoilt) = (HashSet::new(), HashSet::new());
    for op in &game.code {
        match op {
            Op::Do(Effect::Assign(places, values), _) => {
                for ((place, change), value) in places.iter().zip(values) {
                    match value.kind {
                        ExprKind::Local(slot)
                            if *change == Change::Set && place.path.is_empty() && params.contains(&slot) =>
                        {
                            if slot == param && game.state[place.state].per_player {
                                noted.insert(place.state);
                            }
                        }
                        _ => {
                            spoilt.insert(place.state);
                        }
                    }
                }
            }
            Op::Do(effect, _) => {
                spoilt.extend(effect_changes(effect).into_iter().map(|(place, _)| place.state));
            }
            _ => {}
        }
    }
    &noted - &spoilt
}

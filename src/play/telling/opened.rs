//! Which secret choices and draws are public by now: the match is over, or the state they wrote was revealed.

use std::collections::{HashMap, HashSet};

use super::{Entry, Event, Match, is_open};
use crate::eval::text;
use crate::ir::{Change, Effect, ExprKind, Game, Op, Slot, StateId, Type, Value, effect_changes};

/// Whether everybody may know by now what entry `at` (from 0) of a match was. Before the end, a secret choice
/// is known if each argument went to the player's own state, and a reveal showed it there: the state holds
/// only secret choices and was revealed before the next one, or it lists them all.
pub fn is_known(played: &Match, at: usize) -> bool {
    let Some(entry) = played.entry(at) else { return false };
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
    // The texts with which a piece of the player's own state was revealed, and the steps in which it was.
    let shown = |state: StateId| {
        played.events().filter(move |(step, _)| *step >= made).filter_map(move |(step, event)| match event {
            Event::Revealed(Some(who), name, shown) if *who == seat && *name == game.state[state].name => {
                Some((step, shown))
            }
            _ => None,
        })
    };
    let params = mv.params.iter().filter(|param| param.domain.is_some());
    params.zip(&entry.args).all(|(param, (_, value))| {
        let notes = Notes::of(game, param.slot);
        let words = text::spoken(game, value);
        let alone = |state: &StateId| shown(*state).any(|(step, shown)| step < until && *shown == words);
        let in_a_list = |(state, slots): (&StateId, &HashSet<Slot>)| {
            shown(*state).any(|(step, shown)| {
                let chosen =
                    numbered().take_while(|(of, _)| *of <= step).filter(|(_, of)| of.player == entry.player);
                *shown
                    == text::spoken(
                        game,
                        &Value::list(chosen.filter_map(|(_, of)| written(game, of, slots)).collect()),
                    )
            })
        };
        notes.set.iter().any(alone) || notes.listed.iter().any(in_a_list)
    })
}

/// Returns the argument of a choice for one of these parameters.
fn written(game: &Game, entry: &Entry, slots: &HashSet<Slot>) -> Option<Value> {
    let mv = game.moves.iter().find(|mv| mv.name == entry.name)?;
    let params = mv.params.iter().filter(|param| param.domain.is_some());
    let mut both = params.zip(&entry.args);
    both.find(|(param, _)| slots.contains(&param.slot)).map(|(_, (_, value))| value.clone())
}

/// Per-player state to which a parameter of a secret move is written, and which holds only such parameters.
struct Notes {
    /// State that holds just the last such argument.
    set: HashSet<StateId>,
    /// Lists of all such arguments in order, with the parameters they come from: at most one per move.
    listed: HashMap<StateId, HashSet<Slot>>,
}

impl Notes {
    fn of(game: &Game, param: Slot) -> Notes {
        let secret = || game.moves.iter().filter(|mv| mv.secret);
        let is_param = |slot: &Slot| secret().any(|mv| mv.params.iter().any(|param| param.slot == *slot));
        let (mut set, mut listed) = (HashSet::new(), HashMap::<StateId, HashSet<Slot>>::new());
        let (mut put, mut joined, mut spoilt) = (HashSet::new(), HashSet::new(), HashSet::new());
        for op in &game.code {
            match op {
                Op::Do(Effect::Assign(places, values), _) => {
                    for ((place, change), value) in places.iter().zip(values) {
                        match (change, &value.kind) {
                            (Change::Set, ExprKind::Local(slot))
                                if place.path.is_empty() && is_param(slot) =>
                            {
                                put.insert(place.state);
                                if *slot == param {
                                    set.insert(place.state);
                                }
                            }
                            (Change::Insert, ExprKind::Local(slot))
                                if place.path.is_empty() && is_param(slot) =>
                            {
                                joined.insert(place.state);
                                listed.entry(place.state).or_default().insert(*slot);
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
        let own = |state: &StateId| game.state[*state].per_player && !spoilt.contains(state);
        set.retain(|state| own(state) && !joined.contains(state));
        let once = |slots: &HashSet<Slot>| {
            secret().all(|mv| mv.params.iter().filter(|param| slots.contains(&param.slot)).count() < 2)
        };
        listed.retain(|state, slots| {
            let list = matches!(game.state[*state].form.ty(), Type::List(_));
            own(state) && !put.contains(state) && list && slots.contains(&param) && once(slots)
        });
        Notes { set, listed }
    }
}

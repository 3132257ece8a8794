//! Differences between two glimpses (numbers, squares, collections) in sentences, except obvious ones.

use std::collections::{BTreeMap, HashSet};

use super::super::args::in_words;
use super::super::{Entry, Viewer};
use super::bookkeeping::takes_names;
use super::{Piece, to_be};
use crate::eval::{elements, text};
use crate::ir::{Game, StateId, Value};

/// The maximum number of changes that are reported.
const MANY: usize = 8;
/// The maximum number of elements, squares or keys that are reported for one change.
const PARTS: usize = 6;

/// What makes a change obvious, so that it is not reported.
pub(super) struct Plain<'a> {
    /// State that the table shows.
    pub shown: HashSet<StateId>,
    /// State that the rules use for bookkeeping only.
    pub kept: HashSet<StateId>,
    /// State that a loop has reset.
    pub reset: HashSet<StateId>,
    /// The owner (from 1; 0 is the table) and name of state reported as revealed.
    pub revealed: HashSet<(usize, &'a str)>,
    /// The choices and draws that were reported with their arguments.
    pub made: Vec<&'a Entry>,
}

impl Plain<'_> {
    /// Whether a value has just been chosen or drawn.
    fn chosen(&self, value: &Value) -> bool {
        self.made.iter().any(|entry| {
            entry
                .args
                .iter()
                .any(|(_, arg)| arg == value || matches!(arg, Value::List(items) if items.contains(value)))
        })
    }
}

/// Describes the changes in sentences.
pub(super) fn changes(
    game: &Game,
    viewer: Viewer,
    (before, after): (&[Piece], &[Piece]),
    plain: &Plain,
) -> Vec<String> {
    let old: BTreeMap<(usize, StateId), &Value> =
        before.iter().map(|(owner, id, value)| ((*owner, *id), value)).collect();
    let mut out = Vec::new();
    for (owner, id, new) in after {
        let state = &game.state[*id];
        let history = state.form.ty().element().is_some_and(|of| of.is_collection());
        let told = plain.shown.contains(id)
            || plain.kept.contains(id)
            || plain.reset.contains(id)
            || plain.revealed.contains(&(*owner, state.name.as_str()));
        // State that has lost its value, such as a bid before the next round, is not worth reporting.
        let gone = *new == Value::Unset;
        if told || history || gone || old.get(&(*owner, *id)) == Some(&new) {
            continue;
        }
        // A number may be equal to what was chosen by chance.
        if plain.chosen(new) && (!matches!(new, Value::Int(_)) || takes_names(game, *id)) {
            continue;
        }
        let name = state.name.replace('_', " ");
        let what = match owner {
            0 => name.clone(),
            owner if viewer == Viewer::Player(*owner) => format!("your {name}"),
            owner => format!("{}'s {name}", game.seat_name(owner - 1)),
        };
        out.extend(change(
            game,
            (&what, to_be(&name) == "are"),
            old.get(&(*owner, *id)).copied(),
            new,
            plain,
        ));
    }
    if out.len() > MANY {
        let left = out.len() - (MANY - 1);
        out.truncate(MANY - 1);
        out.push(format!("and {left} more changes; `:state` shows all"));
    }
    out
}

/// Describes one change; `plural` is whether the name `what` is plural. `None` if a choice makes it obvious.
fn change(
    game: &Game,
    (what, plural): (&str, bool),
    old: Option<&Value>,
    new: &Value,
    plain: &Plain,
) -> Option<String> {
    let words = |value: &Value| match value {
        Value::None => "none".to_string(),
        value => brief(&in_words(game, &text::spoken(game, value))),
    };
    // A Boolean is never plural, even if it is called `digs`.
    let plural = plural && !matches!(new, Value::Bool(_));
    let is = if plural { "are" } else { "is" };
    let now = || Some(format!("{what} {is} now {}", words(new)));
    match (old, new) {
        (Some(Value::Int(old)), Value::Int(_)) => {
            let was = if plural { "they were" } else { "it was" };
            Some(format!("{what} {is} now {} ({was} {old})", words(new)))
        }
        (
            Some(old @ (Value::List(_) | Value::Set(_) | Value::Bag(_))),
            Value::List(_) | Value::Set(_) | Value::Bag(_),
        ) => {
            let (gone, come) = exchanged(old, new);
            let list = |items: &[Value]| items.iter().map(words).collect::<Vec<_>>().join(", ");
            let ordered = matches!(new, Value::List(_));
            match (gone.as_slice(), come.as_slice()) {
                _ if gone.len() + come.len() > PARTS => now(),
                ([], []) => now(),
                // An element of a list was replaced.
                ([_, ..], [_, ..]) if ordered => now(),
                (gone, come) if gone.iter().chain(come).all(|item| plain.chosen(item)) => None,
                ([], come) => Some(format!("{what}: added {}", list(come))),
                (gone, []) => Some(format!("{what}: removed {}", list(gone))),
                (gone, come) => Some(format!("{what}: removed {}, added {}", list(gone), list(come))),
            }
        }
        (Some(Value::Grid(old)), Value::Grid(grid)) if old.cells.len() == grid.cells.len() => {
            let squares = elements(new);
            let pairs = old.cells.iter().zip(&grid.cells).zip(&squares);
            let other: Vec<String> = pairs
                .filter(|((old, new), square)| old != new && !(plain.chosen(square) || plain.chosen(new)))
                .map(|((_, new), square)| match new {
                    Value::None => format!("{} is empty", words(square)),
                    new => format!("{} is {}", words(square), words(new)),
                })
                .collect();
            several(what, other)
        }
        (Some(Value::Map(old)), Value::Map(map)) => {
            let other = map.iter().filter(|(key, value)| old.get(*key) != Some(*value));
            several(what, other.map(|(key, value)| format!("{} for {}", words(value), words(key))).collect())
        }
        _ => now(),
    }
}

fn several(what: &str, mut parts: Vec<String>) -> Option<String> {
    if parts.len() > PARTS {
        let left = parts.len() - (PARTS - 1);
        parts.truncate(PARTS - 1);
        parts.push(format!("and {left} more"));
    }
    (!parts.is_empty()).then(|| format!("{what}: {}", parts.join(", ")))
}

/// Returns the elements removed and the elements added, with multiplicity.
fn exchanged(old: &Value, new: &Value) -> (Vec<Value>, Vec<Value>) {
    let mut come = elements(new);
    let mut gone = Vec::new();
    for item in elements(old) {
        match come.iter().position(|other| *other == item) {
            Some(at) => {
                come.remove(at);
            }
            None => gone.push(item),
        }
    }
    (gone, come)
}

/// Formats a value on one line, truncated if it is long.
fn brief(text: &str) -> String {
    const LONG: usize = 60;
    let line = text.replace('\n', " / ");
    match line.char_indices().nth(LONG) {
        _ if line.is_empty() => "empty".to_string(),
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}

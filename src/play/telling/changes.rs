//! What changed between two glimpses: numbers, squares, piles, each in a sentence, but for what is plain anyway.

use std::collections::{BTreeMap, HashSet};

use super::super::{Entry, Viewer};
use super::{Piece, are};
use crate::eval::{elements, text};
use crate::ir::{Game, StateId, Type, Value};

/// How many changes are told.
const MANY: usize = 8;
/// How many elements, squares or keys of one change are told.
const PARTS: usize = 6;

/// What makes a change plain, so that it need not be told.
pub(super) struct Plain<'a> {
    /// State that the table shows.
    pub shown: HashSet<StateId>,
    /// Numbers that rules keep for themselves.
    pub kept: HashSet<StateId>,
    /// State that a loop has started anew.
    pub reset: HashSet<StateId>,
    /// What was revealed, and told as that: whose (from 1; 0 is the table), its name.
    pub revealed: HashSet<(usize, &'a str)>,
    /// Choices and draws that were told with their arguments.
    pub made: Vec<&'a Entry>,
}

impl Plain<'_> {
    /// Whether a value is what somebody has just chosen or drawn.
    fn chosen(&self, value: &Value) -> bool {
        self.made.iter().any(|entry| {
            entry
                .args
                .iter()
                .any(|(_, arg)| arg == value || matches!(arg, Value::List(items) if items.contains(value)))
        })
    }
}

/// The changes in sentences.
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
        let history = state
            .form
            .ty()
            .element()
            .is_some_and(|of| matches!(of, Type::List(_) | Type::Set(_) | Type::Bag(_)));
        let told = plain.shown.contains(id)
            || plain.kept.contains(id)
            || plain.reset.contains(id)
            || plain.revealed.contains(&(*owner, state.name.as_str()));
        // What is without a value again waits for the next, as a bid of the next round does.
        let gone = *new == Value::Unset;
        if told || history || gone || old.get(&(*owner, *id)) == Some(&new) || plain.chosen(new) {
            continue;
        }
        let name = state.name.replace('_', " ");
        let what = match owner {
            0 => name.clone(),
            owner if viewer == Viewer::Player(*owner) => format!("your {name}"),
            owner => format!("{}'s {name}", game.seat_name(owner - 1)),
        };
        out.extend(change(game, (&what, are(&name) == "are"), old.get(&(*owner, *id)).copied(), new, plain));
    }
    if out.len() > MANY {
        let left = out.len() - (MANY - 1);
        out.truncate(MANY - 1);
        out.push(format!("and {left} more changes; `:state` shows all"));
    }
    out
}

/// One change in a sentence: what it is called, and whether that is a plural. Nothing where what was chosen makes it plain.
fn change(
    game: &Game,
    (what, plural): (&str, bool),
    old: Option<&Value>,
    new: &Value,
    plain: &Plain,
) -> Option<String> {
    let words = |value: &Value| brief(&text::words(game, value));
    // What is so or not is no plural, even where it is called `digs`.
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
                // A place of a list was written.
                ([_, ..], [_, ..]) if ordered => now(),
                (gone, come) if gone.iter().chain(come).all(|item| plain.chosen(item)) => None,
                ([], come) => Some(format!("{what}: {} came", list(come))),
                (gone, []) => Some(format!("{what}: {} went", list(gone))),
                (gone, come) => Some(format!("{what}: {} went, {} came", list(gone), list(come))),
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
            several(what, other.map(|(key, value)| format!("{} of {}", words(value), words(key))).collect())
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

/// What went and what came, each as often as it did.
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

/// A value on one line, cut where it is long.
fn brief(text: &str) -> String {
    const LONG: usize = 60;
    let line = text.replace('\n', " / ");
    match line.char_indices().nth(LONG) {
        _ if line.is_empty() => "empty".to_string(),
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}

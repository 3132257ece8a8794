//! Variants: merges the tree of a variant over that of its base.

use std::collections::HashMap;

use crate::ast::{Expr, ExprKind, File, Header, Item, ItemKind, Name, SeatRef, State, Variation};
use crate::diag::{Code, Diagnostic, nearest};
use crate::source::Span;

/// Merges a variant over its base: parts of the same name are replaced, others are added, dropped ones are
/// removed.
pub(super) fn lay_over(mut base: File, own: File, diagnostics: &mut Vec<Diagnostic>) -> File {
    let of = title(&base);
    let mut changes = Vec::new();
    let shows = own.items.iter().any(|item| matches!(item.kind, ItemKind::Show(..)));
    let scores = own.items.iter().any(|item| matches!(item.kind, ItemKind::Score(..)));
    if shows {
        changes.push("replaced: how the table is shown".to_string());
    }
    base.items.retain(|item| {
        !(shows && matches!(item.kind, ItemKind::Show(..))
            || scores && matches!(item.kind, ItemKind::Score(..)))
    });
    refuse_repeats(&own, diagnostics);
    for item in own.items {
        let added = lay_item(&mut base, item, diagnostics);
        changes.extend(added);
    }
    base.unread.extend(own.unread);
    base.variation = Some(Variation { of, changes });
    base
}

fn title(file: &File) -> String {
    let header = file.items.iter().find_map(|item| match &item.kind {
        ItemKind::Game(header) => Some(header),
        _ => None,
    });
    header.map_or(String::new(), |header| header.title_text())
}

/// Merges one part. Returns the line about it for the sheet of rules.
fn lay_item(base: &mut File, item: Item, diagnostics: &mut Vec<Diagnostic>) -> Option<String> {
    match item.kind {
        ItemKind::Game(header) => {
            lay_header(base, header, item.span, item.doc);
            None
        }
        ItemKind::Option(mut option) if option.ty.is_none() => {
            let inherited = base.items.iter_mut().find_map(|item| match &mut item.kind {
                ItemKind::Option(known) if known.name.text == option.name.text => Some(known),
                _ => None,
            });
            let Some(inherited) = inherited else {
                let known = names(base, "option");
                let message = format!("the game has no option `{}`", option.name.text);
                let report = Diagnostic::new(Code::UnknownName, option.name.span, message, "not inherited");
                diagnostics.push(with_known(report, &option.name.text, &known));
                return None;
            };
            option.ty = inherited.ty.take();
            let before = std::mem::replace(inherited, option);
            let name = &inherited.name.text;
            Some(match (plain(&inherited.default), plain(&before.default)) {
                (Some(now), Some(before)) => format!("`{name}` is usually {now}; it was {before}"),
                _ => format!("`{name}` has a different default"),
            })
        }
        ItemKind::Table(states) => lay_states(base, states, item.span, false),
        ItemKind::EachPlayer(states) => lay_states(base, states, item.span, true),
        ItemKind::Drop(what, name) => drop_item(base, &what, name.as_ref(), diagnostics),
        kind => {
            let key = key(&kind);
            let words = key.as_ref().map(|(what, name)| format!("{what} {name}").trim().to_string());
            let new = Item { kind, span: item.span, doc: item.doc };
            let place = key.and_then(|key| {
                base.items.iter().position(|item| self::key(&item.kind) == Some(key.clone()))
            });
            let is_example = matches!(new.kind, ItemKind::Example(_));
            let verb = if place.is_some() { "replaced" } else { "added" };
            match place {
                Some(at) => base.items[at] = new,
                None => base.items.push(new),
            }
            words.filter(|_| !is_example).map(|words| format!("{verb}: {words}"))
        }
    }
}

fn lay_header(base: &mut File, own: Box<Header>, span: Span, doc: Option<String>) {
    let Some(item) = base.items.iter_mut().find(|item| matches!(item.kind, ItemKind::Game(_))) else {
        base.items.push(Item { kind: ItemKind::Game(own), span, doc });
        return;
    };
    if let ItemKind::Game(header) = &mut item.kind {
        header.title = own.title;
        header.by = own.by.or(header.by.take());
        header.from = own.from.or(header.from.take());
        header.notes.extend(own.notes);
        header.players = own.players.or(header.players.take());
    }
    item.doc = doc.or(item.doc.take());
    item.span = span;
}

fn lay_states(base: &mut File, states: Vec<State>, span: Span, per_player: bool) -> Option<String> {
    let mut added = Vec::new();
    let mut words = Vec::new();
    for state in states {
        words.push(state.name.text.clone());
        let known = base.items.iter_mut().find_map(|item| match (&mut item.kind, per_player) {
            (ItemKind::Table(known), false) | (ItemKind::EachPlayer(known), true) => {
                known.iter_mut().find(|known| known.name.text == state.name.text)
            }
            _ => None,
        });
        match known {
            Some(known) => *known = state,
            None => added.push(state),
        }
    }
    if !added.is_empty() {
        let kind = if per_player { ItemKind::EachPlayer(added) } else { ItemKind::Table(added) };
        base.items.push(Item { kind, span, doc: None });
    }
    (!words.is_empty()).then(|| format!("new or changed state: {}", words.join(", ")))
}

fn drop_item(
    base: &mut File,
    what: &Name,
    name: Option<&Name>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<String> {
    let wanted = (what.text.clone(), name.map_or(String::new(), |name| name.text.clone()));
    let before = base.items.len();
    base.items.retain(|item| key(&item.kind).as_ref() != Some(&wanted));
    if base.items.len() < before {
        return (what.text != "example")
            .then(|| format!("dropped: {} {}", wanted.0, wanted.1).trim().to_string());
    }
    let span = name.map_or(what.span, |name| name.span);
    let known = names(base, &what.text);
    let message = match name {
        Some(name) => format!("the game has no {} `{}`", what.text, name.text),
        None => format!("the game has no {}", what.text),
    };
    let report = Diagnostic::new(Code::UnknownName, span, message, "there is nothing to drop");
    diagnostics.push(with_known(report, &wanted.1, &known));
    None
}

/// Reports parts that a variant contains twice, which no file may.
fn refuse_repeats(own: &File, diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: HashMap<(String, String), Span> = HashMap::new();
    for item in &own.items {
        let header = matches!(item.kind, ItemKind::Game(_)).then(|| ("variant".to_string(), String::new()));
        let Some(key) = header.or_else(|| key(&item.kind)).filter(|(what, _)| what != "example") else {
            continue;
        };
        // The first line of a part is enough to find it.
        let span = Span::new(item.span.start, (item.span.start + key.0.len()).min(item.span.end));
        let words = format!("{} {}", key.0, key.1);
        match seen.get(&key) {
            Some(first) => diagnostics.push(
                Diagnostic::new(
                    Code::RepeatedPart,
                    span,
                    format!("`{}` appears twice", words.trim()),
                    "a second one",
                )
                .also(*first, "the first"),
            ),
            None => {
                seen.insert(key, span);
            }
        }
    }
}

/// Returns a simple value as written.
fn plain(value: &Expr) -> Option<String> {
    match &value.kind {
        ExprKind::Number(n) => Some(n.to_string()),
        ExprKind::Bool(b) => Some(if *b { "yes" } else { "no" }.to_string()),
        ExprKind::Name(name) => Some(name.clone()),
        _ => None,
    }
}

/// Adds help with the name that was probably meant, or with all known names.
fn with_known(report: Diagnostic, name: &str, known: &[String]) -> Diagnostic {
    match nearest(name, known.iter().map(String::as_str)) {
        // A title is in quotes, so the span is longer than the name; replacing it would drop the quotes.
        Some(near) if report.span().end - report.span().start == name.len() => {
            report.help(format!("did you mean `{near}`?")).fix(near)
        }
        Some(near) => report.help(format!("did you mean `{near}`?")),
        None if known.is_empty() => report,
        None => report.help(format!("it has {}", known.join(", "))),
    }
}

/// Returns the names of all parts of one kind.
fn names(file: &File, what: &str) -> Vec<String> {
    file.items
        .iter()
        .filter_map(|item| key(&item.kind))
        .filter(|(kind, _)| kind == what)
        .map(|(_, name)| name)
        .collect()
}

/// Returns the kind of a part, and its name if it has one.
fn key(kind: &ItemKind) -> Option<(String, String)> {
    let seat;
    let (what, name) = match kind {
        ItemKind::Option(option) => ("option", option.name.text.as_str()),
        ItemKind::Constant(name, _) => ("let", name.text.as_str()),
        ItemKind::Kind(name, _) => ("kind", name.text.as_str()),
        ItemKind::Define(name, ..) => ("define", name.text.as_str()),
        ItemKind::Rule(name, ..) => ("rule", name.text.as_str()),
        ItemKind::Move(mv) => ("move", mv.name.text.as_str()),
        ItemKind::Play(_) => ("play", ""),
        ItemKind::Winner(_) => ("winner", ""),
        ItemKind::Score(who, _) => {
            seat = who.as_ref().map_or(String::new(), SeatRef::words);
            ("score", seat.as_str())
        }
        ItemKind::Example(example) => ("example", example.title.as_str()),
        _ => return None,
    };
    Some((what.to_string(), name.to_string()))
}

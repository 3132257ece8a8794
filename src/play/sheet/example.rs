//! A worked example as a transcript.

use super::page::{Page, either};
use super::words::{Facts, Words};
use crate::ast::{Check, CheckKind, Example, SeatRef, Step, Word, WordValue};
use crate::source::Span;
use crate::syntax::layout::Comment;

/// Writes an example onto the page.
pub(super) fn example(page: &mut Page, facts: &Facts, comments: &[Comment], example: &Example) {
    let words = Words::new(facts);
    let settings: Vec<String> = example
        .settings
        .iter()
        .map(|(name, value)| match name.text.as_str() {
            "players" => format!("{} players", words.source(value.span)),
            name => format!("{name} = {}", words.source(value.span)),
        })
        .collect();
    let with =
        if settings.is_empty() { String::new() } else { format!(" (with {})", either(&settings, "and")) };
    page.heading("An example");
    page.para(&format!("“{}”{with}:", example.title));
    let shown: Vec<(String, Vec<String>)> = example
        .lines
        .iter()
        .map(|line| told(&words, line.step.as_ref(), &line.checks, line.span, comments))
        .collect();
    let width = shown.iter().filter(|(_, rest)| !rest.is_empty()).map(|(step, _)| step.chars().count()).max();
    let width = width.unwrap_or(0).min(32);
    for ((step, rest), line) in shown.iter().zip(&example.lines) {
        let mut rows = rest.iter();
        let first = rows.next().map_or("", String::as_str);
        page.verbatim(2, &format!("{step:<width$}  {first}"));
        for row in rows {
            page.verbatim(2, &format!("{:<width$}  {row}", ""));
        }
        if let Some(Step::Board(_, rows)) = &line.step {
            for row in rows {
                page.verbatim(4, row.text.trim_start_matches('|').trim());
            }
        }
    }
}

/// A line of the example: what happens, and then line by line what holds.
fn told(
    words: &Words,
    step: Option<&Step>,
    checks: &[Check],
    span: Span,
    comments: &[Comment],
) -> (String, Vec<String>) {
    let text = words.facts.text;
    let done = step.map_or(String::new(), |step| self::step(words, step));
    let mut rest: Vec<String> = Vec::new();
    let mut said: Vec<String> = Vec::new();
    for check in checks {
        match &check.kind {
            CheckKind::Shows(shows) => rest.extend(shows.lines().map(str::to_string)),
            CheckKind::ShowsDrawn(rows) => {
                rest.extend(rows.iter().map(|row| row.text.trim_start_matches('|').trim().to_string()));
            }
            CheckKind::Board(name, rows) => {
                rest.extend(rows.iter().map(|row| row.text.trim_start_matches('|').trim().to_string()));
                said.push(format!("{} is:", name.text));
            }
            kind => said.push(holds(words, kind)),
        }
    }
    let line_end = text[span.start..].find('\n').map_or(text.len(), |at| span.start + at);
    let note = comments.iter().find(|c| c.trailing && c.span.start >= span.start && c.span.end <= line_end);
    said.extend(note.map(|note| format!("[{}]", note.text)));
    if !said.is_empty() {
        let said = said.join("; ");
        match rest.first_mut() {
            Some(first) if !first.is_empty() => first.push_str(&format!("   {said}")),
            _ => rest.insert(0, said),
        }
    }
    if done.is_empty() && !rest.is_empty() {
        return (rest.remove(0), rest);
    }
    (done, rest)
}

fn seat(words: &Words, seat: &SeatRef) -> String {
    match seat {
        SeatRef::Number(n, _) => {
            let named = n.as_usize().and_then(|n| words.facts.seats.get(n.wrapping_sub(1)));
            named.map_or(format!("player {n}"), |name| (*name).to_string())
        }
        SeatRef::Next => "the next player".to_string(),
        SeatRef::Name(name) => name.text.clone(),
    }
}

fn step(words: &Words, step: &Step) -> String {
    match step {
        Step::Board(name, _) => format!("given `{}`:", name.text),
        Step::Scene(place, value) => {
            format!("given {} = {}", words.source(place.span), words.source(value.span))
        }
        Step::Move(who, name, args) => format!("{}: {}{}", seat(words, who), name.text, typed(args)),
        Step::Start => "at the start".to_string(),
        Step::Chance(name, args) => format!("chance: {}{}", name.text, typed(args)),
    }
}

fn typed(args: &[Word]) -> String {
    let word = |word: &Word| match &word.name {
        Some(name) => format!(" {}={}", name.text, word_value(&word.value)),
        None => format!(" {}", word_value(&word.value)),
    };
    args.iter().map(word).collect()
}

fn word_value(value: &WordValue) -> String {
    match value {
        WordValue::Number(n) => n.to_string(),
        WordValue::Bool(yes) => if *yes { "yes" } else { "no" }.to_string(),
        WordValue::Text(text) => text.clone(),
        WordValue::List(items) => {
            format!("[{}]", items.iter().map(word_value).collect::<Vec<_>>().join(","))
        }
    }
}

fn holds(words: &Words, check: &CheckKind) -> String {
    match check {
        CheckKind::ShowsDrawn(_) => String::new(),
        CheckKind::Board(name, _) => format!("`{}` is as drawn", name.text),
        CheckKind::Shows(shows) => shows.clone(),
        CheckKind::Refused(None) => "not allowed".to_string(),
        CheckKind::Refused(Some(why)) => format!("not allowed: … {why} …"),
        CheckKind::Scores(scores) => {
            let scores: Vec<String> = scores.iter().map(ToString::to_string).collect();
            format!("scores: {}", scores.join(", "))
        }
        CheckKind::Expect(cond) => words.claim(cond, true),
        CheckKind::Over => "the match is over".to_string(),
        CheckKind::Winners(seats) => match seats.as_slice() {
            [] => "nobody wins".to_string(),
            [one] => format!("{} wins", seat(words, one)),
            many => {
                let many: Vec<String> = many.iter().map(|who| seat(words, who)).collect();
                format!("{} share the win", either(&many, "and"))
            }
        },
    }
}

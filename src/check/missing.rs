//! What to write where a value may be none: how a condition goes on in both cases, or what counts instead.

use super::Checker;
use crate::source::Span;
use crate::syntax::operand;

/// The help text for a value that may be none.
pub(super) const WAY_OUT: &str =
    "test it with `is not none` first; if you know it is there, write `value(…)`";

/// How help begins that shows a condition in both cases.
pub(super) const BOTH_CASES: &str = "say what holds while it is none";

impl Checker<'_> {
    /// Returns help for a value that may be none. A condition can say what holds then; where a value is only worked out, it
    /// has to be something in any case.
    pub(super) fn way_out(&self, place: Span) -> String {
        const VALUES: &[&str] = &["score", "winner", "loser", "show", "let", "define"];
        let line = self.line_before(place);
        let computed = self.template.is_some() || VALUES.iter().any(|word| line.starts_with(word));
        match self.written(place) {
            "…" => WAY_OUT.to_string(),
            text if computed => {
                format!("say what counts where nothing is there: `if {text} is none then … else {text}`")
            }
            text => self.in_both_cases(place, text).unwrap_or_else(|| WAY_OUT.to_string()),
        }
    }

    /// Returns help for a value that may be none in the condition of a line: `need latest is none or v > latest`.
    fn in_both_cases(&self, place: Span, value: &str) -> Option<String> {
        let text = &self.source?.text;
        let start = place.start - self.line_before(place).len();
        let line = text.get(start..)?.lines().next()?;
        let word = line.trim_start().split(' ').next()?;
        let needs = word == "need";
        if !needs && word != "if" || value.starts_with("if ") {
            return None;
        }
        let head = start + line.find(word)? + word.len();
        let end =
            start + [" else \"", "{"].iter().filter_map(|end| line.find(end)).min().unwrap_or(line.len());
        // What is done then is no condition.
        if place.end > end {
            return None;
        }
        let (from, to) = clause(text, Span::new(head, end), place)?;
        let clause = text.get(from..to)?.trim();
        // What is gone through, and a test turned round, have a condition of their own.
        let plain = !clause.contains([':', '`']) && !clause.starts_with("not ") && clause.len() <= 60;
        let compares =
            clause.contains(['<', '>', '=', '(']) || clause.contains(" is ") || clause.contains(" divides ");
        if !plain || !compares || clause == value {
            return None;
        }
        let alone = text.get(head..from)?.trim().is_empty() && text.get(to..end)?.trim().is_empty();
        let (open, close) = if alone { ("", "") } else { ("(", ")") };
        let either = format!("`{open}{value} is none or {clause}{close}`");
        let both = format!("`{value} is not none and {clause}`");
        Some(match (needs, operand(value) == Some(value) && !value.contains('[')) {
            (true, true) => format!("{BOTH_CASES}: {either}, or {both} if it is refused then"),
            (true, false) => format!("{BOTH_CASES}: {both} if it is refused then, or {either}"),
            (false, _) => format!("{BOTH_CASES}: {both}, or {either}"),
        })
    }
}

/// Returns where the part of a condition begins and ends that a place is in: what stands between `and`, `or` and the
/// brackets that these are in.
fn clause(text: &str, condition: Span, place: Span) -> Option<(usize, usize)> {
    let whole = text.get(condition.start..condition.end)?;
    let (mut from, mut stack) = (condition.start, Vec::new());
    for (at, c) in whole.char_indices() {
        let here = condition.start + at;
        if here >= place.start {
            break;
        }
        match c {
            '(' | '[' => stack.push(from),
            ')' | ']' => from = stack.pop()?,
            ' ' if ["and", "or"].iter().any(|word| whole[at + 1..].starts_with(&format!("{word} "))) => {
                let word = whole[at + 1..].find(' ')?;
                from = here + 1 + word;
            }
            ':' => from = here + 1,
            _ => {}
        }
    }
    let level = |from: usize| {
        text.get(from..place.start)
            .map(|text| text.matches(['(', '[']).count() as isize - text.matches([')', ']']).count() as isize)
    };
    // Within the arguments of a function, the clause is around its brackets.
    let mut depth = level(from)?;
    let rest = text.get(place.end..condition.end)?;
    let mut to = condition.end;
    for (at, c) in rest.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ' ' if depth == 0 && ["and ", "or "].iter().any(|word| rest[at + 1..].starts_with(word)) => {
                to = place.end + at;
                break;
            }
            _ => {}
        }
        if depth < 0 {
            to = place.end + at;
            break;
        }
    }
    Some((from, to))
}

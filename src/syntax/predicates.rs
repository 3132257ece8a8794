//! Reports for several things that are said of one subject: `k is 2 or 3`, `k is both odd and prime`,
//! `k is divisible by 2 and 3`, `k is neither even nor 7`.

use super::conditions::opposite;
use super::habits::Mistake;
use super::idioms;
use super::phrases::{operand, value_before};
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// Properties that `is` asks for.
const PROPERTIES: &[&str] =
    &["prime", "even", "odd", "square", "palindrome", "distinct", "empty", "full", "in", "out"];

/// Words in front of what is said, and the word that joins the parts behind them.
const OPENINGS: &[(&str, Join)] = &[
    ("both ", Join::And),
    ("either ", Join::Or),
    ("neither ", Join::Nor),
    ("one of ", Join::Or),
    ("any of ", Join::Or),
    ("among ", Join::Or),
];

/// Words between two things that are said.
const JOINS: &[(&str, Join)] =
    &[("and", Join::And), ("but", Join::And), ("or", Join::Or), ("nor", Join::Nor), ("xor", Join::Xor)];

#[derive(Clone, Copy, PartialEq)]
enum Join {
    And,
    Or,
    Nor,
    Xor,
}

/// One thing that is said of a subject.
struct Predicate {
    /// The whole condition, as it is written here.
    condition: String,
    /// The value, if the subject is said to equal one.
    value: Option<String>,
}

/// What is said of a subject.
struct Said<'t> {
    predicates: Vec<Predicate>,
    join: Join,
    /// What stands behind it.
    rest: &'t str,
}

/// Returns a report about several things that are said of one subject, around the token of a mistake.
pub fn shared_subject(mistake: &Mistake) -> Option<Diagnostic> {
    let line_start = mistake.part.start + mistake.before.rfind('\n').map_or(0, |at| at + 1);
    let line = mistake.masked[line_start..mistake.part.end].lines().next()?;
    line.match_indices(" is ").find_map(|(at, is)| {
        let (before, text) = (&line[..at], &line[at + is.len()..]);
        let subject = value_before(before)?;
        let (negated, text) = match text.strip_prefix("not ") {
            Some(text) => (true, text),
            None => (false, text),
        };
        let said = said(subject, text)?;
        let start = mistake.span_of(subject).start;
        let place = Span::new(start, line_start + line.len() - said.rest.len());
        if mistake.token.start < start || place.end <= mistake.token.start {
            return None;
        }
        let written = said.written(subject, negated)?;
        let before = mistake.masked[line_start..start].trim_end();
        let written = match said.stands_alone(&written, before) {
            true => written,
            false => format!("({written})"),
        };
        let message = format!("`{}` is written in another way", &mistake.masked[place.start..place.end]);
        let report = Diagnostic::new(Code::Unexpected, place, message, "");
        let reads = mistake.reads_further(place, &written);
        let report = report.help(format!("write `{written}`"));
        reads.then(|| Diagnostic { fix: Some(Fix { sure: !negated, ..Fix::new(place, written) }), ..report })
    })
}

/// `neither k is odd nor me.passed`: two conditions that must both fail.
pub fn neither(mistake: &Mistake) -> Option<Diagnostic> {
    const ENDS: &[&str] = &[" else ", " then ", " and ", " or ", " {", ")", "]", ":", ","];
    let line_start = mistake.part.start + mistake.before.rfind('\n').map_or(0, |at| at + 1);
    let line = mistake.masked[line_start..mistake.part.end].lines().next()?;
    let at = line
        .match_indices("neither ")
        .map(|(at, _)| at)
        .find(|at| !line[..*at].ends_with(char::is_alphanumeric))?;
    let (one, behind) = line[at + "neither ".len()..].split_once(" nor ")?;
    let other = &behind[..ENDS.iter().filter_map(|end| behind.find(end)).min().unwrap_or(behind.len())];
    let start = line_start + at;
    let place = Span::new(start, mistake.span_of(other).end);
    let written = format!("not ({} or {})", one.trim(), other.trim());
    if mistake.token.start < start
        || place.end <= mistake.token.start
        || !mistake.reads_further(place, &written)
    {
        return None;
    }
    let message = format!("`{}` is written in another way", &mistake.masked[place.start..place.end]);
    let report = Diagnostic::new(Code::Unexpected, place, message, "").help(format!("write `{written}`"));
    Some(Diagnostic { fix: Some(Fix::new(place, written)), ..report })
}

/// Returns what a text behind `is` says of a subject, if that is more than one thing.
fn said<'t>(subject: &str, text: &'t str) -> Option<Said<'t>> {
    let opening = OPENINGS.iter().find_map(|(word, join)| Some((text.strip_prefix(word)?, *join)));
    let (mut rest, mut join) = match opening {
        Some((rest, join)) => (rest, Some(join)),
        None => (text, None),
    };
    let mut phrase = String::new();
    let mut predicates = Vec::new();
    let (first, behind) = predicate(subject, rest, &mut phrase)?;
    predicates.push(first);
    rest = behind;
    while let Some((found, text)) = joined(rest) {
        // The commas of a list stand for the word in front of its last part, which is looked for behind them.
        let meant = found.or(join).or_else(|| {
            let list = text.split([')', ']', '}']).next().unwrap_or("");
            JOINS.iter().find_map(|(word, join)| list.contains(&format!(" {word} ")).then_some(*join))
        });
        let fits = join.is_none() || join == meant || (join, meant) == (Some(Join::Nor), Some(Join::Or));
        let Some((next, behind)) = predicate(subject, text, &mut phrase).filter(|_| fits) else { break };
        predicates.push(next);
        join = join.or(meant);
        rest = behind;
    }
    (predicates.len() > 1).then_some(Said { predicates, join: join?, rest })
}

/// Returns the word or the comma that a text begins with, if it joins what is said, and what follows it.
fn joined(text: &str) -> Option<(Option<Join>, &str)> {
    let (comma, text) = match text.trim_start().strip_prefix(',') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let text = text.trim_start();
    let found =
        JOINS.iter().find_map(|(word, join)| Some((*join, text.strip_prefix(word)?.strip_prefix(' ')?)));
    match found {
        Some((join, text)) => Some((Some(join), text.trim_start())),
        None => comma.then_some((None, text)),
    }
}

/// Reads one thing that is said, and returns it with what follows. `phrase` holds the words of the one before, which may
/// go for this one too: `divisible by 2 and 3`.
fn predicate<'t>(subject: &str, text: &'t str, phrase: &mut String) -> Option<(Predicate, &'t str)> {
    let text = text.strip_prefix("is ").unwrap_or(text);
    let (not, text) = match text.strip_prefix("not ") {
        Some(text) => ("not ", text),
        None => ("", text),
    };
    let sign = if not.is_empty() { "=" } else { "!=" };
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    let found = |condition: String, value: Option<String>, length: usize| {
        let rest = &text[length..];
        let ends = rest.is_empty() || rest.starts_with([' ', ',', ')', ']', '}', ':']);
        let operator = rest.trim_start().starts_with(['+', '-', '*', '/', '^', '=', '<', '>', '!', '.', '(']);
        let operator = operator
            || ["divides", "in", "is", "mod", "div", "copies"]
                .iter()
                .any(|word| rest.trim_start().split(' ').next() == Some(word));
        (ends && !operator).then_some((Predicate { condition, value }, rest))
    };
    if PROPERTIES.contains(&word) {
        return found(format!("{subject} is {not}{word}"), None, word.len());
    }
    // `player 2`, `seat(2)`, `3`, `{2, 3}`
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("").len();
    if let Some(digits) = text.strip_prefix("player ").filter(|digits| number(digits) > 0) {
        let seat = format!("seat({})", &digits[..number(digits)]);
        let condition = format!("{subject} {sign} {seat}");
        return found(condition, not.is_empty().then_some(seat), "player ".len() + number(digits));
    }
    let value = operand(text)?;
    let plain = value.trim_start_matches('-').chars().all(|c| c.is_ascii_digit());
    if plain && !phrase.is_empty() {
        let whole = format!("{subject} is {not}{phrase}{value}");
        let idiom = idioms::sure_value(&whole).filter(|(_, length)| *length == whole.len())?;
        return found(idiom.0, None, value.len());
    }
    if plain || value.starts_with("seat(") {
        let (condition, length) = (format!("{subject} {sign} {value}"), value.len());
        return found(condition, not.is_empty().then(|| value.to_string()), length);
    }
    let whole = format!("{subject} is {not}{text}");
    let (condition, length) = idioms::sure_value(&whole)?;
    let length = length.checked_sub(whole.len() - text.len())?;
    let last = text[..length].rfind(' ').map_or("", |at| &text[..=at]);
    *phrase = last.to_string();
    found(condition, None, length)
}

impl Said<'_> {
    /// Returns how it is written, if it has one meaning.
    fn written(&self, subject: &str, negated: bool) -> Option<String> {
        let values: Option<Vec<&str>> = self.predicates.iter().map(|one| one.value.as_deref()).collect();
        let conditions: Vec<&str> = self.predicates.iter().map(|one| one.condition.as_str()).collect();
        match (self.join, values) {
            (Join::Or, Some(values)) if values.len() == conditions.len() => {
                let sign = if negated { "not in" } else { "in" };
                Some(format!("{subject} {sign} {{{}}}", values.join(", ")))
            }
            (Join::Nor, Some(values)) => Some(format!("{subject} not in {{{}}}", values.join(", "))),
            // Whether `not` goes for all of it or for the first part, only the author knows.
            _ if negated => None,
            (Join::And, _) => Some(conditions.join(" and ")),
            (Join::Or, _) => Some(conditions.join(" or ")),
            (Join::Nor, _) => {
                let each: Vec<String> = conditions.iter().map(|condition| opposite(condition)).collect();
                Some(each.join(" and "))
            }
            (Join::Xor, _) => match conditions.as_slice() {
                [a, b] => Some(format!("({a}) != ({b})")),
                _ => None,
            },
        }
    }

    /// Whether it needs no brackets between what stands around it.
    fn stands_alone(&self, written: &str, before: &str) -> bool {
        let next = self.rest.trim_start().split(' ').next().unwrap_or("");
        let last = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let or = written.contains(" or ");
        let several = or || written.contains(" and ");
        !(last == "not" && (several || written.contains(" = ")) || or && (last == "and" || next == "and"))
    }
}

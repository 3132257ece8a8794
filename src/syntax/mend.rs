//! Corrections that keep the length of the text: they are patched in, and the file is parsed again.

use std::collections::BTreeSet;

use pest::Parser;

use super::grammar::{Grammar, Rule, error_at};
use super::habits::token_at;
use super::report::reserved;
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// A correction as long as the text it replaces, so that all spans stay valid.
#[derive(Debug, Clone)]
pub struct Mend {
    span: Span,
    text: String,
}

impl Mend {
    /// Returns the correction for a diagnostic, if it fits.
    ///
    /// A reserved word used as a name is masked by `_`; the builder then takes the name from the original text.
    pub fn of(report: &Diagnostic, masked: &str) -> Option<Mend> {
        if report.code == Code::ReservedWord {
            return Some(Mend::name(report.span()));
        }
        let fix = report.fix.as_ref()?;
        fitted(fix, masked)
    }

    /// Returns a correction that replaces a reserved word by a name.
    pub fn name(span: Span) -> Mend {
        Mend { span, text: "_".repeat(span.end - span.start) }
    }

    /// Returns a correction that blanks out the parameters of a move, if the mistake is in them.
    pub fn without_parameters(report: &Diagnostic, masked: &str, part: Span) -> Option<Mend> {
        let text = &masked[part.start..part.end];
        let head = &text[..text.find('{')?];
        let (open, close) = (head.find('(')?, head.rfind(')')?);
        let span = Span::new(part.start + open, part.start + close + 1);
        let inside = span.start < report.span().start && report.span().end <= span.end;
        // Values given to parameters that are gone would be reported as too many.
        let given = report.fix.as_ref().is_some_and(|fix| fix.replacement.starts_with("given "));
        let fits =
            head.trim_start_matches("secret ").starts_with("move ") && !head.contains("given ") && !given;
        (inside && fits).then(|| Mend { span, text: " ".repeat(span.end - span.start) })
    }

    /// Returns the span that it replaces.
    pub fn place(&self) -> Span {
        self.span
    }

    /// Returns the span that it blanks out, if it inserts nothing.
    pub fn leaves_out(&self) -> Option<Span> {
        self.text.trim().is_empty().then_some(self.span)
    }

    /// Applies the correction to a text that begins at `offset` of the original.
    pub fn apply(&self, text: &mut String, offset: usize) {
        text.replace_range(self.span.start - offset..self.span.end - offset, &self.text);
    }

    /// Whether the part can be parsed with the correction, or at least beyond the word after it.
    pub fn parses_further(&self, masked: &str, part: Span, rule: Rule) -> bool {
        if !(part.start <= self.span.start && self.span.end <= part.end) {
            return false;
        }
        let mut text = masked[part.start..part.end].to_string();
        self.apply(&mut text, part.start);
        match Grammar::parse(rule, &text) {
            Ok(_) => true,
            Err(error) => {
                let behind = token_at(&text, self.span.end - part.start, text.len());
                error_at(&error) > behind.start
            }
        }
    }
}

/// Returns corrections for reserved words used as names in a part: for all of them if it then parses, else
/// for the first one that lets the parse get further.
pub fn names(misnamed: &BTreeSet<String>, masked: &str, part: Span, rule: Rule) -> Vec<(Diagnostic, Mend)> {
    let text = &masked[part.start..part.end];
    let mut places = Vec::new();
    let mut at = 0;
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if misnamed.contains(word) {
            places.push(Span::new(part.start + at, part.start + at + word.len()));
        }
        at += word.len() + text[at + word.len()..].chars().next().map_or(0, char::len_utf8);
    }
    let mut all = text.to_string();
    places.iter().for_each(|place| Mend::name(*place).apply(&mut all, part.start));
    if Grammar::parse(rule, &all).is_err() {
        places = places
            .into_iter()
            .find(|place| Mend::name(*place).parses_further(masked, part, rule))
            .into_iter()
            .collect();
    }
    places
        .into_iter()
        .map(|place| (reserved(&masked[place.start..place.end], place), Mend::name(place)))
        .collect()
}

/// Makes a correction as long as its span, by padding it or by overwriting adjacent blanks that separate no
/// words.
fn fitted(fix: &Fix, masked: &str) -> Option<Mend> {
    let bytes = masked.as_bytes();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let (first, last) = (fix.replacement.bytes().next(), fix.replacement.bytes().last());
    let Span { mut start, mut end } = fix.span;
    while end - start < fix.replacement.len() {
        let parts_before = start >= 2 && word(bytes[start - 2]) && first.is_some_and(word);
        let parts_behind = bytes.get(end + 1).is_some_and(|byte| word(*byte)) && last.is_some_and(word);
        if start > 0 && bytes[start - 1] == b' ' && !parts_before {
            start -= 1;
        } else if bytes.get(end) == Some(&b' ') && !parts_behind {
            end += 1;
        } else {
            return None;
        }
    }
    // Text common to both keeps its position.
    let spare = end - start - fix.replacement.len();
    let kept = fix.replacement.char_indices().nth(1).and_then(|(at, _)| {
        let rest = fix.replacement[at..].trim_end_matches('"');
        let found = masked[start..end].find(rest).filter(|_| !rest.is_empty())?;
        found.checked_sub(at)
    });
    let ends_alike = fix.replacement.bytes().rev().zip(masked[start..end].bytes().rev());
    let ends_alike = ends_alike.take_while(|(a, b)| a == b).count();
    let before = kept.unwrap_or(if ends_alike > 1 { spare } else { 0 }).min(spare);
    let text = format!("{}{}{}", " ".repeat(before), fix.replacement, " ".repeat(spare - before));
    Some(Mend { span: Span::new(start, end), text })
}

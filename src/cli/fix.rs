//! The sure fixes of `parlour check --fix`: which ones can be applied, and the resulting text.

use std::collections::BTreeMap;

use similar::TextDiff;

use super::files::based;
use crate::check::check;
use crate::diag::{Code, Diagnostic, Fix, Severity};
use crate::source::{Source, Span};

/// The greatest number of rounds, as fixes may reveal further diagnostics with fixes.
const MAX_ROUNDS: usize = 20;

/// A rule file after its fixes.
pub struct FixResult {
    /// The text to write to disk, with its line ends as they were.
    pub text: String,
    /// The same text as a checked source.
    pub source: Source,
    /// The fixes applied, one line each.
    pub done: Vec<String>,
    /// The fixes not applied, with reasons, one line each.
    pub left: Vec<String>,
}

/// Applies the fixes of a rule file; fixes in the games that it varies are left to those files.
///
/// First applies all fixes together, and then those that become possible. If that introduces an error,
/// applies each fix separately instead, from last to first, so that earlier spans stay valid.
pub fn apply_fixes(name: &str, text: &str) -> FixResult {
    let before = Text::new(name, text.to_string());
    let (mut together, mut done) = (before.clone(), Vec::new());
    for _ in 0..MAX_ROUNDS {
        let fixes = together.fixes();
        if fixes.is_empty() {
            break;
        }
        done.extend(fixes.iter().map(|(_, fix)| together.change(fix)));
        together = together.with(fixes.iter().map(|(_, fix)| fix));
    }
    if done.is_empty() || together.objection(&before).is_none() {
        return FixResult { text: together.raw, source: together.source, done, left: Vec::new() };
    }
    let (mut now, mut done, mut left) = (before, Vec::new(), Vec::new());
    for _ in 0..MAX_ROUNDS {
        let (count, mut behind) = (done.len(), usize::MAX);
        left.clear();
        for (diagnostic, fix) in now.fixes().iter().rev() {
            // An earlier fix further on may have solved this already, or may overlap it.
            let changes = fix.changes();
            let end = changes.last().map_or(0, |(place, _)| place.end);
            if !now.found.contains(diagnostic) || end > behind {
                continue;
            }
            let next = now.with([fix]);
            match next.objection(&now) {
                None => {
                    done.push(now.change(fix));
                    behind = changes.first().map_or(0, |(place, _)| place.start);
                    now = next;
                }
                Some(why) => left.push(format!("{}; not done: {why}", now.change(fix))),
            }
        }
        if done.len() == count {
            break;
        }
    }
    left.reverse();
    FixResult { text: now.raw, source: now.source, done, left }
}

/// Returns the changes of `--fix` as a unified diff.
pub fn diff(path: &str, before: &str, after: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    TextDiff::from_lines(before, after)
        .unified_diff()
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string()
}

/// A text being fixed.
#[derive(Clone)]
struct Text {
    /// The text as on disk.
    raw: String,
    source: Source,
    found: Vec<Diagnostic>,
}

impl Text {
    fn new(name: &str, raw: String) -> Text {
        let source = based(Source::new(name, &raw));
        let found = check(&source).diagnostics;
        Text { raw, source, found }
    }

    /// Returns the fixes within this file that can be applied together: none overlaps an earlier one.
    fn fixes(&self) -> Vec<(Diagnostic, Fix)> {
        let own = self.source.files().next().map_or(0, |(_, file)| file.end);
        // What was read as if a fix had been made, and has another mistake there, may have been meant otherwise.
        let doubtful = |fix: &Fix| {
            let inside = |place: Span| {
                fix.changes().iter().any(|(of, _)| of.start <= place.start && place.end <= of.end)
            };
            let open =
                |found: &&Diagnostic| found.severity() == Severity::Error && found.sure_fix().is_none();
            self.found.iter().filter(open).any(|found| inside(found.span()))
        };
        let fix = |found: &Diagnostic| {
            let fix = found.sure_fix()?;
            (!doubtful(fix)).then(|| (found.clone(), fix.clone()))
        };
        let mut fixes: Vec<(Diagnostic, Fix)> = self
            .found
            .iter()
            .filter_map(fix)
            .filter(|(_, fix)| fix.changes().iter().all(|(place, _)| place.end <= own))
            .collect();
        fixes.sort_by_key(|(_, fix)| fix.span);
        let mut taken: Vec<Span> = Vec::new();
        fixes.retain(|(_, fix)| {
            let places: Vec<Span> = fix.changes().into_iter().map(|(place, _)| place).collect();
            // The byte in between must stay, so that two words cannot merge.
            let apart = |a: &Span, b: &Span| a.end < b.start || b.end < a.start;
            let fits = places.iter().all(|place| taken.iter().all(|other| apart(place, other)));
            taken.extend(places.into_iter().filter(|_| fits));
            fits
        });
        fixes
    }

    /// Returns the text with these fixes applied, checked again.
    fn with<'f>(&self, fixes: impl IntoIterator<Item = &'f Fix>) -> Text {
        let mut raw = self.raw.clone();
        let mut changes: Vec<(Span, &str)> = fixes.into_iter().flat_map(Fix::changes).collect();
        changes.sort();
        for (span, replacement) in changes.into_iter().rev() {
            raw.replace_range(
                raw_offset(&self.raw, span.start)..raw_offset(&self.raw, span.end),
                replacement,
            );
        }
        Text::new(&self.source.name, raw)
    }

    /// Returns why this text must not replace the one before: it has a new error, or is no better. Compares
    /// errors by their messages, because spans move.
    fn objection(&self, before: &Text) -> Option<String> {
        let grave = before.found.iter().any(|found| found.severity() == Severity::Error);
        let count = |text: &Text| {
            let mut counts: BTreeMap<(Code, String), usize> = BTreeMap::new();
            for found in text.found.iter().filter(|found| !grave || found.severity() == Severity::Error) {
                *counts.entry((found.code, found.message.clone())).or_default() += 1;
            }
            counts
        };
        let (known, now) = (count(before), count(self));
        let new = now.iter().find(|(what, n)| *n > known.get(*what).unwrap_or(&0));
        match new {
            Some(((code, message), _)) => Some(format!("it would cause {code}: {message}")),
            None if now.values().sum::<usize>() >= known.values().sum() => {
                Some("the mistake would remain".to_string())
            }
            None => None,
        }
    }

    /// Describes what a fix changes, and where.
    fn change(&self, fix: &Fix) -> String {
        let at = self.source.position(fix.span.start);
        let (written, meant) = (self.source.slice(fix.span), fix.replacement.as_str());
        let what = match (written, meant) {
            ("", meant) => format!("`{meant}` added"),
            (written, "") => format!("`{written}` removed"),
            (written, meant) => format!("`{written}` to `{meant}`"),
        };
        let alike = fix.also.iter().all(|(_, text)| *text == fix.replacement);
        let more = match (fix.changes().len(), alike) {
            (1, _) => String::new(),
            (places, true) => format!(", at {places} places"),
            (2, false) => ", and another place like it".to_string(),
            (places, false) => format!(", and {} other places like it", places - 1),
        };
        format!("{}:{}:{}: {what}{more}", self.source.name, at.line, at.column)
    }
}

/// Converts a byte offset in a source to one in the original text, which may have a byte-order mark and CRLF
/// line ends.
fn raw_offset(raw: &str, offset: usize) -> usize {
    let body = raw.trim_start_matches('\u{feff}');
    let mut passed = 0;
    for (at, c) in body.char_indices() {
        if passed >= offset {
            return raw.len() - body.len() + at;
        }
        let goes = c == '\r' && body[at + 1..].starts_with('\n');
        passed += if goes { 0 } else { c.len_utf8() };
    }
    raw.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a text with pending fixes, each as start, end and replacement.
    fn text(raw: &str, fixes: &[(usize, usize, &str)]) -> Text {
        let found = fixes.iter().map(|(start, end, meant)| {
            Diagnostic::new(Code::Unexpected, Span::new(*start, *end), "wrong", "").fix(*meant)
        });
        Text { raw: raw.to_string(), source: Source::new("own", raw), found: found.collect() }
    }

    #[test]
    fn of_fixes_that_overlap_the_first_is_carried_out() {
        let text = text("one two three", &[(4, 7, "2"), (0, 3, "1"), (2, 5, "x"), (7, 7, "y"), (8, 13, "3")]);
        let fixes = text.fixes();
        let fixes: Vec<&Fix> = fixes.iter().map(|(_, fix)| fix).collect();
        assert_eq!(text.with(fixes).raw, "1 2 3");
    }

    #[test]
    fn fixes_find_their_place_in_the_file_as_it_lies() {
        let raw = "\u{feff}é\r\nab\rcd\n\r\n";
        // The checked text: é, line end, ab, line end, cd, two line ends.
        let text = text(raw, &[(3, 4, "A"), (6, 8, "CD"), (0, 2, "e"), (9, 10, "!")]);
        let fixes = text.fixes();
        let fixes: Vec<&Fix> = fixes.iter().map(|(_, fix)| fix).collect();
        assert_eq!(text.with(fixes).raw, "\u{feff}e\r\nAb\rCD\n!");
    }

    #[test]
    fn what_is_fixed_is_told() {
        let text = text("ab\ncd", &[]);
        let fix = |start, end, meant: &str| Fix::new(Span::new(start, end), meant);
        assert_eq!(text.change(&fix(3, 4, "e")), "own:2:1: `c` to `e`");
        assert_eq!(text.change(&fix(1, 2, "")), "own:1:2: `b` removed");
        assert_eq!(text.change(&fix(5, 5, "!")), "own:2:3: `!` added");
        let all = Fix { also: vec![(Span::new(3, 4), "e".to_string())], ..fix(0, 1, "e") };
        assert_eq!(text.change(&all), "own:1:1: `a` to `e`, at 2 places");
        let all = Fix { also: vec![(Span::new(3, 4), "f".to_string())], ..fix(0, 1, "e") };
        assert_eq!(text.change(&all), "own:1:1: `a` to `e`, and another place like it");
    }

    #[test]
    fn what_is_renamed_is_renamed_everywhere_or_nowhere() {
        let report = |start, end, also: &[(usize, usize)], meant: &str| {
            let mut report = Diagnostic::new(Code::ReservedWord, Span::new(start, end), "wrong", "");
            also.iter().for_each(|(start, end)| report = report.clone().also(Span::new(*start, *end), "too"));
            report.rename(meant)
        };
        let raw = "win, end, win, end";
        // The second fix would rename a place that the first one renames.
        let found =
            vec![report(0, 3, &[(10, 13)], "w"), report(5, 8, &[(10, 13)], "e"), report(15, 18, &[], "f")];
        let text = Text { raw: raw.to_string(), source: Source::new("own", raw), found };
        let fixes = text.fixes();
        assert_eq!(text.with(fixes.iter().map(|(_, fix)| fix)).raw, "w, end, w, f");
    }
}

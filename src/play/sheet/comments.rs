//! Associates comments with statements: the lines above a statement, and the end of its first line.

use crate::ast::Stmt;
use crate::source::Span;
use crate::syntax::layout::Comment;

use super::page::prose;

/// The nonempty comments of a file, and its text without them.
pub(super) struct Comments<'a> {
    pub text: &'a str,
    all: Vec<&'a Comment>,
}

impl<'a> Comments<'a> {
    pub fn new(text: &'a str, all: &'a [Comment]) -> Comments<'a> {
        Comments { text, all: all.iter().filter(|comment| !comment.text.is_empty()).collect() }
    }

    /// Returns the comment on the lines above a statement, ignoring comments before `from`.
    pub fn above(&self, stmt: &Stmt, from: usize) -> Option<String> {
        let lines: Vec<&str> = self
            .all
            .iter()
            .filter(|c| !c.trailing && c.span.start >= from && c.span.end <= stmt.span.start)
            .map(|c| c.text.as_str())
            .collect();
        (!lines.is_empty()).then(|| prose(&lines.join(" ")))
    }

    /// Returns the position and text of the comment that trails the first line of a span.
    pub fn behind(&self, span: Span) -> Option<(usize, String)> {
        let line_end = self.text[span.start..].find('\n').map_or(self.text.len(), |at| span.start + at);
        let note =
            self.all.iter().find(|c| c.trailing && c.span.start > span.start && c.span.end <= line_end);
        note.map(|note| (note.span.start, prose(&note.text)))
    }

    /// Whether a span is on one line.
    pub fn one_line(&self, span: Span) -> bool {
        !self.text.get(span.start..span.end).unwrap_or("").trim_end().contains('\n')
    }

    /// Returns the comments within an item.
    pub fn inside(&self, span: Span) -> Vec<String> {
        let inside = self.all.iter().filter(|c| span.start < c.span.start && c.span.end <= span.end);
        inside.map(|c| prose(&c.text)).collect()
    }
}

/// Whether a comment can replace a formula. A comment of fewer than four words is only a remark, and so is
/// one that begins like one: `Note: …`, `Ruling: …`, `so …`.
pub(super) fn describes(comment: &str) -> bool {
    const REMARKS: &[&str] = &["because", "but", "hence", "note", "remark", "ruling", "since", "so", "thus"];
    let first = comment.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty()).unwrap_or("");
    comment.split_whitespace().count() >= 4 && !REMARKS.contains(&first.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::describes;

    #[test]
    fn remarks_stand_beside_what_they_are_about() {
        assert!(describes("three in a row win"));
        for remark in ["a cap", "Ruling: the other keeps the card", "so is a 1 with anything: it scores"] {
            assert!(!describes(remark), "{remark}");
        }
    }
}

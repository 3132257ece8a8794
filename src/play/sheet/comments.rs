//! Which comment belongs to what: the lines above a statement, and what stands behind its first line.

use crate::ast::Stmt;
use crate::source::Span;
use crate::syntax::layout::Comment;

use super::page::prose;

/// The comments of a file that say something of its rules, and its text without them.
pub(super) struct Comments<'a> {
    pub text: &'a str,
    all: Vec<&'a Comment>,
}

impl<'a> Comments<'a> {
    pub fn new(text: &'a str, all: &'a [Comment]) -> Comments<'a> {
        Comments { text, all: all.iter().filter(|comment| !comment.text.is_empty()).collect() }
    }

    /// What is written on the lines right above a statement; nothing before `from` is meant.
    pub fn above(&self, stmt: &Stmt, from: usize) -> Option<String> {
        let lines: Vec<&str> = self
            .all
            .iter()
            .filter(|c| !c.trailing && c.span.start >= from && c.span.end <= stmt.span.start)
            .map(|c| c.text.as_str())
            .collect();
        (!lines.is_empty()).then(|| prose(&lines.join(" ")))
    }

    /// What is written behind the first line of something.
    pub fn behind(&self, span: Span) -> Option<(usize, String)> {
        let line_end = self.text[span.start..].find('\n').map_or(self.text.len(), |at| span.start + at);
        let note =
            self.all.iter().find(|c| c.trailing && c.span.start > span.start && c.span.end <= line_end);
        note.map(|note| (note.span.start, prose(&note.text)))
    }

    /// Whether something stands on one line.
    pub fn one_line(&self, span: Span) -> bool {
        !self.text.get(span.start..span.end).unwrap_or("").trim_end().contains('\n')
    }

    /// The comments inside an item.
    pub fn inside(&self, span: Span) -> Vec<String> {
        let inside = self.all.iter().filter(|c| span.start < c.span.start && c.span.end <= span.end);
        inside.map(|c| prose(&c.text)).collect()
    }
}

/// Whether a comment takes the place of a formula. One, two or three words are a remark beside it, and so is what
/// begins as one: `Note: …`, `Ruling: …`, `so …`.
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

//! Associates comments with statements: the lines above a statement, and the end of its first line.

use crate::ast::{Block, Stmt, StmtKind};
use crate::source::Span;
use crate::syntax::layout::Comment;

use super::page::prose;

/// The nonempty comments of a file, and its text without them.
pub(super) struct Comments<'a> {
    pub text: &'a str,
    all: Vec<&'a Comment>,
}

/// The comments on a statement.
#[derive(Default)]
pub(super) struct StmtComments {
    pub above: Option<String>,
    pub behind: Option<String>,
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

    /// Returns, for each statement of a block, whether a comment further up describes it: one above several conditional
    /// statements on lines that follow one another, with a clause for each of them.
    pub fn covered(&self, block: &Block, notes: &[StmtComments]) -> Vec<bool> {
        let mut covered = vec![false; block.stmts.len()];
        let is_if = |stmt: &Stmt| matches!(stmt.kind, StmtKind::If(..));
        for (at, (stmt, own)) in block.stmts.iter().zip(notes).enumerate() {
            let Some(above) = own.above.as_deref().filter(|above| is_if(stmt) && describes(above)) else {
                continue;
            };
            let follows = |at: &usize| {
                let between = block.stmts[at - 1].span.end..block.stmts[*at].span.start;
                let lines = self.text.get(between).unwrap_or("").matches('\n').count();
                lines == 1
                    && is_if(&block.stmts[*at])
                    && notes[*at].above.is_none()
                    && notes[*at].behind.is_none()
            };
            let behind = (at + 1..block.stmts.len()).take_while(follows).count();
            let clauses = above.split(['.', ';']).filter(|clause| !clause.trim().is_empty()).count();
            if clauses == behind + 1 {
                covered[at + 1..=at + behind].fill(true);
            }
        }
        covered
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

/// Returns the identifiers in a text of the rules.
pub(super) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether a comment has every word of the name of a piece of state, in the singular or plural.
pub(super) fn names_state(comment: &str, state: &str) -> bool {
    let comment = comment.to_lowercase();
    let singular = |word: &str| word.trim_end_matches('s').to_string();
    let words: Vec<String> = identifiers(&comment).map(singular).collect();
    state.split('_').all(|part| words.contains(&singular(part)))
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

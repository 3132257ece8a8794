//! Advice for texts where something else is needed: symbols in quotes, and values joined to a text by signs.

use super::Checker;
use crate::diag::{Code, Diagnostic};
use crate::ir::Expr;
use crate::source::Span;
use crate::syntax::{operand, operand_before};

impl Checker<'_> {
    /// Returns advice for a text where a value is needed.
    pub(super) fn instead_of_text(&self, place: Span) -> Option<String> {
        let written = self.written(place);
        let text = written.strip_prefix('"')?.strip_suffix('"')?;
        let before = self.line_before(place);
        let behind = self.source?.text.get(place.end..)?.lines().next()?;
        let added =
            |sign: &str| behind.trim_start().strip_prefix(sign).and_then(|rest| operand(rest.trim_start()));
        let joined = |sign: &str| before.trim_end().strip_suffix(sign).and_then(operand_before);
        let signs = ["++", "+"];
        if let Some(value) = signs.iter().find_map(|sign| added(sign)) {
            return Some(format!("values stand in the text itself, in braces: `\"{text}{{{value}}}\"`"));
        }
        if let Some(value) = signs.iter().find_map(|sign| joined(sign)) {
            return Some(format!("values stand in the text itself, in braces: `\"{{{value}}}{text}\"`"));
        }
        let symbol =
            text.split(' ').next().filter(|word| self.symbols.contains_key(*word) && *word == text)?;
        Some(format!("a symbol is written without quotation marks: `{symbol}`"))
    }

    /// Reports texts that something is chosen from.
    pub(super) fn texts_to_choose_from(&mut self, found: &Expr) {
        let names = self.written(found.span).replace('"', "");
        let message = "a text cannot be chosen";
        let report = Diagnostic::new(Code::TypeMismatch, found.span, message, "symbols are needed");
        let inside = names.trim_matches(['[', ']', '{', '}']);
        let plain = inside.chars().all(|c| c.is_alphanumeric() || "_, ".contains(c)) && !inside.is_empty();
        self.report(match plain {
            true => report
                .help(format!("symbols are written without quotation marks, in braces: `{{{inside}}}`"))
                .fix(format!("{{{inside}}}")),
            false => report.help("symbols are written without quotation marks, in braces: `{small, large}`"),
        });
    }
}

//! Rejects moves and rules named after statements of the language: `again`, `end`, `reveal`, ….

use super::Checker;
use super::items::walk;
use crate::ast::{self, Choices, ItemKind, StmtKind};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// The words that are a statement, alone or before a value.
const LINE_WORDS: &[&str] = &["again", "end", "out", "win", "reveal", "conceal", "shuffle"];

impl<'a> Checker<'a> {
    /// Reports each such name once, with the places where it is used.
    pub(super) fn refuse_line_words(&mut self, file: &'a ast::File) {
        for item in &file.items {
            let (name, what) = match &item.kind {
                ItemKind::Move(mv) => (&mv.name, "move"),
                ItemKind::Rule(name, ..) => (name, "rule"),
                _ => continue,
            };
            let word = name.text.as_str();
            if !LINE_WORDS.contains(&word) {
                continue;
            }
            let mut new = format!("{word}_it");
            while file.items.iter().any(|item| declared(&item.kind) == Some(&new)) {
                new.push('_');
            }
            let message = format!("`{word}` already has a meaning as a line of play");
            let mut report = Diagnostic::new(
                Code::ReservedWord,
                name.span,
                message,
                format!("a {what} cannot have this name"),
            );
            for place in uses(file, word) {
                report = report.also(place, "and here");
            }
            self.report(report.rename(&new).help(format!(
                "call it `{new}` in all these places; options, state and parameters may be called `{word}`"
            )));
        }
    }

    /// Whether a built-in statement may be meant as a move, or a call to a rule, of that name.
    pub(super) fn means_a_name(&self, stmt: &ast::Stmt) -> bool {
        let word = match &stmt.kind {
            StmtKind::Again => Some("again"),
            StmtKind::End => Some("end"),
            _ => called(stmt),
        };
        word.is_some_and(|word| {
            self.moves.contains_key(word) || self.rules.iter().any(|rule| rule.name.text == word)
        })
    }
}

/// Returns the word of a statement that is written like a call: `shuffle(2)`.
fn called(stmt: &ast::Stmt) -> Option<&'static str> {
    let (word, of) = match &stmt.kind {
        StmtKind::Out(of) => ("out", of),
        StmtKind::Win(of) => ("win", of),
        StmtKind::Reveal(of) => ("reveal", of),
        StmtKind::Conceal(of) => ("conceal", of),
        StmtKind::Shuffle(of) => ("shuffle", of),
        _ => return None,
    };
    (of.span.start == stmt.span.start + word.len()).then_some(word)
}

/// Returns the name of a move or rule.
fn declared(item: &ItemKind) -> Option<&String> {
    match item {
        ItemKind::Move(mv) => Some(&mv.name.text),
        ItemKind::Rule(name, ..) => Some(&name.text),
        _ => None,
    }
}

/// Returns the places where a file offers or calls this name: in play, moves and rules, then in examples.
fn uses(file: &ast::File, word: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Play(body) => walk(body, &mut |stmt| {
                // Outside moves `again` has no meaning, so here it must be the name.
                if matches!(stmt.kind, StmtKind::Again) && word == "again" {
                    found.push(Span::new(stmt.span.start, stmt.span.start + word.len()));
                }
                offers(stmt, word, &mut found);
            }),
            ItemKind::Rule(_, _, body) => walk(body, &mut |stmt| offers(stmt, word, &mut found)),
            ItemKind::Move(mv) => walk(&mv.body, &mut |stmt| offers(stmt, word, &mut found)),
            ItemKind::Example(example) => {
                for line in &example.lines {
                    if let Some(ast::Step::Move(_, name, _)) = &line.step
                        && name.text == word
                    {
                        found.push(name.span);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Collects the places where a statement offers or calls this name.
fn offers(stmt: &ast::Stmt, word: &str, found: &mut Vec<Span>) {
    if called(stmt) == Some(word) {
        found.push(Span::new(stmt.span.start, stmt.span.start + word.len()));
    }
    let mut of = |choices: &Choices| {
        let all = choices.first.iter().chain(&choices.otherwise);
        found.extend(all.filter(|choice| choice.name.text == word).map(|choice| choice.name.span));
    };
    match &stmt.kind {
        StmtKind::Ask(_, choices) | StmtKind::Together(_, choices) | StmtKind::Choose(choices) => of(choices),
        StmtKind::TogetherAsk(lines) => lines.iter().for_each(|(_, choices)| of(choices)),
        _ => {}
    }
}

//! A page as its parts, before it is plain text, Markdown or HTML; names in its texts are marked.

use crate::play::drawing::{Board, Cell, Look};

/// A line of an outline: how deep it stands, and what it says.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub depth: usize,
    pub text: String,
}

/// A part of a page.
#[derive(Debug)]
pub(super) enum Part {
    /// The title of the page.
    Title(String),
    /// Who made the game, and where it comes from.
    Byline(String),
    /// The game in a sentence.
    Lead(String),
    /// A heading.
    Heading(String),
    /// A heading below a heading.
    Subheading(String),
    /// A paragraph.
    Para(String),
    /// Something by its name, and what is to be said of it.
    Entry(String, String),
    /// An outline.
    Outline(Vec<Line>),
    /// Lines that are as they are.
    Verbatim(Vec<String>),
    /// A drawing in lines, and the same in words.
    Figure(Vec<String>, Vec<String>),
    /// A drawn board.
    Board(Box<Board>),
}

/// A page under way.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub parts: Vec<Part>,
}

impl Page {
    pub fn heading(&mut self, text: &str) {
        self.parts.push(Part::Heading(text.to_string()));
    }

    pub fn para(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Para(text.into()));
    }

    pub fn entry(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.parts.push(Part::Entry(name.into(), text.into()));
    }

    /// An outline whose lines become sentences; of none, nothing.
    pub fn outline(&mut self, lines: Vec<Line>) {
        if lines.is_empty() {
            return;
        }
        let lines = lines.into_iter().map(|line| Line { text: sentence(&line.text), ..line });
        self.parts.push(Part::Outline(lines.collect()));
    }

    /// Whether this stands somewhere on the page.
    pub fn says(&self, text: &str) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Title(said) | Part::Byline(said) | Part::Lead(said) | Part::Para(said) => {
                said.contains(text)
            }
            Part::Heading(said) | Part::Subheading(said) => said.contains(text),
            Part::Entry(name, said) => name.contains(text) || said.contains(text),
            Part::Outline(lines) => lines.iter().any(|line| line.text.contains(text)),
            Part::Verbatim(_) | Part::Figure(..) | Part::Board(_) => false,
        })
    }
}

// ---- marks

/// Around the name of something on the table: `“left”`, in Markdown and HTML slanted.
const NAME: (char, char) = ('\u{E000}', '\u{E001}');
/// Around what people say or type as their move: `“flip 4”`, in Markdown and HTML bold.
const SAID: (char, char) = ('\u{E002}', '\u{E003}');

/// A name that could be taken for a word of the sentence.
pub(super) fn name(text: &str) -> String {
    format!("{}{}{}", NAME.0, text.replace('_', " "), NAME.1)
}

/// A move as it is said or typed.
pub(super) fn said(text: &str) -> String {
    format!("{}{text}{}", SAID.0, SAID.1)
}

/// A text whose marks are replaced: those before and behind a name, those before and behind a move.
pub(super) fn unmarked(text: &str, names: (&str, &str), moves: (&str, &str)) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if c == NAME.0 => out.push_str(names.0),
            c if c == NAME.1 => out.push_str(names.1),
            c if c == SAID.0 => out.push_str(moves.0),
            c if c == SAID.1 => out.push_str(moves.1),
            c => out.push(c),
        }
    }
    out
}

/// An author's words as prose: what stands in backticks is a name.
pub(super) fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.trim().split('`').peekable();
    let mut inside = false;
    while let Some(part) = parts.next() {
        // A backtick without its fellow is an apostrophe.
        let closed = inside && parts.peek().is_some();
        match (inside, closed) {
            (true, true) => out.push_str(&name(part)),
            (true, false) => out.push_str(&format!("’{part}")),
            (false, _) => out.push_str(part),
        }
        inside = !inside;
    }
    out
}

/// A sentence: its first letter large, a full stop behind it. A name keeps its letters.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    // A name of one letter stays as it is.
    let word = text.split(|c: char| c.is_whitespace() || c == '’').next().unwrap_or("");
    let alone = word.chars().count() == 1 && word != "a";
    let mut out: String = if alone { text.to_string() } else { first.to_uppercase().chain(chars).collect() };
    if !out.ends_with(['.', '!', '?', ':', '…']) && !out.ends_with(".)") {
        out.push('.');
    }
    out
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn either(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} {word} {last}", most.join(", ")),
    }
}

/// A board in lines of at most so many columns, in the signs that every page has.
pub(super) fn drawn(board: &Board, width: usize) -> Vec<String> {
    let look = Look { width, ..Look::default() };
    board.lines(&look).iter().map(|line| line.text(&look)).collect()
}

/// What the signs of a board stand for, in a sentence.
pub(super) fn legend(board: &Board) -> Option<String> {
    let each: Vec<String> = board
        .legend()
        .iter()
        .map(|Cell { sign, words, .. }| {
            format!("{sign} stands for {}{words}", if words.starts_with("side ") { "a " } else { "" })
        })
        .collect();
    (!each.is_empty()).then(|| format!("Here {}.", either(&each, "and")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_and_lists() {
        assert_eq!(sentence("it ends"), "It ends.");
        assert_eq!(sentence("does it? "), "Does it?");
        assert_eq!(either(&["a".into(), "b".into(), "c".into()], "or"), "a, b or c");
    }

    #[test]
    fn backticks_of_authors_make_names() {
        assert_eq!(prose("the `row`, which"), format!("the {}, which", name("row")));
        assert_eq!(prose("an odd ` one"), "an odd ’ one");
    }
}

//! Pages as lists of parts, from which plain text, Markdown or HTML is made; names in the texts are marked.

use crate::play::drawing::{Board, Cell, Look};

/// A line of an outline: its depth and its text.
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
    /// The author and the source of the game.
    Byline(String),
    /// The game in one sentence.
    Lead(String),
    /// A heading.
    Heading(String),
    /// A second-level heading.
    Subheading(String),
    /// A paragraph.
    Para(String),
    /// A term and its description.
    Entry(String, String),
    /// An outline.
    Outline(Vec<Line>),
    /// Preformatted lines.
    Verbatim(Vec<String>),
    /// A drawing as lines, and the same in words.
    Figure(Vec<String>, Vec<String>),
    /// A drawn board.
    Board(Box<Board>),
}

/// A page under construction.
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

    /// Adds an outline and turns its lines into sentences; adds nothing if there are none.
    pub fn outline(&mut self, lines: Vec<Line>) {
        if lines.is_empty() {
            return;
        }
        let lines = lines.into_iter().map(|line| Line { text: sentence(&line.text), ..line });
        self.parts.push(Part::Outline(lines.collect()));
    }

    /// Whether a text occurs on the page.
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

// ---- markup

/// Delimits the name of something on the table: `“left”`; italic in Markdown and HTML.
const NAME: (char, char) = ('\u{E000}', '\u{E001}');
/// Delimits a move as people say or type it: `“flip 4”`; bold in Markdown and HTML.
const SAID: (char, char) = ('\u{E002}', '\u{E003}');

/// Marks a name that could be mistaken for a word of the sentence.
pub(super) fn name(text: &str) -> String {
    format!("{}{}{}", NAME.0, text.replace('_', " "), NAME.1)
}

/// Marks a move as it is said or typed.
pub(super) fn said(text: &str) -> String {
    format!("{}{text}{}", SAID.0, SAID.1)
}

/// Replaces the marks in a text by the given opening and closing strings for names and for moves.
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

/// Converts an author's text to prose: backticks enclose names.
pub(super) fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.trim().split('`').peekable();
    let mut inside = false;
    while let Some(part) = parts.next() {
        // An unpaired backtick is an apostrophe.
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

/// Makes a sentence: capitalises the first letter and adds a full stop. A one-letter name stays lower case.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    // Do not capitalise a one-letter name.
    let word = text.split(|c: char| c.is_whitespace() || c == '’').next().unwrap_or("");
    let alone = word.chars().count() == 1 && word != "a";
    let mut out: String = if alone { text.to_string() } else { first.to_uppercase().chain(chars).collect() };
    if !out.ends_with(['.', '!', '?', ':', '…']) && !out.ends_with(".)") {
        out.push('.');
    }
    out
}

/// Joins items: `a`, `a or b`, `a, b or c`.
pub(super) fn join_with(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} {word} {last}", most.join(", ")),
    }
}

/// Draws a board as ASCII lines of at most `width` columns.
pub(super) fn drawn(board: &Board, width: usize) -> Vec<String> {
    let look = Look { width, ..Look::default() };
    board.lines(&look).iter().map(|line| line.text(&look)).collect()
}

/// Explains the signs of a board in a sentence.
pub(super) fn legend(board: &Board) -> Option<String> {
    let each: Vec<String> = board
        .legend()
        .iter()
        .map(|Cell { sign, words, .. }| {
            format!("{sign} stands for {}{words}", if words.starts_with("side ") { "a " } else { "" })
        })
        .collect();
    (!each.is_empty()).then(|| format!("Here {}.", join_with(&each, "and")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_and_lists() {
        assert_eq!(sentence("it ends"), "It ends.");
        assert_eq!(sentence("does it? "), "Does it?");
        assert_eq!(join_with(&["a".into(), "b".into(), "c".into()], "or"), "a, b or c");
    }

    #[test]
    fn backticks_of_authors_make_names() {
        assert_eq!(prose("the `row`, which"), format!("the {}, which", name("row")));
        assert_eq!(prose("an odd ` one"), "an odd ’ one");
    }
}

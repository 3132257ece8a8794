//! Source texts, and locations in them. Reading files is left to the command line.

use std::sync::Arc;

/// The largest rule file accepted, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// A half-open range of bytes in one source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The offset of the first byte.
    pub start: usize,
    /// The offset just past the last byte.
    pub end: usize,
}

impl Span {
    /// Creates the span from `start` up to, but not including, `end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// Returns the smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A named text. It always ends with a newline, so that a diagnostic can point at its end.
///
/// A variant's text is followed by the text of its base game, so that one span can refer to either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The display name: a path, or a bundled game's file name.
    pub name: String,
    /// The text, followed by the texts of its bases.
    pub text: Arc<str>,
    /// The files that make up `text`: name and start offset. The first is this file; each later one is the
    /// base of the file before it.
    parts: Vec<(String, usize)>,
}

/// A human-readable position: line and column count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

impl Source {
    /// Creates a source from a text. Strips a byte-order mark, normalises line ends to `\n` and appends a
    /// missing final newline. Idempotent, so offsets stay valid when a source is rebuilt from its own text.
    pub fn new(name: impl Into<String>, text: &str) -> Source {
        let text = text.trim_start_matches('\u{feff}');
        let mut text = text.replace("\r\n", "\n").replace('\r', "\n");
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let name = name.into();
        Source { parts: vec![(name.clone(), 0)], name, text: text.into() }
    }

    /// Appends the source of the base game to that of a variant.
    #[must_use]
    pub fn with_base(self, base: &Source) -> Source {
        let shift = self.text.len();
        let text = format!("{}{}", self.text, base.text);
        let below = base.parts.iter().map(|(name, start)| (name.clone(), start + shift));
        let parts = self.parts.into_iter().chain(below).collect();
        Source { name: self.name, text: text.into(), parts }
    }

    /// Returns the files that make up the text: each name and the span of its text, a variant before its
    /// base.
    pub fn files(&self) -> impl DoubleEndedIterator<Item = (&str, Span)> + ExactSizeIterator {
        (0..self.parts.len()).map(|i| {
            let end = self.parts.get(i + 1).map_or(self.text.len(), |(_, start)| *start);
            (self.parts[i].0.as_str(), Span::new(self.parts[i].1, end))
        })
    }

    /// Returns the file that contains the byte at `offset`: its name and the span of its text.
    pub fn file_at(&self, offset: usize) -> (&str, Span) {
        let found = self.files().find(|(_, span)| offset < span.end);
        found.or_else(|| self.files().last()).unwrap_or((&self.name, Span::new(0, self.text.len())))
    }

    /// Whether something stands in the base of a variant, and not in the variant itself.
    pub fn is_inherited(&self, span: Span) -> bool {
        self.files().next().is_some_and(|(_, own)| span.start >= own.end)
    }

    /// Returns the position of the byte at `offset` within its file.
    pub fn position(&self, offset: usize) -> Position {
        self.position_in(self.file_at(offset).1, offset)
    }

    /// Returns the position just past the last character of a span, in the file where the span begins.
    pub fn end_position(&self, span: Span) -> Position {
        let (_, file) = self.file_at(span.start);
        self.position_in(file, span.end.min(file.end))
    }

    fn position_in(&self, file: Span, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[file.start..offset];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Position { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }

    /// Widens a span to character boundaries, so that it covers whole characters.
    pub fn whole(&self, span: Span) -> Span {
        Span::new(self.text.floor_char_boundary(span.start), self.text.ceil_char_boundary(span.end))
    }

    /// Returns the text of a span; empty if the span does not lie on character boundaries within the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_base_is_told_as_one_of_its_file() {
        let source = Source::new("own", "ab\n").with_base(&Source::new("base", "cd\nef\n"));
        assert_eq!(source.position(1), Position { line: 1, column: 2 });
        assert_eq!(source.position(7), Position { line: 2, column: 2 });
        // The end of the variant is the start of its base.
        assert_eq!(source.end_position(Span::new(0, 3)), Position { line: 2, column: 1 });
        assert_eq!(source.position(3), Position { line: 1, column: 1 });
        assert_eq!(source.file_at(1).0, "own");
        assert_eq!(source.file_at(7), ("base", Span::new(3, 9)));
    }

    #[test]
    fn places_count_from_one_in_characters() {
        let source = Source::new("x", "\u{feff}é = 1\r\nlet");
        assert_eq!(&*source.text, "é = 1\nlet\n");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(3), Position { line: 1, column: 3 });
        assert_eq!(source.position(7), Position { line: 2, column: 1 });
        assert_eq!(source.position(999), Position { line: 3, column: 1 });
    }
}

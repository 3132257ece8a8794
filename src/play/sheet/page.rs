//! A page of plain text: headings, paragraphs and outlines, wrapped at a width.

/// A line of an outline: how deep it stands, and what it says.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub depth: usize,
    pub text: String,
}

/// A page under way.
pub(super) struct Page {
    width: usize,
    out: String,
}

impl Page {
    pub fn new(width: usize) -> Page {
        Page { width: width.max(24), out: String::new() }
    }

    /// The page as it stands.
    pub fn finish(self) -> String {
        self.out
    }

    /// A title, underlined.
    pub fn title(&mut self, text: &str) {
        self.wrap("", "", text);
        let longest = self.out.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        self.out.push_str(&"=".repeat(longest));
        self.out.push('\n');
    }

    /// A heading, with an empty line above it.
    pub fn heading(&mut self, text: &str) {
        self.gap();
        self.wrap("", "", &text.to_uppercase());
    }

    /// Whether this stands somewhere on the page.
    pub fn says(&self, text: &str) -> bool {
        self.out.contains(text)
    }

    /// Whether it names a place by so many numbers, as in `row[3]` or `board[2, 1]`.
    pub fn points(&self, numbers: usize) -> bool {
        points(&self.out, numbers)
    }

    /// An empty line, unless the page has just begun or one stands there.
    pub fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// A paragraph.
    pub fn para(&mut self, text: &str) {
        self.wrap("", "", text);
    }

    /// A paragraph moved in by so many columns.
    pub fn inset(&mut self, columns: usize, text: &str) {
        let indent = " ".repeat(columns);
        self.wrap(&indent, &indent, text);
    }

    /// An entry of a list: its later lines stand further in.
    pub fn entry(&mut self, text: &str) {
        self.wrap("  ", "    ", text);
    }

    /// An outline: a dash before each line.
    pub fn outline(&mut self, columns: usize, lines: &[Line]) {
        for line in lines {
            let indent = " ".repeat(columns + 2 * line.depth.min(10));
            self.wrap(&format!("{indent}- "), &format!("{indent}  "), &line.text);
        }
    }

    /// A line as it is, its gaps kept, unless it is too long for the page.
    pub fn verbatim(&mut self, columns: usize, text: &str) {
        if columns + text.trim_end().chars().count() > self.width {
            return self.wrap(&" ".repeat(columns), &" ".repeat(columns + 4), text);
        }
        self.out.push_str(format!("{}{text}", " ".repeat(columns)).trim_end());
        self.out.push('\n');
    }

    fn wrap(&mut self, first: &str, rest: &str, text: &str) {
        let mut line = first.to_string();
        let mut length = first.chars().count();
        let mut bare = true;
        for word in text.split_whitespace() {
            let more = word.chars().count();
            if !bare && length + 1 + more > self.width {
                self.out.push_str(line.trim_end());
                self.out.push('\n');
                line = rest.to_string();
                length = rest.chars().count();
                bare = true;
            }
            if !bare {
                line.push(' ');
                length += 1;
            }
            line.push_str(word);
            length += more;
            bare = false;
        }
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}

/// A sentence: its first letter large, a full stop behind it. Words in backticks stay as they are.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    // A name of one letter stays as it is.
    let name = text.split_whitespace().next().is_some_and(|word| word.len() == 1 && word != "a");
    let mut out: String = if name { text.to_string() } else { first.to_uppercase().chain(chars).collect() };
    if !out.ends_with(['.', '!', '?', ':', '…']) && !out.ends_with(".)") {
        out.push('.');
    }
    out
}

/// Whether a text names a place by so many numbers, as in `row[3]` or `board[2, 1]`.
pub(super) fn points(text: &str, numbers: usize) -> bool {
    text.match_indices('[').any(|(at, _)| {
        let inside = text[at..].split(']').next().unwrap_or("");
        text[..at].ends_with(char::is_alphanumeric) && inside.matches(',').count() + 1 == numbers
    })
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn either(items: &[String], word: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} {word} {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_keep_their_width() {
        let mut page = Page::new(24);
        page.title("A title");
        page.heading("what follows");
        let line = |depth, text: &str| Line { depth, text: text.to_string() };
        page.outline(2, &[line(0, "one two three four five six"), line(1, "seven eight nine ten eleven")]);
        let expected = "A title\n=======\n\nWHAT FOLLOWS\n  - one two three four\n    five six\n    - seven eight nine\n      ten eleven\n";
        assert_eq!(page.finish(), expected);
    }

    #[test]
    fn sentences_and_lists() {
        assert_eq!(sentence("it ends"), "It ends.");
        assert_eq!(sentence("does it? "), "Does it?");
        assert_eq!(either(&["a".into(), "b".into(), "c".into()], "or"), "a, b or c");
    }
}

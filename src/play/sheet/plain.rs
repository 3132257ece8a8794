//! Pages as plain text, wrapped at a width.

use super::page::{Page, Part, drawn, legend, unmarked};
use crate::eval::text::{fitting, wide};

/// Returns the page in lines of at most `width` columns. For screen readers (`listens`), ornamental lines are
/// omitted and drawings are replaced by words.
pub(super) fn plain(page: &Page, width: usize, listens: bool) -> String {
    let mut out = Plain { width: width.max(24), listens, out: String::new() };
    let mut before: Option<&Part> = None;
    for part in &page.parts {
        out.part(part, before);
        before = Some(part);
    }
    out.out
}

struct Plain {
    width: usize,
    listens: bool,
    out: String,
}

impl Plain {
    fn part(&mut self, part: &Part, before: Option<&Part>) {
        match part {
            Part::Title(text) => {
                self.wrap("", "", text);
                if self.listens {
                    return;
                }
                let longest = self.out.lines().map(wide).max().unwrap_or(0);
                self.out.push_str(&"=".repeat(longest));
                self.out.push('\n');
            }
            Part::Byline(text) => self.wrap("", "", text),
            Part::Lead(text) => {
                self.gap();
                self.wrap("", "", text);
            }
            Part::Heading(text) => {
                self.gap();
                self.wrap("", "", &text.to_uppercase());
            }
            Part::Subheading(text) => {
                if !matches!(before, Some(Part::Heading(_))) {
                    self.gap();
                }
                self.wrap("", "", text);
            }
            Part::Para(text) => {
                if matches!(
                    before,
                    Some(
                        Part::Lead(_)
                            | Part::Board(_)
                            | Part::Figure(..)
                            | Part::Verbatim(_)
                            | Part::Outline(_)
                    )
                ) {
                    self.gap();
                }
                self.wrap("", "", text);
            }
            Part::Entry(name, text) if name.is_empty() => self.wrap("  ", "    ", text),
            Part::Entry(name, text) => self.wrap("  ", "    ", &format!("{name}: {text}")),
            Part::Outline(lines) => {
                for line in lines {
                    let indent = "  ".repeat(line.depth.min(6) + 1);
                    self.wrap(&format!("{indent}- "), &format!("{indent}  "), &line.text);
                }
            }
            Part::Verbatim(lines) => lines.iter().for_each(|line| self.verbatim(4, line)),
            Part::Figure(_, told) if self.listens => {
                told.iter().for_each(|text| self.wrap("    ", "      ", text))
            }
            Part::Figure(lines, _) => lines.iter().for_each(|line| self.verbatim(4, line)),
            Part::Board(board) if self.listens => {
                board.spoken().iter().for_each(|text| self.wrap("    ", "      ", text));
            }
            Part::Board(board) => {
                self.gap();
                drawn(board, self.width - 4).iter().for_each(|line| self.verbatim(4, line));
                if let Some(legend) = legend(board) {
                    self.wrap("    ", "    ", &legend);
                }
                self.gap();
            }
        }
    }

    /// Adds an empty line, unless the page is empty or ends with one.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Adds a preformatted line; it is only wrapped if it is wider than the page.
    fn verbatim(&mut self, columns: usize, text: &str) {
        if columns + wide(text.trim_end()) > self.width {
            return self.wrap(&" ".repeat(columns), &" ".repeat(columns + 2), text);
        }
        self.out.push_str(format!("{}{text}", " ".repeat(columns)).trim_end());
        self.out.push('\n');
    }

    fn wrap(&mut self, first: &str, rest: &str, text: &str) {
        let text = unmarked(text, ("“", "”"), ("“", "”"));
        let mut line = first.to_string();
        let mut length = first.chars().count();
        let mut bare = true;
        for word in text.split_whitespace() {
            let mut word = word.to_string();
            loop {
                let more = wide(&word);
                if !bare && length + 1 + more > self.width {
                    self.out.push_str(line.trim_end());
                    self.out.push('\n');
                    line = rest.to_string();
                    length = rest.chars().count();
                    bare = true;
                }
                // Break a word that is wider than the page.
                let room = self.width.saturating_sub(length).max(1);
                if bare && more > room {
                    let cut = fitting(&word, room);
                    line.push_str(&word[..cut]);
                    self.out.push_str(&line);
                    self.out.push('\n');
                    word = word[cut..].to_string();
                    line = rest.to_string();
                    length = rest.chars().count();
                    continue;
                }
                if !bare {
                    line.push(' ');
                    length += 1;
                }
                line.push_str(&word);
                length += more;
                bare = false;
                break;
            }
        }
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::sheet::page::{Line, said};

    #[test]
    fn pages_keep_their_width() {
        let line = |depth, text: &str| Line { depth, text: text.to_string() };
        let page = Page {
            parts: vec![
                Part::Title("A title".to_string()),
                Part::Heading("what follows".to_string()),
                Part::Outline(vec![
                    line(0, "one two three four five six"),
                    line(1, &format!("{} nine ten eleven", said("seven 8"))),
                ]),
                Part::Para("a-word-that-is-longer-than-any-line-is".to_string()),
            ],
        };
        let expected = "A title\n=======\n\nWHAT FOLLOWS\n  - one two three four\n    five six\n    - “seven 8” nine ten\n      eleven\n\na-word-that-is-longer-th\nan-any-line-is\n";
        assert_eq!(plain(&page, 24, false), expected);
    }
}

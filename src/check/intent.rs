//! `// means it` comments, which mark findings as intended.

use crate::diag::Diagnostic;
use crate::source::{Source, Span};
use crate::syntax::layout::layout;

/// A `// means it` comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// Its source span.
    pub span: Span,
    /// The line it is about: its own if code precedes the comment, else the next line that is not a comment.
    line: Span,
}

impl Intent {
    /// Whether a diagnostic is covered: its span begins on the line the comment is about.
    pub fn covers(&self, found: &Diagnostic) -> bool {
        self.is_about(found.span())
    }

    /// Whether a place begins on the line the comment is about.
    pub fn is_about(&self, place: Span) -> bool {
        (self.line.start..=self.line.end).contains(&place.start)
    }
}

/// Returns the `// means it` comments of a file, including those of its base if it is a variant, in order.
pub fn intents(source: &Source) -> Vec<Intent> {
    let text = &source.text;
    let line_at = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        Span::new(start, text[at..].find('\n').map_or(text.len(), |end| at + end))
    };
    let laid = layout(source);
    let meant = laid.comments.iter().filter(|comment| comment.means_it);
    meant
        .map(|comment| {
            let mut line = line_at(comment.span.start);
            while !comment.trailing && line.end < text.len() && is_comment(&text[line.start..line.end]) {
                line = line_at(line.end + 1);
            }
            Intent { span: comment.span, line }
        })
        .collect()
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

/// Removes the intended diagnostics from `found` and returns them.
pub fn take_meant(source: &Source, found: &mut Vec<Diagnostic>) -> Vec<Diagnostic> {
    if found.is_empty() {
        return Vec::new();
    }
    let intents = intents(source);
    found.extract_if(.., |found| intents.iter().any(|intent| intent.covers(found))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;

    /// A game with four names that nothing uses.
    const FILE: &str = "\
game \"M\" { players 2 }
let a = 1 // means it
let b = 2 // what b is // means it: for later
// means it
// what c is
let c = 3

// means it

let d = 4 // means it is here
// means item
move go { }
play { each p in players { ask p to go } }
winner last mover
";

    #[test]
    fn what_is_meant_is_no_warning() {
        let checked = check(&Source::new("m.game", FILE));
        let names = |found: &[Diagnostic]| -> Vec<String> {
            found.iter().map(|found| FILE[found.span().start..found.span().end].to_string()).collect()
        };
        assert_eq!(names(&checked.meant), ["a", "b", "c"]);
        assert_eq!(names(&checked.diagnostics), ["d"]);
    }

    #[test]
    fn what_says_so_is_no_description() {
        let laid = layout(&Source::new("m.game", FILE));
        let told: Vec<&str> = laid.comments.iter().map(|comment| comment.text.as_str()).collect();
        assert_eq!(told, ["", "what b is", "", "what c is", "", "means it is here", "means item"]);
    }

    #[test]
    fn where_there_are_errors_nothing_is_meant() {
        let checked = check(&Source::new("m.game", "let a = b // means it\n"));
        assert!(checked.meant.is_empty() && !checked.diagnostics.is_empty());
    }
}

//! Layout: blanks comments, and turns each line end that does not end a statement into a space.
//!
//! The masked text is as long as the original, so places in one are places in the other. A line end goes
//! inside `( )`, `[ ]` and set literals, before a line that begins with an infix word or sign (never `-`),
//! and after a line that ends with one.

use pest::Parser;

use super::grammar::{Grammar, Rule};
use crate::diag::{Code, Diagnostic};
use crate::source::{Source, Span};

/// How deep brackets may nest.
pub const MAX_DEPTH: usize = 48;
/// How many words and signs one statement may have.
pub const MAX_STATEMENT_TOKENS: usize = 4_000;
/// How many words that nest without brackets (`then`, `of`, `not`, `^` …) one statement may have.
pub const MAX_NESTING_WORDS: usize = 100;

/// The sorts of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Spaces and tabs.
    Blank,
    /// A line end.
    Newline,
    /// `// …`
    Comment,
    /// A line of a drawn board.
    Picture,
    /// `"…"`
    Text,
    /// A text whose end is missing.
    Unclosed,
    /// `42`
    Number,
    /// A name or a word of the language.
    Word,
    /// A sign or bracket.
    Symbol,
    /// A character that has no place in the language.
    Unknown,
}

/// A token and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its sort.
    pub kind: TokenKind,
    /// Its place.
    pub span: Span,
}

/// A comment: its place, its text, whether code stands before it on its line.
#[derive(Debug, Clone)]
pub struct Comment {
    /// Its place.
    pub span: Span,
    /// What it says, without the slashes.
    pub text: String,
    /// Whether code stands before it on its line.
    pub trailing: bool,
}

/// What layout makes of a text.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    /// The text the grammar reads.
    pub masked: String,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// What is wrong already.
    pub diagnostics: Vec<Diagnostic>,
}

/// Splits a text into tokens; every byte is in one of them.
pub fn tokens(text: &str) -> Vec<Token> {
    let Ok(mut pairs) = Grammar::parse(Rule::tokens, text) else { return Vec::new() };
    let whole = pairs.next().expect("a parse has a root");
    let mut at_line_start = true;
    let mut out = Vec::new();
    for pair in whole.into_inner() {
        let kind = match pair.as_rule() {
            Rule::blank => TokenKind::Blank,
            Rule::newline => TokenKind::Newline,
            Rule::comment => TokenKind::Comment,
            Rule::picture if at_line_start => TokenKind::Picture,
            Rule::picture => TokenKind::Unknown,
            Rule::string => TokenKind::Text,
            Rule::unclosed => TokenKind::Unclosed,
            Rule::number => TokenKind::Number,
            Rule::word => TokenKind::Word,
            Rule::symbol => TokenKind::Symbol,
            Rule::unknown => TokenKind::Unknown,
            _ => continue,
        };
        at_line_start = kind == TokenKind::Newline || (kind == TokenKind::Blank && at_line_start);
        out.push(Token { kind, span: Span::new(pair.as_span().start(), pair.as_span().end()) });
    }
    out
}

/// Words and signs that join what stands before them to what stands after, so no statement begins with one.
fn joins_backward(text: &str) -> bool {
    matches!(
        text,
        "and"
            | "or"
            | "then"
            | "else"
            | "in"
            | "not"
            | "is"
            | "div"
            | "mod"
            | "divides"
            | "with"
            | "where"
            | "while"
            | "until"
            | "+"
            | "*"
            | "^"
            | "="
            | "!="
            | "<"
            | "<="
            | ">"
            | ">="
            | ".."
            | "++"
            | ":"
            | ","
            | ")"
            | "]"
            | ":="
            | "+="
            | "-="
            | "++="
            | "."
    )
}

fn joins_forward(text: &str) -> bool {
    text == "-" || (joins_backward(text) && !matches!(text, ")" | "]"))
}

/// Whether a `{` behind this token opens a set (or a type's symbols) rather than a block.
fn set_follows(previous: &str) -> bool {
    matches!(previous, "(" | "[" | "of" | "optional")
        || (joins_forward(previous) && !matches!(previous, "else" | "until" | "then"))
        || previous == "then"
}

/// Lays out a text. Its time is linear in the text's length.
pub fn layout(source: &Source) -> Layout {
    let text = &*source.text;
    let tokens = tokens(text);
    let mut masked: Vec<u8> = text.as_bytes().to_vec();
    let mut out = Layout::default();
    let mut open: Vec<(char, Span)> = Vec::new();
    let (mut previous, mut before) = ("", "");
    let mut line_has_code = false;
    let (mut in_statement, mut nesting) = (0, 0);

    for (i, token) in tokens.iter().enumerate() {
        let word = &text[token.span.start..token.span.end];
        match token.kind {
            TokenKind::Blank => {
                masked[token.span.start..token.span.end].fill(b' ');
                continue;
            }
            TokenKind::Comment => {
                masked[token.span.start..token.span.end].fill(b' ');
                out.comments.push(Comment {
                    span: token.span,
                    text: word.trim_start_matches('/').trim().to_string(),
                    trailing: line_has_code,
                });
                continue;
            }
            TokenKind::Newline => {
                line_has_code = false;
                let next = next_code(&tokens[i + 1..], text);
                if item_begins(&tokens[i + 1..], text) {
                    // An item at the left edge: whatever is still open was never closed.
                    while open.last().is_some_and(|(bracket, _)| *bracket != '{') {
                        let (bracket, span) = open.pop().expect("just seen");
                        out.diagnostics.push(unclosed(bracket, span));
                    }
                }
                let inside = open.last().is_some_and(|(bracket, _)| *bracket != '{');
                if inside || joins_forward(previous) || next.is_some_and(joins_backward) {
                    masked[token.span.start] = b' ';
                } else {
                    (in_statement, nesting) = (0, 0);
                }
                continue;
            }
            TokenKind::Unclosed => out.diagnostics.push(
                Diagnostic::new(
                    Code::UnclosedText,
                    token.span,
                    "this text has no end",
                    "a text ends on its own line",
                )
                .help("close it with `\"`"),
            ),
            TokenKind::Symbol => match word {
                "(" | "[" => open.push((word.chars().next().unwrap_or('('), token.span)),
                "{" if set_follows(previous) => open.push(('s', token.span)),
                "{" => open.push(('{', token.span)),
                ")" | "]" | "}" => {
                    let fits = |bracket: char| match word {
                        ")" => bracket == '(',
                        "]" => bracket == '[',
                        _ => bracket == '{' || bracket == 's',
                    };
                    // A closing brace closes the block it ends, whatever was forgotten inside.
                    if word == "}" {
                        while open.last().is_some_and(|(bracket, _)| !fits(*bracket)) {
                            let (bracket, span) = open.pop().expect("just seen");
                            out.diagnostics.push(unclosed(bracket, span));
                        }
                    }
                    if open.last().is_some_and(|(bracket, _)| fits(*bracket)) {
                        open.pop();
                    }
                }
                _ => {}
            },
            _ => {}
        }
        line_has_code = true;
        in_statement += 1;
        nesting += usize::from(
            matches!(word, "then" | "of" | "not" | "optional" | "^") || (word == "-" && previous == "-"),
        );
        // In `p is in {` and `x is not in`, behind `is`, the word `in` ends what is said.
        let test = previous == "is" || (previous == "not" && before == "is");
        before = previous;
        previous = if test && word == "in" { "is in" } else { word };
        let over = if open.len() > MAX_DEPTH {
            Some(("brackets nest too deeply here", format!("at most {MAX_DEPTH} may be open at once")))
        } else if nesting > MAX_NESTING_WORDS {
            let limit = format!("a statement has at most {MAX_NESTING_WORDS} of `then`, `of`, `not` and `^`");
            Some(("this statement nests too deeply", limit))
        } else if in_statement > MAX_STATEMENT_TOKENS {
            Some((
                "this statement is too long",
                format!("it has more than {MAX_STATEMENT_TOKENS} words and signs"),
            ))
        } else {
            None
        };
        if let Some((what, limit)) = over {
            out.diagnostics.push(
                Diagnostic::new(Code::TooDeep, token.span, what, limit)
                    .help("name a part of it with `let` or `define`"),
            );
            return out;
        }
    }
    out.masked = String::from_utf8(masked).unwrap_or_default();
    out
}

fn unclosed(bracket: char, span: Span) -> Diagnostic {
    let (open, close) = match bracket {
        '[' => ('[', ']'),
        's' | '{' => ('{', '}'),
        _ => ('(', ')'),
    };
    Diagnostic::new(
        Code::UnclosedBracket,
        span,
        format!("this `{open}` is never closed"),
        format!("no `{close}` follows"),
    )
}

fn next_code<'a>(rest: &[Token], text: &'a str) -> Option<&'a str> {
    rest.iter()
        .find(|t| !matches!(t.kind, TokenKind::Blank | TokenKind::Newline | TokenKind::Comment))
        .filter(|t| t.kind != TokenKind::Picture)
        .map(|t| &text[t.span.start..t.span.end])
}

/// Whether an item of the file begins right here, at the left edge.
fn item_begins(rest: &[Token], text: &str) -> bool {
    rest.first().is_some_and(|token| {
        token.kind == TokenKind::Word && Grammar::parse(Rule::item_shape, &text[token.span.start..]).is_ok()
    })
}

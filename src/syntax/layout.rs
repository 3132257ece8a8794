//! Layout: blanks out comments, and replaces each line end that does not end a statement by a space.
//!
//! The masked text has the same length as the original, so spans are valid in both. A line end is replaced
//! inside `( )`, `[ ]` and set literals, before a line that begins with an infix word or sign (never `-`),
//! and after a line that ends with one.

use pest::Parser;

use super::braces::{Braced, braced};
use super::brackets::paired;
use super::grammar::{Grammar, Rule};
use super::report::unreadable;
use super::unopened::{Opened, opened};
use crate::diag::{Code, Diagnostic, Fix, Label};
use crate::source::{Source, Span};

/// Maximum nesting depth of brackets.
pub const MAX_DEPTH: usize = 48;
/// Maximum number of tokens in one statement.
pub const MAX_STATEMENT_TOKENS: usize = 4_000;
/// Maximum number of words that nest without brackets (`then`, `of`, `not`, `^` …) in one statement.
pub const MAX_NESTING_WORDS: usize = 100;

/// The kinds of tokens.
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
    /// A text without its closing quote.
    Unclosed,
    /// `42`
    Number,
    /// A name or a word of the language.
    Word,
    /// A sign or bracket.
    Symbol,
    /// A character that the language does not use.
    Unknown,
}

/// A token and its span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Its source span.
    pub span: Span,
}

/// A comment.
#[derive(Debug, Clone)]
pub struct Comment {
    /// Its source span.
    pub span: Span,
    /// Its text without slashes and `means it`; empty if it says nothing else.
    pub text: String,
    /// Whether code precedes it on its line.
    pub trailing: bool,
    /// Whether it ends with `// means it`, perhaps with a reason: findings on its line are intended.
    pub means_it: bool,
}

impl Comment {
    fn new(span: Span, written: &str, trailing: bool) -> Comment {
        let said = written.trim_start_matches('/').trim();
        let (remark, last) = said.rsplit_once("//").unwrap_or(("", said));
        let means_it = last.trim().strip_prefix("means it").is_some_and(|reason| {
            let reason = reason.trim_start();
            reason.is_empty() || reason.starts_with(':')
        });
        let text = if means_it { remark.trim_end() } else { said }.to_string();
        Comment { span, text, trailing, means_it }
    }
}

/// The result of laying out a text.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    /// The text that the grammar reads.
    pub masked: String,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// The errors found so far.
    pub diagnostics: Vec<Diagnostic>,
    /// Spans that already have a diagnostic; parts that contain one cannot be read and are not reported
    /// again.
    pub reported: Vec<Span>,
}

/// Splits a text into tokens that cover every byte.
pub fn tokens(text: &str) -> Vec<Token> {
    let Ok(mut pairs) = Grammar::parse(Rule::tokens, text) else { return Vec::new() };
    let whole = pairs.next().expect("a parse has a root");
    let mut out = Vec::new();
    for pair in whole.into_inner() {
        let kind = match pair.as_rule() {
            Rule::blank => TokenKind::Blank,
            Rule::newline => TokenKind::Newline,
            Rule::comment => TokenKind::Comment,
            Rule::picture => TokenKind::Picture,
            Rule::string | Rule::plain => TokenKind::Text,
            Rule::unclosed => TokenKind::Unclosed,
            Rule::number => TokenKind::Number,
            Rule::word | Rule::told_word => TokenKind::Word,
            Rule::symbol => TokenKind::Symbol,
            Rule::unknown => TokenKind::Unknown,
            _ => continue,
        };
        out.push(Token { kind, span: Span::new(pair.as_span().start(), pair.as_span().end()) });
    }
    out
}

/// Whether a word or sign connects the line it begins to the line before, so that no statement begins with
/// it.
pub(super) fn joins_backward(text: &str) -> bool {
    matches!(
        text,
        "and"
            | "or"
            | "then"
            | "else"
            | "elif"
            | "elsif"
            | "elseif"
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

pub(super) fn joins_forward(text: &str) -> bool {
    text == "-" || (joins_backward(text) && !matches!(text, ")" | "]"))
}

/// Whether a word is an operator that may also be a name.
fn is_word_operator(text: &str) -> bool {
    matches!(text, "div" | "mod" | "divides" | "with")
}

/// What may come next in a statement; decides whether `mod` is the operator or a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The start of a statement.
    Anything,
    /// A value or a name.
    Value,
    /// An operator, after a value.
    Operator,
}

impl Next {
    fn after(self, kind: TokenKind, word: &str) -> Next {
        match (kind, word) {
            (TokenKind::Symbol, ")" | "]" | "}") => Next::Operator,
            (TokenKind::Symbol, "{") => Next::Anything,
            (TokenKind::Symbol, _) => Next::Value,
            (TokenKind::Word, "yes" | "no" | "none") => Next::Operator,
            (TokenKind::Word, "not" | "if" | "case") => Next::Value,
            (TokenKind::Word, _) if is_word_operator(word) && self != Next::Operator => Next::Operator,
            (TokenKind::Word, _) if joins_forward(word) => Next::Value,
            (TokenKind::Word, _) if BEFORE_NAMES.contains(&word) && self != Next::Value => Next::Value,
            _ => Next::Operator,
        }
    }
}

/// Words of the language that precede a value or a name.
const BEFORE_NAMES: &[&str] = &[
    "option", "let", "move", "define", "rule", "given", "phase", "repeat", "by", "from", "as", "to", "of",
    "ask", "award", "say", "send", "show", "need", "if", "case", "win", "out", "reveal", "conceal",
    "shuffle", "draw", "deal", "chance", "each", "cycle", "highest", "lowest", "expect", "score", "when",
];

/// Whether a `{` after this token opens a set (or the symbols of a type) rather than a block.
pub(super) fn set_follows(previous: &str) -> bool {
    matches!(previous, "(" | "[" | "of" | "optional")
        || (joins_forward(previous)
            && !matches!(previous, "else" | "elif" | "elsif" | "elseif" | "until" | "then"))
        || previous == "then"
}

/// Lays out a text, in time linear in its length.
pub fn layout(source: &Source) -> Layout {
    let Opened { text, reports: mut unbraced } = opened(&source.text);
    let Braced { text, reports, opened } = braced(&text);
    unbraced.extend(reports);
    let text = text.as_str();
    let tokens = tokens(text);
    let next = next_code(&tokens);
    let mut masked: Vec<u8> = text.as_bytes().to_vec();
    let mut out = Layout::default();
    let mut open = Brackets { inserted: opened, ..Brackets::default() };
    let (mut previous, mut before) = ("", "");
    let mut line_has_code = false;
    let (mut in_statement, mut nesting, mut next_is) = (0, 0, Next::Anything);
    // Column of the first code on the line, number of the line, and last line with an unclosed text.
    let (mut column, mut lines, mut unclosed_line) = (0, 0, None);

    for (i, token) in tokens.iter().enumerate() {
        let word = &text[token.span.start..token.span.end];
        if !line_has_code && !matches!(token.kind, TokenKind::Blank | TokenKind::Newline) {
            column = token.span.start - text[..token.span.start].rfind('\n').map_or(0, |at| at + 1);
        }
        match token.kind {
            TokenKind::Blank => {
                masked[token.span.start..token.span.end].fill(b' ');
                continue;
            }
            TokenKind::Comment => {
                masked[token.span.start..token.span.end].fill(b' ');
                out.comments.push(Comment::new(token.span, word, line_has_code));
                continue;
            }
            TokenKind::Newline => {
                line_has_code = false;
                lines += 1;
                let coming = next[i];
                let begins = item_begins(&tokens[i + 1..], text);
                if begins {
                    // An item begins at the left edge: whatever is still open was never closed.
                    open.close_all(&mut out.diagnostics);
                }
                // A brace on the next line is treated as if it were on this one.
                let word = |at: usize| &text[tokens[at].span.start..tokens[at].span.end];
                if let Some(at) = coming.filter(|at| word(*at) == "{")
                    && !matches!(previous, "" | "{" | "}")
                    && !open.inside()
                    && !joins_forward(previous)
                {
                    out.diagnostics.push(
                        Diagnostic::new(
                            Code::Unexpected,
                            tokens[at].span,
                            "this `{` belongs on the line above",
                            "it opens the block that the line above begins",
                        )
                        .help("put it at the end of the line above"),
                    );
                    masked[token.span.start] = b' ';
                    continue;
                }
                // `else` in the column of an `if` whose block is open: the brace before it is missing.
                if let Some(at) = coming
                    && matches!(word(at), "else" | "elif" | "elsif" | "elseif")
                    && previous != "}"
                    && let Some(block) = open.ended_by_else(text, tokens[at].span)
                {
                    out.diagnostics
                        .push(unclosed("{", block).also(tokens[at].span, "it should end before this"));
                    masked[token.span.start] = b'}';
                    previous = "}";
                    continue;
                }
                // `else:` is the last arm of a `case`, and has a line of its own.
                let last_arm =
                    |at: usize| word(at) == "else" && next[at].is_some_and(|then| word(then) == ":");
                // `mod := 3` assigns to a name; `mod 3` continues the line before.
                let named = |at: usize| {
                    is_word_operator(word(at))
                        && next[at]
                            .is_none_or(|then| joins_forward(word(then)) || matches!(word(then), "}" | "{"))
                };
                // `until: int`, `where := 3`: reserved words, mistaken for names.
                let misnamed = |at: usize| {
                    matches!(word(at), "and" | "or" | "then" | "in" | "is" | "where" | "while" | "until")
                        && next[at].is_some_and(|then| matches!(word(then), ":" | ":=" | "+=" | "-=" | "++="))
                };
                let joins = coming.is_some_and(|at| {
                    joins_backward(word(at)) && !last_arm(at) && !named(at) && !misnamed(at)
                });
                // A row of a board is always a line of its own.
                let row = previous.starts_with('|');
                let coming_row = tokens[i + 1..].iter().find(|token| token.kind != TokenKind::Blank);
                let coming_row = coming_row.is_some_and(|token| token.kind == TokenKind::Picture);
                let joined = !coming_row && joins_forward(previous) || joins && !row;
                if !begins && (open.inside() || joined) {
                    masked[token.span.start] = b' ';
                } else {
                    (in_statement, nesting, next_is) = (0, 0, Next::Anything);
                }
                continue;
            }
            TokenKind::Unclosed => {
                let continues = unclosed_line.is_some_and(|line| line + 1 == lines);
                if !continues {
                    out.diagnostics.push(broken_text(text, token.span));
                }
                out.reported.push(token.span);
                // The unclosed text has swallowed the brace that opens a block.
                if let Some(line) = word.trim_end().strip_suffix('{') {
                    let brace = token.span.start + line.len();
                    open.open("{", Span::new(brace, brace + 1), column);
                }
                unclosed_line = Some(lines);
            }
            TokenKind::Symbol => match word {
                "(" => open.open("(", token.span, column),
                "[" => open.open("[", token.span, column),
                "{" if set_follows(previous) => open.open("set", token.span, column),
                "{" => open.open("{", token.span, column),
                ")" | "]" | "}" => open.close(word, token.span, column, &mut out.diagnostics),
                _ => {}
            },
            _ => {}
        }
        line_has_code = true;
        in_statement += 1;
        nesting += usize::from(
            matches!(word, "then" | "of" | "not" | "optional" | "^") || (word == "-" && previous == "-"),
        );
        // In `p is in {`, `x is not in` and `winner last in` the word `in` is not followed by a value.
        let test = matches!(previous, "is" | "last") || (previous == "not" && before == "is");
        let name = is_word_operator(word) && next_is != Next::Operator;
        next_is = next_is.after(token.kind, word);
        before = previous;
        previous = match word {
            "in" if test => "is in",
            _ if name => "a name",
            _ => word,
        };
        let over = if open.stack.len() > MAX_DEPTH {
            Some(("brackets are nested too deeply here", format!("at most {MAX_DEPTH} may be open at once")))
        } else if nesting > MAX_NESTING_WORDS {
            let limit =
                format!("a statement can have at most {MAX_NESTING_WORDS} of `then`, `of`, `not` and `^`");
            Some(("this statement is nested too deeply", limit))
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
                    .help("give a part of it a name with `let` or `define`"),
            );
            return out;
        }
    }
    open.close_all(&mut out.diagnostics);
    out.diagnostics.iter_mut().for_each(|report| ended_by_a_word(report, text));
    paired(&mut out.diagnostics, text);
    out.reported.extend(out.diagnostics.iter().map(Diagnostic::span));
    // These blocks have braces by now, so their spans are not `reported`.
    out.diagnostics.extend(unbraced);
    out.masked = String::from_utf8(masked).unwrap_or_default();
    out
}

/// The open brackets.
#[derive(Default)]
struct Brackets {
    stack: Vec<Bracket>,
    /// The first block since the last item whose `}` is not in the column of its line: its `{` and `}`.
    misaligned: Option<(Span, Span)>,
    /// Positions of the `{` inserted by [`braced`], whose problems are reported already; sorted.
    inserted: Vec<usize>,
}

struct Bracket {
    /// `(`, `[`, `{` for a block, or `set`.
    kind: &'static str,
    span: Span,
    /// The column of the first code on its line.
    column: usize,
}

impl Brackets {
    /// Whether line ends are ignored here.
    fn inside(&self) -> bool {
        self.stack.last().is_some_and(|bracket| bracket.kind != "{")
    }

    fn open(&mut self, kind: &'static str, span: Span, column: usize) {
        self.stack.push(Bracket { kind, span, column });
    }

    fn close(&mut self, sign: &str, span: Span, column: usize, diagnostics: &mut Vec<Diagnostic>) {
        let fits = |kind: &str| match sign {
            ")" => kind == "(",
            "]" => kind == "[",
            _ => kind == "{" || kind == "set",
        };
        // A closing brace closes its block, even if brackets inside it were left open.
        if sign == "}" && self.stack.iter().any(|bracket| bracket.kind == "{") {
            while self.stack.last().is_some_and(|bracket| !fits(bracket.kind)) {
                let bracket = self.stack.pop().expect("just seen");
                diagnostics.push(unclosed(bracket.kind, bracket.span));
            }
        }
        match self.stack.last() {
            Some(bracket) if fits(bracket.kind) => {
                let bracket = self.stack.pop().expect("just seen");
                if bracket.kind == "{" && bracket.column != column && self.misaligned.is_none() {
                    self.misaligned = Some((bracket.span, span));
                }
            }
            // The bracket closes the one around the innermost, which was never closed.
            Some(bracket) if sign != "}" && self.closes_around(sign) => {
                let report = unclosed(bracket.kind, bracket.span);
                diagnostics.push(report.also(span, "this closes the one around it"));
                self.stack.pop();
                self.stack.pop();
            }
            // The wrong bracket closes the open one: one mistake, not two.
            Some(bracket) if sign != "}" && self.inside() => {
                let report = Diagnostic::new(
                    Code::Unexpected,
                    span,
                    format!("`{sign}` does not match the bracket that is open here"),
                    format!("expected {}", if bracket.kind == "(" { "`)`" } else { "`]`" }),
                );
                diagnostics.push(report.also(bracket.span, "opened here"));
                self.stack.pop();
            }
            _ => diagnostics.push(
                Diagnostic::new(Code::Unexpected, span, closes_nothing(sign), "")
                    .help("remove it, or look for a bracket that is closed too early"),
            ),
        }
    }

    /// Whether a closing bracket matches the one around the innermost.
    fn closes_around(&self, sign: &str) -> bool {
        let around = self.stack.len().checked_sub(2).map(|at| self.stack[at].kind);
        around == Some(if sign == ")" { "(" } else { "[" })
    }

    /// Closes the innermost block if it is that of an `if` in the column of the `else` at `place`; returns
    /// its `{`.
    fn ended_by_else(&mut self, text: &str, place: Span) -> Option<Span> {
        let start = |at: usize| text[..at].rfind('\n').map_or(0, |at| at + 1);
        let bracket = self.stack.last().filter(|bracket| bracket.kind == "{")?;
        let line = text[start(bracket.span.start)..bracket.span.start].trim_start_matches(['}', ' ']);
        let of_if = line.starts_with("if ") || line.starts_with("else if ");
        if !of_if || bracket.column != place.start - start(place.start) {
            return None;
        }
        self.stack.pop().map(|bracket| bracket.span)
    }

    /// Reports all brackets that are open where an item begins or the file ends.
    fn close_all(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let misaligned = self.misaligned.take();
        let mut blamed = false;
        while let Some(bracket) = self.stack.pop() {
            if self.inserted.binary_search(&bracket.span.start).is_ok() {
                continue;
            }
            // An unclosed block takes the `}` of the one around it, so blame the one whose columns do not
            // match.
            match misaligned.filter(|_| bracket.kind == "{") {
                Some((open, close)) if !blamed => {
                    let report = unclosed("{", open);
                    diagnostics.push(report.also(close, "the next `}` lines up with another block"));
                    blamed = true;
                }
                Some(_) => {}
                None => diagnostics.push(unclosed(bracket.kind, bracket.span)),
            }
        }
    }
}

/// `end` on a line of its own, in the column of a block that is never closed, was meant as its `}`.
fn ended_by_a_word(report: &mut Diagnostic, text: &str) {
    const ENDS: &[&str] = &["end", "endif", "done", "fi"];
    let open = report.span();
    if report.code != Code::UnclosedBracket || text[open.start..open.end] != *"{" {
        return;
    }
    let from = text[..open.start].rfind('\n').map_or(0, |at| at + 1);
    let column = |line: &str| line.len() - line.trim_start().len();
    let mut lines = text[from..].split_inclusive('\n');
    let (mut at, head) = (from, lines.next().unwrap_or(""));
    at += head.len();
    for line in lines {
        let word = line.trim();
        if column(line) == column(head) && !word.is_empty() {
            if ENDS.contains(&word) {
                let place = Span::new(at + column(line), at + column(line) + word.len());
                report.labels.push(Label { span: place, text: "this does not end a block".to_string() });
                report.help = Some(format!("a block ends with `}}`: write `}}` instead of `{word}`"));
                report.fix = Some(Fix::new(place, "}"));
            }
            return;
        }
        at += line.len();
    }
}

/// Returns the message about a closing bracket where none is open.
pub fn closes_nothing(sign: &str) -> String {
    format!("this `{sign}` closes nothing")
}

fn unclosed(kind: &str, span: Span) -> Diagnostic {
    let (open, close) = match kind {
        "(" => ('(', ')'),
        "[" => ('[', ']'),
        _ => ('{', '}'),
    };
    Diagnostic::new(
        Code::UnclosedBracket,
        span,
        format!("this `{open}` is never closed"),
        format!("no `{close}` follows"),
    )
    .help(format!("write `{close}` where it should end"))
}

/// Describes brackets of different kinds that close one another: `pits(k]`.
fn crossed(value: &str) -> Option<String> {
    let mut open: Vec<(usize, char)> = Vec::new();
    for (at, c) in value.char_indices() {
        match c {
            '(' | '[' => open.push((at, c)),
            ')' | ']' => {
                let (from, opened) = open.pop()?;
                if (opened == '(') != (c == ')') {
                    let name = value[..from].trim_start_matches('{');
                    let inside = &value[from + 1..at];
                    return Some(format!(
                        "`{opened}` is closed by `{c}`: write `{name}[{inside}]` for a place in a list, `{name}({inside})` for a call"
                    ));
                }
            }
            _ => {}
        }
    }
    None
}

/// Describes a value whose brace is not closed before the next one opens: `{lot for {high`.
fn left_open(value: &str) -> Option<String> {
    let inside = value.trim_start_matches('{');
    let name = inside.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.')).next()?;
    (inside.contains('{') && !name.is_empty())
        .then(|| format!("a `}}` is missing: `{{{name}}}`; a text holds each value in braces of its own"))
}

/// Returns how a list is written that is said as in `{p.coins for p in players`.
fn listed(value: &str) -> Option<String> {
    // The brackets of the list may be there.
    let (each, source) = value.trim_start_matches(['{', '[']).split_once(" for ")?;
    let source = source.trim_end_matches(['}', ']']);
    Some(format!("a list of values is written `{{[{}: {}]}}`", source.trim(), each.trim()))
}

/// Returns the report about a value in a text that would be made about it elsewhere, if that can correct it.
fn misread(text: &str, value: Span) -> Option<Diagnostic> {
    let error = Grammar::parse(Rule::one_expr, &text[value.start..value.end]).err()?;
    Some(unreadable(&error, text, value, Rule::one_expr)).filter(|report| report.fix.is_some())
}

/// Diagnoses a text that the grammar could not read to its end.
fn broken_text(text: &str, span: Span) -> Diagnostic {
    let line = &text[span.start..span.end];
    let mut at = 1;
    while let Some(step) = line[at..].find(['"', '\\', '{', '}']) {
        at += step;
        let place = Span::new(span.start + at, span.start + at + 1);
        match &line[at..=at] {
            "\"" => break,
            "{" if line[at + 1..].trim().is_empty() => break,
            "\\" if line[at + 1..].starts_with(['"', '\\', '{', '}', 'n']) => at += 2,
            "\\" => {
                return Diagnostic::new(Code::Unexpected, place, "this `\\` does not escape anything", "")
                    .help("write `\\\\` for a backslash; `\\n` is a line end, `\\\"` a quote");
            }
            "}" => {
                return Diagnostic::new(Code::Unexpected, place, "this `}` closes nothing in the text", "")
                    .help("write `\\}` for a literal brace");
            }
            _ => match Grammar::parse(Rule::filled, &line[at..]) {
                Ok(mut pairs) => at += pairs.next().map_or(1, |pair| pair.as_str().len()),
                Err(_) => {
                    let end = line[at..].find(['}', '"']).unwrap_or(line.len() - at);
                    let whole = Span::new(span.start + at, span.start + at + end);
                    return match line[at + end..].starts_with('}') {
                        true => {
                            let whole = Span::new(whole.start, whole.end + 1);
                            let value = &line[at..at + end];
                            if let Some(report) = super::signs::shown_otherwise(text, span) {
                                return report;
                            }
                            let help = left_open(value).or_else(|| crossed(value)).or_else(|| listed(value));
                            let inside = value[1..].trim();
                            let help = help.or_else(|| {
                                let all = format!("[{inside}]");
                                let reads =
                                    inside.contains(" in ") && Grammar::parse(Rule::one_expr, &all).is_ok();
                                reads.then(|| {
                                    format!("a list of values stands in square brackets: `{{{all}}}`")
                                })
                            });
                            if help.is_none()
                                && let Some(report) = misread(text, Span::new(whole.start + 1, whole.end - 1))
                            {
                                return report;
                            }
                            Diagnostic::new(Code::Unexpected, whole, "this is not a value", "").help(
                                help.unwrap_or_else(|| {
                                    "`{ }` in a text holds one value; write `\\{` for a literal brace"
                                        .to_string()
                                }),
                            )
                        }
                        false => Diagnostic::new(
                            Code::UnclosedBracket,
                            place,
                            "this `{` is never closed in the text",
                            "no `}` follows",
                        )
                        .help("a value in a text is written in `{ }`; write `\\{` for a literal brace"),
                    };
                }
            },
        }
    }
    Diagnostic::new(Code::UnclosedText, span, "this text is never closed", "a text must end on its own line")
        .help("close it with `\"`; `\\n` in a text starts a new line")
}

/// Returns, for each token, the index of the next token of code; `None` if a row of a board comes first.
fn next_code(tokens: &[Token]) -> Vec<Option<usize>> {
    let mut next = vec![None; tokens.len()];
    let mut seen = None;
    for (i, token) in tokens.iter().enumerate().rev() {
        next[i] = seen;
        match token.kind {
            TokenKind::Blank | TokenKind::Newline | TokenKind::Comment => {}
            TokenKind::Picture => seen = None,
            _ => seen = Some(i),
        }
    }
    next
}

/// Whether an item of the file begins at the start of `rest`, at the left edge.
fn item_begins(rest: &[Token], text: &str) -> bool {
    rest.first().is_some_and(|token| {
        // Parse two lines only, because a failing parser may scan all it is given.
        let text = &text[token.span.start..];
        let end = text.match_indices('\n').nth(1).map_or(text.len(), |(at, _)| at);
        token.kind == TokenKind::Word && Grammar::parse(Rule::item_shape, &text[..end]).is_ok()
    })
}

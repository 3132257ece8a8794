//! Blocks whose `{` was forgotten while their `}` is there, before layout and without changing any byte positions.
//!
//! A part of the file with more `}` than `{` lacks a `{` somewhere. It is in a line that closes what it does not open, at
//! a place where the line can be read with it, or at the end of a line below which something is indented up to a `}` in its
//! column.

use super::braces::{Line, lines};
use super::grammar::{Rule, reads};
use super::layout::{TokenKind, joins_forward, set_follows};
use super::report::is_item_word;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// So many places are tried in a file.
const MOST_TRIED: usize = 2_000;
/// Lines with more tokens than this are not looked into.
const LONGEST_LINE: usize = 120;

/// A text in which forgotten `{` are filled in, and the diagnostics about them.
pub struct Opened {
    /// The text, with the same length in bytes.
    pub text: String,
    /// Where they are missing.
    pub reports: Vec<Diagnostic>,
}

/// Whether an item of the file begins with a line.
fn begins_item(line: &Line) -> bool {
    line.column == 0 && line.code[0].kind == TokenKind::Word && is_item_word(line.word(0))
}

/// Returns the tokens of a line that close blocks which it does not open.
fn closes(line: &Line) -> Vec<usize> {
    let mut depth = 0;
    let mut out = Vec::new();
    for at in 0..line.code.len() {
        match line.word(at) {
            "{" => depth += 1,
            "}" if depth > 0 => depth -= 1,
            "}" => out.push(at),
            _ => {}
        }
    }
    out
}

/// Returns how many `}` of some lines close nothing.
fn surplus(lines: &[Line]) -> usize {
    let (mut depth, mut surplus) = (0, 0);
    for line in lines {
        for at in 0..line.code.len() {
            match line.word(at) {
                "{" => depth += 1,
                "}" if depth > 0 => depth -= 1,
                "}" => surplus += 1,
                _ => {}
            }
        }
    }
    surplus
}

/// A place where a `{` is missing.
struct Missing {
    /// The byte that it replaces.
    at: usize,
    report: Diagnostic,
}

/// Fills in the forgotten `{` of blocks and sets.
pub fn opened(text: &str) -> Opened {
    let lines = lines(text);
    let mut out = Opened { text: text.to_string(), reports: Vec::new() };
    let mut tries = MOST_TRIED;
    // A line of a block may look like the beginning of a part, but where all braces match none is missing.
    let mut missing = surplus(&lines);
    let mut from = 0;
    while from < lines.len() && missing > 0 {
        let next = lines[from + 1..].iter().position(begins_item);
        let to = next.map_or(lines.len(), |at| from + 1 + at);
        let part = &lines[from..to];
        from = to;
        let mut wanted = surplus(part).min(missing);
        if wanted == 0 {
            continue;
        }
        let rule = inside(part[0].word(0), part[0].word(1));
        let mut place = |missing: Missing| {
            out.text.replace_range(missing.at..=missing.at, "{");
            out.reports.push(missing.report);
        };
        let mut mended = vec![false; part.len()];
        for kind in [Kind::Block, Kind::Below, Kind::Set] {
            for at in 0..part.len() {
                if wanted == 0 || mended[at] || part[at].code.len() > LONGEST_LINE {
                    continue;
                }
                let rule = if at == 0 && begins_item(&part[0]) { Rule::one_item } else { rule };
                let found = match kind {
                    Kind::Below => below(&part[at..], rule),
                    kind => within(&part[at], rule, kind, &mut tries),
                };
                if let Some(found) = found {
                    place(found);
                    mended[at] = true;
                    wanted -= 1;
                    missing -= 1;
                }
            }
        }
    }
    out
}

/// What a `{` may open: a block on its own line, one that goes on below, a set or the symbols of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Block,
    Below,
    Set,
}

/// Returns how the lines inside an item are read.
fn inside(first: &str, second: &str) -> Rule {
    match (first, second) {
        ("table", _) | ("each", "player") => Rule::one_state,
        ("game" | "variant", _) => Rule::one_game_line,
        ("example", _) => Rule::one_example_line,
        _ => Rule::one_statement,
    }
}

/// Returns the text that must be in front of a line so that it can be read alone, and the first token of the line.
fn beginning(line: &Line) -> (&'static str, usize) {
    let first = (0..line.code.len()).find(|at| line.word(*at) != "}").unwrap_or(0);
    (if line.word(first) == "else" { "if yes { } " } else { "" }, first)
}

/// Finds the `{` that is missing in a line which closes what it does not open.
fn within(line: &Line, rule: Rule, kind: Kind, tries: &mut usize) -> Option<Missing> {
    let (before, first) = beginning(line);
    let closes: Vec<usize> = closes(line).into_iter().filter(|at| *at > first).collect();
    let close = *closes.first()?;
    let last = line.code.len() - 1;
    if kind == Kind::Set {
        // A `}` at the end of a line may close a block that a line above opens.
        let listed = joins_forward(line.word(close - 1)) || line.word(close - 1) == ",";
        if close == last && !listed {
            return None;
        }
    }
    let start = line.place(first).start;
    // What the line closes besides is not its own.
    let ends = [line.place(last).end, line.place(close).end];
    for at in first + 1..=close {
        let (previous, token) = (line.place(at - 1), line.place(at));
        if (kind == Kind::Set) != set_follows(line.word(at - 1)) || token.start == previous.end || *tries == 0
        {
            continue;
        }
        *tries -= 1;
        let read = |end: usize| {
            let text = &line.text[start..end];
            let (head, tail) = text.split_at(token.start - start);
            reads(rule, &format!("{before}{head}{{{tail}"))
        };
        if !ends.into_iter().any(read) {
            continue;
        }
        let closed = line.place(close);
        let behind = Span::new(previous.end, previous.end);
        let report = match kind {
            Kind::Set => Diagnostic::new(
                Code::UnclosedBracket,
                Span::new(token.start, token.start),
                "the `{` of this `}` is missing",
                "expected `{`",
            )
            .also(closed, "this closes it")
            .help("write `{` here")
            .fix_of(Span::new(token.start, token.start), "{"),
            _ => Diagnostic::new(
                Code::UnclosedBracket,
                behind,
                "the `{` of this block is missing",
                "expected `{`",
            )
            .also(closed, "this ends the block")
            .help("write `{` here")
            .fix_of(Span::new(previous.end, token.start), " { "),
        };
        return Some(Missing { at: token.start - 1, report });
    }
    None
}

/// Finds the `{` that is missing at the end of the first of some lines, whose block goes on below.
fn below(lines: &[Line], rule: Rule) -> Option<Missing> {
    let line = &lines[0];
    let deeper = lines[1..].iter().take_while(|below| below.column > line.column).count();
    let end =
        lines.get(1 + deeper).filter(|end| deeper > 0 && end.column == line.column && end.word(0) == "}");
    let (before, first) = beginning(line);
    let last = line.place(line.code.len() - 1);
    let whole = !matches!(line.word(line.code.len() - 1), "{" | "}" | "(" | "[" | ",");
    if end.is_none() || !whole || last.end == line.text.len() {
        return None;
    }
    let start = line.place(first).start;
    let contents = ["", "players 2", "let a = 1", "else: 1\n"];
    // The head of a part may be followed by the first line of its block.
    let gaps = (first + 1..line.code.len())
        .filter(|_| rule == Rule::one_item)
        .map(|at| (line.place(at - 1).end, line.place(at).start));
    let (end, next) = [(last.end, last.end)].into_iter().chain(gaps).find(|(end, next)| {
        let (head, tail) = (&line.text[start..*end], &line.text[*next..last.end]);
        let blank = matches!(line.text.as_bytes()[*end], b' ' | b'\n' | b'\r');
        blank && contents.iter().any(|content| reads(rule, &format!("{before}{head} {{ {tail} {content} }}")))
    })?;
    let behind = Span::new(end, end);
    let written = if end == next { " {" } else { " { " };
    let report =
        Diagnostic::new(Code::UnclosedBracket, behind, "the `{` of this block is missing", "expected `{`")
            .help("write `{` here; the `}` that ends the block is already there")
            .fix_of(Span::new(end, next), written);
    Some(Missing { at: end, report })
}

//! Inserts braces, before layout and without changing any byte positions, for blocks written as in other
//! languages: after a colon, after `then`, or by indentation alone. This is reported once.

use super::layout::{Token, TokenKind, joins_backward, joins_forward, tokens};
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// The words that begin an item with a block, at the left edge, and a statement with a block, elsewhere.
const ITEMS: &[&str] = &["move", "secret", "rule", "play", "table", "game", "variant", "example"];
const STATEMENTS: &[&str] = &["if", "else", "each", "cycle", "repeat", "turns", "phase", "together"];
/// Words of other languages that begin a block; they are reported as such elsewhere.
const FOREIGN: &[&str] = &["for", "foreach", "while", "def", "function", "elif", "elsif", "elseif", "class"];
/// Words that may continue a line that looks complete.
const GOES_ON: &[&str] = &["from", "by", "as", "skipping", "dropping", "called"];

/// Returns the change in the number of open round and square brackets.
fn step(sign: &str) -> isize {
    match sign {
        "(" | "[" => 1,
        ")" | "]" => -1,
        _ => 0,
    }
}

/// A line of code: its tokens, without blanks and comments.
pub(super) struct Line<'t> {
    pub code: Vec<Token>,
    pub text: &'t str,
    pub column: usize,
}

impl<'t> Line<'t> {
    pub fn word(&self, at: usize) -> &'t str {
        self.code.get(at).map_or("", |token| &self.text[token.span.start..token.span.end])
    }

    fn last(&self) -> &'t str {
        self.word(self.code.len() - 1)
    }

    pub fn place(&self, at: usize) -> Span {
        self.code[at].span
    }

    /// Returns how many more round and square brackets it opens than it closes.
    fn opens(&self) -> isize {
        (0..self.code.len()).map(|at| step(self.word(at))).sum()
    }

    /// Whether it has a `{` outside round and square brackets.
    fn has_block(&self) -> bool {
        let mut depth = 0;
        (0..self.code.len()).any(|at| {
            depth += step(self.word(at));
            depth == 0 && self.word(at) == "{"
        })
    }

    /// Whether its first word is used as a name: `turns += 1`, `repeat: 1..9`, `draw or pass`.
    fn named(&self) -> bool {
        let names = [":", ":=", "+=", "-=", "++=", "=", ".", ",", "[", "(", "or", "else"];
        self.code.len() > 2 && names.contains(&self.word(1)) && self.word(0) != "if"
    }

    /// Whether it has an unclosed text, so that the rest of the line is unknown.
    fn broken(&self) -> bool {
        self.code.iter().any(|token| token.kind == TokenKind::Unclosed)
    }

    fn goes_on(&self) -> bool {
        !joins_backward(self.word(0)) && !GOES_ON.contains(&self.word(0))
    }
}

/// A block without a `{` of its own.
struct Block {
    column: usize,
    /// The position of the `{` inserted for it.
    brace: usize,
    /// The diagnostic about it.
    report: Option<Diagnostic>,
    /// Inserts the `{`; offered only if the matching `}` exists.
    fix: Fix,
}

/// A text with braces inserted.
pub struct Braced {
    /// The text, with the same length in bytes.
    pub text: String,
    /// Diagnostics about its blocks.
    pub reports: Vec<Diagnostic>,
    /// The positions of the inserted `{`.
    pub opened: Vec<usize>,
}

/// Inserts the missing braces.
pub fn braced(text: &str) -> Braced {
    let lines = lines(text);
    let mut out: Vec<u8> = text.as_bytes().to_vec();
    let mut reports: Vec<Diagnostic> = Vec::new();
    let mut open: Vec<Block> = Vec::new();
    let mut braces = Vec::new();
    // Number of open round and square brackets at the start of the line.
    let mut depth = 0;
    // Blocks ended by indentation: this is one habit, reported at the first of them.
    let mut by_indentation: Vec<Diagnostic> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let (mut closed, mut level) = (0, false);
        while let Some(block) = open.last() {
            if line.column > block.column {
                break;
            }
            let block = open.pop().expect("just seen");
            level |= line.column == block.column;
            if line.word(0) == "}" && line.column == block.column {
                // Only the `{` is missing.
                reports.extend(block.report.map(|report| Diagnostic {
                    fix: Some(block.fix),
                    ..report.help("write `{` here; the `}` that ends the block is already there")
                }));
                break;
            }
            closed += 1;
            by_indentation.extend(block.report);
        }
        let before = at.checked_sub(1).map(|at| &lines[at]);
        // At the left edge and at the end of the file, layout closes what is open.
        if closed > 0
            && (line.column > 0 || line.word(0) == "}")
            && let Some(before) = before
        {
            let ends = matches!(line.word(0), "else" | "elif" | "elsif" | "elseif" | "}");
            close(&mut out, before.place(before.code.len() - 1).end, line.place(0).start, closed, !ends);
        }
        let follows = before.is_some_and(|before| joins_forward(before.last()) && before.last() != ":");
        let edge = line.column == 0 && ITEMS.contains(&line.word(0));
        let inside = if edge { 0 } else { depth };
        depth = inside + line.opens();
        if inside <= 0
            && !follows
            && let Some(block) = opened(line, lines.get(at + 1), level, &mut out)
        {
            braces.push(block.brace);
            open.push(block);
        }
    }
    by_indentation.extend(open.into_iter().filter_map(|block| block.report));
    let blocks = by_indentation.len();
    if let Some(mut first) = by_indentation.into_iter().min_by_key(Diagnostic::span) {
        if blocks > 1 {
            first.message = format!("{} (here and {} more)", first.message, blocks - 1);
        }
        reports.push(first);
    }
    let text = String::from_utf8(out).unwrap_or_else(|_| text.to_string());
    Braced { text, reports, opened: braces }
}

/// Writes `}` for blocks into the gap between two lines, and a line end if the next line is a statement of
/// its own.
fn close(out: &mut [u8], from: usize, to: usize, blocks: usize, line_end: bool) {
    if to - from < blocks + usize::from(line_end) {
        return;
    }
    out[from..to].fill(b' ');
    out[from..from + blocks].fill(b'}');
    if line_end {
        out[from + blocks] = b'\n';
    }
}

/// Inserts the `{` of a block that a line opens without one. `after_if`: a block of the same indentation just
/// ended.
fn opened(line: &Line, next: Option<&Line>, after_if: bool, out: &mut [u8]) -> Option<Block> {
    let first = line.word(0);
    let at_edge = line.column == 0;
    let foreign = FOREIGN.contains(&first);
    let player = first == "each" && line.word(1) == "player";
    let item = at_edge && (ITEMS.contains(&first) || player);
    let statement = STATEMENTS.contains(&first) && !at_edge;
    if first == "else" && !after_if {
        return None;
    }
    let inside = next.filter(|next| next.column > line.column);
    if !(item || statement || foreign)
        || inside.is_none()
        || line.opens() != 0
        || line.has_block()
        || line.named()
        || line.broken()
    {
        return None;
    }
    let last = line.place(line.code.len() - 1);
    let (span, message) = match line.last() {
        // `else:` may be the last arm of a `case`, with the value on its line.
        ":" => (last, "a block must be opened with `{`"),
        "else" if after_if => {
            let behind = Span::new(last.end, last.end);
            (behind, "the `{` of this block is missing")
        }
        "then" | "do" if statement || foreign => (last, "a block must be opened with `{`"),
        _ if foreign || first == "else" => return None,
        other if joins_forward(other) || next.is_some_and(|next| !next.goes_on() || next.word(0) == "{") => {
            return None;
        }
        // A single word is the use of a name, not the beginning of a block.
        _ if line.code.len() == 1 && !matches!(first, "play" | "table") => return None,
        _ => (Span::new(last.end, last.end), "the `{` of this block is missing"),
    };
    let written = span.start..span.end.max(span.start + 1);
    out[written.clone()].fill(b' ');
    out[written.start] = b'{';
    let report = (!foreign).then(|| {
        Diagnostic::new(Code::UnclosedBracket, span, message, "expected `{`")
            .help(match &line.text[span.start..span.end] {
                "" => "blocks are written in braces: `{` at the end of this line, `}` on a line of its own after the block".to_string(),
                sign => format!("blocks are written in braces: `{{` in place of `{sign}`, `}}` on a line of its own after the block"),
            })
    });
    let blank = if out[..span.start].last() == Some(&b' ') { "" } else { " " };
    Some(Block {
        column: line.column,
        brace: written.start,
        report,
        fix: Fix::new(span, format!("{blank}{{")),
    })
}

/// Returns the lines of a text that hold code.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let (mut code, mut start) = (Vec::new(), 0);
    let mut end_line = |code: &mut Vec<Token>, start: usize| {
        if let Some(first) = code.first() {
            lines.push(Line { column: first.span.start - start, text, code: std::mem::take(code) });
        }
    };
    for token in tokens(text) {
        match token.kind {
            TokenKind::Newline => {
                end_line(&mut code, start);
                start = token.span.end;
            }
            TokenKind::Blank | TokenKind::Comment => {}
            _ => code.push(token),
        }
    }
    end_line(&mut code, start);
    lines
}

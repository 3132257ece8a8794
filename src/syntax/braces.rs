//! Blocks as other languages write them, by a colon, by `then`, or by nothing but what stands further in: they are put
//! into braces before layout, byte for byte, and told once.

use super::layout::{Token, TokenKind, joins_backward, joins_forward, tokens};
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// The words that begin a line with a block, at the left edge and elsewhere.
const ITEMS: &[&str] = &["move", "secret", "rule", "play", "table", "game", "variant", "example"];
const STATEMENTS: &[&str] = &["if", "else", "each", "cycle", "repeat", "turns", "phase", "together"];
/// Those of other languages; they are told as what they are.
const FOREIGN: &[&str] = &["for", "foreach", "while", "def", "function", "elif", "elsif", "elseif", "class"];
/// What may go on a line that seems to be whole.
const GOES_ON: &[&str] = &["from", "by", "as", "skipping", "dropping", "called"];

/// What a sign adds to how many round and square brackets are open.
fn step(sign: &str) -> isize {
    match sign {
        "(" | "[" => 1,
        ")" | "]" => -1,
        _ => 0,
    }
}

/// A line of code: its tokens, without blanks and the comment.
struct Line<'t> {
    code: Vec<Token>,
    text: &'t str,
    column: usize,
}

impl<'t> Line<'t> {
    fn word(&self, at: usize) -> &'t str {
        self.code.get(at).map_or("", |token| &self.text[token.span.start..token.span.end])
    }

    fn last(&self) -> &'t str {
        self.word(self.code.len() - 1)
    }

    fn place(&self, at: usize) -> Span {
        self.code[at].span
    }

    /// How many more round and square brackets it opens than it closes.
    fn opens(&self) -> isize {
        (0..self.code.len()).map(|at| step(self.word(at))).sum()
    }

    /// Whether a `{` stands on it outside round and square brackets.
    fn has_block(&self) -> bool {
        let mut depth = 0;
        (0..self.code.len()).any(|at| {
            depth += step(self.word(at));
            depth == 0 && self.word(at) == "{"
        })
    }

    /// Whether its first word is a name there: `turns += 1`, `repeat: 1..9`, `draw or pass`.
    fn named(&self) -> bool {
        let names = [":", ":=", "+=", "-=", "++=", "=", ".", ",", "[", "(", "or", "else"];
        self.code.len() > 2 && names.contains(&self.word(1)) && self.word(0) != "if"
    }

    /// Whether a text on it has no end, so that nobody knows what else it holds.
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
    /// The place of the one it was given.
    brace: usize,
    /// What is said of it.
    report: Option<Diagnostic>,
    /// Where a `{` would be right, once it is known that a `}` follows.
    fix: Fix,
}

/// A text with braces.
pub struct Braced {
    /// The text, byte for byte as long as it was.
    pub text: String,
    /// What is wrong with its blocks.
    pub told: Vec<Diagnostic>,
    /// Where braces were put that open blocks.
    pub opened: Vec<usize>,
}

/// Gives such blocks braces.
pub fn braced(text: &str) -> Braced {
    let lines = lines(text);
    let mut out: Vec<u8> = text.as_bytes().to_vec();
    let mut told: Vec<Diagnostic> = Vec::new();
    let mut open: Vec<Block> = Vec::new();
    let mut braces = Vec::new();
    // How many round and square brackets are open where a line begins.
    let mut depth = 0;
    // Blocks that end where their lines stand further out: one habit, told at the first of them.
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
                told.extend(block.report.map(|report| Diagnostic {
                    fix: Some(block.fix),
                    ..report.help("write `{` here; the `}` that ends the block is there already")
                }));
                break;
            }
            closed += 1;
            by_indentation.extend(block.report);
        }
        let before = at.checked_sub(1).map(|at| &lines[at]);
        // At the left edge, and where the file ends, the grammar closes what is open.
        if closed > 0
            && line.column > 0
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
            first.message = format!("{}, here and in {} more places", first.message, blocks - 1);
        }
        told.push(first);
    }
    let text = String::from_utf8(out).unwrap_or_else(|_| text.to_string());
    Braced { text, told, opened: braces }
}

/// Closes blocks in the room between two lines, and ends the line where what follows is a line of its own.
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

/// The block that a line opens without a `{`; it is given one. `after_if`: a block as far in as the line has just ended.
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
        // `else:` may be the last arm of a `case`; the value is on its line.
        ":" => (last, "a block is opened by `{`"),
        "else" if after_if => {
            let behind = Span::new(last.end, last.end);
            (behind, "the `{` of this block is missing")
        }
        "then" | "do" if statement || foreign => (last, "a block is opened by `{`"),
        _ if foreign || first == "else" => return None,
        other if joins_forward(other) || next.is_some_and(|next| !next.goes_on() || next.word(0) == "{") => {
            return None;
        }
        // Where a name and nothing else follows, it is a use and no beginning.
        _ if line.code.len() == 1 && !matches!(first, "play" | "table") => return None,
        _ => (Span::new(last.end, last.end), "the `{` of this block is missing"),
    };
    let written = span.start..span.end.max(span.start + 1);
    out[written.clone()].fill(b' ');
    out[written.start] = b'{';
    let report = (!foreign).then(|| {
        Diagnostic::new(Code::UnclosedBracket, span, message, "expected `{`")
            .help("a block stands in braces: `{` at the end of this line, `}` on a line of its own behind the block")
    });
    let blank = if out[..span.start].last() == Some(&b' ') { "" } else { " " };
    Some(Block {
        column: line.column,
        brace: written.start,
        report,
        fix: Fix::new(span, format!("{blank}{{")),
    })
}

/// The lines of a text that hold code.
fn lines(text: &str) -> Vec<Line<'_>> {
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

//! Splits a line as people type it into tokens: runs of letters and digits, brackets, and separators.

use crate::play::SUITS;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Adjacent letters and digits, with a leading sign if it belongs to a number.
    Run,
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
    /// A sign between the name of an argument and its value.
    Equals,
    /// A separator.
    Gap,
    /// A minus directly after something: either a separator of two values, or the sign of the second.
    Dash,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: Kind,
    /// The text, with all kinds of minus as `-`.
    pub text: String,
    /// Whether there is a space before it.
    pub spaced: bool,
}

/// Splits a line into tokens; `None` if it contains a character that no move is written with.
pub fn tokens(line: &str) -> Option<Vec<Token>> {
    let mut chars: Vec<char> = line.trim().chars().map(plain).collect();
    let mut out: Vec<Token> = Vec::new();
    let mut at = 0;
    // Whether the previous token is a run or closing bracket, with no space in between.
    let mut touches = false;
    let mut spaced = false;
    while let Some(&c) = chars.get(at) {
        let next = chars.get(at + 1).copied().unwrap_or(' ');
        let signs = matches!(c, '-' | '+') && next.is_ascii_digit() && !touches;
        // A number has one sign.
        let sign = |at: usize| matches!(chars.get(at), Some('-' | '+'));
        let behind_value = at >= 2 && (in_run(chars[at - 2]) || matches!(chars[at - 2], ')' | ']' | '}'));
        if signs && at >= 1 && sign(at - 1) && !behind_value {
            return None;
        }
        // Behind the name of a move, a minus parts nothing: `name - 4`.
        let number = (at + 1..).find(|i| chars.get(*i) != Some(&' ')).unwrap_or(at + 1);
        let first = match out.as_slice() {
            [] => true,
            [name] => name.kind == Kind::Run && !name.text.contains(|c: char| c.is_ascii_digit()),
            _ => false,
        };
        let apart = c == '-' && next == ' ' && first && !touches;
        if apart && chars.get(number).is_some_and(char::is_ascii_digit) {
            chars.drain(at + 1..number);
            continue;
        }
        let kind = match c {
            _ if in_run(c) || signs => Kind::Run,
            ' ' => {
                (touches, spaced) = (false, true);
                at += 1;
                continue;
            }
            '(' | '[' | '{' => Kind::Open,
            ')' | ']' | '}' => Kind::Close,
            '=' if next != '>' => Kind::Equals,
            ':' => Kind::Equals,
            '-' if next.is_ascii_digit() => Kind::Dash,
            '-' | '+' | '=' | '>' | ',' | ';' | '/' | '|' | '.' | '#' | '!' | '?' | '&' => Kind::Gap,
            _ => return None,
        };
        let end = match kind {
            Kind::Run => (at + 1..).find(|i| !chars.get(*i).copied().is_some_and(in_run)).unwrap_or(at + 1),
            _ => at + 1,
        };
        let text: String = chars[at..end].iter().collect();
        let text = text.strip_prefix('+').filter(|_| kind == Kind::Run).map_or(text.clone(), String::from);
        touches = matches!(kind, Kind::Run | Kind::Close);
        out.push(Token { kind, text, spaced });
        spaced = false;
        at = end;
    }
    Some(out)
}

fn in_run(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || SUITS.iter().any(|suit| suit.sign == c)
}

/// Unifies the kinds of minus, multiplication sign, arrow and space; quotation marks become spaces.
fn plain(c: char) -> char {
    match c {
        '−' | '–' | '—' | '‐' | '‑' => '-',
        '×' => 'x',
        '→' => '>',
        '"' | '\'' | '`' | '“' | '”' | '‘' | '’' | '„' => ' ',
        c if c.is_whitespace() => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_belong_to_numbers_only_where_nothing_touches_them() {
        let texts = |line: &str| {
            let tokens = tokens(line).unwrap();
            tokens
                .iter()
                .map(|token| format!("{:?} {}", token.kind, token.text))
                .collect::<Vec<_>>()
                .join(", ")
        };
        assert_eq!(texts("flip(3)"), "Run flip, Open (, Run 3, Close )");
        assert_eq!(texts("list 3,−1 +4."), "Run list, Run 3, Gap ,, Run -1, Run 4, Gap .");
        assert_eq!(texts("a2-a3"), "Run a2, Gap -, Run a3");
        assert_eq!(texts("3-1"), "Run 3, Dash -, Run 1");
        assert_eq!(texts("at = 4"), "Run at, Equals =, Run 4");
        assert_eq!(texts("a2→a3"), "Run a2, Gap >, Run a3");
        assert_eq!(texts("name - 4"), "Run name, Run -4");
        assert_eq!(texts("- 4"), "Run -4");
        assert_eq!(texts("pair 3 - 4"), "Run pair, Run 3, Gap -, Run 4");
        assert_eq!(texts("3--1"), "Run 3, Gap -, Run -1");
        assert_eq!(tokens("flip --1"), None);
        assert_eq!(tokens("flip \u{1f600}"), None);
    }
}

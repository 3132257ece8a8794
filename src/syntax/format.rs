//! The formatter of rule files: it determines spaces and indentation, and keeps the author's line breaks and
//! comments.
//!
//! It works on tokens, and keeps their order and the ends of statements. The grammar tells the role of a sign
//! (a brace of a set or of a block, binary or unary minus). The output is checked before it is returned.

use std::collections::{HashMap, HashSet};

use pest::Parser;

use super::grammar::{Grammar, Rule};
use super::layout::{Token, TokenKind, layout, tokens};
use crate::source::Source;

/// Formats a rule file. The error is a sentence for people.
pub fn format(source: &Source) -> Result<String, String> {
    let (_, diagnostics) = super::parse(source);
    if let Some(first) = diagnostics.first() {
        let at = source.position(first.span().start);
        return Err(format!(
            "line {}, column {}: {}; a file with mistakes like this cannot be formatted",
            at.line, at.column, first.message
        ));
    }
    let formatted = Text::read(&source.text)?.written();
    let again = Text::read(&formatted)?;
    if again.meaning() != Text::read(&source.text)?.meaning() || again.written() != formatted {
        return Err(format!("this is a bug in the formatter, which would change `{}`", source.name));
    }
    Ok(formatted)
}

/// The role of a sign, where its text is ambiguous.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// `(` or `[` of a call or an index, which touches its name.
    Call,
    /// `-` of a negative number.
    Sign,
    /// `=` of an argument in an example: `row=1`.
    Argument,
    /// `{` of a set or of symbols.
    Set,
}

/// The tokens of a text, and what the grammar says about them.
struct Text<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    roles: HashMap<usize, Role>,
    /// Positions of the line ends that do not end a statement.
    joined: HashSet<usize>,
}

/// An open bracket, and the indentation of the line that closes it.
struct Open {
    set: bool,
    block: bool,
    indent: usize,
}

impl<'t> Text<'t> {
    fn read(text: &'t str) -> Result<Text<'t>, String> {
        let masked = layout(&Source::new("", text)).masked;
        let pairs = Grammar::parse(Rule::file, &masked)
            .map_err(|_| "this is a bug in the formatter, whose output cannot be read".to_string())?;
        let mut roles = HashMap::new();
        for pair in pairs.flatten() {
            let start = pair.as_span().start();
            match pair.as_rule() {
                Rule::open_call | Rule::open_index => roles.insert(start, Role::Call),
                Rule::negative => roles.insert(start, Role::Sign),
                Rule::signed if pair.as_str().starts_with('-') => roles.insert(start, Role::Sign),
                Rule::set_literal | Rule::symbols_ty => roles.insert(start, Role::Set),
                Rule::word_list if pair.as_str().starts_with('{') => roles.insert(start, Role::Set),
                Rule::named_word => pair
                    .into_inner()
                    .find(|part| part.as_rule() == Rule::equals)
                    .and_then(|sign| roles.insert(sign.as_span().start(), Role::Argument)),
                _ => None,
            };
        }
        let tokens = tokens(text);
        let joined = tokens
            .iter()
            .filter(|t| t.kind == TokenKind::Newline && masked.as_bytes().get(t.span.start) == Some(&b' '))
            .map(|t| t.span.start)
            .collect();
        Ok(Text { text, tokens, roles, joined })
    }

    fn word(&self, token: &Token) -> &'t str {
        self.text[token.span.start..token.span.end].trim_end()
    }

    /// Returns all but the spaces: each token, and whether it begins a statement.
    fn meaning(&self) -> Vec<(TokenKind, &'t str, bool)> {
        let mut begins = true;
        let mut out = Vec::new();
        for token in &self.tokens {
            match token.kind {
                TokenKind::Blank => {}
                TokenKind::Newline => begins |= !self.joined.contains(&token.span.start),
                kind => {
                    out.push((kind, self.word(token), begins));
                    begins &= kind == TokenKind::Comment;
                }
            }
        }
        out
    }

    /// Returns the lines, each without blanks and with the position of the line end before it.
    fn lines(&self) -> Vec<(Option<usize>, Vec<&Token>)> {
        let mut lines = vec![(None, Vec::new())];
        for token in &self.tokens {
            match token.kind {
                TokenKind::Blank => {}
                TokenKind::Newline => lines.push((Some(token.span.start), Vec::new())),
                _ => lines.last_mut().expect("there is always a line").1.push(token),
            }
        }
        lines
    }

    fn written(&self) -> String {
        let mut out = String::new();
        let mut open: Vec<Open> = Vec::new();
        // The last token of code, whether it closed a block, and the indentation of the enclosing statement.
        let (mut last, mut after_block, mut statement) = (None::<&Token>, false, 0);
        let mut gap = false;
        for (line_end, line) in self.lines() {
            let Some(first) = line.first() else {
                gap = true;
                continue;
            };
            let mut level = open.last().map_or(0, |bracket| bracket.indent + 1);
            let closers = line.iter().take_while(|t| matches!(self.word(t), ")" | "]" | "}")).count();
            if closers > 0 {
                level = open.len().checked_sub(closers).map_or(0, |at| open[at].indent);
            }
            let joined = line_end.is_some_and(|at| self.joined.contains(&at));
            let inside = open.last().is_some_and(|bracket| !bracket.block);
            if first.kind == TokenKind::Picture || (joined && !inside && !after_block) {
                level += 1;
            }
            if !joined && first.kind != TokenKind::Comment {
                statement = level;
            }
            let opens = last.is_some_and(|t| self.word(t) == "{" && open.last().is_some_and(|b| b.block));
            if gap && !out.is_empty() && !opens && closers == 0 {
                out.push('\n');
            }
            gap = false;
            out.push_str(&"  ".repeat(level));
            for (i, token) in line.iter().enumerate() {
                let word = self.word(token);
                if i > 0 && self.apart(line[i - 1], token, open.last().is_some_and(|b| b.set)) {
                    out.push(' ');
                }
                out.push_str(word);
                if token.kind == TokenKind::Comment {
                    continue;
                }
                after_block = false;
                match word {
                    "(" | "[" => open.push(Open { set: false, block: false, indent: level }),
                    "{" if self.role(token) == Some(Role::Set) => {
                        open.push(Open { set: true, block: false, indent: level });
                    }
                    "{" => open.push(Open { set: false, block: true, indent: statement }),
                    ")" | "]" => drop(open.pop()),
                    "}" => {
                        if let Some(Open { block: true, indent, .. }) = open.pop() {
                            (after_block, statement) = (true, indent);
                        }
                    }
                    _ => {}
                }
                last = Some(token);
            }
            out.push('\n');
        }
        if out.is_empty() {
            out.push('\n');
        }
        out
    }

    fn role(&self, token: &Token) -> Option<Role> {
        self.roles.get(&token.span.start).copied()
    }

    /// Whether a space separates two tokens on a line; `in_set` is whether the innermost bracket is a set's.
    fn apart(&self, a: &Token, b: &Token, in_set: bool) -> bool {
        if a.kind == TokenKind::Comment || b.kind == TokenKind::Comment {
            return true;
        }
        let tight_after = match self.word(a) {
            "(" | "[" | "." | ".." => true,
            "{" => in_set,
            "-" => self.role(a) == Some(Role::Sign),
            "=" => self.role(a) == Some(Role::Argument),
            _ => false,
        };
        let tight_before = match self.word(b) {
            ")" | "]" | "," | ":" | "." | ".." => true,
            "}" => in_set,
            "(" | "[" => self.role(b) == Some(Role::Call),
            "=" => self.role(b) == Some(Role::Argument),
            _ => false,
        };
        !(tight_after || tight_before)
    }
}

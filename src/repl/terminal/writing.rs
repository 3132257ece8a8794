//! Writes text on the screen: replaces what could control it, and wraps lines to its width.

use std::io::{self, Write};

use super::super::words::{GLUE, glued, steers};
use crate::eval::text::wide;

/// Returns the width of the window in columns: that of the terminal, or what `COLUMNS` says without one.
fn window_width() -> usize {
    let told = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    terminal.or_else(told).unwrap_or(80)
}

/// Prints a text; control characters, which a rule file or record might contain, are replaced.
pub fn print(text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let clean = fitted(text, window_width().max(20));
    let mut out = io::stdout().lock();
    out.write_all(clean.trim_end().as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Returns a text without control characters, its lines wrapped to a width.
pub fn fitted(text: &str, width: usize) -> String {
    let wrapped: Vec<String> = harmless(text).lines().map(|line| wrapped(line, width)).collect();
    wrapped.join("\n")
}

/// Prints a text, and below it what is to be said if it is longer than the window.
pub fn print_long(text: &str, too_long: Option<&str>) -> io::Result<()> {
    print(text)?;
    let height = terminal_size::terminal_size().map_or(usize::MAX, |(_, height)| usize::from(height.0));
    match too_long.filter(|_| text.lines().count() >= height) {
        Some(note) => print(note),
        None => Ok(()),
    }
}

/// Replaces characters that steer a terminal, except those that change colours in drawings.
fn harmless(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = colour_change(rest);
        let taken = length.max(c.len_utf8());
        match steers(c) && c != '\n' && c != '\t' && length == 0 {
            true => out.push('?'),
            false => out.push_str(&rest[..taken]),
        }
        rest = &rest[taken..];
    }
    out
}

/// Returns how many bytes at the start of a text change the colour (bold, a colour, reset); 0 for none.
fn colour_change(text: &str) -> usize {
    let Some(codes) = text.strip_prefix("\x1b[").and_then(|rest| rest.split('m').next()) else { return 0 };
    let known =
        |code: &str| matches!(code, "0" | "1" | "90") || matches!(code.as_bytes(), [b'3', b'1'..=b'7']);
    let closed = text.len() > codes.len() + 2;
    if closed && codes.split(';').all(known) { codes.len() + 3 } else { 0 }
}

/// Returns the number of columns of a text, not counting colour changes.
fn columns(text: &str) -> usize {
    let mut rest = text;
    let mut shown = String::new();
    while let Some(c) = rest.chars().next() {
        let length = colour_change(rest);
        if length == 0 {
            shown.push(c);
        }
        rest = &rest[length.max(c.len_utf8())..];
    }
    wide(&shown)
}

/// Wraps a line at spaces to fit the width; continuation lines are indented a little more than the first.
pub fn wrapped(line: &str, width: usize) -> String {
    if columns(line) <= width {
        return line.to_string();
    }
    let indent = line.chars().take_while(|c| *c == ' ').count().min(width / 2) + 2;
    let (mut out, mut column) = (String::new(), 0);
    let glued = glued(line);
    // What is too long for any line, such as a list of numbers, is divided after commas.
    let divided = |word: &'_ str| columns(word.trim_end()) > width - indent;
    let words = glued
        .split_inclusive(' ')
        .flat_map(|word| word.split_inclusive(if divided(word) { ',' } else { ' ' }));
    for word in words {
        let length = columns(word.trim_end());
        if column > indent && column + length > width {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        }
        out.push_str(word);
        column += columns(word);
    }
    out.replace(GLUE, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_pass_and_all_else_that_steers_a_terminal_does_not() {
        assert_eq!(harmless("\x1b[1;31mR\x1b[0m ·\n"), "\x1b[1;31mR\x1b[0m ·\n");
        for steering in
            ["\u{202e}", "\x1b[2J", "\x1b[8m", "\x1b]0;title\x07", "\x1b[31", "\x1b[m", "\u{9b}31m", "\r"]
        {
            assert!(
                !harmless(steering).contains(['\x1b', '\u{9b}', '\r', '\x07', '\u{202e}']),
                "{steering:?}"
            );
        }
        assert_eq!(columns("\x1b[1;31mR\x1b[0m ·"), 3);
        assert_eq!(wrapped("\x1b[31mone\x1b[0m two", 7), "\x1b[31mone\x1b[0m two");
        assert_eq!(columns("\x1b[31m数\x1b[0m e\u{301}"), 4);
        assert_eq!(wrapped("数字 数字 数字", 10), "数字 数字\n  数字");
        assert_eq!(wrapped("about 64 % of it", 9), "about\n  64 % of\n  it");
        assert_eq!(wrapped("row = 1,22,333,4444", 10), "row = 1,\n  22,333,\n  4444");
    }
}

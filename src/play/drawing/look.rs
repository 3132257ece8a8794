//! Properties of a screen (width, colours, Unicode), and lines of coloured text for it.

use super::signs::{SUITS, Suit};
pub use crate::eval::text::{to_the_left, to_the_right, wide};

/// What a screen can show, and what its reader prefers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Its width in columns.
    pub width: usize,
    /// Whether it shows colours, which only repeat what signs say.
    pub colour: bool,
    /// Whether it shows characters beyond ASCII.
    pub unicode: bool,
    /// Whether to use words instead of signs and boxes, for screen readers.
    pub plain: bool,
}

impl Default for Look {
    /// Returns what every terminal can show.
    fn default() -> Look {
        Look { width: 80, colour: false, unicode: false, plain: false }
    }
}

/// A foreground colour, as its ANSI code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hue(u8);

/// The colours of seats that are not named after a colour.
const PALETTE: [u8; 6] = [36, 33, 35, 32, 34, 31];

impl Hue {
    /// Returns the colour that a name denotes.
    pub fn named(name: &str) -> Option<Hue> {
        Some(Hue(match name {
            "red" => 31,
            "green" => 32,
            "yellow" | "orange" | "gold" => 33,
            "blue" => 34,
            "purple" | "violet" | "pink" | "magenta" => 35,
            "cyan" | "turquoise" => 36,
            "white" => 37,
            "black" | "grey" | "gray" => 90,
            _ => return None,
        }))
    }

    /// Returns the colour of a seat (from 0): the one it is named after, or one from the palette.
    pub fn of_seat(seat: usize, name: Option<&String>) -> Hue {
        name.and_then(|name| Hue::named(name)).unwrap_or(Hue(PALETTE[seat % PALETTE.len()]))
    }
}

/// A line of text as pieces, each with its colour and whether it is bold.
#[derive(Debug, Clone, Default)]
pub struct Line(Vec<(String, Option<Hue>, bool)>);

impl Line {
    /// Creates a line without colour.
    pub fn of(text: impl Into<String>) -> Line {
        let mut line = Line::default();
        line.put(text);
        line
    }

    /// Appends text without colour.
    pub fn put(&mut self, text: impl Into<String>) {
        self.paint(text, None, false);
    }

    /// Appends text in a colour, in bold if `strong` is set.
    pub fn paint(&mut self, text: impl Into<String>, hue: Option<Hue>, strong: bool) {
        // Text from rule files and records must not control the terminal.
        let text: String = text.into().chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        self.0.push((text, hue, strong));
    }

    /// Appends another line.
    pub fn join(&mut self, other: Line) {
        self.0.extend(other.0);
    }

    /// Returns the number of columns it takes.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(text, ..)| wide(text)).sum()
    }

    /// Formats the line for a screen, without trailing spaces.
    pub fn text(&self, look: &Look) -> String {
        let mut out = String::new();
        for (text, hue, strong) in &self.0 {
            let text = look.signs(text);
            match (look.colour && !text.trim().is_empty(), hue, strong) {
                (true, Some(Hue(hue)), false) => out.push_str(&format!("\x1b[{hue}m{text}\x1b[0m")),
                (true, Some(Hue(hue)), true) => out.push_str(&format!("\x1b[1;{hue}m{text}\x1b[0m")),
                (true, None, true) => out.push_str(&format!("\x1b[1m{text}\x1b[0m")),
                _ => out.push_str(&text),
            }
        }
        out.truncate(out.trim_end().len());
        out
    }
}

impl Look {
    /// Converts text to the screen's characters without changing its width, or to words if `plain` is set.
    pub fn signs(&self, text: &str) -> String {
        if self.plain {
            // A screen reader should read neither `_` alone nor braces; underscores in names stay.
            let words = text.split(' ').map(|word| match word.trim_end_matches([',', ';', ':']) {
                "_" | "{}" => word.replace("{}", "none").replace('_', "none"),
                _ => word.replace(['{', '}'], ""),
            });
            let text = words.collect::<Vec<_>>().join(" ");
            let text =
                counted(&text).replace("⟧ ⟦", ", ").replace("⟦?⟧", "face down").replace(['⟦', '⟧'], "");
            let spelled = |text: String, suit: &Suit| text.replace(suit.sign, &format!("{} ", suit.name));
            return SUITS.iter().fold(text, spelled);
        }
        if text.is_ascii() {
            return text.to_string();
        }
        let sign = |c| match c {
            '⟦' => '[',
            '⟧' => ']',
            c if self.unicode => c,
            '·' | '•' => '.',
            '─' => '-',
            '━' => '=',
            '│' => '|',
            '┃' => '#',
            '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' => '+',
            '↑' => '^',
            '→' => '>',
            '↓' => 'v',
            '←' => '<',
            '×' => 'x',
            c => SUITS.iter().find(|suit| suit.sign == c).map_or(c, |suit| suit.letter),
        };
        text.chars().map(sign).collect()
    }
}

/// Replaces counted face-down cards by words.
fn counted(text: &str) -> String {
    let mut parts = text.split("⟦?⟧×");
    let mut out = parts.next().unwrap_or("").to_string();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        out.push_str(&format!("{} face down{}", &part[..digits], &part[digits..]));
    }
    out
}

/// Breaks a text after spaces and commas so that it fits; continuation lines are indented.
pub fn folded(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_inclusive([' ', ',']) {
        let line = lines.last().map_or(0, |line| wide(line));
        if line > indent && line + wide(word.trim_end()) > width {
            lines.push(" ".repeat(indent));
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(word);
        }
    }
    lines.iter().map(|line| line.trim_end().to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_hears_words_for_signs() {
        let plain = Look { plain: true, ..Look::default() };
        let told = [
            ("the mole says _", "the mole says none"),
            ("pawn_at _, {}", "pawn_at none, none"),
            ("{59, 68}", "59, 68"),
            ("⟦2⟧ ⟦♣7⟧", "2, clubs 7"),
        ];
        told.iter().for_each(|(text, words)| assert_eq!(plain.signs(text), *words));
        assert_eq!(Look::default().signs("_ {} ⟦2⟧ ×"), "_ {} [2] x");
    }
}

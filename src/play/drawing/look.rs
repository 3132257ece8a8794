//! How a screen is: its width, whether it has colours and more signs than ASCII; and lines of painted text for it.

/// What a screen can show, and what its reader wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Its width in columns.
    pub width: usize,
    /// Whether it shows colours. They only repeat what signs say.
    pub colour: bool,
    /// Whether it shows signs beyond ASCII.
    pub unicode: bool,
    /// Whether words are to stand for signs, without boxes: for readers that listen.
    pub plain: bool,
}

impl Default for Look {
    /// What every machine can show.
    fn default() -> Look {
        Look { width: 80, colour: false, unicode: false, plain: false }
    }
}

/// A colour, by its number among those of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hue(u8);

/// The colours of seats whose names are no colours.
const PALETTE: [u8; 6] = [36, 33, 35, 32, 34, 31];

impl Hue {
    /// The colour that a name names.
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

    /// The colour of a seat, from 0: the one it is called by, or one of its own.
    pub fn of_seat(seat: usize, name: Option<&String>) -> Hue {
        name.and_then(|name| Hue::named(name)).unwrap_or(Hue(PALETTE[seat % PALETTE.len()]))
    }
}

/// A line of text, painted piece by piece.
#[derive(Debug, Clone, Default)]
pub struct Line(Vec<(String, Option<Hue>, bool)>);

impl Line {
    /// A line in no colour.
    pub fn of(text: impl Into<String>) -> Line {
        let mut line = Line::default();
        line.put(text);
        line
    }

    /// Adds a text in no colour.
    pub fn put(&mut self, text: impl Into<String>) {
        self.paint(text, None, false);
    }

    /// Adds a text in a colour, strongly where it has just changed.
    pub fn paint(&mut self, text: impl Into<String>, hue: Option<Hue>, strong: bool) {
        // What rule files and records bring must not steer a terminal.
        let text: String = text.into().chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        self.0.push((text, hue, strong));
    }

    /// Adds another line behind it.
    pub fn join(&mut self, other: Line) {
        self.0.extend(other.0);
    }

    /// How many columns it takes.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(text, ..)| wide(text)).sum()
    }

    /// The line for a screen, without blanks at its end.
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
    /// A text in the signs that the screen has, each as wide as it was; or in words where words are wanted.
    pub fn signs(&self, text: &str) -> String {
        if self.plain {
            // Who listens hears neither a stroke for nothing nor braces; a name keeps its stroke.
            let words = text.split(' ').map(|word| match word.trim_end_matches([',', ';', ':']) {
                "_" | "{}" => word.replace("{}", "none").replace('_', "none"),
                _ => word.replace(['{', '}'], ""),
            });
            let text = words.collect::<Vec<_>>().join(" ");
            let text =
                counted(&text).replace("⟧ ⟦", ", ").replace("⟦?⟧", "face down").replace(['⟦', '⟧'], "");
            return [("♣", "clubs "), ("♥", "hearts "), ("♠", "spades "), ("♦", "diamonds ")]
                .iter()
                .fold(text, |text, (sign, word)| text.replace(sign, word));
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
            '♣' => 'C',
            '♥' => 'H',
            '♠' => 'S',
            '♦' => 'D',
            '×' => 'x',
            c => c,
        };
        text.chars().map(sign).collect()
    }
}

/// A text in which so many cards that lie face down are told in words.
fn counted(text: &str) -> String {
    let mut parts = text.split("⟦?⟧×");
    let mut out = parts.next().unwrap_or("").to_string();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        out.push_str(&format!("{} face down{}", &part[..digits], &part[digits..]));
    }
    out
}

/// How many columns a text takes.
pub fn wide(text: &str) -> usize {
    text.chars().count()
}

/// A text broken behind blanks and commas, so that it fits; what follows is indented.
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

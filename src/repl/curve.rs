//! Each player's share of the win, step by step, as text: a curve for two players, a row each for other
//! numbers of players, words for plain screens.

use super::words;
use crate::eval::text::{to_the_left, wide};
use crate::lab::picture::terminal::{sparks, stepped};
use crate::play::Look;

/// The height of a curve in lines.
const HEIGHT: usize = 9;
/// The most columns per step in a short match.
const WIDEST: usize = 4;
/// In words, a step is skipped if all shares differ by less than this from the last ones shown.
const CHANGE: f64 = 0.05;

/// The data to draw.
pub struct Curve<'c> {
    /// The number of each step, and each seat's share of the win before it.
    pub points: &'c [(usize, Vec<f64>)],
    /// The names of the seats.
    pub names: &'c [String],
    /// The steps to mark, in order; the first gets a 1.
    pub marks: &'c [usize],
    /// Whether the last point is the end of the match.
    pub ended: bool,
}

impl Curve<'_> {
    /// Draws the curve for a screen; returns an empty text if there are fewer than two points.
    pub fn text(&self, look: &Look) -> String {
        if self.points.len() < 2 {
            return String::new();
        }
        let lines = match (look.plain, self.names) {
            (true, _) => self.told(),
            (false, [first, _]) => self.drawn(first, look),
            (false, names) => self.rows(names, look),
        };
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        lines.join("\n")
    }

    /// Returns the columns that fit into `room`, each as the range of points that it stands for.
    fn columns(&self, room: usize) -> Vec<(usize, usize)> {
        let points = self.points.len();
        match room / points {
            0 => (0..room).map(|n| (n * points / room, (n + 1) * points / room)).collect(),
            each => (0..points).flat_map(|n| std::iter::repeat_n((n, n + 1), each.min(WIDEST))).collect(),
        }
    }

    /// Returns a seat's mean share in a column.
    fn share(&self, seat: usize, (from, to): (usize, usize)) -> f64 {
        let sum: f64 = self.points[from..to].iter().map(|(_, shares)| shares[seat]).sum();
        sum / (to - from) as f64
    }

    /// Draws the share of the first of two players as a line in a frame.
    fn drawn(&self, name: &str, look: &Look) -> Vec<String> {
        let columns = self.columns(look.width.saturating_sub(10).max(16));
        let axis = if look.unicode { '┤' } else { '|' };
        let shares: Vec<f64> = columns.iter().map(|column| self.share(0, *column)).collect();
        let drawn = stepped(&shares, HEIGHT, look.unicode);
        let mut lines = headed(&format!("{name}'s share of the win by step:"), look);
        for (n, line) in drawn.iter().enumerate() {
            let label = match n {
                0 => "100 %",
                n if n == HEIGHT / 2 => " 50 %",
                n if n == HEIGHT - 1 => "  0 %",
                _ => "     ",
            };
            lines.push(format!("{label} {axis}{line}"));
        }
        lines.extend(self.below(&columns, 7));
        lines
    }

    /// Draws a row of bars for each player.
    fn rows(&self, names: &[String], look: &Look) -> Vec<String> {
        let longest = names.iter().map(|name| wide(name)).max().unwrap_or(0);
        let columns = self.columns(look.width.saturating_sub(longest + 10).max(16));
        let signs = if look.unicode { "from ▁ (nothing) to █ (all)" } else { "in tenths" };
        let mut lines = headed(&format!("each player's share of the win, before each step, {signs}:"), look);
        for (seat, name) in names.iter().enumerate() {
            let shares: Vec<f64> = columns.iter().map(|column| self.share(seat, *column)).collect();
            let row = sparks(&shares, look.unicode);
            let last = self.points.last().map_or(0.0, |(_, shares)| shares[seat]);
            lines.push(format!("{}  {row}  {:.0} %", to_the_left(name, longest), 100.0 * last));
        }
        lines.extend(self.below(&columns, longest + 2));
        lines
    }

    /// Draws what is below the columns: the marks and the step numbers.
    fn below(&self, columns: &[(usize, usize)], indent: usize) -> Vec<String> {
        let mut marks = vec![' '; columns.len()];
        for (n, step) in self.marks.iter().enumerate().rev() {
            let point = self.points.iter().position(|(number, _)| number == step);
            let column = point.and_then(|point| columns.iter().position(|(_, to)| point < *to));
            if let Some(column) = column {
                marks[column] = char::from_digit(n as u32 + 1, 10).unwrap_or('+');
            }
        }
        let mut numbers = String::new();
        let points = self.points.len();
        for (n, (from, to)) in columns.iter().enumerate() {
            let begins = n == 0 || columns[n - 1].0 != *from;
            let ends = *to == points;
            let label = match ends && self.ended {
                true => "end".to_string(),
                false => self.points[if ends { points - 1 } else { *from }].0.to_string(),
            };
            // Labels keep a distance from one another and from the last label.
            let fits = n % 8 == 0 && numbers.len() + 2 <= n && n + 8 <= columns.len();
            if n == 0 || begins && numbers.len() < n && (fits || ends) {
                numbers.push_str(&" ".repeat(n - numbers.len()));
                numbers.push_str(&label);
            }
        }
        let pad = " ".repeat(indent);
        let marks = format!("{pad}{}", marks.iter().collect::<String>());
        let lines = [Some(marks).filter(|_| !self.marks.is_empty()), Some(format!("{pad}{numbers}"))];
        lines.into_iter().flatten().collect()
    }

    /// Lists in words the steps that change something.
    fn told(&self) -> Vec<String> {
        let mut lines = vec!["each player's share of the win, where it changes:".to_string()];
        let mut told: Option<&[f64]> = None;
        for (n, (step, shares)) in self.points.iter().enumerate() {
            let last = n + 1 == self.points.len();
            let changed = told.is_none_or(|told| {
                told.iter().zip(shares).any(|(before, now)| (before - now).abs() >= CHANGE)
            });
            if !changed && !last {
                continue;
            }
            told = Some(shares);
            let each =
                self.names.iter().zip(shares).map(|(name, share)| format!("{name} {:.0} %", 100.0 * share));
            let when =
                if last && self.ended { "at the end".to_string() } else { format!("before step {step}") };
            lines.push(format!("{when}: {}", each.collect::<Vec<_>>().join(", ")));
        }
        lines
    }
}

/// Wraps the heading of a picture to the screen.
fn headed(text: &str, look: &Look) -> Vec<String> {
    words::folded(text, 0, look.width).lines().map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(shares: &[f64], look: Look) -> String {
        let points: Vec<_> =
            shares.iter().zip(1..).map(|(share, n)| (n, vec![*share, 1.0 - share])).collect();
        let names = ["Ann".to_string(), "Ben".to_string()];
        Curve { points: &points, names: &names, marks: &[2], ended: true }.text(&look)
    }

    #[test]
    fn a_curve_is_as_high_as_the_shares() {
        let look = Look { width: 40, unicode: true, ..Look::default() };
        let text = drawn(&[0.5, 0.5, 1.0], look);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "100 % ┤        ╭───");
        assert_eq!(lines[5], " 50 % ┤────────╯");
        assert_eq!(lines[9], "  0 % ┤");
        assert_eq!(lines[10], "           1");
        assert_eq!(lines[11], "       1       end");
        assert!(drawn(&[0.5, 0.0], Look { width: 40, ..Look::default() }).is_ascii());
    }

    #[test]
    fn a_long_match_fits_the_screen() {
        for width in [40, 60, 80, 100] {
            let shares: Vec<f64> = (0..500).map(|n| f64::from(n % 7) / 7.0).collect();
            for unicode in [false, true] {
                let text = drawn(&shares, Look { width, unicode, ..Look::default() });
                assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
            }
        }
    }

    #[test]
    fn words_tell_what_changes() {
        let text = drawn(&[0.5, 0.52, 0.8, 0.8, 1.0], Look { plain: true, ..Look::default() });
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let told = [
            "before step 1: Ann 50 %, Ben 50 %",
            "before step 3: Ann 80 %, Ben 20 %",
            "at the end: Ann 100 %, Ben 0 %",
        ];
        assert_eq!(lines, told);
    }
}

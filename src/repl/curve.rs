//! What each player could expect, step by step, as text: a curve for two players or for a score, a row each for
//! other numbers of players, words for plain screens.

use super::review::amount;
use super::words;
use crate::bots::Measure;
use crate::eval::text::{to_the_left, to_the_right, wide};
use crate::lab::picture::terminal::{sparks, stepped};
use crate::play::Look;

/// The height of a curve in lines.
const HEIGHT: usize = 9;
/// The most columns per step in a short match.
const WIDEST: usize = 4;
/// In words, a step is skipped if all values differ from the last ones shown by less than this part of the scale.
const CHANGE: f64 = 0.05;

/// The data to draw.
pub struct Curve<'c> {
    /// The number of each step, and what each seat could expect before it, from when on that is known.
    pub points: &'c [(usize, Vec<Option<f64>>)],
    /// The names of the seats, or one for all if they win and lose together.
    pub names: &'c [String],
    /// The steps to mark, in order; the first gets a 1.
    pub marks: &'c [usize],
    /// Whether the last point is the end of the match.
    pub ended: bool,
    /// Whether each player saw it differently, so that the value of one does not tell that of another.
    pub apart: bool,
    /// What the values are measured in.
    pub measure: Measure,
}

impl Curve<'_> {
    /// Draws the curve for a screen; returns an empty text if there are fewer than two points.
    pub fn text(&self, look: &Look) -> String {
        if self.points.len() < 2 {
            return String::new();
        }
        let lines = match (look.plain, self.names) {
            (true, _) => self.told(),
            (false, [first]) => self.drawn(first, look),
            (false, [first, _]) if !self.apart => self.drawn(first, look),
            (false, names) => self.rows(names, look),
        };
        let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        lines.join("\n")
    }

    /// Returns the least and the greatest value of the scale.
    fn scale(&self) -> (f64, f64) {
        scale(self.measure, self.points)
    }

    /// Returns the columns that fit into `room`, each as the range of points that it stands for.
    fn columns(&self, room: usize) -> Vec<(usize, usize)> {
        let points = self.points.len();
        match room / points {
            0 => (0..room).map(|n| (n * points / room, (n + 1) * points / room)).collect(),
            each => (0..points).flat_map(|n| std::iter::repeat_n((n, n + 1), each.min(WIDEST))).collect(),
        }
    }

    /// Returns a seat's mean value in each column from the first in which it is known, as a part of the scale.
    fn heights(&self, seat: usize, columns: &[(usize, usize)]) -> Vec<f64> {
        let (low, high) = self.scale();
        let height = |(from, to): &(usize, usize)| {
            let known: Vec<f64> =
                self.points[*from..*to].iter().filter_map(|(_, values)| values[seat]).collect();
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            (!known.is_empty()).then_some((mean - low) / (high - low))
        };
        columns.iter().filter_map(height).collect()
    }

    /// Draws the values of the first of two players, or of the only one, as a line in a frame.
    fn drawn(&self, name: &str, look: &Look) -> Vec<String> {
        let (low, high) = self.scale();
        let labels = [high, (low + high) / 2.0, low].map(|value| amount(self.measure, value));
        let label_width = labels.iter().map(|label| wide(label)).max().unwrap_or(0);
        let columns = self.columns(look.width.saturating_sub(label_width + 5).max(16));
        let axis = if look.unicode { '┤' } else { '|' };
        let drawn = stepped(&self.heights(0, &columns), HEIGHT, look.unicode);
        let title = match self.measure {
            Measure::Share if self.names.len() == 1 => "the chance of a win by step".to_string(),
            Measure::Share => format!("{name}'s share of the win by step"),
            Measure::Score { .. } => format!("the score that {name} could expect, by step"),
        };
        let mut lines = self.headed(&title, look);
        for (n, line) in drawn.iter().enumerate() {
            let label = match n {
                0 => labels[0].as_str(),
                n if n == HEIGHT / 2 => &labels[1],
                n if n == HEIGHT - 1 => &labels[2],
                _ => "",
            };
            lines.push(format!("{} {axis}{line}", to_the_right(label, label_width)));
        }
        lines.extend(self.below(&columns, label_width + 2));
        lines
    }

    /// Draws a row of bars for each player.
    fn rows(&self, names: &[String], look: &Look) -> Vec<String> {
        let longest = names.iter().map(|name| wide(name)).max().unwrap_or(0);
        let columns = self.columns(look.width.saturating_sub(longest + 10).max(16));
        let signs = if look.unicode { "from ▁ (nothing) to █ (all)" } else { "in tenths" };
        let seen = if self.apart { ", as that player saw it" } else { "" };
        let title = format!("each player's share of the win{seen}, before each step, {signs}");
        let mut lines = self.headed(&title, look);
        for (seat, name) in names.iter().enumerate() {
            let row = to_the_right(&sparks(&self.heights(seat, &columns), look.unicode), columns.len());
            let last = self.points.last().and_then(|(_, shares)| shares[seat]);
            let last = last.map_or(String::new(), |last| format!("  {:.0} %", 100.0 * last));
            lines.push(format!("{}  {row}{last}", to_the_left(name, longest)));
        }
        lines.extend(self.below(&columns, longest + 2));
        lines
    }

    /// Returns the heading of a picture, wrapped to the screen. It explains the marks.
    fn headed(&self, title: &str, look: &Look) -> Vec<String> {
        let marks = match self.marks.is_empty() {
            true => "",
            false => "; the figures above the steps are the numbers of the choices described below",
        };
        words::folded(&format!("{title}{marks}:"), 0, look.width).lines().map(str::to_string).collect()
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
        let title = match self.measure {
            Measure::Share if self.names.len() == 1 => "the chance of a win, where it changes:",
            Measure::Share if self.apart => {
                "each player's share of the win as that player saw it, where it changes:"
            }
            Measure::Share => "each player's share of the win, where it changes:",
            Measure::Score { .. } => "the score that could be expected, where it changes:",
        };
        let mut lines = vec![title.to_string()];
        let (low, high) = self.scale();
        let mut told: Option<&[Option<f64>]> = None;
        for (n, (step, values)) in self.points.iter().enumerate() {
            let last = n + 1 == self.points.len();
            let changed = told.is_none_or(|told| {
                told.iter().zip(values).any(|of_seat| match of_seat {
                    (Some(before), Some(now)) => (before - now).abs() >= CHANGE * (high - low),
                    (before, now) => before != now,
                })
            });
            if !changed && !last {
                continue;
            }
            told = Some(values);
            let each = self.names.iter().zip(values);
            let each =
                each.filter_map(|(name, value)| Some(format!("{name} {}", amount(self.measure, (*value)?))));
            let when =
                if last && self.ended { "at the end".to_string() } else { format!("before step {step}") };
            lines.push(format!("{when}: {}", each.collect::<Vec<_>>().join(", ")));
        }
        lines
    }
}

/// Returns the least and the greatest value of the scale of a curve: nothing and all of the win, or the scores that
/// occur.
pub fn scale(measure: Measure, points: &[(usize, Vec<Option<f64>>)]) -> (f64, f64) {
    if measure == Measure::Share {
        return (0.0, 1.0);
    }
    let values = || points.iter().flat_map(|(_, values)| values.iter().copied().flatten());
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    if high - low >= 1.0 { (low, high) } else { (low - 1.0, high + 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(shares: &[f64], look: Look) -> String {
        let points: Vec<_> =
            shares.iter().zip(1..).map(|(share, n)| (n, vec![Some(*share), Some(1.0 - share)])).collect();
        let names = ["Ann".to_string(), "Ben".to_string()];
        Curve {
            points: &points,
            names: &names,
            marks: &[2],
            ended: true,
            apart: false,
            measure: Measure::Share,
        }
        .text(&look)
    }

    #[test]
    fn a_curve_is_as_high_as_the_shares() {
        let look = Look { width: 40, unicode: true, ..Look::default() };
        let text = drawn(&[0.5, 0.5, 1.0], look);
        let lines: Vec<&str> = text.lines().collect();
        let drawn_at = lines.iter().position(|line| line.starts_with("100 %")).unwrap();
        let lines = &lines[drawn_at..];
        assert_eq!(lines[0], "100 % ┤        ╭───");
        assert_eq!(lines[4], " 50 % ┤────────╯");
        assert_eq!(lines[8], "  0 % ┤");
        assert_eq!(lines[9], "           1");
        assert_eq!(lines[10], "       1       end");
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

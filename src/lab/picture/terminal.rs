//! Pictures as lines of a terminal: bars, curves and intervals, in Unicode or ASCII; in words if the look is
//! plain, for screen readers.

use super::{
    Interval, amount, bars, curve_words, distribution_words, estimate, ladder_words, span, sweep_rows,
    value_at,
};
use crate::eval::text::{fitting, to_the_left, to_the_right, wide};
use crate::lab::study::{Curve, Distribution, Rung, Sweep, Unit};
use crate::play::Look;

/// The height of a curve, in lines.
const HEIGHT: usize = 9;
/// The most columns of a picture, without its labels.
const WIDEST: usize = 60;
/// The most columns of a bar.
const LONGEST_BAR: usize = 40;
/// The most columns of a bar's name.
const LONGEST: usize = 32;
/// The part of a scale that is too small to tell from nothing.
const ALMOST: f64 = 0.005;

/// Draws a distribution, with a line for each bar.
pub fn distribution(distribution: &Distribution, look: &Look) -> Vec<String> {
    if look.plain {
        return vec![distribution_words(distribution)];
    }
    let bars = bars(distribution);
    let numbers = distribution.bins.iter().all(|bin| bin.range.is_some());
    let most = LONGEST.min(look.width / 2);
    let labels: Vec<String> = bars.iter().map(|bar| shortened(&bar.label, most, look)).collect();
    let label_width = labels.iter().map(|label| wide(label)).max().unwrap_or(0);
    let room = look.width.saturating_sub(label_width + 11).clamp(8, LONGEST_BAR);
    let largest = bars.iter().map(|bar| bar.share).fold(0.0, f64::max);
    let mut lines = Vec::new();
    for (bar, label) in bars.iter().zip(&labels) {
        let label = match numbers {
            true => to_the_right(label, label_width),
            false => to_the_left(label, label_width),
        };
        let length = if largest > 0.0 { bar.share / largest } else { 0.0 };
        let drawn = filled(length, room, look.unicode);
        let gap = if drawn.is_empty() { "" } else { " " };
        lines.push(format!("{label} {} {drawn}{gap}{}", upright(look), amount(Unit::Share, bar.share)));
    }
    lines
}

/// Draws values in the course of a match: a single line as a curve with an axis, several lines as a row of
/// signs each.
pub fn curve(curve: &Curve, look: &Look) -> Vec<String> {
    if look.plain {
        return vec![curve_words(curve)];
    }
    let points = curve.lines.iter().flat_map(|line| &line.points);
    let (low, high) = span(curve.unit, points.map(|point| point.value));
    let mut lines = Vec::new();
    let share = |value: f64| (value - low) / (high - low);
    match curve.lines.as_slice() {
        [one] => {
            let labels = [high, (low + high) / 2.0, low].map(|value| amount(curve.unit, value));
            let label_width = labels.iter().map(|label| wide(label)).max().unwrap_or(0);
            let columns = look.width.saturating_sub(label_width + 3).clamp(10, WIDEST);
            // The columns before the first value stay empty.
            let values: Vec<f64> =
                columns_of(columns).filter_map(|at| value_at(one, at)).map(share).collect();
            let empty = " ".repeat(columns - values.len());
            for (n, line) in stepped(&values, HEIGHT, look.unicode).iter().enumerate() {
                let label = match n {
                    0 => &labels[0],
                    n if n == HEIGHT / 2 => &labels[1],
                    n if n == HEIGHT - 1 => &labels[2],
                    _ => "",
                };
                let axis = if look.unicode { '┤' } else { '|' };
                lines.push(format!("{label:>label_width$} {axis}{empty}{line}").trim_end().to_string());
            }
            lines.push(below(label_width + 2, columns));
        }
        several => {
            let name_width = several.iter().map(|line| wide(&line.name)).max().unwrap_or(0).min(LONGEST);
            let columns = look.width.saturating_sub(name_width + 12).clamp(10, WIDEST);
            let ends = if look.unicode { ("▁", "█") } else { ("0", "9") };
            let (least, most) = (amount(curve.unit, low), amount(curve.unit, high));
            let scale = format!("from {} ({least}) to {} ({most}), then final", ends.0, ends.1);
            let value = if wide(&scale) + " value:".len() <= look.width { " value:" } else { ":" };
            lines.push(scale + value);
            for line in several {
                let values: Vec<f64> =
                    columns_of(columns).filter_map(|at| value_at(line, at)).map(share).collect();
                let empty = " ".repeat(columns - values.len());
                let last = line.points.last().map_or(String::new(), |last| amount(curve.unit, last.value));
                let name = shortened(&line.name, name_width, look);
                let name = to_the_left(&name, name_width);
                lines.push(format!("{name}  {empty}{}  {last}", sparks(&values, look.unicode)));
            }
            lines.push(below(name_width + 2, columns));
        }
    }
    lines
}

/// Draws a ladder of players: each rating with its interval.
pub fn ladder(rungs: &[Rung], look: &Look) -> Vec<String> {
    if look.plain {
        return vec![ladder_words(rungs)];
    }
    let rows: Vec<Interval> = rungs.iter().map(|rung| (rung.bot.clone(), rung.elo, rung.interval)).collect();
    intervals(&rows, Unit::Elo, look)
}

/// Draws one figure of a sweep, with a row for each setting that has it: its value with its interval.
pub fn sweep(sweep: &Sweep, key: &str, look: &Look) -> Vec<String> {
    let (unit, rows) = sweep_rows(sweep, key);
    intervals(&rows, unit, look)
}

/// Draws rows with a name, a value and its interval, over a common axis.
pub fn intervals(rows: &[Interval], unit: Unit, look: &Look) -> Vec<String> {
    if look.plain {
        return rows
            .iter()
            .map(|(name, value, interval)| format!("{name}: {}", estimate(unit, *value, *interval)))
            .collect();
    }
    let ends = rows.iter().flat_map(|(_, value, interval)| [*value, interval[0], interval[1]]);
    let (low, high) = span(unit, ends);
    let names: Vec<String> =
        rows.iter().map(|(name, ..)| shortened(name, LONGEST.min(look.width / 3), look)).collect();
    let name_width = names.iter().map(|name| wide(name)).max().unwrap_or(0);
    let figures: Vec<String> =
        rows.iter().map(|(_, value, interval)| estimate(unit, *value, *interval)).collect();
    let figure_width = figures.iter().map(|figure| figure.chars().count()).max().unwrap_or(0);
    let room = look.width.saturating_sub(name_width + figure_width + 4).clamp(3, WIDEST);
    let column = |value: f64| (((value - low) / (high - low)) * (room - 1) as f64).round() as usize;
    let signs = if look.unicode { ['├', '─', '┤', '●'] } else { ['|', '-', '|', 'o'] };
    let mut lines = Vec::new();
    for (((_, value, interval), name), figure) in rows.iter().zip(&names).zip(&figures) {
        let mut cells = vec![' '; room];
        let (from, to) = (column(interval[0]).min(room - 1), column(interval[1]).min(room - 1));
        cells[from..=to].iter_mut().for_each(|cell| *cell = signs[1]);
        (cells[from], cells[to]) = (signs[0], signs[2]);
        cells[column(*value).min(room - 1)] = signs[3];
        let name = to_the_left(name, name_width);
        lines.push(format!("{name}  {}  {figure}", cells.iter().collect::<String>()));
    }
    lines
}

/// Draws a curve through values from 0 to 1, one per column, in `height` rows, the highest first.
pub fn stepped(values: &[f64], height: usize, unicode: bool) -> Vec<String> {
    let signs =
        if unicode { ['─', '│', '╭', '╮', '╯', '╰'] } else { ['-', '|', '.', '.', '\'', '\''] };
    let [level, upright, from_below, from_left, to_left, from_above] = signs;
    let mut cells = vec![vec![' '; values.len()]; height];
    let mut before = None;
    for (n, value) in values.iter().enumerate() {
        let row = (((1.0 - value) * (height - 1) as f64).round() as usize).min(height - 1);
        match before {
            Some(last) if last != row => {
                let (above, below) = (row.min(last), row.max(last));
                cells[above + 1..below].iter_mut().for_each(|line| line[n] = upright);
                cells[last][n] = if row > last { from_left } else { to_left };
                cells[row][n] = if row > last { from_above } else { from_below };
            }
            _ => cells[row][n] = level,
        }
        before = Some(row);
    }
    cells.into_iter().map(|line| line.into_iter().collect()).collect()
}

/// Draws values from 0 to 1 as a row of signs, one per column.
pub fn sparks(values: &[f64], unicode: bool) -> String {
    let signs: Vec<char> = if unicode { "▁▂▃▄▅▆▇█" } else { "0123456789" }.chars().collect();
    // What is more than nothing and less than all looks like neither.
    let sign = |value: &f64| match value {
        value if *value < ALMOST => signs[0],
        value if *value > 1.0 - ALMOST => signs[signs.len() - 1],
        value if unicode => signs[(1.0 + value * (signs.len() - 2) as f64) as usize],
        value => signs[((value * signs.len() as f64) as usize).min(signs.len() - 1)],
    };
    values.iter().map(sign).collect()
}

/// Draws a bar over a part of `columns` columns, in steps of an eighth if Unicode is available.
fn filled(part: f64, columns: usize, unicode: bool) -> String {
    if !unicode {
        return "#".repeat((part * columns as f64).round() as usize);
    }
    let eighths = (part * columns as f64 * 8.0).round() as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    format!("{}{rest}", "█".repeat(eighths / 8))
}

fn upright(look: &Look) -> char {
    if look.unicode { '│' } else { '|' }
}

/// Returns the times of `columns` columns, evenly spaced from 0 to 1.
fn columns_of(columns: usize) -> impl Iterator<Item = f64> {
    (0..columns).map(move |n| n as f64 / (columns - 1) as f64)
}

/// Returns the labels below a picture whose columns are the course of a match.
fn below(indent: usize, columns: usize) -> String {
    let (first, last) = ("start", "end");
    format!("{}{first}{last:>rest$}", " ".repeat(indent), rest = columns - first.len())
}

/// Truncates a name that is too long.
fn shortened(name: &str, most: usize, look: &Look) -> String {
    if wide(name) <= most {
        return name.to_string();
    }
    let cut = if look.unicode { "…" } else { "..." };
    let kept = &name[..fitting(name, most.saturating_sub(wide(cut)))];
    format!("{}{cut}", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nothing_and_all_look_like_nothing_and_all() {
        assert_eq!(sparks(&[0.0, 0.001, 0.1, 0.5, 0.9, 0.999, 1.0], true), "▁▁▂▅▇██");
        assert_eq!(sparks(&[0.0, 0.1, 0.5, 0.95, 1.0], false), "01599");
    }
}

//! Pictures of the results of studies: for a terminal, and as SVG.

#[cfg(feature = "cli")]
pub mod svg;
pub mod terminal;

use super::elo::{range, signed};
use super::study::{Bin, Curve, Distribution, Line, Row, Rung, Sweep, Unit, whole_number};
use crate::explore::decimals;

/// The most bars in a picture; more bins are merged.
const MOST_BARS: usize = 16;

/// Formats a value with its unit: `34.0 %`, `12.5`, `+80`.
pub fn amount(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Share => format!("{} %", decimals(100.0 * value, usize::from(value.abs() < 0.9995))),
        Unit::Elo => signed(value),
        _ if value.abs() >= 100.0 || value == value.round() => whole_number(value),
        _ => decimals(value, 1),
    }
}

/// Formats a value with its interval: `56 % (53..59)`; without it if both ends are equal when rounded.
pub fn estimate(unit: Unit, value: f64, [low, high]: [f64; 2]) -> String {
    let number = |value: f64| match unit {
        Unit::Share => decimals(100.0 * value, 0),
        unit => amount(unit, value),
    };
    let whole = if unit == Unit::Share { " %" } else { "" };
    match number(low) == number(high) {
        true => format!("{}{whole}", number(value)),
        false => format!("{}{whole} ({}..{})", number(value), number(low), number(high)),
    }
}

/// Returns the name of a unit, to be put after a number or on an axis.
pub fn unit_words(unit: Unit) -> &'static str {
    match unit {
        Unit::Choices => "choices",
        Unit::Turns => "turns",
        Unit::Moves => "legal moves",
        Unit::Share => "share",
        Unit::Points => "points",
        Unit::Elo => "Elo",
        Unit::Times => "times",
    }
}

/// A bar of a distribution: its label, and its share of the total.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The label: `12`, `10..14`.
    pub label: String,
    /// The share, from 0 to 1.
    pub share: f64,
}

/// Returns the bars of a distribution, at most 16. Neighbouring bins of numbers are merged; of other bins,
/// the first 15 are kept, and the rest are merged.
pub fn bars(distribution: &Distribution) -> Vec<Bar> {
    let all: u64 = distribution.bins.iter().map(|bin| bin.count).sum();
    let bar = |label: String, bins: &[Bin]| {
        let count: u64 = bins.iter().map(|bin| bin.count).sum();
        Bar { label, share: count as f64 / all.max(1) as f64 }
    };
    let bins = &distribution.bins;
    let numbers = bins.iter().all(|bin| bin.range.is_some());
    if numbers {
        let together = bins.len().div_ceil(MOST_BARS).max(1);
        let label = |bins: &[Bin]| match (
            bins.first().and_then(|bin| bin.range),
            bins.last().and_then(|bin| bin.range),
        ) {
            (Some([low, _]), Some([_, high])) if low < high => format!("{low}..{high}"),
            _ => bins[0].label.clone(),
        };
        return bins.chunks(together).map(|bins| bar(label(bins), bins)).collect();
    }
    let shown = if bins.len() > MOST_BARS { MOST_BARS - 1 } else { bins.len() };
    let mut bars: Vec<Bar> =
        bins[..shown].iter().map(|one| bar(one.label.clone(), std::slice::from_ref(one))).collect();
    if shown < bins.len() {
        bars.push(bar(format!("{} others", bins.len() - shown), &bins[shown..]));
    }
    bars
}

/// Describes a distribution for screen readers: each bar that is not empty.
pub fn distribution_words(distribution: &Distribution) -> String {
    let bars = bars(distribution).into_iter().filter(|bar| bar.share > 0.0);
    let each: Vec<String> =
        bars.map(|bar| format!("{}: {}", bar.label, amount(Unit::Share, bar.share))).collect();
    each.join("; ")
}

/// Describes a curve: each line at its beginning, its quarters and its end.
pub fn curve_words(curve: &Curve) -> String {
    let lines = curve.lines.iter().filter(|line| !line.points.is_empty()).map(|line| {
        let name = if line.name.is_empty() { String::new() } else { format!("{}: ", line.name) };
        let last = if curve.unit == Unit::Moves { "at the last choice" } else { "at the end" };
        let when = ["at the first choice", "a quarter through", "halfway", "three quarters through", last];
        let each = when.iter().enumerate().filter_map(|(quarter, when)| {
            let value = value_at(line, quarter as f64 / 4.0)?;
            Some(format!("{} {when}", amount(curve.unit, value)))
        });
        format!("{name}{}", each.collect::<Vec<_>>().join(", "))
    });
    lines.collect::<Vec<_>>().join("; ")
}

/// Describes a ladder of strengths.
pub fn ladder_words(rungs: &[Rung]) -> String {
    let rung = |rung: &Rung| {
        let [low, high] = rung.interval;
        format!("{}: {} Elo ({})", rung.bot, signed(rung.elo), range(low, high))
    };
    rungs.iter().map(rung).collect::<Vec<_>>().join("; ")
}

/// Describes what distinguishes a setting of a sweep from the others: `n=5 players=2`.
pub fn setting_words(sweep: &Sweep, row: &Row) -> String {
    let each: Vec<String> =
        sweep.varied.iter().zip(&row.values).map(|(name, value)| format!("{name}={value}")).collect();
    each.join(" ")
}

/// A named figure with its interval.
pub type Interval = (String, f64, [f64; 2]);

/// Returns the unit of a figure, and its value in each setting of a sweep that has it.
pub fn sweep_rows(sweep: &Sweep, key: &str) -> (Unit, Vec<Interval>) {
    let mut unit = Unit::Times;
    let rows = sweep.rows.iter().filter_map(|row| {
        let figure = row.report.as_ref()?.figure(key)?;
        unit = figure.unit;
        Some((setting_words(sweep, row), figure.value?, figure.ends()?))
    });
    let rows = rows.collect();
    (unit, rows)
}

/// Returns the value of a line at a time from 0 to 1, which is that of the latest point by then: between two
/// choices of a match nothing changes. `None` before the first point.
fn value_at(line: &Line, at: f64) -> Option<f64> {
    let reached = line.points.iter().take_while(|point| point.at <= at + 1e-9);
    reached.last().map(|point| point.value)
}

/// Returns the range of an axis: all values, and always 0; up to 1 for shares that exceed a half.
fn span(unit: Unit, values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return (0.0, 1.0);
    }
    let high = if unit == Unit::Share && low >= 0.0 && high > 0.5 { 1.0 } else { high };
    let (low, high) = (low.min(0.0), high.max(0.0));
    if high > low { (low, high) } else { (low, low + 1.0) }
}

//! The distributions and curves of a study.

use super::figures::rounded;
use super::report::{Bin, Curve, Distribution, Line, Point, Unit};
use super::sums::{Estimate, Histogram, Moments, PARTS, Sums};
use crate::play::Rules;

/// The most bins of a distribution of numbers, give or take one.
const BINS: i64 = 20;

/// Returns the distributions of a study.
pub(super) fn distributions(rules: &Rules, random: &Sums, strong: &Sums) -> Vec<Distribution> {
    let numbers =
        |key: String, title: String, meaning: &str, unit, series: &str, histogram: &Histogram| Distribution {
            key,
            title,
            meaning: meaning.to_string(),
            unit: Some(unit),
            series: series.to_string(),
            matches: histogram.count(),
            bins: bins(histogram),
        };
    let length = "how many matches had each number of choices";
    let mut all = vec![
        numbers("length.choices".into(), "length".into(), length, Unit::Choices, "strong", &strong.length),
        numbers(
            "random.length".into(),
            "length at random".into(),
            length,
            Unit::Choices,
            "random",
            &random.length,
        ),
    ];
    let mut ends: Vec<(&String, &u64)> = strong.ends.iter().collect();
    ends.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    all.push(Distribution {
        key: "ends".to_string(),
        title: "ends".to_string(),
        meaning: "how many matches each rule ended".to_string(),
        unit: None,
        series: "strong".to_string(),
        matches: ends.iter().map(|(_, count)| **count).sum(),
        bins: ends
            .into_iter()
            .map(|(label, count)| Bin { label: label.clone(), range: None, count: *count })
            .collect(),
    });
    for (seat, scores) in strong.scores.iter().enumerate() {
        let title = format!("scores of {}", rules.game.seat_name(seat));
        let key = format!("seat.{}.scores", seat + 1);
        all.push(numbers(
            key,
            title,
            "how many matches ended with each score",
            Unit::Points,
            "strong",
            scores,
        ));
    }
    // Of two seats, one is ahead by as much as the other is behind.
    let seats = if strong.leads_at_end.len() == 2 { 1 } else { strong.leads_at_end.len() };
    for (seat, leads) in strong.leads_at_end.iter().enumerate().take(seats) {
        let title = format!("lead of {} at the end", rules.game.seat_name(seat));
        let meaning = "how many matches ended with each number of points ahead of the best of the others, or behind if negative";
        let key = format!("seat.{}.lead", seat + 1);
        all.push(numbers(key, title, meaning, Unit::Points, "strong", leads));
    }
    if strong.leads_at_end.len() > 2 {
        let meaning = "how many matches ended with each number of points between the first and the second";
        let title = "the winner's lead".to_string();
        all.push(numbers("margin".into(), title, meaning, Unit::Points, "strong", &strong.margin));
    }
    all.retain(|distribution| distribution.matches > 0);
    all
}

/// Returns the curves of a study; `sides` are the names of those whose results can differ.
pub(super) fn curves(sides: &[String], random: &Sums, strong: &Sums) -> Vec<Curve> {
    let curve = |key: &str, title: &str, meaning: &str, unit, series: &str, lines: Vec<Line>| Curve {
        key: key.to_string(),
        title: title.to_string(),
        meaning: meaning.to_string(),
        unit,
        series: series.to_string(),
        lines,
    };
    let one = |parts: &[Moments], unit| vec![line(String::new(), parts, unit)];
    let seats = strong.looks.seats.iter().zip(sides).enumerate();
    let seats = seats.map(|(seat, (parts, name))| {
        let mut line = line(name.clone(), parts, Unit::Share);
        // All matches have an end, but only some were examined in their course.
        let has_end = strong.any_ended() && !line.points.is_empty();
        line.points.extend(has_end.then(|| point(PARTS, strong.share(seat))));
        line
    });
    let mut all = vec![
        curve(
            "width",
            "legal moves over the course of a match",
            "how many legal moves players choose from",
            Unit::Moves,
            "strong",
            one(&strong.widths, Unit::Moves),
        ),
        curve(
            "random.width",
            "legal moves at random",
            "how many legal moves players choose from when everybody plays at random",
            Unit::Moves,
            "random",
            one(&random.widths, Unit::Moves),
        ),
        curve(
            "lead",
            "the leader wins",
            "the share of the win that goes to whoever leads in score at that point, in matches that are not level then",
            Unit::Share,
            "strong",
            one(&strong.leads, Unit::Share),
        ),
        curve(
            "favourite",
            "the favourite's chances",
            "the share of the win that the favourite can expect, by searches; at the end, what the winner got",
            Unit::Share,
            "strong",
            one(&strong.looks.favourite, Unit::Share),
        ),
        curve(
            "seats",
            "the seats over the course of a match",
            "the share of the win that each seat can expect, by searches; at the end, what it got",
            Unit::Share,
            "strong",
            seats.collect(),
        ),
    ];
    let by_search = ["favourite", "seats"];
    all.retain(|curve| !(strong.are_misjudged() && by_search.contains(&curve.key.as_str())));
    all.retain(|curve| curve.lines.iter().any(|line| line.points.len() > 1));
    all
}

/// Returns a line through the means at successive points of a match.
fn line(name: String, points: &[Moments], unit: Unit) -> Line {
    let points = points.iter().enumerate().filter_map(|(number, moments)| {
        Some(point(number, if unit == Unit::Share { moments.share() } else { moments.mean() }?))
    });
    Line { name, points: points.collect() }
}

/// Returns the point of a line with this number, from 0.
fn point(number: usize, found: Estimate) -> Point {
    let at = number as f64 / PARTS as f64;
    Point { at, value: rounded(found.value), interval: found.interval.map(rounded) }
}

/// Groups numbers into bins of equal width: the smallest of 1, 2, 5, 10, … for which there are not too many
/// bins.
fn bins(histogram: &Histogram) -> Vec<Bin> {
    let (Some((least, _)), Some((most, _))) = (histogram.0.first_key_value(), histogram.0.last_key_value())
    else {
        return Vec::new();
    };
    let spread = i128::from(*most) - i128::from(*least) + 1;
    let widths = std::iter::successors(Some(1i128), |ten| ten.checked_mul(10));
    let mut widths = widths.flat_map(|ten| [ten, 2 * ten, 5 * ten]);
    let width = widths.find(|width| (spread + *width - 1) / *width <= i128::from(BINS)).unwrap_or(spread);
    let first = i128::from(*least).div_euclid(width);
    let last = i128::from(*most).div_euclid(width);
    let bin = |number: i128| {
        let low = (number * width).max(i64::MIN.into()) as i64;
        let high = (number * width + width - 1).min(i64::MAX.into()) as i64;
        let label = if low == high { low.to_string() } else { format!("{low}..{high}") };
        let count = histogram.0.range(low..=high).map(|(_, count)| count).sum();
        Bin { label, range: Some([low, high]), count }
    };
    (first..=last).map(bin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_leave_nothing_out_and_are_few() {
        for (numbers, labels) in [
            (vec![3, 3, 5], vec!["3", "4", "5"]),
            (
                vec![-7, 34],
                vec!["-10..-6", "-5..-1", "0..4", "5..9", "10..14", "15..19", "20..24", "25..29", "30..34"],
            ),
        ] {
            let mut histogram = Histogram::default();
            numbers.iter().for_each(|n| histogram.add(*n));
            let found = bins(&histogram);
            assert_eq!(found.iter().map(|bin| bin.label.as_str()).collect::<Vec<_>>(), labels);
            assert_eq!(found.iter().map(|bin| bin.count).sum::<u64>(), numbers.len() as u64);
        }
        let mut wide = Histogram::default();
        [i64::MIN, 0, i64::MAX].into_iter().for_each(|n| wide.add(n));
        let found = bins(&wide);
        assert!(found.len() <= 21 && found.iter().map(|bin| bin.count).sum::<u64>() == 3, "{found:?}");
    }
}

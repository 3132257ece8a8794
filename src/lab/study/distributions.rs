//! The distributions and curves of a study.

use super::figures::rounded;
use super::report::{Bin, Curve, Distribution, Line, Point, Side, Unit};
use super::sums::{Estimate, Histogram, Moments, PARTS, Sums};
use crate::play::{Rules, first_compared, score_decides};

/// The most bins of a distribution of numbers, give or take one.
const BINS: i64 = 20;

/// Returns the distributions of a study.
pub(super) fn distributions(
    rules: &Rules,
    sides: &[Side],
    random: &Sums,
    strong: &Sums,
) -> Vec<Distribution> {
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
    for (seat, name) in whose_scores(rules, sides, strong) {
        let scores = &strong.scores[seat];
        let title = format!("scores of {name}");
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
    // Of two sides, one is ahead by as much as the other is behind.
    let shown = if sides.len() == 2 { 1 } else { sides.len() };
    for Side { name, seats } in &sides[..shown] {
        let Some(leads) = strong.leads_at_end.get(seats[0] - 1) else { continue };
        let title = format!("lead of {name} at the end");
        let meaning = "how many matches ended with each number of points ahead of the best of the others, or behind if negative";
        let key = format!("seat.{}.lead", seats[0]);
        all.push(numbers(key, title, meaning, Unit::Points, "strong", leads));
    }
    if sides.len() > 2 {
        let meaning = "how many matches ended with each number of points between the first and the second";
        let title = "the winner's lead".to_string();
        all.push(numbers("margin".into(), title, meaning, Unit::Points, "strong", &strong.margin));
    }
    all.retain(|distribution| distribution.matches > 0);
    all
}

/// Returns whose scores are told: those of teams whose partners always had the same, otherwise those of all players; each with a
/// seat (from 0) that has it, and its name.
pub(super) fn whose_scores(rules: &Rules, sides: &[Side], sums: &Sums) -> Vec<(usize, String)> {
    let scores = &sums.scores;
    let alike = |side: &Side| side.seats.iter().all(|seat| scores[seat - 1] == scores[side.seats[0] - 1]);
    match sides.len() > 1 && !scores.is_empty() && sides.iter().all(alike) {
        true => sides.iter().map(|side| (side.seats[0] - 1, side.name.clone())).collect(),
        false => (0..scores.len()).map(|seat| (seat, rules.game.seat_name(seat))).collect(),
    }
}

/// Says by what players lead: the score, or another value that decides who wins.
pub(super) fn lead_words(rules: &Rules) -> String {
    match first_compared(&rules.game) {
        Some((_, value)) if score_decides(&rules.game).is_none() => {
            let text = rules.source.slice(value.body.span);
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("by `{text}` (which decides who wins)")
        }
        _ => "in score".to_string(),
    }
}

/// Returns the curves of a study; `sides` are those whose results can differ.
pub(super) fn curves(rules: &Rules, sides: &[Side], random: &Sums, strong: &Sums) -> Vec<Curve> {
    let curve = |key: &str, title: &str, meaning: &str, unit, series: &str, lines: Vec<Line>| Curve {
        key: key.to_string(),
        title: title.to_string(),
        meaning: meaning.to_string(),
        unit,
        series: series.to_string(),
        lines,
    };
    let one = |parts: &[Moments], unit| vec![line(String::new(), parts, unit)];
    let seats = sides.iter().filter_map(|Side { name, seats }| {
        let seat = seats[0] - 1;
        let mut line = line(name.clone(), strong.looks.seats.get(seat)?, Unit::Share);
        // All matches have an end, but only some were examined in their course.
        let has_end = strong.any_ended() && !line.points.is_empty();
        line.points.extend(has_end.then(|| point(PARTS, strong.share(seat))));
        Some(line)
    });
    let leads = format!(
        "the share of the win that goes to whoever leads {} at that point, in matches that are not level then",
        lead_words(rules)
    );
    let mut all = vec![
        curve(
            "width",
            "legal moves over the course of a match",
            if strong.unlimited.average().is_some_and(|share| share > 0.0) {
                "how many legal moves players choose from, at the latest choice at which they can be counted"
            } else {
                "how many legal moves players choose from"
            },
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
        curve("lead", "the leader wins", &leads, Unit::Share, "strong", one(&strong.leads, Unit::Share)),
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

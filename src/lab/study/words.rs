//! A study as text for people: the verdict, then the figures with their explanations.

use crate::explore::{counted, decimals, thousands};
use std::collections::{BTreeMap, BTreeSet};

use super::super::elo::{range, signed};
use super::super::picture::{setting_words, terminal};
use super::super::standings::{fits, table, wrapped};
use super::report::{Curve, DrawOutcomeUse, DrawUse, Figure, Remark, Report, Row, Sweep, Unit, ValueUse};
use super::sweep::difference_words;
use crate::play::Look;

/// An amount that is known to this part of itself is told without its interval.
const KNOWN_TO: f64 = 0.005;
/// Who the searches of a study are.
pub(super) const SEARCHES: &str = "`tree:N` is a tree search with N playouts a choice; unlike `mcts:N`, it never looks for a \
    proof. `parlour simulate --bot tree:N` plays such matches.";
/// How many bins with names are listed.
const ENDS: usize = 8;

/// The subjects of figures, with the prefixes of their keys.
const SUBJECTS: &[(&str, &[&str])] = &[
    ("Length", &["length.", "random.length"]),
    ("Choices", &["width.", "random.width", "repeats.", "weight."]),
    ("Seats", &["seat.", "draws.", "margin.", "winner.", "best."]),
    ("Course of play", &["lead.", "favourite.", "decided."]),
    ("Skill and chance", &["skill.", "chance."]),
    ("Forbidden moves", &["without"]),
    ("Seats in random play", &["random.seat.", "random.draws.", "random.margin."]),
];

/// A column of a sweep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    pub heading: &'static str,
    /// The key of its figure.
    pub key: &'static str,
    /// What it shows.
    meaning: &'static str,
}

impl Column {
    const fn new(heading: &'static str, key: &'static str, meaning: &'static str) -> Column {
        Column { heading, key, meaning }
    }
}

/// The columns of a sweep.
const COLUMNS: &[Column] = &[
    Column::new("choices", "length.choices", "choices in a match"),
    Column::new("moves", "width.mean", "legal moves"),
    Column::new("seat 1 %", "seat.1.share", "the first seat's share of the win"),
    Column::new("drawn %", "draws.share", "matches without a sole winner"),
    Column::new("Elo", "skill.doubling", "what thinking twice as long is worth"),
    Column::new("chance %", "chance.share", "how much chance explains"),
];
/// The column for shares where some players win and lose together.
const SIDE_COLUMN: Column = Column::new("side 1 %", "seat.1.share", "the first side's share of the win");
/// The columns of a sweep of a game of one player.
const COLUMNS_ALONE: &[Column] = &[
    Column::new("choices", "length.choices", "choices in a match"),
    Column::new("moves", "width.mean", "legal moves"),
    Column::new("won %", "seat.1.share", "matches won"),
    Column::new("score", "seat.1.score", "the mean score"),
    Column::new("chance %", "chance.share", "how much chance explains"),
];

/// Formats a number in its unit, without the unit's name.
fn number(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Share => decimals(100.0 * value, 0),
        Unit::Elo => decimals(value.round(), 0),
        _ if value.abs() >= 100.0 => whole_number(value),
        _ if value.abs() >= 10.0 => decimals(value, 1),
        _ => decimals(value, 2),
    }
}

/// Formats a number, rounded to a whole one, with thousands separators.
pub(crate) fn whole_number(value: f64) -> String {
    let sign = if value <= -0.5 { "-" } else { "" };
    format!("{sign}{}", thousands(value.abs().round() as u64))
}

/// Whether a unit counts something, rather than being a share or a difference.
fn is_amount(unit: Unit) -> bool {
    matches!(unit, Unit::Choices | Unit::Turns | Unit::Moves | Unit::Times | Unit::Points)
}

/// Formats a share in per cent. What is not all of it is not called 100 %; what is `known` not to be nothing is not called 0 %.
fn share(value: f64, known: bool) -> String {
    let percent = 100.0 * value;
    match decimals(percent, 0).as_str() {
        "100" if value < 1.0 && percent < 99.95 => decimals(percent, 1),
        "100" if value < 1.0 => "more than 99.9".to_string(),
        "0" if known && percent >= 0.05 => decimals(percent, 1),
        "0" if known && value > 0.0 => "less than 0.1".to_string(),
        whole => whole.to_string(),
    }
}

/// Formats a figure with its interval: `56 % (53..59)`. An interval is left out that is hardly wider than the figure is
/// precise.
pub(super) fn shown(figure: &Figure) -> String {
    let Some(middle) = figure.value else { return "-".to_string() };
    // If the value and its interval are whole numbers, as for a median, show them as such.
    let whole = |value: f64| value.fract() == 0.0;
    let whole = whole(middle) && figure.interval.is_none_or(|ends| ends.into_iter().all(whole));
    let sign = |value: f64| match whole && figure.unit != Unit::Share {
        true => whole_number(value),
        false => number(figure.unit, value),
    };
    let unit = if figure.unit == Unit::Share { " %" } else { "" };
    let value = match figure.unit {
        Unit::Share => share(middle, figure.interval.is_some_and(|[low, high]| low == high)),
        _ => sign(middle),
    };
    match figure.interval {
        Some([low, high]) if low < high && (low.is_finite() && high.is_finite()) => {
            let known = is_amount(figure.unit) && (high - low) / 2.0 <= KNOWN_TO * middle.abs();
            let (low, high) = (sign(low), sign(high));
            match low == high || known {
                true => format!("{value}{unit}"),
                false => format!("{value}{unit} ({low}..{high})"),
            }
        }
        _ => format!("{value}{unit}"),
    }
}

/// Formats figures that are the parts of a whole, in whole per cents that add up: those that lose most by being rounded
/// down are rounded up (the method of the largest remainder). Where that is a tie, all have a decimal.
pub(super) fn shown_shares(figures: &[&Figure]) -> Vec<String> {
    let values: Vec<f64> = figures.iter().map(|figure| 100.0 * figure.value.unwrap_or(0.0)).collect();
    let is_all = (values.iter().sum::<f64>() - 100.0).abs() < 1e-3;
    if !is_all {
        return figures.iter().map(|figure| shown(figure)).collect();
    }
    let mut whole: Vec<f64> = values.iter().map(|value| value.floor()).collect();
    let left = (100.0 - whole.iter().sum::<f64>()).max(0.0) as usize;
    let lost = |at: usize| values[at] - values[at].floor();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| lost(*b).total_cmp(&lost(*a)));
    let is_tie = left > 0 && left < order.len() && lost(order[left - 1]) - lost(order[left]) < 1e-4;
    order[..left].iter().for_each(|at| whole[*at] += 1.0);
    let told = figures.iter().enumerate().map(|(at, figure)| {
        let text = shown(figure);
        let interval = text.split_once(" %").map_or("", |(_, interval)| interval);
        let value = if is_tie { decimals(values[at], 1) } else { decimals(whole[at], 0) };
        format!("{value} %{interval}")
    });
    told.collect()
}

/// Formats a report for people, for a screen.
pub fn words(report: &Report, look: &Look) -> String {
    let width = look.width;
    let matches: u64 = report.series.iter().map(|series| series.matches).sum();
    let mut text = wrapped(
        &format!(
            "{}: a study of {}, {}, seed {}",
            report.title,
            counted(matches, "match", "matches"),
            report.setting(),
            report.seed
        ),
        ("", ""),
        width,
    );
    text += "\n";
    for remark in &report.verdict {
        text += &wrapped(&remark.text, (if remark.warning { "! " } else { "- " }, "  "), width);
    }
    text += "\nWho played\n";
    for series in &report.series {
        text += &wrapped(
            &format!("{}: {}, {}", series.key, counted(series.matches, "match", "matches"), series.players),
            ("  ", "    "),
            width,
        );
    }
    text += &wrapped(SEARCHES, ("  ", "  "), width);
    text += &all_figures(report, width);
    text += &ladder(report, look);
    text += &distributions(report, look);
    text += &curves(report, look);
    text += &draws(report, width);
    text += &usage(report, width);
    text += &values(report, width);
    text += "\n";
    let brackets = "In brackets: the 95 % confidence interval of each figure, unless it is narrower than half a per cent of \
                    it. `--json` has all figures, `--html FILE` draws all pictures.";
    text += &wrapped(brackets, ("", ""), width);
    text
}

/// Formats the figures by subject, each with what it means where that is not the same as of one before it. Figures
/// without an estimate share a line, and none is told of what never happens.
fn all_figures(report: &Report, width: usize) -> String {
    let mut text = String::new();
    let mut explained = BTreeSet::new();
    for (subject, figures) in subjects(report) {
        let figures: Vec<&Figure> =
            figures.into_iter().filter(|figure| says_something(report, figure)).collect();
        if !figures.is_empty() {
            text += &format!("\n{subject}\n");
        }
        let mut missing: Vec<(&str, Vec<&str>)> = Vec::new();
        for figure in figures {
            if let Some(why) = figure.missing.as_deref() {
                match missing.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, titles)) => titles.push(figure.title.as_str()),
                    None => missing.push((why, vec![figure.title.as_str()])),
                }
                continue;
            }
            text += &wrapped(&format!("{}: {}", figure.title, told(figure)), ("  ", "    "), width);
            // What is said of one seat holds for the others.
            let of_any = report
                .seats
                .iter()
                .fold(figure.meaning.clone(), |text, seat| text.replace(seat.as_str(), "…"));
            if explained.insert(of_any) {
                text += &wrapped(&figure.meaning, ("    ", "    "), width);
            }
        }
        for (why, titles) in missing {
            text += &wrapped(&format!("not available: {}: {why}", titles.join(", ")), ("  ", "    "), width);
        }
    }
    text
}

/// Whether a figure is worth a line, rather than that it follows from others, or goes without saying.
fn says_something(report: &Report, figure: &Figure) -> bool {
    let unfinished = report.series.iter().any(|series| series.key == figure.series && series.unfinished > 0);
    let length = report.figure("length.choices");
    let as_long =
        length.is_some_and(|length| (length.value, length.interval) == (figure.value, figure.interval));
    match figure.key.as_str() {
        "length.unfinished" => unfinished,
        // All matches have the same length, or each choice is a turn.
        "length.short" | "length.long" => figure.missing.is_some() || figure.interval.is_some(),
        "length.turns" => figure.missing.is_some() || !as_long,
        // Nothing is drawn.
        "chance.share" | "chance.total" => figure.value != Some(0.0) || figure.matches > 0,
        // There is only one kind of move.
        "without" => figure.missing.is_none(),
        _ => true,
    }
}

/// Returns the figures of a report by subject, without empty subjects.
pub(super) fn subjects(report: &Report) -> Vec<(&'static str, Vec<&Figure>)> {
    let of = |keys: &[&str]| {
        let is_one = |figure: &&Figure| keys.iter().any(|key| figure.key.starts_with(key));
        report.figures.iter().filter(is_one).collect::<Vec<_>>()
    };
    let all = SUBJECTS.iter().map(|(subject, keys)| (*subject, of(keys)));
    all.filter(|(_, figures)| !figures.is_empty()).collect()
}

/// Formats a figure that may have an estimate.
fn told(figure: &Figure) -> String {
    match figure.value {
        Some(_) => format!("{}{}", shown(figure), in_all(figure)),
        None => "-".to_string(),
    }
}

/// Returns what to add to a value without an interval: that all matches had it.
pub(super) fn in_all(figure: &Figure) -> String {
    match (figure.value, figure.interval) {
        (Some(_), None) => format!(" in each of {}", counted(figure.matches, "match", "matches")),
        _ => String::new(),
    }
}

fn ladder(report: &Report, look: &Look) -> String {
    if report.ladder.is_empty() {
        return String::new();
    }
    let mut rows = vec![cells(["", "Elo", "95 % CI", "vs. the player above", "95 % CI"])];
    for rung in &report.ladder {
        let [low, high] = rung.interval;
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let between = |[low, high]: [f64; 2]| format!("{:.0}..{:.0}", 100.0 * low, 100.0 * high);
        rows.push(cells([
            &rung.bot,
            &signed(rung.elo),
            &range(low, high),
            &rung.share.map_or_else(String::new, percent),
            &rung.share_interval.map_or_else(String::new, between),
        ]));
    }
    let lines = table(&rows, look.width.saturating_sub(2));
    let picture = drawn(&terminal::ladder(&report.ladder, &narrower(look)), look);
    format!("\nPlayers by strength\n{}\n{picture}", indented(&lines))
}

fn distributions(report: &Report, look: &Look) -> String {
    let mut text = String::new();
    for distribution in &report.distributions {
        // The figure says already that all are the same.
        if distribution.unit.is_some() && distribution.bins.len() < 2 {
            continue;
        }
        text += &heading(&distribution.title, &distribution.series, &distribution.meaning, look);
        if distribution.unit.is_some() {
            text += &drawn(&terminal::distribution(distribution, &narrower(look)), look);
            continue;
        }
        let whole = distribution.matches.max(1) as f64;
        for bin in distribution.bins.iter().take(ENDS) {
            let share = format!("{:3.0} %", 100.0 * bin.count as f64 / whole);
            text += &wrapped(&bin.label, (&format!("  {share}  "), "         "), look.width);
        }
    }
    text
}

fn curves(report: &Report, look: &Look) -> String {
    let one = |curve: &Curve| {
        let head = heading(&curve.title, &curve.series, &curve.meaning, look);
        head + &drawn(&terminal::curve(curve, &narrower(look)), look)
    };
    let all = report.curves.iter().enumerate();
    // What never changes, or is the same in other matches, needs no other picture.
    let told = all.filter(|(at, curve)| {
        let same = |other: &Curve| values_of(other) == values_of(curve) && other.unit == curve.unit;
        !is_flat(curve) && !report.curves[..*at].iter().any(same)
    });
    told.map(|(_, curve)| one(curve)).collect()
}

/// Returns the values of a curve, as they can be told apart in a picture.
fn values_of(curve: &Curve) -> Vec<String> {
    let points = curve.lines.iter().flat_map(|line| &line.points);
    points.map(|point| number(curve.unit, point.value)).collect()
}

/// Whether the only line of a curve stays where it begins.
fn is_flat(curve: &Curve) -> bool {
    let values = values_of(curve);
    curve.lines.len() == 1 && values.windows(2).all(|pair| pair[0] == pair[1])
}

/// Returns the heading of a picture.
fn heading(title: &str, series: &str, meaning: &str, look: &Look) -> String {
    let title = wrapped(&format!("{} ({series})", capital(title)), ("", ""), look.width);
    format!("\n{title}{}", wrapped(meaning, ("  ", "  "), look.width))
}

/// Returns a look for indented text.
fn narrower(look: &Look) -> Look {
    Look { width: look.width.saturating_sub(2), ..*look }
}

/// Indents the lines of a picture; if it is in words, wraps them.
fn drawn(lines: &[String], look: &Look) -> String {
    let line = |line: &String| match look.plain {
        true => wrapped(line, ("  ", "  "), look.width),
        false => format!("  {line}\n"),
    };
    lines.iter().map(line).collect()
}

/// Formats what the outcomes of each draw bring, a line for each draw.
fn draws(report: &Report, width: usize) -> String {
    let told: Vec<&DrawUse> = report.draws.iter().filter(|draw| !draw.outcomes.is_empty()).collect();
    if told.is_empty() {
        return String::new();
    }
    let mut text = "\nWhat each draw brings\n".to_string();
    text += &wrapped(BRINGS, ("  ", "  "), width);
    for draw in told {
        let one = |outcome: &DrawOutcomeUse| {
            format!("{} ({}): {}", outcome.value, likely(outcome), brought(draw.unit, outcome))
        };
        let all: Vec<String> = draw.outcomes.iter().map(one).collect();
        let head = format!("{}, {} per match, for {}", draw.name, number(Unit::Times, draw.mean), draw.whose);
        text += &wrapped(&format!("{head}: {}", all.join("; ")), ("  ", "    "), width);
    }
    text
}

/// What is listed for the outcomes of a draw.
pub(super) const BRINGS: &str = "for each outcome, how likely it is, and how much better than on average the player \
    stands after it";

/// Formats how likely an outcome is.
pub(super) fn likely(outcome: &DrawOutcomeUse) -> String {
    match outcome.likely.map(|likely| number(Unit::Share, likely)) {
        None => "not searched".to_string(),
        Some(share) if share == "0" => "less than 1 %".to_string(),
        Some(share) => format!("{share} %"),
    }
}

/// Formats what an outcome brings, with its interval.
pub(super) fn brought(unit: Unit, outcome: &DrawOutcomeUse) -> String {
    let Some(gain) = outcome.gain else { return "too few so far".to_string() };
    let sign = |value: f64| {
        let text = number(unit, value);
        if value > 0.0 && text.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) {
            format!("+{text}")
        } else {
            text
        }
    };
    let share = if unit == Unit::Share { " %" } else { "" };
    match outcome.interval {
        Some([low, high]) if sign(low) != sign(high) => {
            format!("{}{share} ({}..{})", sign(gain), sign(low), sign(high))
        }
        _ => format!("{}{share}", sign(gain)),
    }
}

fn usage(report: &Report, width: usize) -> String {
    if report.usage.is_empty() {
        return String::new();
    }
    let mut text = "\nHow often each rule is used per match\n".to_string();
    let several: BTreeMap<&str, ()> = report.usage.iter().map(|usage| (usage.file.as_str(), ())).collect();
    for usage in &report.usage {
        // The source text of other kinds begins with its own keyword.
        let what = match usage.kind.as_str() {
            "need" => "refused by ",
            "preference" => "left out by ",
            "move" => "move ",
            "until" => "until ",
            "tie-break" => "tie left for ",
            "filter" => "passed `where` ",
            "branch" => "held: if ",
            _ => "",
        };
        let file = if several.len() > 1 { format!("{} ", usage.file) } else { String::new() };
        let line = format!("{what}{} ({file}line {})", usage.label, usage.line);
        let mean = format!("{:>8}", number(Unit::Times, usage.mean));
        text += &wrapped(&line, (&format!("{mean}  "), "          "), width);
    }
    text
}

/// Formats how often each value of a parameter is chosen where it is possible, a line for each parameter.
fn values(report: &Report, width: usize) -> String {
    if report.values.is_empty() {
        return String::new();
    }
    let mut text = "\nHow often each value is chosen\n".to_string();
    text += &wrapped("of the choices at which it is possible", ("  ", "  "), width);
    for used in &report.values {
        let one = |value: &ValueUse| format!("{}: {}", value.value, chosen(value));
        let all: Vec<String> = used.values.iter().map(one).collect();
        text += &wrapped(
            &format!("{}, {}: {}", used.name, used.parameter, all.join("; ")),
            ("  ", "    "),
            width,
        );
    }
    text
}

/// Formats how often a value is chosen where it is possible.
pub(super) fn chosen(value: &ValueUse) -> String {
    match value.chosen {
        0 => "never".to_string(),
        chosen => {
            let share = number(Unit::Share, chosen as f64 / value.possible.max(1) as f64);
            if share == "0" { "less than 1 %".to_string() } else { format!("{share} %") }
        }
    }
}

/// Formats a sweep for people: a row for each setting, and below the table the possible problems of each.
pub fn sweep_words(title: &str, sweep: &Sweep, look: &Look) -> String {
    let width = look.width;
    let figure = |row: &Row, key: &str, whole: bool| {
        let figure = row.report.as_ref().and_then(|report| report.figure(key));
        let cell = figure.map_or_else(String::new, |figure| shown(figure).replace(" %", ""));
        match cell.split_once(' ').filter(|_| !whole) {
            Some((value, _)) => value.to_string(),
            None => cell,
        }
    };
    let used = columns(sweep);
    let rows = |whole: bool| {
        let heads = used.iter().map(|column| column.heading.to_string());
        let heads = std::iter::once(String::new()).chain(heads);
        let cells = |row: &Row| {
            let cells = used.iter().map(|column| figure(row, column.key, whole));
            std::iter::once(setting_words(sweep, row)).chain(cells).collect()
        };
        let studied = sweep.rows.iter().filter(|row| row.report.is_some());
        std::iter::once(heads.collect()).chain(studied.map(cells)).collect::<Vec<Vec<String>>>()
    };
    // The pictures below have the intervals, too.
    let whole = fits(&rows(true), width);
    let rows = rows(whole);
    let settings = counted(sweep.rows.len() as u64, "setting", "settings");
    let table = match used.is_empty() {
        true => "no figure is known yet\n".to_string(),
        false => table(&rows, width),
    };
    let mut text = format!("{title}: a study of {settings}\n\n{table}");
    let mut notes = String::new();
    for (settings, text) in refusals(sweep).into_iter().chain(warnings(sweep)) {
        notes += &wrapped(&format!("{settings}: {text}"), ("! ", "  "), width);
    }
    if !notes.is_empty() {
        text += &format!("\n{notes}");
    }
    let differences = difference_words(sweep);
    if !differences.is_empty() {
        text += "\nDifferences between settings\n";
        text += &differences.iter().map(|line| wrapped(line, ("  ", "    "), width)).collect::<String>();
    }
    for Column { key, .. } in &used {
        let title = sweep.rows.iter().find_map(|row| Some(row.report.as_ref()?.figure(key)?.title.as_str()));
        text += &format!("\n{}\n", capital(title.unwrap_or(key)));
        text += &drawn(&terminal::sweep(sweep, key, &narrower(look)), look);
    }
    if used.is_empty() {
        return text;
    }
    let meanings: Vec<&str> = used.iter().map(|column| column.meaning).collect();
    let legend = format!("The columns: {}. In brackets: 95 % confidence intervals.", meanings.join("; "));
    text + "\n" + &wrapped(&legend, ("", ""), width)
}

/// Returns the columns of a sweep for which some setting has a figure.
pub(super) fn columns(sweep: &Sweep) -> Vec<Column> {
    let reports = sweep.rows.iter().filter_map(|row| row.report.as_ref());
    let all = if reports.clone().all(|report| report.is_one_side) { COLUMNS_ALONE } else { COLUMNS };
    let is_known = |column: &&Column| reports.clone().any(|report| report.value(column.key).is_some());
    let in_teams = reports.clone().flat_map(|report| &report.sides).any(|side| side.seats.len() > 1);
    let of_sides = |column: &Column| match column.key {
        "seat.1.share" if in_teams => SIDE_COLUMN,
        _ => *column,
    };
    all.iter().filter(is_known).map(of_sides).collect()
}

/// Returns why settings of a sweep were not studied, each reason once with its settings.
fn refusals(sweep: &Sweep) -> Vec<(String, &str)> {
    let mut reasons: Vec<(&str, Vec<usize>)> = Vec::new();
    for (at, row) in sweep.rows.iter().enumerate() {
        let Some(why) = &row.refused else { continue };
        match reasons.iter_mut().find(|(known, _)| *known == why.as_str()) {
            Some((_, rows)) => rows.push(at),
            None => reasons.push((why, vec![at])),
        }
    }
    reasons.into_iter().map(|(why, rows)| (settings_words(sweep, &rows), why)).collect()
}

/// Returns the warnings about the settings of a sweep, each with its settings. The same claim about several is made once,
/// without its figures.
pub(super) fn warnings(sweep: &Sweep) -> Vec<(String, &str)> {
    let mut claims: Vec<(&Remark, Vec<usize>)> = Vec::new();
    for (at, row) in sweep.rows.iter().enumerate() {
        let warnings = row.report.iter().flat_map(|report| &report.verdict).filter(|remark| remark.warning);
        for warning in warnings {
            match claims.iter_mut().find(|(known, _)| known.claim == warning.claim) {
                Some((_, rows)) => rows.push(at),
                None => claims.push((warning, vec![at])),
            }
        }
    }
    let told = claims.into_iter().map(|(warning, rows)| {
        let text = if rows.len() > 1 { &warning.claim } else { &warning.text };
        (settings_words(sweep, &rows), text.as_str())
    });
    told.collect()
}

/// Names the settings of these rows of a sweep. Of settings that differ only in what is varied last, whole numbers that
/// follow each other become ranges: `n=1, 3..6, 8`.
fn settings_words(sweep: &Sweep, rows: &[usize]) -> String {
    let Some((last, leading)) = sweep.varied.split_last() else { return String::new() };
    let mut groups: Vec<(&[String], Vec<&str>)> = Vec::new();
    for row in rows {
        let Some((value, before)) = sweep.rows[*row].values.split_last() else { continue };
        match groups.last_mut().filter(|(known, _)| *known == before) {
            Some((_, values)) => values.push(value),
            None => groups.push((before, vec![value])),
        }
    }
    let group = |(before, values): &(&[String], Vec<&str>)| {
        let before = leading.iter().zip(*before).map(|(name, value)| format!("{name}={value} "));
        format!("{}{last}={}", before.collect::<String>(), ranges(values))
    };
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}

/// Lists values; whole numbers that follow each other become ranges.
fn ranges(values: &[&str]) -> String {
    let mut runs: Vec<[&str; 2]> = Vec::new();
    for value in values {
        let follows = |last: &str| {
            let numbers = last.parse::<i64>().ok().zip(value.parse::<i64>().ok());
            numbers.is_some_and(|(last, next)| last.checked_add(1) == Some(next))
        };
        match runs.last_mut().filter(|run| follows(run[1])) {
            Some(run) => run[1] = value,
            None => runs.push([value; 2]),
        }
    }
    let run = |[first, last]: &[&str; 2]| match first == last {
        true => first.to_string(),
        false => format!("{first}..{last}"),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

fn cells<const N: usize>(row: [&str; N]) -> Vec<String> {
    row.map(str::to_string).to_vec()
}

fn indented(lines: &str) -> String {
    lines.lines().map(|line| format!("  {line}\n")).collect()
}

/// Begins a text with a capital letter.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(value: f64) -> Figure {
        Figure {
            key: String::new(),
            title: String::new(),
            meaning: String::new(),
            unit: Unit::Share,
            value: Some(value),
            interval: Some([0.25, 0.75]),
            series: String::new(),
            matches: 100,
            missing: None,
        }
    }

    fn told<const N: usize>(shares: [f64; N]) -> [String; N] {
        let figures = shares.map(share);
        let told = shown_shares(&figures.iter().collect::<Vec<_>>());
        told.try_into().unwrap()
    }

    #[test]
    fn the_parts_of_a_whole_add_up() {
        assert_eq!(told([0.346, 0.285, 0.369]), ["35 % (25..75)", "28 % (25..75)", "37 % (25..75)"]);
        assert_eq!(told([0.545, 0.455]), ["54.5 % (25..75)", "45.5 % (25..75)"]);
        assert_eq!(told([0.6, 0.4]), ["60 % (25..75)", "40 % (25..75)"]);
        // These are not all the parts.
        assert_eq!(told([0.346, 0.286]), ["35 % (25..75)", "29 % (25..75)"]);
    }
}

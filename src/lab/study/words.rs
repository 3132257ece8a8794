//! A study as text for people: the verdict, then the figures with their explanations.

use crate::explore::{counted, decimals};
use std::collections::BTreeMap;

use super::super::picture::{setting_words, terminal};
use super::super::standings::{fits, range, table, wrapped};
use super::report::{Curve, Figure, Remark, Report, Row, Sweep, Unit};
use crate::play::Look;

/// How many bins with names are listed.
const ENDS: usize = 8;

/// The subjects of figures, with the prefixes of their keys.
const SUBJECTS: &[(&str, &[&str])] = &[
    ("Length", &["length.", "random.length"]),
    ("Choices", &["width.", "random.width", "repeats.", "weight."]),
    ("Seats", &["seat.", "draws.", "best."]),
    ("Course of play", &["lead.", "favourite.", "decided."]),
    ("Skill and chance", &["skill.", "chance."]),
    ("Forbidden moves", &["without"]),
    ("Seats in random play", &["random.seat.", "random.draws."]),
];

/// The columns of a sweep: their headings, and the keys of their figures.
const COLUMNS: &[(&str, &str)] = &[
    ("choices", "length.choices"),
    ("moves", "width.mean"),
    ("seat 1 %", "seat.1.share"),
    ("drawn %", "draws.share"),
    ("Elo", "skill.doubling"),
    ("chance %", "chance.share"),
];

/// Formats a number in its unit, without the unit's name.
fn number(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Share => decimals(100.0 * value, 0),
        Unit::Elo => decimals(value, 0),
        _ if value.abs() >= 100.0 => decimals(value, 0),
        _ if value.abs() >= 10.0 => decimals(value, 1),
        _ => decimals(value, 2),
    }
}

/// Formats a figure with its interval: `56 % (53..59)`.
pub(super) fn shown(figure: &Figure) -> String {
    let Some(value) = figure.value else { return "-".to_string() };
    // If the value and its interval are whole numbers, as for a median, show them as such.
    let whole = |value: f64| value.fract() == 0.0;
    let whole = whole(value) && figure.interval.is_none_or(|ends| ends.into_iter().all(whole));
    let sign = |value: f64| match whole && figure.unit != Unit::Share {
        true => decimals(value, 0),
        false => number(figure.unit, value),
    };
    let unit = if figure.unit == Unit::Share { " %" } else { "" };
    match figure.interval {
        Some([low, high]) if low < high && (low.is_finite() && high.is_finite()) => {
            let (low, high) = (sign(low), sign(high));
            match low == high {
                true => format!("{}{unit}", sign(value)),
                false => format!("{}{unit} ({low}..{high})", sign(value)),
            }
        }
        _ => format!("{}{unit}", sign(value)),
    }
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
    for (subject, figures) in subjects(report) {
        text += &format!("\n{subject}\n");
        for figure in figures {
            text += &wrapped(&format!("{}: {}", figure.title, told(figure)), ("  ", "    "), width);
            text += &wrapped(&figure.meaning, ("    ", "    "), width);
        }
    }
    text += &ladder(report, look);
    text += &distributions(report, look);
    text += &curves(report, look);
    text += &usage(report, width);
    text += "\n";
    text += &wrapped("In brackets: the 95 % confidence interval of each figure.", ("", ""), width);
    text
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

/// Formats a figure, or the reason why it has no estimate.
fn told(figure: &Figure) -> String {
    match (&figure.missing, figure.value) {
        (Some(why), _) => format!("not available: {why}"),
        (None, Some(_)) => format!("{}{}", shown(figure), in_all(figure)),
        (None, None) => "-".to_string(),
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
            &format!("{:+.0}", rung.elo.round() + 0.0),
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
    report.curves.iter().map(one).collect()
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
            "stuck" => "stuck in ",
            "tie-break" => "tie left for ",
            _ => "",
        };
        let file = if several.len() > 1 { format!("{} ", usage.file) } else { String::new() };
        let line = format!("{what}{} ({file}line {})", usage.label, usage.line);
        let mean = format!("{:>8}", number(Unit::Times, usage.mean));
        text += &wrapped(&line, (&format!("{mean}  "), "          "), width);
    }
    text
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
    let used: Vec<&(&str, &str)> = COLUMNS
        .iter()
        .filter(|(_, key)| {
            let has = |row: &Row| row.report.as_ref().is_some_and(|report| report.value(key).is_some());
            sweep.rows.iter().any(has)
        })
        .collect();
    let rows = |whole: bool| {
        let heads = std::iter::once(String::new()).chain(used.iter().map(|(name, _)| name.to_string()));
        let cells = |row: &Row| {
            let cells = used.iter().map(|(_, key)| figure(row, key, whole));
            std::iter::once(setting_words(sweep, row)).chain(cells).collect()
        };
        std::iter::once(heads.collect()).chain(sweep.rows.iter().map(cells)).collect::<Vec<Vec<String>>>()
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
    for row in &sweep.rows {
        if let Some(why) = &row.refused {
            notes += &wrapped(&format!("{}: {why}", setting_words(sweep, row)), ("! ", "  "), width);
        }
    }
    for (settings, text) in warnings(sweep) {
        notes += &wrapped(&format!("{settings}: {text}"), ("! ", "  "), width);
    }
    if !notes.is_empty() {
        text += &format!("\n{notes}");
    }
    for (_, key) in &used {
        let title = sweep.rows.iter().find_map(|row| Some(row.report.as_ref()?.figure(key)?.title.as_str()));
        text += &format!("\n{}\n", capital(title.unwrap_or(key)));
        text += &drawn(&terminal::sweep(sweep, key, &narrower(look)), look);
    }
    if used.is_empty() {
        return text;
    }
    text += "\n";
    text += &wrapped(
        "The columns: choices in a match; legal moves; the first seat's share of the win; matches without a sole winner; what \
         thinking twice as long is worth; how much chance explains. In brackets: 95 % confidence intervals.",
        ("", ""),
        width,
    );
    text
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

/// Names the settings of these rows of a sweep. If only one thing is varied, whole numbers that follow each other
/// become ranges: `n=1, 3..6, 8`.
fn settings_words(sweep: &Sweep, rows: &[usize]) -> String {
    let [varied] = sweep.varied.as_slice() else {
        let each: Vec<String> = rows.iter().map(|row| setting_words(sweep, &sweep.rows[*row])).collect();
        return each.join("; ");
    };
    let value = |row: usize| sweep.rows[row].values.first().map_or("", String::as_str);
    let mut runs: Vec<[&str; 2]> = Vec::new();
    for value in rows.iter().map(|row| value(*row)) {
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
    format!("{varied}={}", runs.iter().map(run).collect::<Vec<_>>().join(", "))
}

fn cells<const N: usize>(row: [&str; N]) -> Vec<String> {
    row.map(str::to_string).to_vec()
}

fn indented(lines: &str) -> String {
    lines.lines().map(|line| format!("  {line}\n")).collect()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

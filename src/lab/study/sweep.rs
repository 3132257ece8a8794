//! Which figures of a sweep differ between settings by more than chance.

use serde::Serialize;

use super::super::compare::{Compared, compare_pairs, studied};
use super::super::picture::setting_words;
use super::report::{Figure, Report, Sweep};
use super::words::{columns, shown};
use crate::explore::counted;

/// A figure of two settings of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The rows of the settings, from 0.
    pub rows: [usize; 2],
    /// The figure in both. What is said of it is corrected for the number of all comparisons in the sweep.
    #[serde(flatten)]
    pub figure: Compared,
}

/// Compares the figures in the columns of a sweep's table, each two settings with each other; significant differences come
/// first. The correction for the number of comparisons keeps the probability of any false report at 1 in 20, over the
/// whole sweep.
pub fn differences(sweep: &Sweep) -> Vec<Difference> {
    let keys: Vec<&str> = columns(sweep).into_iter().map(|column| column.key).collect();
    let studied: Vec<Vec<_>> = sweep
        .rows
        .iter()
        .map(|row| row.report.as_ref().map(studied).unwrap_or_default())
        .map(|all| all.into_iter().filter(|figure| keys.contains(&figure.key.as_str())).collect())
        .collect();
    let rows = (0..studied.len()).flat_map(|one| (one + 1..studied.len()).map(move |other| [one, other]));
    let studied = &studied;
    let pairs = rows.flat_map(|[one, other]| {
        let both = studied[one].iter().filter_map(move |figure| {
            Some((figure, studied[other].iter().find(|found| found.key == figure.key)?))
        });
        both.map(move |pair| ([one, other], pair))
    });
    compare_pairs(pairs).into_iter().map(|(rows, figure)| Difference { rows, figure }).collect()
}

/// Says for each column whether settings differ in it, and how many comparisons that rests on.
pub(super) fn difference_words(sweep: &Sweep) -> Vec<String> {
    let all = differences(sweep);
    if all.is_empty() {
        return Vec::new();
    }
    let report = |row: usize| sweep.rows[row].report.as_ref();
    let figure = |row: usize, key: &str| report(row).and_then(|report: &Report| report.figure(key));
    let shown = |row: usize, key: &str| {
        let value = figure(row, key).map_or_else(String::new, |found: &Figure| shown(found));
        format!("{value} with {}", setting_words(sweep, &sweep.rows[row]))
    };
    let mut lines = Vec::new();
    for column in columns(sweep) {
        let own: Vec<&Difference> = all.iter().filter(|one| one.figure.key == column.key).collect();
        let differ: Vec<&&Difference> = own.iter().filter(|one| one.figure.differs).collect();
        let most =
            differ.iter().max_by(|a, b| a.figure.difference.abs().total_cmp(&b.figure.difference.abs()));
        let pairs = counted(own.len() as u64, "pair", "pairs");
        lines.push(match most {
            _ if own.is_empty() => continue,
            Some(most) => {
                let [one, other] = most.rows;
                format!(
                    "{}: {} of {pairs} of settings differ beyond chance, most of all {} and {}",
                    column.heading,
                    differ.len(),
                    shown(one, column.key),
                    shown(other, column.key)
                )
            }
            None => format!("{}: no two settings differ beyond chance ({pairs})", column.heading),
        });
    }
    lines.push(format!(
        "These are {}. The evidence asked of each is so strong that in nineteen sweeps of twenty none of them is called a \
         difference by accident.",
        counted(all.len() as u64, "comparison", "comparisons")
    ));
    lines
}

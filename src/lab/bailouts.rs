//! Reports what the reference evaluator had to play for the compiled engine, to people and programs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use crate::engine::{Bailouts, Reason};
use crate::play::Rules;
use crate::source::Span;

/// Formats reasons with their places, each once: a rule occurs in the code once for each use.
pub fn all_reasons(rules: &Rules, reasons: &[Reason]) -> Vec<String> {
    let mut met = BTreeSet::new();
    let all = reasons.iter().map(|reason| reason_words(rules, reason));
    all.filter(|words| met.insert(words.clone())).collect()
}

/// Formats a reason with its place: `procession.game line 21: a number beyond 64 bits`.
fn reason_words(rules: &Rules, reason: &Reason) -> String {
    if reason.span == Span::default() {
        return reason.text.clone();
    }
    format!("{}: {}", place_words(rules, reason.span), reason.text)
}

/// Formats the place of a span: `procession.game line 21`.
pub(super) fn place_words(rules: &Rules, span: Span) -> String {
    let (file, _) = rules.source.file_at(span.start);
    let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
    format!("{file} line {}", rules.source.position(span.start).line)
}

/// Returns reasons as text with their counts, merged if their text is the same, most frequent first.
pub fn reasons_with_counts(rules: &Rules, reasons: &BTreeMap<Reason, u64>) -> Vec<(String, u64)> {
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    for (reason, times) in reasons {
        *all.entry(reason_words(rules, reason)).or_insert(0) += times;
    }
    let mut all: Vec<(String, u64)> = all.into_iter().collect();
    all.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    all
}

fn share(bailouts: &Bailouts, choices: u64) -> f64 {
    bailouts.choices as f64 / choices.max(1) as f64
}

/// Returns the JSON that `parlour bench --json` prints: the share of `choices` that the reference played, and
/// how often it stepped in for each reason.
pub fn bailouts_json(rules: &Rules, bailouts: &Bailouts, choices: u64) -> Json {
    let reasons: serde_json::Map<String, Json> = reasons_with_counts(rules, &bailouts.reasons)
        .into_iter()
        .map(|(words, times)| (words, json!(times)))
        .collect();
    json!({ "share": share(bailouts, choices), "reasons": reasons })
}

/// Returns a sentence for people; `None` if compiled code played everything.
pub fn bailouts_words(rules: &Rules, bailouts: &Bailouts, choices: u64) -> Option<String> {
    const FEW: usize = 3;
    if bailouts.choices == 0 && bailouts.reasons.is_empty() {
        return None;
    }
    let mut all: Vec<String> =
        reasons_with_counts(rules, &bailouts.reasons).into_iter().map(|(words, _)| words).collect();
    if all.len() > FEW {
        let more = all.len() - FEW;
        all.truncate(FEW);
        all.push(format!("and {more} more"));
    }
    let percent = 100.0 * share(bailouts, choices);
    let percent = if percent < 1.0 { "less than 1".to_string() } else { format!("{percent:.0}") };
    Some(format!("the reference engine played {percent} % of the choices: {}", all.join("; ")))
}

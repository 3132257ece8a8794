//! What to report to the user: findings that are not marked as intended by `// means it`, and marks that are
//! beside nothing.

use super::{Finding, Report, leak};
use crate::check::check;
use crate::check::intent::{Intent, intents};
use crate::diag::{Code, Diagnostic, Label};
use crate::play::Rules;
use crate::source::Span;

/// What to report to the user.
#[derive(Debug, Clone, Default)]
pub struct FilteredReport {
    /// The findings that are not marked as intended.
    pub findings: Vec<Finding>,
    /// The number of findings that are.
    pub meant: usize,
    /// A diagnostic for each `// means it` in the file to which no finding and no warning belongs.
    pub idle: Vec<Diagnostic>,
}

/// Returns a predicate: whether the rule file marks a diagnostic as intended.
pub(super) fn are_meant(rules: &Rules) -> impl Fn(&Diagnostic) -> bool {
    let intents = intents(&rules.source);
    move |found| intents.iter().any(|intent| intent.covers(found))
}

/// Removes from a report the findings that the rule file marks as intended. `everywhere`: every check was
/// run, so that a mark to which nothing belongs is obsolete.
pub fn without_intended(rules: &Rules, report: &Report, everywhere: bool) -> FilteredReport {
    let source = &rules.source;
    let (intents, is_meant) = (intents(source), are_meant(rules));
    let (meant, findings): (Vec<Finding>, Vec<Finding>) =
        report.findings.iter().cloned().partition(|finding| is_meant(&finding.diagnostic));
    let findings = one_of_each(findings);
    let mut told = FilteredReport { findings, meant: meant.len(), idle: Vec::new() };
    if everywhere && !report.broken_off && !intents.is_empty() {
        let mut found = check(source).meant;
        found.extend(meant.into_iter().map(|finding| finding.diagnostic));
        // Marks in the base game of a variant are the base game's concern.
        let own = source.files().next().map_or(0, |(_, file)| file.end);
        let idle = intents.iter().filter(|intent| intent.span.end <= own);
        let idle = idle.filter(|intent| !found.iter().any(|found| intent.covers(found)));
        // Many runs miss what is merely rare: require a proof, or that the marked thing was seen to happen.
        let secrets = leak::possible(&rules.game);
        let complete = report.tried.iter().all(|tried| tried.complete);
        let proved = !report.unchecked && report.all_settings && complete;
        let met = |intent: &&Intent| {
            let mut beside = report.observed.iter().filter(|(place, _)| intent.is_about(*place)).peekable();
            beside.peek().is_some() && beside.all(|(_, met)| *met)
        };
        let idle = idle.filter(|intent| !secrets && (proved || met(intent)));
        told.idle = idle.map(|intent| not_found_again(intent.span)).collect();
    }
    told
}

/// Merges findings with the same root: keeps the one with the shortest match, and adds the places of the
/// others to it.
fn one_of_each(findings: Vec<Finding>) -> Vec<Finding> {
    let mut told: Vec<Finding> = Vec::new();
    let length = |finding: &Finding| finding.trace.as_ref().map_or(0, |trace| trace.steps.len());
    for mut finding in findings {
        let one = |known: &Finding| {
            let reason = |finding: &Finding| (finding.sort, finding.cause, finding.root);
            finding.root.is_some() && reason(known) == reason(&finding)
        };
        let Some(known) = told.iter_mut().find(|known| one(known)) else {
            told.push(finding);
            continue;
        };
        if length(&finding) < length(known) {
            std::mem::swap(known, &mut finding);
        }
        // Of a finding that is merged into another, only the places are new.
        let own = finding.diagnostic.span();
        let places = finding.diagnostic.labels.iter();
        let told_of = places.filter(|label| label.span == own || label.text.starts_with(AS_WELL));
        for Label { span, text } in told_of {
            let text = match text.strip_prefix(AS_WELL) {
                Some(_) => text.clone(),
                None => format!("{AS_WELL}{text}"),
            };
            known.diagnostic.labels.push(Label { span: *span, text });
        }
    }
    told.sort_by_key(Finding::key);
    told
}

/// The prefix of the label at the place of a merged finding.
const AS_WELL: &str = "here too: ";

fn not_found_again(span: Span) -> Diagnostic {
    Diagnostic::new(Code::NotFoundAgain, span, "nothing was found on this line", "marked as meant")
        .help("remove it, or put it at the end of the line that it is about")
}

//! What of a report is to be told: not what the file says is meant, but where it says so beside nothing.

use super::{Finding, Report};
use crate::check::check;
use crate::check::intent::intents;
use crate::diag::{Code, Diagnostic};
use crate::play::Rules;
use crate::source::Span;

/// What is to be told of a report.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// The findings that are not meant.
    pub findings: Vec<Finding>,
    /// How many are meant.
    pub meant: usize,
    /// A report for each `// means it` of the file beside which nothing was found, with or without play.
    pub idle: Vec<Diagnostic>,
}

/// Says whether a rule file says of a finding that it is meant.
pub(super) fn are_meant(rules: &Rules) -> impl Fn(&Diagnostic) -> bool {
    let intents = intents(&rules.source);
    move |found| intents.iter().any(|intent| intent.covers(found))
}

/// Takes what the rule file says is meant out of a report. `everywhere`: play has looked wherever it looks, so what was not
/// found is not there any more.
pub fn told(rules: &Rules, report: &Report, everywhere: bool) -> Told {
    let source = &rules.source;
    let (intents, is_meant) = (intents(source), are_meant(rules));
    let (meant, findings): (Vec<Finding>, Vec<Finding>) =
        report.findings.iter().cloned().partition(|finding| is_meant(&finding.diagnostic));
    let mut told = Told { findings, meant: meant.len(), idle: Vec::new() };
    if everywhere && !report.unchecked && !intents.is_empty() {
        let mut found = check(source).meant;
        found.extend(meant.into_iter().map(|finding| finding.diagnostic));
        // What stands in a game that this one varies is a matter of that game.
        let own = source.files().next().map_or(0, |(_, file)| file.end);
        let idle = intents.iter().filter(|intent| intent.span.end <= own);
        let idle = idle.filter(|intent| !found.iter().any(|found| intent.covers(found)));
        told.idle = idle.map(|intent| not_found_again(intent.span)).collect();
    }
    told
}

fn not_found_again(span: Span) -> Diagnostic {
    Diagnostic::new(Code::NotFoundAgain, span, "this is beside nothing that was found", "meant")
        .help("drop it; or, where it is about another line, put it at the end of that line")
}

//! Findings of exploration: a diagnostic at its place in the rule file, and a match that shows it.

use super::Trace;
use crate::diag::{Code, Diagnostic, Label};
use crate::eval::Fault;
use crate::source::Span;

/// The kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// A seat is asked, has no legal move, and no rule says what happens then.
    Stuck,
    /// The rules break: an unset value, or a range, index or limit that is exceeded.
    Fault,
    /// What is not in a list or bag is taken out of it, which changes nothing.
    NotThere,
    /// A player can infer a secret that no `reveal` has opened.
    Leak,
    /// A position recurs, or a match does not end.
    Endless,
    /// A part of the rules that ran in no match.
    NeverHappens,
    /// A seat that won no match.
    NeverWins,
    /// A part of the rules that runs in the worked examples only.
    ExampleOnly,
    /// An option whose value changes nothing.
    IdleOption,
}

impl Sort {
    /// Returns the diagnostic code of its findings.
    pub fn code(self) -> Code {
        match self {
            Sort::Stuck => Code::Stuck,
            Sort::Fault => Code::Fault,
            Sort::NotThere => Code::NotThere,
            Sort::Leak => Code::Leak,
            Sort::Endless => Code::Endless,
            Sort::NeverHappens => Code::NeverHappens,
            Sort::NeverWins => Code::NeverWins,
            Sort::ExampleOnly => Code::ExampleOnly,
            Sort::IdleOption => Code::IdleOption,
        }
    }
}

/// A defect found by play.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Its kind.
    pub sort: Sort,
    /// The code of the cause: a fault's own code, otherwise that of `sort`.
    pub cause: Code,
    /// The message and its place in the rule file.
    pub diagnostic: Diagnostic,
    /// A match that shows it, as short as could be found: the last step, or a question asked of the position
    /// after it, triggers it.
    pub trace: Option<Trace>,
    /// For a leak, the second world: the same match except for one secret, up to where somebody can tell the
    /// two apart.
    pub beside: Option<Trace>,
    /// What it shares with other findings of its sort, if known: the declaration of the secret, or of the
    /// state with the unexpected value.
    pub root: Option<Span>,
    /// Whether matches break off there.
    pub breaks: bool,
    /// How it was found: `in 12 of 4,000 matches`, `searched all 5,478 positions`.
    pub how: String,
    /// Whether it is proved because every position was searched: of its own setting if a match shows it, otherwise of
    /// every setting that the rules allow. If not, it rests on what was tried, and is reported as such.
    pub proved: bool,
}

impl Finding {
    /// A finding that no single match shows.
    pub(super) fn of_many(sort: Sort, diagnostic: Diagnostic, how: String, proved: bool) -> Finding {
        let (cause, breaks) = (sort.code(), false);
        Finding { sort, cause, diagnostic, trace: None, beside: None, root: None, breaks, how, proved }
    }

    /// A fault of the rules, with a match that triggers it.
    pub(super) fn of_fault(fault: &Fault, trace: Trace, how: String, proved: bool) -> Finding {
        let (sort, diagnostic) = (sort_of(fault), diagnosis(fault));
        Finding {
            sort,
            cause: fault.code,
            diagnostic,
            trace: Some(trace),
            beside: None,
            root: None,
            breaks: sort != Sort::NotThere,
            how,
            proved,
        }
    }

    /// Returns the key by which findings are deduplicated: the place, the sort and the cause.
    pub fn key(&self) -> (Span, Sort, Code) {
        (self.diagnostic.span(), self.sort, self.cause)
    }
}

/// Returns the sort of a fault.
pub(super) fn sort_of(fault: &Fault) -> Sort {
    match fault.code {
        Code::Stuck => Sort::Stuck,
        Code::NotThere => Sort::NotThere,
        _ => Sort::Fault,
    }
}

/// Returns the key of the finding that a fault becomes: see [`Finding::key`].
pub(super) fn key_of(fault: &Fault) -> (Span, Sort, Code) {
    (fault.span(), sort_of(fault), fault.code)
}

/// Turns a fault into the diagnostic of a finding: the fault's message and labels under the code of its sort,
/// with the fault's own code appended to the message.
pub(super) fn diagnosis(fault: &Fault) -> Diagnostic {
    let sort = sort_of(fault);
    let mut diagnostic = (**fault).clone();
    diagnostic.code = sort.code();
    if sort == Sort::Fault {
        let page = fault.code.page();
        diagnostic.message = format!("{} ({} {})", fault.message, page.code, page.slug);
    }
    let own = diagnostic.span();
    diagnostic.labels.retain(|Label { span, .. }| *span != Span::default() || *span == own);
    diagnostic
}

/// Formats a number with its noun and thousands separators: `1 match`, `4,000 matches`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}

/// Formats a number with thousands separators: `5,478`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a number with so many decimals; what rounds to zero has no sign.
pub fn decimals(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let zero = text.strip_prefix('-').filter(|rest| rest.chars().all(|c| matches!(c, '0' | '.')));
    zero.map_or(text.clone(), str::to_string)
}

//! What exploration finds: a diagnostic at its place in the rule file, and a match that shows it.

use super::Trace;
use crate::diag::{Code, Diagnostic, Label};
use crate::eval::Fault;
use crate::source::Span;

/// The sorts of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// A seat is asked, has nothing legal, and no rule says what then.
    Stuck,
    /// The rules break: an unset value, a range, an index, a limit.
    Fault,
    /// Somebody can tell what no `reveal` has opened.
    Leak,
    /// A position comes again, or a match does not end.
    Endless,
    /// Something that no match met.
    NeverHappens,
    /// A seat that won no match.
    NeverWins,
    /// Something that holds in the examples and nowhere else.
    ExampleOnly,
    /// An option whose value changes nothing.
    IdleOption,
}

impl Sort {
    /// The code its findings have.
    pub fn code(self) -> Code {
        match self {
            Sort::Stuck => Code::Stuck,
            Sort::Fault => Code::Fault,
            Sort::Leak => Code::Leak,
            Sort::Endless => Code::Endless,
            Sort::NeverHappens => Code::NeverHappens,
            Sort::NeverWins => Code::NeverWins,
            Sort::ExampleOnly => Code::ExampleOnly,
            Sort::IdleOption => Code::IdleOption,
        }
    }
}

/// Something found by play.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Its sort.
    pub sort: Sort,
    /// The code of what is the matter: of a fault its own, else that of the sort.
    pub cause: Code,
    /// What is to be said, and where.
    pub diagnostic: Diagnostic,
    /// A match that shows it, as short as was found: its last step, or what is asked behind it, brings it about.
    pub trace: Option<Trace>,
    /// Of a leak the other world: the same match but for a secret, up to where somebody can tell the two apart.
    pub beside: Option<Trace>,
    /// What it has in common with other findings of its sort, where that can be told: the declaration of the secret, or of the state
    /// that is not what it should be.
    pub root: Option<Span>,
    /// How it was found: `in 12 of 4,000 matches`, `searched all 5,478 positions`.
    pub how: String,
    /// Whether it was proved, as every position was seen. What is not proved is a sample, and is told so.
    pub proved: bool,
}

impl Finding {
    /// What no single match shows.
    pub(super) fn of_many(sort: Sort, diagnostic: Diagnostic, how: String, proved: bool) -> Finding {
        Finding { sort, cause: sort.code(), diagnostic, trace: None, beside: None, root: None, how, proved }
    }

    /// A fault of the rules, and a match that brings it about.
    pub(super) fn of_fault(fault: &Fault, trace: Trace, how: String, proved: bool) -> Finding {
        let (sort, diagnostic) = (sort_of(fault), diagnosis(fault));
        Finding {
            sort,
            cause: fault.code,
            diagnostic,
            trace: Some(trace),
            beside: None,
            root: None,
            how,
            proved,
        }
    }

    /// What makes two findings one: what is the matter, and where.
    pub fn key(&self) -> (Span, Sort, Code) {
        (self.diagnostic.span(), self.sort, self.cause)
    }
}

/// Of which sort a fault of the rules is.
pub(super) fn sort_of(fault: &Fault) -> Sort {
    if fault.code == Code::Stuck { Sort::Stuck } else { Sort::Fault }
}

/// What makes the findings of two faults one: see [`Finding::key`].
pub(super) fn key_of(fault: &Fault) -> (Span, Sort, Code) {
    (fault.span(), sort_of(fault), fault.code)
}

/// A fault of the rules as what is found: its own words and places, and behind the words its own code.
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

/// A number with its noun, thousands set apart: `1 match`, `4,000 matches`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}

/// A number, thousands set apart: `5,478`.
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

//! Reports for calls after a dot, as other languages write them: `used.add(k)`, `row.contains(k)`, `hand.size()`.

use super::grammar::Rule;
use super::habits::Mistake;
use super::phrases::operand_before;
use super::report::end_of_part;
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// Calls with one argument, and how each is written of a collection `{s}` and an argument `{x}`; the first rows are
/// statements, which stand alone in their lines.
const STATEMENTS: &[(&str, &str)] = &[
    ("add", "{s} += {x}"),
    ("append", "{s} += {x}"),
    ("push", "{s} += {x}"),
    ("put", "{s} += {x}"),
    ("insert", "{s} += {x}"),
    ("extend", "{s} ++= {x}"),
    ("addAll", "{s} ++= {x}"),
    ("update", "{s} ++= {x}"),
    ("remove", "{s} -= {x}"),
    ("discard", "{s} -= {x}"),
    ("delete", "{s} -= {x}"),
    ("erase", "{s} -= {x}"),
    ("shuffle", "shuffle {s}"),
    ("win", "win {s}"),
    ("wins", "win {s}"),
    ("sort", "{s} := sorted({s})"),
    ("reverse", "{s} := reversed({s})"),
];

const VALUES: &[(&str, &str)] = &[
    ("contains", "{x} in {s}"),
    ("includes", "{x} in {s}"),
    ("include", "{x} in {s}"),
    ("has", "{x} in {s}"),
    ("count", "copies({x}, {s})"),
    ("size", "size({s})"),
    ("length", "size({s})"),
    ("len", "size({s})"),
    ("count", "size({s})"),
    ("sum", "sum({s})"),
    ("max", "largest({s})"),
    ("min", "smallest({s})"),
    ("first", "first({s})"),
    ("last", "last({s})"),
    ("sorted", "sorted({s})"),
    ("reversed", "reversed({s})"),
    ("empty", "{s} is empty"),
    ("isEmpty", "{s} is empty"),
    ("is_empty", "{s} is empty"),
    ("union", "union({s}, {x})"),
    ("intersection", "common({s}, {x})"),
    ("difference", "without({s}, {x})"),
    ("index", "first(positions({x}, {s}))"),
    ("indexOf", "first(positions({x}, {s}))"),
];

/// Diagnoses a call after a dot whose form here is known.
pub fn method_call(mistake: &Mistake) -> Option<Diagnostic> {
    let callee = operand_before(mistake.before).filter(|_| mistake.word() == "(")?;
    // The dots of a range stand between two values.
    let callee = callee.rsplit("..").next()?;
    let (list, method) = callee.rsplit_once('.').filter(|_| mistake.touches(callee))?;
    let inside = mistake.masked[mistake.token.end..mistake.part.end].lines().next()?;
    let inside = &inside[..end_of_part(inside, |_, _| false)?];
    if has_places(mistake.masked, method) {
        let written = format!("{callee}[{}]", inside.trim());
        let place = Span::new(mistake.span_of(callee).start, mistake.span_of(inside).end + 1);
        let help = format!("a place in it is written in square brackets: `{written}`");
        return Some(mistake.about(mistake.word(), help).fix_of(place, written));
    }
    let statement = mistake.rule == Rule::one_statement && mistake.before.trim() == callee;
    let rows = if statement { STATEMENTS } else { VALUES };
    let fits = |row: &str| row.contains("{x}") != inside.trim().is_empty();
    let (_, row) = rows.iter().find(|(name, row)| *name == method && fits(row))?;
    if end_of_part(inside, |_, c| c == ',').is_some() {
        return None;
    }
    let written = row.replace("{s}", list).replace("{x}", inside.trim());
    let place = Span::new(mistake.span_of(callee).start, mistake.span_of(inside).end + 1);
    let message = format!("`{}` is written in another way", &mistake.masked[place.start..place.end]);
    let help = format!("there are no calls after a dot: write `{written}`");
    let report = Diagnostic::new(Code::Unexpected, place, message, "").help(help);
    // Other languages count places from 0.
    let sure = !written.contains("positions(");
    Some(Diagnostic { fix: Some(Fix { sure, ..Fix::new(place, written) }), ..report })
}

/// Whether a text declares a list, a grid or a value for each key by this name.
fn has_places(masked: &str, name: &str) -> bool {
    masked.lines().any(|line| {
        let ty = line.trim().strip_prefix(name).and_then(|line| line.strip_prefix(": ")).unwrap_or("");
        ["list of ", "grid ", "empty grid "].iter().any(|kind| ty.starts_with(kind))
            || ty.contains(" for each ")
    })
}

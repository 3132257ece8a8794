//! Reports for brackets that do not pair up, once all of a file are known.

use super::habits::token_at;
use super::layout::closes_nothing;
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// Says of brackets that do not pair up what was probably meant, and one thing of each mistake.
pub fn paired(diagnostics: &mut Vec<Diagnostic>, text: &str) {
    for report in diagnostics.iter_mut() {
        brace_written_twice(report, text);
        ends_by_indentation(report, text);
        parenthesis_of_parameters(report, text);
    }
    let mut at = 0;
    while at + 1 < diagnostics.len() {
        if opening_left_out(&diagnostics[at], &diagnostics[at + 1], text) {
            diagnostics.remove(at + 1);
            let place = diagnostics[at].span();
            let close = &text[place.start..place.end];
            let open = if close == "]" { "[" } else { "(" };
            let message = format!("the `{open}` of this `{close}` is missing");
            let report = Diagnostic::new(Code::Unexpected, place, message, "");
            diagnostics[at] =
                report.help(format!("write `{open}` where it should begin, or leave out `{close}`"));
        }
        at += 1;
    }
}

/// `table {{`.
fn brace_written_twice(report: &mut Diagnostic, text: &str) {
    let open = report.span();
    let second = token_at(text, open.end, text.len());
    if report.code != Code::UnclosedBracket || text[open.start..open.end] != *"{" {
        return;
    }
    if text[second.start..second.end] == *"{" && !text[open.end..second.start].contains('\n') {
        let place = Span::new(open.end, second.end);
        let twice =
            Diagnostic::new(Code::UnclosedBracket, second, "this `{` is never closed", "a second one");
        *report = Diagnostic { fix: Some(Fix::new(place, "")), ..twice.help("leave out one of the two `{`") };
    }
}

/// Says in front of which line the `}` of a block is missing: the first that is indented no further than the one that opens
/// the block.
fn ends_by_indentation(report: &mut Diagnostic, text: &str) {
    let open = report.span();
    let never = report.help.as_deref() == Some("write `}` where it should end");
    if report.code != Code::UnclosedBracket || text[open.start..open.end] != *"{" || !never {
        return;
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let head = text[..open.start].rsplit('\n').next().map_or(0, indent);
    let first = text[..open.start].lines().count();
    let below = text.lines().enumerate().skip(first);
    let mut below = below.filter(|(_, line)| !line.trim().is_empty() && !line.trim().starts_with("//"));
    let Some((at, line)) = below.find(|(_, line)| indent(line) <= head) else { return };
    let line = line.split("//").next().unwrap_or(line).trim();
    if line.starts_with('}') || line.len() > 40 || line.contains('`') {
        return;
    }
    report.labels[0].text = "its block does not end".to_string();
    report.help = Some(format!("a `}}` is missing in front of line {}, `{line}`", at + 1));
}

/// `move plant t in every tree, at in field) {`.
fn parenthesis_of_parameters(report: &mut Diagnostic, text: &str) {
    let place = report.span();
    if report.message != closes_nothing(")") {
        return;
    }
    let line = &text[text[..place.start].rfind('\n').map_or(0, |at| at + 1)..place.start];
    let declares = ["move ", "secret move ", "rule ", "define "].iter().any(|head| line.starts_with(head));
    if declares && !line.contains('(') {
        let message = "the `(` of this `)` is missing";
        *report = Diagnostic::new(Code::Unexpected, place, message, "").help(
            "the name comes first, and then the parentheses: `move put(value in 1..9, at in 1..n) { … }`",
        );
    }
}

/// Whether a closing bracket that does not match the open one is followed by the one that does: the bracket that it closes
/// was never opened.
fn opening_left_out(first: &Diagnostic, second: &Diagnostic, text: &str) -> bool {
    let (from, to) = (first.span(), second.span());
    let expected =
        first.labels.first().map(|label| label.text.trim_start_matches("expected ").trim_matches('`'));
    let follows = from.end <= to.start && !text[from.end..to.start].contains('\n');
    first.message.ends_with("does not match the bracket that is open here")
        && second.message == closes_nothing(&text[to.start..to.end])
        && follows
        && expected == Some(&text[to.start..to.end])
}

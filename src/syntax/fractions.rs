//! Reports for `/`: how a quotient rounds, and what is left of fractions of numbers.

use super::phrases::{operand, operand_before};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// Reports signs of division: those of one line together if a fraction is multiplied there, since then the order of the
/// factors matters.
pub fn divisions(masked: &str, slashes: Vec<Span>) -> Vec<Diagnostic> {
    let mut reports: Vec<Diagnostic> = Vec::new();
    let mut gathered: Option<(usize, usize)> = None;
    for place in slashes {
        let line = masked[..place.start].rfind('\n').map_or(0, |at| at + 1);
        if let Some((known, report)) = gathered
            && known == line
        {
            reports[report] = reports[report].clone().also(place, "and here");
            continue;
        }
        let report =
            Diagnostic::new(Code::ForeignOperator, place, "`/` is not an operator here", "say how it rounds");
        match fraction(masked, place) {
            Some(help) => {
                gathered = Some((line, reports.len()));
                reports.push(report.help(help));
            }
            None => {
                let (a, b) = sides(masked, place);
                reports.push(report.help(format!(
                    "write `{a} div {b}` or `floor({a} / {b})` for the quotient rounded down"
                )));
            }
        }
    }
    reports
}

/// Returns what stands on both sides of a sign of division, the whole of a product on its left, or letters for what is long.
fn sides(masked: &str, slash: Span) -> (&str, &str) {
    const LONG: usize = 24;
    let short = |text: &&str| text.len() <= LONG && !text.contains(['\n', '`']);
    // The end of a range is a number of its own: `1..heap / 2`.
    let before = product_before(&masked[..slash.start]);
    let before = before.and_then(|text| text.rsplit("..").next()).filter(short);
    let behind = operand(masked[slash.end..].trim_start_matches(' ')).filter(short);
    match (before, behind) {
        (Some(a), Some(b)) => (a, b),
        _ => ("a", "b"),
    }
}

/// Returns the product that a text ends with, which may have a single factor.
fn product_before(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let mut start = text.len() - operand_before(text)?.len();
    while let Some(more) = text[..start].trim_end().strip_suffix('*')
        && let Some(factor) = operand_before(more)
    {
        start = more.trim_end().len() - factor.len();
    }
    Some(&text[start..])
}

/// Returns help for a fraction of two numbers that something is multiplied by: `2 / 3 * x`.
fn fraction(masked: &str, slash: Span) -> Option<String> {
    let number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let a = operand_before(&masked[..slash.start]).filter(|a| number(a))?;
    let behind = masked[slash.end..].trim_start_matches(' ');
    let b = operand(behind).filter(|b| number(b))?;
    let times = behind[b.len()..].trim_start_matches(' ').strip_prefix("* ")?;
    let x = operand(times).filter(|x| x.len() <= 40).unwrap_or("x");
    let more = times.strip_prefix(x).map_or("", str::trim_start);
    // A further division only makes the divisor larger.
    let by = more.strip_prefix("/ ").and_then(operand).filter(|by| number(by));
    let written = match by.map(|by| (by, b.parse::<u64>(), by.parse::<u64>())) {
        Some((_, Ok(b), Ok(by))) if b.checked_mul(by).is_some() => format!("{a} * {x} div {}", b * by),
        Some((by, ..)) => format!("{a} * {x} div ({b} * {by})"),
        None => format!("{a} * {x} div {b}"),
    };
    Some(format!("multiply first, since `div` rounds down and `{a} div {b}` is a whole number: `{written}`"))
}

//! Reports for conditions on statements that stand in another place or have another sign: `x += 1 if C`,
//! `if C then x += 1`, `if C then refuse`, `repeat until C`.

use super::grammar::Rule;
use super::habits::{Mistake, declares_move, innermost};
use super::idioms;
use super::phrases::operand;
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// Diagnoses a condition on a statement; `report` says what the grammar expected.
pub fn condition(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    condition_behind(mistake, report)
        .or_else(|| one_line_if(mistake, report))
        .or_else(|| condition_before(mistake, report))
}

/// `x += 1 if C`, `ask p to go if C` and `need D unless C`.
fn condition_behind(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (line, word, condition) = match mistake.last.0 {
        // `if possible` may follow a choice, so the mistake is what follows the `if`.
        "if" => (mistake.before.strip_suffix("if")?, "if", mistake.onwards()),
        _ => (mistake.before, mistake.word(), mistake.rest()),
    };
    let (line, condition) = (line.trim(), condition.trim());
    let statement = mistake.rule == Rule::one_statement && innermost(line).is_none() && !line.is_empty();
    if !statement || condition.is_empty() || condition.contains(['{', '}']) || line.contains(['\n', '{']) {
        return None;
    }
    match (mistake.first, word) {
        ("need", "unless") => {
            let needed = line.strip_prefix("need ")?;
            let condition = condition.split(" else ").next()?.trim();
            Some(mistake.says(report, "", format!("write `need {condition} or {needed} else …`")))
        }
        ("let" | "need" | "if" | "each" | "cycle" | "repeat" | "turns" | "phase" | "together" | "end", _) => {
            None
        }
        (_, "if" | "when" | "unless") if !condition.contains(" else ") => {
            let condition = match word {
                "unless" => opposite(condition),
                _ => condition.to_string(),
            };
            let whole = Span::new(mistake.span_of(line).start, mistake.part.end);
            if mistake.first == "win" && !is_in_a_body(mistake) {
                let written = format!("{line} when {condition}");
                let report = mistake.says(report, "expected `when`", format!("write `{written}`"));
                return Some(Diagnostic { fix: Some(Fix::new(whole, written)), ..report });
            }
            let written = format!("if {condition} {{ {line} }}");
            let report = mistake.says(report, "", format!("the condition comes first: `{written}`"));
            Some(Diagnostic { fix: Some(Fix::new(whole, written)), ..report })
        }
        _ => None,
    }
}

/// Whether a mistake is in the body of a move or a rule.
fn is_in_a_body(mistake: &Mistake) -> bool {
    let mut before = mistake.masked[..mistake.part.start].lines().rev();
    let head = before.find(|line| line.starts_with(char::is_alphabetic)).unwrap_or("");
    ["move ", "secret move ", "rule "].iter().any(|word| head.starts_with(word))
}

/// `if C then x += 1` and `if C: x += 1`.
fn one_line_if(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let opens = matches!(mistake.word(), "then" | ":") && mistake.first == "if";
    if !opens || mistake.rule != Rule::one_statement || innermost(mistake.before).is_some() {
        return None;
    }
    let condition = mistake.before.trim().strip_prefix("if ")?.trim();
    if matches!(mistake.last.0, "and" | "or") {
        let help = format!("write `{}` alone", mistake.last.0);
        return Some(mistake.says(report, "", help).fix(""));
    }
    let whole = mistake.masked[mistake.token.end..mistake.part.end].trim();
    let plain = !whole.is_empty() && !whole.contains(['\n', '{', '}']) && !condition.contains('\n');
    let plain = plain && !whole.contains(" else ");
    let done = if plain { whole } else { "…" };
    if let Some(report) = refusal(mistake, report, condition, whole) {
        return Some(report);
    }
    let condition = condition.replace(" == ", " = ");
    let written = format!("if {condition} {{ {done} }}");
    let report = mistake.says(report, "expected `{`", format!("write `{written}`"));
    if mistake.rest().trim() == "{" {
        return Some(report.fix(""));
    }
    let place = Span::new(mistake.span_of(mistake.before.trim()).start, mistake.part.end);
    Some(match plain {
        true => Diagnostic { fix: Some(Fix::new(place, written)), ..report },
        false => report,
    })
}

/// `if C then refuse "the reason"`, `if C: illegal`.
fn refusal(mistake: &Mistake, report: &Diagnostic, condition: &str, done: &str) -> Option<Diagnostic> {
    const REFUSED: &[&str] = &["illegal", "invalid", "forbidden", "refused", "refuse", "reject", "deny"];
    const ALLOWED: &[&str] = &["legal", "valid", "allowed", "allow"];
    let word = |of: &str| done.split(|c: char| !c.is_alphabetic()).any(|word| word == of);
    let (verb, reason) = done.split_once(" \"").unwrap_or((done, ""));
    let [refused, allowed] = [REFUSED, ALLOWED].map(|words| words.iter().any(|of| word(of)));
    if !refused && !allowed || declares_move(mistake.masked, verb) {
        return None;
    }
    let needed = match refused == word("not") {
        true => condition.to_string(),
        false => opposite(condition),
    };
    let reason = reason.strip_suffix('"').filter(|reason| !reason.contains('"'));
    let written = format!("need {needed} else \"{}\"", reason.unwrap_or("…"));
    let help = format!("what a move needs stands at its beginning: `{written}`");
    let report = mistake.says(report, "", help);
    let place = Span::new(mistake.span_of(mistake.before.trim()).start, mistake.part.end);
    Some(match reason {
        Some(_) => Diagnostic { fix: Some(Fix::new(place, written)), ..report },
        None => report,
    })
}

/// Returns the text of a condition that holds when the given one does not.
pub fn opposite(condition: &str) -> String {
    const PAIRS: &[(&str, &str)] =
        &[(" = ", " != "), (" < ", " >= "), (" > ", " <= "), (" in ", " not in "), (" is ", " is not ")];
    let parts: Vec<&str> = condition.split(" is not ").collect();
    if let [subject, property] = parts.as_slice()
        && ![*subject, *property].iter().any(|part| part.contains([' ', ':']))
    {
        return format!("{subject} is {property}");
    }
    // Nobody has passed: somebody has.
    let none = condition.strip_prefix("all(").and_then(|inside| inside.strip_suffix(')'));
    if let Some((of, held)) = none.and_then(|inside| inside.split_once(": not "))
        && operand(held) == Some(held)
        && operand(condition) == Some(condition)
    {
        return format!("some({of}: {held})");
    }
    let joined = [" and ", " or ", "not ", " if ", " with ", ":"].iter().any(|word| condition.contains(word));
    let found: Vec<(&str, &str)> = PAIRS
        .iter()
        .flat_map(|(a, b)| [(*a, *b), (*b, *a)])
        .filter(|(a, _)| condition.matches(a).count() == 1)
        .collect();
    match found.as_slice() {
        [(a, b)] if !joined => condition.replace(a, b),
        _ if condition.chars().all(|c| c.is_alphanumeric() || "_.".contains(c)) => format!("not {condition}"),
        _ => format!("not ({condition})"),
    }
}

/// Diagnoses a loop that goes on as long as a condition holds: `while C { … }`.
pub fn while_loop(masked: &str, part: Span) -> Diagnostic {
    let line = masked[part.start..part.end].lines().next().unwrap_or("");
    let condition = line.trim_start_matches("while").split('{').next().unwrap_or("").trim();
    let condition = condition.trim_end_matches(':');
    let ends = match idioms::sure_value(condition).filter(|(_, length)| *length == condition.len()) {
        Some((written, _)) => opposite(&written),
        None if condition.is_empty() => "C".to_string(),
        None => opposite(condition),
    };
    let place = Span::new(part.start, part.start + "while".len());
    Diagnostic::new(Code::Unexpected, place, "`while` does not fit here", "").help(format!(
        "a loop says when it ends: turns of the players `turns until {ends} {{ … }}`, what is no turn `repeat {{ … }} until {ends}`"
    ))
}

/// `repeat until C { … }`.
fn condition_before(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let condition = mistake.rest().split('{').next()?.trim();
    let ends = match mistake.word() {
        "until" => condition.to_string(),
        "while" => opposite(condition),
        _ => return None,
    };
    let turns = mistake.word() == "while" && mistake.before.trim() == "turns";
    if turns && !condition.is_empty() {
        let written = format!("until {ends}");
        let end = mistake.span_of(condition).end;
        let report = mistake.says(report, "", format!("write `turns {written} {{ … }}`"));
        let place = Span::new(mistake.token.start, end);
        return Some(Diagnostic { fix: Some(Fix::new(place, written)), ..report });
    }
    let loops = mistake.before.trim() == "repeat" && !condition.is_empty();
    if loops && matches!(condition, "stuck" | "not stuck") {
        let help = "only turns end when somebody cannot move: `turns until stuck { … }`";
        let written = "turns until stuck ";
        let end = mistake.token.end + mistake.rest().find('{').unwrap_or(mistake.rest().len());
        let place = Span::new(mistake.span_of(mistake.first).start, end);
        return Some(Diagnostic { fix: Some(Fix::likely(place, written)), ..mistake.says(report, "", help) });
    }
    loops.then(|| {
        mistake.says(report, "", format!("the end is tested after the block: `repeat {{ … }} until {ends}`"))
    })
}

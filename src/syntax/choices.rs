//! Reports for what values are chosen from or tested against: `k in 1..5, 7..9`, `k in S if C`, `move m(a in 1..9, b > a)`.

use pest::Parser;

use super::build::is_reserved;
use super::conditions::{opposite, while_loop};
use super::grammar::{Grammar, Rule};
use super::habits::{Mistake, innermost};
use super::phrases::{operand, value_before};
use super::report::end_of_part;
use crate::diag::{Diagnostic, Fix};
use crate::source::Span;

/// Diagnoses a domain or a test of membership; `report` says what the grammar expected.
pub fn choice_from(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    quoted_symbols(mistake, report)
        .or_else(|| several_ranges(mistake, report))
        .or_else(|| condition_on_elements(mistake, report))
        .or_else(|| compared_parameter(mistake, report))
}

/// `hand: {"rock", "paper"} = "rock"`: symbols in quotes, where the type of something is.
fn quoted_symbols(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let symbols = mistake.before.strip_suffix('}')?;
    let open = symbols.rfind('{')?;
    let before = symbols[..open].trim_end();
    let typed = before.ends_with([':']) || before.ends_with(" of") || before.ends_with(" optional");
    let names: Option<Vec<&str>> = symbols[open + 1..].split(',').map(quoted_word).collect();
    let names = names.filter(|_| typed)?;
    let braces = format!("{{{}}}", names.join(", "));
    // The first value is one of them.
    let value = mistake.rest().trim_start();
    let first = value.strip_prefix('"').and_then(|value| value.split('"').next());
    let first = first.filter(|first| mistake.word() == "=" && names.contains(first));
    let (written, end) = match first {
        Some(first) => {
            let end = mistake.span_of(value).start + first.len() + 2;
            (format!("{braces} = {first}"), end)
        }
        None => (braces, mistake.part.start + mistake.before.len()),
    };
    let place = Span::new(mistake.part.start + open, end);
    let mut report = mistake.says(report, "", format!("symbols are written without quotes: `{written}`"));
    report.message = "symbols are not texts".to_string();
    report.labels[0].span = place;
    Some(report.fix_of(place, written))
}

/// Returns the name that a text has in double quotes.
fn quoted_word(text: &str) -> Option<&str> {
    let name = text.trim().strip_prefix('"')?.strip_suffix('"')?;
    let word = name.chars().all(|c| c.is_alphanumeric() || c == '_') && name.starts_with(char::is_alphabetic);
    (word && !is_reserved(name)).then_some(name)
}

/// Whether a text is a range with two ends.
fn is_range(text: &str) -> bool {
    text.contains("..")
}

/// Returns the elements of a set that is written out, or the text itself if it is none.
fn single_elements(item: &str) -> Vec<&str> {
    match item.strip_prefix('{').and_then(|item| item.strip_suffix('}')) {
        Some(elements) => elements.split(',').map(str::trim).collect(),
        None => vec![item],
    }
}

/// `k in 1..5, 7..9`, `k in {1, 2}, 5`, `k not in 1, 3`: several ranges or numbers to be in.
fn several_ranges(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let parameter = matches!(mistake.first, "move" | "secret" | "each") && mistake.word() != ",";
    let (before, behind) = match mistake.word() {
        "," => (mistake.before, &mistake.masked[mistake.token.end..mistake.part.end]),
        _ => (
            mistake.before.strip_suffix(',')?.trim_end(),
            &mistake.masked[mistake.token.start..mistake.part.end],
        ),
    };
    let line = behind.lines().next()?;
    let ends = end_of_part(line, |at, c| {
        c == ':'
            || [" else ", " and ", " or ", " where ", " then "]
                .iter()
                .any(|word| line[at..].starts_with(word))
    });
    let listed = line[..ends.unwrap_or(line.len())].trim_end();
    // The block of a statement begins behind it.
    let listed = listed.split(" {").next().unwrap_or(listed).trim_end();
    let (head, first) = before.rsplit_once(" in ")?;
    let (head, not) = match head.strip_suffix(" not") {
        Some(head) => (head, true),
        None => (head, false),
    };
    let subject = value_before(head)?;
    let items: Vec<&str> = [first].into_iter().chain(listed.split(',')).map(str::trim).collect();
    let plain = |item: &&str| operand(item) == Some(item) && !item.is_empty();
    let number = |item: &&str| item.chars().all(|c| c.is_ascii_digit());
    let items: Vec<&str> = items.into_iter().flat_map(single_elements).collect();
    let ranges = items.iter().filter(|item| is_range(item)).count();
    if !items.iter().all(plain) || ranges == 0 && !items.iter().all(number) {
        return None;
    }
    let whole = Span::new(mistake.span_of(subject).start, mistake.span_of(listed.trim_start()).end);
    if parameter {
        if not {
            return None;
        }
        let lists: Vec<String> = items
            .iter()
            .map(|item| if is_range(item) { format!("list({item})") } else { format!("[{item}]") })
            .collect();
        let written = match ranges {
            0 => format!("{subject} in {{{}}}", items.join(", ")),
            _ => format!("{subject} in {}", lists.join(" ++ ")),
        };
        let report = mistake.says(report, "", format!("there is one collection behind `in`: `{written}`"));
        return Some(Diagnostic { fix: Some(Fix::new(whole, written)), ..report });
    }
    let sign = if not { "not in" } else { "in" };
    let (equals, joins) = if not { ("!=", " and ") } else { ("=", " or ") };
    let parts: Vec<String> = items
        .iter()
        .map(|item| match is_range(item) {
            true => format!("{subject} {sign} {item}"),
            false => format!("{subject} {equals} {item}"),
        })
        .collect();
    let mut written = match ranges {
        0 => format!("{subject} {sign} {{{}}}", items.join(", ")),
        _ => parts.join(joins),
    };
    // What stands around it may bind more tightly than the sign between the parts.
    let left = head.strip_suffix(subject).unwrap_or("").trim_end();
    let rest = mistake.masked[whole.end..mistake.part.end].trim_start();
    let around = |word: &str| left.ends_with(&format!(" {word}")) || rest.starts_with(&format!("{word} "));
    if ranges > 0 && (around("and") || around("or") || left.ends_with(" not")) {
        written = format!("({written})");
    }
    if !mistake.reads_further(whole, &written) {
        return None;
    }
    let report = mistake.says(report, "", format!("write `{written}`"));
    Some(Diagnostic { fix: Some(Fix::new(whole, written)), ..report })
}

/// `move m(k in 1..9 if k not in used)`, `each x in S if C { … }`: a condition on elements that begins with another word.
fn condition_on_elements(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let at_token = mistake.token.start;
    let (word, start) = match mistake.word() {
        "such" => ("such that", at_token),
        "for" => ("for which", at_token),
        "so" => ("so that", at_token),
        "while" if mistake.first == "each" && innermost(mistake.before).is_none() => {
            // Behind a whole loop, it begins another one.
            if Grammar::parse(Rule::one_statement, mistake.before.trim()).is_ok() {
                return Some(while_loop(mistake.masked, Span::new(at_token, mistake.part.end)));
            }
            ("while", at_token)
        }
        word @ ("if" | "when" | "provided" | "unless" | "having") => (word, at_token),
        // `with` has a meaning of its own, and the mistake is behind it.
        _ if mistake.last.0 == "with" => ("with", mistake.last.1.start),
        _ => return None,
    };
    let rest = mistake.masked[start..mistake.part.end].strip_prefix(word)?;
    if word == "while" {
        let (name, source) = mistake.before.trim().strip_prefix("each ")?.split_once(" in ")?;
        let condition = rest.split('{').next()?.trim();
        let written = format!("[{name} in {source} while {condition}]");
        let place = Span::new(mistake.span_of(source).start, mistake.span_of(condition).end);
        let help =
            format!("as long as a condition holds, elements are taken by `each {name} in {written} {{ … }}`");
        let fits = !name.contains('(') && mistake.reads_further(place, &written);
        let report = mistake.says(report, "", help);
        return Some(Diagnostic { fix: fits.then(|| Fix::new(place, written)), ..report });
    }
    let loops = matches!(mistake.first, "each" | "cycle" | "chance");
    let before = mistake.masked[mistake.part.start..start].trim_end();
    let open = innermost(before);
    let inside = match open {
        Some(open) => &before[open + 1..],
        None if loops => before,
        None => return None,
    };
    let (_, source) = inside.rsplit_once(" in ")?;
    let declares = open.is_some_and(|open| {
        let head = &before[..open];
        matches!(mistake.first, "move" | "secret") && !head.contains('{')
    });
    let goes_through = declares || loops && open.is_none() || !inside.contains(':');
    if source.contains(" where ") || !goes_through {
        return None;
    }
    let end = match open {
        Some(_) => end_of_part(rest, |at, c| c == ':' || c == ',' || rest[at..].starts_with(" try ")),
        None => rest.find(['{', '\n']),
    };
    let condition = rest[..end.unwrap_or(rest.len())].trim();
    if condition.is_empty() || condition.contains(['"', '\n']) || condition.contains(" else ") {
        return None;
    }
    let compares = condition.contains(['=', '<', '>'])
        || [" in ", " is ", " divides ", "("].iter().any(|word| condition.contains(word));
    if word == "with" && !compares {
        return None;
    }
    let (name, _) = inside.rsplit_once(" in ")?;
    let name = name.rsplit([',', '(']).next()?.trim();
    let name = name.rsplit(' ').next()?;
    let condition = match word {
        "unless" => opposite(condition),
        _ => condition.to_string(),
    };
    let place = Span::new(start, mistake.span_of(&rest[..end.unwrap_or(rest.len())]).end);
    let written = format!("where {condition}");
    let space = if open.is_none() && !rest[end.unwrap_or(rest.len())..].starts_with('\n') { " " } else { "" };
    let help = format!(
        "a condition on what is taken stands behind `where`: `{name} in {} {written}`",
        source.trim()
    );
    let report = mistake.says(report, "expected `where`", help);
    let fix = Fix::new(place, format!("{written}{space}"));
    let sure = mistake.reads_further(place, &fix.replacement);
    Some(Diagnostic { fix: Some(Fix { sure, ..fix }), ..report })
}

/// `move m(a in 1..9, b > a)`: a parameter with a condition instead of what it is chosen from.
fn compared_parameter(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let sign = mistake.word();
    let (name, _) = mistake.last;
    let open = innermost(mistake.before)?;
    let declares = matches!(mistake.first, "move" | "secret") && mistake.rule == Rule::one_item;
    let compares = matches!(sign, "<" | "<=" | ">" | ">=" | "!=" | "<>" | "=" | "≤" | "≥" | "≠");
    if !declares || !compares || name.is_empty() || is_reserved(name) {
        return None;
    }
    let inside = &mistake.before[open + 1..];
    let params = inside.strip_suffix(name)?.trim_end();
    if !params.is_empty() && !params.ends_with(',') {
        return None;
    }
    let rest = mistake.rest().trim_start();
    let end = end_of_part(rest, |_, c| c == ',')?;
    let compared = rest[..end].trim();
    let compared = compared.split(" and ").next()?;
    let other = compared;
    let given = |param: &str| {
        let mut all = params.split(',').filter_map(|one| one.trim().split_once(" in "));
        all.find(|(of, _)| *of == param).map(|(_, range)| range.trim())
    };
    let sign = match sign {
        "≤" => "<=",
        "≥" => ">=",
        "≠" | "<>" => "!=",
        sign => sign,
    };
    let index = |param: &str| inside.find(&format!("{param} in "));
    let names = |text: &str| operand(text) == Some(text) && text.starts_with(char::is_alphabetic);
    // Of two that are compared, the condition stands with the later one, and what is chosen from nothing yet is named first.
    let (name, sign, other) = match (given(name), given(other)) {
        (Some(_), None) if names(other) => (other, mirrored(sign), name),
        (Some(_), Some(_)) if index(name) < index(other) => (other, mirrored(sign), name),
        _ => (name, sign, other),
    };
    if let Some(range) = given(name) {
        let help = format!(
            "a condition on `{name}` stands behind what it is chosen from: `{name} in {range} where {name} {sign} {other}`"
        );
        return Some(mistake.says(report, "", help));
    }
    // A condition on the parameter before that is compared with what the file declares.
    if given(other).is_some() && declares_value(mistake.masked, name) {
        let range = given(other).unwrap_or("S");
        let help = format!(
            "a condition on `{other}` stands behind what it is chosen from: `{other} in {range} where {other} {} {name}`",
            mirrored(sign)
        );
        return Some(mistake.says(report, "", help));
    }
    let written = match given(other).and_then(|range| range.split_once("..")) {
        Some((low, high)) => {
            let range = match sign {
                ">" => format!("{other} + 1..{high}"),
                ">=" => format!("{other}..{high}"),
                "<" => format!("{low}..{other} - 1"),
                "<=" => format!("{low}..{other}"),
                _ => format!("{low}..{high} where {name} {sign} {other}"),
            };
            format!("{name} in {range}")
        }
        None => {
            let help =
                format!("say what `{name}` is chosen from, `{name} in 1..9 where {name} {sign} {other}`");
            return Some(mistake.says(report, "expected `in`", help));
        }
    };
    let place = Span::new(mistake.last.1.start, mistake.span_of(compared).end);
    let plain = names(other) && names(compared);
    let report = mistake.says(report, "expected `in`", format!("say what it is chosen from: `{written}`"));
    Some(Diagnostic { fix: Some(Fix { sure: plain, ..Fix::new(place, written) }), ..report })
}

/// Whether a text declares a piece of state, an option or a constant with this name.
pub fn declares_value(masked: &str, name: &str) -> bool {
    let declares = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("option ").or(line.strip_prefix("let ")).unwrap_or(line);
        line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with([':', '=']))
    };
    masked.lines().any(declares)
}

/// Returns the comparison with its sides exchanged.
fn mirrored(sign: &str) -> &str {
    match sign {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        sign => sign,
    }
}

//! Reports for signs that are mistyped, left out or written as on paper: `=<`, `: =`, `2k`, `k!`, `{2, …, n}`, `row[2..]`,
//! `k > 3 and < 9`.

use pest::Parser;

use super::build::is_reserved;
use super::foreign::foreign;
use super::grammar::{Grammar, Rule, error_at};
use super::habits::{Mistake, innermost, token_at};
use super::kinds::is_symbol;
use super::phrases::{operand, operand_before};
use super::wanted::Wanted;
use crate::diag::{Code, Diagnostic, Fix, Label};
use crate::source::Span;

/// Signs as they slip from the keyboard, and what each surely stands for.
const SLIPS: &[(&str, &str)] = &[
    ("=<", "<="),
    ("= <", "<="),
    ("=‹", "<="),
    ("‹=", "<="),
    ("<==", "<="),
    ("< =", "<="),
    ("= >", ">="),
    ("=›", ">="),
    ("›=", ">="),
    (">==", ">="),
    ("> =", ">="),
    ("‹", "<"),
    ("›", ">"),
    ("≦", "<="),
    ("≧", ">="),
    ("=!", "!="),
    ("! =", "!="),
    ("><", "!="),
    ("=/=", "!="),
    (": =", ":="),
    (":= =", ":="),
    (":==", ":="),
    ("=:", ":="),
    ("+ =", "+="),
    ("+:=", "+="),
    (":+=", "+="),
    ("- =", "-="),
    ("-:=", "-="),
    (":-=", "-="),
];

/// The comparisons that may lack what stands on their left.
const COMPARISONS: &[&str] = &["<", "<=", ">", ">=", "=", "!=", "is", "in", "divides"];

/// Words that follow a number in a line of the language or of speech.
const BEHIND: &[&str] = &[
    "as", "at", "by", "copies", "for", "from", "hidden", "more", "of", "on", "secret", "skipping",
    "dropping", "step", "times", "to", "try", "when", "with",
];

/// Diagnoses a sign; `report` says what the grammar expected.
pub fn sign(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    slip(mistake)
        .or_else(|| dots(mistake))
        .or_else(|| slice(mistake))
        .or_else(|| changed_by_factor(mistake))
        .or_else(|| between_sets(mistake))
        .or_else(|| open_range(mistake, report))
        .or_else(|| factorial(mistake))
        .or_else(|| subject_left_out(mistake, report))
}

/// `k =< n`, `left : = 3`.
fn slip(mistake: &Mistake) -> Option<Diagnostic> {
    let start = mistake.masked[..mistake.token.start].rfind('\n').map_or(0, |at| at + 1);
    let line = mistake.masked[start..mistake.part.end].lines().next()?;
    let is_sign = |c: char| "=<>!:+-‹›".contains(c);
    let places = SLIPS.iter().flat_map(|(said, written)| {
        line.match_indices(said).map(move |(at, said)| (start + at, said, *written))
    });
    let (at, said, written) = places
        .filter(|(at, said, _)| {
            let end = at + said.len();
            let around = *at <= mistake.token.start && mistake.token.start < end;
            let (before, behind) = (&line[..at - start], &line[end - start..]);
            around && !before.ends_with(is_sign) && !behind.starts_with(is_sign)
        })
        .max_by_key(|(_, said, _)| said.len())?;
    let place = Span::new(at, at + said.len());
    if !mistake.reads_further(place, written) {
        return None;
    }
    let message = format!("`{said}` is not a sign of the language");
    Some(
        Diagnostic::new(Code::Unexpected, place, message, "").help(format!("write `{written}`")).fix(written),
    )
}

/// `{2, ..., n}`, `[1, 2, …, 9]`.
fn dots(mistake: &Mistake) -> Option<Diagnostic> {
    let before = mistake.before.strip_suffix(',')?;
    if !matches!(mistake.word(), "..." | "…" | ".." | "⋯") {
        return None;
    }
    let open = before.rfind(['{', '[', '('])?;
    let items: Vec<&str> = before[open + 1..].split(',').map(str::trim).collect();
    let last = mistake.rest().trim_start().strip_prefix(',')?.trim_start();
    let close = if before[open..].starts_with('{') { '}' } else { ']' };
    let last = &last[..last.find(close)?];
    let whole = Span::new(mistake.part.start + open, mistake.span_of(last).end + 1);
    let (first, last) = (items.first()?, last.trim());
    if before[open..].starts_with('(') || operand(last) != Some(last) {
        return None;
    }
    let numbers: Option<Vec<i64>> = items.iter().map(|item| item.parse().ok()).collect();
    let step = match numbers.as_deref() {
        Some([a, b, ..]) => b.checked_sub(*a)?,
        _ if items.len() == 1 => 1,
        _ => return None,
    };
    let ends = first.parse::<i64>().ok().zip(last.parse::<i64>().ok());
    let even = numbers.is_none_or(|n| n.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(step)));
    let away = ends.is_some_and(|(first, last)| (first < last) != (step > 0));
    if !even || step == 0 || away {
        return None;
    }
    let said = &mistake.masked[whole.start..whole.end];
    let message = format!("`{said}` is written in another way");
    let report = Diagnostic::new(Code::Unexpected, whole, message, "");
    let range = if step > 0 { format!("{first}..{last}") } else { format!("{last}..{first}") };
    if step != 1 {
        let k = ["k", "n", "i"].into_iter().find(|k| !mistake.is_elsewhere(k)).unwrap_or("k");
        let only = match step.abs() {
            1 => String::new(),
            2 if first.parse::<i64>().is_ok_and(|first| first % 2 == 0) => format!(" where {k} is even"),
            2 if first.parse::<i64>().is_ok() => format!(" where {k} is odd"),
            apart if step > 0 => format!(" where ({k} - {first}) mod {apart} = 0"),
            apart => format!(" where ({first} - {k}) mod {apart} = 0"),
        };
        if mistake.is_in_type() {
            let help = format!("the type is `{range}`; a `need` asks for the rest");
            return Some(report.help(help));
        }
        let written = match close {
            '}' => format!("{{{k} in {range}{only}}}"),
            _ if step > 0 => format!("[{k} in {range}{only}]"),
            _ => format!("reversed([{k} in {range}{only}])"),
        };
        let report = report.help(format!("take only some of them: `{written}`"));
        return Some(Diagnostic {
            fix: Some(Fix { sure: ends.is_some(), ..Fix::new(whole, written) }),
            ..report
        });
    }
    let written = match close {
        _ if mistake.is_in_type() || before[..open].ends_with(" in ") => range,
        '}' => format!("set({range})"),
        _ => format!("list({range})"),
    };
    // Whether it rises or falls may hang on the values.
    let sure = ends.is_some() || items.len() > 1 || first.parse() == Ok(1);
    let report = report.help(format!("write `{written}`"));
    Some(Diagnostic { fix: Some(Fix { sure, ..Fix::new(whole, written) }), ..report })
}

/// `S ∪ {k}`, `A ∩ B`: functions of two sets, as signs between them.
fn between_sets(mistake: &Mistake) -> Option<Diagnostic> {
    let function = match mistake.word() {
        "∪" => "union",
        "∩" => "common",
        "∖" | "\\" => "without",
        "⊆" | "⊂" => "subset",
        _ => return None,
    };
    let (a, b) = (operand_before(mistake.before)?, operand(mistake.rest().trim_start())?);
    let written = format!("{function}({a}, {b})");
    let place = Span::new(mistake.span_of(a).start, mistake.span_of(b).end);
    let whole = &mistake.masked[place.start..place.end];
    let message = format!("`{whole}` is written in another way");
    let report = Diagnostic::new(Code::Unexpected, place, message, "").help(format!("write `{written}`"));
    Some(Diagnostic { fix: Some(Fix::new(place, written)), ..report })
}

/// `left *= 2`, `left /= 2`.
fn changed_by_factor(mistake: &Mistake) -> Option<Diagnostic> {
    let place = mistake.before.trim();
    let (sign, sure) = match mistake.word() {
        "*" | "*=" => ("*", true),
        "/" | "/=" => ("div", false),
        _ => return None,
    };
    let value =
        if mistake.word().ends_with('=') { mistake.rest() } else { mistake.rest().strip_prefix('=')? }.trim();
    let one = operand_before(place) == Some(place) && !value.is_empty() && !value.contains(['{', '}', '"']);
    if !one || mistake.rule != Rule::one_statement {
        return None;
    }
    let value = if operand(value) == Some(value) { value.to_string() } else { format!("({value})") };
    let written = format!("{place} := {place} {sign} {value}");
    let end = mistake.token.end + mistake.rest().trim_end().len();
    let report = mistake.about(mistake.onwards().get(..2)?, format!("write `{written}`"));
    Some(Diagnostic {
        fix: Some(Fix { sure, ..Fix::new(Span::new(mistake.span_of(place).start, end), written) }),
        ..report
    })
}

/// `row[:2]`, `row[2:]`, `row[-2:]`, `row[:-1]`, `row[::-1]`: stretches as other languages write them, which count from 0
/// and leave out their end.
fn slice(mistake: &Mistake) -> Option<Diagnostic> {
    let open = match mistake.word() {
        "[" => mistake.before.len(),
        _ => innermost(mistake.before)?,
    };
    let text = &mistake.masked[mistake.part.start + open..mistake.part.end];
    let list = operand_before(&mistake.before[..open])?;
    let inside = text.strip_prefix('[')?.split(']').next()?;
    let ends: Vec<&str> = inside.split(':').map(str::trim).collect();
    if ends.iter().any(|end| !end.is_empty() && operand(end) != Some(end)) {
        return None;
    }
    let whole = Span::new(mistake.span_of(list).start, mistake.span_of(inside).end + 1);
    let report = |written: &str, sure: bool| {
        let said = &mistake.masked[whole.start..whole.end];
        let message = format!("`{said}` is written in another way");
        let report = Diagnostic::new(Code::Unexpected, whole, message, "");
        let help = match written.contains("..") {
            true => format!("write `{written}`; places are counted from 1, and the last one is included"),
            false => format!("write `{written}`"),
        };
        let fix = Fix { sure, ..Fix::new(whole, written) };
        Some(Diagnostic { fix: Some(fix), ..report.help(help) })
    };
    // A place so many behind the beginning, or in front of the end.
    let size = format!("size({list})");
    let after = |end: &str, more: i64| {
        let number = end.parse::<i64>().ok()?;
        Some(match number {
            number if number >= 0 => (number + more).to_string(),
            number if number + more == 0 => size.clone(),
            number => format!("{size} - {}", (number + more).abs()),
        })
    };
    match ends.as_slice() {
        ["", "", "-1"] => report(&format!("reversed({list})"), true),
        ["", "", ""] | ["", ""] => report(list, true),
        ["", end] => match after(end, 0) {
            Some(end) => report(&format!("{list}[1..{end}]"), true),
            None => report(&format!("{list}[1..{end}]"), false),
        },
        [start, ""] if let Some(k) = start.strip_prefix('-') => report(&format!("last({list}, {k})"), true),
        [start, ""] => match after(start, 1) {
            Some(start) => report(&format!("{list}[{start}..{size}]"), true),
            None => report(&format!("{list}[{start} + 1..{size}]"), false),
        },
        // Only a count from the end shows that the author counts as other languages do.
        [start, end] => match (after(start, 1), after(end, 0)) {
            (Some(start), Some(last)) if end.starts_with('-') => {
                report(&format!("{list}[{start}..{last}]"), true)
            }
            _ => report(&format!("{list}[{start}..{end}]"), false),
        },
        _ => None,
    }
}

/// `row[2..]`, `move take(k in 1..)`.
fn open_range(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let low = mistake.before.strip_suffix("..")?;
    let from = operand_before(low).filter(|from| !from.ends_with('.'))?;
    let left = &low[..low.len() - from.len()];
    if mistake.word() == "]"
        && let Some(open) = innermost(low).filter(|open| low[*open..].starts_with('['))
        && let (from, Some(list)) = (low[open + 1..].trim(), operand_before(&low[..open]))
        && !from.starts_with('-')
        && !from.contains(',')
    {
        let end = format!("size({list})");
        let help = format!("a stretch of a list has two ends, counted from 1: `{list}[{from}..{end}]`");
        let place = Span::new(mistake.token.start, mistake.token.start);
        let report = mistake.says(report, "the other end is missing", help);
        return Some(Diagnostic { fix: Some(Fix::likely(place, end)), ..report });
    }
    if mistake.word() == "]"
        && let Some(list) = left.strip_suffix("[-").and_then(operand_before)
    {
        let written = format!("last({list}, {from})");
        let help = format!("the last {from} are `{written}`");
        let place = Span::new(mistake.span_of(list).start, mistake.token.end);
        let report = mistake.says(report, "places are counted from 1", help);
        return Some(Diagnostic { fix: Some(Fix::likely(place, written)), ..report });
    }
    let domain = left.ends_with(" in ") && matches!(mistake.word(), ")" | "," | "{");
    domain.then(|| {
        let written = format!("{from} or more");
        let place = Span::new(mistake.span_of(from).start, mistake.span_of(low).end + 2);
        let report = mistake.says(
            report,
            "the other end is missing",
            format!("a range without an upper end is written `{written}`"),
        );
        Diagnostic { fix: Some(Fix::likely(place, written)), ..report }
    })
}

/// `k!`.
fn factorial(mistake: &Mistake) -> Option<Diagnostic> {
    let of = operand_before(mistake.before).filter(|of| mistake.word() == "!" && mistake.touches(of))?;
    let value = of.strip_prefix('(').and_then(|of| of.strip_suffix(')')).unwrap_or(of);
    let written = format!("factorial({value})");
    let whole = &mistake.masked[mistake.span_of(of).start..mistake.token.end];
    Some(mistake.about(whole, format!("write `{written}`")).fix(written))
}

/// `2k`, `3 size(row)`: a product without its sign.
pub fn product(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let word = mistake.word();
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if matches!(mistake.rule, Rule::one_game_line | Rule::one_example_line) || mistake.is_in_type() {
        return None;
    }
    let count = &word[..word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len())];
    let name = &word[count.len()..];
    if digits(count) && mistake.is_elsewhere(name) {
        let written = format!("{count} * {name}");
        return Some(mistake.about(word, format!("a product has a sign: `{written}`")).fix(written));
    }
    let after = mistake.onwards().strip_prefix(word).map(str::trim_start);
    let declares = mistake.rule == Rule::one_state && word != "else";
    if declares && mistake.is_name() && after.is_some_and(|after| after.starts_with(": ")) {
        let help = "put each piece of state on a line of its own";
        let report = mistake.says(report, "another piece of state begins here", help);
        let between = Span::new(mistake.last.1.end, mistake.token.start);
        return Some(Diagnostic { fix: Some(Fix::likely(between, "\n  ")), ..report });
    }
    let (number, _) = mistake.last;
    let behind = mistake.before.strip_suffix(number).is_some_and(|before| before.ends_with(['=', '(', ' ']));
    let named =
        mistake.is_name() && mistake.is_elsewhere(word) && !is_reserved(word) && foreign(word).is_none();
    let value = operand(mistake.onwards()).filter(|_| named && !BEHIND.contains(&word))?;
    // `if pot > 3 starter wins`
    let said = mistake.onwards().trim_end();
    if mistake.first == "if" && said.strip_prefix(value).is_some_and(|rest| rest.trim() == "wins") {
        let condition = mistake.before.trim().trim_start_matches("if ");
        let written = format!("win {value} when {condition}");
        return Some(mistake.says(
            report,
            "",
            format!("write `{written}`, or `if {condition} {{ win {value} }}`"),
        ));
    }
    (digits(number) && behind).then(|| {
        let between = Span::new(mistake.last.1.end, mistake.token.start);
        if is_symbol(mistake.masked, word) {
            let help = format!("so many equal elements are `{number} copies of {value}`");
            let report = mistake.says(report, "expected an operator", help);
            return Diagnostic { fix: Some(Fix::likely(between, " copies of ")), ..report };
        }
        let help = format!("a product has a sign: `{number} * {value}`");
        let report = mistake.says(report, "expected an operator", help);
        Diagnostic { fix: Some(Fix::likely(between, " * ")), ..report }
    })
}

/// `k > 3 and < 9`, `x is odd or in row`: the second condition does not say what it is about.
fn subject_left_out(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (joins, _) = mistake.last;
    if !matches!(joins, "and" | "or") || !COMPARISONS.contains(&mistake.word()) {
        return None;
    }
    let before = mistake.before.strip_suffix(joins)?.trim_end();
    // The condition in front begins behind the last word that joins or introduces conditions.
    let words = [
        " and ", " or ", "not ", "need ", "if ", "where ", "while ", "until ", "when ", "(", "[", ": ", "= ",
    ];
    let start = words.iter().filter_map(|word| Some(before.rfind(word)? + word.len())).max()?;
    let (mut clause, mut start) = (&before[start..], start);
    // A bracket or an `=` may belong to the condition itself.
    if clause.matches(')').count() + clause.matches(']').count() > 0
        || before[..start].ends_with("= ") && !before.trim_start().starts_with("let ")
    {
        let word = words[..9].iter().filter_map(|word| Some(before.rfind(word)? + word.len())).max()?;
        (clause, start) = (&before[word..], word);
    }
    let negated = before[..start].ends_with("not ");
    let sign = COMPARISONS.iter().filter_map(|sign| clause.find(&format!(" {sign} "))).min()?;
    let subject = clause[..sign].trim();
    if subject.is_empty() || subject.contains(['"', '\n', '{']) || !balanced(subject) {
        return None;
    }
    let at = Span::new(mistake.token.start, mistake.token.start);
    let other = mistake.onwards().split([',', ')', ']', '{']).next()?;
    let other = other.split(" else ").next()?.split(" and ").next()?.split(" or ").next()?.trim();
    let help = format!("each condition says what it is about: `{clause} {joins} {subject} {other}`");
    let report = mistake.says(report, "what this is about is missing", help);
    let fix = Fix { sure: !negated, ..Fix::new(at, format!("{subject} ")) };
    Some(Diagnostic { fix: Some(fix), ..report })
}

fn balanced(text: &str) -> bool {
    let count = |c: char| text.matches(c).count();
    count('(') == count(')') && count('[') == count(']') && innermost(text).is_none()
}

/// `1: put 4 refuse "no"`, `over, winners 1 and 2`, `chance dice 3, 4`, `1: put 4, 2: put 3`: lines of an example in other
/// words.
fn check_in_other_words(mistake: &Mistake) -> Option<Diagnostic> {
    const REFUSED: &[&str] = &["refuse", "refuses", "rejected", "rejects", "forbidden", "illegal", "denied"];
    const SHOW: &[&str] = &["show", "showing", "shown", "print", "prints", "display", "displays"];
    let line = mistake.masked[mistake.part.start..mistake.part.end].lines().next()?.trim();
    if mistake.rule != Rule::one_example_line {
        return None;
    }
    let (last, place) = mistake.last;
    if mistake.word().starts_with('"') && mistake.before.ends_with(last) {
        let words = [(REFUSED, "refused"), (SHOW, "shows")];
        let (_, written) = words.into_iter().find(|(said, _)| said.contains(&last))?;
        let report = mistake.about(last, format!("write `{written} {}`", mistake.word()));
        return Some(report.fix_of(place, written));
    }
    if mistake.word() == "and" && (line.contains("winners ") || line.contains("winner ")) {
        let at = Span::new(mistake.part.start + mistake.before.len(), mistake.token.end);
        let fixed = format!("{},{}", mistake.before.trim(), mistake.rest());
        return Some(
            mistake.about("and", format!("winners are separated by commas: `{fixed}`")).fix_of(at, ","),
        );
    }
    let shown = line.strip_prefix("shows ").filter(|text| !text.contains(['"', '|']));
    if let Some(text) = shown {
        let written = format!("\"{text}\"");
        return Some(
            mistake.about(text, format!("what the table shows is a text: `shows {written}`")).fix(written),
        );
    }
    if mistake.word() != "," {
        return None;
    }
    // `chance dice 3, 4`
    if let Some((name, values)) = line.strip_prefix("chance ").and_then(|drawn| drawn.split_once(' ')) {
        let plain = values.split(',').all(|value| operand(value.trim()) == Some(value.trim()));
        let written = format!("[{values}]");
        let help = format!("several values are a list: `chance {name} {written}`");
        return plain.then(|| mistake.about(values, help).fix(written));
    }
    let (one, other) = (mistake.before.trim(), mistake.rest().trim());
    let moves = |text: &str| text.split_once(": ").is_some_and(|(seat, _)| operand(seat) == Some(seat));
    (moves(one) && moves(other)).then(|| {
        let help = format!("each choice has a line of its own: `{one}`, and below it `{other}`");
        mistake.about(mistake.word(), help)
    })
}

/// `1: put 4 shows 3,5`, `start shows nothing yet`: what an example says of the table, without quotes.
pub fn unquoted(mistake: &Mistake) -> Option<Diagnostic> {
    if let Some(report) = check_in_other_words(mistake) {
        return Some(report);
    }
    const SHOWS: &str = " shows ";
    let line = mistake.masked[mistake.part.start..mistake.part.end].lines().next()?;
    let at = line.find(SHOWS).filter(|_| mistake.rule == Rule::one_example_line)?;
    let text = line[at + SHOWS.len()..].trim();
    let inside = mistake.span_of(text).start <= mistake.token.start;
    (inside && !text.is_empty() && !text.contains(['"', '|'])).then(|| {
        let written = format!("\"{text}\"");
        mistake.about(text, format!("what the table shows is a text: `shows {written}`")).fix(written)
    })
}

/// `need C or "the reason"`.
pub fn or_for_else(
    report: &Diagnostic,
    first: &str,
    masked: &str,
    part: Span,
    wanted: &Wanted,
) -> Option<Diagnostic> {
    let line = masked[part.start..part.end].trim_end();
    let at = line.rfind(" or \"")? + 1;
    let ends = line.ends_with('"') && !line[at + "or \"".len()..line.len() - 1].contains(" or ");
    let lacks_reason = first == "need" && wanted.nouns.iter().any(|noun| noun == "`else`");
    (ends && lacks_reason).then(|| {
        let place = Span::new(part.start + at, part.start + at + "or".len());
        let report = Diagnostic { message: "this `need` has no reason".to_string(), ..report.clone() };
        let mut report = report.help("the reason follows `else`: `need C else \"the reason\"`");
        report.labels = vec![Label { span: place, text: "expected `else`".to_string() }];
        report.fix = Some(Fix::new(place, "else"));
        report
    })
}

/// `3a`: a square with its row first.
pub fn row_before_column(report: &Diagnostic, word: &str) -> Option<Diagnostic> {
    let (row, column) = word.split_at(word.find(|c: char| !c.is_ascii_digit())?);
    let is_square = !row.is_empty() && column.len() == 1 && column.chars().all(|c| c.is_ascii_lowercase());
    is_square.then(|| {
        let mut report = report.clone();
        report.labels[0].text = String::new();
        let written = format!("{column}{row}");
        report.help(format!("the column of a square comes first: `{written}`")).fix(written)
    })
}

/// `coins coins: int`, `move move take {`: a word or a sign that stands there twice; `at` is where the part cannot be read.
pub fn written_twice(masked: &str, part: Span, rule: Rule, at: usize) -> Option<Diagnostic> {
    const SIGNS: &[&str] = &[",", ":", "=", ":="];
    let text = &masked[part.start..part.end];
    let line_start = part.start + text[..at.min(part.end) - part.start].rfind('\n').map_or(0, |at| at + 1);
    let mut pairs = Vec::new();
    let mut first = token_at(masked, line_start, part.end);
    while first.start < first.end {
        let second = token_at(masked, first.end, part.end);
        if second.start > at || second.start == second.end {
            break;
        }
        let word = &masked[first.start..first.end];
        let doubles = word.starts_with(char::is_alphabetic) || SIGNS.contains(&word);
        if doubles && *word == masked[second.start..second.end] {
            pairs.push((first, second));
        }
        first = second;
    }
    let (first, second) = pairs.into_iter().rev().find(|(first, second)| {
        let left = format!("{}{}", &masked[part.start..first.end], &masked[second.end..part.end]);
        let removed = second.end - first.end;
        // Further lines of an item may have mistakes of their own.
        match Grammar::parse(rule, &left) {
            Ok(_) => true,
            Err(error) => rule == Rule::one_item && part.start + error_at(&error) + removed > at,
        }
    })?;
    let message = format!("`{}` stands here twice", &masked[second.start..second.end]);
    let report = Diagnostic::new(Code::Unexpected, second, message, "").help("leave out one of the two");
    Some(report.fix_of(Span::new(first.end, second.end), ""))
}

/// `2: name 4 show "named: {4, 5}"`: a text of what the table shows behind another word, in a line of an example.
pub fn shown_otherwise(text: &str, span: Span) -> Option<Diagnostic> {
    const SHOW: &[&str] = &[
        "show", "showing", "shown", "expect", "expects", "print", "prints", "display", "displays", "see",
        "sees",
    ];
    let line = text[..span.start].rsplit('\n').next()?;
    let said = line.trim_end();
    let word = said.rsplit(' ').next().filter(|word| SHOW.contains(word))?;
    let step = said.strip_suffix(word)?.trim();
    let seat =
        step.split_once(':').is_some_and(|(seat, _)| seat.chars().all(|c| c.is_alphanumeric() || c == '_'));
    let begins = step.is_empty() || seat || step == "start" || step.starts_with("chance ");
    let at = span.start - line.len() + said.len() - word.len();
    let place = Span::new(at, at + word.len());
    (line.starts_with(' ') && begins).then(|| {
        let report = Diagnostic::new(Code::Unexpected, place, format!("`{word}` does not fit here"), "");
        report.help("what the table shows then is written `shows \"…\"`").fix("shows")
    })
}

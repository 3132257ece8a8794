//! Reports for whole phrases of speech and of other languages that have another order or other signs here:
//! `odd k`, `k is not in row`, `swap a, b`, `x += 1 if C`.

use pest::Parser;

use super::conditions::{condition, opposite};
use super::grammar::{Grammar, Rule};
use super::habits::{BINDERS, Mistake, declares_move, innermost};
use super::idioms;
use super::methods::method_call;
use super::possession::possession;
use super::predicates::{neither, shared_subject};
use super::report::end_of_part;
use super::sentences::holds_several;
use crate::diag::{Diagnostic, Fix};
use crate::source::Span;

/// Functions of one value that are said without brackets: `odd k`, `size of row`.
const FUNCTIONS: &[&str] = &[
    "abs",
    "digits",
    "distinct",
    "divisors",
    "even",
    "factors",
    "first",
    "largest",
    "last",
    "odd",
    "palindrome",
    "prime",
    "product",
    "reversed",
    "root",
    "runs",
    "size",
    "smallest",
    "sorted",
    "sum",
];

/// Returns the operand that a text begins with: a number, or a name and the brackets after it.
pub fn operand(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            '{' if at == 0 || depth > 0 => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            '"' | '\n' => {
                end = at;
                break;
            }
            c if depth > 0 || c.is_alphanumeric() || matches!(c, '_' | '.') => {}
            '-' if at == 0 => {}
            _ => {
                end = at;
                break;
            }
        }
    }
    Some(&text[..end]).filter(|text| depth == 0 && text.chars().any(|c| c != '-'))
}

/// Returns a text without a phrase at its end, and that phrase, if it ends with one of these.
fn split_phrase<'t>(text: &'t str, phrases: &[&str]) -> Option<(&'t str, &'t str)> {
    phrases.iter().find_map(|phrase| {
        let left = text.strip_suffix(phrase)?;
        let word = left.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        (!word).then(|| (left.trim_end(), &text[left.len()..]))
    })
}

/// Returns the sum, the product or the like that a text ends with.
pub fn value_before(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let mut start = text.len() - operand_before(text)?.len();
    while let Some((rest, _)) = split_phrase(text[..start].trim_end(), &["+", "-", "*", "^", "div", "mod"]) {
        let Some(more) = operand_before(rest) else { break };
        start = rest.len() - more.len();
    }
    Some(&text[start..])
}

/// Returns the operand that a text ends with.
pub fn operand_before(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let mut depth = 0usize;
    let mut start = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' if depth > 0 => depth -= 1,
            c if depth > 0 || c.is_alphanumeric() || matches!(c, '_' | '.') => {}
            _ => {
                start = at + c.len_utf8();
                break;
            }
        }
    }
    Some(&text[start..]).filter(|text| depth == 0 && !text.is_empty())
}

/// Diagnoses a phrase; `report` says what the grammar expected.
pub fn phrase(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    method_call(mistake)
        .or_else(|| is_in(mistake))
        .or_else(|| shared_subject(mistake))
        .or_else(|| neither(mistake))
        .or_else(|| possession(mistake))
        .or_else(|| is_equal(mistake))
        .or_else(|| the_function(mistake))
        .or_else(|| idioms::value(mistake))
        .or_else(|| implies(mistake, report))
        .or_else(|| binder(mistake, report))
        .or_else(|| copies_of(mistake))
        .or_else(|| bare_function(mistake))
        .or_else(|| with_two_places(mistake, report))
        .or_else(|| with_its_name(mistake, report))
        .or_else(|| second_where(mistake, report))
        .or_else(|| where_behind_body(mistake, report))
        .or_else(|| several_sources(mistake, report))
        .or_else(|| several_places(mistake, report))
        .or_else(|| condition(mistake, report))
        .or_else(|| odd_draw(mistake, report))
}

/// `k is in row`, `k is not in row`.
fn is_in(mistake: &Mistake) -> Option<Diagnostic> {
    let (left, phrase) = split_phrase(mistake.before, &["is not in", "is in"])?;
    if !mistake.begins_value() && mistake.word() != "{" {
        return None;
    }
    let sign = if phrase == "is in" { "in" } else { "not in" };
    let (k, s) = (operand_before(left).unwrap_or("k"), operand(mistake.onwards()).unwrap_or("S"));
    let is = &phrase[..2];
    let report = mistake
        .about(is, format!("write `{k} {sign} {s}`; `p is in` asks whether a player is still in the game"));
    let start = mistake.span_of(is).start;
    Some(Diagnostic { fix: Some(Fix::new(Span::new(start, start + 3), "")), ..report })
}

/// `sum(row) is 6`, `me is seat(1)`, `me is player 1`.
fn is_equal(mistake: &Mistake) -> Option<Diagnostic> {
    let (before, name) = match mistake.last.0 {
        "is" | "not" => (mistake.before, ""),
        name => (mistake.before.strip_suffix(name)?.trim_end(), name),
    };
    let (left, phrase) = split_phrase(before, &["is not", "is"])?;
    let word = mistake.word();
    let number = word.starts_with(|c: char| c.is_ascii_digit());
    // `is 3 or more`
    if number && mistake.rest().starts_with(" or ") && phrase == "is" {
        let end = mistake.rest()[" or ".len()..].split(' ').next().unwrap_or("");
        if ["more", "higher", "less", "fewer", "lower"].contains(&end) {
            return None;
        }
    }
    let sign = if phrase == "is" { "=" } else { "!=" };
    let is = mistake.span_of(phrase);
    let (value, fix) = match name {
        "" if number || matches!(word, "-" | "(" | "[" | "yes" | "no") => {
            (operand(mistake.onwards())?.to_string(), Fix::new(is, sign))
        }
        "player" | "seat" if number => {
            let seat = format!("seat({word})");
            let whole = Span::new(is.start, mistake.token.end);
            (seat.clone(), Fix::new(whole, format!("{sign} {seat}")))
        }
        name if matches!(word, "(" | ".") && !name.is_empty() => {
            (operand(&mistake.masked[mistake.last.1.start..])?.to_string(), Fix::new(is, sign))
        }
        _ => return None,
    };
    let x = value_before(left).unwrap_or("x");
    let report = mistake.about(
        phrase,
        format!(
            "values are compared with `{sign}`: `{x} {sign} {value}`; `is` asks for a property, as in `x is prime`"
        ),
    );
    Some(Diagnostic { fix: Some(fix), ..report })
}

/// `C implies D`.
fn implies(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    if mistake.word() != "implies" {
        return None;
    }
    let condition = mistake.before.trim().strip_prefix(mistake.first).unwrap_or("").trim();
    let whole = matches!(mistake.first, "need" | "if") && innermost(mistake.before).is_none();
    Some(mistake.says(
        report,
        "",
        match whole && !condition.is_empty() {
            true => format!("write `{} or …`", opposite(condition)),
            false => "write `not (C) or D`".to_string(),
        },
    ))
}

/// `none(x in S: C)`, `some x in S: C`, `for all x in S: C`.
fn binder(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (word, place) = mistake.last;
    let goes_through = |text: &str| text.contains(" in ");
    if matches!(word, "none" | "no") && mistake.word() == "(" && goes_through(mistake.rest()) {
        let none = &mistake.masked[place.start..place.end];
        let help = "write `not some(x in S: C)`: there is no x for which C holds";
        return Some(mistake.about(none, help).fix("not some"));
    }
    if word == "for" && matches!(mistake.word(), "all" | "each" | "every" | "any") {
        let inside = matches!(mistake.rule, Rule::one_item | Rule::one_statement) && mistake.first != "for";
        let whole = &mistake.masked[place.start..mistake.token.end];
        return inside.then(|| mistake.about(whole, "write `all(x in S: C)`"));
    }
    let source = mistake.rest().strip_prefix(" in ").filter(|_| mistake.is_name())?;
    BINDERS.contains(&word).then(|| {
        let sign = if word == "count" { " where" } else { ":" };
        let (x, rest) = (mistake.word(), source);
        let every = source.strip_prefix("every ").and_then(operand).map(|kind| &source[..6 + kind.len()]);
        let source = every.or(operand(source)).unwrap_or("S");
        let condition = rest.strip_prefix(source).unwrap_or("").trim_start();
        let condition = condition.strip_prefix("where ").or(condition.strip_prefix(": ")).map(str::trim);
        // The block of a statement, or the reason of a need, goes on behind it.
        let condition =
            condition.map(|it| it.strip_suffix('{').unwrap_or(it).split(" { ").next().unwrap_or(it));
        let condition = condition.map(|it| it.split(" else \"").next().unwrap_or(it).trim());
        let plain = condition.filter(|condition| !condition.contains(['{', '"']) && !condition.is_empty());
        let body = format!(
            "{sign} {}",
            plain.unwrap_or(if matches!(word, "all" | "some" | "count") { "C" } else { "E" })
        );
        if word == "count" && x.starts_with(|c: char| c.is_ascii_digit()) {
            return mistake.says(
                report,
                "expected `(`",
                format!("how often it occurs is `copies({x}, {source})`"),
            );
        }
        let written = format!("{word}({x} in {source}{body})");
        let report = mistake.says(report, "expected `(`", format!("write `{written}`"));
        match plain {
            Some(plain) => {
                let whole = Span::new(place.start, mistake.span_of(plain).end);
                let reads = mistake.reads_further(whole, &written);
                Diagnostic { fix: reads.then(|| Fix::likely(whole, written)), ..report }
            }
            None => report,
        }
    })
}

/// `copies of k in row`, `number of k in row`, `number of tiles`.
fn copies_of(mistake: &Mistake) -> Option<Diagnostic> {
    let (word, place) = mistake.last;
    if mistake.word() != "of" || !matches!(word, "copies" | "number" | "count") {
        return None;
    }
    let k = operand(mistake.rest().trim_start())?;
    let behind = &mistake.masked[mistake.span_of(k).end..mistake.part.end];
    let Some(s) = behind.strip_prefix(" in ") else {
        // A number of things that have no name is said in other words.
        let counts = word != "copies" && (k.contains('.') || mistake.is_elsewhere(k));
        let whole = Span::new(place.start, mistake.span_of(k).end);
        let written = format!("size({k})");
        let report = mistake.about(mistake.word(), format!("write `{written}`"));
        let fix = Fix { sure: holds_several(mistake.masked, k), ..Fix::new(whole, written) };
        return counts.then_some(Diagnostic { fix: Some(fix), ..report });
    };
    let s = operand(s.trim_start())?;
    let rest = &mistake.masked[mistake.span_of(s).end..mistake.part.end];
    if rest.trim_start().starts_with("where ") {
        let help = format!("write `count({k} in {s} where …)`: for how many of them the condition holds");
        return Some(mistake.about(mistake.word(), help));
    }
    let whole = Span::new(place.start, mistake.span_of(s).end);
    let written = format!("copies({k}, {s})");
    let report = mistake.about(mistake.word(), format!("write `{written}`: how often `{k}` occurs"));
    Some(Diagnostic { fix: Some(Fix::new(whole, written)), ..report })
}

/// `piles with [1][2] = 3`.
fn with_two_places(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    if mistake.word() != "[" || !mistake.before.ends_with(']') {
        return None;
    }
    let (base, at) = mistake.before.rsplit_once(" with ")?;
    let (base, at) = (operand_before(base)?, operand(at.trim_start())?);
    let inner = operand(mistake.onwards())?;
    let help = format!("write `{base} with {at} = ({base}{at} with {inner} = …)`, one place at a time");
    Some(mistake.says(report, "expected `=`", help))
}

/// `row with row[at] = 1`: the name of what is changed once more.
fn with_its_name(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let base = operand_before(mistake.before.strip_suffix(" with")?.trim_end())?;
    let place = mistake.onwards().strip_prefix(base)?;
    let at = operand(place.strip_prefix('[').and(Some(mistake.onwards()))?)?;
    let index = at.strip_prefix(base)?;
    let name = mistake.span_of(&at[..base.len()]);
    let help = format!("the place alone stands behind `with`: write `{base} with {index} = …`");
    Some(mistake.says(report, "expected `[`", help).fix_of(name, ""))
}

/// `odd k`, `size of row`.
fn bare_function(mistake: &Mistake) -> Option<Diagnostic> {
    let (word, place) = mistake.last;
    let holds_values = matches!(mistake.rule, Rule::one_item | Rule::one_statement | Rule::one_expr);
    let last_mover = word == "last" && matches!(mistake.first, "winner" | "loser");
    let field = mistake.before.ends_with(&format!(".{word}"));
    let then = mistake.word() == "then";
    if mistake.word() == "xor" {
        let help = "`(C) != (D)` asks whether one of the two holds, and not both";
        return operand_before(mistake.before).map(|_| mistake.about(mistake.word(), help));
    }
    if !FUNCTIONS.contains(&word) || !mistake.is_name() || !holds_values || last_mover || field || then {
        return None;
    }
    let before = mistake.before.strip_suffix(word)?.trim_end();
    if let Some((left, is)) = split_phrase(before, &["is not", "is"]) {
        // `k is even number`: a noun behind the property.
        let (k, noun) = (operand_before(left).unwrap_or("k"), mistake.word());
        return Some(mistake.about(noun, format!("write `{k} {is} {word}`, without `{noun}`")));
    }
    let value = mistake.onwards();
    let value = value.strip_prefix("of ").unwrap_or(value).trim_start();
    let value = value.strip_prefix("all ").unwrap_or(value).trim_start();
    let line = mistake.masked[mistake.span_of(value).start..mistake.part.end].lines().next().unwrap_or("");
    let goes_through = match line.split_once(" for ") {
        Some((each, from)) => operand(each).zip(from.split_once(" in ")),
        None => line.split_once(" in ").filter(|(k, _)| operand(k) == Some(k)).map(|(k, s)| (k, (k, s))),
    };
    if let Some((each, (k, s))) = goes_through.filter(|_| BINDERS.contains(&word)) {
        let s = operand(s).unwrap_or("S");
        return Some(mistake.about(mistake.word(), format!("write `{word}({k} in {s}: {each})`")));
    }
    let value = operand(value)?;
    let whole = &mistake.masked[place.start..mistake.span_of(value).end];
    // `distinct parts`: the parts of the row that is chosen.
    let meant = chosen_row(mistake).filter(|_| !is_named(mistake.masked, value)).unwrap_or(value);
    let written = format!("{word}({meant})");
    let report = mistake.about(mistake.word(), format!("write `{written}`"));
    let place = mistake.span_of(whole);
    // The function may as well be meant of all that follows.
    let behind = mistake.masked[place.end..mistake.part.end].trim_start();
    let goes_on = behind.starts_with(['+', '-', '*', '/']) || behind.starts_with("and ");
    let fix = if goes_on { Fix::likely(place, written) } else { Fix::new(place, written) };
    Some(Diagnostic { fix: Some(fix), ..report })
}

/// `the sum of row`: a function of one value with its article.
fn the_function(mistake: &Mistake) -> Option<Diagnostic> {
    let (article, place) = mistake.last;
    let of = mistake.rest().strip_prefix(" of ").filter(|_| article == "the")?.trim_start();
    let of = ["all ", "the "].iter().fold(of, |of, word| of.strip_prefix(word).unwrap_or(of));
    let value = operand(of).filter(|_| FUNCTIONS.contains(&mistake.word()))?;
    let line = mistake.masked[mistake.span_of(value).end..mistake.part.end].lines().next().unwrap_or("");
    // What is gone through, or a word between, as in `the sum of cards in hand`.
    let behind = line.trim_start();
    if value.starts_with(|c: char| c.is_ascii_digit())
        || behind.starts_with(|c: char| c.is_alphabetic()) && {
            let next = behind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
            !["is", "and", "or", "else", "then", "div", "mod", "divides"].contains(&next)
        }
    {
        return None;
    }
    let whole = Span::new(place.start, mistake.span_of(value).end);
    let written = format!("{}({value})", mistake.word());
    let goes_on = behind.starts_with(['+', '-', '*', '/']);
    let report = mistake.about(&mistake.masked[whole.start..whole.end], format!("write `{written}`"));
    let fix = Fix { sure: !goes_on, ..Fix::new(whole, written) };
    Some(Diagnostic { fix: Some(fix), ..report })
}

/// Whether a text declares something with a name.
fn is_named(masked: &str, name: &str) -> bool {
    [" in ", ": ", " = ", "("].iter().any(|sign| masked.contains(&format!("{name}{sign}")))
}

/// Returns the only parameter of the move around a mistake that is a row.
fn chosen_row<'m>(mistake: &Mistake<'m>) -> Option<&'m str> {
    let (_, head) = mistake.masked[..mistake.token.start].rsplit_once("\nmove ")?;
    let head = head.lines().next()?;
    let rows = [" in lists(", " in arrangements(", " in subsets(", " in permutations("];
    let mut found = rows.iter().flat_map(|row| head.match_indices(row));
    let ((at, _), None) = (found.next()?, found.next()) else { return None };
    operand_before(&head[..at])
}

/// `some(x in S where C, y in T where D: E)`.
fn second_where(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let open = innermost(mistake.before)?;
    let (sources, condition) = mistake.before[open + 1..].split_once(" where ")?;
    if mistake.word() != "," || !sources.contains(" in ") || !mistake.rest().contains(" in ") {
        return None;
    }
    // `reach(x in [0] where C, [n in steps: x + n])`: what follows is no source, but what is made of each.
    let group = &mistake.rest()[..end_of_group(mistake.rest())];
    let made = group.trim_start();
    if operand(made).is_some_and(|value| !value.is_empty() && value.contains(['[', '(']))
        && !made.starts_with('(')
    {
        let place = Span::new(mistake.token.start, mistake.token.end);
        if mistake.reads_further(place, ":") {
            let head = operand_before(&mistake.before[..open]).unwrap_or("");
            let opens = &mistake.before[open..=open];
            let closes = if opens == "[" { "]" } else { ")" };
            let whole = format!("{head}{opens}{}:{group}{closes}", &mistake.before[open + 1..]);
            let help = format!("what is made of each stands behind `:`: `{whole}`");
            return Some(mistake.says(report, "expected `:`", help).fix(":"));
        }
    }
    let joined = |condition: &str| match condition.contains(" or ") {
        true => format!("({})", condition.trim()),
        false => condition.trim().to_string(),
    };
    let more = &mistake.rest()[..end_of_group(mistake.rest())];
    let (more, second) = match more.split_once(" where ") {
        Some((more, rest)) => {
            let (second, body) = rest.split_once(':').map_or((rest, ""), |(second, body)| (second, body));
            let body = if body.is_empty() { String::new() } else { format!(":{body}") };
            (more, Some((second, body)))
        }
        None => (more, None),
    };
    if more.contains(',') || second.as_ref().is_some_and(|(second, _)| second.contains(',')) {
        return Some(mistake.says(
            report,
            "",
            "there is one `where`, after all sources: `x in S, y in T where C and D`",
        ));
    }
    let written = match &second {
        Some((second, body)) => {
            format!("{},{more} where {} and {}{body}", sources, joined(condition), joined(second))
        }
        None => {
            let (more, body) =
                more.split_once(':').map_or((more, String::new()), |(more, body)| (more, format!(":{body}")));
            format!("{},{more} where {}{body}", sources, condition.trim())
        }
    };
    let start = mistake.part.start + open + 1;
    let whole = Span::new(start, mistake.token.end + end_of_group(mistake.rest()));
    let head = operand_before(&mistake.before[..open]).unwrap_or("");
    let (opens, closes) = if mistake.before[open..].starts_with('[') { ("[", "]") } else { ("(", ")") };
    let help = format!("there is one `where`, after all sources: `{head}{opens}{written}{closes}`");
    let report = mistake.says(report, "", help);
    Some(Diagnostic { fix: Some(Fix::new(whole, written)), ..report })
}

/// `sum(x in S: E where C)`.
fn where_behind_body(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let word = mistake.word();
    let open = innermost(mistake.before).filter(|_| matches!(word, "where" | "while"))?;
    let (sources, body) = mistake.before[open + 1..].split_once(':')?;
    if !sources.contains(" in ") || sources.contains(word) {
        return None;
    }
    let condition = &mistake.rest()[..end_of_group(mistake.rest())];
    let written = format!("{} {word}{condition}:{}", sources.trim_end(), body.trim_end());
    let start = mistake.part.start + open + 1;
    let whole = Span::new(start, mistake.token.end + condition.len());
    let head = operand_before(&mistake.before[..open]).unwrap_or("");
    let (opens, closes) = if mistake.before[open..].starts_with('[') { ("[", "]") } else { ("(", ")") };
    let help = format!("`{word}` comes before the colon: `{head}{opens}{written}{closes}`");
    let report = mistake.says(report, "", help);
    Some(Diagnostic { fix: Some(Fix::new(whole, written)), ..report })
}

/// Returns where the bracket that surrounds a text closes, or its end.
fn end_of_group(text: &str) -> usize {
    end_of_part(text, |_, _| false).unwrap_or(text.len())
}

/// `each x in S, y in T { … }`.
fn several_sources(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let first = mistake.first;
    let statement = mistake.rule == Rule::one_statement && matches!(first, "each" | "cycle");
    if !statement || mistake.word() != "," || innermost(mistake.before).is_some() {
        return None;
    }
    let (x, s) = mistake.before.trim().strip_prefix(first)?.split_once(" in ")?;
    let second = mistake.rest().split('{').next()?.trim();
    let (y, t) = second.split_once(" in ")?;
    let (x, s) = (x.trim(), s.trim());
    let (t, filter) = t.split_once(" where ").map_or((t, String::new()), |(t, c)| (t, format!(" where {c}")));
    Some(mistake.says(
        report,
        "",
        match first == "each" && !s.contains(" where ") {
            true => format!(
                "put one `each` into the other, `each {x} in {s} {{ each {second} {{ … }} }}`, or go through pairs: `each ({x}, {y}) in tuples({s}, {t}){filter} {{ … }}`"
            ),
            false => format!("put a loop for the second into the first: `each {second} {{ … }}`"),
        },
    ))
}

/// `a, b := b, a` and `let a, b = c`.
fn several_places(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    if mistake.rule != Rule::one_statement || mistake.word() != "," || innermost(mistake.before).is_some() {
        return None;
    }
    let line = mistake.masked[mistake.part.start..mistake.part.end].trim();
    let (places, values, written) = match mistake.first {
        "let" => {
            let (names, value) = line.strip_prefix("let ")?.split_once('=')?;
            (names, value, "let ")
        }
        _ => {
            let (places, values) = line.split_once(":=")?;
            (places, values, "")
        }
    };
    let (places, values) = (places.trim().trim_end_matches(':'), values.trim());
    let other = mistake.rest().trim();
    // What follows the comma is a statement of its own.
    let states = operand(other) != Some(other) && Grammar::parse(Rule::one_statement, other).is_ok();
    let assigns = [" += ", " -= ", " := "].iter().any(|sign| places.contains(sign));
    if assigns
        || places.contains(['{', '\n', '"'])
        || values.contains(['\n', '{'])
        || states && !places.contains(',')
    {
        return None;
    }
    if !places.contains(',') {
        let values = format!("({values})");
        let help = format!("several values stand in brackets: `{values}` is a pair, or the like");
        let report = mistake.says(report, "", help);
        let place = mistake.span_of(line.split_once('=')?.1.trim());
        return Some(Diagnostic { fix: Some(Fix::likely(place, values)), ..report });
    }
    let sign = if written.is_empty() { ":=" } else { "=" };
    let several = are_several(values);
    let values = if several { format!("({values})") } else { values.to_string() };
    let written = format!("{written}({places}) {sign} {values}");
    let report = mistake.says(report, "", format!("several at once stand in parentheses: `{written}`"));
    Some(Diagnostic { fix: Some(Fix::new(mistake.span_of(line), written)), ..report })
}

/// Whether a text is several values with commas between them, outside all brackets.
fn are_several(text: &str) -> bool {
    let mut depth = 0;
    text.chars().any(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
}

/// `deal 2 to me.hand`, `draw 2 from deck`, `chance d from 1..6`, `let d = chance 1..6`.
fn odd_draw(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let number = mistake.word().starts_with(|c: char| c.is_ascii_digit());
    Some(match (mistake.first, mistake.word()) {
        ("deal", "to") if !mistake.before.contains(" from ") => mistake.says(
            report,
            "expected `from`",
            "say how many and from where: `deal 3 from deck to me.hand`",
        ),
        ("draw", word) if number => mistake.says(
            report,
            "expected a name",
            format!("`draw card from pile` takes one and names it; `deal {word} from pile to me.hand` takes several"),
        ),
        ("chance", "from") => {
            mistake.says(report, "expected `in`", "write it like this: `chance die in 1..6`").fix("in")
        }
        ("let", _) if mistake.last.0 == "chance" => {
            let name = mistake.before.trim().strip_prefix("let ")?.split('=').next()?.trim();
            let whole = mistake.before.trim();
            let source = operand(mistake.onwards())?;
            let written = format!("chance {name} in {source}");
            let place = Span::new(mistake.span_of(whole).start, mistake.span_of(source).end);
            let help = format!("a draw is a line of its own, and names what was drawn: `{written}`");
            Diagnostic { fix: Some(Fix::new(place, written)), ..mistake.about(mistake.last.0, help) }
        }
        ("each", "from") if mistake.before.trim_end().ends_with("in players") => mistake.says(
            report,
            "",
            "turns begin with a player, here once round: `turns from p as turn { put } until turn = size(players)`",
        ),
        ("each", word) if word != "in" && mistake.before.trim() == "each player" => {
            done_to_each(mistake, report)
        }
        _ => return None,
    })
}

/// `each player { deal 3 from deck to me.hand }`, as a loop of play.
fn done_to_each(mistake: &Mistake, report: &Diagnostic) -> Diagnostic {
    let whole = mistake.masked[mistake.part.start..mistake.part.end].trim();
    let inside = whole.strip_prefix("each player {").and_then(|inside| inside.strip_suffix('}'));
    // Line ends have become blanks.
    let inside = inside.filter(|inside| !inside.contains("  ")).map(str::trim);
    let free = |inside: &&str| !inside.contains('\n') && word_replaced(inside, "p", "") == **inside;
    let written = inside.filter(free).map(|inside| {
        let asked = if declares_move(mistake.masked, inside) { "ask p to " } else { "" };
        format!("each p in players {{ {asked}{} }}", word_replaced(inside, "me", "p"))
    });
    match written.filter(|written| Grammar::parse(Rule::one_statement, written).is_ok()) {
        Some(written) => {
            let report = mistake.says(report, "", format!("write `{written}`"));
            // What does not depend on the player may not be meant for each.
            let (_, inside) = written.split_once('{').unwrap_or_default();
            let sure = word_replaced(inside, "p", "") != inside;
            Diagnostic {
                fix: Some(Fix { sure, ..Fix::new(mistake.span_of(whole), written.clone()) }),
                ..report
            }
        }
        None => {
            let help =
                "write `each p in players { … }`, with `p` for `me` in it, and `ask p to …` for a choice";
            mistake.says(report, "", help)
        }
    }
}

/// Returns a text with another word for one of its words.
fn word_replaced(text: &str, word: &str, other: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let end = at + word.len();
        let apart = !rest[..at].ends_with(|c| is_word(c) || c == '.') && !rest[end..].starts_with(is_word);
        let joined = at == 0 && out.ends_with(is_word);
        out.push_str(&rest[..at]);
        out.push_str(if apart && !joined { other } else { word });
        rest = &rest[end..];
    }
    out + rest
}

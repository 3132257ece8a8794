//! Reports for parameters of moves: several names in front of one `in`, values that the play gives.

use super::grammar::Rule;
use super::habits::{Mistake, innermost};
use super::idioms::only_grid;
use super::kinds::is_kind;
use super::phrases::operand;
use super::report::{end_of_part, is_word};
use super::wanted::Wanted;
use crate::diag::{Diagnostic, Fix};
use crate::source::Span;

/// `move take(h, g in 1..4)`: several names in front of one `in`.
pub fn names_share_in(mistake: &Mistake, report: &Diagnostic, wanted: &Wanted) -> Option<Diagnostic> {
    let Mistake { masked, part, first, last: (name, place), .. } = *mistake;
    if mistake.word() != "," || !wanted.nouns.iter().any(|noun| noun == "`in`") || !is_word(name) {
        return None;
    }
    let mut report = report.clone();
    report.labels[0].text = "expected `in`".to_string();
    match first {
        "each" | "cycle" => {
            return Some(report.help(format!(
                "the parts of a pair are named in parentheses, `{first} ({name}, y) in S`; for all combinations, put one `{first}` into the other"
            )));
        }
        "chance" => return Some(report.help("draw each on a line of its own: `chance die in 1..6`")),
        "move" | "secret" if is_given(masked, part, name) => return Some(given(report, name, place)),
        "move" | "secret" => {}
        _ => return None,
    }
    // What follows are further names, and then the `in` that all of them should share.
    let rest = mistake.to_the_end();
    let mut names = vec![name];
    let mut domain = None;
    for piece in rest.split(',').skip(1) {
        let piece = piece.trim_start();
        let length = piece.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(piece.len());
        let (next, after) = piece.split_at(length);
        if !is_word(next) {
            break;
        }
        names.push(next);
        if let Some(from) = after.strip_prefix(" in ") {
            let start = from.as_ptr() as usize - rest.as_ptr() as usize;
            domain = closed(&rest[start..]);
            break;
        }
        if !after.trim().is_empty() {
            break;
        }
    }
    let all = |domain: &str| {
        let parts: Vec<String> = names.iter().map(|name| format!("{name} in {domain}")).collect();
        let condition = condition_behind(rest, domain).map(|it| format!(" where {it}")).unwrap_or_default();
        format!("give each name its own `in`: `{}{condition}`", parts.join(", "))
    };
    let Some(domain) = domain else {
        let guessed = chosen_from(masked, part, name).unwrap_or_else(|| "…".into());
        return Some(report.help(all(&guessed)));
    };
    let inserted = format!(" in {domain}");
    if names.len() == 2 {
        report.fix = Some(Fix::new(Span::new(place.end, place.end), inserted));
    }
    Some(report.help(all(domain)))
}

/// `move run(k in 1..3, die)`: a name alone where the play gives the move a value.
pub fn given_alone(mistake: &Mistake, report: &Diagnostic, wanted: &Wanted) -> Option<Diagnostic> {
    let (name, place) = mistake.last;
    let rest = mistake.to_the_end();
    let known = is_given(mistake.masked, mistake.part, name);
    if !names_parameter(mistake, wanted) || !known || !rest.starts_with([')', ':']) {
        return None;
    }
    // A type behind it goes.
    let end = if rest.starts_with(')') { 0 } else { end_of_part(rest, |_, c| c == ',')? };
    let report = given(report.clone(), name, place);
    let whole = Span::new(place.start, place.end + end);
    Some(Diagnostic { fix: Some(Fix::new(whole, format!("given {name}"))), ..report })
}

/// `move claim(square)`, `move bid(amount: int)`: a parameter that is chosen from nothing.
pub fn chosen_from_nothing(mistake: &Mistake, report: &Diagnostic, wanted: &Wanted) -> Option<Diagnostic> {
    let (name, place) = mistake.last;
    let rest = mistake.to_the_end();
    if !names_parameter(mistake, wanted) || !is_word(name) {
        return None;
    }
    if ["a", "an", "any", "the", "one"].contains(&name) && mistake.is_name() {
        let word = mistake.word();
        let guessed = chosen_from(mistake.masked, mistake.part, word).unwrap_or_else(|| "1..9".into());
        let help = format!("a parameter is a name and what it is chosen from: `{word} in {guessed}`");
        return Some(mistake.says(report, "expected `in`", help));
    }
    // `k of 1..9`, `k is 1..9`, `k up to 9`
    let words = ["of", "out of", "is", "is in", "among", "from", "up to", "at most"];
    let word =
        words.iter().rev().find(|word| rest.strip_prefix(**word).is_some_and(|rest| rest.starts_with(' ')));
    if let Some((word, from)) = word.and_then(|word| Some((word, operand(rest[word.len()..].trim_start())?)))
        && (from.contains("..") || matches!(*word, "up to" | "at most"))
        && rest[word.len()..].trim_start()[from.len()..].starts_with([')', ','])
    {
        let range = if from.contains("..") { from.to_string() } else { format!("1..{from}") };
        let written = format!("in {range}");
        let place = Span::new(mistake.token.start, mistake.span_of(from).end);
        let help = format!("what a player chooses is chosen from something: `{name} {written}`");
        return Some(mistake.says(report, "expected `in`", help).fix_of(place, written));
    }
    // `k between 1 and 3`
    let said = mistake.rest().trim_start();
    let ends = [("between", " and "), ("from", " to ")].iter().find(|(word, _)| *word == mistake.word());
    if let Some((low, high)) = ends.and_then(|(_, joins)| said.split_once(joins))
        && let Some(high) = operand(high).filter(|_| operand(low) == Some(low))
    {
        let written = format!("in {low}..{high}");
        let place = Span::new(mistake.token.start, mistake.span_of(high).end);
        let report = mistake.says(report, "expected `in`", format!("a range is written `{name} {written}`"));
        return Some(report.fix_of(place, written));
    }
    if !rest.starts_with([')', ':']) {
        return None;
    }
    let ty = match rest.strip_prefix(':') {
        Some(ty) => ty[..end_of_part(ty, |_, c| c == ',' || c == '\n')?].trim(),
        None => "",
    };
    // What is no word of a type may be what it is chosen from.
    let of_kind = is_kind(mistake.masked, ty);
    if !of_kind
        && !["", "int", "integer", "number", "square", "card", "player", "str", "string"].contains(&ty)
    {
        return None;
    }
    let called = if matches!(ty, "player" | "square") { ty } else { name };
    let guessed = match of_kind {
        true => Some(format!("every {ty}")),
        false => chosen_from(mistake.masked, mistake.part, called),
    };
    let written = format!("{name} in {}", guessed.as_deref().unwrap_or("1..9"));
    let other = if guessed.is_some() { "" } else { ", or another range, a list or a set" };
    let report = mistake.says(
        report,
        "expected `in` and what it is chosen from",
        format!("what a player chooses is chosen from something: `{written}`{other}"),
    );
    let end = match rest.strip_prefix(':') {
        Some(typed) => 1 + typed.find(ty)? + ty.len(),
        None => 0,
    };
    let whole = Span::new(place.start, place.end + end);
    Some(Diagnostic { fix: guessed.map(|_| Fix::likely(whole, written)), ..report })
}

/// Whether the last word names a parameter of a move, behind which `in` is missing.
fn names_parameter(mistake: &Mistake, wanted: &Wanted) -> bool {
    matches!(mistake.first, "move" | "secret") && wanted.nouns.iter().any(|noun| noun == "`in`")
}

/// Returns what a parameter is probably chosen from, by its name: players, squares of the only grid, the cards of a hand.
fn chosen_from(masked: &str, part: Span, name: &str) -> Option<String> {
    const PLAYERS: &[&str] = &["player", "opponent", "target", "who", "whom", "victim", "rival"];
    const SQUARES: &[&str] = &["square", "at", "cell", "place", "pos", "position", "field", "spot"];
    const HANDS: &[&str] = &["card", "tile", "piece", "domino"];
    let elsewhere = format!("{}{}", &masked[..part.start], &masked[part.end..]);
    match name {
        name if PLAYERS.contains(&name) => Some("me.others".to_string()),
        name if SQUARES.contains(&name) => {
            only_grid(&elsewhere).or_else(|| elsewhere.contains(" board").then(|| "board".to_string()))
        }
        name if HANDS.contains(&name) => elsewhere.contains(" hand: ").then(|| "me.hand".to_string()),
        _ => None,
    }
}

/// `move take(k in 1..9) where k not in used { … }`: a condition behind the parameters.
pub fn condition_behind_parameters(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let declares = matches!(mistake.first, "move" | "secret") && mistake.rule == Rule::one_item;
    let inside = mistake.before.strip_suffix(')').filter(|_| declares)?;
    let condition = mistake.rest().split('{').next()?.trim();
    let param = inside.rsplit([',', '(']).next()?;
    if !matches!(mistake.word(), "where" | "if" | "when")
        || condition.is_empty()
        || mistake.before.contains('{')
    {
        return None;
    }
    let where_ = if inside.contains(" where ") { "and" } else { "where" };
    let within = format!(" {where_} {condition}");
    let written = format!("{within})");
    let place = Span::new(mistake.span_of(inside).end, mistake.span_of(condition).end);
    let fits = inside.contains(" in ") && mistake.reads_further(place, &written);
    let help = match param.contains(" in ") {
        true => format!("the condition stands inside the parentheses: `{}{within}`", param.trim()),
        false => "the condition stands inside the parentheses, behind what is chosen from: `k in S where C`"
            .to_string(),
    };
    let report = mistake.says(report, "", help);
    Some(Diagnostic { fix: fits.then(|| Fix::new(place, written)), ..report })
}

/// `move share(parts in lists(3, 0..9), sum(parts) = 9) { … }`: a condition in the place of a parameter.
pub fn condition_as_parameter(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let declares = matches!(mistake.first, "move" | "secret") && mistake.rule == Rule::one_item;
    let open = innermost(mistake.before).filter(|_| declares && mistake.word() == "(")?;
    let (param, function) = mistake.before[open + 1..].rsplit_once(',')?;
    let rest = &mistake.masked[mistake.token.start..mistake.part.end];
    let rest = rest[..end_of_part(rest, |_, c| c == ',' || c == '\n')?].trim_end();
    let condition = format!("{}{rest}", function.trim());
    let compares = [" = ", " != ", " < ", " > ", " <= ", " >= "].iter().any(|sign| rest.contains(sign));
    if function.trim() != mistake.last.0 || !compares {
        return None;
    }
    let joins = if param.contains(" where ") { "and" } else { "where" };
    let written = format!(" {joins} {condition}");
    let place = Span::new(mistake.span_of(param).end, mistake.span_of(rest).end);
    if !mistake.reads_further(place, &written) {
        return None;
    }
    let help = format!("a condition on what is chosen stands behind it: `{}{written}`", param.trim());
    let report = mistake.says(report, "", help);
    Some(Diagnostic { fix: Some(Fix::new(place, written)), ..report })
}

fn given(report: Diagnostic, name: &str, place: Span) -> Diagnostic {
    let mut report = report;
    report.labels[0].text = String::new();
    let help = format!(
        "what the play gives is written `given {name}`; if the player chooses it, say from what: `{name} in …`"
    );
    Diagnostic { fix: Some(Fix::new(Span::new(place.start, place.start), "given ")), ..report.help(help) }
}

/// Whether the play gives a value by this name to the move that a part declares: `run(die)`, in another place.
fn is_given(masked: &str, part: Span, name: &str) -> bool {
    let head = &masked[part.start..part.end];
    let Some(mv) = head.strip_prefix("secret ").unwrap_or(head).strip_prefix("move ") else { return false };
    let called = &mv[..mv.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(mv.len())];
    let words = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    let calls = |text: &str| {
        text.match_indices(&format!("{called}(")).any(|(at, call)| {
            let inside = &text[at + call.len()..];
            let apart = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            apart && end_of_part(inside, |_, _| false).is_some_and(|end| words(&inside[..end]))
        })
    };
    calls(&masked[..part.start]) || calls(&masked[part.end..])
}

/// Returns the condition behind the last of several names and their domain: `, b in 1..9, a < b`.
fn condition_behind<'t>(rest: &'t str, domain: &str) -> Option<&'t str> {
    let (_, behind) = rest.split_once(&format!(" in {domain}"))?;
    let behind =
        behind.trim_start().strip_prefix([',', ';']).or(behind.trim_start().strip_prefix("with "))?;
    let condition = behind[..end_of_part(behind, |_, c| c == ',')?].trim();
    let compares = condition.contains(['<', '>', '=']) && !condition.contains(" in ");
    compares.then_some(condition)
}

/// Returns the value at the beginning of a text, up to the comma, bracket, `where` or `try` that ends it.
fn closed(text: &str) -> Option<&str> {
    let end = end_of_part(text, |at, c| match c {
        ',' | '\n' => true,
        ' ' => [" where ", " try "].iter().any(|word| text[at..].starts_with(word)),
        _ => false,
    });
    let value = text[..end?].trim();
    (!value.is_empty() && !value.contains('\n')).then_some(value)
}

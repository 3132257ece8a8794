//! Reports for types as people say them: `list of 5 of 1..9`, `int for suit`, `suit?`, `{1, 2, 3}`.

use super::build::is_reserved;
use super::grammar::Rule;
use super::habits::{Mistake, innermost};
use super::idioms;
use super::kinds::{kind_of, symbols_of};
use super::phrases::{operand, operand_before};
use super::report::end_of_part;
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// How a value for each pair is kept.
pub const PAIRS: &str = "a value for each pair of numbers is a grid, `grid 3 by 4 of int`; the keys after `for each` are a range, symbols, `yes or no` or `player`";

/// Words for collections of several kinds of values in other languages.
const TUPLES: &[&str] = &["tuple", "pair", "triple"];

/// Words for collections with keys in other languages.
const MAPS: &[&str] = &["map", "dict", "dictionary"];

/// Diagnoses a type of a piece of state or an option; `report` says what the grammar expected.
pub fn spoken_type(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    if mistake.rule == Rule::one_state && mistake.last.0 == "each" && mistake.word() == "player" {
        let block = &mistake.masked[mistake.last.1.start..mistake.token.end];
        let help = "what each player has stands in a block of its own: close `table { … }` before `each player { … }`";
        return Some(mistake.about(block, help));
    }
    if mistake.rule == Rule::one_state
        && mistake.word() == "="
        && operand_before(mistake.before) == Some(mistake.before.trim())
    {
        let value = mistake.rest().trim();
        let name = mistake.before.trim();
        if let Some(sides) = value.strip_prefix("grid(").and_then(|sides| sides.strip_suffix(')'))
            && let Some((rows, columns)) = sides.split_once(',')
        {
            let columns = columns.trim();
            let help = format!(
                "say its type, and what stands on a square: `{name}: grid {rows} by {columns} of 0..9 = 0`, or `{name}: empty grid {rows} by {columns} of player`"
            );
            return Some(mistake.says(report, "expected `:` and a type", help));
        }
        let declared = |word: &str| mistake.masked.contains(&format!("{word} {value}"));
        let ty: &str = &match value {
            _ if let Some(pairs) = keyed(value) => {
                let written = format!("{name}: list of (int, int) = {pairs}");
                let help = format!("what belongs to each number is a list of pairs: `{written}`");
                return Some(mistake.says(report, "expected `:` and a type", help));
            }
            _ if let Some(kind) = keyed_by_symbols(mistake.masked, value) => {
                let written = format!("{name}: int for each {kind} = 0");
                let help = format!(
                    "a value for each {kind} is `{written}`, the same for all at first; `play` begins with those that differ, such as `{name}[{}] := 3`",
                    symbols_of(mistake.masked, kind).first().copied().unwrap_or_default()
                );
                return Some(mistake.says(report, "expected `:` and a type", help));
            }
            _ if let Some(ty) = type_of(mistake.masked, value) => ty,
            _ if value.starts_with("list(") || value.starts_with("sorted(") => "list of int".to_string(),
            _ if value.starts_with("set(") => "set of int".to_string(),
            _ if declared("option") || declared("let") => "int".to_string(),
            _ => {
                let help = format!(
                    "say its type behind the name: `{name}: … = {value}`, such as `int`, `1..9`, `list of 1..9` or `player`"
                );
                return Some(mistake.says(report, "expected `:` and a type", help));
            }
        };
        let written = format!("{}: {ty} = {value}", mistake.before.trim());
        let report = mistake.says(report, "expected `:` and a type", format!("say its type: `{written}`"));
        let place = Span::new(mistake.last.1.end, mistake.last.1.end);
        return Some(Diagnostic { fix: Some(Fix::likely(place, format!(": {ty}"))), ..report });
    }
    if mistake.is_in_type() {
        return several_names(mistake, report)
            .or_else(|| numbers_in_braces(mistake))
            .or_else(|| words_in_braces(mistake))
            .or_else(|| idioms::ty(mistake))
            .or_else(|| side_by_side(mistake, report))
            .or_else(|| in_the_type(mistake, report));
    }
    several_values(mistake, report).filter(|_| mistake.rule == Rule::one_state || mistake.first == "option")
}

/// Returns symbols with strokes between them, and how their type is written: `yes or no` for `no/yes`, `{easy, hard}` for
/// `easy/hard`.
fn slashed(before: &str) -> Option<(&str, String)> {
    let ty = before.rsplit_once(':')?.1.trim();
    let names: Vec<&str> = ty.split('/').map(str::trim).collect();
    let named = |name: &&str| {
        name.starts_with(char::is_alphabetic) && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let written = match names.as_slice() {
        ["yes", "no"] | ["no", "yes"] | ["y", "n"] | ["true", "false"] => "yes or no".to_string(),
        names
            if names.len() > 1 && names.iter().all(named) && !names.iter().any(|name| is_reserved(name)) =>
        {
            format!("{{{}}}", names.join(", "))
        }
        _ => return None,
    };
    Some((ty, written))
}

/// Returns the type of a value that is written out: `list of (int, int)` for `[(3, 8), (6, 14)]`.
fn type_of(masked: &str, value: &str) -> Option<String> {
    let value = value.trim();
    let inside = |open: char, close: char| value.strip_prefix(open)?.strip_suffix(close);
    let elements = |inside: &str| match inside.trim() {
        "" => Some("int".to_string()),
        inside => type_of(masked, commas(inside).first()?),
    };
    match value {
        "yes" | "no" => Some("yes or no".to_string()),
        _ if value.parse::<i64>().is_ok() => Some("int".to_string()),
        _ if operand(value) != Some(value) => None,
        _ if let Some(kind) = kind_of(masked, value) => Some(kind.to_string()),
        _ if let Some(inside) = inside('[', ']') => {
            Some(format!("list of {}", elements(inside).unwrap_or_else(|| "int".to_string())))
        }
        _ if let Some(inside) = inside('{', '}') => {
            Some(format!("set of {}", elements(inside).unwrap_or_else(|| "int".to_string())))
        }
        _ if let Some(inside) = inside('(', ')') => {
            let parts: Option<Vec<String>> =
                commas(inside).into_iter().map(|part| type_of(masked, part)).collect();
            parts.filter(|parts| parts.len() > 1).map(|parts| format!("({})", parts.join(", ")))
        }
        _ => None,
    }
}

/// Returns the list of pairs for values that are written with their keys: `[(5, 1), (11, 4)]` for `{5: 1, 11: 4}`.
fn keyed(value: &str) -> Option<String> {
    let inside = value.strip_prefix('{')?.strip_suffix('}')?;
    let pairs: Option<Vec<String>> = commas(inside)
        .into_iter()
        .map(|pair| {
            let (key, value) = pair.split_once(':')?;
            let number = |text: &str| text.trim().parse::<i64>().is_ok();
            (number(key) && number(value)).then(|| format!("({}, {})", key.trim(), value.trim()))
        })
        .collect();
    Some(format!("[{}]", pairs?.join(", ")))
}

/// Returns the kind whose symbols are the keys of values: `{wheat: 3, iron: 4}`.
fn keyed_by_symbols<'m>(masked: &'m str, value: &str) -> Option<&'m str> {
    let inside = value.strip_prefix('{')?.strip_suffix('}')?;
    let (key, _) = inside.split_once(':')?;
    kind_of(masked, key.trim())
}

/// Splits a text at the commas outside its brackets.
fn commas(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(end) = end_of_part(rest, |_, c| c == ',').filter(|end| rest[*end..].starts_with(',')) {
        parts.push(rest[..end].trim());
        rest = &rest[end + 1..];
    }
    parts.push(rest.trim());
    parts
}

/// `x, y: int = 0`: several names with one type.
fn several_names(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let line = mistake.masked[mistake.part.start..mistake.part.end].trim();
    let (head, ty) = line.split_once(':')?;
    let (before, names) = match head.strip_prefix("option ") {
        Some(names) => ("option ", names),
        None => ("", head),
    };
    let names: Vec<&str> = names.split(',').map(str::trim).collect();
    let word = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if mistake.word() != "," || names.len() < 2 || !names.iter().all(word) || line.contains('\n') {
        return None;
    }
    let start = mistake.span_of(line).start;
    let indent = start - mistake.masked[..start].rfind('\n').map_or(0, |at| at + 1);
    let lines: Vec<String> = names.iter().map(|name| format!("{before}{name}:{ty}")).collect();
    let listed: Vec<String> = lines.iter().map(|line| format!("`{line}`")).collect();
    let report = mistake.says(report, "", format!("each has a line of its own: {}", listed.join(", ")));
    Some(report.fix_of(mistake.span_of(line), lines.join(&format!("\n{}", " ".repeat(indent)))))
}

/// `k: (1..3, 1..3) = 1, 1`: several values without brackets.
fn several_values(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    // A name and its type are another piece of state.
    let declares = mistake.rest().trim_start().starts_with(':');
    let goes_on = mistake.before.ends_with(',') && innermost(mistake.before).is_none();
    (goes_on && mistake.begins_value() && !declares).then(|| {
        let help = "several values stand in brackets: `(1, 2)` is a pair, `[1, 2]` a list, `{1, 2}` a set";
        mistake.says(report, "", help)
    })
}

/// `option mode: easy or hard`: symbols without braces.
fn side_by_side(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (_, ty) = mistake.before.split_once(':')?;
    let names: Vec<&str> = ty.split([',', ' ']).filter(|name| !name.is_empty() && *name != "or").collect();
    let named = |name: &&str| name.chars().all(|c| c.is_alphabetic() || c == '_');
    let listed = names.len() > 1 && names.iter().all(named) && ty.contains(" or ");
    (listed && mistake.word().is_empty()).then(|| {
        if matches!(names.as_slice(), ["yes", "no"] | ["no", "yes"]) {
            return mistake.says(report, "expected `=`", "say which it is at first: `yes or no = no`");
        }
        let help = format!(
            "symbols are written in braces, and one of them is the first value: `{{{}}} = {}`",
            names.join(", "),
            names[0]
        );
        mistake.says(report, "expected `=`", help)
    })
}

/// Whether a word is the size of a grid: `3x4`.
fn is_size(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    word.split_once('x').is_some_and(|(rows, columns)| digits(rows) && digits(columns))
}

fn in_the_type(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (last, place) = mistake.last;
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let number = is_number(last);
    let before = mistake.before;
    Some(match mistake.word() {
        "and" if mistake.is_in_type() => {
            let (head, one) = before.rsplit_once(" of ").or(before.rsplit_once(": "))?;
            let other = mistake.rest().split('=').next()?.trim();
            let written = format!("({one}, {other})");
            let place = Span::new(mistake.part.start + head.len() + before[head.len()..].find(one)?, mistake.span_of(other).end);
            let plain = !one.contains(' ') && !other.is_empty();
            let report = mistake.says(report, "", format!("a pair is written in brackets: `{written}`"));
            let sure = plain && mistake.reads_further(place, &written);
            Diagnostic { fix: Some(Fix { sure, ..Fix::new(place, written) }), ..report }
        }
        key if last == "each" && !before.ends_with("for each") && is_number(key) => {
            let value = operand_before(before.strip_suffix("each")?).unwrap_or("int");
            let keys = operand(mistake.onwards())?;
            let help = format!("a value for each key is written `{value} for each {keys}`");
            let report = mistake.says(report, "", help);
            Diagnostic { fix: Some(Fix::new(Span::new(place.start, place.start), "for ")), ..report }
        }
        "of" | "from" if MAPS.contains(&last) => {
            mistake.about(last, "a value for each key is written with the keys last: `int for each suit`")
        }
        word if before.ends_with(':') && is_size(word) => {
            let behind = mistake.rest();
            let what = behind.trim_start();
            let what = what.strip_prefix("grid").or(what.strip_prefix("board")).unwrap_or(what);
            let (empty, what) = match what.strip_prefix(" of empty or") {
                Some(what) => ("empty ", what),
                None => ("", what.strip_prefix(" of").unwrap_or(what)),
            };
            let written = format!("{empty}grid {} of", word.replace('x', " by "));
            let place = Span::new(mistake.token.start, mistake.token.end + behind.len() - what.len());
            let ty = what.split('=').next().unwrap_or("").trim();
            let report = mistake.says(report, "", format!("write `{written} {}`", if ty.is_empty() { "1..9" } else { ty }));
            Diagnostic { fix: Some(Fix::likely(place, written)), ..report }
        }
        word if last == "grid" && word.contains('x') && is_number(word) => {
            let size = word.replace('x', " by ");
            mistake.says(report, "", format!("the size of a grid is written `grid {size}`")).fix(size)
        }
        "of" if TUPLES.contains(&last) => mistake.about(last, "a pair is written `(int, int)`"),
        word if before.ends_with("grid of") && mistake.is_name() => {
            mistake.says(report, "expected a size", format!("a grid has rows and columns: `grid 3 by 3 of {word}`"))
        }
        word if is_number(word) && last == "or" => {
            let low = operand_before(before.strip_suffix("or")?)?;
            mistake.says(report, "", format!("numbers are a range, `{low}..{word}`"))
        }
        "all" | "every" if last == "for" => {
            mistake.says(report, "expected `each`", "write `for each`").fix("each")
        }
        _ if last == "for" && mistake.is_name() => {
            let value = operand_before(before.strip_suffix("for")?).unwrap_or("int");
            let key = operand(mistake.onwards())?;
            let report = mistake.says(report, "expected `each`", format!("write `{value} for each {key}`"));
            let behind = Span::new(place.end, place.end);
            Diagnostic { fix: Some(Fix::new(behind, " each")), ..report }
        }
        "?" if !last.is_empty() && !number => {
            let whole = &mistake.masked[place.start..mistake.token.end];
            mistake.about(whole, format!("write `optional {last}`")).fix(format!("optional {last}"))
        }
        ":" if innermost(before).is_some() => mistake.says(
            report,
            "",
            "the parts of a tuple may have names, each in front of its type: `(suit: suit, rank: 1..9)`",
        ),
        "=" | "" if let Some((said, written)) = slashed(before) => {
            mistake.about(said, format!("write `{written}`")).fix(written)
        }
        "=" if before.ends_with(&format!(" each {last}")) => mistake.says(
            report,
            "",
            format!(
                "a value for each {last} is written `int for each {last} = 0`; state that starts afresh at each pass of a loop called `{last}`, `int = 0 each {last}`"
            ),
        ),
        "=" if before.ends_with(')') && before.contains(" for each tuples(") => mistake.says(report, "", PAIRS),
        _ => return None,
    })
}

/// `in_it: {no, yes}`, `answer: {yes, no, perhaps}`: words of the language where a type lists symbols.
fn words_in_braces(mistake: &Mistake) -> Option<Diagnostic> {
    let part = &mistake.masked[mistake.part.start..mistake.part.end];
    let after = &part[part.find(':')? + 1..];
    let ty = after[..after.find('=').unwrap_or(after.len())].trim();
    let listed = &ty[..=ty.find('}').filter(|_| ty.starts_with('{'))?];
    let names = commas(&listed[1..listed.len() - 1]);
    let word = names.iter().find(|name| is_reserved(name))?;
    let place = mistake.span_of(listed);
    if let ["yes", "no"] | ["no", "yes"] = names.as_slice() {
        let message = "`yes` and `no` are words of the language, not symbols";
        let report = Diagnostic::new(Code::Unexpected, place, message, "");
        return Some(report.help("the type is written `yes or no`, without braces").fix("yes or no"));
    }
    let message = format!("`{word}` is a word of the language, and cannot be a symbol");
    let report = Diagnostic::new(Code::Unexpected, mistake.span_of(word), message, "");
    Some(report.help(format!("choose another name for it, such as `{word}_`")))
}

/// `k: {1, 2, 3}`: numbers where a type lists symbols.
fn numbers_in_braces(mistake: &Mistake) -> Option<Diagnostic> {
    let part = &mistake.masked[mistake.part.start..mistake.part.end];
    let after = &part[part.find(':')? + 1..];
    let ty = &after[..after.find('=').unwrap_or(after.len())];
    let open = ty.find('{')?;
    let close = open + ty[open..].find('}')?;
    let (listed, inside) = (&ty[open..=close], ty[open + 1..close].trim());
    let numbers: Option<Vec<i64>> = inside.split(',').map(|part| part.trim().parse().ok()).collect();
    let numbers = numbers.filter(|numbers| !numbers.is_empty())?;
    let (low, high) = (numbers.iter().min()?, numbers.iter().max()?);
    let all = high.checked_sub(*low)?.unsigned_abs() + 1 == numbers.len() as u64;
    let message = "braces in a type list symbols, not numbers";
    let report = Diagnostic::new(Code::Unexpected, mistake.span_of(listed), message, "expected a range");
    let range = format!("{low}..{high}");
    Some(match all {
        true => report.help(format!("write `{range}`")).fix(range),
        false => {
            let listed = inside
                .rsplit_once(',')
                .map_or(inside.to_string(), |(most, last)| format!("{most} and {}", last.trim()));
            report.help(format!("write `{range}`, and keep to {listed} with a `need` where it is chosen"))
        }
    })
}

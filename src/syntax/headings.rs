//! Reports for parts of a file, and for `turns`, that begin as in other languages or in speech: `let f(x) = …`, a `define`
//! with lines in it, `rule r(p, n = 1)`, `example "…" players = 2 { … }`.

use pest::Parser;

use super::grammar::{Grammar, Rule};
use super::habits::{Mistake, declares_move, innermost};
use super::phrases::operand;
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// Diagnoses the beginning of a part.
pub fn heading(mistake: &Mistake) -> Option<Diagnostic> {
    match mistake.first {
        "let" => function_by_let(mistake),
        "define" => lines_in_a_function(mistake).or_else(|| other_sign_of_a_function(mistake)),
        "example" => settings_without_with(mistake),
        "option" => option_without_value(mistake),
        "players" => names_in_quotes(mistake),
        "by" | "from" | "note" => without_quotes(mistake),
        "winner" | "loser" => with_a_sign(mistake),
        _ => None,
    }
    .or_else(|| optional_parameter(mistake))
    .or_else(|| rule_with_a_value(mistake))
}

/// `option start: 10..30`, without the value that it has if nobody sets it.
fn option_without_value(mistake: &Mistake) -> Option<Diagnostic> {
    let line = mistake.before.trim();
    let (_, range) = line.split_once(": ").filter(|_| mistake.word().is_empty())?;
    let (low, _) = range.split_once("..").filter(|(low, _)| operand(low) == Some(*low))?;
    let written = format!(" = {low}");
    let end = mistake.span_of(line).end;
    let place = Span::new(end, end);
    mistake.reads_further(place, &written).then(|| {
        let help = format!("it needs the value that it has if nobody sets it: `{line}{written}`");
        let report = Diagnostic::new(Code::Unexpected, place, "this line ends too early", "expected `=`");
        report.help(help).likely_fix(written)
    })
}

/// `rule allowed(n) { n <= heap }`: a rule that is meant to be a condition, or another value.
fn rule_with_a_value(mistake: &Mistake) -> Option<Diagnostic> {
    let value = mistake.masked[mistake.part.start..mistake.part.end].trim();
    let value = value.strip_suffix('}').map_or(value, str::trim_end);
    let above = mistake.masked[..mistake.part.start].trim_end().strip_suffix('{')?.trim_end();
    let head = above.rsplit('\n').next()?.strip_prefix("rule ")?.trim();
    let alone = mistake.masked[mistake.part.end..].trim_start().starts_with('}');
    let reads = mistake.rule == Rule::one_statement && Grammar::parse(Rule::one_expr, value).is_ok();
    (alone && reads && head.ends_with(')') && !value.contains('\n')).then(|| {
        let help = format!(
            "a rule does something and has no value; what has one is a function: `define {head} = {value}`"
        );
        let message = "this value is not used for anything";
        Diagnostic::new(Code::Unexpected, mistake.span_of(value), message, "").help(help)
    })
}

/// `rule pay(p, amount = 1)`, `define f(x, y?)`.
fn optional_parameter(mistake: &Mistake) -> Option<Diagnostic> {
    let open = innermost(mistake.before)?;
    let declares = matches!(mistake.first, "define" | "rule")
        && mistake.rule == Rule::one_item
        && mistake.before[..open].split_whitespace().count() == 2;
    let (word, last) = (mistake.word(), mistake.last);
    let (place, name) = match word {
        "=" | ":=" => {
            let value = mistake.rest().split([',', ')']).next()?;
            (Span::new(mistake.token.start, mistake.span_of(value).end), last.0)
        }
        "?" => (mistake.token, last.0),
        "[" => (mistake.token, operand(mistake.rest())?),
        name if last.0 == "optional" && mistake.is_name() => (last.1, name),
        _ => return None,
    };
    let help =
        format!("every call gives all of them: write `{name}` alone, and its value where it is called");
    declares.then(|| {
        let message = "a parameter cannot be left out, and has no first value";
        // Without a correction, calls that leave it out are no further mistakes.
        Diagnostic::new(Code::Unexpected, place, message, "").help(help)
    })
}

/// `let best(p) = p.coins`.
fn function_by_let(mistake: &Mistake) -> Option<Diagnostic> {
    let name = mistake.before.trim().strip_prefix("let ")?.trim();
    if mistake.word() != "(" || name.contains(|c: char| !c.is_alphanumeric() && c != '_') {
        return None;
    }
    let head = format!("{name}{}", operand(mistake.onwards())?);
    let start = mistake.span_of(mistake.before.trim()).start;
    let place = Span::new(start, start + "let".len());
    let report = Diagnostic::new(Code::Unexpected, place, "`let` names a value, not a function", "");
    let written = format!("define {head} = …");
    Some(match mistake.rule {
        Rule::one_item => report.help(format!("write `{written}`")).fix("define"),
        _ => report.help(format!("a function is a part of the file, at the left edge: `{written}`")),
    })
}

/// `define beats(a, b): a > b`, `define half(x) -> x div 2`.
fn other_sign_of_a_function(mistake: &Mistake) -> Option<Diagnostic> {
    let head = mistake.before.trim().strip_prefix("define ")?;
    let whole = operand(head) == Some(head);
    let sign = matches!(mistake.word(), ":" | ":=" | "->" | "=>" | "→");
    (whole && sign && mistake.rule == Rule::one_item && mistake.reads_further(mistake.token, "=")).then(
        || {
            let value = mistake.rest().trim();
            mistake.about(mistake.word(), format!("write `define {head} = {value}`")).fix("=")
        },
    )
}

/// `define line(p) =` and then lines that begin with `let` or `return`.
fn lines_in_a_function(mistake: &Mistake) -> Option<Diagnostic> {
    let part = &mistake.masked[mistake.part.start..mistake.part.end];
    let close = part.find(')')?;
    let (head, body) = part.split_at(close + 1);
    let line = body.trim_start_matches(['=', '{', ' ', '\n']);
    let named = line.strip_prefix("let ").and_then(|line| line.split_once('='));
    let block = body.trim_start().starts_with('{');
    if named.is_none() && (block || !line.starts_with("return ")) {
        return None;
    }
    let place = mistake.span_of(&line[..line.find(' ')?]);
    let message = "a function is a single value, without lines of its own";
    let report = Diagnostic::new(Code::Unexpected, place, message, "");
    Some(match named {
        Some((name, value)) => {
            // Within a value, the next line follows after blanks.
            let value = value.trim_start().lines().next()?.split("   ").next()?;
            let (name, value) = (name.trim(), value.trim());
            let (_, params) = head.split_once('(')?;
            report.help(format!(
                "write a function for it, `define {name}({params} = {value}`, and `{name}({params}` where it is used; the last line \
                 stands alone behind the `=`"
            ))
        }
        None => report.help(format!("the value stands behind the `=`: `{head} = …`")),
    })
}

/// The words that people put in front of the name of a move to offer it.
const OFFERS: &[&str] = &["move", "play", "do", "make", "choose", "offer", "perform", "player"];

/// Diagnoses a move that is offered by more than its name: `choose take`, `me.take`, `take(k: 1..3)`.
pub fn offered_otherwise(masked: &str, part: Span, rule: Rule) -> Option<Diagnostic> {
    let line = masked[part.start..part.end].trim();
    if rule != Rule::one_statement || line.contains('\n') {
        return None;
    }
    let start = line.as_ptr() as usize - masked.as_ptr() as usize;
    let place = Span::new(start, start + line.len());
    let report = |name: &str| {
        let message = format!("`{line}` is written in another way");
        let help = format!("`{name}` alone offers the move; the player who moves chooses its values");
        Diagnostic::new(Code::Unexpected, place, message, "").help(help)
    };
    if let Some(report) = joined_by_and(masked, line, place) {
        return Some(report);
    }
    let names: Vec<&str> = line.split(['/', '|']).map(str::trim).collect();
    if names.len() > 1 && names.iter().all(|name| declares_move(masked, name)) {
        let written = names.join(" or ");
        let help = format!("write `{written}`; this offers a choice");
        let report =
            Diagnostic::new(Code::Unexpected, place, format!("`{line}` is written in another way"), "");
        return Some(report.help(help).fix(written));
    }
    if let Some((_, name)) = line.split_once(' ').filter(|(word, _)| OFFERS.contains(word)) {
        return declares_move(masked, name).then(|| report(name).fix(name));
    }
    if let Some(name) = line.strip_prefix("me.").filter(|name| declares_move(masked, name)) {
        return Some(report(name).fix(name));
    }
    let (name, given) = line.split_once('(')?;
    let whole = operand(line) == Some(line) && given.contains(':');
    (whole && declares_move(masked, name)).then(|| report(name).likely_fix(name))
}

/// `roll and stop`, `ask p to roll and stop`, `roll, stop`: moves to choose among, joined like statements.
fn joined_by_and(masked: &str, line: &str, place: Span) -> Option<Diagnostic> {
    let asks = line.starts_with("ask ").then(|| line.find(" to ")).flatten().map(|at| at + " to ".len());
    [asks, Some(0)].into_iter().flatten().find_map(|start| {
        let (head, moves) = line.split_at(start);
        let names: Vec<&str> =
            moves.split([',', ' ']).filter(|name| !matches!(*name, "" | "and" | "or")).collect();
        if names.len() < 2 || !names.iter().all(|name| declares_move(masked, name)) {
            return None;
        }
        let written = format!("{head}{}", names.join(" or "));
        let each: Vec<String> = names.iter().map(|name| format!("`{head}{name}`")).collect();
        let message = format!("`{line}` is written in another way");
        let help = match moves.contains(" and ") {
            true => format!(
                "one of them is chosen by `{written}`; all of them are made by a line for each: {}",
                each.join(", ")
            ),
            false => format!("write `{written}`"),
        };
        Some(Diagnostic::new(Code::Unexpected, place, message, "").help(help).likely_fix(written))
    })
}

/// `example "…" players = 2 { … }`, `example "…" (n = 3) { … }`.
fn settings_without_with(mistake: &Mistake) -> Option<Diagnostic> {
    let title = mistake.before.trim().strip_prefix("example")?.trim();
    let head = mistake.onwards().split('{').next()?.trim_end();
    // `with n = 3 players = 2`
    let another = head.split_once('=').is_some_and(|(name, _)| operand(name.trim()) == Some(name.trim()));
    if another && title.contains(" with ") && !title.ends_with([',', '=']) && mistake.is_name() {
        let before = mistake.part.start + mistake.before.len();
        let help = format!("a comma stands between two settings: `… , {head}`");
        let report = mistake.about(mistake.word(), help);
        return Some(report.fix_of(Span::new(before, before), ","));
    }
    // `example "…" with players 2`
    if let Some((_, name)) = title.rsplit_once(" with ").filter(|(_, name)| operand(name) == Some(*name)) {
        if operand(head) == Some(head) && mistake.word() != "=" {
            let report = mistake.about(head, format!("write `with {name} = {head}`"));
            return Some(report.fix(format!("= {head}")));
        }
        // `with n 2, d 2`
        let whole = format!("{name} {head}");
        let settings: Option<Vec<String>> =
            whole.split(',').map(|setting| written_setting(setting.trim())).collect();
        let written = settings?.join(", ");
        let place = Span::new(mistake.span_of(name).start, mistake.span_of(head).end);
        let said = &mistake.masked[place.start..place.end];
        return Some(mistake.about(said, format!("write `with {written}`")).fix(written));
    }
    let said = &mistake.masked[mistake.token.start..mistake.span_of(head).end];
    let report = |help: String| mistake.about(said, help);
    if title.is_empty() {
        let named = !head.is_empty() && head.chars().all(|c| c.is_alphanumeric() || " _".contains(c));
        return Some(match named {
            true => {
                report(format!("the title stands in quotes: `example \"{head}\"`")).fix(format!("\"{head}\""))
            }
            false => {
                let place = mistake.span_of(mistake.first);
                let report = Diagnostic::new(Code::Unexpected, place, "this example has no title", "");
                report.help("write `example \"a short match\" { … }`")
            }
        });
    }
    let titled = title.starts_with('"') && title.ends_with('"');
    if !titled || head.is_empty() {
        return None;
    }
    if head == ":" {
        return Some(report("write it without the colon".to_string()).fix(""));
    }
    let said_otherwise = ["where ", "for ", "using ", "if "].iter().find_map(|word| head.strip_prefix(word));
    let head = said_otherwise.filter(|settings| settings.contains('=')).unwrap_or(head);
    let settings = head.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')).unwrap_or(head);
    let settings: Option<Vec<String>> =
        settings.split(',').map(|setting| written_setting(setting.trim())).collect();
    let written = format!("with {}", settings?.join(", "));
    Some(report(format!("options and players stand behind `with`: `example … {written} {{`")).fix(written))
}

/// `players 2 called "white", "black"`.
fn names_in_quotes(mistake: &Mistake) -> Option<Diagnostic> {
    let name = mistake.word().strip_prefix('"')?.strip_suffix('"')?;
    let plain =
        name.starts_with(char::is_alphabetic) && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let called = mistake.rule == Rule::one_game_line && mistake.before.contains(" called");
    (plain && called)
        .then(|| mistake.about(mistake.word(), format!("names have no quotes: `{name}`")).fix(name))
}

/// `by Anna`.
fn without_quotes(mistake: &Mistake) -> Option<Diagnostic> {
    let text = mistake.onwards().trim_end();
    let begins = mistake.before.trim() == mistake.first && mistake.rule == Rule::one_game_line;
    let plain = mistake.is_name() && !text.contains('"');
    (begins && plain).then(|| {
        mistake
            .about(text, format!("texts stand in quotes: `{} \"{text}\"`", mistake.first))
            .fix(format!("\"{text}\""))
    })
}

/// `winner: highest score`, `winner = highest score`.
fn with_a_sign(mistake: &Mistake) -> Option<Diagnostic> {
    let begins = mistake.before.trim() == mistake.first && mistake.rule == Rule::one_item;
    let best = mistake.rest().trim_start();
    let known = ["highest ", "lowest ", "last "].iter().any(|word| best.starts_with(word));
    (begins && known && matches!(mistake.word(), ":" | "=" | ":=")).then(|| {
        let help = format!("write `{} {best}`, without a sign", mistake.first);
        mistake.about(mistake.word(), help).fix("")
    })
}

/// Returns how a setting is written that is said in some way: `players 2`, `n: 5`, `for 3 players`.
fn written_setting(said: &str) -> Option<String> {
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let count = said.strip_prefix("for ").unwrap_or(said).strip_suffix(" players");
    if let Some(count) = count.map(str::trim).filter(|count| number(count) && operand(count) == Some(*count))
    {
        return Some(format!("players = {count}"));
    }
    let end = said.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    let (name, value) = said.split_at(end);
    let value = value.trim_start().trim_start_matches([':', '=']).trim();
    let plain = !value.is_empty() && operand(value) == Some(value);
    (name.starts_with(char::is_alphabetic) && plain).then(|| format!("{name} = {value}"))
}

/// The words that begin the clauses of `turns`, in their order.
const TURNS: &[&[&str]] = &[&["by"], &["from"], &["as"], &["until"], &["skipping", "dropping"]];

/// Whether a word begins a clause of `turns`.
pub fn begins_clause(word: &str) -> bool {
    TURNS.iter().any(|words| words.contains(&word))
}

/// Adds help, and if possible a correction, for the clauses of `turns` in the wrong order.
pub fn turns_in_order(report: Diagnostic, masked: &str, part: Span) -> Diagnostic {
    let report = report.help(
        "the parts of `turns` come in this order: `turns by L from p as k until C skipping stuck { … }`; any of them may be left out",
    );
    let head = masked[part.start..part.end].split(['{', '\n']).next().unwrap_or_default();
    let rank = |word: &str| TURNS.iter().position(|words| words.contains(&word));
    let mut parts: Vec<(usize, Vec<&str>)> = Vec::new();
    let mut depth = 0;
    for word in head.split_whitespace().skip(1) {
        match rank(word).filter(|_| depth == 0) {
            Some(rank) => parts.push((rank, vec![word])),
            None => match parts.last_mut() {
                Some((_, words)) => words.push(word),
                None => return report,
            },
        }
        depth += word.matches(['(', '[']).count();
        depth = depth.saturating_sub(word.matches([')', ']']).count());
    }
    parts.sort_by_key(|(rank, _)| *rank);
    let twice = parts.windows(2).any(|pair| pair[0].0 == pair[1].0);
    if twice || head.contains('"') {
        return report;
    }
    let written: Vec<String> = parts.into_iter().map(|(_, words)| words.join(" ")).collect();
    let place = Span::new(part.start, part.start + head.trim_end().len());
    let mut report = report;
    report.fix = Some(Fix::new(place, format!("turns {}", written.join(" "))));
    report
}

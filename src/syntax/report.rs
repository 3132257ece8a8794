//! Diagnostics for text that the grammar could not read.

use pest::error::Error;

use super::asked::{asked, is_offered};
use super::conditions::{opposite, while_loop};
use super::foreign::{Foreign, NOT_A_SIGN, foreign, foreign_sign};
use super::grammar::{Rule, error_at};
use super::habits::{
    Mistake, comma_behind_state, declares_move, habit, innermost, quoted, score_of_a_seat, token_at,
};
use super::headings::{begins_clause, offered_otherwise, turns_in_order};
use super::idioms;
use super::params::names_share_in;
use super::phrases::operand;
use super::prose::whole_line;
use super::sentences::{beside, taken_away, whose_move};
use super::signs::{or_for_else, row_before_column, unquoted};
use super::slips::{nameless, slip, slip_of_line};
use super::wanted::Wanted;
use crate::diag::{Code, Diagnostic, Fix, nearest};
use crate::source::Span;

/// The words that begin an item, each with its form.
const ITEMS: &[(&str, &str)] = &[
    ("game", "game \"Title\" { players 2 }"),
    ("variant", "variant \"Title\" of \"procession\" { }"),
    ("drop", "drop move pass"),
    ("option", "option n: 1..9 = 3"),
    ("let", "let top = 2 ^ n"),
    ("kind", "kind suit: clubs, hearts` or `kind card: (suit: suit, rank: 1..9)"),
    ("table", "table { … }"),
    ("each", "each player { … }"),
    ("show", "show \"row: {row}\""),
    ("move", "move put(value in 1..9, at in 1..n) { … }"),
    ("secret", "secret move put(value in 1..9) { … }"),
    ("define", "define half(x) = x div 2"),
    ("rule", "rule settle(p, q) { … }"),
    ("play", "play { … }"),
    ("score", "score = size(me.hand)"),
    ("winner", "winner highest score, then lowest me.number` or `winner last mover"),
    ("loser", "loser last mover"),
    ("end", "end when round > 9"),
    ("win", "win p when p.score > 9"),
    ("need", "need n > 2 else \"the reason\""),
    ("example", "example \"title\" with n = 5 { … }"),
];

/// The words that begin a statement, each with its form.
const STATEMENTS: &[(&str, &str)] = &[
    ("let", "let x = a + b"),
    ("need", "need k <= n else \"the reason\""),
    ("award", "award 2 to p for \"the reason\""),
    ("say", "say \"{p} takes the pot of {pot}\""),
    ("send", "send card from me.hand to pile"),
    ("reveal", "reveal p.card"),
    ("conceal", "conceal p.card"),
    ("out", "out p"),
    ("again", "again"),
    ("if", "if a < b { … } else { … }"),
    ("each", "each x in S where x > 2 { … }"),
    ("cycle", "cycle x in S until C { … }"),
    ("repeat", "repeat 3 as round { … }"),
    ("turns", "turns until C { … }"),
    ("ask", "ask p to put or pass"),
    ("together", "together players { put }"),
    ("chance", "chance die in 1..6"),
    ("shuffle", "shuffle deck"),
    ("draw", "draw card from pile"),
    ("deal", "deal 3 from deck to me.hand"),
    ("phase", "phase opening { … }"),
    ("end", "end when C"),
    ("win", "win me` or `win p when C"),
];

const GAME_LINES: &[(&str, &str)] = &[
    ("by", "by \"the author\""),
    ("from", "from \"a book, 1999\""),
    ("note", "note \"something to know\""),
    ("players", "players 2`, `players 3 to 5` or `players 2 or more"),
];

const EXAMPLE_LINES: &[(&str, &str)] = &[
    ("given", "given row = [1, 2]"),
    ("start", "start shows \"…\""),
    ("chance", "chance die 4"),
    ("shows", "1: put 4 shows \"…\""),
    ("refused", "1: put 4 refused \"the reason\""),
    ("scores", "scores 3, 1"),
    ("expect", "expect size(row) = 3"),
    ("over", "over, winner 1"),
    ("winner", "winner 1"),
    ("winners", "winners 1, 2"),
];

/// Whether a word begins an item or is close to one that does.
pub fn begins_item(word: &str) -> bool {
    is_item_word(word) || nearest(word, ITEMS.iter().map(|(word, _)| *word)).is_some()
}

/// Whether a word begins an item.
pub fn is_item_word(word: &str) -> bool {
    known(ITEMS, word).is_some()
}

/// How the message about a word of the language ends that is written in capital letters.
pub const CAPITAL: &str = " has a capital letter";

/// Reports a word of the language that is written in capital letters.
fn in_capitals(place: Span, word: &str, small: String) -> Diagnostic {
    let help = format!("words of the language are written in small letters: `{small}`");
    Diagnostic::new(Code::Unexpected, place, format!("`{word}`{CAPITAL}"), "").help(help).fix(small)
}

/// Returns how the statement that begins with a word is written.
pub fn statement_form(word: &str) -> Option<&'static str> {
    known(STATEMENTS, word)
}

/// Diagnoses a failed parse of a part of the laid-out text with `rule`.
pub fn unreadable(error: &Error<Rule>, masked: &str, part: Span, rule: Rule) -> Diagnostic {
    let at = part.start + error_at(error);
    let first = token_at(masked, part.start, part.end);
    let first_word = &masked[first.start..first.end];
    let whole = slip_of_line(masked, part, rule, at)
        .or_else(|| taken_away(masked, part, rule))
        .or_else(|| asked(masked, part, rule))
        .or_else(|| idioms::line(masked, part, rule))
        .or_else(|| idioms::inner_statement(masked, part, at, rule))
        .or_else(|| offered_otherwise(masked, part, rule));
    if let Some(report) = whole.or_else(|| whole_line(masked, part, rule)) {
        return report;
    }
    if first_word == "while" {
        return while_loop(masked, Span::new(first.start, part.end));
    }
    if LOOPS.contains(&first_word)
        && let Some(row) = foreign(first_word)
    {
        let report = foreign_word(first, first_word, row);
        let of_each = masked[first.end..part.end].split_whitespace().nth(1) == Some("in");
        return match of_each && rule == Rule::one_statement {
            true => report.fix("each"),
            false => report,
        };
    }
    let scores = || score_of_a_seat(masked, part).filter(|_| rule == Rule::one_item);
    if let Some(report) = scores().or_else(|| wrong_beginning(masked, first, at, part.end, rule)) {
        return report;
    }
    let token = token_at(masked, at, part.end);
    let word = &masked[token.start..token.end];
    let wanted = Wanted::of(error);
    let message = match word {
        "" => "this line ends too early".to_string(),
        _ if word.starts_with('"') => format!("`{word}` does not fit here"),
        // An invisible character is shown by its escape.
        _ => format!("`{}` does not fit here", word.escape_debug().to_string().replace("\\'", "'")),
    };
    let mut report = Diagnostic::new(Code::Unexpected, token, message, wanted.label());
    let before = masked[part.start..token.start].trim_end();
    if let Some(report) = no_condition(masked, part, token, before) {
        return report;
    }
    let last_word =
        &before[before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1)..];
    let last = Span::new(part.start + before.len() - last_word.len(), part.start + before.len());
    let mistake = Mistake { masked, part, rule, first: first_word, token, before, last: (last_word, last) };
    let small = word.to_lowercase();
    // A name reads no better in small letters.
    if small != word && mistake.reads_further(token, &small) {
        return in_capitals(token, word, small);
    }
    if let Some(report) = nameless(&mistake, &report) {
        return report;
    }
    if super::build::is_reserved(word) && wanted.name {
        return idioms::value(&mistake).unwrap_or_else(|| reserved(word, token));
    }
    if let Some(report) = or_for_else(&report, first_word, masked, part, &wanted) {
        return report;
    }
    if let Some(report) = slip(&mistake, &report) {
        return report;
    }
    if let Some(report) = habit(&mistake, &report, &wanted).filter(|_| rule != Rule::one_example_line) {
        return report;
    }
    if let Some(report) = row_before_column(&report, word) {
        return report;
    }
    if let Some(report) = unquoted(&mistake) {
        return report;
    }
    if rule == Rule::one_example_line
        && before.contains("expect ")
        && let Some(report) = idioms::value(&mistake)
    {
        return report;
    }
    if rule == Rule::one_game_line && first_word == "players" && matches!(word, ".." | "-") {
        let written = before.trim().split_once(' ').zip(operand(mistake.rest().trim_start()));
        if let Some(((_, low), high)) = written {
            return report.help(format!("write `players {low} to {high}`"));
        }
    }
    if let Some(report) = sign_report(&report, word, before, &wanted, (rule, form(rule, first_word))) {
        return quoted(report, word, masked, part);
    }
    if first_word == "define" && word == "{" {
        return block_for_value(report, masked, part);
    }
    if last_word == "return"
        && let Some(row) = foreign("return")
    {
        return foreign_word(last, last_word, row).fix("");
    }
    if let Some(report) = names_share_in(&mistake, &report, &wanted)
        .or_else(|| if_took_else(&report, first_word, before, &wanted))
    {
        return report;
    }
    if let Some(report) = in_place(&report, &mistake, &wanted) {
        return report;
    }
    if rule == Rule::one_item && first_word == "game" && is_word(word) && before.ends_with('"') {
        return report.help("what belongs to a game stands in braces: `game \"…\" { players 2 }`");
    }
    if let Some(row) =
        foreign(word).filter(|_| rule != Rule::one_example_line && !declares_move(masked, word))
    {
        return foreign_word(token, word, row);
    }
    let alone = wanted.nouns.first().filter(|_| wanted.nouns.len() == 1).map_or("", String::as_str);
    match (last_word, alone, form(rule, first_word)) {
        _ if word == "(" && before[..before.len() - last_word.len()].ends_with('.') && !wanted.assigns => {
            // What is said of it tells more than its name.
            if let Some(row) = foreign(last_word).filter(|row| row.here.is_none()) {
                return report.help(format!("there are no calls after a dot; {}", row.says));
            }
            let name = match last_word {
                // The functions of this name compare single numbers.
                "max" => "largest",
                "min" => "smallest",
                _ => foreign(last_word).and_then(|row| row.here).unwrap_or(last_word),
            };
            report.help(format!("there are no calls after a dot; write the function first: `{name}(…)`"))
        }
        _ if first_word == "show" && word.starts_with('"') && before.ends_with('"') => report.help(
            "one text holds all that stands in a line: put both into it, or write a `show` line for each",
        ),
        _ if word == "else" && rule == Rule::one_statement && before.trim().is_empty() => {
            report.help("`else` follows the block of an `if`: `if C { … } else { … }`")
        }
        _ if word == "(" && rule == Rule::one_statement && before.contains('.') => {
            report.help(match last_word {
                "pop" => "there are no calls after a dot: the last element is `last(L)`, and `L := L[1..size(L) - 1]` leaves it out",
                "remove" | "discard" | "delete" => "there are no calls after a dot: `L -= x` takes out the first element equal to x",
                _ => "there are no calls after a dot: write `L += x` to add something, `L -= x` to take it out, `size(L)` to count",
            })
        }
        _ if word == ","
            && matches!(rule, Rule::one_state) | (first_word == "option")
            && is_word(last_word) =>
        {
            report.help("symbols are written in braces: `{slow, fast}`")
        }
        ("list" | "set" | "bag", ..) if rule == Rule::one_state => {
            report.labels[0].text = "expected `of`".to_string();
            report.help(format!("say of what: `{last_word} of 1..9`"))
        }
        ("yes" | "no", ..) if rule == Rule::one_state && word.is_empty() => report.help(format!(
            "the type stands in front of the first value: `{} yes or no = {last_word}`",
            before.trim().strip_suffix(last_word).unwrap_or("").trim_end()
        )),
        ("yes", ..) if rule == Rule::one_state || first_word == "option" => {
            report.labels[0].text = "expected `or`".to_string();
            report.help("the type is written `yes or no`")
        }
        (_, "`by`" | "`of`", _) if before.contains("grid") => {
            report.help("write it like this: `grid 3 by 3 of 1..9`")
        }
        _ if rule == Rule::one_state && before.ends_with(',') => comma_behind_state(part.start + before.len()),
        (_, "`then`" | "`else`", _) if before.contains("if ") && first_word != "need" => {
            report.help("a choice of values is written `if C then a else b`")
        }
        _ if rule == Rule::one_statement
            && known(ITEMS, word).is_some()
            && known(STATEMENTS, word).is_none() =>
        {
            report.help(format!(
                "`{word}` begins a part of the file: put it at the left edge, outside all other parts"
            ))
        }
        _ if first_word == "turns" && begins_clause(word) => turns_in_order(report, masked, part),
        (_, _, Some(form)) if wanted.form || first_word == "show" => {
            report.help(format!("write it like this: `{form}`"))
        }
        _ if word == "," && rule == Rule::one_statement && declares_move(masked, last_word) => report
            .help(format!("moves to choose among are joined by `or`: `{last_word} or …`"))
            .likely_fix(" or"),
        _ if wanted.assigns && !word.is_empty() => {
            report.help("a value on its own does nothing: write `x := 3`, `x += 1`, or `let y = x + 1`")
        }
        (_, "the end of the line", _) | (_, "", _) if wanted.end => beside(&mistake, report),
        (_, _, Some(form)) => report.help(format!("write it like this: `{form}`")),
        _ => report,
    }
}

/// Words that begin loops and choices of other languages, whatever follows them.
const LOOPS: &[&str] = &["for", "foreach", "switch", "unless"];

/// Reports a word of another language.
fn foreign_word(place: Span, word: &str, row: &Foreign) -> Diagnostic {
    let report = Diagnostic::new(Code::Unexpected, place, format!("`{word}` does not fit here"), "");
    let report = report.help(row.says);
    match row.here {
        Some(here) => report.fix(here),
        None => report,
    }
}

/// Returns where a text leaves the brackets around it, or where `stops` holds outside brackets of its own; `None` if neither
/// comes.
pub(super) fn end_of_part(text: &str, stops: impl Fn(usize, char) -> bool) -> Option<usize> {
    let mut depth = 0;
    let end = text.char_indices().find(|(at, c)| match c {
        '(' | '[' | '{' => {
            depth += 1;
            false
        }
        ')' | ']' | '}' => {
            depth -= 1;
            depth < 0
        }
        c => depth == 0 && stops(*at, *c),
    });
    end.map(|(at, _)| at)
}

/// `need if C then D else "the reason"`: the `if` has taken the `else` of the need.
fn if_took_else(report: &Diagnostic, first: &str, before: &str, wanted: &Wanted) -> Option<Diagnostic> {
    if first != "need"
        || !wanted.nouns.iter().any(|noun| noun == "`else`")
        || report.span().start != report.span().end
    {
        return None;
    }
    let (condition, rest) =
        before.trim_start().strip_prefix("need ")?.trim_start().strip_prefix("if ")?.split_once(" then ")?;
    let (value, reason) = rest.split_once(" else ")?;
    if !reason.trim_start().starts_with('"')
        || value.contains(" if ")
        || condition.contains('\n')
        || value.contains('\n')
    {
        return None;
    }
    let mut report = report.clone();
    report.message = "this `need` has no reason: the `if` has taken its `else`".to_string();
    Some(report.help(format!(
        "write it without `if`: `need {} or {} else …`",
        opposite(condition.trim()),
        value.trim()
    )))
}

/// Diagnoses ranges, types and `in` by the word at the place and the one before it.
fn in_place(report: &Diagnostic, mistake: &Mistake, wanted: &Wanted) -> Option<Diagnostic> {
    let Mistake { rule, first, token, before, last: (last_word, last), .. } = *mistake;
    let word = mistake.word();
    let label = |text: &str| {
        let mut report = report.clone();
        report.labels[0].text = text.to_string();
        report
    };
    let typed = rule == Rule::one_state || rule == Rule::one_item;
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    Some(match word {
        "of" if matches!(last_word, "lists" | "sets" | "bags" | "grids" | "array" | "arrays" | "vector") => {
            let other = last_word.starts_with("array") || last_word == "vector";
            let one = if other { "list" } else { last_word.trim_end_matches('s') };
            let message = format!("`{last_word}` is not the right word");
            Diagnostic::new(Code::Unexpected, last, message, "").help(format!("write `{one} of …`")).fix(one)
        }
        "of" if rule == Rule::one_state && TYPE_WORDS.contains(&last_word) && wanted.nouns == ["`:`"] => {
            label("expected `:`").help("the name comes first: `name: type = first value`")
        }
        "." if rule == Rule::one_state && last_word == "me" => label("expected `:`").help(
            "what each player has is declared without `me`, in a block of its own: `each player { coins: 0..9 = 0 }`",
        ),
        "to" | "until" if number(last_word) || wanted.only_operator() => {
            label("").help("a range is written `1..n`, with both ends included").fix("..")
        }
        "of" if rule != Rule::one_state
            && (innermost(before).is_some() || matches!(first, "each" | "cycle" | "chance"))
            && is_word(last_word)
            && !TYPE_WORDS.contains(&last_word)
            && !before.rsplit(['(', '[', ',']).next().unwrap_or("").contains(" in ") =>
        {
            label("expected `in`").help("write `in` before what you go through: `x in S`").fix("in")
        }
        "from" if matches!(first, "move" | "secret") && innermost(before).is_some() => {
            label("expected `in`").help("what is chosen is followed by `in`: `k in S`").fix("in")
        }
        "players" if last_word == "each" => {
            label("expected `player`").help("write `each player { … }`").fix("player")
        }
        // `move put(int x)`
        _ if wanted.nouns.iter().any(|noun| noun == "`in`")
            && is_word(word)
            && matches!(last_word, "int" | "player" | "square" | "list" | "set" | "number") =>
        {
            label("expected `in`")
                .help(format!("a parameter is a name and what it is chosen from: `{word} in 1..9`"))
        }
        _ if wanted.nouns.iter().any(|noun| noun == "`in`") && is_word(last_word) && !word.is_empty() => {
            let form = form(rule, first).unwrap_or("x in S");
            let mut report = label("expected `in`").help(format!("write it like this: `{form}`"));
            let missing = Span::new(token.start, token.start);
            // Where nothing follows, what is gone through is missing, too.
            report.fix = Some(Fix { sure: !matches!(word, "{" | ")" | ","), ..Fix::new(missing, "in ") });
            report
        }
        "{" if first == "rule" && wanted.nouns.iter().any(|noun| noun == "`(`") && rule == Rule::one_item => {
            let help = format!("a rule needs its parentheses even if it takes nothing: `rule {last_word}() {{ … }}`");
            Diagnostic { fix: Some(Fix::new(Span::new(last.end, last.end), "()")), ..label("expected `()`").help(help) }
        }
        "=" if wanted.nouns.iter().any(|noun| noun == "`(`") && rule == Rule::one_item => {
            let mut report = label("expected `()`").help(format!(
                "a function needs its parentheses even if it takes nothing: `define {last_word}() = …`"
            ));
            let missing = Fix::new(Span::new(last.end, last.end), "()");
            report.fix = Some(missing).filter(|_| first == "define");
            report
        }
        "=" if typed && wanted.nouns.iter().all(|noun| noun == "`..`" || noun == "an operator") => {
            label("expected `..`")
                .help("a range is written `1..9`, with both ends included, and a list `list of 1..9`")
        }
        _ => return None,
    })
}

/// The words of types that are followed by `of`.
const TYPE_WORDS: &[&str] = &["list", "set", "bag", "grid", "by", "optional", "exactly", "most"];

/// Reports a word of the language used as a name.
pub fn reserved(word: &str, place: Span) -> Diagnostic {
    let message = format!("`{word}` is a word of the language, not a name");
    Diagnostic::new(Code::ReservedWord, place, message, "a name is needed here")
        .help(format!("choose another name, such as `{word}_`"))
}

/// `if {`: reports the missing condition, wherever the parse of the block failed.
fn no_condition(masked: &str, part: Span, token: Span, before: &str) -> Option<Diagnostic> {
    let opens = before.strip_suffix('{').or(masked[token.start..].starts_with('{').then_some(before))?;
    let opens = opens.trim_end();
    let word = ["if", "until", "where"]
        .into_iter()
        .find(|word| opens.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with(' ')))?;
    let place = Span::new(part.start + opens.len() - word.len(), part.start + opens.len());
    let report = Diagnostic::new(Code::Unexpected, place, format!("this `{word}` has no condition"), "");
    Some(match opens.ends_with("else if") {
        true => report.help("write `} else if C {`, or `} else {` for everything else"),
        false => report.help(format!("write `{word} C {{`, with a condition C such as `x > 2`")),
    })
}

/// `define f(x) { return E }`: reports that a function is a single value.
fn block_for_value(report: Diagnostic, masked: &str, part: Span) -> Diagnostic {
    let open = report.span().start;
    if masked[part.start..open].contains("= if ") {
        let mut report = report.help("a choice of values is written `if C then a else b`");
        report.labels[0].text = "expected `then`".to_string();
        return report;
    }
    let mut report = report
        .help("a function is a single value: `define f(x) = x + 1`; write a `define` for each part of it that needs a name");
    report.message = "a function cannot have a block".to_string();
    report.labels[0].text = "expected `=` and a value".to_string();
    let inside = masked[open + 1..part.end].trim_end();
    if let Some(inside) = inside.strip_suffix('}')
        && let Some(value) = inside.trim().strip_prefix("return ")
        && !value.contains(['{', '}', '\n', ';'])
    {
        let whole = Span::new(open, part.end);
        report.fix = Some(Fix::new(whole, format!("= {}", value.trim())));
    }
    report
}

/// Diagnoses a sign of another language, or one of this language in the wrong place.
fn sign_report(
    report: &Diagnostic,
    sign: &str,
    before: &str,
    wanted: &Wanted,
    (rule, form): (Rule, Option<&'static str>),
) -> Option<Diagnostic> {
    let written = |otherwise: &str| match form {
        Some(form) => format!("write it like this: `{form}`"),
        None => otherwise.to_string(),
    };
    let report = |label: &str| {
        let mut report = report.clone();
        report.labels[0].text = label.to_string();
        report
    };
    let place = before.trim();
    let equals = wanted.nouns.iter().any(|noun| noun == "`=`");
    let element = wanted.nouns.iter().any(|noun| noun == "`in`");
    Some(match sign {
        "=" if rule == Rule::one_statement && place == "score" && wanted.assigns => report("").help(
            "points are awarded in play, `award 3 to me`; those that are counted at the end stand at the left edge, `score = …`",
        ),
        "=" | "==" if rule == Rule::one_statement && is_word(place) && wanted.assigns => {
            let mut report = report("").help(format!("write `:=` to give `{place}` a new value")).fix(":=");
            report.message = format!("`{sign}` compares; it changes nothing");
            report
        }
        ":=" | "==" | ":" if rule == Rule::one_state && sign != ":" || equals => {
            let mut report = report("expected `=`").help(written("write `=`"));
            report.message = match sign {
                ":=" => "`:=` changes state; nothing changes here".to_string(),
                _ => report.message,
            };
            report.fix("=")
        }
        "=" | ":=" | ":" if element => {
            // A colon touches the name before it.
            let spaced = if before.ends_with(' ') { "in" } else { " in" };
            report("expected `in`").help(written("write `in` before the collection")).fix(spaced)
        }
        "++" | "--" if place.contains(['"', '\n']) => report("a line cannot begin with this")
            .help(format!("write `x {}= 1`, with what changes first", &sign[..1])),
        "++" | "--" => {
            let short = format!(" {}= 1", &sign[..1]);
            let report = report("").help(format!("write `{place} {}= 1`", &sign[..1]));
            match before.ends_with(' ') {
                true => report.fix(short.trim_start()),
                false => report.fix(short),
            }
        }
        "=" | ":" if before.trim() == "players" && rule == Rule::one_game_line => {
            report("").help(written("")).fix("")
        }
        ".." | "-" | "+" if before.starts_with("players") && rule == Rule::one_game_line => {
            report("").help(written(""))
        }
        "." | ".." | "=" | ")" | "]" | "}" | ":" | ","
            if before.ends_with("..") && !before.ends_with("...") =>
        {
            match sign {
                "." => report("").help("a range is written `1..n`").fix(""),
                _ => report("the other end is missing")
                    .help("a range has two ends, `2..9`, or no upper end: `2 or more`"),
            }
        }
        "=>" if !before.contains("case ") => {
            report(NOT_A_SIGN).help("write `>=`").fix(">=")
        }
        "*" | "/" if rule == Rule::one_statement && is_word(place) && wanted.assigns => {
            report("").help(format!("write `{place} := {place} {} …`", if sign == "*" { "*" } else { "div" }))
        }
        "-" if place.is_empty() => report("a line cannot begin with this")
            .help("put the `-` at the end of the line before, and it goes on"),
        _ => {
            let foreign = foreign_sign(sign)?;
            let report = report(NOT_A_SIGN).help(foreign.says);
            match foreign.here {
                Some(here) => report.fix(here),
                None => report,
            }
        }
    })
}

/// Reports a line that begins with no word of the language, if that is the mistake.
fn wrong_beginning(masked: &str, first: Span, at: usize, end: usize, rule: Rule) -> Option<Diagnostic> {
    let word = &masked[first.start..first.end];
    let next = token_at(masked, first.end, end);
    let next_word = &masked[next.start..next.end];
    let words = words_of(rule)?;
    // The mistake is the first word itself, or the next word, where a name's sign should be.
    let at_once = at <= first.start || (at <= next.start && !word.is_empty());
    let goes_on = next_word.starts_with(|c: char| c.is_alphanumeric() || "\"'{".contains(c));
    let names = matches!(rule, Rule::one_statement | Rule::one_example_line);
    if !is_word(word) || known(words, word).is_some() || !at_once || (names && !goes_on) {
        return None;
    }
    if rule == Rule::one_example_line
        && let Some(report) = whose_move(masked, first, next)
    {
        return Some(report);
    }
    let report = |message: String| Diagnostic::new(Code::Unexpected, first, message, "");
    if rule == Rule::one_statement && declares_move(masked, word) {
        let help = format!("`{word}` alone offers it; the player who moves chooses its values");
        return Some(report(format!("the move `{word}` stands alone on its line")).help(help));
    }
    if rule == Rule::one_example_line && declares_move(masked, word) {
        let line = masked[first.start..end].lines().next().unwrap_or(word);
        return Some(
            report("this line does not say who moves".to_string()).help(format!("write `1: {line}`")),
        );
    }
    let small = word.to_lowercase();
    if small != word && known(words, &small).is_some() {
        return Some(in_capitals(first, word, small));
    }
    if let Some(row) = foreign(word) {
        let mut report = foreign_word(first, word, row);
        // A correction must be able to begin the line.
        report.fix = report.fix.filter(|fix| known(words, &fix.replacement).is_some());
        return Some(report);
    }
    let what = match rule {
        Rule::one_item => "part of a rule file",
        Rule::one_game_line => "line of `game`",
        Rule::one_example_line => "line of an example",
        _ => "statement",
    };
    let report = report(format!("no {what} begins with `{word}`"));
    if rule == Rule::one_statement && word == "show" {
        return Some(report.help(
            "`show` stands at the left edge and says what the table looks like; `reveal x` shows a secret to everybody, `say \"…\"` tells something",
        ));
    }
    if rule == Rule::one_statement && is_item_word(word) {
        return Some(report.help(format!(
            "`{word}` begins a part of the file: put it at the left edge, outside all other parts"
        )));
    }
    let opens = masked[first.end..end].trim_start().starts_with(['{', '(']);
    if rule == Rule::one_item && opens && is_offered(masked, word) {
        let help = format!("a move is declared with its word: `move {word}`");
        return Some(report.help(help).fix(format!("move {word}")));
    }
    Some(match nearest(word, words.iter().map(|(word, _)| *word)) {
        // So short a word may as well be another one.
        Some(near) if near.len() < 4 => report.help(format!("did you mean `{near}`?")),
        Some(near) => report.help(format!("did you mean `{near}`?")).fix(near),
        None if rule == Rule::one_item && masked[..first.start].ends_with(' ') => {
            report.help("a value goes on if its line ends with an operator, or the next line begins with one")
        }
        None => report.help(match rule {
            Rule::one_item => {
                "a file consists of `game`, `variant`, `option`, `kind`, `let`, `table`, `each player`, `show`, `move`, \
                 `define`, `rule`, `need`, `play`, `score`, `winner` and `example`; a comment begins with `//`"
            }
            Rule::one_game_line => "it may hold `by`, `from`, `note` and `players`",
            Rule::one_example_line => {
                "a line gives a move, `1: put 4`, and what is true after it: `shows`, `refused`, `scores`, \
                 `expect`, `over`, `winner`"
            }
            _ => "a line names a move, calls a rule, changes state, or begins with a word such as `if` or `each`",
        }),
    })
}

fn words_of(rule: Rule) -> Option<&'static [(&'static str, &'static str)]> {
    match rule {
        Rule::one_item => Some(ITEMS),
        Rule::one_statement => Some(STATEMENTS),
        Rule::one_game_line => Some(GAME_LINES),
        Rule::one_example_line => Some(EXAMPLE_LINES),
        _ => None,
    }
}

fn known(words: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    words.iter().find(|(known, _)| *known == word).map(|(_, form)| *form)
}

/// Returns the form of the part that begins with a word.
fn form(rule: Rule, first: &str) -> Option<&'static str> {
    match rule {
        Rule::one_state => Some(match first {
            "secret" => "name: type = first value secret",
            "hidden" => "name: type = first value hidden",
            _ => "name: type = first value",
        }),
        Rule::one_example_line if !is_word(first) => Some("1: put 4 shows \"…\""),
        _ => known(words_of(rule)?, first),
    }
}

pub(super) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

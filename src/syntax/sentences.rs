//! Reports for rules as prose says them, where something else is written here: `player with the most points`,
//! `k in 2..9 except 3`, `until no move`, `chance 1..6` as a value.

use pest::Parser;

use super::draws::{dice, drawn_value, nameless_draw};
use super::grammar::{Grammar, Rule};
use super::habits::{Mistake, declares_move, innermost};
use super::phrases::{operand, operand_before};
use super::report::{end_of_part, statement_form};
use super::winners::winner_line;
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// Words that leave something out.
const EXCEPTIONS: &[&str] = &["not", "except", "without", "but", "unless"];

/// Words that a value comes after.
const BEFORE_VALUES: &[&str] = &[
    "need", "and", "or", "not", "if", "then", "else", "in", "where", "while", "until", "when", "div", "mod",
    "award", "possible",
];

/// The signs and words that compare.
const COMPARISONS: &[&str] = &["<", ">", "<=", ">=", "!=", "in"];

/// How to say what happens to somebody who has no legal move.
const STUCK: &str = "`turns until stuck { … }` ends when somebody has no legal move, `turns skipping stuck { … }` passes over them, \
     `turns dropping stuck { … }` puts them out";

/// Diagnoses part of a rule that is written as in prose; `report` says what the grammar expected.
pub fn sentence(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    winner_line(mistake, report)
        .or_else(|| exception(mistake, report))
        .or_else(|| can_move(mistake, report))
        .or_else(|| drawn_value(mistake))
        .or_else(|| without_subject(mistake))
        .or_else(|| skipping(mistake, report))
        .or_else(|| until_stuck(mistake, report))
        .or_else(|| both_needs(mistake, report))
        .or_else(|| reason_left_out(mistake, report))
        .or_else(|| between_bars(mistake))
        .or_else(|| several_numbers(mistake, report))
        .or_else(|| every_nth(mistake, report))
        .or_else(|| so_many_times(mistake, report))
        .or_else(|| value_by_key(mistake, report))
        .or_else(|| by_key(mistake, report))
        .or_else(|| optional_choice(mistake))
        .or_else(|| dice(mistake))
        .or_else(|| nameless_draw(mistake, report))
        .or_else(|| name_of_words(mistake, report))
        .or_else(|| conditions_as_cases(mistake, report))
        .or_else(|| a_line_each(mistake, report).filter(|_| mistake.word() == ";"))
}

/// `turns skipping passed { … }`, `turns where not me.passed { … }`.
fn skipping(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let skips = matches!(mistake.last.0, "skipping" | "dropping") || mistake.word() == "where";
    (mistake.first == "turns" && skips).then(|| {
        let help = "`skipping stuck` passes over those who have no legal move; for those who meet another condition: \
             `turns { if not me.passed { … } }`";
        mistake.says(report, "", help)
    })
}

/// `turns until stuck or turn > 100 { … }`.
fn until_stuck(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let joins = mistake.last.0 == "stuck" && matches!(mistake.word(), "or" | "and" | ",");
    (mistake.first == "turns" && joins).then(|| {
        let condition = mistake.rest().split(" {").next().unwrap_or("").trim();
        let condition = if condition.is_empty() { "C" } else { condition };
        let help = format!(
            "`until stuck` stands alone; another end comes after the block: `turns until stuck {{ … }} until {condition}`"
        );
        mistake.says(report, "expected `{`", help)
    })
}

/// `case { k > 3: a, … }`, `case k { > 3: a, … }`: conditions one after the other.
fn conditions_as_cases(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let start =
        mistake.masked[..mistake.token.start].rfind("case ").filter(|at| *at >= mistake.part.start)?;
    let (subject, inside) = mistake.masked[start + "case ".len()..].split_once('{')?;
    let compared = COMPARISONS.contains(&mistake.word());
    if !subject.trim().is_empty() && !compared || mistake.rule == Rule::one_example_line {
        return None;
    }
    let mut written = String::new();
    for arm in inside.split('}').next()?.split(['\n', ';']).filter_map(|arm| arm.split_once(": ")) {
        let (test, value) = (arm.0.trim(), arm.1.trim());
        match test {
            "else" | "otherwise" => written.push_str(value),
            test if compared && COMPARISONS.iter().any(|sign| test.starts_with(sign)) => {
                written.push_str(&format!("if {}{test} then {value} else ", subject.trim_start()));
            }
            test if compared => {
                written.push_str(&format!("if {}= {test} then {value} else ", subject.trim_start()))
            }
            test => written.push_str(&format!("if {test} then {value} else ")),
        }
    }
    let whole = !written.is_empty() && !written.ends_with(" else ");
    let written = if whole { &written } else { "if C then a else if D then b else c" };
    let help = format!(
        "`case` compares one value with others, `case x {{ 1, 2: a … }}`; conditions are tried one after the other: `{written}`"
    );
    Some(mistake.says(report, "", help))
}

/// `need C`, without a reason.
fn reason_left_out(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let line = mistake.before.trim();
    // A corrected word may leave blanks behind.
    let blanks = !line.contains('"') && line.contains("  ");
    let line = &if blanks { line.split_whitespace().collect::<Vec<_>>().join(" ") } else { line.to_string() };
    let written = format!("{line} else \"…\"");
    let reads = mistake.rule == Rule::one_statement && Grammar::parse(mistake.rule, &written).is_ok();
    (mistake.first == "need" && mistake.word().is_empty() && !line.contains(" else ") && reads)
        .then(|| mistake.says(report, "expected `else`", format!("say why it is refused: `{written}`")))
}

/// `need C, D else "no"`.
fn both_needs(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let joins = mistake.first == "need" && mistake.word() == "," && innermost(mistake.before).is_none();
    let reason = mistake.rest().trim_start().starts_with('"') || mistake.onwards().starts_with('"');
    if joins && reason {
        let help = "the reason stands behind `else`: `need C else \"…\"`";
        return Some(mistake.says(report, "expected `else`", help));
    }
    let one = mistake.before.trim_start().strip_prefix("need").unwrap_or("").trim();
    let others = mistake.rest().split(" else ").next().unwrap_or("").trim();
    if joins
        && operand(one) == Some(one)
        && let Some((other, test)) = others.split_once(' ').filter(|(other, _)| operand(other) == Some(other))
    {
        let help = format!("say it of each: `need {one} {test} and {other} {test} else …`");
        return Some(mistake.says(report, "", help));
    }
    joins.then(|| {
        let help = "write `need C and D`, or a `need` for each, on a line of its own";
        mistake.says(report, "expected `and` or the end of the line", help)
    })
}

/// `|a - b|`.
fn between_bars(mistake: &Mistake) -> Option<Diagnostic> {
    let value = mistake.before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | ']' | '_'));
    let opens = mistake.word() == "|" && (!value || BEFORE_VALUES.contains(&mistake.last.0));
    let (inside, _) = mistake.rest().split_once('|').filter(|_| opens)?;
    // Around a single value, bars may as well mean a size.
    if operand(inside.trim()) == Some(inside.trim()) {
        let value = inside.trim();
        let help = format!("`abs({value})` is a number without its sign; `size({value})` counts elements");
        return Some(mistake.about(mistake.word(), help));
    }
    let whole = &mistake.masked[mistake.token.start..mistake.token.end + inside.len() + 1];
    let written = format!("abs({})", inside.trim());
    Some(mistake.about(whole, format!("write `{written}`")).fix(written))
}

/// `players 2 or 4`.
fn several_numbers(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (low, _) = mistake.before.trim().strip_prefix("players ")?.split_once(" or")?;
    let high = mistake.word();
    let numbers = [low, high].iter().all(|n| n.chars().all(|c| c.is_ascii_digit()));
    let high = mistake.rest().rsplit(" or ").next().filter(|n| !n.is_empty()).unwrap_or(high);
    (mistake.last.0 == "or" && numbers)
        .then(|| mistake.says(report, "", format!("write `players {low} to {high}`")))
}

/// `v in 1..9 step 2`.
fn every_nth(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    if !matches!(mistake.word(), "step" | "by") {
        return None;
    }
    let (_, range) = mistake.before.trim_end().rsplit_once(" in ")?;
    let (from, _) = range.split_once("..").filter(|(_, to)| !to.ends_with(')') || to.contains('('))?;
    let by = operand(mistake.rest().trim_start())?;
    let begun = if from == "0" { "k".to_string() } else { format!("(k - {from})") };
    let help = format!("take only some of them: `[k in {range} where {begun} mod {by} = 0]`");
    Some(mistake.says(report, "", help))
}

/// `turns { … } 3 times`.
fn so_many_times(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let number = mistake.word();
    let counts = number.starts_with(|c: char| c.is_ascii_alphanumeric());
    let times = mistake.rest().trim_start().starts_with("times");
    (counts && times)
        .then(|| mistake.says(report, "", format!("the number comes first: `repeat {number} {{ … }}`")))
}

/// `{1: 2, 2: 3}`, `[1: 2, 2: 3]`.
fn value_by_key(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let open = opened_last(mistake.before)?;
    let (head, inside) = (&mistake.before[..open], &mistake.before[open + 1..]);
    let head = head.rsplit('\n').next().unwrap_or("");
    if mistake.word() == "," && head.contains("case ") {
        let help = "each arm of `case` has a line of its own; the last one may be `else: …`";
        return Some(mistake.says(report, "", help));
    }
    let (key, value) = inside.split_once(':')?;
    let one = |text: &str| operand(text.trim()) == Some(text.trim());
    (mistake.word() == "," && one(key) && one(value)).then(|| {
        let part = &mistake.masked[mistake.part.start..mistake.part.end];
        let ty = part.split_once(':').map_or("", |(_, ty)| ty.trim_start());
        let kind = ["bag", "list"].into_iter().find(|kind| ty.starts_with(&format!("{kind} of")));
        if let Some(((copies, pairs), kind)) = copies_by_key(mistake, inside).zip(kind) {
            // What is written with `copies of` is a bag where one is declared.
            let is_bag = copies.contains("copies of") || kind != "bag" || head.trim_end().ends_with("bag(");
            let written = if is_bag { copies } else { format!("bag({copies})") };
            let whole = Span::new(mistake.span_of(inside).start - 1, pairs.end + 1);
            let help = format!("a {kind} is made of its elements: `{written}`");
            let report = mistake.says(report, "", help);
            return Diagnostic { fix: Some(Fix::new(whole, written)), ..report };
        }
        let help = "all keys of a map begin with one value; where each number from 1 on has its own, write a list: \
             `costs: list of 0..9 = [2, 3, 4]`, of which `costs[1]` is 2";
        mistake.says(report, "", help)
    })
}

/// Returns where the last brace or square bracket begins that is open at the end of a text.
fn opened_last(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    text.char_indices().rev().find_map(|(at, c)| {
        match c {
            '}' | ']' => depth += 1,
            '{' | '[' if depth == 0 => return Some(at),
            '{' | '[' => depth -= 1,
            _ => {}
        }
        None
    })
}

/// Returns how the elements of `{1: 4, 2: 3}` are written as a list, with each key as often as its value says, and the place
/// of these pairs; `inside` is the text up to the token.
fn copies_by_key(mistake: &Mistake, inside: &str) -> Option<(String, Span)> {
    let rest = mistake.masked[mistake.span_of(inside).start..mistake.part.end].split(['}', ']']).next()?;
    let one = |text: &str| operand(text) == Some(text) && !text.is_empty();
    let pairs = rest.split(',').map(|pair| {
        let (key, count) = pair.split_once(':')?;
        let (key, count) = (key.trim(), count.trim());
        (one(key) && one(count)).then(|| match count {
            "1" => format!("[{key}]"),
            _ => format!("{count} copies of {key}"),
        })
    });
    let copies: Vec<String> = pairs.collect::<Option<_>>()?;
    Some((copies.join(" ++ "), mistake.span_of(rest)))
}

/// `need k <= 3 and not in hand`.
fn without_subject(mistake: &Mistake) -> Option<Diagnostic> {
    let (word, place) = mistake.last;
    if word != "not" || mistake.word() != "in" {
        return None;
    }
    let whole = &mistake.masked[place.start..mistake.token.end];
    Some(mistake.about(whole, "what is looked for comes first: `k not in hand`, or `not (k in hand)`"))
}

/// `sorted(players by coins)`, `max(players, by coins)`, `highest player by coins`.
fn by_key(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let by = |word: &str| matches!(word, "by" | "key" | "lambda");
    if !by(mistake.word()) && !by(mistake.last.0) {
        return None;
    }
    let open = innermost(mistake.before)?;
    let head = operand_before(&mistake.before[..open])?;
    let inside = mistake.before[open + 1..].rsplit(" in ").next()?;
    let (inside, _) = inside.split_once([',', ' ']).unwrap_or((inside, ""));
    let list = operand(inside).unwrap_or("S");
    let key = operand(if by(mistake.word()) { mistake.rest().trim_start() } else { mistake.onwards() });
    // `t.3`
    let part = key.and_then(|key| key.rsplit_once('.')).map(|(_, part)| part);
    if let Some(part) =
        part.filter(|part| part.chars().all(|c| c.is_alphanumeric() || c == '_') && !part.is_empty())
    {
        return Some(mistake.says(report, "", by_key_help(head, list, part)?));
    }
    let key = key.filter(|key| key.chars().all(|c| c.is_alphanumeric() || c == '_')).unwrap_or("coins");
    let key = Some(key).filter(|key| key.starts_with(char::is_alphabetic)).unwrap_or("coins");
    Some(mistake.says(report, "", by_key_help(head, list, key)?))
}

/// Returns how the best of several, or their order, is written by something that each has; `head` is the function that was
/// meant to find it.
pub fn by_key_help(head: &str, list: &str, key: &str) -> Option<String> {
    Some(match head {
        "sorted" | "sort" => {
            format!("pairs are sorted by their first part: `[t in sorted([p in {list}: (p.{key}, p)]): t.2]`")
        }
        "max" | "largest" | "highest" | "argmax" => {
            format!(
                "the first with the most is `first(p in {list} where p.{key} = largest(q in {list}: q.{key}))`"
            )
        }
        "min" | "smallest" | "lowest" | "argmin" => {
            format!(
                "the first with the least is `first(p in {list} where p.{key} = smallest(q in {list}: q.{key}))`"
            )
        }
        _ => return None,
    })
}

/// `move put(k: optional 1..3)`, `move put(k in optional 1..3)`, `move put(optional k in 1..3)`, `move put(k? in 1..3)`.
fn optional_choice(mistake: &Mistake) -> Option<Diagnostic> {
    if mistake.first != "move" {
        return None;
    }
    let open =
        innermost(mistake.before).filter(|open| mistake.before[..*open].trim().split(' ').count() == 2)?;
    let start = mistake.before[open + 1..].rfind(", ").map_or(open + 1, |at| open + 1 + at + 2);
    let text = &mistake.masked[mistake.part.start + start..mistake.part.end];
    let text = &text[..end_of_part(text, |_, c| c == ',').unwrap_or(text.len())];
    let said = |text: &str| {
        text.contains('?') || text.split(|c: char| !c.is_alphabetic()).any(|word| word == "optional")
    };
    let said = said(text).then_some(text)?;
    let plain = text.replace('?', "").replace("optional ", "").replace(" optional", "");
    let (name, domain) = plain.split_once(" in ").or(plain.split_once(':')).unwrap_or((plain.as_str(), "…"));
    let written = format!("{} in list({}) ++ [none]", name.trim(), domain.trim());
    let help = format!(
        "what may be left out has none among its values: `{written}`; or let a move of its own choose nothing: `move pass {{ }}`"
    );
    Some(mistake.about(said, help))
}

/// `last move: square`, `move take a card(k in 1..9) { … }`: names of several words.
fn name_of_words(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (text, ends) = match mistake.rule {
        Rule::one_state => (mistake.masked[mistake.part.start..mistake.part.end].trim_start(), ':'),
        Rule::one_item if mistake.first == "move" => {
            (mistake.masked[mistake.part.start..mistake.part.end].strip_prefix("move ")?, '(')
        }
        _ => return None,
    };
    let name = text.split([ends, '{', '\n']).next()?.trim();
    let words: Vec<&str> = name.split(' ').collect();
    let letters = |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let within =
        mistake.span_of(name).start < mistake.token.start && mistake.token.start < mistake.span_of(name).end;
    let declares = mistake.rule == Rule::one_item || text[name.len()..].trim_start().starts_with(':');
    (within && declares && words.len() > 1 && words.iter().all(letters)).then(|| {
        let written = words.join("_");
        let report = mistake.says(report, "", format!("a name is one word: `{written}`"));
        Diagnostic { fix: Some(Fix::likely(mistake.span_of(name), written)), ..report }
    })
}

/// `move offer(k in 0..9 except me.bid)`, `k in board not used`.
fn exception(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    if mistake.first != "move" || !EXCEPTIONS.contains(&mistake.word()) {
        return None;
    }
    let open = innermost(mistake.before)?;
    let param = mistake.before[open + 1..].rsplit(", ").next()?;
    let (name, domain) = param.split_once(" in ")?;
    let but = mistake.rest().trim_start();
    let (sign, of) = match but.strip_prefix("in ") {
        Some(of) => ("not in", of),
        None if mistake.word() == "not" => ("not in", but),
        None if operand(but).is_some_and(|of| holds_several(mistake.masked, of)) => ("not in", but),
        None => ("!=", but),
    };
    let of = operand(of).unwrap_or("…");
    let help = format!(
        "a condition on what is chosen follows `where`: `{name} in {domain} where {name} {sign} {of}`"
    );
    Some(mistake.says(report, "expected `where`, `)` or `,`", help))
}

/// Whether a text declares a name, or what stands behind its last dot, as a list, a set or a bag.
pub fn holds_several(masked: &str, name: &str) -> bool {
    let name = name.rsplit('.').next().unwrap_or(name);
    ["list", "set", "bag"].iter().any(|kind| masked.contains(&format!(" {name}: {kind} of ")))
}

/// `until no place`, `if p can place`.
fn can_move(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (word, place) = mistake.last;
    if mistake.word() == "can" && operand_before(mistake.before).is_some() {
        return Some(mistake.says(report, "", STUCK));
    }
    let condition = mistake.before.strip_suffix("no").map(str::trim_end).unwrap_or_default();
    let asks = condition.ends_with("until") || condition.ends_with("if") || condition.ends_with("while");
    let asks = asks && declares_move(mistake.masked, mistake.word());
    let moves = matches!(mistake.word(), "move" | "moves" | "legal" | "possible");
    (word == "no" && (asks || moves) && mistake.is_name())
        .then(|| mistake.about(&mistake.masked[place.start..mistake.token.end], STUCK))
}

/// Words that take something away.
const TAKES_AWAY: &[&str] =
    &["remove", "delete", "discard", "erase", "eliminate", "kick", "empty", "clear", "unset"];

/// Diagnoses a line that takes something away by a word: `remove p`, `remove board[at]`, `empty row`.
pub fn taken_away(masked: &str, part: Span, rule: Rule) -> Option<Diagnostic> {
    let line = masked[part.start..part.end].trim();
    let (word, what) = line.split_once(' ').filter(|_| rule == Rule::one_statement)?;
    let what = what.trim_end_matches(';').trim();
    if let Some((player, all)) = what.split_once(" from ")
        && TAKES_AWAY.contains(&word)
        && matches!(all, "players" | "standing" | "play" | "the game" | "the match")
        && operand(player) == Some(player)
    {
        let start = line.as_ptr() as usize - masked.as_ptr() as usize;
        let place = Span::new(start, start + line.len());
        let message = format!("`{line}` is written in another way");
        let report = Diagnostic::new(Code::Unexpected, place, message, "");
        return Some(report.help(format!("write `out {player}`")).fix(format!("out {player}")));
    }
    if let Some((square, grid)) = what.split_once(" from ")
        && TAKES_AWAY.contains(&word)
        && is_empty_grid(masked, grid)
    {
        let written = format!("{grid}[{square}] := none");
        let start = line.as_ptr() as usize - masked.as_ptr() as usize;
        let place = Span::new(start, start + line.len());
        let message = format!("`{line}` is written in another way");
        let report = Diagnostic::new(Code::Unexpected, place, message, "").help(format!("write `{written}`"));
        return Some(report.likely_fix(written));
    }
    if !TAKES_AWAY.contains(&word) || operand(what) != Some(what) || declares_move(masked, word) {
        return None;
    }
    let start = line.as_ptr() as usize - masked.as_ptr() as usize;
    let place = Span::new(start, start + line.len());
    let report = Diagnostic::new(Code::Unexpected, place, format!("`{line}` is written in another way"), "");
    let base = what.split('[').next().unwrap_or(what);
    let name = base.rsplit('.').next().unwrap_or(base);
    let mut lines = masked.lines().map(str::trim);
    let ty = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap_or("");
    let nothing = match ty.split(' ').next().unwrap_or("") {
        _ if what.contains('[') && !ty.starts_with("list") => "none",
        "empty" | "grid" => {
            let each = format!("each s in {what} {{ {what}[s] := none }}");
            return Some(report.help(format!("every square is emptied by `{each}`")));
        }
        "optional" => "none",
        "list" if what.contains('[') => {
            return Some(report.help(format!(
                "`{base} -= x` takes the first element equal to x out of the list, and the others move up"
            )));
        }
        ty if ty == "int" || ty.starts_with(|c: char| c.is_ascii_digit()) => {
            return Some(report.help(format!("write `{what} := 0`")).likely_fix(format!("{what} := 0")));
        }
        "list" => "[]",
        "set" => "{}",
        "bag" => "bag()",
        _ => {
            let help = format!(
                "`out {what}` puts a player out of the match, and `S -= {what}` takes an element out of a collection"
            );
            return Some(report.help(help));
        }
    };
    let written = format!("{what} := {nothing}");
    let may_be = nothing != "none" || ty.starts_with("empty ") || ty.starts_with("optional ");
    let report = report.help(format!("write `{written}`"));
    Some(Diagnostic { fix: Some(Fix { sure: may_be, ..Fix::new(place, written) }), ..report })
}

/// Whether a text declares an empty grid by a name, or by what stands behind its last dot.
fn is_empty_grid(masked: &str, name: &str) -> bool {
    let name = name.rsplit('.').next().unwrap_or(name);
    masked.contains(&format!(" {name}: empty grid "))
}

/// Adds help to the report about something that stands behind a line that could end there.
pub fn beside(mistake: &Mistake, report: Diagnostic) -> Diagnostic {
    let rest = mistake.onwards();
    let reads = Grammar::parse(Rule::one_statement, rest.trim_end_matches(['}', ' '])).is_ok();
    let (last, value) = (mistake.last.0, operand(rest));
    if mistake.word() == "else" && mistake.rule == Rule::one_statement {
        return else_of_an_open_block(mistake, report);
    }
    if matches!(mistake.word(), "and" | "or" | "then") {
        return report.help("put each statement on a line of its own");
    }
    if let Some(above) = mistake.before.strip_suffix(last)
        && let Some(word) =
            ["or", "and"].into_iter().find(|word| above.trim_end().ends_with(&format!(" {word}")))
        && statement_form(last).is_some()
    {
        return report.help(format!(
            "the `{word}` before `{last}` goes on to the next line: something is missing behind the `{word}`, or it is one too many"
        ));
    }
    match value {
        _ if mistake.word() == "where" && operand_before(mistake.before).is_some() => {
            let of = operand_before(mistake.before).unwrap_or("S");
            report.help(format!("those that meet a condition are `[x in {of} where …]`"))
        }
        _ if mistake.word() == "until" && mistake.rest().contains('{') => {
            let condition = mistake.rest().split('{').next().unwrap_or("C").trim();
            report.help(format!(
                "write `turns until {condition} {{ … }}`; what is no turn is repeated by `repeat {{ … }} until {condition}`"
            ))
        }
        _ if mistake.word() == "until" && mistake.first == "each" && mistake.before.ends_with('}') => {
            let condition = mistake.rest().trim();
            report.help(format!(
                "`each` goes through everything once, without `until`; again and again it is `cycle x in S {{ … }} until {condition}`, or `turns {{ … }} until {condition}` for turns of the players"
            ))
        }
        _ if mistake.word() == "until"
            && mistake.rule == Rule::one_statement
            && declares_move(mistake.masked, mistake.first) =>
        {
            let (offered, condition) =
                (mistake.before.trim(), mistake.rest().trim().trim_end_matches('}').trim());
            let line = mistake.masked[..mistake.part.start].lines().next_back().unwrap_or("").trim();
            let line = line.strip_suffix('{').unwrap_or("").trim();
            if line.starts_with("turns") && !line.contains(" until ") {
                return report.help(format!(
                    "what ends a loop stands behind its block: `{line} {{ {offered} }} until {condition}`"
                ));
            }
            report.help(format!(
                "moves are offered once; again and again it is `repeat {{ {offered} }} until {condition}`"
            ))
        }
        _ if mistake.rule == Rule::one_game_line => {
            report.help("a line of `game` is `players 2`, `by \"…\"`, `from \"…\"` or `note \"…\"`")
        }
        Some(value) if !last.is_empty() && mistake.is_name() && (mistake.first == "let" || !reads) => report
            .help(format!(
                "an operator such as `+` or `and` is missing between `{last}` and `{value}`, or a new line"
            )),
        _ if mistake.word() == ","
            && let Some(line_each) = a_line_each(mistake, &report) =>
        {
            line_each
        }
        _ if mistake.word() == "," && mistake.rule == Rule::one_statement => {
            let added = mistake.before.split_once("+=");
            report.help(match added.map(|(place, value)| (place.trim(), value.trim())) {
                Some((place, value)) => {
                    let others = mistake.rest().trim();
                    format!("a pair stands in brackets, `{place} += ({value}, {others})`; several elements are added by `{place} ++= [{value}, {others}]`")
                }
                None => "several values stand in brackets: `(a, b)` is a pair, `[a, b]` a list".to_string(),
            })
        }
        _ => match two_statements(mistake) {
            Some((one, other, between)) => on_two_lines(mistake, &report, one, other, between),
            None => report.help("put each statement on a line of its own"),
        },
    }
}

/// `if C {`, some lines, and then `else` without the `}` before it.
fn else_of_an_open_block(mistake: &Mistake, report: Diagnostic) -> Diagnostic {
    // An `else` at the beginning of a line goes on with the one before, after the blanks that its line end has become.
    let alone = mistake.token.start > mistake.part.start + mistake.before.len() + 1;
    let open = mistake.masked[..mistake.part.start].trim_end().lines().rev().map(str::trim);
    let opened = open
        .take_while(|line| !line.starts_with("move "))
        .any(|line| line.ends_with('{') && (line.starts_with("if ") || line.contains("else if ")));
    if !alone || !opened {
        return report.help("`else` belongs to an `if` with a block: `if C { … } else { … }`");
    }
    let rest = mistake.rest().trim_start();
    let written = if rest.starts_with(['{']) || rest.starts_with("if ") { "} else" } else { "} else {" };
    let help = format!("the block before `else` is not closed: write `{written}`");
    mistake.says(&report, "a `}` is missing in front of this", help).likely_fix(written)
}

/// `me.coins -= 1, x += 1`: returns a report if both sides of the comma are statements.
fn a_line_each(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let (one, other) = (mistake.before.trim(), mistake.rest().trim_end_matches('}').trim());
    // A name or a call alone may as well be a value.
    let reads = |text: &str| operand(text) != Some(text) && Grammar::parse(Rule::one_statement, text).is_ok();
    if mistake.rule != Rule::one_statement || !reads(one) || !reads(other) {
        return None;
    }
    let between = Span::new(mistake.span_of(one).end, mistake.span_of(other).start);
    Some(on_two_lines(mistake, report, one, other, between))
}

/// Reports two statements on one line.
fn on_two_lines(mistake: &Mistake, report: &Diagnostic, one: &str, other: &str, between: Span) -> Diagnostic {
    let line = &mistake.masked[..mistake.span_of(one).start];
    let indent = line.len() - line.rfind('\n').map_or(0, |at| at + 1);
    let report =
        mistake.says(report, "", format!("put each on a line of its own: `{one}`, and then `{other}`"));
    let fix = Fix::new(between, format!("\n{}", " ".repeat(indent)));
    Diagnostic { fix: Some(fix), ..report }
}

/// `x += 1 and y -= 1`, `x := 3, y := 4`: returns both statements, and the place of what stands between them.
fn two_statements<'m>(mistake: &Mistake<'m>) -> Option<(&'m str, &'m str, Span)> {
    const BETWEEN: &[&str] = &[" and then ", " and ", " then ", ", then ", ", ", "; "];
    if mistake.rule != Rule::one_statement || !matches!(mistake.word(), ":=" | "+=" | "-=" | "++=") {
        return None;
    }
    let line = mistake.masked[mistake.part.start..mistake.part.end].trim();
    let reads = |text: &str| Grammar::parse(Rule::one_statement, text).is_ok();
    BETWEEN.iter().find_map(|word| {
        let at = mistake.before.trim_start().rfind(word)?;
        let (one, other) = (&line[..at], &line[at + word.len()..]);
        let between = Span::new(mistake.span_of(one).end, mistake.span_of(other).start);
        (!line.contains('\n') && reads(one) && reads(other)).then_some((one, other, between))
    })
}

/// Diagnoses a line of an example that begins with `player 1` or with `next` and no colon.
pub fn whose_move(masked: &str, first: Span, next: Span) -> Option<Diagnostic> {
    let (word, after) = (&masked[first.start..first.end], &masked[next.start..next.end]);
    let number = after.starts_with(|c: char| c.is_ascii_digit());
    let (whole, help) = match word {
        "player" | "seat" if number => (
            Span::new(first.start, next.end),
            format!(
                "what player {after} does is written `{after}: put 4`; who has won, `over, winner {after}`"
            ),
        ),
        "next" if after != ":" => (first, format!("write `next: {after}`")),
        _ => return None,
    };
    let message = format!("`{}` does not fit here", &masked[whole.start..whole.end]);
    Some(Diagnostic::new(Code::Unexpected, whole, message, "").help(help))
}

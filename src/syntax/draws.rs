//! Reports for draws as people say them: `roll 2d6`, `die := random 1..6`, `draw me.purse from 1..3`.

use super::choices::declares_value;
use super::grammar::Rule;
use super::habits::{Mistake, declares_move, innermost};
use super::idioms;
use super::kinds::is_kind;
use super::phrases::operand;
use super::sentences::holds_several;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// `roll 2d6`.
pub fn dice(mistake: &Mistake) -> Option<Diagnostic> {
    // `chance d6` ends behind it.
    let said = match mistake.word() {
        "" => mistake.last.0,
        word => word,
    };
    let (count, sides) = said.split_once('d')?;
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let fits = digits(count) && digits(sides) && !sides.is_empty() && mistake.rule == Rule::one_statement;
    let help = match count {
        _ if !fits => return None,
        "" | "1" => format!(
            "a roll is a line of its own: `chance die in 1..{sides}`; from then on `die` is what came up"
        ),
        count => format!(
            "a roll is a line of its own: `chance dice in lists({count}, 1..{sides})`; from then on `sum(dice)` is what came up"
        ),
    };
    Some(mistake.about(said, help))
}

/// `chance good`, `chance 1..6`: what is drawn has no name.
pub fn nameless_draw(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let from = mistake.before.trim().strip_prefix("chance ")?;
    let ends = mistake.word().is_empty() && mistake.rule == Rule::one_statement;
    (ends && operand(from) == Some(from)).then(|| {
        let from = if is_kind(mistake.masked, from) { format!("every {from}") } else { from.to_string() };
        mistake.says(report, "expected `in`", format!("give what is drawn a name: `chance drawn in {from}`"))
    })
}

/// `[k in 1..5: chance 1..6]`, `row := random 3 of 1..6`, `die := roll 6`, `deck: list of 1..9 = shuffled 1..9`.
pub fn drawn_value(mistake: &Mistake) -> Option<Diagnostic> {
    // `shuffled [1, 2, 3]` reads like an index.
    if let Some(open) = innermost(mistake.before).filter(|_| mistake.word() == ",")
        && let Some(before) = mistake.before[..open].strip_suffix(' ')
        && before.ends_with(" shuffled")
    {
        let list = operand(&mistake.masked[mistake.part.start + open..mistake.part.end])?;
        let (word, name) = (&before[before.len() - "shuffled".len()..], mistake.first);
        let help = format!(
            "a list is shuffled by a line of `play`: it begins as `{list}`, and `shuffle {name}` leaves its order to chance"
        );
        return Some(mistake.about(word, help));
    }
    let (word, _) = mistake.last;
    let begins = mistake.before.trim() == word || !mistake.begins_value();
    if matches!(word, "shuffle" | "shuffled") && !begins {
        let (from, name) = (operand(mistake.onwards())?, mistake.first);
        let of_state = mistake.rule == Rule::one_state && operand(name) == Some(name);
        let list = if of_state { name } else { "deck" };
        let help = format!(
            "a list is shuffled by a line of `play`: it begins as `list({from})`, and `shuffle {list}` leaves its order to chance"
        );
        return Some(mistake.about(word, help));
    }
    // A move may be called so.
    (matches!(word, "chance" | "random" | "roll") && !begins && !declares_move(mistake.masked, word)).then(|| {
        let said = mistake.onwards().trim();
        let said = ["list of ", "set of ", "bag of "].iter().find_map(|kind| said.strip_prefix(kind)).unwrap_or(said);
        let (count, from) = match said.split_once(" of ") {
            Some((count, from)) if operand(count) == Some(count) => (count, from),
            _ => match operand(said).map(|count| (count, said[count.len()..].trim())) {
                // `n 1..9`
                Some((count, from)) if from.starts_with(|c: char| c.is_alphanumeric()) => (count, from),
                _ => ("5", said),
            },
        };
        let from = operand(from).map_or("S", |from| if from == "player" { "players" } else { from });
        let from = match word {
            // A die is called by the number of its sides.
            "roll" if from.bytes().all(|c| c.is_ascii_digit()) => format!("1..{from}"),
            _ if is_kind(mistake.masked, from) => format!("every {from}"),
            _ => from.to_string(),
        };
        if mistake.rule == Rule::one_state && operand(mistake.first) == Some(mistake.first) {
            let name = mistake.first;
            let drawn = if holds_several(mistake.masked, name) { format!("lists({count}, {from})") } else { from };
            let help = format!(
                "nothing is drawn before play begins: leave out the first value, and begin `play` with `chance drawn in {drawn}` and `{name} := drawn`"
            );
            return mistake.about(word, help);
        }
        // `me.coins += roll 2d6`
        if let Some(rolled) = idioms::dice(&from) {
            let several = rolled.starts_with("lists(");
            let (name, sum) = if several { ("dice", "sum(dice)") } else { ("die", "die") };
            let begin = mistake.before.strip_suffix(word).unwrap_or("").trim();
            let help = format!("a roll is a line of its own: `chance {name} in {rolled}`, and on the next line `{begin} {sum}`");
            return mistake.about(word, help);
        }
        mistake.about(
            word,
            format!(
                "a draw is a line of its own: `chance drawn in {from}`, several of them `chance drawn in lists({count}, {from})`; from then on \
                 `drawn` is what came up"
            ),
        )
    })
}

/// `draw p.purse from 1..3`, `chance board[at] in 1..6`: what is drawn goes to a place at once, where it first has a name.
pub fn drawn_to_a_place(masked: &str, part: Span, rule: Rule) -> Option<Diagnostic> {
    let line = masked[part.start..part.end].lines().next()?.trim().trim_end_matches([';', '}']).trim();
    let (word, said) = line.split_once(' ').filter(|_| rule == Rule::one_statement)?;
    let joins = match word {
        "draw" => " from ",
        "chance" => " in ",
        _ => return None,
    };
    let (place, from) = said.split_once(joins)?;
    let (place, from) = (place.trim(), from.trim());
    let name = place.rsplit('.').next().unwrap_or(place);
    // A name alone is what is drawn.
    if operand(place) != Some(place) || !place.contains(['.', '[']) || from.is_empty() {
        return None;
    }
    let pile = word == "draw"
        && operand(from) == Some(from)
        && !from.contains("..")
        && !from.starts_with(['{', '[']);
    let drawn = if pile { format!("draw drawn from {from}") } else { format!("chance drawn in {from}") };
    let sign = if holds_several(masked, name) && !place.ends_with(']') { "+=" } else { ":=" };
    let at = line.as_ptr() as usize - masked.as_ptr() as usize;
    let whole = Span::new(at, at + line.len());
    let report = Diagnostic::new(Code::Unexpected, whole, format!("`{line}` is written in another way"), "");
    let written = format!("{drawn}`, and on the next line `{place} {sign} drawn");
    let report = report.help(format!("what is drawn has a name of its own: `{written}`"));
    let start = masked[..at].rfind('\n').map_or(0, |at| at + 1);
    let indent = masked[start..at].len() - masked[start..at].trim_start().len();
    let free = !declares_value(masked, "drawn") && masked[start..at].trim().is_empty();
    let lines = format!("{drawn}\n{}{place} {sign} drawn", " ".repeat(indent));
    Some(if free { report.likely_fix(lines) } else { report })
}

/// `roll dice`, `reroll me.dice`, `roll 3d6`: a roll that does not say what it is called, or where it stays.
pub fn rolled(masked: &str, part: Span, rule: Rule) -> Option<Diagnostic> {
    let line = masked[part.start..part.end].lines().next()?.trim().trim_end_matches([';', '}']).trim();
    let (_, what) = line
        .split_once(' ')
        .filter(|(word, _)| rule == Rule::one_statement && matches!(*word, "roll" | "reroll"))?;
    let what = what.trim();
    let what = ["the ", "all "].iter().fold(what, |what, word| what.strip_prefix(word).unwrap_or(what));
    let help = match idioms::dice(what) {
        Some(rolled) if rolled.starts_with("lists(") => format!(
            "write `chance dice in {rolled}`; from then on `dice` is what came up, and `sum(dice)` all of it together"
        ),
        Some(rolled) => format!("write `chance die in {rolled}`; from then on `die` is what came up"),
        None => {
            let name = what.rsplit('.').next().filter(|_| operand(what) == Some(what))?;
            let start = format!("{name}: ");
            let ty = masked.lines().find_map(|line| line.trim().strip_prefix(start.as_str()))?;
            let ty = ty.split(" = ").next()?.trim();
            let ty =
                ["secret", "hidden"].iter().fold(ty, |ty, tag| ty.strip_suffix(tag).unwrap_or(ty).trim_end());
            let from = match ty.strip_prefix("list of exactly ").and_then(|sized| sized.split_once(" of ")) {
                Some((count, of)) => format!("lists({count}, {of})"),
                None if ty.contains("..") && !ty.contains(' ') => ty.to_string(),
                None => return None,
            };
            format!("write `chance drawn in {from}`, and on the next line `{what} := drawn`")
        }
    };
    let at = line.as_ptr() as usize - masked.as_ptr() as usize;
    let message = format!("`{line}` is written in another way");
    Some(Diagnostic::new(Code::Unexpected, Span::new(at, at + line.len()), message, "").help(help))
}

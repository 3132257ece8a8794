//! Reports for what somebody or something has, as people say it: `me has at least 3 coins`, `row has 5 digits`, `anyone has bank >= 50`,
//! `nobody has cards left`.

use super::habits::Mistake;
use super::phrases::operand;
use super::sentences::holds_several;
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// Whom a sentence is about, and what stands in front of and behind the condition on `p` that says it.
const WHO: &[(&str, &str, &str)] = &[
    ("any player", "some(p in players: ", ")"),
    ("a player", "some(p in players: ", ")"),
    ("some player", "some(p in players: ", ")"),
    ("one player", "some(p in players: ", ")"),
    ("anyone", "some(p in players: ", ")"),
    ("anybody", "some(p in players: ", ")"),
    ("someone", "some(p in players: ", ")"),
    ("somebody", "some(p in players: ", ")"),
    ("every player", "all(p in players: ", ")"),
    ("each player", "all(p in players: ", ")"),
    ("all players", "all(p in players: ", ")"),
    ("everyone", "all(p in players: ", ")"),
    ("everybody", "all(p in players: ", ")"),
    ("no player", "not some(p in players: ", ")"),
    ("no one", "not some(p in players: ", ")"),
    ("nobody", "not some(p in players: ", ")"),
];

/// Words for a comparison in front of a number.
const AMOUNTS: &[(&str, &str)] = &[
    ("at least ", ">="),
    ("at most ", "<="),
    ("more than ", ">"),
    ("fewer than ", "<"),
    ("less than ", "<"),
    ("exactly ", "="),
    (">= ", ">="),
    ("<= ", "<="),
    ("> ", ">"),
    ("< ", "<"),
    ("= ", "="),
];

/// Words for a comparison behind a number.
const BEHIND: &[(&str, &str)] =
    &[(" or more", ">="), (" or fewer", "<="), (" or less", "<="), (" or higher", ">="), (" or lower", "<=")];

/// Diagnoses a sentence about what somebody or something has, around the token of a mistake.
pub fn possession(mistake: &Mistake) -> Option<Diagnostic> {
    not_there(mistake).or_else(|| what_is_had(mistake)).or_else(|| what_is_done(mistake))
}

/// `need no keeper`, `if no cards`: nothing of this name is there.
fn not_there(mistake: &Mistake) -> Option<Diagnostic> {
    let (no, name) = (mistake.last, operand(mistake.onwards())?);
    let own = name.rsplit('.').next().unwrap_or(name);
    let written = match () {
        () if no.0 != "no" => return None,
        () if mistake.masked.contains(&format!(" {own}: optional ")) => format!("{name} is none"),
        () if holds_several(mistake.masked, name) => format!("{name} is empty"),
        () => return None,
    };
    let place = Span::new(no.1.start, mistake.span_of(name).end);
    let message = format!("`{}` is written in another way", &mistake.masked[place.start..place.end]);
    let report = Diagnostic::new(Code::Unexpected, place, message, "");
    mistake
        .reads_further(place, &written)
        .then(|| report.help(format!("write `{written}`")).fix(written.clone()))
}

fn what_is_had(mistake: &Mistake) -> Option<Diagnostic> {
    let line_start = mistake.part.start + mistake.before.rfind('\n').map_or(0, |at| at + 1);
    let line = mistake.masked[line_start..mistake.part.end].lines().next()?;
    [" has ", " have "].iter().flat_map(|verb| line.match_indices(verb)).find_map(|(at, verb)| {
        let (before, text) = (&line[..at], &line[at + verb.len()..]);
        let whole =
            |who: &str| before.strip_suffix(who).is_some_and(|left| !left.ends_with(char::is_alphanumeric));
        let (who, open, close) = match WHO.iter().find(|(who, ..)| whole(who)) {
            Some(row) => *row,
            None => {
                let who = before.rsplit(|c: char| !c.is_alphanumeric() && !"_.".contains(c)).next()?;
                (who, "", "")
            }
        };
        let owner = if open.is_empty() { who } else { "p" };
        let (what, sign, number, length) = amount(text)?;
        let held = held(mistake, owner, what)?;
        let written = format!("{open}{held} {sign} {number}{close}");
        let start = line_start + at - who.len();
        let place = Span::new(start, line_start + at + verb.len() + length);
        let around = start <= mistake.token.start && mistake.token.start < place.end;
        if who.is_empty() || !around || !mistake.reads_further(place, &written) {
            return None;
        }
        let message = format!("`{}` is written in another way", &mistake.masked[place.start..place.end]);
        let report = Diagnostic::new(Code::Unexpected, place, message, "").help(format!("write `{written}`"));
        // A plain number may mean at least so much.
        let sure = sign != "=" || text.starts_with("no ") || text.starts_with("exactly ");
        Some(Diagnostic { fix: Some(Fix { sure, ..Fix::new(place, written) }), ..report })
    })
}

/// `all players have passed`, `me has the most coins`: what holds for somebody, or in comparison with everybody.
fn what_is_done(mistake: &Mistake) -> Option<Diagnostic> {
    let line_start = mistake.part.start + mistake.before.rfind('\n').map_or(0, |at| at + 1);
    let line = mistake.masked[line_start..mistake.part.end].lines().next()?;
    let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    [" has ", " have ", " "].iter().flat_map(|verb| line.match_indices(verb)).find_map(|(at, verb)| {
        let (before, text) = (&line[..at], &line[at + verb.len()..]);
        let whole =
            |who: &str| before.strip_suffix(who).is_some_and(|left| !left.ends_with(char::is_alphanumeric));
        let (who, open, close) = match WHO.iter().find(|(who, ..)| whole(who)) {
            Some(row) => *row,
            None if verb == " " => return None,
            None => {
                let who = before.rsplit(|c: char| !c.is_alphanumeric() && !"_.".contains(c)).next()?;
                (who, "", "")
            }
        };
        let owner = if open.is_empty() { who } else { "p" };
        let (negated, said) = text.strip_prefix("not ").map_or(("", text), |said| ("not ", said));
        let best = ["the ", ""].iter().find_map(|the| {
            let said = said.strip_prefix(the)?;
            [("most ", "largest"), ("highest ", "largest"), ("fewest ", "smallest"), ("lowest ", "smallest")]
                .iter()
                .find_map(|(word, function)| Some((said.strip_prefix(word)?, *function)))
        });
        let (noun, rest) =
            best.map_or(said, |(said, _)| said).split_at(word(best.map_or(said, |(said, _)| said)));
        let condition = match best {
            Some((_, function)) if negated.is_empty() && verb != " " => {
                let (held, other) = (held(mistake, owner, noun)?, held(mistake, "q", noun)?);
                format!("{held} = {function}(q in players: {other})")
            }
            Some(_) => return None,
            None => {
                let is_condition = mistake.masked.contains(&format!(" {noun}: yes or no"));
                is_condition.then(|| format!("{negated}{owner}.{noun}"))?
            }
        };
        let ends = [" {", " and ", " or ", " else ", " then "].iter().any(|end| rest.starts_with(end));
        let ends = ends || rest.is_empty() || rest.starts_with([')', ']', ',']);
        let written = format!("{open}{condition}{close}");
        let start = line_start + at - who.len();
        let place = Span::new(start, line_start + line.len() - rest.len());
        let around = start <= mistake.token.start && mistake.token.start < place.end;
        if who.is_empty() || noun.is_empty() || !ends || !around || !mistake.reads_further(place, &written) {
            return None;
        }
        let message = format!("`{}` is written in another way", &mistake.masked[place.start..place.end]);
        let report = Diagnostic::new(Code::Unexpected, place, message, "").help(format!("write `{written}`"));
        Some(report.fix(written))
    })
}

/// Reads what somebody has, and how much of it: `at least 3 coins`, `no coins left`, `3 or more coins`, `coins >= 3`. Returns
/// the noun, the sign, the number and the length of all.
fn amount(text: &str) -> Option<(&str, &'static str, &str, usize)> {
    let word = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let from = |rest: &str| text.len() - rest.len();
    let left = |rest: &str| {
        let end = rest.strip_prefix(" left").filter(|rest| !rest.starts_with(char::is_alphanumeric));
        from(end.unwrap_or(rest))
    };
    if let Some(rest) = text.strip_prefix("no ") {
        let (noun, rest) = rest.split_at(word(rest));
        return (!noun.is_empty()).then(|| (noun, "=", "0", left(rest)));
    }
    let compared =
        |text| AMOUNTS.iter().find_map(|(words, sign)| Some((str::strip_prefix(text, words)?, *sign)));
    let (rest, sign) = compared(text).unwrap_or((text, "="));
    let number = operand(rest)?;
    let rest = &rest[number.len()..];
    if number.chars().all(|c| c.is_ascii_digit()) {
        let behind = BEHIND.iter().find_map(|(words, sign)| Some((rest.strip_prefix(words)?, *sign)));
        let (rest, sign) = behind.unwrap_or((rest, sign));
        let rest = rest.strip_prefix(' ')?;
        let (noun, rest) = rest.split_at(word(rest));
        return (!noun.is_empty()).then(|| (noun, sign, number, left(rest)));
    }
    // The noun comes first: `coins left`, `coins >= 3`, `coins of at least 3`.
    let noun = &text[..word(text)];
    let rest = &text[noun.len()..];
    if !noun.is_empty() && left(rest) > from(rest) {
        return Some((noun, ">", "0", left(rest)));
    }
    let rest = rest.strip_prefix(' ')?;
    let (rest, sign) = compared(rest.strip_prefix("of ").unwrap_or(rest))?;
    let number = operand(rest)?;
    Some((noun, sign, number, from(&rest[number.len()..])))
}

/// Returns how much of something a player has, from its declaration in the file.
fn held(mistake: &Mistake, owner: &str, what: &str) -> Option<String> {
    let nouns = [what.to_string(), format!("{what}s"), what.strip_suffix('s').unwrap_or(what).to_string()];
    let declared = nouns.iter().find_map(|noun| {
        let start = format!("{noun}:");
        let mut lines = mistake.masked.lines().map(str::trim);
        let ty = lines.find_map(|line| line.strip_prefix(start.as_str()))?.trim();
        Some((noun, ty))
    });
    match declared {
        // What a collection has is in it, whatever its elements are called.
        _ if holds_several(mistake.masked, owner) => Some(format!("size({owner})")),
        Some((noun, ty)) if ["set", "list", "bag"].iter().any(|kind| ty.starts_with(kind)) => {
            Some(format!("size({owner}.{noun})"))
        }
        Some((noun, ty)) if ty.starts_with("int") || ty.starts_with(|c: char| c.is_ascii_digit()) => {
            Some(format!("{owner}.{noun}"))
        }
        None if matches!(what, "point" | "points") => Some(format!("{owner}.score")),
        _ => None,
    }
}

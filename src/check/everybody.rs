//! What is said of some player where nobody is moving, and how it is written for all of them: `until p.total >= goal`,
//! `some(players.total >= goal)`, `me.coins := 3`.

use super::Checker;
use crate::source::Span;

/// Words in front of a condition.
const BEFORE: &[&str] =
    &["until", "if", "when", "need", "where", "while", "and", "or", "not", "then", "else", "expect"];

/// The signs and words of a comparison, with blanks around them.
const COMPARES: &[&str] =
    &[" = ", " != ", " < ", " > ", " <= ", " >= ", " in ", " is ", " not in ", " divides "];

impl Checker<'_> {
    /// Returns how a line or a condition is written for players that are gone through: `place` is what stands there for one
    /// of them and what they have, `own` what is written instead for `p`.
    pub(super) fn for_players(&self, place: Span, own: &str) -> Option<String> {
        let text = &self.source?.text;
        let (before, line) = (self.line_before(place), text.get(place.end..)?.lines().next()?);
        let line = line.split("//").next()?;
        let sign = line.trim_start();
        let changes = [":= ", "+= ", "-= ", "++= "].iter().any(|it| sign.starts_with(it));
        if changes && (before.trim().is_empty() || before.trim_end().ends_with('{')) {
            let value = line.trim_end().trim_end_matches('}').trim_end();
            let plain = !value.contains(['{', '}', '"']) && !value.contains("me.");
            return plain.then(|| format!("each p in players {{ {own}{value} }}"));
        }
        let (start, end) = around(before, line)?;
        let said = format!("{}{own}{}", &before[start..], &line[..end]);
        let said = said.trim();
        let compares = COMPARES.iter().any(|sign| said.contains(sign));
        let names_p = said.contains(" p in ") || said.contains("(p in ");
        (compares && !names_p && !said.contains('"')).then(|| format!("some(p in players: {said})"))
    }

    /// Returns how a condition on all players, or on one who is not named, is written inside `some`, `all` or `count`:
    /// `some(players.total >= goal)`.
    pub(super) fn binder_of_players(&self, function: &str, inside: Span) -> Option<String> {
        let text = self.source?.text.get(inside.start..inside.end)?;
        let owner = self.unnamed_owner(text)?;
        let said = replaced_owner(text, owner);
        let joins = if function == "count" { " where" } else { ":" };
        (!said.contains(['\n', '"'])).then(|| format!("{function}(p in players{joins} {said})"))
    }

    /// Returns the first name in a text that has something which each player has, if it is `players` or no name of a value.
    fn unnamed_owner<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.match_indices('.').find_map(|(at, _)| {
            let owner = text[..at].rsplit(|c: char| !is_word(c)).next()?;
            let field = text[at + 1..].split(|c: char| !is_word(c)).next()?;
            let begins = !text[..at - owner.len()].ends_with('.');
            let unnamed =
                !owner.is_empty() && (owner == "players" || !self.value_called(owner)) && owner != "me";
            (begins && unnamed && self.fields.contains_key(field)).then_some(owner)
        })
    }
}

/// Returns a text with `p` for the owner of what each player has.
fn replaced_owner(text: &str, owner: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    let dotted = format!("{owner}.");
    while let Some(at) = rest.find(&dotted) {
        let whole = !rest[..at].ends_with(|c: char| is_word(c) || c == '.');
        out.push_str(&rest[..at]);
        out.push_str(if whole { "p." } else { &dotted });
        rest = &rest[at + dotted.len()..];
    }
    out + rest
}

/// Returns where the condition begins that a place in a line belongs to, and where it ends: the first in the text in front
/// of the place, the second in that behind it. `None` if no condition is expected there.
fn around(before: &str, behind: &str) -> Option<(usize, usize)> {
    let (mut depth, mut open, mut start) = (0usize, 0usize, None);
    for (at, c) in before.char_indices().rev() {
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' if depth > 0 => depth -= 1,
            // The bracket of a call is a part of the condition, unless it goes through elements.
            '(' | '[' if is_call(&before[..at]) => open += 1,
            '(' | ':' if depth == 0 => {
                start = Some(at + 1);
                break;
            }
            '{' | '}' | '[' | ',' if depth == 0 => return None,
            ' ' if depth == 0 && ends_with_word(&before[..at]) => {
                start = Some(at + 1);
                break;
            }
            _ => {}
        }
    }
    let start = start?;
    let mut depth = open;
    let stops = |at: usize| {
        let rest = &behind[at..];
        rest.starts_with([',', ':', '"'])
            || [" {", " }", " and ", " or ", " else ", " then "].iter().any(|end| rest.starts_with(end))
    };
    for (at, c) in behind.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return Some((start, at)),
            ')' | ']' => depth -= 1,
            _ if depth == 0 && stops(at) => return Some((start, at)),
            _ => {}
        }
    }
    (depth == 0).then_some((start, behind.trim_end().len()))
}

/// Whether a text ends with a name that brackets belong to.
fn is_call(text: &str) -> bool {
    const BINDERS: &[&str] = &["some", "all", "count", "any", "exists", "every", "forall"];
    let name = text.rsplit(|c| !is_word(c)).next().unwrap_or("");
    !name.is_empty() && !ends_with_word(text) && !BINDERS.contains(&name)
}

/// Whether a text ends with a word that a condition follows.
fn ends_with_word(text: &str) -> bool {
    BEFORE.iter().any(|word| text.strip_suffix(word).is_some_and(|rest| !rest.ends_with(is_word)))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

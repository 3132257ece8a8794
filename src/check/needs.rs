//! How a need that comes after an effect is written in front of it: `heap -= n` and `need heap >= 0` as `need heap - n >= 0`.

use super::Checker;
use super::scope::GlobalKind;
use crate::ir::Type;
use crate::source::Span;
use crate::syntax::operand;

impl Checker<'_> {
    /// Returns help for a need that comes after an effect.
    pub(super) fn need_before_its_effect(&self, need: Span) -> String {
        const FIRST: &str = "put needs first: a move is judged by the position before it";
        match self.as_it_would_be(need) {
            Some(written) => format!("{FIRST}, so ask for what would be: `{written}`"),
            None => FIRST.to_string(),
        }
    }

    /// Returns a need about a number that the lines above it change once, as a need about what they will make of it.
    fn as_it_would_be(&self, need: Span) -> Option<String> {
        let text = &self.source?.text;
        let line = text.get(need.start..need.end)?;
        let (condition, reason) = line.strip_prefix("need ")?.split_once(" else ")?;
        let body = text.get(..need.start)?;
        let head = body.rfind("\nmove ").or_else(|| body.rfind("\nsecret move "))?;
        let mut changed = Vec::new();
        for line in body[head + 1..].lines().skip(1).map(str::trim) {
            let line = line.split("//").next().unwrap_or("").trim_end();
            for sign in [" := ", " += ", " -= "] {
                changed.extend(line.split_once(sign).map(|(place, value)| (place, sign.trim(), value)));
            }
        }
        let mut asked = changed.iter().filter(|(place, ..)| !places_of(place, condition).is_empty());
        let (place, sign, value) = *asked.next()?;
        let plain =
            place.chars().all(|c| c.is_alphanumeric() || "_.".contains(c)) && !value.contains(['{', '"']);
        if asked.next().is_some() || !plain || !self.is_number(place) || reason.contains('\n') {
            return None;
        }
        let value = if operand(value) == Some(value) { value.to_string() } else { format!("({value})") };
        let then = match sign {
            "+=" => format!("{place} + {value}"),
            "-=" => format!("{place} - {value}"),
            _ => value,
        };
        let mut written = String::new();
        let mut from = 0;
        for at in places_of(place, condition) {
            let (before, behind) = (condition[..at].trim_end(), condition[at + place.len()..].trim_start());
            let word = |text: &str, word: &str| text == word || text.starts_with(&format!("{word} "));
            let left = before.is_empty()
                || before.ends_with(['=', '<', '>', '(', ','])
                || [" and", " or"].iter().any(|word| before.ends_with(word));
            let right = behind.is_empty()
                || behind.starts_with(['=', '<', '>', '!', ')', ','])
                || ["and", "or", "is", "in"].iter().any(|of| word(behind, of));
            let bare = left && right || operand(&then) == Some(then.as_str());
            written += &condition[from..at];
            written += &if bare { then.clone() } else { format!("({then})") };
            from = at + place.len();
        }
        written += &condition[from..];
        Some(format!("need {written} else {reason}"))
    }

    /// Whether a name, or a field of the player who moves, is a number.
    fn is_number(&self, place: &str) -> bool {
        match place.strip_prefix("me.") {
            Some(field) => self
                .game
                .state
                .iter()
                .any(|state| state.per_player && state.name == field && state.form.ty() == Type::Int),
            None => self
                .globals
                .get(place)
                .is_some_and(|global| matches!(global.kind, GlobalKind::Table(_)) && global.ty == Type::Int),
        }
    }
}

/// Returns where a name stands in a condition.
fn places_of(name: &str, condition: &str) -> Vec<usize> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let apart = |at: &usize| {
        let (before, behind) = (&condition[..*at], &condition[at + name.len()..]);
        !before.ends_with(is_word) && !behind.starts_with(|c| is_word(c) || c == '[')
    };
    condition.match_indices(name).map(|(at, _)| at).filter(apart).collect()
}

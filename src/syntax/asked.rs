//! Reports for choices that are offered in sentences: `everybody bids at once`, `each player draws or passes`,
//! `p: lay or pass`, `ask players to bid`.

use super::build::is_reserved;
use super::choices::declares_value;
use super::grammar::Rule;
use super::habits::declares_move;
use super::phrases::operand;
use super::report::{is_item_word, statement_form};
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// Who chooses.
enum Who<'t> {
    /// Whoever has the turn.
    Mover,
    /// A single player, as a value.
    One(String),
    /// A list of players, as a value.
    Each(&'t str),
}

/// How people say that everybody chooses.
const EVERYBODY: &[&str] = &[
    "all the players",
    "all players",
    "all",
    "every player",
    "each player",
    "each",
    "both players",
    "both",
    "the players",
    "players",
    "everyone",
    "everybody",
];

/// How people say that whoever has the turn chooses.
const MOVER: &[&str] = &["the mover", "mover", "the player", "a player", "player", "me", "I", "you"];

/// Words between who chooses and what.
const BETWEEN: &[&str] = &[
    ":",
    "to",
    "must",
    "shall",
    "should",
    "chooses to",
    "choose to",
    "chooses",
    "choose",
    "plays",
    "play",
    "makes",
    "make",
    "a",
    "an",
];

/// How people say that all choose at the same time, and that nobody sees it before.
const TOGETHER: &[&str] =
    &["at once", "at the same time", "simultaneously", "together", "in secret", "secretly", "in private"];

/// How people say that one chooses after the other.
const IN_ORDER: &[&str] =
    &["in turn", "in order", "in seat order", "one after the other", "one by one", "once each", "once"];

/// Diagnoses a line of play that says in a sentence who chooses among moves.
pub fn asked(masked: &str, part: Span, rule: Rule) -> Option<Diagnostic> {
    let line = masked[part.start..part.end].trim().trim_end_matches([';', '.']);
    if rule != Rule::one_statement || line.contains(['\n', '{', '"']) {
        return None;
    }
    let start = line.as_ptr() as usize - masked.as_ptr() as usize;
    let place = Span::new(start, start + line.len());
    let message = format!("`{line}` is written in another way");
    let report = |help: String| Diagnostic::new(Code::Unexpected, place, &*message, "").help(help);
    let sure = |written: String| report(format!("write `{written}`")).fix(written);
    let Choice { who, moves, together } = choice(masked, line)?;
    Some(match (who, together) {
        (Who::Mover, _) => {
            report(format!("write `{moves}`; in `turns`, the player who has the turn is asked"))
                .likely_fix(moves)
        }
        (Who::One(player), _) => sure(format!("ask {player} to {moves}")),
        (Who::Each(list), Some(true)) => sure(format!("together {list} {{ {moves} }}")),
        (Who::Each(list), together) => {
            let p = ["p", "q", "r"].into_iter().find(|name| !declares_value(masked, name))?;
            let in_order = format!("each {p} in {list} {{ ask {p} to {moves} }}");
            match together {
                Some(_) => sure(in_order),
                None => {
                    let report = report(format!(
                        "write `{in_order}` if they choose one after the other, `together {list} {{ {moves} }}` if they choose at the \
                         same time"
                    ));
                    Diagnostic { fix: Some(Fix::likely(place, in_order)), ..report }
                }
            }
        }
    })
}

/// A choice as a sentence says it.
struct Choice<'t> {
    who: Who<'t>,
    /// The moves as they are offered here: `lay or pass`.
    moves: String,
    /// Whether all choose at the same time, if it says so.
    together: Option<bool>,
}

/// Reads a sentence of who chooses among moves that the file declares. `None` if anything else is in it.
fn choice<'t>(masked: &str, line: &'t str) -> Option<Choice<'t>> {
    let mut together = None;
    let mut without = |text: &'t str, phrases, at_once| {
        let rest = starting(text, phrases);
        together = together.or(rest.map(|_| at_once));
        rest.unwrap_or(text)
    };
    let rest = starting(line, &["ask", "let"]).unwrap_or(line);
    let (who, rest) = chooser(masked, without(rest, TOGETHER, true))?;
    let mut rest = without(rest, TOGETHER, true);
    while let Some(after) = starting(rest, BETWEEN).filter(|_| move_at(masked, rest).is_none()) {
        rest = after;
    }
    let (first, mut rest) = move_at(masked, rest)?;
    let mut moves = vec![first];
    let another = |rest| move_at(masked, starting(rest, &[", or to", ", or", "or to", "or", ","])?);
    while let Some((next, left)) = another(rest) {
        moves.push(next);
        rest = left;
    }
    let rest = without(rest.trim_start_matches([',', ' ']), TOGETHER, true);
    let rest = without(rest, IN_ORDER, false);
    rest.is_empty().then(|| Choice { who, moves: moves.join(" or "), together })
}

/// Returns who chooses, by the beginning of a sentence, and the rest of it.
fn chooser<'t>(masked: &str, text: &'t str) -> Option<(Who<'t>, &'t str)> {
    if let Some(rest) = starting(text, EVERYBODY) {
        return Some((Who::Each("players"), rest));
    }
    for word in ["player", "seat"] {
        let number = starting(text, &[word]).and_then(operand);
        if let Some(number) = number.filter(|number| number.bytes().all(|c| c.is_ascii_digit())) {
            let rest = starting(text, &[word])?[number.len()..].trim_start();
            return Some((Who::One(format!("seat({number})")), rest));
        }
    }
    if let Some(rest) = starting(text, MOVER) {
        return Some((Who::Mover, rest));
    }
    let name = operand(text)?;
    let base = name.split(['.', '[', '(']).next()?;
    // Players have names of the file, or are found by `seat(1)`.
    let named =
        masked.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| *word == base).count() > 1;
    let plain = named && statement_form(base).is_none() && !is_item_word(base) && !is_reserved(base);
    let plain = plain && !declares_move(masked, base) || matches!(base, "me" | "seat");
    let rest = text[name.len()..].trim_start();
    match name.ends_with(".others") || name == "standing" {
        _ if !plain => None,
        true => Some((Who::Each(name), rest)),
        false => Some((Who::One(name.to_string()), rest)),
    }
}

/// Returns the move that a text begins with, also in the third person, and the rest of the text.
fn move_at<'t>(masked: &str, text: &'t str) -> Option<(String, &'t str)> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let said = &text[..end];
    let stem = |ending: &str, instead: &str| Some(format!("{}{instead}", said.strip_suffix(ending)?));
    let names = [Some(said.to_string()), stem("s", ""), stem("es", ""), stem("ies", "y")];
    let name = names.into_iter().flatten().find(|name| declares_move(masked, name))?;
    Some((name, text[end..].trim_start()))
}

/// Returns what follows one of these phrases at the beginning of a text.
fn starting<'t>(text: &'t str, phrases: &[&str]) -> Option<&'t str> {
    phrases.iter().find_map(|phrase| {
        let rest = text.strip_prefix(phrase)?;
        let whole = !(phrase.ends_with(char::is_alphanumeric)
            && rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
        whole.then(|| rest.trim_start())
    })
}

/// Whether a line of play offers something by this name: `lay or pass`.
pub(super) fn is_offered(masked: &str, name: &str) -> bool {
    let offers = |line: &str| {
        let line = line.trim().trim_end_matches(" if possible");
        let line = line.rsplit_once(" to ").map_or(line, |(_, offered)| offered);
        line.split(" or ").any(|one| one.split('(').next().unwrap_or(one).trim() == name)
    };
    let inside = |line: &str| line.split(['{', '}']).any(offers);
    masked.lines().filter(|line| line.starts_with(' ')).any(inside)
}

//! Idioms of people: finds what they say in the tables, and reports how it is written.

mod calls;
mod declarations;
mod long_lines;
mod statements;
mod tables;

use super::build::is_reserved;
use super::choices::declares_value;
use super::grammar::Rule;
use super::habits::{Mistake, declares_move};
use super::kinds::is_kind;
use super::phrases::operand;
use super::players::{has_turn, names_player};
use super::report::{is_item_word, statement_form};
use super::winners::{has_own, only_collection};
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;
use calls::CALLS;
use declarations::{EXAMPLE_LINES, GAME_LINES, ITEMS, STATE, TYPES};
use long_lines::narrowed;
use statements::{GIVEN, STATEMENTS};
pub use tables::LAST_MOVER;
use tables::{OF_GRID, ON, VALUES};

macro_rules! idioms {
    ($($said:literal => $written:literal $(, $note:expr)?;)*) => {
        &[$(Idiom { said: $said, written: $written, note: [$($note,)? ""][0] },)*]
    };
}
use idioms;

/// An idiom: as said, as written, and what else there is to know.
struct Idiom {
    said: &'static str,
    written: &'static str,
    note: &'static str,
}

/// Finds the idiom that a whole call of a function is which the language does not have.
pub fn function_idiom(call: &str) -> Option<Found<'_>> {
    CALLS.iter().find_map(|row| row.find(call, "").filter(|found| found.said.len() == call.len()))
}

/// Returns a report about an idiom around the token of a mistake in a value.
pub fn value(mistake: &Mistake) -> Option<Diagnostic> {
    let judges = mistake.rule == Rule::one_item && matches!(mistake.first, "winner" | "loser");
    // A line that says who wins has words of its own for who moved last.
    let own_words =
        |report: &Diagnostic| judges && report.help.as_deref().is_some_and(|help| help == LAST_MOVER);
    around(VALUES, mistake).filter(|report| !mistake.is_in_type() && !own_words(report))
}

/// Returns a report about an idiom around the token of a mistake in a type.
pub fn ty(mistake: &Mistake) -> Option<Diagnostic> {
    around(TYPES, mistake)
}

/// Returns how a condition is written that begins with an idiom, and the length of that, if it means the same as written.
pub fn sure_value(text: &str) -> Option<(String, usize)> {
    let found = VALUES.iter().filter_map(|row| row.find(text, "")).filter(Found::is_sure);
    let found = found.max_by_key(|found| found.said.len())?;
    Some((found.written, found.said.len()))
}

fn around(table: &'static [Idiom], mistake: &Mistake) -> Option<Diagnostic> {
    let line_start = mistake.part.start + mistake.before.rfind('\n').map_or(0, |at| at + 1);
    let line = mistake.masked[line_start..mistake.part.end].lines().next().unwrap_or("");
    let starts = line.char_indices().map(|(at, _)| at).filter(|at| begins_token(line, *at));
    let found = starts.flat_map(|start| {
        table.iter().filter_map(move |row| Some((row, row.find(&line[start..], mistake.masked)?)))
    });
    let around = |said: &Span| said.start <= mistake.token.start && mistake.token.start < said.end;
    let (row, said, found) = found
        .map(|(row, found)| (row, mistake.span_of(found.said), found))
        // The end of a range is a number, and nothing is taken out of it.
        .filter(|(row, said, _)| !(row.said.contains("{&") && mistake.masked[..said.start].ends_with("..")))
        .filter(|(row, said, found)| around(said) && reads(row, *said, &found.written, mistake))
        .max_by_key(|(_, said, _)| said.end - said.start)?;
    if row.is_part(line, said.start - line_start, said.end - line_start) {
        let report = Diagnostic::new(
            Code::Unexpected,
            said,
            format!("`{}` is not how this is written", &mistake.masked[said.start..said.end]),
            "",
        );
        return Some(report.help(format!("`{}` is written `{}`", plain(row.said), plain(row.written))));
    }
    let report = row.report(mistake.masked, said, &found);
    Some(Diagnostic { fix: found.fix(said), ..report })
}

/// Returns a row with the names of its holes as values.
fn plain(row: &str) -> String {
    row.replace(['{', '}', '#', '@', '+'], "").replace('…', " …")
}

/// Returns a report about a statement in the block of another, on the same line, that is an idiom as a whole; `at` is in it.
pub fn inner_statement(masked: &str, part: Span, at: usize, rule: Rule) -> Option<Diagnostic> {
    let before = &masked[part.start..at];
    let open = before.rfind('{').filter(|_| rule == Rule::one_statement)?;
    let inside = before[open + 1..].len() - before[open + 1..].trim_start().len();
    let start = part.start + open + 1 + inside;
    let line = masked[start..part.end].lines().next()?;
    let end = start + line.find('}')?;
    (at < end).then(|| self::line(masked, Span::new(start, end), rule))?
}

/// Returns a report about a line that is an idiom as a whole.
pub fn line(masked: &str, part: Span, rule: Rule) -> Option<Diagnostic> {
    let table = match rule {
        Rule::one_statement => STATEMENTS,
        Rule::one_example_line => EXAMPLE_LINES,
        Rule::one_item => ITEMS,
        Rule::one_state => STATE,
        Rule::one_game_line => GAME_LINES,
        _ => return None,
    };
    let text = masked[part.start..part.end].trim();
    // The sign that ends a line in other languages goes with it.
    let written = text.lines().next()?.trim_end();
    let line = written.trim_end_matches(';');
    // What is awarded may be any value, but nothing that ends behind it.
    let awards = |row: &Idiom, found: &Found| {
        !row.said.starts_with("award {n+}") || super::grammar::reads(rule, &found.written)
    };
    let whole = |row: &'static Idiom| {
        row.find(line, masked).filter(|found| found.said.len() == line.len() && awards(row, found))
    };
    let (row, mut found) = table.iter().find_map(|row| Some((row, whole(row)?)))?;
    // What belongs to each symbol has it as a key, and no loop of that name.
    if rule == Rule::one_state
        && let Some((open, kind)) = found.written.rsplit_once(" each ")
        && let Some((ty, value)) =
            open.split_once(" = ").filter(|_| kind == "player" || is_kind(masked, kind))
        && !ty.contains(" for each ")
    {
        found.written = format!("{ty} for each {kind} = {value}");
    }
    // Nobody owns what is on the table.
    if let Some(open) = found.written.strip_suffix(" secret").filter(|_| rule == Rule::one_state)
        && is_on_table(&masked[..part.start])
    {
        found.written = format!("{open} hidden");
    }
    // Where nobody has the turn, the winner has a name.
    if rule == Rule::one_statement
        && let Some(condition) =
            found.written.strip_prefix("win me when ").filter(|_| !has_turn(masked, part))
    {
        let note = format!(
            "who wins has a name here: `win p when {condition}`; nobody does by `end when {condition}`"
        );
        found = Found { written: String::new(), note, ..found };
    }
    // `award 3 for p`
    if rule == Rule::one_statement
        && let Some((points, whom)) = found.written.split_once(" to me for ")
        && let Some(whom) = whom.strip_prefix('"').and_then(|whom| whom.strip_suffix('"'))
        && names_player(masked, whom)
        && !line.contains('"')
    {
        found = Found { written: format!("{points} to {whom}"), ..found };
    }
    if rule == Rule::one_example_line {
        found.written = with_its_move(&found.written, masked);
        if let Some(name) = only_move(masked).filter(|_| found.written.contains(": … ")) {
            found = Found { written: found.written.replace('…', name), note: String::new(), ..found };
        }
    }
    let start = line.as_ptr() as usize - masked.as_ptr() as usize;
    let place = Span::new(start, start + written.len());
    if let Some((part, instead)) = narrowed(line, &found) {
        let place = Span::new(start + part.start, start + part.end);
        let message = format!("`{}` is written in another way", &line[part]);
        let report = Diagnostic::new(Code::Unexpected, place, message, "");
        return Some(report.help(format!("write `{instead}`")).fix(instead));
    }
    let report = row.report(masked, place, &found);
    Some(Diagnostic { fix: found.fix(place), ..report })
}

/// Returns the line of an example with the name of a move for the verb of a sentence: `1: take 3` for `1: takes 3`.
fn with_its_move(line: &str, masked: &str) -> String {
    let named = || {
        let (seat, played) = line.split_once(": ")?;
        let verb = &played[..played.find(|c| !is_word(c)).unwrap_or(played.len())];
        let stem = |ending: &str, instead: &str| Some(format!("{}{instead}", verb.strip_suffix(ending)?));
        let stems = [stem("s", ""), stem("es", ""), stem("ies", "y")];
        let name = stems.into_iter().flatten().find(|name| declares_move(masked, name))?;
        (!declares_move(masked, verb)).then(|| format!("{seat}: {name}{}", &played[verb.len()..]))
    };
    named().unwrap_or_else(|| line.to_string())
}

/// Returns the move of a file that has only one.
fn only_move(masked: &str) -> Option<&str> {
    let heads = masked.lines().filter_map(|line| {
        let head = line.strip_prefix("secret ").unwrap_or(line).strip_prefix("move ")?;
        Some(&head[..head.find(|c| !is_word(c)).unwrap_or(head.len())])
    });
    let mut names = heads;
    names.next().filter(|_| names.next().is_none())
}

/// Whether a file declares a name, and not for each player.
fn on_table(file: &str, name: &str) -> bool {
    declares_value(file, name) && !has_own(file, name)
}

/// Whether the block that is open at the end of a text is that of `table`.
fn is_on_table(before: &str) -> bool {
    let heads = before.lines().rev().map(str::trim_end).filter(|line| line.ends_with('{'));
    heads.take(1).any(|line| line.starts_with("table"))
}

/// A place where an idiom was found.
pub struct Found<'t> {
    said: &'t str,
    written: String,
    note: String,
}

impl Found<'_> {
    /// Says how it is written, if it is, and what else there is to know.
    pub fn advice(&self) -> String {
        if self.written.is_empty() {
            return self.note.clone();
        }
        // The block of a statement goes on below.
        let goes_on = if self.written.ends_with('{') { " … }" } else { "" };
        let also = if self.note.is_empty() { String::new() } else { format!("; {}", self.note) };
        format!("write `{}{goes_on}`{also}", self.written)
    }

    /// Returns the correction of the place where it is said, if it is written out. Where there is more to know, it is for
    /// the author to decide.
    fn fix(&self, said: Span) -> Option<Fix> {
        let whole = !self.written.is_empty() && !self.written.contains('…');
        whole.then(|| Fix { sure: self.is_sure(), ..Fix::new(said, self.written.clone()) })
    }

    /// Whether it means the same as written, with nothing to decide.
    pub fn is_sure(&self) -> bool {
        self.note.is_empty()
    }

    /// Returns how it is written as a part of a larger value: in brackets if it has operators. `None` if something is
    /// left for the author to fill in.
    pub fn grouped(&self) -> Option<String> {
        (!self.written.is_empty() && !self.written.contains('…')).then(|| grouped(&self.written))
    }
}

/// Returns the text that the rest of a line is, in quotes.
fn quoted(rest: &str) -> String {
    let text = rest.trim_end_matches(|c: char| c == '{' || c.is_whitespace());
    match text.strip_suffix('"') {
        Some(text) => format!("\"{}\"", text.trim_start_matches('"')),
        None => format!("\"{text}\""),
    }
}

/// Returns a value in brackets if it has operators.
fn grouped(value: &str) -> String {
    if operand(value) == Some(value) { value.to_string() } else { format!("({value})") }
}

impl Idiom {
    /// Finds the idiom at the beginning of a text; names that it introduces are none that `file` declares.
    fn find<'t>(&self, text: &'t str, file: &str) -> Option<Found<'t>> {
        let mut rest = text;
        let (mut written, mut note) = (self.written.to_string(), self.note.to_string());
        for (name, others) in INTRODUCED {
            let introduces =
                ["(", "[", "{", " "].iter().any(|sign| written.contains(&format!("{sign}{name} in ")));
            if introduces && declares_value(file, name) {
                let other = others.iter().find(|other| !declares_value(file, other))?;
                written = renamed(&written, name, other);
            }
        }
        if self.note == OF_GRID
            && let Some(grid) = only_grid(file)
        {
            (written, note) = (written.replace('…', &grid), String::new());
        }
        // What is given goes to the only collection that each player has.
        if written.contains(".…")
            && (self.note.is_empty() || self.note == GIVEN)
            && let Some(own) = only_collection(file)
        {
            written = written.replace(".…", &format!(".{own}"));
            note = if self.note == GIVEN { String::new() } else { note };
        }
        // A piece of state keeps what came up.
        let keeps = self.note == statements::ROLLED;
        let mut pieces = self.said;
        while !pieces.is_empty() {
            if let Some(after) = pieces.strip_prefix(' ') {
                pieces = after;
                let trimmed = rest.trim_start_matches(' ');
                // Blanks inside braces make no difference.
                let opened = text[..text.len() - rest.len()].ends_with('{');
                if trimmed.len() == rest.len() && !opened && !rest.starts_with(|c: char| "|{}".contains(c)) {
                    return None;
                }
                rest = trimmed;
            } else if let Some((hole, after)) = hole(pieces) {
                pieces = after;
                let taken = filling(hole, rest, after).filter(|value| !value.is_empty())?;
                let name = format!("{{{}}}", bare(hole));
                let quoted = (hole == "text…").then(|| quoted(taken));
                let rolled = dice(taken).filter(|_| !declares_value(file, taken));
                let value = quoted.as_deref().or(rolled.as_deref()).unwrap_or(taken);
                if keeps && hole == "@d" && declares_value(file, taken) {
                    written = written.replacen("{d}", "drawn", 1);
                    note = format!("on the next line, `{taken} := drawn`");
                }
                // One less than a number is a number.
                if let Ok(n) = value.parse::<u32>()
                    && n > 0
                {
                    let less = (n - 1).to_string();
                    written = written.replace(&format!("{name} - 1"), &less);
                    written = written.replace(&format!("{{({})}} - 1", bare(hole)), &less);
                }
                // What is on the table belongs to no player.
                if written.contains("p in players")
                    && written.contains(&format!("p.{name}"))
                    && on_table(file, value)
                {
                    return None;
                }
                written = written.replace(&format!("{{({})}}", bare(hole)), &grouped(value));
                written = written.replace(&name, value);
                note = note.replace(&name, value);
                // A value that a move chooses is no place for another one, but it may be a square.
                if self.note == ON && name == "{x}" {
                    let place = value.trim_start_matches("me.").split(['[', '.']).next().unwrap_or(value);
                    let is_place = declares_value(file, place);
                    if let Some(grid) = only_grid(file).filter(|_| !is_place) {
                        written = written.replacen(value, &format!("{grid}[{value}]"), 1);
                        note.clear();
                    } else if is_place {
                        note.clear();
                    }
                }
                rest = &rest[taken.len()..];
            } else {
                let length = literal(pieces);
                let (word, after) = pieces.split_at(length);
                rest = rest.strip_prefix(word)?;
                pieces = after;
                if word.ends_with(is_word) && rest.starts_with(is_word) {
                    return None;
                }
            }
        }
        Some(Found { said: &text[..text.len() - rest.len()], written, note })
    }

    /// Whether a place in a line where it is said is only a part of a value, so that the value at one of its ends goes on
    /// there, and is not at the same end of what is written: `1 is divisible by 2` in `k + 1 is divisible by 2`.
    fn is_part(&self, line: &str, start: usize, end: usize) -> bool {
        const SIGNS: &[char] = &['+', '-', '*', '^', '/', '.'];
        const WORDS: &[&str] = &["div", "mod"];
        let (before, after) = (line[..start].trim_end(), line[end..].trim_start());
        let is = |word: &str| WORDS.contains(&word);
        let last = before.rsplit(|c| !is_word(c)).next().unwrap_or("");
        let first = after.split(|c| !is_word(c)).next().unwrap_or("");
        let once = |hole: &str| self.written.matches(hole).count() == 1;
        let opens = hole(self.said).map(|(name, _)| format!("{{{}}}", bare(name)));
        let closes = self.said.rsplit_once('{').and_then(|(_, name)| name.strip_suffix('}'));
        let closes = closes.map(|name| format!("{{{}}}", bare(name)));
        let goes_on = before.ends_with(SIGNS) || is(last);
        let several = self.written.contains(" or ") || self.written.contains(" and ");
        opens.is_some_and(|hole| {
            goes_on && !(self.written.starts_with(&hole) && once(&hole)) || last == "not" && several
        }) || closes.is_some_and(|hole| {
            (after.starts_with(SIGNS) || is(first)) && !(self.written.ends_with(&hole) && once(&hole))
        })
    }

    /// Returns the report about a place where it is said.
    fn report(&self, masked: &str, said: Span, found: &Found) -> Diagnostic {
        let text = &masked[said.start..said.end];
        let message = format!("`{text}` is written in another way");
        let nothing = format!("`{text}` cannot be written this way");
        let report = |message| Diagnostic::new(Code::Unexpected, said, message, "");
        report(if found.written.is_empty() { nothing } else { message }).help(found.advice())
    }
}

/// Returns how the only grid that a file declares is written, if there is one.
pub fn only_grid(file: &str) -> Option<String> {
    let mut found = None;
    let mut own = false;
    for line in file.lines() {
        if line.starts_with(char::is_alphabetic) {
            own = line.starts_with("each player");
        }
        let Some((name, ty)) = line.trim().split_once(": ") else { continue };
        let ty = ty.strip_prefix("empty ").unwrap_or(ty);
        if !ty.starts_with("grid ") || !name.chars().all(is_word) {
            continue;
        }
        if found.is_some() {
            return None;
        }
        found = Some(if own { format!("me.{name}") } else { name.to_string() });
    }
    found
}

/// Returns what a row writes with another name for one that it introduces; holes keep theirs.
fn renamed(written: &str, name: &str, other: &str) -> String {
    let mut out = String::new();
    for (at, word) in written.split_inclusive(|c| !is_word(c)).scan(0, |end, word| {
        let at = *end;
        *end += word.len();
        Some((at, word))
    }) {
        let alone = word.trim_end_matches(|c| !is_word(c));
        let in_hole = written[..at].ends_with('{') && word.ends_with('}');
        match alone == name && !in_hole {
            true => out.push_str(&word.replacen(name, other, 1)),
            false => out.push_str(word),
        }
    }
    out
}

/// Returns the name of the hole that a row begins with, and what follows it.
fn hole(pieces: &str) -> Option<(&str, &str)> {
    let (name, after) = pieces.strip_prefix('{')?.split_once('}')?;
    let named = bare(name);
    (!named.is_empty() && named.chars().all(char::is_alphabetic)).then_some((name, after))
}

/// Returns the name of a hole without the signs of its kind.
fn bare(hole: &str) -> &str {
    hole.trim_start_matches(['#', '@', '&', '(']).trim_end_matches(['…', '+', ')'])
}

/// Returns the length of the word or sign that a row begins with.
fn literal(pieces: &str) -> usize {
    match pieces.find(|c| !is_word(c)) {
        Some(0) => pieces.chars().next().map_or(0, char::len_utf8),
        Some(end) => end,
        None => pieces.len(),
    }
}

/// The names that rows introduce for elements and players, and others for files that declare these.
const INTRODUCED: &[(&str, &[&str])] = &[("x", &["y", "z", "v"]), ("p", &["q", "r"])];

/// Words that begin something else than a value.
const NO_VALUES: &[&str] = &[
    "need",
    "all",
    "any",
    "its",
    "their",
    "let",
    "win",
    "for",
    "end",
    "as",
    "of",
    "to",
    "by",
    "both",
    "either",
    "neither",
    "nor",
    "xor",
    "secret",
    "hidden",
    "private",
    "anyone",
    "anybody",
    "someone",
    "somebody",
    "everyone",
    "highest",
    "lowest",
    "everybody",
    "nobody",
];

/// Words that say something of what stands in front of them, and are no names.
const VERBS: &[&str] = &["can", "cannot", "may", "must", "has", "have", "is", "are"];

/// Returns the value that a text begins with, for a hole with `after` behind it.
fn filling<'t>(hole: &str, text: &'t str, after: &str) -> Option<&'t str> {
    if hole.ends_with('…') {
        return Some(text.trim_end());
    }
    if hole.ends_with('+') {
        let end = after.trim_start();
        let end = &end[..literal(end)];
        return Some(text[..outside_brackets(text, end)?].trim_end());
    }
    if hole.starts_with('#') {
        let (number, rest) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        return (!rest.starts_with(is_word) && !rest.starts_with("..")).then_some(number);
    }
    // A brace with a blank behind it opens the block of a statement.
    let word = &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())];
    // What is in the brackets behind a name is another hole.
    let called = hole.starts_with('@')
        && ['(', '.'].iter().any(|sign| after.starts_with(*sign) && text[word.len()..].starts_with(*sign));
    let value = if called { Some(word) } else { operand(text) }.filter(|_| !text.starts_with("{ "))?;
    if hole.starts_with('&') {
        let name = value.starts_with(char::is_alphabetic) && value.chars().all(|c| is_word(c) || c == '.');
        return (name && !is_reserved(value)).then_some(value);
    }
    let fits = match hole.starts_with('@') {
        true => {
            let word = value.chars().all(is_word) && value.starts_with(char::is_alphabetic);
            let word = word
                && !is_reserved(value)
                && !VERBS.contains(&value)
                && !matches!(value, "of" | "to" | "by");
            // In front of a colon, a name is declared, which may be called like a part of the file.
            word && (after.starts_with(": ") || !is_item_word(value) && statement_form(value).is_none())
        }
        false => !is_reserved(value) && !NO_VALUES.contains(&value),
    };
    fits.then_some(value)
}

/// Returns where a word or sign first comes in a text, outside all brackets.
fn outside_brackets(text: &str, sign: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        let whole = !(text[..at].ends_with(is_word) && sign.starts_with(is_word));
        if depth == 0 && whole && text[at..].starts_with(sign) {
            return Some(at);
        }
        match c {
            // The block of a statement begins here.
            '{' if text[at + 1..].starts_with(' ') => return None,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            '"' => return None,
            _ => {}
        }
    }
    None
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns how the dice are written that players call `5d6`.
pub fn dice(said: &str) -> Option<String> {
    let (count, sides) = said.split_once('d')?;
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    (digits(count) && digits(sides) && !sides.is_empty()).then(|| match count {
        "" | "1" => format!("1..{sides}"),
        count => format!("lists({count}, 1..{sides})"),
    })
}

/// Whether a word or a sign begins at a place in a line.
fn begins_token(line: &str, at: usize) -> bool {
    let goes_on = line[..at].ends_with(|c| is_word(c) || c == '.');
    line[at..].starts_with(|c: char| !c.is_whitespace()) && !(goes_on && line[at..].starts_with(is_word))
}

/// Whether the part can be read further than the idiom once that is written as the row says.
fn reads(row: &Idiom, said: Span, written: &str, mistake: &Mistake) -> bool {
    row.written.is_empty() || row.written.contains('…') || mistake.reads_further(said, written)
}

#[cfg(test)]
mod tests {
    use pest::Parser;

    use super::*;
    use crate::syntax::grammar::Grammar;

    /// Fills the holes of a row by their names; `{#n}` by a number and the rest of a line by `rest`.
    fn filled(row: &Idiom, text: &str, rest: &str) -> String {
        let mut out = String::new();
        let mut pieces = text;
        while let Some(c) = pieces.chars().next() {
            let Some((name, after)) = hole(pieces) else {
                out.push(c);
                pieces = &pieces[c.len_utf8()..];
                continue;
            };
            let name = bare(name);
            let holds = |hole: &str| row.said.contains(hole);
            out += match name {
                name if holds(&format!("{{#{name}}}")) => "3",
                name if holds(&format!("{{{name}…}}")) => rest,
                name => name,
            };
            pieces = after;
        }
        out
    }

    #[test]
    fn what_is_said_cannot_be_read_and_what_is_written_can() {
        let value = |text: &str| format!("let y = {text}");
        let ty = |text: &str| format!("x: {text}");
        let same = str::to_string;
        type Written<'w> = &'w dyn Fn(&str) -> String;
        let tables: [(_, _, Written); 8] = [
            (VALUES, Rule::one_statement, &value),
            (CALLS, Rule::one_statement, &value),
            (TYPES, Rule::one_state, &ty),
            (STATEMENTS, Rule::one_statement, &same),
            (EXAMPLE_LINES, Rule::one_example_line, &same),
            (ITEMS, Rule::one_item, &same),
            (STATE, Rule::one_state, &same),
            (GAME_LINES, Rule::one_game_line, &same),
        ];
        for (table, rule, line) in tables {
            for row in table {
                let rest = match row.said {
                    said if rule == Rule::one_state && said.contains("{t…}") => "1..9",
                    said if said.starts_with("option {@") && said.ends_with("{t…}") => "1..9 = 3",
                    said if said.contains("{text…}")
                        || ["need ", "refuse ", "award ", "announce ", "tell "]
                            .iter()
                            .any(|word| said.starts_with(word)) =>
                    {
                        "\"no\""
                    }
                    "action {m…}"
                    | "move secret {m…}"
                    | "move hidden {m…}"
                    | "hidden move {m…}"
                    | "private move {m…}" => "put { }",
                    said if said.ends_with(" chance {m…}") => "x in 1..6",
                    said if said.ends_with("{ {b…}") => "put }",
                    said if said.starts_with("turns ") && said.ends_with("{b…}") => "{ put }",
                    said if said.ends_with("turns {b…}") || said.ends_with("{p} {b…}") => "{ put }",
                    "wins {v…}" => "highest score",
                    "players {#n} named {m…}" => "y, z",
                    said if said == "kind {@k} {@a}, {b…}"
                        || said.starts_with("kind {@k} = {b")
                        || said.starts_with("kind {@k} is {b") =>
                    {
                        "y, z"
                    }
                    said if said.starts_with("together ") && said.contains(" where ") => "put }",
                    said if said.starts_with("together ") && said.contains(" who ") => "put }",
                    said if said.starts_with("kinds ") || said.starts_with("symbols ") => "y, z",
                    said if said.ends_with("{m…}") => "put",
                    said if said.ends_with(".{b…}") => "y += 1",
                    said if said.ends_with("{b…}") => "y { x := 1 }",
                    _ => "y > 3",
                };
                let said = filled(row, row.said, rest);
                let bound = row.said.starts_with("{x} in ");
                let compares = rule == Rule::one_statement && row.said.starts_with(['=', '<', '>']);
                let line = |text: &str| match (bound, compares) {
                    (true, _) => format!("let y = [{text}]"),
                    (_, true) => format!("let y = x {text}"),
                    _ => line(text),
                };
                // Functions that do not exist are found when names are resolved.
                let read = Grammar::parse(rule, &line(&said)).is_ok();
                assert_eq!(read, std::ptr::eq(table, CALLS), "{said}");
                let found = row.find(&said, "").unwrap_or_else(|| panic!("is not found: {said}"));
                assert_eq!((found.said, found.written), (said.as_str(), filled(row, row.written, rest)));
                let written = filled(row, row.written, rest);
                if !written.contains('…') && !written.is_empty() {
                    let block = if written.ends_with('{') { " put }" } else { "" };
                    let written = format!("{written}{block}");
                    assert!(Grammar::parse(rule, &line(&written)).is_ok(), "cannot be read: {written}");
                }
            }
        }
    }
}

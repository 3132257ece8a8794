//! Reports for what people write out of habit, from other languages or from speech, where the grammar alone
//! would only say what it expected.

use pest::Parser;

use super::choices::{choice_from, declares_value};
use super::foreign::foreign;
use super::grammar::{Grammar, Rule, error_at};
use super::headings::heading;
use super::params::{chosen_from_nothing, condition_as_parameter, condition_behind_parameters, given_alone};
use super::phrases::{operand, phrase};
use super::report::end_of_part;
use super::sentences::sentence;
use super::signs::{product, sign};
use super::spoken_types::spoken_type;
use super::wanted::Wanted;
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// A place that the grammar could not read.
pub struct Mistake<'m> {
    /// The laid-out text.
    pub masked: &'m str,
    /// The statement, item or piece of state, and the rule of the grammar that it should match.
    pub part: Span,
    pub rule: Rule,
    /// Its first word.
    pub first: &'m str,
    /// The token that does not fit.
    pub token: Span,
    /// The text of the part before the token, and the last word of that.
    pub before: &'m str,
    pub last: (&'m str, Span),
}

/// The functions that go through elements.
pub const BINDERS: &[&str] =
    &["sum", "product", "count", "all", "some", "largest", "smallest", "first", "bag", "xor", "gcd", "lcm"];
/// Words that begin a value or a loop in other languages.
const OPENINGS: &[&str] = &["for", "foreach", "while", "switch", "lambda"];
/// Words after `end` that belong to speech: `end the game`.
const ENDED: &[&str] = &["game", "match", "play", "the"];
/// The names of lists in other languages.
const LISTS: &[&str] = &["list", "array", "vector", "sequence", "vec", "set", "bag"];

impl<'m> Mistake<'m> {
    /// Returns the token.
    pub fn word(&self) -> &'m str {
        &self.masked[self.token.start..self.token.end]
    }

    /// Returns the rest of the line after the token.
    pub fn rest(&self) -> &'m str {
        self.line_from(self.token.end)
    }

    /// Whether the token is a name or a number.
    pub fn is_name(&self) -> bool {
        self.word().starts_with(|c: char| c.is_alphanumeric() || c == '_')
    }

    /// Returns the text from the token to the end of its line.
    pub fn onwards(&self) -> &'m str {
        self.line_from(self.token.start)
    }

    /// Returns the text of the part from the token to its end.
    pub fn to_the_end(&self) -> &'m str {
        &self.masked[self.token.start..self.part.end]
    }

    /// Returns the text of the part from a place to the end of its line; it is one of the part even if it is empty.
    fn line_from(&self, start: usize) -> &'m str {
        let text = &self.masked[start..self.part.end];
        text.lines().next().unwrap_or(&text[..0])
    }

    /// Whether the token is in the type of a piece of state or an option.
    pub fn is_in_type(&self) -> bool {
        (self.rule == Rule::one_state || self.first == "option") && !self.before.contains('=')
    }

    /// Whether the token begins a value.
    pub fn begins_value(&self) -> bool {
        self.is_name() || matches!(self.word(), "(" | "[" | "-")
    }

    /// Returns the span of a text that is taken from the part; of no text, the place of the token.
    pub fn span_of(&self, text: &str) -> Span {
        let start = (text.as_ptr() as usize).checked_sub(self.masked.as_ptr() as usize);
        let inside = start.filter(|start| start + text.len() <= self.masked.len());
        let start = inside.unwrap_or(self.token.start);
        Span::new(start, start + text.len())
    }

    /// Whether a text in front of the token reaches up to it.
    pub fn touches(&self, before: &str) -> bool {
        self.span_of(before).end == self.token.start
    }

    /// Whether a name stands in another place of the file, too.
    pub fn is_elsewhere(&self, name: &str) -> bool {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let places = || self.masked.match_indices(name);
        let named = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        named
            && places().any(|(at, _)| {
                let (before, behind) = (&self.masked[..at], &self.masked[at + name.len()..]);
                at != self.token.start && !before.ends_with(word) && !behind.starts_with(word)
            })
    }

    /// Whether the part can be read beyond a place once something else is written there.
    pub fn reads_further(&self, said: Span, written: &str) -> bool {
        let before = &self.masked[self.part.start..said.start];
        let text = format!("{before}{written}{}", &self.masked[said.end..self.part.end]);
        match Grammar::parse(self.rule, &text) {
            Ok(_) => true,
            Err(error) => error_at(&error) >= before.len() + written.len(),
        }
    }

    /// Returns a report about a text in the part, instead of one about the token.
    pub fn about(&self, text: &str, help: impl Into<String>) -> Diagnostic {
        let message = format!("`{text}` does not fit here");
        Diagnostic::new(Code::Unexpected, self.span_of(text), message, "").help(help)
    }

    /// Returns a report at the token with another label and a way out.
    pub fn says(&self, report: &Diagnostic, label: &str, help: impl Into<String>) -> Diagnostic {
        let mut report = report.clone();
        report.labels[0].text = label.to_string();
        report.help(help)
    }
}

/// Diagnoses a mistake that is a habit; `report` says what the grammar expected.
pub fn habit(mistake: &Mistake, report: &Diagnostic, wanted: &Wanted) -> Option<Diagnostic> {
    given_alone(mistake, report, wanted)
        .or_else(|| chosen_from_nothing(mistake, report, wanted))
        .or_else(|| heading(mistake))
        .or_else(|| sign(mistake, report))
        .or_else(|| foreign_type(mistake))
        .or_else(|| spoken_type(mistake, report))
        .or_else(|| typed_parameter(mistake))
        .or_else(|| condition_behind_parameters(mistake, report))
        .or_else(|| condition_as_parameter(mistake, report))
        .or_else(|| choice_from(mistake, report))
        .or_else(|| done_for_each(mistake, report))
        .or_else(|| phrase(mistake, report))
        .or_else(|| sentence(mistake, report))
        .or_else(|| colon_left_out(mistake, report))
        .or_else(|| joined_text(mistake, report))
        .or_else(|| size_sign(mistake, report))
        .or_else(|| spoken(mistake, report, wanted))
        .or_else(|| product(mistake, report))
}

/// `award 1 to p for p in players`, `x += k for k in 1..3`: a statement, and behind it what it is done for.
fn done_for_each(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    const DONE: &[&str] = &["award", "say", "send", "out", "reveal", "conceal", "ask", "deal"];
    let before = mistake.before.trim();
    // Behind `award 1 to p for`, a reason is expected.
    let (statement, rest) = match before.strip_suffix(" for") {
        Some(statement) => (statement, mistake.onwards()),
        None if mistake.word() == "for" => (before, mistake.rest()),
        None => return None,
    };
    let changes = [" += ", " -= ", " ++= "].iter().any(|sign| statement.contains(sign));
    let done = mistake.rule == Rule::one_statement && (changes || DONE.contains(&mistake.first));
    let each = rest.trim().trim_end_matches('}').trim();
    let (name, _) = each.split_once(" in ").filter(|_| done)?;
    let plain = name.chars().all(|c| c.is_alphanumeric() || "_, ()".contains(c)) && !each.contains('{');
    let reads = Grammar::parse(mistake.rule, statement).is_ok();
    let written = format!("each {each} {{ {statement} }}");
    let place = Span::new(mistake.span_of(statement).start, mistake.span_of(each).end);
    (plain && reads && mistake.reads_further(place, &written)).then(|| {
        let report = mistake.says(report, "", format!("what is gone through comes first: `{written}`"));
        Diagnostic { fix: Some(Fix::new(place, written)), ..report }
    })
}

/// `[k in 1..n f(k)]`: the sign between what is gone through and the value is missing.
fn colon_left_out(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let starts = mistake.is_name() || matches!(mistake.word(), "(" | "[");
    let open = innermost(mistake.before)?;
    let inside = &mistake.before[open + 1..];
    let (pattern, source) = inside.split_once(" in ")?;
    let complete = source.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '}'));
    let named =
        pattern.trim().trim_matches(['(', ')']).chars().all(|c| c.is_alphanumeric() || "_, ".contains(c));
    let rest = &mistake.masked[mistake.token.start..mistake.part.end];
    let has_colon = end_of_part(rest, |_, c| c == ':').is_some_and(|end| rest[end..].starts_with(':'));
    if !starts || !complete || !named || inside.contains(':') || has_colon {
        return None;
    }
    let list = mistake.before[open..].starts_with('[');
    let head = mistake.before[..open].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let end = mistake.part.start + mistake.before.len();
    let report = match (list, head) {
        (true, _) => mistake.says(
            report,
            "expected `:` or `where`",
            "write `[x in S: E]` for the value E of each x, `[x in S where C]` for those for which C holds",
        ),
        (false, "count") => {
            let condition = end_of_part(rest, |_, _| false).map_or("C", |end| rest[..end].trim());
            mistake.says(
                report,
                "expected `where`",
                format!("write `count({} where {condition})`", inside.trim()),
            )
        }
        (false, head) if BINDERS.contains(&head) => mistake.says(
            report,
            "expected `:`",
            match end_of_part(rest, |_, _| false).map(|end| rest[..end].trim()) {
                Some(value) if inside.len() + value.len() < 40 && !value.contains(['\n', '"']) => {
                    format!("write `{head}({}: {value})`, with a `:` before the value", inside.trim())
                }
                _ => format!("write `{head}(x in S: E)`, with a `:` before the value"),
            },
        ),
        _ => return None,
    };
    let sign = if head == "count" { " where" } else { ":" };
    Some(match list {
        false => Diagnostic { fix: Some(Fix::new(Span::new(end, end), sign)), ..report },
        true => report,
    })
}

/// `define f(k: int) = …`, `rule r(p: player) { … }`.
fn typed_parameter(mistake: &Mistake) -> Option<Diagnostic> {
    let open = innermost(mistake.before)?;
    let head = mistake.before[..open].trim();
    let declares = matches!(mistake.first, "define" | "rule") && head.split(' ').count() == 2;
    let chosen = matches!(mistake.first, "move" | "secret") && mistake.rule == Rule::one_item;
    if !declares && !chosen || mistake.word() != ":" {
        return None;
    }
    let end = end_of_part(mistake.rest(), |_, c| c == ',')?;
    if chosen {
        let (name, from) = (mistake.last.0, mistake.rest()[..end].trim());
        let plain = from.contains("..") && !from.contains([':', '=']) && !from.starts_with("optional ");
        let plain = plain && mistake.before.ends_with(name);
        let help = format!("what a parameter is chosen from stands behind `in`: `{name} in {from}`");
        let spaced = if mistake.touches(name) { " in" } else { "in" };
        return plain.then(|| mistake.about(mistake.word(), help).fix(spaced));
    }
    let typed = Span::new(mistake.token.start, mistake.token.end + end);
    let report = mistake
        .about(&mistake.masked[typed.start..typed.end], "parameters of functions and rules have no types");
    Some(Diagnostic { fix: Some(Fix::new(typed, "")), ..report })
}

/// Returns where the innermost round or square bracket that is open at the end of a text begins.
pub fn innermost(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().rev().find_map(|(at, c)| match c {
        ')' | ']' => {
            depth += 1;
            None
        }
        '(' | '[' if depth == 0 => Some(at),
        '(' | '[' => {
            depth -= 1;
            None
        }
        _ => None,
    })
}

/// `row: int[] = []`, `row: [int]`, `row: List<int>`: lists as other languages declare them.
fn foreign_type(mistake: &Mistake) -> Option<Diagnostic> {
    let part = &mistake.masked[mistake.part.start..mistake.part.end];
    let colon = part.find(':').filter(|_| mistake.rule == Rule::one_state)?;
    let after = &part[colon + 1..];
    let end = after.find([' ', '\n', '=']).map_or(after.len(), |_| {
        let mut depth = 0;
        after
            .char_indices()
            .find(|(_, c)| {
                depth += match c {
                    '[' | '<' | '(' => 1,
                    ']' | '>' | ')' => -1,
                    _ => 0,
                };
                depth == 0 && matches!(c, '=' | '\n')
            })
            .map_or(after.len(), |(at, _)| at)
    });
    let written = after[..end].trim();
    let open = written.find(['[', '<'])?;
    let at = mistake.part.start + colon + 1 + after.find(written)?;
    let (head, inside) = (written[..open].trim(), &written[open + 1..]);
    let inside = inside.split([']', '>']).next().unwrap_or("").trim();
    let plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
    if mistake.token.start < at + open || !plain(head) || !plain(inside) {
        return None;
    }
    let low = head.to_lowercase();
    let (element, length) = match LISTS.contains(&low.as_str()) || head.is_empty() {
        true => (inside, ""),
        false => (head, inside),
    };
    let element = foreign(element).and_then(|row| row.here).unwrap_or(match element {
        "" => "int",
        element => element,
    });
    let kind = if matches!(low.as_str(), "set" | "bag") { low.as_str() } else { "list" };
    let place = Span::new(at, at + written.len());
    let report = Diagnostic::new(Code::Unexpected, place, format!("`{written}` is not a type"), "not a type");
    if written.matches(['[', '<']).count() > 1 {
        return Some(report.help(format!(
            "rows and columns are written `grid 3 by 3 of {element}`, a list of lists `list of list of {element}`"
        )));
    }
    let sized = match length {
        "" => format!("{kind} of {element}"),
        length => format!("{kind} of exactly {length} of {element}"),
    };
    Some(report.help(format!("write `{sized}`")).fix(sized))
}

/// `say "text" + x`: values stand in the text itself.
fn joined_text(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    const SHORT: usize = 30;
    let word = mistake.word();
    if word.len() == 1 && mistake.is_name() && mistake.rest().starts_with('"') {
        let report =
            mistake.says(report, "", "texts have no letter before them; every `{x}` in a text is filled in");
        return Some(report.fix(""));
    }
    // A sign far from the text begins a line of its own.
    if mistake.token.start > mistake.part.start + mistake.before.len() + 2 {
        return None;
    }
    let speaks = matches!(mistake.first, "say" | "show" | "award" | "need");
    let said = mistake.is_name() && !matches!(word, "to" | "for" | "as" | "else" | "with");
    if !speaks || !mistake.before.ends_with('"') || !(said || matches!(word, "+" | "++" | "," | "&")) {
        return None;
    }
    let rest = if said { &mistake.masked[mistake.token.start..mistake.part.end] } else { mistake.rest() };
    let value = rest.lines().next().unwrap_or("").trim();
    let plain = value.len() <= SHORT && !value.is_empty() && !value.contains(['"', '{', '}', '+']);
    // `"only " + heap + " left"`
    let text = mistake.before.strip_suffix('"').and_then(|before| before.rsplit('"').next()).unwrap_or("");
    let more =
        value.split_once(" + \"").and_then(|(value, more)| Some((value.trim(), more.strip_suffix('"')?)));
    if let Some((value, more)) =
        more.filter(|(value, more)| operand(value) == Some(*value) && !more.contains('"'))
    {
        let help = format!("values stand in the text itself, in braces: `\"{text}{{{value}}}{more}\"`");
        return Some(mistake.says(report, "", help));
    }
    let value = if plain { value } else { "x" };
    Some(mistake.says(report, "", format!("values stand in the text itself, in braces: `\"… {{{value}}}\"`")))
}

/// `#row`, `|row|`: signs for the number of elements.
fn size_sign(mistake: &Mistake, report: &Diagnostic) -> Option<Diagnostic> {
    let rest = mistake.rest();
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.')).collect();
    let closed = match mistake.word() {
        "#" => !mistake.before.is_empty(),
        "|" => rest[name.len()..].starts_with('|'),
        _ => false,
    };
    let word = name.chars().next().is_some_and(char::is_alphabetic);
    let help = match mistake.word() {
        "|" => format!("`size({name})` counts elements; a number without its sign is `abs({name})`"),
        _ => format!("write `size({name})`"),
    };
    (closed && word).then(|| mistake.says(report, "not a sign of the language", help))
}

/// `x := a if C else b`: returns the correction if the choice is all that stands behind the sign.
fn choice_turned_round(mistake: &Mistake) -> Option<Fix> {
    const SIGNS: &[&str] = &[":= ", "+= ", "-= ", "= "];
    let start = SIGNS.iter().filter_map(|sign| Some(mistake.before.find(sign)? + sign.len())).min()?;
    let value = mistake.before[start..].trim();
    let (condition, otherwise) = mistake.rest().split_once(" else ")?;
    let (condition, otherwise) = (condition.trim(), otherwise.trim());
    let plain =
        |text: &str| !text.is_empty() && !text.contains(['{', '}', '"', ';']) && !text.contains(" if ");
    let whole = Span::new(mistake.span_of(value).start, mistake.span_of(otherwise).end);
    let written = format!("if {condition} then {value} else {otherwise}");
    let fits = [value, condition, otherwise].iter().all(|text| plain(text));
    (fits && mistake.word() == "if" && mistake.reads_further(whole, &written))
        .then(|| Fix::new(whole, written))
}

/// Words as people say them: `turns skip stuck`, `repeat 3 times`, `end if C`, `a if C else b`.
fn spoken(mistake: &Mistake, report: &Diagnostic, wanted: &Wanted) -> Option<Diagnostic> {
    let (last_word, last) = mistake.last;
    let word = mistake.word();
    Some(match word {
        "<" if wanted.assigns && mistake.rest().starts_with('-') => {
            let arrow = Span::new(mistake.token.start, mistake.token.end + 1);
            let report = Diagnostic::new(Code::Unexpected, arrow, "`<-` does not fit here", "");
            report.help("write `:=`").fix(":=")
        }
        "->" | "→" | "=>"
            if wanted.assigns && !mistake.before.trim().starts_with(|c: char| c.is_ascii_digit()) =>
        {
            let (mut place, mut value) = (mistake.before.trim(), mistake.rest().trim().trim_end_matches('}').trim());
            let declared = |text: &str| {
                let name = text.trim_start_matches("me.").split(['[', '.', ' ']).next().unwrap_or(text);
                declares_value(mistake.masked, name)
            };
            // `d -> dice[k]`: what changes stands behind the arrow.
            let turned = declared(value) && !declared(place);
            if turned {
                (place, value) = (value, place);
            }
            let help = format!("write `{place} := {value}` to give `{place}` a new value");
            let report = mistake.says(report, "", help);
            if turned { report } else { report.likely_fix(":=") }
        }
        "skip" | "skips" | "drop" | "when" | "if" | "stuck" if mistake.first == "turns" => mistake.says(
            report,
            "",
            "`turns until stuck { … }` ends when the player to move cannot; `turns until C skipping stuck { … }` \
             passes over players who cannot move",
        ),
        "times" if mistake.first == "repeat" => {
            let count = mistake.before.trim_start_matches("repeat").trim();
            mistake.says(report, "", format!("write `repeat {count} {{ … }}`, without `times`")).fix("")
        }
        "from" if matches!(last_word, w if w != "each") && mistake.first == "each" => mistake.says(
            report,
            "expected `in`",
            format!("a range is written `1..n`: `each {last_word} in 1..n {{ … }}`"),
        ),
        _ if ENDED.contains(&word) && last_word == "end" => {
            mistake.says(report, "", "write `end` alone: it ends the match").fix("")
        }
        _ if last_word == "if" && mistake.before.trim() == "end if" => {
            let report = Diagnostic::new(Code::Unexpected, last, "`if` does not fit here", "expected `when`");
            let help = "write `if C { end }` to end the match here; `end when C` is tested after every choice";
            Diagnostic { fix: Some(Fix::likely(last, "when")), ..report.help(help) }
        }
        "if" if mistake.rest().contains(" else ") && wanted.only_operator() || wanted.end && word == "if" => {
            let report = mistake.says(report, "", "a choice of values is written `if C then a else b`");
            match choice_turned_round(mistake) {
                Some(fix) => {
                    let help = format!("the condition comes first: `{}`", fix.replacement);
                    Diagnostic { fix: Some(fix), ..report.help(help) }
                }
                None => report,
            }
        }
        "[" | "." if mistake.first == "let" && mistake.before.split_whitespace().count() == 2 => {
            let line = &mistake.masked[last.start..mistake.part.end];
            let place = line.split('=').next().unwrap_or("").trim_end_matches(':').trim();
            mistake.says(report, "", format!("`let` names a value; write `{place} := …` to change what stands there"))
        }
        _ if OPENINGS.contains(&last_word) && mistake.is_name() => {
            let row = foreign(last_word)?;
            Diagnostic::new(Code::Unexpected, last, format!("`{last_word}` does not fit here"), "").help(row.says)
        }
        _ if matches!(last_word, "any" | "some" | "all") && mistake.is_name() => {
            let binder = if last_word == "all" { "all" } else { "some" };
            let clause = mistake.onwards().split(['{', '"']).next().unwrap_or("").trim();
            let clause = clause.strip_suffix("else").unwrap_or(clause).trim();
            let (who, rest) = clause.split_once(' ').unwrap_or((clause, ""));
            let has = rest.strip_prefix("has ").filter(|_| matches!(who, "player" | "players"));
            let own = who.strip_prefix("player.").or_else(|| who.strip_prefix("p."));
            let written = match rest.strip_prefix("in ").and_then(|rest| rest.split_once(' ')) {
                _ if let Some(own) = own => format!("{binder}(p in players: p.{own} {rest})"),
                _ if let Some(has) = has => format!("{binder}(p in players: p.{has})"),
                Some((source, test)) => format!("{binder}({who} in {source}: {who} {test})"),
                None if rest.starts_with(['<', '>', '=', '!']) || rest.starts_with("is ") => {
                    format!("{binder}(x in {who}: x {rest})")
                }
                None => format!("{binder}(p in players: C)"),
            };
            mistake.says(report, "expected `(`", format!("write `{written}`"))
        }
        _ => return None,
    })
}

/// `ann.score = 3 * size(row)` at the left edge: reports a score that is written as a field.
pub fn score_of_a_seat(masked: &str, part: Span) -> Option<Diagnostic> {
    let first = token_at(masked, part.start, part.end);
    let rest = masked[first.end..part.end].strip_prefix(".score")?.trim_start();
    let seat = &masked[first.start..first.end];
    rest.starts_with(['=', ':']).then(|| {
        let message = format!("no part of a rule file begins with `{seat}`");
        let help = match seat {
            "me" => "the points of everybody at the end are written `score = …`".to_string(),
            seat => format!(
                "the points of a seat at the end are written `score {seat} = …`, those of everybody `score = …`"
            ),
        };
        Diagnostic::new(Code::Unexpected, first, message, "").help(help)
    })
}

/// Reports a comma that ends the line of a piece of state, which goes on in the next line then; `end` is behind it.
pub fn comma_behind_state(end: usize) -> Diagnostic {
    let comma = Span::new(end - 1, end);
    Diagnostic::new(
        Code::Unexpected,
        comma,
        "`,` does not fit here",
        "pieces of state have no comma between them",
    )
    .help("put each piece of state on a line of its own; the type of a pair is written `(1..3, 1..3)`")
    .likely_fix("")
}

/// Extends a correction to a whole text in the wrong quotes.
pub fn quoted(report: Diagnostic, sign: &str, masked: &str, part: Span) -> Diagnostic {
    let closing = match sign {
        "'" => "'",
        "“" | "„" | "”" => "”",
        "‘" => "’",
        "«" => "»",
        _ => return report,
    };
    let open = report.span();
    let line = masked[open.end..part.end].lines().next().unwrap_or("");
    let Some(length) = line.find(closing).filter(|at| !line[..*at].contains('"')) else { return report };
    let whole = Span::new(open.start, open.end + length + closing.len());
    let replacement = format!("\"{}\"", &line[..length]);
    let mut report = report;
    report.fix = Some(Fix::new(whole, replacement));
    report
}

/// Returns the span of the word or sign at a place; empty if the line ends first.
pub fn token_at(masked: &str, at: usize, end: usize) -> Span {
    const SIGNS: &[&str] = &[
        "++=", "===", "!==", "...", ":=", "+=", "-=", "++", "--", "..", "!=", "<=", ">=", "==", "=<", "<>",
        "&&", "||", "->", "=>", "**", "/*", "*/", "~=",
    ];
    let at = at.min(end);
    let rest = masked[at..end].trim_start_matches(' ');
    let start = end - rest.len();
    if rest.is_empty() || rest.starts_with('\n') {
        let last = masked[..start].trim_end().len();
        return Span::new(last, last);
    }
    let letters = |c: char| c.is_alphanumeric() || c == '_';
    let first = rest.chars().next().unwrap_or(' ');
    let length = if letters(first) {
        rest.find(|c| !letters(c)).unwrap_or(rest.len())
    } else if first == '"' {
        rest[1..].find('"').map_or(rest.len(), |at| at + 2)
    } else {
        SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(first.len_utf8(), |sign| sign.len())
    };
    Span::new(start, start + length)
}

/// Whether a file declares a move of this name.
pub fn declares_move(masked: &str, name: &str) -> bool {
    let declared = |line: &str| {
        let line = line.strip_prefix("secret ").unwrap_or(line).strip_prefix("move ")?;
        let end = line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len());
        Some(&line[..end] == name)
    };
    masked.lines().any(|line| declared(line) == Some(true))
}

//! Reports for lines of state that hold something else than one piece of it: several pieces, a part of the file.

use super::grammar::{Rule, reads};
use super::idioms;
use super::kinds::is_kind;
use super::report::{end_of_part, is_item_word, is_word};
use crate::diag::{Code, Diagnostic, Fix};
use crate::source::Span;

/// Words that say who sees a piece of state, in front of it as other languages have them.
const FRONT: &[&str] = &["secret", "hidden", "private"];

/// Diagnoses a line of state that is not one piece of it.
pub fn not_one_piece(masked: &str, part: Span, rule: Rule) -> Option<Diagnostic> {
    let line = masked[part.start..part.end].trim().lines().next()?.trim_end();
    if rule != Rule::one_state {
        return None;
    }
    let start = line.as_ptr() as usize - masked.as_ptr() as usize;
    several_pieces(masked, line, start)
        .or_else(|| part_of_the_file(masked, line, start))
        .or_else(|| tuple_without_brackets(masked, line, start))
}

/// `asked: list of number: 1..9, answer: 1..9 = []`, `list of [player, 1..9]`: the parts of a tuple without brackets, or in
/// others.
fn tuple_without_brackets(masked: &str, line: &str, start: usize) -> Option<Diagnostic> {
    let colon = line.find(':')?;
    let ty = &line[colon + 1..];
    let end = end_of_part(ty, |at, c| {
        c == '=' || [" for each ", " secret", " hidden"].iter().any(|it| ty[at..].starts_with(it))
    });
    let ty = ty[..end.unwrap_or(ty.len())].trim();
    let head = [" of ", "optional "].iter().filter_map(|word| Some(ty.rfind(word)? + word.len())).max();
    // A word in front of the parts ends before the first of them.
    let comma = ty.find(',')?;
    let head = head.filter(|head| *head < comma).unwrap_or(0);
    let parts = ty[head..].trim();
    let other = [('[', ']'), ('{', '}')]
        .into_iter()
        .find_map(|(open, close)| parts.strip_prefix(open)?.strip_suffix(close).map(str::trim));
    let inside = other.unwrap_or(parts);
    let each: Vec<&str> = inside.split(',').map(str::trim).collect();
    let named = each.iter().filter(|part| part.contains(':')).count();
    // Symbols and numbers in braces are a type of their own.
    let is_type = |part: &&str| {
        let ty = part.rsplit(':').next().unwrap_or(part).trim();
        ty.contains("..") || matches!(ty, "int" | "player" | "square" | "yes or no") || is_kind(masked, ty)
    };
    if named != 0 && named != each.len() || !each.iter().all(is_type) || inside.contains(['(', '[', '{']) {
        return None;
    }
    let written = format!("({inside})");
    let at = start + colon + 1 + line[colon + 1..].find(parts)?;
    let place = Span::new(at, at + parts.len());
    let whole = format!("{}{written}{}", &line[..at - start], &line[at - start + parts.len()..]);
    if !reads(Rule::one_state, &whole) {
        return None;
    }
    let message = format!("`{parts}` is not a type");
    let help = format!("the parts of a tuple stand in round brackets: `{whole}`");
    let report = Diagnostic::new(Code::Unexpected, place, message, "").help(help);
    Some(Diagnostic { fix: Some(Fix::likely(place, written)), ..report })
}

/// `secret purse: 0..3 = 0  bid: 0..3 = 0`: several pieces, of which one is written in another way.
fn several_pieces(masked: &str, line: &str, start: usize) -> Option<Diagnostic> {
    let starts = beginnings(line);
    let second = *starts.get(1)?;
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    let pieces =
        starts.iter().zip(ends).map(|(from, to)| line[*from..to].trim().trim_end_matches([',', ';']));
    let mut otherwise = false;
    let written: Vec<String> = pieces
        .map(|piece| {
            let at = piece.as_ptr() as usize - masked.as_ptr() as usize;
            let report = idioms::line(masked, Span::new(at, at + piece.len()), Rule::one_state);
            let fix = report.and_then(|report| report.fix).filter(|_| !reads(Rule::one_state, piece));
            otherwise |= fix.is_some();
            fix.map_or_else(|| piece.to_string(), |fix| fix.replacement)
        })
        .collect();
    if !otherwise {
        return None;
    }
    let end = line[second..].find(':').map_or(line.len(), |end| second + end);
    let place = Span::new(start + second, start + end);
    let message = format!("`{}` does not fit here", &line[second..end]);
    let report = Diagnostic::new(Code::Unexpected, place, message, "another piece of state begins here");
    let listed: Vec<String> = written.iter().map(|piece| format!("`{piece}`")).collect();
    let help = format!("put each piece of state on a line of its own: {}", listed.join(", "));
    let sure = written.iter().all(|piece| reads(Rule::one_state, piece));
    let whole = Span::new(start, start + line.len());
    let fix = Fix { sure, ..Fix::new(whole, written.join("\n  ")) };
    Some(Diagnostic { fix: Some(fix), ..report.help(help) })
}

/// Returns where the pieces of state of a line begin, each with its name and the colon behind it.
fn beginnings(line: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    // Keys and parameters stand in brackets, and only names of pieces outside them.
    while let Some(colon) = end_of_part(&line[at..], |_, c| c == ':').map(|end| at + end) {
        if !line[colon..].starts_with(':') {
            break;
        }
        let before = line[..colon].trim_end();
        let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        let mut start = before.len() - name.len();
        let in_front = line[..start].trim_end();
        let word = in_front.rsplit([' ', ',', ';']).next().unwrap_or("");
        // Behind a value, such a word belongs to that, unless the line begins with one.
        let leads = FRONT.iter().any(|front| line.starts_with(&format!("{front} ")));
        if FRONT.contains(&word) && leads {
            start = in_front.len() - word.len();
        }
        if is_word(name) && !line[colon..].starts_with(":=") {
            found.push(start);
        }
        at = colon + 1;
    }
    if found.first() == Some(&0) { found } else { Vec::new() }
}

/// `kind colour: red, blue` in `table { … }`: what stands at the left edge.
fn part_of_the_file(masked: &str, line: &str, start: usize) -> Option<Diagnostic> {
    let first = line.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let whole = Span::new(start, start + line.len());
    if !is_item_word(first)
        || first == "each"
        || line.ends_with('{')
        || line[first.len()..].trim_start().starts_with(':')
    {
        return None;
    }
    let item = || idioms::line(masked, whole, Rule::one_item)?.fix;
    let written = match reads(Rule::one_item, line) {
        true => line.to_string(),
        false => item()?.replacement,
    };
    let message = format!("`{first}` begins a part of the file, not a piece of state");
    let help = format!("put it at the left edge, outside this block: `{written}`");
    Some(Diagnostic::new(Code::Unexpected, whole, message, "").help(help))
}

//! Reports for lines that are sentences as a whole.

use super::grammar::Rule;
use super::report::{is_item_word, statement_form};
use super::winners::winner_of_sentence;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;

/// What a sentence of prose among the lines of a file is called.
pub const SENTENCE: &str = "this is a sentence, not a line of the language";

/// Words of prose that are no words of the language and hardly names.
const PROSE: &[&str] = &[
    "a", "an", "are", "cannot", "has", "have", "he", "her", "his", "it", "must", "she", "so", "takes",
    "that", "the", "their", "they", "this", "was", "whoever", "who", "wins", "your",
];

/// Diagnoses a line that is a sentence as a whole.
pub fn whole_line(masked: &str, part: Span, rule: Rule) -> Option<Diagnostic> {
    const FEWEST_WORDS: usize = 4;
    let line = masked[part.start..part.end].trim_start().lines().next()?.trim_end();
    // A full stop at the end of a line lets the next one go on.
    let line = line.find(".  ").map_or(line, |end| &line[..=end]);
    let words: Vec<&str> =
        line.split_whitespace().map(|word| word.trim_end_matches(['.', ',', ';', ':', '!'])).collect();
    let plain =
        |word: &&str| word.chars().all(|c| c.is_alphanumeric() || "-'’".contains(c)) && !word.is_empty();
    let ends = line.ends_with('.');
    let begins = words.first().is_some_and(|word| statement_form(word).is_some() || is_item_word(word));
    let spoken = words.iter().filter(|word| PROSE.contains(&word.to_lowercase().as_str())).count();
    if words.len() < FEWEST_WORDS || !words.iter().all(plain) || spoken == 0 || begins && !ends {
        return None;
    }
    let winner = winner_of_sentence(line, masked);
    let turns =
        words.iter().any(|word| matches!(*word, "take" | "takes" | "taking")) && words.contains(&"turns");
    let help = match rule {
        Rule::one_statement | Rule::one_item if winner.is_some() => winner.as_deref().unwrap_or_default(),
        Rule::one_statement | Rule::one_item if turns => {
            "players take turns in the block of `turns { … }`, which names the moves; it ends by `turns until C { … }`"
        }
        Rule::one_statement => {
            "what a player may do is a `move`, named alone on its line in `play`; what changes is written `x := 3` or `x += 1`; a \
             remark stands behind `//`"
        }
        Rule::one_item => {
            "what a player may do is written `move … { … }`, how a match goes `play { … }`; a remark stands behind `//`"
        }
        _ => return None,
    };
    let start = line.as_ptr() as usize - masked.as_ptr() as usize;
    let place = Span::new(start, start + line.len());
    Some(Diagnostic::new(Code::Unexpected, place, SENTENCE, "").help(help))
}

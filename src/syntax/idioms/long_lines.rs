//! Long lines in which a few words are written in another way.

use super::{Found, is_word};

/// Returns the words of a long line that are written in another way, and how, if all others remain.
pub(super) fn narrowed<'f>(line: &str, found: &'f Found) -> Option<(std::ops::Range<usize>, &'f str)> {
    const LONG: usize = 60;
    let written = found.written.as_str();
    if line.len() < LONG || !found.is_sure() || written.contains('…') || written.is_empty() {
        return None;
    }
    let alike = |(a, b): &(char, char)| a == b;
    let length = |(c, _): (char, char)| c.len_utf8();
    let mut start: usize = line.chars().zip(written.chars()).take_while(alike).map(length).sum();
    while line[..start].ends_with(is_word) {
        start -= line[..start].chars().next_back().map_or(0, char::len_utf8);
    }
    let ends = line[start..].chars().rev().zip(written[start..].chars().rev());
    let mut end: usize = ends.take_while(alike).map(length).sum();
    while line[line.len() - end..].starts_with(is_word) {
        end -= line[line.len() - end..].chars().next().map_or(0, char::len_utf8);
    }
    let (said, instead) = (start..line.len() - end, &written[start..written.len() - end]);
    (2 * said.len() < line.len() && !said.is_empty() && !instead.is_empty()).then_some((said, instead))
}

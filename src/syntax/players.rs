//! What a text says of players: what they are called, and whether somebody has the turn in a line.

use super::phrases::operand;
use crate::source::Span;

/// Whether a file gives a player this name, or a text finds one: `p` in `each p in players`, `me.next`, `seat(1)`.
pub fn names_player(file: &str, text: &str) -> bool {
    let found = operand(text) == Some(text) && (text.starts_with("seat(") || text.starts_with("me."));
    let named = |line: &str| {
        line.contains(&format!("each {text} in ")) && line.contains("player")
            || line.trim_start().starts_with(&format!("let {text} = seat("))
            || line.trim() == format!("{text}: player")
    };
    found || file.lines().any(named)
}

/// Whether somebody has the turn in a line: it is in a move, in a rule or in the block of `turns`.
pub fn has_turn(masked: &str, part: Span) -> bool {
    const HEADS: &[&str] = &["turns", "move ", "secret move ", "rule ", "together ", "score", "define "];
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut lines = masked[..part.start].split('\n').rev();
    let same = lines.next().unwrap_or("");
    let mut within = indent(same);
    let mut heads = lines.filter(|line| {
        let outside = !line.trim().is_empty() && indent(line) < within;
        within = if outside { indent(line) } else { within };
        outside
    });
    let begins = |line: &str| HEADS.iter().any(|head| line.trim_start().starts_with(head));
    begins(same) || heads.any(begins)
}

//! Short phrases: who, how many, who won; and wrapping lines to a width.

use crate::eval::Fault;
use crate::eval::text::wide;
use crate::explore::counted;
use crate::ir::Game;
pub use crate::play::and;
use crate::play::{Match, Rules, Verdict, does};

/// Names a line of the rules, with its file if that is not the game's own.
pub fn line(rules: &Rules, file: &str, line: usize) -> String {
    match file == rules.source.name {
        true => format!("line {line}"),
        false => format!("line {line} of {file}"),
    }
}

/// Returns the result of a match in a sentence.
pub fn result_words(played: &Match) -> Result<String, Fault> {
    let game = &played.rules.game;
    if played.draw_due() {
        return Ok("unfinished: a chance draw comes next".to_string());
    }
    if !played.over() {
        return Ok(format!("unfinished: {}", turn_words(played)));
    }
    let scores: Option<Vec<String>> =
        played.scores()?.map(|scores| scores.iter().map(ToString::to_string).collect());
    let winners = played.winners();
    let names = seats(game, &winners);
    if let ([_], Some([score])) = (winners.as_slice(), scores.as_deref())
        && wins_anyway(played)
    {
        return Ok(format!("the score is {score}"));
    }
    let nobody = if played.machine().is_allied() { "all lose" } else { "nobody wins" };
    Ok(match (winners.as_slice(), scores) {
        ([], None) => nobody.to_string(),
        ([], Some(scores)) => format!("{nobody}; points: {}", scores.join(", ")),
        ([_], None) => format!("{names} wins"),
        ([_], Some(scores)) if scores.len() == 2 && scores[0] == scores[1] => {
            format!("{names} wins; points: {} each", scores[0])
        }
        ([one], Some(scores)) if scores.len() == 2 => {
            format!("{names} wins, {} to {}", scores[one - 1], scores[2 - one])
        }
        ([one], Some(scores)) => match scores.len() {
            1 => format!("{names} wins with {}", scores[0]),
            _ => format!("{names} wins with {}; points: {}", scores[one - 1], scores.join(", ")),
        },
        (_, None) => format!("{names} {}", winning(played)),
        (many, Some(scores)) => {
            let first = &scores[many[0] - 1];
            let equal = many.iter().all(|player| scores[player - 1] == *first);
            match equal {
                true if played.machine().is_allied() => format!("{names} win together with {first}"),
                true if winning(played) == "win together" => {
                    format!("{names} win together with {first}; points: {}", scores.join(", "))
                }
                true if many.len() == scores.len() => format!("{names} share the win, {first} each"),
                true => format!("{names} share the win, {first} each; points: {}", scores.join(", ")),
                false => format!("{names} {}; points: {}", winning(played), scores.join(", ")),
            }
        }
    })
}

/// Whether the only player of a match has won because the rules compare nothing but that player with itself.
fn wins_anyway(played: &Match) -> bool {
    played.players() == 1 && matches!(played.verdict(), Some(Verdict::Compared(_)))
}

/// Says who has won, without points.
pub fn verdict(played: &Match) -> String {
    let winners = played.winners();
    let names = seats(&played.rules.game, &winners);
    match winners.as_slice() {
        [] if played.machine().is_allied() => "all lose".to_string(),
        [] => "nobody wins".to_string(),
        [_] => format!("{names} wins"),
        _ => format!("{names} {}", winning(played)),
    }
}

/// Says how several players win.
fn winning(played: &Match) -> &'static str {
    let winners = played.winners().iter().fold(0, |all, player| all | 1 << (player - 1));
    let interests = played.machine().interests;
    let one_side = interests
        .sides(played.players())
        .iter()
        .any(|side| side.len() > 1 && interests.partners(side[0], played.players()) == winners);
    if one_side { "win together" } else { "share the win" }
}

/// Says what a player is to choose, by the moves offered: `player 1 plays or drops`, or `player 2: terms` if
/// a name is no verb.
pub fn asked_of(played: &Match, player: usize) -> String {
    const MANY: usize = 3;
    let mut names: Vec<&str> = played.offered_to(player).into_iter().map(|mv| mv.name.as_str()).collect();
    if names.len() > 1
        && let Ok((legal, false)) = played.some_legal(player, 100)
    {
        names.retain(|name| legal.iter().any(|entry| entry.name == *name));
    }
    let who = played.rules.game.seat_name(player - 1);
    // Nobody else could be meant.
    if played.players() == 1 && (1..=MANY).contains(&names.len()) {
        return or(&names).replace('_', " ");
    }
    if !(1..=MANY).contains(&names.len()) {
        return format!("{who} moves");
    }
    match names.iter().map(|name| does(name)).collect::<Option<Vec<_>>>() {
        Some(deeds) => format!("{who} {}", or(&deeds)),
        None => format!("{who}: {}", or(&names).replace('_', " ")),
    }
}

/// Joins alternatives: "a, b or c".
pub(super) fn or<T: AsRef<str>>(items: &[T]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => items.join(""),
    }
}

/// Says whose turn it is: "it is player 2's turn", "waiting for players 1 and 2".
pub fn turn_words(played: &Match) -> String {
    let to_move = played.to_move();
    match to_move.as_slice() {
        [] => "it is nobody's turn".to_string(),
        [one] if !played.together() => format!("it is {}'s turn", played.rules.game.seat_name(one - 1)),
        [one] => format!("waiting for {}", played.rules.game.seat_name(one - 1)),
        many => format!("waiting for {}", seats(&played.rules.game, many)),
    }
}

/// Names the seats (from 0) of a side.
pub fn side(game: &Game, seats_of: &[usize]) -> String {
    seats(game, &seats_of.iter().map(|seat| seat + 1).collect::<Vec<_>>())
}

/// Names players (from 1): "player 1", "players 1 and 2", "across and down".
pub fn seats(game: &Game, players: &[usize]) -> String {
    match players {
        [] => "nobody".to_string(),
        [one] => game.seat_name(one - 1),
        many if game.seats.roles.is_empty() && game.seats.player_names.is_empty() => {
            format!("players {}", and(many))
        }
        many => and(&many.iter().map(|player| game.seat_name(player - 1)).collect::<Vec<_>>()),
    }
}

/// Counts things: "1 move", "5 moves".
pub fn count(n: usize, what: &str) -> String {
    counted(n as u64, what, &format!("{what}s"))
}

/// Joins items with commas and wraps them to lines of at most `width` columns, indented by `indent` spaces.
pub fn listed(items: &[String], indent: usize, width: usize) -> String {
    let indented = format!("{}{}", " ".repeat(indent), listed_from(indent, items, indent, width));
    if items.is_empty() { String::new() } else { indented }
}

/// Like [`listed`], but the first line begins at column `first`, and its indentation is left out.
fn listed_from(first: usize, items: &[String], indent: usize, width: usize) -> String {
    let mut out = String::new();
    let mut column = first;
    for (i, item) in items.iter().enumerate() {
        let last = i + 1 == items.len();
        let long = wide(item) + usize::from(!last);
        if i == 0 {
            // The first item always stands on the first line.
        } else if column + 1 + long > width.max(20) {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(item);
        if !last {
            out.push(',');
        }
        column += long;
    }
    out
}

/// Like [`listed`], after a word on the first line.
pub fn hanging(head: &str, items: &[String], width: usize) -> String {
    let first = wide(head);
    format!("{head}{}", listed_from(first, items, first.min(12), width))
}

/// Stands for a space at which no line may end.
pub const GLUE: char = '\u{1}';

/// Keeps a number and the sign for per cent behind it on one line.
pub fn glued(text: &str) -> String {
    text.replace(" %", &format!("{GLUE}%"))
}

/// Wraps a sentence to a width, with every line indented by `indent` spaces.
pub fn folded(text: &str, indent: usize, width: usize) -> String {
    let room = width.saturating_sub(indent).max(16);
    let pad = " ".repeat(indent);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in glued(text).split_whitespace() {
        if !line.is_empty() && wide(&line) + 1 + wide(word) > room {
            lines.push(format!("{pad}{line}"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(format!("{pad}{line}"));
    }
    lines.join("\n").replace(GLUE, " ")
}

/// Wraps a paragraph to a width, with all lines but the first indented, and text between backquotes on one line.
pub fn paragraph(text: &str, width: usize) -> String {
    folded_around(text, 2, width).trim_start().to_string()
}

/// Like [`folded`], but text between backquotes stays on one line.
pub fn folded_around(text: &str, indent: usize, width: usize) -> String {
    let glue = GLUE.to_string();
    let quoted = text.split('`').enumerate();
    let quoted = quoted.map(|(i, part)| if i % 2 == 1 { part.replace(' ', &glue) } else { part.to_string() });
    folded(&quoted.collect::<Vec<String>>().join("`"), indent, width)
}

/// Whether a character steers a terminal, or changes the direction in which it writes, instead of being shown.
pub fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Replaces the characters of a typed line that would steer a terminal when the line is quoted.
pub fn printable(line: &str) -> String {
    let shown = |c| match c {
        '\t' => ' ',
        c if steers(c) => '?',
        c => c,
    };
    line.chars().map(shown).collect()
}

/// Puts a value on one line, and cuts it if it is long.
pub fn short(text: &str) -> String {
    cut(text, 100)
}

/// Puts a value on one line, and cuts it after `most` characters.
pub fn cut(text: &str, most: usize) -> String {
    let line = text.replace('\n', " / ");
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_steers_no_terminal() {
        assert_eq!(printable("\u{1b}[31mflip\t4 \u{202e}é"), "?[31mflip 4 ?é");
    }

    #[test]
    fn lists_and_sentences_fold() {
        assert_eq!(and(&[1, 2, 3]), "1, 2 and 3");
        let items: Vec<String> = (1..12).map(|n| n.to_string()).collect();
        assert_eq!(listed(&items, 2, 20), "  1, 2, 3, 4, 5, 6,\n  7, 8, 9, 10, 11");
        let moves = ["move 1 2", "move 3 4", "move 5 6"].map(String::from);
        assert_eq!(
            hanging("`move` could be: ", &moves, 29),
            "`move` could be: move 1 2,\n            move 3 4,\n            move 5 6"
        );
        assert_eq!(or(&["put", "pass", "rest"]), "put, pass or rest");
        assert_eq!(or(&["put"]), "put");
        assert_eq!(folded("it gets about 64 % of the win", 0, 16), "it gets about\n64 % of the win");
        assert_eq!(paragraph("take `2 3`, the best of all", 18), "take `2 3`, the\n  best of all");
        assert_eq!(folded("one two three four five six", 2, 20), "  one two three four\n  five six");
        assert_eq!(short(&"9".repeat(1000)).len(), 103);
    }
}

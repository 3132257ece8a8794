//! What is shown of a match: the table, points, what happened, what a seat alone sees.

use super::{Table, secrets, words};
use crate::eval::Event;
use crate::ir::Game;
use crate::play::{Entry, Match, Viewer};

/// Parts one below another, without the empty ones.
pub fn join(parts: Vec<String>) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// The table as the rule file shows it.
pub fn table(played: &Match) -> String {
    match played.show() {
        Ok(shown) => shown.trim_end().to_string(),
        Err(fault) => format!("the table cannot be shown: {}", played.broken(&fault).message),
    }
}

/// Everybody's points; nothing where the game keeps none, or they cannot be counted yet.
pub fn points(played: &Match) -> String {
    let Ok(Some(scores)) = played.scores() else { return String::new() };
    let game = &played.rules.game;
    let each: Vec<String> = scores
        .iter()
        .enumerate()
        .map(|(seat, score)| format!("{} has {score}", game.seat_name(seat)))
        .collect();
    format!("points: {}", each.join(", "))
}

/// The result in a sentence.
pub fn result(played: &Match) -> String {
    match words::result_words(played) {
        Ok(sentence) => sentence,
        Err(fault) => format!("the result cannot be told: {}", played.broken(&fault).message),
    }
}

/// A choice or a draw as everybody may read it.
pub fn entry(played: &Match, entry: &Entry) -> String {
    let who = match entry.player {
        0 => String::new(),
        player => format!("{}: ", played.rules.game.seat_name(player - 1)),
    };
    match (secrets::open(played, entry), entry.player) {
        (true, _) => format!("{who}{}", words::short(&played.entry_words(entry))),
        (false, 0) => format!("{} (face down)", entry.name),
        (false, _) => format!("{who}{} (secret)", entry.name),
    }
}

/// What happened besides the moves: points with their reasons, who is out.
pub fn event(game: &Game, event: &Event) -> String {
    match event {
        Event::Award(seat, points, reason) => {
            let plus = if points.is_negative() { "" } else { "+" };
            let reason = reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
            format!("{plus}{points} for {}{reason}", game.seat_name(*seat))
        }
        Event::Said(_, words) => words.clone(),
        Event::Out(seat) => format!("{} is out", game.seat_name(*seat)),
        Event::Revealed(None, name, value) => format!("{name} is {value}"),
        Event::Revealed(Some(seat), name, value) => format!("{}'s {name} is {value}", game.seat_name(*seat)),
    }
}

/// A step that was just made: who chose what (where nobody has seen it yet), the table, points, what happened.
pub fn step(at: &Table, before: usize, events: &[Event], shows_moves: bool) -> String {
    let played = &at.played;
    let game = &played.rules.game;
    let mut parts = Vec::new();
    for made in played.entries().skip(before) {
        if made.player == 0 || shows_moves {
            parts.push(entry(played, made));
        }
    }
    parts.push(table(played));
    parts.push(points(played));
    parts.extend(events.iter().map(|told| event(game, told)));
    if played.over() {
        parts.push(result(played));
    }
    join(parts)
}

/// What is played: the game, its options and players. A seed tells what is to be drawn and what was drawn face down, so
/// that it is told when the match is over.
pub fn heading(at: &Table) -> String {
    let options: Vec<String> = at
        .played
        .options()
        .map(|(name, value)| format!("{name}={}", crate::eval::text::words(&at.rules.game, value)))
        .collect();
    let options = if options.is_empty() { String::new() } else { format!(", {}", options.join(" ")) };
    let players = words::count(at.played.players(), "player");
    let seed = at.played.seed().filter(|_| at.played.over());
    let seed = seed.map_or(String::new(), |seed| format!(", seed {seed}"));
    let mut out = format!("{}: {players}{options}{seed}", at.rules.game.title);
    for (seat, bot) in &at.bots {
        out.push_str(&format!("\n{} is played by {}", at.rules.game.seat_name(seat - 1), bot.name()));
    }
    out
}

/// What everybody sees, piece by piece.
pub fn state(played: &Match, viewer: Viewer) -> String {
    let game = &played.rules.game;
    let seen = played.seen(viewer).into_iter().map(|(owner, name, value)| {
        let whose = if owner == 0 { String::new() } else { format!("{}'s ", game.seat_name(owner - 1)) };
        piece(&format!("{whose}{name}"), &value)
    });
    join(seen.collect())
}

fn piece(name: &str, value: &str) -> String {
    match value {
        "" => format!("{name}: (empty)"),
        value if value.contains('\n') => format!("{name}:\n{value}"),
        value => format!("{name}: {value}"),
    }
}

/// What a player sees and the others do not.
pub fn own(played: &Match, player: usize) -> String {
    let public = played.seen(Viewer::Spectator);
    let mine = played.seen(Viewer::Player(player)).into_iter().filter(|piece| !public.contains(piece));
    join(mine.map(|(_, name, value)| piece(&format!("your {name}"), &value)).collect())
}

/// The choices and draws so far, numbered as a record has them.
pub fn history(played: &Match) -> String {
    let lines: Vec<String> = played
        .entries()
        .enumerate()
        .map(|(i, made)| format!("{:>4}  {}", i + 1, entry(played, made)))
        .collect();
    let sealed: Vec<usize> = played.sealed().iter().map(|entry| entry.player).collect();
    let closed = match sealed.is_empty() {
        true => String::new(),
        false => format!("      {} chosen already", has(played, &sealed)),
    };
    match lines.is_empty() && closed.is_empty() {
        true => "nothing was played yet".to_string(),
        false => join(vec![lines.join("\n"), closed]),
    }
}

fn has(played: &Match, players: &[usize]) -> String {
    let verb = if players.len() == 1 { "has" } else { "have" };
    format!("{} {verb}", words::seats(&played.rules.game, players))
}

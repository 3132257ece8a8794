//! What is shown of a match: the table, points, what happened, what can be played, what a seat alone sees.

use super::{Table, secrets, words};
use crate::eval::Event;
use crate::ir::{Game, Move, Value};
use crate::num::Int;
use crate::play::{Entry, Look, Match, Viewer, chosen, usage};

/// How many legal moves are gone through to be shown.
const MANY: usize = 400;

/// Parts one below another, without the empty ones.
pub fn join(parts: Vec<String>) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// The table, drawn.
pub fn table(played: &Match, look: Look) -> String {
    match played.drawing() {
        Ok(drawing) => drawing.text(&look),
        Err(fault) => format!("the table cannot be shown: {}", played.broken(&fault).message),
    }
}

/// The table as the rule file writes it.
pub fn written(played: &Match) -> String {
    played.show().map_or_else(|fault| played.broken(&fault).message, |shown| shown.trim_end().to_string())
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
        Event::Out(seat) => format!("{} is out", game.seat_name(*seat)),
        Event::Revealed(None, name, value) => format!("{name} is {value}"),
        Event::Revealed(Some(seat), name, value) => format!("{}'s {name} is {value}", game.seat_name(*seat)),
    }
}

/// A step that was just made: who chose what (where nobody has seen it yet), the table, points, what happened.
pub fn step(at: &Table, before: usize, events: &[Event], shows_moves: bool, look: Look) -> String {
    let played = &at.played;
    let game = &played.rules.game;
    let mut parts = Vec::new();
    for made in played.entries().skip(before) {
        if made.player == 0 || shows_moves {
            parts.push(entry(played, made));
        }
    }
    parts.push(table(played, look));
    parts.push(points(played));
    parts.extend(events.iter().map(|told| event(game, told)));
    if played.over() {
        parts.push(result(played));
    }
    join(parts)
}

/// What is played: the game, its options, players and seed.
pub fn heading(at: &Table) -> String {
    let options: Vec<String> = at
        .played
        .options()
        .map(|(name, value)| format!("{name}={}", crate::eval::text::words(&at.rules.game, value)))
        .collect();
    let options = if options.is_empty() { String::new() } else { format!(", {}", options.join(" ")) };
    let players = words::count(at.played.players(), "player");
    let mut out = format!("{}: {players}{options}, seed {}", at.rules.game.title, at.played.seed());
    for (seat, bot) in &at.bots {
        out.push_str(&format!("\n{} is played by {}", at.rules.game.seat_name(seat - 1), bot.name()));
    }
    out
}

/// What everybody sees, piece by piece.
pub fn state(played: &Match, viewer: Viewer, look: Look) -> String {
    let game = &played.rules.game;
    let seen = played.seen_drawn(viewer, &look).into_iter().map(|(owner, name, value)| {
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
pub fn own(played: &Match, player: usize, look: Look) -> String {
    let public = played.seen_drawn(Viewer::Spectator, &look);
    let mine =
        played.seen_drawn(Viewer::Player(player), &look).into_iter().filter(|piece| !public.contains(piece));
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

// ---- what can be played

/// What a player can play now: each move with how it is typed, what it does and the values it can have.
pub fn moves(played: &Match, player: usize, width: usize) -> String {
    let name = played.rules.game.seat_name(player - 1);
    let (legal, more) = match played.some_legal(player, MANY) {
        Ok(found) => found,
        Err(refused) => return refused.message,
    };
    if legal.is_empty() {
        return format!("{name} has no legal move");
    }
    let mut parts = vec![format!("{name} can play:")];
    for mv in played.offered() {
        let of: Vec<&Entry> = legal.iter().filter(|entry| entry.name == mv.name).collect();
        let doc =
            mv.doc.as_ref().map_or(String::new(), |doc| doc.split_whitespace().collect::<Vec<_>>().join(" "));
        parts.push(format!("  {}", usage(mv).trim_matches('`')));
        parts.push(words::folded(&doc, 4, width));
        parts.push(arguments(played, mv, &of, more, width));
    }
    join(parts)
}

/// What could be played instead of a refused move, in a line or two.
pub fn possible(played: &Match, player: usize, name: Option<&str>, width: usize) -> String {
    const LINES: usize = 3;
    let Ok((legal, more)) = played.some_legal(player, MANY) else { return String::new() };
    let offered = played.offered();
    let same: Vec<&&Move> = offered.iter().filter(|mv| Some(mv.name.as_str()) == name).collect();
    let moves: Vec<&&Move> = if same.is_empty() { offered.iter().collect() } else { same };
    let mut items = Vec::new();
    for mv in moves {
        let of: Vec<&Entry> = legal.iter().filter(|entry| entry.name == mv.name).collect();
        let (whole, found) = values(played, mv, &of);
        match found.split_first() {
            Some((first, rest)) if !whole => {
                items.push(format!("{} {first}", mv.name));
                items.extend(rest.iter().cloned());
            }
            _ if endless(mv, &of) => items.push(usage(mv).trim_matches('`').to_string()),
            _ => items.extend(found),
        }
    }
    match items.is_empty() {
        true => String::new(),
        false => words::hanging("possible: ", &some(items, LINES, more), width),
    }
}

/// The legal arguments of a move: values of the one argument, or whole moves.
fn arguments(played: &Match, mv: &Move, legal: &[&Entry], more: bool, width: usize) -> String {
    const INDENT: usize = 4;
    let line = |text: String| format!("{:INDENT$}{text}", "");
    if legal.is_empty() {
        let why = if more { "too many moves come before it to list" } else { "not possible now" };
        return line(why.to_string());
    }
    if chosen(mv).count() == 0 {
        return String::new();
    }
    if endless(mv, legal) {
        return line(format!("any that the rule allows; `:rule {}` shows it", mv.name));
    }
    words::listed(&some(values(played, mv, legal).1, 8, more), INDENT, width)
}

/// Whether a move stands among the legal ones without the arguments that have no end.
fn endless(mv: &Move, legal: &[&Entry]) -> bool {
    legal.iter().any(|entry| entry.args.len() < chosen(mv).count())
}

/// The first items, about as many as `lines` lines of a narrow screen hold, and how many are left.
fn some(mut items: Vec<String>, lines: usize, more: bool) -> Vec<String> {
    let mut room = lines * 60;
    let fits = items.iter().take_while(|item| {
        let long = item.chars().count() + 2;
        let fits = long <= room;
        room = room.saturating_sub(long);
        fits
    });
    let most = fits.count().max(1);
    let left = items.len().saturating_sub(most);
    items.truncate(most);
    match (left, more) {
        (_, true) => items.push("and many more".to_string()),
        (0, false) => {}
        (left, false) => items.push(format!("and {left} more")),
    }
    items
}

/// The legal values of a move with one argument, numbers drawn together; of any other the whole moves (`true`).
fn values(played: &Match, mv: &Move, legal: &[&Entry]) -> (bool, Vec<String>) {
    let whole = || legal.iter().map(|entry| played.entry_words(entry)).collect();
    if chosen(mv).count() != 1 {
        return (true, whole());
    }
    let only: Vec<&Value> = legal.iter().filter_map(|entry| Some(&entry.args.first()?.1)).collect();
    let ints: Option<Vec<&Int>> =
        only.iter().map(|value| if let Value::Int(n) = value { Some(n) } else { None }).collect();
    match ints {
        Some(ints) => (false, ranges(&ints)),
        None if only.iter().any(|value| matches!(value, Value::List(_) | Value::Set(_) | Value::Bag(_))) => {
            (true, whole())
        }
        None => {
            let value = |entry: &&Entry| played.entry_words(entry).get(mv.name.len() + 1..).map(String::from);
            (false, legal.iter().filter_map(value).collect())
        }
    }
}

/// Numbers in order, neighbours drawn together: `1 to 4, 6`.
fn ranges(ints: &[&Int]) -> Vec<String> {
    let mut out: Vec<(Int, Int)> = Vec::new();
    for n in ints {
        match out.last_mut() {
            Some((_, high)) if high.add(&Int::ONE) == **n => *high = (*n).clone(),
            _ => out.push(((*n).clone(), (*n).clone())),
        }
    }
    let words = out.into_iter().flat_map(|(low, high)| match high.sub(&low).as_i64() {
        Some(0) => vec![low.to_string()],
        Some(1) => vec![low.to_string(), high.to_string()],
        _ => vec![format!("{low} to {high}")],
    });
    words.collect()
}

//! What is shown of a match: the table, points, what happened, what a seat alone sees.

use super::table::Looks;
use super::{Table, secrets, words};
use crate::eval::Fault;
use crate::ir::Game;
use crate::num::Int;
use crate::play::{
    Drawing, Entry, Glimpse, Look, Match, Telling, Viewer, entry_in_full, entry_told, is_known, standings,
    tell,
};

/// Parts one below another, without the empty ones.
pub fn join(parts: Vec<String>) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// The table, drawn.
pub fn table(played: &Match, look: Look) -> String {
    drawn(played, played.drawing(), look)
}

fn drawn(played: &Match, drawing: Result<Drawing, Fault>, look: Look) -> String {
    match drawing {
        Ok(drawing) => drawing.text(&look),
        Err(fault) => format!("the table cannot be shown: {}", played.broken(&fault).message),
    }
}

/// The table as the rule file writes it.
pub fn written(played: &Match) -> String {
    played.show().map_or_else(|fault| played.broken(&fault).message, |shown| shown.trim_end().to_string())
}

/// What everybody sees of a match, for those who look at it later without its rules.
pub fn looks(played: &Match) -> Looks {
    Looks {
        shown: written(played),
        // It is shown a little to the right.
        drawn: table(played, Look { width: 76, ..Look::default() }),
        told: history(played),
        stands: join(vec![points(played), result(played)]),
    }
}

/// Everybody's points; nothing where the game keeps none, or they cannot be counted yet.
pub fn points(played: &Match) -> String {
    let Ok(Some(scores)) = played.scores() else { return String::new() };
    score_line(&played.rules.game, &scores)
}

fn score_line(game: &Game, scores: &[Int]) -> String {
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

/// Steps that are told one by one: who chose what (where nobody has seen it yet), what happened, what else changed. One table
/// for them all, in which all that they changed is marked, and points stand with the last.
pub struct Steps {
    /// The match before the first of them.
    start: Match,
    look: Look,
    /// What is told of all but the last.
    parts: Vec<String>,
    last: Option<Made>,
    /// Everybody's points, where one of them changed these.
    points: Option<Vec<Int>>,
    /// Whether the table of one before the last is still to be drawn.
    due: bool,
    /// What is told behind them.
    notes: Vec<String>,
}

/// A step.
struct Made {
    told: Telling,
    shows_moves: bool,
    /// The table after it, where it changed.
    table: Option<String>,
}

impl Steps {
    /// No step yet, from this moment of a match on.
    pub fn from(start: Match, look: Look) -> Steps {
        Steps { start, look, parts: Vec::new(), last: None, points: None, due: false, notes: Vec::new() }
    }

    /// Takes up a step that was just made.
    pub fn made(&mut self, at: &Table, before: &Glimpse, shows_moves: bool) {
        // A table that is a line of text says what the step did, and on paper too there is one below another.
        const SHORT: usize = 2;
        if let Some(Made { told, shows_moves, table }) = self.last.take() {
            let (short, long): (Vec<String>, Vec<String>) =
                table.into_iter().partition(|table| table.lines().count() <= SHORT);
            self.due |= !long.is_empty();
            if !short.is_empty() && at.played.table_has_points() {
                self.points = None;
            }
            let done = if shows_moves { told.done } else { Vec::new() };
            let told = [done, told.happened, short, told.changed, told.awards, told.begins];
            self.parts.extend(told.into_iter().flatten());
        }
        let mut told = tell(before, &at.played);
        self.points = told.points.take().or(self.points.take());
        let table = told.table.then(|| table(&at.played, self.look));
        self.last = Some(Made { told, shows_moves, table });
    }

    /// Takes up what is told behind all steps.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// All of them, told and drawn.
    pub fn text(self, at: &Table) -> String {
        let played = &at.played;
        let mut parts = self.parts;
        if let Some(Made { told, shows_moves, table }) = self.last {
            parts.extend(told.done.into_iter().filter(|_| shows_moves));
            parts.extend(told.happened);
            let table = match self.due {
                true => Some(drawn(played, played.drawing_since(&self.start), self.look)),
                false => table,
            };
            // With the end come all points.
            let has_points = played.over() || table.is_some() && played.table_has_points();
            parts.extend(table);
            parts.extend([told.changed, told.awards].into_iter().flatten());
            let points = self.points.filter(|_| !has_points);
            parts.extend(points.map(|scores| score_line(&played.rules.game, &scores)));
            parts.extend(told.begins);
            if played.over() {
                parts.extend(told.end);
                parts.push(ended(played));
            }
        }
        parts.extend(self.notes);
        join(parts)
    }
}

/// What happened since a player (from 1) last chose; where that is not known, what was said to it alone.
pub fn since(at: &Table, player: usize) -> String {
    const MANY: usize = 16;
    let played = &at.played;
    let Some(before) = at.chosen.get(&player) else { return join(secrets::unheard(played, player)) };
    let told = tell(before, played);
    let points = told.points.map(|scores| score_line(&played.rules.game, &scores));
    let mut parts: Vec<String> = [told.course, told.changed, told.awards]
        .into_iter()
        .flatten()
        .chain(points)
        .chain(told.begins)
        .map(|line| format!("  {line}"))
        .collect();
    if parts.len() > MANY {
        let left = parts.len() - MANY;
        parts.drain(..left);
        parts.insert(0, format!("  {left} more before; `:history` shows all that was played"));
    }
    if !parts.is_empty() {
        parts.insert(0, "since your last choice:".to_string());
    }
    join(parts)
}

/// What happened before the first choice, and the table.
pub fn opened(at: &Table, look: Look) -> String {
    let played = &at.played;
    let told = tell(&Glimpse::blank(at.glimpse()), played);
    let mut parts = told.happened;
    parts.push(table(played, look));
    if played.over() {
        parts.extend(told.end);
        parts.push(ended(played));
    }
    join(parts)
}

/// The end of a match: who is where, and who has won.
pub fn ended(played: &Match) -> String {
    let scores = played.scores().ok().flatten().filter(|scores| scores.len() > 2);
    let mut parts = scores.map_or(Vec::new(), |scores| standings(&played.rules.game, &scores));
    parts.push(match parts.is_empty() {
        true => result(played),
        false => words::verdict(played),
    });
    join(parts)
}

/// Who is to choose at the same time, where not all are, and what the one person at the table alone sees.
pub fn before_choice(at: &Table, look: Look) -> String {
    let played = &at.played;
    let mut parts = Vec::new();
    let to_move = played.to_move();
    if played.together() && to_move.len() > 1 && to_move.len() < played.players() {
        parts.push(format!("{} choose at the same time", words::seats(&played.rules.game, &to_move)));
    }
    if let ([person], true) = (at.people().as_slice(), at.next_person().is_some()) {
        parts.push(own(played, *person, look));
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
        out.push_str(&format!("\n{} is played by {}", at.rules.game.seat_name(seat - 1), bot));
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
    owned(played, player, "your", look)
}

fn owned(played: &Match, player: usize, whose: &str, look: Look) -> String {
    let public = played.seen_drawn(Viewer::Spectator, &look);
    let mine =
        played.seen_drawn(Viewer::Player(player), &look).into_iter().filter(|piece| !public.contains(piece));
    join(mine.map(|(_, name, value)| piece(&format!("{whose} {name}"), &value)).collect())
}

/// What each player alone sees or saw, for those who look at a match that is over: as hands are laid open at a table.
pub fn laid_open(played: &Match, look: Look) -> String {
    let of = |player: usize| {
        let whose = format!("{}'s", played.rules.game.seat_name(player - 1));
        owned(played, player, &whose, look)
    };
    join((1..=played.players()).map(of).collect())
}

/// A choice or a draw, number `at` (from 0), as everybody may read it by now.
pub fn entry(played: &Match, at: usize, entry: &Entry) -> String {
    let told = entry_told(played, entry);
    match (told.hidden && is_known(played, at), entry.player) {
        (true, 0) => format!("{}: {}", told.words, in_full(played, entry)),
        (true, _) => in_full(played, entry),
        (false, 0) => told.words,
        (false, _) => words::short(&told.words),
    }
}

/// A choice with who made it, or a draw, as it is when nothing is hidden.
pub fn in_full(played: &Match, entry: &Entry) -> String {
    words::short(&entry_in_full(played, entry))
}

/// The choices and draws so far, numbered as a record has them.
pub fn history(played: &Match) -> String {
    let lines: Vec<String> = played
        .entries()
        .enumerate()
        .map(|(i, made)| format!("{:>4}  {}", i + 1, entry(played, i, made)))
        .collect();
    let closed = sealed(played).map_or(String::new(), |sealed| format!("      {sealed}"));
    match lines.is_empty() && closed.is_empty() {
        true => "nothing was played yet".to_string(),
        false => join(vec![lines.join("\n"), closed]),
    }
}

/// Who has chosen what is not yet laid open.
pub fn sealed(played: &Match) -> Option<String> {
    let sealed: Vec<usize> = played.sealed().iter().map(|entry| entry.player).collect();
    (!sealed.is_empty()).then(|| format!("{} chosen already", has(played, &sealed)))
}

fn has(played: &Match, players: &[usize]) -> String {
    let verb = if players.len() == 1 { "has" } else { "have" };
    format!("{} {verb}", words::seats(&played.rules.game, players))
}

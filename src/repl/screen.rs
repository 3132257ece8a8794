//! What is shown of a match: the table, points, what happened, and what only one seat sees.

use std::collections::BTreeMap;

use super::table::{Overview, replay_entry};
use super::{Table, secrets, words};
use crate::bots::Bot;
use crate::eval::Fault;
use crate::eval::text::wide;
use crate::ir::Game;
use crate::num::Int;
use crate::play::{
    Drawing, Entry, Glimpse, Look, Match, Telling, Viewer, entry_in_full, entry_told, is_known, standings,
    tell,
};

/// Joins the non-empty parts with newlines.
pub fn join(parts: Vec<String>) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// Returns the drawing of the table.
pub fn table(played: &Match, look: Look) -> String {
    drawn(played, played.drawing(), look)
}

fn drawn(played: &Match, drawing: Result<Drawing, Fault>, look: Look) -> String {
    match drawing {
        Ok(drawing) => drawing.text(&look),
        Err(fault) => format!("the table cannot be shown: {}", played.broken(&fault).message),
    }
}

/// Returns the table as the rule file's `show` writes it.
pub fn written(played: &Match) -> String {
    played.show().map_or_else(|fault| played.broken(&fault).message, |shown| shown.trim_end().to_string())
}

/// Returns what everybody sees of a match, for those who look at it later without its rules.
pub fn overview(played: &Match) -> Overview {
    Overview {
        shown: written(played),
        // Narrower than 80 columns, since it is shown indented.
        drawn: table(played, Look { width: 76, ..Look::default() }),
        told: history(played),
        stands: join(vec![points(played), result(played)]),
    }
}

/// Returns everybody's points; empty if the game keeps none or they cannot be counted yet.
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

/// Returns the result in a sentence.
pub fn result(played: &Match) -> String {
    match words::result_words(played) {
        Ok(sentence) => sentence,
        Err(fault) => format!("the result cannot be shown: {}", played.broken(&fault).message),
    }
}

/// A report of steps, one after the other: who chose what (unless that was just typed), what happened, what
/// else changed. A single table at the end marks all their changes, and the points follow.
pub struct StepReport {
    /// The match before the first step.
    start: Match,
    look: Look,
    /// The report on all steps but the last.
    parts: Vec<String>,
    last: Option<ReportedStep>,
    /// Everybody's points, if a step changed them.
    points: Option<Vec<Int>>,
    /// Whether the table of a step before the last was left out and is still to be drawn.
    table_pending: bool,
    /// Lines to add after the report.
    notes: Vec<String>,
}

/// A step.
struct ReportedStep {
    told: Telling,
    shows_moves: bool,
    /// The table after the step, if it changed.
    table: Option<String>,
    /// The table when something on it was complete and not yet cleared away, if that was not seen.
    cleared: Option<String>,
}

impl ReportedStep {
    /// Returns what is told of the step but its end. What it brought comes before the table, which may show what begins.
    fn lines(self, points: Option<String>) -> Vec<String> {
        let ReportedStep { told, shows_moves, table, cleared } = self;
        let done = if shows_moves { told.done } else { Vec::new() };
        let ended = [done, told.happened, cleared.into_iter().collect(), told.awards, told.changed];
        let stands = [told.begins, told.then, table.into_iter().collect()];
        ended.into_iter().chain(stands).flatten().chain(points).collect()
    }
}

impl StepReport {
    /// Starts an empty report at this point of a match.
    pub fn from(start: Match, look: Look) -> StepReport {
        StepReport {
            start,
            look,
            parts: Vec::new(),
            last: None,
            points: None,
            table_pending: false,
            notes: Vec::new(),
        }
    }

    /// Adds a step that was just made.
    pub fn push_step(&mut self, at: &Table, before: &Glimpse, shows_moves: bool) {
        // A table of a line or two tells what the step did, so it is shown for each step.
        const SHORT: usize = 2;
        if let Some(mut step) = self.last.take() {
            let long = step.table.take_if(|table| table.lines().count() > SHORT);
            self.table_pending |= long.is_some();
            if step.table.is_some() && at.played.table_has_points() {
                self.points = None;
            }
            self.parts.extend(step.lines(None));
        }
        let mut told = tell(before, &at.played);
        self.points = told.points.take().or(self.points.take());
        let table = told.table.then(|| table(&at.played, self.look));
        let cleared = told.cleared.take().map(|cells| self::table(&at.played.with_cells(&cells), self.look));
        self.last = Some(ReportedStep { told, shows_moves, table, cleared });
    }

    /// Adds a line after the report.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Returns the whole report with its table.
    pub fn text(self, at: &Table) -> String {
        let played = &at.played;
        let mut parts = self.parts;
        if let Some(mut step) = self.last {
            if self.table_pending {
                step.table = Some(drawn(played, played.drawing_since(&self.start), self.look));
            }
            // At the end all points are shown with the result.
            let has_points = played.over() || step.table.is_some() && played.table_has_points();
            let points = self.points.filter(|_| !has_points);
            let end = std::mem::take(&mut step.told.end);
            parts.extend(step.lines(points.map(|scores| score_line(&played.rules.game, &scores))));
            if played.over() {
                parts.extend(end);
                parts.push(ended(played));
            }
        }
        parts.extend(self.notes);
        join(parts)
    }
}

/// Describes what happened since a player (from 1) last chose; if that is unknown, what was said to it alone.
pub fn since(at: &Table, player: usize) -> String {
    const MANY: usize = 16;
    let played = &at.played;
    let Some(before) = at.last_seen.get(&player) else { return join(secrets::unheard(played, player)) };
    let points = tell(before, played).points.map(|scores| score_line(&played.rules.game, &scores));
    let mut parts: Vec<String> =
        course(played, before, player).into_iter().chain(points).map(|line| format!("  {line}")).collect();
    if parts.len() > MANY {
        let left = parts.len() - MANY;
        parts.drain(..left);
        parts.insert(0, format!("  {left} earlier; `:history` shows everything"));
    }
    if !parts.is_empty() {
        parts.insert(0, "since your last choice:".to_string());
    }
    join(parts)
}

/// Tells what happened since a glimpse step by step, as a player (from 1) sees it: each choice is followed by what it
/// changed and by what began then.
fn course(played: &Match, since: &Glimpse, player: usize) -> Vec<String> {
    let viewer = Viewer::Player(player);
    let mut past = played.at_start();
    let (mut last, mut made, mut told) = (since.clone(), Vec::new(), Vec::new());
    let entries: Vec<&Entry> = played.entries().collect();
    for (at, entry) in entries.iter().enumerate() {
        if at >= since.entries() && entry.player != 0 {
            // What is known by now is told in full.
            made.push(match entry.player == player || is_known(played, at) {
                true => entry_in_full(played, entry),
                false => entry_told(played, entry).words,
            });
        }
        // Entries that were played before can be replayed.
        let _ = replay_entry(&mut past, &played.entry_json(entry));
        // In the middle of a step, before a draw, it is not known yet what goes on and what begins.
        let stops = entries.get(at + 1).is_none_or(|next| next.player != 0);
        if at >= since.entries() && past.sealed().is_empty() && stops {
            let step = tell(&last, &past);
            told.append(&mut made);
            told.extend([step.happened, step.awards, step.changed, step.begins, step.then].concat());
            last = Glimpse::of(&past, viewer);
        }
    }
    told.extend(made);
    told
}

/// Describes what happened before the first choice, and shows the table.
pub fn opened(at: &Table, look: Look) -> String {
    let played = &at.played;
    let told = tell(&Glimpse::blank(at.glimpse()), played);
    let mut parts = [told.happened, told.then].concat();
    parts.push(table(played, look));
    if played.over() {
        parts.extend(told.end);
        parts.push(ended(played));
    }
    join(parts)
}

/// Describes the end of a match: the standings and the winners.
pub fn ended(played: &Match) -> String {
    let scores = played.scores().ok().flatten().filter(|scores| scores.len() > 2);
    let mut parts = scores.map_or(Vec::new(), |scores| standings(&played.rules.game, &scores));
    parts.push(match parts.is_empty() {
        true => result(played),
        false => words::verdict(played),
    });
    join(parts)
}

/// Says who chooses simultaneously, if only some do, and shows what only the person at the table sees.
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

/// Describes the game, its options and players. The seed is shown only after the end, since it would reveal
/// future draws and cards drawn face down.
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
    for line in played_by(&at.rules.game, &at.bots) {
        out.push_str(&format!("\n{line}"));
    }
    out
}

/// Says which seats are bots and at what level, in a line each.
pub fn played_by(game: &Game, bots: &BTreeMap<usize, Bot>) -> Vec<String> {
    bots.iter().map(|(seat, bot)| format!("{} is played by {bot}", game.seat_name(seat - 1))).collect()
}

/// Lists everything that `viewer` sees, piece by piece.
pub fn state(played: &Match, viewer: Viewer, look: Look) -> String {
    let game = &played.rules.game;
    let seen = played.seen_drawn(viewer, &look).into_iter().map(|(owner, name, value)| {
        let whose = if owner == 0 { String::new() } else { format!("{}'s ", game.seat_name(owner - 1)) };
        piece(&format!("{whose}{name}"), &value)
    });
    join(seen.collect())
}

/// What stands for a value without text.
pub const EMPTY: &str = "(empty)";

fn piece(name: &str, value: &str) -> String {
    match value {
        "" => format!("{name}: {EMPTY}"),
        value if value.contains('\n') => format!("{name}:\n{value}"),
        value => format!("{name}: {value}"),
    }
}

/// Lists what a player sees and the others do not.
pub fn own(played: &Match, player: usize, look: Look) -> String {
    owned(played, player, "your", look)
}

fn owned(played: &Match, player: usize, whose: &str, look: Look) -> String {
    let public = played.seen_drawn(Viewer::Spectator, &look);
    let mine =
        played.seen_drawn(Viewer::Player(player), &look).into_iter().filter(|piece| !public.contains(piece));
    join(mine.map(|(_, name, value)| piece(&format!("{whose} {name}"), &value)).collect())
}

/// Lists what each player alone sees, once a match is over and everything is revealed.
pub fn laid_open(played: &Match, look: Look) -> String {
    let of = |player: usize| {
        let whose = format!("{}'s", played.rules.game.seat_name(player - 1));
        owned(played, player, &whose, look)
    };
    join((1..=played.players()).map(of).collect())
}

/// Describes choice or draw number `at` (from 0), as everybody may read it by now.
pub fn entry(played: &Match, at: usize, entry: &Entry) -> String {
    let told = entry_told(played, entry);
    match (told.hidden && is_known(played, at), entry.player) {
        (true, 0) => format!("{}: {}", told.words, in_full(played, entry)),
        (true, _) => in_full(played, entry),
        (false, 0) => told.words,
        (false, _) => words::short(&told.words),
    }
}

/// Describes a choice and who made it, or a draw, with nothing hidden.
pub fn in_full(played: &Match, entry: &Entry) -> String {
    words::short(&entry_in_full(played, entry))
}

/// Lists the choices and draws so far, with the numbers of the steps: a joint choice is one step, and draws belong to the
/// step before them.
pub fn history(played: &Match) -> String {
    listed(played, |_| String::new())
}

/// Does the same, each step with what happened then and the table after it, as far as that is short: what stood there
/// may be all that tells of earlier rows and answers.
pub fn history_with_tables(played: &Match, look: Look) -> String {
    /// The most lines of a table that is shown.
    const SHORT: usize = 3;
    let mut past = played.at_start();
    let mut last = self::table(&past, look);
    listed(played, |entry| {
        let (depth, before) = (past.depth(), Glimpse::of(&past, Viewer::Spectator));
        // Entries that were played before can be replayed.
        let _ = replay_entry(&mut past, &played.entry_json(entry));
        let told = tell(&before, &past);
        let table = match told.cleared {
            Some(cells) => self::table(&past.with_cells(&cells), look),
            None => self::table(&past, look),
        };
        let mut below = told.events;
        let open = past.depth() == depth && entry.player != 0;
        if !open && table != last && table.lines().count() <= SHORT {
            last = table;
            below.extend(last.lines().map(String::from));
            if let [line] = below.as_slice() {
                return format!("  {line}");
            }
        }
        below.iter().map(|line| format!("\n      {line}")).collect()
    })
}

/// Lists the choices and draws so far, each with what `after` says of it.
fn listed(played: &Match, mut after: impl FnMut(&Entry) -> String) -> String {
    let told: Vec<String> = played.entries().enumerate().map(|(i, made)| entry(played, i, made)).collect();
    let after: Vec<String> = played.entries().map(&mut after).collect();
    // What stands beside the entries is aligned; what stands below them is not.
    let is_beside = |after: &str| !after.is_empty() && !after.starts_with('\n');
    let beside = told.iter().zip(&after).filter(|(_, after)| is_beside(after));
    let column = beside.map(|(told, _)| wide(told)).max().unwrap_or(0);
    let numbers = played.steps().enumerate().flat_map(|(step, made)| {
        made.iter().enumerate().map(move |(at, entry)| match at == 0 && entry.player != 0 {
            true => step.to_string(),
            false => String::new(),
        })
    });
    let lines: Vec<String> = told
        .iter()
        .zip(&after)
        .zip(numbers)
        .map(|((told, after), number)| {
            let space = if is_beside(after) { column - wide(told) } else { 0 };
            format!("{number:>4}  {told}{}{after}", " ".repeat(space))
        })
        .collect();
    let closed = sealed(played).map_or(String::new(), |sealed| format!("      {sealed}"));
    match lines.is_empty() && closed.is_empty() {
        true => "nothing has been played yet".to_string(),
        false => join(vec![lines.join("\n"), closed]),
    }
}

/// Says who has made a choice that is not yet revealed.
pub fn sealed(played: &Match) -> Option<String> {
    let sealed: Vec<usize> = played.sealed().iter().map(|entry| entry.player).collect();
    (!sealed.is_empty()).then(|| format!("{} chosen already", has(played, &sealed)))
}

fn has(played: &Match, players: &[usize]) -> String {
    let verb = if players.len() == 1 { "has" } else { "have" };
    format!("{} {verb}", words::seats(&played.rules.game, players))
}

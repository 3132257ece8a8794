//! What is shown of a match: the table, points, what happened, and what only one seat sees.

use std::collections::BTreeMap;

use super::table::{Overview, replay_entry};
use super::{Table, history, secrets, words};
use crate::bots::Bot;
use crate::eval::Fault;
use crate::ir::Game;
use crate::num::Int;
use crate::play::{
    Drawing, Entry, Glimpse, Look, Match, Told, Viewer, entry_in_full, entry_told, is_known, standings, tell,
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
        told: history::entries(played),
        stands: join(vec![points(played), result(played)]),
    }
}

/// Returns everybody's points; empty if the game keeps none or they cannot be counted yet.
pub fn points(played: &Match) -> String {
    let Ok(Some(scores)) = played.scores() else { return String::new() };
    score_line(&played.rules.game, &scores)
}

/// Returns the points unless the table shows them.
pub fn points_beside_table(played: &Match) -> String {
    if played.table_has_points() { String::new() } else { points(played) }
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
    /// What happened, and what it changed.
    course: Vec<String>,
    /// Why the match is over, if it is.
    end: Vec<String>,
    /// The table after the step, if it changed.
    table: Option<String>,
}

impl ReportedStep {
    /// Returns what is told of the step but its end.
    fn lines(self, points: Option<String>) -> Vec<String> {
        self.course.into_iter().chain(self.table).chain(points).collect()
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
        let told = tell(before, &at.played);
        let course = told.lines(shows_moves, &|cells| table(&at.played.with_cells(cells), self.look));
        self.points = told.points.or(self.points.take());
        let table = told.table.then(|| table(&at.played, self.look));
        self.last = Some(ReportedStep { course, end: told.end, table });
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
            // Unless the table shows them, the points are there after each step, as long as there are any.
            let unchanged = || {
                let scores = played.scores().ok().flatten().filter(|_| !played.table_has_points());
                scores.filter(|scores| scores.iter().any(|score| !score.is_zero()))
            };
            let points = self.points.or_else(unchanged).filter(|_| !has_points);
            let end = std::mem::take(&mut step.end);
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
pub fn since(at: &Table, player: usize, look: Look) -> String {
    const MANY: usize = 16;
    let played = &at.played;
    let Some(before) = at.last_seen.get(&player) else { return join(secrets::unheard(played, player)) };
    let points = tell(before, played).points.map(|scores| score_line(&played.rules.game, &scores));
    let mut parts: Vec<String> = course(played, before, player, look)
        .into_iter()
        .chain(points)
        .map(|line| format!("  {line}"))
        .collect();
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
fn course(played: &Match, since: &Glimpse, player: usize, look: Look) -> Vec<String> {
    let viewer = Viewer::Player(player);
    let (mut past, made) = played.before_step_of(since.entries());
    let (mut last, mut told) = (since.clone(), Vec::new());
    let entries: Vec<&Entry> = played.entries().collect();
    for (at, entry) in entries.iter().enumerate().skip(made) {
        // Entries that were played before can be replayed.
        let _ = replay_entry(&mut past, &played.entry_json(entry));
        // In the middle of a step, before a draw, it is not known yet what goes on and what begins.
        let stops = entries.get(at + 1).is_none_or(|next| next.player != 0);
        if at >= since.entries() && past.sealed().is_empty() && stops {
            let mut step = tell(&last, &past);
            for part in &mut step.course {
                if let Told::Choice(at, words) = part {
                    // What is known by now is told in full.
                    *words = match entries[*at].player == player || is_known(played, *at) {
                        true => entry_in_full(played, entries[*at]),
                        false => entry_told(played, entries[*at]).words,
                    };
                }
            }
            told.extend(step.lines(true, &|cells| table(&past.with_cells(cells), look)));
            last = Glimpse::of(&past, viewer);
        }
    }
    told
}

/// Describes what happened before the first choice, and shows the table.
pub fn opened(at: &Table, look: Look) -> String {
    let played = &at.played;
    let told = tell(&Glimpse::blank(at.glimpse()), played);
    let mut parts = told.lines(false, &|cells| table(&played.with_cells(cells), look));
    parts.push(table(played, look));
    match played.over() {
        true => {
            parts.extend(told.end);
            parts.push(ended(played));
        }
        // Whoever begins with nothing need not be told.
        false if !played.table_has_points() => {
            let scores =
                played.scores().ok().flatten().filter(|scores| scores.iter().any(|score| !score.is_zero()));
            parts.extend(scores.map(|scores| score_line(&played.rules.game, &scores)));
        }
        false => {}
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
    // Those who have chosen already still belong to it.
    let mut choosing = played.to_move();
    choosing.extend(played.sealed().iter().map(|entry| entry.player));
    choosing.sort_unstable();
    if played.together() && choosing.len() > 1 && choosing.len() < played.players() {
        parts.push(format!("{} choose at the same time", words::seats(&played.rules.game, &choosing)));
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

/// Lists the same; `whose` stands before the name of each thing.
pub fn owned(played: &Match, player: usize, whose: &str, look: Look) -> String {
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

/// Says who has made a choice that is not yet revealed.
pub fn sealed(played: &Match) -> Option<String> {
    let sealed: Vec<usize> = played.sealed().iter().map(|entry| entry.player).collect();
    (!sealed.is_empty()).then(|| format!("{} chosen already", has(played, &sealed)))
}

fn has(played: &Match, players: &[usize]) -> String {
    let verb = if players.len() == 1 { "has" } else { "have" };
    format!("{} {verb}", words::seats(&played.rules.game, players))
}

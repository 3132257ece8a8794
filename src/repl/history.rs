//! The account of a whole match: its choices and draws with the numbers of the steps, what happened, and tables.

use super::screen::{self, join};
use super::table::replay_entry;
use super::words;
use crate::eval::text::wide;
use crate::play::{
    Entry, Glimpse, Look, Match, Told, Viewer, drawn_in_full, entry_in_full, entry_told, is_known, tell,
};

/// The most lines of a table that counts as short.
const SHORT: usize = 3;

/// Describes choice or draw number `at` (from 0), as everybody may read it by now.
pub fn entry(played: &Match, at: usize, entry: &Entry) -> String {
    described(played, at, entry, words::short)
}

/// Does the same with all of every value, however long it is.
fn uncut(played: &Match, at: usize, entry: &Entry) -> String {
    described(played, at, entry, str::to_string)
}

fn described(played: &Match, at: usize, entry: &Entry, cut: fn(&str) -> String) -> String {
    let told = entry_told(played, entry);
    match (told.hidden && is_known(played, at), entry.player) {
        (true, 0) => format!("{}: {}", told.words, drawn_in_full(played, entry)),
        (true, _) => cut(&entry_in_full(played, entry)),
        (false, 0) => told.words,
        (false, _) => cut(&told.words),
    }
}

/// Describes a choice and who made it, or a draw, with nothing hidden.
pub fn in_full(played: &Match, entry: &Entry) -> String {
    words::short(&entry_in_full(played, entry))
}

/// A line of the account: a choice, a draw, or what happened before the first of them.
struct Row {
    /// The number of the step if the row begins one, else nothing.
    number: String,
    told: String,
    /// What happened then.
    below: Vec<String>,
    /// The table after it, if it is shown: as lines below the row, or beside it if that is one line and nothing else
    /// happened.
    table: Vec<String>,
}

impl Row {
    fn of(told: String) -> Row {
        Row { number: String::new(), told, below: Vec::new(), table: Vec::new() }
    }

    /// Returns what stands beside the row.
    fn beside(&self) -> Option<&String> {
        self.table.first().filter(|_| self.below.is_empty() && self.table.len() == 1)
    }
}

/// Lists the choices and draws so far, with the numbers of the steps: a joint choice is one step, and draws belong to the
/// step before them.
pub fn entries(played: &Match) -> String {
    let mut at = 0;
    let mut rows = Vec::new();
    for (step, made) in played.steps().enumerate() {
        for (i, one) in made.iter().enumerate() {
            let mut row = Row::of(entry(played, at, one));
            if i == 0 && one.player != 0 {
                row.number = step.to_string();
            }
            rows.push(row);
            at += 1;
        }
    }
    listed(played, &rows)
}

/// Does the same, with what happened before the first choice and at each step, and the table after each step, as far as
/// that is short: what stood there may be all that tells of earlier rows and answers. What was said to one player alone is
/// there for that reader. Long values are cut unless `whole` is set.
pub fn account(played: &Match, reader: Viewer, look: Look, whole: bool) -> String {
    let mut rows: Vec<Row> = Vec::new();
    let mut last = String::new();
    each_step(played, reader, &mut |past, step, told| {
        let first = rows.len();
        let entry_words = if whole { uncut } else { entry };
        rows.extend(rows_of(played, (step, told), &entry_words, &|cells| {
            let table = screen::table(&past.with_cells(cells), look);
            if table.lines().count() <= SHORT { table } else { String::new() }
        }));
        let table = screen::table(past, look);
        let short = table.lines().count() <= SHORT;
        if let Some(row) = rows[first..].last_mut()
            && short
            && table != last
        {
            row.table.extend(table.lines().map(String::from));
        }
        last = table;
    });
    listed(played, &rows)
}

/// Does the same with the whole table after each step, and before the first.
pub fn with_tables(played: &Match, reader: Viewer, look: Look) -> String {
    let mut parts = Vec::new();
    each_step(played, reader, &mut |past, step, told| {
        let cleared = |cells: &[_]| screen::table(&past.with_cells(cells), look);
        let rows = rows_of(played, (step, told), &entry, &cleared);
        parts.extend((!rows.is_empty()).then(|| lines(&rows)));
        parts.push(screen::table(past, look));
    });
    parts.extend(sealed_line(played));
    join(parts)
}

/// Returns who reads an account: after the end there are no secrets any more; before it, `person` (from 1) may be the only one
/// at the table.
pub fn reader(played: &Match, person: Option<usize>) -> Viewer {
    match person {
        _ if played.over() => Viewer::Everything,
        Some(person) => Viewer::Player(person),
        None => Viewer::Spectator,
    }
}

/// Says what was said to a player (from 1) alone.
pub fn said_to(played: &Match, player: usize, words: &str) -> String {
    format!("to {} alone: {words}", played.rules.game.seat_name(player - 1))
}

/// Calls `on` for each step, from the start, with the match after it, its number, and what the reader was told.
fn each_step(played: &Match, reader: Viewer, on: &mut dyn FnMut(&Match, usize, Vec<Told>)) {
    let mut past = played.at_start();
    for (step, made) in played.steps().enumerate() {
        let now = Glimpse::of(&past, reader);
        let before = if step == 0 { now.blank() } else { now };
        for entry in made.iter().filter(|_| step > 0) {
            // Entries that were played before can be replayed.
            let _ = replay_entry(&mut past, &played.entry_json(entry));
        }
        let told = tell(&before, &past).course;
        on(&past, step, told);
    }
}

/// Returns the rows of a step. `entry` describes a choice or a draw, `cleared` draws a table that was cleared away.
fn rows_of(
    played: &Match,
    (step, told): (usize, Vec<Told>),
    entry: &dyn Fn(&Match, usize, &Entry) -> String,
    cleared: &dyn Fn(&[crate::ir::Value]) -> String,
) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for part in told {
        let lines: Vec<String> = match part {
            Told::Choice(at, _) | Told::Draw(at, _) => {
                let Some(made) = played.entry(at) else { continue };
                let mut row = Row::of(entry(played, at, made));
                if rows.is_empty() && made.player != 0 {
                    row.number = step.to_string();
                }
                rows.push(row);
                continue;
            }
            Told::Event(words) | Told::Begins(words) => vec![words],
            Told::Private(player, words) => vec![said_to(played, player, &words)],
            Told::Cleared(cells) => cleared(&cells).lines().map(String::from).collect(),
            Told::Change(_) => continue,
        };
        match rows.last_mut() {
            Some(row) => row.below.extend(lines),
            None => rows.extend(lines.into_iter().map(Row::of)),
        }
    }
    rows
}

fn listed(played: &Match, rows: &[Row]) -> String {
    match (rows, sealed_line(played)) {
        ([], None) => "nothing has been played yet".to_string(),
        (rows, closed) => join([Some(lines(rows)), closed].into_iter().flatten().collect()),
    }
}

/// Writes rows. What stands beside them is aligned; what stands below them is not.
fn lines(rows: &[Row]) -> String {
    let beside = rows.iter().filter(|row| row.beside().is_some());
    let column = beside.map(|row| wide(&row.told)).max().unwrap_or(0);
    let mut out = Vec::new();
    for row in rows {
        let head = format!("{:>4}  {}", row.number, row.told);
        match row.beside() {
            Some(table) => out.push(format!("{head}{}  {table}", " ".repeat(column - wide(&row.told)))),
            None => {
                out.push(head);
                out.extend(row.below.iter().chain(&row.table).map(|line| format!("      {line}")));
            }
        }
    }
    out.join("\n")
}

fn sealed_line(played: &Match) -> Option<String> {
    screen::sealed(played).map(|sealed| format!("      {sealed}"))
}

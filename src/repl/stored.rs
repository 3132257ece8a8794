//! Stored matches: listing, viewing, resuming and deleting. Their rules may have changed or be gone.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::files::laid_out_first;
use super::{Reply, Session, Since, screen, words};
use crate::play::{Record, bundled_source, games_meant};

/// The most players that are listed by name.
const MAX_NAMES: usize = 8;
/// The most matches that are listed with their positions.
const MAX_DRAWN: usize = 3;
/// The most matches that are over that are listed.
const MAX_OVER: usize = 10;

/// A stored match.
pub struct StoredMatch {
    /// The name under which it is stored.
    pub name: String,
    /// Its record.
    pub record: Record,
    /// What is stored with the record: see `Table::stored_record`.
    session: Json,
    /// The origin of its rules, if they no longer exist.
    pub missing_rules: Option<String>,
    /// The names of the players, bots included, if people were named; empty otherwise.
    seats: Vec<String>,
    /// When it was last played.
    since: Option<Since>,
}

impl StoredMatch {
    /// Describes the game, the progress and when it was last played, in a line without the match's name.
    pub fn line(&self) -> String {
        let record = &self.record;
        let options = record.options.iter().map(|(name, value)| format!("{name}={}", option_text(value)));
        let choices = record.moves.iter().filter(|entry| entry["player"] != 0).count();
        let who = match (self.seats.as_slice(), self.bots().as_slice()) {
            ([], []) => words::count(record.players, "player"),
            ([], bots) if bots.len() + 1 == record.players => format!("against {}", words::and(bots)),
            ([], bots) => format!("{}, with {}", words::count(record.players, "player"), words::and(bots)),
            (names, _) => words::and(names),
        };
        let facts = [record.game.clone(), who]
            .into_iter()
            .chain(options)
            .chain([words::count(choices, "choice")])
            .chain(self.since.map(when))
            .chain(self.missing_rules.as_ref().map(|origin| format!("its rules `{origin}` are gone")));
        facts.collect::<Vec<_>>().join(", ")
    }

    /// Returns the last position, indented.
    pub fn position(&self, plain: bool) -> String {
        // Matches stored by old versions have no drawing.
        let drawn = Some(self.session_text("drawn")).filter(|drawn| !plain && !drawn.is_empty());
        indented(drawn.unwrap_or(self.session_text("shown")))
    }

    /// Returns what everybody saw: the moves, the last position, the points and whose turn it is. Needs no
    /// rules.
    pub fn overview(&self, plain: bool) -> String {
        let (told, stands) = (self.session_text("told").to_string(), self.session_text("stands").to_string());
        screen::join(vec![told, self.position(plain), stands])
    }

    /// Returns the names of the bots that play, by seat.
    fn bots(&self) -> Vec<String> {
        let seats = 1..=self.record.players.min(MAX_NAMES);
        let bot = |seat: usize| self.session["seats"][seat.to_string()].as_str();
        seats.filter_map(bot).map(str::to_string).collect()
    }

    fn session_text(&self, name: &str) -> &str {
        self.session[name].as_str().unwrap_or_default()
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

/// Returns the value of an option as people type it.
fn option_text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Bool(true) => "yes".to_string(),
        Json::Bool(false) => "no".to_string(),
        Json::Array(items) => items.iter().map(option_text).collect::<Vec<_>>().join(","),
        value => value.to_string(),
    }
}

/// Formats the day in UTC, and how long ago that is: "2026-11-22 (3 hours ago)".
fn when(since: Since) -> String {
    let (year, month, day) = date(since.at / 86_400);
    let ago = |n: u64, what: &str| format!("{} ago", words::count(n as usize, what));
    let age = match since.age {
        0..60 => "just now".to_string(),
        60..3600 => ago(since.age / 60, "minute"),
        3600..86_400 => ago(since.age / 3600, "hour"),
        _ => ago(since.age / 86_400, "day"),
    };
    format!("{year}-{month:02}-{day:02} ({age})")
}

/// Returns the year, month and day that is `days` days after 1 January 1970 (H. Hinnant, `civil_from_days`).
fn date(days: u64) -> (u64, u64, u64) {
    // Years begin in March, so that a leap day is the last day of its year.
    let day = days + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

impl Session {
    /// Returns the stored matches, latest first; for unreadable ones, the name and the reason.
    pub(super) fn stored_matches(&self) -> Vec<Result<StoredMatch, (String, String)>> {
        let names = self.disk.stored().into_iter();
        names.map(|name| self.stored_match(&name).map_err(|what| (name, what))).collect()
    }

    pub(super) fn stored_match(&self, name: &str) -> Result<StoredMatch, String> {
        let text = self.disk.read_stored(name)?;
        let record = Record::read(&text)?;
        let json: Json = serde_json::from_str(&text).unwrap_or(Json::Null);
        let session = json["session"].clone();
        let origin = session["game"].as_str().unwrap_or(&record.game).to_string();
        let there = bundled_source(&origin).is_some() || self.disk.exists(&origin);
        let said = |who: &Json| who.as_str().map(String::from);
        let seat = |seat: usize| {
            let number = seat.to_string();
            let name = || said(&json["names"][&number]).unwrap_or_else(|| format!("player {seat}"));
            said(&session["seats"][&number]).unwrap_or_else(name)
        };
        let told = json["names"].is_object() && record.players <= MAX_NAMES;
        let seats = if told { (1..=record.players).map(seat).collect() } else { Vec::new() };
        let since = self.disk.stored_since(name);
        Ok(StoredMatch {
            name: name.to_string(),
            record,
            session,
            missing_rules: (!there).then_some(origin),
            seats,
            since,
        })
    }

    /// Returns the name of the match that a number in the list of `:matches` means; anything else is a name.
    fn listed<'n>(&self, typed: &'n str) -> Cow<'n, str> {
        let number = typed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let name = number.and_then(|at| self.disk.stored().into_iter().nth(at));
        name.map_or(Cow::Borrowed(typed), Cow::Owned)
    }

    /// Shows all stored matches, those of a game, or one of them with its last position.
    pub(super) fn matches(&mut self, typed: &str) -> Reply {
        let name = &*self.listed(typed);
        let of = match self.disk.read_stored(name).is_err() {
            true => self.stored_game(name),
            false => None,
        };
        if !name.is_empty() && of.is_none() {
            return match self.stored_match(name) {
                Ok(kept) => {
                    let over = self.disk.finished().iter().any(|over| over == name);
                    let on = match &kept.missing_rules {
                        None if over => format!(
                            "it is over; `:replay {name}` steps through it, `parlour review {name}` finds its \
                             turning points"
                        ),
                        None => format!("`:resume {name}` continues it"),
                        Some(origin) => {
                            format!("`:resume {name}` continues it once `{origin}` is back")
                        }
                    };
                    Reply::say(screen::join(vec![
                        format!("{name}: {}", kept.line()),
                        kept.overview(self.screen().plain),
                        format!("{on}, `:delete {name}` deletes it"),
                    ]))
                }
                Err(what) => Reply::refuse(self.not_stored(name, &what)),
            };
        }
        let is_of = |kept: &Result<StoredMatch, _>| match (kept, &of) {
            (Ok(kept), Some(game)) => *game == kept.record.game,
            (_, of) => of.is_none(),
        };
        let found: Vec<_> = (1..).zip(self.stored_matches()).filter(|(_, kept)| is_of(kept)).collect();
        let few = found.len() <= MAX_DRAWN;
        let mut lines: Vec<String> = Vec::new();
        for (number, kept) in &found {
            lines.push(match kept {
                Ok(kept) => format!("{number}. {}: {}", kept.name, kept.line()),
                Err((name, what)) => format!("{number}. {name}: {what}"),
            });
            lines.extend(kept.as_ref().ok().filter(|_| few).map(|kept| kept.position(self.screen().plain)));
        }
        if let Some((number, _)) = found.first().filter(|_| !few) {
            lines.push(format!("`:matches {number}` shows the first, `:resume {number}` continues it"));
        }
        if of.is_none() {
            lines.extend(self.finished_matches());
        }
        match lines.is_empty() {
            true => Reply::say("no match is saved"),
            false => Reply::say(lines.join("\n")),
        }
    }

    /// Lists the names of the stored matches that are over, if there are any.
    fn finished_matches(&self) -> Option<String> {
        let mut names = self.disk.finished();
        let more = names.len().saturating_sub(MAX_OVER);
        names.truncate(MAX_OVER);
        let more = if more > 0 { format!(" and {more} earlier") } else { String::new() };
        let example = names.first()?;
        Some(words::folded(
            &format!("over: {}{more}; `:replay {example}` steps through the first", names.join(", ")),
            0,
            self.style.width,
        ))
    }

    /// Explains why no match can be read under this name.
    fn not_stored(&self, name: &str, what: &str) -> String {
        match self.disk.stored().iter().chain(&self.disk.finished()).any(|kept| kept == name) {
            true => format!("`{name}`: {what}; `:delete {name}` deletes it"),
            false => format!("no match is saved as `{name}`; `:matches` lists those that are"),
        }
    }

    /// Deletes a stored match.
    pub(super) fn delete(&mut self, name: &str) -> Reply {
        if name.is_empty() {
            return Reply::refuse("`:delete` needs the name of a match; `:matches` lists them");
        }
        if self.table.as_ref().is_some_and(|table| table.stored_name.as_deref() == Some(name)) {
            return Reply::refuse("this match is on the table; start another first, with `:game` or `:new`");
        }
        match self.disk.forget(name) {
            Ok(()) => Reply::say(format!("`{name}` is deleted")),
            Err(what) => Reply::refuse(self.not_stored(name, &what)),
        }
    }

    // ---- resuming

    pub(super) fn resume(&mut self, name: &str) -> Reply {
        let found = match &*self.listed(name) {
            "list" => return self.matches(""),
            "" => self.resume_latest(None),
            // A name without a stored match may be a game's.
            name => self.resume_stored(name).or_else(|not| match self.disk.read_stored(name).is_ok() {
                true => Err(not),
                false => match self.stored_game(name) {
                    Some(game) => self.resume_latest(Some(&game)),
                    None => Err(not),
                },
            }),
        };
        match found {
            Ok(text) => Reply::say(text),
            Err(sentence) => Reply::refuse(sentence),
        }
    }

    /// Returns the game of a stored match that a line means by its name, its first letters or some of its
    /// words, if it can mean only one.
    fn stored_game(&self, typed: &str) -> Option<String> {
        let texts = self.disk.stored().into_iter().filter_map(|name| self.disk.read_stored(&name).ok());
        let games: BTreeSet<String> = texts.filter_map(|text| Some(Record::read(&text).ok()?.game)).collect();
        let games: Vec<&str> = games.iter().map(String::as_str).collect();
        let file = typed.rsplit(['/', '\\']).next().unwrap_or(typed);
        match games_meant(file.strip_suffix(".game").unwrap_or(file), &games).as_slice() {
            [one] => Some(one.to_string()),
            _ => None,
        }
    }

    /// Resumes a stored match by name. The error is for people.
    pub(super) fn resume_stored(&mut self, name: &str) -> Result<String, String> {
        match self.disk.read_stored(name) {
            Ok(text) => self.continue_match(name, &text),
            Err(what) => Err(self.not_stored(name, &what)),
        }
    }

    /// Resumes the latest unfinished match, of one game if it is given. The error is for people.
    pub fn resume_latest(&mut self, game: Option<&str>) -> Result<String, String> {
        let now = self.table.as_ref().and_then(|table| table.stored_name.clone());
        let wanted = game.map(|game| {
            let file = game.rsplit(['/', '\\']).next().unwrap_or(game);
            file.strip_suffix(".game").unwrap_or(file).to_string()
        });
        let mut trouble = None;
        for name in self.disk.stored() {
            if Some(&name) == now.as_ref() {
                continue;
            }
            let record = self.disk.read_stored(&name).and_then(|text| Ok((Record::read(&text)?, text)));
            let of_game = |record: &Record| wanted.as_ref().is_none_or(|game| *game == record.game);
            if record.as_ref().is_ok_and(|(record, _)| !of_game(record)) {
                continue;
            }
            if self.disk.played_elsewhere(&name) {
                trouble = Some(format!(
                    "`{name}` is played in another session at this moment; `:resume {name}` plays on with a copy"
                ));
                continue;
            }
            match record {
                Ok((_, text)) => return self.continue_match(&name, &text),
                Err(what) => {
                    trouble = Some(format!("one is saved but cannot be read: `{name}`: {what}"));
                }
            }
        }
        let of = wanted.map_or(String::new(), |game| format!(" of {game}"));
        Err(match trouble {
            Some(trouble) => {
                format!("there is no match{of} to continue; {trouble}")
            }
            None => format!("there is no match{of} to continue"),
        })
    }

    fn continue_match(&mut self, name: &str, text: &str) -> Result<String, String> {
        let otherwise = |file: &str| {
            let first = laid_out_first(file, &format!(":resume {name}"));
            format!("{first}; in a session `:matches {name}` shows it and `:delete {name}` deletes it")
        };
        let shared = self.disk.played_elsewhere(name);
        let same = self.table.as_ref().is_some_and(|table| table.stored_name.as_deref() == Some(name));
        let left = self.saved_for_later().filter(|_| !same);
        let taken = self.take(text, None, false, &otherwise).map_err(|what| format!("`{name}`: {what}"))?;
        // Another session that plays the match goes on under its name.
        if taken.whole
            && !shared
            && let Some(table) = &mut self.table
        {
            table.stored_name = Some(name.to_string());
        }
        let mut noted = self.store_match();
        if !taken.whole {
            noted = screen::join(vec![noted, format!("the match as it was stays saved as `{name}`")]);
        } else if shared {
            let copy =
                "this is a copy: another session plays this match at this moment, and goes on with its own";
            noted = screen::join(vec![noted, copy.to_string()]);
        }
        Ok(screen::join(vec![left.unwrap_or_default(), taken.told, noted]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        assert_eq!(when(Since { at: 0, age: 59 }), "1970-01-01 (just now)");
        assert_eq!(when(Since { at: 951_782_400, age: 3599 }), "2000-02-29 (59 minutes ago)");
        assert_eq!(when(Since { at: 1_735_689_599, age: 3600 }), "2024-12-31 (1 hour ago)");
        assert_eq!(when(Since { at: 1_735_689_600, age: 172_800 }), "2025-01-01 (2 days ago)");
    }
}

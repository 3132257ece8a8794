//! Records and rule files: save, load, replay, reload.

use std::sync::Arc;

use serde_json::Value as Json;

use super::setup::not_started;
use super::table::replay_entry;
use super::{Lookback, Opening, Outside, Reply, Session, Table, history, screen, secrets, words};
use crate::play::{Match, Record, Rules, bundled_source, entry_told, replay, why_over};
use crate::source::Source;

/// The result of putting a record's match on the table.
pub struct Taken {
    /// The text to show.
    pub told: String,
    /// Whether the whole record was replayed, under the same rules that it was made under.
    pub whole: bool,
}

impl Session {
    pub(super) fn save(&mut self, path: &str) -> Reply {
        let Some(table) = &self.table else { return Reply::refuse(self.no_game_message()) };
        if path.is_empty() {
            let kept = match table.stored_name {
                Some(_) => "; without it, the match is saved as it is played, and `:resume` goes on with it",
                None => "",
            };
            return Reply::refuse(format!("`:save` needs a file name, as in `:save match.json`{kept}"));
        }
        let record = match table.record_json() {
            Ok(record) => record,
            Err(refused) => return Reply::refuse(format!("this match has no record: {}", refused.message)),
        };
        let mut replaced = "";
        if self.disk.exists(path) {
            let Ok(old) = self.disk.read(path).and_then(|text| Record::read(&text)) else {
                return Reply::refuse(format!(
                    "`{path}` already exists and is not a record; choose another name"
                ));
            };
            let again = Some((path.to_string(), self.changes()));
            let continues = table.record().is_ok_and(|record| record.continues(&old));
            if !continues && self.replaces != again {
                self.replaces = again;
                let moves =
                    words::count(old.moves.iter().filter(|entry| entry["player"] != 0).count(), "move");
                return Reply::refuse(format!(
                    "`{path}` has another match: {}, {moves}; the same line again replaces it",
                    old.game
                ));
            }
            replaced = "; the old record is replaced";
        }
        self.replaces = None;
        if let Err(what) = self.disk.write(path, &format!("{record}\n")) {
            return Reply::refuse(format!("`{path}` cannot be written: {what}"));
        }
        let sealed = match table.played.sealed().is_empty() {
            true => "",
            false => "; choices not yet revealed are not in it",
        };
        let made = record["moves"].as_array().into_iter().flatten();
        let moves = words::count(made.filter(|entry| entry["player"] != 0).count(), "move");
        let hidden = match secrets::hides(&table.played) {
            true => "; it shows what is hidden at the table",
            false => "",
        };
        Reply::say(format!("saved to {path}: {moves}{replaced}{sealed}{hidden}"))
    }

    pub(super) fn load(&mut self, path: &str) -> Reply {
        if path.is_empty() {
            return Reply::refuse("`:load` needs a file name, as in `:load match.json`");
        }
        if self.is_kept(path) {
            return self.resume(path);
        }
        let text = match self.disk.read(path) {
            Ok(text) => text,
            Err(_) if bundled_source(path).is_some() => {
                return Reply::refuse(format!(
                    "`{path}` is a game, not a saved match; `:game {path}` puts it on the table"
                ));
            }
            Err(what) => return Reply::refuse(format!("`{path}` cannot be read: {what}")),
        };
        // The match that is on the table is not stored a second time.
        let same = |table: &&Table| {
            let (own, other) = (table.record(), Record::read(&text));
            own.is_ok_and(|own| other.is_ok_and(|other| own.is_same_match(&other)))
        };
        let stored = self.table.as_ref().filter(same);
        let stored = stored.and_then(|table| table.stored_name.clone());
        match self.take(&text, None, true, &|file| laid_out_first(file, &format!(":load {path}"))) {
            Ok(taken) => {
                if let Some(table) = self.table.as_mut().filter(|_| stored.is_some()) {
                    table.stored_name = stored;
                }
                Reply::say(screen::join(vec![taken.told, self.store_match()]))
            }
            Err(_) if is_rule_file(path) => Reply::refuse(format!(
                "{path} has rules, not a match; `:game {path}` puts the game on the table"
            )),
            Err(sentence) => Reply::refuse(format!("{path}: {sentence}")),
        }
    }

    /// Puts the match of a record on the table, under the rules of `game` (a bundled game's name or a path)
    /// if it is given. The error is for people.
    pub fn load_record(&mut self, path: &str, game: Option<&str>) -> Result<String, String> {
        let text = self.disk.read(path).map_err(|what| format!("`{path}` cannot be read: {what}"))?;
        let under = game.map(|game| self.rules(game)).transpose()?;
        let otherwise = |file: &str| format!("name its rules: `parlour play {file} --load {path}`");
        let taken = self.take(&text, under, true, &otherwise).map_err(|what| match is_rule_file(path) {
            true => format!("{path} has rules, not a match; `parlour play {path}` begins one"),
            false => format!("{path}: {what}"),
        })?;
        Ok(screen::join(vec![taken.told, self.store_match()]))
    }

    /// Puts the match of a record on the table, under the rules in `under` (with their origin) or those that
    /// the record names. `otherwise` says what to do if the rules are not found, given their file. If the
    /// moves contradict the result, that is an error if `strict`, else a note. If it fails, nothing changes.
    pub(super) fn take(
        &mut self,
        text: &str,
        under: Option<(String, Arc<Rules>)>,
        strict: bool,
        otherwise: &dyn Fn(&str) -> String,
    ) -> Result<Taken, String> {
        let record = Record::read(text)?;
        let json: Json = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or(Json::Null);
        let (origin, rules) = match under {
            Some(found) => found,
            None => self.rules_of(&record, json["session"]["game"].as_str(), otherwise)?,
        };
        let mut notes = Vec::new();
        let other_rules = record.rules.as_ref().is_some_and(|hash| *hash != rules.hash);
        if other_rules {
            notes.push("note: this record was made under other rules".to_string());
        }
        let replayed = replay(rules.clone(), &record)?;
        let whole = !other_rules && replayed.broken.is_none();
        let contradicted = match &replayed.broken {
            None => record.contradicted(&replayed.played).map_err(|fault| fault.message)?,
            Some(_) => None,
        };
        match contradicted {
            Some(sentence) if strict => {
                return Err(format!("{sentence}; remove its `result` to continue from this record"));
            }
            Some(sentence) => notes.push(format!("note: {sentence}")),
            None => {}
        }
        let mut played = replayed.played;
        if let Some((at, refused)) = &replayed.broken {
            notes.push(match *at == record.moves.len() {
                true => format!("note: {}; it must be made now", refused.message),
                false => {
                    format!(
                        "note: entry {} cannot be played: {}; the match stops before it",
                        at + 1,
                        refused.message
                    )
                }
            });
        }
        if record.seed.is_none() {
            played.reseed(self.disk.chance());
        }
        if let Err(fault) = played.draw_all() {
            return Err(played.broken(&fault).message);
        }
        let mut table = match &self.table {
            Some(table) if table.rules.hash == rules.hash => table.clone(),
            _ => {
                let options = played.options().map(|(_, value)| value.clone()).enumerate().collect();
                let opening = Opening { options, players: played.players(), seed: played.seed() };
                Table::new(origin.clone(), rules.clone(), opening, 0)
                    .map_err(|not| not_started(&rules, not))?
            }
        };
        table.origin = origin;
        // Records do not say which options were set explicitly; stored matches do.
        let set = json["session"]["set"].as_array();
        table.adopt(played, |name| set.is_none_or(|set| set.iter().any(|set| set == name)));
        table.restore_names(&json["names"]);
        table.merge_notes(&json);
        table.restore_session(&json["session"]);
        let last = table.played.entries().last().map_or(String::new(), |entry| {
            let at = table.played.entries().count() - 1;
            format!("the last step: {}", history::entry(&table.played, at, entry))
        });
        notes.extend([
            screen::heading(&table),
            last,
            screen::table(&table.played, self.screen()),
            screen::points_beside_table(&table.played),
        ]);
        notes.push(match table.played.over() {
            true => screen::result(&table.played),
            false => words::turn_words(&table.played),
        });
        notes.extend(screen::sealed(&table.played));
        self.table = Some(table);
        self.asking = None;
        // A record of a finding of `parlour check --play` ends one step before it.
        notes.extend(json["finding"]["told"].as_str().map(str::to_string));
        notes.extend([self.bots_turn(), self.before_choice()]);
        Ok(Taken { told: screen::join(notes), whole })
    }

    /// Finds the rules of a record: those on the table if they are the same, else where the record says, else
    /// those on the table of the same name, else a bundled game's, else those in the file of this name.
    fn rules_of(
        &self,
        record: &Record,
        origin: Option<&str>,
        otherwise: &dyn Fn(&str) -> String,
    ) -> Result<(String, Arc<Rules>), String> {
        let here = self.table.as_ref().filter(|table| table.rules.name == record.game);
        let here = here.map(|table| (table.origin.clone(), table.rules.clone()));
        if let Some(here) = here.as_ref().filter(|(_, rules)| Some(&rules.hash) == record.rules.as_ref()) {
            return Ok(here.clone());
        }
        let there = || origin.and_then(|origin| self.rules(origin).ok());
        let named =
            || self.rules(&record.game).or_else(|_| self.rules(&format!("{}.game", record.game))).ok();
        let Some(found) = there().or(here).or_else(named) else {
            let file = origin.map_or(format!("{}.game", record.game), str::to_string);
            return Err(format!(
                "this is a match of `{}`, which is not bundled; {}",
                record.game,
                otherwise(&file)
            ));
        };
        Ok(found)
    }

    /// Returns the rules and text of a record: of a file, a stored match, or the match on the table.
    fn to_replay(&self, path: &str) -> Result<(Arc<Rules>, String), String> {
        if path.is_empty() {
            let table = self.table.as_ref().ok_or_else(|| self.no_game_message())?;
            let record = table.record_json().map_err(|refused| refused.message)?;
            return Ok((table.rules.clone(), record.to_string()));
        }
        let read = match self.is_kept(path) {
            true => self.disk.read_stored(path),
            false => self.disk.read(path),
        };
        let found = read.and_then(|text| {
            let record = Record::read(&text)?;
            let json: Json = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or(Json::Null);
            let origin = json["session"]["game"].as_str();
            let otherwise = |file: &str| laid_out_first(file, &format!(":replay {path}"));
            let (_, rules) = self.rules_of(&record, origin, &otherwise)?;
            Ok((rules, text))
        });
        found.map_err(|sentence| format!("{path}: {sentence}"))
    }

    /// Looks back at a record: of a file, a stored match, or the match on the table. The error is a sentence.
    pub fn look_back(&self, path: Option<&str>) -> Result<Lookback, String> {
        let path = path.unwrap_or_default();
        let (rules, text) = self.to_replay(path)?;
        let look = Lookback::new(rules, &text).map_err(|sentence| match path {
            "" => sentence,
            path => format!("{path}: {sentence}"),
        })?;
        let person = self.table.as_ref().filter(|_| path.is_empty()).and_then(Table::only_person);
        let look = look.on(self.screen()).of_person(person);
        let on_table =
            self.table.as_ref().filter(|table| path.is_empty() || table.stored_name.as_deref() == Some(path));
        let reviewed = self.reviewed.as_ref().zip(on_table);
        Ok(match reviewed.filter(|(reviewed, table)| reviewed.entries == table.entries()) {
            Some((reviewed, _)) => look.reviewed(&reviewed.turned),
            None => look,
        })
    }

    /// Plays on as a new match from where a record ends, by the bots and people of the match that is on the table if it is one
    /// of the same game. What was on the table stays stored.
    pub fn play_on(&mut self, record: &str) -> String {
        match self.take(record, None, true, &|file| laid_out_first(file, ":replay")) {
            Ok(taken) => screen::join(vec![
                "a new match goes on from here; the other one stays saved".to_string(),
                taken.told,
                self.store_match(),
            ]),
            Err(sentence) => sentence,
        }
    }

    /// Whether a match is stored under a name, and no file has that name.
    fn is_kept(&self, name: &str) -> bool {
        !self.disk.exists(name) && self.disk.read_stored(name).is_ok()
    }

    /// Stores comments and variations added to the match on the table. The error is a sentence.
    pub fn keep_notes(&mut self, record: &str) -> Result<(), String> {
        let Some(table) = &mut self.table else { return Err(self.no_game_message()) };
        table.merge_notes(&serde_json::from_str(record).unwrap_or(Json::Null));
        match self.store_match() {
            note if note.is_empty() => Ok(()),
            note => Err(note),
        }
    }

    /// Says where comments and variations added to the match on the table were stored.
    pub fn noted(&self) -> String {
        let Some(table) = &self.table else { return String::new() };
        match &table.stored_name {
            // When a match is resumed it gets another name, so only a finished match is referred to by name.
            Some(name) if table.played.over() => {
                format!("what you added is saved with the match; `:replay {name}` shows it at any time")
            }
            Some(_) => "what you added is saved with the match; `:replay` shows it again".to_string(),
            None => "`:save FILE` saves what you added".to_string(),
        }
    }

    /// Writes back a record after looking at it: to a file or a stored match. The error is a sentence.
    pub fn write_record(&mut self, path: &str, text: &str) -> Result<(), String> {
        if self.table.as_ref().is_some_and(|table| table.stored_name.as_deref() == Some(path)) {
            return self.keep_notes(text);
        }
        if self.is_kept(path) {
            return self.disk.annotate(path, text);
        }
        if self.disk.exists(path) && self.disk.read(path).and_then(|text| Record::read(&text)).is_err() {
            return Err(format!("`{path}` already exists and is not a record; choose another name"));
        }
        self.disk.write(path, text).map_err(|what| format!("`{path}` cannot be written: {what}"))
    }

    pub(super) fn replay(&mut self, path: &str) -> Reply {
        let name = if path.is_empty() { "this match" } else { path };
        let found = self.to_replay(path).and_then(|(rules, text)| Ok((rules, Record::read(&text)?)));
        let (rules, record) = match found {
            Ok(found) => found,
            Err(sentence) => return Reply::refuse(sentence),
        };
        let replayed = match replay(rules, &record) {
            Ok(replayed) => replayed,
            Err(sentence) => return Reply::refuse(format!("{name}: {sentence}")),
        };
        let played = replayed.played;
        let reader = match &self.table {
            Some(table) if path.is_empty() => table.reader(),
            _ => history::reader(&played, None),
        };
        let mut parts = vec![history::with_tables(&played, reader, self.screen())];
        if let Some((at, refused)) = replayed.broken {
            parts.push(format!("entry {} cannot be played: {}", at + 1, refused.message));
            return Reply::refuse(screen::join(parts));
        }
        parts.push(screen::points(&played));
        parts.extend(why_over(&played));
        parts.push(screen::result(&played));
        match record.contradicted(&played) {
            Ok(None) => {
                let path = Some(path.to_string()).filter(|path| !path.is_empty());
                Reply { outside: Some(Outside::LookBack(path)), ..Reply::say(screen::join(parts)) }
            }
            Ok(Some(sentence)) => Reply::refuse(screen::join([parts, vec![sentence]].concat())),
            Err(fault) => Reply::refuse(played.broken(&fault).message),
        }
    }

    // ---- reloading the rule file

    /// Returns the path of the rule file, if it can be changed. The error is for people.
    fn own_file(&self) -> Result<String, Reply> {
        let origin = match (&self.failed, &self.table) {
            (Some(failed), _) => failed.clone(),
            (None, Some(table)) => table.origin.clone(),
            (None, None) => return Err(Reply::refuse(self.no_game_message())),
        };
        match bundled_source(&origin) {
            Some(_) => Err(Reply::refuse(format!(
                "`{origin}` is bundled and cannot be edited; `parlour new NAME --from {origin}` makes a \
                 variant that can"
            ))),
            None => Ok(origin),
        }
    }

    /// Begins the match again under changed rules, when nothing has been chosen yet.
    fn begin_again(&mut self, rules: Arc<Rules>) -> Reply {
        let Some(table) = &self.table else { return Reply::default() };
        let (old, origin, bots) = (&table.rules.game.options, table.origin.clone(), table.bots.clone());
        let set = table.opening.options.iter().map(|(id, value)| (&old[*id].name, value.clone()));
        let options = set.filter_map(|(name, value)| Some((rules.option_id(name).ok()?, value))).collect();
        match self.begin(origin, rules, options, table.opening.players, bots) {
            Ok(text) => Reply::say(screen::join(vec!["the rules have changed".to_string(), text])),
            Err(sentence) => Reply::refuse(sentence),
        }
    }

    pub(super) fn edit(&mut self) -> Reply {
        match self.own_file() {
            Ok(file) => Reply::outside(
                Outside::Edit(file),
                "an editor needs a terminal; `:reload` reads the file again",
            ),
            Err(reply) => reply,
        }
    }

    pub(super) fn watch(&mut self) -> Reply {
        match self.own_file() {
            Ok(file) => Reply::outside(
                Outside::Watch(file),
                "watching a file needs a terminal; `:reload` reads it again",
            ),
            Err(reply) => reply,
        }
    }

    /// Returns the current text of a rule file, with the files that it is a variant of.
    pub fn file_now(&self, path: &str) -> Option<String> {
        let text = self.disk.read(path).ok()?;
        Some(self.with_bases(Source::new(path, &text)).text.to_string())
    }

    pub(super) fn reload(&mut self) -> Reply {
        let fresh = self.disk.chance();
        // A game that could not be loaded is what was worked on last.
        if let Some(game) = self.failed.clone() {
            return self.game(&game);
        }
        let Some(table) = &self.table else { return Reply::refuse(self.no_game_message()) };
        let rules = match self.rules(&table.origin) {
            // Names of people that the new rules use otherwise are dropped.
            Ok((_, rules)) => rules.named(&table.rules.names()).map_or(rules, Arc::new),
            Err(report) => {
                return Reply::refuse(format!("{report}\nthe match continues under the old rules"));
            }
        };
        if rules.hash == table.rules.hash {
            return Reply::say("the rules have not changed");
        }
        if !table.begun() {
            return self.begin_again(rules);
        }
        let record = match table.record() {
            Ok(record) => record,
            Err(refused) => return Reply::refuse(refused.message),
        };
        let (mut old, mut new) = match (record.start(table.rules.clone()), record.start(rules)) {
            (Ok(old), Ok(new)) => (old, new),
            (_, Err(sentence)) | (Err(sentence), _) => {
                return Reply::refuse(format!(
                    "under the new rules this match cannot begin: {sentence}; `:game {}` starts one that can",
                    table.origin
                ));
            }
        };
        let told = differs(&mut old, &mut new, &record);
        let whole = new.entries().count() == record.moves.len();
        let sealed = table.played.sealed().len();
        let mut notes = vec![match told {
            None => "the rules have changed; the match is the same under them".to_string(),
            Some(told) => told,
        }];
        if new.seed().is_none() {
            new.reseed(fresh);
        }
        // A joint choice that the new rules leave half made is taken back.
        if !new.sealed().is_empty() && new.undo(1).is_err() {
            return Reply::refuse("under the new rules this match cannot be replayed");
        }
        if let Err(fault) = new.draw_all() {
            return Reply::refuse(new.broken(&fault).message);
        }
        if sealed > 0 {
            notes.push("the choices not yet revealed must be made again".to_string());
        }
        let look = self.screen();
        let Some(table) = &mut self.table else { return Reply::default() };
        let (stored_name, set, added) = (table.stored_name.clone(), table.set(), table.notes.take());
        let goes_on = table.played.over() && !new.over();
        table.adopt(new, |name| set.iter().any(|set| set == name));
        table.notes = added;
        if whole && !goes_on {
            // A match that was cut short, or is no longer over, is stored under a new name, so that the other one is not lost.
            table.stored_name = stored_name;
        }
        let played = &table.played;
        notes.extend([screen::table(played, look), screen::points_beside_table(played)]);
        notes.push(if played.over() { screen::result(played) } else { words::turn_words(played) });
        notes.extend([self.bots_turn(), self.store_match()]);
        Reply::say(screen::join(notes))
    }
}

/// Says what to do if the rules of a record are not found.
pub(super) fn laid_out_first(file: &str, again_with: &str) -> String {
    format!("open it with `:game {file}`, then `{again_with}`")
}

/// Replays a record under two sets of rules side by side, and describes the first difference.
fn differs(old: &mut Match, new: &mut Match, record: &Record) -> Option<String> {
    let mut first = difference(old, new).map(|what| format!("under the new rules the start differs: {what}"));
    for (at, entry) in record.moves.iter().enumerate() {
        let _ = replay_entry(old, entry);
        let who = old.entries().nth(at).or_else(|| old.sealed().last()).cloned();
        let who = who.map_or(String::new(), |made| format!(" ({})", entry_told(old, &made).words));
        if let Err(refused) = replay_entry(new, entry) {
            let line = refused.reasons.first().map_or(String::new(), |reason| {
                format!(" ({})", words::line(&new.rules, &reason.file, reason.line))
            });
            let told = format!(
                "under the new rules entry {}{who} is refused: {}{line}; the match stops before it",
                at + 1,
                refused.message
            );
            return Some(screen::join(vec![first.unwrap_or_default(), told]));
        }
        if first.is_none() && old.sealed().is_empty() && new.sealed().is_empty() {
            first = difference(old, new).map(|what| {
                format!("under the new rules the match differs after entry {}{who}: {what}", at + 1)
            });
        }
    }
    first
}

/// Describes the first visible difference between two matches.
fn difference(old: &Match, new: &Match) -> Option<String> {
    let pair = |what: &str, old: String, new: String| {
        (old != new).then(|| match old.contains('\n') || new.contains('\n') {
            true => format!("{what} was\n{old}\nand is now\n{new}"),
            false => format!("{what} was `{old}` and is now `{new}`"),
        })
    };
    pair("the table", screen::written(old), screen::written(new))
        .or_else(|| pair("the count", screen::points(old), screen::points(new)))
        .or_else(|| pair("the match", screen::result(old), screen::result(new)))
}

/// Whether a file is, by its name, one of rules.
fn is_rule_file(path: &str) -> bool {
    path.ends_with(".game")
}

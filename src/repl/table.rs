//! A game on the table: its rules, settings, bots, match and undone moves. No text for people here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value as Json, json};

use super::history::reader;
use crate::bots::{Advice, Bot, Clock, Effort, ExactWay, Mind, NOBODY_WINS, Standing, is_open};
use crate::eval::NotStarted;
use crate::ir::{Effect, Op, Sight, Value};
use crate::play::{Entry, Glimpse, Match, Played, Record, Refused, Rng, Rules, Seen, Viewer};

/// The number of steps that stands for as many as there are.
pub const ALL_STEPS: usize = usize::MAX;

/// How a match begins.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The options that are set, by index.
    pub options: BTreeMap<usize, Value>,
    /// The number of players.
    pub players: usize,
    /// The seed, if one was given; otherwise randomness comes from outside.
    pub seed: Option<u64>,
}

impl Opening {
    /// Begins a match; without a seed, randomness comes from `fresh`.
    fn begin(&self, rules: &Arc<Rules>, fresh: u64) -> Result<Match, NotStarted> {
        let seed = self.seed.unwrap_or(fresh);
        let mut played = Match::new(rules.clone(), &self.options, self.players, seed)?;
        if self.seed.is_none() {
            played.reseed(fresh);
        }
        Ok(played)
    }
}

/// What everybody sees of a match, as text.
pub struct Overview {
    /// The table as the rule file's `show` writes it.
    pub shown: String,
    /// The table as a drawing that every screen can show.
    pub drawn: String,
    /// The choices and draws so far.
    pub told: String,
    /// The points, and whose turn it is.
    pub stands: String,
}

/// A game on the table.
#[derive(Debug, Clone)]
pub struct Table {
    /// Where to find the rules again: a bundled game's name or a full path.
    pub origin: String,
    /// The rules.
    pub rules: Arc<Rules>,
    /// How the next match begins.
    pub opening: Opening,
    /// The seats that bots play, from 1.
    pub bots: BTreeMap<usize, Bot>,
    /// The bots for seats that only the next match has.
    pub next_match_bots: BTreeMap<usize, Bot>,
    /// The match in play.
    pub played: Match,
    /// The seed of each step that chance was needed for, by the number of entries before it, if the match has no seed: a step
    /// that is taken back and made again brings the same.
    pub luck: BTreeMap<usize, u64>,
    /// Undone entries, the next one to redo first.
    pub redo: Vec<Json>,
    /// What each person at the table (from 1) saw at its last choice.
    pub last_seen: BTreeMap<usize, Glimpse>,
    /// The players (from 1) who were told how to look at what only they see.
    pub told_of_look: BTreeSet<usize>,
    /// The name under which the match is stored.
    pub stored_name: Option<String>,
    /// The match before steps were taken back from its end: the name under which it is stored, and its entries.
    pub finished: Option<(String, Vec<Json>)>,
    /// What was taken back or redone last, until somebody chooses.
    pub turned: String,
    /// Comments and variations, as a record. Those that fit the match are added to its record.
    pub notes: Json,
    /// The certain share of the win of each bot's seat (from 1), as last announced.
    pub announced_shares: BTreeMap<usize, f64>,
    /// Whether the bots wait, as they do after an undo or redo with only bots at the table.
    pub paused: bool,
    /// The engine that the bots think with, made on first use.
    mind: OnceLock<Arc<Mind>>,
}

impl Table {
    /// Lays out a game; without a seed, randomness comes from `fresh`.
    pub fn new(origin: String, rules: Arc<Rules>, opening: Opening, fresh: u64) -> Result<Table, NotStarted> {
        let played = opening.begin(&rules, fresh)?;
        Ok(Table {
            origin,
            rules,
            opening,
            bots: BTreeMap::new(),
            next_match_bots: BTreeMap::new(),
            played,
            luck: BTreeMap::new(),
            redo: Vec::new(),
            last_seen: BTreeMap::new(),
            told_of_look: BTreeSet::new(),
            stored_name: None,
            finished: None,
            turned: String::new(),
            notes: Json::Null,
            announced_shares: BTreeMap::new(),
            paused: false,
            mind: OnceLock::new(),
        })
    }

    /// Begins the next match; the current one stays stored. If it cannot begin, nothing changes.
    pub fn restart(&mut self, opening: Opening, fresh: u64) -> Result<(), NotStarted> {
        self.played = opening.begin(&self.rules, fresh)?;
        self.bots.append(&mut self.next_match_bots);
        self.bots.retain(|seat, _| *seat <= opening.players);
        self.opening = opening;
        self.told_of_look.clear();
        self.forget_match();
        Ok(())
    }

    /// Finds out what each player had seen when it last chose.
    fn recall(&mut self) {
        self.last_seen.clear();
        let entries: Vec<_> = self.played.entries().cloned().collect();
        let chosen = entries.iter().enumerate().filter(|(_, entry)| entry.player > 0);
        let last: BTreeMap<usize, usize> = chosen.map(|(at, entry)| (entry.player, at)).collect();
        let Some(first) = last.values().min() else { return };
        let (mut past, made) = self.played.before_step_of(*first);
        for (at, entry) in entries.into_iter().enumerate().skip(made) {
            if last.get(&entry.player) == Some(&at) {
                let seen = Glimpse::of(&past, Viewer::Player(entry.player));
                self.last_seen.insert(entry.player, seen);
            }
            // Entries that were played before can be replayed.
            let _ = replay_entry(&mut past, &self.played.entry_json(&entry));
        }
    }

    /// Forgets what belonged to the match that was on the table.
    fn forget_match(&mut self) {
        self.luck.clear();
        self.redo.clear();
        self.last_seen.clear();
        self.notes = Json::Null;
        self.stored_name = None;
        self.finished = None;
        self.turned.clear();
        self.announced_shares.clear();
        self.paused = false;
        self.mind = OnceLock::new();
    }

    /// Takes over a match, such as a record's. The next match keeps the options for which `set` is true.
    pub fn adopt(&mut self, played: Match, set: impl Fn(&str) -> bool) {
        let options = played.options().enumerate().filter(|(_, (name, _))| set(name));
        let options = options.map(|(id, (_, value))| (id, value.clone())).collect();
        self.opening = Opening { options, players: played.players(), seed: played.seed() };
        self.rules = played.rules.clone();
        self.bots.retain(|seat, _| *seat <= played.players());
        self.next_match_bots.clear();
        self.played = played;
        self.forget_match();
        self.recall();
    }

    /// Whether anything was chosen yet.
    pub fn begun(&self) -> bool {
        self.played.depth() > 0 || !self.played.sealed().is_empty()
    }

    /// Returns the seats of the people at the table, from 1.
    pub fn people(&self) -> Vec<usize> {
        (1..=self.played.players()).filter(|seat| !self.bots.contains_key(seat)).collect()
    }

    /// Returns the number of seats in this match or the next, whichever has more.
    pub fn seats(&self) -> usize {
        self.played.players().max(self.opening.players)
    }

    /// Returns the first person who is to choose.
    pub fn next_person(&self) -> Option<usize> {
        self.played.to_move().into_iter().find(|seat| !self.bots.contains_key(seat))
    }

    /// Returns the seat that a line is for: the first person to choose, else the first seat to choose.
    pub fn next_seat(&self) -> Option<usize> {
        self.next_person().or_else(|| self.played.to_move().first().copied())
    }

    /// Whether there are several people, who may have secrets from one another.
    pub fn many_people(&self) -> bool {
        self.people().len() > 1
    }

    /// Whether no seat ever knows more than everybody does: what is hidden, such as a shuffled pile, is hidden from all.
    pub fn has_no_secrets(&self) -> bool {
        let game = &self.rules.game;
        let owned = game.state.iter().any(|state| state.sight == Sight::Owner);
        let told = game.code.iter().any(|op| matches!(op, Op::Do(Effect::Say(_, Some(_)), _)));
        is_open(game) || !owned && !told && !game.moves.iter().any(|mv| mv.secret)
    }

    /// Whether what a player may know can be told at the table: nobody learns from it what is hidden from them.
    pub fn may_be_told(&self) -> bool {
        !self.many_people() || self.has_no_secrets()
    }

    /// Names people by seat (from 1). If that fails, nothing changes; the error is a sentence.
    pub fn name(&mut self, names: &BTreeMap<usize, String>) -> Result<(), String> {
        let rules = Arc::new(self.rules.named(names)?);
        self.played.rename(rules.clone());
        self.rules = rules;
        Ok(())
    }

    /// Returns the only person at the table.
    pub fn only_person(&self) -> Option<usize> {
        <[usize; 1]>::try_from(self.people()).ok().map(|[person]| person)
    }

    /// Returns what the only person at the table sees now; with several people or none, what everybody sees.
    pub fn glimpse(&self) -> Glimpse {
        Glimpse::of(&self.played, self.only_person().map_or(Viewer::Spectator, Viewer::Player))
    }

    /// Returns who reads an account of the match at the table.
    pub fn reader(&self) -> Viewer {
        reader(&self.played, self.only_person())
    }

    /// Makes a move. A choice that waits for others leaves the undone steps, which begin with all choices.
    pub fn play(&mut self, seat: usize, name: &str, args: &Map<String, Json>) -> Result<Played, Refused> {
        let played = self.played.play(seat, name, args)?;
        self.turned.clear();
        if played.waiting_for.is_empty() {
            self.redo.clear();
        }
        Ok(played)
    }

    /// Returns the bot to play with: by the clock if people wait for it, but not if a seed was given, since
    /// the match must then be the same on every machine.
    pub fn as_seated(&self, bot: Bot) -> Bot {
        if self.played.seed().is_some() { bot } else { bot.at_table() }
    }

    /// Returns a bot's advice to a seat (from 1) that is to choose.
    pub fn advice(&self, seat: usize, bot: Bot, clock: &dyn Clock, rng: &mut Rng) -> Result<Advice, Refused> {
        self.must_have_a_winner()?;
        self.mind().advise_person(&self.played, seat, bot, clock, rng)
    }

    /// Returns advice to a seat (from 1) by the solution of the whole game, if that is known or found soon.
    pub fn advice_by_solution(&self, seat: usize, clock: &dyn Clock, rng: &mut Rng) -> Option<Advice> {
        self.must_have_a_winner().ok()?;
        self.mind().solve_soon(clock);
        let seen = Seen::of(&self.played, seat).ok()?;
        self.mind().advise_exactly(&seen, ExactWay::BySolution, clock, rng).ok()?
    }

    /// Returns what each seat can expect, as far as `seat` (from 1), which is to choose, knows: worked out if the rest of
    /// the match is small enough, else estimated.
    pub fn standing(
        &self,
        seat: usize,
        effort: Effort,
        clock: &dyn Clock,
        rng: &mut Rng,
    ) -> Result<Standing, Refused> {
        self.must_have_a_winner()?;
        self.mind().solve_soon(clock);
        if let Some(proved) = self.mind().proved_standing(&self.played, seat, clock, &mut rng.clone())? {
            return Ok(proved);
        }
        self.mind().standing(&self.played, seat, effort, clock, rng)
    }

    /// Refuses to compare moves or standings in a game that nobody can win.
    fn must_have_a_winner(&self) -> Result<(), Refused> {
        match self.rules.game.nobody_can_win() {
            true => Err(Refused::new("refused", NOBODY_WINS)),
            false => Ok(()),
        }
    }

    /// Returns the engine that the bots think with, made on first use.
    pub fn mind(&self) -> &Arc<Mind> {
        self.mind.get_or_init(|| Arc::new(Mind::of(&self.played)))
    }

    /// Returns the engine that the bots think with, if anything has been thought about.
    pub fn known_mind(&self) -> Option<&Arc<Mind>> {
        self.mind.get()
    }

    /// Takes back `steps` steps (or [`ALL_STEPS`]), each up to where a person is to choose. Returns the choices
    /// that were taken back. The error is the number of steps that could be taken back.
    pub fn undo(&mut self, steps: usize) -> Result<Vec<Entry>, usize> {
        let whole: Vec<Json> = self.entries();
        let alone = self.people().is_empty();
        let mut back = self.played.clone();
        // What only bots have chosen yet is no step of a person.
        if self.only_bots_have_chosen() {
            let _ = back.undo(1);
        }
        let mut taken = 0;
        while taken < steps {
            let Some(next) = self.step_before(&back) else { break };
            back = next;
            taken += 1;
        }
        if taken == 0 || taken < steps && steps != ALL_STEPS {
            return Err(taken);
        }
        let left = back.entries().count();
        let gone = self.played.entries().skip(left).filter(|entry| entry.player != 0).cloned().collect();
        let redo = whole[left.min(whole.len())..].iter().cloned();
        self.redo = redo.chain(std::mem::take(&mut self.redo)).collect();
        // A match that goes on from a step before its end is another one than the match that is over, unless all of it is redone.
        if let Some(name) = self.stored_name.take_if(|_| self.played.over()) {
            self.finished = Some((name, whole));
        }
        self.played = back;
        self.recall();
        self.paused = alone;
        Ok(gone)
    }

    /// Whether part of a joint choice has been made, and only by bots.
    fn only_bots_have_chosen(&self) -> bool {
        let mut sealed = self.played.sealed().iter().peekable();
        sealed.peek().is_some() && sealed.all(|entry| self.bots.contains_key(&entry.player))
    }

    /// Takes back what only bots have chosen yet, so that whoever sits there then chooses.
    pub fn take_back_bots_choices(&mut self) {
        if self.only_bots_have_chosen() {
            let _ = self.played.undo(1);
        }
    }

    /// Returns an earlier position in which a person is to choose, the last one; without people, the position
    /// before the last choice. `None` if there is none.
    fn step_before(&self, played: &Match) -> Option<Match> {
        let alone = self.people().is_empty();
        let mut back = played.clone();
        loop {
            back.undo(1).ok()?;
            if alone || back.to_move().iter().any(|seat| !self.bots.contains_key(seat)) {
                return Some(back);
            }
        }
    }

    /// Redoes up to `steps` undone steps, which are counted as by [`Table::undo`]: bots choose again what they
    /// had chosen. Calls `on_choice` after each choice, with what was seen before it. Returns how many steps
    /// were redone; if a choice cannot be redone, nothing changes.
    pub fn redo(
        &mut self,
        steps: usize,
        on_choice: &mut dyn FnMut(&Table, &Glimpse),
    ) -> Result<usize, Refused> {
        let alone = self.people().is_empty();
        let kept = (self.played.clone(), self.redo.clone());
        let mut made = 0;
        while made < steps && !self.redo.is_empty() {
            made += 1;
            loop {
                let before = self.glimpse();
                if let Err(refused) = self.redo_choice() {
                    (self.played, self.redo) = kept;
                    return Err(refused);
                }
                on_choice(self, &before);
                if alone || self.redo.is_empty() || self.next_person().is_some() {
                    break;
                }
            }
        }
        self.paused = alone;
        Ok(made)
    }

    /// Redoes one undone choice or joint choice, with the draws after it.
    fn redo_choice(&mut self) -> Result<(), Refused> {
        let mut ahead = self.played.clone();
        // Choices already made in the current joint choice are replaced by the undone ones.
        if !ahead.sealed().is_empty() {
            let _ = ahead.undo(1);
        }
        let depth = ahead.depth();
        let mut used = 0;
        for entry in &self.redo {
            let draw = entry["player"] == 0;
            if ahead.depth() > depth && !draw {
                break;
            }
            replay_entry(&mut ahead, entry)?;
            used += 1;
        }
        self.redo.drain(..used);
        self.played = ahead;
        Ok(())
    }

    /// Goes back to the stored match from whose end steps were taken back, once all of it is there again. Returns the name
    /// under which it was stored in the meantime.
    pub fn finish_again(&mut self) -> Option<String> {
        let entries = self.entries();
        let (name, _) = self.finished.take_if(|(_, whole)| *whole == entries)?;
        self.stored_name.replace(name)
    }

    /// Returns the choices and draws so far, as a record has them.
    pub fn entries(&self) -> Vec<Json> {
        self.played.entries().map(|entry| self.played.entry_json(entry)).collect()
    }

    /// Returns the names of the options that are set.
    pub fn set(&self) -> Vec<String> {
        self.opening.options.keys().map(|id| self.rules.game.options[*id].name.clone()).collect()
    }

    /// Returns the match's record with everything needed to resume it, which readers of records ignore.
    /// `overview` is for those who view the match without its rules.
    pub fn stored_record(&self, overview: Overview) -> Option<String> {
        let mut json = self.record_json().ok()?;
        let sealed: Vec<Json> =
            self.played.sealed().iter().map(|entry| self.played.entry_json(entry)).collect();
        let Overview { shown, drawn, told, stands } = overview;
        json["session"] = json!({
            "game": self.origin, "seats": self.bots_json(), "sealed": sealed, "undone": self.redo, "set": self.set(),
            "shown": shown, "drawn": drawn, "told": told, "stands": stands,
        });
        Some(format!("{json}\n"))
    }

    /// Adopts the names of people from a record, skipping invalid ones.
    pub fn restore_names(&mut self, names: &Json) {
        let known = self.rules.named_by_record(names, self.played.players()).names();
        // This cannot fail, since all names were checked.
        let _ = self.name(&known);
    }

    /// Adopts the comments and variations of a record of this match. Those on undone steps are kept.
    pub fn merge_notes(&mut self, record: &Json) {
        let mut moves = self.entries();
        for (entry, noted) in moves.iter_mut().zip(record["moves"].as_array().into_iter().flatten()) {
            add_notes(entry, noted);
        }
        moves.extend(self.notes["moves"].as_array().into_iter().flatten().skip(moves.len()).cloned());
        self.notes = json!({ "moves": moves });
        add_notes(&mut self.notes, record);
    }

    /// Adds the comments and variations to a record, up to the first entry that differs.
    fn annotate(&self, record: &mut Json) {
        add_notes(record, &self.notes);
        let noted = self.notes["moves"].as_array().into_iter().flatten();
        let made = record["moves"].as_array_mut().into_iter().flatten();
        let same = |(made, noted): &(&mut Json, &Json)| {
            ["player", "move", "args"].into_iter().all(|part| made[part] == noted[part])
        };
        made.zip(noted).take_while(same).for_each(|(made, noted)| add_notes(made, noted));
    }

    /// Adopts what [`Table::stored_record`] adds to a record, skipping what is invalid.
    pub fn restore_session(&mut self, session: &Json) {
        let list = |name: &str| session[name].as_array().cloned().unwrap_or_default();
        if session.is_object() {
            self.bots.clear();
        }
        self.bots.extend(bots_of_record(session, self.played.players()));
        for entry in list("sealed") {
            let mut ahead = self.played.clone();
            // A stored choice that completes a joint choice is invalid: it would have been made.
            if ahead.to_move().len() > 1 && replay_entry(&mut ahead, &entry).is_ok() {
                self.played = ahead;
            }
        }
        self.redo = list("undone");
    }

    /// Returns the bots by seat, from 1, as the `session` of a record has them.
    fn bots_json(&self) -> Map<String, Json> {
        self.bots.iter().map(|(seat, bot)| (seat.to_string(), json!(bot.to_string()))).collect()
    }

    /// Returns the record for a file: with bots, names, comments and variations, which readers of records ignore.
    pub fn record_json(&self) -> Result<Json, Refused> {
        let mut json = self.record()?.json();
        let mut names = self.rules.names();
        names.retain(|seat, _| *seat <= self.played.players());
        if !names.is_empty() {
            json["names"] = names
                .iter()
                .map(|(seat, name)| (seat.to_string(), json!(name)))
                .collect::<Map<_, _>>()
                .into();
        }
        if !self.bots.is_empty() {
            json["session"] = json!({ "seats": self.bots_json() });
        }
        self.annotate(&mut json);
        Ok(json)
    }

    /// Returns the record of the match.
    pub fn record(&self) -> Result<Record, Refused> {
        self.played.record().map_err(|fault| self.played.broken(&fault))
    }
}

/// Returns the bots that the `session` of a stored match names, by seat (from 1), skipping what is invalid.
pub fn bots_of_record(session: &Json, players: usize) -> BTreeMap<usize, Bot> {
    let seats = session["seats"].as_object().into_iter().flatten();
    let seated = seats.filter_map(|(seat, bot)| {
        let seat = seat.parse().ok().filter(|seat| (1..=players).contains(seat))?;
        Some((seat, Bot::parse(bot.as_str()?).ok()?))
    });
    seated.collect()
}

/// Copies the comment and variations of a record, or of one of its entries, to another.
fn add_notes(to: &mut Json, from: &Json) {
    for part in ["comment", "variations"] {
        if let Some(noted) = from.get(part) {
            to[part] = noted.clone();
        }
    }
}

/// Replays an entry of a record.
pub fn replay_entry(played: &mut Match, entry: &Json) -> Result<(), Refused> {
    let refused = |sentence: String| Refused::new("refused", sentence);
    let empty = Map::new();
    let name = entry["move"].as_str().unwrap_or_default();
    let args = entry["args"].as_object().unwrap_or(&empty);
    match entry["player"].as_u64().and_then(|player| usize::try_from(player).ok()) {
        None => Err(refused("this entry names no player".to_string())),
        Some(0) => {
            let (due, value) = played.read_draw(args.get("value").unwrap_or(&Json::Null)).map_err(refused)?;
            if due != name {
                return Err(refused(format!("`{due}` is to be drawn here, not `{name}`")));
            }
            match played.draw(value) {
                Ok(done) => done.map_err(refused),
                Err(fault) => Err(played.broken(&fault)),
            }
        }
        Some(player) => played.play_undrawn(player, name, args).map(|_| ()),
    }
}

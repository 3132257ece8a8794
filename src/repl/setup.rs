//! Laying out games and beginning matches: rules, options, players, seed and seats.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::session::read_player;
use super::{Opening, Reply, Session, Table, screen, words};
use crate::bots::{Bot, is_open};
use crate::diag::{Code, Severity, nearest, render};
use crate::eval::{NotStarted, text};
use crate::ir::Op;
use crate::play::{Blocker, Match, Rng, Rules, bundled, bundled_source, games_meant, with_bases};
use crate::source::{MAX_BYTES, Source};

impl Session {
    /// Adds to a source the games that it is a variant of: bundled ones, and files from its folder.
    pub(super) fn with_bases(&self, source: Source) -> Source {
        with_bases(source, &|base, from| {
            if !base.ends_with(".game")
                && let Some(source) = bundled_source(base)
            {
                return Some(source);
            }
            let path = match from.rsplit_once(['/', '\\']) {
                Some((folder, _)) => format!("{folder}/{base}"),
                None => base.to_string(),
            };
            self.disk.read(&path).ok().map(|text| Source::new(path, &text))
        })
    }

    /// Returns the game that a line by itself names when it cannot be a move: a rule file, or the only
    /// bundled game that a line of three letters or more can mean.
    pub(super) fn game_meant(&self, line: &str) -> Option<String> {
        const FEW: usize = 3;
        if line.ends_with(".game") && self.disk.exists(line) {
            return Some(line.to_string());
        }
        let names: Vec<String> = bundled().into_iter().map(|(name, _)| name).collect();
        match games_meant(line, &names.iter().map(String::as_str).collect::<Vec<_>>()).as_slice() {
            [one] if line.len() >= FEW => Some(one.to_string()),
            _ => None,
        }
    }

    /// Loads the rules of a game, given as a bundled game's name or a path, and returns them with their
    /// origin. The error is for people.
    pub fn rules(&self, game: &str) -> Result<(String, Arc<Rules>), String> {
        let path = game.ends_with(".game") || game.contains(['/', '\\']);
        let names: Vec<String> = bundled().into_iter().map(|(name, _)| name).collect();
        let meant = match path || self.disk.exists(game) && !names.iter().any(|name| name == game) {
            true => Vec::new(),
            false => games_meant(game, &names.iter().map(String::as_str).collect::<Vec<_>>()),
        };
        let one = <[&str; 1]>::try_from(meant.as_slice()).ok();
        let (origin, source) = match one.and_then(|[name]| Some((name, bundled_source(name)?))) {
            Some((name, source)) => (name.to_string(), source),
            None if path || self.disk.exists(game) => {
                let text = self.disk.read(game).map_err(|what| format!("{game}: {what}"))?;
                if text.len() > MAX_BYTES {
                    return Err(format!("{game}: a rule file can have at most {MAX_BYTES} bytes"));
                }
                (self.disk.full_path(game), self.with_bases(Source::new(game, &text)))
            }
            None if !meant.is_empty() => return Err(format!("`{game}` could be {}", meant.join(" or "))),
            None => {
                let hint = match nearest(game, names.iter().map(String::as_str)) {
                    _ if self.disk.exists(&format!("{game}.game")) => format!("did you mean `{game}.game`?"),
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "`:games` in a session and `parlour list` show the bundled games; a path must \
                             end in `.game`"
                        .to_string(),
                };
                return Err(format!("no game is called `{game}`; {hint}"));
            }
        };
        match Rules::load(source.clone()) {
            Ok(rules) => Ok((origin, Arc::new(rules))),
            Err(found) => {
                let errors = found.iter().filter(|found| found.severity() == Severity::Error);
                let reports: Vec<String> =
                    errors.map(|found| render::human(&source, found, self.style)).collect();
                Err(reports.join("\n").trim_end().to_string())
            }
        }
    }

    /// Lays out a game and begins a match. The error is for people; nothing has changed then.
    pub fn begin(
        &mut self,
        origin: String,
        rules: Arc<Rules>,
        options: BTreeMap<usize, crate::ir::Value>,
        players: usize,
        bots: BTreeMap<usize, Bot>,
    ) -> Result<String, String> {
        let opening = Opening { options, players, seed: self.seed };
        let fresh = self.disk.chance();
        let mut table = Table::new(origin, rules.clone(), opening.clone(), fresh)
            .map_err(|not| unbegun(&rules, not, &opening, fresh))?;
        table.bots = bots;
        self.table = Some(table);
        (self.asking, self.failed) = (None, None);
        Ok(self.laid_out())
    }

    /// Shows a new match: heading, table, and the bots' first choices.
    fn laid_out(&mut self) -> String {
        let Some(table) = &self.table else { return String::new() };
        let mut parts = vec![screen::heading(table)];
        parts.push(screen::opened(table, self.screen()));
        parts.extend([self.bots_turn(), self.before_choice(), self.store_match()]);
        screen::join(parts)
    }

    pub(super) fn games(&self) -> Reply {
        let mut lines = Vec::new();
        for (name, _) in bundled() {
            let Some(Ok(rules)) = bundled_source(&name).map(Rules::load) else { continue };
            lines.push(format!("{name}: {}", rules.game.seats));
            let summary = rules.game.summary.clone().unwrap_or_default();
            lines.push(words::folded(&summary, 4, self.style.width));
        }
        Reply::say(screen::join(lines))
    }

    pub(super) fn game(&mut self, name: &str) -> Reply {
        self.game_for(name, false)
    }

    /// Lays out a game. At the `same_table` the people keep their names and the bots their seats, as far as the game has them.
    pub(super) fn game_for(&mut self, name: &str, same_table: bool) -> Reply {
        if name.is_empty() {
            return match &self.table {
                Some(table) => Reply::say(screen::heading(table)),
                None => Reply::refuse("`:game` needs the name of a game or a file; `:games` lists the games"),
            };
        }
        let (origin, rules) = match self.rules(name) {
            Ok(found) => found,
            Err(sentence) => {
                let there = bundled_source(name).is_some() || self.disk.exists(name);
                self.failed = there.then(|| name.to_string());
                return Reply::refuse(sentence);
            }
        };
        let players = rules.default_players();
        let (rules, bots) = match self.table.as_ref().filter(|_| same_table) {
            Some(table) => {
                let mut bots = table.bots.clone();
                bots.retain(|seat, _| *seat <= players);
                // Where people sat, one must have a seat.
                if bots.len() == players && !table.people().is_empty() {
                    bots.clear();
                }
                let names = json!(table.rules.names());
                (Arc::new(rules.named_by_record(&names, players)), bots)
            }
            None => (rules, BTreeMap::new()),
        };
        match self.begin(origin, rules, BTreeMap::new(), players, bots) {
            Ok(text) => Reply::say(text),
            Err(sentence) => Reply::refuse(sentence),
        }
    }

    /// Lays out a game with options written `name=value`, as on the command line.
    pub fn open(
        &mut self,
        game: &str,
        set: &[(String, String)],
        players: Option<usize>,
        bots: BTreeMap<usize, Bot>,
    ) -> Result<String, String> {
        let (origin, rules) = self.rules(game)?;
        let options = rules.read_options(set.iter().map(|(name, value)| (name.as_str(), value.as_str())))?;
        let players = players.unwrap_or_else(|| rules.default_players());
        self.begin(origin, rules, options, players, bots)
    }

    // ---- settings

    pub(super) fn set(&mut self, line: &str) -> Reply {
        let Some(table) = &self.table else { return Reply::refuse(self.no_game_message()) };
        if line.is_empty() {
            return self.options();
        }
        let plain = |name: &str| !table.rules.game.options.iter().any(|option| option.name == name);
        if let Some(players) = line.strip_prefix("players").filter(|_| plain("players")) {
            return self.players(players.trim_start_matches([' ', '=']).trim());
        }
        // `n = 5` and `n 5` are accepted too.
        let joined = line.split('=').map(str::trim).collect::<Vec<_>>().join("=");
        let mut given = Vec::new();
        let mut words = joined.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let option = table.rules.game.options.iter().any(|option| option.name == word);
            let pair = match option {
                true => words.next_if(|value| !value.contains('=')).map(|value| (word, value)),
                false => word.split_once('=').filter(|(name, value)| !value.is_empty() && !name.is_empty()),
            };
            match pair {
                Some(pair) => given.push(pair),
                None => return Reply::refuse(self.sets_nothing(word)),
            }
        }
        let mut opening = table.opening.clone();
        match table.rules.read_options(given) {
            Ok(options) => opening.options.extend(options),
            Err(sentence) => return Reply::refuse(sentence),
        }
        self.reopen(opening)
    }

    /// Says how an option is set, where a word sets none.
    fn sets_nothing(&self, word: &str) -> String {
        let Some(played) = self.table.as_ref().map(|table| &table.played) else {
            return self.no_game_message();
        };
        let meant = played.options().find(|(name, _)| *name == word);
        let Some((name, value)) = meant.or_else(|| played.options().next()) else {
            return format!("`{word}` sets nothing: this game has no options");
        };
        let example = format!(":set {name}={}", text::words(&played.rules.game, value));
        match meant {
            Some(_) => format!("`{word}` needs a value, as in `{example}`"),
            None => format!("`{word}` sets nothing; write an option and its value, as in `{example}`"),
        }
    }

    /// Lists the options with their values, possible values and comments.
    fn options(&self) -> Reply {
        let Some(table) = &self.table else { return Reply::refuse(self.no_game_message()) };
        let game = &table.rules.game;
        let mut lines = Vec::new();
        for (id, option) in game.options.iter().enumerate() {
            let now = table.played.options().nth(id).map(|(_, value)| value.clone());
            let next = table.opening.options.get(&id).filter(|next| Some(*next) != now.as_ref());
            let next =
                next.map_or(String::new(), |next| format!("; {} in the next match", text::words(game, next)));
            let now = now.map_or(String::new(), |now| text::words(game, &now));
            lines.push(format!("{}={now} ({}{next})", option.name, table.rules.form_words(&option.form)));
            let doc = option.doc.clone().unwrap_or_default();
            lines.push(words::folded(&doc, 4, self.style.width));
        }
        match lines.is_empty() {
            true => Reply::say("this game has no options"),
            false => Reply::say(screen::join(lines)),
        }
    }

    pub(super) fn players(&mut self, text: &str) -> Reply {
        let Some(table) = &self.table else { return Reply::refuse(self.no_game_message()) };
        if text.is_empty() {
            return Reply::say(words::count(table.played.players(), "player"));
        }
        if let Some((player, mv)) = text.split_once(' ').filter(|(player, _)| player.parse::<usize>().is_ok())
        {
            return Reply::refuse(format!("a move of player {player} is typed as `{player}: {}`", mv.trim()));
        }
        let Ok(players) = text.parse() else {
            return Reply::refuse(format!("the number of players must be a number, not `{text}`"));
        };
        let opening = Opening { players, ..table.opening.clone() };
        self.reopen(opening)
    }

    pub(super) fn reseed(&mut self, text: &str) -> Reply {
        if text.is_empty() {
            let (seed, over) = match &self.table {
                // Where nothing is drawn or hidden, a seed tells nothing.
                Some(table) => {
                    let game = &table.rules.game;
                    let draws = game.code.iter().any(|op| matches!(op, Op::Chance(_)));
                    (table.played.seed(), table.played.over() || !draws && is_open(game))
                }
                None => (self.seed, true),
            };
            return Reply::say(match seed {
                Some(seed) if over => format!("seed {seed}"),
                Some(_) => {
                    "the seed is set; it would reveal what is drawn or hidden, so it is shown once the match is over"
                        .to_string()
                }
                None => "chance comes from the operating system; `:seed N` sets a seed".to_string(),
            });
        }
        let Ok(seed) = text.parse() else {
            return Reply::refuse(format!("a seed is a number from 0 to {}, not `{text}`", u64::MAX));
        };
        self.seed = Some(seed);
        match &self.table {
            Some(table) => {
                let opening = Opening { seed: Some(seed), ..table.opening.clone() };
                self.reopen(opening)
            }
            None => Reply::say(format!("seed {seed} for the first match")),
        }
    }

    /// Applies new settings: begins again if nothing was played yet, else they wait for the next match.
    fn reopen(&mut self, opening: Opening) -> Reply {
        let fresh = self.disk.chance();
        let Some(table) = &mut self.table else { return Reply::default() };
        if !table.begun() {
            return match table.restart(opening.clone(), fresh) {
                Ok(()) => Reply::say(self.laid_out()),
                Err(not) => Reply::refuse(unbegun(&table.rules, not, &opening, fresh)),
            };
        }
        // Settings that cannot begin a match are refused now rather than when it begins.
        if let Err(not) = Table::new(table.origin.clone(), table.rules.clone(), opening.clone(), fresh) {
            return Reply::refuse(unbegun(&table.rules, not, &opening, fresh));
        }
        table.opening = opening;
        Reply::say("this applies from the next match on; `:new` begins it, and this one stays saved")
    }

    pub(super) fn seat(&mut self, text: &str) -> Reply {
        let handed_over = self.hands_over();
        let Some(table) = &mut self.table else { return Reply::refuse(self.no_game_message()) };
        if text.is_empty() {
            let sits = |seat: usize| table.bots.get(&seat).or_else(|| table.next_match_bots.get(&seat));
            let lines = (1..=table.seats()).map(|seat| {
                let who = sits(seat).map_or("a person".to_string(), Bot::to_string);
                format!("{}: {who}{}", table.rules.game.seat_name(seat - 1), later(table, seat))
            });
            return Reply::say(lines.collect::<Vec<_>>().join("\n"));
        }
        // All are seated before a bot moves, so that sides can be changed.
        let mut seated = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            match seat_and_sitter(table, part) {
                Ok(one) => seated.push(one),
                Err(sentence) => return Reply::refuse(sentence),
            }
        }
        let mut told = Vec::new();
        for (seat, bot) in &seated {
            let now = *seat <= table.played.players();
            if now {
                table.take_back_bots_choices();
                table.paused = false;
            }
            let seats = if now { &mut table.bots } else { &mut table.next_match_bots };
            match bot {
                Some(bot) => seats.insert(*seat, *bot),
                None => seats.remove(seat),
            };
            let name = table.rules.game.seat_name(seat - 1);
            let who = bot.map_or("a person".to_string(), |bot| bot.to_string());
            told.push(format!("{name} is played by {who}{}", later(table, *seat)));
        }
        if seated.iter().any(|(seat, _)| *seat <= table.played.players()) {
            told.push(self.bots_turn());
            // What was shown only after the keyboard was passed on is shown at once to the only person left.
            if handed_over && !self.hands_over() {
                told.push(self.before_choice());
            }
            told.push(self.store_match());
        }
        Reply::say(screen::join(told))
    }

    /// Whether the person who is to choose must be alone with the screen.
    fn hands_over(&self) -> bool {
        let next = self.table.as_ref().and_then(Table::next_person);
        next.is_some_and(|seat| self.private_seat(seat).is_some())
    }

    /// Gives seats of the match on the table to bots, each as in `2=hard`. Returns what there is to tell; the error is for
    /// people.
    pub fn seat_bots(&mut self, seats: &[String]) -> Result<String, String> {
        if seats.is_empty() {
            return Ok(String::new());
        }
        let who = |one: &String| one.split_once('=').map(|(seat, _)| seat.trim().to_string());
        if let Some(twice) =
            seats.iter().enumerate().find(|(at, one)| seats[..*at].iter().any(|other| who(other) == who(one)))
        {
            return Err(format!("`{}` seats somebody where another bot sits already", twice.1));
        }
        let each: Vec<String> = seats.iter().map(|one| one.replacen('=', " ", 1)).collect();
        match self.seat(&each.join(", ")) {
            reply if reply.refused => Err(reply.text),
            reply => Ok(reply.text),
        }
    }

    /// Runs `:name`, as in `:name 1 Ann`.
    pub(super) fn name(&mut self, text: &str) -> Reply {
        let Some(table) = &mut self.table else { return Reply::refuse(self.no_game_message()) };
        let mut names = table.rules.names();
        if text.is_empty() {
            let name =
                |seat: usize| format!("{}{}", table.rules.game.seat_name(seat - 1), later(table, seat));
            return Reply::say((1..=table.seats()).map(name).collect::<Vec<_>>().join(", "));
        }
        let Some((seat, name)) = seat_first(table, text) else {
            return Reply::refuse(no_seat(table, text, "`:name 1 Ann`"));
        };
        let before = table.rules.game.seat_name(seat - 1);
        match name {
            "" => return Reply::refuse(format!("what is {before} called? write `:name {seat} Ann`")),
            name if Bot::parse(name).is_ok() => {
                return Reply::refuse(format!(
                    "`{name}` is a bot; `:seat {seat} {name}` lets it play {before}"
                ));
            }
            name => names.insert(seat, name.to_string()),
        };
        if let Err(sentence) = table.name(&names) {
            return Reply::refuse(sentence);
        }
        let told =
            format!("{before} is now called {}{}", table.rules.game.seat_name(seat - 1), later(table, seat));
        Reply::say(screen::join(vec![told, self.store_match()]))
    }

    pub(super) fn new_match(&mut self) -> Reply {
        let fresh = self.disk.chance();
        let Some(table) = &mut self.table else { return Reply::refuse(self.no_game_message()) };
        let mut opening = table.opening.clone();
        if opening.seed == table.played.seed() && table.begun() {
            // A new match gets a seed derived from the last one, so that the session is reproducible.
            opening.seed = opening.seed.map(|seed| Rng::sub_seed(seed, 1) % 1_000_000_000);
            self.seed = opening.seed;
        }
        match table.restart(opening.clone(), fresh) {
            Ok(()) => Reply::say(self.laid_out()),
            Err(not) => Reply::refuse(unbegun(&table.rules, not, &opening, fresh)),
        }
    }
}

/// Splits off the seat at the start of a line (by number, or by a name of one or more words), of this match
/// or the next. Returns the seat, from 1, and the rest.
fn seat_first<'t>(table: &Table, text: &'t str) -> Option<(usize, &'t str)> {
    let parts = [' ', '='];
    let ends = text.rmatch_indices(parts).map(|(at, _)| at);
    std::iter::once(text.len()).chain(ends).find_map(|end| {
        let seat = read_player(&table.played, text[..end].trim())?;
        (1..=table.seats()).contains(&seat).then(|| (seat, text[end..].trim_matches(parts)))
    })
}

/// Parses a seat and who is to play it: a bot or a person (`None`). The error is a sentence.
fn seat_and_sitter(table: &Table, text: &str) -> Result<(usize, Option<Bot>), String> {
    let Some((seat, who)) = seat_first(table, text) else {
        return Err(no_seat(table, text, "`:seat 2 hard`"));
    };
    if who.is_empty() {
        let name = table.rules.game.seat_name(seat - 1);
        let bots = Bot::LEVELS.iter().map(|bot| format!("`:seat {seat} {bot}`")).collect::<Vec<_>>();
        return Err(format!("who should play {name}? write {} or `:seat {seat} person`", bots.join(", ")));
    }
    let parsed = read_sitter(who).map(|bot| (seat, bot));
    parsed.ok_or_else(|| {
        if let Some((first, more)) = who.split_once(' ')
            && read_sitter(first).is_some()
        {
            return format!("commas separate several seats: `:seat {seat} {first}, {}`", more.trim());
        }
        let sentence = Bot::parse(who).err().unwrap_or_default();
        match sentence.ends_with('?') {
            true => sentence,
            false => format!("{sentence}, or `person`"),
        }
    })
}

/// Explains that a line does not begin with a seat; `example` is a line that does.
fn no_seat(table: &Table, text: &str, example: &str) -> String {
    let who = text.split([' ', '=']).next().unwrap_or_default();
    let sentence = format!("there is no seat `{who}`; there are seats 1 to {}", table.seats());
    match who.parse().is_ok_and(|seat| table.rules.seat_needs_more(seat, table.seats())) {
        true => format!("{sentence}; `:players {who}` adds more"),
        false => format!("{sentence}, and the seat comes first: {example}"),
    }
}

/// Says that a setting of a seat takes effect in the next match, if that is so.
fn later(table: &Table, seat: usize) -> &'static str {
    if seat > table.played.players() { ", from the next match on (`:new` begins it)" } else { "" }
}

/// Parses who is to play a seat: a bot, or a person (inner `None`). The outer `None` if it may be a name.
pub(super) fn read_sitter(word: &str) -> Option<Option<Bot>> {
    match word.to_lowercase().as_str() {
        "person" | "people" | "human" | "me" | "i" => Some(None),
        "bot" | "computer" | "robot" | "machine" | "cpu" | "ai" => Some(Some(Bot::Medium)),
        name => Bot::parse(name).ok().map(Some),
    }
}

/// Explains why a match cannot begin with this opening, and which domains and needs leave nothing to play.
fn unbegun(rules: &Arc<Rules>, not: NotStarted, opening: &Opening, fresh: u64) -> String {
    let seed = opening.seed.unwrap_or(fresh);
    let nothing = Match::nothing_to_begin(rules, &opening.options, opening.players, seed);
    let told = nothing.into_iter().map(|Blocker { span, told, values }| {
        let (file, _) = rules.source.file_at(span.start);
        let line = words::line(rules, file, rules.source.position(span.start).line);
        let values: Vec<String> = values
            .iter()
            .map(|(name, value)| format!("{name} is {}", if value.is_empty() { "empty" } else { value }))
            .collect();
        let values = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
        format!("  {line}: {told}{}", words::short(&values))
    });
    screen::join(std::iter::once(not_started(rules, not)).chain(told).collect())
}

/// Explains why a match cannot begin, and where in the rules.
pub(super) fn not_started(rules: &Rules, not: NotStarted) -> String {
    let fault = match not {
        NotStarted::Refused(sentence) => return sentence,
        NotStarted::Fault(fault) => fault,
    };
    let (file, text) = rules.source.file_at(fault.span().start);
    let line = rules.source.position(fault.span().start).line;
    let rule = rules.source.slice(text).lines().nth(line - 1).unwrap_or("").trim();
    let what = match fault.code {
        Code::BadOption => return format!("{} ({file} line {line}: `{rule}`)", fault.message),
        Code::Stuck => "these options leave nothing to play",
        _ => "with these options no match can begin",
    };
    format!("{}: {what} ({file} line {line}: `{rule}`)", fault.message)
}

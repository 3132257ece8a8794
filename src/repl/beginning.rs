//! The questions before a match begins: game, number of players, options, and seats. Each has a default.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::setup::{not_started, read_sitter};
use super::typed::bare_command;
use super::{Reply, Session, screen, words};
use crate::bots::Bot;
use crate::diag::nearest;
use crate::eval::text;
use crate::ir::Value;
use crate::play::{Rules, games_meant, shelves};

/// The most matches that are offered for resuming.
const MATCHES: usize = 4;

/// The most lines of a table that is shown for a match; the latest match's table is always shown.
const FEW_LINES: usize = 3;

/// Screens with fewer columns have no room for a long question and its answer.
const NARROW: usize = 72;

/// What can be chosen by number.
enum Offer {
    /// A stored match, by its name.
    Match(String),
    /// A game, by its name or path.
    Game(String),
}

/// The current question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    Game,
    Players,
    /// The option with this index.
    Option(usize),
    /// Who plays this seat, from 1.
    Seat(usize),
}

/// The chosen game, and the answers about it so far.
struct ChosenGame {
    origin: String,
    rules: Arc<Rules>,
    players: usize,
    options: BTreeMap<usize, Value>,
    bots: BTreeMap<usize, Bot>,
}

/// The offers, the current question, and the answers so far.
pub struct SetupDialog {
    offers: Vec<Offer>,
    question: Question,
    chosen: Option<ChosenGame>,
}

impl ChosenGame {
    /// Returns the next question; `None` if the match can begin.
    fn after(&self, question: Question) -> Option<Question> {
        let options = self.rules.game.options.len();
        let option = |id: usize| if id < options { Question::Option(id) } else { Question::Seat(1) };
        match question {
            Question::Game if self.rules.game.seats.max == Some(self.rules.game.seats.min) => Some(option(0)),
            Question::Game => Some(Question::Players),
            Question::Players => Some(option(0)),
            Question::Option(id) => Some(option(id + 1)),
            Question::Seat(seat) => (seat < self.players).then_some(Question::Seat(seat + 1)),
        }
    }

    /// Returns the previous question; `None` if that was for the game.
    fn before(&self, question: Question) -> Option<Question> {
        let asked = std::iter::successors(self.after(Question::Game), |asked| self.after(*asked));
        asked.take_while(|asked| *asked != question).last()
    }

    /// Returns the value of an option unless it is set, as shown to people.
    fn default_of(&self, option: usize) -> String {
        let machine = self.rules.machine(&self.options, self.players);
        machine.map_or(String::new(), |machine| text::words(&self.rules.game, &machine.setup.options[option]))
    }

    fn seat_name(&self, seat: usize) -> String {
        self.rules.game.seat_name(seat - 1)
    }

    /// Takes the answer to a question. The error is a sentence.
    fn take(&mut self, question: Question, line: &str) -> Result<(), String> {
        match question {
            Question::Game => {}
            Question::Players => {
                let (min, max) = self.rules.players();
                let players = line.parse().ok().filter(|n| *n >= min && max.is_none_or(|max| *n <= max));
                let wrong =
                    || format!("type the number of players: this game is for {}", self.rules.game.seats);
                let players = players.ok_or_else(wrong)?;
                self.rules.machine(&self.options, players).map_err(|not| not_started(&self.rules, not))?;
                self.players = players;
            }
            Question::Option(id) => {
                let name = &self.rules.game.options[id].name;
                // `n=5` and `n 5` are accepted too.
                let named = line.strip_prefix(name.as_str()).filter(|rest| rest.starts_with(['=', ':', ' ']));
                let value = named.map_or(line, |rest| rest.trim_start_matches(['=', ':', ' ']));
                let given = self.rules.read_options([(name.as_str(), value.trim())])?;
                let options: BTreeMap<usize, Value> = self.options.clone().into_iter().chain(given).collect();
                self.rules.machine(&options, self.players).map_err(|not| not_started(&self.rules, not))?;
                self.options = options;
            }
            Question::Seat(seat) => match read_sitter(line) {
                Some(None) => {}
                Some(Some(bot)) => {
                    self.bots.insert(seat, bot);
                }
                None => {
                    if let Some(near) = nearest(line, Bot::NAMES.iter().copied().chain(["person"])) {
                        return Err(format!("did you mean `{near}`?"));
                    }
                    let mut names = self.rules.names();
                    names.insert(seat, line.to_string());
                    self.rules = Arc::new(self.rules.named(&names)?);
                }
            },
        }
        Ok(())
    }
}

impl SetupDialog {
    /// Returns the prompt, for a screen with `width` columns.
    pub fn prompt(&self, width: usize) -> String {
        let Some(chosen) = &self.chosen else { return "which one? ".to_string() };
        match self.question {
            Question::Game => "which one? ".to_string(),
            Question::Players => format!("how many players [{}]? ", chosen.players),
            Question::Option(id) => {
                format!("{} [{}]? ", chosen.rules.game.options[id].name, chosen.default_of(id))
            }
            Question::Seat(seat) if width < NARROW => {
                format!("who plays {} [person]? ", chosen.seat_name(seat))
            }
            Question::Seat(seat) => {
                let (who, bot) = (chosen.seat_name(seat), Bot::Medium);
                format!("who plays {who}: a name, or a bot such as {bot} [person]? ")
            }
        }
    }

    /// Explains how the question can be answered.
    fn help(&self) -> String {
        let which = "type the number of a match or a game, a game's name, or the path of a rule file; \
                     `:games` describes the games, `:help` lists the commands, `:quit` leaves";
        let Some(chosen) = &self.chosen else { return which.to_string() };
        let (answers, default) = match self.question {
            Question::Game => return which.to_string(),
            Question::Players => (
                format!("type the number of players: this game is for {}", chosen.rules.game.seats),
                chosen.players.to_string(),
            ),
            Question::Option(id) => (self.about(usize::MAX), chosen.default_of(id)),
            Question::Seat(seat) => {
                let bots = Bot::LEVELS.join("`, `");
                let who = chosen.seat_name(seat);
                (
                    format!("type the name of the person who plays {who}, as in `Ann`, or a bot: `{bots}`"),
                    "a person without a name".to_string(),
                )
            }
        };
        format!(
            "{answers}; Enter alone: {default}; `go` skips the other questions, `back` goes back; `:help` \
             lists the commands, `:quit` leaves"
        )
    }

    /// Returns what one needs to know to answer.
    fn about(&self, width: usize) -> String {
        let Some(chosen) = &self.chosen else { return String::new() };
        match self.question {
            Question::Option(id) => {
                let option = &chosen.rules.game.options[id];
                let doc = option.doc.as_ref().map_or(String::new(), |doc| format!(": {doc}"));
                let about = format!("{}, {}{doc}", option.name, chosen.rules.form_words(&option.form));
                words::folded(&about, 0, width)
            }
            // This is part of the prompt on wider screens.
            Question::Seat(1) if width < NARROW => format!("a name, or a bot such as {}", Bot::Medium),
            _ => String::new(),
        }
    }
}

impl Session {
    /// Lists the games and the matches to resume, and begins to ask. Only people at a terminal are asked.
    pub fn ask(&mut self) -> String {
        self.asks = true;
        let mut offers = Vec::new();
        let mut parts = Vec::new();
        let kept = self.stored_matches();
        let readable: Vec<_> = kept.into_iter().flatten().collect();
        if !readable.is_empty() {
            parts.push("Matches to continue".to_string());
        }
        let left = readable.len().saturating_sub(MATCHES);
        for kept in readable.into_iter().take(MATCHES) {
            let line = words::folded(&kept.line(), 6, self.style.width);
            parts.push(format!("{:>4}  {}", offers.len() + 1, line.trim_start()));
            let position = kept.position(self.screen().plain);
            if offers.is_empty() || position.lines().count() <= FEW_LINES {
                parts.push(position);
            }
            offers.push(Offer::Match(kept.name));
        }
        if left > 0 {
            parts.push(format!("      and {left} more: `:matches` shows them all"));
        }
        let here = self.disk.games_here();
        let shelves = shelves().into_iter().map(|(folder, games)| {
            let names: Vec<String> = games.into_iter().map(|(name, _)| name).collect();
            let title = if folder.is_empty() { "games".to_string() } else { folder.to_string() };
            (title, names)
        });
        for (folder, games) in shelves.chain([("in this folder".to_string(), here)]) {
            if games.is_empty() {
                continue;
            }
            let (first, rest) = folder.split_at(1);
            parts.push(format!("{}{rest}", first.to_uppercase()));
            let numbered =
                games.iter().enumerate().map(|(i, game)| format!("{:>4}  {game}", offers.len() + i + 1));
            parts.push(columns(&numbered.collect::<Vec<_>>(), self.style.width));
            offers.extend(games.into_iter().map(Offer::Game));
        }
        self.asking = Some(SetupDialog { offers, question: Question::Game, chosen: None });
        screen::join(parts)
    }

    /// Stops asking. Returns whether anything was asked.
    pub fn stop_asking(&mut self) -> bool {
        self.asking.take().is_some()
    }

    /// Takes the answer to the current question.
    pub(super) fn answered(&mut self, line: &str) -> Reply {
        let Some(mut asking) = self.asking.take() else { return Reply::default() };
        let command = bare_command(line, false, &|_| false);
        if command.as_deref().is_some_and(|command| command.trim() == "help") {
            let text = words::folded(&asking.help(), 0, self.style.width);
            self.asking = Some(asking);
            return Reply::say(text);
        }
        let Some(chosen) = &mut asking.chosen else {
            if matches!(line.to_lowercase().as_str(), "back" | "undo" | "cancel") {
                self.asking = Some(asking);
                return Reply::refuse("this is the first question; `:quit` leaves");
            }
            return match command {
                Some(command) => match command.strip_prefix("game ").filter(|game| !game.is_empty()) {
                    Some(game) => self.choose(asking, game),
                    None => self.other_command(asking, &command),
                },
                None => self.choose(asking, line),
            };
        };
        match line.to_lowercase().as_str() {
            "back" | "undo" => return self.ask_before(asking),
            "cancel" => return self.ask_which(asking),
            _ => {}
        }
        // Anything that is not a command could be a name.
        if let (Question::Seat(_), Some(command)) =
            (asking.question, command.as_ref().filter(|_| line != "go"))
        {
            return self.other_command(asking, command);
        }
        if !matches!(line, "" | "go")
            && let Err(sentence) = chosen.take(asking.question, line)
        {
            return match command {
                Some(command) => self.other_command(asking, &command),
                None => {
                    self.asking = Some(asking);
                    Reply::refuse(sentence)
                }
            };
        }
        if let Some(question) = chosen.after(asking.question).filter(|_| line != "go") {
            asking.question = question;
            let about = asking.about(self.style.width);
            self.asking = Some(asking);
            return Reply::say(about);
        }
        let ChosenGame { origin, rules, players, options, bots } = chosen;
        let begun = self.begin(
            std::mem::take(origin),
            rules.clone(),
            std::mem::take(options),
            *players,
            std::mem::take(bots),
        );
        match begun {
            Ok(text) => Reply::say(text),
            Err(sentence) => Reply::refuse(sentence),
        }
    }

    /// Goes back to the previous question.
    fn ask_before(&mut self, mut asking: SetupDialog) -> Reply {
        let Some(chosen) = &mut asking.chosen else { return Reply::default() };
        let Some(question) = chosen.before(asking.question) else { return self.ask_which(asking) };
        if let Question::Seat(seat) = question {
            chosen.bots.remove(&seat);
            let mut names = chosen.rules.names();
            names.remove(&seat);
            // The remaining names were valid before.
            if let Ok(rules) = chosen.rules.named(&names) {
                chosen.rules = Arc::new(rules);
            }
        }
        asking.question = question;
        let about = asking.about(self.style.width);
        self.asking = Some(asking);
        Reply::say(about)
    }

    /// Goes back to the question which game or match to play.
    fn ask_which(&mut self, asking: SetupDialog) -> Reply {
        let Some(chosen) = &asking.chosen else { return Reply::default() };
        let text = format!("{} is set aside; `:games` lists the games", chosen.rules.game.title);
        self.asking = Some(SetupDialog { chosen: None, question: Question::Game, ..asking });
        Reply::say(text)
    }

    /// Returns the rules of the game that questions are being asked about.
    pub(super) fn rules_asked_about(&self) -> Option<&Arc<Rules>> {
        Some(&self.asking.as_ref()?.chosen.as_ref()?.rules)
    }

    /// Carries out a command that is typed as an answer; the question stays.
    fn other_command(&mut self, asking: SetupDialog, command: &str) -> Reply {
        self.asking = Some(asking);
        self.command(command.trim())
    }

    /// Asks the questions for a match of another game; the current match stays on the table until it begins.
    pub(super) fn ask_about(&mut self, game: &str) -> Reply {
        let offered = self.ask();
        let Some(asking) = self.asking.take() else { return Reply::say(offered) };
        let reply = self.choose(asking, game);
        if reply.refused {
            self.asking = None;
        }
        reply
    }

    /// Takes the answer to which game or match to play.
    fn choose(&mut self, asking: SetupDialog, line: &str) -> Reply {
        let by_number = line.parse::<usize>().ok().and_then(|n| asking.offers.get(n.checked_sub(1)?));
        let game = match by_number {
            Some(Offer::Match(name)) => {
                let name = name.clone();
                // Without its rules, a match can only be looked at.
                if self.stored_match(&name).is_ok_and(|kept| kept.missing_rules.is_some()) {
                    self.asking = Some(asking);
                    return self.matches(&name);
                }
                return match self.resume_stored(&name) {
                    Ok(text) => Reply::say(text),
                    Err(sentence) => {
                        self.asking = Some(asking);
                        Reply::refuse(sentence)
                    }
                };
            }
            Some(Offer::Game(game)) => game.clone(),
            None => match asking.game_called(line) {
                Ok(game) => game,
                Err(sentence) => {
                    self.asking = Some(asking);
                    return Reply::refuse(sentence);
                }
            },
        };
        let (origin, rules) = match self.rules(&game) {
            Ok(found) => found,
            Err(sentence) => {
                self.failed = self.disk.exists(&game).then_some(game);
                self.asking = Some(asking);
                return Reply::refuse(sentence);
            }
        };
        let about = rules.game.summary.clone().unwrap_or_default();
        let head = format!("{}: {}", rules.game.title, rules.game.seats);
        let players = rules.default_players();
        let chosen = ChosenGame { origin, rules, players, options: BTreeMap::new(), bots: BTreeMap::new() };
        let question = chosen.after(Question::Game).unwrap_or(Question::Seat(1));
        let asking = SetupDialog { chosen: Some(chosen), question, ..asking };
        let hint = "(Enter takes the answer in brackets, `go` takes all the rest, `back` goes back; \
                    `:rules` shows the rules)";
        let parts = [head, about, hint.to_string(), asking.about(self.style.width)];
        let folded = parts.iter().map(|part| words::folded(part, 0, self.style.width)).collect();
        self.asking = Some(asking);
        Reply::say(screen::join(folded))
    }
}

impl SetupDialog {
    /// Finds the game that a line names: by name, by an unambiguous part of it, or by path. The error is a
    /// sentence.
    fn game_called(&self, line: &str) -> Result<String, String> {
        let offered = self.offers.iter().filter_map(|offer| match offer {
            Offer::Game(game) => Some(game.as_str()),
            Offer::Match(_) => None,
        });
        let games: Vec<&str> = offered.collect();
        if line.is_empty() {
            return Err("type the number of a game, or its name; `:quit` leaves".to_string());
        }
        let path = line.ends_with(".game") || line.contains(['/', '\\']);
        if path || games.contains(&line) {
            return Ok(line.to_string());
        }
        match games_meant(line, &games).as_slice() {
            [one] => Ok((*one).to_string()),
            [] => Err(match nearest(&line.to_lowercase().replace(' ', "-"), games) {
                Some(near) => format!("no game is called `{line}`; did you mean `{near}`?"),
                None => format!(
                    "no game is called `{line}`; type a number or a name from the list, or a path that ends in `.game`"
                ),
            }),
            many => Err(format!("`{line}` could be {}", many.join(" or "))),
        }
    }
}

/// Lays items out in columns of equal width, to be read downwards.
fn columns(items: &[String], width: usize) -> String {
    let widest = items.iter().map(|item| text::wide(item)).max().unwrap_or(0);
    let across = (width / (widest + 1)).max(1);
    let down = items.len().div_ceil(across);
    let row = |row: usize| {
        let cells = items.iter().skip(row).step_by(down).map(|item| text::to_the_left(item, widest + 1));
        cells.collect::<String>().trim_end().to_string()
    };
    (0..down).map(row).collect::<Vec<_>>().join("\n")
}

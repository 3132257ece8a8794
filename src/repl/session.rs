//! The session: one line in, one reply out. Moves are made here; commands are looked up in `commands`.

use super::beginning::SetupDialog;
use super::bots_turn::BackgroundThinker;
use super::choices::Begun;
use super::hints::KeptAdvice;
use super::screen::StepReport;
use super::typed::{ParsedLine, ParsedMove, Question, called};
use super::verdict::Reviewed;
use super::why::nearest_legal;
use super::{Disk, Guide, Table, choices, screen, secrets, words};
use crate::bots::Bot;
use crate::diag::render::Style;
use crate::play::{Glimpse, Look, Match, Refused, Viewer, in_words, whereabouts};
use std::cell::RefCell;

/// The reply to a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// The text to show.
    pub text: String,
    /// The only player (from 1) who may see it, if any.
    pub private: Option<usize>,
    /// Whether the line was refused.
    pub refused: bool,
    /// Whether the line was a move that came before its player's turn, while a bot thinks, and is that player's to make then:
    /// where several people share the table, the next to choose may be somebody else.
    pub too_early: bool,
    /// Whether the session has ended.
    pub quit: bool,
    /// What a terminal does instead of showing the text.
    pub outside: Option<Outside>,
    /// What a terminal says below the text if that is longer than its window.
    pub too_long: Option<String>,
}

/// An action that only a terminal can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outside {
    /// Opens a file in the editor, then reloads the rules.
    Edit(String),
    /// Reloads the rules whenever they change.
    Watch(String),
    /// Looks back at a record: of this file, or of the match on the table.
    LookBack(Option<String>),
}

impl Reply {
    /// Makes a reply for everybody.
    pub fn say(text: impl Into<String>) -> Reply {
        Reply { text: text.into(), ..Reply::default() }
    }

    /// Makes a refusal for everybody.
    pub fn refuse(text: impl Into<String>) -> Reply {
        Reply { text: text.into(), refused: true, ..Reply::default() }
    }

    /// Makes a reply that a terminal acts on; elsewhere it is a refusal.
    pub fn outside(outside: Outside, otherwise: impl Into<String>) -> Reply {
        Reply { outside: Some(outside), ..Reply::refuse(otherwise) }
    }

    /// Puts a line before the reply, if there is one and the reply is no refusal.
    #[must_use]
    pub fn after(mut self, line: Option<String>) -> Reply {
        if let Some(line) = line.filter(|_| !self.refused) {
            self.text = format!("{line}\n{}", self.text);
        }
        self
    }

    /// Restricts the reply to one player, if there is one.
    #[must_use]
    pub fn only_for(mut self, player: Option<usize>) -> Reply {
        self.private = player;
        self
    }
}

/// What the session is waiting for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// The prompt: who is to choose, in which phase and pass.
    pub prompt: String,
    /// The player (from 1) who is to choose without the others seeing it, if any.
    pub private: Option<usize>,
    /// The name of the player to choose.
    pub name: String,
    /// Whether only a bot that thinks is waited for.
    pub thinks: bool,
}

/// A session: a game on the table, and the lines that play it. Its clock and files come from [`Disk`].
pub struct Session {
    pub(super) disk: Box<dyn Disk>,
    /// The seed of the next match, if one was given.
    pub(super) seed: Option<u64>,
    /// The game, by name or path, that could not be loaded because of mistakes.
    pub(super) failed: Option<String>,
    /// The questions to answer before a match begins.
    pub(super) asking: Option<SetupDialog>,
    /// Whether there is a person to answer such questions.
    pub(super) asks: bool,
    pub(super) style: Style,
    pub(super) table: Option<Table>,
    /// Thinks for the bots in the background.
    pub(super) thinker: Option<Box<dyn BackgroundThinker>>,
    look: Look,
    storing_fails: bool,
    /// Whether to report after each move who stands better.
    pub(super) verdicts: bool,
    /// Whether people are warned before they make a costly move.
    pub(super) tutors: bool,
    /// Whether nobody sees what is typed, so that every move is told.
    echoes: bool,
    /// The last advice that was given.
    pub(super) kept_advice: RefCell<Option<KeptAdvice>>,
    /// The last review.
    pub(super) reviewed: Option<Reviewed>,
    changes: u64,
    /// The moves that the last line could have meant.
    question: Option<Question>,
    /// The file whose record `:save` was refused to replace, and [`Session::changes`] then.
    pub(super) replaces: Option<(String, u64)>,
    /// The last line, if it was refused, and the seat (from 1) that was to move.
    pub(super) refused: Option<(usize, String)>,
}

impl Session {
    /// Makes a session without a game, whose first match has this seed.
    pub fn new(disk: Box<dyn Disk>, seed: u64, style: Style) -> Session {
        Session { seed: Some(seed), ..Session::by_chance(disk, style) }
    }

    /// Makes a session without a game, with unpredictable randomness.
    pub fn by_chance(disk: Box<dyn Disk>, style: Style) -> Session {
        Session {
            disk,
            seed: None,
            failed: None,
            asking: None,
            asks: false,
            style,
            table: None,
            thinker: None,
            look: Look::default(),
            storing_fails: false,
            verdicts: false,
            tutors: false,
            echoes: false,
            kept_advice: RefCell::default(),
            reviewed: None,
            changes: 0,
            question: None,
            replaces: None,
            refused: None,
        }
    }

    /// Sets the width of the screen in columns.
    pub fn set_width(&mut self, width: usize) {
        self.style.width = width.clamp(20, 120);
    }

    /// Sets what the screen can show, except its width.
    pub fn set_look(&mut self, look: Look) {
        self.look = look;
    }

    /// Returns what the screen can show, with its width.
    pub(super) fn screen(&self) -> Look {
        Look { width: self.style.width, ..self.look }
    }

    /// Tells every move from now on, since the lines that are read are not seen.
    pub fn echo_moves(&mut self) {
        self.echoes = true;
    }

    /// Says whose turn it is, as long as a match goes on.
    pub fn turn(&self) -> Option<String> {
        let table = self.table.as_ref().filter(|table| self.asking.is_none() && !table.played.over());
        table.map(|table| words::turn_words(&table.played))
    }

    /// Returns the game on the table.
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// Answers a line: a move, a command, or an empty line, which asks for the legal moves.
    pub fn line(&mut self, line: &str) -> Reply {
        let line = &words::printable(line.trim());
        if line.starts_with("//") {
            return Reply::default();
        }
        // Without a seed, each step has a seed of its own, so that nothing seen so far predicts the future.
        if let Some(table) = self.table.as_mut().filter(|table| table.played.seed().is_none()) {
            let step = table.played.entries().count();
            let luck = *table.luck.entry(step).or_insert_with(|| self.disk.chance());
            table.played.reseed(luck);
        }
        // A question can only be answered by the next line.
        if let Some(question) = self.question.take() {
            let repeated = || match self.parse_line(line) {
                ParsedLine::Move(meant) if question.asks_about(&meant) => Some(meant),
                _ => None,
            };
            if let Some(meant) = question.answer(line).or_else(repeated) {
                return self.make(&meant);
            }
            if question.declined(line) {
                return Reply::say("nothing was played");
            }
        }
        match line.strip_prefix(':') {
            Some(command) => self.command(command.trim()),
            None if self.asking.is_some() => self.answered(line),
            None if line.is_empty() => self.what_now(),
            None => {
                let reply = self.play_line(line);
                let seat = self.table.as_ref().and_then(Table::next_seat).filter(|_| reply.refused);
                self.refused = seat.map(|seat| (seat, line.to_string()));
                reply
            }
        }
    }

    /// Whether a line is a command, with or without its colon.
    pub fn is_command(&self, line: &str) -> bool {
        line.trim().starts_with(':') || matches!(self.parse_line(line), ParsedLine::Command(_))
    }

    /// Drops the question about the last line.
    pub fn cancel(&mut self) {
        self.question = None;
    }

    /// Returns what the session is waiting for.
    pub fn asked(&self) -> Asked {
        if let Some(asking) = &self.asking {
            return Asked { prompt: asking.prompt(self.style.width), ..Asked::default() };
        }
        let Some(table) = &self.table else {
            return Asked { prompt: "parlour> ".to_string(), ..Asked::default() };
        };
        let played = &table.played;
        let Some(seat) = table.next_seat() else {
            return Asked { prompt: "over> ".to_string(), ..Asked::default() };
        };
        let name = played.rules.game.seat_name(seat - 1);
        if self.waits_for_bot() {
            return Asked { prompt: format!("{name} thinks> "), private: None, name, thinks: true };
        }
        let place = whereabouts(played);
        let asked = words::asked_of(played, seat);
        let prompt = match place.is_empty() || self.style.width < 50 {
            true => format!("{asked}> "),
            false => format!("{asked}, {}> ", place.join(", ")),
        };
        let prompt = self.question.as_ref().map_or(prompt, Question::prompt);
        let private = self.private_seat(seat);
        Asked { prompt, private, name, thinks: false }
    }

    /// Returns `seat` if nobody else may see what it can play, or what it has learned since its last choice; `None` if
    /// all is open or it is the only person.
    pub(super) fn private_seat(&self, seat: usize) -> Option<usize> {
        let table = self.table.as_ref().filter(|table| (1..=table.played.players()).contains(&seat))?;
        let played = &table.played;
        let private = || {
            secrets::private_choice(played)
                || !secrets::unheard(played, seat).is_empty()
                || match table.last_seen.get(&seat) {
                    Some(before) => before.has_private_news(played),
                    None => has_secrets(played, seat, self.screen()),
                }
        };
        (table.many_people() && private()).then_some(seat)
    }

    /// Returns how to ask for the keyboard to be passed to somebody, in words that no move of the game has.
    pub fn hand_over(&self) -> &'static str {
        let passes = self.table.as_ref().is_some_and(|table| called(&table.rules.game, "pass"));
        if passes { "hand over to" } else { "pass to" }
    }

    /// Returns the private screen of a player (from 1): what was just taken back or redone, what happened since its last
    /// choice, the table, its own things and its legal moves.
    pub fn private_screen(&self, player: usize) -> String {
        let Some(table) = &self.table else { return String::new() };
        let played = &table.played;
        let mut parts = vec![
            table.turned.clone(),
            screen::since(table, player, self.screen()),
            screen::table(played, self.screen()),
        ];
        parts.extend([
            screen::before_choice(table, self.screen()),
            screen::own(played, player, self.screen()),
        ]);
        if played.to_move().contains(&player) {
            parts.push(choices::moves(played, player, self.style.width));
        }
        screen::join(parts)
    }

    /// Returns the text above the next choice: who stands better, if that is wanted, and more unless the
    /// choice is made on a private screen.
    pub(super) fn before_choice(&mut self) -> String {
        let look = self.unseen_secrets();
        let Some(table) = &self.table else { return String::new() };
        let own = match table.next_person().is_some_and(|seat| self.private_seat(seat).is_some()) {
            true => String::new(),
            false => screen::before_choice(table, self.screen()),
        };
        screen::join(vec![self.shown_verdict(), own, look])
    }

    /// Says, once in a match for each player, how to look at what only the next player sees, if the choice is
    /// made before everybody's eyes.
    fn unseen_secrets(&mut self) -> String {
        let Some(seat) = self.table.as_ref().and_then(Table::next_person) else { return String::new() };
        let open = self.private_seat(seat).is_none();
        let screen = self.screen();
        let Some(table) = self.table.as_mut().filter(|table| open && table.many_people()) else {
            return String::new();
        };
        if !has_secrets(&table.played, seat, screen) || !table.told_of_look.insert(seat) {
            return String::new();
        }
        format!("`:look` shows what only {} may see", table.rules.game.seat_name(seat - 1))
    }

    /// Returns a number that changes whenever the match does.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns the source of completions and hints for the line being typed.
    pub fn guide(&self) -> Guide {
        Guide::new(self.table.as_ref(), self.disk.stored())
    }

    /// Returns how to resume the match after leaving, or how to look at it again if it is over.
    pub fn farewell(&self) -> Option<String> {
        let table = self.table.as_ref().filter(|table| table.begun())?;
        let name = table.stored_name.as_ref()?;
        Some(match table.played.over() {
            true => format!(
                "the match is saved as `{name}`; `parlour replay {name}` steps through it, `parlour review \
                 {name}` finds its turning points"
            ),
            false => "the match is saved; `parlour play --resume` continues it".to_string(),
        })
    }

    /// Returns what can be done when a match is over.
    pub fn offer(&self) -> String {
        let Some(table) = &self.table else { return String::new() };
        // If there are bots already, the offer is to replace the last one by a person.
        let other = match table.bots.keys().next_back() {
            Some(seat) => format!("`:seat {seat} person` lets a person play"),
            None => format!("`:seat {} {}` lets a bot play", table.played.players(), Bot::Medium),
        };
        let kept = table.stored_name.as_ref().map_or(String::new(), |name| {
            format!("\nthe match is saved as `{name}`, also for `parlour replay {name}` and `parlour review {name}`")
        });
        format!(
            "`:new` starts another match, {other}; `:replay` steps through this one, `:review` finds its \
             turning points{kept}"
        )
    }

    // ---- legal moves

    fn what_now(&mut self) -> Reply {
        let Some(table) = &self.table else {
            return Reply::say(self.no_game_message());
        };
        match table.next_seat() {
            None => Reply::say(format!(
                "{}; `:new` begins another match, `:undo` goes back",
                screen::result(&table.played)
            )),
            Some(seat) if self.hidden_by_bot(seat) => {
                let name = table.rules.game.seat_name(seat - 1);
                Reply::say(match self.waits_for_bot() {
                    true => format!("{name}, a bot, is about to move"),
                    false => format!("it is the turn of {name}, a bot; `:go` lets it move"),
                })
            }
            Some(seat) => self.can_play(seat),
        }
    }

    /// Lists the legal moves of a player (from 1) who is to choose, with what only that player sees.
    pub(super) fn can_play(&self, seat: usize) -> Reply {
        let Some(table) = &self.table else { return Reply::default() };
        let moves = choices::moves(&table.played, seat, self.style.width);
        // A single person has nobody to hide from; among several, an open choice shows no private things.
        let eyes = self.private_seat(seat);
        let own = match eyes.is_some() || !table.many_people() {
            true => screen::own(&table.played, seat, self.screen()),
            false => String::new(),
        };
        Reply::say(screen::join(vec![own, moves])).only_for(eyes)
    }

    /// Whether a bot plays the seat and its moves must not be shown.
    pub(super) fn hidden_by_bot(&self, seat: usize) -> bool {
        let table = self.table.as_ref().filter(|table| table.bots.contains_key(&seat));
        table.is_some_and(|table| secrets::private_choice(&table.played))
    }

    pub(super) fn no_game_message(&self) -> String {
        let sentence = match self.asking.is_some() {
            true => "no match has begun; answer the question first",
            false => {
                "no game is on the table; `:game procession` starts one, `:games` lists them, `:help` \
                 explains the rest"
            }
        };
        sentence.to_string()
    }

    // ---- moves

    fn play_line(&mut self, line: &str) -> Reply {
        match self.parse_line(line) {
            ParsedLine::Command(command) => self.command(command.trim()),
            _ if self.is_hasty(line) => {
                let too_early = !self.table.as_ref().is_some_and(Table::many_people);
                let waits = match too_early && !self.screen().plain {
                    true => "; your lines then wait at the prompt, one after the other",
                    false => "",
                };
                Reply { too_early, ..Reply::refuse(format!("{}{waits}", self.still_thinking())) }
            }
            ParsedLine::Move(meant) => match self.second_thoughts(&meant) {
                Some(question) => self.ask_back(question),
                None => self.make(&meant),
            },
            ParsedLine::Which(question) => self.ask_back(question),
            ParsedLine::Refused(_, reply) | ParsedLine::Not(reply) => reply,
        }
    }

    /// Asks about the last line; the next one can answer.
    fn ask_back(&mut self, question: Question) -> Reply {
        let eyes = question.options.first().and_then(|meant| self.private_seat(meant.seat));
        let reply = Reply::refuse(question.text()).only_for(eyes);
        self.question = Some(question);
        reply
    }

    /// Whether nobody else may see the next choice when it is made.
    pub fn chooses_in_secret(&self) -> bool {
        self.table.as_ref().is_some_and(|table| secrets::secret_choice(&table.played))
    }

    /// Returns the name of another person for whom a line chooses, typed on the private screen of a player (from 1).
    pub fn chooses_for(&self, line: &str, player: usize) -> Option<String> {
        let table = self.table.as_ref()?;
        let (seat, _) = seat_before(&table.played, line).filter(|_| !line.trim_start().starts_with(':'))?;
        let other = seat != player && table.people().contains(&seat);
        other.then(|| table.rules.game.seat_name(seat - 1))
    }

    /// Says that a bot is thinking, and what can be done about it.
    pub(super) fn still_thinking(&self) -> String {
        let seat = self.table.as_ref().and_then(Table::next_seat).filter(|seat| !self.hidden_by_bot(*seat));
        let instead = seat.map_or(String::new(), |seat| format!(", and `{seat}: MOVE` chooses for it"));
        format!("{} is still thinking; Ctrl-C makes it move now{instead}", self.asked().name)
    }

    /// Whether a move is typed for a bot that is thinking, without naming the bot's seat.
    fn is_hasty(&self, line: &str) -> bool {
        let table = self.table.as_ref().filter(|_| self.waits_for_bot());
        table.is_some_and(|table| seat_before(&table.played, line).is_none())
    }

    fn make(&mut self, meant: &ParsedMove) -> Reply {
        let seat = meant.seat;
        let unseen = self.private_seat(seat).is_some();
        let look = self.screen();
        let Some(table) = &mut self.table else { return Reply::default() };
        // A move that was not typed exactly is shown as it was understood.
        let shows_moves = unseen || self.echoes || table.played.together() || !meant.exact;
        let before = table.glimpse();
        let mut steps = StepReport::from(table.played.clone(), look);
        let own = Glimpse::of(&table.played, Viewer::Player(seat));
        match table.play(seat, &meant.name, &meant.args) {
            Err(refused) => self.refusal(meant, &refused),
            Ok(done) => {
                table.paused = false;
                table.last_seen.insert(seat, own);
                let mut chosen = String::new();
                match done.waiting_for.is_empty() {
                    false => chosen = format!("{} has chosen", table.rules.game.seat_name(seat - 1)),
                    true => steps.push_step(table, &before, shows_moves),
                }
                let told = self.bots_answer(steps);
                Reply::say(screen::join(vec![chosen, told, self.before_choice(), self.store_match()]))
            }
        }
    }

    /// Parses a move as people type it, with a seat before it if it is not for the next player.
    pub(super) fn read_move(&self, line: &str) -> Result<ParsedMove, Reply> {
        match self.parse_line(line) {
            ParsedLine::Move(meant) | ParsedLine::Refused(meant, _) => Ok(meant),
            ParsedLine::Which(question) => {
                let eyes = question.options.first().and_then(|meant| self.private_seat(meant.seat));
                Err(Reply::refuse(question.text()).only_for(eyes))
            }
            ParsedLine::Command(_) => {
                let played = self.table.as_ref().map(|table| &table.played);
                let player = played.and_then(|played| read_player(played, line.trim()));
                let what = if player.is_some() { "player" } else { "command" };
                Err(Reply::refuse(format!("`{}` is a {what}, not a move", line.trim())))
            }
            ParsedLine::Not(reply) => Err(reply),
        }
    }

    /// Refuses a move: says why, if the rules do, and what could be played instead.
    pub(super) fn refusal(&self, meant: &ParsedMove, refused: &Refused) -> Reply {
        let seat = meant.seat;
        let Some(table) = &self.table else { return Reply::refuse(refused.message.clone()) };
        let mut possible = String::new();
        if refused.code == "refused"
            && table.played.to_move().contains(&seat)
            && !refused.message.contains(POSSIBLE_LISTED)
        {
            let near = nearest_legal(&table.played, seat, &meant.name, &meant.args);
            let given = refused.outside.as_ref().map_or(0, |outside| outside.before);
            let begun = Begun { name: &meant.name, args: &meant.args, given };
            possible = choices::possible(&table.played, seat, &begun, near, self.style.width);
        }
        // What is legal now says more than the domain of an argument.
        let message = match &refused.outside {
            Some(outside) if !possible.is_empty() => &outside.text,
            _ => &refused.message,
        };
        let message = in_words(&table.rules.game, message);
        Reply::refuse(screen::join(vec![format!("refused: {message}"), possible]))
            .only_for(self.private_seat(seat))
    }

    // ---- storing the match

    /// Stores the match in play, so that it survives a crash. Returns a note the first time that fails.
    pub(super) fn store_match(&mut self) -> String {
        self.changes += 1;
        let Some(table) = &mut self.table else { return String::new() };
        if !table.begun() && table.stored_name.is_none() {
            return String::new();
        }
        let Some(text) = table.stored_record(screen::overview(&table.played)) else { return String::new() };
        if let Some(meanwhile) = table.finish_again() {
            // It is a part of the match that is stored again.
            let _ = self.disk.forget(&meanwhile);
        }
        match self.disk.store(table.stored_name.as_deref(), &table.rules.name, &text) {
            Ok(name) => {
                if table.played.over() {
                    self.disk.finish(&name);
                }
                table.stored_name = Some(name);
                self.storing_fails = false;
                String::new()
            }
            Err(_) if self.storing_fails => String::new(),
            Err(what) => {
                self.storing_fails = true;
                format!(
                    "note: this match cannot be saved for `--resume`: {what}; `:save FILE` writes its record"
                )
            }
        }
    }
}

/// Whether a player (from 1) alone sees something that is not empty.
fn has_secrets(played: &Match, seat: usize, look: Look) -> bool {
    !screen::own(played, seat, look).lines().all(|line| line.ends_with(screen::EMPTY))
}

/// Part of the refusal of a list, before the elements that it may have.
const POSSIBLE_LISTED: &str = "of those that are possible: ";

/// Splits `2: flip 4` or `down: write 1 1 1` into the seat (from 1) and the move.
pub fn seat_before<'t>(played: &Match, line: &'t str) -> Option<(usize, &'t str)> {
    let (who, rest) = line.split_once(':')?;
    let seat = read_player(played, who.trim())?;
    Some((seat, rest.trim()))
}

/// Parses a player (from 1), given as `player 2`, by number, by name, or by an unambiguous first word of it.
pub fn read_player(played: &Match, text: &str) -> Option<usize> {
    let game = &played.rules.game;
    let seats = 0..played.players().max(game.seats.player_names.len());
    let told = || seats.clone().find(|seat| game.seat_name(*seat).to_lowercase() == text.to_lowercase());
    let seat = || told().or_else(|| game.seats.find(text)).or_else(|| game.seats.find_first(text));
    let number = text.strip_prefix("player ").unwrap_or(text).trim().parse();
    number.ok().or_else(|| Some(seat()? + 1))
}

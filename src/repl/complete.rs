//! Completion of the line being typed: moves and values of the position, commands, names.

use std::cell::OnceCell;

use super::Table;
use super::commands::{self, COMMANDS, Command};
use super::typed::called;
use crate::bots::Bot;
use crate::ir::{Form, Game};
use crate::play::{Match, bundled, chosen, move_words, usage};

/// The most legal moves that are enumerated for completion.
const MANY: usize = 2000;

/// Completion and hints for one line. The legal moves are computed on first use.
#[derive(Debug, Default)]
pub struct Guide {
    played: Option<Match>,
    /// The seat (from 1) that a line is for.
    seat: Option<usize>,
    /// The names of the stored matches.
    kept: Vec<String>,
    legal: OnceCell<Vec<String>>,
}

impl Guide {
    pub(super) fn new(table: Option<&Table>, kept: Vec<String>) -> Guide {
        Guide {
            played: table.map(|table| table.played.clone()),
            seat: table.and_then(Table::next_seat),
            kept,
            legal: OnceCell::new(),
        }
    }

    /// Returns the command that a line begins with (without a colon only if nothing in the game has that
    /// name), and the text after it.
    fn command<'l>(&self, line: &'l str) -> Option<(&'static Command, &'l str)> {
        let line = line.trim_start();
        let (word, rest) = line.split_once(char::is_whitespace)?;
        let game = self.played.as_ref().map(|played| &played.rules.game);
        let command = match word.strip_prefix(':') {
            Some(word) => commands::find(word).ok(),
            None if game.is_some_and(|game| called(game, word)) => None,
            None => commands::called(&word.to_lowercase()),
        };
        Some((command?, rest))
    }

    /// Whether a file name is typed here, which the terminal completes itself.
    pub fn wants_file(&self, line: &str) -> bool {
        self.command(line).is_some_and(|(command, _)| matches!(command.name, "save" | "load" | "replay"))
    }

    /// Whether a file name may be typed here, among other things.
    pub fn may_want_file(&self, line: &str) -> bool {
        self.command(line).is_some_and(|(command, _)| command.name == "game")
    }

    /// Returns the candidates for the last word of `line`, and the byte where that word begins.
    pub fn complete(&self, line: &str) -> (usize, Vec<String>) {
        let start = line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let (before, word) = line.split_at(start);
        let mut found = match self.command(before) {
            Some((command, rest)) => self.after_command(command, rest, word),
            None if before.trim().is_empty() && word.starts_with(':') => {
                COMMANDS.iter().map(|command| format!(":{}", command.name)).collect()
            }
            None if before.trim().is_empty() => self.first_words(word),
            None => self.move_words(before, word),
        };
        let low = word.to_lowercase();
        found.retain(|candidate| candidate.to_lowercase().starts_with(&low));
        found.sort();
        found.dedup();
        sort_numbers(&mut found);
        (start, found)
    }

    /// Returns the words that can begin a line: moves and, once something is typed, values and, if none of these fits, commands.
    /// Without a match, commands and games.
    fn first_words(&self, word: &str) -> Vec<String> {
        let mut found = self.move_words("", word);
        let Some(played) = &self.played else {
            found.extend(COMMANDS.iter().map(|command| command.name.to_string()));
            found.extend(bundled().into_iter().map(|(name, _)| name));
            return found;
        };
        if !word.is_empty() {
            let game = &played.rules.game;
            let values = self.legal(played).iter().filter_map(|legal| legal.split(' ').nth(1));
            found.extend(values.map(String::from));
            // A command needs its colon where something that can be played begins in the same way.
            let low = word.to_lowercase();
            if !found.iter().any(|played| played.to_lowercase().starts_with(&low)) {
                let free = COMMANDS.iter().filter(|command| !called(game, command.name));
                found.extend(free.map(|command| command.name.to_string()));
            }
        }
        found
    }

    fn after_command(&self, command: &Command, before: &str, word: &str) -> Vec<String> {
        let more: Vec<&str> = before.split_whitespace().collect();
        let game = self.played.as_ref().map(|played| &played.rules.game);
        match command.name {
            "game" => bundled().into_iter().map(|(name, _)| name).collect(),
            "help" => COMMANDS.iter().map(|command| command.name.to_string()).collect(),
            "set" => game.map(|game| options(game, word)).unwrap_or_default(),
            "seat" if more.len() == 1 => {
                Bot::NAMES.iter().chain(&["person"]).map(ToString::to_string).collect()
            }
            "verdict" | "tutor" if more.is_empty() => ["on", "off"].map(String::from).to_vec(),
            "seat" | "look" if more.is_empty() => {
                let players = self.played.as_ref().map_or(0, Match::players);
                (1..=players).map(|seat| seat.to_string()).collect()
            }
            "rule" => game
                .map(|game| {
                    let moves = game.moves.iter().map(|mv| mv.name.clone());
                    let functions = game.functions.iter().map(|function| function.name.clone());
                    let words = ["table", "player", "show", "play", "score", "winner"].map(String::from);
                    moves.chain(functions).chain(words).collect()
                })
                .unwrap_or_default(),
            "why" => {
                let mut found = self.move_words(before, word);
                if more.is_empty() {
                    found.extend(["score", "winner"].map(String::from));
                }
                found
            }
            "resume" => self.kept.iter().cloned().chain(["list".to_string()]).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the next words of the legal moves that begin as typed, and the names of missing arguments.
    fn move_words(&self, before: &str, word: &str) -> Vec<String> {
        let Some(played) = &self.played else { return Vec::new() };
        let typed: Vec<&str> = before.split_whitespace().collect();
        if typed.is_empty() {
            let moves = self.seat.map_or(Vec::new(), |seat| played.offered_to(seat));
            return moves.iter().map(|mv| mv.name.clone()).collect();
        }
        let values: Vec<&str> =
            typed.iter().map(|word| word.split_once('=').map_or(*word, |(_, value)| value)).collect();
        let mut found: Vec<String> = Vec::new();
        let name = word.split_once('=').map(|(name, _)| format!("{name}=")).unwrap_or_default();
        for legal in self.legal(played) {
            let words: Vec<&str> = legal.split(' ').collect();
            let same = words.iter().zip(&values).all(|(word, typed)| word.eq_ignore_ascii_case(typed));
            if words.len() > values.len() && same {
                found.push(format!("{name}{}", words[values.len()]));
            }
        }
        let named = typed.iter().any(|word| word.contains('='));
        if let Some(mv) = played.offered().into_iter().find(|mv| mv.name.eq_ignore_ascii_case(typed[0]))
            && (named || word.starts_with(|c: char| c.is_alphabetic()))
        {
            let missing = chosen(mv).map(|param| format!("{}=", param.name));
            found.extend(missing.filter(|param| !typed.iter().any(|word| word.starts_with(param.as_str()))));
        }
        found
    }

    fn legal(&self, played: &Match) -> &[String] {
        self.legal.get_or_init(|| {
            let Some(Ok((moves, _))) = self.seat.map(|seat| played.some_legal(seat, MANY)) else {
                return Vec::new();
            };
            moves.iter().map(|entry| move_words(&played.rules.game, &entry.name, &entry.args)).collect()
        })
    }

    /// Returns what is still to be typed: the arguments of the move or command in the line.
    pub fn hint(&self, line: &str) -> Option<String> {
        if let Some((command, rest)) = self.command(line) {
            return match (command.name, rest) {
                ("why", rest) if !rest.is_empty() => self.hint(rest),
                (_, "") if !command.args.is_empty() => Some(command.args.to_string()),
                _ => None,
            };
        }
        let played = self.played.as_ref()?;
        let mut typed = line.split_whitespace();
        let name = typed.next()?;
        let mv = played.offered().into_iter().find(|mv| mv.name.eq_ignore_ascii_case(name))?;
        let given: Vec<&str> = typed.collect();
        let form = usage(&played.rules.game, mv);
        let forms: Vec<&str> = form.trim_matches('`')[mv.name.len()..].split_whitespace().collect();
        let open: Vec<&str> = match given.iter().any(|word| word.contains('=')) {
            true => {
                let names = chosen(mv).zip(&forms);
                let missing = |name: &str| !given.iter().any(|word| word.starts_with(&format!("{name}=")));
                names.filter(|(param, _)| missing(&param.name)).map(|(_, form)| *form).collect()
            }
            false => forms.into_iter().skip(given.len()).collect(),
        };
        if open.is_empty() {
            return None;
        }
        let space = if line.ends_with(' ') { "" } else { " " };
        Some(format!("{space}{}", open.join(" ")))
    }
}

/// Returns the options as they are set (`n=`), or after the sign the values of an option if these are words.
fn options(game: &Game, word: &str) -> Vec<String> {
    let values = |form: &Form| -> Vec<String> {
        match form {
            Form::Bool => ["yes", "no"].map(String::from).to_vec(),
            Form::Symbols(ids) => ids.iter().map(|id| game.symbols[*id].clone()).collect(),
            _ => Vec::new(),
        }
    };
    match word.split_once('=') {
        None => game.options.iter().map(|option| format!("{}=", option.name)).collect(),
        Some((name, _)) => {
            let option = game.options.iter().find(|option| option.name == name);
            let values = option.map(|option| values(&option.form)).unwrap_or_default();
            values.into_iter().map(|value| format!("{name}={value}")).collect()
        }
    }
}

/// Sorts words as numbers if all of them are numbers.
fn sort_numbers(words: &mut [String]) {
    if words.iter().all(|word| word.parse::<i64>().is_ok()) {
        words.sort_by_key(|word| word.parse::<i64>().unwrap_or(0));
    }
}

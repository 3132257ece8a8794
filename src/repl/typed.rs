//! Understanding a line without a colon: a move as people write it, a bare command, or a game's name.

use serde_json::{Map, Value as Json};

use super::choices::Begun;
use super::reading::{Reading, Understood, given_twice, understand};
use super::session::seat_before;
use super::{Reply, Session, choices, commands, screen, words};
use crate::diag::nearest;
use crate::ir::{Game, Move, SquareAt, Type, Value};
use crate::play::{
    Match, Rules, bundled, bundled_called, bundled_source, chosen, in_words, move_words, read_json,
    read_words, spoken_move, usage,
};
use crate::syntax::parse_move;

/// The most moves that a player is asked to choose from by number.
const CHOICES: usize = 9;
/// Words after a command that carry no meaning: `new game`, `help me`.
const FILLER_WORDS: &[&str] = &["game", "match", "one", "me", "please", "now", "the", "it", "all"];
/// More such words after a command that takes moves back or plays them again: `undo my last move`.
const MOVE_WORDS: &[&str] = &["that", "this", "my", "last", "move"];
/// Ways to say `undo`, without the words that carry no meaning.
const TAKING_BACK: &[&str] = &["take back", "go back", "step back", "move back", "back"];
/// Commands for which `all` does carry a meaning.
const TAKES_ALL: &[&str] = &["undo", "redo", "help"];

/// Questions that people ask in words, and the commands that answer them.
const QUESTIONS: &[(&[&str], &str)] = &[
    (&["what can i do", "what can i play", "what now", "what are my moves", "what are my options"], "moves"),
    (&["whose turn", "whose turn is it", "who is next", "whose move is it"], "moves"),
    (&["what should i do", "what should i play", "what is best", "what is the best move"], "hint"),
    (&["who is winning", "who is ahead", "who is better", "who leads", "am i winning"], "verdict"),
    (&["how do i win", "how do i play", "how does it end", "what are the rules"], "rules"),
    (&["what happened", "what was the last move", "what was played"], "history"),
];

/// A move that was understood.
#[derive(Debug, Clone)]
pub struct ParsedMove {
    /// The player, from 1.
    pub seat: usize,
    /// The move.
    pub name: String,
    /// Its arguments.
    pub args: Map<String, Json>,
    /// Whether it was typed exactly as moves are written.
    pub exact: bool,
}

/// A question about a line that could mean several moves; the player answers by number.
#[derive(Debug, Clone)]
pub struct Question {
    /// The moves.
    pub options: Vec<ParsedMove>,
    /// The moves as they are typed.
    texts: Vec<String>,
    /// Other moves that may have been meant, and why they are refused.
    refused: Vec<String>,
    /// What is asked, if it is not which of the moves was meant.
    asked: Option<String>,
}

impl Question {
    /// Asks whether a move that was understood is to be made.
    pub(super) fn doubtful(played: &Match, meant: ParsedMove, asked: String) -> Question {
        Question { asked: Some(asked), ..question(played, vec![meant], Vec::new()) }
    }

    /// Returns the move that an answer selects.
    pub fn answer(&self, line: &str) -> Option<ParsedMove> {
        let line = line.trim().trim_end_matches(['.', ')']);
        if let ([only], "y" | "yes") = (self.options.as_slice(), line.to_lowercase().as_str()) {
            return Some(only.clone());
        }
        // Of one move, which is not numbered, a number may be another one.
        let several = self.options.len() > 1;
        let numbers = 1..=self.options.len();
        let number = line.parse::<usize>().ok().filter(|number| several && numbers.contains(number));
        let text = || self.texts.iter().position(|text| text.eq_ignore_ascii_case(line)).map(|at| at + 1);
        let part = || self.only_with(line).map(|at| at + 1);
        number.or_else(text).or_else(part).map(|number| self.options[number - 1].clone())
    }

    /// Whether a move is the only one that is asked about: to repeat it is to say that it is meant.
    pub fn asks_about(&self, meant: &ParsedMove) -> bool {
        let same =
            |one: &ParsedMove| (one.seat, &one.name, &one.args) == (meant.seat, &meant.name, &meant.args);
        matches!(self.options.as_slice(), [only] if same(only))
    }

    /// Whether an answer says that nothing of this was meant.
    pub fn declined(&self, line: &str) -> bool {
        matches!(line.trim().trim_end_matches('.').to_lowercase().as_str(), "n" | "no" | "none" | "neither")
    }

    /// Returns the only option that contains every word of the answer: `b1` selects between `draw_across a1`
    /// and `draw_across b1`.
    fn only_with(&self, line: &str) -> Option<usize> {
        let words = |text: &str| -> Vec<String> {
            let parts = text.split(|c: char| c.is_whitespace() || c == '_').filter(|part| !part.is_empty());
            parts.map(str::to_lowercase).collect()
        };
        let typed = words(line);
        let has_all = |text: &String| typed.iter().all(|word| words(text).contains(word));
        let mut with = (0..self.texts.len()).filter(|at| has_all(&self.texts[*at]));
        let several = self.texts.len() > 1 && !typed.is_empty();
        with.next().filter(|_| several && with.next().is_none())
    }

    /// Returns the text of the question.
    pub fn text(&self) -> String {
        let numbered =
            self.texts.iter().enumerate().map(|(i, text)| format!("\n  {}  {}", i + 1, words::short(text)));
        let asked = match self.texts.as_slice() {
            _ if let Some(asked) = &self.asked => asked.clone(),
            [only] => format!("did you mean `{}`?", words::short(only)),
            _ => format!("which one do you mean?{}", numbered.collect::<String>()),
        };
        self.refused.iter().cloned().chain([asked]).collect::<Vec<_>>().join("\n")
    }

    /// Returns the prompt for the answer.
    pub fn prompt(&self) -> String {
        match self.options.len() {
            1 => "y, or another move> ".to_string(),
            2 => "1 or 2> ".to_string(),
            many => format!("1 to {many}> "),
        }
    }
}

/// What a line turned out to be.
#[derive(Debug)]
pub enum ParsedLine {
    /// A move.
    Move(ParsedMove),
    /// A command, without the colon.
    Command(String),
    /// One of several moves; the player is asked.
    Which(Question),
    /// A move in other words than it is written in, which is refused for the reasons in the reply.
    Refused(ParsedMove, Reply),
    /// None of these; the reply says so.
    Not(Reply),
}

impl Session {
    /// Understands a line without a colon.
    pub(super) fn parse_line(&self, line: &str) -> ParsedLine {
        let Some(table) = &self.table else {
            let game = || self.game_meant(line).map(|game| format!("game {game}"));
            return match bare_command(line, true, &|_| false).or_else(game) {
                Some(command) => ParsedLine::Command(command),
                None => ParsedLine::Not(Reply::refuse(self.nothing_known(line))),
            };
        };
        let played = &table.played;
        let line = without_number(played, line);
        let Some(next) = table.next_seat() else {
            let result = screen::result(played);
            let said =
                || after_the_end(line).or_else(|| self.game_meant(line).map(|game| format!("game {game}")));
            return match bare_command(line, false, &|_| false).or_else(said) {
                Some(command) => ParsedLine::Command(command),
                None => ParsedLine::Not(Reply::refuse(format!(
                    "the match is over: {result}; `:new` begins another, `:undo` goes back"
                ))),
            };
        };
        let before = seat_before(played, line);
        let (seat, text) = before.unwrap_or((next, line));
        let game = &played.rules.game;
        // Commands do not depend on whose turn it is.
        let command = bare_command(line, false, &|word| called(game, word)).filter(|_| before.is_none());
        // The name of a game alone does not end a match that is being played.
        let command = command.map(|command| match other_game(line).filter(|_| table.begun()) {
            Some((name, title)) => ParsedLine::Not(Reply::refuse(format!(
                "type `:game {name}` to leave this match and start {title}"
            ))),
            None => ParsedLine::Command(command),
        });
        // Listing what a bot may play would reveal its hidden information.
        if self.hidden_by_bot(seat) && !table.paused {
            let name = game.seat_name(seat - 1);
            return command.unwrap_or_else(|| {
                ParsedLine::Not(Reply::refuse(format!(
                    "a bot plays {name}; `:seat {seat} person` gives the seat to a person"
                )))
            });
        }
        // `2:` asks what player 2 can play.
        if text.is_empty() {
            return ParsedLine::Not(match played.must_choose(seat) {
                Ok(()) => self.can_play(seat),
                Err(refused) => Reply::refuse(refused.message),
            });
        }
        let exact = exact(played, text);
        // Of `take 3 3` one 3 would be left, without a word.
        if let Some((name, args)) = &exact
            && let Some(twice) = given_twice(game, name, args)
        {
            let what = format!("{twice} is there twice, and a set has each element once");
            return ParsedLine::Not(Reply::refuse(what).only_for(self.private_seat(seat)));
        }
        if let Some((name, args)) =
            exact.filter(|(name, args)| legal_or_alone(played, seat, text, name, args))
        {
            return ParsedLine::Move(ParsedMove { seat, name, args, exact: true });
        }
        if let Some(command) = command {
            return command;
        }
        let meant =
            |reading: Reading| ParsedMove { seat, name: reading.name, args: reading.args, exact: false };
        let eyes = self.private_seat(seat);
        let told = |parts: Vec<String>| ParsedLine::Not(Reply::refuse(screen::join(parts)).only_for(eyes));
        match understand(played, seat, text) {
            // Moves typed unseen cannot be echoed on the screen, so doubtful ones are asked about; ignored
            // words may have meant anything; and what is drawn or revealed after a misspelt move cannot be unseen.
            Understood::Move(reading)
                if reading.changes.passes_over_words()
                    || reading.changes.passes_over_parameters()
                    || reading.changes.bold() && eyes.is_some()
                    || reading.changes.misspelt() =>
            {
                ParsedLine::Which(question(played, vec![meant(reading)], Vec::new()))
            }
            Understood::Move(reading) if reading.changes.tears_groups() => {
                let unclear = torn(played, text, &reading.name);
                ParsedLine::Which(question(played, vec![meant(reading)], vec![unclear]))
            }
            Understood::Move(reading) => ParsedLine::Move(meant(reading)),
            Understood::Which(readings, refused) if by_number(&readings) => {
                let refused = reasons(played, seat, &refused);
                ParsedLine::Which(question(played, readings.into_iter().map(meant).collect(), refused))
            }
            Understood::Which(readings, _) => {
                let items = readings.iter().map(|one| spoken_text(played, &one.name, &one.args)).collect();
                let head = format!("`{}` could be: ", words::short(text));
                // Where the word is the name of a move, moves are meant.
                let word = first_word(line);
                let names_move = game.moves.iter().any(|mv| mv.name.eq_ignore_ascii_case(&word));
                let other = if names_move { String::new() } else { command_called_so(game, line) };
                told(vec![choices::some_of(&head, items, self.style.width), other])
            }
            Understood::Refused(readings) => {
                let reply = self.none_legal(seat, &readings);
                match <[Reading; 1]>::try_from(readings) {
                    Ok([only]) => ParsedLine::Refused(meant(only), reply),
                    Err(_) => ParsedLine::Not(reply),
                }
            }
            Understood::Incomplete(name, none_fits) => {
                let what = match explained(played, text).filter(|_| !none_fits) {
                    Some(what) => what,
                    None if none_fits => {
                        format!("no legal move begins with `{}`", words::short(text))
                    }
                    None => format!("`{name}` needs more than that"),
                };
                let possible = match played.to_move().contains(&seat) {
                    true => choices::possible(played, seat, &Begun::named(&name), None, self.style.width),
                    false => String::new(),
                };
                told(vec![what, possible, command_called_so(game, line)])
            }
            Understood::Nothing => {
                let explained = explained(played, text);
                if let Some(command) = begun_command(line).filter(|_| explained.is_none() && before.is_none())
                {
                    return ParsedLine::Command(command);
                }
                let what = explained.unwrap_or_else(|| unknown(played, seat, text, self.style.width));
                told(vec![what, command_called_so(game, line)])
            }
        }
    }

    /// Explains why the moves that a line could mean are refused.
    fn none_legal(&self, seat: usize, readings: &[Reading]) -> Reply {
        let Some(table) = &self.table else { return Reply::default() };
        let played = &table.played;
        if let [reading] = readings
            && let Err(mut refused) = played.clone().play_undrawn(seat, &reading.name, &reading.args)
        {
            let text = words::short(&spoken_text(played, &reading.name, &reading.args));
            refused.message = format!("`{text}`: {}", refused.message);
            if let Some(outside) = &mut refused.outside {
                outside.text = format!("`{text}`: {}", outside.text);
            }
            let (name, args) = (reading.name.clone(), reading.args.clone());
            return self.refusal(&ParsedMove { seat, name, args, exact: false }, &refused);
        }
        let mut lines = reasons(played, seat, readings);
        if played.to_move().contains(&seat) {
            let name = readings.first().map_or("", |first| first.name.as_str());
            let name = if readings.iter().all(|reading| reading.name == name) { name } else { "" };
            lines.push(choices::possible(played, seat, &Begun::named(name), None, self.style.width));
        }
        Reply::refuse(screen::join(lines)).only_for(self.private_seat(seat))
    }

    /// Answers a line when no game is on the table.
    fn nothing_known(&self, line: &str) -> String {
        let word = first_word(line);
        let games: Vec<String> = bundled().into_iter().map(|(name, _)| name).collect();
        let mut known: Vec<&str> = games.iter().map(String::as_str).collect();
        commands::names().for_each(|name| known.push(name));
        match nearest(&word, known) {
            Some(near) => format!("`{word}` is neither a game nor a command; did you mean `{near}`?"),
            None => self.no_game_message(),
        }
    }
}

/// Returns how to reach the command that a line begins with, if something in the game has the same name.
fn command_called_so(game: &Game, line: &str) -> String {
    let word = first_word(line);
    match commands::called(&word).filter(|_| called(game, &word)) {
        Some(command) => format!("the command is `:{}`", command.name),
        None => String::new(),
    }
}

/// Whether to ask about several moves by number: they are few, and none lacks a number like the answer.
fn by_number(readings: &[Reading]) -> bool {
    const SHORT: usize = 5;
    let lacks = readings.iter().any(|reading| reading.changes.lacks_arguments());
    let numbers = || readings.iter().any(|reading| reading.args.values().any(|value| !value.is_string()));
    match lacks {
        true => readings.len() <= SHORT && !numbers(),
        false => readings.len() <= CHOICES,
    }
}

fn question(played: &Match, options: Vec<ParsedMove>, refused: Vec<String>) -> Question {
    let texts = options.iter().map(|meant| spoken_text(played, &meant.name, &meant.args)).collect();
    Question { options, texts, refused, asked: None }
}

/// Says that a line does not show which of its numbers are which, and how the move is typed.
fn torn(played: &Match, text: &str, name: &str) -> String {
    let mv = played.rules.game.moves.iter().find(|mv| mv.name == name);
    let form = mv.map_or(String::new(), |mv| format!("; write {}", usage(&played.rules.game, mv)));
    format!("it is not clear which number of `{}` is which{form}", words::short(text.trim()))
}

/// Says why moves that a line could mean are refused, one line each.
fn reasons(played: &Match, seat: usize, readings: &[Reading]) -> Vec<String> {
    let reason = |reading: &Reading| {
        // Played on a clone, so nothing changes.
        let refused = played.clone().play_undrawn(seat, &reading.name, &reading.args).err()?;
        let text = words::short(&spoken_text(played, &reading.name, &reading.args));
        let message = refused.outside.map_or(refused.message, |outside| outside.text);
        Some(format!("refused: `{text}`: {}", in_words(&played.rules.game, &message)))
    };
    readings.iter().filter_map(reason).collect()
}

/// Returns a move as it is typed.
pub fn move_text(played: &Match, name: &str, args: &Map<String, Json>) -> String {
    move_words(&played.rules.game, name, &values_of(&played.rules.game, name, args))
}

/// Returns a move in words that people read.
pub fn spoken_text(played: &Match, name: &str, args: &Map<String, Json>) -> String {
    spoken_move(&played.rules.game, name, &values_of(&played.rules.game, name, args))
}

/// Returns the arguments of a move as values, as far as they have the right types.
fn values_of(game: &Game, name: &str, args: &Map<String, Json>) -> Vec<(String, Value)> {
    let mv = game.moves.iter().find(|mv| mv.name == name);
    let values = mv.into_iter().flat_map(chosen).filter_map(|param| {
        let value = read_json(game, &param.ty, args.get(&param.name)?).ok()?;
        Some((param.name.clone(), value))
    });
    values.collect()
}

/// Parses a move that is written exactly.
fn exact(played: &Match, text: &str) -> Option<(String, Map<String, Json>)> {
    let (name, words) = parse_move(text).ok()?;
    let mv = played.find_move(&name.text).ok()?;
    // The name alone asks what can be chosen, though an empty collection may be written with nothing.
    if words.is_empty() && chosen(mv).next().is_some() {
        return None;
    }
    let args = read_words(&played.rules.game, mv, &words).ok()?;
    Some((name.text, args))
}

/// Whether an exactly typed move is legal, or the line has no legal reading in any other notation either.
fn legal_or_alone(played: &Match, seat: usize, text: &str, name: &str, args: &Map<String, Json>) -> bool {
    let told = played.why(seat, name, args);
    told.is_ok_and(|told| told.iter().all(|(holds, _)| *holds))
        || !matches!(understand(played, seat, text), Understood::Move(_) | Understood::Which(..))
}

/// Explains what is wrong with the arguments of a line that begins with the name of a move.
fn explained(played: &Match, text: &str) -> Option<String> {
    let game = &played.rules.game;
    let begins = |mv: &&Move| {
        let head = text
            .get(..mv.name.len())
            .is_some_and(|head| head.replace(' ', "_").eq_ignore_ascii_case(&mv.name));
        head && !text[mv.name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    let mv = game.moves.iter().filter(begins).max_by_key(|mv| mv.name.len())?;
    let rest: String =
        text[mv.name.len()..].chars().map(|c| if ",;()".contains(c) { ' ' } else { c }).collect();
    let numbers = chosen(mv).any(|param| param.ty == Type::Int);
    let sentence = match parse_move(&format!("{} {rest}", mv.name)) {
        Ok((_, words)) => read_words(game, mv, &words).err()?,
        Err(_) if numbers && rest.contains("..") && chosen(mv).count() == 1 => {
            format!("`{}` is a range, and a single number is chosen", words::short(rest.trim()))
        }
        Err(_) => format!("`{}` cannot be read", words::short(rest.trim())),
    };
    Some(if sentence.contains("; write") {
        sentence
    } else {
        format!("{sentence}; write {}", usage(game, mv))
    })
}

/// Returns a line without the number of a list in front of it, as in `1. flip 4` or a line of `:history`.
fn without_number<'l>(played: &Match, line: &'l str) -> &'l str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let counted = rest.len() < line.len();
    let of_history = || rest.starts_with("  ") && seat_before(played, rest.trim()).is_some();
    match rest.strip_prefix(". ") {
        Some(rest) if counted => rest.trim_start(),
        _ if counted && of_history() => rest.trim_start(),
        _ => line,
    }
}

/// Answers a line of a player (from 1) that could not be understood.
fn unknown(played: &Match, seat: usize, text: &str, width: usize) -> String {
    if text.trim_start().starts_with(':') {
        return format!("type `{}` alone, without a player in front of it", text.trim());
    }
    let word = first_word(text);
    match word.as_str() {
        word if let Some(says) = commands::not_here(word) => return says,
        "pass" | "skip" => {
            let to_do = choices::possible(played, seat, &Begun::named(""), None, width);
            return screen::join(vec!["no rule lets anybody pass here".to_string(), to_do]);
        }
        _ => {}
    }
    let moves = match played.offered_to(seat) {
        mine if mine.is_empty() => played.offered(),
        mine => mine,
    };
    let forms: Vec<String> = moves.iter().map(|mv| usage(&played.rules.game, mv)).collect();
    if let Some(near) = nearest(&word, moves.iter().map(|mv| mv.name.as_str())) {
        return format!("no move is called `{word}`; did you mean `{near}`?");
    }
    if let Some(near) = nearest(&word, commands::names()) {
        return format!("`{word}` is neither a move nor a command; did you mean `:{near}`?");
    }
    if let Ok(command) = commands::find(&word) {
        return format!("`{word}` is not a move; the command is `:{}`", command.name);
    }
    let example = choices::example(played, seat).filter(|example| example.contains(' '));
    let example = example.map_or(String::new(), |text| format!(", as in `{}`", words::short(&text)));
    let forms = match forms.is_empty() {
        true => "nobody can play now".to_string(),
        false => format!("a move is typed as {}", forms.join(" or ")),
    };
    let square = no_square(&moves, text).map_or(String::new(), |said| format!("{said}; "));
    format!(
        "`{}` is not understood; {square}{forms}{example}; an empty line shows what can be played",
        words::short(text.trim())
    )
}

/// Says how squares are given if the line gives them otherwise: by numbers though a move needs a square, or by a letter
/// and a number though the moves only have numbers.
fn no_square(moves: &[&Move], text: &str) -> Option<&'static str> {
    let words = || text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let pair = |word: &str| word.split(['x', 'X']).all(|part| part.parse::<u32>().is_ok());
    let has = |ty: Type, least: usize| {
        moves.iter().any(|mv| chosen(mv).filter(|param| param.ty == ty).count() >= least)
    };
    if words().next_back().is_some_and(pair) && has(Type::Square, 1) {
        return Some("a square is the letter of its column and the number of its row");
    }
    let squares = words().any(|word| SquareAt::read(&word.to_lowercase()).is_some());
    (squares && !has(Type::Square, 1) && has(Type::Int, 2))
        .then_some("here a square is given by its numbers, in the order of the move")
}

/// Returns the command that the line begins with if it is an unambiguous abbreviation, not a full name.
fn begun_command(line: &str) -> Option<String> {
    let word = first_word(line);
    let rest = line.trim().split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
    let command = commands::find(&word).ok().filter(|_| commands::called(&word).is_none())?;
    // What cannot be taken back is never guessed.
    if command.name == "delete" {
        return None;
    }
    let fits = rest.is_empty() || !command.args.is_empty();
    fits.then(|| format!("{} {rest}", command.name))
}

/// Returns the command for what people type when a match is over and another is offered.
fn after_the_end(line: &str) -> Option<String> {
    let line_low = line.trim_end_matches(['!', '.', '?']).to_lowercase();
    let words = line_low.split_whitespace().filter(|word| !FILLER_WORDS.contains(word));
    match words.collect::<Vec<_>>().join(" ").as_str() {
        "again" | "play again" | "once more" | "another" | "play another" | "rematch" => {
            Some("new".to_string())
        }
        // Nothing was asked, so this may be an answer to anything.
        "y" | "yes" | "ok" | "n" | "no" => None,
        _ => begun_command(line),
    }
}

/// Returns the name and title of the bundled game that a line names, if it does nothing else.
fn other_game(line: &str) -> Option<(String, String)> {
    let name = bundled_called(line).filter(|_| commands::called(&first_word(line)).is_none())?;
    let title = Rules::load(bundled_source(&name)?).ok()?.game.title.clone();
    Some((name, title))
}

fn first_word(line: &str) -> String {
    line.split_whitespace().next().unwrap_or("").trim_end_matches(['?', '!', '.']).to_lowercase()
}

/// Whether a move, an argument, a symbol or a seat of the game has this name.
pub fn called(game: &Game, word: &str) -> bool {
    let moves = game.moves.iter().flat_map(|mv| chosen(mv).map(|param| &param.name).chain([&mv.name]));
    moves.chain(&game.symbols).chain(&game.seats.roles).any(|name| name.eq_ignore_ascii_case(word))
}

/// Whether a line asks in other words to undo the last step: `take that back`.
fn takes_back(line: &str) -> bool {
    let line = line.trim_end_matches(['!', '.', '?']).to_lowercase();
    let words: Vec<&str> = line.split_whitespace().collect();
    let told: Vec<&str> = words
        .iter()
        .enumerate()
        .filter(|(at, word)| *at == 0 || !FILLER_WORDS.contains(word) && !MOVE_WORDS.contains(word))
        .map(|(_, word)| *word)
        .collect();
    TAKING_BACK.contains(&told.join(" ").as_str()) && !words.contains(&"all")
}

/// Returns the command that answers a question in words: `who's ahead?`.
fn question_asked(line: &str) -> Option<&'static str> {
    let line = line.trim_end_matches(['?', '!', '.', ' ']).to_lowercase().replace('’', "'");
    let words: Vec<String> = line.split_whitespace().map(|word| word.replace("'s", " is")).collect();
    let asked = words.join(" ");
    QUESTIONS.iter().find(|(ways, _)| ways.contains(&asked.as_str())).map(|(_, command)| *command)
}

/// Returns the command for a line without a colon or a game's name, unless the game in play uses that name.
///
/// With `games`, the word after `play` is always a game; otherwise it may be a move.
pub fn bare_command(line: &str, games: bool, taken: &dyn Fn(&str) -> bool) -> Option<String> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix('?') {
        return Some(format!("help {rest}"));
    }
    let word = first_word(line);
    let rest = line.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
    if !taken("back") && takes_back(line) {
        return Some("undo".to_string());
    }
    if let Some(command) = question_asked(line).filter(|_| !taken(&word)) {
        return Some(command.to_string());
    }
    if let Some(command) = commands::called(&word).filter(|_| !taken(&word)) {
        let words: Vec<String> = rest.split_whitespace().map(str::to_lowercase).collect();
        let steps = ["undo", "redo"].contains(&command.name);
        let idle = words.iter().all(|word| {
            FILLER_WORDS.contains(&word.as_str()) || steps && MOVE_WORDS.contains(&word.as_str())
        });
        let all = TAKES_ALL.contains(&command.name) && words.iter().any(|word| word == "all");
        let rest = match idle {
            true if all => "all",
            true => "",
            false => rest,
        };
        let named = bundled_called(rest).filter(|_| command.name == "game");
        // `play b3` is a move if a game is in play and `b3` is not a game.
        let a_game = games || named.is_some() || rest.is_empty() || rest.contains(['.', '/', '\\']);
        return match word == "play" && !a_game {
            true => None,
            false => Some(format!("{} {}", command.name, named.as_deref().unwrap_or(rest))),
        };
    }
    bundled_called(line).filter(|_| !taken(line)).map(|name| format!("game {name}"))
}

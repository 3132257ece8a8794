//! Understanding moves as people type them: all ways to read a line as a move here, nearest first.
//!
//! A line is split into tokens, which are matched against the names of the moves and the types of their
//! arguments. Each reading records what it changed ([`Change`]), and readings are ranked by their farthest
//! change, then the next one. Among the nearest readings only legal ones count: a single one is played, and
//! among several the player chooses. If none is legal, the refusal says why. Nothing is guessed.

mod groups;
mod tokens;
mod values;

use serde_json::{Map, Value as Json};

use super::typed::{called, move_text};
use crate::ir::{Game, Move, Type};
use crate::play::{Match, NUMBER_WORDS, SUITS, chosen, read_json};
use tokens::{Kind, Token, tokens};
use values::{At, FROM, Filled, Reader, resembles, same};

/// The most legal moves that are searched to complete a partly typed one.
const MANY: usize = 2000;
/// The most tokens of a line that is not written exactly.
const LONG: usize = 200;
/// Words before a move that only say that a move is made.
const VERBS: &[&str] = &["move", "play", "choose", "take", "put", "i"];

/// Words that join the parts of a value: `7 of hearts`.
const JOINING: &[&str] = &["of", "the"];

/// Words after a move that carry no meaning.
const COURTESY: &[&str] = &["please", "again", "now", "thanks"];

/// A difference between a line and the move it is read as, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Upper or lower case differs.
    Case,
    /// The beginning of a word stands for the word.
    Beginning,
    /// Text that belongs together is split, or split differently: `flip4`, `a2-a3`, `at 4`.
    Split,
    /// The name of the move is missing, or has only some of its words: `across a1` for `draw_across a1`.
    MissingName,
    /// The arguments are in another order than the move's.
    Order,
    /// Arguments are missing that only some legal moves have.
    MissingArgument,
    /// One letter is wrong, extra, missing, or swapped with the next.
    Typing,
    /// Words unknown to the game are ignored: `pawn a3`, `5 please`.
    StrayWords,
    /// Numbers that brackets, commas or a colon join are given to parameters that have nothing to do with each
    /// other: `(1,2) 3` for a value of 1 in row 2, column 3.
    TornGroup,
    /// A value is given to a parameter although one of the same kind in front of it is missing: `lay 2` for the second of
    /// two numbers.
    PassedOver,
}

/// All changes of a reading, farthest first; readings are ranked by this order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Changes(Vec<Change>);

impl Changes {
    fn of(changes: &[Change]) -> Changes {
        Changes::default().and(changes)
    }

    fn and(&self, more: &[Change]) -> Changes {
        let mut all: Vec<Change> = self.0.iter().chain(more).copied().collect();
        all.sort_by(|a, b| b.cmp(a));
        Changes(all)
    }

    /// Returns all changes but those of one kind.
    fn without(&self, kind: Change) -> Changes {
        Changes(self.0.iter().copied().filter(|change| *change != kind).collect())
    }

    /// Whether this differs from another reading's changes only in notation (case and splitting).
    fn notates(&self, other: &Changes) -> bool {
        let others = |changes: &Changes| -> Vec<Change> {
            let far = |change: &&Change| !matches!(change, Change::Case | Change::Split);
            changes.0.iter().filter(far).copied().collect()
        };
        others(self) == others(other)
    }

    /// Whether a change is so large that the player may have meant something else.
    pub fn bold(&self) -> bool {
        self.0.iter().any(|change| *change >= Change::Order)
    }

    /// Whether a word was misspelt.
    pub fn misspelt(&self) -> bool {
        self.0.contains(&Change::Typing)
    }

    /// Whether words were ignored, which may have meant anything.
    pub fn passes_over_words(&self) -> bool {
        self.0.contains(&Change::StrayWords)
    }

    /// Whether a parameter was passed over that could have been meant.
    pub fn passes_over_parameters(&self) -> bool {
        self.0.contains(&Change::PassedOver)
    }

    /// Whether numbers that belong together in the line were torn apart.
    pub fn tears_groups(&self) -> bool {
        self.0.contains(&Change::TornGroup)
    }

    /// Whether arguments are missing.
    pub fn lacks_arguments(&self) -> bool {
        self.0.contains(&Change::MissingArgument)
    }
}

/// A line read as a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The move.
    pub name: String,
    /// Its arguments.
    pub args: Map<String, Json>,
    /// What was changed in the line.
    pub changes: Changes,
}

/// What a line was understood as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Understood {
    /// A legal move.
    Move(Reading),
    /// Legal moves of which the player must say which is meant, and the refused ones that could as well be.
    Which(Vec<Reading>, Vec<Reading>),
    /// Moves that are not legal, all equally near.
    Refused(Vec<Reading>),
    /// A move with missing arguments: its name, and whether no legal move has the given arguments.
    Incomplete(String, bool),
    /// No move.
    Nothing,
}

/// Understands a line typed by a player (from 1) who is to choose.
pub fn understand(played: &Match, player: usize, line: &str) -> Understood {
    let Some(mut tokens) = tokens(line).filter(|tokens| tokens.len() <= LONG) else {
        return Understood::Nothing;
    };
    let game = &played.rules.game;
    let last = tokens.iter().rposition(|token| token.kind == Kind::Run);
    let courtesy = |word: &str| COURTESY.iter().any(|known| same(known, word)) && !called(game, word);
    if let Some(last) = last.filter(|last| *last > 0 && courtesy(&tokens[*last].text)) {
        tokens.truncate(last);
    }
    let understood = of_tokens(played, player, &tokens, &[]);
    // A word before an equals sign was meant as a name.
    let names = |at: usize| tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Equals);
    let stays = |(at, token): &(usize, &Token)| names(*at) || !is_stray(played, token);
    let known: Vec<Token> = tokens.iter().enumerate().filter(stays).map(|(_, token)| token.clone()).collect();
    if known.len() == tokens.len() || !matches!(understood, Understood::Nothing) {
        return understood;
    }
    match of_tokens(played, player, &known, &[Change::StrayWords]) {
        // What remains must be a complete move.
        Understood::Move(reading) if !reading.changes.lacks_arguments() => Understood::Move(reading),
        Understood::Which(readings, refused) if readings.iter().all(|one| !one.changes.lacks_arguments()) => {
            Understood::Which(readings, refused)
        }
        // The word that is not known may be what is wrong with it.
        Understood::Refused(readings) if readings.iter().any(|one| is_sensible(played, player, one)) => {
            Understood::Refused(readings)
        }
        _ => Understood::Nothing,
    }
}

/// Whether a word is not similar to any word that the game knows.
fn is_stray(played: &Match, token: &Token) -> bool {
    let game = &played.rules.game;
    let like = |name: &str| {
        let mut words = name.split('_').chain([name]);
        words.any(|word| resembles(&token.text, word).is_some())
    };
    let params = game.moves.iter().flat_map(|mv| chosen(mv).map(|param| &param.name));
    let names = game.moves.iter().map(|mv| &mv.name).chain(params).chain(&game.symbols);
    token.kind == Kind::Run
        && token.text.chars().count() > 1
        && token.text.chars().all(char::is_alphabetic)
        && !names.chain(&game.seats.roles).any(|name| like(name))
        && !game
            .seats
            .player_names
            .iter()
            .flatten()
            .any(|name| name.split(' ').any(|word| same(word, &token.text)))
        && !["yes", "no", "true", "false", "none"].into_iter().any(like)
}

/// Understands tokens, given the changes that were already made to them.
fn of_tokens(played: &Match, player: usize, tokens: &[Token], before: &[Change]) -> Understood {
    let game = &played.rules.game;
    let mut reader = Reader::new(game, played.players(), tokens);
    let mut found = named(played, &mut reader);
    found.extend(nameless(played, player, &mut reader));
    found.extend(name_last(played, tokens));
    found.iter_mut().for_each(|(_, filled)| filled.changes = filled.changes.and(before));
    let (mut whole, mut parts) = (Vec::new(), Vec::new());
    for (mv, filled) in found {
        match chosen(mv).all(|param| filled.args.contains_key(&param.name)) {
            true => whole.push(Reading { name: mv.name.clone(), args: filled.args, changes: filled.changes }),
            false => parts.push((mv, filled)),
        }
    }
    let nearest = parts.iter().min_by_key(|(_, filled)| filled.changes.clone());
    let part = nearest.map(|(mv, filled)| (mv.name.clone(), !filled.args.is_empty()));
    // A line that is the name of a move means that move, though the name begins that of another.
    let is_name =
        parts.iter().any(|(_, filled)| filled.args.is_empty() && filled.changes == Changes::of(before));
    let fitting = completed(played, player, &parts);
    let none_fits = fitting.as_ref().is_some_and(Vec::is_empty);
    whole.extend(fitting.unwrap_or_default());
    whole.retain(|reading| well_typed(played, reading));
    if whole.is_empty() {
        whole = by_parts(played, player, tokens, before);
    }
    whole.sort_by(|a, b| a.changes.cmp(&b.changes));
    if is_name && !none_fits {
        whole.retain(|reading| !reading.changes.0.contains(&Change::MissingName));
    }
    let mut refused = Vec::new();
    for rank in whole.chunk_by(|a, b| a.changes == b.changes) {
        // After a refused reading, only another notation of everything typed can be meant.
        if refused.first().is_some_and(|nearer: &Reading| !rank[0].changes.notates(&nearer.changes)) {
            continue;
        }
        let mut each: Vec<&Reading> = Vec::new();
        for reading in rank {
            if each.iter().all(|known| (&known.name, &known.args) != (&reading.name, &reading.args)) {
                each.push(reading);
            }
        }
        let legal: Vec<Reading> =
            each.iter().filter(|reading| is_legal(played, player, reading)).copied().cloned().collect();
        let illegal = || each.iter().filter(|reading| !legal.contains(reading)).copied();
        // The only legal reading may not be the one that was meant.
        let doubts: Vec<Reading> = match legal.is_empty() {
            true => Vec::new(),
            false => refused
                .iter()
                .chain(illegal())
                .filter(|one| {
                    legal.iter().any(|can| can.name == one.name) && is_sensible(played, player, one)
                })
                .cloned()
                .collect(),
        };
        let unordered =
            each.len() > 1 && each.iter().any(|reading| has_no_order(game, tokens, &reading.name));
        let begun_alike = begun_alike(played, player, &legal, &whole, &parts);
        match legal.len() {
            0 if refused.is_empty() => refused = most_fitting(played, player, each),
            0 => {}
            _ if let Some(others) = &begun_alike => {
                return Understood::Which([legal, others.clone()].concat(), doubts);
            }
            1 if doubts.is_empty() && !unordered => return Understood::Move(legal[0].clone()),
            _ => return Understood::Which(legal, doubts),
        }
    }
    match (refused.is_empty(), part) {
        (false, _) => Understood::Refused(refused),
        (true, Some((name, given))) => Understood::Incomplete(name, given && none_fits),
        (true, None) => Understood::Nothing,
    }
}

/// Where a line is only the beginning of a move's name and begins the name of another move just as well, which has arguments,
/// returns the legal moves of that other name, as far as they are known.
fn begun_alike(
    played: &Match,
    player: usize,
    legal: &[Reading],
    whole: &[Reading],
    parts: &[(&Move, Filled)],
) -> Option<Vec<Reading>> {
    let begun = legal.iter().find(|reading| reading.changes.0.contains(&Change::Beginning))?;
    let offered = played.offered_to(player);
    let rivals = parts.iter().filter(|(mv, filled)| {
        let apart = legal.iter().all(|reading| reading.name != mv.name);
        let offered = offered.iter().any(|own| own.name == mv.name);
        apart && offered && filled.args.is_empty() && filled.changes == begun.changes
    });
    let names: Vec<&str> = rivals.map(|(mv, _)| mv.name.as_str()).collect();
    // If too many moves are legal to list them, the question is only whether this one was meant.
    let listed = played.some_legal(player, MANY).is_ok_and(|(_, more)| !more);
    let others: Vec<Reading> =
        whole.iter().filter(|reading| names.contains(&reading.name.as_str())).cloned().collect();
    if names.is_empty() || listed && others.is_empty() {
        return None;
    }
    Some(others)
}

/// Returns the places where a move may begin: the start, or after a word that only says that a move is made.
fn beginnings(reader: &Reader) -> Vec<(At, &'static [Change])> {
    let verb = reader
        .tokens
        .first()
        .is_some_and(|token| token.kind == Kind::Run && VERBS.iter().any(|verb| same(verb, &token.text)))
        // Where a move is called so, that move is meant.
        && !reader.is_move(0);
    let at = |token: usize| At { token, byte: 0 };
    let second = verb.then_some((at(1), &[Change::Split] as &[Change]));
    [(at(0), &[] as &[Change])].into_iter().chain(second).collect()
}

/// Returns the readings of a line that begins with the name of a move.
fn named<'m>(played: &'m Match, reader: &mut Reader) -> Vec<(&'m Move, Filled)> {
    let moves = &played.rules.game.moves;
    let mut found = Vec::new();
    for (at, skipped) in beginnings(reader) {
        for (name, end, changes) in reader.word(at, moves.iter().map(|mv| mv.name.as_str())) {
            let changes = [skipped, &changes].concat();
            for mv in moves.iter().filter(|mv| mv.name == name) {
                found.extend(reader.arguments(mv, end, &changes).into_iter().map(|filled| (mv, filled)));
            }
        }
        for mv in moves {
            // Some of its words, in their order; each of them may also be an argument.
            let mut end = at;
            for word in mv.name.split('_').filter(|word| *word != mv.name && word.len() > 1) {
                let Some(after) = reader.whole_word(end, word) else { continue };
                end = after;
                let changes = [skipped, &[Change::MissingName]].concat();
                found.extend(reader.arguments(mv, end, &changes).into_iter().map(|filled| (mv, filled)));
            }
        }
    }
    found
}

/// Returns the readings of a line that ends with the name of a move: `a1 across`.
fn name_last<'m>(played: &'m Match, tokens: &[Token]) -> Vec<(&'m Move, Filled)> {
    let Some((name, rest)) = tokens.split_last().filter(|(_, rest)| !rest.is_empty()) else {
        return Vec::new();
    };
    let turned: Vec<Token> = [name].into_iter().chain(rest).cloned().collect();
    let mut found = named(played, &mut Reader::new(&played.rules.game, played.players(), &turned));
    found.retain(|(_, filled)| !filled.args.is_empty());
    found.iter_mut().for_each(|(_, filled)| filled.changes = filled.changes.and(&[Change::Order]));
    found
}

/// Returns the readings of a line that has only arguments.
fn nameless<'m>(played: &'m Match, player: usize, reader: &mut Reader) -> Vec<(&'m Move, Filled)> {
    let mut found = Vec::new();
    let mut offered = match played.offered_to(player) {
        mine if mine.is_empty() => played.offered(),
        mine => mine,
    };
    // A move that is only for those who cannot move otherwise may be meant all the same, and is refused then.
    let closed =
        played.offered_if_stuck().into_iter().filter(|mv| offered.iter().all(|own| own.name != mv.name));
    let closed: Vec<&Move> = closed.collect();
    offered.extend(closed);
    for mv in offered {
        for (at, _) in beginnings(reader) {
            let read = reader.arguments(mv, at, &[Change::MissingName]);
            found
                .extend(read.into_iter().filter(|filled| !filled.args.is_empty()).map(|filled| (mv, filled)));
        }
    }
    found
}

/// Returns the legal moves that have the typed arguments; `None` if `parts` is empty or too many are legal.
fn completed(played: &Match, player: usize, parts: &[(&Move, Filled)]) -> Option<Vec<Reading>> {
    if parts.is_empty() {
        return None;
    }
    let Ok((legal, false)) = played.some_legal(player, MANY) else { return None };
    let mut found = Vec::new();
    for entry in &legal {
        let json = played.entry_json(entry);
        let Some(args) = json["args"].as_object() else { continue };
        for (mv, filled) in parts.iter().filter(|(mv, _)| mv.name == entry.name) {
            let fits = filled.args.iter().all(|(name, value)| args.get(name) == Some(value));
            // A move with unbounded arguments is listed among the legal ones without them.
            if fits && args.len() == chosen(mv).count() {
                let mut changes = filled.changes.and(&[Change::MissingArgument]);
                if passes_over(mv, filled) {
                    changes = changes.and(&[Change::PassedOver]);
                }
                found.push(Reading { name: mv.name.clone(), args: args.clone(), changes });
            }
        }
    }
    Some(found)
}

/// Whether a parameter without a value stands in front of one of the same type that has one.
fn passes_over(mv: &Move, filled: &Filled) -> bool {
    let params: Vec<_> = chosen(mv).collect();
    let given = |at: usize| filled.args.contains_key(&params[at].name);
    (0..params.len())
        .any(|at| !given(at) && (at + 1..params.len()).any(|to| given(to) && params[to].ty == params[at].ty))
}

/// Returns the legal moves with a value of several parts, such as the suit and the number of a card, that have all of the
/// typed words among theirs, in any order.
fn by_parts(played: &Match, player: usize, tokens: &[Token], before: &[Change]) -> Vec<Reading> {
    let has_parts = |mv: &&Move| chosen(mv).any(|param| matches!(param.ty, Type::Tuple(_)));
    let moves: Vec<&Move> = played.rules.game.moves.iter().filter(has_parts).collect();
    let typed = spelled_out(&played.rules.game, tokens);
    let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
    let Some((legal, false)) = played.some_legal(player, MANY).ok().filter(|_| !moves.is_empty()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in &legal {
        let json = played.entry_json(entry);
        let (Some(mv), Some(args)) =
            (moves.iter().find(|mv| mv.name == entry.name), json["args"].as_object())
        else {
            continue;
        };
        let Some(words) = self::tokens(&move_text(played, &entry.name, args)) else { continue };
        let mut left: Vec<&str> = runs(&words).collect();
        let fits = typed.iter().all(|word| {
            let by_beginning = |name: &&str| {
                let letters = word.chars().all(char::is_alphabetic);
                same(word, name) || letters && name.to_lowercase().starts_with(&word.to_lowercase())
            };
            let at =
                left.iter().position(|name| same(word, name)).or_else(|| left.iter().position(by_beginning));
            at.map(|at| left.remove(at)).is_some()
        });
        let named = !left.contains(&mv.name.as_str());
        let given = typed.len() - usize::from(named);
        if !fits || given == 0 || args.len() != chosen(mv).count() {
            continue;
        }
        let missing = left.len() - usize::from(!named);
        // The parts of a single value cannot be mistaken for each other if at most one is a number.
        let numbers = runs(&words).filter(|word| word.chars().all(|c| c.is_ascii_digit())).count();
        let plain = numbers <= 1 && chosen(mv).count() == 1;
        let order = (given > 1 && !plain).then_some(Change::Order);
        let lacking = (missing > 0).then_some(Change::MissingArgument);
        let nameless = (!named).then_some(Change::MissingName);
        let all: Vec<Change> = order.into_iter().chain(lacking).chain(nameless).collect();
        let changes = Changes::of(before).and(&all);
        found.push(Reading { name: mv.name.clone(), args: args.clone(), changes });
    }
    found
}

/// Returns the words and numbers among tokens.
fn runs(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens.iter().filter(|token| token.kind == Kind::Run).map(|token| token.text.as_str())
}

/// Returns the words and numbers of a line as they stand in moves: `7♥` and `seven of hearts` are `7` and `hearts`.
fn spelled_out(game: &Game, tokens: &[Token]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for run in runs(tokens) {
        if game.symbols.iter().any(|name| same(name, run)) {
            out.push(run.to_string());
            continue;
        }
        let mut kind = None;
        for c in run.chars() {
            let suit = SUITS.iter().find(|suit| suit.sign == c);
            let now = (c.is_ascii_digit(), suit.is_some());
            match (suit, out.last_mut()) {
                (Some(suit), _) => out.push(suit.name.to_string()),
                (None, Some(last)) if kind == Some(now) => last.push(c),
                _ => out.push(c.to_string()),
            }
            kind = Some(now);
        }
    }
    for word in &mut out {
        if let Some(number) = NUMBER_WORDS.iter().position(|number| same(number, word)) {
            *word = (number + 1).to_string();
        }
    }
    out.retain(|word| !JOINING.iter().any(|joins| same(joins, word)));
    out
}

fn well_typed(played: &Match, reading: &Reading) -> bool {
    let game = &played.rules.game;
    let mv = game.moves.iter().find(|mv| mv.name == reading.name);
    let fits = |param: &crate::ir::Param| {
        reading.args.get(&param.name).is_some_and(|json| read_json(game, &param.ty, json).is_ok())
    };
    mv.is_some_and(|mv| chosen(mv).all(fits)) && given_twice(game, &reading.name, &reading.args).is_none()
}

/// Returns an element that is given twice for an argument that is a set.
pub fn given_twice(game: &Game, name: &str, args: &Map<String, Json>) -> Option<String> {
    let mv = game.moves.iter().find(|mv| mv.name == name)?;
    chosen(mv).filter(|param| matches!(param.ty, Type::Set(_))).find_map(|param| {
        let items = args.get(&param.name)?.as_array()?;
        let twice = items.iter().enumerate().find(|(at, item)| items[..*at].contains(item))?.1;
        Some(twice.as_str().map_or_else(|| twice.to_string(), str::to_string))
    })
}

fn is_legal(played: &Match, player: usize, reading: &Reading) -> bool {
    let told = played.why(player, &reading.name, &reading.args);
    told.is_ok_and(|told| told.iter().all(|(holds, _)| *holds))
}

/// Returns those of several illegal readings that meet the most rules: a player who can take a piece but types a mere step
/// is told that about the step.
fn most_fitting(played: &Match, player: usize, readings: Vec<&Reading>) -> Vec<Reading> {
    let met = |reading: &Reading| {
        let told = played.why(player, &reading.name, &reading.args).unwrap_or_default();
        told.iter().filter(|(holds, _)| *holds).count()
    };
    let met: Vec<usize> = readings.iter().map(|reading| met(reading)).collect();
    let most = met.iter().max().copied().unwrap_or(0);
    // Readings as the same move differ in what its values are; that is for the player to say.
    let one_move = readings.iter().all(|reading| reading.name == readings[0].name);
    let kept = readings.into_iter().zip(met).filter(|(_, met)| one_move || *met == most);
    kept.map(|(reading, _)| reading.clone()).collect()
}

/// Whether a reading is a move that the player could mean, legal or not: every argument is one of those that
/// its parameter is chosen from.
fn is_sensible(played: &Match, player: usize, reading: &Reading) -> bool {
    let mv = played.rules.game.moves.iter().find(|mv| mv.name == reading.name);
    let params = mv.map_or(0, |mv| chosen(mv).count());
    let told = played.why(player, &reading.name, &reading.args).unwrap_or_default();
    params > 0 && told.len() >= params && told[..params].iter().all(|(holds, _)| *holds)
}

/// Whether a line leaves the order of a move's arguments open, as `3 from 4` does, unless the word names one
/// of them.
fn has_no_order(game: &Game, tokens: &[Token], name: &str) -> bool {
    let params = || game.moves.iter().filter(|mv| mv.name == name).flat_map(chosen).map(|param| &param.name);
    let others = || game.moves.iter().map(|mv| &mv.name).chain(&game.symbols).chain(&game.seats.roles);
    let names = |word: &str| params().chain(others()).any(|known| same(known, word));
    tokens.iter().any(|token| FROM.iter().any(|from| same(from, &token.text)) && !names(&token.text))
}

#[cfg(test)]
mod tests;

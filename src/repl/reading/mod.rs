//! Moves as people write them: every way in which a line can be a move of this position, the nearest first.
//!
//! A line is taken apart into tokens, and these are held against the names of the moves and the types of their
//! arguments. Each reading knows what of it was changed ([`Change`]); the farthest change ranks it, then the next. Of the
//! readings of the nearest rank the legal ones count: one is taken, among several the player chooses, and where none is
//! legal it says why. Nothing is guessed.

#[cfg(test)]
mod tests;
mod tokens;
mod values;

use serde_json::{Map, Value as Json};

use crate::ir::Move;
use crate::play::{Match, chosen, read_json};
use tokens::{Kind, tokens};
use values::{At, Filled, Reader, same};

/// How many legal moves are gone through to complete one of which only a part was typed.
const MANY: usize = 2000;
/// Words in front of a move that say only that one is made.
const VERBS: &[&str] = &["move", "play", "choose", "take", "put", "i"];

/// What stands between a line and the move that it is read as, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Capital letters for small ones, or the other way round.
    Case,
    /// The beginning of a word for the word.
    Beginning,
    /// What stands together is parted, or parted otherwise: `flip4`, `a2-a3`, `at 4`.
    Split,
    /// The name of the move is not there.
    MissingName,
    /// The arguments stand in another order than that of the move.
    Order,
    /// Arguments are not there that only some legal moves have.
    MissingArgument,
    /// One letter is wrong, too many, missing, or changed places with the next.
    Typing,
}

/// All that was changed, the farthest first: readings are ranked by it.
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

    /// Whether this differs from another reading's changes in the notation alone.
    fn notates(&self, other: &Changes) -> bool {
        let others = |changes: &Changes| -> Vec<Change> {
            let far = |change: &&Change| !matches!(change, Change::Case | Change::Split);
            changes.0.iter().filter(far).copied().collect()
        };
        others(self) == others(other)
    }

    /// Whether something was changed that the player may not have meant.
    pub fn bold(&self) -> bool {
        self.0.iter().any(|change| *change >= Change::Order)
    }

    /// Whether arguments are not there.
    pub fn lacks_arguments(&self) -> bool {
        self.0.contains(&Change::MissingArgument)
    }
}

/// A line as a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The move.
    pub name: String,
    /// Its arguments.
    pub args: Map<String, Json>,
    /// What of the line was changed.
    pub changes: Changes,
}

/// What a line is understood as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Understood {
    /// A legal move.
    Move(Reading),
    /// One of several legal moves.
    Which(Vec<Reading>),
    /// Moves that are not legal, the same distance away.
    Refused(Vec<Reading>),
    /// A move of which arguments are missing: its name, and whether none that is legal has those that are there.
    Incomplete(String, bool),
    /// No move.
    Nothing,
}

/// Understands a line that a player (from 1) types who is to choose.
pub fn understand(played: &Match, player: usize, line: &str) -> Understood {
    let Some(tokens) = tokens(line) else { return Understood::Nothing };
    let mut reader = Reader::new(&played.rules.game, played.players(), &tokens);
    let found = named(played, &mut reader).into_iter().chain(nameless(played, &mut reader));
    let (mut whole, mut parts) = (Vec::new(), Vec::new());
    for (mv, filled) in found {
        match chosen(mv).all(|param| filled.args.contains_key(&param.name)) {
            true => whole.push(Reading { name: mv.name.clone(), args: filled.args, changes: filled.changes }),
            false => parts.push((mv, filled)),
        }
    }
    let nearest = parts.iter().min_by_key(|(_, filled)| filled.changes.clone());
    let part = nearest.map(|(mv, filled)| (mv.name.clone(), !filled.args.is_empty()));
    let fitting = completed(played, player, &parts);
    let none_fits = fitting.as_ref().is_some_and(Vec::is_empty);
    whole.extend(fitting.unwrap_or_default());
    whole.retain(|reading| well_typed(played, reading));
    whole.sort_by(|a, b| a.changes.cmp(&b.changes));
    let mut refused = Vec::new();
    for rank in whole.chunk_by(|a, b| a.changes == b.changes) {
        // Behind a reading that is refused, only another notation of all that was typed can be meant.
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
        match legal.len() {
            0 if refused.is_empty() => refused = each.into_iter().cloned().collect(),
            0 => {}
            1 => return Understood::Move(legal[0].clone()),
            _ => return Understood::Which(legal),
        }
    }
    match (refused.is_empty(), part) {
        (false, _) => Understood::Refused(refused),
        (true, Some((name, given))) => Understood::Incomplete(name, given && none_fits),
        (true, None) => Understood::Nothing,
    }
}

/// The places where a line may begin: behind a word, too, that says no more than that a move is made.
fn beginnings(reader: &Reader) -> Vec<(At, &'static [Change])> {
    let verb = reader
        .tokens
        .first()
        .is_some_and(|token| token.kind == Kind::Run && VERBS.iter().any(|verb| same(verb, &token.text)));
    let at = |token: usize| At { token, byte: 0 };
    let second = verb.then_some((at(1), &[Change::Split] as &[Change]));
    [(at(0), &[] as &[Change])].into_iter().chain(second).collect()
}

/// Readings of a line that begins with the name of a move.
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
    }
    found
}

/// Readings of a line that has arguments alone.
fn nameless<'m>(played: &'m Match, reader: &mut Reader) -> Vec<(&'m Move, Filled)> {
    let mut found = Vec::new();
    for mv in played.offered() {
        for (at, _) in beginnings(reader) {
            let read = reader.arguments(mv, at, &[Change::MissingName]);
            found
                .extend(read.into_iter().filter(|filled| !filled.args.is_empty()).map(|filled| (mv, filled)));
        }
    }
    found
}

/// The legal moves that have the arguments that were typed; `None` where there are too many legal moves to say.
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
            // A move with arguments that have no end stands among the legal ones without them.
            if fits && args.len() == chosen(mv).count() {
                let changes = filled.changes.and(&[Change::MissingArgument]);
                found.push(Reading { name: mv.name.clone(), args: args.clone(), changes });
            }
        }
    }
    Some(found)
}

fn well_typed(played: &Match, reading: &Reading) -> bool {
    let game = &played.rules.game;
    let mv = game.moves.iter().find(|mv| mv.name == reading.name);
    let fits = |param: &crate::ir::Param| {
        reading.args.get(&param.name).is_some_and(|json| read_json(game, &param.ty, json).is_ok())
    };
    mv.is_some_and(|mv| chosen(mv).all(fits))
}

fn is_legal(played: &Match, player: usize, reading: &Reading) -> bool {
    let told = played.why(player, &reading.name, &reading.args);
    told.is_ok_and(|told| told.iter().all(|(holds, _)| *holds))
}

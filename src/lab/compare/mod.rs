//! Compares two games: whether they are the same, where they part if not, and what differs in their matches.
//!
//! Games are the same if the same choices and draws are possible in both, by the same seats and with the same
//! odds, and lead to the same winners and points. What players see of the table is not compared.

mod dictionary;
mod figures;
mod matches;
mod parting;
mod stop;
mod trees;

pub use dictionary::Renamed;
pub(super) use figures::compare_pairs;
pub use figures::{Compared, Estimate, Sample, compare_figures, estimates, studied};
pub use parting::{Difference, Parting, Waits};
pub use trees::Trees;

use std::ops::Range;
use std::sync::Arc;

use dictionary::Dictionary;
use stop::GamePair;

use crate::bots::is_open;
use crate::diag::Code;
use crate::engine::Engine;
use crate::explore::Crew;
use crate::play::Rules;

/// One of two games that are compared.
#[derive(Debug)]
pub struct Side<'a, E> {
    /// The name that distinguishes it from the other: the file, or the options that differ.
    pub name: String,
    /// The rules.
    pub rules: &'a Arc<Rules>,
    /// The engine that plays them, with options and number of players fixed.
    pub engine: &'a E,
}

/// How much to compare.
pub struct Limits<'l> {
    /// The most pairs of positions.
    pub positions: u64,
    /// The number of random matches.
    pub matches: u64,
    /// The seed of the random matches.
    pub seed: u64,
    /// The number of steps after which such a match is abandoned.
    pub max_steps: u64,
    /// Called with the number of matches or of positions compared so far, before comparing more; returning `false`
    /// stops this part of the comparison.
    pub watch: &'l (dyn Fn(Work, u64) -> bool + Sync),
}

/// A part of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Random matches of both games, side by side.
    Matches,
    /// The positions of both games, breadth-first.
    Positions,
}

/// The result of comparing two games.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The options that make all the difference, if the rules read none of them; then nothing is played.
    pub unread: Vec<String>,
    /// What has other names in the second game, if the games were compared under a renaming.
    pub renamed: Vec<Renamed>,
    /// How far the game trees were compared.
    pub trees: Trees,
    /// The number of random matches that were played side by side.
    pub matches: u64,
    /// Where the games part; `None` if no such place was found.
    pub parting: Option<Parting>,
    /// Whether one of the games hides something from players. What each player sees is not compared.
    pub hides: bool,
}

impl Comparison {
    /// Whether it is certain that no match parts after fewer choices.
    pub fn parts_nowhere_earlier(&self) -> bool {
        let far = |parting: &Parting| !self.trees.sampled && self.trees.depth >= parting.choices() as u64;
        self.parting.as_ref().is_some_and(|parting| parting.in_match.is_none() || far(parting))
    }
}

/// The number of matches in one task of the crew.
const PIECE: u64 = 8;

/// Compares two games: first random matches, which soon find most differences, however deep, then their positions,
/// breadth-first from the start. The same limits give the same result on every machine and with any crew.
pub fn compare<E: Engine + Sync>(sides: &[Side<E>; 2], limits: &Limits, crew: Crew) -> Comparison
where
    E::State: Send + Sync,
{
    let unread = unread(sides);
    if !unread.is_empty() {
        let (renamed, trees) = (Vec::new(), Trees { complete: true, ..Trees::default() });
        return Comparison { unread, renamed, trees, matches: 0, parting: None, hides: false };
    }
    let games = [0, 1].map(|at| &*sides[at].rules.game);
    let named = Dictionary::by_name(games[0], games[1]);
    // Other names mean other moves, unless everything else is the same.
    if let Some(words) = Dictionary::by_order(games[0], games[1]) {
        let found = compare_under(sides, words, limits, false, crew);
        if found.parting.is_none() {
            return found;
        }
    }
    compare_under(sides, named, limits, true, crew)
}

/// Returns the options in which two settings of the same rules differ, if the rules read none of them.
fn unread<E: Engine>(sides: &[Side<E>; 2]) -> Vec<String> {
    let [one, other] = sides.each_ref().map(|side| &side.engine.machine().setup);
    let rules = sides[0].rules;
    if rules.hash != sides[1].rules.hash || one.players != other.players {
        return Vec::new();
    }
    let options = rules.game.options.iter().zip(one.options.iter().zip(&other.options));
    let differ: Vec<_> = options.filter(|(_, (one, other))| one != other).map(|(option, _)| option).collect();
    let is_unread =
        |span| rules.warnings.iter().any(|found| found.code == Code::Unused && found.span() == span);
    match differ.iter().all(|option| is_unread(option.span)) {
        true => differ.into_iter().map(|option| option.name.clone()).collect(),
        false => Vec::new(),
    }
}

/// Compares two games under a given dictionary. If they part in a match, nearer partings are only searched for if asked
/// to.
fn compare_under<E: Engine + Sync>(
    sides: &[Side<E>; 2],
    words: Dictionary,
    limits: &Limits,
    nearest: bool,
    crew: Crew,
) -> Comparison
where
    E::State: Send + Sync,
{
    let renamed = words.renamed.clone();
    let two = GamePair::new([sides[0].engine, sides[1].engine], words);
    let (matches, parted) = in_matches(&two, limits, crew);
    let (trees, parting) = match &parted {
        Some(_) if !nearest => (Trees::default(), None),
        _ => trees::compare(&two, limits, parted.as_ref().map(|parted| parted.choices() as u64), crew),
    };
    let hides = sides.iter().any(|side| !is_open(&side.rules.game));
    Comparison { unread: Vec::new(), renamed, trees, matches, parting: parting.or(parted), hides }
}

/// Plays random matches of both games until they part in one. Returns how many were played, and the earliest parting.
fn in_matches<E: Engine + Sync>(two: &GamePair<E>, limits: &Limits, crew: Crew) -> (u64, Option<Parting>)
where
    E::State: Send + Sync,
{
    let (mut matches, mut parting) = (0, None);
    while parting.is_none() && matches < limits.matches && (limits.watch)(Work::Matches, matches) {
        let round = (limits.matches - matches).min(8 * PIECE);
        let piece = |at: u64| -> Range<u64> {
            matches + at * PIECE..(matches + (at + 1) * PIECE).min(matches + round)
        };
        let pieces = round.div_ceil(PIECE) as usize;
        let found = crate::explore::all(crew, pieces, |at| {
            matches::play(two, limits.seed, piece(at as u64), limits.max_steps)
        });
        parting = found.into_iter().flatten().min_by_key(|parting| parting.steps[0].len());
        matches += round;
    }
    (matches, parting)
}

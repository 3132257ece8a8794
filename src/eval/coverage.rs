//! What of the rules has run, counted while the reference evaluator plays; `parts` tells it by the lines of the file.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ir::{Game, MoveId, Pc, WinnerBy};
use crate::source::Span;

/// What of the rules has run, and how often. A machine counts in it once it is [watched](super::Machine::watched); several
/// may count in one, on several threads too: what is added up does not depend on the order.
#[derive(Debug)]
pub struct Coverage {
    /// Where the counts of each sort begin in `counts`.
    at: Sections,
    counts: Vec<AtomicU64>,
    /// How often each arm of an `if` or `case` that is an expression was taken, by its place and number.
    arms: Mutex<BTreeMap<(Span, usize), u64>>,
}

/// Where the counts of each sort begin.
#[derive(Debug, Default)]
struct Sections {
    /// Of each op, how often its condition held. Before these: how often each op ran.
    held: usize,
    /// Of each choice: how often it was met, how often a seat was stuck in it, then how often each offer was chosen.
    choices: Vec<usize>,
    /// Of each move, how often each of its needs was asked, and how often it refused, in turns.
    checks: Vec<usize>,
    /// Of each function, how often it was called.
    functions: usize,
    /// Of each seat, how often its score was counted.
    scores: usize,
    /// How often each way to decide the match was needed.
    ways: usize,
}

impl Coverage {
    /// Nothing has run yet.
    pub fn new(game: &Game) -> Coverage {
        let mut next = 2 * game.code.len();
        let mut take = |many: usize| {
            next += many;
            next - many
        };
        let offers = |choice: &crate::ir::Choice| choice.offers.len() + choice.otherwise.len();
        let ways = match game.winner.as_ref().map(|winner| &winner.by) {
            Some(WinnerBy::Best(keys)) => keys.len(),
            _ => 1,
        };
        let at = Sections {
            held: game.code.len(),
            choices: game.choices.iter().map(|choice| take(2 + offers(choice))).collect(),
            checks: game.moves.iter().map(|mv| take(2 * mv.checks.len())).collect(),
            functions: take(game.functions.len()),
            scores: take(crate::ir::MAX_PLAYERS),
            ways: take(ways),
        };
        let counts = (0..next).map(|_| AtomicU64::new(0)).collect();
        Coverage { at, counts, arms: Mutex::default() }
    }

    /// Adds what another counted of the same game.
    pub fn add(&self, other: &Coverage) {
        for (own, others) in self.counts.iter().zip(&other.counts) {
            own.fetch_add(others.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        // One after the other, so that no two are held at once.
        let others = other.arms().clone();
        let mut arms = self.arms();
        for (arm, count) in others {
            *arms.entry(arm).or_default() += count;
        }
    }

    /// How often each part that is counted has run, but for the arms of expressions; in the same order for the same game.
    pub fn counts(&self) -> impl Iterator<Item = u64> {
        self.counts.iter().map(|count| count.load(Ordering::Relaxed))
    }

    fn arms(&self) -> MutexGuard<'_, BTreeMap<(Span, usize), u64>> {
        self.arms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, at: usize) {
        self.counts[at].fetch_add(1, Ordering::Relaxed);
    }

    fn read(&self, at: usize) -> u64 {
        self.counts[at].load(Ordering::Relaxed)
    }

    // ---- what the evaluator tells

    pub(super) fn runs(&self, pc: Pc) {
        self.count(pc);
    }

    pub(super) fn holds(&self, pc: Pc) {
        self.count(self.at.held + pc);
    }

    pub(super) fn is_met(&self, choice: usize) {
        self.count(self.at.choices[choice]);
    }

    pub(super) fn is_stuck(&self, choice: usize) {
        self.count(self.at.choices[choice] + 1);
    }

    pub(super) fn is_chosen(&self, choice: usize, offer: usize) {
        self.count(self.at.choices[choice] + 2 + offer);
    }

    pub(super) fn is_needed(&self, mv: MoveId, check: usize, holds: bool) {
        self.count(self.at.checks[mv] + 2 * check);
        if !holds {
            self.count(self.at.checks[mv] + 2 * check + 1);
        }
    }

    pub(super) fn is_called(&self, function: usize) {
        self.count(self.at.functions + function);
    }

    pub(super) fn is_scored(&self, seat: usize) {
        self.count(self.at.scores + seat);
    }

    pub(super) fn is_decided(&self, way: usize) {
        self.count(self.at.ways + way);
    }

    pub(super) fn takes_arm(&self, span: Span, at: usize) {
        *self.arms().entry((span, at)).or_default() += 1;
    }

    // ---- what was counted

    /// How often an op of the automaton ran.
    pub fn ran(&self, pc: Pc) -> u64 {
        // What is written behind the last op has none.
        if pc < self.at.held { self.read(pc) } else { 0 }
    }

    /// How often the condition of an op held.
    pub(super) fn held(&self, pc: Pc) -> u64 {
        self.read(self.at.held + pc)
    }

    /// How often a choice was met by somebody who could choose: by each of those who choose together.
    pub(super) fn met(&self, choice: usize) -> u64 {
        self.read(self.at.choices[choice])
    }

    /// How often a seat was stuck in a choice.
    pub(super) fn stuck(&self, choice: usize) -> u64 {
        self.read(self.at.choices[choice] + 1)
    }

    /// How often an offer was chosen; its number counts the first offers, then the others.
    pub(super) fn chosen(&self, choice: usize, offer: usize) -> u64 {
        self.read(self.at.choices[choice] + 2 + offer)
    }

    /// How often a need was asked, and how often it refused.
    pub(super) fn needed(&self, mv: MoveId, check: usize) -> (u64, u64) {
        let at = self.at.checks[mv] + 2 * check;
        (self.read(at), self.read(at + 1))
    }

    /// How often a function was called.
    pub(super) fn called(&self, function: usize) -> u64 {
        self.read(self.at.functions + function)
    }

    /// How often the score of a seat was counted.
    pub(super) fn scored(&self, seat: usize) -> u64 {
        self.read(self.at.scores + seat)
    }

    /// How often a way to decide the match was needed: the first whenever a match was decided, each of the others
    /// where those before it left several players.
    pub(super) fn decided(&self, way: usize) -> u64 {
        self.read(self.at.ways + way)
    }

    /// How often an arm of an `if` or `case` that is an expression was taken.
    pub(super) fn arm(&self, span: Span, at: usize) -> u64 {
        self.arms().get(&(span, at)).copied().unwrap_or(0)
    }
}

//! Counts what of the rules runs in the reference evaluator; `parts` reports it by the lines of the file.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ir::{Game, MoveId, Pc, WinnerBy};
use crate::source::Span;

/// What of the rules has run, and how often. A [watched](super::Machine::with_full_coverage) machine counts
/// here; several machines and threads may share one, because sums do not depend on the order.
#[derive(Debug)]
pub struct Coverage {
    /// Where the counts of each kind begin in `counts`.
    at: Sections,
    counts: Vec<AtomicU64>,
    /// How often each arm of an `if` or `case` expression was taken, by its span and number.
    arms: Mutex<BTreeMap<(Span, usize), u64>>,
}

/// Where the counts of each kind begin.
#[derive(Debug, Default)]
struct Sections {
    /// For each op, how often its condition held. Before these: how often each op ran.
    held: usize,
    /// For each choice: how often it was met, how often a seat was stuck, how often each offer was chosen.
    choices: Vec<usize>,
    /// For each move: how often each check was asked and how often it refused, alternating.
    checks: Vec<usize>,
    /// For each function, how often it was called.
    functions: usize,
    /// For each seat, how often its score was computed.
    scores: usize,
    /// For each way of deciding the match, how often it was needed.
    ways: usize,
}

impl Coverage {
    /// Creates a coverage in which nothing has run yet.
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

    /// Adds the counts of another coverage of the same game.
    pub fn add(&self, other: &Coverage) {
        for (own, others) in self.counts.iter().zip(&other.counts) {
            own.fetch_add(others.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        // The locks are taken one after the other, so that no two are held at once.
        let others = other.arms().clone();
        let mut arms = self.arms();
        for (arm, count) in others {
            *arms.entry(arm).or_default() += count;
        }
    }

    /// Returns all counts except those of expression arms, in an order that is fixed for a game.
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

    // ---- recording

    pub(super) fn record_op(&self, pc: Pc) {
        self.count(pc);
    }

    pub(super) fn record_condition(&self, pc: Pc) {
        self.count(self.at.held + pc);
    }

    pub(super) fn record_choice(&self, choice: usize) {
        self.count(self.at.choices[choice]);
    }

    pub(super) fn record_stuck(&self, choice: usize) {
        self.count(self.at.choices[choice] + 1);
    }

    pub(super) fn record_offer(&self, choice: usize, offer: usize) {
        self.count(self.at.choices[choice] + 2 + offer);
    }

    pub(super) fn record_need(&self, mv: MoveId, check: usize, holds: bool) {
        self.count(self.at.checks[mv] + 2 * check);
        if !holds {
            self.count(self.at.checks[mv] + 2 * check + 1);
        }
    }

    pub(super) fn record_call(&self, function: usize) {
        self.count(self.at.functions + function);
    }

    pub(super) fn record_score(&self, seat: usize) {
        self.count(self.at.scores + seat);
    }

    pub(super) fn record_criterion(&self, way: usize) {
        self.count(self.at.ways + way);
    }

    pub(super) fn record_arm(&self, span: Span, at: usize) {
        *self.arms().entry((span, at)).or_default() += 1;
    }

    // ---- reading

    /// Returns how often an op of the automaton ran.
    pub fn op_count(&self, pc: Pc) -> u64 {
        // The address behind the last op has no count.
        if pc < self.at.held { self.read(pc) } else { 0 }
    }

    /// Returns how often the condition of an op held.
    pub(super) fn condition_count(&self, pc: Pc) -> u64 {
        self.read(self.at.held + pc)
    }

    /// Returns how often a choice was met by a seat that could choose. In a joint choice, each seat counts.
    pub(super) fn choice_count(&self, choice: usize) -> u64 {
        self.read(self.at.choices[choice])
    }

    /// Returns how often a seat was stuck in a choice.
    pub(super) fn stuck_count(&self, choice: usize) -> u64 {
        self.read(self.at.choices[choice] + 1)
    }

    /// Returns how often an offer was chosen, numbered through the first offers and then `otherwise`.
    pub(super) fn offer_count(&self, choice: usize, offer: usize) -> u64 {
        self.read(self.at.choices[choice] + 2 + offer)
    }

    /// Returns how often a need was asked, and how often it refused.
    pub(super) fn need_counts(&self, mv: MoveId, check: usize) -> (u64, u64) {
        let at = self.at.checks[mv] + 2 * check;
        (self.read(at), self.read(at + 1))
    }

    /// Returns how often a function was called.
    pub(super) fn call_count(&self, function: usize) -> u64 {
        self.read(self.at.functions + function)
    }

    /// Returns how often the score of a seat was computed.
    pub(super) fn score_count(&self, seat: usize) -> u64 {
        self.read(self.at.scores + seat)
    }

    /// Returns how often a way of deciding the match was needed: the first for every decided match, each
    /// later one if those before it left several players.
    pub(super) fn criterion_count(&self, way: usize) -> u64 {
        self.read(self.at.ways + way)
    }

    /// Returns how often an arm of an `if` or `case` expression was taken.
    pub(super) fn arm_count(&self, span: Span, at: usize) -> u64 {
        self.arms().get(&(span, at)).copied().unwrap_or(0)
    }
}

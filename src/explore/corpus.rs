//! Where matches begin that look for new behaviour: positions after which some code ran for the first time in
//! the setting, or twice as often as in any match before (coverage-guided fuzzing with counts in powers of
//! two: M. Zalewski, AFL, 2013).

use super::Trace;
use crate::eval::{Coverage, Position};
use crate::num::Rng;

/// How many beginnings are kept; a new one replaces the oldest.
const MOST: usize = 64;
/// Half of the picks come from this many of the newest beginnings, the other half from all.
const NEWEST: usize = 8;

/// The beginnings of matches that are worth continuing.
#[derive(Default)]
pub(super) struct Corpus {
    /// For each part of the rules, the most often it ran in one match, as a power of two: see [`power`].
    most: Vec<u32>,
    kept: Vec<Beginning>,
    /// How many beginnings were ever added.
    added: usize,
}

/// The beginning of a match.
pub(super) struct Beginning {
    pub trace: Trace,
    pub position: Position,
    /// How often each part of the rules has run by then.
    counts: Vec<u64>,
}

/// Returns the bit length of a count: 0 for 0.
fn power(count: u64) -> u32 {
    u64::BITS - count.leading_zeros()
}

impl Corpus {
    /// Picks a beginning to continue, if there is one.
    pub fn pick(&self, rng: &mut Rng) -> Option<&Beginning> {
        let newest = self.kept.len().min(NEWEST);
        let all = self.kept.len() as u64;
        match all {
            0 => None,
            _ if rng.below_u64(2) == 0 => self.kept.get(rng.below_u64(all) as usize),
            // The last one added is just before the slot that is replaced next.
            _ => self.kept.get((self.added - 1 - rng.below_u64(newest as u64) as usize) % MOST),
        }
    }

    /// Adds the last new position of a match, unless other matches have got as far in the meantime.
    pub fn join(&mut self, seeker: Seeker, trace: &Trace) {
        let fresh = raise(&mut self.most, &seeker.counts);
        if let (true, Some((steps, position, counts))) = (fresh, seeker.last) {
            let beginning = Beginning { trace: trace.upto(steps), position, counts };
            match self.kept.len() {
                MOST => self.kept[self.added % MOST] = beginning,
                _ => self.kept.push(beginning),
            }
            self.added += 1;
        }
    }
}

/// Raises each of these powers to that of its count; returns whether any was lower.
fn raise(most: &mut Vec<u32>, counts: &[u64]) -> bool {
    most.resize(counts.len(), 0);
    let mut raised = false;
    for (most, count) in most.iter_mut().zip(counts) {
        raised |= power(*count) > *most;
        *most = power(*count).max(*most);
    }
    raised
}

/// Watches a match while it is played, for anything new in it.
#[derive(Default)]
pub(super) struct Seeker {
    most: Vec<u32>,
    /// How often each part of the rules had run before the match itself began to count.
    before: Vec<u64>,
    counts: Vec<u64>,
    /// The last stop after something new: the number of steps, the position, and how often each part had run.
    last: Option<(usize, Position, Vec<u64>)>,
}

impl Seeker {
    /// Watches a match that continues from a beginning, or one from the start.
    pub fn new(corpus: &Corpus, from: Option<&Beginning>) -> Seeker {
        let before = from.map_or(Vec::new(), |from| from.counts.clone());
        Seeker { most: corpus.most.clone(), before, ..Seeker::default() }
    }

    /// Checks at a stop whether the coverage has anything new.
    pub fn look(&mut self, coverage: &Coverage, steps: usize, position: &Position) {
        let before = self.before.iter().chain(std::iter::repeat(&0));
        self.counts.clear();
        self.counts.extend(coverage.counts().zip(before).map(|(count, before)| count + before));
        if raise(&mut self.most, &self.counts) {
            self.last = Some((steps, position.clone(), self.counts.clone()));
        }
    }
}

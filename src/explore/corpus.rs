//! Where matches begin that look for what has not happened: positions behind which something ran for the first time in the setting,
//! or twice as often as in any match before (coverage-guided fuzzing, with counts in powers of two: M. Zalewski, AFL, 2013).

use super::Trace;
use crate::eval::{Coverage, Position};
use crate::num::Rng;

/// How many beginnings are kept; a new one takes the place of the oldest.
const MOST: usize = 64;
/// So many of the newest are as likely to be gone on from as all together.
const NEWEST: usize = 8;

/// The beginnings of matches that are worth going on from.
#[derive(Default)]
pub(super) struct Corpus {
    /// Of each part of the rules, the most often it ran in a match, as a power of two.
    most: Vec<u32>,
    kept: Vec<Beginning>,
    /// How many were ever kept.
    added: usize,
}

/// The beginning of a match.
pub(super) struct Beginning {
    pub trace: Trace,
    pub position: Position,
    /// How often each part of the rules has run by then.
    counts: Vec<u64>,
}

/// A power of two for a count: 0 for none.
fn power(count: u64) -> u32 {
    u64::BITS - count.leading_zeros()
}

impl Corpus {
    /// A beginning to go on from, if there is any.
    pub fn pick(&self, rng: &mut Rng) -> Option<&Beginning> {
        let newest = self.kept.len().min(NEWEST);
        let all = self.kept.len() as u64;
        match all {
            0 => None,
            _ if rng.below_u64(2) == 0 => self.kept.get(rng.below_u64(all) as usize),
            // The last that was added stands before the one that goes next.
            _ => self.kept.get((self.added - 1 - rng.below_u64(newest as u64) as usize) % MOST),
        }
    }

    /// Takes over what a match came to; in whatever of it others were first is nothing new.
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

/// Raises each of these powers to that of a count; whether any was lower.
fn raise(most: &mut Vec<u32>, counts: &[u64]) -> bool {
    most.resize(counts.len(), 0);
    let mut raised = false;
    for (most, count) in most.iter_mut().zip(counts) {
        raised |= power(*count) > *most;
        *most = power(*count).max(*most);
    }
    raised
}

/// Looks at a match while it is played for what is new in it.
#[derive(Default)]
pub(super) struct Seeker {
    most: Vec<u32>,
    /// How often each part of the rules had run before what the match itself counts.
    before: Vec<u64>,
    counts: Vec<u64>,
    /// The last stop behind something new: after how many steps, the position, how often each part had run.
    last: Option<(usize, Position, Vec<u64>)>,
}

impl Seeker {
    /// Of a match that goes on from a beginning, or from the start.
    pub fn new(corpus: &Corpus, from: Option<&Beginning>) -> Seeker {
        let before = from.map_or(Vec::new(), |from| from.counts.clone());
        Seeker { most: corpus.most.clone(), before, ..Seeker::default() }
    }

    /// Looks at what has run when the match stops.
    pub fn look(&mut self, coverage: &Coverage, steps: usize, position: &Position) {
        let before = self.before.iter().chain(std::iter::repeat(&0));
        self.counts.clear();
        self.counts.extend(coverage.counts().zip(before).map(|(count, before)| count + before));
        if raise(&mut self.most, &self.counts) {
            self.last = Some((steps, position.clone(), self.counts.clone()));
        }
    }
}

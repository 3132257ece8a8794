//! What a position, or one move of it, is worth to every seat: a search that is judged by what it brings once it has learned.

use super::advice::interval;
use super::worth::Proof;
use super::{Effort, Question, Silent, goes_on};
use crate::engine::Engine;
use crate::eval::Chosen;
use crate::num::Rng;

/// So many positions at least are looked at to see whether the rest of a match can be searched to its end: a hint must not know more than
/// who says how all stand.
const SEARCHED: u64 = 30_000;

/// What each seat can expect of the rest of a match, as one of them knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Each seat's expected share of the win, from 0 to 1; together they are 1, but where somebody plays alone.
    pub shares: Vec<f64>,
    /// How many playouts that is the mean of.
    pub playouts: u64,
    /// How the match ends if all play their best, where that is certain.
    pub end: Option<Proof>,
}

impl Standing {
    /// Of an end that is certain.
    pub fn certain(end: Proof, seats: usize) -> Standing {
        Standing {
            shares: (0..seats).map(|seat| end.share(seat, seats)).collect(),
            playouts: 0,
            end: Some(end),
        }
    }

    /// Between what the share of a seat (from 0) lies, with 19 chances in 20, as far as chance alone decides.
    pub fn interval(&self, seat: usize) -> (f64, f64) {
        match self.end {
            Some(_) => (self.shares[seat], self.shares[seat]),
            None => interval(self.shares[seat], self.playouts),
        }
    }
}

impl<E: Engine + Sync> Question<'_, E>
where
    E::State: Sync,
{
    /// What the choice is worth to every seat; what this one move of it is, where one is named. The rest of the match is searched
    /// to its end where that takes little. Where not, in the first half of the effort the search learns what is good for whom,
    /// and only what the second half brings is counted: a mean over all of it would be that of worse players.
    pub fn weigh(
        &mut self,
        only: Option<&Chosen>,
        effort: Effort,
        rng: &mut Rng,
    ) -> Result<Standing, Silent> {
        let little = match effort {
            Effort::Playouts(playouts) => Effort::Playouts(playouts.saturating_mul(2).max(SEARCHED)),
            Effort::Millis(ms) => Effort::Millis(ms / 4),
        };
        let exact = if only.is_none() { self.exactly(rng, little)? } else { None };
        if let Some(end) = exact.as_ref().and_then(|advice| advice.weighed()?.end) {
            return Ok(Standing::certain(end, self.engine.machine().setup.players));
        }
        let mut search = self.searcher();
        if let Some(chosen) = only {
            search.only(chosen.clone());
        }
        let (half, rest) = match effort {
            Effort::Playouts(playouts) => (Effort::Playouts(playouts / 2), effort),
            Effort::Millis(ms) => (Effort::Millis(ms / 2), Effort::Millis(ms - ms / 2)),
        };
        search.run(self.root, rng, &goes_on(half, self.clock, u64::MAX));
        let learned = search.playouts();
        search.count_anew();
        // The clock is asked from here on; playouts are numbered from the first.
        let goes_on = goes_on(rest, self.clock, u64::MAX);
        search.run(self.root, rng, &|done| done == learned || goes_on(done));
        search.standing()?.ok_or_else(|| {
            Silent::Cannot("the moves of this choice cannot be weighed one against the other".to_string())
        })
    }
}

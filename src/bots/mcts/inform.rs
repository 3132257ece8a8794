//! What the moves of a seat tell it, if something is hidden. Playouts choose at random, so they never use an answer,
//! and to them a good question is worth no more than a bad one. Here each move is made in several positions that
//! are possible as far as the seat knows: the more of them look different afterwards, the more the move tells. This
//! decides which moves are tried first, and between moves that the search finds about equally good.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::choose::MAX_RANKED;
use super::keys::mix_key;
use super::{Roots, Search, Viewpoint};
use crate::engine::{Engine, Stepper};
use crate::eval::Fault;
use crate::num::Rng;

/// How many times a position is drawn, at least and at most; those that are drawn more than once weigh more.
pub(super) const LEAST_LOOKED_IN: usize = 64;
pub(super) const MOST_LOOKED_IN: usize = 256;

/// The most moves that are looked at. If there are more than [`MAX_RANKED`], each is first looked at in
/// [`FIRST_LOOKS`] positions, and only the best are looked at in all.
const MAX_ASKED: u64 = 10_000;
const FIRST_LOOKS: usize = 8;

/// How many times a move is looked at in all at least, if what it brings depends on chance or on others.
const LEAST_LOOKS: usize = 16;

/// A position that is possible as far as the seat knows, and how many times it was drawn.
struct Possible<S> {
    state: S,
    times: f64,
}

/// What a move does in several positions.
struct Looked {
    id: u32,
    /// The mean of what it brings at once: see [`Search::brings`].
    promise: f64,
    /// In how many positions it ends the match; negative if the seat plays for a high score, so that the end is bad.
    ends: f64,
    /// The probability that two different positions look different after it.
    tells: f64,
}

impl<E: Engine> Search<'_, E> {
    /// Ranks the moves of the root: those that bring the most come first, and of these those that tell the most.
    pub(super) fn rank_by_information(
        &mut self,
        root: &mut Roots<E::State>,
        rng: &mut Rng,
    ) -> Result<(), Fault> {
        let possible = if self.only.is_none() { self.possible_positions(root, rng) } else { Vec::new() };
        let Some(first) = possible.first() else { return Ok(()) };
        if self.tree.arm(0, 0).sampled {
            self.list_rows(0, 0, &first.state, MAX_ASKED)?;
        }
        let mut ids = self.tree.untried(0, 0).to_vec();
        // Moves that are too many to be looked at are sampled and ranked later.
        if ids.is_empty() {
            return Ok(());
        }
        for n in (1..ids.len()).rev() {
            ids.swap(n, rng.below_u64(n as u64 + 1) as usize);
        }
        let luck = rng.next_u64();
        let mut looked = Vec::with_capacity(ids.len());
        let few = if ids.len() > MAX_RANKED { FIRST_LOOKS } else { possible.len() };
        for id in ids {
            looked.push(self.look(id, &possible[..few.min(possible.len())], luck)?);
        }
        // `Tree::expand_untried` takes moves from the end.
        looked.sort_by(Looked::ascending);
        if few < possible.len() {
            let from = looked.len() - MAX_RANKED;
            for of in &mut looked[from..] {
                *of = self.look(of.id, &possible, luck)?;
            }
            looked[from..].sort_by(Looked::ascending);
        }
        let arm = *self.tree.arm(0, 0);
        self.priors.learn(0, &arm, looked.iter().map(|of| (of.id, of.promise)));
        let order = looked.iter().map(|of| of.id);
        self.tree.untried_mut(0, 0).iter_mut().zip(order).for_each(|(to, id)| *to = id);
        self.tree.arm_mut(0, 0).ranked = true;
        self.tells = looked.iter().map(|of| (of.id, of.tells)).collect();
        Ok(())
    }

    /// Draws positions from the root.
    fn possible_positions(&mut self, root: &mut Roots<E::State>, rng: &mut Rng) -> Vec<Possible<E::State>> {
        let (mut drawn, mut known) = (Vec::new(), HashMap::new());
        for _ in 0..self.looked_in {
            let Some(state) = root(Viewpoint::Own, rng) else { break };
            self.stepper.lasting_key(&state, &mut self.words);
            let at = *known.entry(self.words.clone()).or_insert(drawn.len());
            if at == drawn.len() {
                drawn.push(Possible { state, times: 0.0 });
            }
            drawn[at].times += 1.0;
        }
        drawn
    }

    /// Returns a hash of what a seat (`None`: a spectator) sees of a position.
    pub(super) fn view_of(&mut self, state: &E::State, seat: Option<usize>) -> u64 {
        self.stepper.view_key(state, seat, &mut self.words);
        self.words.iter().fold(self.words.len() as u64, |key, word| mix_key(key, *word))
    }

    /// Looks at what a move of the root does in each of some positions. What it brings at once depends on chance and on those
    /// who choose at the same time, too, so that these differ from look to look, by `luck`, but are the same for all moves.
    fn look(&mut self, id: u32, possible: &[Possible<E::State>], luck: u64) -> Result<Looked, Fault> {
        let arm = *self.tree.arm(0, 0);
        let all: f64 = possible.iter().map(|of| of.times).sum();
        let (mut promise, mut ends) = (0.0, 0.0);
        let sign = self.model.score(1.0).map_or(1.0, |score| -score);
        let mut views: HashMap<u64, f64> = HashMap::new();
        let looks = LEAST_LOOKS.div_ceil(possible.len());
        for (n, of) in possible.iter().enumerate() {
            let share = of.times / all;
            let (mut brought, mut certain) = (Vec::new(), None);
            for look in 0..looks {
                let before = Rng::nth(luck, (n * looks + look) as u64 + 1);
                let mut after = before.clone();
                let state = self.after(&of.state, &arm, id, &mut after)?;
                brought.push(self.brings(&state, arm.seat)?);
                if after == before {
                    certain = Some(state);
                    break;
                }
            }
            promise += share * brought.iter().sum::<f64>() / brought.len() as f64;
            // The same luck everywhere, since it makes positions look different of which the move tells nothing.
            let after = match certain {
                Some(after) => after,
                None => self.after(&of.state, &arm, id, &mut Rng::nth(luck, 0))?,
            };
            ends += if self.engine.outcome(&after).is_some() { sign * share } else { 0.0 };
            *views.entry(self.view_of(&after, Some(arm.seat))).or_default() += share;
        }
        let same = |shares: &mut dyn Iterator<Item = f64>| shares.map(|share| share * share).sum::<f64>();
        let before = 1.0 - same(&mut possible.iter().map(|of| of.times / all));
        // Summed in order, since sums of fractions depend on it.
        let mut shares: Vec<f64> = views.into_values().collect();
        shares.sort_by(f64::total_cmp);
        let tells = (1.0 - same(&mut shares.into_iter())) / before.max(f64::MIN_POSITIVE);
        Ok(Looked { id, promise, ends, tells })
    }
}

impl Looked {
    /// Compares two moves: the one that is to be tried first is the greater.
    fn ascending(&self, other: &Looked) -> Ordering {
        let key = |of: &Looked| [of.promise, of.ends, of.tells];
        key(self).partial_cmp(&key(other)).unwrap_or(Ordering::Equal)
    }
}

//! Move selection during a descent: the moves of each node, which are tried first, and how many.

use super::keys::mix_key;
use super::regret::{Mix, sample_index};
use super::tree::Arm;
use super::{Search, Settled, Step};
use crate::bots::worth::plays_for_score;
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::{Chosen, Fault};
use crate::num::Rng;

/// Positions with more legal moves than this are sampled instead of listed, as are moves without ids.
const MAX_LISTED: u64 = 4000;

/// Up to this many moves without ids are listed at a node; more are sampled.
const MAX_ROWS: u64 = 200;

/// The visits after which an arm's untried moves are ranked, and the most moves that are looked at for it.
const RANKED_FROM: u32 = 20;
pub(super) const MAX_RANKED: usize = 200;

/// How many times each of them is looked at at the root, where others choose at the same time or chance draws.
const LOOKS_AT_ROOT: u64 = 8;

/// The visits from which a move that has won each time is made without a look at others.
const SURE_FROM: u32 = 8;

impl<E: Engine> Search<'_, E> {
    /// Adds a node for a position in which seats choose, with arms for some of them (one bit per seat).
    pub(super) fn add_node(
        &mut self,
        state: &E::State,
        (choice, seats): (usize, u64),
        with_arms: u64,
        root: bool,
    ) -> Result<u32, Fault> {
        let game = &self.engine.machine().game;
        let (mixes, more_legal) = (self.mixes(choice, seats), game.samples_moves(&game.choices[choice]));
        let mut arms = Vec::new();
        for seat in (0..self.model.seats).filter(|seat| with_arms >> seat & 1 == 1) {
            // At the root, the advised seat knows its own legal moves whatever is hidden, so they never vary.
            let fixed = self.open || root && seat == self.seat;
            let only = self.only.is_some() && root && seat == self.seat;
            let mix = mixes.then_some(self.tree.mixes.len());
            self.tree.mixes.extend(mix.map(|_| Mix::default()));
            let mut arm = Arm::new(seat, fixed, only || !self.can_list(state, choice, seat)?, mix);
            arm.more_legal = more_legal;
            arm.narrow = self.draws && !root && mix.is_none();
            // Moves without ids that vary are listed at each visit, if they are few here.
            arm.sampled = arm.sampled && (fixed || self.stepper.count(state, seat)? > MAX_ROWS);
            arms.push(arm);
        }
        let node = self.tree.add(choice, &arms);
        for (at, arm) in arms.iter().enumerate().filter(|(_, arm)| arm.same_moves) {
            if let Some(only) = self.only.clone().filter(|_| root && arm.seat == self.seat) {
                self.tree.edge_of_stored(node, at, &only);
                continue;
            }
            if arm.sampled {
                self.list_rows(node, at, state, MAX_ROWS)?;
                continue;
            }
            let Some(ids) = self.stepper.list(state, arm.seat)? else { continue };
            let ids = ids.to_vec();
            self.tree.add_untried(node, at, &ids);
        }
        Ok(node)
    }

    /// Whether seats that choose from a position where the advised seat is to choose mix their moves, since their interests
    /// are opposed.
    pub fn mixes_at(&self, state: &E::State) -> bool {
        let opposed = self.engine.machine().interests.are_opposed();
        matches!(self.stepper.turn(state), Turn::Choice { choice, seats } if opposed && self.mixes(choice, seats))
    }

    /// Whether the seats (one bit each) that are to choose mix their moves, since others choose at the same time or must
    /// not foresee them.
    fn mixes(&self, choice: usize, seats: u64) -> bool {
        let opposed = self.engine.machine().interests.are_opposed();
        seats.count_ones() > 1 || opposed && !self.open && self.is_secret(choice)
    }

    /// Whether a move on offer is secret; its seat must then mix, or opponents could predict the choice.
    fn is_secret(&self, choice: usize) -> bool {
        let game = &self.engine.machine().game;
        let choice = &game.choices[choice];
        choice.all_offers().any(|offer| game.moves[offer.mv].secret)
    }

    /// Lists the legal moves of an arm without ids, if they are no more than a limit.
    pub(super) fn list_rows(
        &mut self,
        node: u32,
        at: usize,
        state: &E::State,
        limit: u64,
    ) -> Result<(), Fault> {
        let seat = self.tree.arm(node, at).seat;
        if self.stepper.count(state, seat)? > limit {
            return Ok(());
        }
        let rows = self.stepper.legal(state, seat)?;
        let ids: Vec<u32> = rows.iter().map(|row| self.tree.store(row)).collect();
        self.tree.arm_mut(node, at).sampled = false;
        self.tree.add_untried(node, at, &ids);
        Ok(())
    }

    /// Whether the legal moves of a seat have ids and are few enough to be listed.
    fn can_list(&mut self, state: &E::State, choice: usize, seat: usize) -> Result<bool, Fault> {
        let ids = self.stepper.ids();
        let few = u64::from(ids.count()) <= MAX_LISTED;
        Ok(ids.has(choice) && (few || self.stepper.count(state, seat)? <= MAX_LISTED))
    }

    /// Picks a move for every seat that chooses where the descent is. Returns `false` if a seat has no known move.
    pub(super) fn pick(&mut self, state: &E::State, rng: &mut Rng) -> Result<bool, Fault> {
        let stop = self.path.len();
        for at in 0..self.here.len() {
            let node = self.here[at];
            for arm in 0..self.tree.arms(node).len() {
                let Some(edge) = self.pick_one(node, arm, state, rng)? else {
                    self.path.truncate(stop);
                    return Ok(false);
                };
                self.path.push(Step { node, arm, edge, stop, decides: false, position: 0 });
            }
        }
        Ok(true)
    }

    fn pick_one(
        &mut self,
        node: u32,
        at: usize,
        state: &E::State,
        rng: &mut Rng,
    ) -> Result<Option<usize>, Fault> {
        let arm = *self.tree.arm(node, at);
        if self.only.is_some() && node == 0 && arm.seat == self.seat {
            return Ok(Some(0));
        }
        if let Some(settled) = self.settled.as_ref().filter(|_| self.path.iter().all(Step::is_at_root)) {
            return match settled {
                Settled::Edge(edge) if node == 0 && arm.seat == self.seat => Ok(Some(*edge)),
                _ if arm.draws_afresh() => self.pick_sampled(node, at, state, rng),
                _ => self.pick_as_learned(node, at, state, rng),
            };
        }
        if self.learned && !arm.draws_afresh() {
            return self.pick_as_learned(node, at, state, rng);
        }
        if !arm.same_moves {
            return match arm.sampled {
                true => self.pick_sampled(node, at, state, rng),
                false if self.learns(arm.seat) => self.pick_legal(node, at, state, rng),
                false => self.pick_as_learned(node, at, state, rng),
            };
        }
        if self.amaf_moves.is_some() && !arm.sampled {
            return Ok(self.tree.pick_rave(node, at, |left| rng.below_u64(left)));
        }
        while self.tree.arm(node, at).should_widen() {
            let Some(edge) = self.try_another(node, at, state, rng)? else { break };
            if arm.mix.is_none() {
                return Ok(Some(edge));
            }
        }
        let arm = self.tree.arm(node, at);
        if let Some(mix) = arm.mix {
            let all: Vec<usize> = (0..arm.edge_count()).collect();
            return Ok((!all.is_empty()).then(|| self.tree.mixes[mix].draw(&all, all.len(), rng)));
        }
        let biases = if node == 0 { &self.priors.biases[..] } else { &[] };
        Ok(self.tree.best_uct(arm, None, biases))
    }

    /// Adds an edge for a move that was not known before. Returns its edge; `None` if none was found.
    fn try_another(
        &mut self,
        node: u32,
        at: usize,
        state: &E::State,
        rng: &mut Rng,
    ) -> Result<Option<usize>, Fault> {
        let arm = *self.tree.arm(node, at);
        if !arm.ranked && (node == 0 || arm.narrow || arm.visits >= RANKED_FROM) {
            self.rank(node, at, state, rng)?;
        }
        if self.tree.arm(node, at).has_untried() {
            let edge = self.tree.expand_untried(node, at, |left| rng.below_u64(left));
            if node == 0 {
                self.start_with_prior(at, edge);
            }
            return Ok(Some(edge));
        }
        if !arm.sampled {
            return Ok(None);
        }
        let Some(chosen) = self.stepper.draw_legal(state, arm.seat, rng)? else { return Ok(None) };
        let known = self.tree.arm(node, at).edge_count();
        let edge = self.tree.edge_of_stored(node, at, &chosen);
        self.tree.arm_mut(node, at).record_draw(edge == known);
        Ok((edge == known).then_some(edge))
    }

    /// Sorts the untried moves of an arm so that the most promising come first: an immediate win, or the
    /// greatest lead if the score decides (for a single seat that plays for its score, the best score). Ties
    /// are broken at random, and if only some moves are looked at, these are chosen at random. Chance and those who choose at
    /// the same time do the same after all moves. At the root, moves that cannot be listed are sampled first.
    fn rank(&mut self, node: u32, at: usize, state: &E::State, rng: &mut Rng) -> Result<(), Fault> {
        let arm = *self.tree.arm(node, at);
        self.tree.arm_mut(node, at).ranked = true;
        if arm.sampled && node == 0 {
            let mut rows = Vec::new();
            for _ in 0..MAX_RANKED {
                let Some(chosen) = self.stepper.draw_legal(state, arm.seat, rng)? else { break };
                let number = self.tree.store(&chosen);
                if !rows.contains(&number) {
                    rows.push(number);
                }
            }
            self.tree.add_untried(node, at, &rows);
        }
        let mut untried = self.tree.untried(node, at).to_vec();
        if untried.len() < 2 {
            return Ok(());
        }
        for n in (1..untried.len()).rev() {
            untried.swap(n, rng.below_u64(n as u64 + 1) as usize);
        }
        let together = self.tree.arms(node).len() > 1;
        let looks = if node == 0 && (together || self.draws) { LOOKS_AT_ROOT } else { 1 };
        let luck = rng.next_u64();
        let mut ranked = Vec::with_capacity(untried.len());
        for (n, id) in untried.into_iter().enumerate() {
            let mut promise = if n < MAX_RANKED { 0.0 } else { f64::NEG_INFINITY };
            for look in (0..looks).filter(|_| n < MAX_RANKED) {
                let after = self.after(state, &arm, id, &mut Rng::nth(luck, look))?;
                promise += self.brings(&after, arm.seat)? / looks as f64;
            }
            ranked.push((promise, id));
        }
        if node == 0 {
            self.priors.learn(at, &arm, ranked.iter().map(|(promise, id)| (*id, *promise)));
        }
        // `Tree::expand_untried` takes moves from the end.
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ranked = ranked.into_iter().map(|(_, id)| id);
        self.tree.untried_mut(node, at).iter_mut().zip(ranked).for_each(|(to, id)| *to = id);
        Ok(())
    }

    /// Returns the place of the most promising of several moves in the current world, one of them at random if several are:
    /// a seat that has learned enough to win at once finds the move soon. See [`Search::rank`].
    fn most_promising(
        &mut self,
        state: &E::State,
        arm: &Arm,
        moves: &[u32],
        rng: &mut Rng,
    ) -> Result<usize, Fault> {
        let from = rng.below_u64(moves.len() as u64) as usize;
        let mut best = (f64::NEG_INFINITY, from);
        for n in (from..moves.len()).chain(0..from).take(MAX_RANKED) {
            let after = self.after(state, arm, moves[n], rng)?;
            let promise = self.brings(&after, arm.seat)?;
            if promise > best.0 {
                best = (promise, n);
            }
        }
        Ok(best.1)
    }

    /// Returns the position after a move of an arm. Seats that choose at the same time move at random.
    pub(super) fn after(
        &mut self,
        state: &E::State,
        arm: &Arm,
        id: u32,
        rng: &mut Rng,
    ) -> Result<E::State, Fault> {
        let mut after = state.clone();
        if let Turn::Choice { seats, .. } = self.stepper.turn(state) {
            for other in (0..self.model.seats).filter(|seat| seats >> seat & 1 == 1 && *seat != arm.seat) {
                if let Some(id) = self.stepper.draw(&after, other, rng)? {
                    self.stepper.make(&mut after, other, id)?;
                } else if let Some(theirs) = self.stepper.draw_legal(&after, other, rng)? {
                    self.stepper.choose(&mut after, other, theirs)?;
                }
            }
        }
        self.make_one(&mut after, arm, id)?;
        self.stepper.chance(&mut after, rng)?;
        Ok(after)
    }

    /// Returns what a move has brought a seat at once: its share if the match is over, else how far it leads, or
    /// 0.5 if the score does not decide. Where a common score is played for, it is the score.
    pub(super) fn brings(&mut self, after: &E::State, seat: usize) -> Result<f64, Fault> {
        if plays_for_score(self.engine.machine()) {
            let mut rewards = Vec::new();
            self.model.rewards(self.engine, after, &mut rewards)?;
            return Ok(rewards[seat].1);
        }
        if let Some(outcome) = self.engine.outcome(after) {
            return Ok(self.model.end(&outcome.winners).share(seat, self.model.seats));
        }
        // A lead never counts as much as a win, or as little as a loss.
        Ok(self.model.margins(self.engine, after)?.map_or(0.5, |by| 0.05 + 0.9 * by[seat]))
    }

    /// Draws a legal move at an arm that samples and whose legal moves vary. All its moves share one edge,
    /// whose row is replaced at each visit.
    fn pick_sampled(
        &mut self,
        node: u32,
        at: usize,
        state: &E::State,
        rng: &mut Rng,
    ) -> Result<Option<usize>, Fault> {
        let arm = *self.tree.arm(node, at);
        let Some(chosen) = self.stepper.draw_legal(state, arm.seat, rng)? else { return Ok(None) };
        match self.tree.edges(&arm).first().copied() {
            Some(edge) => self.tree.stored_moves[edge.id as usize] = chosen,
            None => {
                self.tree.stored_moves.push(chosen);
                self.tree.add_edge(node, at, self.tree.stored_moves.len() as u32 - 1);
            }
        }
        Ok(Some(0))
    }

    /// Returns the legal moves of an arm in the current world, by the numbers that its edges have.
    fn legal_ids(&mut self, state: &E::State, arm: &Arm) -> Result<Option<Vec<u32>>, Fault> {
        if !arm.uses_stored_moves {
            return Ok(self.stepper.list(state, arm.seat)?.map(<[u32]>::to_vec));
        }
        let rows = self.stepper.legal(state, arm.seat)?;
        Ok(Some(rows.iter().map(|row| self.tree.store(row)).collect()))
    }

    /// Picks among the moves that are legal in the current world.
    fn pick_legal(
        &mut self,
        node: u32,
        at: usize,
        state: &E::State,
        rng: &mut Rng,
    ) -> Result<Option<usize>, Fault> {
        let arm = *self.tree.arm(node, at);
        let Some(ids) = self.legal_ids(state, &arm)? else { return Ok(None) };
        let edges = self.tree.edges(&arm);
        self.marks.set(edges);
        let (mut legal, mut new) = (Vec::new(), Vec::new());
        for id in ids {
            match self.marks.edge_of(id) {
                None => new.push(id),
                Some(edge) => legal.push(edge),
            }
        }
        self.marks.clear(edges);
        legal.iter().for_each(|edge| self.tree.edge_mut(node, at, *edge).availability += 1);
        // Nothing can be better than what has always won, such as a guess of a seat that knows enough.
        let for_win = !plays_for_score(self.engine.machine());
        let always_won = |edge: &&usize| {
            let edge = self.tree.edge(node, at, **edge);
            for_win && edge.visits >= SURE_FROM && edge.mean() >= 1.0
        };
        if let Some(edge) = legal.iter().find(always_won).filter(|_| arm.mix.is_none()) {
            return Ok(Some(*edge));
        }
        let untried = |edge: &&usize| self.tree.edge(node, at, **edge).visits == 0;
        if let Some(edge) = legal.iter().find(untried).filter(|_| arm.mix.is_none()) {
            return Ok(Some(*edge));
        }
        while !new.is_empty() && (self.tree.arm(node, at).should_widen() || legal.is_empty()) {
            // What a move brings at once says little where others choose at the same time.
            let next = match arm.mix.is_none() && arm.visits >= RANKED_FROM {
                true => self.most_promising(state, &arm, &new, rng)?,
                false => rng.below_u64(new.len() as u64) as usize,
            };
            let edge = self.tree.add_edge(node, at, new.swap_remove(next));
            self.tree.edge_mut(node, at, edge).availability = 1;
            if arm.mix.is_none() {
                return Ok(Some(edge));
            }
            legal.push(edge);
        }
        let arm = *self.tree.arm(node, at);
        Ok(match arm.mix {
            None => self.tree.best_uct(&arm, Some(&legal), &[]),
            Some(_) if legal.is_empty() => None,
            Some(mix) => Some(self.tree.mixes[mix].draw(&legal, arm.edge_count(), rng)),
        })
    }

    /// Picks a move for a seat that does not learn here from this descent: it acts as it has on average in those from
    /// which it learned, so that exploration does not count, or at random if it knows none of the moves that are legal
    /// here.
    fn pick_as_learned(
        &mut self,
        node: u32,
        at: usize,
        state: &E::State,
        rng: &mut Rng,
    ) -> Result<Option<usize>, Fault> {
        let arm = *self.tree.arm(node, at);
        let ids = if arm.same_moves { None } else { self.legal_ids(state, &arm)? };
        let edges = self.tree.edges(&arm);
        let mix = arm.mix.map(|mix| self.tree.mixes[mix].average(edges.len()));
        let likely = |edge: usize| match &mix {
            Some(mix) => mix[edge],
            None => f64::from(edges[edge].visits),
        };
        if arm.same_moves {
            let likely: Vec<f64> = (0..edges.len()).map(likely).collect();
            return Ok((!edges.is_empty()).then(|| sample_index(&likely, rng)));
        }
        let Some(ids) = ids.filter(|ids| !ids.is_empty()) else { return Ok(None) };
        self.marks.set(edges);
        let likely: Vec<f64> = ids.iter().map(|id| self.marks.edge_of(*id).map_or(0.0, likely)).collect();
        let drawn = match likely.iter().any(|likely| *likely > 0.0) {
            true => sample_index(&likely, rng),
            false => rng.below_u64(ids.len() as u64) as usize,
        };
        let id = ids[drawn];
        let known = self.marks.edge_of(id);
        self.marks.clear(edges);
        Ok(Some(known.unwrap_or_else(|| self.tree.add_edge(node, at, id))))
    }

    /// Returns the edge of a move of the advised seat at the root, adding one if needed; `None` if the root has no
    /// such move.
    pub(super) fn root_edge(&mut self, chosen: &Chosen) -> Option<usize> {
        let at = self.tree.arms(0).iter().position(|arm| arm.seat == self.seat)?;
        if self.tree.arm(0, at).uses_stored_moves {
            return Some(self.tree.edge_of_stored(0, at, chosen));
        }
        let id = self.stepper.ids().id(self.tree.node(0).choice, chosen)?;
        Some(self.tree.edge_of_id(0, at, id))
    }

    /// Makes the move that a step has picked.
    pub(super) fn make(&mut self, state: &mut E::State, step: Step) -> Result<(), Fault> {
        let arm = *self.tree.arm(step.node, step.arm);
        self.make_one(state, &arm, self.tree.edge(step.node, step.arm, step.edge).id)
    }

    fn make_one(&mut self, state: &mut E::State, arm: &Arm, id: u32) -> Result<(), Fault> {
        if !arm.uses_stored_moves {
            return self.stepper.make(state, arm.seat, id).map(drop);
        }
        let chosen = &self.tree.stored_moves[id as usize];
        let ids = self.stepper.ids();
        let number = match self.stepper.turn(state) {
            // The only edge of such an arm stands for another move each time.
            _ if arm.draws_afresh() => None,
            Turn::Choice { choice, .. } => {
                let key = mix_key(choice as u64, u64::from(id));
                *self.stored_ids.entry(key).or_insert_with(|| ids.id(choice, chosen))
            }
            Turn::Chance | Turn::Over => None,
        };
        match number {
            Some(number) => self.stepper.make(state, arm.seat, number).map(drop),
            None => self.stepper.choose(state, arm.seat, chosen.clone()),
        }
    }
}

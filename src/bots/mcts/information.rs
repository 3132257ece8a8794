//! Games in which something is hidden: whose knowledge a descent starts from, what each seat observes on the way,
//! and which node stands for what a seat knows.
//!
//! Descents start in turn from positions that are possible as far as the advised seat knows, and from positions that
//! are possible as far as everybody knows. In the former, the advised seat's secrets are always the real ones, so
//! that from them only this seat learns; else the others would learn its secrets (P. Cowling, D. Whitehouse, E.
//! Powley, 2015, draw positions anew from the others' view for the same reason). In the latter, all seats learn.

use std::hash::{Hash, Hasher};

use siphasher::sip::SipHasher13;

use super::keys::mix_key;
use super::tree::Edge;
use super::{Search, Step};
use crate::engine::{Engine, Stepper, Turn};
use crate::eval::{Chosen, Fault};
use crate::num::Rng;

/// How many times what a seat knows must come up before it has a node of its own, at least and for each of its moves.
/// Until then, and if it never does, the seat is taken to act on what everybody knows: from fewer tries it would learn
/// less, since it would hardly try each move twice.
const SPLIT_AFTER: u32 = 2;
const SPLIT_TIMES: u32 = 4;

/// In how many positions the view of the advised seat is compared with what it is.
const COMPARED: usize = 16;

/// Whose knowledge the position at which a descent starts is drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewpoint {
    /// What the advised seat knows.
    Own,
    /// What everybody knows, even a spectator.
    Public,
}

/// Returns positions that are possible at the root: a new one at each call if something is hidden. `None` if no such
/// position was found, or if nobody knows more than everybody.
pub type Roots<'r, S> = dyn FnMut(Viewpoint, &mut Rng) -> Option<S> + 'r;

/// A way in which a match may go on from a position where a seat is to choose.
#[derive(Debug, Clone)]
pub struct Course<S> {
    /// The positions in which seats chose, and their choices: seats (from 0) and moves.
    pub stops: Vec<(S, Vec<(usize, Chosen)>)>,
    /// The position that they led to.
    pub end: S,
}

/// Where the seats that choose together at a stop choose.
#[derive(Debug, Clone, Copy)]
struct Stop {
    choice: usize,
    /// The seats that choose, one bit per seat.
    seats: u64,
}

impl<E: Engine> Search<'_, E> {
    /// Finds out whether the advised seat knows more than everybody. It does not if what it sees is the same in all
    /// positions that are possible as far as everybody knows, such as a hand that can be counted.
    pub(super) fn compare_knowledge(&mut self, state: &E::State, root: &mut Roots<E::State>, rng: &mut Rng) {
        let own = self.view_of(state, Some(self.seat));
        self.draws_public = (0..COMPARED).any(|_| {
            let possible = root(Viewpoint::Public, rng);
            possible.is_some_and(|possible| self.view_of(&possible, Some(self.seat)) != own)
        });
    }

    /// Draws the position at which the next descent starts.
    pub(super) fn next_root(&mut self, root: &mut Roots<E::State>, rng: &mut Rng) -> Option<E::State> {
        self.from = match self.from {
            Viewpoint::Own if self.draws_public => Viewpoint::Public,
            _ => Viewpoint::Own,
        };
        if self.from == Viewpoint::Public {
            if let Some(state) = root(Viewpoint::Public, rng) {
                return Some(state);
            }
            (self.draws_public, self.from) = (false, Viewpoint::Own);
        }
        root(Viewpoint::Own, rng)
    }

    /// Whether a seat learns from the current descent.
    pub(super) fn learns(&self, seat: usize) -> bool {
        !self.learned && (seat == self.seat || self.from == Viewpoint::Public || !self.draws_public)
    }

    /// Starts to follow what the seats, and a spectator, observe from a position on.
    pub(super) fn observe_root(&mut self, state: &E::State) {
        self.observations.clear();
        self.observations.resize(self.model.seats + 1, 0);
        self.observe_state(state);
    }

    /// Follows what the seats, and a spectator, observe along a course from the root on.
    pub(super) fn observe_course(&mut self, course: &Course<E::State>) {
        let begin = course.stops.first().map_or(&course.end, |(state, _)| state);
        self.observe_root(begin);
        let after = course.stops.iter().skip(1).map(|(state, _)| state).chain([&course.end]);
        for ((_, choices), after) in course.stops.iter().zip(after) {
            for (seat, chosen) in choices {
                let sights = self.sights_of(chosen);
                self.observe_sights(*seat, sights);
            }
            self.observe_state(after);
        }
    }

    /// Updates what everybody has observed: of a secret choice, others see only which move it was.
    pub(super) fn observe_choice(&mut self, step: Step) {
        let seat = self.tree.arm(step.node, step.arm).seat;
        let sights = self.sights(step);
        self.observe_sights(seat, sights);
    }

    fn observe_sights(&mut self, seat: usize, (others, own): (u64, u64)) {
        for (eyes, seen) in self.observations.iter_mut().enumerate() {
            let sight = if eyes == seat { own } else { others };
            *seen = mix_key(*seen, mix_key(sight, seat as u64));
        }
    }

    /// Updates what everybody has observed: what they see of the state.
    pub(super) fn observe_state(&mut self, state: &E::State) {
        for eyes in 0..self.observations.len() {
            let view = self.view_of(state, Some(eyes).filter(|seat| *seat < self.model.seats));
            self.observations[eyes] = mix_key(self.observations[eyes], view);
        }
    }

    /// Returns hashes of what others and the mover see of a move.
    fn sights(&mut self, step: Step) -> (u64, u64) {
        let (arm, choice) = (*self.tree.arm(step.node, step.arm), self.tree.node(step.node).choice);
        let id = self.tree.edge(step.node, step.arm, step.edge).id;
        if arm.uses_stored_moves {
            return self.sights_of(&self.tree.stored_moves[id as usize]);
        }
        let key = mix_key(choice as u64, u64::from(id));
        if let Some(known) = self.move_hashes.get(&key) {
            return *known;
        }
        let sights = self.stepper.ids().chosen(choice, id).map_or((0, 0), |chosen| self.sights_of(&chosen));
        self.move_hashes.insert(key, sights);
        sights
    }

    fn sights_of(&self, chosen: &Chosen) -> (u64, u64) {
        let mut whole = SipHasher13::new();
        chosen.hash(&mut whole);
        let whole = whole.finish();
        let secret = self.engine.machine().game.moves[chosen.mv].secret;
        (if secret { mix_key(0, chosen.mv as u64) } else { whole }, whole)
    }

    /// Finds the nodes of the seats that choose at a position, in the order of the seats; new ones are added only if
    /// `grows`. Returns `false` if one has none, or nobody chooses.
    pub(super) fn find_information_nodes(&mut self, state: &E::State, grows: bool) -> Result<bool, Fault> {
        self.here.clear();
        let Turn::Choice { choice, seats } = self.stepper.turn(state) else { return Ok(false) };
        for seat in (0..self.model.seats).filter(|seat| seats >> seat & 1 == 1) {
            match self.information_node(state, Stop { choice, seats }, seat, grows)? {
                Some(node) => self.here.push(node),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Returns the node that stands for what a seat knows where it chooses.
    ///
    /// The advised seat has a node for all that it has seen. What others know may be one of so many things that none
    /// comes up again; so they begin with a node for what everybody has seen, from which they learn how to act
    /// whatever their secrets. A node for what such a seat itself has seen is split from it once that comes up
    /// again.
    fn information_node(
        &mut self,
        state: &E::State,
        stop: Stop,
        seat: usize,
        grows: bool,
    ) -> Result<Option<u32>, Fault> {
        let own = self.information_key(seat, stop, seat);
        if let Some(node) = self.tree.nodes_by_key.get(&own) {
            return Ok(Some(*node));
        }
        let grows = grows && self.learns(seat) && self.tree.has_room();
        if seat == self.seat && self.from == Viewpoint::Own {
            return if grows {
                self.add_information_node(state, stop, seat, own).map(Some)
            } else {
                Ok(None)
            };
        }
        let public = self.information_key(self.model.seats, stop, seat);
        let shared = match self.tree.nodes_by_key.get(&public) {
            Some(node) => *node,
            None if !grows => return Ok(None),
            None => self.add_information_node(state, stop, seat, public)?,
        };
        if !grows || own == public {
            return Ok(Some(shared));
        }
        let times = self.times_met.entry(own as u64).or_default();
        *times += 1;
        if *times < SPLIT_AFTER.max(SPLIT_TIMES * self.tree.arm(shared, 0).edge_count() as u32) {
            return Ok(Some(shared));
        }
        let node = self.tree.split(shared);
        self.tree.nodes_by_key.insert(own, node);
        Ok(Some(node))
    }

    fn add_information_node(
        &mut self,
        state: &E::State,
        stop: Stop,
        seat: usize,
        key: u128,
    ) -> Result<u32, Fault> {
        let node = self.add_node(state, (stop.choice, stop.seats), 1 << seat, false)?;
        self.tree.nodes_by_key.insert(key, node);
        Ok(node)
    }

    /// Returns the key of the root, where the advised seat chooses.
    pub(super) fn root_information_key(&self, choice: usize, seats: u64) -> u128 {
        self.information_key(self.seat, Stop { choice, seats }, self.seat)
    }

    /// Returns the key of a node at which `seat` acts on what `eyes` have observed: a seat, or a spectator.
    fn information_key(&self, eyes: usize, stop: Stop, seat: usize) -> u128 {
        super::hash_words(&[self.observations[eyes], stop.choice as u64, stop.seats, seat as u64])
    }

    /// Remembers in which nodes the others stand who choose together with the advised seat at the root.
    pub(super) fn note_others_at_root(&mut self) {
        if self.from == Viewpoint::Own {
            let others: Vec<u32> = self.here.iter().copied().filter(|node| *node != 0).collect();
            *self.others_at_root.entry(others).or_default() += 1;
        }
    }

    /// Returns a number for the move of a step that is the same for the same move of a choice, whatever node and edge it
    /// is at.
    pub(super) fn move_token(&self, node: u32, arm: usize, edge: &Edge) -> u64 {
        match self.tree.arm(node, arm).uses_stored_moves {
            false => u64::from(edge.id),
            true => {
                let mut hasher = SipHasher13::new();
                self.tree.stored_moves[edge.id as usize].hash(&mut hasher);
                hasher.finish()
            }
        }
    }
}

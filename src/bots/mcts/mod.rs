//! Monte Carlo tree search: from the same position again and again, or from worlds that a seat thinks possible.

mod amaf;
mod choose;
mod keys;
mod learn;
mod regret;
mod say;
mod tree;

pub use amaf::only_adds;
pub(super) use regret::drawn;
pub use tree::MAX_BYTES;

use std::hash::{Hash, Hasher};

use siphasher::sip::SipHasher13;
use siphasher::sip128;

use super::worth::{Proof, Worth};
use crate::engine::{Engine, Stepper, Told, Turn};
use crate::eval::{Chosen, Fault};
use crate::num::Rng;
use amaf::Made;
use keys::{Keyed, key};
use tree::{Marks, Tree};

/// After how many choices a playout is given up; nobody has won it.
const MAX_CHOICES: u64 = 3000;

/// How deep the tree may go; rules that go round would have no end.
const MAX_DEPTH: usize = 500;

/// A step down the tree takes about as long as so many random choices. Playouts that are shorter than the way to where they begin
/// are worth several from there, and at most so many.
const CHOICES_A_STEP: u64 = 4;
const MAX_BUNDLE: u64 = 8;
/// While there were fewer playouts than this, each is worth a way of its own; and so on for each one more in a bundle.
const PLAYOUTS_A_BUNDLE: u64 = 500;

/// A move that was tried on the way down.
#[derive(Debug, Clone, Copy)]
struct Step {
    node: u32,
    arm: usize,
    edge: usize,
    /// Whether nothing decided what came next but this move, and those that were chosen together with it.
    decides: bool,
}

/// What a search has come to.
#[derive(Debug)]
pub struct Grown {
    tree: Tree,
    playouts: u64,
}

/// A search for the best move of one seat.
///
/// In open games with one choice at a time it is UCT for any number of players, each for himself, with proofs of ends; a
/// position that several ways lead to is one node. Draws of chance are made anew at each visit. Where something is hidden
/// the root is another world each time, and a node stands for what whoever chooses there has seen to be chosen, not for a
/// position: information-set search with an observer for each seat (P. Cowling, E. Powley, D. Whitehouse, 2012). Where several choose together, or in secret, each mixes its moves.
pub struct Search<'e, E: Engine + 'e> {
    engine: &'e E,
    stepper: E::Stepper<'e>,
    worth: Worth,
    /// The seat that is advised, from 0.
    seat: usize,
    /// Whether everybody knows everything, so that a node is one position.
    open: bool,
    tree: Tree,
    playouts: u64,
    path: Vec<Step>,
    /// What the last playouts brought, by seat: the shares of the win, and with the margins mixed in, added up.
    rewards: Vec<(f64, f64)>,
    /// How many playouts that were.
    bundle: u32,
    /// What was made in the last playout, where that tells of each move.
    made: Option<Made>,
    /// The bytes of a position.
    bytes: Vec<u8>,
    /// What each seat has seen of the way down, as a number, where something is hidden.
    seen: Vec<u64>,
    /// What others see of each numbered move, and what who makes it sees.
    sights: Keyed<(u64, u64)>,
    /// The edge of each number at the arm that is looked at.
    marks: Marks,
    fault: Option<Fault>,
    /// The one move of the seat that is looked at, where the others are of no interest.
    only: Option<Chosen>,
    /// The shares of the win that playouts brought each seat, added up, and how many they were.
    brought: (Vec<f64>, u64),
    /// The least and the greatest reward so far, where one seat plays alone for its score.
    scores: Option<(f64, f64)>,
}

impl<'e, E: Engine> Search<'e, E> {
    /// A search for a seat (from 0) from positions in which it is to choose; `open` says whether everybody knows all there
    /// is to know of a position, `adds` whether all moves of a playout are to be learnt from: see [`only_adds`].
    pub fn new(engine: &'e E, seat: usize, open: bool, adds: bool) -> Search<'e, E> {
        Search {
            engine,
            stepper: engine.stepper(),
            worth: Worth::of(engine.machine()),
            seat,
            open,
            tree: Tree::default(),
            playouts: 0,
            path: Vec::new(),
            rewards: Vec::new(),
            bundle: 0,
            made: adds.then(Made::default),
            bytes: Vec::new(),
            seen: Vec::new(),
            sights: Keyed::default(),
            marks: Marks::default(),
            fault: None,
            only: None,
            brought: (Vec::new(), 0),
            scores: None,
        }
    }

    /// Looks at one move of the seat alone, which is legal.
    pub fn only(&mut self, chosen: Chosen) {
        self.only = Some(chosen);
    }

    /// Searches from what `root` gives at each playout, until it gives nothing more, `goes_on` (asked with the number of
    /// playouts so far) says no, or the end is certain.
    pub fn run(
        &mut self,
        root: &mut dyn FnMut(&mut Rng) -> Option<E::State>,
        rng: &mut Rng,
        goes_on: &dyn Fn(u64) -> bool,
    ) {
        while goes_on(self.playouts) && self.tree.root().is_none_or(|root| root.proof.is_none()) {
            let Some(state) = root(rng) else { return };
            self.path.clear();
            // Where a rule breaks, or too much is asked, the playout has brought nobody anything.
            let end = self.descend(state, rng, goes_on).unwrap_or_else(|fault| {
                self.end(Proof::of(&[]));
                self.fault.get_or_insert(fault);
                None
            });
            let (brought, counted) = &mut self.brought;
            brought.resize(self.worth.seats, 0.0);
            brought.iter_mut().zip(&self.rewards).for_each(|(sum, (share, _))| *sum += share);
            *counted += u64::from(self.bundle);
            self.measure_scores();
            self.learn(end);
            self.playouts += u64::from(self.bundle);
        }
    }

    /// Forgets what playouts have brought so far, but not what was learned from them.
    pub fn count_anew(&mut self) {
        self.brought = (Vec::new(), 0);
    }

    /// Takes down how far scores lie apart, where they are what is played for.
    fn measure_scores(&mut self) {
        let reward = self.rewards[0].1 / f64::from(self.bundle);
        if self.worth.score(reward).is_some() {
            let (least, most) = self.scores.unwrap_or((reward, reward));
            let (least, most) = (least.min(reward), most.max(reward));
            (self.scores, self.tree.span) = (Some((least, most)), most - least);
        }
    }

    /// Goes down the tree, adds a node, and plays on to the end: how it ends, where that is certain of the last move.
    fn descend(
        &mut self,
        mut state: E::State,
        rng: &mut Rng,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Proof>, Fault> {
        if self.tree.root().is_none() && self.node(&state, true)?.is_none() {
            return self.play_on(state, rng, goes_on);
        }
        self.seen.clear();
        self.seen.resize(self.worth.seats, 0);
        let mut at = 0;
        loop {
            let begun = self.path.len();
            if !self.pick(at, &state, rng)? {
                break;
            }
            let picked = begun..self.path.len();
            let known = |step: &Step| self.tree.proof(self.tree.edge(step.node, step.arm, step.edge));
            if let Some(proof) = self.path[picked.clone()].iter().find_map(known) {
                self.end(proof);
                return Ok(None);
            }
            for step in picked.clone() {
                self.make(&mut state, self.path[step])?;
                if !self.open {
                    self.see(self.path[step]);
                }
            }
            let by_chance = self.stepper.chance(&mut state, rng)?;
            let decides = self.open && !by_chance;
            let alone = decides && picked.len() == 1;
            self.path[picked].iter_mut().for_each(|step| step.decides = decides);
            if self.stepper.turn(&state) == Turn::Over {
                self.bundle = 1;
                let end = self.worth.rewards(self.engine, &state, &mut self.rewards)?;
                return Ok(end.filter(|_| decides));
            }
            let next = self.below(&state, (at, begun), alone)?;
            // Rules that go round come to a node again: what follows there is learnt when it is left.
            let comes_round = self.path.iter().any(|step| step.node == next);
            if next == 0 || comes_round || self.path.len() >= MAX_DEPTH {
                break;
            }
            if let Some(proof) = self.tree.node(next).proof {
                self.end(proof);
                return Ok(Some(proof).filter(|_| decides));
            }
            at = next;
        }
        self.play_on(state, rng, goes_on)
    }

    /// The node of a position that the steps from `begun` on have led to from node `at`; 0 where there is none and none is to be
    /// made.
    fn below(&mut self, state: &E::State, (at, begun): (u32, usize), alone: bool) -> Result<u32, Fault> {
        let first = self.path[begun];
        let edge = self.tree.edge(at, first.arm, first.edge);
        if alone && edge.below != 0 {
            return Ok(edge.below);
        }
        let grows = edge.visits > 0 && self.tree.has_room();
        let key = self.key(state);
        let below = match self.tree.met.get(&key).copied() {
            Some(node) => node,
            None if !grows => 0,
            None => match self.node(state, false)? {
                Some(node) => *self.tree.met.entry(key).or_insert(node),
                None => 0,
            },
        };
        if alone {
            self.tree.edge_mut(at, first.arm, first.edge).below = below;
        }
        Ok(below)
    }

    /// Plays on at random to the end, once or several times. Where all moves of a playout are learnt from, those of the first are.
    fn play_on(
        &mut self,
        state: E::State,
        rng: &mut Rng,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Proof>, Fault> {
        let mut last = state.clone();
        let choices = match &mut self.made {
            None => self.engine.play_on(&mut last, rng, MAX_CHOICES)?,
            Some(made) => {
                let (engine, ids) = (self.engine, self.stepper.ids());
                let mut hear = |told: Told<E::State>| made.hear(engine, ids, &told);
                engine.play_on_told(&mut last, rng, MAX_CHOICES, &mut hear)?
            }
        };
        self.worth.rewards(self.engine, &last, &mut self.rewards)?;
        self.bundle = 1;
        let steps = CHOICES_A_STEP * self.path.len() as u64;
        let worth = (steps / choices.max(1)).min(self.playouts / PLAYOUTS_A_BUNDLE).min(MAX_BUNDLE - 1);
        let mut sums = Vec::new();
        for more in 1..=worth {
            if !goes_on(self.playouts + more) {
                break;
            }
            if more == 1 {
                sums.clone_from(&self.rewards);
            }
            last.clone_from(&state);
            self.engine.play_on(&mut last, rng, MAX_CHOICES)?;
            self.worth.rewards(self.engine, &last, &mut self.rewards)?;
            for ((share, reward), more) in sums.iter_mut().zip(&self.rewards) {
                (*share, *reward) = (*share + more.0, *reward + more.1);
            }
            self.bundle += 1;
        }
        if self.bundle > 1 {
            self.rewards = sums;
        }
        Ok(None)
    }

    /// The rewards of an end that is certain.
    fn end(&mut self, proof: Proof) {
        let seats = self.worth.seats;
        self.bundle = 1;
        self.rewards.clear();
        // A score that is not known is taken for the worst.
        let least = self.scores.map(|(least, _)| least);
        let reward = |seat| least.unwrap_or(proof.reward(seat, seats));
        self.rewards.extend((0..seats).map(|seat| (proof.share(seat, seats), reward(seat))));
    }

    /// What tells nodes apart: in an open game the position; where something is hidden, who is to choose what, and what whoever chooses has
    /// seen to be chosen so far: nobody chooses by what another has chosen in secret. Several who choose together share a node, which
    /// stands for all that they have seen.
    fn key(&mut self, state: &E::State) -> u128 {
        self.bytes.clear();
        if self.open {
            self.stepper.key(state, &mut self.bytes);
        } else {
            let words = match self.stepper.turn(state) {
                Turn::Choice { choice, seats } => {
                    let seen = match seats.count_ones() {
                        1 => self.seen[seats.trailing_zeros() as usize],
                        _ => self.seen.iter().fold(0, |all, seen| key(all, *seen)),
                    };
                    [seen, choice as u64, seats]
                }
                Turn::Chance | Turn::Over => [0, u64::MAX, 0],
            };
            self.bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
        sip128::SipHasher13::new().hash(&self.bytes).as_u128()
    }

    /// Lets every seat see what one has chosen: of what is chosen in secret others see only which move it was.
    fn see(&mut self, step: Step) {
        let (arm, choice) = (*self.tree.arm(step.node, step.arm), self.tree.node(step.node).choice);
        let id = self.tree.edge(step.node, step.arm, step.edge).id;
        let game = &self.engine.machine().game;
        let sights = |chosen: &Chosen| {
            let mut whole = SipHasher13::new();
            chosen.hash(&mut whole);
            let whole = whole.finish();
            (if game.moves[chosen.mv].secret { key(0, chosen.mv as u64) } else { whole }, whole)
        };
        let (others, own) = match arm.rows {
            true => sights(&self.tree.rows[id as usize]),
            false => {
                let numbered = || self.stepper.ids().chosen(choice, id).as_ref().map_or((0, 0), sights);
                *self.sights.entry(key(choice as u64, u64::from(id))).or_insert_with(numbered)
            }
        };
        for (eyes, seen) in self.seen.iter_mut().enumerate() {
            let sight = if eyes == arm.seat { own } else { others };
            *seen = key(*seen, key(sight, arm.seat as u64));
        }
    }

    /// What it has come to, for another search from the same position.
    pub fn grown(self) -> Grown {
        Grown { tree: self.tree, playouts: self.playouts }
    }

    /// Adds what another search from the same position knows of the moves there.
    pub fn join(&mut self, other: &Grown) {
        self.playouts += other.playouts;
        if self.tree.root().is_some() && other.tree.root().is_some() {
            self.tree.join_root(&other.tree, self.worth.seats);
        }
    }

    /// How many playouts there were.
    pub fn playouts(&self) -> u64 {
        self.playouts
    }
}

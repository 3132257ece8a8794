//! What positions are worth where chance draws, by what may follow them: the value of a move is the mean of those of the
//! positions it can lead to, each as often as it is likely, and the value of a position is that of its best move (T. Keller,
//! M. Helmert, 2013: trial-based heuristic tree search, with Bellman backups). So what was learned of a position counts
//! wherever it may come up, and how often an outcome happened to be drawn makes no difference.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap as HashMap;

use super::tree::Edge;
use super::{Search, Step, hash_words};
use crate::engine::{Engine, Outcomes, Stepper, Turn};
use crate::eval::Fault;
use crate::ir::Pc;

/// How many outcomes of a move are gone through at most, for each time it was made, and at all; of more than these, those that
/// came up are known.
const OUTCOMES_A_VISIT: usize = 4;
const MAX_OUTCOMES: usize = 256;

/// What a move is worth is worked out whenever it is asked for if no more positions follow it than this, else in proportion less
/// often.
const AVERAGED_A_VISIT: usize = 256;

/// How often a move must have been made before the outcomes of a draw are counted that had too many before: to count the
/// orders of a deck takes longer than a playout.
const COUNTED_AGAIN: u32 = 8;

/// The share of the win and the reward of a seat.
pub(super) type Value = (f64, f64);

/// A position that a move has led to or may lead to, and how often it did, or how likely it is.
#[derive(Debug, Clone, Copy)]
struct Following {
    position: u32,
    weight: f64,
}

/// What follows a move.
#[derive(Debug, Default)]
struct Follows {
    /// In the order of the positions, but for those that came last.
    all: Vec<Following>,
    /// Whether all that may follow is there, with its probability, or is too much to be gone through.
    listed: bool,
    too_many: bool,
    /// What the move was worth when that was worked out last, and how often that has been asked since.
    worth: Vec<Value>,
    asked: usize,
}

impl Follows {
    /// Puts positions that came up several times together.
    fn merge(&mut self) {
        self.all.sort_by_key(|following| following.position);
        self.all.dedup_by(|next, kept| {
            let same = next.position == kept.position;
            kept.weight += if same { next.weight } else { 0.0 };
            same
        });
    }
}

/// Positions that were met, and what they are worth. Position 0 stands for none.
#[derive(Debug)]
pub(super) struct Expectations {
    seats: usize,
    numbers: HashMap<u128, u32>,
    /// How many playouts have begun in each.
    playouts: Vec<u32>,
    /// The node of each, or 0.
    nodes: Vec<u32>,
    /// What each is worth, seat after seat.
    values: Vec<Value>,
    /// By [`Edge::follows`]; number 0 stands for none.
    follows: Vec<Follows>,
    outcomes: Outcomes,
    /// Where draws had too many outcomes.
    too_many: BTreeSet<Pc>,
}

impl Expectations {
    pub fn new(seats: usize) -> Expectations {
        Expectations {
            seats,
            numbers: HashMap::default(),
            playouts: vec![0],
            nodes: vec![0],
            values: vec![(0.0, 0.0); seats],
            follows: vec![Follows::default()],
            outcomes: Outcomes::default(),
            too_many: BTreeSet::new(),
        }
    }

    /// Returns the number of the position with a key; a new one only if `grows`.
    fn number(&mut self, key: u128, grows: bool) -> u32 {
        if !grows {
            return self.numbers.get(&key).copied().unwrap_or(0);
        }
        let next = self.playouts.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.playouts.push(0);
            self.nodes.push(0);
            self.values.resize(self.values.len() + self.seats, (0.0, 0.0));
        }
        number
    }

    /// Returns the node of a position, or 0.
    pub fn node(&self, position: u32) -> u32 {
        self.nodes[position as usize]
    }

    /// Records the node of a position.
    pub fn set_node(&mut self, position: u32, node: u32) {
        self.nodes[position as usize] = node;
    }

    /// Adds the results of playouts from a position, summed.
    fn learn(&mut self, position: u32, rewards: &[Value], playouts: u32) {
        let known = &mut self.playouts[position as usize];
        *known += playouts;
        let (playouts, all) = (f64::from(playouts), f64::from(*known));
        let values = &mut self.values[position as usize * self.seats..];
        for ((share, reward), sums) in values.iter_mut().zip(rewards) {
            *share += (sums.0 - playouts * *share) / all;
            *reward += (sums.1 - playouts * *reward) / all;
        }
    }

    /// Sets what a position is worth, after some more playouts from it.
    fn set(&mut self, position: u32, values: &[Value], playouts: u32) {
        self.playouts[position as usize] += playouts;
        self.values[position as usize * self.seats..][..self.seats].copy_from_slice(values);
    }

    /// Records that a move has led to a position.
    fn follow(&mut self, edge: &mut Edge, position: u32) {
        let follows = self.follows_of(edge);
        if !follows.listed {
            follows.all.push(Following { position, weight: 1.0 });
        }
    }

    fn follows_of(&mut self, edge: &mut Edge) -> &mut Follows {
        if edge.follows == 0 {
            edge.follows = self.follows.len() as u32;
            self.follows.push(Follows::default());
        }
        &mut self.follows[edge.follows as usize]
    }

    /// Sets `values` to what a move is worth. Returns `false`, and leaves them, if nothing is known of what follows it.
    fn of_move(&mut self, edge: &Edge, values: &mut Vec<Value>) -> bool {
        let follows = &mut self.follows[edge.follows as usize];
        follows.asked += 1;
        if !follows.worth.is_empty() && follows.asked * AVERAGED_A_VISIT < follows.all.len() {
            values.clone_from(&follows.worth);
            return true;
        }
        if !follows.listed {
            follows.merge();
        }
        let known = |following: &&Following| self.playouts[following.position as usize] > 0;
        let known = || follows.all.iter().filter(known);
        let total: f64 = known().map(|following| following.weight).sum();
        if total == 0.0 {
            return false;
        }
        values.clear();
        values.resize(self.seats, (0.0, 0.0));
        for following in known() {
            let part = following.weight / total;
            let worth = &self.values[following.position as usize * self.seats..][..self.seats];
            values
                .iter_mut()
                .zip(worth)
                .for_each(|(sum, of)| *sum = (sum.0 + part * of.0, sum.1 + part * of.1));
        }
        follows.asked = 0;
        follows.worth.clone_from(values);
        true
    }

    /// Sets `values` to what a choice is worth, given its moves: as much as the one that was made most often, or of several the one
    /// that is worth most. Returns `false` if nothing is known of what follows it.
    fn of_choice(&mut self, edges: &[Edge], values: &mut Vec<Value>) -> bool {
        let better = |a: &&Edge, b: &&Edge| {
            let value = |edge: &Edge| edge.reward / f64::from(edge.visits.max(1));
            a.visits.cmp(&b.visits).then_with(|| value(a).total_cmp(&value(b)))
        };
        edges.iter().max_by(better).is_some_and(|best| self.of_move(best, values))
    }
}

impl<E: Engine> Search<'_, E> {
    /// Returns the number of a position, after the draws of chance; 0 if it is new, and there is no room.
    pub(super) fn position_of(&mut self, state: &E::State) -> Result<u32, Fault> {
        self.words.clear();
        let grows = self.tree.has_room();
        if self.stepper.turn(state) != Turn::Over {
            self.stepper.lasting_key(state, &mut self.words);
            return Ok(self.expectations.number(hash_words(&self.words), grows));
        }
        // An end is told apart by what it is worth.
        let mut rewards = Vec::new();
        self.model.rewards(self.engine, state, &mut rewards)?;
        let outcome = self.engine.outcome(state);
        self.words.push(u64::MAX);
        self.words.push(outcome.iter().flat_map(|end| &end.winners).fold(0, |all, seat| all | 1 << seat));
        let scores = self.engine.scores(state)?.unwrap_or_default();
        self.words.extend(scores.iter().map(|score| score.as_i64().unwrap_or(i64::MAX) as u64));
        let position = self.expectations.number(hash_words(&self.words), grows);
        if position != 0 {
            self.expectations.set(position, &rewards, 1);
        }
        Ok(position)
    }

    /// Goes through the outcomes of the draws that follow a move, `state`, unless they are many for how often it was made: tried
    /// again whenever it was made twice as often.
    pub(super) fn list_outcomes(&mut self, state: &E::State, step: Step) -> Result<(), Fault> {
        let has_room = self.tree.has_room();
        let edge = self.tree.edge_mut(step.node, step.arm, step.edge);
        let made = edge.visits + 1;
        let follows = self.expectations.follows_of(edge);
        if follows.listed || follows.too_many || !made.is_power_of_two() || !has_room {
            return Ok(());
        }
        let number = edge.follows;
        if made < COUNTED_AGAIN && self.expectations.too_many.contains(&self.engine.pc(state)) {
            return Ok(());
        }
        let most = (OUTCOMES_A_VISIT * made as usize).min(MAX_OUTCOMES);
        let (mut drawing, mut drawn) = (vec![(state.clone(), 1.0)], Vec::new());
        while let Some((state, likely)) = drawing.pop() {
            if self.stepper.turn(&state) != Turn::Chance {
                drawn.push(Following { position: self.position_of(&state)?, weight: likely });
                continue;
            }
            let room = |most: usize| most.saturating_sub(drawing.len() + drawn.len());
            let outcomes = &mut self.expectations.outcomes;
            let Some(listed) = outcomes.at_most(self.engine, &state, room(MAX_OUTCOMES))? else {
                self.expectations.follows[number as usize].too_many = true;
                self.expectations.too_many.insert(self.engine.pc(&state));
                return Ok(());
            };
            if listed.len() > room(most) {
                return Ok(());
            }
            for outcome in listed.iter() {
                let mut next = state.clone();
                self.stepper.resolve_draw(&mut next, outcome)?;
                drawing.push((next, likely * outcome.times as f64 / outcome.of as f64));
            }
        }
        let mut follows = Follows { all: drawn, listed: true, ..Follows::default() };
        follows.merge();
        self.expectations.follows[number as usize] = follows;
        Ok(())
    }

    /// Learns from the playouts of a descent what the position where they began is worth.
    pub(super) fn learn_where_it_ended(&mut self, path: &[Step]) {
        if let Some(last) = path.last().filter(|last| last.position != 0) {
            self.expectations.learn(last.position, &self.rewards, self.batch_size);
        }
    }

    /// Updates what a position is worth that a descent came through, where a single seat chose, and the rewards of the
    /// descent for all that came before. `counted` is for how many playouts it counts.
    pub(super) fn expect(&mut self, step: &Step, before: Option<&Step>, counted: u32) {
        let arm = self.tree.arm(step.node, step.arm);
        let batch = f64::from(self.batch_size);
        let known =
            arm.mix.is_none() && self.expectations.of_choice(self.tree.edges(arm), &mut self.expected);
        if !known {
            self.expected.clone_from(&self.rewards);
            self.expected
                .iter_mut()
                .for_each(|(share, reward)| (*share, *reward) = (*share / batch, *reward / batch));
        }
        if let Some(before) = before.filter(|before| before.position != 0) {
            self.expectations.set(before.position, &self.expected, counted);
        }
        if known {
            let whole = self.expected.iter().map(|(share, reward)| (share * batch, reward * batch));
            self.rewards.iter_mut().zip(whole).for_each(|(sums, whole)| *sums = whole);
        }
    }

    /// Updates what a move is worth, by what may follow it. Returns `false` if nothing is known of that.
    pub(super) fn expect_after(&mut self, step: &Step, counted: u32) -> bool {
        if step.position == 0 {
            return false;
        }
        let edge = self.tree.edge_mut(step.node, step.arm, step.edge);
        self.expectations.follow(edge, step.position);
        let known = self.expectations.of_move(edge, &mut self.expected);
        if known {
            let seat = self.tree.arm(step.node, step.arm).seat;
            self.tree.edge_mut(step.node, step.arm, step.edge).expect(counted, self.expected[seat]);
        }
        known
    }
}

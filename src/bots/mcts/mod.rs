//! Monte Carlo tree search, from one position or from worlds that are possible as far as a seat knows.

mod amaf;
mod choose;
mod dominated;
mod expect;
mod inform;
mod information;
mod joint;
mod keys;
mod learn;
mod moved;
mod prior;
mod regret;
mod say;
mod totals;
mod tree;

pub use amaf::amaf_applies;
pub use information::{Course, Roots, Viewpoint};
pub(super) use regret::sample_index;
pub use tree::MAX_BYTES;

use std::collections::{BTreeMap, HashMap};
use std::hash::Hasher;

use siphasher::sip128::{self, Hasher128};

use super::worth::{Proof, RewardModel};
use crate::engine::{Engine, RecordEvent, Stepper, Turn};
use crate::eval::{Chosen, Fault};
use crate::num::Rng;
use crate::solve::has_chance;
use amaf::AmafMoves;
use expect::{Expectations, Value};
use inform::{LEAST_LOOKED_IN, MOST_LOOKED_IN};
use keys::Keyed;
use moved::Moved;
use prior::Priors;
use totals::Totals;
use tree::{Marks, Tree};

/// The number of choices after which a playout is given up; nobody has won it.
const MAX_CHOICES: u64 = 3000;

/// The maximum depth of a descent; rules that loop would otherwise have no end.
const MAX_DEPTH: usize = 500;

/// A step down the tree takes about as long as this many random choices. When playouts are shorter than the
/// descent to their start, several are played from there, at most `MAX_BATCH`. They say little more than one if
/// something is hidden, since they all start in the same world.
const CHOICES_PER_STEP: u64 = 4;
const MAX_BATCH: u64 = 8;
/// The search must have made this many playouts for each playout beyond the first in a batch; at first, a
/// descent of its own per playout is better.
const PLAYOUTS_PER_BATCH: u64 = 500;

/// Where chance draws, a descent adds nodes for positions that were not met before until they have so many moves: what follows
/// a draw is then played by moves that were ranked, not at random.
const MOVES_PER_DESCENT: usize = 40;

/// A move that was picked on the way down.
#[derive(Debug, Clone, Copy)]
struct Step {
    node: u32,
    arm: usize,
    edge: usize,
    /// The number of the first step at the same stop: several seats may choose together.
    stop: usize,
    /// Whether this move, and those chosen together with it, alone determined the next position.
    decides: bool,
    /// The position that it has led to, where chance draws; 0 for none.
    position: u32,
}

impl Step {
    /// Whether two moves were chosen together.
    fn at_same_stop(&self, other: &Step) -> bool {
        self.stop == other.stop
    }

    /// Whether the move was chosen where the descent began.
    fn is_at_root(&self) -> bool {
        self.stop == 0
    }
}

/// How the advised seat chooses at the root once what was learned there is fixed. The others choose by what they have
/// learned.
#[derive(Debug, Clone)]
enum Settled {
    /// By what it has learned.
    AsLearned,
    /// This edge.
    Edge(usize),
}

/// The result of a search, to be joined with another one.
#[derive(Debug)]
pub struct SearchResult {
    tree: Tree,
    playouts: u64,
}

/// A search for the best move of one seat.
///
/// In open games with one choice at a time it is UCT for any number of players, each playing for itself, with
/// proofs of certain ends; transpositions share a node. Chance events are drawn again at each visit, and each outcome leads
/// to a node of its own. Most of these are visited a few times at most; so the moves there are ranked at once, few of them are
/// tried (`Arm::narrow`), and a node is worth what its best move is, and that what may follow it; see `expect.rs`. If
/// something is hidden, each playout starts in a different world, and a node stands for what one seat has
/// observed instead of for a position: information-set search with one observer per seat (P. Cowling, E. Powley, D.
/// Whitehouse, 2012); see `information.rs`. Where several seats choose together, or in secret, each mixes its moves.
pub struct Search<'e, E: Engine + 'e> {
    engine: &'e E,
    stepper: E::Stepper<'e>,
    model: RewardModel,
    /// The advised seat, from 0.
    seat: usize,
    /// Whether everybody knows everything, so that a node is one position.
    open: bool,
    /// Whether chance draws where nothing is hidden, so that most nodes are visited only a few times.
    draws: bool,
    /// What the root's moves bring at once.
    priors: Priors,
    /// How many moves the nodes have that the descent has added.
    added_moves: usize,
    tree: Tree,
    /// What positions are worth, where chance draws.
    expectations: Expectations,
    /// A buffer for such values.
    expected: Vec<Value>,
    playouts: u64,
    path: Vec<Step>,
    /// The result of the last batch by seat, summed: the share of the win, and the reward with the margin.
    rewards: Vec<(f64, f64)>,
    /// How many playouts the last batch had.
    batch_size: u32,
    /// The moves made in the last playout, if all moves are learned from (AMAF).
    amaf_moves: Option<AmafMoves>,
    /// A buffer for the key of a position.
    words: Vec<u64>,
    /// The nodes at which the descent has arrived: one of all seats that choose there, or, if something is hidden, one
    /// of each.
    here: Vec<u32>,
    /// Whose knowledge the current descent starts from.
    from: Viewpoint,
    /// Whether every other descent starts from what everybody knows.
    draws_public: bool,
    /// A hash of what each seat and, last, a spectator has observed on the way down, if something is hidden.
    observations: Vec<u64>,
    /// How many times that came up, for those without a node of their own.
    times_met: Keyed<u32>,
    /// How many times the others who choose together with the advised seat at the root stood in these nodes.
    others_at_root: BTreeMap<Vec<u32>, u64>,
    /// Hashes of what the other seats and the mover observe of each move with an id.
    move_hashes: Keyed<(u64, u64)>,
    /// The ids of stored moves, if they have any, by choice and number.
    stored_ids: Keyed<Option<u32>>,
    /// Maps move ids to edges of the arm being looked at.
    marks: Marks,
    fault: Option<Fault>,
    /// If set, the only move of the advised seat that is searched.
    only: Option<Chosen>,
    /// If set, how the seats choose at the root, where nothing more is learned.
    settled: Option<Settled>,
    /// Whether nothing is learned at all.
    learned: bool,
    /// How much the moves of the root tell the seat, by id, if something is hidden.
    tells: HashMap<u32, f64>,
    /// In how many positions that is looked at.
    looked_in: usize,
    /// What the playouts brought.
    totals: Totals,
    /// How far the values of the root's moves have moved.
    moved: Moved,
    /// The least and the greatest reward so far, if a single seat plays for its score.
    scores: Option<(f64, f64)>,
}

impl<'e, E: Engine> Search<'e, E> {
    /// Makes a search for a seat (from 0) that starts from positions in which it is to choose. `public` says
    /// whether everybody knows the whole position, `use_amaf` whether to learn from all moves of a playout: see
    /// [`amaf_applies`].
    pub fn new(engine: &'e E, seat: usize, public: bool, use_amaf: bool) -> Search<'e, E> {
        Search {
            engine,
            stepper: engine.stepper(),
            model: RewardModel::of(engine.machine()),
            seat,
            open: public,
            priors: Priors::default(),
            added_moves: 0,
            draws: public && has_chance(&engine.machine().game),
            tree: Tree::new(use_amaf),
            expectations: Expectations::new(engine.machine().setup.players),
            expected: Vec::new(),
            playouts: 0,
            path: Vec::new(),
            rewards: Vec::new(),
            batch_size: 0,
            amaf_moves: use_amaf.then(AmafMoves::default),
            words: Vec::new(),
            here: Vec::new(),
            from: Viewpoint::Own,
            draws_public: !public,
            observations: Vec::new(),
            times_met: Keyed::default(),
            others_at_root: BTreeMap::new(),
            move_hashes: Keyed::default(),
            stored_ids: Keyed::default(),
            marks: Marks::default(),
            fault: None,
            only: None,
            settled: None,
            learned: false,
            tells: HashMap::new(),
            looked_in: MOST_LOOKED_IN,
            totals: Totals::default(),
            moved: Moved::default(),
            scores: None,
        }
    }

    /// Prepares for a search of so many playouts: of a few, most of the time would go into a close look at what moves tell.
    pub fn expect_playouts(&mut self, playouts: u64) {
        self.looked_in = (playouts as usize).clamp(LEAST_LOOKED_IN, MOST_LOOKED_IN);
    }

    /// Restricts the search to one legal move of the seat.
    pub fn only(&mut self, chosen: Chosen) {
        self.only = Some(chosen);
    }

    /// Fixes what was learned at the root, so that the playouts from now on measure what it is worth there: the seats
    /// choose by their mixes, but the advised seat makes the move `only`, if there is one. Resets the counted results.
    pub fn settle(&mut self, only: Option<&Chosen>) {
        self.reset_totals();
        self.settled = Some(match only.and_then(|chosen| self.root_edge(chosen)) {
            Some(edge) => Settled::Edge(edge),
            None => Settled::AsLearned,
        });
    }

    /// Returns what each seat gets on average if, from the end of a course on, all act as they have learned. Nothing is learned
    /// from these playouts, so that nobody acts on what it cannot know. For games in which something is hidden.
    pub fn shares_after(&mut self, course: &Course<E::State>, playouts: u64, rng: &mut Rng) -> Vec<f64> {
        let mut shares = vec![0.0; self.model.seats];
        (self.learned, self.from) = (true, Viewpoint::Public);
        for _ in 0..playouts {
            self.path.clear();
            self.observe_course(course);
            if self.descend_on(course.end.clone(), rng, &|_| true).is_err() {
                self.set_end(self.model.end(&[]));
            }
            let each = playouts as f64 * f64::from(self.batch_size);
            shares.iter_mut().zip(&self.rewards).for_each(|(sum, (share, _))| *sum += share / each);
        }
        (self.learned, self.from) = (false, Viewpoint::Own);
        shares
    }

    /// Searches from the positions that `root` returns, one per descent, until it returns `None`, `goes_on`
    /// (called with the number of playouts so far) returns `false`, or the end is proved.
    pub fn run(&mut self, root: &mut Roots<E::State>, rng: &mut Rng, goes_on: &dyn Fn(u64) -> bool) {
        if !self.open && self.tree.root().is_none() {
            self.begin(root, rng);
        }
        // The seat itself learns nothing from a playout from the public viewpoint: one of its own follows.
        while (goes_on(self.playouts) || self.from == Viewpoint::Public)
            && self.tree.root().is_none_or(|root| root.proof.is_none())
        {
            let Some(state) = self.next_root(root, rng) else { return };
            self.path.clear();
            self.added_moves = 0;
            // If a rule faults or exceeds a limit, the playout counts as won by nobody.
            let end = self.descend(state, rng, goes_on).unwrap_or_else(|fault| {
                self.set_end(self.model.end(&[]));
                self.fault.get_or_insert(fault);
                None
            });
            let reward = self.rewards[0].1 / f64::from(self.batch_size);
            let score = self.model.score(reward);
            if score.is_some() {
                self.measure_scores(reward);
            }
            let counted = self.backpropagate(end);
            self.note_moved();
            if self.from == Viewpoint::Own {
                self.totals.add(counted, self.batch_size, &self.rewards, score);
            }
            self.playouts += u64::from(self.batch_size);
        }
    }

    /// Adds the root, with its moves ranked, if something is hidden.
    fn begin(&mut self, root: &mut Roots<E::State>, rng: &mut Rng) {
        let Some(state) = root(Viewpoint::Own, rng) else { return };
        let added = self.add_root(&state).and_then(|added| match added {
            true => {
                self.compare_knowledge(&state, root, rng);
                self.rank_by_information(root, rng)
            }
            false => Ok(()),
        });
        if let Err(fault) = added {
            self.fault.get_or_insert(fault);
        }
    }

    /// Adds the root. Returns `false` if nobody is to choose there.
    fn add_root(&mut self, state: &E::State) -> Result<bool, Fault> {
        let Turn::Choice { choice, seats } = self.stepper.turn(state) else { return Ok(false) };
        let arms = if self.open { seats } else { 1 << self.seat };
        let root = self.add_node(state, (choice, seats), arms, true)?;
        if !self.open {
            self.observe_root(state);
            self.tree.nodes_by_key.insert(self.root_information_key(choice, seats), root);
        }
        Ok(true)
    }

    /// Resets the counted results, but keeps what the search has learned.
    pub fn reset_totals(&mut self) {
        self.totals = Totals::default();
    }

    /// Widens the range of rewards so far of a single seat that plays for its score.
    fn measure_scores(&mut self, reward: f64) {
        let (least, most) = self.scores.unwrap_or((reward, reward));
        let (least, most) = (least.min(reward), most.max(reward));
        self.scores = Some((least, most));
        // As long as all are the same, other moves must be tried all the more.
        self.tree.span = if least < most { most - least } else { 1.0 };
    }

    /// Descends the tree, adds a node and plays on to the end. Returns the end if the last move made it
    /// certain.
    fn descend(
        &mut self,
        state: E::State,
        rng: &mut Rng,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Proof>, Fault> {
        if self.tree.root().is_none() && !self.add_root(&state)? {
            return self.play_on(state, rng, goes_on);
        }
        if !self.open {
            self.observe_root(&state);
        }
        self.descend_on(state, rng, goes_on)
    }

    /// Descends from a position whose observations are known.
    fn descend_on(
        &mut self,
        mut state: E::State,
        rng: &mut Rng,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Proof>, Fault> {
        if self.open {
            self.here.clear();
            self.here.push(0);
        } else {
            if !self.find_information_nodes(&state, true)? {
                return self.play_on(state, rng, goes_on);
            }
            self.note_others_at_root();
        }
        loop {
            let begun = self.path.len();
            if !self.pick(&state, rng)? {
                break;
            }
            let picked = begun..self.path.len();
            let known = |step: &Step| self.tree.proof(self.tree.edge(step.node, step.arm, step.edge));
            if let Some(proof) = self.path[picked.clone()].iter().find_map(known) {
                self.set_end(proof);
                return Ok(None);
            }
            for step in picked.clone() {
                self.make(&mut state, self.path[step])?;
                if !self.open {
                    self.observe_choice(self.path[step]);
                }
            }
            if self.draws && picked.len() == 1 && self.stepper.turn(&state) == Turn::Chance {
                self.list_outcomes(&state, self.path[begun])?;
            }
            let by_chance = self.stepper.chance(&mut state, rng)?;
            if !self.open {
                self.observe_state(&state);
            }
            let decides = self.open && !by_chance;
            let alone = decides && picked.len() == 1;
            let position = if self.draws { self.position_of(&state)? } else { 0 };
            self.path[picked].iter_mut().for_each(|step| (step.decides, step.position) = (decides, position));
            if self.stepper.turn(&state) == Turn::Over {
                self.batch_size = 1;
                let end = self.model.rewards(self.engine, &state, &mut self.rewards)?;
                return Ok(end.filter(|_| decides));
            }
            if self.path.len() >= MAX_DEPTH {
                break;
            }
            if !self.open {
                let first = self.path[begun];
                let grows = self.tree.edge(first.node, first.arm, first.edge).visits > 0;
                if !self.find_information_nodes(&state, grows)? {
                    break;
                }
                continue;
            }
            let next = self.child_node(&state, begun, alone)?;
            // Rules that loop may come back to a node on the path. Where chance has drawn since then, it may go
            // another way this time; else playing on from there avoids a cycle.
            let mut since_chance = self.path.iter().rev().take_while(|step| step.decides);
            if next == 0 || since_chance.any(|step| step.node == next) {
                break;
            }
            if let Some(proof) = self.tree.node(next).proof {
                self.set_end(proof);
                return Ok(Some(proof).filter(|_| decides));
            }
            self.here[0] = next;
        }
        self.play_on(state, rng, goes_on)
    }

    /// Returns the node of the position in an open game that the steps from `begun` on have led to; 0 if it has no
    /// node and none should be added.
    fn child_node(&mut self, state: &E::State, begun: usize, alone: bool) -> Result<u32, Fault> {
        let Step { node: at, arm, edge, position, .. } = self.path[begun];
        let known = self.tree.edge(at, arm, edge);
        if alone && known.child != 0 {
            return Ok(known.child);
        }
        let grows = known.visits > 0 || self.draws && self.added_moves < MOVES_PER_DESCENT;
        let grows = grows && self.tree.has_room();
        if self.draws {
            let mut below = self.expectations.node(position);
            if let Turn::Choice { choice, seats } = self.stepper.turn(state)
                && below == 0
                && grows
                && position != 0
            {
                below = self.add_node(state, (choice, seats), seats, false)?;
                self.added_moves += self.tree.untried(below, 0).len().max(1);
                self.expectations.set_node(position, below);
            }
            if alone {
                self.tree.edge_mut(at, arm, edge).child = below;
            }
            return Ok(below);
        }
        self.words.clear();
        self.stepper.lasting_key(state, &mut self.words);
        let key = hash_words(&self.words);
        let below = match (self.tree.nodes_by_key.get(&key).copied(), self.stepper.turn(state)) {
            (Some(node), _) => node,
            (None, Turn::Choice { choice, seats }) if grows => {
                let node = self.add_node(state, (choice, seats), seats, false)?;
                *self.tree.nodes_by_key.entry(key).or_insert(node)
            }
            (None, _) => 0,
        };
        if alone {
            self.tree.edge_mut(at, arm, edge).child = below;
        }
        Ok(below)
    }

    /// Plays on at random to the end, possibly several times. If all moves of a playout are learned from,
    /// only those of the first playout are recorded.
    fn play_on(
        &mut self,
        state: E::State,
        rng: &mut Rng,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> Result<Option<Proof>, Fault> {
        let mut last = state.clone();
        let choices = match &mut self.amaf_moves {
            None => self.engine.play_on(&mut last, rng, MAX_CHOICES)?,
            Some(made) => {
                let (engine, ids) = (self.engine, self.stepper.ids());
                let mut hear = |told: RecordEvent<E::State>| made.record(engine, ids, &told);
                engine.play_on_reporting(&mut last, rng, MAX_CHOICES, &mut hear)?
            }
        };
        self.model.rewards(self.engine, &last, &mut self.rewards)?;
        self.batch_size = 1;
        let steps = CHOICES_PER_STEP * self.path.len() as u64;
        let most = if self.open { MAX_BATCH - 1 } else { 0 };
        let worth = (steps / choices.max(1)).min(self.playouts / PLAYOUTS_PER_BATCH).min(most);
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
            self.model.rewards(self.engine, &last, &mut self.rewards)?;
            for ((share, reward), more) in sums.iter_mut().zip(&self.rewards) {
                (*share, *reward) = (*share + more.0, *reward + more.1);
            }
            self.batch_size += 1;
        }
        if self.batch_size > 1 {
            self.rewards = sums;
        }
        Ok(None)
    }

    /// Sets the rewards of a certain end.
    fn set_end(&mut self, proof: Proof) {
        let seats = self.model.seats;
        self.batch_size = 1;
        self.rewards.clear();
        // The score of a proved end is not known, so the worst one seen is assumed.
        let least = self.scores.map(|(least, _)| least);
        let reward = |seat| least.unwrap_or(proof.reward(seat, seats));
        self.rewards.extend((0..seats).map(|seat| (proof.share(seat, seats), reward(seat))));
    }

    /// Returns the result, for another search from the same position.
    pub fn into_result(self) -> SearchResult {
        SearchResult { tree: self.tree, playouts: self.playouts }
    }

    /// Adds what another search from the same position knows about the root's moves.
    pub fn join(&mut self, other: &SearchResult) {
        self.playouts += other.playouts;
        if self.tree.root().is_some() && other.tree.root().is_some() {
            self.tree.join_root(&other.tree, self.model.seats);
        }
    }

    /// Returns the number of playouts so far.
    pub fn playouts(&self) -> u64 {
        self.playouts
    }
}

/// Hashes the words by which a node is found. Collisions are neglected.
fn hash_words(words: &[u64]) -> u128 {
    let mut hasher = sip128::SipHasher13::new();
    words.iter().for_each(|word| hasher.write_u64(*word));
    hasher.finish128().as_u128()
}

//! The tree of a search: nodes, their arms (the choices of one seat each), and the statistics of every move.
//!
//! Nodes, arms, edges and untried moves are stored in four arrays, so that a descent touches few cache lines.

use std::ops::Range;

use rustc_hash::FxHashMap as HashMap;

use super::joint::JointStats;
use super::regret::Mix;
use crate::bots::worth::Proof;
use crate::eval::Chosen;

/// The approximate size limit of a tree in bytes. Then it stops growing, and playouts start at its leaves.
pub const MAX_BYTES: usize = 256 << 20;

/// The exploration constant of UCT, as a fraction of the range of rewards.
const EXPLORATION: f64 = 0.7;

/// Up to this many moves of an arm are all tried before any is tried twice; beyond that, visits decide.
const WIDEN_FROM: usize = 40;

/// The same for arms whose moves are mixed.
const WIDEN_FROM_MIXED: usize = 20;

/// If all moves of a playout are learned from (RAVE): the exploration constant, the assumed bias of the
/// hints, and the value of a move without visits or hints.
const RAVE_EXPLORATION: f64 = 0.1;
const RAVE_BIAS: f32 = 0.05;
const UNTRIED_VALUE: f32 = 1.0;

/// The initial edge capacity of an arm.
const INITIAL_CAPACITY: usize = 8;

/// A move that was tried, with its statistics.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edge {
    /// The move id, or the index in [`Tree::stored_moves`] if [`Arm::uses_stored_moves`] is set.
    pub id: u32,
    /// The next node, if the move alone determines it; 0 for none.
    pub child: u32,
    /// What follows it where chance draws, by number; 0 for nothing known.
    pub follows: u32,
    /// How many times it was tried.
    pub visits: u32,
    /// How many times it was legal, at an arm that is not fixed.
    pub availability: u32,
    /// The sum of the chooser's shares of the win.
    pub share: f64,
    /// The sum of the chooser's rewards, with margins mixed in.
    pub reward: f64,
    /// The mean reward, or the reward of the end if that is certain; [`LOST`] if that reward is not positive.
    mean: f32,
    /// What playouts say of it in which it was made here or later (RAVE).
    hint: Hint,
    /// The square root of 1 / `visits`: rarely tried moves are explored more.
    inv_sqrt_visits: f32,
    /// The number of the certain end after the move, or 0: see [`Tree::proof`].
    proof: u32,
}

/// What a move brought in the playouts in which it was made at a node or later.
#[derive(Debug, Clone, Copy, Default)]
struct Hint {
    playouts: u32,
    /// The mean reward.
    mean: f32,
}

impl Hint {
    fn add(&mut self, reward: f32) {
        self.playouts += 1;
        self.mean += (reward - self.mean) / self.playouts as f32;
    }
}

/// The `mean` of a move that certainly loses.
const LOST: f32 = f32::NEG_INFINITY;

impl Edge {
    /// Returns its mean share of the win.
    pub fn mean(&self) -> f64 {
        self.share / f64::from(self.visits.max(1))
    }

    /// Counts some more playouts, after which it is worth this on average: the share of the win, and the reward with margins.
    pub fn expect(&mut self, playouts: u32, (share, reward): (f64, f64)) {
        let visits = f64::from(self.visits + playouts);
        (self.share, self.reward) = (0.0, 0.0);
        self.learn(playouts, (share * visits, reward * visits));
    }

    /// Adds the results of some playouts: the sums of the shares of the win and of the rewards with margins.
    pub fn learn(&mut self, playouts: u32, (share, reward): (f64, f64)) {
        self.visits += playouts;
        self.share += share;
        self.reward += reward;
        let visits = f64::from(self.visits);
        self.inv_sqrt_visits = (1.0 / visits).sqrt() as f32;
        if self.proof == 0 {
            self.mean = (self.reward / visits) as f32;
        }
    }
}

/// What one seat can choose at a node.
#[derive(Debug, Clone, Copy, Default)]
pub struct Arm {
    /// The seat, from 0.
    pub seat: usize,
    /// Whether the same moves are legal at each visit. If not, legality is checked each time.
    pub same_moves: bool,
    /// Whether moves are sampled because they are too many to list or have no ids.
    pub sampled: bool,
    /// Whether more moves are legal than those that bots draw from.
    pub more_legal: bool,
    /// Whether edges are numbered by [`Tree::stored_moves`], because moves have no ids or are sampled.
    pub uses_stored_moves: bool,
    /// Whether the untried moves are sorted, the most promising one last.
    pub ranked: bool,
    /// How many times a move was chosen here.
    pub visits: u32,
    /// Whether few moves are tried as long as there are few visits: no more than the square root of their number.
    pub narrow: bool,
    /// How many draws in a row gave a move that was already known.
    repeated_draws: u32,
    /// The index in [`Tree::mixes`] if several seats choose together, or a choice is secret.
    pub mix: Option<usize>,
    first: u32,
    edge_count: u32,
    capacity: u32,
    first_untried: u32,
    untried: u32,
}

impl Arm {
    /// Makes an arm without moves.
    pub fn new(seat: usize, fixed: bool, drawn: bool, mix: Option<usize>) -> Arm {
        Arm { seat, same_moves: fixed, sampled: drawn, uses_stored_moves: drawn, mix, ..Arm::default() }
    }

    /// Returns how many moves have edges.
    pub fn edge_count(&self) -> usize {
        self.edge_count as usize
    }

    /// Whether there are listed moves that were never tried.
    pub fn has_untried(&self) -> bool {
        self.untried > 0
    }

    /// Whether a move is drawn at each visit, so that its only edge stands for another one each time.
    pub fn draws_afresh(&self) -> bool {
        self.sampled && !self.same_moves
    }

    /// Whether all legal moves are known, and are the same at each visit.
    pub fn is_fully_listed(&self) -> bool {
        self.same_moves && !self.sampled && !self.more_legal && !self.has_untried()
    }

    /// Whether to try a new move instead of a known one: progressive widening (R. Coulom, 2007). When draws
    /// keep giving known moves, they are made less often.
    pub fn should_widen(&self) -> bool {
        let known = self.edge_count();
        if self.narrow && known > 0 && (known * known) as u64 > u64::from(self.visits) {
            return false;
        }
        let most = match (self.mix, self.sampled) {
            (Some(_), _) => WIDEN_FROM_MIXED,
            (None, true) => 4,
            (None, false) => WIDEN_FROM,
        };
        // Among simultaneous choices a single move says little, so fewer are worth trying.
        let times = if self.mix.is_some() { 4 } else { 16 };
        let wide = known >= most && (known * known) as u64 > times * u64::from(self.visits);
        !wide && u64::from(self.repeated_draws).pow(2) <= u64::from(self.visits)
    }

    /// Records that a drawn move was `new` or already known.
    pub fn record_draw(&mut self, new: bool) {
        self.repeated_draws = if new { 0 } else { self.repeated_draws + 1 };
    }

    fn untried_range(&self) -> Range<usize> {
        self.first_untried as usize..(self.first_untried + self.untried) as usize
    }

    fn edges(&self) -> Range<usize> {
        self.first as usize..(self.first + self.edge_count) as usize
    }
}

/// A choice point of the game.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// The index of the choice in the game.
    pub choice: usize,
    /// The arms of the node: one per seat that chooses here.
    first: u32,
    arms: u32,
    /// How the match ends from here, if that is certain.
    pub proof: Option<Proof>,
}

/// A search tree; with transpositions, a directed graph.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    arms: Vec<Arm>,
    edges: Vec<Edge>,
    untried: Vec<u32>,
    /// What playouts say of each untried move, if [`Tree::keeps_hints`]: most of them are never tried, and a hint takes
    /// a fifth of the memory of an edge.
    hints: Vec<Hint>,
    /// Whether all moves of a playout are learned from (RAVE).
    keeps_hints: bool,
    /// The distinct certain ends, referred to by number; number 0 stands for none.
    proofs: Vec<Option<Proof>>,
    proof_numbers: HashMap<Proof, u32>,
    /// The regrets and mixes of the arms that have them.
    pub mixes: Vec<Mix>,
    /// Moves that have no ids or were sampled.
    pub stored_moves: Vec<Chosen>,
    /// The numbers of those of them that were stored by [`Tree::store`].
    stored_numbers: HashMap<Chosen, u32>,
    /// The nodes by key.
    pub nodes_by_key: HashMap<u128, u32>,
    /// The results of each joint choice.
    pub joint: JointStats,
    /// The range of the rewards.
    pub span: f64,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            nodes: Vec::new(),
            arms: Vec::new(),
            edges: Vec::new(),
            untried: Vec::new(),
            hints: Vec::new(),
            keeps_hints: false,
            proofs: vec![None],
            proof_numbers: HashMap::default(),
            mixes: Vec::new(),
            stored_moves: Vec::new(),
            stored_numbers: HashMap::default(),
            nodes_by_key: HashMap::default(),
            joint: JointStats::default(),
            span: 1.0,
        }
    }
}

impl Tree {
    /// Makes an empty tree, which keeps hints if all moves of a playout are learned from.
    pub fn new(keeps_hints: bool) -> Tree {
        Tree { keeps_hints, ..Tree::default() }
    }

    /// Whether there is room for more nodes.
    pub fn has_room(&self) -> bool {
        // 64 bytes per node stand for the maps beside the tree.
        let of = |items: usize, size: usize| items * size;
        let nodes = of(self.nodes.len(), size_of::<Node>() + 64) + of(self.arms.len(), size_of::<Arm>());
        let untried = of(self.untried.len(), size_of::<u32>()) + of(self.hints.len(), size_of::<Hint>());
        nodes + of(self.edges.len(), size_of::<Edge>()) + untried < MAX_BYTES
    }

    /// Returns the root, if there is one.
    pub fn root(&self) -> Option<&Node> {
        self.nodes.first()
    }

    /// Returns a node.
    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// Returns the arms of a node, in the order of the seats.
    pub fn arms(&self, node: u32) -> &[Arm] {
        let node = &self.nodes[node as usize];
        &self.arms[node.first as usize..(node.first + node.arms) as usize]
    }

    /// Returns an arm of a node.
    pub fn arm(&self, node: u32, arm: usize) -> &Arm {
        &self.arms[self.nodes[node as usize].first as usize + arm]
    }

    /// Like [`Tree::arm`], mutable.
    pub fn arm_mut(&mut self, node: u32, arm: usize) -> &mut Arm {
        &mut self.arms[self.nodes[node as usize].first as usize + arm]
    }

    /// Returns the moves of an arm that have edges.
    pub fn edges(&self, arm: &Arm) -> &[Edge] {
        &self.edges[arm.edges()]
    }

    /// Returns an edge of an arm.
    pub fn edge(&self, node: u32, arm: usize, edge: usize) -> &Edge {
        &self.edges[self.arm(node, arm).first as usize + edge]
    }

    /// Like [`Tree::edge`], mutable.
    pub fn edge_mut(&mut self, node: u32, arm: usize, edge: usize) -> &mut Edge {
        let at = self.arm(node, arm).first as usize + edge;
        &mut self.edges[at]
    }

    /// Returns how the match ends after a move, if that is certain.
    pub fn proof(&self, edge: &Edge) -> Option<Proof> {
        self.proofs[edge.proof as usize]
    }

    /// Adds a node with arms that have no moves yet.
    pub fn add(&mut self, choice: usize, arms: &[Arm]) -> u32 {
        let first = self.arms.len() as u32;
        self.arms.extend_from_slice(arms);
        self.nodes.push(Node { choice, first, arms: arms.len() as u32, proof: None });
        self.nodes.len() as u32 - 1
    }

    /// Adds a copy of a node with one arm, where each known move counts as tried once, with its mean result so far.
    pub fn split(&mut self, node: u32) -> u32 {
        let known = *self.arm(node, 0);
        let mix = known.mix.map(|mix| {
            let mix = self.mixes[mix].part(1.0 / f64::from(known.visits.max(1)));
            self.mixes.push(mix);
            self.mixes.len() - 1
        });
        let arm = Arm::new(known.seat, known.same_moves, known.sampled, mix);
        let arm = Arm { uses_stored_moves: known.uses_stored_moves, more_legal: known.more_legal, ..arm };
        let copy = self.add(self.node(node).choice, &[arm]);
        for at in 0..known.edge_count() {
            let edge = *self.edge(node, 0, at);
            let own = self.add_edge(copy, 0, edge.id);
            if edge.visits > 0 {
                let mean = |sum: f64| sum / f64::from(edge.visits);
                self.edge_mut(copy, 0, own).learn(1, (mean(edge.share), mean(edge.reward)));
                self.edge_mut(copy, 0, own).availability = 1;
                self.arm_mut(copy, 0).visits += 1;
            }
        }
        copy
    }

    /// Gives an arm its legal moves, all of them untried.
    pub fn add_untried(&mut self, node: u32, arm: usize, ids: &[u32]) {
        let first = self.untried.len() as u32;
        self.untried.extend_from_slice(ids);
        if self.keeps_hints {
            self.hints.resize(self.untried.len(), Hint::default());
        }
        let arm = self.arm_mut(node, arm);
        (arm.first_untried, arm.untried) = (first, ids.len() as u32);
    }

    /// Returns the untried moves of an arm.
    pub fn untried(&self, node: u32, arm: usize) -> &[u32] {
        &self.untried[self.arm(node, arm).untried_range()]
    }

    /// Like [`Tree::untried`], mutable, for reordering.
    pub fn untried_mut(&mut self, node: u32, arm: usize) -> &mut [u32] {
        let range = self.arm(node, arm).untried_range();
        &mut self.untried[range]
    }

    /// Takes an untried move: the most promising one if they are ranked, else the one that `draw` picks,
    /// given their number. Returns its edge.
    pub fn expand_untried(&mut self, node: u32, arm: usize, draw: impl FnOnce(u64) -> u64) -> usize {
        let Arm { ranked, untried: left, .. } = *self.arm(node, arm);
        let nth = if ranked { left as usize - 1 } else { draw(u64::from(left)) as usize };
        self.expand_nth(node, arm, nth)
    }

    /// Takes the untried move with an index. Returns its edge.
    fn expand_nth(&mut self, node: u32, arm: usize, nth: usize) -> usize {
        let range = self.arm(node, arm).untried_range();
        let (at, last) = (range.start + nth, range.end - 1);
        self.untried.swap(at, last);
        self.arm_mut(node, arm).untried -= 1;
        let edge = self.add_edge(node, arm, self.untried[last]);
        if self.keeps_hints {
            self.hints.swap(at, last);
            self.edge_mut(node, arm, edge).hint = self.hints[last];
        }
        edge
    }

    /// Records the reward of a playout for the moves of an arm that were made in it, there or later.
    pub fn add_hints(&mut self, node: u32, arm: usize, reward: f32, made: impl Fn(u32) -> bool) {
        let arm = *self.arm(node, arm);
        self.edges[arm.edges()]
            .iter_mut()
            .filter(|edge| made(edge.id))
            .for_each(|edge| edge.hint.add(reward));
        let untried = arm.untried_range();
        let hints = self.untried[untried.clone()].iter().zip(&mut self.hints[untried]);
        hints.filter(|(id, _)| made(**id)).for_each(|(_, hint)| hint.add(reward));
    }

    /// Adds a move to an arm. Returns its edge.
    pub fn add_edge(&mut self, node: u32, arm: usize, id: u32) -> usize {
        let end = self.edges.len();
        let arm = &mut self.arms[self.nodes[node as usize].first as usize + arm];
        if arm.edge_count == arm.capacity {
            // The edges move to the end of the array, where their capacity is doubled.
            let room = INITIAL_CAPACITY.max(2 * arm.edge_count());
            self.edges.extend_from_within(arm.edges());
            self.edges.resize(end + room, Edge::default());
            (arm.first, arm.capacity) = (end as u32, room as u32);
        }
        self.edges[(arm.first + arm.edge_count) as usize] = Edge { id, ..Edge::default() };
        arm.edge_count += 1;
        arm.edge_count() - 1
    }

    /// Returns the known move to try next by UCT (L. Kocsis, C. Szepesvári, 2006). If legal moves vary, only
    /// those in `legal` are compared, and each is explored in relation to how many times it was legal (P.
    /// Cowling, E. Powley, D. Whitehouse, 2012). Certainly losing moves are tried only if all moves lose, and then
    /// all as often, since they may lose to different seats. `biases` are added to the values of the first edges, as if each came
    /// from a single playout.
    pub fn best_uct(&self, arm: &Arm, legal: Option<&[usize]>, biases: &[f32]) -> Option<usize> {
        let edges = self.edges(arm);
        let mut best: Option<(f32, usize)> = None;
        let mut lost: Option<usize> = None;
        let explores = |tries: u32| (EXPLORATION * self.span * log(tries.max(1)).sqrt()) as f32;
        let here = explores(arm.visits);
        let mut weigh = |at: usize| {
            let edge = &edges[at];
            if edge.mean == LOST {
                if lost.is_none_or(|least| edge.visits < edges[least].visits) {
                    lost = Some(at);
                }
                return;
            }
            let explores = if arm.same_moves { here } else { explores(edge.availability) };
            let bias = biases.get(at).map_or(0.0, |bias| bias * edge.inv_sqrt_visits * edge.inv_sqrt_visits);
            let value = edge.mean + explores * edge.inv_sqrt_visits + bias;
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, at));
            }
        };
        match legal {
            Some(legal) => legal.iter().copied().for_each(&mut weigh),
            None => (0..edges.len()).for_each(&mut weigh),
        }
        best.map(|(_, at)| at).or(lost)
    }

    /// Returns the move to try next if all moves of a playout are learned from: RAVE, with the weight that
    /// minimises the error if hints have a bias of [`RAVE_BIAS`] (S. Gelly, D. Silver, 2011). `draw` picks the first
    /// one, given their number. Certainly losing moves are tried as in [`Tree::best_uct`].
    pub fn pick_rave(&mut self, node: u32, arm: usize, draw: impl FnOnce(u64) -> u64) -> Option<usize> {
        let known = *self.arm(node, arm);
        let explores = (RAVE_EXPLORATION * log(known.visits.max(1)).sqrt()) as f32;
        let untried = match (known.visits, known.untried) {
            (_, 0) => None,
            (0, all) => return Some(self.expand_nth(node, arm, draw(u64::from(all)) as usize)),
            _ => self.best_untried(&known, explores),
        };
        let tried = self.best_tried(&known, explores);
        match (untried, tried) {
            (Some((value, nth)), tried) if tried.is_none_or(|(best, _)| value > best) => {
                Some(self.expand_nth(node, arm, nth))
            }
            (_, tried) => tried.map(|(_, edge)| edge),
        }
    }

    /// Returns the untried move of which the hints say most, with its value: one without any hint, if there is one.
    fn best_untried(&self, arm: &Arm, explores: f32) -> Option<(f32, usize)> {
        let mut best: Option<(f32, usize)> = None;
        for (at, hint) in self.hints[arm.untried_range()].iter().enumerate() {
            let value = if hint.playouts == 0 { UNTRIED_VALUE } else { hint.mean + explores };
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, at));
            }
        }
        best
    }

    /// Returns the tried move that is to be tried next, with its value.
    fn best_tried(&self, arm: &Arm, explores: f32) -> Option<(f32, usize)> {
        let edges = self.edges(arm);
        let weigh = |edge: &Edge| {
            if edge.proof != 0 {
                return edge.mean;
            }
            let (visits, hints) = (edge.visits as f32, edge.hint.playouts as f32);
            let share = hints / (visits + hints + 4.0 * RAVE_BIAS * RAVE_BIAS * visits * hints);
            (1.0 - share) * edge.mean + share * edge.hint.mean + explores * edge.inv_sqrt_visits
        };
        let mut best: Option<(f32, usize)> = None;
        for (at, edge) in edges.iter().enumerate() {
            let value = weigh(edge);
            let level = |at: usize| value == LOST && edge.visits < edges[at].visits;
            if best.is_none_or(|(most, known)| value > most || value == most && level(known)) {
                best = Some((value, at));
            }
        }
        best
    }

    /// Records a certain end after a move; an end that was recorded before is kept. Returns how the match
    /// ends from the node, if that is certain now.
    pub fn prove(&mut self, node: u32, arm: usize, edge: usize, proof: Proof, seats: usize) -> Option<Proof> {
        let number = self.proof_number(proof);
        let reward = proof.reward(self.arm(node, arm).seat, seats) as f32;
        let edge = self.edge_mut(node, arm, edge);
        if edge.proof == 0 {
            edge.proof = number;
            edge.mean = if reward > 0.0 { reward } else { LOST };
        }
        let settled = self.proven_end(node, seats);
        self.nodes[node as usize].proof = settled;
        settled
    }

    /// Records a certain end after a joint choice at a node, given as one edge per arm. A move that wins
    /// against all choices of the others is proved. Returns how the match ends from the node, if certain.
    pub fn prove_together(
        &mut self,
        node: u32,
        chosen: &[usize],
        proof: Proof,
        seats: usize,
    ) -> Option<Proof> {
        let arms = self.arms(node).to_vec();
        if self.joint.record_proof(node, JointStats::key(chosen.iter().copied())) {
            for (at, _) in arms.iter().enumerate().filter(|(_, arm)| proof.wins(arm.seat)) {
                let (won, choices) = self.joint.record_win(node, (at, chosen[at]), proof.choices);
                let others = arms.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, arm)| arm);
                let whole = others.clone().all(Arm::is_fully_listed);
                if whole && won == others.map(|arm| arm.edge_count() as u64).product::<u64>() {
                    self.prove(node, at, chosen[at], Proof { choices, ..proof }, seats);
                }
            }
        }
        self.nodes[node as usize].proof
    }

    /// Adds the root statistics of another tree for the same position, or for what the same seat knows.
    pub fn join_root(&mut self, other: &Tree, seats: usize) {
        for (at, theirs) in other.arms(0).iter().enumerate() {
            let mut own_edges = Vec::with_capacity(theirs.edge_count());
            for edge in other.edges(theirs) {
                let own = match theirs.uses_stored_moves {
                    true => self.edge_of_stored(0, at, &other.stored_moves[edge.id as usize]),
                    false => self.edge_of_id(0, at, edge.id),
                };
                own_edges.push(own);
                if edge.visits > 0 {
                    self.edge_mut(0, at, own).learn(edge.visits, (edge.share, edge.reward));
                }
                if let Some(proof) = other.proof(edge) {
                    self.prove(0, at, own, proof, seats);
                }
            }
            self.arm_mut(0, at).visits += theirs.visits;
            if let (Some(own), Some(theirs)) = (self.arm(0, at).mix, theirs.mix) {
                self.mixes[own].join(&other.mixes[theirs], &own_edges);
            }
        }
    }

    /// Returns the edge of an arm for a move with this id, adding one if needed.
    pub fn edge_of_id(&mut self, node: u32, at: usize, id: u32) -> usize {
        let known = self.edges(self.arm(node, at)).iter().position(|edge| edge.id == id);
        known.unwrap_or_else(|| self.add_edge(node, at, id))
    }

    /// Returns the number of a move without an id in [`Tree::stored_moves`], storing it if it is new.
    pub fn store(&mut self, chosen: &Chosen) -> u32 {
        if let Some(known) = self.stored_numbers.get(chosen) {
            return *known;
        }
        let number = self.stored_moves.len() as u32;
        self.stored_moves.push(chosen.clone());
        self.stored_numbers.insert(chosen.clone(), number);
        number
    }

    /// Returns the edge of an arm for a move without an id, adding one if needed.
    pub fn edge_of_stored(&mut self, node: u32, at: usize, chosen: &Chosen) -> usize {
        let number = self.store(chosen);
        self.edge_of_id(node, at, number)
    }

    fn proof_number(&mut self, proof: Proof) -> u32 {
        let proofs = &mut self.proofs;
        *self.proof_numbers.entry(proof).or_insert_with(|| {
            proofs.push(Some(proof));
            proofs.len() as u32 - 1
        })
    }

    /// Returns how the match ends from a node if its moves settle it: MCTS-Solver (M. Winands, Y. Björnsson,
    /// J. Saito, 2008), for any number of seats. A seat with a winning move takes it; otherwise the ends of
    /// all moves must be known, and with more than two sides no other winners may be as good as the best.
    ///
    /// Of seats that choose together, one with a move that wins against all choices of the others wins.
    fn proven_end(&self, node: u32, seats: usize) -> Option<Proof> {
        let [arm] = self.arms(node) else {
            let won = |arm: &Arm| self.edges(arm).iter().find_map(|edge| self.proof(edge));
            return self.arms(node).iter().find_map(won);
        };
        let edges = self.edges(arm);
        let proofs = edges.iter().filter_map(|edge| self.proof(edge));
        let rank = |proof: &Proof| proof.rank(arm.seat, seats);
        let best = proofs
            .clone()
            .max_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(std::cmp::Ordering::Equal))?;
        if best.wins(arm.seat) {
            return Some(best);
        }
        let all = arm.is_fully_listed() && edges.iter().all(|edge| edge.proof != 0);
        let level = |proof: Proof| proof.share(arm.seat, seats) == best.share(arm.seat, seats);
        let doubtful = seats > 2
            && proofs.clone().any(|proof| level(proof) && proof.winners != best.winners)
            && best.interests.sides(seats).len() > 2;
        (all && !doubtful).then_some(best)
    }
}

/// Maps the move ids of an arm to its edges, for passes over many moves.
#[derive(Debug, Default)]
pub struct Marks(Vec<u32>);

impl Marks {
    /// Marks the edges of an arm; the marks of the previous arm must have been cleared.
    pub fn set(&mut self, edges: &[Edge]) {
        let most = edges.iter().map(|edge| edge.id as usize + 1).max().unwrap_or(0);
        if self.0.len() < most {
            self.0.resize(most, 0);
        }
        for (edge, n) in edges.iter().zip(1..) {
            self.0[edge.id as usize] = n;
        }
    }

    /// Returns the edge of a move id, if it has one.
    pub fn edge_of(&self, id: u32) -> Option<usize> {
        self.0.get(id as usize).filter(|n| **n > 0).map(|n| *n as usize - 1)
    }

    /// Clears the marks of an arm.
    pub fn clear(&mut self, edges: &[Edge]) {
        edges.iter().for_each(|edge| self.0[edge.id as usize] = 0);
    }
}

/// Returns the logarithm, linear between powers of two: unlike a library's, it is the same everywhere.
fn log(n: u32) -> f64 {
    let power = n.ilog2();
    (f64::from(power) + f64::from(n) / f64::from(1_u32 << power) - 1.0) * std::f64::consts::LN_2
}

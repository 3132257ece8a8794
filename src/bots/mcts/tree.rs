//! The tree of a search: nodes, the choices of each seat there, and what is known of every move.
//!
//! Nodes, arms, edges and moves not yet tried lie in four rows, so that who goes down the tree reads few lines of memory.

use std::collections::HashMap;
use std::ops::Range;

use super::regret::{Joint, Mix};
use crate::bots::worth::Proof;
use crate::eval::Chosen;

/// How much memory a tree may take, in bytes, about; behind that it does not grow, and playouts begin at its rim.
pub const MAX_BYTES: usize = 256 << 20;

/// How much is explored: the weight of what has been tried less often, as a part of what rewards span.
const EXPLORES: f64 = 0.7;

/// A row of moves up to this long is tried whole before any of them is tried twice; of longer ones the share grows.
const NARROW: usize = 40;

/// The same where several choose together.
const MIXED: usize = 20;

/// The same where all moves of a playout are learnt from, how far what they tell is off, and what a move is worth of which nothing is
/// known.
const RAVE_EXPLORES: f64 = 0.1;
const BIAS: f32 = 0.05;
const UNKNOWN: f32 = 1.0;

/// How many edges an arm has room for at first.
const ROOM: usize = 8;

/// A move, and what came of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edge {
    /// Its number, or the number of its row in [`Tree::rows`] where moves have none.
    pub id: u32,
    /// The node behind it where nothing but the move decides which; 0 for none.
    pub below: u32,
    /// How often it was tried.
    pub visits: u32,
    /// How often it could have been; where all moves of a playout are learnt from, how often it was made later.
    pub could: u32,
    /// The shares of the win of whoever chooses, added up.
    pub share: f64,
    /// The rewards, with margins mixed in, added up.
    pub reward: f64,
    /// The mean reward, or that of the end where that is certain; [`LOST`] where it is nothing.
    mean: f32,
    /// The mean reward of playouts in which it was made here or later, where these are learnt from.
    hint: f32,
    /// The root of one part in so many visits: what has been tried less often is explored more.
    rarity: f32,
    /// How the match ends behind it, once that is certain: see [`Tree::proof`].
    proof: u32,
}

/// The mean of a move that certainly loses.
const LOST: f32 = f32::NEG_INFINITY;

impl Edge {
    /// The share of the win it has brought on average.
    pub fn mean(&self) -> f64 {
        self.share / f64::from(self.visits.max(1))
    }

    /// A playout in which the move was made here or later has brought so much.
    pub fn hint(&mut self, reward: f32) {
        self.could += 1;
        self.hint += (reward - self.hint) / self.could as f32;
    }

    /// Some playouts have brought so much: shares of the win, and the same with margins.
    pub fn learn(&mut self, playouts: u32, (share, reward): (f64, f64)) {
        self.visits += playouts;
        self.share += share;
        self.reward += reward;
        let visits = f64::from(self.visits);
        self.rarity = (1.0 / visits).sqrt() as f32;
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
    /// Whether the same moves are legal at each visit. Where they are not, what is legal is asked each time.
    pub fixed: bool,
    /// Whether moves are drawn, for they are too many to be listed.
    pub drawn: bool,
    /// Whether edges are numbered by [`Tree::rows`]: moves have no numbers, or are drawn.
    pub rows: bool,
    /// Whether those that were never tried are in order, the most promising one last.
    pub ranked: bool,
    /// How often somebody chose here.
    pub visits: u32,
    /// How many draws in a row gave a move that was known.
    in_vain: u32,
    /// Where several choose together, or in secret: the number of how each move has been regretted and mixed, in the order of the edges.
    pub mix: Option<usize>,
    first: u32,
    known: u32,
    room: u32,
    first_untried: u32,
    untried: u32,
}

impl Arm {
    /// Without moves so far.
    pub fn new(seat: usize, fixed: bool, drawn: bool, mix: Option<usize>) -> Arm {
        Arm { seat, fixed, drawn, rows: drawn, mix, ..Arm::default() }
    }

    /// How many moves were tried.
    pub fn known(&self) -> usize {
        self.known as usize
    }

    /// Whether there are moves that are legal at each visit and were never tried.
    pub fn has_untried(&self) -> bool {
        self.untried > 0
    }

    /// Whether all moves are known that are legal, at each visit the same.
    pub fn is_whole(&self) -> bool {
        self.fixed && !self.drawn && !self.has_untried()
    }

    /// Whether one more move should be tried rather than a known one again: progressive widening (R. Coulom, 2007). Where
    /// draws give known moves again and again, they are made more and more seldom.
    pub fn widens(&self) -> bool {
        let known = self.known();
        let most = match (self.mix, self.drawn) {
            (Some(_), _) => MIXED,
            (None, true) => 4,
            (None, false) => NARROW,
        };
        // Where several choose together a move says little alone, and fewer are worth a look.
        let times = if self.mix.is_some() { 4 } else { 16 };
        let wide = known >= most && (known * known) as u64 > times * u64::from(self.visits);
        !wide && u64::from(self.in_vain).pow(2) <= u64::from(self.visits)
    }

    /// A move was drawn, which was `new` or known.
    pub fn drew(&mut self, new: bool) {
        self.in_vain = if new { 0 } else { self.in_vain + 1 };
    }

    fn untried_range(&self) -> Range<usize> {
        self.first_untried as usize..(self.first_untried + self.untried) as usize
    }

    fn edges(&self) -> Range<usize> {
        self.first as usize..(self.first + self.known) as usize
    }
}

/// A choice, and what is known of it.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// The choice, by its number in the game.
    pub choice: usize,
    /// Who chooses here: one seat, or several together.
    first: u32,
    arms: u32,
    /// How the match ends from here, once that is certain.
    pub proof: Option<Proof>,
}

/// A tree; where several ways lead to one position, a graph without rings.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    arms: Vec<Arm>,
    edges: Vec<Edge>,
    untried: Vec<u32>,
    /// Ends that are certain, and the number of each; the first stands for none.
    proofs: Vec<Option<Proof>>,
    numbers: HashMap<Proof, u32>,
    /// How moves have been regretted and mixed, arm by arm.
    pub mixes: Vec<Mix>,
    /// Moves that have no numbers.
    pub rows: Vec<Chosen>,
    /// The nodes that were met, by what tells them apart.
    pub met: HashMap<u128, u32>,
    /// What came of each joint choice.
    pub joint: Joint,
    /// How far rewards lie apart.
    pub span: f64,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            nodes: Vec::new(),
            arms: Vec::new(),
            edges: Vec::new(),
            untried: Vec::new(),
            proofs: vec![None],
            numbers: HashMap::new(),
            mixes: Vec::new(),
            rows: Vec::new(),
            met: HashMap::new(),
            joint: Joint::default(),
            span: 1.0,
        }
    }
}

impl Tree {
    /// Whether there is room for more nodes.
    pub fn has_room(&self) -> bool {
        // What lies beside the tree grows with its nodes.
        let of = |items: usize, size: usize| items * size;
        let nodes = of(self.nodes.len(), size_of::<Node>() + 64) + of(self.arms.len(), size_of::<Arm>());
        nodes + of(self.edges.len(), size_of::<Edge>()) + of(self.untried.len(), 4) < MAX_BYTES
    }

    /// The root, once there is one.
    pub fn root(&self) -> Option<&Node> {
        self.nodes.first()
    }

    /// A node.
    pub fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// Who can choose at a node, in the order of the seats.
    pub fn arms(&self, node: u32) -> &[Arm] {
        let node = &self.nodes[node as usize];
        &self.arms[node.first as usize..(node.first + node.arms) as usize]
    }

    /// One of them.
    pub fn arm(&self, node: u32, arm: usize) -> &Arm {
        &self.arms[self.nodes[node as usize].first as usize + arm]
    }

    /// The same, to be changed.
    pub fn arm_mut(&mut self, node: u32, arm: usize) -> &mut Arm {
        &mut self.arms[self.nodes[node as usize].first as usize + arm]
    }

    /// The moves of an arm that were tried.
    pub fn edges(&self, arm: &Arm) -> &[Edge] {
        &self.edges[arm.edges()]
    }

    /// One of them.
    pub fn edge(&self, node: u32, arm: usize, edge: usize) -> &Edge {
        &self.edges[self.arm(node, arm).first as usize + edge]
    }

    /// The same, to be changed.
    pub fn edge_mut(&mut self, node: u32, arm: usize, edge: usize) -> &mut Edge {
        let at = self.arm(node, arm).first as usize + edge;
        &mut self.edges[at]
    }

    /// How the match ends behind a move, once that is certain.
    pub fn proof(&self, edge: &Edge) -> Option<Proof> {
        self.proofs[edge.proof as usize]
    }

    /// Adds a node with its arms, which have no moves yet.
    pub fn add(&mut self, choice: usize, arms: &[Arm]) -> u32 {
        let first = self.arms.len() as u32;
        self.arms.extend_from_slice(arms);
        self.nodes.push(Node { choice, first, arms: arms.len() as u32, proof: None });
        self.nodes.len() as u32 - 1
    }

    /// Gives an arm the moves that are legal at each visit, none of them tried.
    pub fn add_untried(&mut self, node: u32, arm: usize, ids: &[u32]) {
        let first = self.untried.len() as u32;
        self.untried.extend_from_slice(ids);
        let arm = self.arm_mut(node, arm);
        (arm.first_untried, arm.untried) = (first, ids.len() as u32);
    }

    /// The moves of an arm that were never tried.
    pub fn untried(&self, node: u32, arm: usize) -> &[u32] {
        &self.untried[self.arm(node, arm).untried_range()]
    }

    /// The same, to be put into another order.
    pub fn untried_mut(&mut self, node: u32, arm: usize) -> &mut [u32] {
        let range = self.arm(node, arm).untried_range();
        &mut self.untried[range]
    }

    /// Takes one of the moves never tried: the most promising one where they are ranked, else the one that is drawn from as
    /// many as there are. The number of its edge.
    pub fn try_one(&mut self, node: u32, arm: usize, draw: impl FnOnce(u64) -> u64) -> usize {
        let Arm { ranked, untried: left, .. } = *self.arm(node, arm);
        if !ranked {
            let nth = draw(u64::from(left)) as usize;
            self.untried_mut(node, arm).swap(nth, left as usize - 1);
        }
        let id = self.untried(node, arm)[left as usize - 1];
        self.arm_mut(node, arm).untried -= 1;
        self.add_edge(node, arm, id)
    }

    /// Adds a move to an arm of a node: the number of its edge.
    pub fn add_edge(&mut self, node: u32, arm: usize, id: u32) -> usize {
        let end = self.edges.len();
        let arm = &mut self.arms[self.nodes[node as usize].first as usize + arm];
        if arm.known == arm.room {
            // The edges move to the end of the row, with room for as many more.
            let room = ROOM.max(2 * arm.known());
            self.edges.extend_from_within(arm.edges());
            self.edges.resize(end + room, Edge::default());
            (arm.first, arm.room) = (end as u32, room as u32);
        }
        self.edges[(arm.first + arm.known) as usize] = Edge { id, ..Edge::default() };
        arm.known += 1;
        arm.known() - 1
    }

    /// The known move to be tried next by UCT (L. Kocsis, C. Szepesvári, 2006). Where what is legal varies, only moves
    /// that are now are asked, and each is compared with how often it could have been tried (P. Cowling, E. Powley,
    /// D. Whitehouse, 2012). A move that certainly loses is tried only where all do.
    pub fn best(&self, arm: &Arm, legal: Option<&[usize]>) -> Option<usize> {
        let edges = self.edges(arm);
        let mut best: Option<(f32, usize)> = None;
        let mut lost = None;
        let explores = |tries: u32| (EXPLORES * self.span * log(tries.max(1)).sqrt()) as f32;
        let here = explores(arm.visits);
        let mut weigh = |at: usize| {
            let edge = &edges[at];
            if edge.mean == LOST {
                lost = lost.or(Some(at));
                return;
            }
            let explores = if arm.fixed { here } else { explores(edge.could) };
            let value = edge.mean + explores * edge.rarity;
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

    /// The move to be tried next where all moves of a playout are learnt from: RAVE, with the weight that makes the error least if the
    /// hint is off by [`BIAS`] (S. Gelly, D. Silver, 2011). A move that certainly loses is tried only where all do.
    pub fn best_by_all(&self, arm: &Arm) -> Option<usize> {
        let edges = self.edges(arm);
        let explores = (RAVE_EXPLORES * log(arm.visits.max(1)).sqrt()) as f32;
        let weigh = |edge: &Edge| {
            let (visits, hints) = (edge.visits as f32, edge.could as f32);
            if edge.visits == 0 {
                return if edge.could == 0 { UNKNOWN } else { edge.hint + explores };
            }
            if self.proofs[edge.proof as usize].is_some() {
                return edge.mean;
            }
            let share = hints / (visits + hints + 4.0 * BIAS * BIAS * visits * hints);
            (1.0 - share) * edge.mean + share * edge.hint + explores * edge.rarity
        };
        let mut best: Option<(f32, usize)> = None;
        for (at, edge) in edges.iter().enumerate() {
            let value = weigh(edge);
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, at));
            }
        }
        best.map(|(_, at)| at)
    }

    /// The match ends so behind a move, which is certain; an end that was known before is known here as it was. How it ends
    /// from the node, if that is certain now.
    pub fn prove(&mut self, node: u32, arm: usize, edge: usize, proof: Proof, seats: usize) -> Option<Proof> {
        let number = self.number_of(proof);
        let reward = proof.reward(self.arm(node, arm).seat, seats) as f32;
        let edge = self.edge_mut(node, arm, edge);
        if edge.proof == 0 {
            edge.proof = number;
            edge.mean = if reward > 0.0 { reward } else { LOST };
        }
        let settled = self.settled(node, seats);
        self.nodes[node as usize].proof = settled;
        settled
    }

    /// The match ends so behind what is chosen together at a node, an edge of each arm, which is certain. A move that wins
    /// whatever the others choose with it is proved. How the match ends from the node, if that is certain now.
    pub fn prove_together(
        &mut self,
        node: u32,
        chosen: &[usize],
        proof: Proof,
        seats: usize,
    ) -> Option<Proof> {
        let arms = self.arms(node).to_vec();
        if self.joint.settle(node, Joint::key(chosen.iter().copied())) {
            for (at, _) in arms.iter().enumerate().filter(|(_, arm)| proof.wins(arm.seat)) {
                let (won, choices) = self.joint.won(node, (at, chosen[at]), proof.choices);
                let others = arms.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, arm)| arm);
                let whole = others.clone().all(Arm::is_whole);
                if whole && won == others.map(|arm| arm.known() as u64).product::<u64>() {
                    self.prove(node, at, chosen[at], Proof { choices, ..proof }, seats);
                }
            }
        }
        self.nodes[node as usize].proof
    }

    /// Adds what is known of the moves at the root of another tree, which stands for the same position. Moves without numbers are
    /// those of each tree alone.
    pub fn join_root(&mut self, other: &Tree, seats: usize) {
        for (at, theirs) in other.arms(0).iter().enumerate().filter(|(_, arm)| !arm.rows) {
            for edge in other.edges(theirs) {
                let known = self.edges(self.arm(0, at)).iter().position(|own| own.id == edge.id);
                let own = known.unwrap_or_else(|| self.add_edge(0, at, edge.id));
                if edge.visits > 0 {
                    self.edge_mut(0, at, own).learn(edge.visits, (edge.share, edge.reward));
                }
                if let Some(proof) = other.proof(edge) {
                    self.prove(0, at, own, proof, seats);
                }
            }
            self.arm_mut(0, at).visits += theirs.visits;
            if let (Some(own), Some(theirs)) = (self.arm(0, at).mix, theirs.mix) {
                self.mixes[own].join(&other.mixes[theirs]);
            }
        }
    }

    fn number_of(&mut self, proof: Proof) -> u32 {
        let proofs = &mut self.proofs;
        *self.numbers.entry(proof).or_insert_with(|| {
            proofs.push(Some(proof));
            proofs.len() as u32 - 1
        })
    }

    /// How the match ends from a node if that follows from its moves: MCTS-Solver (M. Winands, Y. Björnsson, J. Saito, 2008),
    /// for any number of seats. Somebody who wins by one move takes it; else the ends of all must be known, and with more
    /// than two seats one of them must be the best for who chooses beyond doubt.
    ///
    /// Of those who choose together somebody wins who has a move that wins whatever the others choose.
    fn settled(&self, node: u32, seats: usize) -> Option<Proof> {
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
        let all = arm.is_whole() && edges.iter().all(|edge| edge.proof != 0);
        let level = |proof: Proof| proof.share(arm.seat, seats) == best.share(arm.seat, seats);
        let doubtful = seats > 2 && proofs.clone().any(|proof| level(proof) && proof.winners != best.winners);
        (all && !doubtful).then_some(best)
    }
}

/// The edge of each move of an arm by its number, for who goes through many moves.
#[derive(Debug, Default)]
pub struct Marks(Vec<u32>);

impl Marks {
    /// Marks the edges of an arm; those of the one before must have been cleared.
    pub fn set(&mut self, edges: &[Edge]) {
        let most = edges.iter().map(|edge| edge.id as usize + 1).max().unwrap_or(0);
        if self.0.len() < most {
            self.0.resize(most, 0);
        }
        for (edge, n) in edges.iter().zip(1..) {
            self.0[edge.id as usize] = n;
        }
    }

    /// The edge of a number, if it has one.
    pub fn edge_of(&self, id: u32) -> Option<usize> {
        self.0.get(id as usize).filter(|n| **n > 0).map(|n| *n as usize - 1)
    }

    /// Takes the marks of an arm away.
    pub fn clear(&mut self, edges: &[Edge]) {
        edges.iter().for_each(|edge| self.0[edge.id as usize] = 0);
    }
}

/// The logarithm of a number, linear between powers of two: the same on every machine, which a library's need not be.
fn log(n: u32) -> f64 {
    let power = n.ilog2();
    (f64::from(power) + f64::from(n) / f64::from(1_u32 << power) - 1.0) * std::f64::consts::LN_2
}

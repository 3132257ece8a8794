//! The tree of a search: nodes, the choices of each seat there, and what is known of every move.

use std::collections::HashMap;

use super::regret::{Joint, Mix};
use super::worth::Proof;
use crate::eval::Chosen;

/// How much memory a tree may take, in bytes, about; behind that it does not grow, and playouts begin at its rim.
pub const MAX_BYTES: usize = 256 << 20;

/// How much is explored: the weight of what has been tried less often. Rewards go from 0 to 1.
const EXPLORES: f64 = 0.7;

/// A row of moves up to this long is tried whole before any of them is tried twice; of longer ones the share grows.
const NARROW: usize = 40;

/// A move, and what came of it.
#[derive(Debug, Clone)]
pub struct Edge {
    /// Its number, or the number of its row in [`Tree::rows`] where moves have none.
    pub id: u32,
    /// The node behind it where nothing but the move decides which; 0 for none.
    pub below: u32,
    /// How often it was tried.
    pub visits: u32,
    /// How often it could have been.
    pub could: u32,
    /// The shares of the win of whoever chooses, added up.
    pub share: f64,
    /// The same with margins mixed in.
    pub reward: f64,
    /// How the match ends behind it, once that is certain.
    pub proof: Option<Proof>,
}

impl Edge {
    fn new(id: u32) -> Edge {
        Edge { id, below: 0, visits: 0, could: 0, share: 0.0, reward: 0.0, proof: None }
    }

    /// The share of the win it has brought on average.
    pub fn mean(&self) -> f64 {
        self.share / f64::from(self.visits.max(1))
    }
}

/// What one seat can choose at a node.
#[derive(Debug, Clone, Default)]
pub struct Arm {
    /// The seat, from 0.
    pub seat: usize,
    /// Whether the same moves are legal at each visit. Where they are not, what is legal is asked each time.
    pub fixed: bool,
    /// Whether moves have no numbers, so that they are drawn, not listed.
    pub drawn: bool,
    /// Moves that are legal at each visit and were never tried.
    pub untried: Vec<u32>,
    /// Those that were.
    pub edges: Vec<Edge>,
    /// How often somebody chose here.
    pub visits: u32,
    /// Where several choose together: how each move has been regretted and mixed, in the order of the edges.
    pub mix: Mix,
}

impl Arm {
    /// Adds a move: the number of its edge.
    pub fn add(&mut self, id: u32) -> usize {
        self.edges.push(Edge::new(id));
        self.edges.len() - 1
    }

    /// Whether one more move should be tried rather than a known one again: progressive widening (R. Coulom, 2007).
    pub fn widens(&self) -> bool {
        let known = self.edges.len();
        let most = if self.drawn { 4 } else { NARROW };
        known < most || (known * known) as u64 <= 16 * u64::from(self.visits)
    }

    /// The known move to be tried next by UCT (L. Kocsis, C. Szepesvári, 2006). Where what is legal varies, only moves
    /// that are now are asked, and each is compared with how often it could have been tried (P. Cowling, E. Powley,
    /// D. Whitehouse, 2012). A move that certainly loses is tried only where all do.
    pub fn best(&self, legal: Option<&[usize]>, seats: usize) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        let mut lost = None;
        let mut weigh = |at: usize| {
            let edge = &self.edges[at];
            let mean = match edge.proof {
                Some(proof) if proof.share(self.seat, seats) == 0.0 => {
                    lost = lost.or(Some(at));
                    return;
                }
                Some(proof) => proof.share(self.seat, seats),
                None => edge.reward / f64::from(edge.visits.max(1)),
            };
            let could = if self.fixed { self.visits } else { edge.could };
            let value = mean + EXPLORES * (log(could.max(1)) / f64::from(edge.visits.max(1))).sqrt();
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, at));
            }
        };
        match legal {
            Some(legal) => legal.iter().copied().for_each(&mut weigh),
            None => (0..self.edges.len()).for_each(&mut weigh),
        }
        best.map(|(_, at)| at).or(lost)
    }
}

/// The logarithm of a number, linear between powers of two: the same on every machine, which a library's need not be.
fn log(n: u32) -> f64 {
    let power = n.ilog2();
    (f64::from(power) + f64::from(n) / f64::from(1_u32 << power) - 1.0) * std::f64::consts::LN_2
}

/// A choice, and what is known of it.
#[derive(Debug, Clone)]
pub struct Node {
    /// The choice, by its number in the game.
    pub choice: usize,
    /// Who chooses here: one seat, or several together.
    pub arms: Vec<Arm>,
    /// How the match ends from here, once that is certain.
    pub proof: Option<Proof>,
}

impl Node {
    /// How the match ends from here if that follows from its moves: MCTS-Solver (M. Winands, Y. Björnsson, J. Saito, 2008),
    /// for any number of seats. Somebody who wins by one move takes it; else the ends of all must be known, and with more
    /// than two seats one of them must be the best for who chooses beyond doubt.
    pub fn settled(&self, seats: usize) -> Option<Proof> {
        let [arm] = self.arms.as_slice() else { return None };
        let proofs = arm.edges.iter().filter_map(|edge| edge.proof);
        let rank = |proof: &Proof| proof.rank(arm.seat, seats);
        let best = proofs
            .clone()
            .max_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(std::cmp::Ordering::Equal))?;
        if best.wins(arm.seat) {
            return Some(best);
        }
        let all = !arm.drawn && arm.untried.is_empty() && arm.edges.iter().all(|edge| edge.proof.is_some());
        let level = |proof: Proof| proof.share(arm.seat, seats) == best.share(arm.seat, seats);
        let doubtful = seats > 2 && proofs.clone().any(|proof| level(proof) && proof.winners != best.winners);
        (all && !doubtful).then_some(best)
    }
}

/// A tree.
#[derive(Debug, Default)]
pub struct Tree {
    /// The nodes; the root is the first.
    pub nodes: Vec<Node>,
    /// Moves that have no numbers.
    pub rows: Vec<Chosen>,
    /// The node behind a node where more than one move decides which: what was chosen together or drawn.
    pub below: HashMap<(u32, u64), u32>,
    /// What came of each joint choice.
    pub joint: Joint,
    bytes: usize,
}

impl Tree {
    /// Whether there is room for more nodes.
    pub fn has_room(&self) -> bool {
        self.bytes < MAX_BYTES
    }

    /// Adds a node.
    pub fn add(&mut self, node: Node) -> u32 {
        let of = |arm: &Arm| size_of::<Arm>() + 4 * arm.untried.len() + arm.edges.len() * size_of::<Edge>();
        self.bytes += size_of::<Node>() + node.arms.iter().map(of).sum::<usize>();
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Adds a move to an arm of a node: the number of its edge.
    pub fn add_edge(&mut self, node: u32, arm: usize, id: u32) -> usize {
        // A row of edges grows by doubling, and what lies beside the tree grows with it.
        self.bytes += 3 * size_of::<Edge>();
        self.nodes[node as usize].arms[arm].add(id)
    }
}

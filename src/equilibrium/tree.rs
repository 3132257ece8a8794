//! The extensive form of a match as data: subgames, their nodes and information sets.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::bots::Trail;
use crate::eval::Chosen;
use crate::ir::Value;
use crate::num::Ratio;

/// A node of a subgame.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// A chance node: the probability and target node of each outcome.
    Chance(Vec<(Ratio, usize)>),
    /// A choice at an information set (by index): the target node of each move.
    Choice(usize, Vec<usize>),
    /// The end of the match: the payoff of each seat.
    End(Vec<Ratio>),
    /// The start of another subgame, by index.
    Into(usize),
}

/// An information set: the nodes that a seat cannot tell apart.
#[derive(Debug, Clone)]
pub(crate) struct Set {
    /// The seat, from 0.
    pub seat: usize,
    /// The moves to choose from; at least two.
    pub moves: Vec<Chosen>,
    /// The nodes in the set.
    pub nodes: Vec<usize>,
    /// The index in [`Tree::steps`] of the last step on a path to one of its nodes.
    pub last_step: usize,
    /// Whether the seat had no choice between several moves before.
    pub is_first: bool,
    /// The key by which a bot finds the set again.
    pub trail: Trail,
}

/// A part of the match that begins where all seats know the same; it can be solved regardless of the past.
#[derive(Debug, Clone, Default)]
pub(crate) struct Subgame {
    /// The nodes, root first. Parents precede their children; all nodes of a set are in one level.
    pub nodes: Vec<Node>,
    /// The range of nodes of each level.
    pub levels: Vec<Range<usize>>,
    /// The information sets.
    pub sets: Vec<Set>,
    /// The index in [`Tree::steps`] of the last step on a path to its root.
    pub last_step: usize,
    /// The subgames that follow, as (seat, trail, subgame); only recorded if something is hidden, for bots.
    pub exits_by_trail: BTreeSet<(usize, Trail, usize)>,
}

/// A choice or a draw on the path to a node.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The index of the previous step; the first step is its own predecessor.
    pub before: usize,
    /// The seat that chose, from 0; `None` for a chance draw.
    pub seat: Option<usize>,
    /// The name of the move or draw.
    pub name: String,
    /// The arguments, or the value drawn.
    pub values: Vec<Value>,
}

/// The extensive form of a match.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The number of seats.
    pub seats: usize,
    /// The subgames; the first one begins with the match.
    pub subgames: Vec<Subgame>,
    /// The steps of all paths, linked by [`Step::before`]; the first one stands for the start of the match.
    pub steps: Vec<Step>,
    /// The sum of the payoffs at any end, if there are two seats and it is constant (a constant-sum game).
    pub sum: Option<Ratio>,
}

impl Tree {
    /// Returns the sum of all seats' payoffs, if it is the same at every end.
    pub fn common_sum(&self) -> Option<Ratio> {
        let ends = self.subgames.iter().flat_map(|subgame| &subgame.nodes).filter_map(|node| match node {
            Node::End(payoffs) => Some(payoffs.iter().fold(Ratio::ZERO, |sum, payoff| sum.add(payoff))),
            _ => None,
        });
        let mut sums: Vec<Ratio> = ends.collect();
        sums.dedup();
        match sums.len() {
            0 | 1 => Some(sums.pop().unwrap_or(Ratio::ZERO)),
            _ => None,
        }
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.subgames.iter().map(|subgame| subgame.nodes.len()).sum()
    }

    /// Returns the number of information sets.
    pub fn sets(&self) -> usize {
        self.subgames.iter().map(|subgame| subgame.sets.len()).sum()
    }

    /// Returns the steps of the path that ends with step `last`.
    pub fn path_to(&self, last: usize) -> Vec<&Step> {
        let mut steps = Vec::new();
        let mut at = last;
        while at != 0 {
            steps.push(&self.steps[at]);
            at = self.steps[at].before;
        }
        steps.reverse();
        steps
    }
}

impl Subgame {
    /// Returns the subgames that this one leads to, ascending and without duplicates.
    pub fn exits(&self) -> Vec<u32> {
        let into = |node: &Node| match node {
            Node::Into(subgame) => Some(*subgame as u32),
            _ => None,
        };
        let mut exits: Vec<u32> = self.nodes.iter().filter_map(into).collect();
        exits.sort_unstable();
        exits.dedup();
        exits
    }

    /// Returns the seats that choose in the subgame, ascending.
    pub fn choosers(&self) -> Vec<usize> {
        let mut seats: Vec<usize> = self.sets.iter().map(|set| set.seat).collect();
        seats.sort_unstable();
        seats.dedup();
        seats
    }

    /// Sorts the nodes by level; `level` holds the level of each node.
    pub fn sort(&mut self, level: &[usize]) {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|node| level[*node]);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| place[*old] = new);
        let mut nodes: Vec<Option<Node>> = self.nodes.drain(..).map(Some).collect();
        self.nodes = order.iter().filter_map(|old| nodes[*old].take()).collect();
        for node in &mut self.nodes {
            match node {
                Node::Chance(ways) => ways.iter_mut().for_each(|(_, to)| *to = place[*to]),
                Node::Choice(_, ways) => ways.iter_mut().for_each(|to| *to = place[*to]),
                Node::End(_) | Node::Into(_) => {}
            }
        }
        self.sets.iter_mut().for_each(|set| set.nodes.iter_mut().for_each(|node| *node = place[*node]));
        self.levels.clear();
        for (at, old) in order.iter().enumerate() {
            match self.levels.last_mut() {
                Some(range) if level[order[range.start]] == level[*old] => range.end = at + 1,
                _ => self.levels.push(at..at + 1),
            }
        }
    }
}

//! The extensive form of a match as data: subgames, their nodes and information sets, in flat arrays.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::Trail;
use crate::eval::Chosen;
use crate::ir::Value;
use crate::num::Ratio;

/// A node of a subgame, as it is stored; [`Subgame::kind`] looks up what it refers to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Node {
    /// A chance node: where its outcomes begin in [`Subgame::draws`], and their number.
    Chance(u32, u32),
    /// A choice: the index of its information set, and where its targets begin in [`Subgame::targets`].
    Choice(u32, u32),
    /// The end of the match: the index of its payoffs in [`Subgame::payoffs`].
    End(u32),
    /// The start of another subgame, by index.
    Into(u32),
}

/// What a node is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind<'s> {
    /// A chance node: each outcome as the index of its probability in [`Subgame::chances`] and its target node.
    Chance(&'s [(u32, u32)]),
    /// A choice at an information set (by index): the target node of each move.
    Choice(usize, &'s [u32]),
    /// The end of the match: the payoff of each seat.
    End(&'s [Ratio]),
    /// The start of another subgame, by index.
    Into(usize),
}

/// An information set: the nodes that a seat cannot tell apart.
#[derive(Debug, Clone)]
pub(crate) struct Set {
    /// The seat, from 0.
    pub seat: usize,
    /// The moves to choose from; at least two. Sets share equal lists of them.
    pub moves: Arc<[Chosen]>,
    /// The nodes in the set.
    pub nodes: Vec<u32>,
    /// The index in [`Tree::steps`] of the last step on a path to one of its nodes.
    pub last_step: usize,
    /// Whether the seat had no choice between several moves before.
    pub is_first: bool,
    /// The key by which a bot finds the set again.
    pub trail: Trail,
}

/// Nodes that a seat cannot tell apart, at which it has a single move.
#[derive(Debug, Clone)]
pub(crate) struct Forced {
    /// The seat, from 0.
    pub seat: usize,
    /// The move.
    pub chosen: Chosen,
    /// The nodes, which stand for what follows the move.
    pub nodes: Vec<u32>,
    /// The key by which a bot finds the situation again.
    pub trail: Trail,
}

/// A part of the match that begins where all seats know the same; it can be solved regardless of the past.
#[derive(Debug, Clone, Default)]
pub(crate) struct Subgame {
    /// The nodes, root first. Parents precede their children; all nodes of a set are in one level.
    pub nodes: Vec<Node>,
    /// The outcomes of all chance nodes, as the indices of their probabilities and of their targets.
    pub draws: Vec<(u32, u32)>,
    /// The targets of all moves, by node and move.
    pub targets: Vec<u32>,
    /// The different probabilities of draws.
    pub chances: Vec<Ratio>,
    /// The different payoffs of all seats.
    pub payoffs: Vec<Vec<Ratio>>,
    /// Whether a node can have several parents, since situations that are played alike were merged.
    pub merged: bool,
    /// The range of nodes of each level.
    pub levels: Vec<Range<usize>>,
    /// The information sets.
    pub sets: Vec<Set>,
    /// The situations in which a seat has a single move, for what it can expect there.
    pub forced: Vec<Forced>,
    /// The index in [`Tree::steps`] of the last step on a path to its root.
    pub last_step: usize,
    /// Where a seat has seen the first trail, its situation is that of the second one: it is the start of another subgame,
    /// or was merged with another. Only recorded if something is hidden, for bots.
    pub exits: BTreeSet<(usize, Trail, Trail)>,
}

/// A choice or a draw.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Act {
    /// The seat that chose, from 0; `None` for a chance draw.
    pub seat: Option<usize>,
    /// The name of the move or draw.
    pub name: String,
    /// The arguments, or the value drawn.
    pub values: Vec<Value>,
}

/// A choice or a draw on the path to a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// The index of the previous step; the first step is its own predecessor.
    pub before: u32,
    /// The index in [`Tree::acts`] of what was done.
    pub act: u32,
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
    /// The different choices and draws.
    pub acts: Vec<Act>,
    /// The sum of the payoffs at any end, if there are two seats and it is constant (a constant-sum game).
    pub sum: Option<Ratio>,
}

impl Tree {
    /// Returns the sum of all seats' payoffs, if it is the same at every end.
    pub fn common_sum(&self) -> Option<Ratio> {
        let ends = self.subgames.iter().flat_map(|subgame| &subgame.payoffs);
        let sum = |payoffs: &Vec<Ratio>| payoffs.iter().fold(Ratio::ZERO, |sum, payoff| sum.add(payoff));
        let mut sums: Vec<Ratio> = ends.map(sum).collect();
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

    /// Returns the choices and draws of the path that ends with step `last`.
    pub fn path_to(&self, last: usize) -> Vec<&Act> {
        let mut acts = Vec::new();
        let mut at = last;
        while at != 0 {
            let step = self.steps[at];
            acts.push(&self.acts[step.act as usize]);
            at = step.before as usize;
        }
        acts.reverse();
        acts
    }
}

impl Subgame {
    /// Returns what a node is.
    pub fn kind(&self, node: usize) -> Kind<'_> {
        match self.nodes[node] {
            Node::Chance(first, count) => {
                Kind::Chance(&self.draws[first as usize..first as usize + count as usize])
            }
            Node::Choice(set, first) => {
                let (set, first) = (set as usize, first as usize);
                Kind::Choice(set, &self.targets[first..first + self.sets[set].moves.len()])
            }
            Node::End(payoffs) => Kind::End(&self.payoffs[payoffs as usize]),
            Node::Into(subgame) => Kind::Into(subgame as usize),
        }
    }

    /// Iterates over all nodes with what they are.
    pub fn kinds(&self) -> impl DoubleEndedIterator<Item = (usize, Kind<'_>)> {
        (0..self.nodes.len()).map(|node| (node, self.kind(node)))
    }

    /// Returns the subgames that this one leads to, ascending and without duplicates.
    pub fn exits(&self) -> Vec<u32> {
        let into = |node: &Node| match node {
            Node::Into(subgame) => Some(*subgame),
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

    /// Sorts the nodes by level; `level` holds the level of each node. A node is dropped if `same` names another that
    /// stands for it.
    pub fn sort(&mut self, level: &[u32], same: &[u32]) {
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        order.retain(|node| same[*node as usize] == *node);
        order.sort_by_key(|node| level[*node as usize]);
        let mut place = vec![0; self.nodes.len()];
        order.iter().enumerate().for_each(|(new, old)| place[*old as usize] = new as u32);
        let place = |old: u32| place[same[old as usize] as usize];
        self.nodes = order.iter().map(|old| self.nodes[*old as usize]).collect();
        self.draws.iter_mut().for_each(|(_, to)| *to = place(*to));
        self.targets.iter_mut().for_each(|to| *to = place(*to));
        let sets = self.sets.iter_mut().map(|set| &mut set.nodes);
        let nodes = sets.chain(self.forced.iter_mut().map(|forced| &mut forced.nodes));
        nodes.flatten().for_each(|node| *node = place(*node));
        self.levels.clear();
        for (at, old) in order.iter().enumerate() {
            match self.levels.last_mut() {
                Some(range) if level[order[range.start] as usize] == level[*old as usize] => {
                    range.end = at + 1;
                }
                _ => self.levels.push(at..at + 1),
            }
        }
    }
}

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
    /// Chance decides: how likely each way is, and where it leads.
    Chance(Vec<(Ratio, usize)>),
    /// A seat chooses at an information set: where each move leads.
    Choice(usize, Vec<usize>),
    /// The match is over: what each seat has of it.
    End(Vec<Ratio>),
    /// Another subgame begins.
    Into(usize),
}

/// An information set: all nodes at which a seat has seen the same.
#[derive(Debug, Clone)]
pub(crate) struct Set {
    /// The seat, from 0.
    pub seat: usize,
    /// What it can choose from; at least two moves.
    pub moves: Vec<Chosen>,
    /// Its nodes.
    pub nodes: Vec<usize>,
    /// A way to one of them, by its last step.
    pub way: usize,
    /// Whether the seat had nothing to choose before.
    pub is_first: bool,
    /// How a bot finds it again.
    pub trail: Trail,
}

/// A part of the match that begins where all seats know the same, and that nothing they saw before bears on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Subgame {
    /// The first is the root. Parents stand before their children, and all nodes of a set in one level.
    pub nodes: Vec<Node>,
    /// The nodes of each level.
    pub levels: Vec<Range<usize>>,
    /// The information sets.
    pub sets: Vec<Set>,
    /// A way to its root, by its last step.
    pub way: usize,
    /// By what a seat has seen, which subgame begins: for bots, where something is hidden.
    pub leads: BTreeSet<(usize, Trail, usize)>,
}

/// A choice or a draw on the way to a node.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The step before it; itself at the start.
    pub before: usize,
    /// Who chose, from 0; nobody where chance drew.
    pub seat: Option<usize>,
    /// The move, or what was drawn.
    pub name: String,
    /// The arguments, or what was drawn.
    pub values: Vec<Value>,
}

/// The extensive form of a match.
#[derive(Debug)]
pub(crate) struct Tree {
    /// How many play.
    pub seats: usize,
    /// The first begins with the match.
    pub subgames: Vec<Subgame>,
    /// Ways through the match; the first step stands for its start.
    pub steps: Vec<Step>,
    /// What two seats have of any end together, where that is always the same: what one gains the other loses.
    pub sum: Option<Ratio>,
}

impl Tree {
    /// What all seats have of an end together, where that is the same at each.
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

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.subgames.iter().map(|subgame| subgame.nodes.len()).sum()
    }

    /// How many information sets there are.
    pub fn sets(&self) -> usize {
        self.subgames.iter().map(|subgame| subgame.sets.len()).sum()
    }

    /// The steps of a way, up to its last one.
    pub fn way(&self, last: usize) -> Vec<&Step> {
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
    /// The subgames that begin where this one ends, each once.
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

    /// The seats that choose in it, ascending.
    pub fn choosers(&self) -> Vec<usize> {
        let mut seats: Vec<usize> = self.sets.iter().map(|set| set.seat).collect();
        seats.sort_unstable();
        seats.dedup();
        seats
    }

    /// Puts the nodes in the order of their levels, which are given node by node.
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

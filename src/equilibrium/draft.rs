//! A subgame under construction.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::tree::{Node, Subgame};
use crate::eval::Chosen;
use crate::num::Ratio;

/// A subgame under construction.
#[derive(Default)]
pub(super) struct Draft {
    pub subgame: Subgame,
    /// The level of each node.
    pub levels: Vec<u32>,
    /// The node that stands for each node: itself, or the one it was merged with.
    pub same: Vec<u32>,
    /// The information sets, by seat and knowledge.
    pub sets: HashMap<(usize, usize), usize>,
    /// The same of situations in which a seat has a single move.
    pub forced: HashMap<(usize, usize), usize>,
    /// The indices of the probabilities and payoffs.
    chances: HashMap<Ratio, u32>,
    payoffs: HashMap<Vec<Ratio>, u32>,
}

impl Draft {
    /// Adds a node of this level.
    pub fn node(&mut self, level: usize) -> usize {
        self.subgame.nodes.push(Node::End(0));
        self.same.push(self.levels.len() as u32);
        self.levels.push(level as u32);
        self.levels.len() - 1
    }

    /// Makes a node a chance node with these outcomes.
    pub fn chance(&mut self, node: usize, ways: Vec<(Ratio, usize)>) {
        let subgame = &mut self.subgame;
        subgame.nodes[node] = Node::Chance(subgame.draws.len() as u32, ways.len() as u32);
        for (likely, to) in ways {
            let at = *self.chances.entry(likely).or_insert_with_key(|likely| {
                subgame.chances.push(likely.clone());
                subgame.chances.len() as u32 - 1
            });
            subgame.draws.push((at, to as u32));
        }
    }

    /// Makes a node a choice at an information set, and adds the nodes after it with this level; returns the targets of its moves.
    pub fn choice(&mut self, node: usize, set: usize, level: usize) -> Vec<usize> {
        let set_of = &mut self.subgame.sets[set];
        set_of.nodes.push(node as u32);
        let moves = set_of.moves.len();
        let targets: Vec<usize> = (0..moves).map(|_| self.node(level)).collect();
        let subgame = &mut self.subgame;
        subgame.nodes[node] = Node::Choice(set as u32, subgame.targets.len() as u32);
        subgame.targets.extend(targets.iter().map(|to| *to as u32));
        targets
    }

    /// Makes a node an end of the match.
    pub fn end(&mut self, node: usize, payoffs: Vec<Ratio>) {
        let subgame = &mut self.subgame;
        let at = *self.payoffs.entry(payoffs).or_insert_with_key(|payoffs| {
            subgame.payoffs.push(payoffs.clone());
            subgame.payoffs.len() as u32 - 1
        });
        subgame.nodes[node] = Node::End(at);
    }
}

/// The different lists of moves to choose from, which sets share.
#[derive(Default)]
pub(super) struct Moves {
    lists: HashSet<Arc<[Chosen]>>,
}

impl Moves {
    /// Returns the one copy of a list.
    pub fn one(&mut self, moves: &[Chosen]) -> Arc<[Chosen]> {
        if let Some(list) = self.lists.get(moves) {
            return list.clone();
        }
        let list: Arc<[Chosen]> = moves.into();
        self.lists.insert(list.clone());
        list
    }
}

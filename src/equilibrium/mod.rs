//! Equilibria: how matches with secrets and choices made together are played best, as mixes of moves, and what they are worth.

mod kept;
mod knowledge;
mod layout;
mod order;
mod program;
mod regret;
mod response;
mod solve;
mod tree;
mod words;

use crate::engine::Engine;
use crate::eval::{Chosen, Fault};
use crate::num::Ratio;
use tree::Tree;
pub use words::Setting;

/// What seats play for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// To win alone (1) and not to lose (−1); shared, or won by nobody, is 0.
    Win,
    /// To be ahead: the difference of scores; with more than two seats, to what the others have on average.
    Lead,
    /// Its own score, whatever others have.
    Own,
}

/// How an equilibrium is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// What seats play for.
    pub aim: Aim,
    /// How many nodes may be laid out.
    pub nodes: usize,
    /// How exploitable what regret minimisation finds may be.
    pub within: f64,
    /// How many sweeps it may take, in each subgame.
    pub iterations: u64,
}

/// How far a search is.
#[derive(Debug, Clone, Copy)]
pub enum Way {
    /// So many nodes have been laid out.
    Laid(usize),
    /// So many subgames of so many have been solved.
    Solved(usize, usize),
}

/// Why there is no equilibrium to tell.
#[derive(Debug)]
pub enum Stop {
    /// The rules break.
    Fault(Fault),
    /// A sentence.
    Refused(String),
    /// There are more nodes than this, in more subgames than this.
    TooLarge {
        /// How many nodes there may be.
        limit: usize,
        /// How many subgames were met.
        subgames: usize,
    },
    /// Whoever was asked whether to go on has said no.
    Interrupted,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

/// By which methods mixes were found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Methods {
    /// How many subgames were solved by linear programs.
    pub programs: usize,
    /// How many by regret minimisation.
    pub regret: usize,
    /// How many by going through the moves of the only seat that chooses.
    pub alone: usize,
    /// The most sweeps that regret minimisation took.
    pub iterations: u64,
}

/// How a match is played, each seat mixing its moves, and what that is worth.
#[derive(Debug)]
pub struct Equilibrium {
    tree: Tree,
    /// By subgame and set, how likely each move is.
    mixes: Vec<Vec<Vec<f64>>>,
    /// The same as fractions, where all of them are exact.
    exact: Option<Vec<Vec<Vec<Ratio>>>>,
    /// By subgame and set, how often it is met in a match.
    reach: Vec<Vec<f64>>,
    /// What each seat has of the match.
    pub values: Vec<f64>,
    /// The same as fractions, where they are exact.
    pub fractions: Option<Vec<Ratio>>,
    /// What each seat could gain that knew the mixes of the others: exact best response.
    pub regrets: Vec<f64>,
    /// What was found how.
    pub methods: Methods,
    /// Whether the match can come back to where it was, so that values are those of ever longer matches.
    pub goes_round: bool,
    /// What was asked for.
    pub search: Search,
}

/// An information set, as it is told of.
#[derive(Debug)]
pub struct InformationSet<'s> {
    /// The player, from 1.
    pub player: usize,
    /// The moves, each with how likely it is.
    pub mix: Vec<(&'s Chosen, f64)>,
    /// The same as fractions, where they are exact.
    pub fractions: Option<&'s [Ratio]>,
    /// How often it is met in a match.
    pub reach: f64,
    /// Whether the player had nothing to choose before.
    pub is_first: bool,
    /// Which subgame it belongs to, and which of its sets it is.
    at: (usize, usize),
}

impl Equilibrium {
    /// Looks for one in the match of an engine. `on` is told how far the search is, and says whether to go on: what is being solved by
    /// regret minimisation then ends with what it has.
    pub fn find<E: Engine>(
        engine: &E,
        search: Search,
        on: &dyn Fn(Way) -> bool,
    ) -> Result<Equilibrium, Stop> {
        let laid = |nodes: usize| on(Way::Laid(nodes));
        // What is said to one seat alone the reference hears; where nothing is hidden that does not matter.
        let tree = match crate::bots::is_open(&engine.machine().game) {
            true => layout::lay_out(engine, search.aim, search.nodes, &laid)?,
            false => layout::lay_out(engine.machine(), search.aim, search.nodes, &laid)?,
        };
        Ok(solve::solve(tree, search, on))
    }

    /// How exploitable the mixes are: what a seat could gain by knowing those of the others, on average over the seats.
    pub fn exploitability(&self) -> f64 {
        self.regrets.iter().sum::<f64>() / self.regrets.len() as f64
    }

    /// Whether two play, and what one gains the other loses.
    pub fn is_zero_sum(&self) -> bool {
        self.tree.sum.is_some()
    }

    /// How many nodes there are, subgames, and information sets.
    pub fn sizes(&self) -> (usize, usize, usize) {
        (self.tree.nodes(), self.tree.subgames.len(), self.tree.sets())
    }

    /// All information sets: those that are met most often first, else in the order in which they were laid out.
    pub fn sets(&self) -> Vec<InformationSet<'_>> {
        let mut sets = Vec::new();
        for (subgame, laid) in self.tree.subgames.iter().enumerate() {
            for (number, set) in laid.sets.iter().enumerate() {
                let mix = set.moves.iter().zip(self.mixes[subgame][number].iter().copied());
                let fractions = self.exact.as_ref().map(|exact| exact[subgame][number].as_slice());
                sets.push(InformationSet {
                    player: set.seat + 1,
                    mix: mix.collect(),
                    fractions,
                    reach: self.reach[subgame][number],
                    is_first: set.is_first,
                    at: (subgame, number),
                });
            }
        }
        sets.sort_by(|a, b| b.reach.total_cmp(&a.reach));
        sets
    }
}

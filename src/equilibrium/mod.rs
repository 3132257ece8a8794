//! Equilibria: optimal mixed strategies for matches with secrets and simultaneous choices, and their values.

mod alike;
mod bot_json;
mod draft;
mod knowledge;
mod layout;
mod mixes;
mod order;
mod payoffs;
mod program;
mod refined;
mod regret;
mod response;
mod size;
mod solve;
mod trail;
mod tree;
mod words;

use crate::engine::Engine;
use crate::eval::{Chosen, Fault, Machine, Position};
use crate::num::Ratio;
use crate::play::is_open;
use crate::solve::Goal;
pub use mixes::{Mix, MixedMove, Mixes};
pub use size::{log10_of_ways, log10_of_ways_from};
pub use solve::Reach;
pub(crate) use trail::{Trail, is_public_event};
use tree::Tree;
pub use words::Setting;

/// Why no equilibrium is looked for where several players win and lose together.
const TOGETHER: &str = "all players win or lose together here, so nobody has a reason to mix moves, and an equilibrium may be any plan \
                        that nobody can better alone; `parlour simulate GAME --seat 1=hard --seat 2=hard` (and so on) says how often \
                        computer players win";

/// The positions that a match may have come to, with their probabilities.
pub type WeightedPositions = Vec<(Position, f64)>;

/// What seats maximise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// The win. Of one or two seats: 1 for a sole winner, −1 for a loser; 0 for a shared win or if nobody wins. Of more,
    /// the share of the win; if nobody wins, all share.
    Win,
    /// The lead: the own score minus the other's, or minus the mean of the others' with more than two seats. If the
    /// lowest score wins, the other way round.
    Lead,
    /// The own score, regardless of the others': as many points as possible, or as few if the lowest score wins.
    Own,
}

impl Aim {
    /// Returns the default aim: to win, or for a single player the points that decide.
    pub fn usual(machine: &Machine) -> Aim {
        match Goal::usual(machine) {
            Goal::Win => Aim::Win,
            Goal::Points { .. } => Aim::Own,
        }
    }

    /// Returns its name in files.
    fn name(self) -> &'static str {
        match self {
            Aim::Win => "win",
            Aim::Lead => "lead",
            Aim::Own => "own",
        }
    }
}

/// The parameters of a search for an equilibrium.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// What seats maximise.
    pub aim: Aim,
    /// The maximum number of nodes to lay out.
    pub nodes: usize,
    /// The distance from an equilibrium at which regret minimisation may stop (see [`Equilibrium::distance`]).
    pub within: f64,
    /// The maximum number of sweeps of regret minimisation in each subgame.
    pub iterations: u64,
    /// How often seats are taken to make any of their moves by mistake, from 0 to 1. If that is more than 0, mixes gain from the
    /// others' mistakes where several equilibria are as good, and are sensible where play gets to only by mistakes (R. Selten,
    /// International Journal of Game Theory 4, 1975).
    pub tremble: f64,
}

/// The progress of a search.
#[derive(Debug, Clone, Copy)]
pub enum SearchProgress {
    /// The number of nodes laid out so far.
    Laid(usize),
    /// The number of subgames solved, and their total number.
    Solved(usize, usize),
}

/// Why no equilibrium was found.
#[derive(Debug)]
pub enum Stop {
    /// The rules break.
    Fault(Fault),
    /// The game cannot be solved; a sentence says why.
    Refused(String),
    /// The limit on nodes was exceeded.
    TooLarge {
        /// The maximum number of nodes.
        limit: usize,
        /// The number of subgames found before the limit was exceeded.
        subgames: usize,
        /// If it was foreseen, from random matches or from the numbers of moves: about how many nodes there are, or more.
        foreseen: Option<f64>,
    },
    /// The caller asked to stop.
    Interrupted,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

/// The methods by which the mixes were found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Methods {
    /// The number of subgames solved by linear programs.
    pub programs: usize,
    /// The number of subgames solved by regret minimisation.
    pub regret: usize,
    /// The number of subgames in which at most one seat chooses, solved by maximisation.
    pub alone: usize,
    /// The maximum number of sweeps that regret minimisation took.
    pub iterations: u64,
}

/// Mixed strategies of all seats, and the resulting values.
#[derive(Debug)]
pub struct Equilibrium {
    tree: Tree,
    /// The probability of each move, by subgame and information set.
    mixes: Vec<Vec<Vec<f64>>>,
    /// The same as fractions, if all of them are exact.
    exact: Option<Vec<Vec<Vec<Ratio>>>>,
    /// The same as they are played with mistakes, if there are any.
    trembling: Vec<Vec<Vec<f64>>>,
    /// The value of each subgame for each seat.
    subgame_values: Vec<Vec<f64>>,
    /// How often each information set is reached in a match, by subgame and set.
    reach: Vec<Vec<Reach>>,
    /// By whose choices each information set is never reached even in its subgame, by subgame and set.
    avoided: Vec<Vec<Option<Avoided>>>,
    /// The value of the match for each seat.
    pub values: Vec<f64>,
    /// The same as fractions, if they are exact.
    pub fractions: Option<Vec<Ratio>>,
    /// What each seat could gain by an exact best response to the others' mixes.
    pub regrets: Vec<f64>,
    /// How many subgames each method solved.
    pub methods: Methods,
    /// Whether the match can return to an earlier position; then values are limits over ever longer matches.
    pub cyclic: bool,
    /// The parameters of the search.
    pub search: Search,
}

/// By whose choices an information set is never reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Avoided {
    /// The seat's own, whatever the others do: its mix there is arbitrary, since nothing depends on it.
    Own,
    /// The others': the mix there need only be good enough to keep them away.
    Others,
}

/// An information set and its mix.
#[derive(Debug)]
pub struct InformationSet<'s> {
    /// The player, from 1.
    pub player: usize,
    /// The moves and their probabilities.
    pub mix: Vec<(&'s Chosen, f64)>,
    /// The same as fractions, if they are exact.
    pub fractions: Option<&'s [Ratio]>,
    /// How often it is reached in a match.
    pub reach: Reach,
    /// By whose choices it is never reached even once its subgame has begun. In a subgame that is never begun, mixes are
    /// best all the same.
    pub avoided: Option<Avoided>,
    /// Whether the player had no choice between several moves before.
    pub is_first: bool,
    /// The index of its subgame, and its index in that subgame.
    at: (usize, usize),
}

impl Equilibrium {
    /// Looks for an equilibrium of an engine's match. `on` is told the progress and returns whether to
    /// continue; if not, regret minimisation stops with what it has.
    pub fn find<E: Engine>(
        engine: &E,
        search: Search,
        on: &dyn Fn(SearchProgress) -> bool,
    ) -> Result<Equilibrium, Stop> {
        Equilibrium::find_from(engine, &[], search, on)
    }

    /// Looks for an equilibrium of the rest of an engine's match from where all seats know the same: the positions that it may have
    /// come to, and their probabilities; of the whole match if there are none.
    pub fn find_from<E: Engine>(
        engine: &E,
        from: &[(Position, f64)],
        search: Search,
        on: &dyn Fn(SearchProgress) -> bool,
    ) -> Result<Equilibrium, Stop> {
        let machine = engine.machine();
        if search.aim == Aim::Win && machine.is_allied() {
            return Err(Stop::Refused(TOGETHER.to_string()));
        }
        let laid = |nodes: usize| on(SearchProgress::Laid(nodes));
        // Only the reference evaluator reports private messages, which matter if anything is hidden.
        let tree = match is_open(&machine.game) {
            true => layout::lay_out(engine, from, search.aim, search.nodes, &laid)?,
            false => layout::lay_out(engine.machine(), from, search.aim, search.nodes, &laid)?,
        };
        Ok(solve::solve(tree, search, on))
    }

    /// Returns how far from an equilibrium this is, as compared with [`Search::within`]: what a seat could gain by a
    /// best response to the others' mixes, on average if two seats have opposed interests, else at most.
    pub fn distance(&self) -> f64 {
        solve::distance(&self.regrets, self.is_zero_sum())
    }

    /// Returns the mean over the seats of what each could gain by a best response to the others' mixes.
    pub fn exploitability(&self) -> f64 {
        self.regrets.iter().sum::<f64>() / self.regrets.len() as f64
    }

    /// Whether there are two seats with strictly opposed interests (constant-sum payoffs).
    pub fn is_zero_sum(&self) -> bool {
        self.tree.sum.is_some()
    }

    /// Returns the numbers of nodes, subgames and information sets.
    pub fn sizes(&self) -> (usize, usize, usize) {
        (self.tree.nodes(), self.tree.subgames.len(), self.tree.sets())
    }

    /// Returns all information sets, most often reached first, then in the order in which they were laid out.
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
                    avoided: self.avoided[subgame][number],
                    is_first: set.is_first,
                    at: (subgame, number),
                });
            }
        }
        sets.sort_by(|a, b| b.reach.times.total_cmp(&a.reach.times));
        sets
    }
}

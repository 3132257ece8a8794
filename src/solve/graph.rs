//! All positions that can come up, laid out once: which move or draw leads from which to which.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};

use super::components::Components;
use super::payoff::{Goal, payoffs};
use super::{Halt, Watch};
use crate::engine::{Engine, Stepper, Turn, no_move};
use crate::ir::Value;
use crate::num::Int;
use crate::source::Span;

/// How many outcomes a draw of chance may have.
const MAX_OUTCOMES: i64 = 1_000_000;

/// How many bytes a position takes beside its words, about, and a way from one to the next.
const NODE: u64 = 120;
const EDGE: u64 = 12;

/// What a position waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The choice of a seat.
    Seat(usize),
    /// A draw of chance.
    Chance,
    /// Nothing: the match is over, with these payoffs, by their number.
    Over(usize),
}

/// The positions, numbered from 0, the first that where it begins.
#[derive(Debug)]
pub struct Graph {
    /// What each waits for.
    pub kinds: Vec<Kind>,
    /// Where the ways from each begin; one more than there are positions.
    firsts: Vec<usize>,
    /// Where they lead: in the order of legal moves, or of the outcomes of a draw, those that come to the same put together.
    targets: Vec<u32>,
    /// How many of the outcomes of a draw lead there; 1 of moves.
    weights: Vec<u64>,
    /// What ends are worth to each seat.
    pub payoffs: Vec<Vec<Int>>,
}

impl Graph {
    /// Goes through all positions from one on. They take at most so many bytes.
    pub fn from<E: Engine>(
        engine: &E,
        start: &E::State,
        goal: Goal,
        memory: u64,
        watch: &Watch,
    ) -> Result<Graph, Halt> {
        let mut stepper = engine.stepper();
        let mut build = Build {
            numbers: HashMap::new(),
            ends: BTreeMap::new(),
            over: HashMap::new(),
            left: VecDeque::new(),
            bytes: 0,
            key: Vec::new(),
            graph: Graph {
                kinds: Vec::new(),
                firsts: vec![0],
                targets: Vec::new(),
                weights: Vec::new(),
                payoffs: Vec::new(),
            },
        };
        build.number(engine, &mut stepper, start, goal)?;
        let mut looked = 0;
        while let Some((node, state)) = build.left.pop_front() {
            // Ends have nothing behind them, and stand in no line.
            build.pad(node);
            match stepper.turn(&state) {
                Turn::Choice { choice, seats } => {
                    let seat = seats.trailing_zeros() as usize;
                    let ids = stepper.list(&state, seat)?.map(<[u32]>::to_vec);
                    let chosen = match ids {
                        Some(_) => Vec::new(),
                        None => stepper.legal(&state, seat)?,
                    };
                    let ids = ids.unwrap_or_default();
                    let count = ids.len() + chosen.len();
                    for id in ids {
                        let mut next = state.clone();
                        stepper.make(&mut next, seat, id)?;
                        let target = build.number(engine, &mut stepper, &next, goal)?;
                        build.lead(target, 1);
                    }
                    for chosen in chosen {
                        let mut next = state.clone();
                        stepper.choose(&mut next, seat, chosen)?;
                        let target = build.number(engine, &mut stepper, &next, goal)?;
                        build.lead(target, 1);
                    }
                    if count == 0 {
                        return Err(Halt::Fault(Box::new(no_move(engine.machine(), choice))));
                    }
                    looked += count as u64;
                }
                Turn::Chance => {
                    let outcomes = outcomes(engine, &state)?;
                    looked += outcomes.len() as u64;
                    let mut leads: BTreeMap<u32, u64> = BTreeMap::new();
                    for (value, times) in outcomes {
                        let mut next = state.clone();
                        let _ = engine.draw(&mut next, value)?;
                        let target = build.number(engine, &mut stepper, &next, goal)?;
                        *leads.entry(target).or_insert(0) += times;
                    }
                    leads.into_iter().for_each(|(target, times)| build.lead(target, times));
                }
                Turn::Over => {}
            }
            build.graph.firsts.push(build.graph.targets.len());
            if !watch(looked.max(build.graph.kinds.len() as u64)) {
                return Err(Halt::Asked);
            }
            if build.bytes + EDGE * build.graph.targets.len() as u64 > memory {
                return Err(Halt::OutOfMemory(build.graph.kinds.len() as u64));
            }
        }
        let all = build.graph.kinds.len();
        build.pad(all);
        Ok(build.graph)
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Where the ways from a position lead.
    pub fn ways_from(&self, node: usize) -> &[u32] {
        &self.targets[self.firsts[node]..self.firsts[node + 1]]
    }

    /// How many ways there are.
    pub fn ways(&self) -> usize {
        self.targets.len()
    }

    /// Where draws at a position lead, and how many outcomes to each.
    pub fn draws(&self, node: usize) -> impl Iterator<Item = (u32, u64)> {
        let range = self.firsts[node]..self.firsts[node + 1];
        self.targets[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// Whether anything is drawn.
    pub fn has_chance(&self) -> bool {
        self.kinds.contains(&Kind::Chance)
    }

    /// The positions put together that lead to each other: those behind others come first.
    pub fn components(&self) -> Components {
        Components::of(self.len(), |node| self.ways_from(node))
    }
}

/// Whether some position can come again.
pub fn go_round(graph: &Graph, components: &Components) -> bool {
    components.each().any(|nodes| goes_round(graph, nodes))
}

/// Whether the positions of a component can come again.
pub fn goes_round(graph: &Graph, nodes: &[u32]) -> bool {
    nodes.len() > 1 || graph.ways_from(nodes[0] as usize).contains(&nodes[0])
}

/// The outcomes of the draw that a position waits for: each once, and how many of equal weight it stands for.
pub fn outcomes<E: Engine>(engine: &E, state: &E::State) -> Result<BTreeMap<Value, u64>, Halt> {
    let span = engine.machine().chance(&engine.position(state)).map_or(Span::default(), |chance| chance.span);
    let dom = engine.outcomes(state)?;
    let count = dom.count(span)?;
    if count.as_ref().is_none_or(|count| *count > Int::from(MAX_OUTCOMES)) {
        return Err(Halt::TooManyOutcomes(count));
    }
    let mut outcomes = BTreeMap::new();
    for value in dom.iter(span)? {
        *outcomes.entry(value).or_insert(0) += 1;
    }
    Ok(outcomes)
}

struct Build<S> {
    numbers: HashMap<Box<[u64]>, u32>,
    /// The number of each payoff, and of the end that has it.
    ends: BTreeMap<Vec<Int>, usize>,
    over: HashMap<usize, u32>,
    /// The positions whose moves are still to be made.
    left: VecDeque<(usize, S)>,
    bytes: u64,
    key: Vec<u64>,
    graph: Graph,
}

impl<S: Clone> Build<S> {
    /// The number of a position, a new one where it is met for the first time. Ends of the same worth are one.
    fn number<'e, E: Engine<State = S> + 'e>(
        &mut self,
        engine: &'e E,
        stepper: &mut E::Stepper<'e>,
        state: &S,
        goal: Goal,
    ) -> Result<u32, Halt> {
        let fresh =
            u32::try_from(self.graph.kinds.len()).map_err(|_| Halt::OutOfMemory(u64::from(u32::MAX)))?;
        let kind = match stepper.turn(state) {
            Turn::Over => {
                let payoffs = payoffs(engine, state, goal)?;
                let known = self.ends.len();
                let number = *self.ends.entry(payoffs.clone()).or_insert(known);
                if number == known {
                    self.graph.payoffs.push(payoffs);
                }
                let Entry::Vacant(place) = self.over.entry(number) else { return Ok(self.over[&number]) };
                place.insert(fresh);
                self.graph.kinds.push(Kind::Over(number));
                return Ok(fresh);
            }
            Turn::Choice { seats, .. } if seats.count_ones() == 1 => {
                Kind::Seat(seats.trailing_zeros() as usize)
            }
            Turn::Choice { .. } => return Err(Halt::NotOpen),
            Turn::Chance => Kind::Chance,
        };
        stepper.lasting_key(state, &mut self.key);
        if let Some(number) = self.numbers.get(self.key.as_slice()) {
            return Ok(*number);
        }
        self.bytes += NODE + 16 * self.key.len() as u64;
        self.numbers.insert(self.key.as_slice().into(), fresh);
        self.graph.kinds.push(kind);
        self.left.push_back((fresh as usize, state.clone()));
        Ok(fresh)
    }

    /// Says that nothing is behind the positions up to one.
    fn pad(&mut self, node: usize) {
        while self.graph.firsts.len() <= node {
            self.graph.firsts.push(self.graph.targets.len());
        }
    }

    fn lead(&mut self, target: u32, times: u64) {
        self.graph.targets.push(target);
        self.graph.weights.push(times);
    }
}

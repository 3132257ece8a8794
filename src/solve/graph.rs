//! The graph of all positions that can come up, with the moves and draws between them as edges.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::components::Components;
use super::numbering::Numbering;
use super::payoff::{Goal, Payoffs, balance_of_share, share_of_rank};
use super::table::TranspositionTable;
use super::{Halt, Watch};
use crate::engine::{Engine, Outcomes, Stepper, Turn, no_move};
use crate::eval::Fault;
use crate::ir::MoveId;
use crate::num::{Int, Ratio};

/// About how many bytes a position takes besides its number: what it waits for, its edges' place, its component, and its
/// bounds.
const NODE_BYTES: u64 = 56;
/// How many bytes an edge takes, or the weight of one.
const EDGE_BYTES: u64 = 4;
/// About how many bytes a position takes until its moves are made.
const WAITING_BYTES: u64 = 256;
/// So many positions are made at once at most before they get numbers.
const MANY: usize = 64;

/// What a position waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A choice of a side.
    Side(u32),
    /// A chance draw.
    Chance,
    /// Nothing: the match is over, with the payoffs of this index.
    Over(u32),
}

/// A move that one seat makes only where it has no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restriction {
    /// The seat, from 0.
    pub seat: usize,
    /// The move, with any arguments.
    pub mv: MoveId,
}

/// The positions, numbered from 0 for the start, and the edges between them.
#[derive(Debug)]
pub struct Graph {
    /// What each position waits for.
    pub kinds: Vec<Kind>,
    /// Where the edges of each position begin, and how many they are.
    firsts: Vec<usize>,
    counts: Vec<u32>,
    /// The targets of the edges of one position after another: in the order of legal moves; for draws ascending, with equal
    /// targets merged. Behind those of a draw follows how many outcomes lead to each; behind that, the index of what each
    /// edge gains, if points are kept apart.
    edges: Vec<u32>,
    /// The distinct gains of edges, by side, if positions are those without the points won so far: then values are of what can
    /// still be won.
    gains: Option<Vec<Vec<Int>>>,
    /// The distinct payoffs of finished matches, by side.
    pub payoffs: Vec<Vec<Int>>,
    /// Why the moves of some positions have not been made, if that is so: these have no edges.
    pub halted: Option<Halt>,
    /// Whether a restricted seat has done without a move.
    pub does_without: bool,
    /// What the end of a match is worth to each side.
    pub rule: Payoffs,
    numbers: Numbering,
    /// The position that ends with each distinct payoff: ends with equal payoffs are one position.
    ends: BTreeMap<Vec<Int>, u32>,
}

impl Graph {
    /// Builds the graph of all positions that can follow `start`, in at most `memory` bytes. A restricted seat
    /// has only the edges of the moves that it makes. If memory or time does not last, the graph is [`Graph::halted`]. Points that only add up are kept `apart` if that is asked for.
    pub fn from<E: Engine>(
        engine: &E,
        start: &E::State,
        (goal, apart): (Goal, bool),
        restriction: Option<Restriction>,
        memory: u64,
        watch: &Watch,
    ) -> Result<Graph, Halt> {
        let (mut stepper, mut outcomes) = (engine.stepper(), Outcomes::default());
        let apart = apart && goal != Goal::Win && stepper.leave_out_points();
        let mut build = Build::new(Payoffs::of(engine.machine(), goal), apart);
        build.made(start).clone_from(start);
        build.number_made(engine, &mut stepper)?;
        let (mut looked, mut ids, mut leads) = (0, Vec::new(), Vec::new());
        // Depth first: then few positions wait for their moves to be made at any time.
        while let Some((node, state)) = build.left.pop() {
            build.leave(engine, &state)?;
            match stepper.turn(&state) {
                Turn::Choice { choice, seats } => {
                    let seat = seats.trailing_zeros() as usize;
                    ids.clear();
                    let mut chosen = Vec::new();
                    match stepper.list(&state, seat)? {
                        Some(listed) => ids.extend_from_slice(listed),
                        None => chosen = stepper.legal(&state, seat)?,
                    }
                    if let Some(Restriction { mv, .. }) = restriction.filter(|of| of.seat == seat) {
                        let made =
                            |id: &u32| stepper.ids().chosen(choice, *id).is_none_or(|own| own.mv != mv);
                        let all = ids.len() + chosen.len();
                        keep_if_any(&mut ids, made);
                        keep_if_any(&mut chosen, |own| own.mv != mv);
                        build.graph.does_without |= ids.len() + chosen.len() < all;
                    }
                    for id in &ids {
                        stepper.make(build.made(&state), seat, *id)?;
                        build.number_if_many(engine, &mut stepper)?;
                    }
                    let count = ids.len() + chosen.len();
                    for chosen in chosen {
                        stepper.choose(build.made(&state), seat, chosen)?;
                        build.number_if_many(engine, &mut stepper)?;
                    }
                    build.number_made(engine, &mut stepper)?;
                    if count == 0 {
                        return Err(Halt::Fault(Box::new(no_move(engine.machine(), choice))));
                    }
                    build.graph.give(node, build.targets.iter().copied());
                    build.graph.edges.extend(&build.gained);
                    looked += count as u64;
                }
                Turn::Chance => {
                    let outcomes = outcomes.at(engine, &state)?;
                    looked += outcomes.len() as u64;
                    for drawn in outcomes.iter() {
                        stepper.resolve_draw(build.made(&state), drawn)?;
                        build.number_if_many(engine, &mut stepper)?;
                    }
                    build.number_made(engine, &mut stepper)?;
                    leads.clear();
                    for (nth, drawn) in outcomes.iter().enumerate() {
                        let gained = build.gained.get(nth).copied();
                        let times = u32::try_from(drawn.times).map_err(|_| Halt::TooLarge)?;
                        leads.push(((build.targets[nth], gained), times));
                    }
                    leads.sort_unstable();
                    let same = || leads.chunk_by(|a, b| a.0 == b.0);
                    build.graph.give(node, same().map(|same| same[0].0.0));
                    let weights = same().map(|same| same.iter().map(|(_, times)| times).sum::<u32>());
                    build.graph.edges.extend(weights);
                    build.graph.edges.extend(same().filter_map(|same| same[0].0.1));
                }
                Turn::Over => {}
            }
            build.spare.push(state);
            let halt = match () {
                () if !watch(looked.max(build.graph.kinds.len() as u64)) => Halt::Interrupted,
                () if build.bytes() > memory || build.graph.len() > Numbering::MOST => {
                    Halt::OutOfMemory(build.graph.kinds.len() as u64)
                }
                () => continue,
            };
            build.graph.halted = (!build.left.is_empty()).then_some(halt);
            break;
        }
        Ok(build.graph)
    }

    /// Returns the values of a finished match that have means: its payoffs or, of more than two sides that play to win,
    /// their shares followed by their balances of wins and losses.
    pub fn end_values(&self, payoffs: u32) -> Vec<Ratio> {
        let payoffs = &self.payoffs[payoffs as usize];
        if !self.plays_for_shares() {
            return payoffs.iter().cloned().map(Ratio::from).collect();
        }
        let share = |rank: &Int| share_of_rank(rank.as_i64().unwrap_or(0), payoffs.len());
        let mut values: Vec<Ratio> = payoffs.iter().map(share).collect();
        values.extend(values.iter().map(balance_of_share).collect::<Vec<_>>());
        values
    }

    /// Returns the number of the position that ends with some payoffs.
    fn number_end(&mut self, payoffs: Vec<Int>) -> u32 {
        match self.ends.entry(payoffs) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                self.payoffs.push(place.key().clone());
                let number = *place.insert(self.numbers.skip());
                self.add(Kind::Over(self.payoffs.len() as u32 - 1));
                number
            }
        }
    }

    /// Adds the position with the next number, so far without edges.
    fn add(&mut self, kind: Kind) {
        self.kinds.push(kind);
        self.firsts.push(0);
        self.counts.push(0);
    }

    /// Gives a position its edges.
    fn give(&mut self, node: usize, targets: impl Iterator<Item = u32>) {
        self.firsts[node] = self.edges.len();
        self.edges.extend(targets);
        self.counts[node] = (self.edges.len() - self.firsts[node]) as u32;
    }

    /// Returns the payoff of a match that never ends.
    pub fn endless(&self) -> i64 {
        self.rule.goal.of_endless(self.rule.sides)
    }

    /// Whether more than two sides play to win, each for its share.
    pub fn plays_for_shares(&self) -> bool {
        self.rule.goal.plays_for_shares(self.rule.sides)
    }

    /// Returns the value of a match that never ends, of several sides.
    pub fn endless_value(&self) -> f64 {
        if self.plays_for_shares() { 1.0 / self.rule.sides as f64 } else { 0.0 }
    }

    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Returns the successors of a position.
    pub fn successors(&self, node: usize) -> &[u32] {
        &self.edges[self.firsts[node]..][..self.counts[node] as usize]
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> u64 {
        self.counts.iter().map(|count| u64::from(*count)).sum()
    }

    /// Returns the successors of a position, each with its number of outcomes if the position waits for a draw, and otherwise
    /// with 1.
    pub fn weighted(&self, node: usize) -> impl Iterator<Item = (u32, u32)> {
        let targets = self.successors(node);
        let behind = self.firsts[node] + targets.len();
        let weights = (self.kinds[node] == Kind::Chance).then(|| &self.edges[behind..][..targets.len()]);
        let weight = move |nth: usize| weights.map_or(1, |weights| weights[nth]);
        targets.iter().enumerate().map(move |(nth, target)| (*target, weight(nth)))
    }

    /// Returns the number of a position, if it is one of these positions.
    pub fn find<E: Engine>(&self, engine: &E, state: &E::State) -> Result<Option<usize>, Fault> {
        let mut stepper = engine.stepper();
        if stepper.turn(state) == Turn::Over {
            let worth = self.rule.at(engine, state)?;
            let end = self.ends.get(&less(&worth, &self.won(engine, state)?));
            return Ok(end.map(|node| *node as usize));
        }
        if self.keeps_points_apart() {
            stepper.leave_out_points();
        }
        let mut key = Vec::new();
        stepper.lasting_key(state, &mut key);
        Ok(self.numbers.find(&key).map(|node| node as usize))
    }

    /// Whether the points won so far are no part of positions.
    pub fn keeps_points_apart(&self) -> bool {
        self.gains.is_some()
    }

    /// Returns what each side has won so far in a position, if that is no part of it; otherwise nothing.
    pub fn won<E: Engine>(&self, engine: &E, state: &E::State) -> Result<Vec<Int>, Fault> {
        if self.keeps_points_apart() { self.rule.at(engine, state) } else { Ok(Vec::new()) }
    }

    /// Returns what each side gains on the way from a position to its successor of this number, if points are kept apart;
    /// otherwise nothing.
    pub fn gain(&self, node: usize, nth: usize) -> &[Int] {
        let Some(gains) = &self.gains else { return &[] };
        let many = self.counts[node] as usize;
        let before = if self.kinds[node] == Kind::Chance { 2 * many } else { many };
        &gains[self.edges[self.firsts[node] + before + nth] as usize]
    }

    /// Whether there are chance draws.
    pub fn has_chance(&self) -> bool {
        self.kinds.contains(&Kind::Chance)
    }

    /// Returns the strongly connected components, successors first.
    pub fn components(&self) -> Components {
        Components::of(self.len(), |node| self.successors(node))
    }
}

/// Whether any position can repeat.
pub fn has_cycle(graph: &Graph, components: &Components) -> bool {
    components.each().any(|nodes| is_cyclic(graph, nodes))
}

/// Whether the positions of a component can repeat.
pub fn is_cyclic(graph: &Graph, nodes: &[u32]) -> bool {
    nodes.len() > 1 || graph.successors(nodes[0] as usize).contains(&nodes[0])
}

/// Keeps the items that satisfy `such`, or all if none does.
fn keep_if_any<T>(items: &mut Vec<T>, such: impl Fn(&T) -> bool) {
    if items.iter().any(&such) {
        items.retain(such);
    }
}

/// Subtracts what was won so far, if anything is kept apart.
fn less(worth: &[Int], won: &[Int]) -> Vec<Int> {
    match won.is_empty() {
        true => worth.to_vec(),
        false => worth.iter().zip(won).map(|(worth, won)| worth.sub(won)).collect(),
    }
}

struct Build<S> {
    /// The positions whose moves have not been made yet.
    left: Vec<(usize, S)>,
    /// The first `count` of these positions have been made and have no numbers yet.
    made: Vec<S>,
    count: usize,
    /// Their keys, one after the other; where each ends, and its hash.
    keys: Vec<u64>,
    ends: Vec<(usize, u64)>,
    key: Vec<u64>,
    /// The numbers of the positions after the present one and, if points are kept apart, the indices of what is gained on
    /// the way; what had been won before; and the index of each gain.
    targets: Vec<u32>,
    gained: Vec<u32>,
    won: Vec<Int>,
    gain_indices: BTreeMap<Vec<Int>, u32>,
    /// Positions that are no longer needed, of whose memory others can be made.
    spare: Vec<S>,
    graph: Graph,
}

impl<S: Clone> Build<S> {
    fn new(rule: Payoffs, apart: bool) -> Build<S> {
        Build {
            left: Vec::new(),
            made: Vec::new(),
            count: 0,
            keys: Vec::new(),
            ends: Vec::new(),
            key: Vec::new(),
            targets: Vec::new(),
            gained: Vec::new(),
            won: Vec::new(),
            gain_indices: BTreeMap::new(),
            spare: Vec::new(),
            graph: Graph {
                kinds: Vec::new(),
                firsts: Vec::new(),
                counts: Vec::new(),
                edges: Vec::new(),
                gains: apart.then(Vec::new),
                payoffs: Vec::new(),
                halted: None,
                does_without: false,
                rule,
                numbers: Numbering::default(),
                ends: BTreeMap::new(),
            },
        }
    }

    /// Begins with the positions after this one.
    fn leave<E: Engine<State = S>>(&mut self, engine: &E, state: &S) -> Result<(), Fault> {
        self.targets.clear();
        self.gained.clear();
        self.won = self.graph.won(engine, state)?;
        Ok(())
    }

    /// Notes what is gained on the way to a position, if points are kept apart; returns what has been won there.
    fn gain<E: Engine<State = S>>(&mut self, engine: &E, nth: usize) -> Result<Vec<Int>, Fault> {
        let won = self.graph.won(engine, &self.made[nth])?;
        if let Some(gains) = &mut self.graph.gains {
            let gain = less(&won, &self.won);
            self.gained.push(*self.gain_indices.entry(gain).or_insert_with_key(|gain| {
                gains.push(gain.clone());
                gains.len() as u32 - 1
            }));
        }
        Ok(won)
    }

    /// Returns a copy of a position, of which the next one is to be made.
    fn made(&mut self, state: &S) -> &mut S {
        if self.count == self.made.len() {
            self.made.push(state.clone());
        } else {
            self.made[self.count].clone_from(state);
        }
        self.count += 1;
        &mut self.made[self.count - 1]
    }

    /// Gives numbers to the positions that have been made, if they are many.
    fn number_if_many<'e, E: Engine<State = S> + 'e>(
        &mut self,
        engine: &'e E,
        stepper: &mut E::Stepper<'e>,
    ) -> Result<(), Halt> {
        if self.count < MANY { Ok(()) } else { self.number_made(engine, stepper) }
    }

    /// Gives numbers to the positions that have been made, and appends them to `targets`. All keys are computed first, so
    /// that the memory accesses for them overlap.
    fn number_made<'e, E: Engine<State = S> + 'e>(
        &mut self,
        engine: &'e E,
        stepper: &mut E::Stepper<'e>,
    ) -> Result<(), Halt> {
        self.keys.clear();
        self.ends.clear();
        for state in &self.made[..self.count] {
            let mut hash = 0;
            if stepper.turn(state) != Turn::Over {
                stepper.lasting_key(state, &mut self.key);
                hash = TranspositionTable::hash(&self.key);
                self.graph.numbers.announce(hash);
                self.keys.extend_from_slice(&self.key);
            }
            self.ends.push((self.keys.len(), hash));
        }
        let mut first = 0;
        for nth in 0..self.count {
            let (end, hash) = self.ends[nth];
            let won = self.gain(engine, nth)?;
            let (graph, state) = (&mut self.graph, &mut self.made[nth]);
            let kind = match stepper.turn(state) {
                Turn::Over => {
                    let worth = graph.rule.at(engine, state)?;
                    self.targets.push(graph.number_end(less(&worth, &won)));
                    continue;
                }
                Turn::Choice { seats, .. } if seats.count_ones() == 1 => {
                    Kind::Side(graph.rule.side(seats.trailing_zeros() as usize) as u32)
                }
                Turn::Choice { .. } => return Err(Halt::NotOpen),
                Turn::Chance => Kind::Chance,
            };
            let (number, new) = graph.numbers.number(&self.keys[first..end], hash);
            first = end;
            if new {
                graph.add(kind);
                let other = self.spare.pop().unwrap_or_else(|| state.clone());
                self.left.push((number as usize, std::mem::replace(state, other)));
            }
            self.targets.push(number);
        }
        self.count = 0;
        Ok(())
    }

    /// Returns about how many bytes everything takes.
    fn bytes(&self) -> u64 {
        let edges = EDGE_BYTES * self.graph.edges.len() as u64;
        let nodes = NODE_BYTES * self.graph.len() as u64 + self.graph.numbers.bytes();
        nodes + edges + WAITING_BYTES * self.left.len() as u64
    }
}

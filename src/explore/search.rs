//! Breadth-first search over the positions of a setting: visits all of them if they are few, and so finds the
//! shortest matches.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::finding::key_of;
use super::identity::{Identity, Key};
use super::sample::{ask_all, noting_absence, strict};
use super::{Plan, Setting, Step, Trace, all};
use crate::diag::Code;
use crate::eval::{Chosen, Fault, Machine, Meter, Position, Waiting};
use crate::ir::Value;
use crate::play::chosen;
use crate::source::Span;

/// How many positions of a setting are kept. Each takes some fifty bytes, besides its edges; those not yet
/// expanded take some kilobytes each.
const MAX_POSITIONS: usize = 200_000;
/// The most edges between them.
const MAX_EDGES: usize = 4_000_000;
/// The target of a step that breaks the rules.
const NOWHERE: u32 = u32::MAX;
/// The most steps that may be followed from one position.
const MAX_STEPS_ON: usize = 4_000;
/// How many positions the crew expands at once at most. Results do not depend on which thread expands which
/// position.
const CHUNK: usize = 64;
/// When coverage is counted, the needs of the first `PROBED` positions are probed, and after that those of
/// one position in `PROBED_BEHIND`.
const PROBED: u64 = 1_000;
const PROBED_BEHIND: u64 = 8;
/// The effort charged for a step, besides the evaluation steps of listing the moves.
const STEP: u64 = 400;

/// The positions of a setting, as far as they were searched.
pub(super) struct Graph {
    /// The setting.
    pub setting: Setting,
    /// The positions, in breadth-first order; the start is first.
    pub nodes: Vec<Node>,
    /// The target of each edge, grouped by source node; `NOWHERE` if the step breaks the rules.
    edges: Vec<u32>,
    /// Whether all positions were reached, with all steps from each.
    pub complete: bool,
    /// The faults: the node, the number of the step from it (`None` if querying the node itself fails), and
    /// the fault.
    pub broken: Vec<(usize, Option<usize>, Fault)>,
    /// The first step at each place that takes something out that is not there, in the same form.
    pub not_there: Vec<(usize, Option<usize>, Fault)>,
    /// The effort spent.
    pub effort: u64,
}

/// A position.
pub(super) struct Node {
    /// The node from which it was reached first, and the number of the step there.
    parent: Option<(u32, u32)>,
    /// What it waits for.
    pub kind: Kind,
    /// The range of its edges in `Graph::edges`.
    edges: std::ops::Range<u32>,
    /// The number of steps from the start.
    pub depth: u32,
}

/// What a position waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The choice of this number, by this seat (from 0).
    Choice(usize, usize),
    /// The choice of this number, by several seats together.
    Together(usize),
    /// A draw.
    Chance,
    /// The match is over; a bit for each winner.
    Over(u64),
    /// Play cannot continue: the rules break here.
    Broken,
}

/// The successors of a position.
struct Expanded {
    /// The fault of listing the legal steps, if that fails.
    asked: Option<Fault>,
    to: Vec<(Result<Position, Fault>, Key)>,
    /// The steps that take something out that is not there, with the faults that these are for a strict machine.
    not_there: Vec<(usize, Fault)>,
    /// Whether there may be more successors.
    more: bool,
    effort: u64,
}

impl Graph {
    /// Whether the needs of all positions were probed.
    pub fn all_probed(&self) -> bool {
        self.nodes.len() as u64 <= PROBED
    }

    /// Returns the steps of a node that break no rules: the number of each, and the node it leads to.
    pub fn edges(&self, node: usize) -> impl Iterator<Item = (usize, usize)> {
        let Node { edges, .. } = &self.nodes[node];
        let all = self.edges[edges.start as usize..edges.end as usize].iter().enumerate();
        all.filter(|(_, to)| **to != NOWHERE).map(|(nth, to)| (nth, *to as usize))
    }

    /// Returns the match that leads to a node and continues with the steps of the given numbers.
    pub fn trace(&self, machine: &Machine, node: usize, on: &[usize]) -> Option<Trace> {
        let mut path = Vec::new();
        let mut at = node;
        while let Some((parent, nth)) = self.nodes[at].parent {
            path.push(nth as usize);
            at = parent as usize;
        }
        path.reverse();
        path.extend(on);
        let mut trace = Trace::begun(self.setting.clone());
        if path.is_empty() {
            return Some(trace);
        }
        let mut position = machine.start().ok()?;
        for nth in path {
            let (steps, ..) = steps_on(machine, &position).ok()?;
            let step = steps.into_iter().nth(nth)?;
            let _ = go(machine, &mut position, &step);
            trace.steps.push(step);
        }
        Some(trace)
    }
}

/// Searches the positions of a setting until all are visited or about `effort` is spent.
pub(super) fn search(plan: &Plan, setting: &Setting, machine: &Machine, effort: u64) -> Graph {
    let mut graph = Graph {
        setting: setting.clone(),
        nodes: Vec::new(),
        edges: Vec::new(),
        complete: true,
        broken: Vec::new(),
        not_there: Vec::new(),
        effort: STEP,
    };
    if let Some(Err(fault)) = strict(machine).map(|strict| strict.start())
        && fault.code == Code::NotThere
    {
        graph.not_there.push((0, None, fault));
    }
    let start = match machine.start() {
        Ok(start) => start,
        Err(fault) => {
            graph.nodes.push(Node { parent: None, kind: Kind::Broken, edges: 0..0, depth: 0 });
            graph.broken.push((0, None, fault));
            return graph;
        }
    };
    let identity = Identity::of(machine);
    let mut width = CHUNK;
    let mut known: HashMap<Key, u32> = HashMap::new();
    known.insert(identity.key(&start), 0);
    graph.add(machine, None, 0, &start);
    // The positions not yet expanded, nearest first.
    let mut open = vec![(0, start)];
    while !open.is_empty() {
        let mut next = Vec::new();
        let mut left = open.as_slice();
        while !left.is_empty() {
            let chunk;
            (chunk, left) = left.split_at(width.min(left.len()));
            let spent = graph.effort >= effort
                || graph.nodes.len() >= MAX_POSITIONS
                || graph.edges.len() >= MAX_EDGES;
            if spent || !(plan.watch)(setting, graph.effort as f64 / effort.max(1) as f64) {
                graph.complete = false;
                return graph;
            }
            let spent_before = graph.effort;
            let most = effort - graph.effort;
            let expanded = all(plan.crew, chunk.len(), |at| expand(machine, &identity, &chunk[at].1, most));
            for ((node, _), expanded) in chunk.iter().zip(expanded) {
                next.extend(graph.join(machine, &mut known, *node, expanded));
            }
            // As many positions as the effort that is left suffices for, if they take as much as these.
            let each = (graph.effort - spent_before).div_ceil(chunk.len() as u64).max(1);
            width = (effort.saturating_sub(graph.effort) / each).clamp(1, CHUNK as u64) as usize;
        }
        open = next;
    }
    graph
}

impl Graph {
    fn add(
        &mut self,
        machine: &Machine,
        parent: Option<(u32, u32)>,
        depth: u32,
        position: &Position,
    ) -> Kind {
        // Where there are many positions, their needs behave much alike.
        let number = self.nodes.len() as u64;
        let probed = number < PROBED || number.is_multiple_of(PROBED_BEHIND);
        let kind = match ask_all(machine, position, probed.then_some(number)) {
            Ok(effort) => {
                self.effort += effort;
                Kind::of(machine, position)
            }
            // The match goes on, and where the same fails again is nothing new.
            Err(fault) => {
                let known = self.broken.iter().any(|(.., known)| key_of(known) == key_of(&fault));
                self.broken.extend((!known).then_some((self.nodes.len(), None, fault)));
                Kind::of(machine, position)
            }
        };
        self.nodes.push(Node { parent, kind, edges: 0..0, depth });
        kind
    }

    /// Adds the successors of a node, and returns those that are new and can be expanded, with their numbers.
    fn join(
        &mut self,
        machine: &Machine,
        known: &mut HashMap<Key, u32>,
        node: usize,
        expanded: Expanded,
    ) -> Vec<(usize, Position)> {
        self.complete &= !expanded.more;
        self.effort += expanded.effort;
        if let Some(fault) = expanded.asked {
            self.broken.push((node, None, fault));
            self.nodes[node].kind = Kind::Broken;
        }
        for (nth, fault) in expanded.not_there {
            let known = self.not_there.iter().any(|(.., known)| key_of(known) == key_of(&fault));
            self.not_there.extend((!known).then_some((node, Some(nth), fault)));
        }
        let first = self.edges.len() as u32;
        let depth = self.nodes[node].depth + 1;
        let mut new = Vec::new();
        for (nth, (to, key)) in expanded.to.into_iter().enumerate() {
            match to {
                Ok(position) => {
                    let number = *known.entry(key).or_insert_with(|| {
                        let number = self.nodes.len();
                        if !matches!(
                            self.add(machine, Some((node as u32, nth as u32)), depth, &position),
                            Kind::Over(_) | Kind::Broken
                        ) {
                            new.push((number, position));
                        }
                        number as u32
                    });
                    self.edges.push(number);
                }
                Err(fault) => {
                    self.edges.push(NOWHERE);
                    self.broken.push((node, Some(nth), fault));
                }
            }
        }
        self.nodes[node].edges = first..self.edges.len() as u32;
        new
    }
}

impl Kind {
    fn of(machine: &Machine, position: &Position) -> Kind {
        match &position.waiting {
            Waiting::Choice { choice, seats } => match machine.game.choices[*choice].together {
                true => Kind::Together(*choice),
                false => Kind::Choice(*choice, seats.first().copied().unwrap_or(0)),
            },
            Waiting::Chance => Kind::Chance,
            Waiting::Over | Waiting::Nothing => {
                let winners = position.outcome.iter().flat_map(|outcome| &outcome.winners);
                Kind::Over(winners.fold(0, |all, seat| all | 1 << seat))
            }
        }
    }
}

/// Takes the steps from a position, until about `most` effort is spent.
fn expand(machine: &Machine, identity: &Identity, position: &Position, most: u64) -> Expanded {
    let meter = Arc::new(Meter::default());
    let machine = &machine.with_meter(meter.clone());
    let strict = strict(machine);
    let (steps, more, mut effort) = match steps_on(machine, position) {
        Ok(found) => found,
        Err(fault) => {
            let (to, not_there) = (Vec::new(), Vec::new());
            return Expanded { asked: Some(fault), to, not_there, more: false, effort: STEP };
        }
    };
    let (mut to, mut not_there) = (Vec::new(), Vec::new());
    for (nth, step) in steps.iter().enumerate() {
        effort += STEP;
        let mut next = position.clone();
        let taken = |machine: &Machine, next: &mut Position| go(machine, next, step);
        let came = noting_absence((machine, &strict), &mut next, taken).map(|fault| {
            not_there.extend(fault.map(|fault| (nth, fault)));
            next
        });
        let endless = came.as_ref().is_err_and(|fault| fault.code == Code::TooMuchWork);
        let (key, counted) = came.as_ref().map_or((0, 0), |next| identity.key_counted(next));
        effort += counted;
        to.push((came, key));
        // Where a step takes endless work, the others from here are likely to take as much.
        let spent = effort + meter.of_long_runs();
        if endless || spent >= most {
            return Expanded {
                asked: None,
                more: more || to.len() < steps.len(),
                to,
                not_there,
                effort: spent,
            };
        }
    }
    Expanded { asked: None, to, not_there, more, effort: effort + meter.of_long_runs() }
}

/// Takes a step that is known to be possible.
pub(super) fn go(machine: &Machine, position: &mut Position, step: &Step) -> Result<(), Fault> {
    match step {
        Step::Choice(picks) => {
            picks.iter().try_for_each(|(seat, chosen)| machine.choose(position, *seat, chosen.clone()))
        }
        Step::Chance(_, value) => machine.draw(position, value.clone()).map(drop),
    }
}

/// Returns the possible steps from a position in order, whether there are more, and the effort of listing
/// them. If a parameter is unbounded, only its window is listed, and there are more.
pub(super) fn steps_on(machine: &Machine, position: &Position) -> Result<(Vec<Step>, bool, u64), Fault> {
    match &position.waiting {
        Waiting::Choice { choice, seats } => {
            let together = machine.game.choices[*choice].together;
            let (mut more, mut effort) = (false, 0);
            let mut rows: Vec<Vec<(usize, Chosen)>> = vec![Vec::new()];
            for seat in if together { seats.as_slice() } else { &seats[..seats.len().min(1)] } {
                let (legal, cut, steps) = legal(machine, position, (*choice, *seat))?;
                (more, effort) = (more || cut, effort + steps);
                let longer = rows.iter().flat_map(|row| {
                    legal.iter().map(move |chosen| {
                        let mut row = row.clone();
                        row.push((*seat, chosen.clone()));
                        row
                    })
                });
                let mut longer: Vec<_> = longer.take(MAX_STEPS_ON + 1).collect();
                more |= longer.len() > MAX_STEPS_ON;
                longer.truncate(MAX_STEPS_ON);
                rows = longer;
            }
            Ok((rows.into_iter().map(Step::Choice).collect(), more, effort))
        }
        Waiting::Chance => {
            let Some(chance) = machine.chance(position) else { return Ok((Vec::new(), false, 0)) };
            let outcomes = machine.outcomes(position)?;
            let mut values: Vec<Value> = outcomes.iter(chance.span)?.take(MAX_STEPS_ON + 1).collect();
            let more = values.len() > MAX_STEPS_ON;
            values.truncate(MAX_STEPS_ON);
            // Draws with equal results, such as equal cards, count once.
            values.sort();
            values.dedup();
            let effort = values.len() as u64;
            Ok((
                values.into_iter().map(|value| Step::Chance(chance.name.clone(), value)).collect(),
                more,
                effort,
            ))
        }
        Waiting::Over | Waiting::Nothing => Ok((Vec::new(), false, 0)),
    }
}

/// Returns the legal moves of a seat, whether there are more, and the effort of listing them.
fn legal(
    machine: &Machine,
    position: &Position,
    (choice, seat): (usize, usize),
) -> Result<(Vec<Chosen>, bool, u64), Fault> {
    let game = &machine.game;
    let list = |windowed: bool| {
        let mut moves: Vec<Chosen> = Vec::new();
        let (listed, steps) = machine.ask_counted(position, |env| {
            env.each_legal(&game.choices[choice], seat, windowed, &mut |chosen| {
                moves.push(chosen);
                if moves.len() > MAX_STEPS_ON { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        });
        listed.map(|()| (moves, steps))
    };
    let (mut moves, mut effort) = list(false)?;
    let mut more = moves.len() > MAX_STEPS_ON;
    let unchosen = |made: &Chosen| made.args.len() < chosen(&game.moves[made.mv]).count();
    if moves.iter().any(unchosen) {
        let (windowed, steps) = list(true)?;
        (moves, effort, more) = (windowed, effort + steps, true);
    }
    moves.truncate(MAX_STEPS_ON);
    Ok((moves, more, effort))
}

/// Returns the span of the choice that a node waits for.
pub(super) fn choice_span(machine: &Machine, kind: Kind) -> Span {
    match kind {
        Kind::Choice(choice, _) | Kind::Together(choice) => machine.game.choices[choice].span,
        _ => Span::default(),
    }
}

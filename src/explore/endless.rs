//! Matches that need not end: cycles in the graph of positions, and who can keep a match in them.

use std::collections::VecDeque;

use super::search::{Graph, Kind, choice_span};
use super::{Finding, Sort, Trace, counted};
use crate::diag::{Code, Diagnostic};
use crate::eval::Machine;
use crate::solve::Components;

/// The number of positions for which a shortest cycle is looked for.
const TRIED: usize = 200;

/// The help text of every finding of this sort.
pub(super) const HELP: &str = "make every turn bring the end closer, forbid repeated positions, or limit the passes of the \
                    loop: `turns as turn { … } until turn = 40`, `repeat 40 { … }`";

/// Who can keep a match going for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeper {
    /// Nobody needs to: no choice and no draw leads to an end.
    Trap,
    /// This seat (from 0) alone, whatever the others do.
    Alone(usize),
    /// All who choose there, together.
    Together,
}

/// Returns the worst way in which a match of a setting need not end, if there is one.
pub(super) fn endless(machine: &Machine, graph: &Graph, how: &str) -> Option<Finding> {
    if graph.complete
        && let Some(at) = trap(graph)
    {
        let cycle = shortest_cycle(graph, at, &|_| true).unwrap_or_default();
        let trace = graph.trace(machine, at, &cycle)?;
        return Some(endless_finding(
            machine,
            (graph.nodes[at].kind, Keeper::Trap),
            cycle.len(),
            trace,
            (how, true),
        ));
    }
    let (at, cycle) = nearest_cycle(graph)?;
    let trace = graph.trace(machine, at, &cycle)?;
    let keeper = match graph.complete {
        true => (0..graph.setting.players)
            .find(|seat| kept_by(graph, *seat)[at])
            .map_or(Keeper::Together, Keeper::Alone),
        false => Keeper::Together,
    };
    Some(endless_finding(machine, (graph.nodes[at].kind, keeper), cycle.len(), trace, (how, graph.complete)))
}

/// A match in which a position recurs after `steps` steps.
pub(super) fn comes_again(
    machine: &Machine,
    choice: usize,
    steps: usize,
    trace: Trace,
    how: &str,
) -> Finding {
    let kind = Kind::Choice(choice, 0);
    endless_finding(machine, (kind, Keeper::Together), steps, trace, (how, false))
}

/// A setting in which no match ended.
pub(super) fn none_ended(machine: &Machine, choice: usize, choices: u64, trace: Trace, how: &str) -> Finding {
    let message = format!(
        "no match ended: after {}, this one was still going on",
        counted(choices, "choice", "choices")
    );
    let span = machine.game.choices[choice].span;
    finding(Diagnostic::new(Code::Endless, span, message, "it was still going on here"), trace, (how, false))
}

fn endless_finding(
    machine: &Machine,
    (kind, keeper): (Kind, Keeper),
    steps: usize,
    trace: Trace,
    how: (&str, bool),
) -> Finding {
    let again = match steps {
        0 => String::new(),
        1 => ": after one step the position is the same again".to_string(),
        n => format!(": after {n} steps the position is the same again"),
    };
    let (message, label) = match keeper {
        Keeper::Trap => (
            format!("the match can no longer end, whatever is chosen{again}"),
            "no choice from here on leads to an end",
        ),
        Keeper::Alone(seat) => (
            format!("{} alone can keep the match going forever{again}", machine.game.seat_name(seat)),
            "the match comes back here",
        ),
        Keeper::Together => {
            (format!("a match may never end{again}, and nothing prevents that"), "the match comes back here")
        }
    };
    finding(Diagnostic::new(Code::Endless, choice_span(machine, kind), message, label), trace, how)
}

fn finding(diagnostic: Diagnostic, trace: Trace, (how, proved): (&str, bool)) -> Finding {
    Finding {
        sort: Sort::Endless,
        cause: Code::Endless,
        diagnostic: diagnostic.help(HELP),
        trace: Some(trace),
        beside: None,
        root: None,
        breaks: false,
        how: how.to_string(),
        proved,
    }
}

/// Returns the nearest position with a choice from which neither an end nor a fault can be reached.
fn trap(graph: &Graph) -> Option<usize> {
    let mut before = vec![Vec::new(); graph.nodes.len()];
    for node in 0..graph.nodes.len() {
        graph.edges(node).for_each(|(_, to)| before[to].push(node));
    }
    let mut ends: Vec<bool> =
        graph.nodes.iter().map(|node| matches!(node.kind, Kind::Over(_) | Kind::Broken)).collect();
    for (node, ..) in &graph.broken {
        ends[*node] = true;
    }
    let mut open: Vec<usize> = (0..ends.len()).filter(|node| ends[*node]).collect();
    while let Some(node) = open.pop() {
        for from in &before[node] {
            if !std::mem::replace(&mut ends[*from], true) {
                open.push(*from);
            }
        }
    }
    let chosen = |node: &usize| matches!(graph.nodes[*node].kind, Kind::Choice(..) | Kind::Together(_));
    (0..ends.len()).filter(chosen).find(|node| !ends[*node])
}

/// Returns the nearest position that recurs if all seats want it to, whatever chance brings, and the step
/// numbers of the shortest cycle through it.
fn nearest_cycle(graph: &Graph) -> Option<(usize, Vec<usize>)> {
    // Repeatedly remove nodes without remaining successors: they are on no cycle. A draw is removed as soon
    // as one of its successors is, and at once if the graph is incomplete, since successors may be missing.
    let count = graph.nodes.len();
    let mut left = vec![0usize; count];
    let mut before = vec![Vec::new(); count];
    for (node, left) in left.iter_mut().enumerate() {
        let drawn = graph.nodes[node].kind == Kind::Chance;
        for (_, to) in graph.edges(node).take_while(|_| !drawn || graph.complete) {
            *left = if drawn { 1 } else { *left + 1 };
            before[to].push(node);
        }
    }
    let mut gone: Vec<usize> = (0..count).filter(|node| left[*node] == 0).collect();
    let mut out: Vec<bool> = left.iter().map(|left| *left == 0).collect();
    let mut at = 0;
    while at < gone.len() {
        for from in &before[gone[at]] {
            // A draw may lead to several removed nodes.
            left[*from] = left[*from].saturating_sub(1);
            if left[*from] == 0 && !std::mem::replace(&mut out[*from], true) {
                gone.push(*from);
            }
        }
        at += 1;
    }
    let recurs = recurring(graph, &out);
    let chosen = |node: &usize| graph.nodes[*node].kind != Kind::Chance;
    let on = (0..count).filter(|node| recurs[*node]).filter(chosen);
    let mut best: Option<(usize, Vec<usize>)> = None;
    let length = |node: usize, cycle: &[usize]| graph.nodes[node].depth as usize + cycle.len();
    for node in on.take(TRIED) {
        if best.as_ref().is_some_and(|(at, cycle)| length(*at, cycle) <= length(node, &[])) {
            break;
        }
        if let Some(cycle) = shortest_cycle(graph, node, &|node| !out[node])
            && best.as_ref().is_none_or(|(at, known)| length(node, &cycle) < length(*at, known))
        {
            best = Some((node, cycle));
        }
    }
    best
}

/// Returns, for each position, whether it is on a cycle of positions that are not `out`: those that are left may also
/// only lead to one.
fn recurring(graph: &Graph, out: &[bool]) -> Vec<bool> {
    let successors = |node: usize| -> Vec<u32> {
        let inside = graph.edges(node).filter(|(_, to)| !out[node] && !out[*to]);
        inside.map(|(_, to)| to as u32).collect()
    };
    let successors: Vec<Vec<u32>> = (0..out.len()).map(successors).collect();
    let mut recurs = vec![false; out.len()];
    for nodes in Components::of(out.len(), |node| &successors[node]).each() {
        let again = nodes.len() > 1 || successors[nodes[0] as usize].contains(&nodes[0]);
        nodes.iter().for_each(|node| recurs[*node as usize] = again);
    }
    recurs
}

/// Returns the step numbers of the shortest path from `start` back to it through nodes that satisfy `such`.
fn shortest_cycle(graph: &Graph, start: usize, such: &dyn Fn(usize) -> bool) -> Option<Vec<usize>> {
    let mut from: Vec<Option<(usize, usize)>> = vec![None; graph.nodes.len()];
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        for (nth, to) in graph.edges(node) {
            if from[to].is_some() || !such(to) {
                continue;
            }
            from[to] = Some((node, nth));
            if to == start {
                let mut path = Vec::new();
                let mut at = start;
                while let Some((node, nth)) = from[at] {
                    path.push(nth);
                    at = node;
                    if at == start {
                        break;
                    }
                }
                path.reverse();
                return Some(path);
            }
            open.push_back(to);
        }
    }
    None
}

/// Returns, for each position, whether a seat can keep the match from ending there, whatever the others
/// choose and chance brings: the greatest set in which this seat always has a step that stays inside, and all
/// steps of others stay inside.
fn kept_by(graph: &Graph, seat: usize) -> Vec<bool> {
    let mut kept: Vec<bool> =
        graph.nodes.iter().map(|node| !matches!(node.kind, Kind::Over(_) | Kind::Broken)).collect();
    for (node, ..) in &graph.broken {
        kept[*node] = false;
    }
    loop {
        let mut settled = true;
        // Go backwards, because positions that lead out tend to be far from the start.
        for node in (0..kept.len()).rev().filter(|node| kept[*node]).collect::<Vec<_>>() {
            let stays = match graph.nodes[node].kind {
                Kind::Choice(_, who) if who == seat => graph.edges(node).any(|(_, to)| kept[to]),
                _ => graph.edges(node).all(|(_, to)| kept[to]),
            };
            if !stays {
                (kept[node], settled) = (false, false);
            }
        }
        if settled {
            return kept;
        }
    }
}

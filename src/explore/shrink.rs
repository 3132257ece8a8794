//! Shorter matches that show the same: in the smallest setting that does, with fewer steps, by a shorter way to their end, with
//! smaller and fewer different choices.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use super::endless;
use super::finding::key_of;
use super::identity::{Identity, Key};
use super::sample::ask_all;
use super::search::{go, steps_on};
use super::{Finding, Setting, Sort, Step, Trace};
use crate::diag::Diagnostic;
use crate::eval::{Chosen, Fault, Machine, Position, Waiting};
use crate::ir::Value;
use crate::play::Rules;

/// How far before the end of a match a shorter way to it is looked for, in steps.
const NEAR: usize = 6;
/// How many positions are gone on from for each of these.
const WIDE: usize = 300;
/// How many legal moves are listed to find smaller ones.
const LISTED: usize = 64;

/// Finds the smallest setting that shows a sampled finding, and a short match there, within about so many steps that are
/// played again.
pub(super) fn shrink(rules: &Rules, machines: &[(Setting, Machine)], finding: &mut Finding, steps: u64) {
    let Some(known) = finding.trace.take() else { return };
    let mut best = known;
    let mut left = steps;
    for (setting, machine) in machines {
        let own = *setting == best.setting;
        let again = Again { machine, identity: Identity::of(machine), setting, finding };
        // What is left over of a match elsewhere may take long to play: each setting has its share.
        let mut share = if own { left } else { left / 2 };
        let before = share;
        let shown = again.shown(&best.steps, &mut share);
        if let Some(shown) = shown {
            let trace = again.shortened(shown, &mut share);
            let sharper = again.retold(&trace);
            if !own {
                finding.how = format!("{} with {}", finding.how, best.setting.words(rules));
            }
            if let Some(sharper) = sharper {
                finding.diagnostic = sharper;
            }
            best = trace;
            break;
        }
        left -= before - share;
        if own {
            break;
        }
    }
    finding.trace = Some(best);
}

/// Leaves out stretches of steps, shorter and shorter ones, as long as the rest shows the same (delta debugging: A. Zeller, R.
/// Hildebrandt, IEEE TSE 28, 2002). `shown` gives what is left of them where they do.
pub(super) fn fewer<T: Clone>(mut items: Vec<T>, shown: &mut dyn FnMut(&[T]) -> Option<Vec<T>>) -> Vec<T> {
    let mut size = (items.len() / 2).max(1);
    loop {
        let (mut at, before) = (0, items.len());
        while at < items.len() {
            let end = (at + size).min(items.len());
            let rest = [&items[..at], &items[end..]].concat();
            match shown(&rest) {
                Some(shorter) if shorter.len() < items.len() => items = shorter,
                _ => at = end,
            }
        }
        if size == 1 && items.len() == before {
            return items;
        }
        size = (size / 2).max(1);
    }
}

/// The moves that a seat could make in the place of one, the smallest first, as far as they are smaller: by the order in which
/// moves are offered, then by their numbers; of equals one that the match has elsewhere comes first.
pub(super) fn smaller(
    machine: &Machine,
    position: &Position,
    (seat, chosen): (usize, &Chosen),
    elsewhere: &[Chosen],
) -> Vec<Chosen> {
    let Some(choice) = machine.choice(position) else { return Vec::new() };
    let mut listed = Vec::new();
    let walked = machine.ask(position, |env| {
        env.each_legal(choice, seat, true, &mut |row| {
            listed.push(row);
            if listed.len() < LISTED { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
    });
    if walked.is_err() {
        return Vec::new();
    }
    let rank = |row: &Chosen| listed.iter().position(|other| other == row).unwrap_or(LISTED);
    let size = |row: &Chosen| {
        let numbers = row.args.iter().map(magnitude).fold(0, i64::saturating_add);
        (row.offer, numbers, !elsewhere.contains(row), rank(row))
    };
    let mut found: Vec<Chosen> = listed.iter().filter(|row| size(row) < size(chosen)).cloned().collect();
    found.sort_by_key(size);
    // The smallest, and of the others those halfway to what there is, so that each try halves what is left.
    let far = found.len();
    let mut tried: Vec<usize> = vec![0, 1, far / 2, far * 3 / 4, far * 7 / 8, far.saturating_sub(1)];
    tried.sort_unstable();
    tried.dedup();
    tried.into_iter().filter_map(|at| found.get(at).cloned()).collect()
}

/// How large the numbers of a value are.
fn magnitude(value: &Value) -> i64 {
    match value {
        Value::Int(n) => n.as_i64().map_or(i64::MAX, i64::saturating_abs),
        Value::List(items) => items.iter().map(magnitude).fold(0, i64::saturating_add),
        Value::Set(items) => items.iter().map(magnitude).fold(0, i64::saturating_add),
        _ => 0,
    }
}

/// The other choices of a match than that of one pick of one step.
pub(super) fn elsewhere(steps: &[Step], at: usize) -> Vec<Chosen> {
    let others = steps.iter().enumerate().filter(|(other, _)| *other != at);
    let picks =
        others.filter_map(|(_, step)| if let Step::Choice(picks) = step { Some(picks) } else { None });
    picks.flatten().map(|(_, chosen)| chosen.clone()).collect()
}

/// Who plays matches again under a setting, to see whether they show a finding.
struct Again<'a> {
    machine: &'a Machine,
    identity: Identity,
    setting: &'a Setting,
    finding: &'a Finding,
}

impl Again<'_> {
    /// A match as short, and of choices as small, as is found from this one.
    fn shortened(&self, trace: Trace, left: &mut u64) -> Trace {
        let mut best = trace;
        loop {
            let before = best.clone();
            let mut shown = |steps: &[Step]| Some(self.shown(steps, left)?.steps);
            best.steps = fewer(best.steps, &mut shown);
            if let Some(shorter) = self.short_cut(&best, left) {
                best = shorter;
            }
            best = self.with_smaller_choices(best, left);
            if *left == 0 || best.steps.len() >= before.steps.len() {
                return best;
            }
        }
    }

    /// The same match with smaller choices, one after the other, where it still shows the finding and is no longer.
    fn with_smaller_choices(&self, mut best: Trace, left: &mut u64) -> Trace {
        let mut at = 0;
        while at < best.steps.len() {
            let Step::Choice(picks) = best.steps[at].clone() else {
                at += 1;
                continue;
            };
            let Some(position) = best.upto(at).position(self.machine) else { break };
            *left = left.saturating_sub(at as u64);
            for k in 0..picks.len() {
                while let Some(less) = self.with_smaller_choice(&best, &position, (at, k), left) {
                    best = less;
                }
            }
            at += 1;
        }
        best
    }

    /// The same match with a smaller choice in one step, made in this position by the seat of this number there.
    fn with_smaller_choice(
        &self,
        best: &Trace,
        position: &Position,
        (at, k): (usize, usize),
        left: &mut u64,
    ) -> Option<Trace> {
        // What was found may end before this step.
        let Step::Choice(picks) = best.steps.get(at)? else { return None };
        let (seat, chosen) = picks.get(k)?;
        let less = smaller(self.machine, position, (*seat, chosen), &elsewhere(&best.steps, at));
        less.into_iter().find_map(|other| {
            let mut steps = best.steps.clone();
            if let Step::Choice(picks) = &mut steps[at] {
                picks[k].1 = other;
            }
            let shown = self.shown(&steps, left)?;
            (shown != *best && shown.steps.len() <= best.steps.len()).then_some(shown)
        })
    }

    /// A shorter way to the finding that leaves the match a few steps before its end: breadth-first from there, so that none
    /// is shorter from the same step.
    fn short_cut(&self, trace: &Trace, left: &mut u64) -> Option<Trace> {
        let length = trace.steps.len();
        for back in 2..=NEAR.min(length) {
            let from = length - back;
            let position = trace.upto(from).position(self.machine)?;
            *left = left.checked_sub(from as u64)?;
            let met = self.met_before(&trace.steps[..from]);
            let mut known: HashSet<Key> = HashSet::from([self.identity.key(&position)]);
            let mut open: Vec<(Position, Vec<Step>)> = vec![(position, Vec::new())];
            let mut gone_on = 0;
            for _ in 1..back {
                let mut next = Vec::new();
                for (position, path) in open {
                    gone_on += 1;
                    if gone_on > WIDE {
                        break;
                    }
                    // What breaks where it is asked what may be done, is found by whoever plays it.
                    let steps = steps_on(self.machine, &position).map_or(Vec::new(), |(steps, ..)| steps);
                    for step in steps.into_iter().take(LISTED) {
                        *left = left.checked_sub(1)?;
                        let mut path = path.clone();
                        path.push(step);
                        let mut there = position.clone();
                        let came = go(self.machine, &mut there, &path[path.len() - 1]);
                        let asked = came.and_then(|()| ask_all(self.machine, &there, None));
                        let comes_again = met.contains(&self.identity.lasting_key(&there));
                        if comes_again || asked.as_ref().is_err_and(|fault| self.is_it(fault)) {
                            let steps = [&trace.steps[..from], &path].concat();
                            if let Some(shown) = self.shown(&steps, left)
                                && shown.steps.len() < length
                            {
                                return Some(shown);
                            }
                        }
                        if asked.is_ok() && known.insert(self.identity.key(&there)) {
                            next.push((there, path));
                        }
                    }
                }
                open = next;
            }
        }
        None
    }

    /// Of a match that need not end: the positions of its beginning that chance does not come between and its last.
    fn met_before(&self, steps: &[Step]) -> HashSet<Key> {
        let mut met = HashSet::new();
        let (true, Ok(mut position)) = (self.finding.sort == Sort::Endless, self.machine.start()) else {
            return met;
        };
        met.insert(self.identity.lasting_key(&position));
        for step in steps {
            if matches!(step, Step::Chance(..)) {
                met.clear();
            }
            if go(self.machine, &mut position, step).is_err() {
                break;
            }
            met.insert(self.identity.lasting_key(&position));
        }
        met
    }

    fn is_it(&self, fault: &Fault) -> bool {
        key_of(fault) == self.finding.key()
    }

    /// Plays steps again as far as they can be taken, and gives the match up to where it shows the finding; steps that are not
    /// possible are left out, and whoever is to choose makes the choice. `None`: it does not show it, or nothing is left to try.
    fn shown(&self, steps: &[Step], left: &mut u64) -> Option<Trace> {
        let Again { machine, identity, setting, finding } = self;
        let mut trace = Trace::begun((*setting).clone());
        let mut position = match machine.start() {
            Ok(position) => position,
            Err(fault) => return self.is_it(&fault).then_some(trace),
        };
        let mut met: HashMap<Key, usize> = HashMap::new();
        let mut steps = steps.iter();
        loop {
            *left = left.checked_sub(1)?;
            if let Err(fault) = ask_all(machine, &position, None) {
                return self.is_it(&fault).then_some(trace);
            }
            if let (Sort::Endless, Some(choice)) = (finding.sort, machine.choice(&position))
                && met.insert(identity.lasting_key(&position), trace.steps.len()).is_some()
                && choice.span == finding.diagnostic.span()
            {
                return Some(trace);
            }
            let (step, taken) = loop {
                match fitted(machine, &position, steps.next()?) {
                    Ok(Some(step)) => {
                        let mut next = position.clone();
                        break (step.clone(), go(machine, &mut next, &step).map(|()| next));
                    }
                    Ok(None) => {}
                    Err(fault) => return self.is_it(&fault).then_some(trace),
                }
            };
            if matches!(step, Step::Chance(..)) {
                met.clear();
            }
            trace.steps.push(step);
            match taken {
                Ok(next) => position = next,
                Err(fault) => return self.is_it(&fault).then_some(trace),
            }
        }
    }

    /// What is said of a finding once its match is another one: values of the match may stand in it.
    fn retold(&self, trace: &Trace) -> Option<Diagnostic> {
        let Again { machine, identity, finding, .. } = self;
        let mut position = match machine.start() {
            Ok(position) => position,
            Err(fault) => {
                return Some(Finding::of_fault(&fault, trace.clone(), String::new(), false).diagnostic);
            }
        };
        let mut met: HashMap<Key, usize> = HashMap::new();
        let mut broken = None;
        for (at, step) in trace.steps.iter().enumerate() {
            met.insert(identity.lasting_key(&position), at);
            if let Err(fault) = go(machine, &mut position, step) {
                broken = Some(fault);
            }
        }
        if finding.sort == Sort::Endless {
            let Waiting::Choice { choice, .. } = &position.waiting else { return None };
            let back = trace.steps.len() - met.get(&identity.lasting_key(&position))?;
            return Some(endless::comes_again(machine, *choice, back, trace.clone(), "").diagnostic);
        }
        let fault = broken.or_else(|| ask_all(machine, &position, None).err())?;
        Some(Finding::of_fault(&fault, trace.clone(), String::new(), false).diagnostic)
    }
}

/// A step as it can be taken in a position: a choice by whoever is to choose there.
pub(super) fn fitted(machine: &Machine, position: &Position, step: &Step) -> Result<Option<Step>, Fault> {
    match (step, &position.waiting) {
        (Step::Choice(picks), Waiting::Choice { seats, .. }) => {
            let together = machine.choice(position).is_some_and(|choice| choice.together);
            let seats = if together { seats.as_slice() } else { &seats[..1] };
            let mut fitted = Vec::new();
            for (seat, (_, chosen)) in seats.iter().zip(picks) {
                match machine.judge(position, *seat, chosen.mv, &chosen.args)? {
                    Ok(chosen) => fitted.push((*seat, chosen)),
                    Err(_) => return Ok(None),
                }
            }
            Ok((fitted.len() == seats.len()).then_some(Step::Choice(fitted)))
        }
        (Step::Chance(name, value), Waiting::Chance) => {
            let due = machine.chance(position).is_some_and(|chance| chance.name == *name);
            let possible =
                due && machine.settle(&mut position.clone(), value.clone()).is_ok_and(|done| done.is_ok());
            Ok(possible.then(|| step.clone()))
        }
        _ => Ok(None),
    }
}

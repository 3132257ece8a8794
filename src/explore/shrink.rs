//! Shortens the match of a finding: looks for the smallest setting that shows it, drops steps, takes
//! shortcuts to the end, and replaces choices by smaller and fewer different ones.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::endless;
use super::finding::key_of;
use super::identity::{Identity, Key};
use super::sample::ask_all;
use super::search::{go, steps_on};
use super::{EFFORT_PER_REPLAY, Finding, Setting, Sort, Step, Trace};
use crate::diag::Diagnostic;
use crate::eval::{Chosen, Fault, Machine, Meter, Position, Waiting};
use crate::ir::Value;
use crate::play::Rules;

/// How many steps before the end of a match a shortcut may begin.
const NEAR: usize = 6;
/// How many positions are expanded in each search for a shortcut.
const WIDE: usize = 300;
/// How many legal moves are listed to find smaller ones.
const LISTED: usize = 64;

/// Finds the smallest setting that shows a sampled finding, and a short match there. Replays about `steps`
/// steps at most.
pub(super) fn shrink(rules: &Rules, machines: &[(Setting, Machine)], finding: &mut Finding, steps: u64) {
    let Some(known) = finding.trace.take() else { return };
    let mut best = known;
    let mut left = steps;
    for (setting, machine) in machines {
        let own = *setting == best.setting;
        let meter = Arc::new(Meter::default());
        let machine = match finding.sort {
            Sort::NotThere => &machine.strict().with_meter(meter.clone()),
            _ => &machine.with_meter(meter.clone()),
        };
        let again = Replayer { machine, meter, identity: Identity::of(machine), setting, finding };
        // The remainder of a match may take long to play in another setting: bound the share of each.
        let mut share = if own { left } else { left / 2 };
        let before = share;
        let shown = again.shown(&best.steps, &mut share);
        if let Some(shown) = shown {
            let trace = again.shortened(shown, &mut share);
            let sharper = again.rediagnose(&trace);
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

/// Removes stretches of items, shorter and shorter ones, while the rest still shows the same (delta
/// debugging: A. Zeller, R. Hildebrandt, IEEE TSE 28, 2002). `shown` returns the items that are needed of
/// those given, or `None` if they do not show it.
pub(super) fn delta_debug<T: Clone>(
    mut items: Vec<T>,
    shown: &mut dyn FnMut(&[T]) -> Option<Vec<T>>,
) -> Vec<T> {
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

/// Returns legal moves of a seat that are smaller than the given one, smallest first. Moves are ordered by
/// offer, then by the size of their numbers; of equal ones, those that occur elsewhere in the match come
/// first.
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
    // Try the smallest, and beyond those the ones halfway to the end, so that each try halves what is left.
    let far = found.len();
    let mut tried: Vec<usize> = vec![0, 1, far / 2, far * 3 / 4, far * 7 / 8, far.saturating_sub(1)];
    tried.sort_unstable();
    tried.dedup();
    tried.into_iter().filter_map(|at| found.get(at).cloned()).collect()
}

/// Returns the sum of the absolute values of all numbers in a value.
fn magnitude(value: &Value) -> i64 {
    match value {
        Value::Int(n) => n.as_i64().map_or(i64::MAX, i64::saturating_abs),
        Value::List(items) => items.iter().map(magnitude).fold(0, i64::saturating_add),
        Value::Set(items) => items.iter().map(magnitude).fold(0, i64::saturating_add),
        _ => 0,
    }
}

/// Returns the choices of all steps of a match but step `at`.
pub(super) fn elsewhere(steps: &[Step], at: usize) -> Vec<Chosen> {
    let others = steps.iter().enumerate().filter(|(other, _)| *other != at);
    let picks =
        others.filter_map(|(_, step)| if let Step::Choice(picks) = step { Some(picks) } else { None });
    picks.flatten().map(|(_, chosen)| chosen.clone()).collect()
}

/// Replays matches under a setting, to see whether they show a finding.
struct Replayer<'a> {
    machine: &'a Machine,
    /// Adds up the steps of `machine`.
    meter: Arc<Meter>,
    identity: Identity,
    setting: &'a Setting,
    finding: &'a Finding,
}

impl Replayer<'_> {
    /// Returns the shortest match, with the smallest choices, that can be found from this one.
    fn shortened(&self, trace: Trace, left: &mut u64) -> Trace {
        let mut best = trace;
        loop {
            let before = best.clone();
            let mut shown = |steps: &[Step]| Some(self.shown(steps, left)?.steps);
            best.steps = delta_debug(best.steps, &mut shown);
            if let Some(shorter) = self.short_cut(&best, left) {
                best = shorter;
            }
            best = self.with_smaller_choices(best, left);
            if *left == 0 || best.steps.len() >= before.steps.len() {
                return best;
            }
        }
    }

    /// Replaces choices by smaller ones, one after the other, while the match still shows the finding and
    /// does not get longer.
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

    /// Replaces the pick at index `k` of step `at`, made in `position`, by a smaller one.
    fn with_smaller_choice(
        &self,
        best: &Trace,
        position: &Position,
        (at, k): (usize, usize),
        left: &mut u64,
    ) -> Option<Trace> {
        // After an earlier replacement, the match may end before this step.
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

    /// Looks for a shorter path to the finding that leaves the match a few steps before its end, by a bounded
    /// breadth-first search from there.
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
                    // A fault of listing the steps is found when the position itself is checked.
                    let steps = steps_on(self.machine, &position).map_or(Vec::new(), |(steps, ..)| steps);
                    for step in steps.into_iter().take(LISTED) {
                        *left = left.checked_sub(1)?;
                        let mut path = path.clone();
                        path.push(step);
                        let mut there = position.clone();
                        let before = self.meter.of_long_runs();
                        let came = go(self.machine, &mut there, &path[path.len() - 1]);
                        let long_runs = self.meter.of_long_runs() - before;
                        *left = left.checked_sub(long_runs / EFFORT_PER_REPLAY)?;
                        let goes_on = came.is_ok();
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
                        if goes_on && known.insert(self.identity.key(&there)) {
                            next.push((there, path));
                        }
                    }
                }
                open = next;
            }
        }
        None
    }

    /// For an endless match, returns the keys of the positions since the last draw in the given steps.
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

    /// Replays steps, and returns the match up to where it shows the finding. Steps that are not possible are
    /// left out, and choices are made by the seats whose turn it is. `None` if it does not show the finding,
    /// or if `left` is used up.
    fn shown(&self, steps: &[Step], left: &mut u64) -> Option<Trace> {
        let before = self.meter.of_long_runs();
        let shown = self.replayed(steps, left);
        *left = left.saturating_sub((self.meter.of_long_runs() - before) / EFFORT_PER_REPLAY);
        shown
    }

    fn replayed(&self, steps: &[Step], left: &mut u64) -> Option<Trace> {
        let Replayer { machine, identity, setting, finding, .. } = self;
        let mut trace = Trace::begun((*setting).clone());
        let mut position = match machine.start() {
            Ok(position) => position,
            Err(fault) => return self.is_it(&fault).then_some(trace),
        };
        let mut met: HashMap<Key, usize> = HashMap::new();
        let mut steps = steps.iter();
        loop {
            *left = left.checked_sub(1)?;
            // A match goes on when nothing but reading its scores fails.
            if ask_all(machine, &position, None).is_err_and(|fault| self.is_it(&fault)) {
                return Some(trace);
            }
            if let (Sort::Endless, Some(choice)) = (finding.sort, machine.choice(&position))
                && met.insert(identity.lasting_key(&position), trace.steps.len()).is_some()
                && choice.span == finding.diagnostic.span()
            {
                return Some(trace);
            }
            let (step, taken) = loop {
                match adapt_step(machine, &position, steps.next()?) {
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

    /// Returns the diagnostic of a finding for another match, because the text may contain values of the
    /// match.
    fn rediagnose(&self, trace: &Trace) -> Option<Diagnostic> {
        let Replayer { machine, identity, finding, .. } = self;
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

/// Adapts a step to a position, with choices made by the seats whose turn it is; `None` if it is not possible
/// there.
pub(super) fn adapt_step(machine: &Machine, position: &Position, step: &Step) -> Result<Option<Step>, Fault> {
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
            let possible = due
                && machine.resolve_draw(&mut position.clone(), value.clone()).is_ok_and(|done| done.is_ok());
            Ok(possible.then(|| step.clone()))
        }
        _ => Ok(None),
    }
}

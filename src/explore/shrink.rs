//! Shorter matches that show the same: fewer steps, smaller options, fewer players.

use std::collections::HashMap;

use super::endless;
use super::finding::key_of;
use super::identity::{Identity, Key};
use super::sample::ask_all;
use super::search::go;
use super::{Finding, Setting, Sort, Step, Trace};
use crate::eval::{Fault, Machine, Position, Waiting};
use crate::play::Rules;

/// Finds a shorter match for a sampled finding, and a smaller setting, within about so many steps that are played again.
pub(super) fn shrink(rules: &Rules, machines: &[(Setting, Machine)], finding: &mut Finding, steps: u64) {
    let Some(known) = finding.trace.take() else { return };
    let mut left = steps;
    let mut best = known;
    for (setting, machine) in machines {
        let own = *setting == best.setting;
        let identity = Identity::of(machine);
        let mut shown = |steps: &[Step]| again(machine, &identity, setting, steps, finding, &mut left);
        let Some(shown_here) = shown(&best.steps) else {
            if own {
                break;
            }
            continue;
        };
        let trace = fewer(shown_here, &mut shown);
        if own || trace.steps.len() <= best.steps.len() {
            if !own {
                finding.how = format!("{} with {}", finding.how, best.setting.words(rules));
            }
            if let Some(sharper) = retold(machine, &identity, finding, &trace) {
                finding.diagnostic = sharper;
            }
            best = trace;
            break;
        }
    }
    finding.trace = Some(best);
}

/// Leaves out stretches of steps, shorter and shorter ones, as long as the rest shows the same (delta debugging: A. Zeller, R.
/// Hildebrandt, IEEE TSE 28, 2002).
fn fewer(mut trace: Trace, shown: &mut dyn FnMut(&[Step]) -> Option<Trace>) -> Trace {
    let mut size = (trace.steps.len() / 2).max(1);
    loop {
        let (mut at, before) = (0, trace.steps.len());
        while at < trace.steps.len() {
            let end = (at + size).min(trace.steps.len());
            let rest = [&trace.steps[..at], &trace.steps[end..]].concat();
            match shown(&rest) {
                Some(shorter) if shorter.steps.len() < trace.steps.len() => trace = shorter,
                _ => at = end,
            }
        }
        if size == 1 && trace.steps.len() == before {
            return trace;
        }
        size = (size / 2).max(1);
    }
}

/// Plays steps again as far as they can be taken, and gives the match up to where it shows the finding; steps that are not
/// possible are left out, and whoever is to choose makes the choice. `None`: it does not show it, or nothing is left to try.
fn again(
    machine: &Machine,
    identity: &Identity,
    setting: &Setting,
    steps: &[Step],
    finding: &Finding,
    left: &mut u64,
) -> Option<Trace> {
    let mut trace = Trace::begun(setting.clone());
    let same = |fault: &Fault| key_of(fault) == finding.key();
    let mut position = match machine.start() {
        Ok(position) => position,
        Err(fault) => return same(&fault).then_some(trace),
    };
    let mut met: HashMap<Key, usize> = HashMap::new();
    let mut steps = steps.iter();
    loop {
        *left = left.checked_sub(1)?;
        if let Err(fault) = ask_all(machine, &position, None) {
            return same(&fault).then_some(trace);
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
                Err(fault) => return same(&fault).then_some(trace),
            }
        };
        if matches!(step, Step::Chance(..)) {
            met.clear();
        }
        trace.steps.push(step);
        match taken {
            Ok(next) => position = next,
            Err(fault) => return same(&fault).then_some(trace),
        }
    }
}

/// A step as it can be taken in a position: a choice by whoever is to choose there.
fn fitted(machine: &Machine, position: &Position, step: &Step) -> Result<Option<Step>, Fault> {
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

/// What is said of a finding once its match is another one: values of the match may stand in it.
fn retold(
    machine: &Machine,
    identity: &Identity,
    finding: &Finding,
    trace: &Trace,
) -> Option<crate::diag::Diagnostic> {
    let mut position = match machine.start() {
        Ok(position) => position,
        Err(fault) => return Some(Finding::of_fault(&fault, trace.clone(), String::new(), false).diagnostic),
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

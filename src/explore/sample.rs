//! Seeded play: matches in rounds, each fixed by the seed, its setting and its number, so that it makes no difference who plays
//! which of them.

use std::collections::BTreeMap;

use super::finding::sort_of;
use super::{Finding, Plan, Report, Setting, Sort, Step, Trace, Tried, all, counted};
use crate::diag::Code;
use crate::eval::{Fault, Machine, Outcome, Position, Waiting};
use crate::num::Rng;
use crate::source::Span;

/// How many matches make a round. Who plays them does not show, so this is no matter of cores.
const ROUND: usize = 32;
/// After how many choices a match is given up.
const MAX_CHOICES: u64 = 20_000;
/// What a stop costs beside the steps of evaluation it takes to judge its moves.
const STOP: u64 = 400;

/// A match that was played.
struct Played {
    choices: u64,
    effort: u64,
    outcome: Option<Outcome>,
    broken: Option<(Fault, Trace)>,
}

/// Samples matches of a setting, in whole rounds until their share of the effort is spent.
pub(super) fn sample(
    plan: &Plan,
    (number, setting, machine): (u64, &Setting, &Machine),
    share: u64,
    report: &mut Report,
) {
    let mut tried = Tried::new(setting.clone());
    let mut broken: BTreeMap<(Sort, Code, Span), (u64, Fault, Trace)> = BTreeMap::new();
    let seed = Rng::sub_seed(plan.seed, number);
    let mut spent = 0;
    while spent < share {
        if !(plan.watch)(setting) {
            report.broken_off = true;
            break;
        }
        let first = tried.matches;
        for played in all(plan.crew, ROUND, |at| play(machine, setting, Rng::nth(seed, first + at as u64))) {
            spent += played.effort;
            tried.add(&played);
            if let Some((fault, trace)) = played.broken {
                let key = (sort_of(&fault), fault.code, fault.span());
                let known = broken.entry(key).or_insert_with(|| (0, fault.clone(), trace.clone()));
                known.0 += 1;
                if trace.steps.len() < known.2.steps.len() {
                    (known.1, known.2) = (fault, trace);
                }
            }
        }
    }
    for (times, fault, trace) in broken.into_values() {
        let of = counted(tried.matches, "match", "matches");
        report.add(Finding::of_fault(&fault, trace, format!("in {times} of {of}"), false));
    }
    report.tried.push(tried);
}

impl Tried {
    fn add(&mut self, played: &Played) {
        self.matches += 1;
        self.choices += played.choices;
        self.longest = self.longest.max(played.choices);
        if let Some(outcome) = &played.outcome {
            self.finished += 1;
            outcome.winners.iter().for_each(|seat| self.wins[*seat] += 1);
        }
    }
}

/// Plays a match at random.
fn play(machine: &Machine, setting: &Setting, mut rng: Rng) -> Played {
    let mut trace = Trace::begun(setting.clone());
    let (mut choices, mut effort) = (0, STOP);
    let end = play_on(machine, &mut rng, &mut trace, (&mut choices, &mut effort));
    let (outcome, broken) = match end {
        Ok(position) => (position.outcome, None),
        Err(fault) => (None, Some((fault, trace))),
    };
    Played { choices, effort, outcome, broken }
}

fn play_on(
    machine: &Machine,
    rng: &mut Rng,
    trace: &mut Trace,
    (choices, effort): (&mut u64, &mut u64),
) -> Result<Position, Fault> {
    let mut position = machine.start()?;
    loop {
        *effort += STOP;
        ask_all(machine, &position)?;
        match position.waiting.clone() {
            Waiting::Choice { choice, seats } if *choices < MAX_CHOICES => {
                let together = machine.game.choices[choice].together;
                let mut picks = Vec::new();
                for seat in seats {
                    let (drawn, steps) = machine.ask_counted(&position, |env| {
                        env.draw_legal(&machine.game.choices[choice], seat, &mut |n| rng.below(n))
                    });
                    *effort += steps;
                    // Nothing may be legal in the window that bots draw from.
                    let Some(chosen) = drawn? else { return Ok(position) };
                    picks.push((seat, chosen));
                    if !together {
                        break;
                    }
                }
                *choices += picks.len() as u64;
                trace.steps.push(Step::Choice(picks.clone()));
                for (seat, chosen) in picks {
                    machine.choose(&mut position, seat, chosen)?;
                }
            }
            Waiting::Chance => {
                let Some(chance) = machine.chance(&position) else { return Ok(position) };
                let value = machine.draw_chance(&position, &mut |n| rng.below(n))?;
                trace.steps.push(Step::Chance(chance.name.clone(), value.clone()));
                let _ = machine.draw(&mut position, value)?;
            }
            _ => return Ok(position),
        }
    }
}

/// Asks of a position what anybody may ask of it: how the table is written, and the points.
pub(super) fn ask_all(machine: &Machine, position: &Position) -> Result<(), Fault> {
    machine.show(position)?;
    machine.scores(position).map(drop)
}

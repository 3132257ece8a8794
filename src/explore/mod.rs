//! Checks by play: a rule file is explored under many settings, and what is wrong with it is found and shown by a match.
//!
//! Small games are searched to the end; of others many matches are sampled, each fixed by the seed and its number. The
//! same plan finds the same on every machine, and with any number of threads.

mod finding;
mod leak;
mod sample;
mod setting;
mod trace;

pub use finding::{Finding, Sort, counted, thousands};
pub use setting::Setting;
pub use trace::{Step, Trace, take};

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::eval::NotStarted;
use crate::ir::Value;
use crate::play::Rules;

/// The effort of about a second on one core of a common machine, as [`Plan::effort`] counts it. Effort is steps of evaluation
/// by the reference; it is never measured by a clock, so that the same plan finds the same everywhere.
pub const EFFORT_PER_SECOND: u64 = 20_000_000;

/// Where the rules have secrets, leaks are looked for with one part in so many of the effort.
const LEAK_SHARE: u64 = 3;

/// Who carries out tasks 0 to n − 1, in whatever order and on however many threads.
pub type Crew<'c> = &'c (dyn Fn(usize, &(dyn Fn(usize) + Sync)) + Sync);

/// A crew of one: the tasks one after the other.
pub fn alone(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..tasks).for_each(task);
}

/// What to explore.
#[derive(Clone)]
pub struct Plan<'p> {
    /// The options that are settled; the others are varied.
    pub options: BTreeMap<usize, Value>,
    /// How many play; unless given, that is varied too.
    pub players: Option<usize>,
    /// How much work is done: see [`EFFORT_PER_SECOND`].
    pub effort: u64,
    /// The random source.
    pub seed: u64,
    /// Who does the work.
    pub crew: Crew<'p>,
    /// Told of the setting before each round of work; `false` breaks off, and what was found so far is reported.
    pub watch: &'p dyn Fn(&Setting) -> bool,
}

impl Default for Plan<'_> {
    /// Ten seconds' effort by a crew of one.
    fn default() -> Self {
        let (options, players) = (BTreeMap::new(), None);
        Plan { options, players, effort: 10 * EFFORT_PER_SECOND, seed: 0, crew: &alone, watch: &|_| true }
    }
}

/// What was found, and what was tried.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The findings, in the order of their places.
    pub findings: Vec<Finding>,
    /// The settings, in the order in which they were tried.
    pub tried: Vec<Tried>,
    /// Whether it was broken off before its effort was spent.
    pub broken_off: bool,
}

/// What was tried of one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The setting.
    pub setting: Setting,
    /// How many matches were played.
    pub matches: u64,
    /// How many of them came to their end.
    pub finished: u64,
    /// How many choices were made in them.
    pub choices: u64,
    /// The most choices of one match.
    pub longest: u64,
    /// How many finished matches each seat won alone or with others.
    pub wins: Vec<u64>,
}

impl Tried {
    /// Nothing yet.
    fn new(setting: Setting) -> Tried {
        let wins = vec![0; setting.players];
        Tried { setting, matches: 0, finished: 0, choices: 0, longest: 0, wins }
    }

    /// In a line: `n = 7, 3 players: 4,096 matches, 51,000 choices, longest 63`.
    pub fn words(&self, rules: &Rules) -> String {
        let matches = counted(self.matches, "match", "matches");
        let choices = counted(self.choices, "choice", "choices");
        format!("{}: {matches}, {choices}, longest {}", self.setting.words(rules), thousands(self.longest))
    }
}

/// Explores a rule file.
pub fn explore(rules: &Arc<Rules>, plan: &Plan) -> Report {
    let mut report = Report::default();
    let mut machines = Vec::new();
    for setting in setting::settings(rules, &plan.options, plan.players) {
        match rules.machine(&setting.options, setting.players) {
            Ok(machine) => machines.push((setting, machine)),
            Err(NotStarted::Fault(fault)) => {
                let how = format!("with {}", setting.words(rules));
                report.add(Finding::of_fault(&fault, Trace::begun(setting), how, true));
            }
            Err(NotStarted::Refused(_)) => {}
        }
    }
    let for_leaks = if leak::possible(&rules.game) { plan.effort / LEAK_SHARE } else { 0 };
    let share = (plan.effort - for_leaks) / machines.len().max(1) as u64;
    for (number, (setting, machine)) in machines.iter().enumerate() {
        sample::sample(plan, (number as u64, setting, machine), share, &mut report);
    }
    leak::leaks(plan, &machines, for_leaks, &mut report);
    report.findings.sort_by_key(Finding::key);
    report
}

impl Report {
    /// Adds a finding; of two that are one, the shorter match stays, and of equals the first.
    fn add(&mut self, finding: Finding) {
        let length = |finding: &Finding| finding.trace.as_ref().map_or(0, |trace| trace.steps.len());
        match self.findings.iter_mut().find(|known| known.key() == finding.key()) {
            Some(known) if length(&finding) < length(known) => *known = finding,
            Some(_) => {}
            None => self.findings.push(finding),
        }
    }
}

/// What a crew makes of tasks 0 to n − 1, in their order.
fn all<T: Send>(crew: Crew, tasks: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let done: Vec<Mutex<Option<T>>> = (0..tasks).map(|_| Mutex::new(None)).collect();
    crew(tasks, &|at| {
        let made = task(at);
        *done[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
    });
    done.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

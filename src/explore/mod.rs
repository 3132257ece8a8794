//! Checks by play: a rule file is explored under many settings, and what is wrong with it is found and shown by a match.
//!
//! Small games are searched to the end; of others many matches are sampled, each fixed by the seed and its number. The
//! same plan finds the same on every machine, and with any number of threads.

mod bulk;
mod conditions;
mod corpus;
mod endless;
mod finding;
mod idle;
mod intent;
mod leak;
mod never;
mod policy;
mod sample;
mod search;
mod setting;
mod shrink;
mod tell;
mod trace;
mod way;

pub use bulk::{Bulk, Maker};
pub use finding::{Finding, Sort, counted, thousands};
pub(crate) use identity::{Identity, Key, number_of};
pub use intent::{Told, told};
pub use setting::Setting;
pub use trace::{Step, Trace, take};

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use search::{Graph, Kind, search};
use shrink::shrink;
use way::Way;

use crate::engine::identity;
use crate::eval::{Coverage, Machine, NotStarted};
use crate::ir::Value;
use crate::play::Rules;
use crate::source::Span;

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
    /// What makes engines for many matches at random; without, only the reference plays.
    pub bulk: Option<Maker<'p>>,
    /// Told of the setting before each round of work, and which share of the work is done, from 0 to 1; `false` breaks off, and
    /// what was found so far is reported.
    pub watch: &'p dyn Fn(&Setting, f64) -> bool,
}

impl Default for Plan<'_> {
    /// Ten seconds' effort by a crew of one.
    fn default() -> Self {
        let (options, players) = (BTreeMap::new(), None);
        Plan {
            options,
            players,
            effort: 10 * EFFORT_PER_SECOND,
            seed: 0,
            crew: &alone,
            bulk: None,
            watch: &|_, _| true,
        }
    }
}

/// What was found, and what was tried.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The findings, in the order of their places.
    pub findings: Vec<Finding>,
    /// The settings, in the order in which they were tried.
    pub tried: Vec<Tried>,
    /// The places of what could be told never to happen, and nothing else, and whether it happened so often that no sample would
    /// miss it.
    pub met: Vec<(Span, bool)>,
    /// Whether it was broken off before its effort was spent.
    pub broken_off: bool,
    /// The options of which too little effort was left to say whether they change anything.
    pub uncompared: Vec<String>,
    /// Whether some checks could not be made: the rules break before the end of matches, or too few were played.
    pub unchecked: bool,
}

/// What was tried of one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The setting.
    pub setting: Setting,
    /// How many positions were gone through, the nearest to the start.
    pub positions: u64,
    /// Whether these are all there are: what is said of them is proved.
    pub complete: bool,
    /// How many matches the reference played, most of which lean towards what seldom happens; none where all positions were
    /// seen.
    pub matches: u64,
    /// How many more were played in bulk, at random.
    pub in_bulk: u64,
    /// How many of all of them came to their end.
    pub finished: u64,
    /// How many of these were played uniformly at random.
    pub at_random: u64,
    /// How many the reference gave up, as they took too long.
    pub unfinished: u64,
    /// How many choices were made in all of them.
    pub choices: u64,
    /// What it took the reference.
    pub effort: u64,
    /// The most choices of one match; where all positions were seen, the most steps it takes to come to one.
    pub longest: u64,
    /// Whether each seat made any choice in those that the reference played.
    pub chose: Vec<bool>,
    /// How many finished matches each seat won alone or with others; where all positions were seen, in how many last positions
    /// it wins.
    pub wins: Vec<u64>,
    /// What came of the first so many matches in bulk, in a number that is the same where the same came of them.
    pub digests: Vec<(u64, u64)>,
}

impl Tried {
    /// Nothing yet.
    fn new(setting: Setting) -> Tried {
        Tried {
            positions: 0,
            complete: false,
            matches: 0,
            in_bulk: 0,
            finished: 0,
            at_random: 0,
            unfinished: 0,
            choices: 0,
            effort: 0,
            longest: 0,
            chose: vec![false; setting.players],
            wins: vec![0; setting.players],
            digests: Vec::new(),
            setting,
        }
    }

    /// Nothing yet but what a search has seen.
    fn of(graph: &Graph) -> Tried {
        let mut tried = Tried::new(graph.setting.clone());
        tried.positions = graph.nodes.len() as u64;
        tried.complete = graph.complete;
        if graph.complete {
            tried.longest = graph.nodes.last().map_or(0, |node| u64::from(node.depth));
            for node in &graph.nodes {
                if let Kind::Over(won) = node.kind {
                    tried.wins.iter_mut().enumerate().for_each(|(seat, wins)| *wins += won >> seat & 1);
                }
            }
        }
        tried
    }

    /// In a line: `n = 7, 3 players: 4,096 matches, 51,000 choices, longest 63`.
    pub fn words(&self, rules: &Rules) -> String {
        let setting = self.setting.words(rules);
        if self.complete {
            return format!("{setting}: all {}", counted(self.positions, "position", "positions"));
        }
        if self.matches == 0 {
            return format!("{setting}: the nearest {}", counted(self.positions, "position", "positions"));
        }
        let matches = played(self.matches, self.in_bulk);
        let choices = counted(self.choices, "choice", "choices");
        let unfinished = match self.unfinished {
            0 => String::new(),
            n => format!(", {} given up as they took too long", thousands(n)),
        };
        format!("{setting}: {matches}, {choices}, longest {}{unfinished}", thousands(self.longest))
    }
}

/// How many matches were played, and how many more in bulk.
pub fn played(matches: u64, in_bulk: u64) -> String {
    let matches = counted(matches, "match", "matches");
    match in_bulk {
        0 => matches,
        n => format!("{matches} and {} more at random", thousands(n)),
    }
}

/// Explores a rule file: searches each setting as far as a good third of the effort goes, samples matches of those that were
/// not searched to their end with the rest, and makes what was found short. What of the rules runs meanwhile is counted.
pub fn explore(rules: &Arc<Rules>, plan: &Plan) -> Report {
    let mut report = Report::default();
    let machines = set_up(rules, plan, &mut report);
    let (watched, coverage) = rules.watched();
    let counting: Vec<Machine> =
        machines.iter().filter_map(|(setting, _)| setting.machine(&watched)).collect();
    let for_leaks = if leak::possible(&rules.game) { plan.effort / LEAK_SHARE } else { 0 };
    let in_bulk = if plan.bulk.is_some() { plan.effort / bulk::SHARE } else { 0 };
    let half = (plan.effort - for_leaks - in_bulk) / 2;
    let counts = plan.effort / COUNTING_SHARE;
    let settles = !plan.options.is_empty() || plan.players.is_some();
    let for_others = if settles { counts } else { 0 };
    let mut way = Way::new(plan, plan.effort + counts + for_others);
    let mut left = half;
    for (number, machine) in counting.iter().enumerate() {
        let share = left / (machines.len() - number) as u64;
        let graph = way.phase(share, |plan| {
            let graph = search(plan, &machines[number].0, machine, share);
            let spent = graph.effort;
            (graph, spent)
        });
        left = left.saturating_sub(graph.effort);
        report.add_search(machine, &graph);
    }
    left += half + counts;
    let mut tried = std::mem::take(&mut report.tried);
    let mut open = tried.iter().filter(|tried| !tried.complete).count() as u64;
    for (number, (tried, machine)) in tried.iter_mut().zip(&counting).enumerate() {
        if !tried.complete {
            let share = left / open;
            (left, open) = (left - share, open - 1);
            way.phase(share, |plan| {
                (sample::sample(plan, (number as u64, machine), share, tried, &mut report), share)
            });
        }
    }
    report.tried = tried;
    way.phase(in_bulk, |plan| {
        (bulk::play_in_bulk(plan, (&counting, &coverage), in_bulk, &mut report), in_bulk)
    });
    let elsewhere = way.phase(for_others, |plan| (elsewhere(rules, plan, &machines), for_others));
    never::never_happens(rules, &coverage, elsewhere.as_deref(), &mut report);
    if !report.unchecked {
        never::never_wins(rules, &mut report);
        idle::options(rules, plan, &machines, &mut report);
    }
    for finding in report.findings.iter_mut().filter(|finding| !finding.proved) {
        shrink(rules, &machines, finding, plan.effort / EFFORT_PER_REPLAY);
    }
    let never = report
        .findings
        .iter_mut()
        .filter(|found| matches!(found.sort, Sort::NeverHappens | Sort::ExampleOnly));
    conditions::tell(&machines, never.map(|found| &mut found.diagnostic).collect(), plan.effort / 20);
    report.findings.iter_mut().for_each(|finding| tell::tell(rules, &machines, finding));
    way.phase(for_leaks, |plan| (leak::leaks(plan, &machines, for_leaks, &mut report), for_leaks));
    report.findings.sort_by_key(Finding::key);
    report
}

/// What runs in settings that leave open what the plan settles, if there are others: matches of these are sampled with a part of
/// the effort, and nothing else is said of them.
fn elsewhere(rules: &Rules, plan: &Plan, machines: &[(Setting, Machine)]) -> Option<Arc<Coverage>> {
    let (watched, coverage) = rules.watched();
    let all = setting::settings(rules, &BTreeMap::new(), None);
    let mut others = all.iter().filter(|other| !machines.iter().any(|(known, _)| known == *other)).peekable();
    others.peek()?;
    let others: Vec<(&Setting, Machine)> =
        others.filter_map(|setting| Some((setting, setting.machine(&watched)?))).collect();
    let share = plan.effort / COUNTING_SHARE / others.len() as u64;
    for (number, (setting, machine)) in others.iter().enumerate() {
        let mut tried = Tried::new((*setting).clone());
        // Other matches than those of the settings that were asked for.
        let streams = u64::MAX - number as u64;
        sample::sample(plan, (streams, machine), share, &mut tried, &mut Report::default());
    }
    Some(coverage)
}

/// To count what runs takes about one part in so many of the effort, which matches get beside their half.
const COUNTING_SHARE: u64 = 4;

/// A step that is played again to make a match shorter costs about as much effort as this; a tenth of the plan's goes there.
const EFFORT_PER_REPLAY: u64 = 10 * 1_000;

/// The settings to try, each with its machine. Where the rules break before a match begins, that is reported.
fn set_up(rules: &Arc<Rules>, plan: &Plan, report: &mut Report) -> Vec<(Setting, Machine)> {
    let mut machines = Vec::new();
    for setting in setting::settings(rules, &plan.options, plan.players) {
        match rules.machine(&setting.options, setting.players) {
            Ok(machine) => machines.push((setting, machine)),
            Err(NotStarted::Fault(fault)) => {
                report.add(Finding::of_fault(&fault, Trace::begun(setting), "as it is set up".into(), true));
            }
            Err(NotStarted::Refused(_)) => {}
        }
    }
    machines
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

    /// Adds what a search has found.
    fn add_search(&mut self, machine: &Machine, graph: &Graph) {
        let positions = counted(graph.nodes.len() as u64, "position", "positions");
        let how = match graph.complete {
            true => format!("searched all {positions}"),
            false => format!("in the nearest {positions}"),
        };
        for (node, nth, fault) in &graph.broken {
            // Of the same faults the first is the nearest.
            let key = finding::key_of(fault);
            let shortest = graph.nodes[*node].depth as usize + usize::from(nth.is_some());
            let length = |trace: &Trace| trace.steps.len() <= shortest;
            if self
                .findings
                .iter()
                .any(|known| known.key() == key && known.trace.as_ref().is_some_and(length))
            {
                continue;
            }
            if let Some(trace) = graph.trace(machine, *node, nth.as_slice()) {
                self.add(Finding::of_fault(fault, trace, how.clone(), graph.complete));
            }
        }
        if let Some(finding) = endless::endless(machine, graph, &how) {
            self.add(finding);
        }
        self.tried.push(Tried::of(graph));
    }
}

/// What a crew makes of tasks 0 to n − 1, in their order.
pub(crate) fn all<T: Send>(crew: Crew, tasks: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let done: Vec<Mutex<Option<T>>> = (0..tasks).map(|_| Mutex::new(None)).collect();
    crew(tasks, &|at| {
        let made = task(at);
        *done[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
    });
    done.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

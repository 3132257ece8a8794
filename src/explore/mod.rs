//! Checks by play: explores a rule file under many settings, and reports each defect with a match that shows
//! it.
//!
//! Small games are searched exhaustively; for others, many matches are sampled, each determined by the seed
//! and its number. The same plan gives the same findings on every machine and with any number of threads.

mod bulk;
mod conditions;
mod corpus;
mod endless;
mod finding;
mod idle;
mod intent;
mod joined;
mod leak;
mod never;
mod observe;
mod passed;
mod policy;
mod progress;
mod sample;
mod search;
mod setting;
mod shrink;
mod tell;
mod trace;

pub use bulk::{BulkMaker, BulkPlayer};
pub use finding::{Finding, Sort, counted, decimals, thousands};
pub(crate) use identity::{Identity, Key, number_of};
pub use intent::{FilteredReport, without_intended};
pub use sample::READ_EARLY;
pub use setting::{Setting, words_of_all};
pub use tell::why_stuck;
pub use trace::{Step, Trace, take};

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use progress::Progress;
use search::{Graph, Kind, search};
use shrink::shrink;

use crate::engine::identity;
use crate::eval::{Coverage, Machine, NotStarted};
use crate::ir::Value;
use crate::play::Rules;
use crate::source::Span;

/// The effort of about one second on one core of a common machine, in the unit of [`Plan::effort`]. Effort
/// counts evaluation steps of the reference evaluator; it is never measured by a clock, so that the same plan
/// gives the same findings everywhere.
pub const EFFORT_PER_SECOND: u64 = 20_000_000;

/// If the rules have secrets, `1 / LEAK_SHARE` of the effort goes to searching for leaks.
const LEAK_SHARE: u64 = 3;

/// Runs tasks 0 to n − 1, in any order and on any number of threads.
pub type Crew<'c> = &'c (dyn Fn(usize, &(dyn Fn(usize) + Sync)) + Sync);

/// A crew of one: runs the tasks one after the other.
pub fn alone(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..tasks).for_each(task);
}

/// What to explore.
#[derive(Clone)]
pub struct Plan<'p> {
    /// The options with fixed values, by id; the others are varied.
    pub options: BTreeMap<usize, Value>,
    /// The number of players; varied if `None`.
    pub players: Option<usize>,
    /// How much work to do, in the unit of [`EFFORT_PER_SECOND`].
    pub effort: u64,
    /// The seed of all random choices.
    pub seed: u64,
    /// Runs the work.
    pub crew: Crew<'p>,
    /// Makes engines that play many random matches; if `None`, only the reference evaluator plays.
    pub bulk: Option<BulkMaker<'p>>,
    /// Called before each round of work with the setting and the share of the work that is done, from 0 to 1.
    /// Returning `false` stops exploring; the report then has what was found so far.
    pub watch: &'p dyn Fn(&Setting, f64) -> bool,
}

impl Default for Plan<'_> {
    /// Ten seconds' effort, by a crew of one.
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

/// The findings, and what was explored to get them.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The findings, sorted by their places in the rule file.
    pub findings: Vec<Finding>,
    /// The settings, in the order in which they were explored.
    pub tried: Vec<SettingResult>,
    /// The places about which exploration can only report that something never happens, each with whether it
    /// happened so often that practically every sample would include it.
    pub observed: Vec<(Span, bool)>,
    /// Whether these are all settings that the rules allow, apart from what the plan fixes.
    pub all_settings: bool,
    /// Whether exploring was stopped before its effort was spent.
    pub broken_off: bool,
    /// The names of the options that could not be compared because the effort ran out, so that it is unknown
    /// whether they change anything.
    pub uncompared: Vec<String>,
    /// Whether some checks were skipped because matches break before their end, or because too few were
    /// played.
    pub unchecked: bool,
}

/// What was explored under one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingResult {
    /// The setting.
    pub setting: Setting,
    /// The number of positions searched, nearest to the start first.
    pub positions: u64,
    /// Whether these are all positions of the setting, so that what is found is proved.
    pub complete: bool,
    /// Whether the needs were asked of all choices in all positions of the setting.
    pub all_asked: bool,
    /// The number of matches played by the reference evaluator, most of them biased towards rare events; 0 if
    /// all positions were searched.
    pub matches: u64,
    /// The number of further matches played in bulk, uniformly at random.
    pub in_bulk: u64,
    /// How many of all these matches ended.
    pub finished: u64,
    /// How many of the finished matches were played uniformly at random.
    pub at_random: u64,
    /// How many matches the reference evaluator abandoned because they took too long.
    pub unfinished: u64,
    /// The number of choices in all matches.
    pub choices: u64,
    /// The effort of the matches that the reference evaluator played.
    pub effort: u64,
    /// The most choices in one match; if all positions were searched, the depth of the deepest one in steps.
    pub longest: u64,
    /// For each seat, whether it made any choice in the matches that the reference evaluator played.
    pub chose: Vec<bool>,
    /// Whether anybody is asked to choose, as far as the positions were searched.
    pub asks: bool,
    /// For each seat, the number of finished matches that it won, alone or with others; if all positions were
    /// searched, the number of terminal positions in which it wins.
    pub wins: Vec<u64>,
    /// The number of terminal positions, if all positions were searched.
    pub ends: u64,
    /// After each round in bulk: the number of matches so far, and a digest of their results. Equal results
    /// give equal digests.
    pub digests: Vec<(u64, u64)>,
}

impl SettingResult {
    /// Nothing explored yet.
    fn new(setting: Setting) -> SettingResult {
        SettingResult {
            positions: 0,
            complete: false,
            all_asked: false,
            matches: 0,
            in_bulk: 0,
            finished: 0,
            at_random: 0,
            unfinished: 0,
            choices: 0,
            effort: 0,
            longest: 0,
            chose: vec![false; setting.players],
            asks: false,
            wins: vec![0; setting.players],
            ends: 0,
            digests: Vec::new(),
            setting,
        }
    }

    /// The outcome of a search, without any matches.
    fn of(graph: &Graph) -> SettingResult {
        let mut tried = SettingResult::new(graph.setting.clone());
        tried.positions = graph.nodes.len() as u64;
        tried.complete = graph.complete;
        tried.asks = graph.nodes.iter().any(|node| matches!(node.kind, Kind::Choice(..) | Kind::Together(_)));
        if graph.complete {
            tried.longest = graph.nodes.last().map_or(0, |node| u64::from(node.depth));
            for node in &graph.nodes {
                if let Kind::Over(won) = node.kind {
                    tried.ends += 1;
                    tried.wins.iter_mut().enumerate().for_each(|(seat, wins)| *wins += won >> seat & 1);
                }
            }
        }
        tried
    }

    /// Describes it in a line: `n = 7, 3 players: 4,096 matches, 51,000 choices, longest 63`.
    pub fn words(&self, rules: &Rules) -> String {
        let setting = self.setting.words(rules);
        if self.complete {
            return format!("{setting}: {}", all_positions(self.positions));
        }
        if self.matches == 0 {
            return format!("{setting}: the nearest {}", counted(self.positions, "position", "positions"));
        }
        let matches = played(self.matches, self.in_bulk);
        let choices = counted(self.choices, "choice", "choices");
        let unfinished = match self.unfinished {
            0 => String::new(),
            n => format!(", {} given up because they took too long", thousands(n)),
        };
        format!("{setting}: {matches}, {choices}, longest {}{unfinished}", thousands(self.longest))
    }
}

/// Says that all of so many positions were seen.
pub fn all_positions(count: u64) -> String {
    match count {
        1 => "the only position".to_string(),
        several => format!("all {}", counted(several, "position", "positions")),
    }
}

/// Words for the number of matches, and of those in bulk if there are any.
pub fn played(matches: u64, in_bulk: u64) -> String {
    let matches = counted(matches, "match", "matches");
    match in_bulk {
        0 => matches,
        n => format!("{matches} and {} more at random", thousands(n)),
    }
}

/// Explores a rule file: searches the positions of each setting with part of the effort, samples matches of
/// the settings that were not searched completely, and shortens the matches of the findings. Counts which
/// parts of the rules run meanwhile.
pub fn explore(rules: &Arc<Rules>, plan: &Plan) -> Report {
    let mut report = Report::default();
    let machines = set_up(rules, plan, &mut report);
    let tried: Vec<&Setting> = machines.iter().map(|(setting, _)| setting).collect();
    report.all_settings = setting::are_all(rules, (&plan.options, plan.players), &tried);
    let (watched, coverage) = rules.watched();
    let counting: Vec<Machine> =
        machines.iter().filter_map(|(setting, _)| setting.machine(&watched)).collect();
    let for_leaks = if leak::possible(&rules.game) { plan.effort / LEAK_SHARE } else { 0 };
    let in_bulk = if plan.bulk.is_some() { plan.effort / bulk::BULK_SHARE } else { 0 };
    let half = (plan.effort - for_leaks - in_bulk) / 2;
    let counts = plan.effort / COUNTING_SHARE;
    let settles = !plan.options.is_empty() || plan.players.is_some();
    let for_others = if settles { counts } else { 0 };
    let mut progress = Progress::new(plan, plan.effort + counts + for_others);
    let mut left = half;
    for (number, machine) in counting.iter().enumerate() {
        let share = left / (machines.len() - number) as u64;
        let graph = progress.phase(share, |plan| {
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
            progress.phase(share, |plan| {
                (sample::sample(plan, (number as u64, machine), share, tried, &mut report), share)
            });
        }
    }
    report.tried = tried;
    progress.phase(in_bulk, |plan| {
        (bulk::play_in_bulk(plan, (&counting, &coverage), in_bulk, &mut report), in_bulk)
    });
    let told = |finding: &Finding| matches!(finding.sort, Sort::Endless | Sort::Fault | Sort::Stuck);
    if !report.broken_off
        && report.tried.iter().all(|tried| !tried.complete && tried.finished == 0)
        && !report.findings.iter().any(told)
    {
        sample::no_match_ended(plan, &counting, plan.effort / LAST_SHARE, &mut report);
    }
    let elsewhere = progress.phase(for_others, |plan| (elsewhere(rules, plan, &machines), for_others));
    let usual = setting::usual(rules, &plan.options, plan.players);
    never::never_happens(rules, (&coverage, elsewhere.as_deref()), usual.as_ref(), &mut report);
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
    let never = never.map(|found| &mut found.diagnostic).collect();
    conditions::tell(&rules.source, &machines, never, plan.effort / 20);
    let endless = report.findings.iter_mut().filter(|found| found.sort == Sort::Endless);
    let endless = endless.map(|found| &mut found.diagnostic).collect();
    passed::tell(&rules.source, &machines, endless, plan.effort / 20);
    report.findings.iter_mut().for_each(|finding| tell::tell(rules, &machines, finding));
    progress.phase(for_leaks, |plan| (leak::leaks(plan, &machines, for_leaks, &mut report), for_leaks));
    report.findings.sort_by_key(Finding::key);
    report
}

/// Returns the coverage of sampled matches under settings that the plan excludes by fixing options or the
/// number of players; `None` if there are no such settings. Nothing else is reported about those matches.
fn elsewhere(rules: &Rules, plan: &Plan, machines: &[(Setting, Machine)]) -> Option<Arc<Coverage>> {
    let (watched, coverage) = rules.watched();
    let all = setting::settings(rules, &BTreeMap::new(), None);
    let mut others = all.iter().filter(|other| !machines.iter().any(|(known, _)| known == *other)).peekable();
    others.peek()?;
    let others: Vec<(&Setting, Machine)> =
        others.filter_map(|setting| Some((setting, setting.machine(&watched)?))).collect();
    let share = plan.effort / COUNTING_SHARE / others.len() as u64;
    for (number, (setting, machine)) in others.iter().enumerate() {
        let mut tried = SettingResult::new((*setting).clone());
        // Use other random streams than those of the plan's own settings.
        let streams = u64::MAX - number as u64;
        sample::sample(plan, (streams, machine), share, &mut tried, &mut Report::default());
    }
    Some(coverage)
}

/// Counting coverage costs about `1 / COUNTING_SHARE` of the effort, which the sampled matches get in
/// addition to their half.
const COUNTING_SHARE: u64 = 4;

/// Where no match ended, `1 / LAST_SHARE` of the effort goes to playing one of them on.
const LAST_SHARE: u64 = 4;

/// The approximate effort of replaying one step while shortening a match; a tenth of the plan's effort goes
/// there.
const EFFORT_PER_REPLAY: u64 = 10 * 1_000;

/// Returns the settings to explore, each with its machine. Reports settings whose rules break before the
/// first choice.
fn set_up(rules: &Arc<Rules>, plan: &Plan, report: &mut Report) -> Vec<(Setting, Machine)> {
    let mut machines = Vec::new();
    for setting in setting::settings(rules, &plan.options, plan.players) {
        match rules.machine(&setting.options, setting.players) {
            Ok(machine) => machines.push((setting, machine)),
            Err(NotStarted::Fault(fault)) => {
                report.add(Finding::of_fault(&fault, Trace::begun(setting), "during setup".into(), true));
            }
            Err(NotStarted::Refused(_)) => {}
        }
    }
    machines
}

impl Report {
    /// Adds a finding; of two with the same key, keeps the one with the shorter match, and of equals the
    /// first.
    fn add(&mut self, finding: Finding) {
        let length = |finding: &Finding| finding.trace.as_ref().map_or(0, |trace| trace.steps.len());
        if let Some(known) = self.findings.iter_mut().find(|known| known.key() == finding.key()) {
            known.breaks |= finding.breaks;
        }
        match self.findings.iter_mut().find(|known| known.key() == finding.key()) {
            Some(known) if length(&finding) < length(known) => *known = finding,
            Some(_) => {}
            None => self.findings.push(finding),
        }
    }

    /// Adds the findings of a search.
    fn add_search(&mut self, machine: &Machine, graph: &Graph) {
        let positions = counted(graph.nodes.len() as u64, "position", "positions");
        let how = match graph.complete {
            true => format!("searched all {positions}"),
            false => format!("in the {positions} nearest to the start"),
        };
        for (node, nth, fault) in graph.broken.iter().chain(&graph.not_there) {
            // The first of several equal faults is the nearest to the start.
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
                let breaks = nth.is_some() || matches!(graph.nodes[*node].kind, Kind::Broken | Kind::Over(_));
                let found = Finding::of_fault(fault, trace, how.clone(), graph.complete);
                let breaks = breaks && found.sort != Sort::NotThere;
                self.add(Finding { breaks, ..found });
            }
        }
        if let Some(finding) = endless::endless(machine, graph, &how) {
            self.add(finding);
        }
        let all_asked = graph.complete && graph.all_probed() && sample::probes_all(machine);
        self.tried.push(SettingResult { all_asked, ..SettingResult::of(graph) });
    }
}

/// Has a crew run tasks 0 to n − 1, and returns their results in order.
pub(crate) fn all<T: Send>(crew: Crew, tasks: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let done: Vec<Mutex<Option<T>>> = (0..tasks).map(|_| Mutex::new(None)).collect();
    crew(tasks, &|at| {
        let made = task(at);
        *done[at].lock().unwrap_or_else(PoisonError::into_inner) = Some(made);
    });
    done.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

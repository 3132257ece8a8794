//! Random matches in bulk, played by a faster engine: finds what seldom breaks or seldom runs, and who wins.
//! The reference evaluator replays a match that shows something; it plays the same match from the same random
//! stream.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::finding::key_of;
use super::sample::{MAX_CHOICES, none_ended, play_at_random};
use super::{Finding, Plan, Report, Setting, SettingResult, Sort, all, counted, thousands};
use crate::diag::Code;
use crate::engine::Engine;
use crate::eval::{Coverage, Fault, Machine, Outcome};
use crate::ir::{Arith, Compare, Expr, ExprKind, Op, Type, Value};
use crate::num::Rng;
use crate::source::Span;

/// Plays whole matches at random, fast.
pub trait BulkPlayer: Sync {
    /// Plays one match from each of the streams, as [`Engine::playouts_per_stream`] does, and calls `on` with
    /// the outcome, if the match ended, and the number of choices made.
    fn play(
        &self,
        streams: &mut [Rng],
        max_choices: u64,
        on: &mut dyn FnMut(Option<Outcome>, u64),
    ) -> Result<(), Fault>;
}

impl<E: Engine + Sync> BulkPlayer for E {
    fn play(
        &self,
        streams: &mut [Rng],
        max_choices: u64,
        on: &mut dyn FnMut(Option<Outcome>, u64),
    ) -> Result<(), Fault> {
        self.playouts_per_stream(streams, max_choices, &mut |state, choices| on(self.outcome(state), choices))
    }
}

/// Makes an engine that plays matches of a machine in bulk; returns `None` if it would be hardly faster than
/// the reference.
pub type BulkMaker<'m> = &'m dyn Fn(Machine) -> Option<Box<dyn BulkPlayer>>;

/// With such an engine, `1 / SHARE` of the effort goes to matches in bulk.
pub(super) const BULK_SHARE: u64 = 5;
/// The effort charged for making an engine.
const ENGINE: u64 = 600_000;
/// At most this percentage of the bulk effort goes to making engines; if that is too little for an engine per
/// setting, some settings are skipped.
const ENGINE_SHARE: u64 = 33;
/// A lower bound on how many times as fast as the reference such an engine plays.
const MIN_SPEEDUP: u64 = 32;
/// The number of tasks in a round. Results do not depend on which thread runs which task.
const TASKS: u64 = 16;
/// The number of matches per task in the first round; it doubles with each round, up to `MOST`.
const FIRST: u64 = 16;
const MOST: u64 = 4_096;
/// Reported if at least one in this many random matches does not end.
const UNFINISHED: u64 = 4;
/// The index of the random stream for matches in bulk, distinct from those of the settings.
const STREAMS: u64 = u64::MAX / 2;

/// The span of the fault that replaces code that has not run yet. It is no place in any file.
const TRAP_SPAN: Span = Span { start: usize::MAX, end: usize::MAX };

type Key = (Span, Sort, Code);

/// The results of a task or a round.
#[derive(Default)]
struct Played {
    tally: Tally,
    /// The faults: how often each occurred, and the first match that did.
    broken: BTreeMap<Key, (u64, u64)>,
    /// The matches that reached code that had not run before.
    reached_new_code: Vec<u64>,
    /// The first match that did not end.
    unfinished: Option<u64>,
}

/// Sums over matches.
#[derive(Default)]
struct Tally {
    matches: u64,
    finished: u64,
    choices: u64,
    longest: u64,
    wins: Vec<u64>,
    /// A digest of the results that does not depend on the order in which matches are added.
    digest: u64,
}

impl Tally {
    fn add(&mut self, number: u64, outcome: Option<&Outcome>, choices: u64) {
        self.matches += 1;
        self.choices += choices;
        self.longest = self.longest.max(choices);
        let mut word = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ choices;
        if let Some(outcome) = outcome {
            self.finished += 1;
            for seat in &outcome.winners {
                self.wins[*seat] += 1;
                word = word.rotate_left(7) ^ (*seat as u64 + 1);
            }
        }
        self.digest = self.digest.wrapping_add(Rng::sub_seed(word, choices));
    }

    fn join(&mut self, other: &Tally) {
        self.matches += other.matches;
        self.finished += other.finished;
        self.choices += other.choices;
        self.longest = self.longest.max(other.longest);
        self.wins.iter_mut().zip(&other.wins).for_each(|(own, other)| *own += other);
        self.digest = self.digest.wrapping_add(other.digest);
    }
}

impl Played {
    /// No results yet, for the seats of a setting.
    fn of(tried: &SettingResult) -> Played {
        let tally = Tally { wins: vec![0; tried.wins.len()], ..Tally::default() };
        Played { tally, ..Played::default() }
    }

    fn join(&mut self, other: Played) {
        self.tally.join(&other.tally);
        for (key, (times, first)) in other.broken {
            self.broken.entry(key).or_insert((0, first)).0 += times;
        }
        self.reached_new_code.extend(other.reached_new_code);
        self.unfinished = self.unfinished.or(other.unfinished);
    }
}

/// Plays matches of the settings that were not searched completely. `machines` are those of the settings and
/// count coverage: if an engine reaches code that has not run so far, the reference replays that match.
///
/// Engines are made from rules in which code that has not run is replaced by a fault. So they need not count
/// anything while they play, and all of their matches are searched for what never happens: replaying only a
/// fraction of the matches would take a hundred times as long to find what happens in one match of ten
/// thousand.
pub(super) fn play_in_bulk(
    plan: &Plan,
    (machines, coverage): (&[Machine], &Coverage),
    effort: u64,
    report: &mut Report,
) {
    let Some(make) = plan.bulk else { return };
    // A match that runs into a limit of work takes as long as thousands of others.
    if report.findings.iter().any(|finding| finding.cause == Code::TooMuchWork) {
        return;
    }
    let open: Vec<usize> = (0..report.tried.len()).filter(|at| report.tried[*at].choices > 0).collect();
    let engines = effort * ENGINE_SHARE / 100 / ENGINE;
    if open.is_empty() || engines == 0 {
        return;
    }
    let chosen: Vec<usize> = open.iter().copied().step_by(open.len().div_ceil(engines as usize)).collect();
    let share = effort / chosen.len() as u64;
    for (number, at) in chosen.iter().copied().enumerate() {
        let mut tried = report.tried[at].clone();
        let machine = &machines[at];
        let watch = |setting: &Setting, part: f64| {
            (plan.watch)(setting, (number as f64 + part) / chosen.len() as f64)
        };
        let plan = &Plan { watch: &watch, ..plan.clone() };
        let mut table = Table { plan, make, machine, coverage, traps: 0, engine: None, share, left: share };
        table.play(&mut tried, report);
        report.tried[at] = tried;
    }
}

/// One setting that is played in bulk.
struct Table<'t> {
    plan: &'t Plan<'t>,
    make: BulkMaker<'t>,
    /// Counts coverage.
    machine: &'t Machine,
    coverage: &'t Coverage,
    /// The number of ops replaced by a fault.
    traps: usize,
    engine: Option<Box<dyn BulkPlayer>>,
    /// The effort assigned to this setting, and how much of it is left.
    share: u64,
    left: u64,
}

impl Table<'_> {
    fn play(&mut self, tried: &mut SettingResult, report: &mut Report) {
        // Assume that a choice costs as much work as in the matches played so far.
        let choice = (tried.effort / tried.choices / MIN_SPEEDUP).max(1);
        let stream = Rng::sub_seed(self.plan.seed, STREAMS);
        self.make_engine();
        let (mut all, mut each, mut next) = (Played::of(tried), FIRST, 0);
        while self.engine.is_some() {
            let average = match all.tally.matches {
                0 => tried.choices / tried.matches,
                matches => all.tally.choices / matches,
            };
            // Count at least one choice per match: a match without choices is work too.
            let expected = average.max(1);
            let too_long = all.broken.keys().any(|(.., code)| *code == Code::TooMuchWork);
            if too_long || self.left < TASKS * each * expected * choice {
                break;
            }
            if !(self.plan.watch)(&tried.setting, (self.share - self.left) as f64 / self.share as f64) {
                report.broken_off = true;
                break;
            }
            let mut round = self.round(tried, stream, (next, each));
            next += TASKS * each;
            // The reference replays matches that break the rules, at its own speed.
            let broken: u64 = round.broken.values().map(|(times, _)| times).sum();
            let choices = round.tally.choices.max(round.tally.matches) + broken * expected * MIN_SPEEDUP;
            self.left = self.left.saturating_sub(choices * choice);
            self.play_again(stream, tried, &mut round);
            all.join(round);
            tried.digests.push((all.tally.matches, all.tally.digest));
            each = MOST.min(2 * each);
        }
        self.tell(stream, tried, &all, report);
    }

    /// Makes the engine again, with a fault in place of every op that has not run.
    fn make_engine(&mut self) {
        let mut game = (*self.machine.game).clone();
        self.traps = 0;
        for (pc, op) in game.code.iter_mut().enumerate() {
            // Nothing runs at a stop itself.
            let stop = matches!(op, Op::Choose(_) | Op::Chance(_) | Op::Unseal(..));
            if !stop && self.coverage.op_count(pc) == 0 {
                *op = trap_op();
                self.traps += 1;
            }
        }
        self.engine = (self.make)(self.machine.with_game(Arc::new(game)));
        self.left = self.left.saturating_sub(ENGINE);
    }

    /// Plays the next round: `each` matches per task, numbered from `first`.
    fn round(&self, tried: &SettingResult, stream: u64, (first, each): (u64, u64)) -> Played {
        let mut round = Played::of(tried);
        let Some(engine) = self.engine.as_deref() else { return round };
        let tasks = all(self.plan.crew, TASKS as usize, |at| {
            let (mut played, first) = (Played::of(tried), first + at as u64 * each);
            played.play(engine, stream, first..first + each);
            played
        });
        tasks.into_iter().for_each(|played| round.join(played));
        round
    }

    /// Has the reference replay the matches that reached code that had not run before, so that this code is
    /// no longer trapped.
    fn play_again(&mut self, stream: u64, tried: &SettingResult, round: &mut Played) {
        let news = std::mem::take(&mut round.reached_new_code);
        if news.is_empty() {
            return;
        }
        let machine = self.machine;
        let again = all(self.plan.crew, news.len(), |at| {
            play_at_random(machine, &tried.setting, Rng::nth(stream, news[at]), u64::MAX)
        });
        for (number, played) in news.into_iter().zip(again) {
            self.left = self.left.saturating_sub(played.effort);
            match played.broken {
                Some(fault) => round.broken.entry(key_of(&fault)).or_insert((0, number)).0 += 1,
                None => round.tally.add(number, played.outcome.as_ref(), played.choices),
            }
        }
        let before = self.traps;
        self.make_engine();
        if self.traps == before {
            // A new engine would stop at the same traps again.
            self.engine = None;
        }
    }

    /// Adds the findings and the totals to the report.
    fn tell(&self, stream: u64, tried: &mut SettingResult, all: &Played, report: &mut Report) {
        let Tally { matches, finished, choices, longest, wins, .. } = &all.tally;
        let again =
            |number: u64| play_at_random(self.machine, &tried.setting, Rng::nth(stream, number), u64::MAX);
        let in_all = matches + all.broken.values().map(|(times, _)| times).sum::<u64>();
        let how = |times: u64| {
            format!("in {} of {}", thousands(times), counted(in_all, "random match", "random matches"))
        };
        for (key, (times, first)) in &all.broken {
            if report.findings.iter().any(|known| known.key() == *key) {
                continue;
            }
            let played = again(*first);
            if let Some(fault) = played.broken {
                report.add(Finding::of_fault(&fault, played.trace, how(*times), false));
            }
        }
        let endless = report.findings.iter().any(|finding| finding.sort == Sort::Endless);
        let unfinished = matches - finished;
        if let (true, false, Some(number)) = (UNFINISHED * unfinished >= *matches, endless, all.unfinished) {
            let found = none_ended(self.machine, &tried.setting, again(number), &how(unfinished));
            report.findings.extend(found.map(|finding| match finished + tried.finished {
                0 => finding,
                _ => many_unfinished(finding),
            }));
        }
        tried.in_bulk = in_all;
        tried.finished += finished;
        tried.at_random += finished;
        tried.choices += choices;
        tried.longest = tried.longest.max(*longest);
        tried.wins.iter_mut().zip(wins).for_each(|(own, more)| *own += more);
    }
}

impl Played {
    /// Plays the matches with these numbers.
    fn play(&mut self, engine: &dyn BulkPlayer, stream: u64, numbers: Range<u64>) {
        let mut streams: Vec<Rng> = numbers.clone().map(|number| Rng::nth(stream, number)).collect();
        let mut number = numbers.start;
        while number < numbers.end {
            let left = &mut streams[(number - numbers.start) as usize..];
            let played = engine.play(left, MAX_CHOICES, &mut |outcome, choices| {
                if outcome.is_none() {
                    self.unfinished.get_or_insert(number);
                }
                self.tally.add(number, outcome.as_ref(), choices);
                number += 1;
            });
            if let Err(fault) = played {
                match fault.span() {
                    TRAP_SPAN => self.reached_new_code.push(number),
                    _ => self.broken.entry(key_of(&fault)).or_insert((0, number)).0 += 1,
                }
                number += 1;
                if fault.code == Code::TooMuchWork {
                    break;
                }
            }
        }
    }
}

/// Rewords a finding for a setting in which many matches do not end, but others do.
fn many_unfinished(mut finding: Finding) -> Finding {
    let choices = counted(MAX_CHOICES, "choice", "choices");
    finding.diagnostic.message =
        format!("many random matches do not end: after {choices}, they were still going on");
    finding
}

/// Returns the op that traps at [`TRAP_SPAN`]: the match is won by a seat whose evaluation divides by zero.
fn trap_op() -> Op {
    let e = |kind: ExprKind, ty: Type| Expr { kind, ty, span: TRAP_SPAN };
    let number = |n: i64| e(ExprKind::Value(Value::int(n)), Type::Int);
    let nothing = e(ExprKind::Arith(Arith::Div, Box::new(number(1)), Box::new(number(0))), Type::Int);
    let cond = e(ExprKind::Compare(Box::new(nothing), vec![(Compare::Equal, number(0))]), Type::Bool);
    let seat = || e(ExprKind::Value(Value::Player(0)), Type::Player);
    Op::End(Some(e(ExprKind::If(vec![(cond, seat())], Box::new(seat())), Type::Player)))
}

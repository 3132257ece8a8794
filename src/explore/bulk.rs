//! Matches at random in bulk, by a faster engine: what seldom breaks or seldom runs, and who wins. A match that shows something is
//! played again by the reference, which plays the same match from the same stream.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::finding::key_of;
use super::sample::{MAX_CHOICES, none_ended, play_at_random};
use super::{Finding, Plan, Report, Setting, Sort, Tried, all, counted, thousands};
use crate::diag::Code;
use crate::engine::Engine;
use crate::eval::{Coverage, Fault, Machine, Outcome};
use crate::ir::{Arith, Compare, Expr, ExprKind, Op, Type, Value};
use crate::num::Rng;
use crate::source::Span;

/// What plays whole matches at random, fast.
pub trait Bulk: Sync {
    /// Plays a match in each of the streams, as [`Engine::playouts_apart`] does: who won, if it is over, and how many choices
    /// were made.
    fn play(
        &self,
        streams: &mut [Rng],
        max_choices: u64,
        on: &mut dyn FnMut(Option<Outcome>, u64),
    ) -> Result<(), Fault>;
}

impl<E: Engine + Sync> Bulk for E {
    fn play(
        &self,
        streams: &mut [Rng],
        max_choices: u64,
        on: &mut dyn FnMut(Option<Outcome>, u64),
    ) -> Result<(), Fault> {
        self.playouts_apart(streams, max_choices, &mut |state, choices| on(self.outcome(state), choices))
    }
}

/// Makes what plays matches of a machine in bulk; `None` where it would be hardly faster than the reference.
pub type Maker<'m> = &'m dyn Fn(Machine) -> Option<Box<dyn Bulk>>;

/// With an engine for it, matches are played in bulk with one part in so many of the effort.
pub(super) const SHARE: u64 = 5;
/// What it costs to make an engine.
const ENGINE: u64 = 600_000;
/// At most so many parts in a hundred of a setting's effort go to making engines; where there is not enough for each setting,
/// some are left out.
const ENGINE_SHARE: u64 = 33;
/// How many times as fast as the reference such an engine plays, at least.
const FASTER: u64 = 32;
/// How many tasks make a round. Who carries them out does not show.
const TASKS: u64 = 16;
/// How many matches a task has in the first round; in each round behind it twice as many, up to the most.
const FIRST: u64 = 16;
const MOST: u64 = 4_096;
/// It is told where one in so many matches at random goes on and on.
const UNFINISHED: u64 = 4;
/// The number of the streams, beside those of the settings.
const STREAMS: u64 = u64::MAX / 2;

/// Where the rules go that have not run so far. It is no place in any file.
const NEWS: Span = Span { start: usize::MAX, end: usize::MAX };

type Key = (Span, Sort, Code);

/// What the matches of a task gave.
#[derive(Default)]
struct Played {
    tally: Tally,
    /// What broke: how often, and the first match that did.
    broken: BTreeMap<Key, (u64, u64)>,
    /// The matches in which something ran that had not run before.
    news: Vec<u64>,
    /// The first match that did not come to its end.
    unfinished: Option<u64>,
}

/// Matches, added up.
#[derive(Default)]
struct Tally {
    matches: u64,
    finished: u64,
    choices: u64,
    longest: u64,
    wins: Vec<u64>,
    /// The same for the same matches, whoever adds them up in whatever order.
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
    /// Nothing yet, of a setting.
    fn of(tried: &Tried) -> Played {
        let tally = Tally { wins: vec![0; tried.wins.len()], ..Tally::default() };
        Played { tally, ..Played::default() }
    }

    fn join(&mut self, other: Played) {
        self.tally.join(&other.tally);
        for (key, (times, first)) in other.broken {
            self.broken.entry(key).or_insert((0, first)).0 += times;
        }
        self.news.extend(other.news);
        self.unfinished = self.unfinished.or(other.unfinished);
    }
}

/// Plays matches of the settings that were not searched to their end. The machines are those of the settings, and count what of
/// the rules runs: where an engine comes to a part that has not run so far, the reference plays that match again.
///
/// Parts that have not run are taken out of the rules that engines are made of, and a fault stands in their place. So nothing is
/// counted while engines play, and what never happens is looked for in all of their matches: to play but a share of them again
/// would find what comes about in one of ten thousand matches a hundred times later.
pub(super) fn play_in_bulk(
    plan: &Plan,
    (machines, coverage): (&[Machine], &Coverage),
    effort: u64,
    report: &mut Report,
) {
    let Some(make) = plan.bulk else { return };
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

/// A setting that is played in bulk.
struct Table<'t> {
    plan: &'t Plan<'t>,
    make: Maker<'t>,
    /// Counts what runs.
    machine: &'t Machine,
    coverage: &'t Coverage,
    /// In how many ops of the rules a fault stands.
    traps: usize,
    engine: Option<Box<dyn Bulk>>,
    /// How much effort it may take, and how much of that is left.
    share: u64,
    left: u64,
}

impl Table<'_> {
    fn play(&mut self, tried: &mut Tried, report: &mut Report) {
        // Where each choice is as much work as in the matches that were played so far.
        let choice = (tried.effort / tried.choices / FASTER).max(1);
        let stream = Rng::sub_seed(self.plan.seed, STREAMS);
        self.make_engine();
        let (mut all, mut each, mut next) = (Played::of(tried), FIRST, 0);
        while self.engine.is_some() {
            let average = match all.tally.matches {
                0 => tried.choices / tried.matches,
                matches => all.tally.choices / matches,
            };
            // A match without a choice is work too.
            let expected = average.max(1);
            if self.left < TASKS * each * expected * choice {
                break;
            }
            if !(self.plan.watch)(&tried.setting, (self.share - self.left) as f64 / self.share as f64) {
                report.broken_off = true;
                break;
            }
            let mut round = self.round(tried, stream, (next, each));
            next += TASKS * each;
            // What breaks the rules is for the reference to say, at its price.
            let broken: u64 = round.broken.values().map(|(times, _)| times).sum();
            let choices = round.tally.choices.max(round.tally.matches) + broken * expected * FASTER;
            self.left = self.left.saturating_sub(choices * choice);
            self.play_again(stream, tried, &mut round);
            all.join(round);
            tried.digests.push((all.tally.matches, all.tally.digest));
            each = MOST.min(2 * each);
        }
        self.tell(stream, tried, &all, report);
    }

    /// Makes the engine anew, with a fault for everything that has not run.
    fn make_engine(&mut self) {
        let mut game = (*self.machine.game).clone();
        self.traps = 0;
        for (pc, op) in game.code.iter_mut().enumerate() {
            // At stops nothing runs yet.
            let stop = matches!(op, Op::Choose(_) | Op::Chance(_) | Op::Unseal(..));
            if !stop && self.coverage.ran(pc) == 0 {
                *op = news();
                self.traps += 1;
            }
        }
        self.engine = (self.make)(self.machine.rewritten(Arc::new(game)));
        self.left = self.left.saturating_sub(ENGINE);
    }

    /// Plays the next round: in each task so many matches.
    fn round(&self, tried: &Tried, stream: u64, (first, each): (u64, u64)) -> Played {
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

    /// Has the reference play those matches again in which something ran that had not run before, and looks no more for what
    /// ran in them.
    fn play_again(&mut self, stream: u64, tried: &Tried, round: &mut Played) {
        let news = std::mem::take(&mut round.news);
        if news.is_empty() {
            return;
        }
        let machine = self.machine;
        let again = all(self.plan.crew, news.len(), |at| {
            play_at_random(machine, &tried.setting, Rng::nth(stream, news[at]))
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
            // It would find the same again and again.
            self.engine = None;
        }
    }

    /// Adds what was found to the report.
    fn tell(&self, stream: u64, tried: &mut Tried, all: &Played, report: &mut Report) {
        let Tally { matches, finished, choices, longest, wins, .. } = &all.tally;
        let again = |number: u64| play_at_random(self.machine, &tried.setting, Rng::nth(stream, number));
        let in_all = matches + all.broken.values().map(|(times, _)| times).sum::<u64>();
        let how = |times: u64| {
            format!("in {} of {} at random", thousands(times), counted(in_all, "match", "matches"))
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
            report.findings.extend(none_ended(self.machine, again(number), &how(unfinished)).map(
                |finding| match finished + tried.finished {
                    0 => finding,
                    _ => many_unfinished(finding),
                },
            ));
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
    fn play(&mut self, engine: &dyn Bulk, stream: u64, numbers: Range<u64>) {
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
                    NEWS => self.news.push(number),
                    _ => self.broken.entry(key_of(&fault)).or_insert((0, number)).0 += 1,
                }
                number += 1;
            }
        }
    }
}

/// What is found where many matches go on and on, and others do not.
fn many_unfinished(mut finding: Finding) -> Finding {
    let choices = counted(MAX_CHOICES, "choice", "choices");
    finding.diagnostic.message = format!(
        "many matches at random do not come to their end: {choices} were made, and they still went on"
    );
    finding
}

/// What breaks the rules at [`NEWS`]: the match is won by whom nobody can name.
fn news() -> Op {
    let e = |kind: ExprKind, ty: Type| Expr { kind, ty, span: NEWS };
    let number = |n: i64| e(ExprKind::Value(Value::int(n)), Type::Int);
    let nothing = e(ExprKind::Arith(Arith::Div, Box::new(number(1)), Box::new(number(0))), Type::Int);
    let cond = e(ExprKind::Compare(Box::new(nothing), vec![(Compare::Equal, number(0))]), Type::Bool);
    let seat = || e(ExprKind::Value(Value::Player(0)), Type::Player);
    Op::End(Some(e(ExprKind::If(vec![(cond, seat())], Box::new(seat())), Type::Player)))
}

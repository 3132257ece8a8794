//! Seeded sampling: matches are played in rounds, and each is determined by the seed, its setting and its
//! number, so that it makes no difference which thread plays it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::corpus::{Beginning, Corpus, Seeker};
use super::finding::key_of;
use super::identity::{Identity, Key};
use super::policy::{Habits, Policy, pick};
use super::{
    Finding, Plan, Report, Setting, SettingResult, Sort, Step, Trace, all, counted, endless, thousands,
};
use crate::diag::Code;
use crate::engine::Ids;
use crate::eval::{Coverage, Fault, Machine, Meter, Outcome, Position, Waiting};
use crate::ir::{Change, Choice, Effect, Op, Place, Type};
use crate::num::Rng;
use crate::source::Span;

/// The number of matches in a round. Results do not depend on which thread plays which match, so this is
/// independent of the number of cores.
const ROUND: usize = 16;
/// The number of choices after which a match is abandoned.
pub(super) const MAX_CHOICES: u64 = 3_000;
/// Most matches of the first round stop after this many choices, and those of each later round after twice as
/// many as before, so that long matches do not take all of the effort.
const FIRST_CHOICES: u64 = 100;
/// One match in this many is played to its end from the first round on.
const FULL_LENGTH_EVERY: u64 = 16;
/// The remainders of match numbers modulo [`FULL_LENGTH_EVERY`] that continue from a beginning in the corpus.
const FROM_CORPUS: [u64; 4] = [3, 9, 11, 15];
/// The effort charged for a stop, besides the evaluation steps of judging its moves.
pub(super) const STOP: u64 = 400;

/// How many rows of arguments of each offer are probed, legal or not, when coverage is counted.
const PROBED: u64 = 24;

/// A match that was played.
pub(super) struct Played {
    pub trace: Trace,
    pub choices: u64,
    pub effort: u64,
    /// Whether the match was played from the start with every choice uniform among the legal moves.
    uniform: bool,
    pub outcome: Option<Outcome>,
    pub broken: Option<Fault>,
    /// The first fault that only reading the scores or the table causes while the match goes on, and the match up to it.
    read: Option<(Fault, Trace)>,
    /// Where something was taken out that was not there, and the match up to it.
    not_there: Vec<(Fault, Trace)>,
    /// Whether it was abandoned because it took too long.
    unfinished: bool,
    /// The choice at which it was abandoned after [`MAX_CHOICES`] choices.
    abandoned_at: Option<usize>,
    /// The first position that recurred without a draw in between: its choice, the number of steps up to its
    /// second occurrence, and the number of steps between the two.
    first_repeat: Option<(usize, usize, usize)>,
    /// The choices made, for policies that prefer rare ones.
    habits: Habits,
    /// The coverage of the match, and what is new in it.
    coverage: Arc<Coverage>,
    seeker: Seeker,
}

/// A fault of the rules in some matches.
struct Broken {
    /// In how many.
    times: u64,
    fault: Fault,
    /// The shortest of them.
    trace: Trace,
    /// Whether any of them breaks off there.
    breaks: bool,
}

/// What the matches of a setting gave besides the totals in [`SettingResult`].
#[derive(Default)]
struct Gathered {
    broken: BTreeMap<(Span, Sort, Code), Broken>,
    /// For each choice at which a position recurred: in how many matches, the number of steps in the cycle,
    /// and the shortest match.
    repeats: BTreeMap<usize, (u64, usize, Trace)>,
    given_up: Option<(usize, Trace)>,
    habits: Habits,
    corpus: Corpus,
}

/// Samples matches of a setting, in whole rounds, until their share of the effort is spent.
pub(super) fn sample(
    plan: &Plan,
    (number, machine): (u64, &Machine),
    share: u64,
    tried: &mut SettingResult,
    report: &mut Report,
) {
    let identity = Identity::of(machine);
    let mut gathered = Gathered::default();
    let seed = Rng::sub_seed(plan.seed, number);
    let (mut spent, mut upto) = (0, FIRST_CHOICES);
    while spent < share {
        if !(plan.watch)(&tried.setting, spent as f64 / share as f64) {
            report.broken_off = true;
            break;
        }
        let (first, setting) = (tried.matches, tried.setting.clone());
        let Gathered { habits, corpus, .. } = &gathered;
        let limit = (share / 4).max(100 * STOP);
        let one = |at: usize| {
            let number = first + at as u64;
            let mut rng = Rng::nth(seed, number);
            let from = if FROM_CORPUS.contains(&(number % FULL_LENGTH_EVERY)) {
                corpus.pick(&mut rng)
            } else {
                None
            };
            let (coverage, meter) = (Arc::new(Coverage::new(&machine.game)), Arc::new(Meter::default()));
            let mut playing = Playing {
                machine: &machine.with_coverage(coverage.clone()).with_meter(meter.clone()),
                meter: &meter,
                identity: &identity,
                policy: Policy::of_match(number),
                habits,
                rng,
                max_choices: if number.is_multiple_of(FULL_LENGTH_EVERY) { MAX_CHOICES } else { upto },
                limit,
            };
            playing.play(&setting, from, (coverage, Seeker::new(corpus, from)))
        };
        // A round is played to its end unless its matches take more than the share, and more than short ones: then only as
        // many are played at once as that suffices for, if they take as much as those before.
        let (mut round, mut so_far) = (Vec::new(), spent);
        let most = share.max(spent.saturating_add(100 * STOP * ROUND as u64));
        while round.len() < ROUND && so_far < most {
            let width = match first + round.len() as u64 {
                0 => 1,
                before => (most - so_far).div_ceil((so_far / before).max(1)).min(ROUND as u64) as usize,
            };
            let from = round.len();
            round.extend(all(plan.crew, width.min(ROUND - from), |at| one(from + at)));
            so_far += round[from..].iter().map(|played| played.effort).sum::<u64>();
        }
        spent = so_far;
        for played in round {
            if let Some(coverage) = machine.coverage() {
                coverage.add(&played.coverage);
            }
            tried.add(&played);
            gathered.add(played);
        }
        upto = (upto * 2).min(MAX_CHOICES);
    }
    gathered.tell(machine, tried, report);
}

impl Gathered {
    fn add(&mut self, played: Played) {
        self.habits.join(played.habits);
        let trace = played.trace;
        self.corpus.join(played.seeker, &trace);
        if let Some((choice, steps, back)) = played.first_repeat {
            let known = self.repeats.entry(choice).or_insert_with(|| (0, back, trace.upto(steps)));
            known.0 += 1;
            if steps < known.2.steps.len() {
                (known.1, known.2) = (back, trace.upto(steps));
            }
        }
        if let Some(choice) = played.abandoned_at {
            self.given_up.get_or_insert_with(|| (choice, trace.clone()));
        }
        let broken = played.broken.map(|fault| (fault, trace, true));
        let read = played.read.map(|(fault, trace)| (fault, trace, false));
        let not_there = played.not_there.into_iter().map(|(fault, trace)| (fault, trace, false));
        for (fault, trace, breaks) in broken.into_iter().chain(read).chain(not_there) {
            let new = || Broken { times: 0, fault: fault.clone(), trace: trace.clone(), breaks };
            let known = self.broken.entry(key_of(&fault)).or_insert_with(new);
            known.times += 1;
            known.breaks |= breaks;
            if trace.steps.len() < known.trace.steps.len() {
                (known.fault, known.trace) = (fault, trace);
            }
        }
    }

    fn tell(self, machine: &Machine, tried: &SettingResult, report: &mut Report) {
        let how =
            |times: u64| format!("in {} of {}", thousands(times), counted(tried.matches, "match", "matches"));
        let mut any_breaks = false;
        for Broken { times, fault, trace, breaks } in self.broken.into_values() {
            any_breaks |= breaks;
            report.add(Finding { breaks, ..Finding::of_fault(&fault, trace, how(times), false) });
        }
        let none_again = self.repeats.is_empty();
        for (choice, (times, back, trace)) in self.repeats {
            report.add(endless::comes_again(machine, choice, back, trace, &how(times)));
        }
        if let Some((choice, trace)) = self.given_up
            && (none_again && !any_breaks && tried.finished == 0 && !tried.setting.is_extreme(machine))
        {
            let choices = trace.choices() as u64;
            report.add(endless::none_ended(machine, choice, choices, trace, &how(tried.matches)));
        }
    }
}

impl SettingResult {
    fn add(&mut self, played: &Played) {
        self.matches += 1;
        self.choices += played.choices;
        self.effort += played.effort;
        self.longest = self.longest.max(played.trace.choices() as u64);
        self.unfinished += u64::from(played.unfinished);
        for step in &played.trace.steps {
            if let Step::Choice(picks) = step {
                picks.iter().for_each(|(seat, _)| self.chose[*seat] = true);
            }
        }
        if let Some(outcome) = &played.outcome {
            self.finished += 1;
            self.at_random += u64::from(played.uniform);
            outcome.winners.iter().for_each(|seat| self.wins[*seat] += 1);
        }
    }
}

/// Plays a match uniformly at random, exactly as any engine plays it from this stream, until about `limit` is spent.
pub(super) fn play_at_random(machine: &Machine, setting: &Setting, rng: Rng, limit: u64) -> Played {
    let (identity, habits) = (&Identity::of(machine), &Habits::default());
    let (policy, upto) = (Policy::Uniform, MAX_CHOICES);
    let seeking = (Arc::new(Coverage::new(&machine.game)), Seeker::default());
    let meter = Arc::new(Meter::default());
    let (machine, meter) = (&machine.with_meter(meter.clone()), &meter);
    let mut playing = Playing { machine, meter, identity, policy, habits, rng, max_choices: upto, limit };
    playing.play(setting, None, seeking)
}

/// Reports that no match of any setting ended, if one that is played on shows it: until now, all were broken off after
/// few choices. Spends about `effort`.
pub(super) fn no_match_ended(plan: &Plan, machines: &[Machine], effort: u64, report: &mut Report) {
    let tried = report.tried.iter().zip(machines);
    let common: Vec<_> = tried.filter(|(tried, machine)| !tried.setting.is_extreme(machine)).collect();
    let Some((tried, machine)) = common.into_iter().max_by_key(|(tried, _)| tried.longest) else { return };
    let rng = Rng::nth(Rng::sub_seed(plan.seed, u64::MAX / 4), 0);
    let played = play_at_random(machine, &tried.setting, rng, effort);
    let all = report.tried.iter().map(|tried| tried.matches + tried.in_bulk).sum();
    let how = format!("in none of {}", counted(all, "match", "matches"));
    if played.outcome.is_none() && played.broken.is_none() {
        report.findings.extend(none_ended(machine, &tried.setting, played, &how));
    }
}

/// Turns a match that does not end into a finding; `None` if it neither recurred nor was abandoned, or was abandoned
/// under an extreme setting.
pub(super) fn none_ended(machine: &Machine, setting: &Setting, played: Played, how: &str) -> Option<Finding> {
    let trace = played.trace;
    match (played.first_repeat, played.abandoned_at) {
        (Some((choice, steps, back)), _) => {
            Some(endless::comes_again(machine, choice, back, trace.upto(steps), how))
        }
        (None, Some(_)) if setting.is_extreme(machine) => None,
        (None, Some(choice)) => Some(endless::none_ended(machine, choice, played.choices, trace, how)),
        (None, None) => None,
    }
}

/// The player of one match, for all seats.
struct Playing<'p> {
    machine: &'p Machine,
    /// Counts the steps of long runs between two stops.
    meter: &'p Meter,
    identity: &'p Identity,
    policy: Policy,
    /// The choices of earlier rounds.
    habits: &'p Habits,
    rng: Rng,
    /// The number of choices after which the match stops.
    max_choices: u64,
    /// The effort after which the match is abandoned.
    limit: u64,
}

impl Playing<'_> {
    /// Plays a match, from the start or from a beginning in the corpus. Counts coverage, and has `seeker`
    /// look for anything new in it.
    fn play(
        &mut self,
        setting: &Setting,
        from: Option<&Beginning>,
        (coverage, seeker): (Arc<Coverage>, Seeker),
    ) -> Played {
        let mut played = Played {
            trace: from.map_or_else(|| Trace::begun(setting.clone()), |from| from.trace.clone()),
            choices: 0,
            effort: STOP,
            uniform: self.policy == Policy::Uniform && from.is_none(),
            outcome: None,
            broken: None,
            read: None,
            not_there: Vec::new(),
            unfinished: false,
            abandoned_at: None,
            first_repeat: None,
            habits: Habits::default(),
            coverage,
            seeker,
        };
        let start = from.map_or_else(|| self.machine.start(), |from| Ok(from.position.clone()));
        match start.and_then(|start| self.play_on(start, &mut played)) {
            Ok(position) => played.outcome = position.outcome,
            Err(fault) => played.broken = Some(fault),
        }
        played.effort += self.meter.of_long_runs();
        played
    }

    fn play_on(&mut self, mut position: Position, played: &mut Played) -> Result<Position, Fault> {
        let machine = self.machine;
        let strict = strict(machine);
        // The positions since the last draw, each with the number of steps before it.
        let mut met: HashMap<Key, usize> = HashMap::new();
        loop {
            played.effort += STOP;
            match ask_all(machine, &position, Some(played.choices)) {
                Ok(effort) => played.effort += effort,
                Err(fault) if position.waiting == Waiting::Over => return Err(fault),
                // At the table, the match goes on.
                Err(fault) => {
                    played.read.get_or_insert_with(|| (fault, played.trace.clone()));
                }
            }
            played.seeker.look(&played.coverage, played.trace.steps.len(), &position);
            match position.waiting.clone() {
                Waiting::Choice { choice, seats } => {
                    let left = self.limit.saturating_sub(played.effort + self.meter.of_long_runs());
                    if played.choices >= self.max_choices || left == 0 {
                        let endless = played.choices >= MAX_CHOICES;
                        played.abandoned_at = endless.then_some(choice);
                        played.unfinished = endless || left == 0;
                        return Ok(position);
                    }
                    let steps = played.trace.steps.len();
                    let (key, effort) = self.identity.lasting_key_counted(&position);
                    played.effort += effort;
                    let before = *met.entry(key).or_insert(steps);
                    if before < steps && played.first_repeat.is_none() {
                        played.first_repeat = Some((choice, steps, steps - before));
                    }
                    let together = machine.game.choices[choice].together;
                    let mut picks = Vec::new();
                    for seat in if together { seats.as_slice() } else { &seats[..1] } {
                        let habits = (self.habits, &played.habits);
                        let picked = pick(
                            machine,
                            &position,
                            (choice, *seat),
                            (&self.policy, left),
                            habits,
                            &mut self.rng,
                            |there| {
                                let (key, effort) = self.identity.lasting_key_counted(there);
                                (met.contains_key(&key), effort)
                            },
                        );
                        let (picked, effort) = picked?;
                        played.effort += effort;
                        // There may be no legal move in the window that bots draw from.
                        let Some(chosen) = picked else { return Ok(position) };
                        played.habits.note(choice, &chosen);
                        picks.push((*seat, chosen));
                    }
                    played.choices += picks.len() as u64;
                    played.trace.steps.push(Step::Choice(picks.clone()));
                    for (seat, chosen) in picks {
                        let choose = |machine: &Machine, position: &mut Position| {
                            machine.choose(position, seat, chosen.clone())
                        };
                        let fault = noting_absence((machine, &strict), &mut position, choose)?;
                        played.note_absence(fault);
                    }
                }
                Waiting::Chance => {
                    let Some(chance) = machine.chance(&position) else { return Ok(position) };
                    let value = machine.draw_chance(&position, &mut |n| self.rng.below(n))?;
                    met.clear();
                    played.trace.steps.push(Step::Chance(chance.name.clone(), value.clone()));
                    let draw = |machine: &Machine, position: &mut Position| {
                        machine.draw(position, value.clone()).map(drop)
                    };
                    let fault = noting_absence((machine, &strict), &mut position, draw)?;
                    played.note_absence(fault);
                }
                Waiting::Over | Waiting::Nothing => return Ok(position),
            }
        }
    }
}

impl Played {
    fn note_absence(&mut self, fault: Option<Fault>) {
        let known = |fault: &Fault| self.not_there.iter().any(|(known, _)| key_of(known) == key_of(fault));
        if let Some(fault) = fault.filter(|fault| !known(fault)) {
            self.not_there.push((fault, self.trace.clone()));
        }
    }
}

/// Takes a step in a position. If it takes out of a list or bag what is not in it, returns the fault that this is for a
/// [strict](Machine::strict) machine.
pub(super) fn noting_absence(
    (machine, strict): (&Machine, &Option<Machine>),
    position: &mut Position,
    step: impl Fn(&Machine, &mut Position) -> Result<(), Fault>,
) -> Result<Option<Fault>, Fault> {
    let Some(strict) = strict else { return step(machine, position).map(|()| None) };
    let before = position.clone();
    match step(strict, position) {
        Err(fault) if fault.code == Code::NotThere => {
            *position = before;
            step(machine, position).map(|()| Some(fault))
        }
        done => done.map(|()| None),
    }
}

/// Returns a strict machine, if the rules take anything out that might not be there: out of something else than a set.
pub(super) fn strict(machine: &Machine) -> Option<Machine> {
    let is_set = |place: &Place| {
        place.path.is_empty() && matches!(machine.game.state[place.state].form.ty(), Type::Set(_))
    };
    let takes_out = |op: &Op| match op {
        Op::Do(Effect::Assign(places, _), _) => {
            places.iter().any(|(place, change)| *change == Change::Remove && !is_set(place))
        }
        _ => false,
    };
    machine.game.code.iter().any(takes_out).then(|| machine.strict())
}

/// What to do about a score that fails before the end.
pub const READ_EARLY: &str = "scores are read during the match as well, at the table and by bots: write one that has a value at every position";

/// Asks a position what anybody may ask of it: the shown table and the scores. Before a draw nobody asks. If coverage is
/// counted and `seed` is given, probes the needs of some choices too. Returns the evaluation steps spent.
pub(super) fn ask_all(machine: &Machine, position: &Position, seed: Option<u64>) -> Result<u64, Fault> {
    let mut spent = 0;
    if matches!(position.waiting, Waiting::Chance) {
        return Ok(spent);
    }
    let mut faults = Vec::new();
    for line in &machine.game.show {
        let (shown, steps) = machine.ask_counted(position, |env| env.call(&line.text, Vec::new()));
        spent += steps;
        // A value that is not set yet is shown as such.
        faults.extend(shown.err().filter(|fault| fault.code != Code::Unset));
    }
    for seat in 0..machine.setup.players {
        let (score, steps) = machine.ask_counted(position, |env| env.score(seat));
        spent += steps;
        faults.extend(score.err().map(|fault| match position.waiting {
            Waiting::Over => fault,
            _ => Box::new(fault.help(READ_EARLY)),
        }));
    }
    if let (Some(coverage), Some(seed), Waiting::Choice { seats, .. }) =
        (machine.coverage(), seed, &position.waiting)
    {
        for seat in seats {
            let mut rng = Rng::nth(seed, *seat as u64);
            let (probed, steps) = machine.probe_needs(position, *seat, coverage, &mut rng, PROBED);
            faults.extend(probed.err());
            spent += steps;
        }
    }
    match faults.into_iter().next() {
        Some(fault) => Err(fault),
        None => Ok(spent),
    }
}

/// Whether [`ask_all`] probes every choice that a position offers, rather than some of many.
pub(super) fn probes_all(machine: &Machine) -> bool {
    let ids = Ids::of(machine);
    let few = |(number, choice): (usize, &Choice)| {
        let mut offers = 0..choice.offers.len() + choice.otherwise.len();
        offers.all(|offer| ids.of_offer(number, offer).is_some_and(|block| u64::from(block.count) <= PROBED))
    };
    machine.game.choices.iter().enumerate().all(few)
}

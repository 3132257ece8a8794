//! Seeded play: matches in rounds, each fixed by the seed, its setting and its number, so that it makes no difference who plays
//! which of them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::corpus::{Beginning, Corpus, Seeker};
use super::finding::key_of;
use super::identity::{Identity, Key};
use super::policy::{Habits, Policy, pick};
use super::{Finding, Plan, Report, Setting, Sort, Step, Trace, Tried, all, counted, endless, thousands};
use crate::diag::Code;
use crate::eval::{Coverage, Fault, Machine, Outcome, Position, Waiting};
use crate::num::Rng;
use crate::source::Span;

/// How many matches make a round. Who plays them does not show, so this is no matter of cores.
const ROUND: usize = 16;
/// After how many choices a match is given up.
pub(super) const MAX_CHOICES: u64 = 3_000;
/// In the first round most matches go no further than this, in each round behind it twice as far: what takes long must not
/// take all of the effort.
const FIRST_CHOICES: u64 = 100;
/// One match in so many is played to its end at once.
const FAR: u64 = 16;
/// Which of so many matches go on from where another came to something new.
const BEGUN: [u64; 4] = [3, 9, 11, 15];
/// What a stop costs beside the steps of evaluation it takes to judge its moves.
pub(super) const STOP: u64 = 400;

/// How many choices of each offer are tried, legal or not, where what runs is counted.
const PROBED: u64 = 24;

/// A match that was played.
pub(super) struct Played {
    pub trace: Trace,
    pub choices: u64,
    pub effort: u64,
    /// Whether every choice was uniform among the legal moves.
    uniform: bool,
    pub outcome: Option<Outcome>,
    pub broken: Option<Fault>,
    /// Whether it took too long to be played to its end.
    unfinished: bool,
    /// The choice at which it had gone on for as many choices as are waited for.
    given_up: Option<usize>,
    /// A position that choices alone led back to: its choice, and the steps up to its second time; how many of them led back.
    again: Option<(usize, usize, usize)>,
    /// What was chosen, for whoever looks for what is seldom.
    habits: Habits,
    /// What ran, and what of it is new.
    coverage: Arc<Coverage>,
    seeker: Seeker,
}

/// What the matches of a setting gave beside their numbers.
#[derive(Default)]
struct Gathered {
    broken: BTreeMap<(Span, Sort, Code), (u64, Fault, Trace)>,
    /// By its choice, a position that came again: in how many matches, the steps back, the match.
    again: BTreeMap<usize, (u64, usize, Trace)>,
    given_up: Option<(usize, Trace)>,
    habits: Habits,
    corpus: Corpus,
}

/// Samples matches of a setting, in whole rounds until their share of the effort is spent.
pub(super) fn sample(
    plan: &Plan,
    (number, machine): (u64, &Machine),
    share: u64,
    tried: &mut Tried,
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
        let round = all(plan.crew, ROUND, |at| {
            let number = first + at as u64;
            let mut rng = Rng::nth(seed, number);
            let from = if BEGUN.contains(&(number % FAR)) { corpus.pick(&mut rng) } else { None };
            let coverage = Arc::new(Coverage::new(&machine.game));
            let mut playing = Playing {
                machine: &machine.counting_in(coverage.clone()),
                identity: &identity,
                policy: Policy::of_match(number),
                habits,
                rng,
                upto: if number.is_multiple_of(FAR) { MAX_CHOICES } else { upto },
                limit: (share / 4).max(100 * STOP),
            };
            playing.play(&setting, from, (coverage, Seeker::new(corpus, from)))
        });
        for played in round {
            spent += played.effort;
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
        if let Some((choice, steps, back)) = played.again {
            let known = self.again.entry(choice).or_insert_with(|| (0, back, trace.upto(steps)));
            known.0 += 1;
            if steps < known.2.steps.len() {
                (known.1, known.2) = (back, trace.upto(steps));
            }
        }
        if let Some(choice) = played.given_up {
            self.given_up.get_or_insert_with(|| (choice, trace.clone()));
        }
        if let Some(fault) = played.broken {
            let known =
                self.broken.entry(key_of(&fault)).or_insert_with(|| (0, fault.clone(), trace.clone()));
            known.0 += 1;
            if trace.steps.len() < known.2.steps.len() {
                (known.1, known.2) = (fault, trace);
            }
        }
    }

    fn tell(self, machine: &Machine, tried: &Tried, report: &mut Report) {
        let how =
            |times: u64| format!("in {} of {}", thousands(times), counted(tried.matches, "match", "matches"));
        let breaks = !self.broken.is_empty();
        for (times, fault, trace) in self.broken.into_values() {
            report.add(Finding::of_fault(&fault, trace, how(times), false));
        }
        let none_again = self.again.is_empty();
        for (choice, (times, back, trace)) in self.again {
            report.add(endless::comes_again(machine, choice, back, trace, &how(times)));
        }
        if let Some((choice, trace)) = self.given_up
            && (none_again && !breaks && tried.finished == 0)
        {
            let choices = trace.choices() as u64;
            report.add(endless::none_ended(machine, choice, choices, trace, &how(tried.matches)));
        }
    }
}

impl Tried {
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

/// Plays a match at random, as any engine plays it from this stream.
pub(super) fn play_at_random(machine: &Machine, setting: &Setting, rng: Rng) -> Played {
    let (identity, habits) = (&Identity::of(machine), &Habits::default());
    let (policy, upto, limit) = (Policy::Uniform, MAX_CHOICES, u64::MAX);
    let seeking = (Arc::new(Coverage::new(&machine.game)), Seeker::default());
    Playing { machine, identity, policy, habits, rng, upto, limit }.play(setting, None, seeking)
}

/// What is found where a match goes on and on, and so do all others.
pub(super) fn none_ended(machine: &Machine, played: Played, how: &str) -> Option<Finding> {
    let trace = played.trace;
    match (played.again, played.given_up) {
        (Some((choice, steps, back)), _) => {
            Some(endless::comes_again(machine, choice, back, trace.upto(steps), how))
        }
        (None, Some(choice)) => Some(endless::none_ended(machine, choice, played.choices, trace, how)),
        (None, None) => None,
    }
}

/// Somebody who plays a match.
struct Playing<'p> {
    machine: &'p Machine,
    identity: &'p Identity,
    policy: Policy,
    /// What was chosen in the rounds before.
    habits: &'p Habits,
    rng: Rng,
    /// After how many choices the match is left.
    upto: u64,
    /// After how much effort it is given up.
    limit: u64,
}

impl Playing<'_> {
    /// Plays a match, from its start or from where another went; what of the rules runs is counted, and looked at for what is
    /// new.
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
            unfinished: false,
            given_up: None,
            again: None,
            habits: Habits::default(),
            coverage,
            seeker,
        };
        let start = from.map_or_else(|| self.machine.start(), |from| Ok(from.position.clone()));
        match start.and_then(|start| self.play_on(start, &mut played)) {
            Ok(position) => played.outcome = position.outcome,
            Err(fault) => played.broken = Some(fault),
        }
        played
    }

    fn play_on(&mut self, mut position: Position, played: &mut Played) -> Result<Position, Fault> {
        let machine = self.machine;
        // The positions since chance last decided, and after how many steps they came.
        let mut met: HashMap<Key, usize> = HashMap::new();
        loop {
            played.effort += STOP + ask_all(machine, &position, Some(played.choices))?;
            played.seeker.look(&played.coverage, played.trace.steps.len(), &position);
            match position.waiting.clone() {
                Waiting::Choice { choice, seats } => {
                    if played.choices >= self.upto || played.effort >= self.limit {
                        let endless = played.choices >= MAX_CHOICES;
                        played.given_up = endless.then_some(choice);
                        played.unfinished = endless || played.effort >= self.limit;
                        return Ok(position);
                    }
                    let steps = played.trace.steps.len();
                    let (key, effort) = self.identity.lasting_key_counted(&position);
                    played.effort += effort;
                    let before = *met.entry(key).or_insert(steps);
                    if before < steps && played.again.is_none() {
                        played.again = Some((choice, steps, steps - before));
                    }
                    let together = machine.game.choices[choice].together;
                    let mut picks = Vec::new();
                    for seat in if together { seats.as_slice() } else { &seats[..1] } {
                        let habits = (self.habits, &played.habits);
                        let picked = pick(
                            machine,
                            &position,
                            (choice, *seat),
                            &self.policy,
                            habits,
                            &mut self.rng,
                            |there| {
                                let (key, effort) = self.identity.lasting_key_counted(there);
                                (met.contains_key(&key), effort)
                            },
                        );
                        let (picked, effort) = picked?;
                        played.effort += effort;
                        // Nothing may be legal in the window that bots draw from.
                        let Some(chosen) = picked else { return Ok(position) };
                        played.habits.note(choice, &chosen);
                        picks.push((*seat, chosen));
                    }
                    played.choices += picks.len() as u64;
                    played.trace.steps.push(Step::Choice(picks.clone()));
                    for (seat, chosen) in picks {
                        machine.choose(&mut position, seat, chosen)?;
                    }
                }
                Waiting::Chance => {
                    let Some(chance) = machine.chance(&position) else { return Ok(position) };
                    let value = machine.draw_chance(&position, &mut |n| self.rng.below(n))?;
                    met.clear();
                    played.trace.steps.push(Step::Chance(chance.name.clone(), value.clone()));
                    let _ = machine.draw(&mut position, value)?;
                }
                Waiting::Over | Waiting::Nothing => return Ok(position),
            }
        }
    }
}

/// Asks of a position what anybody may ask of it: how the table is written, and the points; where what runs is counted,
/// the needs of some of the choices too, if there is a seed to fix which. The steps that takes.
pub(super) fn ask_all(machine: &Machine, position: &Position, seed: Option<u64>) -> Result<u64, Fault> {
    let mut spent = 0;
    for line in &machine.game.show {
        let (shown, steps) = machine.ask_counted(position, |env| env.call(&line.text, Vec::new()));
        spent += steps;
        match shown {
            // What is not yet written is shown as such.
            Err(fault) if fault.code == Code::Unset => {}
            shown => drop(shown?),
        }
    }
    for seat in 0..machine.setup.players {
        let (score, steps) = machine.ask_counted(position, |env| env.score(seat));
        score?;
        spent += steps;
    }
    let (Some(coverage), Some(seed), Waiting::Choice { seats, .. }) =
        (machine.coverage(), seed, &position.waiting)
    else {
        return Ok(spent);
    };
    for seat in seats {
        let mut rng = Rng::nth(seed, *seat as u64);
        let (probed, steps) = machine.probe_needs(position, *seat, coverage, &mut rng, PROBED);
        probed?;
        spent += steps;
    }
    Ok(spent)
}

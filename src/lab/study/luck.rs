//! What each draw of chance decides, and which of its outcomes are lucky: at some draws of a match, the positions after
//! their outcomes are searched.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::costs::unit_of;
use super::figures::{FEW, FigureHead, rounded};
use super::report::{DrawOutcomeUse, DrawUse, Figure, Unit};
use super::sums::{ENOUGH, Estimate, Moments, Sums};
use super::{Stage, Study};
use crate::ast::{Item, ItemKind};
use crate::bots::{Effort, Measure, Proof, is_open};
use crate::engine::{Engine, Outcomes};
use crate::eval::{Fault, text};
use crate::ir::{Op, Value};
use crate::num::Int;
use crate::play::{Match, Refused, Rng};

/// Of draws with more different outcomes than this, so many outcomes are drawn and searched.
const SEARCHED: usize = 12;
/// Draws with more outcomes than this are not listed.
const LISTED: i64 = 1000;
/// Outcomes are not told one by one if there are more than this.
const TOLD: usize = 16;
/// How often outcomes are drawn to find some that differ.
const TRIES: usize = 64;

/// What the draws of a game decided, by their names in the rules.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Luck(BTreeMap<String, NamedDraw>);

/// What the draws of one name decided.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct NamedDraw {
    /// How often each outcome was drawn, in words; none if there are too many.
    drawn: BTreeMap<String, u64>,
    too_many: bool,
    /// The number of draws.
    all: u64,
    /// The variance over its outcomes of what a player can expect.
    variance: Moments,
    /// For whom outcomes are lucky, and each outcome with how likely it is and what it brings.
    brings: BTreeMap<String, BTreeMap<String, Outcome>>,
}

/// What one outcome of a draw brings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Outcome {
    likely: Moments,
    gain: Moments,
}

/// An outcome of the draw that is due, with its probability.
struct Way {
    value: Value,
    likely: f64,
    after: Match,
}

impl Luck {
    /// Notes a draw.
    pub fn drawn(&mut self, name: &str, value: String) {
        let draw = self.0.entry(name.to_string()).or_default();
        draw.all += 1;
        draw.count(value, 1);
    }

    pub fn join(&mut self, other: &Luck) {
        for (name, others) in &other.0 {
            let own = self.0.entry(name.clone()).or_default();
            own.all += others.all;
            own.too_many |= others.too_many;
            others.drawn.iter().for_each(|(value, times)| own.count(value.clone(), *times));
            own.variance.join(&others.variance);
            for (whose, outcomes) in &others.brings {
                let known = own.brings.entry(whose.clone()).or_default();
                for (value, outcome) in outcomes {
                    let known = known.entry(value.clone()).or_default();
                    known.likely.join(&outcome.likely);
                    known.gain.join(&outcome.gain);
                }
            }
            own.forget_many();
        }
    }
}

impl NamedDraw {
    fn count(&mut self, value: String, times: u64) {
        *self.drawn.entry(value).or_default() += times;
        self.forget_many();
    }

    fn forget_many(&mut self) {
        self.too_many |= self.drawn.len() > TOLD || self.brings.values().any(|all| all.len() > TOLD);
        if self.too_many {
            (self.drawn, self.brings) = (BTreeMap::new(), BTreeMap::new());
        }
    }

    /// Returns for whom most draws were searched, and what their outcomes brought.
    fn told(&self) -> Option<(&str, &BTreeMap<String, Outcome>)> {
        let searched =
            |all: &BTreeMap<String, Outcome>| all.values().map(|outcome| outcome.gain.count).sum::<u64>();
        let most = self.brings.iter().max_by_key(|(_, all)| searched(all))?;
        Some((most.0, most.1))
    }
}

impl<E: Engine> Study<'_, E> {
    /// Whether what draws bring can be searched: nobody may know less of the position than it takes.
    fn shows_luck(&self) -> bool {
        is_open(&self.rules.game)
    }

    /// Searches the positions after the outcomes of the draw that is due. `number` distinguishes the draws of a match.
    pub(super) fn search_draw(
        &self,
        played: &Match,
        number: u64,
        stage: &Stage,
        luck: &mut Luck,
    ) -> Result<(), Refused> {
        let Some(chance) = played.machine().chance(played.position()).filter(|_| self.shows_luck()) else {
            return Ok(());
        };
        let mut rng = Rng::nth(Rng::sub_seed(played.bots_seed(), u64::MAX / 5), number);
        let (ways, all) = ways(played, &mut rng).map_err(|fault| played.broken(&fault))?;
        if ways.len() < 2 {
            return Ok(());
        }
        let within = |item: &Item| {
            let is_move = matches!(item.kind, ItemKind::Move(_));
            is_move && item.span.start <= chance.span.start && chance.span.end <= item.span.end
        };
        let (whose, seat) = whose(played, &ways, stage.file.items.iter().any(within));
        let exact = stage.knowledge.is_some();
        let mut values = || -> Result<Option<Vec<f64>>, Refused> {
            let all = ways
                .iter()
                .map(|way| Ok(self.outlook(&way.after, exact, &mut rng)?.map(|values| values[seat])));
            all.collect()
        };
        // Searched twice, so that errors, which are independent, do not look like luck.
        let (Some(one), Some(other)) = (values()?, values()?) else { return Ok(()) };
        let (variance, gains) = brought(&ways, all, [one, other], Measure::of(played.machine()));
        let draw = luck.0.entry(chance.name.clone()).or_default();
        draw.variance.add(variance);
        let outcomes = draw.brings.entry(whose).or_default();
        for (way, gain) in ways.iter().zip(gains) {
            let outcome = outcomes.entry(text::words(&self.rules.game, &way.value)).or_default();
            outcome.gain.add(gain);
            outcome.likely.add(way.likely);
        }
        draw.too_many |= !all;
        draw.forget_many();
        Ok(())
    }

    /// Returns what each seat can expect, with any further draws drawn at random. `exact`: the rest of the match is small
    /// enough to be worked out.
    fn outlook(&self, after: &Match, exact: bool, rng: &mut Rng) -> Result<Option<Vec<f64>>, Refused> {
        let mut at = after.clone();
        while at.draw_due() {
            let value = at.machine().draw_chance(at.position(), &mut |n| rng.below(n));
            let value = value.map_err(|fault| at.broken(&fault))?;
            if at.draw(value).map_err(|fault| after.broken(&fault))?.is_err() {
                return Ok(None);
            }
        }
        if at.over() {
            return ended(&at);
        }
        let player = at.to_move()[0];
        if exact && let Some(proved) = self.mind.proved_standing(&at, player, self.clock, rng)? {
            return Ok(Some(proved.values));
        }
        let effort = Effort::Playouts(self.playouts.div_ceil(2));
        match self.mind.standing(&at, player, effort, self.clock, rng) {
            Ok(standing) => Ok(Some(standing.values)),
            Err(refused) if refused.fault.is_some() => Err(refused),
            Err(_) => Ok(None),
        }
    }

    /// Returns what draws decide, by name, in the order of the rules.
    pub(super) fn draws(&self, strong: &Sums) -> Vec<DrawUse> {
        let told = |name: &String| {
            let draw = strong.luck.0.get(name)?;
            let (whose, brings) = draw.told().unzip();
            let outcome = |(value, outcome): (&String, &Outcome)| {
                let gain = match self.unit_of_draws() {
                    Unit::Share => outcome.gain.difference(),
                    _ => outcome.gain.mean(),
                };
                DrawOutcomeUse {
                    value: value.clone(),
                    likely: outcome.likely.average().map(rounded),
                    drawn: draw.drawn.get(value).copied().unwrap_or(0),
                    gain: gain.map(|gain| rounded(gain.value)),
                    interval: gain.map(|gain| gain.interval.map(rounded)),
                    searched: outcome.gain.count,
                }
            };
            let mut outcomes: Vec<DrawOutcomeUse> = brings.into_iter().flatten().map(outcome).collect();
            outcomes.sort_by_key(|outcome| super::offers::number_first(&outcome.value));
            Some(DrawUse {
                name: name.clone(),
                mean: rounded(draw.all as f64 / strong.matches.max(1) as f64),
                whose: whose.map_or_else(String::new, str::to_string),
                unit: self.unit_of_draws(),
                outcomes,
                series: "strong".to_string(),
                matches: strong.matches,
            })
        };
        self.names_of_draws().iter().filter_map(told).collect()
    }

    fn unit_of_draws(&self) -> Unit {
        unit_of(self.engine.machine())
    }

    fn names_of_draws(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for op in &self.rules.game.code {
            if let Op::Chance(chance) = op
                && !names.contains(&chance.name)
            {
                names.push(chance.name.clone());
            }
        }
        names
    }

    /// Returns a figure for each draw that the rules name: by how much it changes what players can expect.
    pub(super) fn about_draws(&self, strong: &Sums, exact: bool) -> Vec<Figure> {
        let play_on = if exact { "if play is perfect from there on" } else { "if searches play on" };
        let unit = self.unit_of_draws();
        let what = match (unit, self.players()) {
            (Unit::Points, _) => "the score",
            (_, 1) => "the chance to win",
            _ => "the share of the win",
        };
        let one = |name: &String| {
            let draw = strong.luck.0.get(name);
            // Of a share of the win, the variance is at most a quarter.
            let found = draw.and_then(|draw| match unit {
                Unit::Share => draw.variance.bounded([-0.25, 0.25]),
                _ => draw.variance.mean(),
            });
            let why = match strong.matches >= ENOUGH {
                _ if !self.shows_luck() => {
                    "something is hidden, so that searches would take what a player knows for luck"
                }
                true => "it hardly ever had different outcomes that could be searched",
                false => FEW,
            };
            let key = format!("chance.draw.{name}");
            let title = format!("what {name} decides");
            let meaning = format!(
                "by how much what {name} draws typically changes {what} that a player can expect (the standard deviation over the outcomes), {play_on}; based on single draws, not matches"
            );
            FigureHead { key: &key, title: &title, meaning: &meaning, unit, series: "strong" }
                .of(found.map(Estimate::root), why)
        };
        self.names_of_draws().iter().map(one).collect()
    }
}

/// Returns the different outcomes of the draw that is due, or some of them drawn at random if there are many, and whether
/// these are all.
fn ways(played: &Match, rng: &mut Rng) -> Result<(Vec<Way>, bool), Fault> {
    let (machine, position) = (played.machine(), played.position());
    let span = machine.chance(position).map_or_else(Default::default, |chance| chance.span);
    let count = machine.outcomes(position)?.count(span)?;
    let few = count.is_some_and(|count| count <= Int::from(LISTED));
    let listed = if few { Outcomes::default().at(machine, position).ok() } else { None };
    let after = |value: Value, likely: f64| -> Result<Option<Way>, Fault> {
        let mut after = played.clone();
        let drawn = after.draw(value.clone())?;
        Ok(drawn.is_ok().then_some(Way { value, likely, after }))
    };
    let mut ways = Vec::new();
    if let Some(listed) = listed.filter(|listed| listed.len() <= SEARCHED) {
        for outcome in listed.iter() {
            ways.extend(after(outcome.value.clone(), outcome.times as f64 / outcome.of as f64)?);
        }
        return Ok((ways, true));
    }
    for _ in 0..TRIES {
        let value = machine.draw_chance(position, &mut |n| rng.below(n))?;
        if ways.len() < SEARCHED && ways.iter().all(|way: &Way| way.value != value) {
            ways.extend(after(value, 1.0)?);
        }
    }
    Ok((ways, false))
}

/// Returns the variance over these outcomes of what the seat whose draw it is can expect, and by how much better than on
/// average each outcome is for it, from what two searches say of each. `all`: there are no other outcomes.
fn brought(ways: &[Way], all: bool, values: [Vec<f64>; 2], measure: Measure) -> (f64, Vec<f64>) {
    let sum: f64 = ways.iter().map(|way| way.likely).sum();
    // Some of the outcomes vary around their own mean by less than all of them do around theirs.
    let apart = if all { 1.0 } else { ways.len() as f64 / (ways.len() as f64 - 1.0) };
    let [one, other] = values.map(|values| {
        let mean = ways.iter().zip(&values).map(|(way, value)| way.likely * value).sum::<f64>() / sum;
        values.iter().map(|value| measure.gain(*value, mean)).collect::<Vec<f64>>()
    });
    let products = ways.iter().zip(one.iter().zip(&other)).map(|(way, (a, b))| way.likely * a * b);
    let gains = one.iter().zip(&other).map(|(a, b)| f64::midpoint(*a, *b)).collect();
    (apart * products.sum::<f64>() / sum, gains)
}

/// Returns whose draw it is, in words, and the seat. A move's draw is that of who has made it; another, that of the player
/// who chooses next, whatever is drawn, or else of who has just chosen, or else of the first.
fn whose(played: &Match, ways: &[Way], in_move: bool) -> (String, usize) {
    let together = played.machine().game.choices.iter().any(|choice| choice.together);
    let last = played.entries().filter(|entry| entry.player > 0).last().filter(|_| !together);
    let just = last.map(|entry| ("the player who has just chosen".to_string(), entry.player - 1));
    let next = |way: &Way| match way.after.to_move().as_slice() {
        [player] => Some(*player),
        _ => None,
    };
    let first = next(&ways[0]).filter(|first| ways.iter().all(|way| next(way) == Some(*first)));
    let then = first.map(|player| ("the player who chooses next".to_string(), player - 1));
    let found = if in_move { just.or(then) } else { then.or(just) };
    found.unwrap_or_else(|| (played.rules.game.seat_name(0), 0))
}

/// Returns what each seat has at the end: a share of the win, or the score that counts.
fn ended(at: &Match) -> Result<Option<Vec<f64>>, Refused> {
    let machine = at.machine();
    let seats = machine.setup.players;
    if Measure::of(machine) == Measure::Share {
        let Some(outcome) = &at.position().outcome else { return Ok(None) };
        let end = Proof::of(&outcome.winners, machine.interests);
        return Ok(Some((0..seats).map(|seat| end.share(seat, seats)).collect()));
    }
    let scores = at.scores().map_err(|fault| at.broken(&fault))?;
    Ok(scores.map(|scores| scores.iter().map(Int::to_f64).collect()))
}

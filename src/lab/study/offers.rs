//! What players could choose and what they chose: each move, each value of a parameter that has few, and which moves
//! do the same as others.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::figures::rounded;
use super::possible::{MetValues, NamedValues};
use super::report::{NeverPossible, ParameterUse, SameMove, SameValues, ValueUse};
use super::sums::{ENOUGH, each};
use crate::eval::{Chosen, Machine, text};
use crate::ir::{Effect, Game, MoveId, Op, Value};
use crate::play::{Entry, chosen};

/// Parameters that are chosen from more values than this are not counted value by value.
const FEW_VALUES: usize = 16;
/// Of more legal moves than this, the positions after them are not compared.
pub(super) const COMPARED: usize = 64;
/// At this many choices at least, a move must have done the same as another for that to be told.
const SURELY_SAME: u64 = 2 * ENOUGH;

/// The legal moves at a choice.
#[derive(Debug, Default)]
pub(super) struct Offered {
    pub legal: Vec<Chosen>,
    /// Whether these are all.
    pub whole: bool,
    /// The moves of which some are legal, also where not all are listed.
    pub moves: BTreeSet<MoveId>,
    /// A key for the position after each move: equal only for equal positions. Empty if they were not compared.
    pub after: Vec<u128>,
}

impl Offered {
    /// Returns the moves that can be made, if there are several.
    pub fn alternatives(&self) -> Vec<MoveId> {
        self.moves.iter().copied().filter(|_| self.moves.len() > 1).collect()
    }
}

/// By value of a parameter: a key for the position after each row of the other arguments, with the offer.
type AfterValues = BTreeMap<String, BTreeMap<(usize, Vec<Value>), u128>>;

/// How often something could be chosen, and was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Count {
    possible: u64,
    chosen: u64,
    /// How often it would have been chosen at random.
    expected: f64,
}

impl Count {
    fn join(&mut self, other: &Count) {
        self.possible += other.possible;
        self.chosen += other.chosen;
        self.expected += other.expected;
    }
}

/// The values of one parameter, in words; none if they are too many.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Values {
    counts: BTreeMap<String, Count>,
    too_many: bool,
    /// For each pair of values, the first one first: at how many choices both were possible and compared, and at how many of
    /// these they did the same, whatever the other arguments.
    #[serde(default)]
    same: BTreeMap<String, BTreeMap<String, [u64; 2]>>,
}

impl Values {
    fn at(&mut self, value: String) -> Option<&mut Count> {
        if !self.counts.contains_key(&value) && self.counts.len() == FEW_VALUES {
            (self.too_many, self.counts) = (true, BTreeMap::new());
        }
        (!self.too_many).then(|| self.counts.entry(value).or_default())
    }

    fn join(&mut self, other: &Values) {
        self.too_many |= other.too_many;
        for (value, count) in &other.counts {
            if let Some(own) = self.at(value.clone()) {
                own.join(count);
            }
        }
        for (one, others) in &other.same {
            for (other, counts) in others {
                self.compared(one, other, *counts);
            }
        }
        if self.too_many {
            self.counts.clear();
            self.same.clear();
        }
    }

    fn compared(&mut self, one: &str, other: &str, counts: [u64; 2]) {
        let known = self.same.entry(one.to_string()).or_default().entry(other.to_string()).or_default();
        known[0] += counts[0];
        known[1] += counts[1];
    }

    /// Returns groups of values that did the same wherever two of them were possible, with the least number of choices at
    /// which two of a group were.
    fn alike(&self) -> Vec<(Vec<&str>, u64)> {
        let together = |one: &str, other: &str| {
            let pair = |a: &str, b: &str| self.same.get(a)?.get(b).copied();
            let [compared, same] = pair(one, other).or_else(|| pair(other, one))?;
            (compared == same && compared >= SURELY_SAME).then_some(compared)
        };
        let mut groups: Vec<(Vec<&str>, u64)> = Vec::new();
        for value in self.counts.keys() {
            let fits =
                groups.iter().position(|(group, _)| group.iter().all(|own| together(own, value).is_some()));
            match fits {
                Some(at) => {
                    let least = groups[at].0.iter().filter_map(|own| together(own, value)).min();
                    groups[at].1 = groups[at].1.min(least.unwrap_or(0));
                    groups[at].0.push(value);
                }
                None => groups.push((vec![value], u64::MAX)),
            }
        }
        groups.retain(|(group, _)| group.len() > 1);
        groups
    }
}

/// What one move was, over several matches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct MoveCounts {
    /// At how many choices it was legal.
    possible: u64,
    /// By parameter, in the order of the rules.
    values: Vec<Values>,
    /// For each other move: at how many choices both were legal and compared, and at how many of these everything that this
    /// move does is also done by the other.
    same: Vec<[u64; 2]>,
    /// Which of the values that the rules name were possible.
    #[serde(default)]
    met: MetValues,
}

/// What players could choose and what they chose, by move.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct OfferCounts(Vec<MoveCounts>);

impl OfferCounts {
    /// Adds a choice.
    pub fn add(&mut self, game: &Game, offered: &Offered, entry: &Entry) {
        self.0.resize_with(game.moves.len(), MoveCounts::default);
        for (mv, counts) in self.0.iter_mut().enumerate() {
            counts.possible += u64::from(offered.moves.contains(&mv));
        }
        if offered.whole {
            self.add_values(game, offered, entry);
        }
        if !offered.after.is_empty() {
            self.compare(offered);
            self.compare_values(game, offered);
        }
    }

    /// Notes that a move was possible with these arguments.
    pub fn met(&mut self, named: &NamedValues, mv: MoveId, args: &[Value]) {
        self.0.resize_with(self.0.len().max(mv + 1), MoveCounts::default);
        self.0[mv].met.add(named, mv, args);
    }

    /// Compares what the values of each parameter do with the same other arguments.
    fn compare_values(&mut self, game: &Game, offered: &Offered) {
        // By move and parameter.
        let mut rows: BTreeMap<(MoveId, usize), AfterValues> = BTreeMap::new();
        for (row, key) in offered.legal.iter().zip(&offered.after) {
            for (at, value) in row.args.iter().enumerate() {
                if self.0[row.mv].values.get(at).is_none_or(|values| values.too_many) {
                    continue;
                }
                let mut others = row.args.clone();
                others.remove(at);
                let values = rows.entry((row.mv, at)).or_default();
                values.entry(text::words(game, value)).or_default().insert((row.offer, others), *key);
            }
        }
        for ((mv, at), values) in rows {
            let own = &mut self.0[mv].values[at];
            for (number, (one, ways)) in values.iter().enumerate() {
                for (other, others) in values.iter().skip(number + 1) {
                    let mut both =
                        ways.iter().filter_map(|(row, key)| Some((key, others.get(row)?))).peekable();
                    if both.peek().is_some() {
                        let same = both.all(|(key, other)| key == other);
                        own.compared(one, other, [1, u64::from(same)]);
                    }
                }
            }
        }
    }

    fn add_values(&mut self, game: &Game, offered: &Offered, entry: &Entry) {
        let share = 1.0 / offered.legal.len().max(1) as f64;
        let mut met: BTreeMap<(MoveId, usize), BTreeMap<String, f64>> = BTreeMap::new();
        for row in &offered.legal {
            for (at, value) in row.args.iter().enumerate() {
                let counts = &mut self.0[row.mv];
                counts.values.resize_with(counts.values.len().max(row.args.len()), Values::default);
                if !counts.values[at].too_many {
                    let values = met.entry((row.mv, at)).or_default();
                    *values.entry(text::words(game, value)).or_default() += share;
                }
            }
        }
        for ((mv, at), values) in met {
            let made = (game.moves[mv].name == entry.name)
                .then(|| chosen(&game.moves[mv]).nth(at))
                .flatten()
                .and_then(|param| entry.args.iter().find(|(name, _)| *name == param.name))
                .map(|(_, value)| text::words(game, value));
            for (value, expected) in values {
                let chosen = u64::from(made.as_ref() == Some(&value));
                if let Some(count) = self.0[mv].values[at].at(value) {
                    count.join(&Count { possible: 1, chosen, expected });
                }
            }
        }
    }

    fn compare(&mut self, offered: &Offered) {
        let after = |mv: MoveId| -> BTreeSet<u128> {
            let all = offered.legal.iter().zip(&offered.after);
            all.filter(|(row, _)| row.mv == mv).map(|(_, key)| *key).collect()
        };
        let all: Vec<(MoveId, BTreeSet<u128>)> = offered.moves.iter().map(|mv| (*mv, after(*mv))).collect();
        let many = self.0.len();
        for (mv, own) in &all {
            for (other, others) in all.iter().filter(|(other, _)| other != mv) {
                let same = &mut self.0[*mv].same;
                same.resize(many, [0; 2]);
                same[*other][0] += 1;
                same[*other][1] += u64::from(own.is_subset(others));
            }
        }
    }

    pub fn join(&mut self, other: &OfferCounts) {
        each(&mut self.0, &other.0, |own, others| {
            own.possible += others.possible;
            own.met.join(&others.met);
            each(&mut own.values, &others.values, Values::join);
            each(&mut own.same, &others.same, |own, others| {
                own[0] += others[0];
                own[1] += others[1];
            });
        });
    }

    /// Returns at how many choices a move was legal; `None` if no choice was looked at.
    pub fn possible(&self, mv: MoveId) -> Option<u64> {
        Some(self.0.get(mv)?.possible)
    }

    /// Returns how often each value of each parameter with few values was chosen.
    pub fn values(&self, game: &Game, series: &str) -> Vec<ParameterUse> {
        let mut all = Vec::new();
        for (counts, mv) in self.0.iter().zip(&game.moves) {
            for (values, param) in counts.values.iter().zip(chosen(mv)) {
                let mut told: Vec<ValueUse> = values.counts.iter().map(of_value).collect();
                // Numbers in their order, and words by the alphabet.
                told.sort_by_key(|used| number_first(&used.value));
                if told.len() > 1 {
                    let (name, parameter, series) = (mv.name.clone(), param.name.clone(), series.to_string());
                    all.push(ParameterUse { name, parameter, values: told, series });
                }
            }
        }
        all
    }

    /// Returns the values that were never possible in so many matches, of those that the rules name.
    pub fn never(&self, machine: &Machine, matches: u64) -> Vec<NeverPossible> {
        let named = NamedValues::of(machine);
        let all = self.0.iter().enumerate();
        all.flat_map(|(mv, counts)| counts.met.never(machine, &named, mv, matches)).collect()
    }

    /// Returns the values of a parameter that did the same wherever several of them were possible.
    pub fn same_values(&self, game: &Game) -> Vec<SameValues> {
        let mut all = Vec::new();
        if speaks(game) {
            return all;
        }
        for (counts, mv) in self.0.iter().zip(&game.moves) {
            for (values, param) in counts.values.iter().zip(chosen(mv)) {
                for (group, choices) in values.alike() {
                    all.push(SameValues {
                        name: mv.name.clone(),
                        parameter: param.name.clone(),
                        all: group.len() == values.counts.len(),
                        values: in_order(group.iter().map(|value| value.to_string())),
                        choices,
                    });
                }
            }
        }
        all
    }

    /// Returns which moves do nothing that another does not do as well.
    pub fn same(&self, game: &Game) -> Vec<SameMove> {
        let does_as = |mv: MoveId, other: MoveId| {
            let [compared, same] = self.0[mv].same.get(other).copied().unwrap_or_default();
            (compared == same && compared >= SURELY_SAME).then_some(compared)
        };
        let mut all = Vec::new();
        if speaks(game) {
            return all;
        }
        for mv in 0..self.0.len() {
            for other in (0..self.0.len()).filter(|other| *other != mv) {
                let Some(choices) = does_as(mv, other) else { continue };
                let mutual = does_as(other, mv).is_some();
                if mutual && other < mv {
                    continue;
                }
                let [name, other] = [mv, other].map(|mv| game.moves[mv].name.clone());
                all.push(SameMove { name, other, mutual, choices });
            }
        }
        all
    }
}

/// Whether players are told something that is not in the position.
fn speaks(game: &Game) -> bool {
    game.code.iter().any(|op| matches!(op, Op::Do(Effect::Say(..), _)))
}

/// Returns what sorts values in words: numbers come first, in their order.
pub(super) fn number_first(value: &str) -> (u8, i64) {
    value.parse().map_or((1, 0), |number| (0, number))
}

fn in_order(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut values: Vec<String> = values.collect();
    values.sort_by_key(|value| number_first(value));
    values
}

fn of_value((value, count): (&String, &Count)) -> ValueUse {
    let Count { possible, chosen, expected } = *count;
    ValueUse { value: value.clone(), possible, chosen, expected: rounded(expected) }
}

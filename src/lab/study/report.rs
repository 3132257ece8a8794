//! The result of a study as data: figures with their intervals, distributions, curves, a ladder of strengths,
//! and a sample match.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// A study of one game in one setting. Figures are rounded to six decimals, or to one if they are Elo points,
/// so that machines agree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The game's name, as in a record.
    pub game: String,
    /// Its title.
    pub title: String,
    /// The hash of its rules, as in a record.
    pub rules: String,
    /// Its options with their values, as in a record.
    pub options: Map<String, Json>,
    /// The number of players.
    pub players: usize,
    /// Whether all players are on one side: there is only one, or they win and lose together.
    #[serde(default)]
    pub is_one_side: bool,
    /// The names of the seats, in their order.
    pub seats: Vec<String>,
    /// Those who win and lose together, in the order of their first seats. Figures about a side have the number of its first
    /// seat in their keys.
    #[serde(default)]
    pub sides: Vec<Side>,
    /// The seed of all matches.
    pub seed: u64,
    /// Why the results of searches need not be near the value of the game; `None` if everything is in the open.
    #[serde(default)]
    pub imperfect: Option<Imperfect>,
    /// Whether a match never ends if everybody plays perfectly.
    #[serde(default)]
    pub endless: bool,
    /// The numbers in which the seats differ before anything has been chosen or drawn.
    #[serde(default)]
    pub unlike_starts: Vec<UnlikeStart>,
    /// The matches that were played, by kind. Figures refer to these by key.
    pub series: Vec<Series>,
    /// The conclusions, in sentences; the most important first.
    pub verdict: Vec<Remark>,
    /// The figures, grouped by subject.
    pub figures: Vec<Figure>,
    /// The distributions of results.
    pub distributions: Vec<Distribution>,
    /// The values that change in the course of a match.
    pub curves: Vec<Curve>,
    /// The players by strength, weakest first; empty for games of one player.
    pub ladder: Vec<Rung>,
    /// How often each part of the rules was used, in the order of the file.
    pub usage: Vec<Usage>,
    /// How often each value of each parameter that has few was chosen.
    #[serde(default)]
    pub values: Vec<ParameterUse>,
    /// The moves that do nothing that another move does not do as well.
    #[serde(default)]
    pub same: Vec<SameMove>,
    /// What each draw of chance decides.
    #[serde(default)]
    pub draws: Vec<DrawUse>,
    /// The values that did the same as others of the same parameter.
    #[serde(default)]
    pub same_values: Vec<SameValues>,
    /// The values that the rules name for a parameter, and that were never possible.
    #[serde(default)]
    pub never: Vec<NeverPossible>,
    /// How often each part of a winner rule that has several decided a match.
    #[serde(default)]
    pub deciders: Vec<Decider>,
    /// The terms of the score that were the same at the end of all matches.
    #[serde(default)]
    pub constant_terms: Vec<ConstantTerm>,
    /// The moves that were forbidden.
    #[serde(default)]
    pub forbidden: Vec<ForbiddenMove>,
    /// Whether what a move other than the best one costs was worked out to the end, rather than found by searches.
    #[serde(default)]
    pub exact_costs: bool,
    /// A match of the strongest players, as a record that can be replayed: the one of median length among the
    /// first few.
    pub sample: Option<Json>,
}

/// A player, a team, or all players if they win and lose together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Its name: that of the player, or `the team of …`.
    pub name: String,
    /// The numbers of its seats, from 1.
    pub seats: Vec<usize>,
}

impl Side {
    /// Returns the key of its figure of a kind: `best`, or its share of the win where the kind ends in `seat`.
    pub(super) fn key(&self, kind: &str) -> String {
        let share = if kind.ends_with("seat") { ".share" } else { "" };
        format!("{kind}.{}{share}", self.seats[0])
    }
}

/// A move that was forbidden, to see what it is worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForbiddenMove {
    /// The move.
    #[serde(rename = "move")]
    pub name: String,
    /// The names of the sides that have it beside another move; its cost is that of these.
    pub sides: Vec<String>,
}

/// A number in which the seats differ at the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnlikeStart {
    /// The name of what each player owns; `None`: the score.
    pub name: Option<String>,
    /// Its value for each seat.
    pub values: Vec<i64>,
    /// The seat, from 0, that would win if the match ended so, or the first seat of the team.
    pub ahead: Option<usize>,
}

/// A part of the winner rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decider {
    /// The part as it is written: `highest score`.
    pub name: String,
    /// In how many matches several players were level in the parts before it.
    pub reached: u64,
    /// In how many of these it left some of them out.
    pub narrowed: u64,
    /// In how many of these it was the last part to do so.
    pub decided: u64,
    /// In how many of these it left this seat alone, by seat; a team counts at its first seat.
    pub seats: Vec<u64>,
}

/// A term of the score that never differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstantTerm {
    /// The source text of the term.
    pub term: String,
    /// The file, without its folder.
    pub file: String,
    /// The line.
    pub line: usize,
    /// Its value for every player at the end of every match.
    pub value: i64,
    /// The number of these matches.
    pub matches: u64,
}

/// What makes players choose without knowing the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Imperfect {
    /// Something is hidden from some seat.
    Hidden,
    /// Several seats choose at the same time.
    Together,
}

/// Matches of the same kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Its key in this report: `random`, `strong`, `ladder`, `forbidden`.
    pub key: String,
    /// A description of the players: `random moves in every seat`, `tree:200 in every seat`.
    pub players: String,
    /// The number of matches played.
    pub matches: u64,
    /// How many of them were abandoned before their end.
    pub unfinished: u64,
    /// The total number of choices in all of them.
    pub choices: u64,
}

/// A sentence of the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remark {
    /// Whether something may be wrong with the game.
    pub warning: bool,
    /// The sentence, without a full stop.
    pub text: String,
    /// The key of the figure that it is based on.
    pub figure: String,
    /// What it says without its figures, by which remarks about several settings can be joined.
    #[serde(default)]
    pub claim: String,
}

/// The unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Choices by players.
    Choices,
    /// Turns: choices of one player in a row, or one joint choice.
    Turns,
    /// Legal moves.
    Moves,
    /// A share, from 0 to 1; shown in per cent.
    Share,
    /// Points of the game's own score.
    Points,
    /// Elo points.
    Elo,
    /// Occurrences per match.
    Times,
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its key, with the subject first: `length.choices`, `seat.1.share`.
    pub key: String,
    /// Its title.
    pub title: String,
    /// An explanation, in a sentence without a full stop.
    pub meaning: String,
    /// Its unit.
    pub unit: Unit,
    /// The estimate; `None` if it could not be determined.
    pub value: Option<f64>,
    /// The 95 % confidence interval; both ends equal `value` if it is certain. `None` if all matches had this value,
    /// from which no interval follows.
    pub interval: Option<[f64; 2]>,
    /// The key of the series on which it is based.
    pub series: String,
    /// The number of matches (for `weight` figures: choices) on which it is based; 0 if it is exact.
    pub matches: u64,
    /// Why it could not be determined, in a sentence without a full stop.
    pub missing: Option<String>,
}

/// How often each result occurred.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// Its key: `length.choices`, `ends`, `seat.1.scores`.
    pub key: String,
    /// Its title.
    pub title: String,
    /// An explanation, in a sentence without a full stop.
    pub meaning: String,
    /// The unit of the bins; `None` if the bins are named things.
    pub unit: Option<Unit>,
    /// The key of the series on which it is based.
    pub series: String,
    /// The number of matches on which it is based.
    pub matches: u64,
    /// The bins: numbers in ascending order without gaps, names by descending frequency.
    pub bins: Vec<Bin>,
}

/// One bin of a distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Its label: `12`, `10..14`, `a player has no legal move`.
    pub label: String,
    /// The least and greatest number in it; `None` if it is a named thing.
    pub range: Option<[i64; 2]>,
    /// How often it occurred.
    pub count: u64,
}

/// A value that changes in the course of a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Its key: `width`, `lead`, `seats`.
    pub key: String,
    /// Its title.
    pub title: String,
    /// An explanation, in a sentence without a full stop.
    pub meaning: String,
    /// The unit of its values.
    pub unit: Unit,
    /// The key of the series on which it is based.
    pub series: String,
    /// The lines: one, or one for each seat.
    pub lines: Vec<Line>,
}

/// One line of a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its name: a seat; empty if it is the only line.
    pub name: String,
    /// Its points, in chronological order.
    pub points: Vec<Point>,
}

/// One point of a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The progress of the matches, from 0 (the first choice) to 1 (the end; for legal moves the last choice).
    pub at: f64,
    /// The mean of all matches at that time.
    pub value: f64,
    /// The 95 % confidence interval of the mean.
    pub interval: [f64; 2],
}

/// A player on the ladder of strengths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    /// The bot, as `--bot` names it.
    pub bot: String,
    /// Its playouts per choice; `None` if it makes none.
    pub playouts: Option<u64>,
    /// Its Elo rating, relative to the mean of the ladder, which is 0.
    pub elo: f64,
    /// The 95 % confidence interval of the rating.
    pub interval: [f64; 2],
    /// Its share of the win against the rung below; `None` for the first rung.
    pub share: Option<f64>,
    /// The 95 % confidence interval of that share.
    pub share_interval: Option<[f64; 2]>,
    /// The number of matches against the rung below.
    pub matches: u64,
}

/// How often a part of the rules was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// The kind of part: `move`, `need`, `award`, `win`, `end`, or another that coverage counts.
    pub kind: String,
    /// Its name, or the line of the file as the author wrote it.
    pub label: String,
    /// The rule file, without its folder.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// How often it ran (for a need: how often it refused something) in all matches of the series together.
    pub ran: u64,
    /// How often it could have run.
    pub of: u64,
    /// Of a move: at how many choices it was possible; `None` if that is not known.
    #[serde(default)]
    pub possible: Option<u64>,
    /// Of a move: whether it is offered only where no other is possible.
    #[serde(default)]
    pub last_resort: bool,
    /// Of a need that never refused anything: the rules that end the match, or a loop, before it does, if that is why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends_first: Vec<Place>,
    /// How often it ran per match, on average.
    pub mean: f64,
    /// The key of the series on which it is based.
    pub series: String,
    /// The number of matches on which it is based.
    pub matches: u64,
}

/// A rule, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The line of the file as the author wrote it.
    pub label: String,
    /// The rule file, without its folder.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
}

/// How often each value of a parameter was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParameterUse {
    /// The name of the move.
    #[serde(rename = "move")]
    pub name: String,
    /// The name of the parameter.
    pub parameter: String,
    /// The values that were possible at some choice.
    pub values: Vec<ValueUse>,
    /// The key of the series on which it is based.
    pub series: String,
}

/// How often a value was chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueUse {
    /// The value, in words.
    pub value: String,
    /// At how many choices it was possible, in some legal move.
    pub possible: u64,
    /// How often it was chosen.
    pub chosen: u64,
    /// How often it would have been chosen if these choices had been made at random.
    pub expected: f64,
}

/// A move that, wherever both were possible, did nothing that another move does not do as well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SameMove {
    /// The name of the move.
    #[serde(rename = "move")]
    pub name: String,
    /// The name of the other move.
    pub other: String,
    /// Whether it is so the other way round, too.
    pub mutual: bool,
    /// At how many choices both were possible.
    pub choices: u64,
}

/// What the draws of one name decide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DrawUse {
    /// The name of the draw.
    pub name: String,
    /// How many of them a match has, on average.
    pub mean: f64,
    /// For whom `gain` is a gain: a seat, or the player who chooses next or has just chosen; empty if no draw was searched.
    pub whose: String,
    /// The unit of what outcomes bring.
    pub unit: Unit,
    /// Its outcomes; none if there are too many.
    pub outcomes: Vec<DrawOutcomeUse>,
    /// The key of the series on which it is based.
    pub series: String,
    /// The number of matches in which draws were counted.
    pub matches: u64,
}

/// One outcome of a draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DrawOutcomeUse {
    /// What is drawn, in words.
    pub value: String,
    /// How likely it was, on average over the draws that were searched.
    pub likely: Option<f64>,
    /// How often it was drawn.
    pub drawn: u64,
    /// How much better than on average it leaves whose draw it is.
    pub gain: Option<f64>,
    /// The 95 % confidence interval of the gain.
    pub interval: Option<[f64; 2]>,
    /// At how many draws it was searched.
    pub searched: u64,
}

/// Values of a parameter that led to the same position wherever two of them were possible with the same other arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SameValues {
    /// The name of the move.
    #[serde(rename = "move")]
    pub name: String,
    /// The name of the parameter.
    pub parameter: String,
    /// The values, in words.
    pub values: Vec<String>,
    /// Whether these are all values that were ever possible.
    pub all: bool,
    /// At how many choices at least each two of them were compared.
    pub choices: u64,
}

/// Values that the rules name for a parameter, whatever the position, and that were never possible.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NeverPossible {
    /// The name of the move.
    #[serde(rename = "move")]
    pub name: String,
    /// The name of the parameter.
    pub parameter: String,
    /// The values in short: `above 7`, `3 or 5`.
    pub which: String,
    /// Each of them, in words.
    pub values: Vec<String>,
    /// How many values the rules name.
    pub of: u64,
    /// The number of matches in which they were not possible, random ones among them.
    pub matches: u64,
}

/// Studies of one game in several settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// What is varied: names of options, or `players`; each row has a value for each.
    pub varied: Vec<String>,
    /// The settings in their order; the last of `varied` changes fastest.
    pub rows: Vec<Row>,
}

/// One setting of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The values as text, in the order of `varied`.
    pub values: Vec<String>,
    /// The study; `None` if the game cannot be played in this setting.
    pub report: Option<Report>,
    /// Why it cannot be played, in a sentence without a full stop.
    pub refused: Option<String>,
}

impl Figure {
    /// Returns the ends of the interval, or the value as both if all matches had this value.
    pub fn ends(&self) -> Option<[f64; 2]> {
        self.interval.or_else(|| Some([self.value?; 2]))
    }
}

impl Report {
    /// Returns the figure with this key.
    pub fn figure(&self, key: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.key == key)
    }

    /// Returns the value of the figure with this key, if it could be determined.
    pub fn value(&self, key: &str) -> Option<f64> {
        self.figure(key)?.value
    }
}

//! What a study of a game says, as data: figures with their intervals, distributions, curves, a ladder of strengths, and a match.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// A study of one game in one setting. Figures that are no whole numbers are rounded to six digits, so that machines agree.
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
    /// How many play.
    pub players: usize,
    /// What the seats are called, the first one first.
    pub seats: Vec<String>,
    /// The seed of all matches.
    pub seed: u64,
    /// Who played how many matches. Figures name one of these.
    pub series: Vec<Series>,
    /// What the study comes to, in sentences; the most important first.
    pub verdict: Vec<Remark>,
    /// The figures, those of one subject together.
    pub figures: Vec<Figure>,
    /// How often what happened.
    pub distributions: Vec<Distribution>,
    /// What changes in the course of a match.
    pub curves: Vec<Curve>,
    /// Players by strength, the weakest first; empty where nobody plays against anybody.
    pub ladder: Vec<Rung>,
    /// How often what of the rules was used, in the order of the file.
    pub usage: Vec<Usage>,
    /// A match of the strongest players, as a record that replays: the one of median length among the first few.
    pub sample: Option<Json>,
}

/// Matches of the same kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Its name in this report: `random`, `strong`, `ladder`, `chance`, `forbidden`.
    pub key: String,
    /// Who plays, in words: `random players`, `mcts:200 in every seat`.
    pub players: String,
    /// How many matches were played.
    pub matches: u64,
    /// How many of them were given up before their end.
    pub unfinished: u64,
    /// The choices of all of them together.
    pub choices: u64,
}

/// A sentence of the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remark {
    /// Whether something may be wrong with the game.
    pub warning: bool,
    /// The sentence, without a full stop.
    pub text: String,
    /// The key of the figure it is drawn from.
    pub figure: String,
}

/// What a number counts.
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
    /// Points of Elo's scale.
    Elo,
    /// How many times in a match.
    Times,
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its name, the subject first: `length.choices`, `seat.1.share`.
    pub key: String,
    /// What it is called.
    pub title: String,
    /// What it means, in a sentence without a full stop.
    pub meaning: String,
    /// What it counts.
    pub unit: Unit,
    /// The figure; `None` where it cannot be had.
    pub value: Option<f64>,
    /// Between what it lies with 19 chances in 20; the figure itself twice where it is certain.
    pub interval: Option<[f64; 2]>,
    /// The key of the series it comes from.
    pub series: String,
    /// How many matches (for `weight` figures: choices) it comes from.
    pub matches: u64,
    /// Why it cannot be had, in a sentence without a full stop.
    pub missing: Option<String>,
}

/// How often what happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    /// Its name: `length.choices`, `ends`, `seat.1.scores`.
    pub key: String,
    /// What it is called.
    pub title: String,
    /// What it shows, in a sentence without a full stop.
    pub meaning: String,
    /// What the bins count along; `None` where they are things with names.
    pub unit: Option<Unit>,
    /// The key of the series it comes from.
    pub series: String,
    /// How many matches it comes from.
    pub matches: u64,
    /// The bins: numbers from the least to the greatest with none left out, names from the most frequent.
    pub bins: Vec<Bin>,
}

/// One bin of a distribution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// What it is called: `12`, `10..14`, `player 1 wins by line 12`.
    pub label: String,
    /// The least and the greatest number that falls into it; `None` where it has a name alone.
    pub range: Option<[i64; 2]>,
    /// How often.
    pub count: u64,
}

/// Something that changes in the course of a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Its name: `width`, `lead`, `decided`.
    pub key: String,
    /// What it is called.
    pub title: String,
    /// What it shows, in a sentence without a full stop.
    pub meaning: String,
    /// What its values count.
    pub unit: Unit,
    /// The key of the series it comes from.
    pub series: String,
    /// The lines: one, or one for each seat.
    pub lines: Vec<Line>,
}

/// One line of a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// What it is called: a seat; empty where it is the only one.
    pub name: String,
    /// Its points, in the order of time.
    pub points: Vec<Point>,
}

/// One point of a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// How far the matches were, from 0 (the first choice) to 1 (the end).
    pub at: f64,
    /// The mean of all matches there.
    pub value: f64,
    /// Between what that lies with 19 chances in 20.
    pub interval: [f64; 2],
}

/// A player on the ladder of strengths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    /// The bot, as `--bot` names it.
    pub bot: String,
    /// How many playouts a choice it has; `None` where it has none.
    pub playouts: Option<u64>,
    /// Its rating in points of Elo's scale, with 0 for the mean of the ladder.
    pub elo: f64,
    /// Between what that lies with 19 chances in 20.
    pub interval: [f64; 2],
    /// Its share of the win against the rung below; `None` for the first.
    pub share: Option<f64>,
    /// Between what that lies.
    pub share_interval: Option<[f64; 2]>,
    /// How many matches were played against the rung below.
    pub matches: u64,
}

/// How often something of the rules was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// What it is: `move`, `need`, `award`, `win`, `end`, or another kind of part that coverage counts.
    pub kind: String,
    /// Its name, or the line of the file as the author wrote it.
    pub label: String,
    /// The rule file, without its folder.
    pub file: String,
    /// The line it stands on, from 1.
    pub line: usize,
    /// How often it happened (a need: refused something) in all matches of the series together.
    pub ran: u64,
    /// How often it could have.
    pub of: u64,
    /// How often it happened in a match, on average.
    pub mean: f64,
    /// The key of the series it comes from.
    pub series: String,
    /// How many matches it comes from.
    pub matches: u64,
}

/// Studies of one game in several settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// What is varied: names of options, or `players`; each row has a value for each.
    pub varied: Vec<String>,
    /// The settings in their order; the last that is varied changes fastest.
    pub rows: Vec<Row>,
}

/// One setting of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The values, in the order of `varied`, in words.
    pub values: Vec<String>,
    /// The study; `None` where the game cannot be played so.
    pub report: Option<Report>,
    /// Why it cannot, in a sentence without a full stop.
    pub refused: Option<String>,
}

impl Report {
    /// The figure of a key.
    pub fn figure(&self, key: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.key == key)
    }

    /// The value of the figure of a key, where it could be had.
    pub fn value(&self, key: &str) -> Option<f64> {
        self.figure(key)?.value
    }
}

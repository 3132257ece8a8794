//! The results of an arena: as a table for people, as JSON, and in the format of a kept file.

use crate::explore::{counted, thousands};
use serde_json::{Map, Value as Json, json};

use super::arena::{Arena, Score, pairings, parts_of, seatings};
use super::checkpoint::Checkpoint;
use super::elo::{Meeting, Rating, difference, range, ratings, signed};
use super::side_name;

/// The name and version of the format of a kept file.
const FORMAT: &str = "parlour-arena";
const VERSION: u64 = 2;

/// The scores of all pairings, in the order of [`pairings`].
#[derive(Debug, Clone, PartialEq)]
pub struct Standings {
    /// The score of each pairing.
    pub scores: Vec<Score>,
    /// Each bot's share of the win in all its matches, from 0 to 1.
    shares: Vec<f64>,
    ratings: Vec<Rating>,
    names: Vec<String>,
    /// The most and the fewest sides that a bot can have.
    parts: [usize; 2],
}

impl Arena<'_> {
    /// Returns the standings for the given scores, one per pairing.
    pub fn standings(&self, scores: Vec<Score>) -> Standings {
        let names: Vec<String> = self.bots.iter().map(ToString::to_string).collect();
        let parts = parts_of(self.sides);
        let met = |(players, score): ([usize; 2], &Score)| Meeting {
            players,
            parts,
            matches: score.matches,
            share: score.share,
        };
        let meetings: Vec<Meeting> = pairings(names.len()).into_iter().zip(&scores).map(met).collect();
        let mut won = vec![(0.0, 0); names.len()];
        for Meeting { players: [first, second], matches, share, .. } in &meetings {
            for (bot, share) in [(first, *share), (second, *matches as f64 - share)] {
                won[*bot] = (won[*bot].0 + share, won[*bot].1 + matches);
            }
        }
        let shares = won.iter().map(|(share, all)| if *all == 0 { 0.5 } else { share / *all as f64 });
        Standings { shares: shares.collect(), ratings: ratings(names.len(), &meetings), names, parts, scores }
    }

    /// Returns what determines the matches: arenas for which this is equal and which have bots in common can
    /// continue from each other's scores.
    fn checkpoint(&self) -> Checkpoint<'_> {
        let Arena { rules, setup, seed, max_moves, .. } = *self;
        Checkpoint { format: FORMAT, version: VERSION, command: "arena", rules, setup, seed, max_moves }
    }

    /// Returns the content of a file that keeps these scores.
    pub fn checkpoint_json(&self, scores: &[Score]) -> Json {
        let mut kept = self.checkpoint().head();
        kept["bots"] = self.bots.iter().map(ToString::to_string).collect();
        kept["scores"] = json!(scores);
        kept
    }

    /// Reads kept scores, one per pairing: 0 for pairings of bots that have joined since. The error is a
    /// sentence.
    pub fn read_checkpoint(&self, text: &str) -> Result<Vec<Score>, String> {
        let kept = self.checkpoint().read(text)?;
        let no_arena = || self.checkpoint().not_ours();
        let bots: Vec<String> = self.bots.iter().map(ToString::to_string).collect();
        let before: Vec<String> = serde_json::from_value(kept["bots"].clone()).map_err(|_| no_arena())?;
        if !bots.starts_with(&before) {
            return Err(format!(
                "this holds matches of {}; name these bots first, in this order, and any new ones after them",
                before.join(", ")
            ));
        }
        let mut scores: Vec<Score> =
            serde_json::from_value(kept["scores"].clone()).map_err(|_| no_arena())?;
        let ways = seatings(self.sides).len() as u64;
        if scores.len() != pairings(before.len()).len() || !scores.iter().all(|score| score.is_whole(ways)) {
            return Err(
                "its figures are inconsistent: something else has changed it; use another file".into()
            );
        }
        scores.resize(pairings(bots.len()).len(), Score::default());
        Ok(scores)
    }
}

impl Score {
    /// Whether the figures are consistent with whole encounters of `ways` matches each.
    fn is_whole(&self, ways: u64) -> bool {
        let sum = self.wins[0].checked_add(self.wins[1]).and_then(|wins| wins.checked_add(self.draws));
        self.encounters.checked_mul(ways) == Some(self.matches)
            && sum == Some(self.matches)
            && (self.wins[0] as f64..=(self.wins[0] + self.draws) as f64 + 1e-6)
                .contains(&(self.share + 1e-9))
    }
}

impl Standings {
    /// Returns the number of all matches.
    pub fn matches(&self) -> u64 {
        self.scores.iter().map(|score| score.matches).sum()
    }

    /// Returns the names of each pairing with its score.
    fn by_pairing(&self) -> impl Iterator<Item = ([&String; 2], &Score)> {
        let named = |bots: [usize; 2]| bots.map(|bot| &self.names[bot]);
        pairings(self.names.len()).into_iter().map(named).zip(&self.scores)
    }

    /// Returns each seat's share of the win, over all matches.
    fn seats(&self, seats: usize) -> Vec<f64> {
        let of = |seat: usize| self.scores.iter().filter_map(|score| score.seats.get(seat)).sum::<f64>();
        (0..seats).map(|seat| of(seat) / self.matches().max(1) as f64).collect()
    }

    /// Returns the JSON that `parlour arena --json` prints. `interval` is that of the first bot's score;
    /// infinite differences in points are null.
    pub fn json(&self, arena: &Arena) -> Json {
        let by_name =
            |values: Vec<Json>| -> Map<String, Json> { self.names.iter().cloned().zip(values).collect() };
        let mut wins = vec![0; self.names.len()];
        for (pairing, score) in pairings(self.names.len()).into_iter().zip(&self.scores) {
            pairing.iter().zip(score.wins).for_each(|(bot, won)| wins[*bot] += won);
        }
        let firsts = pairings(self.names.len()).into_iter().zip(&self.scores);
        let of_first: u64 = firsts.filter(|(bots, _)| bots[0] == 0).map(|(_, score)| score.matches).sum();
        let (low, high) = crate::bots::interval(self.shares[0], of_first);
        let elo = |rating: &Rating| {
            let (low, high) = rating.interval;
            json!({ "elo": tenth(rating.elo), "interval": [tenth(low), tenth(high)] })
        };
        let pairing = |(names, score): ([&String; 2], &Score)| {
            let (low, high) = score.interval();
            let points = |share: f64| tenth(difference(share, self.parts));
            json!({
                "bots": names,
                "games": score.matches,
                "score": [score.mean(), 1.0 - score.mean()],
                "interval": [low, high],
                "wins": score.wins,
                "draws": score.draws,
                "elo": points(score.mean()),
                "elo_interval": [points(low), points(high)],
            })
        };
        let mut json = json!({
            "games": self.matches(),
            "score": by_name(self.shares.iter().map(|share| json!(share)).collect()),
            "interval": [low, high],
            "wins": by_name(wins.iter().map(|won| json!(won)).collect()),
            "draws": self.scores.iter().map(|score| score.draws).sum::<u64>(),
            "unfinished": self.scores.iter().map(|score| score.unfinished).sum::<u64>(),
            "elo": by_name(self.ratings.iter().map(elo).collect()),
            "pairings": self.by_pairing().map(pairing).collect::<Vec<_>>(),
            "seats": self.seats(arena.setup.players),
            "moves": { "mean": self.mean_moves() },
        });
        for name in ["seed", "players", "options"] {
            json[name] = arena.checkpoint().setting().remove(name).unwrap_or_default();
        }
        json
    }

    fn mean_moves(&self) -> f64 {
        let moves: u64 = self.scores.iter().map(|score| score.moves).sum();
        moves as f64 / self.matches().max(1) as f64
    }

    /// Formats the standings for people, in lines of at most `width` columns if no word is longer.
    pub fn words(&self, arena: &Arena, width: usize) -> String {
        let title = &arena.rules.game.title;
        let bots = self.names.len();
        let matches = counted(self.matches(), "match", "matches");
        let sentence = |text: &str| wrapped(text, ("", "  "), width);
        let mut text = sentence(&format!("{title}: {matches} between {bots} bots, seed {}", arena.seed));
        text += "\n";
        if bots > 2 {
            let mut order: Vec<usize> = (0..bots).collect();
            order.sort_by(|a, b| self.ratings[*b].elo.total_cmp(&self.ratings[*a].elo));
            let row = |bot: usize| {
                let Rating { elo, interval: (low, high) } = self.ratings[bot];
                vec![
                    self.names[bot].clone(),
                    format!("{:.3}", self.shares[bot]),
                    signed(elo),
                    range(low, high),
                ]
            };
            let mut rows = vec![cells(["", "share", "Elo", "95 % CI"])];
            rows.extend(order.into_iter().map(row));
            text += &table(&rows, width);
            text += "\n";
        }
        let mut rows = vec![cells(["", "won", "drawn", "lost", "share", "95 % CI", "Elo", "95 % CI"])];
        for ([first, second], score) in self.by_pairing() {
            let (low, high) = score.interval();
            let elo = |share: f64| difference(share, self.parts);
            rows.push(cells([
                &format!("{first} against {second}"),
                &thousands(score.wins[0]),
                &thousands(score.draws),
                &thousands(score.wins[1]),
                &format!("{:.3}", score.mean()),
                &format!("{low:.3}..{high:.3}"),
                &Some(elo(score.mean())).filter(|elo| elo.is_finite()).map_or("-".to_string(), signed),
                &range(elo(low), elo(high)),
            ]));
        }
        text += &table(&rows, width);
        let (players, game) = (arena.setup.players, &arena.rules.game);
        let seats = self.seats(players);
        let of_side = |side: &Vec<usize>| {
            let share: f64 = side.iter().map(|seat| seats[*seat]).sum();
            format!("{} {share:.3}", side_name(game, side, players))
        };
        let by = if arena.sides.len() < players { "side" } else { "seat" };
        let shares: Vec<String> = arena.sides.iter().map(of_side).collect();
        text += "\n";
        text += &sentence(&format!("share by {by}: {}", shares.join(", ")));
        text += &sentence(&format!("choices in a match: {:.2} on average", self.mean_moves()));
        text += &sentence("95 % CI: the 95 % confidence interval");
        let unfinished: u64 = self.scores.iter().map(|score| score.unfinished).sum();
        if unfinished > 0 {
            let limit = counted(arena.max_moves, "choice", "choices");
            text += &sentence(&format!(
                "unfinished: {}, given up after {limit} and counted as drawn",
                thousands(unfinished)
            ));
        }
        text
    }
}

/// Returns points as JSON, rounded because machines differ in the last digits of logarithms; null if
/// infinite.
pub(super) fn tenth(points: f64) -> Json {
    if points.is_finite() { json!((points * 10.0).round() / 10.0 + 0.0) } else { Json::Null }
}

fn cells<const N: usize>(row: [&str; N]) -> Vec<String> {
    row.map(str::to_string).to_vec()
}

/// Returns the widths of the columns of a table.
fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let widest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    (0..rows.first().map_or(0, Vec::len)).map(widest).collect()
}

/// Whether rows of cells fit into columns, if the first cell of a row may have its own line.
pub(super) fn fits(rows: &[Vec<String>], width: usize) -> bool {
    widths(rows).iter().skip(1).map(|cell| cell + 1).sum::<usize>() <= width
}

/// Lays out rows of cells, the first of which are headings, in columns: the first left-aligned and the others
/// right-aligned. If that is too wide, the first cell of a row gets its own line; if it still is, each row becomes a
/// list of its cells with their headings.
pub(super) fn table(rows: &[Vec<String>], width: usize) -> String {
    let widths = widths(rows);
    let cells: usize = widths.iter().skip(1).sum();
    let columns = widths.len().saturating_sub(1);
    // Narrower gaps may do.
    let gap = if cells + 2 * columns <= width { 2 } else { 1 };
    let rest = cells + gap * columns;
    let whole = rest + widths.first().unwrap_or(&0);
    let [headings, rows_below @ ..] = rows else { return String::new() };
    if !fits(rows, width) {
        let listed = |row: &Vec<String>| {
            let cells = headings.iter().zip(row).skip(1).filter(|(_, cell)| !cell.is_empty());
            let cells: Vec<String> = cells.map(|(heading, cell)| format!("{heading} {cell}")).collect();
            wrapped(&format!("{}: {}", row[0], cells.join(", ")), ("", "  "), width)
        };
        return rows_below.iter().map(listed).collect();
    }
    let mut text = String::new();
    for row in rows {
        let (first, rest) = (&row[0], row.iter().zip(&widths).skip(1));
        let rest: String = rest.map(|(cell, width)| format!("{:gap$}{cell:>width$}", "")).collect();
        if whole <= width {
            text += &format!("{first:<0$}{rest}\n", widths[0]);
        } else if first.is_empty() {
            text += &format!("{rest}\n");
        } else {
            text += &format!("{first}\n{rest}\n");
        }
    }
    text
}

/// Wraps a text at `width` columns, with a prefix for the first line and one for the others.
pub(super) fn wrapped(text: &str, (first, rest): (&str, &str), width: usize) -> String {
    let mut lines = vec![first.to_string()];
    let mut empty = true;
    // Keep a number together with its per cent sign.
    let text = text.replace(" %", "\u{1}%");
    for word in text.split_whitespace() {
        let line = &lines[lines.len() - 1];
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(rest.to_string());
            empty = true;
        }
        let last = lines.len() - 1;
        if !empty {
            lines[last].push(' ');
        }
        lines[last] += word;
        empty = false;
    }
    lines.iter().map(|line| format!("{}\n", line.replace('\u{1}', " "))).collect()
}

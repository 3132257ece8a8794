//! What an arena has found out: as a table for people, as JSON, and as it is kept to go on with.

use serde_json::{Map, Value as Json, json};

use super::arena::{Arena, Score, pairings, seatings};
use super::elo::{Meeting, Rating, difference, ratings};
use super::kept::Keeping;

/// The format of what is kept, and its version.
const FORMAT: &str = "parlour-arena";
const VERSION: u64 = 1;

/// The scores of all pairings, in the order of [`pairings`].
#[derive(Debug, Clone, PartialEq)]
pub struct Standings {
    /// The score of each pairing.
    pub scores: Vec<Score>,
    /// Each bot's share of the win in all its matches, from 0 to 1.
    shares: Vec<f64>,
    ratings: Vec<Rating>,
    names: Vec<String>,
    /// How many seats each side has at most and at least.
    parts: [usize; 2],
}

impl Arena<'_> {
    /// What scores say, one for each pairing.
    pub fn standings(&self, scores: Vec<Score>) -> Standings {
        let names: Vec<String> = self.bots.iter().map(ToString::to_string).collect();
        let players = self.setup.players;
        let parts = [players.div_ceil(2), players / 2];
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

    /// What fixes the matches: two arenas that say the same of this and have bots in common go on with each other's scores.
    fn kept_as(&self) -> Keeping<'_> {
        let Arena { rules, setup, seed, max_moves, .. } = *self;
        Keeping { format: FORMAT, version: VERSION, command: "arena", rules, setup, seed, max_moves }
    }

    /// Scores as they are kept, to go on with them.
    pub fn kept(&self, scores: &[Score]) -> Json {
        let mut kept = self.kept_as().head();
        kept["bots"] = self.bots.iter().map(ToString::to_string).collect();
        kept["scores"] = json!(scores);
        kept
    }

    /// Reads scores that were kept, one for each pairing: 0 for those of bots that have joined since. The error is a sentence.
    pub fn read_kept(&self, text: &str) -> Result<Vec<Score>, String> {
        let kept = self.kept_as().read(text)?;
        let no_arena = || self.kept_as().not_ours();
        let bots: Vec<String> = self.bots.iter().map(ToString::to_string).collect();
        let before: Vec<String> = serde_json::from_value(kept["bots"].clone()).map_err(|_| no_arena())?;
        if !bots.starts_with(&before) {
            return Err(format!(
                "the bots there are {}; name them first and in this order, others behind them",
                before.join(", ")
            ));
        }
        let mut scores: Vec<Score> =
            serde_json::from_value(kept["scores"].clone()).map_err(|_| no_arena())?;
        let ways = seatings(self.setup.players).len() as u64;
        if scores.len() != pairings(before.len()).len() || !scores.iter().all(|score| score.is_whole(ways)) {
            return Err(
                "its figures do not fit together; it was changed by something else, so give another file"
                    .into(),
            );
        }
        scores.resize(pairings(bots.len()).len(), Score::default());
        Ok(scores)
    }
}

impl Score {
    /// Whether the figures can be those of whole encounters of so many matches.
    fn is_whole(&self, ways: u64) -> bool {
        let sum = self.wins[0].checked_add(self.wins[1]).and_then(|wins| wins.checked_add(self.draws));
        self.encounters.checked_mul(ways) == Some(self.matches)
            && sum == Some(self.matches)
            && (self.wins[0] as f64..=(self.wins[0] + self.draws) as f64 + 1e-6)
                .contains(&(self.share + 1e-9))
    }
}

impl Standings {
    /// All matches.
    pub fn matches(&self) -> u64 {
        self.scores.iter().map(|score| score.matches).sum()
    }

    /// The names of each pairing with its score.
    fn by_pairing(&self) -> impl Iterator<Item = ([&String; 2], &Score)> {
        let named = |bots: [usize; 2]| bots.map(|bot| &self.names[bot]);
        pairings(self.names.len()).into_iter().map(named).zip(&self.scores)
    }

    /// Each seat's share of the win, over all matches.
    fn seats(&self) -> Vec<f64> {
        let seats = self.parts[0] + self.parts[1];
        let of = |seat: usize| self.scores.iter().filter_map(|score| score.seats.get(seat)).sum::<f64>();
        (0..seats).map(|seat| of(seat) / self.matches().max(1) as f64).collect()
    }

    /// As `parlour arena --json` prints them. `interval` is that of the first bot's score; where a difference in points has no end
    /// it is null.
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
            "seats": self.seats(),
            "moves": { "mean": self.mean_moves() },
        });
        for name in ["seed", "players", "options"] {
            json[name] = arena.kept_as().setting().remove(name).unwrap_or_default();
        }
        json
    }

    fn mean_moves(&self) -> f64 {
        let moves: u64 = self.scores.iter().map(|score| score.moves).sum();
        moves as f64 / self.matches().max(1) as f64
    }

    /// As people read them, in lines of at most so many columns where names let them.
    pub fn words(&self, arena: &Arena, width: usize) -> String {
        let title = &arena.rules.game.title;
        let bots = self.names.len();
        let mut text = format!("{title}: {} matches of {bots} bots, seed {}\n\n", self.matches(), arena.seed);
        if bots > 2 {
            let mut order: Vec<usize> = (0..bots).collect();
            order.sort_by(|a, b| self.ratings[*b].elo.total_cmp(&self.ratings[*a].elo));
            let row = |bot: usize| {
                let Rating { elo, interval: (low, high) } = self.ratings[bot];
                vec![
                    self.names[bot].clone(),
                    format!("{:.3}", self.shares[bot]),
                    format!("{elo:+.0}"),
                    range(low, high),
                ]
            };
            let mut rows = vec![cells(["", "share", "Elo", "between"])];
            rows.extend(order.into_iter().map(row));
            text += &table(&rows, width);
            text += "\n";
        }
        let mut rows = vec![cells(["", "won", "drawn", "lost", "share", "between", "Elo", "between"])];
        for ([first, second], score) in self.by_pairing() {
            let (low, high) = score.interval();
            let elo = |share: f64| difference(share, self.parts);
            rows.push(cells([
                &format!("{first} against {second}"),
                &score.wins[0].to_string(),
                &score.draws.to_string(),
                &score.wins[1].to_string(),
                &format!("{:.3}", score.mean()),
                &format!("{low:.3}..{high:.3}"),
                &Some(elo(score.mean()))
                    .filter(|elo| elo.is_finite())
                    .map_or("-".to_string(), |elo| format!("{elo:+.0}")),
                &range(elo(low), elo(high)),
            ]));
        }
        text += &table(&rows, width);
        let seats = self.seats().into_iter().enumerate();
        let seats = seats.map(|(seat, share)| format!("{} {share:.3}", arena.rules.game.seat_name(seat)));
        text += &format!("\nshare by seat: {}\n", seats.collect::<Vec<_>>().join(", "));
        text += &format!("choices in a match: {:.2} on average\n", self.mean_moves());
        text += "between: with 19 chances in 20\n";
        let unfinished: u64 = self.scores.iter().map(|score| score.unfinished).sum();
        if unfinished > 0 {
            text += &format!(
                "unfinished: {unfinished}, given up after {} choices and counted as drawn\n",
                arena.max_moves
            );
        }
        text
    }
}

/// Points as JSON, rounded: machines differ in the last digits of logarithms. Without end they are null.
pub(super) fn tenth(points: f64) -> Json {
    if points.is_finite() { json!((points * 10.0).round() / 10.0) } else { Json::Null }
}

/// Between what points lie; one side may have no end.
pub(super) fn range(low: f64, high: f64) -> String {
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("{low:+.0}..{high:+.0}"),
        (true, false) => format!("{low:+.0} or more"),
        (false, true) => format!("{high:+.0} or less"),
        (false, false) => "-".to_string(),
    }
}

fn cells<const N: usize>(row: [&str; N]) -> Vec<String> {
    row.map(str::to_string).to_vec()
}

/// Rows of cells under each other, the first to the left and the others to the right. Where that is too wide, the first stands on a line
/// of its own.
pub(super) fn table(rows: &[Vec<String>], width: usize) -> String {
    let widest = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(widest).collect();
    let whole: usize = widths.iter().map(|width| width + 2).sum();
    let mut text = String::new();
    for row in rows {
        let (first, rest) = (&row[0], row.iter().zip(&widths).skip(1));
        let rest: String = rest.map(|(cell, width)| format!("  {cell:>width$}")).collect();
        if whole <= width + 2 {
            text += &format!("{first:<0$}{rest}\n", widths[0]);
        } else if first.is_empty() {
            text += &format!("{rest}\n");
        } else {
            text += &format!("{first}\n{rest}\n");
        }
    }
    text
}

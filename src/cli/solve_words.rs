//! The results of `parlour solve`, in words and as JSON.

use serde_json::{Map, Value as Json, json};

use super::solve::As;
use crate::engine::DrawOutcome;
use crate::eval::text::{to_the_left, wide};
use crate::explore::{counted, decimals, thousands};
use crate::lab::side_name;
use crate::num::{Int, Ratio};
use crate::play::{Record, Rules, and, move_words};
use crate::solve::{Goal, LineEnd, Method, RootDraw, RootMove, Solved, Worth, has_chance};

/// The greatest number of best moves that are named in words.
const MOST_NAMED: usize = 24;

/// The greatest number of choices of a line of play that are listed in words.
const MOST_TOLD: usize = 60;

/// The greatest number of outcomes of the first draw that are listed in words.
const MOST_DRAWS: usize = 36;

/// The width of the column of moves beside one value, if none is wider.
const LEAST_MOVE: usize = 24;

/// Bounds at most this far apart count as an exact value.
const NEAR: f64 = 1e-6;

/// The results and the request they answer.
pub struct SolveReport<'a> {
    pub rules: &'a Rules,
    /// Those who win and lose together, by their seats (from 0).
    pub sides: &'a [Vec<usize>],
    pub solved: &'a Solved,
    pub goal: Goal,
    pub concept: As,
    /// Whether all moves are listed.
    pub every: bool,
    /// The match up to the position, followed by best play.
    pub record: &'a Record,
    /// The total effort, including earlier runs.
    pub positions: u64,
    pub seconds: f64,
}

impl SolveReport<'_> {
    fn seats(&self) -> usize {
        self.solved.worth.len()
    }

    /// Names a side.
    fn side_name(&self, side: usize) -> String {
        side_name(&self.rules.game, &self.sides[side], self.seats())
    }

    /// Returns the side (from 0) of a seat.
    fn side_of(&self, seat: usize) -> usize {
        self.sides.iter().position(|side| side.contains(&seat)).unwrap_or(0)
    }

    /// Returns what something is worth to each side, of what it is worth to each seat.
    fn by_side<'w>(&self, by_seat: &'w [Worth]) -> Vec<&'w Worth> {
        self.sides.iter().map(|side| &by_seat[side[0]]).collect()
    }

    /// Whether the value of the position is known.
    fn is_solved(&self) -> bool {
        let near = |worth: &Worth| {
            let (lower, upper) = worth.bounds();
            upper - lower <= NEAR
        };
        self.solved.halted.is_none() && self.solved.worth.iter().all(near)
    }

    /// Returns a worth as a JSON number; `null` if it is not known.
    fn number(&self, worth: &Worth) -> Json {
        let worth = self.of_points(worth);
        match &worth {
            Worth::Exact(worth) if is_whole(worth) => json!(worth.numerator().as_i64()),
            _ => {
                let (lower, upper) = worth.bounds();
                if upper - lower <= NEAR { json!(f64::midpoint(lower, upper)) } else { Json::Null }
            }
        }
    }

    /// Converts a worth to the game's own units: where the fewest points are best, the search negates them.
    fn of_points(&self, worth: &Worth) -> Worth {
        match self.goal {
            Goal::Points { highest: false } if self.sides.len() != 2 => worth.negative(),
            _ => worth.clone(),
        }
    }

    /// Returns the value of a position for each seat as in the JSON contract: 1 for a sole winner and so on;
    /// for differences of points, their sign.
    fn values(&self, worth: &[Worth], balance: &[Worth]) -> Json {
        let worth = if self.for_shares() { balance } else { worth };
        let sign = matches!(self.goal, Goal::Points { .. }) && self.sides.len() == 2;
        let value = |worth: &Worth| {
            let number = self.number(worth);
            match number.as_i64().filter(|_| sign) {
                Some(number) => json!(number.signum()),
                None => number,
            }
        };
        worth.iter().map(value).collect()
    }

    /// Whether more than two sides play to win, so that values are shares.
    fn for_shares(&self) -> bool {
        self.goal == Goal::Win && self.sides.len() > 2
    }

    /// Adds the further JSON fields of a worth: differences, shares, exact fractions, bounds.
    fn more(&self, worth: &[Worth], object: &mut Map<String, Json>) {
        if self.for_shares() {
            object.insert("share".into(), worth.iter().map(|share| self.number(share)).collect());
        }
        if matches!(self.goal, Goal::Points { .. }) && self.sides.len() == 2 {
            object.insert("difference".into(), worth.iter().map(|lead| self.number(lead)).collect());
        }
        let exact: Option<Vec<&Ratio>> = worth
            .iter()
            .map(|worth| if let Worth::Exact(worth) = worth { Some(worth) } else { None })
            .collect();
        match exact {
            Some(all) if all.iter().any(|worth| !is_whole(worth)) => {
                object.insert("exact".into(), all.iter().map(ToString::to_string).collect());
            }
            Some(_) => {}
            None => {
                let finite = |bound: f64| if bound.is_finite() { json!(bound) } else { Json::Null };
                let bounds = |worth: &Worth| {
                    let (lower, upper) = self.of_points(worth).bounds();
                    json!([finite(lower), finite(upper)])
                };
                object.insert("bounds".into(), worth.iter().map(bounds).collect());
            }
        }
    }

    /// Returns the moves to list: the best ones, or all.
    fn told_moves(&self) -> impl Iterator<Item = &RootMove> {
        let all = self.every || !self.is_solved();
        self.solved.first.iter().filter(move |first| all || first.best)
    }

    /// Returns the results as JSON.
    pub fn json(&self) -> Json {
        let solved = self.is_solved();
        let mut object = Map::new();
        object.insert("solved".into(), json!(solved));
        object.insert(
            "value".into(),
            if solved { self.values(&self.solved.worth, &self.solved.balance) } else { Json::Null },
        );
        self.more(&self.solved.worth, &mut object);
        object.insert("winners".into(), if solved { json!(self.winners()) } else { json!([]) });
        if matches!(self.goal, Goal::Points { .. }) {
            let scores = self.record.result.as_ref().map_or(&Json::Null, |result| &result["scores"]);
            let over = self.solved.line_end == LineEnd::Over;
            object.insert("scores".into(), if over { scores.clone() } else { Json::Null });
        }
        let moves = self.told_moves().map(|first| {
            let mut entry = self.entry(first);
            entry.insert("value".into(), self.values(&first.worth, &first.balance));
            self.more(&first.worth, &mut entry);
            if self.every || !solved {
                entry.insert("best".into(), json!(first.best));
            }
            Json::Object(entry)
        });
        object.insert("moves".into(), moves.collect());
        if !self.solved.draws.is_empty() {
            object
                .insert("draws".into(), self.solved.draws.iter().map(|draw| self.draw_json(draw)).collect());
        }
        object.insert("line".into(), self.record.json());
        object.insert("positions".into(), json!(self.positions));
        object.insert("seconds".into(), json!(self.seconds));
        object.insert("method".into(), json!(self.method()));
        object.insert("symmetries".into(), json!(self.solved.symmetries));
        object.insert("endless".into(), json!(self.solved.endless));
        object.insert("ties_decide".into(), json!(self.solved.ties_decide));
        if self.sides.len() < self.seats() {
            let numbered = |side: &Vec<usize>| side.iter().map(|seat| seat + 1).collect::<Vec<usize>>();
            object.insert("sides".into(), self.sides.iter().map(numbered).collect());
        }
        if self.sides.len() > 2 {
            object.insert("as".into(), json!(self.concept.name()));
        }
        Json::Object(object)
    }

    /// Returns an outcome of the first draw, how many of the equally likely outcomes are the same, and what the position
    /// after it is worth.
    fn draw_json(&self, draw: &RootDraw) -> Json {
        let DrawOutcome { value, times, of, .. } = &draw.outcome;
        let mut object = Map::new();
        object.insert("drawn".into(), crate::eval::text::json(&self.rules.game, value));
        object.insert("times".into(), json!(times));
        object.insert("of".into(), json!(of));
        object.insert("value".into(), self.values(&draw.worth, &draw.balance));
        self.more(&draw.worth, &mut object);
        Json::Object(object)
    }

    /// Returns the winners under best play, from 1: those at the end of the line, or else those that the
    /// values imply.
    fn winners(&self) -> Vec<usize> {
        // Under paranoid play, the line is best play for one side only.
        let apart = self.sides.len() > 2 && self.concept == As::Paranoid;
        let ended = self.record.result.as_ref().filter(|_| self.solved.line_end == LineEnd::Over && !apart);
        if let Some(winners) = ended.and_then(|result| result["winners"].as_array()) {
            return winners.iter().filter_map(|seat| seat.as_u64()).map(|seat| seat as usize).collect();
        }
        let wins =
            |seat: &usize| self.goal == Goal::Win && self.number(&self.solved.worth[*seat]) == json!(1);
        (0..self.seats()).filter(wins).map(|seat| seat + 1).collect()
    }

    /// Returns a move in the form of the JSON contract.
    fn entry(&self, first: &RootMove) -> Map<String, Json> {
        let entry = self.rules.entry(self.solved.seat.unwrap_or(0), &first.chosen);
        let args: Map<String, Json> = entry
            .args
            .iter()
            .map(|(name, value)| (name.clone(), crate::eval::text::json(&self.rules.game, value)))
            .collect();
        let mut object = Map::new();
        object.insert("move".into(), json!(entry.name));
        object.insert("args".into(), Json::Object(args));
        object
    }

    fn method(&self) -> &'static str {
        match self.solved.method {
            Method::AlphaBeta => "alpha-beta search",
            Method::ProofNumbers => "alpha-beta and proof-number search",
            Method::Backward => "backward induction",
            Method::Retrograde => "retrograde analysis",
            Method::Intervals => "interval iteration",
        }
    }

    /// Returns the results in words, one line for each fact.
    pub fn words(&self) -> String {
        let solved = self.is_solved();
        let state = match (solved, self.solved.halted.is_some()) {
            (true, _) => "solved",
            (false, true) => "not solved yet",
            (false, false) => "known within bounds",
        };
        let mut out = format!("{}: {state}\n", self.rules.game.title);
        let mut say = |what: &str, text: &str| out.push_str(&format!("  {what:<10} {text}\n"));
        say("value", &self.verdict());
        if self.sides.len() > 2 {
            say("meaning", &self.meaning());
        }
        let best: Vec<String> =
            self.solved.first.iter().filter(|first| first.best).map(|first| self.move_words(first)).collect();
        if !best.is_empty() {
            let all = self.solved.first.len();
            let of = match best.len() {
                n if n == all && all > 1 => "all moves are equally good: ".to_string(),
                _ => String::new(),
            };
            let few = best.len().min(MOST_NAMED);
            let more =
                if best.len() > few { format!(" and {} more", best.len() - few) } else { String::new() };
            say("best", &format!("{of}{}{more}", best[..few].join(", ")));
        }
        let line: Vec<String> = self
            .solved
            .line
            .iter()
            .map(|(seat, chosen)| {
                let entry = self.rules.entry(*seat, chosen);
                format!("{}: {}", seat + 1, move_words(&self.rules.game, &entry.name, &entry.args))
            })
            .collect();
        if !line.is_empty() {
            let end = match self.solved.line_end {
                LineEnd::Over if self.solved.is_shortest && line.len() > 1 => {
                    &format!("; over, after the fewest choices, {}", line.len())
                }
                LineEnd::Over => "; over",
                LineEnd::Chance => "; then chance draws",
                LineEnd::Repetition => "; then it repeats",
                LineEnd::Unfinished => "; and so on",
            };
            let told = line.len().min(MOST_TOLD);
            let more = if line.len() > told {
                format!(", … {} more choices", line.len() - told)
            } else {
                String::new()
            };
            say("line", &format!("{}{more}{end}", line[..told].join(", ")));
        }
        let how = format!(
            "{} searched in {:.2} s, by {}",
            counted(self.positions, "position", "positions"),
            self.seconds,
            self.method()
        );
        say("work", &how);
        let mut symmetries = self.solved.symmetries.clone();
        symmetries.dedup();
        if !symmetries.is_empty() {
            say(
                "symmetry",
                &format!("{}: positions that differ only by this count as one", symmetries.join(", ")),
            );
        }
        let unknown = |first: &RootMove| first.worth.iter().all(|worth| self.is_unknown(worth));
        if !self.every && !solved && !self.solved.first.is_empty() && self.solved.first.iter().all(unknown) {
            out.push_str("  moves      nothing is known of any move yet\n");
        } else if !self.solved.draws.is_empty() {
            out.push_str(&self.draws_table());
        } else if self.every || !solved && !self.solved.first.is_empty() {
            out.push_str(&self.moves_heading());
            out.push_str(&self.moves_table());
        }
        out
    }

    /// Says how more than two sides play, and what counts as even.
    fn meaning(&self) -> String {
        let concept = match self.concept {
            As::MaxN if self.solved.ties_decide => {
                "max-n: each plays for itself, and takes the first of equally good moves; with the last of them the \
                 result is another, so whoever has equally good moves decides"
            }
            As::MaxN => "max-n: each plays for itself, and takes the first of equally good moves",
            As::Paranoid => "paranoid: what each can be sure of if all others play against it",
        };
        let shared = match self.goal {
            Goal::Win if self.sides.len() < self.seats() => {
                "; teams that win together share the win, and if nobody wins all share it"
            }
            Goal::Win => "; those who win together share the win, and if nobody wins all share it",
            Goal::Points { .. } => "",
        };
        format!("{concept}{shared}")
    }

    /// Lists the moves with their values, in columns: of two sides, for the one that chooses, since one value implies
    /// the other.
    fn moves_table(&self) -> String {
        // Where all moves are equally good, it does not help to call each the best.
        let differ = self.solved.first.iter().any(|first| !first.best);
        let chooser = self.side_of(self.solved.seat.unwrap_or(0));
        let shown = if self.sides.len() == 2 { chooser..chooser + 1 } else { 0..self.sides.len() };
        let mut rows = Vec::new();
        if shown.len() > 1 && !self.solved.first.is_empty() {
            let names = shown.clone().map(|side| self.side_name(side));
            rows.push(std::iter::once(String::new()).chain(names).collect());
        }
        for first in &self.solved.first {
            let mut row = vec![self.move_words(first)];
            row.extend(self.by_side(&first.worth)[shown.clone()].iter().map(|worth| self.worth_words(worth)));
            row.extend((first.best && differ).then(|| "best".to_string()));
            rows.push(row);
        }
        in_columns(&rows, if shown.len() == 1 { LEAST_MOVE } else { 0 })
    }

    /// Lists what the first draw can come to, with what the position after each outcome is worth to every side.
    fn draws_table(&self) -> String {
        let draws = &self.solved.draws;
        let heads = (0..self.sides.len()).map(|side| self.side_name(side));
        let mut rows: Vec<Vec<String>> = vec![std::iter::once(String::new()).chain(heads).collect()];
        if draws.len() > MOST_DRAWS
            && let Some(kinds) = self.kinds_of_draws()
        {
            rows.extend(kinds);
            return format!("  {:<10} after what is drawn first:\n{}", "draws", in_columns(&rows, 0));
        }
        for draw in draws.iter().take(MOST_DRAWS) {
            let DrawOutcome { times, of, .. } = &draw.outcome;
            let row = std::iter::once(format!("{} ({times} of {of})", self.drawn(draw)));
            rows.push(
                row.chain(self.by_side(&draw.worth).iter().map(|worth| self.worth_words(worth))).collect(),
            );
        }
        let more = draws.len().saturating_sub(MOST_DRAWS);
        let more = if more > 0 { format!("    and {more} more; `--json` has all\n") } else { String::new() };
        format!("  {:<10} after what is drawn first:\n{}{more}", "draws", in_columns(&rows, 0))
    }

    /// Returns the value that is drawn, in words.
    fn drawn(&self, draw: &RootDraw) -> String {
        crate::eval::text::spoken(&self.rules.game, &draw.outcome.value)
    }

    /// Returns a row for each thing that outcomes of the first draw are worth, with how many they are and the first of them, best for
    /// the first side first; `None` if there are too many.
    fn kinds_of_draws(&self) -> Option<Vec<Vec<String>>> {
        let mut kinds: Vec<(&RootDraw, u64)> = Vec::new();
        for draw in &self.solved.draws {
            match kinds.iter_mut().find(|(first, _)| first.worth == draw.worth) {
                Some((_, times)) => *times += draw.outcome.times,
                None => kinds.push((draw, draw.outcome.times)),
            }
            if kinds.len() > MOST_DRAWS {
                return None;
            }
        }
        kinds.sort_by(|(a, _), (b, _)| b.worth[0].bounds().0.total_cmp(&a.worth[0].bounds().0));
        let row = |(first, times): (&RootDraw, u64)| {
            let like = if times > first.outcome.times { "such as " } else { "" };
            let head = format!("{times} of {}: {like}{}", first.outcome.of, self.drawn(first));
            let worth = self.by_side(&first.worth);
            std::iter::once(head).chain(worth.iter().map(|worth| self.worth_words(worth))).collect()
        };
        Some(kinds.into_iter().map(row).collect())
    }

    /// Returns the line above the moves, which says whose values are listed.
    fn moves_heading(&self) -> String {
        let of = match (self.sides.len(), self.solved.seat) {
            _ if self.solved.first.is_empty() => "none to choose: chance draws first, or the match is over",
            (2, Some(seat)) => {
                let name = self.side_name(self.side_of(seat));
                match self.goal {
                    Goal::Win => &format!("for {name}:"),
                    Goal::Points { .. } => &format!("for {name}, by how many points it leads in the end:"),
                }
            }
            _ if self.goal != Goal::Win => "points in the end:",
            _ => "",
        };
        format!("  {:<10} {of}", "moves").trim_end().to_string() + "\n"
    }

    fn move_words(&self, first: &RootMove) -> String {
        let entry = self.rules.entry(self.solved.seat.unwrap_or(0), &first.chosen);
        move_words(&self.rules.game, &entry.name, &entry.args)
    }

    /// Describes the value of the position in a sentence.
    fn verdict(&self) -> String {
        let game = &self.rules.game;
        if self.solved.seat.is_none() && self.solved.line_end == LineEnd::Over {
            let winners: Vec<String> = self.winners().iter().map(|seat| game.seat_name(seat - 1)).collect();
            let winners = if winners.is_empty() { "nobody".to_string() } else { and(&winners) };
            let points = match (self.goal, self.by_side(&self.solved.worth).as_slice()) {
                (Goal::Points { .. }, [one]) => format!(", with {}", self.each_words(one)),
                (Goal::Points { highest }, [one, _]) => format!(": {}", self.lead(one, highest)),
                _ => String::new(),
            };
            return format!("the match is already over, won by {winners}{points}");
        }
        if self.solved.endless {
            return "nobody wins: the match can go on forever".to_string();
        }
        match (self.goal, self.by_side(&self.solved.worth).as_slice()) {
            (Goal::Win, [one]) => self.win_alone(one),
            (Goal::Win, [one, _]) => self.win_of_two(one),
            (Goal::Points { highest }, [one]) if self.is_solved() => self.points_alone(one, highest),
            (Goal::Points { highest }, [one, _]) if self.is_solved() => self.lead(one, highest),
            (_, worth) => {
                let one = |(side, worth): (usize, &&Worth)| {
                    format!("{}: {}", self.side_name(side), self.each_words(worth))
                };
                worth.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// Returns a worth in the game's own units, if it is exact and whole.
    fn whole(&self, worth: &Worth) -> Option<i64> {
        match self.of_points(worth) {
            Worth::Exact(worth) if is_whole(&worth) => worth.numerator().as_i64(),
            _ => None,
        }
    }

    fn win_alone(&self, worth: &Worth) -> String {
        let name = match self.seats() {
            1 => self.rules.game.seat_name(0),
            _ => "the players together".to_string(),
        };
        match self.whole(worth) {
            Some(1) => format!("{name} can win"),
            Some(_) => format!("{name} cannot win"),
            None if self.is_solved() => {
                let (lower, upper) = worth.bounds();
                let wins = if self.seats() == 1 { "wins" } else { "win" };
                format!("{name} {wins} {} of the matches", per_cent(f64::midpoint(lower, upper), 1))
            }
            None => format!("{name}: {}", self.worth_words(worth)),
        }
    }

    fn win_of_two(&self, worth: &Worth) -> String {
        let [first, second] = [0, 1].map(|side| self.side_name(side));
        let (lower, upper) = worth.bounds();
        match self.whole(worth) {
            Some(1) => format!("{first} wins"),
            Some(-1) => format!("{second} wins"),
            Some(_) if has_chance(&self.rules.game) => {
                "even: each gets half of the win on average".to_string()
            }
            Some(_) => "a draw: neither can force a win".to_string(),
            None if self.is_solved() => {
                let share = per_cent(f64::midpoint(1.0, f64::midpoint(lower, upper)), 1);
                format!("{first} gets {share} of the win, counting a draw as half")
            }
            None if lower >= 0.0 => format!("{first} does not lose"),
            None if upper <= 0.0 => format!("{second} does not lose"),
            None => "not known".to_string(),
        }
    }

    fn points_alone(&self, worth: &Worth, highest: bool) -> String {
        let most = if highest { "at most" } else { "at least" };
        match self.whole(worth) {
            Some(i64::MIN | i64::MAX) => "no match ends".to_string(),
            Some(points) if has_chance(&self.rules.game) => {
                format!("{} on average, under best play", points_of(points))
            }
            Some(points) => format!("{} {most}, and that can be reached", points_of(points)),
            None => format!("{} points on average, under best play", self.figures(worth)),
        }
    }

    /// Describes by how many points the first of two sides leads, or the second.
    fn lead(&self, worth: &Worth, highest: bool) -> String {
        let less = if highest { "more" } else { "fewer" };
        let on_average = if has_chance(&self.rules.game) { " on average" } else { "" };
        let (lower, upper) = worth.bounds();
        let by = f64::midpoint(lower, upper);
        let name = self.side_name(usize::from(by < 0.0));
        match self.whole(worth) {
            Some(0) => format!("equal points{on_average}"),
            Some(by) => {
                let points = if by.unsigned_abs() == 1 { "point" } else { "points" };
                format!("{name} has {} {less} {points}{on_average}", thousands(by.unsigned_abs()))
            }
            None => format!("{name} has {} {less} points on average", decimals(by.abs(), 2)),
        }
    }

    /// Says what a position is worth to one of several sides.
    fn each_words(&self, worth: &Worth) -> String {
        let (lower, upper) = worth.bounds();
        match self.goal {
            Goal::Points { .. } if upper - lower <= NEAR => format!("{} points", self.figures(worth)),
            _ => self.worth_words(worth),
        }
    }

    /// Whether nothing is known of a worth but the bounds that hold for every position.
    fn is_unknown(&self, worth: &Worth) -> bool {
        let (lower, upper) = worth.bounds();
        match self.goal {
            Goal::Win if self.for_shares() => lower <= 0.0 && upper >= 1.0,
            Goal::Win => lower <= -1.0 && upper >= 1.0,
            Goal::Points { .. } => lower == f64::NEG_INFINITY && upper == f64::INFINITY,
        }
    }

    /// Formats a worth: how the match goes for a seat, as words and shares of the win, or in points.
    fn worth_words(&self, worth: &Worth) -> String {
        match self.goal {
            _ if self.is_unknown(worth) => "not known".to_string(),
            Goal::Win => share_words(worth, self.sides.len(), has_chance(&self.rules.game)),
            Goal::Points { .. } => self.figures(worth),
        }
    }

    /// Formats a worth in figures.
    fn figures(&self, worth: &Worth) -> String {
        match self.of_points(worth) {
            Worth::Exact(worth) if is_whole(&worth) => worth.to_string(),
            Worth::Exact(worth) => decimals(worth.to_f64(), 2),
            Worth::Between(lower, upper) if upper - lower <= NEAR => decimals(f64::midpoint(lower, upper), 2),
            // Rounded away from the value. Bounds are sums of floats and may be −0; adding 0 removes the sign.
            Worth::Between(lower, upper) => {
                match (hundredths(lower, f64::floor), hundredths(upper, f64::ceil)) {
                    (lower, f64::INFINITY) => format!("{lower} or more"),
                    (f64::NEG_INFINITY, upper) => format!("{upper} or less"),
                    (lower, upper) => format!("between {lower} and {upper}"),
                }
            }
        }
    }
}

/// Lays out rows of cells in indented columns, the first of which has at least this width.
fn in_columns(rows: &[Vec<String>], least: usize) -> String {
    let mut widths = vec![least];
    for row in rows {
        widths.resize(widths.len().max(row.len()), 0);
        row.iter().zip(&mut widths).for_each(|(cell, width)| *width = (*width).max(wide(cell)));
    }
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| to_the_left(cell, *width));
        format!("    {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

/// Formats what a match is worth to one of some sides that plays to win: a share of the win, where a draw of two counts as
/// half. The worth of two sides is from −1 to 1, that of more is the share. A side that plays alone cannot lose, so its
/// worth is how often it wins. If chance draws, an even match need not be a draw.
fn share_words(worth: &Worth, sides: usize, chance: bool) -> String {
    let (lower, upper) = worth.bounds();
    let figure = |bound: f64| match sides {
        2 => per_cent(f64::midpoint(1.0, bound), 2),
        _ => per_cent(bound, 2),
    };
    let what = if sides == 1 { " of the matches won" } else { " of the win" };
    match worth {
        Worth::Exact(share) if sides > 2 => match share.denominator().as_i64() {
            Some(1) if *share == Ratio::ONE => "wins".to_string(),
            Some(1) => "loses".to_string(),
            Some(2) if *share == Ratio::new(&Int::ONE, &Int::from(2)) => "half of the win".to_string(),
            _ if !chance => format!("{share} of the win"),
            _ => format!("{}{what}", figure(lower)),
        },
        Worth::Exact(worth) if is_whole(worth) => match worth.numerator().as_i64() {
            Some(1) => "wins".to_string(),
            Some(-1) => "loses".to_string(),
            _ if sides == 1 => "does not win".to_string(),
            _ if chance && sides == 2 => "half of the win".to_string(),
            _ => "draws".to_string(),
        },
        _ if upper - lower <= NEAR => format!("{}{what}", figure(f64::midpoint(lower, upper))),
        Worth::Between(..) if lower == 0.0 && upper >= 1.0 && sides == 2 => "does not lose".to_string(),
        Worth::Between(..) if lower <= -1.0 && upper == 0.0 => "does not win".to_string(),
        _ => format!("between {} and {}{what}", figure(lower), figure(upper)),
    }
}

/// Formats a share in per cent. What is neither 0 nor 100 % does not look like it.
fn per_cent(share: f64, digits: usize) -> String {
    let text = decimals(100.0 * share, digits);
    let least = 0.1_f64.powi(digits as i32);
    match text.parse() {
        Ok(0.0) if share > 0.0 => format!("less than {least:.digits$} %"),
        Ok(100.0) if share < 1.0 => format!("more than {:.digits$} %", 100.0 - least),
        _ => format!("{text} %"),
    }
}

fn is_whole(worth: &Ratio) -> bool {
    *worth.denominator() == Int::ONE
}

/// Formats a number of points with its noun: `1 point`, `-1,024 points`.
fn points_of(n: i64) -> String {
    let sign = if n < 0 { "-" } else { "" };
    format!("{sign}{}", counted(n.unsigned_abs(), "point", "points"))
}

/// Rounds a bound to hundredths if it is no whole number.
fn hundredths(bound: f64, round: fn(f64) -> f64) -> f64 {
    let rounded = if bound.fract() == 0.0 { bound } else { round(bound * 100.0) / 100.0 };
    rounded + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_winning_are_shares_of_the_win() {
        let exact = |n: i64, of: i64| Worth::Exact(Ratio::new(&Int::from(n), &Int::from(of)));
        for (worth, words) in [
            (exact(1, 1), "wins"),
            (exact(0, 1), "draws"),
            (exact(-1, 1), "loses"),
            (exact(1, 2), "75.00 % of the win"),
            (exact(-1, 3), "33.33 % of the win"),
            (exact(99_999, 100_000), "more than 99.99 % of the win"),
            (Worth::Between(0.5, 0.5), "75.00 % of the win"),
            (Worth::Between(-1.0, 0.0), "does not win"),
            (Worth::Between(-0.5, 0.5), "between 25.00 % and 75.00 % of the win"),
        ] {
            assert_eq!(share_words(&worth, 2, false), words, "{worth:?}");
        }
        assert_eq!(share_words(&exact(0, 1), 2, true), "half of the win");
        assert_eq!(share_words(&exact(1951, 7776), 1, true), "25.09 % of the matches won");
        assert_eq!(share_words(&exact(3, 8), 3, true), "37.50 % of the win");
        assert_eq!(share_words(&exact(1, 3), 3, false), "1/3 of the win");
        assert_eq!(share_words(&exact(0, 1), 3, false), "loses");
    }
}

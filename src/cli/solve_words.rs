//! The results of `parlour solve`, in words and as JSON.

use serde_json::{Map, Value as Json, json};

use super::solve::As;
use crate::explore::counted;
use crate::num::{Int, Ratio};
use crate::play::{Record, Rules, and, move_words};
use crate::solve::{Goal, LineEnd, Method, RootMove, Solved, Worth, has_chance};

/// The greatest number of best moves that are named in words.
const MOST_NAMED: usize = 24;

/// The greatest number of choices of a line of play that are listed in words.
const MOST_TOLD: usize = 60;

/// Bounds at most this far apart count as an exact value.
const NEAR: f64 = 1e-6;

/// The results and the request they answer.
pub struct SolveReport<'a> {
    pub rules: &'a Rules,
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
            Goal::Points { highest: false } if self.seats() != 2 => worth.negative(),
            _ => worth.clone(),
        }
    }

    /// Returns the value of a position for each seat as in the JSON contract: 1 for a sole winner and so on;
    /// for differences of points, their sign.
    fn values(&self, worth: &[Worth]) -> Json {
        let sign = matches!(self.goal, Goal::Points { .. }) && self.seats() == 2;
        let value = |worth: &Worth| {
            let number = self.number(worth);
            match number.as_i64().filter(|_| sign) {
                Some(number) => json!(number.signum()),
                None => number,
            }
        };
        worth.iter().map(value).collect()
    }

    /// Adds the further JSON fields of a worth: differences, exact fractions, bounds.
    fn more(&self, worth: &[Worth], object: &mut Map<String, Json>) {
        if let (Goal::Points { .. }, [one, other]) = (self.goal, worth) {
            object.insert("difference".into(), json!([self.number(one), self.number(other)]));
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
        object.insert("value".into(), if solved { self.values(&self.solved.worth) } else { Json::Null });
        self.more(&self.solved.worth, &mut object);
        object.insert("winners".into(), if solved { json!(self.winners()) } else { json!([]) });
        if matches!(self.goal, Goal::Points { .. }) {
            let scores = self.record.result.as_ref().map_or(&Json::Null, |result| &result["scores"]);
            let over = self.solved.line_end == LineEnd::Over;
            object.insert("scores".into(), if over { scores.clone() } else { Json::Null });
        }
        let moves = self.told_moves().map(|first| {
            let mut entry = self.entry(first);
            entry.insert("value".into(), self.values(&first.worth));
            self.more(&first.worth, &mut entry);
            if self.every || !solved {
                entry.insert("best".into(), json!(first.best));
            }
            Json::Object(entry)
        });
        object.insert("moves".into(), moves.collect());
        object.insert("line".into(), self.record.json());
        object.insert("positions".into(), json!(self.positions));
        object.insert("seconds".into(), json!(self.seconds));
        object.insert("method".into(), json!(self.method()));
        object.insert("symmetries".into(), json!(self.solved.symmetries));
        object.insert("endless".into(), json!(self.solved.endless));
        object.insert("ties_decide".into(), json!(self.solved.ties_decide));
        if self.seats() > 2 {
            object.insert("as".into(), json!(self.concept.name()));
        }
        Json::Object(object)
    }

    /// Returns the winners under best play, from 1: those at the end of the line, or else those that the
    /// values imply.
    fn winners(&self) -> Vec<usize> {
        // Under paranoid play, the line is best play for one seat only.
        let apart = self.seats() > 2 && self.concept == As::Paranoid;
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
        if self.seats() > 2 {
            let concept = match self.concept {
                As::MaxN if self.solved.ties_decide => {
                    "max-n: each plays for itself, and takes the first of equally good moves; with the last of them the \
                     result is another, so whoever has equally good moves decides"
                }
                As::MaxN => "max-n: each plays for itself, and takes the first of equally good moves",
                As::Paranoid => "paranoid: what each can be sure of if all others play against it",
            };
            say("meaning", concept);
            if self.goal == Goal::Win && has_chance(&self.rules.game) {
                say("", "a number is an average: a win counts 1, a shared win 0 and a loss −1");
            }
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
        } else if self.every || !solved && !self.solved.first.is_empty() {
            out.push_str(&self.moves_heading());
            // Where all moves are equally good, it does not help to call each the best.
            let differ = self.solved.first.iter().any(|first| !first.best);
            for first in &self.solved.first {
                let worth: Vec<String> = first.worth.iter().map(|worth| self.worth_words(worth)).collect();
                // With two seats, one value implies the other.
                let seat = self.solved.seat.unwrap_or(0);
                let worth = if self.seats() == 2 { worth[seat].clone() } else { worth.join(", ") };
                let best = if first.best && differ { "  best" } else { "" };
                out.push_str(&format!("    {:<24} {worth}{best}\n", self.move_words(first)));
            }
        }
        out
    }

    /// Returns the line above the moves, which says whose values are listed.
    fn moves_heading(&self) -> String {
        let of = match (self.seats(), self.solved.seat) {
            _ if self.solved.first.is_empty() => "none to choose: chance draws first, or the match is over",
            (2, Some(seat)) => {
                let name = self.rules.game.seat_name(seat);
                match self.goal {
                    Goal::Win => &format!("for {name}:"),
                    Goal::Points { .. } => &format!("for {name}, by how many points it leads in the end:"),
                }
            }
            (1, _) if self.goal != Goal::Win => "points in the end:",
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
        let worth = &self.solved.worth;
        if self.solved.seat.is_none() && self.solved.line_end == LineEnd::Over {
            let winners: Vec<String> = self.winners().iter().map(|seat| game.seat_name(seat - 1)).collect();
            let winners = if winners.is_empty() { "nobody".to_string() } else { and(&winners) };
            return format!("the match is already over, won by {winners}");
        }
        if self.solved.endless {
            return "nobody wins: the match can go on forever".to_string();
        }
        let whole = |worth: &Worth| match self.of_points(worth) {
            Worth::Exact(worth) if is_whole(&worth) => worth.numerator().as_i64(),
            _ => None,
        };
        match (self.goal, worth.as_slice()) {
            (Goal::Win, [one]) if whole(one).is_some() => match whole(one) {
                Some(1) => format!("{} can win", game.seat_name(0)),
                _ => format!("{} cannot win", game.seat_name(0)),
            },
            (Goal::Win, [one, _]) if whole(one).is_some() => match whole(one) {
                Some(1) => format!("{} wins", game.seat_name(0)),
                Some(-1) => format!("{} wins", game.seat_name(1)),
                _ if has_chance(game) => "even: each gets 1/2 of the win on average".to_string(),
                _ => "a draw: neither can force a win".to_string(),
            },
            (Goal::Points { .. }, [one]) if whole(one).is_some() => {
                let points = whole(one).unwrap_or(0);
                if points == i64::MIN || points == i64::MAX {
                    return "no match ends".to_string();
                }
                let most = if self.goal == (Goal::Points { highest: true }) { "at most" } else { "at least" };
                match has_chance(game) {
                    true => format!("{} on average, under best play", points_of(points)),
                    false => format!("{} {most}, and that can be reached", points_of(points)),
                }
            }
            (Goal::Points { highest }, [one, _]) if whole(one).is_some() => {
                let by = whole(one).unwrap_or(0);
                let ahead = if by > 0 { 0 } else { 1 };
                let less = if highest { "more" } else { "fewer" };
                match by {
                    0 => "equal points".to_string(),
                    _ => {
                        let points = if by.unsigned_abs() == 1 { "point" } else { "points" };
                        format!("{} has {} {less} {points}", game.seat_name(ahead), by.unsigned_abs())
                    }
                }
            }
            (Goal::Win, [one, _]) if self.solved.halted.is_some() => {
                let [first, second] = [game.seat_name(0), game.seat_name(1)];
                match one.bounds() {
                    (lower, _) if lower >= 0.0 => format!("{first} does not lose"),
                    (_, upper) if upper <= 0.0 => format!("{second} does not lose"),
                    _ => "not known".to_string(),
                }
            }
            (Goal::Win, [one, _]) => {
                let (lower, upper) = one.bounds();
                let share = certain(f64::midpoint(1.0, lower), f64::midpoint(1.0, upper));
                format!("{} gets {share} of the win, counting a draw as half", game.seat_name(0))
            }
            _ => {
                let one = |(seat, worth)| format!("{}: {}", game.seat_name(seat), self.worth_words(worth));
                worth.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// Whether nothing is known of a worth but the bounds that hold for every position.
    fn is_unknown(&self, worth: &Worth) -> bool {
        let (lower, upper) = worth.bounds();
        match self.goal {
            Goal::Win => lower <= -1.0 && upper >= 1.0,
            Goal::Points { .. } => lower == f64::NEG_INFINITY && upper == f64::INFINITY,
        }
    }

    /// Formats a worth: how the match goes for a seat, as words and shares of the win, or in points.
    fn worth_words(&self, worth: &Worth) -> String {
        match self.goal {
            _ if self.is_unknown(worth) => "not known".to_string(),
            Goal::Win => share_words(worth, self.solved.worth.len(), has_chance(&self.rules.game)),
            Goal::Points { .. } => self.figures(worth),
        }
    }

    /// Formats a worth in figures.
    fn figures(&self, worth: &Worth) -> String {
        match self.of_points(worth) {
            Worth::Exact(worth) if is_whole(&worth) => worth.to_string(),
            Worth::Exact(worth) => match worth.denominator().bits() {
                0..=40 => format!("{worth} ({:.6})", worth.to_f64()),
                _ => format!("{:.10}", worth.to_f64()),
            },
            Worth::Between(lower, upper) if upper - lower <= NEAR => certain(lower, upper),
            // Bounds are sums of floats and may be −0; adding 0 removes the sign.
            Worth::Between(lower, upper) => match (lower + 0.0, upper + 0.0) {
                (lower, f64::INFINITY) => format!("{lower} or more"),
                (f64::NEG_INFINITY, upper) => format!("{upper} or less"),
                (lower, upper) => format!("between {lower} and {upper}"),
            },
        }
    }
}

/// Formats what a match is worth to one of some seats that plays to win. Of one or two seats, it is a share of the win
/// from 0 to 1, where a draw counts as half; a seat that plays alone cannot lose, so its worth is that share. Of more,
/// shares say nothing, since a win that several share counts as 0. If chance draws, an even match need not be a draw.
fn share_words(worth: &Worth, seats: usize, chance: bool) -> String {
    let (lower, upper) = worth.bounds();
    let share = |bound: f64| if seats == 1 { bound } else { f64::midpoint(1.0, bound) };
    let (low, high) = if seats > 2 { (lower, upper) } else { (share(lower), share(upper)) };
    let what = match seats {
        1 => "of the matches won",
        2 => "of the win",
        _ => "on average",
    };
    match worth {
        Worth::Exact(worth) if is_whole(worth) => match worth.numerator().as_i64() {
            Some(1) => "wins".to_string(),
            Some(-1) => "loses".to_string(),
            _ if seats == 1 => "does not win".to_string(),
            _ if chance && seats == 2 => "1/2 of the win".to_string(),
            _ if chance => "wins as often as it loses".to_string(),
            _ if seats > 2 => "shares the win".to_string(),
            _ => "draws".to_string(),
        },
        Worth::Exact(worth) => {
            let half = || worth.add(&Ratio::from(Int::ONE)).mul(&Ratio::new(&Int::ONE, &Int::from(2)));
            let figure = if seats == 2 { half() } else { worth.clone() };
            match figure.denominator().bits() {
                0..=40 => format!("{figure} {what} ({:.6})", figure.to_f64()),
                _ => format!("{:.10} {what}", figure.to_f64()),
            }
        }
        Worth::Between(..) if upper - lower <= NEAR => format!("{} {what}", certain(low, high)),
        Worth::Between(..) if lower == 0.0 && upper >= 1.0 && seats > 1 => "does not lose".to_string(),
        Worth::Between(..) if lower <= -1.0 && upper == 0.0 => "does not win".to_string(),
        Worth::Between(..) => format!("between {low} and {high} {what}"),
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

/// Formats a number that lies between two bounds, with as many digits as are certain.
fn certain(lower: f64, upper: f64) -> String {
    let digits = (1..=9).rev().find(|digits| format!("{lower:.digits$}") == format!("{upper:.digits$}"));
    match digits {
        Some(digits) => format!("{lower:.digits$}"),
        None => format!("{lower:.3} to {upper:.3}"),
    }
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
            (exact(1, 2), "3/4 of the win (0.750000)"),
            (exact(-1, 3), "1/3 of the win (0.333333)"),
            (Worth::Between(0.5, 0.5), "0.750000000 of the win"),
            (Worth::Between(-1.0, 0.0), "does not win"),
            (Worth::Between(-0.5, 0.5), "between 0.25 and 0.75 of the win"),
        ] {
            assert_eq!(share_words(&worth, 2, false), words, "{worth:?}");
        }
        assert_eq!(share_words(&exact(0, 1), 2, true), "1/2 of the win");
        // A seat that plays alone wins or does not, and the shares of three seats would not add up to one win.
        assert_eq!(share_words(&exact(1951, 7776), 1, true), "1951/7776 of the matches won (0.250900)");
        assert_eq!(share_words(&exact(-3, 8), 3, true), "-3/8 on average (-0.375000)");
    }

    #[test]
    fn only_digits_that_are_certain_are_shown() {
        assert_eq!(certain(0.530_61, 0.530_64), "0.5306");
        assert_eq!(certain(0.25, 0.25), "0.250000000");
        assert_eq!(certain(-0.2, 0.3), "-0.200 to 0.300");
    }
}
